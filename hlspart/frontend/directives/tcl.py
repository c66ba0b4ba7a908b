"""Tcl project scripts and ``directives.tcl``: the part of Tcl that such files use.

Comments, continuation, quotes, braces, ``set`` variables, ``source``, conditions on constants and
``namespace eval`` or ``catch`` wrappers and ``[expr ..]`` on integers are followed; a loop, a procedure or another
command substitution is not executed but reported, so that no directive is lost silently.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from msgspec import Struct, field
from msgspec.structs import replace

from hlspart.frontend.constants import NotConstant, evaluate_tokens
from hlspart.frontend.context import place_of
from hlspart.frontend.directives.cfg import Reading, flags_beside, flow, period, sources_of, uncertainty
from hlspart.frontend.directives.command import Command
from hlspart.frontend.directives.grammar import literal
from hlspart.frontend.directives.kinds import KINDS
from hlspart.frontend.tokens import SourceError, lex_line
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Fault, Option
from hlspart.model.project import ProjectFile
from hlspart.model.source import Origin, SourceText, Span

_DEEPEST = 20
_EXPRESSION = re.compile(r"\[expr\s+([^][]*)\]")
_VARIABLE = re.compile(r"\$(?:\{([^}]*)\}|((?:::)?\w+(?:::\w+)*))")


class TclWord(Struct, frozen=True):
    """A word of a command; ``braced`` words are literal, ``open`` ones hold what cannot be known."""

    text: str
    start: int
    end: int
    braced: bool = False
    open: bool = False


class _Script(Struct):
    """State of the script as far as it is followed."""

    read: Callable[[str], bytes]
    variables: dict[str, str] = field(default_factory=dict)
    commands: list[Command] = field(default_factory=list)
    sources: dict[str, SourceText] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    testbench: list[str] = field(default_factory=list)
    cflags: list[str] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)


def read_tcl(source: SourceText, read: Callable[[str], bytes]) -> Reading:
    """Follow a script from its first to its last command. ``read`` gives the bytes of sourced files."""
    script = _Script(read)
    _run(script, source, 0, len(source.text), 0)
    folder = os.path.dirname(source.path)
    facts = script.facts
    project = ProjectFile(
        source.path,
        "tcl",
        sources=sources_of(folder, script.files),
        testbench=tuple(script.testbench),
        top=facts.get("top"),
        cflags=flags_beside(folder, script.cflags),
        part=facts.get("part"),
        clock_ns=period(facts["clock"]) if "clock" in facts else None,
        uncertainty=uncertainty(facts["uncertainty"]) if "uncertainty" in facts else None,
        flow=flow(facts.get("flow")),
        settings=script.settings,
        files=tuple(script.sources),
        diagnostics=tuple(script.diagnostics),
    )
    return Reading(project, script.commands, script.sources)


def _run(script: _Script, source: SourceText, start: int, end: int, depth: int) -> None:
    script.sources.setdefault(source.path, source)
    for words in _commands(source.text, start, end):
        _execute(script, source, [_substituted(w, script.variables) for w in words], depth)


def _execute(script: _Script, source: SourceText, words: list[TclWord], depth: int) -> None:
    name = words[0].text.rsplit("::", 1)[-1]
    args = words[1:]
    if name.startswith("set_directive_"):
        script.commands.append(_directive(source, name[len("set_directive_") :].lower(), words))
    elif name == "set" and len(args) == 2:
        if args[1].open:
            script.variables.pop(args[0].text, None)
        else:
            script.variables[args[0].text] = args[1].text
    elif name == "source" and args:
        _source(script, source, args[-1], depth)
    elif name == "if":
        _branch(script, source, args, depth)
    elif name in ("catch", "namespace", "eval") and args:
        body = next((w for w in args if w.braced), None)
        if body is not None and depth < _DEEPEST:
            _run(script, source, body.start + 1, body.end - 1, depth + 1)
    elif name in ("foreach", "for", "while", "proc", "switch", "dict"):
        if any("set_directive_" in source.text[w.start : w.end] for w in args):
            _note(script, source, words[0], f"'{name}' is not followed: the directives in it are not read")
    else:
        _project(script, name, args)


def _project(script: _Script, name: str, args: list[TclWord]) -> None:
    flags, plain = _arguments(args)
    if name == "set_top" and plain:
        script.facts["top"] = plain[0]
    elif name == "set_part" and (plain or "part" in flags):
        script.facts["part"] = plain[0] if plain else flags["part"]
    elif name == "create_clock" and (flags.get("period") or plain):
        script.facts["clock"] = flags.get("period") or plain[0]
    elif name == "set_clock_uncertainty" and plain:
        script.facts["uncertainty"] = plain[0]
    elif name == "open_solution" and flags.get("flow_target"):
        script.facts["flow"] = flags["flow_target"]
    elif name == "add_files":
        names = [one for text in plain for one in text.split()]
        (script.testbench if "tb" in flags else script.files).extend(names)
        if "tb" not in flags:
            script.cflags.extend(flags.get("cflags", "").split())
    elif name.startswith("config_"):
        for key, value in flags.items():
            script.settings[f"{name}.{key}"] = value


_VALUELESS = frozenset(("tb", "reset", "blackbox"))


def _arguments(args: list[TclWord]) -> tuple[dict[str, str], list[str]]:
    flags: dict[str, str] = {}
    plain: list[str] = []
    at = 0
    while at < len(args):
        word = args[at]
        at += 1
        if word.text.startswith("-") and not word.braced and not re.match(r"-[\d.]", word.text):
            key = word.text[1:]
            has_value = key not in _VALUELESS and at < len(args)
            if has_value and (args[at].braced or not args[at].text.startswith("-") or key == "cflags"):
                flags[key] = args[at].text
                at += 1
            else:
                flags[key] = ""
        else:
            plain.append(word.text)
    return flags, plain


def _source(script: _Script, source: SourceText, word: TclWord, depth: int) -> None:
    folder = os.path.dirname(source.path)
    path = word.text if os.path.isabs(word.text) else os.path.normpath(os.path.join(folder, word.text))
    if word.open or depth >= _DEEPEST or path in script.sources:
        if path not in script.sources:
            _note(script, source, word, f"'source {word.text}' is not followed")
        return
    try:
        text = script.read(path).decode("utf-8", "surrogateescape")
    except (OSError, ValueError):
        _note(script, source, word, f"'{word.text}' cannot be read: its directives are not known")
        return
    inner = SourceText(path, text)
    _run(script, inner, 0, len(text), depth + 1)


def _branch(script: _Script, source: SourceText, args: list[TclWord], depth: int) -> None:
    at = 0
    while at < len(args):
        if args[at].text == "else" and not args[at].braced:
            at += 1
            body = args[at] if at < len(args) else None
            truth: int | None = 1
        else:
            if args[at].text == "elseif":
                at += 1
            if at >= len(args):
                return
            test = _substituted(replace(args[at], braced=False), script.variables)
            truth = None if test.open else literal(test.text)
            at += 1
            if at < len(args) and args[at].text == "then":
                at += 1
            body = args[at] if at < len(args) else None
        at += 1
        if body is None:
            return
        if truth is None:
            rest = source.text[body.start : args[-1].end]
            if "set_directive_" in rest or "add_files" in rest:
                _note(script, source, body, "a condition is not known here: the commands in it are not read")
            return
        if truth:
            if body.braced and depth < _DEEPEST:
                _run(script, source, body.start + 1, body.end - 1, depth + 1)
            return


def _note(script: _Script, source: SourceText, word: TclWord, text: str) -> None:
    place = place_of({source.path: source}, Span(source.path, word.start, word.end))
    script.diagnostics.append(Diagnostic("HLP007", "directive-file", "warning", place, text))


def _directive(source: SourceText, kind: str, words: list[TclWord]) -> Command:
    def origin(word: TclWord) -> Origin:
        return Origin(Span(source.path, word.start, word.end))

    known = KINDS.get(kind)
    names: list[Option] = []
    options: list[Option] = []
    problems: list[Fault] = []
    at = 1
    while at < len(words):
        word = words[at]
        at += 1
        if word.open:
            text = f"'{word.text}' is not a constant"
            problems.append(Fault("bad-value", text, origin(word), "write the value, or set a variable to it"))
        if not word.text.startswith("-") or word.braced or re.match(r"-\d", word.text):
            names.extend(Option(name, None, origin(word)) for name in word.text.split())
            continue
        key, equals, value = word.text[1:].lower().partition("=")
        if equals:
            options.append(Option(key, value, origin(word)))
            continue
        option = known.options.get(key) if known is not None else None
        if known is not None and option is None and known.word_option(key) is not None:
            options.append(Option(key, None, origin(word)))  # -inter, -cyclic
        elif option is not None and option.form == "flag":
            boolean = at < len(words) and words[at].text.lower() in ("true", "false")
            options.append(Option(key, words[at].text.lower() if boolean else None, origin(word)))
            at += boolean
        elif at < len(words) and not (words[at].text.startswith("-") and not re.match(r"-\d", words[at].text)):
            options.append(Option(key, words[at].text, origin(word)))
            at += 1
        else:
            options.append(Option(key, None, origin(word)))
    start, end = words[0].start, words[-1].end
    at_origin = Origin(Span(source.path, start, end))
    text = " ".join(source.text[start:end].replace("\\\n", " ").split())
    return Command(kind, "tcl", tuple(names), tuple(options), at_origin, origin(words[0]), text, tuple(problems))


# ------------------------------------------------------------------------------------- lexing


def _substituted(word: TclWord, variables: dict[str, str]) -> TclWord:
    """Variables replaced by their values; ``open`` when something in it is not known."""
    if word.braced:
        return word
    unknown = False

    def value(match: re.Match[str]) -> str:
        nonlocal unknown
        name = (match.group(1) or match.group(2)).removeprefix("::")
        if name not in variables:
            unknown = True
            return match.group()
        return variables[name]

    text = _EXPRESSION.sub(_evaluated, _VARIABLE.sub(value, word.text))
    return replace(word, text=text, open=unknown or "[" in text)


def _evaluated(match: re.Match[str]) -> str:
    """``[expr ..]`` on integers; as it stands when it is something else."""
    try:
        number = evaluate_tokens(lex_line(match.group(1).strip("{} \t")), lambda _: None)
    except (NotConstant, SourceError):
        return match.group()
    return str(number) if number >= 0 else match.group()  # Tcl rounds negative quotients down


def _commands(text: str, start: int, end: int) -> list[list[TclWord]]:
    commands: list[list[TclWord]] = []
    words: list[TclWord] = []
    at = start
    while at < end:
        c = text[at]
        if c == "\\" and text[at + 1 : at + 2] in ("\n", "\r"):
            at += 3 if text[at + 1 : at + 3] == "\r\n" else 2
        elif c in "\n;":
            if words:
                commands.append(words)
                words = []
            at += 1
        elif c.isspace():
            at += 1
        elif c == "#" and not words:
            at = _end_of_comment(text, at, end)
        else:
            word = _word(text, at, end)
            words.append(word)
            at = max(word.end, at + 1)
    if words:
        commands.append(words)
    return commands


def _end_of_comment(text: str, at: int, end: int) -> int:
    while at < end and text[at] != "\n":
        at += 2 if text[at] == "\\" else 1
    return min(at, end)


def _word(text: str, at: int, end: int) -> TclWord:
    start = at
    if text[at] == "{":
        at = _closing(text, at, end, "{", "}")
        return TclWord(text[start + 1 : at - 1].strip(), start, at, braced=True)
    if text[at] == '"':
        at += 1
        while at < end and text[at] != '"':
            at += 2 if text[at] == "\\" else 1
        return TclWord(text[start + 1 : min(at, end)].replace("\\\n", " "), start, min(at + 1, end))
    while at < end and not text[at].isspace() and text[at] != ";":
        if text[at] == "[":
            at = _closing(text, at, end, "[", "]")
        elif text.startswith("${", at):
            at = _closing(text, at + 1, end, "{", "}")
        elif text[at] == "\\":
            if text[at + 1 : at + 2] in ("\n", "\r"):
                break
            at += 2
        else:
            at += 1
    return TclWord(text[start : min(at, end)], start, min(at, end))


def _closing(text: str, at: int, end: int, opening: str, closing: str) -> int:
    depth = 0
    while at < end:
        c = text[at]
        if c == "\\":
            at += 1
        elif c == opening:
            depth += 1
        elif c == closing:
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return end
