"""A channel between task objects without exactly one writer and one reader.

## What it does
Reports a stream of a function with `hls::task` objects that two of them write, that two read, or that only one side
has; task objects and their streams that are not `hls_thread_local`; and an array that a task gets, unless it is an
`m_axi` port.

## Why is this bad
Task objects are processes that are always running: their streams are FIFOs with one end each, and one that nobody
reads is full after its depth. What is not `hls_thread_local` ends with the call in C simulation, while the hardware
goes on. An array is no channel: nobody says when it is complete.

## Example
```cpp
#include <hls_stream.h>
#include <hls_task.h>
void pass(hls::stream<int> &in, hls::stream<int> &out) { out.write(in.read()); }
void f(hls::stream<int> &a, hls::stream<int> &b, hls::stream<int> &out) {
  hls_thread_local hls::stream<int> mid;
  hls_thread_local hls::task t1(pass, a, mid);
  hls_thread_local hls::task t2(pass, b, mid);
  hls_thread_local hls::task t3(pass, mid, out);
}
```

## Use instead
```cpp
#include <hls_stream.h>
#include <hls_task.h>
void pass(hls::stream<int> &in, hls::stream<int> &out) { out.write(in.read()); }
void f(hls::stream<int> &a, hls::stream<int> &out) {
  hls_thread_local hls::stream<int> mid;
  hls_thread_local hls::task t1(pass, a, mid);
  hls_thread_local hls::task t3(pass, mid, out);
}
```

## Vitis message it predicts
One that the channel has more than one writer or reader, or is not connected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.source import Origin
from hlspart.rules._base import Facts, Rule
from hlspart.rules._interfaces import interfaces
from hlspart.rules._uses import VariableUse, sets, task_call

RULE = Rule("HLP617", "task-channels", "warning", hint="give each task a stream of its own")
_LASTING = re.compile(r"\b(?:hls_thread_local|thread_local|static)\b[^;{}]*$")


class TaskObject(Struct, frozen=True):
    """``hls::task name(function, ...)``."""

    at: Origin
    variable: int
    function: str
    args: tuple[c.Expr, ...]
    uses: tuple[VariableUse, ...]


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Streams of functions with task objects."""
    for function in facts.program.functions.values():
        tasks = list(_tasks(facts.program, function))
        yield from _ending(facts, function, tasks)
        yield from _arrays(facts, tasks)
        known = all(task.function in facts.program.functions for task in tasks)
        for ident in _streams(facts.program, function) if tasks and known else ():
            stream = facts.program.variable(ident)
            ends = {kind: [t for t in tasks if _has(t, ident, kind)] for kind in ("write", "read")}
            for kind, done in (("write", "written"), ("read", "read")):
                if len(ends[kind]) > 1:
                    first, second = ends[kind][:2]
                    message = f"'{stream.name}' is {done} by the tasks {first.function}() and {second.function}()"
                    related = [(first.at, "the first task"), (stream.at, "the stream")]
                    yield facts.report(RULE, second.at, message, None, related)
            one = ends["write"] or ends["read"]
            if one and not (ends["write"] and ends["read"]):
                done, other = ("written", "reads") if ends["write"] else ("read", "writes")
                message = f"'{stream.name}' is {done} by the task {one[0].function}(), but no task {other} it"
                yield facts.report(RULE, one[0].at, message, None, [(stream.at, "the stream")])


def _ending(facts: Facts, function: c.Function, tasks: Sequence[TaskObject]) -> Iterator[Diagnostic]:
    """Task objects and streams of theirs that live as long as the call."""
    used = {u.variable for task in tasks for u in task.uses}
    for stmt in c.walk_statements(function.body) if tasks else ():
        for ident in stmt.variables if isinstance(stmt, c.Declare) else ():
            variable = facts.program.variable(ident)
            source = facts.program.sources.get(variable.at.span.path)
            task = next((t for t in tasks if t.variable == ident), None)
            kind = variable.type.element if isinstance(variable.type, c.ArrayType) else variable.type
            stream = isinstance(kind, c.StreamType) and ident in used
            plain = source is not None and variable.at.kind == "plain"
            if source is None or not plain or not (task or stream) or variable.storage == "static":
                continue
            if not _LASTING.search(source.text, max(0, variable.at.span.start - 300), variable.at.span.start):
                what = f"the task '{variable.name}'" if task else f"'{variable.name}', a stream of tasks,"
                message = f"{what} is not hls_thread_local: it ends with the call, the hardware goes on"
                yield facts.report(RULE, variable.at, message, "write hls_thread_local before the type")


def _arrays(facts: Facts, tasks: Sequence[TaskObject]) -> Iterator[Diagnostic]:
    """Memories that a task gets: ports that are no AXI masters, and local arrays."""
    masters = {v for d, mode in interfaces(facts) if mode == "m_axi" for v in d.variables}
    for task in tasks:
        for arg in task.args:
            if isinstance(arg, (c.Binary, c.Conditional)) and isinstance(arg.type, c.ScalarType):
                message = (
                    f"the task {task.function}() gets a value that is worked out: its inputs are streams and ports"
                )
                yield facts.report(RULE, task.at, message, "work it out in the task, of a port that stays")
            variable = facts.program.variable(arg.variable) if isinstance(arg, c.Name) else None
            array = variable.as_array if variable is not None else None
            scalar = variable is not None and array is None and isinstance(variable.type, c.ScalarType)
            if (
                variable is not None
                and scalar
                and any(u.variable == variable.id and u.kind == "write" for u in task.uses)
            ):
                message = f"the task {task.function}() writes '{variable.name}': its scalars are inputs that stay"
                related = [(variable.at, "the scalar")]
                yield facts.report(RULE, task.at, message, "send it through a stream", related)
            if variable is None or array is None or variable.id in masters or facts.kernels:
                continue
            if isinstance(array.element, c.ScalarType):
                message = f"the task {task.function}() gets the array '{variable.name}': tasks talk through streams"
                related = [(variable.at, "the array")]
                yield facts.report(RULE, task.at, message, "send what it needs through a stream", related)


def _tasks(program: c.Program, function: c.Function) -> Iterator[TaskObject]:
    for stmt in c.walk_statements(function.body):
        for ident in stmt.variables if isinstance(stmt, c.Declare) else ():
            call = task_call(program, ident)
            if call is not None:
                yield TaskObject(
                    program.variable(ident).at, ident, call.function or "", call.args, tuple(sets(program).of(call))
                )


def _streams(program: c.Program, function: c.Function) -> Iterator[int]:
    """Local streams that nothing but task objects has."""
    statements = [s for s in c.walk_statements(function.body) if not isinstance(s, c.Declare)]
    named = {e.variable for s in statements for top in c.expressions(s) for e in c.walk(top) if isinstance(e, c.Name)}
    for stmt in c.walk_statements(function.body):
        for ident in stmt.variables if isinstance(stmt, c.Declare) else ():
            if isinstance(program.variable(ident).type, c.StreamType) and ident not in named:
                yield ident


def _has(task: TaskObject, stream: int, kind: str) -> bool:
    return any(u.variable == stream and u.kind == kind for u in task.uses)
