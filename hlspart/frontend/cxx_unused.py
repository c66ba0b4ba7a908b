"""Member functions of class templates that nothing names: C++ does not instantiate them, and synthesis has none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from msgspec import Struct

from hlspart.frontend.cxx_collect import CxxTemplate, CxxTemplates
from hlspart.frontend.cxx_plain import has_methods
from hlspart.frontend.cxx_shapes import closing
from hlspart.frontend.holes import in_braces_of_loops
from hlspart.frontend.parse import error
from hlspart.frontend.tokens import PragmaToken, SourceError, Token
from hlspart.model.directives import Unread

_OPEN, _CLOSE = ("(", "[", "{"), (")", "]", "}")
_BEHIND = frozenset(("const", "noexcept", "override", "final"))
_UNUSED = "a member function that nothing here uses"


class UnusedFunction(Struct, frozen=True, dict=True):
    """A member function that no instance has, or a class without an instance: the tokens of its definition."""

    tokens: list[Token]

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name in it."""
        return frozenset(t.text for t in self.tokens if t.kind == "id")

    def pragmas(self) -> Iterator[tuple[PragmaToken, Unread]]:
        """Its pragmas, each with what is known of where it stands."""
        for token, in_loop in zip(self.tokens, in_braces_of_loops(self.tokens), strict=True):
            if isinstance(token, PragmaToken):
                yield token, Unread(_UNUSED, True, in_loop, self.names)


def without_unused(templates: CxxTemplates) -> list[UnusedFunction]:
    """Take member functions that nothing names out of the class templates.

    A class that is instantiated explicitly has all its functions, and of one without instance nothing is known.
    """
    asked = {t.text for request in templates.requests for t in request} | set(_without_instance(templates))
    taken: list[UnusedFunction] = []
    while True:
        heads = {id(t): list(_heads(t.tokens)) for t in templates.every() if t.struct}
        own = Counter(h.name.text for each in heads.values() for h in each)
        said = _said((templates.rest, *(t.tokens for t in _all(templates))))
        more: list[UnusedFunction] = []
        for template in templates.every():
            unused = [h for h in heads.get(id(template), ()) if said[h.name.text] == own[h.name.text]]
            if template.name not in asked:
                more += _take(template, [h for h in unused if h.name.text != template.name])
        if not more:
            return taken
        taken += more


def _take(template: CxxTemplate, unused: Sequence[_Head]) -> Iterator[UnusedFunction]:
    for head in reversed(unused):
        yield UnusedFunction(template.tokens[head.first : head.end])
        del template.tokens[head.first : head.end]
    if unused:
        template.renumber()


def _without_instance(templates: CxxTemplates) -> Iterator[str]:
    """Class templates that nothing but themselves names."""
    texts = [(t, _said([t.tokens])) for t in _all(templates)]
    for name, group in templates.templates.items():
        others = (said[name] for t, said in texts if t not in group)
        if not any(others) and all(t.text != name for t in templates.rest):
            yield name


def _all(templates: CxxTemplates) -> Iterator[CxxTemplate]:
    yield from templates.every()
    for group in (*templates.outside.values(), *templates.declared.values(), templates.aliases.values()):
        yield from group


def _said(texts: Iterable[Sequence[Token]]) -> Counter[str]:
    return Counter(t.text for tokens in texts for t in tokens if t.kind == "id")


class _Head(Struct, frozen=True):
    """A function in a class: its name, and where its definition is."""

    name: Token
    first: int
    end: int


def _heads(tokens: Sequence[Token]) -> Iterator[_Head]:
    """The functions that a class defines, operators and templates apart."""
    at = next((i for i, t in enumerate(tokens) if t.text == "{"), len(tokens)) + 1
    start = at
    while at < len(tokens) - 1:
        text = tokens[at].text
        if text in (";", "}") or isinstance(tokens[at], PragmaToken) or (text == ":" and at == start + 1):
            start = at + 1
        if text not in _OPEN:
            at += 1
            continue
        end = closing(tokens, at)
        words = [t.text for t in tokens[start:at]]
        if text == "(" and words and not {"operator", "template", "friend", "=", "("} & set(words):
            body = end + 1
            while body < len(tokens) and tokens[body].text in _BEHIND:
                body += 1
            if body < len(tokens) and tokens[body].text == "{" and tokens[at - 1].kind == "id" and len(words) > 1:
                end = closing(tokens, body)
                yield _Head(tokens[at - 1], start, end + 1)
                start = end + 1
        elif text == "{":
            start = end + 1
        at = end + 1


def _nobody_uses(token: Token) -> SourceError:
    """A template of a header without an instance: a compiler does not look into it, either."""
    fault = error(token, "a template that nothing here uses", "HLP003")
    fault.quiet = True
    return fault


def _unmade(token: Token, what: str = "class template") -> SourceError:
    return error(token, f"C++ construct not supported: {what} without an instance", "HLP003")


def refused(unused: CxxTemplate, path: str) -> SourceError | None:
    """Why a template without an instance is a hole in the file ``path``; None where it stays as it is."""
    first = unused.tokens[0]
    if first.path != path:
        return _nobody_uses(first)
    if has_methods(unused.tokens) or unused.pattern is not None:
        return _unmade(first)
    return _unmade(first, "variadic template") if unused.pack else None
