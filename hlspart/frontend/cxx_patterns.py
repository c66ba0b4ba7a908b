"""Which specialisation fits arguments: ``T *`` fits ``float *``, ``unsigned`` fits ``unsigned int`` and typedefs of it.

An argument that may fit and is not seen to, such as a number that is not known, is :class:`OpenPattern`: the general
template would be a guess.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hlspart.frontend.constants import NotConstant, evaluate_tokens
from hlspart.frontend.cxx_arguments import key, number_at
from hlspart.frontend.cxx_collect import CxxTemplate, like
from hlspart.frontend.cxx_file_constants import FileConstants
from hlspart.frontend.cxx_packs import DOTS, joined
from hlspart.frontend.cxx_types import BASIC, split
from hlspart.frontend.tokens import OPEN_TYPE, OPEN_VALUE, Token

_MOST_NAMES = 8  # of typedefs of typedefs
_TAGS = frozenset(("typename", "struct", "class", "enum"))
_BOOLS = {"true": "1", "false": "0"}
_ENDS = frozenset(("*", "&", "&&"))
_Own = dict[str, list[Token]]


class OpenPattern(Exception):
    """Whether a specialisation fits is not seen."""


class OneSpelling:
    """One spelling for what means one type, or one number."""

    def __init__(
        self,
        types: Mapping[str, Sequence[Token]],
        constants: FileConstants,
        arguments: Callable[[str], tuple[str, Sequence[Sequence[Token]]] | None],
    ) -> None:
        """``arguments``: of an instance of a class template, by its name: which template, and its arguments."""
        self._types, self._constants, self._arguments = types, constants, arguments

    def one(self, argument: Sequence[Token], depth: int = 0) -> list[Token]:
        """An argument in that spelling."""
        words = [t for t in argument if t.text not in _TAGS]
        number = self._number(words)
        if number is not None:
            return number
        result: list[Token] = []
        for at, token in enumerate(words):
            instance = self._arguments(token.text) if token.kind == "id" else None
            meant = self._types.get(token.text) if token.kind == "id" else None
            apart = all(words[k].text != "::" for k in (at - 1, at + 1) if 0 <= k < len(words))
            if instance is not None:
                inside = [t for value in instance[1] for t in (*value, like(",", "op", token))][:-1]
                result += [like(instance[0], "id", token), like("<", "op", token), *inside, like(">", "op", token)]
            elif meant and apart and depth < _MOST_NAMES and (len(words) == 1 or not _is_compound(meant)):
                result += self.one(meant, depth + 1)
            else:
                result.append(token)
        return _const_first(_basic(result))

    def _number(self, words: Sequence[Token]) -> list[Token] | None:
        plain = [like(_BOOLS[t.text], "num", t) if t.text in _BOOLS else t for t in words]
        names = (t.text for t in plain if t.kind == "id")
        if not plain or any(self._constants.enumerator(name) is None for name in names):
            return None
        try:
            return number_at(evaluate_tokens(plain, self._constants.enumerator), plain[0])
        except NotConstant:
            return None


def _is_compound(type_: Sequence[Token]) -> bool:
    """Whether words around the name of a type mean something else around its text."""
    return any(t.text in _ENDS or t.text in ("[", "(") for t in type_)


def _basic(words: Sequence[Token]) -> list[Token]:
    """``long unsigned int`` as ``long unsigned``."""
    result: list[Token] = []
    at = 0
    while at < len(words):
        end = at
        while end < len(words) and words[end].text in BASIC:
            end += 1
        run = sorted("bool" if t.text == "_Bool" else t.text for t in words[at:end])
        if "char" not in run:
            run = [word for word in run if word != "signed"]
        if len(run) > 1:
            run = [word for word in run if word != "int"]
        result += [like(word, "id", words[at]) for word in run or (["int"] if end > at else [])]
        if end < len(words):
            result.append(words[end])
        at = end + 1
    return result


def _const_first(words: list[Token]) -> list[Token]:
    """``int const *`` as ``const int *``."""
    first = next((k for k, t in enumerate(words) if t.text in _ENDS), len(words))
    level = 0
    for at, token in enumerate(words[:first]):
        level += (token.text == "<") - (token.text == ">")
        if token.text == "const" and level == 0:
            return [token, *words[:at], *words[at + 1 :]]
    return words


def matched(special: CxxTemplate, values: Sequence[Sequence[Token]], spelling: OneSpelling) -> list[list[Token]] | None:
    """What the parameters of a specialisation are for these arguments; None where it does not fit.

    Raises OpenPattern.
    """
    own: _Own = {}
    patterns = special.pattern
    if patterns is None:
        return None
    if patterns and special.pack and [t.text for t in patterns[-1]] == [special.pack, DOTS]:
        last = len(patterns) - 1
        if len(values) < last:
            return None
        own[special.pack] = joined(values[last:])
        patterns, values = patterns[:last], values[:last]
    if len(patterns) != len(values):
        return None
    unify = _Unification(frozenset(special.params), spelling, own)
    verdicts = [unify(pattern, value) for pattern, value in zip(patterns, values, strict=True)]
    if False in verdicts:
        return None
    if None in verdicts:
        raise OpenPattern
    return [own[p] for p in special.params] if all(p in own for p in special.params) else None


def specialised(pattern: Sequence[Sequence[Token]], special: CxxTemplate) -> tuple[int, bool]:
    """How much a pattern says of the arguments: the most is taken, and a pack only where nothing else fits."""
    said = sum(len(part) for part in pattern if [t.text for t in part] != [special.pack, DOTS])
    return said - len(special.params) + bool(special.pack), not special.pack


class _Unification:
    """Whether patterns fit arguments, and what parameters then are."""

    def __init__(self, params: frozenset[str], spelling: OneSpelling, own: _Own) -> None:
        self._params, self._spelling, self._own = params, spelling, own

    def __call__(self, pattern: Sequence[Token], value: Sequence[Token]) -> bool | None:
        """None where that is not seen."""
        if len(pattern) == 1 and pattern[0].text in self._params:
            known = self._own.setdefault(pattern[0].text, list(value))
            return self._same(known, value)
        if not any(t.text in self._params for t in pattern):
            return self._same(pattern, value)
        pattern, value = _const_first(list(pattern)), self._spelling.one(value)
        if not value:
            return False
        ends = pattern[-1].text
        if ends in _ENDS or (ends == "const" and len(pattern) > 1):
            return value[-1].text == ends and self(pattern[:-1], value[:-1])
        if ends == "]":
            return self._array(pattern, value)
        if pattern[0].text == "const":
            if value[-1].text == "const":
                return self(pattern[1:], value[:-1])
            return value[0].text == "const" and value[-1].text not in _ENDS and self(pattern[1:], value[1:])
        if ends != ">" or value[-1].text != ">" or [t.text for t in pattern[:2]] != [t.text for t in value[:2]]:
            return False
        one, two = split(list(pattern[2:-1])), split(list(value[2:-1]))
        verdicts = [self(a, b) for a, b in zip(one, two, strict=True)] if len(one) == len(two) else [False]
        return False if False in verdicts else None if None in verdicts else True

    def _array(self, pattern: Sequence[Token], value: Sequence[Token]) -> bool | None:
        """``T[N]`` for ``int[4][2]``: the first extent is N, T is ``int[2]``."""
        if value[-1].text != "]":
            return False
        cuts = []
        for words in (pattern, value):
            texts = [t.text for t in words]
            cuts.append((texts.index("["), texts.index("]")))
        (first, last), (start, end) = cuts
        extent, given = pattern[first + 1 : last], value[start + 1 : end]
        if not extent or not given:
            fits: bool | None = not extent and not given
        else:
            fits = self(extent, given)
        rest = self([*pattern[:first], *pattern[last + 1 :]], [*value[:start], *value[end + 1 :]])
        return False if fits is False or rest is False else None if fits is None or rest is None else True

    def _same(self, one: Sequence[Token], other: Sequence[Token]) -> bool | None:
        if key(one) == key(other):
            return True
        pair = [self._spelling.one(one), self._spelling.one(other)]
        if key(pair[0]) == key(pair[1]):
            return True
        numbers = [bool(words) and words[-1].kind == "num" and len(words) < 3 for words in pair]
        is_open = any(t.text.endswith((OPEN_TYPE, OPEN_VALUE)) for words in pair for t in words)
        return None if numbers[0] != numbers[1] and not is_open else False
