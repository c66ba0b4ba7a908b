"""Layers of nests: which must wait for which, and after which all of a layer is done."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct


class NestUses(Struct, frozen=True):
    """The arrays that a nest reads and writes, by whatever names them."""

    reads: frozenset[object]
    writes: frozenset[object]


class LayerEdge(Struct, frozen=True):
    """The nest ``before`` must be done before ``behind``; ``kinds`` of RAW, WAR, WAW, barrier."""

    before: int
    behind: int
    kinds: tuple[str, ...]


class Layers(Struct, frozen=True):
    """A layer per nest, the last ones 0; ``order``: layer by layer, each in the order of the text.

    ``barrier``: whether a nest is the last one of its layer in that order.
    """

    of: tuple[int, ...]
    order: tuple[int, ...]
    barrier: tuple[bool, ...]
    edges: tuple[LayerEdge, ...]


def edges(nests: Sequence[NestUses], barriers: Collection[int] = ()) -> tuple[LayerEdge, ...]:
    """All dependences between nests in the order of the text; ``barriers``: nests that all before must be done for."""
    pairs = []
    for b, behind in enumerate(nests):
        for a, before in enumerate(nests[:b]):
            kinds = (
                ("RAW", before.writes & behind.reads),
                ("WAR", before.reads & behind.writes),
                ("WAW", before.writes & behind.writes),
                ("barrier", any(a < at <= b for at in barriers)),
            )
            present = tuple(kind for kind, shared in kinds if shared)
            if present:
                pairs.append(LayerEdge(a, b, present))
    return tuple(pairs)


def layers(nests: Sequence[NestUses], barriers: Collection[int] = ()) -> Layers:
    """A nest without dependents is in layer 0, any other one above its dependents."""
    pairs = edges(nests, barriers)
    of = [0] * len(nests)
    for k in reversed(range(len(nests))):
        of[k] = max((of[e.behind] + 1 for e in pairs if e.before == k), default=0)
    order = sorted(range(len(nests)), key=lambda k: (-of[k], k))
    last = {of[k]: k for k in order}
    return Layers(tuple(of), tuple(order), tuple(last[of[k]] == k for k in range(len(nests))), pairs)
