"""Questions about exact accesses: does a DEPENDENCE deny what exists, could a FIFO serve them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hlspart.model.access import Access, AccessAnalysis
from hlspart.model.directives import Directive
from hlspart.model.program import Program
from hlspart.rules._base import FifoViolation, Witness

Kinds = tuple[str, str]
_FLOW: dict[str, Kinds] = {"raw": ("write", "read"), "war": ("read", "write"), "waw": ("write", "write")}


def carried(analysis: AccessAnalysis, directive: Directive) -> Witness | None:
    """Two accesses that meet in an element although the directive denies it, or earlier than it says.

    ``inter``: the least number of iterations between them (values that flow forward, unless a direction is given);
    ``intra``: in one iteration, distance 0. Only exact affine accesses in loops that are known exactly are judged;
    accesses meet as soon as two such iterations touch one element, whoever wrote it last.
    """
    if directive.loop is None or len(directive.variables) != 1:
        return None
    kinds = _FLOW.get(directive.choice("direction", tuple(_FLOW)) or "raw", _FLOW["raw"])
    denied = directive.choice("dependent", ("true", "false")) != "true"
    if directive.choice("type", ("inter", "intra")) == "intra":
        if not denied:
            return None
        inside = _inside(analysis, directive.loop, directive.variables[0], kinds)
        return inside or _inside(analysis, directive.loop, directive.variables[0], kinds, sure=False)
    claimed = directive.values.get("distance")
    witness = least(analysis, directive.loop, directive.variables[0], kinds)
    if witness is None and denied and claimed is None and kinds == _FLOW["raw"]:
        return least(analysis, directive.loop, directive.variables[0], kinds, sure=False)
    if witness is None or (claimed is None and not denied) or (claimed is not None and witness.distance >= claimed):
        return None
    return witness


def least(analysis: AccessAnalysis, loop: int, variable: int, kinds: Kinds, sure: bool = True) -> Witness | None:
    """The least distance, in iterations of a loop, at which accesses of two kinds meet in an element.

    Not ``sure``: those of which the first stands under a condition that may hold or not.
    """
    best: Witness | None = None
    for source, sink in _pairs(analysis, loop, variable, kinds, sure):
        distance = _distance(analysis, loop, source, sink)
        if distance is not None and (best is None or distance < best.distance):
            best = Witness(source.at, sink.at, distance, sure)
    return best


def never_meet(analysis: AccessAnalysis, loop: int, variable: int) -> bool:
    """Whether it is proved that no two iterations of a loop touch one element of an array that one of them writes."""
    inside = [a for a in analysis.accesses if a.array == variable and loop in a.loops]
    known = all(a.affine and a.exact and a.map and _counted(analysis, a) for a in inside)
    if not inside or not known:
        return False
    for kinds in _FLOW.values():
        for source, sink in _pairs(analysis, loop, variable, kinds):
            if not _comparable(loop, source, sink) or _distance(analysis, loop, source, sink) is not None:
                return False
    return True


def _pairs(
    analysis: AccessAnalysis, loop: int, variable: int, kinds: Kinds, sure: bool = True
) -> Iterator[tuple[Access, Access]]:
    inside = [a for a in analysis.accesses if a.array == variable and loop in a.loops and a.affine and a.map]
    for source in inside:
        for sink in inside:
            if (source.kind, sink.kind) == kinds and source.exact == sure and sink.exact:
                yield source, sink


def _inside(analysis: AccessAnalysis, loop: int, variable: int, kinds: Kinds, sure: bool = True) -> Witness | None:
    from hlspart.sets.carried import meet

    for source, sink in _pairs(analysis, loop, variable, kinds, sure):
        same = source.loops == sink.loops and source.iterators == sink.iterators
        later = same and source.order < sink.order and source.ref != sink.ref
        if later and source.map and sink.map and meet((source.domain, source.map), (sink.domain, sink.map)):
            return Witness(source.at, sink.at, 0)
    return None


def _counted(analysis: AccessAnalysis, access: Access) -> bool:
    infos = [analysis.loops[ident] for ident in access.loops]
    known = all(i.step is not None and i.cause is None and not i.exits for i in infos)
    return known and len(access.loops) == len(access.iterators)


def _comparable(loop: int, source: Access, sink: Access) -> bool:
    position = source.loops.index(loop)
    return source.loops[: position + 1] == sink.loops[: position + 1]


def _distance(analysis: AccessAnalysis, loop: int, source: Access, sink: Access) -> int | None:
    from hlspart.sets.carried import least_distance

    if not (_comparable(loop, source, sink) and _counted(analysis, source) and _counted(analysis, sink)):
        return None
    assert source.map is not None
    assert sink.map is not None
    step = analysis.loops[loop].step or 1
    sides = ((source.domain, source.map, len(source.loops)), (sink.domain, sink.map, len(sink.loops)))
    try:
        return least_distance(source.loops.index(loop), (step,), (1,), *sides)
    except ArithmeticError:
        return None


def unwritten(program: Program, analysis: AccessAnalysis, read: Access) -> tuple[bool, bool] | None:
    """Whether some iteration, and whether each, reads an element of a local array before any write reaches it."""
    from hlspart.sets.order import unwritten as unwritten_before

    variable = program.variable(read.array)
    writes = [a for a in analysis.of_array(variable.id) if a.kind == "write"]
    dims = analysis.shapes.get(variable.id) or variable.dims or (None,)
    steps = {ident: info.step if not info.exits else None for ident, info in analysis.loops.items()}
    return unwritten_before(read, writes, dims, steps)


def fifo_violation(program: Program, analysis: AccessAnalysis, accesses: Sequence[Access]) -> FifoViolation | None:
    """What keeps accesses of one kind to one array in one function from being those of a FIFO."""
    from hlspart.sets.order import fifo_violation as order_violation

    if not accesses:
        return None
    variable = program.variable(accesses[0].array)
    dims = analysis.shapes.get(variable.id) or variable.dims or (None,)
    steps = {ident: info.step if not info.exits else None for ident, info in analysis.loops.items()}
    step = order_violation(accesses, dims, steps)
    if step is None:
        return None
    (b, later, element), first = step.second, step.first
    if first is None:
        return FifoViolation(step.kind, b.at, later, element, None, {}, 0)
    return FifoViolation(step.kind, b.at, later, element, first[0].at, first[1], first[2])
