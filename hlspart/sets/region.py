"""Sets of iterations and the elements they touch, asked about with strings, answered with plain values.

A :class:`Regions` object owns one isl context for the time of one question, with a cap on isl's
operations: a question that exceeds it raises :class:`TooHard`, which callers turn into "not proved".
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

import islpy as isl

from hlspart.model.access import Affine
from hlspart.sets.box import Box
from hlspart.sets.points import coordinates, members_of, members_within, numbers_of

T = TypeVar("T")
MOST_NUMBERS = 1024  # over which those that are written down may spread
MOST_PAIRS = 1 << 14  # of two numbers, likewise
MOST_PIECES = 128  # of a set of iterations that others are still cut out of


class TooHard(Exception):
    """isl needed more operations than allowed; nothing is known."""


class IterationSet:
    """A set of iterations."""

    def __init__(self, owner: Regions, set_: Any) -> None:
        self._owner = owner
        self._set = set_

    def meet(self, other: IterationSet) -> IterationSet:
        """Iterations in both. Raises TooHard where that falls into too many pieces."""
        if self._set.n_basic_set() * other._set.n_basic_set() > MOST_PIECES:
            raise TooHard(f"more than {MOST_PIECES} pieces")
        return IterationSet(self._owner, self._owner.guarded(lambda: self._set.intersect(other._set)))

    def minus(self, other: IterationSet) -> IterationSet:
        """Iterations in this one only."""
        return IterationSet(self._owner, self._owner.guarded(lambda: self._set.subtract(other._set)))

    @property
    def text(self) -> str:
        """The set in isl notation: sets of one text are equal."""
        return str(self._owner.guarded(self._set.coalesce))

    @property
    def empty(self) -> bool:
        """Whether it has no iteration, for any value of the parameters."""
        return self._owner.guarded(lambda: bool(self._set.is_empty()))

    def points(self, most: int) -> tuple[list[tuple[int, ...]], bool]:
        """Some of its iterations, about ``most``, and whether they are all; none when it has parameters or no end."""

        def pick() -> tuple[list[tuple[int, ...]], bool]:
            rank = len(self._owner.names)
            if self._set.dim(isl.dim_type.param) or not self._set.is_bounded() or self._set.is_empty():
                return [], False
            low = [self._set.dim_min_val(k).to_python() for k in range(rank)]
            high = [self._set.dim_max_val(k).to_python() for k in range(rank)]
            if math.prod((b - a) // s + 1 for a, b, s in zip(low, high, self._owner.steps, strict=True)) <= most:
                return members_of(self._set, rank), True
            side = max(2, int(most ** (1 / rank)))
            text = [
                f"{a} <= {n} < {a + side * s}"
                for a, n, s in zip(low, self._owner.names, self._owner.steps, strict=True)
            ]
            corner = isl.Set(f"{{ {self._owner.tuple} : {' and '.join(text)} }}", context=self._owner.context)
            return members_of(self._set.intersect(corner), rank), False

        return self._owner.guarded(pick)

    def members(self, most: int) -> list[tuple[int, ...]] | None:
        """All its iterations where they span at most ``most``; None where it has parameters, no end, or more."""

        return self._owner.guarded(lambda: members_within(self._set, most))

    def sample(self) -> dict[str, int] | None:
        """Some iteration, None when empty; the lexicographically least one where that is cheap."""

        def pick() -> dict[str, int] | None:
            points = self._set
            if points.is_empty():
                return None
            if not points.dim(isl.dim_type.param) and points.is_bounded():
                points = points.lexmin()
            names = self._owner.names
            return dict(zip(names, coordinates(points.sample_point(), len(names)), strict=True))

        return self._owner.guarded(pick)

    def point(self, far: int = 0) -> IterationSet | None:
        """One iteration (with values of the parameters), all iterators from ``far`` on; None when there is none."""

        def pick() -> Any:
            points = self._set
            for k in range(len(self._owner.names) if far else 0):
                points = points.lower_bound_val(isl.dim_type.set, k, isl.Val(far, context=self._owner.context))
            return None if points.is_empty() else isl.Set.from_point(points.sample_point())

        picked = self._owner.guarded(pick)
        return None if picked is None else IterationSet(self._owner, picked)

    def covers(self, other: IterationSet) -> bool:
        """Whether all iterations of ``other`` are in this one too."""
        return self._owner.guarded(lambda: bool(other._set.is_subset(self._set)))

    def has(self, point: IterationSet) -> bool:
        """Whether ``point``, which is one iteration, is in it: quicker than :meth:`covers`."""
        return self._owner.guarded(lambda: not self._set.is_disjoint(point._set))

    def shadow(self, names: Collection[str]) -> IterationSet:
        """The values of ``names`` alone, for any value of the parameters, where the others are at 0."""

        def compute() -> Any:
            shadow = self._set.project_out(isl.dim_type.param, 0, self._set.dim(isl.dim_type.param))
            for k, name in enumerate(self._owner.names):
                if name not in names:
                    shadow = shadow.eliminate(isl.dim_type.set, k, 1).fix_val(isl.dim_type.set, k, 0)
            return shadow

        return IterationSet(self._owner, self._owner.guarded(compute))

    def box(self) -> Box | None:
        """The box this region is exactly, when it is one (with the strides of the space)."""

        def compute() -> Box | None:
            if self._set.dim(isl.dim_type.param) or self._set.is_empty() or not self._set.is_bounded():
                return None
            low, count, text = [], [], []
            for k, (name, step) in enumerate(zip(self._owner.names, self._owner.steps, strict=True)):
                least = self._set.dim_min_val(k).to_python()
                most = self._set.dim_max_val(k).to_python()
                low.append(least)
                count.append((most - least) // step + 1)
                text.append(f"{least} <= {name} <= {most} and ({name} - {least}) mod {step} = 0")
            box = isl.Set(f"{{ {self._owner.tuple} : {' and '.join(text) or 'true'} }}", context=self._owner.context)
            return Box(tuple(low), self._owner.steps, tuple(count)) if box.is_equal(self._set) else None

        return self._owner.guarded(compute)


class AccessRelation:
    """A relation from iterations to tuples of numbers: the elements, or the banks, that an access reaches."""

    def __init__(self, owner: Regions, map_: Any, over: IterationSet | None = None) -> None:
        self._owner = owner
        self._map = map_
        self._over = over  # iterations outside of which it reaches nothing

    def then(self, names: Sequence[str], expressions: Sequence[str]) -> AccessRelation:
        """Followed by ``names -> expressions`` (isl expressions)."""
        text = f"{{ [{', '.join(names)}] -> [{', '.join(expressions)}] }}"
        return AccessRelation(
            self._owner,
            self._owner.guarded(lambda: self._map.apply_range(isl.Map(text, context=self._owner.context))),
        )

    def only(self, at: IterationSet) -> tuple[int, ...] | None:
        """What it reaches in the one iteration ``at``; None where that is nothing or more than one tuple."""

        def pick() -> tuple[int, ...] | None:
            image = self._map.intersect_domain(at._set).range()
            if not image.is_singleton():
                return None
            return coordinates(image.sample_point(), image.dim(isl.dim_type.set))

        return self._owner.guarded(pick)

    def each(self) -> dict[tuple[int, ...], tuple[int, ...]] | None:
        """By iteration, of few, what it reaches; None where one reaches several tuples, or parameters decide."""
        if self._map.dim(isl.dim_type.param) or not self._owner.guarded(self._map.is_single_valued):
            return None
        rank, numbers = len(self._owner.names), self._map.dim(isl.dim_type.out)
        pairs = self._owner.guarded(lambda: members_of(self._map.wrap(), rank + numbers))
        return {pair[:rank]: pair[rank:] for pair in pairs}

    def agree(self, other: AccessRelation) -> IterationSet:
        """Iterations in which both can reach one and the same tuple."""
        return IterationSet(self._owner, self._owner.guarded(lambda: self._map.intersect(other._map).domain()))

    def image(self) -> IterationSet:
        """All tuples reached, as a set (of tuples, not of iterations)."""
        return IterationSet(self._owner, self._owner.guarded(lambda: self._map.range()))

    def values(self, sizes: Sequence[int]) -> tuple[tuple[int, ...], ...]:
        """All tuples reached, sorted; each entry lies in [0, size)."""

        def compute() -> tuple[tuple[int, ...], ...]:
            rank = len(sizes)
            names = [f"b{k}" for k in range(rank)]
            bounds = " and ".join(f"0 <= {b} < {n}" for b, n in zip(names, sizes, strict=True)) or "true"
            inside = isl.Set(f"{{ [{', '.join(names)}] : {bounds} }}", context=self._owner.context)
            reached = self._map.range()
            reached = reached.project_out(isl.dim_type.param, 0, reached.dim(isl.dim_type.param)).intersect(inside)
            product = isl.Set.universe(inside.get_space())
            axes = []
            for k in range(rank):
                axis = reached.project_out(isl.dim_type.set, k + 1, rank - k - 1).project_out(isl.dim_type.set, 0, k)
                axes.append(numbers_of(axis))
                lifted = axis.insert_dims(isl.dim_type.set, 0, k)
                lifted = lifted.insert_dims(isl.dim_type.set, k + 1, rank - k - 1)
                product = product.intersect(lifted.reset_space(inside.get_space()))
            if rank > 1 and not product.is_subset(reached):
                return tuple(members_of(reached, rank))
            return tuple(itertools.product(*axes))

        return self._owner.guarded(compute)

    def along(self, dim: int, most: int = MOST_NUMBERS) -> tuple[int, ...] | None:
        """The numbers that tuples have in place ``dim``, ascending; None where they spread over more than ``most``.

        Where indices are divided several times, isl takes seconds for the set that a few hundred iterations take
        milliseconds for: the iterators that move the index are then taken one by one.
        """

        def compute(relation: Any) -> tuple[int, ...] | None:
            axis = relation.range()
            axis = axis.project_out(isl.dim_type.param, 0, axis.dim(isl.dim_type.param))
            if not axis.is_bounded():
                return None
            spread = 0 if axis.is_empty() else (axis.dim_max_val(0).to_python() - axis.dim_min_val(0).to_python())
            return tuple(numbers_of(axis)) if spread < most else None

        def one_by_one(relation: Any, over: Any) -> tuple[int, ...] | None:
            plain, seen = relation.gist_domain(over), set[int]()
            moving = [k for k in range(over.dim(isl.dim_type.set)) if plain.involves_dims(isl.dim_type.in_, k, 1)]
            for k in reversed(range(over.dim(isl.dim_type.set))):
                if k not in moving:
                    over = over.project_out(isl.dim_type.set, k, 1)
            points = members_within(over, MOST_NUMBERS)
            if points is None:
                return compute(relation)
            for point in points:
                here = plain
                for k, value in zip(moving, point, strict=True):
                    here = here.fix_val(isl.dim_type.in_, k, value)
                result = compute(here)
                if result is None:
                    return None
                seen.update(result)
            return tuple(sorted(seen)) if not seen or max(seen) - min(seen) < most else None

        def ask() -> tuple[int, ...] | None:
            rank = self._map.dim(isl.dim_type.out)
            relation = self._map.project_out(isl.dim_type.out, dim + 1, rank - dim - 1)
            relation = relation.project_out(isl.dim_type.out, 0, dim)
            if self._over is None or self._divisions < 2 or relation.dim(isl.dim_type.param):
                return compute(relation)
            return one_by_one(relation, self._over._set)

        return self._owner.guarded(ask)

    def beside(self, iterator: str, dim: int) -> dict[int, set[int]] | None:
        """By value of an iterator the numbers that tuples have in place ``dim``; None where they may be many."""

        def compute() -> dict[int, set[int]] | None:
            names, out = self._owner.names, self._map.dim(isl.dim_type.out)
            pairs = self._map.wrap()
            for k in reversed(range(len(names) + out)):
                if k not in (names.index(iterator), len(names) + dim):
                    pairs = pairs.project_out(isl.dim_type.set, k, 1)
            if pairs.dim(isl.dim_type.param) or not pairs.is_bounded() or pairs.is_empty():
                return None
            spans = (pairs.dim_max_val(k).to_python() - pairs.dim_min_val(k).to_python() + 1 for k in range(2))
            if math.prod(spans) > MOST_PAIRS:
                return None
            numbers: dict[int, set[int]] = {}
            for value, number in members_of(pairs, 2):
                numbers.setdefault(value, set()).add(number)
            return numbers

        return self._owner.guarded(compute)

    @property
    def _divisions(self) -> int:
        """The most divisions in one piece."""
        most = 0

        def count(piece: Any) -> None:
            nonlocal most
            most = max(most, piece.dim(isl.dim_type.div))

        self._map.foreach_basic_map(count)
        return most


class Regions:
    """Maker of :class:`IterationSet` and :class:`AccessRelation` over the iterators ``names`` with their ``steps``."""

    def __init__(self, names: Sequence[str], steps: Sequence[int], max_operations: int = 2_000_000) -> None:
        self.names = tuple(names)
        self.steps = tuple(max(1, abs(s)) for s in steps)
        self.context = isl.Context()
        self.tuple = f"[{', '.join(self.names)}]"
        self._cap = max_operations

    def guarded(self, work: Callable[[], T]) -> T:
        """Run ``work`` under the cap on operations."""
        self.context.reset_operations()
        self.context.set_max_operations(self._cap)
        try:
            return work()
        except isl.Error as error:
            raise TooHard(str(error)) from error
        finally:
            self.context.set_max_operations(0)

    def region(self, domain: str) -> IterationSet:
        """The set written in isl notation."""
        return IterationSet(self, self.guarded(lambda: isl.Set(domain, context=self.context)))

    def among(self, domain: str, first: int) -> IterationSet:
        """A set over the names from number ``first`` on; the others may be anything."""

        def build() -> Any:
            few = isl.Set(domain, context=self.context)
            behind = len(self.names) - first - few.dim(isl.dim_type.set)
            few = few.insert_dims(isl.dim_type.set, 0, first)
            return few.insert_dims(isl.dim_type.set, few.dim(isl.dim_type.set), behind)

        return IterationSet(self, self.guarded(build))

    def touch(
        self,
        domain: IterationSet,
        index: Sequence[Affine | None] | None,
        map_: str | None,
        extents: Sequence[int],
    ) -> AccessRelation:
        """Elements that an access reaches in each iteration.

        What is not known may be anything in the extents (an extent of 0 has no end).
        """

        def build() -> Any:
            element = ", ".join(f"x{k}" for k in range(len(extents)))
            exact = index is not None and all(form is not None for form in index)
            parameters: set[str] = set()
            conditions = []
            for k, extent in enumerate(extents):
                form = None if index is None else index[k]
                if form is None and extent > 0:
                    conditions.append(f"0 <= x{k} < {extent}")
                elif form is None:
                    continue
                else:
                    parameters |= set(form.names) - set(self.names)
                    conditions.append(f"x{k} = {isl_text(form)}")
            prefix = f"[{', '.join(sorted(parameters))}] -> " if parameters else ""
            where = " and ".join(conditions) or "true"
            relation = isl.Map(f"{prefix}{{ {self.tuple} -> [{element}] : {where} }}", context=self.context)
            if not exact and map_ is not None:
                relation = relation.intersect(isl.Map(map_, context=self.context))
            return relation.intersect_domain(domain._set)

        return AccessRelation(self, self.guarded(build), domain)

    def element(self, touch: AccessRelation, at: Mapping[str, int]) -> tuple[int, ...] | None:
        """One element that ``touch`` reaches in the iteration ``at``."""

        def pick() -> tuple[int, ...] | None:
            where = " and ".join(f"{n} = {v}" for n, v in at.items() if n in self.names) or "true"
            point = isl.Set(f"{{ {self.tuple} : {where} }}", context=self.context)
            image = touch._map.intersect_domain(point).range()
            if image.is_empty():
                return None
            return coordinates(image.sample_point(), image.dim(isl.dim_type.set))

        return self.guarded(pick)


def isl_text(form: Affine) -> str:
    """The form as an isl expression."""
    parts = [f"{c}*{n}" for n, c in form.terms]
    return " + ".join([*parts, str(form.const)])
