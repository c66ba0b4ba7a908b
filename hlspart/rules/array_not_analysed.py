"""A partitioned array escapes the analysis.

## What it does
Reports a partitioned array whose address is taken, that reaches an unknown function, a recursion or
a cast, whose index is not proved to stay inside, that has more than 65536 banks, or that meets an array of
another partition in an inlined function.

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

RULE = Rule("HLP011", "array-not-analysed", "info", limit=True)

_ITSELF = "index the array itself, not a pointer into it"
_HINTS = {
    "address-taken": _ITSELF,
    "recursion": "make a loop of the recursion",
    "function-pointer": "call the function by its name",
    "extern-callee": "give the file that defines the function too",
    "shape-mismatch": "declare the parameter with the extents of the array",
    "volatile": "copy it into a local array that is not volatile",
    "partial-subscript": _ITSELF,
    "cast": _ITSELF,
    "opaque": None,
    "unknown-element": "give the header that declares the type",
    "out-of-range": "correct the bound or the index",
    "too-many-banks": "choose a smaller factor",
    "inlined-apart": None,
    "group-extent": "give the extent as a constant, or its macro with -D",
}


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule."""
    for code, hint in _HINTS.items():
        yield from facts.plain(RULE, code, hint=hint)
