"""``check``: the II, depth and latency of every loop, and the memory of every array."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Literal

from hlspart.hardware.shared import beside_modules, shared
from hlspart.hardware.storage import BUS, Storage
from hlspart.hardware.unmodelled import Unmodelled
from hlspart.lowering.graph import MemoryRef
from hlspart.model import program as c
from hlspart.model.access import AccessAnalysis, Bounds
from hlspart.model.directives import Directive
from hlspart.model.ports import IterationSpace, PortAccess
from hlspart.model.program import Program
from hlspart.model.results import FunctionResult, IIResult, LoopResult, Validation
from hlspart.nests import bus
from hlspart.nests.nests import Nest, Nests
from hlspart.partition import validate
from hlspart.predict import depths, resources
from hlspart.predict.controller import Controller, modules
from hlspart.predict.doubts import ii_range
from hlspart.predict.hints import Trial, with_hints
from hlspart.predict.latency import Latencies, pipelined_latency
from hlspart.predict.limits import banks, limits, slots, steps
from hlspart.predict.loops import LoopModel, Prediction
from hlspart.predict.separate import separated
from hlspart.predict.trial import Change, changed
from hlspart.schedule.confirm import faults
from hlspart.schedule.recurrence import critical_cycle
from hlspart.semantics.effects import in_hardware
from hlspart.semantics.folding import statement_values
from hlspart.targets import Target

# directives about a whole function, which do not follow its statements into an expanded call
_WHOLE = frozenset({"allocation", "expression_balance"})
BankModel = Literal["static", "ideal"]


def check(
    program: Program,
    analysis: AccessAnalysis,
    validation: Validation,
    target: Target,
    bank_model: BankModel = "static",
    hints: bool = True,
) -> IIResult:
    """Predict every loop of every function that the tops reach for ``target`` under the validated partitions.

    ``hints``: also look for what would help a loop that misses its target.
    """
    made = separated(program, analysis, validation, target)
    statuses, (program, analysis, validation) = validation.statuses, (made.program, made.analysis, made.validation)
    hardware = in_hardware(program, analysis.tops)
    names = tuple(name for name in program.functions if name in hardware)
    functions = [_Function(program, analysis, validation, target, name) for name in names]
    loops: list[LoopResult] = []
    unrolled = frozenset(loop for f in functions for loop in f.unrolled())
    for function in functions:
        function.hints, function.storage.unrolled = hints, unrolled
        loops += [function.result(nest, bank_model) for nest in function.found]
    storage = Storage(program, analysis, validation, target, unrolled)
    waiting = {a.function for a in analysis.accesses if storage.memory(a.array).storage == BUS}
    records = {x.loop: k for k, x in enumerate(loops) if x.loop >= 0}
    kept = modules(program, {f.name: bool(f.found) or f.calls_loops for f in functions})
    controllers = {f.name: f.controller(kept, records) for f in functions}
    latencies = Latencies(program, loops, target, controllers, waiting)
    in_order = Latencies(program, loops, target, controllers, waiting, in_order=True)
    asked: dict[int, resources.ArrayDemand] = {}
    for variable, use in (x for f in functions for x in f.uses):
        asked[variable] = asked[variable].also(use) if variable in asked else use
    arrays = made.given(resources.arrays(storage, asked))
    return IIResult(
        tool=target.tool,
        part=target.part,
        clock_ns=target.clock_ns,
        loops=tuple(latencies.loops),
        arrays=arrays,
        pragmas=statuses,
        functions=tuple(FunctionResult(name, latencies.of(name), in_order.of(name)) for name in names),
        assumptions=_assumptions(target, bank_model, waiting),
        resources=resources.total(arrays, storage),
    )


def port_accesses(
    program: Program, analysis: AccessAnalysis, loop_id: int, target: Target | None = None, whole: str | None = None
) -> tuple[IterationSpace, Mapping[int, tuple[PortAccess, ...]]]:
    """Accesses of one iteration of a loop as if pipelined: unrolled, merged, hoisted; by variable id.

    Empty when the loop cannot be elaborated. Partitions are taken as absent. ``whole`` names a
    function that is pipelined as a whole instead of a loop. Local arrays of expanded calls appear
    under the id that they have in ``program``; of several expansions the one with most accesses.
    """
    from hlspart.model.options import TargetOptions
    from hlspart.targets import load

    known = target if target is not None else load(TargetOptions())
    name = whole if whole is not None else program.loops[loop_id].function
    function = _Function(program, analysis, Validation((), {}), known, name)
    for nest in function.found:
        if nest.loop is None if whole is not None else loop_id in (x.id for x in nest.chain):
            try:
                model, same = function.model(nest)
                item = model.elaborate(same)
            except Unmodelled:
                return function.nests.space(nest), {}
            places = {v.at.span: v.id for v in program.variables if v.declarations}
            accesses: dict[int, tuple[PortAccess, ...]] = {}
            for variable, found in item.accesses.items():
                ident = variable
                if variable >= len(program.variables):
                    ident = places.get(model.program.variable(variable).at.span, variable)
                accesses[ident] = max(accesses.get(ident, ()), found, key=len)
            return item.space, accesses
    return IterationSpace((), "{ [] }", ()), {}


class _Function:
    """Loops of one function; a loop that holds calls is modelled on a copy with the calls expanded."""

    def __init__(
        self,
        program: Program,
        analysis: AccessAnalysis,
        validation: Validation,
        target: Target,
        name: str,
        around: Storage | None = None,
    ) -> None:
        self.program, self.analysis, self.validation, self.target = program, analysis, validation, target
        self.nests = Nests(program, analysis, target, name)
        self.name, self.hints = name, True
        self.uses: list[tuple[int, resources.ArrayDemand]] = []  # of the loops predicted so far, by variable
        self.left: dict[int, tuple[MemoryRef, ...]] = {}  # what has left the loops predicted so far, by loop
        self.found = self.nests.all()
        self.storage = Storage(program, analysis, validation, target, frozenset(self.unrolled()), around)

    def unrolled(self) -> set[int]:
        """Loops that are unrolled completely, by pragma or under a pipelined loop."""
        body = self.nests.function.body
        out = {s.id for s in c.walk_statements(body) if isinstance(s, c.Loop) and self.nests.fully_unrolled(s)}
        for nest in self.found:
            if nest.pipelined:
                out |= {s.id for b in nest.body for s in c.walk_statements(b) if isinstance(s, c.Loop)}
        return out

    @cached_property
    def expanded(self) -> _Function:
        """This function with its calls expanded; its own loops and variables keep their ids."""
        from hlspart.accesses import analyse
        from hlspart.transform.inline import inlined

        program = inlined(self.program, self.name)
        analysis = analyse(program, self.name)
        return _Function(program, analysis, validate(program, analysis), self.target, self.name, self.storage)

    def model(self, nest: Nest) -> tuple[LoopModel, Nest]:
        """The model that predicts ``nest``, and the nest as that model knows it."""
        if not (nest.pipelined and self._reached(nest)):
            return LoopModel(self.nests, self.storage, self.target), nest
        copy = self.expanded
        same = next((n for n in copy.found if (n.loop and n.loop.id) == (nest.loop and nest.loop.id)), None)
        if same is None:
            raise Unmodelled("the calls in it, expanded, change which loops are pipelined", nest.line)
        return LoopModel(copy.nests, copy.storage, self.target), same

    def _tried(self, nest: Nest) -> Trial:
        """Predicts ``nest`` again with other directives."""

        def run(changes: Collection[Change]) -> LoopResult | None:
            program, count = changed(self.program, changes), sum(len(x.added) for x in changes)
            validation = validate(program, self.analysis, argument=self.target.argument_storage)
            if any(s.status != "applied" for s in validation.statuses[len(program.directives) - count :]):
                return None
            again = _Function(
                program, self.analysis, replace(validation, apart=self.validation.apart), self.target, self.name
            )
            again.hints, again.storage.unrolled = False, self.storage.unrolled
            same = next((n for n in again.found if (n.loop and n.loop.id) == (nest.loop and nest.loop.id)), None)
            return again.result(same, "static") if same is not None else None

        return run

    # --------------------------------------------------------------------------------- results

    def result(self, nest: Nest, bank_model: BankModel) -> LoopResult:
        """The record of one loop."""
        blocked = self._unmodelled(nest)
        if not nest.pipelined:
            return self._plain(nest, blocked)
        try:
            model, same = self.model(nest)
            prediction = model.predict(same)
        except Unmodelled as stop:
            return self._record(nest, cause=blocked or stop.cause)
        if prediction.schedule is None:
            return self._record(nest, cause="no schedule was found within the effort limit")
        wrong = faults(prediction.problem, prediction.schedule)
        if wrong:
            return self._record(nest, cause=f"the schedule failed its check: {wrong[0]}")
        return self._pipelined(nest, (model, same), prediction, bank_model, blocked)

    def _pipelined(
        self, nest: Nest, modelled: tuple[LoopModel, Nest], p: Prediction, bank_model: BankModel, blocked: str | None
    ) -> LoopResult:
        assert p.schedule is not None
        self.uses += resources.uses(p).items()
        if nest.loop is not None:
            self.left[nest.loop.id] = p.problem.graph.hoisted
        floor = nest.target_ii or 1
        ideal = max(floor, p.ideal_resource_ii, p.recurrence_ii)
        counted = all(count.exact for count in p.counts.values())  # else the ideal figure is an upper bound
        ii: int | None = p.schedule.ii if bank_model == "static" else ideal
        blocked = blocked or self._module_inside(nest, p)
        parts = nest.origin == "auto" and nest.unroll > 1 and p.recurrence_ii > max(floor, p.resource_ii)
        if parts and _stores_to_bus(p):
            blocked = blocked or "what recurs in a loop unrolled in part that stores through m_axi is not known"
        cause, bounds = blocked, None
        reasons = with_hints(*modelled, p, limits(p), self.storage, self._tried(nest)) if self.hints else limits(p)
        if blocked is None and (found := ii_range(p, floor)) is not None:
            cause, bounds = found.cause, (found.low, found.high)
        if cause is None and bank_model == "ideal" and not counted and ideal > floor:
            cause, bounds = "conflicts were not counted exactly within the effort limit", (floor, ideal)
        if cause is not None:
            ii = None
        trip = self._trip(nest)
        estimate = depths.unknown(p.problem, p.estimated, self.storage, p.schedule.ii) if cause is None else None
        doubt = p.elaborated.requests.why or p.elaborated.requests.order or estimate if cause is None else None
        span = None  # of depths
        if estimate is not None and doubt == estimate:
            span = depths.span(p.problem, p.estimated, self.storage, p.schedule.ii)
        depth = p.schedule.depth if cause is None and doubt is None else None
        return self._record(
            nest,
            cause=cause,
            ii=ii,
            ideal=ideal if cause is None and (counted or ideal == floor) else None,
            resource=p.resource_ii,
            recurrence=p.recurrence_ii,
            depth=depth,
            trip=trip,
            bounds=bounds,
            reasons=reasons,
            prediction=p,
            depth_cause=doubt,
            span=span,
        )

    def _dsp(self, p: Prediction) -> int | None:
        """DSP blocks of the operators: of shared units once, of the others each."""
        if p.schedule is None:
            return None
        total = 0
        once = dict(p.schedule.units)
        for ident, timing in p.problem.timing.items():
            op = p.problem.graph.ops[ident]
            time = self.target.operator(op.kind, op.bits, op.impl, op.operands)
            blocks = time.dsp if time is not None else 0
            if timing.unit is not None:
                blocks *= once.pop(timing.unit, 0)
            total += blocks
        return total

    def _plain(self, nest: Nest, blocked: str | None) -> LoopResult:
        """A loop in the controller of its function; its depth and latency follow from those of its parts."""
        found = {a.array for a in self.analysis.accesses if nest.loop is not None and nest.loop.id in a.loops}
        used = {v for v in found if self.storage.memory(v).storage == BUS}
        requests = bus.unknown(self.storage, used, "the loop is not pipelined") if used else None
        return self._record(nest, cause=blocked, trip=self._trip(nest), depth_cause=requests)

    @property
    def calls_loops(self) -> bool:
        """Whether functions with loops are called, directly or not."""
        below = (self.program.functions[name].body for name in self._below([self.nests.function.body]))
        return any(isinstance(s, c.Loop) for body in below for s in c.walk_statements(body))

    def controller(self, kept: frozenset[str], records: Mapping[int, int]) -> Controller:
        """The controller of this function, in which those of ``kept`` are modules."""
        from hlspart.accesses import analyse
        from hlspart.transform.inline import inlined

        program = inlined(self.program, self.name, kept)
        shown = self
        if program is not self.program:
            analysis = analyse(program, self.name)
            shown = _Function(program, analysis, validate(program, analysis), self.target, self.name, self.storage)
        return Controller(shown.nests, shown.storage, self.target, records, self.left)

    def _trip(self, nest: Nest) -> Bounds:
        low: int | None = 1
        high: int | None = 1
        for loop in nest.chain:
            trip = self.nests.trip(loop)
            copies = nest.unroll if loop is nest.loop else 1
            low = None if low is None or trip.min is None else low * -(-trip.min // copies)
            high = None if high is None or trip.max is None else high * -(-trip.max // copies)
        return Bounds(low, high)

    def _record(
        self,
        nest: Nest,
        cause: str | None = None,
        ii: int | None = None,
        ideal: int | None = None,
        resource: int | None = None,
        recurrence: int | None = None,
        depth: int | None = None,
        trip: Bounds | None = None,
        bounds: tuple[int, int] | None = None,
        reasons: tuple = (),  # type: ignore[type-arg]
        prediction: Prediction | None = None,
        depth_cause: str | None = None,
        span: Bounds | None = None,
    ) -> LoopResult:
        count = trip if trip is not None else self._trip(nest)
        latency = Bounds(None, None)
        low, high = (depth, depth) if span is None else (span.min, span.max)
        if ii is not None and low is not None and high is not None:
            latency = Bounds(pipelined_latency(count.min, ii, low), pipelined_latency(count.max, ii, high))
        schedule = prediction.schedule if prediction is not None else None
        return LoopResult(
            loop=nest.loop.id if nest.loop is not None else -1,
            function=nest.function,
            name=nest.name,
            label=nest.loop.label if nest.loop is not None else None,
            line=nest.line,
            pipelined=nest.pipelined,
            target_ii=nest.target_ii if nest.pipelined else None,
            ii=ii,
            ideal_ii=ideal,
            resource_ii=resource,
            recurrence_ii=recurrence,
            depth=depth,
            trip_count=count,
            latency=latency,
            cause=cause,
            bounds=bounds,
            confidence="modelled" if cause is None else "unknown",
            origin=nest.origin,
            limits=reasons,
            flattened=nest.flattened,
            schedule=slots(prediction) if prediction is not None and cause is None else (),
            cycle=steps(prediction) if prediction is not None else (),
            dsp=self._dsp(prediction) if prediction is not None and cause is None else None,
            banks=banks(prediction) if prediction is not None else (),
            depth_cause=depth_cause,
            method="" if schedule is None else schedule.method + ("" if schedule.least else ", not proved least"),
        )

    def _unmodelled(self, nest: Nest) -> str | None:
        """A valid directive without a model that touches the loop, or a function that it calls."""
        around = {x.id for x in (*nest.outer, *nest.chain)}
        around |= {s.id for b in nest.body for s in c.walk_statements(b) if isinstance(s, c.Loop)}
        called = self._reached(nest)
        for d in self.program.directives:
            if not d.usable or d.function not in (self.name, *called):
                continue
            line = self.program.line(d.at)
            if d.kind == "allocation" and (d.option("instances") or "") in called:
                return f"ALLOCATION of function {d.option('instances')} (line {line}) is not modelled"
            if d.function != self.name:
                if not d.modelled or d.kind in _WHOLE:
                    return f"{d.kind.upper()} in {d.function} (line {line}) is not modelled in an expanded call"
            elif not d.modelled and (d.loop in around or (d.loop is None and self._concerns(d, nest))):
                return f"{d.kind.upper()} (line {line}) is not modelled"
            elif d.kind == "pipeline" and d.pragma in self._in_arms and (d.loop in around or nest.loop is None):
                return f"PIPELINE (line {line}) stands under a condition, not in the loop or function itself"
        return self._one_memory(nest)

    @cached_property
    def _in_arms(self) -> frozenset[int]:
        """Pragmas under a condition in their loop or function, where no document says what they do."""
        body = self.program.functions[self.name].body
        arms = (s for s in c.walk_statements(body) if isinstance(s, c.If | c.Switch))
        return frozenset(pragma for arm in arms for pragma in _marks(arm))

    def _one_memory(self, nest: Nest) -> str | None:
        """Two names of one array that the loop accesses as memories of their own, or an array of too many banks."""
        inside = {x.id for x in nest.chain}
        touched = {a.array for a in self.analysis.accesses if not inside or inside & set(a.loops)}
        for pair, (how, line) in shared(self.program).items():
            if pair <= touched:
                names = " and ".join(self.program.variable(v).name for v in sorted(pair))
                return f"{names} are one memory {how} in line {line}"
        here = {a.array for a in self.analysis.accesses if a.function == self.name and a.array in touched}
        for group in self.storage.validation.groups.values():
            for ident in sorted(here & {v for v, dims in group.divided.items() if dims is None}):
                variable = self.program.variable(ident)
                return f"calls of {variable.function} hand over arrays of several partitions as {variable.name}"
        for status in self.storage.validation.statuses:
            members = self.storage.members(status.variable) if status.variable is not None else ()
            if status.code == "too-many-banks" and not touched.isdisjoint(members):
                return f"{status.reason} (line {status.line})"
        return None

    def _calls(self, root: c.Stmt) -> Iterator[c.Call]:
        for stmt in c.walk_statements(root):
            for top in statement_values(self.program, stmt):
                yield from (e for e in c.walk(top) if isinstance(e, c.Call))

    def _module_inside(self, nest: Nest, p: Prediction) -> str | None:
        """A recurrence through the memory accesses of a called function, which may stay a module of its own.

        The module's latency would count, which the expanded call does not show (a report has II 5 where it has 3).
        """
        reached = self._reached(nest)
        if why := self._ports_of_modules(nest, reached):
            return why
        if p.recurrence_ii <= 1 or p.recurrence_ii < p.resource_ii or not reached:
            return None
        graph = p.problem.graph
        on = {graph.ops[e.sink].line for e in critical_cycle(p.problem, p.recurrence_ii) if graph.ops[e.sink].ref}
        inlined = {d.function for d in self.program.directives if d.usable and d.kind == "inline" and not d.has("off")}
        for name in sorted(reached - inlined):
            inside = c.walk_statements(self.program.functions[name].body)
            values = (e for s in inside for top in statement_values(self.program, s) for e in c.walk(top))
            if on & {self.program.line(e.at) for e in values}:
                return f"whether {name} is inlined is not known: as a module of its own it takes part with its latency"
        return None

    def _ports_of_modules(self, nest: Nest, reached: frozenset[str]) -> str | None:
        """A memory that a called function which stays a module accesses, and the loop or another call as well.

        Each has ports of its own into the memory, so equal elements are loaded twice, unlike in the expanded calls.
        """
        from hlspart.transform.inline import inlined

        known = self.program.directives
        off = [d for d in known if d.usable and d.kind == "inline" and d.has("off") and d.function in reached]
        if not off:
            return None
        modules = {
            d.function: {a.array for a in self.analysis.accesses if a.function == d.function} for d in off if d.function
        }
        outside = {v.id for v in self.program.variables if v.function is None}
        program = inlined(self.program, self.name, frozenset(modules))
        body = program.functions[self.name].body
        loops = [s for s in c.walk_statements(body) if isinstance(s, c.Loop) and nest.loop and s.id == nest.loop.id]
        for variable in sorted(beside_modules(program, loops or [body], {f: v & outside for f, v in modules.items()})):
            if variable >= len(self.program.variables) or not self.storage.memory(variable).registers:
                names = ", ".join(sorted(modules))
                array = program.variable(variable).name
                return f"{names} with INLINE off: which accesses of {array} a module shares with the loop is not known"
        return None

    def _reached(self, nest: Nest) -> frozenset[str]:
        """Functions that a nest calls, directly or not."""
        return self._below([*nest.before, *nest.body, *nest.after])

    def _below(self, statements: Sequence[c.Stmt]) -> frozenset[str]:
        found: set[str] = set()
        waiting = [*statements]
        while waiting:
            for call in self._calls(waiting.pop()):
                name = call.function
                if name is not None and name in self.program.functions and name not in found:
                    found.add(name)
                    waiting.append(self.program.functions[name].body)
        return frozenset(found)

    def _concerns(self, d: Directive, nest: Nest) -> bool:
        if not d.variables:
            return True
        inside = {x.id for x in nest.chain}
        return any(a.array in d.variables and inside & set(a.loops) for a in self.analysis.accesses)


def _marks(stmt: c.Stmt) -> Iterator[int]:
    """Pragmas inside of a statement, but not inside of its loops."""
    for inner in c.substatements(stmt):
        if isinstance(inner, c.PragmaMark):
            yield inner.pragma
        elif not isinstance(inner, c.Loop):
            yield from _marks(inner)


def _stores_to_bus(p: Prediction) -> bool:
    """Whether a loop stores through an m_axi port, or behind its end what it has taken out of one."""
    kept = {v for v, found in p.elaborated.accesses.items() if any(a.kind == "write" for a in found)}
    left = {ref.variable for ref in p.problem.graph.hoisted if ref.kind == "write"}
    return any(p.elaborated.storage.memory(v).storage == BUS for v in kept | left)


def _assumptions(target: Target, bank_model: str, waiting: Collection[str]) -> tuple[str, ...]:
    return (
        f"{target.tool}, {target.part}, clock {target.clock_ns:g} ns less {target.uncertainty_ns:g} ns, "
        f"flow {target.flow}, bank model {bank_model}",
        f"arrays without a storage directive: local {target.default_storage('local')} (2 ports), "
        f"interface {target.default_storage('interface')}",
        *(f"latency of {name} unknown: states of m_axi requests around its loops" for name in sorted(waiting)),
        *target.notes,
    )
