"""OCCURRENCE that does not fit the pipeline around it.

## What it does
Reports OCCURRENCE in no pipelined loop or function or in no region of it, a `cycle=` of 1, one that is no multiple of
the II of the pipeline or does not divide its iterations, and one that is longer than the iterations between two runs
of the region.

## Why is this bad
The region is said to run in every n-th cycle of the pipeline. A cycle in which no iteration starts does not exist.

## Example
```c
void f(const int a[60], int b[60]) {
  for (int i = 0; i < 60; i++) {
#pragma HLS pipeline II=2
    b[i] = a[i];
    if (i % 3 == 0) {
#pragma HLS occurrence cycle=3
      b[i] += 7;
    }
  }
}
```

## Use instead
```c
void f(const int a[60], int b[60]) {
  for (int i = 0; i < 60; i++) {
#pragma HLS pipeline II=2
    b[i] = a[i];
    if (i % 2 == 0) {
#pragma HLS occurrence cycle=4
      b[i] += 7;
    }
  }
}
```

## Vitis message it predicts
One that the directive is ignored.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Directive
from hlspart.model.program import Binary, Cast, If, Name, block_around, walk_statements
from hlspart.rules._base import Facts, Rule
from hlspart.rules._interfaces import callers
from hlspart.rules._nests import active, pipelined_around
from hlspart.rules._traces import constant

RULE = Rule("HLP225", "occurrence", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """OCCURRENCE against PIPELINE."""
    for d in active(facts.program, "occurrence"):
        pipeline = pipelined_around(facts.program, d.function or "", d.loop)
        cycle = d.values.get("cycle")
        loop = facts.program.loops.get(d.loop) if d.loop is not None else None
        trips = facts.trips.get(loop.id) if loop is not None else None
        whole = pipeline is not None and pipeline.loop is not None and pipeline.loop == d.loop
        if pipeline is None and d.loop is None and callers(facts.program).get(d.function or ""):
            continue  # the function is the region: what it is called in is pipelined
        if pipeline is None:
            yield facts.report(RULE, d.at, "OCCURRENCE: nothing around it is pipelined", "pipeline the loop")
        elif cycle == 1:
            yield facts.report(RULE, d.at, "OCCURRENCE: cycle=1 says that the region runs each time", "remove it")
        elif loop is not None and whole and block_around(loop.body, d.at.span) is None:
            message = f"OCCURRENCE: it stands in no region of its own, but in the body of loop {loop.name}"
            yield facts.report(
                RULE, d.at, message, "write it into the braces of the region", [(loop.header, "the loop")]
            )
        elif cycle is not None and cycle % pipeline.values.get("ii", 1):
            ii = pipeline.values["ii"]
            message = f"OCCURRENCE: cycle={cycle} is no multiple of the II {ii} of the pipeline"
            yield facts.report(RULE, d.at, message, f"say cycle={ii * cycle}", [(pipeline.at, "the pipeline")])
        elif cycle is not None and (every := _every(facts, d)) is not None:
            often, arm = every
            ii = pipeline.values.get("ii", 1)
            if cycle > often * ii:
                message = f"OCCURRENCE: cycle={cycle}, but the region runs in every {often}th iteration"
                yield facts.report(RULE, d.at, message, f"say cycle={often * ii}", [(arm.test.at, "its test")])
        elif (
            loop is not None and cycle is not None and whole and trips and trips * pipeline.values.get("ii", 1) % cycle
        ):
            message = f"OCCURRENCE: cycle={cycle} does not divide the {trips} iterations of loop {loop.name}"
            yield facts.report(RULE, d.at, message, "say a divisor of them", [(loop.header, "the loop")])


def _every(facts: Facts, directive: Directive) -> tuple[int, If] | None:
    """In every how many iterations of its loop a region runs, where its test is `i % n == k` or `(i & n - 1) == k`."""
    span = directive.at.span
    loop = facts.program.loops.get(directive.loop) if directive.loop is not None else None
    info = facts.analysis.loops.get(loop.id) if loop is not None else None
    if loop is None or info is None or info.step != 1:
        return None
    arms = [s for s in walk_statements(loop.body) if isinstance(s, If) and s.then.at.span.holds(span)]
    if len(arms) != 1 or not isinstance(arms[0].test, Binary) or arms[0].test.op != "==":
        return None
    rest = arms[0].test.left
    while isinstance(rest, Cast):
        rest = rest.operand
    if not isinstance(rest, Binary) or not isinstance(rest.left, Name) or rest.left.variable != info.variable:
        return None
    by = constant(facts.program, rest.right)
    if by is None or by < 1:
        return None
    often = by if rest.op == "%" else by + 1 if rest.op == "&" and by & (by + 1) == 0 else None
    return (often, arms[0]) if often is not None else None
