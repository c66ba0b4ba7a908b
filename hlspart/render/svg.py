"""Inline pictures of the report page: bank maps, port tables, bars. No script, no fonts, no identifiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby

from msgspec import Struct

_HUES = (210, 30, 130, 280, 60, 0, 180, 320, 90, 240, 15, 160, 300, 45, 195, 345)
COLOURS = 3 * len(_HUES)
_LEGEND = 24  # banks that a legend names
CELLS = 1024  # elements that are drawn one by one, with a tooltip each
_NONE: Mapping[tuple[int, int], str] = {}


def colour(bank: int) -> str:
    """A colour that works on light and dark ground; neighbours differ."""
    hue = _HUES[bank % len(_HUES)]
    light = (62, 48, 75)[bank // len(_HUES) % 3]
    return f"hsl({hue} 55% {light}%)"


def styles() -> str:
    """Rules that :func:`bank_map` needs: a class for each colour, and for each size of a cell."""
    return "".join(f".b{k}{{fill:{colour(k)}}}" for k in range(COLOURS)) + "".join(
        f".s{size} rect{{width:{size - 1}px;height:{size - 1}px}}" for size in (8, 14)
    )


def bank_map(
    cells: Sequence[Sequence[int]], label: str, wrapped: bool = False, marked: Mapping[tuple[int, int], str] = _NONE
) -> str:
    """Bank of each element: cells with tooltips up to :data:`CELLS` of them, else a path for each bank.

    ``wrapped``: the rows are pieces of one dimension. ``marked``: (row, column) -> accesses, separated by blanks, that
    touch the cell.
    """
    rows, columns = len(cells), max(len(r) for r in cells)
    parts = []
    if rows * columns <= CELLS:
        size = 14 if max(rows, columns) <= 32 else 8
        for y, row in enumerate(cells):
            for x, bank in enumerate(row):
                tip = f"[{y * columns + x}]" if wrapped else f"[{y}][{x}]"
                link = f' data-a="{marked[y, x]}"' if (y, x) in marked else ""
                kind = bank % COLOURS
                parts.append(
                    f'<rect x="{x * size}" y="{y * size}" class="b{kind}"{link}><title>{tip} bank {bank}</title></rect>'
                )
        box = f'width="{columns * size}" height="{rows * size}" viewBox="0 0 {columns * size} {rows * size}"'
        name = f'class="s{size}" role="img" aria-label="{escape(label)}"'
        return f"<svg {name} {box}>{''.join(parts)}</svg>"
    paths: dict[int, list[str]] = {}
    for y, row in enumerate(cells):
        first = 0
        for bank, run in groupby(row):
            length = len(list(run))
            paths.setdefault(bank, []).append(f"M{first} {y}h{length}")
            first += length
    parts = [f'<path d="{"".join(d)}" stroke="{colour(b)}"/>' for b, d in sorted(paths.items())]
    for (y, x), accesses in marked.items():
        parts.append(f'<rect x="{x}" y="{y - 0.5}" width="1" height="1" fill="transparent" data-a="{accesses}"/>')
    scale = max(4, min(8, 512 // max(columns, rows)))
    box = f'width="{columns * scale}" height="{rows * scale}" viewBox="0 -.5 {columns} {rows}"'
    return f'<svg role="img" aria-label="{escape(label)}" class="cells" {box}>{"".join(parts)}</svg>'


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
    return frame(8 * 38, height, "colours of the banks", parts)


class Taken(Struct, frozen=True):
    """What holds a port in a slot: ``label`` to show, ``what`` to say, ``access`` to link with ("" for none)."""

    row: int
    slot: int
    label: str
    what: str
    access: str = ""


def port_table(ports: Sequence[str], slots: int, used: Sequence[Taken], target: int) -> str:
    """Rows are ports, columns slots of the modulo schedule.

    What stands in a slot that the target II does not have is hatched and has a red edge.
    """
    left, height = 12 + 7 * max((len(p) for p in ports), default=4), 24
    width = max(108 if slots > target else 64, min(190, 14 + 7 * max((len(u.label) for u in used), default=4)))
    bottom, right = 20 + len(ports) * height, left + slots * width
    grid = "".join(f"M{left} {20 + row * height}H{right}" for row in range(len(ports) + 1))
    grid += "".join(f"M{left + slot * width} 20V{bottom}" for slot in range(slots + 1))
    parts = [f'<path d="{grid}" fill="none" stroke="currentColor" stroke-opacity=".25"/>']
    for slot in range(slots):
        over = slot >= target
        name = f"slot {slot}{' (too late)' if over else ''}"
        parts.append(f'<text x="{left + slot * width + 4}" y="14"{_OVER_TEXT if over else ""}>{name}</text>')
    for row, port in enumerate(ports):
        parts.append(f'<text x="0" y="{20 + row * height + 16}">{escape(port)}</text>')
    for u in used:
        x, y = left + u.slot * width, 20 + u.row * height
        over = u.slot >= target
        note = f"{u.what}, {u.slot - target + 1} slot{'s' * (u.slot > target)} too late" if over else u.what
        link = f' data-a="{u.access}"' if u.access else ""
        box = f'x="{x + 2}" y="{y + 2}" width="{width - 4}" height="{height - 4}" rx="3"'
        parts.append(
            f'<g class="{"taken late" if over else "taken"}" tabindex="0" role="img" aria-label="{escape(note)}"{link}>'
            f"<title>{escape(note)}</title><rect {box}/>"
            f'<text x="{x + 7}" y="{y + 16}">{escape(_short(u.label, (width - 12) // 6))}</text></g>'
        )
    return frame(right + 1, bottom + 1, "ports by slot", parts, "group")


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: max(1, most - 2)] + ".."


_OVER_TEXT = ' class="late"'


def waterfall(parts: Sequence[tuple[str, int, int]], end: int, label: str) -> str:
    """When each part runs: (name, first, last state) of ``end`` states, from the left to the right."""
    width, height, left = 640, 24, 12 + 7 * max(len(name) for name, _, _ in parts)
    left = min(left, 240)
    unit = (width - left - 90) / max(end, 1)
    out = []
    for k, (name, first, last) in enumerate(parts):
        x, wide = left + first * unit, max((last - first) * unit, 2)
        note = f"{name}: states {first} to {last}, {last - first} cycles"
        out.append(
            f'<g tabindex="0" role="img" aria-label="{escape(note)}"><title>{escape(note)}</title>'
            f'<text x="0" y="{k * height + 16}">{escape(_short(name, left // 7))}</text>'
            f'<rect x="{x:.1f}" y="{k * height + 3}" width="{wide:.1f}" height="{height - 7}" rx="3" class="bar"/>'
            f'<text x="{x + wide + 5:.1f}" y="{k * height + 16}">{last - first}</text></g>'
        )
    return frame(width, len(parts) * height, label, out, "group")


def bars(rows: Sequence[tuple[str, int | None, int | None]]) -> str:
    """(loop, II now, II with the inferred partition) as pairs of bars below the name."""
    most = max((v for _, a, b in rows for v in (a, b) if v is not None), default=1)
    unit, step = min(40.0, 130 / most), 62
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
    return frame(320, len(rows) * step, "II before and after", parts)


def element_grid(rows: int, columns: int, owned: Mapping[tuple[int, int], str], label: str) -> str:
    """Processing elements as boxes with what each owns; at most 16 x 16 are drawn."""
    size, parts = 46, []
    for y in range(min(rows, 16)):
        for x in range(min(columns, 16)):
            text = owned.get((y, x), "")
            at = f'x="{x * size}" y="{y * size}" width="{size - 4}" height="{size - 4}"'
            parts.append(f'<rect {at} rx="4" fill="{colour(y * columns + x)}"><title>{escape(text)}</title></rect>')
            parts.append(f'<text x="{x * size + 6}" y="{y * size + 17}">p{y},{x}</text>')
    return frame(min(columns, 16) * size, min(rows, 16) * size, label, parts)


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
    return frame(width, height, "memory map: steps to the right, addresses upwards", parts)


def frame(width: int, height: int, label: str, parts: Sequence[str], role: str = "img") -> str:
    """``role``: "group" for a picture whose parts can be reached with the keyboard."""
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return f'<svg role="{role}" aria-label="{escape(label)}" {size}>{"".join(parts)}</svg>'
