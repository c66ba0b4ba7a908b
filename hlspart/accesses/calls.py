"""Results of calls: functions that only work out a number from their arguments are followed with these values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hlspart.accesses import algebra
from hlspart.accesses.algebra import Known, Unknown, Value
from hlspart.accesses.loops import Loops
from hlspart.accesses.scope import State
from hlspart.model.access import Affine
from hlspart.model.program import (
    ArrayRef,
    Block,
    Call,
    Declare,
    Expr,
    ExprStmt,
    Function,
    If,
    Name,
    OpaqueExpr,
    PragmaMark,
    Program,
    Return,
    ScalarType,
    Unary,
    walk,
    walk_statements,
)
from hlspart.semantics.effects import Effects, statement_expressions

MOST_NESTED = 4  # calls in functions that are called


class CallResults(Loops):
    """Follows calls; a function is walked with values for its parameters, and what it returns is put together."""

    def __init__(
        self, program: Program, effects: Effects, function: Function, fixed: Mapping[int, tuple[int, ...]]
    ) -> None:
        super().__init__(program, effects, function, fixed)
        self._following: list[str] = []
        self._returns: list[tuple[State, Value]] | None = None

    def result_of(self, expr: Call, values: Sequence[Value], st: State) -> Value:
        function = self.program.functions.get(expr.function or "")
        unknown = super().result_of(expr, values, st)
        known = [v for v in values if not isinstance(v, Unknown)]
        if function is None or len(known) < len(function.params) or len(self._following) >= MOST_NESTED:
            return unknown
        if function.name in self._following or not self._is_plain(function):
            return unknown
        inner = st.copy()
        for ident, value, argument in zip(function.params, known, expr.args, strict=False):
            kind = self.program.variable(ident).type
            inner.env[ident] = self.converted(value, argument.type, kind, st, argument)
        return self._put_together(expr, self._walked(function, inner), st, unknown)

    def returned(self, value: Expr | None, st: State) -> None:
        """A return statement: its value, and from where it returns."""
        result = None if value is None else self.value(value, st)
        if self._returns is not None and result is not None and value is not None:
            function = self.program.functions[self._following[-1]]
            self._returns.append((st.copy(), self.converted(result, value.type, function.return_type, st, value)))

    def _walked(self, function: Function, inner: State) -> list[tuple[State, Value]]:
        """States and values of all returns; none where the end of the body may be reached. Nothing is recorded."""
        kept = self._returns, self.watched, dict(self._branches), self.frames
        self._returns, self.watched, self.frames = [], frozenset(), []
        self._following.append(function.name)
        self.stmt(function.body, inner)
        self._following.pop()
        returns = [] if inner.alive else self._returns
        self._returns, self.watched, branches, self.frames = kept
        self._branches.clear()
        self._branches.update(branches)
        return returns

    def _put_together(self, expr: Call, returns: list[tuple[State, Value]], st: State, unknown: Value) -> Value:
        """The value of a call: that of each return where it is reached."""
        known = [(end, value) for end, value in returns if not isinstance(value, Unknown)]
        if not returns or len(known) < len(returns):
            return next((v for _, v in returns if isinstance(v, Unknown)), unknown)
        values = [value for _, value in known]
        if all(isinstance(v, Affine) and v == values[0] for v in values):
            return values[0]
        if not all(end.exact or not st.exact for end, _ in known) or not st.exact:
            return unknown
        total: Known = values[0]
        where = known[0][0].dom
        for end, value in known[1:]:
            total, where = algebra.either(total, where, value, end.dom), where.union(end.dom)
        return self.affordable(total, expr) if st.dom.is_subset(where) else unknown

    def _is_plain(self, function: Function) -> bool:
        """Whether a body holds nothing but tests and numbers of its own."""
        own = {v for s in walk_statements(function.body) if isinstance(s, Declare) for v in s.variables}
        own |= set(function.params)
        variables = [self.program.variable(v) for v in own]
        forms = (Block, Declare, ExprStmt, If, PragmaMark, Return)
        return (
            all(
                isinstance(v.type, ScalarType) and v.storage != "static" and self.effects.is_tracked(v)
                for v in variables
            )
            and all(isinstance(s, forms) for s in walk_statements(function.body))
            and not any(self._is_outside(e, own) for e in self._expressions(function))
        )

    def _expressions(self, function: Function) -> Iterator[Expr]:
        for root in statement_expressions(self.program, function.body):
            yield from walk(root)

    def _is_outside(self, expr: Expr, own: set[int]) -> bool:
        """Whether an expression is more than a value of numbers of the function's own and of constants."""
        if isinstance(expr, Name):
            return expr.variable not in own and not self.program.variable(expr.variable).const
        return isinstance(expr, ArrayRef | OpaqueExpr) or (isinstance(expr, Unary) and expr.op in ("&", "*"))
