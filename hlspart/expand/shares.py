"""What independent elements have of each array: their own copies, what is loaded into them, what is taken out."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from msgspec import Struct

from hlspart.expand.accesses import Accesses
from hlspart.expand.partials import Partials
from hlspart.expand.region import Refusal, Region
from hlspart.expand.texts import type_text
from hlspart.model.access import Access
from hlspart.model.expanding import Judgement, Private, Reduction
from hlspart.model.program import ScalarType, Variable
from hlspart.rewrite.names import Names
from hlspart.sets.effort import EffortError
from hlspart.sets.nodes import Node
from hlspart.sets.processors import Axis, written_by
from hlspart.sets.region import TooHard
from hlspart.sets.tilecode import is_empty, visit

Box = tuple[tuple[int, int], ...]
Element = tuple[int, ...]  # its number for each expanded loop

#: Functions of isl's output that C does not have.
_NOT_C = re.compile(r"\b(?:floord|ceild|min|max)\(")


class Share(Struct, frozen=True):
    """The copies of one array; ``type`` is that of its elements, ``copied`` that of the copies'.

    ``loaded``: least and greatest index per dimension of what every copy is filled with. ``stored``: by element the
    loops over what it hands back. ``reduction``: the copies are partial results, which start from ``first`` or from
    what is loaded.
    """

    variable: Variable
    type: str
    copied: str
    dims: tuple[int, ...]
    loaded: Box | None = None
    stored: tuple[Node | None, ...] = ()
    reduction: Reduction | None = None
    first: str | None = None

    @property
    def name(self) -> str:
        """The array's name, which is that of the copy inside an element, too."""
        return self.variable.name

    @property
    def extents(self) -> str:
        """The array's extents as C."""
        return "".join(f"[{d}]" for d in self.dims)

    @property
    def qualified(self) -> str:
        """The type of a copy's elements inside an element."""
        return self.copied if self.written else f"const {self.copied}"

    @property
    def written(self) -> bool:
        """Whether the region's text writes the array."""
        return bool(self.stored) or self.reduction is not None

    @property
    def stores(self) -> bool:
        """Whether values leave the copies for the array."""
        return self.reduction is not None or any(x is not None for x in self.stored)


class Shares(Struct):
    """The shares of a region's arrays.

    ``axes``: how each expanded loop is spread; ``elements``: all of them; ``partials``: the partial results of a sum.
    """

    facts: Accesses
    judgement: Judgement
    names: Names
    partials: Callable[[Reduction], Partials]
    axes: Sequence[Axis]
    elements: Sequence[Element]

    @property
    def _region(self) -> Region:
        return self.facts.region

    def all(self) -> list[Share]:
        """Of every array that the region reads or writes and does not declare. Raises :class:`Refusal`."""
        program = self._region.program
        summed = {r.variable: r for r in self.judgement.reductions if r.whole or r.loops[0] != 0}
        single = {r.variable: r for r in self.judgement.reductions if r.variable not in summed}
        own = {p.variable: p for p in self.judgement.private}
        by_array: dict[int, list[Access]] = {}
        for a in self.facts.inside:
            v = program.variable(a.array)
            apart = a.array in single and a.ref not in single[a.array].others  # the element that is added to
            if v.as_array is not None and not apart and not (v.const and v.function is None):
                by_array.setdefault(a.array, []).append(a)
        shares = []
        for ident, accesses in by_array.items():
            private = own.get(ident)
            if ident in summed:
                shares.append(self._summed(summed[ident]))
            elif private is None:
                shares.append(self._shared(program.variable(ident), accesses))
            elif private.kind == "last-value":
                shares.append(self._last(private, [a for a in accesses if a.kind == "write"]))
        return shares

    def _refuse(self, reason: str) -> Refusal:
        return Refusal("dataflow-form", reason, self._region.loops[0].at)

    def _dims(self, variable: Variable) -> tuple[int, ...]:
        shape = variable.as_array
        dims = [d for d in self._region.analysis.shapes.get(variable.id) or variable.dims if d is not None]
        if shape is None or not isinstance(shape.element, ScalarType) or len(dims) != len(variable.dims):
            raise self._refuse(f"the extents of {variable.name} are not known")
        return tuple(dims)

    def _type(self, variable: Variable) -> str:
        return type_text(self._region.program, variable.id).rstrip("* ")

    def _summed(self, reduction: Reduction) -> Share:
        variable = self._region.program.variable(reduction.variable)
        if variable.as_array is None or reduction.others:
            raise self._refuse(f"elements need what the others added to {variable.name}")
        dims, partial = self._dims(variable), self.partials(reduction)
        loaded = None if partial.identity is not None else tuple((0, d - 1) for d in dims)
        kind = self._type(variable)
        return Share(variable, kind, partial.type, dims, loaded, reduction=reduction, first=partial.identity)

    def _last(self, private: Private, writes: Sequence[Access]) -> Share:
        variable = self._region.program.variable(private.variable)
        kind = self._type(variable)
        stored = tuple(self._stored(variable, writes, e, private.loops) for e in self.elements)
        return Share(variable, kind, kind, self._dims(variable), stored=stored)

    def _shared(self, variable: Variable, accesses: Sequence[Access]) -> Share:
        dims, kind = self._dims(variable), self._type(variable)
        writes = [a for a in accesses if a.kind == "write"]
        if not writes:
            return Share(variable, kind, kind, dims, _reach(accesses, dims))
        certain = [a for a in writes if a.exact and a.affine]
        reads = [a for a in accesses if a.kind == "read"]
        stored = tuple(self._stored(variable, writes, e) for e in self.elements)
        covered = all(self.facts.is_covered(r, certain, self.facts.outer + 1) for r in reads)
        first = None if covered and len(certain) == len(writes) else _reach(accesses, dims)
        return Share(variable, kind, kind, dims, first, stored)

    def _stored(self, variable: Variable, writes: Sequence[Access], element: Element, private: int = 0) -> Node | None:
        """Loops over what an element hands back of an array that is private to the first ``private`` loops."""
        names = [self.names.free(f"{variable.name}_i{k}") for k in range(len(variable.dims))]
        try:
            node = visit(self._points(variable, writes, element, private), names)
        except TooHard as failure:
            raise self._refuse(f"what an element writes of {variable.name} cannot be told: {failure}") from failure
        if _NOT_C.search(text_of(node)):
            raise self._refuse(f"no simple loops run over what an element writes of {variable.name}")
        return node

    def writer(self, variable: Variable, private: int = 0) -> int | None:
        """The one element that hands back a scalar, which is private to the first ``private`` loops, by its position
        among the elements."""
        writes = [a for a in self.facts.inside if a.array == variable.id and a.kind == "write"]
        writers = (k for k, e in enumerate(self.elements) if not is_empty(self._points(variable, writes, e, private)))
        return next(writers, None)

    def _points(self, variable: Variable, writes: Sequence[Access], element: Element, private: int) -> str:
        """What an element hands back, in isl notation: what it may write, in the last iteration of what is private."""
        region, analysis = self._region, self._region.analysis
        placed = []
        for write in writes:
            loops = self.facts.counted(write)
            if not all(loop.id in loops for loop in region.loops):
                raise self._refuse(f"{variable.name} is written outside of {region.loops[-1].name}")
            placed.append((write, [(loops.index(o.id), axis) for o, axis in zip(region.loops, self.axes, strict=True)]))
        around = self.facts.counted(writes[0])[: self.facts.outer]
        outer = [region.program.variable(analysis.loops[k].variable or 0).name for k in around]
        last = [(info.trip_count.exact or 1) - 1 for info in region.infos[:private]]
        try:
            points = written_by(placed, element, outer, last)
        except EffortError as failure:
            raise self._refuse(f"what an element writes of {variable.name} cannot be told: {failure}") from failure
        if points is None:
            raise self._refuse(f"what an element writes of {variable.name} is known at run time only")
        return points


def _reach(accesses: Sequence[Access], dims: Sequence[int]) -> Box:
    """Least and greatest index per dimension, inside the array."""
    box = []
    for k, extent in enumerate(dims):
        ranges = [a.range[k] if a.range is not None else (None, None) for a in accesses]
        lows = [0 if low is None else max(0, low) for low, _ in ranges]
        highs = [extent - 1 if high is None else min(high, extent - 1) for _, high in ranges]
        box.append((min(lows), max(highs)))
    return tuple(box)


def text_of(node: Node | None) -> str:
    """All expressions of loops."""
    return "" if node is None else " ".join([node.text, *node.args, *map(text_of, node.children)])
