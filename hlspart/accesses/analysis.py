"""The access analysis of a whole program: walk every function, write accesses down, form groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest

from msgspec.structs import replace

from hlspart.accesses import algebra
from hlspart.accesses.relations import Relations
from hlspart.accesses.scope import State
from hlspart.accesses.walk import Walker
from hlspart.model.access import Access, AccessAnalysis, LoopInfo
from hlspart.model.code import once_per_code
from hlspart.model.program import Program
from hlspart.semantics.conversions import limits
from hlspart.semantics.effects import Effects, effects
from hlspart.semantics.groups import Grouping, Shape, tops


def _bounds_said(program: Program) -> object:
    """What the directives say of loops and extents."""
    wanted = (d for d in program.directives if d.kind in ("loop_tripcount", "interface") and d.usable)
    return tuple((d.kind, d.loop, d.variables, dict(d.values)) for d in wanted)


@once_per_code(64, _bounds_said)
def analyse(program: Program, top: str | None = None) -> AccessAnalysis:
    """Accesses, loops and call groups of all functions of ``program``.

    ``top`` names the design's top function: calls of it (from a test bench in the same file) then tie
    no groups. Accesses of all functions are listed in any case.
    """
    known = effects(program)
    roots = tops(program, known, top)
    grouping = Grouping(program, known, top if top in roots else None)
    fixed = fixed_parameters(program, known, roots)
    accesses: list[Access] = []
    loops: dict[int, LoopInfo] = {}
    for function in program.functions.values():
        walker = Walker(program, known, function, fixed)
        accesses += _walked(walker, grouping.shapes, len(accesses))
        loops |= walker.infos
    groups = grouping.groups(roots, accesses)
    group_of = {member: g.id for g in groups for member in g.members}
    return AccessAnalysis(tuple(accesses), loops, groups, roots, group_of, grouping.shapes)


def proved(program: Program, top: str | None = None) -> AccessAnalysis:
    """:func:`analyse` without what LOOP_TRIPCOUNT says, which is no promise (UG1399: it changes reports alone).

    But an index that is inside its array by that directive is taken as inside, since C has no other.
    """
    alone, said = analyse(_unpromised(program), top), analyse(program, top)
    if alone is said:
        return said
    pairs = zip(alone.accesses, said.accesses, strict=True)
    return replace(alone, accesses=tuple(replace(a, in_range=a.in_range or b.in_range) for a, b in pairs))


def _unpromised(program: Program) -> Program:
    return replace(program, directives=tuple(d for d in program.directives if d.kind != "loop_tripcount"))


def with_scalars(
    program: Program, function: str, scalars: frozenset[int], top: str | None = None
) -> tuple[Access, ...]:
    """Accesses of ``function`` to arrays and to ``scalars`` (variable ids), these as arrays without dimensions.

    In order of evaluation, as in :func:`proved`; ``ref`` is negative for a scalar.
    """
    program = _unpromised(program)
    known = effects(program)
    roots = tops(program, known, top)
    walker = Walker(program, known, program.functions[function], fixed_parameters(program, known, roots))
    walker.watched = scalars
    return tuple(_walked(walker, analyse(program, top).shapes))


def of_top(program: Program, top: str) -> tuple[tuple[Access, ...], dict[int, LoopInfo]]:
    """Accesses and loops of the top function alone, as in :func:`analyse`, which walks all functions."""
    known = effects(program)
    walker = Walker(program, known, program.functions[top], fixed_parameters(program, known, (top,)))
    accesses = _walked(walker, Grouping(program, known, top).shapes)
    return tuple(accesses), walker.infos


def _walked(walker: Walker, shapes: Mapping[int, Shape], first: int = 0) -> list[Access]:
    """The accesses of one function, numbered from ``first``."""
    walker.run()
    relations = Relations(walker.program, shapes, walker.called)
    return [relations.access(raw, first + k, walker.function.name) for k, raw in enumerate(walker.accesses)]


#: So many different numbers of one parameter are told apart.
MOST_NUMBERS = 8


def fixed_parameters(program: Program, known: Effects, roots: Sequence[str]) -> dict[int, tuple[int, ...]]:
    """The numbers that integer parameters have, where every call in the program gives a number.

    ``roots`` (tops) and functions whose address is taken may be called from elsewhere.
    """
    given: dict[int, set[int | None]] = {}
    for caller, calls in known.calls.items():
        walker = Walker(program, known, program.functions[caller], {}) if calls else None
        for call in calls:
            function = program.functions.get(call.function or "")
            if walker is None or function is None or function.name in roots or function.name in known.taken:
                continue
            for ident, arg in zip_longest(function.params, call.args[: len(function.params)]):
                span = None if arg is None else limits(program.variable(ident).type)
                number = None if span is None else algebra.constant(walker.value(arg, State({}, algebra.UNIVERSE)))
                fits = number is not None and span is not None and span[0] <= number <= span[1]
                given.setdefault(ident, set()).add(number if fits else None)
    numbers = {ident: tuple(sorted(n for n in values if n is not None)) for ident, values in given.items()}
    return {i: n for i, n in numbers.items() if 0 < len(n) <= MOST_NUMBERS and None not in given[i]}
