"""A recurrence keeps a loop from its target II.

## What it does
Reports a pipelined loop whose II is above its target because an iteration needs a result of an
earlier one.

## Why is this bad
No partition and no more ports can help; the target is impossible as the loop is written.

## Example
```c
float f(float A[64]) {
  float acc = 0;
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline II=1
    acc += A[i];
  }
  return acc;
}
```

## Use instead
```c
int f(int A[64]) {
  int acc = 0;
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline II=1
    acc += A[i];
  }
  return acc;
}
```

## Vitis message it predicts
`[HLS 200-880] The II Violation ... Unable to enforce a carried dependence constraint`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule, ways
from hlspart.rules._nests import active
from hlspart.rules._queries import binding, places_of

RULE = Rule("HLP202", "recurrence-limits-ii", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Loops above their target by a recurrence."""
    unrolls = active(facts.program, "unroll")
    for loop, missed, severity in facts.missed():
        if binding(loop) != "recurrence" or severity == "info":
            continue
        limit = loop.binding[0] if loop.binding else None
        why = limit.text if limit is not None else "an iteration needs a result of the one before"
        message = f"{missed}: {why}"
        hint = f"set II={loop.least}, or break the recurrence (several accumulators, a local copy); {ways(loop)}"
        related = [(d.at, "the copies wait for each other") for d in unrolls if d.loop == loop.loop]
        related += places_of(facts, loop)
        yield facts.report(RULE, facts.loop_at(loop), message, hint, related, severity=severity)
