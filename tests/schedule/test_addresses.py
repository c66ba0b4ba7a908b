"""Whether all addresses of a set differ is asked of their shapes: as of each pair of them."""

from __future__ import annotations

import random
from itertools import combinations

from hlspart.lowering.history import Index, are_different, is_different
from hlspart.model.access import Affine


def test_all_differ_where_each_two_do() -> None:
    rng = random.Random(5)
    outcomes = []
    for _ in range(400):
        rank, names = rng.randint(1, 3), rng.sample(["i", "j", "k"], rng.randint(1, 2))

        def one(rank: int = rank, names: list[str] = names) -> Index:
            if rng.random() < 0.02:
                return None
            forms = [Affine.of({n: rng.choice([0, 1]) for n in names}, rng.randint(0, 3)) for _ in range(rank)]
            return tuple(None if rng.random() < 0.05 else form for form in forms)

        indices = {one() for _ in range(rng.randint(1, 4))}
        expected = all(is_different(a, b) for a, b in combinations(indices, 2))
        assert are_different(indices) == expected
        outcomes.append(expected)
    assert 100 < sum(outcomes) < 300
