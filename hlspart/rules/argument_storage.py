"""BIND_STORAGE on an argument of the top function.

## What it does
Reports BIND_STORAGE of an array that is an argument of the top function.

## Why is this bad
From 2022.1 on, Vitis HLS takes the memory behind such an argument from INTERFACE alone (UG1399, BIND_STORAGE): the
number of ports that the pragma asks for is not the one that the schedule gets.

## Example
```c
int f(int A[16]) {
#pragma HLS bind_storage variable=A type=ram_1p
  int s = 0;
  for (int i = 0; i < 16; i++) s += A[i];
  return s;
}
```

## Use instead
```c
int f(int A[16]) {
#pragma HLS interface mode=ap_memory port=A storage_type=ram_1p
  int s = 0;
  for (int i = 0; i < 16; i++) s += A[i];
  return s;
}
```

## Vitis message it predicts
None is documented.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP416", "argument-storage", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule."""
    return facts.plain(RULE, "argument-storage")
