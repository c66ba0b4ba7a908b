"""Blocks that would hold no element.

## What it does
Reports a block factor for which the last blocks stay empty: nine elements in four blocks of three
fill three.

## Why is this bad
Fewer banks exist than the factor says; tools round differently.

## Example
```c
void f(int A[9]) {
#pragma HLS array_partition variable=A block factor=4
  for (int i = 0; i < 9; i++) A[i] = i;
}
```

## Use instead
```c
void f(int A[9]) {
#pragma HLS array_partition variable=A block factor=3
  for (int i = 0; i < 9; i++) A[i] = i;
}
```

## Vitis message it predicts
None.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP114", "empty-bank", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule."""
    return facts.plain(RULE, "empty-bank")
