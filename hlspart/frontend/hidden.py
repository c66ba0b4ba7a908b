"""Names in text that ``#if`` and its kin leave out: an edit elsewhere may break another configuration."""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.frontend.tokens import SourceError, Token, lex
from hlspart.model.program import Program, Variable
from hlspart.model.source import Origin, Span


def hidden_uses(program: Program) -> dict[int, Origin]:
    """Arrays that inactive text inside their scope names, each with the first such place.

    What a file does not compile now it may compile with other macros (``#ifndef __SYNTHESIS__`` in a
    test build): an array named there cannot be replaced without knowing how it is used.
    """
    by_name: dict[str, list[Variable]] = {}
    for variable in program.arrays():
        by_name.setdefault(variable.name, []).append(variable)
    uses: dict[int, Origin] = {}
    for region in program.inactive:
        for token in _words(program, region):
            for variable in by_name.get(token.text, ()):
                span = Span(region.path, region.start + token.start, region.start + token.end)
                if variable.id not in uses and _in_scope(program, variable, span):
                    uses[variable.id] = Origin(span)
    return uses


def _words(program: Program, region: Span) -> Iterator[Token]:
    """Identifiers of the text lines in a region."""
    try:
        lines = lex(region.path, program.sources[region.path].slice(region))
    except SourceError:
        return
    for line in lines:
        if not line.directive:
            yield from (t for t in line.tokens if t.kind == "id")


def _in_scope(program: Program, variable: Variable, span: Span) -> bool:
    if variable.function is None:
        return True
    function = program.functions.get(variable.function)
    if function is None:
        return False
    whole = function.at.span
    return span.path != whole.path or whole.start <= span.start < whole.end
