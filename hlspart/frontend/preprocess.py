"""The C preprocessor: directives, conditionals and includes over located tokens.

Conditionals do not change the macro table, hence a
run of text is expanded only when a definition changes or the file ends: a macro's arguments may
span ``#if`` and ``#pragma`` lines.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from msgspec import Struct, field

from hlspart.frontend.constants import NotConstant, evaluate_tokens
from hlspart.frontend.cxx_shapes import closing
from hlspart.frontend.expand import Expander
from hlspart.frontend.tokens import ALTERNATIVES, Line, MacroDefinition, PragmaToken, SourceError, Token, lex, spell
from hlspart.model.options import FrontendOptions
from hlspart.model.source import OWN, SourceText, Span
from hlspart.reading import MAX_BYTES, Unreadable, any_case

MAX_INCLUDE_DEPTH = 64

PREDEFINED = {
    "__STDC__": "1", "__STDC_HOSTED__": "1", "__LP64__": "1", "__CHAR_BIT__": "8", "__SIZEOF_INT__": "4",
    "__SIZEOF_LONG__": "8", "__SIZEOF_POINTER__": "8", "__INT_MAX__": "2147483647", "__x86_64__": "1",
    "__BYTE_ORDER__": "1234", "__ORDER_LITTLE_ENDIAN__": "1234", "__ORDER_BIG_ENDIAN__": "4321",
    "__SYNTHESIS__": "1", "__VITIS_HLS__": "1", "__HLSPART__": "1", "__DATE__": '"Jan  1 1970"',
    "__TIME__": '"00:00:00"', "__linux__": "1", "__unix__": "1",
}  # fmt: skip


#: Macros by which a text asks which compiler reads it; what it says where it knows none is not about the kernel.
_COMPILERS = frozenset(("__GNUC__", "__clang__", "__GNUG__", "_MSC_VER", "__INTEL_COMPILER", "__ICC", "__MINGW32__"))


#: A header in a folder that no build names: absolute, or above the file that includes it.
_ELSEWHERE = re.compile(r"/|\.\.[/\\]|[A-Za-z]:[/\\]")


def _operator(word: Token) -> Token:
    """``not`` as ``!``."""
    made = word.copy()
    made.kind, made.text = "op", ALTERNATIVES[word.text]
    return made


class Preprocessed(Struct):
    """Result of one unit; pragmas are among the tokens."""

    tokens: list[Token]
    sources: dict[str, SourceText]
    headers: list[str]
    missing: list[tuple[str, str, str, int, int]]  # header, why it is not read, path, start, end of the #include
    macros: dict[str, MacroDefinition]
    #: As included, as the file is called, whether it stands in another folder, where.
    respelled: list[tuple[str, str, bool, Span]] = field(default_factory=list)
    included: set[str] = field(default_factory=set)  # headers as named, but not by those of the C++ library
    inactive: list[Span] = field(default_factory=list)
    faults: list[SourceError] = field(default_factory=list)  # the rest is read all the same


def decode(data: bytes) -> str:
    """Text of a file such that encoding it again gives its bytes."""
    return data.decode("utf-8", "surrogateescape")


@cache
def _own_names() -> frozenset[str]:
    folder = Path(__file__).parent / "headers"
    names = {entry.name for entry in folder.iterdir() if entry.is_file()}
    return frozenset(names | {f"sys/{entry.name}" for entry in (folder / "sys").iterdir()})


@cache
def _own_text(name: str) -> SourceText:
    entry = Path(__file__).parent / "headers" / name
    return SourceText(OWN + name, entry.read_text(encoding="utf-8"))


def own_header(name: str) -> SourceText | None:
    """A header that hlspart brings along (``<cstdint>`` is ``stdint.h``), None when it has none of that name."""
    c_name = name[1:] + ".h" if name.startswith("c") and "." not in name else name
    return next((_own_text(n) for n in (name, c_name) if n in _own_names()), None)


class Preprocessor:
    """Preprocesses one unit. ``read`` gives a file's bytes or raises OSError."""

    def __init__(self, options: FrontendOptions, language: str, read: Callable[[str], bytes]) -> None:
        self.options, self.read = options, read
        self.cplusplus = language == "c++"
        self.chunk: list[Token] = []
        sources: dict[str, SourceText] = {}
        self.expander = Expander(sources)
        self.result = Preprocessed([], sources, [], [], self.expander.macros)
        self.once: set[str] = set()
        self.refused: dict[str, str] = {}  # headers that are there but are not read: why
        self.stack: list[str] = []
        self.moved: set[str] = set()  # headers beside what includes them, which names another folder
        self.bytes = 0
        for name, value in PREDEFINED.items():
            self.expander.predefine(name, value)
        self.expander.predefine(
            "__cplusplus" if language == "c++" else "__STDC_VERSION__", "201402L" if language == "c++" else "199901L"
        )

    # -------------------------------------------------------------------------------- files

    def run(self, source: SourceText) -> Preprocessed:
        """Preprocess one file and all it includes. Raises SourceError."""
        for definition in self.options.defines:
            name, equals, value = definition.partition("=")
            line = lex("<command line>", f"#define {name} {value if equals else '1'}\n")[0]
            self.expander.define(list(line.tokens)[1:])
        for name in self.options.undefines:
            self.expander.macros.pop(name, None)
        self._file(source)
        self._flush()
        return self.result

    def _file(self, source: SourceText) -> None:
        self.bytes += len(source.text)
        if self.bytes > MAX_BYTES:
            raise SourceError("HLP004", f"more than {MAX_BYTES >> 20} MB of source text", source.path, 0)
        nul = source.text.find("\0")
        if nul >= 0:
            raise SourceError("HLP002", "NUL byte in the source text", source.path, nul, nul + 1)
        self.result.sources[source.path] = source
        self.stack.append(source.path)
        self._lines(source, lex(source.path, source.text))
        self.stack.pop()

    def _lines(self, source: SourceText, lines: Iterable[Line]) -> None:
        # each open conditional: (is this arm active, was any arm, was all around it, place, seen #else, asks for a
        # compiler)
        conditions: list[list[bool | int]] = []
        active = True
        inactive_from = 0
        for line in lines:
            if not line.directive:
                if active:
                    self.chunk.extend(line.tokens)
                continue
            if not line.tokens:
                continue
            word, rest = line.tokens[0], line.tokens[1:]
            name = word.text
            was = active
            if name in ("if", "ifdef", "ifndef"):
                holds = active and self._condition(name, word, rest)
                asks = any(t.text in _COMPILERS for t in rest)
                conditions.append([holds, holds, active, line.start, False, asks])
                active = bool(holds)
            elif name in ("elif", "else", "endif"):
                if not conditions:
                    self._wrong(SourceError("HLP002", f"#{name} without #if", source.path, line.start, word.end))
                    continue
                top = conditions[-1]
                if name == "endif":
                    conditions.pop()
                    active = bool(top[2])
                else:
                    if top[4]:
                        raise SourceError("HLP002", f"#{name} after #else", source.path, line.start, word.end)
                    holds = bool(top[2]) and not top[1] and (name == "else" or self._condition("if", word, rest))
                    top[0], top[1], top[4] = holds, bool(top[1]) or holds, name == "else"
                    top[5] = top[5] or any(t.text in _COMPILERS for t in rest)
                    active = bool(top[0])
            elif active and not (name == "error" and any(c[5] for c in conditions)):
                self._directive(source, line, name, list(rest))
            if was and not active:
                inactive_from = line.start
            elif active and not was:
                self.result.inactive.append(Span(source.path, inactive_from, line.start))
        if conditions:
            self._wrong(SourceError("HLP002", "#if without #endif", source.path, int(conditions[-1][3])))

    def _wrong(self, fault: SourceError) -> None:
        """Go on behind a directive that means nothing, as compilers do. Raises it where the file is to be C."""
        if not self.cplusplus:
            raise fault
        self.result.faults.append(fault)

    def _condition(self, name: str, word: Token, rest: tuple[Token, ...]) -> bool:
        if name != "if":
            if not rest or rest[0].kind != "id":
                raise SourceError("HLP002", f"#{name} needs a macro name", word.path, word.start, word.end)
            return (rest[0].text in self.expander.macros) == (name == "ifdef")
        if not rest:
            raise SourceError("HLP002", f"#{word.text} without an expression", word.path, word.start, word.end)
        words = list(rest)
        if self.cplusplus:
            words = [_operator(t) if t.text in ALTERNATIVES else t for t in words]
        try:
            return evaluate_tokens(self.expander.expand(self._replace_defined(words)), lambda _: 0) != 0
        except NotConstant as fault:
            message = f"#{word.text} expression is not constant: {fault}"
            self._wrong(SourceError("HLP002", message, word.path, rest[0].start, rest[-1].end))
            return False

    def _replace_defined(self, tokens: list[Token]) -> list[Token]:
        """``defined X``, ``__has_include(...)`` and ``__GNUC_PREREQ(...)`` replaced by 0 or 1."""
        result: list[Token] = []
        at = 0
        while at < len(tokens):
            token = tokens[at]
            value: bool | None = None
            end = at + 1
            if token.text == "defined":
                bracket = end < len(tokens) and tokens[end].text == "("
                named = end + bracket
                if named < len(tokens) and tokens[named].kind == "id":
                    value, end = tokens[named].text in self.expander.macros, named + 1 + bracket
            elif token.text in ("__has_include", "__has_attribute", "__has_builtin"):
                while end < len(tokens) and tokens[end].text != ")":
                    end += 1
                end += 1
                header = spell(tokens[at + 2 : end - 1]).replace(" ", "")
                value = token.text == "__has_include" and own_header(header.strip('<>"')) is not None
            elif self._is_of_library(token) and end < len(tokens) and tokens[end].text == "(":
                value, end = False, closing(tokens, end) + 1
            if value is None:
                result.append(token)
            else:
                new = token.copy()
                new.kind, new.text = "num", str(int(value))
                result.append(new)
            at = end
        return result

    def _is_of_library(self, token: Token) -> bool:
        """Whether a name may be a macro of a library's header, of which only what programs use is read."""
        return token.text.startswith("__") and token.text not in self.expander.macros and bool(self.result.headers)

    def _directive(self, source: SourceText, line: Line, name: str, rest: list[Token]) -> None:
        word = line.tokens[0]
        if name == "define":
            self._flush()
            self.expander.define(rest, word)
        elif name == "undef":
            self._flush()
            if rest:
                self.expander.macros.pop(rest[0].text, None)
        elif name in ("include", "include_next", "import"):
            self._flush()
            self._include(source, line, rest)
        elif name == "pragma":
            if rest and rest[0].text == "once":
                self.once.add(source.path)
            elif rest:
                end = rest[-1].end
                self.chunk.append(PragmaToken(source.path, line.start, end, rest, "#pragma"))
        elif name == "error":
            text = source.text[rest[0].start : rest[-1].end] if rest else ""
            fault = SourceError("HLP002", f"#error {text}".strip(), source.path, line.start, line.tokens[-1].end)
            self.result.faults.append(fault)
        elif word.kind == "id" and name not in ("warning", "line", "ident", "sccs"):
            raise SourceError("HLP002", f"unknown directive #{name}", source.path, line.start, word.end)

    def _include(self, source: SourceText, line: Line, rest: list[Token]) -> None:
        word = line.tokens[0]
        if rest and rest[0].kind != "str" and rest[0].text != "<":
            rest = self.expander.expand(rest)
        if rest and rest[0].kind == "str":
            name, quoted = rest[0].text[1:-1], True
        elif rest and rest[0].text == "<":
            name, quoted = source.text[rest[0].end : rest[-1].start].strip(), False
            if rest[0].use is not None:
                name = spell(rest[1:-1]).replace(" ", "")
        else:
            raise SourceError("HLP002", "#include needs a file name", source.path, line.start, word.end)
        if not source.path.startswith(OWN) or source.path.endswith(".h"):
            self.result.included.add(name)
        header = self._find(source, name, quoted)
        if header is None:
            end = line.tokens[-1].end
            self.result.missing.append((name, self.refused.get(name, ""), source.path, line.start, end))
            return
        actual, named = posixpath.basename(header.path), posixpath.join(posixpath.dirname(source.path), name)
        moved = header.path in self.moved and posixpath.normpath(named) != header.path
        if (moved or actual != posixpath.basename(name)) and not header.path.startswith(OWN):
            at = Span(source.path, line.start, line.tokens[-1].end)
            self.result.respelled.append((name, actual, moved, at))
        if header.path in self.once:
            return
        if header.path in self.stack and len(self.stack) >= MAX_INCLUDE_DEPTH:
            last = len(self.stack) - 1 - self.stack[::-1].index(header.path)
            chain = " -> ".join(posixpath.basename(p) for p in [*self.stack[last:], header.path])
            raise SourceError("HLP002", f"include loop: {chain}", source.path, line.start, line.tokens[-1].end)
        if len(self.stack) >= MAX_INCLUDE_DEPTH:
            message = f"includes nested deeper than {MAX_INCLUDE_DEPTH}"
            raise SourceError("HLP004", message, source.path, line.start, line.tokens[-1].end)
        if header.path not in self.result.headers:
            self.result.headers.append(header.path)
        self._file(header)
        self._flush()

    def _find(self, source: SourceText, name: str, quoted: bool) -> SourceText | None:
        own = own_header(name)
        if own is not None and (not quoted or name.startswith(("ap_", "hls_"))):
            return (self._wrapper(source, name) if quoted else None) or own
        folders = list(self.options.include_dirs)
        if quoted:
            folders.insert(0, posixpath.dirname(source.path))
        if not source.path.startswith(OWN):
            for folder in folders:
                header = self._at(posixpath.normpath(posixpath.join(folder, name)), name)
                if header is not None:
                    return header
            if own is None and name not in self.refused:
                for folder in folders:
                    for path in any_case(folder, name):
                        header = self._at(path, name)
                        if header is not None:
                            return header
            base = posixpath.basename(name.replace("\\", "/"))
            if quoted and own is None and name not in self.refused and _ELSEWHERE.match(name):
                header = self._at(posixpath.join(posixpath.dirname(source.path), base), name)
                if header is not None and header.path not in self.stack:
                    self.moved.add(header.path)
                    return header
            if own is None and name not in self.refused and base.startswith(("ap_", "hls_")):
                return own_header(base)  # a copy of the tool's header in a folder that is not here
        return own

    def _wrapper(self, source: SourceText, name: str) -> SourceText | None:
        """A program's own header of the name of one of the tool, which it includes."""
        beside = self._at(posixpath.normpath(posixpath.join(posixpath.dirname(source.path), name)), name)
        return beside if beside is not None and f"<{name}>" in beside.text else None

    def _at(self, path: str, name: str) -> SourceText | None:
        """The file at a path, for the header ``name``."""
        known = self.result.sources.get(path)
        if known is not None:
            return known
        try:
            return SourceText(path, decode(self.read(path)))
        except Unreadable as fault:
            self.refused.setdefault(name, fault.strerror or "")
        except (OSError, ValueError):
            pass
        return None

    # ---------------------------------------------------------------------------- expansion

    def _flush(self) -> None:
        if self.chunk:
            chunk, self.chunk = self.chunk, []
            self.result.tokens.extend(self.expander.with_operators(self.expander.expand(chunk)))


def separated(tokens: list[Token]) -> tuple[list[Token], list[tuple[int, PragmaToken]]]:
    """Tokens without the pragmas, and each pragma with the index of the token it stands before.

    Each macro use is told which tokens it gave. Raises SourceError on what is no token of C.
    """
    kept: list[Token] = []
    pragmas: list[tuple[int, PragmaToken]] = []
    for token in tokens:
        if isinstance(token, PragmaToken):
            pragmas.append((len(kept), token))
            continue
        if token.kind == "bad":
            place = token.use or token
            stray = "unterminated literal" if token.text in "\"'" else f"stray {token.text!a} in the source"
            raise SourceError("HLP002", stray, place.path, place.start, place.end)
        if token.use is not None:
            if token.use.first < 0:
                token.use.first = len(kept)
            token.use.last = len(kept)
        kept.append(token)
    return kept, pragmas
