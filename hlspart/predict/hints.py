"""What a user may say or allow for a smaller II, each checked by running the model with it.

What can be written is not here: that is advice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator

from msgspec.structs import replace

from hlspart.hardware.storage import Storage
from hlspart.lowering.distances import MEETING
from hlspart.model.results import Limit, LoopResult
from hlspart.nests.nests import Nest
from hlspart.predict import trial
from hlspart.predict.loops import LoopModel, Prediction
from hlspart.predict.trial import Change

MAX_OPERATIONS = 400  # larger bodies are not scheduled again for a hint

Trial = Callable[[Collection[Change]], LoopResult | None]  # the loop with other directives, None if they are not valid


def with_hints(
    model: LoopModel, nest: Nest, p: Prediction, limits: tuple[Limit, ...], home: Storage, trial: Trial
) -> tuple[Limit, ...]:
    """``limits`` with a hint on those that keep the loop from its target, where the model finds one.

    ``home``: memories of the program as it is written, whose calls ``model`` may have expanded.
    """
    if nest.target_ii is None or p.schedule is None or p.schedule.ii <= nest.target_ii:
        return limits
    return tuple(_Hints(model, nest, p, nest.target_ii, home, trial).all(limits))


class _Hints:
    """What frees one loop."""

    def __init__(self, model: LoopModel, nest: Nest, p: Prediction, target: int, home: Storage, trial: Trial) -> None:
        self.model, self.nest, self.p, self.target, self.home, self.trial = model, nest, p, target, home, trial
        assert p.schedule is not None
        self.ii = p.schedule.ii
        self.small = len(p.schedule.start if p.schedule else ()) <= MAX_OPERATIONS

    def all(self, limits: tuple[Limit, ...]) -> Iterator[Limit]:
        """Every limit above the target, with its way out."""
        for limit in limits:
            hint = None
            if limit.ii <= self.target:
                pass
            elif limit.kind == "recurrence":
                hint = self._recurrence(limit)
            elif limit.kind == "operator":
                hint = self._operator(limit)
            yield replace(limit, hint=hint) if hint is not None else limit

    def _here(self, variable: int) -> int | None:
        """The variable of the program that one of an expanded call stands for; None where there is none."""
        program = self.home.program
        if variable < len(program.variables):
            return variable
        place = self.model.program.variable(variable).at.span
        return next((v.id for v in program.variables if v.declarations and v.at.span == place), None)

    def _names(self) -> dict[int, str]:
        return {v: self.p.elaborated.carriers.names(v) for v in self.p.elaborated.accesses}

    def _recurrence(self, limit: Limit) -> str | None:
        """A promise about a recurrence that is possible only."""
        problem = self.p.problem
        assumed = self.p.elaborated.carriers.uncertain[MEETING]
        edges = {(e.source, e.sink) for e in problem.graph.edges if e.name == limit.variable and e.distance}
        variable = next((v for v, name in self._names().items() if name == limit.variable), None)
        here = self._here(variable) if variable is not None and edges & assumed else None
        if here is None or self.nest.loop is None:
            return None
        promise = trial.independent(self.home.program, self.nest.loop.id, here)
        without = self.trial([promise])
        if without is None or without.recurrence_ii is None or without.recurrence_ii >= limit.ii:
            return None
        return (
            f"if iterations closer than {limit.ii} never touch the same element of {limit.variable}, say so: "
            f"#pragma HLS dependence variable={limit.variable} type=inter dependent=false: "
            f"recurrences then allow II {without.recurrence_ii}"
        )

    def _operator(self, limit: Limit) -> str | None:
        """More units."""
        problem = self.p.problem
        unit = next((u for u, n in problem.counts().items() if limit.text.startswith(f"{n} {u} ")), None)
        if unit is None or not self.small:
            return None
        need = math.ceil((limit.accesses or 1) / self.target)
        more = trial.allocation(self.home.program, self.nest.function, unit, need)
        tried = self.trial([more]) if more is not None else None
        if tried is None or tried.ii is None or tried.ii >= self.ii:
            return None
        return f"an ALLOCATION limit of {need} on {unit}: II {tried.ii}"
