"""Classes that other classes name: ``typename C::dense`` where ``C`` says ``typedef dense_config dense;``."""

from __future__ import annotations

from collections.abc import Sequence

from hlspart.frontend.cxx_collect import like
from hlspart.frontend.cxx_members import TAGS, partner
from hlspart.frontend.tokens import Token


class MemberTypes:
    """What the names mean that the classes of a file give to other classes of it."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._bases: dict[str, list[str]] = {}
        self._named: dict[tuple[str, str], str] = {}
        heads = [i for i, t in enumerate(tokens[:-3]) if t.text in TAGS and tokens[i + 1].kind == "id"]
        for at in heads:
            opening = next((i for i in range(at + 2, min(at + 64, len(tokens))) if tokens[i].text in ("{", ";")), at)
            if tokens[opening].text == "{" and tokens[at + 2].text in (":", "{"):
                name = tokens[at + 1].text
                self._bases[name] = [t.text for t in tokens[at + 3 : opening] if t.kind == "id"]
                self._read(name, tokens[opening + 1 : partner(tokens, opening)])

    def _read(self, name: str, body: Sequence[Token]) -> None:
        start = 0
        for end, token in enumerate(body):
            if token.text == ";":
                words = [t.text for t in body[start:end] if t.text not in ("typename", "struct", "class")]
                if len(words) > 2 and words[0] == "typedef":
                    self._named[name, words[-1]] = "".join(words[1:-1]).rpartition("::")[2]
                elif len(words) > 3 and words[0] == "using" and words[2] == "=":
                    self._named[name, words[1]] = "".join(words[3:]).rpartition("::")[2]
            if token.text in (";", "{", "}", ":"):
                start = end + 1

    def _meaning(self, of: str, name: str, depth: int = 0) -> str | None:
        """The class that ``of::name`` is, itself or from a base."""
        found = self._named.get((of, name))
        if found is not None:
            return found if found in self._bases else None
        inherited = (self._meaning(base, name, depth + 1) for base in self._bases.get(of, ()) if depth < 8)
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
