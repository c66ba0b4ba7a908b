"""A constant table is partitioned.

## What it does
Reports a partition of an array that is `const` and only read.

## Why is this bad
A read-only table becomes a memory with as many read ports as needed, so banks are not needed for
ports.

## Example
```c
static const int T[64] = {1, 2, 3};
int f(int n) {
#pragma HLS array_partition variable=T cyclic factor=4
  int t = 0;
  for (int i = 0; i < 64; i++) t += T[i] * n;
  return t;
}
```

## Use instead
```c
static const int T[64] = {1, 2, 3};
int f(int n) {
  int t = 0;
  for (int i = 0; i < 64; i++) t += T[i] * n;
  return t;
}
```

## Vitis message it predicts
None.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP306", "constant-table-partition", "info")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Partitions of constants that are not handed to anyone."""
    for _status, directive, variable in facts.partitions():
        if variable.const and variable.storage != "parameter" and variable.init is not None:
            message = f"'{variable.name}' is a constant table: it gets the read ports it needs without banks"
            yield facts.report(
                RULE, directive.at, message, "remove the partition unless the table is unrolled into logic"
            )
