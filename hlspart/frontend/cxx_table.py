"""What the classes of a unit hold, inherited members included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise

from hlspart.frontend.constants import NotConstant, evaluate_tokens
from hlspart.frontend.cxx_collect import like
from hlspart.frontend.cxx_cursor import LOOK_AHEAD
from hlspart.frontend.cxx_members import ClassText, DataMember, MemberFunction, refuse
from hlspart.frontend.cxx_reached import enumerators, joined, reached_pragmas
from hlspart.frontend.tokens import PragmaToken, Token, spell


class ClassTable:
    """``aliases``: the class that a name means."""

    def __init__(self, classes: dict[str, ClassText], aliases: dict[str, str], tokens: Sequence[Token] = ()) -> None:
        self.classes, self.aliases = classes, aliases
        self._enumerators = enumerators(tokens)
        self._owners: dict[tuple[str, str], str] = {}

    def every(self, of: str, inside: tuple[str, ...] = ()) -> Iterator[ClassText]:
        """A class and what it inherits from, itself first; ``inside``: what inherits from it."""
        text = self.classes[of]
        yield text
        for base in text.bases:
            inner = self.aliases.get(base)
            if inner is None or inner == of or inner in inside:
                raise refuse(text.name, f"inheritance from {base}")
            yield from self.every(inner, (*inside, of))

    def alias(self, of: str, name: str) -> str | None:
        """The class that a typedef or alias ``name`` of the class ``of`` means."""
        words = next((words for c in self.every(of) for n, words in c.types if n == name), [])
        plain = [t.text for t in words if t.kind == "id" and t.text not in ("using", "typedef", "typename", name)]
        return self.aliases.get(plain[0]) if len(plain) == 1 else None

    def data(self, of: str) -> list[DataMember]:
        """The data members, inherited ones first."""
        return [m for c in reversed(list(self.every(of))) for m in c.data]

    def owner(self, of: str, name: str) -> str | None:
        """The class that ``name`` is declared in, as seen from ``of``; None for data and unknown names."""
        known = self._owners.get((of, name))
        if known is None:
            for text in self.every(of):
                if (
                    name in (t for t, _ in text.types)
                    or name in text.enumerators
                    or any(s.name.text == name for s in text.statics)
                ):
                    known = text.name.text
                    break
                if any(f.name.text == name for f in text.functions):
                    known = of
                    break
            self._owners[of, name] = known or ""
        return known or None

    def constant(self, words: Sequence[Token], inside: tuple[str, ...] = ()) -> int | None:
        """The value of an expression of constants of classes, ``C::name`` as one word; None where it is not seen.

        ``inside``: the constants whose values it is part of.
        """
        try:
            return evaluate_tokens(words, lambda name: self._static(name, inside))
        except NotConstant:
            return None

    def _condition(self, words: list[Token]) -> int | None:
        return self.constant(joined(words))

    def _static(self, name: str, inside: tuple[str, ...]) -> int | None:
        if name in self._enumerators:
            return self._enumerators[name]
        of, _, own = name.rpartition("::")
        if of not in self.classes or name in inside:
            return None
        value = next((s.value for s in self.classes[of].statics if s.name.text == own), [])
        words = value[1:-1] if value and value[0].text == "{" else value[1:]
        named = {t.text for t in words if t.kind == "id" and self.owner(of, t.text) == of}
        whole = [like(f"{of}::{t.text}" if t.text in named else t.text, t.kind, t) for t in words]
        return self.constant(whole, (*inside, name))

    def functions(self, of: str) -> list[tuple[MemberFunction, ClassText]]:
        """The member functions, inherited ones that nothing hides behind its own."""
        result: list[tuple[MemberFunction, ClassText]] = []
        hidden: set[str] = set()
        for text in self.every(of):
            result += [
                (f, text)
                for f in text.functions
                if f.name.text not in hidden and not _is_constant_twin(f, text.functions)
            ]
            hidden |= {f.name.text for f in text.functions}
        return result

    def is_built(self, of: str) -> bool:
        """Whether a constructor does anything but hold pragmas."""
        return any(self._sets(c) for c in self.every(of)) or any(map(self._is_member_built, self.data(of)))

    def is_built_in_arrays(self, of: str) -> bool:
        """Whether the constructor without arguments, which the elements of an array have, does anything."""
        if any(self._sets(c, default=True) for c in self.every(of)):
            return True
        return any((inner := self.element_of(m)) is not None and self.is_built_in_arrays(inner) for m in self.data(of))

    def _is_member_built(self, member: DataMember) -> bool:
        inner = self.element_of(member)
        return inner is not None and (self.is_built_in_arrays(inner) if member.extents else self.is_built(inner))

    def _sets(self, text: ClassText, default: bool = False) -> bool:
        if any(m.value and m.value[0].text in ("=", "{") for m in text.data):
            return True
        # a stream gets a name; other constructors, its own and those of its bases, are looked at by themselves
        streams, others = {m.name.text for m in text.data if is_stream(m)}, self.own_names(text)
        return any(
            any(n.text not in streams and (n.text not in others or (default and given)) for n, given in c.inits)
            or c.body is None
            or any(not isinstance(t, PragmaToken) for t in c.body[1:-1])
            for c in text.constructors
            if not (default and c.needed)
        )

    def own_names(self, text: ClassText) -> set[str]:
        """What a class and its bases are called in the initialisers of a constructor."""
        every = {text.name.text, *text.bases, *(self.aliases.get(b, b) for b in text.bases)}
        return every | {n.partition("<")[0] for n in every}

    def class_of(self, member: DataMember) -> str | None:
        return self.element_of(member) if not member.extents else None

    def element_of(self, member: DataMember) -> str | None:
        """The class of a member, or of the elements of one that is an array."""
        return self.aliases.get(member.type[-1].text) if member.type else None

    def pragmas(self, of: str) -> Iterator[PragmaToken]:
        """Those in constructors about members, of members that are objects as well; what several say, once."""
        for class_text in self.every(of):
            said: set[str] = set()
            for constructor in class_text.constructors:
                for token in reached_pragmas(constructor.body or [], self._condition):
                    text = spell(token.body).lower() if names_variable(token) else ""
                    if text and text not in said:
                        said.add(text)
                        yield token
            for member in class_text.data:
                inner = self.aliases.get(member.type[-1].text) if member.type else None
                if inner is not None:
                    for pragma in self.pragmas(inner):
                        yield self.pragma_of(pragma, member.name, member.extents, class_text)

    def pragma_of(self, pragma: PragmaToken, name: Token, extents: Sequence[Token], of: ClassText) -> PragmaToken:
        """A pragma of a constructor, for the object ``name`` of class ``of``, or an array of them.

        The dimensions of the array come before those of the member. Raises SourceError.
        """
        outer = _dimensions(extents)
        if outer:
            pragma = _shifted(pragma, outer, name)
        words = [w for i, w in enumerate(pragma.expanded) if not _this(pragma.expanded, i)]
        equals = {i for i, w in enumerate(words) if w.text == "="}
        variable = {i + 1 for i in equals if i and words[i - 1].text.lower() in ("variable", "port")}
        copy = pragma.with_words(
            [like(f"{name.text}.{w.text}", "id", w) if i in variable else w for i, w in enumerate(words)]
        )
        copy.use = of.use
        return copy


def _dimensions(extents: Sequence[Token]) -> int:
    """How many pairs of brackets there are."""
    levels = accumulate((t.text == "[") - (t.text == "]") for t in extents)
    return sum(t.text == "[" and level == 1 for t, level in zip(extents, levels, strict=True))


def _shifted(pragma: PragmaToken, outer: int, at: Token) -> PragmaToken:
    """A directive about a member with ``dim`` behind ``outer`` other dimensions."""
    words = pragma.expanded
    texts = [w.text.lower() for w in words]
    if not {"array_partition", "array_reshape"} & set(texts):
        return pragma
    place = next((i for i in range(len(words) - 2) if texts[i : i + 2] == ["dim", "="]), None)
    if place is None:
        more = [like("dim", "id", words[-1]), like("=", "op", words[-1]), like(str(1 + outer), "num", words[-1])]
        words = [*words, *more]
    elif texts[place + 2].isdigit() and texts[place + 2] != "0":
        moved = like(str(int(texts[place + 2]) + outer), "num", words[place + 2])
        words = [*words[: place + 2], moved, *words[place + 3 :]]
    else:
        raise refuse(at, "array of objects whose constructor has a directive for all dimensions")
    return pragma.with_words(words)


def _is_constant_twin(function: MemberFunction, others: Sequence[MemberFunction]) -> bool:
    """Whether a function is the one for objects that are constant, of two that do the same."""
    if not function.const or function.body is None:
        return False
    text, params = _texts(function.body), _texts(function.params)
    return any(
        not o.const
        and o.name.text == function.name.text
        and _texts(o.params) == params
        and _texts(o.body or []) == text
        for o in others
    )


def _texts(tokens: Sequence[Token]) -> list[str]:
    return [t.text for t in tokens]


def names_variable(token: Token) -> bool:
    """Whether a token is a pragma about a variable: in a constructor, about a member of the object."""
    if not isinstance(token, PragmaToken):
        return False
    words = [w.text.lower() for w in token.expanded]
    return any(w in ("variable", "port") and after == "=" for w, after in pairwise(words))


def is_stream(member: DataMember) -> bool:
    """Whether a member is a channel, which its constructor gives a name."""
    return any(t.text.partition("<")[0] == "stream" for t in member.type)


def _this(words: Sequence[Token], at: int) -> bool:
    return words[at].text == "this" or (words[at].text == "->" and at > 0 and words[at - 1].text == "this")


def class_aliases(tokens: Sequence[Token], classes: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Names of classes: their own, and those that typedefs and aliases give them."""
    known = {name: name for name in classes}
    yield from known.items()
    for at, token in enumerate(tokens[:-LOOK_AHEAD]):
        if token.text not in ("typedef", "using") or token.kind != "id":
            continue
        end = next((i for i in range(at, at + LOOK_AHEAD) if tokens[i].text == ";"), at)
        words = [t for t in tokens[at + 1 : end] if t.text != "const"]
        if token.text == "using" and len(words) > 2 and words[1].text == "=":
            words = [*words[2:], words[0]]
        if len(words) < 2 or not all(t.kind == "id" for t in words[-2:]) or words[-2].text not in known:
            continue
        if all(t.text == "::" or k % 2 == 0 for k, t in enumerate(words[:-1])):
            known[words[-1].text] = known[words[-2].text]
            yield words[-1].text, known[words[-1].text]


def default_constructor(text: ClassText) -> MemberFunction:
    """The constructor that a class without one has."""
    name = text.name
    brackets = [like("(", "op", name), like(")", "op", name)]
    return MemberFunction([], name, brackets, [], [like("{", "op", name), like("}", "op", name)], False, False)


def in_order(functions: list[tuple[MemberFunction, list[Token]]]) -> Iterator[list[Token]]:
    """Functions behind those that they call."""
    texts = [{t.text for t in words} for _, words in functions]
    names = [words[next(i for i, t in enumerate(words) if t.text == "(") - 1].text for _, words in functions]
    done: set[int] = set()

    def visit(k: int, around: frozenset[int]) -> Iterator[list[Token]]:
        if k in done or k in around:
            return
        for other, name in enumerate(names):
            if other != k and name in texts[k]:
                yield from visit(other, around | {k})
        if k not in done:
            done.add(k)
            yield functions[k][1]

    for k in range(len(functions)):
        yield from visit(k, frozenset())
