"""Which way to take: the texts that commands would write, predicted and ranked; ``rewrite --infer`` takes the first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct
from msgspec.structs import replace

from hlspart.budget import Search
from hlspart.expand.accumulators import accumulators
from hlspart.expand.bundles import buses
from hlspart.hardware.storage import Storage
from hlspart.infer.emitted import MOST_SELECTIONS
from hlspart.model.access import effort
from hlspart.model.advising import FILES, NOT_TRIED, LoopAdvice, Way, WayKind
from hlspart.model.inferred import InferResult
from hlspart.model.options import MOST_WORK, AdviceOptions, InferOptions, RewriteOptions
from hlspart.model.results import IIResult, LoopResult
from hlspart.model.rewriting import UNCHECKED
from hlspart.predict.regressions import Lines, counterparts, regressions
from hlspart.readback import Predicted
from hlspart.ways import WithTexts

if TYPE_CHECKING:
    from hlspart.model.rewriting import RewriteResult
    from hlspart.reuse import Reused

MOST_WAYS = 4  # of a loop, unless all that no other beats are asked for
MOST_OPERATIONS = 450  # scheduled in all: beyond these bounds advice is given only where it is asked for
MOST_EFFORT = 8_000  # of the subscripts, by their divisions
MOST_MISSES = 4  # loops
MOST_ACCESSES = 80  # of the text, and of one iteration to memories after unrolling


class Writable(WithTexts, Protocol):
    """A program with all that can be written for it."""

    def infer(self, options: InferOptions) -> InferResult:
        """The least partition."""

    def rewrite(self, options: RewriteOptions) -> RewriteResult:
        """Another text."""

    def advise(self, options: AdviceOptions) -> tuple[LoopAdvice, ...]:
        """What :func:`advise` says, kept."""

    def with_texts(self, texts: Mapping[str, str], directives: str = "") -> Predicted:
        """What is known of another text."""


#: Never slower by their making.
_CHECKED = frozenset({"reuse", "interchange", "scalars", "dependences", "bundles", "accumulators"})


class _Text(Struct, frozen=True):
    """A way before it is seen from a loop; ``lines`` None: the loops are those of the source."""

    kind: WayKind
    description: str
    arguments: str | None  # of the command, with FILES for the files
    files: Mapping[str, str]
    figures: IIResult
    lines: Lines | None


def advise(pipeline: Writable, options: AdviceOptions) -> tuple[LoopAdvice, ...]:
    """For each pipelined loop the ways that change it, the best first; all are read back, none is slower."""
    search = Search(MOST_WORK)
    texts = list(_texts(pipeline, options, search))
    if search.untried:
        left = f"{NOT_TRIED}{', '.join(dict.fromkeys(search.untried))}"
        as_is = next(k for k, text in enumerate(texts) if text.kind == "as-written")
        texts[as_is] = replace(texts[as_is], description=texts[as_is].description + left)
    return _seen(pipeline, texts, options.pareto)


def _seen(pipeline: Writable, texts: Sequence[_Text], pareto: bool) -> tuple[LoopAdvice, ...]:
    """Each pipelined loop with those of some texts that change it; the first is the one to take."""
    program, advices = pipeline.program, []
    seen = [counterparts(program, pipeline.figures, t.figures, t.lines) for t in texts]
    for k, loop in enumerate(pipeline.figures.loops):
        if not loop.pipelined:
            continue
        ways = []
        for text, pairs in zip(texts, seen, strict=True):
            there = pairs[k][1]
            same = there is not None and (there.ii, there.latency) == (loop.ii, loop.latency)
            if text.kind == "as-written" or not (same and text.kind != "combined"):
                ways.append(_way(pipeline, text, loop, there, text is texts[0]))
        ways = _ranked(ways, pareto)
        path = program.functions[loop.function].unit
        target = loop.target_ii if loop.origin != "auto" else None
        advices.append(LoopAdvice(path, loop.function, loop.name, loop.line, target, loop.ii, tuple(ways), loop.proof))
    return tuple(advices)


def first_ways(pipeline: Writable) -> tuple[LoopAdvice, ...]:
    """The advice on loops that miss or may miss their target, as every command shows it; none where it takes long."""
    missing = {(x.function, x.name) for x in pipeline.figures.loops if x.pipelined and x.may_miss}
    if not missing or len(missing) > MOST_MISSES or _is_large(pipeline):
        return ()
    return tuple(x for x in pipeline.advise(AdviceOptions()) if (x.function, x.name) in missing)


def _is_large(pipeline: Writable) -> bool:
    """Whether it takes long to write and read back the ways."""
    loops = pipeline.figures.loops
    most = max([len(pipeline.analysis.accesses), *map(_accesses, loops)])
    return (
        most > MOST_ACCESSES
        or sum(len(x.schedule) for x in loops) > MOST_OPERATIONS
        or (effort(pipeline.analysis.divided) > MOST_EFFORT)
    )


def _accesses(loop: LoopResult) -> int:
    """Memory accesses of an iteration; without a schedule at most those of all banks."""
    scheduled = sum(slot.access is not None for slot in loop.schedule)
    return scheduled if loop.schedule else sum(b.reads + b.writes for b in loop.banks)


def _texts(pipeline: Writable, asked: AdviceOptions, search: Search) -> Iterator[_Text]:
    """What ``rewrite --infer`` writes first, then the others that differ."""
    reassoc, new_ports = asked.reassoc, asked.new_ports
    own = {u.path: u.source.text for u in pipeline.program.units if u.source is not None}
    as_is = _Text("as-written", "as it is", None, own, pipeline.figures, None)
    options = RewriteOptions(infer=True, reassoc=reassoc, split_top=new_ports)
    chosen = pipeline.rewrite(options)
    search.work += chosen.work
    arguments = f"rewrite {FILES} --infer{' --allow-reassoc' * reassoc}{' --split-top' * new_ports} -o OUT"
    rest, before = _others(pipeline, own, asked, search), list[_Text]()
    if dict(chosen.files) == own:
        yield as_is
    else:
        for text in rest:
            if dict(text.files) == dict(chosen.files):
                yield replace(text, arguments=arguments)
                break
            before.append(text)
        else:
            yield _text(pipeline, "combined", chosen, arguments)
        yield as_is
    yield from before
    yield from rest


def _others(pipeline: Writable, own: Mapping[str, str], asked: AdviceOptions, search: Search) -> Iterator[_Text]:
    """What single commands write, each text once; one is written when it is asked for."""
    known = [dict(own)]
    for text in _asked(pipeline, asked, search):
        if dict(text.files) not in known and (text.kind in _CHECKED or not _slower(pipeline, text)):
            known.append(dict(text.files))
            search.looked_at(pipeline.with_texts(text.files))
            yield text


def _asked(pipeline: Writable, asked: AdviceOptions, search: Search) -> Iterator[_Text]:
    """What each command writes on its own, as far as the budget goes."""
    from hlspart.infer import emission

    if search.goes_on(_WORDS["reuse"]):
        yield _text(pipeline, "reuse", pipeline.reuse.asked.result, f"rewrite {FILES} --style reuse -o OUT")
    styles: tuple[tuple[WayKind, Callable[[], Reused]], ...]
    styles = (
        ("interchange", lambda: pipeline.interchanged), ("scalars", lambda: pipeline.scalar_replaced),
        ("dependences", lambda: pipeline.dependences_stated), ("bundles", lambda: pipeline.bundled),
    )  # fmt: skip
    for kind, write in styles:
        if search.goes_on(_WORDS[kind]) and (text := write()).after is not None:
            yield _text(pipeline, kind, text.result, f"rewrite {FILES} --style {kind} -o OUT")
    sums = accumulators(pipeline.program, pipeline.proved, pipeline.figures)
    if sums and search.goes_on(_WORDS["accumulators"]):
        partial = pipeline.rewrite(RewriteOptions(infer=True, reassoc=True))
        search.work += partial.work
        if asked.reassoc or dict(partial.files) != dict(pipeline.rewrite(RewriteOptions(infer=True)).files):
            yield _text(pipeline, "accumulators", partial, f"rewrite {FILES} --infer --allow-reassoc -o OUT")
    if search.goes_on(_WORDS["pragma"]):
        own = {u.path: u.source.text for u in pipeline.program.units if u.source is not None}
        inferred = pipeline.infer(InferOptions(scheme="pragma"))
        search.inferred(inferred)
        texts = own | emission.pragma_texts(pipeline.program, inferred)
        figures = pipeline.predict(texts)
        arguments = f"infer {FILES} --scheme pragma --in-place"
        yield _Text("pragma", _said("pragma", figures), arguments, texts, figures, None)
    banks = RewriteOptions(infer=True, style="crossbar")
    command = f"rewrite {FILES} --infer --style crossbar"
    banked: tuple[tuple[WayKind, bool], ...] = (("banks", False), ("banks-at-ports", True))
    for way, at_ports in banked[: 1 + asked.new_ports]:
        if not search.goes_on(_WORDS[way]) or _has_long_text(pipeline, search):
            continue
        written = pipeline.rewrite(replace(banks, split_top=at_ports))
        if any(d.rule == UNCHECKED for d in written.diagnostics):
            search.untried.append(_WORDS[way])
        else:
            yield _text(pipeline, way, written, f"{command}{' --split-top' * at_ports} -o OUT")


def _has_long_text(pipeline: Writable, search: Search) -> bool:
    """Whether bank-centric code for all arrays takes long to read back; noted as not tried."""
    arrays = pipeline.infer(InferOptions()).arrays
    is_long = sum(a.banks * a.accesses for a in arrays if a.banks > 1) > MOST_SELECTIONS
    search.untried += [_WORDS["banks"]] * is_long
    return is_long


def _text(pipeline: Writable, kind: WayKind, result: RewriteResult, arguments: str) -> _Text:
    figures = pipeline.predict(result.files)
    if kind in ("banks", "combined") and _only_pragmas(pipeline, result.files):
        kind = "pragma"
    left = f"{NOT_TRIED}{', '.join(result.untried)}" if result.untried else ""
    return _Text(kind, _said(kind, figures) + left, arguments, result.files, figures, result.lines)


def _slower(pipeline: Writable, text: _Text) -> bool:
    return bool(regressions(pipeline.program, pipeline.figures, text.figures, text.lines))


def _only_pragmas(pipeline: Writable, files: Mapping[str, str]) -> bool:
    """Whether a text differs in directives alone."""

    def code(text: str) -> list[str]:
        return [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#pragma")]

    return all(code(text) == code(pipeline.program.sources[path].text) for path, text in files.items())


_WORDS = {
    "pragma": "directives", "banks": "bank-centric code", "banks-at-ports": "bank-centric code, ports of the top split",
    "reuse": "reuse buffers", "interchange": "loops change places",
    "scalars": "values handed on in variables", "dependences": "proved dependences in directives",
    "bundles": "arguments in m_axi bundles of their own",
    "accumulators": "partial sums", "combined": "the best way for each array",
}  # fmt: skip


def _said(kind: WayKind, figures: IIResult) -> str:
    """A way in words, with its most banks."""
    most = max((a.banks or 1 for a in figures.arrays if a.storage != "registers"), default=1)
    return f"{_WORDS[kind]}{f', at most {most} banks per array' if most > 1 else ''}"


def _way(pipeline: Writable, text: _Text, loop: LoopResult, there: LoopResult | None, chosen: bool) -> Way:
    figures = text.figures
    latency = next((f.latency.max for f in figures.functions if f.name == loop.function), None)
    dsps = [x.dsp for x in figures.loops if x.pipelined]
    description = text.description
    command = None if text.arguments is None else f"hlspart {text.arguments}"
    if there is None:
        description += "; another loop does its work"
    elif text.kind == "as-written" and there.misses and there.limits:
        description += f"; {there.limits[0].text}"
    return Way(
        text.kind, description, None if there is None else there.ii, latency,
        sum(a.bram18k for a in figures.arrays), sum(a.uram for a in figures.arrays),
        None if any(d is None for d in dsps) else sum(d for d in dsps if d is not None),
        sum(a.luts + a.mux_luts for a in figures.arrays), sum(a.registers for a in figures.arrays),
        _ports(pipeline, text), command, chosen,
    )  # fmt: skip


def _ports(pipeline: Writable, text: _Text) -> int:
    """Memories, scalars and buses at the ports of the top functions."""
    second = pipeline.with_texts(text.files) if text.kind != "as-written" else pipeline
    program, banks = second.program, {a.variable: a.banks or 1 for a in text.figures.arrays}
    storage, ports = Storage(program, second.analysis, second.validation, second.target), 0
    for top in (program.functions[name] for name in second.analysis.tops if name in program.functions):
        shared = buses(storage, top)
        ports += len(set(shared.values())) + sum(banks.get(v, 1) for v in top.params if v not in shared)
    return ports


def _ranked(ways: list[Way], pareto: bool) -> list[Way]:
    """The default first, then those with the lowest II, latency and memory."""
    ways = sorted(ways, key=lambda w: (not w.default, w.ii or 1 << 30, w.latency or 1 << 60, w.bram18k, w.lut + w.ff))
    if pareto:
        return [w for w in ways if w.default or not any(_beats(o, w) for o in ways)]
    return ways[:MOST_WAYS]


def _beats(one: Way, other: Way) -> bool:
    """Whether a way is nowhere worse and somewhere better."""

    def costs(w: Way) -> tuple[float, ...]:
        cycles = float("inf") if w.latency is None else w.latency
        return cycles, w.ii or 0, w.bram18k, w.uram, w.dsp or 0, w.lut + w.ff, w.top_ports

    return costs(one) != costs(other) and all(a <= b for a, b in zip(costs(one), costs(other), strict=True))
