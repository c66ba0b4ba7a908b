"""Rows of arrays that calls pass: ``f(a[i])`` gives a parameter of ``f`` the memory of ``a`` behind the index."""

from __future__ import annotations

from hlspart.model.code import once_per_code
from hlspart.model.program import ArrayRef, Program
from hlspart.semantics.effects import effects

Slice = tuple[int, int]  # array, number of its leading dimensions that the call fixes


@once_per_code(16)
def slices(program: Program) -> dict[int, frozenset[Slice] | None]:
    """What calls pass to each array parameter that some call passes a row to; None: also something else."""
    rows: dict[int, set[Slice]] = {}
    other: set[int] = set()
    for calls in effects(program).calls.values():
        for call in calls:
            callee = program.functions.get(call.function or "")
            for given, parameter in zip(call.args, callee.params if callee is not None else (), strict=False):
                if isinstance(given, ArrayRef) and _row(program, given):
                    rows.setdefault(parameter, set()).add((given.variable, len(given.indices)))
                else:
                    other.add(parameter)
    return {p: None if p in other else frozenset(found) for p, found in rows.items()}


def _row(program: Program, given: ArrayRef) -> bool:
    return 0 < len(given.indices) < len(program.variable(given.variable).dims)
