"""Parameter packs of templates, written out: ``f(args...)`` as ``f(args_0, args_1)``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from hlspart.frontend.cxx_collect import CxxTemplate, like
from hlspart.frontend.cxx_types import split
from hlspart.frontend.tokens import MacroUse, PragmaToken, Token

DOTS = "..."
_OPEN, _CLOSE = ("(", "[", "{", "<"), (")", "]", "}", ">")
_STARTS = (",", ";", "=", "return", ":")
_FOLDED = frozenset(("+", "-", "*", "/", "%", "&", "|", "^", "&&", "||"))
_Packs = Mapping[str, list[list[Token]]]


def joined(values: Sequence[Sequence[Token]]) -> list[Token]:
    """The arguments of a pack as one value."""
    return [t for value in values for t in (*value, like(",", "op", value[0]))][:-1]


def elements(value: Sequence[Token]) -> list[list[Token]]:
    """The arguments that the value of a pack joins."""
    return split(list(value)) if value else []


def flat(template: CxxTemplate, values: Sequence[list[Token]]) -> list[list[Token]]:
    """Arguments as they are written: those of a pack one by one."""
    return [*values[:-1], *elements(values[-1])] if template.pack and values else list(values)


def written_out(template: CxxTemplate, values: Sequence[list[Token]]) -> tuple[CxxTemplate, list[list[Token]]]:
    """The template without its pack, and the values of its other parameters."""
    if not template.pack:
        return template, list(values)
    name = template.tokens[min(template.own_names)] if template.own_names else None
    known: dict[str, list[list[Token]]] = {template.pack: elements(values[-1])}
    tokens = _expanded(list(template.tokens), known, template.types)
    made = replace(template, params=template.params[:-1], tokens=tokens, pack="")
    if name is not None:
        made.renumber(next(i for i, t in enumerate(tokens) if t is name))
    return made, list(values[:-1])


def _expanded(tokens: list[Token], packs: dict[str, list[list[Token]]], types: set[str]) -> list[Token]:
    at = 0
    while at < len(tokens):
        if tokens[at].text != DOTS or tokens[at].kind != "op":
            at += 1
            continue
        count = len(next(iter(packs.values())))
        if tokens[at - 1].text == "sizeof":
            end = next((i for i in range(at, len(tokens)) if tokens[i].text == ")"), at)
            tokens[at - 1 : end + 1] = [like(str(count), "num", tokens[at - 1])]
            continue
        declared = tokens[at + 1].kind == "id"  # Args &... args
        if (tokens[at - 1].text in _FOLDED and not declared) or tokens[at + 1].text in _FOLDED:
            at = _folded(tokens, at, packs, types)
            continue
        start = _pattern(tokens, at)
        pattern = tokens[start:at]
        if not any(t.text in packs for t in pattern):
            at += 1
            continue
        end = at + 1
        named = end < len(tokens) and tokens[end].kind == "id"
        if named:  # Args... args
            name = tokens[end]
            packs[name.text] = [[like(f"{name.text}_{k}", "id", name)] for k in range(count)]
            pattern, end = [*pattern, name], end + 1
        use = MacroUse(tokens[at].text, tokens[at].path, pattern[0].start, tokens[at].end)
        copies = [[_copied(w, use, k) for t in pattern for w in _filled(t, packs, k, types)] for k in range(count)]
        made = [t for copy in copies for t in (*copy, like(",", "op", tokens[at]))][:-1]
        if not made:  # without the comma beside it
            if start and tokens[start - 1].text == ",":
                start -= 1
            elif tokens[end].text == ",":
                end += 1
        tokens[start:end] = made
        at = start + len(made)
    return tokens


def _folded(tokens: list[Token], dots: int, packs: _Packs, types: set[str]) -> int:
    """Write out ``(x + ...)`` or ``(... + x)``; behind it. What has no such form stays as it is."""
    right = tokens[dots - 1].text in _FOLDED
    op = tokens[dots - 1 if right else dots + 1]
    if right:
        start, end = _pattern(tokens, dots - 1), dots
        pattern = tokens[start : dots - 1]
    else:
        start, end = dots, dots + 2
        level = 0
        while end < len(tokens) and (level or tokens[end].text != ")"):
            level += (tokens[end].text in _OPEN) - (tokens[end].text in _CLOSE)
            end += 1
        pattern, end = tokens[dots + 2 : end], end - 1
    count = len(next(iter(packs.values())))
    outside = tokens[start - 1].text == "(" and tokens[end + 1].text == ")"
    if not outside or not count or not any(t.text in packs for t in pattern):
        return dots + 1
    made: list[Token] = []
    use = MacroUse(op.text, op.path, pattern[0].start, tokens[dots].end)
    for number in range(count):
        one = [_copied(w, use, number) for t in pattern for w in _filled(t, packs, number, types)]
        if number + 1 < count and right:
            made += [*one, op.copy(), like("(", "op", op)]
        elif number and not right:
            made = [like("(", "op", op), *made, like(")", "op", op), op.copy(), *one]
        else:
            made += one
    made += [like(")", "op", op) for _ in range(count - 1) if right]
    tokens[start : end + 1] = made
    return start + len(made)


def _pattern(tokens: Sequence[Token], dots: int) -> int:
    """Where what ``...`` repeats begins."""
    at, level = dots, 0
    while at > 0:
        text = tokens[at - 1].text
        if level == 0 and (text in _OPEN or text in _STARTS):
            break
        level += (text in _CLOSE) + (text == ">>") - (text in _OPEN)
        at -= 1
    return at


def _filled(token: Token, packs: _Packs, number: int, types: set[str]) -> list[Token]:
    if token.kind != "id" or token.text not in packs:
        return [token.copy()]
    value = packs[token.text][number]
    made = [like(t.text, t.kind, token) for t in value]
    if len(made) > 1 and token.text not in types and any(t.kind == "op" and t.text != "::" for t in made):
        made = [like("(", "op", token), *made, like(")", "op", token)]
    return made


def _copied(token: Token, use: MacroUse, number: int) -> Token:
    """A token of one of the copies that a repeated text stands for: nothing of it is edited."""
    if token.use is None:
        token.use, token.lo, token.hi, token.arg = use, token.start, token.end, number
    return token


def marked(bodies: Sequence[list[Token]], name: str) -> None:
    """The text of a template with several instances stands for several things."""
    for number, body in enumerate(bodies):
        own = [t for t in body if t.use is None and not isinstance(t, PragmaToken)]  # the first may be a macro's
        if not own:
            continue
        use = MacroUse(name, own[0].path, own[0].start, own[-1].end)
        for token in own:
            token.use, token.lo, token.hi, token.arg = use, token.start, token.end, number
