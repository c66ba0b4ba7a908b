"""One grammar for the options of a directive, wherever it is written.

A pragma, a line of ``hls_config.cfg`` and a Tcl command are first cut into :class:`Option` items;
:func:`interpret` then checks them against the table of directives.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from msgspec import Struct

from hlspart.frontend.constants import TYPE_WORDS, NotConstant, evaluate_tokens
from hlspart.frontend.directives.kinds import KINDS, DirectiveKind
from hlspart.frontend.literals import integer
from hlspart.frontend.tokens import SourceError, Token, lex_line, spell
from hlspart.model.directives import Fault, Option
from hlspart.model.source import Origin

_BINARY = frozenset(
    ("+", "-", "*", "/", "%", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "|", "^", "&&", "||", "?", ":", ",")
)
_PREFIX = frozenset(("+", "-", "!", "~", "&", "*"))
_NAME = re.compile(r"\b[A-Za-z_]\w*")
#: Directives whose integers change no prediction of a loop.
_FREE_VALUES = frozenset(("interface", "stream", "loop_tripcount"))
_OPEN = {"(": ")", "[": "]", "{": "}"}

Lacking = Callable[[frozenset[str]], str | None]


class Word(Struct, frozen=True):
    """A token with the place it stands for."""

    text: str
    kind: str
    space: bool
    at: Origin


def words_of(tokens: Iterable[Token], at: Origin) -> list[Word]:
    """Tokens that all stand for one place."""
    return [Word(t.text, t.kind, t.space, at) for t in tokens]


def split(words: Sequence[Word]) -> tuple[list[Option], list[Fault]]:
    """``name=value`` and bare words of a pragma; a value is the longest expression after ``=``."""
    options: list[Option] = []
    problems: list[Fault] = []
    at = 0
    while at < len(words):
        word = words[at]
        if word.kind != "id":
            if word.text not in (",", ";"):
                problems.append(Fault("syntax", f"unexpected '{word.text}'", word.at))
            at += 1
            continue
        name = word.text.lower()
        if at + 1 < len(words) and words[at + 1].text == "=":
            end = _value_end(words, at + 2)
            value = _text(words[at + 2 : end])
            if value:
                options.append(Option(name, value, word.at))
            else:
                problems.append(Fault("missing-value", f"'{word.text}=' has no value", word.at))
            at = end
        else:
            options.append(Option(name, None, word.at))
            at += 1
    return options, problems


def _text(words: Sequence[Word]) -> str:
    text = "".join((" " if w.space and i else "") + w.text for i, w in enumerate(words))
    return text[1:-1] if len(words) == 1 and words[0].kind == "str" else text


def _value_end(words: Sequence[Word], at: int) -> int:
    start = at
    while at < len(words):
        first = at
        while at < len(words) and (words[at].text in _PREFIX or _is_cast(words, at)):
            at = _closing(words, at)
        if at >= len(words):
            return at
        word = words[at]
        if word.kind == "id" and at + 1 < len(words) and words[at + 1].text == "=":
            return at if at > first else start if first == start else first  # the next option: no operand here
        if word.text in _OPEN:
            at = _closing(words, at)
        elif word.kind in ("id", "num", "str", "chr"):
            at = _template_end(words, at + 1) if word.kind == "id" else at + 1
        else:
            return at
        while at < len(words) and words[at].text in ("(", "[", ".", "->", "::"):
            at = _closing(words, at) if words[at].text in _OPEN else min(at + 2, len(words))
        if at >= len(words) or words[at].text not in _BINARY:
            return at
        at += 1
    return at


def _template_end(words: Sequence[Word], at: int) -> int:
    """Behind the arguments of a template that begin here, such as <T, C::n, typename C::t>; ``at`` where none do."""
    depth = 0
    for end in range(at, len(words)):
        word = words[end]
        depth += (word.text == "<") - (word.text == ">")
        if depth == 0:
            return end + 1 if end > at else at
        if word.kind not in ("id", "num") and word.text not in ("<", ">", ",", "::", "*", "+", "-"):
            break
    return at


def _is_cast(words: Sequence[Word], at: int) -> bool:
    """Whether a type in brackets stands here, and nothing else in them."""
    inside = [word.text for word in words[at + 1 : _closing(words, at) - 1]]
    return words[at].text == "(" and bool(inside) and TYPE_WORDS.issuperset(inside)


def _closing(words: Sequence[Word], at: int) -> int:
    depth = 0
    while at < len(words):
        depth += (words[at].text in _OPEN) - (words[at].text in _OPEN.values())
        at += 1
        if depth <= 0:
            break
    return at


@lru_cache(256)
def _closest(word: str) -> str | None:
    """The directive that a word is nearly."""
    close = difflib.get_close_matches(word, KINDS, 1, 0.75)
    return close[0].upper() if close else None


def unknown_kind(word: str, at: Origin) -> Fault:
    """The problem of a directive that does not exist."""
    meant = _closest(word.lower())
    hint = f"did you mean {meant}?" if meant else None
    return Fault("unknown-pragma", f"HLS pragma '{word}' does not exist", at, hint, meant=meant)


def interpret(
    kind: DirectiveKind,
    options: Sequence[Option],
    at: Origin,
    evaluate: Callable[[str], int | None],
    lacking: Lacking = lambda _names: None,
) -> tuple[dict[str, int], list[Fault]]:
    """Integer values of ``options`` and their problems. ``evaluate`` gives a constant expression's value.

    ``lacking`` says why names without a value may have one that is not seen, None where they cannot.
    """
    values: dict[str, int] = {}
    problems: list[Fault] = []
    seen: dict[str, str] = {}
    skip = False
    for position, option in enumerate(options):
        if skip:
            skip = False
            continue
        name = option.name if option.value is not None else kind.word_option(option.name)
        if name is None and option.name in kind.options:
            following = options[position + 1] if position + 1 < len(options) else None
            name, skip = option.name, following is not None and following.value is None
            text = f" before '{following.name}'" if skip and following is not None else ""
            problems.append(
                Fault("missing-equals", f"'=' is missing after '{option.name}'{text}", option.at, "write name=value")
            )
        elif name is None or name not in kind.options:
            problems.append(_unknown_option(kind, option))
            continue
        else:
            problems += _check(kind, name, option, values, evaluate, lacking)
        value = (option.value if option.value is not None else option.name).lower()
        if name in seen:
            differs = seen[name] != value
            text = f"'{name}' is given twice" + (" with different values" if differs else "")
            problems.append(Fault("duplicate-option", text, option.at, "keep one of them", fatal=differs))
        seen[name] = value
    for name, wanted in kind.options.items():
        others = wanted.required if isinstance(wanted.required, tuple) else ()
        if wanted.required and name not in seen and not any(other in seen for other in others):
            text = f"{kind.name.upper()} needs " + " or ".join(f"'{x}='" for x in (name, *others))
            problems.append(Fault("missing-option", text, at, f"add {name}=..."))
    return values, problems


def _check(
    kind: DirectiveKind,
    name: str,
    option: Option,
    values: dict[str, int],
    evaluate: Callable[[str], int | None],
    lacking: Lacking,
) -> list[Fault]:
    wanted, value = kind.options[name], option.value
    if value is None:
        return []
    if wanted.form == "int":
        number = evaluate(value)
        if number is not None:
            values[name] = number
            if wanted.least is not None and number < wanted.least:
                shown = "II" if name == "ii" else name
                text = f"{shown}={number} is " + ("not positive" if wanted.least == 1 else f"below {wanted.least}")
                code = f"bad-{name}" if wanted.least == 1 else "bad-value"
                return [Fault(code, text, option.at, f"give {shown} a value of {wanted.least} or more")]
            return []
        real = _is_real(value)
        names = frozenset() if real else frozenset(_NAME.findall(value))
        why = lacking(names) if names else None
        if _is_cpp_constant(value) or why is not None:
            text = f"the value of {name}={value} is not known here" + (f", as {why}" if why else "")
            return [Fault("value-unknown", text, option.at, fatal=False)]
        text = f"{name}={value} is not an integer" + ("" if real else " constant here")
        hint = None if real else "use a literal, a macro, an enumerator or a const integer with a constant value"
        return [Fault("bad-value", text, option.at, hint)]
    if wanted.form == "choice" and value.lower() not in wanted.words:
        close = difflib.get_close_matches(value.lower(), wanted.words, 1, 0.6)
        hint = f"did you mean {close[0]}?" if close else "one of " + ", ".join(wanted.words)
        return [Fault("bad-choice", f"'{value}' is no {name} of {kind.name.upper()}", option.at, hint)]
    if wanted.form == "flag" and value.lower() not in ("true", "false", "1", "0"):
        return [Fault("bad-value", f"{name}={value}: '{name}' takes no such value", option.at, f"write {name}")]
    return []


def _is_cpp_constant(text: str) -> bool:
    """Whether it may be a constant that C++ knows and hlspart does not: by a call, a template or a cast of a real."""
    try:
        tokens = lex_line(text)
    except SourceError:
        return False
    pairs = list(pairwise(tokens))
    cast = any(one.text == "(" and after.text in TYPE_WORDS for one, after in pairs)
    if cast and any(t.kind == "num" and integer(t.text) is None for t in tokens):
        return True
    named = any(t.text in ("sizeof", "alignof", "::") for t in tokens)
    return named or any(one.kind == "id" and after.text in ("(", "<") for one, after in pairs)


def _is_real(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _unknown_option(kind: DirectiveKind, option: Option) -> Fault:
    known = list(kind.options) + [w for o in kind.options.values() for w in o.words]
    written = option.name if option.value is None else f"{option.name}="
    close = difflib.get_close_matches(option.name, known, 1, 0.6)
    hint = f"did you mean {close[0]}?" if close else None
    types = kind.options.get("type")
    if option.value is None and types is not None and types.words:
        text = f"'{option.name}' is no type and no option of {kind.name.upper()}"
        return Fault("unknown-option", text, option.at, hint or "types are " + ", ".join(types.words))
    return Fault("unknown-option", f"{kind.name.upper()} has no option '{written}'", option.at, hint)


def is_modelled(kind: DirectiveKind, options: Sequence[Option], problems: Sequence[Fault]) -> bool:
    """Whether predictions account for a directive with these options."""
    codes = {p.code for p in problems}
    if "struct-member" in codes or ("value-unknown" in codes and kind.name not in _FREE_VALUES):
        return False
    return kind.modelled and not any(o.name == "dynamic" for o in options)


def literal(text: str) -> int | None:
    """Value of a constant expression without names, as directive files have them."""
    try:
        return evaluate_tokens(lex_line(text), lambda _name: None)
    except (NotConstant, SourceError):
        return None


def condition(tokens: Sequence[Token], evaluate: Callable[[str], int | None]) -> tuple[bool | None, int]:
    """``if (expr)`` at the start of ``tokens``: its truth (None: not constant) and where it ends."""
    end, depth = 1, 0
    while end < len(tokens):
        depth += (tokens[end].text == "(") - (tokens[end].text == ")")
        end += 1
        if depth <= 0:
            break
    value = evaluate(spell(tokens[1:end]))
    return (None if value is None else bool(value)), end
