"""An expression whose parts come in another order than they stand in.

## What it does
Reports a comparison as the operand of `&`, `|` or `^` without parentheses whose other side is a mask, two reads of one
stream in an expression in which their order matters, two changes of one pointer or counter in an expression, and a read
or a change in the argument of a macro that says it twice.

## Why is this bad
`x & 1 == 0` is `x & (1 == 0)`, which is 0. In which order `s.read() - s.read()` takes its words C++ does not say: the
simulation may take another than the hardware.

## Example
```c
void f(const int a[64], int b[64]) {
  for (int i = 0; i < 64; i++) b[i] = a[i] & 1 == 0 ? a[i] : 0;
}
```

## Use instead
```c
void f(const int a[64], int b[64]) {
  for (int i = 0; i < 64; i++) b[i] = (a[i] & 1) == 0 ? a[i] : 0;
}
```

## Vitis message it predicts
clang's `& has lower precedence than ==`, `multiple unsequenced modifications`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import of_benches
from hlspart.rules._traces import constant
from hlspart.rules._uses import nodes, root_of

RULE = Rule("HLP444", "expression-order", "warning")
_COMPARED = ("==", "!=", "<", ">", "<=", ">=")
_ANY_ORDER = ("+", "*", "&", "|", "^")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Operators of all functions; what a template has is reported once."""
    program, seen = facts.program, set[object]()
    benches = of_benches(facts)
    for name, own in nodes(program).items():
        for call, does in _repeated(own) if name not in benches else ():
            if call.at.span not in seen:
                seen.add(call.at.span)
                message = f"'{program.text(call.at)}' is the argument of a macro that {does} it twice"
                yield facts.report(RULE, call.at, message, "give it to a variable first, and the macro the variable")
        for node in own if name not in benches else ():
            if not isinstance(node, c.Binary) or node.at.kind != "plain" or node.at.span in seen:
                continue
            text = " ".join(program.text(node.at).split())
            if (inner := _masked(program, node)) is not None:
                seen.add(node.at.span)
                message = f"'{text}' compares first: it is '{node.op}' with the result of '{inner.op}'"
                hint = f"write parentheses around the operands of {node.op}"
                yield facts.report(RULE, node.at, message, hint)
            elif node.op in ("<<", ">>") and _shifts_by_sum(program, node):
                seen.add(node.at.span)
                hint = f"write (a {node.op} n) + b, or parentheses around the sum"
                yield facts.report(RULE, node.at, f"'{text}' shifts by a sum: + comes before {node.op}", hint)
            elif (what := _twice(program, node)) is not None:
                seen.add(node.at.span)
                hint = "give each a statement of its own"
                yield facts.report(RULE, node.at, f"'{text}' {what} twice, in an order that is not defined", hint)


def _repeated(own: tuple[c.Expr, ...]) -> Iterator[tuple[c.Expr, str]]:
    """Reads, and changes of a variable, that a macro's text has more than once."""
    for node in own:
        if node.at.kind != "plain" and isinstance(node, (c.Binary, c.Conditional)):
            first: dict[object, c.Expr] = {}
            for inner in c.walk(node):
                acts = _read(inner) or isinstance(inner, (c.IncDec, c.Assign))
                if acts and inner.at.kind == "argument" and first.setdefault(inner.at.span, inner) is not inner:
                    yield inner, "reads" if _read(inner) else "does"


def _shifts_by_sum(program: c.Program, node: c.Binary) -> bool:
    """`a << 4 + b[i]`: a constant and data are no distance."""
    by = node.right
    if not isinstance(by, c.Binary) or by.op != "+" or node.op not in program.text(node.at):
        return False
    data = any(isinstance(e, (c.ArrayRef, c.Member)) or _read(e) for e in c.walk(by.right))
    return isinstance(by.left, c.Const) and data and not _is_closed(program, by)


def _masked(program: c.Program, node: c.Binary) -> c.Binary | None:
    """The comparison with a constant that a mask has in the place of that constant."""
    if node.op not in ("&", "|", "^"):
        return None
    for side, other, near in ((node.right, node.left, "left"), (node.left, node.right, "right")):
        if not isinstance(side, c.Binary) or side.op not in _COMPARED or _is_closed(program, side):
            continue
        mask, kind = (side.left if near == "left" else side.right), other.type
        wide = isinstance(kind, c.ScalarType) and kind.kind == "int" and kind.bits > 1
        logical = isinstance(other, c.Binary) and other.op in (*_COMPARED, "&&", "||")
        logical = logical or (isinstance(other, c.Unary) and other.op == "!")
        plain = isinstance(mask, c.Const) or (isinstance(mask, c.Name) and constant(program, mask) is not None)
        if wide and not logical and plain:
            return side
    return None


def _is_closed(program: c.Program, expr: c.Expr) -> bool:
    """Whether parentheses stand around an expression."""
    source = program.sources.get(expr.at.span.path)
    if source is None or expr.at.kind != "plain":
        return True
    before, after = source.text[: expr.at.span.start].rstrip(), source.text[expr.at.span.end :].lstrip()
    return source.text.startswith("(", expr.at.span.start) or (before.endswith("(") and after.startswith(")"))


def _twice(program: c.Program, node: c.Binary) -> str | None:
    """What both sides of an operator do to one object."""
    if node.op in ("&&", "||", ",", "<<", ">>"):
        return None
    sides = node.left, node.right
    roots = [{root_of(x.args[0]) for x in c.walk(s) if isinstance(x, c.Call) and _read(x)} for s in sides]
    if all(roots) and not all(_is_plain(x, node.op) for x in sides):
        for root in roots[0] & roots[1]:
            if root is not None and root[2]:
                return f"reads '{program.variable(root[0]).name}'"
    steps = [
        {(o.variable, x.at.span) for x in c.walk(s) if isinstance(x, c.IncDec) and isinstance(o := x.operand, c.Name)}
        for s in (node.left, node.right)
    ]
    for variable, at in sorted(steps[0], key=lambda x: x[0]):
        if any(v == variable and other != at for v, other in steps[1]):  # one place: a part of a word is set
            return f"changes '{program.variable(variable).name}'"
    return None


def _is_plain(expr: c.Expr, op: str) -> bool:
    """Whether reads in an operand stand for themselves in a sum or the like, whose parts may come in any order."""
    if op not in _ANY_ORDER:
        return False
    if isinstance(expr, c.Binary) and expr.op == op:
        return _is_plain(expr.left, op) and _is_plain(expr.right, op)
    return _read(expr) or not any(_read(e) for e in c.walk(expr))


def _read(expr: c.Expr) -> bool:
    return isinstance(expr, c.Call) and expr.function == "stream.read" and bool(expr.args)
