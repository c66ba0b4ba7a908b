"""LOOP_FLATTEN of a nest that cannot be flattened.

## What it does
Reports LOOP_FLATTEN (without `off`) where statements stand between the two loops, where the inner loop's bound is not
constant, or where there is no nest; and in an outermost loop: a loop is flattened with those around it.

## Why is this bad
Only a perfect nest is one loop: the tool ignores the directive and each inner run costs its entry and exit.

## Example
```c
void f(const int A[16][16], int s[16]) {
  for (int i = 0; i < 16; i++) {
    s[i] = 0;
    for (int j = 0; j < 16; j++) {
#pragma HLS loop_flatten
      s[i] += A[i][j];
    }
  }
}
```

## Use instead
```c
void f(const int A[16][16], int s[16]) {
  for (int i = 0; i < 16; i++) {
    for (int j = 0; j < 16; j++) {
#pragma HLS loop_flatten
      s[i] = (j == 0 ? 0 : s[i]) + A[i][j];
    }
  }
}
```

## Vitis message it predicts
`WARNING: [XFORM 203-542] Cannot flatten a loop nest ...`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import Declare, Loop, PragmaMark, Stmt
from hlspart.rules._base import Facts, Rule
from hlspart.rules._nests import active, parents
from hlspart.rules._queries import in_blocks

RULE = Rule("HLP220", "flatten-imperfect", "warning", hint="move the statements into the inner loop, under a condition")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Nests that are not perfect."""
    inlined = {d.function for d in active(facts.program, "inline") if d.loop is None}
    for d in active(facts.program, "loop_flatten"):
        if d.loop is None:
            continue
        if d.function in inlined and not parents(facts.program).get(d.loop):
            continue  # the loops around it are those of a caller
        around, loop = parents(facts.program).get(d.loop, ()), facts.program.loops[d.loop]
        inside = [x for x in facts.loops_inside(loop.id) if parents(facts.program)[x.id][0] == loop.id]
        if around:
            outer, inner = facts.program.loops[around[0]], loop
        elif len(inside) == 1:
            outer, inner = loop, inside[0]
            message = f"LOOP_FLATTEN: loop {outer.name} has none around it that it could be flattened with"
            hint = f"move the pragma into the innermost loop, {_innermost(facts, inner).name}"
            yield facts.report(RULE, d.at, message, hint, [(inner.header, "the inner loop")])
            continue
        else:
            what = "several loops inside" if inside else "no loop inside or around it"
            message = f"LOOP_FLATTEN: loop {loop.name} has {what}"
            yield facts.report(RULE, d.at, message, "remove it, or put it into the innermost loop of a nest", [])
            continue
        between = [s for s in in_blocks(outer.body) if s is not inner and not _harmless(facts, s)]
        if between:
            message = f"LOOP_FLATTEN: loops {outer.name} and {inner.name} are no perfect nest"
            related = [(between[0].at, "this stands between them"), (outer.header, "the outer loop")]
            yield facts.report(RULE, d.at, message, None, related)
            continue
        info = facts.analysis.loops.get(inner.id)
        if info is not None and info.cause is None and info.trip_count.exact is None and not info.exits:
            message = f"LOOP_FLATTEN: the bound of the inner loop {inner.name} is not constant"
            yield facts.report(RULE, d.at, message, "give it a constant bound", [(inner.header, "the inner loop")])


def _innermost(facts: Facts, loop: Loop) -> Loop:
    """The loop below one at which its nest ends or has several loops."""
    inside = [x for x in facts.loops_inside(loop.id) if parents(facts.program)[x.id][0] == loop.id]
    return _innermost(facts, inside[0]) if len(inside) == 1 else loop


def _harmless(facts: Facts, stmt: Stmt) -> bool:
    if isinstance(stmt, Declare):
        return all(facts.program.variable(v).init is None for v in stmt.variables)
    return isinstance(stmt, PragmaMark) and not isinstance(stmt, Loop)
