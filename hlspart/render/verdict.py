"""One sentence about what was found, and the command to type next: the same in text and on the page."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from hlspart.render import screen

Shape = Mapping[str, Any]
_NAMED = 3  # loops that a sentence names


def missed(loop: Shape) -> bool:
    """Whether the loop certainly does not reach its target II."""
    bounds = loop["bounds"]
    least = loop["ii"] if loop["ii"] is not None else bounds[0] if bounds else None
    return bool(loop["pipelined"]) and loop["target_ii"] is not None and least is not None and least > loop["target_ii"]


def unknown(loop: Shape) -> bool:
    """Whether it is not known that the loop reaches its target II, nor that it does not."""
    return bool(loop["pipelined"]) and loop["ii"] is None and not missed(loop)


def mark(loop: Shape) -> str:
    """``bad``, ``doubtful``, ``good``; "" for a loop that is not pipelined."""
    if not loop["pipelined"]:
        return ""
    return "bad" if missed(loop) else "doubtful" if unknown(loop) else "good"


def verdict(loops: Sequence[Shape], unread: int = 0) -> str:
    """How many pipelined loops miss their target II, which, and what cannot be predicted.

    ``unread``: parts of the text that are not read, whose loops are not among ``loops``.
    """
    said = _verdict(loops)
    if not unread:
        return said
    return f"{said}, of what is read: {unread} part{'s' * (unread > 1)} of the text {'are' if unread > 1 else 'is'} not"


def _verdict(loops: Sequence[Shape]) -> str:
    pipelined = [x for x in loops if x["pipelined"]]
    if not pipelined:
        return "no loop is pipelined" if loops else "no loops"
    late, open_ = [x for x in pipelined if missed(x)], [x for x in pipelined if unknown(x)]
    if not late and not open_:
        free = [x for x in pipelined if x["target_ii"] is None and x["ii"] > 1]
        if free:
            return f"no pipelined loop misses a target II; without a target: {_names(free)}"
        if len(pipelined) == 1:
            return "the pipelined loop reaches its target II"
        return f"{_all(len(pipelined))} pipelined loops reach their target II"
    if len(pipelined) == 1:
        return f"the pipelined loop {'misses its target II' if late else 'has no certain II'}: {_names(pipelined)}"
    many = f"of {len(pipelined)} pipelined loops"
    parts = []
    if late:
        parts.append(f"{len(late)} {many} miss{'es' * (len(late) == 1)} the target II: {_names(late)}")
    if open_:
        what = f"{len(open_)}" if late else f"{len(open_)} {many}"
        parts.append(f"{what} {'have' if len(open_) > 1 else 'has'} no certain II: {_names(open_)}")
    return "; ".join(parts)


def _all(count: int) -> str:
    return "both" if count == 2 else f"all {count}"


def _names(loops: Sequence[Shape]) -> str:
    said = [f"{x['name']} {_reached(x)}" for x in loops[:_NAMED]]
    return ", ".join(said) + (f" and {len(loops) - _NAMED} more" if len(loops) > _NAMED else "")


def _reached(loop: Shape) -> str:
    low, high = (loop["ii"], loop["ii"]) if loop["ii"] is not None else loop["bounds"] or (None, None)
    target = "" if loop["target_ii"] is None else f" instead of {loop['target_ii']}"
    if low is None:
        return "II unknown"
    if low == high:
        return f"II {low}{target}"
    return f"II {low} to {high}" + ("" if loop["target_ii"] is None else f", target {loop['target_ii']}")


def next_step(loops: Sequence[Shape]) -> str:
    """What to type after ``hlspart ii``; "" where nothing is left to do."""
    late = [x for x in loops if missed(x)]
    if any(limit["kind"] == "memory-port" for x in late for limit in x["limits"]):
        return command("infer", "", "the least partition that reaches the target II")
    for x in [*late, *filter(unknown, loops)][:1]:
        return command("ii", f"--explain {shlex.quote(x['function'] + '/' + x['name'])}", "what the loop waits for")
    if loops and not any(x["pipelined"] for x in loops):
        return command("infer", "--target-ii 1", "what pipelining would need")
    return ""


def command(name: str, options: str, why: str) -> str:
    """What to type next, and why, with the files and options of the command that asks; "" for a library call."""
    again, _ = screen.typed()
    return "" if again is None else f"\nnext: {why}\n  hlspart {' '.join(x for x in (name, again, options) if x)}\n"


def inferred(loops: Sequence[Shape]) -> str:
    """What the partitions of ``hlspart infer`` change, in one sentence."""
    asked = [x for x in loops if x["target_ii"] is not None]
    before = [x for x in asked if x["ii_before"] is None or x["ii_before"] > x["target_ii"]]
    after = [x for x in asked if x["ii_after"] is None or x["ii_after"] > x["target_ii"]]
    if not asked:
        return "no loop has a target II"
    if not before and not after:
        return (
            "the loop reaches its target II" if len(asked) == 1 else f"{_all(len(asked))} loops reach their target II"
        )
    many = f"{len(before)} of {len(asked)} loop{'s' * (len(asked) > 1)} miss{'es' * (len(before) == 1)} the target II"
    many += f": {', '.join(x['name'] for x in before[:_NAMED])}" + (", ..." if len(before) > _NAMED else "")
    if not after:
        return f"{many}; with the partitions below none misses it"
    if len(after) >= len(before):
        return f"{many}; no partition mends {'it' if len(before) == 1 else 'them'}"
    return f"{many}; with the partitions below {len(after)} still miss{'es' * (len(after) == 1)} it"
