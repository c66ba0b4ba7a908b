"""What a program loses when another text takes its place, by the prediction for the same target.

Every command that writes text reads it back through :func:`regressions` before it is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from hlspart.model.access import AccessAnalysis
from hlspart.model.parts import FunctionResult
from hlspart.model.program import Loop, Program, walk_statements
from hlspart.model.results import IIResult, LoopResult
from hlspart.model.rewriting import LineRun
from hlspart.semantics.effects import effects

#: States of a divider of 32 bits, as far as reports tell (n bits: n + 4).
DIVIDER = 36

#: File -> which lines of the old text became which lines of the new one.
Lines = Mapping[str, Sequence[LineRun]]


class Regression(Struct, frozen=True):
    """A loop of the old program (its id; -1 for a function that is pipelined), or a whole function (None), and how."""

    function: str
    loop: int | None
    text: str


def regressions(
    program: Program, before: IIResult, after: IIResult, lines: Lines | None = None, allowed: int | None = None
) -> tuple[Regression, ...]:
    """Loops and functions of ``program`` that ``after`` predicts slower than ``before``.

    ``lines``: where the lines of ``program`` went in the text of ``after``; None: it differs in pragmas only, and
    has the same loops. ``allowed``: an II (in cycles) that was asked for in place of the one that was there, so
    that latencies may grow, too. A figure that is not known any more is a loss unless its bounds exclude one.
    """
    pairs = counterparts(program, before, after, lines)
    slower = [
        Regression(old.function, old.loop, f"{old.name}: {lost}")
        for old, new in pairs
        if (lost := _slower_loop(old, new, allowed or 0))
    ]
    slower += _unheard(program, before, after)
    if allowed is not None:
        return tuple(slower)
    then = {f.name: f.latency.max for f in after.functions}
    for function in before.functions:
        if any(x.function == function.name for x in slower):
            continue
        was, now, lost = function.latency.max, then.get(function.name), ""
        if was is None or was != function.latency.min:  # nor does its most tell, where it may take less
            own = [x for x in pairs if x[0].function == function.name]
            lost = _longer(program, before, own)
            if not lost and (deeper := _deeper(own)) is not None:
                slower.append(deeper)
                continue
        if was is not None and not lost:
            called = effects(program).reachable((function.name,))
            if now is not None:
                lost = f"{now} cycles instead of {was}" if now > was else ""
            elif not _is_worth(program, before, [x for x in pairs if x[0].function in called]):
                lost = f"its latency is unknown instead of {was} cycles"
        if lost:
            slower.append(Regression(function.name, None, f"{function.name}: {lost}"))
    return tuple(slower)


def most_cycles(figures: IIResult, function: FunctionResult) -> int:
    """Cycles of a function at most; where its latency is unknown those of its pipelined loops."""
    if function.latency.max is not None:
        return function.latency.max
    return sum(
        loop.latency.max or (loop.bounds[1] if loop.bounds else loop.least) * (loop.trip_count.max or 1)
        for loop in figures.loops
        if loop.function == function.name and loop.pipelined
    )


def _unheard(program: Program, before: IIResult, after: IIResult) -> list[Regression]:
    """Directives of files beside the source that find their loop no longer: numbers of loops go by lines."""
    then = {(s.path, s.line, s.text): s for s in after.pragmas if s.status == "rejected"}
    unheard = []
    for status in before.pragmas:
        directive, lost = program.directives[status.directive], then.get((status.path, status.line, status.text))
        if directive.source != "pragma" and status.status != "rejected" and lost is not None:
            name = directive.function or ""
            why = f"{status.path}:{status.line} would not apply: {lost.reason}"
            why += "; a label on the loop would stay, and hlspart directives adds no line"
            unheard.append(Regression(name, directive.loop, why))
    return unheard


def touched(program: Program, analysis: AccessAnalysis, lost: Regression) -> set[int]:
    """Variables that a slower loop accesses, or a slower function with what it calls."""
    if lost.loop is not None and lost.loop >= 0:
        inside = {a.array for a in analysis.accesses if lost.loop in a.loops}
        if inside:
            return inside
    functions = effects(program).reachable((lost.function,))
    return {a.array for a in analysis.accesses if a.function in functions}


def entries(program: Program, base: IIResult) -> Callable[[LoopResult], int]:
    """How often the loops around a loop enter it (those with unknown bounds count once)."""
    times: dict[int, int] = {}
    for x in base.loops:
        if not x.pipelined:
            for inner in _inside(program, x.loop):
                times[inner] = times.get(inner, 1) * (x.trip_count.max or 1)
    return lambda loop: times.get(loop.loop, 1)


def _inside(program: Program, ident: int) -> frozenset[int]:
    """Ids of the loops in the body of a loop."""
    loop = program.loops.get(ident)
    if loop is None:
        return frozenset()
    return frozenset(s.id for s in walk_statements(loop.body) if isinstance(s, Loop))


def counterparts(
    program: Program, before: IIResult, after: IIResult, lines: Lines | None = None
) -> tuple[tuple[LoopResult, LoopResult | None], ...]:
    """Each loop of ``before`` with the one of ``after`` that stands in its place; None where none does."""
    return tuple((loop, _counterpart(program, loop, before, after, lines)) for loop in before.loops)


def _counterpart(
    program: Program, loop: LoopResult, before: IIResult, after: IIResult, lines: Lines | None
) -> LoopResult | None:
    same = [x for x in after.loops if x.function == loop.function]
    if lines is None or loop.loop < 0:
        return next((x for x in same if x.loop == loop.loop), None)
    path = program.loops[loop.loop].header.span.path
    if loop.label is not None:  # a function has one of each
        new = next((x for x in same if x.label == loop.label), None)
    else:
        same_place = [x for x in same if x.line in _moved(lines, path, loop.line) and x.label is None]
        beside = [x for x in before.loops if (x.function, x.line, x.label) == (loop.function, loop.line, None)]
        new = same_place[beside.index(loop)] if len(same_place) == len(beside) else None
    if loop.pipelined and loop.flattened and new is not None and not new.pipelined:
        return _opened(program, loop, new, [x for x in same if x.pipelined], lines)
    return new


def _moved(lines: Lines, path: str, line: int) -> set[int]:
    """Where a line went; files without runs are as they were."""
    if path not in lines:
        return {line}
    return {r.new + line - r.old for r in lines.get(path, ()) if r.old <= line < r.old + r.count}


def _opened(
    program: Program, loop: LoopResult, nest: LoopResult, pipelined: Sequence[LoopResult], lines: Lines
) -> LoopResult:
    """The loop inside a nest that is not flattened any more, with the latency of the nest; else the nest.

    Of rows of any number of iterations nobody knows whether they take fewer cycles: the II decides.
    """
    own = program.loops[loop.loop].at.span
    around = [x for x in program.loops.values() if x.at.span.path == own.path and x.at.span.start <= own.start]
    headers = [x.header for x in around if own.end <= x.at.span.end]
    there = {new for at in headers for new in _moved(lines, own.path, program.line(at))}
    inside = [x for x in pipelined if x.line in there]
    if len(inside) != 1:
        return nest
    if loop.latency.max is None or nest.latency.max is None:
        opened = loop.latency.max is None and inside[0].trip_count.max is None
    else:
        opened = nest.latency.max <= loop.latency.max
    return replace(inside[0], latency=nest.latency) if opened else nest


def _slower_loop(old: LoopResult, new: LoopResult | None, allowed: int) -> str:
    """How the II got worse; "" when it did not."""
    if not old.pipelined or (old.ii is None and old.bounds is None):
        return ""
    if new is None:
        return "it cannot be told from the other loops any more"
    if not new.pipelined:
        return "it is not pipelined any more"
    most = old.ii if old.ii is not None else old.bounds[1] if old.bounds is not None else 0
    then = new.ii if new.ii is not None else new.bounds[1] if new.bounds is not None else None
    if then is None:
        return f"II unknown instead of {old.figure}: {new.cause or 'no figure'}"
    return f"II {new.figure} instead of {old.figure}" if then > max(most, allowed) else ""


def _is_worth(program: Program, before: IIResult, pairs: Sequence[tuple[LoopResult, LoopResult | None]]) -> bool:
    """Whether loops gain more than dividers of unknown depth, which pick banks, can cost them one after the other.

    Where an II is only known in bounds, the depth is not known either.
    """
    known = [(old, new) for old, new in pairs if new is not None]
    if any(old.ii is not None and new.ii is None for old, new in known):
        return True
    gained = cost = 0
    entered = entries(program, before)
    for old, new in known:
        times = entered(old) * (1 if old.pipelined else old.trip_count.max or 1)
        if old.ii is not None and new.ii is not None:
            gained += (old.ii - new.ii) * max(0, (old.trip_count.min or 1) - 1) * times
        if old.depth is not None and new.depth is None:
            cost += DIVIDER * max(1, len(new.depth_causes)) * times
    return 0 < cost <= gained


def _longer(program: Program, before: IIResult, pairs: Sequence[tuple[LoopResult, LoopResult | None]]) -> str:
    """Where no latency is known for certain: pipelined loops that take more cycles together, whatever their II."""
    was = now = 0
    entered = entries(program, before)
    for old, new in pairs:
        if not old.pipelined or new is None or not new.pipelined:
            continue
        if old.latency.max is None or new.latency.max is None:
            if old.ii is None or new.ii is None or new.ii < old.ii:
                return ""  # what it gains is not known
            continue
        times = entered(old)
        was, now = was + times * old.latency.max, now + times * new.latency.max
    return f"its loops take {now} cycles instead of {was}" if now > was else ""


def _deeper(pairs: Sequence[tuple[LoopResult, LoopResult | None]]) -> Regression | None:
    """Where no latency is known for certain: iterations that take longer in one loop while no loop has a lower II."""
    known = [(old, new) for old, new in pairs if new is not None and old.ii == new.ii]
    if len(known) < len(pairs):
        return None
    for old, new in known:
        if old.depth is not None and new.depth is not None and new.depth > old.depth:
            text = f"{old.name}: an iteration takes {new.depth} states instead of {old.depth}"
            return Regression(old.function, old.loop, text)
    return None
