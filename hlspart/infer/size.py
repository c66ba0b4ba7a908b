"""Programs that are too large to search: each proposal is predicted several times, and that takes too long."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec.structs import replace

from hlspart.banking.counting import PortProblem
from hlspart.infer.outcomes import as_asked
from hlspart.model.inferred import UNSEARCHED, InferredLoop, InferResult
from hlspart.model.options import InferOptions
from hlspart.model.results import IIResult

MOST_WORK = 4_000  # of one prediction, in operations, at which a program is searched at effort 1; four times it at 2
MOST_SEARCH = 5_000  # of one search
PAIRS = 3  # of accesses that are compared in the time of an operation
QUESTION = 2  # operations that take as long as one about a set


def is_large(figures: IIResult, effort: int = 1) -> bool:
    """Whether a search of the program that has these ``figures`` would take too long."""
    return cost(figures) > _most(MOST_WORK, effort)


def cost(figures: IIResult) -> int:
    """What a prediction like this one takes, in operations."""
    return sum(x.cost for x in figures.loops)


def work(made: Collection[IIResult], problems: Iterable[PortProblem]) -> int:
    """What a search that has made these predictions, and asked this of accesses, has taken, in operations."""
    asked = sum(x.pairs // PAIRS + x.questions * QUESTION for x in problems)
    return sum(map(cost, made)) + asked


def goes_on(taken: int, made: Collection[IIResult], effort: int) -> bool:
    """Whether a search that has taken so much may make one more prediction, as long as the longest."""
    return taken + max(map(cost, made)) <= _most(MOST_SEARCH, effort)


def _most(work: int, effort: int) -> int:
    return int(work * 4 ** (effort - 1))


def unsearched(figures: IIResult, options: InferOptions) -> InferResult | None:
    """All loops as they are, where the program is large; None where it is not. With other ports no II is known."""
    if not is_large(figures, options.effort):
        return None
    most = _most(MOST_WORK, options.effort)
    cause = f"{UNSEARCHED}: a prediction of its loops costs {cost(figures):,} operations, more than {most:,}"
    cause += f" (--effort {options.effort + 1} allows four times as many)"
    loops = []
    for known in figures.loops:
        asked = options.target_ii or known.target_ii or 1
        x = as_asked(known, asked) if options.ports is None else replace(known, ii=None, bounds=None)
        if x.pipelined:
            span = x.bounds if x.ii is None else None
            why = cause if x.ii is None or x.ii > asked else None
            target = options.target_ii or x.target_ii
            loops.append(InferredLoop(x.function, x.name, target, x.ii, x.ii, why, None, (), span, span, x.loop))
    return InferResult((), tuple(loops))
