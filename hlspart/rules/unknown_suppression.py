"""A suppression of a rule that does not exist.

## What it does
Reports a comment `hlspart: ignore[...]` with an unknown code or name.

## Why is this bad
It hides nothing; the finding it was written for comes back or has another code.

## Example
```c
void f(int A[16]) {
  // hlspart: ignore[HLP999]
#pragma HLS array_partition variable=A complete
  A[0] = 1;
}
```

## Use instead
```c
void f(int A[16]) {
#pragma HLS array_partition variable=A complete
  A[0] = 1;
}
```

## Vitis message it predicts
None.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP902", "unknown-suppression", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Found by the run itself, when the comments are read."""
    return iter(())
