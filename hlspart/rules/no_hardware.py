"""Something that cannot become hardware.

## What it does
Reports memory from the heap (`malloc`, `calloc`, `realloc`, `new`) in functions that directives are about and in
what they call, and pointers to pointers as arguments of a top function with ports.

## Why is this bad
Memories of hardware have their size when it is built, and a port carries no pointers.

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
One that dynamic memory, or an argument with pointers to pointers, is not supported.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._interfaces import interfaces
from hlspart.rules._processes import own_expressions

RULE = Rule("HLP616", "no-hardware", "error")
_HEAP = ("malloc", "calloc", "realloc", "new")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Functions of the hardware."""
    program = facts.program
    about = [d.function for d in program.directives if d.dialect == "vitis" and d.usable and d.source == "pragma"]
    seen = {f for f in about if f is not None and f in program.functions and f != "main"}
    todo = sorted(seen)
    while todo:
        body = program.functions[todo.pop()].body
        calls = [x for e in own_expressions(program, body) for x in c.walk(e) if isinstance(x, c.Call)]
        for call in calls:
            name = (call.function or "").rpartition("::")[2]
            if name in program.functions and name not in seen:
                seen.add(name)
                todo.append(name)
            if call.function not in program.functions and name in _HEAP:
                message = f"{name}() takes memory from the heap, which hardware does not have"
                yield facts.report(RULE, call.at, message, "declare an array of the greatest size")
    for function in dict.fromkeys(d.function for d, _ in interfaces(facts)):
        for ident in program.functions[function or ""].params if function in facts.analysis.tops else ():
            variable = program.variable(ident)
            if isinstance(variable.type, c.PointerType) and isinstance(variable.type.target, c.PointerType):
                message = f"'{variable.name}' is a pointer to pointers, which no port carries"
                yield facts.report(RULE, variable.at, message, "hand over one array and its extents")
