"""Pools written into the user's text: one declaration each, and every use of a member in its place there."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from hlspart.model.buffers import Pool
from hlspart.model.program import ArrayRef, Block, Program, Variable, substatements
from hlspart.model.source import Origin, Span, apply_edits, comments
from hlspart.rewrite.buffer import Conflict, EditBuffer
from hlspart.rewrite.pragmas import renamed
from hlspart.rewrite.uses import Uses


def written(program: Program, pools: Sequence[Pool]) -> dict[str, str] | Pool:
    """The new text of every given file, or the first pool whose members cannot be edited."""
    given = program.given
    buffer = EditBuffer(program.sources, given)
    uses = Uses(program)
    declared: dict[Span, list[tuple[Variable, Pool]]] = {}
    for pool in pools:
        try:
            for ident, row in pool.members:
                variable = program.variable(ident)
                _uses(program, uses, variable, pool, row, buffer)
                declared.setdefault(variable.declarations[0].statement.span, []).append((variable, pool))
            _pragmas(program, pool, buffer)
        except Conflict:
            return pool
    placed = {pool.number: _place(program, pool) for pool in pools}
    for span, gone in declared.items():
        here = [pool for pool in pools if placed[pool.number] == span]
        text = without_variables(program, span, {v.id for v, _ in gone}, [_declaration(program, p, span) for p in here])
        buffer.replace(Origin(span), text)
    for pool in pools:
        at = placed[pool.number]
        if at not in declared:
            buffer.insert(at.path, at.start, f" {_declaration(program, pool)}")
    return {path: apply_edits(program.sources[path], buffer.edits(path)) for path in sorted(given)}


def _uses(program: Program, uses: Uses, variable: Variable, pool: Pool, row: int, buffer: EditBuffer) -> None:
    for use in uses.by_variable.get(variable.id, ()):
        if not isinstance(use.node, ArrayRef):
            buffer.replace(use.node.at, pool.name)
            continue
        if row and not use.node.brackets:
            raise Conflict(use.node.at)
        buffer.replace(use.node.name, pool.name)
        if row:
            span = use.node.brackets[0].span
            if not use.node.brackets[0].editable:
                raise Conflict(use.node.brackets[0])
            inner = use.node.indices[0].at
            plain = re.fullmatch(r"\w+", program.text(inner).strip()) if inner.editable else None
            opening, closing = ("", f" + {row}") if plain else ("(", f") + {row}")
            if opening:
                buffer.insert(span.path, span.start + 1, opening)
            buffer.insert(span.path, span.end - 1, closing)


def _place(program: Program, pool: Pool) -> Span:
    """The statement that declares the first member, if all are of its block; else just inside the block around all."""
    variables = [program.variable(v) for v, _ in pool.members]
    if len({v.scope for v in variables}) == 1:
        return min(v.declarations[0].statement.span for v in variables)
    wanted = {v.scope for v in variables}
    around = program.functions[pool.function].body
    narrower: Block | None = around
    while narrower is not None:
        around = narrower
        narrower = next((b for b in _blocks(around) if b.braces and b.at.editable and wanted <= _scopes(b)), None)
    at = around.at.span
    return Span(at.path, at.start + 1, at.start + 1)


def _blocks(block: Block) -> Iterator[Block]:
    """The next blocks below one."""
    waiting = list(block.body)
    while waiting:
        stmt = waiting.pop()
        if isinstance(stmt, Block):
            yield stmt
        else:
            waiting.extend(substatements(stmt))


def _scopes(block: Block) -> set[int]:
    scopes = {block.id}
    for inner in _blocks(block):
        scopes |= _scopes(inner)
    return scopes


def _declaration(program: Program, pool: Pool, place: Span | None = None) -> str:
    """``place``: the declaration in whose place it stands; extents that it spells stay as they are."""
    first = program.variable(pool.members[0][0]).declarations[0]
    extents = "".join(f"[{n}]" for n in pool.dims)
    for variable in (program.variable(v) for v, _ in pool.members):
        own = variable.declarations[0]
        if own.statement.span == place and variable.dims == pool.dims:
            extents = program.text(own.declarator)[len(variable.name) :]
            break
    return f"{' '.join(program.text(first.specifiers).split())} {pool.name}{extents};"


def without_variables(program: Program, span: Span, gone: Collection[int], added: Sequence[str] = ()) -> str:
    """A declaration statement without some of its variables, behind the declarations ``added`` in its place."""
    old = program.text(span)
    source = program.sources[span.path].text
    left = [
        v.declarations[0]
        for v in program.variables
        if v.declarations and v.declarations[0].statement.span == span and v.id not in gone
    ]
    parts = list(added)
    if left:
        specifiers = " ".join(program.text(left[0].specifiers).split())
        texts = []
        for d in sorted(left, key=lambda d: d.index):
            end = d.initialiser.span.end if d.initialiser is not None else d.declarator.span.end
            texts.append(source[d.declarator.span.start : end])
        parts.append(f"{specifiers} {', '.join(texts)};")
    else:
        parts += comments(old)
    new = " ".join(parts)
    return new + "\n" * max(0, old.count("\n") - new.count("\n"))


def _pragmas(program: Program, pool: Pool, buffer: EditBuffer) -> None:
    """The directives of the first member become the pool's, those of the others comments."""
    members = {v for v, _ in pool.members}
    first = min(members)
    for directive in program.directives:
        if not members & set(directive.variables) or directive.pragma is None:
            continue
        at = program.pragmas[directive.pragma].at
        old, name = program.text(at), program.variable(directive.variables[0]).name
        if directive.variables[0] == first:
            new = renamed(old, name, pool.name)
            if new is None:
                raise Conflict(at)
        else:
            new = f"/* hlspart: {name} is in {pool.name} */" + "\n" * old.count("\n")
        buffer.replace(at, new)
