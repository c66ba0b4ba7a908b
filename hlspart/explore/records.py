"""Nests as the search and the C need them: loops, boxes, operands with their windows, statements beside inner loops."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct, field

from hlspart.expand.region import Refusal
from hlspart.explore.box import LoopBox
from hlspart.model.access import Affine
from hlspart.model.exploring import Operand, TiledNest
from hlspart.model.program import ArrayRef, Block, Declare, Function, Loop, Program, Stmt, Variable, walk
from hlspart.semantics.effects import statement_expressions

When = Literal["first", "last", "every"]


class OperandWindow(Struct, frozen=True):
    """Where in its array an operand's tile lies: per dimension the constants and the elements that are touched."""

    variable: Variable
    low: tuple[int, ...]  # least constant of an index, inner loops included
    range: tuple[tuple[int, int], ...]
    exact: tuple[bool, ...]  # every element of a tile along a dimension is written
    moved: tuple[tuple[tuple[str, int], ...], ...]  # per dimension: with iterators of the loops around the nest
    shifts: tuple[tuple[int, int], ...]  # the least and the most that these come to
    still: tuple[bool, ...]  # dimensions along which no loop moves it, though indices may name some


class HeldArray(Struct, frozen=True):
    """An argument that stays on the chip while the nests of a region run; ``lanes``: words that copies move at once."""

    variable: Variable
    element_bytes: int
    loaded: bool
    stored: bool
    lanes: int

    @property
    def dims(self) -> tuple[int, ...]:
        """Extents of the whole array."""
        shape = self.variable.as_array
        return tuple(d or 1 for d in shape.dims) if shape is not None else ()

    @property
    def words(self) -> int:
        """All of its elements."""
        return math.prod(self.dims)


def boxes_meet(trips: Sequence[int], one: tuple[Operand, OperandWindow], other: tuple[Operand, OperandWindow]) -> bool:
    """Whether the boxes may meet that two written windows of an array are stored as, with the words between theirs.

    What is only read meets none: words that go along are stored as they came. ``trips``: iterations of each loop.
    """
    if not (one[0].written and other[0].written):
        return False
    for d in range(len(other[0].dims)):
        ends = []
        for operand, window in (one, other):
            low = window.low[d] + sum(min(0, c) * (trips[k] - 1) for k, c in operand.dims[d].terms)
            ends.append((low, low + operand.dims[d].words(tuple(trips)) - 1))
        if one[1].moved[d] == other[1].moved[d] and (ends[0][1] < ends[1][0] or ends[1][1] < ends[0][0]):
            return False
    return True


class ReadNest(Struct, frozen=True, eq=False):
    """A nest with its place in the text. ``kept``: (level, statement, when) for what stands beside an inner loop: it
    runs in the ``first`` or the ``last`` iteration of the loops below ``level``, or in ``every`` one: a value that
    does not change.

    ``stands_for``: scalars that carry a sum to the one element that takes it. ``private``: others that iterations give
    a first value, with the number of their operand, or None where they need no more than the body of the innermost
    loop. ``dropped``: statements that only hand a sum over, or declare such a scalar. ``around``: loops in whose body
    the nest stands. ``moved``: variables that count those of them that windows move with, by iterator. ``roots``: what
    parameters of its function stand for among the arguments of the top function. ``held``: arrays that its region keeps
    on the chip, which come in before its ``first`` nest and leave behind its ``last``. ``pointers``: declarations of
    those to operands, which the C does not need.
    """

    nest: TiledNest
    function: Function
    around: tuple[Loop, ...]
    loops: tuple[Loop, ...]
    boxes: tuple[LoopBox, ...]
    kept: tuple[tuple[int, Stmt, When], ...]
    body: Block
    windows: tuple[OperandWindow, ...]
    scalars: tuple[Variable, ...]
    stands_for: Mapping[int, ArrayRef]
    private: Mapping[int, int | None]
    dropped: tuple[Stmt, ...]
    forms: Mapping[int, tuple[Affine, ...]]  # by id of the reference
    owner: Mapping[int, int]  # id of the reference -> number of its operand
    counters: Mapping[str, int]  # iterator of a loop of the band -> its number
    inner: Mapping[str, str]  # iterator of another loop -> its name in the text
    moved: Mapping[str, Variable]
    lost: frozenset[int]  # counters whose values nobody reads behind the nest
    roots: Mapping[int, int] = field(default_factory=dict)
    held: tuple[HeldArray, ...] = ()
    first: bool = False
    last: bool = False
    pointers: tuple[Declare, ...] = ()

    @property
    def arrays(self) -> frozenset[int]:
        """Those that it uses."""
        pairs = zip(self.nest.operands, self.windows, strict=True)
        return frozenset(w.variable.id for o, w in pairs if not o.private)

    @property
    def carries(self) -> bool:
        """Whether a scalar comes in, and leaves with the value of the last iteration."""
        return any(o.private and not o.loops for o in self.nest.operands)


class KeptNest(Struct, frozen=True, eq=False):
    """A loop nest that keeps its text, and why; ``around``: loops in whose body it stands."""

    loop: Loop
    reason: str
    refusal: Refusal
    function: Function
    around: tuple[Loop, ...] = ()


def is_named(program: Program, ref: ArrayRef, array: Variable) -> bool:
    """Whether an element's text names its array, or a macro does: no pointer or reference that leads there."""
    if ref.variable != array.id or program.text(ref.name) == array.name or ref.at.kind == "macro":
        return ref.variable == array.id
    return all(b.span != ref.name.span for b in ref.brackets)  # subscripts that a reference holds have its place


def named_otherwise(program: Program, nest: ReadNest) -> frozenset[int]:
    """Arrays of a nest with elements whose texts name a pointer, or a reference, in their place."""
    refs = (e for root in statement_expressions(program, nest.loops[0]) for e in walk(root) if isinstance(e, ArrayRef))
    windows = [(ref, nest.windows[nest.owner[ref.id]].variable) for ref in refs if ref.id in nest.owner]
    return frozenset(array.id for ref, array in windows if not is_named(program, ref, array))
