"""Every place where preprocessed text says a name, whether or not the records show what it does there.

Some text never becomes a record: attributes, what a constant of a declaration asks the size of, templates that
nobody uses. A rewrite that renames an object must know of all of it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from hlspart.frontend.parse import ASM, DROPPED_CALLS
from hlspart.frontend.tokens import Token
from hlspart.model.source import OWN, Span

_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_TAGS = frozenset(("struct", "union", "class"))


def mentions(tokens: Sequence[Token], names: Collection[str]) -> Iterator[tuple[str, Span]]:
    """Places of ``names`` among the tokens of a unit; members of structs and labels are other things.

    A token of a macro's argument has its place there, one of a macro's body the place of the macro's use, as in
    :class:`~hlspart.frontend.origins.TokenText`.
    """
    braces: list[bool] = []  # whether each open brace is that of a struct
    tag = False  # after the word that says so
    before = ""
    dropped, level = False, 0  # in the brackets of a call whose strings an assembler or linker reads
    for at, token in enumerate(tokens):
        text = token.text
        if text == "{":
            braces.append(tag)
        elif text == "}" and braces:
            braces.pop()
        if token.text in DROPPED_CALLS:
            level, dropped = 0, True
        elif dropped and token.kind == "op":
            level += (text == "(") - (text == ")")
            dropped = level > 0
        elif dropped and token.kind == "str":  # asm("incl A+4(%rip)")
            yield from ((word, place(token)) for word in _WORD.findall(text) if word in names)
        if token.kind == "id":
            tag = tag or text in _TAGS
            following = tokens[at + 1].text if at + 1 < len(tokens) else ""
            inside = braces[-1:] == [True] and following in ("[", ";", ",", ":") and before not in ("[", "(", "=")
            member = before in (".", "->", "goto") or inside
            label = following == ":" and before in (";", "{", "}", ":")
            if text in names and not member and not label:
                yield text, place(token)
        else:
            tag = False
        before = text


def made_names(tokens: Sequence[Token]) -> frozenset[str]:
    """Names that macros make; some stand nowhere in a text, being pasted."""
    return frozenset(t.text for t in tokens if t.kind == "id" and t.use is not None and not t.path.startswith(OWN))


def counted(tokens: Sequence[Token]) -> Iterator[tuple[Span, str]]:
    """Numbers of lines, counters and asm statements, with what they are there."""
    for token in tokens:
        if token.counts or (token.kind == "id" and token.text in ASM):
            yield place(token), token.text


def place(token: Token) -> Span:
    """Where a token stands in the text: its spelling, or the use of the macro whose body made it."""
    use = token.use
    if use is None:
        return Span(token.path, token.start, token.end)
    if token.lo >= 0 and not token.deep:
        return Span(use.path, token.lo, token.hi)
    return Span(use.path, use.start, use.end)
