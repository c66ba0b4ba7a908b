"""``--split-struct``: an array member that is partitioned becomes an array of its own.

``s.a`` of a variable ``s`` that is only used member by member is declared as ``s_a`` behind ``s``, and
every ``s.a`` becomes ``s_a``. The type keeps its member, so that sizes and other variables stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from hlspart.model.directives import Directive
from hlspart.model.program import (
    ArrayType,
    Expr,
    InitList,
    Member,
    Name,
    Program,
    SizeOf,
    StringLit,
    StructType,
    Variable,
    children,
)
from hlspart.model.rewriting import GroupOutcome
from hlspart.model.source import Edit, Origin, Span
from hlspart.rewrite.linear import effects
from hlspart.rewrite.names import Names
from hlspart.rewrite.plan import GroupRefusal
from hlspart.rewrite.uses import roots
from hlspart.transform.printer import type_text

NO_GROUP = -1  # in outcomes: a member of a struct is in no group of arrays


class Split(Struct, frozen=True):
    """One member taken out: its new name, the function it is in, and the edits that do it."""

    variable: int
    field: str
    name: str
    function: str | None
    edits: tuple[Edit, ...]


def wanted(program: Program) -> dict[tuple[int, str], list[Directive]]:
    """(variable, member) of every ARRAY_PARTITION that names an array member, with those directives."""
    directives: dict[tuple[int, str], list[Directive]] = {}
    for directive in program.directives:
        if directive.kind != "array_partition" or not any(p.code == "struct-member" for p in directive.problems):
            continue
        parts = (directive.option("variable") or "").split(".")
        if len(directive.variables) == 1 and len(parts) == 2:
            directives.setdefault((directive.variables[0], parts[1]), []).append(directive)
    return directives


def left_alone(program: Program) -> tuple[GroupOutcome, ...]:
    """What becomes of partitioned members without ``--split-struct``."""
    reason = "an array member of a struct; --split-struct makes it an array of its own"
    return tuple(
        _outcome(program, variable, field, "ignored", GroupRefusal("struct-member", reason, directives[0].at))
        for (variable, field), directives in wanted(program).items()
    )


def splits(program: Program) -> tuple[list[Split], list[GroupOutcome]]:
    """Every member that can be taken out, and the outcomes of those that cannot."""
    names = Names.of(program)
    done: list[Split] = []
    refused: list[GroupOutcome] = []
    for (variable, field), directives in wanted(program).items():
        result = _split(program, program.variable(variable), field, directives, names)
        if isinstance(result, GroupRefusal):
            refused.append(_outcome(program, variable, field, "refused", result))
        else:
            done.append(result)
    return [_quiet(program, split, done) for split in done], refused


def _quiet(program: Program, split: Split, done: Sequence[Split]) -> Split:
    """Keep gcc from warning of a struct all of whose used members are taken out; said by its first split."""
    variable = program.variable(split.variable)
    mine = [other for other in done if other.variable == split.variable]
    used = {member.field for member in _uses(program, variable) if isinstance(member, Member)}
    if mine[0] is not split or used - {other.field for other in mine}:
        return split
    declarator = variable.declarations[0]
    if variable.function is None:
        at, text = declarator.declarator.span.end, " __attribute__((unused))"
    else:
        at, text = declarator.statement.span.end, f" (void){variable.name};"
    return replace(split, edits=(*split.edits, Edit(Span(variable.at.span.path, at, at), text)))


def refused_later(program: Program, split: Split, outcome: GroupOutcome) -> GroupOutcome:
    """The outcome of a member whose array could not be rewritten after all."""
    at = program.variable(split.variable).at
    refusal = GroupRefusal(outcome.code or "refused", outcome.reason or outcome.status, at)
    return _outcome(program, split.variable, split.field, "refused", refusal)


def _outcome(program: Program, variable: int, field: str, status: str, refusal: GroupRefusal) -> GroupOutcome:
    name = f"{program.variable(variable).name}.{field}"
    return GroupOutcome(NO_GROUP, (name,), status, None, refusal.code, refusal.reason, refusal.at)  # type: ignore[arg-type]


def _split(
    program: Program, variable: Variable, field: str, directives: Sequence[Directive], names: Names
) -> Split | GroupRefusal:
    refusal = _form_refusal(program, variable, field)
    if refusal is not None:
        return refusal
    assert isinstance(variable.type, StructType)
    kind = dict(variable.type.members)[field]
    element = type_text(kind.element) if isinstance(kind, ArrayType) else None
    if not isinstance(kind, ArrayType) or element is None or None in kind.dims:
        return GroupRefusal("struct-member", f"'{variable.name}.{field}' is no array of a named type", variable.at)
    new = names.free(f"{variable.name}_{field}")
    edits: list[Edit] = []
    for member in _uses(program, variable):
        if not isinstance(member, Member):
            return GroupRefusal("struct-member", f"'{variable.name}' is used as a whole", member.at)
        if member.field == field and not member.at.editable:
            return GroupRefusal("macro", f"'{variable.name}.{field}' is used inside a macro", member.at)
        if member.field == field:
            edits.append(Edit(member.at.span, new))
    initial = _initial(program, variable, field)
    if isinstance(initial, GroupRefusal):
        return initial
    for directive in directives:
        old = program.text(directive.at)
        text, count = re.subn(rf"\b{variable.name}\s*\.\s*{field}\b", new, old)
        if directive.source != "pragma" or not directive.at.editable or count != 1:
            return GroupRefusal("struct-member", "a directive outside of the text names the member", directive.at)
        edits.append(Edit(directive.at.span, text))
    storage = "static " if variable.storage == "static" or variable.internal else ""
    storage += "const " if variable.const else ""
    dims = "".join(f"[{n}]" for n in kind.dims)
    end = variable.declarations[0].statement.span.end
    text = f" {storage}{element} {new}{dims}{initial};"
    edits.append(Edit(Span(variable.at.span.path, end, end), text))
    return Split(variable.id, field, new, variable.function, tuple(edits))


def _form_refusal(program: Program, variable: Variable, field: str) -> GroupRefusal | None:
    """Declarations that cannot have another one behind them, and text that is not seen."""
    declarator = variable.declarations[0]
    at = declarator.statement
    if variable.storage == "parameter" or not isinstance(variable.type, StructType) or variable.type.union:
        return GroupRefusal("struct-member", f"'{variable.name}' is no struct variable of its own", variable.at)
    if variable.storage == "global" and not variable.internal:
        return GroupRefusal("struct-member", f"'{variable.name}' may be used in other files", variable.at)
    if field not in dict(variable.type.members):
        return GroupRefusal("struct-member", f"'{variable.name}' has no member '{field}'", variable.at)
    given = program.given
    if variable.extern or variable.volatile or len(variable.declarations) > 1 or at.span.path not in given:
        return GroupRefusal("struct-member", f"'{variable.name}' is not declared once in a given file", variable.at)
    if not at.editable or not program.text(at).endswith(";") or variable.scope in program.loops:
        return GroupRefusal("declaration", f"'{variable.name}' has an unusual declaration", at)
    word = re.compile(rf"\b{variable.name}\s*\.\s*{field}\b")
    for region in program.inactive:
        if word.search(program.text(region)):
            reason = f"'{variable.name}.{field}' is also named in text that #if leaves out"
            return GroupRefusal("inactive", reason, Origin(region))
    for hole in program.holes:
        if variable.name in hole.names:
            return GroupRefusal("opaque", f"'{variable.name}' is also named in text that is not read", Origin(hole.at))
    return None


def _uses(program: Program, variable: Variable) -> Iterator[Expr]:
    """The members of ``variable`` that are used, and each use of it as a whole; sizes do not count."""

    def visit(expr: Expr) -> Iterator[Expr]:
        match expr:
            case Member(base=Name(variable=ident)) if ident == variable.id:
                yield expr
            case Name(variable=ident) if ident == variable.id:
                yield expr
            case SizeOf():
                return
            case _:
                for child in children(expr):
                    yield from visit(child)

    for root, _ in roots(program):
        yield from visit(root)


def _initial(program: Program, variable: Variable, field: str) -> str | GroupRefusal:
    """`` = value`` of the new array, "" where it needs none."""
    init = variable.init
    assert isinstance(variable.type, StructType)
    if init is None:
        return ""
    at = init.at
    if not isinstance(init, InitList):
        return GroupRefusal("initialiser", f"'{variable.name}' is not initialised by a list", at)
    members = [name for name, _ in variable.type.members]
    aggregates = {name for name, kind in variable.type.members if isinstance(kind, ArrayType | StructType)}
    initial: Expr | None = None
    here = 0
    for designators, value in init.items:
        if designators:
            if len(designators) > 1 or designators[0] not in members:
                return GroupRefusal("initialiser", "an initialiser of a part of a member", value.at)
            here = members.index(str(designators[0]))
        if here >= len(members) or (members[here] in aggregates and not isinstance(value, InitList | StringLit)):
            return GroupRefusal("initialiser", "an initialiser without the braces of its member", value.at)
        initial = value if members[here] == field else initial
        here += 1
    if initial is None:
        return " = {0}" if variable.function is not None and variable.storage == "local" else ""
    if effects(initial) is not None or not initial.at.editable:
        return GroupRefusal("initialiser", "an initial value that cannot be written twice", initial.at)
    return f" = {program.text(initial.at)}"
