"""One loop from its operations to its schedule: the problem, and the figures of the nest."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from hlspart.banking.accesses import most_at_once
from hlspart.hardware.memory import AXIS, BUS, Memory
from hlspart.hardware.unmodelled import Unmodelled
from hlspart.lowering import directed
from hlspart.lowering.addresses import access_ns
from hlspart.lowering.doubt import Doubt, about
from hlspart.lowering.graph import Edge, Op
from hlspart.model.access import Bounds
from hlspart.model.ports import PortAccess, PortCount, Ports
from hlspart.nests.nests import Nest
from hlspart.predict.blocks import in_blocks
from hlspart.predict.depths import DepthRange, depth_range, of_dividers, of_operators
from hlspart.predict.elaborate import Elaborated, Elaboration
from hlspart.schedule.modulo import modulo_schedule
from hlspart.schedule.problem import PortUse, Problem, Schedule, Timing
from hlspart.schedule.recurrence import recurrence_ii

NONE = DepthRange(Bounds(0, 0))


class Prediction(Struct, frozen=True):
    """II figures of one nest and the schedule that reaches them; None where not known."""

    elaborated: Elaborated
    counts: Mapping[int, PortCount]
    resource_ii: int
    ideal_resource_ii: int
    recurrence_ii: int
    problem: Problem  # without waits that no element asks for; the schedule keeps those that cost it no II
    schedule: Schedule | None
    doubts: tuple[Doubt, ...]  # about its operators and the banks of its accesses
    target: int = 1
    joined_ii: int = 1  # recurrence II if carried values joined balanced trees first
    units_ii: int = 1  # least II of limited operators
    ahead: DepthRange = NONE  # states of the operations that have left the loop


class LoopModel(Elaboration):
    """Predicts the nests of one function."""

    def problem(self, item: Elaborated) -> tuple[Problem, tuple[Doubt, ...]]:
        """Timing, ports and units of every operation; and what is not known of operators and banks."""
        timing: dict[int, Timing] = {}
        limited = self._allocations(item.nest)
        uses: dict[int, PortUse] = {}
        limits: dict[str, Ports] = {}
        estimated: set[str] = set()
        blocks = in_blocks(item.lowered.graph, self.target).timing(self.target)
        for op in item.lowered.graph.ops.values():
            made = blocks.get(op.id) or self._timing(op, item, estimated)
            unit = next((u for u in (f"{op.kind} {op.text}", op.kind) if u in limited), made.unit)
            timing[op.id] = replace(made, unit=unit)
        for variable, members in item.members.items():
            memory = self.storage.memory(variable)
            if memory.registers or memory.ports.unlimited:
                continue
            apart = item.apart(variable)
            for k, ident in enumerate(members):
                names = tuple(memory.bank(b) for b in sorted(item.problems[variable].reach(k, memory.layout)))
                if apart is not None:  # one bank at a time, the same for all of one remainder
                    names = (f"{memory.resource} remainder {'.'.join(map(str, apart[k]))}",)
                op = item.lowered.graph.ops[ident]
                branch = op.ref.branch if op.ref is not None and self.target.exclusive_arms else ()
                uses[ident] = PortUse(names, op.kind == "load", branch)
                for name in names:
                    limits[name] = memory.ports
        quick = self.target.fabric_adders and self._asks(item.nest)  # reports: the sum is stored in the last state
        handing = 0.0 if quick else self.target.handing_ns
        problem = Problem(item.lowered.graph, timing, uses, limits, self.target.effective_ns, limited, handing)
        problem = self._unclocked(item.nest, problem)
        doubts = (*of_operators(problem, frozenset(estimated)), *of_dividers(item))
        return problem, (*doubts, *self._shared(item, problem))

    def _unclocked(self, nest: Nest, problem: Problem) -> Problem:
        """``problem`` without the delays of logic that would lengthen an II that a directive names.

        UG1448 (II-constrained mode): dependences decide the II; what then does not fit lengthens the clock period.
        """
        if not self._asks(nest):
            return problem
        ops, timing = problem.graph.ops, dict(problem.timing)
        for i in problem.graph.recurring:
            if timing[i].states == 1 and ops[i].ref is None:
                timing[i] = replace(timing[i], in_ns=0.0, out_ns=0.0)
        if timing == problem.timing:
            return problem
        free = replace(problem, timing=timing)
        asked = recurrence_ii(free, nest.target_ii or 1)
        return problem if recurrence_ii(problem, nest.target_ii or 1) == asked else free

    def _shared(self, item: Elaborated, problem: Problem) -> Iterator[Doubt]:
        """Units that the modules of other loops may have too, outside of all: a report has a state more (2025.2)."""
        others = (n for n in self.nests.all if n.pipelined and n is not item.nest)
        if not (self.target.modules_share_units and self._is_outlined(item.nest) and any(others)):
            return
        graph, timing = item.lowered.graph, problem.timing
        units = {i for i, t in timing.items() if t.unit is not None and t.states > 1}
        ops = [graph.ops[i] for i in sorted(units & graph.recurring)] if units else []
        if ops:
            text = "whether other loops share its floating-point units, at a state more, is not known"
            more = tuple(Edge(op.id, op.id, 1, timing[op.id].states + 1, "data", op.text) for op in ops)
            yield Doubt(about(text, ops), more=more, endless=True)

    def _timing(self, op: Op, item: Elaborated, estimated: set[str]) -> Timing:
        target = self.target
        if op.kind == "load":
            assert op.ref is not None
            memory = self.storage.memory(op.ref.variable)
            if memory.registers:
                dynamic = op.ref.index is None or any(f is None or f.terms for f in op.ref.index)
                wait = target.memory_ns("mux") if dynamic else 0.0
                return Timing(1, wait, wait)
            if memory.storage == BUS:
                return self._beat(op, memory, item)
            states = target.load_states(memory.storage, memory.layout.depth(0))
            if memory.latency is not None:
                states = memory.latency + 1
            out = wait = access_ns(op, self.storage)
            k = item.members[op.ref.variable].index(op.id)
            if len(item.problems[op.ref.variable].reach(k, memory.layout)) > 1:
                out += target.memory_ns("mux")
            if op.id in item.lowered.kept:
                out += target.memory_ns("select")
            return Timing(states, out if states == 1 else wait, out)
        if op.kind == "store":
            assert op.ref is not None
            memory = self.storage.memory(op.ref.variable)
            if memory.storage == BUS:
                return self._beat(op, memory, item)
            if memory.storage == AXIS and self._is_registered(item.nest):
                return Timing(target.axis_write_states, 0.0, 0.0)
            wait = 0.0 if memory.registers else access_ns(op, self.storage)
            return Timing(target.store_states, wait, wait)
        if op.kind == "address":
            states = math.ceil(op.bits / 1000 / target.effective_ns)
            return Timing(states, op.bits / 1000 / states, op.bits / 1000 / states)
        if op.kind == "mux":
            wait = target.memory_ns("mux")
            return Timing(1, wait, wait)
        if op.kind == "call":  # a state in which the module is started; its latency is added to the loop's
            return Timing(1, target.effective_ns, target.effective_ns)
        if op.kind in ("wire", "open"):  # what is open, its doubt says
            return Timing(1, 0.0, 0.0)
        time = target.operator(op.kind, op.bits, op.impl, op.operands)
        if time is None:
            raise Unmodelled(f"{target.tool} has no latency of {op.kind}", op.line)
        if op.id in item.lowered.divided and time.by_invariant:
            time = replace(time, states=time.by_invariant, least=0, most=0)
        if op.latency is not None:
            share = time.in_ns * time.states / (op.latency + 1) if time.states == 1 else time.in_ns
            time = replace(time, states=op.latency + 1, in_ns=share, out_ns=min(share, time.out_ns), least=0, most=0)
        elif (not time.measured and time.states > 1) or (op.impl and f"{op.kind}.{op.impl}" not in target.operators):
            estimated.add(op.kind)
        elif self._asks(item.nest) and op.impl is None and time.states > 1:
            fabric = target.operator(op.kind, op.bits, "nodsp", op.operands)
            if fabric is not None and fabric.states < time.states:
                time = replace(time, least=fabric.states)
        unit = (f"{op.kind}.{op.impl}" if op.impl else op.kind) if time.shared else None
        short = (
            time.delay_known and time.out_ns + target.scalar_ns > target.effective_ns and self._is_outlined(item.nest)
        )
        short = short and not self._asks(item.nest)
        sum_waits = time.states > 1 and (short or target.sums_wait)
        return Timing(time.states, time.in_ns, time.out_ns, unit, sum_waits, time.least, time.most)

    def _built(self, item: Elaborated, target_ii: int) -> Elaborated:
        """``item`` with the adders of its recurrences built without DSP blocks, where the tool does that.

        Reports of four repositories (2022.2, 2023.2; 3.33 to 4.55 ns): it does if the II that a directive names is
        missed with DSP blocks and fewer states are to be had; other adders of the loop keep theirs.
        """
        if not (self.target.fabric_adders and self._asks(item.nest)):
            return item
        problem, _ = self.problem(item)
        quicker = {i for i, t in problem.timing.items() if 0 < t.least < t.states and t.unit is not None}
        if not quicker or (recurrence_ii(problem) or 0) <= target_ii:
            return item
        graph = item.lowered.graph
        chosen = quicker & graph.recurring
        ops = {i: replace(op, impl="nodsp") if i in chosen else op for i, op in graph.ops.items()}
        return replace(item, lowered=replace(item.lowered, graph=replace(graph, ops=ops)))

    def _beat(self, op: Op, memory: Memory, item: Elaborated) -> Timing:
        """An m_axi access: data in a state of its own, not the first, behind a request or ahead of a response."""
        request, response = self.storage.bus_states(memory.variable)
        if item.requests.known:
            waits = (request if op.kind == "load" else response) if op.id in item.requests.inside else 0
            return Timing(2 + waits, 0.0, self.target.effective_ns)
        wait = access_ns(op, self.storage)
        if op.kind == "load":
            return Timing(self.target.load_states(BUS), wait, wait, most=request + 2)
        return Timing(self.target.store_states, wait, wait, most=response + 3)

    def _allocations(self, nest: Nest) -> dict[str, int]:
        """Limits of units by name: the kind of operation, with its sign where units differ by it."""
        limits = directed.limits(self.program, nest.function, self._around(nest))
        return {f"{kind} {sign}".strip(): limit for (kind, sign), limit in limits.items()}

    def predict(self, nest: Nest) -> Prediction:
        """The prediction of a pipelined nest. Raises :class:`Unmodelled`."""
        target = nest.target_ii or 1
        item = self._built(self.elaborate(nest), target)
        problem, doubts = self.problem(item)
        counts: dict[int, PortCount] = {}
        resource = ideal = 1
        for variable in item.accesses:
            memory = self.storage.memory(variable)
            if memory.registers:
                continue
            count = item.problems[variable].count(memory.layout, memory.ports)
            counts[variable] = count if item.apart(variable) is None else replace(count, static=count.ideal)
            resource = max(resource, counts[variable].static.interval)
            ideal = max(ideal, counts[variable].ideal.interval)
        few = problem.limited
        units = max((math.ceil(n / few[unit]) for unit, n in problem.counts().items() if unit in few), default=1)
        least = max(units, shared_interval(item, item.accesses))
        resource, ideal = max(resource, least), max(ideal, least)
        needed = problem.lean
        recurrence = recurrence_ii(needed)
        if recurrence is None:
            raise Unmodelled("no II satisfies the dependences", nest.line)
        joined = recurrence
        if item.joined:
            early = self._built(self.elaborate(nest, early=True), target)
            joined = recurrence_ii(self.problem(early)[0], recurrence) or recurrence
        share = self.target.share_delay
        schedule = modulo_schedule(needed, max(target, resource, recurrence), share)
        if schedule is not None and item.lowered.waits:
            waiting = modulo_schedule(cautious(item, problem).lean, schedule.ii, share, tries=1)
            schedule = (
                replace(waiting, least=schedule.least, skipped=schedule.skipped) if waiting is not None else schedule
            )
        return Prediction(
            item, counts, resource, ideal, recurrence, problem, schedule, doubts, target, joined, units,
            self._ahead(item),
        )  # fmt: skip

    def _ahead(self, item: Elaborated) -> DepthRange:
        """States of the operations that have left a loop, which its function works out ahead of it."""
        graph = item.lowered.ahead
        if not graph.ops:
            return NONE
        estimated: set[str] = set()
        timing = {i: replace(self._timing(op, item, estimated), unit=None) for i, op in graph.ops.items()}
        problem = Problem(graph, timing, {}, {}, self.target.effective_ns, {})
        wide = sum(t.states for t in timing.values()) + 1
        schedule = modulo_schedule(problem, wide, wide, 1)
        assert schedule is not None  # nothing limits it
        return depth_range(problem, of_operators(problem, frozenset(estimated)), wide, schedule.depth)


def shared_interval(item: Elaborated, variables: Collection[int]) -> int:
    """II of the m_axi ports of these arrays, one read and one write channel each."""
    using: dict[str, tuple[list[PortAccess], list[PortAccess]]] = {}
    for variable in variables:
        memory = item.storage.memory(variable)
        if memory.storage == BUS:
            for k, access in enumerate(item.accesses[variable]):
                for bank in item.problems[variable].reach(k, memory.layout):
                    using.setdefault(memory.bank(bank), ([], []))[access.kind == "write"].append(access)
    target = item.storage.target
    ports = target.ports(BUS)
    count = most_at_once if target.exclusive_arms else len
    return max((ports.interval(count(loads), count(stores)) for loads, stores in using.values()), default=1)


def cautious(item: Elaborated, problem: Problem) -> Problem:
    """The same with the orders that the tool keeps although no element asks for them."""
    return replace(problem, graph=replace(problem.graph, edges=(*problem.graph.edges, *item.lowered.waits)))
