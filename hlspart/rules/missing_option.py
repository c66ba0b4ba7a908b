"""A required option is missing.

## What it does
Reports directives without `variable=`, cyclic and block partitions without `factor=`, and other
required options.

## Why is this bad
The directive does nothing without it.

## Example
```c
void f(int A[16]) {
#pragma HLS array_partition variable=A cyclic
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
`missing required argument`, or `factor is required`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP105", "missing-option", "error")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule."""
    return facts.plain(RULE, "missing-option", "missing-factor")
