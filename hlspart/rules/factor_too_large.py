"""The factor exceeds the number of elements.

## What it does
Reports a factor above the extent of the dimension.

## Why is this bad
There are no more banks than elements; the tool clamps the factor or refuses it.

## Example
```c
void f(int A[16]) {
#pragma HLS array_partition variable=A cyclic factor=32
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Use instead
```c
void f(int A[16]) {
#pragma HLS array_partition variable=A cyclic factor=16
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Vitis message it predicts
A warning that the factor is larger than the dimension.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic, Fix
from hlspart.model.source import Edit
from hlspart.rules._base import Facts, Rule
from hlspart.rules._nests import active

RULE = Rule("HLP113", "factor-too-large", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule; a fix where one dimension is meant."""
    for remark in facts.remarks("factor-clamped"):
        directive, fix = remark.directive, None
        dim = directive.values.get("dim", 1)
        extents = {facts.program.variable(v).dims[dim - 1] for v in directive.variables} if dim > 0 else set()
        span = facts.option_span(directive, "factor")
        if span is not None and len(extents) == 1 and None not in extents:
            extent = extents.pop()
            fix = Fix(f"use factor={extent}", (Edit(span, f"factor={extent}"),), safe=True)
        message = f"ARRAY_PARTITION: {remark.problem.message}"
        yield facts.report(RULE, remark.problem.at, message, remark.problem.hint, fix=fix)
    for directive in active(facts.program, "array_reshape"):
        factor, dim = directive.values.get("factor"), directive.values.get("dim", 1)
        for variable in (facts.program.variable(v) for v in directive.variables if factor is not None and dim > 0):
            extent = variable.dims[dim - 1] if dim <= len(variable.dims) else None
            if factor is not None and extent is not None and factor > extent:
                message = f"ARRAY_RESHAPE: factor {factor} exceeds the {extent} elements of '{variable.name}'"
                hint, related = f"use factor={extent} or complete", [(variable.at, "the array")]
                yield facts.report(RULE, directive.at, message, hint, related)
