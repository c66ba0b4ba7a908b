"""A constant that its type cannot hold.

## What it does
Reports a constant below one that an integer gets, one below half a step of an `ap_fixed` or beyond its range, one with
more bits than the integer that gets it or than a literal has, and a quotient of integer constants that is 0 in an
expression of floating-point numbers, or leaves a rest in a product; and
lists that give an array its first value alone, or a constant table all but its last ones.

## Why is this bad
The value is 0, or another one: a filter multiplies by nothing, a state is never reached. C says nothing of it.

## Example
```c
void f(const int x[64], int y[64]) {
  const int gain = 0.75;
  for (int i = 0; i < 64; i++) y[i] = gain * x[i];
}
```

## Use instead
```c
void f(const int x[64], int y[64]) {
  const float gain = 0.75f;
  for (int i = 0; i < 64; i++) y[i] = gain * x[i];
}
```

## Vitis message it predicts
clang's `implicit conversion changes value`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import of_benches
from hlspart.rules._traces import constant
from hlspart.rules._uses import nodes

RULE = Rule("HLP443", "constant-lost", "warning", names=True)
_ROUNDED = 1e-12  # such as a cosine of a right angle in numbers of 64 bits


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Initial values, assignments and quotients; what a template has is reported once."""
    program, seen = facts.program, set[object]()
    benches = of_benches(facts)
    values: list[tuple[c.CType, c.Expr]] = []
    for v in program.variables:
        if v.init is not None and v.function not in benches and not v.reference:
            # of a table the first says it: the rest of a series may well vanish
            lost = ((k, x) for k, x in _scalars(v.type, v.init) if _becomes(program, k, x) is not None)
            values += [first] if (first := next(lost, None)) is not None else []
    for v in program.variables:
        short = _short_list(program, v) if v.function not in benches and v.at.kind == "plain" else None
        if short is not None and v.at.span not in seen:
            seen.add(v.at.span)
            yield facts.report(RULE, v.at, f"'{v.name}' {short}: what the list leaves out is 0", "write all the values")
    for name, own in nodes(program).items():
        if name in benches or program.functions[name].open:
            continue
        for node in own:
            if isinstance(node, c.Assign) and node.op == "=":
                values.append((node.target.type, node.value))
            of_floats = isinstance(node, c.Binary) and node.op in "*+-/" and _is(node.type, "float")
            if isinstance(node, c.Binary) and node.op == "*" and _is(node.type, "int"):
                for side in (node.left, node.right):
                    if _leaves_rest(program, side) and side.at.span not in seen:
                        seen.add(side.at.span)
                        text = " ".join(program.text(side.at).split())
                        hint = "multiply first, or take floating-point numbers"
                        yield facts.report(RULE, side.at, f"'{text}' is a quotient of integers, without its rest", hint)
            for side in (node.left, node.right) if isinstance(node, c.Binary) and of_floats else ():
                if _is_lost_quotient(program, side) and side.at.span not in seen:
                    seen.add(side.at.span)
                    text = " ".join(program.text(side.at).split())
                    message = f"'{text}' is a quotient of integers, which is 0"
                    yield facts.report(RULE, side.at, message, "make one of the two a float: 1.0f / n")
    for name, own in nodes(program).items():
        for node in own if name not in benches else ():
            literal = isinstance(node, c.Const) and isinstance(node.value, int) and node.value >> 64
            if literal and node.at.kind == "plain" and program.text(node.at)[:1].isdigit() and node.at.span not in seen:
                seen.add(node.at.span)
                hint = 'write it as a text: ap_uint<96>("0123..", 16)'
                yield facts.report(
                    RULE, node.at, f"{program.text(node.at)} has more than the 64 bits of a literal", hint
                )
    for kind, value in values:
        becomes = _becomes(program, kind, value)
        if becomes is None or not isinstance(kind, c.ScalarType):
            continue
        text = " ".join(program.text(value.at).split())
        if (value.at.span.path, text, kind.name) not in seen:  # a constant with a name is one mistake
            seen.add((value.at.span.path, text, kind.name))
            hint = "take a type that holds it, or another constant"
            yield facts.report(RULE, value.at, f"{text} becomes {becomes}: {kind.name} does not hold it", hint)


def _short_list(program: c.Program, v: c.Variable) -> str | None:
    """How the values of an array fall short of it: one for all, or all but the last few of a constant table."""
    extent = v.dims[0] if len(v.dims) == 1 else None
    items = v.init.items if isinstance(v.init, c.InitList) else ()
    if extent is None or any(places for places, _ in items) or not items:
        return None
    numbers = [x.operand if isinstance(x, c.Unary) else x for _, x in items]
    if not all(isinstance(x, c.Const) for x in numbers):
        return None
    last = numbers[-1]
    if len(items) == 1 and extent >= 4 and isinstance(last, c.Const) and last.value:
        return f"gets its value in the first of {extent} elements alone"
    missing = extent - len(items)
    if v.const and len(items) >= 4 and 0 < missing <= len(items) // 3 and isinstance(last, c.Const) and last.value:
        return f"has {extent} elements and {len(items)} values"
    return None


def _is(kind: c.CType, what: str) -> bool:
    return isinstance(kind, c.ScalarType) and kind.kind == what


def _scalars(kind: c.CType, value: c.Expr) -> Iterator[tuple[c.CType, c.Expr]]:
    """The scalars of an initial value, each with its type; what is as good as 0 in a table is meant as 0."""
    if isinstance(kind, c.ArrayType) and isinstance(value, c.InitList):
        for _, item in value.items:
            number = item.operand if isinstance(item, c.Unary) else item
            if isinstance(number, c.Const) and 0 < abs(number.value) < _ROUNDED and len(value.items) > 1:
                continue
            yield from _scalars(kind if isinstance(item, c.InitList) else kind.element, item)
    elif isinstance(kind, c.ScalarType) and not isinstance(value, c.InitList):
        yield kind, value


def _becomes(program: c.Program, kind: c.CType, value: c.Expr) -> str | None:
    """What a type makes of a constant that it does not hold."""
    if not isinstance(kind, c.ScalarType) or kind.kind not in ("int", "fixed"):
        return None
    if kind.kind == "fixed" and _is_lost_quotient(program, value):
        return "0"
    number = value.operand if isinstance(value, c.Unary) and value.op in "+-" else value
    if kind.kind == "fixed" and isinstance(number, c.Const) and "SAT" not in kind.name:
        limit = 2.0 ** (kind.bits - kind.fraction_bits - (1 if kind.signed else 0))
        negative = isinstance(value, c.Unary) and value.op == "-"
        if negative and not kind.signed and number.value:
            return "another number: it has no sign"
        if number.value >= limit and not (negative and kind.signed and number.value == limit):
            return f"another number: the greatest is just below {limit:g}"
    if isinstance(number, c.Const) and isinstance(number.value, float):
        step = 1.0 if kind.kind == "int" else 2.0**-kind.fraction_bits
        cut = isinstance(value, c.Const) and "RND" not in kind.name
        step = step if kind.kind == "int" or cut else step / 2  # it may be rounded
        return "0" if 0 < abs(number.value) < step else None
    if kind.kind != "int" or kind.bits > 63 or any(isinstance(e, (c.ArrayRef, c.Call)) for e in c.walk(value)):
        return None
    if kind.bits > 31 and not isinstance(number, c.Const):
        return None  # C may have reduced the operands
    if isinstance(value, c.Cast):
        return None  # asked for
    whole = constant(program, value)
    decimal = isinstance(number, c.Const) and number.at.kind == "plain" and program.text(number.at).isdecimal()
    if (
        whole is not None
        and kind.signed
        and decimal
        and kind.bits > 1
        and 1 << (kind.bits - 1) <= whole < 1 << kind.bits
    ):
        return str(whole - (1 << kind.bits))  # in hexadecimal it may be meant as bits
    if whole is None or -(1 << (kind.bits - 1)) <= whole < (1 << kind.bits):
        return None
    if isinstance(number, c.Const) and not decimal and whole.bit_count() == whole.bit_length() >= 16:
        return None  # 0xffffffff is all bits of whatever has fewer
    rest = whole % (1 << kind.bits)
    return str(rest - (1 << kind.bits) if kind.signed and rest >> (kind.bits - 1) else rest)


def _leaves_rest(program: c.Program, expr: c.Expr) -> bool:
    """Whether an expression is a quotient of two literals that leaves a rest."""
    if not isinstance(expr, c.Binary) or expr.op != "/" or expr.at.kind != "plain":
        return False
    over, under = constant(program, expr.left), constant(program, expr.right)
    literal = isinstance(expr.left, c.Const) and isinstance(expr.right, c.Const)
    digits = literal and all(program.text(e.at)[:1].isdigit() for e in (expr.left, expr.right))
    return digits and over is not None and bool(under) and over % (under or 1) != 0


def _is_lost_quotient(program: c.Program, expr: c.Expr) -> bool:
    """Whether an expression is a quotient of integer constants that is 0, though what is divided is not."""
    if not isinstance(expr, c.Binary) or expr.op != "/" or not _is(expr.type, "int"):
        return False
    over, under = constant(program, expr.left), constant(program, expr.right)
    return over is not None and under is not None and 0 < abs(over) < abs(under)
