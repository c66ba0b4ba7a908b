"""Which of the given files are one program: those that call, or share objects with, each other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from hlspart.model.options import Options
from hlspart.pipeline import Reader
from hlspart.reading import read_file

# comments, lines of the preprocessor, literals, words, marks: one pass, whatever the text holds
_TOKEN = re.compile(
    r"""//[^\n]*|/\*(?:[^*]|\*(?!/))*+(?:\*/)?|^[ \t]*\#(?:\\\r?\n|[^\n])*|"(?:\\.|[^"\\\n])*+"?"""
    r"|'(?:\\.|[^'\\\n])*+'?|([A-Za-z_]\w*)|([(){}\[\];=,])|\d[\w.]*",
    re.M | re.S,
)
_NO_OBJECT = frozenset(("extern", "static", "typedef", "return", "using", "template"))
_NO_FUNCTION = frozenset(("if", "for", "while", "switch", "return", "sizeof", "catch"))


def programs(paths: Sequence[str], options: Options, read: Reader | None = None) -> list[tuple[str, ...]]:
    """The files that are looked at together; with directive files, which name functions of any of them, all."""
    together = options.frontend.directive_files or len(paths) == 1
    return [tuple(paths)] if together else list(_connected(paths, read or read_file))


def _connected(paths: Sequence[str], read: Reader) -> Iterator[tuple[str, ...]]:
    """Files in groups: two belong together when one uses what only the other defines."""
    uses: dict[str, set[str]] = {}
    home: dict[str, list[str]] = {}
    for path in paths:
        file = _names(_text(path, read))
        uses[path] = (file.called | file.shared) - file.bodies
        for name in file.bodies | (file.objects - file.shared):
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


class _Names(Struct, frozen=True):
    """What a text calls, has bodies of, declares ``extern``, and defines as objects."""

    called: set[str] = field(default_factory=set)
    bodies: set[str] = field(default_factory=set)
    shared: set[str] = field(default_factory=set)
    objects: set[str] = field(default_factory=set)


def _names(text: str) -> _Names:
    """Read off words and marks, without the preprocessor: a guess that ties rather too much than too little."""
    names = _Names()
    words: list[str] = []  # the first two of the statement that is being read
    external = False  # whether one of its words is "extern"
    lists: list[str] = []  # the word before each open bracket
    last = own = closed = ""  # the word before this mark, the one before "[", the one before a list that ends here
    declares, depth = True, 0
    for match in _TOKEN.finditer(text):
        word, mark = match.group(1), match.group(2)
        if mark is None:
            if word and len(words) < 2:
                words.append(word)
            external = external or word == "extern"
            last, closed = word or "", ""
            continue
        if mark == "(":
            lists.append("" if last in _NO_FUNCTION else last)
            declares = False
            if lists[-1]:
                names.called.add(last)
        elif mark == "[":
            own = own or last
        elif mark in ",;=" and not lists:
            name = own or last
            if declares and name and mark != "=" and external:
                names.shared.add(name)
            elif declares and name and not depth and len(words) > 1 and words[0] not in _NO_OBJECT:
                names.objects.add(name)
            own, declares = "", declares and mark == ","
        if mark == "{" and closed:
            names.bodies.add(closed)
        if mark in "{}":
            depth = (
                max(0, depth + (1 if mark == "{" else -1)) if words[:1] not in (["namespace"], ["extern"]) else depth
            )
            lists = []
        if mark in "{};" and not lists:
            words, external, own, declares = [], False, "", True
        closed = lists.pop() if mark == ")" and lists else ""
        last = ""
    return names
