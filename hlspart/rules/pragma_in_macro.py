"""A pragma in the text of a macro.

## What it does
Reports `#pragma HLS` in the replacement text of a `#define`.

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
_PRAGMA = re.compile(r"#[ \t]*pragma[ \t]+HLS\b[^\n\\]*", re.I)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """#define lines with a pragma."""
    for path, source in facts.given.items():
        if "define" not in source.text or "pragma" not in source.text:
            continue
        for line in _DEFINE.finditer(source.text):
            match = _PRAGMA.search(source.text, line.start(), line.end())
            if match is not None and "//" not in source.text[line.start() : match.start()]:
                span = Span(path, match.start(), match.start() + len(match.group().rstrip()))
                yield facts.report(RULE, Origin(span), "a #pragma in the text of a macro is never obeyed")
