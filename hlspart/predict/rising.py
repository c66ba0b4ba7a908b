"""Elements that a top is given, of which a larger one makes something larger that the program leaves.

Where all that is given is one, and nothing but sums and products of small whole numbers is made of it, all values are
exact and more than zero, and none gets smaller where an element is two. So nothing cancels on any way to an output.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property

from msgspec import Struct

from hlspart.hardware.storage import Storage
from hlspart.model.access import Access
from hlspart.model.program import (
    ArrayRef,
    Assign,
    Binary,
    Cast,
    CType,
    Declare,
    Expr,
    ExprStmt,
    Function,
    Jump,
    Label,
    Name,
    Program,
    Return,
    Stmt,
    walk,
    walk_statements,
)
from hlspart.model.pure_functions import CHOSEN, COMPUTED, base_of
from hlspart.predict.given import Given, added_to, unconditional
from hlspart.semantics.effects import effects
from hlspart.sets.moved import is_covered, stays

_LONGEST = 8  # arrays and scalars on one way
_RETURN = frozenset({"stream.read", "stream.write", "memcpy", "memset"})  # calls that come back


class _Step(Struct, frozen=True):
    """What gives a value to a target in each iteration of loops; ``+=`` adds it.

    ``target``: None where the program leaves the value, the number of a scalar that is declared. ``kind``: its type.
    """

    target: Expr | int | None
    op: str
    value: Expr
    kind: CType
    loops: tuple[int, ...]
    order: int


def rising(storage: Storage, loads: Collection[int]) -> frozenset[int]:
    """Those of some accesses of which each element matters, all in one run."""
    known = Rising(Given(storage, each=2, whole=True))
    return frozenset(a.id for a in storage.analysis.accesses if a.id in loads and known.is_left(a))


class Rising(Struct, frozen=True, dict=True):
    """The steps of the functions of a program, and where values go on them."""

    given: Given

    def is_left(self, load: Access, longest: int = _LONGEST) -> bool:
        """Whether a larger value of any element that is loaded makes something larger that the program leaves."""
        steps = self._steps(load.function) if longest and load.exact and not load.branch else ()
        step = next((s for s in steps if any(_names(e, load.ref) for e in walk(s.value))), None)
        return step is not None and self._rises(step, load.ref, None) and self._goes_on(step, load.function, longest)

    @cached_property
    def _accesses(self) -> dict[int, Access]:
        """Those that write, by their reference."""
        return {a.ref: a for a in self.given.storage.analysis.accesses if a.kind == "write"}

    @cached_property
    def _of_function(self) -> dict[str, tuple[_Step, ...]]:
        return {}

    def _steps(self, name: str) -> tuple[_Step, ...]:
        """What a top always does, in its order; nothing where it may end early, or runs again."""
        if name not in self._of_function:
            storage = self.given.storage
            function = storage.program.functions.get(name)
            known = function is not None and name in storage.analysis.tops and not self.given.is_called(name)
            self._of_function[name] = tuple(self._made(function)) if known and function is not None else ()
        return self._of_function[name]

    def _made(self, function: Function) -> Iterator[_Step]:
        program, loops_of = self.given.storage.program, self.given.storage.analysis.loops
        known = effects(program)
        called = (c.function or "" for name in known.reachable((function.name,)) for c in known.calls[name])
        ends = any(isinstance(s, Jump | Label | Return) for s in [*walk_statements(function.body)][:-1])
        if ends or any(c not in program.functions and not _returns(c) for c in called):
            return
        for k, (stmt, loops) in enumerate(unconditional(function.body)):
            if not all((loops_of[x].trip_count.exact or 0) > 0 and not loops_of[x].exits for x in loops):
                continue
            yield from _of_statement(program, function, stmt, loops, k)

    def _rises(self, step: _Step, ref: int | None, variable: int | None) -> bool:
        """Whether what is given is larger where an element or a scalar is."""
        most = self.given.most(step.value, frozenset(step.loops))
        if most is None or not self.given.holds(step.kind, most):
            return False
        return _raises(step.value, ref, variable)

    def _goes_on(self, step: _Step, function: str, longest: int) -> bool:
        """Whether what a step makes larger is left, or makes larger what is."""
        target = step.target
        if target is None:
            return True
        if isinstance(target, ArrayRef):
            return self._is_kept(target, step, longest)
        return isinstance(target, Name | int) and self._is_taken(
            target if isinstance(target, int) else target.variable, function, longest
        )

    def _is_kept(self, target: ArrayRef, step: _Step, longest: int) -> bool:
        """Whether an element that is stored is there at the end, or loaded once all of its array is stored."""
        storage = self.given.storage
        store = self._accesses.get(target.id)
        if store is None or store.branch:
            return False
        tied = storage.arrays.members(store.array)
        records = [storage.program.variable(v) for v in tied]
        if any(v.volatile or v.id in effects(storage.program).escaping for v in records):
            return False
        if step.op == "+=" and not self.given.is_filled(store.array, frozenset()):
            return False  # what else is added may be less than zero
        others = [a for a in storage.analysis.accesses if a.array in tied and a.id != store.id]
        if any(a.function != store.function for a in others):
            return False
        steps = {x: info.step for x, info in storage.analysis.loops.items()}
        own = {a.id for a in others if step.op == "+=" and a.ref == store.ref}
        if not stays(store, [a for a in others if a.id not in own], steps, again=step.op == "+="):
            return False
        if any(storage.arrays.is_interface(v) for v in records):
            return True
        writes = [store, *(a for a in others if a.kind == "write")]
        behind = (a for a in others if a.kind == "read" and all(_is_behind(a, w) for w in writes))
        loads = [a for a in behind if is_covered(store, a)]
        return any(self.is_left(a, longest - 1) for a in loads)

    def _is_taken(self, variable: int, function: str, longest: int) -> bool:
        """Whether a scalar that is set, then added to, is part of what a later step makes in the loops that set it."""
        steps = self._steps(function)
        mine = [s for s in steps if _set(s) == variable]
        counted = effects(self.given.storage.program).assignments.get(variable, 0)
        first = mine[0] if mine else None
        if not longest or first is None or first.op != "=" or any(s.op != "+=" for s in mine[1:]):
            return False
        if sum(isinstance(s.target, Name) for s in mine) != counted:
            return False
        if any(s.loops[: len(first.loops)] != first.loops for s in mine):
            return False
        uses = (s for s in steps if s.order > mine[-1].order and s.loops == first.loops)
        taking = (s for s in uses if _set(s) != variable and any(_is_name(e, variable) for e in walk(s.value)))
        return any(self._rises(s, None, variable) and self._goes_on(s, function, longest - 1) for s in taking)


def _of_statement(
    program: Program, function: Function, stmt: Stmt, loops: tuple[int, ...], order: int
) -> Iterator[_Step]:
    """What a statement gives a value, and what it hands to a stream or to the caller of the top."""
    match stmt:
        case Declare(variables=variables):
            for v in map(program.variable, variables):
                if v.init is not None and v.storage == "local" and not v.reference and v.as_array is None:
                    yield _Step(v.id, "=", v.init, v.type, loops, order)
        case Return(value=value) if value is not None and not loops:
            yield _Step(None, "=", value, function.return_type, loops, order)
        case ExprStmt(expr=Assign(op="=" | "+=" as op, target=ArrayRef() | Name() as target, value=value)):
            added = added_to(target, value) if op == "=" else value
            more = added is not None
            yield _Step(target, "+=" if more else op, added if added is not None else value, target.type, loops, order)


def _returns(name: str) -> bool:
    """Whether a function of a library comes back."""
    return name in _RETURN or base_of(name) in COMPUTED | CHOSEN


def _raises(value: Expr, ref: int | None, variable: int | None) -> bool:
    """Whether a sum of products, of which all else is more than zero, is larger where an element or a scalar is."""
    match value:
        case ArrayRef(id=ident):
            return ident == ref
        case Name(variable=named):
            return named == variable
        case Cast(operand=operand):
            return _raises(operand, ref, variable)
        case Binary(op="+" | "*", left=left, right=right):
            return _raises(left, ref, variable) or _raises(right, ref, variable)
    return False


def _is_behind(load: Access, store: Access) -> bool:
    """Whether all of a load's iterations come after all of a store's."""
    shared = load.loops and store.loops and load.loops[0] == store.loops[0]
    return not shared and load.order > store.order and not load.branch


def _set(step: _Step) -> int | None:
    """The scalar that a step gives a value."""
    if isinstance(step.target, Name):
        return step.target.variable
    return step.target if isinstance(step.target, int) else None


def _names(expr: Expr, ref: int) -> bool:
    return isinstance(expr, ArrayRef) and expr.id == ref


def _is_name(expr: Expr, variable: int) -> bool:
    return isinstance(expr, Name) and expr.variable == variable
