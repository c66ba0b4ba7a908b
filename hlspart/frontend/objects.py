"""Member functions and operators of classes, decided by the types of what they are applied to.

A class is a structure, its member function ``f`` the function ``C::f`` with the object as first argument
(:mod:`~hlspart.frontend.cxx_objects`). A function that returns a reference and does nothing else stands for the place
that it returns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from hlspart.frontend import types as ct
from hlspart.frontend.context import Context, FunctionDeclaration
from hlspart.frontend.defaults import left_out
from hlspart.frontend.literals import spelled_number
from hlspart.frontend.methods import Methods
from hlspart.frontend.overloads import chosen
from hlspart.frontend.pointed import first
from hlspart.model import program as ir
from hlspart.model.rebuild import map_children
from hlspart.model.source import Origin


class ObjectCalls:
    """Builds the calls of one unit."""

    def __init__(self, context: Context, methods: Methods) -> None:
        self.context = context
        self.methods = methods

    def member(
        self, base: ir.Expr, arrow: bool, name: str, args: Sequence[ir.Expr], at: Origin, callee: Origin
    ) -> ir.Expr | None:
        """``base.name(args)`` or ``base->name(args)``; None where the type of ``base`` has no such function."""
        of = _structure(ct.indexed(base.type) if arrow else base.type)
        entry = self.context.lookup(f"{of.name}::{name}") if of is not None else None
        if not isinstance(entry, FunctionDeclaration):
            return None
        if arrow and of is not None:
            base = self._first(base, of)
        own = any(x.types[:1] == (of.name,) and len(x.signature) > len(args) for x in _every(entry)) if of else False
        return self.call(entry, (base, *args) if own else tuple(args), at, callee)

    def _first(self, pointer: ir.Expr, of: ir.StructType) -> ir.Expr:
        """The object that a pointer points to."""
        zero = ir.integer(0, pointer.at)
        if isinstance(pointer, ir.Name):
            ident = self.context.collected.new_id()
            return ir.ArrayRef(ident, pointer.at, of, pointer.variable, (zero,), pointer.at, ())
        return ir.Subscript(pointer.at, of, pointer, zero)

    def operator(self, op: str, operands: Sequence[ir.Expr], at: Origin, callee: Origin) -> ir.Expr | None:
        """An operator on objects: a member of the first one's class, or a function; None where neither is known."""
        structures = [_structure(o.type) for o in operands]
        if all(s is None for s in structures):
            return None
        first = structures[0]
        entry = self.context.lookup(f"{first.name}::operator{op}") if first is not None else None
        if not isinstance(entry, FunctionDeclaration) or not any(x.takes(len(operands)) for x in _every(entry)):
            entry = self.context.lookup(f"operator{op}")
        if not isinstance(entry, FunctionDeclaration):
            return None
        return self.call(entry, tuple(operands), at, callee)

    def made(self, of: ir.CType, args: Sequence[ir.Expr], at: Origin, callee: Origin) -> ir.Expr | None:
        """``C(args)``; None where no constructor is known."""
        structure = _structure(of)
        entry = self.context.lookup(f"{structure.name}::new") if structure is not None else None
        if not isinstance(entry, FunctionDeclaration) or not any(x.takes(len(args)) for x in _every(entry)):
            return None
        return self.call(entry, tuple(args), at, callee)

    def braced(self, value: ir.Expr, target: ir.CType) -> ir.Expr:
        """``{a, b}`` where a type is needed: what a constructor makes of it, else the members, else the one number."""
        children = value.children if isinstance(value, ir.OpaqueExpr) and value.what == ir.LITERAL else ()
        if not isinstance(value, ir.OpaqueExpr) or not children or not isinstance(children[0], ir.InitList):
            return value
        of, items, open_ = _structure(target), children[0].items, isinstance(value.type, ir.OtherType)
        plain = [item for ways, item in items if not ways]
        if not (open_ or value.type == target):
            return value
        if of is not None and (built := self._built_of_list(value, children[0], of)) is not None:
            return built
        if len(plain) < len(items):
            return value
        if isinstance(value.type, ir.ScalarType) and len(items) < 2 and self.context.language == "c++":  # T{x} and T{}
            return ir.Cast(value.at, value.type, plain[0] if plain else ir.integer(0, value.at))
        if of is None:
            return plain[0] if len(plain) == 1 and open_ and isinstance(target, ir.ScalarType) else value
        return replace(value, type=of, children=(replace(children[0], type=of),)) if open_ else value

    def _built_of_list(self, value: ir.Expr, given: ir.InitList, of: ir.StructType) -> ir.Expr | None:
        """What a list makes of a class whose members have values before; None where that is the list as it is."""
        entry = self.context.lookup(f"{of.name}::new")
        if not isinstance(entry, FunctionDeclaration):
            return None
        plain = [item for ways, item in given.items if not ways]
        if len(plain) == len(given.items) and any(x.takes(len(plain)) for x in _every(entry)):
            return self.call(entry, tuple(plain), value.at, value.at)
        if len(plain) == len(given.items) == 1 and plain[0].type == of:
            return plain[0]
        if self._is_whole(given, of):
            return None
        return ir.OpaqueExpr(value.at, of, f"list of {len(given.items)} values for {of.name}", (value,))

    def _is_whole(self, given: ir.InitList, of: ir.StructType) -> bool:
        """Whether a list leaves no member to the class, nor one of a member's."""
        if len(given.items) != len(of.members) or any(ways for ways, _ in given.items):
            return False
        for (_, item), (_, kind) in zip(given.items, of.members, strict=True):
            inner = _structure(kind)
            if inner is None or not isinstance(item, ir.InitList) or self.context.lookup(f"{inner.name}::new") is None:
                continue
            if not self._is_whole(item, inner):
                return False
        return True

    def converted(self, value: ir.Expr, target: ir.CType) -> ir.Expr:
        """A value where another type is needed: by a constructor of the one class, or an operator of the other."""
        given = tuple(v for _, v in value.items) if isinstance(value, ir.InitList) else (value,)
        value = spelled_number(given, target, value.at) or self.braced(value, target)
        to, of = _structure(target), _structure(value.type)
        if to is not None and ir.vector(to) is None and to != of:
            return self._object_of(value, to)
        if of is not None and isinstance(target, ir.ScalarType):
            start = f"{of.name}::operator"
            known = {n for names in self.context.names for n in names if n.startswith(start)}
            entries = [self.context.lookup(n) for n in sorted(known) if n[len(start) :][:1].isidentifier()]
            functions = [x for x in entries if isinstance(x, FunctionDeclaration)]
            if len(functions) == 1 and len(_every(functions[0])) == 1:
                return self.call(functions[0], (value,), value.at, value.at)
            if functions:
                return ir.OpaqueExpr(value.at, target, f"conversion of {of.name}", (value,))
        return value

    def _object_of(self, value: ir.Expr, to: ir.StructType) -> ir.Expr:
        """An object of a class for a value of another type; of a class that inherits it a part, copied."""
        of = _structure(value.type)
        entry = self.context.lookup(f"{of.name}::operator{to.name}") if of is not None else None
        if isinstance(entry, FunctionDeclaration):
            return self.call(entry, (value,), value.at, value.at)
        if of is not None and (of.name == to.name or of.members[: len(to.members)] == to.members):
            return value
        made = self.made(to, (value,), value.at, value.at)
        if made is None and (
            isinstance(value.type, ir.ScalarType) or self.context.lookup(_constructor(to)) is not None
        ):
            return ir.OpaqueExpr(value.at, to, f"conversion to {to.name}", (value,))
        return made or value

    def initial(self, value: ir.Expr, target: ir.CType) -> ir.Expr:
        """The value that a new object begins with: converted, and copied as its class says.

        What a function gives is the new object itself and is not copied.
        """
        of, value = _structure(target), self.braced(value, target)
        if of is None or value.type != of or isinstance(value, ir.Call) or not self._copies(of):
            return self.converted(value, target)
        made = self.made(of, (value,), value.at, value.at)
        return made or ir.OpaqueExpr(value.at, of, f"a copy by the constructor of {of.name}", (value,))

    def result(self, value: ir.Expr, target: ir.CType) -> ir.Expr:
        """What a function gives: a variable of its own is made in the place of the result."""
        if isinstance(value, ir.Name):
            variable = self.context.variable(value.variable)
            if variable.storage == "local" and not variable.reference and variable.type == target:
                return value
        return self.initial(value, target)

    def _copies(self, of: ir.StructType) -> bool:
        """Whether a class has a constructor of its own that copies."""
        entry = self.context.lookup(_constructor(of))
        return isinstance(entry, FunctionDeclaration) and any(_is_copying(x) for x in _every(entry))

    def copied(self, function: str, args: Sequence[ir.Expr], at: Origin, callee: Origin) -> ir.Expr | None:
        """``C::C(made, other)``: an assignment where no constructor of its own copies an object of C.

        What stands behind ``other`` are default values of another constructor. None for other calls.
        """
        of = _structure(args[0].type) if len(args) > 1 else None
        entry = self.context.lookup(function)
        if (
            of is None
            or function != _constructor(of)
            or args[1].type != of
            or not isinstance(entry, FunctionDeclaration)
        ):
            return None
        if len(args) > 2 and any(len(x.signature) == len(args) and x.types[1] == of.name for x in _every(entry)):
            return None
        if self._copies(of) and not isinstance(args[1], ir.Call):
            return self.call(entry, (args[0], args[1]), at, callee)
        return ir.Assign(at, of, "=", args[0], args[1])

    def built(self, target: ir.Expr, value: ir.Expr, at: Origin) -> ir.Expr | None:
        """``object = number`` by a constructor that runs on the object itself, where no function gives such objects."""
        of = _structure(target.type)
        if of is None or not isinstance(target, ir.Name) or not isinstance(value.type, ir.ScalarType):
            return None
        entry = self.context.lookup(_constructor(of))
        said = (e.variable for e in ir.walk(value) if isinstance(e, (ir.Name, ir.ArrayRef)))
        if not isinstance(entry, FunctionDeclaration) or target.variable in said or ir.vector(of) is not None:
            return None
        if self.context.lookup(f"{of.name}::new") is not None:
            return None
        return self.call(entry, (target, value), at, target.at)

    def number(self, value: ir.Expr) -> ir.Expr:
        """An operand, an object as the number that it converts to."""
        return value if ir.vector(value.type) is not None else self.converted(value, ir.INT)

    def handed(self, function: str, args: Sequence[ir.Expr]) -> tuple[ir.Expr, ...]:
        """Arguments with the types of the parameters."""
        known = self.context.collected.functions.get(function)
        if known is None or len(known.params) != len(args):
            return tuple(args)
        formals = map(self.context.variable, known.params)
        return tuple(
            first(a) if isinstance(p.type, ir.StreamType)
            else self.converted(a, p.type) if p.reference
            else self.initial(a, p.type)
            for a, p in zip(args, formals, strict=True)
        )  # fmt: skip

    def call(self, entry: FunctionDeclaration, args: tuple[ir.Expr, ...], at: Origin, callee: Origin) -> ir.Expr:
        """A call of the one of several functions that fits."""
        collected = self.context.collected
        function = chosen(entry, args, collected.functions, collected.variables)
        args = (*args, *left_out(self.context, function, len(args), at))
        args = self.handed(function.name, args)
        place = self.place(function, args, at)
        if place is not None:
            return place
        collected.called.setdefault(function.name, callee)
        return ir.Call(collected.new_id(), at, function.returns, function.name, args, callee)

    def place(self, entry: FunctionDeclaration, args: Sequence[ir.Expr], at: Origin) -> ir.Expr | None:
        """What a function that returns a reference or an array, and does nothing else, stands for in a call."""
        function = self.context.collected.functions.get(entry.name)
        points = isinstance(entry.returns, ir.PointerType)
        if function is None or not (entry.reference or points) or len(function.params) != len(args):
            return None
        returned = self._returned(function.body.body)
        if returned is None:
            return None
        value, own = returned
        if points and not (entry.reference or isinstance(value.type, ir.ArrayType)):
            return None
        bits = self.methods.fields.get(value)  # which have no record of their own to refer to
        parts = [None if part is None else self._filled(part, own, at) for part in bits or (value,)]
        given = dict(zip(function.params, args, strict=True))
        used = [
            e.variable for part in parts if part is not None
            for e in ir.walk(part) if isinstance(e, (ir.Name, ir.ArrayRef))
        ]  # fmt: skip
        if any(_effect(a) and used.count(v) != 1 for v, a in given.items()):
            return None
        if any(part is None or any(isinstance(e, (ir.Call, ir.OpaqueExpr)) for e in ir.walk(part)) for part in parts):
            return None
        made = [None if part is None else self._filled(part, given, at) for part in parts]
        if bits is None or None in made:
            return made[0]
        whole, high, low = (part for part in made if part is not None)
        return self.methods.bits(whole, high, high if bits[1] is bits[2] else low, at)

    def _returned(self, body: Sequence[ir.Stmt]) -> tuple[ir.Expr, dict[int, ir.Expr]] | None:
        """What a body returns that does nothing else, and the values of constants that it declares for it."""
        own: dict[int, ir.Expr] = {}
        for stmt in body:
            match stmt:
                case ir.PragmaMark():
                    continue
                case ir.Return(value=value) if value is not None and stmt is body[-1]:
                    return value, own
                case ir.ExprStmt(expr=ir.Call(function="assert", args=args)) if not any(map(_effect, args)):
                    continue
                case ir.Declare():
                    for variable in map(self.context.variable, stmt.variables):
                        if not (variable.const and isinstance(variable.type, ir.ScalarType) and variable.init):
                            return None
                        value = self._filled(variable.init, own, variable.init.at)
                        if value is None or _effect(value):
                            return None
                        own[variable.id] = ir.Cast(value.at, variable.type, value)
                case _:
                    return None
        return None

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


def _constructor(of: ir.StructType) -> str:
    """What the constructors of a class are called."""
    return f"{of.name}::{of.name}"


def _is_copying(entry: FunctionDeclaration) -> bool:
    """Whether a constructor takes another object of its class."""
    return len(entry.signature) == 2 and entry.types[0] == entry.types[1]


def _every(entry: FunctionDeclaration) -> tuple[FunctionDeclaration, ...]:
    return entry.overloads or (entry,)


def _effect(e: ir.Expr) -> bool:
    return any(isinstance(x, (ir.Call, ir.Assign, ir.IncDec, ir.OpaqueExpr)) for x in ir.walk(e))
