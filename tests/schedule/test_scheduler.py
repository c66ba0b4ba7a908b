"""The modulo scheduler on random graphs, its checker, and the effect of sharing units."""

from __future__ import annotations

import random

import networkx
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from hlspart.lowering.graph import Edge, Graph, MemoryRef, Op
from hlspart.model.options import Options
from hlspart.model.ports import Ports
from hlspart.pipeline import Pipeline
from hlspart.schedule import modulo
from hlspart.schedule.confirm import faults
from hlspart.schedule.modulo import _Attempt, _Waiting, modulo_schedule, together_at_most
from hlspart.schedule.problem import PortUse, Problem, Timing
from hlspart.schedule.recurrence import critical_cycle, earliest, recurrence_ii


def problem(timings, edges, ports=None, limits=None):
    ops = {i: Op(i, "op", 32, (), 1) for i in range(len(timings))}
    return Problem(Graph(ops, tuple(edges)), dict(enumerate(timings)), ports or {}, limits or {}, 7.3, {})


@st.composite
def problems(draw):
    n = draw(st.integers(2, 12))
    choices = [Timing(1, 1.0, 1.0), Timing(2, 0.0, 1.2), Timing(4, 4.2, 6.4, "fadd"), Timing(3, 4.2, 6.4, "fmul")]
    timings = [draw(st.sampled_from(choices)) for _ in range(n)]
    edges = []
    for sink in range(1, n):
        for source in draw(st.lists(st.integers(0, sink - 1), max_size=2, unique=True)):
            edges.append(Edge(source, sink, 0, None, "data", "v"))
    for _ in range(draw(st.integers(0, 2))):
        source, sink = draw(st.integers(0, n - 1)), draw(st.integers(0, n - 1))
        edges.append(Edge(source, sink, draw(st.integers(1, 3)), None, "data", "c"))
    ports = {i: PortUse(("m",), draw(st.booleans())) for i in range(n) if draw(st.booleans())}
    return problem(timings, edges, ports, {"m": Ports(total=2)})


@settings(max_examples=150, deadline=None, derandomize=True)
@given(problems())
def test_every_schedule_is_confirmed(case):
    low = recurrence_ii(case)
    assert low is not None
    memory = -(-len(case.ports) // 2)
    schedule = modulo_schedule(case, max(low, memory, 1), 12)
    assert schedule is not None
    assert faults(case, schedule) == []
    assert schedule.ii >= max(low, memory)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(problems(), st.integers(2, 5))
def test_banks_that_serve_the_same_accesses_count_once(case, copies):
    """Banks of one array, when an index may be in any of them: the schedule is that of one bank."""
    names = tuple(f"m[{k}]" for k in range(copies))
    many = replace(
        case,
        ports={op: replace(use, banks=names) for op, use in case.ports.items()},
        limits=dict.fromkeys(names, Ports(total=2)),
    )
    few = many.lean
    assert {len(use.banks) for use in few.ports.values()} <= {1}
    made, asked = (modulo_schedule.__wrapped__(p, 1, 12) for p in (few, many))
    assert made.start == asked.start and faults(many, made) == []


orders = st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 3), st.integers(0, 2))


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.lists(orders, max_size=40), st.integers(1, 4))
def test_orders_that_others_imply_change_no_start(rows, ii):
    """First starts are those that Bellman and Ford find with all orders; None where they rise without end."""
    ref = MemoryRef(0, 0, "write", (), None, None, "", (), False, 0)
    ops = {i: Op(i, "store", 32, (), 1, ref=replace(ref, position=i)) for i in range(7)}
    edges = [Edge(a, b, d, gap, "memory", "a") for a, b, d, gap in rows if d or a < b]
    case = Problem(Graph(ops, tuple(edges)), {i: Timing(1, 1.0, 1.0) for i in ops}, {}, {}, 7.3, {})
    start = dict.fromkeys(ops, 0)
    for _ in range(2 * len(ops)):
        before = dict(start)
        for e in edges:
            start[e.sink] = max(start[e.sink], start[e.source] + e.gap - ii * e.distance)
    event(f"{len(edges) - len(case.lean.graph.edges) > 0} implied")
    made = earliest(case, ii)
    assert (made and made[0]) == (start if start == before else None)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(problems())
def test_recurrence_ii_is_the_greatest_cycle_ratio(case):
    graph = networkx.DiGraph()
    for e in case.graph.edges:
        gap = case.gap(e)
        known = graph.get_edge_data(e.source, e.sink)
        if known is None:
            graph.add_edge(e.source, e.sink, ways=[(gap, e.distance)])
        else:
            known["ways"].append((gap, e.distance))
    best = 1
    for cycle in networkx.simple_cycles(graph):
        pairs = list(zip(cycle, [*cycle[1:], cycle[0]], strict=True))
        sums = {(0, 0)}
        for a, b in pairs:
            sums = {(g + x, d + y) for g, d in sums for x, y in graph[a][b]["ways"]}
        best = max([best, *(-(-g // d) for g, d in sums if d)])
    found = recurrence_ii(case)
    assert found is not None and found >= best
    # chains of operations of one state may need a state more than their integer gaps say
    if all(t.states > 1 for t in case.timing.values()):
        assert found == best
    if found == best > 1:
        cycle = critical_cycle(case, found)
        gaps, apart = sum(case.gap(e) for e in cycle), sum(e.distance for e in cycle)
        assert -(-gaps // apart) == found
        assert all(a.sink == b.source for a, b in zip(cycle, [*cycle[1:], cycle[0]], strict=True))


def chain(n: int, unit: str | None) -> Problem:
    timings = [Timing(4, 4.2, 6.4, unit)] * n
    return problem(timings, [Edge(i, i + 1, 0, None, "data", "v") for i in range(n - 1)])


@pytest.mark.parametrize(("n", "ii", "depth"), [(64, 1, 256), (64, 2, 257), (64, 4, 259), (64, 8, 259)])
def test_sharing_adders_shifts_a_chain(n, ii, depth):
    """64 chained additions on ceil(64 / II) adders, as reports show (depth of the chain alone)."""
    schedule = modulo_schedule(chain(n, "fadd"), ii, 12)
    assert schedule is not None
    assert (schedule.ii, schedule.depth, schedule.units) == (ii, depth, {"fadd": -(-n // ii)})


def test_units_are_added_rather_than_delay_a_loop_with_a_recurrence():
    case = chain(64, "fadd")
    shared = modulo_schedule(case, 4, 0)
    assert shared is not None and (shared.depth, shared.units) == (259, {"fadd": 16})
    back = Edge(63, 0, 80, None, "data", "v")  # leaves time: 80 iterations of 4 states for a round of 256
    recurring = replace(case, graph=replace(case.graph, edges=(*case.graph.edges, back)))
    apart = modulo_schedule(recurring, 4, 0)
    assert apart is not None
    assert apart.depth == 256 and apart.units["fadd"] > 16


def test_what_recurs():
    """Against networkx: strong components of more than one operation, and operations behind themselves."""
    rng = random.Random(5)
    for _ in range(40):
        n = rng.randint(1, 9)
        edges = [Edge(rng.randrange(n), rng.randrange(n), 1, 1, "data", "v") for _ in range(rng.randint(0, 2 * n))]
        case = problem([Timing(1, 1.0, 1.0)] * n, edges)
        graph = networkx.MultiDiGraph([(e.source, e.sink) for e in edges])
        parts = [x for x in networkx.strongly_connected_components(graph) if len(x) > 1]
        assert case.graph.recurring == set().union(*parts, {e.source for e in edges if e.source == e.sink})


def test_the_checker_finds_broken_schedules():
    case = problem(
        [Timing(2, 0.0, 1.2), Timing(2, 0.0, 1.2), Timing(1, 1.0, 1.0)],
        [Edge(0, 2, 0, None, "data", "v"), Edge(1, 2, 0, None, "data", "v")],
        {0: PortUse(("m",), True), 1: PortUse(("m",), True)},
        {"m": Ports(total=1)},
    )
    good = modulo_schedule(case, 2, 12)
    assert good is not None and faults(case, good) == []
    assert any("starts" in f for f in faults(case, replace(good, start={**good.start, 2: 0})))
    assert any("serves 2 reads" in f for f in faults(case, replace(good, start={0: 0, 1: 0, 2: 1})))
    assert faults(case, replace(good, start={0: 0})) == ["not every operation is scheduled"]
    units = replace(case, timing={**case.timing, 0: Timing(2, 0, 1, "u"), 1: Timing(2, 0, 1, "u")})
    assert any("units" in f for f in faults(units, replace(good, units={"u": 0})))


def test_chaining_ends_at_the_period():
    case = problem([Timing(1, 3.0, 3.0)] * 5, [Edge(i, i + 1, 0, None, "data", "v") for i in range(4)])
    schedule = modulo_schedule(case, 1, 0)
    assert schedule is not None
    assert [schedule.start[i] for i in range(5)] == [0, 0, 1, 1, 2]


@pytest.mark.parametrize(
    ("branches", "most"),
    [
        ([(), ()], 2),
        ([((1, 0),), ((1, 1),)], 1),
        ([((1, 0),), ((1, 0),), ((1, 1),)], 2),
        ([((1, 0),), ((2, 1),)], 2),
        ([((1, 0), (2, 0)), ((1, 0), (2, 1)), ((1, 1),), ()], 2),
    ],
)
def test_together_at_most(branches, most):
    assert together_at_most(branches) == most


def test_after_a_few_tries_others_far_apart_give_an_upper_bound():
    p = problem([Timing(9, 0.0, 1.2)], [Edge(0, 0, 1, 9, "data", "")])
    exact = modulo_schedule(p, 1, 0)
    assert (exact.ii, exact.skipped) == (9, False)
    above = modulo_schedule(p, 1, 0, tries=2)  # 1 and 2, then 3, 4, 6, 10 and 18
    assert (above.ii, above.skipped) == (10, True) and not faults(p, above)
    assert modulo_schedule(p, 1, 0, tries=1) is None


def test_an_ii_that_only_has_a_schedule_is_an_upper_bound(monkeypatch):
    text = """void f(int a[64][64], int b[64][64], int c[256]) {
      for (int i = 0; i < 64; i++) {
    #pragma HLS PIPELINE II=1
        for (int k = 0; k < 24; k++)
          if (c[k] > i) a[i][k & 11] += b[k & 63][i] * a[k & 11][i];
      }
    }"""
    (exact,) = [x for x in Pipeline(["p.c"], Options(), lambda _: text.encode()).figures.loops if x.pipelined]
    monkeypatch.setattr(modulo, "MOST_PLACEMENTS", 1)
    modulo_schedule.cache_clear()
    (wide,) = [x for x in Pipeline(["p.c"], Options(), lambda _: text.encode()).figures.loops if x.pipelined]
    modulo_schedule.cache_clear()
    assert exact.ii is not None and wide.ii is None
    low, high = wide.bounds
    assert max(exact.resource_ii, exact.recurrence_ii) == low < exact.ii < high
    assert wide.cause == f"whether a schedule exists at an II below {high} is beyond the effort limit"
    assert "schedule" not in {x.kind for x in wide.limits}  # nothing is said of the II just below


def test_equal_problems_are_solved_once():
    def loads(lines, bank, ports):
        ops = {k: Op(k, "load", 32, (), line, f"a[{line}]") for k, line in enumerate(lines)}
        uses = {k: PortUse((bank,), True) for k in ops}
        return Problem(Graph(ops, ()), {k: Timing(2, 0.0, 1.0) for k in ops}, uses, {bank: Ports(total=ports)}, 7.3, {})

    one, other, wider = loads((1, 2, 3), "a", 1), loads((7, 8, 9), "b_0", 1), loads((1, 2, 3), "a", 2)
    assert one == other and hash(one) == hash(other) and one != wider
    before = modulo_schedule.cache_info()
    found = [modulo_schedule(p, 1, 2).ii for p in (one, other, wider, replace(one, period=3.65))]
    after = modulo_schedule.cache_info()
    assert found == [3, 3, 2, 3]
    assert (after.misses - before.misses, after.hits - before.hits) == (3, 1)


class Plain(_Attempt):
    """Tries every state in its turn."""

    def _first(self, op: int, state: int) -> int | None:
        return next((t for t in range(state, state + self.ii) if self._fits(op, t)), None)


@settings(max_examples=60)
@given(problems(), st.integers(1, 8), st.integers(1, 3), st.sets(st.integers(0, 11)))
def test_states_that_are_full_are_left_out_alone(p, ii, units, conditional):
    arms = {i: replace(use, branch=((0, i % 2),)) if i in conditional else use for i, use in p.ports.items()}
    p = replace(p, ports=arms)
    given_units = {"fadd": units, "fmul": units}
    made, plain = (kind(_Waiting(p), ii, given_units).run() for kind in (_Attempt, Plain))
    assert (made and made.start) == (plain and plain.start)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(problems(), st.integers(1, 8), *[st.fixed_dictionaries({u: st.integers(1, 6) for u in ("fadd", "fmul")})] * 2)
def test_an_attempt_stands_for_those_with_other_units_that_take_its_steps(p, ii, units, others):
    waiting = _Waiting(p)
    made, other = _Attempt(waiting, ii, units), _Attempt(waiting, ii, others)
    schedules = made.run(), other.run()
    if made.goes_alike(others):
        event("alike" if units == others else "alike with other units")
        starts = [s and (s.start, s.depth) for s in schedules]
        assert (starts[0], made.placements) == (starts[1], other.placements)


def test_many_accesses_of_one_bank_are_placed_without_trying_every_state(monkeypatch):
    n = 1200
    p = problem([Timing(2, 0.0, 1.2)] * n, [], {i: PortUse(("m",), True) for i in range(n)}, {"m": Ports(total=2)})
    calls = 0
    fits = _Attempt._fits

    def counted(self, op, t):
        nonlocal calls
        calls += 1
        return fits(self, op, t)

    monkeypatch.setattr(_Attempt, "_fits", counted)
    assert _Attempt(_Waiting(p), n // 2, {}).run() is not None
    assert calls <= 2 * n


@settings(max_examples=60, deadline=None, derandomize=True)
@given(problems(), st.integers(1, 12))
def test_heights_are_longest_paths(case, ii):
    """Also that there are none where a cycle grows: networkx decides both."""
    graph = networkx.MultiDiGraph()
    for op in case.graph.ops:
        graph.add_edge("start", op, weight=0)
        graph.add_edge(op, "end", weight=0)
    for wait in case.waits:
        graph.add_edge(wait.source, wait.sink, weight=ii * wait.distance - wait.gap)
    heights = _Waiting(case).heights(ii)
    if networkx.negative_edge_cycle(graph, weight="weight"):
        assert heights is None
        return
    lengths = networkx.single_source_bellman_ford_path_length(graph.reverse(), "end", weight="weight")
    assert heights == {op: -lengths[op] for op in case.graph.ops}


def test_a_cycle_that_grows_at_the_end_of_a_chain_has_no_heights():
    """A chain of 3,000 operations whose last one waits for itself."""
    n = 3000
    edges = [Edge(k, k + 1, 0, None, "data", "v") for k in range(n - 1)] + [Edge(n - 1, n - 2, 1, None, "data", "c")]
    assert _Waiting(problem([Timing(2, 0.0, 1.2)] * n, edges)).heights(1) is None
