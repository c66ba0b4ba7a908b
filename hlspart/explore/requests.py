"""What the user asks of the nests: ``#pragma hlspart fix|keep|region|barrier``, and the same in a file.

A pragma stands in a nest or on the lines before it; ``region`` may also stand before a block of nests.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from msgspec import Struct, field

from hlspart.explore.errors import RequestFileError
from hlspart.model.diagnostics import Diagnostic, Place
from hlspart.model.exploring import FixRequest
from hlspart.model.program import Block, Function, Loop, PragmaMark, Program, walk_statements
from hlspart.model.source import Origin

_KINDS = ("fix", "keep", "region", "barrier")
_TABLES = {
    "fix": {"nest", "loop", "shard", "split", "array", "place"}, "keep": {"nest"}, "region": {"nests"},
    "barrier": {"before"},
}  # fmt: skip


class Requests(Struct):
    """By id of the outermost loop. ``regions``: nests that are one; ``barriers``: nests that begin behind one."""

    fixes: dict[int, list[FixRequest]] = field(default_factory=dict)
    kept: set[int] = field(default_factory=set)
    regions: list[tuple[frozenset[int], Place]] = field(default_factory=list)
    barriers: set[int] = field(default_factory=set)
    wrong: list[Diagnostic] = field(default_factory=list)


def outer_loops(body: Block) -> Iterator[Loop]:
    """The outermost loops that run unconditionally, in the order of the text."""
    for stmt in body.body:
        if isinstance(stmt, Loop):
            yield stmt
        elif isinstance(stmt, Block):
            yield from outer_loops(stmt)


def requests(program: Program, functions: Sequence[Function], nests_: Collection[int]) -> Requests:
    """What the pragmas of functions ask of ``explore``; ``nests_``: ids of the outermost loops of their nests."""
    wanted = Requests()
    targets = {p: t for f in functions for p, t in _targets(f.body, nests_).items()}
    names = {None, *(f.name for f in functions)}
    for pragma in program.pragmas:
        words = pragma.expanded.split()
        if len(words) < 2 or words[0].lower() != "hlspart" or pragma.function not in names:
            continue
        kind = words[1].lower()
        if kind not in _KINDS:
            continue
        place = finding(program, pragma.at, "").place
        target = targets.get(pragma.index)
        nests = [] if target is None else [s for s in walk_statements(target) if isinstance(s, Loop) and s.id in nests_]
        if not nests or (len(nests) > 1 and kind not in ("region", "keep")):
            wanted.wrong.append(fault(place, f"{kind} belongs in a nest or on the line before it"))
        elif kind == "fix":
            wish = _fix(words[2:], place)
            if isinstance(wish, str):
                wanted.wrong.append(fault(place, wish))
            else:
                wanted.fixes.setdefault(nests[0].id, []).append(wish)
        elif words[2:]:
            wanted.wrong.append(fault(place, f"{kind} takes no value"))
        elif kind == "keep":
            wanted.kept.update(n.id for n in nests)
        elif kind == "barrier":
            wanted.barriers.add(nests[0].id)
        else:
            wanted.regions.append((frozenset(n.id for n in nests), place))
    return wanted


def _targets(body: Block, nests: Collection[int]) -> dict[int, Loop | Block]:
    """The nest that each pragma stands in or before, or the block or the loop of several that it stands before."""
    targets: dict[int, Loop | Block] = {}
    before: list[int] = []
    for stmt in body.body:
        if isinstance(stmt, PragmaMark):
            before.append(stmt.pragma)
            continue
        if isinstance(stmt, Loop | Block):
            targets |= dict.fromkeys(before, stmt)
        if isinstance(stmt, Loop) and stmt.id in nests:
            targets |= dict.fromkeys((s.pragma for s in walk_statements(stmt) if isinstance(s, PragmaMark)), stmt)
        elif isinstance(stmt, Loop | Block):
            targets |= _targets(stmt.body if isinstance(stmt, Loop) else stmt, nests)
        before = []
    return targets


def _fix(words: Sequence[str], place: Place) -> FixRequest | str:
    values: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        key = key.lower()
        if key in ("resident", "stream") and not equals:
            key, value = "place", key
        elif key not in ("loop", "shard", "split", "array") or not equals:
            return f"{word!r} is not known; say fix loop=i shard=4 split=2, or fix array=A resident|stream"
        if key in values:
            return f"{key} is given twice"
        values[key] = value
    for key in ("shard", "split"):
        if key in values and not (values[key].isdigit() and int(values[key])):
            return f"{key}={values[key]} is no positive number"
    return _wish({k: int(v) if k in ("shard", "split") else v for k, v in values.items()}, place)


def _wish(values: dict[str, Any], place: Place) -> FixRequest | str:
    """What is fixed, or what is wrong with it."""
    if "array" in values:
        if set(values) != {"array", "place"}:
            return "fix array= needs resident or stream, and nothing else"
        return FixRequest(place, array=values["array"], resident=values["place"] == "resident")
    if "loop" not in values or not values.keys() & {"shard", "split"} or "place" in values:
        return "fix needs loop= and shard= or split=, or array= and resident or stream"
    return FixRequest(place, loop=values["loop"], shard=values.get("shard"), split=values.get("split"))


def from_file(path: str, text: str, named: Sequence[tuple[int, frozenset[str]]], into: Requests) -> None:
    """Requests of a TOML file: ``[[fix]]``, ``[[keep]]``, ``[[region]]``, ``[[barrier]]``, taken in beside pragmas.

    ``named``: per nest the id of its outermost loop and what it may be called. Raises :class:`RequestFileError` for a
    file that is no such TOML; a nest that is not there is a finding.
    """
    import tomllib

    try:
        tables = tomllib.loads(text.replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise RequestFileError(f"{path}: {error}") from None
    lines = text.splitlines()
    for kind, entries in tables.items():
        if kind not in _TABLES or not isinstance(entries, list) or not all(isinstance(e, dict) for e in entries):
            raise RequestFileError(f"{path}: {kind} is no list of tables; say [[{'|'.join(_TABLES)}]]")
        heads = [n for n, line in enumerate(lines, 1) if re.match(rf"\s*\[\[\s*{kind}\s*\]\]", line)]
        for number, entry in enumerate(entries):
            line = heads[number] if number < len(heads) else 1
            place = Place(path, line, 1, line, 1)
            _check(path, line, kind, entry)
            problem = _take(kind, entry, place, named, into)
            if problem is not None:
                into.wrong.append(fault(place, problem, "fix-file"))


def _check(path: str, line: int, kind: str, entry: dict[str, Any]) -> None:
    for key, value in entry.items():
        if key not in _TABLES[kind]:
            raise RequestFileError(f"{path}:{line}: {kind} has no {key}; it takes {', '.join(sorted(_TABLES[kind]))}")
        if key in ("shard", "split"):
            good = isinstance(value, int) and not isinstance(value, bool) and value > 0
        elif key == "nests":
            good = isinstance(value, list) and bool(value) and all(isinstance(v, str) for v in value)
        else:
            good = isinstance(value, str) and (key != "place" or value in ("resident", "stream"))
        if not good:
            raise RequestFileError(f"{path}:{line}: {key} = {value!r} is no value of {kind}")


def _take(
    kind: str, entry: dict[str, Any], place: Place, named: Sequence[tuple[int, frozenset[str]]], into: Requests
) -> str | None:
    """Take a table in; what is wrong with it."""

    def nests(name: str) -> list[int]:
        return [nest for nest, names in named if name in names]

    wanted = entry["nests"] if kind == "region" else [entry[k] for k in ("nest", "before") if k in entry]
    missing = [name for name in wanted if not nests(name)]
    if missing:
        return f"no nest {missing[0]!r}"
    if kind == "fix":
        name = entry.get("loop", entry.get("array", ""))
        values = {k: v for k, v in entry.items() if k != "nest"}
        wish = _wish(values, place)
        if isinstance(wish, str):
            return wish
        having = nests(entry["nest"]) if "nest" in entry else nests(f"={name}")
        if not having:
            return f"no nest has {name!r}"
        for nest in having:
            into.fixes.setdefault(nest, []).append(wish)
        return None
    if not wanted:
        return f"{kind} needs {'before' if kind == 'barrier' else 'nest'}"
    if kind == "region":
        into.regions.append((frozenset(n for name in wanted for n in nests(name)), place))
    else:
        (into.kept if kind == "keep" else into.barriers).update(nests(wanted[0]))
    return None


def finding(program: Program, at: Origin, problem: str) -> Diagnostic:
    """A fault of a pragma."""
    source = program.sources[at.span.path]
    place = Place(source.path, *source.line_column(at.span.start), *source.line_column(at.span.end))
    return fault(place, problem)


def fault(place: Place, problem: str, rule: str = "explore-pragma") -> Diagnostic:
    """A fault of what is asked for at a place."""
    return Diagnostic(
        rule, rule, "error", place, f"#pragma hlspart: {problem}" if rule == "explore-pragma" else problem
    )
