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

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.results import Limit, LoopResult
from hlspart.rules._base import Facts, Rule, ways
from hlspart.rules._nests import active
from hlspart.rules._queries import binding, has_banks_by_data, places_of, sets_bits
from hlspart.rules._uses import nodes

RULE = Rule("HLP202", "recurrence-limits-ii", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Loops above their target by a recurrence."""
    unrolls = active(facts.program, "unroll")
    for loop, missed, severity in facts.missed():
        if binding(loop) != "recurrence" or severity == "info":
            continue
        limit = loop.binding[0] if loop.binding else None
        if limit is not None and _is_open(facts, loop, limit):
            continue  # bits may be older than the iteration before, elements that a test tells apart are others
        why = limit.text if limit is not None else "an iteration needs a result of the one before"
        message = f"{missed}: {why}"
        hint = f"set II={loop.least}, or break the recurrence (several accumulators, a local copy); {ways(loop)}"
        related = [(d.at, "the copies wait for each other") for d in unrolls if d.loop == loop.loop]
        related += places_of(facts, loop)
        yield facts.report(RULE, facts.loop_at(loop), message, hint, related, severity=severity)


def _is_open(facts: Facts, loop: LoopResult, limit: Limit) -> bool:
    """Whether what goes through the chain may be others than those of the iteration before."""
    known = has_banks_by_data(facts, loop, limit.lines) or _has_compared_indices(facts, loop.function, limit)
    return known or _is_by_bits(facts, limit)


def _is_by_bits(facts: Facts, limit: Limit) -> bool:
    """Whether what recurs is a word of which a statement sets some bits: the chain is that of the whole word."""
    for own in nodes(facts.program).values():
        for e in own:
            if isinstance(e, c.Assign) and sets_bits(e) and facts.place(e.at).line in limit.lines:
                return True
    return False


def _has_compared_indices(facts: Facts, function: str, limit: Limit) -> bool:
    """Whether a test compares the indices of two elements that the chain goes through: ``if (old == now)``.

    What tests of iterators leave out is known.
    """
    counted = {x.variable for x in facts.analysis.loops.values()}
    refs = (e for own in nodes(facts.program).values() for e in own if isinstance(e, c.ArrayRef))
    through = [e for e in refs if len(e.indices) == 1 and facts.place(e.at).line in limit.lines]
    indices = {(e.variable, e.indices[0].variable) for e in through if isinstance(e.indices[0], c.Name)}
    for stmt in c.walk_statements(facts.program.functions[function].body):
        test = stmt.test if isinstance(stmt, c.If) else None
        if isinstance(test, c.Binary) and test.op in ("==", "!="):
            named = {e.variable for e in c.walk(test) if isinstance(e, c.Name)}
            if (
                len(named) == 2
                and not named <= counted
                and any({i for a, i in indices if a == array} >= named for array, _ in indices)
            ):
                return True
    return False
