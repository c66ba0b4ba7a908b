"""Pairs of FIFOs between two tasks of which the reader asks first for the one that the writer fills last."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from hlspart.model import program as c
from hlspart.model.source import Origin
from hlspart.rules._processes import DataflowRegion, Process
from hlspart.rules._uses import Path, root_of, sets

Fifo = tuple[int, Path]


class DelayedRead(Struct, frozen=True):
    """``full`` is written in ``loop``, all of it before the first word of ``waited``, for which its reader waits first.

    ``filled`` and ``read``: the write of the one, the read of the other.
    """

    full: Fifo
    waited: Fifo
    loop: c.Loop
    filled: Origin
    read: Origin


class _Steps(Struct, frozen=True):
    """Statements of a task, in order, in which it first and last accesses a FIFO."""

    first: int
    last: int
    stmt: c.Stmt
    at: Origin


def delayed_reads(program: c.Program, region: DataflowRegion) -> Iterator[DelayedRead]:
    """Such pairs of a region: whether they come to a stand is a matter of depth."""
    pairs: dict[tuple[int, int], list[Fifo]] = {}
    for use, writers, readers in region.channels():
        kind = program.variable(use.variable).type
        stream = isinstance(kind, c.StreamType) or (isinstance(kind, c.ArrayType) and use.path)
        if stream and use.variable in region.local and len(writers) == len(readers) == 1 and writers != readers:
            pairs.setdefault((writers[0].index, readers[0].index), []).append((use.variable, use.path))
    for (w, r), fifos in pairs.items():
        if len(fifos) < 2:
            continue
        made, used = (
            _order(program, region.processes[w], fifos, "write"),
            _order(program, region.processes[r], fifos, "read"),
        )
        for full in fifos:
            for waited in fifos:
                if full == waited or not {full, waited} <= made.keys() & used.keys():
                    continue
                loop = made[full].stmt
                before = made[full].last < made[waited].first and used[waited].first < used[full].first
                sure = isinstance(used[waited].stmt, (c.Declare, c.ExprStmt, c.Loop))
                if before and sure and isinstance(loop, c.Loop):
                    yield DelayedRead(full, waited, loop, made[full].at, used[waited].at)


def _order(program: c.Program, task: Process, fifos: list[Fifo], kind: str) -> dict[Fifo, _Steps]:
    """Where the statements of a called function access FIFOs; {} where the task is more than one call."""
    call = task.calls[0] if task.kind == "call" and len(task.calls) == 1 else None
    function = program.functions.get(call.function or "") if call is not None else None
    if call is None or function is None:
        return {}
    names: dict[int, Fifo] = {}
    for arg, parameter in zip(call.args, function.params, strict=False):
        root = root_of(arg)
        if root is not None and root[2] and root[:2] in fifos:
            names[parameter] = root[:2]
    steps: dict[Fifo, _Steps] = {}
    for k, stmt in enumerate(function.body.body):
        for use in sets(program).below(stmt):
            fifo = names.get(use.variable)
            if fifo is not None and use.kind == kind:
                old = steps.get(fifo)
                steps[fifo] = _Steps(old.first, k, old.stmt, old.at) if old else _Steps(k, k, stmt, use.at)
    return steps
