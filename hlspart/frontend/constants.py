"""Integer constant expressions: in ``#if`` lines and in pragmas.

One small precedence parser over tokens; what a name means is the caller's ``lookup``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hlspart.frontend.literals import character, integer
from hlspart.frontend.tokens import Token
from hlspart.frontend.types import arithmetic
from hlspart.model import program as ir
from hlspart.model.reals import whole_part

_BINARY = {
    "*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<<": 8, ">>": 8, "<": 7, ">": 7, "<=": 7, ">=": 7,
    "==": 6, "!=": 6, "&": 5, "^": 4, "|": 3, "&&": 2, "||": 1,
}  # fmt: skip
TYPE_WORDS = {"int", "unsigned", "signed", "long", "short", "char", "const", "size_t"}
_BIGGEST_SHIFT = 128
_BIGGEST_BITS = 4096
_NOTHING: Mapping[int, int] = {}


Lookup = Callable[[str], int | None]
"""The value of a name, None where it has none."""
Caller = Callable[[str, Sequence[int]], int | None]
"""The value of a call of a ``constexpr`` function, None where it has none."""
Evaluated = Callable[[ir.Call, Sequence[int]], int | None]
"""The value of a call in a program with these arguments, None where it has none."""


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

    def __init__(self, tokens: Sequence[Token], lookup: Lookup, call: Caller | None) -> None:
        self.tokens, self.lookup, self.call, self.at, self.depth = tokens, lookup, call, 0, 0
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
            if self.peek() in TYPE_WORDS:
                while self.peek() in TYPE_WORDS:
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
        elif token.kind == "id" and self.call is not None and self.peek() == "(":
            value = self.call(token.text, self.arguments())
            if value is None:
                self.fault = f"'{token.text}' gives no integer constant"
                return None
        elif token.kind == "id":
            value = self.lookup(token.text)
        if value is None:
            raise NotConstant(f"'{token.text}' is not an integer constant")
        return value

    def arguments(self) -> list[int]:
        """The values between the brackets of a call."""
        self.take("(")
        values: list[int] = []
        while self.peek() != ")":
            value = self.conditional()
            if value is None:
                raise NotConstant(self.fault)
            values.append(value)
            if self.peek() != ")":
                self.take(",")
        self.take(")")
        return values


def evaluate_tokens(tokens: Sequence[Token], lookup: Lookup, call: Caller | None = None) -> int:
    """Value of a constant expression. Raises NotConstant with the reason."""
    return _Parser(tokens, lookup, call).whole()


def visible(program: ir.Program, name: str, function: str | None, block: int | None = None) -> ir.Variable | None:
    """The variable that ``name`` means in ``function`` inside the Block with id ``block`` (None: its body)."""
    by_scope: dict[int | None, ir.Variable] = {}
    for variable in program.variables:
        if variable.name == name and variable.function in (None, function):
            by_scope[variable.scope] = variable
    if not by_scope:
        return None
    if function is not None and function in program.functions:
        body = program.functions[function].body
        for scope in reversed(_enclosing(body, body.id if block is None else block)):
            if scope in by_scope:
                return by_scope[scope]
    return by_scope.get(None)


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


def truncated(value: int, type_: ir.CType) -> int | None:
    """``value`` converted to an integer type."""
    if not isinstance(type_, ir.ScalarType) or type_.kind not in ("int", "bool"):
        return None
    if type_.kind == "bool":
        return int(value != 0)
    value &= (1 << type_.bits) - 1
    return value - (1 << type_.bits) if type_.signed and value >> (type_.bits - 1) else value


def _unsigned(one: ir.CType, other: ir.CType) -> ir.ScalarType | None:
    """The unsigned type in which two integers of C meet; None where they keep their values."""
    wide = arithmetic(one, other)
    plain = all(isinstance(t, ir.ScalarType) and t.library is None for t in (one, other))
    return wide if plain and isinstance(wide, ir.ScalarType) and wide.kind == "int" and not wide.signed else None


def _of_member(variable: ir.Variable, name: str, of: Callable[[ir.Expr], int | None]) -> int | None:
    """The value of a member of a constant structure: ``constexpr Config config = {.dim = 8};``."""
    init, kind = variable.init, variable.type
    if not isinstance(init, ir.InitList) or not isinstance(kind, ir.StructType) or kind.union or variable.reference:
        return None
    members, paths = dict(kind.members), [path for path, _ in init.items]
    said = {path[0]: value for path, value in init.items if len(path) == 1}
    if not any(paths):
        said = dict(zip(members, (value for _, value in init.items), strict=False))
    value = of(said[name]) if name in said and (not any(paths) or all(paths)) else None
    return None if value is None else truncated(value, members[name])


def value_of(
    expr: ir.Expr, variables: Sequence[ir.Variable], known: Mapping[int, int] = _NOTHING,
    call: Evaluated | None = None,
) -> int | None:  # fmt: skip
    """Value of an expression that is an integer constant (``const`` scalars with constant initial value included).

    ``known``: values of variables; ``call`` gives those of calls.
    """

    def of(inner: ir.Expr) -> int | None:
        return value_of(inner, variables, known, call)

    match expr:
        case ir.Name(variable=ident) if ident in known:
            return known[ident]
        case ir.Call() if call is not None:
            values = [v for v in map(of, expr.args) if v is not None]
            return call(expr, values) if len(values) == len(expr.args) else None
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
                value = of(variable.init)
                if value is None:
                    value = whole_part(variable.init, variables, of)  # const int N = 4.0;
                return None if value is None else truncated(value, variable.type)
            return None
        case ir.Member(base=ir.Name(variable=ident), field=name) if variables[ident].const:
            return _of_member(variables[ident], name, of)
        case ir.SizeOf():
            return expr.value
        case ir.InitList() if len(expr.items) == 1 and not expr.items[0][0]:
            return of(expr.items[0][1])
        case ir.Cast():
            inner = of(expr.operand)
            if inner is None:
                inner = whole_part(expr.operand, variables, of)
            return None if inner is None else truncated(inner, expr.type)
        case ir.Unary() if expr.op in "+-~!":
            inner = of(expr.operand)
            if inner is None:
                return None
            value = {"+": inner, "-": -inner, "~": ~inner, "!": int(not inner)}[expr.op]
            return truncated(value, expr.type)
        case ir.Binary():
            left = of(expr.left)
            if left is None:
                return None
            if expr.op in ("&&", "||") and bool(left) == (expr.op == "||"):
                return int(bool(left))
            right = of(expr.right)
            if right is None:
                return None
            if expr.op not in ("<<", ">>", "&&", "||") and (wide := _unsigned(expr.left.type, expr.right.type)):
                left, right = truncated(left, wide), truncated(right, wide)
                if left is None or right is None:
                    return None
            try:
                return truncated(apply(expr.op, left, right), expr.type)
            except NotConstant:
                return None
        case ir.Conditional():
            test = of(expr.test)
            return None if test is None else of(expr.then if test else expr.other)
        case _:
            return None
