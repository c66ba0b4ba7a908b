"""A pragma in the text of a macro.

## What it does
Reports `#pragma HLS` in the replacement text of a `#define`, or in a comment that goes on behind a backslash.

## Why is this bad
The preprocessor does not run directives that come out of a macro: the pragma is lost, or the text is an error.
`_Pragma` is made for this.

## Example
```c
#define FAST #pragma HLS pipeline II=1
void f(int A[16]) {
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Use instead
```c
#define FAST _Pragma("HLS pipeline II=1")
void f(int A[16]) {
  for (int i = 0; i < 16; i++) {
    FAST
    A[i] = i;
  }
}
```

## Vitis message it predicts
None, or an error of the compiler where the macro is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.source import Origin, Span
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP115", "pragma-in-macro", "warning", hint='write _Pragma("HLS ...") in the macro')
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define\b(?:[^\n\\]|\\(?:\r?\n)?)*", re.M)
_COMMENT = re.compile(r"//[^\n]*\\[ \t]*\r?\n[ \t]*(#[ \t]*pragma[ \t]+HLS\b[^\n\\]*)", re.I)
_PRAGMA = re.compile(r"#[ \t]*pragma[ \t]+HLS\b[^\n\\]*", re.I)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Lines that go on in a pragma: those of #define, and comments."""
    for path, source in facts.given.items():
        for swallowed in _COMMENT.finditer(source.text) if "\\" in source.text and "pragma" in source.text else ():
            span = Span(path, swallowed.start(1), swallowed.start(1) + len(swallowed.group(1).rstrip()))
            message = "the comment in the line before ends in a backslash, so that this #pragma is a part of it"
            yield facts.report(RULE, Origin(span), message, "remove the backslash")
        if "define" not in source.text or "pragma" not in source.text:
            continue
        for line in _DEFINE.finditer(source.text):
            match = _PRAGMA.search(source.text, line.start(), line.end())
            if match is not None and "//" not in source.text[line.start() : match.start()]:
                span = Span(path, match.start(), match.start() + len(match.group().rstrip()))
                yield facts.report(RULE, Origin(span), "a #pragma in the text of a macro is never obeyed")
