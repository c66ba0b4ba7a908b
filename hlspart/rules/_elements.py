"""Which elements of an array a loop touches, by going through its iterations as the text says.

For indices that no set of integers describes, and through calls: `x[i ^ 1]`, a helper that stores `t[k]`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from hlspart.model import program as c
from hlspart.model.source import Origin
from hlspart.rules._traces import FifoStep, ManySteps, OpenBehaviour, TaskFrame, TaskReturn, TaskTrace
from hlspart.rules._uses import root_of

_FUEL = 20_000  # statements
_FEW = 5_000  # of a task of which nobody claims anything


class ElementStep(FifoStep, frozen=True):
    """``run`` and ``iteration`` count entries of the loop and its iterations."""

    run: int
    iteration: int
    element: tuple[int, ...]


class ElementTrace(TaskTrace):
    """Loads and stores of an array in a loop, one after the other."""

    def __init__(self, program: c.Program, array: int, loop: int | None = None, fuel: int = _FUEL) -> None:
        super().__init__(program, frozenset({(array, ())}))
        self.fuel, self._loop_id = fuel, loop
        self._body = program.loops[loop].body if loop is not None else None
        self._run = self._iteration = -1

    def _loop(self, loop: c.Loop, frame: TaskFrame) -> Iterator[FifoStep]:
        if loop.id == self._loop_id:
            self._run, self._iteration = self._run + 1, -1
        yield from super()._loop(loop, frame)

    def _statement(self, stmt: c.Stmt, frame: TaskFrame) -> Iterator[FifoStep]:
        self._iteration += stmt is self._body
        yield from super()._statement(stmt, frame)

    def _element(self, ref: c.ArrayRef, kind: Literal["read", "write"], frame: TaskFrame) -> Iterator[FifoStep]:
        channel = frame.channels.get(ref.variable)
        if channel is not None:
            element = self._positions(ref.indices, frame)
            if min(element) < 0:
                raise OpenBehaviour  # a type that wraps
            yield ElementStep(channel, kind, ref.at, self._run, self._iteration, element)

    def _call(self, call: c.Call, frame: TaskFrame) -> Iterator[FifoStep]:
        for arg in call.args:
            root = root_of(arg)
            scalar = isinstance(arg, c.ArrayRef) and isinstance(arg.type, c.ScalarType)
            if root is not None and root[0] in frame.channels and not isinstance(arg, c.Name) and not scalar:
                raise OpenBehaviour  # a part of the array
        yield from super()._call(call, frame)


class Meeting(Struct, frozen=True):
    """A store and a load behind it of one element, ``distance`` iterations of the loop later."""

    store: Origin
    load: Origin
    distance: int


def meeting(program: c.Program, function: str, array: int, loop: int, inside: bool) -> Meeting | None:
    """The nearest such pair, of one iteration (``inside``) or of two; None where there is none, or nobody knows."""
    written: dict[tuple[int, tuple[int, ...]], ElementStep] = {}
    best: Meeting | None = None
    try:
        for step in ElementTrace(program, array, loop).of(program.functions[function].body):
            if not isinstance(step, ElementStep) or step.run < 0:
                continue
            if step.kind == "write":
                written[step.run, step.element] = step
            elif (store := written.get((step.run, step.element))) is not None:
                distance = step.iteration - store.iteration
                if (distance == 0) == inside and (best is None or distance < best.distance):
                    best = Meeting(store.at, step.at, distance)
    except TaskReturn:
        return best
    except (OpenBehaviour, ManySteps):
        return None
    return best


def elements(program: c.Program, array: int, stmt: c.Stmt) -> list[ElementStep] | None:
    """All loads and stores of an array in a statement, in order; None where the text does not tell them."""
    try:
        return [step for step in ElementTrace(program, array, fuel=_FEW).of(stmt) if isinstance(step, ElementStep)]
    except (OpenBehaviour, ManySteps, TaskReturn):
        return None
