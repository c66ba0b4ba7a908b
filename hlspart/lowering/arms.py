"""Branches of an iteration: what stands in which arm of which condition."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from msgspec.structs import replace

from hlspart.hardware.unmodelled import Unmodelled
from hlspart.lowering.accesses import PARTS, MemoryOperations
from hlspart.lowering.graph import Op
from hlspart.lowering.operations import Frame, Location
from hlspart.semantics import spans


class Arms(MemoryOperations):
    """Keeps the conditions that hold where the elaboration stands; ``pending``: those of jumps that were not taken."""

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame)
        self.pending: list[tuple[str, tuple[tuple[int, int], ...], tuple[int, ...]]] = []
        self.branches: dict[tuple[str, int], int] = {}

    def _branch(self, test: int, kind: str = "if") -> int:
        """Number of a branch: one value decides alike wherever it is tested."""
        made = self.branches.setdefault((kind, test), len(self.branches) + 1)
        if kind == "if":
            self.tests[made] = test
        return made

    @contextmanager
    def _arm(self, instance: int, arm: int, test: int) -> Iterator[None]:
        saved = (self.branch, self.guards)
        self.branch, self.guards = (*self.branch, (instance, arm)), (*self.guards, test)
        depth = len(self.pending)
        yield
        self.pending = self.pending[:depth]
        self.branch, self.guards = saved

    def _drop(self, kind: str, since: int = 0) -> None:
        """End of an iteration ("continue") or of a loop ("break"): conditions of its jumps (from ``since`` on) end."""
        kinds = ("continue",) if kind == "continue" else ("continue", "break")
        while len(self.pending) > since and self.pending[-1][0] in kinds:
            _, self.branch, self.guards = self.pending.pop()

    def _join(self, test: int, instance: int, first: int, line: int) -> None:
        """One store where both arms of a condition, whose operations begin at ``first``, set an element last.

        LLVM sinks such stores behind the arms, so that the element is set whatever the condition says.
        """
        then, other = (self._set_last((*self.branch, (instance, arm)), first) for arm in (0, 1))
        for element in [x for x in then if x in other]:
            from hlspart.sets import carried

            one, two = then[element], other[element]
            assert one.ref is not None and two.ref is not None
            ref, values = one.ref, (one.args[0], two.args[0])
            lanes = [self.lanes.pop(x.id, {}) for x in (one, two)]
            if lanes[0].keys() != lanes[1].keys():
                raise Unmodelled(PARTS, line)
            domain = carried.either(ref.domain, two.ref.domain, self.frame.names)
            several = ref.joined + two.ref.joined
            address = one.args[1 : len(one.args) - len(ref.branch)]
            self._take_back(one)
            self._take_back(two)
            place = Location(ref.variable, ref.access, ref.key, ref.index, ref.map, address, domain, joined=several)
            if not lanes[0]:
                self.store(place, self._either(test, values, line), one.line)
            for lane in lanes[0]:
                value = self._either(test, (lanes[0][lane], lanes[1][lane]), line)
                self.store(replace(place, lanes=len(lanes[0]), lane=lane), value, one.line)

    def _either(self, test: int, values: tuple[int, int], line: int) -> int:
        return self.make("select", self.body.ops[values[0]].bits, (test, *values), line, (), "select")

    def _set_last(self, arm: tuple[tuple[int, int], ...], first: int) -> dict[tuple[object, ...], Op]:
        """The stores of an arm behind which it does not touch their elements."""
        stores: dict[tuple[object, ...], Op] = {}
        for ident in range(first, len(self.body.ops)):
            op = self.body.ops[ident]
            if op.kind != "store" or op.ref is None or op.ref.branch != arm or op.ref.key[0] == "stream":
                continue
            behind = self.events[op.ref.variable].after(ident, op.ref.key, op.ref.index)
            refs = (self.body.ops[x].ref for x in behind)
            if not any(ref is not None and ref.branch[: len(arm)] == arm for ref in refs):
                stores[op.ref.variable, *op.ref.key] = op
        return stores

    def _chosen(self, test: int, arms: tuple[int, int], bits: int, truth: bool, line: int, text: str = "select") -> int:
        """The value of the arm that runs: a selection, or logic where a ``truth`` value is set to a constant.

        LLVM folds `t ? 0 : x` to `!t && x` and `t ? 1 : x` to `t || x`. Negations move outwards here, so that the
        tests of several such arms are one associative chain (`balance`).
        """
        then, other = arms
        made = self._flag(test, then, other, line) if truth else None
        if made is None:
            made = self.make("select", bits, (test, then, other), line, (), text)
            if then in self.spans and other in self.spans:
                span = spans.both(self.spans[then], self.spans[other])
                if span is not None:
                    self.spans[made] = span
        return made

    def _flag(self, test: int, then: int, other: int, line: int) -> int | None:
        one, two = (bool(x) if (x := self.constants.get(arm)) in (0, 1) else None for arm in (then, other))
        if one is None and two is None:
            return None
        if one is not None and two is not None:
            return test if one else self._not(test, line)
        left, rest = (test, other) if one is not None else (self._not(test, line), then)
        if one or two:  # set where `left` holds
            return self._logic("||", left, rest, line=line)
        inner = self.body.ops[rest]
        if inner.kind == "logic" and inner.text == "!":
            return self._not(self._logic("||", left, inner.args[0], line=line), line)
        return self._logic("&&", self._not(left, line), rest, line=line)

    def _not(self, value: int, line: int) -> int:
        op = self.body.ops[value]
        return op.args[0] if op.kind == "logic" and op.text == "!" else self._logic("!", value, line=line)

    def _logic(self, sign: str, *values: int, line: int) -> int:
        return self.make("logic", 1, values, line, (sign,), sign)
