"""Places for statements that the hyperplanes do not reach by iterator name, or would turn round.

A statement outside the loop over an iterator runs as if at one value of it: the first one of the loop
that follows, else the last one of the loop before. Where a dependence still goes backwards, constants
are added to the hyperplanes of single statements (longest paths over the least distances).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from hlspart.mars.layouts import planes
from hlspart.mars.nest import TileNest
from hlspart.mars.tiling import names_of
from hlspart.model.access import AccessAnalysis, Affine
from hlspart.model.mars import NestAccess, TileForm
from hlspart.model.program import (
    ArrayRef,
    Block,
    Loop,
    Stmt,
    expressions,
    substatements,
    walk,
    walk_statements,
)
from hlspart.sets.dataflow import dataflow, largest, least_distance, widened

Group = tuple[object, ...]  # what tells a statement from others


def references(stmt: Stmt) -> frozenset[int]:
    """Ids of the array references of a statement."""
    every = (x for s in walk_statements(stmt) for e in expressions(s) for x in walk(e))
    return frozenset(x.id for x in every if isinstance(x, ArrayRef))


def placed(
    nest: TileNest, analysis: AccessAnalysis, forms: Sequence[TileForm]
) -> tuple[TileNest, tuple[str, ...]] | str:
    """The nest with all statements in the tile space, and what was done; or why it cannot be.

    Raises TooHard when dataflow is out of reach.
    """
    names = names_of(forms)
    homes = list(_homes(nest.loop))
    groups: dict[Group, list[NestAccess]] = {}
    for a in nest.accesses:
        source = nest.sources[a.id]
        if set(names) <= set(a.iterators):
            depth = max((a.iterators.index(n) + 1 for n in names), default=0)
            groups.setdefault((source.loops[:depth],), []).append(a)
        else:
            home = next((k for k, refs in enumerate(homes) if source.ref in refs), -1)
            groups.setdefault((source.loops, home), []).append(a)
    notes: dict[str, None] = {}
    known: dict[int, NestAccess] = {}
    for members in groups.values():
        hidden: list[tuple[str, Affine]] = []
        for name in names:
            if name not in members[0].iterators:
                value = _value(nest, analysis, members, name)
                if value is None:
                    first = members[0]
                    return f"{first.text} (line {first.line}) lies outside the loop over {name} and has no place in it"
                hidden.append((name, value))
                notes[f"the statement at line {members[0].line} is placed at {name} = {value}"] = None
        for a in members:
            known[a.id] = _padded(a, hidden) if hidden else a
    shifts = _shifts({a.id: g for g, members in groups.items() for a in members}, known, forms)
    for group, members in groups.items():
        shift = shifts.get(group, ())
        for form, c in zip(forms, shift, strict=False):
            if c:
                notes[f"the statement at line {members[0].line} is tiled by {form.text} + {c}"] = None
        for a in members:
            known[a.id] = replace(known[a.id], shift=shift)
    return replace(nest, accesses=tuple(known[a.id] for a in nest.accesses)), tuple(notes)


def _homes(stmt: Stmt) -> Iterator[frozenset[int]]:
    """The references of each statement that holds no loop."""
    for s in substatements(stmt):
        if any(isinstance(x, Loop) for x in walk_statements(s)) or isinstance(s, Block):
            yield from _homes(s)
        else:
            yield references(s)


def _value(nest: TileNest, analysis: AccessAnalysis, members: Sequence[NestAccess], name: str) -> Affine | None:
    """What ``name`` is at a statement: as its elements say, or the nearest end of a loop over it."""
    for a in sorted(members, key=lambda a: a.kind, reverse=True):
        for b in nest.accesses:
            mine, other = nest.sources[a.id].index, nest.sources[b.id].index
            if b.array != a.array or name not in b.iterators or mine is None or other is None:
                continue
            for x, y in zip(mine, other, strict=True):
                if x is not None and y is not None and y.names == (name,) and y.coefficient(name) == 1:
                    return x - Affine((), y.const)
    a = members[0]
    best: tuple[int, bool, Affine] | None = None
    loops_of = nest.sources[a.id].loops
    for b in nest.accesses:
        if name not in b.iterators:
            continue
        loops = nest.sources[b.id].loops
        shared = 0
        while shared < min(len(loops), len(loops_of)) and loops[shared] == loops_of[shared]:
            shared += 1
        after = b.order[shared] > a.order[shared]
        if after:
            value = analysis.loops[loops[b.iterators.index(name)]].lower
        else:
            most = largest(b.domain, [int(n == name) for n in b.iterators])
            value = None if most is None else Affine((), most)
        if value is None or not set(value.names) <= set(a.iterators):
            continue
        if best is None or (shared, after) > best[:2]:
            best = (shared, after, value)
    return None if best is None else best[2]


def _padded(a: NestAccess, hidden: Sequence[tuple[str, Affine]]) -> NestAccess:
    names = [n for n, _ in hidden]
    domain, touch = widened(a.domain, a.map, a.iterators, names, [f"{n} = {value}" for n, value in hidden])
    return replace(
        a,
        iterators=(*a.iterators, *names),
        domain=domain,
        map=touch,
        order=(*a.order[:-1], *(a.order[-1],) * (len(names) + 1)),
        backwards=(*a.backwards, *(False,) * len(names)),
        hidden=tuple(hidden),
    )


def _shifts(
    group: Mapping[int, Group], known: Mapping[int, NestAccess], forms: Sequence[TileForm]
) -> Mapping[Group, tuple[int, ...]]:
    """Constants for the hyperplanes of each statement that turn no dependence round; empty: there are none."""
    edges: dict[tuple[Group, Group], list[int | None]] = {}
    for d in dataflow(list(known.values())).dependences:
        reader, writer = known[d.reader], known[d.writer]
        key = (group[d.reader], group[d.writer])
        far = [least_distance(d, p, q) for p, q in zip(planes(forms, reader), planes(forms, writer), strict=True)]
        old = edges.get(key, far)
        edges[key] = [None if x is None or y is None else min(x, y) for x, y in zip(old, far, strict=True)]
    groups = dict.fromkeys(group.values())
    shifts: dict[Group, list[int]] = {g: [] for g in groups}
    for k in range(len(forms)):
        least = {pair: far[k] for pair, far in edges.items()}
        at = dict.fromkeys(groups, 0)
        for _ in range(len(groups) + 1):
            for (later, early), distance in least.items():
                if distance is None:
                    return {}
                at[later] = max(at[later], at[early] - distance)
        if any((distance or 0) + at[later] - at[early] < 0 for (later, early), distance in least.items()):
            return {}
        for g in groups:
            shifts[g].append(at[g])
    return {g: tuple(v) for g, v in shifts.items()}
