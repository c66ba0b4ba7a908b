"""What the files around some given ones say of them: which functions are called there, and what scripts ask for.

A file is a part of a design. A caller in another file may split the array that it hands over, a script may name the
device, the top function or a directive; what is claimed of one file alone must not deny that. Only what keeps a claim
back is taken from here, nothing that makes one.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from msgspec import Struct

from hlspart.reading import HEADER_SUFFIXES

_SOURCES = (".c", ".cpp", ".cc", ".cxx")
_SCRIPTS = (".tcl", ".cfg")
_MOST_FOLDERS = 1000  # below each folder that is looked through
_MOST_FILES = 400  # that are read, the nearest ones
_MOST_BYTES = 16 << 20  # of all of them
_BLANK = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"|^[ \t]*#(?:\\\r?\n|[^\n])*", re.S | re.M)
_MAIN = re.compile(r"\bmain\s*\(")
_BEFORE_A_CALL = re.compile(r"(?:[;{}=(,+\-|!<?:)]|\breturn|\belse|\bdo)\s*$")
_BODY = re.compile(r"\s*(?:const\b\s*)?\{")
_PART = re.compile(r"\bset_part\s+(?:-name\s+)?[{\"]?([\w-]+)|^[ \t]*part\s*=\s*([\w-]+)", re.M)
_TOP = re.compile(r"\bset_top\s+[{\"]?(\w+)|^[ \t]*syn\.top\s*=\s*(\w+)|\bopen_project\b[^\n;]*-top\s+(\w+)", re.M)
_SPLIT = re.compile(
    r"\bset_directive_array_(?:partition|reshape)\b[^\n;]*?[\s\"{]([\w:]+)(?:/\w+)*[\"}]?\s+[\"{]?(\w+)[\"}]?\s*(?:;|$)"
    r"|^[ \t]*syn\.directive\.array_(?:partition|reshape)\s*=\s*([\w:]+)(?:/\w+)*\s+(?:variable\s*=\s*)?(\w+)",
    re.M,
)


class Around(Struct, frozen=True, dict=True):
    """The sources, headers and scripts in the folders of some files and above, the nearest ones."""

    paths: Sequence[str]
    known: frozenset[str]  # files that the program has itself
    read: Callable[[str], bytes]

    def calls(self, name: str, path: str) -> bool:
        """Whether a file around calls the function that ``path`` defines, and no nearer one defines it as well."""
        spelled = re.compile(rf"(?<![\w.:>]){re.escape(name)}\s*(?:<[^;{{}}()]{{0,200}}>\s*)?\(")
        callers, others = list[str](), list[str]()
        for other in (p for p, text in self._texts.items() if name in text and not p.endswith(_SCRIPTS)):
            text = self._code(other)
            for match in spelled.finditer(text):
                if _BODY.match(text, _behind(text, match.end() - 1)):
                    others.append(other)
                elif _BEFORE_A_CALL.search(text, max(0, match.start() - 40), match.start()) and not _MAIN.search(text):
                    callers.append(other)
        return any(all(_near(c, path) > _near(c, other) for other in others) for c in callers)

    @cached_property
    def parts(self) -> frozenset[str]:
        """Devices that scripts name."""
        return frozenset(x for text in self._scripts for name in _PART.findall(text) if (x := "".join(name).lower()))

    @cached_property
    def tops(self) -> frozenset[str]:
        """Functions that scripts name as the top."""
        return frozenset("".join(name) for text in self._scripts for name in _TOP.findall(text))

    @cached_property
    def split(self) -> frozenset[tuple[str, str]]:
        """(function, array) that scripts partition or reshape."""
        said = [m for text in self._scripts for m in _SPLIT.findall(text)]
        return frozenset((a or c, b or d) for a, b, c, d in said)

    @cached_property
    def files(self) -> tuple[str, ...]:
        """The files around, those that are given among them; none around a text that stands in no file."""
        if not os.path.isfile(self.paths[0]):
            return ()
        near = files_around(os.path.dirname(self.paths[0]), (*HEADER_SUFFIXES, *_SOURCES, *_SCRIPTS), 0)
        return tuple(itertools.islice(near, _MOST_FILES))

    @property
    def asked(self) -> bool:
        """Whether anything depends on the files around."""
        return "files" in self.__dict__

    @cached_property
    def _texts(self) -> dict[str, str]:
        texts: dict[str, str] = {}
        size, known = 0, {os.path.abspath(path) for path in self.known}
        for path in self.files:
            if os.path.abspath(path) in known:
                continue
            try:
                texts[path] = self.read(path).decode("utf-8", "replace")
            except (OSError, ValueError):
                continue
            size += len(texts[path])
            if size > _MOST_BYTES:
                break
        return texts

    def _code(self, path: str) -> str:
        """The text of a source or a header without comments, strings and directives."""
        if path not in self._blanked:
            self._blanked[path] = _BLANK.sub(" ", self._texts[path])
        return self._blanked[path]

    @cached_property
    def _blanked(self) -> dict[str, str]:
        return {}

    @property
    def _scripts(self) -> Iterator[str]:
        return (re.sub(r"^[ \t]*#[^\n]*", "", t, flags=re.M) for p, t in self._texts.items() if p.endswith(_SCRIPTS))


def _near(path: str, other: str) -> int:
    """How many folders two files have in common, wherever the user stands."""
    pairs = zip(os.path.abspath(path).split(os.sep), os.path.abspath(other).split(os.sep), strict=False)
    return sum(1 for _ in itertools.takewhile(lambda x: x[0] == x[1], pairs))


def _behind(text: str, at: int) -> int:
    """The place behind the parenthesis that closes the one at ``at``."""
    depth = 0
    for k in range(at, min(len(text), at + 4000)):
        depth += (text[k] == "(") - (text[k] == ")")
        if not depth:
            return k + 1
    return at


def files_around(folder: str, suffixes: tuple[str, ...], most_up: int) -> Iterator[str]:
    """Files of a folder and of those above it in its project, the nearest first; where no repository begins above it,
    of ``most_up`` folders above."""
    seen = set[str]()
    for start in _folders_above(folder, most_up):
        for here, inner, names in itertools.islice(os.walk(start), _MOST_FOLDERS):
            place = os.path.abspath(here)
            inner[:] = sorted(d for d in inner if not d.startswith(".") and os.path.join(place, d) not in seen)
            for name in sorted(names):
                if name.endswith(suffixes):
                    yield os.path.normpath(os.path.join(here, name))
        seen.add(os.path.abspath(start))


def _folders_above(folder: str, most_up: int) -> list[str]:
    """A folder and those above it up to that of its repository, wherever the user stands; without one the nearest,
    none of them the user's home, or the root or one of its folders."""
    places = [os.path.abspath(folder)]
    while os.path.dirname(places[-1]) != places[-1]:
        places.append(os.path.dirname(places[-1]))
    most = next((k for k, p in enumerate(places) if os.path.exists(os.path.join(p, ".git"))), None)
    if most is None:
        common = {os.path.expanduser("~"), *places[-2:]}
        most = next((k for k, p in enumerate(places) if p in common), 0) - 1
        most = max(0, min(most, most_up))
    return [os.path.normpath(os.path.join(folder or ".", *[os.pardir] * k)) for k in range(most + 1)]
