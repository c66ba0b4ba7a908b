"""Loads and stores of one array so far, found by address rather than by a walk over all of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from heapq import merge
from itertools import combinations, takewhile

from hlspart.lowering.graph import Op
from hlspart.model.access import Affine

Index = tuple[Affine | None, ...] | None
Shape = tuple[object, ...] | None  # terms of each dimension's form, without its constant
Constants = tuple[int, ...]


class History:
    """Memory operations on one array; their ids grow in program order."""

    def __init__(self) -> None:
        self._loads, self._stores = _Addresses(), _Addresses()

    def add(self, ident: int, kind: str, key: object, index: Index) -> None:
        """Note a "read" or "write", the latest operation so far."""
        (self._loads if kind == "read" else self._stores).add(ident, key, index)

    def remove(self, ident: int, key: object, index: Index) -> None:
        """Forget a store."""
        self._stores.remove(ident, key, index)

    def before_load(self, key: object, index: Index) -> Iterator[int]:
        """Operations at the same address and stores that may be to the same element, latest first."""
        return merge(
            self._loads.same(key), self._stores.same(key), self._stores.near(index), reverse=True
        )  # fmt: skip

    def after(self, ident: int, key: object, index: Index) -> Iterator[int]:
        """Operations behind ``ident`` that may be of the same element, latest first."""
        addresses = (self._loads, self._stores)
        behind = merge(*(x.same(key) for x in addresses), *(x.near(index) for x in addresses), reverse=True)
        return takewhile(ident.__lt__, behind)

    def before_store(self, key: object, index: Index, but: int | None = None) -> int | None:
        """The latest store at the same address or load that may be of the same element, other than ``but``."""
        accesses = merge(self._stores.same(key), self._loads.near(index), reverse=True)
        return next((ident for ident in accesses if ident != but), None)


class _Addresses:
    """Ids in ascending order, by address and by the constants of those dimensions that a question fixes.

    Two addresses differ in every iteration when some dimension has equal terms but another constant.
    """

    def __init__(self) -> None:
        self._by_key: dict[object, list[int]] = {}
        self._members: dict[Shape, list[tuple[int, Constants]]] = {}
        self._by_constants: dict[Shape, dict[tuple[int, ...], dict[Constants, list[int]]]] = {}

    def add(self, ident: int, key: object, index: Index) -> None:
        self._by_key.setdefault(key, []).append(ident)
        shape, constants = _shape(index), _constants(index)
        self._members.setdefault(shape, []).append((ident, constants))
        for dims, table in self._by_constants.setdefault(shape, {}).items():
            table.setdefault(tuple(constants[d] for d in dims), []).append(ident)

    def remove(self, ident: int, key: object, index: Index) -> None:
        _discard(self._by_key[key], ident)
        shape, constants = _shape(index), _constants(index)
        members = self._members[shape]
        del members[bisect_left(members, (ident, constants))]
        for dims, table in self._by_constants[shape].items():
            _discard(table[tuple(constants[d] for d in dims)], ident)

    def same(self, key: object) -> Iterator[int]:
        """Ids with this address, latest first."""
        return reversed(self._by_key.get(key, []))

    def near(self, index: Index) -> Iterator[int]:
        """Ids whose addresses may equal ``index`` in some iteration, latest first."""
        mine, constants = _shape(index), _constants(index)
        runs = []
        for shape in self._members:
            dims = _common(shape, mine)
            runs.append(reversed(self._table(shape, dims).get(tuple(constants[d] for d in dims), [])))
        return merge(*runs, reverse=True)

    def _table(self, shape: Shape, dims: tuple[int, ...]) -> dict[Constants, list[int]]:
        tables = self._by_constants[shape]
        if dims not in tables:
            made: dict[Constants, list[int]] = {}
            for ident, constants in self._members[shape]:
                made.setdefault(tuple(constants[d] for d in dims), []).append(ident)
            tables[dims] = made
        return tables[dims]


class Neighbours:
    """Accesses of one array, found by the elements that they may touch."""

    def __init__(self, ops: Sequence[Op]) -> None:
        self._ops = {op.id: op for op in sorted(ops, key=lambda op: op.id)}
        self._places = _Addresses()
        for ident, op in self._ops.items():
            if op.ref is not None:
                self._places.add(ident, op.ref.key, op.ref.index)

    def is_alone(self, members: Sequence[Op]) -> bool:
        """Whether every other access of the array is to another element, by a constant difference."""
        mine, ref = {op.id for op in members}, members[0].ref
        stored = any(op.kind == "store" for op in members)
        others = (self._ops[i] for i in self._places.near(ref.index if ref is not None else None) if i not in mine)
        return all(op.kind == "load" and not stored for op in others)


def _shape(index: Index) -> Shape:
    return None if index is None else tuple(None if f is None else f.terms for f in index)


def _constants(index: Index) -> Constants:
    return () if index is None else tuple(0 if f is None else f.const for f in index)


def _common(one: Shape, other: Shape) -> tuple[int, ...]:
    """Dimensions whose forms differ by constants only."""
    if one is None or other is None or len(one) != len(other):
        return ()
    return tuple(k for k, (a, b) in enumerate(zip(one, other, strict=True)) if a is not None and a == b)


def _discard(ids: list[int], ident: int) -> None:
    del ids[bisect_left(ids, ident)]


def are_different(indices: Collection[Index]) -> bool:
    """Whether any two of some addresses, all of them distinct, differ in every iteration: :func:`is_different`."""
    by_shape: dict[Shape, list[Constants]] = {}
    for index in indices:
        by_shape.setdefault(_shape(index), []).append(_constants(index))
    for (one, these), (other, those) in combinations(by_shape.items(), 2):  # of one shape, all differ that are distinct
        dims = _common(one, other)
        if not {tuple(c[d] for d in dims) for c in these}.isdisjoint(tuple(c[d] for d in dims) for c in those):
            return False
    return True


def is_different(one: Index, other: Index) -> bool:
    """Whether two addresses differ in every iteration, by a constant in some dimension."""
    mine, theirs = _constants(one), _constants(other)
    return any(mine[d] != theirs[d] for d in _common(_shape(one), _shape(other)))
