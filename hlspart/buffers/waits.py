"""Which steps need not come one behind the other: a memory that they share makes them wait."""

from __future__ import annotations

from collections.abc import Sequence

from hlspart.model.buffers import ProgramStep


def waits(steps: Sequence[ProgramStep], one: int, other: int) -> bool:
    """Whether a step that touches one array and one that touches the other are in no order but for a shared memory."""
    behind = _behind(steps)
    first, second = ([s for s in steps if v in s.touched] for v in (one, other))
    pairs = ((min(s.number, t.number), max(s.number, t.number)) for s in first for t in second)
    return any(a != b and a not in behind[b] for a, b in pairs)


def _behind(steps: Sequence[ProgramStep]) -> dict[int, set[int]]:
    """Step -> the steps whose end it waits for: those with which it has an array in common that one of them writes."""
    behind: dict[int, set[int]] = {}
    for t in steps:
        before = [s for s in steps if s.number < t.number and s.function == t.function]
        direct = {s.number for s in before if s.writes & t.touched or s.reads & t.writes}
        behind[t.number] = direct.union(*(behind[n] for n in direct))
    return behind
