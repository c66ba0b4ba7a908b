"""From what the walk saw to :class:`~hlspart.model.access.Access` records: sets, maps, ranges, witnesses."""

from __future__ import annotations

from collections.abc import Mapping

import islpy as isl
from msgspec import Struct, field

from hlspart.accesses import algebra
from hlspart.accesses.algebra import PARAM, SET, Known, Unknown
from hlspart.accesses.scope import RawAccess
from hlspart.model.access import Access, Affine
from hlspart.model.answers import Answers
from hlspart.model.program import Program
from hlspart.semantics.conversions import extents
from hlspart.sets.counting import count

Range = tuple[int | None, int | None]

_COUNTS = Answers[int | None](2048)  # by the text of a set: most of a text's are those of the one that it replaces


class _Domain(Struct):
    set: isl.Set
    text: str
    params: tuple[str, ...]
    empty: bool
    count: int | None
    ranges: dict[object, Range] = field(default_factory=dict)


class Relations(Struct):
    """Writes accesses down; what accesses share (domains, ranges) is worked out once.

    ``known_extents`` overrides the extents of variables whose type does not tell them; ``called`` is what
    calls give the parameters.
    """

    program: Program
    known_extents: Mapping[int, tuple[int | None, ...]]
    called: isl.Set = algebra.UNIVERSE
    _domains: dict[tuple[int, tuple[str, ...]], tuple[isl.Set, _Domain]] = field(default_factory=dict)

    def access(self, raw: RawAccess, ident: int, function: str) -> Access:
        """The record of one access."""
        domain = self._domain(raw.dom, raw.iterators)
        variable = self.program.variable(raw.array)
        sizes = self.known_extents.get(raw.array, extents(variable.type))
        failed = next((i for i in raw.indices if isinstance(i, Unknown)), None)
        failed = failed or self._unbounded(raw, domain)
        common = (ident, raw.ref, raw.array, function, raw.kind, raw.at, raw.loops, raw.iterators)
        if failed is not None:
            return Access(
                *common, False, raw.exact, failed.reason, failed.at, domain.text, None, None, None, domain.count, None,
                False, raw.branch, raw.order,
            )  # fmt: skip
        indices: list[Known] = [i for i in raw.indices if not isinstance(i, Unknown)]
        ranges = tuple(self._range(domain, i, raw.iterators) for i in indices)
        inside = domain.empty or all(
            lo is not None and hi is not None and size is not None and lo >= 0 and hi < size
            for (lo, hi), size in zip(ranges, sizes, strict=True)
        )
        witness = None
        if not inside and raw.exact:
            witness = self._witness(domain, indices, sizes, ranges, raw.iterators)
        return Access(
            *common, True, raw.exact, None, None, domain.text, map_text(indices, raw.iterators),
            tuple(i if isinstance(i, Affine) else None for i in indices), ranges, domain.count, witness, inside,
            raw.branch, raw.order,
        )  # fmt: skip

    def _unbounded(self, raw: RawAccess, domain: _Domain) -> Unknown | None:
        """An element chosen by run-time values alone, without any bound, cannot be placed."""
        for index in raw.indices:
            if isinstance(index, Affine) and index.terms and not any(n in raw.iterators for n in index.names):
                low, high = self._range(domain, index, raw.iterators)
                if (low is None or high is None) and not domain.empty:
                    return Unknown(f"`{index}` is a run-time value without known bounds", raw.at)
        return None

    def _domain(self, dom: isl.Set, iterators: tuple[str, ...]) -> _Domain:
        key = id(dom), iterators
        if key not in self._domains:
            iterations = algebra.to_dims(dom, iterators)
            params = tuple(str(iterations.get_dim_name(PARAM, k)) for k in range(iterations.dim(PARAM)))
            text = str(iterations)
            made = _Domain(iterations, text, params, iterations.is_empty(), _COUNTS.of(text, lambda: count(iterations)))
            self._domains[key] = dom, made  # keeps dom alive, so that its id stays its own
        return self._domains[key][1]

    def _range(self, domain: _Domain, index: Known, iterators: tuple[str, ...]) -> Range:
        if isinstance(index, Affine) and not index.terms:
            return index.const, index.const
        if domain.empty:
            return None, None
        key: object = index if isinstance(index, Affine) else (id(index), str(index))
        if key not in domain.ranges:
            image = domain.set.intersect_params(self.called).apply(_map((index,), iterators))
            domain.ranges[key] = algebra.finite(image.dim_min_val(0)), algebra.finite(image.dim_max_val(0))
        return domain.ranges[key]

    def _witness(
        self, domain: _Domain, indices: list[Known], sizes: tuple[int | None, ...],
        ranges: tuple[Range, ...], iterators: tuple[str, ...],
    ) -> Mapping[str, int] | None:  # fmt: skip
        """An iteration that leaves the array, when the program is proved to perform one."""
        within = domain.set.intersect_params(self.called)
        for index, size, (low, high) in zip(indices, sizes, ranges, strict=True):
            outside = ["i < 0"] if low is None or low < 0 else []
            if size is not None and (high is None or high >= size):
                outside.append(f"i >= {size}")
            if not outside:
                continue
            bad = isl.Set("{ [i] : " + " or ".join(outside) + " }").apply(_map((index,), iterators).reverse())
            bad = bad.intersect(within)
            if bad.is_empty() or not within.params().is_subset(bad.params()):
                continue
            point = bad.lexmin().sample_point()
            values = {}
            for kind, names in ((PARAM, _names(point, PARAM)), (SET, iterators)):
                for k, name in enumerate(names):
                    values[name] = point.get_coordinate_val(kind, k).to_python()
            return values
        return None


def _names(point: isl.Point, kind: isl.dim_type) -> tuple[str, ...]:
    space = point.get_space()
    return tuple(str(space.get_dim_name(kind, k)) for k in range(space.dim(kind)))


def _map(indices: tuple[Known, ...], iterators: tuple[str, ...]) -> isl.Map:
    """The relation from iterators to indices."""
    result = isl.Set.from_params(algebra.UNIVERSE)
    for index in indices:
        result = result.flat_product(isl.Set.from_pw_aff(algebra.pw(index)))
    relation = isl.Map.from_range(result)
    for k, name in enumerate(iterators):
        position = relation.find_dim_by_name(PARAM, name)
        if position < 0:
            relation = relation.insert_dims(isl.dim_type.in_, k, 1).set_dim_name(isl.dim_type.in_, k, name)
        else:
            relation = relation.move_dims(isl.dim_type.in_, k, PARAM, position, 1)
    return relation


def map_text(indices: list[Known], iterators: tuple[str, ...]) -> str:
    """The relation in isl notation."""
    if all(isinstance(i, Affine) for i in indices):
        free = sorted({n for i in indices for n in i.names if n not in iterators})  # type: ignore[union-attr]
        head = f"[{', '.join(free)}] -> " if free else ""
        return f"{head}{{ [{', '.join(iterators)}] -> [{', '.join(str(i) for i in indices)}] }}"
    return str(_map(tuple(indices), iterators).coalesce())
