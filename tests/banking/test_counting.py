"""Port counts against enumeration of every iteration."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from hlspart.banking.accesses import are_exclusive, are_in_one_arm, are_never_zero
from hlspart.banking.conflicts import Conflicts
from hlspart.banking.counting import PortProblem, count
from hlspart.banking.need import Need
from hlspart.layouts.dimension import DimLayout
from hlspart.layouts.perdim import PerDimLayout
from hlspart.model.access import Affine
from hlspart.model.ports import IterationSpace, PortAccess, Ports
from tests.amounts import amount

T2P = Ports(total=2)


def space(**bounds: tuple[int, int, int]) -> IterationSpace:
    """Names with (low, high inclusive, step)."""
    where = " and ".join(f"{lo} <= {n} <= {hi} and ({n} - {lo}) mod {st} = 0" for n, (lo, hi, st) in bounds.items())
    return IterationSpace(
        tuple(bounds), f"{{ [{', '.join(bounds)}] : {where} }}", tuple(st for _, _, st in bounds.values())
    )


def access(sp: IterationSpace, *index: Affine | None, kind: str = "read", n: int = 0, **kw: object) -> PortAccess:
    a = PortAccess(n, kind, tuple(index), None, sp.domain, 1)  # type: ignore[arg-type]
    return replace(a, **kw)  # type: ignore[arg-type]


def f(const: int = 0, **terms: int) -> Affine:
    return Affine.of(terms, const)


def cyclic(extent: int, factor: int) -> PerDimLayout:
    return PerDimLayout((DimLayout.of("cyclic", extent, factor),))


def block(extent: int, factor: int) -> PerDimLayout:
    return PerDimLayout((DimLayout.of("block", extent, factor),))


def test_static_counts_every_reachable_bank() -> None:
    sp = space(i=(0, 31, 1))
    problem = PortProblem(sp, [access(sp, f(i=2)), access(sp, f(1, i=2))])
    assert problem.reach(0, cyclic(64, 4)) == {0, 2}
    assert problem.reach(1, cyclic(64, 4)) == {1, 3}
    assert problem.count(cyclic(64, 4), Ports(total=1)).static.interval == 1
    assert problem.reach(0, block(64, 4)) == {0, 1, 2, 3}


def test_static_reach_of_a_diagonal_is_exact() -> None:
    sp = space(i=(0, 15, 1))
    layout = PerDimLayout((DimLayout.of("cyclic", 16, 2), DimLayout.of("cyclic", 16, 2)))
    assert PortProblem(sp, [access(sp, f(i=1), f(i=1))]).reach(0, layout) == {0, 3}
    mixed = PerDimLayout((DimLayout.of("block", 16, 2), DimLayout.of("cyclic", 16, 2)))
    assert PortProblem(sp, [access(sp, f(i=1), f(i=1))]).reach(0, mixed) == {0, 1, 2, 3}
    triangle = IterationSpace(("i", "j"), "{ [i, j] : 0 <= i < 16 and j = i }", (1, 1))
    assert PortProblem(triangle, [access(triangle, f(i=1), f(j=1))]).reach(0, layout) == {0, 3}


def test_unrolled_stencil_under_block_is_limited_by_its_window() -> None:
    sp = space(i=(0, 56, 1))
    reads = [access(sp, f(k, i=1), n=k) for k in range(8)]
    result = count(sp, reads, block(64, 16), T2P)  # blocks of four
    assert (result.ideal.interval, len(result.ideal.reads)) == (2, 4)
    assert result.static.interval == 4
    assert result.witness is not None and result.exact
    assert {(result.witness["i"] + k) // 4 for k in result.ideal.reads} == {result.ideal.bank}


def test_transposed_accesses_meet_only_off_the_diagonal() -> None:
    sp = space(i=(0, 7, 1), j=(0, 7, 1))
    pair = [access(sp, f(i=1), f(j=1)), access(sp, f(j=1), f(i=1))]
    whole = PerDimLayout((DimLayout.of("whole", 8, None), DimLayout.of("whole", 8, None)))
    one = Ports(total=1)
    assert count(sp, pair, whole, one).ideal.interval == 2
    diagonal = IterationSpace(("i", "j"), "{ [i, j] : 0 <= i < 8 and j = i }", (1, 1))
    same = [replace(a, domain=diagonal.domain) for a in pair]
    assert count(diagonal, same, whole, one).ideal.interval == 1


def test_data_dependent_access_may_meet_any_other() -> None:
    sp = space(i=(0, 63, 1))
    reads = [access(sp, f(i=1)), access(sp, index=None), access(sp, index=None)]
    result = count(sp, reads, cyclic(64, 4), T2P)
    assert len(result.ideal.reads) == 3 and result.ideal.interval == 2 and result.static.interval == 2
    half = PerDimLayout((DimLayout.of("cyclic", 64, 2), DimLayout.of("cyclic", 4, 4)))
    sets = PortProblem(sp, [access(sp, None, f(2))])
    assert sets.reach(0, half) == {2, 6}


def test_opposite_arms_meet_in_static_only() -> None:
    sp = space(i=(0, 63, 1))
    arms = [access(sp, f(k, i=1), branch=((0, k // 2),)) for k in range(4)]
    result = count(sp, arms, cyclic(64, 1), Ports(total=1))
    assert result.static.interval == 4 and result.ideal.interval == 2
    assert count(sp, arms, cyclic(64, 1), Ports(total=1), exclusive_static=True).static.interval == 2


def test_reads_and_writes_by_storage() -> None:
    sp = space(i=(0, 63, 1))
    rw = [access(sp, f(i=1)), access(sp, f(i=1), kind="write")]
    assert count(sp, rw, cyclic(64, 1), Ports(total=1)).ideal.interval == 2
    assert count(sp, rw, cyclic(64, 1), Ports(reads=1, writes=1)).ideal.interval == 1
    assert count(sp, rw, cyclic(64, 1), Ports()).ideal.interval == 1
    two = [*rw, access(sp, f(1, i=1), kind="write")]
    found = count(sp, two, cyclic(64, 1), Ports(writes=1))
    assert found.static.interval == 2 and found.ideal.writes == (1, 2)


def test_guards_narrow_the_reach_and_an_empty_domain_counts_nothing() -> None:
    sp = space(i=(0, 63, 1))
    even = access(sp, f(i=1), domain="{ [i] : 0 <= i < 64 and i mod 2 = 0 }")
    odd = access(sp, f(1, i=1), domain="{ [i] : 0 <= i < 64 and i mod 2 = 1 }")
    never = access(sp, f(i=1), domain="{ [i] : 0 <= i < 64 and i > 70 }")
    result = count(sp, [even, odd, never], cyclic(64, 2), Ports(total=1))
    assert result.static.reads == (0, 1) and result.static.interval == 2
    assert result.ideal.interval == 1 and len(result.ideal.reads) == 1


def test_index_known_only_as_a_map() -> None:
    sp = space(i=(0, 63, 1))
    halves = access(sp, None, map="{ [i] -> [floor(i/2)] }")
    result = PortProblem(sp, [halves, access(sp, f(i=1))])
    assert result.reach(0, block(64, 4)) == {0, 1}
    assert result.count(cyclic(64, 1), Ports(total=1)).ideal.interval == 2


def test_parameters_stay_symbolic() -> None:
    sp = IterationSpace(("i",), "[n] -> { [i] : 0 <= i < n }", (1,))
    reads = [access(sp, f(i=1)), access(sp, f(1, i=1)), access(sp, f(0, i=1, n=1))]
    result = count(sp, reads, cyclic(64, 2), Ports(total=1))
    assert result.ideal.interval == 2


def test_steps_of_a_caller_are_told_apart_by_no_question_about_sets() -> None:
    """Tiles of 9 rows, the last one partial: rows of all tiles, whichever the parameter says, in banks of their own."""
    sp = IterationSpace(
        ("i", "j"), "[t] -> { [i, j] : 0 <= i < 9 and 0 <= j < 8 and 0 <= t < 7 and 9t + i < 62 }", (1, 1)
    )
    layout = PerDimLayout((DimLayout.of("cyclic", 4, 4), DimLayout.of("cyclic", 11, 4), DimLayout.of("block", 9, 3)))
    problem = PortProblem(sp, [access(sp, f(3), f(1, i=2), f(1, j=1))])
    real = {(i, j) for t in range(7) for i in range(9) for j in range(8) if 9 * t + i < 62}
    assert problem.reach(0, layout) == {layout.bank((3, 1 + 2 * i, 1 + j)) for i, j in real}
    assert problem.questions == 0
    beyond = PortProblem(sp, [access(sp, f(3), f(i=1, t=9), f(1, j=1))])
    assert beyond.reach(0, layout) == {
        layout.bank((3, 9 * t + i, 1 + j)) for i, j in real for t in range(2) if 9 * t + i < 11
    }


def test_elements_with_banks_of_their_own_are_not_compared_with_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five reads of each of 40 elements: fifteen pairs of each are looked at, not 19,900."""
    looked = []
    real = Conflicts._known_to_meet
    monkeypatch.setattr(Conflicts, "_known_to_meet", lambda self, a, b: looked.append(1) or real(self, a, b))
    sp = space(i=(0, 7, 1))
    window = [access(sp, f(e), f(k, i=1), n=k) for e in range(40) for k in range(5)]
    layout = PerDimLayout((DimLayout.of("complete", 40, None), DimLayout.of("whole", 12, None)))
    result = count(sp, window, layout, T2P)
    assert (result.static.interval, result.ideal.interval, result.exact) == (3, 3, True)
    assert len(result.ideal.reads) == 5 and len({p // 5 for p in result.ideal.reads}) == 1
    assert 0 < len(looked) <= 40 * 15
    looked.clear()
    assert not PortProblem(sp, window).exceeds(layout, T2P, 3) and PortProblem(sp, window).exceeds(layout, T2P, 2)
    assert len(looked) <= 2 * 40 * 20


def test_two_hundred_accesses_and_huge_trip_counts() -> None:
    sp = space(i=(0, 2**40, 1))
    reads = [access(sp, f(k * k, i=1), n=k) for k in range(200)]
    result = count(sp, reads, cyclic(2**41, 16), T2P)
    residues = [k * k % 16 for k in range(200)]
    assert len(result.ideal.reads) == max(residues.count(r) for r in range(16))
    assert result.static.interval == 100


NAMES = ("i", "j")


@settings(max_examples=amount(40, 200), derandomize=True, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2), st.booleans()), min_size=3, max_size=7),
    st.sampled_from([cyclic(8, 1), cyclic(8, 2), block(8, 2)]),
)
def test_banks_that_are_read_where_they_are_chosen(chosen: list[tuple[int, int, bool]], layout: PerDimLayout) -> None:
    """Element ``word`` in iteration ``at``, the first one elsewhere; writes in ``at`` alone."""
    sp = space(i=(0, 2, 1))
    accesses = []
    for n, (word, at, reads) in enumerate(chosen):
        where, kind = ("0 <= i <= 2", "read") if reads else (f"i = {at}", "write")
        relation = f"{{ [i] -> [0] : i < {at} or i > {at}; [i = {at}] -> [{word}] }}"
        accesses.append(access(sp, None, kind=kind, n=n, map=relation, domain=f"{{ [i] : {where} }}"))
    problem = PortProblem(sp, accesses)
    ideal, _, exact = problem.ideal(layout, T2P)
    most = 0
    for i, bank in itertools.product(range(3), range(layout.banks)):
        places = [(word if i == at else 0, reads) for word, at, reads in chosen if reads or i == at]
        here = [(x, reads) for x, reads in places if layout.bank((x,)) == bank]
        writes = sum(not reads for _, reads in here)
        most = max(most, T2P.interval(len({x for x, reads in here if reads}), writes))
    assert exact and ideal.interval == max(1, most)
    assert [problem.exceeds(layout, T2P, ii) for ii in range(1, 4)] == [most > ii for ii in range(1, 4)]


def test_a_bank_that_all_accesses_need_at_once_is_found_without_their_pairs() -> None:
    sp = space(i=(0, 63, 1))
    relation = "{{ [i] -> [0] : i < 5 or i > 5; [i = 5] -> [{}] }}"
    problem = PortProblem(sp, [access(sp, None, n=n, map=relation.format(n)) for n in range(40)])
    ideal, witness, exact = problem.ideal(cyclic(64, 1), T2P)
    assert (ideal.interval, witness, exact) == (20, {"i": 5}, True)
    assert problem.pairs < 10


def test_registers_that_move_beside_one_that_is_read_at_run_time() -> None:
    """Element 0 is read in iterations 0 and 41 alone; sets that each leave an iteration out were met one by one."""
    sp = space(i=(0, 79, 1))
    moves = [access(sp, f(k + more), kind=kind, n=k) for k in range(40) for more, kind in ((1, "read"), (0, "write"))]
    problem = PortProblem(sp, [*moves, access(sp, None, n=80, map="{ [i] -> [(3 * i) mod 41] }")])
    ideal, witness, exact = problem.ideal(cyclic(41, 1), T2P)
    assert (ideal.interval, len(ideal.reads), exact) == (41, 41, True) and witness in ({"i": 0}, {"i": 41})
    assert not problem.exceeds(cyclic(41, 1), T2P, 41) and problem.exceeds(cyclic(41, 1), T2P, 40)
    assert problem.pairs < 50  # of 3,240


def test_accesses_of_one_arm_are_over_before_all_are_looked_at() -> None:
    sp = space(i=(0, 9, 1))
    arms = [access(sp, f(k, i=1), kind="read", n=k, branch=((0, k % 2),)) for k in range(6)]
    problem = PortProblem(sp, arms, exclusive_static=True)
    whole = PerDimLayout((DimLayout.of("whole", 20, None),))
    assert problem.is_over(whole, Ports(total=2), 1)  # three of six run together
    assert not problem.is_over(whole, Ports(total=3), 1)


DIMS = st.sampled_from(["whole", "cyclic", "block", "complete"])


@st.composite
def problems(draw: st.DrawFn) -> tuple[IterationSpace, list[PortAccess], PerDimLayout, Ports, list[dict[str, int]]]:
    extents = (12, 12)
    low = draw(st.integers(0, 1))
    step = draw(st.integers(1, 2))
    triangular = draw(st.booleans())
    points = [{"i": i, "j": j} for i in range(low, 5, step) for j in range(4) if not triangular or j <= i]
    where = f"{low} <= i < 5 and (i - {low}) mod {step} = 0 and 0 <= j < 4" + (" and j <= i" if triangular else "")
    sp = IterationSpace(NAMES, f"{{ [i, j] : {where} }}", (step, 1))
    reads: list[PortAccess] = []
    for k in range(draw(st.integers(1, 5))):
        index = [Affine.of({n: draw(st.integers(0, 1)) for n in NAMES}, draw(st.integers(0, 4))) for _ in extents]
        guard = draw(st.sampled_from(["", " and i <= 2", " and (i + j) mod 2 = 0"]))
        new = PortAccess(
            k, draw(st.sampled_from(["read", "write"])), tuple(index), None, f"{{ [i, j] : {where}{guard} }}", 1,
            draw(st.sampled_from([(), (), ((0, 0),), ((0, 1),)])),
        )  # fmt: skip
        if new.kind == "write" or all(a.kind == "write" or a.index != new.index for a in reads):
            reads.append(new)
    dims = tuple(DimLayout.of(draw(DIMS), n, draw(st.integers(1, 5))) for n in extents)
    ports = draw(st.sampled_from([Ports(total=1), Ports(total=2), Ports(reads=1, writes=1), Ports(writes=1, total=2)]))
    return sp, reads, PerDimLayout(dims), ports, points


def runs(a: PortAccess, p: dict[str, int]) -> bool:
    """Evaluate the guards that ``problems`` writes."""
    return ("i <= 2" not in a.domain or p["i"] <= 2) and ("(i + j) mod 2" not in a.domain or (p["i"] + p["j"]) % 2 == 0)


@settings(max_examples=amount(50, 150), derandomize=True, deadline=None)
@given(problems())
def test_both_figures_equal_enumeration(
    case: tuple[IterationSpace, list[PortAccess], PerDimLayout, Ports, list[dict[str, int]]],
) -> None:
    sp, accesses, layout, ports, points = case
    result = count(sp, accesses, layout, ports)

    def element(a: PortAccess, p: dict[str, int]) -> tuple[int, ...]:
        assert a.index is not None
        return tuple(form.at(p).const for form in a.index if form is not None)

    reach = [{layout.bank(element(a, p)) for p in points if runs(a, p)} for a in accesses]
    problem = PortProblem(sp, accesses)
    for k, a in enumerate(accesses):
        if any(runs(a, p) for p in points):
            assert problem.reach(k, layout) == reach[k]
    static = max(
        ports.interval(
            sum(b in r and a.kind == "read" for a, r in zip(accesses, reach, strict=True)),
            sum(b in r and a.kind == "write" for a, r in zip(accesses, reach, strict=True)),
        )
        for b in range(layout.banks)
    )
    ideal = 1
    for p, arm, b in itertools.product(points, (0, 1), range(layout.banks)):
        here = [
            a for a in accesses if runs(a, p) and layout.bank(element(a, p)) == b and dict(a.branch).get(0, arm) == arm
        ]
        distinct = {element(a, p) for a in here if a.kind == "read"}
        ideal = max(ideal, ports.interval(len(distinct), sum(a.kind == "write" for a in here)))
    assert result.static.interval == static
    assert result.ideal.interval == ideal
    assert result.exact
    with_arms = PortProblem(sp, accesses, exclusive_static=True)
    for ii in (2, 1, 3, 2):  # each goes on where the last one ended, also in a problem of the same accesses
        assert problem.exceeds(layout, ports, ii) == (ideal > ii)
        assert PortProblem(sp, accesses).is_over(layout, ports, ii) == problem.is_over(layout, ports, ii)
        assert problem.is_over(layout, ports, ii) == (problem.static(layout, ports, widened=True).interval > ii)
        if with_arms.is_over(layout, ports, ii):
            assert with_arms.static(layout, ports, widened=True).interval > ii


BRANCH = st.dictionaries(st.integers(0, 3), st.integers(0, 2), max_size=3).map(lambda arms: tuple(arms.items()))


@given(st.lists(BRANCH, min_size=1, max_size=9))
@settings(max_examples=300, deadline=None)
def test_accesses_that_may_run_together_are_in_one_cluster(branches: list[tuple[tuple[int, int], ...]]) -> None:
    sp = space(i=(0, 9, 1))
    accesses = [access(sp, f(k, i=1), n=k, branch=branch) for k, branch in enumerate(branches)]
    clusters = [set(c.positions) for c in Need(sp, accesses, T2P).clusters]
    assert set().union(*clusters) == {*range(len(accesses))}
    for cluster in clusters:
        beside = [k for k in range(len(accesses)) if not any(are_exclusive(accesses[k], accesses[x]) for x in cluster)]
        assert set(beside) == cluster  # no two of them exclude each other, and no other one fits in


INDEX = st.tuples(st.integers(0, 2), st.integers(-3, 4), st.integers(0, 2), st.integers(-3, 4), st.integers(0, 15))


@given(
    st.sampled_from(("k <= j", "k < 4", "i <= j", "k <= i + j")),
    st.tuples(INDEX, INDEX),
    st.tuples(*[st.tuples(st.sampled_from(("whole", "cyclic", "block", "complete")), st.integers(2, 5))] * 2),
)
@settings(max_examples=150, deadline=None)
def test_reach_is_that_of_all_iterations(
    guard: str, indices: tuple[tuple[int, ...], ...], kinds: tuple[tuple[str, int], ...]
) -> None:
    names = ("i", "j", "k")
    points = [dict(zip(names, p, strict=True)) for p in itertools.product(range(5), range(4), range(5))]
    points = [p for p in points if eval(guard, {}, p)]
    domain = f"{{ [i, j, k] : 0 <= i < 5 and 0 <= j < 4 and 0 <= k < 5 and {guard} }}"
    forms = []
    for one, a, other, b, low in indices:
        terms = {names[one]: a}
        terms[names[other]] = terms.get(names[other], 0) + b if one == other else b
        least = min(sum(c * p[n] for n, c in terms.items()) for p in points)
        forms.append(f(low - least, **{n: c for n, c in terms.items() if c}))
    values = [tuple(x.const + sum(c * p[n] for n, c in x.terms) for x in forms) for p in points]
    extents = [max(v[k] for v in values) + 1 for k in range(2)]
    layout = PerDimLayout(tuple(DimLayout.of(k, n, q) for (k, q), n in zip(kinds, extents, strict=True)))  # type: ignore[arg-type]
    sp = IterationSpace(names, domain, (1, 1, 1))
    assert PortProblem(sp, [access(sp, *forms)]).reach(0, layout) == {layout.bank(v) for v in values}


@pytest.mark.parametrize("seed", range(amount(60, 2000)))
def test_too_many_for_a_bank_is_what_all_iterations_say(seed: int) -> None:
    """Copies of accesses that move alike or not, some of one iteration only, in cyclic, block and whole dimensions."""
    rng = random.Random(seed)
    shape, sp = (rng.randint(8, 14), rng.randint(8, 14)), space(i=(0, 3, 1), j=(0, 2, 1))
    moves = [dict(rng.choice(({}, {"i": 1}, {"i": 2}, {"j": 3}))) for _ in shape]
    accesses, odd = [], rng.random() < 0.3
    for n in range(rng.randint(2, 14)):
        own = [dict(rng.choice(({}, {"i": 1}))) for _ in shape] if odd else moves
        index = [f(rng.randrange(e - 6), **m) for m, e in zip(own, shape, strict=True)]
        once = "{ [i, j] : i = 1 and j = 1 }" if rng.random() < 0.1 else sp.domain
        accesses.append(access(sp, *index, kind=rng.choice(("read", "read", "write")), n=n, domain=once))
    kinds = [rng.choice(("cyclic", "block", "whole")) for _ in shape]
    dims = [DimLayout.of(k, e, rng.randint(2, e - 1) if k != "whole" else None)  # type: ignore[arg-type]
            for k, e in zip(kinds, shape, strict=True)]  # fmt: skip
    layout, ports = PerDimLayout(tuple(dims)), rng.choice((T2P, Ports(reads=1, writes=1), Ports(total=1)))
    longest = 1
    for i, j in itertools.product(range(4), range(3)):
        touched = [(a, tuple(x.at({"i": i, "j": j}).const for x in a.index if x is not None)) for a in accesses
                   if a.index is not None and (a.domain == sp.domain or (i, j) == (1, 1))]  # fmt: skip
        for bank in range(layout.banks):
            reads = {e for a, e in touched if a.kind == "read" and layout.bank(e) == bank}
            writes = [e for a, e in touched if a.kind == "write" and layout.bank(e) == bank]
            longest = max(longest, ports.interval(len(reads), len(writes)))
    assert [PortProblem(sp, accesses).exceeds(layout, ports, ii) for ii in range(1, 6)] == [
        longest > ii for ii in range(1, 6)
    ]


def test_accesses_in_one_arm_are_those_of_which_no_two_exclude_each_other() -> None:
    rng, sp, apart = random.Random(21), space(i=(0, 7, 1)), 0
    for _ in range(400):
        branches = [
            tuple((branch, rng.randrange(2)) for branch in rng.sample(range(4), rng.randrange(3)))
            for _ in range(rng.randint(1, 5))
        ]
        accesses = [access(sp, f(i=1), n=n, branch=branch) for n, branch in enumerate(branches)]
        exclusive = any(are_exclusive(a, b) for a, b in itertools.combinations(accesses, 2))
        apart += exclusive
        assert are_in_one_arm(accesses) is not exclusive, branches
    assert 50 < apart < 350


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.integers(-4, 4)), max_size=3))
def test_forms_that_are_never_zero_are_zero_nowhere(rows):
    """Nothing is said of forms that some values make zero."""
    forms = [f(const, **{n: c for n, c in (("i", a), ("j", b)) if c}) for a, b, const in rows]
    zero = any(all(a * i + b * j + c == 0 for a, b, c in rows) for i in range(-40, 41) for j in range(-40, 41))
    assert not (zero and are_never_zero(forms))


def test_forms_without_a_common_zero_are_told_apart() -> None:
    assert are_never_zero([f(i=1), f(-3, i=1)]) and are_never_zero([f(i=1, j=-1), f(1, i=-1, j=1)])
    assert are_never_zero([f(-1, i=2)]) and not are_never_zero([f(i=1, j=-1), f(-5, j=1)])


def test_pairs_are_compared_once_for_all_limits_of_ports(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loads in rows i, j and 3 of two cyclic banks: which of them meet does not depend on the limit."""
    compared = []
    real = Conflicts._pair
    monkeypatch.setattr(Conflicts, "_pair", lambda self, a, b: compared.append((a, b)) or real(self, a, b))
    sp = space(i=(0, 7, 1), j=(0, 7, 1))
    problem = PortProblem(sp, [access(sp, f(i=1), f(j=1)), access(sp, f(j=1), f(i=1)), access(sp, f(3), f(j=1))])
    layout = PerDimLayout((DimLayout.of("cyclic", 8, 2), DimLayout.of("whole", 8, None)))
    loads = [problem.ideal(layout, Ports(reads=n))[0].reads for n in (1, 2, 3)]
    assert loads == [(0, 1, 2)] * 3 and len(compared) == 3
