"""Any record as text to read: what `hlspart trace` prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import fields, is_dataclass

from msgspec import Struct

from hlspart.model.program import (
    Declare,
    Loop,
    PragmaMark,
    Program,
    Stmt,
    Variable,
    substatements,
)
from hlspart.model.source import Origin, SourceText, Span, one_line

_WIDE = 100  # characters of one line of C that are shown


def text(record: object, program: Program) -> str:
    """The fields of ``record``, nested ones indented; places are lines and columns of ``program``."""
    if isinstance(record, Program):
        return "".join(f"{line}\n" for line in _program(record))
    return "".join(f"{line}\n" for line in _lines(record, "", program))


def _lines(value: object, indent: str, program: Program, name: str = "") -> Iterator[str]:
    head = f"{indent}{name}: " if name else indent
    inner = f"{indent}  "
    short = _short(value, program)
    if short is not None:
        yield f"{head}{short}"
    elif isinstance(value, str):
        yield head.rstrip()
        yield from (f"{inner}| {line}".rstrip() for line in value.splitlines())
    elif isinstance(value, Program):
        yield head.rstrip()
        yield from (inner + line for line in _program(value))
    elif isinstance(value, Mapping):
        yield f"{head}{len(value)} entries"
        for key, item in value.items():
            yield from _lines(item, inner, program, _short(key, program) or str(key))
    elif isinstance(value, tuple | list | Set):
        items = sorted(value, key=str) if isinstance(value, Set) else value
        yield f"{head}{len(items)} items"
        for item in items:
            yield from _lines(item, inner, program, "-")
    else:
        yield f"{head}{type(value).__name__}"
        for name in _fields(value):
            yield from _lines(getattr(value, name), inner, program, name)


def _fields(value: object) -> tuple[str, ...]:
    """Names of what a record shows of itself; none for anything else."""
    if isinstance(value, Struct):
        return value.__struct_fields__
    return tuple(f.name for f in fields(value) if f.repr) if is_dataclass(value) else ()


def _short(value: object, program: Program) -> str | None:
    """A value on one line; None for what needs several."""
    match value:
        case Origin():
            return _place(value.span, program) + ("" if value.kind == "plain" else f" ({value.kind})")
        case Span():
            return _place(value, program)
        case SourceText():
            return f"{value.path}, {len(value.text)} characters"
        case Variable():
            return f"{value.name} #{value.id}"
        case Loop():
            return f"{value.name} #{value.id}"
        case None | bool() | int() | float():
            return str(value)
        case str():
            return None if "\n" in value else value
        case Mapping() | tuple() | list() | Set() if not value:
            return "-"
        case tuple() if all(isinstance(x, int | str | None) for x in value):
            return "(" + ", ".join(map(str, value)) + ")"
    return None if isinstance(value, Mapping | tuple | list | Set | Struct | str) or is_dataclass(value) else str(value)


def _place(span: Span, program: Program) -> str:
    source = program.sources.get(span.path)
    if source is None or span.end > len(source.text):
        return f"{span.path}:{span.start}-{span.end}"
    line, column = source.line_column(span.start)
    end_line, end_column = source.line_column(span.end)
    return f"{span.path}:{line}:{column}-{end_line}:{end_column}"


def _program(program: Program) -> Iterator[str]:
    """Functions as trees of statements, then variables and directives."""
    for function in program.functions.values():
        yield f"function {function.name}  {_place(function.at.span, program)}"
        yield from _statement(function.body, "  ", program)
    for v in program.variables:
        dims = "".join("[]" if d is None else f"[{d}]" for d in v.dims)
        yield f"variable #{v.id} {v.name}{dims}  {v.storage} of {v.function or 'the file'}"
    for k, d in enumerate(program.directives):
        names = ", ".join(f"{program.variable(v).name} #{v}" for v in d.variables)
        about = [f"loop #{d.loop}"] * (d.loop is not None) + [names] * bool(names)
        yield f"directive {k} {d.kind}  {'; '.join(about) or d.function}  {one_line(d.text)}"


def _statement(stmt: Stmt, indent: str, program: Program) -> Iterator[str]:
    number = f" #{stmt.id}" if hasattr(stmt, "id") else ""
    said = ""
    if isinstance(stmt, Loop):
        said = f"{stmt.name}: {_clipped(program.text(stmt.header))}"
    elif isinstance(stmt, PragmaMark):
        said = program.pragmas[stmt.pragma].text
    elif not substatements(stmt):
        said = _clipped(program.text(stmt.at))
    if isinstance(stmt, Declare):
        said += "  " + " ".join(f"#{v}" for v in stmt.variables)
    line, column = program.sources[stmt.at.span.path].line_column(stmt.at.span.start)
    yield f"{indent}{type(stmt).__name__}{number} {line}:{column}  {said}".rstrip()
    for inner in substatements(stmt):
        yield from _statement(inner, indent + "  ", program)


def _clipped(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= _WIDE else line[: _WIDE - 2] + ".."
