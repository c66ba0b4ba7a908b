"""PIPELINE rewind of a loop that is not alone in its function.

## What it does
Reports `rewind` where the function has other loops or statements that compute something beside the loop, or the loops
around it.

## Why is this bad
With `rewind` the next call begins while the last iterations run. The tool ignores it where anything stands between.

## Example
```c
void f(int a[64], int b[64], int c[64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline II=1 rewind
    b[i] = a[i];
  }
  for (int i = 0; i < 64; i++) c[i] = a[i];
}
```

## Use instead
```c
void f(int a[64], int b[64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline II=1 rewind
    b[i] = a[i];
  }
}
```

## Vitis message it predicts
One that `rewind` is ignored, for the loop is not the only one of its function.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import Loop, walk_statements
from hlspart.rules._base import Facts, Rule
from hlspart.rules._nests import active, parents

RULE = Rule("HLP224", "pipeline-rewind", "warning", hint="remove rewind, or give the loop a function of its own")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Loops with company."""
    flows = {d.function for d in active(facts.program, "dataflow")}
    inlined = {d.function for d in active(facts.program, "inline")}
    for d in active(facts.program, "pipeline"):
        if not d.has("rewind") or d.loop is None or d.function in (flows | inlined):
            continue  # in a region each loop is a task of its own
        around = {d.loop, *parents(facts.program).get(d.loop, ())}
        inside = {x.id for x in facts.loops_inside(d.loop)}
        body = facts.program.functions[d.function or ""].body
        others = (s for s in walk_statements(body) if isinstance(s, Loop) and s.id not in around | inside)
        other = next(others, None)
        if other is not None:
            message = f"rewind is ignored: {d.function}() has loop {other.name} as well"
            yield facts.report(RULE, d.at, message, None, [(other.header, "the other loop")])
