"""PIPELINE and DATAFLOW of one region.

## What it does
Reports PIPELINE of the function or loop that also has DATAFLOW, a DATAFLOW inside of a pipelined loop or function, and
PIPELINE of what calls a function with DATAFLOW.

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
`WARNING: [HLS 200-993] A dataflow region cannot be instantiated from within a pipelined loop. Ignoring pipeline
directive to allow the dataflow directive to take precedence`, or one that two directives are in conflict.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import Call, Program, Stmt, walk
from hlspart.model.source import Origin
from hlspart.rules._base import Facts, Rule
from hlspart.rules._nests import active, pipelined_around
from hlspart.rules._processes import regions
from hlspart.rules._uses import own_expressions

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
    whole = {r.function: r.directive for r in regions(facts.program)}
    for d in active(facts.program, "pipeline"):
        function = facts.program.functions.get(d.function or "")
        if function is None or function.name in whole:
            continue
        loop = facts.program.loops[d.loop] if d.loop is not None else None
        chain = _down_to(facts.program, loop.body if loop is not None else function.body, frozenset(whole))
        if chain:
            what = f"loop {loop.name}" if loop is not None else f"{function.name}()"
            message = f"PIPELINE of {what} is ignored: {chain[-1][0]}(), which it calls, has DATAFLOW"
            related = [*((at, "the call") for _, at in chain), (whole[chain[-1][0]].at, "its DATAFLOW")]
            yield facts.report(RULE, d.at, message, "pipeline the loops of the tasks instead", related)


def _down_to(program: Program, body: Stmt, wanted: frozenset[str]) -> list[tuple[str, Origin]]:
    """The first calls, one in the other, from statements to a function of ``wanted``; [] where there are none."""
    seen: set[str] = set()
    stack: list[tuple[Stmt, list[tuple[str, Origin]]]] = [(body, [])]
    while stack:
        root, path = stack.pop()
        for call in (x for e in own_expressions(program, root) for x in walk(e) if isinstance(x, Call)):
            name = call.function or ""
            if name in seen or name not in program.functions:
                continue
            seen.add(name)
            longer = [*path, (name, call.at)]
            if name in wanted:
                return longer
            stack.append((program.functions[name].body, longer))
    return []
