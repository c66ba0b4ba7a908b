"""One sentence about what was found, and the command to type next: the same in text and on the page."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hlspart.render import screen

Shape = Mapping[str, Any]
_NAMED = 3  # loops that a sentence names


def is_missed(loop: Shape) -> bool:
    """Whether the loop certainly does not reach its target II."""
    bounds = loop["bounds"]
    least = loop["ii"] if loop["ii"] is not None else bounds[0] if bounds else None
    return bool(loop["pipelined"]) and loop["target_ii"] is not None and least is not None and least > loop["target_ii"]


def is_unknown(loop: Shape) -> bool:
    """Whether it is not known that the loop reaches its target II, nor that it does not."""
    return bool(loop["pipelined"]) and loop["ii"] is None and not is_missed(loop)


def mark(loop: Shape) -> str:
    """``bad``, ``doubtful``, ``good``; "" for a loop that is not pipelined."""
    if not loop["pipelined"]:
        return ""
    return "bad" if is_missed(loop) else "doubtful" if is_unknown(loop) else "good"


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
    missing, open_ = [x for x in pipelined if is_missed(x)], [x for x in pipelined if is_unknown(x)]
    free = [x for x in pipelined if x["target_ii"] is None and (x["ii"] or 1) > 1]
    untold = f"; without a target: {_names(free)}" if free else ""
    if not missing and not open_:
        if free:
            return f"no pipelined loop misses a target II{untold}"
        if len(pipelined) == 1:
            return "the pipelined loop reaches its target II"
        return f"{_all(len(pipelined))} pipelined loops reach their target II"
    if len(pipelined) == 1:
        return f"the pipelined loop {'misses its target II' if missing else 'has no certain II'}: {_names(pipelined)}"
    return _counted(missing, open_, f"{len(pipelined)} pipelined loops", _names) + untold


def _counted(
    missing: Sequence[Shape], open_: Sequence[Shape], all_: str, names: Callable[[Sequence[Shape]], str]
) -> str:
    """How many of all loops miss their target II or have no certain one, and which."""
    parts = []
    if missing:
        parts.append(f"{len(missing)} of {all_} miss{'es' * (len(missing) == 1)} the target II: {names(missing)}")
    if open_:
        many = f"{len(open_)}" if missing else f"{len(open_)} of {all_}"
        parts.append(f"{many} {'have' if len(open_) > 1 else 'has'} no certain II: {names(open_)}")
    return "; ".join(parts)


def _all(count: int) -> str:
    return "both" if count == 2 else f"all {count}"


def _names(loops: Sequence[Shape]) -> str:
    said = [f"{x['name']} {reached(x)}" for x in loops[:_NAMED]]
    return ", ".join(said) + (f" and {len(loops) - _NAMED} more" if len(loops) > _NAMED else "")


def reached(loop: Shape) -> str:
    """The II in words, beside the target: II 2 instead of 1."""
    low, high = (loop["ii"], loop["ii"]) if loop["ii"] is not None else loop["bounds"] or (None, None)
    target = "" if loop["target_ii"] is None else f" instead of {loop['target_ii']}"
    if low is None:
        return "II unknown"
    if low == high:
        return f"II {low}{target}"
    return f"II {low} to {high}" + ("" if loop["target_ii"] is None else f", target {loop['target_ii']}")


def next_step(loops: Sequence[Shape]) -> str:
    """What to type after ``hlspart ii``; "" where nothing is left to do."""
    missing = [x for x in loops if is_missed(x)]
    unadvised = [x for x in missing if not x["ways"] and x["proof"] is None]  # nobody has looked: it takes long
    if any(limit["kind"] == "memory-port" for x in unadvised for limit in x["limits"]):
        return command("advise", "", "the ways to a faster loop, each written and checked")
    for x in [*missing, *filter(is_unknown, loops)][:1]:
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
    missing, open_ = _by_target(asked, "before")
    gained = [x for x in loops if x["target_ii"] is None and _least(x, "after") < (x["ii_before"] or 1)]
    besides = f"; {', '.join(x['name'] for x in gained)}, without a target, gain{'s' * (len(gained) == 1)}"
    besides = besides if gained else ""
    if not asked:
        return f"no loop has a target II{besides}"
    before, all_ = len(missing) + len(open_), "the loop" if len(asked) == 1 else f"{_all(len(asked))} loops"
    if not before:
        return f"{all_} reach{'es its' if len(asked) == 1 else ' their'} target II{besides}"
    if len(asked) == 1:
        many = f"the loop {'misses its target II' if missing else 'has no certain II'}: {_listed(asked)}"
    else:
        many = _counted(missing, open_, f"{len(asked)} loops", _listed)
    missing, open_ = _by_target(asked, "after")
    if not missing and not open_:
        return f"{many}; with the partitions below none misses it{besides}"
    if len(missing) + len(open_) >= before:
        return f"{many}; no partition looked at mends {'it' if before == 1 else 'them'}{besides}"
    rest = [f"{len(missing)} still miss{'es' * (len(missing) == 1)} it"] if missing else []
    rest += [f"{len(open_)} {'have' if len(open_) > 1 else 'has'} no certain II"] if open_ else []
    return f"{many}; with the partitions below {' and '.join(rest)}{besides}"


def inferred_mark(loops: Sequence[Shape], when: str) -> str:
    """``bad``, ``doubtful`` or ``good``, as :func:`mark`, for loops of ``hlspart infer`` ``before`` or ``after``."""
    missing, open_ = _by_target([x for x in loops if x["target_ii"] is not None], when)
    return "bad" if missing else "doubtful" if open_ else "good"


def gains(loop: Shape) -> bool:
    """Whether the partitions of ``hlspart infer`` lower the II of a loop, or make it known."""
    return _least(loop, "after") < _least(loop, "before") or (
        loop["ii_before"] is None and loop["ii_after"] is not None
    )


def _by_target(asked: Sequence[Shape], when: str) -> tuple[list[Shape], list[Shape]]:
    """Loops that miss their target II, and those of which that is not known, before or after."""
    missing = [x for x in asked if _least(x, when) > x["target_ii"]]
    return missing, [x for x in asked if x[f"ii_{when}"] is None and x not in missing]


def _least(loop: Shape, when: str) -> int:
    """The II before or after, or what it is known not to be below."""
    ii, bounds = loop[f"ii_{when}"], loop[f"bounds_{when}"]
    return int(ii if ii is not None else bounds[0] if bounds else 1)


def _listed(loops: Sequence[Shape]) -> str:
    return ", ".join(x["name"] for x in loops[:_NAMED]) + (", ..." if len(loops) > _NAMED else "")
