"""Figures of one iteration of a nest: as the user assumes them, else as ``ii`` has them of its C."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from hlspart.expand.region import Refusal
from hlspart.explore.calls import CalledNests
from hlspart.explore.emit import write
from hlspart.explore.errors import LateError
from hlspart.explore.frame import buffer_name
from hlspart.explore.intervals import MOST_APART, banks_may_help, is_through_memory, sum_waits
from hlspart.explore.records import OperandWindow, ReadNest
from hlspart.explore.requests import fault, finding
from hlspart.explore.sharing import Loops, operation_loops, shared_blocks
from hlspart.explore.space import partial_steps, tiling, whole_tiles
from hlspart.explore.steps import ENTERED, cost
from hlspart.explore.timely import latest
from hlspart.hardware.memory import BUS
from hlspart.model.access import AccessAnalysis
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.exploring import Assumed, ExploreOptions, Operand, SumChain, SumWait, TiledNest, Vector
from hlspart.model.memories import MemoryRule
from hlspart.model.parts import FunctionResult
from hlspart.model.program import Program
from hlspart.model.results import IIResult, LoopResult
from hlspart.semantics.folding import bits
from hlspart.targets import Target

#: Changed texts -> their prediction.
Predict = Callable[[Mapping[str, str]], IIResult]
#: Changed texts -> those that get banks by inference, with them.
Banked = Callable[[Mapping[str, str]], Mapping[str, str]]


#: Levels of a tree of sums that is looked at to learn what a level takes.
LEVELS = 3


class IterationFigure(Struct, frozen=True):
    """Figures of an iteration. ``least``: names of those that are not known, with what they are at least, and why.

    ``ii``: of the loop that was looked at; ``free``: where no iteration waits for another one; ``wait``: where they
    only wait, at least; ``crowded``: buffers whose ports ask for more than one cycle.
    """

    ii: int
    depth: int
    dsp: int
    least: tuple[str, ...] = ()
    cause: str | None = None
    free: int = 1
    wait: int = 1
    crowded: frozenset[str] = frozenset()


def _pipelined(figures: IIResult, function: str) -> LoopResult | None:
    """The loop over the iterations of a tile."""
    return next((x for x in reversed(figures.loops) if x.function == function and x.pipelined), None)


class IterationFigures:
    """What is known of iterations; ``diagnostics`` takes what cannot be written."""

    def __init__(
        self, program: Program, analysis: AccessAnalysis, options: ExploreOptions, target: Target,
        predict: Predict, banked: Banked, memories: MemoryRule | None, diagnostics: list[Diagnostic],
        calls: CalledNests,
    ) -> None:  # fmt: skip
        self.program, self.analysis, self.options, self.target = program, analysis, options, target
        self.predict, self.banked, self.memories, self.diagnostics = predict, banked, memories, diagnostics
        self.calls = calls

    def measured(self, number: int, nest: ReadNest, until: float | None = None) -> TiledNest:
        """The nest with figures of one iteration: as assumed, else as ``ii`` has them of its C on one element.

        Raises :class:`LateError` where that takes longer than ``until``.
        """
        names = ("*", str(number), f"r{number}", nest.nest.name, *(o.name for o in nest.nest.operands if o.written))
        given = next((self.options.assumed[n] for n in reversed(names) if n in self.options.assumed), None)
        windows = list(zip(nest.nest.operands, nest.windows, strict=True))
        resident = sum(
            o.element_bytes * math.prod(d or 1 for d in w.variable.dims)
            for o, w in windows
            if (w.variable.storage in ("local", "static") or o.in_place) and not o.private
        )
        operands = tuple(
            replace(o, lanes=self.lanes(o, w), kinds=() if o.in_place else self._kinds(w)) for o, w in windows
        )
        whole = given is not None and None not in (given.ii, given.depth, given.dsp)
        measured = replace(
            nest.nest, resident=resident, operands=operands, copied=self.options.schedule or not whole,
            assumed=given is not None, memories=self.memories,
        )  # fmt: skip
        nest = replace(nest, nest=measured)
        if given is not None and whole:
            return replace(measured, ii=given.ii or 1, depth=given.depth or 1, dsp=given.dsp or 0)
        read = latest(lambda: iter([self._read(nest, given or Assumed())]), until).value
        if read is None:
            text = "the figures of an iteration were not known yet when --time-limit ended; --assume gives them"
            raise LateError(fault(finding(self.program, nest.loops[0].at, "").place, text, "explore-late"))
        figures, diagnostics = read
        self.diagnostics += diagnostics
        return figures

    def _read(self, nest: ReadNest, given: Assumed) -> tuple[TiledNest, list[Diagnostic]]:
        """The nest with what ``ii`` says of its C where nothing is ``given``, and what could not be written."""
        tiled, before = nest.nest, len(self.diagnostics)
        loops = range(len(tiled.loops))
        ones = tuple(1 for _ in loops)
        of = self._figures(nest, Vector(ones, ones, tuple(loops)))
        ii, depth, blocks, split = of.ii, of.depth, of.dsp, ones
        chains: tuple[SumChain, ...] = ()
        if given.ii is None and tiled.reductions:
            ii, chains = of.free, self._chains(nest)
        if ii < of.ii:  # a tile in which no sum goes on waits for none, and has more operations at once
            split = tuple(n if k in tiled.reductions else 1 for k, n in enumerate(tiled.extents))
            blocks = max(blocks, self._figures(nest, Vector(ones, split, tuple(loops))).dsp)
        alone, faster, spared = self._faster(nest, ii, depth)
        if given.depth is not None:
            spared, alone, faster = 0, None, tuple((n, given.depth) for n, _ in faster)
        if given.ii is not None:
            faster = tuple((given.ii, n) for _, n in faster)
        joins = self._joins(nest) if given.depth is None and self.options.elements > 1 else None
        shared = self._shared(nest, blocks, split) if given.dsp is None and self.options.elements > 1 else ()
        dsp = blocks if given.dsp is None else given.dsp
        least = tuple(n for n in of.least if getattr(given, n) is None)
        if least:
            self.diagnostics.append(self._unknown(nest, least, of.cause))
        reports = self.diagnostics[before:]
        del self.diagnostics[before:]
        operands = tuple(replace(o, crowded=buffer_name(o.name) in of.crowded) for o in tiled.operands)
        read = replace(tiled, operands=operands, ii=given.ii or ii, depth=given.depth or depth, dsp=dsp,
                       shared_dsp=shared, chains=chains, joins=joins, alone=alone, faster=faster, spared=spared,
                       least=least)  # fmt: skip
        guarded = self._guarded(replace(nest, nest=read)) if given.depth is None else 0
        return replace(read, guarded=guarded), reports

    def _unknown(self, nest: ReadNest, least: tuple[str, ...], cause: str | None) -> Diagnostic:
        names = " and ".join(
            {"ii": "the II", "depth": "the depth", "dsp": "the number of DSP blocks"}[n] for n in least
        )
        verb = "are" if len(least) > 1 else "is"
        said = f"{nest.nest.name}: {names} of an iteration {verb} not known" + (f", because {cause}" if cause else "")
        diagnostic = finding(self.program, nest.loops[0].at, "")
        return replace(diagnostic, rule="explore-unknown", name="explore-unknown", severity="warning",
                       message=f"{said}; its figures are at least those shown, unless --assume gives them")  # fmt: skip

    def _shared(self, nest: ReadNest, dsp: int, split: tuple[int, ...]) -> tuple[tuple[Loops, int], ...]:
        """DSP blocks that serve all elements along some loops, with the loops along which they do not.

        ``dsp``: those of one element, whose tile comes about by ``split``.
        """
        of, spread = nest.nest, self._spread(nest.nest)

        def blocks(loops: Loops) -> int | None:
            shard = tuple(2 if k in loops else 1 for k in range(len(of.loops)))
            left = tuple(min(t, -(-n // p)) for t, n, p in zip(split, of.extents, shard, strict=True))
            function = self._computing(nest, Vector(shard, left, tuple(range(len(shard)))))
            return None if function is None else function.resources.dsp

        return shared_blocks(operation_loops(self.program, self.analysis, nest), spread, dsp, blocks)

    def _spread(self, of: TiledNest) -> Loops:
        """Loops that may lie in space."""
        fixed = of.reductions if of.ordered and not (self.options.reassociate and of.sums) else frozenset()
        return frozenset(k for k, n in enumerate(of.extents) if n > 1) - of.whole - fixed

    def _kinds(self, window: OperandWindow) -> tuple[int, ...]:
        """Words up to which a buffer lies in registers, is built of LUTs, of BRAM."""
        shape, rule = window.variable.as_array, self.target.memories
        width = max(1, bits(window.variable.type if shape is None else shape.element))
        most = sys.maxsize if rule.uram_bits is None else rule.uram_bits // width
        return max(1, self.target.complete_threshold - 1), rule.lutram_bits // width, most

    def _faster(self, nest: ReadNest, ii: int, depth: int) -> tuple[int | None, tuple[tuple[int, int], ...], int]:
        """Cycles of a tile of one iteration, if no loop is left of it, and II and depth by kinds of memory.

        A tile in faster memory takes no more than one in a slower one, and none less than one iteration. Last: how
        much less of a depth tiles have that are one iteration wide along some loops.
        """
        of = nest.nest
        loops, ones = tuple(range(len(of.loops))), tuple(1 for _ in of.loops)
        single = Vector(ones, tuple(1 if k in of.whole else n for k, n in enumerate(of.extents)), loops)
        alone = None
        if all(n == 1 for n in single.slices(of.extents)):
            function = self._computing(nest, single)
            alone = None if function is None else function.latency.max
            states = ENTERED if self.options.schedule else 0
            least = 1, min(depth, max(1, (0 if function is None else function.latency.min or 0) + states))
        else:
            figures = self._figures(nest, single)
            least = min(ii, figures.free), min(depth, figures.depth)
        known, faster, spared = (ii, depth), list[tuple[int, int]](), 0
        for kind in reversed(range(1, max((len(o.kinds) for o in of.operands), default=0))):
            split = self._fitting(of, kind)
            if split is None:
                least = known = min(known[0], least[0]), min(known[1], self._narrow(nest, least[1]))
            elif any(t > 1 for t in split):
                figures = self._figures(nest, Vector(ones, split, loops), banks=False)
                known = min(known[0], max(least[0], figures.free)), min(known[1], max(least[1], figures.depth))
            several = [k for k, n in enumerate(of.extents) if n > 1 and k not in of.whole]
            if kind == 1 and split is not None and len(several) > 1:  # the last of these loops alone
                narrow = tuple(
                    n if k in several[:-1] else t for k, (n, t) in enumerate(zip(of.extents, split, strict=True))
                )
                figures = self._figures(nest, Vector(ones, narrow, loops), banks=False)
                spared = max(0, known[1] - max(least[1], figures.depth))
            faster.insert(0, known)
        return alone, (least, *faster), spared

    def _guarded(self, nest: ReadNest) -> int:
        """How much less than of a whole tile the depth is of one whose iterations ask whether they exist, at most."""
        of, spared = nest.nest, 0
        loops = tuple(range(len(of.loops)))
        steps = [1 if k in of.whole else partial_steps(n) for k, n in enumerate(of.extents)]
        each = (tuple(t if k == at else 1 for k in loops) for at, t in enumerate(steps))
        for split in dict.fromkeys((*each, tuple(steps))):
            if any(t > 1 for t in split):
                vector = Vector(tuple(1 for _ in loops), split, loops)
                figures = self._figures(nest, vector, banks=False)
                spared = max(spared, cost(of, vector, self.options.off_chip).depth - figures.depth)
        return spared

    def _narrow(self, nest: ReadNest, depth: int) -> int:
        """The least depth of tiles that are two iterations wide along one loop, or along all of them.

        Where some window is always too large for a kind of memory, others may lie in it; and a tile of one iteration
        works its places out of whole numbers of steps, which takes wider operators.
        """
        halves = [1 if n == 1 or k in nest.nest.whole else -(-n // 2) for k, n in enumerate(nest.nest.extents)]
        ways = [tuple(t if k == at else 1 for k, t in enumerate(halves)) for at, t in enumerate(halves) if t > 1]
        for split in dict.fromkeys((*ways, tuple(halves))):
            ones = tuple(1 for _ in split)
            figures = self._figures(nest, Vector(ones, split, tuple(range(len(split)))), banks=False)
            depth = min(depth, figures.depth)
        return depth

    @staticmethod
    def _fitting(of: TiledNest, kind: int) -> tuple[int, ...] | None:
        """Steps along each loop for tiles of several iterations that lie in memory of a kind; None: there are none."""
        most = max(of.extents)
        while most > 1:
            fits = [next((d for d in range(min(n, most), 1, -1) if n % d == 0), min(n, most)) for n in of.extents]
            slices = tuple(n if k in of.whole else d for k, (n, d) in enumerate(zip(of.extents, fits, strict=True)))
            if all(o.kind(o.words(slices)) <= kind for o in of.operands):
                return tuple(-(-n // d) for n, d in zip(of.extents, slices, strict=True))
            most = 1 << ((most - 1).bit_length() - 1)
        return None

    def _computing(self, nest: ReadNest, vector: Vector) -> FunctionResult | None:
        """What is predicted of the function that computes a tile; None where it cannot be written."""
        try:
            texts, emitted = write(self.program, [(nest, vector)], self.options.off_chip, moves=False)
        except Refusal:
            return None
        return next((f for f in self.predict(texts).functions if f.name == emitted[0].compute), None)

    def _joins(self, nest: ReadNest) -> tuple[int, int] | None:
        """Cycles of the loops that add the parts of sums up, beside one a word: of two parts, of each further level.

        The least of all sums of the nest; one that is not known takes a cycle.
        """
        of = nest.nest
        here = frozenset(k for o in of.operands if o.in_place for k in of.carried(o))  # a sum that stays whole
        k = max((self._spread(of) & of.reductions) - here, key=lambda k: (of.extents[k], k), default=None)
        if k is None:
            return None
        sums = sum(k in of.carried(o) for o in of.operands)
        levels = sorted({1, min(LEVELS, of.extents[k].bit_length() - 1)})
        depths = []
        for level in levels:
            loops = range(len(of.loops))
            shard = tuple(1 << level if n == k else 1 for n in loops)
            split = tuple(1 if n in of.reductions else -(-e // 2) for n, e in enumerate(of.extents))
            try:
                chosen = [(nest, Vector(shard, split, tuple(loops)))]
                texts, emitted = write(self.program, chosen, self.options.off_chip, moves=False)
            except Refusal:
                return None
            name = emitted[0].compute
            adding = [x for x in self.predict(texts).loops if x.function == name and x.pipelined][-sums:]
            depths.append(min((x.depth or 1 for x in adding), default=1))
        further = (depths[-1] - depths[0]) // max(1, levels[-1] - 1)
        return depths[0], max(0, further)

    def _chains(self, nest: ReadNest) -> tuple[SumChain, ...]:
        """What iterations wait for the terms of sums, by the sums that loops carry."""
        of, groups = nest.nest, dict[tuple[int, ...], set[int]]()
        for k in sorted(of.reductions):
            sums = tuple(n for n, o in enumerate(of.operands) if k in of.carried(o))
            groups.setdefault(sums, set()).add(k)
        whole, chains = of.reductions & of.whole, list[SumChain]()
        for sums, own in groups.items():
            last = whole if own & whole else whole | frozenset(sorted(k for k in own if of.extents[k] > 1)[-1:])
            ways = tuple(tuple(1 if k in way else n for k, n in enumerate(of.extents)) for way in (whole | own, last))
            chains.append(self._chain(nest, frozenset(own), ways))
            # loops around them may make more words of these sums, which then lie in memory, the fastest one
            around = {k for k in of.reductions - own - whole if k < max(own)}
            some = 1 + min((o.kinds[0] for o in of.operands if o.kinds), default=0)
            split = tuple(
                whole_tiles(n, n // some) if k in around else 1 if k in own | whole or k not in of.reductions else n
                for k, n in enumerate(of.extents)
            )
            slices = Vector(tuple(1 for _ in split), split, ()).slices(of.extents)
            lie = tuple((n, of.operands[n].kind(of.operands[n].words(slices))) for n in sums)
            if around and any(kind for _, kind in lie):
                chains.append(self._chain(nest, frozenset(own), (split,), lie))
        return tuple(c for c in chains if c.waits or c.guarded)

    def _chain(
        self, nest: ReadNest, loops: frozenset[int], ways: Sequence[tuple[int, ...]],
        lie: tuple[tuple[int, int], ...] = (),
    ) -> SumChain:  # fmt: skip
        """What iterations wait for in the lesser of some splits, in whole tiles and in partial ones."""
        of = nest.nest
        free = [k for k, n in enumerate(of.extents) if k not in of.reductions and n > 1]
        free = [k for k in free if k not in of.whole or k == free[-1]]
        extents = [of.extents[k] for k in free] or [1]

        def waits(whole: bool) -> tuple[SumWait, ...]:
            tried = ((n, tiling(extents, n, whole)) for n in range(1, MOST_APART + 1))
            tilings = {n: x for n, x in tried if x is not None}

            def measure(between: int) -> int:
                at = {k: (s, t) for k, s, t in zip(free, *tilings[between], strict=False)}
                each = []
                for way in dict.fromkeys(ways):
                    shards, split = zip(*(at.get(k, (1, n)) for k, n in enumerate(way)), strict=True)
                    vector = Vector(shards, split, tuple(range(len(way))))
                    each.append(self._figures(nest, vector, banks=False).wait)
                return min(each)

            return sum_waits(sorted(tilings), measure)

        return SumChain(loops, waits(whole=True), waits(whole=False), lie)

    def _figures(self, nest: ReadNest, vector: Vector, banks: bool = True) -> IterationFigure:
        """Figures of an iteration by ``ii``; ``banks``: with those that help its ports, too, not its memories alone.

        For the model ``schedule`` the depth has the states around the loop.
        """
        try:
            texts, emitted = write(self.program, [(nest, vector)], self.options.off_chip, moves=False)
        except Refusal as refusal:
            self.diagnostics.append(replace(finding(self.program, refusal.at, str(refusal)), severity="warning"))
            return IterationFigure(1, 1, 0, ("ii", "depth", "dsp"), "no C can be written of it")
        name = emitted[0].compute
        figures = self.predict(texts)
        loop = _pipelined(figures, name)
        if loop is not None and (banks or is_through_memory(loop, nest.nest)) and banks_may_help(loop, 1, nest.nest):
            figures = self.predict(texts | dict(self.banked(texts)))
            loop = _pipelined(figures, name)
        function = next((f for f in figures.functions if f.name == name), None)
        whole = None if function is None else function.latency.exact
        if loop is None:  # a single iteration
            dsp = 0 if function is None else function.resources.dsp or 0
            least = 1 if function is None else function.latency.min or 1
            return IterationFigure(1, max(1, least), dsp, () if whole is not None else ("depth",))
        ii, depth = loop.least, loop.depth
        between = (math.prod(vector.slices(nest.nest.extents)) - 1) * ii
        shortest = None if function is None else function.latency.min
        if self.options.schedule and whole is not None:
            depth = max(1, whole - between)
        known = {"ii": loop.ii, "depth": depth, "dsp": loop.dsp}
        cause = loop.cause or loop.depth_cause
        if depth is None and self.options.schedule and shortest is not None:
            depth = max(1, shortest - between)
        elif depth is None and loop.latency.min is not None:
            depth = max(1, loop.latency.min - between + 1)
        unknown, free = tuple(n for n, x in known.items() if x is None), min(ii, loop.resource_ii or ii)
        crowded = frozenset(x.array for x in loop.limits if x.kind == "memory-port" and x.array is not None)
        return IterationFigure(ii, depth or 1, loop.dsp or 0, unknown, cause, free, loop.recurrence_ii or 1, crowded)

    def lanes(self, operand: Operand, window: OperandWindow) -> int:
        """Words of an array that a copy may move at once."""
        array = window.variable
        roots = self.calls.roots.get(array.id, frozenset())
        names = {array.name, *(self.program.variable(r).name for r in roots)}
        apart = roots and array.id not in self.calls.whole
        if apart or self.target.argument_storage == BUS or not array.dims or any(map(self._is_partitioned, names)):
            return 1
        return 1 << max(0, (self.options.off_chip.width // operand.element_bytes).bit_length() - 1)

    def _is_partitioned(self, array: str) -> bool:
        """Whether the text says itself how an array lies."""
        words = ("array_partition", "array_reshape", "interface", "bind_storage", "resource", "data_pack", "aggregate")
        for pragma in self.program.pragmas:
            said = pragma.expanded.lower().split()
            named = f"variable={array.lower()}" in said or f"port={array.lower()}" in said
            if named and len(said) > 1 and said[1] in words:
                return True
        return False
