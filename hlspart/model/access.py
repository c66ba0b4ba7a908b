"""Array accesses as affine relations, loops as ranges, and the groups that calls tie together.

Sets and maps are kept as strings in isl notation, never as isl objects: records must be hashable
by value and outlive an isl context. Iterator names are those of the source, made unique inside a
nest with a suffix (``i``, ``i_2``); parameters keep their own names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from functools import cached_property
from typing import Literal, TypeVar

from msgspec import Struct, field

from hlspart.model.source import Origin

K = TypeVar("K", bound=Hashable)


class Affine(Struct, frozen=True):
    """``const + sum(coefficient * name)``; terms sorted by name, no zero coefficients."""

    terms: tuple[tuple[str, int], ...]
    const: int

    @staticmethod
    def of(terms: Mapping[str, int], const: int = 0) -> Affine:
        """Normalised form."""
        return Affine(tuple(sorted((n, c) for n, c in terms.items() if c)), const)

    def coefficient(self, name: str) -> int:
        """Coefficient of ``name``, 0 when it does not occur."""
        for n, c in self.terms:
            if n == name:
                return c
        return 0

    @property
    def names(self) -> tuple[str, ...]:
        """Names with a coefficient."""
        return tuple(n for n, _ in self.terms)

    def __add__(self, other: Affine) -> Affine:
        total = dict(self.terms)
        for n, c in other.terms:
            total[n] = total.get(n, 0) + c
        return Affine.of(total, self.const + other.const)

    def __sub__(self, other: Affine) -> Affine:
        return self + other.scaled(-1)

    def scaled(self, factor: int) -> Affine:
        """``factor`` times this form."""
        return Affine.of({n: c * factor for n, c in self.terms}, self.const * factor)

    def at(self, values: Mapping[str, int]) -> Affine:
        """With some names replaced by integers."""
        rest = {n: c for n, c in self.terms if n not in values}
        return Affine.of(rest, self.const + sum(c * values[n] for n, c in self.terms if n in values))

    def __str__(self) -> str:
        text = ""
        for n, c in self.terms:
            sign, size = ("-" if c < 0 else "+"), abs(c)
            text += f" {sign} {'' if size == 1 else size}{n}"
        if self.const or not text:
            text += f" {'-' if self.const < 0 else '+'} {abs(self.const)}"
        text = text.strip()
        return text[2:] if text.startswith("+ ") else ("-" + text[2:] if text.startswith("- ") else text)


class Bounds(Struct, frozen=True):
    """Least and greatest value; None where unknown."""

    min: int | None
    max: int | None

    @property
    def exact(self) -> int | None:
        """The one value, when both ends agree."""
        return self.min if self.min is not None and self.min == self.max else None

    def __str__(self) -> str:
        low, high = ("?" if end is None else str(end) for end in (self.min, self.max))
        return low if low == high else f"{low}..{high}"


class LoopInfo(Struct, frozen=True):
    """What analysis knows of a loop.

    ``iterator`` is the name used in sets (None when the loop has no counted form); the value of
    the iterator is ``lower + step * n`` for n = 0, 1, .. while in the loop's domain. ``step`` None
    and a ``cause`` when there is no counted form. ``trip_count`` counts iterations per entry.
    ``exits`` is True when a break, return, goto or a test that is not affine may end it earlier than
    its domain says (then trip_count.min is 0, or 1 for do loops; without any bound max is None).
    """

    loop: int
    name: str
    function: str
    line: int
    iterator: str | None
    variable: int | None
    lower: Affine | None
    step: int | None
    trip_count: Bounds
    exits: bool = False
    cause: str | None = None


class Access(Struct, frozen=True):
    """One textual access to an array element, read or write (``A[i] += 1`` gives one of each).

    ``ref`` is the id of its ArrayRef. ``loops`` are ids, outermost first; ``iterators`` the names
    of those of them that are counted (the dimensions of ``domain``), in the same order.
    ``domain``: isl set of iterations that perform it; exact only if ``exact``. ``map``: isl map
    from iterators to the element. ``count``: number of iterations in ``domain``, None when unbounded,
    symbolic or without closed form. ``index`` gives a plain affine form per dimension, None where
    only ``map`` can say it (``i/2``). When ``affine`` is False ``reason`` says why, in words, ``reason_at``
    where, and map, index and range are None. ``range``: least and greatest index per dimension
    over the domain. ``witness``: iteration at which it leaves the array's extents, when one is
    proved to exist. ``in_range``: proved inside for all iterations. ``branch``: the exclusive arms
    it stands in, as (id of the If or Switch by its order in the function, arm number).
    ``order`` is its order of evaluation in the function's text.
    """

    id: int
    ref: int
    array: int
    function: str
    kind: Literal["read", "write"]
    at: Origin
    loops: tuple[int, ...]
    iterators: tuple[str, ...]
    affine: bool
    exact: bool
    reason: str | None
    reason_at: Origin | None
    domain: str
    map: str | None
    index: tuple[Affine | None, ...] | None
    range: tuple[tuple[int | None, int | None], ...] | None
    count: int | None
    witness: Mapping[str, int] | None
    in_range: bool
    branch: tuple[tuple[int, int], ...]
    order: int


class GroupEdge(Struct, frozen=True):
    """An array handed from ``actual`` to ``formal`` (variable ids) by a call."""

    call: int
    caller: str
    callee: str
    argument: int
    actual: int
    formal: int
    at: Origin


FaultCode = Literal[
    "non-affine", "address-taken", "recursion", "function-pointer", "extern-callee", "shape-mismatch",
    "out-of-range", "volatile", "unknown-extent", "unknown-element", "partial-subscript", "cast", "opaque",
]  # fmt: skip


class GroupFault(Struct, frozen=True):
    """Why a group is not rewritten: ``code`` is stable, ``reason`` in words, with its place."""

    code: FaultCode
    reason: str
    at: Origin
    variable: int
    expression: str = ""


class ArrayGroup(Struct, frozen=True):
    """Arrays that must be laid out alike because calls connect them.

    ``faults`` name all that forbids a rewrite (non-affine accesses are listed per access, not here).
    ``top`` is True when a member is a parameter of a top function.
    """

    id: int
    members: tuple[int, ...]
    edges: tuple[GroupEdge, ...]
    faults: tuple[GroupFault, ...]
    top: bool


def _arrays(pairs: Iterable[tuple[K, int]]) -> Mapping[K, frozenset[int]]:
    arrays_of: dict[K, set[int]] = {}
    for key, array in pairs:
        arrays_of.setdefault(key, set()).add(array)
    return {key: frozenset(arrays) for key, arrays in arrays_of.items()}


def effort(divided: Mapping[int, int]) -> int:
    """What questions about so many accesses of so many divisions cost: about the squares of the divisions."""
    return sum(n * n * count for n, count in divided.items())


class AccessAnalysis(Struct, frozen=True, dict=True):
    """Result of ``hlspart.accesses.analyse``.

    ``shapes`` has the extents of arrays, and of pointers used as such: None where nothing tells one, not the
    declaration, nor an array that a call passes, nor ``INTERFACE depth=``.
    """

    accesses: tuple[Access, ...]
    loops: Mapping[int, LoopInfo]
    groups: tuple[ArrayGroup, ...]
    tops: tuple[str, ...]
    group_of: Mapping[int, int] = field(default_factory=dict)  # variable id -> group id
    shapes: Mapping[int, tuple[int | None, ...]] = field(default_factory=dict)  # by variable id

    @cached_property
    def divided(self) -> Counter[int]:
        """How many accesses have so many divisions in their map."""
        return Counter(access.map.count("floor") for access in self.accesses if access.map)

    @cached_property
    def arrays_in(self) -> Mapping[int | None, frozenset[int]]:
        """Arrays that each loop accesses, by its id; None: all that are accessed."""
        return _arrays((place, a.array) for a in self.accesses for place in (None, *a.loops))

    @cached_property
    def arrays_of(self) -> Mapping[str, frozenset[int]]:
        """Arrays that each function itself accesses."""
        return _arrays((a.function, a.array) for a in self.accesses)

    @cached_property
    def followed_nowhere(self) -> frozenset[int]:
        """Arrays with accesses whose subscripts are not known."""
        return frozenset(a.array for a in self.accesses if a.index is None)

    @cached_property
    def by_id(self) -> Mapping[int, Access]:
        """Accesses by their number."""
        return {a.id: a for a in self.accesses}

    @cached_property
    def by_reference(self) -> Mapping[tuple[int, str], Access]:
        """Accesses by their expression and what it does."""
        return {(a.ref, a.kind): a for a in self.accesses}

    def of_array(self, variable: int) -> tuple[Access, ...]:
        """Accesses of one variable."""
        return self._of_array.get(variable, ())

    @cached_property
    def _of_array(self) -> Mapping[int, tuple[Access, ...]]:
        accesses: dict[int, list[Access]] = {}
        for a in self.accesses:
            accesses.setdefault(a.array, []).append(a)
        return {array: tuple(own) for array, own in accesses.items()}
