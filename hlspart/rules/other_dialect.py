"""A directive in the spelling of another tool.

## What it does
Reports pragmas of SmartHLS, Merlin (ACCEL) and AutoPilot (AP), and OpenCL attributes in C.

## Why is this bad
Vitis HLS ignores them. Their defaults differ too: SmartHLS partitions all dimensions by default,
Vitis HLS the first.

## Example
```c
void f(void) {
#pragma HLS memory partition variable(A) type(cyclic) dim(1) factor(4)
  int A[16];
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Use instead
```c
void f(void) {
  int A[16];
#pragma HLS array_partition variable=A cyclic factor=4
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Vitis message it predicts
`unknown HLS pragma ignored`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP107", "other-dialect", "warning", hint="write it in the spelling of the target tool")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule."""
    return facts.plain(RULE, "other-dialect")
