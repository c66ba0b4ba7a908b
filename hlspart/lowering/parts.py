"""Members of structures as values: each part of a structure variable that was set is known by its path.

``s.a.x`` and, at a constant index, ``s.v[3]`` are parts; what memory holds is read and written as a whole.
"""

from __future__ import annotations

import math
from abc import abstractmethod

from hlspart.hardware.unmodelled import Unmodelled
from hlspart.lowering.arms import Arms
from hlspart.lowering.operations import Frame
from hlspart.model import program as c
from hlspart.semantics import folding

Path = tuple[str | int, ...]
Key = int | tuple[int, Path]  # a scalar, or a part of a structure variable


MOST_ELEMENTS = 256  # of the arrays in a structure that is a value; larger ones may be memories


class Parts(Arms):
    """Reads and sets parts of structures. ``declared``, ``modified``: what the statements declare and set."""

    declared: frozenset[int]
    modified: frozenset[int]

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame)
        self.env: dict[Key, int] = {}

    @abstractmethod
    def value(self, expr: c.Expr) -> int:
        """The value of an expression."""

    @abstractmethod
    def _read(self, variable: int) -> int: ...

    @abstractmethod
    def _store(self, target: c.Expr, value: int, line: int) -> None: ...

    @abstractmethod
    def _phi(self, key: Key) -> int: ...

    @abstractmethod
    def _load(self, expr: c.ArrayRef, line: int) -> int: ...

    def _key_name(self, key: Key) -> str:
        if isinstance(key, int):
            return self.program.variable(key).name
        return f"{self.program.variable(key[0]).name}{spelled(key[1])}"

    def _bits(self, value: int, type_: c.CType, line: int) -> int:
        """The bits of a value as another type: nothing that is known of its number holds."""
        return self.make("wire", folding.bits(type_), (value,), line, ("bits",), "bits")

    def _place_in(self, expr: c.Expr) -> tuple[c.Name | c.ArrayRef, Path] | None:
        """The variable or element that a part is of, and its path; None where an index is no constant."""
        path: list[str | int] = []
        while isinstance(expr, c.Member | c.Subscript):
            if isinstance(expr, c.Subscript):
                index = self.constants.get(self.value(expr.index))
                if not isinstance(index, int):
                    return None
                path.append(index)
            elif expr.arrow:
                return None
            elif _of_union(expr):
                members = expr.base.type.members  # type: ignore[union-attr]
                if not members:  # of a type inside of itself
                    return None
                path = [members[0][0]]
            else:
                path.append(expr.field)
            expr = expr.base
        if not isinstance(expr, c.Name | c.ArrayRef) or not isinstance(expr.type, c.StructType):
            return None
        if isinstance(expr, c.Name) and _elements(expr.type) > MOST_ELEMENTS:
            return None
        return expr, tuple(reversed(path))

    def _set_union(self, target: c.Expr, value: int, line: int) -> int:
        """What a part of a structure holds when ``target`` in it is set: members of a union are one value."""
        union = _union_around(target)
        if union is None:
            return value
        whole = union is target and c.storage_bits(target.type) == c.storage_bits(union.base.type)
        old = () if whole else (self.value(union),)
        return self.make("wire", self.body.ops[value].bits, (*old, value), line, ("bits",), "bits")

    def _member(self, expr: c.Member | c.Subscript, line: int) -> int:
        place = self._place_in(expr)
        if place is None and isinstance(expr, c.Member) and isinstance(expr.base, c.Call) and not expr.arrow:
            return self._part(self.value(expr.base), (expr.field,), line)  # s.read().data
        if place is None and (whole := open_whole(expr)) is not None:
            return self.make("open", 32, (self._read(whole.variable),), line, (self.program.text(expr.at),), "member")
        if place is None:
            raise Unmodelled(f"`{self.program.text(expr.at)}` is not modelled{why(expr)}", line)
        base, path = place
        if isinstance(base, c.ArrayRef):
            part = self._part(self._load(base, line), path, line)
            return part if _union_around(expr) is None else self._bits(part, expr.type, line)
        variable = base.variable
        key = (variable, path)
        made = self.env.get(key)
        if made is None:
            made = self._unset(variable, path, line)
        since = tuple(self.env[k] for k in self._inside(variable, path))
        made = self.make("wire", 32, (made, *since), line, ("members",), "{..}") if since else made
        return made if _union_around(expr) is None else self._bits(made, expr.type, line)

    def _not_stored(self, target: c.Expr) -> str:
        return f"assignment to `{self.program.text(target.at)}` is not modelled{why(target)}"

    def _set_in_open(self, target: c.Expr, value: int, line: int) -> None:
        """A member of an object of an open type is set: another value of the object."""
        whole = open_whole(target)
        if whole is None:
            raise Unmodelled(self._not_stored(target), line)
        unset = whole.variable in self.declared and whole.variable not in self.env
        old = () if unset else (self._read(whole.variable),)
        made = self.make("open", 32, (*old, value), line, ("set", self.program.text(target.at)), "member")
        self._store(whole, made, line)

    def _unset(self, variable: int, path: Path, line: int) -> int:
        """A part that was not set as such."""
        for length in range(len(path) - 1, 0, -1):
            outer = self.env.get((variable, path[:length]))
            if outer is not None:
                return self._part(outer, path[length:], line)
        if variable in self.env:  # set as a whole
            return self._part(self.env[variable], path, line)
        if variable in self.modified and variable not in self.declared:
            return self._phi((variable, path))
        return self.make("input", 32, (), 0, (variable, path), self._key_name((variable, path)))

    def _store_part(self, variable: int, path: Path, value: int, line: int) -> None:
        for key in self._inside(variable, path):
            self.env[key] = self._part(value, key[1][len(path) :], line)
        self.env[variable, path] = value

    def _inside(self, variable: int, path: Path) -> list[tuple[int, Path]]:
        """The parts of a part that are known."""
        keys = [k for k in self.env if isinstance(k, tuple) and k[0] == variable]
        return [k for k in keys if len(k[1]) > len(path) and k[1][: len(path)] == path]

    def _with_members(self, variable: int, line: int) -> int:
        """The value of a structure, some members of which may have been set since it was."""
        whole = self._read(variable)
        since = tuple(v for key, v in self.env.items() if isinstance(key, tuple) and key[0] == variable)
        bits = self.body.ops[whole].bits
        return self.make("wire", bits, (whole, *since), line, ("members",), "{..}") if since else whole

    def _part(self, whole: int, path: Path, line: int) -> int:
        """A part of the value of a structure."""
        return self.make("wire", self.body.ops[whole].bits, (whole,), line, ("member", path), spelled(path))


def _elements(of: c.CType) -> int:
    """Elements of the arrays in a structure."""
    match of:
        case c.StructType(members=members):
            return sum(_elements(kind) for _, kind in members)
        case c.ArrayType(element=element, dims=dims):
            return math.prod(n or 0 for n in dims) * max(1, _elements(element))
    return 0


def _of_union(expr: c.Member) -> bool:
    return isinstance(expr.base.type, c.StructType) and expr.base.type.union


def _union_around(expr: c.Expr) -> c.Member | None:
    """The member of the outermost union that a part is, or is in."""
    union = None
    while isinstance(expr, c.Member | c.Subscript):
        union = expr if isinstance(expr, c.Member) and _of_union(expr) else union
        expr = expr.base
    return union


def open_whole(expr: c.Expr) -> c.Name | None:
    """The object of an open type that an expression is a member of, or a member of a member."""
    while isinstance(expr, c.Member) and not expr.arrow:
        expr = expr.base
        if isinstance(expr, c.Name) and c.is_open(expr.type):
            return expr
    return None


def spelled(path: Path) -> str:
    """``.a[3]``."""
    return "".join(f"[{x}]" if isinstance(x, int) else f".{x}" for x in path)


def why(expr: c.Expr) -> str:
    """What an expression is that has no model, where that is not plain to see."""
    match expr:
        case c.OpaqueExpr():
            return f": {expr.what}"
        case c.Subscript(base=base):
            known = isinstance(base.type, c.ArrayType)  # of what is not read the type says nothing
            return why(base) or (": an array inside a structure at an index that is no constant" if known else "")
        case c.Member(base=base):
            return why(base)
    return ""
