"""What is not known of the states of an iteration: operators and dividers that few reports show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from hlspart.lowering.doubt import Doubt, about, open_latency
from hlspart.model.access import Bounds
from hlspart.model.causes import Cause
from hlspart.predict.elaborate import Elaborated
from hlspart.schedule.problem import Problem, Timing
from hlspart.schedule.recurrence import earliest


class DepthRange(Struct, frozen=True):
    """Fewest and most states of an iteration, and why these are not one number; () where they are."""

    states: Bounds
    causes: tuple[Cause, ...] = ()


_DIVIDER = 36  # of an index of 32 bits
UNKNOWN_DEPTH = DepthRange(Bounds(None, None))


def depth_range(problem: Problem, doubts: Iterable[Doubt], ii: int, depth: int) -> DepthRange:
    """States of an iteration at ``ii``, of which a schedule has ``depth``."""
    doubts = tuple(doubts)
    kinds = frozenset[str]().union(*(d.fewer for d in doubts if d.slow))
    states = _span(problem, kinds, ii, depth)
    causes = tuple(d.cause for d in doubts if d.endless or d.longer or (states.exact is None and d.slow and d.fewer))
    if states.max is not None:
        states = Bounds(states.min, states.max + max((d.longer for d in doubts), default=0))
    return DepthRange(UNKNOWN_DEPTH.states if any(d.endless for d in doubts) else states, causes)


def within(depth: DepthRange, loosest: Problem, ii: tuple[int, int], scheduled: int) -> DepthRange:
    """States of an iteration whose II is only known to lie between two, at the one that was ``scheduled`` ``found``.

    Fewest: what dependences alone leave in the loosest problem; most: every cycle of a larger II may be waited.
    """
    fewest, most = _length(loosest, loosest.timing, ii[1]), depth.states.max
    if fewest is None or most is None or depth.states.min is None:
        return replace(depth, states=UNKNOWN_DEPTH.states)
    return replace(depth, states=Bounds(min(fewest, depth.states.min), most + max(0, ii[1] - scheduled)))


def of_operators(problem: Problem, estimated: frozenset[str]) -> Iterator[Doubt]:
    """Operators whose states no report of the target confirms, and those that the tool may build in fewer."""
    ops = problem.graph.ops
    if estimated:
        names = sorted({_named(kind) for kind in estimated})
        text = f"the latency of {', '.join(names)} is an estimate for this target"
        yield Doubt(about(text, (op for op in ops.values() if op.kind in estimated)), fewer=estimated, slow=True)
    if open_ := [ops[i] for i in problem.timing if ops[i].kind == "open" or ops[i].of_copies]:
        yield Doubt(open_latency(open_), endless=True)
    quick = [ops[i] for i, t in problem.timing.items() if 0 < t.least < t.states and ops[i].kind not in estimated]
    if quick:
        built = frozenset(op.kind for op in quick)
        names = sorted(built)
        text = f"whether the tool builds {', '.join(names)} without DSP blocks, in fewer states, for the II asked for"
        yield Doubt(about(f"{text} is not known", quick), fewer=built)


def _named(kind: str) -> str:
    """An operator, for the reader."""
    if "fixed" in kind:
        return "conversions between fixed and floating point"
    return "functions of the library" if kind.endswith("math") else kind


def of_dividers(item: Elaborated) -> Iterator[Doubt]:
    """Accesses whose banks take a division of an index of unknown width.

    Indices that no loaded value decides are divided at once, ahead of all else.
    """
    for op in sorted(item.lowered.graph.memory, key=lambda op: op.id):
        open_ = [d.by for d in item.dividers.divisions(op) if d.bits is None]
        if open_ and op.ref is not None:
            name = item.storage.program.variable(op.ref.variable).name
            text = f"how many states the division of an index by {open_[0]} takes that picks the bank of {name}"
            known = op.ref.index is not None and None not in op.ref.index
            yield Doubt(about(f"{text} is not known", [op]), longer=_DIVIDER if known else 0, endless=not known)


def _span(problem: Problem, kinds: frozenset[str], ii: int, depth: int) -> Bounds:
    """Fewest and most states of an iteration whose operators of ``kinds`` are estimates; ports may add to either."""
    likely = _length(problem, problem.timing, ii)
    least, most = (_length(problem, _at(problem, kinds, most), ii) if kinds else likely for most in (False, True))
    if likely is None or least is None or most is None:
        return Bounds(None, None) if kinds else Bounds(depth, depth)
    return Bounds(min(depth, least) if least < likely else depth, depth + max(0, most - likely))


def _at(problem: Problem, kinds: frozenset[str], most: bool) -> dict[int, Timing]:
    ops = problem.graph.ops
    return {
        i: replace(t, states=(t.most if most else t.least) or t.states) if ops[i].kind in kinds else t
        for i, t in problem.timing.items()
    }


def _length(problem: Problem, timing: Mapping[int, Timing], ii: int) -> int | None:
    """States of an iteration by dependences alone."""
    start = earliest(replace(problem, timing=timing), ii)
    return None if start is None else max((s + timing[i].states for i, s in start[0].items()), default=0)
