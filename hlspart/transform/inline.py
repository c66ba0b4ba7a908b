"""A function with its calls expanded, so that loops see through them.

For analysis alone, no text is made of it: the copy keeps the origins of what it copies, so one place of a callee
may occur several times. A call stays a call when its expansion would not mean the same in the records: recursion,
a return from the middle of a loop, arguments whose shape differs, calls that are evaluated only under a condition
inside an expression.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import Struct
from msgspec.structs import replace

from hlspart.model.code import once_per_code
from hlspart.model.program import (
    CONCATENATION,
    CONSTRUCTOR,
    LITERAL,
    MEMBERS,
    SAME_BITS,
    ArrayRef,
    ArrayType,
    Binary,
    Block,
    Call,
    Cast,
    Comma,
    Conditional,
    Const,
    CType,
    Declarator,
    Declare,
    Expr,
    ExprStmt,
    Function,
    If,
    Jump,
    Label,
    Loop,
    Member,
    Name,
    OpaqueExpr,
    PointerType,
    Program,
    Return,
    ScalarType,
    SizeOf,
    Stmt,
    StreamType,
    StructType,
    Subscript,
    Switch,
    Unary,
    Variable,
    VoidType,
    children,
    integer,
    walk,
    walk_statements,
)
from hlspart.model.rebuild import map_children, with_children
from hlspart.model.source import Origin
from hlspart.semantics.effects import effects, statement_expressions
from hlspart.transform.choices import arms, as_statements, choice, later
from hlspart.transform.copied import Copied
from hlspart.transform.forward import Forward
from hlspart.transform.handed import array_place, below, is_only_dereferenced, is_reassigned, rows_equal, target_of
from hlspart.transform.returns import always_returns, only_value, returns_assigned, single_exit

_VALUES = (CONCATENATION, CONSTRUCTOR, LITERAL, MEMBERS, SAME_BITS)  # nothing but values of their children
_LARGEST = 400  # calls expanded in one function


class _Place(Struct, frozen=True):
    """What a reference means: an element or a member, its indices frozen."""

    expr: ArrayRef | Member | Subscript
    variable: int


Target = int | Name | ArrayRef | _Place
"""What a callee's variable becomes: another variable, a scalar of the caller, a row of its array, or a place in it."""


def inline(program: Program, function: str, keep: frozenset[str] = frozenset()) -> tuple[Program, Forward]:
    """``program`` with the calls in ``function`` expanded, transitively, except those of functions in ``keep``.

    Nodes of the function itself keep their ids; copied nodes get fresh ones and keep their origins.
    Directives on loops and local variables of a callee are copied to each expansion. Functions that
    are still called stay. A program in which no call is expanded comes back itself.
    """
    expanded = _expanded(program, function, keep)
    if expanded is None:
        return program, Forward()
    result, copied, forward = expanded
    copy = replace(
        program,
        functions=result.functions,
        variables=result.variables,
        loops=result.loops,
        directives=(*program.directives, *(d for c in copied for d in c.directives(program, function))),
    )
    return copy, forward


@once_per_code(64)
def _expanded(
    program: Program, function: str, keep: frozenset[str]
) -> tuple[Program, tuple[Copied, ...], Forward] | None:
    """The copy, of whatever directives, and what in it has directives of its own; None where nothing changes."""
    work = _Inliner(program, keep)
    body = work.block(program.functions[function].body, {}, function, own=True)
    if not work.expanded:
        return None
    whole = [program.functions[function], *work.callees]
    open_, lacking = any(f.open for f in whole), any(f.lacking for f in whole)
    expanded = replace(whole[0], body=body, open=open_, lacking=lacking)
    functions = {**program.functions, function: expanded}
    loops = {s.id: s for s in walk_statements(body) if isinstance(s, Loop)}
    result = replace(
        program,
        functions=functions,
        variables=tuple(work.variables),
        loops={**program.loops, **loops},
    )
    called = {e.function for top in statement_expressions(result, body) for e in walk(top) if isinstance(e, Call)}
    needed = effects(program).reachable(tuple(f for f in called if f)) | {function}
    kept = {name: f for name, f in functions.items() if name in needed}
    return replace(result, functions=kept), tuple(work.copied), work.forward()


def _variables(names: Mapping[int, Target]) -> dict[int, int]:
    return {old: new if isinstance(new, int) else new.variable for old, new in names.items()}


@dataclass
class _Inliner:
    program: Program
    keep: frozenset[str]
    variables: list[Variable] = field(init=False)
    copied: list[Copied] = field(default_factory=list)
    around: list[int] = field(default_factory=list)  # loops around the statement at hand

    def __post_init__(self) -> None:
        self.variables = list(self.program.variables)
        known = effects(self.program)
        self._ids = itertools.count(max((known.largest_id, *self.program.loops)) + 1)
        self._recursive = known.recursive
        self._nodes: dict[int, int] = {}
        self._of_variable: dict[int, int] = {}
        self.expanded = 0
        self.callees: list[Function] = []
        self._inside = 0  # the expansion at hand

    def forward(self) -> Forward:
        """What each copy is of; -1: a variable that nothing of the program is."""
        made = range(len(self.program.variables), len(self.variables))
        return Forward({v: self._of_variable.get(v, -1) for v in made}, self._nodes)

    def _copy(self, old: int) -> int:
        """A number for a copy of a node."""
        new = next(self._ids)
        self._nodes[new] = old
        return new

    # ------------------------------------------------------------------------------ statements

    def block(self, block: Block, names: dict[int, Target], function: str, own: bool = False) -> Block:
        """Copy of a block; ``names`` says what its variables become."""
        ident = block.id if own else self._copy(block.id)
        return replace(block, id=ident, body=self.statements(block.body, names, function, own))

    def statements(self, body: Sequence[Stmt], names: dict[int, Target], function: str, own: bool) -> tuple[Stmt, ...]:
        """Copies of statements in a row, calls expanded before the statement that holds them."""
        result: list[Stmt] = []
        for stmt in body:
            before: list[Stmt] = []
            made = self.stmt(stmt, names, function, own, before)
            result += before
            if made is not None:
                result.append(made)
        return tuple(result)

    def stmt(
        self, stmt: Stmt, names: dict[int, Target], function: str, own: bool, before: list[Stmt]
    ) -> Stmt | None:  # fmt: skip
        """Copy of a statement; what must run first is added to ``before``."""

        def expr(e: Expr, hoist: bool = True) -> Expr:
            return self.expr(e, names, function, own, before if hoist else None)

        def block(b: Block) -> Block:
            return self.block(b, names, function, own)

        match stmt:
            case Block():
                return block(stmt)
            case Declare():
                kept = list[int]()
                for ident in stmt.variables:
                    variable, ahead = self.program.variable(ident), len(before)
                    new = ident if own else self._local(variable, names, function)
                    init = variable.init
                    if init is not None and variable.storage != "static":
                        if own:
                            changed = expr(init)
                            if changed is not init:
                                self.variables[ident] = replace(variable, init=changed)
                        else:
                            self.variables[new] = replace(self.variables[new], init=expr(init))
                    if kept and len(before) > ahead:  # int x = f(a), y = f(x);
                        before.insert(ahead, replace(stmt, variables=tuple(kept)))
                        kept = []
                    kept.append(new)
                return replace(stmt, variables=tuple(kept))
            case ExprStmt(expr=Call() as call) if self._expandable(call) and (test := choice(call)):
                blocks: list[Block] = []
                for k, arm in enumerate(arms(call, test)):  # the second copy has nodes of its own
                    inner = self.statements((ExprStmt(stmt.at, arm),), names, function, own and k == 0)
                    blocks.append(Block(next(self._ids), stmt.at, inner))
                return If(stmt.at, expr(test), *blocks)
            case ExprStmt(expr=Call() as call):
                if self._expand(call, names, function, own, before, None):
                    return None
                return replace(stmt, expr=expr(call))
            case ExprStmt():
                return replace(stmt, expr=expr(stmt.expr))
            case If():
                test = expr(stmt.test)
                other = None if stmt.other is None else block(stmt.other)
                return replace(stmt, test=test, then=block(stmt.then), other=other)
            case Loop():
                return self._loop(stmt, names, function, own, before)
            case Switch():
                return replace(stmt, test=expr(stmt.test), body=block(stmt.body))
            case Return(value=value) if value is not None:
                return replace(stmt, value=expr(value))
            case _:
                return stmt

    def _loop(self, loop: Loop, names: dict[int, Target], function: str, own: bool, before: list[Stmt]) -> Loop:
        init = None if loop.init is None else self.stmt(loop.init, names, function, own, before)
        test, step = (None if e is None else self.expr(e, names, function, own, None) for e in (loop.test, loop.step))
        ident = loop.id if own else self._copy(loop.id)
        if not own:
            self.copied.append(Copied(loop.id, ident, None, _variables(names)))
        self.around.append(ident)
        body = self.block(loop.body, names, function, own)
        self.around.pop()
        return replace(loop, id=ident, function=function, init=init, test=test, step=step, body=body)

    def _local(self, variable: Variable, names: dict[int, Target], function: str) -> int:
        """A copy of a callee's local variable; static ones are shared by all calls."""
        if variable.storage == "static":
            names[variable.id] = variable.id
            return variable.id
        new = len(self.variables)
        self.variables.append(replace(variable, id=new, function=function, storage="local"))
        names[variable.id], self._of_variable[new] = new, variable.id
        self.copied.append(Copied(None, None, variable.id, _variables(names)))
        return new

    # ------------------------------------------------------------------------------ expressions

    def expr(
        self, e: Expr, names: dict[int, Target], function: str, own: bool,
        before: list[Stmt] | None,
    ) -> Expr:  # fmt: skip
        """Copy of an expression; a call's expansion goes to ``before`` (None: it cannot be moved there)."""

        def sub(x: Expr, hoist: bool = True) -> Expr:
            return self.expr(x, names, function, own, before if hoist else None)

        match e:
            case Name(variable=ident):
                new = names.get(ident, ident)
                if isinstance(new, int):
                    return e if new == ident else replace(e, variable=new)
                if isinstance(new, _Place):
                    return self._again(new.expr, e.at)
                if isinstance(new, ArrayRef):  # a row handed on
                    row = replace(new, id=next(self._ids), at=e.at)
                    return Unary(e.at, PointerType(row.type), "&", row)
                handed = isinstance(e.type, PointerType) and not isinstance(new.type, (ArrayType, PointerType))
                return Unary(e.at, e.type, "&", replace(new, at=e.at)) if handed else replace(new, at=e.at)
            case ArrayRef(variable=ident):
                indices = tuple(sub(i) for i in e.indices)
                new = names.get(ident, ident)
                if isinstance(new, ArrayRef):
                    return self._through(e, new, indices)
                if isinstance(new, _Place):
                    return self._element(e, new.expr, indices)
                if isinstance(new, Name):
                    return replace(new, at=e.at)
                if own and new == ident and all(a is b for a, b in zip(indices, e.indices, strict=True)):
                    return e
                return replace(e, id=e.id if own else self._copy(e.id), variable=new, indices=indices)
            case Member(base=Name(variable=ident), arrow=True) if isinstance(object_ := names.get(ident), Name):
                return replace(e, base=replace(object_, at=e.at), arrow=False)
            case Call():
                if before is not None and not isinstance(e.type, VoidType):
                    value: list[Expr] = []
                    if self._expand(e, names, function, own, before, value):
                        return value[0]
                elif before is None and (given := self._in_place(e, names, function, own)) is not None:
                    return given
                args = tuple(sub(a) for a in e.args)
                return replace(e, id=e.id if own else self._copy(e.id), args=args)
            case Binary(op="&&" | "||") | Conditional() if before is not None and any(map(self._expandable, later(e))):
                return self._decided(e, names, function, own, before)
            case Binary(op="&&" | "||") | Conditional() | Comma():
                return with_children(e, [sub(x, hoist=k == 0) for k, x in enumerate(children(e))], fresh=True)
            case OpaqueExpr(name=name) if name and self._inside:
                return replace(e, name=f"{name}@{self._inside}")  # each expansion may give it another value
            case SizeOf() | OpaqueExpr() if getattr(e, "what", "") not in _VALUES:
                return with_children(e, [sub(x, hoist=False) for x in children(e)], fresh=True)
            case _:
                # An expansion runs before the whole statement: other operands must not be affected by it.
                return map_children(e, sub, fresh=True)

    def _expandable(self, call: Call) -> bool:
        return call.function in self.program.functions and call.function not in self.keep | self._recursive

    def _decided(
        self, e: Binary | Conditional, names: dict[int, Target], function: str, own: bool, before: list[Stmt]
    ) -> Expr:  # fmt: skip
        """An operand that a condition decides, as statements in front."""
        new = self._fresh("decided", e.type, function, e.at)

        def expr(x: Expr, first: list[Stmt]) -> Expr:
            return self.expr(x, names, function, own, first)

        made, value = as_statements(e, Name(e.at, e.type, new), expr, self._ids)
        before += made
        return value

    def _through(self, e: ArrayRef, row: ArrayRef, indices: tuple[Expr, ...]) -> Expr:
        """``p[k]`` where p points to the place ``row`` of an array: the last index of ``row`` moves."""
        last = row.indices[-1]
        first = indices[0] if indices else integer(0, e.at)
        moved = first if _is_zero(last) else Binary(e.at, first.type, "+", last, first)
        moved_on = (*row.indices[:-1], moved, *indices[1:])
        return replace(e, id=self._copy(e.id), variable=row.variable, indices=moved_on, brackets=(), in_rows=False)

    # ------------------------------------------------------------------------------ calls

    def _expand(
        self, call: Call, names: dict[int, Target], function: str, own: bool,
        before: list[Stmt], value: list[Expr] | None,
    ) -> bool:  # fmt: skip
        """Add the expansion of a call to ``before``; its result, when asked for, to ``value``."""
        callee = self.program.functions.get(call.function or "")
        if callee is None or callee.name in self.keep or callee.variadic or callee.name in self._recursive:
            return False
        if len(call.args) != len(callee.params) or self.expanded >= _LARGEST:
            return False
        wants = value is not None
        body = single_exit(callee.body.body)
        if body is None or any(isinstance(s, (Label, Jump)) and _is_goto(s) for s in walk_statements(callee.body)):
            return False
        if wants and not always_returns(body):
            return False
        setup: list[Stmt] = []
        bound: dict[int, Target] = {}
        mark = len(self.variables), len(self.copied)
        for ident, arg in zip(callee.params, call.args, strict=True):
            copied = self.expr(arg, names, function, own, setup)
            if not self._bind(self.program.variable(ident), copied, callee, function, bound, setup):
                del self.variables[mark[0] :], self.copied[mark[1] :]
                return False
        self.expanded += 1
        self.callees.append(callee)
        result: int | None = None
        if wants:
            result = self._fresh("result", callee.return_type, function, callee.name_at)
        outer, self._inside = self._inside, self.expanded
        inner, self._inside = self.statements(body, bound, function, own=False), outer
        if self.around:
            self.copied.append(Copied(None, self.around[-1], None, _variables(bound), callee.name))
        inner = returns_assigned(inner, result, callee.return_type)
        if result is not None:
            before.append(Declare(call.at, (result,)))
        before.append(Block(next(self._ids), call.at, (*setup, *inner)))
        if value is not None and result is not None:
            value.append(Name(call.at, callee.return_type, result))
        return True

    def _in_place(self, call: Call, names: dict[int, Target], function: str, own: bool) -> Expr | None:
        """What a function returns that does nothing else, where no statement can stand ahead, as in a loop's test."""
        callee = self.program.functions.get(call.function or "")
        if callee is None or not self._expandable(call) or len(call.args) != len(callee.params):
            return None
        value = only_value(callee)
        if value is None:
            return None
        setup: list[Stmt] = []
        bound: dict[int, Target] = {}
        mark = len(self.variables), len(self.copied)
        for formal, arg in zip(map(self.program.variable, callee.params), call.args, strict=True):
            actual = self.expr(arg, names, function, own, None)
            if isinstance(formal.type, ScalarType) and isinstance(actual, Name) and actual.type == formal.type:
                bound[formal.id] = actual.variable
            elif not self._bind(formal, actual, callee, function, bound, setup) or setup:
                del self.variables[mark[0] :], self.copied[mark[1] :]
                return None
        self.expanded += 1
        self.callees.append(callee)
        outer, self._inside = self._inside, self.expanded
        given, self._inside = self.expr(value, bound, function, False, None), outer
        return given if given.type == callee.return_type else Cast(call.at, callee.return_type, given)

    def _bind(
        self, formal: Variable, actual: Expr, callee: Function, function: str, bound: dict[int, Target],
        setup: list[Stmt],
    ) -> bool:  # fmt: skip
        """Let a parameter stand for its argument."""
        if isinstance(formal.type, (ArrayType, PointerType)):
            place = array_place(actual)
            if place is None:
                return False
            if isinstance(place, Name) and not isinstance(place.type, (ArrayType, PointerType)):
                if isinstance(place.type, StructType) and target_of(formal.type) != place.type:
                    return False
                bound[formal.id] = place  # &x handed to a pointer that is only dereferenced
                return is_only_dereferenced(self.program, callee, formal.id)
            if is_reassigned(self.program, callee, formal.id):
                return False
            base = self.variables[place.variable]
            if isinstance(place, Name):
                if not rows_equal(base.type, formal.type):
                    return False
                bound[formal.id] = place.variable
                return True
            if not rows_equal(below(base.type, len(place.indices) - 1), formal.type):
                return False
            indices = tuple(self._frozen(i, function, setup) for i in place.indices)
            bound[formal.id] = replace(place, indices=indices)
            return True
        stream = isinstance(formal.type, StreamType)
        if stream or formal.reference:
            if isinstance(actual, Name):
                bound[formal.id] = actual.variable
                return not stream or isinstance(actual.type, StreamType)
            target = self._place(actual, function, setup)
            if isinstance(target, (ArrayRef, Member, Subscript)):
                bound[formal.id] = _Place(target, _root(target))
                return True
            if stream or not (formal.const or isinstance(actual, Call)):  # an object that a call gives is a new one
                return False
        new = len(self.variables)
        self.variables.append(replace(formal, id=new, function=function, storage="local", init=actual))
        bound[formal.id], self._of_variable[new] = new, formal.id
        setup.append(Declare(actual.at, (new,)))
        return True

    def _place(self, e: Expr, function: str, setup: list[Stmt]) -> Name | ArrayRef | Member | Subscript | None:
        """An element or a member of a variable with its indices as they are now; None where that is no place."""
        match e:
            case Name():
                return e
            case ArrayRef():
                return replace(e, indices=tuple(self._frozen(i, function, setup) for i in e.indices), brackets=())
            case Member(base=base, arrow=False):
                inner = self._place(base, function, setup)
                return None if inner is None else replace(e, base=inner)
            case Subscript(base=base, index=index):
                inner = self._place(base, function, setup)
                return None if inner is None else replace(e, base=inner, index=self._frozen(index, function, setup))
        return None

    def _again(self, e: Expr, at: Origin) -> Expr:
        """A place that is used once more, with accesses of its own."""
        made = map_children(e, lambda x: self._again(x, at), fresh=True)
        return replace(made, id=next(self._ids), at=at) if isinstance(made, ArrayRef) else replace(made, at=at)

    def _element(self, e: ArrayRef, place: Expr, indices: tuple[Expr, ...]) -> Expr:
        """``r[i]`` where ``r`` refers to a place that is an array or a vector."""
        made = self._again(place, e.at)
        if isinstance(made, ArrayRef):
            return replace(made, type=e.type, indices=(*made.indices, *indices))
        of = made.type
        for index in indices:
            of = target_of(of) or e.type
            made = Subscript(e.at, of, made, index)
        return made

    def _frozen(self, index: Expr, function: str, setup: list[Stmt]) -> Expr:
        """The value that an index has when the call is made, kept in a variable of its own."""
        if isinstance(index, Const):
            return index
        new = self._fresh("row", index.type, function, index.at, index)
        setup.append(Declare(index.at, (new,)))
        return Name(index.at, index.type, new)

    def _fresh(self, name: str, of: CType, function: str, at: Origin, init: Expr | None = None) -> int:
        new = len(self.variables)
        self._of_variable.pop(new, None)  # of an expansion that was given up
        declared = Declarator(at, at, at, at, brackets=(), initialiser=None, index=0, count=1)
        self.variables.append(Variable(new, f"{name}_{new}", of, "local", function, None, (declared,), init=init))
        return new


def _root(place: Expr) -> int:
    """The variable that a place is in."""
    while not isinstance(place, (Name, ArrayRef)):
        place = children(place)[0]
    return place.variable


def _is_goto(stmt: Stmt) -> bool:
    return isinstance(stmt, Label) or (isinstance(stmt, Jump) and stmt.kind == "goto")


def _is_zero(expr: Expr) -> bool:
    return isinstance(expr, Const) and expr.value == 0
