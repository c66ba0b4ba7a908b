"""States and multipliers of operators, from what reports show of others of their kind."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

SAME = 0.011  # what the periods of points may be off by


def likely_states(entry: Mapping[str, Any], period: float, estimates: Mapping[str, Any]) -> tuple[int, int, int]:
    """Fewest, likely and most states at ``period`` after reports: a longer period never takes more.

    ``points`` are what reports show at their periods; a unit among ``fits``, [states, ns it needs of each], is enough
    for every period from those on. Of several at one period, a shorter one takes the fewest or more, a longer one the
    most or less.
    """
    points = [(float(p), int(s)) for p, s, *_ in entry["points"]]
    fits = [(float(ns), int(s)) for s, ns in entry.get("fits", ())]
    fits += [(float(ns[0]), int(s)) for _, s, *ns in entry["points"] if ns]
    at = {p: [s for q, s in points if q == p] for p, _ in points}
    fastest = min(at)
    longest = max(at[fastest])
    foreign, faster = float(estimates["foreign"]), float(estimates["faster"])

    def span(off: float, more: float) -> tuple[int, int]:
        enough = [max(at[p]) for p in at if p - SAME <= period / off] + [s for ns, s in fits if ns <= period / off]
        slower = [at[p] for p in at if p + SAME >= period * off]
        limit = max(longest, math.ceil(more * longest * fastest * off / period))
        least, most = max(map(min, slower), default=1), min(enough, default=limit)
        return min(least, most), max(most, *map(max, slower)) if slower else max(least, most)

    here = {s for p, s in points if abs(p - period) <= SAME}
    slower = [s for p, s in sorted(points) if p + SAME >= period]
    least, most = span(1.0, 1.0)
    likely = most if not slower or period < fastest - SAME else min(max(slower[0], least), most)
    if entry.get("foreign"):
        least, most = span(foreign, faster)
    elif len(here) == 1:
        least = likely = most = min(here)
    else:
        least, most = span(1.0, faster)
    return least, min(max(likely, least), most), most


def wide_states(
    entry: Mapping[str, Any], bits: int, period: float, estimates: Mapping[str, Any]
) -> tuple[int, int, int]:
    """Fewest, likely and most states of a product with an operand of many ``bits``."""
    least, states, most = 1, int(entry["wide_states"]), int(entry["wide_most"])
    if "wide" in entry and bits <= int(entry["wide_to"]):
        least, states, most = likely_states({"points": entry["wide"]}, period, estimates)
    return least if bits > int(entry.get("wide_from", 0)) else 1, states, most


def tiles(operands: tuple[int, int], bits: int, entry: Mapping[str, Any], rest: int) -> int:
    """DSP blocks of an integer product of ``bits``: one where its signed operands fit the block's multiplier.

    Wider operands are cut into unsigned pieces below a signed one; products of pieces above the result are
    left out. Narrow products are built of LUTs. ``rest``: bits beyond the pieces that take none.
    """
    low, high = sorted(operands)
    if low <= int(entry["lut_bits"][0]) or high <= int(entry["lut_bits"][1]):
        return 0
    a, b = (int(w) for w in entry["tile"])
    return min(products(x, a, y, b, bits, rest) for x, y in ((low, high), (high, low)))


def products(x: int, a: int, y: int, b: int, bits: int, rest: int) -> int:
    """Multipliers of signed ``a`` times ``b`` bits for the low ``bits`` of a product of ``x`` times ``y`` bits.

    ``rest``: bits beyond the pieces that take none.
    """
    rows, columns = (max(1, math.ceil((n - 1 - rest) / (piece - 1))) for n, piece in ((x, a), (y, b)))
    return sum((a - 1) * k + (b - 1) * m < bits for k in range(rows) for m in range(columns))
