"""A value that is converted too late: what it should have kept is lost by then.

## What it does
Reports a product of data of C's 32 bits, or a byte shifted to their end, that a wider integer gets; a quotient of
integers that a floating-point or fixed-point number gets; `abs` or a test against 0 of a difference of unsigned
numbers; the bits of a number that a cast has made of a float; `to_int()` of more bits where there is room for them;
`(a, b)` of more bits than its type keeps; products that are added up in no more bits than an operand has; and products
and sums in a variable of too few bits that goes whole to a wider one, or, as a sum, is divided.

## Why is this bad
C works with the types of the operands. `sum += a[i] * b[i]` adds 32 bits to an `ap_int<64>`, `mean = sum / n` has no
fraction, an unsigned difference is never negative.

## Example
```c
void f(const int a[64], const int b[64], long long *dot) {
  long long sum = 0;
  for (int i = 0; i < 64; i++) sum += a[i] * b[i];
  *dot = sum;
}
```

## Use instead
```c
void f(const int a[64], const int b[64], long long *dot) {
  long long sum = 0;
  for (int i = 0; i < 64; i++) sum += (long long)a[i] * b[i];
  *dot = sum;
}
```

## Vitis message it predicts
None; clang-tidy's `bugprone-implicit-widening-of-multiplication-result` and `bugprone-integer-division`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct, field

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import of_benches
from hlspart.rules._traces import constant
from hlspart.rules._uses import nodes, root_of

RULE = Rule("HLP452", "late-conversion", "warning", names=True)
_ABS = ("abs", "labs", "llabs", "fabs", "fabsf", "std::abs", "hls::abs")


_TRUTHS = ("==", "!=", "<", ">", "<=", ">=", "&&", "||")
_WHOLE = ("int", "bool")
_SAID = {"<": "never", ">=": "always", ">": "as good as always", "<=": "hardly ever"}
_LESS = (">>", "&", "/", "%")  # of which the value may have fewer bits than the type
_METHOD = re.compile(r"\.\s*(to_u?int)\s*\(\s*\)$")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Values of all functions; what a template has is reported once."""
    program, seen = facts.program, set[object]()
    benches = of_benches(facts)
    for name, own in nodes(program).items():
        if name in benches or program.functions[name].open:
            continue
        counters, targets = _counters(own), {root[0] for e in own if (root := _root_written(e)) is not None}
        reports: list[tuple[c.Expr, str, str]] = []
        for kind, value in _given(program, name, own):
            reports += _kept(program, kind, value, counters)
        reports += _narrow_between(program, name, own)
        for node in own:
            reports += _unsigned(program, node)
            reports += _bits_of_a_float(program, node, targets)
            reports += _narrow_sum(node)
        for expr, message, hint in reports:
            if expr.at.kind == "plain" and expr.at.span not in seen:
                seen.add(expr.at.span)
                text = " ".join(program.text(expr.at).split())
                yield facts.report(RULE, expr.at, f"'{text if len(text) < 60 else text[:57] + '...'}' {message}", hint)


def _counters(own: tuple[c.Expr, ...]) -> frozenset[int]:
    """Variables that a function counts with."""
    steps = (e.operand for e in own if isinstance(e, c.IncDec))
    return frozenset(e.variable for e in steps if isinstance(e, c.Name))


def _given(program: c.Program, name: str, own: tuple[c.Expr, ...]) -> Iterator[tuple[c.CType, c.Expr]]:
    """(type, value) wherever a value gets another type by itself or by a cast."""
    for v in program.variables:
        if v.function == name and v.init is not None:
            yield v.type, v.init
    for node in own:
        match node:
            case c.Assign(op="=" | "+=" | "-=" | "|=", target=target, value=value):
                yield target.type, value
            case c.Cast(operand=operand):
                yield node.type, operand
            case c.Binary(op="+" | "-" | "*" | "|" | "/"):
                yield node.type, node.left
                yield node.type, node.right
    for stmt in c.walk_statements(program.functions[name].body):
        if isinstance(stmt, c.Return) and stmt.value is not None:
            yield program.functions[name].return_type, stmt.value


def _kept(
    program: c.Program, kind: c.CType, value: c.Expr, counters: frozenset[int]
) -> Iterator[tuple[c.Expr, str, str]]:
    """What a value has lost before it gets a type."""
    of = value.type
    if isinstance(value, c.Cast) and isinstance(kind, c.ScalarType) and kind.kind == "int" and kind.bits > 32:
        whole, method = value.operand.type, _METHOD.search(program.text(value.at))
        fits = isinstance(value.operand, c.Binary) and value.operand.op in _LESS
        if (
            method is not None
            and not fits
            and isinstance(whole, c.ScalarType)
            and whole.kind == "int"
            and whole.bits > 32
        ):
            hint = f"call {method[1]}64()"
            yield value, f"keeps 32 of {whole.bits} bits, and {kind.name} has room for more", hint
    joined = of.bits if isinstance(of, c.ScalarType) and _is_joined(value) else 0
    if isinstance(of, c.ScalarType) and isinstance(kind, c.ScalarType) and kind.library and 0 < kind.bits < joined:
        yield value, f"has {of.bits} bits, of which {kind.name} keeps {kind.bits}", "take a type of all bits"
    if not isinstance(value, c.Binary) or not isinstance(kind, c.ScalarType) or not isinstance(of, c.ScalarType):
        return
    if of.kind != "int":
        return
    if value.op == "/" and kind.kind in ("float", "fixed") and _has_data(program, value, counters):
        over = _of_values(value.left)
        below = constant(program, value.right)
        if constant(program, value.left) is None and below is None and not over & counters:
            yield (
                value,
                f"is a quotient of integers: its fraction is gone before {kind.name} gets it",
                "convert an operand",
            )
    wider = kind.kind == "int" and kind.bits > of.bits == 32 and of.library is None
    data = wider and _has_data(program, value, counters)
    sides = sorted(_bits(program, e) for e in (value.left, value.right))
    if data and value.op == "*" and sum(sides) > 32 and sides[0] > 1:
        hint = f"convert an operand to {kind.name} before the multiplication"
        if all(constant(program, e) is None for e in (value.left, value.right)):
            yield value, f"is a product of 32 bits, of which {kind.name} gets no more", hint
    if data and value.op == "<<":
        by, bits = constant(program, value.right), _bits(program, value.left)
        if by is not None and of.signed and not _is_signed(value.left) and by < 32 < by + bits + 1 and bits <= 16:
            hint = f"convert it to {kind.name} before the shift"
            yield value, f"reaches the sign of an int, which {kind.name} repeats in its upper bits", hint


def _is_joined(value: c.Expr) -> bool:
    return isinstance(value, c.OpaqueExpr) and value.what == c.CONCATENATION


def _of_values(expr: c.Expr) -> frozenset[int]:
    """Variables of which a value is worked out; what only says which element is none."""
    if isinstance(expr, c.Name):
        return frozenset((expr.variable,))
    inner = () if isinstance(expr, c.ArrayRef) else (expr.base,) if isinstance(expr, c.Subscript) else c.children(expr)
    return frozenset(v for e in inner for v in _of_values(e))


def _has_data(program: c.Program, value: c.Binary, counters: frozenset[int]) -> bool:
    """Whether what is worked with comes from an array, a stream or a variable that is no counter."""
    for node in c.walk(value):
        if isinstance(node, (c.ArrayRef, c.Call, c.Subscript)):
            return True
    names = {e.variable for e in c.walk(value) if isinstance(e, c.Name)}
    return value.op == "/" and bool(names - counters) and len(names) > 1


def _narrow_sum(node: c.Expr) -> Iterator[tuple[c.Expr, str, str]]:
    """Products that are added up in a number of no more bits than one operand has."""
    match node:
        case c.Assign(op="+=", target=c.Name(type=c.ScalarType() as kind), value=c.Binary(op="*") as value):
            sides = [e.type for e in (value.left, value.right) if isinstance(e, (c.ArrayRef, c.Name))]
            own = [t for t in sides if isinstance(t, c.ScalarType) and t.kind == "int" and t.library is not None]
            small = kind.kind == "int" and kind.library is not None and 1 < kind.bits < 32
            if small and len(own) == 2 and kind.bits <= max(t.bits for t in own) and min(t.bits for t in own) > 1:
                bits = own[0].bits + own[1].bits
                yield value, f"has {bits} bits, of which the sum keeps {kind.bits}", "add up in a wider type"


class _Narrow(Struct):
    """A variable of few bits: its values, the terms that are added to it, and where it goes as it is."""

    kind: c.ScalarType
    values: list[c.Expr] = field(default_factory=list)
    terms: list[c.Expr] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    divided: bool = False
    other: bool = False  # changed in another way


def _narrow_between(program: c.Program, name: str, own: tuple[c.Expr, ...]) -> Iterator[tuple[c.Expr, str, str]]:
    """Products, and sums of data, in a variable that is narrower than they are and than what it is given to."""
    for narrow in _narrow(program, name, own):
        kind, data = narrow.kind, [x for x in narrow.values if constant(program, x) is None]
        room = f"take a wider type: {min(narrow.taken)} has room for it" if narrow.taken else "add up in a wider type"
        products = [x for x in data if isinstance(x, c.Binary) and x.op == "*" and _is_of_data(x, kind)]
        bits = [_bits(program, x.left) + _bits(program, x.right) - _are_signed(x) for x in products]
        whole = bool(products) and len(products) == len(data) and min(bits) > kind.bits and not narrow.terms
        if whole and narrow.taken:
            yield products[0], f"has {bits[0]} bits, of which {kind.name} keeps {kind.bits}", room
        sums = [x for x in narrow.terms if isinstance(x, (c.ArrayRef, c.Call)) and _bits(program, x) >= kind.bits]
        if kind.library is not None and sums and not data and (narrow.taken or narrow.divided):
            yield sums[0], f"has {_bits(program, sums[0])} bits, and so has the sum of many of them", room


def _narrow(program: c.Program, name: str, own: tuple[c.Expr, ...]) -> list[_Narrow]:
    """The local numbers of few bits of a function that get values and sums alone."""
    numbers: dict[int, _Narrow] = {}
    for v in program.variables:
        local = v.function == name and v.storage == "local" and not v.reference
        if local and isinstance(v.type, c.ScalarType) and v.type.kind == "int" and _has_few_bits(v.type):
            numbers[v.id] = _Narrow(v.type, [v.init] if v.init is not None else [])
    operands = {x.at for e in own if isinstance(e, c.Binary) for x in (e.left, e.right)} if numbers else set()
    for node in own if numbers else ():
        match node:
            case c.Assign(op=op, target=c.Name(variable=ident), value=value) if ident in numbers:
                (numbers[ident].terms if op == "+=" else numbers[ident].values).append(value)
                numbers[ident].other |= op not in ("=", "+=")
            case c.IncDec(operand=c.Name(variable=ident)) if ident in numbers:
                numbers[ident].other = True
            case c.Binary(op="/" | ">>", left=c.Name(variable=ident)) if ident in numbers:
                numbers[ident].divided = True
    for kind, value in _given(program, name, own) if numbers else ():
        whole = isinstance(value, c.Name) and value.variable in numbers and value.at not in operands
        if isinstance(value, c.Name) and whole and isinstance(kind, c.ScalarType) and kind.kind == "int":
            numbers[value.variable].taken |= {kind.name} if kind.bits > numbers[value.variable].kind.bits else set()
    return [x for x in numbers.values() if not x.other and (x.taken or x.divided)]


def _has_few_bits(kind: c.ScalarType) -> bool:
    """Of C's numbers those without a sign are meant to wrap."""
    return 1 < kind.bits < (64 if kind.library is not None else 32) and (kind.library is not None or kind.signed)


def _is_of_data(product: c.Binary, kind: c.ScalarType) -> bool:
    """Whether two numbers of no more bits than a type are multiplied; of C's types, two elements of arrays."""
    sides, plain = (product.left, product.right), kind.library is None
    if not all(isinstance(x, c.ArrayRef) or (isinstance(x, c.Name) and not plain) for x in sides):
        return False
    return all(isinstance(x.type, c.ScalarType) and x.type.kind == "int" and x.type.bits <= kind.bits for x in sides)


def _are_signed(product: c.Binary) -> bool:
    """Whether only the product of the two least values needs the last bit."""
    kinds = (product.left.type, product.right.type)
    return all(isinstance(k, c.ScalarType) and k.signed and k.library is not None for k in kinds)


def _bits(program: c.Program, expr: c.Expr) -> int:
    """The bits that an operand needs at most."""
    kind = expr.type
    if (isinstance(expr, c.Binary) and expr.op in _TRUTHS) or (isinstance(expr, c.Unary) and expr.op == "!"):
        return 1
    if isinstance(expr, c.Const) and isinstance(expr.value, int):
        return max(1, expr.value.bit_length())
    if isinstance(expr, c.Unary) and expr.op == "-":
        return _bits(program, expr.operand)
    if isinstance(expr, c.Conditional):
        return max(_bits(program, expr.then), _bits(program, expr.other))
    if isinstance(expr, c.Binary) and expr.op in ("+", "-"):
        sides = _bits(program, expr.left), _bits(program, expr.right)
        return min(max(sides) + 1, kind.bits if isinstance(kind, c.ScalarType) else 64)
    if isinstance(expr, c.Binary) and expr.op == "*":
        sides = _bits(program, expr.left), _bits(program, expr.right)
        return min(sum(sides), kind.bits if isinstance(kind, c.ScalarType) else 64)
    if isinstance(expr, c.Cast) and isinstance(expr.operand.type, c.ScalarType) and expr.operand.type.kind in _WHOLE:
        return min(_bits(program, expr.operand), kind.bits if isinstance(kind, c.ScalarType) else 64)
    if isinstance(expr, c.Binary) and expr.op in ("&", "%"):
        masks = [v for e in (expr.left, expr.right) if (v := constant(program, e)) is not None and v >= 0]
        if masks:
            return min(masks).bit_length()
    if isinstance(expr, c.Binary) and expr.op == ">>" and (by := constant(program, expr.right)) is not None:
        return max(1, _bits(program, expr.left) - by)
    return kind.bits if isinstance(kind, c.ScalarType) else 64


def _is_signed(expr: c.Expr) -> bool:
    """Whether what C makes an int of has a sign of its own, which is then in its place."""
    of = expr.operand.type if isinstance(expr, c.Cast) else expr.type
    return isinstance(of, c.ScalarType) and of.signed


def _unsigned(program: c.Program, node: c.Expr) -> Iterator[tuple[c.Expr, str, str]]:
    """A difference of unsigned numbers of C that is asked for its sign."""
    if isinstance(node, c.Call) and (node.function or "") in _ABS and len(node.args) == 1:
        of, in_c = node.args[0].type, node.at.kind == "plain" and not program.is_cxx(node.at.span.path)
        back = (
            in_c
            and isinstance(of, c.ScalarType)
            and of.bits <= {"abs": 32, "labs": 64, "llabs": 64}.get(node.function or "", 0)
        )  # C converts it to a signed number first
        if _unsigned_difference(node.args[0]) and not back:
            yield (
                node,
                "is of an unsigned difference, which is never negative",
                "take signed operands, or compare first",
            )
        if node.function == "abs" and in_c and isinstance(of, c.ScalarType) and of.kind == "float":
            yield node, "makes a whole number of its argument first: abs of C is of int", "call fabsf"
    said = _SAID.get(node.op) if isinstance(node, c.Binary) and _unsigned_difference(node.left) else None
    if said is not None and isinstance(node, c.Binary) and constant(program, node.right) == 0:
        yield node, f"is {said} true: the difference is unsigned", "compare the two operands with each other"


def _unsigned_difference(expr: c.Expr) -> bool:
    of = expr.type
    plain = isinstance(of, c.ScalarType) and of.kind == "int" and not of.signed and of.library is None
    return isinstance(expr, c.Binary) and expr.op == "-" and plain


def _root_written(expr: c.Expr) -> tuple[int, object, bool] | None:
    return root_of(expr.target) if isinstance(expr, c.Assign) else None


def _bits_of_a_float(program: c.Program, node: c.Expr, written: set[int]) -> Iterator[tuple[c.Expr, str, str]]:
    """The exponent of a float, taken from a number that a cast has made of it."""
    if not isinstance(node, c.Binary) or node.op != ">>" or constant(program, node.right) not in (23, 52):
        return
    of = node.left
    if isinstance(of, c.Name) and of.variable not in written:
        of = program.variable(of.variable).init or of
    match of:
        case c.Cast(type=c.ScalarType(kind="int"), operand=operand):
            scaled = any(isinstance(e, (c.Binary, c.Call)) for e in c.walk(operand))  # a fixed-point number
            if isinstance(operand.type, c.ScalarType) and operand.type.kind == "float" and not scaled:
                hint = "take the bits by a union or by fp_struct"
                yield node, "is no exponent: the cast has made a whole number of the float, and not its bits", hint
