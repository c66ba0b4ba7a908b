"""The bank of an access is not known at compile time.

## What it does
Reports a partitioned array with an affine access whose bank changes from iteration to iteration. It
is a warning where a loop misses its target by it, else information.

## Why is this bad
The tool builds a multiplexer over all banks the access may reach, and counts a port of each of them
although only one is used.

## Example
```c
int f(int A[64]) {
#pragma HLS array_partition variable=A cyclic factor=2
  int acc = 0;
  for (int i = 2; i < 64; i++) {
#pragma HLS pipeline II=1
    acc += A[i] + A[i - 1] + A[i - 2];
  }
  return acc;
}
```

## Use instead
```c
int f(int A[64]) {
#pragma HLS array_partition variable=A cyclic factor=2
  int acc = 0;
  for (int i = 2; i < 64; i++) {
#pragma HLS pipeline II=1
#pragma HLS unroll factor=2
    acc += A[i] + A[i - 1] + A[i - 2];
  }
  return acc;
}
```

## Vitis message it predicts
`[HLS 200-914]`, older `203-104`; and the II violation that follows.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._queries import is_unrolled_by_the_tool, undecided_bank, unroll_mismatch

RULE = Rule("HLP203", "bank-not-constant", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Undecided banks, unless the partition is complete or an unroll factor is the reason."""
    for remark in facts.remarks("bank-divided"):
        if remark.directive.choice("type", ("cyclic", "block", "complete")) in (None, "complete"):
            continue
        if unroll_mismatch(facts, remark) is None and not is_unrolled_by_the_tool(facts, remark):
            yield undecided_bank(facts, RULE, remark)
