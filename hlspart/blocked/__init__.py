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
    propagation = propagator.propagate()
    given = program.given
    others = [p.at for p in propagator.function.prototypes if p.at.span.path not in given]
    others += [e.at for g in analysis.groups for e in g.edges if e.callee == top]
    for variable in propagator.arrays.values():
        if others and propagator.comes(variable) != "compact":
            text = f"{variable.name} comes in another layout: this would have to change, too"
            return propagation, finding(program, others[0], f"{text}; nothing is written", "--interface-layout")
    texts = LayoutWriter(propagator, propagation).files()
    if not isinstance(texts, dict):
        return propagation, finding(program, texts, "this cannot be edited; nothing is written")
    return propagation, texts


__all__ = [
    "channels",
    "emit",
    "plan",
    "propagate",
]
