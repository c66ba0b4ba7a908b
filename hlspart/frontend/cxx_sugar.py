"""Forms of C++ that plain statements and functions say as well: written out before anything is parsed.

A range-based ``for`` over an array becomes a loop with an index, a lambda that a variable holds a function with what it
captures as further parameters, a structured binding a variable and its members, ``decltype`` of a variable its type,
an assignment to several numbers in brackets one to the bits of each.
What has no such form stays as it is, and is refused later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from hlspart.frontend.cxx_closures import ASSIGNED, by_reference, captured, changes, lambda_at, not_in_text
from hlspart.frontend.cxx_collect import like
from hlspart.frontend.cxx_cursor import LOOK_AHEAD
from hlspart.frontend.cxx_decltype import without_decltype
from hlspart.frontend.cxx_members import partner
from hlspart.frontend.cxx_outline import declarations
from hlspart.frontend.cxx_references import without_references
from hlspart.frontend.cxx_shapes import DeclaredShape, alias_of, declared, passed_shape, semicolon
from hlspart.frontend.cxx_types import split
from hlspart.frontend.cxx_unions import without_unnamed_unions
from hlspart.frontend.implicit import with_blocks
from hlspart.frontend.tokens import ALTERNATIVES, NTH, PragmaToken, Token, spell

_CONTROL = frozenset(("if", "for", "while", "do", "switch", "return"))


def with_operators(tokens: list[Token]) -> list[Token]:
    """The tokens with ``and`` and its kin as the operators that they are in C++."""
    if not any(t.text in ALTERNATIVES for t in tokens):
        return tokens
    return [like(ALTERNATIVES[t.text], "op", t) if t.kind == "id" and t.text in ALTERNATIVES else t for t in tokens]


def without_sugar(tokens: list[Token]) -> list[Token]:
    """The tokens with such forms written out."""
    tokens = with_blocks(tokens)
    words = {t.text for t in tokens}
    joined = any(a.text == ")" and b.text == "=" for a, b in pairwise(tokens))
    bound = any(a.text == "&" and b.kind == "id" for a, b in pairwise(tokens))
    if not (joined or bound or words & {"for", "auto", "decltype", "union"}):
        return tokens
    end = like("", "eof", tokens[-1])
    work = _Sugar([*tokens, *([end] * LOOK_AHEAD)])
    if joined:
        work.concatenations()
    if "decltype" in words:
        without_decltype(work.tokens)
    if "auto" in words:
        work.bindings()
        work.lambdas()
    work.ranges()
    if "union" in words:
        without_unnamed_unions(work.tokens)
    if bound:
        without_references(work.tokens)
    return work.tokens[:-LOOK_AHEAD]


_NO_TYPE = frozenset(("return", "case", "else", "goto", "throw", "do", "sizeof", "delete", "new"))


class _Sugar:
    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.count = 0

    # --------------------------------------------------------------------------------- bindings

    def bindings(self) -> None:
        """``auto [a, b] = value;``."""
        tokens, at = self.tokens, 0
        while at < len(tokens):
            if tokens[at].text != "auto" or tokens[at + 1].text != "[":
                at += 1
                continue
            close = partner(tokens, at + 1)
            names = [t.text for t in tokens[at + 2 : close : 2]]
            if tokens[close + 1].text != "=":
                at = close
                continue
            whole = f"[{', '.join(names)}]"  # as the user calls it, and no name that anything else has
            self._rename(close + 1, {n: [whole, ".", f"{NTH}{k}"] for k, n in enumerate(names)})
            tokens[at + 1 : close + 1] = [like(whole, "id", tokens[at + 1])]
            at += 2

    def _rename(self, start: int, names: dict[str, list[str]]) -> None:
        """Replace names up to the end of the block that is open at ``start``, where nothing declares them anew."""
        tokens, at, level = self.tokens, start, 0
        hidden: list[tuple[str, int, int]] = []  # with the level of the block and, in the head of a loop, its end
        while at < len(tokens):
            token = tokens[at]
            hidden = [h for h in hidden if h[1] <= level and (h[2] < 0 or at <= h[2])]
            if token.kind == "op":
                level += (token.text == "{") - (token.text == "}")
                if level < 0:
                    return
            elif token.kind != "id" or isinstance(token, PragmaToken):
                pass
            elif token.text == "auto" and tokens[at + 1].text == "[":  # another binding
                end = partner(tokens, at + 1)
                hidden += [(t.text, level, -1) for t in tokens[at + 2 : end] if t.text in names]
                at = end
            elif token.text in names and tokens[at - 1].text not in (".", "->", "::"):
                if _declares(tokens, at):
                    hidden.append((token.text, level, _end_of_head(tokens, at)))
                elif all(h[0] != token.text for h in hidden):
                    kinds = ["id" if _word(t) or t.startswith("[") else "op" for t in names[token.text]]
                    made = [like(t, kind, token) for t, kind in zip(names[token.text], kinds, strict=True)]
                    tokens[at : at + 1] = not_in_text(made, token)
                    hidden = [(n, of, end + len(made) - 1 if end >= 0 else end) for n, of, end in hidden]
                    at += len(made) - 1
            at += 1

    # --------------------------------------------------------------------------- concatenations

    def concatenations(self) -> None:
        """``(a, b) = value;``: each gets its bits."""
        at = 0
        while at < len(self.tokens):
            if self.tokens[at].text == "(" and self.tokens[at].kind == "op" and self._begins(at):
                self._joined(at)
            at += 1

    def _begins(self, at: int) -> bool:
        """Whether a statement begins at a token."""
        before = at - 1
        while before > 0 and isinstance(self.tokens[before], PragmaToken):
            before -= 1
        return self.tokens[before].text in (";", "{", "}")

    def _joined(self, at: int) -> None:
        tokens = self.tokens
        close = partner(tokens, at)
        parts = split(tokens[at + 1 : close])
        if tokens[close + 1].text != "=" or len(parts) < 2:
            return
        if not all(p and p[0].kind == "id" and not any(t.text in ASSIGNED for t in p) for p in parts):
            return
        end = semicolon(tokens, close + 1)
        name, self.count = tokens[at], self.count + 1
        whole = f"__joined_{self.count}"
        made: list[Token] = []
        below: list[Token] = []  # how many bits are behind a part
        for part in reversed(parts):
            width = [like(t.text, t.kind, t) for t in part]
            width += [like(t, "id" if _word(t) else "op", name) for t in (".", "length", "(", ")")]
            low = below or [like("0", "num", name)]
            below = [*([*below, like("+", "op", name)] if below else []), *width]
            made += part
            made += [like(t, "id" if _word(t) else "op", name) for t in ("=", whole, ".", "range", "(", "(")]
            made += [*(like(t.text, t.kind, name) for t in below), like(")", "op", name), like("-", "op", name)]
            made += [like("1", "num", name), like(",", "op", name), *(like(t.text, t.kind, name) for t in low)]
            made += [like(")", "op", name), like(";", "op", name)]
        start = [like("{", "op", name), like("auto", "id", name), like(whole, "id", name), like("=", "op", name)]
        value = [*tokens[close + 2 : end], like(";", "op", name)]
        made.append(like("}", "op", name))
        tokens[at : end + 1] = [*not_in_text(start, name), *value, *not_in_text(made, name)]

    # ---------------------------------------------------------------------------------- lambdas

    def lambdas(self) -> None:
        """``auto f = [&](int x) { .. };`` whose name is only called."""
        at = 0
        while at < len(self.tokens):
            tokens = self.tokens
            if tokens[at].text == "auto" and tokens[at + 2].text == "=" and tokens[at + 3].text == "[":
                self._lambda(at)
            at += 1

    def _lambda(self, at: int) -> None:
        tokens = self.tokens
        name, closure = tokens[at + 1], lambda_at(tokens, at + 3)
        if closure is None:
            return
        last, body = closure.last, closure.body
        around = next(((a, b) for a, b in declarations(tokens).items() if a <= at < b), None)
        if around is None or tokens[last + 1].text != ";":
            return
        how = {t.text for t in closure.captures}
        taken = captured(body, tokens[around[0] : at], closure.names)
        calls = [i for i in range(last + 2, around[1]) if tokens[i].text == name.text and tokens[i].kind == "id"]
        if taken is None or any(tokens[i + 1].text != "(" or tokens[i - 1].text in (".", "->") for i in calls):
            return
        behind = tokens[last + 1 : around[1]]
        loose = [c for c in taken if c not in by_reference(closure.captures)]
        if how != {"&"} and any(changes(c, behind) for c in loose):
            return
        instances = self._instances(closure.params, calls)
        if instances is None:
            return
        functions: dict[str, str] = {}
        for key in dict.fromkeys(key for key, _ in instances.values()) or [""]:
            self.count += 1
            functions[key] = f"{name.text}::operator()" + (f"_{self.count}" if self.count > 1 else "")
        for i in reversed(calls):
            end = partner(tokens, i + 1)
            extra: list[Token] = []
            for k, word in enumerate(taken):
                extra += [like(",", "op", tokens[i])] if k or end > i + 2 else []
                extra += not_in_text([like(word, "id", tokens[i])], tokens[i])
            tokens[end:end] = extra
            tokens[i] = like(functions[instances[i][0]], "id", tokens[i])
        returns = closure.returns or [like("auto" if any(t.text == "return" for t in body) else "void", "id", name)]
        written: list[Token] = []
        for number, (key, function) in enumerate(functions.items()):
            params = next((p for k, p in instances.values() if k == key), closure.params)
            made = [*(like(t.text, t.kind, name) for t in returns), like(function, "id", name), like("(", "op", name)]
            made += params
            for k, (word, shape) in enumerate(taken.items()):
                made += [like(",", "op", name)] if k or params else []
                made += not_in_text(list(_reference(word, shape, name)), name)
            made += [like(")", "op", name), *(body if number == 0 else [t.copy() for t in body])]
            written += made if len(functions) == 1 else not_in_text(made, name)
        del tokens[at : last + 2]
        tokens[around[0] : around[0]] = written

    def _instances(self, params: list[Token], calls: Sequence[int]) -> dict[int, tuple[str, list[Token]]] | None:
        """The parameters that each call gives a lambda, ``auto`` as the type of the argument; None: one is not seen."""
        instances: dict[int, tuple[str, list[Token]]] = {}
        formals = split(params)
        for call in calls:
            actuals = split(self.tokens[call + 2 : partner(self.tokens, call + 1)])
            made: list[Token] = []
            for formal, actual in zip(formals, actuals, strict=False):
                made += [like(",", "op", formal[0])] if made else []
                if all(t.text != "auto" for t in formal):
                    made += formal
                    continue
                passed = passed_shape(actual, self.tokens, call)
                if passed is None or passed.extents or passed.type[0].text == "auto":
                    return None
                for token in formal:
                    made += [like(t.text, t.kind, token) for t in passed.type] if token.text == "auto" else [token]
            if any(t.text == "auto" for t in params):
                if len(formals) != len(actuals):
                    return None
                instances[call] = spell(made), made
            else:
                instances[call] = "", params
        return None if not instances and any(t.text == "auto" for t in params) else instances

    # ------------------------------------------------------------------------------------ loops

    def ranges(self) -> None:
        """``for (T x : A) ..`` over an array of known extent."""
        at = 0
        while at < len(self.tokens):
            if self.tokens[at].text == "for" and self.tokens[at + 1].text == "(":
                self._range(at)
            at += 1

    def _range(self, at: int) -> None:
        tokens = self.tokens
        close = partner(tokens, at + 1)
        head = tokens[at + 2 : close]
        texts = [t.text for t in head]
        if ":" not in texts or ";" in texts:
            return
        colon = texts.index(":")
        declaration, over = head[:colon], head[colon + 1 :]
        if len(over) != 1 or over[0].kind != "id" or len(declaration) < 2:
            return
        shape = declared(over[0].text, tokens, at)
        named = alias_of(shape.type[0].text, tokens) if shape is not None and len(shape.type) == 1 else []
        if shape is not None and named and not shape.extents:
            shape = DeclaredShape(tuple(named), (), shape.name)
        count = None if shape is None else _count(shape)
        if shape is None or count is None:
            return
        name = declaration[-1]
        alias = any(t.text == "&" for t in declaration)
        index = f"{name.text}_index"
        body = close + 1
        if tokens[body].text != "{" and (tokens[body].text in _CONTROL or isinstance(tokens[body], PragmaToken)):
            return
        end = partner(tokens, body) if tokens[body].text == "{" else semicolon(tokens, body)
        inside = tokens[body : end + 1]
        element = [
            like(over[0].text, "id", name),
            like("[", "op", name),
            like(index, "id", name),
            like("]", "op", name),
        ]
        if alias:
            if any(t.text == name.text and inside[k - 1].kind == "id" and k for k, t in enumerate(inside)):
                return
            replaced: list[Token] = []
            for k, token in enumerate(inside):
                same = token.kind == "id" and token.text == name.text and inside[k - 1].text not in (".", "->", "::")
                replaced += not_in_text([like(t.text, t.kind, token) for t in element], token) if same else [token]
            inside, first = replaced, []
        else:
            auto = any(t.text == "auto" for t in declaration)
            type_ = _element(shape) if auto else declaration[:-1]
            if type_ is None:
                return
            first = [*(like(t.text, t.kind, name) for t in type_), name, like("=", "op", name)]
            first += [*not_in_text(element, name), like(";", "op", name)]
        if tokens[body].text == "{":
            inside[1:1] = first
        else:
            inside = [like("{", "op", name), *first, *inside, like("}", "op", name)]
        texts_ = [("int", "id"), (index, "id"), ("=", "op"), ("0", "num"), (";", "op"), (index, "id"), ("<", "op")]
        made = [like(t, k, name) for t, k in texts_]
        made += [like(t.text, t.kind, name) for t in count]
        made += [like(";", "op", name), like(index, "id", name), like("++", "op", name)]
        tokens[at + 2 : end + 1] = [*not_in_text(made, name), tokens[close], *inside]


def _reference(name: str, shape: DeclaredShape, at: Token) -> Iterator[Token]:
    for token in shape.type:
        yield like(token.text, token.kind, at)
    if shape.extents:
        yield like("(", "op", at)
    yield like("&", "op", at)
    yield like(name, "id", at)
    if shape.extents:
        yield like(")", "op", at)
    for extent in shape.extents:
        yield like("[", "op", at)
        yield from (like(t.text, t.kind, at) for t in extent)
        yield like("]", "op", at)


def _count(shape: DeclaredShape) -> Sequence[Token] | None:
    """How many elements a range-based loop visits."""
    if shape.extents:
        return shape.extents[0] or None
    texts = [t.text for t in shape.type]
    if texts[-1:] == [">"] and "<" in texts and texts[texts.index("<") - 1] in ("array", "vector"):
        return split(list(shape.type[texts.index("<") + 1 : -1]))[-1]
    return None


def _element(shape: DeclaredShape) -> Sequence[Token] | None:
    """The type of an element."""
    if len(shape.extents) == 1:
        return shape.type
    if shape.extents:
        return None
    texts = [t.text for t in shape.type]
    return split(list(shape.type[texts.index("<") + 1 : -1]))[0]


def _declares(tokens: Sequence[Token], at: int) -> bool:
    """Whether a name stands where a declaration has it."""
    first = at - 1
    while tokens[first].kind in ("id", "num") or tokens[first].text in ("::", "<", ">", ",", "*", "&", "&&"):
        if isinstance(tokens[first], PragmaToken):
            break
        first -= 1
    words = tokens[first + 1 : at]
    begins = tokens[first].text in (";", "{", "}", "(", ")", ":") or isinstance(tokens[first], PragmaToken)
    typed = bool(words) and words[0].kind == "id" and words[0].text not in _NO_TYPE
    plain = typed and (words[-1].kind == "id" or (words[-1].text in ("*", "&", "&&", ">") and len(words) > 1))
    return begins and plain and tokens[at + 1].text in (";", "=", "[", ",", "(", "{", ":")


def _end_of_head(tokens: Sequence[Token], at: int) -> int:
    """The end of the loop in whose head a token stands; -1 where it stands in none."""
    level = 0
    for opening in range(at, -1, -1):
        text = tokens[opening].text if tokens[opening].kind == "op" else ""
        level += (text == ")") - (text == "(")
        if level < 0:
            body = partner(tokens, opening) + 1
            while isinstance(tokens[body], PragmaToken):
                body += 1
            return partner(tokens, body) if tokens[body].text == "{" else semicolon(tokens, body)
        if text in ("{", "}"):
            break
    return -1


def _word(text: str) -> bool:
    return text[0].isalpha() or text[0] == "_"
