"""``load``: paths to a :class:`~hlspart.model.program.Program`; every fault becomes a record."""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

from msgspec.structs import replace

from hlspart.frontend.beside import with_bodies
from hlspart.frontend.constants import NotConstant, evaluate_tokens
from hlspart.frontend.context import Collected, place_of
from hlspart.frontend.cxx_building import MADE
from hlspart.frontend.holes import Holes
from hlspart.frontend.implicit import with_int
from hlspart.frontend.language import STANDARD_HEADERS, is_for_others, language_of, languages
from hlspart.frontend.literals import integer
from hlspart.frontend.lower import Lowering
from hlspart.frontend.mathematics import those_of_c
from hlspart.frontend.mentions import counted, made_names, mentions, place
from hlspart.frontend.origins import TokenText
from hlspart.frontend.parse import brackets, normalised, parse, undeclared
from hlspart.frontend.preprocess import Preprocessed, Preprocessor, decode, separated
from hlspart.frontend.tokens import OPEN_TYPE, MacroDefinition, PragmaToken, SourceError, Token
from hlspart.frontend.types import STANDARD
from hlspart.frontend.undeclared import declared
from hlspart.frontend.unread import note_left_out, note_unread
from hlspart.model import program as ir
from hlspart.model.diagnostics import Diagnostic, Place, Severity
from hlspart.model.directives import Unread
from hlspart.model.options import FrontendOptions
from hlspart.model.source import OWN, SourceText, Span
from hlspart.reading import read_file

_RULE_NAMES = {
    "HLP001": "unreadable-file", "HLP002": "syntax-error", "HLP003": "unsupported-construct",
    "HLP004": "limit-exceeded", "HLP005": "run-time-extent", "HLP006": "missing-header",
}  # fmt: skip
_CPP_WORDS = {"::", "template", "using", "namespace", "class", "ap_int", "ap_uint", "ap_fixed", "ap_ufixed"}
_IN_EXPANSION = re.compile(r"\(in the expansion of (\w+)\)$")
_RECURSION = 20_000
_NOWHERE = "but declared nowhere"
_NO_C = "an error of syntax or a construct that is not supported near"  # for the grammar of C, in C++

_MAKER = f"::{MADE}"
_OPEN = "a construct that is not supported near"  # of a template that nothing instantiates


def load(paths: Sequence[str], options: FrontendOptions, read: Callable[[str], bytes] | None = None) -> ir.Program:
    """Read all files as one program.

    ``read`` gives a file's bytes or raises OSError (default: the file system). A file that cannot
    be read or parsed is a Unit with ``error``; the others are not affected. A fragment that is only
    C where another given file includes it is read there.
    """
    # Trees are walked by recursion here and in the analyses; their depth is limited by this package,
    # and Python's own limit (1000 frames) is below what ordinary generated C needs.
    if sys.getrecursionlimit() < _RECURSION:
        sys.setrecursionlimit(_RECURSION)
    reader = read or read_file
    collected = Collected()
    with _no_collection():
        units = [_unit(path, options, reader, collected) for path in paths]
        included = {header for unit in units if unit.error is None for header in unit.headers}
        units = [replace(u, error=None) if u.error is not None and u.path in included else u for u in units]
        units = [
            with_bodies(u, paths, collected, reader, partial(_unit, read=reader, collected=collected), options)
            for u in units
        ]
        collected.finish()
    functions = {
        name: replace(function, prototypes=tuple(collected.prototypes.get(name, ())))
        for name, function in collected.functions.items()
        if name in collected.called or not name.endswith(_MAKER)  # of a class whose objects are built in place
    }
    program = ir.Program(
        units=tuple(units),
        sources=collected.sources,
        functions=functions,
        variables=tuple(collected.variables),
        loops=collected.loops,
        pragmas=tuple(collected.pragmas),
        directives=(),
        constants=collected.constants,
        undefined={name: at for name, at in collected.called.items() if name not in functions},
        diagnostics=tuple(dict.fromkeys(collected.diagnostics)),
        inactive=tuple(collected.inactive),
        sizes=tuple(collected.sizes),
        mentions=_by_name(collected.mentions),
        made=collected.made,
        counted=tuple(collected.counted),
        holes=tuple(collected.holes.values()),
    )
    try:
        from hlspart.frontend.directives import resolve
    except ImportError:
        return program
    return resolve(program, options, reader)


def _by_name(mentions: Iterable[tuple[str, Span]]) -> dict[str, tuple[Span, ...]]:
    spans_of: dict[str, list[Span]] = {}
    for name, span in mentions:
        spans_of.setdefault(name, []).append(span)
    return {name: tuple(spans) for name, spans in spans_of.items()}


@contextmanager
def _no_collection() -> Iterator[None]:
    """No garbage collection meanwhile: nothing dies while records are built, and searching costs a third."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _unit(path: str, options: FrontendOptions, read: Callable[[str], bytes], collected: Collected) -> ir.Unit:
    language = language_of(path, options)
    try:
        data = read(path)
    except (OSError, ValueError) as fault:
        return ir.Unit(path, language, None, _unreadable(path, fault))
    source = SourceText(path, decode(data))
    collected.sources[path] = source
    if not source.text.strip():
        place = Place(path, 1, 1, 1, 1)
        return ir.Unit(
            path, language, source, Diagnostic("HLP001", "unreadable-file", "error", place, "the file is empty")
        )
    headers: list[str] = []
    error: Diagnostic | None = None
    unread: Sequence[Token | PragmaToken] = ()
    for language in languages(source, collected.sources, options):
        mark = collected.mark()
        try:
            headers, error, unread = _attempts(source, options, language, read, collected), None, ()
            break
        except SourceError as fault:
            collected.reset(mark)
            error, unread = error or _diagnostic(fault, path, collected), unread or fault.unread
        except RecursionError:
            collected.reset(mark)
            error = Diagnostic("HLP004", "limit-exceeded", "error", Place(path, 1, 1, 1, 1), "nested too deeply")
            break
    pragmas = [t for t in unread if isinstance(t, PragmaToken)]
    names = frozenset(t.text for pragma in pragmas for t in pragma.expanded)  # what they mean nobody knows
    nothing = Unread(error.message if error else "", True, True, names)
    note_unread(((pragma, nothing) for pragma in pragmas), collected)  # what is wrong with one alone is reported
    return ir.Unit(path, language, source, error, tuple(headers), collected.halted.get(path))


def _attempts(
    source: SourceText, options: FrontendOptions, language: str, read: Callable[[str], bytes], collected: Collected
) -> list[str]:
    """Read a unit; headers it included. Raises SourceError.

    ``-D n=16`` may be meant for a parameter ``n``, where a macro of that name is a syntax error: then
    the parameter is taken to have this value.
    """
    mark = collected.mark()
    assumed: dict[str, int] = {}
    first: SourceError | None = None
    while True:
        try:
            return _attempt(source, options, assumed, language, read, collected)
        except SourceError as fault:
            first = first or fault
            match = _IN_EXPANSION.search(fault.message)
            given = {d.partition("=")[0]: integer(d.partition("=")[2]) for d in options.defines}
            value = given.get(match.group(1)) if match else None
            if match is None or value is None:
                raise (fault if fault.rule == "HLP003" else first) from None
            assumed[match.group(1)] = value
            kept = tuple(d for d in options.defines if d.partition("=")[0] != match.group(1))
            options = replace(options, defines=kept)
            collected.reset(mark)
            mark = collected.mark()


def _attempt(
    source: SourceText,
    options: FrontendOptions,
    assumed: dict[str, int],
    language: str,
    read: Callable[[str], bytes],
    collected: Collected,
) -> list[str]:
    preprocessor = Preprocessor(options, language, read)
    result = preprocessor.result
    try:
        preprocessor.run(source)
    finally:
        collected.sources.update({k: t for k, t in result.sources.items() if k not in collected.sources})
    _notes(result, collected)
    if result.faults and [*languages(source, result.sources, options)][-1] != language:
        raise result.faults[0]  # a header that asks for the other language
    faults = [_diagnostic(fault, source.path, collected) for fault in result.faults]
    collected.diagnostics += faults
    collected.halted.update((source.path, fault) for fault in faults[:1])
    defined = {d.partition("=")[0] for d in options.defines}
    try:
        _lower(source.path, result, collected, language, assumed, defined, options)
    except SourceError as fault:
        fault.unread = result.tokens
        raise
    return result.headers


def _leaves_rest(fault: SourceError, language: str, defined: Collection[str]) -> bool:
    """Whether what a fault stands in can be left out.

    Text that is no C is no C file; of C++ much is not read here, and then the grammar of C finds the fault. A macro
    of the command line may be meant for a parameter.
    """
    match = _IN_EXPANSION.search(fault.message)
    parameter = match is not None and match.group(1) in defined
    return not (fault.whole or parameter) and fault.rule in (("HLP002", "HLP003") if language == "c++" else ("HLP003",))


def _lower(
    path: str, result: Preprocessed, collected: Collected, language: str, assumed: dict[str, int],
    defined: Collection[str], options: FrontendOptions,
) -> None:  # fmt: skip
    """Everything of a unit that can be read. Raises SourceError when that is nothing."""
    raw = normalised(result.tokens)
    holes: Holes | None = None
    while True:
        mark = collected.mark()
        try:
            _read(path, raw if holes is None else holes.tokens(), holes, result, collected, language, assumed, options)
            break
        except SourceError as fault:
            collected.reset(mark)
            if not _leaves_rest(fault, language, defined):
                raise
            holes = holes or Holes(raw)
            if not holes.cut(fault):
                raise
    if holes is not None:
        _note_holes(path, holes, collected)
    collected.inactive.extend(s for s in result.inactive if not s.path.startswith(OWN))
    names = {v.name for v in collected.variables}
    collected.mentions.update(dict.fromkeys(mentions(result.tokens, names)))
    collected.made |= made_names(result.tokens)
    collected.counted.extend(counted(result.tokens))
    for name, value in _macro_constants(result.macros).items():
        collected.constants.setdefault(name, value)


def _note_holes(path: str, holes: Holes, collected: Collected) -> None:
    """Records of what is not read."""
    said: set[str] = set()
    for hole in holes.cuts:
        start, end = place(hole.tokens[0]), place(hole.tokens[-1])
        at = Span(start.path, start.start, max(start.end, end.end if end.path == start.path else start.end))
        unused = at.path.startswith(OWN) and hole.cause.quiet  # a template of the tool's own that nothing uses
        if unused or at in collected.holes:  # or a header's, read with another unit
            continue
        collected.holes[at] = ir.Hole(at, hole.cause.message, hole.names)
        fault = hole.cause
        unknown = _NOWHERE in fault.message
        if fault.quiet or (unknown and fault.message in said):  # one name that is missing is one finding
            continue
        said.add(fault.message)
        known = fault.rule == "HLP003"
        where = place_of(collected.sources, Span(fault.path, fault.start, fault.end))
        severity: Severity = "error" if where.path == path else "note"
        lines = place_of(collected.sources, at)
        what = _OPEN if OPEN_TYPE in fault.message else _NO_C
        message = fault.message if known else "not read: " + fault.message.replace("syntax error near", what)
        message += f" (lines {lines.line} to {lines.end_line} are a hole)" if lines.end_line > lines.line else ""
        collected.diagnostics.append(Diagnostic("HLP003", _RULE_NAMES["HLP003"], severity, where, message, fault.hint))
    note_unread(holes.pragmas(), collected)


def _read(
    path: str, raw: list[Token], holes: Holes | None, result: Preprocessed, collected: Collected, language: str,
    assumed: dict[str, int], options: FrontendOptions,
) -> None:  # fmt: skip
    """One attempt. Raises SourceError at the first thing that cannot be read."""
    types: dict[str, ir.CType] = {}
    holes_read = holes.cuts if holes is not None else ()
    unread = {name: template for hole in holes_read for name, template in hole.types.items()}
    given = language == "c++" and bool(raw)  # templates that nothing uses leave nothing
    defaults: Mapping[Token, Mapping[int, Sequence[Token]]] = {}
    if language == "c++":
        from hlspart.frontend.cxx import as_c

        text = raw
        raw, types, unused, defaults = as_c(raw, unread, path, options.instantiate)
        for function in unused:
            note_unread(function.pragmas(), collected)
        note_left_out(text, raw, path, collected)
    types.update((n, ir.OtherType(n)) for n, template in unread.items() if not template and n not in types)
    tokens, pragmas = separated(with_int(raw) if language == "c" else raw)
    if not tokens and not pragmas and (holes_read or given):
        return
    if not tokens and not pragmas:
        if result.faults:
            raise result.faults[0]
        if is_for_others(collected.sources[path]):
            return
        asks = "#if" in collected.sources[path].text.replace(" ", "")
        said = "no #if leaves any C; -D gives it the names it asks for" if asks else "the file holds no C"
        raise SourceError("HLP001", said, path, 0)
    match = brackets(tokens)
    try:
        tree, guessed = parse(tokens, types, guess_types=bool(result.missing) or language == "c++")
    except SourceError as fault:
        if language == "c" and any(t.text in _CPP_WORDS for t in tokens):
            fault.hint = "the text looks like C++: use --lang c++"
        raise
    types.update((name, STANDARD.get(name, ir.OtherType(name + OPEN_TYPE))) for name in guessed)
    if not result.missing:
        elsewhere = declared(text) if language == "c++" else set()
        _note_types(path, tokens, [n for n in guessed if n not in STANDARD and n not in elsewhere], collected)
    lowering = Lowering(path, TokenText(tokens, match), pragmas, collected, language)
    lowering.context.assumed, lowering.context.holes = assumed, holes_read
    lowering.context.defaults, lowering.context.mathematics_of_c = defaults, those_of_c(result)
    lowering.unit(tree, types)


def _note_types(path: str, tokens: list[Token], names: Collection[str], collected: Collected) -> None:
    """Names that are taken for types, though no header is missing that could declare them."""
    for name in names:
        at = next(t for t in tokens if t.text == name)
        where = place_of(collected.sources, place(at))
        severity: Severity = "error" if where.path == path else "note"
        message = undeclared(name, "used as a type")
        collected.diagnostics.append(Diagnostic("HLP003", _RULE_NAMES["HLP003"], severity, where, message))


def _macro_constants(macros: dict[str, MacroDefinition]) -> dict[str, int]:
    """Integer values of the object-like macros at the end of a unit."""
    values: dict[str, int] = {}
    pending: set[str] = set()

    def value(name: str) -> int | None:
        if name in values:
            return values[name]
        macro = macros.get(name)
        if macro is None or macro.params is not None or not macro.body or name in pending or len(macro.body) > 64:
            return None
        if len(pending) > 100:
            return None
        pending.add(name)
        try:
            values[name] = evaluate_tokens(macro.body, value)
        except NotConstant:
            return None
        finally:
            pending.discard(name)
        return values[name]

    for name, macro in macros.items():
        if not (macro.body and macro.body[0].path.startswith("<")):
            value(name)
    return {name: number for name, number in values.items() if not name.startswith("__")}


def _notes(result: Preprocessed, collected: Collected) -> None:
    for name, actual, moved, at in result.respelled:
        why = "no compiler finds it there" if moved else "a system that tells the case of names apart does not find it"
        message = f"header {name} is read from {actual}{' beside it' * moved}: {why}"
        where = place_of(collected.sources, at)
        collected.diagnostics.append(Diagnostic("HLP006", "header-case", "note", where, message))
    for name, why, path, start, end in result.missing:
        place = place_of(collected.sources, Span(path, start, end))
        message = f"header {name} {why or 'not found'}, skipped"
        hint = None if why else "give its folder with -I; nothing is said of what its names decide"
        kind = "standard-header" if name in STANDARD_HEADERS else "missing-header"
        collected.diagnostics.append(Diagnostic("HLP006", kind, "note", place, message, hint))


def _unreadable(path: str, fault: Exception) -> Diagnostic:
    if isinstance(fault, FileNotFoundError):
        message = "no such file"
    elif isinstance(fault, IsADirectoryError):
        message = "is a folder, not a file"
    elif isinstance(fault, OSError) and fault.strerror:
        message = fault.strerror[0].lower() + fault.strerror[1:]
    else:
        message = str(fault)
    return Diagnostic("HLP001", "unreadable-file", "error", Place(path, 1, 1, 1, 1), f"cannot read: {message}")


def _diagnostic(fault: SourceError, path: str, collected: Collected) -> Diagnostic:
    place = place_of(collected.sources, Span(fault.path or path, fault.start, fault.end))
    return Diagnostic(fault.rule, _RULE_NAMES[fault.rule], "error", place, fault.message, fault.hint)
