"""Inline pictures of the report page: bank maps, port tables, bars. No script, no fonts, no identifiers."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

_HUES = (210, 30, 130, 280, 60, 0, 180, 320, 90, 240, 15, 160, 300, 45, 195, 345)


def colour(bank: int) -> str:
    """A colour that works on light and dark ground; neighbours differ."""
    hue = _HUES[bank % len(_HUES)]
    light = (62, 48, 75)[bank // len(_HUES) % 3]
    return f"hsl({hue} 55% {light}%)"


def bank_map(cells: Sequence[Sequence[int]], label: str) -> str:
    """Bank of each element: cells with tooltips up to 64 x 64, else one path per bank."""
    rows, columns = len(cells), max(len(r) for r in cells)
    size = 14 if max(rows, columns) <= 32 else 8 if max(rows, columns) <= 64 else 4
    parts = []
    if rows <= 64 and columns <= 64:
        for y, row in enumerate(cells):
            for x, bank in enumerate(row):
                at = f'x="{x * size}" y="{y * size}" width="{size - 1}" height="{size - 1}"'
                tip = f"[{x}]" if rows == 1 else f"[{y}][{x}]"
                parts.append(f'<rect {at} fill="{colour(bank)}"><title>{tip} bank {bank}</title></rect>')
    else:
        paths: dict[int, list[str]] = {}
        for y, row in enumerate(cells):
            for x, bank in enumerate(row):
                paths.setdefault(bank, []).append(f"M{x * size} {y * size}h{size}v{size}h-{size}z")
        parts = [f'<path d="{"".join(d)}" fill="{colour(b)}"/>' for b, d in sorted(paths.items())]
    return _svg(columns * size, rows * size, label, parts)


def port_table(ports: Sequence[str], slots: int, used: Sequence[tuple[int, int, str]], overflow: Sequence[str]) -> str:
    """Rows are ports, columns slots of the modulo schedule; ``used`` are (row, slot, what); ``overflow`` in red."""
    left, width, height = 12 + 7 * max((len(p) for p in ports), default=4), 120, 22
    box = f'width="{width - 2}" height="{height - 2}"'
    parts = []
    for slot in range(slots):
        parts.append(f'<text x="{left + slot * width + 4}" y="14">slot {slot}</text>')
    for row, name in enumerate(ports):
        y = 20 + row * height
        parts.append(f'<text x="0" y="{y + 15}">{escape(name)}</text>')
        for slot in range(slots):
            parts.append(
                f'<rect x="{left + slot * width}" y="{y}" {box} fill="none" stroke="currentColor" stroke-opacity=".3"/>'
            )
    for row, slot, what in used:
        x, y = left + slot * width, 20 + row * height
        parts.append(
            f'<rect x="{x}" y="{y}" {box} fill="hsl(210 55% 62%)" fill-opacity=".55">'
            f'<title>{escape(what)}</title></rect><text x="{x + 4}" y="{y + 15}">{escape(what[:18])}</text>'
        )
    bottom = 20 + len(ports) * height
    for k, what in enumerate(overflow):
        y = bottom + k * height
        parts.append(
            f'<rect x="{left}" y="{y}" {box} fill="hsl(0 70% 55%)" fill-opacity=".7">'
            f"<title>{escape(what)}: no port in its slot</title></rect>"
            f'<text x="{left + 4}" y="{y + 15}">{escape(what[:18])}</text><text x="0" y="{y + 15}">no port</text>'
        )
    return _svg(left + slots * width, bottom + len(overflow) * height, "ports by slot", parts)


def bars(rows: Sequence[tuple[str, int | None, int | None]]) -> str:
    """(loop, II now, II with the inferred partition) as pairs of bars."""
    left = 12 + 7 * max(len(name) for name, _, _ in rows)
    most = max((v for _, a, b in rows for v in (a, b) if v is not None), default=1)
    unit = min(60.0, 300 / most)
    parts = []
    for k, (name, now, then) in enumerate(rows):
        y = k * 40
        parts.append(f'<text x="0" y="{y + 20}">{escape(name)}</text>')
        for offset, value, hue, word in ((2, now, 30, "now"), (18, then, 130, "inferred")):
            if value is None:
                parts.append(f'<text x="{left}" y="{y + offset + 11}">{word}: unknown</text>')
                continue
            wide = round(value * unit, 1)
            parts.append(
                f'<rect x="{left}" y="{y + offset}" width="{wide}" height="13" fill="hsl({hue} 55% 55%)"/>'
                f'<text x="{left + wide + 6}" y="{y + offset + 11}">{value} {word}</text>'
            )
    return _svg(left + 400, len(rows) * 40, "II before and after", parts)


def _svg(width: int, height: int, label: str, parts: Sequence[str]) -> str:
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return f'<svg role="img" aria-label="{escape(label)}" {size}>{"".join(parts)}</svg>'
