"""How far apart iterations meet in an array, in a DEPENDENCE directive, where the tool cannot see it.

``lb[col]`` with ``if (++col == W) col = 0``, or two stores that only bounds keep apart: the tool takes it that the
next iteration may touch the same element. Integer sets decide what is so, or polynomials (``x[i * n + j]``), and the
directive says no more than that: ``dependent=false`` where no two iterations meet, else the least distance at which
they do.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

from msgspec import Struct

from hlspart.expand.accumulators import innermost
from hlspart.expand.numbered import is_numbered
from hlspart.expand.purity import used_by_calls
from hlspart.expand.texts import as_many, with_directives
from hlspart.model.access import Access, AccessAnalysis
from hlspart.model.program import ArrayRef, Call, Loop, Name, Program, walk
from hlspart.model.results import IIResult, LoopResult
from hlspart.model.source import Edit
from hlspart.rewrite.buffer import EditBuffer
from hlspart.semantics.effects import effects, statement_expressions
from hlspart.sets.carried import least_distance

_NEVER = math.inf
_ORDERED = {("write", "read"), ("read", "write"), ("write", "write")}


class DistanceClaim(Struct, frozen=True):
    """Iterations of ``loop`` meet in ``variable`` no nearer than ``distance`` apart; None: they never do."""

    loop: Loop
    variable: int
    distance: int | None

    def text(self, program: Program) -> str:
        """The directive."""
        what = "dependent=false" if self.distance is None else f"distance={self.distance} dependent=true"
        return f"#pragma HLS DEPENDENCE variable={program.variable(self.variable).name} type=inter {what}"


def provable(program: Program, analysis: AccessAnalysis, figures: IIResult) -> tuple[DistanceClaim, ...]:
    """What can be said of loops that dependences keep, or may keep, from their II."""
    distances: list[DistanceClaim] = []
    for result in figures.loops:
        misses = result.may_miss and (result.ii is None or result.recurrence_ii != 1)
        if result.pipelined and result.loop >= 0 and (misses or (result.ii is None and result.bounds)):
            for loop in innermost(program, result):
                distances += _of_loop(program, analysis, result, loop)
    return tuple(dict.fromkeys(distances))


def claims(program: Program, chosen: Sequence[DistanceClaim]) -> dict[str, tuple[Edit, ...]]:
    """Edits that add the directives; loops whose text does not allow it keep theirs."""
    loops = list(dict.fromkeys(x.loop for x in chosen))
    lines = {loop.id: [x.text(program) for x in chosen if x.loop is loop] for loop in loops}
    return as_many(program, loops, partial(_edits, program, lines))


def _of_loop(
    program: Program, analysis: AccessAnalysis, result: LoopResult, loop: Loop
) -> Iterator[DistanceClaim]:  # fmt: skip
    inside = [a for a in analysis.accesses if loop.id in a.loops]
    handed = {
        n.variable
        for root in statement_expressions(program, loop)
        for call in walk(root) if isinstance(call, Call)
        for arg in call.args
        for n in walk(arg) if isinstance(n, Name)
    }  # fmt: skip
    stated = {v for d in program.directives if d.kind == "dependence" and d.usable for v in d.variables}
    elsewhere = used_by_calls(program, analysis, loop)
    calls = any(call.function in program.functions for call in effects(program).calls_in(loop))
    for array in dict.fromkeys(a.array for a in inside if a.kind == "write"):
        group = next((g for g in analysis.groups if g.id == analysis.group_of.get(array)), None)
        if group is None or any(fault.code != "unknown-extent" for fault in group.faults):
            continue
        others = {*group.members} - {array}  # such as the array that a call hands to a parameter
        named = bool(others) and (calls or any(a.array in others for a in inside))
        if named or array in handed | stated | elsewhere or program.variable(array).volatile:
            continue
        mine = [a for a in inside if a.array == array]
        numbered = not all(a.affine for a in mine) and _is_numbered(program, result, loop, mine)
        least = _NEVER if numbered else _least(analysis, result, loop, mine)
        if least is not None and least > 1:
            yield DistanceClaim(loop, array, None if least == _NEVER else int(least))


def _is_numbered(program: Program, result: LoopResult, loop: Loop, accesses: Sequence[Access]) -> bool:
    """Whether subscripts with products of run-time values are another number in each iteration."""
    chains = {a.loops for a in accesses}
    refs = {e.id: e for root in statement_expressions(program, loop) for e in walk(root) if isinstance(e, ArrayRef)}
    mine = [refs[a.ref] for a in accesses if a.ref in refs]
    if len(chains) != 1 or len(mine) < len(accesses) or any(e.variable != accesses[0].array for e in mine):
        return False
    (chain,) = chains
    outer = chain.index(loop.id) + 1 - max(1, len(result.flattened))
    return outer >= 0 and is_numbered(program, [program.loops[x] for x in chain[outer:]], mine)


def _least(
    analysis: AccessAnalysis, result: LoopResult, loop: Loop, accesses: Sequence[Access]
) -> float | None:  # fmt: skip
    """The least distance at which accesses in different iterations meet; None where nobody knows."""
    least = _NEVER
    around = accesses[0].loops[: accesses[0].loops.index(loop.id) + 1]
    outer = len(around) - max(1, len(result.flattened))
    infos = [analysis.loops[x] for x in around]
    if any(i.step is None or i.cause is not None or i.exits for i in infos):
        return None
    own = infos[outer:]
    trips = [i.trip_count.exact for i in own[1:]]
    exact = None not in trips
    weights = tuple(
        math.prod(t or 0 for t in trips[k:]) if exact else 1 << 20 * (len(own) - 1 - k) for k in range(len(own))
    )
    steps = tuple(i.step or 1 for i in own)
    for a in accesses:
        if not (a.affine and a.map and a.loops[: len(around)] == around and len(a.loops) == len(a.iterators)):
            return None
    for a in accesses:
        for b in accesses:
            if (a.kind, b.kind) not in _ORDERED:
                continue
            sides = ((x.domain, x.map or "", len(x.loops)) for x in (a, b))
            try:
                distance = least_distance(outer, steps, weights, *sides)
            except ArithmeticError:
                return None
            if distance is not None and not exact:
                return None
            least = min(least, _NEVER if distance is None else distance)
            if least <= 1:
                return least
    return least


def _edits(program: Program, lines: dict[int, list[str]], loops: Sequence[Loop], buffer: EditBuffer) -> None:
    for loop in loops:
        with_directives(program, buffer, loop, lines[loop.id])
