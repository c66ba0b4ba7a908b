"""Predictions that are kept: those of one code under the same memories, and the same directives that concern them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from functools import cached_property
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

    def is_same(self, other: Premises) -> bool:
        """Whether the answer is the same."""
        return (
            self.analysis is other.analysis
            and (self.how, self.unrolled, self.memories) == (other.how, other.unrolled, other.memories)
            and self.beside == other.beside
            and self.target == other.target
        )


class Concerns(Struct, frozen=True, dict=True):
    """What concerns predictions of ``functions`` and of loops in them, whatever arrays they access."""

    program: Program
    storage: Storage
    functions: Collection[str]

    @cached_property
    def _directives(self) -> tuple[tuple[Directive, ...], bool]:
        """Those that concern the functions, and whether some do by their arrays alone."""

        def concerns(d: Directive) -> bool:
            if d.kind == "array_partition" and d.modelled:
                return False
            return d.function in self.functions or d.kind not in _OF_A_FUNCTION or d.kind == "bind_storage"

        directives = tuple(filter(concerns, self.program.directives))
        return directives, any(d.kind == "bind_storage" for d in directives)

    @cached_property
    def _unrolled(self) -> frozenset[int]:
        loops = self.program.loops
        unrolled = self.storage.automatic.unrolled
        return frozenset(x for x in unrolled if x in loops and loops[x].function in self.functions)

    def about(self, arrays: Collection[int], how: tuple[object, ...] = ()) -> Premises:
        """What to ask about the functions, or a loop of them, that access ``arrays``."""
        storage = self.storage
        beside, bound = self._directives
        if bound:
            beside = tuple(d for d in beside if d.kind != "bind_storage" or not {*arrays}.isdisjoint(d.variables))

        def memory(v: int) -> tuple[Memory, bool, bool, bool]:
            pragma, auto = (storage.may_partition(v, origin) for origin in ("pragma", "auto"))
            return storage.memory(v), storage.has_unknown_ports(v), pragma, auto

        return Premises(
            storage.analysis,
            storage.target.unaided,
            beside,
            tuple(memory(v) for v in sorted(arrays)),
            self._unrolled,
            (*how, storage.automatic.tables),
        )


@once_per_code(8)
def _kept(program: Program) -> defaultdict[tuple[str, int | None], list[tuple[Premises, Any]]]:
    return defaultdict(list)


def once(program: Program, what: tuple[str, int | None], asked: Premises, compute: Callable[[], T]) -> T:
    """What ``compute`` says of a function or a loop of it: as it is kept, else computed and kept."""
    answer = _kept(program)[what]
    for other, result in reversed(answer):
        if other.is_same(asked):
            return cast(T, result)
    made = compute()
    answer.append((asked, made))
    del answer[:-MOST]
    return made
