"""Partition rules of two published tools, re-implemented from their description, as oracles.

Both look at one dimension at a time, at the distinct index forms of all accesses of one iteration.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations

from hlspart.banking.need import Need
from hlspart.layouts.dimension import DimLayout
from hlspart.layouts.perdim import PerDimLayout
from hlspart.model.access import Affine

Rule = Callable[[Sequence[Affine], Sequence[tuple[str, int]]], int]


def by_distance(forms: Sequence[Affine], steps: Sequence[tuple[str, int]]) -> int:
    """ScaleHLS (HPCA 2022): d = greatest distance + 1, n = number of forms; cyclic d if n >= d, else n * gcd."""
    gaps = [b - a for a, b in combinations(forms, 2)]
    constant = [abs(g.const) for g in gaps if not g.terms]
    if len(forms) < 2 or len(constant) < len(gaps):
        return 1
    return max(constant) + 1 if len(forms) > max(constant) else len(forms) * math.gcd(*constant)


def by_gcd(forms: Sequence[Affine], steps: Sequence[tuple[str, int]]) -> int:
    """Merlin: least N >= references without a conflict by the GCD test, halved for two ports, a power of two."""
    step = dict(steps)
    for factor in range(len(forms), 1025):
        clash = False
        for a, b in combinations(forms, 2):
            gap = b - a
            divisor = math.gcd(factor, *(c * step.get(n, 1) for n, c in gap.terms))
            clash = clash or gap.const % divisor == 0
        if not clash:
            half = -(-factor // 2)
            return 1 << (half - 1).bit_length()
    return 1


def partition(rule: Rule, needs: Sequence[Need], shape: Sequence[int]) -> PerDimLayout:
    """What a rule says for all loops together: the greatest factor of any loop, per dimension."""
    dims = []
    for k, extent in enumerate(shape):
        factor = 1
        for need in needs:
            sites = [s for s in need.problem.sites if s.forms is not None]
            forms = list(dict.fromkeys(s.forms[k] for s in sites if s.forms is not None))
            space = need.problem.space
            if forms:
                factor = max(factor, rule(forms, list(zip(space.names, space.steps, strict=True))))
        factor = min(factor, extent)
        dims.append(DimLayout.of("cyclic" if factor > 1 else "whole", extent, factor))
    return PerDimLayout(tuple(dims))


def serves(layout: PerDimLayout, needs: Sequence[Need]) -> bool:
    """Whether a tool that counts statically reaches the II of every loop with it."""
    return all(need.fits(layout, "static") for need in needs)
