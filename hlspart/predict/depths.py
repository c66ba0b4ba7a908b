"""Whether the states of an iteration are known where its II is: operators and dividers that few reports show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hlspart.banking.accesses import division
from hlspart.hardware.storage import Storage
from hlspart.model.access import Bounds
from hlspart.schedule.problem import Problem, Timing
from hlspart.schedule.recurrence import earliest


class UnknownStates(Exception):
    """The states of statements are not known; its text is the cause."""


_NEAR, _SHARE = 1, 0.1  # states, and share of the depth, by which a depth may be off


def unknown(problem: Problem, estimated: frozenset[str], storage: Storage, ii: int) -> str | None:
    """Why the depth of a schedule at ``ii`` is not known; None where it is."""
    return _estimated(problem, estimated, ii) or _divided(problem, storage)


def estimate(kinds: frozenset[str]) -> str:
    """What is said of operators whose states no report of the target confirms."""
    names = sorted({"functions of the library" if k.endswith("math") else k for k in kinds})
    return f"the latency of {', '.join(names)} is an estimate for this target"


def _estimated(problem: Problem, kinds: frozenset[str], ii: int) -> str | None:
    """Operators without a report whose fewest and most states would make iterations of other lengths."""
    if not kinds:
        return None
    likely = _length(problem, problem.timing, ii)
    for most in (False, True):
        found = _length(problem, _at(problem, kinds, most), ii)
        if found is None or likely is None or abs(found - likely) > max(_NEAR, _SHARE * likely):
            return estimate(kinds)
    return None


def span(problem: Problem, kinds: frozenset[str], storage: Storage, ii: int) -> Bounds:
    """Fewest and most states of an iteration at ``ii`` where those of ``kinds`` are estimates."""
    if _divided(problem, storage) is not None:
        return Bounds(None, None)
    return Bounds(*(_length(problem, _at(problem, kinds, most), ii) for most in (False, True)))


def _at(problem: Problem, kinds: frozenset[str], most: bool) -> dict[int, Timing]:
    ops = problem.graph.ops
    return {
        i: replace(t, states=(t.most if most else t.least) or t.states) if ops[i].kind in kinds else t
        for i, t in problem.timing.items()
    }


def _length(problem: Problem, timing: Mapping[int, Timing], ii: int) -> int | None:
    """States of an iteration by dependences alone."""
    found = earliest(replace(problem, timing=timing), ii)
    return None if found is None else max((s + timing[i].states for i, s in found[0].items()), default=0)


def _divided(problem: Problem, storage: Storage) -> str | None:
    """An access whose bank takes a division: the divider's states are in too few reports (n bits: n + 4)."""
    for op in problem.graph.memory:
        use = problem.ports.get(op.id)
        if op.ref is None or use is None or len(use.banks) < 2:
            continue
        layout = storage.memory(op.ref.variable).layout
        forms = op.ref.index or (None,) * len(layout.dims)
        for form, dim in zip(forms, layout.dims, strict=False):
            if by := division(form, dim):
                name = storage.program.variable(op.ref.variable).name
                return (
                    f"how many states the division of an index by {by} takes that picks the bank of {name} is not known"
                )
    return None
