"""Arrays of which calls get parts, and of which all is known once these calls are expanded."""

from __future__ import annotations

from collections.abc import Container, Iterable

from hlspart.accesses import analyse
from hlspart.model.access import ArrayGroup
from hlspart.model.program import Program, walk
from hlspart.predict.inlined import inlined
from hlspart.semantics.effects import effects, statement_expressions
from hlspart.transform.inline import inline

_PARTS = frozenset({"address-taken", "partial-subscript", "unknown-element"})  # what calls with parts are


def has_faults(group: ArrayGroup) -> bool:
    """Whether something keeps accesses of a group from being known."""
    return any(f.code != "unknown-element" for f in group.faults)


def is_followed(program: Program, tops: Iterable[str], group: ArrayGroup, by_itself: int) -> bool:
    """Whether accesses are all that is done with a group's arrays where certain calls are expanded.

    These are calls of functions that a tool makes part of their callers (``by_itself``: see
    :func:`hlspart.predict.inlined.inlined`): any other gets the offset of its part at run time, and what its accesses
    then reach is not known. Directives alone may partition such an array. A parameter that gets a part has the layout
    of the whole array, and none of its own.
    """
    if any(f.code not in _PARTS for f in group.faults) or _gets_part(program, group):
        return False
    arrays = frozenset(group.members)
    modules = frozenset(program.functions) - inlined(program, by_itself)
    roots = tuple(tops)
    kept = effects(program).reachable(roots) & (modules | set(roots))
    return not any(_is_left(program, name, arrays, modules) for name in kept)


def _is_left(program: Program, function: str, arrays: Container[int], modules: frozenset[str]) -> bool:
    """Whether a function, with the calls of all but ``modules`` expanded, does more with arrays than access them."""
    copy, forward = inline(program, function, modules)
    own = {e.at for top in statement_expressions(copy, copy.functions[function].body) for e in walk(top)}
    return any(
        has_faults(part)
        and any(forward.variable(v) in arrays for v in part.members)
        and any(f.at in own for f in part.faults)
        for part in analyse(copy, function).groups
    )


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
