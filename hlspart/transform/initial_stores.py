"""A program whose arrays get the values of a list at run time by stores, for analysis alone, without a text.

``int a[2] = {x[0], x[1]};`` does what two assignments do: its values take loads, states and ports of the memory as
theirs. Lists of constants stay, as do those that name their elements.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from msgspec.structs import replace

from hlspart.model.code import of_code
from hlspart.model.program import (
    ArrayRef,
    ArrayType,
    Assign,
    Block,
    Const,
    Declare,
    Expr,
    ExprStmt,
    InitList,
    Loop,
    Program,
    ScalarType,
    Stmt,
    Variable,
    integer,
)
from hlspart.model.rebuild import map_parts
from hlspart.semantics.spans import item
from hlspart.transform.arms import constant
from hlspart.transform.copying import largest_id

MOST_STORES = 256  # of one list


@of_code
def with_initial_stores(program: Program) -> Program:
    """``program`` itself where no list has values of the run. Nodes that stay keep their ids; new ones follow."""
    stores = {v.id: values for v in program.variables if (values := _values(program, v)) is not None}
    return _Stores(program, stores).program_() if stores else program


_Values = tuple[tuple[tuple[int, ...], Expr], ...]


def _values(program: Program, variable: Variable) -> _Values | None:
    """The value of each element of a list that is worked out at run time; None for all others."""
    kind, dims, init = variable.type, variable.dims, variable.init
    if variable.storage != "local" or not isinstance(init, InitList) or not isinstance(kind, ArrayType):
        return None
    extents = [d for d in dims if d is not None]
    if not isinstance(kind.element, ScalarType) or len(extents) < len(dims) or math.prod(extents) > MOST_STORES:
        return None
    values = []
    for index in product(*map(range, extents)):
        value = item(init, dims, index)
        if value is None:
            return None
        values.append((index, Const(init.at, kind.element, value, str(value)) if isinstance(value, int) else value))
    return None if all(constant(program, value) is not None for _, value in values) else tuple(values)


@dataclass
class _Stores:
    program: Program
    stores: dict[int, _Values]
    loops: dict[int, Loop] = field(init=False)

    def __post_init__(self) -> None:
        self.loops, self.next = dict(self.program.loops), largest_id(self.program)

    def program_(self) -> Program:
        functions = dict(self.program.functions)
        for name, function in functions.items():
            body = self._stmt(function.body)
            assert isinstance(body, Block)
            functions[name] = function if body is function.body else replace(function, body=body)
        variables = tuple(
            replace(v, init=None, const=False) if v.id in self.stores else v for v in self.program.variables
        )
        return replace(self.program, functions=functions, variables=variables, loops=self.loops)

    def _stmt(self, stmt: Stmt) -> Stmt:
        made = map_parts(stmt, lambda e: e, self._stmt)
        if isinstance(made, Block):
            body = tuple(s for part in made.body for s in self._parts(part))
            return made if len(body) == len(made.body) else replace(made, body=body)
        if isinstance(made, Loop):
            self.loops[made.id] = made
        return made

    def _parts(self, stmt: Stmt) -> Iterator[Stmt]:
        """A declaration, with the stores behind each array that has some."""
        if not isinstance(stmt, Declare) or not self.stores.keys() & stmt.variables:
            yield stmt
            return
        for ident in stmt.variables:
            yield Declare(stmt.at, (ident,))
            for index, value in self.stores.get(ident, ()):
                yield self._store(self.program.variable(ident), index, value)

    def _store(self, variable: Variable, index: tuple[int, ...], value: Expr) -> Stmt:
        kind, at, self.next = variable.type, value.at, self.next + 1
        assert isinstance(kind, ArrayType) and isinstance(kind.element, ScalarType)
        indices = tuple(integer(n, at) for n in index)
        target = ArrayRef(self.next, at, kind.element, variable.id, indices, at, ())
        return ExprStmt(at, Assign(at, kind.element, "=", target, value))
