"""Templates of functions and data structs, expanded like macros at each use: arguments written out, or deduced."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from hlspart.frontend.cxx_classes import has_methods
from hlspart.frontend.cxx_deduce import deduced
from hlspart.frontend.cxx_types import split
from hlspart.frontend.parse import error
from hlspart.frontend.tokens import MacroUse, PragmaToken, SourceError, Token, spell

_MOST_INSTANCES = 64
_TAGS = ("struct", "class", "union")


@dataclass
class _Template:
    """A template: its parameters and the tokens of its definition (without ``template<..>``)."""

    name: str
    params: list[str]
    types: set[str]  # those of ``params`` that are types
    defaults: dict[str, list[Token]]
    tokens: list[Token]
    anchor: Token  # stands for it in the remaining stream


def matching_angle(tokens: list[Token], opening: int) -> int | None:
    """The ``>`` for the ``<`` at an index when what lies between can be template arguments.

    A ``>>`` that closes two lists is split in place.
    """
    level, at, round_ = 0, opening, 0
    while at < len(tokens) and at < opening + 200:
        token = tokens[at]
        text = token.text
        if text in ("(", "["):
            round_ += 1
        elif text in (")", "]"):
            round_ -= 1
            if round_ < 0:
                return None
        elif text in (";", "{", "}", "&&", "||", "=", "==", "!=", "?") or token.kind == "str":
            return None
        elif round_ == 0:
            if text == ">>" and level >= 1:
                first, second = token.copy(), token.copy()
                first.text = second.text = ">"
                if token.end - token.start == 2:
                    first.end, second.start = token.start + 1, token.start + 1
                if level >= 2:
                    tokens[at : at + 1] = [first, second]
                    text = ">"
                else:
                    return None
            if text == "<":
                level += 1
            elif text == ">":
                level -= 1
                if level == 0:
                    return at
        at += 1
    return None


def instantiated(tokens: list[Token], path: str) -> list[Token]:
    """The stream of the file ``path`` with function templates replaced by their instances. Raises SourceError."""
    if not any(t.text == "template" for t in tokens):
        return list(tokens)
    end = _like("", "eof", tokens[-1])  # sentinels: looking ahead never runs over the end
    rest, templates, faults = _collect([*tokens, end, end, end])
    if faults:
        faults[0].others = tuple(faults[1:])
        raise faults[0]
    if not templates:
        return rest
    instances: dict[str, dict[str, list[Token]]] = {name: {} for name in templates}
    _uses(rest, templates, instances)
    pending = {name: list(found.items()) for name, found in instances.items()}
    bodies: dict[str, list[list[Token]]] = {name: [] for name in templates}
    done: set[tuple[str, str]] = set()
    while any(pending.values()):
        for name in list(pending):
            for key, arguments in pending[name]:
                if (name, key) in done:
                    continue
                if len(done) >= _MOST_INSTANCES:
                    raise error(templates[name].tokens[0], f"more than {_MOST_INSTANCES} template instances", "HLP003")
                done.add((name, key))
                body = _instance(templates[name], key, arguments)
                _uses(body, templates, instances)
                bodies[name].append(body)
            pending[name] = [(k, a) for k, a in instances[name].items() if (name, k) not in done]
    elsewhere = [t.tokens[0] for n, t in templates.items() if not bodies[n] and t.tokens[0].path != path]
    if elsewhere:
        unread = [_nobody_uses(token) for token in elsewhere]
        unread[0].others = tuple(unread[1:])
        raise unread[0]
    useless = [t.tokens[0] for n, t in templates.items() if not bodies[n] and has_methods(t.tokens)]
    if useless:
        unread = [
            error(token, "C++ construct not supported: class template without an instance", "HLP003")
            for token in useless
        ]
        unread[0].others = tuple(unread[1:])
        raise unread[0]
    names = Counter(token.text for tokens in (rest, *(t.tokens for t in templates.values())) for token in tokens)
    for name, template in templates.items():
        inside = sum(token.text == name for token in (*template.tokens, template.anchor))
        if not bodies[name] and (template.tokens[0].text not in _TAGS or names[name] > inside):
            # keep it with its parameters as they are; a struct that nothing names has no extents, and nobody asks
            bodies[name].append(list(template.tokens))
            for parameter in template.types:
                typedef = [("typedef", "id"), ("int", "id"), (parameter, "id"), (";", "op")]
                like = template.tokens[0]
                bodies[name][0][:0] = [_like(text, kind, like) for text, kind in typedef]
    return _spliced(rest, templates, bodies)


def _nobody_uses(token: Token) -> SourceError:
    """A template of a header without an instance: a compiler does not look into it, either."""
    fault = error(token, "a template that nothing here uses", "HLP003")
    fault.quiet = True
    return fault


def _like(text: str, kind: str, like: Token) -> Token:
    token = like.copy()
    token.text, token.kind = text, kind  # type: ignore[assignment]
    return token


def _collect(tokens: list[Token]) -> tuple[list[Token], dict[str, _Template], list[SourceError]]:
    """The tokens around the templates, the templates, and what is none that can be expanded."""
    rest: list[Token] = []
    templates: dict[str, _Template] = {}
    faults: list[SourceError] = []
    at = 0

    def refuse(what: str) -> None:
        faults.append(error(token, f"C++ construct not supported: {what}", "HLP003"))

    while at < len(tokens):
        token = tokens[at]
        if token.text != "template" or at + 1 >= len(tokens) or tokens[at + 1].text != "<":
            rest.append(token)
            at += 1
            continue
        close = matching_angle(tokens, at + 1)
        if close is None:
            close = _loose_angle(tokens, at + 1)
        end, name_at, definition = _extent(tokens, close + 1)
        if name_at is None:
            refuse("class template" if tokens[close + 1].text in ("struct", "class", "union") else "template")
            at = close + 1
            continue
        params, types, defaults = _parameters(tokens[at + 2 : close])
        name_text = tokens[name_at].text
        if not params and definition:
            refuse("template specialisation")
        elif definition and name_text in templates:
            refuse(f"overloaded template {name_text}")
        elif definition:
            body = tokens[close + 1 : end + 1]
            anchor = _like("", "eof", token)
            rest.append(anchor)
            templates[name_text] = _Template(name_text, params, types, defaults, body, anchor)
        at = end + 1
    return rest, templates, faults


def _loose_angle(tokens: list[Token], opening: int) -> int:
    """Closing ``>`` of a template parameter list that has defaults."""
    level = 0
    for at in range(opening, len(tokens)):
        text = tokens[at].text
        level += (text == "<") - (text == ">") - 2 * (text == ">>")
        if level <= 0:
            return at
    raise error(tokens[opening], "'<' is never closed")


def _extent(tokens: list[Token], start: int) -> tuple[int, int | None, bool]:
    """(last token, name of the function or None, whether it is a definition)."""
    at, name, level = start, None, 0
    if tokens[start].text in ("struct", "class") and tokens[start + 2].text == "{":
        return _class(tokens, start)
    if tokens[start].text in ("struct", "class", "union", "using", "template"):
        return start, None, False
    while at < len(tokens):
        text = tokens[at].text
        if text == "(" and level == 0 and name is None and tokens[at - 1].kind == "id":
            name = at - 1
        if text in ("(", "[", "{"):
            level += 1
        elif text in (")", "]", "}"):
            level -= 1
            if text == "}" and level == 0:
                return at, name, True
        elif text == ";" and level == 0:
            return at, name, False
        at += 1
    raise error(tokens[start], "template without a declaration")


def _class(tokens: list[Token], start: int) -> tuple[int, int | None, bool]:
    """A class is a template like a function is."""
    at, level = start + 2, 0
    while at + 1 < len(tokens):
        text = tokens[at].text
        level += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
        at += 1
        if level == 0:
            return (at, start + 1, True) if tokens[at].text == ";" else (start, None, False)
    return start, None, False


def _parameters(tokens: list[Token]) -> tuple[list[str], set[str], dict[str, list[Token]]]:
    params: list[str] = []
    types: set[str] = set()
    defaults: dict[str, list[Token]] = {}
    piece: list[Token] = []
    level = 0
    for token in [*tokens, None]:
        if token is None or (token.text == "," and level == 0):
            if piece:
                equals = next((i for i, t in enumerate(piece) if t.text == "="), len(piece))
                name = piece[equals - 1].text
                params.append(name)
                if piece[0].text in ("typename", "class"):
                    types.add(name)
                if equals < len(piece):
                    defaults[name] = piece[equals + 1 :]
            piece = []
            continue
        level += (token.text in ("<", "(")) - (token.text in (">", ")"))
        piece.append(token)
    return params, types, defaults


def _uses(tokens: list[Token], templates: dict[str, _Template], instances: dict[str, dict[str, list[Token]]]) -> None:
    """Replace ``name<args>(`` and ``name(`` by the instance's name in place; note the instance."""
    at = 0
    while at < len(tokens):
        template = templates.get(tokens[at].text) if tokens[at].kind == "id" else None
        if template is not None and at + 1 < len(tokens):
            end: int | None = at
            if tokens[at + 1].text == "<":
                end = matching_angle(tokens, at + 1)
            if end is not None:
                _use(tokens, at, end, template, instances[template.name])
        at += 1


def _use(tokens: list[Token], at: int, end: int, template: _Template, instances: dict[str, list[Token]]) -> None:
    """One use: the template's name at ``at``, its arguments up to ``end`` (``at`` when it has none)."""
    struct = template.tokens[0].text in _TAGS
    called = end + 1 < len(tokens) and tokens[end + 1].text == "("
    if not (called or (struct and end > at)):
        return
    arguments = [t for t in tokens[at + 2 : end] if not isinstance(t, PragmaToken)]
    given = split(arguments)
    if not struct and len(given) < len(template.params):
        found = deduced(template.params, given, template.defaults, template.tokens, tokens, end)
        if found is not None:
            arguments = [t for value in found for t in (*value, _like(",", "op", tokens[at]))][:-1]
        elif end == at:
            return
    key = spell(arguments).strip().replace(" ", "")
    instances.setdefault(key, arguments)
    name = _like(f"{template.name}<{key}>", "id", tokens[at])
    if name.use is None and tokens[end].use is None:
        name.end = tokens[end].end
    tokens[at : end + 1] = [name]


def _instance(template: _Template, key: str, arguments: list[Token]) -> list[Token]:
    """Tokens of one instance; its parameters are replaced by the arguments."""
    values: dict[str, list[Token]] = dict(template.defaults)
    piece: list[Token] = []
    level, number = 0, 0
    for token in [*arguments, None]:
        if token is None or (token.text == "," and level == 0):
            if number < len(template.params):
                values[template.params[number]] = piece
            number += 1
            piece = []
            continue
        level += (token.text in ("<", "(")) - (token.text in (">", ")"))
        piece.append(token)
    body: list[Token] = []
    for token in template.tokens:
        if isinstance(token, PragmaToken):
            copy = PragmaToken(token.path, token.start, token.end, token.body, token.spelling)
            copy.use = token.use
            copy.expanded = [s for t in token.expanded for s in _substituted(t, values, template.types)]
            body.append(copy)
        elif token.text == template.name:
            body.append(_like(f"{template.name}<{key}>", "id", token))
        else:
            body.extend(_substituted(token, values, template.types))
    return body


def _substituted(token: Token, values: dict[str, list[Token]], types: set[str]) -> list[Token]:
    value = values.get(token.text) if token.kind == "id" else None
    if value is None:
        return [token.copy()]
    made = [_like(t.text, t.kind, token) for t in value]
    if len(made) > 1 and token.text not in types:
        made = [_like("(", "op", token), *made, _like(")", "op", token)]
    for piece in made[1:]:
        piece.space = False
    return made


def _spliced(rest: list[Token], templates: dict[str, _Template], bodies: dict[str, list[list[Token]]]) -> list[Token]:
    """Instances put where their templates stood; the only instance keeps the template's own name."""
    single = {name for name, found in bodies.items() if len(found) == 1}
    for name, found in bodies.items():
        if len(found) > 1:
            for number, body in enumerate(found):
                use = MacroUse(name, body[0].path, body[0].start, body[-1].end)
                for token in body:
                    if token.use is None and not isinstance(token, PragmaToken):
                        token.use, token.lo, token.hi, token.arg = use, token.start, token.end, number
    anchors = {id(t.anchor): t.name for t in templates.values()}
    result: list[Token] = []
    for token in rest:
        if id(token) in anchors:
            result.extend(t for body in bodies[anchors[id(token)]] for t in body)
        else:
            result.append(token)
    for token in result:
        if token.kind == "id" and "<" in token.text:
            base = token.text[: token.text.index("<")]
            if base in single and token.text.endswith(">"):
                token.text = base
    return result
