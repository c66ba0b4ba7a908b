"""The access analysis of a whole program: walk every function, write accesses down, form groups."""

from __future__ import annotations

from hlspart.model.access import Access, AccessAnalysis, LoopInfo
from hlspart.model.program import Program
from hlspart.poly.effects import Effects
from hlspart.poly.groups import Grouping, tops
from hlspart.poly.relations import Relations
from hlspart.poly.walk import Walker


def analyse(program: Program, top: str | None = None) -> AccessAnalysis:
    """Accesses, loops and call groups of all functions of ``program``.

    ``top`` names the design's top function: calls of it (from a test bench in the same file) then tie
    no groups. Accesses of all functions are listed in any case.
    """
    effects = Effects(program)
    roots = tops(program, effects, top)
    grouping = Grouping(program, effects, top if top in roots else None)
    accesses: list[Access] = []
    loops: dict[int, LoopInfo] = {}
    for function in program.functions.values():
        walker = Walker(program, effects, function)
        walker.run()
        relations = Relations(program, grouping.shapes)
        for raw in walker.accesses:
            accesses.append(relations.access(raw, len(accesses), function.name))
        loops |= walker.infos
    groups = grouping.groups(roots, accesses)
    return AccessAnalysis(tuple(accesses), loops, groups, roots, {member: g.id for g in groups for member in g.members})
