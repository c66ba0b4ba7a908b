"""A partition that makes one bank.

## What it does
Reports `factor=1`, and partitions of dimensions with one element.

## Why is this bad
It does nothing; a larger factor was probably meant.

## Example
```c
void f(int A[16]) {
#pragma HLS array_partition variable=A cyclic factor=1
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Use instead
```c
void f(int A[16]) {
#pragma HLS array_partition variable=A cyclic factor=2
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Vitis message it predicts
`203-105`: factor 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Directive
from hlspart.rules._base import Facts, Rule
from hlspart.rules._queries import has_open_extent

RULE = Rule("HLP307", "one-bank", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule; nothing of arrays whose extent could not be computed."""
    yield from facts.everywhere(_findings(facts))


def _findings(facts: Facts) -> Iterator[tuple[Directive, Diagnostic]]:
    for remark in facts.remarks("one-bank"):
        arrays = [facts.program.variable(v) for v in remark.directive.variables]
        if not any(0 in v.dims or has_open_extent(facts, v) for v in arrays):
            problem = remark.problem
            message = f"{facts.pragma_text(remark.directive)}: {problem.message}"
            yield remark.directive, facts.report(RULE, problem.at, message, problem.hint)
