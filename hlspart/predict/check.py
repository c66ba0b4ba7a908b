"""``check``: the II, depth and latency of every loop, and the memory of every array."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from hlspart.hardware.storage import Storage
from hlspart.hardware.unmodelled import Unmodelled
from hlspart.model.access import AccessAnalysis, Bounds
from hlspart.model.causes import as_text
from hlspart.model.ports import IterationSpace, PortAccess
from hlspart.model.program import Program
from hlspart.model.results import IIResult, LoopResult, Validation
from hlspart.model.source import OWN
from hlspart.nests.nests import Nest, Nests
from hlspart.nests.standing import Running
from hlspart.partition import validate
from hlspart.predict import resources
from hlspart.predict.controller import modules
from hlspart.predict.function import BankModel, FunctionModel
from hlspart.predict.functions import Functions, channels
from hlspart.predict.latency import Latencies
from hlspart.predict.separate import separated
from hlspart.predict.trial import changed, pipelined_whole
from hlspart.targets import Target


def check(
    program: Program,
    analysis: AccessAnalysis,
    validation: Validation,
    target: Target,
    bank_model: BankModel = "static",
    hints: bool = True,
) -> IIResult:
    """Predict every loop of every function that the tops reach for ``target`` under the validated partitions.

    ``hints``: also what would help a loop that misses its target.
    What is known of the same code under other directives is not predicted again where these do not concern it.
    """
    made = separated(program, analysis, validation, target)
    statuses, (program, analysis, validation) = validation.statuses, (made.program, made.analysis, made.validation)
    running = Running.of(program, analysis, target)
    nests, alone = running.nests, running.alone
    storage = Storage(program, analysis, validation, target, running.unrolled)
    functions = [
        FunctionModel.known(n, validation, storage, hints, bank_model) for name, n in nests.items() if name in alone
    ]
    loops = [loop for f in functions for loop in f.loops]
    records = {x.loop: k for k, x in enumerate(loops) if x.loop >= 0}
    kept = modules(program, {f.name: bool(f.nests.all) or f.uncovered.calls_loops for f in functions})
    controllers = {f.name: f.controller(kept, records) for f in functions}
    latencies = Latencies(program, loops, target, controllers)
    asked: dict[int, resources.ArrayDemand] = {}
    for variable, use in (x for f in functions for x in f.uses):
        asked[variable] = asked[variable].also(use) if variable in asked else use
    arrays = made.given(resources.arrays(storage, asked, nests.keys(), channels(program, latencies)))
    made_of_calls = frozenset(k for k, x in program.loops.items() if x.made)
    results = Functions(program, functions, controllers, latencies, arrays, storage, kept).results()
    return IIResult(
        tool=target.tool,
        part=target.part,
        clock_ns=target.clock_ns,
        loops=tuple(x for x in latencies.loops if x.loop not in made_of_calls),
        arrays=arrays,
        pragmas=tuple(s for s in statuses if not s.path.startswith(OWN)),
        functions=results,
        assumptions=_assumptions(program, target, bank_model, latencies),
        resources=resources.total(arrays, storage),
        made=(
            *(x for x in latencies.loops if x.loop in made_of_calls),
            *(x for f in functions for x in f.filled(controllers[f.name])),
        ),
    )


def called(
    program: Program, analysis: AccessAnalysis, target: Target, functions: Collection[str]
) -> tuple[LoopResult, ...]:
    """What is predicted of functions that are pipelined because the loop or the function that calls them is.

    The tool gives each a module of its own, pipelined at a target of one; :func:`check` sees them in their callers.
    """
    running = Running.of(program, analysis, target)
    inside = running.inside & running.nests.keys()
    program = changed(program, [pipelined_whole(program, f) for f in functions if f in inside])
    validation = validate(program, analysis, argument=target.argument_storage)
    made = separated(program, analysis, validation, target)
    nests = Running.of(made.program, made.analysis, target).nests
    storage = Storage(made.program, made.analysis, made.validation, target, running.unrolled)
    models = [FunctionModel.known(nests[f], made.validation, storage, False, "static") for f in functions if f in nests]
    return tuple(x for model in models for x in model.loops if x.loop < 0)


class PortAccesses:
    """Accesses of one iteration of each loop as if pipelined: unrolled, merged, hoisted, without partitions.

    The calls of a function are expanded once, whichever of its loops is asked about.
    """

    def __init__(self, program: Program, analysis: AccessAnalysis, target: Target) -> None:
        self.program, self.analysis, self.target = program, analysis, target
        self._functions: dict[str, tuple[FunctionModel, dict[int | None, Nest]]] = {}

    def of(self, loop_id: int, whole: str | None = None) -> tuple[IterationSpace, Mapping[int, tuple[PortAccess, ...]]]:
        """Iterations of a loop, and its accesses by variable id: empty when the loop cannot be elaborated.

        ``whole`` names a function that is pipelined as a whole instead of a loop. Local arrays of expanded calls
        appear under the id that they have in the program; of several expansions the one with most accesses.
        """
        function, nests = self._function(whole if whole is not None else self.program.loops[loop_id].function)
        nest = nests.get(None if whole is not None else loop_id)
        if nest is None:
            return IterationSpace((), "{ [] }", ()), {}
        try:
            model, same = function.model(nest)
            item = model.elaborate(same)
        except Unmodelled:
            return function.nests.space(nest), {}
        accesses: dict[int, tuple[PortAccess, ...]] = {}
        for variable, own in item.accesses.items():
            old = function.home(nest).forward.variable(variable)
            ident = old if old >= 0 else variable
            accesses[ident] = max(accesses.get(ident, ()), own, key=len)
        return item.space, accesses

    def _function(self, name: str) -> tuple[FunctionModel, dict[int | None, Nest]]:
        """A function, and its nests by each of their loops (None: the function as a whole)."""
        if name not in self._functions:
            nests = Nests(self.program, self.analysis, self.target, name)
            of: dict[int | None, Nest] = {}
            for nest in nests.all:
                for ident in (x.id for x in nest.chain) if nest.loop is not None else (None,):
                    of.setdefault(ident, nest)
            self._functions[name] = FunctionModel(nests, Validation((), {})), of
        return self._functions[name]


def _assumptions(program: Program, target: Target, bank_model: str, latencies: Latencies) -> tuple[str, ...]:
    beside = sorted({path for unit in program.units for path in unit.beside})
    unknown = {f: why for f, why in latencies.causes.items() if why and latencies.of(f).exact is None}
    return (
        f"{target.tool}, {target.part}, clock {target.clock_ns:g} ns less {target.uncertainty_ns:g} ns, "
        f"flow {target.flow}, bank model {bank_model}",
        f"arrays without a storage directive: local {target.default_storage('local')} (2 ports), "
        f"interface {target.default_storage('interface')}",
        *([f"bodies from {', '.join(beside)}"] if beside else []),
        *(f"latency of {name} {_range(latencies.of(name))}: {as_text(why)}" for name, why in sorted(unknown.items())),
        *target.notes,
    )


def _range(latency: Bounds) -> str:
    return "unknown" if latency.min is None or latency.max is None else f"{latency.min} to {latency.max}"
