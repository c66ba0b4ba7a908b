"""More banks than the loops need.

## What it does
Reports an array with more banks than the inference needs for the same II, with the number it
proved.

## Why is this bad
Each bank is a memory of its own; too many waste block RAM and multiplexers.

Nothing is said where the search would take long (loops of some hundred operations once unrolled, all
searches of a run together): `hlspart infer` on the file finds the least number then. Nor is it said
where a loop misses its target, or where no loop is pipelined.

## Example
```c
int f(int A[64], int B[64]) {
#pragma HLS array_partition variable=A cyclic factor=16
#pragma HLS array_partition variable=B cyclic factor=16
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
None.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import hardware
from hlspart.rules._queries import in_lock_step

RULE = Rule("HLP302", "too-many-banks", "info")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Partitions above the inferred minimum."""
    missing = (x for x, _, _ in facts.missed())
    short = {v.id for v in map(facts.limit_array, missing) if v is not None}  # what lacks ports has no bank too many
    partitions = [(d, v, facts.banks(v.id)) for _, d, v in facts.partitions() if v.id not in short]
    if not any(banks is not None and banks > 2 for _, _, banks in partitions):
        return
    within = hardware(facts.program)
    if facts.ii is None or any(x.pipelined and x.ii is None and x.function in within for x in facts.ii.loops):
        return
    result = facts.inferred()
    if result is None:
        return
    if any(x.ii_before is None or x.ii_after is None for x in result.loops):
        return
    inferred = {a.variable: a for a in result.arrays}
    for directive, variable, banks in partitions:
        if facts.analysis.group_of.get(variable.id) in in_lock_step(facts):
            continue  # a bank for each element, whose other port is its own
        array = inferred.get(variable.id)
        if array is None or banks is None or not 1 < array.banks < banks:
            continue  # that no partition is needed at all is another rule's finding
        proof = f"proved minimal in {array.space}" if array.proved_minimal else "the least found"
        message = f"'{variable.name}' has {banks} banks; {array.banks} reach the same II ({proof})"
        hint = "; ".join(array.pragmas) or "remove the partition"
        yield facts.report(RULE, directive.at, message, hint)
