"""PIPELINE inside of a pipelined loop or function.

## What it does
Reports PIPELINE of a loop that stands inside of another pipelined loop or function.

## Why is this bad
Pipelining unrolls all loops inside: the inner directive has no loop left and is ignored, and the hardware is as
large as all iterations of the inner loop.

## Example
```c
void f(int A[64][64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline II=1
    for (int j = 0; j < 64; j++) {
#pragma HLS pipeline II=1
      A[i][j] = i + j;
    }
  }
}
```

## Use instead
```c
void f(int A[64][64]) {
  for (int i = 0; i < 64; i++) {
    for (int j = 0; j < 64; j++) {
#pragma HLS pipeline II=1
      A[i][j] = i + j;
    }
  }
}
```

## Vitis message it predicts
One that the loop is unrolled because of the pipeline directive around it.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._nests import active, parents

RULE = Rule("HLP219", "nested-pipeline", "warning", hint="keep one of them, mostly that of the innermost loop")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Pipelines in pipelines."""
    pipelines = active(facts.program, "pipeline")
    for d in pipelines:
        if d.loop is None:
            continue
        around = parents(facts.program).get(d.loop, ())
        outer = next((p for ident in around for p in pipelines if p.loop == ident), None)
        if outer is None:
            outer = next((p for p in pipelines if p.loop is None and p.function == d.function), None)
        if outer is not None:
            name = facts.program.loops[d.loop].name
            where = f"loop {facts.program.loops[outer.loop].name}" if outer.loop is not None else f"{outer.function}()"
            message = f"PIPELINE of loop {name} is ignored: {where} around it is pipelined, and unrolls it"
            yield facts.report(RULE, d.at, message, None, [(outer.at, "the pipeline around it")])
