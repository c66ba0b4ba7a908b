"""Local copies of arguments: a memory at a port has two ports, a bus one word a cycle, one of its own what it is given.

Where the port of an argument keeps loops from their II, these loops work on a copy. It is loaded ahead of them, and
stored behind them if they write it: once for all loops of a function, or for each iteration of the loops around, of
which it then holds the part that they do not move. What it gains is for banks or copies of the local memory to show;
this text alone is slower.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from hlspart.expand.texts import block_of
from hlspart.hardware.memory import BUS, STREAMS
from hlspart.hardware.storage import Storage
from hlspart.model.access import Access, AccessAnalysis, Affine
from hlspart.model.program import (
    ArrayRef,
    Call,
    Function,
    Jump,
    Label,
    Loop,
    Name,
    Program,
    Return,
    ScalarType,
    Stmt,
    StructType,
    Variable,
    substatements,
    walk,
    walk_statements,
)
from hlspart.model.results import IIResult, LoopResult
from hlspart.predict.regressions import most_cycles
from hlspart.rewrite.uses import Uses
from hlspart.semantics.effects import statement_expressions
from hlspart.semantics.overlap import Overlaps
from hlspart.sets.windows import extremes, is_covered

MOST_INSIDE = 2  # loops that a copy is made in


class Side(Struct, frozen=True):
    """One dimension of a copy: the elements from ``base`` + ``low`` to ``base`` + ``high``, both included.

    ``base``: what the loops around the copy move, without a constant. ``extent``: that of the argument, if known.
    """

    base: Affine
    low: int
    high: int
    extent: int | None

    @property
    def words(self) -> int:
        """Elements."""
        return self.high - self.low + 1

    @property
    def kept(self) -> bool:
        """Whether subscripts of the copy are those of the argument."""
        return not self.base.terms and (self.extent is not None or not self.low)


class LocalCopy(Struct, frozen=True):
    """``variable`` is copied around the statements of its function from ``first`` to ``last``.

    ``uses``: with their subscripts; ``loaded``: it has values from before; ``written``: it is copied back.
    """

    variable: int
    first: Loop
    last: Stmt
    uses: tuple[tuple[ArrayRef, tuple[Affine | None, ...]], ...]
    sides: tuple[Side, ...]
    loaded: bool
    written: bool
    entries: int

    @property
    def words(self) -> int:
        """Elements of the copy."""
        return math.prod(s.words for s in self.sides)

    @property
    def moved(self) -> int:
        """Elements that are copied in all."""
        return self.words * (self.loaded + self.written) * self.entries


def local_copies(
    program: Program, analysis: AccessAnalysis, figures: IIResult, uses: Uses, storage: Storage
) -> tuple[tuple[LocalCopy, ...], ...]:
    """Arguments whose ports are what keeps loops from their II: the sets of copies to choose from.

    The first set is made outside of all loops, each further one in one loop more where that makes a copy smaller.
    """
    most = {f.name: most_cycles(figures, f) for f in figures.functions}
    sets: list[tuple[LocalCopy, ...]] = []
    for depth in range(MOST_INSIDE + 1):
        copies: list[LocalCopy] = []
        for name in sorted(most):
            function = program.functions[name]
            if not _flows(program, function) and name not in uses.instances:
                finder = _Finder(program, analysis, figures, uses, storage, function)
                copies += [c for c in finder.copies(depth) if c.moved < most[name]]
        if copies and tuple(copies) not in sets:
            sets.append(tuple(copies))
    return tuple(sets)


def _flows(program: Program, function: Function) -> bool:
    """Whether loops of a function run at one time."""
    return any(
        (d.kind == "dataflow" or (d.kind == "pipeline" and d.loop is None)) and d.function == function.name
        for d in program.directives
    )


class _Finder(Struct, frozen=True):
    """Copies in one function."""

    program: Program
    analysis: AccessAnalysis
    figures: IIResult
    uses: Uses
    storage: Storage
    function: Function

    def copies(self, depth: int) -> Iterator[LocalCopy]:
        """Those made inside of at most ``depth`` loops."""
        for ident in self.function.params:
            variable = self.program.variable(ident)
            short = [x for x in self.figures.loops if x.function == self.function.name and self._is_short(x, variable)]
            if short and self._is_of_a_port(variable):
                yield from self._of(variable, {x.loop for x in short}, depth)

    def _is_of_a_port(self, variable: Variable) -> bool:
        """Whether a parameter is a memory at a port of a top function that elements can be copied from."""
        array, top = variable.as_array, self.function.name in self.analysis.tops
        group = self.analysis.group_of.get(variable.id)
        return (
            array is not None
            and not variable.volatile
            and isinstance(array.element, ScalarType | StructType)
            and self.storage.memory(variable.id).storage not in STREAMS
            and variable.name not in self.uses.unknown
            and (top or any(g.id == group and g.top for g in self.analysis.groups))
        )

    def _is_short(self, loop: LoopResult, variable: Variable) -> bool:
        """Whether a loop misses its II, or may, and the port of an argument alone would see to that."""
        if loop.misses and any(b.array == variable.name and b.ii > (loop.aim or 1) for b in loop.banks):
            return True
        memory = self.storage.memory(variable.id)
        if memory.storage != BUS or not loop.may_miss:
            return False
        names = {variable.name, memory.resource}
        if loop.misses and any(x.kind in ("interface", "recurrence") and x.array in names for x in loop.limits):
            return True
        mine = [a for a in self.analysis.accesses if a.array == variable.id and loop.loop in a.loops]
        return len({a.kind for a in mine}) > 1  # the next iteration may wait for the bus to answer

    def _of(self, variable: Variable, short: set[int], depth: int) -> Iterator[LocalCopy]:
        """The copies of one argument, each in as many of ``depth`` loops as make it smaller."""
        shallow = self._copy(variable, self._outermost(short), ())
        if shallow is not None and not depth:
            yield shallow
        if not depth:
            return
        inner: dict[int, LocalCopy] = {}
        for chain in _chains(self.function.body, short):
            best, least = shallow, math.inf if shallow is None else shallow.words
            for inside in range(1, min(depth, len(chain) - 1) + 1):
                copy = self._copy(variable, (chain[inside],), chain[:inside])
                if copy is not None and copy.words < least:
                    best, least = copy, copy.words
            if best is not None:
                inner[best.first.id] = best
        if shallow is not None and shallow in inner.values():
            yield shallow
        else:
            yield from inner.values()

    def _outermost(self, short: set[int]) -> Sequence[Stmt]:
        """The statements of the body from the first to the last one that holds one of these loops."""
        body = self.function.body.body
        positions = [
            k for k, s in enumerate(body) if any(isinstance(x, Loop) and x.id in short for x in walk_statements(s))
        ]
        return body[positions[0] : positions[-1] + 1] if positions else ()

    def _copy(self, variable: Variable, stmts: Sequence[Stmt], around: Sequence[Loop]) -> LocalCopy | None:
        """A copy of an argument for the time of some statements inside of the loops ``around``."""
        first = stmts[0] if stmts else None
        if not isinstance(first, Loop) or block_of(self.program, first) is None:
            return None
        everywhere = self.uses.by_variable.get(variable.id, ())
        if any(u.kind not in ("element", "argument") for u in everywhere):
            return None  # a pointer may know it
        inside = [u for u in everywhere if any(s.at.span.holds(u.node.at.span) for s in stmts)]
        nodes = {u.node.id: u.node for u in inside if u.kind == "element" and isinstance(u.node, ArrayRef)}
        places = {(n.name.span.path, n.name.span.start, n.name.span.end) for n in nodes.values()}
        if any(len(self.uses.shared_spans[place]) > 1 for place in places):
            return None  # a macro takes the name, and it stands for something else, too
        if len(nodes) < len(inside) or not self._is_alone(variable, stmts):
            return None
        touches = [a for a in self.analysis.accesses if a.ref in nodes]
        entries = [self.analysis.loops[x.id].trip_count.exact for x in around]
        sides = self._sides(variable, touches, around)
        if sides is None or any(e is None for e in entries):
            return None
        known = {a.ref: a.index or (None,) * len(sides) for a in touches}
        moved = [k for k, side in enumerate(sides) if not side.kept]
        unbounded = [k for k, side in enumerate(sides) if side.base.terms or side.extent is None]
        if moved and any(node.id not in known or not node.brackets for node in nodes.values()):
            return None
        complete = self._is_complete(touches, sides, around)
        if not complete and any(not _is_inside(touches, k, sides[k]) for k in unbounded):
            return None
        written = any(a.kind == "write" for a in touches)
        if written and any(_leaves(s) for top in stmts for s in walk_statements(top)):
            return None
        loaded = not complete or any(a.kind == "read" for a in touches)
        times = math.prod(e for e in entries if e is not None)
        counts = [a.count for a in touches if a.count is not None]
        again = len(counts) < len(touches) or sum(counts) > math.prod(s.words for s in sides) * times
        if self.storage.memory(variable.id).storage == BUS and not again:
            return None  # it takes each element once as it is
        uses = tuple((node, known.get(ref, (None,) * len(sides))) for ref, node in nodes.items())
        return LocalCopy(variable.id, first, stmts[-1], uses, sides, loaded, written, times)

    def _sides(self, variable: Variable, touches: Sequence[Access], around: Sequence[Loop]) -> tuple[Side, ...] | None:
        """What is accessed in each dimension, all of it where that is not known; None where neither is."""
        outer = {self.analysis.loops[x.id].iterator for x in around}
        sides = []
        array = variable.as_array
        for k, extent in enumerate(array.dims if array is not None else ()):
            forms = [None if a.index is None else a.index[k] for a in touches]
            bases = {Affine(tuple(t for t in f.terms if t[0] in outer), 0) for f in forms if f is not None}
            base = bases.pop() if len(bases) == 1 and None not in forms else Affine((), 0)
            spans = [() if f is None else extremes(a, [f - base]) for a, f in zip(touches, forms, strict=True)]
            ends = [s[0] for s in spans if s]
            known = len(ends) == len(spans) > 0
            low, high = (min(e[0] for e in ends), max(e[1] for e in ends)) if known else (0, (extent or 0) - 1)
            if extent is not None and not base.terms:
                low, high = max(0, low), min(extent - 1, high)
            elif not known:
                return None
            sides.append(Side(base, low, high, extent))
        return tuple(sides)

    def _is_complete(self, touches: Sequence[Access], sides: Sequence[Side], around: Sequence[Loop]) -> bool:
        """Whether each element of a copy is surely accessed each time that it is made."""
        box = []
        for loop in around:
            info = self.analysis.loops[loop.id]
            if info.iterator is None or info.lower is None or info.lower.terms or info.step is None or info.exits:
                return False
            if info.trip_count.exact is None:
                return False
            ends = info.lower.const, info.lower.const + info.step * (info.trip_count.exact - 1)
            box.append((min(ends), max(ends)))
        names = [self.analysis.loops[x.id].iterator or "" for x in around]
        outer = [Affine(((n, 1),), 0) for n in names]
        forms = []
        for access in touches:
            inner = [None if access.index is None else access.index[k] for k in range(len(sides))]
            known = [f - side.base for f, side in zip(inner, sides, strict=True) if f is not None]
            if len(known) == len(sides) and set(names) <= set(access.iterators):
                forms.append((access, [*outer, *known]))
        return is_covered(forms, (*box, *((s.low, s.high) for s in sides)))

    def _is_alone(self, variable: Variable, stmts: Sequence[Stmt]) -> bool:
        """Whether no other name in some statements, or in what they call, may stand for an argument's elements."""
        overlaps = Overlaps(self.program)
        nodes = [n for top in stmts for root in statement_expressions(self.program, top) for n in walk(root)]
        names = {n.variable for n in nodes if isinstance(n, Name | ArrayRef)} - {variable.id}
        calls = any(isinstance(n, Call) for n in nodes)
        return not any(overlaps.may_be(variable.id, other) for other in names) and not (
            calls and overlaps.is_of_file_scope(variable.id)
        )


def _chains(stmt: Stmt, short: Collection[int], above: tuple[Loop, ...] = ()) -> Iterator[tuple[Loop, ...]]:
    """The loops around each late loop and that itself, outermost first."""
    here = (*above, stmt) if isinstance(stmt, Loop) else above
    if isinstance(stmt, Loop) and stmt.id in short:
        yield here
        return
    for inner in substatements(stmt):
        yield from _chains(inner, short, here)


def _is_inside(touches: Sequence[Access], dimension: int, side: Side) -> bool:
    """Whether all elements of a dimension that a copy may have exist by the argument's extent."""
    if side.extent is None:
        return False
    spans = [extremes(a, [side.base]) for a in touches]
    return all(s and s[0][0] + side.low >= 0 and s[0][1] + side.high < (side.extent or 0) for s in spans if s != ())


def _leaves(stmt: Stmt) -> bool:
    return isinstance(stmt, Return | Label) or (isinstance(stmt, Jump) and stmt.kind == "goto")
