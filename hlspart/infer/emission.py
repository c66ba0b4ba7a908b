"""What the user takes away: pragma lines in place, a diff, cfg, Tcl or SmartHLS directives."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator

from hlspart.frontend.directives import print_directive
from hlspart.model.directives import Directive, Option
from hlspart.model.program import Program
from hlspart.model.results import InferredArray, InferResult
from hlspart.model.source import Edit, SourceText, Span, apply_edits

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def emit(program: Program, result: InferResult, form: str) -> str:
    """The inferred directives as text: ``pragma``, ``diff``, ``cfg``, ``tcl`` or ``smarthls``."""
    if form == "diff":
        return "".join(_diff(program, result))
    if form in ("pragma", "smarthls"):
        return "".join(_pragmas(program, result, form))
    lines, seen = [], set[int]()
    for array in result.arrays:
        held = (program.directives[k] for k in array.removed if k not in seen)
        lines += [f"# first remove {_place(program, d)}: #pragma {_said(d)}" for d in held if d.source == "pragma"]
        lines += [print_directive(d, program, form) for d in _directives(program, array)]  # type: ignore[arg-type]
        seen |= set(array.removed)
    header = ["[hls]"] if form == "cfg" and lines else []
    return "".join(f"{line}\n" for line in [*header, *lines])


def together(texts: Iterable[str], form: str) -> str:
    """What :func:`emit` gives for several programs as one text."""
    head = "[hls]\n" if form == "cfg" else ""
    bodies = "".join(text.removeprefix(head) for text in texts)
    return head + bodies if bodies else ""


def pragma_texts(program: Program, result: InferResult) -> dict[str, str]:
    """New text of every file that changes: pragmas inserted, those that they replace removed."""
    edits: dict[str, list[Edit]] = {}
    for edit in pragma_edits(program, result):
        edits.setdefault(edit.span.path, []).append(edit)
    texts = {}
    for path, found in edits.items():
        new = apply_edits(program.sources[path], dict.fromkeys(found))
        if new != program.sources[path].text:
            texts[path] = new
    return texts


def pragma_edits(program: Program, result: InferResult) -> tuple[Edit, ...]:
    """Insertions of the pragmas, removals of those that they replace."""
    return tuple(edit for array in result.arrays for edit in _edits(program, array))


def _diff(program: Program, result: InferResult) -> Iterator[str]:
    for path, new in pragma_texts(program, result).items():
        old = program.sources[path].text
        for line in difflib.unified_diff(old.splitlines(True), new.splitlines(True), path, path):
            yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _pragmas(program: Program, result: InferResult, form: str) -> Iterator[str]:
    """Pragma lines, each with its place: SmartHLS wants them before a declaration, Vitis behind it."""
    seen = set[int]()
    for array in result.arrays:
        for index in (k for k in array.removed if k not in seen):
            held = program.directives[index]
            yield f"// {_place(program, held)}: remove #pragma {_said(held)}\n"
        seen |= set(array.removed)
        for d in _directives(program, array):
            variable = program.variable(d.variables[0])
            where, text = f"at the start of {d.function}", f"#pragma {d.text}"
            if form == "smarthls":
                if variable.storage != "parameter":
                    where = "before this declaration"
                other = d.kind != "array_partition"
                text = f"// no such directive: {text}" if other else print_directive(d, program, "smarthls")
            elif variable.function and variable.storage != "parameter":
                where = "after this declaration"
            yield f"// {variable.at.span.path}:{program.line(variable.at)}: {variable.name}: {where}\n{text}\n"


def _place(program: Program, directive: Directive) -> str:
    return f"{directive.at.span.path}:{program.line(directive.at)}"


def _said(directive: Directive) -> str:
    return directive.text.removeprefix("#pragma").strip()


def _directives(program: Program, array: InferredArray) -> list[Directive]:
    """The new directives of an array, from its pragma lines; none when it keeps those it has."""
    if not array.fresh:
        return []
    found = []
    per_root = len(array.pragmas) // max(1, len(array.roots))
    for position, pragma in enumerate(array.pragmas):
        root = program.variable(array.roots[position // max(1, per_root)])
        kind, *words = pragma.split()[2:]
        options = tuple(Option(*_pair(word), root.at) for word in words)
        values = {o.name: int(o.value) for o in options if o.value is not None and o.value.isdigit()}
        function = root.function or array.scope
        text = pragma.removeprefix("#pragma ")
        found.append(Directive(kind, "vitis", "pragma", root.at, text, options, values, function, None, (root.id,)))
    return found


def _pair(word: str) -> tuple[str, str | None]:
    name, eq, value = word.partition("=")
    return name, value if eq else None


# ------------------------------------------------------------------------------------- edits


def _edits(program: Program, array: InferredArray) -> Iterator[Edit]:
    replaced: list[Edit] = []
    for index in array.removed:
        edit = _removal(program, program.directives[index])
        if edit is not None:
            replaced.append(edit)
    fresh = _directives(program, array)
    for root in dict.fromkeys(d.variables[0] for d in fresh):
        lines = [f"#pragma {d.text}" for d in fresh if d.variables[0] == root]
        insertion = _insertion(program, array, root, lines)
        if insertion is not None:
            yield insertion
    yield from replaced


def _removal(program: Program, directive: Directive) -> Edit | None:
    """Removes the whole line (or lines) of a pragma; None for one that is not in the source text."""
    if directive.source != "pragma" or not directive.at.editable:
        return None
    source = program.sources[directive.at.span.path]
    first, _ = source.line_column(directive.at.span.start)
    last, _ = source.line_column(max(directive.at.span.start, directive.at.span.end - 1))
    start = source.line_span(first).start
    end = source.line_span(last).end
    if source.text[start : directive.at.span.start].strip() not in ("", "#", "#pragma"):
        return None
    after = source.text[end : end + 2]
    end += 2 if after == "\r\n" else 1 if after[:1] == "\n" else 0
    return Edit(Span(source.path, start, end), "")


def _insertion(program: Program, array: InferredArray, root: int, lines: list[str]) -> Edit | None:
    """After the declaration of a local array, else at the start of the body of the function."""
    variable = program.variable(root)
    if variable.function is not None and variable.storage != "parameter":
        statement = variable.declarations[0].statement
        if not statement.editable:
            return None
        source = program.sources[statement.span.path]
        line, _ = source.line_column(statement.span.start)
        return _after(source, statement.span.end, _indent(source, line), lines)
    function = program.functions.get(variable.function or array.scope or "")
    if function is None or not function.body.at.editable:
        return None
    source = program.sources[function.body.at.span.path]
    brace = function.body.at.span.start
    indent = _indent(source, source.line_column(brace)[0]) + "    "
    for statement_at in (s.at for s in function.body.body):
        if statement_at.editable and statement_at.span.path == source.path:
            line, _ = source.line_column(statement_at.span.start)
            if not source.text[source.line_span(line).start : statement_at.span.start].strip():
                indent = _indent(source, line)
            break
    return _after(source, brace + 1, indent, lines)


def _after(source: SourceText, offset: int, indent: str, lines: list[str]) -> Edit:
    """Insert ``lines`` behind the line of ``offset``, or right there when more code follows on it."""
    newline = "\r\n" if "\r\n" in source.text else "\n"
    end = source.line_span(source.line_column(offset)[0]).end
    rest = source.text[offset:end]
    text = "".join(f"{newline}{indent}{line}" for line in lines)
    if not _COMMENT.sub("", rest).strip() and "/*" not in _COMMENT.sub("", rest):
        return Edit(Span(source.path, end, end), text)
    return Edit(Span(source.path, offset, offset), f"{text}{newline}{indent}")


def _indent(source: SourceText, line: int) -> str:
    text = source.line_text(line)
    return text[: len(text) - len(text.lstrip())]
