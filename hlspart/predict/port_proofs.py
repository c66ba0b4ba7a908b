"""The II that the ports of the top function allow: each element that a loop moves comes or goes through one of them.

A text with the same signature may load elements ahead of the loop or store them behind it; that takes as many cycles.
"""

from __future__ import annotations

import math

from hlspart.hardware.memory import BUS, STREAMS
from hlspart.hardware.storage import Storage
from hlspart.model.results import Proof
from hlspart.predict.loops import Prediction
from hlspart.predict.proved import by_values
from hlspart.predict.unit_proofs import by_units
from hlspart.sets.counting import elements


def proof(p: Prediction, aim: int, iterations: int | None) -> Proof | None:
    """Why a loop of so many iterations cannot reach II ``aim``: what recurs, units, or ports of the top function."""
    proofs = by_values(p, aim), by_units(p, aim), _through_channels(p, aim), _through_ports(p, aim, iterations)
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
        sure = [k for k, ref in refs if ref.variable == variable and not ref.guarded and ref.domain == everywhere]
        for kind, verb in (("load", "reads"), ("store", "writes")):
            words = sure.count(kind)
            if words > aim and (best is None or words > best.ii):
                text = f"proved: each iteration {verb} {words} words of the channel '{record.name}', one a cycle"
                text += "" if outside else "; a channel whose words hold several of them would carry them at once"
                best = Proof(words, (), text)
    return best


def _through_ports(p: Prediction, aim: int, iterations: int | None) -> Proof | None:
    """Why ports keep ``iterations`` of a loop from II ``aim`` on average; None where nothing proves it.

    Counted are elements of arguments that the program only loads, or stores in this loop alone. A directive may split
    memories with a declared extent: of these the proof is about the ports that they have. A bus that the tool may make
    wider is left out.
    """
    storage, nest = p.elaborated.storage, p.elaborated.nest
    around = [storage.analysis.loops[x.id].trip_count.exact for x in nest.outer]
    if not iterations or p.resource_ii <= aim or None in around:
        return None
    iterations *= math.prod(n for n in around if n is not None)
    best: Proof | None = None
    for variable, count in p.counts.items():
        memory = storage.memory(variable)
        record = storage.program.variable(variable)
        bus = memory.storage == BUS
        if count.static.interval <= aim or not storage.arrays.is_interface(record):
            continue
        if bus and storage.bindings.may_be_widened(variable):
            continue
        group = storage.analysis.group_of.get(variable)
        tied = {variable, *(v for v, g in storage.analysis.group_of.items() if g == group and g is not None)}
        shapes = [a.dims for v in tied if (a := storage.program.variable(v).as_array) and _at_top(storage, v)]
        splits = not bus and all(None not in dims for dims in shapes)
        accesses = [a for a in storage.analysis.accesses if a.array in tied]
        kinds = {a.kind for a in accesses}
        inside = all(a.array == variable and nest.chain and nest.chain[-1].id in a.loops for a in accesses)
        if len(kinds) != 1 or (kinds == {"write"} and not inside):
            continue
        mine = [a for a in accesses if a.array == variable and nest.chain and nest.chain[-1].id in a.loops]
        moved = elements(mine) if all(a.affine and a.exact for a in mine) else None
        if moved is None:
            continue
        each = math.ceil(moved / memory.layout.banks)
        cycles = memory.ports.interval(*((each, 0) if kinds == {"read"} else (0, each)))
        least = -(-cycles // iterations)
        if least > aim and (best is None or least > best.ii):
            verb = "loads" if kinds == {"read"} else "stores"
            text = (
                f"proved: the {moved} elements of '{record.name}' that the loop {verb} take {cycles} cycles at the "
                f"ports of the top function{', which nothing makes wider' * bus}, II {least} in its {iterations} "
                f"iterations, or as long outside of it{'; a partition of it would give the top more ports' * splits}"
            )
            best = Proof(least, (), text, at_ports=splits)
    return best


def _at_top(storage: Storage, variable: int) -> bool:
    """Whether a variable is a parameter of a top function, where directives split ports."""
    record = storage.program.variable(variable)
    return record.storage == "parameter" and record.function in storage.analysis.tops
