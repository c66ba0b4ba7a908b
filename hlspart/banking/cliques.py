"""Largest cliques in small graphs, with an optional test that a clique can really happen.

Branch and bound with greedy colouring (Tomita and Seki, 2003); vertex sets are bit masks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct


class Budget(Struct):
    """Feasibility tests and search nodes left."""

    left: int

    def spend(self) -> bool:
        """Take one; False when none is left."""
        self.left -= 1
        return self.left >= 0


def largest_clique(
    neighbours: Sequence[int],
    names: Sequence[int],
    feasible: Callable[[Sequence[int]], bool] | None,
    budget: Budget,
) -> tuple[tuple[int, ...], bool]:
    """A largest set of pairwise adjacent vertices that is ``feasible`` (a property closed under subsets).

    ``neighbours[v]`` is the bit mask of v's neighbours; ``feasible`` is asked with the ``names`` of
    vertices. Returns (clique, exact). When the budget ends first, the clique returned is a largest
    one *without* the feasibility test, so that its size is an upper bound.
    """
    everything = (1 << len(neighbours)) - 1
    first = _first_descent(neighbours, names, feasible, everything)
    if first is not None:
        return tuple(sorted(first)), True
    best: list[int] = []
    exact = True

    def expand(clique: list[int], candidates: int, test: Callable[[Sequence[int]], bool] | None) -> None:
        nonlocal best, exact
        if len(clique) > len(best):
            best = clique[:]
        for vertex, colours in reversed(_coloured(neighbours, candidates)):
            if len(clique) + colours <= len(best) or not exact:
                return
            if not budget.spend():
                exact = False
                return
            clique.append(vertex)
            if test is None or test([names[v] for v in clique]):
                expand(clique, candidates & neighbours[vertex], test)
            clique.pop()
            candidates &= ~(1 << vertex)

    expand([], everything, feasible)
    if not exact:
        order = _coloured(neighbours, everything)
        bound = order[-1][1] if order else 0
        budget.left = 1000
        best, exact = [], True
        expand([], everything, None)
        if not exact and len(best) < bound:  # give as many vertices as colours: a true upper bound
            best = _one_per_colour(order)
        exact = False
    return tuple(sorted(best)), exact


def _first_descent(
    neighbours: Sequence[int],
    names: Sequence[int],
    feasible: Callable[[Sequence[int]], bool] | None,
    everything: int,
) -> list[int] | None:
    """The clique that the search would meet first, if it has as many vertices as there are colours.

    Large graphs are mostly of this kind (all accesses in one bank); nothing has to be searched then.
    """
    complete = all(mask | 1 << v == everything for v, mask in enumerate(neighbours))
    wanted = len(neighbours) if complete else _coloured(neighbours, everything)[-1][1]
    clique: list[int] = []
    candidates = everything
    while candidates:
        vertex = candidates.bit_length() - 1 if complete else _coloured(neighbours, candidates)[-1][0]
        clique.append(vertex)
        if feasible is not None and not feasible([names[v] for v in clique]):
            return None
        candidates &= neighbours[vertex]
    return clique if len(clique) == wanted else None


def _one_per_colour(order: Sequence[tuple[int, int]]) -> list[int]:
    last: dict[int, int] = {}
    for vertex, colour in order:
        last[colour] = vertex
    return list(last.values())


def _coloured(neighbours: Sequence[int], candidates: int) -> list[tuple[int, int]]:
    """(vertex, number of colours used so far), greedily, by ascending colour."""
    order: list[tuple[int, int]] = []
    colour = 0
    while candidates:
        colour += 1
        free = candidates
        while free:
            vertex = (free & -free).bit_length() - 1
            order.append((vertex, colour))
            candidates &= ~(1 << vertex)
            free &= ~(1 << vertex) & ~neighbours[vertex]
    return order
