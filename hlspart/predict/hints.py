"""Ways out of a missed II, the cheapest first, each checked by running the model with it."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace

from hlspart.hardware.memory import STREAMS
from hlspart.hardware.storage import Storage
from hlspart.layouts.dimension import DimKind, DimLayout
from hlspart.layouts.perdim import PerDimLayout
from hlspart.model.ports import Ports
from hlspart.model.results import Limit, LoopResult
from hlspart.nests.nests import Nest
from hlspart.predict import trial
from hlspart.predict.loops import LoopModel, Prediction
from hlspart.predict.trial import Change
from hlspart.schedule.problem import Problem
from hlspart.schedule.recurrence import critical_cycle, recurrence_ii
from hlspart.targets.target import REGISTERS

_DIVIDED: tuple[DimKind, ...] = ("cyclic", "block")
MAX_FACTOR = 16
MAX_COMPLETE = 1024  # banks of one dimension
MAX_ACCESSES = 96
MAX_IDEAL = 24  # more accesses are not counted under other layouts
MAX_OPERATIONS = 400  # larger bodies are not scheduled again for a hint
MAX_LAYOUTS = 24  # counted per array
Way = tuple[str, Change]  # in words, and as directives
_MORE_PORTS = {"ram_1p": "ram_t2p", "ram_s2p": "ram_t2p", "ram_2p": "ram_t2p", "rom_1p": "rom_np", "rom_2p": "rom_np"}
_REDUCES = frozenset({"add", "mul", "logic", "fadd", "fmul", "dadd", "dmul"})


Trial = Callable[[Collection[Change]], LoopResult | None]  # the loop with other directives, None if they are not valid


def with_hints(
    model: LoopModel, nest: Nest, p: Prediction, limits: tuple[Limit, ...], home: Storage, trial: Trial
) -> tuple[Limit, ...]:
    """``limits`` with a hint on those that keep the loop from its target, where the model finds one.

    ``home``: memories of the program as it is written, whose calls ``model`` may have expanded.
    """
    if nest.target_ii is None or p.schedule is None or p.schedule.ii <= nest.target_ii:
        return limits
    return tuple(_Hints(model, nest, p, nest.target_ii, home, trial).all(limits))


class _Hints:
    """What helps one loop."""

    def __init__(self, model: LoopModel, nest: Nest, p: Prediction, target: int, home: Storage, trial: Trial) -> None:
        self.model, self.nest, self.p, self.target, self.home, self.trial = model, nest, p, target, home, trial
        assert p.schedule is not None
        self.ii = p.schedule.ii
        self.arrays = {p.elaborated.carriers.names(v): v for v in p.counts}
        self.small = len(p.schedule.start if p.schedule else ()) <= MAX_OPERATIONS

    def all(self, limits: tuple[Limit, ...]) -> Iterator[Limit]:
        """Every limit above the target, with its way out."""
        other = max((x.ii for x in limits if x.kind in ("recurrence", "operator", "interface")), default=1)
        goal = max(self.target, other)  # what more ports can lead to
        ways = self._ports(limits, goal) if goal < self.ii and self.small else {}
        for limit in limits:
            hint = None
            if limit.ii <= self.target:
                pass
            elif limit.kind == "recurrence":
                hint = self._recurrence(limit)
            elif limit.kind == "operator":
                hint = self._operator(limit)
            elif limit.kind == "memory-port" and limit.ii > goal:
                hint = ways.get(limit.array or "") or self._code(limit, goal) or self._complete(limit, goal)
            yield replace(limit, hint=hint) if hint is not None else limit

    # ------------------------------------------------------------------------------- ports

    def _ports(self, limits: tuple[Limit, ...], goal: int) -> dict[str, str]:
        """A pragma per array that, all together, bring the loop to a smaller II."""
        found: dict[int, Way] = {}
        for limit in limits:
            variable = self.arrays.get(limit.array or "")
            if limit.kind == "memory-port" and limit.ii > goal and variable is not None and variable not in found:
                way = next(self._ways(variable, goal), None)
                if way is not None:
                    found[variable] = way
        return self._together(found)

    def _together(self, found: Mapping[int, Way]) -> dict[str, str]:
        if not found:
            return {}
        tried = self.trial([change for _, change in found.values()])
        if tried is None or tried.ii is None or tried.ii >= self.ii:
            return {}
        together = f"; with the hints on {len(found)} arrays" if len(found) > 1 else ""
        hints = {}
        for v, (text, _) in found.items():
            hints[self.p.elaborated.carriers.names(v)] = f"{text}: II {tried.ii}{together}"
        return hints

    def _reached(self, changes: Collection[Change]) -> int | None:
        """The II that the model predicts with other directives, None where it is not known or they are rejected."""
        tried = self.trial(changes)
        return None if tried is None else tried.ii

    def _ways(self, variable: int, goal: int) -> Iterator[Way]:
        """Changes that bring the accesses of one array down to ``goal``, fewest banks first."""
        memory = self.model.storage.memory(variable)
        problem = self.p.elaborated.problems[variable]
        if len(problem.accesses) > MAX_ACCESSES or not self._divides(variable):
            return
        name = self.p.elaborated.carriers.names(variable)
        more = _MORE_PORTS.get(memory.storage)
        if more is not None:
            ports = self.model.target.ports(more)
            if problem.static(memory.layout, ports).interval <= goal:
                yield f"storage {more} for {name}", self._storage(variable, more)
        for layout, text, change in self._layouts(variable, goal):
            if problem.static(layout, self._ports_of(variable, layout)).interval <= goal:
                yield f"#pragma HLS array_partition variable={name} {text}", change

    def _ports_of(self, variable: int, layout: PerDimLayout) -> Ports:
        """Ports of a bank under a layout; single elements are registers."""
        memory = self.model.storage.memory(variable)
        return self.model.target.ports(REGISTERS) if layout.depth(0) == 1 else memory.ports

    def _here(self, variable: int) -> int | None:
        """The variable of the program that one of an expanded call stands for; None where there is none."""
        program = self.home.program
        if variable < len(program.variables):
            return variable
        place = self.model.program.variable(variable).at.span
        return next((v.id for v in program.variables if v.declarations and v.at.span == place), None)

    def _partition(self, variable: int, kind: str, factor: int, dim: int) -> Change:
        here = self._here(variable)
        assert here is not None  # see `_divides`
        return trial.partition(self.home.program, self.home.arrays.members(here), here, kind, factor, dim)

    def _storage(self, variable: int, kind: str) -> Change:
        here, target = self._here(variable), self.model.target
        assert here is not None  # see `_divides`
        interface = self.home.arrays.is_interface(self.home.program.variable(here)) and not target.bind_interface
        return trial.storage(self.home.program, self.home.arrays.members(here), here, kind, interface)

    def _complete(self, limit: Limit, goal: int) -> str | None:
        """One dimension element by element, where nothing cheaper helps."""
        variable = self.arrays.get(limit.array or "")
        if variable is None or not self.small:
            return None
        memory, problem = self.model.storage.memory(variable), self.p.elaborated.problems[variable]
        if len(problem.accesses) > MAX_ACCESSES or not self._divides(variable):
            return None
        for k, dim in sorted(enumerate(memory.layout.dims), key=lambda x: x[1].extent):
            if dim.extent > MAX_COMPLETE or dim.banks == dim.extent:
                continue
            whole = DimLayout.of("complete", dim.extent, None)
            layout = PerDimLayout((*memory.layout.dims[:k], whole, *memory.layout.dims[k + 1 :]))
            if problem.static(layout, self._ports_of(variable, layout)).interval <= goal:
                instead = " instead" if dim.banks > 1 else ""
                text = f"#pragma HLS array_partition variable={limit.array} type=complete dim={k + 1}{instead}"
                change = self._partition(variable, "complete", dim.extent, k + 1)
                return self._together({variable: (text, change)}).get(limit.array or "")
        return None

    def _divides(self, variable: int) -> bool:
        """Whether a partition of the array means anything, and can be written."""
        storage = self.model.storage
        split = storage.memory(variable).storage not in ("m_axi", *STREAMS) and variable not in storage.packings
        return split and self._here(variable) is not None

    def _rewritable(self, variable: int) -> bool:
        """Whether no access of the array keeps the rewrite from it."""
        here, analysis = self._here(variable), self.home.analysis
        return here is not None and all(a.affine for m in self.home.arrays.members(here) for a in analysis.of_array(m))

    def _layouts(self, variable: int, goal: int) -> list[tuple[PerDimLayout, str, Change]]:
        """Partitions that have enough ports, another one on one dimension, by number of banks."""
        now = self.model.storage.memory(variable).layout
        accesses = self.p.elaborated.accesses[variable]
        always = [a for a in accesses if not a.branch]  # those of opposite arms may share a port
        reads, writes = sum(a.kind == "read" for a in always), sum(a.kind == "write" for a in always)
        ports = self.model.storage.memory(variable).ports
        powers = len(accesses) > MAX_IDEAL
        candidates: list[tuple[int, int, int, DimLayout, DimKind, int]] = []
        for k, dim in enumerate(now.dims):
            rest = now.banks // dim.banks
            for factor in range(2, min(MAX_FACTOR, dim.extent) + 1):
                # one bank serves what it can; an access that may be anywhere occupies one at least
                enough = ports.interval(-(-reads // (factor * rest)), -(-writes // (factor * rest)))
                if (powers and factor & (factor - 1)) or enough > goal:
                    continue
                for order, kind in enumerate(_DIVIDED):
                    made = DimLayout.of(kind, dim.extent, factor)
                    candidates.append((made.banks * rest, order, k, made, kind, factor))
        out = []
        for _, _, k, made, kind, factor in sorted(candidates, key=lambda x: x[:3])[:MAX_LAYOUTS]:
            if made != now.dims[k]:
                text = f"type={kind} factor={factor} dim={k + 1}" + " instead" * (now.dims[k].banks > 1)
                change = self._partition(variable, kind, factor, k + 1)
                out.append((PerDimLayout((*now.dims[:k], made, *now.dims[k + 1 :])), text, change))
        return out

    def _code(self, limit: Limit, goal: int) -> str | None:
        """What helps where no partition pragma alone does: unrolled copies or code that tell banks apart."""
        variable = self.arrays.get(limit.array or "")
        if variable is None:
            return None
        memory, problem = self.model.storage.memory(variable), self.p.elaborated.problems[variable]
        if len(problem.accesses) > MAX_IDEAL or not self._divides(variable) or not self._rewritable(variable):
            return None
        there = memory.layout.banks > 1
        options = [(memory.layout, "", None)] if there else self._layouts(variable, goal)
        served = (
            (layout, text, change)
            for layout, text, change in options
            if (there or layout.banks <= MAX_FACTOR // 2) and not problem.exceeds(layout, memory.ports, goal)
        )
        layout, text, change = next(served, (None, "", None))
        if layout is None:
            return None
        pragma = "" if there else f"#pragma HLS array_partition variable={limit.array} {text}"
        if layout.banks <= MAX_FACTOR // 2 and self._unrolls(layout.banks):
            assert self.nest.loop is not None
            unrolled = trial.unrolling(self.home.program, self.nest.loop.id, layout.banks)
            reached = self._reached([unrolled, change] if change is not None else [unrolled])
            if reached is not None and reached <= goal:
                with_ = f" with {pragma}" if pragma else ""
                return f"#pragma HLS unroll factor={layout.banks}{with_}: II {reached} for {layout.banks} iterations"
        if there:
            return "the partition has the ports, in bank-centric code only: hlspart rewrite"
        return f"{pragma.removeprefix('#pragma HLS ')} has the ports, in bank-centric code only: hlspart rewrite"

    def _unrolls(self, factor: int) -> bool:
        """Whether the loop can be unrolled without copies that need a test."""
        loop = self.nest.loop
        trip = self.model.nests.trip(loop).exact if loop is not None else None
        if trip is None or not self.small or self.nest.unroll > 1 or self.nest.before or self.nest.after:
            return False
        return trip % factor == 0 and trip > factor

    # --------------------------------------------------------------------- recurrences, units

    def _names(self) -> dict[int, str]:
        return {v: self.p.elaborated.carriers.names(v) for v in self.p.elaborated.accesses}

    def _recurrence(self, limit: Limit) -> str | None:
        """A promise about a recurrence that is possible only, or partial results of one that reduces."""
        problem = self.p.problem
        assumed = self.p.elaborated.carriers.assumed
        edges = {(e.source, e.sink) for e in problem.graph.edges if e.name == limit.variable and e.distance}
        if edges & assumed:
            variable = next((v for v, name in self._names().items() if name == limit.variable), None)
            if variable is None or self.nest.loop is None:
                return None
            here = self._here(variable)
            if here is None:
                return None
            promise = trial.independent(self.home.program, self.nest.loop.id, here)
            without = self.trial([promise])
            if without is None or without.recurrence_ii is None or without.recurrence_ii >= limit.ii:
                return None
            return (
                f"if iterations closer than {limit.ii} never touch the same element of {limit.variable}, say so: "
                f"#pragma HLS dependence variable={limit.variable} type=inter dependent=false: "
                f"recurrences then allow II {without.recurrence_ii}"
            )
        cycle = critical_cycle(problem, limit.ii)
        kinds = {problem.graph.ops[e.sink].kind for e in cycle}
        if len(kinds) != 1 or not kinds <= _REDUCES or any(e.kind != "data" for e in cycle):
            return None
        split = math.ceil(limit.ii / self.target)
        reached = recurrence_ii(_spread(problem, limit.variable or "", split))
        if reached is None or reached >= limit.ii:
            return None
        return (
            f"rewrite with {split} partial results of {limit.variable}, joined after the loop: recurrence II {reached}"
        )

    def _operator(self, limit: Limit) -> str | None:
        """More units."""
        problem = self.p.problem
        unit = next((u for u, n in problem.counts().items() if limit.text.startswith(f"{n} {u} ")), None)
        if unit is None or not self.small:
            return None
        need = math.ceil((limit.accesses or 1) / self.target)
        more = trial.allocation(self.home.program, self.nest.function, unit, need)
        reached = self._reached([more]) if more is not None else None
        if reached is None or reached >= self.ii:
            return None
        return f"an ALLOCATION limit of {need} on {unit}: II {reached}"


def _spread(problem: Problem, name: str, times: int) -> Problem:
    """The same with the value carried by ``name`` used ``times`` as many iterations later."""
    edges = tuple(
        replace(e, distance=e.distance * times) if e.distance and e.name == name else e for e in problem.graph.edges
    )
    return replace(problem, graph=replace(problem.graph, edges=edges))
