"""Proofs that no mapping whatever has so few banks.

:func:`crowd`: elements of which any two are accessed in one iteration need a bank each, where a bank
serves one access. :func:`no_mapping`: a finite window of iterations cannot be coloured. Elements are
cells, banks are colours; each iteration of the window is a constraint: no colour on more of its cells
than a bank serves in one interval. If already these finitely many iterations cannot be satisfied, no
mapping of the array can. A colouring that exists proves nothing.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections import Counter
from collections.abc import Sequence

from hlspart.banking.colouring import Constraint, colour
from hlspart.banking.need import Cluster, Motion, Need, Offset

MAX_CROWD = 150  # elements looked at


def crowd(needs: Sequence[Need], shape: tuple[int, ...]) -> int:
    """A number of elements any two of which meet in some iteration, where a bank serves only one of them."""
    most = 1
    axes = range(len(shape))
    for need in needs:
        for cluster in need.clusters:
            motion = cluster.motion(need.problem.space.names, axes)
            for kind, cap in need.limits:
                offsets = [o for o, p in zip(cluster.offsets, cluster.positions, strict=True) if kind >> p & 1]
                if cap == 1 and len(offsets) > 1 and motion is not None:
                    most = max(most, _pairwise(offsets, motion, shape))
    return most


def _pairwise(offsets: Sequence[Offset], motion: Motion, shape: tuple[int, ...]) -> int:
    """Size of a set of elements that meet pairwise, around one in the middle; built up greedily."""
    steps = _steps(motion, len(shape))
    if steps is None:
        return 1
    apart: dict[Offset, list[Offset]] = {}  # distance of two accesses -> what the first one adds
    for one in offsets:
        for other in offsets:
            if one != other:
                apart.setdefault(_minus(other, one), []).append(one)
    if not apart:  # one element, however many access it
        return 1

    def touched(x: Offset, offset: Offset) -> bool:
        at = _minus(_minus(x, offset), motion.start)
        return all(a % m == 0 and 0 <= a // m < n for a, (m, n) in zip(at, steps, strict=True))

    def meet(x: Offset, y: Offset) -> bool:
        return any(touched(x, offset) for offset in apart.get(_minus(y, x), ()))

    middle = tuple(s + m * (n // 2) + o for s, (m, n), o in zip(motion.start, steps, offsets[0], strict=True))
    around = sorted(apart, key=lambda d: (max(map(abs, d)), d))[:MAX_CROWD]
    near = [tuple(a + d for a, d in zip(middle, delta, strict=True)) for delta in around]
    near = [x for x in near if all(0 <= a < n for a, n in zip(x, shape, strict=True)) and meet(middle, x)]
    base = 4 * max(max(map(abs, d)) for d in apart) + 1  # tells differences apart
    numbers = [_number(x, base) for x in near]
    known = {_number(d, base) for d in apart}
    always = [all(touched(x, offset) for offset in offsets) for x in near]
    friends = [0] * len(near)
    for k, x in enumerate(near):
        for j, y in enumerate(near[:k]):
            if numbers[k] - numbers[j] in known and (always[k] or meet(x, y)):
                friends[k] |= 1 << j
                friends[j] |= 1 << k
    size, left = 1, (1 << len(near)) - 1
    while left:
        chosen = max((k for k in range(len(near)) if left >> k & 1), key=lambda k: (friends[k] & left).bit_count())
        left &= friends[chosen]
        size += 1
    return size


def _steps(motion: Motion, rank: int) -> list[tuple[int, int]] | None:
    """Per axis (step, times) of the one iterator that moves it and nothing else; None for other motions."""
    steps = [(1, 1)] * rank
    for move, times in motion.moves:
        axes = [k for k, c in enumerate(move) if c]
        if len(axes) != 1 or steps[axes[0]] != (1, 1):
            return None
        steps[axes[0]] = (move[axes[0]], times)
    return steps


def _number(x: Offset, base: int) -> int:
    return functools.reduce(lambda number, digit: number * base + digit, x, 0)


def _minus(x: Offset, y: Offset) -> Offset:
    return tuple(map(operator.sub, x, y))


def no_mapping(needs: Sequence[Need], shape: tuple[int, ...], banks: int, steps: int) -> tuple[bool, int]:
    """Whether it is proved that ``banks`` banks cannot serve all ``needs``, whatever the mapping; steps taken.

    ``steps`` bounds the search over all windows that are tried.
    """
    previous, left = 0, steps
    for side in {1: (8, 16, 32, 64), 2: (3, 4, 5, 7)}.get(len(shape), (2, 3, 4)):
        cells, constraints = _window(needs, side, shape)
        if len(constraints) == previous:
            break
        previous = len(constraints)
        colouring = colour(cells, constraints, banks, left)
        left -= colouring.steps
        if colouring.complete and colouring.colours is None:
            return True, steps - left
        if left <= 0 or not colouring.complete:
            break
    return False, steps - left


def _window(needs: Sequence[Need], side: int, shape: tuple[int, ...]) -> tuple[int, list[Constraint]]:
    """How many cells the first ``side`` values of iterators touch, the most constrained first; the constraints."""
    rows: set[tuple[frozenset[Offset], int]] = set()
    for need in needs:
        for cluster in need.clusters:
            for touched in _iterations(need, cluster, side):
                if any(not 0 <= i < n for x in touched for i, n in zip(x, shape, strict=True)):
                    continue
                for kind, cap in need.limits:
                    chosen = frozenset(x for x, p in zip(touched, cluster.positions, strict=True) if kind >> p & 1)
                    if len(chosen) > cap:
                        rows.add((chosen, cap))
    often = Counter(x for row, _ in rows for x in row)
    number = {x: k for k, x in enumerate(sorted(often, key=lambda x: (-often[x], x)))}
    return len(number), sorted((sum(1 << number[x] for x in row), cap) for row, cap in rows)


def _iterations(need: Need, cluster: Cluster, side: int) -> list[tuple[tuple[int, ...], ...]]:
    """Elements that the cluster touches, for a few iterations that are proved to happen."""
    box = cluster.box
    names = need.problem.space.names
    if box is None or any(n not in names for f in cluster.forms for n in f.names):
        return []
    used = {n for f in cluster.forms for n in f.names}
    ranges = [
        range(low, low + step * min(times, side if n in used else 1), step)
        for n, low, step, times in zip(names, box.low, box.step, box.count, strict=True)
    ]
    first = cluster.offsets[0]
    iterations = []
    for values in itertools.islice(itertools.product(*ranges), 2000):
        at = dict(zip(names, values, strict=True))
        base = tuple(f.at(at).const for f in cluster.forms)
        iterations.append(
            tuple(tuple(b + o - z for b, o, z in zip(base, x, first, strict=True)) for x in cluster.offsets)
        )
    return iterations
