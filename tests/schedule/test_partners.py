"""What spares looking at pairs: the answers are those of all pairs."""

import itertools
import random
from collections.abc import Callable, Sequence

import pytest
from predicting import result

from hlspart.lowering import dependence, lower
from hlspart.lowering.distances import Address
from hlspart.lowering.related import connected
from hlspart.schedule import modulo
from hlspart.schedule.problem import Problem
from hlspart.sets.box import Box

KERNEL = """void f(int A[16][8], int x[64], int n) {{
{partition}
  L: for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE
{body}
  }}
}}
"""
PARTITIONS = (
    "",
    "#pragma HLS ARRAY_PARTITION variable=A complete dim=2",
    "#pragma HLS ARRAY_PARTITION variable=A complete dim=0",
)


def _kernel(rng: random.Random) -> str:
    columns = ["0", "1", "5", "7", "i % 8"] if rng.random() < 0.5 else ["0", "1", "5"]
    rows = ["0", "1", "2", "3", "i / 4", rng.choice(["i % 16", "x[i]", "(i & 15)"])]

    def place() -> str:
        return f"A[{rng.choice(rows)}][{rng.choice(columns)}]"

    lines = []
    for _ in range(rng.randint(3, 8)):
        guard = rng.choice(["", "", "if (x[i] > 3) ", "if (i > 5) "])
        other = f" else {place()} = {place()};" if guard and rng.random() < 0.5 else ""
        lines.append(f"    {guard}{place()} = {place()} + {place()};{other}")
    return KERNEL.format(partition=rng.choice(PARTITIONS), body="\n".join(lines))


UNROLLED = """void f(int A[64][96], int x[64], int n) {{
#pragma HLS ARRAY_PARTITION variable=A cyclic factor=4 dim=2
  L: for (int i = 4; i < 50; i++) {{
#pragma HLS PIPELINE
    for (int j = 4; j < 12; j++) {{
      A[i][8 * j + {0}] = A[i + {1}][8 * j] + A[i][j + {2}];
      if (x[i] > 3) A[i + 1][j] = A[{3} + 4][i];
    }}
  }}
}}
"""


def _all_pairs(
    addresses: Sequence[Address], number: object, are_related: Callable[[Address, Address], bool]
) -> list[list[int]]:
    def is_found(a: Address, b: Address) -> bool:
        return (a.ref.kind, b.ref.kind) != ("read", "read") and are_related(a, b)

    return [[k for k, b in enumerate(addresses) if is_found(a, b)] for a in addresses]


def test_constants_tell_elements_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(11)
    texts = [_kernel(rng) for _ in range(12)] + [UNROLLED.format(*rng.sample(range(-3, 9), 4)) for _ in range(6)]
    found = [result(text) for text in texts]
    for module in (dependence, lower):
        monkeypatch.setattr(module, "related", _all_pairs)
    monkeypatch.setattr(lower, "connected", lambda reaches: [range(len(reaches))])
    assert [result(text + "\n").loops for text in texts] == [x.loops for x in found]
    assert len({x.loops[0].figure for x in found}) > 3


def test_parts_share_no_bank_and_fall_into_no_smaller_ones() -> None:
    rng = random.Random(14)
    sizes = set()
    for _ in range(500):
        reaches = [frozenset(rng.sample(range(9), rng.choice((0, 1, 1, 1, 2, 3)))) for _ in range(rng.randint(1, 9))]
        closure = {k: {j for j, other in enumerate(reaches) if reach & other} for k, reach in enumerate(reaches)}
        for _ in reaches:
            closure = {k: set().union(*(closure[j] for j in near)) for k, near in closure.items()}
        assert connected(reaches) == sorted(
            {tuple(sorted(near)): sorted(near) for near in closure.values() if near}.values()
        )
        sizes.add(len(connected(reaches)))
    assert sizes > {1, 2, 3}


def test_arms_without_a_sibling_take_no_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(12)
    texts = [_kernel(rng) for _ in range(8)]
    found = [result(text) for text in texts]
    modulo.modulo_schedule.cache_clear()
    monkeypatch.setattr(Problem, "either", property(lambda problem: frozenset(problem.ports)))
    assert [result(text + "\n\n").loops for text in texts] == [x.loops for x in found]


def test_boxes_meet_as_their_points_do() -> None:
    rng = random.Random(13)
    met = 0
    for _ in range(2000):
        names = range(rng.randint(1, 2))
        boxes = [
            Box(*(tuple(rng.randint(*span) for _ in names) for span in ((-6, 9), (1, 6), (0, 5)))) for _ in range(2)
        ]
        points = [
            set(itertools.product(*(range(a, a + s * n, s) for a, s, n in zip(b.low, b.step, b.count, strict=True))))
            for b in boxes
        ]
        met += bool(points[0] & points[1])
        assert boxes[0].meets(boxes[1]) == bool(points[0] & points[1]), boxes
    assert 200 < met < 1800
