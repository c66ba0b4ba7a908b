"""How objects begin, as calls of functions: constructors of variables, arrays, members and bases."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from hlspart.frontend.cxx_aggregates import Aggregates, initial_value
from hlspart.frontend.cxx_array_values import extents_of, set_array
from hlspart.frontend.cxx_collect import like
from hlspart.frontend.cxx_cursor import LOOK_AHEAD
from hlspart.frontend.cxx_declared import ObjectDeclarator
from hlspart.frontend.cxx_members import ClassText, MemberFunction, parameter_name, partner, refuse
from hlspart.frontend.cxx_scope import SELF, ClassScope
from hlspart.frontend.cxx_table import ClassTable, class_aliases
from hlspart.frontend.cxx_types import split
from hlspart.frontend.tokens import PragmaToken, Token, UsesByFile

MADE = "new"  # C::new(..) gives an object


class Constructors(Aggregates):
    """The classes of a unit, and the calls that make objects of them."""

    def __init__(self, tokens: list[Token], classes: dict[str, ClassText]) -> None:
        self.tokens, self.classes = tokens, classes
        self.aliases = dict(class_aliases(tokens, classes))
        self.table = ClassTable(classes, self.aliases, tokens)
        self.copies = 0
        self.level = 0

    @abstractmethod
    def _head(self, text: ClassText, function: MemberFunction, constructor: bool) -> list[Token]: ...

    def _needs_more(self, declared: Sequence[ObjectDeclarator], of: str) -> bool:
        """Whether objects are declared otherwise than C does it."""
        inside = self.level > 0
        pragmas = bool(list(self.table.pragmas(of)))
        if any(self._is_listed(d, of, not inside) for d in declared):
            return True
        if not inside and any(d.opening for d in declared):
            return False
        return pragmas or any(d.opening == "(" for d in declared) or any(self._is_built(d, of) for d in declared)

    def _is_listed(self, declared: ObjectDeclarator, of: str, static: bool) -> bool:
        """Whether a list sets the object, which leaves initial values of members to them; or such a one is static."""
        if not self.has_initial_values(of) or declared.opening in ("(", "="):
            return False
        return static or bool(declared.opening and (declared.value or not declared.extents))

    def _is_built(self, declared: ObjectDeclarator, of: str) -> bool:
        """Whether a constructor runs for the object, or for each of an array."""
        if declared.extents:
            return not declared.value and self.table.is_built_in_arrays(of)
        if not self.table.is_built(of):
            return False
        if declared.opening != "=":
            return declared.opening != "{" or bool(self.classes[of].constructors)
        return any(c.needed <= 1 <= len(c.arguments) for c in self.classes[of].constructors)

    def _declared(
        self, declared: ObjectDeclarator, of: str, type_: Token, built: bool, listed: bool
    ) -> Iterator[Token]:
        """``C name;``, its constructor and the pragmas in that."""
        name, end = declared.name, like(";", "op", declared.name)
        value = declared.value
        yield from (type_.copy(), name, *declared.extents)
        if listed:
            yield from (like("=", "op", name), *self.listed(declared, of))
        elif not built and (declared.opening == "=" or (declared.opening == "{" and not self.classes[of].constructors)):
            braces = declared.opening == "{"
            yield from (like("=", "op", name), *([like("{", "op", name)] if braces else []), *self.whole(value))
            yield from [like("}", "op", name)] if braces else []
        yield end
        if built and declared.extents:
            yield from self._each_constructed(of, name, declared.extents)
        elif built and not (declared.opening == "" and not self.table.is_built(of)):
            own = self._temporary(value, of) if declared.opening == "=" else None
            given = own if own is not None else value
            parts = split(given) if own is not None else declared.arguments
            yield from self._constructed(of, name, parts, given)
        text = self.classes[of]
        yield from (self.table.pragma_of(p, name, declared.extents, text) for p in self.table.pragmas(of))

    def _temporary(self, value: list[Token], of: str) -> list[Token] | None:
        """The arguments of ``C(..)`` where that is all of a value: the object is made in its place."""
        if len(value) < 3 or self.aliases.get(value[0].text) != of or value[1].text not in ("(", "{"):
            return None
        return value[2:-1] if partner(value, 1) == len(value) - 1 else None

    def whole(self, tokens: Sequence[Token]) -> list[Token]:
        """Tokens of an expression, rewritten."""
        result: list[Token] = []
        at = 0
        while at < len(tokens):
            at = self.plain([*tokens, *self.tokens[-LOOK_AHEAD:]], at, result)
        return result

    def _constructed(
        self, of: str, name: Token, parts: list[list[Token]], given: list[Token], heir: str | None = None
    ) -> list[Token]:
        """``C::C(name, arguments);`` where that sets anything; of a class that ``heir`` inherits ``heir::C(..)``."""
        fitting = [c for c in self.classes[of].constructors if c.needed <= len(parts) <= len(c.arguments)]
        inside = self.whole(given)
        if not fitting and parts:
            if len(parts) > 1:
                raise refuse(self.classes[of].name, f"constructor with {len(parts)} arguments")
            return [name, like("=", "op", name), *inside, like(";", "op", name)]
        if not self.table.is_built(of):
            return []
        if len(fitting) == 1:
            scope = ClassScope(self, self.classes[of])
            for part in fitting[0].arguments[len(parts) :]:
                inside += [*([like(",", "op", name)] if inside else []), *scope.rewritten(_default_value(part))]
        comma = [like(",", "op", name)] if inside else []
        head = [like(f"{heir or of}::{of}", "id", name), like("(", "op", name), name.copy(), *comma]
        return [*head, *inside, like(")", "op", name), like(";", "op", name)]

    def _each_constructed(self, of: str, name: Token, extents: list[Token]) -> list[Token]:
        """The constructor of every element of an array, one after the other."""
        dims = extents_of(extents)
        head: list[Token] = []
        for k, extent in enumerate(dims):
            words = ["for", "(", "int", _counter(k), "=", "0", ";", _counter(k), "<", "("]
            head += [like(w, _kind(w), name) for w in words]
            head += extent
            head += [like(w, _kind(w), name) for w in (")", ";", _counter(k), "++", ")")]
        index = [like(w, _kind(w), name) for k in range(len(dims)) for w in ("[", _counter(k), "]")]
        called: list[Token] = []
        for token in self._constructed(of, name, [], []):
            called += [token, *index] if token.text == name.text and token.kind == "id" else [token]
        return self.marked([*head, *called], self.classes[of]) if called else []

    def _initial(self, class_text: ClassText, constructor: MemberFunction, owner: ClassText) -> Iterator[Token]:
        """The statements that a list of initialisers, and initial values of members, stand for.

        ``owner``: whose constructor it is, the class itself or one that it inherits from.
        """
        of = class_text.name.text
        value: list[Token] | None
        params = {part[parameter_name(part)].text for part in constructor.arguments if part}
        scope = ClassScope(self, class_text, params)
        given = {name.text: (name, value) for name, value in constructor.inits}
        if (delegated := given.get(owner.name.text)) is not None:  # to another constructor of the class
            name, value = delegated
            heir = of if owner is not class_text else None
            yield from self._constructed(
                owner.name.text, like(SELF, "id", name), split(value), scope.rewritten(value), heir
            )
            return
        for base in owner.bases:
            inner = self.aliases[base]
            name, value = given.pop(base, given.pop(inner, (constructor.name, [])))
            if self.table.is_built(inner) or value:
                if self._has_arguments(inner, split(value), constructor):
                    raise refuse(name, f"list of values for {base}, from which {of} inherits")
                yield from self._base(of, inner, name, split(value), scope.rewritten(value))
        own = {m.name.text for m in owner.data}
        for member in owner.data:
            name, value = given.pop(member.name.text, (member.name, None))
            of_member = self.table.class_of(member)
            if value is None:
                if of_member is not None and (set_ := self.member_set_to_list(member, of_member, name)) is not None:
                    yield from set_
                    continue
                value = initial_value(member)
            if of_member is not None:
                if value is None and not self.table.is_built(of_member):
                    continue
                object_ = like(f"{SELF}", "id", name)
                text = self._constructed(of_member, object_, split(value or []), scope.rewritten(value or []))
                yield from _of_member(text, member.name.text, name)
                continue
            of_element = self.table.element_of(member)
            if of_element is not None and not value and self.table.is_built_in_arrays(of_element):
                text = self._each_constructed(of_element, like(SELF, "id", name), scope.rewritten(member.extents))
                yield from _of_member(text, member.name.text, name)
                continue
            if value is None:
                continue
            if member.extents:
                if of_element is not None and value:
                    raise refuse(name, "array of objects that a constructor sets")
                extents = extents_of(scope.rewritten(member.extents))
                yield from set_array(member.name, extents, scope.rewritten(value), name, self.table.constant)
                continue
            value = value or [like("0", "num", name)]
            yield from (like(SELF, "id", name), like(".", "op", name), like(name.text, "id", name))
            yield like("=", "op", name)
            yield from scope.rewritten(value)
            yield like(";", "op", name)
        if given:
            raise (
                refuse(constructor.name, f"constructor that builds {min(given)}")
                if not own >= set(given)
                else (refuse(constructor.name, "constructor"))
            )

    def _has_arguments(self, base: str, parts: list[list[Token]], constructor: MemberFunction) -> bool:
        """Whether values, and no object of its own kind, are what a class without a fitting constructor is made of."""
        if not parts or any(c.needed <= len(parts) <= len(c.arguments) for c in self.classes[base].constructors):
            return False
        named = next((a for a in constructor.arguments if a and a[parameter_name(a)].text == parts[0][0].text), [])
        kinds = {self.aliases[t.text] for t in named if t.text in self.aliases}
        return not any(text.name.text == base for kind in kinds for text in self.table.every(kind))

    def _base(self, of: str, base: str, name: Token, parts: list[list[Token]], given: list[Token]) -> list[Token]:
        """The constructor of a class that ``of`` inherits from, for an object of ``of``; or the copy of such a one."""
        fitting = [c for c in self.classes[base].constructors if c.needed <= len(parts) <= len(c.arguments)]
        if fitting or not parts:
            return self._constructed(base, like(SELF, "id", name), parts, given, of)
        if len(given) != 1 or given[0].kind != "id":
            raise refuse(name, f"inheritance from {base}, which has no such constructor")
        copied: list[Token] = []
        for member in self.table.data(base):
            if member.extents:
                raise refuse(name, f"copy of {base}, which holds an array")
            words = [SELF, ".", member.name.text, "=", given[0].text, ".", member.name.text, ";"]
            copied += [like(w, _kind(w), name) for w in words]
        return copied

    def _made(self, text: ClassText, constructor: MemberFunction, count: int) -> list[Token]:
        """``C C::new(int x) { C made; C::C(made, x); return made; }``; behind ``count`` arguments defaults."""
        of, name = text.name.text, constructor.name
        scope = ClassScope(self, text)
        left = [scope.rewritten(_default_value(part)) for part in constructor.arguments[count:]]
        listed = [[*_without_default(part), like(",", "op", name)] for part in constructor.arguments[:count]]
        inside = [t for part in listed for t in part][:-1]
        ends = constructor.params[0], constructor.params[-1]
        constructor = replace(constructor, params=[ends[0], *inside, ends[1]])
        head = self._head(text, constructor, True)
        at = next(i for i, t in enumerate(head) if t.text == f"{of}::{name.text}")
        opening = at + 1
        first = opening + 1 + 3 + (head[opening + 4].text == "," if opening + 4 < len(head) else 0)
        names = [like(part[parameter_name(part)].text, "id", name) for part in constructor.arguments if part]
        texts: list[Token] = [
            like("{", "op", name),
            like(of, "id", name),
            like("made", "id", name),
            like(";", "op", name),
        ]
        texts += [like(f"{of}::{of}", "id", name), like("(", "op", name), like("made", "id", name)]
        for one in [[n] for n in names] + left:
            texts += [like(",", "op", name), *one]
        texts += [like(")", "op", name), like(";", "op", name), like("return", "id", name), like("made", "id", name)]
        texts += [like(";", "op", name), like("}", "op", name)]
        start = [like(of, "id", name), like(f"{of}::{MADE}", "id", name), like("(", "op", name)]
        return self.marked([*start, *head[first:], *texts], text)

    def marked(self, tokens: Sequence[Token], of: ClassText) -> list[Token]:
        """Copies of tokens of a class that stand for one of several things: nothing of them is edited."""
        self.copies += 1
        uses = UsesByFile(of.use)  # one for all of a file: a range of these tokens has a place of its own
        result: list[Token] = []
        for token in tokens:
            if isinstance(token, PragmaToken) or token.use is not None:
                result.append(token)
                continue
            copy = token.copy()
            copy.use, copy.lo, copy.hi, copy.arg = uses.of(token), token.start, token.end, self.copies
            result.append(copy)
        return result


def _of_member(text: Sequence[Token], member: str, at: Token) -> Iterator[Token]:
    """A call for the object at hand as one for its member."""
    for token in text:
        yield token
        if token.text == SELF and token.kind == "id":
            yield from (like(".", "op", at), like(member, "id", at))


def _counter(dimension: int) -> str:
    """The variable that runs over a dimension of an array of objects."""
    return f"element_{dimension}"


def _kind(word: str) -> str:
    return "id" if word.isidentifier() else "num" if word.isdigit() else "op"


def _default_value(part: Sequence[Token]) -> list[Token]:
    """What a parameter is where a call leaves it out."""
    return list(part[next(i for i, t in enumerate(part) if t.text == "=") + 1 :])


def _without_default(part: Sequence[Token]) -> Sequence[Token]:
    return part[: next((i for i, t in enumerate(part) if t.text == "="), len(part))]
