"""The files that include a header: what to look at when only the header has changed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from hlspart.includes import SOURCES, IncludeGraph
from hlspart.reading import read_file

HEADERS = (".h", ".hh", ".hpp", ".hxx")


def with_users(paths: Sequence[str], folder: str = ".") -> list[str]:
    """``paths`` with each header replaced by the C and C++ files below ``folder`` that include it, directly or through
    other headers there. A header that nobody includes stays."""
    if not any(p.endswith(HEADERS) for p in paths):
        return list(paths)
    graph = IncludeGraph(lambda: _files_below(folder), read_file, nearest=False, benches=True)
    out: list[str] = []
    for path in paths:
        users = graph.users(os.path.relpath(path)) if path.endswith(HEADERS) else {}
        out += sorted(p for p in users if p.endswith(SOURCES)) or [path]
    return list(dict.fromkeys(out))


def _files_below(folder: str) -> Iterator[str]:
    for at, names, files in os.walk(folder):
        names[:] = sorted(n for n in names if not n.startswith("."))
        for file in sorted(files):
            if file.endswith(HEADERS + SOURCES):
                yield os.path.normpath(os.path.join(at, file))
