"""Which of the given files are one program: those that call, or share objects with, each other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hlspart.model.options import Options
from hlspart.pipeline import Reader
from hlspart.reading import read_file

_CALL = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
_BODY = re.compile(r"\b([A-Za-z_]\w*)\s*\([^;{}]*\)\s*\{")
_EXTERN = re.compile(r"\bextern\b[^;(){}]*?\b([A-Za-z_]\w*)\s*(?:\[[^;]*\]\s*)?;")
_OBJECT = re.compile(
    r"^(?!\s*(?:extern|static|typedef|return)\b)[A-Za-z_][^;(){}=#]*?\b([A-Za-z_]\w*)\s*(?:\[[^;=]*\])?\s*[;=]", re.M
)


def programs(paths: Sequence[str], options: Options, read: Reader | None = None) -> list[tuple[str, ...]]:
    """The files that are looked at together; with directive files, which name functions of any of them, all."""
    together = options.frontend.directive_files or len(paths) == 1
    return [tuple(paths)] if together else list(_connected(paths, read or read_file))


def _connected(paths: Sequence[str], read: Reader) -> Iterator[tuple[str, ...]]:
    """Files in groups: two belong together when one uses what only the other defines."""
    uses: dict[str, set[str]] = {}
    home: dict[str, list[str]] = {}
    for path in paths:
        text = _text(path, read)
        bodies = set(_BODY.findall(text))
        shared = set(_EXTERN.findall(text))
        uses[path] = (set(_CALL.findall(text)) | shared) - bodies
        for name in bodies | (set(_OBJECT.findall(text)) - shared):
            home.setdefault(name, []).append(path)
    parent = {p: p for p in paths}

    def root(path: str) -> str:
        while parent[path] != path:
            path = parent[path]
        return path

    for path, names in uses.items():
        for name in sorted(names):
            if len(home.get(name, ())) == 1:
                parent[root(home[name][0])] = root(path)
    groups: dict[str, list[str]] = {}
    for path in paths:
        groups.setdefault(root(path), []).append(path)
    return (tuple(g) for g in groups.values())


def _text(path: str, read: Reader) -> str:
    try:
        return read(path).decode("utf-8", "surrogateescape")
    except (OSError, ValueError):
        return ""
