"""Classes with member functions as what synthesis makes of them: a variable per member, a function per method.

``Window w;`` becomes the members of ``Window``, named ``w.data``, and ``w.shift(x)`` a call of ``Window::shift``, whose
first parameters are references to them. Nothing is laid out in memory, so this needs no address of an object: a class
whose objects are copied, handed on, inherited from or built by statements is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hlspart.frontend.cxx_cursor import LOOK_AHEAD
from hlspart.frontend.cxx_types import split
from hlspart.frontend.parse import error
from hlspart.frontend.tokens import MacroUse, PragmaToken, SourceError, Token

_TAGS = ("struct", "class")
_REFUSED = frozenset((
    "virtual", "friend", "operator", "template", "using", "typedef", "enum", "struct", "class", "union", "static",
    "mutable", "~",
))  # fmt: skip
_LABELS = ("public", "private", "protected")
_OPEN, _CLOSE = ("(", "[", "{"), (")", "]", "}")


@dataclass
class _Member:
    """One data member: its type, its name, the tokens of its extents and of its initial value.

    ``refers``: it is a reference, so another name of the variable that the constructor is given.
    """

    type: list[Token]
    name: Token
    extents: list[Token]
    value: list[Token]
    refers: bool = False


@dataclass
class _Method:
    """One member function: what stands before its name, its parameters with brackets, its body with braces."""

    before: list[Token]
    name: Token
    params: list[Token]
    body: list[Token]


@dataclass
class _Class:
    name: Token
    first: int
    last: int
    members: list[_Member] = field(default_factory=list)
    methods: list[_Method] = field(default_factory=list)
    pragmas: list[PragmaToken] = field(default_factory=list)  # of a constructor that does nothing else
    copies: int = 0
    formals: list[str] | None = None  # what the constructor takes; None: there is none
    inits: dict[str, list[Token]] = field(default_factory=dict)  # what it sets members to

    @property
    def use(self) -> MacroUse:
        """What the text of the class counts as where it stands for several things: an argument that is used often."""
        return MacroUse(self.name.text, self.name.path, self.name.start, self.name.end)


def without_classes(tokens: list[Token]) -> list[Token]:
    """The tokens with objects taken apart. Raises SourceError with every class for which that cannot be done."""
    if not any(t.text in _TAGS for t in tokens):
        return tokens
    end = _like(tokens[-1], "", "eof")  # sentinels: looking ahead never runs over the end
    tokens = [*tokens, *([end] * LOOK_AHEAD)]
    faults: list[SourceError] = []
    classes: dict[str, _Class] = {}
    at = 0
    while at + 2 < len(tokens):
        opens = tokens[at].text in _TAGS and tokens[at + 1].kind == "id" and tokens[at + 2].text == "{"
        if opens and (at == 0 or tokens[at - 1].text not in ("enum", "<", ",", "typedef", "(")):
            last = _closing(tokens, at + 2)
            if _has_methods(tokens, at + 2):
                try:
                    found = _read(tokens, at, last)
                    classes[found.name.text] = found
                except SourceError as fault:
                    faults.append(fault)
            elif tokens[at].text == "class":
                tokens[at] = _like(tokens[at], "struct", "id")
            at = last
        at += 1
    if faults:
        faults[0].others = tuple(faults[1:])
        raise faults[0]
    return _Objects(tokens, classes).run() if classes else tokens


def has_methods(tokens: Sequence[Token]) -> bool:
    """Whether a declaration is one of a class with member functions."""
    return tokens[0].text in _TAGS and tokens[2].text == "{" and _has_methods(tokens, 2)


def _has_methods(tokens: Sequence[Token], opening: int) -> bool:
    level = 0
    for at in range(opening + 1, _closing(tokens, opening)):
        text = tokens[at].text
        if text == "(" and level == 0 and tokens[at + 1].text != "*" and tokens[at - 1].kind == "id":
            return tokens[at - 1].text not in ("alignas", "__attribute__")
        level += (text in _OPEN) - (text in _CLOSE)
    return False


def _closing(tokens: Sequence[Token], opening: int) -> int:
    level = 0
    for at in range(opening, len(tokens)):
        if tokens[at].kind == "op":
            level += (tokens[at].text in _OPEN) - (tokens[at].text in _CLOSE)
            if level == 0:
                return at
    raise error(tokens[opening], f"'{tokens[opening].text}' is never closed")


def _like(token: Token, text: str, kind: str = "op") -> Token:
    made = token.copy()
    made.text, made.kind = text, kind  # type: ignore[assignment]
    return made


def _refuse(token: Token, what: str) -> SourceError:
    return error(token, f"C++ construct not supported: {what}", "HLP003")


# ------------------------------------------------------------------------------------ the class


def _read(tokens: list[Token], start: int, last: int) -> _Class:
    """The members of a class. Raises SourceError."""
    found = _Class(tokens[start + 1], start, last)
    if tokens[last + 1].text != ";":
        raise _refuse(tokens[start], "class with objects in its declaration")
    at = start + 3
    while at < last:
        if isinstance(tokens[at], PragmaToken) or tokens[at].text == ";":
            at += 1
            continue
        if tokens[at].text in _LABELS and tokens[at + 1].text == ":":
            at += 2
            continue
        at = _member(tokens, at, last, found)
    names = [m.name.text for m in found.members]
    for member in found.members:
        value = found.inits.get(member.name.text)
        if member.refers and (value is None or len(value) != 1 or value[0].text not in (found.formals or ())):
            raise _refuse(member.name, "member that is a reference to more than a variable")
        if value is not None and member.extents:
            raise _refuse(member.name, "array that a constructor sets")
        if (set(names) - set(found.formals or ())) & {t.text for t in value or ()}:
            raise _refuse(member.name, "member that another one sets")
    if set(found.inits) - set(names):
        raise _refuse(found.name, "constructor that sets more than members")
    for method in found.methods:
        said = {t.text for t in method.params}
        if said & set(names) or len(set(names)) < len(names):
            raise _refuse(method.name, f"member function {method.name.text} with a parameter named like a member")
        if any(t.text == "this" and method.body[i + 1].text != "->" for i, t in enumerate(method.body)):
            raise _refuse(method.name, "this")
    return found


def _member(tokens: list[Token], start: int, last: int, into: _Class) -> int:
    """Read one declaration of a class body; behind it."""
    at = start
    while at < last and tokens[at].text not in ("(", ";", "=", "[", "{", ","):
        if tokens[at].text in _REFUSED:
            raise _refuse(tokens[at], f"{tokens[at].text} in a class")
        if tokens[at].text == "<":
            at = _angle(tokens, at, last)
        at += 1
    if tokens[at].text == "(":
        return _method(tokens, start, at, last, into)
    end = start
    while end < last and tokens[end].text != ";":
        end = _closing(tokens, end) + 1 if tokens[end].text in _OPEN else end + 1
    pieces = split([t for t in tokens[start:end] if not isinstance(t, PragmaToken)])
    type_: list[Token] = []
    for number, piece in enumerate(pieces):
        equals = next((i for i, t in enumerate(piece) if t.text in ("=", "{")), len(piece))
        name = next((i for i, t in enumerate(piece) if t.text in ("[", ":")), equals) - 1
        refers = name > 0 and piece[name - 1].text == "&" and name == len(piece) - 1 and len(pieces) == 1
        own = piece[: name - 1] if refers else piece[:equals]
        if name < 0 or piece[name].kind != "id" or any(t.text in ("*", "&", ":") for t in own):
            raise _refuse(tokens[start], "member that is a pointer, a reference or a bit field")
        type_ = piece[: name - refers] if number == 0 else type_
        into.members.append(_Member(type_, piece[name], piece[name + 1 : equals], piece[equals:], refers))
    return end + 1


def _angle(tokens: Sequence[Token], at: int, last: int) -> int:
    level = 0
    while at < last:
        text = tokens[at].text
        level += (text == "<") - (text == ">") - 2 * (text == ">>")
        if level <= 0:
            return at
        at += 1
    raise error(tokens[at], "'<' is never closed")


def _method(tokens: list[Token], start: int, opening: int, last: int, into: _Class) -> int:
    name, close = tokens[opening - 1], _closing(tokens, opening)
    at = close + 1
    while tokens[at].text in ("const", "noexcept"):
        at += 1
    inits: dict[str, list[Token]] = {}
    while name.text == into.name.text and tokens[at].text in (":", ",") and tokens[at + 2].text in ("(", "{"):
        behind = _closing(tokens, at + 2)
        inits[tokens[at + 1].text] = [t for t in tokens[at + 3 : behind] if not isinstance(t, PragmaToken)]
        at = behind + 1
    if name.kind != "id" or tokens[at].text != "{":
        raise _refuse(tokens[start], f"member function {name.text} without its body" if name.kind == "id" else "class")
    end = _closing(tokens, at)
    body = tokens[at : end + 1]
    if name.text != into.name.text:
        before = [t for t in tokens[start : opening - 1] if t.text not in ("inline", "constexpr")]
        into.methods.append(_Method(before, name, tokens[opening : close + 1], body))
        return end + 1
    params = split([t for t in tokens[opening + 1 : close] if not isinstance(t, PragmaToken)])
    plain = all(len(p) > 1 and p[-1].kind == "id" and "=" not in [t.text for t in p] for p in params)
    if not plain or into.formals is not None or any(not isinstance(t, PragmaToken) for t in body[1:-1]):
        raise _refuse(name, "constructor that does more than its members' declarations")
    into.pragmas += [t for t in body if isinstance(t, PragmaToken)]
    into.formals, into.inits = [p[-1].text for p in params], inits
    return end + 1


# ---------------------------------------------------------------------------------- its objects


@dataclass
class _Object:
    """An object: its class, and the variables that its references are other names of."""

    of: _Class
    bound: dict[str, Token]


class _Objects:
    """Writes out the classes and the objects of a unit."""

    def __init__(self, tokens: list[Token], classes: dict[str, _Class]) -> None:
        self.tokens, self.classes = tokens, classes
        self.out: list[Token] = []
        self.scopes: list[dict[str, _Object | None]] = [{}]  # objects by name; None: something else

    def run(self) -> list[Token]:
        """Everything."""
        at = 0
        by_first = {c.first: c for c in self.classes.values()}
        while at < len(self.tokens):
            if at in by_first:
                self._functions(by_first[at])
                at = by_first[at].last + 2
                continue
            at = self._step(self.tokens, at, self.out, None)
        return self.out

    def _step(self, tokens: list[Token], at: int, out: list[Token], inside: _Class | None) -> int:
        """Write what begins at a token; behind it."""
        token = tokens[at]
        if isinstance(token, PragmaToken):
            out.append(self._pragma(token, inside))
        elif token.kind != "id":
            if token.text in ("{", "}"):
                self.scopes.append({}) if token.text == "{" else self.scopes.pop() if len(self.scopes) > 1 else None
            out.append(token)
        elif token.text in self.classes and not (at and tokens[at - 1].text in (".", "->")):
            return self._object(tokens, at, out)
        else:
            return self._name(tokens, at, out, inside)
        return at + 1

    def _pragma(self, token: PragmaToken, inside: _Class | None) -> PragmaToken:
        """A pragma that may name ``object.member``, or in a method ``this->member``."""
        words: list[Token] = []
        for at, word in enumerate(token.expanded):
            if inside is not None and self._this(token.expanded, at):
                continue
            joined = len(words) >= 2 and words[-1].text == "." and self._object_of(words[-2].text) is not None
            if joined and word.kind == "id":
                words[-2:] = [_like(words[-2], f"{words[-2].text}.{word.text}", "id")]
            else:
                words.append(word)
        token.expanded = words
        return token

    def _object_of(self, name: str) -> _Object | None:
        return next((s[name] for s in reversed(self.scopes) if name in s), None)

    def _object(self, tokens: list[Token], at: int, out: list[Token]) -> int:
        """A declaration of objects: the only thing that the name of a class may stand for."""
        found = self.classes[tokens[at].text]
        static = bool(out) and out[-1].text == "static"
        if out and out[-1].text not in (";", "{", "}", "static", ")", ":") and not isinstance(out[-1], PragmaToken):
            raise _refuse(found.name, f"class whose objects are more than variables (line of {tokens[at].text})")
        cursor = at + 1
        while True:
            name = tokens[cursor]
            after = tokens[cursor + 1].text if cursor + 1 < len(tokens) else ""
            built = after in ("(", "{") and bool(found.formals)
            behind = _closing(tokens, cursor + 1) + 1 if built else cursor + 1
            after = tokens[behind].text if behind < len(tokens) else ""
            if name.kind != "id" or after not in (";", ",") or (bool(found.formals) and not built):
                raise _refuse(found.name, "class whose objects are more than variables")
            given = split(tokens[cursor + 2 : behind - 1]) if built else []
            object_ = self._built(found, given)
            self.scopes[-1][name.text] = object_
            found.copies += 1
            for member in (m for m in found.members if not m.refers):
                value = self._initial(found, member, given)
                copy = self._marked([*member.type, member.name, *member.extents, *value], found, found.copies)
                copy[len(member.type)].text = f"{name.text}.{member.name.text}"
                out += [_like(name, "static", "id")] if static and (out[-1].text != "static") else []
                out += [*copy, _like(name, ";")]
            if static and all(m.refers for m in found.members):
                out.pop()
            for pragma in found.pragmas:
                out.append(self._of_object(pragma, name.text, found))
            cursor = behind + 1
            if after == ";":
                return cursor

    def _built(self, of: _Class, given: list[list[Token]]) -> _Object:
        """An object with the arguments of its constructor. Raises SourceError."""
        if len(given) != len(of.formals or ()):
            raise _refuse(of.name, "constructor with other arguments")
        if any(self._object_of(t.text) is not None for value in given for t in value):
            raise _refuse(of.name, "constructor that is given an object")
        values = dict(zip(of.formals or (), given, strict=True))
        bound = {m.name.text: values[of.inits[m.name.text][0].text] for m in of.members if m.refers}
        for value in bound.values():
            if len(value) != 1 or value[0].kind != "id":
                raise _refuse(of.name, "member that is a reference to more than a variable")
        return _Object(of, {name: value[0] for name, value in bound.items()})

    def _initial(self, of: _Class, member: _Member, given: list[list[Token]]) -> list[Token]:
        """The initial value of a member: what the constructor says, else its declaration."""
        value = of.inits.get(member.name.text)
        if value is None:
            return member.value
        known = dict(zip(of.formals or (), given, strict=True))
        words = [_like(member.name, "=")]
        for token in value or [_like(member.name, "0", "num")]:
            argument = known.get(token.text) if token.kind == "id" else None
            words += [token] if argument is None else [_like(token, "("), *argument, _like(token, ")")]
        return words

    def _of_object(self, pragma: PragmaToken, name: str, of: _Class) -> PragmaToken:
        members = {m.name.text for m in of.members}
        copy = PragmaToken(pragma.path, pragma.start, pragma.end, pragma.body, pragma.spelling)
        words = [w for i, w in enumerate(pragma.expanded) if not self._this(pragma.expanded, i)]
        copy.expanded = [_like(w, f"{name}.{w.text}", "id") if w.text in members else w for w in words]
        copy.use = pragma.use or of.use
        return copy

    @staticmethod
    def _this(words: Sequence[Token], at: int) -> bool:
        return words[at].text == "this" or (words[at].text == "->" and at > 0 and words[at - 1].text == "this")

    def _name(self, tokens: list[Token], at: int, out: list[Token], inside: _Class | None) -> int:
        token = tokens[at]
        before = tokens[at - 1].text if at else ""
        after = tokens[at + 1].text if at + 1 < len(tokens) else ""
        if before in (".", "->", "::"):
            out.append(token)
            return at + 1
        if inside is not None and token.text == "this":
            return at + 2
        own = inside is not None and after == "(" and any(m.name.text == token.text for m in inside.methods)
        if own and inside is not None:
            out += self._call(inside, token, None, tokens[at + 2].text == ")", {})
            return at + 2
        found = self._object_of(token.text)
        declares = before not in ("return", "else", "case") and at > 0 and (
            tokens[at - 1].kind == "id" or before in ("*", "&", ">")
        ) and after in (";", "=", "[", ",", ")", "(")  # fmt: skip
        if found is not None and tokens[at - 1].kind == "id" and declares:
            self.scopes[-1][token.text] = None
            found = None
        if declares and tokens[at - 1].kind == "id" and self._refers_to(token.text):
            raise _refuse(token, "another variable of the name that a member refers to")
        if found is None:
            out.append(token)
            return at + 1
        member = tokens[at + 2] if after == "." and at + 2 < len(tokens) else None
        if member is not None and member.text in found.bound:
            out.append(_like(member, found.bound[member.text].text, "id"))
            return at + 3
        if member is not None and any(m.name.text == member.text for m in found.of.members):
            name = _like(token, f"{token.text}.{member.text}", "id")
            if name.use is None:
                name.use = MacroUse(token.text, token.path, token.start, member.end)
                name.lo, name.hi = token.start, member.end
            out.append(name)
            return at + 3
        if member is not None and any(m.name.text == member.text for m in found.of.methods) and tokens[at + 3].text == "(":
            out += self._call(found.of, member, token, tokens[at + 4].text == ")", found.bound)
            return at + 4
        raise _refuse(found.of.name, f"class whose object {token.text} is used as a whole")

    def _refers_to(self, name: str) -> bool:
        objects = (o for scope in self.scopes for o in scope.values() if o is not None)
        return any(name == t.text for o in objects for t in o.bound.values())

    def _call(
        self, of: _Class, method: Token, name: Token | None, empty: bool, bound: Mapping[str, Token]
    ) -> list[Token]:
        """``Class::method(`` and the members that it is about."""
        made = [_like(method, f"{of.name.text}::{method.text}", "id"), _like(method, "(")]
        for number, member in enumerate(of.members):
            if number:
                made.append(_like(method, ","))
            text = member.name.text if name is None else f"{name.text}.{member.name.text}"
            text = bound[member.name.text].text if member.name.text in bound else text
            argument = _like(method, text, "id")
            if argument.use is None:
                argument.use = MacroUse(text, method.path, method.start, method.end)
            made.append(argument)
        if of.members and not empty:
            made.append(_like(method, ","))
        return made

    def _functions(self, found: _Class) -> None:
        """The methods of a class, one after the other."""
        for method in found.methods:
            found.copies += 1
            params: list[Token] = []
            for member in found.members:
                found.copies += 1
                element, name, extents = member.type, member.name, member.extents
                reference = [_like(name, "&"), name]
                if extents:
                    reference = [_like(name, "("), *reference, _like(name, ")")]
                params += [*self._marked([*element, *reference, *extents], found, found.copies), _like(name, ",")]
            own = method.params[1:-1]
            words = [t for t in own if not isinstance(t, PragmaToken)]
            if not words or [t.text for t in words] == ["void"]:
                own, params = [], params[:-1]
            head = [*method.before, _like(method.name, f"{found.name.text}::{method.name.text}", "id")]
            body: list[Token] = []
            at = 0
            while at < len(method.body):
                at = self._step(method.body, at, body, found)
            made = self._marked([*head, method.params[0]], found, found.copies + 1)
            made += params
            made += self._marked([*own, method.params[-1], *body], found, found.copies + 1)
            found.copies += 1
            self.out += made

    def _marked(self, tokens: Sequence[Token], of: _Class, number: int) -> list[Token]:
        """Copies of tokens of a class that stand for one of several things."""
        use = of.use
        result: list[Token] = []
        for token in tokens:
            if isinstance(token, PragmaToken):
                result.append(token)
                continue
            copy = token.copy()
            if copy.use is None:
                copy.use, copy.lo, copy.hi, copy.arg = use, token.start, token.end, number
            result.append(copy)
        return result
