"""A program in which structures are apart: every member is a variable of its own. For analysis alone.

``s.a[i]`` becomes an element of an array ``s.a``, ``p[i].x`` of an array of structures one of an array ``p.x``, and
a call that hands on ``&s`` hands on all its members: so synthesis takes structures apart (UG1399, *Structs*, for
variables; UG902 for arguments too). Only structures with arrays in them, or in arrays, and those that are assigned to
or from such are touched. One that is used otherwise than member by member, by assignment or as an argument stays.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping

from msgspec.structs import replace

from hlspart.model.code import once_per_code
from hlspart.model.directives import Directive, Option
from hlspart.model.program import (
    MEMBERS,
    ArrayRef,
    ArrayType,
    Assign,
    Block,
    Call,
    Comma,
    CType,
    Declarator,
    Declare,
    Expr,
    ExprStmt,
    Function,
    Loop,
    Member,
    Name,
    OpaqueExpr,
    OtherType,
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
    integer,
)
from hlspart.model.rebuild import map_children, map_parts
from hlspart.semantics.effects import effects
from hlspart.semantics.held import (
    COPIED,
    Path,
    below,
    chain,
    held_by,
    is_copied,
    is_empty,
    is_flat,
    is_made_of_value,
    leaves,
    member,
    named,
    part,
    root,
)
from hlspart.semantics.structures import (
    Arguments,
    MemberPlace,
    StructureUses,
    channel,
    is_pure,
    is_subscripted,
)
from hlspart.transform.forward import Forward


def separate(program: Program, tops: tuple[str, ...], arguments: Arguments) -> tuple[Program, Forward]:
    """``program`` with structures apart; the old variable of a member is its structure.

    ``arguments`` of ``tops`` are apart as well, stay whole, or are words: their arrays are partitioned completely.
    Loops, old variables and old directives keep their ids; members get ids behind them.
    """
    if all(root(v) is None for v in program.variables):
        return program, Forward()
    known = _separate(program, tops, arguments)
    apart = frozenset[int]() if known is None else frozenset(known[2].variables.values())
    # what a directive said of a structure that is apart, those of its members say
    old = tuple(
        replace(d, modelled=True)
        if d.kind in COPIED and d.variables and (apart.issuperset(d.variables) or _is_in_registers(program, d))
        else d
        for d in program.directives
    )
    if known is None:
        return replace(program, directives=old), Forward()
    made, parts, forward = known
    copy = replace(
        program,
        functions=made.functions,
        variables=made.variables,
        loops=made.loops,
        directives=(*old, *parts.directives(program)),
    )
    return copy, forward


def _is_in_registers(program: Program, d: Directive) -> bool:
    """Whether a directive asks for what the member of a structure that is one value has: an element per register."""
    variables = [program.variable(v) for v in d.variables]
    kind = d.choice("type", ("complete", "cyclic", "block")) or "complete"
    if d.kind != "array_partition" or kind != "complete" or member(d) is None:
        return False
    leaves_ = [leaf for v in variables if (of := root(v)) is not None for _, leaf in below(of, member(d))]
    local = all(v.storage == "local" and isinstance(v.type, StructType) for v in variables)
    wanted = d.values.get("dim", 1)
    return local and bool(leaves_) and all(wanted == 0 or len(leaf.dims) == wanted == 1 for leaf in leaves_)


def _of_structures(program: Program) -> tuple[Directive, ...]:
    """The directives that name a structure and may decide what becomes of it, as partitions of the whole do not."""
    return tuple(
        d
        for d in program.directives
        if any(root(program.variable(v)) for v in d.variables)
        and not (d.kind == "array_partition" and member(d) is None and named(d) is None)
    )


@once_per_code(16, _of_structures)
def _separate(program: Program, tops: tuple[str, ...], arguments: Arguments) -> tuple[Program, _Copy, Forward] | None:
    """The copy, of whatever other directives, and what knows its own directives; None where nothing changes."""
    uses = StructureUses(program, tops, arguments)
    chosen = uses.chosen()
    if not chosen:
        return None
    copy = _Copy(uses, chosen)
    made = copy.program()
    return made, copy, Forward({**{new: old for (old, _), new in copy.of.items()}, **copy.made}, copy.nodes)


class _Copy:
    """The copy, given the variables that are taken apart."""

    def __init__(self, uses: StructureUses, chosen: Collection[int]) -> None:
        self.uses, self.old, self.chosen = uses, uses.program, chosen
        self.variables = list(self.old.variables)
        self.of: dict[tuple[int, Path], int] = {}
        known = effects(self.old)
        self._ids = itertools.count(max((known.largest_id, *self.old.loops, 0)) + 1)
        self._loops: dict[int, Loop] = {}
        self.nodes: dict[int, int] = {}
        self._fresh = False
        self._function: str | None = None
        self.made: dict[int, int] = {}  # variables for values, each with the one whose part they are for
        addresses = ((v, uses.place(e.operand)) for v, e in uses.aliases.items())
        self.empty = self._empty()  # parameters
        self.gone = {v for v, place in addresses if place is not None and place.variable in chosen}
        for variable in self.gone:
            self.variables[variable] = replace(self.variables[variable], init=None)
        for variable in sorted(chosen):
            self._members(self.old.variable(variable))
            gone = self.old.variable(variable)
            self.variables[variable] = replace(gone, type=OtherType(f"{gone.name}, apart"), init=None)

    def _empty(self) -> frozenset[int]:
        """Parameters that are objects without members, which nothing is handed to that acts."""
        params = {p for f in self.old.functions.values() for p in f.params if is_empty(self.old.variable(p).type)}
        for calls in effects(self.old).calls.values() if params else ():
            for call in calls:
                function = self.old.functions.get(call.function or "")
                if function is not None:
                    pairs = zip(function.params, call.args, strict=False)
                    params -= {p for p, arg in pairs if not is_pure(arg) or len(function.params) != len(call.args)}
        return frozenset(params)

    def program(self) -> Program:
        """The copied program, without directives of its own."""
        functions: dict[str, Function] = {}
        for name, f in self.old.functions.items():
            if name not in self.uses.idle:
                self._function = name
                params = tuple(new for v in f.params for new in self.parts(v))
                functions[name] = replace(f, params=params, body=self._block(f.body))
            else:  # which nothing needs
                functions[name] = replace(f, params=(), body=replace(f.body, body=()))
        for k, variable in enumerate(self.variables):
            if variable.init is not None and k not in self.made:
                idle = variable.function in self.uses.idle
                self.variables[k] = replace(variable, init=None if idle else self.expr(variable.init))
        loops: Mapping[int, Loop] = {**self.old.loops, **self._loops}
        return replace(self.old, functions=functions, variables=tuple(self.variables), loops=loops)

    def parts(self, variable: int) -> tuple[int, ...]:
        """What a variable has become."""
        if variable in self.gone or variable in self.empty:
            return ()
        if variable not in self.chosen:
            return (variable,)
        return tuple(self.of[variable, path] for path, _ in leaves(self.uses.roots[variable]))

    def _members(self, variable: Variable) -> None:
        around: tuple[int | None, ...] = variable.dims
        if isinstance(variable.type, PointerType) and variable.id in self.uses.many:
            around = (None,)
        for path, leaf in leaves(self.uses.roots[variable.id]):
            dims = (*around, *leaf.dims)
            of: CType = ArrayType(leaf.element, dims) if dims else leaf.element
            if not dims and isinstance(variable.type, PointerType):
                of = PointerType(leaf.element)
            new = len(self.variables)
            self.of[variable.id, path] = new
            name = ("." if dims else "_").join((variable.name, *path))  # scalars may be names in sets
            init = None if self._is_copied_first(variable) else variable.init
            if init is not None and (place := self.uses.place(init)) is not None:
                init = chain(init, path, place.type)
            elif init is not None:
                init = part(init, variable.type, path)
            self.variables.append(replace(variable, id=new, name=name, type=of, init=init))

    def directives(self, program: Program) -> Iterator[Directive]:
        """Those of the parts, as those of ``program``, which has the code of the old one, say."""
        for variable in sorted(self.uses.words & set(self.chosen)):
            at, function = self.old.variable(variable).at, self.old.variable(variable).function
            for path, leaf in leaves(self.uses.roots[variable]):
                made, given = (self.of[variable, path],), (Option("complete", None, at), Option("dim", "0", at))
                if leaf.dims:
                    yield Directive(
                        "array_partition", "vitis", "pragma", at, "", given, {"dim": 0}, function, None, made
                    )
        for d in program.directives:
            for variable in d.variables:
                banked = d.kind == "array_partition" and variable in self.uses.words  # a word has no banks
                if variable in self.chosen and d.kind in COPIED and d.usable and not banked:
                    rest = tuple(p for p in d.problems if p.code != "struct-member")
                    modelled = d.modelled or named(d) is not None
                    for path, leaf in below(self.uses.roots[variable], member(d)):
                        if d.kind == "array_partition" and named(d) is None and not leaf.dims:
                            continue  # of a whole structure the arrays are partitioned
                        made = (self.of[variable, path],)
                        yield replace(d, variables=made, problems=rest, modelled=modelled)

    # -------------------------------------------------------------------------- expressions

    def expr(self, e: Expr) -> Expr:
        """Copy of an expression."""
        place = self.uses.place(e)
        if place is not None and place.variable in self.chosen:
            if isinstance(place.type, StructType) and (is_copied(place.type) or is_empty(place.type)):
                return self._value(place, place.type, e)
            if place.path:
                return self._leaf(place, e)
        if isinstance(e, Call):
            return self._call(e)
        made = e if isinstance(e, SizeOf) else map_children(e, self.expr, fresh=True)
        return replace(made, id=self._copied(made.id)) if self._fresh and isinstance(made, ArrayRef) else made

    def _copied(self, old: int) -> int:
        new = next(self._ids)
        self.nodes[new] = old
        return new

    def _value(self, place: MemberPlace, of: CType, e: Expr) -> Expr:
        """The value of a structure, put together."""
        inner: list[tuple[MemberPlace, Expr]] = []
        match of:
            case StructType(members=members):
                for field, kind in members:
                    below = replace(place, path=(*place.path, field), type=kind)
                    inner.append((below, Member(e.at, kind, e, field, False)))
            case ArrayType(element=element, dims=dims):
                kind = ArrayType(element, dims[1:]) if len(dims) > 1 else element
                for k in range(dims[0] or 0):
                    index = integer(k, e.at)
                    below = replace(place, indices=(*place.indices, index), type=kind)
                    inner.append((below, Subscript(e.at, kind, e, index)))
            case _:
                return self._leaf(place, e)
        made: list[Expr] = []
        before = self._fresh
        for k, (below, at) in enumerate(inner):
            self._fresh = before or k > 0  # each copy of an index has accesses of its own
            made.append(self._value(below, below.type, at))
        self._fresh = before
        return OpaqueExpr(e.at, of, MEMBERS, tuple(made))

    def _leaf(self, place: MemberPlace, e: Expr) -> Expr:
        variable = self.of[place.variable, place.path]
        kind = self.variables[variable].type
        indices = tuple(self.expr(i) for i in place.indices)
        owner = self.old.variable(place.variable)
        if isinstance(owner.type, PointerType) and place.variable not in self.uses.many and indices:
            indices = indices[1:]  # the one structure that it points to
        if isinstance(kind, PointerType):
            indices = (integer(0, e.at),)
        if not indices:
            return Name(e.at, kind, variable)
        if isinstance(kind, ArrayType) and isinstance(kind.element, StreamType):
            return channel(Name(e.at, kind, variable), kind, indices)
        return ArrayRef(next(self._ids), e.at, e.type, variable, indices, e.at, (), is_subscripted(self.old, e))

    def _call(self, call: Call) -> Expr:
        function = self.old.functions.get(call.function or "")
        if function is None or len(function.params) != len(call.args):
            return map_children(call, self.expr, fresh=True)
        args: list[Expr] = []
        for formal, arg in zip(function.params, map(self.uses.address, call.args), strict=True):
            if formal not in self.empty:
                args += self._handed(formal, arg) if formal in self.chosen else (self.expr(arg),)
        return (
            call if all(a is b for a, b in itertools.zip_longest(args, call.args)) else replace(call, args=tuple(args))
        )

    def _handed(self, formal: int, arg: Expr) -> Iterator[Expr]:
        """The arguments for the members of a parameter."""
        place = self.uses.place(arg.operand if isinstance(arg, Unary) and arg.op == "&" else arg)
        assert place is not None
        to = self.old.variable(formal)
        one = formal not in self.uses.many
        if place.variable not in self.chosen:  # a copy of a structure that stays whole
            for path, _ in leaves(self.uses.roots[formal]):
                yield self.expr(chain(arg, path, place.type))
            return
        for path, leaf in leaves(self.uses.roots[formal]):
            indices = place.indices
            if one and isinstance(held_by(place.type), StructType) and not isinstance(place.type, StructType):
                indices = (*indices, integer(0, arg.at))  # the first of an array
            elif not one and isinstance(place.type, StructType):
                indices = indices[:-1]  # &A[0]
            element = self._leaf(replace(place, path=(*place.path, *path), indices=indices), arg)
            scalar = not leaf.dims and one
            target = element.type if not scalar else leaf.element
            element = replace(element, type=target)
            if scalar and not isinstance(to.type, StructType):
                pointer = PointerType(leaf.element)
                known = isinstance(element, ArrayRef) and isinstance(self.variables[element.variable].type, PointerType)
                yield (
                    Name(arg.at, pointer, element.variable)
                    if known and isinstance(element, ArrayRef)
                    else Unary(arg.at, pointer, "&", element)
                )
            elif isinstance(element, ArrayRef) and not scalar:
                base = self.variables[element.variable].type
                rest = base.dims[len(element.indices) :] if isinstance(base, ArrayType) else ()
                yield replace(element, type=ArrayType(leaf.element, rest))
            else:
                yield element

    # --------------------------------------------------------------------------- statements

    def _block(self, block: Block) -> Block:
        return replace(block, body=tuple(self._stmt(s) for s in block.body))

    def _stmt(self, stmt: Stmt) -> Stmt:
        match stmt:
            case Block():
                return self._block(stmt)
            case Declare():
                declared = replace(stmt, variables=tuple(new for v in stmt.variables for new in self.parts(v)))
                first = [v for v in map(self.old.variable, stmt.variables) if self._is_copied_first(v)]
                return Block(next(self._ids), stmt.at, (declared, *map(self._begun, first))) if first else declared
            case ExprStmt(expr=Assign(op="=", target=target, value=value) as assign):
                place, source = self.uses.place(target), self.uses.place(value)
                if place is None or place.variable not in self.chosen or not isinstance(place.type, StructType):
                    return replace(stmt, expr=self.expr(assign))
                setup: list[Stmt] = []
                if source is not None and not is_pure(value):
                    assign = replace(assign, value=self._steady(value, place, setup))
                elif source is None:
                    assign = replace(assign, value=self._kept("value", value, place, setup))
                if not is_pure(target):
                    assign = replace(assign, target=self._steady(target, place, setup))
                whole = replace(stmt, expr=Comma(assign.at, assign.type, tuple(self._each(assign, place))))
                return Block(next(self._ids), stmt.at, (*setup, whole)) if setup else whole
            case Return(value=value) if value is not None and (source := self.uses.steadied(value)) is not None:
                setup = []
                value = self._steady(value, source, setup) if source.variable in self.chosen else value
                return Block(next(self._ids), stmt.at, (*setup, replace(stmt, value=self.expr(value))))
            case Loop():
                init = None if stmt.init is None else self._stmt(stmt.init)
                test, step = (None if e is None else self.expr(e) for e in (stmt.test, stmt.step))
                self._loops[stmt.id] = replace(stmt, init=init, test=test, step=step, body=self._block(stmt.body))
                return self._loops[stmt.id]
        return map_parts(stmt, self.expr, self._stmt)

    def _is_copied_first(self, variable: Variable) -> bool:
        """Whether a variable begins as a copy of a structure with arrays, or of one in a place that is for once."""
        init, of = variable.init, variable.type
        if init is None or variable.id not in self.chosen or variable.reference or not isinstance(of, StructType):
            return False
        return is_made_of_value(variable) or (not (is_flat(of) and is_pure(init)) and self.uses.place(init) is not None)

    def _begun(self, variable: Variable) -> Stmt:
        """What a variable begins as, as an assignment."""
        assert variable.init is not None
        at = variable.init.at
        begun = Assign(at, variable.type, "=", Name(at, variable.type, variable.id), variable.init)
        return self._stmt(ExprStmt(at, begun))

    def _kept(self, name: str, value: Expr, place: MemberPlace, setup: list[Stmt]) -> Name:
        """A variable of its own with a value, for one that is needed several times."""
        new = len(self.variables)
        at, owner = value.at, self.old.variable(place.variable)
        declared = Declarator(at, at, at, at, brackets=(), initialiser=None, index=0, count=1)
        function = self._function
        made = Variable(new, f"{name}_{new}", value.type, "local", function, None, (declared,), init=self.expr(value))
        self.variables.append(made)
        self.made[new] = owner.id
        setup.append(Declare(at, (new,)))
        return Name(at, value.type, new)

    def _steady(self, target: Expr, place: MemberPlace, setup: list[Stmt]) -> Expr:
        """A place whose indices are what they are once: ``a[n++]`` with ``n++`` in a variable."""

        def once(index: Expr) -> Expr:
            return index if is_pure(index) else self._kept("at", index, place, setup)

        match target:
            case ArrayRef(indices=indices):
                return replace(target, indices=tuple(map(once, indices)))
            case Subscript(base=base, index=index):
                return replace(target, base=self._steady(base, place, setup), index=once(index))
            case Member(base=base):
                return replace(target, base=self._steady(base, place, setup))
        return target

    def _each(self, assign: Assign, place: MemberPlace) -> Iterator[Expr]:
        """An assignment of a structure, number by number."""
        first = True
        for path, leaf in leaves(place.type):
            if None in leaf.dims:
                both = (self.expr(chain(e, path, place.type, ())) for e in (assign.target, assign.value))
                yield OpaqueExpr(assign.at, leaf.element, "a copy of elements whose number is not known", tuple(both))
                continue
            for index in itertools.product(*(range(n or 0) for n in leaf.dims)):
                self._fresh, first = not first, False  # each copy of an index has accesses of its own
                sides = (self.expr(chain(e, path, place.type, index)) for e in (assign.target, assign.value))
                yield Assign(assign.at, leaf.element, "=", *sides)
        self._fresh = False
