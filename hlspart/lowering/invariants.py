"""Operations that no iteration changes: they leave the loop, and are worked out ahead of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec.structs import replace

from hlspart.lowering.graph import Carried, Edge, Graph, Op


def leave(ops: dict[int, Op], carried: list[Carried]) -> dict[int, Op]:
    """Operations on values from outside become such values themselves; what they were is returned."""
    changing, gone = {x.phi for x in carried}, dict[int, Op]()
    for ident in sorted(ops):
        op = ops[ident]
        if op.kind == "phi" and ident not in changing:
            ops[ident] = replace(op, kind="input")
        elif not op.free and op.ref is None and op.kind != "mux" and op.args and _from_outside(ops, op):
            gone[ident] = op
            ops[ident] = replace(op, kind="input", args=())
    return gone


def worked_ahead(gone: Mapping[int, Op], needed: Collection[int]) -> Graph:
    """Operations that have left a loop, whose values it takes, in their order."""
    waiting, kept = [i for i in gone if i in needed], set[int]()
    while waiting:
        ident = waiting.pop()
        if ident not in kept:
            kept.add(ident)
            waiting.extend(a for a in gone[ident].args if a in gone)
    edges = (Edge(a, i, 0, None, "data", gone[a].text) for i in sorted(kept) for a in gone[i].args if a in kept)
    return Graph({i: gone[i] for i in sorted(kept)}, tuple(edges))


def _from_outside(ops: dict[int, Op], op: Op) -> bool:
    return all(ops[a].kind in ("const", "input") for a in op.args)
