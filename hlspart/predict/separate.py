"""What ``check`` predicts: a copy without what no test takes and what fills tables, a variable for every
member, a loop for every call that copies."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from hlspart.accesses import analyse
from hlspart.model.access import AccessAnalysis
from hlspart.model.directives import Directive
from hlspart.model.program import Program, StructType
from hlspart.model.results import ArrayResult, GroupPartition, PragmaStatus, Validation
from hlspart.model.source import Origin
from hlspart.partition import RANK, validate
from hlspart.semantics.held import named
from hlspart.semantics.structures import Arguments
from hlspart.targets import Target
from hlspart.transform.arms import without_dead_arms
from hlspart.transform.copy_loops import with_copy_loops
from hlspart.transform.dereferenced import dereferenced
from hlspart.transform.forward import Forward
from hlspart.transform.initial_stores import with_initial_stores
from hlspart.transform.members import separate
from hlspart.transform.tables import with_tables

_APART = "disaggregate"


class Separate(Struct, frozen=True):
    """``forward``: of which structure of the given program a variable is a member."""

    program: Program
    analysis: AccessAnalysis
    validation: Validation
    forward: Forward

    def given(self, arrays: tuple[ArrayResult, ...]) -> tuple[ArrayResult, ...]:
        """The memories of members as memories of their structures; names tell them apart."""
        return tuple(replace(a, variable=self.forward.variable(a.variable)) for a in arrays)


def apart(program: Program, tops: tuple[str, ...], target: Target) -> tuple[Program, Forward]:
    """The program with a variable for every member of the structures that the tool takes apart."""
    word: Arguments = "word" if target.arguments_packed else "whole"
    made, forward = separate(program, tops, "apart" if target.arguments_apart else word)
    return dereferenced(made, tops), forward


def separated(program: Program, analysis: AccessAnalysis, validation: Validation, target: Target) -> Separate:
    """The program as the tool has it; partitions of arrays that are no members stay as they were validated."""
    copy, forward = apart(program, analysis.tops, target)
    copy = with_initial_stores(with_copy_loops(with_tables(without_dead_arms(copy))))
    if copy is program:
        return Separate(program, analysis, validation, forward)
    made = analyse(copy, analysis.tops[0] if len(analysis.tops) == 1 else None)
    no_members = not forward.variables  # the arrays and directives are those that were validated
    fresh = validation if no_members else validate(copy, made, argument=target.argument_storage)
    groups: dict[int, GroupPartition] = {}
    for group in made.groups:
        known = {analysis.group_of.get(_given(program, copy, forward, m)) for m in group.members}
        source, idents = (fresh, {group.id}) if None in known else (validation, known)
        same = [source.groups[k] for k in idents if k is not None and k in source.groups]
        if same:
            groups[group.id] = same[0]
    free = validation.apart | {m for m, owner in forward.variables.items() if owner in validation.apart}
    statuses = (*validation.statuses, *fresh.statuses[len(program.directives) :])
    return Separate(copy, made, replace(validation, statuses=statuses, groups=groups, apart=free), forward)


def _given(program: Program, copy: Program, forward: Forward, variable: int) -> int:
    """The variable that was validated: of an array of structures for members that are no arrays, else the same one."""
    owner = forward.variable(variable)
    same = owner < len(program.variables) and program.variable(owner).dims == copy.variable(variable).dims
    return owner if same and program.variable(owner).dims else variable


def with_members(program: Program, analysis: AccessAnalysis, validation: Validation, target: Target) -> Validation:
    """``validation`` with the fate of directives on members: what became of them where the structure is apart.

    Of several members, or objects of one class, the worst counts. DISAGGREGATE of what is apart is applied.
    """
    if not any(d.kind == _APART or _is_of_members(program, d) for d in program.directives):
        return validation
    made, given = separated(program, analysis, validation, target), len(program.directives)
    directives, fates = made.program.directives, dict[Origin, PragmaStatus]()
    for copy, fate in zip(directives[given:], made.validation.statuses[given:], strict=True):
        known = fates.get(copy.at)
        if copy.text and (known is None or RANK[fate.status] < RANK[known.status]):
            fates[copy.at] = fate
    apart = frozenset(made.forward.variables.values())
    return replace(validation, statuses=tuple(_followed(program, s, fates, apart) for s in validation.statuses))


def _is_of_members(program: Program, d: Directive) -> bool:
    """Whether a directive is about parts of a structure: one that it names, or the arrays of the whole."""
    whole = d.kind == "array_partition" and any(isinstance(program.variable(v).type, StructType) for v in d.variables)
    return whole or named(d) is not None


def _followed(
    program: Program, status: PragmaStatus, fates: dict[Origin, PragmaStatus], apart: frozenset[int]
) -> PragmaStatus:
    directive = program.directives[status.directive]
    if directive.kind == _APART and status.status == "unmodelled" and apart.issuperset(directive.variables):
        return replace(status, status="applied", code=None, reason=None, notes=directive.problems)
    if not _is_of_members(program, directive) or directive.at not in fates:
        return status
    fate = fates[directive.at]
    return replace(
        status, status=fate.status, code=fate.code, reason=fate.reason, hint=fate.hint, at=fate.at, notes=fate.notes
    )
