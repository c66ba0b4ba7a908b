"""Pragmas of the source text to :class:`Directive` records."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Literal

from msgspec.structs import replace

from hlspart.frontend.compile_time import evaluate
from hlspart.frontend.directives.grammar import Word, condition, interpret, is_modelled, split, unknown_kind, words_of
from hlspart.frontend.directives.kinds import DISTINCTIVE, KINDS, DirectiveKind
from hlspart.frontend.directives.scope import Lookup, Scopes
from hlspart.frontend.directives.unreached import unreached
from hlspart.frontend.tokens import SourceError, Token, lex_line, spell
from hlspart.model import program as ir
from hlspart.model.directives import Directive, Fault, Option, RawPragma
from hlspart.model.source import Origin, Span

_WORD = re.compile(r"[A-Za-z_$][\w$]*")

Dialect = Literal["vitis", "smarthls", "accel", "bambu", "opencl", "autopilot", "unknown"]

_FOREIGN: dict[str, tuple[Dialect, str]] = {
    "ACCEL": ("accel", "Merlin"),
    "AP": ("autopilot", "AutoPilot"),
    "AUTOPILOT": ("autopilot", "AutoPilot"),
}
_WORD = re.compile(r"[A-Za-z_]\w*")
_SMARTHLS = frozenset(("memory", "loop", "function", "thread"))
_BAMBU = re.compile(r"HLS_(?:interface|cache|simple_pipeline|stallable_pipeline|bambu\w*)", re.IGNORECASE)
_JOINED = re.compile(r"HLS_?([A-Za-z]\w*)", re.IGNORECASE)
_NEARLY = re.compile(r"HSL|LHS|SHL|HL|HLSS|HHLS|HLLS|HLS_|H1S|HIS|XLS|VHLS", re.IGNORECASE)
_OPENCL = re.compile(
    r"\bxcl_(array_partition|array_reshape|pipeline_loop|pipeline_workitems|dataflow|loop_tripcount)\b"
)


def directives_of(program: ir.Program, scopes: Scopes) -> list[Directive]:
    """A directive for every pragma that is, or was meant as, an HLS one; others stay raw."""
    directives = []
    lacking, left_out = program.without_header(), unreached(program)
    for pragma in program.pragmas:
        directive = _Reader(program, scopes, pragma, lacking).read()
        if directive is not None:
            directives.append(_outside(directive) if pragma.index in left_out else directive)
    return directives + _attributes(program)


def _outside(directive: Directive) -> Directive:
    """A directive under a condition that is false wherever the text is read: it says nothing."""
    if not directive.usable or directive.dialect != "vitis":
        return directive
    return replace(directive, problems=(Fault("condition-false", "the condition around it is false", directive.at),))


def directive_of(program: ir.Program, pragma: RawPragma) -> Directive | None:
    """The directive of one pragma, which may be new."""
    return _Reader(program, Scopes(program), pragma, program.without_header()).read()


def _is_mode(tokens: Sequence[Token]) -> bool:
    """Whether the options look like those of Vitis HLS: ``name=value``, or the mode first."""
    modes = KINDS["interface"].options["mode"].words
    return len(tokens) > 2 and (tokens[2].text == "=" or tokens[1].text.lower() in modes)


class _Reader:
    """Reads one pragma."""

    def __init__(self, program: ir.Program, scopes: Scopes, pragma: RawPragma, lacking: frozenset[str]) -> None:
        self.program, self.scopes, self.pragma, self.lacking = program, scopes, pragma, lacking
        self.at = pragma.at

    def read(self) -> Directive | None:
        tokens = _lex(self.pragma.expanded)
        if not tokens or tokens[0].kind != "id":
            return None
        word = tokens[0].text
        if word.upper() in _FOREIGN:
            dialect, tool = _FOREIGN[word.upper()]
            problem = Fault("other-dialect", f"'#pragma {word}' is {tool}'s, not an HLS pragma", self.at)
            kind = tokens[1].text.lower() if len(tokens) > 1 else word.lower()
            return self._plain(kind, dialect, tokens[2:], problem)
        if word.upper() != "HLS":
            return self._without_keyword(tokens)
        if len(tokens) == 1:
            return self._plain("", "vitis", (), Fault("syntax", "the pragma is empty", self.at))
        return self._hls(tokens[1:])

    def _without_keyword(self, tokens: Sequence[Token]) -> Directive | None:
        word = tokens[0].text
        if _BAMBU.fullmatch(word) and not _is_mode(tokens):
            problem = Fault("other-dialect", f"'#pragma {word}' is Bambu's, not an HLS pragma", self.at)
            return self._plain(word.lower(), "bambu", tokens[1:], problem)
        joined = _JOINED.fullmatch(word)
        kind = KINDS.get(joined.group(1).lower()) if joined is not None else None
        rest_of = tokens[1:]
        if kind is None and _NEARLY.fullmatch(word) and len(tokens) > 1:
            kind, rest_of = KINDS.get(tokens[1].text.lower()), tokens[2:]
        if kind is not None:
            problem = Fault(
                "missing-keyword", f"'{word}' is not the keyword HLS", self.at, f"write #pragma HLS {kind.name}"
            )
            return self._plain(kind.name, "unknown", rest_of, problem)
        kind = KINDS.get(word.lower())
        if kind is None:
            return None
        rest = {t.text.lower() for t in tokens[1:]}
        if word.lower() not in DISTINCTIVE and "=" not in rest:
            return None  # '#pragma unroll' belongs to other compilers
        hint = f"write #pragma HLS {word}"
        problem = Fault("missing-keyword", f"the keyword HLS is missing before '{word}'", self.at, hint)
        return self._plain(kind.name, "unknown", tokens[1:], problem)

    def _hls(self, tokens: Sequence[Token]) -> Directive:
        truth: bool | None = True
        if tokens[0].text == "if":
            truth, end = condition(tokens, self._value)
            changing = next((t.text for t in tokens[1:end] if t.kind == "id" and self._changes(t.text)), None)
            tokens = tokens[end:]
            if not tokens:
                return self._plain("", "vitis", (), Fault("syntax", "no pragma after the condition", self.at))
        word = tokens[0].text
        if word.lower() in _SMARTHLS or _is_parenthesised(tokens):
            return self._smarthls(tokens)
        kind = KINDS.get(word.lower())
        if any(t.text == "auto" and after.text == "{" for t, after in pairwise(tokens)):
            problem = Fault("other-dialect", "auto{..} is a place that AutoDSE fills in, no value", self.at)
            return self._plain(word.lower(), "accel", (), problem)
        if kind is None:
            return self._plain(word.lower(), "vitis", tokens[1:], unknown_kind(word, self.at))
        directive = self._known(kind, tokens[1:])
        if truth is None and changing is not None:
            text = f"its condition is no constant expression: '{changing}' has a value at run time only"
            problem = Fault("bad-condition", text, self.at, "decide it by a macro or by a parameter of a template")
            return replace(directive, modelled=False, problems=(*directive.problems, problem))
        if truth is None:
            problem = Fault("condition-unknown", "its condition is not constant here", self.at, fatal=False)
            return replace(directive, modelled=False, problems=(*directive.problems, problem))
        if not truth:
            problem = Fault("condition-false", "its condition is false", self.at)
            return replace(directive, problems=(problem,))
        return directive

    def _known(self, kind: DirectiveKind, tokens: Sequence[Token]) -> Directive:
        options, problems = split(self._placed(tokens))
        written = self._written() if problems else ()
        if written and not (plain := split(words_of(written, self.at)))[1]:  # arguments of templates
            options, values = plain[0], dict[str, int]()
            problems = [Fault("value-unknown", "a value of it is not known here", self.at, fatal=False)]
        else:
            values, more = interpret(kind, options, self.at, self._value, self._why_lacking)
            problems += more
        variables, more = self._variables(kind, options)
        problems += more
        problems += self._position(kind)
        return Directive(
            kind.name, "vitis", "pragma", self.at, self._text(), tuple(options), values, self.pragma.function,
            self.pragma.loop, variables, tuple(problems), is_modelled(kind, options, problems), self.pragma.index,
        )  # fmt: skip

    def _smarthls(self, tokens: Sequence[Token]) -> Directive:
        words, options, at = [], [], 0
        while at < len(tokens):
            name, at = tokens[at].text.lower(), at + 1
            if at < len(tokens) and tokens[at].text == "(":
                end = next((k for k in range(at, len(tokens)) if tokens[k].text == ")"), len(tokens))
                options.append(Option(name, spell(tokens[at + 1 : end]), self.at))
                at = end + 1
            elif options:
                options.append(Option(name, None, self.at))
            else:
                words.append(name)
        named = [o.value or "" for o in options if o.name in ("variable", "argument")]
        variables = [f.variable.id for n in named if (f := self._find(n)).variable is not None]
        problem = Fault("other-dialect", "this is SmartHLS's spelling; Vitis HLS does not know it", self.at)
        return Directive(
            "_".join(words), "smarthls", "pragma", self.at, self._text(), tuple(options), {}, self.pragma.function,
            self.pragma.loop, tuple(variables), (problem,), False, self.pragma.index,
        )  # fmt: skip

    def _plain(self, kind: str, dialect: Dialect, tokens: Sequence[Token], problem: Fault) -> Directive:
        """A directive without meaning for the tool: kept with its options, never acted on."""
        options, _ = split(words_of(tokens, self.at))
        return Directive(
            kind, dialect, "pragma", self.at, self._text(), tuple(options), {}, self.pragma.function,
            self.pragma.loop, (), (problem,), False, self.pragma.index,
        )  # fmt: skip

    # ------------------------------------------------------------------------------- pieces

    def _text(self) -> str:
        return f"#pragma {self.pragma.text}"

    def _why_lacking(self, names: frozenset[str]) -> str | None:
        """Why names without a value may have one."""
        if self.at.span.path in self.lacking:
            return "a header was not found"
        made = next((n for n in sorted(names) if self._is_of_open_names(n)), None)
        if made is not None:
            return f"'{made}' is made of a name that nothing declares"
        unread, open_ = self.pragma.unread, self.pragma.open
        if open_ and all(n in open_ or self._is_said(n) for n in names):
            open_name = next((n for n in names if n in open_), None)
            return f"{open_name or 'what decides it'} is a parameter of a template without an instance"
        if unread is not None and names <= unread.names:
            return f"the text around it is not read: {unread.cause}"
        return self._by_command(names)

    def _by_command(self, names: frozenset[str]) -> str | None:
        """Whether a command line may define a name: one with capitals, as macros have, that is not nearly known."""
        unknown = sorted(n for n in names if not self._is_said(n) and n not in self.program.constants)
        known = [*self.program.constants, *(v.name for v in self.program.variables)]
        like_macros = all(n.isupper() or (n[0].isupper() and "_" in n) for n in unknown if len(n) > 1)
        if not unknown or not like_macros or any(len(n) < 2 for n in unknown):
            return None
        if any(difflib.get_close_matches(n, known, 1, 0.75) for n in unknown):
            return None
        return f"nothing defines '{unknown[0]}', as -D {unknown[0]}=.. does"

    def _in_hole(self, name: str, problem: Fault) -> Fault:
        """What to say of a variable that nothing declares: what is not read around the pragma may."""
        function = self.program.functions.get(self.pragma.function or "")
        words = set(_WORD.findall(name))
        begin = function.at.span if function is not None else self.at.span
        for hole in self.program.holes:
            around = hole.at.path == begin.path and begin.start <= hole.at.start <= self.at.span.start
            if around and words & hole.names:
                return Fault("unread", f"'{name}' is in what is not read: {hole.cause}", self.at)
        return problem

    def _is_of_open_names(self, name: str) -> bool:
        """Whether a name is that of a constant whose value holds a name that only the build can give."""
        variable = self._find(name).variable
        init = variable.init if variable is not None and variable.const else None
        return isinstance(init, ir.Expr) and any(ir.is_open(e.type) for e in ir.walk(init))

    def _is_said(self, name: str) -> bool:
        """Whether the file says a name anywhere but in pragmas: it may be made of parameters."""
        text = self.program.sources[self.at.span.path].text
        return any(name in _WORD.findall(line) for line in text.splitlines() if not line.lstrip().startswith("#pragma"))

    def _changes(self, name: str) -> bool:
        """Whether a name is a variable that is no constant."""
        variable = self._find(name).variable
        return variable is not None and not variable.const

    def _value(self, text: str) -> int | None:
        return evaluate(text, self.program, self.pragma.function, self.pragma.block)

    def _find(self, name: str) -> Lookup:
        return self.scopes.find(name, self.pragma.function, self.pragma.block, self.at)

    def _written(self) -> Sequence[Token]:
        """The options as they are written, where arguments of templates stand in their place."""
        if self.pragma.spelling != "#pragma" or self.at.kind != "plain":
            return ()
        return [t for t in _lex(self.program.text(self.at)) if t.text != "#"][3:]

    def _placed(self, tokens: Sequence[Token]) -> list[Word]:
        """Expanded tokens with the places of their spelling, as far as these are known."""
        words = words_of(tokens, self.at)
        if self.pragma.spelling != "#pragma" or self.at.kind != "plain":
            return words
        written = [t for t in _lex(self.program.text(self.at)) if t.text != "#"]
        shift = self.at.span.start - 1  # lex_line puts a blank before the text
        by_name = {
            t.text.lower(): Origin(Span(self.at.span.path, t.start + shift, t.end + shift))
            for t in reversed(written[2:])
            if t.kind == "id"
        }
        return [replace(w, at=by_name.get(w.text.lower(), w.at)) if w.kind == "id" else w for w in words]

    def _position(self, kind: DirectiveKind) -> list[Fault]:
        name = kind.name.upper()
        unread = self.pragma.unread
        in_function = self.pragma.function is not None or (unread is not None and unread.in_function)
        in_loop = self.pragma.loop is not None or (unread is not None and unread.in_loop)
        if not in_function:
            text = f"{name} stands outside of a function"
            return [Fault("outside-function", text, self.at, "move it into the body of the function")]
        if kind.place == "loop" and not in_loop:
            text = f"{name} stands outside of a loop"
            return [Fault("outside-loop", text, self.at, "move it into the body of the loop, first line")]
        if unread is not None:
            return [Fault("unread", f"the text around it is not read: {unread.cause}", self.at)]
        return []

    def _variables(self, kind: DirectiveKind, options: Sequence[Option]) -> tuple[tuple[int, ...], list[Fault]]:
        variables: list[int] = []
        problems: list[Fault] = []
        for position, option in enumerate(options):
            wanted = kind.options.get(option.name)
            if wanted is None or wanted.form != "name":
                continue
            value = option.value
            if value is None:  # the '=' is missing; reported already
                value = options[position + 1].name if position + 1 < len(options) else ""
            for name in value.split(","):
                variable, problem = named_variable(name.strip(), option.at, self._find, self.program)
                if self.pragma.unread is not None:  # tokens tell only whether the text says the name
                    said = self.pragma.unread.names.intersection(_WORD.findall(name))
                    variable, problem = None, None if said else problem
                elif problem is not None and problem.code == "unknown-variable":
                    problem = self._in_hole(name, problem)
                if variable is not None:
                    variables.append(variable)
                if problem is not None:
                    problems.append(problem)
        return tuple(dict.fromkeys(variables)), problems


def named_variable(
    text: str, at: Origin, find: Callable[[str], Lookup], program: ir.Program
) -> tuple[int | None, Fault | None]:
    """The variable that ``variable=text`` means, or what is wrong with it."""
    name = re.sub(r"^\s*(?:this\s*->|\*|&)\s*", "", text)
    match = re.match(r"[A-Za-z_$][\w$]*", name)
    if text == "return" or not text:
        return None, None
    if match is None:
        return None, Fault("unknown-variable", f"'{text}' is not the name of a variable", at)
    part = re.match(r"[A-Za-z_$][\w$]*\s*\.\s*[A-Za-z_$][\w$]*$", name)  # of an object that is taken apart
    if part is not None and (symbol := find(re.sub(r"\s", "", name))).variable is not None:
        return symbol.variable.id, None
    qualified = re.match(r"(?:[A-Za-z_$][\w$]*::)+[A-Za-z_$][\w$]*", name)  # a name that several namespaces declare
    if qualified is not None and find(qualified.group()).variable is not None:
        match = qualified
    base, rest = match.group(), name[match.end() :].strip()
    member = bool(rest) or text.startswith("this")
    symbol = find(base)
    if symbol.variable is not None:
        if member and not rest.startswith("::"):
            note = Fault("struct-member", f"'{text}' is a part of a variable", at, fatal=False)
            return symbol.variable.id, note
        return symbol.variable.id, None
    if member:
        return None, Fault("struct-member", f"'{text}' is a member that is not known here", at, fatal=False)
    if symbol.later is not None:
        line = program.line(symbol.later.at)
        text = f"'{base}' is declared after the pragma, in line {line}"
        return None, Fault("declared-later", text, at, f"move the pragma below line {line}")
    if len(symbol.elsewhere) > 1 and len({v.function for v in symbol.elsewhere}) == 1:
        places = ", ".join(str(program.line(v.at)) for v in symbol.elsewhere)
        return None, Fault("ambiguous-variable", f"'{base}' is declared several times, in lines {places}", at)
    if symbol.elsewhere:
        other = symbol.elsewhere[0]
        where = f"in function '{other.function}'" if other.function else "at file scope"
        text = f"no variable '{base}' is visible here; one is declared {where}, line {program.line(other.at)}"
        return None, Fault("not-visible", text, at, "move the pragma into the scope of the variable")
    return None, Fault("unknown-variable", f"no variable '{base}'", at)


def _is_parenthesised(tokens: Sequence[Token]) -> bool:
    """Whether options are written ``name(value)``."""
    if any(t.text == "=" for t in tokens):
        return False
    return any(a.kind == "id" and b.text == "(" and not b.space for a, b in pairwise(tokens[1:]))


def _lex(text: str) -> list[Token]:
    try:
        return lex_line(text)
    except SourceError:
        return []


def _attributes(program: ir.Program) -> list[Directive]:
    """OpenCL attributes, which stand in declarations and not in pragmas."""
    directives = []
    for unit in program.units:
        if unit.source is None or unit.error is not None or "xcl_" not in unit.source.text:
            continue
        for match in _OPENCL.finditer(unit.source.text):
            at = Origin(Span(unit.path, match.start(), match.end()))
            problem = Fault("other-dialect", f"'{match.group()}' is an OpenCL attribute, ignored in C kernels", at)
            kind, text = match.group(1), match.group()
            directives.append(Directive(kind, "opencl", "pragma", at, text, (), {}, None, None, (), (problem,), False))
    return directives
