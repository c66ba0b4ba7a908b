"""Objects that lists set, of classes without constructors: what a list leaves out is what the class says it is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from hlspart.frontend.cxx_array_values import extents_of
from hlspart.frontend.cxx_closures import not_in_text
from hlspart.frontend.cxx_collect import like
from hlspart.frontend.cxx_declared import ObjectDeclarator
from hlspart.frontend.cxx_members import ClassText, DataMember, partner, refuse
from hlspart.frontend.cxx_scope import SELF, ClassScope
from hlspart.frontend.cxx_table import ClassTable
from hlspart.frontend.cxx_types import split
from hlspart.frontend.tokens import Token

_MOST_ELEMENTS = 64


class Aggregates(ABC):
    """The lists of such objects, written out."""

    tokens: list[Token]
    classes: dict[str, ClassText]
    aliases: dict[str, str]
    table: ClassTable
    level: int
    objects: frozenset[str] | None = None
    inner: frozenset[str] | None = None

    @abstractmethod
    def plain(self, tokens: Sequence[Token], at: int, out: list[Token]) -> int:
        """Write what begins at a token; behind it."""

    @abstractmethod
    def whole(self, tokens: Sequence[Token]) -> list[Token]:
        """Tokens of an expression, rewritten."""

    def has_initial_values(self, of: str) -> bool:
        """Whether lists set objects of a class, and its members have values of their own."""
        text = self.classes[of]
        return not text.constructors and not text.bases and self.table.is_built(of)

    def is_list_of_parts(self, of: str) -> bool:
        """Whether a list for objects of a class holds one for each class that it inherits from, with data."""
        own = len(self.classes[of].data)
        return not self.classes[of].constructors and len(list(self.table.data(of))) > own

    def temporary(self, of: str, value: Sequence[Token], name: Token) -> list[Token]:
        """The list of ``C{values}``."""
        return self._written(self._list(of, value, name), name)

    def listed(self, declared: ObjectDeclarator, of: str) -> list[Token]:
        """The list for a variable. Raises SourceError."""
        name, made = declared.name, []
        if not declared.extents:
            return self._written(self._list(of, declared.value, name), name)
        dims, parts = extents_of(declared.extents), [part for part in split(declared.value) if part]
        count = len(parts) if dims == [[]] else self.table.constant(dims[0])
        if len(dims) > 1 or count is None or not len(parts) <= count <= _MOST_ELEMENTS:
            raise refuse(name, "array of objects with initial values in a list")
        for part in [*parts, *[[like(x, "op", name) for x in "{}"]] * (count - len(parts))]:
            made += [*self._object_in_list(of, part, name), like(",", "op", name)]
        return self._written([like("{", "op", name), *made[:-1], like("}", "op", name)], name)

    def member_set_to_list(self, member: DataMember, of: str, name: Token) -> list[Token] | None:
        """The statement that sets a member to the list of its declaration; None where that is none."""
        value = initial_list(member, name) if self.has_initial_values(of) else None
        if value is None:
            return None
        words = [
            like(SELF, "id", name),
            like(".", "op", name),
            like(member.name.text, "id", name),
            like("=", "op", name),
        ]
        return [*words, *self._object_in_list(of, value, name), like(";", "op", name)]

    def _objects(self) -> frozenset[str]:
        """Names of objects, and of functions that may give them."""
        if self.objects is None:
            kinds, names = {*self.aliases, "auto"}, set[str]()
            for at, token in enumerate(self.tokens):
                if token.text in kinds:
                    behind = (t for t in self.tokens[at + 1 : at + 4] if t.text not in ("&", "*", "const"))
                    names |= {t.text for t in behind if t.kind == "id"}
            self.objects = frozenset(names)
        return self.objects

    def _locals(self) -> frozenset[str]:
        """Names that may be declared in functions, their parameters included."""
        if self.inner is None:
            self.inner = declared_inside(self.tokens)
        return self.inner

    def _written(self, tokens: list[Token], name: Token) -> list[Token]:
        return not_in_text([t.copy() for t in tokens], name)

    def _list(self, of: str, value: Sequence[Token], name: Token) -> list[Token]:
        members, parts = self.classes[of].data, [part for part in split(list(value)) if part]
        if len(parts) == 1 and parts[0][0].text != "." and any(t.text in self._objects() for t in parts[0]):
            raise refuse(name, f"list of one value for {of}, which may be an object of it")
        given = {m.name.text: part for m, part in zip(members, parts, strict=False)}
        if any(part[0].text == "." for part in parts):  # .member = value
            given = {part[1].text: part[3:] if part[2].text == "=" else part[2:] for part in parts}
        if len(given) != len(parts) or not set(given) <= {m.name.text for m in members}:
            raise refuse(name, f"list of {len(parts)} values for {of}")
        made: list[Token] = []
        for member in members:
            made += [*self._member(of, member, given.get(member.name.text), name), like(",", "op", name)]
        return [like("{", "op", name), *made[:-1], like("}", "op", name)]

    def _object_in_list(self, of: str, part: list[Token], name: Token) -> list[Token]:
        if part[0].text == "{" and partner(part, 0) == len(part) - 1:
            return self._list(of, part[1:-1], name)
        return self.whole(part)

    def _member(self, of: str, member: DataMember, part: list[Token] | None, name: Token) -> list[Token]:
        inner, braces = self.table.element_of(member), [like(x, "op", name) for x in "{}"]
        if inner is not None and self.table.is_built(inner):
            if member.extents or (part is None and not self.has_initial_values(inner)):
                raise refuse(name, f"{inner} in a list of values")
            value = part or initial_list(member, name) or initial_value(member) or braces
            return self._object_in_list(inner, value, name) if self.has_initial_values(inner) else self.whole(value)
        if part is not None:
            if member.extents and part[0].text != "{":
                raise refuse(name, "list of values without braces")
            return self.whole(part)
        value = ClassScope(self, self.classes[of]).rewritten(initial_value(member) or [])
        if any(t.text == SELF for t in value):
            raise refuse(name, "initial value that names another member, in a list")
        if any(t.kind == "id" and t.text in self._locals() for t in value) and part is None:
            raise refuse(name, "initial value with a name that is a variable's of a function, too, in a list")
        if member.extents or (inner is not None and not value):
            return [braces[0], *value, braces[1]]
        return value or [like("0", "num", name)]


def declared_inside(tokens: Sequence[Token]) -> frozenset[str]:
    """Names behind what may be a type, in brackets of any kind but those of enumerations."""
    names, level, at = set[str](), 0, 0
    while at + 1 < len(tokens):
        token, before, after = tokens[at], tokens[at - 1], tokens[at + 1].text
        if token.text == "enum":
            while at + 1 < len(tokens) and tokens[at].text not in ("}", ";", ")", ","):
                at += 1
        level += (token.text in ("(", "{")) - (token.text in (")", "}")) if tokens[at] is token else 0
        typed = before.kind == "id" and before.text not in _NO_TYPES
        listed = before.text in (",", "*", "&", ">", "]") and after in ("=", ";", "[", "{")
        if level > 0 and token.kind == "id" and (typed or listed):
            names.add(token.text)
        at += 1
    return frozenset(names)


_NO_TYPES = ("return", "case", "else", "goto", "sizeof", "throw", "struct", "class", "union", "enum")


def initial_list(member: DataMember, name: Token) -> list[Token] | None:
    """The list that a member is set to in its declaration, in braces."""
    value = member.value[1:] if member.value and member.value[0].text == "=" else member.value
    return [like(t.text, t.kind, name) for t in value] if value and value[0].text == "{" else None


def initial_value(member: DataMember) -> list[Token] | None:
    """What a member is set to where its declaration says so: ``= value`` or ``{value}``; of an array the list alone."""
    if not member.value or member.value[0].text not in ("=", "{"):
        return None
    value = member.value[1:] if member.value[0].text == "=" else member.value
    in_braces = value is member.value or bool(member.extents and value and value[0].text == "{")
    return value[1:-1] if in_braces else value
