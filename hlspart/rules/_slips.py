"""Operators that were mistaken for others: what an expression says is not what is meant."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

from hlspart.model import program as c
from hlspart.model.source import Span
from hlspart.rules._traces import constant
from hlspart.rules._uses import nodes, own_expressions

Slip = tuple[c.Expr, str, str]
_COMPARED = ("==", "!=", "<", ">", "<=", ">=")
_ACTS = (c.Assign, c.IncDec, c.Call, c.OpaqueExpr)


def truth_values(program: c.Program, name: str) -> Iterator[Slip]:
    """Numbers where a truth value is asked for, and truth values where a number is."""
    for node in nodes(program)[name]:
        match node:
            case c.Binary(op="&&" | "||" as op, left=left, right=right):
                if _number(program, right) is not None and not _is_truth(left):
                    yield (
                        node,
                        f"takes {program.text(right.at)} for a truth value",
                        f"write {op[0]} for {op}, or compare with it",
                    )
                elif op == "||" and (_number(program, right) or 0) > 1:
                    yield node, f"is always true: {program.text(right.at)} is", "compare with it as well"
            case c.Binary(op=op, left=c.Unary(op="!", operand=inner), right=right) if op in _COMPARED:
                bare = program.text(node.at).lstrip().startswith("!") and node.left.at.kind == "plain"
                value = constant(program, right)
                if bare and not _is_truth(inner) and not _is_truth(right) and value not in (0, 1):
                    yield node, "compares a truth value: ! comes before the comparison", f"write !(a {op} b)"
            case c.Binary(op="&" | "|" | "^" as op, left=c.Unary(op="!", operand=inner), right=right):
                bare = program.text(node.at).lstrip().startswith("!") and node.left.at.kind == "plain"
                if bare and not _is_truth(inner) and (_number(program, right) or 0) > 1:
                    yield node, f"takes a truth value for bits: ! comes before {op}", f"write !(a {op} b)"
            case c.Binary(op="==" | "!=", left=left, right=right):
                yield from _never_equal(program, node, left, right)
                yield from _never_equal(program, node, right, left)
            case c.Assign(op="+=", target=target) if _is_bool(target.type):
                yield node, "counts in a bool, which holds 0 and 1", "take an integer"
            case c.IncDec(operand=target) if _is_bool(target.type):
                yield node, "counts in a bool, which holds 0 and 1", "take an integer"
    yield from _wide_truths(program, name)
    for test in _tests(program, name):
        if isinstance(test, c.Unary) and test.op == "~" and (_is_truth(test.operand) or _is_bool(test.operand.type)):
            yield test, "is always true: ~ turns every bit of a number", "write ! for ~"
        for side in (test.left, test.right) if isinstance(test, c.Binary) and test.op == "|" else ():
            if (constant(program, side) or 0) != 0 and isinstance(test.type, c.ScalarType):
                yield test, "is always true: a bit of it is set", "write & for |"


def _wide_truths(program: c.Program, name: str) -> Iterator[Slip]:
    """Integers of more than 64 bits that become a bool by way of a long long (UG1399, Class Methods and Operators)."""
    function, values = program.functions[name], list[c.Expr]()
    for stmt in c.walk_statements(function.body):
        if isinstance(stmt, c.Return) and stmt.value is not None and _is_bool(function.return_type):
            values.append(stmt.value)
        if isinstance(stmt, c.Declare):
            own = [program.variable(v) for v in stmt.variables]
            values += [v.init for v in own if v.init is not None and _is_bool(v.type) and not v.reference]
    values += [
        e.value for e in nodes(program)[name] if isinstance(e, c.Assign) and e.op == "=" and _is_bool(e.target.type)
    ]
    values += [t for t in _tests(program, name) if isinstance(t, (c.Name, c.ArrayRef, c.Member))]
    for value in values:
        inner = value.operand if isinstance(value, c.Cast) and _is_bool(value.type) else value
        kind = inner.type
        wide = isinstance(kind, c.ScalarType) and kind.kind == "int" and kind.library is not None and kind.bits > 64
        if wide and isinstance(kind, c.ScalarType) and isinstance(inner, (c.Name, c.ArrayRef, c.Member)):
            message = f"has {kind.bits} bits, of which a bool takes the lower 64"
            yield inner, message, "compare with 0, or call or_reduce()"


def _never_equal(program: c.Program, node: c.Binary, side: c.Expr, other: c.Expr) -> Iterator[Slip]:
    """An integer that is compared with a fraction, or a remainder of data with a sign that is compared with 1."""
    whole = isinstance(side.type, c.ScalarType) and side.type.kind == "int"
    value = other.value if isinstance(other, c.Const) else None
    if whole and isinstance(value, float) and isfinite(value) and value != int(value):
        yield node, "compares an integer with a fraction, which it never is", "compare with an integer"
    data = isinstance(side, c.Binary) and side.op == "%" and isinstance(side.left, (c.ArrayRef, c.Call))
    if data and isinstance(side, c.Binary) and isinstance(side.left.type, c.ScalarType) and side.left.type.signed:
        number = (constant(program, other) or 0) > 0 and side.left.type.kind == "int"
        if number and constant(program, side.right) is not None and node.at.kind == "plain":
            yield node, "does not count negative numbers: their remainder is negative", "compare with 0, or take & 1"


def slips(program: c.Program, name: str) -> Iterator[Slip]:
    """Commas, powers and signs that do nothing of what they seem to do."""
    for stmt in c.walk_statements(program.functions[name].body):
        if isinstance(stmt, c.ExprStmt) and isinstance(stmt.expr, c.Comma):
            last = stmt.expr.items[-1]
            if isinstance(last.type, c.ScalarType) and not any(isinstance(e, _ACTS) for e in c.walk(last)):
                yield (
                    stmt.expr,
                    "ends in a value that nobody takes: = comes before the comma",
                    "put parentheses around it",
                )
    for node in nodes(program)[name]:
        match node:
            case c.Binary(op="^", left=c.Const() as base) if program.text(base.at) in ("2", "10"):
                if node.at.kind == "plain" and base.at.kind == "plain" and "^" in program.text(node.at):
                    yield node, "is no power: ^ is exclusive or", "write 1 << n, or call pow"
            case c.Assign(op="=", target=target, value=c.Unary(op="+" | "-" as sign) as value):
                if target.at.kind == value.at.kind == "plain" and target.at.span.path == value.at.span.path:
                    path = value.at.span.path
                    sign_on = program.text(Span(path, target.at.span.end, value.operand.at.span.start))
                    if f"={sign} " in sign_on and not sign_on.lstrip().startswith("= "):
                        yield node, f"is an assignment of {sign}, and no {sign}=", f"write {sign}= for ={sign}"


def _number(program: c.Program, expr: c.Expr) -> int | None:
    """A literal that is a number and no truth value."""
    if not isinstance(expr, c.Const) or not isinstance(expr.value, int) or expr.at.kind != "plain":
        return None
    text = program.text(expr.at)
    return int(expr.value) if text[:1].isdigit() or text[:1] == "'" else None


def _is_truth(expr: c.Expr) -> bool:
    """Whether an expression is true or false and no number."""
    match expr:
        case c.Binary(op=op):
            return op in (*_COMPARED, "&&", "||")
        case c.Unary(op="!"):
            return True
        case c.Cast(operand=inner):
            return _is_truth(inner)
    return isinstance(expr.type, c.ScalarType) and expr.type.bits == 1


def _is_bool(kind: c.CType) -> bool:
    return isinstance(kind, c.ScalarType) and kind.kind == "bool"


def _tests(program: c.Program, name: str) -> Iterator[c.Expr]:
    """What is asked in ifs, loops and ?:, and the parts of it that && and || join."""
    body = program.functions[name].body
    tests = [s.test for s in c.walk_statements(body) if isinstance(s, (c.If, c.Loop)) and s.test is not None]
    tests += [e.test for top in own_expressions(program, body) for e in c.walk(top) if isinstance(e, c.Conditional)]
    while tests:
        test = tests.pop()
        if isinstance(test, c.Binary) and test.op in ("&&", "||"):
            tests += [test.left, test.right]
        yield test
