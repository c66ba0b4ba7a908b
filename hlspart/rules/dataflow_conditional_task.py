"""A task of a DATAFLOW region is conditional, or runs in a loop of the region.

## What it does
Reports tasks under `if` or `switch` in a DATAFLOW region; loops of the region whose body is nothing but several tasks;
a DATAFLOW loop that a `break` may leave, and a `return` in a task.

## Why is this bad
Each run of the region starts each task once. A conditional task is not overlapped with the others; the tasks of an
inner loop run one after the other, for DATAFLOW is about the outer level only.

## Example
```c
void make(int a[64], int t[64]) {
  for (int i = 0; i < 64; i++) t[i] = a[i];
}
void use(int t[64], int b[64]) {
  for (int i = 0; i < 64; i++) b[i] = t[i];
}
void top(int a[64], int b[64], int on) {
#pragma HLS dataflow
  int t[64];
  make(a, t);
  if (on) {
    use(t, b);
  }
}
```

## Use instead
```c
void make(int a[64], int t[64]) {
  for (int i = 0; i < 64; i++) t[i] = a[i];
}
void use(int t[64], int b[64], int on) {
  for (int i = 0; i < 64; i++) {
    if (on) b[i] = t[i];
  }
}
void top(int a[64], int b[64], int on) {
#pragma HLS dataflow
  int t[64];
  make(a, t);
  use(t, b, on);
}
```

## Vitis message it predicts
`WARNING: [HLS 214-114] Since the only kind of statements allowed in a canonical dataflow region are variable
declarations and function calls, the compiler may not be able to correctly handle the region`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import (
    Binary,
    Call,
    Cast,
    Conditional,
    Const,
    Declare,
    ExprStmt,
    If,
    Jump,
    Label,
    Loop,
    Name,
    OpaqueExpr,
    PragmaMark,
    Return,
    ScalarType,
    SizeOf,
    Stmt,
    Unary,
    substatements,
    walk,
    walk_statements,
)
from hlspart.rules._base import Facts, Rule
from hlspart.rules._processes import regions
from hlspart.rules._traces import constant
from hlspart.rules._uses import SILENT

HINT = "move the condition or the loop into the task"
RULE = Rule("HLP605", "dataflow-conditional-task", "warning", hint=HINT)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Tasks that are not run exactly once."""
    for region in regions(facts.program):
        where = [(region.directive.at, "the region")]
        for process in region.processes:
            leave = next((s for s in walk_statements(process.stmt) if isinstance(s, Return)), None)
            if leave is not None and len(region.processes) > 1 and leave is not region.body.body[-1]:
                message = f"{process.name} may leave the DATAFLOW region before its end"
                yield facts.report(RULE, leave.at, message, "let every task run to its end", where)
        tasks = {id(p.stmt) for p in region.processes}
        for stmt in region.body.body if len(tasks) > 1 else ():
            early = isinstance(stmt, If) and id(stmt) not in tasks and not _is_decided(facts, stmt, False)
            leave = next((s for s in walk_statements(stmt) if isinstance(s, Return)), None) if early else None
            if leave is not None:
                message = "a return under a condition leaves the DATAFLOW region before its tasks"
                yield facts.report(RULE, stmt.at, message, "test it in the tasks, or before the region", where)
        if region.loop is not None:
            jump = _leaves(region.loop.body)
            if jump is not None:
                message = f"the DATAFLOW loop {region.loop.name} has a second exit"
                yield facts.report(RULE, jump.at, message, "leave it by its bound alone", where)
        if len(region.processes) < 2 and not any(p.kind == "if" and len(p.calls) > 1 for p in region.processes):
            continue
        for process in region.processes:
            related = [*((call.at, "the task") for call in process.calls[:2]), *where]
            choice = process.stmt.expr if isinstance(process.stmt, ExprStmt) else process.stmt
            lacking = facts.lacks_header(process.at.span.path)
            if isinstance(choice, If | Conditional) and _is_decided(facts, choice, lacking):
                continue  # before anything is synthesised
            if process.kind == "if":
                message = f"{process.name} is a conditional task of a DATAFLOW region"
                yield facts.report(RULE, process.at, message, None, related)
            elif isinstance(process.stmt, Loop) and _only_tasks(process.stmt) > 1:
                message = f"the tasks in loop {process.stmt.name} of a DATAFLOW region run one after the other"
                hint = "move the loop into the tasks, or put a DATAFLOW into it as well"
                inner = [d for d in facts.program.directives if d.kind == "dataflow" and d.loop == process.stmt.id]
                if not inner and facts.unrolled.get(process.stmt.id) != 0:  # copies of the loop are tasks of their own
                    yield facts.report(RULE, process.at, message, hint, related)


def _is_decided(facts: Facts, stmt: If | Conditional, open_names: bool) -> bool:
    """Whether a test is made of constants alone, as arguments of templates are, or of names of a missing header."""
    if constant(facts.program, stmt.test) is not None:
        return True
    known = (Binary, Cast, Const, SizeOf, Unary, *((OpaqueExpr,) if open_names else ()))
    return all(isinstance(e, known) or (isinstance(e, Name) and _is_number(facts, e.variable)) for e in walk(stmt.test))


def _is_number(facts: Facts, variable: int) -> bool:
    """Whether a variable is a constant with a number for its value."""
    of = facts.program.variable(variable)
    return of.const and isinstance(of.init, Const) and isinstance(of.type, ScalarType)


def _leaves(body: Stmt) -> Jump | None:
    """A ``break`` of the loop with this body, or a ``goto`` out of it."""
    stack = list(substatements(body))
    inside = {s.name for s in walk_statements(body) if isinstance(s, Label)}
    out = (s for s in walk_statements(body) if isinstance(s, Jump) and s.kind == "goto" and s.label not in inside)
    if (far := next(out, None)) is not None:
        return far
    while stack:
        stmt = stack.pop()
        if isinstance(stmt, Jump) and stmt.kind == "break":
            return stmt
        if not isinstance(stmt, Loop):
            stack.extend(substatements(stmt))
    return None


def _only_tasks(loop: Loop) -> int:
    """How many calls the body of a loop is, 0 where it is more than calls."""
    count = 0
    for stmt in loop.body.body:
        if isinstance(stmt, (Declare, PragmaMark)):
            continue
        parts = list(walk(stmt.expr)) if isinstance(stmt, ExprStmt) else []
        calls = [e for e in parts if isinstance(e, Call)]
        if any(isinstance(e, OpaqueExpr) for e in parts):
            return 0  # a method of a class that is not known, such as one that names a channel for a debugger
        if not calls or any((c.function or "stream.").startswith("stream.") or c.function in SILENT for c in calls):
            return 0
        count += 1
    return count
