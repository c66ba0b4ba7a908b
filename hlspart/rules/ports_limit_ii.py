"""Memory ports keep a loop from its target II.

## What it does
Reports a pipelined loop whose II is above its target because one bank of an array must serve more
accesses per iteration than it has ports.

## Why is this bad
The loop runs slower than asked for, by the factor shown.

## Example
```c
int f(int A[64], int B[64]) {
  int acc = 0;
  for (int i = 0; i < 64; i += 4) {
#pragma HLS pipeline II=1
    acc += A[i] * B[i] + A[i + 1] * B[i + 1] + A[i + 2] * B[i + 2] + A[i + 3] * B[i + 3];
  }
  return acc;
}
```

## Use instead
```c
int f(int A[64], int B[64]) {
#pragma HLS array_partition variable=A cyclic factor=2
#pragma HLS array_partition variable=B cyclic factor=2
  int acc = 0;
  for (int i = 0; i < 64; i += 4) {
#pragma HLS pipeline II=1
    acc += A[i] * B[i] + A[i + 1] * B[i + 1] + A[i + 2] * B[i + 2] + A[i + 3] * B[i + 3];
  }
  return acc;
}
```

## Vitis message it predicts
`[HLS 200-885] Unable to schedule 'load' operation ... due to limited memory ports` (older: `[SCHED
204-69]`), and `Final II` above `Target II`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP201", "ports-limit-ii", "warning", hint="hlspart infer looks for a partition that reaches the target")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Loops above their target by a port."""
    for loop in facts.pipelined():
        assert loop.ii is not None
        assert loop.target_ii is not None
        if loop.ii <= loop.target_ii or not loop.limits or loop.limits[0].kind != "memory-port":
            continue
        limit, variable = loop.limits[0], facts.limit_array(loop)
        message = f"loop {loop.name}: II {loop.ii} instead of {loop.target_ii}: {limit.text}"
        related = [(variable.at, f"'{variable.name}' is declared here")] if variable is not None else []
        hint = facts.hint(loop)
        if hint is None and facts.inferred is not None and variable is not None:
            better = [a for a in facts.inferred.arrays if a.variable == variable.id and a.pragmas]
            after = [x.ii_after for x in facts.inferred.loops if (x.function, x.name) == (loop.function, loop.name)]
            if better and after and after[0] is not None and after[0] < loop.ii:
                hint = f"{'; '.join(better[0].pragmas)} (all arrays as inferred: II {after[0]})"
        yield facts.report(RULE, facts.loop_at(loop), message, hint, related)
