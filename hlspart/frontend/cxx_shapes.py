"""What the tokens of an expression or a declaration say of its type, before anything is parsed.

The declaration of a name is the nearest one above its use that has the shape of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from hlspart.frontend.cxx_types import BASIC, split
from hlspart.frontend.tokens import Token

_OPEN, _CLOSE = ("(", "[", "{"), (")", "]", "}")
_NO_TYPE = frozenset(("const", "volatile", "static", "register", "constexpr", "typename", "struct", "inline", "extern"))
_AROUND = ("(", ")", "&")  # of a name in a declarator
_CASTS = frozenset(("static_cast", "const_cast", "reinterpret_cast"))
_NO_DECLARATION = frozenset((
    "return", "else", "goto", "case", "typedef", "using", "delete", "throw", "auto", "for", "while", "if", "switch",
    "do",
))  # fmt: skip

Classes = Callable[[str], Sequence[Token]]
"""The text of a class by its name, nothing where it has none."""


class DeclaredShape(Struct, frozen=True):
    """A declared thing: the tokens of its element type, of each extent, and its name. A pointer counts as part of the
    type."""

    type: tuple[Token, ...]
    extents: tuple[tuple[Token, ...], ...]
    name: str
    called: bool = False  # a bracket follows: a function, or an object that is built


def closing(tokens: Sequence[Token], opening: int) -> int:
    level = 0
    for at in range(opening, len(tokens)):
        level += (tokens[at].text in _OPEN) - (tokens[at].text in _CLOSE)
        if level == 0:
            return at
    return len(tokens)


def semicolon(tokens: Sequence[Token], at: int) -> int:
    """The next semicolon outside of brackets, or the end of the tokens."""
    while at < len(tokens) and tokens[at].text != ";" and tokens[at].kind != "eof":
        at = closing(tokens, at) + 1 if tokens[at].text in _OPEN else at + 1
    return min(at, len(tokens))


def shape_of(piece: Sequence[Token]) -> DeclaredShape | None:
    """``const T (&A)[N]``: the type T, the extent N, the name A. A pointer counts as part of the type."""
    words = [t for t in piece if t.text not in _NO_TYPE and t.kind != "pragma"]
    equals = next((i for i, t in enumerate(words) if t.text == "="), len(words))
    words = words[:equals]
    extents: list[tuple[Token, ...]] = []
    while words and words[-1].text == "]":
        opening = _opening(words)
        extents.insert(0, tuple(words[opening + 1 : -1]))
        words = words[:opening]
    words = [t for t, outside in zip(words, _outside(words), strict=True) if not outside or t.text not in _AROUND]
    if len(words) < 2 or words[-1].kind != "id":
        return None
    return DeclaredShape(tuple(_closed(words[:-1])), tuple(extents), words[-1].text)


def _outside(words: Sequence[Token]) -> Iterator[bool]:
    """Of each token, whether it stands outside of the arguments of a template."""
    level = 0
    for token in words:
        level += (token.text == "<") - (token.text == ">") - 2 * (token.text == ">>")
        yield level <= 0


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


def passed_shape(
    actual: Sequence[Token], tokens: Sequence[Token], at: int, classes: Classes = lambda _: ()
) -> DeclaredShape | None:
    """What an argument is: a literal, a name, a part of one, its address, or what a call or a cast gives.

    ``classes``: the text of classes that ``tokens`` do not hold.
    """
    if not actual:
        return None
    first = actual[0]
    if len(actual) == 1 and first.kind == "num":
        floating = "." in first.text or ("e" in first.text.lower() and not first.text.lower().startswith("0x"))
        return _plain(("float" if first.text[-1] in "fF" else "double") if floating else "int", first)
    if first.text in ("true", "false") and len(actual) == 1:
        return _plain("bool", first)
    if first.text in ("-", "+", "~"):
        return passed_shape(actual[1:], tokens, at, classes)
    if first.text == "!":
        return _plain("bool", first)
    if first.text == "&":
        return _address(passed_shape(actual[1:], tokens, at, classes), first)
    if first.text == "*":
        return _element(passed_shape(actual[1:], tokens, at, classes))
    if first.text == "(":
        close = closing(actual, 0)
        if close == len(actual) - 1:
            return passed_shape(actual[1:-1], tokens, at, classes)
        return _cast(actual[1:close], actual[close + 1 :], tokens)
    if actual[-1].text in (")", "}") and first.kind == "id":  # T(..), T<..>{..}
        apart = enumerate(zip(actual, _outside(actual), strict=True))
        opening = next((i for i, (t, outside) in apart if outside and t.text in ("(", "{")), 0)
        built = list(actual[:opening])
        whole = closing(actual, opening) == len(actual) - 1
        if whole and first.text in _CASTS and len(built) > 2:  # static_cast<hls::stream<T> &>(x)
            cast = [t for t in _closed(built[2:]) if t.text not in ("&", "&&", "const")]
            return DeclaredShape(tuple(cast[:-1]), (), "")
        if whole and built and (built[-1].text in (">", ">>") or _is_class(built[-1].text, tokens)):
            return DeclaredShape(tuple(_closed(built)), (), "")
    return _part(actual, tokens, at, classes)


def _part(actual: Sequence[Token], tokens: Sequence[Token], at: int, classes: Classes) -> DeclaredShape | None:
    """A name, and what indices, members and calls take from it."""
    space: str | None = None
    while len(actual) > 2 and actual[0].kind == "id" and actual[1].text == "::":
        space, actual = actual[0].text, actual[2:]
    first, here = actual[0], 1
    if first.kind != "id":
        return None
    shape = declared(first.text, tokens, at) if space is None else _member(space, first.text, tokens, at)
    while shape is not None and here < len(actual):
        text, last = actual[here].text, closing(actual, here)
        if text == "[":
            shape, here = _element(shape), last + 1
        elif text == "(" and here == 1 and shape.called:  # f(x), of one function that is above
            shape, here = DeclaredShape(shape.type, (), ""), last + 1
        elif text in (".", "->") and here + 1 < len(actual) and not shape.extents:
            name = actual[here + 1].text
            words = arguments_of(shape.type)
            if (
                [t.text for t in actual[here + 1 : here + 4]] == ["read", "(", ")"]
                and words
                and _is_named(shape, "stream")
            ):
                shape, here = DeclaredShape(tuple(words[0]), (), ""), here + 4
            else:
                shape, here = _of_class(shape.type, name, tokens, classes), here + 2
        else:
            return None
    return shape


def _plain(name: str, near: Token) -> DeclaredShape:
    kind = near.copy()
    kind.kind, kind.text = "id", name
    return DeclaredShape((kind,), (), "")


def _address(shape: DeclaredShape | None, sign: Token) -> DeclaredShape | None:
    if shape is None or shape.extents:
        return None
    star = sign.copy()
    star.text = "*"
    return DeclaredShape((*shape.type, star), (), "")


def _element(shape: DeclaredShape | None) -> DeclaredShape | None:
    """What an index takes: of an array, a pointer, or a vector."""
    if shape is None:
        return None
    if shape.extents:
        return DeclaredShape(shape.type, shape.extents[1:], shape.name)
    if shape.type[-1].text == "*":
        return DeclaredShape(shape.type[:-1], (), shape.name)
    words = arguments_of(shape.type)
    return DeclaredShape(tuple(words[0]), (), "") if words and _is_named(shape, "vector", "array") else None


def _is_named(shape: DeclaredShape, *names: str) -> bool:
    """Whether a type is a template of one of these names."""
    opening = next((i for i, t in enumerate(shape.type) if t.text == "<"), 0)
    return opening > 0 and shape.type[opening - 1].text in names


def _cast(type_: Sequence[Token], behind: Sequence[Token], tokens: Sequence[Token]) -> DeclaredShape | None:
    """``(T)x``."""
    words = [t for t in _closed(type_) if t.text not in _NO_TYPE]
    is_type = bool(words) and (
        words[-1].text in (">", "*") or words[-1].text in BASIC or _is_class(words[-1].text, tokens)
    )
    one = bool(behind) and (behind[0].kind in ("id", "num") or behind[0].text == "(")
    level = 0
    for token in behind:
        level += (token.text in _OPEN) - (token.text in _CLOSE)
        one = one and (level > 0 or token.kind in ("id", "num") or token.text in (")", "]", ".", "->", "::"))
    return DeclaredShape(tuple(words), (), "") if is_type and one else None


def _of_class(type_: Sequence[Token], name: str, tokens: Sequence[Token], classes: Classes) -> DeclaredShape | None:
    """The member ``name`` of a class."""
    alias = alias_of(type_[-1].text, tokens)
    of = alias[-1].text if alias else type_[-1].text
    return _in_class(of, name, tokens) or _in_class(of, name, classes(of))


def _in_class(of: str, name: str, tokens: Sequence[Token]) -> DeclaredShape | None:
    """The member ``name`` of the class ``of``, where it is defined in the tokens."""
    for at in range(len(tokens) - 2):
        if tokens[at].text not in ("struct", "class") or tokens[at + 1].text != of or tokens[at + 2].text != "{":
            continue
        for here in range(at + 3, closing(tokens, at + 2)):
            if tokens[here].text == name and tokens[here].kind == "id":
                shape = _declaration(tokens, here)
                if shape is not None and shape.name == name and not shape.called:
                    return shape
    return None


def _is_class(name: str, tokens: Sequence[Token]) -> bool:
    """Whether a name is that of a class, or a typedef."""
    if "<" in name:
        return True
    for at in range(len(tokens) - 2):
        if tokens[at + 1].text == name and tokens[at].text in ("struct", "class", "using"):
            return True
    return bool(alias_of(name, tokens))


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
            shape = declared(name, tokens[here + 2 : end], end - here - 2)
            if shape is not None:
                return shape
    return None


def _declaration(tokens: Sequence[Token], here: int) -> DeclaredShape | None:
    """The thing declared at ``here``, None when that is another use of the name."""
    start, level = here, 0
    comma: int | None = None
    while start > 0:
        text = tokens[start - 1].text
        initial = text == "}" and tokens[start].text == ","  # int a[2] = {1, 2}, b;
        if level == 0 and text in (";", "{", "}", "eof", "") and not initial:
            break
        if text == ">":
            start = _angle(tokens, start - 1)
            continue
        if text in (")", "]", "}"):
            level += 1
        elif text in _OPEN and not (text == "(" and level == 0 and tokens[start].text in ("&", "*")):
            if level == 0:
                break
            level -= 1
        elif text == "," and level == 0 and comma is None:
            comma = start
        start -= 1
    listed = tokens[start - 1].text == "(" if start else False  # a parameter, or a for loop's variable
    end = here + 1
    if [t.text for t in tokens[max(0, here - 2) : here + 2]] == ["(", "&", tokens[here].text, ")"]:
        if [t.text for t in tokens[end + 1 : end + 2]] != ["["]:
            return None  # f(&a)
        end += 1  # T (&A)[N]
    while end < len(tokens) and tokens[end].text == "[":
        end = closing(tokens, end) + 1
    if end >= len(tokens) or tokens[end].text not in (";", ",", "=", ")", "{", "("):
        return None
    if tokens[start].text in _NO_DECLARATION or tokens[start].kind != "id":
        return None
    called = tokens[end].text == "("
    if comma is None or listed:
        shape = _checked(shape_of(tokens[comma if comma is not None else start : end]), tokens[here - 1])
        return None if shape is None else replace(shape, called=called)
    head = list(_without_value(split(list(tokens[start:comma]))[0]))
    base = _checked(shape_of(head), tokens[here - 1])
    own = shape_of([*head[:1], *tokens[comma:end]])
    return None if base is None or own is None else DeclaredShape(base.type, own.extents, own.name)


def _without_value(declarator: Sequence[Token]) -> Iterator[Token]:
    """``T a`` of ``T a(8)``, ``T a{8}`` and ``T a = 8``."""
    angle = 0
    for token in declarator:
        if angle == 0 and token.text in ("(", "{", "="):
            return
        angle += (token.text == "<") - (token.text == ">") - 2 * (token.text == ">>")
        yield token


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


def arguments_of(type_: Sequence[Token]) -> list[list[Token]]:
    """The arguments between the outermost angles of a type."""
    opening = next((i for i, t in enumerate(type_) if t.text == "<"), None)
    if opening is None or type_[-1].text != ">":
        return []
    return split(list(type_[opening + 1 : -1]))


def alias_of(name: str, tokens: Sequence[Token]) -> list[Token]:
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
