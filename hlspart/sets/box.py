"""Boxes of iterations: arithmetic progressions, one of each iterator."""

from __future__ import annotations

import math

from msgspec import Struct


class Box(Struct, frozen=True):
    """``name = low + step * k`` for k in [0, count), independently for each name."""

    low: tuple[int, ...]
    step: tuple[int, ...]
    count: tuple[int, ...]

    def meets(self, other: Box) -> bool:
        """Whether some iteration, of the same names, is in both."""
        mine, its = (zip(b.low, b.step, b.count, strict=True) for b in (self, other))
        return all(_share(a, b) for a, b in zip(mine, its, strict=True))


def _share(a: tuple[int, int, int], b: tuple[int, int, int]) -> bool:
    """Whether two arithmetic progressions (first, positive step, count) have a member in common."""
    (low, step, count), (first, by, more) = a, b
    divisor = math.gcd(step, by)
    if count < 1 or more < 1 or (first - low) % divisor:
        return False
    k = (first - low) // divisor * pow(step // divisor, -1, by // divisor)
    common, period = low + step * k, step // divisor * by
    common += -(-(max(low, first) - common) // period) * period  # the least that both may have
    return common <= min(low + step * (count - 1), first + by * (more - 1))
