"""What structures hold: their members that are numbers, and what directives and initial values say of them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from msgspec.structs import replace

from hlspart.model.directives import Directive
from hlspart.model.program import (
    ArrayType,
    Call,
    CType,
    Expr,
    InitList,
    Member,
    PointerType,
    ScalarType,
    StreamType,
    StructType,
    Subscript,
    Variable,
    integer,
    is_open,
)

Path = tuple[str, ...]
# directives that mean the same of every member as of the whole
COPIED = frozenset({"array_partition", "interface", "bind_storage", "resource", "dependence", "stream"})


def root(variable: Variable) -> StructType | None:
    """The structure of numbers that a variable is, is an array of, or (a parameter) points to."""
    of = variable.type
    if isinstance(of, ArrayType):
        of = of.element
    elif isinstance(of, PointerType) and variable.storage == "parameter":
        of = of.target
    if not isinstance(of, StructType):
        return None
    try:
        return of if list(leaves(of)) else None
    except ValueError:
        return None


def is_number(of: CType) -> bool:
    """Whether a type is a number or a stream, or what a parameter of a template without an instance will be."""
    return isinstance(of, ScalarType | StreamType) or is_open(of)


def leaves(of: CType, path: Path = (), dims: tuple[int | None, ...] = ()) -> Iterator[tuple[Path, ArrayType]]:
    """Members that are numbers or streams, each with the extents on the way to it. ValueError: there are others."""
    match of:
        case _ if is_number(of):
            yield path, ArrayType(of, dims)
        case ArrayType():
            yield from leaves(of.element, path, (*dims, *of.dims))
        case StructType(union=False):
            for name, kind in of.members:
                yield from leaves(kind, (*path, name), dims)
        case _:
            raise ValueError


def is_flat(of: CType) -> bool:
    """Whether a structure of numbers holds no array."""
    return all(not leaf.dims for _, leaf in leaves(of))


def is_taken(given: StructType, parameter: Variable, of: CType) -> bool:
    """Whether a parameter for structures ``of`` takes one of another type: by reference what inherits from its own.

    A pointer takes what adds no member: the elements of an array then lie as those of the other type.
    """
    if of == given or not isinstance(of, StructType) or of.union or given.union or not of.members:
        return of == given
    if parameter.reference:
        return given.members[: len(of.members)] == of.members and not parameter.const
    return given.members == of.members and not isinstance(parameter.type, StructType)


def is_empty(of: CType) -> bool:
    """Whether a structure holds nothing: an object that is only called."""
    return isinstance(of, StructType) and not of.members and not of.union


def holds_array(of: CType) -> bool:
    """Whether a structure or a union has an array in it, at any depth."""
    if not isinstance(of, StructType):
        return False
    return any(isinstance(member, ArrayType) or holds_array(member) for _, member in of.members)


MOST_COPIED = 256  # numbers of one copy


def is_copied(of: CType) -> bool:
    """Whether a structure of numbers is copied number by number: arrays in it have known extents, and few elements."""
    counts = [math.prod(-1 if n is None else n for n in leaf.dims) for _, leaf in leaves(of)]
    return min(counts, default=0) > 0 and sum(counts) <= MOST_COPIED


def is_made_of_value(variable: Variable) -> bool:
    """Whether a variable begins as a structure with few arrays that a call gives, which is copied number by number."""
    init, of = variable.init, variable.type
    own = variable.storage == "local" and not variable.reference
    given = own and isinstance(init, Call) and init.type == of
    return given and root(variable) is not None and holds_array(of) and is_copied(of)


def held_by(of: CType) -> CType:
    """What an array that is handed on holds."""
    if isinstance(of, ArrayType):
        return of.element
    return of.target if isinstance(of, PointerType) else of


def named(d: Directive) -> str | None:
    """The problem that says that a directive names a part of a variable."""
    return next((p.message for p in d.problems if p.code == "struct-member"), None)


def member(d: Directive) -> Path | None:
    """The member that a directive names: ``s.a`` or ``p->a``."""
    text = (d.option("variable") or d.option("port") or "").replace("->", ".").lstrip("*&")
    parts = tuple(p.strip() for p in text.split("."))
    return parts[1:] if len(parts) > 1 and "[" not in text and "," not in text else None


def below(of: CType, path: Path | None) -> Iterator[tuple[Path, ArrayType]]:
    return ((p, leaf) for p, leaf in leaves(of) if p[: len(path or ())] == (path or ()))


def part(init: Expr, of: CType, path: Path) -> Expr:
    """The initial value of the member ``path``. ValueError: braces are left out, or elements are named on the way."""
    match of:
        case ArrayType(dims=dims) if isinstance(init, InitList) and path:
            below: CType = ArrayType(of.element, dims[1:]) if len(dims) > 1 else of.element
            if any(names or not isinstance(v, InitList) for names, v in init.items):
                raise ValueError
            return replace(init, items=tuple(((), part(v, below, path)) for _, v in init.items))
        case StructType() if isinstance(init, InitList) and path:
            kind, values = dict(of.members)[path[0]], _by_member(init, of)
            if any(isinstance(k, ArrayType | StructType) and not isinstance(values.get(name, init), InitList)
                   for name, k in of.members):  # fmt: skip
                raise ValueError
            if path[0] in values:
                return part(values[path[0]], kind, path[1:])
            nothing = integer(0, init.at)
            return nothing if isinstance(kind, ScalarType) else InitList(init.at, kind, (((), nothing),))
    if path:
        raise ValueError
    return init


def _by_member(init: InitList, of: StructType) -> dict[str, Expr]:
    """The values in the braces of a structure: those without a name are of the member behind the last one."""
    members = [name for name, _ in of.members]
    values: dict[str, Expr] = {}
    at = 0
    for names, value in init.items:
        if len(names) > 1 or not set(names) <= set(members):
            raise ValueError
        at = members.index(str(names[0])) if names else at
        if at == len(members):
            raise ValueError
        values[members[at]] = value
        at += 1
    return values


def chain(base: Expr, path: Path, of: CType, index: tuple[int, ...] = ()) -> Expr:
    """``base.path`` where ``base`` is an ``of``; ``index``: of the arrays on the way."""
    left = list(index)
    for field in path:
        of = dict(of.members)[field] if isinstance(of, StructType) else of
        base = Member(base.at, of, base, field, False)
        while left and isinstance(of, ArrayType):
            of = ArrayType(of.element, of.dims[1:]) if len(of.dims) > 1 else of.element
            base = Subscript(base.at, of, base, integer(left.pop(0), base.at))
    return base
