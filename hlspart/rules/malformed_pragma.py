"""A pragma that is not well formed.

## What it does
Reports a missing `=`, a missing value, an option given twice with different values, stray
characters, an empty pragma.

## Why is this bad
The tool rejects the line, or takes one of the meanings without saying which.

## Example
```c
void f(int A[16]) {
#pragma HLS array_partition variable A complete
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
`expected '='` and similar errors of the pragma parser.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic, Severity
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP103", "malformed-pragma", "error")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule; the same value given twice is only a warning."""
    yield from facts.plain(RULE, "syntax", "missing-equals", "missing-value")
    for remark in facts.remarks("duplicate-option"):
        severity: Severity | None = None if remark.problem.fatal else "warning"
        message = f"{facts.pragma_text(remark.directive)}: {remark.problem.message}"
        yield facts.report(RULE, remark.problem.at, message, remark.problem.hint, severity=severity)
