"""The files that include a header: what to look at when only the header has changed."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from hlspart.reading import read_file

HEADERS = (".h", ".hh", ".hpp", ".hxx")
SOURCES = (".c", ".cpp", ".cc", ".cxx")
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.M)


def with_users(paths: Sequence[str], folder: str = ".") -> list[str]:
    """``paths`` with each header replaced by the C and C++ files below ``folder`` that include it, directly or through
    other headers there. A header that nobody includes stays. Files are told apart by the ends of their paths."""
    headers = [p for p in paths if p.endswith(HEADERS)]
    if not headers:
        return list(paths)
    included = _includes(folder)
    out: list[str] = []
    for path in paths:
        users = _users(path, included) if path in headers else []
        out += users or [path]
    return list(dict.fromkeys(out))


def _includes(folder: str) -> dict[str, list[str]]:
    """File -> names that it includes."""
    includes = {}
    for at, names, files in os.walk(folder):
        names[:] = sorted(n for n in names if not n.startswith("."))
        for file in sorted(files):
            if file.endswith(HEADERS + SOURCES):
                path = os.path.normpath(os.path.join(at, file))
                try:
                    includes[path] = [os.fsdecode(n) for n in _INCLUDE.findall(read_file(path))]
                except OSError:
                    continue
    return includes


def _users(header: str, included: dict[str, list[str]]) -> list[str]:
    wanted, seen, out = [os.path.normpath(header)], set[str](), []
    while wanted:
        one = wanted.pop(0)
        seen.add(one)
        for path, names in included.items():
            if path not in seen and path not in wanted and any(_is_same(one, path, name) for name in names):
                if path.endswith(SOURCES):
                    out.append(path)
                    seen.add(path)
                else:
                    wanted.append(path)
    return sorted(out)


def _is_same(header: str, includer: str, name: str) -> bool:
    """Whether ``name`` in ``includer`` may be ``header``: beside it, or below some include folder."""
    beside = os.path.normpath(os.path.join(os.path.dirname(includer), name))
    return beside == header or ("/" + header).endswith("/" + os.path.normpath(name))
