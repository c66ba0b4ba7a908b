"""The ways to write a program: banks, reuse buffers, sums in partials, loops in another order; the fastest is taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Protocol

from msgspec.structs import replace

from hlspart.budget import Search
from hlspart.expand import shifting, updates
from hlspart.expand.accumulators import accumulators
from hlspart.expand.ahead import tested_loads
from hlspart.expand.dependences import provable
from hlspart.expand.element_sums import element_sums
from hlspart.expand.flattening import kept_apart
from hlspart.expand.interchange import alternatives, crossed, pairs
from hlspart.expand.interchange import interchanged as in_new_order
from hlspart.expand.scalars import handed_on
from hlspart.expand.signs import signed_sums
from hlspart.expand.standing import standing
from hlspart.hardware.storage import Storage
from hlspart.infer.emitted import is_cheap
from hlspart.infer.size import MOST_WORK
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.options import RewriteOptions
from hlspart.model.program import Program
from hlspart.model.results import IIResult
from hlspart.model.rewriting import NOT_HELPED, NOT_TRIED, TARGET_MISSED, RewriteResult
from hlspart.predict.regressions import regressions
from hlspart.promising import promising
from hlspart.readback import Predicted, about, cheapest, cheapest_in_place, never_slower, with_missed
from hlspart.reuse import LocalCopy, Reuse, Reused, edited, local_copies, unchanged, with_local_copies
from hlspart.rewrite.driver import SELECTIONS
from hlspart.rewrite.engine import with_moved
from hlspart.rewrite.places import moved_place, placed_alike
from hlspart.single import interleaved
from hlspart.transform.forward import by_place, followed
from hlspart.transform.text import Rendered
from hlspart.transform.text import edited as rendered

_OF_A_SEARCH = (NOT_TRIED, TARGET_MISSED, NOT_HELPED)


class WithTexts(Predicted, Protocol):
    """A program with the texts that stand beside banked C."""

    @property
    def reuse(self) -> Reuse:
        """Its windows."""

    @property
    def interchanged(self) -> Reused:
        """Its loops in another order."""

    @property
    def scalar_replaced(self) -> Reused:
        """Its values in variables on their way to the next iterations."""

    @property
    def dependences_stated(self) -> Reused:
        """It with directives on what iterations hand to each other through arrays."""

    @property
    def bundled(self) -> Reused:
        """It with bundles of their own for arguments that wait for each other."""


class Rewritable(WithTexts, Protocol):
    """A program that is rewritten by the text of least cycles."""

    def rewrite(self, options: RewriteOptions) -> RewriteResult:
        """What :func:`rewritten` says, kept."""

    def with_texts(self, texts: Mapping[str, str], directives: str = "") -> Rewritable:
        """What is known of another text."""


_MOST_PASSES = 8  # of one way over its own text
_MOST_TURNED = 3  # nests, each of which banks are looked for anew

#: By style, the way that is meant where a style is none of banks.
_ONE_WAY: Mapping[str, Callable[[Rewritable], Reused]] = {
    "reuse": lambda text: text.reuse.asked,
    "interchange": lambda text: text.interchanged,
    "scalars": lambda text: text.scalar_replaced,
    "dependences": lambda text: text.dependences_stated,
    "bundles": lambda text: text.bundled,
}


def rewritten(pipeline: Rewritable, options: RewriteOptions) -> RewriteResult:
    """Banked C or reuse buffers, as the text or, on request, the inference has it; nothing gets slower."""
    return placed_alike(pipeline, _written(pipeline, options))


def _written(pipeline: Rewritable, options: RewriteOptions) -> RewriteResult:
    if options.style in _ONE_WAY:
        way, passes = _ONE_WAY[options.style], iter(range(_MOST_PASSES))
        work, most = sum(x.work for x in pipeline.figures.loops), max(MOST_WORK, options.most_work)
        if work > most:
            said = _said_once(pipeline, f"not tried: the loops have {work} operations, more than {most}")
            return replace(unchanged(pipeline.program).result, diagnostics=(said,))
        first = way(pipeline).result
        return _settled(pipeline, first, lambda text: way(text).result, lambda _: next(passes, None) is not None)
    searches = list[Search]()

    def searched(text: Rewritable) -> RewriteResult:
        searches.append(searches[-1].next if searches else Search(options.most_work))
        return _fastest(text, options, searches[-1])

    result = searched(pipeline)
    if options.infer and options.dialect == "c":
        result = _settled(pipeline, result, searched, lambda text: is_cheap(text, SELECTIONS))
        result = with_missed(pipeline, result, options) if options.style == "auto" else result
    untried = tuple(dict.fromkeys(way for search in searches for way in search.untried))
    result = replace(result, work=sum(search.work for search in searches), untried=untried)
    return replace(result, diagnostics=(*result.diagnostics, *_not_tried(pipeline, result, options)))


def _below(search: Search, text: Rewritable, options: RewriteOptions) -> RewriteResult:
    """The search of a text for itself, with the budget that is left."""
    search.looked_at(text)
    own = sum(x.work for x in text.figures.loops)
    result = text.rewrite(replace(options, most_work=own + search.left))
    search.work += max(result.work - own, 0)
    search.untried += result.untried
    return result


def _not_tried(pipeline: Rewritable, result: RewriteResult, options: RewriteOptions) -> list[Diagnostic]:
    if not result.untried:
        return []
    text = f"not tried: {', '.join(result.untried)}: the loops looked at have more than {options.most_work} operations"
    return [_said_once(pipeline, text)]


def _said_once(pipeline: Rewritable, text: str) -> Diagnostic:
    """What the budget has left out, at the first top function."""
    tops = pipeline.proved.tops or tuple(pipeline.program.functions)
    return about(pipeline.program, NOT_TRIED, tops[0], None, f"{text} (--max-work allows more)", "note")


def _settled(
    pipeline: Rewritable,
    result: RewriteResult,
    step: Callable[[Rewritable], RewriteResult],
    goes_on: Callable[[RewriteResult], bool],
) -> RewriteResult:
    """``result`` taken on by ``step`` until nothing changes: a text may take one more pragma, or show one more way.

    A text in which an array would get banks a second time stays as it is, and so does one that is long to check.
    """
    program, seen = pipeline.program, [{unit.path: unit.source.text for unit in pipeline.program.units if unit.source}]
    while dict(result.files) not in seen and goes_on(result):
        seen.append(dict(result.files))
        second = pipeline.with_texts(result.files)
        again = step(second)
        if again.files == result.files:
            break
        groups = by_place(program, second.program, _texts(program, result)).groups(pipeline.proved, second.proved)
        moved = [replace(o, group=groups.get(o.group, -1), at=None) for o in again.outcomes if o.status == "rewritten"]
        banked = {o.group for o in result.outcomes if o.status == "rewritten" and o.style != "reuse"} | {-1}
        if any(o.group in banked for o in moved):
            break
        result = followed(program, with_moved(program, result, moved), again)
    return result


def _fastest(pipeline: Rewritable, options: RewriteOptions, search: Search) -> RewriteResult:
    """The fastest way of a text."""
    plain = never_slower(pipeline, options, lambda asked: pipeline.rewriting(asked).run())
    if not options.infer or options.style != "auto" or options.dialect != "c":
        return plain
    search.inferred(pipeline.inferred)
    search.looked_at(pipeline)
    search.looked_at(pipeline.with_texts(plain.files))
    ways = [plain]

    def then(first: Reused, options: RewriteOptions = options) -> None:
        ways.append(_and_then(pipeline, first, options, search))

    known = pipeline.program, pipeline.proved, pipeline.figures
    if search.goes_on("reuse buffers", lambda: pipeline.reuse.short_of_ports) and pipeline.reuse.needed.nests:
        then(pipeline.reuse.needed)
    summed = options.reassoc and search.goes_on("partial sums", lambda: accumulators(*known) or element_sums(*known))
    if summed and (partial := interleaved(pipeline)) is not None:
        then(partial, replace(options, reassoc=False))
    if search.goes_on("loops in another order", lambda: pairs(*known)):
        if pipeline.interchanged.after is not None:
            then(pipeline.interchanged)
        else:
            ways += _in_another_order(pipeline, options, search)
    moved = search.goes_on(
        "values handed on in variables",
        lambda: (
            handed_on(*known)
            or shifting.shifted(*known)
            or tested_loads(*known)
            or standing(*known)
            or updates.by_data(*known)
            or signed_sums(pipeline.program, pipeline.figures)
        ),
    )
    if moved and pipeline.scalar_replaced.after is not None:
        then(pipeline.scalar_replaced)
    provably = search.goes_on("dependences in directives", lambda: provable(*known))
    if provably and pipeline.dependences_stated.after is not None:
        then(pipeline.dependences_stated)
    if search.goes_on("nests kept apart", lambda: any(kept_apart(pipeline.program, pipeline.figures))):
        ways += _kept_apart(pipeline, options, search)
    if options.split_top and search.goes_on("bundles of their own") and pipeline.bundled.after is not None:
        then(pipeline.bundled)
    if search.untried and (promised := promising(pipeline, plain, search.untried)) is not None:
        search.untried.remove(promised.way)
        ways += _if_not_slower(pipeline, _and_then(pipeline, promised.first, options, search, _stated))
    best = cheapest_in_place(pipeline, ways) if len(ways) > 1 else plain
    if options.split_top and _misses(pipeline, best):
        turned = _turned(pipeline, options, search)
        best = cheapest_in_place(pipeline, [best, *turned]) if turned else best
    if not _misses(pipeline, best):
        return best
    if not search.goes_on("copies of arguments", lambda: _copies(pipeline)):
        return best
    copied = _on_local_copies(pipeline, options, search)
    return cheapest(pipeline, [best, *copied]) if copied else best


def _in_another_order(pipeline: Rewritable, options: RewriteOptions, search: Search) -> list[RewriteResult]:
    """Loops in an order without their recurrences, rewritten, where ports hide what that gains."""
    program, figures = pipeline.program, pipeline.figures
    for chosen in alternatives(pairs(program, pipeline.proved, figures)):
        edits = in_new_order(program, chosen)
        first = Reused(edited(program, edits), (), {}, None)
        if edits and _recurring(pipeline.predict(first.result.files)) < _recurring(figures):
            return _if_not_slower(pipeline, _and_then(pipeline, first, options, search))
    return []


def _turned(pipeline: Rewritable, options: RewriteOptions, search: Search) -> list[RewriteResult]:
    """Texts in which one nest goes through its arrays as the others do, with banks; no nest is turned back again."""

    def banked(_: Search, text: Rewritable, options: RewriteOptions) -> RewriteResult:
        return never_slower(text, options, lambda asked: text.rewriting(asked).run())

    program, written = pipeline.program, list[RewriteResult]()
    for nest in islice(crossed(program, pipeline.proved, pipeline.figures), _MOST_TURNED):
        edits = in_new_order(program, (nest,))
        if not edits or not search.goes_on("nests turned"):
            continue
        first = Reused(edited(program, edits), (), {}, None)
        search.looked_at(pipeline.with_texts(first.result.files))
        written += _if_not_slower(pipeline, _and_then(pipeline, first, options, search, banked))
        if written and not _misses(pipeline, written[-1]):
            break
    return written


def _misses(pipeline: Rewritable, result: RewriteResult) -> bool:
    return any(loop.may_miss for loop in pipeline.predict(result.files).loops)


def _if_not_slower(pipeline: Rewritable, result: RewriteResult) -> list[RewriteResult]:
    lost = regressions(pipeline.program, pipeline.figures, pipeline.predict(result.files), result.lines)
    return [] if lost else [result]


def _kept_apart(pipeline: Rewritable, options: RewriteOptions, search: Search) -> Iterator[RewriteResult]:
    """Texts in which nests are not flattened where a recurrence goes away with that, rewritten, other nests too."""
    program, figures = pipeline.program, pipeline.figures
    for edits in kept_apart(program, figures):
        if not search.goes_on("further nests kept apart"):
            return
        first = Reused(edited(program, edits), (), {}, None)
        opened = pipeline.with_texts(first.result.files)
        search.looked_at(opened)
        if _recurring(opened.dependences_stated.after or opened.figures) >= _recurring(figures):
            continue
        written = _if_not_slower(pipeline, _and_then(pipeline, first, options, search, _stated))
        yield from written
        if not all(_misses(pipeline, x) for x in written):
            return


def _recurring(figures: IIResult) -> int:
    """The sum of the II that recurrences alone leave."""
    return sum(x.recurrence_ii or 1 for x in figures.loops if x.pipelined)


def _copies(pipeline: Rewritable) -> tuple[tuple[LocalCopy, ...], ...]:
    """The sets of local copies that may be made."""
    program, analysis = pipeline.program, pipeline.proved
    storage = Storage(program, analysis, pipeline.validation, pipeline.target)
    return local_copies(program, analysis, pipeline.figures, pipeline.reuse.uses, storage)


def _on_local_copies(pipeline: Rewritable, options: RewriteOptions, search: Search) -> list[RewriteResult]:
    """Texts that work on copies of arguments, rewritten, where the copies pay and fit; the first sets first.

    Copies in more loops are looked at as long as those in fewer do not fit, or leave loops late.
    """
    program, written = pipeline.program, list[RewriteResult]()
    for copies in _copies(pipeline) if not options.split_top else ():
        edits = with_local_copies(program, pipeline.proved, copies)
        if not edits or (written and not search.goes_on("copies of arguments in loops")):
            continue
        result = _and_then(pipeline, Reused(edited(program, edits), (), {}, None), options, search)
        after = pipeline.predict(result.files)
        fits = all(r.used <= r.available for r in after.resources if r.available)
        slower = regressions(program, pipeline.figures, after, result.lines)
        if fits and not slower and moved_place(pipeline, result.files) is None:
            written.append(result)
            if not any(loop.may_miss for loop in after.loops):
                break
    return written


def _stated(search: Search, text: Rewritable, options: RewriteOptions) -> RewriteResult:
    """The search of a text that says what its iterations do not hand on."""
    stated = text.dependences_stated
    return _and_then(text, stated, options, search) if stated.after is not None else _below(search, text, options)


def _and_then(
    pipeline: Rewritable,
    first: Reused,
    options: RewriteOptions,
    search: Search,
    write: Callable[[Search, Rewritable, RewriteOptions], RewriteResult] = _below,
) -> RewriteResult:
    """A rewrite of the text that ``first`` leaves, by ``write``, as one of the program."""
    program = pipeline.program
    second = pipeline.with_texts(first.result.files)
    forward = by_place(program, second.program, _texts(program, first.result))
    result = write(search, second, options)
    result = replace(result, diagnostics=tuple(d for d in result.diagnostics if d.rule not in _OF_A_SEARCH))
    rest = forward.result(program, forward.groups(pipeline.proved, second.proved), result)
    made = {name for names in first.buffers.values() for name in names}
    others = (o for o in rest.outcomes if not made & set(o.arrays))
    return replace(rest, outcomes=(*first.result.outcomes, *others))


def _texts(program: Program, result: RewriteResult) -> dict[str, Rendered]:
    """The texts that a rewrite leaves, with where each of their characters is from."""
    return {path: rendered(program.sources[path], edits) for path, edits in result.edits.items() if edits}
