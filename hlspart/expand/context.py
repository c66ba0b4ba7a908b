"""What surrounds a piece of the output: the expanded loops around it, conditions, and names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from hlspart.model.expanding import Map, Request
from hlspart.model.program import (
    Loop,
)

#: How the comment in an expanded loop begins.
MARKER = "/* hlspart expand"


class ExpandedLoop(Struct, frozen=True):
    """One expanded loop in the text: ``pes`` elements in ``steps`` (text; None: a tail of one step from ``base``)."""

    loop: Loop
    position: int
    iterator: int
    name: str
    type: str
    pes: int
    count: str  # name of the constant with the number of elements
    element: str  # iterator over the elements
    step: str | None  # iterator over time
    map: Map
    block: int | None
    lower: str
    stride: int
    guard: str | None
    once: bool = False  # one step: the iterator over time is 0, which not every tool finds out
    base: int = 0

    def number(self, element: str | None = None) -> str:
        """The iteration's number, for an element."""
        element = self.element if element is None else element
        if self.step is None or self.once:
            return element if not self.base else f"{self.base} + {element}"
        if self.map == "block":
            return f"{self.block} * {element} + {self.step}"
        return f"{self.count} * {self.step} + {element}"

    def value(self, element: str | None = None) -> str:
        """The iterator's value."""
        number = self.number(element)
        if self.stride == 1:
            return number if self.lower == "0" else f"{self.lower} + {number}"
        sign = "+" if self.stride > 0 else "-"
        size = f"({number})" if abs(self.stride) == 1 else f"{abs(self.stride)} * ({number})"
        return f"{self.lower} {sign} {size}"


class ExpansionContext(Struct, frozen=True):
    """What surrounds a piece of the output."""

    axes: tuple[ExpandedLoop, ...] = ()
    guards: tuple[tuple[str, frozenset[int]], ...] = ()  # conditions and the variables that they name
    names: Mapping[int, str] = field(default_factory=dict)  # variable -> its name here
    whole: Mapping[int, str] = field(default_factory=dict)  # element of an array -> what stands for it
    indent: str = ""

    def deeper(self) -> ExpansionContext:
        """One level in."""
        return replace(self, indent=self.indent + "    ")


class Written(Struct):
    """Text of a region and what it holds."""

    lines: list[str]
    remainder: str
    steps: tuple[int | None, ...]
    hoisted: list[str]
    constants: list[tuple[str, int]]


def marker(request: Request, pes: Sequence[int]) -> str:
    """The comment that stands for the pragma in an expanded loop."""
    words = [f"pe={'x'.join(map(str, pes))}"]
    if set(request.maps) != {"cyclic"}:
        words.append(f"map={','.join(request.maps)}")
    return f"{MARKER} {' '.join(words)} */"


def whole_box(dims: Sequence[int | None]) -> tuple[tuple[int, int], ...]:
    return tuple((0, (d or 1) - 1) for d in dims)


def bracketed(text: str) -> str:
    return text if text.startswith("(") and text.endswith(")") and _closes(text) else f"({text})"


def _closes(text: str) -> bool:
    """Whether the first bracket closes at the end."""
    depth = 0
    for k, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return k == len(text) - 1
    return False
