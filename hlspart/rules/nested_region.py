"""A region below a task that is no region: its tasks do not overlap from run to run.

## What it does
Reports a task of a DATAFLOW region that calls a function with tasks of its own beside other work, and has no DATAFLOW
itself.

## Why is this bad
Such a task is a sequence of states: it takes the next data when all of the last is done, so the region below gains
nothing from one run to the next.

## Example
```c
void make(const int *a, int *t) {
  for (int i = 0; i < 64; i++) t[i] = a[i] + 1;
}
void use(const int *t, int *u) {
  for (int i = 0; i < 64; i++) u[i] = 3 * t[i];
}
void inner(const int *a, int *u) {
#pragma HLS dataflow
  int t[64];
  make(a, t);
  use(t, u);
}
void middle(const int *a, int *u) {
  inner(a, u);
  for (int i = 0; i < 64; i++) u[i] &= 255;
}
void put(const int *u, int *b) {
  for (int i = 0; i < 64; i++) b[i] = u[i];
}
void top(const int a[64], int b[64]) {
#pragma HLS dataflow
  int u[64];
  middle(a, u);
  put(u, b);
}
```

## Use instead
```c
void make(const int *a, int *t) {
  for (int i = 0; i < 64; i++) t[i] = a[i] + 1;
}
void use(const int *t, int *u) {
  for (int i = 0; i < 64; i++) u[i] = (3 * t[i]) & 255;
}
void middle(const int *a, int *u) {
#pragma HLS dataflow
  int t[64];
  make(a, t);
  use(t, u);
}
void put(const int *u, int *b) {
  for (int i = 0; i < 64; i++) b[i] = u[i];
}
void top(const int a[64], int b[64]) {
#pragma HLS dataflow
  int u[64];
  middle(a, u);
  put(u, b);
}
```

## Vitis message it predicts
None; UG1399, Nested Dataflow Region Pitfalls.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._processes import regions
from hlspart.rules._uses import calls

HINT = "make it a region as well, its other work a task, or move that into the tasks"
RULE = Rule("HLP621", "nested-region", "warning", hint=HINT)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Tasks between two regions."""
    program = facts.program
    known = {r.function: r for r in regions(program) if len(r.processes) > 1}
    loops = {r.loop.id for r in regions(program) if r.loop is not None}
    inlined = {d.function for d in program.directives if d.kind == "inline" and d.usable and not d.has("off")}
    for region in known.values():
        for process in region.processes:
            name = (process.calls[0].function or "") if process.kind == "call" and process.calls else ""
            task = program.functions.get(name)
            if task is None or name in known or name in inlined:
                continue
            called = [x for x in calls(program)[task.name] if x.function in program.functions]
            below = next((x for x in called if x.function in known), None)
            works = any(isinstance(s, (c.Loop, c.Assign)) for s in _parts(task.body)) or len(called) > 1
            rest = [s for s in task.body.body if not isinstance(s, c.PragmaMark)]
            if len(rest) == 1 and isinstance(rest[0], c.Loop) and rest[0].id in loops:
                continue  # a loop of such regions and nothing else
            if below is not None and works:
                message = f"the task {name}() is no DATAFLOW region, but {below.function}(), which it calls, is one"
                related = [(below.at, "called here"), (known[below.function or ""].directive.at, "the region below")]
                yield facts.report(RULE, process.at, message, None, related)


def _parts(body: c.Block) -> Iterator[c.Stmt | c.Expr]:
    """The statements of a function, and what they evaluate."""
    for stmt in c.walk_statements(body):
        yield stmt
        if isinstance(stmt, c.ExprStmt):
            yield from c.walk(stmt.expr)
