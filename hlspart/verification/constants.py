"""What two sources say about the data worth trying: the constants they mention, what steers their loops."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from msgspec import Struct, field

from hlspart.model.program import (
    ArrayRef,
    Assign,
    Binary,
    Call,
    Const,
    Expr,
    InitList,
    Loop,
    Name,
    Program,
    expressions,
    walk,
    walk_statements,
)

_COMPARISONS = {"==", "!=", "<", "<=", ">", ">="}
_MOST = 256  # constants that are tried; those that random data hardly meet come first
_SMALL = 64  # random data meet such integers anyway


class Hints(Struct, frozen=True):
    """``constants``: numbers at and around those of the sources. ``extents``: of their arrays, ascending.

    ``steering``: names of parameters and globals of the original that decide how often a loop runs.
    """

    constants: tuple[int | float, ...] = ()
    extents: tuple[int, ...] = ()
    steering: frozenset[str] = field(default_factory=frozenset)


def hints_of(original: Program, new: Program, top: str) -> Hints:
    """Hints for inputs of ``top`` in ``original``, from the text of both versions."""
    both = (original, new)
    dims = (d for p in both for v in p.variables for d in v.dims if d is not None and d > 1)
    return Hints(_constants(both), tuple(sorted(set(dims))), _steering(original, top))


def _constants(programs: Iterable[Program]) -> tuple[int | float, ...]:
    """Each number a source mentions, its neighbours, and what two of one comparison make together."""
    constants: dict[int | float, None] = {}
    for program in programs:
        for expr in _roots(program):
            for node in walk(expr):
                if isinstance(node, Binary) and node.op in _COMPARISONS:
                    for value in _combined([n.value for n in walk(node) if isinstance(n, Const)]):
                        constants[value] = None
        for expr in _roots(program):
            for node in walk(expr):
                if isinstance(node, Const):
                    constants.update(dict.fromkeys(_around(node.value)))
    numbers = [v for v in constants if math.isfinite(v) and abs(v) < 2**64]
    return tuple(sorted(numbers, key=lambda v: abs(v) <= _SMALL)[:_MOST])  # stable: as the sources have them


def _combined(values: list[int | float]) -> Iterator[int | float]:
    for value in values:
        yield from _around(value)
    whole = list(dict.fromkeys(v for v in values if isinstance(v, int)))[:4]
    for a in whole:
        for b in whole:
            if a != b or values.count(a) > 1:
                yield from _around(a + b)
                yield from _around(a - b)
                yield from _around(a * b)
                if 0 < b < 32:
                    yield from _around(a << b)


def _around(value: int | float) -> Iterator[int | float]:
    if isinstance(value, float):
        near = (value, math.nextafter(value, math.inf), math.nextafter(value, -math.inf))
        yield from (*near, *(-v for v in near))
    else:
        yield from (value, value + 1, value - 1, -value)


def _roots(program: Program) -> Iterator[Expr]:
    """Every expression of a program; of the initial values of arrays none, they are data."""
    for function in program.functions.values():
        for stmt in walk_statements(function.body):
            yield from expressions(stmt)
    for variable in program.variables:
        if variable.init is not None and not isinstance(variable.init, InitList):
            yield variable.init


# ----------------------------------------------------------------------------------- steering


def _steering(program: Program, top: str) -> frozenset[str]:
    """Names of ``top``'s parameters and of globals that reach the condition of a loop, by assignments and calls."""
    flows: dict[int, set[int]] = {}  # variable -> those whose values it may take
    wanted: set[int] = set()
    for variable in program.variables:
        if variable.init is not None:
            flows.setdefault(variable.id, set()).update(_names(variable.init))
    for function in program.functions.values():
        for stmt in walk_statements(function.body):
            for expr in expressions(stmt):
                _note(program, expr, flows)
                if isinstance(stmt, Loop):
                    wanted.update(_names(expr))
    pending = list(wanted)
    while pending:
        fresh = flows.get(pending.pop(), set()) - wanted
        wanted |= fresh
        pending += fresh
    inputs = {*program.functions[top].params, *(v.id for v in program.variables if v.storage == "global")}
    return frozenset(program.variable(v).name for v in wanted & inputs)


def _note(program: Program, expr: Expr, flows: dict[int, set[int]]) -> None:
    for node in walk(expr):
        match node:
            case Assign():
                target = next(_names(node.target), None)
                if target is not None:
                    flows.setdefault(target, set()).update(_names(node.value))
            case Call(function=str() as callee) if callee in program.functions:
                for formal, actual in zip(program.functions[callee].params, node.args, strict=False):
                    names = set(_names(actual))
                    flows.setdefault(formal, set()).update(names)
                    for name in names:  # what the callee stores through an address or a reference comes back
                        flows.setdefault(name, set()).add(formal)


def _names(expr: Expr) -> Iterator[int]:
    """Variables that an expression mentions."""
    return (node.variable for node in walk(expr) if isinstance(node, Name | ArrayRef))
