"""A directive names a variable that is not visible there.

## What it does
Reports pragmas above the declaration, in another function, or outside of the block of the variable
they name.

## Why is this bad
C finds variables by scope; the tool ignores the pragma or applies it to another variable of that
name.

## Example
```c
void f(void) {
#pragma HLS array_partition variable=A complete
  int A[16];
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Use instead
```c
void f(void) {
  int A[16];
#pragma HLS array_partition variable=A complete
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Vitis message it predicts
`[HLS 200-40] variable not in scope`, `use of undeclared identifier`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP402", "variable-not-visible", "error")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule."""
    return facts.plain(RULE, "declared-later", "not-visible", "ambiguous-variable")
