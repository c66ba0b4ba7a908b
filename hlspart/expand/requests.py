"""What to expand: ``#pragma hlspart expand`` at loops, ``#pragma hlspart grid`` at file scope, and the options."""

from __future__ import annotations

import difflib
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from hlspart.model.diagnostics import Diagnostic, Place
from hlspart.model.directives import RawPragma
from hlspart.model.expanding import ExpandOptions, Map, Request
from hlspart.model.program import Loop, PragmaMark, Program, walk_statements
from hlspart.model.source import Origin

KEYS = ("pe", "grid", "map", "order", "reduce", "interleave", "remainder", "stage", "reassoc", "objective", "notime")
_CHOICES = {
    "map": ("cyclic", "block"),
    "order": ("time-space", "space-time"),
    "reduce": ("tree", "serial", "cascade"),
    "remainder": ("auto", "guard", "peel", "refuse"),
    "objective": ("active", "steps"),
}
_FLAGS = ("reassoc", "notime")
_NUMBERS = re.compile(r"\d+(?:x\d+)*\Z")
_SIZE = re.compile(r"(\w+)[:=](\d+)\s*(B|KiB|MiB|KB|MB)?\Z")
_UNITS = {None: 1, "B": 1, "KB": 1000, "KiB": 1024, "MB": 10**6, "MiB": 1 << 20}


class Asked(Struct, frozen=True):
    """Keys of one pragma at a loop, or what is wrong with it."""

    pragma: RawPragma
    loop: int
    values: Mapping[str, Any] = field(default_factory=dict)


class UnknownLoop(Exception):
    """No loop has this name; the message lists the loops."""


def numbers(text: str) -> tuple[int, ...] | None:
    """``4x4`` as (4, 4); None where it is no such thing or holds a zero."""
    if not _NUMBERS.match(text):
        return None
    values = tuple(int(part) for part in text.split("x"))
    return values if all(values) else None


def capacity(text: str) -> tuple[str, int] | None:
    """``L1:64KiB`` as (L1, 65536), None where it is no such thing."""
    match = _SIZE.match(text)
    return None if match is None else (match[1], int(match[2]) * _UNITS[match[3]])


def pragmas(program: Program) -> tuple[list[Asked], dict[str, Any], list[Diagnostic]]:
    """Pragmas at loops, the values of the one at file scope, and findings about malformed ones."""
    asked: list[Asked] = []
    scope: dict[str, Any] = {}
    wrong: list[Diagnostic] = []
    marks = {stmt.pragma: (loop, first) for loop in program.loops.values() for stmt, first in _leading(loop)}
    for pragma in program.pragmas:
        words = pragma.expanded.split()
        if not words or words[0].lower() != "hlspart" or len(words) < 2:
            continue
        kind = words[1].lower()
        if kind == "grid":
            problem = _grid(words[2:], scope)
            if problem is not None:
                wrong.append(_finding(program, pragma.at, problem))
            continue
        if kind != "expand":
            continue
        values, problem = _values(words[2:])
        if problem is None and pragma.index not in marks:
            problem = "it belongs at the start of a loop's body, before the statements"
        if problem is None and "pe" not in values and "grid" not in values and "grid" not in scope:
            problem = "it needs pe= or grid="
        if problem is not None:
            wrong.append(_finding(program, pragma.at, problem))
            continue
        asked.append(Asked(pragma, marks[pragma.index][0].id, values))
    return asked, scope, wrong


def _leading(loop: Loop) -> Iterator[tuple[PragmaMark, bool]]:
    """Pragmas before the first statement of a body."""
    for stmt in loop.body.body:
        if not isinstance(stmt, PragmaMark):
            return
        yield stmt, True


def _values(words: Sequence[str]) -> tuple[dict[str, Any], str | None]:
    values: dict[str, Any] = {}
    for word in words:
        key, equals, value = word.partition("=")
        key = key.lower()
        if key not in KEYS:
            near = difflib.get_close_matches(key, KEYS, 1)
            return values, f"unknown key {key!r}" + (
                f"; did you mean {near[0]}?" if near else f"; keys: {', '.join(KEYS)}"
            )
        if key in values:
            return values, f"{key} is given twice"
        if (key in _FLAGS) == bool(equals):
            return values, f"{key} takes no value" if key in _FLAGS else f"{key} needs a value"
        if key in _FLAGS:
            values[key] = True
        elif key in ("pe", "grid"):
            extents = numbers(value)
            if extents is None:
                return values, f"{key}={value} is no number of elements, such as 4 or 4x4"
            values[key] = extents
        elif key == "interleave":
            if value != "auto" and not (value.isdigit() and int(value)):
                return values, f"interleave={value} is neither a number nor auto"
            values[key] = value if value == "auto" else int(value)
        elif key == "stage":
            values[key] = tuple(name for name in value.split(",") if name)
        else:
            given = tuple(part.lower() for part in value.split(","))
            for part in given:
                if part not in _CHOICES[key]:
                    near = difflib.get_close_matches(part, _CHOICES[key], 1)
                    hint = f"; did you mean {near[0]}?" if near else f"; it is one of {', '.join(_CHOICES[key])}"
                    return values, f"{key}={part} is not known{hint}"
            values[key] = given if key == "map" else given[0]
    return values, None


def _grid(words: Sequence[str], scope: dict[str, Any]) -> str | None:
    """Read ``grid 4x4 mem=L1:64KiB`` into ``scope``; what is wrong with it, or None."""
    if not words or numbers(words[0]) is None:
        return "grid needs its size, such as 4x4"
    scope["grid"] = numbers(words[0])
    for word in words[1:]:
        key, _, value = word.partition("=")
        limit = capacity(value) if key.lower() == "mem" else None
        if limit is None:
            return f"{word} is not known; write mem=L1:64KiB"
        scope.setdefault("capacity", {})[limit[0]] = limit[1]
    return None


def requests(
    program: Program, options: ExpandOptions, every: Container[str] = ()
) -> tuple[list[Request], list[Diagnostic]]:  # fmt: skip
    """What the options and pragmas ask for; options win. Raises :class:`UnknownLoop`.

    ``every``: functions of which each loop is a request by itself where none is asked for.
    """
    asked, scope, said = pragmas(program)
    if options.loops:
        loops = _named(program, options.loops)
        mine = [a for a in asked if a.loop in loops]
        return [_request(program, loops, options, mine, scope, "option")], said
    wanted: list[Request] = []
    done: set[int] = set()
    at = {a.loop: a for a in asked}
    for ident in sorted(at, key=lambda k: program.loops[k].at.span.start):
        if ident in done:
            continue
        first = program.loops[ident]
        inside = [k for k in at if k != ident and _within(program.loops[k], first)]
        nested = [ident, *sorted(inside, key=lambda k: program.loops[k].at.span.start)]
        done |= set(nested)
        mine = [at[k] for k in nested]
        wanted.append(_request(program, _loops_of(program, mine, options, scope), options, mine, scope, "pragma"))
    if not wanted:
        judged = (loop for loop in program.loops.values() if loop.function in every)
        for loop in sorted(judged, key=lambda k: (k.at.span.path, k.at.span.start)):
            wanted.append(_request(program, (loop.id,), options, [], scope, "option"))
    return wanted, said


def _loops_of(
    program: Program, asked: Sequence[Asked], options: ExpandOptions, scope: Mapping[str, Any]
) -> tuple[int, ...]:  # fmt: skip
    """Loops of a region by its pragmas: the marked ones, or a perfect nest for a grid or several numbers."""
    if len(asked) > 1:
        return tuple(a.loop for a in asked)
    values = asked[0].values
    first = program.loops[asked[0].loop]
    pe = options.pe or values.get("pe")
    if pe is not None:
        return perfect(program, first, len(pe))
    return perfect(program, first, 3)


def perfect(program: Program, loop: Loop, most: int) -> tuple[int, ...]:
    """The ids of a loop and of the loops that are all of its body, at most ``most``."""
    loops = [loop.id]
    while len(loops) < most:
        inside = [s for s in loop.body.body if not isinstance(s, PragmaMark)]
        if len(inside) != 1 or not isinstance(inside[0], Loop):
            break
        loop = inside[0]
        loops.append(loop.id)
    return tuple(loops)


def _named(program: Program, names: Sequence[str]) -> tuple[int, ...]:
    """Loops by name, each inside the one before it. Raises :class:`UnknownLoop`."""
    chosen: list[Loop] = []
    for name in names:
        function, _, bare = name.rpartition("/")
        fits = [
            loop for loop in program.loops.values()
            if bare in (loop.name, loop.label) and function in ("", loop.function)
            and (not chosen or _within(loop, chosen[-1]))
        ]  # fmt: skip
        if not fits:
            known = ", ".join(dict.fromkeys(loop.name for loop in program.loops.values())) or "none"
            where = f" inside {chosen[-1].name}" if chosen else ""
            raise UnknownLoop(f"no loop {name!r}{where}; loops are {known}")
        if len({loop.function for loop in fits}) > 1:
            both = ", ".join(f"{loop.function}/{bare}" for loop in fits)
            raise UnknownLoop(f"several loops are called {bare!r}; write one of {both}")
        chosen.append(fits[0])
    return tuple(loop.id for loop in chosen)


def _within(inner: Loop, outer: Loop) -> bool:
    return any(stmt is inner for stmt in walk_statements(outer.body))


def _request(
    program: Program, loops: tuple[int, ...], options: ExpandOptions, asked: Sequence[Asked],
    scope: Mapping[str, Any], origin: str,
) -> Request:  # fmt: skip
    def value(option: Any, key: str, default: Any) -> Any:
        if option is not None:
            return option
        return next((a.values[key] for a in asked if key in a.values), default)

    pe = options.pe
    if pe is None and options.grid is None and asked:
        given = [p for a in asked for p in a.values.get("pe", ())]
        pe = tuple(given) or None
    grid = options.grid if pe is None else None
    if pe is None and grid is None:
        grid = value(None, "grid", scope.get("grid"))
    if pe is None and grid is None:
        pe = (4,)
    if pe is not None and len(pe) < len(loops):
        pe = (*pe, *[1] * (len(loops) - len(pe)))
    if pe is not None and len(loops) < len(pe):
        loops = (*loops, *perfect(program, program.loops[loops[-1]], len(pe) - len(loops) + 1)[1:])
        pe = pe[: len(loops)] if len(loops) < len(pe) else pe
    maps: tuple[Map, ...] = value(options.maps, "map", ("cyclic",))
    maps = maps * len(loops) if len(maps) == 1 else (*maps, *["cyclic"] * len(loops))[: len(loops)]  # type: ignore[assignment]
    return Request(
        program.loops[loops[0]].function,
        loops,
        pe,
        grid,
        maps,
        value(options.order, "order", "time-space"),
        value(options.reduce, "reduce", "tree"),
        options.reassoc or value(None, "reassoc", False),
        value(options.interleave, "interleave", "auto"),
        value(options.remainder, "remainder", "auto"),
        value(options.stage, "stage", ()),
        value(options.objective, "objective", "steps"),
        options.time_tile and not value(None, "notime", False),
        origin,  # type: ignore[arg-type]
        tuple(a.pragma.index for a in asked),
    )


def _finding(program: Program, at: Origin, problem: str) -> Diagnostic:
    source = program.sources[at.span.path]
    place = Place(at.span.path, *source.line_column(at.span.start), *source.line_column(at.span.end))
    return Diagnostic("expand-pragma", "expand-pragma", "error", place, f"#pragma hlspart: {problem}")
