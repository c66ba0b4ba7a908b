"""Figures of one iteration of a nest: as the user assumes them, else as ``ii`` has them of its C."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

from hlspart.expand.region import Refusal
from hlspart.explore.emit import write
from hlspart.explore.nests import ReadNest
from hlspart.explore.requests import finding
from hlspart.explore.sharing import Loops, operation_loops, shared_blocks
from hlspart.model.access import AccessAnalysis
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.exploring import Assumed, ExploreOptions, TiledNest, Vector
from hlspart.model.memories import MemoryRule
from hlspart.model.program import Program
from hlspart.model.results import IIResult

#: Changed texts -> their prediction.
Predict = Callable[[Mapping[str, str]], IIResult]
#: Changed texts -> those that get banks by inference, with them.
Banked = Callable[[Mapping[str, str]], Mapping[str, str]]


class IterationFigures:
    """What is known of iterations; ``diagnostics`` takes what cannot be written."""

    def __init__(
        self, program: Program, analysis: AccessAnalysis, options: ExploreOptions, predict: Predict, banked: Banked,
        wide: bool, memories: MemoryRule | None, diagnostics: list[Diagnostic],
    ) -> None:  # fmt: skip
        self.program, self.analysis, self.options, self.predict, self.banked = (
            program, analysis, options, predict, banked,
        )  # fmt: skip
        self.wide, self.memories, self.diagnostics = wide, memories, diagnostics

    def measured(self, number: int, nest: ReadNest) -> TiledNest:
        """The nest with figures of one iteration: as assumed, else as ``ii`` has them of its C on one element."""
        names = ("*", str(number), f"r{number}", nest.nest.name, *(o.name for o in nest.nest.operands if o.written))
        given = next((self.options.assumed[n] for n in reversed(names) if n in self.options.assumed), None)
        windows = list(zip(nest.nest.operands, nest.windows, strict=True))
        resident = sum(
            o.element_bytes * math.prod(d or 1 for d in w.variable.dims)
            for o, w in windows
            if w.variable.storage in ("local", "static")
        )
        most = self.options.off_chip.width
        lanes = {
            o.name: 1 << max(0, (most // o.element_bytes).bit_length() - 1)
            for o, w in windows
            if self.wide and w.variable.dims and not self._partitioned(w.variable.name)
        }
        operands = tuple(replace(o, lanes=lanes.get(o.name, 1)) for o in nest.nest.operands)
        found = replace(
            nest.nest, resident=resident, operands=operands, copied=self.options.schedule, assumed=given is not None,
            memories=self.memories,
        )  # fmt: skip
        nest = replace(nest, nest=found)
        if given is not None and None not in (given.ii, given.depth, given.dsp):
            return replace(found, ii=given.ii or 1, depth=given.depth or 1, dsp=given.dsp or 0)
        loops = range(len(found.loops))
        ones = tuple(1 for _ in loops)
        ii, depth, dsp = self._figures(nest, Vector(ones, ones, tuple(loops)))
        chain = 0
        if self.options.schedule:  # small buffers may lie in faster memory
            small = (n if k in found.reductions else -(-n // 2) for k, n in enumerate(found.extents))
            depth = min(depth, self._figures(nest, Vector(ones, tuple(small), tuple(loops)))[1])
        if self.options.schedule and (given is None or given.ii is None) and found.reductions:
            chain = self._chain(nest)
        given = given or Assumed()
        shared = self._shared(nest, dsp) if given.dsp is None and self.options.elements > 1 else ()
        dsp = dsp if given.dsp is None else given.dsp
        return replace(found, ii=given.ii or ii, depth=given.depth or depth, dsp=dsp, shared_dsp=shared,
                       chain=chain if chain > ii else 0)  # fmt: skip

    def _shared(self, nest: ReadNest, dsp: int) -> tuple[tuple[Loops, int], ...]:
        """DSP blocks that serve all elements along some loops, with the loops along which they do not."""
        of = nest.nest
        fixed = of.reductions if of.ordered and not (self.options.reassociate and of.sums) else frozenset()
        spread = frozenset(k for k, n in enumerate(of.extents) if n > 1) - of.whole - fixed

        def blocks(loops: Loops) -> int | None:
            shard = tuple(2 if k in loops else 1 for k in range(len(of.loops)))
            vector = Vector(shard, tuple(1 for _ in shard), tuple(range(len(shard))))
            try:
                texts, emitted = write(self.program, [(nest, vector)], self.options.off_chip)
            except Refusal:
                return None
            functions = self.predict(texts).functions
            return next((f.resources.dsp for f in functions if f.name == emitted[0].compute), None)

        return shared_blocks(operation_loops(self.program, self.analysis, nest), spread, dsp, blocks)

    def _chain(self, nest: ReadNest) -> int:
        """Cycles from a term of a sum to the next: the most that ``ii`` says where one iteration lies between, or none.

        The term before is in a register where it is of the iteration before, else in memory, which takes longer.
        """
        of, chain = nest.nest, 1
        loops = range(len(of.loops))
        free = [k for k in loops if k not in of.reductions and of.extents[k] > 1]
        for apart in (1, 2) if free else (1,):
            split = [1 if k in of.reductions else n for k, n in enumerate(of.extents)]
            if apart > 1:
                split[free[-1]] = -(-of.extents[free[-1]] // apart)
            vector = Vector(tuple(1 for _ in loops), tuple(split), tuple(loops))
            chain = max(chain, apart * self._figures(nest, vector, most=True)[0])
        return chain

    def _figures(self, nest: ReadNest, vector: Vector, most: bool = False) -> tuple[int, int, int]:
        """II (``most``: the most that it can be), depth and DSP blocks by ``ii``.

        For the model ``schedule`` the depth has the states around the loop.
        """
        try:
            texts, emitted = write(self.program, [(nest, vector)], self.options.off_chip)
        except Refusal as refusal:
            self.diagnostics.append(replace(finding(self.program, refusal.at, str(refusal)), severity="warning"))
            return 1, 1, 0
        figures = self.predict(texts if most else texts | dict(self.banked(texts)))
        inner = [x for x in figures.loops if x.function == emitted[0].compute and x.pipelined]
        if not inner:
            return 1, 1, 0
        loop = inner[-1]
        if most and loop.ii is None and loop.bounds is not None:
            return loop.bounds[1], 1, 0
        ii, depth, dsp = loop.ii or 1, loop.depth or 1, loop.dsp or 0
        whole = next((f.latency.exact for f in figures.functions if f.name == emitted[0].compute), None)
        if self.options.schedule and whole is not None:
            depth = max(1, whole - (math.prod(vector.slices(nest.nest.extents)) - 1) * ii)
        return ii, depth, dsp

    def _partitioned(self, array: str) -> bool:
        """Whether the text says itself how an array lies."""
        words = ("array_partition", "array_reshape", "interface", "bind_storage", "resource", "data_pack", "aggregate")
        for pragma in self.program.pragmas:
            said = pragma.expanded.lower().split()
            named = f"variable={array.lower()}" in said or f"port={array.lower()}" in said
            if named and len(said) > 1 and said[1] in words:
                return True
        return False
