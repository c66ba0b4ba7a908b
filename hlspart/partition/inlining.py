"""Arrays that meet in an inlined function only: each call has the function's text, and memories, of its own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from msgspec import Struct

from hlspart.model.access import ArrayGroup, GroupEdge
from hlspart.model.directives import Fault
from hlspart.model.program import Program
from hlspart.partition.merge import merge
from hlspart.partition.requests import Evaluated


class Part(Struct, frozen=True):
    """Arrays of a group that are one memory for the tool.

    ``members``: those that inlining leaves; ``formals``: parameters of inlined functions that stand for them.
    ``positions``: the requests on either.
    """

    members: tuple[int, ...]
    formals: tuple[int, ...]
    positions: tuple[int, ...]


class Inlining:
    """What INLINE takes apart in the groups of a program."""

    def __init__(self, program: Program) -> None:
        self._program = program

    @cached_property
    def _inlined(self) -> frozenset[str]:
        """Functions that a directive has inlined wherever they are called."""
        kinds = (d for d in self._program.directives if d.kind == "inline" and d.dialect == "vitis" and d.usable)
        return frozenset(d.function for d in kinds if d.function and not (d.has("off") or d.has("region")))

    def parts(self, group: ArrayGroup, items: Sequence[Evaluated]) -> tuple[Part, ...]:
        """The memories of a group whose requests are in conflict; empty where inlining does not settle that."""
        formals = self._formals(group)
        if not formals:
            return ()
        leader = {m: m for m in group.members}

        def find(member: int) -> int:
            while leader[member] != member:
                member = leader[member]
            return member

        for edge in group.edges:
            for root in self._behind(group.edges, edge.actual, formals) if edge.formal not in formals else ():
                leader[find(edge.formal)] = find(root)
        inlined = []
        for first in dict.fromkeys(find(m) for m in group.members if m not in formals):
            members = tuple(m for m in group.members if m not in formals and find(m) == first)
            inside = self._reached(group.edges, members, formals)
            positions = tuple(k for k, x in enumerate(items) if x.variable in members or x.variable in inside)
            if merge(self._program, [items[k] for k in positions]).conflicts:
                return ()
            inlined.append(Part(members, inside, positions))
        return tuple(inlined)

    def remark(self, group: ArrayGroup) -> Fault:
        """That such arrays differ, and what hlspart does not do for them."""
        formals = self._formals(group)
        edges = [e for e in group.edges if e.formal in formals and e.actual not in formals]
        names = dict.fromkeys(self._program.variable(e.actual).name for e in edges)
        functions = dict.fromkeys(self._program.variable(e.formal).function for e in edges)
        text = f"{' and '.join(repr(n) for n in names)} differ and meet in {' and '.join(map(str, functions))}"
        text += ", which each call inlines: hlspart does not rewrite them, and a loop there that they differ in"
        text += " has no known II"
        return Fault("inlined-apart", text, edges[0].at, fatal=False)

    def _formals(self, group: ArrayGroup) -> frozenset[int]:
        return frozenset(e.formal for e in group.edges if self._program.variable(e.formal).function in self._inlined)

    @staticmethod
    def _behind(edges: Sequence[GroupEdge], actual: int, formals: frozenset[int]) -> frozenset[int]:
        """What an argument stands for once parameters of inlined functions are gone."""
        variables, pending = set[int](), [actual]
        while pending:
            if (member := pending.pop()) not in variables:
                variables.add(member)
                pending += [e.actual for e in edges if e.formal == member and member in formals]
        return frozenset(variables - formals)

    @staticmethod
    def _reached(edges: Sequence[GroupEdge], members: Sequence[int], formals: frozenset[int]) -> tuple[int, ...]:
        """Parameters of inlined functions that stand for ``members``, through any number of calls."""
        inside, size = set(members), 0
        while size < len(inside):
            size = len(inside)
            inside |= {e.formal for e in edges if e.formal in formals and e.actual in inside}
        return tuple(sorted(inside - set(members)))
