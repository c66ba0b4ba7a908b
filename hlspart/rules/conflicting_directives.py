"""Two directives contradict each other.

## What it does
Reports different partitions of one dimension, also of arrays that calls make the same, and repeated
directives with other values.

## Why is this bad
The tool takes one of them, often silently.

## Example
```c
void g(int x[16]) {
#pragma HLS array_partition variable=x cyclic factor=2
  x[0] = 1;
}
void f(int A[16]) {
#pragma HLS array_partition variable=A cyclic factor=4
  g(A);
}
```

## Use instead
```c
void g(int x[16]) {
  x[0] = 1;
}
void f(int A[16]) {
#pragma HLS array_partition variable=A cyclic factor=4
  g(A);
}
```

## Vitis message it predicts
None that is known; the tool takes one of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP407", "conflicting-directives", "error")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule."""
    return facts.plain(RULE, "conflict")
