"""Nests of a function as the search sees them: loops with constant bounds, operands as affine windows.

A nest may be taken tile by tile, its tiles in any order and on several elements, where every array that it writes is
written and read through one window that differs for any two iterations of the loops in its index: then nothing is
carried from one such iteration to another, and the loops that are not in the index carry sums, whose order is kept.
Statements before and behind an inner loop run in its first and last iteration.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from hlspart.expand.region import Refusal, build
from hlspart.explore.requests import outer_loops
from hlspart.explore.sums import Sums, added
from hlspart.model.access import Access, AccessAnalysis, Affine
from hlspart.model.exploring import Dim, Operand, TiledNest
from hlspart.model.program import (
    ArrayRef,
    ArrayType,
    Block,
    Declare,
    ExprStmt,
    Function,
    Loop,
    Name,
    PointerType,
    PragmaMark,
    Program,
    ScalarType,
    Stmt,
    Variable,
    walk,
    walk_statements,
)
from hlspart.semantics.effects import statement_expressions

When = Literal["first", "last", "every"]


class OperandWindow(Struct, frozen=True):
    """Where in its array an operand's tile lies: per dimension the constants and the elements that are touched."""

    variable: Variable
    low: tuple[int, ...]  # least constant of an index, inner loops included
    range: tuple[tuple[int, int], ...]
    exact: tuple[bool, ...]  # every element of a tile along a dimension is written


class ReadNest(Struct, frozen=True, eq=False):
    """A nest with its place in the text. ``kept``: (level, statement, when) for what stands beside an inner loop: it
    runs in the ``first`` or the ``last`` iteration of the loops below ``level``, or in ``every`` one: a value that
    does not change.

    ``stands_for``: scalars that carry a sum to the one element that takes it. ``dropped``: statements that only hand
    such a sum over.
    """

    nest: TiledNest
    function: Function
    loops: tuple[Loop, ...]
    starts: tuple[int, ...]
    strides: tuple[int, ...]
    kept: tuple[tuple[int, Stmt, When], ...]
    body: Block
    windows: tuple[OperandWindow, ...]
    scalars: tuple[Variable, ...]
    stands_for: Mapping[int, ArrayRef]
    dropped: tuple[Stmt, ...]
    forms: Mapping[int, tuple[Affine, ...]]  # by id of the reference
    owner: Mapping[int, int]  # id of the reference -> number of its operand
    counters: Mapping[str, int]  # iterator of a loop of the band -> its number
    inner: Mapping[str, str]  # iterator of another loop -> its name in the text


class KeptNest(Struct, frozen=True, eq=False):
    """A loop nest that keeps its text, and why."""

    loop: Loop
    reason: str
    refusal: Refusal


def nests(program: Program, analysis: AccessAnalysis, function: Function, whole: int) -> list[ReadNest | KeptNest]:
    """The outermost loops of a function, in the order of the text; ``whole``: loops of so few iterations stay so."""
    found: list[ReadNest | KeptNest] = []
    for loop in outer_loops(function.body):
        try:
            found.append(_Reader(program, analysis, function, loop, whole).read())
        except Refusal as refusal:
            found.append(KeptNest(loop, str(refusal), refusal))
    return found


class _Reader:
    def __init__(self, program: Program, analysis: AccessAnalysis, function: Function, outer: Loop, whole: int) -> None:
        self.program, self.analysis, self.function, self.outer, self.whole = program, analysis, function, outer, whole
        self.kept: list[tuple[int, Stmt, bool]] = []
        self.owner: dict[int, int] = {}

    def read(self) -> ReadNest:
        if not self.outer.at.editable or self.outer.at.span.path not in self.program.given:
            raise Refusal("macro", "the nest stands in a macro or a header", self.outer.at)
        build(self.program, self.analysis, self.function.name, (self.outer.id,))  # raises for what may not move
        band = self._band()
        trips = [self._trip(loop) for loop in band]
        tail = len(band)
        while tail > 1 and trips[tail - 1] <= self.whole:
            tail -= 1
        self.kept = [k for k in self.kept if k[0] < tail - 1]  # the others are in the body
        loops, body = band[:tail], band[tail - 1].body
        self._body_loops(body)
        infos = [self.analysis.loops[x.id] for x in loops]
        starts = tuple(i.lower.const if i.lower is not None else 0 for i in infos)
        strides = tuple(i.step or 1 for i in infos)
        counts = frozenset(self.analysis.loops[x.id].variable for x in self._all_loops())
        self.sums = Sums(self.program, self.function, self.outer, self._raw(), self.kept)
        self.sums.read(body, counts)
        accesses = self._accesses()
        operands, windows = self._operands(loops, strides, accesses)
        self._writes(loops, operands)
        ordered, sums = self._order(operands, windows)
        nest = TiledNest(
            self.outer.name,
            tuple((self._iterator(x), n) for x, n in zip(loops, trips, strict=False)),
            operands,
            whole=frozenset(k for k in range(tail) if trips[k] <= self.whole),
            ordered=ordered,
            sums=sums,
            function=self.function.name,
            line=self.program.line(self.outer.at),
        )
        kept: tuple[tuple[int, Stmt, When], ...] = tuple(
            (level, s, "every" if s in self.sums.constant else "last" if behind else "first")
            for level, s, behind in self.kept
            if s not in self.sums.dropped
        )
        forms = {a.ref: self._form(self.program.variable(a.array), a) for mine in accesses.values() for a in mine}
        names = {str(self.analysis.loops[x.id].iterator): self._iterator(x) for x in self._all_loops()}
        counters = {str(self.analysis.loops[x.id].iterator): k for k, x in enumerate(loops)}
        return ReadNest(
            nest, self.function, tuple(loops), starts, strides, kept, body, windows, self._scalars(loops),
            self.sums.stands_for, tuple(self.sums.dropped), forms, self.owner, counters, names,
        )  # fmt: skip

    # --------------------------------------------------------------------------------- loops

    def _band(self) -> list[Loop]:
        """The loops inside each other, and what stands beside the inner ones."""
        band = [self.outer]
        while True:
            body = [s for s in band[-1].body.body if not isinstance(s, PragmaMark)]
            inner = [s for s in body if isinstance(s, Loop)]
            if len(inner) != 1 or any(
                isinstance(w, Loop) for s in body if s is not inner[0] for w in walk_statements(s)
            ):
                return band
            at = body.index(inner[0])
            self.kept += [(len(band) - 1, s, k > at) for k, s in enumerate(body) if k != at]
            band.append(inner[0])

    def _trip(self, loop: Loop) -> int:
        info = self.analysis.loops[loop.id]
        if info.trip_count.exact is None or info.lower is None or info.lower.terms or not info.step:
            raise Refusal("trip-count", f"the bounds of {loop.name} are not constant", loop.header)
        if info.step < 0:
            raise Refusal("trip-count", f"{loop.name} counts down", loop.header)
        if info.trip_count.exact < 1:
            raise Refusal("trip-count", f"{loop.name} has no iteration", loop.header)
        return info.trip_count.exact

    def _body_loops(self, body: Block) -> None:
        for stmt in walk_statements(body):
            if isinstance(stmt, Loop) and self._trip(stmt) > self.whole:
                text = f"{stmt.name} is not alone in the loop around it"
                raise Refusal("imperfect", text, stmt.header)

    def _iterator(self, loop: Loop) -> str:
        variable = self.analysis.loops[loop.id].variable
        return self.program.variable(variable).name if variable is not None else loop.name

    def _all_loops(self) -> Iterator[Loop]:
        return (s for s in walk_statements(self.outer) if isinstance(s, Loop))

    # ------------------------------------------------------------------------------ operands

    def _raw(self) -> list[Access]:
        return [a for a in self.analysis.accesses if self.outer.id in a.loops]

    def _accesses(self) -> dict[int, list[Access]]:
        """Accesses to arrays from outside the nest, by variable."""
        own = {v for s in walk_statements(self.outer.body) if isinstance(s, Declare) for v in s.variables}
        found: dict[int, list[Access]] = {}
        for a in sorted(self._raw(), key=lambda a: a.order):
            variable = self.program.variable(a.array)
            if a.array not in own and not (variable.const and variable.storage in ("global", "static")):
                found.setdefault(a.array, []).append(a)
        return found

    def _operands(
        self, loops: Sequence[Loop], strides: Sequence[int], accesses: dict[int, list[Access]]
    ) -> tuple[tuple[Operand, ...], tuple[OperandWindow, ...]]:
        if not accesses:
            raise Refusal("no-array", "the nest uses no array", self.outer.at)
        pairs: list[tuple[Operand, OperandWindow]] = []
        for v, mine in accesses.items():
            variable = self.program.variable(v)
            groups = [mine] if any(a.kind == "write" for a in mine) else self._windows(loops, variable, mine)
            for number, group in enumerate(groups):
                operand, window = self._operand(loops, strides, variable, group)
                taken = {*(x.name for x, _ in pairs), *(self.program.variable(u).name for u in accesses)}
                name = operand.name if not number else next(
                    n for k in itertools.count(number + 1) if (n := f"{operand.name}_{k}") not in taken
                )  # fmt: skip
                self.owner |= {a.ref: len(pairs) for a in group}
                pairs.append((replace(operand, name=name), window))
        return tuple(o for o, _ in pairs), tuple(w for _, w in pairs)

    def _windows(self, loops: Sequence[Loop], variable: Variable, mine: list[Access]) -> list[list[Access]]:
        """Accesses to an array that is only read, apart where loops move them in different ways."""
        band = {self.analysis.loops[x.id].iterator for x in loops}
        found: dict[tuple[object, ...], list[Access]] = {}
        for a in mine:
            moved = tuple(tuple((n, c) for n, c in f.terms if n in band) for f in self._form(variable, a))
            found.setdefault(moved, []).append(a)
        return list(found.values())

    def _operand(
        self, loops: Sequence[Loop], strides: Sequence[int], variable: Variable, mine: list[Access]
    ) -> tuple[Operand, OperandWindow]:
        shape = variable.as_array
        if shape is None or not isinstance(shape.element, ScalarType):
            raise Refusal("element", f"elements of {variable.name} are no plain values", mine[0].at)
        band = {self.analysis.loops[x.id].iterator: k for k, x in enumerate(loops)}
        forms = [self._form(variable, a) for a in mine]
        dims, lows, ranges, exact = [], [], [], []
        for d in range(len(forms[0])):
            linear = {tuple((band[n], c) for n, c in f[d].terms if n in band) for f in forms}
            if len(linear) > 1:
                raise Refusal("window", f"{variable.name} is used through several windows", mine[0].at)
            terms = tuple(sorted((k, c * strides[k]) for k, c in next(iter(linear))))
            spans = [self._span(f[d], band, a) for f, a in zip(forms, mine, strict=True)]
            low, high = min(s[0] for s in spans), max(s[1] for s in spans)
            ends = [a.range[d] if a.range is not None else (None, None) for a in mine]
            if any(e is None for pair in ends for e in pair):
                raise Refusal("range", f"the range of {variable.name} is not known", mine[0].at)
            first, last = min(e[0] or 0 for e in ends), max(e[1] or 0 for e in ends)
            dims.append(Dim(terms, high - low + 1))
            lows.append(low)
            ranges.append((first, last))
            exact.append(high == low and len(terms) <= 1 and all(abs(c) == 1 for _, c in terms))
        written = any(a.kind == "write" for a in mine) or any(
            r.variable == variable.id for r in self.sums.stands_for.values()
        )
        certain = mine[0].kind == "write" and not mine[0].branch and mine[0].exact and all(exact)
        operand = Operand(variable.name, -(-shape.element.bits // 8), tuple(dims), not (written and certain), written)
        return operand, OperandWindow(variable, tuple(lows), tuple(ranges), tuple(exact))

    def _form(self, variable: Variable, access: Access) -> tuple[Affine, ...]:
        if not access.affine or access.index is None or any(f is None for f in access.index):
            why = access.reason or "an index that is no sum of iterators"
            raise Refusal("non-affine", f"{variable.name} is not affine here: {why}", access.at)
        known = {self.analysis.loops[x.id].iterator for x in self._all_loops()}
        forms = tuple(f for f in access.index if f is not None)
        for f in forms:
            for name in f.names:
                if name not in known:
                    raise Refusal("non-affine", f"the place in {variable.name} depends on {name}", access.at)
        return forms

    def _span(self, form: Affine, band: dict[str | None, int], access: Access) -> tuple[int, int]:
        """Least and greatest of an index without the loops of the band, from their first iterations on."""
        low = high = form.const
        for name, c in form.terms:
            loop = next(x for x in self._all_loops() if self.analysis.loops[x.id].iterator == name)
            info = self.analysis.loops[loop.id]
            start = info.lower.const if info.lower is not None else 0
            if name in band:
                low, high = low + c * start, high + c * start
                continue
            end = start + (info.step or 1) * (self._trip(loop) - 1)
            low += min(c * start, c * end)
            high += max(c * start, c * end)
        return low, high

    # ------------------------------------------------------------------------------ legality

    def _writes(self, loops: Sequence[Loop], operands: Sequence[Operand]) -> None:
        """Every written window is another one for every two iterations of the loops in its index."""
        at = self.outer.at
        if not any(o.written for o in operands):
            raise Refusal("no-write", "the nest writes no array", at)
        for o in operands:
            if not o.written:
                continue
            seen: set[int] = set()
            for dim in o.dims:
                for k, c in dim.terms:
                    if len(dim.terms) > 1 or k in seen or c < dim.width:
                        why = f"iterations of {loops[k].name} may meet in one element of {o.name}"
                        raise Refusal("dependence", why, at)
                    seen.add(k)

    def _order(self, operands: Sequence[Operand], windows: Sequence[OperandWindow]) -> tuple[bool, bool]:
        """Whether sums must keep their order, and whether they are sums at all."""
        ordered, sums = False, True
        inner = [s.expr for s in walk_statements(self._innermost()) if isinstance(s, ExprStmt)]
        for o, w in zip(operands, windows, strict=True):
            if not o.written:
                continue
            ids = {w.variable.id, *(v for v, ref in self.sums.stands_for.items() if ref.variable == w.variable.id)}
            uses, adds = 0, sum(added(e, ids, all(w.exact)) for e in inner)
            for root in statement_expressions(self.program, self._innermost()):
                uses += sum(1 for e in walk(root) if isinstance(e, Name | ArrayRef) and e.variable in ids)
            shape = w.variable.as_array
            whole_number = shape is not None and isinstance(shape.element, ScalarType) and shape.element.kind == "int"
            behind = any(
                isinstance(e, Name | ArrayRef) and e.variable in ids
                for _, s, last in self.kept
                if last and s not in self.sums.dropped
                for root in statement_expressions(self.program, s)
                for e in walk(root)
            )
            if uses != adds or behind:
                sums = False
            if uses != adds or behind or not whole_number:
                ordered = True
        return ordered, sums

    def _innermost(self) -> Block:
        loop: Loop = self.outer
        while True:
            inner = [s for s in loop.body.body if isinstance(s, Loop)]
            if len(inner) != 1:
                return loop.body
            loop = inner[0]

    def _scalars(self, loops: Sequence[Loop]) -> tuple[Variable, ...]:
        """Values that the body needs from outside."""
        own = {v for s in walk_statements(self.outer) if isinstance(s, Declare) for v in s.variables}
        own |= {c for x in self._all_loops() if (c := self.analysis.loops[x.id].variable) is not None}
        found: dict[int, Variable] = {}
        roots = [*(r for _, s, _ in self.kept for r in statement_expressions(self.program, s))]
        roots += statement_expressions(self.program, loops[-1].body)
        for root in roots:
            for e in walk(root):
                if isinstance(e, Name) and e.variable not in own and e.variable not in self.sums.stands_for:
                    v = self.program.variable(e.variable)
                    if v.function is not None and v.storage != "static":
                        if isinstance(v.type, PointerType | ArrayType) or v.reference:
                            raise Refusal("pointer", f"{v.name} is used as an address", e.at)
                        found[v.id] = v
        return tuple(found[k] for k in sorted(found))
