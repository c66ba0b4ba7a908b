"""How long the values of one array live: which touch of it reads what which other one wrote, across which loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import islpy as isl

from hlspart.model.access import LoopInfo
from hlspart.model.buffers import ArrayValues, Touch, Value
from hlspart.sets.dataflow import context
from hlspart.sets.region import TooHard


def values(touches: Sequence[Touch], extents: Sequence[int]) -> ArrayValues:
    """The flow of values through an array of ``extents`` within one call of its function.

    Reads and writes that are not exact count as possible ones. Raises TooHard when isl gives up.
    """
    try:
        return _values(touches, extents)
    except isl.Error as error:
        raise TooHard("its accesses have too many cases") from error


def _values(touches: Sequence[Touch], extents: Sequence[int]) -> ArrayValues:
    ctx = context()
    depth = max((len(t.iterators) for t in touches), default=0)
    parts: dict[tuple[str, bool], Any] = {}
    times: Any = isl.UnionMap("{ }", context=ctx)
    for t in touches:
        key = (t.kind, t.must or t.kind == "read")
        relation = _relation(t, extents, ctx)
        parts[key] = _plus(parts.get(key), relation)
        times = times.union(isl.UnionMap.from_map(_time(t, depth, ctx)))
    none = isl.UnionMap("{ }", context=ctx)
    reads = parts.get(("read", True), none)
    info = isl.UnionAccessInfo.from_sink(reads).set_must_source(parts.get(("write", True), none))
    info = info.set_may_source(parts.get(("write", False), none)).set_schedule_map(times)
    flow = info.compute_flow()
    known = {t.id: t for t in touches}
    values: list[Value] = []

    def note(relation: Any) -> None:
        writer, reader = _number(relation, isl.dim_type.in_), _number(relation, isl.dim_type.out)
        values.append(Value(writer, reader, _carried(relation, known[writer], known[reader], ctx)))

    flow.get_may_dependence().foreach_map(note)
    unwritten: list[int] = []
    flow.get_may_no_source().domain().foreach_set(lambda s: unwritten.append(int(s.get_tuple_name()[1:])))
    return ArrayValues(tuple(sorted(values, key=lambda v: (v.writer, v.reader))), tuple(sorted(unwritten)))


def overtakes(reads: Sequence[Touch], writes: Sequence[Touch], extents: Sequence[int]) -> bool:
    """Whether some of ``writes`` may reach an element before one of ``reads`` (of another array) reaches its equal.

    If not, the written array can take the place of the one read. Raises TooHard when isl gives up.
    """
    try:
        ctx = context()
        depth = max(len(t.iterators) for t in (*reads, *writes))
        for read in reads:
            for write in writes:
                same = _relation(write, extents, ctx).apply_range(_relation(read, extents, ctx).reverse())
                before = isl.UnionMap.from_map(_time(write, depth, ctx)).lex_lt_union_map(
                    isl.UnionMap.from_map(_time(read, depth, ctx))
                )
                if not isl.UnionMap.from_map(same).intersect(before).is_empty():
                    return True
        return False
    except isl.Error as error:
        raise TooHard("its accesses have too many cases") from error


def reach(t: Touch) -> str | None:
    """All elements that a touch reaches, as a map from the one iteration ``[]``; None where these depend on values."""
    if t.map is None:
        return None
    ctx = context()
    elements = isl.Map(t.map, context=ctx).intersect_domain(isl.Set(t.domain, context=ctx)).range()
    elements = elements.drop_unused_params().coalesce()
    if elements.dim(isl.dim_type.param):
        return None
    return str(isl.Map.from_domain_and_range(isl.Set("{ [] }", context=ctx), elements))


def iterations(loops: Sequence[LoopInfo]) -> str | None:
    """All iterations of loops around each other whose bounds are numbers, as a set; None where some are not."""
    where = []
    for loop in loops:
        lower, count = loop.lower, loop.trip_count
        if lower is None or lower.terms or not loop.step or count.exact is None or loop.exits:
            return None
        last, step, it = lower.const + loop.step * (count.exact - 1), abs(loop.step), loop.iterator
        least, most = sorted((lower.const, last))
        where.append(f"{least} <= {it} <= {most} and ({it} - {least}) mod {step} = 0" if count.exact else "false")
    return f"{{ [{', '.join(loop.iterator or '' for loop in loops)}] : {' and '.join(where) or 'true'} }}"


def repeated(elements: str, domain: str) -> str:
    """The elements of a map from ``[]``, in every iteration of a domain."""
    ctx = context()
    return str(isl.Map.from_domain_and_range(isl.Set(domain, context=ctx), isl.Map(elements, context=ctx).range()))


def is_covered(touches: Sequence[Touch], extents: Sequence[int]) -> bool:
    """Whether the writes that certainly happen reach every element. Raises TooHard when isl gives up."""
    try:
        ctx = context()
        element = [f"e{k}" for k in range(len(extents))]
        where = " and ".join(f"0 <= {e} < {n}" for e, n in zip(element, extents, strict=True)) or "true"
        left = isl.Set(f"{{ E[{', '.join(element)}] : {where} }}", context=ctx)
        for t in touches:
            if t.kind == "write" and t.must:
                left = left.subtract(_relation(t, extents, ctx).range())
        return bool(left.is_empty())
    except isl.Error as error:
        raise TooHard("its accesses have too many cases") from error


def _relation(t: Touch, extents: Sequence[int], ctx: Any) -> Any:
    """Iterations to elements."""
    if t.map is None:
        element = [f"e{k}" for k in range(len(extents))]
        where = " and ".join(f"0 <= {e} < {n}" for e, n in zip(element, extents, strict=True)) or "true"
        relation = isl.Map(f"{{ [{', '.join(t.iterators)}] -> [{', '.join(element)}] : {where} }}", context=ctx)
    else:
        relation = isl.Map(t.map, context=ctx)
    relation = relation.intersect_domain(isl.Set(t.domain, context=ctx))
    return relation.set_tuple_name(isl.dim_type.in_, f"S{t.id}").set_tuple_name(isl.dim_type.out, "E")


def _time(t: Touch, depth: int, ctx: Any) -> Any:
    entries = []
    for k in range(depth + 1):
        entries.append(str(t.order[k]) if k < len(t.order) else "0")
        if k < depth:
            sign = "-" if k < len(t.backwards) and t.backwards[k] else ""
            entries.append(sign + t.iterators[k] if k < len(t.iterators) else "0")
    return isl.Map(f"{{ S{t.id}[{', '.join(t.iterators)}] -> [{', '.join(entries)}] }}", context=ctx)


def _plus(total: Any, part: Any) -> Any:
    union = isl.UnionMap.from_map(part)
    return union if total is None else total.union(union)


def _number(relation: Any, side: Any) -> int:
    return int(relation.get_tuple_name(side)[1:])


def _carried(relation: Any, writer: Touch, reader: Touch, ctx: Any) -> int | None:
    """Outermost common loop of whose iterations some pair has two."""
    plain = relation.reset_tuple_id(isl.dim_type.in_).reset_tuple_id(isl.dim_type.out)
    ins, outs = [f"x{k}" for k in range(len(writer.iterators))], [f"y{k}" for k in range(len(reader.iterators))]
    for k, (one, other) in enumerate(zip(writer.loops, reader.loops, strict=False)):
        if one != other:
            return None
        apart = isl.Map(f"{{ [{', '.join(ins)}] -> [{', '.join(outs)}] : x{k} != y{k} }}", context=ctx)
        if not plain.intersect(apart).is_empty():
            return k
    return None
