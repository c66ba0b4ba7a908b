"""One loop in full: limits, critical cycle, reservation table (port x slot), operations by state."""

from __future__ import annotations

from hlspart.model.causes import located
from hlspart.model.results import LoopResult, Slot
from hlspart.render.table import table

WIDE = 12  # most slots that stand side by side


def loop(item: LoopResult) -> str:
    """Head line, limits with ways out, the critical cycle, the ports by slot, all operations in order of start."""
    within = f", {item.bounds[0]} to {item.bounds[1]}" if item.bounds is not None else ""
    unknown = f"unknown{within}" + (f" ({located(item.causes)})" if item.causes else "")
    head = f"{item.function}/{item.name}, line {item.line}: "
    if not item.pipelined:
        said = "not known to be pipelined" if item.origin == "auto" else "not pipelined"
        return head + f"{said}{f': {why}' if (why := located((*item.causes, *item.depth_causes))) else ''}\n"
    target = "no target II" if item.target_ii is None else f"target II {item.target_ii}"
    head += f"{target}, II {unknown if item.ii is None else item.ii}"
    head += f", depth {item.depth}" if item.depth is not None else ""
    head += f", depth unknown ({located(item.depth_causes)})" if item.depth_causes else ""
    lines = [head + (f", scheduled by {item.method}" if item.method and item.ii is not None else "")]
    sure = item.ii if item.ii is not None else item.bounds[0] if item.bounds is not None else 1
    for x in item.limits:
        lines.append(
            f"  II {'>=' if x.ii <= sure else 'up to'} {x.ii}: {x.text or x.kind}" + (f"; {x.hint}" if x.hint else "")
        )
    return "".join(line + "\n" for line in lines) + _cycle(item) + _reservations(item) + _operations(item)


def _cycle(item: LoopResult) -> str:
    if not item.cycle:
        return ""
    distance = sum(s.distance for s in item.cycle)
    rows = [
        (
            f"{s.first}..{s.last}" if s.last > s.first else str(s.first),
            s.operation,
            s.line,
            f"{s.through}, {s.distance} iteration{'s' * (s.distance > 1)} before"
            if s.distance
            else f"{s.through} ({s.kind})",
        )
        for s in item.cycle
    ]
    at_least = ">=" if item.ii is not None else "up to"
    title = f"\n  critical cycle: II {at_least} {item.recurrence_ii} over {distance} iteration{'s' * (distance > 1)}\n"
    return title + table(("states", "operation", "line", "waits for"), rows)


def _reservations(item: LoopResult) -> str:
    """Who holds which port or shared unit in which slot."""
    if item.ii is None:
        return ""
    occupied: dict[str, dict[int, str]] = {}
    for s in item.schedule:
        for name in s.held:
            occupied.setdefault(name, {})[s.slot or 0] = _who(s)
    if not occupied:
        return ""
    names = sorted(occupied, key=lambda n: (n.rpartition(" ")[0], int(n.rpartition(" ")[2].lstrip("p"))))
    if item.ii <= WIDE:
        header = ("port or unit", *(f"slot {k}" for k in range(item.ii)))
        rows = [(n, *(occupied[n].get(k, "-") for k in range(item.ii))) for n in names]
        return "\n" + table(header, rows)
    rows = [(n, f"{k}: {occupied[n][k]}") for n in names for k in sorted(occupied[n])]
    return "\n" + table(("port or unit", "slot"), rows)


def _who(s: Slot) -> str:
    return f"{s.operation.split()[-1]} line {s.line}"


def _operations(item: LoopResult) -> str:
    if not item.schedule:
        return ""
    rows = [
        (s.start, s.slot, s.operation, s.line, s.states, ", ".join(s.held[:4]) + (", ..." if len(s.held) > 4 else ""))
        for s in sorted(item.schedule, key=lambda s: (s.start, s.line))
    ]
    return "\n" + table(("state", "slot", "operation", "line", "states", "holds"), rows)
