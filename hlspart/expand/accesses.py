"""Accesses of a region, scalars included, and whether a variable's value is read after it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from hlspart.accesses import with_scalars
from hlspart.expand.region import Region
from hlspart.model.access import Access
from hlspart.model.program import ArrayRef, Name, ScalarType, walk
from hlspart.semantics.effects import statement_expressions
from hlspart.sets.processors import is_covered


@dataclass
class Accesses:
    """Queries about one region, each answered once."""

    region: Region
    top: str | None

    @cached_property
    def everything(self) -> tuple[Access, ...]:
        """Accesses of the function to arrays and scalars, iterators of the region's loops apart."""
        program, counting = self.region.program, self.region.iterators
        scalars = (v.id for v in program.variables if isinstance(v.type, ScalarType) and v.id not in counting)
        return with_scalars(program, self.region.function, frozenset(scalars), self.top)

    @cached_property
    def inside(self) -> tuple[Access, ...]:
        """Accesses in the body of the outermost loop."""
        body = self.region.loops[0].body.at.span
        return tuple(
            a
            for a in self.everything
            if self.region.loops[0].id in a.loops
            and a.at.span.path == body.path
            and body.start <= a.at.span.start
            and a.at.span.end <= body.end
        )

    def counted(self, access: Access) -> tuple[int, ...]:
        """The loops that are dimensions of an access's sets."""
        return tuple(k for k in access.loops if self.region.analysis.loops[k].iterator is not None)

    @cached_property
    def outer(self) -> int:
        """Number of counted loops around the region."""
        loops = self.inside[0].loops if self.inside else ()
        before = loops[: loops.index(self.region.loops[0].id)] if loops else ()
        return sum(self.region.analysis.loops[k].iterator is not None for k in before)

    def is_covered(self, read: Access, writes: Sequence[Access], inside: int) -> bool:
        """Whether certain ``writes`` cover a read in the same iteration of the ``inside`` outer loops."""
        ours = self.counted(read)
        given = []
        for write in writes:
            theirs, common = self.counted(write), 0
            while common < min(len(ours), len(theirs)) and ours[common] == theirs[common]:
                common += 1
            given.append((write, common))
        steps = [1 if (self.region.analysis.loops[k].step or 1) > 0 else -1 for k in ours]
        return is_covered(read, given, inside, steps)

    def is_live(self, variable: int) -> bool:
        """Whether the value may be read after the region."""
        record = self.region.program.variable(variable)
        if record.storage in ("global", "static") or (record.storage == "parameter" and record.as_array is not None):
            return True
        inside = {id(a) for a in self.inside}
        others = [a for a in self.everything if a.array == variable and id(a) not in inside]
        first, last = self.inside[0].order, self.inside[-1].order
        for read in (a for a in others if a.kind == "read"):
            after, shared = read.order > last, self._shared(read)
            if not after and not shared:
                continue
            # one before the region reads in a later iteration of the loops that they share: there the value is given
            writes = [
                a for a in others if a.kind == "write" and a.exact and a.affine and (a.order > last) == after
                and (after or (a.order < first and self._shared(a) >= shared))
            ]  # fmt: skip
            counted = [k for k in read.loops[:shared] if self.region.analysis.loops[k].iterator is not None]
            if not read.affine or not self.is_covered(read, writes, len(counted)):
                return True
        return self._is_handed_on(variable)

    def _shared(self, access: Access) -> int:
        """How many of the loops around the region stand around an access, too."""
        around = self.inside[0].loops
        around = around[: around.index(self.region.loops[0].id)]
        pairs = zip(access.loops, around, strict=False)
        return sum(1 for _ in itertools.takewhile(lambda p: p[0] == p[1], pairs))

    def _is_handed_on(self, variable: int) -> bool:
        """Whether the variable is named outside of the region in a way that accesses do not tell."""
        program = self.region.program
        span = self.region.loops[0].at.span
        known = {a.at.span for a in self.everything if a.array == variable}
        function = program.functions[self.region.function]
        for root in statement_expressions(program, function.body):
            for e in walk(root):
                if isinstance(e, Name | ArrayRef) and e.variable == variable:
                    at = e.at.span
                    outside = at.path != span.path or not span.start <= at.start < span.end
                    if outside and not any(k.start <= at.start and at.end <= k.end for k in known):
                        return True
        return False
