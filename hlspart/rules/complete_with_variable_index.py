"""A complete partition is indexed by a run-time value.

## What it does
Reports a completely partitioned array with an affine index that is not constant after unrolling. It
is a warning where a loop misses its target by it, else information: an array that one loop fills in
order and another reads at once is often right as it is.

## Why is this bad
Every element is a register of its own; each such access is a multiplexer over all of them.

## Example
```c
int f(int A[16], int s) {
#pragma HLS array_partition variable=A complete
  int t = 0;
  for (int i = 0; i < 16; i++) {
#pragma HLS pipeline
    t += A[i] * s;
  }
  return t;
}
```

## Use instead
```c
int f(int A[16], int s) {
#pragma HLS array_partition variable=A complete
  int t = 0;
  for (int i = 0; i < 16; i++) {
#pragma HLS unroll
    t += A[i] * s;
  }
  return t;
}
```

## Vitis message it predicts
`[HLS 200-914]`, older `203-104`: complete partition with a non-constant index.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._queries import is_unrolled_by_the_tool, undecided_bank

RULE = Rule("HLP205", "complete-with-variable-index", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Undecided banks under a complete partition."""
    for remark in facts.remarks("bank-divided"):
        complete = remark.directive.choice("type", ("cyclic", "block", "complete")) in (None, "complete")
        if complete and not is_unrolled_by_the_tool(facts, remark):
            yield undecided_bank(facts, RULE, remark)
