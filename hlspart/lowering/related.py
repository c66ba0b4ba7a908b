"""Which accesses of one array have to do with each other, without a look at all pairs of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from hlspart.hardware.unmodelled import Unmodelled
from hlspart.lowering.distances import Address
from hlspart.lowering.graph import Op, excludes

MOST_ORDERS = 100_000  # of 450 accesses of one element, each behind all before it


MOST_DIFFERENCES = 30_000  # of the constants of two accesses, which sets are asked about


def limit_orders(orders: int, array: str, access: Op, operations: int) -> None:
    """Raises Unmodelled where accesses of ``array``, of a loop of ``operations``, have more orders than are counted."""
    if orders > MOST_ORDERS:
        made = operations + orders // 2  # in vain, two orders take as long as an operation
        raise Unmodelled(f"more than {MOST_ORDERS} orders between accesses of {array}", access.line, made)


def limit_differences(addresses: Sequence[Address], array: str, access: Op, operations: int) -> None:
    """Raises Unmodelled where too many pairs of accesses of ``array`` are unlike: sets are asked about each."""
    unlike = 0
    for _, _, differences in _pairs(addresses, lambda a: a.number):
        unlike += len(differences)
        if unlike > MOST_DIFFERENCES:
            text = f"more than {MOST_DIFFERENCES} pairs of accesses of {array} differ in how they lie to each other"
            raise Unmodelled(text, access.line, operations)


def partners(addresses: Sequence[Address]) -> list[Sequence[int]]:
    """For each access of an array those that may be of its element, in order, as far as constants tell.

    They tell in the dimensions in which all accesses have one (copies of an unrolled loop in a bank each), else where
    they are the whole index.
    """
    everyone = range(len(addresses))
    known = [a.ref.index for a in addresses if a.ref.index is not None and not a.open]
    if len({len(index) for index in known}) != 1:
        return [everyone] * len(addresses)
    every = range(len(known[0]))
    dims = [d for d in every if not any((f := index[d]) is not None and f.terms for index in known)] or every
    places = [a.fixed(dims) for a in addresses]
    same: dict[tuple[int, ...], list[int]] = {p: [] for p in places if p is not None}
    for k, place in enumerate(places):
        for group in same.values() if place is None else (same[place],):
            group.append(k)
    return [everyone if p is None else same[p] for p in places]


def related(
    addresses: Sequence[Address], number: Callable[[Address], int], are_related: Callable[[Address, Address], bool]
) -> list[list[int]]:
    """For each access of an array those, in order, that it is related to; two loads never are.

    ``are_related`` may depend on the ``number`` of each, on what they do and on the difference of their constants:
    copies of an unrolled access are many, these differences few.
    """
    out: list[list[int]] = [[] for _ in addresses]
    for starts, others, differences in _pairs(addresses, number):
        close = {
            by for by, x in differences.items() if are_related(addresses[starts[x][0]], addresses[others[x + by][0]])
        }
        for x, mine in starts.items() if close else ():
            few = len(close) < len(others)
            met = [x + by for by in close if x + by in others] if few else [y for y in others if y - x in close]
            for k in mine:
                for y in met:
                    out[k] += others[y]
    return [sorted(others) for others in out]


def _pairs(
    addresses: Sequence[Address], number: Callable[[Address], int]
) -> Iterator[tuple[dict[int, list[int]], dict[int, list[int]], dict[int, int]]]:
    """Accesses of two kinds that may be of one element, by their constants; and these' differences, each with a first.

    Those of one kind have one ``number`` and do the same; two kinds of loads have nothing to do with each other.
    """
    groups: dict[int, tuple[Sequence[int], list[int]]] = {}
    for k, near in enumerate(partners(addresses)):
        groups.setdefault(id(near), (near, []))[1].append(k)
    for sinks, sources in groups.values():
        ends = _alike(addresses, number, sinks)
        for (_, kind), starts in _alike(addresses, number, sources).items():
            for (_, other), others in ends.items():
                if not kind == other == "read":
                    yield starts, others, {y - x: x for x in starts for y in others}


def connected(reaches: Sequence[frozenset[int]]) -> list[list[int]]:
    """Accesses by what connects them: two share a bank, or each shares one with a third; each part in order."""
    part_of: dict[int, list[int]] = {}  # by bank
    for k, reach in enumerate(reaches):
        parts = {id(part): part for bank in reach if (part := part_of.get(bank)) is not None}
        joined = sorted([k, *(member for part in parts.values() for member in part)])
        for bank in {*reach, *(bank for member in joined for bank in reaches[member])} if parts else reach:
            part_of[bank] = joined
    return sorted({id(part): part for part in part_of.values()}.values())


def _alike(
    addresses: Sequence[Address], number: Callable[[Address], int], members: Iterable[int]
) -> dict[tuple[int, str], dict[int, list[int]]]:
    """Some accesses by their number and what they do, then by their constants."""
    out: dict[tuple[int, str], dict[int, list[int]]] = {}
    for k in members:
        address = addresses[k]
        out.setdefault((number(address), address.ref.kind), {}).setdefault(address.code, []).append(k)
    return out


def turns(channel: Sequence[Op], exclusive: bool) -> Iterator[tuple[int, int]]:
    """Accesses of a stream of which the second waits for the first; ``exclusive``: those of two arms do not meet."""
    if not exclusive:
        yield from ((a.id, b.id) for a, b in pairwise(channel))
        return
    arms = [op.ref.branch if op.ref is not None else () for op in channel]
    for k, later in enumerate(channel):
        for j in reversed(range(k)):
            if not excludes(arms[j], arms[k]):
                yield channel[j].id, later.id
            if set(arms[j]) <= set(arms[k]):
                break  # what is before it is before both
