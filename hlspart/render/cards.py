"""What the report page says of each loop that misses its target: why, who holds which port, and the ways out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup
from msgspec import Struct

from hlspart.model.advising import none_better
from hlspart.model.results import LoopResult, Slot
from hlspart.render import svg, verdict
from hlspart.render.text import limit_text, loop_title, mapping_text
from hlspart.render.ways import command, figures

Shape = Mapping[str, Any]
_PORTS, _SLOTS = 64, 32  # largest port table


class ShownAccess(Struct, frozen=True):
    """An access as the page shows it: its text, line, array and, at one iteration, its element.

    ``columns``: 1-based, where its text stands on that line of ``path``; None where it comes out of a macro.
    ``first``: the iterators of the loops around it in their first iterations, as far as they are constants.
    """

    id: int
    text: str
    array: str
    path: str
    line: int
    columns: tuple[int, int] | None
    first: Mapping[str, int]


def card(loop: Shape, record: LoopResult, touches: Mapping[int, ShownAccess], path: str) -> Shape:
    """Title, reason, chart and ranked ways."""
    first = loop["limits"][0] if loop["limits"] else None
    why = (first["text"] or limit_text(first)) if first else loop["cause"] or "no limit is known"
    if first and verdict.is_unknown(loop):  # what may limit it is not what does
        why = (
            f"{loop['cause']}; at most II {first['ii']}: {why}" if loop["cause"] else f"at most II {first['ii']}: {why}"
        )
    chart, note = _chart(record, touches)
    return {
        "title": loop_title(loop),
        "reached": verdict.reached(loop),
        "mark": verdict.mark(loop),
        "line": loop["line"],
        "short": _short(first) if first and not verdict.is_unknown(loop) else "",
        "why": why,
        "svg": Markup(chart),
        "note": note,
        "ways": ways(loop, path),
    }


def _short(limit: Shape) -> str:
    """A limit in a title."""
    if limit["kind"] == "memory-port":
        return f"{limit['accesses']} accesses to {limit['array']}, {limit['ports']} ports"
    return f"recurrence on {limit['variable']}" if limit["kind"] == "recurrence" else ""


def ways(loop: Shape, path: str) -> list[Shape]:
    """The ranked ways of the advice, then what the user may allow: what to do, what it gives, and what to copy."""
    cards = [
        {
            "what": w["description"].partition(";")[0],
            "gives": figures(w),
            "code": command(w, [path]),
            "mark": _mark(w, loop),
        }
        for k, w in enumerate(loop["ways"])
        if not k or w["command"] is not None
    ]
    if loop["ways"] and all(w["command"] is None for w in loop["ways"]):
        cards = [cards[0] | {"what": none_better(w["description"] for w in loop["ways"]), "code": ""}]
    hints = [] if loop["proof"] is None else [loop["proof"]["text"]]
    hints += [x["hint"] for x in loop["limits"] if x["hint"] and x["ii"] > (loop["target_ii"] or 1)]
    return [*cards, *({"what": hint, "gives": "", "code": "", "mark": ""} for hint in hints)]


def _mark(way: Shape, loop: Shape) -> str:
    """Whether a way reaches the target II."""
    return "" if way["ii"] is None else "good" if way["ii"] <= (loop["target_ii"] or 1) else "bad"


def partitioned(array: Shape) -> str:
    """The inferred partition in words."""
    if array["mapping"] is not None:
        return mapping_text(array["kind"], array["mapping"])
    parts = [f"{p['type']}{'' if p['type'] == 'complete' else ' ' + str(p['factor'])} dim {p['dim']}"
             for p in array["partition"]]  # fmt: skip
    return ", ".join(parts) or str(array["kind"])


def _chart(loop: LoopResult, touches: Mapping[int, ShownAccess]) -> tuple[str, str]:
    """Memory ports by slot, and what of them is left out; ports of several banks that look alike share a row."""
    occupied = [(port, item) for item in loop.schedule for port in item.held if " unit " not in port]
    often = Counter(item.access for _, item in occupied)
    alike: dict[tuple[object, ...], list[str]] = {}
    for port in sorted({port for port, _ in occupied}, key=_in_order):
        own = tuple((item.slot or 0, _label(item, touches, often), item) for name, item in occupied if name == port)
        array, _, end = port.partition(" bank ")
        alike.setdefault((array, end.partition(" ")[2], tuple(x[:2] for x in own)), []).append(port)
    names = {ports[0]: _together(ports) for ports in alike.values()}
    rows = {port: k for k, port in enumerate(names)}
    used = []
    for port, item in occupied:
        if port in rows and rows[port] < _PORTS and (item.slot or 0) < _SLOTS:
            text = _label(item, touches, often)
            kind = "store" if "store" in item.operation else "load" if "load" in item.operation else ""
            what = f"{kind} {text}, line {item.line}: {names[port]}, slot {item.slot or 0}".strip()
            link = str(item.access) if item.access in touches else ""
            used.append(svg.Taken(rows[port], item.slot or 0, text, what, link))
    if not used:
        return "", ""
    left_out = len(rows) > _PORTS or (loop.ii or 1) > _SLOTS
    picture = svg.port_table(list(names.values())[:_PORTS], min(loop.ii or 1, _SLOTS), used, loop.target_ii or 1)
    return picture, f"the first {_PORTS} rows and {_SLOTS} slots" if left_out else ""


def _label(item: Slot, touches: Mapping[int, ShownAccess], often: Mapping[int | None, int]) -> str:
    """The access as it is written; a copy that unrolling made of it by its element."""
    touch = None if item.access is None else touches.get(item.access)
    if touch is None:
        return item.operation
    copies = often[item.access] > len(item.held) and item.index is not None and None not in item.index
    return touch.array + "".join(f"[{form}]" for form in item.index or ()) if copies else touch.text


def _together(ports: Sequence[str]) -> str:
    """``m banks 0..7 p1`` for ports of the same number of several banks, in order."""
    if len(ports) == 1:
        return ports[0]
    array, _, end = ports[0].partition(" bank ")
    numbers = [int(p.partition(" bank ")[2].partition(" ")[0]) for p in ports]
    run = f"{numbers[0]}..{numbers[-1]}" if numbers[-1] - numbers[0] == len(ports) - 1 else (
        ", ".join(map(str, numbers[:3])) + (f", .. {numbers[-1]}" if len(numbers) > 3 else "")
    )  # fmt: skip
    return f"{array} banks {run} {end.partition(' ')[2]}"


def _in_order(port: str) -> tuple[object, ...]:
    """Numbers in a name count as numbers."""
    return tuple((0, int(w)) if w.isdigit() else (1, w) for w in port.replace(" p", " ").split())


def cells_at(loop: LoopResult, array: str, touches: Mapping[int, ShownAccess]) -> dict[tuple[int, ...], str]:
    """Element of an array -> accesses that touch it in one iteration: that which shows the limit, else the first."""
    witness = next((x.witness for x in loop.limits if x.array == array and x.witness), None)
    out: dict[tuple[int, ...], list[str]] = {}
    for item in loop.schedule:
        touch = None if item.access is None else touches.get(item.access)
        if touch is None or touch.array != array or item.index is None:
            continue
        forms = [None if form is None else form.at(witness or touch.first) for form in item.index]
        element = tuple(form.const for form in forms if form is not None and not form.terms)
        if len(element) == len(forms):
            out.setdefault(element, []).append(str(touch.id))
    return {element: " ".join(dict.fromkeys(ids)) for element, ids in out.items()}


def marked_source(text: str, line: int, touches: Sequence[ShownAccess]) -> Markup:
    """A line of the source in which the accesses of late loops can be pointed at."""
    out, at = Markup(""), 1
    chosen: list[ShownAccess] = []
    own = [t for t in touches if t.line == line and t.columns is not None]
    for touch in sorted(own, key=lambda t: (t.columns or (0, 0))[1] - (t.columns or (0, 0))[0]):
        a, b = touch.columns or (0, 0)
        if all(b <= (o.columns or (0, 0))[0] or a >= (o.columns or (0, 0))[1] for o in chosen):
            chosen.append(touch)
    for touch in sorted(chosen, key=lambda t: t.columns or (0, 0)):
        a, b = touch.columns or (0, 0)
        out += Markup("{}<span class=a tabindex=0 data-a={}>{}</span>").format(
            text[at - 1 : a - 1], touch.id, text[a - 1 : b - 1]
        )
        at = b
    return out + text[at - 1 :]
