"""Which accesses share a load per bank, against all iterations; no set is asked where the iterations are few."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from rewrite_help import analysed

from hlspart.layouts.lattice import linear
from hlspart.layouts.table import TableLayout
from hlspart.rewrite.lanes import deal_lanes
from hlspart.sets.region import AccessRelation, TooHard


def refused(*_: object) -> AccessRelation:
    raise TooHard("no set is asked")


@pytest.mark.parametrize("seed", range(6))
def test_lanes_are_those_of_all_iterations(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    chosen = random.Random(seed)
    slots = sorted({(chosen.choice((1, 2, 3)), chosen.randrange(20)) for _ in range(5)})
    reads = " + ".join(f"A[{step} * i + {k}]" for step, k in slots)
    program, analysis, _ = analysed(
        f"int f(int A[90]) {{ int s = 0; for (int i = 0; i < 4; i++) s += {reads}; return s; }}"
    )
    array = next(v.id for v in program.arrays())
    layout = TableLayout(linear((90,), (1,), 12), tuple(k // 2 for k in range(12)))
    accesses = [a for a in analysis.accesses if a.array == array]
    monkeypatch.setattr(AccessRelation, "then", refused)
    pairs = list(combinations(range(len(slots)), 2))
    dealt = deal_lanes(layout, [a.index for a in accesses], [[a] for a in accesses], set(range(len(slots))), [])
    assert dealt is not None
    lane = dealt[0]

    def meet(a: int, b: int) -> bool:
        both = (tuple(step * i + k for step, k in (slots[a], slots[b])) for i in range(4))
        return any(x != y and layout.bank((x,)) == layout.bank((y,)) for x, y in both)

    assert not any(meet(a, b) for a, b in pairs if lane[a] == lane[b])
    assert any(not meet(a, b) for a, b in pairs)
    assert max(lane.values()) < len(slots) - 1  # any two that never meet leave a lane free
