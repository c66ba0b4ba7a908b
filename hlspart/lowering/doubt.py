"""What is not known of a loop: one record, made where it arises, solved and said in one place."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct

from hlspart.lowering.graph import Edge, Op
from hlspart.model.causes import Cause


class Doubt(Struct, frozen=True):
    """Something that is not known of a loop, and how far it may relax or tighten the problem.

    It relaxes by ``fewer``, kinds of operators that may take as few states as they can, by ``gone``, orders that may
    not hold, by ``passed``, operations that recurrences may not go through, by ``left``, loads that may have left the
    loop, and by ``idle``, which says of an array, given the II of the buses that are known, whether it may ask for no
    port. It tightens when it is ``slow``, so that operators and responses may take their most states, by ``more``,
    orders that may hold as well, and by ``ii``, which may follow from it alone. An iteration may have ``longer`` more
    states, side by side with those of other doubts; ``endless``: its states are not known. ``banks``: it is about the
    banks that the tool sees, which are no matter of the ideal bank model.
    """

    cause: Cause
    fewer: frozenset[str] = frozenset()
    gone: frozenset[Edge] = frozenset()
    passed: frozenset[int] = frozenset()
    left: frozenset[int] = frozenset()
    idle: Callable[[int, int], bool] | None = None
    slow: bool = False
    more: tuple[Edge, ...] = ()
    ii: int = 0
    longer: int = 0
    endless: bool = False
    banks: bool = False


def about(text: str, ops: Iterable[Op]) -> Cause:
    """A cause with the lines of operations."""
    return Cause(text, tuple(sorted({op.line for op in ops})))


def open_latency(ops: Iterable[Op]) -> Cause:
    """The cause of operations of unknown latency: on types that nothing says, or bound and taken apart."""
    ops = list(ops)
    if copies := [op for op in ops if op.of_copies]:
        return about("how many copies a loop is unrolled into is a parameter that nothing here says", copies)
    if all(op.impl is not None for op in ops):
        return about("how BIND_OP is kept on a product with a constant is not known", ops)
    return about("the latency of an operator on a type that nothing here says is not known", ops)
