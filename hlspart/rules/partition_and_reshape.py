"""Partition and reshape of one array.

## What it does
Reports ARRAY_PARTITION and ARRAY_RESHAPE on one variable.

## Why is this bad
The tool says that the behaviour is unexpected; the result is not what either of them says.

## Example
```c
void f(int A[16]) {
#pragma HLS array_partition variable=A cyclic factor=2
#pragma HLS array_reshape variable=A cyclic factor=2
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Use instead
```c
void f(int A[16]) {
#pragma HLS array_partition variable=A cyclic factor=4
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Vitis message it predicts
`203-180`: partition and reshape on one variable.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._left_out import may_be_left_out
from hlspart.rules._nests import active

RULE = Rule("HLP408", "partition-and-reshape", "error")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule."""
    reshapes = active(facts.program, "array_reshape")
    for remark in facts.remarks("partition-and-reshape"):
        mine = set(remark.directive.variables)
        beside = [d for d in reshapes if mine & set(d.variables)]
        if any(may_be_left_out(facts.program, d) for d in (remark.directive, *beside)):
            continue
        related = [(d.at, "the reshape") for d in reshapes if mine & set(d.variables)]
        message = f"ARRAY_PARTITION: {remark.problem.message}"
        yield facts.report(RULE, remark.problem.at, message, remark.problem.hint, related[:1])
