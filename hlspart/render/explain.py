"""The reservation table of one loop: which operation takes which port in which state."""

from __future__ import annotations

from hlspart.model.results import LoopResult
from hlspart.render.table import table


def loop(item: LoopResult) -> str:
    """Head line, limits, and one row per operation in order of start."""
    unknown = "unknown" + (f" ({item.cause})" if item.cause else "")
    head = f"{item.function}/{item.name}, line {item.line}: "
    if not item.pipelined:
        return head + f"not pipelined{f': {item.cause}' if item.cause else ''}\n"
    head += f"target II {item.target_ii}, II {unknown if item.ii is None else item.ii}, depth {item.depth}"
    lines = [head + (f", scheduled by {item.method}" if item.method else "")]
    lines += [f"  II >= {x.ii}: {x.text or x.kind}" for x in item.limits]
    out = "".join(line + "\n" for line in lines)
    if item.schedule:
        rows = [
            (s.start, s.slot, s.operation, s.line, s.states, s.resource or "")
            for s in sorted(item.schedule, key=lambda s: (s.start, s.line))
        ]
        out += table(("state", "slot", "operation", "line", "states", "resource"), rows)
    else:
        out += "  no schedule\n"
    return out
