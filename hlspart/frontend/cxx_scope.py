"""What names mean in the text of a class, which is rewritten as text of functions outside of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hlspart.frontend.cxx_collect import like
from hlspart.frontend.cxx_cursor import LOOK_AHEAD
from hlspart.frontend.cxx_declared import declarators
from hlspart.frontend.cxx_members import OPEN, ClassText, partner, refuse
from hlspart.frontend.cxx_table import ClassTable
from hlspart.frontend.tokens import PragmaToken, Token

SELF = "self"


class Surroundings(Protocol):
    """The unit around: ``level`` counts open braces."""

    tokens: list[Token]
    table: ClassTable
    level: int

    def plain(self, tokens: Sequence[Token], at: int, out: list[Token]) -> int:
        """Write what begins at a token and is not the class's own; behind it."""


class ClassScope:
    """What names mean in a class: its text, rewritten as text of functions outside of it."""

    def __init__(
        self,
        unit: Surroundings,
        text: ClassText,
        params: set[str] | frozenset[str] = frozenset(),
        static: bool = False,
    ) -> None:
        self.unit, self.of, self.params, self.static = unit, text.name.text, params, static
        self.data = {m.name.text for m in unit.table.data(self.of)}
        self.methods = {f.name.text: f for f, _ in unit.table.functions(self.of)}
        self._hidden: list[tuple[str, int]] = []  # members that a variable of a block hides, with its depth
        self._depth = self._round = 0  # of braces, of other brackets

    def rewritten(self, words: Sequence[Token], skip: bool = False) -> list[Token]:
        """Text of the class. ``skip``: a declaration, in which names of data are the declaration's own."""
        out: list[Token] = []
        tokens = [*words, *self.unit.tokens[-LOOK_AHEAD:]]
        at = 0
        while at < len(words):
            token = tokens[at]
            if isinstance(token, PragmaToken):
                token.expanded = self.rewritten(token.expanded)
                out.append(token)
                at += 1
                continue
            before = tokens[at - 1].text if at else ""
            if token.kind != "id" or (before in (".", "->", "::") and not (at > 1 and tokens[at - 2].text == "this")):
                self._bracket(token)
                out.append(token)
                at += 1
                continue
            at = self._name(tokens, at, out, skip)
        return out

    def _bracket(self, token: Token) -> None:
        if token.kind != "op":
            return
        step = (token.text == "{") - (token.text == "}")
        self.unit.level += step
        self._depth += step
        self._round += (token.text in ("(", "[")) - (token.text in (")", "]"))
        if step < 0:
            self._hidden = [h for h in self._hidden if h[1] <= self._depth]

    def _name(self, tokens: list[Token], at: int, out: list[Token], skip: bool) -> int:
        token, after = tokens[at], tokens[at + 1].text
        text = token.text
        of = self.of
        if text == "this":
            if after == "->":
                name = tokens[at + 2]
                if name.text in self.methods and tokens[at + 3].text == "(":
                    return self._call(tokens, at + 2, out)
                out += [like(SELF, "id", token), like(".", "op", token)]
                if name.kind == "id":
                    out.append(name)
                    return at + 3
                return at + 2
            if out and out[-1].text == "*":
                out[-1] = like(SELF, "id", token)
                return at + 1
            if {"==", "!="} & {after, out[-1].text if out else ""}:  # if (&other == this)
                out += [like("&", "op", token), like(SELF, "id", token)]
                return at + 1
            raise refuse(token, "this")
        if text == "operator" and (end := self._own_operator(tokens, at)) is not None:
            named = like("".join(t.text for t in tokens[at:end]), "id", token)
            return end - 1 + self._call([named, *tokens[end:]], 0, out)
        if after == "::" and self._is_of_base(tokens[at], tokens[at + 2]):
            return self._name(tokens, at + 2, out, skip)
        known = text in self.data or text in self.methods or self.unit.table.owner(of, text) is not None
        hidden = any(name == text for name, _ in self._hidden)
        if not known or text in self.params or hidden or after == "::":
            return self._outside(tokens, at, out)
        if text in self.data:
            if skip:
                out.append(token)
                return at + 1
            if self._declares(tokens, at):
                if self._round:  # in the head of a loop
                    raise refuse(token, f"variable named like the member {text}")
                self._hidden.append((text, self._depth))
                return self._keep(token, out, at)
            if self.static:
                raise refuse(token, f"member {text} in a static function")
            out += [like(SELF, "id", token), like(".", "op", token), token]
            return at + 1
        owner = self.unit.table.owner(of, text)
        if text in self.methods:
            return self._call(tokens, at, out) if after == "(" else self._keep(token, out, at)
        out.append(like(f"{owner}::{text}", "id", token))
        return at + 1

    def _outside(self, tokens: list[Token], at: int, out: list[Token]) -> int:
        """What is not the class's own; objects of other classes may be built of what is."""
        objects = declarators(tokens, at + 1) if tokens[at].text in self.unit.table.aliases else None
        if objects is None or not any(d.value for d in objects[0]):
            return self.unit.plain(tokens, at, out)
        made, name, last = [tokens[at]], at + 1, objects[1]
        for declared in objects[0]:  # its name, and what follows to the comma
            end = name + 1
            while end < last and tokens[end].text != ",":
                end = partner(tokens, end) + 1 if tokens[end].text in OPEN else end + 1
            made += [declared.name, *self.rewritten(tokens[name + 1 : end]), tokens[end]]
            name = end + 1
        whole = self.unit.plain([*made, *tokens[last + 1 :]], 0, out) > 1
        return last + 1 if whole else at + 1

    def _own_operator(self, tokens: Sequence[Token], at: int) -> int | None:
        """The bracket behind ``operator()`` or ``operator+`` where that names one of the class, None where not."""
        end = next((k for k in range(at + 1, at + 5) if tokens[k].text == "(" and k > at + 1), None)
        return end if end is not None and "".join(t.text for t in tokens[at:end]) in self.methods else None

    def _is_of_base(self, base: Token, name: Token) -> bool:
        """Whether ``base::name`` says of a member of the object only what it inherits it from."""
        if base.text in self.params or name.text not in self.data:
            return False
        meant = {base.text, self.unit.table.alias(self.of, base.text)}
        return any(text.name.text in meant for text in self.unit.table.every(self.of))

    @staticmethod
    def _keep(token: Token, out: list[Token], at: int) -> int:
        out.append(token)
        return at + 1

    def _call(self, tokens: list[Token], at: int, out: list[Token]) -> int:
        """``f(`` of the object at hand."""
        method = self.methods[tokens[at].text]
        out += [like(f"{self.of}::{tokens[at].text}", "id", tokens[at]), tokens[at + 1]]
        if not method.static:
            out.append(like(SELF, "id", tokens[at]))
            out += [like(",", "op", tokens[at])] if tokens[at + 2].text != ")" else []
        return at + 2

    @staticmethod
    def _declares(tokens: Sequence[Token], at: int) -> bool:
        before, after = tokens[at - 1], tokens[at + 1].text
        typed = before.kind == "id" and before.text not in ("return", "else", "case", "do", "goto", "throw")
        pointer = before.text in ("*", "&") and at > 1 and tokens[at - 2].kind == "id" and after in (";", "=")
        return (typed and after in (";", "=", "[", ",", ")", "(")) or (
            pointer and at > 2 and tokens[at - 3].text in (";", "{", "}", "(")
        )
