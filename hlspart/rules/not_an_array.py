"""A partition of something that is no array.

## What it does
Reports ARRAY_PARTITION, ARRAY_RESHAPE and BIND_STORAGE on scalars, streams and plain pointers.

## Why is this bad
There is nothing to partition; the pragma does nothing.

## Example
```c
int f(int A[16]) {
  int s = 0;
#pragma HLS array_partition variable=s complete
  for (int i = 0; i < 16; i++) s += A[i];
  return s;
}
```

## Use instead
```c
int f(int A[16]) {
  int s = 0;
#pragma HLS array_partition variable=A complete
  for (int i = 0; i < 16; i++) s += A[i];
  return s;
}
```

## Vitis message it predicts
An error that the variable is no array.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import OtherType, ScalarType
from hlspart.rules._base import Facts, Rule
from hlspart.rules._interfaces import interfaces
from hlspart.rules._mentions import declared

RULE = Rule("HLP404", "not-an-array", "error")
_LOCKS = ("read_lock<", "write_lock<")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule; partitions are judged where their banks are."""
    masters = {v: d for d, mode in interfaces(facts) if mode == "m_axi" for v in d.variables}
    for remark in facts.remarks("not-an-array"):
        named = declared(facts.program, remark.directive)
        if any(isinstance(v.type, OtherType) and v.type.name.startswith(_LOCKS) for v in named):
            continue  # it stands for the block that it gives access to
        problem, hint = remark.problem.message, remark.problem.hint
        related = [(v.at, "declared here") for v in named[:1]]
        if named and named[0].id in masters:
            problem, hint = f"'{named[0].name}' is an m_axi port, which has no banks", "copy it into a local array"
            related.append((masters[named[0].id].at, "the port"))
        yield facts.report(RULE, remark.problem.at, f"{facts.pragma_text(remark.directive)}: {problem}", hint, related)
    for d in facts.program.directives:
        for ident in d.variables if d.kind == "array_reshape" and d.usable else ():
            variable = facts.program.variable(ident)
            if isinstance(variable.type, ScalarType):
                message = f"ARRAY_RESHAPE: '{variable.name}' is no array"
                yield facts.report(RULE, d.at, message, "remove the pragma", [(variable.at, "declared here")])
