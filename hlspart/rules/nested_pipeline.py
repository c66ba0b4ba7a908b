"""PIPELINE inside of a pipelined loop or function.

## What it does
Reports PIPELINE of a loop that stands inside of another pipelined loop or function, or in a function that is called
there alone; and there a partial UNROLL, or LOOP_FLATTEN, of a loop that is unrolled completely.

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

from collections.abc import Iterator, Sequence

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Directive
from hlspart.model.program import walk
from hlspart.model.source import Origin
from hlspart.rules._base import Facts, Rule
from hlspart.rules._interfaces import callers
from hlspart.rules._nests import active, inlined, parents
from hlspart.rules._uses import own_expressions

RULE = Rule("HLP219", "nested-pipeline", "warning", hint="keep one of them, mostly that of the innermost loop")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Pipelines in pipelines."""
    gone = {d.loop for d in active(facts.program, "unroll") if facts.unrolled.get(d.loop or -1) == 0}
    pipelines = [
        d
        for d in active(facts.program, "pipeline")
        if (d.loop not in gone if d.loop is not None else d.function not in inlined(facts.program))  # HLP459
    ]
    for d in pipelines:
        info = facts.analysis.loops.get(d.loop or -1)
        if d.loop is None or info is None or info.trip_count.exact is None:  # one that cannot be unrolled
            continue
        around = parents(facts.program).get(d.loop, ())
        outer = next((p for ident in around for p in pipelines if p.loop == ident), None)
        if outer is None:
            outer = next((p for p in pipelines if p.loop is None and p.function == d.function), None)
        if outer is None and all(ident in facts.trips for ident in (d.loop, *around)):
            outer = _around_calls(facts, d.function or "", pipelines)
        if outer is not None:
            name = facts.program.loops[d.loop].name
            where = f"loop {facts.program.loops[outer.loop].name}" if outer.loop is not None else f"{outer.function}()"
            message = f"PIPELINE of loop {name} is ignored: {where} around it is pipelined, and unrolls it"
            yield facts.report(RULE, d.at, message, None, [(outer.at, "the pipeline around it")])
    yield from _others(facts, pipelines)


def _others(facts: Facts, pipelines: Sequence[Directive]) -> Iterator[Diagnostic]:
    """Partial UNROLL and LOOP_FLATTEN of loops that a pipeline around them unrolls completely."""
    directives = [d for d in active(facts.program, "unroll") if d.has("factor")]
    for d in (*directives, *active(facts.program, "loop_flatten")):
        trips = facts.trips.get(d.loop) if d.loop is not None else None
        if trips is None or d.loop is None or (d.kind == "unroll" and not 1 < d.values.get("factor", trips) < trips):
            continue
        around = parents(facts.program).get(d.loop, ())
        outer = next((p for ident in around for p in pipelines if p.loop == ident), None)
        if outer is None or outer.loop is None or any(x.id not in facts.trips for x in facts.loops_inside(outer.loop)):
            continue  # a loop of unknown length keeps it from being pipelined
        name, where = facts.program.loops[d.loop].name, facts.program.loops[outer.loop].name
        message = (
            f"{facts.pragma_text(d)} of loop {name} is ignored: loop {where} around it is pipelined, and unrolls it"
        )
        yield facts.report(RULE, d.at, message, "remove it", [(outer.at, "the pipeline around it")])


def _around_calls(facts: Facts, name: str, pipelines: Sequence[Directive]) -> Directive | None:
    """The pipeline in which a function is called, where it is called in pipelines only."""
    calls = callers(facts.program).get(name, ())
    outer = [_around(facts, by, at, pipelines) for by, at in calls]
    return outer[0] if outer and all(outer) else None


def _around(facts: Facts, by: str, at: Origin, pipelines: Sequence[Directive]) -> Directive | None:
    for p in pipelines:
        if p.function == by:
            body = facts.program.loops[p.loop].body if p.loop is not None else facts.program.functions[by].body
            if any(x.at == at for top in own_expressions(facts.program, body) for x in walk(top)):
                return p
    return None
