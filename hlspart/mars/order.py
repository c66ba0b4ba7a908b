"""The order of the MARS in an owner's block that gives its readers the fewest bursts.

A reader fetches the sets it consumes; two neighbours in memory that it both consumes are one burst.
So bursts = sum of |C(a)| - sum over neighbours of |C(a) and C(b)|: a maximum-weight Hamiltonian path.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

Consumers = frozenset[tuple[int, ...]]

EXACT_UP_TO = 14


class SetOrder(Struct, frozen=True):
    """``sequence`` of positions; ``bursts`` it needs; ``bound``: no order needs fewer. ``method`` says how."""

    sequence: tuple[int, ...]
    bursts: int
    bound: int
    method: str

    @property
    def optimal(self) -> bool:
        """Proved."""
        return self.bursts == self.bound


def order(sets: Sequence[Consumers], exact: bool = True) -> SetOrder:
    """Least-burst order of ``sets``; proved up to :data:`EXACT_UP_TO` sets, above with the solver extra."""
    n = len(sets)
    total = sum(len(s) for s in sets)
    weight = [[len(a & b) for b in sets] for a in sets]
    if n <= 1:
        return SetOrder(tuple(range(n)), total, total, "trivial")
    path = _improved(weight, _greedy(weight))
    gain, ceiling = _gain(weight, path), _spanning(weight)
    if gain == ceiling:
        return SetOrder(tuple(path), total - gain, total - ceiling, "2-opt, met by its bound")
    if n <= EXACT_UP_TO:
        path = _dynamic(weight)
        gain = _gain(weight, path)
        return SetOrder(tuple(path), total - gain, total - gain, "dynamic program")
    if exact and importlib.util.find_spec("highspy") is not None:
        from hlspart.mars.solver import longest_path

        better, limit = longest_path(weight, path)
        limit = min(limit, ceiling)
        return SetOrder(tuple(better), total - _gain(weight, better), total - limit, "integer program")
    return SetOrder(tuple(path), total - gain, total - ceiling, "2-opt")


def _gain(weight: Sequence[Sequence[int]], path: Sequence[int]) -> int:
    return sum(weight[a][b] for a, b in pairwise(path))


def _greedy(weight: Sequence[Sequence[int]]) -> list[int]:
    """Join the heaviest fitting edges into one path."""
    n = len(weight)
    edges = sorted((-weight[a][b], a, b) for a in range(n) for b in range(a + 1, n))
    degree, root = [0] * n, list(range(n))
    chosen: list[list[int]] = [[] for _ in range(n)]

    def find(a: int) -> int:
        while root[a] != a:
            root[a] = root[root[a]]
            a = root[a]
        return a

    for _, a, b in edges:
        if degree[a] < 2 and degree[b] < 2 and find(a) != find(b):
            root[find(a)] = find(b)
            degree[a] += 1
            degree[b] += 1
            chosen[a].append(b)
            chosen[b].append(a)
    at, before = next(a for a in range(n) if degree[a] == 1), -1
    path = [at]
    while len(path) < n:
        following = next(b for b in chosen[at] if b != before)
        before, at = at, following
        path.append(at)
    return path


def _improved(weight: Sequence[Sequence[int]], path: list[int]) -> list[int]:
    """2-opt (reversals) and moves of short pieces, until neither helps."""
    n = len(path)

    def w(a: int, b: int) -> int:
        return weight[path[a]][path[b]] if 0 <= a < n and 0 <= b < n else 0

    better = True
    while better:
        better = False
        for i in range(n):
            for j in range(i + 1, n):
                if w(i - 1, j) + w(i, j + 1) > w(i - 1, i) + w(j, j + 1):
                    path[i : j + 1] = path[i : j + 1][::-1]
                    better = True
        for length in (1, 2, 3):
            for i in range(n - length + 1):
                base = _gain(weight, path)
                piece, rest = path[i : i + length], path[:i] + path[i + length :]
                for k in range(len(rest) + 1):
                    for turned in (piece, piece[::-1]):
                        candidate = rest[:k] + turned + rest[k:]
                        gain = _gain(weight, candidate) if _worth(weight, rest, turned, k, base) else base
                        if gain > base:
                            path, base, better = candidate, gain, True
    return path


def _worth(weight: Sequence[Sequence[int]], rest: Sequence[int], piece: Sequence[int], k: int, base: int) -> bool:
    """Cheap filter: the two joints must add something."""
    left = weight[rest[k - 1]][piece[0]] if k else 0
    right = weight[piece[-1]][rest[k]] if k < len(rest) else 0
    return left + right > 0 or base == 0


def _spanning(weight: Sequence[Sequence[int]]) -> int:
    """Weight of a heaviest spanning tree: no path gains more."""
    n = len(weight)
    best = list(weight[0])
    inside = [True] + [False] * (n - 1)
    total = 0
    for _ in range(n - 1):
        at = max((k for k in range(n) if not inside[k]), key=lambda k: best[k])
        total += best[at]
        inside[at] = True
        best = [max(x, y) for x, y in zip(best, weight[at], strict=True)]
    return total


def _dynamic(weight: Sequence[Sequence[int]]) -> list[int]:
    """Held and Karp: best[set][last]."""
    n = len(weight)
    full = (1 << n) - 1
    best = [[-1] * n for _ in range(full + 1)]
    for k in range(n):
        best[1 << k][k] = 0
    for mask in range(1, full):
        row = best[mask]
        free = [b for b in range(n) if not mask >> b & 1]
        for last in range(n):
            value = row[last]
            if value < 0:
                continue
            edge = weight[last]
            for b in free:
                into = best[mask | 1 << b]
                if value + edge[b] > into[b]:
                    into[b] = value + edge[b]
    mask, at = full, max(range(n), key=lambda k: best[full][k])
    path = [at]
    while mask != 1 << at:
        rest = mask ^ (1 << at)
        before = next(
            k
            for k in range(n)
            if rest >> k & 1 and best[rest][k] >= 0 and best[rest][k] + weight[k][at] == best[mask][at]
        )
        mask, at = rest, before
        path.append(at)
    return path[::-1]
