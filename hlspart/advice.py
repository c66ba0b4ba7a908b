"""Which way to take: the texts that commands would write, predicted and ranked; ``rewrite --infer`` takes the first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hlspart.infer import emission
from hlspart.model.advising import LoopAdvice, Way, WayKind
from hlspart.model.options import InferOptions, RewriteOptions
from hlspart.model.results import IIResult, LoopResult
from hlspart.predict.regressions import Lines, counterparts, regressions

if TYPE_CHECKING:
    from hlspart.model.rewriting import RewriteResult
    from hlspart.pipeline import Pipeline

MOST_WAYS = 4  # of a loop, unless all that no other beats are asked for


@dataclass(frozen=True)
class _Text:
    """A way before it is seen from a loop; ``lines`` None: the loops are those of the source."""

    kind: WayKind
    description: str
    arguments: str | None  # of the command, with {files} for the files
    files: Mapping[str, str]
    figures: IIResult
    lines: Lines | None


def advise(
    pipeline: Pipeline, files: str, pareto: bool = False, reassoc: bool = False, new_ports: bool = False
) -> tuple[LoopAdvice, ...]:
    """For each pipelined loop the ways that change it, the best first; all are read back, none is slower.

    ``files``: how a command names the program; ``pareto``: all ways that no other beats; ``reassoc``: sums of
    floats may change their order; ``new_ports``: the signature of top functions may change.
    """
    texts = list(_texts(pipeline, reassoc, new_ports))
    program, found = pipeline.program, []
    for k, loop in enumerate(pipeline.figures.loops):
        if not loop.pipelined:
            continue
        ways = []
        for text in texts:
            there = counterparts(program, pipeline.figures, text.figures, text.lines)[k][1]
            gone = there is None
            chosen = text is texts[0]
            same = there is not None and (there.ii, there.latency) == (loop.ii, loop.latency)
            if text.kind == "as-written" or not (same and text.kind != "combined"):
                ways.append(_way(pipeline, text, loop, None if gone else there, files, chosen))
        ways = _ranked(ways, loop, pareto)
        path = program.functions[loop.function].unit
        found.append(LoopAdvice(path, loop.function, loop.name, loop.line, loop.aim, loop.ii, tuple(ways)))
    return tuple(found)


def _texts(pipeline: Pipeline, reassoc: bool, new_ports: bool) -> Iterator[_Text]:
    """What ``rewrite --infer`` writes first, then the others that differ."""
    own = {u.path: u.source.text for u in pipeline.program.units if u.source is not None}
    as_is = _Text("as-written", "nothing changes", None, own, pipeline.figures, None)
    options = RewriteOptions(infer=True, reassoc=reassoc, split_top=new_ports)
    chosen = pipeline.rewrite(options)
    others = [
        text
        for text in _asked(pipeline, new_ports, reassoc)
        if dict(text.files) != own and (text.kind in ("reuse", "accumulators") or not _slower(pipeline, text))
    ]
    others = [t for k, t in enumerate(others) if all(dict(t.files) != dict(o.files) for o in others[:k])]
    arguments = f"rewrite {{files}} --infer{' --allow-reassoc' * reassoc}{' --split-top' * new_ports} -o OUT"
    same = next((t for t in others if dict(t.files) == dict(chosen.files)), None)
    if dict(chosen.files) == own:
        yield as_is
    elif same is not None:
        yield replace(same, arguments=arguments)
    else:
        yield _text(pipeline, "combined", chosen, arguments)
    if dict(chosen.files) != own:
        yield as_is
    yield from (t for t in others if t is not same)


def _asked(pipeline: Pipeline, new_ports: bool, reassoc: bool) -> Iterator[_Text]:
    """What each command writes on its own."""
    yield _text(pipeline, "reuse", pipeline.reuse.asked.result, "rewrite {files} --style reuse -o OUT")
    sums = pipeline.rewrite(RewriteOptions(infer=True, reassoc=True))
    if reassoc or dict(sums.files) != dict(pipeline.rewrite(RewriteOptions(infer=True)).files):
        yield _text(pipeline, "accumulators", sums, "rewrite {files} --infer --allow-reassoc -o OUT")
    banks = RewriteOptions(infer=True, style="crossbar")
    command = "rewrite {files} --infer --style crossbar"
    yield _text(pipeline, "banks", pipeline.rewrite(banks), f"{command} -o OUT")
    if new_ports:
        split = pipeline.rewrite(replace(banks, split_top=True))
        yield _text(pipeline, "banks-at-ports", split, f"{command} --split-top -o OUT")
    own = {u.path: u.source.text for u in pipeline.program.units if u.source is not None}
    texts = own | emission.pragma_texts(pipeline.program, pipeline.infer(InferOptions(scheme="pragma")))
    figures = pipeline.predict(texts)
    yield _Text("pragma", _said("pragma", figures), "infer {files} --scheme pragma --in-place", texts, figures, None)


def _text(pipeline: Pipeline, kind: WayKind, result: RewriteResult, arguments: str) -> _Text:
    figures = pipeline.predict(result.files)
    return _Text(kind, _said(kind, figures), arguments, result.files, figures, result.lines)


def _slower(pipeline: Pipeline, text: _Text) -> bool:
    return bool(regressions(pipeline.program, pipeline.figures, text.figures, text.lines))


_WORDS = {
    "pragma": "ARRAY_PARTITION", "banks": "bank-centric code", "banks-at-ports": "banks, at the ports of the top, too",
    "reuse": "reuse buffers", "accumulators": "sums in turns", "combined": "what serves each array",
}  # fmt: skip


def _said(kind: WayKind, figures: IIResult) -> str:
    """A way in words, with its most banks."""
    most = max((a.banks for a in figures.arrays if a.storage != "registers"), default=1)
    return f"{_WORDS[kind]}{f', at most {most} banks an array' if most > 1 else ''}"


def _way(pipeline: Pipeline, text: _Text, loop: LoopResult, there: LoopResult | None, files: str, chosen: bool) -> Way:
    figures = text.figures
    latency = next((f.latency.max for f in figures.functions if f.name == loop.function), None)
    dsps = [x.dsp for x in figures.loops if x.pipelined]
    description = text.description
    command = None if text.arguments is None else f"hlspart {text.arguments.format(files=files)}"
    if there is None:
        description += "; its work is done in another loop"
    elif text.kind == "as-written" and there.misses and there.limits:
        description += f"; {there.limits[0].text}"
    return Way(
        text.kind, description, None if there is None else there.ii, latency,
        sum(a.bram18k for a in figures.arrays), sum(a.uram for a in figures.arrays),
        None if any(d is None for d in dsps) else sum(d for d in dsps if d is not None),
        sum(a.luts + a.mux_luts for a in figures.arrays), sum(a.registers for a in figures.arrays),
        _ports(pipeline, text), command, chosen,
    )  # fmt: skip


def _ports(pipeline: Pipeline, text: _Text) -> int:
    """Memories and scalars at the ports of the top functions."""
    second = pipeline.with_texts(text.files) if text.kind != "as-written" else pipeline
    banks = {a.variable: a.banks for a in text.figures.arrays}
    tops = (second.program.functions[name] for name in second.analysis.tops if name in second.program.functions)
    return sum(banks.get(v, 1) for top in tops for v in top.params)


def _ranked(ways: list[Way], loop: LoopResult, pareto: bool) -> list[Way]:
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
