"""How far pointer and incomplete array parameters reach, where the accesses prove it or a declaration says so."""

from __future__ import annotations

from hlspart.accesses import analyse
from hlspart.model.program import ArrayType, PointerType, Program


def extents_of(program: Program, top: str) -> dict[str, int]:
    """First extent of each parameter without one: ``INTERFACE depth=``, else the largest index of any access."""
    open_ended = {}
    for ident in program.functions[top].params:
        kind = program.variable(ident).type
        if isinstance(kind, PointerType) or (isinstance(kind, ArrayType) and kind.dims and kind.dims[0] is None):
            open_ended[ident] = program.variable(ident).name
    if not open_ended:
        return {}
    analysis = analyse(program, top)
    extents = {}
    for ident, name in open_ended.items():
        shape = analysis.shapes.get(ident)
        if shape and shape[0] is not None:
            extents[name] = shape[0]
            continue
        group = analysis.group_of.get(ident)
        members = {ident} | {m for g in analysis.groups if g.id == group for m in g.members}
        faults = any(g.faults for g in analysis.groups if g.id == group and len(g.members) > 1)
        reach = []
        for access in analysis.accesses:
            if access.array in members:
                reach.append(access.range[0][1] if access.range else None)
        known = [r for r in reach if r is not None]
        if known and len(known) == len(reach) and not faults:
            extents[name] = max(known) + 1
    return extents
