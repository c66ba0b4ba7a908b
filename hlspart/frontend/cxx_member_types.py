"""Classes that other classes name: ``typename C::dense`` where ``C`` says ``typedef dense_config dense;``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hlspart.frontend.cxx_collect import like
from hlspart.frontend.cxx_members import TAGS
from hlspart.frontend.cxx_types import BASIC
from hlspart.frontend.tokens import Token

_FIXED = {
    f"{sign}int{bits}_t": [*prefix, *words]
    for bits, words in ((8, ["char"]), (16, ["short"]), (32, ["int"]))
    for sign, prefix in (("u", ["unsigned"]), ("", ["signed"] if bits == 8 else []))
}  # of the one data model that all the tools have
_LONGEST_HEAD = 64  # tokens of a class in front of its body


class MemberTypes:
    """What the names mean that the classes of a file give to other classes of it."""

    def __init__(self, tokens: Sequence[Token], types: Mapping[str, Sequence[Token]]) -> None:
        """``types``: what :func:`type_names` says of the tokens."""
        self.bases: dict[str, list[str]] = {}  # what the classes inherit from
        self._types = types
        for at, token in enumerate(tokens[:-3]):
            if token.text in TAGS and tokens[at + 1].kind == "id" and tokens[at + 2].text in (":", "{"):
                head = tokens[at + 2 : at + _LONGEST_HEAD]
                opening = next((i for i, t in enumerate(head) if t.text in ("{", ";")), None)
                if opening is not None and head[opening].text == "{":
                    self.bases[tokens[at + 1].text] = [t.text for t in head[:opening] if t.kind == "id"]

    def _meaning(self, of: str, name: str, depth: int = 0) -> str | None:
        """The class that ``of::name`` is, itself or from a base."""
        tokens = self._types.get(f"{of}::{name}")
        if tokens is not None:
            return tokens[-1].text if tokens and tokens[-1].text in self.bases else None
        inherited = (self._meaning(base, name, depth + 1) for base in self.bases.get(of, ()) if depth < 8)
        return next((x for x in inherited if x is not None), None)

    def resolved(self, tokens: list[Token]) -> list[Token]:
        """Tokens with ``typename a::C::name`` as the name of the class that it is."""
        result: list[Token] = []
        tokens, at = list(tokens), 0
        while at < len(tokens):
            token = tokens[at]
            meant = None
            if token.kind == "id" and at + 2 < len(tokens) and tokens[at + 1].text == "::":
                meant = self._meaning(token.text, tokens[at + 2].text)
            if meant is None:
                result.append(token)
                at += 1
                continue
            while result and result[-1].text == "::":
                del result[-2 if len(result) > 1 and result[-2].kind == "id" else -1 :]
            if result and result[-1].text == "typename":
                result.pop()
            tokens[at + 2] = like(meant, "id", tokens[at + 2])  # which may name another one
            at += 2
        return result

    def basic(self, argument: list[Token]) -> list[Token]:
        """``uint8_t`` and ``typename C::name`` as the words of the basic type that each is: one type, one spelling."""
        words = [t for t in argument if t.text != "typename"]
        if any((t.text == "::") is not bool(at % 2) for at, t in enumerate(words)):
            return argument
        name = "::".join(t.text for t in words[::2][-2:])
        meant = _FIXED.get(name) or [t.text for t in self._types.get(name, ())]
        if not meant or any(text not in BASIC for text in meant):
            return argument
        return [like(text, "id", words[0]) for text in meant]
