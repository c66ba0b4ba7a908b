"""A buffer between tasks that is read further than it is written.

## What it does
Reports a local array between the tasks of a DATAFLOW region of which one task reads an element that no task before it
has written.

## Why is this bad
The buffer is two memories that change places: what an earlier run of the region left in it is in the other one, or in
none. The C code reads a value of the run before, or what was on the stack; the hardware reads something else.

## Example
```c
static void load(const int a[16], int t[16]) {
  for (int i = 1; i < 16; i++) t[i] = a[i];
}
static void store(const int t[16], int b[16]) {
  for (int i = 0; i < 16; i++) b[i] = t[i];
}
void f(const int a[16], int b[16]) {
#pragma HLS dataflow
  int t[16];
  load(a, t);
  store(t, b);
}
```

## Use instead
```c
static void load(const int a[16], int t[16]) {
  for (int i = 0; i < 16; i++) t[i] = a[i];
}
static void store(const int t[16], int b[16]) {
  for (int i = 0; i < 16; i++) b[i] = t[i];
}
void f(const int a[16], int b[16]) {
#pragma HLS dataflow
  int t[16];
  load(a, t);
  store(t, b);
}
```

## Vitis message it predicts
None: co-simulation differs from C simulation.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._elements import ElementStep, elements
from hlspart.rules._fifos import accesses
from hlspart.rules._processes import DataflowRegion, regions

RULE = Rule("HLP620", "partly-written-channel", "warning", names=True, hint="write all of it in each run")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Local arrays of regions, element by element."""
    for region in regions(facts.program):
        for ident in sorted(region.local):
            variable = facts.program.variable(ident)
            scalars = isinstance(variable.type, c.ArrayType) and isinstance(variable.type.element, c.ScalarType)
            if (
                scalars
                and variable.init is None
                and variable.storage == "local"
                and not _is_filled(facts, region, ident)
            ):
                step = _early(facts.program, region, ident)
                if step is not None:
                    name = variable.name + "".join(f"[{n}]" for n in step.element)
                    message = f"{name} is read, but no task of the DATAFLOW region has written it"
                    yield facts.report(RULE, step.at, message, None, [(variable.at, "the buffer")])


def _is_filled(facts: Facts, region: DataflowRegion, array: int) -> bool:
    """Whether the first task that uses an array writes all of it, by one access of a nest: no walk is needed then."""
    users = [p for p in region.processes if any(u.variable == array for u in p.uses)]
    if not users or any(u.variable == array and u.kind == "read" for u in users[0].uses):
        return False
    extents = facts.program.variable(array).dims
    for a in (a for group in accesses(facts, facts.program.variable(array)) for a in group):
        whole = a.kind == "write" and a.exact and a.affine and a.index is not None and len(a.index) == len(extents)
        if not whole or a.range is None or a.function not in {c.function for c in users[0].calls}:
            continue
        forms = [form for form in a.index or () if form is not None]
        single = [form.terms[0][0] for form in forms if len(form.terms) == 1 and abs(form.terms[0][1]) == 1]
        counted = all(facts.analysis.loops[x].step in (1, -1) for x in a.loops)
        all_of = all(n is not None and r == (0, n - 1) for r, n in zip(a.range, extents, strict=False))
        if counted and all_of and len(set(single)) == len(extents):
            return True
    return False


def _early(program: c.Program, region: DataflowRegion, array: int) -> ElementStep | None:
    """The first read of an element that nothing has written, where all that happens before is known."""
    written: set[tuple[int, ...]] = set()
    for process in region.processes:
        if not any(u.variable == array for u in process.uses):
            continue
        steps = elements(program, array, process.stmt)
        if steps is None:
            return None
        for step in steps:
            if step.kind == "write":
                written.add(step.element)
            elif step.element not in written:
                return step if written else None
    return None
