"""Names of values that nothing declares: a header that is not there, a build or a generator gives them.

One that is only ever read is taken for a constant that nobody knows, as a parameter of a template without an instance
is: what does not depend on it keeps its answer. A name that is called, subscripted, changed or pointed to is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hlspart.frontend.tokens import OPEN_TYPE, Token
from hlspart.model import program as ir

_CHANGED = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"))
_NOT_BEFORE = frozenset(("(", "[", ".", "->", "::", "{", ":")) | _CHANGED
_NOT_BEHIND = frozenset(("++", "--", "goto", "~", "struct", "class", "union", "enum", "typename", "#"))
_WORDS = frozenset(("return", "case", "else", "do", "sizeof", "and", "or", "not"))
_INTEGER = frozenset(("%", "[", "]", "^", "|"))
_LIBRARY = frozenset(
    ("cout", "cerr", "clog", "cin", "endl", "std", "stdout", "stderr", "stdin", "NULL", "nullptr", "this")
)


class Undeclared:
    """The undeclared names of one unit; ``unread``: tokens of its holes."""

    def __init__(self, tokens: Sequence[Token], match: Sequence[int], unread: Sequence[Sequence[Token]]) -> None:
        self._tokens, self._unread = tokens, unread
        self._match = match
        self._known: dict[str, ir.CType | None] = {}
        self._places: dict[str, list[tuple[Sequence[Token], int]]] | None = None

    def constant(self, name: str) -> ir.CType | None:
        """The type of an undeclared name that every place in the unit uses as a constant; else None."""
        if name not in self._known:
            places = list(self._of(name))
            usable = name not in _LIBRARY and all(_is_read(tokens, at) for tokens, at in places)
            integer = usable and any(self._counts(tokens, at) for tokens, at in places)
            self._known[name] = (ir.INT if integer else ir.OtherType(name + OPEN_TYPE)) if usable else None
        return self._known[name]

    def _of(self, name: str) -> Iterator[tuple[Sequence[Token], int]]:
        if self._places is None:
            self._places = {}
            for tokens in (self._tokens, *self._unread):
                for at, token in enumerate(tokens):
                    if token.kind == "id":
                        self._places.setdefault(token.text, []).append((tokens, at))
        for tokens, at in self._places.get(name, ()):
            if at == 0 or tokens[at - 1].text not in (".", "->", "::"):
                yield tokens, at

    def _counts(self, tokens: Sequence[Token], at: int) -> bool:
        """Whether only an integer may stand at a token, or nobody writes anything else: in the head of a ``for``."""
        if tokens[at - 1].text in _INTEGER or tokens[at + 1].text in _INTEGER:
            return True
        if tokens is not self._tokens:
            return False
        begin = at
        while begin > 0 and tokens[begin].text not in ("{", "}"):
            begin -= 1
            if tokens[begin].text == "for" and tokens[begin + 1].text == "(":
                return self._match[begin + 1] > at
        return False


def declared(tokens: Sequence[Token]) -> set[str]:
    """Types that the text of C++ declares, or brings in from elsewhere, where what becomes of it as C does not.

    What a template says of its arguments (`X<T>::type`) is neither.
    """
    keywords = ("class", "struct", "union", "enum")
    triples = zip(tokens, tokens[1:], tokens[2:], strict=False)
    return {
        name.text
        for of, before, name in triples
        if before.text in keywords or (before.text == "::" and of.kind == "id")
    }


def _is_read(tokens: Sequence[Token], at: int) -> bool:
    """Whether a token is the value of a name and nothing else."""
    if at == 0 or at + 1 >= len(tokens):
        return False
    before, behind = tokens[at - 1], tokens[at + 1]
    if behind.kind == "id" or before.text in _NOT_BEHIND:
        return False
    if behind.text in _NOT_BEFORE and not (behind.text == ":" and before.text in ("case", "?", ":")):
        return False
    if before.kind == "id":
        return before.text in _WORDS
    if before.text in ("*", "&", "&&") and at >= 2:
        operand = tokens[at - 2]
        return operand.kind in ("id", "num", "chr") or operand.text in (")", "]")
    return True
