"""The members of a class, read from its tokens, for classes that are written out as a structure and functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from hlspart.frontend.cxx_collect import like
from hlspart.frontend.cxx_shapes import semicolon
from hlspart.frontend.cxx_types import BASIC, split
from hlspart.frontend.parse import error
from hlspart.frontend.tokens import MacroUse, PragmaToken, SourceError, Token

TAGS = ("struct", "class")
LABELS = ("public", "private", "protected")
OPEN, CLOSE = ("(", "[", "{"), (")", "]", "}")
_QUALIFIERS = ("const", "volatile")
_BEHIND = frozenset(("const", "noexcept", "override", "final"))
_BEFORE = frozenset(("inline", "constexpr", "explicit", "static", "typename"))


def parameter_name(part: Sequence[Token]) -> int:
    """Where the name of a parameter stands."""
    end = next((i for i, t in enumerate(part) if t.text == "="), len(part))
    end = next((i for i, t in enumerate(part[:end]) if t.text == "["), end)
    while end > 1 and part[end - 1].text == ")":
        end -= 1
    return end - 1


def _has_name(part: Sequence[Token]) -> bool:
    """Whether a parameter has a name: ``const T`` is a type alone."""
    at = parameter_name(part)
    if at < 1 or part[at].kind != "id" or part[at].text in (*BASIC, *_QUALIFIERS) or part[at - 1].text == "::":
        return False
    return any(t.text not in (*_QUALIFIERS, "typename") for t in part[:at])


def _with_name(part: Sequence[Token], name: Token) -> list[Token]:
    at = parameter_name(part) + 1
    return [*part[:at], name, *part[at:]]


class DataMember(Struct):
    """One data member: its type, its name, the tokens of its extents and of its initial value."""

    type: list[Token]
    name: Token
    extents: list[Token]
    value: list[Token]


class MemberFunction(Struct):
    """One member function. ``params`` and ``body`` have their brackets; ``inits``: of a constructor's members."""

    before: list[Token]
    name: Token
    params: list[Token]
    inits: list[tuple[Token, list[Token]]]
    body: list[Token] | None
    const: bool
    static: bool

    @property
    def arguments(self) -> list[list[Token]]:
        """The parameters, each with its default value."""
        inside = [t for t in self.params[1:-1] if not isinstance(t, PragmaToken)]
        parts = split(inside)
        return [] if [t.text for part in parts for t in part] == ["void"] else parts

    @property
    def needed(self) -> int:
        """How many arguments a call must have."""
        return sum("=" not in [t.text for t in part] for part in self.arguments)


class ClassText(Struct, eq=False):
    """A class: tokens ``first..last`` of its unit, and what is declared in it."""

    name: Token
    first: int
    last: int
    bases: list[str] = field(default_factory=list)
    data: list[DataMember] = field(default_factory=list)
    statics: list[DataMember] = field(default_factory=list)
    functions: list[MemberFunction] = field(default_factory=list)
    constructors: list[MemberFunction] = field(default_factory=list)
    types: list[tuple[str, list[Token]]] = field(default_factory=list)  # typedefs and nested structures
    enumerations: list[list[Token]] = field(default_factory=list)
    enumerators: list[str] = field(default_factory=list)
    friends: list[list[Token]] = field(default_factory=list)
    anchors: list[Token] = field(default_factory=list)  # of templates that were taken out

    @property
    def use(self) -> MacroUse:
        """What the text of the class counts as: an argument that is used often."""
        return MacroUse(self.name.text, self.name.path, self.name.start, self.name.end)


def refuse(token: Token, what: str) -> SourceError:
    """The fault of a construct that is not read."""
    return error(token, f"C++ construct not supported: {what}", "HLP003")


def partner(tokens: Sequence[Token], opening: int) -> int:
    """The partner of the bracket at an index. Raises SourceError."""
    level = 0
    for at in range(opening, len(tokens)):
        if tokens[at].kind == "op":
            level += (tokens[at].text in OPEN) - (tokens[at].text in CLOSE)
            if level == 0:
                return at
    raise error(tokens[opening], f"'{tokens[opening].text}' is never closed")


def angle(tokens: Sequence[Token], at: int) -> int:
    """The ``>`` for the ``<`` at an index. Raises SourceError."""
    level = inside = 0
    for here in range(at, len(tokens)):
        text = tokens[here].text
        inside += (text in ("(", "[")) - (text in (")", "]"))
        if inside == 0:  # else ``>`` compares
            level += (text == "<") - (text == ">") - 2 * (text == ">>")
        if level <= 0:
            return here
        if text in (";", "{") or inside < 0:
            break
    raise error(tokens[at], "'<' is never closed")


def head_of(tokens: Sequence[Token], at: int) -> int | None:
    """The brace of the class that begins at ``at``; None where none is defined there."""
    if tokens[at].text not in TAGS or tokens[at + 1].kind != "id":
        return None
    here = at + 2
    here += tokens[here].text == "final"
    if tokens[here].text == ":" and tokens[here + 1].text != ":":
        while tokens[here].text not in ("{", ";", "(", ")", "=") and tokens[here].kind != "eof":
            here += 1
    return here if tokens[here].text == "{" else None


def read_class(tokens: list[Token], start: int) -> ClassText:
    """The class whose keyword is at ``start``. Raises SourceError."""
    opening = head_of(tokens, start)
    assert opening is not None
    last = partner(tokens, opening)
    if tokens[last + 1].text != ";":
        raise refuse(tokens[start], "class with objects in its declaration")
    text = ClassText(tokens[start + 1], start, last)
    for part in split(tokens[start + 3 : opening]) if opening > start + 2 else []:
        words = [t for t in part if t.text not in (*LABELS, ":", "final")]
        if not words or "virtual" in [t.text for t in words]:
            raise refuse(tokens[start], "inheritance")
        words = words[2:] if len(words) == 3 and words[1].text == "::" else words
        text.bases.append("".join(t.text for t in words))
    at = opening + 1
    while at < last:
        if isinstance(tokens[at], PragmaToken) or tokens[at].text == ";":
            at += 1
        elif tokens[at].kind == "eof":
            text.anchors.append(tokens[at])
            at += 1
        elif tokens[at].text in LABELS and tokens[at + 1].text == ":":
            at += 2
        else:
            at = _member(tokens, at, last, text)
    return text


def _member(tokens: list[Token], start: int, last: int, into: ClassText) -> int:
    """Read one declaration of a class body; behind it."""
    text = tokens[start].text
    end = min(semicolon(tokens, start), last)
    if text == "static_assert":
        return end + 1
    if text == "friend":
        at = start
        while at < last and tokens[at].text not in ("{", ";"):
            at += 1
        if tokens[at].text == "{":
            into.friends.append(tokens[start + 1 : partner(tokens, at) + 1])
            return partner(tokens, at) + 1
        return end + 1
    if text in ("typedef", "using"):
        _type(tokens[start : end + 1], into)
        return end + 1
    if text == "enum":
        opening = next((i for i in range(start, end) if tokens[i].text == "{"), None)
        if opening is None:
            raise refuse(tokens[start], "enum in a class")
        if tokens[start + 1].kind == "id" and tokens[start + 1].text not in ("class", "struct"):
            into.types.append((tokens[start + 1].text, []))
        inside = split(tokens[opening + 1 : partner(tokens, opening)])
        into.enumerators += [part[0].text for part in inside if part]
        into.enumerations.append(tokens[start : end + 1])
        return end + 1
    if text in ("struct", "class", "union") and any(t.text == "{" for t in tokens[start:end]):
        if tokens[start + 1].kind != "id" or tokens[end - 1].text != "}":
            raise refuse(tokens[start], f"{text} in a class")
        into.types.append((tokens[start + 1].text, tokens[start : end + 1]))
        return end + 1
    return declared_member(tokens, start, last, into)


def _type(words: list[Token], into: ClassText) -> None:
    """``typedef T name;`` and ``using name = T;``, and names of a base that are brought in."""
    if words[0].text == "using" and len(words) > 2 and words[2].text == "=":
        into.types.append((words[1].text, [like("typedef", "id", words[0]), *words[3:-1], words[1], words[-1]]))
    elif words[0].text == "typedef":
        end = len(words) - 1
        while words[end - 1].text == "]":
            end = next(i for i in range(end - 1, 0, -1) if words[i].text == "[")
        if words[end - 1].kind != "id" or (words[-2].kind != "id" and words[-2].text != "]"):
            raise refuse(words[0], "typedef in a class")
        into.types.append((words[end - 1].text, words))


def outside_angles(words: Sequence[Token]) -> Iterator[Token]:
    """The tokens outside of the arguments of templates."""
    return (words[at] for at in _outside(words))


def _outside(words: Sequence[Token]) -> Iterator[int]:
    """Their places."""
    at = 0
    while at < len(words):
        yield at
        at = angle(words, at) + 1 if words[at].text == "<" and at > 0 and words[at - 1].kind == "id" else at + 1


def declared_member(tokens: list[Token], start: int, last: int, into: ClassText) -> int:
    """A data member or a member function; behind it."""
    at = start
    while at < last and tokens[at].text not in ("(", ";", "=", "[", "{", ",", ":"):
        if tokens[at].text in ("virtual", "template", "mutable"):
            raise refuse(tokens[at], f"{tokens[at].text} in a class")
        if tokens[at].text == "operator":
            at += 1
            while at < last and (tokens[at].text != "(" or (tokens[at + 1].text == ")" and tokens[at + 2].text == "(")):
                if tokens[at].text == "<" and tokens[at - 1].kind == "id" and tokens[at - 1].text != "operator":
                    at = angle(tokens, at)  # operator ap_uint<2 * (3 + 1)>()
                at += 2 if tokens[at].text == "(" else 1
            break
        if tokens[at].text == "<":
            at = angle(tokens, at)
        at += 1
    if tokens[at].text == "(" and tokens[at + 1].text not in ("*", "&"):
        return _function(tokens, start, at, last, into)
    end = min(semicolon(tokens, start), last)
    pieces = split([t for t in tokens[start:end] if not isinstance(t, PragmaToken)])
    type_: list[Token] = []
    static = tokens[start].text in ("static", "constexpr", "inline")
    for number, piece in enumerate(pieces):
        equals = next((i for i, t in enumerate(piece) if t.text in ("=", "{")), len(piece))
        name = next((i for i in _outside(piece[:equals]) if piece[i].text in ("[", ":")), equals) - 1
        if name < 0 or piece[name].kind != "id" or any(t.text in ("&", "(") for t in outside_angles(piece[:name])):
            raise refuse(tokens[start], "member that is a reference")
        type_ = piece[:name] if number == 0 else type_
        own = [*type_, *piece[:name]] if number else type_
        value = piece[equals:]
        (into.statics if static else into.data).append(DataMember(own, piece[name], piece[name + 1 : equals], value))
    return end + 1


def _function(tokens: list[Token], start: int, opening: int, last: int, into: ClassText) -> int:
    close = partner(tokens, opening)
    name_at = opening - 1
    words = [t.text for t in tokens[start:opening]]
    if "operator" in words:
        name_at = start + words.index("operator")
        text = "operator" + "".join(t.text for t in tokens[name_at + 1 : opening])
        name = like(text, "id", tokens[name_at])
    else:
        name = tokens[name_at]
    if name.kind != "id":
        raise refuse(tokens[start], "class")
    before = tokens[start:name_at]
    if name.text != tokens[name_at].text and tokens[name_at + 1].kind == "id":  # operator T()
        before = [*before, *tokens[name_at + 1 : opening]]
    destructor = any(t.text == "~" for t in before)
    at, const = close + 1, False
    while tokens[at].text in _BEHIND:
        const = const or tokens[at].text == "const"
        at += 1
    if tokens[at].text == "->":  # of what an expression has, the body says
        end = at + 1
        while tokens[end].text not in ("{", ";"):
            end = partner(tokens, end) + 1 if tokens[end].text in OPEN else end + 1
        behind = tokens[at + 1 : end]
        if "auto" in words and behind and behind[0].text != "decltype":
            before = [*(t for t in before if t.text != "auto"), *behind]
        at = end
    if tokens[at].text == "=" and tokens[at + 2].text == ";":  # = default, = delete
        if tokens[at + 1].text == "0":
            raise refuse(name, "virtual function")
        return at + 3
    inits: list[tuple[Token, list[Token]]] = []
    if tokens[at].text == ":":
        at += 1
        while tokens[at].text != "{" or tokens[at - 1].kind == "id":
            if tokens[at].text in ("(", "{"):
                end = partner(tokens, at)
                inits.append((tokens[at - 1], tokens[at + 1 : end]))
                at = end + 1
            elif tokens[at].text == "<" and tokens[at - 1].kind == "id":  # of a base
                end = angle(tokens, at)
                base = like("".join(t.text for t in tokens[at - 1 : end + 1]), "id", tokens[at - 1])
                inits.append((base, tokens[end + 2 : partner(tokens, end + 1)]))
                at = partner(tokens, end + 1) + 1
            elif tokens[at].kind == "id" or tokens[at].text in (",", "::"):
                at += 1
            else:
                raise refuse(name, "initialiser of a constructor")
    body: list[Token] | None = None
    if tokens[at].text == "{":
        end = partner(tokens, at)
        body = tokens[at : end + 1]
    elif tokens[at].text == ";":
        end = at
    else:
        raise refuse(name, f"member function {name.text}")
    if destructor:
        if body is not None and any(not isinstance(t, PragmaToken) for t in body[1:-1]):
            raise refuse(name, "destructor")
        return end + 1
    static = any(t.text == "static" for t in before)
    kept = [t for t in before if t.text not in _BEFORE and not isinstance(t, PragmaToken)]
    made = MemberFunction(kept, name, tokens[opening : close + 1], inits, body, const, static)
    plain = into.name.text.partition("<")[0]
    constructor = name.text in (into.name.text, plain) and not kept
    if constructor and made.params:
        named = (
            part if _has_name(part) else _with_name(part, like(f"given_{k}", "id", name))
            for k, part in enumerate(made.arguments)
        )
        inside = [t for part in named for t in (*part, like(",", "op", name))][:-1]
        made.params = [made.params[0], *inside, made.params[-1]]
    (into.constructors if constructor else into.functions).append(made)
    return end + 1
