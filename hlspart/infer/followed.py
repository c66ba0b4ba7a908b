"""Arrays of which calls get parts, and of which all is known once these calls are expanded."""

from __future__ import annotations

from collections.abc import Iterable

from hlspart.accesses import analyse
from hlspart.model.access import ArrayGroup
from hlspart.model.program import Program
from hlspart.semantics.effects import effects
from hlspart.transform.inline import inline

_PARTS = frozenset({"address-taken", "partial-subscript", "unknown-element"})  # what calls with parts are


def has_faults(group: ArrayGroup) -> bool:
    """Whether something keeps accesses of a group from being known."""
    return any(f.code != "unknown-element" for f in group.faults)


def is_followed(program: Program, tops: Iterable[str], group: ArrayGroup) -> bool:
    """Whether accesses are all that is done with a group's arrays where the calls of the tops are expanded.

    As ``f(a + 8 * i)`` and ``f(&a[i][0])`` are: a function that is no part of its caller would get an offset instead,
    which no text can select banks by; directives alone may partition such an array. A parameter that gets a part has
    the layout of the whole array, and none of its own.
    """
    if any(f.code not in _PARTS for f in group.faults) or _gets_part(program, group):
        return False
    arrays = frozenset(group.members)
    for top in tops:
        copy, forward = inline(program, top)
        for part in analyse(copy, top).groups:
            if has_faults(part) and any(forward.variable(v) in arrays for v in part.members):
                return False
    return True


def _gets_part(program: Program, group: ArrayGroup) -> bool:
    """Whether a parameter among the arrays gets a part of another array from some call."""
    at_fault = {(f.variable, f.at) for f in group.faults}
    return any(
        (parameter, given.at) in at_fault
        for calls in effects(program).calls.values()
        for call in calls
        if (callee := program.functions.get(call.function or "")) is not None
        for parameter, given in zip(callee.params, call.args, strict=False)
    )
