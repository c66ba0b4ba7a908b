"""The windows through which a nest uses its arrays.

Along each dimension a window moves with loops of the nest, or lies still and is as wide as what the nest uses. The
latter is always right, and what is done where iterations of a loop may meet in an element, where windows of a written
array meet, and where an index is no sum of iterators: loops that no other dimension has then carry the array, which
keeps its order along them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from msgspec.structs import replace

from hlspart.expand.region import Refusal
from hlspart.explore.box import LoopBox
from hlspart.explore.records import OperandWindow, boxes_meet, is_named
from hlspart.explore.sums import Sums, named_outside
from hlspart.model.access import Access, AccessAnalysis, Affine
from hlspart.model.exploring import Dim, Operand
from hlspart.model.program import (
    ArrayRef,
    Binary,
    Cast,
    Conditional,
    Const,
    Expr,
    Loop,
    Name,
    Program,
    ScalarType,
    Unary,
    Variable,
    walk,
    walk_statements,
)
from hlspart.semantics.effects import statement_expressions
from hlspart.sets.carried import share

_Pair = tuple[Operand, OperandWindow]
_PLAIN = Name | Const | ArrayRef | Binary | Unary | Cast | Conditional


class Windows:
    """Those of one nest. ``owner``: id of a reference -> number of its operand; once they are read."""

    def __init__(
        self, program: Program, analysis: AccessAnalysis, outer: Loop, around: Mapping[str, Loop],
        box: Callable[[Loop], LoopBox], sums: Sums, still: bool,
    ) -> None:  # fmt: skip
        """``still``: windows may lie still along dimensions."""
        self.program, self.analysis, self.outer, self.around, self._box = program, analysis, outer, around, box
        self.sums, self.still = sums, still
        self.owner: dict[int, int] = {}

    def read(
        self, loops: Sequence[Loop], accesses: Mapping[int, list[Access]]
    ) -> tuple[tuple[Operand, ...], tuple[OperandWindow, ...]]:
        """The operands and their windows. Raises :class:`Refusal`."""
        if not accesses:
            raise Refusal("no-array", "the nest uses no array", self.outer.at)
        pairs: list[_Pair] = []
        for v, mine in accesses.items():
            variable = self.program.variable(v)
            if not variable.name.isidentifier():
                raise Refusal("member", f"{variable.name} is part of an object", mine[0].at)
            own: list[tuple[_Pair, list[Access]]]
            try:
                own = self._moving(loops, variable, mine)
            except Refusal as refusal:
                if not self.still or refusal.code not in ("window", "dependence", "non-affine"):
                    raise
                own = [(self._still(loops, variable, mine, refusal), mine)]
            for number, ((operand, window), group) in enumerate(own):
                taken = {*(x.name for x, _ in pairs), *(self.program.variable(u).name for u in accesses)}
                name = operand.name if not number else next(
                    n for k in itertools.count(number + 1) if (n := f"{operand.name}_{k}") not in taken
                )  # fmt: skip
                self.owner |= {a.ref: len(pairs) for a in group}
                pairs.append((replace(operand, name=name), window))
        return tuple(o for o, _ in pairs), tuple(w for _, w in pairs)

    def forms(self, variable: Variable, access: Access, window: OperandWindow) -> tuple[Affine, ...]:
        """The indices of an access from where its window is, 0 where that lies still."""
        known = self._forms(variable, access)
        return tuple(
            Affine((), 0) if still or isinstance(f, Refusal) else self._apart(f)[0]
            for f, still in zip(known, window.still, strict=True)
        )

    def _moving(
        self, loops: Sequence[Loop], variable: Variable, mine: list[Access]
    ) -> list[tuple[_Pair, list[Access]]]:
        """Windows that move with the loops of all their dimensions."""
        own: list[tuple[_Pair, list[Access]]] = []
        trips = [self._box(x).trips for x in loops]
        for group in self._groups(loops, variable, mine):
            pair = self._operand(loops, variable, group)
            self._apart_in_time(loops, pair[0])
            if any(boxes_meet(trips, other, pair) for other, _ in own):
                why = f"{variable.name} is written through windows whose boxes meet"
                raise Refusal("window", why, group[0].at)
            own.append((pair, group))
        return own

    def _still(self, loops: Sequence[Loop], variable: Variable, mine: list[Access], refusal: Refusal) -> _Pair:
        """One window for all accesses, which lies still along the dimensions that ask for it."""
        self._movable(variable, mine, refusal)
        forms = [self._forms(variable, a) for a in mine]
        still: set[int] = set()
        for d in range(len(forms[0])):
            known = [f[d] for f in forms]
            plain = [f for f in known if isinstance(f, Affine)]
            moved = {self._moved_by(loops, f) for f in plain}
            if len(plain) < len(known) or len(moved) > 1:
                still.add(d)
        operand, _ = pair = self._operand(loops, variable, mine, still)
        if not operand.written:
            return pair
        seen: set[int] = set()
        for d, dim in enumerate(operand.dims):
            if len(dim.terms) > 1 or any(k in seen or abs(c) < dim.width for k, c in dim.terms):
                still.add(d)
            else:
                seen |= {k for k, _ in dim.terms}
        return self._operand(loops, variable, mine, still)

    def _movable(self, variable: Variable, mine: Sequence[Access], refusal: Refusal) -> None:
        """Raise what kept a window from moving unless the indices can be written elsewhere as they are."""
        refs = {a.ref for a in mine}
        if refs & {r.id for r in self.sums.stands_for.values()}:
            raise refusal
        for root in statement_expressions(self.program, self.outer):
            for e in walk(root):
                if not isinstance(e, ArrayRef) or e.id not in refs:
                    continue
                if len(e.brackets) != len(e.indices) or not all(b.editable for b in e.brackets):
                    raise refusal
                if not is_named(self.program, e, variable):  # its subscripts count from elsewhere
                    raise refusal
                for part in (p for index in e.indices for p in walk(index)):
                    if not isinstance(part, _PLAIN) or _changes(part):
                        raise refusal

    def _moved_by(self, loops: Sequence[Loop], form: Affine) -> tuple[tuple[str, int], ...]:
        band = {self.analysis.loops[x.id].iterator for x in loops}.union(self.around)
        return tuple((n, c) for n, c in form.terms if n in band)

    def _groups(self, loops: Sequence[Loop], variable: Variable, mine: list[Access]) -> list[list[Access]]:
        """Accesses to an array, apart where loops move them in different ways.

        Those of a window that is written have it to themselves: no other one meets it while the nest runs.
        """
        windows: dict[tuple[object, ...], list[Access]] = {}
        for a in mine:
            moved = tuple(self._moved_by(loops, f) for f in self._form(variable, a))
            windows.setdefault(moved, []).append(a)
        groups = list(windows.values())
        outer = len(self.around)
        for group in groups:
            for write in (a for a in group if a.kind == "write"):
                for other in (a for g in groups if g is not group for a in g):
                    ends = [(a.domain, a.map) for a in (write, other) if a.map is not None]
                    if len(ends) < 2 or share((ends[0][0], ends[0][1]), (ends[1][0], ends[1][1]), outer):
                        why = f"{variable.name} is used through several windows, which meet"
                        raise Refusal("window", why, other.at)
        return groups

    def _operand(
        self, loops: Sequence[Loop], variable: Variable, mine: list[Access], still: Collection[int] = ()
    ) -> _Pair:
        """The operand of some accesses; ``still``: dimensions along which its window lies still."""
        shape = variable.as_array
        if shape is None or not isinstance(shape.element, ScalarType):
            raise Refusal("element", f"elements of {variable.name} are no plain values", mine[0].at)
        band = {self.analysis.loops[x.id].iterator: k for k, x in enumerate(loops)}
        strides = [self._box(x).stride for x in loops]
        known = [self._forms(variable, a) if still else self._form(variable, a) for a in mine]
        parts = [[self._apart(f) if isinstance(f, Affine) else (Affine((), 0), ()) for f in p] for p in known]
        forms, moves = [[f for f, _ in p] for p in parts], [[m for _, m in p] for p in parts]
        dims, lows, ranges, exact = [], [], [], []
        for d in range(len(forms[0])):
            if d in still:
                first, last = self._reach(variable, mine, d)
                dims.append(Dim((), last - first + 1))
                lows.append(first)
                ranges.append((first, last))
                exact.append(False)
                continue
            linear = {
                (tuple((band[n], c) for n, c in f[d].terms if n in band), m[d]): a.at
                for f, m, a in zip(forms, moves, mine, strict=True)
            }
            if len(linear) > 1:
                raise Refusal("window", f"{variable.name} is used through several windows", list(linear.values())[1])
            terms = tuple(sorted((k, c * strides[k]) for k, c in next(iter(linear))[0]))
            spans = [self._span(f[d], band, a) for f, a in zip(forms, mine, strict=True)]
            low, high = min(s[0] for s in spans), max(s[1] for s in spans)
            dims.append(Dim(terms, high - low + 1))
            lows.append(low)
            ranges.append(self._reach(variable, mine, d))
            exact.append(high == low and len(terms) <= 1 and all(abs(c) == 1 for _, c in terms))
        written = any(a.kind == "write" for a in mine) or any(
            r.variable == variable.id for r in self.sums.stands_for.values()
        )
        sometimes = any(self._box(x).varies for x in self._all_loops() if x.id in mine[0].loops)
        certain = mine[0].kind == "write" and not (mine[0].branch or sometimes) and mine[0].exact and all(exact)
        own = {k for dim in dims for k, _ in dim.terms}  # all loops: no tile leaves unfinished
        passing = variable.storage == "local" and written and certain and len(own) == len(loops)
        live = not passing or bool(named_outside(self.program, self.sums.function, self.outer, variable))
        operand = Operand(
            variable.name, -(-shape.element.bits // 8), tuple(dims), not (written and certain), written, live=live
        )
        moved = tuple(() if d in still else terms for d, terms in enumerate(moves[0]))
        shifts = tuple(self._shift(terms) for terms in moved)
        flags = tuple(d in still for d in range(len(moved)))
        return operand, OperandWindow(variable, tuple(lows), tuple(ranges), tuple(exact), moved, shifts, flags)

    def _reach(self, variable: Variable, mine: Sequence[Access], d: int) -> tuple[int, int]:
        """The least and the greatest index along a dimension.

        Of what only some data reach, as far as the array goes: that they do does not say that it is larger.
        """
        extent = variable.as_array.dims[d] if variable.as_array is not None else None
        least, most = [], []
        sure = [a.range[d] for a in mine if a.affine and a.exact and a.range is not None]
        for access in mine:
            first, last = access.range[d] if access.affine and access.range is not None else (None, None)
            if access.exact and first is not None and last is not None:
                least.append(first)
                most.append(last)
            elif extent is not None:
                least.append(max(0, 0 if first is None else first))
                most.append(min(extent - 1, extent - 1 if last is None else last))
            elif not any(
                f is not None and t is not None and first is not None and last is not None and f <= first and last <= t
                for f, t in sure
            ):
                raise Refusal("range", f"the range of {variable.name} is not known", access.at)
        if min(least, default=0) > max(most, default=-1):
            raise Refusal("range", f"the range of {variable.name} is not known", mine[0].at)
        return min(least), max(most)

    def _apart_in_time(self, loops: Sequence[Loop], operand: Operand) -> None:
        """A written window is another one for every two iterations of the loops in its index."""
        seen: set[int] = set()
        for k, c, dim in ((k, c, d) for d in operand.dims if operand.written for k, c in d.terms):
            if len(dim.terms) > 1 or k in seen or abs(c) < dim.width:
                why = f"iterations of {loops[k].name} may meet in one element of {operand.name}"
                raise Refusal("dependence", why, self.outer.at)
            seen.add(k)

    def _shift(self, terms: Sequence[tuple[str, int]]) -> tuple[int, int]:
        """The least and the most that iterators of loops around the nest come to, whether it has iterations or not."""
        low = high = 0
        for name, c in terms:
            info = self.analysis.loops[self.around[name].id]
            start = info.lower or Affine((), 0)
            first, last = self._shift([t for t in start.terms if t[0] in self.around])
            more = (info.step or 1) * ((info.trip_count.exact or 1) - 1)
            ends = [c * (start.const + end) for end in (first + min(0, more), last + max(0, more))]
            low, high = low + min(ends), high + max(ends)
        return low, high

    def _form(self, variable: Variable, access: Access) -> tuple[Affine, ...]:
        """The indices of an access, each a sum of iterators. Raises :class:`Refusal`."""
        forms = []
        for form in self._forms(variable, access):
            if isinstance(form, Refusal):
                raise form
            forms.append(form)
        return tuple(forms)

    def _forms(self, variable: Variable, access: Access) -> tuple[Affine | Refusal, ...]:
        """The same, with what keeps one from being a sum of iterators in its place."""
        why = f"{variable.name} is not affine here: {access.reason or 'an index that is no sum of iterators'}"
        refusal = Refusal("non-affine", why, access.at)
        rank = len(variable.as_array.dims) if variable.as_array is not None else 0
        indices = access.index if access.affine and access.index is not None else (None,) * rank
        known = {*self.around, *(self.analysis.loops[x.id].iterator for x in self._all_loops())}
        forms: list[Affine | Refusal] = []
        for form in indices:
            if form is None:
                forms.append(refusal)
                continue
            for loop in reversed(list(self._all_loops())):  # inner ones first, which begin at outer ones
                base, own = self._box(loop).base, str(self.analysis.loops[loop.id].iterator)
                if base is not None:
                    form += Affine(base.terms, 0).scaled(form.coefficient(own))
            other = next((n for n in form.names if n not in known), None)
            why = f"the place in {variable.name} depends on {other}"
            forms.append(form if other is None else Refusal("non-affine", why, access.at))
        return tuple(forms)

    def _apart(self, form: Affine) -> tuple[Affine, tuple[tuple[str, int], ...]]:
        """An index without iterators of the loops around, and their part of it."""
        moved = tuple(t for t in form.terms if t[0] in self.around)
        return Affine(tuple(t for t in form.terms if t not in moved), form.const), moved

    def _span(self, form: Affine, band: dict[str | None, int], access: Access) -> tuple[int, int]:
        """Least and greatest of an index without the loops of the band, from their first iterations on."""
        low = high = form.const
        for name, c in form.terms:
            loop = next(x for x in self._all_loops() if self.analysis.loops[x.id].iterator == name)
            of = self._box(loop)
            start, end = of.start, of.last
            if name in band:
                low, high = low + c * start, high + c * start
                continue
            low += min(c * start, c * end)
            high += max(c * start, c * end)
        return low, high

    def _all_loops(self) -> Iterator[Loop]:
        return (s for s in walk_statements(self.outer) if isinstance(s, Loop))


def _changes(expr: Expr) -> bool:
    return isinstance(expr, Unary) and expr.op in ("++", "--", "&", "*")
