"""Which elements of an array come from outside or go there, however a text keeps them in between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import islpy as isl

from hlspart.model.access import Access
from hlspart.sets.counting import count
from hlspart.sets.effort import EffortError, limited
from hlspart.sets.order import executed

_MAX_OPERATIONS = 3_000_000
_MOST_ACCESSES = 64


def through_ports(mine: Sequence[Access], others: Sequence[Access], steps: Mapping[int, int | None]) -> tuple[int, int]:
    """Elements that ``mine`` load before anything stores them, and those that only ``mine`` store: at least so many.

    ``others``: all further accesses to the same memory; those of another function may come at any time.
    """
    try:
        with limited(_MAX_OPERATIONS):
            return _loaded(mine, others, steps), _stored(mine, others)
    except EffortError:
        return 0, 0


def _loaded(mine: Sequence[Access], others: Sequence[Access], steps: Mapping[int, int | None]) -> int:
    writes = [a for a in (*mine, *others) if a.kind == "write"]
    reads = [a for a in mine if a.kind == "read"]
    if not reads or not all(_known(a) for a in reads) or not all(a.affine and a.map for a in writes):
        return 0
    if not writes:
        return _size([_reached(a).range() for a in reads])
    if len(reads) + len(writes) > _MOST_ACCESSES or not all(
        a.function == reads[0].function and len(a.loops) == len(a.iterators) and all(steps.get(x) for x in a.loops)
        for a in (*reads, *writes)
    ):
        return 0
    times = executed((*reads, *writes), steps)
    before = isl.Map.lex_gt(times[0].range().get_space())
    loads, stores = (
        [then.reverse().apply_range(_reached(a)) for a, then in zip(part, at, strict=True)]  # time -> element
        for part, at in ((reads, times[: len(reads)]), (writes, times[len(reads) :]))
    )
    stored = [m.range() for m in stores]
    loaded = []
    for load in loads:
        element, touched = load, load.range()
        for store, there in zip(stores, stored, strict=True):
            if not touched.is_disjoint(there):
                element = element.subtract(before.apply_range(store))
        loaded.append(element.range())
    return _size(loaded)


def _stored(mine: Sequence[Access], others: Sequence[Access]) -> int:
    writes, elsewhere = ([a for a in part if a.kind == "write"] for part in (mine, others))
    if not writes or not all(_known(a) for a in writes) or not all(a.affine and a.map for a in elsewhere):
        return 0
    stored = [_reached(a).range() for a in writes]
    for other in elsewhere:
        stored = [s.subtract(_reached(other).range()) for s in stored]
    return _size(stored)


def stays(
    store: Access,
    others: Sequence[Access],
    steps: Mapping[int, int | None],
    *,
    again: bool,
    inside: int = 0,
) -> bool:
    """Whether nothing but ``store`` hides what it stores, and no later iteration of it unless it may do so ``again``.

    ``inside``: so many of its loops are of one iteration, of which the last store to an element is meant.
    """
    writes = [a for a in others if a.kind == "write"]
    if not _known(store) or not all(a.affine and a.map for a in others) or len(others) > _MOST_ACCESSES:
        return False
    try:
        with limited(_MAX_OPERATIONS):
            mine = _reached(store)
            counted = len(store.loops) == len(store.iterators)
            each = mine.project_out(isl.dim_type.in_, len(store.iterators) - inside, inside) if counted else mine
            if not again and not (counted and each.is_injective()):
                return False
            return not any(_hides(a, store, steps) for a in writes)
    except EffortError:
        return False


def _hides(write: Access, store: Access, steps: Mapping[int, int | None]) -> bool:
    """Whether a write may store an element behind ``store``."""
    if _reached(write).range().is_disjoint(_reached(store).range()):
        return False
    if write.function != store.function or not all(
        len(a.loops) == len(a.iterators) and all(steps.get(x) for x in a.loops) for a in (write, store)
    ):
        return True
    later, first = executed((write, store), steps)
    same = first.reverse().apply_range(_reached(store)).apply_range(_reached(write).reverse()).apply_range(later)
    return not same.is_disjoint(isl.Map.lex_lt(first.range().get_space()))


def is_apart(accesses: Sequence[Access]) -> bool:
    """Whether no two iterations of all loops, and no two of some accesses, ever touch one element."""
    if not 0 < len(accesses) <= _MOST_ACCESSES or not all(_known(a) for a in accesses):
        return False
    if any(len(a.loops) != len(a.iterators) for a in accesses):
        return False
    try:
        with limited(_MAX_OPERATIONS):
            reached = [_reached(a) for a in accesses]
            elements = [m.range() for m in reached]
            return all(m.is_injective() for m in reached) and all(
                a.is_disjoint(b) for k, a in enumerate(elements) for b in elements[:k]
            )
    except EffortError:
        return False


def is_apart_from(accesses: Sequence[Access], others: Sequence[Access]) -> bool:
    """Whether none of some accesses ever touches an element that one of the ``others`` may touch."""
    if not all(a.affine and a.map for a in (*accesses, *others)):
        return not others
    try:
        with limited(_MAX_OPERATIONS):
            elements = [[_reached(a).range() for a in part] for part in (accesses, others)]
            return all(a.is_disjoint(b) for a in elements[0] for b in elements[1])
    except EffortError:
        return False


def is_loaded_first(load: Access, stores: Sequence[Access], steps: Mapping[int, int | None]) -> bool:
    """Whether no store to an element ever comes before a load of it."""
    together = (load, *stores)
    if len(together) > _MOST_ACCESSES or not all(
        a.affine
        and a.map
        and a.function == load.function
        and len(a.loops) == len(a.iterators)
        and all(steps.get(x) for x in a.loops)
        for a in together
    ):
        return False
    try:
        with limited(_MAX_OPERATIONS):
            first, *later = executed(together, steps)
            before = isl.Map.lex_gt(first.range().get_space())
            loaded = first.reverse().apply_range(_reached(load))  # time -> element
            stored = [at.reverse().apply_range(_reached(a)) for a, at in zip(stores, later, strict=True)]
            return all(loaded.intersect(before.apply_range(s)).is_empty() for s in stored)
    except EffortError:
        return False


def is_same_each_time(access: Access) -> bool:
    """Whether each iteration of the outermost loop touches the same elements."""
    if not _known(access) or not access.iterators or len(access.loops) != len(access.iterators):
        return False
    try:
        with limited(_MAX_OPERATIONS):
            reached = _reached(access).project_out(isl.dim_type.in_, 1, len(access.iterators) - 1)
            return reached.is_equal(isl.Map.from_domain_and_range(reached.domain(), reached.range()))
    except EffortError:
        return False


def _known(access: Access) -> bool:
    return access.affine and access.exact and access.map is not None


def _reached(access: Access) -> isl.Map:
    return _elements(access.map or "", access.domain)


@lru_cache(maxsize=1024)
def _elements(accessed: str, domain: str) -> isl.Map:
    return isl.Map(accessed).intersect_domain(isl.Set(domain))


def _size(parts: Sequence[isl.Set]) -> int:
    touched = parts[0]
    for part in parts[1:]:
        touched = touched.union(part)
    return count(touched.coalesce()) or 0


def is_covered(store: Access, load: Access) -> bool:
    """Whether each element that a store reaches is loaded."""
    if not (_known(store) and _known(load)):
        return False
    try:
        with limited(_MAX_OPERATIONS):
            return bool(_reached(store).range().is_subset(_reached(load).range()))
    except EffortError:
        return False


def is_refilled(first: Access, then: Access, steps: Mapping[int, int | None]) -> bool:
    """Whether each element that ``first`` stores is stored by ``then``, and by ``first`` never after that."""
    if not (_known(first) and _known(then)):
        return False
    try:
        with limited(_MAX_OPERATIONS):
            stored = _reached(first).range()
            return bool(stored.is_subset(_reached(then).range())) and not _hides(first, then, steps)
    except EffortError:
        return False


def is_later(one: Access, other: Access, iterator: str, by: int) -> bool:
    """Whether ``other`` always touches what ``one`` did where the iterator was ``by`` less, and all else alike."""
    if one.iterators != other.iterators or iterator not in one.iterators or one.map is None or other.map is None:
        return False
    if not (one.affine and other.affine):
        return False
    names = ", ".join(one.iterators)
    after = ", ".join(f"{x} + {by}" if x == iterator else x for x in one.iterators)
    try:
        with limited(_MAX_OPERATIONS):
            on = isl.Map(f"{{ [{names}] -> [{after}] }}").intersect_domain(isl.Set(one.domain))
            on = on.intersect_range(isl.Set(other.domain))
            first, then = isl.Map(one.map).intersect_domain(on.domain()), on.apply_range(isl.Map(other.map))
            return bool(first.is_single_valued() and then.is_single_valued() and first.is_equal(then))
    except EffortError:
        return False
