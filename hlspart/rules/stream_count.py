"""A stream is not read as often as it is written.

## What it does
Counts the reads and the writes of each local stream of a DATAFLOW region, and of streams that a function has for
itself. Reports where they differ. Where a condition or a loop depends on data nothing is counted;
but a task that may return or break before the words of which the other side has a fixed number is reported.

## Why is this bad
With reads too many the last one waits for ever. With writes too many values stay in the FIFO: the next run starts with
them, or the producer waits for room that never comes.

## Example
```c
void make(int a[64], int t[64]) {
  for (int i = 0; i < 64; i++) t[i] = a[i];
}
void use(int t[64], int b[60]) {
  for (int i = 0; i < 60; i++) b[i] = t[i];
}
void top(int a[64], int b[60]) {
#pragma HLS dataflow
  int t[64];
#pragma HLS stream variable=t depth=4
  make(a, t);
  use(t, b);
}
```

## Use instead
```c
void make(int a[64], int t[64]) {
  for (int i = 0; i < 64; i++) t[i] = a[i];
}
void use(int t[64], int b[60]) {
  for (int i = 0; i < 64; i++) {
    int x = t[i];
    if (i < 60) b[i] = x;
  }
}
void top(int a[64], int b[60]) {
#pragma HLS dataflow
  int t[64];
#pragma HLS stream variable=t depth=4
  make(a, t);
  use(t, b);
}
```

## Vitis message it predicts
C simulation warns of leftover data in a stream, or of a read of an empty one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import ArrayType, StreamType
from hlspart.rules._base import Facts, Rule
from hlspart.rules._network import alone, network
from hlspart.rules._processes import regions
from hlspart.rules._shared import apart

_PRAGMA = re.compile(r"^[ \t]*#[^\n]*|\"[^\"\n]*\"|//[^\n]*", re.M)
RULE = Rule("HLP612", "stream-count", "warning", hint="read exactly what is written")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Channels that keep values, or lack some."""
    free = apart(facts.program)
    for region in regions(facts.program):
        for use, writers, readers in region.channels():
            variable = facts.program.variable(use.variable)
            one_sided = bool(writers) != bool(readers)
            kind = variable.type.element if isinstance(variable.type, ArrayType) and use.path else variable.type
            stream = isinstance(kind, StreamType) and use.variable in region.local
            if not one_sided or not stream or use.variable in free or facts.program.holes:
                continue
            text = facts.program.text(region.body.at)
            tasks = "".join(facts.program.text(p.stmt.at) for p in (writers or readers))
            word = re.compile(rf"\b{re.escape(variable.name)}\b")
            given = [
                p
                for p in region.processes
                if p.kind == "call" and all(x.function in facts.program.functions for x in p.calls)
            ]
            if use.path or len(given) == len(region.processes):
                tasks = "".join(facts.program.text(p.stmt.at) for p in region.processes)
            if len(word.findall(_PRAGMA.sub("", text))) != len(word.findall(tasks)) + 1:
                continue  # something else that is no task for us has it
            verb, other = ("written", "reads") if writers else ("read", "writes")
            name = variable.name + "".join(f"[{k}]" for k in use.path)
            message = f"'{name}' is {verb} by {(writers or readers)[0].name}, but no task {other} it"
            hint = "remove it" if writers else "give it a producer"
            yield facts.report(RULE, (writers or readers)[0].at, message, hint, [(variable.at, "the stream")])
    networks = [network(facts.program, region, free) for region in regions(facts.program)]
    networks += [alone(facts.program, name) for name in facts.program.functions]
    for net in networks:
        for channel, task, way_out, words in net.cut_short(facts.trips) if net is not None else ():
            variable = facts.program.variable(channel[0])
            message = f"{task.name} may stop before it has accessed all {words} words of '{variable.name}'"
            hint = "access each word, and keep in a variable that the rest is of no use"
            related = [(way_out, "where it stops"), (variable.at, "the stream")]
            yield facts.report(RULE, task.at, message, hint, related)
        for channel, (writes, made), (reads, used) in net.counts(facts.trips) if net is not None else ():
            variable = facts.program.variable(channel[0])
            end = "values stay in it" if writes > reads else "the last reads wait for ever"
            message = f"'{variable.name}' is written {writes} times and read {reads} times: {end}"
            yield facts.report(RULE, used, message, None, [(made, "written here"), (variable.at, "the stream")])
