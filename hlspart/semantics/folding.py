"""Arithmetic of elaboration: constant folding, operator kinds by type, conversions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from hlspart.model import program as c
from hlspart.model.access import Affine
from hlspart.model.code import once_per_statement
from hlspart.semantics.effects import statement_expressions

COMMUTATIVE = frozenset({"add", "mul", "fadd", "fmul", "dadd", "dmul"})
ADDRESS = frozenset({"add", "mul", "shift", "logic", "wire", "div"})  # done on the way to an address

_KINDS = {
    "+": "add", "-": "add", "*": "mul", "/": "div", "%": "div", "&": "logic", "|": "logic", "^": "logic",
    "&&": "logic", "||": "logic", "<<": "shift", ">>": "shift",
    "<": "cmp", ">": "cmp", "<=": "cmp", ">=": "cmp", "==": "cmp", "!=": "cmp",
}  # fmt: skip
_FLOATS = {"+": "add", "-": "add", "*": "mul", "/": "div"}


def bits(type_: c.CType) -> int:
    """Width of a scalar in bits; 32 where it is not known."""
    if isinstance(type_, c.ScalarType):
        return type_.bits
    if isinstance(type_, c.StreamType):
        return bits(type_.element)
    return 32


def is_float(type_: c.CType) -> bool:
    """Whether a type is computed in floating point."""
    return isinstance(type_, c.ScalarType) and type_.kind == "float"


def is_truth(type_: c.CType) -> bool:
    """Whether a type has two values."""
    return isinstance(type_, c.ScalarType) and type_.kind == "bool"


def common(left: c.CType, right: c.CType) -> c.CType:
    """Type in which two operands meet."""
    if is_float(left) or is_float(right):
        floats = [t for t in (left, right) if is_float(t)]
        return max(floats, key=bits)
    return left if bits(left) >= bits(right) else right


def operator(op: str, type_: c.CType, left: int | float | None, right: int | float | None) -> tuple[str, int]:
    """Operator kind and width of ``op`` on operands of ``type_`` (values where they are constants)."""
    width = bits(type_)
    if is_float(type_) and op not in ("&&", "||"):
        prefix = "d" if width > 32 else "f"
        if op == "/" and right and math.frexp(right)[0] in (0.5, -0.5):
            return prefix + "mul", width  # by the reciprocal, which is exact
        return prefix + _FLOATS.get(op, "cmp"), width
    kind = _KINDS[op]
    known = right if right is not None else left
    if kind == "shift" and right is not None:
        return "wire", width
    if kind == "mul" and known is not None:  # a shift, a sum of two, or a product; fixed-point numbers by their bits
        return ("wire", "add", "mul")[min(2, digits(known.as_integer_ratio()[0]) - 1)], width
    if kind == "div" and isinstance(right, int) and _power(right):
        return "logic", width
    return kind, width


def digits(value: int) -> int:
    """Number of shifts whose sum or difference is ``value`` (non-adjacent form), at least 1."""
    value, count = abs(value), 0
    while value:
        if value & 1:
            value -= 2 - (value & 3)
            count += 1
        value >>= 1
    return max(1, count)


def _power(value: int) -> bool:
    return value != 0 and abs(value) & (abs(value) - 1) == 0


def conversion(source: c.CType, target: c.CType) -> str | None:
    """Operator that converts a value, None when it costs nothing."""
    if is_float(source) == is_float(target):
        return "fext" if is_float(source) and bits(source) != bits(target) else None
    if not isinstance(source, c.ScalarType) or not isinstance(target, c.ScalarType):
        return None
    if "fixed" in (source.kind, target.kind):
        return "fixed_to_float" if is_float(target) else "float_to_fixed"
    if is_float(target):
        return "itod" if bits(target) > 32 else "itof"
    return "ftoi"


def affine(op: str, a: Affine | None, b: Affine | None) -> Affine | None:
    """Affine form of a binary operation on affine forms, None when it has none."""
    if a is None or b is None:
        return None
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*" if not b.terms:
            return a.scaled(b.const)
        case "*" if not a.terms:
            return b.scaled(a.const)
        case "<<" if not b.terms and 0 <= b.const < 64:
            return a.scaled(1 << b.const)
    return None


def wrapped(value: int | float, type_: c.CType) -> int | float:
    """A constant as ``type_`` holds it."""
    if not isinstance(type_, c.ScalarType):
        return value
    if type_.kind == "float":
        return float(value)
    if type_.kind == "bool":
        return int(bool(value))
    if type_.kind != "int":
        return value
    number = int(value)
    number &= (1 << type_.bits) - 1
    return number - (1 << type_.bits) if type_.signed and number >> (type_.bits - 1) else number


def identity(op: str, a: int | float | None, b: int | float | None) -> str | None:
    """Which operand an operation returns unchanged ("left", "right"), None when it computes.

    Of floats these are what holds of every value, -0 and NaN too (LLVM, InstructionSimplify): not x + 0, not x * 0.
    """
    if b is not None and isinstance(b, int) and (op in ("+", "-", "<<", ">>", "|", "^") and b == 0):
        return "left"
    if isinstance(b, int) and op in ("*", "/") and b == 1:
        return "left"
    if isinstance(a, int) and ((op == "+" and a == 0) or (op == "*" and a == 1)):
        return "right"
    if op in ("*", "&") and 0 in (a, b) and isinstance(a if a == 0 else b, int):
        return "left" if a == 0 else "right"
    if isinstance(b, float) and ((op in ("*", "/") and b == 1) or (op == "-" and str(b) == "0.0")):
        return "left"
    return "right" if isinstance(a, float) and op == "*" and a == 1 else None


def _statement_expressions(statements: Iterable[c.Stmt]) -> Iterable[c.Expr]:
    for root in statements:
        for stmt in c.walk_statements(root):
            yield from c.expressions(stmt)


def modified(statements: Iterable[c.Stmt]) -> frozenset[int]:
    """Scalars that the statements assign."""
    out: set[int] = set()
    for root in _statement_expressions(statements):
        for expr in c.walk(root):
            target = expr.target if isinstance(expr, c.Assign) else expr.operand if isinstance(expr, c.IncDec) else None
            while isinstance(target, c.Member | c.Subscript):
                target = target.base
            if isinstance(target, c.Name):
                out.add(target.variable)
    return frozenset(out)


def indexing(statements: Iterable[c.Stmt], program: c.Program) -> frozenset[int]:
    """Integer scalars that the statements use for indices, themselves or by way of other scalars."""
    wanted: set[int] = set()
    given: dict[int, set[int]] = {}
    for stmt in statements:
        indices, values = _indexing(program, stmt)
        wanted |= indices
        for variable, named in values.items():
            given.setdefault(variable, set()).update(named)
    fresh = set(wanted)
    while fresh:
        fresh = {name for v in fresh for name in given.get(v, ())} - wanted
        wanted |= fresh
    return frozenset(wanted)


@once_per_statement
def _indexing(program: c.Program, stmt: c.Stmt) -> tuple[frozenset[int], Mapping[int, frozenset[int]]]:
    """Integers in the indices of a statement, and by scalar those in the values that it gives to the scalar."""
    wanted: set[int] = set()
    given: dict[int, frozenset[int]] = {}
    for variable in declared((stmt,)):
        init = program.variable(variable).init
        if init is not None:
            given[variable] = frozenset(_integers([init]))
    for root in statement_expressions(program, stmt):
        for expr in c.walk(root):
            if isinstance(expr, c.ArrayRef):
                wanted |= _integers(expr.indices)
            elif isinstance(expr, c.Subscript):
                wanted |= _integers((expr.index,))
            elif isinstance(expr, c.Assign) and isinstance(expr.target, c.Name):
                variable = expr.target.variable
                given[variable] = given.get(variable, frozenset()) | _integers([expr.value])
    return frozenset(wanted), given


def _integers(expressions: Iterable[c.Expr]) -> set[int]:
    names = (e for root in expressions for e in c.walk(root) if isinstance(e, c.Name))
    return {e.variable for e in names if isinstance(e.type, c.ScalarType) and e.type.kind == "int"}


def declared(statements: Iterable[c.Stmt]) -> frozenset[int]:
    """Variables that the statements declare."""
    out: set[int] = set()
    for root in statements:
        for stmt in c.walk_statements(root):
            if isinstance(stmt, c.Declare):
                out.update(stmt.variables)
            if isinstance(stmt, c.Loop) and isinstance(stmt.init, c.Declare):
                out.update(stmt.init.variables)
    return frozenset(out)
