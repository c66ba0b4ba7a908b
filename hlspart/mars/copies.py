"""Arrays that are only read, stored once for each class of accesses that moves with the tiles in a way of its own.

``A[i][k] * A[j][k]`` has no layout that is the same for every tile, since its two footprints move apart. Each of
them alone has one: the array is packed twice, and every access reads the copy of its class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from hlspart.mars.integers import Vector
from hlspart.mars.layouts import ArrayFacts, Layouts, layouts
from hlspart.mars.nest import TileNest
from hlspart.model.mars import Copies, MarsOptions, NestAccess, TileForm
from hlspart.sets.dataflow import matrices

MOST_CLASSES = 5  # of accesses of one array: all ways to group them are tried


def copies(
    nest: TileNest, layouts: Layouts, forms: Sequence[TileForm], options: MarsOptions, tile_loops: Sequence[str]
) -> Copies:
    """For the refused arrays that copies help: which accesses share one.

    Of all groupings with a layout for each group the one with the fewest copies is taken, then the one whose tiles
    read the fewest words.
    """
    refused = {r.name for r in layouts.arrays if not r.accepted and r.kind == "input"}
    chosen: dict[str, tuple[tuple[int, ...], ...]] = {}
    for key, known in nest.facts.items():
        mine = [a for a in nest.accesses if a.array == key]
        if known.name not in refused or known.fault is not None or any(a.kind == "write" for a in mine):
            continue
        classes = _classes(mine)
        if classes is None or not 2 <= len(classes) <= MOST_CLASSES:
            continue
        best: tuple[int, int] | None = None
        for groups in _groupings(classes):
            if len(groups) < 2 or (best is not None and len(groups) > best[0]):
                continue
            words = _words(mine, known, groups, forms, options, tile_loops)
            if words is not None and (best is None or (len(groups), words) < best):
                best = len(groups), words
                chosen[key] = groups
    return chosen


def apart(nest: TileNest, chosen: Copies) -> TileNest:
    """The nest with each copy as an array of its own, keyed ``name@1``, ``name@2``, .."""
    facts: dict[str, ArrayFacts] = {}
    key: dict[str, int] = {}
    renamed: dict[int, str] = {}
    for name, known in nest.facts.items():
        if name not in chosen:
            facts[name], key[name] = known, nest.key[name]
            continue
        for k, group in enumerate(chosen[name], 1):
            facts[f"{name}@{k}"] = replace(known, copy=k)
            key[f"{name}@{k}"] = nest.key[name]
            renamed.update(dict.fromkeys(group, f"{name}@{k}"))
    accesses = tuple(replace(a, array=renamed.get(a.id, a.array)) for a in nest.accesses)
    return replace(nest, accesses=accesses, facts=facts, key=key)


def notes(nest: TileNest, chosen: Copies) -> Iterator[str]:
    """What is stored several times, and for whom."""
    text = {a.id: a.text for a in nest.accesses}
    for name, groups in chosen.items():
        users = "; ".join(", ".join(dict.fromkeys(text[i] for i in group)) for group in groups)
        yield f"{nest.facts[name].name} is stored {len(groups)} times, once for each class of accesses: {users}"


def _classes(mine: Sequence[NestAccess]) -> tuple[tuple[int, ...], ...] | None:
    """The accesses by linear part; None where one has no single linear part."""
    classes: dict[tuple[tuple[str, ...], tuple[Vector, ...]], list[int]] = {}
    for a in mine:
        functions = matrices(a.map)
        if functions is None or len({matrix for matrix, _ in functions}) != 1:
            return None
        classes.setdefault((a.iterators, functions[0][0]), []).append(a.id)
    return tuple(map(tuple, classes.values()))


def _groupings(classes: Sequence[tuple[int, ...]]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """All set partitions of ``classes``."""
    if not classes:
        yield ()
        return
    first, *rest = classes
    for groups in _groupings(rest):
        yield (first, *groups)
        for k, group in enumerate(groups):
            yield (*groups[:k], (*first, *group), *groups[k + 1 :])


def _words(
    mine: Sequence[NestAccess],
    known: ArrayFacts,
    groups: Sequence[Sequence[int]],
    forms: Sequence[TileForm],
    options: MarsOptions,
    tile_loops: Sequence[str],
) -> int | None:
    """Words that a tile reads of all copies, None where one of them has no layout."""
    words = 0
    for k, group in enumerate(groups, 1):
        facts: Mapping[str, ArrayFacts] = {str(k): replace(known, copy=k)}
        of_group = [replace(a, array=str(k)) for a in mine if a.id in group]
        records = layouts(of_group, forms, facts, replace(options, enumerate=False), tile_loops, advise=False).arrays
        if not records or not all(r.accepted for r in records):
            return None
        words += max((r.flow_in.words for r in records), default=0)
    return words
