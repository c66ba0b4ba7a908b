"""The II of a pipelined loop is unknown.

## What it does
Reports a pipelined loop for which no II can be predicted, and why.

## Why is this bad
The loop may miss its target without a word from hlspart.

## Example
```c
int g(int x);
void f(int A[16]) {
  for (int i = 0; i < 16; i++) {
#pragma HLS pipeline II=1
#pragma HLS performance target_ti=64
    A[i] = A[i] + 1;
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
None: the report shows the achieved II.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule(
    "HLP010",
    "ii-unknown",
    "info",
    hint="take the figure from the tool; hlspart ii prints the bounds that are known",
    limit=True,
)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Pipelined loops without a figure."""
    if facts.ii is None:
        return
    for loop in facts.ii.loops:
        if loop.pipelined and loop.origin != "auto" and loop.ii is None:
            known = f", in {loop.figure}" if loop.bounds is not None else ""
            message = f"loop {loop.name}: II unknown{known}: {loop.cause or 'not analysed'}"
            yield facts.report(RULE, facts.loop_at(loop), message)
