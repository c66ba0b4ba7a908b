"""Inline pictures of the report page: bank maps, port tables, bars. No script, no fonts, no identifiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

_HUES = (210, 30, 130, 280, 60, 0, 180, 320, 90, 240, 15, 160, 300, 45, 195, 345)
_LEGEND = 24  # banks that a legend names


def colour(bank: int) -> str:
    """A colour that works on light and dark ground; neighbours differ."""
    hue = _HUES[bank % len(_HUES)]
    light = (62, 48, 75)[bank // len(_HUES) % 3]
    return f"hsl({hue} 55% {light}%)"


def bank_map(cells: Sequence[Sequence[int]], label: str, wrapped: bool = False) -> str:
    """Bank of each element: cells with tooltips up to 64 x 64, else one path per bank.

    ``wrapped``: the rows are pieces of one dimension.
    """
    rows, columns = len(cells), max(len(r) for r in cells)
    size = 14 if max(rows, columns) <= 32 else 8 if max(rows, columns) <= 64 else 4
    parts = []
    if rows <= 64 and columns <= 64:
        for y, row in enumerate(cells):
            for x, bank in enumerate(row):
                at = f'x="{x * size}" y="{y * size}" width="{size - 1}" height="{size - 1}"'
                tip = f"[{y * columns + x}]" if wrapped else f"[{y}][{x}]"
                parts.append(f'<rect {at} fill="{colour(bank)}"><title>{tip} bank {bank}</title></rect>')
    else:
        paths: dict[int, list[str]] = {}
        for y, row in enumerate(cells):
            for x, bank in enumerate(row):
                paths.setdefault(bank, []).append(f"M{x * size} {y * size}h{size}v{size}h-{size}z")
        parts = [f'<path d="{"".join(d)}" fill="{colour(b)}"/>' for b, d in sorted(paths.items())]
    return _svg(columns * size, rows * size, label, parts)


def legend(banks: Sequence[int]) -> str:
    """The colours of some banks, in order."""
    shown, rest = banks[:_LEGEND], len(banks) - _LEGEND
    parts = []
    for k, bank in enumerate(shown):
        x, y = k % 8 * 38, k // 8 * 17
        parts.append(f'<circle cx="{x + 6}" cy="{y + 7}" r="5" fill="{colour(bank)}"/>')
        parts.append(f'<text x="{x + 15}" y="{y + 11}">{bank}</text>')
    height = (len(shown) + 7) // 8 * 17
    if rest > 0:
        parts.append(f'<text x="0" y="{height + 11}">and {rest} more</text>')
        height += 17
    return _svg(8 * 38, height, "colours of the banks", parts)


def port_table(ports: Sequence[str], slots: int, used: Sequence[tuple[int, int, str, str]], target: int) -> str:
    """Rows are ports, columns slots of the modulo schedule; ``used``: (row, slot, label, what).

    What stands in a slot that the target II does not have is red.
    """
    left, width, height = 12 + 7 * max((len(p) for p in ports), default=4), 76, 22
    parts = []
    for slot in range(slots):
        late = slot >= target
        x = left + slot * width
        parts.append(f'<text x="{x + 4}" y="14"{_LATE_TEXT if late else ""}>slot {slot}</text>')
    for row, name in enumerate(ports):
        y = 20 + row * height
        parts.append(f'<text x="0" y="{y + 15}">{escape(name)}</text>')
        for slot in range(slots):
            place = f'x="{left + slot * width}" y="{y}" width="{width - 2}" height="{height - 2}"'
            parts.append(f'<rect {place} fill="none" stroke="currentColor" stroke-opacity=".25"/>')
    for row, slot, label, what in used:
        x, y = left + slot * width, 20 + row * height
        fill = "hsl(0 70% 55%)" if slot >= target else "hsl(210 55% 62%)"
        note = f"{what}, {slot - target + 1} too late" if slot >= target else what
        parts.append(
            f'<rect x="{x}" y="{y}" width="{width - 2}" height="{height - 2}" fill="{fill}" fill-opacity=".6">'
            f'<title>{escape(note)}</title></rect><text x="{x + 4}" y="{y + 15}">{escape(label[:11])}</text>'
        )
    return _svg(left + slots * width, 20 + len(ports) * height, "ports by slot", parts)


_LATE_TEXT = ' class="late"'


def bars(rows: Sequence[tuple[str, int | None, int | None]]) -> str:
    """(loop, II now, II with the inferred partition) as pairs of bars below the name."""
    most = max((v for _, a, b in rows for v in (a, b) if v is not None), default=1)
    unit, step = min(40.0, 210 / most), 62
    parts = []
    for k, (name, now, then) in enumerate(rows):
        y = k * step
        parts.append(f'<text x="0" y="{y + 12}" class="name">{escape(name)}</text>')
        worse = now is None or (then is not None and now > then)
        pairs = ((18, now, "hsl(30 75% 52%)" if worse else "hsl(130 45% 50%)", "now"),
                 (35, then, "hsl(130 45% 50%)", "with the inferred partition"))  # fmt: skip
        for offset, value, fill, word in pairs:
            if value is None:
                parts.append(f'<text x="0" y="{y + offset + 11}">{word}: unknown</text>')
                continue
            wide = round(value * unit, 1)
            parts.append(
                f'<rect x="0" y="{y + offset}" width="{wide}" height="13" rx="2" fill="{fill}"/>'
                f'<text x="{wide + 6}" y="{y + offset + 11}">{value} {word}</text>'
            )
    return _svg(320, len(rows) * step, "II before and after", parts)


def element_grid(rows: int, columns: int, owned: Mapping[tuple[int, int], str], label: str) -> str:
    """Processing elements as boxes with what each owns; at most 16 x 16 are drawn."""
    size, parts = 46, []
    for y in range(min(rows, 16)):
        for x in range(min(columns, 16)):
            text = owned.get((y, x), "")
            at = f'x="{x * size}" y="{y * size}" width="{size - 4}" height="{size - 4}"'
            parts.append(f'<rect {at} rx="4" fill="{colour(y * columns + x)}"><title>{escape(text)}</title></rect>')
            parts.append(f'<text x="{x * size + 6}" y="{y * size + 17}">p{y},{x}</text>')
    return _svg(min(columns, 16) * size, min(rows, 16) * size, label, parts)


def memory_map(blocks: Sequence[tuple[str, int, int, int, int]]) -> str:
    """Lifetimes to the right, addresses upwards; ``blocks``: (name, first step, last step, offset, bytes)."""
    start, end = min(b[1] for b in blocks), max(b[2] for b in blocks) + 1
    top = max(b[3] + b[4] for b in blocks)
    width, height = max(240, min(960, 28 * (end - start))), 220
    parts = []
    for k, (name, first, last, offset, size) in enumerate(blocks):
        x, y = (first - start) * width / (end - start), height - (offset + size) * height / top
        w, h = (last + 1 - first) * width / (end - start), size * height / top
        box = f'x="{x:.1f}" y="{y:.1f}" width="{max(w - 1, 1):.1f}" height="{max(h - 1, 1):.1f}"'
        tip = f"{escape(name)}: steps {first} to {last}, bytes {offset} to {offset + size - 1}"
        parts.append(f'<rect {box} fill="{colour(k)}"><title>{tip}</title></rect>')
        if h >= 12 and w >= 7 * len(name):
            parts.append(f'<text x="{x + 3:.1f}" y="{y + min(h, 16) - 3:.1f}">{escape(name)}</text>')
    return _svg(width, height, "memory map: steps to the right, addresses upwards", parts)


def _svg(width: int, height: int, label: str, parts: Sequence[str]) -> str:
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return f'<svg role="img" aria-label="{escape(label)}" {size}>{"".join(parts)}</svg>'
