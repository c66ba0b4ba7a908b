"""Names for generated objects: free in every scope, and the same from run to run.

A name is taken when it occurs as a word anywhere in any text of the program (comments, macros and
inactive branches included), so a new name cannot meet a declaration, a macro or a header's word.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

from hlspart.model.program import Program

_WORD = re.compile(r"[A-Za-z_]\w*")


def renamed(text: str, name: str) -> str:
    """``text``, a name that may be qualified (``ns::f``), with ``name`` as the last word."""
    return re.sub(r"\w+\Z", name, text)


_KEYWORDS = """asm auto bool break case char const continue default do double else enum extern float for goto if
inline int long main register restrict return short signed sizeof static struct switch typedef union unsigned void
volatile while near far j0 j1 jn y0 y1 yn"""


class Names:
    """Deals out names that no text of the program uses."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._taken = set(_KEYWORDS.split())
        for text in texts:
            self._taken.update(_WORD.findall(text))
        self._own: set[str] = set()  # given out here
        self._twins: dict[str, str] = {}
        self._banks: dict[str, str] = {}  # name of a bank -> name of its array

    @classmethod
    def of(cls, program: Program) -> Names:
        """Names that neither a text of ``program`` nor a macro of it says."""
        names = cls(source.text for source in program.sources.values())
        names._taken.update(program.made)
        return names

    def take(self, names: Iterable[str]) -> None:
        """Count ``names`` as given out."""
        given = tuple(names)
        self._taken.update(given)
        self._own.update(given)

    def free(self, wanted: str) -> str:
        """``wanted``, with the least number appended that makes it free; taken from then on."""
        name, n = wanted, 2
        while name in self._taken:
            name, n = f"{wanted}_{n}", n + 1
        self.take((name,))
        return name

    def stem(self, base: str) -> str:
        """``base`` or a variant such that no word begins with it and an underscore."""
        stem, n = base, 2
        while any(word.startswith(f"{stem}_") for word in self._taken - self._own):
            stem, n = f"{base}_x{n}", n + 1
        return stem

    def twin(self, base: str) -> str:
        """The new name of what was called ``base``; the same answer for the same question."""
        if base not in self._twins:
            self._twins[base] = self.free(f"{base}_banked")
        return self._twins[base]

    def banks(self, base: str, count: int) -> tuple[str, ...]:
        """``base_0`` .. for the banks of an array; the same answer for the same question.

        Arrays of one name in different scopes share their banks' names, as they shared their own.
        """
        stems = itertools.chain((f"{base}_", f"{base}_bank"), (f"{base}_bank{n}_" for n in itertools.count(2)))
        for stem in stems:
            names = tuple(f"{stem}{k}" for k in range(count))
            if not any(n in self._taken and self._banks.get(n) != base for n in names):
                self.take(names)
                self._banks.update(dict.fromkeys(names, base))
                return names
        raise AssertionError  # the stems do not end
