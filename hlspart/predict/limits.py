"""Why a loop has its II, in the words of a report: ports, recurrences, operators; and its table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hlspart.lowering.graph import Edge
from hlspart.model.access import Affine
from hlspart.model.ports import BankLoad
from hlspart.model.results import MOST_NAMED, BankUse, CycleStep, Limit, Slot
from hlspart.predict.loops import Prediction
from hlspart.schedule.problem import Problem, allowed
from hlspart.schedule.recurrence import critical_cycle, cycle_latency


def limits(p: Prediction) -> tuple[Limit, ...]:
    """Reasons for an II above 1, the binding one first."""
    causes = [*_ports(p), *_bundles(p), *_recurrences(p), *_units(p)]
    causes += _together(p, max((x.ii for x in causes), default=1))
    return tuple(sorted(causes, key=lambda x: (-x.ii, x.kind, x.array or x.variable or "")))


def banks(p: Prediction) -> tuple[BankUse, ...]:
    """What the memories of the loop are asked for, bank by bank."""
    out = []
    for variable in p.counts:
        memory, name = p.elaborated.storage.memory(variable), p.elaborated.carriers.names(variable)
        out += [
            BankUse(name, x.bank, len(x.reads), len(x.writes), memory.ports.total, x.interval)
            for x in p.elaborated.problems[variable].loads(memory.layout, memory.ports)
        ]
    return tuple(sorted(out, key=lambda x: (x.array, x.bank)))


def _bundles(p: Prediction) -> list[Limit]:
    """Buses whose one read and one write channel serve several arrays."""
    by_bus: dict[str, list[int]] = {}
    for op, use in p.problem.ports.items():
        for bus in use.banks:
            if bus.startswith("m_axi"):
                by_bus.setdefault(bus, []).append(op)
    out = []
    for bus, members in sorted(by_bus.items()):
        ops = [p.problem.graph.ops[op] for op in members]
        arrays = {op.ref.variable for op in ops if op.ref is not None}
        reads = sum(op.kind == "load" for op in ops)
        need = p.problem.limits[bus].interval(reads, len(ops) - reads)
        if need > 1 and len(arrays) > 1:
            lines = tuple(sorted({op.line for op in ops}))
            writes = len(ops) - reads
            asked = " and ".join(f"{n} {word}{'s' * (n > 1)}" for n, word in ((reads, "read"), (writes, "write")) if n)
            text = f"{bus}: {asked} of {len(arrays)} arrays share its channels"
            out.append(Limit("interface", need, lines, array=bus, accesses=len(ops), text=text))
    return out


def _together(p: Prediction, alone: int) -> list[Limit]:
    """What is left when no single reason explains the II: ports and dependences at the same time."""
    if p.schedule is None or p.schedule.skipped or p.schedule.ii <= max(alone, p.target):
        return []
    together = p.schedule.ii - 1
    how = "there is none" if p.schedule.least else "none was found"
    text = f"ports and dependences together: no schedule at II {together} ({how})"
    lines = tuple(sorted({op.line for op in p.problem.graph.memory}))
    return [Limit("schedule", p.schedule.ii, lines, text=text)]


def _ports(p: Prediction) -> list[Limit]:
    out = []
    for variable, count in p.counts.items():
        load = count.static
        if load.interval <= 1:
            continue
        accesses = p.elaborated.accesses[variable]
        ports, chosen = _competing(p, variable, load)
        lines = tuple(sorted({accesses[k].line for k in chosen}))
        name = p.elaborated.carriers.names(variable)
        witness = _iteration(p, count.witness) if count.ideal.interval == load.interval else None
        counts = ((load.reads, "read"), (load.writes, "write"))
        asked = " and ".join(f"{len(x)} {word}{'s' * (len(x) > 1)}" for x, word in counts if x)
        text = (
            f"{name} bank {load.bank}: {asked} in one iteration "
            f"(line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}) on {_ports_text(ports)}"
            f"{_beside(p, variable)}{_holders(p, variable, chosen, ports)}"
        )
        out.append(
            Limit(
                "memory-port", load.interval, lines, array=name, bank=load.bank,
                accesses=len(chosen), ports=ports, witness=witness, text=text,
            )
        )  # fmt: skip
    return out


def _iteration(p: Prediction, values: Mapping[str, int] | None) -> dict[str, int] | None:
    """An iteration by the iterators of its loops."""
    nest, loops = p.elaborated.nest, p.elaborated.storage.analysis.loops
    names = {loops[x.id].iterator for x in (*nest.outer, *nest.chain) if x.id in loops}
    return None if values is None else {n: value for n, value in values.items() if n in names}


def _competing(p: Prediction, variable: int, load: BankLoad) -> tuple[int, list[int]]:
    """(ports, accesses) that decide the interval of the busiest bank: those of reads, of writes, or of both."""
    ports = p.elaborated.storage.memory(variable).ports
    kinds = ((ports.total, (*load.reads, *load.writes)), (ports.reads, load.reads), (ports.writes, load.writes))
    known = [
        (-(-len(competing) // limit), -k, limit, competing)
        for k, (limit, competing) in enumerate(kinds)
        if limit is not None
    ]
    _, _, limit, competing = max(known, default=(0, 0, 0, (*load.reads, *load.writes)))
    return limit, sorted(competing)


def _ports_text(ports: int) -> str:
    return f"{ports} port{'s' * (ports > 1)}"


def _beside(p: Prediction, variable: int) -> str:
    divided = p.elaborated.storage.memory(variable).divided == "yes"
    return " (a process that runs at the same time has the other)" if divided else ""


def _holders(p: Prediction, variable: int, chosen: list[int], ports: int) -> str:
    """The first access that finds no port in program order, and those that hold the ports."""
    accesses = p.elaborated.accesses[variable]
    program = p.elaborated.storage.program
    known = p.elaborated.storage.analysis.by_id

    if len(chosen) <= ports:
        return ""
    first, names = chosen[: ports + 1], p.elaborated.symbols
    several = len({accesses[k].access for k in first}) < len(first)

    def named(k: int) -> str:
        access, index = known.get(accesses[k].access), accesses[k].index
        if several and index is not None and None not in index:  # copies of one access: their elements
            shown = (Affine(tuple((names.get(n, n), c) for n, c in form.terms), form.const) for form in index if form)
            text = p.elaborated.carriers.names(variable) + "".join(f"[{form}]" for form in shown)
        else:
            text = program.text(access.at) if access is not None else "an access"
        return f"{text} (line {accesses[k].line})"

    culprit = chosen[ports]
    holders = ", ".join(f"p{k} by {named(x)}" for k, x in enumerate(chosen[:ports]))
    kind = "load" if accesses[culprit].kind == "read" else "store"
    return f"; {kind} {ports + 1} of {len(chosen)}, {named(culprit)}, finds no port: {holders}"


def _recurrences(p: Prediction) -> list[Limit]:
    if p.recurrence_ii <= 1:
        return []
    cycle = critical_cycle(p.problem, p.recurrence_ii)
    if not cycle:
        return []
    ops = p.problem.graph.ops
    lines = tuple(sorted({ops[e.sink].line for e in cycle}))
    carried = next(e for e in cycle if e.distance)
    distance = sum(e.distance for e in cycle)
    # what a round leaves over of a state adds up over the rounds: the II below is too small
    latency = max(cycle_latency(p.problem, cycle), (p.recurrence_ii - 1) * distance + 1)
    names = [f"{ops[e.sink].text or ops[e.sink].kind} (line {ops[e.sink].line})" for e in cycle]
    if len(names) > MOST_NAMED:
        few = MOST_NAMED // 2
        names = [*names[:few], f"{len(names) - 2 * few} more", *names[-few:]]
    steps = " -> ".join(names)
    states, apart = (f"{n} {word}{'s' * (n > 1)}" for n, word in ((latency, "state"), (distance, "iteration")))
    text = f"{carried.name}: {steps} takes {states}, {apart} apart"
    return [
        Limit(
            "recurrence", p.recurrence_ii, lines, variable=carried.name, distance=distance, latency=latency, text=text
        )
    ]


def _units(p: Prediction) -> list[Limit]:
    out = []
    for unit, n in p.problem.counts().items():
        if unit in p.problem.limited and n > p.problem.limited[unit]:
            limit = p.problem.limited[unit]
            lines = tuple(sorted({op.line for op in p.problem.graph.ops.values() if op.kind == unit}))
            out.append(
                Limit(
                    "operator",
                    -(-n // limit),
                    lines,
                    accesses=n,
                    ports=limit,
                    text=f"{n} {unit} on {limit} unit{'s' * (limit > 1)}",
                )
            )
    return out


def slots(p: Prediction) -> tuple[Slot, ...]:
    """The reservation table: every operation with its state, slot, and the ports or units that it takes."""
    if p.schedule is None:
        return ()
    rows = []
    taken: dict[tuple[str, int], int] = {}
    for ident in sorted(p.schedule.start, key=lambda i: (p.schedule.start[i] if p.schedule else 0, i)):
        op = p.problem.graph.ops[ident]
        start = p.schedule.start[ident]
        slot = start % p.schedule.ii
        use, unit = p.problem.ports.get(ident), p.problem.timing[ident].unit
        names = [(bank, "p") for bank in use.banks] if use is not None else []
        names += [(unit, "unit ")] if unit is not None else []
        holders = []
        for name, word in names:
            number = taken.get((name, slot), 0)
            taken[name, slot] = number + 1
            holders.append(f"{name} {word}{number}")
        access, index = (None, None) if op.ref is None else (op.ref.access, op.ref.index)
        states = p.problem.timing[ident].states
        rows.append(Slot(op.text or op.kind, op.line, start, states, tuple(holders), slot, access, index))
    return tuple(rows)


def steps(p: Prediction) -> tuple[CycleStep, ...]:
    """The critical cycle, operation by operation; () when dependences allow II 1."""
    return along(p.problem, critical_cycle(p.problem, p.recurrence_ii)) if p.recurrence_ii > 1 else ()


def along(problem: Problem, cycle: Sequence[Edge]) -> tuple[CycleStep, ...]:
    """A cycle of dependences, operation by operation."""
    out = []
    first = next((k for k, edge in enumerate(cycle) if edge.distance), 0)
    at = (0, 0.0)
    for wait in problem.along((*cycle[first:], *cycle[:first])):
        op, edge = problem.graph.ops[wait.sink], wait.edge
        if edge is not cycle[first]:
            at = allowed(wait, problem.period, *at, 0)
        last = at[0] + problem.timing[op.id].states - 1
        out.append(CycleStep(op.text or op.kind, op.line, at[0], last, edge.name, edge.kind, edge.distance))
    return tuple(out)
