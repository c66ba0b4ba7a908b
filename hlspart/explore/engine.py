"""The whole of ``hlspart explore``: nests, their spaces, the search, the choice, C, and what ``ii`` says of that."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from hlspart.expand.region import Refusal
from hlspart.explore import farm, report
from hlspart.explore.emit import Emitted, write
from hlspart.explore.front import chained
from hlspart.explore.layers import Layers, NestUses, layers
from hlspart.explore.nests import KeptNest, ReadNest, nests
from hlspart.explore.report import SearchedNest
from hlspart.explore.requests import FixError, Requests, finding, requests
from hlspart.explore.search import SearchProblem, Task, collect, tasks
from hlspart.explore.space import Space
from hlspart.explore.steps import cost, overlapped
from hlspart.explore.store import Store, digest
from hlspart.model.access import AccessAnalysis
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.exploring import (
    Combined,
    Explored,
    ExploreOptions,
    ExploreResult,
    Readback,
    ResourceBudget,
    TiledNest,
    Vector,
)
from hlspart.model.program import ArrayRef, Function, Loop, Name, Program, walk
from hlspart.model.results import IIResult
from hlspart.semantics.effects import statement_expressions
from hlspart.version import __version__

#: Changed texts -> their prediction.
Predict = Callable[[Mapping[str, str]], IIResult]
#: Changed texts -> those that get banks by inference, with them.
Banked = Callable[[Mapping[str, str]], Mapping[str, str]]
#: The cost model's version: part of every key.
MODEL = 1
#: Choices whose C is read back in search of one that keeps to limits which only that tells.
READ_BACK = 12


class Explorer:
    """One top function."""

    def __init__(
        self, program: Program, analysis: AccessAnalysis, top: str, options: ExploreOptions, target: str,
        predict: Predict, banked: Banked,
    ) -> None:  # fmt: skip
        """``target``: tool, part and clock in words, part of every key."""
        self.program, self.analysis, self.options, self.target = program, analysis, options, target
        self.predict, self.banked = predict, banked
        self.function: Function = program.functions[top]
        self.asked: Requests = requests(program, self.function)
        self.diagnostics: list[Diagnostic] = list(self.asked.wrong)
        self.found = nests(program, analysis, self.function, options.whole)
        self.kept = [n for n in self.found if isinstance(n, KeptNest) or n.loops[0].id in self.asked.kept]
        self.layers: Layers = layers([self._uses(self._outer(n)) for n in self.found])

    @property
    def share(self) -> bool:
        """Whether nests take turns in one memory: in figures; in C every nest has arrays of its own."""
        return self.options.share and not self._reads_back

    @property
    def _reads_back(self) -> bool:
        limits = self.options.budget
        return self.options.write or limits.bram18k is not None or limits.uram is not None

    # ------------------------------------------------------------------------------- regions

    @staticmethod
    def _outer(nest: ReadNest | KeptNest) -> Loop:
        return nest.loop if isinstance(nest, KeptNest) else nest.loops[0]

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
        return NestUses(frozenset(read), frozenset(written))

    def regions(self) -> list[SearchedNest]:
        """The nests that are searched. Raises :class:`FixError`."""
        done: list[SearchedNest] = []
        for number, nest in enumerate(self.found):
            if isinstance(nest, KeptNest):
                self._kept(nest)
            if nest in self.kept or isinstance(nest, KeptNest):
                continue
            nest = replace(nest, nest=self._measured(number, nest))
            shard, split = self._fixed(nest)
            space = Space(
                nest.nest, self.options.elements, reassociate=self.options.reassociate, orders=self.options.orders,
                shard=shard, split=split,
            )  # fmt: skip
            if space.impossible:
                loop = nest.nest.loops[space.impossible[0]][0]
                raise FixError(f"loop {loop} cannot be sharded: its sums keep their order, or it stays whole")
            if not space.shards() or not space.size:
                raise FixError(f"no candidate of {nest.nest.name} has what is fixed")
            key = self._key(nest, shard, split)
            same = next((k for k, r in enumerate(done) if r.key == key), None)
            done.append(SearchedNest(nest, space, key, same))
        return done

    def _kept(self, nest: KeptNest) -> None:
        at = nest.refusal.at
        if nest.loop.id in self.asked.kept or at.span.path not in self.program.sources:
            return
        found = finding(self.program, at, "")
        text = f"{nest.loop.name} keeps its text: {nest.reason}"
        self.diagnostics.append(replace(found, rule="not-explored", name="not-explored", severity="warning",
                                        message=text))  # fmt: skip

    def _fixed(self, nest: ReadNest) -> tuple[list[int | None], list[int | None]]:
        names = [name for name, _ in nest.nest.loops]
        shard: list[int | None] = [None] * len(names)
        split: list[int | None] = [None] * len(names)
        for fix, at in self.asked.fixes.get(nest.loops[0].id, ()):
            where = [k for k, x in enumerate(nest.loops) if fix.loop in (names[k], x.name)]
            place = finding(self.program, at, "").place
            if not where:
                raise FixError(f"{place}: no loop {fix.loop!r} to fix; the nest has {', '.join(names)}")
            k = where[0]
            if fix.shard is not None and (fix.shard > nest.nest.extents[k] or self.options.elements % fix.shard):
                raise FixError(
                    f"{place}: shard={fix.shard} of {fix.loop} does not divide {self.options.elements} elements,"
                    f" or exceeds its {nest.nest.extents[k]} iterations"
                )
            shard[k], split[k] = fix.shard or shard[k], fix.split or split[k]
        return shard, split

    def _measured(self, number: int, nest: ReadNest) -> TiledNest:
        """The nest with figures of one iteration: as assumed, else as ``ii`` has them of its C on one element."""
        names = ("*", str(number), f"r{number}", nest.nest.name, *(o.name for o in nest.nest.operands if o.written))
        given = next((self.options.assumed[n] for n in reversed(names) if n in self.options.assumed), None)
        resident = sum(
            w.variable.type is not None and o.element_bytes * _words(w.variable.dims)
            for o, w in zip(nest.nest.operands, nest.windows, strict=True)
            if w.variable.storage in ("local", "static")
        )
        found = replace(nest.nest, resident=resident)
        if given is not None and None not in (given.ii, given.depth, given.dsp):
            return replace(found, ii=given.ii or 1, depth=given.depth or 1, dsp=given.dsp or 0)
        loops = range(len(found.loops))
        ones = tuple(1 for _ in loops)
        ii, depth, dsp = 1, 1, 0
        try:
            texts, emitted = write(self.program, [(nest, Vector(ones, ones, tuple(loops)))], self.options.off_chip)
            figures = self.predict(texts | dict(self.banked(texts)))
            inner = [x for x in figures.loops if x.function == emitted[0].compute and x.pipelined]
            if inner:
                ii, depth, dsp = inner[-1].ii or 1, inner[-1].depth or 1, inner[-1].dsp or 0
        except Refusal as refusal:
            self.diagnostics.append(replace(finding(self.program, refusal.at, str(refusal)), severity="warning"))
        if given is not None:
            ii, depth = given.ii or ii, given.depth or depth
            dsp = dsp if given.dsp is None else given.dsp
        return replace(found, ii=ii, depth=depth, dsp=dsp)

    def _key(self, nest: ReadNest, shard: Sequence[int | None], split: Sequence[int | None]) -> str:
        """A name for all that the result of a nest depends on, names of variables aside."""
        n, o = nest.nest, self.options
        loops = sorted(name for name, _ in n.loops)
        return digest({
            "extents": n.extents, "ranks": [loops.index(name) for name, _ in n.loops], "whole": sorted(n.whole),
            "operands": [[asdict(d) for d in x.dims] + [x.element_bytes, x.read, x.written] for x in n.operands],
            "iteration": [n.ii, n.depth, n.dsp, n.ordered, n.sums, n.resident],
            "fixed": [list(shard), list(split)], "elements": o.elements, "budget": asdict(o.budget),
            "off_chip": asdict(o.off_chip), "orders": o.orders, "reassociate": o.reassociate, "limit": o.limit,
            "target": self.target, "version": __version__, "model": MODEL,
        })[:16]  # fmt: skip

    # -------------------------------------------------------------------------------- search

    def explore(self) -> ExploreResult:
        """Raises :class:`FixError`, :class:`StateError`, :class:`FarmError`."""
        regions = self.regions()
        view = report.View(
            self.program, self.function, replace(self.options, share=self.share), self.layers, self.found, regions
        )
        if self.options.plan_only or not regions:
            return ExploreResult(view.plan(), tuple(self.diagnostics), {}, bool(regions) and not self.asked.wrong)
        own = [r for r in regions if r.same_as is None]
        spaces = tuple(r.space for r in own)
        budget = self._search_budget(regions)
        planned = list(tasks(spaces, self.options.off_chip, self.options.limit))
        searched = self._search(SearchProblem(spaces, self.options.off_chip, budget), planned, [r.key for r in own])
        results: dict[int, Explored] = {}
        for number, region in enumerate(regions):
            first = number if region.same_as is None else region.same_as
            if region.same_as is not None:
                results[number] = results[first]
                continue
            at = own.index(region)
            results[number] = collect(at, region.space, self.options.off_chip, budget, searched, planned)
        fronts = [results[k].front for k in range(len(regions))]
        merged = chained(fronts, self.share, budget) if all(fronts) else ()
        chosen, texts, emitted, back, over = self._choice(regions, merged)
        proved = chosen is not None and all(e.complete for e in results.values()) and not over
        shape = view.found(results, merged, chosen, back, emitted, proved, over, self._least(regions, results))
        fits = chosen is not None and not self.asked.wrong
        return ExploreResult(shape, tuple(self.diagnostics), texts, fits)

    def _search_budget(self, regions: Sequence[SearchedNest]) -> ResourceBudget:
        """What is left beside arrays that stay on the chip anyway."""
        budget = self.options.budget
        if budget.size is None:
            return budget
        names = {(w.variable.id, w.variable.dims) for r in regions for w in r.written.windows
                 if w.variable.storage in ("local", "static")}  # fmt: skip
        sizes = {
            w.variable.id: o.element_bytes * _words(w.variable.dims)
            for r in regions
            for o, w in zip(r.written.nest.operands, r.written.windows, strict=True)
        }
        return replace(budget, size=max(0, budget.size - sum(sizes[v] for v, _ in names)))

    def _search(
        self, problem: SearchProblem, planned: Sequence[Task], keys: Sequence[str]
    ) -> dict[str, dict[str, Any]]:
        space = {"regions": list(keys), "tasks": len(planned), "version": __version__, "model": MODEL}
        store = Store(self.options.state, space, self.options.resume)
        until = None if self.options.seconds is None else time.monotonic() + self.options.seconds
        left = [t for t in planned if t.key not in store.done]
        try:
            farm.run(problem, left, store.add, self.options.jobs, self.options.cluster, until)
        finally:
            store.close()
        # a record crosses the disk or a network: the same plain values with and without
        return {key: report.plain(record) for key, record in store.done.items()}

    def _least(self, regions: Sequence[SearchedNest], results: Mapping[int, Explored]) -> dict[str, int]:
        """The least of each resource with which anything fits."""
        least = [results[k].least for k in range(len(regions))]
        found = {}
        for resource in ("bytes", "dsp"):
            values = [x[resource] for x in least if resource in x]
            if values:
                shared = resource == "bytes" and self.share
                found[resource] = max(values) if shared else sum(values)
        return found

    # -------------------------------------------------------------------------------- choice

    def _choice(
        self, regions: Sequence[SearchedNest], merged: Sequence[Combined]
    ) -> tuple[Combined | None, dict[str, str], list[Emitted], Readback | None, list[dict[str, Any]]]:
        """The best whole by the objective whose C keeps to the limits that only ``ii`` tells."""
        ranked = sorted(merged, key=self._rank)
        limits = self.options.budget
        over: list[dict[str, Any]] = []
        if ranked and not self._reads_back:
            return ranked[0], {}, [], None, over
        for chosen in ranked[:READ_BACK]:
            texts, emitted, back = self._read_back(regions, chosen)
            misses = [
                {"reason": f"{name}: needs {need}, have {have}", "count": 1,
                 "least": {"resource": name, "need": need, "have": have}}
                for name, need, have in (
                    ("bram18k", back.bram18k if back else 0, limits.bram18k),
                    ("uram", back.uram if back else 0, limits.uram),
                )
                if have is not None and need > have
            ]  # fmt: skip
            if not misses:
                return chosen, texts, emitted, back, over
            over += misses
        return None, {}, [], None, over

    def _rank(self, c: Combined) -> tuple[Any, ...]:
        first: dict[str, tuple[int, ...]] = {
            "latency": (), "bytes": (c.size,), "dsp": (c.dsp,), "area-delay": (c.cycles * max(1, c.size),),
        }  # fmt: skip
        return (*first[self.options.objective], *c.key)

    def _read_back(
        self, regions: Sequence[SearchedNest], chosen: Combined
    ) -> tuple[dict[str, str], list[Emitted], Readback | None]:
        pairs = [(r.written, p.vector) for r, p in zip(regions, chosen.points, strict=True)]
        try:
            texts, emitted = write(self.program, pairs, self.options.off_chip)
        except Refusal as refusal:
            self.diagnostics.append(finding(self.program, refusal.at, f"no C: {refusal}"))
            return {}, [], None
        texts |= dict(self.banked(texts))
        figures = self.predict(texts)
        latency = {f.name: f.latency for f in figures.functions}
        total: int | None = 0
        cause = None
        for (written, vector), names in zip(pairs, emitted, strict=True):
            of = cost(written.nest, vector, self.options.off_chip)
            compute = latency[names.compute].exact if names.compute in latency else None
            moves = []
            for m in of.moves:
                own = [names.loads.get(m.array), names.stores.get(m.array)]
                known = [latency[n].max for n in own if n is not None and n in latency]
                if None in known or compute is None:
                    cause = f"the latency of {names.compute} or a copy is not known"
                    break
                moves.append(replace(m, cycles=max([m.cycles, *(k for k in known if k is not None)])))
            if cause is not None or compute is None:
                total, cause = None, cause or f"the latency of {names.compute} is not known"
                break
            total = (total or 0) + overlapped(of.steps, compute, tuple(moves), self.options.off_chip.per_array)
        used = {u.name.lower(): u.used for u in figures.resources}
        fresh = {o.name for o in self.program.arrays()}
        bytes_ = sum(
            -(-a.element_bits // 8) * _words(a.dims) * a.copies
            for a in figures.arrays
            if a.function == self.function.name and a.name not in fresh
        )
        back = Readback(total, sum(a.bram18k for a in figures.arrays), sum(a.uram for a in figures.arrays),
                        used.get("dsp"), bytes_, cause)  # fmt: skip
        return texts, emitted, back


def _words(dims: Sequence[int | None]) -> int:
    total = 1
    for d in dims:
        total *= d or 1
    return total
