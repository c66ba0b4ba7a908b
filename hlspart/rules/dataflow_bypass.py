"""A channel of a DATAFLOW region bypasses a task.

## What it does
Reports a local array that goes from one task straight to a later one, while another path of channels between the
two leads through further tasks.

## Why is this bad
The array of one run must be kept until the tasks on the longer path are done: with the two buffers of a ping-pong
memory the producer has to wait, so runs do not overlap as they should. A stream needs the depth for it.

## Example
```c
void split(int a[64], int t[64], int u[64]) {
  for (int i = 0; i < 64; i++) {
    t[i] = a[i];
    u[i] = a[i] + 1;
  }
}
void pass(int t[64], int v[64]) {
  for (int i = 0; i < 64; i++) v[i] = t[i] * 3;
}
void join(int u[64], int v[64], int b[64]) {
  for (int i = 0; i < 64; i++) b[i] = u[i] + v[i];
}
void top(int a[64], int b[64]) {
#pragma HLS dataflow
  int t[64], u[64], v[64];
  split(a, t, u);
  pass(t, v);
  join(u, v, b);
}
```

## Use instead
```c
void split(int a[64], int t[64], int u[64]) {
  for (int i = 0; i < 64; i++) {
    t[i] = a[i];
    u[i] = a[i] + 1;
  }
}
void pass(int t[64], int u[64], int v[64], int w[64]) {
  for (int i = 0; i < 64; i++) {
    v[i] = t[i] * 3;
    w[i] = u[i];
  }
}
void join(int w[64], int v[64], int b[64]) {
  for (int i = 0; i < 64; i++) b[i] = w[i] + v[i];
}
void top(int a[64], int b[64]) {
#pragma HLS dataflow
  int t[64], u[64], v[64], w[64];
  split(a, t, u);
  pass(t, u, v, w);
  join(w, v, b);
}
```

## Vitis message it predicts
One that a variable bypasses tasks, with the tasks between.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import ScalarType, StreamType
from hlspart.rules._base import Facts, Rule
from hlspart.rules._processes import DataflowRegion, regions
from hlspart.rules._shared import apart
from hlspart.rules._uses import VariableUse

HINT = "pass it through the tasks between, or make it a STREAM (or PIPO) deep enough for them"
RULE = Rule("HLP603", "dataflow-bypass", "warning", hint=HINT)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Channels beside a longer path."""
    free = apart(facts.program)
    deep = {v for d in facts.program.directives if d.kind == "stream" and d.usable for v in d.variables}
    for region in regions(facts.program):
        if region.loop is not None:
            continue
        edges = [(u, w, r) for u, w, r in _edges(region) if u.variable not in free]
        after: dict[int, set[int]] = {}
        for _, source, sink in edges:
            after.setdefault(source, set()).add(sink)
        for use, source, sink in edges:
            variable = facts.program.variable(use.variable)
            if use.variable in deep or isinstance(variable.type, (StreamType, ScalarType)) or not variable.is_array:
                continue
            between = _between(after, source, sink)
            if between is not None:
                tasks = region.processes
                message = (
                    f"'{variable.name}' bypasses {tasks[between].name}: from {tasks[source].name} to {tasks[sink].name}"
                )
                at = tasks[sink].of(use, "read")
                made = tasks[source].of(use, "write")
                assert at is not None
                assert made is not None
                related = [(made.at, "produced here"), (tasks[between].at, "the task that is bypassed")]
                related.append((variable.at, "declared here"))
                yield facts.report(RULE, at.at, message, None, related)


def _edges(region: DataflowRegion) -> Iterator[tuple[VariableUse, int, int]]:
    for use, writers, readers in region.channels():
        users = [p for p in readers if p not in writers]
        if use.variable in region.local and len(writers) == 1 and len(users) == 1:
            yield use, writers[0].index, users[0].index


def _between(after: Mapping[int, set[int]], source: int, sink: int) -> int | None:
    """A task on a path of several channels from ``source`` to ``sink``."""
    for task in sorted(after[source] - {sink}):
        seen, stack = {task}, [task]
        while stack:
            following = after.get(stack.pop(), set())
            if sink in following:
                return task
            stack.extend(following - seen)
            seen |= following
    return None
