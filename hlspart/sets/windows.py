"""Questions about sliding windows: which elements a nest reads, and what it reads of its own making."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import islpy as isl

from hlspart.model.access import Access, Affine
from hlspart.sets.order import executed

Box = tuple[tuple[int, int], ...]


def extremes(access: Access, forms: Sequence[Affine]) -> Box | None:
    """Least and greatest value of each form of the iterators over the domain of ``access``; None if one has no end."""
    domain = isl.Set(access.domain)
    if domain.is_empty():
        return ()
    box = []
    for form in forms:
        values = domain.apply(isl.Map(f"{_head(access, form)}{{ [{', '.join(access.iterators)}] -> [{form}] }}"))
        low, high = values.dim_min_val(0), values.dim_max_val(0)
        if not (low.is_int() and high.is_int()):
            return None
        box.append((int(low.to_python()), int(high.to_python())))
    return tuple(box)


def spread(access: Access, subscript: int, form: Affine) -> Box | None:
    """Least and greatest value of a subscript less a form of the iterators, as :func:`extremes` says it."""
    assert access.map is not None
    places = isl.Map(access.map).intersect_domain(isl.Set(access.domain))
    if places.is_empty():
        return ()
    count = places.dim(isl.dim_type.out)
    names = [f"x{k}" for k in range(count)]
    less = f"[[{', '.join(access.iterators)}] -> [{', '.join(names)}]] -> [{names[subscript]} - ({form})]"
    values = places.wrap().apply(isl.Map(f"{_head(access, form)}{{ {less} }}"))
    low, high = values.dim_min_val(0), values.dim_max_val(0)
    return ((int(low.to_python()), int(high.to_python())),) if low.is_int() and high.is_int() else None


def _head(access: Access, *forms: Affine) -> str:
    free = sorted({n for form in forms for n in form.names if n not in access.iterators})
    return f"[{', '.join(free)}] -> " if free else ""


def _common_loops(one: Access, other: Access) -> int:
    """How many loops two accesses have around both, from the outermost on."""
    pairs = zip(one.loops, other.loops, strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def read_of_own(
    write: Access, read: Access, outer: int, steps: Mapping[int, int | None]
) -> tuple[Mapping[str, int], Mapping[str, int]] | None:
    """An iteration in which ``write`` stores an element and a later one in which ``read`` loads it, if there are.

    The first ``outer`` iterators are the same for both; ``steps`` are those of the loops by id. Both are affine.
    A store and a load of one iteration count where the store is ahead in the text, or some loop around one of them
    is not counted.
    """
    assert write.map is not None and read.map is not None
    counted = all(len(a.loops) == len(a.iterators) for a in (write, read))
    depth = _common_loops(write, read) if counted else outer
    meets = (
        isl.Map(write.map).intersect_domain(isl.Set(write.domain))
        .apply_range(isl.Map(read.map).intersect_domain(isl.Set(read.domain)).reverse())
    )  # fmt: skip
    for k in range(outer):
        meets = meets.equate(isl.dim_type.in_, k, isl.dim_type.out, k)
    later = isl.Map.empty(meets.get_space())
    same = meets
    for k in range(outer, depth):
        falls = (steps[write.loops[k]] or 1) < 0
        ahead = same.order_gt if falls else same.order_lt
        later = later.union(ahead(isl.dim_type.in_, k, isl.dim_type.out, k))
        same = same.equate(isl.dim_type.in_, k, isl.dim_type.out, k)
    if write.order < read.order or not counted:
        later = later.union(same)
    if later.is_empty():
        return None
    pair = later.wrap()
    point = (pair.lexmin() if pair.is_bounded() and not pair.dim(isl.dim_type.param) else pair).sample_point()
    values = [point.get_coordinate_val(isl.dim_type.set, k).to_python() for k in range(pair.dim(isl.dim_type.set))]
    own = len(write.iterators)
    return (
        dict(zip(write.iterators[:depth], values[:depth], strict=True)),
        dict(zip(read.iterators[:depth], values[own : own + depth], strict=True)),
    )


def is_covered(touches: Sequence[tuple[Access, Sequence[Affine]]], box: Box) -> bool:
    """Whether accesses surely touch every point of ``box``: the values of their forms at the iterations of each."""
    inside = _points(box)
    met = isl.Set.empty(inside.get_space())
    for access, forms in touches:
        if access.exact:
            names, values = ", ".join(access.iterators), ", ".join(map(str, forms))
            head = _head(access, *forms)
            met = met.union(isl.Set(access.domain).apply(isl.Map(f"{head}{{ [{names}] -> [{values}] }}")))
    return bool(inside.is_subset(met))


def _points(box: Box) -> isl.Set:
    names = ", ".join(f"x{k}" for k in range(len(box)))
    inside = " and ".join(f"{low} <= x{k} <= {high}" for k, (low, high) in enumerate(box))
    return isl.Set(f"{{ [{names}] : {inside} }}")


def is_in_step(
    writes: Access,
    forms: Sequence[Affine],
    elements: Sequence[Affine] | None,
    box: Box,
    steps: Mapping[int, int | None],
) -> bool:
    """Whether ``writes`` stores the points of ``box`` all, each once and in their order, and no others.

    ``forms`` of its iterators are the points; with ``elements``, forms of a point x0, x1, .., those. All loops around
    it are counted, with ``steps`` by id.
    """
    names = ", ".join(writes.iterators)
    stored = isl.Map(f"{{ [{names}] -> [{', '.join(str(f) for f in forms)}] }}").intersect_domain(
        isl.Set(writes.domain)
    )
    points, inside = ", ".join(f"x{k}" for k in range(len(box))), _points(box)
    if elements is not None:
        place = isl.Map(f"{{ [{points}] -> [{', '.join(str(f) for f in elements)}] }}")
        stored = stored.apply_range(place.intersect_domain(inside).reverse())
    if not (stored.is_bijective() and stored.domain().is_equal(isl.Set(writes.domain))):
        return False
    (times,) = executed((writes,), steps)
    times = stored.reverse().apply_range(times)
    kept = times.apply_range(isl.Map.lex_lt(times.range().get_space())).apply_range(times.reverse())
    return bool(stored.range().is_equal(inside) and kept.is_subset(isl.Map.lex_lt(inside.get_space())))
