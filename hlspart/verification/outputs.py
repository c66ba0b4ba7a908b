"""What two versions give back for one vector, object by object, whatever banks hold its elements."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from hlspart.model.verifying import Difference
from hlspart.verification.data import FLOATS, Number, key, size, unpack
from hlspart.verification.differences import place, same, shown, split
from hlspart.verification.interface import Object
from hlspart.verification.mapping import Pair

Directed = tuple[bytes | None, bytes | None, bytes | None, bytes | None]  # original down and up, new down and up


class Outputs(Struct, frozen=True):
    """The outputs of both versions, ``runs`` of each on a vector; the return values first."""

    pairs: Sequence[Pair]
    results: tuple[Object | None, Object | None]
    runs: int
    ulp: int

    @property
    def of_original(self) -> list[Object]:
        """Those of the original, in the order of its record."""
        result = [self.results[0]] if self.results[0] else []
        return result + [o for o, _, _ in self.pairs if o.output]

    def of(self, side: int) -> list[Object]:
        """Those of a version, in the order of its record."""
        if side == 0:
            return self.of_original
        result = [self.results[1]] if self.results[1] else []
        return result + [x for o, new, _ in self.pairs if o.output for x in new]

    def record(self, side: int) -> int:
        """Bytes of the outputs of all runs on one vector."""
        return self.runs * sum(map(size, self.of(side)))

    def difference(
        self, expected: bytes, got: bytes, vector: int, directed: Directed | None = None
    ) -> Difference | None:
        """The first output that differs; with ``directed``, by more than rounding explains.

        These are the outputs of both versions rounded down and up. What exact numbers would give lies as far from a
        rounded sum as the two directions lie apart, or nearer: sums of the same terms differ by both distances at most.
        Of sums of rounded numbers with signs of both kinds the directions may cancel out, so that each number may be
        as far off as any of its object.
        """
        for run in range(self.runs):
            first, second = self._split(0, run, expected), self._split(1, run, got)
            for item, new, places in self._items():
                if places is None and first[key(item)] == second[key(new[0])]:
                    continue
                wanted, actual = _numbers(item, new, places, first, second)
                apart: Sequence[float] | None = None
                for at, (a, b) in enumerate(zip(wanted, actual, strict=True)):
                    code = item.leaves[at % len(item.leaves)].code
                    if same(a, b, code, self.ulp):
                        continue
                    if directed is not None and code in FLOATS:
                        apart = self._apart(item, new, places, run, directed) if apart is None else apart
                        if abs(a - b) <= apart[at] or apart[at] == math.inf:
                            continue
                    return Difference(place(item, at), shown(a, code), shown(b, code), vector, run + 1)
        return None

    def _items(self) -> Iterator[Pair]:
        if self.results[0] and self.results[1]:
            yield self.results[0], (self.results[1],), None
        yield from (pair for pair in self.pairs if pair[0].output)

    def _split(self, side: int, run: int, record: bytes) -> dict[str, bytes]:
        one = self.record(side) // self.runs
        return split(self.of(side), record[run * one : (run + 1) * one])

    def _apart(
        self,
        item: Object,
        new: Sequence[Object],
        places: Sequence[tuple[str, int]] | None,
        run: int,
        directed: Directed,
    ) -> list[float]:
        """How far apart rounding may leave the scalars of an object; infinite where a number leaves its range."""
        records = [r if r is None else self._split(k // 2, run, r) for k, r in enumerate(directed)]
        down, up = records[0::2], records[1::2]
        if down[0] is None or down[1] is None or up[0] is None or up[1] is None:
            return [0.0] * (item.count * len(item.leaves))
        lows, highs = (_numbers(item, new, places, r[0] or {}, r[1] or {}) for r in (down, up))
        values = []
        for low, high, new_low, new_high in zip(lows[0], highs[0], lows[1], highs[1], strict=True):
            wide = abs(high - low) + abs(new_high - new_low)
            values.append(wide if math.isfinite(wide) else math.inf)
        most = max((wide for wide in values if wide < math.inf), default=0.0)
        return [max(wide, most) for wide in values]


def _numbers(
    item: Object, new: Sequence[Object], places: Sequence[tuple[str, int]] | None,
    first: Mapping[str, bytes], second: Mapping[str, bytes],
) -> tuple[Sequence[Number], Sequence[Number]]:  # fmt: skip
    """Scalars of an object in the original and in the new version, in memory order of the original."""
    wanted = unpack(item, first[key(item)])
    if places is None:
        return wanted, unpack(new[0], second[key(new[0])])
    banks, width = {key(b): unpack(b, second[key(b)]) for b in new}, len(item.leaves)
    return wanted, [x for name, at in places for x in banks[name][at * width : (at + 1) * width]]
