"""Every use of every array, with what kind of use it is.

A rewrite may proceed only when each use of an array is one it knows how to edit; so this walk
looks at all of the program, reached by the analysis or not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Literal

from msgspec import Struct

from hlspart.model.program import (
    ArrayRef,
    Call,
    Declare,
    Expr,
    Function,
    FunctionName,
    Name,
    Program,
    SizeOf,
    Unary,
    children,
    expressions,
    walk,
    walk_statements,
)
from hlspart.model.source import Span

_TEMPLATE = re.compile(r"\btemplate\s*<[^;{}]*>\s*\Z")

UseKind = Literal["element", "row", "argument", "sizeof", "address", "whole"]


class Use(Struct, frozen=True, eq=False):
    """One use of the variable: a full element, a row, the array as a call's argument, ..

    ``call`` and ``position`` for arguments, ``size`` for what stands under a ``sizeof``.
    """

    variable: int
    kind: UseKind
    node: ArrayRef | Name
    function: str | None
    call: Call | None = None
    position: int | None = None
    size: SizeOf | None = None


class Uses(Struct, frozen=True, dict=True):
    """All uses of a program's arrays."""

    program: Program

    @cached_property
    def all(self) -> tuple[Use, ...]:
        """In order of functions and text."""
        return tuple(_program_uses(self.program))

    @cached_property
    def by_variable(self) -> Mapping[int, tuple[Use, ...]]:
        """Grouped by variable id."""
        by_variable: dict[int, list[Use]] = {}
        for use in self.all:
            by_variable.setdefault(use.variable, []).append(use)
        return {variable: tuple(uses) for variable, uses in by_variable.items()}

    @cached_property
    def shared_spans(self) -> Mapping[tuple[str, int, int], frozenset[int]]:
        """Which variables the name at a place means (a macro argument can mean several)."""
        meant: dict[tuple[str, int, int], set[int]] = {}
        for use in self.all:
            span = (use.node.name if isinstance(use.node, ArrayRef) else use.node.at).span
            meant.setdefault((span.path, span.start, span.end), set()).add(use.variable)
        return {key: frozenset(names) for key, names in meant.items()}

    @cached_property
    def unknown(self) -> Mapping[str, tuple[Span, ...]]:
        """Where the text says a variable's name, and no record says what it does there."""
        known = {d.name.span for v in self.program.variables for d in v.declarations}
        for function in self.program.functions.values():
            known.add(function.name_at.span)
            for prototype in function.prototypes:
                known |= {prototype.name.span, *(d.name.span for d in prototype.params)}
        nodes = [n for root, _ in roots(self.program) for n in walk(root)]
        nodes += [n for size in self.program.sizes for n in walk(size)]
        for node in nodes:
            known.add((node.name if isinstance(node, ArrayRef) else node.at).span)
            if isinstance(node, Call):
                known.add(node.callee.span)
        ends = {(span.path, span.end) for span in known}  # a record may begin with a qualifier
        listed = [f.signature.span for f in self.program.functions.values() if self._is_old_style(f)]

        def seen(span: Span) -> bool:
            return (span.path, span.end) in ends or any(
                s.path == span.path and s.start <= span.start < s.end for s in listed
            )

        left = {n: tuple(s for s in spans if not seen(s)) for n, spans in self.program.mentions.items()}
        return {name: spans for name, spans in left.items() if spans}

    @cached_property
    def instances(self) -> Mapping[str, int]:
        """Of each function of a template, how many functions share its text."""
        count = Counter(function.at.span for function in self.program.functions.values())
        counts = {}
        for name, function in self.program.functions.items():
            at = function.at.span
            if count[at] > 1 or _TEMPLATE.search(self.program.sources[at.path].text, max(0, at.start - 400), at.start):
                counts[name] = count[at]
        return counts

    def _is_old_style(self, function: Function) -> bool:
        """Whether the parameters are declared behind the list of their names."""
        declared = (self.program.variable(v).declarations[0].statement for v in function.params)
        return any(self.program.text(at).endswith(";") for at in declared)

    @cached_property
    def function_values(self) -> tuple[FunctionName, ...]:
        """Functions used other than by calling them."""
        return tuple(n for e, _ in roots(self.program) for n in walk(e) if isinstance(n, FunctionName))

    @cached_property
    def calls(self) -> tuple[tuple[Call, str | None], ...]:
        """Every call with the function it stands in."""
        return tuple((n, f) for e, f in roots(self.program) for n in walk(e) if isinstance(n, Call))


def roots(program: Program) -> Iterator[tuple[Expr, str | None]]:
    """Every outermost expression and the function it stands in."""
    for variable in program.variables:
        if variable.init is not None:
            yield variable.init, variable.function
    for function in program.functions.values():
        yield from _function_roots(function)


def _function_roots(function: Function) -> Iterator[tuple[Expr, str | None]]:
    for stmt in walk_statements(function.body):
        if not isinstance(stmt, Declare):
            for expr in expressions(stmt):
                yield expr, function.name


def _program_uses(program: Program) -> Iterator[Use]:
    for expr, function in roots(program):
        yield from _visit(program, expr, function, None, None, None)
    for size in program.sizes:
        for node in walk(size):
            if isinstance(node, Name | ArrayRef) and program.variable(node.variable).as_array is not None:
                yield Use(node.variable, "sizeof", node, None, size=size)


def _visit(
    program: Program, expr: Expr, function: str | None, call: Call | None, position: int | None, around: Unary | None
) -> Iterator[Use]:
    kind: UseKind
    match expr:
        case ArrayRef():
            array = program.variable(expr.variable).as_array
            kind = "element" if array is None or len(expr.indices) == len(array.dims) else "row"
            if isinstance(around, Unary):
                kind = "address"
            yield Use(expr.variable, kind, expr, function, call, position)
            for index in expr.indices:
                yield from _visit(program, index, function, None, None, None)
        case Name():
            if program.variable(expr.variable).as_array is not None:
                if isinstance(around, Unary):
                    kind = "address"
                elif call is not None:
                    kind = "argument"
                else:
                    kind = "whole"
                yield Use(expr.variable, kind, expr, function, call, position)
        case Call():
            for k, arg in enumerate(expr.args):
                yield from _visit(program, arg, function, expr, k, None)
        case SizeOf():
            return  # Program.sizes has them all
        case Unary(op="&"):
            for child in children(expr):
                yield from _visit(program, child, function, None, None, expr)
        case _:
            for child in children(expr):
                yield from _visit(program, child, function, None, None, None)
