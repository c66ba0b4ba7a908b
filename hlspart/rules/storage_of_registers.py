"""A memory is bound to an array that is partitioned completely.

## What it does
Reports BIND_STORAGE or RESOURCE on an array all of whose dimensions are partitioned completely.

## Why is this bad
A completely partitioned array is registers: there is no memory to bind, and the tool reports a conflict.

## Example
```c
void f(const int x[8], int y[8]) {
  int A[8];
#pragma HLS array_partition variable=A complete
#pragma HLS bind_storage variable=A type=ram_2p impl=bram
  for (int i = 0; i < 8; i++) A[i] = x[i];
  for (int i = 0; i < 8; i++) y[i] = A[7 - i];
}
```

## Use instead
```c
void f(const int x[8], int y[8]) {
  int A[8];
#pragma HLS array_partition variable=A complete
  for (int i = 0; i < 8; i++) A[i] = x[i];
  for (int i = 0; i < 8; i++) y[i] = A[7 - i];
}
```

## Vitis message it predicts
`[HLS 200-927]` or `[HLS 200-915]`, a conflict of the partition with the storage binding.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import ArrayType, StreamType
from hlspart.rules._base import Facts, Rule
from hlspart.rules._nests import active, is_of_member

RULE = Rule("HLP425", "storage-of-registers", "warning", hint="keep one of the two")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Bindings of registers."""
    complete: dict[int, set[int]] = {}
    where = {}
    for d in (*active(facts.program, "array_partition"), *active(facts.program, "array_reshape")):
        if d.choice("type", ("cyclic", "block", "complete")) in (None, "complete"):
            for ident in d.variables:
                rank = len(facts.program.variable(ident).dims)
                dim = d.values.get("dim", 1)
                complete.setdefault(ident, set()).update(range(1, rank + 1) if dim == 0 else (dim,))
                where[ident] = d
    for d in [*active(facts.program, "bind_storage"), *active(facts.program, "resource")]:
        for ident in d.variables:
            variable = facts.program.variable(ident)
            whole = bool(variable.dims) and complete.get(ident, set()) >= set(range(1, len(variable.dims) + 1))
            fifos = isinstance(variable.type, ArrayType) and isinstance(variable.type.element, StreamType)
            if whole and not fifos and not is_of_member(d):
                first, second = sorted((d, where[ident]), key=lambda x: x.at.span.start)
                one_word = where[ident].kind == "array_reshape"
                what = "reshaped to one word: a register has" if one_word else "partitioned completely: registers have"
                message = f"'{variable.name}' is {what} no memory to bind"
                yield facts.report(RULE, second.at, message, None, [(first.at, "the other directive")])
