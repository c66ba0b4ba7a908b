"""Something that cannot become hardware.

## What it does
Reports in functions that directives are about and in what they call: memory from the heap (`malloc`, `calloc`,
`realloc`, `new`), calls of the operating system (files, input, time), containers of the standard library, pointers
to functions; and pointers to pointers and unions as arguments of a top function with ports.

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

from collections.abc import Iterator

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import GROWING, HEAP, LIBRARY, SYSTEM, calls, hardware
from hlspart.rules._interfaces import interfaces

RULE = Rule("HLP616", "no-hardware", "error")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Functions of the hardware."""
    program = facts.program
    built = hardware(program)
    for name in built:
        yield from _calls(facts, program.functions[name])
    for variable in program.variables:
        if variable.function in built:
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


def _calls(facts: Facts, function: c.Function) -> Iterator[Diagnostic]:
    for call in calls(facts.program, function):
        name = (call.function or "").rpartition("::")[2]
        if call.function in facts.program.functions:
            continue
        if name in HEAP:
            message = f"{name}() takes memory from the heap, which hardware does not have"
            yield facts.report(RULE, call.at, message, "declare an array of the greatest size")
        elif name in LIBRARY:
            message = f"{name}() has its state in the C library, which hardware does not have"
            yield facts.report(RULE, call.at, message, "write a shift register with feedback")
        elif name in SYSTEM:
            message = f"{name}() asks the operating system, which hardware does not have"
            yield facts.report(RULE, call.at, message, "hand the values over as arguments, or guard it: __SYNTHESIS__")


def _declared(facts: Facts, variable: c.Variable) -> Iterator[Diagnostic]:
    if not isinstance(variable.type, c.OtherType) or not variable.declarations:
        return
    at, source = variable.declarations[0].specifiers, facts.program.sources.get(variable.at.span.path)
    written = source.text[at.span.start : at.span.end] if source is not None else ""
    if variable.type.name == "function pointer":
        message = f"'{variable.name}' is a pointer to functions: hardware knows each function that it calls"
        yield facts.report(RULE, variable.at, message, "call the functions by name, in the arms of a test")
    elif (grows := GROWING.search(written)) is not None:
        message = f"'{variable.name}': std::{grows[1]} takes memory as it grows, which hardware does not have"
        yield facts.report(RULE, variable.at, message, "declare an array of the greatest size")
