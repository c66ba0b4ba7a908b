"""A DATAFLOW loop that is not in the form the tool takes.

## What it does
Reports a loop under DATAFLOW that is no `for`, does not start at 0, does not count by 1, has two counters, or whose
bound is read from an array; a loop that is itself a task of a region and may end before its count; and DATAFLOW in a
block that is the body of no function and no loop.

## Why is this bad
The runs of the region are numbered by the loop. The tool checks for one form, `for (int i = 0; i < n; i++)` with a
constant or an argument as bound; else the runs may not overlap.

## Example
```c
void make(int a[16][8], int i, int t[8]) {
  for (int j = 0; j < 8; j++) t[j] = a[i][j];
}
void use(int t[8], int i, int b[16][8]) {
  for (int j = 0; j < 8; j++) b[i][j] = t[j];
}
void top(int a[16][8], int b[16][8]) {
  for (int i = 1; i < 16; i++) {
#pragma HLS dataflow
    int t[8];
    make(a, i, t);
    use(t, i, b);
  }
}
```

## Use instead
```c
void make(int a[16][8], int i, int t[8]) {
  for (int j = 0; j < 8; j++) t[j] = a[i][j];
}
void use(int t[8], int i, int b[16][8]) {
  for (int j = 0; j < 8; j++) b[i][j] = t[j];
}
void top(int a[16][8], int b[16][8]) {
  for (int i = 0; i < 16; i++) {
#pragma HLS dataflow
    int t[8];
    make(a, i, t);
    use(t, i, b);
  }
}
```

## Vitis message it predicts
One of the checks of the dataflow form: the loop that the region is the body of is not canonical; and `ERROR: [HLS
200-997] Found unsupported dataflow constructs .. the loop has multiple exit points`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import (
    ArrayRef,
    Call,
    Const,
    Declare,
    ExprStmt,
    Loop,
    Name,
    Return,
    Subscript,
    block_around,
    walk,
)
from hlspart.rules._base import Facts, Rule
from hlspart.rules._nests import active, exit_of, start_of
from hlspart.rules._processes import regions

RULE = Rule("HLP615", "dataflow-loop", "warning", hint="write for (int i = 0; i < n; i++), n a constant or an argument")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Headers of DATAFLOW loops, and blocks that are no regions."""
    for d in active(facts.program, "dataflow"):
        loop = facts.program.loops[d.loop] if d.loop is not None else None
        function = facts.program.functions.get(d.function or "")
        body = loop.body if loop is not None else function.body if function is not None else None
        block = block_around(body, d.at.span) if body is not None else None
        if block is not None:
            message = "DATAFLOW in a block: only for loops and functions are regions"
            hint = "make a function of the block"
            yield facts.report(RULE, d.at, message, hint, [(block.at, "the block")])
    for region in regions(facts.program):
        for process in region.processes if len(region.processes) > 1 else ():
            inner = process.stmt if isinstance(process.stmt, Loop) else None
            left = exit_of(inner) if inner is not None else None
            if inner is not None and left is not None and not isinstance(left, Return):
                message = f"loop {inner.name} is a task of a DATAFLOW region and may end in the middle"
                related = [(left.at, "here"), (region.directive.at, "the region")]
                yield facts.report(RULE, inner.header, message, "make a function of the loop", related)
        loop = region.loop
        if loop is None or len(region.processes) < 2:
            continue
        if loop.kind != "for":
            message = f"DATAFLOW in loop {loop.name}: only for loops and functions are regions"
            yield facts.report(RULE, region.directive.at, message, None, [(loop.header, "the loop")])
            continue
        start, info = start_of(facts.program, loop), facts.analysis.loops.get(loop.id)
        fault = None
        least = facts.counts_freely  # UG1399 from 2025.1: from any constant, by any positive one
        if isinstance(start, Const) and (start.value < 0 if least else start.value != 0):
            fault = f"starts at {start.value}, {'below' if least else 'not at'} 0"
        elif isinstance(start, Name) and not facts.program.variable(start.variable).const:
            fault = f"starts at '{facts.program.variable(start.variable).name}', no constant"
        elif info is not None and info.step is not None and (info.step < 1 if least else info.step != 1):
            fault = f"counts by {info.step}, not {'upwards' if least else 'by 1'}"
        elif isinstance(loop.init, Declare) and len(loop.init.variables) > 1:
            fault = "has two counters"
        elif isinstance(loop.init, ExprStmt):
            fault = "has a counter that is declared outside of its header"
        elif loop.test is not None and any(isinstance(e, (ArrayRef, Subscript, Call)) for e in walk(loop.test)):
            fault = "has a bound that is read in each run"
        if fault is not None:
            message = f"the DATAFLOW loop {loop.name} {fault}"
            yield facts.report(RULE, loop.header, message, None, [(region.directive.at, "the region")])
