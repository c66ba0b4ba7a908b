"""Programs that are too large to search: each proposal is predicted several times, and that takes too long."""

from __future__ import annotations

from msgspec.structs import replace

from hlspart.infer.outcomes import as_asked
from hlspart.model.inferred import UNSEARCHED, InferredLoop, InferResult
from hlspart.model.options import InferOptions
from hlspart.model.results import IIResult

MOST_WORK = 4_000  # operations of all loops that are searched at effort 1, some ten seconds; four times as many at 2


def is_large(figures: IIResult, effort: int = 1) -> bool:
    """Whether a search of the program that has these ``figures`` would take too long."""
    return sum(x.work for x in figures.loops) > _most(effort)


def _most(effort: int) -> int:
    return int(MOST_WORK * 4 ** (effort - 1))


def unsearched(figures: IIResult, options: InferOptions) -> InferResult | None:
    """All loops as they are, where the program is large; None where it is not. With other ports no II is known."""
    if not is_large(figures, options.effort):
        return None
    work = sum(x.work for x in figures.loops)
    cause = f"{UNSEARCHED}: its loops have {work:,} operations, more than {_most(options.effort):,}"
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
