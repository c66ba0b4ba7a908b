"""Arrays that several processes of a DATAFLOW region access: running at once, they divide the memory's ports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from hlspart.model import program as c
from hlspart.model.access import AccessAnalysis
from hlspart.semantics.folding import declared


class RegionSharing(Struct, frozen=True):
    """How many processes of a region access the memory of an array, and whether all of them only read it."""

    processes: int
    reading: bool


def sharing(program: c.Program, analysis: AccessAnalysis) -> dict[int, RegionSharing]:
    """Arrays from outside a DATAFLOW region that more than one of its processes accesses, by variable.

    A process is a call or a loop among the statements of the region, with all functions that it calls.
    """
    sharings: dict[int, RegionSharing] = {}
    for d in program.directives:
        if d.kind != "dataflow" or not d.usable or d.function is None or d.function not in program.functions:
            continue
        body = program.loops[d.loop].body if d.loop is not None else program.functions[d.function].body
        own = declared([body])
        by_array: dict[int, list[set[int]]] = {}  # variables per process, by group
        writes: set[int] = set()
        for process in _processes(program, body):
            used: dict[int, set[int]] = {}
            for a in analysis.accesses:
                if a.function in process.functions or (a.function == d.function and process.loops & set(a.loops)):
                    group = analysis.group_of.get(a.array, -1 - a.array)
                    used.setdefault(group, set()).add(a.array)
                    writes |= {group} if a.kind == "write" else set()
            for group, variables in used.items():
                by_array.setdefault(group, []).append(variables)
        # what a called function declares is another array in each call
        own |= {v.id for v in program.variables if v.storage == "local" and v.function != d.function}
        inside = {analysis.group_of.get(v, -1 - v) for v in own}
        for group, users in by_array.items():
            if len(users) > 1 and group not in inside:
                sharings |= {
                    v: RegionSharing(len(users), group not in writes) for variables in users for v in variables
                }
    return sharings


class _Process(Struct, frozen=True):
    functions: frozenset[str]
    loops: frozenset[int]


def _processes(program: c.Program, body: c.Stmt) -> Iterator[_Process]:
    for stmt in c.substatements(body):
        if isinstance(stmt, c.Block):
            yield from _processes(program, stmt)
            continue
        called: set[str] = set()
        _called(program, [stmt], called)
        loops = frozenset(s.id for s in c.walk_statements(stmt) if isinstance(s, c.Loop))
        if called or loops:
            yield _Process(frozenset(called), loops)


def _called(program: c.Program, statements: Sequence[c.Stmt], functions: set[str]) -> None:
    """Functions of the program that statements call, directly or not."""
    for root in statements:
        values = (e for s in c.walk_statements(root) for top in c.expressions(s) for e in c.walk(top))
        for name in [e.function for e in values if isinstance(e, c.Call)]:
            if name is not None and name in program.functions and name not in functions:
                functions.add(name)
                _called(program, [program.functions[name].body], functions)
