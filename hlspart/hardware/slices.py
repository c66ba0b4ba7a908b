"""Rows of arrays that calls pass: ``f(a[i])`` gives a parameter of ``f`` the memory of ``a`` behind the index."""

from __future__ import annotations

from hlspart.model.access import ArrayGroup
from hlspart.model.code import once_per_code
from hlspart.model.program import ArrayRef, Call, Program
from hlspart.semantics.effects import effects

Slice = tuple[int, int]  # array, number of its leading dimensions that the call fixes


@once_per_code(16)
def slices(program: Program) -> dict[int, frozenset[Slice] | None]:
    """What calls pass to each array parameter that some call passes a row to; None: also something else."""
    rows: dict[int, set[Slice]] = {}
    other: set[int] = set()
    for calls in effects(program).calls.values():
        for call in calls:
            for given, parameter in zip(call.args, _parameters(program, call), strict=False):
                if isinstance(given, ArrayRef) and _row(program, given):
                    rows.setdefault(parameter, set()).add((given.variable, len(given.indices)))
                else:
                    other.add(parameter)
    return {p: None if p in other else frozenset(used) for p, used in rows.items()}


def only_rows(program: Program, group: ArrayGroup) -> bool:
    """Whether nothing but rows that given functions get keeps a group from being followed to all its elements."""
    known = {
        (given.at, given.variable)
        for calls in effects(program).calls.values()
        for call in calls
        for given, parameter in zip(call.args, _parameters(program, call), strict=False)
        if isinstance(given, ArrayRef) and _row(program, given) and slices(program).get(parameter)
    }
    return all((f.at, f.variable) in known for f in group.faults)


def _parameters(program: Program, call: Call) -> tuple[int, ...]:
    callee = program.functions.get(call.function or "")
    return callee.params if callee is not None else ()


def _row(program: Program, given: ArrayRef) -> bool:
    return 0 < len(given.indices) < len(program.variable(given.variable).dims)
