"""Whether two addresses are one, as ``if (&other == this)`` of an assignment asks."""

from __future__ import annotations

from hlspart.model.program import (
    ArrayRef,
    ArrayType,
    Assign,
    Binary,
    Call,
    Expr,
    IncDec,
    Member,
    Name,
    PointerType,
    Program,
    Subscript,
    Unary,
    Variable,
    walk,
)


def is_apart(program: Program, test: Expr) -> bool:
    """Whether a test compares the addresses of places in two variables, which no place shares.

    An argument may be any variable but one of the function itself. Indices that change something stay as they are.
    """
    match test:
        case Binary(op="==" | "!=", left=Unary(op="&", operand=one), right=Unary(op="&", operand=other)):
            if any(isinstance(e, Assign | Call | IncDec) for e in walk(test)):
                return False
            a, b = _variable(program, one), _variable(program, other)
            if a is None or b is None or a.id == b.id:
                return False
            handed = [x for x in (a, b) if x.storage == "parameter" and isinstance(x.type, ArrayType)]
            return not handed or (len(handed) == 1 and "local" in (a.storage, b.storage))
    return False


def _variable(program: Program, place: Expr) -> Variable | None:
    """The variable that a place is in, None where that is another name of some variable."""
    while isinstance(place, Subscript) or (isinstance(place, Member) and not place.arrow):
        place = place.base
    if not isinstance(place, Name | ArrayRef):
        return None
    variable = program.variable(place.variable)
    return None if variable.reference or isinstance(variable.type, PointerType) else variable
