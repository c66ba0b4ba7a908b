"""Sliding windows: reads of one array that a nest of loops moves over it, all by the same steps.

Dimension d of a window is that of loop d of the nest; behind these come planes, dimensions of the array that only loops
inside the nest run over, such as channels of an image. The reads of a window differ by offsets alone: in iteration t
a read with the offset g touches the point ``scale * t + g``, one number a loop, and the template of the window says
which element a point is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from hlspart.banking.accesses import MOST_HELD
from hlspart.expand.purity import impure
from hlspart.expand.region import Refusal, Region, build
from hlspart.expand.texts import block_of, names_in, type_text
from hlspart.model.access import Access, AccessAnalysis, Affine
from hlspart.model.program import (
    INT,
    ArrayRef,
    ArrayType,
    Block,
    Call,
    CType,
    Loop,
    PointerType,
    PragmaMark,
    Program,
    ScalarType,
    Stmt,
    StructType,
    Variable,
    walk,
)
from hlspart.model.results import IIResult
from hlspart.reuse.certain import ends_alike, open_hull
from hlspart.reuse.extents import UNKNOWN, Span, there
from hlspart.reuse.forms import Offset, Selected, Template, form_of
from hlspart.semantics.effects import effects, statement_expressions
from hlspart.semantics.overlap import overlaps
from hlspart.sets.windows import Box, extremes, read_of_own, spread

MOST_DIMENSIONS = 3


class Window(Struct, frozen=True):
    """Reads of ``variable`` in one body. ``reads``: access id -> offset of each dimension, over inner iterators.

    ``low``, ``high``: the least and greatest offsets; ``scale``: points per step of the iterators; ``hull``: box of
    all points that are read. ``inside``: by dimension of the array what the moving part of a subscript has to stay
    within, where the hull goes beyond elements that are there; None where it does not.
    """

    variable: int
    template: Template
    scale: tuple[int, ...]
    reads: Mapping[int, tuple[Offset, ...]]
    low: tuple[int, ...]
    high: tuple[int, ...]
    hull: Box
    inside: tuple[Span | None, ...]

    @property
    def elements(self) -> Box | None:
        """Box of the elements that those points are; None where that moves with loops around the nest."""
        sides = []
        for base, moving in self.template.parts:
            if base.terms:
                return None
            ends = [[p * self.hull[d][k] for d, p in moving] for k in (0, 1)]
            sides.append((base.const + sum(ends[0]), base.const + sum(ends[1])))
        return tuple(sides)

    @property
    def size(self) -> tuple[int, ...]:
        """Points of the window in each dimension."""
        return tuple(b - a + 1 for a, b in zip(self.low, self.high, strict=True))

    @property
    def planes(self) -> tuple[int, ...]:
        """Extents of the planes."""
        return self.size[len(self.scale) :]


class WindowNest(Struct, frozen=True):
    """Perfectly nested loops, the pipelined one last, and the windows of its body."""

    region: Region
    windows: tuple[Window, ...]

    @property
    def loops(self) -> tuple[Loop, ...]:
        """Outermost first."""
        return self.region.loops


class FoundWindows(Struct, frozen=True):
    """``nests``: for each pipelined loop those around it that can have reuse buffers, the deepest first.

    ``refused``: arrays with windows that cannot, with the reason.
    """

    nests: tuple[tuple[WindowNest, ...], ...]
    refused: tuple[tuple[int, Refusal], ...]


def find(program: Program, analysis: AccessAnalysis, figures: IIResult, given: frozenset[str]) -> FoundWindows:
    """Windows of all pipelined loops. ``given``: files that may be edited."""
    nests: list[tuple[WindowNest, ...]] = []
    refused: list[tuple[int, Refusal]] = []
    for chain in _pipelined(program, figures):
        windows = _Windows(program, analysis, chain)
        variants: list[WindowNest] = []
        reasons, unfit = dict[int, Refusal](), dict[int, Refusal]()  # of every depth, and of some
        for depth in range(min(len(chain), MOST_DIMENSIONS), 0, -1):
            small = [w for w in windows.over(chain[-depth:]) if w.variable not in reasons]
            large = {w.variable: why for w in small if (why := _too_large(program, w, chain[-1])) is not None}
            unfit = large | unfit
            small = [w for w in small if w.variable not in large]
            try:
                nest = _checked(program, analysis, chain[-depth:], tuple(small), given) if small else None
            except Refusal as refusal:
                unfit = {w.variable: refusal for w in small} | unfit
                continue
            old = {w.variable: why for w in small if nest is not None and (why := _own(nest, w)) is not None}
            reasons |= old
            kept = tuple(w for w in small if w.variable not in old)
            if nest is not None and kept:
                variants.append(replace(nest, windows=kept))
        possible = {w.variable for n in variants for w in n.windows}
        refused += [(v, why) for v, why in (unfit | reasons).items() if v not in possible]
        if variants:
            nests.append(tuple(variants))
    return FoundWindows(tuple(nests), tuple(refused))


def _pipelined(program: Program, figures: IIResult) -> Iterator[tuple[Loop, ...]]:
    """Each pipelined loop behind the loops that hold nothing but the next one, outermost first."""
    wanted = set[int]()
    for result in figures.loops:
        if result.pipelined and result.loop >= 0:
            loop = program.loops[result.loop]
            while result.flattened and loop.name != result.flattened[-1]:
                inside = only(loop)
                if inside is None:
                    break
                loop = inside
            wanted.add(loop.id)
    around = {inside.id: loop for loop in program.loops.values() if (inside := only(loop)) is not None}
    for ident in sorted(wanted):
        chain = [program.loops[ident]]
        while chain[0].id in around:
            chain.insert(0, around[chain[0].id])
        yield tuple(chain)


def plain_body(loop: Loop) -> list[Stmt]:
    """Statements of a loop's body without pragmas and without braces in braces."""
    stmts: list[Stmt] = [s for s in loop.body.body if not isinstance(s, PragmaMark)]
    while len(stmts) == 1 and isinstance(stmts[0], Block):
        stmts = [s for s in stmts[0].body if not isinstance(s, PragmaMark)]
    return stmts


def is_int(type_: CType) -> bool:
    """Whether a type is C's ``int``, by whatever name."""
    return isinstance(type_, ScalarType) and type_ == replace(INT, name=type_.name) and "<" not in type_.name


def counts_from(program: Program, variable: Variable, start: int) -> bool:
    """Whether a loop's iterator can begin at ``start``: one of C's integers, the type of which is declared."""
    kind = variable.type
    if not isinstance(kind, ScalarType) or kind.kind != "int" or "<" in kind.name:
        return False
    declared = program.text(variable.declarations[0].specifiers).split()
    return start >= (-(1 << kind.bits - 1) if kind.signed else 0) and not ("auto" in declared and variable.init)


def only(loop: Loop) -> Loop | None:
    """The loop that is all of another one's body."""
    stmts = plain_body(loop)
    return stmts[0] if len(stmts) == 1 and isinstance(stmts[0], Loop) else None


def elements_in(program: Program, loop: Loop) -> dict[int, ArrayRef]:
    """By id, all elements that a loop says."""
    nodes = (n for root in statement_expressions(program, loop) for n in walk(root))
    return {n.id: n for n in nodes if isinstance(n, ArrayRef)}


class _Windows(Struct, frozen=True):
    """The windows of the body of one pipelined loop."""

    program: Program
    analysis: AccessAnalysis
    chain: tuple[Loop, ...]

    def over(self, nest: Sequence[Loop]) -> tuple[Window, ...]:
        """Those that every loop of ``nest`` moves."""
        body = nest[-1]
        steps = [self.analysis.loops[loop.id].step for loop in nest]
        iterators = [n for loop in nest if (n := self.analysis.loops[loop.id].iterator) is not None]
        if len(iterators) < len(nest) or any(s is None or s <= 0 for s in steps):
            return ()
        classes: dict[tuple[int, Template, tuple[int, ...]], list[tuple[Access, tuple[Offset, ...]]]] = {}
        stored = {a.ref for a in self.analysis.accesses if a.kind == "write"}  # `A[i] += x` stores where it reads
        nodes = elements_in(self.program, body)
        for access in self.analysis.accesses:
            if access.kind != "read" or access.ref in stored or body.id not in access.loops or not access.affine:
                continue
            node, form = nodes.get(access.ref), form_of(access, iterators)
            if node is not None and form is not None and self._may_stand_for(access, node, form[2]):
                template, scale, offsets = form
                classes.setdefault((access.array, template, scale), []).append((access, offsets))
        said = {
            a for a, *_ in classes if any(n.variable == a for n in nodes.values())
        }  # a load can say the array there
        windows = [self._window(*key, reads) for key, reads in classes.items() if key[0] in said]
        return tuple(w for w in windows if w is not None)

    def _may_stand_for(self, access: Access, node: ArrayRef, offsets: Sequence[Offset]) -> bool:
        """Whether the window can stand for a read: by the array's name, or by another one of its type."""
        if node.variable == access.array:
            return True
        array = self.program.variable(access.array).as_array
        return array is not None and node.type == array.element and all(isinstance(g, Affine) for g in offsets)

    def _window(
        self,
        variable: int,
        template: Template,
        scale: tuple[int, ...],
        reads: Sequence[tuple[Access, tuple[Offset, ...]]],
    ) -> Window | None:
        none = [Affine((), 0)] * len(reads[0][1])
        boxes = [_box(access, offsets, self._names(access, scale), none) for access, offsets in reads]
        if any(self.analysis.loops[loop.id].trip_count.exact is None for loop in self.chain[-len(scale) :]):
            return self._open(variable, template, scale, reads, boxes)
        points = []
        for access, offsets in reads:
            names = self._names(access, scale)
            moved = [Affine.of({n: s}) for n, s in zip(names, scale, strict=False)]
            moved += none[len(scale) :]
            points.append(_box(access, offsets, names, moved))
        bounded = [(b, p) for b, p in zip(boxes, points, strict=True) if b and p]
        if len(bounded) < len(reads):
            return None
        dims = range(len(none))
        low = tuple(min(b[d][0] for b, _ in bounded) for d in dims)
        high = tuple(max(b[d][1] for b, _ in bounded) for d in dims)
        hull = tuple((min(p[d][0] for _, p in bounded), max(p[d][1] for _, p in bounded)) for d in dims)
        array, touching = self.program.variable(variable).as_array, [a for a, _ in reads]
        still = low[: len(scale)] == high[: len(scale)]
        if still or array is None or not isinstance(array.element, ScalarType | StructType):
            return None
        inside = [there(array.dims, k, part, hull, touching) for k, part in enumerate(template.parts)]
        if UNKNOWN in inside or any(inside[k] is not None for k in _of_planes(template, len(scale))):
            return None
        return Window(variable, template, scale, {a.id: g for a, g in reads}, low, high, hull, tuple(inside))

    def _open(
        self,
        variable: int,
        template: Template,
        scale: tuple[int, ...],
        reads: Sequence[tuple[Access, tuple[Offset, ...]]],
        boxes: Sequence[Box | None],
    ) -> Window | None:
        """The window where a loop ends by a value of the run, as :func:`open_hull` bounds it."""
        array = self.program.variable(variable).as_array
        plain = all(isinstance(offset, Affine) for _, offsets in reads for offset in offsets)
        if array is None or not plain or set(scale) != {1} or not isinstance(array.element, ScalarType | StructType):
            return None
        touching, nest = [a for a, _ in reads], self.chain[-len(scale) :]
        bounds = open_hull(self.program, self.analysis, nest, array.dims, template.parts, touching, boxes)
        if bounds is None:
            return None
        low, high, hull = bounds
        if len(reads[0][1]) > len(scale) or low == high:
            return None
        inside = [there(array.dims, k, part, hull, touching) for k, part in enumerate(template.parts)]
        if UNKNOWN in inside:
            return None
        return Window(variable, template, scale, {a.id: g for a, g in reads}, low, high, hull, tuple(inside))

    def _names(self, access: Access, scale: Sequence[int]) -> list[str]:
        loops = self.chain[len(self.chain) - len(scale) :]
        return [self.analysis.loops[loop.id].iterator or "" for loop in loops]


def _of_planes(template: Template, depth: int) -> list[int]:
    """Dimensions of the array that are planes of a window over ``depth`` loops."""
    return [k for k, (_, moving) in enumerate(template.parts) if any(d >= depth for d, _ in moving)]


def _box(access: Access, offsets: Sequence[Offset], nest: Sequence[str], moved: Sequence[Affine]) -> Box | None:
    """Least and greatest value of each offset, with ``moved`` added; None if one has no end."""
    sides: list[tuple[int, int]] = []
    for name, offset, more in zip([*nest, *[""] * (len(offsets) - len(nest))], offsets, moved, strict=True):
        if isinstance(offset, Selected):
            box = spread(access, offset.subscript, Affine.of({name: 1}) - more)
        else:
            box = extremes(access, [offset + more])
        if not box:
            return box
        sides += box
    return tuple(sides)


def _checked(
    program: Program,
    analysis: AccessAnalysis,
    loops: tuple[Loop, ...],
    windows: tuple[Window, ...],
    given: frozenset[str],
) -> WindowNest:
    """The nest, where its text can take reuse buffers. Raises :class:`Refusal`."""
    region = build(program, analysis, loops[0].function, tuple(loop.id for loop in loops), in_order=True)
    for loop, info in zip(loops, region.infos, strict=True):
        constant = info.lower is not None and not info.lower.terms
        if not constant or (info.trip_count.exact is None and not ends_alike(program, loops[0], loop)):
            raise Refusal("trip-count", f"the bounds of {loop.name} are not constant", loop.header)
        if not loop.header.editable or not loop.body.at.editable or loop.at.span.path not in given:
            raise Refusal("macro", f"the loop {loop.name} stands in a macro or a header", loop.at)
    if block_of(program, loops[0]) is None:
        raise Refusal("macro", f"the loop {loops[0].name} stands in no block", loops[0].at)
    for window in windows:
        variable = program.variable(window.variable)
        if "{" in type_text(program, variable.id):
            raise Refusal("condition", f"the structure of {variable.name} has no name for its buffers", variable.at)
    scales = {w.scale for w in windows}
    if len(scales) > 1:
        names = ", ".join(sorted({program.variable(w.variable).name for w in windows}))
        raise Refusal("strides", f"the windows of {names} move by different steps", loops[-1].header)
    return WindowNest(region, windows)


def _too_large(program: Program, window: Window, loop: Loop) -> Refusal | None:
    """Why a window is too large for registers: more than that many, or than the array has elements."""
    held, array = math.prod(window.size), program.variable(window.variable).as_array
    if held > MOST_HELD:
        return Refusal("size", f"its window would be {held} registers, more than {MOST_HELD}", loop.header)
    known = [d for d in array.dims if d is not None] if array is not None else []
    if array is not None and len(known) == len(array.dims) and held > math.prod(known):
        text = f"its window would be {held} registers, more than its {math.prod(known)} elements"
        return Refusal("size", text, loop.header)
    return None


def _handed(nest: WindowNest, window: Window) -> Call | None:
    """A call in the nest that knows the array itself, not the value of an element."""
    program = nest.region.program
    variable, known = program.variable(window.variable), effects(program)
    names, shared = (
        overlaps(program, nest.region.analysis.tops),
        variable.function is None or variable.storage == "static",
    )
    shared = shared or names.is_of_file_scope(variable.id)
    for call in (e for root in statement_expressions(program, nest.loops[0]) for e in walk(root)):
        if not isinstance(call, Call) or call.function is None or call.function not in program.functions:
            continue
        changed = list(known.changed_arguments(call))
        whole = [a for a in call.args if isinstance(a.type, ArrayType | PointerType)]
        if any(names.may_be(variable.id, v) for arg in (*changed, *whole) for v in names_in(arg)):
            return call
        if shared and impure(program, call.function, frozenset()) is not None:
            return call
    return None


def _own(nest: WindowNest, window: Window) -> Refusal | None:
    """Why a window would hold old values: the nest stores an element that the window reads later on."""
    region = nest.region
    analysis, program = region.analysis, region.program
    name = program.variable(window.variable).name
    handed = _handed(nest, window)
    if handed is not None:
        return Refusal("call", f"{name} is given to {handed.function}, which may change it", handed.at)
    inside = nest.loops[-1].id
    reads = [a for a in analysis.accesses if a.id in window.reads]
    steps = {ident: info.step for ident, info in analysis.loops.items()}
    for write in analysis.accesses:
        if write.array != window.variable or write.kind != "write" or inside not in write.loops:
            continue
        if not write.affine:
            return Refusal("dependence", f"it is not known where {name} is written: {write.reason}", write.at)
        for read in reads:
            outer = read.iterators.index(region.infos[0].iterator or "")
            refusal = read_of_own(write, read, outer, steps)
            if refusal is not None:
                stored, loaded = (", ".join(f"{n} = {v}" for n, v in at.items()) for at in refusal)
                text = f"iteration {loaded} reads what iteration {stored} writes, so a window would hold an old value"
                return Refusal("dependence", f"{name}: {text}", write.at)
    return None
