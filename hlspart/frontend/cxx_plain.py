"""Classes whose objects are plain variables, as they are read: a variable per member, a function per method.

A constructor may set members to what it is given, and name what its references refer to; it does nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from hlspart.frontend.cxx_members import CLOSE, OPEN, TAGS, angle, outside_angles, partner, refuse
from hlspart.frontend.cxx_types import split
from hlspart.frontend.tokens import MacroUse, PragmaToken, Token

_REFUSED = frozenset((
    "virtual", "friend", "operator", "template", "using", "typedef", "enum", "struct", "class", "union", "static",
    "mutable", "~",
))  # fmt: skip
_LABELS = ("public", "private", "protected")


class PlainMember(Struct):
    """One data member: its type, its name, the tokens of its extents and of its initial value.

    ``refers``: it is a reference, so another name of the variable that the constructor is given.
    """

    type: list[Token]
    name: Token
    extents: list[Token]
    value: list[Token]
    refers: bool = False


class PlainMethod(Struct):
    """One member function: what stands before its name, its parameters with brackets, its body with braces."""

    before: list[Token]
    name: Token
    params: list[Token]
    body: list[Token]
    const: bool


class PlainClass(Struct):
    name: Token
    first: int
    last: int
    members: list[PlainMember] = field(default_factory=list)
    methods: list[PlainMethod] = field(default_factory=list)
    pragmas: list[PragmaToken] = field(default_factory=list)  # of a constructor that does nothing else
    copies: int = 0
    formals: list[str] | None = None  # what the constructor takes; None: there is none
    inits: dict[str, list[Token]] = field(default_factory=dict)  # what it sets members to

    @property
    def use(self) -> MacroUse:
        """What the text of the class counts as where it stands for several things: an argument that is used often."""
        return MacroUse(self.name.text, self.name.path, self.name.start, self.name.end)


def has_methods(tokens: Sequence[Token]) -> bool:
    """Whether a declaration is one of a class with member functions."""
    return tokens[0].text in TAGS and tokens[2].text == "{" and holds_methods(tokens, 2)


def holds_methods(tokens: Sequence[Token], opening: int) -> bool:
    level = 0
    for at in range(opening + 1, partner(tokens, opening)):
        text = tokens[at].text
        named = tokens[at - 1].kind == "id" and tokens[at - 1].text != "sizeof"  # ap_uint<sizeof(T) * 8> x
        if text == "(" and level == 0 and tokens[at + 1].text != "*" and named:
            return tokens[at - 1].text not in ("alignas", "__attribute__")
        level += (text in OPEN) - (text in CLOSE)
    return False


def read_plain(tokens: list[Token], start: int, last: int) -> PlainClass:
    """The members of a class. Raises SourceError."""
    plain = PlainClass(tokens[start + 1], start, last)
    if tokens[last + 1].text != ";":
        raise refuse(tokens[start], "class with objects in its declaration")
    at = start + 3
    while at < last:
        if isinstance(tokens[at], PragmaToken) or tokens[at].text == ";":
            at += 1
            continue
        if tokens[at].text in _LABELS and tokens[at + 1].text == ":":
            at += 2
            continue
        at = _member(tokens, at, last, plain)
    names = [m.name.text for m in plain.members]
    for member in plain.members:
        value = plain.inits.get(member.name.text)
        if member.refers and (value is None or len(value) != 1 or value[0].text not in (plain.formals or ())):
            raise refuse(member.name, "member that is a reference to more than a variable")
        if value is not None and member.extents:
            raise refuse(member.name, "array that a constructor sets")
        if (set(names) - set(plain.formals or ())) & {t.text for t in value or ()}:
            raise refuse(member.name, "member that another one sets")
    if set(plain.inits) - set(names):
        raise refuse(plain.name, "constructor that sets more than members")
    for method in plain.methods:
        said = {t.text for t in method.params}
        if said & set(names) or len(set(names)) < len(names):
            raise refuse(method.name, f"member function {method.name.text} with a parameter named like a member")
        if any(t.text == "this" and method.body[i + 1].text != "->" for i, t in enumerate(method.body)):
            raise refuse(method.name, "this")
    return plain


def _member(tokens: list[Token], start: int, last: int, into: PlainClass) -> int:
    """Read one declaration of a class body; behind it."""
    at = start
    while at < last and tokens[at].text not in ("(", ";", "=", "[", "{", ","):
        if tokens[at].text in _REFUSED:
            raise refuse(tokens[at], f"{tokens[at].text} in a class")
        if tokens[at].text == "<":
            at = angle(tokens, at)
        at += 1
    if tokens[at].text == "(":
        return _method(tokens, start, at, last, into)
    end = start
    while end < last and tokens[end].text != ";":
        end = partner(tokens, end) + 1 if tokens[end].text in OPEN else end + 1
    pieces = split([t for t in tokens[start:end] if not isinstance(t, PragmaToken)])
    type_: list[Token] = []
    for number, piece in enumerate(pieces):
        equals = next((i for i, t in enumerate(piece) if t.text in ("=", "{")), len(piece))
        name = next((i for i, t in enumerate(piece) if t.text in ("[", ":")), equals) - 1
        refers = name > 0 and piece[name - 1].text == "&" and name == len(piece) - 1 and len(pieces) == 1
        own = piece[: name - 1] if refers else piece[:equals]
        if name < 0 or piece[name].kind != "id" or any(t.text in ("*", "&", ":") for t in outside_angles(own)):
            raise refuse(tokens[start], "member that is a pointer, a reference or a bit field")
        type_ = piece[: name - refers] if number == 0 else type_
        into.members.append(PlainMember(type_, piece[name], piece[name + 1 : equals], piece[equals:], refers))
    return end + 1


def _method(tokens: list[Token], start: int, opening: int, last: int, into: PlainClass) -> int:
    name, close = tokens[opening - 1], partner(tokens, opening)
    at, const = close + 1, False
    while tokens[at].text in ("const", "noexcept"):
        const = const or tokens[at].text == "const"
        at += 1
    inits: dict[str, list[Token]] = {}
    while name.text == into.name.text and tokens[at].text in (":", ",") and tokens[at + 2].text in ("(", "{"):
        behind = partner(tokens, at + 2)
        inits[tokens[at + 1].text] = [t for t in tokens[at + 3 : behind] if not isinstance(t, PragmaToken)]
        at = behind + 1
    if name.kind != "id" or tokens[at].text != "{":
        raise refuse(tokens[start], f"member function {name.text} without its body" if name.kind == "id" else "class")
    end = partner(tokens, at)
    body = tokens[at : end + 1]
    if name.text != into.name.text:
        before = [t for t in tokens[start : opening - 1] if t.text not in ("inline", "constexpr")]
        said = [t.text for t in tokens[opening : close + 1]]
        others = [m for m in into.methods if m.name.text == name.text and m.const != const]
        if any([t.text for t in m.params] == said for m in others):
            raise refuse(name, f"two member functions {name.text} that differ in const alone")
        into.methods.append(PlainMethod(before, name, tokens[opening : close + 1], body, const))
        return end + 1
    params = split([t for t in tokens[opening + 1 : close] if not isinstance(t, PragmaToken)])
    plain = all(len(p) > 1 and p[-1].kind == "id" and "=" not in [t.text for t in p] for p in params)
    if not plain or into.formals is not None or any(not isinstance(t, PragmaToken) for t in body[1:-1]):
        raise refuse(name, "constructor that does more than its members' declarations")
    into.pragmas += [t for t in body if isinstance(t, PragmaToken)]
    into.formals, into.inits = [p[-1].text for p in params], inits
    return end + 1
