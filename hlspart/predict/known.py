"""Predictions that are kept: those of one code under the same memories, and the same directives that concern them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from typing import Any, TypeVar, cast

from msgspec import Struct

from hlspart.hardware.memory import Memory
from hlspart.hardware.storage import Storage
from hlspart.model.access import AccessAnalysis
from hlspart.model.code import once_per_code
from hlspart.model.directives import Directive
from hlspart.model.program import Program
from hlspart.targets import Target

T = TypeVar("T")

MOST = 24  # results that are kept of one loop or function
#: Of no concern to functions that reach none of those in which they stand; arrays of other functions are memories.
_OF_A_FUNCTION = frozenset({"allocation", "dependence", "loop_flatten", "loop_tripcount", "pipeline", "unroll"})


class Premises(Struct, frozen=True, eq=False):
    """All that a prediction of some functions of one code depends on; ``how``: what else was asked for."""

    analysis: AccessAnalysis
    target: Target  # without what it does to memories unasked, which ``memories`` has
    beside: tuple[Directive, ...]  # directives that concern it and are no partitions
    memories: tuple[tuple[Memory, bool, bool, bool], ...]
    unrolled: frozenset[int]
    how: tuple[object, ...]

    @staticmethod
    def of(
        program: Program,
        storage: Storage,
        functions: Collection[str],
        arrays: Iterable[int],
        how: tuple[object, ...] = (),
    ) -> Premises:
        """What to ask about ``functions``, which access ``arrays``."""

        wanted = sorted(arrays)

        def concerns(d: Directive) -> bool:
            if d.kind == "array_partition" and d.modelled:
                return False
            if d.kind == "bind_storage":
                return not {*wanted}.isdisjoint(d.variables)
            return d.function in functions or d.kind not in _OF_A_FUNCTION

        def memory(v: int) -> tuple[Memory, bool, bool, bool]:
            pragma, auto = (storage.may_partition(v, origin) for origin in ("pragma", "auto"))
            return storage.memory(v), storage.has_unknown_ports(v), pragma, auto

        automatic = storage.automatic
        return Premises(
            storage.analysis,
            storage.target.unaided,
            tuple(filter(concerns, program.directives)),
            tuple(memory(v) for v in wanted),
            frozenset(x for x in automatic.unrolled & program.loops.keys() if program.loops[x].function in functions),
            (*how, automatic.tables),
        )

    def same(self, other: Premises) -> bool:
        """Whether the answer is the same."""
        return (
            self.analysis is other.analysis
            and (self.how, self.unrolled, self.memories) == (other.how, other.unrolled, other.memories)
            and self.beside == other.beside
            and self.target == other.target
        )


@once_per_code(8)
def _kept(program: Program) -> defaultdict[tuple[str, int | None], list[tuple[Premises, Any]]]:
    return defaultdict(list)


def once(program: Program, what: tuple[str, int | None], asked: Premises, compute: Callable[[], T]) -> T:
    """What ``compute`` says of a function or a loop of it: as it is kept, else computed and kept."""
    found = _kept(program)[what]
    for other, result in reversed(found):
        if other.same(asked):
            return cast(T, result)
    made = compute()
    found.append((asked, made))
    del found[:-MOST]
    return made
