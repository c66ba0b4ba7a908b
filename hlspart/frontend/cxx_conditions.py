"""Conditions on types: ``std::enable_if<C, R>::type`` as what a template gives, the type R, and the condition C on
which it is meant; the arms of ``if constexpr``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from hlspart.frontend.constants import NotConstant, evaluate_tokens
from hlspart.frontend.cxx_shapes import closing, semicolon
from hlspart.frontend.cxx_types import BASIC, split
from hlspart.frontend.tokens import Token

_WIDE = frozenset(("ap_int", "ap_uint", "ap_fixed", "ap_ufixed"))
_SPACE = frozenset(("typename", "const", "std", "::"))
_MOST_NAMES = 16  # that stand for one another


def without_condition(tokens: Sequence[Token], start: int, end: int) -> tuple[list[Token], list[Token]] | None:
    """The tokens with R in the place of ``typename std::enable_if<C, R>::type`` in ``start..end``, and C."""
    at = next((i for i in range(start, end) if tokens[i].text in ("enable_if", "enable_if_t")), None)
    if at is None or tokens[at + 1].text != "<":
        return None
    level, close = 0, at + 1
    for close in range(at + 1, end):
        text = tokens[close].text
        level += (text in ("<", "(")) - (text in (">", ")")) - 2 * (text == ">>")
        if level <= 0:
            break
    inside = list(tokens[at + 2 : close])
    if tokens[close].text == ">>":
        inside.append(tokens[close].copy())
        inside[-1].text = ">"
    parts = split(inside)
    behind = close + 1
    if tokens[at].text == "enable_if":
        if level or [t.text for t in tokens[behind : behind + 2]] != ["::", "type"]:
            return None
        behind += 2
    first = at
    while first > start and tokens[first - 1].text in _SPACE - {"const"}:
        first -= 1
    given = parts[1] if len(parts) == 2 else []
    if not parts or len(parts) > 2 or not given:
        return None
    return [*tokens[:first], *given, *tokens[behind:]], parts[0]


def type_names(tokens: Sequence[Token]) -> dict[str, list[Token]]:
    """What typedefs and aliases stand for, those of a class as ``C::name``."""
    names: dict[str, list[Token]] = {}
    around: list[str] = []
    for at, token in enumerate(tokens):
        if token.text == "{":
            head = next(
                (i for i in range(at - 1, max(at - 12, 0), -1) if tokens[i].text in ("struct", "class", ";", "}")), 0
            )
            around.append(tokens[head + 1].text if tokens[head].text in ("struct", "class") else "")
        elif token.text == "}" and around:
            around.pop()
        elif token.kind == "id" and token.text in ("typedef", "using"):
            end = next((i for i in range(at, len(tokens)) if tokens[i].text in (";", "{")), at)
            name, value = tokens[end - 1].text, list(tokens[at + 1 : end - 1])
            if token.text == "using":
                name, value = tokens[at + 1].text, list(tokens[at + 3 : end])
            prefix = f"{around[-1]}::" if around and around[-1] else ""
            names[prefix + name] = value
    return names


def all_hold(
    rows: Sequence[tuple[Sequence[Token], Mapping[str, Sequence[Token]]]], names: Mapping[str, Sequence[Token]]
) -> list[bool]:
    """Of templates with these conditions and arguments those that can be meant; all where one is not seen."""
    verdicts = [_holds(condition, params, names) if condition else True for condition, params in rows]
    return [True] * len(verdicts) if None in verdicts else [bool(known) for known in verdicts]


def chosen_arms(
    tokens: list[Token], value: Callable[[list[Token]], int | None], names: Mapping[str, Sequence[Token]]
) -> None:
    """Leave those arms of ``if constexpr`` alone that are meant, in place; ``if`` where that is not seen.

    ``value``: of an expression of constants.
    """
    at = 0
    while at + 2 < len(tokens):
        if tokens[at].text != "if" or tokens[at + 1].text != "constexpr":
            at += 1
            continue
        close, then, end = arms(tokens, at + 1)
        try:
            meant = value(list(_answered(tokens[at + 3 : close], names)))
        except NotConstant:
            meant = None
        if meant is None:
            del tokens[at + 1]
            continue
        arm = tokens[close + 1 : then] if meant else tokens[then + 1 : end]
        if not arm:
            arm = [tokens[at].copy()]
            arm[0].kind, arm[0].text = "op", ";"
        tokens[at:end] = arm


def arms(tokens: Sequence[Token], at: int) -> tuple[int, int, int]:
    """Of an ``if`` whose condition opens behind an index: where it closes, behind the first arm, behind the other."""
    close = closing(tokens, at + 1)
    then = _statement(tokens, close + 1)
    end = _statement(tokens, then + 1) if tokens[then : then + 1] and tokens[then].text == "else" else then
    return close, then, end


def _statement(tokens: Sequence[Token], at: int) -> int:
    """Behind the statement that begins at an index."""
    while at < len(tokens) and tokens[at].kind == "pragma":
        at += 1
    if at >= len(tokens):
        return at
    text = tokens[at].text
    if text == "{":
        return closing(tokens, at) + 1
    if text == "do":
        at = _statement(tokens, at + 1)
    elif text in ("if", "for", "while", "switch"):
        while tokens[at].text != "(" and at + 1 < len(tokens):
            at += 1
        end = _statement(tokens, closing(tokens, at) + 1)
        return (
            _statement(tokens, end + 1) if text == "if" and [t.text for t in tokens[end : end + 1]] == ["else"] else end
        )
    return semicolon(tokens, at) + 1


def _holds(
    condition: Sequence[Token], params: Mapping[str, Sequence[Token]], names: Mapping[str, Sequence[Token]]
) -> bool | None:
    """Whether a condition on types holds for these arguments; None where that is not seen."""
    words = [piece for t in condition for piece in (params.get(t.text, [t]) if t.kind == "id" else [t])]
    try:
        return evaluate_tokens(list(_answered(words, names)), lambda _: None) != 0
    except NotConstant:
        return None


def _answered(words: Sequence[Token], names: Mapping[str, Sequence[Token]]) -> Iterator[Token]:
    """The words with ``std::is_same<A, B>::value`` as 1 or 0. Raises NotConstant."""
    at = 0
    while at < len(words):
        if words[at].text == "std" and words[at + 1].text == "::":
            at += 2
        if words[at].text not in ("is_same", "is_same_v") or words[at + 1].text != "<":
            yield words[at]
            at += 1
            continue
        level, end = 0, at + 1
        while end < len(words):
            level += (words[end].text == "<") - (words[end].text == ">") - 2 * (words[end].text == ">>")
            if level <= 0:
                break
            end += 1
        parts = split(list(words[at + 2 : end]))
        same = _same(*(_meant(part, names) for part in parts)) if len(parts) == 2 and level == 0 else None
        if same is None:
            raise NotConstant("a type that is not seen")
        made = words[at].copy()
        made.kind, made.text = "num", str(int(same))
        yield made
        at = end + (3 if words[at].text == "is_same" else 1)


def _meant(type_: Sequence[Token], names: Mapping[str, Sequence[Token]]) -> list[str]:
    """The words of a type, names resolved."""
    words = [t.text for t in type_ if t.text not in ("typename", "const")]
    for _ in range(_MOST_NAMES):
        plain = "".join(words)
        tokens = names.get(plain) or names.get("::".join(plain.split("::")[-2:])) or names.get(plain.split("::")[-1])
        if tokens is None or "<" in words:
            break
        words = [t.text for t in tokens if t.text not in ("typename", "const")]
    return words


def _same(one: list[str], other: list[str]) -> bool | None:
    if one == other:
        return True
    heads = [words[0] if words else "" for words in (one, other)]
    if heads[0] in _WIDE and heads[1] in _WIDE:
        numbers = all(w.isdigit() or w in ("<", ">", ",") for words in (one, other) for w in words[1:])
        return False if heads[0] != heads[1] or numbers else None
    return (
        False
        if all(h in BASIC or h in _WIDE for h in heads)
        and set(one[1:]) | set(other[1:])
        and (any(h in _WIDE for h in heads))
        else None
    )
