"""Constants of files, namespaces and classes as arguments of templates: ``f<LOG - 1>`` asks for ``f<3>``.

One instance then has one name whatever its arguments are called, specialisations are found, and a template that
uses itself comes to an end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hlspart.frontend.cxx_arguments import number_at
from hlspart.frontend.cxx_collect import TAGS, like
from hlspart.frontend.cxx_locals import WHOLE_NUMBERS
from hlspart.frontend.cxx_shapes import closing, semicolon
from hlspart.frontend.cxx_types import KnownTypes, split
from hlspart.frontend.tokens import Token

_INTEGERS = WHOLE_NUMBERS | {"const", "constexpr", "static", "inline", "std", "::"}
_LONGEST = 200  # tokens of a declaration
_MOST_ELEMENTS = 1024  # of an array of constants


class FileConstants:
    """Integer constants outside of functions: by name, those of classes as ``C::name``.

    A name that has two values, or one that is not seen, has none.
    """

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._known = KnownTypes()
        self._known.note_functions(tokens)
        self._enumerators: dict[str, int | None] = {}  # of enumerations with names, None for two values
        self._lost: set[str] = set()
        self._qualified = False  # only the names of classes are noted
        self._read(tokens, 0, len(tokens), "")

    def note_class(self, tokens: Sequence[Token]) -> None:
        """The constants of an instance of a class template, which other text names with the class."""
        self._qualified = True
        self._read(tokens, 0, len(tokens), "")
        self._qualified = False

    def _read(self, tokens: Sequence[Token], at: int, end: int, of: str) -> None:
        start = at
        while at < end:
            text = tokens[at].text if tokens[at].kind in ("id", "op") else ""
            if text == ";" or tokens[at].kind == "pragma":
                if text == ";" and tokens[start].text == "typedef":
                    self._known.note_alias(tokens[at - 1].text, list(tokens[start + 1 : at - 1]))
                start = at + 1
            elif text == "=" and tokens[start].text == "using":
                stop = min(semicolon(tokens, at), end)
                self._known.note_alias(tokens[at - 1].text, list(tokens[at + 1 : stop]))
                at, start = stop, stop + 1
            elif text == "=":
                stop = min(semicolon(tokens, at), end)
                self._declaration(tokens[start:stop], of)
                at, start = stop, stop + 1
            elif text == "{":
                head, last = [t.text for t in tokens[start:at]], closing(tokens, at)
                if head == ["enum"]:  # one with a name is a type, which parameters have
                    for name, number in self._enumeration(list(tokens[at + 1 : last]), of):
                        self._note(name, number, of)
                elif "enum" in head[:2] and not {"class", "struct"} & set(head):
                    for name, number in self._enumeration(list(tokens[at + 1 : last]), of):
                        self._enumerators[name] = number if self._enumerators.get(name, number) == number else None
                elif "namespace" in head or head[:1] == ["extern"]:
                    self._read(tokens, at + 1, last, of)
                elif (tag := next((k for k, word in enumerate(head) if word in TAGS), None)) is not None and (
                    "(" not in head and len(head) > tag + 1
                ):
                    self._read(tokens, at + 1, last, head[tag + 1])
                at, start = last, last + 1
            at += 1

    def _declaration(self, words: Sequence[Token], of: str) -> None:
        """``static const int N = 4, P = N / 2``."""
        if len(words) > _LONGEST or not {"const", "constexpr"} & {t.text for t in words}:
            return
        plain = [t for t in words if t.kind != "eof"]  # of a template that stood there
        for number, part in enumerate(split(plain)):
            equals = next((k for k, t in enumerate(part) if t.text == "="), 0)
            if equals and part[equals - 1].text == "]":
                self._array(part, equals, of)
            if not equals or part[equals - 1].kind != "id":
                continue
            whole = number > 0 or all(t.text in _INTEGERS for t in part[: equals - 1])
            self._note(part[equals - 1].text, self.value(part[equals + 1 :], of) if whole else None, of)

    def _array(self, part: list[Token], equals: int, of: str) -> None:
        """The elements of ``const int A[] = {3, 4}``, as ``A[0]`` and ``A[1]``."""
        opening = next((k for k, t in enumerate(part) if t.text == "["), equals)
        listed = part[equals + 1 :]
        if not opening or listed[:1] == [] or listed[0].text != "{" or listed[-1].text != "}":
            return
        if closing(part, opening) != equals - 1 or any(t.text not in _INTEGERS for t in part[: opening - 1]):
            return
        name, values = part[opening - 1].text, split(listed[1:-1])
        for place, value in enumerate(values[:_MOST_ELEMENTS]):
            self._note(f"{name}[{place}]", self.value(value, of), of)

    def _enumeration(self, words: list[Token], of: str) -> Iterator[tuple[str, int | None]]:
        last: int | None = -1
        for part in split(words):
            if part and part[0].kind == "id":
                last = self.value(part[2:], of) if len(part) > 2 else None if last is None else last + 1
                yield part[0].text, last

    def enumerator(self, name: str) -> int | None:
        """The value of an enumerator, or of a constant, that is named plainly."""
        if name in self._lost:
            return None
        return self._known.constants.get(name, self._enumerators.get(name))

    def _note(self, name: str, value: int | None, of: str) -> None:
        if of and value is not None:
            self._known.constants[f"{of}::{name}"] = value
        if self._qualified:
            return
        if value is None or self._known.constants.setdefault(name, value) != value:
            self._lost.add(name)

    def value(self, words: Sequence[Token], of: str = "") -> int | None:
        """The value of an expression, None where it is not seen; ``of``: the class that it stands in."""
        plain: list[Token] = []
        at = 0
        while at < len(words):
            word, own = words[at], f"{of}::{words[at].text}"
            qualified = at + 2 < len(words) and words[at + 1].text == "::"
            name = f"{word.text}::{words[at + 2].text}" if qualified else own
            behind = at + 3 if qualified else at + 1
            if behind < len(words) and words[behind].text == "[":  # an element of an array
                last = closing(words, behind)
                place = self.value(words[behind + 1 : last], of)
                plainly = f"{words[behind - 1].text}[{place}]"
                known = next((k for k in (f"{name}[{place}]", plainly) if k in self._known.constants), None)
                if known is None or known in self._lost:
                    return None
                plain.append(like(str(self._known.constants[known]), "num", word))
                at = last + 1
                continue
            if name in self._known.constants:
                plain.append(like(str(self._known.constants[name]), "num", word))
                at = behind
                continue
            if word.text in self._lost:
                return None
            plain.append(word)
            at += 1
        if any(t.kind not in ("id", "num", "op", "chr") for t in plain):
            return None
        return self._known.evaluate(plain)

    def folded(self, argument: list[Token]) -> list[Token]:
        """An argument of a template as a number, where such constants make it one."""
        if not any(t.kind == "id" for t in argument) or any(t.text == "<" for t in argument):
            return argument
        value = self.value(argument)
        return argument if value is None else number_at(value, argument[0])
