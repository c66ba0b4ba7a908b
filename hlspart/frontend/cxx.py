"""C-like C++ as C: a rewriting of located tokens.

HLS kernels use little of C++: arbitrary-precision types, streams, references, casts in function
form, constants as template arguments. Each such form is replaced by the C one that means the same
to the analyses; replaced tokens keep their places, so every span still is in the user's text.
What has no such form (classes, lambdas, exceptions, ...) is refused by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hlspart.frontend.cxx_closures import without_closures
from hlspart.frontend.cxx_constructors import without_constructors
from hlspart.frontend.cxx_kinds import written_out
from hlspart.frontend.cxx_namespaces import qualified_apart
from hlspart.frontend.cxx_nested import without_nested
from hlspart.frontend.cxx_references import with_references_to_bits
from hlspart.frontend.cxx_sugar import with_operators, without_sugar
from hlspart.frontend.cxx_templates import instantiated
from hlspart.frontend.cxx_type_forms import BEFORE_EXPRESSION, CASTS, TypeForms
from hlspart.frontend.cxx_types import AUTO, split
from hlspart.frontend.cxx_unused import UnusedFunction
from hlspart.frontend.implicit import without_exceptions, without_tags
from hlspart.frontend.parse import error
from hlspart.frontend.tokens import OPEN_TYPE, Token
from hlspart.model import program as ir

_REFUSED = {
    "class": "class", "operator": "operator overloading", "virtual": "virtual function", "friend": "friend declaration",
    "new": "new", "delete": "delete", "try": "exception handling", "catch": "exception handling",
    "throw": "exception handling", "dynamic_cast": "dynamic_cast", "typeid": "typeid", "decltype": "decltype",
    "this": "member function", "co_await": "coroutine", "template": "class template", "concept": "concept",
}  # fmt: skip
_DROPPED = {"typename", "noexcept", "explicit", "mutable", "thread_local", "hls_thread_local"}
_NAMES = {
    "constexpr": "const",
    "consteval": "const",
    "constinit": "",
    "auto": AUTO,
    "wchar_t": "int",
    "char16_t": "short",
}
_LEFT_OPEN = "HLSPART_OPEN"  # in headers of the tool: the type of what a library computes in its own way
_NO_DECLARATOR = frozenset(("+", "-", "/", "%", ".", "->", "?", "<<", ">>", "<", "|", "^"))
_DECLARATION_WORDS = {"const", "static", "volatile", "extern", "struct", "union", "enum", "register", "typedef"}
_PLAIN_KEYWORDS = {
    "return", "if", "else", "for", "while", "do", "switch", "case", "sizeof", "goto", "break", "continue", "default",
    "typedef", "struct", "union", "enum", "static", "extern", "const", "volatile", "inline", "register",
}  # fmt: skip

_MOST_OPEN = 1000  # braces that nothing closes


def _refuse_unclosed(tokens: Sequence[Token]) -> None:
    """Raise SourceError for a text with very many open braces: each would be followed to its end, again and again."""
    open_: list[Token] = []
    for token in tokens:
        if token.text == "{" and token.kind == "op":
            open_.append(token)
        elif token.text == "}" and token.kind == "op" and open_:
            open_.pop()
    if len(open_) > _MOST_OPEN:
        raise error(open_[0], "'{' is never closed")


def as_c(
    tokens: list[Token], unread: Mapping[str, bool], path: str, wanted: Sequence[str] = ()
) -> tuple[list[Token], dict[str, ir.CType], list[UnusedFunction], Defaults]:
    """C tokens for C++ ones of the file ``path``, the types that the result takes as known, and what is left out.

    Last the default arguments, which C has no place for.

    Raises SourceError.

    ``unread``: types whose declarations are not among the tokens, and whether they take arguments; ``wanted``:
    instances of templates that are asked for.
    """
    _refuse_unclosed(tokens)
    tokens = with_references_to_bits(with_operators(without_exceptions(tokens)))
    expanded, unused = instantiated(without_closures(qualified_apart(tokens)), path, wanted)
    plain, constructed = without_constructors(without_nested(expanded))
    shim = _Shim(written_out(without_sugar(without_tags(plain))))
    shim.constructed = constructed
    shim.names.update(name for name, template in unread.items() if not template)
    shim.unread = frozenset(name for name, template in unread.items() if template)
    shim.types.update((t.text, ir.OtherType(t.text)) for t in shim.tokens if t.text.endswith(OPEN_TYPE))
    shim.types[_LEFT_OPEN] = ir.OtherType(_LEFT_OPEN + OPEN_TYPE)
    shim.known.note_functions(shim.tokens)
    shim.run()
    return shim.out, shim.types, unused, shim.defaults


Defaults = dict[Token, dict[int, tuple[Token, ...]]]
"""Default arguments of functions, by the place of the parameter."""


class _Shim(TypeForms):
    constructed: frozenset[str] = frozenset()  # structures with constructors

    def __init__(self, tokens: list[Token]) -> None:
        super().__init__(tokens)
        self.defaults: Defaults = {}

    # ---------------------------------------------------------------------------- main loop

    def run(self) -> None:
        """Rewrite everything."""
        while self.at < len(self.tokens) and self.tokens[self.at].kind != "eof":
            if self.at in self.replace:
                self.out.extend(self.replace.pop(self.at))
                self._close(self.tokens[self.at].text)
                self.at += 1
                continue
            token = self.tokens[self.at]
            if token.kind == "id":
                self._word(token)
            elif token.kind == "op":
                self._operator(token)
            else:
                self.out.append(token)
                self.at += 1

    def _is_behind(self) -> bool:
        """Whether ``override`` or ``final`` ends the head of a method or of a class; elsewhere these are names."""
        behind = self.text(-1) in (")", "const", "noexcept", "override", "final") and self.text(1) != "="
        return behind or self.text(-2) in ("class", "struct")

    def _close(self, text: str) -> None:
        if text == ")" and self.parens:
            self.parens.pop()

    # -------------------------------------------------------------------------------- words

    def _word(self, token: Token) -> None:
        text = token.text
        if self.text(1) == "::" and text not in ("struct",):
            if not self._width(token):
                self._qualifier(2)
            return
        if text == "class" and self.tokens[self.at + 1].kind == "id" and self.text(2) not in ("{", ":", ";"):
            self.at += 1  # class T *p
            return
        if text in _REFUSED:
            self.refuse(_REFUSED[text])
        if text in _DROPPED or (text in ("override", "final") and self._is_behind()):
            self.at += 1
            return
        if text in _NAMES:
            if _NAMES[text]:
                self.out.append(self.made(_NAMES[text], token, "id"))
            self.at += 1
            return
        match text:
            case "extern" if self.at + 1 < len(self.tokens) and self.tokens[self.at + 1].kind == "str":
                self.at += 2
                if self.text() == "{":
                    self.braces.append("dropped")
                    self.at += 1
            case "namespace" | "inline" if text == "namespace" or self.text(1) == "namespace":
                self.namespace_word()
            case "using":
                self.using_word()
            case "struct" | "union" | "enum":
                self.tag_word(token)
            case "typedef":
                self.typedef_word()
            case "if" if self.text(1) == "constexpr":
                self.emit(token)
                self.at += 1
            case "nullptr":
                self.emit(self.made("0", token, "num"))
            case "for" if self._range_for():
                self.refuse("range-based for")
            case "public" | "private" | "protected" if self.text(1) == ":":
                self.at += 2
            case "static_assert" | "_Static_assert":
                end = self.closing(self.at + 1)
                self.at = end + 2
            case _ if text not in self.types and self._is_library_type():
                half = ir.ScalarType("half", "float", 16)
                self.types[text] = half if text == "half" else ir.OtherType(text)
            case _ if text in CASTS and self.text(1) == "<":
                self._named_cast(token)
            case _ if self.text(1) == "<" and self._template_id(token):
                return
            case _ if self.is_type(token) and self._functional_cast(token):
                return
            case _:
                self._constant(token)
                self.emit(token)

    def _range_for(self) -> bool:
        if self.text(1) != "(":
            return False
        inside = self.tokens[self.at + 2 : self.closing(self.at + 1)]
        texts = [t.text for t in inside]
        return ":" in texts and ";" not in texts

    # ---------------------------------------------------------------------------- operators

    def _operator(self, token: Token) -> None:
        match token.text:
            case "::":
                self._qualifier(1)
            case "&" if self._reference():
                self._bound()
            case "&&" if self.previous_text() in ("auto", AUTO) or self.is_type(self.previous()):
                if self.text(2) != "=" or self._names_object(self.at + 3):
                    self._bound()
                else:
                    self.at += 1  # a temporary, which lives as long as the name: a variable
            case "(":
                self._open_paren(token)
            case ")":
                self._close(")")
                self.emit(token)
                while self.text() in ("const", "noexcept", "override") and self.parens == [] and not self.in_body:
                    self.at += 1
            case "{":
                self._open_brace(token)
            case "}":
                kind = self.braces.pop() if self.braces else "body"
                if kind == "dropped":
                    self.at += 1
                else:
                    self.emit(token)
                if kind != "value":
                    self.statement = self.around.pop() if kind == "struct" else len(self.out)
            case ";":
                self.emit(token)
                if not self.parens:
                    self.statement = len(self.out)
            case "=" if self.parens and self.parens[-1] == "parameters":
                self._default_argument()
            case "[":
                if self.text(1) == "[" and (self.previous_text() in (";", "{", "}", "") or not self.out):
                    self.at = self.closing(self.at) + 1  # an attribute
                elif self._lambda():
                    self.refuse("lambda")
                else:
                    self.emit(token)
            case _:
                self.emit(token)

    def _lambda(self) -> bool:
        before = self.previous_text()
        if before not in BEFORE_EXPRESSION:
            return False
        return before not in ("{", ",") or self.text(1) == "]" or (self.text(2) == "]" and self.text(1) in ("&", "="))

    def _bound(self) -> None:
        """The name behind the sign is a reference; a prototype may have none, then the type says it."""
        self.at += 1
        tokens, at = (self.tokens, self.at) if self.text() not in (",", ")") else (self.out, len(self.out) - 1)
        if 0 <= at < len(tokens) and tokens[at].kind == "id":
            name = tokens[at].copy()
            name.reference = True
            tokens[at] = name

    def _names_object(self, start: int) -> bool:
        """Whether an initial value is a variable, an element or a member, or one of these as a value to take."""
        if [t.text for t in self.tokens[start : start + 3]] in (["std", "::", "move"], ["std", "::", "forward"]):
            return True
        at = start
        while at < len(self.tokens) and self.tokens[at].text not in (";", ","):
            if self.tokens[at].text == "[":
                at = self.closing(at)
            elif self.tokens[at].kind != "id" and self.tokens[at].text not in (".", "->", "::"):
                return False
            at += 1
        return at > start

    def _reference(self) -> bool:
        before = self.previous()
        if before is None:
            return False
        if before.text == "(":
            qualified = (of := self.previous(2)) is not None and of.text in ("const", "volatile")
            return self.is_type(self.previous(3) if qualified else of) and self.text(1) != ")"
        if before.text in ("const", "volatile"):
            return True
        if before.text == "*":
            return self.is_type(self.previous(2))
        return self.is_type(before)

    def _open_paren(self, token: Token) -> None:
        before = self.previous()
        declared = before is not None and before.kind == "id" and before.text not in _PLAIN_KEYWORDS
        declared = declared and not self.is_type(before)
        following = self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else token
        second = self.previous(2)
        typed = self.is_type(second) or (self.previous_text(2) == "*" and self.is_type(self.previous(3)))
        typed = typed or (self.previous_text(2) == "," and not self.parens and self._is_declaring())
        if declared and typed:
            literal = following.kind in ("num", "str", "chr") or following.text == "-"
            inside = self.in_body and following.text != ")" and (not self.is_type(following) or self._has_cast_inside())
            inside = inside and following.text not in ("const", "struct", "void", "volatile")
            if literal or inside:
                self._constructor(token)
                return
        if not self.in_body and declared and ("parameters" in self.parens or not self._is_valued()):
            self.parens.append("parameters")
        else:
            self.parens.append("plain")
        self.emit(token)

    def _is_valued(self) -> bool:
        """Whether the value of a variable is what comes: a call there has arguments."""
        return any(t.text == "=" for t in self.out[self.statement :])

    def _has_cast_inside(self) -> bool:
        """Whether ``(T(..`` is an initial value: what C++ could read as a parameter is one, so ``T(x)`` is not."""
        if self.text(2) != "(":
            return False
        said = self.tokens[self.at + 3 : self.closing(self.at + 2)]
        return any(t.kind in ("num", "chr") for t in said[:1]) or any(t.text in _NO_DECLARATOR for t in said)

    def _is_declaring(self) -> bool:
        """Whether the current statement is a declaration."""
        first = next((t for t in self.out[self.statement :] if t.kind != "pragma"), None)
        return self.is_type(first) or (first is not None and first.text in _DECLARATION_WORDS)

    def _constructor(self, token: Token) -> None:
        """``T x(value)`` as ``T x = value``."""
        end = self.closing(self.at)
        inside = self.tokens[self.at + 1 : end]
        words = (t.text for t in self.out[self.statement :])
        if isinstance(next((self.types[w] for w in words if w in self.types), None), ir.StreamType):
            self.at = end + 1  # a stream's name
            return
        built = next((w for w in self.out[self.statement :] if w.text in self.constructed), None)
        several = len(split(inside)) > 1 and built is None
        self.out.append(self.made("=", token))
        if built is not None:  # = (T)(a, b)
            self.out += [self.made(text, token, kind) for text, kind in (("(", "op"), (built.text, "id"), (")", "op"))]
            self.parens.append("plain")
            self.emit(token)
            return
        if several:
            self.out.append(self.made("{", token))
        self.parens.append("plain")
        self.replace[end] = [self.made("}", self.tokens[end])] if several else []
        self.at += 1

    def _open_brace(self, token: Token) -> None:
        before = self.previous_text()
        statement = self.in_body and before in (";", "{", "}", ":", "")
        if statement and before == "{" and self.braces[-1] == "value":
            kind = "value"
        elif statement or before in (")", "else", "do"):
            kind = "body"
        elif before in ("=", ",", "{", "(", "return") or self.braces[-1:] == ["value"]:
            kind = "value"
        else:
            previous = self.previous()
            named = previous is not None and (previous.kind == "id" or before == "]")
            if named:  # int x{5};
                self.out.append(self.made("=", token))
            kind = "value"
        if kind == "value" and self.in_body and self.braces[-1] != "value" and self._is_braced_value(before):
            self.out += [self.made(text, token, kind) for text, kind in (("(", "op"), (AUTO, "id"), (")", "op"))]
        self.braces.append(kind)
        self.emit(token)
        if kind == "body":
            self.statement = len(self.out)

    def _is_braced_value(self, before: str) -> bool:
        """Whether a brace opens a value inside an expression (``return {1, 2}``), not an initial value."""
        return (before in ("return", "(", ",") and bool(before == "return" or self.parens)) or (
            before == "=" and not self._is_declaring()
        )  # fmt: skip

    def _default_argument(self) -> None:
        level, first, (name, place) = 0, self.at + 1, self._parameter()
        while self.at < len(self.tokens):
            text = self.text()
            if level == 0 and text in (",", ")"):
                if name is not None:
                    self.defaults.setdefault(name, {})[place] = tuple(self.tokens[first : self.at])
                return
            if text == "<" and (end := self.closing_angle(self.at)) is not None:
                self.at = end  # = ap_fixed<8, 3>()
            level += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
            self.at += 1

    def _parameter(self) -> tuple[Token | None, int]:
        """The name of the function whose parameter is being written out, and which of its parameters that is."""
        level = place = 0
        for at in range(len(self.out) - 1, 0, -1):
            text = self.out[at].text
            if text == "(" and level == 0:
                return self.out[at - 1], place
            level += (text in (")", "]", "}")) - (text in ("(", "[", "{"))
            place += text == "," and level == 0
        return None, place
