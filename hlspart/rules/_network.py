"""Tasks that hand on data through FIFOs, run step by step as their text says: a Kahn process network.

What a task does with its channels is followed where loop bounds and conditions are constants; else nothing is claimed.
Whether a network of bounded FIFOs comes to a stand does not depend on the order in which tasks are run (Parks 1995).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

from msgspec import Struct, field

from hlspart.model import program as c
from hlspart.model.directives import Directive
from hlspart.model.source import Origin
from hlspart.rules._mentions import mentioned
from hlspart.rules._processes import DataflowRegion, Process
from hlspart.rules._traces import (
    MOST_STEPS,
    Channel,
    FifoStep,
    ManySteps,
    OpenBehaviour,
    TaskCount,
    TaskReturn,
    TaskTrace,
)

MOST_STREAMS = 64  # in an array
DEFAULT_DEPTH = 2  # UG1399, pragma HLS stream: of an hls::stream


class Standstill(Struct, frozen=True):
    """How a network stops: ``waiting`` are the steps that tasks wait with, by task; ``left`` what channels still hold.

    ``ended``: tasks that are done.
    """

    waiting: Mapping[int, FifoStep]
    left: Mapping[Channel, int]
    ended: frozenset[int]


class FifoNetwork(Struct, frozen=True):
    """Tasks and their FIFOs with depths (None: as deep as needed); ``after``: task -> tasks that must be done first."""

    program: c.Program
    tasks: Sequence[Process]
    depths: Mapping[Channel, int | None]
    after: Mapping[int, frozenset[int]] = field(default_factory=dict)

    def run(self, deeper: Mapping[Channel, int | None] | None = None) -> Standstill:
        """Run all tasks until none can go on. Raises OpenBehaviour and ManySteps."""
        depths = {**self.depths, **(deeper or {})}
        fill: dict[Channel, int] = dict.fromkeys(depths, 0)
        traces = [TaskTrace(self.program, frozenset(depths)).of(t.stmt) for t in self.tasks]
        waiting: dict[int, FifoStep] = {}
        ended: set[int] = set()
        blocked: dict[tuple[Channel, str], int] = {}
        ready = deque(range(len(self.tasks)))
        started: set[int] = set()
        steps = 0
        while ready:
            k = ready.popleft()
            if k not in started and not self.after.get(k, frozenset()) <= ended:
                continue
            started.add(k)
            while True:
                step = waiting.pop(k, None) or _next(traces[k])
                if step is None:
                    ended.add(k)
                    ready.extend(t for t in range(len(self.tasks)) if t not in started)
                    break
                depth, words = depths[step.channel], fill[step.channel]
                if (step.kind == "read" and words == 0) or (
                    step.kind == "write" and depth is not None and words >= depth
                ):
                    waiting[k] = step
                    blocked[step.channel, step.kind] = k
                    break
                fill[step.channel] += 1 if step.kind == "write" else -1
                other = blocked.pop((step.channel, "read" if step.kind == "write" else "write"), None)
                if other is not None:
                    ready.append(other)
                steps += 1
                if steps > MOST_STEPS:
                    raise ManySteps
        return Standstill(waiting, {ch: n for ch, n in fill.items() if n}, frozenset(ended))

    def counts(self, trips: Mapping[int, int]) -> Iterator[tuple[Channel, tuple[int, Origin], tuple[int, Origin]]]:
        """Channels that are not read as often as they are written: (channel, writes, reads), each with a place."""
        known: dict[tuple[Channel, str], tuple[int, Origin]] = {}
        hidden: set[int] = set()
        for task in self.tasks:
            try:
                known.update(TaskCount(self.program, frozenset(self.depths), trips).total(task.stmt))
            except (OpenBehaviour, ManySteps):
                try:
                    known.update(self._stepwise(task.stmt))
                except (OpenBehaviour, ManySteps):
                    hidden |= {u.variable for u in task.uses}
        for channel in self.depths:
            writes, reads = known.get((channel, "write")), known.get((channel, "read"))
            if channel[1]:  # one of an array: those that the others have are followed as well
                writes, reads = writes or _none(reads), reads or _none(writes)
            if channel[0] not in hidden and writes is not None and reads is not None and writes[0] != reads[0]:
                yield channel, writes, reads

    def cut_short(self, trips: Mapping[int, int]) -> Iterator[tuple[Channel, Process, Origin, int]]:
        """Channels of which one side has a fixed number of words and the other may stop by its data.

        (channel, the task that may stop, where, the number).
        """
        for channel in self.depths:
            for k, kind in enumerate(("write", "read")):
                sides = [t for t in self.tasks if any(u.variable == channel[0] and u.kind == kind for u in t.uses)]
                others = [t for t in self.tasks if t not in sides and any(u.variable == channel[0] for u in t.uses)]
                if channel[1] or len(sides) != 1 or len(others) != 1:
                    continue
                try:
                    total = TaskCount(self.program, frozenset((channel,)), trips).total(others[0].stmt)
                except (OpenBehaviour, ManySteps):
                    continue
                words = total.get((channel, ("read", "write")[k]))
                leaves = _way_out(self.program, sides[0], channel[0])
                if words is not None and leaves is not None:
                    yield channel, sides[0], leaves, words[0]

    def _stepwise(self, stmt: c.Stmt) -> dict[tuple[Channel, str], tuple[int, Origin]]:
        """As :meth:`TaskCount.total`, one step after the other: which channel of an array it is may change."""
        counts: dict[tuple[Channel, str], tuple[int, Origin]] = {}
        trace = TaskTrace(self.program, frozenset(self.depths)).of(stmt)
        while (step := _next(trace)) is not None:
            before, at = counts.get((step.channel, step.kind), (0, step.at))
            counts[step.channel, step.kind] = (before + 1, at)
        return counts

    def needed(self, channel: Channel) -> int | None:
        """The least depth of one channel with which all tasks come to their end; None where that is not enough."""
        try:
            if len(self.run({channel: None}).ended) < len(self.tasks):
                return None
            low, high = self.depths[channel] or 0, MOST_STEPS
            while low + 1 < high:
                middle = (low + high) // 2
                done = len(self.run({channel: middle}).ended) == len(self.tasks)
                low, high = (low, middle) if done else (middle, high)
        except (OpenBehaviour, ManySteps):
            return None
        return high


def _none(other: tuple[int, Origin] | None) -> tuple[int, Origin] | None:
    return None if other is None else (0, other[1])


def _next(trace: Iterator[FifoStep]) -> FifoStep | None:
    try:
        return next(trace, None)
    except TaskReturn:
        return None


def depth_of(kind: c.StreamType, directive: Directive | None) -> int:
    """The depth of a FIFO: of its STREAM directive, else of its type, else what the tool takes."""
    said = directive.values.get("depth") if directive is not None else None
    return said or kind.depth or DEFAULT_DEPTH


def network(program: c.Program, region: DataflowRegion, apart: frozenset[int]) -> FifoNetwork | None:
    """The network of a region as far as its local streams and memories go; None where it has no streams of its own."""
    said = {v: d for d in program.directives if d.kind == "stream" and d.usable for v in d.variables}
    split = {v for d in program.directives if d.kind == "array_partition" and d.usable for v in d.variables}
    depths: dict[Channel, int | None] = {}
    after: dict[int, set[int]] = {}
    for use, writers, readers in region.channels():
        variable = program.variable(use.variable)
        if use.variable not in region.local or len(writers) != 1 or use.variable in apart:
            continue
        if variable.is_array and use.variable in split and use.variable in said:
            continue  # several FIFOs
        users = [p for p in readers if p is not writers[0]]
        if len(users) != 1:
            continue
        kind = variable.type.element if isinstance(variable.type, c.ArrayType) else variable.type
        directive = said.get(use.variable)
        pipo = directive is not None and directive.choice("type", ("fifo", "pipo")) == "pipo"
        if isinstance(kind, c.StreamType):
            depths[use.variable, use.path] = depth_of(kind, directive)
        elif variable.is_array and directive is not None and not pipo and not use.path:
            depths[use.variable, ()] = directive.values.get("depth")
        elif variable.is_array and writers[0].index < users[0].index:
            after.setdefault(users[0].index, set()).add(writers[0].index)
    for ident in sorted(region.local - apart - {v for v, _ in depths}):
        type_ = program.variable(ident).type  # arrays of streams whose index no constant gives
        if isinstance(type_, c.ArrayType) and isinstance(type_.element, c.StreamType) and len(type_.dims) == 1:
            deep = depth_of(type_.element, said.get(ident))
            extent = type_.dims[0] or 0
            depths.update({(ident, (k,)): deep for k in range(extent if extent <= MOST_STREAMS else 0)})
    if not depths or any(p.kind == "if" or p.several for p in region.processes):
        return None
    return FifoNetwork(program, region.processes, depths, {k: frozenset(v) for k, v in after.items()})


def alone(program: c.Program, function: str) -> FifoNetwork | None:
    """A function without DATAFLOW that has streams of its own: one task, whose reads come after its writes."""
    body = program.functions[function].body
    if any(d.kind == "dataflow" and d.usable and d.function == function for d in program.directives):
        return None
    said = {v: d for d in program.directives if d.kind == "stream" and d.usable for v in d.variables}
    depths: dict[Channel, int | None] = {}
    for variable in program.variables:
        if (
            variable.function == function
            and variable.storage in ("local", "static")
            and isinstance(variable.type, c.StreamType)
        ):
            depths[variable.id, ()] = depth_of(variable.type, said.get(variable.id))
    if not depths:
        return None
    return FifoNetwork(program, [Process(0, body, program.functions[function].name_at, (), (), "call")], depths)


def _way_out(program: c.Program, task: Process, channel: int) -> Origin | None:
    """Where a task stops by its data, before the words or between them: a return, or a break out of its loop."""
    call = task.calls[0] if task.kind == "call" and len(task.calls) == 1 else None
    called = program.functions.get(call.function or "") if call is not None else None
    if call is None or called is None:
        return None
    pairs = zip(call.args, called.params, strict=False)
    handed = [f for a, f in pairs if isinstance(a, c.Name) and a.variable == channel]
    if len(handed) != 1:
        return None
    loops = [s for s in called.body.body if isinstance(s, c.Loop) and handed[0] in mentioned(program, s.body)]
    nested = any(isinstance(s, c.Loop) for loop in loops for s in c.walk_statements(loop.body))
    between = loops[0].body.body if len(loops) == 1 and not nested else ()
    first = next((k for k, s in enumerate(called.body.body) if handed[0] in mentioned(program, s)), 0)
    for stmt in (*called.body.body[:first], *between):
        leaves = [s for s in c.walk_statements(stmt.then) if isinstance(s, (c.Return, c.Jump))] if _asks(stmt) else []
        if any(isinstance(s, c.Return) or s.kind == "break" for s in leaves if isinstance(s, (c.Return, c.Jump))):
            return stmt.at
    return None


def _asks(stmt: c.Stmt) -> TypeGuard[c.If]:
    """Whether a statement is an `if` about what is no constant."""
    return isinstance(stmt, c.If) and any(isinstance(e, (c.Name, c.ArrayRef, c.Call)) for e in c.walk(stmt.test))
