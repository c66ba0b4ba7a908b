"""A statement between the tasks of a DATAFLOW region.

## What it does
Reports statements of a DATAFLOW region that compute something and are no task, declarations included where they
compute with what a task before has written; a task that returns a value, used or not; a static variable that the
region declares (that is no STREAM); and, of a DATAFLOW loop, a channel that is declared outside of its body, and a
scalar from there that a task changes.

## Why is this bad
A region is declarations and calls of tasks. Of what else stands there the tool makes tasks of its own, and may not
be able to tell who produces what; a variable from outside the loop keeps its runs from overlapping, and a value that
one run leaves for the next is not read by it.

## Example
```c
void make(int a[64], int t[64], int k) {
  for (int i = 0; i < 64; i++) t[i] = a[i] * k;
}
void use(int t[64], int b[64]) {
  for (int i = 0; i < 64; i++) b[i] = t[i];
}
void top(int a[64], int b[64], int k) {
#pragma HLS dataflow
  int t[64];
  k = k * 3 + 1;
  make(a, t, k);
  use(t, b);
}
```

## Use instead
```c
void make(int a[64], int t[64], int k) {
  k = k * 3 + 1;
  for (int i = 0; i < 64; i++) t[i] = a[i] * k;
}
void use(int t[64], int b[64]) {
  for (int i = 0; i < 64; i++) b[i] = t[i];
}
void top(int a[64], int b[64], int k) {
#pragma HLS dataflow
  int t[64];
  make(a, t, k);
  use(t, b);
}
```

## Vitis message it predicts
`WARNING: [HLS 214-114] Since the only kind of statements allowed in a canonical dataflow region are variable
declarations and function calls, the compiler may not be able to correctly handle the region`, and `WARNING: [HLS
214-113] Either use an argument of the function or declare the variable inside the dataflow loop body`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import ArrayType, ExprStmt, OtherType, ScalarType, StreamType, VoidType
from hlspart.model.source import OWN, Origin
from hlspart.rules._base import Facts, Rule
from hlspart.rules._processes import DataflowRegion, regions
from hlspart.rules._shared import apart

HINT = "move it into a task"
RULE = Rule("HLP606", "dataflow-statement", "warning", hint=HINT)
_CHANNEL = re.compile("channel|stream|fifo", re.IGNORECASE)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """What is no task and no declaration."""
    free = apart(facts.program)
    streamed = {v for d in facts.program.directives if d.kind == "stream" for v in d.variables}
    for region in regions(facts.program):
        where = [(region.directive.at, "the region")]
        if len(region.processes) < 2:
            continue
        for stmt in region.others:
            text = " ".join(facts.program.text(stmt.at).split())
            shown = text if len(text) <= 40 else text[:37] + "..."
            yield facts.report(RULE, stmt.at, f"'{shown}' stands beside the tasks of a DATAFLOW region", None, where)
        for process in region.processes:
            call = process.calls[0] if process.kind == "call" and process.calls else None
            task = facts.program.functions.get(call.function or "") if call is not None else None
            if call is None or task is None or isinstance(task.return_type, VoidType):
                continue
            used = not (isinstance(process.stmt, ExprStmt) and process.stmt.expr is call)
            if not used and task.at.span.path.startswith(OWN):
                continue  # a function of the tool's own library, which says a status that nobody asks for
            what = "which is no channel of a DATAFLOW region" if used else "which a task of a DATAFLOW region must not"
            message = f"the task {task.name}() returns a value, {what}"
            hint = "hand it on by a pointer or a reference" if used else "let it return void"
            yield facts.report(RULE, process.at, message, hint, where)
        for ident in sorted(region.local):
            variable = facts.program.variable(ident)
            other = variable.type.name if isinstance(variable.type, OtherType) else ""  # ac_channel<int>
            element = variable.type.element if isinstance(variable.type, ArrayType) else variable.type
            stream = isinstance(element, StreamType) or ident in streamed or _CHANNEL.search(other) is not None
            users = [p for p in region.processes if any(u.variable == ident for u in p.uses)]
            own = len(users) < 2  # the state of one task
            if variable.storage == "static" and not variable.const and not stream and not own:
                message = f"the static variable '{variable.name}' is declared in a DATAFLOW region"
                yield facts.report(RULE, variable.at, message, "keep the state inside of one task", where)
        outside = {u.variable: (u, w) for u, w, _ in region.outside(facts.program) if u.variable not in free}
        for ident, (use, writers) in sorted(outside.items())[:1]:
            variable, more = facts.program.variable(ident), len(outside) - 1
            others = f" and {more} more are" if more else " is"
            message = f"the channel '{variable.name}'{others} declared outside of the DATAFLOW loop"
            made = writers[0].of(use, "write")
            related = [*((m.at, "written here") for m in (made,) if m is not None), *where]
            related += [(facts.program.variable(v).at, "another one") for v in sorted(outside)[1:4]]
            hint = f"declare {'them' if more else 'it'} in the body of the loop"
            yield facts.report(RULE, variable.at, message, hint, related)
        yield from _left_behind(facts, region, where)


def _left_behind(facts: Facts, region: DataflowRegion, where: list[tuple[Origin, str]]) -> Iterator[Diagnostic]:
    """Scalars that a run of a DATAFLOW loop reads as the one before it left them."""
    if region.loop is None:
        return
    for process in region.processes:
        for use in process.uses:
            variable = facts.program.variable(use.variable)
            around = use.variable not in region.local and variable.function == region.function
            scalar = isinstance(variable.type, ScalarType) and variable.storage in ("local", "static")
            read = process.of(use, "read")
            if use.kind == "write" and around and scalar and read is not None:
                message = (
                    f"'{variable.name}' goes from one run of the DATAFLOW loop to the next, through {process.name}"
                )
                related = [(variable.at, "declared outside of the loop"), *where]
                yield facts.report(RULE, use.at, message, "keep it as a static variable of the task", related)
