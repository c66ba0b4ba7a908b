"""The templates of a unit, taken out of its tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from hlspart.frontend.cxx_conditions import without_condition
from hlspart.frontend.cxx_shapes import closing
from hlspart.frontend.cxx_types import split
from hlspart.frontend.parse import error
from hlspart.frontend.tokens import SourceError, Token

TAGS = ("struct", "class", "union")
_OPEN, _CLOSE = ("(", "[", "{"), (")", "]", "}")
_OPERATORS = frozenset(("operator", "*", "+", "-", "/", "%", "==", "!=", "<", ">", "<=", ">=", "<<", ">>"))
_LOOK_AHEAD = 200  # tokens of a list of arguments, those of a macro's body apart
MOST_OF_ARGUMENTS = 5_000  # with these
_NO_ARGUMENT = frozenset(("&&", "||", "=", "==", "!=", "?"))  # outside of brackets, behind a name that may be a value
_NEVER_VALUES = frozenset(("ap_int", "ap_uint", "ap_fixed", "ap_ufixed", "ac_int"))


class CxxTemplate(Struct, eq=False):
    """A template: its parameters and the tokens of its definition (without ``template<..>``).

    ``pattern``: the arguments that a specialisation is for, which are not among the tokens. ``own_names``: where in
    the tokens its name means the instance itself.
    """

    name: str
    params: list[str]
    types: set[str]  # those of ``params`` that are types
    defaults: dict[str, list[Token]]
    tokens: list[Token]
    anchor: Token  # stands for it in the remaining stream
    pattern: list[list[Token]] | None = None
    own_names: frozenset[int] = frozenset()
    owner: str = ""  # the class that it is a member of
    condition: list[Token] = field(default_factory=list)  # of ``enable_if``: on which it is meant at all
    pack: str = ""  # the last of ``params`` where it stands for any number of arguments

    @property
    def struct(self) -> bool:
        """Whether this is a class."""
        return self.tokens[0].text in TAGS

    def renumber(self, name: int = 1) -> None:
        """Find the places of its own name again; ``name``: the first of them."""
        self.own_names = frozenset(_own(self, name))

    def parameters(self) -> list[list[Token]]:
        """The parameters of a function: behind its name, as types before it may have brackets, too."""
        opening = next(i for i in self.own_names if self.tokens[i + 1].text == "(") + 1
        return split(self.tokens[opening + 1 : closing(self.tokens, opening)])

    def takes(self, count: int) -> bool:
        """Whether a function may be called with so many arguments."""
        formals = self.parameters()
        formals = [] if [t.text for part in formals for t in part] == ["void"] else formals
        open_ = sum("=" in (t.text for t in part) or "..." in (t.text for t in part) for part in formals)
        most = count if any(t.text == "..." for part in formals for t in part) else len(formals)
        return len(formals) - open_ <= count <= most


class CxxTemplates(Struct):
    """The tokens around the templates, the templates and aliases by name, and what is none that can be expanded."""

    rest: list[Token] = field(default_factory=list)
    templates: dict[str, list[CxxTemplate]] = field(default_factory=dict)
    aliases: dict[str, CxxTemplate] = field(default_factory=dict)
    declared: dict[str, list[CxxTemplate]] = field(default_factory=dict)  # without a definition: no tokens
    outside: dict[str, list[CxxTemplate]] = field(default_factory=dict)  # member functions, by class template
    requests: list[list[Token]] = field(default_factory=list)  # explicit instantiations
    faults: list[SourceError] = field(default_factory=list)

    def every(self) -> Iterator[CxxTemplate]:
        """All templates."""
        for group in self.templates.values():
            yield from group


def like(text: str, kind: str, token: Token) -> Token:
    """A token that stands for something else at a token's place."""
    made = token.copy()
    made.text, made.kind = text, kind  # type: ignore[assignment]
    return made


def matching_angle(tokens: list[Token], opening: int, inner: bool = False) -> int | None:
    """The ``>`` for the ``<`` at an index when what lies between can be template arguments.

    A ``>>`` that closes two lists is split in place. ``inner``: of these the other may begin further up.
    """
    level, at, round_, written = 0, opening, 0, 0
    refused = frozenset[str]() if tokens[opening - 1].text in _NEVER_VALUES else _NO_ARGUMENT
    while at < len(tokens) and written < _LOOK_AHEAD and at < opening + MOST_OF_ARGUMENTS:
        token = tokens[at]
        text = token.text
        written += token.use is None
        if text in ("(", "["):
            round_ += 1
        elif text in (")", "]"):
            round_ -= 1
            if round_ < 0:
                return None
        elif text in (";", "{", "}") or token.kind == "str" or (text in refused and round_ == 0):
            return None
        elif round_ == 0:
            if text == ">>" and level >= 1:
                first, second = token.copy(), token.copy()
                first.text = second.text = ">"
                if token.end - token.start == 2:
                    first.end, second.start = token.start + 1, token.start + 1
                if level >= 2 or inner:
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


def collect(tokens: list[Token]) -> CxxTemplates:
    """Take the templates out. ``tokens`` end in sentinels."""
    templates = CxxTemplates()
    inside = list(class_ranges(tokens))
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.text != "template" or token.kind != "id":
            templates.rest.append(token)
            at += 1
        elif tokens[at + 1].text != "<":
            at = _request(tokens, at, templates)
        else:
            while inside and inside[0][1] < at:
                inside.pop(0)
            class_ = inside[0] if inside and inside[0][0] < at else None
            at = _template(tokens, at, templates, class_)
    for name, declared in templates.declared.items():  # defaults may stand in a declaration only
        for template in templates.templates.get(name, ()):
            for first in declared:
                if template.pattern is None and len(first.params) == len(template.params):
                    for old, new in zip(first.params, template.params, strict=True):
                        if old in first.defaults:
                            template.defaults.setdefault(new, first.defaults[old])
    return templates


def class_ranges(tokens: list[Token]) -> Iterator[tuple[int, int, str]]:
    """The braces of the outermost classes that are no templates, each with its name."""
    at = 0
    while at + 2 < len(tokens):
        here = at + 2
        if tokens[at].text == "template" and tokens[at + 1].text == "<":
            at = _extent(tokens, _loose_angle(tokens, at + 1) + 1)[0]
        elif tokens[at].text in ("struct", "class") and tokens[at + 1].kind == "id":
            level = 0  # of the arguments of bases
            while tokens[here].kind != "eof" and (level > 0 or tokens[here].text not in ("{", ";", "(", ")", "=", ">")):
                level += (tokens[here].text == "<") - (tokens[here].text == ">") - 2 * (tokens[here].text == ">>")
                here += 1
            if tokens[here].text == "{":
                end = closing(tokens, here)
                yield here, end, tokens[at + 1].text
                at = end
        at += 1


def _request(tokens: list[Token], at: int, templates: CxxTemplates) -> int:
    """``template class X<8>;``: an explicit instantiation; behind it."""
    end = at + 1
    while tokens[end].text not in (";", "{", "}") and tokens[end].kind != "eof":
        end += 1
    before = templates.rest[-1].text if templates.rest else ""
    if tokens[end].text != ";" or before in (".", "->", "::"):  # x.template f<8>()
        if before not in (".", "->", "::"):
            templates.rest.append(tokens[at])
        return at + 1
    templates.requests.append([*tokens[at + 1 : end + 1], *tokens[-3:]])
    return end + 1


def _left_out(tokens: Sequence[Token], start: int, class_: tuple[int, int, str]) -> int | None:
    """Behind a member template that a class can be read without; None where the rest may need it.

    Calls of it from outside are calls of a function that nothing is known of.
    """
    opening, last, name = class_
    at = start
    while at < last and tokens[at].text not in ("(", "{", ";"):
        at += 1
    words = [t.text for t in tokens[start:at]]
    if at >= last or tokens[at].text != "(" or not words or words[0] in TAGS:
        return None
    said = {words[-1]}
    if "operator" in words:  # but not one that C has a meaning for
        if words[-1] not in _OPERATORS:
            return None
        said = {"this"}
        at = closing(tokens, at) + 1 if words[-1] == "operator" else at  # operator()
    end = at
    while end < last and tokens[end].text not in ("{", ";"):
        end = closing(tokens, end) + 1 if tokens[end].text == "(" else end + 1
    if end >= last:  # the text ends
        return None
    end = closing(tokens, end) if tokens[end].text == "{" else end
    around = [*tokens[opening + 1 : start], *tokens[end + 1 : last]]
    if name.partition("<")[0] in said or any(t.text in said for t in around):
        return None
    return end + 1


def _template(tokens: list[Token], at: int, templates: CxxTemplates, class_: tuple[int, int, str] | None) -> int:
    """What ``template <`` at ``at`` begins; behind it."""
    token, owner = tokens[at], class_[2] if class_ is not None else ""
    close = matching_angle(tokens, at + 1)
    if close is None:
        close = _loose_angle(tokens, at + 1)
    inside = tokens[at + 2 : close]
    params, types, defaults = parameters(inside)
    pieces = [[t.text for t in p] for p in split(list(inside)) if p]
    pack = params[-1] if pieces and "..." in pieces[-1] else ""
    start = close + 1
    if tokens[start].text == "using":
        end = _semicolon(tokens, start)
        if tokens[start + 2].text == "=":
            anchor = like("", "eof", token)
            body = tokens[start + 3 : end]
            name = f"{owner}::{tokens[start + 1].text}" if owner else tokens[start + 1].text
            templates.aliases[name] = CxxTemplate("", params, types, defaults, body, anchor, pack=pack)
            return end + 1
    what = ""
    if any(t.text == "template" for t in inside) or any("..." in piece for piece in pieces[:-1]):
        what = "template as a parameter" if any(t.text == "template" for t in inside) else "variadic template"
    end, name_at, definition = (start, None, False) if what else _extent(tokens, start)
    if name_at is None:
        behind = _left_out(tokens, start, class_) if class_ is not None else None
        if behind is not None:
            return behind
        what = what or ("class template" if tokens[start].text in TAGS else "template")
        templates.faults.append(error(token, f"C++ construct not supported: {what}", "HLP003"))
        return close + 1
    name = tokens[name_at].text
    if not definition:
        templates.declared.setdefault(name, []).append(CxxTemplate(name, params, types, defaults, [], token, pack=pack))
        return end + 1
    if tokens[start].text not in TAGS and tokens[name_at - 1].text == "::":
        of = _before_angle(tokens, name_at - 2, start) if tokens[name_at - 2].text == ">" else name_at - 2
        if of is None or tokens[of].kind != "id" or not params:
            what = "member function outside its class"
            templates.faults.append(error(token, f"C++ construct not supported: {what}", "HLP003"))
            return end + 1
        made = CxxTemplate("", params, types, defaults, tokens[start : end + 1], token, pack=pack)
        templates.outside.setdefault(tokens[of].text, []).append(made)
        return end + 1
    body, pattern = tokens[start : end + 1], None
    inner = name_at - start
    if body[inner + 1].text == "<":
        last = matching_angle(body, inner + 1)
        if last is None:
            templates.faults.append(error(token, "C++ construct not supported: template specialisation", "HLP003"))
            return end + 1
        pattern = split(body[inner + 2 : last])
        body[inner + 1 : last + 1] = []
    elif not params:
        templates.faults.append(error(token, "C++ construct not supported: template specialisation", "HLP003"))
        return end + 1
    anchor = like("", "eof", token)
    templates.rest.append(anchor)
    on = without_condition(body, 0, inner) if body[0].text not in TAGS else None
    if on is not None:
        inner += len(on[0]) - len(body)
        body = on[0]
    made = CxxTemplate(name, params, types, defaults, body, anchor, pattern, owner=owner, pack=pack)
    made.condition = on[1] if on is not None else []
    made.renumber(inner)
    group = templates.templates.setdefault(name, [])
    if group and group[0].struct is not made.struct:
        templates.faults.append(error(token, f"C++ construct not supported: overloaded template {name}", "HLP003"))
    group.append(made)
    return end + 1


def _own(template: CxxTemplate, name: int) -> Iterator[int]:
    """Places where the name of a template is the name of the instance."""
    yield name
    tokens = template.tokens
    for at, token in enumerate(tokens[:-1]):
        if template.struct and at != name and token.text == template.name and tokens[at + 1].text != "<":
            yield at


def _semicolon(tokens: Sequence[Token], at: int) -> int:
    while tokens[at].text != ";" and tokens[at].kind != "eof":
        at += 1
    return at


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
    """(last token, name of the function or class or None, whether it is a definition)."""
    if tokens[start].text in TAGS:
        return _class(tokens, start)
    if tokens[start].text in ("using", "template", "friend"):
        return start, None, False
    at, name, level = start, None, 0
    while at < len(tokens):
        text = tokens[at].text
        if text == "(" and level == 0 and name is None:
            name = at - 1
            if tokens[name].text == ">":
                name = _before_angle(tokens, name, start)
            if name is not None and tokens[name].kind != "id":
                name = None
        if text == "operator" and level == 0:
            return start, None, False
        if text in _OPEN:
            level += 1
        elif text in _CLOSE:
            level -= 1
            if text == "}" and level == 0:
                return at, name, True
        elif text == ";" and level == 0:
            return at, name, False
        at += 1
    raise error(tokens[start], "template without a declaration")


def _before_angle(tokens: Sequence[Token], at: int, start: int) -> int | None:
    """The name before the list of arguments that ends at ``at``."""
    level = 0
    while at > start:
        text = tokens[at].text
        level += (text == ">") + 2 * (text == ">>") - (text == "<")
        at -= 1
        if level == 0:
            return at
    return None


def _class(tokens: list[Token], start: int) -> tuple[int, int | None, bool]:
    """A class is a template like a function is."""
    at = start + 1
    if tokens[at].kind != "id":
        return start, None, False
    while tokens[at].kind != "eof" and tokens[at].text not in ("{", ";", "("):
        at += 1
    if tokens[at].text == ";":
        return at, start + 1, False
    if tokens[at].text != "{":
        return start, None, False
    end = closing(tokens, at) + 1
    return (end, start + 1, True) if end < len(tokens) and tokens[end].text == ";" else (start, None, False)


def parameters(tokens: Sequence[Token]) -> tuple[list[str], set[str], dict[str, list[Token]]]:
    """Names of template parameters, those that are types, and their defaults."""
    params: list[str] = []
    types: set[str] = set()
    defaults: dict[str, list[Token]] = {}
    for number, piece in enumerate(p for p in split(list(tokens)) if p):
        equals = next((i for i, t in enumerate(piece) if t.text == "="), len(piece))
        named = equals > 1 and piece[equals - 1].kind == "id"
        name = piece[equals - 1].text if named else f"__unnamed_{number}"
        params.append(name)
        if piece[0].text in ("typename", "class"):
            types.add(name)
        if equals < len(piece):
            defaults[name] = piece[equals + 1 :]
    return params, types, defaults
