"""What the next unroll factor of a loop would gain, found by inferring once more with it."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from hlspart.infer.demand import key, unrolled
from hlspart.infer.inference import Inference, Proposal
from hlspart.model.inferred import InferResult
from hlspart.model.program import Program
from hlspart.model.results import LoopResult

MOST_LOOPS = 4  # those with the most cycles
MOST_PREDICTED = 32  # loops that are predicted again for all hints together: each asks for all of the program
MOST_ACCESSES = 128  # of one array in one iteration, after unrolling
MOST_TIMES = 4  # the next factor is at most so many times the one that is there


def with_hints(done: Inference, proposal: Proposal, again: Callable[[Program], Inference]) -> InferResult:
    """What ``done`` proposes, with a hint on the loops that take longest; ``again`` infers for another program."""
    result = proposal.result
    loops = {key(x): x for x in proposal.outcome.loops}
    targets = [loops[k] for k in done.targets if k in loops]
    slowest = sorted(targets, key=lambda x: -(_cycles(x) or 0))[:MOST_LOOPS]
    hints: dict[tuple[str, str], str | None] = {}
    budget = MOST_PREDICTED
    for loop in slowest:
        factor = _next(done, result, loop)
        if factor is not None and (budget := budget - len(loops)) < 0:
            said: str | None = f"the next unroll factor was not tried: {len(loops)} loops are too many"
        else:
            said = _hint(done, proposal, loop, factor, again) if factor is not None else None
        hints[loop.function, loop.name] = said
    return replace(result, loops=tuple(replace(x, hint=hints.get((x.function, x.name))) for x in result.loops))


def _cycles(loop: LoopResult) -> int | None:
    return None if loop.ii is None or loop.trip_count.max is None else loop.ii * loop.trip_count.max


def _next(done: Inference, result: InferResult, loop: LoopResult) -> int | None:
    """The next unroll factor of a loop that can be tried."""
    info = done.analysis.loops.get(loop.loop)
    trips = info.trip_count.exact if info is not None else None
    if _cycles(loop) is None or trips is None:
        return None
    now = done.unroll_factor(loop.loop)
    times = next((t for t in range(2, MOST_TIMES + 1) if now and now * t < trips and trips % (now * t) == 0), None)
    if times is None or max((a.accesses for a in result.arrays), default=0) * times > MOST_ACCESSES:
        return None
    return now * times


def _hint(
    done: Inference, proposal: Proposal, loop: LoopResult, factor: int, again: Callable[[Program], Inference]
) -> str | None:
    before, times = _cycles(loop), factor // done.unroll_factor(loop.loop)
    other = again(unrolled(done.given, loop.loop, factor))
    tried = other.run()
    arrays = {a.variable: a for a in tried.result.arrays}
    after = next((x for x in tried.outcome.loops if key(x) == key(loop)), None)
    cycles = _cycles(after) if after is not None else None
    if after is None or cycles is None or before is None:
        return None
    whole, then = done.cycles(proposal.outcome), other.cycles(tried.outcome)
    if cycles >= before or (whole is not None and then is not None and then >= whole):
        return f"unroll factor={factor} gains nothing: II {after.ii} for {times} iterations"
    more = [
        f"{a.name} in {arrays[a.variable].banks} banks instead of {a.banks}"
        for a in proposal.result.arrays
        if a.variable in arrays and arrays[a.variable].banks > a.banks
    ]
    return f"unroll factor={factor}: {cycles} cycles instead of {before}" + (
        f", with {', '.join(more)}" if more else ""
    )
