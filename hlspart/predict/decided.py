"""Tests that some run passes in each iteration, or in none, whatever else it does: data from outside decide them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property

from msgspec import Struct

from hlspart.lowering.graph import Edge, Graph, Op
from hlspart.predict.given import Given
from hlspart.predict.loops import Prediction

_COMPARED = frozenset({"cmp", "fcmp", "dcmp"})
_AS_IT_IS = frozenset({"wire", "fext"})
_WIDE = 32  # bits, of which a comparison with a value from outside may come out either way
_MADE = frozenset({"logic", "select"})  # of other tests


class Decided(Struct, frozen=True, dict=True):
    """The tests of the selections of one loop.

    Each compares one element that a top is given, of an array that nothing else compares: what two tests say of one
    array may exclude each other, in an iteration or from one to the next.
    """

    p: Prediction

    @property
    def _graph(self) -> Graph:
        return self.p.problem.graph

    @cached_property
    def free(self) -> frozenset[int]:
        """The tests that are passed in each iteration of some run, and failed in each of another one."""
        return frozenset(test for test in self._tests if self._is_free(test))

    @cached_property
    def shared(self) -> frozenset[int]:
        """Those of them that decide several selections, which then take the same arm."""
        return frozenset(test for test in self.free if self._tests[test] > 1)

    def takes(self, edge: Edge, arm: int) -> bool:
        """Whether a selection takes this value where the :attr:`shared` tests come out for ``arm``, 1 or 2."""
        op = self._graph.ops[edge.sink]
        if op.kind != "select" or op.args[0] not in self.shared or edge.source == op.args[0]:
            return True
        if edge.source in op.args[1:]:
            return edge.source == op.args[arm]
        before = [a for a in op.args[1:] if a not in self._graph.ops and a not in self._graph.outside]
        return len(before) == 1 and op.args[arm] == before[0]

    @cached_property
    def _tests(self) -> Counter[int]:
        return Counter(op.args[0] for op in self._graph.ops.values() if op.kind == "select")

    def _is_free(self, test: int) -> bool:
        compared = list(_compared(self._graph.ops, test))
        loads = [load for op in compared for load in self._loads(op)]
        arrays = [self._array(op) for op in loads]
        if None in arrays or not compared or not all(map(self._is_open, compared)) or len(set(arrays)) < len(arrays):
            return False
        own = {op.id for op in compared if op is not None}
        alone = all(self._users[ident] == 1 for ident in own)
        return alone and all(self._compare[a] <= own and len(self._compare[a]) == 1 for a in arrays)

    @cached_property
    def _users(self) -> Counter[int]:
        """How many tests each comparison is part of."""
        of = ({op.id for op in _compared(self._graph.ops, test) if op is not None} for test in self._tests)
        return Counter(ident for compared in of for ident in compared)

    def _is_open(self, op: Op | None) -> bool:
        """Whether a comparison sets an element against a value that it may be above and below."""
        if op is None or op.kind not in _COMPARED or len(op.args) != 2:
            return False
        loaded = [(a, self._element(a)) for a in op.args]
        loads = [x for _, x in loaded if x is not None]
        others = [self._graph.outside.get(a) for a, x in loaded if x is None]
        if not loads or any(x is None or x.kind not in ("const", "input") for x in others):
            return False
        bits = min(x.bits for x in loads)
        return bits >= _WIDE or all(x is not None and _is_between(x, bits) for x in others)

    def _element(self, ident: int) -> Op | None:
        op = self._graph.ops.get(ident)
        while op is not None and op.kind in _AS_IT_IS and len(op.args) == 1:
            op = self._graph.ops.get(op.args[0])
        return op if op is not None and op.kind == "load" else None

    def _array(self, load: Op) -> frozenset[int] | None:
        """The names of the array of a load; None where the program may say what is in it."""
        if load.ref is None or load.ref.variable not in self._given.only_read:
            return None
        return frozenset(self.p.elaborated.storage.arrays.members(load.ref.variable))

    @cached_property
    def _given(self) -> Given:
        return Given(self.p.elaborated.storage)

    def _loads(self, op: Op | None) -> list[Op]:
        """The loads that a value is made of."""
        ops, loads, seen = self._graph.ops, list[Op](), set[int]()
        waiting = [] if op is None else list(op.args)
        while waiting:
            arg = ops.get(waiting.pop())
            if arg is not None and arg.id not in seen:
                seen.add(arg.id)
                loads += [arg] if arg.kind == "load" else []
                waiting += arg.args
        return loads

    @cached_property
    def _compare(self) -> Mapping[frozenset[int] | None, set[int]]:
        """The comparisons of each array that is only read."""
        known = defaultdict[frozenset[int] | None, set[int]](set)
        for op in self._graph.ops.values():
            for load in self._loads(op) if op.kind in _COMPARED else ():
                known[self._array(load)].add(op.id)
        return known


def _compared(ops: Mapping[int, Op], test: int) -> Iterator[Op | None]:
    """The comparisons that a test joins; None for what is another value."""
    op = ops.get(test)
    if op is not None and op.kind in _MADE:
        for arg in op.args:
            yield from _compared(ops, arg)
    else:
        yield op


def _is_between(op: Op, bits: int) -> bool:
    """Whether a whole constant has values of so many bits above and below, with and without a sign."""
    return op.kind == "const" and op.text.isdecimal() and 0 < int(op.text) < 2 ** (bits - 1) - 1
