"""What is not known of a loop's II: how low and how high it may be, and why."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

from hlspart.banking.counting import PortProblem
from hlspart.layouts.dimension import DimLayout
from hlspart.layouts.perdim import PerDimLayout
from hlspart.model.ports import PortCount
from hlspart.schedule.dependence import REMAINDER
from hlspart.schedule.depths import estimate
from hlspart.schedule.graph import Edge, Graph
from hlspart.schedule.loops import Prediction, shared_interval
from hlspart.schedule.problem import Timing
from hlspart.schedule.recurrence import critical_cycle, incoming_of, recurrence_ii, recurrence_without

PARTED = "whether the tool partitions a local array by itself is not known"
MULTIPLIED = "whether the DSP block of a product also makes the sum, in a state of its own, is not known"


def uncertain(p: Prediction) -> tuple[int, str | None]:
    """Least II if what is not known turned out best, and why it is not known."""
    item, low, why = p.elaborated, p.recurrence_ii, None
    reasons: list[tuple[frozenset[str], frozenset[Edge], str]] = []
    if p.estimated:
        reasons.append((p.estimated, frozenset(), estimate(p.estimated)))
    timing, ops = p.problem.timing, p.problem.graph.ops
    if built := frozenset(ops[i].kind for i, t in timing.items() if 0 < t.least < t.states) - p.estimated:
        names = ", ".join(sorted(built))
        text = f"whether the tool builds {names} without DSP blocks, in fewer states, for the II asked for is not known"
        reasons.append((built, frozenset(), text))
    if item.carriers.assumed:
        pairs = item.carriers.assumed
        edges = frozenset(e for e in p.problem.graph.edges if e.distance and (e.source, e.sink) in pairs)
        reasons.append((frozenset(), edges, "whether iterations touch the same element depends on data"))
    if item.carriers.doubted:
        edges = frozenset(
            e for e in p.problem.graph.edges if e.distance and (e.source, e.sink) in item.carriers.doubted
        )
        text = "whether the tool sees that addresses with values from outside the loop do not meet is not known"
        reasons.append((frozenset(), edges, text))
    if item.carriers.ordered:
        edges = frozenset(
            e for e in p.problem.graph.edges if not e.distance and (e.source, e.sink) in item.carriers.ordered
        )
        reasons.append((frozenset(), edges, REMAINDER))
    if parted := _in_registers(p):
        reasons.append((frozenset(), parted, PARTED))
    if decided := _decided_by_loads(p.problem.graph):
        text = "whether the tool waits for a loaded value that decides the next address is not known"
        reasons.append((frozenset(), decided, text))
    if item.balanced and p.recurrence_ii > 1 and _sums_in_row(p):
        text = "in which order a balanced sum takes in what the recurrence makes is not known"
        reasons.append((frozenset({"add", "sub"}), frozenset(), text))
    if item.speculative:
        text = "whether an iteration starts before the exit test of the last one is decided is not known"
        reasons.append((frozenset(), item.speculative, text))
    kinds: frozenset[str] = frozenset()
    gone: frozenset[Edge] = frozenset()
    for k, e, text in reasons if p.recurrence_ii > 1 else ():
        kinds, gone = kinds | k, gone | e
        found = recurrence_without(p.problem, kinds, gone)
        if found < low:
            low, why = found, text if why is None else f"{why}; {text}"
    return low, why


def both(why: str, also: str) -> str:
    """Two lists of causes, equal ones once."""
    return "; ".join(dict.fromkeys((*why.split("; "), *also.split("; "))))


def least_resource(p: Prediction) -> tuple[int, str | None]:
    """Least resource II if arrays whose memory is not known ask for nothing, and why it is not known."""
    storage = p.elaborated.storage
    reasons: tuple[tuple[Callable[[int, int], bool], str], ...] = (
        (lambda v, _: storage.unseen(v), "which memory a caller passes is not known"),
        (
            lambda v, _: storage.memory(v).divided == "possibly",
            "how processes that run at once divide the ports of an array is not known",
        ),
        (lambda v, _: storage.ported(v), "whether each bank of a partitioned m_axi array gets a port is not known"),
        (lambda v, bus: _divided(p, v, bus), PARTED),
    )
    left, why = _settled(p), []
    if _interval(p, left) < _interval(p, p.counts):
        why.append("whether loads leave the loop that only unrolling or a partition makes steady is not known")
    for unknown, text in reasons:
        bus = shared_interval(p.elaborated, left)
        kept = {v: x for v, x in left.items() if not unknown(v, bus)}
        if _interval(p, kept) < _interval(p, left):
            why.append(text)
        left = kept
    return _interval(p, left), "; ".join(why) or None


def _settled(p: Prediction) -> dict[int, PortCount]:
    """Accesses of the loop without loads that may have left it."""
    item, out = p.elaborated, dict(p.counts)
    for variable in p.counts:
        members = zip(item.members[variable], item.accesses[variable], strict=True)
        kept = tuple(access for ident, access in members if ident not in item.lowered.unsettled)
        if len(kept) < len(item.accesses[variable]):
            memory = item.storage.memory(variable)
            problem = PortProblem(item.space, kept, item.storage.target.exclusive_arms)
            out[variable] = problem.count(memory.layout, memory.ports)
    return out


def _in_registers(p: Prediction) -> frozenset[Edge]:
    """Orders between iterations at fixed elements of arrays that the tool may make registers by itself."""
    ops, bus = p.problem.graph.ops, shared_interval(p.elaborated, p.counts)
    fixed = {
        i: op.ref.variable for i, op in ops.items()
        if op.ref is not None and op.ref.index is not None and all(f is not None and not f.terms for f in op.ref.index)
    }  # fmt: skip
    parted = {v for v in set(fixed.values()) & set(p.counts) if _divided(p, v, bus)}
    edges = (e for e in p.problem.graph.edges if e.kind == "memory" and e.distance and e.sink in fixed)
    return frozenset(e for e in edges if fixed.get(e.source) in parted)


def _divided(p: Prediction, variable: int, shared: int) -> bool:
    """Whether an array that the tool may partition by itself would be less busy with a dimension split.

    ``shared``: the II of the buses that are known.
    """
    storage, problem = p.elaborated.storage, p.elaborated.problems[variable]
    memory, busy = storage.memory(variable), p.counts[variable].static.interval
    if busy <= max(p.target, p.units_ii, shared) or not storage.splits(variable, p.elaborated.nest.origin):
        return False
    n = len(problem.accesses)
    factors = {2, 3, 4, 5, 8, 16, math.ceil(n / 2), n}
    for k, dim in enumerate(memory.layout.dims):
        for factor in sorted(f for f in factors if 1 < f <= dim.extent) if not dim.is_split else ():
            split = DimLayout.of("cyclic", dim.extent, factor)
            layout = PerDimLayout((*memory.layout.dims[:k], split, *memory.layout.dims[k + 1 :]))
            if problem.static(layout, memory.ports).interval < busy:
                return True
    return False


def _interval(p: Prediction, counts: Mapping[int, PortCount]) -> int:
    banks = (x.static.interval for x in counts.values())
    return max(p.units_ii, shared_interval(p.elaborated, counts), max(banks, default=1))


def missed(p: Prediction) -> tuple[int, str] | None:
    """(II, cause) where orders that only the tool may see would raise the II."""
    assert p.schedule is not None
    timing = {i: replace(t, states=max(t.states, t.most)) for i, t in p.problem.timing.items()}
    edges, causes = [_behind_response(e, p, timing) for e in p.problem.graph.edges], []
    graph = replace(p.problem.graph, edges=tuple(edges))
    best = p.schedule.ii
    requests = p.elaborated.requests.why
    ii = (recurrence_ii(replace(p.problem, graph=graph, timing=timing)) if p.estimated or requests else None) or best
    if ii > best:
        best = ii
        causes += [*([estimate(p.estimated)] if p.estimated else []), *([requests] if requests else [])]
    multiplied = _in_multipliers(p)
    possible = {**p.elaborated.carriers.possible, **({MULTIPLIED: multiplied} if multiplied else {})}
    for why, found in possible.items():
        edges += [e for e in found if e.source in graph.ops and e.sink in graph.ops]
        ii = recurrence_ii(replace(p.problem, graph=replace(graph, edges=tuple(edges)), timing=timing)) or best
        if ii > best:
            best = ii
            causes.append(why)
    return (best, "; ".join(causes)) if causes else None


def _behind_response(edge: Edge, p: Prediction, timing: Mapping[int, Timing]) -> Edge:
    """An order of a load behind a store, which may wait for the response of an m_axi port."""
    kinds = (p.problem.graph.ops[edge.source].kind, p.problem.graph.ops[edge.sink].kind)
    if edge.kind != "memory" or kinds != ("store", "load") or not timing[edge.source].most:
        return edge
    return replace(edge, gap=max(edge.gap or 0, timing[edge.source].states))


def _in_multipliers(p: Prediction) -> list[Edge]:
    """What waits a state for a sum if the DSP block of a product makes it: 48 bits, one product of one block."""
    ops, target = p.problem.graph.ops, p.elaborated.storage.target
    data = [e for e in p.problem.graph.edges if e.kind == "data"]
    users: dict[int, int] = {}
    for e in data:
        users[e.source] = users.get(e.source, 0) + 1
    made: set[int] = set()
    for e in data:
        product, total = ops[e.source], ops[e.sink]
        if product.kind == "mul" and total.kind == "add" and total.bits <= 48 and users[e.source] == 1:
            time = target.operator("mul", product.bits, product.impl, product.operands)
            made |= {e.sink} if time is not None and time.dsp == 1 else set()
    return [replace(e, gap=1) for e in data if e.source in made and ops[e.sink].kind != "phi"]


def _sums_in_row(p: Prediction) -> bool:
    """Whether the critical cycle passes from one integer sum into the next."""
    ops = p.problem.graph.ops
    cycle = critical_cycle(p.problem, p.recurrence_ii)
    return any(ops[e.source].kind == ops[e.sink].kind == "add" for e in cycle if e.kind == "data" and not e.distance)


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
        e for found in behind.values() for e in found
        if graph.ops[e.sink].kind == "select" and e.source == graph.ops[e.sink].args[0] and loaded(e.source)
    )  # fmt: skip
