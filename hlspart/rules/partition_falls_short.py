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

import math
from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.results import LoopResult
from hlspart.rules._base import WAYS, Facts, Rule
from hlspart.rules._queries import has_banks_by_data, is_split_elsewhere

RULE = Rule("HLP216", "partition-falls-short", "warning", hint="partition the dimension and as often as the loop needs")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Partitions that count on the tool, and those of a dimension in which an iteration does not move."""
    reported: set[int] = set()
    asked = {v.id: d for _, d, v in reversed(list(facts.partitions()))}
    rows = {f.variable for g in facts.analysis.groups for f in g.faults if f.expression}  # of arrays, that calls pass
    for loop in facts.pipelined():
        if loop.origin == "auto" or (loop.ii is not None and loop.misses):
            continue  # where the II is known and missed its ports tell
        for ident, needed, hint in (*_short(facts, loop), *_one_bank(facts, loop)):
            directive = asked.get(ident)
            if directive is None or ident in reported or ident in rows:
                continue
            array = facts.program.variable(ident)
            accesses = [a.at for a in facts.analysis.of_array(ident) if loop.loop in a.loops]
            if is_split_elsewhere(facts, array) or has_banks_by_data(
                facts, loop, [facts.place(a).line for a in accesses], array
            ):
                continue
            reported.add(ident)
            consequence = f"loop {loop.name} has" if loop.ii is not None else f"the ports may hold loop {loop.name} at"
            message = f"with this partition alone {consequence} II {needed} instead of {loop.aim or 1}"
            related = [(facts.loop_at(loop), "the loop"), *((at, "the access") for at in accesses[:1])]
            yield facts.report(RULE, directive.at, message, hint, related)


def _short(facts: Facts, loop: LoopResult) -> Iterator[tuple[int, int, str | None]]:
    """Arrays whose ports limit a loop if the tool does nothing: (variable, II, what would help)."""
    for limit in loop.limits if loop.ii is None else ():
        if limit.kind == "memory-port" and limit.ii > (loop.aim or 1):
            for variable in facts.short_of_ports(loop):
                if variable.name == limit.array:
                    yield variable.id, limit.ii, WAYS


def _one_bank(facts: Facts, loop: LoopResult) -> Iterator[tuple[int, int, str | None]]:
    """Arrays of which an iteration accesses many elements that all lie in one bank, whichever that is."""
    for array in facts.ii.arrays if facts.ii is not None else ():
        group = facts.validation.groups.get(facts.analysis.group_of.get(array.variable, -1))
        split = {d.dim - 1 for d in group.dims} if group is not None else set()
        for a in facts.analysis.of_array(array.variable) if split and array.ports else ():
            if loop.loop not in a.loops or a.index is None or len(a.loops) != len(a.iterators):
                continue
            position = a.loops.index(loop.loop)
            inside = dict(zip(a.iterators[position + 1 :], a.loops[position + 1 :], strict=True))
            forms = [f.names if f is not None else () for f in a.index]
            if None in a.index or any(k in split and set(names) & inside.keys() for k, names in enumerate(forms)):
                continue
            moving = {n for names in forms for n in names} & inside.keys()
            needed = -(-math.prod(facts.trips.get(inside[n], 1) for n in moving) // (array.ports or 1))
            if needed > (loop.aim or 1) and any(forms[k] for k in split if k < len(forms)):
                yield array.variable, needed, None
