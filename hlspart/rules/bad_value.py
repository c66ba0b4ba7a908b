"""An option has a value it cannot have.

## What it does
Reports values that are no integer constant, not positive, no known word, or an empty range.

## Why is this bad
The pragma is rejected: its effect is missing from the design.

## Example
```c
void f(int A[16]) {
#pragma HLS array_partition variable=A cyclic factor=2.5
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Use instead
```c
void f(int A[16]) {
#pragma HLS array_partition variable=A cyclic factor=2
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Vitis message it predicts
`expression is not an integer constant expression`, `invalid factor`, or a pragma parser error.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP104", "bad-value", "error", hint="give a whole number, or a name with a constant value")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule."""
    yield from facts.plain(
        RULE, "bad-value", "bad-choice", "bad-factor", "bad-ii", "bad-distance", "bad-tripcount", "bad-latency",
        "bad-depth", "bad-limit", "bad-cycle", "bad-condition", "bad-num_read_outstanding", "bad-num_write_outstanding",
        "bad-max_read_burst_length", "bad-max_write_burst_length",
    )  # fmt: skip
