"""Time of the search for the least banks and its proof, in this process; part of `make bench`.

python tests/bench_banking.py
"""

from __future__ import annotations

import itertools
import json
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from hlspart.banking.need import Need
from hlspart.banking.pragmas import PragmaSpace
from hlspart.banking.search import least_any
from hlspart.model.access import Affine
from hlspart.model.ports import IterationSpace, PortAccess, Ports

PATTERNS = Path(__file__).parent / "banking" / "patterns.json"
RANDOM = ((16, 1, 40), (16, 2, 7), (16, 2, 10), (16, 3, 4), (32, 1, 80), (32, 2, 10), (32, 3, 5))
Offsets = Sequence[Sequence[int]]


def loops(groups: Sequence[Offsets], ports: int) -> tuple[list[Need], tuple[int, ...]]:
    """One nest per group over an array of four times the window, and the array's extents."""
    cells = [o for g in groups for o in g]
    rank = len(cells[0])
    low, high = [min(o[k] for o in cells) for k in range(rank)], [max(o[k] for o in cells) for k in range(rank)]
    extents = tuple(4 * (b - a + 1) for a, b in zip(low, high, strict=True))
    names = ("i", "j", "k")[:rank]
    bounds = [f"{-a} <= {n} < {e - b}" for n, a, b, e in zip(names, low, high, extents, strict=True)]
    domain = f"{{ [{', '.join(names)}] : {' and '.join(bounds)} }}"
    found = []
    for offsets in groups:
        forms = [tuple(Affine.of({n: 1}, c) for n, c in zip(names, o, strict=True)) for o in offsets]
        reads = [PortAccess(k, "read", form, None, domain, k) for k, form in enumerate(forms)]
        found.append(Need(IterationSpace(names, domain, (1,) * rank), reads, Ports(total=ports)))
    return found, extents


def seconds(work: Callable[[], object]) -> float:
    """Processor time of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def table() -> float:
    """All named patterns, one and two ports, any mapping and pragmas."""

    def work() -> None:
        for row in json.loads(PATTERNS.read_text()).values():
            for ports in row["minima"]:
                needs, extents = loops(row["groups"], int(ports))
                least_any(needs, extents)
                PragmaSpace(needs, extents, "ideal").least()

    return seconds(work)


def sparse(accesses: int, rank: int, side: int) -> list[float]:
    """Random sparse windows, one and two ports."""
    rng = random.Random(1)
    cells = list(itertools.product(range(side), repeat=rank))
    found = []
    for number in range(8):
        needs, extents = loops([rng.sample(cells, accesses)], 1 + number % 2)
        found.append(seconds(lambda needs=needs, extents=extents: least_any(needs, extents)))  # type: ignore[misc]
    return found


def main() -> None:
    """Print one line per measurement."""
    print(f"banking   all {2 * len(json.loads(PATTERNS.read_text()))} named rows: {table():.2f} s")
    for accesses, rank, side in RANDOM:
        times = sparse(accesses, rank, side)
        title = f"banking   {accesses} random accesses in {'x'.join([str(side)] * rank)}"
        print(f"{title}: worst {max(times):.3f} s, mean {sum(times) / len(times):.3f} s")


if __name__ == "__main__":
    main()
