"""Template arguments that a call leaves to the compiler, read off the declarations of what it passes.

Works on tokens, before anything is parsed: the declaration of a name is the nearest one above its use
that has the shape of one. What has no such declaration is not deduced.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from hlspart.frontend.cxx_types import split
from hlspart.frontend.tokens import Token

_OPEN, _CLOSE = ("(", "[", "{"), (")", "]", "}")
_NO_TYPE = frozenset(("const", "volatile", "static", "register", "constexpr", "typename", "struct", "inline", "extern"))
_CASTS = frozenset(("static_cast", "const_cast", "reinterpret_cast"))
_NO_DECLARATION = frozenset((
    "return", "else", "goto", "case", "typedef", "using", "delete", "throw", "auto", "for", "while", "if", "switch",
    "do",
))  # fmt: skip


class DeclaredShape(Struct, frozen=True):
    """A declared thing: the tokens of its element type, of each extent, and its name."""

    type: tuple[Token, ...]
    extents: tuple[tuple[Token, ...], ...]
    name: str


def deduced(
    params: Sequence[str],
    given: Sequence[Sequence[Token]],
    definition: Sequence[Token],
    tokens: Sequence[Token],
    at: int,
    instances: Mapping[str, Sequence[list[Token]]],
    pack: str = "",
) -> dict[str, Sequence[Token]]:
    """The arguments for those of ``params`` that the call whose bracket is ``tokens[at + 1]`` gives.

    ``given`` are those written out, which come first; ``definition`` is the template's; ``instances``: arguments of
    class templates by the name of the instance; ``pack``: the parameter that takes any number of them.
    """
    values: dict[str, Sequence[Token]] = dict(zip(params, given, strict=False))
    opening = next((i for i, t in enumerate(definition) if t.text == "("), None)
    if opening is None:
        return {}
    formals = split(list(definition[opening + 1 : closing(definition, opening)]))
    actuals = split(list(tokens[at + 2 : closing(tokens, at + 1)]))
    if pack and formals and "..." in [t.text for t in formals[-1]]:
        values.pop(pack, None)
        repeated = [t for t in formals.pop() if t.text not in ("...", "&&")]
        found = [_one(repeated, actual, pack, tokens, at, instances) for actual in actuals[len(formals) :]]
        known = [v for v in found if v]
        if len(known) < len(found):
            return {}
        values[pack] = [t for value in known for t in (*value, _comma(value[0]))][:-1]
    for formal, actual in zip(formals, actuals, strict=False):
        wanted = _shape(formal)
        passed = _passed(actual, tokens, at)
        if wanted is not None and passed is not None:
            _match(wanted, passed, frozenset(params), values, tokens, instances)
    return values


def agreement(params: Sequence[str], definition: Sequence[Token], tokens: Sequence[Token], at: int) -> int | None:
    """How many arguments of the call whose bracket is ``tokens[at + 1]`` have by name the type of their parameter in a
    template's ``definition``; None where one cannot be meant: an array where a class is wanted, or the reverse."""
    opening = next((i for i, t in enumerate(definition) if t.text == "("), None)
    if opening is None:
        return 0
    formals = split(list(definition[opening + 1 : closing(definition, opening)]))
    actuals = split(list(tokens[at + 2 : closing(tokens, at + 1)]))
    alike = 0
    for formal, actual in zip(formals, actuals, strict=False):
        wanted = _shape(formal) or _shape([*formal, *formal[-1:]])  # one without a name
        passed = _passed(actual, tokens, at)
        if wanted is None:
            continue
        named = wanted.type[-1].text
        if passed is None:
            made = [t.text for t in actual if t.kind == "id"]  # Tag()
            alike += [t.text for t in actual[-2:]] == ["(", ")"] and made[-1:] == [named]
            continue
        array, class_ = (
            (bool(s.extents) or s.type[-1].text == "*" for s in (wanted, passed)),
            (s.type[-1].text == ">" and not s.extents for s in (wanted, passed)),
        )
        (rows, given), (holds, object_) = array, class_
        if (rows and object_) or (holds and given):
            return None
        if named not in params and [t.text for t in wanted.type] == [t.text for t in passed.type]:
            alike += 1
    return alike


def _one(
    formal: Sequence[Token],
    actual: Sequence[Token],
    pack: str,
    tokens: Sequence[Token],
    at: int,
    instances: Mapping[str, Sequence[list[Token]]],
) -> Sequence[Token]:
    """What one argument makes of a parameter pack; () where that is not seen."""
    found: dict[str, Sequence[Token]] = {}
    wanted, passed = _shape(formal), _passed(actual, tokens, at)
    if wanted is not None and passed is not None:
        _match(wanted, passed, frozenset((pack,)), found, tokens, instances)
    return found.get(pack, ())


def _comma(near: Token) -> Token:
    made = near.copy()
    made.kind, made.text = "op", ","
    return made


def closing(tokens: Sequence[Token], opening: int) -> int:
    level = 0
    for at in range(opening, len(tokens)):
        level += (tokens[at].text in _OPEN) - (tokens[at].text in _CLOSE)
        if level == 0:
            return at
    return len(tokens)


def _shape(piece: Sequence[Token]) -> DeclaredShape | None:
    """``const T (&A)[N]``: the type T, the extent N, the name A. A pointer counts as part of the type."""
    words = [t for t in piece if t.text not in _NO_TYPE and t.kind != "pragma"]
    equals = next((i for i, t in enumerate(words) if t.text == "="), len(words))
    words = words[:equals]
    extents: list[tuple[Token, ...]] = []
    while words and words[-1].text == "]":
        opening = _opening(words)
        extents.insert(0, tuple(words[opening + 1 : -1]))
        words = words[:opening]
    words = [t for t in words if t.text not in ("(", ")", "&")]
    if len(words) < 2 or words[-1].kind != "id":
        return None
    return DeclaredShape(tuple(_closed(words[:-1])), tuple(extents), words[-1].text)


def _closed(words: Sequence[Token]) -> Iterator[Token]:
    """Tokens of a type, a ``>>`` that closes two lists as two."""
    level = 0
    for token in words:
        level += (token.text == "<") - (token.text == ">") - 2 * (token.text == ">>")
        if token.text != ">>" or level < 0:
            yield token
            continue
        for _ in range(2):
            half = token.copy()
            half.text = ">"
            yield half


def _opening(words: Sequence[Token]) -> int:
    level = 0
    for at in range(len(words) - 1, -1, -1):
        level += (words[at].text == "]") - (words[at].text == "[")
        if level == 0:
            return at
    return 0


def _passed(actual: Sequence[Token], tokens: Sequence[Token], at: int) -> DeclaredShape | None:
    """What an argument is: a literal, a name, or a row or element of one."""
    if not actual:
        return None
    first = actual[0]
    if len(actual) == 1 and first.kind == "num":
        floating = "." in first.text or ("e" in first.text.lower() and not first.text.lower().startswith("0x"))
        name = ("float" if first.text[-1] in "fF" else "double") if floating else "int"
        kind = first.copy()
        kind.kind, kind.text = "id", name
        return DeclaredShape((kind,), (), "")
    if actual[-1].text in (")", "}") and first.kind == "id":  # T(..), T<..>{..}
        opening = next((i for i, t in enumerate(actual) if t.text in ("(", "{")), 0)
        built = list(actual[:opening])
        whole = closing(actual, opening) == len(actual) - 1
        if whole and first.text in _CASTS and len(built) > 2:  # static_cast<hls::stream<T> &>(x)
            cast = [t for t in _closed(built[2:]) if t.text not in ("&", "&&", "const")]
            return DeclaredShape(tuple(cast[:-1]), (), "")
        if whole and built and (built[-1].text in (">", ">>") or _is_class(built[-1].text, tokens)):
            return DeclaredShape(tuple(_closed(built)), (), "")
        return None
    space: str | None = None
    while len(actual) > 2 and first.kind == "id" and actual[1].text == "::":
        space, actual, first = first.text, actual[2:], actual[2]
    if first.kind != "id" or (len(actual) > 1 and (actual[1].text != "[" or actual[-1].text != "]")):
        return None
    shape = declared(first.text, tokens, at) if space is None else _member(space, first.text, tokens, at)
    taken, here = 0, 1
    while here < len(actual):
        if actual[here].text != "[":
            return None
        here, taken = closing(actual, here) + 1, taken + 1
    if shape is None or taken > len(shape.extents):
        return None
    return DeclaredShape(shape.type, shape.extents[taken:], shape.name)


def _is_class(name: str, tokens: Sequence[Token]) -> bool:
    """Whether a name is that of a class, or a typedef."""
    if "<" in name:
        return True
    for at in range(len(tokens) - 2):
        if tokens[at + 1].text == name and tokens[at].text in ("struct", "class", "using"):
            return True
    return bool(_alias(name, tokens))


def declared(name: str, tokens: Sequence[Token], at: int) -> DeclaredShape | None:
    """The nearest declaration of ``name`` above index ``at``."""
    for here in range(at - 1, 0, -1):
        if tokens[here].text == name and tokens[here].kind == "id":
            shape = _declaration(tokens, here)
            if shape is not None and shape.name == name:
                return shape
    return None


def _member(space: str, name: str, tokens: Sequence[Token], at: int) -> DeclaredShape | None:
    """The declaration of ``space::name``; None where ``space`` is no namespace above."""
    for here in range(at - 2):
        if [t.text for t in tokens[here : here + 3]] == ["namespace", space, "{"]:
            end = closing(tokens, here + 2)
            found = declared(name, tokens[here + 2 : end], end - here - 2)
            if found is not None:
                return found
    return None


def _declaration(tokens: Sequence[Token], here: int) -> DeclaredShape | None:
    """The thing declared at ``here``, None when that is another use of the name."""
    start, level = here, 0
    comma: int | None = None
    while start > 0:
        text = tokens[start - 1].text
        if level == 0 and text in (";", "{", "}", "eof", ""):
            break
        if text == ">":
            start = _angle(tokens, start - 1)
            continue
        if text in (")", "]", "}"):
            level += 1
        elif text in ("(", "[") and not (text == "(" and level == 0 and tokens[start].text in ("&", "*")):
            if level == 0:
                break
            level -= 1
        elif text == "," and level == 0 and comma is None:
            comma = start
        start -= 1
    listed = tokens[start - 1].text == "(" if start else False  # a parameter, or a for loop's variable
    end = here + 1
    if [t.text for t in tokens[max(0, here - 2) : here + 2]] == ["(", "&", tokens[here].text, ")"]:
        end += 1  # T (&A)[N]
    while end < len(tokens) and tokens[end].text == "[":
        end = closing(tokens, end) + 1
    if end >= len(tokens) or tokens[end].text not in (";", ",", "=", ")", "{", "("):
        return None
    if tokens[start].text in _NO_DECLARATION or tokens[start].kind != "id":
        return None
    if comma is None or listed:
        return _checked(_shape(tokens[comma if comma is not None else start : end]), tokens[here - 1])
    head = split(list(tokens[start:comma]))[0]
    base = _checked(_shape(head), tokens[here - 1])
    own = _shape([*head[:1], *tokens[comma:end]])
    return None if base is None or own is None else DeclaredShape(base.type, own.extents, own.name)


def _angle(tokens: Sequence[Token], closing: int) -> int:
    """The ``<`` for a ``>``, itself when that compares."""
    level = 0
    for at in range(closing, -1, -1):
        text = tokens[at].text
        level += (text == ">") + 2 * (text == ">>") - (text == "<")
        if level == 0:
            return at
        if text in (";", "{", "}", "eof"):
            break
    return closing


def _checked(shape: DeclaredShape | None, before: Token) -> DeclaredShape | None:
    """A shape whose type is one: names, qualifiers, template arguments and stars."""
    if shape is None or before.text in (".", "->", "+", "-", "/", "%", "=", "[", "(", "!"):
        return None
    level = 0
    for token in shape.type:
        level += (token.text == "<") - (token.text == ">") - 2 * (token.text == ">>")
        if level == 0 and token.kind != "id" and token.text not in ("::", ">", ">>", "*"):
            return None
    return shape if level == 0 else None


def _match(
    wanted: DeclaredShape,
    passed: DeclaredShape,
    params: frozenset[str],
    values: dict[str, Sequence[Token]],
    tokens: Sequence[Token],
    instances: Mapping[str, Sequence[list[Token]]],
) -> None:
    for extent, size in zip(wanted.extents, passed.extents, strict=False):
        if len(extent) == 1 and extent[0].text in params:
            values.setdefault(extent[0].text, size)
    if len(wanted.type) == 1 and wanted.type[0].text in params:
        if not (passed.extents and not wanted.extents):
            values.setdefault(wanted.type[0].text, passed.type)
        return
    own, other = _arguments(wanted.type), _arguments(passed.type)
    if own and not other:
        other = list(instances.get(passed.type[-1].text, ()))
    if own and not other:
        type_ = _alias(passed.type[-1].text, tokens)
        other = _arguments(type_) or list(instances.get(type_[-1].text, ()) if type_ else ())
    for one, two in zip(own, other, strict=False):
        if len(one) == 1 and one[0].text in params:
            values.setdefault(one[0].text, two)
        elif "<" in (t.text for t in one) and "<" in (t.text for t in two):
            _match(
                DeclaredShape(tuple(one), (), ""), DeclaredShape(tuple(two), (), ""), params, values, tokens, instances
            )


def _arguments(type_: Sequence[Token]) -> list[list[Token]]:
    """The arguments between the outermost angles of a type."""
    opening = next((i for i, t in enumerate(type_) if t.text == "<"), None)
    if opening is None or type_[-1].text != ">":
        return []
    return split(list(type_[opening + 1 : -1]))


def _alias(name: str, tokens: Sequence[Token]) -> list[Token]:
    """What ``typedef T name;`` or ``using name = T;`` gives the name."""
    for at in range(len(tokens) - 2):
        if tokens[at].text == "using" and tokens[at + 1].text == name and tokens[at + 2].text == "=":
            end = next((i for i in range(at, len(tokens)) if tokens[i].text == ";"), at)
            return list(tokens[at + 3 : end])
        if tokens[at].text == name and tokens[at + 1].text == ";":
            start = at
            while start > 0 and tokens[start - 1].text not in (";", "}", "{"):
                start -= 1
            if tokens[start].text == "typedef":
                return list(tokens[start + 1 : at])
    return []
