"""Another dimension is the one to partition.

## What it does
Reports a partition for which the same factor on another dimension gives a loop a smaller II. Both
figures come from the II check.

## Why is this bad
The accesses that run in parallel differ in another dimension; the banks stand where they do not
help.

## Example
```c
void f(int A[8][8], int s[8]) {
#pragma HLS array_partition variable=A cyclic factor=4 dim=1
  for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
    int t = 0;
    for (int k = 0; k < 8; k++) t += A[i][k];
    s[i] = t;
  }
}
```

## Use instead
```c
void f(int A[8][8], int s[8]) {
#pragma HLS array_partition variable=A cyclic factor=4 dim=2
  for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
    int t = 0;
    for (int k = 0; k < 8; k++) t += A[i][k];
    s[i] = t;
  }
}
```

## Vitis message it predicts
`[HLS 200-885]` on the array although it is partitioned.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic, Fix
from hlspart.model.source import Edit
from hlspart.rules._base import Facts, Rule
from hlspart.rules._queries import better_dimension

RULE = Rule("HLP207", "wrong-dimension", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Partitions that a recheck on another dimension beats."""
    for loop, _, severity in facts.missed():
        variable = facts.limit_array(loop)
        if variable is None or loop.ii is None:
            continue
        better = better_dimension(facts, loop, variable)
        if better is None:
            continue
        directive, old, new, ii = better
        span = facts.option_span(directive, "dim")
        fix = Fix(f"use dim={new}", (Edit(span, f"dim={new}"),), safe=False) if span else None
        name = facts.program.variable(directive.variables[0]).name if directive.variables else variable.name
        message = f"'{name}' is partitioned in dim {old}; in dim {new} loop {loop.name} reaches II {ii}"
        message += f" instead of {loop.ii}"
        related = [(facts.loop_at(loop), "the loop")]
        yield facts.report(RULE, directive.at, message, f"write dim={new}", related, fix, severity)
