"""An access leaves its array.

## What it does
Reports an access for which an iteration with an index outside of the array is proved, with that
iteration; of arrays in structures and of streams by the counters of
loops; and arrays whose rows have another length than the parameter that gets them.

## Why is this bad
The behaviour is undefined in C, and in hardware the address wraps or hits another element.

## Example
```c
void f(int A[16]) {
  for (int i = 0; i < 16; i++) A[i + 1] = i;
}
```

## Use instead
```c
void f(int A[16]) {
  for (int i = 0; i < 15; i++) A[i + 1] = i;
}
```

## Vitis message it predicts
`out of bound array access`, or none.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.access import Access
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import ArrayRef, ArrayType, Binary, Const, Expr, Name, ScalarType, Subscript, walk
from hlspart.rules._base import Facts, Rule
from hlspart.rules._counters import CountedPlace, counted
from hlspart.rules._interfaces import depth_said
from hlspart.rules._left_out import never_called, never_run
from hlspart.rules._queries import has_open_extent
from hlspart.rules._traces import constant
from hlspart.rules._uses import calls, nodes

RULE = Rule("HLP210", "out-of-range", "error", hint="correct the bound or the index")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Accesses with a witness outside."""
    for access in facts.analysis.accesses:
        if access.witness is None or access.function in never_called(facts.program):
            continue
        variable = facts.program.variable(access.array)
        if variable.volatile and not variable.dims:
            continue  # where such a pointer stands is not followed
        open_ = facts.program.functions[access.function].lacking or facts.lacks_header(access.at.span.path)
        if (0 in variable.dims and open_) or has_open_extent(facts, variable):
            continue  # an extent by a constant that nothing declares, or by values of a file that was not found
        where = ", ".join(f"{k} = {v}" for k, v in access.witness.items())
        extents = "".join(f"[{'' if d is None else d}]" for d in variable.dims)
        if depth_said(facts, variable) is not None:
            continue  # what the test bench gives: HLP419
        if _is_given_more(facts, access):
            continue  # C takes the extent of a parameter for a remark: each caller's array has the element
        message = f"{access.kind} outside {variable.name}{extents}" + (f" at {where}" if where else "")
        yield facts.report(RULE, access.at, message, related=[(variable.at, "the array")])
    yield from _handed(facts)
    yield from _members(facts)
    for function in facts.program.functions.values():
        if function.name in never_called(facts.program):
            continue
        left_out = never_run(facts.program, function.name)
        for node in nodes(facts.program)[function.name]:
            if any(span.holds(node.at.span) for span in left_out):
                continue
            if isinstance(node, Subscript) and isinstance(node.index, Const) and isinstance(node.index.value, int):
                of = node.base.type
                extent = of.dims[0] if isinstance(of, ArrayType) and of.dims else None
                if extent is not None and not 0 <= node.index.value < extent:
                    text = " ".join(facts.program.text(node.at).split())
                    yield facts.report(RULE, node.at, f"'{text}' is outside of {extent} elements")


def _is_given_more(facts: Facts, access: Access) -> bool:
    """Whether every call gives a parameter an array in which all elements of an access lie."""
    edges = [e for group in facts.analysis.groups for e in group.edges if e.formal == access.array]
    if not edges or access.range is None:
        return False
    for edge in edges:
        actual = facts.program.variable(edge.actual)
        dims, formal = actual.dims, facts.program.variable(access.array).dims
        whole = facts.program.text(edge.at) == actual.name and len(dims) == len(formal) == len(access.range)
        if not whole or any(
            extent is None or low is None or high is None or low < 0 or high >= extent
            for extent, (low, high) in zip(dims, access.range, strict=True)
        ):
            return False
    return True


def _handed(facts: Facts) -> Iterator[Diagnostic]:
    """Arrays that a call hands to a function that always goes further."""
    seen = set[object]()
    for group in facts.analysis.groups:
        for edge in group.edges:
            actual, formal = facts.program.variable(edge.actual), facts.program.variable(edge.formal)
            whole = actual.as_array is not None and facts.program.text(edge.at) == actual.name
            if "<" in edge.caller or {edge.caller, edge.callee} & never_called(facts.program):
                continue  # an arm that its arguments leave out may have the call
            rows, taken = actual.dims[1:], formal.dims[1:]
            turned = len(rows) == len(taken) > 0 and None not in (*rows, *taken) and 0 not in (*rows, *taken)
            if whole and turned and rows != taken and edge.at.span not in seen:
                seen.add(edge.at.span)
                name = edge.callee.partition("<")[0]
                sizes = ["".join(f"[{n}]" for n in x) for x in (taken, rows)]
                message = f"{name}() takes rows of {sizes[0]}, those of '{actual.name}' are of {sizes[1]}"
                related = [(formal.at, "the parameter"), (actual.at, "the array")]
                yield facts.report(RULE, edge.at, message, "give both the same extents", related, severity="warning")
                continue
            if not whole or len(actual.dims) != 1 or len(formal.dims) > 1 or edge.at.span in seen:
                continue
            for access in facts.analysis.of_array(edge.formal):
                high = access.range[0][1] if access.range and access.exact and not access.branch else None
                extent = actual.dims[0]
                inside = extent is None or extent == 0 or high is None or high < extent
                if inside or actual.as_array is None or formal.as_array is None or not access.count:
                    continue
                if _differs(facts, access):
                    continue  # an argument says where, and other calls give another
                if actual.as_array.element == formal.as_array.element and access.witness is None:
                    seen.add(edge.at.span)
                    name = edge.callee.partition("<")[0]
                    message = f"{name}() accesses element {high} of '{actual.name}', which has {extent}"
                    related = [(access.at, "the access"), (actual.at, "the array")]
                    yield facts.report(RULE, edge.at, message, related=related)
                    break


def _differs(facts: Facts, access: Access) -> bool:
    """Whether an index is worked out of a parameter to which calls give more than one value."""
    function = facts.program.functions[access.function]
    node = next(
        (e for e in nodes(facts.program)[access.function] if isinstance(e, ArrayRef) and e.id == access.ref), None
    )
    used = {e.variable for e in walk(node) if isinstance(e, Name)} if node is not None else set[int]()
    for k, ident in enumerate(function.params):
        given = [x.args[k] for own in calls(facts.program).values() for x in own
                 if x.function == access.function and k < len(x.args)]  # fmt: skip
        if ident in used and len({constant(facts.program, arg) for arg in given}) > 1:
            return True
    return False


def _members(facts: Facts) -> Iterator[Diagnostic]:
    """Arrays in structures and of streams, by counters of loops: every iteration comes to the access."""
    seen = set[object]()
    for name, own in nodes(facts.program).items():
        function = facts.program.functions[name]
        wraps = any(isinstance(e, ArrayRef) and any(_is_unsigned(i) for i in e.indices) for e in own)
        if function.open or not (wraps or any(isinstance(e, Subscript) for e in own)):
            continue
        for place in counted(facts, function.body):
            node = place.expr
            of = node.base.type if isinstance(node, Subscript) and place.sure else None
            extent = of.dims[0] if isinstance(of, ArrayType) and of.dims else None
            if place.sure and isinstance(node, ArrayRef) and node.at.span not in seen:
                below = next((x for i in node.indices if (x := _wrapped(facts, i, place)) is not None), None)
                array = facts.program.variable(node.variable)
                if below is not None and array.dims:
                    seen.add(node.at.span)
                    at = f"{facts.program.variable(below).name} = {place.ranges[below][0]}"
                    text = " ".join(facts.program.text(node.at).split())
                    message = f"'{text}' is outside of its array at {at}: the index has no sign"
                    yield facts.report(RULE, node.at, message, related=[(array.at, "the array")])
            if not extent or not isinstance(node, Subscript) or node.at.span in seen:
                continue
            reached = [v for end in (0, 1) if (v := _at(facts, node.index, place, end)) is not None]
            outside = next((v for v in reached if not 0 <= v[0] < extent), None)
            if outside is not None:
                seen.add(node.at.span)
                text = " ".join(facts.program.text(node.at).split())
                yield facts.report(RULE, node.at, f"'{text}' is outside of {extent} elements at {outside[1]}")


def _at(facts: Facts, index: Expr, place: CountedPlace, end: int) -> tuple[int, str] | None:
    """The index `k`, `k + 1` or `k - 1` at the first or the last value of its counter, and that value."""
    counter, by = index, 0
    if isinstance(index, Binary) and index.op in "+-":
        step = constant(facts.program, index.right)
        if step is not None:
            counter, by = index.left, step if index.op == "+" else -step
    known = place.ranges.get(counter.variable) if isinstance(counter, Name) else None
    if known is None or not isinstance(counter, Name):
        return None
    return known[end] + by, f"{facts.program.variable(counter.variable).name} = {known[end]}"


def _is_unsigned(index: Expr) -> bool:
    """Whether an index is a difference of numbers of C that is never negative."""
    kind = index.type
    plain = isinstance(kind, ScalarType) and kind.kind == "int" and not kind.signed and kind.library is None
    return plain and isinstance(index, Binary) and index.op == "-"


def _wrapped(facts: Facts, index: Expr, place: CountedPlace) -> int | None:
    """The counter from whose first value an index takes more than it is."""
    if not isinstance(index, Binary) or not _is_unsigned(index) or not isinstance(index.left, Name):
        return None
    by, known = constant(facts.program, index.right), place.ranges.get(index.left.variable)
    return index.left.variable if by is not None and known is not None and known[0] < by else None
