"""The processes of a DATAFLOW region and what each reads and writes, as far as the text tells."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Literal

from msgspec import Struct, field

from hlspart.model import program as c
from hlspart.model.directives import Directive
from hlspart.model.source import Origin
from hlspart.rules._shared import split_rows
from hlspart.rules._uses import SILENT, Kind, VariableUse, own_expressions, sets

BLOCKS = "stream_of_blocks<"  # how the name of the type of a channel of blocks begins


class Process(Struct, frozen=True):
    """A task of a region. ``calls``: the functions of the program that the statement itself calls.

    ``several``: a loop of calls that UNROLL makes tasks of, side by side.
    """

    index: int
    stmt: c.Stmt
    at: Origin
    calls: tuple[c.Call, ...]
    uses: tuple[VariableUse, ...]
    kind: Literal["call", "loop", "if"]
    several: bool = False

    @property
    def name(self) -> str:
        """How messages call it."""
        if isinstance(self.stmt, c.Loop):
            return f"loop {self.stmt.name}"
        return f"{self.calls[0].function}()" if self.calls else "the task"

    def accesses(self, use: VariableUse) -> bool:
        """Whether the task itself accesses what ``use`` is about, and is not only given its value."""
        return any(u.meets(use) and not u.by_value for u in self.uses)

    def of(self, use: VariableUse, kind: Kind) -> VariableUse | None:
        """The first use of this kind that meets ``use``."""
        return next((u for u in self.uses if u.kind == kind and u.meets(use)), None)


class DataflowRegion(Struct, frozen=True):
    """``body`` of a function or loop under DATAFLOW; ``others`` are statements that are no task and no declaration."""

    directive: Directive
    function: str
    loop: c.Loop | None
    body: c.Block
    processes: tuple[Process, ...]
    others: tuple[c.Stmt, ...]
    local: frozenset[int] = field(default=frozenset())  # variables declared in the body
    rows: Mapping[int, int] = field(default_factory=dict)  # arrays whose rows are memories, by so many indices

    def channels(self) -> Iterator[tuple[VariableUse, list[Process], list[Process]]]:
        """Each object that tasks access, with its writers and its readers, in the order of the text."""
        seen: list[VariableUse] = []
        for process in self.processes:
            for use in process.uses:
                if use.exact and not any(use.variable == s.variable and use.path == s.path for s in seen):
                    seen.append(use)
        apart = {u.variable for u in seen if len(u.path) >= self.rows.get(u.variable, len(u.path) + 1)}
        seen = [u for u in seen if u.variable not in apart or len(u.path) >= self.rows[u.variable]]
        unknown = {u.variable for p in self.processes for u in p.uses if p.several or not u.exact}
        for use in seen:
            if use.variable not in unknown:
                writers = [p for p in self.processes if p.of(use, "write")]
                readers = [p for p in self.processes if p.of(use, "read")]
                yield use, writers, readers

    def outside(self, program: c.Program) -> Iterator[tuple[VariableUse, list[Process], list[Process]]]:
        """Of a loop, the objects declared in the function around it that one task hands on to another."""
        for use, writers, readers in self.channels() if self.loop is not None else ():
            variable = program.variable(use.variable)
            around = use.variable not in self.local and variable.function == self.function
            if around and variable.storage != "parameter" and writers and carries(program, use.variable):
                users = [p for p in readers if p is not writers[0]]
                if users:
                    yield use, writers, users


def regions(program: c.Program) -> tuple[DataflowRegion, ...]:
    """All DATAFLOW regions, by directive."""
    return _regions(program)


@lru_cache(maxsize=8)
def _regions(program: c.Program) -> tuple[DataflowRegion, ...]:
    regions = []
    for d in program.directives:
        if d.kind == "dataflow" and d.dialect == "vitis" and d.usable and d.function in program.functions:
            loop = program.loops[d.loop] if d.loop is not None else None
            body = loop.body if loop is not None else program.functions[d.function or ""].body
            if c.block_around(body, d.at.span) is None:
                regions.append(_region(program, d, loop, body))
    return tuple(regions)


def _region(program: c.Program, directive: Directive, loop: c.Loop | None, body: c.Block) -> DataflowRegion:
    processes: list[Process] = []
    others: list[c.Stmt] = []
    local: set[int] = set()
    for stmt in _flat(body):
        if isinstance(stmt, c.Declare):
            local.update(stmt.variables)
            known = [program.variable(v) for v in stmt.variables]
            if any(v.init is not None and (_changes(v.init) or _takes_from(v, processes)) for v in known):
                others.append(stmt)
        calls = tuple(x for e in own_expressions(program, stmt) for x in c.walk(e) if isinstance(x, c.Call))
        tasks = tuple(x for x in calls if _is_task(program, x))
        inside = any(isinstance(s, c.Loop) for s in c.walk_statements(stmt))
        if isinstance(stmt, c.Loop):
            processes.append(_process(program, len(processes), stmt, stmt.header, tasks, "loop"))
        elif isinstance(stmt, (c.If, c.Switch)):
            if tasks or inside:
                processes.append(_process(program, len(processes), stmt, stmt.test.at, tasks, "if"))
            elif any(_changes(e) for s in c.walk_statements(stmt) for e in c.expressions(s)):
                others.append(stmt)  # a check that prints or exits makes no hardware
        elif tasks:
            kind: Literal["call", "if"] = "if" if _chooses(stmt, tasks) else "call"
            processes.append(_process(program, len(processes), stmt, tasks[0].at, tasks, kind))
        elif isinstance(stmt, c.ExprStmt) and _changes(stmt.expr) and not isinstance(stmt.expr, c.Call):
            # a bare access of a channel is a call, as the canonical form asks for; a name alone constructs an object
            others += [] if program.text(stmt.at).strip().isidentifier() else [stmt]
    function = directive.function or ""
    rows = split_rows(program)
    return DataflowRegion(directive, function, loop, body, tuple(processes), tuple(others), frozenset(local), rows)


def inside(program: c.Program, region: DataflowRegion, process: Process) -> DataflowRegion | None:
    """The tasks that a call of an inlined function is in the region; None where it is one task."""
    name = process.calls[0].function if process.kind == "call" and len(process.calls) == 1 else None
    function = program.functions.get(name or "")
    inlined = any(
        d.kind == "inline" and d.usable and d.function == name and d.loop is None and not d.has("off")
        for d in program.directives
    )
    if function is None or not inlined:
        return None
    below = _region(program, region.directive, None, function.body)
    return below if len(below.processes) > 1 and all(p.kind == "call" for p in below.processes) else None


def _flat(body: c.Block) -> Iterator[c.Stmt]:
    for stmt in body.body:
        if isinstance(stmt, c.Block):
            yield from _flat(stmt)
        else:
            yield stmt


def _is_task(program: c.Program, call: c.Call) -> bool:
    name = call.function
    if name is None or name in SILENT or name.startswith("stream."):
        return False
    return name in program.functions or bool(call.args)


def _chooses(stmt: c.Stmt, tasks: Collection[c.Call]) -> bool:
    """Whether a statement is an expression that decides whether a task runs: ``fast ? one(t) : other(t);``."""
    match stmt:
        case c.ExprStmt(expr=c.Conditional(then=then, other=other)):
            return any(x in tasks for arm in (then, other) for x in c.walk(arm) if isinstance(x, c.Call))
        case c.ExprStmt(expr=c.Binary(op="&&" | "||", right=right)):
            return any(x in tasks for x in c.walk(right) if isinstance(x, c.Call))
    return False


def _changes(expr: c.Expr) -> bool:
    """Whether an expression statement computes something."""
    for node in c.walk(expr):
        match node:
            case c.Assign() | c.IncDec():
                return True
            case c.Call(function=name) if name is not None and name in ("stream.read", "stream.write"):
                return True
    return False


def _valued(expr: c.Expr) -> Iterator[c.Expr]:
    """The parts of an expression that have a value when it runs; of what sizeof names, only the type counts."""
    if not isinstance(expr, c.SizeOf):
        yield expr
        for part in c.children(expr):
            yield from _valued(part)


def _takes_from(variable: c.Variable, processes: Sequence[Process]) -> bool:
    """Whether a number is computed, where it is declared, from what a task before it has written."""
    if variable.init is None or variable.reference or not isinstance(variable.type, c.ScalarType):
        return False
    inside = list(_valued(variable.init))
    made = {u.variable for p in processes for u in p.uses if u.kind == "write"}
    named = {e.variable for e in inside if isinstance(e, (c.Name, c.ArrayRef))}
    return bool(made & named) and not any(isinstance(e, c.Call) for e in inside)


def _process(
    program: c.Program,
    index: int,
    stmt: c.Stmt,
    at: Origin,
    calls: tuple[c.Call, ...],
    kind: Literal["call", "loop", "if"],
) -> Process:
    uses = tuple(dict.fromkeys(sets(program).below(stmt)))
    own = declared(stmt)
    copies = isinstance(stmt, c.Loop) and any(
        d.kind == "unroll" and d.usable and d.loop == stmt.id and not d.has("off") for d in program.directives
    )
    several = copies and bool(calls)
    return Process(index, stmt, at, calls, tuple(u for u in uses if u.variable not in own), kind, several)


def declared(root: c.Stmt) -> frozenset[int]:
    """Variables that statements below ``root`` declare."""
    if isinstance(root, c.Declare):
        return frozenset()
    declarations = (s.variables for s in c.walk_statements(root) if isinstance(s, c.Declare))
    return frozenset(v for variables in declarations for v in variables)


def carries(program: c.Program, variable: int) -> bool:
    """Whether a variable is a channel that tasks may hand on data by: an array, stream, struct or pointer."""
    type_ = program.variable(variable).type
    blocks = isinstance(type_, c.OtherType) and type_.name.startswith(BLOCKS)
    return blocks or not isinstance(type_, (c.ScalarType, c.OtherType, c.VoidType))
