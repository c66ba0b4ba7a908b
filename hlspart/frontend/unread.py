"""What a statement that is not read stands for among those that are, and what is reported of pragmas in such text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from hlspart.frontend import types as ct
from hlspart.frontend.context import Collected, Context, FunctionDeclaration, NotRead, VariableId
from hlspart.frontend.holes import Cut, in_braces_of_loops
from hlspart.frontend.mentions import place
from hlspart.frontend.tokens import PragmaToken, SourceError, Token, spell
from hlspart.model import program as ir
from hlspart.model.directives import RawPragma, Unread
from hlspart.model.source import Origin

_IDLE = "a constructor, or an arm of it, that does nothing here"


def use_of(context: Context, hole: Cut, at: int) -> ir.OpaqueExpr:
    """A statement at token ``at``, not read: a use, in any way, of all that it mentions. Raises SourceError."""
    why = f"not read: {hole.cause.message}"
    used: list[ir.Expr] = []
    for token in hole.tokens:
        entry = context.lookup(token.text) if token.kind == "id" else None
        origin = Origin(place(token), "plain" if token.use is None else "macro")
        if isinstance(entry, VariableId):
            variable = context.variable(entry.id)
            if token.text in context.assumed and variable.storage == "parameter":
                raise changes_assumed(context, token.text, at)
            used.append(ir.Name(origin, variable.type, entry.id))
        elif isinstance(entry, FunctionDeclaration):
            used.append(ir.FunctionName(origin, ir.OtherType("function"), entry.name))
    for name in hole.declared:
        context.names[-1][name] = NotRead(why)
    return ir.OpaqueExpr(context.text.origin(at, at + 1), ct.UNKNOWN, why, tuple(used))


def changes_assumed(context: Context, name: str, at: int) -> SourceError:
    """The fault of a change at token ``at`` to a parameter whose value the command line gives."""
    fault = context.fail(at, f"-D {name}=.. gives a value to a parameter that is changed here")
    fault.whole = True  # the value stands in the rest of the text already
    return fault


def note_unread(pragmas: Iterable[tuple[PragmaToken, Unread]], collected: Collected) -> None:
    """Pragmas in text that is not read, each once."""
    noted = {p.at.span for p in collected.pragmas}
    for token, unread in pragmas:
        origin = Origin(place(token), "plain" if token.use is None else "macro")
        if origin.span in noted:
            continue
        noted.add(origin.span)
        spelling: Literal["#pragma", "_Pragma"] = "#pragma" if token.spelling == "#pragma" else "_Pragma"
        texts = spell(token.body), spell(token.expanded)
        number = len(collected.pragmas)
        collected.pragmas.append(RawPragma(number, origin, *texts, None, None, None, spelling, unread))


def note_left_out(text: Sequence[Token], read: Sequence[Token], path: str, collected: Collected) -> None:
    """Pragmas of a file that what is read of its text does not have: those of constructors that set nothing."""
    kept = {(t.path, t.start) for t in read if isinstance(t, PragmaToken)}
    left_out = [
        at for at, t in enumerate(text) if isinstance(t, PragmaToken) and t.path == path and (path, t.start) not in kept
    ]
    if left_out:
        in_loop = in_braces_of_loops(text)
        names = frozenset(t.text for t in text if t.kind == "id")
        pragmas = [
            (t, Unread(_IDLE, True, in_loop[at], names)) for at in left_out if isinstance(t := text[at], PragmaToken)
        ]
        note_unread(pragmas, collected)
