"""Nests of a function as the search sees them: loops with constant bounds, operands as affine windows.

A nest may be taken tile by tile, its tiles in any order and on several elements, where every array that it writes is
written and read through one window that differs for any two iterations of the loops in its index: then nothing is
carried from one such iteration to another, and the loops that are not in the index carry sums, whose order is kept.
Statements before and behind an inner loop run in its first and last iteration. What cannot be taken as a whole is
taken from the inside: the nests in the body of a loop, each of them once in every iteration of that loop.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from hlspart.expand.region import Refusal, build
from hlspart.expand.texts import Texts
from hlspart.explore.box import LoopBox, bounds_named, box
from hlspart.explore.records import KeptNest, OperandWindow, ReadNest, When, boxes_meet
from hlspart.explore.requests import outer_loops
from hlspart.explore.sums import Sums
from hlspart.model.access import Access, AccessAnalysis, Affine
from hlspart.model.exploring import Dim, Operand, TiledNest
from hlspart.model.program import (
    ArrayRef,
    ArrayType,
    Binary,
    Block,
    Call,
    Declare,
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
from hlspart.sets.carried import share


def nests(program: Program, analysis: AccessAnalysis, function: Function, whole: int) -> list[ReadNest | KeptNest]:
    """The nests of a function, in the order of the text; ``whole``: loops of so few iterations stay so.

    They are the outermost loops, or what stands in the body of one that is no nest itself.
    """

    def read(loop: Loop, around: tuple[Loop, ...]) -> list[ReadNest | KeptNest]:
        try:
            return [_Reader(program, analysis, function, loop, whole, around).read()]
        except Refusal as refusal:
            kept = KeptNest(loop, str(refusal), refusal, around)
        if not _repeats(program, analysis, loop):
            return [kept]
        inside = [n for inner in outer_loops(loop.body) for n in read(inner, (*around, loop))]
        several = kept.refusal.code == "imperfect"  # which says nothing of what is inside
        return inside if several or any(isinstance(n, ReadNest) for n in inside) else [kept]

    return [n for loop in outer_loops(function.body) for n in read(loop, ())]


#: Directives by which the body of a loop is no longer run once after the other.
_TOGETHER = ("pipeline", "unroll", "dataflow", "loop_flatten", "loop_merge")


def _repeats(program: Program, analysis: AccessAnalysis, loop: Loop) -> bool:
    """Whether the nests in a loop's body run one after the other, a known number of times."""
    info = analysis.loops[loop.id]
    together = any(d.loop == loop.id and d.kind in _TOGETHER for d in program.directives)
    return bool(info.trip_count.exact) and info.iterator is not None and not together


class _Reader:
    def __init__(
        self, program: Program, analysis: AccessAnalysis, function: Function, outer: Loop, whole: int,
        around: tuple[Loop, ...],
    ) -> None:  # fmt: skip
        self.program, self.analysis, self.function, self.outer, self.whole = program, analysis, function, outer, whole
        self.around = {str(analysis.loops[x.id].iterator): x for x in around}
        self.boxes: dict[int, LoopBox] = {}  # by loop
        self.kept: list[tuple[int, Stmt, bool]] = []
        self.owner: dict[int, int] = {}

    def read(self) -> ReadNest:
        if not self.outer.at.editable or self.outer.at.span.path not in self.program.given:
            raise Refusal("macro", "the nest stands in a macro or a header", self.outer.at)
        build(self.program, self.analysis, self.function.name, (self.outer.id,))  # raises for what may not move
        band = self._band()
        trips = [self._box(loop).trips for loop in band]
        tail = len(band)
        while tail > 1 and trips[tail - 1] <= self.whole:
            tail -= 1
        self.kept = [k for k in self.kept if k[0] < tail - 1]  # the others are in the body
        loops, body = band[:tail], band[tail - 1].body
        self._body_loops(body)
        boxes = tuple(self._box(x) for x in loops)
        strides = tuple(b.stride for b in boxes)
        counts = frozenset(self.analysis.loops[x.id].variable for x in self._all_loops())
        self.sums = Sums(self.program, self.function, self.outer, self._raw(), self.kept)
        self.sums.read(body, counts)
        accesses = self._accesses()
        operands, windows = self._operands(loops, strides, accesses)
        self._writes(loops, operands)
        ordered, sums = self.sums.order(operands, windows, self.owner)
        nest = TiledNest(
            self.outer.name,
            tuple((self._iterator(x), n) for x, n in zip(loops, trips, strict=False)),
            operands,
            whole=frozenset(k for k in range(tail) if trips[k] <= self.whole),
            ordered=ordered,
            sums=sums,
            function=self.function.name,
            line=self.program.line(self.outer.at),
            repeats=math.prod(self.analysis.loops[x.id].trip_count.exact or 1 for x in self.around.values()),
        )
        kept: tuple[tuple[int, Stmt, When], ...] = tuple(
            (level, s, "every" if s in self.sums.constant else "last" if behind else "first")
            for level, s, behind in self.kept
            if s not in self.sums.dropped
        )
        self._worked_out(kept, boxes)
        forms = {
            a.ref: tuple(self._apart(f)[0] for f in self._form(self.program.variable(a.array), a))
            for mine in accesses.values() for a in mine
        }  # fmt: skip
        moving = {n for w in windows for d in w.moved for n, _ in d}
        moved = {n: v for n, x in self.around.items() if n in moving and (v := self._counter(x)) is not None}
        names = {str(self.analysis.loops[x.id].iterator): self._from_base(x) for x in self._all_loops()}
        counters = {str(self.analysis.loops[x.id].iterator): k for k, x in enumerate(loops)}
        return ReadNest(
            nest, self.function, tuple(self.around.values()), tuple(loops), boxes, kept, body, windows,
            self._scalars(loops), self.sums.stands_for, tuple(self.sums.dropped), forms, self.owner, counters, names,
            moved, self._lost(loops, boxes),
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

    def _box(self, loop: Loop) -> LoopBox:
        if loop.id not in self.boxes:
            self.boxes[loop.id] = box(self.program, self.analysis, loop, self._raw())
        return self.boxes[loop.id]

    def _counter(self, loop: Loop) -> Variable | None:
        variable = self.analysis.loops[loop.id].variable
        return None if variable is None else self.program.variable(variable)

    def _worked_out(self, kept: Sequence[tuple[int, Stmt, When]], boxes: Sequence[LoopBox]) -> None:
        """Raise where a value is worked out anew in iterations that do not exist, and could not be there."""
        varying = [k for k, b in enumerate(boxes) if b.varies]
        for level, s, when in kept:
            nodes = (e for r in statement_expressions(self.program, s) for e in walk(r))
            if when == "every" and varying and level >= varying[0] and any(
                isinstance(e, ArrayRef | Call) or (isinstance(e, Binary) and e.op in ("/", "%")) for e in nodes
            ):  # fmt: skip
                raise Refusal("scalar", f"a value is worked out where {self.outer.name} has bounds that vary", s.at)

    def _lost(self, loops: Sequence[Loop], boxes: Sequence[LoopBox]) -> frozenset[int]:
        """Counters from outside of the nest that no text reads but in loops that they count."""
        texts, lost = Texts(self.program, self.function.body), set()
        for loop, of in zip(loops, boxes, strict=True):
            counter = self._counter(loop)
            if counter is None or isinstance(loop.init, Declare):
                continue
            if not texts.read_outside_loops(self.analysis, counter.id):
                lost.add(counter.id)
            elif of.varies or of.base is not None:
                why = f"the last value of {counter.name} is read behind the nest, and its bounds vary"
                raise Refusal("trip-count", why, loop.header)
        return frozenset(lost)

    def _body_loops(self, body: Block) -> None:
        for stmt in walk_statements(body):
            if isinstance(stmt, Loop) and self._box(stmt).trips > self.whole:
                text = f"{stmt.name} is not alone in the loop around it"
                raise Refusal("imperfect", text, stmt.header)

    def _iterator(self, loop: Loop) -> str:
        variable = self.analysis.loops[loop.id].variable
        return self.program.variable(variable).name if variable is not None else loop.name

    def _from_base(self, loop: Loop) -> str:
        """What the iterator of a loop is from its base on."""
        base = self._box(loop).base
        return self._iterator(loop) if base is None else f"({self._iterator(loop)} - ({base.text}))"

    def _apart(self, form: Affine) -> tuple[Affine, tuple[tuple[str, int], ...]]:
        """An index without iterators of the loops around, and their part of it."""
        moved = tuple(t for t in form.terms if t[0] in self.around)
        return Affine(tuple(t for t in form.terms if t not in moved), form.const), moved

    def _all_loops(self) -> Iterator[Loop]:
        return (s for s in walk_statements(self.outer) if isinstance(s, Loop))

    # ------------------------------------------------------------------------------ operands

    def _raw(self) -> list[Access]:
        return [a for a in self.analysis.accesses if self.outer.id in a.loops]

    def _accesses(self) -> dict[int, list[Access]]:
        """Accesses to arrays from outside the nest, by variable."""
        own = {v for s in walk_statements(self.outer.body) if isinstance(s, Declare) for v in s.variables}
        accesses: dict[int, list[Access]] = {}
        for a in sorted(self._raw(), key=lambda a: a.order):
            variable = self.program.variable(a.array)
            if a.array not in own and not (variable.const and variable.storage in ("global", "static")):
                accesses.setdefault(a.array, []).append(a)
        return accesses

    def _operands(
        self, loops: Sequence[Loop], strides: Sequence[int], accesses: dict[int, list[Access]]
    ) -> tuple[tuple[Operand, ...], tuple[OperandWindow, ...]]:
        if not accesses:
            raise Refusal("no-array", "the nest uses no array", self.outer.at)
        pairs: list[tuple[Operand, OperandWindow]] = []
        for v, mine in accesses.items():
            variable = self.program.variable(v)
            groups = self._windows(loops, variable, mine)
            for number, group in enumerate(groups):
                operand, window = self._operand(loops, strides, variable, group)
                taken = {*(x.name for x, _ in pairs), *(self.program.variable(u).name for u in accesses)}
                name = operand.name if not number else next(
                    n for k in itertools.count(number + 1) if (n := f"{operand.name}_{k}") not in taken
                )  # fmt: skip
                self.owner |= {a.ref: len(pairs) for a in group}
                trips = [self._box(x).trips for x in loops]
                if any(w.variable is variable and boxes_meet(trips, (x, w), (operand, window)) for x, w in pairs):
                    why = f"{variable.name} is written through windows whose boxes meet"
                    raise Refusal("window", why, group[0].at)
                pairs.append((replace(operand, name=name), window))
        return tuple(o for o, _ in pairs), tuple(w for _, w in pairs)

    def _windows(self, loops: Sequence[Loop], variable: Variable, mine: list[Access]) -> list[list[Access]]:
        """Accesses to an array, apart where loops move them in different ways.

        Those of a window that is written have it to themselves: no other one meets it while the nest runs.
        """
        band = {self.analysis.loops[x.id].iterator for x in loops}
        windows: dict[tuple[object, ...], list[Access]] = {}
        for a in mine:
            outside = band.union(self.around)
            moved = tuple(tuple((n, c) for n, c in f.terms if n in outside) for f in self._form(variable, a))
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
        self, loops: Sequence[Loop], strides: Sequence[int], variable: Variable, mine: list[Access]
    ) -> tuple[Operand, OperandWindow]:
        shape = variable.as_array
        if shape is None or not isinstance(shape.element, ScalarType):
            raise Refusal("element", f"elements of {variable.name} are no plain values", mine[0].at)
        band = {self.analysis.loops[x.id].iterator: k for k, x in enumerate(loops)}
        parts = [[self._apart(f) for f in self._form(variable, a)] for a in mine]
        forms, moves = [[f for f, _ in p] for p in parts], [[m for _, m in p] for p in parts]
        dims, lows, ranges, exact = [], [], [], []
        for d in range(len(forms[0])):
            linear = {
                (tuple((band[n], c) for n, c in f[d].terms if n in band), m[d]): a.at
                for f, m, a in zip(forms, moves, mine, strict=True)
            }
            if len(linear) > 1:
                raise Refusal("window", f"{variable.name} is used through several windows", list(linear.values())[1])
            terms = tuple(sorted((k, c * strides[k]) for k, c in next(iter(linear))[0]))
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
        sometimes = any(self._box(x).varies for x in self._all_loops() if x.id in mine[0].loops)
        certain = mine[0].kind == "write" and not (mine[0].branch or sometimes) and mine[0].exact and all(exact)
        own = {k for dim in dims for k, _ in dim.terms}  # all loops: no tile leaves unfinished
        passing = variable.storage == "local" and written and certain and len(own) == len(loops)
        live = not passing or self.sums.named_outside(variable)
        operand = Operand(
            variable.name, -(-shape.element.bits // 8), tuple(dims), not (written and certain), written, live=live
        )
        shifts = tuple(self._shift(terms) for terms in moves[0])
        return operand, OperandWindow(variable, tuple(lows), tuple(ranges), tuple(exact), tuple(moves[0]), shifts)

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
        if not access.affine or access.index is None or any(f is None for f in access.index):
            why = access.reason or "an index that is no sum of iterators"
            raise Refusal("non-affine", f"{variable.name} is not affine here: {why}", access.at)
        known = {*self.around, *(self.analysis.loops[x.id].iterator for x in self._all_loops())}
        forms = tuple(f for f in access.index if f is not None)
        for loop in reversed(list(self._all_loops())):  # inner ones first, which begin at outer ones
            base, own = self._box(loop).base, str(self.analysis.loops[loop.id].iterator)
            if base is not None:
                forms = tuple(f + Affine(base.terms, 0).scaled(f.coefficient(own)) for f in forms)
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
            of = self._box(loop)
            start, end = of.start, of.last
            if name in band:
                low, high = low + c * start, high + c * start
                continue
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

    def _scalars(self, loops: Sequence[Loop]) -> tuple[Variable, ...]:
        """Values that the body needs from outside."""
        own = {v for s in walk_statements(self.outer) if isinstance(s, Declare) for v in s.variables}
        own |= {c for x in self._all_loops() if (c := self.analysis.loops[x.id].variable) is not None}
        scalars: dict[int, Variable] = {}
        roots = [*(r for _, s, _ in self.kept for r in statement_expressions(self.program, s))]
        roots += statement_expressions(self.program, loops[-1].body)
        for root in roots:
            for e in walk(root):
                if isinstance(e, Name) and e.variable not in own and e.variable not in self.sums.stands_for:
                    v = self.program.variable(e.variable)
                    if v.function is not None and v.storage != "static":
                        if isinstance(v.type, PointerType | ArrayType) or v.reference:
                            raise Refusal("pointer", f"{v.name} is used as an address", e.at)
                        scalars[v.id] = v
        bounds = map(self.program.variable, bounds_named([self._box(x) for x in self._all_loops()]) - own)
        scalars |= {v.id: v for v in bounds if v.function is not None and v.storage != "static"}
        return tuple(scalars[k] for k in sorted(scalars))
