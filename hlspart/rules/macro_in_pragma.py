"""A macro in a pragma.

## What it does
Reports a macro as the value of an option, and as a warning a macro that has the name of the directive.

## Why is this bad
Which tool versions expand macros in a pragma line differs: the manual of 2020.2 shows a `#define`
as factor, that of 2026.1 only constants and a stringified `_Pragma`. Neither `gcc -E` nor other
preprocessors expand it, so other tools read another program.

## Example
```c
#define BANKS 4
void f(int A[16]) {
#pragma HLS array_partition variable=A cyclic factor=BANKS
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Use instead
```c
const int BANKS = 4;
void f(int A[16]) {
#pragma HLS array_partition variable=A cyclic factor=BANKS
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Vitis message it predicts
`expression is not an integer constant expression` in versions that do not expand it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP108", "macro-in-pragma", "info", limit=True)
_KEYWORD = re.compile(r"\s*(?:HLS|AP)\s+(\w+)", re.IGNORECASE)
_REPLACED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)[ \t]+(?=[^\s/])(?!\1\s*$)", re.M)
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)", re.M)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Plain pragmas whose text changes by the expansion of a macro (a template parameter is none)."""
    texts = [source.text for source in facts.program.sources.values()]
    replaced = {name for text in texts for name in _REPLACED.findall(text)}
    defined = {name for text in texts for name in _DEFINE.findall(text)} | set(facts.program.constants)
    for directive in facts.program.directives:
        if not facts.is_editable(directive) or directive.pragma is None or not directive.usable:
            continue
        pragma = facts.program.pragmas[directive.pragma]
        keyword = _KEYWORD.match(pragma.text)
        if keyword is not None and keyword.group(1) in replaced:
            message = f"{keyword.group(1)} is a macro here: the tool reads what it stands for as the directive"
            yield facts.report(RULE, directive.at, message, "give the macro another name", severity="warning")
            continue
        if pragma.text == pragma.expanded:
            continue
        known = {w for w in re.findall(r"[A-Za-z_]\w*", pragma.text) if w not in pragma.expanded.split()}
        kept = set(re.findall(r"[A-Za-z_]\w*", pragma.expanded))
        names = sorted((known - kept) & defined)
        if names:
            listed = ", ".join(f"'{n}'" for n in names)
            noun = "is a macro" if len(names) == 1 else "are macros"
            message = f"{facts.pragma_text(directive)}: {listed} {noun}, which not every tool version expands here"
            hint = "use a const integer, or _Pragma with a stringified argument"
            yield facts.report(RULE, directive.at, message, hint)
