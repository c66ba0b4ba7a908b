"""When each array of a function holds a value that is still needed, in steps of its table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Literal

from msgspec import Struct

from hlspart.buffers.steps import Table
from hlspart.model.access import Access, GroupEdge
from hlspart.model.buffers import Touch
from hlspart.model.program import If, Jump, Loop, Program, Return, Switch, Variable, walk_statements
from hlspart.sets.lifetimes import iterations, reach, repeated, values
from hlspart.sets.region import TooHard


class Life(Struct, frozen=True):
    """First and last step, both inclusive; ``reason``: why they are not to be relied upon, then all of the function."""

    first: int
    last: int
    touches: tuple[Touch, ...] = ()
    reason: str | None = None


class Lifetimes:
    """Lifetimes in one function. ``summaries`` knows what its calls do."""

    def __init__(self, table: Table, summaries: Summaries) -> None:
        self.table, self.summaries = table, summaries

    def life(self, variable: Variable) -> Life:
        """The lifetime of a local array with known extents."""
        touches = self.touches(variable)
        whole = Life(self.table.first, max(self.table.first, self.table.last))
        if isinstance(touches, str):
            return Life(whole.first, whole.last, (), touches)
        if not touches:
            return whole
        try:
            lifetimes = values(touches, [d for d in variable.dims if d is not None])
        except TooHard as error:
            return Life(whole.first, whole.last, (), str(error))
        if lifetimes.unwritten:
            return Life(whole.first, whole.last, (), "elements may be read before they are written")
        spans = [(t.step, t.step) for t in touches]
        known = {t.id: t for t in touches}
        for value in lifetimes.flows:
            spans.append(self._span(known[value.writer], known[value.reader], value.carried))
        return Life(min(s[0] for s in spans), max(s[1] for s in spans), tuple(touches))

    def _span(self, writer: Touch, reader: Touch, carried: int | None) -> tuple[int, int]:
        """Steps from a write to a read of its value; all steps of a loop whose later iterations come between."""
        ranges = self.table.ranges
        if carried is not None:
            outer = writer.loops[carried]
            if outer in ranges:
                return ranges[outer]
            return min(writer.step, reader.step), max(writer.step, reader.step)
        common = 0
        for one, other in zip(writer.loops, reader.loops, strict=False):
            if one != other:
                break
            common += 1
        start = next((ranges[x][0] for x in writer.loops[common:] if x in ranges), writer.step)
        end = next((ranges[x][1] for x in reader.loops[common:] if x in ranges), reader.step)
        return start, end

    # ----------------------------------------------------------------------------- touches

    def touches(self, variable: Variable) -> list[Touch] | str:
        """All touches of an array in the function, or why they cannot be told."""
        touches: list[Touch] = []
        accesses = [a for a in self.table.accesses() if a.array == variable.id]
        both = self._in_both_arms(accesses)
        for access in accesses:
            touch = self._touch(access, len(touches), access.id in both)
            if isinstance(touch, str):
                return touch
            touches.append(touch)
        for edge in self.table.edges():
            if edge.actual == variable.id:
                made = self._call(edge, variable, len(touches))
                if isinstance(made, str):
                    return made
                touches += made
        return touches

    def _touch(self, access: Access, number: int, certain: bool) -> Touch | str:
        table = self.table
        stmt, step = table.owners.get(access.ref), table.step_of(access.ref)
        if stmt is None or step is None or isinstance(stmt, Loop):
            return "it is used in a loop header" if isinstance(stmt, Loop) else "a use of it is not understood"
        loops = [s for s in table.around[stmt] if isinstance(s, Loop)]
        infos = [table.analysis.loops.get(x) for x in access.loops]
        if tuple(x.id for x in loops) != access.loops or len(access.iterators) != len(access.loops):
            return "it is used in a loop that is not counted"
        must = (access.exact or certain) and access.map is not None and not any(i is None or i.exits for i in infos)
        order = (*(_SPREAD * table.rank[x] for x in loops), _SPREAD * table.rank[stmt] + access.order + 1)
        down = tuple(i is not None and (i.step or 0) < 0 for i in infos)
        return Touch(
            number,
            access.kind,
            must,
            access.iterators,
            access.domain,
            access.map,
            order,
            down,
            access.loops,
            step,
            table.units[stmt],
        )

    def _in_both_arms(self, accesses: Sequence[Access]) -> frozenset[int]:
        """Writes that stand alike in both arms of a condition on data: one of the two happens."""
        arms: dict[object, dict[int, int]] = {}
        for a in accesses:
            if a.kind == "write" and not a.exact and a.affine and len(a.branch) == 1 and self._straight:
                arms.setdefault((a.branch[0][0], a.loops, a.domain, a.map), {})[a.branch[0][1]] = a.id
        return frozenset(ident for pair in arms.values() if {0, 1} <= pair.keys() for ident in pair.values())

    @cached_property
    def _straight(self) -> bool:
        """Whether no statement of the function is passed over by a jump."""
        statements = list(walk_statements(self.table.function.body))
        if any(isinstance(s, Jump | Switch) for s in statements):
            return False
        return not any(isinstance(s, Return) for s in statements[:-1])

    def _call(self, edge: GroupEdge, variable: Variable, number: int) -> list[Touch] | str:
        """What a call that is handed the array does to it: reads first, then writes."""
        table = self.table
        stmt, step = table.owners.get(edge.call), table.step_of(edge.call)
        if stmt is None or step is None:
            return "a use of it is not understood"
        above = (*table.around[stmt], stmt)
        loops = [s for s in above if isinstance(s, Loop)]
        infos = [table.analysis.loops.get(x.id) for x in loops]
        counted = [i for i in infos if i is not None and i.iterator is not None]
        domain = iterations(counted)
        if domain is None or len(counted) < len(loops) or isinstance(stmt, Loop):
            return "it is handed to a call in a loop whose iterations are not known"
        certain = self._straight and not any(isinstance(s, If | Switch) for s in above)
        outer, rank = tuple(_SPREAD * table.rank[x] for x in loops), _SPREAD * table.rank[stmt]
        touches: list[Touch] = []
        for kind, must, elements in self.summaries.of(edge.callee, edge.formal, len(variable.dims)):
            touches.append(
                Touch(
                    number + len(touches),
                    kind,
                    must and certain,
                    tuple(i.iterator or "" for i in counted),
                    domain,
                    None if elements is None else repeated(elements, domain),
                    (*outer, rank + (0 if kind == "read" else _SPREAD - 1)),
                    tuple((i.step or 0) < 0 for i in counted),
                    tuple(x.id for x in loops),
                    step,
                    table.units[stmt],
                )
            )
        return touches


Summary = tuple[tuple[Literal["read", "write"], bool, str | None], ...]
_UNKNOWN: Summary = (("read", False, None), ("write", False, None))


class Summaries:
    """What each function does to an array that it is handed: (kind, whether for certain, map from ``[]``)."""

    def __init__(self, program: Program, table: Callable[[str], Table]) -> None:
        self._program, self._table = program, table
        self._known: dict[tuple[str, int], Summary] = {}

    def of(self, function: str, formal: int, rank: int) -> Summary:
        """Reads of elements that the function has not written, and its writes, for an array of ``rank``."""
        variable = self._program.variable(formal)
        if len(variable.dims) != rank:
            return _UNKNOWN
        if (function, formal) not in self._known:
            self._known[function, formal] = _UNKNOWN  # of a recursive call
            self._known[function, formal] = self._find(function, variable)
        return self._known[function, formal]

    def _find(self, function: str, variable: Variable) -> Summary:
        if function not in self._program.functions or None in variable.dims[1:]:
            return _UNKNOWN
        touches = Lifetimes(self._table(function), self).touches(variable)
        if isinstance(touches, str):
            return _UNKNOWN
        try:
            lifetimes = values(touches, [d if d is not None else 1 << 30 for d in variable.dims])
        except TooHard:
            return _UNKNOWN
        out: list[tuple[Literal["read", "write"], bool, str | None]] = []
        for touch in touches:
            if touch.kind == "write":
                elements = reach(touch) if touch.must else None
                out.append(("write", elements is not None, elements))
            elif touch.id in lifetimes.unwritten:
                out.append(("read", False, reach(touch)))
        return tuple(out)


_SPREAD = 1 << 20  # more than evaluations in one function
