"""``#pragma hlspart fix loop=i shard=4 split=2`` and ``#pragma hlspart keep``, in a nest or on the lines before it."""

from __future__ import annotations

from dataclasses import dataclass, field

from hlspart.model.diagnostics import Diagnostic, Place
from hlspart.model.exploring import FixedLoop
from hlspart.model.program import Function, Loop, PragmaMark, Program, walk_statements
from hlspart.model.source import Origin

NOT_YET = ("region", "barrier")


class FixError(Exception):
    """What the user fixed cannot hold."""


@dataclass
class Requests:
    """By id of the outermost loop: what is fixed, with its place; loops that keep their text; what is wrong."""

    fixes: dict[int, list[tuple[FixedLoop, Origin]]] = field(default_factory=dict)
    kept: set[int] = field(default_factory=set)
    wrong: list[Diagnostic] = field(default_factory=list)


def requests(program: Program, function: Function) -> Requests:
    """What the pragmas of a function ask of ``explore``."""
    found = Requests()
    nests = _nests(function)
    for pragma in program.pragmas:
        words = pragma.expanded.split()
        if len(words) < 2 or words[0].lower() != "hlspart" or pragma.function not in (None, function.name):
            continue
        kind = words[1].lower()
        if kind in NOT_YET:
            found.wrong.append(finding(program, pragma.at, f"{kind} is not supported"))
        if kind not in ("fix", "keep"):
            continue
        nest = nests.get(pragma.index)
        if nest is None:
            found.wrong.append(finding(program, pragma.at, f"{kind} belongs in a nest or on the line before it"))
        elif kind == "keep":
            if words[2:]:
                found.wrong.append(finding(program, pragma.at, "keep takes no value"))
            else:
                found.kept.add(nest.id)
        else:
            fix = _fix(words[2:])
            if isinstance(fix, str):
                found.wrong.append(finding(program, pragma.at, fix))
            else:
                found.fixes.setdefault(nest.id, []).append((fix, pragma.at))
    return found


def _nests(function: Function) -> dict[int, Loop]:
    """The outermost loop that each pragma stands in or before."""
    found: dict[int, Loop] = {}
    before: list[int] = []
    for stmt in function.body.body:
        if isinstance(stmt, PragmaMark):
            before.append(stmt.pragma)
            continue
        if isinstance(stmt, Loop):
            inside = [s.pragma for s in walk_statements(stmt) if isinstance(s, PragmaMark)]
            found |= dict.fromkeys([*before, *inside], stmt)
        before = []
    return found


def _fix(words: list[str]) -> FixedLoop | str:
    values: dict[str, str] = {}
    for word in words:
        key, equals, value = word.lower().partition("=") if not word.startswith("loop=") else word.partition("=")
        if key == "array":
            return "fix array= is not supported"
        if key not in ("loop", "shard", "split") or not equals:
            return f"{word!r} is not known; say fix loop=i shard=4 split=2"
        if key in values:
            return f"{key} is given twice"
        if key != "loop" and not (value.isdigit() and int(value)):
            return f"{key}={value} is no positive number"
        values[key] = value
    if "loop" not in values or len(values) < 2:
        return "fix needs loop= and shard= or split="
    shard, split = (int(values[k]) if k in values else None for k in ("shard", "split"))
    return FixedLoop(values["loop"], shard, split)


def finding(program: Program, at: Origin, problem: str) -> Diagnostic:
    """A fault of a pragma."""
    source = program.sources[at.span.path]
    place = Place(source.path, *source.line_column(at.span.start), *source.line_column(at.span.end))
    return Diagnostic("explore-pragma", "explore-pragma", "error", place, f"#pragma hlspart: {problem}")
