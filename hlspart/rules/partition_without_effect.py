"""A partition that changes no figure.

## What it does
Reports a partition without which every loop keeps its II and its latency, as the II check computes
both ways.

## Why is this bad
Banks cost memories, multiplexers and wires. Where nothing gets faster they are waste.

## Example
```c
void f(int A[64]) {
#pragma HLS array_partition variable=A cyclic factor=4
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline II=1
    A[i] = i;
  }
}
```

## Use instead
```c
void f(int A[64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline II=1
    A[i] = i;
  }
}
```

## Vitis message it predicts
None.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Directive
from hlspart.rules._base import Facts, Rule
from hlspart.rules._queries import in_lock_step, is_same_without, partitioned_groups

RULE = Rule("HLP301", "partition-without-effect", "info")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Groups whose partition a recheck does not miss."""
    yield from facts.everywhere(_findings(facts))


def _findings(facts: Facts) -> Iterator[tuple[Directive, Diagnostic]]:
    for group, directive in partitioned_groups(facts):
        if group not in in_lock_step(facts) and is_same_without(facts, group):
            mine = [v for v in directive.variables if facts.analysis.group_of.get(v) == group]
            names = " and ".join(f"'{facts.program.variable(v).name}'" for v in mine)
            message = f"the partition of {names} changes no II and no latency of a loop"
            yield directive, facts.report(RULE, directive.at, message, "remove it unless it serves an interface")
