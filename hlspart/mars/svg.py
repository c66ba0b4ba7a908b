"""A drawing of tile, footprint and MARS: one panel per accepted array, one colour per set."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from hlspart.model.mars import MarsArray, MarsResult
from hlspart.sets.tiles import listed

CELL, GAP, TEXT = 14, 24, 16
MOST_CELLS = 20_000

_Cell = tuple[int, ...]


def draw(result: MarsResult) -> str:
    """SVG text; arrays of more than two dimensions are shown as one slice per leading index."""
    parts: list[str] = []
    width, at = 240, GAP
    for record in result.arrays:
        if not record.accepted:
            continue
        body, wide, high = _panel(record, at)
        parts += body
        width, at = max(width, wide), at + high + GAP
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + GAP}" height="{at}" '
        f'viewBox="0 0 {width + GAP} {at}" font-family="sans-serif" font-size="11">\n'
        '<rect width="100%" height="100%" fill="white"/>\n'
    )
    return head + "".join(f"{p}\n" for p in parts) + "</svg>\n"


def _panel(record: MarsArray, top: int) -> tuple[list[str], int, int]:
    title = f"{record.name} ({record.kind}): {len(record.sets)} MARS, footprint {record.footprint} words"
    if record.boundary:
        title += f", tiles at {record.boundary}"
    if record.residue_classes > 1:
        title += f", tiles like ({', '.join(map(str, record.residue))})"
    parts = [f'<text x="{GAP}" y="{top + 11}">{escape(title)}</text>']
    if record.footprint > MOST_CELLS:
        parts.append(f'<text x="{GAP}" y="{top + 11 + TEXT}">too large to draw</text>')
        return parts, 320, 2 * TEXT
    foot = set(_cells(record.footprint_points))
    tile = set(_cells(record.tile_points)) if record.tile_points else set()
    colour: dict[_Cell, tuple[str, str]] = {}
    for m in record.sets:
        users = " ".join(f"({','.join(map(str, c))})" for c in m.consumers)
        for cell in _cells(m.points):
            colour[cell] = (_hue(m.id, len(record.sets)), f"MARS {m.id}: {m.size} words, consumers {users}")
    cells = sorted(foot | tile | set(colour))
    slices = list(dict.fromkeys(c[:-2] for c in cells))
    low = [min(c[k] for c in cells) for k in (-2, -1)]
    span = [max(c[k] for c in cells) - low[n] + 1 for n, k in enumerate((-2, -1))]
    for n, leading in enumerate(slices):
        left = GAP + n * (span[1] * CELL + GAP)
        if any(leading[1:]) or len(slices) > 1:
            label = ",".join(map(str, leading[1:])) or "0"
            parts.append(f'<text x="{left}" y="{top + 11 + TEXT}">slice {label}</text>')
        for c in (c for c in cells if c[:-2] == leading):
            x, y = left + (c[-1] - low[1]) * CELL, top + 2 * TEXT + (c[-2] - low[0]) * CELL
            fill, hint = colour.get(c, ("#e8e8e8" if c in foot else "white", "in the footprint" if c in foot else ""))
            edge = "black" if c in tile or not tile else "#999999"
            dash = "" if c in foot or c in tile else ' stroke-dasharray="2"'
            parts.append(
                f'<rect x="{x}" y="{y}" width="{CELL - 1}" height="{CELL - 1}" fill="{fill}" stroke="{edge}"{dash}>'
                f"<title>{escape(str(c[1:]))} {escape(hint)}</title></rect>"
            )
    return parts, GAP + len(slices) * (span[1] * CELL + GAP), 2 * TEXT + span[0] * CELL


def _cells(points: str) -> Iterator[_Cell]:
    """Points as (space, .., row, column); one-dimensional data is one row."""
    for p in listed(points):
        yield p if len(p) > 2 else (p[0], 0, p[1])


def _hue(number: int, count: int) -> str:
    return f"hsl({round(360 * number / max(1, count))},70%,{65 if number % 2 else 75}%)"
