"""What is not known of a loop's II: how low and how high it may be, and why."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from hlspart.banking.counting import PortProblem
from hlspart.layouts.dimension import DimLayout
from hlspart.layouts.perdim import PerDimLayout
from hlspart.lowering.balance import FLOATS
from hlspart.lowering.doubt import Doubt, about
from hlspart.lowering.graph import Edge, Graph
from hlspart.model.causes import OPEN_BANKS, PORTS_DIVIDED, Cause
from hlspart.model.ports import PortCount
from hlspart.predict.aliased import of_one_memory, of_views
from hlspart.predict.beats import of_beats, of_wide_ports
from hlspart.predict.lasting import lasting
from hlspart.predict.loops import Prediction, shared_interval
from hlspart.predict.merged import of_conditions, of_steps
from hlspart.predict.outside import of_outside
from hlspart.predict.remainders import of_pointers, of_remainders, of_rows, of_stores
from hlspart.schedule.problem import Problem, Timing
from hlspart.schedule.recurrence import critical_cycle, incoming_of, recurrence_ii, relaxed

REGROUPED = "in which order a balanced sum takes in what the recurrence makes is not known"
REMAINDERS = "whether the tool sees that constant distances keep accesses in banks of their own is not known"
_PAIRED = 64  # accesses of an iteration of which all pairs are compared
MAYBE_PARTITIONED = "whether the tool partitions a local array by itself is not known"


class IIRange(Struct, frozen=True):
    """Least and greatest II that what is not known leaves, and every cause that moves one of them.

    ``ideal``: the II under the ideal bank model is known all the same.
    """

    low: int
    high: int
    causes: tuple[Cause, ...]
    ideal: bool = False


def ii_range(p: Prediction, floor: int) -> IIRange | None:
    """The II of the loosest and of the tightest problem; None where nothing that is not known matters.

    ``floor``: the II asked for, below which no loop goes whose iterations overlap.
    """
    assert p.schedule is not None
    known, ii = doubts(p), p.schedule.ii
    recurrence, slower = _loosest_recurrence(p, known)
    resource, busy = _least_ports(p, known)
    high, tight = _tightest(p, known)
    apart = _apart(p, floor)
    low = max(1 if apart else floor, resource, recurrence)
    loose = (*slower, *busy, *apart, *_skipped(p)) if low < ii else ()
    if not loose and not tight:
        return None
    alone = not loose and all(d.ii for d in tight)  # what an operator's place in a tree costs is on top of the schedule
    all_doubts = (*loose, *tight)
    return IIRange(
        ii if alone else low, high, tuple(dict.fromkeys(d.cause for d in all_doubts)), all(d.banks for d in all_doubts)
    )


def _apart(p: Prediction, asked: int) -> tuple[Doubt, ...]:
    """The doubt of a loop whose iterations need not overlap at the II asked for: its II is then that of their states.

    Reports of three repositories (2017.2, 2020.1, 2020.2): 3 of 5, 9 of 16, 43 of 64; none has the II asked for.
    """
    assert p.schedule is not None
    if p.elaborated.nest.loop is None or not p.schedule.depth < p.schedule.ii == asked:
        return ()
    return (Doubt(Cause("how far below the II asked for the states of an iteration keep the II is not known")),)


def _skipped(p: Prediction) -> Iterator[Doubt]:
    """The doubt of a loop whose II is only one that has a schedule."""
    assert p.schedule is not None
    if p.schedule.skipped:
        yield Doubt(Cause(f"whether a schedule exists at an II below {p.schedule.ii} is beyond the effort limit"))


def doubts(p: Prediction) -> tuple[Doubt, ...]:
    """All that is not known of a loop, whether it matters or not."""
    item = p.elaborated
    orders = (*item.carriers.doubts(p.problem.graph), *_of_choices(p), *_of_chosen_banks(p), *item.lowered.doubts)
    return (*p.doubts, *orders, *_of_ports(p), *item.requests.doubts, *_of_sums(p), *of_one_memory(p), *of_views(p))


def _of_choices(p: Prediction) -> Iterator[Doubt]:
    """What the tool may do by itself to a recurrence."""
    item, ops = p.elaborated, p.problem.graph.ops
    if left := _left_out(p):
        text = "whether the tool leaves out what ends in variables that nothing reads is not known"
        yield Doubt(about(text, (ops[e.sink] for e in left)), gone=left)
    if partitioned := _in_registers(p):
        yield Doubt(about(MAYBE_PARTITIONED, (ops[e.sink] for e in partitioned)), gone=partitioned)
    if decided := _decided_by_loads(p.problem.graph):
        text = "whether the tool waits for a loaded value that decides the next address is not known"
        yield Doubt(about(text, (ops[e.sink] for e in decided)), gone=decided)
    if resumed := _resumed(p):
        text = "whether the tool keeps a sum that goes on in a register during the inner loop of a nest is not known"
        chosen = _chosen(p.problem.graph, frozenset(e.sink for e in resumed))
        yield Doubt(about(text, (ops[e.sink] for e in resumed)), gone=resumed, passed=chosen)
    if item.balanced and p.recurrence_ii > 1:
        if _sums_in_row(p):
            yield Doubt(Cause(REGROUPED), fewer=frozenset({"add", "sub"}))
        if item.storage.target.unsafe_math and (inner := _inner_sums(p) - item.settled):
            yield Doubt(about(REGROUPED, (ops[i] for i in inner)), passed=inner)


def _left_out(p: Prediction) -> frozenset[Edge]:
    """Recurrences whose values reach nothing that lasts."""
    carried = [e for e in p.problem.graph.edges if e.distance] if p.recurrence_ii > 1 else []
    needed = lasting(p) if carried else frozenset[int]()
    return frozenset(e for e in carried if e.sink not in needed and e.source not in needed)


def _of_chosen_banks(p: Prediction) -> Iterator[Doubt]:
    """What a recurrence computes with words whose bank is chosen at run time, in the state that chooses it.

    One report (2024.1, 64 banks): a load, the choice, a sum and its store in two states; no report has them in three.
    """
    item, graph = p.elaborated, p.problem.graph
    if p.recurrence_ii <= 1:
        return
    chosen = {
        ident
        for variable, members in item.members.items()
        if not (memory := item.storage.memory(variable)).registers
        for k, ident in enumerate(members)
        if graph.ops[ident].kind == "load" and len(item.problems[variable].reach(k, memory.layout)) > 1
    }
    users = {e.sink for e in graph.edges if e.kind == "data" and e.source in chosen} if chosen else frozenset[int]()
    users -= {i for i in users if graph.ops[i].kind in ("load", "store")}
    short = frozenset(i for i in users if p.problem.timing[i].states == 1)
    if short:
        text = "whether a bank is chosen and the word is computed with in one state is not known"
        yield Doubt(about(text, (graph.ops[i] for i in short)), passed=short)


def _of_ports(p: Prediction) -> Iterator[Doubt]:
    storage = p.elaborated.storage
    yield Doubt(Cause("which memory a caller passes is not known"), idle=lambda v, _: storage.has_unknown_callers(v))
    text = PORTS_DIVIDED
    yield Doubt(Cause(text), idle=lambda v, _: storage.memory(v).divided == "possibly")
    yield Doubt(Cause(OPEN_BANKS), idle=lambda v, _: storage.has_open_partition(v))
    text = "how many banks a partition of rows makes, which a called function asks for, is not known"
    yield Doubt(Cause(text), idle=lambda v, _: storage.has_split_rows(v))
    text = "whether each bank of a partitioned m_axi array gets a port is not known"
    yield Doubt(Cause(text), idle=lambda v, _: storage.has_unknown_ports(v))
    yield Doubt(Cause(MAYBE_PARTITIONED), idle=lambda v, bus: _is_divided(p, v, bus))
    if storage.target.distances_tell_banks != "no":
        problems = p.elaborated.problems
        yield Doubt(
            Cause(REMAINDERS), idle=lambda v, _: problems[v].apart(storage.memory(v).layout) is not None, banks=True
        )
    yield from of_remainders(p)
    yield from of_rows(p)
    yield from of_pointers(p)
    yield from of_stores(p)
    yield from of_steps(p)
    yield from of_conditions(p)
    yield from of_beats(p)
    yield from of_wide_ports(p)
    yield from of_outside(p)


def _of_sums(p: Prediction) -> Iterator[Doubt]:
    """Where a sum is made, and in which order."""
    assert p.schedule is not None
    if p.joined_ii > p.schedule.ii:
        yield Doubt(Cause("where a balanced expression takes in the carried value is not known"), ii=p.joined_ii)


def loosest(p: Prediction, free: frozenset[int]) -> Problem:
    """The problem if every doubt turned out best, and the operations in ``free`` took no time."""
    return _loosened(p.problem, doubts(p), free)


def _loosened(problem: Problem, doubts: Sequence[Doubt], free: frozenset[int] = frozenset()) -> Problem:
    """The problem if these doubts turned out best."""
    fewer = frozenset(kind for d in doubts for kind in d.fewer)
    gone = frozenset(edge for d in doubts for edge in d.gone)
    passed = frozenset(op for d in doubts for op in d.passed)
    return relaxed(problem, fewer, gone, passed | free)


def _loosest_recurrence(p: Prediction, doubts: Sequence[Doubt]) -> tuple[int, tuple[Doubt, ...]]:
    """Recurrence II if every doubt turned out best, and those that lower it."""
    low, why = p.recurrence_ii, list[Doubt]()
    kinds: frozenset[str] = frozenset()
    gone: frozenset[Edge] = frozenset()
    passed: frozenset[int] = frozenset()
    open_ = [d for d in doubts if d.fewer or d.gone or d.passed] if low > 1 else []
    least = recurrence_ii(_loosened(p.problem, open_)) or 1 if len(open_) > 1 else 1
    for doubt in open_:
        if low == least:
            break
        kinds, gone, passed = kinds | doubt.fewer, gone | doubt.gone, passed | doubt.passed
        ii = recurrence_ii(relaxed(p.problem, kinds, gone, passed)) or 1
        if ii < low:
            low = ii
            why.append(doubt)
    return low, tuple(why)


def _least_ports(p: Prediction, doubts: Sequence[Doubt]) -> tuple[int, tuple[Doubt, ...]]:
    """Resource II if every doubt turned out best, and those that lower it."""
    left, why = p.counts, list[Doubt]()
    for doubt in doubts:
        if doubt.left:
            kept = _without(p, doubt.left)
        elif doubt.idle is not None:
            bus = shared_interval(p.elaborated, left)
            kept = {v: x for v, x in left.items() if not doubt.idle(v, bus)}
        else:
            continue
        if _interval(p, kept) < _interval(p, left):
            why.append(doubt)
        left = kept
    return _interval(p, left), tuple(why)


def _tightest(p: Prediction, doubts: Sequence[Doubt]) -> tuple[int, tuple[Doubt, ...]]:
    """II if every doubt turned out worst, and those that raise it; it may lie beyond the schedule."""
    assert p.schedule is not None
    timing = {i: replace(t, states=max(t.states, t.most)) for i, t in p.problem.timing.items()}
    graph, why, best = _behind_responses(p, timing), list[Doubt](), p.schedule.ii
    edges = list(graph.edges)
    slow = [d for d in doubts if d.slow]
    ii = (recurrence_ii(replace(p.problem, graph=graph, timing=timing)) if slow else None) or best
    if ii > best:
        best = ii
        why += slow
    for doubt in (d for d in doubts if d.more):
        edges += [e for e in doubt.more if e.source in graph.ops and e.sink in graph.ops]
        ii = recurrence_ii(replace(p.problem, graph=replace(graph, edges=tuple(edges)), timing=timing)) or best
        if ii > best:
            best = ii
            why.append(doubt)
    why += [d for d in doubts if d.ii]
    return max([best, *(d.ii for d in doubts)]), tuple(why)


def _without(p: Prediction, loads: frozenset[int]) -> dict[int, PortCount]:
    """Accesses of the loop without loads that may have left it."""
    item, out = p.elaborated, dict(p.counts)
    for variable in p.counts:
        members = zip(item.members[variable], item.accesses[variable], strict=True)
        kept = tuple(access for ident, access in members if ident not in loads)
        if len(kept) < len(item.accesses[variable]):
            memory = item.storage.memory(variable)
            problem = PortProblem(item.space, kept, item.storage.target.exclusive_arms)
            out[variable] = problem.count(memory.layout, memory.ports)
    return out


def _in_registers(p: Prediction) -> frozenset[Edge]:
    """Orders between iterations at fixed elements of arrays that the tool may make registers by itself."""
    ops, bus = p.problem.graph.ops, shared_interval(p.elaborated, p.counts)
    fixed = {
        i: op.ref.variable for i, op in ops.items() if op.ref is not None and op.ref.element is not None
    }  # fmt: skip
    partitioned = {v for v in set(fixed.values()) & set(p.counts) if _is_divided(p, v, bus)}
    edges = (e for e in p.problem.graph.edges if e.kind == "memory" and e.distance and e.sink in fixed)
    return frozenset(e for e in edges if fixed.get(e.source) in partitioned)


def _is_divided(p: Prediction, variable: int, shared: int) -> bool:
    """Whether an array that the tool may partition by itself would be less busy with a dimension split.

    ``shared``: the II of the buses that are known.
    """
    storage, problem = p.elaborated.storage, p.elaborated.problems[variable]
    memory, busy = storage.memory(variable), p.counts[variable].static.interval
    if busy <= max(p.target, p.units_ii, shared) or not storage.may_partition(variable, p.elaborated.nest.origin):
        return False
    n = len(problem.accesses)
    factors = sorted({2, 3, 4, 5, 8, 16, math.ceil(n / 2), n})
    open_ = [k for k, dim in enumerate(memory.layout.dims) if not dim.is_split and dim.extent > 1]
    for k in open_:
        for factor in (f for f in factors if 1 < f <= memory.layout.dims[k].extent):
            if problem.static(_split(memory.layout, {k: factor}), memory.ports).interval < busy:
                return True
    if len(open_) < 2 or n > _PAIRED or storage.target.distances_tell_banks == "no":
        return False
    # a report of 2023.2: the rows and columns of a window of 3 x 3, one dimension whole and one by 3
    layouts = (_split(memory.layout, {k: min(f, memory.layout.dims[k].extent) for k in open_}) for f in factors)
    return any(problem.ideal(layout, memory.ports)[0].interval < busy for layout in layouts)


def _split(layout: PerDimLayout, factors: Mapping[int, int]) -> PerDimLayout:
    """A layout with the dimensions ``factors`` names in cyclic banks."""
    dims = (DimLayout.of("cyclic", d.extent, factors[k]) if k in factors else d for k, d in enumerate(layout.dims))
    return PerDimLayout(tuple(dims))


def _interval(p: Prediction, counts: Mapping[int, PortCount]) -> int:
    banks = (x.static.interval for x in counts.values())
    return max(p.units_ii, shared_interval(p.elaborated, counts), max(banks, default=1))


def _behind_responses(p: Prediction, timing: Mapping[int, Timing]) -> Graph:
    """The orders that hold also where loads wait for responses; those that others imply are left out."""
    edges = tuple([_behind_response(e, p, timing) for e in p.problem.graph.edges])
    if all(new is old for new, old in zip(edges, p.problem.graph.edges, strict=True)):
        return p.problem.graph.lean
    return replace(p.problem.graph, edges=edges).lean


def _behind_response(edge: Edge, p: Prediction, timing: Mapping[int, Timing]) -> Edge:
    """An order of a load behind a store, which may wait for the response of an m_axi port."""
    kinds = (p.problem.graph.ops[edge.source].kind, p.problem.graph.ops[edge.sink].kind)
    if edge.kind != "memory" or kinds != ("store", "load") or not timing[edge.source].most:
        return edge
    return replace(edge, gap=max(edge.gap or 0, timing[edge.source].states))


def _sums_in_row(p: Prediction) -> bool:
    """Whether the critical cycle passes from one integer sum into the next."""
    ops = p.problem.graph.ops
    cycle = critical_cycle(p.problem, p.recurrence_ii)
    return any(ops[e.source].kind == ops[e.sink].kind == "add" for e in cycle if e.kind == "data" and not e.distance)


def _inner_sums(p: Prediction) -> frozenset[int]:
    """Sums and products of floating point that are an operand of one of their kind alone: a tree has another root."""
    ops, users = p.problem.graph.ops, dict[int, set[int]]()
    for e in p.problem.graph.edges:
        if e.kind == "data" and not e.distance:
            users.setdefault(e.source, set()).add(e.sink)
    return frozenset(
        i
        for i, by in users.items()
        if ops[i].kind in FLOATS and {ops[x].kind for x in by} == {ops[i].kind} and len(by) == 1
    )


def _resumed(p: Prediction) -> frozenset[Edge]:
    """Orders between iterations at elements that stay in the inner loop of a flattened nest and go on from memory.

    A report of 2023.2: a sum of floats runs at the II of its adder. Only where the last store is handed on beside
    the memory, which is then met two iterations later, is there any choice.
    """
    kept, graph = p.elaborated.lowered.kept, p.problem.graph
    at = {i: (op.ref.variable, op.ref.index) for i, op in graph.ops.items() if op.ref is not None}
    return frozenset(
        e for e in graph.edges
        if e.kind == "memory" and e.distance > 1 and e.sink in kept and at.get(e.source) == at[e.sink]
    )  # fmt: skip


def _chosen(graph: Graph, loads: frozenset[int]) -> frozenset[int]:
    """Selections between what loads deliver and the last value stored: none where the element stays in a register."""
    data = [e for e in graph.edges if e.kind == "data" and graph.ops[e.sink].kind == "select"]
    carried = {e.sink for e in data if e.distance}
    return frozenset(e.sink for e in data if e.source in loads and e.sink in carried)


def _decided_by_loads(graph: Graph) -> frozenset[Edge]:
    """Orders into selections whose condition needs a load at a computed address."""
    behind = incoming_of([e for e in graph.edges if e.kind == "data"])
    known: dict[int, bool] = {}

    def loaded(ident: int) -> bool:
        if ident not in known:
            known[ident] = False  # cuts cycles
            edges = behind.get(ident, ())
            here = graph.ops[ident].kind == "load" and bool(edges)
            known[ident] = here or any(loaded(e.source) for e in edges if not e.distance)
        return known[ident]

    return frozenset(
        e for decided in behind.values() for e in decided
        if graph.ops[e.sink].kind == "select" and e.source == graph.ops[e.sink].args[0] and loaded(e.source)
    )  # fmt: skip
