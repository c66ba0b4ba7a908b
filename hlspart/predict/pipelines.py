"""Which loops a tool pipelines, without what they then reach, and which PIPELINE does not hold."""

from __future__ import annotations

from msgspec.structs import replace

from hlspart.model.access import AccessAnalysis
from hlspart.model.directives import Fault
from hlspart.model.program import Program
from hlspart.model.results import PragmaStatus, Validation
from hlspart.nests.nests import Nests
from hlspart.nests.standing import Running
from hlspart.predict.separate import separated
from hlspart.predict.uncovered import perhaps_flattened
from hlspart.targets import Target


def pipelined(program: Program, analysis: AccessAnalysis, validation: Validation, target: Target) -> frozenset[int]:
    """The ids of the loops that :func:`hlspart.predict.check` finds pipelined."""
    made = separated(program, analysis, validation, target)
    nests = Running.of(made.program, made.analysis, target).loops
    return frozenset(nest.loop.id for nest in nests if nest.pipelined and nest.loop is not None)


def with_pipelines(program: Program, analysis: AccessAnalysis, validation: Validation, target: Target) -> Validation:
    """``validation`` with each PIPELINE that does not hold as ignored, for the loop that it cannot unroll."""
    nests: dict[str, Nests] = {}

    def followed(status: PragmaStatus) -> PragmaStatus:
        d = program.directives[status.directive]
        name = d.function
        if d.kind != "pipeline" or status.status != "applied" or name is None or name not in program.functions:
            return status
        own = nests.setdefault(name, Nests(program, analysis, target, name))
        loop = None if d.loop is None else program.loops[d.loop]
        if (joined := own.perhaps_flattened(loop)) is not None:
            problem = Fault("perhaps-flattened", perhaps_flattened(program, joined), d.at, fatal=False)
            notes = (problem, *status.notes)
            return replace(status, status="unmodelled", code=problem.code, reason=problem.message, notes=notes)
        inner = own.kept_from_pipelining(loop)
        if inner is None:
            return status
        where = f"loop {inner.name} (line {program.line(inner.at)}) inside"
        text = f"{where} cannot be unrolled: its bound is read at run time"
        hint = "pipeline the inner loop, or give it a constant bound"
        problem = Fault("not-pipelined", text, d.at, hint, fatal=False)
        return replace(
            status, status="ignored", code=problem.code, reason=text, hint=problem.hint, notes=(problem, *status.notes)
        )

    return replace(validation, statuses=tuple(map(followed, validation.statuses)))
