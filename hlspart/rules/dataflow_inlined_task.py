"""A task of a DATAFLOW region is inlined.

## What it does
Reports INLINE (without `off`) on a function that a DATAFLOW region calls as a task. One that is nothing but calls is
left out: its calls are the tasks then. Reports DATAFLOW of a function that is inlined itself, into one that is no
region.

## Why is this bad
An inlined function is no task any more: its statements become part of the region, which then is not what was written.

## Example
```c
void make(int a[64], int t[64]) {
#pragma HLS inline
  for (int i = 0; i < 64; i++) t[i] = a[i];
}
void use(int t[64], int b[64]) {
  for (int i = 0; i < 64; i++) b[i] = t[i];
}
void top(int a[64], int b[64]) {
#pragma HLS dataflow
  int t[64];
  make(a, t);
  use(t, b);
}
```

## Use instead
```c
void make(int a[64], int t[64]) {
#pragma HLS inline off
  for (int i = 0; i < 64; i++) t[i] = a[i];
}
void use(int t[64], int b[64]) {
  for (int i = 0; i < 64; i++) b[i] = t[i];
}
void top(int a[64], int b[64]) {
#pragma HLS dataflow
  int t[64];
  make(a, t);
  use(t, b);
}
```

## Vitis message it predicts
None of its own: the report shows a process that the tool has made instead of the function.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Directive
from hlspart.model.program import (
    Block,
    Call,
    Declare,
    ExprStmt,
    If,
    Jump,
    Loop,
    PragmaMark,
    Stmt,
    Switch,
    substatements,
)
from hlspart.rules._base import Facts, Rule
from hlspart.rules._interfaces import callers
from hlspart.rules._processes import regions

RULE = Rule("HLP607", "dataflow-inlined-task", "warning", hint="remove it, or write INLINE off")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """INLINE of tasks."""
    inlined: dict[str | None, Directive] = {}
    for d in facts.program.directives:
        if d.kind == "inline" and d.usable and d.function is not None and not d.has("off"):
            plain = d.loop is None and not d.has("region") and not d.has("recursive")
            if plain and d.choice("type", ("none",)) != "none":
                inlined[d.function] = d
    called = callers(facts.program)
    functions = {region.function for region in regions(facts.program) if region.loop is None}
    for region in regions(facts.program):
        where = (region.directive.at, "the region")
        if len(region.processes) < 2:
            continue
        outside = [at for by, at in called.get(region.function, ()) if by not in functions]
        if region.loop is None and region.function in inlined and outside:
            message = f"DATAFLOW of {region.function}(), which is inlined: no function is left to be a region"
            related = [(inlined[region.function].at, "inlined here"), (outside[0], "into the function that calls it")]
            yield facts.report(RULE, region.directive.at, message, None, related)
        for process in region.processes:
            name = process.calls[0].function if process.kind == "call" else None
            if name in inlined and name not in functions and not _only_calls(facts, name):
                message = f"{name}() is a task of a DATAFLOW region and inlined into it"
                yield facts.report(RULE, inlined[name].at, message, None, [(process.at, "the task"), where])


def _only_calls(facts: Facts, name: str | None) -> bool:
    """Whether a function is declarations and calls, which inlined are the tasks of the region themselves."""
    body = facts.program.functions[name or ""].body.body
    rest = [s for s in body if not isinstance(s, (Declare, PragmaMark))]
    return bool(rest) and all(_calls_alone(facts, s) for s in rest)


def _calls_alone(facts: Facts, stmt: Stmt) -> bool:
    """Whether a statement is a call, the choice of one, or a loop of them of which no loop is left."""
    if isinstance(stmt, (If, Switch, Block)) or (isinstance(stmt, Loop) and facts.unrolled.get(stmt.id) == 0):
        parts = (stmt.body,) if isinstance(stmt, Loop) else substatements(stmt)
        return all(isinstance(s, (Declare, PragmaMark, Jump)) or _calls_alone(facts, s) for s in parts)
    return isinstance(stmt, ExprStmt) and isinstance(stmt.expr, Call)
