"""What became of a group: the record that reports show."""

from __future__ import annotations

from hlspart.model.access import AccessAnalysis, ArrayGroup
from hlspart.model.program import Program
from hlspart.model.rewriting import GroupOutcome, Style
from hlspart.rewrite.plan import GroupRefusal
from hlspart.rewrite.refusals import elsewhere, member


def outcome_of(
    program: Program, group: ArrayGroup, status: str, style: Style | None, refusal: GroupRefusal | None
) -> GroupOutcome:
    """The outcome record of a group."""
    arrays = tuple(dict.fromkeys(program.variable(v).name for v in group.members))
    return GroupOutcome(
        group.id,
        arrays,
        status,  # type: ignore[arg-type]
        style,
        refusal.code if refusal else None,
        refusal.reason if refusal else None,
        refusal.at if refusal else None,
    )


def outside(program: Program, analysis: AccessAnalysis, array: int) -> GroupOutcome | None:
    """Refusal of an array for which no pragma can be written: a member, or of a file that is not given."""
    variable = program.variable(array)
    path = variable.at.span.path
    refusal = member(variable)
    if path not in program.given:
        refusal = GroupRefusal("header", elsewhere(variable, path), variable.at)
    if refusal is None:
        return None
    group = next(g for g in analysis.groups if array in g.members)
    return outcome_of(program, group, "refused", None, refusal)
