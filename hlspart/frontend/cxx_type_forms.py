"""Forms of C++ that are types or name them, as C: qualified names, template-ids, casts, constants for arguments."""

from __future__ import annotations

from hlspart.frontend.cxx_arguments import width_at
from hlspart.frontend.cxx_tags import NameWords
from hlspart.frontend.cxx_types import BASIC
from hlspart.frontend.tokens import PragmaToken, Token, spell

CASTS = {"static_cast", "reinterpret_cast", "const_cast", "bit_cast"}
_STD_TEMPLATES = {
    "vector", "array", "pair", "complex", "deque", "list", "map", "queue", "tuple", "function", "unique_ptr", "set",
    "shared_ptr", "unordered_map", "numeric_limits", "bitset", "basic_string", "stream_of_blocks",
    "ap_shift_reg", "Mat", "Scalar", "Window", "LineBuffer", "task", "stack", "initializer_list", "valarray",
    "uniform_int_distribution", "uniform_real_distribution", "normal_distribution", "split", "merge",
}  # fmt: skip
_LIBRARY_TYPES = {
    "string", "ostream", "istream", "ofstream", "ifstream", "fstream", "stringstream", "ostringstream", "istringstream",
    "task", "ios", "mt19937", "exception", "thread", "half",
}  # fmt: skip
_WIDE = frozenset((
    "ap_int", "ap_uint", "ap_fixed", "ap_ufixed", "stream", "ap_axiu", "ap_axis", "axis", "ac_int", "qdma_axis",
    "vector", "burst_maxi",
))  # fmt: skip
BEFORE_EXPRESSION = {
    "=", "+", "-", "*", "/", "%", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "!", "~", "&", "|", "^", "?", ":", "[",
    "(", ",", "return", "<<", ">>", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "case", "{",
}  # fmt: skip
_BEFORE_TYPE = frozenset(("", ";", "{", "}", "(", ",", "const", "static", "volatile", "typedef"))
_LONGEST = 500  # tokens of a declaration of constants


class TypeForms(NameWords):
    """Rewrites what stands for a type. ``unread``: class templates whose text is not read."""

    unread: frozenset[str] = frozenset()
    _plain: set[str] | None = None  # names that stand without arguments somewhere

    def _width(self, token: Token) -> bool:
        """``T::width`` of an arithmetic type as its number."""
        value = self.known.width(token.text, self.text(2)) if self.tokens[self.at + 2].kind == "id" else None
        if value is None:
            return False
        self.out.append(self.made(str(value), token, "num"))
        self.at += 3
        return True

    def _qualifier(self, count: int) -> None:
        """Drop ``name::``; what it stands before begins with it in the text."""
        if self.text() == "std" and self.text(2) in ("move", "forward") and self._only_casts():
            return
        first, last = self.tokens[self.at], self.tokens[self.at + count - 1]
        self.at += count
        name = self.tokens[self.at]
        one_piece = name.lo >= 0 and first.lo >= 0 and name.arg == first.arg and not (name.deep or first.deep)
        if first.use is last.use is name.use and first.path == name.path and (name.use is None or one_piece):
            longer = name.copy()
            longer.start, longer.lo = first.start, first.lo
            self.tokens[self.at] = longer

    def _only_casts(self) -> bool:
        """``std::move(x)`` and ``std::forward<T>(x)`` as ``(x)``."""
        end: int | None = self.at + 2
        if self.text(3) == "<":
            end = self.closing_angle(self.at + 3)
        if end is None or self.tokens[end + 1].text != "(" or self.tokens[end + 2].text == ")":
            return False
        self.at = end + 1
        return True

    def _is_library_type(self) -> bool:
        """Whether a word stands for a type of the library."""
        if self.text() not in _LIBRARY_TYPES:
            return False
        qualified = self.at > 0 and self.tokens[self.at - 1].text == "::"
        following = self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else self.tokens[self.at]
        return qualified or following.text in ("&", "*") or following.kind == "id"

    def _constant(self, token: Token) -> None:
        """Remember ``const int N = 4, P = N / 2;`` for template arguments."""
        if self.text(1) != "=" or len(self.out) - self.statement > _LONGEST:
            return
        before = next((t for t in reversed(self.out) if t.text not in ("const", "static")), None)
        if before is None:
            return
        statement = [t.text for t in self.out[self.statement :]]
        another = before.text == "," and statement.count("(") == statement.count(")")
        if "const" not in statement or not (another or before.text in BASIC or self.is_type(before)):
            return
        end = self.find((";", ","), self.at + 2)
        value = self.known.evaluate(self.tokens[self.at + 2 : end])
        if value is not None:
            self.constants[token.text] = value

    # -------------------------------------------------------------------------- types, casts

    def _named_cast(self, token: Token) -> None:
        end = self.closing_angle(self.at + 1)
        if end is None:
            self.refuse(token.text)
        last, refers = self.tokens[end], self.tokens[end - 1].text == "&"
        bits = token.text == "bit_cast" or (token.text == "reinterpret_cast" and refers)
        if bits and self.tokens[end + 1].text == "(":
            self.out += [self.made("(", token), self.made("*", token), self.made("(", token)]  # (*(T *)&(x))
            if refers:
                self.replace[end - 1] = []
            self.replace[end] = [self.made("*", last), self.made(")", last), self.made("&", last)]
            close = self.closing(end + 1)
            self.replace[close] = [self.tokens[close], self.made(")", self.tokens[close])]
        else:
            self.out.append(self.made("(", token))
            self.replace[end] = [self.made(")", last)]
        self.at += 2

    def _template_id(self, token: Token) -> bool:
        """``name<...>`` as one token: a type, or a function of templates hlspart does not see."""
        end = self.closing_angle(self.at + 1)
        if end is None:
            return False
        arguments = self.tokens[self.at + 2 : end]
        after = self.tokens[end + 1].text if end + 1 < len(self.tokens) else ""
        width = width_at(self.tokens[self.at : end + 3], 0)
        if width is not None:
            self.out.append(self.made(str(width[0]), token, "num"))
            self.at = end + 3
            return True
        if after == "::":  # numeric_limits<int>::max()
            self.at = end + 2
            return True
        known = token.text in _WIDE or token.text in _STD_TEMPLATES or token.text in self.unread
        qualified = self.at > 0 and self.tokens[self.at - 1].text == "::"
        call = after == "(" and all(t.kind in ("id", "num") or t.text in (",", "::", "*", "<", ">") for t in arguments)
        nowhere = not (known or qualified or call) and self._is_declared_nowhere(token, end)
        if not (known or qualified or call or nowhere):
            return False
        text = token.text + "<" + spell(arguments).strip() + ">"
        merged = self.made(text, token, "id")
        last = self.tokens[end]
        if merged.use is None and last.use is None and merged.path == last.path:
            merged.end = last.end
        elif merged.lo >= 0 and last.hi >= 0:
            merged.hi = last.hi
        if known or not call:
            self.types[text] = self.known.template_type(token.text, arguments, text, nowhere)
        self.tokens[self.at : end + 1] = [merged]
        shift = end - self.at
        self.replace = {(i - shift if i > end else i): v for i, v in self.replace.items()}
        if not (self.is_type(merged) and self._functional_cast(merged)):
            self.emit(merged)
        return True

    def _is_declared_nowhere(self, token: Token, end: int) -> bool:
        """Whether ``Name<..>``, up to ``end``, stands where a type must, and nothing else says the name."""
        before, after = self.previous_text(), self.tokens[end + 1 : end + 2]
        starts = before in _BEFORE_TYPE or (bool(self.out) and isinstance(self.out[-1], PragmaToken))
        if not starts or not after or not (after[0].kind == "id" or after[0].text in ("&", "*", "&&")):
            return False
        if self._plain is None:
            rest = zip(self.tokens, self.tokens[1:], self.tokens[2:], strict=False)
            self._plain = {t.text for a, t, b in rest if t.kind == "id" and a.text != "::" and b.text != "<"}
        return token.text not in self._plain

    def _functional_cast(self, token: Token) -> bool:
        """``T(x)`` and ``T{x}`` inside an expression as ``(T)(x)``, ``(T){x}``."""
        following = self.text(1)
        if following not in ("(", "{") or self.previous_text() not in BEFORE_EXPRESSION:
            return False
        outside = not self.in_body and self.previous_text() != "=" and self.braces[-1:] != ["value"]
        if following == "{" and (outside or self.previous_text() in ("{", ")")):
            return False
        if following == "(" and self.text(2) in ("*", "&"):
            return False
        if following == "(" and self.parens and self.parens[-1] == "parameters":
            return False
        end = self.closing(self.at + 1)
        applied = self.tokens[end + 1].text in ("(", ".", "[")  # T(x).f(), T()(x)
        if applied:
            self.out.append(self.made("(", token))
        self.out += [self.made("(", token), token, self.made(")", token)]
        self.at += 1
        if following == "(" and self.text(1) == ")":
            self.out.append(self.made("0", self.tokens[self.at], "num"))
            self.at += 2
            if applied:
                self.out.append(self.made(")", self.tokens[end]))
        elif applied:
            self.replace[end] = [self.tokens[end], self.made(")", self.tokens[end])]
        return True
