"""Scalars beside inner loops: values that do not change, sums on their way to the one element that takes them, and
values of one iteration that its inner loops work on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from hlspart.expand.region import Refusal, target_of
from hlspart.explore.records import OperandWindow
from hlspart.model.access import Access
from hlspart.model.exploring import Operand
from hlspart.model.program import (
    ArrayRef,
    Assign,
    Binary,
    Block,
    Case,
    Comma,
    CType,
    Declare,
    Expr,
    ExprStmt,
    Function,
    If,
    Loop,
    Name,
    Program,
    ScalarType,
    Stmt,
    Variable,
    walk,
    walk_statements,
)
from hlspart.model.source import Span
from hlspart.semantics.effects import statement_expressions


def added(expr: Expr, is_of_operand: Callable[[Expr], bool], one: bool) -> int:
    """How often an expression names an operand's values, all that it does being to add to one: ``x += e``,
    ``x -= e`` or ``x = x + e``; else 0. ``one``: all such elements of an array are one.
    """
    if not isinstance(expr, Assign) or not isinstance(target := expr.target, Name | ArrayRef):
        return 0
    named = sum(1 for e in walk(expr.value) if is_of_operand(e))
    rounds = _kind(target.type) == "int" != _kind(expr.value.type)  # after each term, so their order matters
    if not is_of_operand(target) or rounds:
        return 0
    if expr.op in ("+=", "-="):
        return 0 if named else 1
    terms = [t for t in _terms(expr.value) if is_of_operand(t)]
    again = expr.op == "=" and named == len(terms) == 1
    return 2 if again and (one or isinstance(target, Name)) else 0


def gives(stmt: Stmt, variable: Variable) -> bool:
    """Whether a statement does no more than give a variable a value, which is not made of its last one."""
    if isinstance(stmt, Declare):
        return variable.id in stmt.variables and variable.init is not None and variable.storage != "static"
    return isinstance(stmt, ExprStmt) and _assigns(stmt.expr, variable.id)


def _assigns(expr: Expr, variable: int) -> bool:
    """Whether an expression gives a variable a value before it names it: ``t = 1, u = t`` or ``t = u = 1``."""
    if isinstance(expr, Comma):
        first = next((e for e in expr.items if _says(e, variable)), None)
        return first is not None and _assigns(first, variable)
    if not isinstance(expr, Assign) or expr.op != "=":
        return False
    if isinstance(expr.target, Name) and expr.target.variable == variable:
        return not _says(expr.value, variable)
    return not _says(expr.target, variable) and _assigns(expr.value, variable)


def _says(expr: Expr, variable: int) -> bool:
    return any(isinstance(e, Name) and e.variable == variable for e in walk(expr))


def given_before(program: Program, function: Function, outer: Loop, variable: Variable) -> bool | None:
    """Whether a local variable has a value when a nest begins; None where that depends on the way to it."""
    if variable.storage == "parameter" or variable.init is not None:
        return True
    here = outer.at.span
    around = [s for s in walk_statements(function.body) if s.at.span.holds(here)]
    for block in (s for s in around if isinstance(s, Block) and not any(isinstance(x, Case) for x in s.body)):
        if any(_assigns_surely(s, variable) for s in block.body if s.at.span.end <= here.start):
            return True
    again = any(isinstance(s, Loop) and s is not outer and not s.at.span.holds(variable.at.span) for s in around)
    earlier = any(at.start < here.start for at in named_outside(program, function, outer, variable))
    return None if again or earlier else False


def _assigns_surely(stmt: Stmt, variable: Variable) -> bool:
    """Whether a statement gives a variable a value whichever way it takes."""
    if isinstance(stmt, If):
        return stmt.other is not None and _assigns_surely(stmt.then, variable) and _assigns_surely(stmt.other, variable)
    return any(_assigns_surely(s, variable) for s in stmt.body) if isinstance(stmt, Block) else gives(stmt, variable)


def named_outside(program: Program, function: Function, outer: Loop, variable: Variable) -> list[Span]:
    """Where the function names a variable outside of a nest."""
    names = (e for r in statement_expressions(program, function.body) for e in walk(r))
    places = (e.at.span for e in names if isinstance(e, Name | ArrayRef) and e.variable == variable.id)
    return [at for at in places if not outer.at.span.holds(at)]


def _terms(expr: Expr) -> Iterator[Expr]:
    """The terms of a sum that are not subtracted."""
    if isinstance(expr, Binary) and expr.op in ("+", "-"):
        yield from _terms(expr.left)
        if expr.op == "+":
            yield from _terms(expr.right)
    else:
        yield expr


def _kind(type_: CType) -> str:
    return type_.kind if isinstance(type_, ScalarType) else ""


class Sums:
    """``stands_for``: scalar -> the element that takes its last value, or what is made of that; ``private``: other
    scalar -> the number of loops whose iterations give it a first value; ``dropped``: what only hands a sum over, or
    declares a private scalar; ``constant``: declarations of values that any iteration can work out anew. ``beside``:
    (level, statement, whether behind the inner loop). ``lives_on``: whether a value may be read behind the nest.
    ``still``: scalars may be carried through the nest, private to 0 loops."""

    def __init__(
        self, program: Program, function: Function, outer: Loop, accesses: Sequence[Access],
        beside: Sequence[tuple[int, Stmt, bool]], lives_on: Callable[[int], bool], still: bool,
    ) -> None:  # fmt: skip
        self.program, self.function, self.outer = program, function, outer
        self.accesses, self.kept, self.lives_on, self.still = accesses, beside, lives_on, still
        self.stands_for: dict[int, ArrayRef] = {}
        self.private: dict[int, int] = {}
        self.dropped: list[Stmt] = []
        self.constant: set[Stmt] = set()

    def read(self, innermost: Block, loops: int, counts: frozenset[int | None]) -> None:
        """Scalars that live across one of the ``loops``: each must stand for the element that takes it in the end, or
        have its first value from every iteration of those around."""
        self._body, self.loops = innermost, loops
        inner = {v for s in walk_statements(innermost) if isinstance(s, Declare) for v in s.variables}
        for stmt in [*(s for _, s, _ in self.kept), innermost]:
            for root in statement_expressions(self.program, stmt):
                for e in walk(root):
                    self._indexed(e)
                    target = target_of(e)
                    if isinstance(target, Name) and target.variable not in inner | counts:
                        self._carries(self.program.variable(target.variable), target)
            if isinstance(stmt, Declare) and self._is_constant(stmt):
                self.constant.add(stmt)
                continue
            for v in (v for w in walk_statements(stmt) if isinstance(w, Declare) for v in w.variables):
                if v not in inner | counts:
                    self._carries(self.program.variable(v), None)

    def _indexed(self, expr: Expr) -> None:
        """Raise where an index changes a variable: where the element is a word of a buffer, its index is not there."""
        for part in (p for index in (expr.indices if isinstance(expr, ArrayRef) else ()) for p in walk(index)):
            target = target_of(part)
            if isinstance(target, Name):
                name = self.program.variable(target.variable).name
                raise Refusal("scalar", f"an index changes {name}", expr.at)

    def _is_constant(self, declare: Declare) -> bool:
        """Whether the nest could work the declared values out anew in every iteration."""
        changed = {a.array for a in self.accesses if a.kind == "write"}
        for e in (n for r in statement_expressions(self.program, self.outer.body) for n in walk(r)):
            target = target_of(e)
            if isinstance(target, Name):
                changed.add(target.variable)
        for v in map(self.program.variable, declare.variables):
            if not isinstance(v.type, ScalarType) or v.init is None or v.storage == "static" or v.id in changed:
                return False
            if any(isinstance(e, Name | ArrayRef) and e.variable in changed for e in walk(v.init)):
                return False
        return True

    def _carries(self, variable: Variable, at: Name | None) -> None:
        if variable.id in self.stands_for or variable.id in self.private:
            return
        place = self.outer.at if at is None else at.at
        takers = [
            (s, s.expr)
            for _, s, behind in self.kept
            if behind and isinstance(s, ExprStmt) and isinstance(s.expr, Assign) and s.expr.op == "="
            and self._names(s, variable.id)
        ]  # fmt: skip
        why = f"{variable.name} is carried from iteration to iteration"
        if len(takers) != 1 or not isinstance(takers[0][1].target, ArrayRef) or not self._is_first(variable):
            self._anew(variable, Refusal("scalar", why, place))
            return
        taker, assign = takers[0]
        target = assign.target
        assert isinstance(target, ArrayRef)
        array = self.program.variable(target.variable).as_array
        uses = [a for a in self.accesses if a.array == target.variable]
        outside = named_outside(self.program, self.function, self.outer, variable)
        others = sum(1 for _, s, behind in self.kept if behind and s is not taker and self._names(s, variable.id))
        taken = any(r.id == target.id for r in self.stands_for.values())
        if array is None or array.element != variable.type or len(uses) != 1 or outside or others or taken:
            self._anew(variable, Refusal("scalar", why, place))
            return
        self.stands_for[variable.id] = target
        if isinstance(assign.value, Name):
            self.dropped.append(taker)

    def _anew(self, variable: Variable, refusal: Refusal) -> None:
        """A scalar that iterations give a first value, before all that names it in them. Raises ``refusal``."""
        owned = variable.storage in ("local", "parameter") and not (variable.volatile or variable.reference)
        before = [(level + 1, s) for level, s, behind in self.kept if not behind]
        body = [(self.loops, s) for s in self._body.body]
        behind = [(level + 1, s) for level, s, behind in self.kept if behind]
        if not owned or not isinstance(variable.type, ScalarType):
            raise refusal
        named = [(level, s) for level, s in (*before, *body, *behind) if self._mentions(s, variable)]
        level, first = named[0] if named else (self.loops, None)
        bare = [s for _, s in before if isinstance(s, Declare) and variable.id in s.variables and not variable.init]
        apart = not any(len(s.variables) > 1 for s in bare) and all(at >= level for at, _ in named)
        if (first is None or gives(first, variable)) and apart and not self.lives_on(variable.id):
            self.private[variable.id] = level
            self.dropped += bare
            return
        given = given_before(self.program, self.function, self.outer, variable)
        if not self.still or given is None or self.outer.at.span.holds(variable.at.span):
            raise refusal
        self.private[variable.id] = 0

    def _is_first(self, variable: Variable) -> bool:
        """Whether a statement before the inner loop gives the first value, before others name it."""
        first = next((s for _, s, behind in self.kept if not behind and self._mentions(s, variable)), None)
        return first is not None and gives(first, variable)

    def _mentions(self, stmt: Stmt, variable: Variable) -> bool:
        """Whether a statement names a variable, or declares it with a value."""
        declares = isinstance(stmt, Declare) and variable.id in stmt.variables and variable.init is not None
        return declares or self._names(stmt, variable.id)

    def _names(self, stmt: Stmt, variable: int) -> bool:
        roots = statement_expressions(self.program, stmt)
        return any(isinstance(e, Name) and e.variable == variable for r in roots for e in walk(r))

    def order(
        self, operands: Sequence[Operand], windows: Sequence[OperandWindow], owner: Mapping[int, int]
    ) -> tuple[bool, bool]:
        """Whether sums must keep their order, and whether they are sums at all."""
        ordered, sums = False, True
        inner = [s.expr for s in walk_statements(self._innermost()) if isinstance(s, ExprStmt)]
        for number, (o, w) in enumerate(zip(operands, windows, strict=True)):
            if not o.written:
                continue
            scalars = {v for v, ref in self.stands_for.items() if owner.get(ref.id) == number}
            scalars |= {w.variable.id} if o.private else set()

            def is_of_operand(e: Expr, number: int = number, scalars: Collection[int] = scalars) -> bool:
                """Whether an expression is a value of the operand."""
                if isinstance(e, ArrayRef):
                    return owner.get(e.id) == number
                return isinstance(e, Name) and e.variable in scalars

            def uses(stmt: Stmt, is_of_operand: Callable[[Expr], bool] = is_of_operand) -> int:
                """How often a statement names it."""
                return sum(1 for r in statement_expressions(self.program, stmt) for e in walk(r) if is_of_operand(e))

            adds = sum(added(e, is_of_operand, all(w.exact)) for e in inner)
            # a value that is given once, before all terms; one that loops of the sum give anew ends it each time
            given = sum(
                uses(s) for level, s, behind in self.kept
                if not behind and s not in self.dropped and o.loops.issuperset(range(level + 1))
            )  # fmt: skip
            handed = sum(uses(s) for s in self.dropped)
            shape = w.variable.as_array
            whole_number = _kind(w.variable.type if shape is None else shape.element) == "int"
            alone = uses(self.outer.body) == adds + given + handed
            sums &= alone
            ordered |= not (alone and whole_number)
        return (True, False) if any(o.private and o.loops for o in operands) else (ordered, sums)

    def _innermost(self) -> Block:
        loop: Loop = self.outer
        while True:
            inner = [s for s in loop.body.body if isinstance(s, Loop)]
            if len(inner) != 1:
                return loop.body
            loop = inner[0]
