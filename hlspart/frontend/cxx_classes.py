"""Classes with member functions as what synthesis makes of them: a variable per member, a function per method.

``Window w;`` becomes the members of ``Window``, named ``w.data``, and ``w.shift(x)`` a call of ``Window::shift``, whose
first parameters are references to them. Nothing is laid out in memory, so this needs no address of an object: a class
whose objects are copied, handed on, inherited from or built by statements is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from hlspart.frontend.cxx_collect import like
from hlspart.frontend.cxx_cursor import LOOK_AHEAD
from hlspart.frontend.cxx_members import TAGS, partner, refuse
from hlspart.frontend.cxx_plain import PlainClass, PlainMember, holds_methods, read_plain
from hlspart.frontend.cxx_types import split
from hlspart.frontend.tokens import MacroUse, PragmaToken, SourceError, Token, UsesByFile


def without_classes(tokens: list[Token]) -> list[Token]:
    """The tokens with objects taken apart. Raises SourceError with every class for which that cannot be done."""
    if not any(t.text in TAGS for t in tokens):
        return tokens
    end = like("", "eof", tokens[-1])  # sentinels: looking ahead never runs over the end
    tokens = [*tokens, *([end] * LOOK_AHEAD)]
    faults: list[SourceError] = []
    classes: dict[str, PlainClass] = {}
    at = 0
    while at + 2 < len(tokens):
        opens = tokens[at].text in TAGS and tokens[at + 1].kind == "id" and tokens[at + 2].text == "{"
        if opens and (at == 0 or tokens[at - 1].text not in ("enum", "<", ",", "typedef", "(")):
            last = partner(tokens, at + 2)
            if holds_methods(tokens, at + 2):
                try:
                    plain = read_plain(tokens, at, last)
                    classes[plain.name.text] = plain
                except SourceError as fault:
                    faults.append(fault)
            elif tokens[at].text == "class":
                tokens[at] = like("struct", "id", tokens[at])
            at = last
        at += 1
    if faults:
        faults[0].others = tuple(faults[1:])
        raise faults[0]
    return _Objects(tokens, classes).run() if classes else tokens


class _Object(Struct):
    """An object: its class, and the variables that its references are other names of."""

    of: PlainClass
    bound: dict[str, Token]


class _Objects:
    """Writes out the classes and the objects of a unit."""

    def __init__(self, tokens: list[Token], classes: dict[str, PlainClass]) -> None:
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

    def _step(self, tokens: list[Token], at: int, out: list[Token], inside: PlainClass | None) -> int:
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

    def _pragma(self, token: PragmaToken, inside: PlainClass | None) -> PragmaToken:
        """A pragma that may name ``object.member``, or in a method ``this->member``."""
        words: list[Token] = []
        for at, word in enumerate(token.expanded):
            if inside is not None and self._this(token.expanded, at):
                continue
            joined = len(words) >= 2 and words[-1].text == "." and self._object_of(words[-2].text) is not None
            if joined and word.kind == "id":
                words[-2:] = [like(f"{words[-2].text}.{word.text}", "id", words[-2])]
            else:
                words.append(word)
        token.expanded = words
        return token

    def _object_of(self, name: str) -> _Object | None:
        return next((s[name] for s in reversed(self.scopes) if name in s), None)

    def _object(self, tokens: list[Token], at: int, out: list[Token]) -> int:
        """A declaration of objects: the only thing that the name of a class may stand for."""
        plain = self.classes[tokens[at].text]
        static = bool(out) and out[-1].text == "static"
        if out and out[-1].text not in (";", "{", "}", "static", ")", ":") and not isinstance(out[-1], PragmaToken):
            raise refuse(plain.name, f"class whose objects are more than variables (line of {tokens[at].text})")
        cursor = at + 1
        while True:
            name = tokens[cursor]
            after = tokens[cursor + 1].text if cursor + 1 < len(tokens) else ""
            built = after in ("(", "{") and bool(plain.formals)
            behind = partner(tokens, cursor + 1) + 1 if built else cursor + 1
            after = tokens[behind].text if behind < len(tokens) else ""
            if name.kind != "id" or after not in (";", ",") or (bool(plain.formals) and not built):
                raise refuse(plain.name, "class whose objects are more than variables")
            given = split(tokens[cursor + 2 : behind - 1]) if built else []
            object_ = self._built(plain, given)
            self.scopes[-1][name.text] = object_
            plain.copies += 1
            for member in (m for m in plain.members if not m.refers):
                value = self._initial(plain, member, given)
                copy = self._marked([*member.type, member.name, *member.extents, *value], plain, plain.copies)
                copy[len(member.type)].text = f"{name.text}.{member.name.text}"
                out += [like("static", "id", name)] if static and (out[-1].text != "static") else []
                out += [*copy, like(";", "op", name)]
            if static and all(m.refers for m in plain.members):
                out.pop()
            for pragma in plain.pragmas:
                out.append(self._of_object(pragma, name.text, plain))
            cursor = behind + 1
            if after == ";":
                return cursor

    def _built(self, of: PlainClass, given: list[list[Token]]) -> _Object:
        """An object with the arguments of its constructor. Raises SourceError."""
        if len(given) != len(of.formals or ()):
            raise refuse(of.name, "constructor with other arguments")
        if any(self._object_of(t.text) is not None for value in given for t in value):
            raise refuse(of.name, "constructor that is given an object")
        values = dict(zip(of.formals or (), given, strict=True))
        bound = {m.name.text: values[of.inits[m.name.text][0].text] for m in of.members if m.refers}
        for value in bound.values():
            if len(value) != 1 or value[0].kind != "id":
                raise refuse(of.name, "member that is a reference to more than a variable")
        return _Object(of, {name: value[0] for name, value in bound.items()})

    def _initial(self, of: PlainClass, member: PlainMember, given: list[list[Token]]) -> list[Token]:
        """The initial value of a member: what the constructor says, else its declaration."""
        value = of.inits.get(member.name.text)
        if value is None:
            return member.value
        known = dict(zip(of.formals or (), given, strict=True))
        words = [like("=", "op", member.name)]
        for token in value or [like("0", "num", member.name)]:
            argument = known.get(token.text) if token.kind == "id" else None
            words += [token] if argument is None else [like("(", "op", token), *argument, like(")", "op", token)]
        return words

    def _of_object(self, pragma: PragmaToken, name: str, of: PlainClass) -> PragmaToken:
        members = {m.name.text for m in of.members}
        words = [w for i, w in enumerate(pragma.expanded) if not self._this(pragma.expanded, i)]
        copy = pragma.with_words([like(f"{name}.{w.text}", "id", w) if w.text in members else w for w in words])
        copy.use = pragma.use or of.use
        return copy

    @staticmethod
    def _this(words: Sequence[Token], at: int) -> bool:
        return words[at].text == "this" or (words[at].text == "->" and at > 0 and words[at - 1].text == "this")

    def _name(self, tokens: list[Token], at: int, out: list[Token], inside: PlainClass | None) -> int:
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
        plain = self._object_of(token.text)
        declares = before not in ("return", "else", "case") and at > 0 and (
            tokens[at - 1].kind == "id" or before in ("*", "&", ">")
        ) and after in (";", "=", "[", ",", ")", "(")  # fmt: skip
        if plain is not None and tokens[at - 1].kind == "id" and declares:
            self.scopes[-1][token.text] = None
            plain = None
        if declares and tokens[at - 1].kind == "id" and self._refers_to(token.text):
            raise refuse(token, "another variable of the name that a member refers to")
        if plain is None:
            out.append(token)
            return at + 1
        member = tokens[at + 2] if after == "." and at + 2 < len(tokens) else None
        if member is not None and member.text in plain.bound:
            out.append(like(plain.bound[member.text].text, "id", member))
            return at + 3
        if member is not None and any(m.name.text == member.text for m in plain.of.members):
            name = like(f"{token.text}.{member.text}", "id", token)
            if name.use is None:
                name.use = MacroUse(token.text, token.path, token.start, member.end)
                name.lo, name.hi = token.start, member.end
            out.append(name)
            return at + 3
        if (
            member is not None
            and any(m.name.text == member.text for m in plain.of.methods)
            and tokens[at + 3].text == "("
        ):
            out += self._call(plain.of, member, token, tokens[at + 4].text == ")", plain.bound)
            return at + 4
        raise refuse(plain.of.name, f"class whose object {token.text} is used as a whole")

    def _refers_to(self, name: str) -> bool:
        objects = (o for scope in self.scopes for o in scope.values() if o is not None)
        return any(name == t.text for o in objects for t in o.bound.values())

    def _call(
        self, of: PlainClass, method: Token, name: Token | None, empty: bool, bound: Mapping[str, Token]
    ) -> list[Token]:
        """``Class::method(`` and the members that it is about."""
        made = [like(f"{of.name.text}::{method.text}", "id", method), like("(", "op", method)]
        for number, member in enumerate(of.members):
            if number:
                made.append(like(",", "op", method))
            text = member.name.text if name is None else f"{name.text}.{member.name.text}"
            text = bound[member.name.text].text if member.name.text in bound else text
            argument = like(text, "id", method)
            if argument.use is None:
                argument.use = MacroUse(text, method.path, method.start, method.end)
            made.append(argument)
        if of.members and not empty:
            made.append(like(",", "op", method))
        return made

    def _functions(self, plain: PlainClass) -> None:
        """The methods of a class, one after the other."""
        for method in plain.methods:
            plain.copies += 1
            params: list[Token] = []
            for member in plain.members:
                plain.copies += 1
                element, name, extents = member.type, member.name, member.extents
                reference = [like("&", "op", name), name]
                if extents:
                    reference = [like("(", "op", name), *reference, like(")", "op", name)]
                params += [*self._marked([*element, *reference, *extents], plain, plain.copies), like(",", "op", name)]
            own = method.params[1:-1]
            words = [t for t in own if not isinstance(t, PragmaToken)]
            if not words or [t.text for t in words] == ["void"]:
                own, params = [], params[:-1]
            head = [*method.before, like(f"{plain.name.text}::{method.name.text}", "id", method.name)]
            body: list[Token] = []
            at = 0
            while at < len(method.body):
                at = self._step(method.body, at, body, plain)
            made = self._marked([*head, method.params[0]], plain, plain.copies + 1)
            made += params
            made += self._marked([*own, method.params[-1], *body], plain, plain.copies + 1)
            plain.copies += 1
            self.out += made

    def _marked(self, tokens: Sequence[Token], of: PlainClass, number: int) -> list[Token]:
        """Copies of tokens of a class that stand for one of several things."""
        uses = UsesByFile(of.use)
        result: list[Token] = []
        for token in tokens:
            if isinstance(token, PragmaToken):
                result.append(token)
                continue
            copy = token.copy()
            if copy.use is None:
                copy.use, copy.lo, copy.hi, copy.arg = uses.of(token), token.start, token.end, number
            result.append(copy)
        return result
