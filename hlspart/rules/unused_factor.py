"""A factor that is not used.

## What it does
Reports `factor=` beside `complete`.

## Why is this bad
The reader expects that many banks, the tool makes one per element.

## Example
```c
void f(int A[16]) {
#pragma HLS array_partition variable=A complete factor=4
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
`factor is ignored for complete partition`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic, Fix
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP112", "unused-factor", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule, with the factor removed as a fix."""
    for remark in facts.remarks("factor-unused"):
        span = facts.option_span(remark.directive, "factor")
        fix = Fix("remove the factor", (facts.removal(span),), safe=True) if span else None
        message = f"{facts.pragma_text(remark.directive)}: {remark.problem.message}"
        yield facts.report(RULE, remark.problem.at, message, remark.problem.hint, fix=fix)
