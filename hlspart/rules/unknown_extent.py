"""A partition of an array of unknown extent.

## What it does
Reports a partition of a dimension whose extent is not given.

## Why is this bad
How many elements a bank has is not known; the tool cannot partition it.

## Example
```c
void f(int A[], int n) {
#pragma HLS array_partition variable=A cyclic factor=2
  A[0] = n;
}
```

## Use instead
```c
void f(int A[16], int n) {
#pragma HLS array_partition variable=A cyclic factor=2
  A[0] = n;
}
```

## Vitis message it predicts
`array size is not known`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP412", "unknown-extent", "error", names=True)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule."""
    return facts.plain(RULE, "unknown-extent")
