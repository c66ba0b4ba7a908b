"""dim= names a dimension that does not exist.

## What it does
Reports `dim` below 0 or above the number of dimensions.

## Why is this bad
The partition is not made.

## Example
```c
void f(int A[16]) {
#pragma HLS array_partition variable=A complete dim=2
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Use instead
```c
void f(int A[16]) {
#pragma HLS array_partition variable=A complete dim=1
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Vitis message it predicts
`[HLS 214-253]`: the dimension is too deep.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP405", "dim-out-of-range", "error")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule."""
    return facts.plain(RULE, "dim-range")
