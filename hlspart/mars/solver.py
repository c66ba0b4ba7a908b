"""Heaviest Hamiltonian path by integer programming (HiGHS, the ``exact`` extra); cycles are cut as they appear."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import highspy  # type: ignore[import-not-found,import-untyped,unused-ignore]

from hlspart.schedule.solver import quiet_model

TIME_LIMIT = 20.0  # seconds for one block
ROUNDS = 200


def longest_path(weight: Sequence[Sequence[int]], start: Sequence[int]) -> tuple[list[int], int]:
    """Best path found (at least as good as ``start``) and a proved upper bound on its weight."""
    n = len(weight)
    # a path is a cycle through one extra node that costs nothing
    edges = [(a, b) for a in range(n + 1) for b in range(a + 1, n + 1)]
    gain = [weight[a][b] if b < n else 0 for a, b in edges]
    model: Any = quiet_model()
    model.setOptionValue("threads", 1)
    model.setOptionValue("random_seed", 1)
    model.setOptionValue("mip_abs_gap", 0.5)
    model.setOptionValue("time_limit", TIME_LIMIT)
    columns = [model.addBinary(obj=-float(g)) for g in gain]
    touching: list[list[int]] = [[] for _ in range(n + 1)]
    for k, (a, b) in enumerate(edges):
        touching[a].append(k)
        touching[b].append(k)
    for node in range(n + 1):
        model.addConstr(sum((columns[k] for k in touching[node]), start=0 * columns[0]) == 2)
    best, best_gain = list(start), sum(weight[a][b] for a, b in pairwise(start))
    bound = sum(sorted((max(row) for row in weight), reverse=True))
    for _ in range(ROUNDS):
        model.run()
        if model.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            break
        bound = min(bound, round(-model.getInfo().mip_dual_bound + 0.499))
        values = model.getSolution().col_value
        chosen = [edges[k] for k in range(len(edges)) if values[k] > 0.5]
        cycles = _cycles(n + 1, chosen)
        path = _joined(cycles, n)
        value = sum(weight[a][b] for a, b in pairwise(path))
        if value > best_gain:
            best, best_gain = path, value
        if len(cycles) == 1 or best_gain >= bound:
            bound = min(bound, max(best_gain, bound)) if len(cycles) > 1 else best_gain
            break
        for cycle in cycles:
            inside = set(cycle)
            kept = [columns[k] for k, (a, b) in enumerate(edges) if a in inside and b in inside]
            model.addConstr(sum(kept, start=0 * columns[0]) <= len(cycle) - 1)
    return best, bound


def _cycles(n: int, edges: Sequence[tuple[int, int]]) -> list[list[int]]:
    near: list[list[int]] = [[] for _ in range(n)]
    for a, b in edges:
        near[a].append(b)
        near[b].append(a)
    seen: set[int] = set()
    cycles = []
    for first in range(n):
        if first in seen:
            continue
        cycle, at = [], first
        while at not in seen:
            seen.add(at)
            cycle.append(at)
            at = next((b for b in near[at] if b not in seen), at)
        cycles.append(cycle)
    return cycles


def _joined(cycles: Sequence[Sequence[int]], extra: int) -> list[int]:
    """One path: each cycle is opened (at the extra node where it has it) and the pieces are chained."""
    path: list[int] = []
    for cycle in cycles:
        if extra in cycle:
            k = list(cycle).index(extra)
            path += [*cycle[k + 1 :], *cycle[:k]]
        else:
            path += cycle
    return path
