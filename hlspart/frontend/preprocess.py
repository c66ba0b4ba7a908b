"""The C preprocessor: directives, conditionals, includes and macro expansion over located tokens.

Expansion follows Prosser's algorithm (the one the C standard was written from), so that tokens
keep their places through any depth of macros. Conditionals do not change the macro table, hence a
run of text is expanded only when a definition changes or the file ends: a macro's arguments may
span ``#if`` and ``#pragma`` lines.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from hlspart.frontend.constants import NotConstant, evaluate_tokens
from hlspart.frontend.tokens import Line, PragmaToken, SourceError, Token, Use, lex, lex_line, spell
from hlspart.model.options import FrontendOptions
from hlspart.model.source import SourceText, Span

MAX_BYTES = 16 << 20  # of all files of one unit together
MAX_TOKENS = 1_000_000  # after expansion
MAX_INCLUDE_DEPTH = 64
OWN = "<hlspart>/"  # path prefix of the headers that hlspart brings along

PREDEFINED = {
    "__STDC__": "1", "__STDC_HOSTED__": "1", "__LP64__": "1", "__CHAR_BIT__": "8", "__SIZEOF_INT__": "4",
    "__SIZEOF_LONG__": "8", "__SIZEOF_POINTER__": "8", "__INT_MAX__": "2147483647", "__x86_64__": "1",
    "__BYTE_ORDER__": "1234", "__ORDER_LITTLE_ENDIAN__": "1234", "__ORDER_BIG_ENDIAN__": "4321",
    "__SYNTHESIS__": "1", "__VITIS_HLS__": "1", "__HLSPART__": "1", "__DATE__": '"Jan  1 1970"',
    "__TIME__": '"00:00:00"', "__linux__": "1", "__unix__": "1",
}  # fmt: skip
_NEVER_EXPANDED = frozenset({
    "HLS", "AP", "SDS", "ACCEL", "array_partition", "array_reshape", "array_map", "pipeline", "unroll", "inline",
    "dataflow", "interface", "dependence", "stream", "bind_storage", "bind_op", "resource", "loop_tripcount",
    "loop_flatten", "loop_merge", "latency", "allocation", "function_instantiate", "stable", "cyclic", "block",
    "complete", "variable", "factor", "dim", "type", "off", "port", "depth",
})  # fmt: skip


@dataclass
class Macro:
    """A definition. ``params`` None: object-like."""

    name: str
    params: tuple[str, ...] | None
    variadic: str | None
    body: tuple[Token, ...]
    builtin: bool = False


@dataclass
class Preprocessed:
    """Result of one unit; pragmas are among the tokens."""

    tokens: list[Token]
    sources: dict[str, SourceText]
    headers: list[str]
    missing: list[tuple[str, str, int, int]]  # header, path, start, end of the #include
    macros: dict[str, Macro]
    inactive: list[Span] = field(default_factory=list)


def decode(data: bytes) -> str:
    """Text of a file such that encoding it again gives its bytes."""
    return data.decode("utf-8", "surrogateescape")


@cache
def _own_names() -> frozenset[str]:
    folder = resources.files("hlspart.frontend") / "headers"
    names = {entry.name for entry in folder.iterdir() if entry.is_file()}
    return frozenset(names | {f"sys/{entry.name}" for entry in (folder / "sys").iterdir()})


@cache
def _own_text(name: str) -> SourceText:
    entry = resources.files("hlspart.frontend") / "headers" / name
    return SourceText(OWN + name, entry.read_text(encoding="utf-8"))


def own_header(name: str) -> SourceText | None:
    """A header that hlspart brings along (``<cstdint>`` is ``stdint.h``), None when it has none of that name."""
    c_name = name[1:] + ".h" if name.startswith("c") and "." not in name else name
    return next((_own_text(n) for n in (name, c_name) if n in _own_names()), None)


class Preprocessor:
    """Preprocesses one unit. ``read`` gives a file's bytes or raises OSError."""

    def __init__(self, options: FrontendOptions, language: str, read: Callable[[str], bytes]) -> None:
        self.options, self.read = options, read
        self.macros: dict[str, Macro] = {}
        self.out: list[Token] = []
        self.chunk: list[Token] = []
        self.result = Preprocessed(self.out, {}, [], [], self.macros)
        self.once: set[str] = set()
        self.guards: dict[str, str] = {}
        self.stack: list[str] = []
        self.bytes = self.counter = self.budget = 0
        for name, value in PREDEFINED.items():
            self._predefine(name, value)
        self._predefine(
            "__cplusplus" if language == "c++" else "__STDC_VERSION__", "201402L" if language == "c++" else "199901L"
        )
        for name in ("__FILE__", "__LINE__", "__COUNTER__"):
            self.macros[name] = Macro(name, None, None, (), builtin=True)
        for definition in options.defines:
            name, equals, value = definition.partition("=")
            line = lex("<command line>", f"#define {name} {value if equals else '1'}\n")[0]
            self._define(list(line.tokens)[1:])
        for name in options.undefines:
            self.macros.pop(name, None)

    def _predefine(self, name: str, value: str) -> None:
        self.macros[name] = Macro(name, None, None, tuple(lex_line(value, "<predefined>")))

    # -------------------------------------------------------------------------------- files

    def run(self, source: SourceText) -> Preprocessed:
        """Preprocess one file and all it includes. Raises SourceError."""
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
        # each open conditional: (is this arm active, was any arm, was all around it, place, seen #else)
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
                conditions.append([holds, holds, active, line.start, False])
                active = bool(holds)
            elif name in ("elif", "else", "endif"):
                if not conditions:
                    raise SourceError("HLP002", f"#{name} without #if", source.path, line.start, word.end)
                top = conditions[-1]
                if name == "endif":
                    conditions.pop()
                    active = bool(top[2])
                else:
                    if top[4]:
                        raise SourceError("HLP002", f"#{name} after #else", source.path, line.start, word.end)
                    holds = bool(top[2]) and not top[1] and (name == "else" or self._condition("if", word, rest))
                    top[0], top[1], top[4] = holds, bool(top[1]) or holds, name == "else"
                    active = bool(top[0])
            elif active:
                self._directive(source, line, name, list(rest))
            if was and not active:
                inactive_from = line.start
            elif active and not was:
                self.result.inactive.append(Span(source.path, inactive_from, line.start))
        if conditions:
            raise SourceError("HLP002", "#if without #endif", source.path, int(conditions[-1][3]))

    def _condition(self, name: str, word: Token, rest: tuple[Token, ...]) -> bool:
        if name != "if":
            if not rest or rest[0].kind != "id":
                raise SourceError("HLP002", f"#{name} needs a macro name", word.path, word.start, word.end)
            return (rest[0].text in self.macros) == (name == "ifdef")
        if not rest:
            raise SourceError("HLP002", f"#{word.text} without an expression", word.path, word.start, word.end)
        try:
            return evaluate_tokens(self._expand(self._replace_defined(list(rest))), lambda _: 0) != 0
        except NotConstant as fault:
            message = f"#{word.text} expression is not constant: {fault}"
            raise SourceError("HLP002", message, word.path, rest[0].start, rest[-1].end) from None

    def _replace_defined(self, tokens: list[Token]) -> list[Token]:
        """``defined X`` and ``__has_include(...)`` replaced by 0 or 1."""
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
                    value, end = tokens[named].text in self.macros, named + 1 + bracket
            elif token.text in ("__has_include", "__has_attribute", "__has_builtin"):
                while end < len(tokens) and tokens[end].text != ")":
                    end += 1
                end += 1
                header = spell(tokens[at + 2 : end - 1]).replace(" ", "")
                value = token.text == "__has_include" and own_header(header.strip('<>"')) is not None
            if value is None:
                result.append(token)
            else:
                new = token.copy()
                new.kind, new.text = "num", str(int(value))
                result.append(new)
            at = end
        return result

    def _directive(self, source: SourceText, line: Line, name: str, rest: list[Token]) -> None:
        word = line.tokens[0]
        if name == "define":
            self._flush()
            self._define(rest, word)
        elif name == "undef":
            self._flush()
            if rest:
                self.macros.pop(rest[0].text, None)
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
            raise SourceError("HLP002", f"#error {text}".strip(), source.path, line.start, line.tokens[-1].end)
        elif word.kind == "id" and name not in ("warning", "line", "ident", "sccs"):
            raise SourceError("HLP002", f"unknown directive #{name}", source.path, line.start, word.end)

    def _define(self, rest: list[Token], word: Token | None = None) -> None:
        if not rest or rest[0].kind != "id":
            at = word or (rest[0] if rest else None)
            place = (at.path, at.start, at.end) if at else ("<command line>", 0, 0)
            raise SourceError("HLP002", "#define needs a macro name", *place)
        name = rest[0]
        params: tuple[str, ...] | None = None
        variadic = None
        body = rest[1:]
        if body and body[0].text == "(" and not body[0].space:
            names: list[str] = []
            here = 1
            while here < len(body) and body[here].text != ")":
                if body[here].text == "...":
                    variadic = variadic or "__VA_ARGS__"
                elif body[here].kind == "id":
                    names.append(body[here].text)
                    if here + 1 < len(body) and body[here + 1].text == "...":
                        variadic = names.pop()
                elif body[here].text != ",":
                    break
                here += 1
            if here >= len(body) or body[here].text != ")":
                raise SourceError("HLP002", "malformed macro parameters", name.path, name.start, name.end)
            params, body = tuple(names), body[here + 1 :]
        self.macros[name.text] = Macro(name.text, params, variadic, tuple(body))

    def _include(self, source: SourceText, line: Line, rest: list[Token]) -> None:
        word = line.tokens[0]
        if rest and rest[0].kind != "str" and rest[0].text != "<":
            rest = self._expand(rest)
        if rest and rest[0].kind == "str":
            name, quoted = rest[0].text[1:-1], True
        elif rest and rest[0].text == "<":
            name, quoted = source.text[rest[0].end : rest[-1].start].strip(), False
            if rest[0].use is not None:
                name = spell(rest[1:-1]).replace(" ", "")
        else:
            raise SourceError("HLP002", "#include needs a file name", source.path, line.start, word.end)
        found = self._find(source, name, quoted)
        if found is None:
            end = line.tokens[-1].end
            self.result.missing.append((name, source.path, line.start, end))
            return
        if found.path in self.once:
            return
        if found.path in self.stack and len(self.stack) >= MAX_INCLUDE_DEPTH:
            last = len(self.stack) - 1 - self.stack[::-1].index(found.path)
            chain = " -> ".join(posixpath.basename(p) for p in [*self.stack[last:], found.path])
            raise SourceError("HLP002", f"include loop: {chain}", source.path, line.start, line.tokens[-1].end)
        if len(self.stack) >= MAX_INCLUDE_DEPTH:
            message = f"includes nested deeper than {MAX_INCLUDE_DEPTH}"
            raise SourceError("HLP004", message, source.path, line.start, line.tokens[-1].end)
        if found.path not in self.result.headers:
            self.result.headers.append(found.path)
        self._file(found)
        self._flush()

    def _find(self, source: SourceText, name: str, quoted: bool) -> SourceText | None:
        own = own_header(name)
        if own is not None and (not quoted or name.startswith(("ap_", "hls_"))):
            return own
        folders = list(self.options.include_dirs)
        if quoted:
            folders.insert(0, posixpath.dirname(source.path))
        if not source.path.startswith(OWN):
            for folder in folders:
                path = posixpath.normpath(posixpath.join(folder, name)) if folder else posixpath.normpath(name)
                known = self.result.sources.get(path)
                if known is not None:
                    return known
                try:
                    return SourceText(path, decode(self.read(path)))
                except (OSError, ValueError):
                    continue
        return own

    # ---------------------------------------------------------------------------- expansion

    def _flush(self) -> None:
        if self.chunk:
            chunk, self.chunk = self.chunk, []
            self.out.extend(self._operators(self._expand(chunk)))

    def _expand(self, tokens: list[Token]) -> list[Token]:
        """Fully macro-expanded copy of ``tokens``."""
        macros = self.macros
        out: list[Token] = []
        stack = tokens[::-1]
        while stack:
            token = stack.pop()
            if token.kind != "id":
                if isinstance(token, PragmaToken):
                    token.expanded = self._expand_pragma(token.body)
                out.append(token)
                continue
            macro = macros.get(token.text)
            if macro is None or token.text in token.hide:
                out.append(token)
                continue
            if macro.builtin:
                stack.append(self._builtin(token))
                continue
            if macro.params is None:
                use = token.use or Use(token.text, token.path, token.start, token.end)
                hide = token.hide | {token.text}
                body = self._substitute(macro, [], token, use, hide)
            else:
                arguments, close = self._arguments(macro, token, stack, out)
                if close is None:
                    out.append(token)
                    continue
                use = token.use or Use(token.text, token.path, token.start, close.end)
                if close.use is None and close.path == use.path:
                    use.end = max(use.end, close.end)
                hide = (token.hide & close.hide) | {token.text}
                body = self._substitute(macro, arguments, token, use, hide)
            self.budget += len(body)
            if self.budget > MAX_TOKENS:
                message = f"macro expansion gives more than {MAX_TOKENS} tokens"
                raise SourceError("HLP004", message, use.path, use.start, use.end)
            stack.extend(reversed(body))
        return out

    def _arguments(
        self, macro: Macro, token: Token, stack: list[Token], out: list[Token]
    ) -> tuple[list[list[Token]], Token | None]:
        """Take the arguments of a function-like use off ``stack``; (.., None) when it is no use."""
        depth = len(stack) - 1
        while depth >= 0 and stack[depth].kind == "pragma":
            depth -= 1
        if depth < 0 or stack[depth].text != "(" or stack[depth].kind != "op":
            return [], None
        assert macro.params is not None
        arguments: list[list[Token]] = [[]]
        level, at = 1, depth - 1
        fixed = len(macro.params)
        pragmas = stack[depth + 1 :]
        while at >= 0:
            t = stack[at]
            if t.kind == "op":
                if t.text == "(":
                    level += 1
                elif t.text == ")":
                    level -= 1
                    if level == 0:
                        break
                elif t.text == "," and level == 1 and not (macro.variadic and len(arguments) > fixed):
                    arguments.append([])
                    at -= 1
                    continue
            if t.kind == "pragma":
                pragmas.append(t)
            else:
                arguments[-1].append(t)
            at -= 1
        if at < 0:
            if token.use is None and macro.params is not None:
                message = f"unterminated use of macro {macro.name}"
                raise SourceError("HLP002", message, token.path, token.start, token.end)
            return [], None
        close = stack[at]
        del stack[at:]
        for pragma in pragmas:
            assert isinstance(pragma, PragmaToken)
            pragma.expanded = self._expand_pragma(pragma.body)
            out.append(pragma)
        if fixed == 0 and not macro.variadic and len(arguments) == 1 and not arguments[0]:
            arguments = []
        if macro.variadic and len(arguments) == fixed:
            arguments.append([])
        if len(arguments) != fixed + bool(macro.variadic):
            message = f"macro {macro.name} takes {fixed} argument{'s' * (fixed != 1)}, {len(arguments)} given"
            place = token.use or token
            raise SourceError("HLP002", message, place.path, place.start, place.end)
        return arguments, close

    def _substitute(
        self, macro: Macro, arguments: list[list[Token]], name: Token, use: Use, hide: frozenset[str]
    ) -> list[Token]:
        """The macro's body with its arguments put in."""
        params: dict[str, int] = {p: i for i, p in enumerate(macro.params or ())}
        if macro.variadic:
            params[macro.variadic] = len(params)
        expanded: dict[int, list[Token]] = {}
        result: list[Token] = []
        body = macro.body
        at = 0
        while at < len(body):
            token = body[at]
            following = body[at + 1] if at + 1 < len(body) else None
            argument = params.get(following.text) if following is not None and following.kind == "id" else None
            if token.text == "#" and macro.params is not None and argument is not None:
                result.append(self._stringified(arguments[argument], token, use))
                at += 2
                continue
            if token.text == "##" and result and following is not None:
                if argument is None:
                    right = [self._body(following, use)]
                else:
                    right = self._placed(arguments[argument], use, argument)
                if following.text == macro.variadic and result[-1].text == ",":
                    if right:  # GNU: ", ## __VA_ARGS__"
                        result.extend(right)
                    else:
                        result.pop()
                elif right:
                    if result[-1].kind == "eof":
                        result[-1:] = right
                    else:
                        result[-1:] = [*self._pasted(result[-1], right[0], use), *right[1:]]
                at += 2
                continue
            index = params.get(token.text) if token.kind == "id" else None
            if index is None:
                result.append(self._body(token, use))
            elif following is not None and following.text == "##":
                given = self._placed(arguments[index], use, index)
                result.extend(given or [Token("eof", "", use.path, use.start, use.end, False)])
            else:
                if index not in expanded:
                    expanded[index] = self._expand(arguments[index])
                    self.budget += len(expanded[index])
                    if self.budget > MAX_TOKENS:
                        message = f"macro expansion gives more than {MAX_TOKENS} tokens"
                        raise SourceError("HLP004", message, use.path, use.start, use.end)
                given = self._placed(expanded[index], use, index)
                if given:
                    given[0].space = token.space
                result.extend(given)
            at += 1
        result = [t for t in result if t.kind != "eof"]
        for token in result:
            token.hide = token.hide | hide if token.hide else hide
        if result:
            result[0].space = name.space
        return result

    def _body(self, token: Token, use: Use) -> Token:
        new = token.copy()
        new.use = use
        return new

    def _placed(self, tokens: list[Token], use: Use, number: int) -> list[Token]:
        """Copies of argument tokens, as parts of the outermost ``use``."""
        result = []
        for token in tokens:
            new = token.copy()
            if isinstance(token, PragmaToken):
                continue
            if token.use is None:
                new.lo, new.hi, new.arg = token.start, token.end, number
            elif token.use is not use:
                new.deep, new.arg = token.deep or token.lo < 0, number
                if token.lo < 0:
                    new.lo, new.hi = token.use.start, token.use.end
            new.use = use
            result.append(new)
        return result

    def _stringified(self, tokens: list[Token], at: Token, use: Use) -> Token:
        parts = [
            t.text.replace("\\", "\\\\").replace('"', '\\"') if t.kind in ("str", "chr") else t.text for t in tokens
        ]
        text = "".join((" " if i and t.space else "") + p for i, (t, p) in enumerate(zip(tokens, parts, strict=True)))
        new = Token("str", f'"{text}"', at.path, at.start, at.end, at.space)
        new.use = use
        return new

    def _pasted(self, left: Token, right: Token, use: Use) -> list[Token]:
        made = lex_line(left.text + right.text, left.path)
        if len(made) != 1:
            return [left, right]
        new = left.copy()
        new.kind, new.text, new.use, new.lo, new.hi = made[0].kind, made[0].text, use, -1, -1
        return [new]

    def _builtin(self, token: Token) -> Token:
        new = token.copy()
        place = token.use or token
        if token.text == "__FILE__":
            new.kind, new.text = "str", '"' + place.path.replace("\\", "\\\\").replace('"', '\\"') + '"'
        elif token.text == "__LINE__":
            source = self.result.sources.get(place.path)
            new.kind, new.text = "num", str(source.line_column(place.start)[0] if source else 0)
        else:
            new.kind, new.text = "num", str(self.counter)
            self.counter += 1
        if new.use is None:
            new.use = Use(token.text, token.path, token.start, token.end)
        return new

    def _expand_pragma(self, body: list[Token]) -> list[Token]:
        """Macros of a pragma's values expanded; its keywords are left alone."""
        marked = []
        for at, token in enumerate(body):
            keyword = at < 2 or token.text.lower() in _NEVER_EXPANDED or token.text in _NEVER_EXPANDED
            keyword = keyword or (at + 1 < len(body) and body[at + 1].text == "=")
            if token.kind == "id" and keyword:
                token = token.copy()
                token.hide = token.hide | {token.text}
            marked.append(token)
        try:
            return self._expand(marked)
        except SourceError as fault:
            if fault.rule == "HLP004":
                raise
            return body  # the directive's own parser reports what is wrong with it

    # ------------------------------------------------------------------------------- finish

    def _operators(self, tokens: list[Token]) -> list[Token]:
        """``_Pragma("...")`` turned into pragmas."""
        if not any(t.text == "_Pragma" for t in tokens):
            return tokens
        result: list[Token] = []
        at = 0
        while at < len(tokens):
            token = tokens[at]
            if token.text == "_Pragma" and [t.kind for t in tokens[at + 1 : at + 4]] == ["op", "str", "op"]:
                result.append(self._operator(token, tokens[at + 2], tokens[at + 3]))
                at += 4
            else:
                result.append(token)
                at += 1
        return result

    def _operator(self, word: Token, literal: Token, close: Token) -> PragmaToken:
        text = literal.text[literal.text.find('"') + 1 : -1].replace('\\"', '"').replace("\\\\", "\\")
        place = word.use or word
        end = close.end if word.use is None else place.end
        pragma = PragmaToken(place.path, place.start, end, lex_line(text, literal.path), "_Pragma")
        pragma.use = word.use
        pragma.expanded = self._expand_pragma(pragma.body)
        return pragma


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
