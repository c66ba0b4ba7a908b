"""Directives to try on a loop, as they would be written; the loop is then predicted from a copy of the program."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct
from msgspec.structs import replace

from hlspart.lowering.directed import is_unit_of
from hlspart.model.directives import Directive, Option
from hlspart.model.program import Program
from hlspart.model.source import Origin


class Change(Struct, frozen=True):
    """Directives to add, and the ones that they take the place of."""

    added: tuple[Directive, ...]
    gone: tuple[Directive, ...] = ()


def changed(program: Program, changes: Collection[Change]) -> Program:
    """The program with all ``changes``, added directives last."""
    gone = {id(d) for c in changes for d in c.gone}
    kept = tuple(d for d in program.directives if id(d) not in gone)
    return replace(program, directives=(*kept, *(d for c in changes for d in c.added)))


def independent(program: Program, loop: int, variable: int) -> Change:
    """DEPENDENCE that denies what iterations hand to each other through an array."""
    at, function = program.loops[loop].header, program.loops[loop].function
    words = {"variable": program.variable(variable).name, "type": "inter", "dependent": "false"}
    return Change((_written("dependence", words, {}, at, function, loop, (variable,)),))


def pipelined_whole(program: Program, function: str) -> Change:
    """PIPELINE on a function."""
    return Change((_written("pipeline", {}, {}, program.functions[function].name_at, function, None, ()),))


def allocation(program: Program, function: str, unit: str, limit: int) -> Change | None:
    """A larger ALLOCATION limit in place of the ones on a kind of unit."""
    old = [
        d for d in program.directives
        if d.kind == "allocation" and d.usable and d.function == function and is_unit_of(d, unit)
    ]  # fmt: skip
    made = tuple(replace(d, values={**d.values, "limit": max(limit, d.values.get("limit", 0))}) for d in old)
    return Change(made, tuple(old)) if old else None


def _directive(program: Program, kind: str, words: dict[str, str], values: dict[str, int], variable: int) -> Directive:
    info = program.variable(variable)
    function = info.function or next(iter(program.functions))
    return _written(kind, words, values, info.at, function, None, (variable,))


def _written(
    kind: str,
    words: dict[str, str],
    values: dict[str, int],
    at: Origin,
    function: str,
    loop: int | None,
    variables: tuple[int, ...],
) -> Directive:
    options = tuple(Option(name, value, at) for name, value in words.items())
    text = f"HLS {kind} " + " ".join(f"{name}={value}" for name, value in words.items())
    return Directive(kind, "vitis", "pragma", at, text, options, values, function, loop, variables)
