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

    @property
    def unrolled(self) -> frozenset[int]:
        """Loops that are gone: unrolled, or of functions that pipelined loops alone call."""
        here = {loop for name in self.alone for loop in self.nests[name].unrolled}
        gone = (n for name, n in self.nests.items() if name not in self.alone)
        return frozenset(
            here.union(*({x.id for x in c.walk_statements(n.function.body) if isinstance(x, c.Loop)} for n in gone))
        )

    @property
    def inside(self) -> frozenset[str]:
        """Functions that pipelined loops and functions call, directly or not."""
        out: set[str] = set()
        for own in self.nests.values():
            known = effects(own.program)
            names = (call.function for n in own.all if n.pipelined for call in _calls(own.program, n))
            out |= known.reachable(tuple(name for name in names if name is not None))
        return frozenset(out)


def _calls(program: c.Program, nest: Nest) -> Iterator[c.Call]:
    known = effects(program)
    return (call for body in (*nest.before, *nest.body, *nest.after) for call in known.calls_in(body))


def standing(program: c.Program, nests: Mapping[str, Nests], tops: Sequence[str]) -> frozenset[str]:
    """Functions that run by themselves: tops, and what one of these calls outside of its pipelined loops.

    A pipelined loop or function unrolls the loops of what it calls (UG1399, pipeline); where a bound is not a constant
    it cannot, and the function stays.
    """
    known, functions = effects(program), set[str]()
    waiting = [name for name in tops if name in nests]
    while waiting:
        name = waiting.pop()
        if name in functions:
            continue
        functions.add(name)
        own = nests[name]
        inside = {id(call) for n in own.all if n.pipelined for call in _calls(program, n)}
        for call in known.calls_in(own.function.body):
            callee = call.function
            if callee is None or callee not in nests:
                continue
            below = known.reachable((callee,))
            fixed = all(
                nests[f].is_counted(x) for x in program.loops.values() if (f := x.function) in below and f in nests
            )
            if id(call) not in inside or not fixed:
                waiting.append(callee)
    return frozenset(functions)
