"""PERFORMANCE with a goal that the loop cannot reach.

## What it does
Reports PERFORMANCE of a loop whose number of iterations nobody knows, and a `target_ti` below what the accesses to one
stream, or a recurrence of floats, take for all iterations.

## Why is this bad
The tool cannot tell what the goal means for the loop, or gives up and leaves the loop as it is: neither unrolling nor
partitions make more of a stream, or a sum of floats shorter.

## Example
```cpp
#include <hls_stream.h>
void f(hls::stream<int> &in, int a[64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS performance target_ti=64
    a[i] = in.read() + in.read();
  }
}
```

## Use instead
```cpp
#include <hls_stream.h>
void f(hls::stream<int> &in, int a[64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS performance target_ti=128
    a[i] = in.read() + in.read();
  }
}
```

## Vitis message it predicts
`[HLS 214-347] Cannot apply performance pragma target_ti=.. cycles for loop`, with the number of accesses on the stream.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Directive
from hlspart.model.program import StreamType
from hlspart.model.results import LoopResult
from hlspart.rules._base import Facts, Rule
from hlspart.rules._nests import active

RULE = Rule("HLP440", "performance-target", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Loops with PERFORMANCE."""
    counted = {d.loop for d in active(facts.program, "loop_tripcount")}
    results = {x.loop: x for x in facts.ii.loops} if facts.ii is not None else {}
    for d in active(facts.program, "performance"):
        info = facts.analysis.loops.get(d.loop if d.loop is not None else -1)
        if (d.option("target_ti") or "").strip() == "0":
            yield facts.report(
                RULE, d.at, "PERFORMANCE: target_ti=0 is no number of cycles", "say how many, at least 1"
            )
            continue
        if info is None or d.loop is None or facts.lacks_header(d.at.span.path):
            continue
        loop = facts.program.loops[d.loop]
        trips = info.trip_count.exact
        if trips is None and info.trip_count.max is None and d.loop not in counted and info.cause is None:
            message = f"PERFORMANCE: how often loop {loop.name} runs is not known"
            related = [(loop.header, "the variable bound")]
            yield facts.report(RULE, d.at, message, "say it with LOOP_TRIPCOUNT", related)
        elif trips is not None and d.loop in results and d.option("unit") in (None, "cycle"):
            yield from _missed(facts, d, results[d.loop], trips)


def _missed(facts: Facts, d: Directive, loop: LoopResult, trips: int) -> Iterator[Diagnostic]:
    said = d.option("target_ti") or ""
    target = int(said) if said.isdecimal() else None
    streams = {v.name for v in facts.program.variables if isinstance(v.type, StreamType)}
    for limit in loop.limits:
        each = limit.ii if limit.kind == "memory-port" and limit.array in streams else 0
        if limit.kind == "recurrence" and limit.distance == 1 and (limit.latency or 0) > 1 and limit.variable:
            each = limit.ii
        if target is not None and trips * each > target:
            message = f"PERFORMANCE: {trips} iterations take {trips * each} cycles or more, not {target}: {limit.text}"
            yield facts.report(RULE, d.at, message, f"say target_ti={trips * each}, or change the loop")
            return
