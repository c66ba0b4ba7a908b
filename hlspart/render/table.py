"""Aligned plain-text tables."""

from __future__ import annotations

from collections.abc import Sequence


def table(header: Sequence[str], rows: Sequence[Sequence[object]], indent: str = "  ") -> str:
    """Columns as wide as their widest cell; numbers to the right, the last column unpadded."""
    cells = [[_text(c) for c in row] for row in rows]
    right = [bool(rows) and all(isinstance(r[k], int | None) for r in rows) for k in range(len(header))]
    widths = [max([len(h), *(len(r[k]) for r in cells)]) for k, h in enumerate(header)]
    lines = []
    for row in [list(header), *cells]:
        parts = [c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right, strict=True)]
        lines.append((indent + "  ".join(parts)).rstrip())
    return "".join(line + "\n" for line in lines)


def _text(cell: object) -> str:
    if cell is None:
        return "?"
    return str(cell)
