"""Locals without an initial value, and texts that give one of them a value: what is read before it is written."""

from __future__ import annotations

from hlspart.model.program import ArrayType, Program, ScalarType, StructType, Variable
from hlspart.model.source import Edit, Span, apply_edits


def candidates(program: Program) -> list[Variable]:
    """Locals of the only source file that have no initial value, in the order of the text."""
    path = program.units[0].path
    variables = [
        v for v in program.variables
        if v.storage == "local" and v.init is None and not v.reference and not v.extern
        and isinstance(v.type, ScalarType | ArrayType | StructType) and None not in v.dims
        and len(v.declarations) == 1 and v.at.editable and v.at.span.path == path
        and v.declarations[0].initialiser is None
    ]  # fmt: skip
    return sorted(variables, key=lambda v: v.at.span.start)


def initialised(program: Program, variable: Variable) -> str:
    """The text of the only source file with ``variable`` set to zero where it is declared."""
    path = program.units[0].path
    at = variable.declarations[0].declarator.span.end
    value = " = {}" if program.units[0].language == "c++" else " = {0}"
    return apply_edits(program.sources[path], [Edit(Span(path, at, at), value)])
