"""What became of what: the identities and places of a transformed program in terms of the one before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from hlspart.model.access import AccessAnalysis
from hlspart.model.diagnostics import Diagnostic, Place
from hlspart.model.program import Program
from hlspart.model.source import Origin, Span

if TYPE_CHECKING:
    from hlspart.model.rewriting import LineRun, RewriteResult
    from hlspart.transform.text import Rendered


class Forward(Struct, frozen=True):
    """How a program follows from another one.

    ``variables`` and ``nodes`` (loops, blocks, accesses and calls) give the old id of each new one; an id that
    is not in them is the same thing in both. ``texts``: by path, the steps from the old text to the new one; a
    file that is not in it has the same text.
    """

    variables: Mapping[int, int] = field(default_factory=dict)
    nodes: Mapping[int, int] = field(default_factory=dict)
    texts: Mapping[str, tuple[Rendered, ...]] = field(default_factory=dict)

    def then(self, other: Forward) -> Forward:
        """First this, then ``other``."""
        return Forward(
            {**self.variables} | {new: self.variables.get(old, old) for new, old in other.variables.items()},
            {**self.nodes} | {new: self.nodes.get(old, old) for new, old in other.nodes.items()},
            {p: (*self.texts.get(p, ()), *other.texts.get(p, ())) for p in {**self.texts, **other.texts}},
        )

    def variable(self, new: int) -> int:
        """The old id of a variable."""
        return self.variables.get(new, new)

    def node(self, new: int) -> int:
        """The old id of a loop, a block, an access or a call."""
        return self.nodes.get(new, new)

    def span(self, new: Span) -> Span:
        """The old place of a span."""
        for step in reversed(self.texts.get(new.path, ())):
            new = step.back_span(new)
        return new

    def origin(self, new: Origin) -> Origin:
        """The old place of an origin."""
        return Origin(self.span(new.span), new.kind, new.macro) if new.span.path in self.texts else new

    def place(self, new: Place) -> Place:
        """The old place of a diagnostic."""
        for step in reversed(self.texts.get(new.path, ())):
            new = step.back_place(new)
        return new

    def line(self, path: str, new: int) -> int:
        """The old line of a line."""
        for step in reversed(self.texts.get(path, ())):
            new = step.back_line(new)
        return new

    def lines(self, path: str, after: tuple[LineRun, ...]) -> tuple[LineRun, ...]:
        """Old line -> line after a further rewrite, whose lines ``after`` gives."""
        from hlspart.transform.lines import composed

        for step in reversed(self.texts.get(path, ())):
            after = composed(step.lines, after)
        return after

    def groups(self, old: AccessAnalysis, new: AccessAnalysis) -> dict[int, int]:
        """By group of the new analysis, the one of the old that its arrays were in; -1 where there was none."""
        old_groups = {}
        for group in new.groups:
            before = (old.group_of.get(self.variable(member)) for member in group.members)
            old_groups[group.id] = next((g for g in before if g is not None), -1)
        return old_groups

    def result(self, program: Program, groups: Mapping[int, int], result: RewriteResult) -> RewriteResult:
        """A rewrite of the new program as one of the old ``program``; ``groups`` as :meth:`groups` gives them."""
        from hlspart.model.rewriting import RewriteResult
        from hlspart.transform.text import joined

        files, edits, lines = dict(result.files), dict(result.edits), dict(result.lines)
        for path in self.texts.keys() & files.keys():
            for step in reversed(self.texts[path]):
                edits[path] = joined(step, edits[path])
            lines[path] = self.lines(path, lines[path])

        def diagnostic(item: Diagnostic) -> Diagnostic:
            related = tuple(replace(r, place=self.place(r.place)) for r in item.related)
            return replace(item, place=self.place(item.place), related=related, fix=None)

        return RewriteResult(
            files,
            edits,
            lines,
            tuple(replace(a, line=self.line(a.path, a.line)) for a in result.arrays),
            tuple(
                replace(o, group=groups.get(o.group, o.group), at=None if o.at is None else self.origin(o.at))
                for o in result.outcomes
            ),
            tuple(map(diagnostic, result.diagnostics)),
            tuple(replace(c, line=self.line(c.path, c.line)) for c in result.crossbars),
        )


def followed(program: Program, result: RewriteResult, again: RewriteResult) -> RewriteResult:
    """``result`` with what ``again`` makes of its texts; outcomes and diagnostics are those of ``result``."""
    from hlspart.transform.lines import composed, old_line
    from hlspart.transform.text import edited, joined

    def line(path: str, new: int) -> int:
        return old_line(result.lines[path], new) if path in result.lines else new

    edits, lines = dict(result.edits), dict(result.lines)
    for path in again.files:
        edits[path] = joined(edited(program.sources[path], result.edits[path]), again.edits[path])
        lines[path] = composed(result.lines[path], again.lines[path])
    return replace(
        result,
        files=again.files,
        edits=edits,
        lines=lines,
        arrays=(*result.arrays, *(replace(a, line=line(a.path, a.line)) for a in again.arrays)),
        crossbars=(*result.crossbars, *(replace(c, line=line(c.path, c.line)) for c in again.crossbars)),
    )


def by_place(old: Program, new: Program, texts: Mapping[str, Rendered]) -> Forward:
    """How a program that was read from edited ``texts`` follows from the one of the old texts: by places."""
    steps = Forward(texts={path: (text,) for path, text in texts.items()})
    known: dict[tuple[Span, str | None], int] = {}
    for v in old.variables:
        known.setdefault((v.at.span, v.name), v.id)
        known[v.at.span, v.function] = v.id
    variables = {}
    for v in new.variables:
        at = steps.span(v.at.span)
        variables[v.id] = known.get((at, v.function), known.get((at, v.name), -1))
    return replace(steps, variables=variables)
