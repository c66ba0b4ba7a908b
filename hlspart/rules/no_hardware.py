"""Something that cannot become hardware.

## What it does
Reports in functions that directives are about and in what they call: memory from the heap (`malloc`, `calloc`,
`realloc`, `new`), calls of the operating system (files, input, time), `setjmp`, containers of the standard library,
pointers to functions and `qsort`, which calls one, any number of arguments, instructions of a processor and what a
compiler counts bits by, `long double`, a local array whose pointer is cast to structures or to integers of a library;
and pointers to pointers and unions as arguments of a top function with ports.

## Why is this bad
Memories of hardware have their size when it is built, it has no operating system, and a port carries no pointers.

## Example
```c
#include <stdlib.h>
void f(int A[16]) {
#pragma HLS interface ap_memory port=A
  int *t = (int *)malloc(16 * sizeof(int));
  for (int i = 0; i < 16; i++) t[i] = A[i];
  A[0] = t[15];
}
```

## Use instead
```c
void f(int A[16]) {
#pragma HLS interface ap_memory port=A
  int t[16];
  for (int i = 0; i < 16; i++) t[i] = A[i];
  A[0] = t[15];
}
```

## Vitis message it predicts
One that dynamic memory, a system call, a pointer to a function or an argument with pointers to pointers is not
supported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import CALLING_BACK, COUNTING, GROWING, HEAP, LEAVING, LIBRARY, RUNNING, SYSTEM, hardware
from hlspart.rules._interfaces import callers, interfaces
from hlspart.rules._uses import calls, nodes, root_of

RULE = Rule("HLP616", "no-hardware", "error")
_CONDITION = re.compile(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|else|elif|endif)\b[^\n]*", re.M)
_SIMULATED = re.compile(r"[ \t]*#[ \t]*if(?:ndef[ \t]+|[ \t]*![ \t]*defined[ \t]*\(?[ \t]*)\w*(?:SYNTHESIS)")
_ANY_NUMBER = re.compile(r",\s*\.\.\.\s*\)")
_COPIES = ("memcpy", "memmove", "memset")  # they take any pointer


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Functions of the hardware."""
    program = facts.program
    made = [
        f
        for f in hardware(program)
        if not _is_simulated(facts, program.functions[f]) and not _is_only_inlined(facts, f)
    ]
    for name in made:
        yield from _calls(facts, program.functions[name])
        yield from _expressions(facts, name)
    for variable in program.variables:
        if variable.function in made:
            yield from _declared(facts, variable)
    for function in dict.fromkeys(d.function for d, _ in interfaces(facts)):
        top = function in facts.analysis.tops and function != "main"  # a test bench may have pragmas, too
        for ident in program.functions[function or ""].params if top else ():
            variable = program.variable(ident)
            if isinstance(variable.type, c.PointerType) and isinstance(variable.type.target, c.PointerType):
                message = f"'{variable.name}' is a pointer to pointers, which no port carries"
                yield facts.report(RULE, variable.at, message, "hand over one array and its extents")
            element = variable.as_array.element if variable.as_array is not None else variable.type
            if isinstance(element, c.StructType) and element.union:
                message = f"'{variable.name}' is a union, which no port carries"
                yield facts.report(RULE, variable.at, message, "hand over the bits as one integer")


def _is_only_inlined(facts: Facts, name: str) -> bool:
    """Whether INLINE is all that is said of a function that nothing here calls: a library's, which a host may use."""
    said = {d.kind for d in facts.program.directives if d.function == name}
    return said == {"inline"} and name not in callers(facts.program)


def _is_simulated(facts: Facts, function: c.Function) -> bool:
    """Whether a function stands where a macro of synthesis is asked not to be defined: `#ifndef X_SYNTHESIS`."""
    source = facts.program.sources.get(function.at.span.path)
    groups = list[bool]()
    for line in _CONDITION.finditer(source.text, 0, function.at.span.start) if source is not None else ():
        word = line.group(1)
        if word.startswith("if"):
            groups.append(_SIMULATED.match(line.group()) is not None)
        elif word == "endif":
            groups = groups[:-1]
        elif groups:
            groups[-1] = False
    return any(groups)


def _calls(facts: Facts, function: c.Function) -> Iterator[Diagnostic]:
    if function.body.body and _ANY_NUMBER.search(facts.program.text(function.signature)) is not None:
        message = f"{function.name}() takes any number of arguments, which hardware does not"
        yield facts.report(RULE, function.name_at, message, "hand over an array and its extent")
    for call in calls(facts.program)[function.name]:
        name = (call.function or "").rpartition("::")[2]
        if call.function in facts.program.functions:
            continue
        if name in HEAP and (name != "new" or call.function == name):  # a class's own `new` is its constructor
            message = f"{name}() takes memory from the heap, which hardware does not have"
            yield facts.report(RULE, call.at, message, "declare an array of the greatest size")
        elif name in ("alloca", "__builtin_alloca"):
            message = f"{name}() takes memory of a size that is known as it runs, which hardware does not have"
            yield facts.report(RULE, call.at, message, "declare an array of the greatest size")
        elif name in LIBRARY:
            message = f"{name}() has its state in the C library, which hardware does not have"
            yield facts.report(RULE, call.at, message, "write a shift register with feedback")
        elif name in CALLING_BACK:
            message = f"{name}() calls a function by a pointer, which hardware does not do"
            yield facts.report(RULE, call.at, message, "write the loop, which calls the function by its name")
        elif name in LEAVING:
            message = f"{name}() jumps between functions, which hardware cannot"
            yield facts.report(RULE, call.at, message, "give a status back")
        elif name in COUNTING:
            message = f"{name}() is no operator of hardware; of the compiler's, __builtin_clz and __builtin_ctz are"
            yield facts.report(RULE, call.at, message, "write a loop over the bits, and unroll it", severity="warning")
        elif name.startswith(("_mm_", "_mm256_", "_mm512_", "__builtin_ia32_")):
            message = f"{name}() is an instruction of a processor, which hardware does not have"
            yield facts.report(RULE, call.at, message, "write a loop over the lanes, and unroll it")
        elif name in SYSTEM or (name == "now" and "chrono" in facts.program.text(call.at)):
            message = f"{name}() asks the operating system, which hardware does not have"
            yield facts.report(RULE, call.at, message, "hand the values over as arguments, or guard it: __SYNTHESIS__")


def _expressions(facts: Facts, name: str) -> Iterator[Diagnostic]:
    """Instructions of a processor, and local arrays seen as elements of another type."""
    own, seen = nodes(facts.program)[name], set[int]()
    copied = {arg for e in own if isinstance(e, c.Call) and (e.function or "").endswith(_COPIES) for arg in e.args}
    for node in own:
        if isinstance(node, c.OpaqueExpr) and node.what == "an asm statement" and node.children:
            message = "instructions of a processor, which hardware does not have"
            yield facts.report(RULE, node.at, message, "write what they do in C, or guard them: __SYNTHESIS__")
        root = root_of(node.operand) if isinstance(node, c.Cast) and isinstance(node.type, c.PointerType) else None
        variable = facts.program.variable(root[0]) if root is not None else None
        array = variable.as_array if variable is not None else None
        if variable is not None and array is None and isinstance(node, c.Cast):
            yield from _as_words(facts, node, variable)
        records = array is not None and isinstance(array.element, c.StructType) and not array.element.union
        if variable is not None and variable.storage not in ("local", "static") and not (records and variable.dims):
            continue  # words of a port may be seen as wider ones
        target = node.type.target if isinstance(node.type, c.PointerType) else None
        if variable is None or array is None or target is None or root is None or root[1]:
            continue
        element = array.element
        special = isinstance(element, c.StructType) or _of_library(target) or _of_library(element)
        if variable.id in seen or node in copied or _are_alike(element, target):
            continue
        if special and isinstance(target, (c.ScalarType, c.StructType)):
            seen.add(variable.id)
            message = (
                f"'{variable.name}' is seen as elements of another type, which the tool does for plain types alone"
            )
            hint = "write its elements one by one, with range() or a union of two scalars"
            yield facts.report(RULE, node.at, message, hint, [(variable.at, "the array")], severity="warning")


def _as_words(facts: Facts, node: c.Cast, variable: c.Variable) -> Iterator[Diagnostic]:
    """A local structure whose address is seen as that of numbers."""
    target = node.type.target if isinstance(node.type, c.PointerType) else None
    whole = isinstance(node.operand, c.Unary) and node.operand.op == "&" and isinstance(node.operand.operand, c.Name)
    kind = variable.type
    record = isinstance(kind, c.StructType) and not kind.union and variable.storage == "local"
    if whole and record and isinstance(target, c.ScalarType):
        message = f"'{variable.name}' is a structure and seen as numbers, which the tool does for plain types alone"
        hint = "give its members their values one by one"
        yield facts.report(RULE, node.at, message, hint, [(variable.at, "the structure")], severity="warning")


def _are_alike(one: c.CType, other: c.CType) -> bool:
    """Whether two types are one, or numbers of one size that a register holds."""
    numbers = isinstance(one, c.ScalarType) and isinstance(other, c.ScalarType)
    return one == other or (
        numbers and c.storage_bits(one) == c.storage_bits(other) and (c.storage_bits(one) or 65) <= 64
    )


def _of_library(kind: c.CType) -> bool:
    return isinstance(kind, c.ScalarType) and kind.library is not None


def _declared(facts: Facts, variable: c.Variable) -> Iterator[Diagnostic]:
    kind = variable.as_array.element if variable.as_array is not None else variable.type
    members = [t for _, t in kind.members] if isinstance(kind, c.StructType) else [kind]
    wide = next((t for t in members if isinstance(t, c.ScalarType) and t.kind == "float" and t.bits > 64), None)
    if wide is not None:
        whole = "a" if wide is kind else "made of"
        message = f"'{variable.name}' is {whole} {wide.name}, for which hardware has no operators"
        yield facts.report(RULE, variable.at, message, "take double, or ap_fixed")
    port = variable.storage == "parameter" and variable.function in facts.analysis.tops
    if port and isinstance(kind, c.OtherType) and "_Complex" in kind.name:
        message = f"'{variable.name}' is a {kind.name}, which no port carries"
        yield facts.report(RULE, variable.at, message, "take std::complex, or two numbers")
    if isinstance(kind, c.OtherType) and kind is not variable.type and kind.name == "function pointer":
        message = f"'{variable.name}' has pointers to functions: hardware knows each function that it calls"
        yield facts.report(RULE, variable.at, message, "call the functions by name, in the arms of a test")
    if not isinstance(variable.type, c.OtherType) or not variable.declarations:
        return
    at, source = variable.declarations[0].specifiers, facts.program.sources.get(variable.at.span.path)
    written = source.text[at.span.start : at.span.end] if source is not None else ""
    if variable.type.name == "function pointer":
        message = f"'{variable.name}' is a pointer to functions: hardware knows each function that it calls"
        yield facts.report(RULE, variable.at, message, "call the functions by name, in the arms of a test")
    elif (asks := RUNNING.search(written)) is not None:
        message = f"'{variable.name}': std::{asks[1]} asks the operating system, which hardware does not have"
        yield facts.report(RULE, variable.at, message, "keep it in the host's program")
    elif (grows := GROWING.search(written)) is not None:
        message = f"'{variable.name}': std::{grows[1]} takes memory as it grows, which hardware does not have"
        yield facts.report(RULE, variable.at, message, "declare an array of the greatest size")
