"""Integer constant expressions: in ``#if`` lines and in pragmas.

One small precedence parser over tokens; what a name means is the caller's ``lookup``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hlspart.frontend.literals import character, integer
from hlspart.frontend.tokens import SourceError, Token, lex_line
from hlspart.model import program as ir

_BINARY = {
    "*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<<": 8, ">>": 8, "<": 7, ">": 7, "<=": 7, ">=": 7,
    "==": 6, "!=": 6, "&": 5, "^": 4, "|": 3, "&&": 2, "||": 1,
}  # fmt: skip
_TYPE_WORDS = {"int", "unsigned", "signed", "long", "short", "char", "const", "size_t"}
_BIGGEST_SHIFT = 128
_BIGGEST_BITS = 4096


class NotConstant(Exception):
    """Not an integer constant expression; the text says why."""


def apply(op: str, left: int, right: int) -> int:
    """A binary operator on integers with C's truncating division."""
    match op:
        case "*":
            result = left * right
        case "/" | "%":
            if right == 0:
                raise NotConstant("division by zero")
            quotient = abs(left) // abs(right)
            quotient = -quotient if (left < 0) != (right < 0) else quotient
            result = quotient if op == "/" else left - quotient * right
        case "+":
            result = left + right
        case "-":
            result = left - right
        case "<<" | ">>":
            if not 0 <= right <= _BIGGEST_SHIFT:
                raise NotConstant("shift out of range")
            result = left << right if op == "<<" else left >> right
        case "<":
            result = int(left < right)
        case ">":
            result = int(left > right)
        case "<=":
            result = int(left <= right)
        case ">=":
            result = int(left >= right)
        case "==":
            result = int(left == right)
        case "!=":
            result = int(left != right)
        case "&":
            result = left & right
        case "^":
            result = left ^ right
        case "|":
            result = left | right
        case "&&":
            result = int(bool(left) and bool(right))
        case "||":
            result = int(bool(left) or bool(right))
        case _:
            raise NotConstant(f"operator {op}")
    if result.bit_length() > _BIGGEST_BITS:
        raise NotConstant("value too large")
    return result


class _Parser:
    """Precedence climbing; ``lookup`` gives the value of a name or None.

    A part without a value (a division by zero) has the value None: it is a fault only if the whole
    depends on it, for ``0 && 1/0`` and ``1 ? 2 : 1/0`` are constants.
    """

    def __init__(self, tokens: Sequence[Token], lookup: Callable[[str], int | None]) -> None:
        self.tokens, self.lookup, self.at, self.depth = tokens, lookup, 0, 0
        self.fault = ""

    def peek(self) -> str:
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    def take(self, text: str) -> None:
        if self.peek() != text:
            raise NotConstant(f"'{text}' expected" + (f" before '{self.peek()}'" if self.peek() else ""))
        self.at += 1

    def whole(self) -> int:
        value = self.conditional()
        if self.at < len(self.tokens):
            raise NotConstant(f"unexpected '{self.peek()}'")
        if value is None:
            raise NotConstant(self.fault)
        return value

    def conditional(self) -> int | None:
        self.depth += 1
        if self.depth > 100:
            raise NotConstant("expression nested too deeply")
        test = self.binary(1)
        if self.peek() == "?":
            self.at += 1
            then = self.conditional()
            self.take(":")
            other = self.conditional()
            test = None if test is None else then if test else other
        self.depth -= 1
        return test

    def binary(self, least: int) -> int | None:
        left = self.unary()
        while _BINARY.get(self.peek(), 0) >= least:
            op = self.peek()
            self.at += 1
            right = self.binary(_BINARY[op] + 1)
            if left is not None and op in ("&&", "||") and bool(left) == (op == "||"):
                left = int(bool(left))
            elif left is None or right is None:
                left = None
            else:
                left = self.applied(op, left, right)
        return left

    def applied(self, op: str, left: int, right: int) -> int | None:
        try:
            return apply(op, left, right)
        except NotConstant as fault:
            self.fault = str(fault)
            return None

    def unary(self) -> int | None:
        signs: list[str] = []
        while self.peek() in ("+", "-", "!", "~"):
            signs.append(self.peek())
            self.at += 1
        value = self.primary()
        for op in reversed(signs):
            if value is not None:
                value = {"+": value, "-": -value, "!": int(not value), "~": ~value}[op]
        return value

    def primary(self) -> int | None:
        if self.at >= len(self.tokens):
            raise NotConstant("expression ends early")
        token = self.tokens[self.at]
        if token.text == "(":
            self.at += 1
            if self.peek() in _TYPE_WORDS:
                while self.peek() in _TYPE_WORDS:
                    self.at += 1
                self.take(")")
                return self.unary()
            inner = self.conditional()
            self.take(")")
            return inner
        self.at += 1
        value: int | None = None
        if token.kind == "num":
            value = integer(token.text)
        elif token.kind == "chr":
            value = character(token.text)
        elif token.kind == "id":
            value = self.lookup(token.text)
        if value is None:
            raise NotConstant(f"'{token.text}' is not an integer constant")
        return value


def evaluate_tokens(tokens: Sequence[Token], lookup: Callable[[str], int | None]) -> int:
    """Value of a constant expression. Raises NotConstant with the reason."""
    return _Parser(tokens, lookup).whole()


def visible(program: ir.Program, name: str, function: str | None, block: int | None = None) -> ir.Variable | None:
    """The variable that ``name`` means in ``function`` inside the Block with id ``block`` (None: its body)."""
    found: dict[int | None, ir.Variable] = {}
    for variable in program.variables:
        if variable.name == name and variable.function in (None, function):
            found[variable.scope] = variable
    if not found:
        return None
    if function is not None and function in program.functions:
        body = program.functions[function].body
        for scope in reversed(_enclosing(body, body.id if block is None else block)):
            if scope in found:
                return found[scope]
    return found.get(None)


def _enclosing(body: ir.Block, block: int) -> list[int]:
    """Ids of the blocks around and including ``block``, outermost first."""

    def search(stmt: ir.Stmt, above: list[int]) -> list[int] | None:
        here = [*above, stmt.id] if isinstance(stmt, (ir.Block, ir.Loop)) else above
        if isinstance(stmt, ir.Block) and stmt.id == block:
            return here
        for child in ir.substatements(stmt):
            result = search(child, here)
            if result is not None:
                return result
        return None

    return search(body, []) or [body.id]


def evaluate(text: str, program: ir.Program, function: str | None, block: int | None = None) -> int | None:
    """Value of an integer constant expression as it would have at a place in the program, else None.

    Names are resolved as ``const`` integer variables in scope, then as macros and enumerators.
    """

    def lookup(name: str) -> int | None:
        variable = visible(program, name, function, block)
        if variable is not None:
            return value_of(variable.init, program.variables) if variable.const and variable.init else None
        return program.constants.get(name)

    try:
        return evaluate_tokens(lex_line(text), lookup)
    except (NotConstant, SourceError):
        return None


def truncated(value: int, type_: ir.CType) -> int | None:
    """``value`` converted to an integer type."""
    if not isinstance(type_, ir.ScalarType) or type_.kind not in ("int", "bool"):
        return None
    if type_.kind == "bool":
        return int(value != 0)
    value &= (1 << type_.bits) - 1
    return value - (1 << type_.bits) if type_.signed and value >> (type_.bits - 1) else value


def value_of(expr: ir.Expr, variables: Sequence[ir.Variable]) -> int | None:
    """Value of an expression that is an integer constant (``const`` scalars with constant initial value included)."""
    match expr:
        case ir.Const():
            return expr.value if isinstance(expr.value, int) else None
        case ir.Name():
            variable = variables[expr.variable]
            if (
                variable.const
                and not variable.volatile
                and variable.init is not None
                and variable.storage != "parameter"
            ):
                if not isinstance(variable.type, ir.ScalarType):
                    return None
                value = value_of(variable.init, variables)
                return None if value is None else truncated(value, variable.type)
            return None
        case ir.SizeOf():
            return expr.value
        case ir.InitList() if len(expr.items) == 1 and not expr.items[0][0]:
            return value_of(expr.items[0][1], variables)
        case ir.Cast():
            inner = value_of(expr.operand, variables)
            if inner is None and isinstance(expr.operand, ir.Const) and isinstance(expr.operand.value, float):
                inner = int(expr.operand.value) if abs(expr.operand.value) < 2**63 else None
            return None if inner is None else truncated(inner, expr.type)
        case ir.Unary() if expr.op in "+-~!":
            inner = value_of(expr.operand, variables)
            if inner is None:
                return None
            value = {"+": inner, "-": -inner, "~": ~inner, "!": int(not inner)}[expr.op]
            return truncated(value, expr.type)
        case ir.Binary():
            left = value_of(expr.left, variables)
            if left is None:
                return None
            if expr.op in ("&&", "||") and bool(left) == (expr.op == "||"):
                return int(bool(left))
            right = value_of(expr.right, variables)
            if right is None:
                return None
            try:
                return truncated(apply(expr.op, left, right), expr.type)
            except NotConstant:
                return None
        case ir.Conditional():
            test = value_of(expr.test, variables)
            if test is None:
                return None
            return value_of(expr.then if test else expr.other, variables)
        case _:
            return None
