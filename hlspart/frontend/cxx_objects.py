"""Classes as C has them: a structure of the data, a function for each member function with the object as ``self``.

``struct Acc { int sum; void add(int x) { sum += x; } }`` becomes ``struct Acc { int sum; }`` and
``void Acc::add(Acc &self, int x) { self.sum += x; }``; which function ``a.add(1)`` and ``a + b`` call is decided where
types are known (:mod:`~hlspart.frontend.express`). What a base class holds is written out again for the class that
inherits it; static members are variables called ``Acc::n``. Virtual functions, members that are references and classes
whose text does not say what a name means are refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from hlspart.frontend.cxx_collect import like
from hlspart.frontend.cxx_cursor import LOOK_AHEAD
from hlspart.frontend.cxx_declared import ObjectDeclarator, declarators
from hlspart.frontend.cxx_members import (
    OPEN,
    ClassText,
    DataMember,
    MemberFunction,
    declared_member,
    head_of,
    partner,
    read_class,
    refuse,
)
from hlspart.frontend.cxx_scope import SELF, ClassScope
from hlspart.frontend.cxx_table import ClassTable, class_aliases, default_constructor, in_order, names_variable
from hlspart.frontend.cxx_types import split
from hlspart.frontend.preprocess import OWN
from hlspart.frontend.tokens import PragmaToken, SourceError, Token

MADE = "new"  # C::new(..) gives an object


def class_names(tokens: Sequence[Token]) -> dict[str, int]:
    """Where the classes of a unit are defined, nested ones apart."""
    found: dict[str, int] = {}
    at = 0
    while at + 2 < len(tokens):
        opens = tokens[at].text in ("struct", "class") and (at == 0 or tokens[at - 1].text not in _NO_HEAD)
        opening = head_of(tokens, at) if opens else None
        if opening is not None:
            found[tokens[at + 1].text] = at
            at = partner(tokens, opening)
        at += 1
    return found


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


class _Classes:
    def __init__(self, tokens: list[Token], classes: dict[str, ClassText]) -> None:
        self.tokens, self.classes = tokens, classes
        self.aliases = dict(class_aliases(tokens, classes))
        self.table = ClassTable(classes, self.aliases)
        self.copies = 0
        self.level = 0
        pairs = pairwise(tokens)  # of own headers only what is used is written out
        self.said = {b.text for a, b in pairs if a.text in (".", "->", "::")}
        self.said |= {"operator()"} | {f"operator{t.text}" for t in tokens if t.kind == "op"}

    def run(self) -> list[Token]:
        """Everything."""
        out: list[Token] = []
        by_first = {c.first: c for c in self.classes.values()}
        tokens = self.tokens
        at = 0
        while at < len(tokens):
            if at in by_first:
                out += self._class(by_first[at])
                at = by_first[at].last + 2
                continue
            found = self._outside(at, out)
            if found is not None:
                at = found
                continue
            at = self.plain(tokens, at, out)
        return out

    # ----------------------------------------------------------------------- text around classes

    def plain(self, tokens: Sequence[Token], at: int, out: list[Token]) -> int:
        """A token, a qualified name or a declaration of objects that is not part of a class; behind it."""
        token = tokens[at]
        self.level += (token.text == "{") - (token.text == "}") if token.kind == "op" else 0
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
        qualified = before in ("static", "const", "thread_local", "hls_thread_local")
        starts = before in (";", "{", "}", ":") or qualified or (out and isinstance(out[-1], PragmaToken)) or not before
        found = declarators(tokens, at + 1) if starts else None
        if found is None or not self._needs_more(found[0], of):
            out.append(token)
            return at + 1
        words = _taken_qualifiers(out)
        static = any(t.text != "const" for t in words)
        for declared in found[0]:
            built = not static and self.level > 0 and self._is_built(declared, of)
            out += [t.copy() for t in words if not built or t.text != "const"]  # what is built is written
            out += self._declared(declared, of, token, built)
        return found[1] + 1

    def _needs_more(self, declared: Sequence[ObjectDeclarator], of: str) -> bool:
        """Whether objects are declared otherwise than C does it."""
        inside = self.level > 0
        pragmas = bool(list(self.table.pragmas(of)))
        if not inside and any(d.opening for d in declared):
            return False
        return pragmas or any(d.opening == "(" for d in declared) or any(self._is_built(d, of) for d in declared)

    def _is_built(self, declared: ObjectDeclarator, of: str) -> bool:
        """Whether a constructor runs for the object, or for each of an array."""
        if declared.extents:
            return not declared.value and self.table.built_in_arrays(of)
        if not self.table.built(of):
            return False
        if declared.opening != "=":
            return declared.opening != "{" or bool(self.classes[of].constructors)
        return any(c.needed <= 1 <= len(c.arguments) for c in self.classes[of].constructors)

    def _declared(self, declared: ObjectDeclarator, of: str, type_: Token, built: bool) -> Iterator[Token]:
        """``C name;``, its constructor and the pragmas in that."""
        name, end = declared.name, like(";", "op", declared.name)
        value = declared.value
        yield from (type_.copy(), name, *declared.extents)
        if not built and (declared.opening == "=" or (declared.opening == "{" and not self.classes[of].constructors)):
            braces = declared.opening == "{"
            yield from (like("=", "op", name), *([like("{", "op", name)] if braces else []), *self._whole(value))
            yield from [like("}", "op", name)] if braces else []
        yield end
        if built and declared.extents:
            yield from self._each_constructed(of, name, declared.extents)
        elif built and not (declared.opening == "" and not self.table.built(of)):
            own = self._temporary(value, of) if declared.opening == "=" else None
            given = own if own is not None else value
            parts = split(given) if own is not None else declared.arguments
            yield from self._constructed(of, name, parts, given)
        found = self.classes[of]
        yield from (self.table.pragma_of(p, name, declared.extents, found) for p in self.table.pragmas(of))

    def _temporary(self, value: list[Token], of: str) -> list[Token] | None:
        """The arguments of ``C(..)`` where that is all of a value: the object is made in its place."""
        if len(value) < 3 or self.aliases.get(value[0].text) != of or value[1].text not in ("(", "{"):
            return None
        return value[2:-1] if partner(value, 1) == len(value) - 1 else None

    def _whole(self, tokens: Sequence[Token]) -> list[Token]:
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
        inside = self._whole(given)
        if not fitting and parts:
            if len(parts) > 1:
                raise refuse(self.classes[of].name, f"constructor with {len(parts)} arguments")
            return [name, like("=", "op", name), *inside, like(";", "op", name)]
        if not self.table.built(of):
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
        dims: list[list[Token]] = []
        while extents:
            last = partner(extents, 0)
            dims, extents = [*dims, extents[1:last]], extents[last + 1 :]
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

    def _class(self, found: ClassText) -> list[Token]:
        of = found.name.text
        out: list[Token] = []
        scope = ClassScope(self, found)
        for anchor in found.anchors:
            out.append(anchor)
        for words in self._names(found):
            out += scope.rewritten(words, skip=True)
        data: list[Token] = []
        for member in self.table.data(of):
            end = like(";", "op", member.name)
            bits = member.value if member.value and member.value[0].text == ":" else []
            data += [*scope.rewritten(member.type), member.name, *scope.rewritten(member.extents), *bits, end]
        head = [like("struct", "id", self.tokens[found.first]), found.name, like("{", "op", found.name)]
        tail = [like("}", "op", found.name), like(";", "op", found.name)]
        out += self.marked([*head, *data, *tail], found)
        every = [f for f, _ in self.table.functions(of)]
        kept = [f for f in every if not found.name.path.startswith(OWN) or f.name.text in self.said]
        functions = [(f, self._function(found, f, False)) for f in kept if f.body is not None]
        declared = [self._prototype(found, f) for f in every if f.body is None]
        if self.table.built(of):
            for constructor in found.constructors or [default_constructor(found)]:
                if constructor.body is None:
                    declared.append(self._prototype(found, constructor, True))
                else:
                    functions.append((constructor, self._function(found, constructor, True)))
                if not any(t.text in OPEN[1:2] for m in self.table.data(of) for t in m.extents):
                    for count in range(constructor.needed, len(constructor.arguments) + 1):
                        functions.append((constructor, self._made(found, constructor, count)))
            for base in list(self.table.every(of))[1:]:
                for constructor in base.constructors or [default_constructor(base)]:
                    functions.append((constructor, self._function(found, constructor, True, base)))
        for words in declared:
            out += words
        out += [t for words in in_order(functions) for t in words]
        for friend in found.friends:
            out += self.marked(ClassScope(self, found, static=True).rewritten(self._whole(friend)), found)
        return out

    def _names(self, found: ClassText) -> Iterator[list[Token]]:
        """The enumerations, types and static members of a class, in the order in which it declares them."""
        of = found.name.text
        every = [self._enumeration(found, words) for words in found.enumerations]
        for name, words in found.types:
            last = max((k for k, t in enumerate(words) if t.text == name), default=-1)
            alias = words[:1] and words[0].text == "typedef"
            named = [k for k, t in enumerate(words) if (k == last if alias else t.text == name)]
            every.append([like(f"{of}::{name}", "id", t) if k in named else t for k, t in enumerate(words)])
        for member in found.statics:
            if member.value or not any(t.text == "const" for t in member.type):
                qualified = like(f"{of}::{member.name.text}", "id", member.name)
                before = [t for t in member.type if t.text not in ("inline", "static")]
                before.insert(0, like("static", "id", qualified))
                every.append([*before, qualified, *member.extents, *member.value, like(";", "op", qualified)])
        yield from sorted((e for e in every if e), key=lambda words: words[0].start)

    def _enumeration(self, found: ClassText, words: list[Token]) -> list[Token]:
        of, names = found.name.text, {t for t, _ in found.types}
        text = [like(f"{of}::{t.text}", "id", t) if t.text in found.enumerators else t for t in words]
        return [like(f"{of}::{t.text}", "id", t) if k == 1 and t.text in names else t for k, t in enumerate(text)]

    def _prototype(self, found: ClassText, function: MemberFunction, constructor: bool = False) -> list[Token]:
        return [*self._head(found, function, constructor), like(";", "op", function.name)]

    def _head(self, found: ClassText, function: MemberFunction, constructor: bool) -> list[Token]:
        of, name = found.name.text, function.name
        scope = ClassScope(self, found)
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
        return self.marked(head, found)

    def _function(
        self, found: ClassText, function: MemberFunction, constructor: bool, owner: ClassText | None = None
    ) -> list[Token]:
        """A function of a class. ``owner``: the class that has the constructor, where that is another one."""
        assert function.body is not None
        params = {part[_name(part)].text for part in function.arguments if part and _name(part) >= 0}
        scope = ClassScope(self, found, params, function.static)
        head = self._head(found, function, constructor)
        body = list(function.body)
        if constructor:
            set_: list[Token] = list(self._initial(found, function, owner or found))
            rest = [t for t in body[1:-1] if not names_variable(t)]
            body = [body[0], *scope.rewritten(rest), body[-1]]
            body[1:1] = set_
        else:
            body = scope.rewritten(body)
        return [*head, *self.marked(body, found)]

    def _initial(self, found: ClassText, constructor: MemberFunction, owner: ClassText) -> Iterator[Token]:
        """The statements that a list of initialisers, and initial values of members, stand for.

        ``owner``: whose constructor it is, the class itself or one that it inherits from.
        """
        of = found.name.text
        value: list[Token] | None
        params = {part[_name(part)].text for part in constructor.arguments if part}
        scope = ClassScope(self, found, params)
        given = {name.text: (name, value) for name, value in constructor.inits}
        for base in owner.bases:
            inner = self.aliases[base]
            name, value = given.pop(base, given.pop(inner, (constructor.name, [])))
            if self.table.built(inner) or value:
                yield from self._base(of, inner, name, split(value), scope.rewritten(value))
        own = {m.name.text for m in owner.data}
        for member in owner.data:
            name, value = given.pop(member.name.text, (member.name, None))
            of_member = self.table.class_of(member)
            if value is None:
                value = _initial_value(member)
            if of_member is not None:
                if value is None and not self.table.built(of_member):
                    continue
                object_ = like(f"{SELF}", "id", name)
                text = self._constructed(of_member, object_, split(value or []), scope.rewritten(value or []))
                for token in text:
                    if token.text == SELF and token.kind == "id":
                        yield from (object_, like(".", "op", name), like(member.name.text, "id", name))
                    else:
                        yield token
                continue
            if value is None:
                continue
            if member.extents:
                if [t for t in value if t.text != "0"]:
                    raise refuse(name, "array that a constructor sets")
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

    def _made(self, found: ClassText, constructor: MemberFunction, count: int) -> list[Token]:
        """``C C::new(int x) { C made; C::C(made, x); return made; }``; behind ``count`` arguments defaults."""
        of, name = found.name.text, constructor.name
        scope = ClassScope(self, found)
        left = [scope.rewritten(_default_value(part)) for part in constructor.arguments[count:]]
        listed = [[*_without_default(part), like(",", "op", name)] for part in constructor.arguments[:count]]
        inside = [t for part in listed for t in part][:-1]
        ends = constructor.params[0], constructor.params[-1]
        constructor = replace(constructor, params=[ends[0], *inside, ends[1]])
        head = self._head(found, constructor, True)
        at = next(i for i, t in enumerate(head) if t.text == f"{of}::{name.text}")
        opening = at + 1
        first = opening + 1 + 3 + (head[opening + 4].text == "," if opening + 4 < len(head) else 0)
        names = [like(part[_name(part)].text, "id", name) for part in constructor.arguments if part]
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
        return self.marked([*start, *head[first:], *texts], found)

    def marked(self, tokens: Sequence[Token], of: ClassText) -> list[Token]:
        """Copies of tokens of a class that stand for one of several things: nothing of them is edited."""
        self.copies += 1
        result: list[Token] = []
        for token in tokens:
            if isinstance(token, PragmaToken) or token.use is not None:
                result.append(token)
                continue
            copy = token.copy()
            copy.use, copy.lo, copy.hi, copy.arg = of.use, token.start, token.end, self.copies
            result.append(copy)
        return result


def _counter(dimension: int) -> str:
    """The variable that runs over a dimension of an array of objects."""
    return f"element_{dimension}"


def _kind(word: str) -> str:
    return "id" if word.isidentifier() else "num" if word.isdigit() else "op"


def _taken_qualifiers(out: list[Token]) -> list[Token]:
    """The qualifiers at the end of the tokens, which are taken away."""
    start = len(out)
    while start and out[start - 1].text in ("static", "const", "thread_local", "hls_thread_local"):
        start -= 1
    words = out[start:]
    del out[start:]
    return words


def _joined(text: str, first: Token, last: Token) -> Token:
    made = like(text, "id", last)
    if first.use is last.use is None and first.path == last.path:
        made.start = first.start
    return made


def _name(part: Sequence[Token]) -> int:
    """Where the name of a parameter stands."""
    end = next((i for i, t in enumerate(part) if t.text == "="), len(part))
    end = next((i for i, t in enumerate(part[:end]) if t.text == "["), end)
    while end > 1 and part[end - 1].text == ")":
        end -= 1
    return end - 1


def _default_value(part: Sequence[Token]) -> list[Token]:
    """What a parameter is where a call leaves it out."""
    return list(part[next(i for i, t in enumerate(part) if t.text == "=") + 1 :])


def _without_default(part: Sequence[Token]) -> Sequence[Token]:
    return part[: next((i for i, t in enumerate(part) if t.text == "="), len(part))]


def _initial_value(member: DataMember) -> list[Token] | None:
    """What a member is set to where its declaration says so: ``= value`` or ``{value}``."""
    if not member.value or member.value[0].text not in ("=", "{"):
        return None
    return member.value[1:] if member.value[0].text == "=" else member.value[1:-1]


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
