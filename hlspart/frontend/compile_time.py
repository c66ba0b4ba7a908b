"""Constants of a program, with calls that a C++ compiler works out: of functions of whole numbers that change nothing
but their own variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hlspart.frontend.constants import Evaluated, NotConstant, evaluate_tokens, truncated, value_of, visible
from hlspart.frontend.tokens import SourceError, lex_line, with_qualified_names
from hlspart.frontend.types import arithmetic
from hlspart.model import program as ir

_MOST_STEPS = 4096


def called(
    function: ir.Function, values: Sequence[int], variables: Sequence[ir.Variable],
    functions: Mapping[str, ir.Function], steps: Iterator[int] | None = None, loops: bool = True,
) -> int | None:  # fmt: skip
    """What a function returns for these arguments; None where it has no value here.

    ``steps``: what is left of those that all calls may take. ``loops``: whether it may have some, which hardware keeps
    unless the value is wanted before.
    """
    left = iter(range(_MOST_STEPS)) if steps is None else steps
    if len(values) != len(function.params) or not (loops or _is_straight(function)):
        return None
    given = [truncated(v, variables[p].type) for p, v in zip(function.params, values, strict=True)]
    known = {p: v for p, v in zip(function.params, given, strict=True) if v is not None}
    if len(known) < len(values):
        return None

    def inner(call: ir.Call, values: Sequence[int]) -> int | None:
        callee = functions.get(call.function or "")
        return None if callee is None else called(callee, values, variables, functions, left, loops)

    try:
        value = _Run(variables, known, inner, left).statements(function.body.body)
    except _OpenError:
        return None
    return truncated(value, function.return_type) if isinstance(value, int) else None


def _is_straight(function: ir.Function) -> bool:
    return not any(isinstance(s, ir.Loop) for s in ir.walk_statements(function.body))


def evaluate(text: str, program: ir.Program, function: str | None, block: int | None = None) -> int | None:
    """Value of an integer constant expression as it would have at a place in the program, else None.

    Names are resolved as ``const`` integer variables in scope, then as macros and enumerators.
    """

    def lookup(name: str) -> int | None:
        variable = visible(program, name, function, block)
        if variable is not None:
            return value_of(ir.Name(variable.at, variable.type, variable.id), program.variables)
        return program.constants.get(name)

    def call(name: str, values: Sequence[int]) -> int | None:
        instances = [f for f in program.functions.values() if f.name.partition("<")[0] == name]
        values_of = {called(f, values, program.variables, program.functions) for f in instances}
        return values_of.pop() if len(values_of) == 1 else None

    try:
        cxx = any(unit.language == "c++" for unit in program.units)
        tokens = lex_line(text)
        return evaluate_tokens(with_qualified_names(tokens) if cxx else tokens, lookup, call if cxx else None)
    except (NotConstant, SourceError):
        return None


class _OpenError(Exception):
    """A step whose value is not known, or one too many."""


_Ending = int | str | None  # what is returned, "break" or "continue", or the end of the statements


class _Run:
    def __init__(
        self, variables: Sequence[ir.Variable], known: dict[int, int], call: Evaluated, steps: Iterator[int]
    ) -> None:
        self.variables, self.known, self.call, self.steps = variables, known, call, steps

    def statements(self, body: Sequence[ir.Stmt]) -> _Ending:
        for stmt in body:
            if (end := self._statement(stmt)) is not None:
                return end
        return None

    def _statement(self, stmt: ir.Stmt) -> _Ending:
        if next(self.steps, None) is None:
            raise _OpenError
        match stmt:
            case ir.Return(value=value) if value is not None:
                return self._value(value)
            case ir.Declare():
                for ident in stmt.variables:
                    self._declare(self.variables[ident])
            case ir.ExprStmt():
                self._change(stmt.expr)
            case ir.Block():
                return self.statements(stmt.body)
            case ir.If():
                arm = stmt.then if self._value(stmt.test) else stmt.other
                return None if arm is None else self.statements(arm.body)
            case ir.Loop():
                return self._loop(stmt)
            case ir.Jump(kind="break" | "continue" as kind):
                return kind
            case ir.PragmaMark():
                pass
            case _:
                raise _OpenError
        return None

    def _loop(self, loop: ir.Loop) -> _Ending:
        if loop.init is not None:
            self._statement(loop.init)
        first = loop.kind == "do"
        while first or loop.test is None or self._value(loop.test):
            first = False
            if next(self.steps, None) is None:
                raise _OpenError
            end = self.statements(loop.body.body)
            if end == "break":
                break
            if isinstance(end, int):
                return end
            if loop.step is not None:
                self._change(loop.step)
        return None

    def _declare(self, variable: ir.Variable) -> None:
        if variable.storage != "local" or variable.reference or variable.volatile:
            raise _OpenError
        self.known.pop(variable.id, None)
        if variable.init is not None:
            self._set(variable.id, self._value(variable.init))

    def _change(self, expr: ir.Expr) -> None:
        match expr:
            case ir.Assign(target=ir.Name(variable=ident) as target, op="=", value=value):
                self._set(ident, self._value(value))
            case ir.Assign(target=ir.Name(variable=ident) as target, op=op, value=value):
                of = target.type if op in ("<<=", ">>=") else arithmetic(target.type, value.type)
                self._set(ident, self._value(ir.Binary(expr.at, of, op[:-1], target, value)))
            case ir.IncDec(operand=ir.Name(variable=ident) as target):
                self._set(ident, self._value(target) + (1 if expr.op == "++" else -1))
            case _:
                raise _OpenError

    def _set(self, ident: int, value: int) -> None:
        variable = self.variables[ident]
        own = variable.storage in ("local", "parameter") and not variable.reference
        fits = truncated(value, variable.type) if own else None
        if fits is None:
            raise _OpenError
        self.known[ident] = fits

    def _value(self, expr: ir.Expr) -> int:
        value = value_of(expr, self.variables, self.known, self.call)
        if value is None:
            raise _OpenError
        return value
