"""A program whose calls of ``memcpy`` and ``memset`` are loops, for analysis alone, without a text.

A tool makes a loop of such a call, an element an iteration, and pipelines it in every version (public reports:
``memcpy.dst.src`` in Vivado HLS, a loop without a name in Vitis HLS). Calls stay that copy between elements of
different sizes, parts of elements, or what hlspart cannot name.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from msgspec import Struct
from msgspec.structs import replace

from hlspart.model.code import of_code
from hlspart.model.program import (
    INT,
    SAME_BITS,
    ArrayRef,
    ArrayType,
    Assign,
    Binary,
    Block,
    Call,
    Cast,
    Const,
    Declarator,
    Declare,
    Expr,
    ExprStmt,
    IncDec,
    Loop,
    Name,
    OpaqueExpr,
    PointerType,
    Program,
    ScalarType,
    Stmt,
    Unary,
    Variable,
    integer,
    storage_bytes,
    walk,
    walk_statements,
)
from hlspart.model.rebuild import map_parts
from hlspart.model.source import Origin
from hlspart.semantics.block_copies import block_copy
from hlspart.transform.arms import constant
from hlspart.transform.copying import largest_id


@of_code
def with_copy_loops(program: Program) -> Program:
    """``program`` itself where nothing is copied by call. Nodes that stay keep their ids; new ones follow."""
    if not any(block_copy(s) for f in program.functions.values() for s in walk_statements(f.body)):
        return program
    return _Loops(program).program_()


class _Place(Struct, frozen=True):
    """Elements that follow each other: indices that stay, the first one's offset, the extents that are counted."""

    variable: Variable
    fixed: tuple[Expr, ...]
    offset: Expr | None
    dims: tuple[int | None, ...]
    element: ScalarType

    @property
    def inner(self) -> int | None:
        """Elements for each value of the first counted index; None where that is not known."""
        known = [d for d in self.dims[1:] if d is not None]
        return math.prod(known) if len(known) == len(self.dims) - 1 else None


@dataclass
class _Loops:
    program: Program
    variables: list[Variable] = field(init=False)
    loops: dict[int, Loop] = field(init=False)
    function: str = ""
    scope: int = 0

    def __post_init__(self) -> None:
        self.variables, self.loops = list(self.program.variables), dict(self.program.loops)
        self.next = largest_id(self.program)

    def program_(self) -> Program:
        functions = dict(self.program.functions)
        for name, function in functions.items():
            self.function, self.scope = name, function.body.id
            body = self._stmt(function.body)
            assert isinstance(body, Block)
            functions[name] = function if body is function.body else replace(function, body=body)
        return replace(self.program, functions=functions, variables=tuple(self.variables), loops=self.loops)

    def _stmt(self, stmt: Stmt) -> Stmt:
        if (call := block_copy(stmt)) is not None:
            return self._copied(call) or stmt
        made = map_parts(stmt, lambda e: e, self._stmt)
        if isinstance(made, Loop):
            self.loops[made.id] = made
        return made

    def _ident(self) -> int:
        self.next += 1
        return self.next

    def _copied(self, call: Call) -> Loop | None:
        """The loops of a call; None where it stays one."""
        to, given, size = call.args
        target = self._place(to)
        source = None if (call.function or "").endswith("memset") else self._place(given)
        if target is None or any(isinstance(e, Assign | Call | IncDec) for a in call.args for e in walk(a)):
            return None
        count = _elements(self.program, size, storage_bytes(target.element.bits))
        if (call.function or "").endswith("memset"):
            if constant(self.program, given) != 0:
                return None
        elif source is None or storage_bytes(source.element.bits) != storage_bytes(target.element.bits):
            return None
        shapes = [p for p in (target, source) if p is not None]
        deep = max(shapes, key=lambda p: len(p.dims))
        fits = all(len(p.dims) == 1 or p.dims[1:] == deep.dims[1:] for p in shapes)
        if count is None or not fits or deep.inner is None:
            return None
        first = self._over(count, deep.inner)
        if first is None:
            return None
        name = ".".join(("memset" if source is None else "memcpy", *(p.variable.name for p in shapes)))
        counts: list[Expr] = [first, *(integer(d or 1, call.at) for d in deep.dims[1:])]
        iterators = [self._iterator(call.at, f"{name}.{k}") for k in range(len(counts))]
        names = [Name(call.at, INT, i) for i in iterators]
        stored = self._element(target, names, deep.dims, call.at)
        value: Expr = Const(call.at, target.element, 0, "0")
        if source is not None:
            value = self._element(source, names, deep.dims, call.at)
            if source.element != target.element:
                value = OpaqueExpr(call.at, target.element, SAME_BITS, (value,))
        body: Stmt = ExprStmt(call.at, Assign(call.at, target.element, "=", stored, value))
        for iterator, end in reversed(list(zip(iterators, counts, strict=True))):
            body = self._loop(call.at, name, iterator, end, body)
        assert isinstance(body, Loop)
        return body

    def _over(self, count: Expr, inner: int) -> Expr | None:
        if inner == 1:
            return count
        value = count.value if isinstance(count, Const) else None
        return integer(int(value) // inner, count.at) if value is not None and value % inner == 0 else None

    def _iterator(self, at: Origin, name: str) -> int:
        declared = Declarator(at, at, at, at, brackets=(), initialiser=None, index=0, count=1)
        new = Variable(
            len(self.variables), name, INT, "local", self.function, self.scope, (declared,), init=integer(0, at)
        )
        self.variables.append(new)
        return new.id

    def _loop(self, at: Origin, name: str, iterator: int, end: Expr, body: Stmt) -> Loop:
        counter = Name(at, INT, iterator)
        ident = self._ident()
        loop = Loop(
            ident, at, "for", name, None, self.function, at, Declare(at, (iterator,)),
            Binary(at, INT, "<", counter, end), IncDec(at, INT, "++", True, counter),
            Block(self._ident(), at, (body,), braces=False), made=True,
        )  # fmt: skip
        self.loops[ident] = loop
        return loop

    def _element(self, place: _Place, names: list[Name], dims: tuple[int | None, ...], at: Origin) -> ArrayRef:
        """The element of an iteration."""
        own: list[Expr] = list(names)
        if len(place.dims) < len(names):  # one dimension beside several: iterations in a row
            flat: Expr = names[0]
            for n, extent in zip(names[1:], dims[1:], strict=True):
                flat = Binary(at, INT, "+", Binary(at, INT, "*", flat, integer(extent or 1, at)), n)
            own = [flat]
        if place.offset is not None:
            own[0] = Binary(at, INT, "+", place.offset, own[0])
        return ArrayRef(self._ident(), at, place.element, place.variable.id, (*place.fixed, *own), at, ())

    def _place(self, expr: Expr) -> _Place | None:
        """What an address points to, if it is the start of elements of a variable."""
        while isinstance(expr, Cast) and isinstance(expr.type, PointerType):
            expr = expr.operand
        match expr:
            case Name(variable=ident):
                return self._rows(ident, (), None)
            case ArrayRef(variable=ident, indices=indices, type=ArrayType()):
                return self._rows(ident, indices, None)
            case Unary(op="&", operand=ArrayRef(variable=ident, indices=indices, type=ScalarType())):
                place = self._rows(ident, indices[:-1], indices[-1])
                return place if place is not None and len(place.dims) == 1 else None
            case Binary(op="+", left=left, right=right) if isinstance(expr.type, PointerType):
                base, offset = (left, right) if isinstance(left.type, ArrayType | PointerType) else (right, left)
                place = self._place(base)
                if place is None or len(place.dims) > 1:
                    return None
                if place.offset is not None:
                    offset = Binary(expr.at, offset.type, "+", place.offset, offset)
                return replace(place, offset=offset)
        return None

    def _rows(self, ident: int, fixed: tuple[Expr, ...], offset: Expr | None) -> _Place | None:
        variable = self.program.variable(ident)
        array = variable.as_array
        if array is None or not isinstance(array.element, ScalarType) or len(fixed) >= len(array.dims):
            return None
        return _Place(variable, fixed, offset, array.dims[len(fixed) :], array.element)


def _elements(program: Program, size: Expr, each: int) -> Expr | None:
    """How many elements of ``each`` bytes a number of bytes is; None where that is no whole number for certain."""
    while isinstance(size, Cast):
        size = size.operand
    known = constant(program, size)
    if known is not None:
        return integer(int(known) // each, size.at) if known >= 0 and known % each == 0 else None
    if isinstance(size, Binary) and size.op == "*":
        for one, other in ((size.left, size.right), (size.right, size.left)):
            value = constant(program, one)
            if value is not None and value > 0 and value % each == 0:
                times = int(value) // each
                return other if times == 1 else Binary(size.at, INT, "*", other, integer(times, size.at))
            below = _elements(program, one, each) if isinstance(one, Binary) else None
            if below is not None:
                return Binary(size.at, INT, "*", below, other)
    return None
