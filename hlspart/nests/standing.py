"""Functions whose loops exist: those of a function that pipelined loops alone call are unrolled into them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from hlspart.model import program as c
from hlspart.model.access import AccessAnalysis
from hlspart.nests.nests import Nest, Nests
from hlspart.semantics.effects import effects, in_hardware
from hlspart.targets import Target


class Running(Struct, frozen=True):
    """The loops of all functions in hardware; ``alone``: the functions that run by themselves."""

    nests: Mapping[str, Nests]
    alone: frozenset[str]

    @staticmethod
    def of(program: c.Program, analysis: AccessAnalysis, target: Target) -> Running:
        """Those of a program."""
        hardware = in_hardware(program, analysis.tops)
        nests = {name: Nests(program, analysis, target, name) for name in program.functions if name in hardware}
        return Running(nests, standing(program, nests, analysis.tops))

    @property
    def loops(self) -> Iterator[Nest]:
        """The loops that exist, function by function."""
        return (nest for name, own in self.nests.items() if name in self.alone for nest in own.all)


def standing(program: c.Program, nests: Mapping[str, Nests], tops: Sequence[str]) -> frozenset[str]:
    """Functions that run by themselves: tops, and what one of these calls outside of its pipelined loops.

    A pipelined loop or function unrolls the loops of what it calls (UG1399, pipeline); where a bound is not a constant
    it cannot, and the function stays.
    """
    known, found = effects(program), set[str]()
    waiting = [name for name in tops if name in nests]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        own = nests[name]
        bodies = [s for n in own.all if n.pipelined for s in (*n.before, *n.body, *n.after)]
        inside = {id(call) for body in bodies for call in known.calls_in(body)}
        for call in known.calls_in(own.function.body):
            callee = call.function
            if callee is None or callee not in nests:
                continue
            below = known.reachable((callee,))
            fixed = all(
                nests[f].counted(x) for x in program.loops.values() if (f := x.function) in below and f in nests
            )
            if id(call) not in inside or not fixed:
                waiting.append(callee)
    return frozenset(found)
