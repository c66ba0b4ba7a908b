"""A directive names a variable that does not exist.

## What it does
Reports `variable=` and `port=` with a name that no given file declares.

## Why is this bad
The tool warns at most; the directive does nothing.

## Example
```c
void f(int A[16]) {
#pragma HLS array_partition variable=a complete
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Use instead
```c
void f(int A[16]) {
#pragma HLS array_partition variable=A complete
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Vitis message it predicts
`[HLS 200-916] Cannot locate the object`, or `undeclared variable`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule(
    "HLP401",
    "unknown-variable",
    "error",
    names=True,
    hint="correct the name; the variable must be visible where the pragma stands",
)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule, with the nearest name that is visible."""
    for remark in facts.remarks("unknown-variable"):
        names = {v.name for v in facts.program.variables if v.function in (None, remark.directive.function)}
        wanted = remark.directive.option("variable") or remark.directive.option("port") or ""
        folded = {n.lower(): n for n in sorted(names)}
        close = difflib.get_close_matches(wanted.lower(), folded, 1, 0.7)
        hint = f"did you mean {folded[close[0]]}?" if close else None
        message = f"{facts.pragma_text(remark.directive)}: {remark.problem.message}"
        used = _is_used(facts, remark.directive.function, wanted)  # a member of a class that is not read
        yield facts.report(RULE, remark.problem.at, message, hint, severity="info" if used else None)


def _is_used(facts: Facts, name: str | None, wanted: str) -> bool:
    """Whether the text of a function has a name that nothing declares."""
    function = facts.program.functions.get(name or "")
    source = facts.program.sources.get(function.at.span.path) if function is not None else None
    if function is None or source is None or not wanted.isidentifier():
        return False
    text = source.text[function.body.at.span.start : function.body.at.span.end]
    text = re.sub(r"//[^\n]*|/\*.*?\*/|^[ \t]*#[^\n]*", "", text, flags=re.M | re.S)
    return re.search(rf"(?<![\w.>]){re.escape(wanted)}\s*[\[=.(+-]", text) is not None
