"""Accesses of memory in one iteration: what was just loaded or stored is at hand, and is not accessed again.

A load of an element just loaded or stored is forwarded; a store that is overwritten before anything may read it
vanishes, a conditional one becomes a selection. Stores into the elements of one word of a reshaped array are one.
"""

from __future__ import annotations

from collections import defaultdict

from msgspec.structs import replace

from hlspart.hardware.unmodelled import Unmodelled
from hlspart.lowering.graph import MemoryRef, Op, excludes
from hlspart.lowering.history import History
from hlspart.lowering.operations import Frame, Location, Operations

PARTS = "a store into part of a word of a reshaped array is not modelled"  # whether a tool writes lanes alone differs


class MemoryOperations(Operations):
    """Loads and stores. ``lanes``: by store of a word of a reshaped array, the values of the elements that it sets."""

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame)
        self.lanes: dict[int, dict[int, int]] = {}

    def load(self, place: Location, bits: int, line: int) -> int:
        """The element at ``place``, taken out of its word where that holds several: these are different values."""
        word = self._loaded(place, bits, line)
        if not place.lanes or self.body.ops[word].kind != "load":
            return word
        return self.make("wire", bits, (word,), line, ("lane", place.element, place.values), "lane")

    def _loaded(self, place: Location, bits: int, line: int) -> int:
        """What was just stored or loaded at ``place``, else a load."""
        history = self._history(place)
        for ident in history.before_load(place.key, place.index) if history is not None else ():
            op = self.body.ops[ident]
            assert op.ref is not None
            dominates = set(op.ref.branch) <= set(self.branch)
            if op.ref.key == place.key and ident in self.lanes:
                if (value := self._lane(ident, place, dominates, line)) is not None:
                    return value
            elif op.ref.key == place.key:
                if dominates:
                    return ident if op.kind == "load" else op.args[0]
                if op.kind == "store" and (value := self._set_or_loaded(op, place, bits, line)) is not None:
                    return value
                if op.kind == "store" and not excludes(op.ref.branch, self.branch):
                    if (value := self._set_in_all(place, self.branch, bits, line)) is not None:
                        return value
                    break
            else:  # a store that may be to the same element
                break
        return self.touch("read", place, place.values, bits, line)

    def _history(self, place: Location) -> History | None:
        """The accesses that one at ``place`` may make needless; those to what is volatile are done (C11 5.1.2.3)."""
        return None if self.program.variable(place.variable).volatile else self.events.get(place.variable)

    def _lane(self, store: int, place: Location, dominates: bool, line: int) -> int | None:
        """The element at ``place`` where a store of its word has set it; None where it has set others."""
        values, ref = self.lanes[store], self.body.ops[store].ref
        if dominates and place.lane is None and len(values) == place.lanes:
            return self.body.ops[store].args[0]
        if dominates and place.lane is not None:
            return values.get(place.lane)
        if ref is not None and excludes(ref.branch, self.branch):
            return None
        raise Unmodelled(PARTS, line)

    def _set_or_loaded(self, store: Op, place: Location, bits: int, line: int) -> int | None:
        """The element that one arm of a condition has just set or loaded: its value there, a load in the other arm."""
        assert store.ref is not None
        branch, guards = self.branch, self.guards
        below = store.ref.branch[len(branch) :]
        if not below or store.ref.branch[: len(branch)] != branch or below[0][0] not in self.tests:
            return None
        instance, arm = below[0]
        test, value = self.tests[instance], self._set_in_all(place, (*branch, (instance, arm)), bits, line)
        if value is None:
            return None
        self.branch, self.guards = (*branch, (instance, 1 - arm)), (*guards, test)
        other = self._loaded(replace(place, domain=self._rest(place, store.ref)), bits, line)
        self.branch, self.guards = branch, guards
        if self.body.ops[other].kind == "load":
            self.beside[other] = store.id
        either = (value, other) if arm == 0 else (other, value)
        return self.make("select", bits, (test, *either), line, (), "select")

    def _set_in_all(self, place: Location, branch: tuple[tuple[int, int], ...], bits: int, line: int) -> int | None:
        """The element under the conditions of ``branch``, where each arm of earlier conditions has set or loaded it."""
        arms, taken = dict(branch), set(branch)
        passed: dict[tuple[int, int], list[Op]] = defaultdict(list)  # loads under other conditions, by each of them
        earlier: list[tuple[int, int, int]] = []  # conditions whose one arm sets it, that arm, and to what
        value = None
        for ident in self.events[place.variable].before_load(place.key, place.index):
            op = self.body.ops[ident]
            if op.ref is None or op.ref.key != place.key:
                return None
            value = ident if op.kind == "load" else op.args[0]
            if taken.issuperset(op.ref.branch):
                break
            if op.kind == "load":
                for condition in op.ref.branch:
                    passed[condition].append(op)
            if op.kind == "load" or any(arms.get(instance, arm) != arm for instance, arm in op.ref.branch):
                continue
            instance, arm = op.ref.branch[-1]
            if not taken.issuperset(op.ref.branch[:-1]) or instance not in self.tests:
                return None
            earlier.append((instance, arm, value))
            arms[instance] = 1 - arm
            taken.add((instance, 1 - arm))
            loaded = (x.id for x in passed[instance, 1 - arm] if x.ref is not None and taken.issuperset(x.ref.branch))
            if (value := next(loaded, None)) is not None:
                break
        else:
            return None
        for instance, arm, other in reversed(earlier):
            either = (other, value) if arm == 0 else (value, other)
            value = self.make("select", bits, (self.tests[instance], *either), line, (), "select")
        return value

    def _rest(self, place: Location, ref: MemoryRef) -> str:
        """Iterations at ``place`` in which the store of ``ref``, under one condition more, does not run."""
        from hlspart.sets import carried

        known = self.by_id.get(ref.access)
        if known is None or not known.exact or ref.domain == place.domain or self.frame.uneven:
            return place.domain
        return carried.without(place.domain, self.frame.names, ref.domain)

    def store(self, place: Location, value: int, line: int, part: bool = False) -> None:
        """Store ``value`` at ``place``; an earlier store there that nothing may have read is taken back.

        ``part``: a member of a structure, which joins the members that the earlier store set.
        """
        self.bind(place.variable, value)
        branch, guards = self.branch, self.guards
        if place.lanes and place.lane is None:
            raise Unmodelled(PARTS, line)
        lanes = {place.lane: value} if place.lane is not None else {}
        history = self._history(place)
        ident = history.before_store(place.key, place.index) if history is not None else None
        if ident in self.beside and history is not None and self.body.ops[ident].ref is not None:
            ident = history.before_store(place.key, place.index, ident)
        if ident is not None and ident >= self.earliest:
            op = self.body.ops[ident]
            assert op.ref is not None
            if op.kind == "store":
                same = op.ref.branch == branch
                if place.lane is not None and not same and not self._sets(op, branch, place.lane):
                    pass  # where the other arm sets it too, they are one store later on
                elif op.ref.branch[: len(branch)] == branch:
                    lanes = {**self.lanes.pop(op.id, {}), **lanes}
                    if part:
                        value = self.make("wire", self.body.ops[value].bits, (op.args[0], value), line, (), "members")
                    self._take_back(op)
                elif branch[: len(op.ref.branch)] == op.ref.branch:
                    bits, held = self.body.ops[value].bits, self.lanes.pop(op.id, {})
                    before = held[place.lane] if place.lane is not None else op.args[0]
                    value = self.make("select", bits, (guards[-1], value, before), line, (), "select")
                    lanes = {**held, place.lane: value} if place.lane is not None else {}
                    self._take_back(op)
                    self.branch, self.guards = op.ref.branch, guards[: len(op.ref.branch)]
                    place = replace(place, domain=op.ref.domain)
        if len(lanes) > 1:
            value = self.make("wire", self.body.ops[value].bits, tuple(lanes.values()), line, (), "word")
        made = self.touch("write", place, (value, *place.values), 0, line)
        if lanes:
            self.lanes[made] = lanes
        self.branch, self.guards = branch, guards

    def _sets(self, store: Op, branch: tuple[tuple[int, int], ...], lane: int) -> bool:
        """Whether an element of a word has a value from ``store`` under the conditions of ``branch``."""
        assert store.ref is not None
        return branch[: len(store.ref.branch)] == store.ref.branch and lane in self.lanes[store.id]

    def whole_words(self) -> None:
        """Raise :class:`Unmodelled` where a store leaves elements of its word as they are, or a later one sets it."""
        words = self.frame.words
        seen: dict[tuple[object, ...], list[tuple[tuple[int, int], ...]]] = {}
        for ident, values in self.lanes.items():
            op = self.body.ops[ident]
            if words is None or op.ref is None:
                continue
            word = (op.ref.variable, *op.ref.key)
            twice = any(not excludes(op.ref.branch, branch) for branch in seen.setdefault(word, []))
            seen[word].append(op.ref.branch)
            if twice or len(values) < words.lanes(op.ref.variable):
                raise Unmodelled(PARTS, op.line)

    def _take_back(self, store: Op) -> None:
        assert store.ref is not None
        self.events[store.ref.variable].remove(store.id, store.ref.key, store.ref.index)
        self.body.ops[store.id] = Op(store.id, "const", 1, (), store.line)  # keeps the numbers dense
        self.body.live.discard(store.id)
