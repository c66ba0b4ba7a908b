"""Variables that several tasks of a DATAFLOW region may share, and those that keep their values."""

from __future__ import annotations

from functools import lru_cache
from itertools import count

from hlspart.model import program as c
from hlspart.rules._nests import active, is_of_member
from hlspart.rules._uses import own_expressions, root_of


def apart(program: c.Program) -> frozenset[int]:
    """Variables that several tasks may share, because a directive says so (STABLE, STREAM type=shared or unsync)."""
    variables: set[int] = set()
    for d in program.directives:
        shared = d.kind == "stream" and d.choice("type", ("shared", "unsync")) in ("shared", "unsync")
        if d.usable and (shared or d.kind in ("stable", "shared")):
            variables.update(d.variables)
    return frozenset(variables)


def registers(program: c.Program) -> frozenset[int]:
    """Arrays that ARRAY_PARTITION makes variables of: an element is then no memory that only one task may access."""
    return frozenset(v for v, rows in split_rows(program).items() if rows == len(program.variable(v).dims))


@lru_cache(maxsize=8)
def split_rows(program: c.Program) -> dict[int, int]:
    """Arrays of which ARRAY_PARTITION makes memories of their own, row by row, by how many leading indices."""
    dims: dict[int, set[int]] = {}
    for d in active(program, "array_partition"):
        if d.choice("type", ("cyclic", "block", "complete")) in (None, "complete") and not is_of_member(d):
            for ident in d.variables:
                every, dim = range(1, len(program.variable(ident).dims) + 1), d.values.get("dim", 1)
                dims.setdefault(ident, set()).update(every if dim == 0 else (dim,))
    return {v: next(k for k in count() if k + 1 not in known) for v, known in dims.items()}


@lru_cache(maxsize=8)
def memories(program: c.Program) -> frozenset[int]:
    """Arguments behind an AXI master, handed on by calls too: several tasks may access external memory."""
    variables = {
        v
        for d in program.directives
        if d.kind == "interface" and d.usable and d.choice("mode", ("m_axi",)) == "m_axi"
        for v in d.variables
    }
    handed = [
        (root[0], function.params[k])
        for caller in program.functions.values()
        for top in own_expressions(program, caller.body)
        for call in c.walk(top)
        if isinstance(call, c.Call) and (function := program.functions.get(call.function or "")) is not None
        for k, arg in enumerate(call.args[: len(function.params)])
        if (root := root_of(arg)) is not None
    ]
    while more := {parameter for given, parameter in handed if given in variables} - variables:
        variables |= more
    return frozenset(variables)


def is_state(program: c.Program, variable: int) -> bool:
    """Whether a variable keeps its value from call to call."""
    return program.variable(variable).storage in ("global", "static")
