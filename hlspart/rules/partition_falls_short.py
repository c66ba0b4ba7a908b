"""A partition does not reach the II by itself.

## What it does
Reports ARRAY_PARTITION of an array whose ports, partitioned as written, keep a pipelined loop from its target,
where the tool may split the array further unasked: the wrong dimension, the default one, or too few banks.

## Why is this bad
What is written is not what makes the loop fast. The next tool version, or a small change of the loop, and the II is
lost.

## Example
```c
void f(const int x[8][64], int y[8]) {
  int A[8][64];
#pragma HLS array_partition variable=A complete dim=1
  for (int i = 0; i < 8; i++) for (int j = 0; j < 64; j++) A[i][j] = x[i][j];
  for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
    int s = 0;
    for (int j = 0; j < 8; j++) s += A[0][i * 8 + j] * 3;
    y[i] = s;
  }
}
```

## Use instead
```c
void f(const int x[8][64], int y[8]) {
  int A[8][64];
#pragma HLS array_partition variable=A cyclic factor=8 dim=2
  for (int i = 0; i < 8; i++) for (int j = 0; j < 64; j++) A[i][j] = x[i][j];
  for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
    int s = 0;
    for (int j = 0; j < 8; j++) s += A[0][i * 8 + j] * 3;
    y[i] = s;
  }
}
```

## Vitis message it predicts
`[HLS 214-270]` where the tool splits the array by itself, else `[HLS 200-885] ... due to limited memory ports`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP216", "partition-falls-short", "warning", hint="partition the dimension and as often as the loop needs")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Partitions that count on the tool."""
    told: set[int] = set()
    asked = {v.id: d for _, d, v in reversed(list(facts.partitions()))}
    for loop in facts.pipelined():
        if loop.ii is not None or loop.bounds is None or loop.origin == "auto":
            continue  # where the II is known its ports tell
        for limit in loop.limits:
            late = limit.kind == "memory-port" and limit.ii > (loop.aim or 1)
            array = next((a for a in facts.ii.arrays if a.name == limit.array), None) if facts.ii and late else None
            directive = asked.get(array.variable) if array is not None else None
            if array is None or directive is None or array.variable in told or array.function != loop.function:
                continue
            told.add(array.variable)
            message = f"with this partition alone loop {loop.name} has II {limit.ii} instead of {loop.aim or 1}"
            related = [(facts.loop_at(loop), "the loop")]
            yield facts.report(RULE, directive.at, message, limit.hint, related)
