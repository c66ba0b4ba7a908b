"""A channel between task objects without exactly one writer and one reader.

## What it does
Reports a stream of a function with `hls::task` objects that two of them write, that two read, or that only one side
has.

## Why is this bad
Task objects are processes that are always running: their streams are FIFOs with one end each, and one that nobody
reads is full after its depth.

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

from collections.abc import Iterator

from msgspec import Struct

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.source import Origin
from hlspart.rules._base import Facts, Rule
from hlspart.rules._processes import VariableUse, sets, task_call

RULE = Rule("HLP617", "task-channels", "warning", hint="give each task a stream of its own")


class TaskObject(Struct, frozen=True):
    """``hls::task name(function, ...)``."""

    at: Origin
    function: str
    uses: tuple[VariableUse, ...]


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Streams of functions with task objects."""
    for function in facts.program.functions.values():
        tasks = list(_tasks(facts.program, function))
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


def _tasks(program: c.Program, function: c.Function) -> Iterator[TaskObject]:
    for stmt in c.walk_statements(function.body):
        for ident in stmt.variables if isinstance(stmt, c.Declare) else ():
            call = task_call(program, ident)
            if call is not None:
                yield TaskObject(program.variable(ident).at, call.function or "", tuple(sets(program).of(call)))


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
