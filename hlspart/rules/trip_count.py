"""LOOP_TRIPCOUNT contradicts the bounds of its loop.

## What it does
Reports LOOP_TRIPCOUNT whose range does not hold the number of iterations that the constant bounds give, and one of more
iterations than an array has elements that each of them accesses.

## Why is this bad
The directive is for reports only, but those then tell latencies that the hardware does not have.

## Example
```c
void f(int A[64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS loop_tripcount min=1 max=32
    A[i] = i;
  }
}
```

## Use instead
```c
void f(int A[64]) {
  for (int i = 0; i < 64; i++) {
    A[i] = i;
  }
}
```

## Vitis message it predicts
None: for constant bounds the tool counts by itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic, Fix
from hlspart.model.directives import Directive
from hlspart.rules._base import Facts, Rule
from hlspart.rules._nests import active, exit_of, start_of
from hlspart.rules._traces import constant

RULE = Rule("HLP221", "trip-count", "warning", hint="remove it: the bounds are constant")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Ranges without the true count."""
    yield from facts.everywhere(_contradicted(facts))


def _contradicted(facts: Facts) -> Iterator[tuple[Directive, Diagnostic]]:
    """Each with its directive, which another instance of its template may need."""
    for d in active(facts.program, "loop_tripcount"):
        trips = facts.trips.get(d.loop) if d.loop is not None else None
        if d.loop is not None and trips is None:
            yield from ((d, item) for item in _more_than_elements(facts, d, d.loop))
        if trips is None or d.loop is None:
            continue
        low, high, mean = d.values.get("min"), d.values.get("max"), d.values.get("avg")
        outside = (low is not None and low > trips) or (high is not None and high < trips)
        if outside or (low is None and high is None and mean is not None and mean != trips):
            loop = facts.program.loops[d.loop]
            message = f"loop {loop.name} runs {trips} times, not as LOOP_TRIPCOUNT says"
            edit = facts.line_removal(d)
            fix = Fix("remove LOOP_TRIPCOUNT", (edit,), True) if edit is not None else None
            yield d, facts.report(RULE, d.at, message, None, [(loop.header, "the loop")], fix)


def _more_than_elements(facts: Facts, d: Directive, ident: int) -> Iterator[Diagnostic]:
    """More iterations than elements of an array that every iteration accesses by the counter."""
    most, loop, info = d.values.get("max"), facts.program.loops[ident], facts.analysis.loops.get(ident)
    if most is None or info is None or info.iterator is None or info.step != 1 or exit_of(loop) is not None:
        return
    first = start_of(facts.program, loop)
    if first is None or constant(facts.program, first) != 0:
        return
    for access in facts.analysis.accesses:
        if ident not in access.loops or not access.affine or not access.exact or access.branch:
            continue
        variable = facts.program.variable(access.array)
        for form, extent in zip(access.index or (), variable.dims, strict=False):
            alone = form is not None and form.terms == ((info.iterator, 1),)
            if form is None or not alone or not extent or form.const < 0 or most + form.const <= extent:
                continue
            message = f"LOOP_TRIPCOUNT: {most} iterations would leave '{variable.name}', which has {extent} elements"
            related = [(access.at, "the access"), (variable.at, "the array")]
            yield facts.report(RULE, d.at, message, f"say max={extent - form.const}, or make it larger", related)
            return
