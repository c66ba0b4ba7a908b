"""Which classes of a unit become variables, and which structures.

A class whose objects are plain variables is taken apart (:mod:`~hlspart.frontend.cxx_classes`); objects that are
members, arguments, copied or in arrays, and what only a class has, ask for a structure
(:mod:`~hlspart.frontend.cxx_objects`). Structures that C has too stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hlspart.frontend.cxx_classes import without_classes
from hlspart.frontend.cxx_collect import TAGS
from hlspart.frontend.cxx_cursor import LOOK_AHEAD
from hlspart.frontend.cxx_members import head_of, partner
from hlspart.frontend.cxx_objects import as_structures, class_names
from hlspart.frontend.cxx_plain import has_methods
from hlspart.frontend.cxx_table import class_aliases
from hlspart.frontend.tokens import PragmaToken, SourceError, Token

_MORE_THAN_C = frozenset((
    "static", "typedef", "using", "enum", "operator", "constexpr", "friend", "template", "virtual", "explicit",
    "inline",
))  # fmt: skip
_NO_MEMBER = frozenset(("static", "constexpr", "enum", "using", "struct", "class", "union"))
_MOST_ROUNDS = 50


def written_out(tokens: list[Token]) -> list[Token]:
    """The tokens without classes. Raises SourceError with what cannot be written out."""
    end = Token("eof", "", tokens[-1].path, tokens[-1].end, tokens[-1].end, True) if tokens else None
    if end is None:
        return tokens
    tokens = _with_tags(tokens, end)
    looked = [*tokens, end, end, end, end]
    ranges = {name: (at, partner(looked, head_of(looked, at) or at)) for name, at in class_names(looked).items()}
    classes = {name: where for name, where in ranges.items() if _has_more(looked, *where)}
    if not classes:
        return without_classes(tokens)
    chosen = {name for name, (at, _) in classes.items() if looked[at + 2].text != "{" or not has_methods(looked[at:])}
    chosen |= _inside(looked, classes, ranges)
    heads = {name: looked[at : head_of(looked, at)] for name, (at, _) in ranges.items() if name in chosen}
    chosen |= {t.text for words in heads.values() for t in words[3:] if t.text in ranges}  # a base may hold nothing
    for _ in range(_MOST_ROUNDS):
        try:
            return without_classes(as_structures(tokens, sorted(chosen)) if chosen else tokens)
        except SourceError as fault:
            more = set(_named(looked, classes, (fault, *fault.others))) - chosen
            if not more:
                raise
            chosen |= more
    return without_classes(tokens)


def _with_tags(tokens: list[Token], end: Token) -> list[Token]:
    """``typedef struct { int x = 1; } S;`` as ``struct S { int x = 1; };`` where it has, or may have, more than C has.

    With another name of its own it is ``struct T { int x = 1; }; typedef T S;``.

    It may where what it holds is of a class. ``using S = struct { .. };``, which C has not, always is.
    """
    tokens = _with_names(tokens, end)
    tags = list[tuple[int, int]]()  # the typedef, the bracket
    for at in range(len(tokens) - 3):
        if tokens[at].text != "typedef":
            continue
        words = [t.text for t in tokens[at : at + 4]]
        if words[1] == "struct" and "{" in words[2:] and tokens[at + 2].kind in ("id", "op"):
            tags.append((at, at + words.index("{")))
    if not tags:
        return tokens
    looked = [*tokens, *[end] * LOOK_AHEAD]
    names = {
        name
        for name, at in class_names(looked).items()
        if _has_more(looked, at, partner(looked, head_of(looked, at) or at))
    }
    classes = set(dict(class_aliases(looked, names)))
    made = list(tokens)
    for at, opening in reversed(tags):
        last = partner(looked, opening)
        named = looked[last + 1].kind == "id" and looked[last + 2].text == ";"
        if not named:
            continue
        name, alias = looked[at + 2] if opening > at + 2 else looked[last + 1], looked[last + 1]
        class_ = [looked[at + 1], name, *looked[opening : last + 1]]
        if classes & {t.text for t in looked[opening + 1 : last]} or _has_more(class_, 0, len(class_) - 1):
            other = [looked[last + 2], looked[at], name, alias] if name.text != alias.text else []
            made[at : last + 2] = [*class_, *other]
    return made


def _with_names(tokens: list[Token], end: Token) -> list[Token]:
    """``using S = struct { .. };`` as ``struct S { .. };``."""
    looked = [*tokens, *[end] * LOOK_AHEAD]
    made = list(tokens)
    for at in range(len(tokens) - 4, -1, -1):
        if tokens[at].text != "using":
            continue
        sign, tag, opening = (looked[at + k].text for k in (2, 3, 4))
        if sign == "=" and tag in TAGS and opening == "{":
            made[at : at + 4] = [tokens[at + 3], tokens[at + 1]]
    return made


def _has_more(tokens: Sequence[Token], at: int, last: int) -> bool:
    """Whether a class has anything that a structure of C has not."""
    opening = head_of(tokens, at) or at
    if tokens[at + 2].text == ":" or _sets(tokens, at, last):
        return True
    level = 0
    for here in range(opening + 1, last):
        token = tokens[here]
        if level == 0 and token.kind == "id" and token.text in _MORE_THAN_C:
            return True
        named = level == 0 and token.text == "(" and tokens[here - 1].kind == "id" and tokens[here + 1].text != "*"
        if named and tokens[here - 1].text not in ("alignas", "__attribute__"):
            return True
        level += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}")) if token.kind == "op" else 0
    return False


def _inside(
    tokens: Sequence[Token], classes: Mapping[str, tuple[int, int]], every: Mapping[str, tuple[int, int]]
) -> set[str]:
    """Classes whose name stands in another one, and those that hold them."""
    names: set[str] = set()
    aliases = dict(class_aliases(tokens, every))
    constructed = {name for name in classes if _is_constructed(tokens, name, *classes[name])}
    grown = True
    while grown:
        before = len(names)
        for name, (first, last) in every.items():
            for token, after in zip(tokens[first + 2 : last], tokens[first + 3 : last + 1], strict=True):
                inner = aliases.get(token.text, token.text)
                if token.kind != "id" or inner == name or not (inner in classes or inner in constructed):
                    continue
                names.add(inner)
                if after.text not in ("&", "::") and (name in classes or inner in constructed):
                    names.add(name)
                    constructed |= {name} if inner in constructed else set()
        grown = len(names) > before
    return names


def _is_constructed(tokens: Sequence[Token], name: str, first: int, last: int) -> bool:
    """Whether a class has a constructor or sets a member, so that what holds its objects has one as well."""
    plain = name.partition("<")[0]
    if any(tokens[at].text in (name, plain) and tokens[at + 1].text == "(" for at in range(first + 2, last)):
        return True
    return _sets(tokens, first, last)


def _ends_name(token: Token) -> bool:
    return token.kind == "id" or token.text == "]"


def _sets(tokens: Sequence[Token], first: int, last: int) -> bool:
    """Whether a member of a class has an initial value in its declaration."""
    level, other = 0, False  # other: a function, or what is no member of an object
    for at in range((head_of(tokens, first) or first) + 1, last):
        token = tokens[at]
        if level == 0 and token.text in (";", "}", ":"):
            other = False
        elif level == 0 and (token.text == "(" or (token.kind == "id" and token.text in _NO_MEMBER)):
            other = True
        elif level == 0 and token.text in ("=", "{") and not other and _ends_name(tokens[at - 1]):
            return True
        level += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}")) if token.kind == "op" else 0
    return False


def _named(
    tokens: Sequence[Token], classes: Mapping[str, tuple[int, int]], faults: Sequence[SourceError]
) -> Iterator[str]:
    """The classes that faults are about."""
    for fault in faults:
        for name, (first, last) in classes.items():
            inside = (t for t in tokens[first : last + 1] if not isinstance(t, PragmaToken))
            if any(t.path == fault.path and t.start == fault.start for t in inside):
                yield name
