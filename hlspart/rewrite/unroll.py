"""Which loops the rewrite unrolls: where banks are decided only then (``--unroll``), and for bank-centric code."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping

from hlspart.model.access import AccessAnalysis
from hlspart.model.program import Loop, Program, Stmt, substatements, walk_statements
from hlspart.model.results import Validation
from hlspart.partition.unrolling import unroll_factors
from hlspart.rewrite.declare import element_text
from hlspart.rewrite.names import Names
from hlspart.transform.emit import texts
from hlspart.transform.forward import Forward
from hlspart.transform.printer import Unprintable
from hlspart.transform.unroll import MOST_COPIES, Spelling, Unrolling, unroll


def decided_by_unrolling(
    analysis: AccessAnalysis, validation: Validation, groups: Iterable[int]
) -> tuple[Unrolling, ...]:
    """Loops whose unrolling decides the banks of ``groups`` (A-14: u = f / gcd(f, |c * step|))."""
    wanted: dict[int, int | None] = {}
    for group in groups:
        for verdict in validation.groups[group].verdicts.values():
            if verdict.kind != "const-after-unroll" or math.prod(u for _, u in verdict.unrolls) > MOST_COPIES:
                continue
            for ident, u in verdict.unrolls:
                factor, trips = math.lcm(wanted.get(ident) or 1, u), analysis.loops[ident].trip_count.exact
                whole = trips is not None and factor >= trips
                wanted[ident] = None if whole or wanted.get(ident, 1) is None else factor
    return tuple(Unrolling(loop, factor) for loop, factor in sorted(wanted.items()))


def inside_pipelines(
    program: Program, analysis: AccessAnalysis, pipelined: frozenset[int], groups: frozenset[int]
) -> tuple[Unrolling, ...]:
    """Loops around accesses to ``groups`` that the tool unrolls into a pipeline, as the text must then.

    That is every loop inside one of ``pipelined``, and the pipelined one itself by the factor of its UNROLL.
    """
    factors = unroll_factors(program)
    unrollings: dict[int, Unrolling] = {}
    for access in analysis.accesses:
        if analysis.group_of.get(access.array) not in groups:
            continue
        outer = next((k for k, ident in enumerate(access.loops) if ident in pipelined), None)
        if outer is not None:
            unrollings.update((ident, Unrolling(ident, None)) for ident in access.loops[outer + 1 :])
            factor = factors.get(access.loops[outer], 1)
            if factor > 1:
                unrollings[access.loops[outer]] = Unrolling(access.loops[outer], factor, tested=True)
    return tuple(unrollings.values())


def is_at_once(program: Program, analysis: AccessAnalysis, pipelined: frozenset[int], group: int) -> bool:
    """Whether the tool runs several iterations of a loop around accesses to ``group`` at once."""
    factors = unroll_factors(program)
    around = {loop for a in analysis.accesses if analysis.group_of.get(a.array) == group for loop in a.loops}
    unrolled = any(factors.get(loop, 1) != 1 for loop in around)
    return unrolled or bool(inside_pipelines(program, analysis, pipelined, frozenset({group})))


def copies(analysis: AccessAnalysis, plan: Iterable[Unrolling]) -> int:
    """How often the most copied access stands in the text with these loops written out."""
    factors = {u.loop: u.factor or analysis.loops[u.loop].trip_count.exact or 1 for u in plan}
    return max((math.prod(factors.get(loop, 1) for loop in a.loops) for a in analysis.accesses), default=1)


def unrolled(program: Program, analysis: AccessAnalysis, plan: Iterable[Unrolling]) -> tuple[Program, Forward]:
    """``program`` with the loops of ``plan`` written out; a nest in which one cannot be stays as it is."""
    wanted = {u.loop: u for u in plan}
    result = _written_out(program, analysis, wanted, lambda new: None)
    try:
        texts(program, result[0])
    except Unprintable:  # of which nest is not said: each is tried on top of those before it
        return _written_out(program, analysis, wanted, lambda new: texts(program, new))
    return result


def _written_out(
    program: Program, analysis: AccessAnalysis, wanted: Mapping[int, Unrolling], check: Callable[[Program], object]
) -> tuple[Program, Forward]:
    """The nests that ``check`` lets pass, and that can be, one after the other."""
    words = words_of(program)
    result, forward = program, Forward()
    for function in program.functions.values():
        for nest in _outermost(function.body, wanted):
            try:
                new, made = result, Forward()
                for loop in (s for s in reversed(list(walk_statements(nest))) if isinstance(s, Loop)):
                    if loop.id in wanted:  # inner loops first, so that outer ones copy them unrolled
                        new, step = unroll(new, analysis.loops[loop.id], wanted[loop.id], words)
                        made = made.then(step)
                check(new)
            except Unprintable:
                continue
            result, forward = new, forward.then(made)
    return result, forward


def words_of(program: Program) -> Spelling:
    """Names and types as the texts of ``program`` say them."""
    return Spelling(Names.of(program).free, lambda variable: element_text(program, variable))


def _outermost(stmt: Stmt, wanted: Container[int]) -> Iterator[Loop]:
    """Loops of ``wanted`` that stand in no other one."""
    for inner in substatements(stmt):
        if isinstance(inner, Loop) and inner.id in wanted:
            yield inner
        else:
            yield from _outermost(inner, wanted)
