"""A DATAFLOW region with one task.

## What it does
Reports DATAFLOW of a function or loop whose body is one call or one loop, where everything in it is known: also one
above a loop of calls, in whose body it was meant to stand.

## Why is this bad
There is nothing that could overlap with it: the directive costs the handshakes of a region and gains nothing.

## Example
```c
void f(const int a[64], int b[64]) {
#pragma HLS dataflow
  for (int i = 0; i < 64; i++) b[i] = a[i] + 1;
}
```

## Use instead
```c
void f(const int a[64], int b[64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline
    b[i] = a[i] + 1;
  }
}
```

## Vitis message it predicts
None, or that no dataflow was applied.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.source import Origin
from hlspart.rules._base import Facts, Rule
from hlspart.rules._nests import active
from hlspart.rules._processes import regions
from hlspart.rules._uses import own_expressions

HINT = "remove it and pipeline the loop, or divide the work: read, compute, write"
RULE = Rule("HLP622", "dataflow-one-task", "warning", names=True, hint=HINT)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Regions of plain functions without anything that is not known."""
    program = facts.program
    inlined = {d.function for d in program.directives if d.kind == "inline" and d.usable and not d.has("off")}
    flat = {d.function for d in active(program, "inline") if d.has("region")}  # what is called there is no task
    overlapping = {d.function for kind in ("dataflow", "pipeline") for d in active(program, kind) if d.loop is None}
    reports = []
    for region in regions(program):
        only = region.processes[0] if len(region.processes) == 1 else None
        function = program.functions[region.function]
        if region.loop is not None and only is not None and any(x.function in overlapping for x in only.calls):
            continue  # the next iteration begins before this one ends
        if (
            region.function in flat
            or only is None
            or only.several
            or only.kind == "if"
            or region.others
            or function.open
            or program.holes
        ):
            continue
        nodes = [e for top in own_expressions(program, region.body) for e in c.walk(top)]
        if any(isinstance(e, c.OpaqueExpr) for e in nodes) or any(call.function in inlined for call in only.calls):
            continue
        foreign = [e for e in nodes if isinstance(e, c.Call) and e.function not in program.functions]
        if any(not (e.function or "").startswith("stream.") for e in foreign if only.kind == "call"):
            continue
        objects = (program.variable(v).type for v in region.local)
        if any(isinstance(kind, c.OtherType) for kind in objects):
            continue
        inside = _tasks_inside(program, only.stmt) if region.loop is None else None
        if inside is not None:
            message = f"DATAFLOW stands above {only.name}, which is its only task: the calls in it do not overlap"
            hint = "put it into the body of the loop"
            place = facts.report(RULE, region.directive.at, message, hint, [(inside, "the first of the calls")])
            reports.append((region.directive, place))
            continue
        if len(only.calls) != (only.kind == "call"):
            continue
        message = f"{only.name} is the only task of this region: there is nothing to overlap it with"
        reports.append(
            (region.directive, facts.report(RULE, region.directive.at, message, None, [(only.at, "the task")]))
        )
    yield from facts.everywhere(reports)


def _tasks_inside(program: c.Program, stmt: c.Stmt) -> Origin | None:
    """The first call in the body of a loop that is made of declarations and several calls."""
    if not isinstance(stmt, c.Loop) or any(d.loop == stmt.id for d in active(program, "dataflow")):
        return None
    body = [s for s in stmt.body.body if not isinstance(s, (c.PragmaMark, c.Declare))]
    called = [s.expr for s in body if isinstance(s, c.ExprStmt) and isinstance(s.expr, c.Call)]
    own = all(call.function in program.functions for call in called)
    return called[0].at if own and len(called) == len(body) > 1 else None
