"""A task of a DATAFLOW region reads what a later task writes.

## What it does
Reports a local variable that a task reads before the task that writes it stands in the text of the region; of a
loop, also a number of the function around it, which then comes from the iteration before.

## Why is this bad
Tasks run at once, data flow forward. The value of the run before would have to come back: the tool gives the
overlap up, or with a stream the network waits for itself unless the first token is there. A stream whose reader asks
whether a word is there (`empty`, `read_nb`) and goes on without one is a way back that works.

## Example
```c
void use(int t[64], int b[64]) {
  for (int i = 0; i < 64; i++) b[i] = t[i];
}
void make(int a[64], int t[64]) {
  for (int i = 0; i < 64; i++) t[i] = a[i];
}
void top(int a[64], int b[64]) {
#pragma HLS dataflow
  static int t[64];
  use(t, b);
  make(a, t);
}
```

## Use instead
```c
void make(int a[64], int t[64]) {
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
One about feedback between the tasks; the region is not overlapped.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import ScalarType, StreamType
from hlspart.rules._base import Facts, Rule
from hlspart.rules._fifos import polls
from hlspart.rules._processes import DataflowRegion, regions
from hlspart.rules._shared import apart

HINT = "put the producer first, or keep both in one task"
RULE = Rule("HLP604", "dataflow-feedback", "warning", hint=HINT)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Readers before their writer."""
    free = apart(facts.program)
    for region in regions(facts.program):
        for use, writers, readers in region.channels():
            carried = _is_carried(facts, region, use.variable)
            if not (use.variable in region.local or carried) or len(writers) != 1 or use.variable in free:
                continue
            early = [p for p in readers if p.index < writers[0].index]
            if not early:
                continue
            variable = facts.program.variable(use.variable)
            if isinstance(variable.type, StreamType) and all(polls(facts.program, p.stmt, variable.id) for p in early):
                continue
            at, made = early[0].of(use, "read"), writers[0].of(use, "write")
            assert at is not None
            assert made is not None
            message = f"{early[0].name} reads '{variable.name}', which the later task {writers[0].name} writes"
            message += " for the next iteration" if carried else ""
            related = [(made.at, "written here"), (region.directive.at, "the region")]
            yield facts.report(RULE, at.at, message, None, related)


def _is_carried(facts: Facts, region: DataflowRegion, ident: int) -> bool:
    """Whether a number of the function around a loop keeps its value from one iteration of its tasks to the next."""
    variable = facts.program.variable(ident)
    around = region.loop is not None and ident not in region.local and variable.function == region.function
    return around and variable.storage == "local" and isinstance(variable.type, ScalarType)
