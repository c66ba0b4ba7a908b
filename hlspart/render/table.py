"""Aligned plain-text tables that fit what they are shown on."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from hlspart.render import screen

_NUMBER = re.compile(r"[-+?~]?[0-9][0-9.,e+?-]*( ?%)?|\?( [0-9]+\.\.[0-9]+)?|-|")
_NARROW = 20  # characters that a text column keeps as long as there are columns to spare


class Marked(Struct, frozen=True):
    """A cell with a colour, see :func:`hlspart.render.screen.paint`."""

    cell: object
    mark: str


class _Column(Struct):
    title: str
    texts: list[str]
    marks: list[str]
    number: bool
    head: list[str]  # lines of the title
    cells: list[list[str]]  # lines of each text

    @property
    def width(self) -> int:
        return max(len(x) for lines in (self.head, *self.cells) for x in lines)

    @property
    def least(self) -> int:
        """Width below which it is not folded while others can go."""
        return self.width if self.number else min(self.width, max(_NARROW, *map(len, self.head)))


def table(
    header: Sequence[str], rows: Sequence[Sequence[object]], indent: str = "  ", spare: Sequence[str] = ()
) -> str:
    """Columns as wide as their widest cell, numbers to the right, columns without content left out.

    Where the screen is narrower: headers get several lines, columns named in ``spare`` go, in this order, and text
    is folded.
    """
    made = [_column(head, [row[k] for row in rows]) for k, head in enumerate(header)]
    columns = {h: c for k, (h, c) in enumerate(_distinct(header, made)) if k == 0 or not rows or _filled(c)}
    limit = screen.width()
    if limit is not None:
        limit -= len(indent)
        _fit(columns, limit, spare)
    return _text(list(columns.values()), indent)


def _distinct(header: Sequence[str], made: Sequence[_Column]) -> list[tuple[str, _Column]]:
    """Columns by their title; a title that comes again is told apart by its place."""
    return [(h if header.index(h) == k else f"{h} {k}", c) for k, (h, c) in enumerate(zip(header, made, strict=True))]


def _column(head: str, cells: Sequence[object]) -> _Column:
    texts = [_cell(c.cell if isinstance(c, Marked) else c) for c in cells]
    number = bool(texts) and all(_NUMBER.fullmatch(t) for t in texts)
    marks = [c.mark if isinstance(c, Marked) else "" for c in cells]
    return _Column(head, texts, marks, number, [head], [[t] for t in texts])


def _filled(column: _Column) -> bool:
    return any(text not in ("-", "") for text in column.texts)


def _cell(cell: object) -> str:
    return "?" if cell is None else str(cell)


def _fit(columns: dict[str, _Column], limit: int, spare: Sequence[str]) -> None:
    def too_wide(least: bool = False) -> int:
        return sum(c.least if least else c.width for c in columns.values()) + 2 * (len(columns) - 1) - limit

    if too_wide() > 0:
        for column in columns.values():
            column.head = screen.wrapped(column.title, max(map(len, (*column.texts, *column.title.split(" ")))))
    for name in spare:
        if too_wide(least=True) > 0 and name in columns:
            del columns[name]
    while (over := too_wide()) > 0:
        texts = sorted((c for c in columns.values() if not c.number), key=lambda c: c.width)
        if not texts or texts[-1].width <= 8:
            break
        widest = texts[-1]
        second = texts[-2].width if len(texts) > 1 else 0
        goal = max(8, widest.width - over, min(second, widest.width - 1))
        _fold(widest, goal)


def _fold(column: _Column, width: int) -> None:
    """Both title and texts in lines of at most ``width`` characters."""
    column.head = screen.wrapped(column.title, width)
    column.cells = []
    for text in column.texts:
        lead = len(text) - len(text.lstrip())
        column.cells.append(screen.wrapped(text, width, " " * min(lead + 2, width // 2) if lead else ""))


def _text(columns: Sequence[_Column], indent: str) -> str:
    widths = [c.width for c in columns]
    count = len(columns[0].cells) if columns else 0
    rows = [[(c.head, "") for c in columns], *([(c.cells[k], c.marks[k]) for c in columns] for k in range(count))]
    out = []
    for row in rows:
        height = max(len(lines) for lines, _ in row)
        for y in range(height):
            parts = []
            for (lines, mark), column, width in zip(row, columns, widths, strict=True):
                at = y - (height - len(lines) if row is rows[0] else 0)  # heads stand on the rows
                text = lines[at] if 0 <= at < len(lines) else ""
                pad = " " * (width - len(text))
                painted = screen.paint(text, mark) if text else ""
                parts.append(pad + painted if column.number else painted + pad)
            out.append((indent + "  ".join(parts)).rstrip() + "\n")
    return "".join(out)
