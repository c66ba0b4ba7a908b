"""What the user takes away: pragma lines in place, a diff, cfg, Tcl or SmartHLS directives."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator

from hlspart.frontend.directives import directive_of, print_directive
from hlspart.model.directives import Directive, Option
from hlspart.model.inferred import InferredArray, InferResult
from hlspart.model.printable import in_diff
from hlspart.model.program import Program
from hlspart.model.source import Edit
from hlspart.transform import directives
from hlspart.transform.directives import Wish
from hlspart.transform.emit import texts


def emit(program: Program, result: InferResult, form: str) -> str:
    """The inferred directives as text: ``pragma``, ``diff``, ``cfg``, ``tcl`` or ``smarthls``."""
    if form == "diff":
        return "".join(_diff(program, result))
    if form in ("pragma", "smarthls"):
        return "".join(_pragmas(program, result, form))
    lines, seen = [], set[int]()
    for array in _by_directives(result):
        removed = (program.directives[k] for k in array.removed if k not in seen)
        lines += [f"# first remove {_place(program, d)}: #pragma {_words(d)}" for d in removed if d.source == "pragma"]
        lines += [print_directive(d, program, form) for d in _directives(program, array)]  # type: ignore[arg-type]
        seen |= set(array.removed)
    header = ["[hls]"] if form == "cfg" and lines else []
    return "".join(f"{line}\n" for line in [*header, *lines])


def together(texts: Iterable[str], form: str) -> str:
    """What :func:`emit` gives for several programs as one text."""
    head = "[hls]\n" if form == "cfg" else ""
    bodies = "".join(text.removeprefix(head) for text in texts)
    return head + bodies if bodies else ""


def with_pragmas(
    program: Program, result: InferResult, paths: Collection[str] | None = None, rewritten: bool = False
) -> Program:
    """``program`` with the inferred pragmas, without those that they replace; only in the files ``paths``, if given.

    ``rewritten``: what the rewrite starts from, without the pragmas of arrays that need it.
    """
    arrays = result.arrays if rewritten else _by_directives(result)
    wishes = [
        Wish(d.variables[0], d.function, d.text)
        for array in arrays
        for d in _directives(program, array)
        if paths is None or program.variable(d.variables[0]).at.span.path in paths
    ]
    return directives.with_pragmas(program, {k for a in arrays for k in a.removed}, wishes, directive_of)


def removals(program: Program, result: InferResult) -> dict[str, str]:
    """New text of every file that has pragmas that directives beside it replace, without these."""
    removed = {k for a in _by_directives(result) for k in a.removed}
    without = directives.with_pragmas(program, removed, (), directive_of)
    return {path: text.new.text for path, text in texts(program, without).items()}


def _by_directives(result: InferResult) -> tuple[InferredArray, ...]:
    """Arrays about which directives say something: not those that need the rewrite, which keep what they have."""
    return tuple(a for a in result.arrays if not a.needs_rewrite)


def pragma_texts(program: Program, result: InferResult) -> dict[str, str]:
    """New text of every file that changes: pragmas inserted, those that they replace removed."""
    return {path: text.new.text for path, text in texts(program, with_pragmas(program, result)).items()}


def pragma_edits(program: Program, result: InferResult, rewritten: bool = False) -> tuple[Edit, ...]:
    """Insertions of the pragmas, removals of those that they replace."""
    return tuple(e for text in texts(program, with_pragmas(program, result)).values() for e in text.edits)


def _diff(program: Program, result: InferResult) -> Iterator[str]:
    for path, new in pragma_texts(program, result).items():
        old = program.sources[path].text
        for line in difflib.unified_diff(old.splitlines(True), new.splitlines(True), in_diff(path), in_diff(path)):
            yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _pragmas(program: Program, result: InferResult, form: str) -> Iterator[str]:
    """Pragma lines, each with its place: SmartHLS wants them before a declaration, Vitis behind it."""
    seen = set[int]()
    for array in _by_directives(result):
        for index in (k for k in array.removed if k not in seen):
            directive = program.directives[index]
            yield f"// {_place(program, directive)}: remove #pragma {_words(directive)}\n"
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


def _words(directive: Directive) -> str:
    return directive.text.removeprefix("#pragma").strip()


def _directives(program: Program, array: InferredArray) -> list[Directive]:
    """The new directives of an array, from its pragma lines; none when it keeps those it has."""
    if not array.fresh:
        return []
    directives = []
    per_root = len(array.pragmas) // max(1, len(array.roots))
    for position, pragma in enumerate(array.pragmas):
        root = program.variable(array.roots[position // max(1, per_root)])
        kind, *words = pragma.split()[2:]
        options = tuple(Option(*_pair(word), root.at) for word in words)
        values = {o.name: int(o.value) for o in options if o.value is not None and o.value.isdigit()}
        function = root.function or array.scope
        text = pragma.removeprefix("#pragma ")
        directives.append(
            Directive(kind, "vitis", "pragma", root.at, text, options, values, function, None, (root.id,))
        )
    return directives


def _pair(word: str) -> tuple[str, str | None]:
    name, eq, value = word.partition("=")
    return name, value if eq else None
