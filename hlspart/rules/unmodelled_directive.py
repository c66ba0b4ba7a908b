"""A valid directive that predictions do not model.

## What it does
Reports a directive that is valid but whose effect hlspart does not know: PERFORMANCE,
ARRAY_RESHAPE, LATENCY and others, a condition or a value that is not known here.

## Why is this bad
The II of loops it touches is unknown. PERFORMANCE makes the tool choose pipelining, unrolling and
partitions by itself: beside it, hand-written ones fix what it may no longer choose.

## Example
```c
void f(int A[16]) {
  for (int i = 0; i < 16; i++) {
#pragma HLS performance target_ti=100
    A[i] = i;
  }
}
```

## Use instead
```c
void f(int A[16]) {
  for (int i = 0; i < 16; i++) {
#pragma HLS pipeline II=1
    A[i] = i;
  }
}
```

## Vitis message it predicts
None.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule(
    "HLP012",
    "unmodelled-directive",
    "info",
    hint="take the figures that it changes from the report of the tool",
    limit=True,
)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule."""
    known = {loop.function for loop in facts.ii.loops if loop.pipelined} if facts.ii is not None else set()
    open_ = {loop.function for loop in facts.ii.loops if loop.ii is None} if facts.ii is not None else set()
    kept = {d.at for d in facts.program.directives if d.kind == "latency" and d.function in known - open_}
    places = {facts.place(at) for at in kept}  # every II of its function is given all the same
    yield from (
        x for x in facts.plain(RULE, "unmodelled", "condition-unknown", "value-unknown") if x.place not in places
    )
