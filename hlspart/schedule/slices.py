"""Rows of arrays that calls pass: ``f(a[i])`` gives a parameter of ``f`` the memory of ``a`` behind the index."""

from __future__ import annotations

from hlspart.model.program import ArrayRef, Call, Program, expressions, walk, walk_statements

Slice = tuple[int, int]  # array, number of its leading dimensions that the call fixes


def slices(program: Program) -> dict[int, frozenset[Slice] | None]:
    """What calls pass to each array parameter that some call passes a row to; None: also something else."""
    rows: dict[int, set[Slice]] = {}
    other: set[int] = set()
    for function in program.functions.values():
        for statement in walk_statements(function.body):
            for expression in expressions(statement):
                for call in walk(expression):
                    callee = program.functions.get(call.function or "") if isinstance(call, Call) else None
                    if not isinstance(call, Call) or callee is None:
                        continue
                    for given, parameter in zip(call.args, callee.params, strict=False):
                        if isinstance(given, ArrayRef) and _row(program, given):
                            rows.setdefault(parameter, set()).add((given.variable, len(given.indices)))
                        else:
                            other.add(parameter)
    return {p: None if p in other else frozenset(found) for p, found in rows.items()}


def _row(program: Program, given: ArrayRef) -> bool:
    return 0 < len(given.indices) < len(program.variable(given.variable).dims)
