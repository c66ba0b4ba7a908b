"""Questions that the text written, other partitions and other directives ask again are answered once, and alike."""

import random

import pytest
from predicting import result

from hlspart.banking.conflicts import Conflicts
from hlspart.banking.counting import PortProblem
from hlspart.layouts.dimension import DimLayout
from hlspart.layouts.perdim import PerDimLayout
from hlspart.lowering.distances import Iterations
from hlspart.model.access import Affine
from hlspart.model.answers import Answers
from hlspart.model.ports import IterationSpace, PortAccess, Ports
from hlspart.partition import verdicts
from hlspart.sets.region import AccessRelation

REMAINDERS = """void f(const int x[80], int t[4096]) {{
#pragma HLS ARRAY_PARTITION variable=t cyclic factor={banks}
    T: for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE{blanks}
        for (int j = 0; j < 72; j++) t[(64 * i + j * 3) % 4096] = x[j];
    }}
}}
"""
HALVES = """void f(const int x[64], int t[64]) {{
#pragma HLS ARRAY_PARTITION variable=t cyclic factor={banks}
    T: for (int i = 0; i < 64; i++) {{
        t[i / 2] += x[i];
    }}
}}
"""
NAMES = ("i",)
TWO = Ports(total=2)


def test_distances_of_many_pairs_are_kept(monkeypatch: pytest.MonkeyPatch):
    """72 stores of an iteration are more than 5,000 pairs."""
    asked: list[object] = []
    pair = Iterations.pair
    monkeypatch.setattr(Iterations, "pair", lambda self, a, b: asked.append(b) or pair(self, a, b))
    result(REMAINDERS.format(banks=72, blanks=""))
    assert len(asked) > 4096
    count = len(asked)
    result(REMAINDERS.format(banks=64, blanks="\n\n"))  # other banks, other lines
    assert len(asked) == count


def test_distances_of_other_iterations_are_others():
    """Each loop alone has what it has behind one that differs in bounds or step."""
    text = (
        "void f(int t[99]) {{ T: for (int i = {}; i < {}; i += {}) {{\n#pragma HLS PIPELINE\nt[i] = t[i - 3] + 1; }} }}"
    )
    found = [
        result(text.format(*x)).loops[0].recurrence_ii
        for x in ((3, 90, 1), (3, 90, 2), (3, 6, 1), (3, 90, 3), (3, 90, 1))
    ]
    assert found[0] == found[4] and found[0] < found[3]  # three iterations apart, and one
    assert found[1] == found[2] == 1  # never: an odd distance, and too few iterations


def test_indices_of_one_dimension_are_found_once_for_all_its_partitions(monkeypatch: pytest.MonkeyPatch):
    asked: list[int] = []
    along = AccessRelation.along
    monkeypatch.setattr(AccessRelation, "along", lambda self, dim: asked.append(dim) or along(self, dim))
    r = random.Random(7)
    for k in range(40):
        a, b, c, d, trips = r.randint(1, 9), r.randint(2, 9), r.randint(-4, 60), r.randint(2, 5), r.randint(1, 40)
        space = IterationSpace(NAMES, f"{{ [i] : 0 <= i < {trips} }}", (1,))
        map_ = f"{{ [i] -> [{a} * (i mod {b}) + floor(i / {d}) + {c}] }}"
        problem = PortProblem(space, [PortAccess(0, "read", (None,), map_, space.domain, 1)])
        indices = {a * (i % b) + i // d + c for i in range(trips)}
        for kind, factor in (("cyclic", 2), ("cyclic", 7), ("block", 3), ("block", 5), ("cyclic", 16)):
            dim = DimLayout.of(kind, 128, factor)
            wanted = {dim.bank(x) for x in indices if kind == "cyclic" or 0 <= dim.bank(x) < dim.banks}
            assert problem.reach(0, PerDimLayout((dim,))) == wanted
        assert len(asked) == k + 1


def test_banks_by_a_quotient_are_tried_where_the_copies_can_have_one_each(monkeypatch: pytest.MonkeyPatch):
    tried: list[str] = []
    sets = verdicts._reached_by_sets
    monkeypatch.setattr(verdicts, "_reached_by_sets", lambda *asked: tried.append(asked[-1]) or sets(*asked))
    result(HALVES.format(banks=4))
    assert any(tried) and not any(f"mod {u} = 0" in where for where in tried for u in (2, 3))


def accesses(r: random.Random, line: int) -> list[PortAccess]:
    domain = "{ [i] : 0 <= i < 64 }"
    terms = [Affine.of({"i": r.choice((1, 1, 2, 3))}, r.randrange(8)) for _ in range(r.randint(3, 9))]
    return [PortAccess(k, r.choice(("read", "write")), (t,), None, domain, line + k) for k, t in enumerate(terms)]


def test_equal_loops_on_other_lines_are_counted_once(monkeypatch: pytest.MonkeyPatch):
    asked: list[Ports] = []
    busiest = Conflicts.busiest
    monkeypatch.setattr(Conflicts, "busiest", lambda self, ports: asked.append(ports) or busiest(self, ports))
    space = IterationSpace(NAMES, "{ [i] : 0 <= i < 64 }", (1,))
    for seed in range(20):
        layout = PerDimLayout((DimLayout.of("cyclic", 256, 2 + seed % 5),))
        one = PortProblem(space, accesses(random.Random(seed), 10))
        other = PortProblem(space, accesses(random.Random(seed), 99))
        first = one.ideal(layout, TWO)
        count = len(asked)
        assert other.ideal(layout, TWO) == first and len(asked) == count
        assert other.pairs == one.pairs  # a search spends its budget alike
        assert first[0].interval == -(-enumerated(one, layout) // 2)
        changed = [*accesses(random.Random(seed), 10), PortAccess(99, "read", (Affine((), 0),), None, space.domain, 1)]
        third = PortProblem(space, changed).ideal(layout, TWO)
        assert third[0].interval >= first[0].interval


def enumerated(problem: PortProblem, layout: PerDimLayout) -> int:
    """Most accesses of one bank in any iteration; a read of an element that is read already costs nothing."""
    most = 0
    for i in range(64):
        banks: dict[int, list[object]] = {}
        for k, a in enumerate(problem.accesses):
            assert a.index is not None
            element = a.index[0].at({"i": i}).const
            banks.setdefault(layout.bank((element,)), []).append(("r", element) if a.kind == "read" else k)
        most = max(most, *(len(set(found)) for found in banks.values()))
    return most


def test_answers_are_kept_by_their_key():
    found: Answers[int] = Answers(2)
    made: list[int] = []

    def asked(k: int) -> int:
        return found.of(k, lambda: made.append(k) or k * k)

    assert [asked(k) for k in (1, 2, 1, 3, 1, 2)] == [1, 4, 1, 9, 1, 4]
    assert made == [1, 2, 3, 2]  # the one not asked about for the longest goes
