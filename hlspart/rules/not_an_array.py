"""A partition of something that is no array.

## What it does
Reports ARRAY_PARTITION, ARRAY_RESHAPE and BIND_STORAGE on scalars, streams and plain pointers.

## Why is this bad
There is nothing to partition; the pragma does nothing.

## Example
```c
int f(int A[16]) {
  int s = 0;
#pragma HLS array_partition variable=s complete
  for (int i = 0; i < 16; i++) s += A[i];
  return s;
}
```

## Use instead
```c
int f(int A[16]) {
  int s = 0;
#pragma HLS array_partition variable=A complete
  for (int i = 0; i < 16; i++) s += A[i];
  return s;
}
```

## Vitis message it predicts
An error that the variable is no array.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import ScalarType
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP404", "not-an-array", "error")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule; partitions are judged where their banks are."""
    yield from facts.plain(RULE, "not-an-array")
    for d in facts.program.directives:
        for ident in d.variables if d.kind == "array_reshape" and d.usable else ():
            variable = facts.program.variable(ident)
            if isinstance(variable.type, ScalarType):
                message = f"ARRAY_RESHAPE: '{variable.name}' is no array"
                yield facts.report(RULE, d.at, message, "remove the pragma", [(variable.at, "declared here")])
