"""A small array becomes registers anyway.

## What it does
Reports a complete partition of a local array that the target tool turns into registers by itself.

## Why is this bad
The pragma adds nothing and hides the ones that matter. The number of elements below which the tool
does so comes from the target's profile; larger arrays need the pragma.

## Example
```c
int f(int x) {
  int A[3];
#pragma HLS array_partition variable=A complete
  for (int i = 0; i < 3; i++) {
#pragma HLS unroll
    A[i] = x + i;
  }
  return A[0] + A[1] + A[2];
}
```

## Use instead
```c
int f(int x) {
  int A[3];
  for (int i = 0; i < 3; i++) {
#pragma HLS unroll
    A[i] = x + i;
  }
  return A[0] + A[1] + A[2];
}
```

## Vitis message it predicts
A note that the tool partitions the array completely by itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Directive
from hlspart.rules._base import Facts, Rule
from hlspart.rules._queries import in_lock_step

RULE = Rule("HLP304", "tiny-array", "info")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Small local arrays with a partition that the tool makes by itself."""
    yield from facts.everywhere(_findings(facts))


def _findings(facts: Facts) -> Iterator[tuple[Directive, Diagnostic]]:
    elements = in_lock_step(facts)  # small for few elements only
    for _status, directive, variable in facts.partitions():
        if facts.analysis.group_of.get(variable.id, -1) in elements:
            continue
        if variable.storage == "parameter" or None in variable.dims or facts.small < 1:
            continue
        size = math.prod(d for d in variable.dims if d is not None)
        whole = directive.values.get("dim", 1) == 0 or len(variable.dims) == 1
        complete = directive.choice("type", ("cyclic", "block", "complete")) in (None, "complete")
        if complete and whole and size < facts.small:
            message = f"'{variable.name}' has {size} elements: {facts.tool} makes registers of it without a pragma"
            yield directive, facts.report(RULE, directive.at, message, "remove the pragma")
