"""Sources that stand beside the given files and hold the bodies of functions that these declare and call.

A file is taken only where a linker could take no other: of the sources in the folders of a unit and its headers it is
the only one that defines the function, and it defines nothing that the unit defines itself, so it is no other version
of it. A source with ``main`` is a test bench.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator, Sequence

from msgspec.structs import replace

from hlspart.frontend.context import Collected
from hlspart.frontend.preprocess import decode
from hlspart.model import program as ir
from hlspart.model.options import FrontendOptions
from hlspart.model.source import OWN
from hlspart.reading import names_in

_SUFFIXES = {"c": (".c",), "c++": (".cpp", ".cc", ".cxx")}
_MOST_BESIDE = 16  # sources that are read with one unit
_MOST_FILES = 128  # of one folder
_BLANK = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|^[ \t]*#(?:\\\r?\n|[^\n])*", re.S | re.M)
_MAIN = re.compile(r"\bmain\s*\(")
_BEHIND = re.compile(r"\s*(?:const|noexcept|override|final)\b")


def with_bodies(
    unit: ir.Unit, paths: Sequence[str], collected: Collected, read: Callable[[str], bytes],
    read_unit: Callable[[str, FrontendOptions], ir.Unit], options: FrontendOptions,
) -> ir.Unit:  # fmt: skip
    """A unit with the sources beside it that have the bodies of what it calls, read like headers of it.

    ``paths`` are given, and no others' business; ``read_unit`` reads a file into ``collected``.
    """
    files, beside = [unit.path, *unit.headers], list[str]()
    waiting = unit.error is None
    while waiting:
        waiting = False
        declared = {n for n, all_ in collected.prototypes.items() if any(_of_user(p.at.span.path) for p in all_)}
        wanted = [n for n in collected.called if n in declared and n not in collected.functions]
        own = [
            f.name for f in collected.functions.values()
            if f.at.span.path in (unit.path, *beside) and not (f.internal or f.inline) and "<" not in f.name
        ]  # fmt: skip
        for path in dict.fromkeys(_holders(wanted, own, files, unit.language, read)) if wanted else ():
            if path in (*paths, *beside) or len(beside) == _MOST_BESIDE:
                continue
            open_ = [name for name in wanted if name not in collected.functions]
            mark = collected.mark()
            # a build that finds the headers of the unit finds them for this source, too
            near = tuple(f for f in _folders(files) if f not in options.include_dirs)
            other = read_unit(
                path, replace(options, language=unit.language, include_dirs=(*options.include_dirs, *near))
            )
            if other.error is None and any(name in collected.functions for name in open_):
                beside.append(path)
                files += [f for f in (path, *other.headers) if f not in files]
                waiting = True
            else:
                collected.reset(mark)
    return replace(unit, headers=tuple(files[1:]), beside=tuple(beside)) if beside else unit


def _folders(files: Sequence[str]) -> tuple[str, ...]:
    """The folders of the user's files, each once."""
    return tuple(dict.fromkeys(os.path.dirname(f) for f in files if _of_user(f)))


def _of_user(path: str) -> bool:
    return not path.startswith(OWN)


def _holders(
    wanted: Collection[str], own: Collection[str], files: Sequence[str], language: str, read: Callable[[str], bytes]
) -> Iterator[str]:
    """Sources in the folders of ``files`` that define functions ``wanted`` and none of ``own``; one for a function."""
    texts: dict[str, str] = {}
    for folder in _folders(files):
        for path in _sources(folder, _SUFFIXES[language]):
            if path not in files:
                text = _plain(path, read)
                if not _MAIN.search(text) and not any(_defines(text, name) for name in own):
                    texts[path] = text
    for name in wanted:
        holders = [path for path, text in texts.items() if _defines(text, name)]
        if len(holders) == 1:
            yield holders[0]


def _sources(folder: str, suffixes: tuple[str, ...]) -> list[str]:
    names = names_in(folder, suffixes)
    return [os.path.normpath(os.path.join(folder, n)) for n in names] if len(names) <= _MOST_FILES else []


def _plain(path: str, read: Callable[[str], bytes]) -> str:
    """A text without comments, strings and lines of the preprocessor."""
    try:
        return _BLANK.sub(" ", decode(read(path)))
    except (OSError, ValueError):
        return ""


def _defines(text: str, name: str) -> bool:
    """Whether a text has the body of a function with external linkage; ``C::f`` of a class as it says it."""
    pieces = name.partition("(")[0].split("::")
    if pieces[-1] not in text:
        return False
    spelled = r"\s*::\s*".join(map(re.escape, pieces))
    for match in re.finditer(rf"(?<![\w.:>]){spelled}\s*\(", text):
        at = _behind(text, match.end() - 1)
        while (word := _BEHIND.match(text, at)) is not None:
            at = word.end()
        rest = text[at : at + 64].lstrip()
        before = text[max(text.rfind(mark, 0, match.start()) for mark in ";{}") + 1 : match.start()].split()
        constructor = len(pieces) > 1 and pieces[-1] == pieces[-2]
        body = rest.startswith(("{", ":") if constructor else "{")
        if body and (before or constructor) and "static" not in before:
            return True
    return False


def _behind(text: str, opening: int) -> int:
    """Behind the bracket that closes the one at ``opening``."""
    level = 0
    for mark in re.finditer(r"[()]", text[opening:]):
        level += 1 if mark.group() == "(" else -1
        if level == 0:
            return opening + mark.end()
    return len(text)
