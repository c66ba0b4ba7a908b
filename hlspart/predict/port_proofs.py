"""The II that the ports of the top function allow: each element that a loop moves comes or goes through one of them.

A text with the same signature may load elements ahead of the loop or store them behind it; that takes as many cycles.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import cached_property

from msgspec import Struct

from hlspart.hardware.memory import BUS, STREAMS
from hlspart.hardware.storage import Storage
from hlspart.model.access import Access, Bounds
from hlspart.model.program import Loop, walk_statements
from hlspart.model.results import Proof
from hlspart.predict.loops import Prediction
from hlspart.predict.mattering import Mattering
from hlspart.predict.proved import by_values
from hlspart.predict.unit_proofs import by_units
from hlspart.semantics.effects import effects
from hlspart.sets.moved import is_apart, is_apart_from, is_loaded_first, through_ports

FEW = 4  # cycles above the aim, one in so many, that a loop may spend ahead of itself


def proof(p: Prediction, aim: int, count: Bounds) -> Proof | None:
    """Why a loop of so many iterations cannot reach II ``aim``: what recurs, units, or ports of the top function."""
    iterations = count.exact
    proofs = (
        by_values(p, aim, count.max),
        by_units(p, aim),
        _through_channels(p, aim),
        _through_ports(p, aim, iterations),
    )
    return max((x for x in proofs if x is not None), key=lambda x: x.ii, default=None)


def _through_channels(p: Prediction, aim: int) -> Proof | None:
    """Why channels keep a loop from II ``aim``: each gives or takes a word a cycle."""
    storage, everywhere = p.elaborated.storage, p.elaborated.carriers.space.domain
    best: Proof | None = None
    for variable in p.counts:
        record = storage.program.variable(variable)
        if storage.memory(variable).storage not in STREAMS:
            continue
        outside = storage.arrays.is_interface(record)
        refs = [(op.kind, op.ref) for op in p.problem.graph.memory if op.ref is not None]
        own = [(k, r) for k, r in refs if r.variable == variable and not r.guarded and r.domain == everywhere]
        # Those at one place of an array of channels are of one channel.
        sure = Counter((k, r.index) for k, r in own if r.index is None or None not in r.index)
        for (kind, index), words in sure.items():
            if words > aim and (best is None or words > best.ii):
                verb, of = "reads" if kind == "load" else "writes", "one of the channels" if index else "the channel"
                text = f"proved: each iteration {verb} {words} words of {of} '{record.name}', one a cycle"
                text += "" if outside else "; a channel whose words hold several of them would carry them at once"
                best = Proof(words, (), text)
    return best


def _through_ports(p: Prediction, aim: int, iterations: int | None) -> Proof | None:
    """Why ports keep ``iterations`` of a loop from II ``aim`` on average; None where nothing proves it.

    A directive may split memories with a declared extent: of these the proof is about the ports that they have. A bus
    that the tool may make wider is left out.
    """
    storage, nest = p.elaborated.storage, p.elaborated.nest
    if p.resource_ii <= aim:
        return None
    best: Proof | None = None
    once = _runs_once(storage, nest.function)
    for variable, count in p.counts.items():
        memory = storage.memory(variable)
        record = storage.program.variable(variable)
        bus = memory.storage == BUS
        if count.static.interval <= aim or not storage.arrays.is_interface(record):
            continue
        if bus and storage.bindings.greatest_width(variable):
            continue
        moved, ways = _Moved(p, variable), [(aim, "")]
        if record.volatile:
            ways += moved.accessed(iterations)
        elif once:
            ways += filter(None, [moved.in_all(aim, iterations) or moved.each_time()])
        least, text = max(ways)
        if least > aim and (best is None or least > best.ii):
            splits = not bus and moved.declared
            text += ", which nothing makes wider" * bus
            text += ", or as long outside of it" * (not record.volatile)
            text += "; a partition of it would give the top more ports" * splits
            best = Proof(least, (), f"proved: {text}", at_ports=splits)
    return best


def _runs_once(storage: Storage, name: str) -> bool:
    """Whether a function is a top, or called at one place, which is in no loop: what it loads is not there already."""
    seen = set[str]()
    while name not in storage.analysis.tops:
        if name in seen:
            return False
        seen.add(name)
        calls, known = [], effects(storage.program)
        for caller in storage.program.functions.values():
            calls += [(caller, x) for x in known.calls_in(caller.body) if x.function == name]
        if len(calls) != 1:
            return False
        ((caller, call),) = calls
        loops = (s for s in walk_statements(caller.body) if isinstance(s, Loop))
        if any(x is call for loop in loops for x in known.calls_in(loop)):
            return False
        name = caller.name
    return True


class _Moved(Struct, frozen=True, dict=True):
    """The elements of an argument that a loop moves through ports of the top function, however they are kept."""

    p: Prediction
    variable: int

    @property
    def _tied(self) -> set[int]:
        """It with its other names."""
        groups = self.p.elaborated.storage.analysis.group_of
        group = groups.get(self.variable)
        return {self.variable, *(v for v, g in groups.items() if g == group and g is not None)}

    @property
    def declared(self) -> bool:
        """Whether the top declares its extents, so that directives may split it."""
        storage = self.p.elaborated.storage
        shapes = [a.dims for v in self._tied if (a := storage.program.variable(v).as_array) and _is_at_top(storage, v)]
        return all(None not in dims for dims in shapes)

    def _accesses(self) -> tuple[list[Access], list[Access]]:
        """Those of the loop, and those anywhere else."""
        nest, tied, mine, others = self.p.elaborated.nest, self._tied, list[Access](), list[Access]()
        for a in self.p.elaborated.storage.analysis.accesses:
            if a.array in tied:
                inside = nest.chain[-1].id in a.loops if nest.chain else a.function == nest.function
                (mine if inside and a.array == self.variable else others).append(a)
        return mine, others

    @cached_property
    def _mattering(self) -> Mattering:
        return Mattering(self.p)

    def in_all(self, aim: int, iterations: int | None) -> tuple[int, str] | None:
        """The average II that their number asks for, and the words for it.

        A load counts where its value matters and no store is before it, a store where no other loop stores the
        element. A few more cycles than the aim, such as for the first elements of a window, are no proof.
        """
        storage, nest = self.p.elaborated.storage, self.p.elaborated.nest
        loops = storage.analysis.loops
        around = [loops[x.id].trip_count.exact for x in nest.outer]
        if not iterations or None in around:
            return None
        iterations *= math.prod(n for n in around if n is not None)
        mine, others = self._accesses()
        others += [a for a in mine if a.id in self._left]
        needed = self._mattering.accesses(self.variable)
        mine = [a for a in mine if (a.id not in self._left if a.kind == "write" else a.id in needed)]
        steps = {x: info.step for x, info in loops.items()}
        loaded, stored = through_ports(mine, others, steps)
        memory = storage.memory(self.variable)
        banks = memory.layout.banks
        cycles = memory.ports.interval(math.ceil(loaded / banks), math.ceil(stored / banks))
        parts = [
            f"{n} elements of '{self._name}' that the loop {v}" for n, v in ((loaded, "loads"), (stored, "stores")) if n
        ]
        text = f"the {' and the '.join(parts)} take {cycles} cycles at the ports of the top function"
        if cycles * FEW <= (FEW + 1) * aim * iterations:
            return None
        least = -(-cycles // iterations)
        return least, f"{text}, II {least}" + f" in its {iterations} iterations" * (iterations > 1)

    def accessed(self, iterations: int | None) -> list[tuple[int, str]]:
        """The II that accesses to what is volatile ask for: each is one at the port, whatever the text is."""
        p, mine = self.p, [a for a in self._accesses()[0] if a.exact and a.count is not None]
        everywhere, sure = p.elaborated.carriers.space.domain, Counter[str]()
        for op in p.problem.graph.memory:
            if op.ref is not None and op.ref.variable == self.variable:
                sure[op.ref.kind] += not op.ref.guarded and op.ref.domain == everywhere
        memory, nest = p.elaborated.storage.memory(self.variable), p.elaborated.nest
        at_ports = "cycles at the ports of the top function"

        def cycles(loads: int, stores: int) -> int:
            return memory.ports.interval(*(math.ceil(n / memory.layout.banks) for n in (loads, stores)))

        each = cycles(sure["read"], sure["write"])
        text = (
            f"the {sure.total()} accesses of an iteration to '{self._name}', which is volatile, take {each} {at_ports}"
        )
        ways = [(each, text)]
        if iterations and not nest.outer:
            counts = Counter[str]()
            for a in mine:
                counts[a.kind] += a.count or 0
            all_ = cycles(counts["read"], counts["write"])
            text = f"the {counts.total()} accesses to '{self._name}', which is volatile, take {all_} {at_ports}"
            least = -(-all_ // iterations)
            ways.append((least, f"{text}, II {least} in {iterations} iterations"))
        return ways

    def each_time(self) -> tuple[int, str] | None:
        """The same where it is not known how often the loop runs: elements that no other iteration loads or stores."""
        storage, nest = self.p.elaborated.storage, self.p.elaborated.nest
        steps = {x: info.step for x, info in storage.analysis.loops.items()}
        mine, others = self._accesses()
        writes = [a for a in mine if a.kind == "write"]
        if not nest.chain or any(a.kind == "write" for a in others):
            return None
        needed = self._mattering.accesses(self.variable) if len(writes) < len(mine) else frozenset[int]()
        loads = [a for a in mine if a.kind == "read" and a.id in needed]
        stores = [a for a in writes if a.id not in self._left]
        if any(not is_apart(part) for part in (loads, stores) if part) or not is_apart_from(
            stores, [a for a in writes if a.id in self._left]
        ):
            return None
        if writes and not all(is_loaded_first(a, writes, steps) for a in loads):
            return None
        counts = {"read": 0, "write": 0}
        everywhere, sure = self.p.elaborated.carriers.space.domain, Counter[int]()
        for op in self.p.problem.graph.memory:
            if op.ref is not None and not op.ref.guarded and op.ref.domain == everywhere:
                sure[op.ref.access] += 1
        for access in (*loads, *stores):
            inner = access.loops[access.loops.index(nest.chain[-1].id) + 1 :]
            times = [storage.analysis.loops[x].trip_count.exact for x in inner]
            words = math.prod(n for n in times if n is not None)
            if None not in times and sure[access.id] >= words:
                counts[access.kind] += words * nest.unroll
        memory = storage.memory(self.variable)
        least = memory.ports.interval(*(math.ceil(n / memory.layout.banks) for n in counts.values()))
        moved = " and ".join(f"{v} {n}" for v, n in zip(("loads", "stores"), counts.values(), strict=True) if n)
        text = f"each iteration {moved} elements of '{self._name}' that no other one does, which takes {least} "
        return least, f"{text}cycles at the ports of the top function"

    @cached_property
    def _left(self) -> frozenset[int]:
        """The stores that may leave elements as they are."""
        stores = (op for op in self.p.problem.graph.ops.values() if op.kind == "store" and op.ref is not None)
        return frozenset(op.ref.access for op in stores if op.ref is not None and self._mattering.leaves(op))

    @property
    def _name(self) -> str:
        return self.p.elaborated.storage.program.variable(self.variable).name


def _is_at_top(storage: Storage, variable: int) -> bool:
    """Whether a variable is a parameter of a top function, where directives split ports."""
    record = storage.program.variable(variable)
    return record.storage == "parameter" and record.function in storage.analysis.tops
