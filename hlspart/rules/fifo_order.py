"""A FIFO is accessed out of order.

## What it does
Reports an array behind `ap_fifo`, `axis` or STREAM whose reads, or writes, are proved not to go through its elements
one after the other: two iterations are named that touch elements backwards, or one element twice, or an element that is
left out. An index that depends on data is reported as well, and an element that one iteration tests and then takes.

## Why is this bad
A FIFO has no addresses. The tool takes the accesses in the order of the text, so the hardware reads other elements than
the C code.

## Example
```c
void top(int a[64], int b[64]) {
#pragma HLS interface mode=ap_fifo port=a
  for (int i = 0; i < 64; i++) b[i] = a[63 - i];
}
```

## Use instead
```c
void top(int a[64], int b[64]) {
#pragma HLS interface mode=ap_fifo port=a
  for (int i = 0; i < 64; i++) b[63 - i] = a[i];
}
```

## Vitis message it predicts
`WARNING: [HLS 214-142] Implementing stream: may cause mismatch if read and write accesses are not in sequential order`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hlspart.model import program as c
from hlspart.model.access import Access
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import StructType
from hlspart.rules._base import Facts, FifoViolation, Rule
from hlspart.rules._fifos import accesses, fifos, is_by_data
from hlspart.rules._nests import active
from hlspart.rules._processes import regions

HINT = "access it in ascending order, each element once; keep what is needed again in a local array"
RULE = Rule("HLP611", "fifo-order", "warning", hint=HINT)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Accesses that no FIFO serves."""
    if facts.fifo_violation is None:
        return
    divided = {v for k in ("array_partition", "array_reshape") for d in active(facts.program, k) for v in d.variables}
    for directive, variable in fifos(facts):
        array = variable.as_array
        if array is None or isinstance(array.element, StructType):
            continue  # members may be channels of their own
        related = [(directive.at, "the directive that makes it a FIFO")]
        for group in accesses(facts, variable):
            free = next((a for a in group if is_by_data(a)), None)
            if free is not None:
                message = f"the FIFO '{variable.name}' has no addresses, but this index depends on data"
                yield facts.report(RULE, free.at, message, None, related)
                continue
            inexact = next((a for a in group if a.affine and not a.exact and a.loops and a.kind == "read"), None)
            if (
                inexact is not None
                and len(group) == 1
                and variable.storage == "parameter"
                and _is_by_values(facts, inexact)
            ):
                message = f"the FIFO '{variable.name}' cannot leave out an element: whether this reads depends on data"
                yield facts.report(RULE, inexact.at, message, "read it into a variable first", related)
                continue
            twice = _again(group) or _over(group)
            if twice is not None:
                first, then = twice
                kind = "read" if then.kind == "read" else "written"
                message = f"the FIFO '{variable.name}' gives each element once: this one has been {kind} before"
                yield facts.report(RULE, then.at, message, None, [(first.at, "the access before"), *related])
                continue
            violation = facts.fifo_violation(group)
            if violation is not None and (variable.id in divided or _is_merged(facts, group, violation)):
                continue  # FIFOs for its parts, or words of several elements
            if violation is not None and _is_of_two_runs(facts, group, violation):
                continue
            if violation is not None and violation.element >= 0 and violation.first_element >= 0:
                more = [(violation.first, "the access before")] if violation.first is not None else []
                kind = "read" if group[0].kind == "read" else "written"
                yield facts.report(RULE, violation.at, _words(variable.name, kind, violation), None, [*more, *related])


def _is_of_two_runs(facts: Facts, group: Sequence[Access], violation: FifoViolation) -> bool:
    """Whether it takes two iterations of a DATAFLOW loop: each of them hands on all the words of one run."""
    loops = {r.loop.id for r in regions(facts.program) if r.loop is not None}
    access = next((a for a in group if a.at == violation.at), None)
    outer = [k for k, x in enumerate(access.loops) if x in loops] if access is not None else []
    names = [facts.analysis.loops[x].iterator for x in access.loops[: outer[-1] + 1]] if access and outer else []
    return any(violation.iteration.get(n or "") != violation.first_iteration.get(n or "") for n in names)


def _is_merged(facts: Facts, group: Sequence[Access], violation: FifoViolation) -> bool:
    """Whether one read stands for all copies of a loop that is unrolled: its address is the same in each of them."""
    access = next((a for a in group if a.at == violation.at), None)
    if violation.kind != "again" or violation.first != violation.at or access is None or access.kind != "read":
        return False
    before = violation.first_iteration
    loops = {facts.analysis.loops[x].iterator: x for x in access.loops}
    changed = [loops.get(name) for name, value in violation.iteration.items() if before.get(name) != value]
    beside = {x for a in group if a is not access for x in a.loops}
    return bool(changed) and all(x is not None and facts.unrolled.get(x) == 0 and x not in beside for x in changed)


def _again(group: Sequence[Access]) -> tuple[Access, Access] | None:
    """An access that comes each time, and one under a condition to the same element of the same iteration."""
    for then in group:
        for first in group if then.affine and not then.exact else ():
            same = first.loops == then.loops and first.index == then.index and first.function == then.function
            if first.affine and first.exact and same and first.order < then.order and then.loops:
                return first, then
    return None


def _over(group: Sequence[Access]) -> tuple[Access, Access] | None:
    """An access under a condition to elements that an earlier loop has had, all of them and each time."""
    for then in group:
        for first in group if then.affine and not then.exact and then.loops else ():
            form = first.index[0] if first.index is not None and len(first.index) == 1 else None
            dense = form is not None and len(form.terms) == 1 and abs(form.terms[0][1]) == 1
            if not (dense and first.exact and first.loops and first.loops[0] != then.loops[0]):
                continue
            if first.function != then.function or first.order > then.order or not first.range or not then.range:
                continue
            (low, high), (least, most) = first.range[0], then.range[0]
            if low is None or high is None or least is None or most is None:
                continue
            if low <= least and most <= high:
                return first, then
    return None


def _is_by_values(facts: Facts, access: Access) -> bool:
    """Whether a condition in the loop of an access, that it stands under, reads an array."""
    loop = facts.program.loops.get(access.loops[-1])
    for stmt in c.walk_statements(loop.body) if loop is not None else ():
        inside = stmt.at.span.start <= access.at.span.start < stmt.at.span.end if isinstance(stmt, c.If) else False
        if isinstance(stmt, c.If) and inside and access.at.span.start > stmt.test.at.span.end:
            return any(isinstance(e, c.ArrayRef) for e in c.walk(stmt.test))
    return False


def _words(name: str, kind: str, violation: FifoViolation) -> str:
    here = f"element {violation.element}"
    if violation.kind == "skipped":
        return f"the FIFO '{name}' cannot leave out an element: {here} is never {kind}"
    where, before = _iteration(violation.iteration), _iteration(violation.first_iteration)
    if violation.kind == "again":
        return f"the FIFO '{name}' gives each element once: {here} is {kind} at {before} and again at {where}"
    earlier = f"element {violation.first_element} at {before}"
    return f"the FIFO '{name}' is {kind} out of order: {earlier}, then {here} at {where}"


def _iteration(values: Mapping[str, int]) -> str:
    return ", ".join(f"{k}={v}" for k, v in values.items()) or "one place"
