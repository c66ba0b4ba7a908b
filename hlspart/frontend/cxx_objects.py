"""Classes as C has them: a structure of the data, a function for each member function with the object as ``self``.

``struct Acc { int sum; void add(int x) { sum += x; } }`` becomes ``struct Acc { int sum; }`` and
``void Acc::add(Acc &self, int x) { self.sum += x; }``; which function ``a.add(1)`` and ``a + b`` call is decided where
types are known (:mod:`~hlspart.frontend.express`). What a base class holds is written out again for the class that
inherits it; static members are variables called ``Acc::n``. Virtual functions, members that are references and classes
whose text does not say what a name means are refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from hlspart.frontend.cxx_building import Constructors
from hlspart.frontend.cxx_collect import like
from hlspart.frontend.cxx_cursor import LOOK_AHEAD
from hlspart.frontend.cxx_declared import declarators
from hlspart.frontend.cxx_members import (
    OPEN,
    ClassText,
    MemberFunction,
    declared_member,
    head_of,
    parameter_name,
    partner,
    read_class,
    refuse,
)
from hlspart.frontend.cxx_scope import SELF, ClassScope
from hlspart.frontend.cxx_table import default_constructor, in_order, names_variable
from hlspart.frontend.tokens import PragmaToken, SourceError, Token
from hlspart.model.source import OWN


def class_names(tokens: Sequence[Token]) -> dict[str, int]:
    """Where the classes of a unit are defined, nested ones apart."""
    names: dict[str, int] = {}
    at = 0
    while at + 2 < len(tokens):
        opens = tokens[at].text in ("struct", "class") and (at == 0 or tokens[at - 1].text not in _NO_HEAD)
        opening = head_of(tokens, at) if opens else None
        if opening is not None:
            names[tokens[at + 1].text] = at
            at = partner(tokens, opening)
        at += 1
    return names


_NO_HEAD = ("enum", "<", ",", "typedef", "(")


def as_structures(tokens: list[Token], names: Sequence[str]) -> list[Token]:
    """The tokens with the classes ``names`` written out. Raises SourceError with every one that cannot be."""
    end = like("", "eof", tokens[-1])
    tokens = [*tokens, *([end] * LOOK_AHEAD)]
    places = class_names(tokens)
    classes: dict[str, ClassText] = {}
    faults: list[SourceError] = []
    for name in sorted(names, key=lambda n: places[n]):
        try:
            classes[name] = read_class(tokens, places[name])
        except SourceError as fault:
            faults.append(fault)
    if faults:
        faults[0].others = tuple(faults[1:])
        raise faults[0]
    return _Classes(tokens, classes).run()


class _Classes(Constructors):
    def __init__(self, tokens: list[Token], classes: dict[str, ClassText]) -> None:
        super().__init__(tokens, classes)
        self.later: set[str] = set()  # classes that are not written out yet
        self._waiting: list[list[Token]] = []  # functions that use such
        self._opened: list[bool] = []  # of each brace whether it is one of code
        pairs = pairwise(tokens)  # of own headers only what is used is written out
        self.said = {b.text for a, b in pairs if a.text in (".", "->", "::")}
        self.said |= {"operator()"} | {f"operator{t.text}" for t in tokens if t.kind == "op"}

    def run(self) -> list[Token]:
        """Everything."""
        out: list[Token] = []
        by_first = {c.first: c for c in self.classes.values()}
        self.later = set(self.classes)
        tokens = self.tokens
        at = 0
        while at < len(tokens):
            if at in by_first:
                out += self._class(by_first[at])
                self.later.discard(by_first[at].name.text)
                out += self._waited()
                at = by_first[at].last + 2
                continue
            end = self._outside(at, out)
            if end is not None:
                at = end
                continue
            at = self.plain(tokens, at, out)
        return out

    # ----------------------------------------------------------------------- text around classes

    def plain(self, tokens: Sequence[Token], at: int, out: list[Token]) -> int:
        """A token, a qualified name or a declaration of objects that is not part of a class; behind it."""
        token = tokens[at]
        self._count(token, out)
        if token.kind != "id" or isinstance(token, PragmaToken):
            if isinstance(token, PragmaToken):
                token.expanded = self._qualified(token.expanded)
            out.append(token)
            return at + 1
        if token.text == "operator" and (at == 0 or tokens[at - 1].text not in (".", "->", "::", "template")):
            end = at + 1
            while tokens[end].text != "(" or (end == at + 1 and tokens[end + 1].text == ")"):
                end += 1
                if end > at + 4:
                    raise refuse(token, "operator overloading")
            out.append(like("operator" + "".join(t.text for t in tokens[at + 1 : end]), "id", token))
            return end
        of = self.aliases.get(token.text)
        if of is None:
            out.append(token)
            return at + 1
        if tokens[at + 1].text == "::" and tokens[at + 2].kind == "id":
            owner = self.table.owner(of, tokens[at + 2].text)
            if owner is not None:
                out.append(_joined(f"{owner}::{tokens[at + 2].text}", token, tokens[at + 2]))
                return at + 3
        while len(out) > 1 and out[-1].text == "::" and out[-2].kind == "id" and out[-2].text not in self.aliases:
            del out[-2:]
        return self._object(tokens, at, out, of)

    def _count(self, token: Token, out: Sequence[Token]) -> None:
        """Know how many braces are open: those of namespaces and of ``extern "C"`` are as the file."""
        if token.kind == "op" and token.text == "{":
            at = len(out)
            while at and (out[at - 1].kind == "id" or out[at - 1].text == "::") and out[at - 1].text != "namespace":
                at -= 1
            self._opened.append(at == 0 or (out[at - 1].text != "namespace" and out[at - 1].kind != "str"))
            self.level += self._opened[-1]
        elif token.kind == "op" and token.text == "}":
            self.level -= self._opened.pop() if self._opened else 1

    def _qualified(self, words: Sequence[Token]) -> list[Token]:
        """A pragma's words with ``C::n`` as one."""
        out: list[Token] = []
        at = 0
        while at < len(words):
            of = self.aliases.get(words[at].text)
            joined = of is not None and at + 2 < len(words) and words[at + 1].text == "::"
            owner = self.table.owner(of or "", words[at + 2].text) if joined else None
            if owner is not None:
                out.append(like(f"{owner}::{words[at + 2].text}", "id", words[at]))
                at += 3
                continue
            out.append(words[at])
            at += 1
        return out

    def _object(self, tokens: Sequence[Token], at: int, out: list[Token], of: str) -> int:
        """A declaration of objects as far as it needs more than C has: constructors, and the pragmas in them."""
        token = tokens[at]
        before = out[-1].text if out else ";"
        qualified = before in ("static", "const", "constexpr", "thread_local", "hls_thread_local")
        starts = before in (";", "{", "}", ":") or qualified or (out and isinstance(out[-1], PragmaToken)) or not before
        objects = declarators(tokens, at + 1) if starts else None
        lists = [d for d in objects[0] if d.opening == "{" and d.value] if objects is not None else []
        if tokens[at + 1].text == "{" and before not in ("struct", "class", "->"):
            close = partner(tokens, at + 1)
            if close > at + 2 and self.is_list_of_parts(of):
                raise refuse(token, f"list of values for {of}, which inherits")
            if self.has_initial_values(of) and self.level > 0:
                out += [token, *self.temporary(of, tokens[at + 2 : close], token)]
                return close + 1
        if lists and self.is_list_of_parts(of):
            raise refuse(token, f"list of values for {of}, which inherits")
        if objects is None or not self._needs_more(objects[0], of):
            out.append(token)
            return at + 1
        words = _taken_qualifiers(out)
        static = any(t.text not in ("const", "constexpr") for t in words)
        for declared in objects[0]:
            listed = self._is_listed(declared, of, static or self.level == 0)
            built = not (listed or static) and self.level > 0 and self._is_built(declared, of)
            out += [
                t.copy() for t in words if not built or t.text not in ("const", "constexpr")
            ]  # what is built is written
            out += self._declared(declared, of, token, built, listed)
        return objects[1] + 1

    def _outside(self, at: int, out: list[Token]) -> int | None:
        """``int C::f(int x) { .. }``, a member function outside its class; behind it."""
        tokens = self.tokens
        of = self.aliases.get(tokens[at].text) if self.level == 0 else None
        if of is None or tokens[at + 1].text != "::":
            return None
        end = at + 2
        words = tokens[end : end + 1]
        if tokens[end].text == "operator":
            while tokens[end + 1].text != "(" or (tokens[end + 2].text == ")" and tokens[end + 3].text == "("):
                end += 1
                if end > at + 6:
                    return None
            words = [like("operator" + "".join(t.text for t in tokens[at + 3 : end + 1]), "id", tokens[at + 2])]
        if tokens[end + 1].text != "(" or words[0].kind != "id":
            return None
        start = len(out)
        while start and out[start - 1].text not in (";", "}", "{", "") and not isinstance(out[start - 1], PragmaToken):
            start -= 1
        before = out[start:]
        holder = ClassText(self.classes[of].name, at, at)
        stop = _behind(tokens, end + 1)
        text = [*before, words[0], *tokens[end + 1 : stop]]
        declared_member([*text, *tokens[-LOOK_AHEAD:]], 0, len(text), holder)
        declared = [*self.classes[of].functions, *self.classes[of].constructors]
        made = next(iter((*holder.functions, *holder.constructors)), None)
        if made is None or made.body is None:
            return None
        same = [f for f in declared if f.name.text == made.name.text and len(f.arguments) == len(made.arguments)]
        made.static = any(f.static for f in same)
        del out[start:]
        constructor = bool(holder.constructors)
        out += self._function(self.classes[of], made, constructor)
        return stop

    # -------------------------------------------------------------------------------- the class

    def _class(self, text: ClassText) -> list[Token]:
        of = text.name.text
        out: list[Token] = []
        scope = ClassScope(self, text)
        for anchor in text.anchors:
            out.append(anchor)
        for words in self._names(text):
            out += scope.rewritten(words, skip=True)
        data: list[Token] = []
        named = {m.name.text for m in self.table.data(of)}
        if len(named) < len(list(self.table.data(of))):
            raise refuse(text.name, f"member of {of} with the name of one that it inherits")
        for member in self.table.data(of):
            end = like(";", "op", member.name)
            bits = member.value if member.value and member.value[0].text == ":" else []
            data += [*scope.rewritten(member.type), member.name, *scope.rewritten(member.extents), *bits, end]
        head = [like("struct", "id", self.tokens[text.first]), text.name, like("{", "op", text.name)]
        tail = [like("}", "op", text.name), like(";", "op", text.name)]
        out += self.marked([*head, *data, *tail], text)
        every = [f for f, _ in self.table.functions(of)]
        kept = [f for f in every if not text.name.path.startswith(OWN) or f.name.text in self.said]
        functions = [(f, self._function(text, f, False)) for f in kept if f.body is not None]
        declared = [self._prototype(text, f) for f in every if f.body is None]
        if self.table.is_built(of):
            line = list(self.table.every(of))
            delegates = any(n.text == x.name.text for x in line for c in x.constructors for n, _ in c.inits)  # to any
            for constructor in text.constructors or [default_constructor(text)]:
                if constructor.body is None or delegates:
                    declared.append(self._prototype(text, constructor, True))
                if constructor.body is not None:
                    functions.append((constructor, self._function(text, constructor, True)))
                for count in range(constructor.needed, len(constructor.arguments) + 1):
                    functions.append((constructor, self._made(text, constructor, count)))
            for base in line[1:]:
                for constructor in base.constructors or [default_constructor(base)]:
                    if constructor.body is None or delegates:
                        declared.append(self._prototype(text, constructor, True))
                    if constructor.body is not None:
                        functions.append((constructor, self._function(text, constructor, True, base)))
        for words in declared:
            out += words
        functions.sort(key=lambda x: x[0].name.text not in self.classes)  # lists in the others need constructors
        for words in in_order(functions):
            self._waiting.append(words)
        out += self._waited(of)
        for friend in text.friends:
            words, inside = self.whole(friend), ClassScope(self, text, static=True)
            name = next((k for k, t in enumerate(words) if t.text == "("), 1) - 1  # a method may have it, too
            if not text.name.path.startswith(OWN) or words[name].text in self.said:
                made = [*inside.rewritten(words[:name]), words[name], *inside.rewritten(words[name + 1 :])]
                out += self.marked(made, text)
        return out

    def _waited(self, around: str = "") -> list[Token]:
        """The functions that use no class below ``around``, which is complete, nor one of those that do."""
        out: list[Token] = []
        left: list[list[Token]] = []
        below = self.later - {around}
        for words in self._waiting:
            said = {t.text for t in words}
            if below & said:
                left.append(words)
                below = below | {words[next(i for i, t in enumerate(words) if t.text == "(") - 1].text}
            else:
                out += words
        self._waiting = left
        return out

    def _names(self, text: ClassText) -> Iterator[list[Token]]:
        """The enumerations, types and static members of a class, in the order in which it declares them."""
        of = text.name.text
        every = [self._enumeration(text, words) for words in text.enumerations]
        for name, words in text.types:
            last = max((k for k, t in enumerate(words) if t.text == name), default=-1)
            alias = words[:1] and words[0].text == "typedef"
            named = [k for k, t in enumerate(words) if (k == last if alias else t.text == name)]
            every.append([like(f"{of}::{name}", "id", t) if k in named else t for k, t in enumerate(words)])
        for member in text.statics:
            if member.value or not any(t.text == "const" for t in member.type):
                qualified = like(f"{of}::{member.name.text}", "id", member.name)
                before = [t for t in member.type if t.text not in ("inline", "static")]
                before.insert(0, like("static", "id", qualified))
                every.append([*before, qualified, *member.extents, *member.value, like(";", "op", qualified)])
        yield from sorted((e for e in every if e), key=lambda words: words[0].start)

    def _enumeration(self, class_text: ClassText, words: list[Token]) -> list[Token]:
        of, names = class_text.name.text, {t for t, _ in class_text.types}
        own = [
            t.text in class_text.enumerators and (k == 0 or words[k - 1].text != "::")  # Log2<8>::value is another's
            for k, t in enumerate(words)
        ]
        text = [like(f"{of}::{t.text}", "id", t) if mine else t for t, mine in zip(words, own, strict=True)]
        return [like(f"{of}::{t.text}", "id", t) if k == 1 and t.text in names else t for k, t in enumerate(text)]

    def _prototype(self, text: ClassText, function: MemberFunction, constructor: bool = False) -> list[Token]:
        return [*self._head(text, function, constructor), like(";", "op", function.name)]

    def _head(self, text: ClassText, function: MemberFunction, constructor: bool) -> list[Token]:
        of, name = text.name.text, function.name
        scope = ClassScope(self, text)
        own = scope.rewritten(function.params[1:-1], skip=True)
        if not [t for t in own if not isinstance(t, PragmaToken)] or [t.text for t in own] == ["void"]:
            own = []
        self_: list[Token] = []
        if not function.static:
            words = [("const", "id")] * function.const + [(of, "id"), ("&", "op"), (SELF, "id")]
            self_ = [like(t, k, name) for t, k in words]
            self_ += [like(",", "op", name)] if own else []
        before = [like("void", "id", name)] if constructor else scope.rewritten(function.before)
        head = [*before, like(f"{of}::{name.text}", "id", name), function.params[0], *self_, *own, function.params[-1]]
        return self.marked(head, text)

    def _function(
        self, text: ClassText, function: MemberFunction, constructor: bool, owner: ClassText | None = None
    ) -> list[Token]:
        """A function of a class. ``owner``: the class that has the constructor, where that is another one."""
        assert function.body is not None
        params = {part[parameter_name(part)].text for part in function.arguments if part and parameter_name(part) >= 0}
        scope = ClassScope(self, text, params, function.static)
        head = self._head(text, function, constructor)
        body = list(function.body)
        if constructor:
            set_: list[Token] = list(self._initial(text, function, owner or text))
            body = scope.rewritten([t for t in body if not names_variable(t)])
            body[1:1] = set_
        else:
            body = scope.rewritten(body)
        return [*head, *self.marked(body, text)]


def _taken_qualifiers(out: list[Token]) -> list[Token]:
    """The qualifiers at the end of the tokens, which are taken away."""
    start = len(out)
    while start and out[start - 1].text in ("static", "const", "constexpr", "thread_local", "hls_thread_local"):
        start -= 1
    words = out[start:]
    del out[start:]
    return words


def _joined(text: str, first: Token, last: Token) -> Token:
    made = like(text, "id", last)
    if first.use is last.use is None and first.path == last.path:
        made.start = first.start
    return made


def _behind(tokens: Sequence[Token], opening: int) -> int:
    """Behind the function whose parameter list opens at an index."""
    at = partner(tokens, opening) + 1
    while tokens[at].text not in ("{", ";") or (
        tokens[at - 1].kind == "id"
        and tokens[at].text == "{"
        and (tokens[at - 1].text not in ("const", "noexcept", "override"))
    ):
        at = partner(tokens, at) + 1 if tokens[at].text in OPEN else at + 1
        if tokens[at].kind == "eof" and at >= len(tokens) - 1:
            break
    return (partner(tokens, at) if tokens[at].text == "{" else at) + 1
