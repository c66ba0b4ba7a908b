"""An access leaves its array.

## What it does
Reports an access for which an iteration with an index outside of the array is proved, with that
iteration.

## Why is this bad
The behaviour is undefined in C, and in hardware the address wraps or hits another element.

## Example
```c
void f(int A[16]) {
  for (int i = 0; i < 16; i++) A[i + 1] = i;
}
```

## Use instead
```c
void f(int A[16]) {
  for (int i = 0; i < 15; i++) A[i + 1] = i;
}
```

## Vitis message it predicts
`out of bound array access`, or none.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import ArrayType, Const, Subscript, walk
from hlspart.rules._base import Facts, Rule
from hlspart.rules._interfaces import depth_said
from hlspart.rules._uses import own_expressions

RULE = Rule("HLP210", "out-of-range", "error", hint="correct the bound or the index")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Accesses with a witness outside."""
    for access in facts.analysis.accesses:
        if access.witness is None:
            continue
        variable = facts.program.variable(access.array)
        if variable.volatile and not variable.dims:
            continue  # where such a pointer stands is not followed
        open_ = facts.program.functions[access.function].lacking or facts.lacks_header(access.at.span.path)
        if 0 in variable.dims and open_:
            continue  # an extent by a constant that nothing declares, or by values of a file that was not found
        where = ", ".join(f"{k} = {v}" for k, v in access.witness.items())
        extents = "".join(f"[{'' if d is None else d}]" for d in variable.dims)
        if depth_said(facts, variable) is not None:
            continue  # what the test bench gives: HLP419
        message = f"{access.kind} outside {variable.name}{extents}" + (f" at {where}" if where else "")
        yield facts.report(RULE, access.at, message, related=[(variable.at, "the array")])
    for function in facts.program.functions.values():
        for top in own_expressions(facts.program, function.body):
            for node in walk(top):
                if isinstance(node, Subscript) and isinstance(node.index, Const) and isinstance(node.index.value, int):
                    of = node.base.type
                    extent = of.dims[0] if isinstance(of, ArrayType) and of.dims else None
                    if extent is not None and not 0 <= node.index.value < extent:
                        text = " ".join(facts.program.text(node.at).split())
                        yield facts.report(RULE, node.at, f"'{text}' is outside of {extent} elements")
