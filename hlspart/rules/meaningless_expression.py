"""An expression that has no meaning, or another than it seems to have.

## What it does
Reports `a < b < c`, `!a == 2`, `x && 4`, `x | 4` as a test, `2 ^ n`, `x =+ 1`, a comparison, sum or comma as a
statement that does nothing, a sum in a `bool`, a test of an `else if` that an earlier one has decided, a test for the
value one past the last of a loop's counter, and a quotient or remainder by a counter that begins at 0, and a shift by
counters that reaches 32, or all bits of an `ap_int`.

## Why is this bad
`0 < x < 10` compares a truth value with 10 and always holds. An arm that is never taken is removed: the last word of a
packet never comes. What a division by zero gives differs between simulation and hardware.

## Example
```c
void f(const int a[64], int b[64]) {
  for (int i = 0; i < 64; i++) {
    if (a[i] > 10) b[i] = 1;
    else if (a[i] > 10) b[i] = 2;
    else b[i] = 0;
  }
}
```

## Use instead
```c
void f(const int a[64], int b[64]) {
  for (int i = 0; i < 64; i++) {
    if (a[i] > 10) b[i] = 1;
    else if (a[i] > 5) b[i] = 2;
    else b[i] = 0;
  }
}
```

## Vitis message it predicts
clang's `comparisons like 'X<=Y<=Z'`, `result unused`, `division by zero is undefined`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.source import Span
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import functions_but_benches
from hlspart.rules._counters import CountedPlace, counted, greatest
from hlspart.rules._slips import slips, truth_values
from hlspart.rules._traces import constant
from hlspart.rules._uses import nodes

RULE = Rule("HLP450", "meaningless-expression", "warning", names=True)
_ORDERED = ("<", ">", "<=", ">=")
_TEMPLATE = re.compile(r"\b[A-Za-z_]\w*<-?\w+(?:\s*,\s*-?\w+)*>\(")  # shift<-2>(x), of a header that is missing


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Expressions and tests of all functions; of a template once, its counters not at all."""
    program, seen = facts.program, set[object]()
    for name, function in functions_but_benches(facts):
        for at, message, hint in (
            *_chains(program, name),
            *_shifted_masks(program, name),
            *truth_values(program, name),
            *slips(program, name),
            *_asserted(program, name),
            *_statements(program, function),
            *(_counters(facts, function) if "<" not in name and function.body.body else ()),
        ):
            if at.at.kind == "plain" and at.at.span not in seen:
                seen.add(at.at.span)
                text = " ".join(program.text(at.at).split())
                yield facts.report(RULE, at.at, f"'{text}' {message}", hint)


def _chains(program: c.Program, name: str) -> Iterator[tuple[c.Expr, str, str]]:
    for node in nodes(program)[name]:
        if isinstance(node, c.Binary) and node.op in _ORDERED:
            inner = node.left
            bare = not program.text(node.at).lstrip().startswith("(")
            # f<3>(x) is a call, where nothing says that f is a template
            call = (
                isinstance(inner, c.Binary)
                and (inner.op, node.op) == ("<", ">")
                and _is_parenthesised(program, node.right)
            )
            call = call or _TEMPLATE.search(program.text(node.at)) is not None
            if isinstance(inner, c.Binary) and inner.op in _ORDERED and bare and not call:
                yield node, "compares a truth value with a number", "write a < b && b < c"


def _is_parenthesised(program: c.Program, expr: c.Expr) -> bool:
    """Whether a parenthesis opens directly before an expression, or it begins with one."""
    text, start = program.sources[expr.at.span.path].text, expr.at.span.start
    return text.startswith("(", start) or text[:start].rstrip().endswith("(")


def _shifted_masks(program: c.Program, name: str) -> Iterator[tuple[c.Expr, str, str]]:
    """`x & (1 << 21) >> 21`: the mask is shifted, and not what it leaves."""
    for node in nodes(program)[name]:
        mask = node.right if isinstance(node, c.Binary) and node.op == "&" else None
        if not isinstance(node, c.Binary) or not isinstance(mask, c.Binary) or mask.op != ">>":
            continue
        bits, by = constant(program, mask.left), constant(program, mask.right)
        if bits is None or by is None or by < 0 or bits % (1 << min(by, 64)):
            continue  # with bits below, such as ~0u >> 20, it may be the mask that is meant to be shifted
        if constant(program, node.left) is None:
            path, end = node.at.span.path, mask.at.span.end
            if not _is_in_brackets(program.text(replace(node.at, span=Span(path, node.left.at.span.end, end)))):
                yield node, "shifts the mask: >> comes before &", "write (x & mask) >> n"


def _is_in_brackets(text: str) -> bool:
    """Whether the shift in `& (1 << 21) >> 21` is inside of brackets."""
    level = 0
    for k, letter in enumerate(text.partition("&")[2]):
        level += (letter == "(") - (letter == ")")
        if level == 0 and text.partition("&")[2][k : k + 2] == ">>":
            return False
    return True


def _asserted(program: c.Program, name: str) -> Iterator[tuple[c.Expr, str, str]]:
    """What an assertion does beside asking, which is gone where assertions are."""
    for node in nodes(program)[name]:
        if isinstance(node, c.Call) and node.function == "assert":
            for inner in (e for arg in node.args for e in c.walk(arg)):
                taken = isinstance(inner, c.Call) and (inner.function or "").startswith("stream.read")
                if taken or isinstance(inner, (c.Assign, c.IncDec)):
                    yield inner, "happens in an assertion, which makes no hardware", "do it before the assertion"
                    break


def _statements(program: c.Program, function: c.Function) -> Iterator[tuple[c.Expr, str, str]]:
    for stmt in c.walk_statements(function.body):
        if (
            isinstance(stmt, c.ExprStmt)
            and isinstance(stmt.expr, c.Binary)
            and isinstance(stmt.expr.type, c.ScalarType)
        ):
            acts = (c.Assign, c.IncDec, c.Call, c.OpaqueExpr)
            shifts = stmt.expr.op in ("<<", ">>")
            if not shifts and not any(isinstance(e, acts) for e in c.walk(stmt.expr)):
                meant = "write = for ==" if stmt.expr.op == "==" else "give its value to a variable, or remove it"
                yield stmt.expr, "is a statement that does nothing", meant
        if isinstance(stmt, c.If):
            yield from _decided(stmt)


def _decided(first: c.If) -> Iterator[tuple[c.Expr, str, str]]:
    tests, stmt = [first.test], first
    while stmt.other is not None and len(stmt.other.body) == 1 and isinstance(stmt.other.body[0], c.If):
        stmt = stmt.other.body[0]
        acts = any(isinstance(e, (c.Call, c.Assign, c.IncDec, c.OpaqueExpr)) for e in c.walk(stmt.test))
        constant_test = isinstance(stmt.test, c.Const)
        if not acts and not constant_test and any(c.is_same(stmt.test, test) for test in tests):
            yield stmt.test, "is never true here: an earlier arm has the same test", "correct one of the two tests"
        tests.append(stmt.test)


def _counters(facts: Facts, function: c.Function) -> Iterator[tuple[c.Expr, str, str]]:
    for place in counted(facts, function.body):
        node = place.expr
        if not isinstance(node, c.Binary):
            continue
        if node.op in ("/", "%") and isinstance(node.right, c.Name) and place.sure:
            if place.ranges.get(node.right.variable, (1, 1))[0] <= 0 and _whole(node.type):
                name = facts.program.variable(node.right.variable).name
                yield node, f"divides by 0 at {name} = 0", "begin at 1, or treat the first iteration apart"
        elif node.op in ("<<", ">>") and (by := _furthest(facts, node, place)) is not None:
            hint = "convert the operand to a wider type before the shift"
            of = node.left.type
            what = "that has no meaning for a number of 32 bits"
            if isinstance(of, c.ScalarType) and of.library is not None:
                what = f"nothing is left of a number of {of.bits} bits"
            yield node, f"shifts by up to {by}: {what}", hint
        elif node.op == "==" and (last := _past(facts, node, place)) is not None:
            yield node, f"is never true: the last is {last}", f"compare with {last}"


def _has_its_bits(facts: Facts, value: c.Expr) -> bool:
    """Whether an operand is a number of its own: a variable, an element, or a conversion that is written."""
    written = re.match(r"\(|ap_u?int\b", facts.program.text(value.at)) if isinstance(value, c.Cast) else None
    return isinstance(value, (c.Name, c.ArrayRef)) or written is not None


def _furthest(facts: Facts, node: c.Binary, place: CountedPlace) -> int | None:
    """How far a number is shifted by the last values of the counters, where that is all its bits or more."""
    kind = node.left.type
    if not isinstance(kind, c.ScalarType) or kind.kind != "int":
        return None
    # ap_int keeps its bits alone; a range of its bits is shifted as the whole number
    plain = kind.bits <= 32 if kind.library is None else node.op == "<<" and _has_its_bits(facts, node.left)
    counters = {e.variable for e in c.walk(node.right) if isinstance(e, c.Name)}
    free = place.asked is not None and not place.asked & counters  # and nothing that may have been made of a counter
    free = free and all(facts.program.variable(v).storage == "parameter" for v in place.asked or ())
    if not plain or not (place.sure or free) or node.at.kind != "plain" or node.op not in facts.program.text(node.at):
        return None
    by = greatest(facts, node.right, place)
    return by if by is not None and by >= (32 if kind.library is None else kind.bits) else None


def _past(facts: Facts, node: c.Binary, place: CountedPlace) -> int | None:
    """The last value of a counter that is compared with the one after it."""
    if not isinstance(node.left, c.Name) or node.left.variable not in place.ranges:
        return None
    last = place.ranges[node.left.variable][1]
    return last if constant(facts.program, node.right) == last + 1 else None


def _whole(kind: c.CType) -> bool:
    return isinstance(kind, c.ScalarType) and kind.kind == "int"
