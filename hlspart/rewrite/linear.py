"""Index expressions as the user wrote them: linear forms over source text, and their quotients.

The forms here are syntactic: their atoms are pieces of the user's own text, so what is printed
means the same in the scope where the index stands. Which bank an index reaches is not decided
here but by validation; this module only prints bank and local coordinates.

All of it relies on the index being proved inside the array: C's ``/`` and ``%`` are then those of
mathematics, and a form computed modulo 2**w (unsigned types) still has the right value.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from hlspart.model.program import (
    ArrayRef,
    Assign,
    Binary,
    Call,
    Const,
    Expr,
    IncDec,
    Name,
    OpaqueExpr,
    Program,
    ScalarType,
    SizeOf,
    Unary,
    walk,
)
from hlspart.model.source import Span, one_line

Text = Callable[[Span], str]


class Linear(Struct, frozen=True):
    """``const + sum(coefficient * atom)``; atoms in order of first appearance, all of one C type."""

    terms: tuple[tuple[str, int], ...]
    const: int

    def divided(self, divisor: int) -> Linear | None:
        """floor(form / divisor) when every coefficient is divisible, else None."""
        if any(c % divisor for _, c in self.terms):
            return None
        return Linear(tuple((a, c // divisor) for a, c in self.terms), self.const // divisor)

    def plus(self, value: int) -> Linear:
        """The form with ``value`` added."""
        return Linear(self.terms, self.const + value)

    def __str__(self) -> str:
        # Positive terms first: in unsigned arithmetic no partial sum then wraps needlessly.
        parts = [(a, c) for a, c in self.terms if c > 0] + [(a, c) for a, c in self.terms if c < 0]
        text, const = "", self.const
        if parts and parts[0][1] < 0 < const:
            text, const = str(const), 0
        for atom, c in parts:
            size = abs(c)
            piece = atom if size == 1 else f"{size} * {atom}"
            text += f" {'-' if c < 0 else '+'} {piece}" if text else (f"-{piece}" if c < 0 else piece)
        if not text:
            return str(self.const)
        if const:
            text += f" {'-' if const < 0 else '+'} {abs(const)}"
        return text


def effects(expr: Expr) -> Expr | None:
    """The first sub-expression whose evaluation twice or in another order could matter."""
    for node in walk(expr):
        if isinstance(node, Assign | IncDec | Call | OpaqueExpr):
            return node
    return None


def linear(program: Program, expr: Expr, text_of: Text) -> Linear | None:
    """Linear form of ``expr``, None where it has none that is safe to print anew; ``text_of`` gives a span's text."""
    types: set[tuple[int, bool]] = set()
    terms: dict[str, int] = {}
    const = 0

    def promoted(expr: Expr) -> tuple[int, bool] | None:
        kind = expr.type
        if not isinstance(kind, ScalarType) or kind.kind not in ("int", "bool"):
            return None
        return (32, True) if kind.bits < 32 else (kind.bits, kind.signed)

    def add(expr: Expr, factor: int) -> bool:
        nonlocal const
        match expr:
            case Const(value=int(value)):
                const += factor * value
                return True
            case Unary(op="+" | "-"):
                return add(expr.operand, -factor if expr.op == "-" else factor)
            case Binary(op="+" | "-"):
                return add(expr.left, factor) and add(expr.right, -factor if expr.op == "-" else factor)
            case Binary(op="*"):
                for one, other in ((expr.left, expr.right), (expr.right, expr.left)):
                    scale = constant(one)
                    if scale is not None:
                        return add(other, factor * scale)
                return atom(expr, factor)
            case Binary(op="<<"):
                bits = constant(expr.right)
                if bits is not None and 0 <= bits < 31:
                    return add(expr.left, factor << bits)
                return atom(expr, factor)
            case _:
                return atom(expr, factor)

    def atom(expr: Expr, factor: int) -> bool:
        kind = promoted(expr)
        text = atom_text(program, expr, text_of)
        if kind is None or text is None or effects(expr) is not None:
            return False
        types.add(kind)
        terms[text] = terms.get(text, 0) + factor
        return True

    if not add(expr, 1):
        return None
    # Signed types of any width keep every value; types of 32 bits are right modulo 2**32.
    if len(types) > 1 and any(bits > 32 for bits, _ in types) and not all(signed for _, signed in types):
        return None
    return Linear(tuple((a, c) for a, c in terms.items() if c), const)


def constant(expr: Expr) -> int | None:
    """Value of an integer constant expression built from literals."""
    match expr:
        case Const(value=int(value)):
            return value
        case SizeOf():
            return expr.value
        case Unary(op="-" | "+"):
            inner = constant(expr.operand)
            return None if inner is None else (-inner if expr.op == "-" else inner)
        case Binary(op="+" | "-" | "*" | "<<"):
            left, right = constant(expr.left), constant(expr.right)
            if left is None or right is None or (expr.op == "<<" and not 0 <= right < 31):
                return None
            match expr.op:
                case "+":
                    return left + right
                case "-":
                    return left - right
                case "*":
                    return left * right
            return left << right
    return None


_PRIMARY = re.compile(r"[A-Za-z_]\w*|\d\w*")


def atom_text(program: Program, expr: Expr, text_of: Text) -> str | None:
    """Text that stands for ``expr`` as an operand, None when no text of the user's does."""
    if isinstance(expr, Name):
        return program.variable(expr.variable).name
    text = own_text(expr, text_of)
    if text is None:
        return None
    return text if isinstance(expr, ArrayRef) or _PRIMARY.fullmatch(text) else f"({text})"


def own_text(expr: Expr, text_of: Text) -> str | None:
    """The user's text of ``expr`` where it is exactly that expression (or a literal's value)."""
    if expr.at.kind in ("plain", "argument"):
        return one_line(text_of(expr.at.span))
    if isinstance(expr, Const) and isinstance(expr.value, int):
        return str(expr.value)
    return None


def offset_text(expr: Expr, text_of: Text) -> str | None:
    """The sum of what is added to a pointer, in 64 bits as there; None where a part is not the user's text."""
    parts: list[tuple[bool, str]] = []

    def add(expr: Expr, positive: bool) -> bool:
        match expr:
            case Binary(op="+") if expr.at.kind == "mixed":
                return add(expr.left, positive) and add(expr.right, positive)
            case Unary(op="-") if expr.at.kind == "mixed":
                return add(expr.operand, not positive)
        text = own_text(expr, text_of)
        if text is not None:
            parts.append((positive, operand(text, expr)))
        return text is not None

    if not add(expr, True):
        return None
    signs = [f" {'+' if positive else '-'} {text}" for positive, text in sorted(parts, key=lambda p: not p[0])]
    text = "(long)" + "".join(signs)[3:]
    return text if signs[0].startswith(" +") else f"0L{''.join(signs)}"


def operand(text: str, expr: Expr) -> str:
    """``text`` of ``expr`` ready to be an operand of ``/``, ``%`` or ``-``; a macro's name may hide a sum."""
    simple = isinstance(expr, Name | Const) and expr.at.kind in ("plain", "argument")
    return text if simple or _is_enclosed(text) else f"({text})"


def bare(text: str) -> str:
    """``text`` without brackets that go around all of it."""
    return bare(text[1:-1].strip()) if _is_enclosed(text) else text


def _is_enclosed(text: str) -> bool:
    """Whether one pair of brackets goes around all of ``text``."""
    depth = 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return at == len(text) - 1 and text.startswith("(")
    return False


class Index(Struct, frozen=True):
    """An index in the user's words: ``text`` of ``expr``, and its ``form`` where that is linear.

    Divides by constants in C, simplified; see :class:`hlspart.layouts.dimension.Arithmetic`.
    """

    text: str
    expr: Expr
    form: Linear | None = None

    def div(self, x: Index, by: int, greatest: int, remainder: int | None = None) -> Index:
        """x / by; where the remainder is known, the constants are taken out."""
        if by > greatest:
            return Index("0", self.expr)
        if by == 1:
            return x
        quotient = x.form.divided(by) if x.form is not None else None
        return Index(str(quotient) if quotient is not None else _quotient(by, x, remainder), self.expr)

    def mod(self, x: Index, by: int, greatest: int, quotient: int | None = None) -> Index:
        """x mod by; where the quotient is known, a difference."""
        if by > greatest:
            return x
        if by == 1:
            return Index("0", self.expr)
        if quotient is not None and x.form is not None:
            return Index(str(x.form.plus(-quotient * by)), self.expr)
        if quotient is not None:
            return Index(f"{operand(x.text, x.expr)} - {quotient * by}", self.expr) if quotient else x
        if x.form is not None and x.form.divided(by) is not None:
            return Index(str(x.form.const % by), self.expr)
        return Index(f"{operand(x.text, x.expr)} % {by}", self.expr)


def _quotient(divisor: int, x: Index, remainder: int | None) -> str:
    """The text of a division; where the remainder is known, the constants are taken out."""
    form = x.form
    if form is None or remainder is None or not form.const or any(c < 0 for _, c in form.terms):
        return f"{operand(x.text, x.expr)} / {divisor}"
    rest, constant = Linear(form.terms, 0), form.const - remainder
    if constant % divisor:
        return f"({form.plus(-remainder)}) / {divisor}" if remainder else f"{operand(x.text, x.expr)} / {divisor}"
    single = len(rest.terms) == 1 and rest.terms[0][1] == 1
    head = f"{rest} / {divisor}" if single else f"({rest}) / {divisor}"
    steps = constant // divisor
    return f"{head} {'-' if steps < 0 else '+'} {abs(steps)}" if steps else head
