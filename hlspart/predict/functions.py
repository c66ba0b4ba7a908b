"""The record of every function: latency, interval and what it is built of, called modules included."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol

from hlspart.hardware.storage import Storage
from hlspart.model import program as c
from hlspart.model.causes import Cause
from hlspart.model.parts import FunctionResult, FunctionUse
from hlspart.model.program import Program
from hlspart.model.results import ArrayResult, LoopResult
from hlspart.predict.controller import Controller
from hlspart.predict.datapath import Datapath, shared
from hlspart.predict.latency import Latencies
from hlspart.semantics.effects import effects, statement_expressions
from hlspart.semantics.parameters import open_parts

WHOLE = -1  # stands for a function that is pipelined as a whole, among its loops


class OwnDatapaths(Protocol):
    """One function whose loops are predicted."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def built(self) -> Mapping[int, Datapath]:
        """Datapaths of its pipelined loops by loop id (WHOLE: of itself)."""


class Functions:
    """Records of all functions of a program, those that they call first."""

    def __init__(
        self,
        program: Program,
        paths: Sequence[OwnDatapaths],
        controllers: Mapping[str, Controller],
        latencies: Latencies,
        arrays: Sequence[ArrayResult],
        storage: Storage,
        kept: Collection[str],
    ) -> None:
        """``kept``: functions that stay modules where they are called."""
        self.program, self.controllers, self.latencies, self.kept = program, controllers, latencies, kept
        self.storage = storage
        self._arrays = arrays
        self._loops: dict[str, list[LoopResult]] = {}
        for loop in latencies.loops:
            self._loops.setdefault(loop.function, []).append(loop)
        self._datapaths = {f.name: f for f in paths}
        self._made: dict[str, FunctionUse] = {}

    def results(self) -> tuple[FunctionResult, ...]:
        """One record per function, in the order of the text."""
        return tuple(self._result(name) for name in self._datapaths)

    def _result(self, name: str) -> FunctionResult:
        latency = self.latencies.of(name)
        whole = next((x for x in self._loops.get(name, ()) if x.loop < 0), None)
        causes: tuple[Cause, ...] = ()
        if latency.min is None or latency.max is None:
            of_loops = (cause for x in self._loops.get(name, ()) for cause in (*x.causes, *x.depth_causes))
            causes = tuple(dict.fromkeys((*self.latencies.causes.get(name, ()), *of_loops)))
        interval = whole.ii if whole is not None else self.latencies.interval(name)
        line = self.program.line(self.program.functions[name].name_at)
        parts = tuple(self.latencies.parts.get(name, ()))
        return FunctionResult(name, latency, parts, line, interval, self.use(name), causes)

    # ------------------------------------------------------------------------------ resources

    def use(self, name: str) -> FunctionUse:
        """What one function is built of."""
        if name not in self._made:
            self._made[name] = FunctionUse()  # while it calls itself
            self._made[name] = self._use(name)
        return self._made[name]

    def _use(self, name: str) -> FunctionUse:
        if name in open_parts(self.program):
            return FunctionUse(None, None, None, None, None)
        own = [a for a in self._arrays if a.function == name]
        memories = Counter[str]()
        for a in own:
            chosen = a.luts + a.mux_luts + 3 * a.registers  # reports: what chooses among registers
            memories += Counter(bram=a.bram18k, uram=a.uram, lut=chosen, ff=a.registers)
        path = self._datapath(name)
        bram: int | None = memories["bram"]
        uram: int | None = memories["uram"]
        dsp = None if path is None else path.dsp
        ff = None if path is None else path.ff + memories["ff"]
        lut = None if path is None else path.lut + memories["lut"]
        for callee, instances in self._called(name).items():
            other, inside = self.use(callee), callee not in self.kept
            bram = _plus(bram, other.bram18k, instances)
            uram = _plus(uram, other.uram, instances)
            if not inside:  # the operations of others are in the datapath of this function
                dsp = _plus(dsp, other.dsp, instances)
                ff, lut = _plus(ff, other.ff, instances), _plus(lut, other.lut, instances)
        return FunctionUse(bram, uram, dsp, ff, lut)

    def _datapath(self, name: str) -> Datapath | None:
        """Operations of a function without those of modules that it calls; None where any is not known."""
        known = self._datapaths[name].built
        loops = [x for x in self._loops.get(name, ()) if x.pipelined]
        if any((x.loop if x.loop >= 0 else WHOLE) not in known for x in loops):
            return None
        return shared([*known.values(), *self.controllers[name].straight])

    def _called(self, name: str) -> Counter[str]:
        """Instances of the functions that a function calls: one that runs at one time only is built once."""
        counts = Counter[str]()
        body = self.program.functions[name].body
        at_once = self.latencies.is_dataflow(name, None)
        for call in effects(self.program).calls_in(body):
            if (callee := call.function) is not None and callee in self._datapaths:
                counts[callee] = counts[callee] + 1 if at_once or callee not in self.kept else 1
        return counts


def channels(program: Program, latencies: Latencies) -> frozenset[int]:
    """Arrays between processes of DATAFLOW regions, functions or loops, which are doubled."""
    regions = [f.body for name, f in program.functions.items() if latencies.is_dataflow(name, None)]
    regions += [x.body for x in program.loops.values() if latencies.is_dataflow(x.function, x.id)]
    return frozenset(v for region in regions for v in _between(program, region))


def _between(program: Program, region: c.Block) -> Iterator[int]:
    """Arrays that several statements use."""
    users = Counter[int]()
    for stmt in region.body:
        if not isinstance(stmt, c.Declare):
            roots = statement_expressions(program, stmt)
            named = (e.variable for root in roots for e in c.walk(root) if isinstance(e, c.Name | c.ArrayRef))
            users.update({v for v in named if v is not None})
    yield from (v for v, n in users.items() if n > 1 and program.variable(v).is_array)


def _plus(one: int | None, other: int | None, times: int) -> int | None:
    return None if one is None or other is None else one + times * other
