"""Where bank-centric code goes in the user's text: around a region's statements, and its macros before a function."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence

from hlspart.model.program import (
    ArrayRef,
    Assign,
    Declare,
    Expr,
    IncDec,
    Loop,
    Name,
    Program,
    children,
    expressions,
    walk,
    walk_statements,
)
from hlspart.model.source import Span
from hlspart.rewrite.buffer import EditBuffer
from hlspart.rewrite.formulas import Macro
from hlspart.rewrite.plan import Plan
from hlspart.rewrite.regions import AccessRegion
from hlspart.rewrite.templates import render
from hlspart.semantics.places import before

#: Columns of a generated line.
WIDTH = 120
_QUALIFIERS = re.compile(r"(?:(?:\b\w+\s*)?::\s*)+\Z")
_BREAK = re.compile(r"(?<= :) |(?<= \|\|) |(?<=,) |(?<= =) |(?<=\)) (?=\w+\[)")


def folded(text: str, width: int, more: str = "    ", end: str = "") -> str:
    """``text`` in lines of at most ``width`` columns, broken behind ``:``, ``,`` and ``||``, later ones after ``more``.

    ``end`` closes every line but the last.
    """
    if len(text) <= width:
        return text
    lines, line = [], ""
    for piece in _BREAK.split(text):
        longer = f"{line} {piece}" if line else piece
        if line.strip() and len(longer) + len(end) > width:
            lines.append(line + end)
            longer = more + piece
        line = longer
    return "\n".join([*lines, line])


def place(program: Program, region: AccessRegion, begin: str, end: str, buffer: EditBuffer) -> None:
    """Put ``begin`` before the region's first statement and ``end`` behind its last, in braces where there are none."""
    first, last = region.first.at.span, region.last.at.span
    source = program.sources[first.path]
    qualifiers = _QUALIFIERS.search(source.text, max(0, first.start - WIDTH), first.start)
    if qualifiers is not None:  # std::cout << A[i] is a statement from `cout` on
        first = Span(first.path, qualifiers.start(), first.end)
    number, column = source.line_column(first.start)
    line = source.line_text(number)
    indent = line[: len(line) - len(line.lstrip())]
    alone = column == len(indent) + 1
    braces = region.loop.body.braces
    inner = indent if alone and braces else indent + "    "

    def block(text: str) -> str:
        lines = []
        for one in text.strip().split("\n"):
            if one.startswith("#"):
                lines.append(one)
            else:
                lines += [inner + part for part in folded(one, WIDTH - len(inner)).split("\n")]
        return "".join("\n" + one for one in lines)

    before = block(begin) if not braces or not alone else block(begin).removeprefix("\n" + inner)
    buffer.insert(first.path, first.start, ("" if braces else "{") + before + "\n" + inner)
    after = (block(end) if end.strip() else "") + ("" if braces else f"\n{indent}}}")
    rest = source.text[last.end :].split("\n", 1)[0]
    if after and braces and rest.strip() and rest.strip()[0] not in "}/":
        after += "\n" + inner.removesuffix(rest[: len(rest) - len(rest.lstrip())])  # no `if` guards what follows
    if after:
        buffer.insert(last.path, last.end, after, closing=True)


def quiet_orphans(program: Program, plans: Sequence[Plan], buffer: EditBuffer) -> None:
    """Keep gcc quiet about variables that only indices used which are computed from iterators now."""
    gone = {s.ref.id: s.ref for p in plans for r in p.movement.regions for s in r.sites}
    gone |= {ref.id: ref for p in plans for ref, _ in p.movement.fixed}
    seen = {n.variable for ref in gone.values() for i in ref.indices for n in walk(i) if isinstance(n, Name)}
    for name in {program.variable(v).function for v in seen}:
        if name is not None:
            seen -= set(_read(program, name, gone))
            seen -= set(_in_headers(program, name))
    for variable in sorted(seen):
        array = program.variable(variable)
        if array.storage == "local" and array.declarations and array.declarations[0].statement.editable:
            at = array.declarations[0].statement.span
            buffer.insert(at.path, at.end, f" (void){array.name};")


def _in_headers(program: Program, function: str) -> Iterator[int]:
    """Variables that a loop's header declares."""
    for stmt in walk_statements(program.functions[function].body):
        if isinstance(stmt, Loop) and isinstance(stmt.init, Declare):
            yield from stmt.init.variables


def _read(program: Program, function: str, gone: Container[int]) -> Iterator[int]:
    """Variables whose value a function uses outside of the references in ``gone``."""

    def of(expr: Expr) -> Iterator[int]:
        match expr:
            case Name():
                yield expr.variable
            case ArrayRef() if expr.id in gone:
                return
            case Assign(target=Name()):
                yield from of(expr.value)
            case IncDec(operand=Name()):
                return
            case _:
                for child in children(expr):
                    yield from of(child)

    for stmt in walk_statements(program.functions[function].body):
        if isinstance(stmt, Declare):
            for init in (program.variable(v).init for v in stmt.variables):
                yield from of(init) if init is not None else ()
        else:
            for expr in expressions(stmt):
                yield from of(expr)


def insert_macros(program: Program, plan: Plan, macros: Sequence[Macro], buffer: EditBuffer) -> None:
    """The macros of a group, before the first function of each file that uses them."""
    assert plan.formulas is not None
    names = [r.loop.function for r in plan.movement.regions]
    names += [d.function for d in plan.movement.direct]
    functions = sorted({program.functions[n] for n in names}, key=lambda f: (f.unit, f.at.span.start))
    for unit in dict.fromkeys(f.unit for f in functions):
        span = next(f for f in functions if f.unit == unit).at.span
        root = program.variable(plan.owner)
        text = render(
            "crossbar_macros.c.j2",
            array=root.name,
            extents="".join(f"[{n}]" for n in plan.layout.shape),
            banks=plan.layout.banks,
            axes=", ".join(f"x{k}" for k in range(len(plan.layout.shape))),
            f=plan.formulas,
            macros=[folded(m.text, WIDTH, "    ", " \\") for m in macros],
        )
        whole = program.sources[span.path].text
        buffer.insert(span.path, before(whole, span.start), text)
