"""The unroll factor does not fit the partition.

## What it does
Reports a partially unrolled loop whose copies still change their bank.

## Why is this bad
Unrolling by the factor named would give every copy one bank; as it is, each copy needs a
multiplexer.

## Example
```c
void f(int A[64]) {
#pragma HLS array_partition variable=A cyclic factor=4
  L: for (int i = 0; i < 64; i++) {
#pragma HLS unroll factor=2
    A[i] = i;
  }
}
```

## Use instead
```c
void f(int A[64]) {
#pragma HLS array_partition variable=A cyclic factor=4
  L: for (int i = 0; i < 64; i++) {
#pragma HLS unroll factor=4
    A[i] = i;
  }
}
```

## Vitis message it predicts
`[HLS 200-914]`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._queries import unroll_mismatch

RULE = Rule("HLP206", "unroll-factor-mismatch", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Partial unrolling by a factor that leaves the bank open."""
    for remark in facts.remarks("bank-divided"):
        mismatch = unroll_mismatch(facts, remark)
        if mismatch is None:
            continue
        loop, has, needs = mismatch
        name = facts.program.loops[loop].name
        message = f"{name} is unrolled by {has}, but the bank is decided only when it is unrolled by {needs}"
        related = [(remark.directive.at, "the partition"), (facts.program.loops[loop].header, "the loop")]
        yield facts.report(RULE, remark.problem.at, message, f"unroll {name} by {needs}", related)
