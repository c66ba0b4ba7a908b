"""Two operands, branches or tests that say the same, or that exclude each other.

## What it does
Reports a comparison, difference or the like of an expression with itself, an `if` and a `?:` whose two branches are the
same (but for an `if` that asks for one value of what they use: hardware of its own is built for it), and tests of one
value that no number passes together (`x < 3 && x > 5`) or every number passes (`x != 1 || x != 2`).

## Why is this bad
The line was copied and one of its names not changed. The compiler removes what is decided, and nothing says so.

## Example
```c
void f(const int a[64], const int b[64], int c[64]) {
  for (int i = 0; i < 64; i++) c[i] = a[i] == a[i] ? 1 : b[i];
}
```

## Use instead
```c
void f(const int a[64], const int b[64], int c[64]) {
  for (int i = 0; i < 64; i++) c[i] = a[i] == b[i] ? 1 : b[i];
}
```

## Vitis message it predicts
None; clang's `self-comparison always evaluates to true`, `overlapping comparisons always evaluate to false`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.source import Origin
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import functions_but_benches
from hlspart.rules._traces import constant
from hlspart.rules._uses import nodes

RULE = Rule("HLP451", "same-operands", "warning", names=True)
_DECIDED = ("==", "!=", "<", ">", "<=", ">=", "-", "/", "%", "&", "|", "^", "&&", "||")
_NOT_OF_FLOATS = ("==", "!=", "-", "/")  # x != x asks for a number that is none
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}
_NONE, _ALL = "passed by no value", "passed by every value"


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Expressions and branches of all functions; of a template once."""
    program, seen = facts.program, set[object]()
    for name, function in functions_but_benches(facts):
        for at, message, hint in (*_expressions(program, name), *_branches(program, function)):
            if at.kind == "plain" and at.span not in seen:
                seen.add(at.span)
                yield facts.report(RULE, at, message, hint)


def _expressions(program: c.Program, name: str) -> Iterator[tuple[Origin, str, str]]:
    for node in nodes(program)[name]:
        text = _text(program, node)
        if isinstance(node, c.Binary) and node.op in _DECIDED and _is_written_twice(program, node.left, node.right):
            floats = isinstance(node.left.type, c.ScalarType) and node.left.type.kind == "float"
            if isinstance(node.type, c.ScalarType) and not (floats and node.op in _NOT_OF_FLOATS):
                yield node.at, f"'{text}' has the same on both sides of {node.op}", "correct one of the two"
        elif isinstance(node, c.Conditional) and _is_written_twice(program, node.then, node.other):
            yield node.at, f"'{text}' gives the same, whatever the test says", "correct one of the two"
        elif isinstance(node, c.Call) and (value := _clamped(program, node)) is not None:
            yield node.at, f"'{text}' is always {value}", "exchange min and max, or the two bounds"
        elif "<" not in name and isinstance(node, c.Binary) and (of := _together(program, node)) is not None:
            passed = _NONE if node.op == "&&" else _ALL
            hint = f"write {'||' if node.op == '&&' else '&&'} for {node.op}, or correct a bound"
            yield node.at, f"'{text}' is {passed} of '{of}'", hint


def _branches(program: c.Program, function: c.Function) -> Iterator[tuple[Origin, str, str]]:
    arms = set[c.Stmt]()  # of a chain several may well do the same
    for stmt in c.walk_statements(function.body):
        if not isinstance(stmt, c.If) or stmt.other is None:
            continue
        arms |= set(stmt.other.body) if len(stmt.other.body) == 1 else set()
        chain = stmt in arms or (len(stmt.other.body) == 1 and isinstance(stmt.other.body[0], c.If))
        if stmt.then.body and not chain and not isinstance(stmt.test, c.Const):
            then, other = (" ".join(program.text(b.at).strip("{ \t\r\n}").split()) for b in (stmt.then, stmt.other))
            if then == other and then.strip(";") and not _is_asked_of(stmt):
                yield (
                    stmt.test.at,
                    "both branches of this if are the same",
                    "correct one of the two, or remove the test",
                )


def _is_asked_of(stmt: c.If) -> bool:
    """Whether a test says what a variable is that the branches use: each is then built for one value, on purpose."""
    asked = stmt.test.left if isinstance(stmt.test, c.Binary) and stmt.test.op in ("==", "!=") else None
    if not isinstance(asked, c.Name) or not isinstance(stmt.test, c.Binary) or not _is_number(stmt.test.right):
        return False
    used = (e for s in c.walk_statements(stmt.then) for top in c.expressions(s) for e in c.walk(top))
    return any(isinstance(e, c.Name) and e.variable == asked.variable for e in used)


def _is_number(expr: c.Expr) -> bool:
    return isinstance(expr.operand if isinstance(expr, c.Cast) else expr, c.Const)


def _text(program: c.Program, expr: c.Expr) -> str:
    text = " ".join(program.text(expr.at).split())
    return text if len(text) <= 60 else text[:57] + "..."


def _is_written_twice(program: c.Program, one: c.Expr, other: c.Expr) -> bool:
    """Whether two expressions that do nothing and are no constants are written alike."""
    if isinstance(one, c.Const) or not c.is_same(one, other) or constant(program, one) is not None:
        return False
    if any(isinstance(e, (c.Call, c.Assign, c.IncDec, c.OpaqueExpr, c.SizeOf)) for e in c.walk(one)):
        return False
    named = [program.variable(e.variable) for e in c.walk(one) if isinstance(e, (c.Name, c.ArrayRef))]
    plain = one.at.kind == other.at.kind == "plain" and one.at.span != other.at.span
    texts = ("".join(program.text(e.at).split()) for e in (one, other))
    if (
        any(isinstance(e, c.Const) for e in c.walk(one))
        and len({t.replace("(", "").replace(")", "") for t in texts}) > 1
    ):
        return False  # two names of one number, such as arguments of a template
    source = program.sources[one.at.span.path].text
    if "," in source[one.at.span.end : other.at.span.start]:
        return False  # arguments, such as the two ends of a range of bits
    return plain and bool(named) and not any(v.volatile for v in named)


def _together(program: c.Program, node: c.Binary) -> str | None:
    """The value that two tests joined by && leave no number of, or by || every number."""
    sides = [_bounds(program, side) for side in (node.left, node.right) if node.op in ("&&", "||")]
    if len(sides) < 2 or sides[0] is None or sides[1] is None or not c.is_same(sides[0][0], sides[1][0]):
        return None
    if node.op == "||":
        sides = [(e, _OPPOSITE[op], bound) for e, op, bound in (s for s in sides if s is not None)]
    parts = [_numbers(op, bound) for _, op, bound in (s for s in sides if s is not None)]
    if any(p is None for p in parts):
        return None
    (low, high), (least, most) = (p for p in parts if p is not None)
    empty = max(low, least) > min(high, most)
    return _text(program, sides[0][0]) if empty and sides[0] is not None else None


_OPPOSITE = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "==": "!=", "!=": "=="}


def _clamped(program: c.Program, node: c.Call) -> int | None:
    """The one value of `min(max(x, 255), 0)`."""
    outer = (node.function or "").partition("(")[0].rpartition("::")[2]
    for k, inner in enumerate(node.args) if outer in ("min", "max") and len(node.args) == 2 else ():
        below = (inner.function or "").partition("(")[0].rpartition("::")[2] if isinstance(inner, c.Call) else ""
        bound = constant(program, node.args[1 - k])
        if isinstance(inner, c.Call) and {outer, below} == {"min", "max"} and bound is not None:
            known = [v for e in inner.args if (v := constant(program, e)) is not None]
            if len(known) == 1 and (known[0] >= bound if outer == "min" else known[0] <= bound):
                return bound
    return None


def _numbers(op: str, bound: int) -> tuple[float, float] | None:
    """The least and the greatest whole number that passes a comparison."""
    least, most = float("-inf"), float("inf")
    return {
        "==": (bound, bound),
        "<": (least, bound - 1),
        "<=": (least, bound),
        ">": (bound + 1, most),
        ">=": (bound, most),
    }.get(op)


def _bounds(program: c.Program, expr: c.Expr) -> tuple[c.Expr, str, int] | None:
    """A comparison of a whole number with a constant: what is compared, how, and the constant."""
    if not isinstance(expr, c.Binary) or expr.op not in _TURNED or expr.at.kind != "plain":
        return None
    for op, side, bound in ((expr.op, expr.left, expr.right), (_TURNED[expr.op], expr.right, expr.left)):
        whole = isinstance(side.type, c.ScalarType) and side.type.kind == "int"
        acts = any(isinstance(e, (c.Call, c.Assign, c.IncDec, c.OpaqueExpr)) for e in c.walk(side))
        value = constant(program, bound)
        # -1 beside an unsigned number of C is its greatest
        turned = value is not None and value < 0 and isinstance(side.type, c.ScalarType) and not side.type.signed
        if whole and not acts and not turned and value is not None and constant(program, side) is None:
            return side, op, value
    return None
