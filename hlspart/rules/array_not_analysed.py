"""A partitioned array escapes the analysis.

## What it does
Reports a partitioned array whose address is taken, that reaches an unknown function, a recursion or
a cast, or whose index is not proved to stay inside.

## Why is this bad
Its accesses cannot all be known, so neither the use of its banks nor a rewrite can be proved.

## Example
```c
int f(int n) {
  int A[8];
#pragma HLS array_partition variable=A cyclic factor=2
  int *p = A;
  p++;
  *p = n;
  return A[0];
}
```

## Use instead
```c
int f(int n) {
  int A[8];
#pragma HLS array_partition variable=A cyclic factor=2
  A[1] = n;
  return A[0];
}
```

## Vitis message it predicts
Depends on the cause; often none.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP011", "array-not-analysed", "info", hint="index the array itself, not a pointer into it")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule."""
    return facts.plain(
        RULE,
        "address-taken",
        "recursion",
        "function-pointer",
        "extern-callee",
        "shape-mismatch",
        "volatile",
        "partial-subscript",
        "cast",
        "opaque",
        "out-of-range",
        "group-extent",
    )
