"""Which loops a tool pipelines, without what they then reach."""

from __future__ import annotations

from hlspart.model.access import AccessAnalysis
from hlspart.model.program import Program
from hlspart.model.results import Validation
from hlspart.nests.standing import Running
from hlspart.predict.separate import separated
from hlspart.targets import Target


def pipelined(program: Program, analysis: AccessAnalysis, validation: Validation, target: Target) -> frozenset[int]:
    """The ids of the loops that :func:`hlspart.predict.check` finds pipelined."""
    made = separated(program, analysis, validation, target)
    nests = Running.of(made.program, made.analysis, target).loops
    return frozenset(nest.loop.id for nest in nests if nest.pipelined and nest.loop is not None)
