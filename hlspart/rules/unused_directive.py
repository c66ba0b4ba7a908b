"""A directive on an array that nothing accesses.

## What it does
Reports an ARRAY_PARTITION of an array without any access in the given files.

## Why is this bad
It does nothing, or the array that was meant is another one.

## Example
```c
void f(int A[16], int B[16]) {
#pragma HLS array_partition variable=B complete
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Use instead
```c
void f(int A[16]) {
#pragma HLS array_partition variable=A complete
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Vitis message it predicts
`[HLS 200-916]` cannot locate the object, where it was optimised away.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP308", "unused-directive", "info")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Partitions of groups without an access."""
    used = {facts.analysis.group_of.get(a.array) for a in facts.analysis.accesses}
    for _status, directive, variable in facts.partitions():
        group = facts.analysis.group_of.get(variable.id)
        faults = [g.faults for g in facts.analysis.groups if g.id == group]
        if group is not None and group not in used and not any(faults):
            yield facts.report(RULE, directive.at, f"nothing accesses '{variable.name}'", "remove the directive")
