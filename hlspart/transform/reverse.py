"""A loop that runs backwards: the example of a transformation, see CONTRIBUTING.md."""

from __future__ import annotations

from msgspec.structs import replace

from hlspart.model.access import AccessAnalysis
from hlspart.model.program import (
    ArrayRef,
    Assign,
    Binary,
    Block,
    Call,
    Declare,
    IncDec,
    Jump,
    Label,
    Loop,
    Name,
    OpaqueExpr,
    PointerType,
    Program,
    Return,
    Unary,
    walk_statements,
)
from hlspart.model.source import Origin
from hlspart.semantics.conversions import limits
from hlspart.semantics.overlap import overlaps
from hlspart.sets.reorder import is_carried
from hlspart.transform.changes import made, number
from hlspart.transform.copying import Copier, all_expressions, with_statements
from hlspart.transform.forward import Forward
from hlspart.transform.printer import Unprintable


def reverse(program: Program, analysis: AccessAnalysis, loop: int) -> tuple[Program, Forward]:
    """``program`` with the iterations of a loop from the last to the first.

    Raises Unprintable, with the reason and its place, where that may change a result.
    """
    refuse_reverse(program, analysis, loop)
    old, info = program.loops[loop], analysis.loops[loop]
    assert info.variable is not None and info.step is not None and info.lower is not None
    assert info.trip_count.exact is not None and old.test is not None and old.step is not None
    variable = program.variable(info.variable)
    assert variable.init is not None

    def iterator(at: Origin) -> Name:
        return Name(made(at), variable.type, variable.id)

    first, step = info.lower.const, info.step
    last = first + (info.trip_count.exact - 1) * step
    test = Binary(made(old.test.at), old.test.type, ">=" if step > 0 else "<=", iterator(old.test.at),
                  number(first, old.test.at))  # fmt: skip
    back = Assign(made(old.step.at), variable.type, "-=" if step > 0 else "+=", iterator(old.step.at),
                  number(abs(step), old.step.at))  # fmt: skip
    copier = Copier(program)
    copier.variables[variable.id] = replace(variable, init=number(last, variable.init.at))
    function = program.functions[old.function]
    body = with_statements(function.body, {loop: (replace(old, test=test, step=back),)})
    assert isinstance(body, Block)
    return copier.result(replace(function, body=body))


def refuse_reverse(program: Program, analysis: AccessAnalysis, loop: int) -> None:
    """Raise Unprintable unless the loop counts between two numbers and no iteration needs another one."""
    old, info = program.loops[loop], analysis.loops[loop]

    def refuse(reason: str, at: Origin | None = None) -> None:
        raise Unprintable(reason, at or old.at)

    counted = info.variable is not None and info.step is not None and info.lower is not None and not info.exits
    if old.kind != "for" or not counted or not isinstance(old.init, Declare) or len(old.init.variables) != 1:
        refuse("the loop does not declare what it counts")
    assert info.lower is not None and info.variable is not None and info.step is not None
    trips, kind = info.trip_count.exact, program.variable(info.variable).type
    if info.lower.terms or not trips:
        refuse("the first or the last value is not known")
    span = limits(kind)
    if span is None or span[0] == 0 or not span[0] <= info.lower.const - info.step <= span[1]:
        refuse("the iterator cannot go beyond its first value")
    refuse_hidden_order(program, old.body)
    mine = [a for a in analysis.accesses if loop in a.loops]
    for write in (a for a in mine if a.kind == "write"):
        for other in (b for b in mine if b.array == write.array):
            if is_carried(write, other, info.iterator or ""):
                name = program.variable(write.array).name
                refuse(f"iterations meet in an element of '{name}'", write.at)
    if any(s.id != loop and s.kind != "for" for s in walk_statements(old) if isinstance(s, Loop)):
        refuse("a loop inside is not counted")


def refuse_hidden_order(program: Program, body: Block, own: frozenset[int] = frozenset()) -> None:
    """Raise Unprintable unless iterations of ``body`` meet in elements of arrays alone.

    ``own``: variables that each iteration gives a value before it reads them, and that nothing reads later.
    """

    def refuse(reason: str, at: Origin) -> None:
        raise Unprintable(reason, at)

    inside = {v for s in walk_statements(body) if isinstance(s, Declare) for v in s.variables} | own
    names = overlaps(program).stored_twice_named(all_expressions(program, body))
    if names is not None:
        refuse(f"'{names[0].name}' and '{names[1].name}' may be one array", body.at)
    for stmt in walk_statements(body):
        if isinstance(stmt, Jump | Label | Return):
            refuse("the body has a jump or a label", stmt.at)
        if isinstance(stmt, Declare) and any(program.variable(v).storage == "static" for v in stmt.variables):
            refuse("the body has a static variable", stmt.at)
    for e in all_expressions(program, body):
        match e:
            case Call() | OpaqueExpr():
                refuse("the body does what is not seen", e.at)
            case Unary(op="&" | "*"):
                refuse("the body uses an address", e.at)
            case Assign(target=Name(variable=v)) | IncDec(operand=Name(variable=v)):
                if v not in inside:
                    refuse(f"'{program.variable(v).name}' has a value that iterations hand on", e.at)
            case Assign(target=ArrayRef()) | IncDec(operand=ArrayRef()):
                pass
            case Assign() | IncDec():
                refuse("the body changes what is no element of an array", e.at)
            case Name(type=PointerType()):
                refuse("the body uses an address", e.at)
            case Name(variable=v) | ArrayRef(variable=v) if program.variable(v).volatile:
                refuse(f"'{program.variable(v).name}' is volatile", e.at)
