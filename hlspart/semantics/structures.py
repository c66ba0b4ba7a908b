"""Structures of a program and how they are used: member by member, as a whole, handed from call to call."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from hlspart.model.program import (
    CONSTRUCTOR,
    LITERAL,
    ArrayRef,
    ArrayType,
    Assign,
    Call,
    Comma,
    Conditional,
    Const,
    CType,
    Expr,
    ExprStmt,
    FunctionName,
    IncDec,
    InitList,
    Member,
    Name,
    OpaqueExpr,
    PointerType,
    Program,
    Return,
    SizeOf,
    Stmt,
    StreamType,
    StructType,
    Subscript,
    Unary,
    Variable,
    children,
    expressions,
    integer,
    walk,
    walk_statements,
)
from hlspart.semantics.effects import effects, statement_expressions
from hlspart.semantics.held import (
    COPIED,
    Path,
    below,
    held_by,
    is_copied,
    is_empty,
    is_flat,
    is_made_of_value,
    is_number,
    is_taken,
    leaves,
    member,
    named,
    part,
    root,
)

Arguments = Literal["apart", "word", "whole"]
_TAKE_VALUES = frozenset({"stream.write", "stream.write_nb"})


class MemberPlace(Struct, frozen=True):
    """Part of a structure variable: the whole where ``path`` is empty."""

    variable: int
    path: Path
    indices: tuple[Expr, ...]
    type: CType


class StructureUses:
    """How every structure is used: which stay whole, and which go together."""

    def __init__(self, program: Program, tops: Collection[str], arguments: Arguments) -> None:
        self.program = program
        self.idle = _idle(program, tops)
        mine = (v for v in program.variables if v.function not in self.idle)
        self.roots = {v.id: kind for v in mine if (kind := root(v)) is not None}
        self.aliases: dict[int, Unary] = {}  # local pointers that always point to one structure -> its address
        self.aliases = self._aliases()
        self.words: set[int] = set()  # arguments of a top function that are one word, arrays and all
        self.many: set[int] = {v for v in self.roots if program.variable(v).dims}  # more than one structure
        self.links: list[tuple[int, int]] = []
        self.copies: list[tuple[int, int]] = []  # links by value: each of the two may stay whole by itself
        self._single: list[tuple[int, int]] = []  # (what is handed on, parameter) of one structure: `&s`
        self.whole: set[int] = set()
        self.whole |= {v for v in self.roots if program.variable(v).extern}
        self._directives(tops, arguments)
        for function in program.functions.values():
            for stmt in walk_statements(function.body) if function.name not in self.idle else ():
                self._statement(stmt)
        for variable in program.variables:
            if variable.function not in self.idle:
                self._initial(variable)
        self._spread()

    def _spread(self) -> None:
        """Pointers that are handed to pointers to several structures point to several, too."""
        pointers = [p for p in self.links if all(isinstance(self.program.variable(v).type, PointerType) for v in p)]
        grown = True
        while grown:
            more = {v for pair in pointers if not self.many.isdisjoint(pair) for v in pair}
            grown = not more <= self.many
            self.many |= more
        self.whole |= {formal for _, formal in self._single if formal in self.many} | self.words & self.many

    def chosen(self) -> frozenset[int]:
        """Variables to take apart: no member of their set stays whole, and one has arrays."""
        whole = self.whole.union(*(g for g in self._groups(self.links) if not g.isdisjoint(self.whole)))
        copies = [p for p in self.copies if not any(v in whole and is_flat(self.roots[v]) for v in p)]
        out: set[int] = set()
        for group in self._groups([*self.links, *copies]):
            if group.isdisjoint(self.whole) and any(map(self._arrays, group)):
                out |= group
        return frozenset(out)

    def _groups(self, pairs: Collection[tuple[int, int]]) -> list[set[int]]:
        """The variables in sets, those of a pair in one."""
        left = {v: {v} for v in self.roots}
        for a, b in pairs:
            if left[a] is not left[b]:
                left[a] |= left[b]
                for v in left[b]:
                    left[v] = left[a]
        return list({id(g): g for g in left.values()}.values())

    def _is_plain(self, variable: int) -> bool:
        """Whether a variable is one structure of numbers, with a value of its own."""
        of = self.program.variable(variable)
        return isinstance(of.type, StructType) and not of.reference and is_flat(self.roots[variable])

    def _arrays(self, variable: int) -> bool:
        of = self.program.variable(variable).type
        leaf_shapes = [leaf for _, leaf in leaves(self.roots[variable])]
        return isinstance(of, ArrayType) or any(
            leaf.dims or isinstance(leaf.element, StreamType) for leaf in leaf_shapes
        )

    def _directives(self, tops: Collection[str], arguments: Arguments) -> None:
        asked: set[int] = set()
        bound: set[int] = set()
        channels = {v for v, of in self.roots.items() if any(isinstance(x.element, StreamType) for _, x in leaves(of))}
        for d in self.program.directives:
            mine = self.roots.keys() & set(d.variables)
            if d.kind == "interface":  # what holds a channel is apart without being asked (UG1399)
                bound |= mine
                mine -= channels
            if d.kind == "disaggregate":
                asked |= mine
            elif d.kind in ("stable", "reset"):
                continue  # of a DATAFLOW region, of the reset signal: says nothing of memories
            elif mine and (d.kind not in COPIED or (member(d) is None) is not (named(d) is None)):
                self.whole |= mine
            elif member(d) is not None:
                self.whole |= {v for v in mine if not list(below(self.roots[v], member(d)))}
        for name in tops if arguments != "apart" else ():
            for v in self.roots.keys() & set(self.program.functions[name].params) - asked - channels:
                one = arguments == "word" and v not in bound and not self.program.variable(v).dims
                (self.words if one else self.whole).add(v)

    def _aliases(self) -> dict[int, Unary]:
        out = {}
        for variable in self.program.variables:
            init = variable.init
            if isinstance(variable.type, PointerType) and isinstance(init, Unary) and init.op == "&":
                place = self.place(init.operand)
                if place is not None and isinstance(place.type, StructType) and all(map(_is_zero, place.indices)):
                    out[variable.id] = init
        for function in self.program.functions.values() if out else ():
            for stmt in walk_statements(function.body):
                for expr in (e for top in expressions(stmt) for e in walk(top)):
                    changed = expr.target if isinstance(expr, Assign) else getattr(expr, "operand", None)
                    if isinstance(changed, Name) and isinstance(expr, Assign | IncDec | Unary):
                        out.pop(changed.variable, None)
        return out

    def address(self, expr: Expr) -> Expr:
        """An argument, a pointer that always points to one structure as the address of that."""
        return self.aliases.get(expr.variable, expr) if isinstance(expr, Name) else expr

    # ------------------------------------------------------------------------------- places

    def place(self, expr: Expr) -> MemberPlace | None:
        """The part of a structure that an expression names."""
        match expr:
            case Name(variable=v) if v in self.roots:
                return MemberPlace(v, (), (), self.program.variable(v).type)
            case ArrayRef(variable=v) if v in self.roots:
                return MemberPlace(v, (), expr.indices, expr.type)
            case Member(base=Name(variable=v), arrow=True) if v in self.aliases:
                return self.place(replace(expr, base=self.aliases[v].operand, arrow=False))
            case Member(base=base, field=field, arrow=arrow):
                inner = self.place(base)
                if inner is None:
                    return None
                of, indices = inner.type, inner.indices
                if arrow and isinstance(of, PointerType | ArrayType):
                    of = of.target if isinstance(of, PointerType) else of.element
                    indices = (*indices, integer(0, expr.at))
                kind = dict(of.members).get(field) if isinstance(of, StructType) else None
                return None if kind is None else MemberPlace(inner.variable, (*inner.path, field), indices, kind)
            case Subscript(base=base, index=index):
                inner = self.place(base)
                if (
                    inner is not None and not inner.path and isinstance(inner.type, PointerType)
                ):  # *p of a method's p->f()
                    first = isinstance(index, Const) and index.value == 0
                    return replace(inner, indices=(index,), type=expr.type) if first else None
                if inner is None or not inner.path:
                    return None
                return replace(inner, indices=(*inner.indices, index), type=expr.type)
        return None

    def _statement(self, stmt: Stmt) -> None:
        match stmt:
            case ExprStmt(expr=Assign(op="=", target=target, value=value)) if self._assigned(target, value):
                return
            case Return(value=value) if value is not None and (place := self.steadied(value)) is not None:
                self._indices(place)
                return
        for expr in expressions(stmt):
            self._scan(expr, given=isinstance(stmt, Return))

    def _assigned(self, target: Expr, value: Expr) -> bool:
        """``a = b`` of whole structures, or of elements of arrays of them."""
        place, source = self.place(target), self.place(value)
        if place is None or not isinstance(place.type, StructType) or not is_copied(place.type):
            return False
        if any(isinstance(e, Call) for e in walk(target)) or value.type != place.type:
            return False
        self._indices(place)
        if source is None or not isinstance(source.type, StructType):
            self._scan(value, given=True)
            return True
        self._indices(source)
        self._copied(place.variable, source.variable, value)
        return True

    def _copied(self, to: int, source: int, value: Expr) -> None:
        """One structure is given the value of another; where that has effects, both are apart or none."""
        (self.copies if is_pure(value) else self.links).append((to, source))

    def steadied(self, value: Expr) -> MemberPlace | None:
        """The place of a structure whose value is taken, if its indices have effects and so are for once."""
        place = None if is_pure(value) else self.place(value)
        return place if place is not None and isinstance(place.type, StructType) and is_flat(place.type) else None

    def _indices(self, place: MemberPlace) -> None:
        for index in place.indices:
            self._scan(index)
        pointer = isinstance(self.program.variable(place.variable).type, PointerType)
        if pointer and place.indices and not _is_zero(place.indices[0]):
            self.many.add(place.variable)

    def _scan(self, expr: Expr, given: bool = False) -> None:
        """Look at the uses in an expression; ``given``: only its value is taken."""
        place = self.place(expr)
        if place is not None:
            self._indices(place)
            taken = given and isinstance(place.type, StructType) and is_copied(place.type) and is_pure(expr)
            if not taken and not (place.path and is_number(place.type)):
                self.whole.add(place.variable)
            return
        match expr:
            case SizeOf():
                return
            case Name(variable=v) | ArrayRef(variable=v) if v in self.aliases:
                place = self.place(self.aliases[v].operand)
                self.whole |= {place.variable} if place is not None else set()
            case FunctionName(name=name) if name in self.program.functions:
                self.whole |= self.roots.keys() & set(self.program.functions[name].params)
            case Call():
                function = self.program.functions.get(expr.function or "")
                formals = function.params if function is not None else ()
                if function is None or function.variadic or len(formals) != len(expr.args):
                    self.whole |= self.roots.keys() & set(formals)
                    formals = ()
                for k, arg in enumerate(map(self.address, expr.args)):
                    if not self._handed(arg, formals[k] if formals else None):
                        known = formals and not self.program.variable(formals[k]).reference
                        self._scan(arg, given=bool(known) or (expr.function or "") in _TAKE_VALUES)
                        self.whole |= self.roots.keys() & set(formals[k : k + 1])
            case Conditional() | Comma():
                for child in children(expr):
                    self._scan(child, given)
            case Assign(op="=", target=target, value=value):
                self._scan(target)
                self._scan(value, given=True)
            case OpaqueExpr(what=what) if what in (CONSTRUCTOR, LITERAL):
                for child in children(expr):
                    self._scan(child, given=True)
            case _:
                for child in children(expr):
                    self._scan(child)

    def _handed(self, arg: Expr, formal: int | None) -> bool:
        """An argument that is a part of a structure, for a parameter that takes it (None: not known)."""
        place = self.place(arg.operand if isinstance(arg, Unary) and arg.op == "&" else arg)
        if place is None:
            return False
        structures = held_by(place.type)
        if is_empty(structures):
            self._indices(place)
            return not isinstance(place.type, ArrayType)
        if is_number(structures):
            if formal in self.roots:
                return False  # a number where a structure is expected
            self._indices(place)
            return bool(place.path) and not (isinstance(arg, Unary) and isinstance(place.type, ArrayType))
        own = self.roots.get(formal) if formal is not None else None
        if not isinstance(structures, StructType) or formal is None or own is None:
            return False
        if not is_pure(arg) or not is_taken(structures, self.program.variable(formal), own):
            return False
        to = self.program.variable(formal)
        if isinstance(to.type, StructType) and not to.reference and not is_flat(structures) and self._is_changed(to):
            return False  # a copy with arrays
        self._indices(place)
        (self.copies if self._is_plain(formal) else self.links).append((place.variable, formal))
        if isinstance(place.type, StructType) and not (place.indices and _is_zero(place.indices[-1])):
            self._single.append((place.variable, formal))
        return True

    def _is_changed(self, parameter: Variable) -> bool:
        """Whether a function may change what it is given in a parameter, or hands it on."""
        body = self.program.functions[parameter.function or ""].body
        for expr in (e for top in statement_expressions(self.program, body) for e in walk(top)):
            match expr:
                case Assign(target=one) | IncDec(operand=one) | Unary(op="&", operand=one):
                    used: tuple[Expr, ...] = (one,)
                case Call(args=args):
                    used = args
                case _:
                    continue
            if any(place is not None and place.variable == parameter.id for place in map(self.place, used)):
                return True
        return False

    def _initial(self, variable: Variable) -> None:
        init = variable.init
        if init is None or variable.id in self.aliases:
            return
        place = self.place(init) if variable.id in self.roots else None
        if place is not None and isinstance(place.type, StructType) and place.type == variable.type:
            if not is_flat(place.type) and not (is_copied(place.type) and is_pure(init)):
                self.whole |= {variable.id, place.variable}
            self._indices(place)
            self._copied(variable.id, place.variable, init)
        elif variable.id in self.roots and isinstance(init, InitList):
            for _, value in init.items:
                self._scan(value)
            try:
                for path, _ in leaves(self.roots[variable.id]):
                    part(init, variable.type, path)
            except ValueError:
                self.whole.add(variable.id)
        else:
            self._scan(init, given=True)
            if not is_made_of_value(variable):
                self.whole |= self.roots.keys() & {variable.id}


def _idle(program: Program, tops: Collection[str]) -> frozenset[str]:
    """Functions that the top functions do not reach: what they do with structures is no matter of the hardware."""
    known = effects(program)
    return frozenset(program.functions) - known.reachable((*tops, *known.taken))


def is_pure(expr: Expr) -> bool:
    """Whether an expression may be read several times."""
    return not any(isinstance(e, Call | Assign | IncDec) for e in walk(expr))


def _is_zero(index: Expr) -> bool:
    return isinstance(index, Const) and index.value == 0


def channel(base: Expr, of: ArrayType, indices: Sequence[Expr]) -> Expr:
    """A stream of an array of streams, which is no memory: as the text writes it."""
    for k, index in enumerate(indices, 1):
        rest = of.dims[k:]
        base = Subscript(index.at, ArrayType(of.element, rest) if rest else of.element, base, index)
    return base


def is_subscripted(program: Program, place: Expr) -> bool:
    """Whether every index of a place in a structure is written in brackets, so that it stays in its dimension."""
    while isinstance(place, Subscript):
        if not program.text(place.at).endswith("]"):
            return False
        place = place.base
    return True
