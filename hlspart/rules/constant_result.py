"""A comparison or a shift whose result follows from the width of its operand alone.

## What it does
Reports a comparison of a variable with a constant that its type cannot hold, a shift of an `ap_int` or `ap_uint` to
the left by its whole width or more, a bit or range of an `ap_uint` that begins above its last
bit, and a range whose lower bit stands first;
in templates only ranges, and comparisons of one bit.

## Why is this bad
A counter of four bits is never 16: the branch is never taken, a packet never ends. The shift of an `ap_uint<8>` is an
`ap_uint<8>`, however wide the variable that takes it: by 24 bits it is 0.

## Example
```cpp
#include <ap_int.h>
void f(const int a[64], int b[64]) {
  ap_uint<4> beat = 0;
  for (int i = 0; i < 64; i++) {
    b[i] = beat == 16 ? 0 : a[i];
    beat++;
  }
}
```

## Use instead
```cpp
#include <ap_int.h>
void f(const int a[64], int b[64]) {
  ap_uint<4> beat = 0;
  for (int i = 0; i < 64; i++) {
    b[i] = beat == 15 ? 0 : a[i];
    beat++;
  }
}
```

## Vitis message it predicts
None; clang's `result of comparison .. is always false`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.source import Span
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import of_benches
from hlspart.rules._counters import counted, greatest
from hlspart.rules._left_out import never_run
from hlspart.rules._traces import constant
from hlspart.rules._uses import nodes

RULE = Rule("HLP439", "constant-result", "warning", names=True)
_TEMPLATE = re.compile(r"\btemplate\s*<[^;{}]*>\s*(?:(?:static|inline)\s+)*\Z")
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Comparisons and shifts of plain functions."""
    benches = of_benches(facts)
    tests = {loop.test for loop in facts.program.loops.values()}  # HLP436
    reversed_ = set[object]()
    for name, function in facts.program.functions.items():
        if function.open or name in benches:
            continue
        never = never_run(facts.program, name)
        for expr, high, bits in _bits_past_end(facts, name):
            text = " ".join(facts.program.text(expr.at).split())
            message = f"'{text}' goes to bit {high}, there are {bits} bits, 0 to {bits - 1}"
            yield facts.report(RULE, expr.at, message, "take bits that it has")
        for node in nodes(facts.program)[name]:
            if any(part.holds(node.at.span) for part in never):
                continue
            if isinstance(node, c.OpaqueExpr) and node.what == c.REVERSED and node.at.span not in reversed_:
                reversed_.add(node.at.span)
                text = " ".join(facts.program.text(node.at).split())
                hint = "write the higher bit first; reverse() says that it is meant"
                yield facts.report(RULE, node.at, f"'{text}' gives the bits in reverse order", hint)
            if "<" not in name and (range_ := _range_past_end(facts.program, node)) is not None:
                high, bits = range_
                text = " ".join(facts.program.text(node.at).split())
                message = f"'{text}' goes to bit {high}, there are {bits} bits, 0 to {bits - 1}"
                yield facts.report(RULE, node.at, message, "take bits that it has")
            one_bit = (
                isinstance(node, c.Binary) and isinstance(node.left.type, c.ScalarType) and node.left.type.bits == 1
            )
            if not isinstance(node, c.Binary) or node in tests:
                continue
            if not one_bit and ("<" in name or (node.op in ("<<", ">>") and _is_instance(facts, function))):
                continue  # other instances may be meant
            if (always := _compared(facts.program, node)) is not None:
                value, of, most = always
                said = f"is always {'true' if value else 'false'}: {of} is at most {most}"
                hint = "take a wider type, or another constant"
            elif (width := _shifted_out(facts.program, node, ">>")) is not None:
                said = f"is always 0: there are {width} bits, 0 to {width - 1}"
                hint = "take a bit that the operand has, or a wider operand"
            elif (width := _shifted_out(facts.program, node, "<<")) is not None:
                said = f"is always 0: what is shifted has {width} bits, and so has the result"
                hint = "convert it to the wider type before the shift"
            elif (fault := _too_far(facts.program, node)) is not None:
                said, hint = fault
            else:
                continue
            text = " ".join(facts.program.text(node.at).split())
            yield facts.report(RULE, node.at, f"'{text}' {said}", hint)


def _is_instance(facts: Facts, function: c.Function) -> bool:
    """Whether a function is what the only arguments of a template make of it."""
    source = facts.program.sources.get(function.at.span.path)
    return source is not None and _TEMPLATE.search(source.text, 0, function.at.span.start) is not None


def _bits_past_end(facts: Facts, name: str) -> Iterator[tuple[c.Expr, int, int]]:
    """Assignments to ranges that go by counters to a bit that the number has not: (where, the bit, the bits)."""
    program = facts.program
    if "<" in name or not any(isinstance(e, c.Assign) and ".range" in program.text(e.at) for e in nodes(program)[name]):
        return
    for place in counted(facts, program.functions[name].body):
        node = place.expr
        of = node.target.type if isinstance(node, c.Assign) and place.sure and node.at.kind == "plain" else None
        if not isinstance(node, c.Assign) or not isinstance(of, c.ScalarType) or of.library is None:
            continue
        for inner in c.walk(node.value):
            width = isinstance(inner, c.Binary) and inner.op == "-" and inner.at.span == node.at.span
            if width and isinstance(inner, c.Binary) and inner.left.at.span != node.at.span != inner.right.at.span:
                high = greatest(facts, inner.left, place)
                if high is not None and high >= of.bits:
                    yield node, high, of.bits
                break


def _range_past_end(program: c.Program, node: c.Expr) -> tuple[int, int] | None:
    """(the highest bit, the bits that there are) of a range that begins inside of a number and ends behind it."""
    if not isinstance(node, c.Cast) or not isinstance(node.operand, c.Binary) or node.operand.op != ">>":
        return None
    of, part, low = node.operand.left.type, node.type, constant(program, node.operand.right)
    numbers = isinstance(of, c.ScalarType) and isinstance(part, c.ScalarType)
    if not numbers or low is None or node.at.kind != "plain" or node.at != node.operand.at:
        return None
    assert isinstance(of, c.ScalarType)
    assert isinstance(part, c.ScalarType)
    plain = isinstance(node.operand.left, (c.Cast, c.Name, c.ArrayRef)) and (of.library, of.kind) == ("ap", "int")
    high = low + part.bits - 1
    return (high, of.bits) if plain and low < of.bits <= high and ">>" not in program.text(node.at) else None


def _too_far(program: c.Program, node: c.Binary) -> tuple[str, str] | None:
    """What is wrong with a shift of a number of C by more bits than it has, or by less than none; with a bit beyond."""
    kind, by = node.left.type, constant(program, node.right) if node.op in ("<<", ">>") else None
    if by is None or not isinstance(kind, c.ScalarType) or kind.kind != "int" or node.at.kind != "plain":
        return None
    path, of = node.at.span.path, node.type
    between = program.text(replace(node.at, span=Span(path, node.left.at.span.end, node.right.at.span.start)))
    if node.op == "<<" and "<<" not in program.text(node.at) and isinstance(of, c.ScalarType) and of.library == "ap":
        return (f"is outside of its {of.bits} bits", "take a bit that it has") if by >= of.bits else None
    if kind.library is not None or node.op not in between:
        return None
    width = max(kind.bits, 32)
    if by < 0 or by >= width:
        what = "less than 0" if by < 0 else f"all its {width} bits or more"
        return f"has no meaning: a number is shifted by {what}", "take a wider type, or another distance"
    return None


def _compared(program: c.Program, node: c.Binary) -> tuple[bool, str, int] | None:
    """(its value, the operand, the greatest value of that) of a comparison with more than an operand can be."""
    if node.op not in _TURNED:
        return None
    for op, side, bound in ((node.op, node.left, node.right), (_TURNED[node.op], node.right, node.left)):
        place = side.operand if isinstance(side, c.Cast) and _is_wider(side) else side
        kind = place.type
        if (
            not isinstance(place, (c.Name, c.ArrayRef, c.Member))
            or not isinstance(kind, c.ScalarType)
            or kind.kind != "int"
        ):
            continue
        if kind.bits > 31:
            continue
        limit = constant(program, bound)
        high = (1 << (kind.bits - (1 if kind.signed else 0))) - 1
        if limit is None or constant(program, place) is not None:
            continue
        if op == "<" and limit == 0 and not kind.signed and kind.library is not None:
            return False, " ".join(program.text(place.at).split()), high
        decided = limit > high or (op == ">" and limit == high) or (op == "<=" and limit == high)
        if decided:
            return op in ("!=", "<", "<="), " ".join(program.text(place.at).split()), high
    return None


def _one_bit(expr: c.Expr) -> bool:
    return isinstance(expr.type, c.ScalarType) and expr.type.bits == 1


def _is_wider(cast: c.Cast) -> bool:
    """Whether a conversion keeps every value."""
    to, of = cast.type, cast.operand.type
    if not isinstance(to, c.ScalarType) or not isinstance(of, c.ScalarType):
        return False
    return to.kind == of.kind == "int" and to.bits >= of.bits and (to.signed or not of.signed)


def _shifted_out(program: c.Program, node: c.Binary, op: str) -> int | None:
    """The bits of a number of which a shift, or the choice of bits as which it is read, leaves none."""
    kind = node.left.type
    if isinstance(node.left, c.Binary | c.Unary | c.Conditional):  # results are wider than what they are made of
        return None
    if op == ">>" and isinstance(kind, c.ScalarType) and kind.signed:
        return None
    fixed = op == "<<" and isinstance(kind, c.ScalarType) and kind.kind == "fixed"
    if node.op != op or not isinstance(kind, c.ScalarType) or kind.library != "ap":
        return None
    if kind.kind != "int" and not fixed:
        return None
    between = replace(node.at, span=Span(node.at.span.path, node.left.at.span.end, node.right.at.span.start))
    if op == "<<" and op not in program.text(between):
        return None  # `x(15, 8) = y(7, 0)` puts bits in their place
    by = constant(program, node.right)
    return kind.bits if by is not None and by >= kind.bits else None
