"""Writes under conditions that depend on data, as writes that always happen.

Writes of one element in the arms of conditions become one write. Where some path leaves the element
alone, the old value counts as read: the element then gets it back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from hlspart.model.access import Access
from hlspart.sets.tilecode import meet, united

Branch = tuple[tuple[int, int], ...]


class MergedWrites(Struct, frozen=True):
    """``accesses`` with exact writes; ``same``: access left out -> access that stands for it.

    ``kept``: reads of old values that stand nowhere in the text -> their write. ``faults``: array -> access
    that cannot be told from another one.
    """

    accesses: tuple[Access, ...]
    same: Mapping[int, int]
    kept: Mapping[int, int]
    faults: Mapping[int, Access]


def merged(accesses: Sequence[Access], free: int, plain: bool, opaque: bool = False) -> MergedWrites:
    """Merge conditional writes. ``free``: ids from here on are unused; ``plain``: no jumps and no switches around.

    ``opaque``: conditions on iterators count as if they depended on data, too.
    """
    if opaque:
        accesses = _opaque(accesses)
    clear = {arm[0] for a in accesses if a.exact for arm in a.branch}
    groups: dict[tuple[int, tuple[int, ...], str], list[Access]] = {}
    for a in accesses:
        if a.kind == "write" and not a.exact and a.affine and a.map is not None:
            groups.setdefault((a.array, a.loops, a.map), []).append(a)
    same: dict[int, int] = {}
    kept: dict[int, int] = {}
    faults: dict[int, Access] = {}
    changed: dict[int, Access] = {}
    extra: list[Access] = []
    for group in groups.values():
        group.sort(key=lambda a: a.order)
        last = group[-1]
        whole = replace(last, exact=True, domain=united([a.domain for a in group], len(last.iterators)))
        changed[last.id] = whole
        same.update({a.id: last.id for a in group[:-1]})
        if not (plain and _writes_always(group, clear)):
            old = replace(whole, id=free + len(extra), kind="read", order=group[0].order)
            kept[old.id] = last.id
            extra.append(old)
        for r in accesses:
            if r.array == last.array and r.kind == "read" and r.order < last.order and _sees(r, group):
                faults[last.array] = r
    result = [changed.get(a.id, a) for a in accesses if a.id not in same]
    return MergedWrites((*result, *extra), same, kept, faults)


def _opaque(accesses: Sequence[Access]) -> list[Access]:
    """All accesses of a loop body over the same iterations, none of those under a condition exact."""
    domains: dict[tuple[int, ...], list[Access]] = {}
    for a in accesses:
        domains.setdefault(a.loops, []).append(a)
    whole = {k: united([a.domain for a in every], len(every[0].iterators)) for k, every in domains.items()}
    return [replace(a, exact=False, domain=whole[a.loops]) if a.branch else a for a in accesses]


def _writes_always(group: Sequence[Access], clear: set[int]) -> bool:
    """Whether every path through the conditions writes. ``clear``: conditions on iterators alone."""
    if len({a.domain for a in group}) > 1:
        return False
    common = 0
    while all(len(a.branch) > common and a.branch[common] == group[0].branch[common] for a in group):
        if group[0].branch[common][0] not in clear:
            break
        common += 1
    prefix = group[0].branch[:common]
    return all(len(a.branch) > common for a in group) and _covered(prefix, [a.branch for a in group])


def _covered(prefix: Branch, branches: Sequence[Branch]) -> bool:
    if prefix in branches:
        return True
    at = len(prefix)
    deeper = {b[at][0] for b in branches if len(b) > at and b[:at] == prefix}
    return any(all(_covered((*prefix, (one, arm)), branches) for arm in (0, 1)) for one in deeper)


def _sees(read: Access, group: Sequence[Access]) -> bool:
    """Whether a read before the last write may find the value of an earlier write of the group."""
    earlier = [w for w in group if w.order < read.order and not _exclusive(w.branch, read.branch)]
    if not earlier or read.loops != group[0].loops:
        return bool(earlier)
    return read.map is None or group[0].map is None or meet(read.map, group[0].map)


def _exclusive(one: Branch, two: Branch) -> bool:
    arms = dict(one)
    return any(arms.get(condition, arm) != arm for condition, arm in two)
