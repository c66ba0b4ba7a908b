"""Exact dataflow of a loop nest: which write each read takes its value from (Feautrier 1991).

Everything goes in and out as isl text. :func:`relaxed` prepares the *interior* of a tiled nest: the
nest without its borders along tiled directions, on which dataflow has no border cases.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import islpy as isl
from msgspec import Struct

from hlspart.model.mars import NestAccess
from hlspart.sets.region import TooHard

Vector = tuple[int, ...]

MAX_OPERATIONS = 8_000_000  # isl operations for one question; some seconds


class Interior(Struct, frozen=True):
    """A domain without its borders in tiled directions.

    ``normals``: of the constraints that were kept (over the iterators); a translation that is
    orthogonal to all of them maps the set to itself, strides apart. ``face``: the domain is thin in a
    tiled direction (``if (i == 0)``) and meets no interior tile. ``parameters`` it still depends on.
    """

    domain: str
    normals: tuple[Vector, ...]
    face: bool
    parameters: tuple[str, ...]


class Dependence(Struct, frozen=True):
    """``relation``: iterations of access ``reader`` -> iterations of access ``writer`` whose value it reads."""

    reader: int
    writer: int
    relation: str


class Dataflow(Struct, frozen=True):
    """All flow of a nest; ``outside``: iterations of a read whose value comes from before the nest."""

    dependences: tuple[Dependence, ...]
    outside: tuple[tuple[int, str], ...]


def plane_text(plane: Vector, its: Sequence[str]) -> str:
    """A hyperplane (coefficients and a constant) in isl notation and in C."""
    return " + ".join([*(f"{c}*{x}" for c, x in zip(plane, its, strict=False) if c), str(plane[-1])])


def context() -> Any:
    """A fresh isl context with a cap on its operations."""
    made = isl.Context()
    made.set_max_operations(MAX_OPERATIONS)
    return made


def opened(domain: str, rows: Sequence[Vector]) -> str:
    """``domain`` without all constraints whose normals lie in the span of ``rows``: a face becomes what it bounds."""
    try:
        points = isl.Set(domain, context=context()).coalesce().detect_equalities()
        width = points.dim(isl.dim_type.set)
        result = isl.Set.empty(points.get_space())
        for piece in points.get_basic_sets():
            piece = piece.remove_redundancies()
            drop = [
                c for c in piece.get_constraints() if not _uses_division(c) and _is_spanned(_normal(c, width), rows)
            ]
            result = result.union(isl.Set.from_basic_set(_without(piece, drop)))
        return str(result.coalesce().drop_unused_params())
    except isl.Error as error:
        raise TooHard(str(error)) from error


def relaxed(domain: str, rows: Sequence[Vector], along: bool = False) -> Interior:
    """Drop the inequalities of ``domain`` whose normals lie in the span of ``rows``.

    ``along`` keeps thin directions (equalities) and drops only what bounds the set along them: the
    interior of a face.
    """
    try:
        return _relaxed(domain, rows, along)
    except isl.Error as error:
        raise TooHard(str(error)) from error


def _relaxed(domain: str, rows: Sequence[Vector], along: bool) -> Interior:
    points = isl.Set(domain, context=context()).coalesce().detect_equalities()
    width = points.dim(isl.dim_type.set)
    result = isl.Set.empty(points.get_space())
    normals: dict[Vector, None] = {}
    thin = True
    for piece in points.get_basic_sets():
        piece = piece.remove_redundancies().detect_equalities()
        kept = isl.BasicSet.universe(piece.get_space())
        divisions = False
        face = False
        pieces_normals: list[Vector] = []
        equal: list[Vector] = []
        for c in piece.get_constraints():
            if c.is_equality() and not _uses_division(c):
                equal.append(_normal(c, width))
        drop = []
        for c in piece.get_constraints():
            normal = _normal(c, width)
            if _uses_division(c):
                divisions = True
                continue
            spanned = _is_spanned(normal, [*rows, *equal] if along else rows)
            if c.is_equality():
                face = face or (spanned and any(normal))
                pieces_normals.append(normal)
            elif spanned:
                drop.append(c)
            else:
                pieces_normals.append(normal)
        if face and not along:
            continue
        thin = False
        normals.update(dict.fromkeys(n for n in pieces_normals if any(n)))
        if divisions:
            kept = _without(piece, drop)
        else:
            for c in piece.get_constraints():
                if c.is_equality() or not _is_spanned(_normal(c, width), [*rows, *equal] if along else rows):
                    kept = kept.add_constraint(c)
        result = result.union(isl.Set.from_basic_set(kept))
    result = result.coalesce().drop_unused_params()
    names = tuple(str(result.get_dim_name(isl.dim_type.param, k)) for k in range(result.dim(isl.dim_type.param)))
    return Interior(str(result), tuple(normals), thin, names)


def _without(piece: Any, drop: Sequence[Any]) -> Any:
    """``piece`` without the given constraints; divisions keep their definitions."""
    unwanted = {str(c) for c in drop}
    kept = isl.BasicSet.universe(piece.get_space())
    for c in piece.get_constraints():
        if str(c) not in unwanted:
            kept = kept.intersect(isl.BasicSet.from_constraint(c))
    return kept


def _normal(c: Any, width: int) -> Vector:
    return tuple(c.get_coefficient_val(isl.dim_type.set, k).to_python() for k in range(width))


def _uses_division(c: Any) -> bool:
    return any(
        not c.get_coefficient_val(isl.dim_type.div, k).is_zero()
        for k in range(c.get_local_space().dim(isl.dim_type.div))
    )


def _is_spanned(normal: Vector, rows: Sequence[Vector]) -> bool:
    """Whether ``normal`` is a rational combination of ``rows``."""
    return _rank([*rows, normal]) == _rank(rows)


def _rank(rows: Sequence[Vector]) -> int:
    work, done = [list(r) for r in rows], 0
    for column in range(len(work[0]) if work else 0):
        pivot = next((r for r in range(done, len(work)) if work[r][column]), None)
        if pivot is None:
            continue
        work[done], work[pivot] = work[pivot], work[done]
        for r in range(done + 1, len(work)):
            if work[r][column]:
                a, b = work[done][column], work[r][column]
                work[r] = [a * y - b * x for x, y in zip(work[done], work[r], strict=True)]
        done += 1
    return done


def dataflow(accesses: Sequence[NestAccess]) -> Dataflow:
    """Exact value-based flow among ``accesses``, in the order that their ``order`` gives.

    Raises :class:`TooHard` when isl gives up or a last write does not exist (an unbounded nest).
    """
    try:
        return _dataflow(accesses)
    except isl.Error as error:
        if "unbounded optimum" in str(error):
            raise TooHard("a read takes its value from the far end of the nest, not from a tile nearby") from error
        raise TooHard("too many cases") from error


def _dataflow(accesses: Sequence[NestAccess]) -> Dataflow:
    ctx = context()
    depth = max((len(a.iterators) for a in accesses), default=0)
    arrays = {name: k for k, name in enumerate(sorted({a.array for a in accesses}))}
    reads: Any = None
    writes: Any = None
    times: Any = None
    for a in accesses:
        touch = _named(a, ctx, f"E{arrays[a.array]}")
        entries = []
        for k in range(depth + 1):
            entries.append(str(a.order[k]) if k < len(a.order) else "0")
            if k < depth:
                down = k < len(a.backwards) and a.backwards[k]
                entries.append(("-" if down else "") + a.iterators[k] if k < len(a.iterators) else "0")
        time = isl.Map(f"{{ S{a.id}[{', '.join(a.iterators)}] -> [{', '.join(entries)}] }}", context=ctx)
        times = _plus(times, time)
        if a.kind == "read":
            reads = _plus(reads, touch)
        else:
            writes = _plus(writes, touch)
    if reads is None:
        return Dataflow((), ())
    if writes is None:
        writes = isl.UnionMap("{ }", context=ctx)
    info = isl.UnionAccessInfo.from_sink(reads).set_must_source(writes).set_schedule_map(times)
    flow = info.compute_flow()
    dependences: list[Dependence] = []

    def note(relation: Any) -> None:
        back = relation.reverse().coalesce()
        reader = int(back.get_tuple_name(isl.dim_type.in_)[1:])
        writer = int(back.get_tuple_name(isl.dim_type.out)[1:])
        plain = back.reset_tuple_id(isl.dim_type.in_).reset_tuple_id(isl.dim_type.out)
        dependences.append(Dependence(reader, writer, str(plain)))

    flow.get_must_dependence().foreach_map(note)
    outside: list[tuple[int, str]] = []
    flow.get_must_no_source().domain().foreach_set(
        lambda s: outside.append((int(s.get_tuple_name()[1:]), str(s.coalesce().reset_tuple_id())))
    )
    return Dataflow(
        tuple(sorted(dependences, key=lambda d: (d.reader, d.writer))), tuple(sorted(outside, key=lambda item: item[0]))
    )


def _named(a: NestAccess, ctx: Any, element: str) -> Any:
    touch = isl.Map(a.map, context=ctx).intersect_domain(isl.Set(a.domain, context=ctx))
    return touch.set_tuple_name(isl.dim_type.in_, f"S{a.id}").set_tuple_name(isl.dim_type.out, element)


def _plus(total: Any, part: Any) -> Any:
    union = isl.UnionMap.from_map(part)
    return union if total is None else total.union(union)


Function = tuple[tuple[Vector, ...], Vector]
"""``(A, b)``: x -> A x + b."""


def matrices(relation: str) -> tuple[Function, ...] | None:
    """The affine functions that a single-valued relation is made of; None as :func:`pieces`."""
    functions = pieces(relation)
    return None if functions is None else tuple(functions)


def pieces(relation: str) -> dict[Function, str] | None:
    """The affine functions that a single-valued relation is made of, each with its domain.

    None when some piece is no integer affine function of its input (a division, several values).
    """
    whole = isl.Map(relation, context=context()).coalesce()
    if not whole.is_single_valued():
        return None
    domains: dict[Function, Any] = {}
    functions: list[tuple[Any, Any]] = []
    isl.PwMultiAff.from_map(whole).foreach_piece(lambda domain, function: functions.append((domain, function)))
    for domain, function in functions:
        rows, constants = [], []
        for k in range(function.dim(isl.dim_type.out)):
            aff = function.get_aff(k)
            divisions = range(aff.dim(isl.dim_type.div))
            if any(not aff.get_coefficient_val(isl.dim_type.div, d).is_zero() for d in divisions):
                return None
            if not aff.get_denominator_val().is_one():
                return None
            inputs = range(aff.dim(isl.dim_type.in_))
            rows.append(tuple(aff.get_coefficient_val(isl.dim_type.in_, d).to_python() for d in inputs))
            constants.append(aff.get_constant_val().to_python())
        key = (tuple(rows), tuple(constants))
        domains[key] = domain if key not in domains else domains[key].union(domain)
    return {key: str(domain.coalesce()) for key, domain in domains.items()}


def violation(
    dependence: Dependence, reader_plane: Vector, writer_plane: Vector
) -> tuple[int, dict[str, Vector]] | None:
    """A pair of iterations with form(reader) < form(writer): the difference and both iterations; None if legal."""
    try:
        relation = isl.Map(dependence.relation, context=context())
        n_in, n_out = relation.dim(isl.dim_type.in_), relation.dim(isl.dim_type.out)
        ins, outs = [f"x{k}" for k in range(n_in)], [f"y{k}" for k in range(n_out)]
        left, right = plane_text(reader_plane, ins), plane_text(writer_plane, outs)
        bad = relation.intersect(
            isl.Map(f"{{ [{', '.join(ins)}] -> [{', '.join(outs)}] : {left} < {right} }}", context=relation.get_ctx())
        )
        if bad.is_empty():
            return None
        point = bad.wrap().sample_point()
        values = [point.get_coordinate_val(isl.dim_type.set, k).to_python() for k in range(n_in + n_out)]
    except isl.Error as error:
        raise TooHard(str(error)) from error
    reader, writer = tuple(values[:n_in]), tuple(values[n_in:])
    distance = sum(c * v for c, v in zip(reader_plane, (*reader, 1), strict=True)) - sum(
        c * v for c, v in zip(writer_plane, (*writer, 1), strict=True)
    )
    return distance, {"reader": reader, "writer": writer}


def least_distance(dependence: Dependence, reader_plane: Vector, writer_plane: Vector) -> int | None:
    """Least plane(reader) - plane(writer) over a dependence; None when it is unbounded below."""
    try:
        relation = isl.Map(dependence.relation, context=context())
        ins = [f"x{k}" for k in range(relation.dim(isl.dim_type.in_))]
        outs = [f"y{k}" for k in range(relation.dim(isl.dim_type.out))]
        text = f"{plane_text(reader_plane, ins)} - ({plane_text(writer_plane, outs)})"
        values = relation.wrap().apply(
            isl.Map(f"{{ [[{', '.join(ins)}] -> [{', '.join(outs)}]] -> [{text}] }}", context=relation.get_ctx())
        )
        least = values.project_out_all_params().dim_min_val(0)
    except isl.Error as error:
        raise TooHard(str(error)) from error
    return int(least.to_python()) if least.is_int() else None


def widened(
    domain: str, touch: str, iterators: Sequence[str], names: Sequence[str], fixed: Sequence[str]
) -> tuple[str, str]:
    """A domain and an access map with iterators ``names`` added, which are ``fixed`` (isl conditions)."""
    ctx = context()
    width, more = len(iterators), len(names)
    every = isl.Set(f"{{ [{', '.join([*iterators, *names])}] : {' and '.join(fixed)} }}", context=ctx)
    points = isl.Set(domain, context=ctx).insert_dims(isl.dim_type.set, width, more).intersect(every)
    return str(points), str(isl.Map(touch, context=ctx).insert_dims(isl.dim_type.in_, width, more))


def has_common_interior(domains: Sequence[tuple[str, Sequence[Vector]]]) -> bool:
    """Whether one tile position can lie inside all ``(domain, planes)``: their images under the planes meet."""
    ctx = context()
    meet = None
    for domain, planes in domains:
        points = isl.Set(domain, context=ctx).remove_divs()
        width = points.dim(isl.dim_type.set)
        names = [f"x{k}" for k in range(width)]
        forms = [plane_text(plane, names) for plane in planes]
        image = points.apply(isl.Map(f"{{ [{', '.join(names)}] -> [{', '.join(forms)}] }}", context=ctx))
        image = image.remove_divs()  # strides and offsets of statements do not keep tiles apart
        meet = image if meet is None else meet.intersect(image)
    return meet is None or not meet.is_empty()


def convex_pieces(domain: str) -> tuple[str, ...]:
    """The basic sets that ``domain`` is made of, implicit equalities detected."""
    points = isl.Set(domain, context=context()).coalesce()
    return tuple(str(isl.Set.from_basic_set(p.detect_equalities())) for p in points.get_basic_sets())


def largest(domain: str, form: Sequence[int]) -> int | None:
    """Greatest value of a linear form over ``domain``; None when it has none."""
    points = isl.Set(domain, context=context())
    names = [f"x{k}" for k in range(points.dim(isl.dim_type.set))]
    text = " + ".join(f"{c}*{n}" for c, n in zip(form, names, strict=True) if c) or "0"
    values = points.apply(isl.Map(f"{{ [{', '.join(names)}] -> [{text}] }}", context=points.get_ctx()))
    most = values.project_out_all_params().dim_max_val(0)
    return int(most.to_python()) if most.is_int() else None
