"""Whether a loop's body needs its iterator as an object, under its name, where a number will not do."""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.program import Call, Comma, Conditional, Expr, Loop, Name, Program, Variable
from hlspart.transform.copying import all_expressions


def is_needed_by_name(program: Program, loop: Loop, iterator: Variable) -> bool:
    """Whether a macro, text that no record explains, or what may be a reference says the iterator's name."""
    declared = {d.name.span for v in program.variables for d in v.declarations}
    names = [e for e in all_expressions(program, loop.body) if isinstance(e, Name)]
    evaluated = {(e.at.span.path, e.at.span.end) for e in names}
    said = [at for at in program.mentions.get(iterator.name, ()) if loop.body.at.span.holds(at)]
    return (
        any(is_name(e, iterator.id) and e.at.kind != "plain" for e in names)
        or (program.is_cxx(loop.at.span.path) and _is_bound(program, loop, iterator.id))
        or any((at.path, at.end) not in evaluated and at not in declared for at in said)
    )


def is_name(expr: Expr, variable: int) -> bool:
    """Whether an expression is just the name of a variable."""
    return isinstance(expr, Name) and expr.variable == variable


def _is_bound(program: Program, loop: Loop, iterator: int) -> bool:
    """Whether a call may bind the iterator to a reference that a number of its type does not fit as well."""
    return any(
        is_name(e, iterator) and not _takes_values(program, call, k)
        for call in all_expressions(program, loop.body)
        if isinstance(call, Call) and not (call.function and "." in call.function)  # streams take any value
        for k, given in enumerate(call.args)
        for e in _referents(given)
    )


def _takes_values(program: Program, call: Call, k: int) -> bool:
    """Whether argument ``k`` of a call is a new object, whatever is given, and no other function may be meant."""
    name = call.function or ""
    if name not in program.functions or "(" in name or any(other.startswith(f"{name}(") for other in program.functions):
        return False
    params = program.functions[name].params
    return k < len(params) and not program.variable(params[k]).reference


def _referents(e: Expr) -> Iterator[Expr]:
    """What a reference to ``e`` may be bound to, other than a new value."""
    if isinstance(e, Conditional):
        yield from _referents(e.then)
        yield from _referents(e.other)
    elif isinstance(e, Comma):
        yield from _referents(e.items[-1])
    else:
        yield e
