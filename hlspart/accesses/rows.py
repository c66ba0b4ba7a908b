"""Rows of an array that calls hand on: what the callees do to them, as accesses of the caller's array."""

from __future__ import annotations

from collections.abc import Container

from msgspec.structs import replace

from hlspart.accesses.analysis import fixed_parameters
from hlspart.accesses.relations import Relations
from hlspart.accesses.walk import Walker
from hlspart.model.access import AccessAnalysis
from hlspart.model.program import ArrayRef, Program
from hlspart.semantics.effects import Effects, effects
from hlspart.transform.handed import array_place
from hlspart.transform.inline import inline


def through_rows(program: Program, analysis: AccessAnalysis) -> AccessAnalysis:
    """``analysis`` with the accesses that functions make through arguments ``A[i]`` or ``&A[i][0]`` added.

    Each is an access of ``A`` by the caller, at its place in the callee, over the iterations of the call.
    For listings: the added accesses and loops belong to expanded copies, which ``program`` does not have.
    Calls that cannot be expanded (see :mod:`hlspart.transform.inline`) add nothing.
    """
    known = effects(program)
    fixed = fixed_parameters(program, known, analysis.tops)
    accesses, infos, loops = list(analysis.accesses), dict(analysis.loops), dict(program.loops)
    whole = {(edge.call, edge.argument) for group in analysis.groups for edge in group.edges}
    for name in program.functions:
        handed = _handed(known, name, whole)
        if not handed:
            continue
        arrays = {array for array, _ in handed}
        through = known.reachable(tuple(function for _, function in handed))
        copy, forward = inline(replace(program, loops=loops), name, frozenset(program.functions.keys() - through))
        walker = Walker(copy, effects(copy), copy.functions[name], fixed)
        walker.run()
        relations = Relations(copy, analysis.shapes, walker.called)
        for raw in walker.accesses:
            if raw.array in arrays and raw.ref in forward.nodes:
                accesses.append(relations.access(raw, len(accesses), name))
        infos |= walker.infos
        loops = dict(copy.loops)  # so that the next copy takes other ids
    return replace(analysis, accesses=tuple(accesses), loops=infos)


def _handed(known: Effects, name: str, whole: Container[tuple[int, int]]) -> list[tuple[int, str]]:
    """Arrays of which calls in a function hand on a part, with the functions that get it."""
    return [
        (place.variable, call.function)
        for call in known.calls[name]
        if call.function is not None and call.function in known.program.functions and name not in known.recursive
        for k, arg in enumerate(call.args)
        if isinstance(place := array_place(arg), ArrayRef) and (call.id, k) not in whole
    ]
