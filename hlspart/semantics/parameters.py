"""What depends on the parameters of templates that nothing instantiates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from hlspart.model import program as c
from hlspart.model.code import once_per_code
from hlspart.semantics.effects import statement_expressions


class OpenParts(Struct, frozen=True):
    """What of a function depends on parameters: a number in its statements or its arrays, and a type."""

    number: str | None
    type: bool


def _split(program: c.Program) -> frozenset[int]:
    """Arrays that directives split, so that their extents are numbers of memories."""
    split = (d for d in program.directives if d.kind in ("array_partition", "array_reshape"))
    return frozenset(v for d in split for v in d.variables)


@once_per_code(32, counts=_split)
def open_parts(program: c.Program) -> Mapping[str, OpenParts]:
    """Functions of templates without an instance that depend on their parameters."""
    if not any(f.open or f.lacking for f in program.functions.values()):
        return {}
    local: dict[str, list[c.Variable]] = {}
    split = _split(program)
    for variable in program.variables:
        if variable.function is not None:
            local.setdefault(variable.function, []).append(variable)
    parts: dict[str, OpenParts] = {}
    for name, function in program.functions.items():
        own = local.get(name, [])
        counted = (v for v in own if v.storage == "local" or (function.open and v.id in split))
        number = parameter_in(program, (function.body,)) or open_extent(counted)
        of_type = any(_is_of_open(v.type) for v in own)
        if number is not None or of_type:
            parts[name] = OpenParts(number, of_type)
    return parts


def _is_of_open(kind: c.CType) -> bool:
    """Whether a type, or that of a member of it, depends on a parameter without a value."""
    kind = c.held(kind)
    if isinstance(kind, c.StructType):
        return any(_is_of_open(member) for _, member in kind.members)
    return c.is_open(kind)


def parameter_in(program: c.Program, body: Iterable[c.Stmt]) -> str | None:
    """The first parameter without a value in statements, and in the loops among them."""
    for stmt in body:
        for top in statement_expressions(program, stmt):
            for expr in c.walk(top):
                if isinstance(expr, c.OpaqueExpr) and expr.what == c.OPEN_PARAMETER:
                    return program.text(expr.at)
    return None


def open_extent(arrays: Iterable[c.Variable]) -> str | None:
    """An array whose extent is not known, by which the tool may make registers of it."""
    return next((f"the extents of {v.name}" for v in arrays if None in v.dims), None)
