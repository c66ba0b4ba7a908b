"""Loops of a template that nothing instantiates: an II is given where it is that of every instance.

A parameter counts as a value that is not known, an operator on a type that is one as an operator of unknown latency.
What an instance knows more only takes work and orders away, so an II that no loop can be below is that of all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from hlspart.model import program as c
from hlspart.model.causes import Cause
from hlspart.model.code import once_per_code
from hlspart.nests.nests import Nest
from hlspart.predict.loops import Prediction
from hlspart.schedule.recurrence import recurrence_ii
from hlspart.semantics.effects import statement_expressions

_LONG = 1000  # states: more than any operator takes


@dataclass(frozen=True)
class OpenParts:
    """What of a function depends on parameters: a number in its statements or its arrays, and a type."""

    number: str | None
    type: bool


def of_parameters(program: c.Program, nest: Nest, p: Prediction, floor: int) -> Iterator[Cause]:
    """Why instances of the template may differ in the II of a loop; ``floor``: the II asked for."""
    assert p.schedule is not None
    ops = p.problem.graph.ops
    of_type = {i for i in p.problem.timing if ops[i].kind == "open"}
    if of_type:
        timing = {i: replace(t, states=_LONG) if i in of_type else t for i, t in p.problem.timing.items()}
        slow = recurrence_ii(replace(p.problem, timing=timing))
        if slow is None or slow > p.schedule.ii:
            lines = tuple(sorted({ops[i].line for i in of_type}))
            yield Cause("the latency of an operator on the type of a template parameter is not known", lines)
            return
    if p.schedule.ii <= floor:
        return
    local = (program.variable(v) for v in p.counts)
    name = _parameter(program, nest.body) or _extent(v for v in local if v.storage == "local")
    if name is not None:
        yield Cause(f"instances of the template may differ in the II: it depends on {name}")


def states_differ(program: c.Program, function: str) -> Cause | None:
    """Why instances of a template may differ in states: a function in which a parameter counts something."""
    found = open_parts(program).get(function)
    if found is None or found.number is None:
        return None
    return Cause(f"instances of the template may differ in states: they depend on {found.number}")


@once_per_code(32)
def open_parts(program: c.Program) -> Mapping[str, OpenParts]:
    """Functions of templates without an instance that depend on their parameters."""
    if all(unit.language == "c" for unit in program.units):
        return {}
    local: dict[str, list[c.Variable]] = {}
    for variable in program.variables:
        if variable.function is not None:
            local.setdefault(variable.function, []).append(variable)
    found: dict[str, OpenParts] = {}
    for name, function in program.functions.items():
        own = local.get(name, [])
        number = _parameter(program, (function.body,)) or _extent(v for v in own if v.storage == "local")
        of_type = any(c.is_open(_held(v.type)) for v in own)
        if number is not None or of_type:
            found[name] = OpenParts(number, of_type)
    return found


def _parameter(program: c.Program, body: Iterable[c.Stmt]) -> str | None:
    """The first parameter without a value in statements, and in the loops among them."""
    for stmt in body:
        for top in statement_expressions(program, stmt):
            for expr in c.walk(top):
                if isinstance(expr, c.OpaqueExpr) and expr.what == c.OPEN_PARAMETER:
                    return program.text(expr.at)
    return None


def _extent(arrays: Iterable[c.Variable]) -> str | None:
    """An array whose extent is not known, by which the tool may make registers of it."""
    return next((f"the extents of {v.name}" for v in arrays if None in v.dims), None)


def _held(kind: c.CType) -> c.CType:
    while isinstance(kind, c.ArrayType | c.StreamType | c.PointerType):
        kind = kind.target if isinstance(kind, c.PointerType) else kind.element
    return kind
