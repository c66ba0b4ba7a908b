"""A network of FIFOs comes to a stand for want of depth.

## What it does
Runs the tasks of a DATAFLOW region, or a function that has streams of its own, step by step with the depths of their
FIFOs (2 where nothing is said). Reports a FIFO where they all wait for each other, with the depth that is needed. Tasks
whose loops or conditions depend on data are not run.

## Why is this bad
The hardware stops and never ends. C simulation does not show it: there, streams have no bound.

## Example
```c
void split(int a[64], int s[64], int t[64]) {
  for (int i = 0; i < 64; i++) s[i] = a[i];
  for (int i = 0; i < 64; i++) t[i] = a[i];
}
void join(int s[64], int t[64], int b[64]) {
  for (int i = 0; i < 64; i++) b[i] = s[i] + t[i];
}
void top(int a[64], int b[64]) {
#pragma HLS dataflow
  int s[64], t[64];
#pragma HLS stream variable=s depth=2
#pragma HLS stream variable=t depth=2
  split(a, s, t);
  join(s, t, b);
}
```

## Use instead
```c
void split(int a[64], int s[64], int t[64]) {
  for (int i = 0; i < 64; i++) {
    s[i] = a[i];
    t[i] = a[i];
  }
}
void join(int s[64], int t[64], int b[64]) {
  for (int i = 0; i < 64; i++) b[i] = s[i] + t[i];
}
void top(int a[64], int b[64]) {
#pragma HLS dataflow
  int s[64], t[64];
#pragma HLS stream variable=s depth=2
#pragma HLS stream variable=t depth=2
  split(a, s, t);
  join(s, t, b);
}
```

## Vitis message it predicts
None in synthesis; co-simulation says that a deadlock was found, and the FIFOs that are full or empty.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import ArrayType, StreamType
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import hardware, of_benches
from hlspart.rules._delayed_reads import delayed_reads
from hlspart.rules._interfaces import callers
from hlspart.rules._nests import active
from hlspart.rules._network import FifoNetwork, Standstill, alone, depth_of, network
from hlspart.rules._processes import DataflowRegion, inside, regions
from hlspart.rules._shared import apart
from hlspart.rules._traces import ManySteps, OpenBehaviour

RULE = Rule("HLP610", "dataflow-deadlock", "warning", hint="make the FIFO deeper, or read in the order of the writes")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Networks that stop."""
    free = apart(facts.program)
    networks = [network(facts.program, region, free) for region in regions(facts.program) if _is_flat(facts, region)]
    benches = of_benches(facts)
    built = hardware(facts.program)  # what directives speak of, where there are any
    called, regional = callers(facts.program), {region.function for region in regions(facts.program)}
    parts = {  # of a region, each of their loops a task
        d.function for d in active(facts.program, "inline")
        if any(by in regional for by, _ in called.get(d.function or "", ()))
    }  # fmt: skip
    rest = (n for n in facts.program.functions if n not in benches | parts and (n in built or not built))
    networks += [alone(facts.program, name) for name in rest]
    trips = facts.trips
    for net in networks:
        if net is None or any(True for _ in net.counts(trips)):
            continue
        try:
            stand = net.run()
        except (OpenBehaviour, ManySteps):
            continue
        if stand.waiting:
            yield from _tell(facts, net, stand)
    for region in regions(facts.program):
        yield from _held_back(facts, region, free)


def _is_flat(facts: Facts, region: DataflowRegion) -> bool:
    """Whether each call is one task: not of an inlined function, nor of a region, whose own tasks run at once."""
    regional = {r.function for r in regions(facts.program) if r.loop is None}
    called = {call.function for process in region.processes for call in process.calls}
    return not called & regional and not any(inside(facts.program, region, p) for p in region.processes)


def _held_back(facts: Facts, region: DataflowRegion, free: frozenset[int]) -> Iterator[Diagnostic]:
    """A task waits for what another writes only after it has filled a FIFO that nobody empties until then."""
    for read in delayed_reads(facts.program, region):
        variable = facts.program.variable(read.full[0])
        said = next((d for d in facts.program.directives
                     if d.kind == "stream" and d.usable and variable.id in d.variables), None)  # fmt: skip
        kind = variable.type.element if isinstance(variable.type, ArrayType) else variable.type
        if not isinstance(kind, StreamType):
            continue
        depth = depth_of(kind, said)
        chosen = kind.depth is not None or (said is not None and said.values.get("depth") is not None)
        info = facts.analysis.loops.get(read.loop.id)
        asked = next((d for d in active(facts.program, "loop_tripcount") if d.loop == read.loop.id), None)
        bound = info.trip_count.max if info is not None else None
        most = bound if bound is not None else asked.values.get("max") if asked is not None else None
        known = info is not None and info.trip_count.exact is not None and not info.exits
        if variable.id in free or known or (chosen if most is None else most <= depth):
            continue  # known: followed step by step
        other = facts.program.variable(read.waited[0]).name
        count = f"up to {most} words" if most is not None else "a number of words that is not known"
        message = f"'{variable.name}' takes {count} at depth {depth} before '{other}' is written, which is read first"
        hint = f"#pragma HLS stream variable={variable.name} depth={most}" if most is not None else None
        related = [(read.filled, "written here"), (read.read, f"'{other}' is read first")]
        yield facts.report(RULE, said.at if said is not None else variable.at, message, hint, related)


def _starves(net: FifoNetwork) -> bool:
    """Whether a task waits for ever for words, though every FIFO has room."""
    try:
        return len(net.run(dict.fromkeys(net.depths)).ended) < len(net.tasks)
    except (OpenBehaviour, ManySteps):
        return False


def _tell(facts: Facts, net: FifoNetwork, stand: Standstill) -> Iterator[Diagnostic]:
    full = [s for s in stand.waiting.values() if s.kind == "write"]
    empty = [s for s in stand.waiting.values() if s.kind == "read"]
    needs = [(step, net.needed(step.channel)) for step in full]
    if not full:
        step = empty[0]
        name = facts.program.variable(step.channel[0]).name
        message = f"the tasks wait for each other: '{name}' is read before it is written"
        others = [(s.at, "this task waits here") for s in empty[1:]]
        yield facts.report(RULE, step.at, message, "let one of them begin with a write", others)
        return
    step, depth = next(((s, d) for s, d in needs if d is not None), needs[0])
    if depth is None and _starves(net):
        return  # some words never come, at any depth: no FIFO that is full is to blame
    variable = facts.program.variable(step.channel[0])
    said = [d for d in facts.program.directives if d.kind == "stream" and d.usable and variable.id in d.variables]
    has = net.depths[step.channel]
    wanted = f"; {depth} is needed" if depth is not None else ""
    message = f"the tasks come to a stand: '{variable.name}' is full at depth {has}{wanted}"
    related = [(step.at, "no room for this write"), *((s.at, "this read waits") for s in empty)]
    hint = f"#pragma HLS stream variable={variable.name} depth={depth}" if depth is not None else None
    yield facts.report(RULE, said[0].at if said else variable.at, message, hint, related)
