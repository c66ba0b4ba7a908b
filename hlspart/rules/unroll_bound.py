"""UNROLL of a loop whose length does not allow it.

## What it does
Reports UNROLL without a factor (complete) of a loop whose number of iterations is not known at compile time or
above 1024, and `skip_exit_check` where the factor does not divide the number of iterations, or that is not known.

## Why is this bad
The tool cannot write out a loop of unknown length, and ignores the directive. Without exit checks the copies run
past the end of the loop.

## Example
```c
void f(int A[64], int n) {
  for (int i = 0; i < n; i++) {
#pragma HLS unroll
    A[i] = i;
  }
}
```

## Use instead
```c
void f(int A[64], int n) {
  for (int i = 0; i < 64; i++) {
#pragma HLS unroll
    if (i < n) A[i] = i;
  }
}
```

## Vitis message it predicts
`Cannot unroll loop ... completely: variable loop bound`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import Call, Expr, Name, OpaqueExpr, walk_value
from hlspart.rules._base import Facts, Rule
from hlspart.rules._nests import active

MOST_COPIES = 1024  # HLS 200-868 comes with about as many loads and stores
RULE = Rule("HLP218", "unroll-bound", "warning", names=True)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """UNROLL against trip counts."""
    for d in active(facts.program, "unroll"):
        loop = facts.program.loops.get(d.loop) if d.loop is not None else None
        info = facts.analysis.loops.get(loop.id) if loop is not None else None
        if loop is None or info is None:
            continue
        trips, factor = info.trip_count.exact, d.values.get("factor")
        related = [(loop.header, "the loop")]
        below = list(walk_value(loop.test, facts.program.variables)) if loop.test is not None else []
        if any(_is_constant_member(facts, e) for e in below):
            continue
        if loop.kind == "for" and (info.cause is not None or any(isinstance(e, (OpaqueExpr, Call)) for e in below)):
            continue  # hlspart cannot count it; the tool may
        counts = (t.values.get("max") for t in active(facts.program, "loop_tripcount") if t.loop == loop.id)
        said = trips is None and info.trip_count.max in counts  # for reports alone
        if "factor" not in {o.name for o in d.options} and (info.trip_count.max is None or said):
            message = f"loop {loop.name} cannot be unrolled completely: its number of iterations is not constant"
            yield facts.report(
                RULE, d.at, message, "give a factor, or a constant bound with a condition inside", related
            )
        elif trips is not None and trips > MOST_COPIES and (factor is None or factor >= trips):
            message = f"loop {loop.name} becomes {trips} copies of its body, each with hardware of its own"
            yield facts.report(RULE, d.at, message, "give a factor", related)
        elif d.has("skip_exit_check") and factor is not None and (trips is None or trips % factor):
            count = f"{trips} iterations" if trips is not None else "a number of iterations that is not known"
            message = f"skip_exit_check: loop {loop.name} has {count}, which the factor {factor} need not divide"
            yield facts.report(RULE, d.at, message, "remove skip_exit_check", related)


def _is_constant_member(facts: Facts, expr: Expr) -> bool:
    """Whether a name is a constant member of the object of a method: its class may give it its value."""
    variable = facts.program.variable(expr.variable) if isinstance(expr, Name) else None
    mine = variable is not None and variable.storage == "parameter" and "::" in (variable.function or "")
    return variable is not None and mine and variable.const and variable.reference
