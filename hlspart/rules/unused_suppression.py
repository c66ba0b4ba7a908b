"""A suppression that hides nothing.

## What it does
Reports a comment `hlspart: ignore[...]` with a rule that finds nothing there.

## Why is this bad
It will hide the next finding of that rule, which nobody has looked at.

## Example
```c
void f(int A[16]) {
  // hlspart: ignore[HLP101]
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

RULE = Rule("HLP901", "unused-suppression", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Found by the run itself, when all other findings are known."""
    return iter(())
