"""Blocked, aligned layouts of arrays, and their propagation with the least converted bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hlspart.blocked.plan import LayoutPlan
    from hlspart.model.access import AccessAnalysis
    from hlspart.model.blocked import Kind, Propagation
    from hlspart.model.diagnostics import Diagnostic
    from hlspart.model.program import Program


def propagate(
    program: Program,
    analysis: AccessAnalysis,
    top: str,
    interface: Mapping[str, Kind],
    plan: LayoutPlan | None = None,
) -> tuple[Propagation, dict[str, str] | Diagnostic]:
    """Layouts of the function ``top``, and the text that has them or the place that cannot be edited.

    ``interface``: layouts in which arrays of the interface come and go, by name; compact for others.
    ``plan``: what is asked beside the pragmas of the source.
    """
    from hlspart.blocked.emit import LayoutWriter
    from hlspart.blocked.plan import LayoutPlan
    from hlspart.blocked.propagation import Propagator
    from hlspart.blocked.requests import finding

    propagator = Propagator(program, analysis, top, interface, plan or LayoutPlan())
    found = propagator.propagate()
    for variable in propagator.arrays.values():
        if variable.storage == "parameter" and interface.get(variable.name) == "blocked":
            text = f"{variable.name} comes in blocks: what it is declared as would have to change; nothing is written"
            return found, finding(program, variable.at, text)
    texts = LayoutWriter(propagator, found).files()
    if not isinstance(texts, dict):
        return found, finding(program, texts, "this cannot be edited; nothing is written")
    return found, texts


__all__ = [
    "channels",
    "emit",
    "plan",
    "propagate",
]
