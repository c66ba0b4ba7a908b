"""Which files of a project include which: one reading of ``#include`` for all that ask."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable
from functools import cached_property

from msgspec import Struct

SOURCES = (".c", ".cpp", ".cc", ".cxx")
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[\"<]([^\">\n]+)[\">]", re.M)
_MAIN = re.compile(r"\bmain\s*\(")


class IncludeGraph(Struct, frozen=True, dict=True):
    """The includes of ``paths``, read in their order until there are ``most_files``, or ``most_bytes`` of them.

    Files are told apart by the ends of their paths, since nobody says where a build looks. ``nearest``: an ``#include``
    of which several may be meant means the nearest one, else each of them. ``benches``: test benches count.
    """

    paths: Callable[[], Iterable[str]]
    read: Callable[[str], bytes]
    nearest: bool
    benches: bool
    most_files: int | None = None
    most_bytes: int | None = None

    def users(self, path: str) -> dict[str, int]:
        """The files that include ``path``, directly (1) or through others (2, ..), the least of them first."""
        distance, waiting = {path: 0}, [path]
        for one in waiting:
            for user in self._users.get(one, ()):
                if user not in distance:
                    distance[user] = distance[one] + 1
                    waiting.append(user)
        return {p: n for p, n in distance.items() if n}

    def folders(self, source: str) -> Collection[str]:
        """Folders in which a build finds what a source includes, and what that includes."""
        folders: dict[str, None] = {}
        seen, waiting = {source}, [source]
        for path in waiting:
            for said, meant in self._reached.get(path, ()):
                if meant != os.path.normpath(os.path.join(os.path.dirname(path), said)):
                    folders[meant[: -len(said.lstrip("./")) - 1] or "."] = None
                if meant not in seen:
                    seen.add(meant)
                    waiting.append(meant)
        return folders

    @cached_property
    def _includes(self) -> dict[str, tuple[str, ...]]:
        """What each file includes, as it says it."""
        said: dict[str, tuple[str, ...]] = {}
        size = 0
        for path in self.paths():
            try:
                text = self.read(path).decode("utf-8", "replace")
            except (OSError, ValueError):
                continue
            bench = not self.benches and path.endswith(SOURCES) and _MAIN.search(text)
            said[path] = () if bench else tuple(_INCLUDE.findall(text))
            size += len(text)
            if len(said) == self.most_files or (self.most_bytes is not None and size > self.most_bytes):
                break
        return said

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        paths: dict[str, list[str]] = {}
        for path in self._includes:
            paths.setdefault(os.path.basename(path), []).append(path)
        return paths

    def _meant(self, path: str, said: str) -> list[str]:
        """The files that ``#include`` in ``path`` may mean: the one beside it, else the nearest first that end so."""
        beside = os.path.normpath(os.path.join(os.path.dirname(path), said))
        if beside in self._includes:
            return [beside]
        ends = said.lstrip("./")
        there = [p for p in self._by_name.get(os.path.basename(said), ()) if p == ends or p.endswith("/" + ends)]
        there.sort(key=lambda p: (len(os.path.commonpath((p, path))), p), reverse=True)
        return there[:1] if self.nearest else there

    @cached_property
    def _reached(self) -> dict[str, tuple[tuple[str, str], ...]]:
        """What each file includes: as it says it, and the file that is meant."""
        return {p: tuple((s, meant) for s in said for meant in self._meant(p, s)) for p, said in self._includes.items()}

    @cached_property
    def _users(self) -> dict[str, list[str]]:
        users: dict[str, list[str]] = {}
        for path, all_ in self._reached.items():
            for _, meant in all_:
                users.setdefault(meant, []).append(path)
        return users
