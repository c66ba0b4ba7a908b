"""What is searched: nests, what the user asks of them, regions, layers, and figures of one iteration."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import asdict, replace

from hlspart.expand.region import Refusal
from hlspart.explore.calls import called_nests
from hlspart.explore.emit import are_alike
from hlspart.explore.errors import FixError
from hlspart.explore.held import held
from hlspart.explore.layers import Layers, NestUses, layers
from hlspart.explore.measured import Banked, IterationFigures, Predict
from hlspart.explore.records import HeldArray, KeptNest, ReadNest
from hlspart.explore.regions import NestRegion, joined, patterns, regions
from hlspart.explore.requests import Requests, fault, finding, from_file, requests
from hlspart.explore.space import Space, splits
from hlspart.explore.store import digest
from hlspart.model.access import AccessAnalysis
from hlspart.model.diagnostics import Diagnostic, Place
from hlspart.model.exploring import ExploreOptions, FixRequest, TiledNest
from hlspart.model.memories import MemoryRule
from hlspart.model.program import ArrayRef, Block, Function, Loop, Name, PragmaMark, Program, walk
from hlspart.semantics.effects import statement_expressions
from hlspart.targets import Target
from hlspart.version import __version__

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|^[ \t]*#[^\n]*", re.S | re.M)
_WORD = re.compile(r"[A-Za-z_]\w*|[\w.]+|\s+|.")
#: The cost model's version: part of every key.
MODEL = 13


class SearchedNest(Struct, frozen=True):
    """One nest with its space; ``key``: equal for nests with equal results."""

    written: ReadNest
    space: Space
    key: str
    same_as: int | None
    functions_of: int | None = None  # the nest whose functions it calls


class SearchPlan:
    """The nests of one top function. Raises :class:`RequestFileError`."""

    def __init__(
        self, program: Program, analysis: AccessAnalysis, top: str, options: ExploreOptions, target: Target,
        predict: Predict, banked: Banked, hold: bool = True,
    ) -> None:  # fmt: skip
        """``hold``: arguments that nests of a region share come in once and stay on the chip."""
        self.hold, self.holds = hold, False
        counts = options.budget.bram18k is not None or options.objective == "bram"
        #: By which BRAM counts, None where it does not.
        self.memories: MemoryRule | None = target.memories if counts else None
        self.program, self.analysis, self.options = program, analysis, options
        self.target = f"{target.tool} {target.part} {target.clock_ns}"
        self.predict, self.banked = predict, banked
        self.function: Function = program.functions[top]
        self.calls = called_nests(program, analysis, self.function, options.whole)
        self.nests = self.calls.nests
        self.asked: Requests = requests(program, self.calls.functions, [outer(n).id for n in self.nests])
        if options.fixes is not None:
            from_file(*options.fixes, self._named(), self.asked)
        self.diagnostics: list[Diagnostic] = []
        self.figures = IterationFigures(
            program, analysis, options, target, predict, banked, self.memories, self.diagnostics, self.calls
        )  # fmt: skip
        self.kept = [
            n for n in self.nests if isinstance(n, KeptNest) or n.loops[0].id in self.asked.kept
        ]  # fmt: skip
        uses = [self._uses(outer(n)) for n in self.nests]
        alone = layers(uses, self._barriers(range(len(self.nests))))
        taken = () if options.patterns is None else patterns(*options.patterns)
        free = [n if isinstance(n, ReadNest) and n not in self.kept else None for n in self.nests]
        following = [e for e in alone.edges if self._are_beside(e.before, e.behind)]
        self.regions = regions(free, self._given(free), taken, following)
        self._join()
        whole = [
            NestUses(
                frozenset().union(*(uses[m].reads for m in r.members)),
                frozenset().union(*(uses[m].writes for m in r.members)),
            )
            for r in self.regions
        ]
        starts = self._barriers([r.members[0] for r in self.regions])
        self.layers: Layers = layers(whole, starts)
        self.diagnostics += self.asked.wrong

    # ------------------------------------------------------------------------------- regions

    def _barriers(self, firsts: Sequence[int]) -> list[int]:
        return [k for k, first in enumerate(firsts) if outer(self.nests[first]).id in self.asked.barriers]

    def _are_beside(self, one: int, other: int) -> bool:
        """Whether two nests stand in the same loops of one function."""
        if self.nests[one].function is not self.nests[other].function:
            return False
        return [x.id for x in self.nests[one].around] == [x.id for x in self.nests[other].around]

    def _given(self, free: Sequence[ReadNest | None]) -> list[NestRegion]:
        """Regions of the user's; what cannot be one is a finding."""
        numbers = {outer(n).id: k for k, n in enumerate(self.nests)}
        taken: set[int] = set()
        given = []
        for nests_, place in self.asked.regions:
            members = sorted(numbers[n] for n in nests_ if n in numbers)
            problem = None
            if members != list(range(members[0], members[0] + len(members))):
                problem = "the nests of a region follow each other"
            elif taken & set(members):
                problem = "a nest is in one region"
            elif not all(self._are_beside(members[0], m) for m in members):
                problem = "the nests of a region stand in the same loops"
            elif len(members) > 1 and any(free[m] is None for m in members):
                name = next(outer(self.nests[m]).name for m in members if free[m] is None)
                problem = f"{name} keeps its text, so it is in no region"
            elif any(outer(self.nests[m]).id in self.asked.barriers for m in members[1:]):
                problem = "a barrier stands between regions, not in one"
            if problem is not None:
                self.asked.wrong.append(fault(place, problem))
                continue
            taken |= set(members)
            given.append(NestRegion(tuple(members), "#pragma hlspart region"))
        return given

    def _join(self) -> None:
        for region in self.regions:
            members = {m: n for m in region.members if isinstance(n := self.nests[m], ReadNest)}
            if len(members) < 2 or any(n in self.kept for n in members.values()):
                continue
            arrays = self._held(list(members.values())) if self.hold else ()
            self.holds |= bool(arrays)
            for m, nest in joined(self.program, members, arrays, self.options.off_chip).items():
                self.nests[m] = nest

    def _held(self, members: Sequence[ReadNest]) -> tuple[HeldArray, ...]:
        """Arguments that the nests of a region share."""
        moving = {f.array for n in members for f in self.asked.fixes.get(n.loops[0].id, ()) if f.array}
        lanes = {w.variable.id: self.figures.lanes(o, w) for n in members
                 for o, w in zip(n.nest.operands, n.windows, strict=True)}  # fmt: skip
        return held(self.program, members, lanes, moving)

    def _uses(self, loop: Loop) -> NestUses:
        written = {a.array for a in self.analysis.accesses if loop.id in a.loops and a.kind == "write"}
        read = {a.array for a in self.analysis.accesses if loop.id in a.loops and a.kind == "read"}
        seen = written | read
        for root in statement_expressions(self.program, loop):
            for e in walk(root):
                if isinstance(e, Name | ArrayRef) and e.variable not in seen:
                    variable = self.program.variable(e.variable)
                    if variable.as_array is not None:  # handed to a call
                        written.add(e.variable)
                        read.add(e.variable)
        roots = self.calls.roots
        return NestUses(*(frozenset().union(*(roots.get(v, {v}) for v in of)) for of in (read, written)))

    def _named(self) -> list[tuple[int, frozenset[str]]]:
        """Per nest what it may be called, and with a ``=`` in front loops and arrays that it has."""
        named = []
        for k, nest in enumerate(self.nests):
            names = {str(k), f"r{k}", outer(nest).name}
            if isinstance(nest, ReadNest):
                names |= {o.name for o in nest.nest.operands if o.written}
                names |= {f"={x}" for pair in zip(nest.nest.loops, nest.loops, strict=True)
                          for x in (pair[0][0], pair[1].name)}  # fmt: skip
                names |= {f"={o.name}" for o in nest.nest.operands}
            named.append((outer(nest).id, frozenset(names)))
        return named

    # -------------------------------------------------------------------------------- spaces

    def searched(self, until: float | None = None) -> list[SearchedNest]:
        """The nests that are searched; ``until``: by when their figures are known. Raises :class:`FixError`."""
        done: list[SearchedNest] = []
        names = {"*"}.union(*(names for _, names in self._named()))
        for name in sorted(self.options.assumed.keys() - names):
            place = finding(self.program, self.function.at, "").place
            raise FixError(
                fault(place, f"--assume {name}: no nest has this id, loop or written array", "explore-assume")
            )
        self._left()
        for number, nest in enumerate(self.nests):
            if isinstance(nest, KeptNest):
                self._kept(nest)
            if nest in self.kept or isinstance(nest, KeptNest):
                continue
            nest = replace(nest, nest=self.figures.measured(number, nest, until))
            if self.options.pipeline == "dataflow":
                nest = self._streamed(nest)
            shard, split, resident = self._fixed(nest)
            space = Space(
                nest.nest, self.options.elements, fewer=self.options.fewer, reassociate=self.options.reassociate,
                orders=self.options.orders, shard=shard, split=split, resident=resident,
            )  # fmt: skip
            fixes = self.asked.fixes.get(nest.loops[0].id, ())
            for k in space.impossible:
                loop = nest.nest.loops[k][0]
                place = next(w.place for w in fixes if w.shard not in (None, 1) and w.loop in self._loop(nest, k))
                why = "it stays whole" if k in nest.nest.whole else "its sums keep their order"
                raise FixError(fault(place, f"loop {loop} cannot be sharded: {why}"))
            if not space.size:
                place = fixes[-1].place if fixes else self._place(nest)
                asked = "moves every array at every step" if nest.nest.streams else "has all that is fixed"
                raise FixError(fault(place, f"no candidate of {nest.nest.name} {asked}"))
            key = self._key(nest, shard, split, resident)
            same = next((k for k, r in enumerate(done) if r.key == key), None)
            called = same if same is not None and self._calls(done[same].written, nest) else None
            done.append(SearchedNest(nest, space, key, same, called))
        return done

    def at_once(self, regions: Sequence[SearchedNest]) -> tuple[tuple[int, ...], ...]:
        """Numbers of searched nests, those together that run at once.

        They stand one behind the other, no array of one is in another, and each array has a port of its own.
        """
        groups: list[list[int]] = []
        after = self._following()
        sharing = {k for n, r in enumerate(regions) if r.functions_of is not None for k in (n, r.functions_of)}
        for k, region in enumerate(regions):
            group = groups[-1] if groups else []
            apart = self.options.off_chip.per_array and not sharing.intersection((*group, k))
            arrays = {v for g in group for v in regions[g].written.arrays}
            first = region.written.loops[0].id
            apart = apart and arrays.isdisjoint(region.written.arrays)
            apart = apart and not any(regions[g].written.carries or regions[g].written.held for g in (*group, k))
            behind = group and after.get(regions[group[-1]].written.loops[0].id) == first
            if apart and behind and first not in self.asked.barriers:
                group.append(k)
            else:
                groups.append([k])
        return tuple(map(tuple, groups))

    def _following(self) -> dict[int, int]:
        """The loop that stands right behind a loop."""
        following: dict[int, int] = {}

        def within(block: Block) -> None:
            body = [s for s in block.body if not isinstance(s, PragmaMark)]
            following.update((a.id, b.id) for a, b in pairwise(body) if isinstance(a, Loop) and isinstance(b, Loop))
            for s in body:
                if isinstance(s, Block | Loop):
                    within(s.body if isinstance(s, Loop) else s)

        within(self.function.body)
        return following

    def _place(self, nest: ReadNest) -> Place:
        return finding(self.program, nest.loops[0].at, "").place

    def _calls(self, one: ReadNest, other: ReadNest) -> bool:
        """Whether a nest calls the functions of an earlier one."""
        try:
            together = self.options.share_functions and one.function is other.function
            return together and are_alike(self.program, one, other, self.options.off_chip)
        except Refusal:  # told where its C is wanted
            return False

    def _streamed(self, nest: ReadNest) -> ReadNest:
        """The nest as DATAFLOW regions. Raises :class:`FixError` where no step of it is one."""
        names = [w.variable.name for w in nest.windows]
        for operand, name in zip(nest.nest.operands, names, strict=True):
            why = None
            if operand.private:
                why = f"{name} is handed on from iteration to iteration of an inner loop"
            elif operand.loaded and operand.stored:
                why = f"{name} is loaded and stored, so two processes would write its buffer"
            elif operand.in_place and operand.written:
                why = f"{name} stays on the chip and is written, so steps hand it on"
            elif names.count(name) > 1:
                why = f"{name} is used through several windows, so two processes would access it"
            if why is not None:
                raise FixError(fault(self._place(nest), f"{nest.nest.name} is no DATAFLOW region: {why}", "dataflow"))
        live = tuple(replace(o, live=True) for o in nest.nest.operands)
        return replace(nest, nest=replace(nest.nest, operands=live, streams=True))

    def _kept(self, nest: KeptNest) -> None:
        at = nest.refusal.at
        if nest.loop.id in self.asked.kept or at.span.path not in self.program.sources:
            return
        diagnostic = finding(self.program, at, "")
        text = f"{nest.loop.name} keeps its text: {nest.reason}"
        self.diagnostics.append(replace(diagnostic, rule="not-explored", name="not-explored", severity="warning",
                                        message=text))  # fmt: skip

    def _left(self) -> None:
        """Say of functions that are called outside of the nests that theirs are not looked for."""
        for call in self.calls.left:
            if call.at.span.path in self.program.sources:
                text = f"the nests of {call.function} are not searched where it is called: --top {call.function} does"
                diagnostic = finding(self.program, call.at, "")
                self.diagnostics.append(replace(diagnostic, rule="not-explored", name="not-explored",
                                                severity="warning", message=text))  # fmt: skip

    @staticmethod
    def _loop(nest: ReadNest, k: int) -> tuple[str, str]:
        return nest.nest.loops[k][0], nest.loops[k].name

    def _fixed(self, nest: ReadNest) -> tuple[list[int | None], list[int | None], dict[str, bool]]:
        of = nest.nest
        shard: list[int | None] = [None] * len(of.loops)
        split: list[int | None] = [None] * len(of.loops)
        resident: dict[str, bool] = {}
        for wish in self.asked.fixes.get(nest.loops[0].id, ()):
            if wish.array is not None:
                self._array_fixed(nest, wish, resident)
                continue
            k = next((k for k in range(len(of.loops)) if wish.loop in self._loop(nest, k)), None)
            if k is None:
                names = ", ".join(n for n, _ in of.loops)
                raise FixError(fault(wish.place, f"no loop {wish.loop!r} to fix; the nest has {names}"))
            for kind, given, known in (("shard", wish.shard, shard), ("split", wish.split, split)):
                if given is not None and known[k] not in (None, given):
                    raise FixError(fault(wish.place, f"{kind} of {wish.loop} is fixed to {known[k]} already"))
                known[k] = given or known[k]
            extent, counts = of.extents[k], (self.options.elements, *self.options.fewer)
            if wish.shard is not None and (wish.shard > extent or all(n % wish.shard for n in counts)):
                why = f"does not divide {self.options.elements} elements, or exceeds its {extent} iterations"
                raise FixError(fault(wish.place, f"shard={wish.shard} of {wish.loop} {why}"))
            self._split_fixed(of, k, wish, shard[k])
        return shard, split, resident

    def _split_fixed(self, of: TiledNest, k: int, wish: FixRequest, shard: int | None) -> None:
        """Refuse a split that no candidate has."""
        counts = (self.options.elements, *self.options.fewer)
        most = min(max(counts), of.extents[k])
        ways = [shard] if shard else [d for d in range(1, most + 1) if any(n % d == 0 for n in counts)]
        known = sorted({s for d in ways for s in ((1,) if k in of.whole else splits(-(-of.extents[k] // d)))})
        if wish.split is not None and wish.split not in known:
            some = ", ".join(map(str, known[:12])) + (", ..." if len(known) > 12 else "")
            why = "is not the least number of steps of any slice; those are"
            raise FixError(fault(wish.place, f"split={wish.split} of {wish.loop} {why} {some}"))

    @staticmethod
    def _array_fixed(nest: ReadNest, wish: FixRequest, resident: dict[str, bool]) -> None:
        pairs = list(zip(nest.nest.operands, nest.windows, strict=True))
        meant = [o for o, w in pairs if w.variable.name == wish.array]
        if not meant:
            names = ", ".join(dict.fromkeys(w.variable.name for _, w in pairs))
            raise FixError(fault(wish.place, f"no array {wish.array!r} to fix; the nest uses {names}"))
        for operand in meant:
            if resident.get(operand.name, wish.resident) != wish.resident:
                raise FixError(fault(wish.place, f"{wish.array} cannot be resident and stream"))
            if operand.private and not wish.resident:
                raise FixError(fault(wish.place, f"{wish.array} is no array, and stays on the chip"))
            if operand.in_place and not wish.resident:
                raise FixError(fault(wish.place, f"{wish.array} lies on the chip in this region"))
            if not (operand.in_place or operand.private):
                resident[operand.name] = wish.resident

    # ---------------------------------------------------------------------------------- keys

    def _key(
        self, nest: ReadNest, shard: Sequence[int | None], split: Sequence[int | None], resident: Mapping[str, bool]
    ) -> str:
        """A name for all that the result of a nest depends on, names of variables aside."""
        n, o = nest.nest, self.options
        loops = sorted(name for name, _ in n.loops)
        shared = [[sorted(k), c] for k, c in n.shared_dsp]
        return digest({
            "text": self._canonical(nest), "extents": n.extents,
            "ranks": [loops.index(name) for name, _ in n.loops], "whole": sorted(n.whole),
            "operands": [
                [asdict(d) for d in x.dims] + [x.element_bytes, x.read, x.written, x.in_place, x.lanes,
                                               resident.get(x.name), x.kinds, x.crowded, x.live, x.private]
                for x in n.operands
            ],
            "iteration": [n.ii, n.depth, n.dsp, shared, n.ordered, n.sums, n.resident, n.copied,
                          [[sorted(c.loops), c.lie, *([asdict(w) for w in x] for x in (c.waits, c.guarded))]
                           for c in n.chains], n.joins, n.alone, n.faster, n.spared, n.guarded, n.least,
                          n.streams, n.repeats, n.borders, n.memories is not None],
            "fixed": [list(shard), list(split)], "elements": [o.elements, *o.fewer], "budget": asdict(o.budget),
            "off_chip": asdict(o.off_chip), "orders": o.orders, "reassociate": o.reassociate, "limit": o.limit,
            "target": self.target, "version": __version__, "model": MODEL,
        })[:16]  # fmt: skip

    def _canonical(self, nest: ReadNest) -> list[str]:
        """The text of a nest with its variables numbered as they come, and their types."""
        span = nest.loops[0].at.span
        text = _COMMENT.sub(" ", self.program.sources[span.path].slice(span))
        named = {v.name: v for v in (*self.program.arrays(), *self.program.variables)
                 if v.function in (None, nest.function.name)}  # fmt: skip
        order: dict[str, int] = {}
        words = [
            f"v{order.setdefault(w, len(order))}" if w in named else w for w in _WORD.findall(text) if not w.isspace()
        ]
        shapes = [named[name].as_array for name in order]
        kinds = [str(named[n].type if s is None else s.element) for n, s in zip(order, shapes, strict=True)]
        return [" ".join(words), *kinds]


def outer(nest: ReadNest | KeptNest) -> Loop:
    """The outermost loop of a nest."""
    return nest.loop if isinstance(nest, KeptNest) else nest.loops[0]
