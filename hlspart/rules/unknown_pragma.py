"""An HLS pragma that does not exist.

## What it does
Reports `#pragma HLS word` and `syn.directive.word` where no such directive exists.

## Why is this bad
The tool ignores the line or stops; what it was meant to do does not happen.

## Example
```c
void f(int A[16]) {
#pragma HLS array_partion variable=A complete
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
`unknown HLS pragma ignored`, or an error of the pragma parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic, Fix
from hlspart.model.source import Edit, Span
from hlspart.rules._base import Facts, Remark, Rule

RULE = Rule("HLP101", "unknown-pragma", "error")

_WORD = re.compile(r"#\s*pragma\s+HLS\s+(\w+)", re.IGNORECASE)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule; where a directive is spelt almost like it, with that name as a fix."""
    for remark in facts.remarks("unknown-pragma"):
        yield facts.report(
            RULE, remark.problem.at, remark.problem.message, remark.problem.hint, fix=_fix(facts, remark)
        )


def _fix(facts: Facts, remark: Remark) -> Fix | None:
    directive, meant = remark.directive, remark.problem.meant
    word = _WORD.match(facts.program.text(directive.at)) if facts.is_editable(directive) else None
    if meant is None or word is None:
        return None
    name = meant.lower() if word.group(1).islower() else meant
    start, end = (directive.at.span.start + k for k in word.span(1))
    return Fix(f"write {name}", (Edit(Span(directive.at.span.path, start, end), name),), safe=False)
