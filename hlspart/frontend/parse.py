"""Tokens to a pycparser tree whose coordinates are token numbers.

pycparser's grammar is used with a lexer of our own: it hands over the preprocessed tokens, and the
"line" of each is its index. So every node of the tree points exactly into the token list, and from
there, through :mod:`hlspart.frontend.origins`, into the user's text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from pycparser import c_ast
from pycparser.c_lexer import Token as CToken
from pycparser.c_parser import CParser, ParseError

from hlspart.frontend.tokens import SourceError, Token
from hlspart.frontend.types import STANDARD
from hlspart.model.causes import UNDECLARED_TYPE
from hlspart.model.source import OWN

MAX_NESTING = 256  # of brackets
MAX_PARSED = 500_000  # tokens, those in tables of constants apart
# constants that stand for what pycparser need not or cannot read: a range (case, designator), a list of literals
RANGE = "..."
TABLE = "{...}"
_LEAST_TABLE = 32  # tokens
_MOST_READ = 2048  # ... of a table whose items are more than numbers with a sign

_KEYWORDS = {
    word: word.upper()
    for word in (
        "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern",
        "float", "for", "goto", "if", "inline", "int", "long", "register", "offsetof", "restrict", "return", "short",
        "signed", "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while",
        "__int128", "_Bool", "_Complex", "_Generic", "_Noreturn", "_Thread_local", "_Static_assert", "_Atomic",
        "_Alignof", "_Alignas",
    )
}  # fmt: skip
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
_TYPE_OF = {"__typeof__", "__typeof", "typeof"}
_DROPPED = {"__extension__", "__forceinline", "__cdecl", "__stdcall", "__fastcall"}
ASM = {"__asm__", "__asm", "asm"}
DROPPED_CALLS = {"__attribute__", "__attribute", "__declspec"} | ASM
_ASM_WORDS = {"volatile", "__volatile__", "__volatile", "inline", "__inline__", "__inline", "goto"}
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
                if all(CLOSING[tokens[opening].text] != text for opening in stack):
                    raise error(token, f"'{text}' without its opening bracket")
                break  # something is open inside of the pair
            match[at] = stack.pop()
            match[match[at]] = at
    if stack:
        raise error(tokens[stack[-1]], f"'{tokens[stack[-1]].text}' is never closed")
    return match


def error(token: Token, message: str, rule: str = "HLP002", hint: str | None = None) -> SourceError:
    """A fault at a token; inside a macro at the macro's use."""
    place = token.use if token.use is not None and token.lo < 0 else None
    if place is not None:
        return SourceError(
            rule, f"{message} (in the expansion of {place.name})", place.path, place.start, place.end, hint
        )
    if token.use is not None:
        return SourceError(rule, message, token.use.path, token.lo, token.hi, hint)
    return SourceError(rule, message, token.path, token.start, token.end, hint)


def normalised(tokens: list[Token]) -> list[Token]:
    """Without what carries no meaning here: GNU extensions, prototypes of our own headers that nobody uses."""
    drop, tokens = bytearray(len(tokens)), list(tokens)
    _drop_extensions(tokens, drop)
    _drop_unused_prototypes(tokens, drop)
    return [t for t, flag in zip(tokens, drop, strict=True) if not flag] if 1 in drop else tokens


def _drop_extensions(tokens: list[Token], drop: bytearray) -> None:
    for at, token in enumerate(tokens):
        if token.kind != "id":
            continue
        if token.text in _DROPPED:
            drop[at] = 1
        elif token.text in DROPPED_CALLS and not drop[at]:
            opening = at + 1
            while opening < len(tokens) and tokens[opening].text in _ASM_WORDS:
                opening += 1
            end = _call_end(tokens, opening)
            drop[at:end] = b"\1" * (end - at)
            if token.text in ASM and any(t.text in (":", "::") for t in tokens[opening:end]):
                _keep_operands(tokens, drop, at, opening, end)


def _call_end(tokens: list[Token], opening: int) -> int:
    """Behind the ``)`` of the ``(`` at an index, if one is there."""
    end, level = opening, 0
    if opening < len(tokens) and tokens[opening].text == "(":
        while end < len(tokens):
            level += (tokens[end].text == "(") - (tokens[end].text == ")")
            end += 1
            if level == 0:
                break
    return end


def _keep_operands(tokens: list[Token], drop: bytearray, at: int, opening: int, end: int) -> None:
    """``asm("..." : "=r"(x) : "r"(y) : "memory")`` as ``asm((x), (y))``: something unknown happens to x and y."""
    if any(t.text == "goto" for t in tokens[at:opening]):
        raise error(tokens[at], "asm goto is not supported", "HLP003")
    for here in (at, opening, end - 1):
        drop[here] = 0
    level, operands, separator = 0, 0, opening
    for here in range(opening + 1, end - 1):
        text = tokens[here].text
        if level == 0 and text in (",", ":", "::"):
            separator = here
        if level == 0 and text == "(":
            operands += 1
            if operands > 1:
                comma = tokens[separator].copy()
                comma.text = ","
                tokens[separator], drop[separator] = comma, 0
        level += (text == "(") - (text == ")")
        if level or text == ")":
            drop[here] = 0


def _drop_unused_prototypes(tokens: list[Token], drop: bytearray) -> None:
    """The headers hold hundreds of functions; parsing them would cost more than a kernel does."""
    own = [(t.use or t).path.startswith(OWN) for t in tokens]
    used = {t.text for t, ours in zip(tokens, own, strict=True) if t.kind == "id" and not ours}
    at, end = 0, len(tokens)
    while at < end:
        if not own[at]:
            at += 1
            continue
        start, name, level = at, "", 0
        prototype = tokens[at].text != "typedef"
        while at < end and own[at]:
            text = tokens[at].text
            if text == "{":
                prototype = False
            if text == "(" and not name and at > start:
                name = tokens[at - 1].text
            level += (text in ("(", "{")) - (text in (")", "}"))
            at += 1
            if text == ";" and level == 0:
                name = name or tokens[at - 2].text  # extern FILE *stdin;
                break
        if prototype and name and name not in used:
            drop[start:at] = b"\1" * (at - start)


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
    at, end = 0, len(tokens)
    while at < end:
        token = tokens[at]
        text = token.text
        match token.kind:
            case "id":
                text = _SYNONYMS.get(text, text)
                kind = _KEYWORDS.get(text, "ID")
                in_case = in_case or text == "case"
                if text in _TYPE_OF and [t.text for t in tokens[at + 1 : at + 2]] == ["("]:
                    raise error(token, f"{text} is not supported", "HLP003", "write the type's name")
            case "op":
                kind = _OPERATORS.get(text, "")
                if not kind:
                    raise error(token, f"stray '{text}' in the source")
                if text == "..." and [t.text for t in tokens[at - 1 : at + 2 : 2]] == ["(", ")"]:
                    at += 1  # f(...), as in C++ and C23: no parameter has a name
                    continue
                if text == "..." and (in_case or _is_in_designator(tokens, at)):
                    add(CToken("CONDOP", "?", at, 1, ""))
                    add(CToken("INT_CONST_DEC", RANGE, at, 1, ""))
                    kind = "COLON"
                    in_case = False
                elif text == "{":
                    closing = _table_end(tokens, at)
                    if closing is not None:
                        add(CToken(kind, text, at, 1, ""))
                        add(CToken("INT_CONST_DEC", TABLE, at + 1, 1, ""))
                        at = closing
                        kind, text = "RBRACE", "}"
            case "num":
                kind = _number_kind(token)
            case "str":
                kind = {"L": "WSTRING_LITERAL"}.get(text[0], "STRING_LITERAL")
            case _:
                kind = "CHAR_CONST" if not text.startswith("L") else "WCHAR_CONST"
        add(CToken(kind, text, at, 1, ""))
        at += 1
        if len(prepared) > MAX_PARSED:
            raise error(token, f"more than {MAX_PARSED} tokens after macro expansion", "HLP004")
    return prepared


def _is_in_designator(tokens: list[Token], at: int) -> bool:
    """Whether the ``...`` at ``at`` stands in ``[low ... high]``."""
    while tokens[at].text not in ("[", "(", "{", "}", ";", ",") and at:
        at -= 1
    return tokens[at].text == "["


def _number_kind(token: Token) -> str:
    match = _NUMBER.match(token.text)
    if match is None:
        raise error(token, f"invalid number '{token.text}'")
    return match.lastgroup or ""


_BINARY_OPERATORS = frozenset((
    "*", "/", "%", "+", "-", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "^", "|", "&&", "||",
))  # fmt: skip
_SIGNS = frozenset("+-~!")


def _table_end(tokens: list[Token], opening: int) -> int | None:
    """The ``}`` of a long list of constants: pycparser sees one marker instead, for speed.

    Its items are literals, operators and casts on them, and such lists again; what breaks the grammar is left to
    pycparser.
    """
    at, end = opening + 1, len(tokens)
    operand = False  # whether an item, or an operand in it, has just ended
    stack = ["{"]  # what is open: "{", "(" and "?"
    plain = True  # whether all items are numbers with a sign
    while at < end:
        token = tokens[at]
        text = token.text
        if token.kind == "num" or token.kind == "chr":
            if operand or (token.kind == "num" and not _NUMBER.match(text)):
                return None
            operand = True
        elif token.kind != "op":
            return None
        elif text == "," and stack[-1] == "{" and operand:
            operand = False
        elif text == "}" and stack[-1] == "{" and (operand or tokens[at - 1].text == ","):
            stack.pop()
            if not stack:
                return at if at - opening > (_LEAST_TABLE if plain else _MOST_READ) else None
            operand = True
            if tokens[at + 1].text not in (",", "}"):
                return None
        elif text == "{" and stack[-1] == "{" and tokens[at - 1].text in ("{", ","):
            stack.append(text)
        elif text == "(" and not operand:
            cast = _cast_end(tokens, at)
            if cast is None:
                stack.append(text)
            else:
                at = cast
        elif text == ")" and stack[-1] == "(" and operand:
            stack.pop()
        elif text == "?" and operand:
            stack.append(text)
            operand = False
        elif text == ":" and stack[-1] == "?" and operand:
            stack.pop()
            operand = False
        elif operand and text in _BINARY_OPERATORS:
            operand = plain = False
        elif operand or text not in _SIGNS:
            return None
        plain = plain and (text in ("-", ",", "{", "}") or token.kind != "op")
        at += 1
    return None


def _cast_end(tokens: list[Token], opening: int) -> int | None:
    """The ``)`` of a cast to a named type of a number, a character or something in parentheses."""
    at = opening + 1
    while tokens[at].kind == "id":
        at += 1
    after = tokens[at + 1] if at + 1 < len(tokens) else tokens[at]
    named = at > opening + 1 and tokens[at].text == ")"
    return at if named and (after.kind in ("num", "chr") or after.text == "(") else None


_COORD = re.compile(r"^(?:[^:]*):(-?\d+)(?::\d+)?: (.*)$", re.DOTALL)
_MOST_GUESSES = 40


def parse(tokens: list[Token], types: Iterable[str], guess_types: bool) -> tuple[c_ast.FileAST, list[str]]:
    """The tree, and the names that had to be taken for types.

    ``types`` are names of types that the tokens do not declare. With ``guess_types`` (a header is
    missing) an undeclared name that stands where a type must is taken for one; ``int32_t`` and its
    kin always are, for HLS tools know them without their header, as gcc knows ``__builtin_va_list``.
    """
    prepared = _c_tokens(tokens)
    known = list(types)
    unknown: list[str] = []
    first: SourceError | None = None
    while True:
        prelude = [
            CToken(kind, text, -1, 1, "")
            for name in (*known, *unknown)
            for kind, text in (("TYPEDEF", "typedef"), ("INT", "int"), ("ID", name), ("SEMI", ";"))
        ]
        try:
            tree = _parse(tokens, prelude + prepared, len(prelude))
        except _Failure as failure:
            name = _type_candidate(tokens, failure.index, unknown)
            if name not in STANDARD:  # those are no guess
                first = first or failure.error
            if name is not None and not guess_types and name not in STANDARD:
                name = None
            if name is None or len(unknown) >= _MOST_GUESSES:
                raise (first or failure.error) from None
            unknown.append(name)
            continue
        tree.ext = tree.ext[len(known) + len(unknown) :]
        return tree, unknown


class _Failure(Exception):
    def __init__(self, index: int, error: SourceError) -> None:
        super().__init__(index)
        self.index, self.error = index, error


def _parse(tokens: list[Token], prepared: list[CToken], prelude: int) -> c_ast.FileAST:
    lexer = _Lexer(prepared)
    make: Any = lambda **_: lexer  # CParser wants a class, and calls it once  # noqa: E731
    message = ""
    try:
        tree: c_ast.FileAST = CParser(lexer=make).parse("")
        return tree
    except ParseError as fault:
        match = _COORD.match(str(fault))
        message = match.group(2) if match else str(fault).lstrip(": ")
        index = int(match.group(1)) if match else lexer.at - prelude - 1
    except RecursionError:
        near = tokens[max(0, min(lexer.at - prelude, len(tokens)) - 1)]
        raise error(near, "nested too deeply", "HLP004") from None
    except (AssertionError, AttributeError, IndexError, TypeError, ValueError):
        # a parser defect on ill-formed input must not reach the user as a traceback
        index = lexer.at - prelude - 1
    index = max(0, min(index, len(tokens) - 1))
    raise _Failure(index, _syntax_error(tokens, index, message))


def _type_candidate(tokens: list[Token], index: int, known: list[str]) -> str | None:
    """A name near ``index`` that looks like a type: a name, stars or ``)`` follow."""
    for at in (index - 1, index, index - 2, index + 1):
        if not 0 <= at < len(tokens) - 1:
            continue
        token, after = tokens[at], tokens[at + 1]
        if token.kind != "id" or token.text in _KEYWORDS or token.text in known:
            continue
        if at and (
            tokens[at - 1].kind in ("num", "str") or tokens[at - 1].text in (".", "->", "]", "struct", "union", "enum")
        ):
            continue
        if (after.kind == "id" and after.text not in _KEYWORDS) or after.text in ("*", ")", "("):
            return token.text
    return None


def _syntax_error(tokens: list[Token], index: int, message: str) -> SourceError:
    token = tokens[index]
    if "end of input" in message.lower():
        return error(tokens[-1], "syntax error: the file ends inside a declaration or statement")
    fragment = _fragment(tokens, index)
    if fragment is not None:
        return fragment
    if message.startswith("before: "):
        return error(token, f"syntax error before '{token.text}'")
    if message == "Invalid function definition":
        return error(token, f"syntax error near '{token.text}': expected ';' or a function body")
    if message == "Invalid expression" or not message:
        return error(token, f"syntax error near '{token.text}'")
    following = tokens[index + 1] if index + 1 < len(tokens) else token
    if token.use is None and following.use is not None and following.kind == "num":
        token = following  # double PI = 3.14; where PI is a macro
    return error(token, f"syntax error near '{token.text}': {message[0].lower()}{message[1:]}")


def _fragment(tokens: list[Token], index: int) -> SourceError | None:
    """The fault of a text that is no file of its own: statements without a function, types nobody declares."""
    level, first, at = 0, 0, 0
    while at < index:
        text = tokens[at].text
        level += (text in CLOSING) - (text in (")", "]", "}"))
        at += 1
        if level == 0 and text in (";", "}"):
            first = at
    here = tokens[first]
    after = tokens[first + 1].text if first + 1 < len(tokens) else ""
    statement = here.text in _STATEMENTS or here.text == "..."
    labelled = here.kind == "id" and here.text not in _KEYWORDS and after in (":", "=", "+=", "-=", "[", "++")
    if statement or labelled:
        return error(here, f"'{here.text}' begins a statement outside of any function: the file is a fragment of one")
    name = _type_candidate(tokens, index, [])
    names = {t.text for t in tokens[: max(0, index - 2)] if t.kind == "id"}
    place = next((t for t in tokens[max(0, index - 2) : index + 2] if t.text == name), None)
    if name is None or place is None or name in names:
        return None
    # in a parameter list or a body it must stand right there
    if level and name not in (tokens[index - 1].text, tokens[index].text) and tokens[index].text != "*":
        return None
    what = "used as a type"
    if [t.text for t in tokens[index + 1 : index + 3]] == ["(", "("]:
        place, what = tokens[index], "used as a macro"
    return error(place, undeclared(place.text, what))


def undeclared(name: str, what: str) -> str:
    """What is said of a name that stands where a type must."""
    return f"'{name}' is {what} {UNDECLARED_TYPE}"


_STATEMENTS = frozenset(("for", "while", "do", "if", "else", "switch", "case", "return", "goto", "break", "continue"))
