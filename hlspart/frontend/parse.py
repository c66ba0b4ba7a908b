"""Tokens to a pycparser tree whose coordinates are token numbers.

pycparser's grammar is used with a lexer of our own: it hands over the preprocessed tokens, and the
"line" of each is its index. So every node of the tree points exactly into the token list, and from
there, through :mod:`hlspart.frontend.origins`, into the user's text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from pycparser import c_ast
from pycparser.c_lexer import Token as CToken
from pycparser.c_parser import CParser, ParseError

from hlspart.frontend.preprocess import Preprocessed, PragmaToken
from hlspart.frontend.tokens import SourceError, Token

MAX_NESTING = 256  # of brackets
CASE_RANGE = "..."  # the marker constant that a case range is passed through pycparser with

_KEYWORDS = {
    word: word.upper()
    for word in (
        "auto break case char const continue default do double else enum extern float for goto if inline int long "
        "register offsetof restrict return short signed sizeof static struct switch typedef union unsigned void "
        "volatile while __int128 _Bool _Complex _Generic _Noreturn _Thread_local _Static_assert _Atomic _Alignof _Alignas"
    ).split()
}
_OPERATORS = {
    "...": "ELLIPSIS", "<<=": "LSHIFTEQUAL", ">>=": "RSHIFTEQUAL", "++": "PLUSPLUS", "--": "MINUSMINUS", "->": "ARROW",
    "&&": "LAND", "||": "LOR", "<<": "LSHIFT", ">>": "RSHIFT", "<=": "LE", ">=": "GE", "==": "EQ", "!=": "NE",
    "*=": "TIMESEQUAL", "/=": "DIVEQUAL", "%=": "MODEQUAL", "+=": "PLUSEQUAL", "-=": "MINUSEQUAL", "&=": "ANDEQUAL",
    "|=": "OREQUAL", "^=": "XOREQUAL", "=": "EQUALS", "+": "PLUS", "-": "MINUS", "*": "TIMES", "/": "DIVIDE",
    "%": "MOD", "|": "OR", "&": "AND", "~": "NOT", "^": "XOR", "!": "LNOT", "<": "LT", ">": "GT", "?": "CONDOP",
    "(": "LPAREN", ")": "RPAREN", "[": "LBRACKET", "]": "RBRACKET", "{": "LBRACE", "}": "RBRACE", ",": "COMMA",
    ".": "PERIOD", ";": "SEMI", ":": "COLON", "::": "COLONCOLON",
}  # fmt: skip
_SYNONYMS = {
    "__inline": "inline", "__inline__": "inline", "__const": "const", "__const__": "const", "__signed__": "signed",
    "__signed": "signed", "__volatile__": "volatile", "__volatile": "volatile", "__restrict": "restrict",
    "__restrict__": "restrict", "__alignof__": "_Alignof",
}  # fmt: skip
_DROPPED = {"__extension__", "__forceinline"}
_DROPPED_CALLS = {"__attribute__", "__attribute", "__declspec", "__asm__", "__asm", "asm"}
_NUMBER = re.compile(
    r"(?P<INT_CONST_HEX>0[xX][0-9a-fA-F']+[uUlL]*)$|(?P<INT_CONST_BIN>0[bB][01']+[uUlL]*)$"
    r"|(?P<INT_CONST_OCT>0[0-7']*[uUlL]*)$|(?P<INT_CONST_DEC>[1-9][0-9']*[uUlL]*)$"
    r"|(?P<HEX_FLOAT_CONST>0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*[pP][+-]?\d+[fFlL]?)$"
    r"|(?P<FLOAT_CONST>(?:\d[\d']*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFlL]?)$"
)
CLOSING = {"(": ")", "[": "]", "{": "}"}


def brackets(tokens: list[Token]) -> list[int]:
    """For each bracket the index of its partner, -1 for other tokens. Raises SourceError."""
    match = [-1] * len(tokens)
    stack: list[int] = []
    for at, token in enumerate(tokens):
        if token.kind != "op":
            continue
        text = token.text
        if text in CLOSING:
            stack.append(at)
            if len(stack) > MAX_NESTING:
                raise error(token, f"brackets nested deeper than {MAX_NESTING}", "HLP004")
        elif text in ")]}":
            if not stack or CLOSING[tokens[stack[-1]].text] != text:
                raise error(token, f"'{text}' without its opening bracket")
            match[at] = stack.pop()
            match[match[at]] = at
    if stack:
        raise error(tokens[stack[-1]], f"'{tokens[stack[-1]].text}' is never closed")
    return match


def error(token: Token, message: str, rule: str = "HLP002", hint: str | None = None) -> SourceError:
    """A fault at a token; inside a macro at the macro's use."""
    place = token.use if token.use is not None and token.lo < 0 else None
    if place is not None:
        return SourceError(rule, f"{message} (in the expansion of {place.name})", place.path, place.start, place.end, hint)
    if token.use is not None:
        return SourceError(rule, message, token.use.path, token.lo, token.hi, hint)
    return SourceError(rule, message, token.path, token.start, token.end, hint)


def normalise(result: Preprocessed) -> None:
    """Remove the GNU extensions that carry no meaning here; pragma positions and uses follow."""
    tokens = result.tokens
    if not any(t.kind == "id" and (t.text in _DROPPED or t.text in _DROPPED_CALLS) for t in tokens):
        return
    kept: list[Token] = []
    moved: list[int] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        moved.append(len(kept))
        at += 1
        if token.kind == "id" and token.text in _DROPPED:
            continue
        if token.kind == "id" and token.text in _DROPPED_CALLS:
            while at < len(tokens) and tokens[at].text in ("volatile", "__volatile__", "goto"):
                moved.append(len(kept))
                at += 1
            if at < len(tokens) and tokens[at].text == "(":
                level = 0
                while at < len(tokens):
                    level += (tokens[at].text == "(") - (tokens[at].text == ")")
                    moved.append(len(kept))
                    at += 1
                    if level == 0:
                        break
            continue
        kept.append(token)
    moved.append(len(kept))
    result.tokens = kept
    result.pragmas = [(moved[position], pragma) for position, pragma in result.pragmas]
    for use in {t.use for t in kept if t.use is not None}:
        use.first = -1
    for index, token in enumerate(kept):
        if token.use is not None:
            if token.use.first < 0:
                token.use.first = index
            token.use.last = index


class _Lexer:
    """The lexer interface that CParser asks for, over a prepared list."""

    def __init__(self, tokens: list[CToken]) -> None:
        self.tokens, self.at = tokens, 0
        self.filename = ""

    def input(self, text: str, filename: str = "") -> None:
        self.at = 0

    def token(self) -> CToken | None:
        if self.at >= len(self.tokens):
            return None
        self.at += 1
        return self.tokens[self.at - 1]


def _c_tokens(tokens: list[Token]) -> list[CToken]:
    prepared: list[CToken] = []
    add = prepared.append
    in_case = False
    for at, token in enumerate(tokens):
        text = token.text
        match token.kind:
            case "id":
                text = _SYNONYMS.get(text, text)
                kind = _KEYWORDS.get(text, "ID")
                in_case = in_case or text == "case"
            case "op":
                kind = _OPERATORS.get(text, "")
                if not kind:
                    raise error(token, f"stray '{text}' in the source")
                if in_case and text == "...":
                    add(CToken("CONDOP", "?", at, 1, ""))
                    add(CToken("INT_CONST_DEC", CASE_RANGE, at, 1, ""))
                    kind = "COLON"
                    in_case = False
            case "num":
                match = _NUMBER.match(text)
                if match is None:
                    raise error(token, f"invalid number '{text}'")
                kind = match.lastgroup or ""
            case "str":
                kind = {"L": "WSTRING_LITERAL"}.get(text[0], "STRING_LITERAL")
            case _:
                kind = "CHAR_CONST" if not text.startswith("L") else "WCHAR_CONST"
        add(CToken(kind, text, at, 1, ""))
    return prepared


_COORD = re.compile(r"^(?:[^:]*):(\d+)(?::\d+)?: (.*)$", re.DOTALL)


def parse(tokens: list[Token], explain: Callable[[int, str], SourceError | None] | None = None) -> c_ast.FileAST:
    """The tree. ``explain(index, message)`` may give a better error for a failure near a token."""
    lexer = _Lexer(_c_tokens(tokens))
    make: Any = lambda **_: lexer  # noqa: E731 - CParser wants a class, and calls it once
    try:
        tree: c_ast.FileAST = CParser(lexer=make).parse("")
        return tree
    except ParseError as fault:
        found = _COORD.match(str(fault))
        message = found.group(2) if found else str(fault).lstrip(": ")
        index = int(found.group(1)) if found else lexer.at - 1
    except RecursionError:
        raise error(tokens[max(0, min(lexer.at, len(tokens)) - 1)], "nested too deeply", "HLP004") from None
    except (AssertionError, AttributeError, IndexError, TypeError, ValueError):
        # a parser defect on ill-formed input must not reach the user as a traceback
        message, index = "", lexer.at - 1
    index = max(0, min(index, len(tokens) - 1))
    better = explain(index, message) if explain else None
    raise better or _syntax_error(tokens, index, message, lexer.at)


def _syntax_error(tokens: list[Token], index: int, message: str, reached: int) -> SourceError:
    if not tokens:
        return SourceError("HLP002", "syntax error", "", 0)
    token = tokens[index]
    if "end of input" in message.lower():
        return error(tokens[-1], "syntax error: the file ends inside a declaration or statement")
    if message.startswith("before: "):
        return error(token, f"syntax error before '{token.text}'")
    if message == "Invalid expression" or not message:
        return error(token, f"syntax error near '{token.text}'")
    return error(token, f"syntax error near '{token.text}': {message[0].lower()}{message[1:]}")


__all__ = ["CASE_RANGE", "PragmaToken", "brackets", "error", "normalise", "parse"]
