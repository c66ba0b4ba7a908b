"""From windows to a new text: every nest on its own, without those that the prediction finds slower."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from hlspart.expand.region import Refusal
from hlspart.model.access import AccessAnalysis
from hlspart.model.program import Program
from hlspart.model.results import IIResult
from hlspart.model.rewriting import GroupOutcome, RewriteResult
from hlspart.model.source import Edit, apply_edits
from hlspart.predict.regressions import Regression, regressions
from hlspart.reuse.emit import WindowEmitter
from hlspart.reuse.fills import Fill, fill_of
from hlspart.reuse.windows import FoundWindows, WindowNest, find
from hlspart.rewrite.buffer import Conflict, EditBuffer
from hlspart.rewrite.engine import diagnostic
from hlspart.rewrite.names import Names
from hlspart.rewrite.uses import Uses
from hlspart.transform.lines import line_runs


class Reused(Struct, frozen=True):
    """``result``: the text. ``nests``: those that it changes; ``buffers``: by variable, arrays made for its windows."""

    result: RewriteResult
    nests: tuple[WindowNest, ...]
    buffers: Mapping[int, tuple[str, ...]]
    after: IIResult | None


def changed(
    program: Program,
    figures: IIResult,
    predict: Callable[[Mapping[str, str]], IIResult],
    edits: Mapping[str, tuple[Edit, ...]],
) -> Reused | None:
    """Edits as a result; None where they make a loop or function slower."""
    result = edited(program, edits)
    after = predict(result.files)
    return None if regressions(program, figures, after, result.lines) else Reused(result, (), {}, after)


def unchanged(program: Program) -> Reused:
    """The text as it is."""
    return Reused(edited(program, {}), (), {}, None)


def edited(program: Program, edits: Mapping[str, tuple[Edit, ...]]) -> RewriteResult:
    """Edits as a result."""
    units = [(unit.path, unit.source) for unit in program.units if unit.source is not None]
    files = {path: apply_edits(source, edits.get(path, ())) for path, source in units}
    lines = {path: line_runs(source, edits.get(path, ())) for path, source in units}
    return RewriteResult(files, {path: edits.get(path, ()) for path, _ in units}, lines, (), ())


class Reuse(Struct, frozen=True, dict=True):
    """The windows of one program. ``predict``: the figures of another text for it."""

    program: Program
    analysis: AccessAnalysis
    figures: IIResult
    predict: Callable[[Mapping[str, str]], IIResult]

    @cached_property
    def uses(self) -> Uses:
        """Of all arrays."""
        return Uses(self.program)

    @cached_property
    def windows(self) -> FoundWindows:
        """All windows."""
        return find(self.program, self.analysis, self.figures, self._given)

    @property
    def _given(self) -> frozenset[str]:
        return self.program.given

    @cached_property
    def asked(self) -> Reused:
        """The text with reuse buffers for all windows."""
        return self._run(list(self.windows.nests), list(self.windows.refused))

    @cached_property
    def needed(self) -> Reused:
        """The text with reuse buffers for :attr:`short_of_ports`; nothing is refused."""
        return self._run(list(self.short_of_ports), [])

    @cached_property
    def short_of_ports(self) -> tuple[tuple[WindowNest, ...], ...]:
        """Windows of arrays whose ports keep a loop from its II, or may."""
        short: dict[str, set[str | None]] = {}
        for loop in self.figures.loops:
            if loop.may_miss:
                arrays = {x.array for x in loop.limits}
                for name in (loop.name, *loop.flattened):
                    short.setdefault(f"{loop.function}/{name}", set()).update(arrays)
        nests = []
        for variants in self.windows.nests:
            arrays = short.get(f"{variants[0].region.function}/{variants[0].loops[-1].name}", set())
            known = [
                (n, tuple(w for w in n.windows if self.program.variable(w.variable).name in arrays)) for n in variants
            ]
            kept = tuple(replace(n, windows=windows) for n, windows in known if windows)
            if kept:
                nests.append(kept)
        return tuple(nests)

    def _run(self, nests: list[tuple[WindowNest, ...]], refused: list[tuple[int, Refusal]]) -> Reused:
        """The text with reuse buffers in ``nests``, none of which makes a loop or function slower.

        Of those around one loop the deepest for which that holds.
        """
        left = [list(variants) for variants in nests]
        first: dict[int, Refusal] = {}
        while True:
            chosen = [variants[0] for variants in left if variants]
            reused, failed = self._written(chosen, refused)
            if not failed:
                return reused
            for nest, why in failed:
                variants = next(v for v in left if v and v[0] is nest)
                del variants[0]
                for window in nest.windows:
                    first.setdefault(window.variable, why)
                    if not variants:
                        refused.append((window.variable, first[window.variable]))

    def _written(
        self, nests: list[WindowNest], refused: list[tuple[int, Refusal]]
    ) -> tuple[Reused, list[tuple[WindowNest, Refusal]]]:
        """The text, and which nests must not have their windows, and why; empty where the text can be taken."""
        buffer = EditBuffer(self.program.sources, self._given)
        fills = self._fills(nests)
        emitter = WindowEmitter(self.program, Names.of(self.program), fills, buffer)
        for nest in nests:
            try:
                for window in nest.windows:
                    if window.variable in fills:
                        fills[window.variable].remove(buffer)
                emitter.nest(nest, self._is_unasked(nest))
            except Refusal as refusal:
                return self._nothing(refused), [(nest, refusal)]
            except Conflict as conflict:
                why = Refusal("macro", "one text stands for several things", conflict.origin)
                return self._nothing(refused), [(nest, why)]
        result = self._result(buffer, nests, refused)
        if not nests:
            return Reused(result, (), {}, None), []
        after = self.predict(result.files)
        gone = {f.loop.id for f in fills.values()}
        lost = [x for x in regressions(self.program, self.figures, after, result.lines) if not self._is_gone(x, gone)]
        if lost:
            return self._nothing(refused), self._slower(nests, lost)
        return Reused(result, tuple(nests), emitter.made, after), []

    def _fills(self, nests: Iterable[WindowNest]) -> dict[int, Fill]:
        windows = [(n, w) for n in nests for w in n.windows]
        fills = {}
        for nest, window in windows:
            if [w.variable for _, w in windows].count(window.variable) == 1:
                fill = fill_of(nest, window, self.uses)
                if fill is not None:
                    fills[window.variable] = fill
        return fills

    def _is_unasked(self, nest: WindowNest) -> bool:
        """Whether the tool pipelines the nest by itself."""
        names = {nest.loops[-1].name}
        mine = [x for x in self.figures.loops if x.function == nest.region.function]
        return any(x.origin == "auto" and ({x.name, *x.flattened} & names) for x in mine)

    def _is_gone(self, lost: Regression, gone: Collection[int]) -> bool:
        """Whether a loop is not there any more because its work is done elsewhere."""
        if lost.loop is None or lost.loop < 0:
            return False
        inside = {lost.loop} | {k for k, x in self.analysis.loops.items() if k in gone}
        return any(self._holds(k, lost.loop) for k in inside & set(gone))

    def _holds(self, outer: int, inner: int) -> bool:
        a, b = (self.program.loops[k].at.span for k in (outer, inner))
        return a.holds(b)

    def _slower(self, nests: list[WindowNest], lost: list[Regression]) -> list[tuple[WindowNest, Refusal]]:
        """The nests to do without: those around slower loops, all at once; else one of a slower function."""
        loops = [x for x in lost if x.loop is not None and x.loop >= 0]
        blamed: dict[int, tuple[WindowNest, Refusal]] = {}
        for item in loops or lost[:1]:
            inside = [
                n for n in nests
                if item.function == n.region.function and (not loops or any(loop.id == item.loop for loop in n.loops))
            ]  # fmt: skip
            nest = (inside or nests)[-1]
            why = Refusal("slower", f"with a reuse buffer {item.text}", nest.loops[-1].header)
            blamed.setdefault(id(nest), (nest, why))
        return list(blamed.values())

    def _nothing(self, refused: list[tuple[int, Refusal]]) -> Reused:
        return Reused(self._result(EditBuffer(self.program.sources, self._given), [], refused), (), {}, None)

    def _result(
        self, buffer: EditBuffer, nests: Iterable[WindowNest], refused: list[tuple[int, Refusal]]
    ) -> RewriteResult:
        units = [(unit.path, unit.source) for unit in self.program.units if unit.source is not None]
        edits = {path: buffer.edits(path) for path, _ in units}
        files = {path: apply_edits(source, edits[path]) for path, source in units}
        lines = {path: line_runs(source, edits[path]) for path, source in units}
        done = dict.fromkeys(w.variable for n in nests for w in n.windows)
        outcomes = [self._outcome(v, None) for v in done]
        said = set[tuple[int, str]]()
        for variable, refusal in refused:
            if (variable, str(refusal)) not in said:
                said.add((variable, str(refusal)))
                outcomes.append(self._outcome(variable, refusal))
        outcomes.sort(key=lambda o: o.group)
        diagnostics = tuple(diagnostic(self.program, o) for o in outcomes if o.reason is not None)
        return RewriteResult(files, edits, lines, (), tuple(outcomes), diagnostics)

    def _outcome(self, variable: int, refusal: Refusal | None) -> GroupOutcome:
        record = self.program.variable(variable)
        group = self.analysis.group_of.get(variable, -1)
        if refusal is None:
            return GroupOutcome(group, (record.name,), "rewritten", "reuse", None, None, None)
        return GroupOutcome(group, (record.name,), "refused", "reuse", refusal.code, str(refusal), refusal.at)
