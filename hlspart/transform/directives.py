"""Pragmas added to a program and taken out of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from msgspec import Struct
from msgspec.structs import replace

from hlspart.model.directives import Directive, RawPragma
from hlspart.model.program import Block, Declare, Loop, PragmaMark, Program, Stmt, Variable
from hlspart.model.rebuild import map_parts
from hlspart.model.source import Origin
from hlspart.transform.changes import inserted

#: Reads one pragma of a program, see :func:`hlspart.frontend.directives.directive_of`.
Read = Callable[[Program, RawPragma], Directive | None]


class Wish(Struct, frozen=True):
    """A pragma about a variable; ``function`` is where it is said of one of file scope. ``text`` follows #pragma."""

    variable: int
    function: str | None
    text: str


def with_pragmas(program: Program, removed: Collection[int], wishes: Sequence[Wish], read: Read) -> Program:
    """``program`` without the directives of these numbers, and with a pragma for each wish that has a place.

    A pragma about a local variable goes behind its declaration, any other to the start of the function's body.
    A directive that is not a line of its own in the source stays.
    """
    gone = {program.directives[k].pragma: k for k in removed if _is_removable(program, program.directives[k])}
    added: dict[int, list[tuple[Declare | None, PragmaMark]]] = {}
    pragmas, fresh = list(program.pragmas), list[RawPragma]()
    homes = _homes(program)
    for wish in wishes:
        place = _place(program, homes, wish)
        if place is None:
            continue
        block, behind, at, loop = place
        function = program.variable(wish.variable).function or wish.function
        fresh.append(RawPragma(len(pragmas), at, wish.text, wish.text, function, loop, block.id))
        pragmas.append(fresh[-1])
        added.setdefault(block.id, []).append((behind, PragmaMark(at, fresh[-1].index)))
    if not (gone or fresh):
        return program

    def stmt(s: Stmt) -> Stmt:
        new = map_parts(s, lambda e: e, stmt)
        if not isinstance(s, Block) or not isinstance(new, Block):
            return new
        mine = added.get(s.id, ())
        body: list[Stmt] = [mark for behind, mark in mine if behind is None]
        for old, inner in zip(s.body, new.body, strict=True):
            if not (isinstance(inner, PragmaMark) and inner.pragma in gone):
                body.append(inner)
            body += [mark for behind, mark in mine if behind is old]
        same = len(body) == len(new.body) and all(a is b for a, b in zip(body, new.body, strict=True))
        return new if same else replace(new, body=tuple(body))

    functions = {}
    for name, old in program.functions.items():
        body = stmt(old.body)
        assert isinstance(body, Block)
        functions[name] = old if body is old.body else replace(old, body=body)
    result = replace(program, functions=functions, pragmas=tuple(pragmas))
    kept = [d for d in program.directives if d.pragma not in gone or d.pragma is None]
    readings = (read(result, pragma) for pragma in fresh)
    return replace(result, directives=(*kept, *(d for d in readings if d is not None)))


def _is_removable(program: Program, directive: Directive) -> bool:
    """Whether a pragma begins a line of the source."""
    if directive.source != "pragma" or directive.pragma is None or not directive.at.editable:
        return False
    source = program.sources[directive.at.span.path]
    line = source.line_span(source.line_column(directive.at.span.start)[0])
    return not source.text[line.start : directive.at.span.start].strip()


_Homes = dict[int, tuple[Block, Declare, int | None]]


def _homes(program: Program) -> _Homes:
    """By variable: the block in which it is declared, the statement that does, and the loop around it."""
    homes: _Homes = {}

    def visit(stmt: Stmt, block: Block | None, loop: int | None) -> Stmt:
        if isinstance(stmt, Declare) and block is not None:
            homes.update((v, (block, stmt, loop)) for v in stmt.variables)
        inner = stmt.id if isinstance(stmt, Loop) else loop
        around = stmt if isinstance(stmt, Block) else None
        return map_parts(stmt, lambda e: e, lambda s: visit(s, around, inner))

    for function in program.functions.values():
        visit(function.body, None, None)
    return homes


def _place(program: Program, homes: _Homes, wish: Wish) -> tuple[Block, Declare | None, Origin, int | None] | None:
    variable = program.variable(wish.variable)
    if _local(variable):
        statement = variable.declarations[0].statement
        if not statement.editable or wish.variable not in homes:
            return None
        block, declare, loop = homes[wish.variable]
        return block, declare, inserted(statement.span.path, statement.span.end), loop
    function = program.functions.get(variable.function or wish.function or "")
    if function is None or not function.body.at.editable:
        return None
    return function.body, None, inserted(function.body.at.span.path, function.body.at.span.start + 1), None


def _local(variable: Variable) -> bool:
    return variable.function is not None and variable.storage != "parameter"
