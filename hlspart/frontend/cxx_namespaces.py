"""One name in several namespaces: different things, told apart before qualifiers are dropped.

A name that two namespaces declare (the file's own scope is one) becomes its qualified name wherever it means one
of a namespace. Other names need no care: what they mean does not depend on a qualifier.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal

from hlspart.frontend.parse import error
from hlspart.frontend.tokens import PragmaToken, Token

Path = tuple[str, ...]
Kind = Literal["namespace", "struct", "body"]

_KEYWORDS = frozenset((
    "alignas", "asm", "auto", "bool", "char", "class", "const", "constexpr", "double", "enum", "extern", "float",
    "inline", "int", "long", "namespace", "operator", "register", "short", "signed", "sizeof", "static",
    "static_assert", "struct", "template", "thread_local", "typedef", "typename", "union", "unsigned", "using",
    "virtual", "void", "volatile", "__attribute__", "__declspec",
))  # fmt: skip

_QUALIFIERS = ("const", "static", "constexpr", "typename", "volatile", "mutable", "inline", "struct", "class", "return")


def qualified_apart(tokens: list[Token]) -> list[Token]:
    """The tokens with qualified names in the place of names that several namespaces declare. Raises SourceError."""
    if not any(t.text == "namespace" for t in tokens):
        return tokens
    scopes = _scopes(tokens)
    declared: dict[str, dict[Path, int]] = {}  # by namespace, where first
    for at in _declared(tokens, scopes):
        declared.setdefault(tokens[at].text, {}).setdefault(scopes[at][0], at)
    shared = {name: paths for name, paths in declared.items() if len(paths) > 1}
    if not shared:
        return tokens
    used = list(_using(tokens, shared))
    result: list[Token] = []
    at = 0
    while at < len(tokens):
        token, (here, kind) = tokens[at], scopes[at]
        if isinstance(token, PragmaToken):
            for words in (token.body, token.expanded):
                words[:] = [_meant(t, t, (), False, here, _above(shared, t, at), used) for t in words]
        last = _last(tokens, at)
        member = (kind == "struct" and _is_member(tokens, at)) or (at > 0 and tokens[at - 1].text in (".", "->"))
        if last is None or tokens[last].text not in shared or member:
            end = at if last is None else last
            result += tokens[at : end + 1]
            at = end + 1
            continue
        qualifier = tuple(t.text for t in tokens[at:last] if t.kind == "id")
        paths = shared[tokens[last].text] if qualifier else _above(shared, tokens[last], at)
        result.append(_meant(tokens[last], token, qualifier, token.text == "::", here, paths, used))
        at = last + 1
    return result


def _is_member(tokens: Sequence[Token], at: int) -> bool:
    """Whether a name in a class is what is declared there: behind a type, or in a list of declarators."""
    before, after = tokens[at - 1], tokens[at + 1].text if at + 1 < len(tokens) else ";"
    if after not in (";", ",", "=", "[", "(", ")", "{", ":"):
        return False
    if before.kind == "id":
        return before.text not in _QUALIFIERS
    level, here = 0, at - 1
    while before.text == "," and level >= 0 and here >= 0 and tokens[here].text not in (";", "{", "}"):
        level += (tokens[here].text in (")", "]", ">")) - (tokens[here].text in ("(", "[", "<"))
        here -= 1
    return before.text in ("*", "&", "&&", ">", "~") or (before.text == "," and level >= 0)


def _last(tokens: Sequence[Token], at: int) -> int | None:
    """The name at the end of ``a::b::name`` or ``::name``; None where none begins."""
    at += tokens[at].text == "::"
    if at >= len(tokens) or tokens[at].kind != "id":
        return None
    while at + 2 < len(tokens) and tokens[at + 1].text == "::" and tokens[at + 2].kind == "id":
        at += 2
    return at


def _above(shared: Mapping[str, Mapping[Path, int]], name: Token, at: int) -> Collection[Path]:
    """The namespaces that declare a name above a place, where a bare name is looked up; all where none does."""
    paths = shared.get(name.text, {}) if name.kind == "id" else {}
    return [path for path, first in paths.items() if first <= at] or paths


def _meant(
    name: Token, first: Token, qualifier: Path, absolute: bool, here: Path, paths: Collection[Path],
    used: Sequence[Path],
) -> Token:  # fmt: skip
    """``name``, written from ``first`` on in namespace ``here``, spelled with the namespace that it means.

    ``paths``: the namespaces that declare it.
    """
    if not paths:
        return name
    around = [()] if absolute else [here[:k] for k in range(len(here), -1, -1)]
    home = next((scope + qualifier for scope in around if scope + qualifier in paths), None)
    if home is None and not qualifier and not absolute:
        through = [path for path in dict.fromkeys(used) if path in paths]
        if len(through) > 1:
            raise error(name, f"'{name.text}' may mean one of several namespaces", "HLP003")
        home = through[0] if through else ()
    new = name.copy()
    new.text = "::".join((*(qualifier if home is None else home), name.text))
    if new.use is None and first.use is None and new.path == first.path:
        new.start = first.start
    return new


def _using(tokens: Sequence[Token], shared: Collection[str]) -> Iterator[Path]:
    """Namespaces whose names are seen without them. ``using n::name`` of a shared name is not followed."""
    for at, token in enumerate(tokens):
        if token.text != "using" or token.kind != "id":
            continue
        whole = at + 1 < len(tokens) and tokens[at + 1].text == "namespace"
        last = _last(tokens, at + 1 + whole)
        if last is None:
            continue
        path = tuple(t.text for t in tokens[at + 1 + whole : last + 1] if t.kind == "id")
        if whole:
            yield path
        elif len(path) > 1 and path[-1] in shared:
            raise error(token, f"using a name that several namespaces declare: '{path[-1]}'", "HLP003")


def _scopes(tokens: Sequence[Token]) -> list[tuple[Path, Kind]]:
    """For each token the namespace around it, and what the innermost brace around it belongs to."""
    stack: list[tuple[Path, Kind]] = [((), "namespace")]
    scopes: list[tuple[Path, Kind]] = []
    begin = 0  # of the statement
    for at, token in enumerate(tokens):
        text = token.text if token.kind == "op" else ""
        if text == "}" and len(stack) > 1:
            stack.pop()
        scopes.append(stack[-1])
        if text == "{":
            stack.append(_opened(tokens[begin:at], stack[-1]))
        if text in ("{", "}", ";"):
            begin = at + 1
    return scopes


def _opened(before: Sequence[Token], around: tuple[Path, Kind]) -> tuple[Path, Kind]:
    """What a brace opens behind the tokens ``before`` of its statement."""
    path, kind = around
    texts = [t.text for t in before]
    if kind == "namespace" and "namespace" in texts:
        named = before[texts.index("namespace") + 1 :]
        return (*path, *(t.text for t in named if t.kind == "id")), "namespace"
    if kind == "namespace" and texts[:1] == ["extern"] and len(texts) == 2:
        return path, "namespace"
    if "(" not in texts and "=" not in texts and set(texts) & {"struct", "class", "union", "enum"}:
        return path, "struct"
    if kind == "namespace" and "(" in texts:  # void n::f() {
        name = texts.index("(") - 1
        first = name
        while first >= 2 and texts[first - 1] == "::":
            first -= 2
        path = (*path, *(t.text for t in before[max(0, first) : max(0, name)] if t.kind == "id"))
    return path, "body"


def _declared(tokens: Sequence[Token], scopes: Sequence[tuple[Path, Kind]]) -> Iterator[int]:
    """Names that are declared at the level of a namespace."""
    level, value, at = 0, False, 0
    while at + 1 < len(tokens):
        token, after = tokens[at], tokens[at + 1].text
        if scopes[at][1] != "namespace":
            at += 1
            continue
        named = token.kind == "id" and token.text != "operator" and level == 0 and not value
        if after == "<" and (named or token.text == "template"):
            depth = 0  # parameters, or arguments of a type
            while at + 1 < len(tokens):
                at += 1
                depth += (tokens[at].text == "<") - tokens[at].text.count(">")
                if depth <= 0:
                    break
        elif token.kind == "op":
            level += (token.text in ("(", "[")) - (token.text in (")", "]"))
            value = (value or token.text == "=") and token.text not in (",", ";", "{", "}")
        elif token.kind == "id" and level == 0 and not value and token.text not in _KEYWORDS:
            before = tokens[at - 1].text if at else ""
            if before not in ("::", "namespace", ".", "->", "using") and after in ("[", "=", ";", ",", "(", "{"):
                yield at
        at += 1
