"""The box of a nest whose bounds vary: the values that each iterator takes at all, and which of them an iteration has.

A loop may end, or begin, where other iterators say (a triangle). It is taken with all values that its iterator has in
any iteration; which of these exist is tested as the source tests it, in the source's own words. A loop that begins
where others say and always has as many iterations (a band) is taken from there on, with no iteration to spare.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from hlspart.expand.region import Refusal, first_value
from hlspart.expand.texts import affine_text
from hlspart.model.access import Access, AccessAnalysis, Affine, LoopInfo
from hlspart.model.program import (
    Binary,
    Cast,
    Const,
    Expr,
    Loop,
    Name,
    Program,
    ScalarType,
    Unary,
    walk,
)
from hlspart.sets.dataflow import largest

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


class LoopBase(Struct, frozen=True):
    """What other iterators add to the values of one, as ``terms`` of them and as C; ``variables`` are theirs."""

    terms: tuple[tuple[str, int], ...]
    text: str
    variables: tuple[int, ...]


class LoopBox(Struct, frozen=True):
    """``trips`` values from ``start`` on, ``stride`` apart (below 0: downwards), and behind a ``base``.

    An iteration exists where its value is at least ``first``, as far as that varies, and where ``test`` holds, the
    part of the loop's test that names other variables.
    """

    start: int
    stride: int
    trips: int
    first: Expr | None = None
    test: tuple[Expr, ...] = ()
    base: LoopBase | None = None

    @property
    def last(self) -> int:
        """The one behind all others."""
        return self.start + self.stride * (self.trips - 1)

    @property
    def varies(self) -> bool:
        """Whether some of the values are not there in some iteration of the loops around."""
        return self.first is not None or bool(self.test)

    @property
    def words(self) -> tuple[Expr, ...]:
        """The expressions that tell which of them are."""
        return (*(() if self.first is None else (self.first,)), *self.test)


def box(program: Program, analysis: AccessAnalysis, loop: Loop, accesses: Iterable[Access]) -> LoopBox:
    """The box of a loop; ``accesses``: those of its nest. Raises :class:`Refusal`."""
    info = analysis.loops[loop.id]
    if info.lower is None or not info.step:
        raise Refusal("trip-count", f"the loop {loop.name} does not count", loop.header)
    if info.trip_count.max == 0:
        raise Refusal("trip-count", f"{loop.name} has no iteration", loop.header)
    if info.trip_count.exact is not None:
        base = _base(program, analysis, loop, info.lower) if info.lower.terms else None
        return LoopBox(info.lower.const, info.step, info.trip_count.exact, base=base)
    ends = _ends(info, accesses)
    if ends is None:
        raise Refusal("trip-count", f"the bounds of {loop.name} are not known", loop.header)
    if info.step < 0:
        raise Refusal("trip-count", f"{loop.name} counts down between bounds that vary", loop.header)
    moves = bool(info.lower.terms)
    if moves and info.step != 1:
        why = f"{loop.name} starts where other iterators say, and takes more than one at a time"
        raise Refusal("trip-count", why, loop.header)
    low, high = ends if moves else (info.lower.const, ends[1])
    first = first_value(program, loop) if moves else None
    test = tuple(_tests(program, loop, info))
    if first is not None:
        _plain(program, loop, info, first)
    return LoopBox(low, info.step, (high - low) // info.step + 1, first, test)


def _base(program: Program, analysis: AccessAnalysis, loop: Loop, lower: Affine) -> LoopBase:
    at = loop.at.span
    around = (
        x for x in program.loops.values() if x.at.span.path == at.path and x.at.span.start <= at.start < x.at.span.end
    )
    counters = {(i := analysis.loops[x.id]).iterator: i.variable for x in around}  # others may have iterators of a name
    text = affine_text(program, analysis, loop.function, Affine(lower.terms, 0))
    return LoopBase(lower.terms, text, tuple(v for n in lower.names if (v := counters.get(n)) is not None))


def _ends(info: LoopInfo, accesses: Iterable[Access]) -> tuple[int, int] | None:
    """The least and the greatest value of an iterator in iterations that access something."""
    iterator = info.iterator
    domains = {(a.domain, a.iterators) for a in accesses if info.loop in a.loops and iterator in a.iterators}
    ends = []
    for domain, names in sorted(domains):
        form = [int(name == iterator) for name in names]
        high, low = largest(domain, form), largest(domain, [-c for c in form])
        if high is None or low is None:
            return None
        ends.append((-low, high))
    return (min(low for low, _ in ends), max(high for _, high in ends)) if ends else None


def _tests(program: Program, loop: Loop, info: LoopInfo) -> Iterable[Expr]:
    """The parts of a test that other variables decide. Raises :class:`Refusal` where it may come true again."""
    todo = [loop.test]
    while todo:
        test = todo.pop()
        if isinstance(test, Binary) and test.op == "&&":
            todo += [test.left, test.right]
            continue
        if not isinstance(test, Binary) or test.op not in _TURNED:
            raise Refusal("trip-count", f"the test of {loop.name} is no comparison with its iterator", loop.header)
        mine, other, op = test.left, test.right, test.op
        if not (isinstance(mine, Name) and mine.variable == info.variable):
            mine, other, op = test.right, test.left, _TURNED[test.op]
        if not (isinstance(mine, Name) and mine.variable == info.variable and op in ("<", "<=")):
            raise Refusal("trip-count", f"the test of {loop.name} is no upper bound of its iterator", loop.header)
        if all(program.variable(e.variable).const for e in walk(other) if isinstance(e, Name)):
            continue
        _plain(program, loop, info, other)
        if not test.at.editable:
            raise Refusal("macro", f"a macro makes the test of {loop.name}", loop.header)
        yield test


def _plain(program: Program, loop: Loop, info: LoopInfo, bound: Expr) -> None:
    """Raise unless a bound is simple arithmetic that is compared with the iterator as it is."""
    counter = None if info.variable is None else program.variable(info.variable).type
    for e in walk(bound):
        if isinstance(e, Name) and e.variable == info.variable:
            raise Refusal("trip-count", f"a bound of {loop.name} names its own iterator", loop.header)
        if not isinstance(e, Name | Const | Binary | Unary | Cast) or (isinstance(e, Unary) and e.op in ("&", "*")):
            raise Refusal("trip-count", f"a bound of {loop.name} is no sum of iterators", loop.header)
    kind = bound.type
    if not isinstance(kind, ScalarType) or not isinstance(counter, ScalarType) or kind.signed != counter.signed:
        raise Refusal("trip-count", f"a bound of {loop.name} has another sign than its iterator", loop.header)


def bounds_named(boxes: Sequence[LoopBox]) -> frozenset[int]:
    """Variables that tests of bounds name, and those that bases consist of."""
    return frozenset(tested(boxes)).union(*(b.base.variables for b in boxes if b.base is not None))


def tested(boxes: Sequence[LoopBox]) -> Iterator[int]:
    """Variables that tests of bounds name."""
    return (e.variable for b in boxes for w in b.words for e in walk(w) if isinstance(e, Name))
