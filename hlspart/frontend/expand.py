"""Macro expansion over located tokens.

Prosser's algorithm, the one the C standard was written from: every token carries the set of macros
it must not be expanded by again. Tokens keep their places through any depth of macros.
"""

from __future__ import annotations

from collections.abc import Mapping

from hlspart.frontend.tokens import MacroDefinition, MacroUse, PragmaToken, SourceError, Token, lex_line
from hlspart.model.source import SourceText

MAX_TOKENS = 1_000_000  # in a piece of text after expansion
MAX_MADE = 4_000_000  # on the way there
_INNER = 1 << 20  # keeps the arguments of inner uses apart

_NEVER_EXPANDED = frozenset({
    "HLS", "AP", "SDS", "ACCEL", "array_partition", "array_reshape", "array_map", "pipeline", "unroll", "inline",
    "dataflow", "interface", "dependence", "stream", "bind_storage", "bind_op", "resource", "loop_tripcount",
    "loop_flatten", "loop_merge", "latency", "allocation", "function_instantiate", "stable", "cyclic", "block",
    "complete", "variable", "factor", "dim", "type", "off", "port", "depth",
})  # fmt: skip


class Expander:
    """The macro table, and expansion with it. ``sources`` gives the files whose lines ``__LINE__`` counts."""

    def __init__(self, sources: Mapping[str, SourceText]) -> None:
        self.sources = sources
        self.macros: dict[str, MacroDefinition] = {}
        self.counter = self.made = 0
        for name in ("__FILE__", "__LINE__", "__COUNTER__"):
            self.macros[name] = MacroDefinition(name, None, None, (), builtin=True)

    def predefine(self, name: str, value: str) -> None:
        """Define an object-like macro."""
        self.macros[name] = MacroDefinition(name, None, None, tuple(lex_line(value, "<predefined>")))

    def define(self, rest: list[Token], word: Token | None = None) -> None:
        """The tokens after ``#define`` (at ``word``)."""
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
        self.macros[name.text] = MacroDefinition(name.text, params, variadic, tuple(body))

    def expand(self, tokens: list[Token]) -> list[Token]:
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
                use = token.use or self._use(macro, token, token.end, [])
                hide = token.hide | {token.text}
                body = self._substitute(macro, [], token, use, hide)
            else:
                arguments, close = self._arguments(macro, token, stack, out)
                if close is None:
                    out.append(token)
                    continue
                use = token.use or self._use(macro, token, close.end, arguments)
                if close.use is None and close.path == use.path:
                    use.end = max(use.end, close.end)
                hide = (token.hide & close.hide) | {token.text}
                body = self._substitute(macro, arguments, token, use, hide)
            self._spend(len(body), len(out), use)
            stack.extend(reversed(body))
        return out

    def _spend(self, made: int, out: int, use: MacroUse) -> None:
        """Note ``made`` further tokens; ``out`` are there already. Raises SourceError beyond the limits."""
        self.made += made
        if self.made > MAX_MADE or out > MAX_TOKENS:
            message = f"macro expansion gives more than {MAX_TOKENS} tokens"
            raise SourceError("HLP004", message, use.path, use.start, use.end)

    def _use(self, macro: MacroDefinition, name: Token, end: int, arguments: list[list[Token]]) -> MacroUse:
        """A use in the text of a file."""
        use = MacroUse(name.text, name.path, name.start, end)
        use.macro, use.arguments = macro, arguments
        return use

    def _arguments(
        self, macro: MacroDefinition, token: Token, stack: list[Token], out: list[Token]
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
        self, macro: MacroDefinition, arguments: list[list[Token]], name: Token, use: MacroUse, hide: frozenset[str]
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
                    expanded[index] = self.expand(arguments[index])
                    self._spend(len(expanded[index]), 0, use)
                given = self._placed(expanded[index], use, index)
                if given and given[0].space != token.space:
                    given[0] = given[0].copy()
                    given[0].space = token.space
                result.extend(given)
            at += 1
        macros = self.macros
        for at, token in enumerate(result):
            # only a macro's name can be expanded again; a ")" may end its arguments
            if token.text in macros or token.text == ")":
                result[at] = token = token.copy()
                token.hide = token.hide | hide if token.hide else hide
        result = [t for t in result if t.kind != "eof"]
        if result and result[0].space != name.space:
            result[0] = result[0].copy()
            result[0].space = name.space
        return result

    def _body(self, token: Token, use: MacroUse) -> Token:
        new = token.copy()
        new.use = use
        return new

    def _placed(self, tokens: list[Token], use: MacroUse, number: int) -> list[Token]:
        """Argument tokens, as parts of the outermost ``use``."""
        result = []
        for token in tokens:
            if token.kind == "pragma":
                continue
            if token.use is use:
                result.append(token)
                continue
            new = token.copy()
            if token.use is None:
                new.lo, new.hi, new.arg = token.start, token.end, number
            else:
                # an argument of an inner use is told apart from the text around that use
                new.deep, new.arg = token.deep or token.lo < 0, _INNER * (number + 1) + token.arg
                if token.lo < 0:
                    new.lo, new.hi = token.use.start, token.use.end
            new.use = use
            result.append(new)
        return result

    def _stringified(self, tokens: list[Token], at: Token, use: MacroUse) -> Token:
        parts = [
            t.text.replace("\\", "\\\\").replace('"', '\\"') if t.kind in ("str", "chr") else t.text for t in tokens
        ]
        text = "".join((" " if i and t.space else "") + p for i, (t, p) in enumerate(zip(tokens, parts, strict=True)))
        new = Token("str", f'"{text}"', at.path, at.start, at.end, at.space)
        new.use, new.counts = use, any(t.counts for t in tokens)
        return new

    def _pasted(self, left: Token, right: Token, use: MacroUse) -> list[Token]:
        made = lex_line(left.text + right.text, left.path)
        if len(made) != 1:
            return [left, right]
        new = left.copy()
        new.kind, new.text, new.use, new.lo, new.hi = made[0].kind, made[0].text, use, -1, -1
        new.counts = left.counts or right.counts
        return [new]

    def _builtin(self, token: Token) -> Token:
        new = token.copy()
        new.counts = token.text != "__FILE__"
        place = token.use or token
        if token.text == "__FILE__":
            new.kind, new.text = "str", '"' + place.path.replace("\\", "\\\\").replace('"', '\\"') + '"'
        elif token.text == "__LINE__":
            source = self.sources.get(place.path)
            new.kind, new.text = "num", str(source.line_column(place.start)[0] if source else 0)
        else:
            new.kind, new.text = "num", str(self.counter)
            self.counter += 1
        if new.use is None:
            new.use = MacroUse(token.text, token.path, token.start, token.end)
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
            return self.expand(marked)
        except SourceError as fault:
            if fault.rule == "HLP004":
                raise
            return body  # the directive's own parser reports what is wrong with it

    # ------------------------------------------------------------------------------- finish

    def with_operators(self, tokens: list[Token]) -> list[Token]:
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
