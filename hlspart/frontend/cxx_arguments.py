"""Arguments of templates: defaults, patterns of specialisations, and the text with parameters replaced by them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hlspart.frontend.constants import NotConstant, evaluate_tokens
from hlspart.frontend.cxx_collect import CxxTemplate, like, matching_angle
from hlspart.frontend.cxx_packs import joined, written_out
from hlspart.frontend.cxx_shapes import closing
from hlspart.frontend.cxx_types import split
from hlspart.frontend.tokens import OPEN_TYPE, OPEN_VALUE, PragmaToken, Token, lex_line, spell

_LONGEST_OPEN = 8  # tokens
_QUALIFIES = frozenset((".", "->", "::"))  # what stands behind these is a member, whatever a parameter is called


def key(arguments: Sequence[Token]) -> str:
    """Arguments as text."""
    return spell(list(arguments)).strip().replace(" ", "")


def bound(template: CxxTemplate | None, given: Sequence[list[Token]]) -> list[list[Token]] | None:
    """The values of a template's parameters: those given, then the defaults; None when one stays open.

    ``template`` None: only specialisations of it are known.
    """
    values = list(map(_folded, given))
    if template is None:
        return values
    if template.pack:
        last = len(template.params) - 1
        if not all(values[last:]):
            return None  # `f<int, >`
        values[last:] = [joined(values[last:])] if len(values) > last else []
    elif len(given) > len(template.params):
        return None
    return completed(template, dict(zip(template.params, values, strict=False)))


def completed(template: CxxTemplate, known: Mapping[str, Sequence[Token]]) -> list[list[Token]] | None:
    """The values of a template's parameters: those that are known, then the defaults; None when one stays open."""
    values: dict[str, list[Token]] = {}
    for name in template.params:
        value = list(known.get(name, ()))
        if not value and name != template.pack:
            default = template.defaults.get(name)
            if default is None:
                return None
            value = _folded([t for token in default for t in _substituted(token, values, template.types)])
        values[name] = value
    return list(values.values())


def _folded(value: list[Token]) -> list[Token]:
    """``(4-1)`` as ``3``: a template that uses itself comes to an end. ``ap_uint<8>::width`` is a number, too."""
    at = 0
    while at < len(value):
        width = width_at(value, at)
        if width is not None:
            value = [*value[:at], like(str(width[0]), "num", value[at]), *value[width[1] :]]
        at += 1
    if len(value) < 2 or any(t.kind not in ("num", "op") for t in value):
        return value
    try:
        number = evaluate_tokens(value, lambda _: None)
    except NotConstant:
        return value
    return number_at(number, value[0])


def number_at(number: int, at: Token) -> list[Token]:
    """A number as an argument, one text for each."""
    sign = [like("-", "op", at)] if number < 0 else []
    return [*sign, like(str(abs(number)), "num", at)]


def width_at(tokens: Sequence[Token], at: int) -> tuple[int, int] | None:
    """``ap_fixed<8, 3>::width`` or ``::iwidth`` at an index: its value, and the index behind it."""
    if tokens[at].text not in ("ap_int", "ap_uint", "ap_fixed", "ap_ufixed") or [
        t.text for t in tokens[at + 1 : at + 2]
    ] != ["<"]:
        return None
    end = next((i for i in range(at, len(tokens)) if tokens[i].text in (">", ";", "{")), len(tokens))
    member = [t.text for t in tokens[end + 1 : end + 3]]
    parts = split(list(tokens[at + 2 : end]))
    number = {"width": 0, "iwidth": 1}.get(member[1]) if member[:1] == ["::"] and len(member) == 2 else None
    if number is None or number >= len(parts) or (number == 1 and "fixed" not in tokens[at].text):
        return None
    try:
        return evaluate_tokens(parts[number], lambda _: None), end + 3
    except NotConstant:
        return None


def filled(template: CxxTemplate, values: Sequence[list[Token]], name: str | None, at: Token | None) -> list[Token]:
    """The tokens of a template with its parameters replaced by values, and its own name by ``name``."""
    template, values = written_out(template, values)
    known = dict(zip(template.params, map(_unsaid, values), strict=False))
    open_ = {p for p, value in known.items() if any(t.text.endswith((OPEN_TYPE, OPEN_VALUE)) for t in value)}
    given_values = {p: value for p, value in known.items() if p not in open_}
    arrays = {p: value for p, value in known.items() if p in template.types and value and value[-1].text == "]"}
    body: list[Token] = []
    tokens = template.tokens
    behind, later = 0, dict[int, list[Token]]()  # what is written already; what is due before a token
    for number, token in enumerate(tokens):
        if number < behind:
            continue
        body += later.get(number, [])
        if token.text in arrays and tokens[number - 1].text not in _QUALIFIES:
            value = [like(t.text, t.kind, token) for t in arrays[token.text]]
            written, behind, due = declared_array(value, tokens, number)
            body += written
            later |= due
        elif isinstance(token, PragmaToken):
            following = [t.text for t in token.expanded[1:]] + [""]
            copy = token.with_words(
                [
                    word
                    for t, after in zip(token.expanded, following, strict=True)  # an option is no parameter
                    for word in ([t.copy()] if after == "=" else _substituted(t, given_values, template.types))
                ]
            )
            copy.open |= open_
            body.append(copy)
        elif token.text == template.name and name is not None and number in template.own_names:
            body.append(like(name, "id", token))
        elif number and tokens[number - 1].text in _QUALIFIES:
            body.append(token.copy())
        else:
            body.extend(_substituted(token, known, template.types))
    if open_:
        body = list(_dependent(body))
    if at is not None:  # an alias: its text stands at its use
        body = [like(t.text, t.kind, at) for t in body]
    return body


def declared_array(
    value: Sequence[Token], tokens: Sequence[Token], at: int
) -> tuple[list[Token], int, dict[int, list[Token]]]:
    """``T &x`` of an array type T that ends at ``at`` as ``int (&x)[8]``, ``T x[2], y`` as ``int x[2][8], y[8]``.

    What stands instead of the type, what comes behind it, and what to write before the tokens of later places.
    """
    first = next(i for i, t in enumerate(value) if t.text == "[")
    element, extents = value[:first], value[first:]
    name = at + 1
    while tokens[name].text in ("const", "&", "&&", "*"):
        name += 1
    between = [t.copy() for t in tokens[at + 1 : name]]
    if tokens[name].kind != "id":
        return [*element, *extents, *between], name, {}
    later = dict[int, list[Token]]()
    written, sign = [*between, *element], between[-1] if between and between[-1].text != "const" else None
    if sign is not None:
        written = [*between[:-1], *element, like("(", "op", sign), like(sign.text[0], "op", sign)]
    begin: int | None = name
    while begin is not None:
        own = begin + 1
        while own < len(tokens) and tokens[own].text == "[":
            own = _closed(tokens, own)
        close = [like(")", "op", sign)] if sign is not None else []
        later[own] = [*close, *(t.copy() for t in extents)]
        begin, sign = _next_declarator(tokens, at, own), None
        if begin is not None and tokens[begin].text in ("&", "&&", "*"):
            sign = tokens[begin]
            later[begin] = [like("(", "op", sign)]
            begin += 1
    return written, name, later


def _next_declarator(tokens: Sequence[Token], at: int, behind: int) -> int | None:
    """Where the next declarator of a declaration begins, whose type ends at ``at``; a parameter has one alone."""
    depth, before = 0, at
    while before >= 0 and (depth or tokens[before].text not in (";", "{", "}", "(")):
        depth += {")": 1, "}": 1, "]": 1, "(": -1, "{": -1, "[": -1}.get(tokens[before].text, 0)
        before -= 1
    if before >= 0 and tokens[before].text == "(" and tokens[before - 1].text != "for":
        return None
    while behind < len(tokens) and tokens[behind].text not in (";", ")", ","):
        angle = matching_angle(list(tokens), behind) if tokens[behind].text == "<" else None
        behind = angle if angle is not None else behind
        behind = _closed(tokens, behind) if tokens[behind].text in ("(", "{", "[") else behind + 1
    return behind + 1 if behind + 1 < len(tokens) and tokens[behind].text == "," else None


def _closed(tokens: Sequence[Token], at: int) -> int:
    """Behind the bracket that closes the one at ``at``."""
    depth = 0
    while at < len(tokens):
        depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(tokens[at].text, 0)
        at += 1
        if not depth:
            break
    return at


def class_alias(
    tokens: list[Token], at: int, aliases: Mapping[str, CxxTemplate], bases: Mapping[str, Sequence[str]]
) -> tuple[CxxTemplate, int] | None:
    """The alias that ``C::name<``, its ``::`` at ``at``, means, and where its name is, alone now.

    ``bases``: what classes inherit from.
    """
    word = tokens[at + 1].text == "template"
    name, around, seen = tokens[at + 1 + word].text, [tokens[at - 1].text], 0
    while seen < len(around):
        around += [b for b in bases.get(around[seen], ()) if b not in around]
        seen += 1
    alias = next((aliases[f"{of}::{name}"] for of in around if f"{of}::{name}" in aliases), None)
    if alias is None or (at > 1 and tokens[at - 2].text == "::") or tokens[at + 2 + word].text != "<":
        return None
    del tokens[at - 1 : at + 1 + word]
    return alias, at - 1


def as_it_is(template: CxxTemplate, names: Mapping[str, int]) -> Iterator[Token]:
    """A template without an instance, its parameters as they are; a struct that nothing names is left out."""
    inside = sum(token.text == template.name for token in (*template.tokens, template.anchor))
    if not (template.struct and names[template.name] <= inside):
        yield from filled(template, completed(template, opened(template)) or [], None, None)


def _unsaid(value: list[Token]) -> list[Token]:
    """An argument without the ``typename`` of an open type: behind it a member ``T::n`` would be a type as well."""
    is_open = len(value) == 2 and value[0].text == "typename" and value[1].text.endswith(OPEN_TYPE)
    return value[1:] if is_open else value


def _dependent(words: list[Token]) -> Iterator[Token]:
    """``T::name`` and ``T::template name<A>::other`` of a type that is open as one name."""
    at = 0
    while at < len(words):
        token, names, end = words[at], [words[at].text.removesuffix(OPEN_TYPE)], at + 1
        while token.text.endswith(OPEN_TYPE) and end + 1 < len(words) and words[end].text == "::":
            end += 2 if words[end + 1].text == "template" and end + 2 < len(words) else 1
            names.append(words[end].text)
            end += 1
            if end < len(words) and words[end].text == "<" and words[end - 2].text == "template":
                close = matching_angle([*words, *[like("", "eof", token)] * 3], end)
                end = end if close is None else close + 1
        if len(names) == 1:
            yield token
        else:
            type_ = at > 0 and words[at - 1].text == "typename" and (end == len(words) or words[end].text != "(")
            yield like("::".join(names) + (OPEN_TYPE if type_ else OPEN_VALUE), "id", token)
        at = end


def open_member(
    tokens: Sequence[Token], at: int, end: int, given: Sequence[list[Token]], class_: Sequence[Token] | None
) -> Token | None:
    """``X<T>::name`` at ``at`` as one open name, where a class says it that only the instance of ``T`` decides on.

    ``end``: of the arguments, which are ``given``; ``class_``: the template that arguments left open would mean.
    """
    if not any(t.text.endswith((OPEN_TYPE, OPEN_VALUE)) for part in given for t in part):
        return None
    if end + 3 >= len(tokens):  # an argument of another template, which nothing follows
        return None
    sign, name, behind = tokens[end + 1], tokens[end + 2], tokens[end + 3].text
    if sign.text != "::" or name.kind != "id" or behind in ("::", "<", "(") or name.text in ("template", "operator"):
        return None
    if class_ is not None and any(t.text in (name.text, ":") for t in class_):
        return None  # it has it itself, or by a base
    first = at
    while first > 1 and tokens[first - 1].text == "::" and tokens[first - 2].kind == "id":
        first -= 2
    said = "::".join((tokens[at].text, name.text))
    return like(said + (OPEN_TYPE if tokens[first - 1].text == "typename" else OPEN_VALUE), "id", tokens[at])


def opened(template: CxxTemplate, defaults: bool = True) -> dict[str, list[Token]]:
    """The parameters of a template as themselves, without ``defaults`` also those that have one."""
    return {
        p: [like(f"{p}{OPEN_TYPE if p in template.types else OPEN_VALUE}", "id", template.tokens[0])]
        for p in template.params
        if not (defaults and p in template.defaults)
    }


def _substituted(token: Token, values: Mapping[str, list[Token]], types: set[str]) -> list[Token]:
    value = values.get(token.text) if token.kind == "id" else None
    if value is None:
        return [token.copy()]
    made = [like(t.text, t.kind, token) for t in value]
    qualified = all(t.kind == "id" or t.text == "::" for t in made)
    if len(made) > 1 and token.text not in types and not qualified and not _is_bracketed(made):
        made = [like("(", "op", token), *made, like(")", "op", token)]
    for piece in made[1:]:
        piece.space = False
    return made


def _is_bracketed(words: Sequence[Token]) -> bool:
    """Whether brackets are around an expression, so that it is the same argument however often it is handed on."""
    return words[0].text == "(" and closing(words, 0) == len(words) - 1


def is_endless(values: Sequence[Sequence[Token]]) -> bool:
    """Whether arguments are those of a template that uses itself where nothing says when that ends."""
    long = (v for v in values if len(v) > _LONGEST_OPEN)
    return any(t.text.endswith((OPEN_TYPE, OPEN_VALUE)) for v in long for t in v)


def request(text: str, end: Token) -> list[Token]:
    """``ns::f<float, 8>`` as an explicit instantiation at the end of the text."""
    words = [t for t in lex_line(text) if t.kind != "eof"]
    for word in words:
        word.path, word.start, word.end = end.path, end.start, end.end
    return [*words, end, end, end]
