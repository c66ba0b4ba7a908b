"""Questions about exact accesses: does a DEPENDENCE deny what exists, could a FIFO serve them."""

from __future__ import annotations

from collections.abc import Sequence

from hlspart.model.access import Access, AccessAnalysis
from hlspart.model.directives import Directive
from hlspart.model.program import Program
from hlspart.rules._base import Misstep, Witness


def carried(analysis: AccessAnalysis, directive: Directive) -> Witness | None:
    """A value written in one iteration of the directive's loop and read in a later one.

    Only exact affine accesses in one common nest of exactly known loops are judged. A carried
    dependence exists as soon as two such iterations touch one element, whoever wrote it last.
    """
    if directive.loop is None or len(directive.variables) != 1 or not _denies(directive):
        return None
    inside = [
        a
        for a in analysis.accesses
        if a.array == directive.variables[0] and directive.loop in a.loops and a.affine and a.exact and a.map
    ]
    best: Witness | None = None
    for source in inside:
        for sink in inside:
            if source.kind != "write" or sink.kind != "read":
                continue
            distance = _distance(analysis, directive.loop, source, sink)
            if distance is not None and (best is None or distance < best.distance):
                best = Witness(source.at, sink.at, distance)
    return best


def _denies(directive: Directive) -> bool:
    """``inter false``, for values that flow forward (RAW or no direction given)."""
    if directive.choice("type", ("inter", "intra")) == "intra":
        return False
    if directive.choice("dependent", ("true", "false")) == "true" or "distance" in directive.values:
        return False
    return directive.choice("direction", ("raw", "war", "waw")) in (None, "raw")


def _distance(analysis: AccessAnalysis, loop: int, source: Access, sink: Access) -> int | None:
    from hlspart.sets.carried import first_distance

    if source.loops != sink.loops or source.iterators != sink.iterators or len(source.loops) != len(source.iterators):
        return None
    infos = [analysis.loops[ident] for ident in source.loops]
    if any(i.step is None or i.cause is not None or i.exits for i in infos):
        return None
    assert source.map is not None
    assert sink.map is not None
    position = source.loops.index(loop)
    own = len(source.loops) - position
    weights = (1, *[0] * (own - 1))
    steps = tuple(i.step or 1 for i in infos[position:])
    try:
        return first_distance(
            source.iterators, own, weights, steps, (source.domain, source.map), (sink.domain, sink.map)
        )
    except ArithmeticError:
        return None


def misstep(program: Program, analysis: AccessAnalysis, accesses: Sequence[Access]) -> Misstep | None:
    """What keeps accesses of one kind to one array in one function from being those of a FIFO."""
    from hlspart.sets.order import misstep as found_by

    if not accesses:
        return None
    variable = program.variable(accesses[0].array)
    dims = analysis.shapes.get(variable.id) or variable.dims or (None,)
    steps = {ident: info.step if not info.exits else None for ident, info in analysis.loops.items()}
    found = found_by(accesses, dims, steps)
    if found is None:
        return None
    (b, later, element), first = found.second, found.first
    if first is None:
        return Misstep(found.kind, b.at, later, element, None, {}, 0)
    return Misstep(found.kind, b.at, later, element, first[0].at, first[1], first[2])
