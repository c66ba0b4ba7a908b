"""Constants of functions and classes as arguments of templates: an instance stands where their names are not declared.

``const int h = N / 2; f<h>(x);`` asks for ``f<(N / 2)>``, so that an instance says what it was made with and a template
that uses itself comes to an end.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from hlspart.frontend.cxx_collect import like
from hlspart.frontend.tokens import PragmaToken, Token

WHOLE_NUMBERS = frozenset((
    "int", "unsigned", "signed", "long", "short", "auto", "size_t", "uint32_t", "int32_t", "uint64_t", "int64_t",
))  # fmt: skip
"""Words of types that hold what a constant of a size is."""
_WORDS = frozenset(("const", "constexpr", "static", "inline", "std", "::", *WHOLE_NUMBERS))
_LONGEST = 64  # tokens of a value

Scope = dict[str, list[Token] | None]


class LocalConstants:
    """The constants of the scopes around a token, which moves forward through ``tokens``; namespaces have none."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._scopes: list[Scope | None] = []
        self._start = 0  # of the declaration or statement

    def step(self, at: int) -> None:
        """The token at an index is the next one."""
        token = self._tokens[at]
        if token.kind != "op":
            if isinstance(token, PragmaToken):
                self._start = at + 1
            return
        match token.text:
            case "{":
                head = {t.text for t in self._tokens[self._start : at]}
                outside = all(s is None for s in self._scopes)
                space = outside and ("namespace" in head or ("extern" in head and "(" not in head))
                self._scopes.append(None if space else {})
                self._start = at + 1
            case "}":
                if self._scopes:
                    self._scopes.pop()
                self._start = at + 1
            case ";" | ":":
                self._start = at + 1
            case "=" if self._scopes and self._scopes[-1] is not None:
                self._note(at, self._scopes[-1])

    def note(self, name: str, value: list[Token]) -> bool:
        """A name that stands for something else from here on; False where that is the whole file's."""
        if not self._scopes or self._scopes[-1] is None:
            return False
        self._scopes[-1][name] = value
        return True

    def _note(self, at: int, scope: Scope) -> None:
        words = self._tokens[self._start : at]
        if len(words) < 2 or words[-1].kind != "id" or not {"const", "constexpr"} & {t.text for t in words[:-1]}:
            return
        first = next((i for i, t in enumerate(words) if t.text == "="), None)
        if first is not None and words[-2].text != ",":
            return
        kind = words[:-1] if first is None else words[: first - 1]
        end = at + 1
        while end < len(self._tokens) and end <= at + _LONGEST and self._tokens[end].text not in (";", ",", "{", "}"):
            end += 1
        value = [t.text for t in self._tokens[at + 1 : end]]
        whole = value.count("(") == value.count(")") and "<" not in value
        known = all(t.text in _WORDS for t in kind) and end < len(self._tokens)
        known = known and (self._tokens[end].text == ";" or (self._tokens[end].text == "," and whole))
        scope[words[-1].text] = self.resolved(self._tokens[at + 1 : end]) if known else None

    def resolved(self, part: Sequence[Token]) -> list[Token] | None:
        """An argument with the names of such constants replaced by their values; None where one is not known."""
        result: list[Token] = []
        for at, token in enumerate(part):
            before = part[at - 1].text if at else ""
            scope = None
            if token.kind == "id" and before not in ("::", ".", "->"):
                scope = next((s for s in reversed(self._scopes) if s is not None and token.text in s), None)
            if scope is None:
                result.append(token)
                continue
            value = scope[token.text]
            if value is None:
                return None
            made = [like(t.text, t.kind, token) for t in value]
            result += made if len(made) == 1 else [like("(", "op", token), *made, like(")", "op", token)]
        return result


class InstanceNames:
    """Other names of instances of class templates, so that one type asks for one instance whatever it is called."""

    def __init__(self, instances: Container[str]) -> None:
        self._instances = instances
        self._of_file: dict[str, Token] = {}

    def note(self, tokens: Sequence[Token], end: int, constants: LocalConstants) -> None:
        """``typedef C<8> name;`` and ``using name = C<8>;`` in front of a semicolon."""
        words = tokens[max(0, end - 4) : end]
        texts = [t.text for t in words]
        if texts[-3:-2] == ["typedef"] and texts[-2] in self._instances:
            name, meant = texts[-1], words[-2]
        elif len(texts) == 4 and texts[0] == "using" and texts[2] == "=" and texts[3] in self._instances:
            name, meant = texts[1], words[-1]
        else:
            return
        if not constants.note(name, [meant]):
            self._of_file[name] = meant

    def one(self, value: list[Token], constants: LocalConstants) -> list[Token]:
        """An argument with such names as those of the instances."""
        value = constants.resolved(value) or value
        return [t if (meant := self._of_file.get(t.text)) is None else like(meant.text, "id", t) for t in value]
