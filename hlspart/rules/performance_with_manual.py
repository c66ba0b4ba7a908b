"""PERFORMANCE beside hand-written directives.

## What it does
Reports PERFORMANCE in a loop or function that also has PIPELINE, UNROLL or ARRAY_PARTITION of its
own.

## Why is this bad
PERFORMANCE lets the tool choose pipelining, unrolling and partitions to reach a goal. What is
written by hand is fixed and limits that choice.

Partitions come from three sides, and they add up. A hand-written ARRAY_PARTITION always counts.
Arrays of very few elements become registers without one. With `syn.array_partition.throughput_driven`
at its default the tool also adds partitions for pipelined loops, on other dimensions of an array that
has one already: 25 banks by hand in one dimension and 13 added in another were seen to make 325.
hlspart predicts what is written and the small arrays; it does not guess what the tool adds.

## Example
```c
void f(int A[16]) {
#pragma HLS array_partition variable=A cyclic factor=2
  for (int i = 0; i < 16; i++) {
#pragma HLS performance target_ti=100
    A[i] = i;
  }
}
```

## Use instead
```c
void f(int A[16]) {
  for (int i = 0; i < 16; i++) {
#pragma HLS performance target_ti=100
    A[i] = i;
  }
}
```

## Vitis message it predicts
`[HLS 214-270]`: a partition that the tool adds because of a pragma.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Directive
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP415", "performance-with-manual", "info")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """PERFORMANCE with company in its function."""
    manual: dict[str | None, list[Directive]] = {}
    for directive in facts.program.directives:
        if directive.kind in ("pipeline", "unroll", "array_partition") and directive.usable:
            manual.setdefault(directive.function, []).append(directive)
    for directive in facts.program.directives:
        others = manual.get(directive.function, [])
        if directive.kind == "performance" and directive.usable and others:
            message = f"PERFORMANCE is limited by {len(others)} hand-written directive{'s' * (len(others) > 1)}"
            hint = "leave the choice to PERFORMANCE, or state all of it by hand"
            yield facts.report(RULE, directive.at, message, hint, [(d.at, "written by hand") for d in others[:3]])
