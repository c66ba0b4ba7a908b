"""The cost of candidates against a simulation of the phases, its bound, and optima that others found."""

import itertools
import json
import math
import random
from pathlib import Path

import pytest
from msgspec.structs import replace
from test_explore_space import nest

from hlspart.explore.bound import Bound
from hlspart.explore.engine import Explorer
from hlspart.explore.front import chained, fastest, front
from hlspart.explore.search import SearchProblem, collect, tasks
from hlspart.explore.space import Space
from hlspart.explore.steps import Costs, cost
from hlspart.model.explored import Combined
from hlspart.model.exploring import (
    Assumed,
    Dim,
    ExploreOptions,
    ExternalMemory,
    Operand,
    Point,
    ResourceBudget,
    TiledNest,
    Vector,
)
from hlspart.model.memories import MemoryRule
from hlspart.model.options import Options
from hlspart.pipeline import Pipeline
from tests.amounts import amount

HERE = Path(__file__).parent
ROWS = json.loads((HERE / "optima.json").read_text())


def random_nest(rng: random.Random) -> TiledNest:
    loops = rng.randint(1, 4)
    operands = []
    for name in "ABC"[: rng.randint(1, 3)]:
        used = rng.sample(range(loops), rng.randint(0, loops))
        dims = tuple(Dim(((k, rng.choice((1, 1, 2, -1))),), rng.randint(1, 3)) for k in used) or (Dim((), 2),)
        operands.append(Operand(name, rng.choice((1, 2, 4, 8)), dims, True, False))
    used = rng.sample(range(loops), rng.randint(1, loops))
    operands.append(Operand("Z", 4, tuple(Dim(((k, 1),), 1) for k in used), rng.random() < 0.5, True))
    extents = tuple((f"l{k}", rng.randint(1, 9)) for k in range(loops))
    return TiledNest("n", extents, tuple(operands), rng.randint(1, 3), rng.randint(1, 40), rng.randint(0, 9))


def simulated(of: TiledNest, v: Vector, off_chip: ExternalMemory) -> tuple[int, int]:
    """Cycles phase by phase and bytes, from the tiles that each step really uses."""
    slices = v.slices(of.extents)
    steps = list(itertools.product(*(range(v.split[k]) for k in v.order)))
    tile = [tuple(s[v.order.index(k)] for k in range(len(v.order))) for s in steps]
    loads, stores = [[] for _ in steps], [[] for _ in steps]
    size = 0
    for o in of.operands:
        own = [tuple(t[k] for k in sorted(o.loops)) for t in tile]
        words = math.prod(sum(abs(c) * (slices[k] - 1) for k, c in d.terms) + d.width for d in o.dims)
        total = words * o.element_bytes * math.prod(v.shard[k] for k in o.loops)
        size += total * (2 if len(set(own)) > 1 else 1)
        seconds = off_chip.latency + math.ceil(total / off_chip.width)
        again = any(own[a] == own[b] != own[m] for a in range(len(own)) for m in range(a) for b in range(m))
        for k, one in enumerate(own):
            if (o.read or (o.written and again)) and (k == 0 or own[k - 1] != one):
                loads[k].append(seconds)
            if o.written and (k + 1 == len(own) or own[k + 1] != one):
                stores[k].append(seconds)
    compute = (math.prod(slices) - 1) * of.ii + of.depth
    join = max if off_chip.per_array else sum
    n = len(steps)
    total = 0
    for k in range(n + 2):
        at = (join(loads[k]) if loads[k] else 0) if k < n else 0
        out = (join(stores[k - 2]) if stores[k - 2] else 0) if k >= 2 else 0
        total += max(at, compute if 1 <= k <= n else 0, out)
    return total, size


def test_closed_form_is_the_simulation_and_never_below_the_bound() -> None:
    rng = random.Random(7)
    looked = 0
    while looked < 500:
        of = random_nest(rng)
        off_chip = ExternalMemory(rng.choice((1, 8, 16)), rng.randint(0, 40), rng.random() < 0.5)
        space = Space(of, rng.choice((1, 2, 4)))
        shard = rng.choice(space.shards())
        if any(shard[k] > 1 for k in of.reductions):
            continue  # sums in space have a price of their own
        split = rng.choice(list(space.slices(shard)))
        if math.prod(split) > 200:
            continue
        v = space.vector(shard, split, rng.choice(list(space.orders(split))))
        found = cost(of, v, off_chip)
        assert (found.cycles, found.size) == simulated(of, v, off_chip)
        assert Bound(of, off_chip).under(shard).cycles(split) <= found.cycles <= found.serial
        assert Bound(of, off_chip).least(shard) <= found.cycles
        looked += 1


def test_bounds_hold_for_sums_in_space() -> None:
    of, off_chip = nest((6, 4, 12)), ExternalMemory(8, 20)
    looked = 0
    for v in Space(of, 4).vectors():
        found, bound = cost(of, v, off_chip), Bound(of, off_chip)
        assert max(bound.under(v.shard).cycles(v.split), bound.least(v.shard)) <= found.cycles
        looked += v.shard[2] > 1
    assert looked > 300


def searched(space: Space, off_chip: ExternalMemory, budget: ResourceBudget) -> object:
    planned = list(tasks([space], off_chip))
    problem = SearchProblem((space,), off_chip, budget)
    return collect(0, space, off_chip, budget, {t.key: problem.run(t) for t in planned}, planned)


#: Blocks of 16 words of 4 bytes; up to four words are no block.
RULE = MemoryRule(((32, 16),), 128, None, 0)


@pytest.mark.parametrize("most", [0, 3, 8])
def test_search_finds_the_front_with_blocks_of_bram(most: int) -> None:
    off_chip = ExternalMemory(4, 9)
    space = Space(replace(nest((5, 6, 4)), memories=RULE), 2, orders=False)
    every = [(cost(space.nest, v, off_chip), v) for v in space.vectors()]
    points = [Point(c.cycles, c.size, c.dsp, v, c.bram18k) for c, v in every]
    found = searched(space, off_chip, ResourceBudget(bram18k=most))
    assert found.front == front(p for p in points if (p.bram18k or 0) <= most)
    assert found.complete and found.least["bram18k"] == min(p.bram18k or 0 for p in points) == 0
    assert len({p.bram18k for p in points}) > 4


def test_steps_that_are_dataflow_regions_load_first_what_stays() -> None:
    for per_array in (False, True):
        off_chip = ExternalMemory(8, 20, per_array)
        space = Space(replace(nest((6, 4, 5)), streams=True), 1)
        for v in space.vectors():
            found = cost(space.nest, v, off_chip)
            moving = tuple(o for o, m in zip(space.nest.operands, found.moves, strict=True) if m.copies == 2)
            stay = sum(m.cycles for m in found.moves if m.copies == 1)
            assert all(m.period == 1 for m in found.moves if m.copies == 2) and found.steps > 1
            assert found.cycles == stay + simulated(replace(space.nest, operands=moving), v, off_chip)[0]
            assert Bound(space.nest, off_chip).under(v.shard).cycles(v.split) <= found.cycles
        assert space.size == sum(1 for _ in space.vectors()) > 4


def test_shard_vectors_of_too_many_blocks_are_no_part_of_the_front_but_of_the_need() -> None:
    off_chip, budget = ExternalMemory(4, 9), ResourceBudget(150, 7)
    of = replace(nest((5, 6, 4)), dsp=4, shared_dsp=((frozenset({0}), 1),))
    space = Space(of, 2, orders=False)
    points = [Point(*cost(of, v, off_chip).figures, v) for v in space.vectors()]
    over = [p for p in points if p.dsp > 7]
    assert {p.dsp for p in points} == {4, 7, 8}
    for shard in space.shards():
        sizes = [p.size for p in points if p.vector.shard == shard]
        assert min(Costs(of, shard, off_chip).figures(c)[0] for c in space.corners(shard)) == min(sizes)
    found = searched(space, off_chip, budget)
    assert found.least["bytes"] == min(p.size for p in points)
    assert found.front == front(p for p in points if p.size <= 150 and p.dsp <= 7)
    assert found.least["dsp"] == 4 and found.evaluated + found.pruned == found.candidates == len(points)
    assert {f.resource: (f.count, f.need) for f in found.failures} == {
        "dsp": (len(over), 8),
        "bytes": (sum(p.size > 150 for p in points if p not in over), min(p.size for p in points if p.size > 150)),
    }


@pytest.mark.parametrize("ordered", [False, True])
def test_search_finds_the_front_of_the_whole_listing(ordered: bool) -> None:
    off_chip = ExternalMemory(4, 9)
    for extents, elements, size in (((5, 6, 4), 2, 150), ((7, 3, 8), 4, 100), ((4, 4, 4), 1, 60)):
        space = Space(nest(extents, ordered), elements, reassociate=False)
        points = [Point(*cost(space.nest, v, off_chip).figures, v) for v in space.vectors()]
        wanted = front(p for p in points if p.size <= size)
        found = searched(space, off_chip, ResourceBudget(size))
        assert found.front == wanted
        assert found.complete
        assert found.evaluated + found.pruned == found.candidates == len(points)
        assert sum(f.count for f in found.failures) == sum(p.size > size for p in points)
        assert [f.need for f in found.failures] == [min(p.size for p in points if p.size > size)]


def test_fronts_are_what_nothing_beats() -> None:
    rng = random.Random(5)
    for number in range(300):
        blocks = (1, 2, 3) if number % 2 else (None,)
        points = [
            Point(*(rng.randint(1, 6) for _ in range(3)), Vector((k,), (1,), (0,)), rng.choice(blocks))
            for k in range(rng.randint(0, 25))
        ]
        first = {p.figures: p for p in sorted(points, key=lambda p: p.key, reverse=True)}  # of equals
        wanted = [
            p for f, p in first.items() if not any(g != f and all(map(int.__le__, g, f)) for g in first)
        ]  # fmt: skip
        assert list(front(points)) == sorted(wanted, key=lambda p: p.key)


def test_merged_fronts_are_those_of_all_combinations() -> None:
    rng = random.Random(3)
    for share in (True, False):
        fronts = []
        for _ in range(3):
            points = [
                Point(rng.randint(1, 30), rng.randint(1, 30), rng.randint(1, 9), Vector((k,), (1,), (0,)))
                for k in range(12)
            ]
            fronts.append(front(points))
        join = max if share else sum
        every = [
            Combined(sum(p.cycles for p in c), join([p.size for p in c]), sum(p.dsp for p in c), c)
            for c in itertools.product(*fronts)
        ]
        wanted = front(c for c in every if c.size <= 40)
        assert [c.figures for c in chained(fronts, share, ResourceBudget(40))] == [c.figures for c in wanted]
        for count, most in itertools.product((1, 3, 999), (20, 40)):
            whole = chained(fronts, share, ResourceBudget(most))
            first = fastest(count, fronts, share, ResourceBudget(most))
            assert first == whole[: len(first)] and len(first) >= min(count, len(whole)) > 0
        every = [
            Combined(max(a.cycles, b.cycles) + c.cycles, join([a.size + b.size, c.size]), a.dsp + b.dsp + c.dsp, ())
            for a, b, c in itertools.product(*fronts)
        ]
        found = chained(fronts, share, ResourceBudget(40), at_once=((0, 1), (2,)))
        assert [c.figures for c in found] == [c.figures for c in front(c for c in every if c.size <= 40)]
        assert {len(c.points) for c in found} == {3}


def test_nests_that_share_functions_take_one_candidate() -> None:
    points = [Point(c, s, d, Vector((c,), (1,), (0,))) for c, s, d in ((9, 4, 1), (6, 5, 2), (4, 7, 3))]
    other = [Point(5, 3, 1, Vector((1,), (1,), (0,)))]
    (first, *_, last) = chained([points, other, points], False, ResourceBudget(17), (0, 1, 0))
    assert (first.figures, last.figures) == ((4 + 5 + 4, 7 + 3 + 7, 3 + 1), (9 + 5 + 9, 4 + 3 + 4, 1 + 1))
    assert [p.cycles for p in first.points] == [4, 5, 4]


@pytest.mark.parametrize("row", ROWS[:: amount(2, 1)], ids=lambda r: f"{r['kernel']}-{r['elements']}")
def test_published_optima(row: dict) -> None:
    path = str(HERE / "kernels" / f"{row['kernel']}.c")
    assumed = {str(k): Assumed(1, depth, dsp) for k, (depth, dsp) in enumerate(row["iteration"])}
    off_chip = ExternalMemory(16, 32)
    options = ExploreOptions(row["elements"], off_chip=off_chip, assumed=assumed)
    pipeline = Pipeline([path], Options())
    regions = Explorer(
        pipeline.program,
        pipeline.analysis,
        row["kernel"],
        options,
        pipeline.target,
        lambda _: pipeline.figures,
        lambda _: {},
    ).plan.searched()
    results = [searched(r.space, off_chip, ResourceBudget()) for r in regions]
    assert [e.candidates for e in results] == row["candidates"]
    assert [[list(p.figures) for p in e.front] for e in results] == row["fronts"]
    assert all(e.complete for e in results)
    assert max(e.least["bytes"] for e in results) == row["least"]
    looked = 0
    for size, share, figures, vectors in row["best"]:
        found = chained([e.front for e in results], share, ResourceBudget(size))
        if figures is None:
            assert not found
            continue
        looked += 1
        assert list(found[0].figures) == figures
        # names of loops differ where a sum is spelled out; order is compared by number
        assert [[list(p.vector.shard), list(p.vector.split)] for p in found[0].points] == [v[:2] for v in vectors]
        for point, region, (_, _, order) in zip(found[0].points, regions, vectors, strict=True):
            assert [region.written.nest.loops[k][0] for k in point.vector.order] == order
    assert looked >= 14
