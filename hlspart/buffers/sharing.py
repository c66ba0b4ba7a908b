"""From lifetimes to pools: what shares with what, as records; nothing is written here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct

from hlspart.buffers.candidates import Candidate, Candidates, element_bytes
from hlspart.buffers.packing import pack
from hlspart.buffers.pools import Cost, Grouped, Item, chained, group, least_rows
from hlspart.hardware.storage import Storage
from hlspart.model.buffers import Buffer, Pool, Sharing
from hlspart.model.program import ArrayType, Program
from hlspart.model.results import ArrayResult
from hlspart.partition.layout import make_layout
from hlspart.predict.resources import built_of
from hlspart.rewrite.names import Names
from hlspart.sets.lifetimes import overtakes
from hlspart.sets.region import TooHard


class Granule(Struct, frozen=True):
    """Which memory counts first."""

    bram: bool

    def cost(self, size: int, blocks: tuple[int, int, int]) -> Cost:
        """(first, second, ..) of a pool."""
        first = (blocks[0], size) if self.bram else (size, blocks[0])
        return (*first, *blocks[1:])


class Sharer:
    """Groups the candidates of a program into pools, again and again as pairs turn out not to fit together."""

    def __init__(self, candidates: Candidates, storage: Storage, bram_first: bool) -> None:
        self.candidates, self.storage = candidates, storage
        self.granule = Granule(bram_first)
        self.program: Program = candidates.program
        self.results: Mapping[int, ArrayResult] = {a.variable: a for a in candidates.figures.arrays}
        self.of = {c.variable.id: c for c in candidates.all}
        self.kinds: dict[tuple[object, ...], list[Candidate]] = {}
        for candidate in candidates.all:
            if candidate.key is not None:
                self.kinds.setdefault(candidate.key, []).append(candidate)
        self.takers = {c.variable.id: self._places(c) for c in candidates.all if c.key is not None}

    def share(self, refused: Mapping[frozenset[int], str], share: bool = True) -> tuple[Sharing, tuple[Pool, ...]]:
        """The best pools without the pairs ``refused``, for a reason each; every array alone if not ``share``."""
        pools: list[tuple[list[Candidate], Grouped]] = []
        complete = not refused
        places: dict[int, int] = {}
        for members in self.kinds.values() if share else ():
            groups, certain, taken = self._grouped(members, refused)
            complete = complete and certain
            places.update(taken)
            pools += [(members, g) for g in groups if sum(len(i.members) for i in g.items) > 1]
        return self._records(pools, places, complete, refused)

    # ------------------------------------------------------------------------------ pairs

    def _places(self, taker: Candidate) -> tuple[int, ...]:
        """Arrays in whose place one may be written while they are read for the last time."""
        step, places = taker.life.first, []
        extents = [d for d in taker.variable.dims if d is not None]
        for other in self.kinds.get(taker.key or (), ()):
            if other is taker or other.life.last != step or other.variable.dims != taker.variable.dims:
                continue
            reads = [t for t in other.life.touches if t.step == step]
            writes = [t for t in taker.life.touches if t.step == step and t.kind == "write"]
            if not reads or not writes or any(t.kind == "write" for t in reads) or step in self.candidates.calls:
                continue
            try:
                if not overtakes(reads, writes, extents):
                    places.append(other.variable.id)
            except TooHard:
                continue
        return tuple(places)

    def _chains(self, members: Sequence[Candidate], refused: Mapping[frozenset[int], str]) -> dict[int, int]:
        """Taker -> place, in order of time; a place is taken once."""
        pairs: dict[int, int] = {}
        for taker in sorted(members, key=lambda c: (c.life.first, c.variable.id)):
            mine = taker.variable.id
            for place in self.takers[mine]:
                chain = [place]
                while chain[-1] in pairs:
                    chain.append(pairs[chain[-1]])
                if place not in pairs.values() and not any(frozenset((v, mine)) in refused for v in chain):
                    pairs[mine] = place
                    break
        return pairs

    def _grouped(
        self, members: Sequence[Candidate], refused: Mapping[frozenset[int], str]
    ) -> tuple[list[Grouped], bool, dict[int, int]]:
        """Pools for arrays of one kind, whether all ways to group them were seen, and taker -> place."""
        items = {c.variable.id: self._item(c) for c in members}
        pairs = self._chains(members, refused)

        def apart(one: Item, other: Item) -> bool:
            return any(frozenset((a, b)) in refused for a in one.members for b in other.members)

        sample = members[0]
        groups, certain = group(chained(items, pairs), lambda rows: self.cost(sample, rows), apart)
        return groups, certain and not pairs, pairs

    def _least(self, members: Sequence[Candidate]) -> int:
        """Bytes below which no placement of arrays of one kind goes, whatever is used at the same time."""
        rows = least_rows([self._item(c) for c in members], frozenset(v for v, places in self.takers.items() if places))
        if not any(self.takers[c.variable.id] for c in members):
            packed = pack([self._item(c).block for c in members])
            rows = packed.height if packed.proved else rows
        return self._bytes(members[0], rows)

    def _item(self, c: Candidate) -> Item:
        rows = c.variable.dims[0] or 0
        pinned = c.exact or any(p.dim == 1 for p in self.results[c.variable.id].partition)
        return Item((c.variable.id,), c.life.first, c.life.last, rows, c.steps, pinned, c.exact)

    def cost(self, sample: Candidate, rows: int) -> Cost:
        """What a pool of some rows takes, for arrays like ``sample``."""
        return self.granule.cost(self._bytes(sample, rows), self._blocks(sample, rows))

    @staticmethod
    def _bytes(sample: Candidate, rows: int) -> int:
        assert isinstance(sample.variable.type, ArrayType)
        return rows * math.prod(d or 0 for d in sample.variable.dims[1:]) * element_bytes(sample.variable.type)

    def _blocks(self, sample: Candidate, rows: int) -> tuple[int, int, int]:
        result = self.results[sample.variable.id]
        layout = make_layout((rows, *sample.variable.dims[1:]), result.partition)
        depths = () if layout is None else tuple(layout.depth(b) for b in range(layout.banks))
        blocks, ultra, luts = built_of(self.storage, sample.variable, depths, result.element_bits)
        return blocks * result.copies, ultra * result.copies, luts * result.copies

    # ---------------------------------------------------------------------------- records

    def _records(
        self,
        pools: Sequence[tuple[list[Candidate], Grouped]],
        places: Mapping[int, int],
        complete: bool,
        refused: Mapping[frozenset[int], str],
    ) -> tuple[Sharing, tuple[Pool, ...]]:
        names = Names(source.text for source in self.program.sources.values())
        base, number = 0, 0
        offsets: dict[int, tuple[int, int]] = {}  # variable -> (byte, pool)
        made: list[Pool] = []
        for members, grouped in sorted(pools, key=lambda p: min(v for i in p[1].items for v in i.members)):
            sample = members[0]
            size = self._bytes(sample, grouped.height)
            inside = sorted((v, row) for i, row in zip(grouped.items, grouped.rows, strict=True) for v in i.members)
            for v, row in inside:
                offsets[v] = base + self._bytes(sample, row), number
            called = [self.of[v].variable.name for v, _ in inside]
            name = names.free("_".join(called[:3]) if len(called) <= 3 else f"{called[0]}_pool")
            dims = (grouped.height, *(d or 0 for d in sample.variable.dims[1:]))
            blocks = self._blocks(sample, grouped.height)[0]
            where = sample.variable.function or ""
            made.append(Pool(number, name, where, tuple(inside), tuple(called), dims, size, blocks))
            base, number = base + size, number + 1
        buffers = []
        for c in self.candidates.all:
            if c.variable.id not in offsets:
                offsets[c.variable.id] = base, number
                base, number = base + c.size * c.copies, number + 1
            at, pool = offsets[c.variable.id]
            place = places.get(c.variable.id)
            shared = any(c.variable.id == v for p in made for v, _ in p.members)
            buffers.append(
                Buffer(
                    c.variable.name, c.life.first, c.life.last, c.size, at, 1, c.copies, pool,
                    self.of[place].variable.name if place is not None and shared else None,
                    None if shared else c.reason or self._alone(c, refused),
                    c.variable.function, self.program.line(c.variable.at),
                )
            )  # fmt: skip
        unshared = sum(c.size * c.copies for c in self.candidates.all)
        single = sum(c.size * c.copies for c in self.candidates.all if c.key is None)
        proved = base == single + sum(self._least(members) for members in self.kinds.values())
        return Sharing(tuple(buffers), base, self._bound(), unshared, proved, "search", complete), tuple(made)

    def _bound(self) -> int:
        """The most bytes that are live at one step, arrays that take another's place there left out."""
        most = 0
        for step in range(self.candidates.end + 1):
            live = [c for c in self.candidates.all if c.life.first <= step <= c.life.last]
            most = max(
                most,
                sum(c.size * c.copies for c in live if not (c.life.first == step and self.takers.get(c.variable.id))),
            )
        return most

    def _alone(self, c: Candidate, refused: Mapping[frozenset[int], str]) -> str:
        """Why an array that could share does not."""
        alike = [o for o in self.kinds.get(c.key or (), ()) if o is not c]
        if not alike:
            return "no other array has its type, row, partition and storage"
        reasons = [refused[p] for o in alike if (p := frozenset((c.variable.id, o.variable.id))) in refused]
        if reasons:
            return reasons[0]
        beside = sorted(o.variable.name for o in alike if o.steps & c.steps)
        free = [o for o in alike if o.life.last < c.life.first or c.life.last < o.life.first]
        if not free:
            return "all others like it are live at the same time"
        if all((o.exact or c.exact) and o.variable.dims != c.variable.dims for o in free):
            return "no array of as many rows is free then, and a call or a partition by rows needs their number"
        if beside:
            return f"used in one step with {', '.join(beside)}; sharing with others would save nothing more"
        return "sharing would save nothing more"
