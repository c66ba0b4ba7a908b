"""A copy of memory that counts elements, or the size of a pointer.

## What it does
Reports `memcpy`, `memmove` and `memset` whose size is `sizeof` of an argument that is a pointer, or the number of
elements of an array whose elements are larger than a byte, or that number times `sizeof` of another type; `memset` of
such elements to a value but 0 or -1; `memcpy` between parts of one array that overlap; and copies of more bytes than
a local array has. And `sizeof(a) / sizeof(a[0])` of such an argument.

## Why is this bad
The size is in bytes: only a part of the data is copied, in simulation as in hardware.

## Example
```c
#include <string.h>
void f(const int A[64], int B[64]) {
  int t[64];
  memcpy(t, A, sizeof(A));
  for (int i = 0; i < 64; i++) B[i] = t[i];
}
```

## Use instead
```c
#include <string.h>
void f(const int A[64], int B[64]) {
  int t[64];
  memcpy(t, A, sizeof(t));
  for (int i = 0; i < 64; i++) B[i] = t[i];
}
```

## Vitis message it predicts
None: the text is valid.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import (
    ArrayRef,
    Binary,
    Call,
    Cast,
    Expr,
    Name,
    PointerType,
    ScalarType,
    SizeOf,
    Unary,
    Variable,
    storage_bits,
    walk,
)
from hlspart.rules._base import Facts, Rule
from hlspart.rules._traces import constant
from hlspart.rules._uses import calls, nodes, root_of

RULE = Rule("HLP442", "copy-size", "warning")
_COPIES = ("memcpy", "memmove", "memset")
_BYTES = (None, 0, -1, 255)  # unknown, or the same in every byte of a number that people mean


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Calls of the functions of string.h."""
    for function in facts.program.functions.values():
        for node in nodes(facts.program)[function.name]:
            if (other := _count_of_another(facts, node)) is not None:
                own = other[0].storage == "parameter" and not other[0].reference
                hint = f"write sizeof({other[0].name}) / sizeof({other[0].name}[0])"
                hint = "hand over the number of elements" if own else hint
                yield facts.report(RULE, node.at, other[1], hint, [(other[0].at, "declared here")])
        for call in (e for e in calls(facts.program)[function.name] if len(e.args) == 3):
            name = (call.function or "").removeprefix("std.").removeprefix("std::")
            fault = (
                (_fault(facts, call) or _onto_itself(facts, call) or _past_end(facts, call))
                if name in _COPIES
                else None
            )
            if fault is not None:
                variable, words, hint = fault
                yield facts.report(RULE, call.at, f"{name}: {words}", hint, [(variable.at, "declared here")])


def _count_of_another(facts: Facts, node: Expr) -> tuple[Variable, str] | None:
    """`sizeof(a) / sizeof(int)` where the elements of `a` have another size."""
    over = node.left if isinstance(node, Binary) and node.op == "/" else None
    under = node.right if isinstance(node, Binary) else None
    of = over.operand if isinstance(over, SizeOf) else None
    given = facts.program.variable(of.variable) if isinstance(of, Name) else None
    pointer = given is not None and bool(given.dims or isinstance(given.type, PointerType)) and not given.reference
    if given is not None and pointer and given.storage == "parameter" and isinstance(under, SizeOf):
        return given, f"sizeof({given.name}) is the size of a pointer: '{given.name}' is an argument"
    variable = _whole(facts, of) if of is not None else None
    array = variable.as_array if variable is not None and variable.dims else None
    if variable is None or array is None or not isinstance(under, SizeOf) or under.operand is not None:
        return None
    bits, size = storage_bits(array.element), under.value
    rows = len(array.dims) > 1 or bits == 8 or size == 1  # of bytes: how many words they make, or how many bytes
    if bits is None or size is None or rows or bits // 8 == size or not isinstance(array.element, ScalarType):
        return None
    return variable, f"the elements of '{variable.name}' have {bits // 8} bytes, and not {size}"


def _fault(facts: Facts, call: Call) -> tuple[Variable, str, str] | None:
    size = call.args[2]
    for node in walk(size):
        inner = node.operand if isinstance(node, SizeOf) else None
        variable = facts.program.variable(inner.variable) if isinstance(inner, Name) else None
        if variable is None or variable.storage != "parameter" or variable.reference:
            continue
        if variable.dims or isinstance(variable.type, PointerType):
            words = f"sizeof({variable.name}) is the size of a pointer: '{variable.name}' is an argument"
            return variable, words, f"write the number of elements * sizeof(*{variable.name})"
    filled = _whole(facts, call.args[0]) if (call.function or "").endswith("memset") else None
    element = filled.as_array.element if filled is not None and filled.as_array is not None else None
    value = constant(facts.program, call.args[1]) if element is not None else None
    if filled is not None and element is not None and (storage_bits(element) or 0) > 8 and value not in _BYTES:
        return filled, f"each byte of '{filled.name}' becomes {value}, not each element", "write a loop"
    if any(isinstance(node, SizeOf) for node in walk(size)):
        return _of_another_type(facts, call)
    count = constant(facts.program, size)
    for side in call.args[:2]:
        variable = _whole(facts, side)
        array = variable.as_array if variable is not None else None
        if variable is None or array is None or not array.dims or (storage_bits(array.element) or 0) <= 8:
            continue
        if count is not None and count > 1 and count == prod(n or 0 for n in array.dims):
            words = f"{count} is the number of elements of '{variable.name}', not of its bytes"
            return variable, words, f"write {count} * sizeof({variable.name}[0])"
    return None


def _of_another_type(facts: Facts, call: Call) -> tuple[Variable, str, str] | None:
    """A number of `sizeof` of a type that the elements of neither side have."""
    size, roots = call.args[2], [root_of(side) for side in call.args[:2]]
    each = [_bytes(facts.program.variable(r[0])) if r is not None else None for r in roots]
    types = [node for node in walk(size) if isinstance(node, SizeOf)]
    one = types[0].value if len(types) == 1 and types[0].operand is None else None
    factors = isinstance(size, Binary) and size.op == "*" and types[0] in (size.left, size.right)
    if one is None or one < 2 or not factors or each[0] is None or each[0] != each[1] or one == each[0]:
        return None
    variable, total = facts.program.variable((roots[0] or (0,))[0]), constant(facts.program, size)
    if not all(_is_of_numbers(facts.program.variable(r[0])) for r in roots if r is not None):
        return None
    whole = each[0] * prod(n or 0 for n in variable.dims)
    if total is None or total == whole or total % one or total // one != whole // each[0]:
        return None  # as many bytes may be meant
    return (
        variable,
        f"the elements of '{variable.name}' have {each[0]} bytes, and not {one}",
        "write sizeof of an element",
    )


def _is_of_numbers(variable: Variable) -> bool:
    return variable.as_array is not None and isinstance(variable.as_array.element, ScalarType)


def _onto_itself(facts: Facts, call: Call) -> tuple[Variable, str, str] | None:
    """memcpy between two parts of one array that overlap: C leaves open what comes of it."""
    sides = [_offset(facts, side) for side in call.args[:2]]
    size = constant(facts.program, call.args[2])
    if size is None or not (call.function or "").endswith("memcpy"):
        return None
    to, of = sides
    if to is None or of is None or to[0] is not of[0] or not 0 < abs(to[1] - of[1]) < size:
        return None
    words = f"source and target are both in '{to[0].name}' and overlap"
    return to[0], words, "use a loop that begins at the end that is overwritten, or memmove"


def _past_end(facts: Facts, call: Call) -> tuple[Variable, str, str] | None:
    """More bytes than there are in a local array from the address on."""
    size = constant(facts.program, call.args[2])
    for side in call.args[:2] if size is not None else ():
        place = _offset(facts, side)
        variable, at = place if place is not None else (None, 0)
        each = _bytes(variable) if variable is not None and variable.storage != "parameter" else None
        if variable is None or each is None or None in variable.dims or 0 in variable.dims:
            continue
        if isinstance(variable.type, PointerType):
            continue  # what it points to is of another size
        if not _is_of_numbers(variable):
            continue  # the members of a record may stand apart
        left = each * prod(n or 0 for n in variable.dims) - at
        if size is not None and left < size:
            words = f"{size} bytes are more than the {left} of '{variable.name}'"
            return variable, words, "copy as many bytes as both sides have"
    return None


def _offset(facts: Facts, expr: Expr) -> tuple[Variable, int] | None:
    """(array, bytes from its first element) of an address with constant indices."""
    match expr:
        case Cast(operand=inner) | Unary(op="&", operand=inner):
            return _offset(facts, inner)
        case Binary(op="+" | "-" as op, left=left, right=right):
            below, by = _offset(facts, left), constant(facts.program, right)
            size = _bytes(below[0]) if below is not None else None
            if below is None or by is None or size is None or len(below[0].dims) != 1:
                return None
            return below[0], below[1] + (by if op == "+" else -by) * size
        case Name(variable=ident):
            return facts.program.variable(ident), 0
        case ArrayRef(variable=ident, indices=indices):
            variable = facts.program.variable(ident)
            size, at = _bytes(variable), 0
            for extent, index in zip(variable.dims, (*indices, *[None] * len(variable.dims)), strict=False):
                value = constant(facts.program, index) if index is not None else 0
                if extent is None or value is None:
                    return None
                at = at * extent + value
            return (variable, at * size) if size is not None else None
    return None


def _bytes(variable: Variable) -> int | None:
    bits = storage_bits(variable.as_array.element) if variable.as_array is not None else None
    return bits // 8 if bits is not None and bits % 8 == 0 else None


def _whole(facts: Facts, expr: Expr) -> Variable | None:
    """The array of which an argument is the first element."""
    root = root_of(expr)
    return facts.program.variable(root[0]) if root is not None and root[1] in ((), (0,)) and root[2] else None
