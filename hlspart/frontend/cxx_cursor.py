"""Looking around in the tokens of a C++ unit while they are rewritten."""

from __future__ import annotations

from typing import NoReturn

from hlspart.frontend.cxx_collect import MOST_OF_ARGUMENTS, matching_angle
from hlspart.frontend.cxx_types import BASIC, KnownTypes
from hlspart.frontend.parse import error
from hlspart.frontend.tokens import Token

LOOK_AHEAD = 8


class Cursor:
    """A place in the tokens of a unit, and what is known there; ``out`` grows behind it."""

    def __init__(self, tokens: list[Token]) -> None:
        # sentinels: looking ahead never runs over the end
        end = Token("eof", "", tokens[-1].path, tokens[-1].end, tokens[-1].end, True) if tokens else None
        self.tokens = [*tokens, *([end] * LOOK_AHEAD if end is not None else [])]
        self.out: list[Token] = []
        self.known = KnownTypes()
        self.types = self.known.types
        self.names: set[str] = set()  # typedefs, tags, template type parameters
        self.constants = self.known.constants
        self.braces: list[str] = []  # what each open brace belongs to: "dropped", "struct", "body", ...
        self.parens: list[str] = []
        self.replace: dict[int, list[Token]] = {}  # tokens at these indices were decided ahead
        self.statement = 0  # where in ``out`` the current statement begins
        self.around: list[int] = []  # where those begin whose structures are open
        self.at = 0
        self._unclosed: tuple[int, int, Token | None] = 0, 0, None  # from, up to, and the last of these tokens

    def text(self, offset: int = 0) -> str:
        at = self.at + offset
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def made(self, text: str, like: Token, kind: str = "op") -> Token:
        """A token that stands for something at ``like``'s place."""
        new = like.copy()
        new.kind, new.text = kind, text  # type: ignore[assignment]
        return new

    def emit(self, token: Token) -> None:
        """Hand a token on."""
        self.out.append(token)
        self.at += 1

    def refuse(self, what: str, token: Token | None = None) -> NoReturn:
        raise error(token or self.tokens[self.at], f"C++ construct not supported: {what}", "HLP003")

    def closing(self, opening: int) -> int:
        """The partner of the bracket at an index."""
        level = 0
        for at in range(opening, len(self.tokens)):
            token = self.tokens[at]
            if token.kind == "op":
                level += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
                if level == 0:
                    return at
        raise error(self.tokens[opening], f"'{self.tokens[opening].text}' is never closed")

    def closing_angle(self, opening: int) -> int | None:
        """The partner of a ``<`` where template arguments can lie between. Tokens without a ``>`` are passed once."""
        first, end, last = self._unclosed
        moved = end > len(self.tokens) or self.tokens[end - 1] is not last  # tokens before it were replaced
        if moved or not first <= opening < end:
            first = end = opening
        limit = min(len(self.tokens), opening + MOST_OF_ARGUMENTS)
        while end < limit and self.tokens[end].text not in (">", ">>"):
            end += 1
        self._unclosed = first, end, self.tokens[end - 1]
        return matching_angle(self.tokens, opening) if end < limit else None

    def find(self, texts: tuple[str, ...], at: int) -> int:
        """The next token with one of these texts."""
        while self.tokens[at].text not in texts:
            if self.tokens[at].kind == "eof":
                raise error(self.tokens[self.at], f"'{texts[0]}' expected after '{self.text()}'")
            at += 1
        return at

    def is_type(self, token: Token | None) -> bool:
        return token is not None and token.kind == "id" and (
            token.text in BASIC or token.text in self.names or token.text in self.types
        )  # fmt: skip

    def previous(self, back: int = 1) -> Token | None:
        return self.out[-back] if len(self.out) >= back else None

    def previous_text(self, back: int = 1) -> str:
        return self.out[-back].text if len(self.out) >= back else ""

    @property
    def in_body(self) -> bool:
        return "body" in self.braces
