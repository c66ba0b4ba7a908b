"""The loops of one function: predicted where they stand, or in a copy with the calls in them expanded."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import Literal

from msgspec.structs import replace

from hlspart.hardware.memory import BUS
from hlspart.hardware.storage import Storage
from hlspart.hardware.unmodelled import Unmodelled
from hlspart.model.access import Bounds
from hlspart.model.causes import Cause
from hlspart.model.program import Program
from hlspart.model.results import LoopResult, Validation
from hlspart.nests import bus
from hlspart.nests.nests import Nest, Nests
from hlspart.partition import validate
from hlspart.predict import resources
from hlspart.predict.controller import Controller, Left, Straight
from hlspart.predict.datapath import Datapath, datapath
from hlspart.predict.depths import UNKNOWN_DEPTH, DepthRange, depth_range, within
from hlspart.predict.doubts import ii_range, loosest
from hlspart.predict.functions import WHOLE
from hlspart.predict.hints import Trial, with_hints
from hlspart.predict.known import Concerns, once
from hlspart.predict.latency import UNKNOWN, pipelined_latency
from hlspart.predict.limits import banks, limits, slots, steps
from hlspart.predict.loops import LoopModel, Prediction
from hlspart.predict.port_proofs import proof
from hlspart.predict.trial import Change, changed
from hlspart.predict.uncovered import Uncovered
from hlspart.schedule.confirm import faults
from hlspart.semantics.effects import effects
from hlspart.semantics.parameters import open_parts
from hlspart.transform.forward import Forward

BankModel = Literal["static", "ideal"]

HINTED = 6_000  # what a prediction may take to be made again for a hint, in operations
ORDERS, PAIRS = 12, 3  # orders, and pairs compared by sets, that take as long as an operation


class FunctionModel:
    """Loops of one function; a loop that holds calls is modelled on a copy with the calls expanded."""

    def __init__(
        self,
        nests: Nests,
        validation: Validation,
        storage: Storage | None = None,
        hints: bool = True,
        bank_model: BankModel = "static",
        forward: Forward | None = None,
        around: Storage | None = None,
    ) -> None:
        """``storage``: the memories of the whole program; None: as if the loops of this function were all.

        ``forward``: to the program that this one is a copy of, whose memories are ``around``.
        """
        self.forward = forward or Forward()
        self.nests, self.validation, self.hints, self.bank_model = nests, validation, hints, bank_model
        self.program, self.analysis, self.target = nests.program, nests.analysis, nests.target
        self.name = nests.function.name
        self.uses: list[tuple[int, resources.ArrayDemand]] = []  # of the loops predicted so far, by variable
        self.built: dict[int, Datapath] = {}  # of the loops predicted so far, by loop; WHOLE: of itself
        self.left: dict[int, Left] = {}  # what has left the loops predicted so far, by loop
        self.storage = storage or Storage(
            self.program, self.analysis, validation, self.target, nests.unrolled, around
        )  # fmt: skip
        self.bursts: dict[int, int] = {}  # most states of requests and responses around them, by loop
        self._shown: dict[frozenset[str], FunctionModel] = {}  # with the calls expanded but of some functions
        self.straight: Straight = {}  # states of straight-line code
        self.uncovered = Uncovered(nests, self.storage)

    @staticmethod
    def known(
        nests: Nests, validation: Validation, storage: Storage, hints: bool, bank_model: BankModel
    ) -> FunctionModel:
        """A function with what was predicted of it when the same was asked before."""
        program, name = nests.program, nests.function.name
        below = effects(program).reachable((name,))
        arrays = {a.array for a in nests.analysis.accesses if a.function in below}
        arrays |= {v.id for v in program.arrays() if v.function in below}

        asked = Concerns(program, storage, below).about(arrays, (hints, bank_model))
        return once(program, (name, None), asked, lambda: FunctionModel(nests, validation, storage, hints, bank_model))

    @cached_property
    def _concerns(self) -> Concerns:
        return Concerns(self.program, self.storage, effects(self.program).reachable((self.name,)))

    @cached_property
    def loops(self) -> tuple[LoopResult, ...]:
        """The records of its loops."""
        return tuple(self.result(nest) for nest in self.nests.all)

    @cached_property
    def expanded(self) -> FunctionModel:
        """This function with its calls expanded; its own loops and variables keep their ids."""
        from hlspart.transform.inline import inline

        return self._within(*inline(self.program, self.name))

    def _within(self, program: Program, forward: Forward) -> FunctionModel:
        """This function in a copy of the program."""
        from hlspart.accesses import analyse

        analysis = analyse(program, self.name)  # of a copy without the callers: what they pass is no argument of a top
        analysis = replace(analysis, tops=tuple(x for x in analysis.tops if x in self.nests.analysis.tops))
        nests = Nests(program, analysis, self.target, self.name)
        return FunctionModel(nests, validate(program, analysis), around=self.storage, forward=forward)

    def home(self, nest: Nest) -> FunctionModel:
        """This function as ``nest`` is modelled in it: with its calls expanded where it holds any."""
        return self.expanded if nest.pipelined and self.uncovered.reached(nest) else self

    def model(self, nest: Nest) -> tuple[LoopModel, Nest]:
        """The model that predicts ``nest``, and the nest as that model knows it."""
        copy = self.home(nest)
        if copy is self:
            return LoopModel(self.nests, self.storage, self.target), nest
        same = next((n for n in copy.nests.all if (n.loop and n.loop.id) == (nest.loop and nest.loop.id)), None)
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
            nests = Nests(program, self.analysis, self.target, self.name)
            known = replace(validation, apart=self.validation.apart)
            storage = Storage(program, self.analysis, known, self.target, self.storage.automatic.unrolled)
            again = FunctionModel(nests, known, storage, hints=False)
            same = next((n for n in again.nests.all if (n.loop and n.loop.id) == (nest.loop and nest.loop.id)), None)
            return again.result(same) if same is not None else None

        return run

    # --------------------------------------------------------------------------------- results

    def result(self, nest: Nest) -> LoopResult:
        """The record of one loop."""
        blocked = tuple(self.uncovered.causes(nest))
        if not nest.pipelined:
            return self._plain(nest, blocked)
        try:
            model, same = self.model(nest)
            prediction = self.home(nest)._predicted(model, same)
        except Unmodelled as stop:
            return replace(self._record(nest, blocked or (stop.cause,)), given_up=stop.operations)
        if prediction.schedule is None:
            return self._record(nest, (Cause("no schedule was found within the effort limit"),))
        wrong = faults(prediction.problem, prediction.schedule)
        if wrong:
            return self._record(nest, (Cause(f"the schedule failed its check: {wrong[0]}"),))
        return self._pipelined(nest, (model, same), prediction, blocked)

    def _predicted(self, model: LoopModel, nest: Nest) -> Prediction:
        """The prediction of a nest, once for the same directives but for partitions, and the same memories in it."""
        program, loop = self.program, nest.loop.id if nest.loop is not None else WHOLE
        inside = self.nests.arrays(nest)
        if nest.loop is None:
            inside = frozenset(a.array for a in self.analysis.accesses if a.function in self._concerns.functions)
        asked = self._concerns.about(inside)
        return once(program, (self.name, loop), asked, lambda: model.predict(nest))

    def _pipelined(
        self, nest: Nest, modelled: tuple[LoopModel, Nest], p: Prediction, blocked: tuple[Cause, ...]
    ) -> LoopResult:  # fmt: skip
        assert p.schedule is not None
        self.uses += resources.uses(p).items()
        built = replace(datapath(p.problem, p.schedule, self.target), held=_held(p))
        self.built[nest.loop.id if nest.loop is not None else WHOLE] = built
        if nest.loop is not None:
            self.left[nest.loop.id] = Left(p.problem.graph.hoisted, p.ahead, p.elaborated.lowered.taken)
            self.bursts[nest.loop.id] = bus.around(p.elaborated.requests, p.problem.graph.memory, p.elaborated.storage)
        floor = nest.target_ii or 1
        ideal = max(floor, p.ideal_resource_ii, p.recurrence_ii)
        counted = all(count.exact for count in p.counts.values())  # else the ideal figure is an upper bound
        ii: int | None = p.schedule.ii if self.bank_model == "static" else ideal
        blocked = (*blocked, *self.uncovered.of_modules(nest, p), *self.uncovered.against(nest, p, floor))
        parts = nest.origin == "auto" and nest.unroll > 1 and p.recurrence_ii > max(floor, p.resource_ii)
        if parts and _stores_to_bus(p):
            text = "what recurs in a loop unrolled in part that stores through m_axi is not known"
            blocked = (*blocked, Cause(text, (nest.line,)))
        causes, bounds = blocked, None
        hints = self.hints and _compared(p) <= HINTED
        reasons = with_hints(*modelled, p, limits(p), self.storage, self._tried(nest)) if hints else limits(p)
        span = ii_range(p, floor) if not blocked else None
        if span is not None and not (span.ideal and self.bank_model == "ideal"):
            causes, bounds = span.causes, (span.low, span.high)
        sure = not causes or (span is not None and span.ideal)  # the II under the ideal bank model
        if not causes and self.bank_model == "ideal" and not counted and ideal > floor:
            causes = (Cause("conflicts were not counted exactly within the effort limit"),)
            bounds = (floor, ideal)
        depths = UNKNOWN_DEPTH
        if not causes or causes == (span.causes if span is not None else None):
            open_ = (*p.elaborated.requests.doubts, *p.doubts)
            depths = depth_range(p.problem, open_, p.schedule.ii, p.schedule.depth)
            if bounds is not None:
                depths = within(depths, loosest(p, frozenset()), bounds, p.schedule.ii)
            if longer := self.uncovered.of_depth(nest, p):
                depths = DepthRange(UNKNOWN_DEPTH.states, (*depths.causes, *longer))
        return self._record(
            nest,
            causes,
            ii=ii if not causes else None,
            ideal=ideal if sure and (counted or ideal == floor) else None,
            resource=p.resource_ii,
            recurrence=p.recurrence_ii,
            depths=depths,
            bounds=bounds,
            reasons=reasons,
            prediction=p,
        )

    def _plain(self, nest: Nest, blocked: tuple[Cause, ...]) -> LoopResult:
        """A loop in the controller of its function; its depth and latency follow from those of its parts."""
        return self._record(nest, blocked)

    def controller(self, kept: frozenset[str], records: Mapping[int, int]) -> Controller:
        """The controller of this function, in which those of ``kept`` are modules."""
        from hlspart.transform.inline import inline

        if kept not in self._shown:
            program, forward = inline(self.program, self.name, kept)
            self._shown[kept] = self if program is self.program else self._within(program, forward)
        shown = self._shown[kept]
        return Controller(shown.nests, shown.storage, self.target, records, self.left, self.bursts, shown.straight)

    def filled(self, controller: Controller) -> Iterator[LoopResult]:
        """The loops that fill local arrays with zeros as initial values, a word each state (reports)."""
        for stmt, words in controller.fills():
            names = ".".join(controller.program.variable(v).name for v in stmt.variables)
            line = controller.program.line(stmt.at)
            nest = Nest(
                self.name,
                loop=None,
                chain=(),
                outer=(),
                pipelined=True,
                target_ii=None,
                origin="auto",
                unroll=1,
                line=line,
            )
            known = self._record(nest, ii=1, ideal=1, resource=1, recurrence=1, depths=DepthRange(Bounds(1, 1)))
            yield replace(known, name=f"{names} = 0", trip_count=Bounds(words, words), latency=Bounds(words, words))

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
        causes: tuple[Cause, ...] = (),
        ii: int | None = None,
        ideal: int | None = None,
        resource: int | None = None,
        recurrence: int | None = None,
        depths: DepthRange = UNKNOWN_DEPTH,
        bounds: tuple[int, int] | None = None,
        reasons: tuple = (),  # type: ignore[type-arg]
        prediction: Prediction | None = None,
    ) -> LoopResult:
        count, latency = self._trip(nest), UNKNOWN
        low, high = depths.states.min, depths.states.max
        slowest = bounds or ((ii, ii) if ii is not None else None)
        if slowest is not None and low is not None and high is not None:
            least, most = slowest
            latency = Bounds(pipelined_latency(count.min, least, low), pipelined_latency(count.max, most, high))
        schedule = prediction.schedule if prediction is not None else None
        number = nest.loop.id if nest.loop is not None else WHOLE
        built = None if causes or nest.function in open_parts(self.program) else self.built.get(number)
        return LoopResult(
            loop=number,
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
            depth=depths.states.exact if ii is not None and not depths.causes else None,
            trip_count=count,
            latency=latency,
            causes=causes,
            bounds=bounds,
            confidence="unknown" if causes else "modelled",
            origin=nest.origin,
            limits=reasons,
            flattened=nest.flattened,
            schedule=slots(prediction) if prediction is not None and not causes else (),
            cycle=steps(prediction) if prediction is not None else (),
            proof=proof(prediction, nest.target_ii or 1, count) if prediction is not None else None,
            dsp=built.dsp if built is not None else None,
            banks=banks(prediction) if prediction is not None else (),
            depth_causes=depths.causes,
            placements=0 if schedule is None else schedule.placements,
            compared=_compared(prediction) if prediction is not None else 0,
            method="" if schedule is None else schedule.method + ("" if schedule.least else ", not proved least"),
        )


def _compared(p: Prediction) -> int:
    """Operations that take as long to schedule as its orders and the pairs of its accesses to be found."""
    pairs = sum(problem.pairs for problem in p.elaborated.problems.values())
    return len(p.problem.graph.edges) // ORDERS + pairs // PAIRS


def _held(p: Prediction) -> int:
    """Bits of the registers for what a memory gives ahead of the loop."""
    storage = p.elaborated.storage
    loaded = {(ref.variable, ref.key) for ref in p.problem.graph.hoisted if ref.kind == "read"}
    variables = (storage.program.variable(v) for v, _ in loaded if not storage.memory(v).registers)
    return sum(map(resources.element_bits, variables))


def _stores_to_bus(p: Prediction) -> bool:
    """Whether a loop stores through an m_axi port, or behind its end what it has taken out of one."""
    kept = {v for v, accesses in p.elaborated.accesses.items() if any(a.kind == "write" for a in accesses)}
    left = {ref.variable for ref in p.problem.graph.hoisted if ref.kind == "write"}
    return any(p.elaborated.storage.memory(v).storage == BUS for v in kept | left)
