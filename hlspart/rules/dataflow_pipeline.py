"""PIPELINE and DATAFLOW of one region.

## What it does
Reports PIPELINE of the function or loop that also has DATAFLOW, and a DATAFLOW inside of a pipelined loop or function.

## Why is this bad
Both say how the same statements overlap. A pipelined region is one schedule, there are no tasks in it: the tool
follows one of the two only.

## Example
```c
void make(int a[64], int t[64]) {
  for (int i = 0; i < 64; i++) t[i] = a[i];
}
void use(int t[64], int b[64]) {
  for (int i = 0; i < 64; i++) b[i] = t[i];
}
void top(int a[64], int b[64]) {
#pragma HLS dataflow
#pragma HLS pipeline II=64
  int t[64];
  make(a, t);
  use(t, b);
}
```

## Use instead
```c
void make(int a[64], int t[64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline II=1
    t[i] = a[i];
  }
}
void use(int t[64], int b[64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline II=1
    b[i] = t[i];
  }
}
void top(int a[64], int b[64]) {
#pragma HLS dataflow
  int t[64];
  make(a, t);
  use(t, b);
}
```

## Vitis message it predicts
One that the two directives of a function or loop are in conflict and one of them is ignored.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._nests import pipelined_around
from hlspart.rules._processes import regions

RULE = Rule("HLP608", "dataflow-pipeline", "warning", hint="pipeline the loops of the tasks, and keep DATAFLOW here")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """DATAFLOW where a pipeline is asked for."""
    for region in regions(facts.program):
        other = pipelined_around(facts.program, region.function, region.loop.id if region.loop is not None else None)
        if other is None:
            continue
        same = (other.function, other.loop) == (region.directive.function, region.directive.loop)
        first, second = sorted((other, region.directive), key=lambda d: d.at.span.start)
        words = "the same region has" if same else "what encloses it has"
        message = f"{facts.pragma_text(second)}: {words} {facts.pragma_text(first)}"
        yield facts.report(RULE, second.at, message, None, [(first.at, "the other directive")])
