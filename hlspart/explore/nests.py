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
from collections.abc import Collection, Iterator, Sequence

from hlspart.expand.accesses import Accesses
from hlspart.expand.region import Refusal, Region, build
from hlspart.expand.texts import Texts
from hlspart.explore.box import LoopBox, bounds_named, box
from hlspart.explore.records import KeptNest, OperandWindow, ReadNest, When
from hlspart.explore.requests import outer_loops
from hlspart.explore.sums import Sums
from hlspart.explore.windows import Windows
from hlspart.model.access import Access, AccessAnalysis
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
    Stmt,
    Variable,
    walk,
    walk_statements,
)
from hlspart.semantics.effects import statement_expressions
from hlspart.semantics.folding import bits


def nests(program: Program, analysis: AccessAnalysis, function: Function, whole: int) -> list[ReadNest | KeptNest]:
    """The nests of a function, in the order of the text; ``whole``: loops of so few iterations stay so.

    They are the outermost loops, or what stands in the body of one that is no nest itself.
    """

    def alone(loop: Loop, around: tuple[Loop, ...], still: bool) -> ReadNest | KeptNest:
        try:
            return _Reader(program, analysis, function, loop, whole, around, still).read()
        except Refusal as refusal:
            return KeptNest(loop, str(refusal), refusal, function, around)

    def read(loop: Loop, around: tuple[Loop, ...]) -> list[ReadNest | KeptNest]:
        one = alone(loop, around, False)
        if isinstance(one, ReadNest):
            return [one]
        several = one.refusal.code == "imperfect"  # which says nothing of what is inside
        inside_runs = repeats(program, analysis, loop)
        inside = [n for inner in outer_loops(loop.body) for n in read(inner, (*around, loop))] if inside_runs else []
        most = max((_free(n.nest) for n in inside if isinstance(n, ReadNest)), default=0)
        if not several:
            # where windows lie still arrays stay on the chip; in each iteration of a loop around they would move
            still = alone(loop, around, True)
            if isinstance(still, ReadNest) and _free(still.nest) >= max(most, 1 if around else 0):
                instead[still.loops[0].id] = one
                return [still]
        return inside if inside and (several or any(isinstance(n, ReadNest) for n in inside)) else [one]

    instead: dict[int, KeptNest] = {}
    done = [n for loop in outer_loops(function.body) for n in read(loop, ())]
    if not any(isinstance(n, ReadNest) and _free(n.nest) for n in done):
        return done
    # beside others, one that only brings whole arrays would take the memory of those that gain by it
    return [instead.get(n.loops[0].id, n) if isinstance(n, ReadNest) and not _free(n.nest) else n for n in done]


def _free(nest: TiledNest) -> int:
    """Loops along which several elements may share the work."""
    own = nest.reductions if nest.ordered and not nest.sums else frozenset()
    return sum(n > 1 for k, n in enumerate(nest.extents) if k not in own | nest.whole)


#: Directives by which the body of a loop is no longer run once after the other.
_TOGETHER = ("pipeline", "unroll", "dataflow", "loop_flatten", "loop_merge")


def repeats(program: Program, analysis: AccessAnalysis, loop: Loop) -> bool:
    """Whether the nests in a loop's body run one after the other, a known number of times."""
    info = analysis.loops[loop.id]
    together = any(d.loop == loop.id and d.kind in _TOGETHER for d in program.directives)
    return bool(info.trip_count.exact) and info.iterator is not None and not together


class _Reader:
    def __init__(
        self, program: Program, analysis: AccessAnalysis, function: Function, outer: Loop, whole: int,
        around: tuple[Loop, ...], still: bool,
    ) -> None:  # fmt: skip
        self.still = still
        self.program, self.analysis, self.function, self.outer, self.whole = program, analysis, function, outer, whole
        self.around = {str(analysis.loops[x.id].iterator): x for x in around}
        self.boxes: dict[int, LoopBox] = {}  # by loop
        self.kept: list[tuple[int, Stmt, bool]] = []

    def read(self) -> ReadNest:
        if not self.outer.at.editable or self.outer.at.span.path not in self.program.given:
            raise Refusal("macro", "the nest stands in a macro or a header", self.outer.at)
        region = build(
            self.program, self.analysis, self.function.name, (self.outer.id,)
        )  # raises for what may not move
        band = self._band()
        trips = [self._box(loop).trips for loop in band]
        tail = len(band)
        while tail > 1 and trips[tail - 1] <= self.whole:
            tail -= 1
        self.kept = [k for k in self.kept if k[0] < tail - 1]  # the others are in the body
        loops, body = band[:tail], band[tail - 1].body
        self._body_loops(body)
        boxes = tuple(self._box(x) for x in loops)
        self.sums = self._sums(region, body, tail)
        accesses = self._accesses()
        reader = Windows(self.program, self.analysis, self.outer, self.around, self._box, self.sums, self.still)
        operands, windows = reader.read(loops, accesses)
        private = self._private(operands)
        operands += tuple(o for o, _ in private.values())
        windows += tuple(w for _, w in private.values())
        if not any(o.written and (o.loops or not o.private) for o in operands) and not self.still:
            raise Refusal("no-write", "the nest writes no array", self.outer.at)
        ordered, sums = self.sums.order(operands, windows, reader.owner)
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
        pointers = self._pointers(reader.owner)
        kept: tuple[tuple[int, Stmt, When], ...] = tuple(
            (level, s, "every" if s in self.sums.constant else "last" if behind else "first")
            for level, s, behind in self.kept
            if s not in self.sums.dropped and s not in pointers
        )
        self._worked_out(kept, boxes)
        forms = {
            a.ref: reader.forms(self.program.variable(a.array), a, windows[reader.owner[a.ref]])
            for mine in accesses.values() for a in mine
        }  # fmt: skip
        moving = {n for w in windows for d in w.moved for n, _ in d}
        moved = {n: v for n, x in self.around.items() if n in moving and (v := self._counter(x)) is not None}
        numbers = {v: operands.index(private[v][0]) if v in private else None for v in self.sums.private}
        names = {str(self.analysis.loops[x.id].iterator): self._from_base(x) for x in self._all_loops()}
        counters = {str(self.analysis.loops[x.id].iterator): k for k, x in enumerate(loops)}
        return ReadNest(
            nest, self.function, tuple(self.around.values()), tuple(loops), boxes, kept, body, windows,
            self._scalars(loops), self.sums.stands_for, numbers, tuple(self.sums.dropped), forms, reader.owner,
            counters, names, moved, self._lost(loops, boxes), pointers=pointers,
        )  # fmt: skip

    def _sums(self, region: Region, body: Block, loops: int) -> Sums:
        """What scalars are, in ``loops`` loops around a body."""
        counts = frozenset(self.analysis.loops[x.id].variable for x in self._all_loops())
        lives_on = Accesses(region, self.function.name).is_live
        sums = Sums(self.program, self.function, self.outer, self._raw(), self.kept, lives_on, self.still)
        sums.read(body, loops, counts)
        for given in bounds_named([self._box(x) for x in self._all_loops()]).intersection(
            (*sums.private, *sums.stands_for)
        ):
            why = f"{self.program.variable(given).name} is given in the nest, and bounds of its loops name it"
            raise Refusal("scalar", why, self.outer.at)
        return sums

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
            if not texts.is_read_outside_loops(self.analysis, counter.id):
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

    def _all_loops(self) -> Iterator[Loop]:
        return (s for s in walk_statements(self.outer) if isinstance(s, Loop))

    def _from_base(self, loop: Loop) -> str:
        """What the iterator of a loop is from its base on."""
        base = self._box(loop).base
        return self._iterator(loop) if base is None else f"({self._iterator(loop)} - ({base.text}))"

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

    def _pointers(self, owner: Collection[int]) -> tuple[Declare, ...]:
        """Declarations in the nest of pointers to operands, whose elements have words of buffers in their place."""
        uses, done = Texts(self.program, self.outer).uses, []
        for stmt in (s for s in walk_statements(self.outer) if isinstance(s, Declare)):
            leads = [
                isinstance(self.program.variable(v).type, PointerType)
                and any(isinstance(u, ArrayRef) and u.id in owner for u in uses.get(v, ()))
                for v in stmt.variables
            ]
            if any(leads):
                if not all(leads) or any(
                    isinstance(u, Name) or u.id not in owner for v in stmt.variables for u in uses.get(v, ())
                ):
                    raise Refusal("pointer", "a declaration has pointers to an array of the nest, and more", stmt.at)
                done.append(stmt)
        return tuple(done)

    def _private(self, others: Sequence[Operand]) -> dict[int, tuple[Operand, OperandWindow]]:
        """Operands for scalars that iterations of outer loops give a first value, one element for each; one for one
        that the nest carries."""
        operands = {}
        taken = {o.name for o in others}
        for v, level in self.sums.private.items():
            variable = self.program.variable(v)
            if level < self.sums.loops:
                name = next(n for k in itertools.count() if (n := f"{variable.name}{'_' * k}") not in taken)
                taken.add(name)
                dims = tuple(Dim(((k, 1),), 1) for k in range(level)) or (Dim((), 1),)
                size, rank = max(1, -(-bits(variable.type) // 8)), len(dims)
                ends = ((0, 0),) * rank
                none, exact = ((),) * rank, (True,) * rank
                window = OperandWindow(variable, (0,) * rank, ends, exact, none, ends, (False,) * rank)
                operands[v] = Operand(name, size, dims, False, True, live=False, private=True), window
        return operands

    # ------------------------------------------------------------------------------ legality

    def _scalars(self, loops: Sequence[Loop]) -> tuple[Variable, ...]:
        """Values that the body needs from outside."""
        own = {v for s in walk_statements(self.outer) if isinstance(s, Declare) for v in s.variables}
        own |= {c for x in self._all_loops() if (c := self.analysis.loops[x.id].variable) is not None}
        known = {*own, *self.sums.stands_for, *self.sums.private}
        scalars: dict[int, Variable] = {}
        roots = [*(r for _, s, _ in self.kept for r in statement_expressions(self.program, s))]
        roots += statement_expressions(self.program, loops[-1].body)
        for root in roots:
            for e in walk(root):
                if isinstance(e, Name) and e.variable not in known:
                    v = self.program.variable(e.variable)
                    if v.function is not None:
                        if isinstance(v.type, PointerType | ArrayType) or v.reference:
                            raise Refusal("pointer", f"{v.name} is used as an address", e.at)
                        scalars[v.id] = v
        bounds = map(self.program.variable, bounds_named([self._box(x) for x in self._all_loops()]) - own)
        scalars |= {v.id: v for v in bounds if v.function is not None}
        return tuple(scalars[k] for k in sorted(scalars))
