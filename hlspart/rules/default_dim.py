"""dim= is missing for an array of several dimensions.

## What it does
Reports a partition of a several-dimensional array without `dim`.

## Why is this bad
The default is the first dimension only; that all dimensions are partitioned is a common belief
(`dim=0` does that).

## Example
```c
void f(int A[4][4]) {
#pragma HLS array_partition variable=A complete
  for (int i = 0; i < 4; i++) A[i][0] = i;
}
```

## Use instead
```c
void f(int A[4][4]) {
#pragma HLS array_partition variable=A complete dim=1
  for (int i = 0; i < 4; i++) A[i][0] = i;
}
```

## Vitis message it predicts
`in dimension 1` in the message about the partition.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic, Fix
from hlspart.model.source import Edit, Span
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP406", "default-dim", "info")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Partitions that rely on the default dimension."""
    for _status, directive, variable in facts.partitions():
        if len(variable.dims) > 1 and directive.option("dim") is None:
            rank = len(variable.dims)
            message = f"'{variable.name}' has {rank} dimensions; without dim= only the first is partitioned"
            fix = None
            if facts.is_editable(directive) and len(directive.variables) == 1:
                end = directive.at.span.end
                edit = Edit(Span(directive.at.span.path, end, end), " dim=1")
                fix = Fix("say dim=1", (edit,), safe=True)
            yield facts.report(RULE, directive.at, message, "write dim=1, or dim=0 for all", fix=fix)
