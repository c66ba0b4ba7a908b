"""Small edits that open the way for a rewrite, each for one group that was refused without it.

The program is rewritten a second time from the edited text; a group that is refused all the same
gets its text back.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from msgspec import Struct

from hlspart.model.access import AccessAnalysis, ArrayGroup
from hlspart.model.program import ArrayRef, Program
from hlspart.model.rewriting import GroupOutcome, RewriteResult
from hlspart.model.source import Edit, SourceText, Span
from hlspart.rewrite.uses import Uses
from hlspart.transform.text import Rendered, edited

#: Writes out the macro uses at some places of a file, see :func:`hlspart.frontend.unfolded`.
Unfold = Callable[[SourceText, Iterable[Span]], tuple[Edit, ...]]


class Preparation(Struct, frozen=True):
    """Edits that a group needs before it can be rewritten."""

    group: int
    edits: frozenset[Edit]


def texts_of(program: Program, steps: Iterable[Preparation]) -> dict[str, Rendered]:
    """The files that the steps edit."""
    edits: dict[str, set[Edit]] = {}
    for step in steps:
        for edit in step.edits:
            edits.setdefault(edit.span.path, set()).add(edit)
    order = {path: sorted(changes, key=lambda e: (e.span, e.text)) for path, changes in edits.items()}
    return {path: edited(program.sources[path], changes) for path, changes in order.items()}


def without(steps: Sequence[Preparation], groups: Collection[int]) -> list[Preparation]:
    """The steps that touch nothing of ``groups``."""
    theirs = {edit for step in steps if step.group in groups for edit in step.edits}
    left = (Preparation(step.group, step.edits - theirs) for step in steps if step.group not in groups)
    return [step for step in left if step.edits]


def preparations(
    program: Program, analysis: AccessAnalysis, result: RewriteResult, unfold: Unfold
) -> list[Preparation]:
    """What may help the groups that ``result`` refuses."""
    uses = Uses(program)
    groups = {group.id: group for group in analysis.groups}
    steps = []
    for outcome in result.outcomes:
        edits: tuple[Edit, ...] = ()
        if outcome.code == "macro" and outcome.at is not None:
            spans = {outcome.at.span, *_in_macros(uses, groups[outcome.group].members)}
            edits = tuple(e for unit in program.units if unit.source for e in unfold(unit.source, spans))
        elif outcome.code == "pragma":
            edits = tuple(_one_each(program, groups[outcome.group]))
        elif outcome.code == "declaration":
            edits = tuple(_separated(program, groups[outcome.group]))
        if edits:
            steps.append(Preparation(outcome.group, frozenset(edits)))
    return steps


def _in_macros(uses: Uses, members: Iterable[int]) -> Iterator[Span]:
    """Places where a macro's body makes a use of a member, or a part of one."""
    for use in (u for m in members for u in uses.by_variable.get(m, ())):
        at = use.size.at if use.size is not None else use.node.at
        brackets = use.node.brackets if isinstance(use.node, ArrayRef) else ()
        if any(origin.kind in ("macro", "mixed") for origin in (at, *brackets)):
            yield at.span


def _one_each(program: Program, group: ArrayGroup) -> Iterator[Edit]:
    """Each pragma about several arrays as one for each."""
    for directive in program.directives:
        at = directive.at
        if len(directive.variables) < 2 or directive.source != "pragma" or not at.editable:
            continue
        named = [program.variable(v).name for v in directive.variables]
        listed = re.compile(r"\b" + r"\s*,\s*".join(map(re.escape, named)) + r"\b")
        text = program.text(at)
        if set(directive.variables) & set(group.members) and len(listed.findall(text)) == 1:
            yield Edit(at.span, "\n".join(listed.sub(name, text) for name in named))


def _separated(program: Program, group: ArrayGroup) -> Iterator[Edit]:
    """Declarations of several arrays whose extents come from a typedef, as one declaration for each."""
    for variable in map(program.variable, group.members):
        at = variable.declarations[0].statement
        mates = [v.declarations[0] for v in program.variables if v.declarations[0].statement == at]
        plain = at.editable and all(d.declarator.editable and d.specifiers.editable for d in mates)
        if not plain or len(mates) < 2 or variable.storage == "parameter" or variable.scope in program.loops:
            continue
        text = program.sources[at.span.path].text
        for one, other in itertools.pairwise(sorted(mates, key=lambda d: d.index)):
            end = (one.initialiser or one.declarator).span.end
            comma = re.compile(r"((?:\s|/\*.*?\*/|//[^\n]*)*),", re.S).match(text, end)
            if comma is not None and comma.end() <= other.declarator.span.start:
                span = Span(at.span.path, comma.end() - 1, comma.end())
                yield Edit(span, f"; {program.text(one.specifiers)}")


def refusals(result: RewriteResult) -> dict[int, GroupOutcome]:
    """Groups that ``result`` does not rewrite though asked to, with the reason."""
    left = ("refused", "conflict", "kept")
    return {o.group: o for o in result.outcomes if o.status in left and o.code is not None}
