"""Member functions and operators of classes, decided by the types of what they are applied to.

A class is a structure, its member function ``f`` the function ``C::f`` with the object as first argument
(:mod:`~hlspart.frontend.cxx_objects`). A function that returns a reference and does nothing else stands for the place
that it returns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hlspart.frontend import types as ct
from hlspart.frontend.context import Context, FunctionDeclaration
from hlspart.frontend.overloads import chosen
from hlspart.model import program as ir
from hlspart.model.rebuild import map_children
from hlspart.model.source import Origin


class ObjectCalls:
    """Builds the calls of one unit."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def member(
        self, base: ir.Expr, arrow: bool, name: str, args: Sequence[ir.Expr], at: Origin, callee: Origin
    ) -> ir.Expr | None:
        """``base.name(args)`` or ``base->name(args)``; None where the type of ``base`` has no such function."""
        of = _structure(ct.indexed(base.type) if arrow else base.type)
        entry = self.context.lookup(f"{of.name}::{name}") if of is not None else None
        if not isinstance(entry, FunctionDeclaration):
            return None
        if arrow and of is not None:
            base = ir.Subscript(base.at, of, base, ir.Const(base.at, ct.INT, 0, "0"))
        own = (
            any(x.signature[:1] == (of.name,) and len(x.signature) > len(args) for x in _every(entry)) if of else False
        )
        return self.call(entry, (base, *args) if own else tuple(args), at, callee)

    def operator(self, op: str, operands: Sequence[ir.Expr], at: Origin, callee: Origin) -> ir.Expr | None:
        """An operator on objects: a member of the first one's class, or a function; None where neither is known."""
        structures = [_structure(o.type) for o in operands]
        if all(s is None for s in structures):
            return None
        first = structures[0]
        entry = self.context.lookup(f"{first.name}::operator{op}") if first is not None else None
        if not isinstance(entry, FunctionDeclaration) or not any(_takes(x, len(operands)) for x in _every(entry)):
            entry = self.context.lookup(f"operator{op}")
        if not isinstance(entry, FunctionDeclaration):
            return None
        return self.call(entry, tuple(operands), at, callee)

    def made(self, of: ir.CType, args: Sequence[ir.Expr], at: Origin, callee: Origin) -> ir.Expr | None:
        """``C(args)``; None where no constructor is known."""
        structure = _structure(of)
        entry = self.context.lookup(f"{structure.name}::new") if structure is not None else None
        if not isinstance(entry, FunctionDeclaration):
            return None
        return self.call(entry, tuple(args), at, callee)

    def call(self, entry: FunctionDeclaration, args: tuple[ir.Expr, ...], at: Origin, callee: Origin) -> ir.Expr:
        """A call of the one of several functions that fits."""
        collected = self.context.collected
        found = chosen(entry, args, collected.functions, collected.variables)
        place = self.place(found, args, at)
        if place is not None:
            return place
        collected.called.setdefault(found.name, callee)
        return ir.Call(collected.new_id(), at, found.returns, found.name, args, callee)

    def place(self, entry: FunctionDeclaration, args: Sequence[ir.Expr], at: Origin) -> ir.Expr | None:
        """What a function that returns a reference, and does nothing else, stands for in a call."""
        function = self.context.collected.functions.get(entry.name)
        if function is None or not entry.reference or len(function.params) != len(args):
            return None
        body = [s for s in function.body.body if not isinstance(s, ir.PragmaMark)]
        if len(body) != 1 or not isinstance(body[0], ir.Return) or body[0].value is None:
            return None
        value = body[0].value
        used = [e.variable for e in ir.walk(value) if isinstance(e, (ir.Name, ir.ArrayRef))]
        given = dict(zip(function.params, args, strict=True))
        simple = all(used.count(v) <= 1 or not _effect(a) for v, a in given.items())
        if not simple or any(isinstance(e, (ir.Call, ir.OpaqueExpr)) for e in ir.walk(value)):
            return None
        if any(_effect(a) and used.count(v) != 1 for v, a in given.items()):
            return None
        return self._filled(value, given, at)

    def _filled(self, e: ir.Expr, given: Mapping[int, ir.Expr], at: Origin) -> ir.Expr | None:
        """An expression with parameters replaced by what is handed over; None where that has no record."""
        failed = False

        def copy(x: ir.Expr) -> ir.Expr:
            nonlocal failed
            if isinstance(x, ir.Name) and x.variable in given:
                return given[x.variable]
            if isinstance(x, ir.ArrayRef):
                base = given.get(x.variable)
                indices = tuple(map(copy, x.indices))
                ident = self.context.collected.new_id()
                if base is None:
                    return replace(x, id=ident, at=at, indices=indices, brackets=())
                if isinstance(base, ir.Name) and isinstance(base.type, (ir.ArrayType, ir.PointerType)):
                    return ir.ArrayRef(ident, at, x.type, base.variable, indices, at, ())
                failed = True
            made = map_children(x, copy, fresh=True)
            return replace(made, at=at)

        made = copy(e)
        return None if failed else made


def _structure(of: ir.CType) -> ir.StructType | None:
    return of if isinstance(of, ir.StructType) else None


def _every(entry: FunctionDeclaration) -> tuple[FunctionDeclaration, ...]:
    return entry.overloads or (entry,)


def _takes(entry: FunctionDeclaration, count: int) -> bool:
    return len(entry.signature) == count


def _effect(e: ir.Expr) -> bool:
    return any(isinstance(x, (ir.Call, ir.Assign, ir.IncDec, ir.OpaqueExpr)) for x in ir.walk(e))
