"""LATENCY asks for less than the loops below it take.

## What it does
Reports LATENCY with a `max` below the number of iterations of the loops in its function, region or loop body, as far
as these have constant bounds and are not unrolled: a loop takes at least one cycle for each of its iterations.

## Why is this bad
The tool cannot keep the limit, relaxes it and says so in its log. Mostly another thing was meant: the latency of one
iteration is said inside of the loop.

## Example
```c
void f(const int a[256], int b[256]) {
#pragma HLS latency max=10
  for (int i = 0; i < 256; i++) {
#pragma HLS pipeline II=1
    b[i] = a[i] * 3;
  }
}
```

## Use instead
```c
void f(const int a[256], int b[256]) {
  for (int i = 0; i < 256; i++) {
#pragma HLS pipeline II=1
#pragma HLS latency max=10
    b[i] = a[i] * 3;
  }
}
```

## Vitis message it predicts
`WARNING: [HLS 200-885]` and its kin: that the maximum latency cannot be met.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import Block, Loop, Stmt, substatements
from hlspart.rules._base import Facts, Rule
from hlspart.rules._nests import active, block_around, pipelined_around

RULE = Rule("HLP226", "latency-unreachable", "warning", hint="say the latency of one iteration inside of the loop")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """LATENCY against trip counts."""
    for d in active(facts.program, "latency"):
        most = d.values.get("max")
        function = facts.program.functions.get(d.function or "")
        if most is None or function is None:
            continue
        if pipelined_around(facts.program, function.name, d.loop) is not None:
            continue  # what is below is unrolled
        body = facts.program.loops[d.loop].body if d.loop is not None else function.body
        inside = list(_loops(block_around(body, d) or body))
        counted = [(x, facts.trips[x.id]) for x in inside if x.id in facts.trips and x.id not in facts.unrolled]
        if d.loop is None or block_around(body, d) is not None:
            counted = [(x, n) for x, n in counted if n > facts.small]
        least = sum(n for _, n in counted)
        if least > most and any(n > most for _, n in counted):
            block = block_around(body, d) is not None
            whole = f"{function.name}()" if d.loop is None else f"loop {facts.program.loops[d.loop].name}"
            where = "this block" if block else whole
            message = f"LATENCY max={most} of {where} cannot be kept: the loops in it take {least} cycles and more"
            yield facts.report(RULE, d.at, message, None, [(x.header, f"{n} iterations") for x, n in counted[:3]])


def _loops(body: Block) -> Iterator[Loop]:
    """Outermost loops below a block, under no condition."""
    stack: list[Stmt] = [body]
    while stack:
        for stmt in substatements(stack.pop()):
            if isinstance(stmt, Loop):
                yield stmt
            elif isinstance(stmt, Block):
                stack.append(stmt)
