"""Names that may stand for one memory: arguments that a call makes of one array, and pointers into it.

Arguments of a function that nothing calls are memories of their own, as the tools take them; so are those of the top
function but where a call, which is a test bench's, visibly hands it one memory twice. Which statement comes first is
not looked at; what is not known of a pointer may be anything that can be pointed to.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property

from msgspec import Struct

from hlspart.model.code import once_per_code
from hlspart.model.program import (
    ArrayRef,
    ArrayType,
    Assign,
    Binary,
    Call,
    Cast,
    Comma,
    Conditional,
    Const,
    Expr,
    IncDec,
    Member,
    Name,
    PointerType,
    Program,
    ScalarType,
    StreamType,
    StringLit,
    StructType,
    Subscript,
    Unary,
    Variable,
    walk,
)
from hlspart.semantics.effects import Effects, effects, statement_expressions

_FRESH = frozenset(("malloc", "calloc", "aligned_alloc"))


class _Memory(Struct, frozen=True):
    """A variable, or the member of one that ``fields`` lead to. ``owner`` -1: any; below: what a call has made."""

    owner: int
    fields: tuple[str, ...] = ()


_ANY = _Memory(-1)


class Overlaps(Struct, frozen=True, dict=True):
    """Queries about one program; ``tops`` are its top functions, if that was said."""

    program: Program
    tops: frozenset[str] = frozenset()

    def may_be(self, first: int, second: int) -> bool:
        """Whether two variables that one function knows are one, or may be names of one memory."""
        if first == second or not (self._is_reached(first) and self._is_reached(second)):
            return first == second
        return any(self._meet(a, b) for a in self._behind(first) for b in self._behind(second))

    def stored_twice_named(
        self, roots: Iterable[Expr], apart: Collection[int] = ()
    ) -> tuple[Variable, Variable] | None:
        """A variable that expressions store to, and another name of its memory in them; ``apart`` are not looked at."""
        nodes = [n for root in roots for n in walk(root)]
        used = {n.variable for n in nodes if isinstance(n, Name | ArrayRef)}
        stored = {v for n in nodes if (v := _stored(n)) is not None}
        pairs = ((a, b) for a in sorted(stored.difference(apart)) for b in sorted(used.difference(apart)))
        overlapping = next((pair for pair in pairs if pair[0] != pair[1] and self.may_be(*pair)), None)
        return (
            None
            if overlapping is None
            else (self.program.variable(overlapping[0]), self.program.variable(overlapping[1]))
        )

    def is_of_file_scope(self, ident: int) -> bool:
        """Whether a variable may be a name of one of file scope that is no constant."""
        return any(self._meet(m, _Memory(shared)) for m in self._behind(ident) for shared in self._shared)

    def _is_reached(self, ident: int) -> bool:
        """Whether anything but its own name may reach a variable."""
        variable = self.program.variable(ident)
        return not isinstance(variable.type, ScalarType) or variable.reference or ident in self._effects.addressed

    @property
    def _effects(self) -> Effects:
        return effects(self.program)

    # ------------------------------------------------------------------------------ what a name stands for

    @cached_property
    def _set(self) -> dict[int, list[Expr]]:
        """By pointer: what it is set to, wherever that is."""
        values: dict[int, list[Expr]] = {}
        for variable in self.program.variables:
            bound = variable.reference or isinstance(variable.type, PointerType)
            if bound and variable.init is not None:
                values.setdefault(variable.id, []).append(variable.init)
        for function in self.program.functions.values():
            for root in statement_expressions(self.program, function.body):
                for e in walk(root):
                    if isinstance(e, Assign) and isinstance(e.target, Name) and _points(e.target):
                        values.setdefault(e.target.variable, []).append(e.value)
        return values

    def _behind(self, ident: int, above: frozenset[int] = frozenset()) -> frozenset[_Memory]:
        """Memories that a name may stand for, as the function of the name knows them."""
        variable = self.program.variable(ident)
        pointer = isinstance(variable.type, PointerType)
        own = frozenset((_Memory(ident),))
        if not (pointer or variable.reference) or ident in above:
            return own if not pointer and not variable.reference else frozenset()
        if pointer and ident in self._effects.addressed:
            return frozenset((_ANY,))
        given = self._set.get(ident, [])
        memories = frozenset[_Memory]().union(*(self._of(e, above | {ident}) for e in given))
        if variable.storage == "parameter" or not given:
            return own | memories
        elsewhere = any(m.owner >= 0 and self.program.variable(m.owner).function is not None for m in memories)
        return frozenset((_ANY,)) if variable.storage != "local" and elsewhere else memories

    def _of(self, expr: Expr, above: frozenset[int] = frozenset()) -> frozenset[_Memory]:
        """Memories that the value of an array or pointer leads to, or that a place is in."""
        match expr:
            case Name(variable=ident):
                return self._behind(ident, above)
            case ArrayRef(variable=ident, type=kind):
                return self._behind(ident, above) if not isinstance(kind, PointerType) else frozenset((_ANY,))
            case Unary(op="&", operand=ArrayRef(variable=ident)):
                return self._behind(ident, above)
            case Unary(op="&", operand=Member() | Subscript() as place):
                return self._place(place, above)
            case Unary(op="&" | "+", operand=inner) | Cast(operand=inner) | IncDec(operand=inner):
                return self._of(inner, above)
            case Unary(op="*", operand=inner) if not isinstance(expr.type, PointerType):
                return self._of(inner, above)
            case Member() | Subscript() if not isinstance(expr.type, PointerType):
                return self._place(expr, above)
            case Assign(op="=", value=value):
                return self._of(value, above)
            case Assign(target=target):
                return self._of(target, above)
            case Binary(left=left, right=right):
                return frozenset[_Memory]().union(*(self._of(e, above) for e in (left, right) if _points(e)))
            case Conditional(then=then, other=other):
                return self._of(then, above) | self._of(other, above)
            case Comma(items=items):
                return self._of(items[-1], above)
            case Const() | StringLit():
                return frozenset()
            case Call(function=name, id=ident) if name in _FRESH and name not in self.program.functions:
                return frozenset((_Memory(-2 - ident),))
        return frozenset((_ANY,))

    def _place(self, expr: Expr, above: frozenset[int]) -> frozenset[_Memory]:
        """Memories that a member or an element is in."""
        if isinstance(expr, Subscript):
            return self._place(expr.base, above) if not isinstance(expr.base.type, PointerType) else frozenset((_ANY,))
        if not isinstance(expr, Member):
            return self._of(expr, above)
        if expr.arrow and not isinstance(expr.base, Name):
            return frozenset((_ANY,))
        around = expr.base.type.target if isinstance(expr.base.type, PointerType) else expr.base.type
        whole = isinstance(around, StructType) and around.union
        return frozenset(
            m if whole or m.owner == -1 else _Memory(m.owner, (*m.fields, expr.field))
            for m in self._place(expr.base, above)
        )

    # ------------------------------------------------------------------------------ what calls hand on

    @cached_property
    def _tied(self) -> Mapping[int, set[int]]:
        """By parameter: others of its function, and variables of file scope, that a call makes one memory with it."""
        tied: dict[int, set[int]] = {}
        self.__dict__["_tied"] = tied  # what is known so far
        calls = [c for several in self._effects.calls.values() for c in several if c.function in self.program.functions]
        known = -1
        while known < (total := sum(map(len, tied.values()))):
            known = total
            for call in calls:
                for one, other in self._ties(call):
                    tied.setdefault(one, set()).add(other)
                    tied.setdefault(other, set()).add(one)
        return tied

    def _ties(self, call: Call) -> Iterator[tuple[int, int]]:
        params, is_top = self.program.functions[call.function or ""].params, call.function in self.tops
        given = [
            (formal, self._of(arg), _names(arg))
            for formal, arg in zip(params, call.args, strict=False)
            if _names_memory(self.program.variable(formal))
        ]
        for k, (formal, memories, names) in enumerate(given):
            for other, theirs, others in given[:k]:
                if (is_top and names & others) or any(self._meet(a, b, not is_top) for a in memories for b in theirs):
                    yield formal, other
            for memory in memories:
                anything = not is_top and (memory.owner == -1 or memory.owner in self._lent)
                near = self._shared if anything else {memory.owner, *self._tied.get(memory.owner, ())} & self._shared
                yield from ((formal, shared) for shared in near)

    @cached_property
    def _shared(self) -> frozenset[int]:
        """Variables of file scope that can be pointed to and are not constant."""
        return frozenset(
            v.id for v in self.program.variables
            if v.function is None and not v.const and not isinstance(v.type, PointerType) and self._is_reached(v.id)
        )  # fmt: skip

    @cached_property
    def _lent(self) -> frozenset[int]:
        """Parameters of functions that are called through pointers."""
        functions = (self.program.functions.get(name) for name in self._effects.taken)
        return frozenset(p for f in functions if f is not None for p in f.params)

    def _meet(self, one: _Memory, other: _Memory, unknown: bool = True) -> bool:
        """Whether two memories may be one; ``unknown``: whether what is not known may be."""
        if one.owner == other.owner != -1:
            short = min(len(one.fields), len(other.fields))
            return one.fields[:short] == other.fields[:short]
        if -1 in (one.owner, other.owner) or one.owner in self._lent or other.owner in self._lent:
            return unknown
        return other.owner in self._tied.get(one.owner, ())


def _stored(node: Expr) -> int | None:
    """The variable that an expression changes by itself, in whole or in part."""
    place = node.target if isinstance(node, Assign) else node.operand if isinstance(node, IncDec) else None
    while isinstance(place, Cast | Member | Subscript | Unary):
        place = place.base if isinstance(place, Member | Subscript) else place.operand
    return place.variable if isinstance(place, Name | ArrayRef) else None


def _points(expr: Expr) -> bool:
    return isinstance(expr.type, ArrayType | PointerType)


def _names(expr: Expr) -> frozenset[int]:
    """Variables that an argument is computed from: what has one in common may be one memory, whatever it is."""
    return frozenset(x.variable for x in walk(expr) if isinstance(x, Name | ArrayRef))


def _names_memory(formal: Variable) -> bool:
    """Whether a parameter is another name of what is handed on."""
    return formal.reference or isinstance(formal.type, ArrayType | PointerType | StreamType)


@once_per_code(32)
def overlaps(program: Program, tops: Iterable[str] = ()) -> Overlaps:
    """The names of one memory in a program, kept for the last few programs."""
    return Overlaps(program, frozenset(tops))
