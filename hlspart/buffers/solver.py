"""Packings by the constraint solver CP-SAT of ortools, where it is installed (``hlspart[search]``)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib.util import find_spec

from hlspart.model.buffers import MemoryBlock

EFFORT = 5.0  # in the solver's own deterministic unit, with one worker; up to two minutes of a processor


def is_available() -> bool:
    """Whether the solver is installed."""
    return find_spec("ortools") is not None


def place(blocks: Sequence[MemoryBlock], limit: int, goal: int) -> tuple[tuple[int, ...] | None, bool]:
    """Offsets of at most ``limit`` units in all, or None; and whether that is the end: none is lower.

    Nothing below ``goal`` is looked for. One worker and a limit of deterministic work: the same problem has the same
    answer on every machine.
    """
    from ortools.sat.python import cp_model

    grain = math.gcd(*(b.size for b in blocks), *(b.align for b in blocks if b.align > 1)) or 1
    top = limit // grain
    model = cp_model.CpModel()
    marks = {at: k for k, at in enumerate(sorted({b.lower for b in blocks} | {b.upper for b in blocks}))}
    height = model.new_int_var(-(-goal // grain), top, "height")
    offsets, times, places = [], [], []
    for block in blocks:
        size, align = block.size // grain, max(1, block.align // grain)
        if size > top:
            return None, True
        number = model.new_int_var(0, (top - size) // align, "")
        model.add(align * number + size <= height)
        offsets.append(align * number)
        times.append(model.new_fixed_size_interval_var(marks[block.lower], marks[block.upper] - marks[block.lower], ""))
        places.append(model.new_fixed_size_interval_var(align * number, size, ""))
    model.add_no_overlap_2d(times, places)
    if goal < limit:
        model.minimize(height)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    solver.parameters.max_deterministic_time = EFFORT
    status = solver.solve(model)
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return tuple(grain * solver.value(at) for at in offsets), status == cp_model.OPTIMAL
    return None, status == cp_model.INFEASIBLE
