"""Texts made of stretches of the user's bytes and of new text between them, with exact maps of places.

A :class:`Kept` stretch has changes inside; what a change puts in the place of its span may again hold kept
stretches, the same one several times over (copies of a loop's body). Rendering tells where everything went.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from msgspec import Struct

from hlspart.model.diagnostics import Place
from hlspart.model.rewriting import LineRun
from hlspart.model.source import Edit, SourceText, Span
from hlspart.transform.lines import line_runs


class Clash(Exception):
    """Two changes want the same text differently; internal to this package."""

    def __init__(self, span: Span) -> None:
        super().__init__("conflicting changes")
        self.span = span


class Printed:
    """New text; ``at`` is where it stands once rendered."""

    def __init__(self, *parts: Part) -> None:
        self.parts = parts
        self.at: Span | None = None


class Kept:
    """The text of ``span`` with changes inside."""

    def __init__(self, span: Span) -> None:
        self.span = span
        self.at: Span | None = None  # where all of it stands once rendered
        self._changes: dict[tuple[int, int], tuple[Part, ...]] = {}
        self._runs: list[_Run] = []
        self._around: Kept | None = None

    def replace(self, span: Span, *parts: Part) -> None:
        """Put ``parts`` in the place of ``span``. Raises :class:`Clash`; the same text twice is one change."""
        key = (span.start, span.end)
        if not self.span.holds(span):
            raise Clash(span)
        if key in self._changes:
            if plain(self._changes[key]) is None or plain(self._changes[key]) != plain(parts):
                raise Clash(span)
            return
        if any(start < span.end and span.start < end for start, end in self._changes):
            raise Clash(span)
        self._changes[key] = parts

    def insert(self, offset: int, *parts: Part) -> None:
        """Put ``parts`` at ``offset``, behind what was inserted there."""
        key = (offset, offset)
        self._changes[key] = (*self._changes.get(key, ()), *parts)

    @property
    def changes(self) -> list[tuple[tuple[int, int], tuple[Part, ...]]]:
        """(start, end) and what stands there instead, in order of the text."""
        return sorted(self._changes.items(), key=lambda item: item[0])

    def moved(self, span: Span) -> Span:
        """Where ``span`` is in the rendered text."""
        if not self.span.holds(span):
            return span if self._around is None else self._around.moved(span)
        start = self._start(span.start)
        return Span(span.path, start, start if span.start == span.end else self._end(span.end))

    def _start(self, offset: int) -> int:
        k = bisect_right(self._runs, offset, key=lambda run: run.old) - 1
        run = self._runs[max(0, k)]
        return run.new + (offset - run.old) if run.kept or offset == run.old else run.upto

    def _end(self, offset: int) -> int:
        k = bisect_right(self._runs, offset - 1, key=lambda run: run.old) - 1
        run = self._runs[max(0, k)]
        return run.new + (offset - run.old) if run.kept else run.upto

    def _render(self, out: _Output, around: Kept | None) -> None:
        self._around, self._runs = around, []
        at, first = self.span.start, out.length
        for (start, end), parts in self.changes:
            self._copy(at, start, out)
            begin = out.length
            for part in parts:
                out.part(part, start, self)
            if end > start:
                self._runs.append(_Run(start, begin, out.length, False))
            at = end
        self._copy(at, self.span.end, out)
        self.at = Span(self.span.path, first, out.length)

    def _copy(self, start: int, end: int, out: _Output) -> None:
        if end > start or not self._runs:
            self._runs.append(_Run(start, out.length, out.length + end - start, True))
            out.add(out.source.text[start:end], start, True)


Part = str | Printed | Kept


def plain(parts: Sequence[Part]) -> str | None:
    """The text of ``parts`` when none of it is the user's."""
    text = ""
    for part in parts:
        inner = part if isinstance(part, str) else plain(part.parts) if isinstance(part, Printed) else None
        if inner is None:
            return None
        text += inner
    return text


class _Run(Struct, frozen=True):
    """Old text from ``old`` on that is, or was replaced by, new text from ``new`` to ``upto``."""

    old: int
    new: int
    upto: int
    kept: bool


class _Output:
    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.texts: list[str] = []
        self.length = 0
        self.pieces: list[_Run] = []  # of the whole text, in order of the new one

    def add(self, text: str, old: int, kept: bool) -> None:
        if text:
            self.pieces.append(_Run(old, self.length, self.length + len(text), kept))
            self.texts.append(text)
            self.length += len(text)

    def part(self, part: Part, anchor: int, around: Kept) -> None:
        """Render what a change at the old offset ``anchor`` puts there."""
        if isinstance(part, str):
            self.add(self.source.with_line_ends(part), anchor, False)
        elif isinstance(part, Kept):
            part._render(self, around)
        else:
            start = self.length
            for inner in part.parts:
                self.part(inner, anchor, around)
            part.at = Span(self.source.path, start, self.length)


@dataclass(frozen=True)
class Rendered:
    """A text made from the text ``old``, and where each of its characters is from."""

    old: SourceText
    new: SourceText
    pieces: tuple[_Run, ...] = field(repr=False)
    edits: tuple[Edit, ...] = field(repr=False)

    @cached_property
    def lines(self) -> tuple[LineRun, ...]:
        """Old line -> new line; a line of several copies maps to the first."""
        return line_runs(self.old, self.edits)

    def back(self, offset: int, end: bool = False) -> int:
        """The old offset of a new one (``end``: of the end of a span); of new text, where it was put."""
        if not self.pieces:
            return 0
        k = bisect_right(self.pieces, offset - end, key=lambda piece: piece.new) - 1
        piece = self.pieces[max(0, k)]
        if not piece.kept:
            return piece.old
        return piece.old + min(offset, piece.upto) - piece.new

    def back_span(self, span: Span) -> Span:
        """The old place of a span of the new text."""
        start = self.back(span.start)
        return Span(span.path, start, max(start, self.back(span.end, end=span.end > span.start)))

    def images(self, spans: Iterable[Span]) -> Iterator[tuple[Span, Span]]:
        """(old, new) for every copy of each old span, in order of the new text; none of one that was changed."""
        wanted = sorted(spans)
        starts = [span.start for span in wanted]
        for piece in self.pieces:
            if not piece.kept:
                continue
            end, shift = piece.old + piece.upto - piece.new, piece.new - piece.old
            for k in range(bisect_left(starts, piece.old), bisect_left(starts, end)):
                if wanted[k].end <= end:
                    yield wanted[k], Span(wanted[k].path, wanted[k].start + shift, wanted[k].end + shift)

    def back_line(self, line: int) -> int:
        """The old line of a new one: that of its first character that is no blank."""
        span = self.new.line_span(line)
        text = self.new.text[span.start : span.end]
        return self.old.line_column(self.back(span.start + len(text) - len(text.lstrip())))[0]

    def back_place(self, place: Place) -> Place:
        """The old place of a place in the new text."""
        start = self.back(self.new.line_span(place.line).start + place.column - 1)
        end = self.back(self.new.line_span(place.end_line).start + place.end_column - 1, end=True)
        line, column = self.old.line_column(start)
        end_line, end_column = self.old.line_column(max(start, end))
        return Place(place.path, line, column, end_line, end_column)


def render(source: SourceText, whole: Kept) -> Rendered:
    """The text of ``whole``, all of ``source``; its stretches then know where they are."""
    out = _Output(source)
    whole._render(out, None)
    new = SourceText(source.path, "".join(out.texts))
    return Rendered(source, new, tuple(out.pieces), tuple(_edits(whole, source, new)))


def edited(source: SourceText, edits: Sequence[Edit]) -> Rendered:
    """``source`` after edits that do not overlap; insertions at one offset keep their given order."""
    whole = Kept(Span(source.path, 0, len(source.text)))
    for edit in edits:
        if edit.span.start == edit.span.end:
            whole.insert(edit.span.start, edit.text)
        else:
            whole.replace(edit.span, edit.text)
    return render(source, whole)


def joined(first: Rendered, second: Sequence[Edit]) -> tuple[Edit, ...]:
    """The edits of ``first.old`` that do what ``first`` and then ``second``, edits of ``first.new``, do.

    Both in order of their texts. Edits that meet become one; where the old text comes back there is none.
    """
    taken, shift = [], 0  # (start, end) in the text between, and how far it is from there to the old text
    for edit in first.edits:
        start, length = edit.span.start + shift, len(edit.text)
        shift += length - (edit.span.end - edit.span.start)
        taken.append((start, start + length, shift))
    spans = [*((start, end) for start, end, _ in taken), *((e.span.start, e.span.end) for e in second)]
    clusters: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if clusters and start <= clusters[-1][1]:
            clusters[-1] = (clusters[-1][0], max(end, clusters[-1][1]))
        else:
            clusters.append((start, end))
    ends, edits = [end for _, end, _ in taken], []
    for start, end in clusters:
        before, upto = bisect_left(ends, start), bisect_right(ends, end)
        old = Span(first.old.path, start - (taken[before - 1][2] if before else 0),
                   end - (taken[upto - 1][2] if upto else 0))  # fmt: skip
        text, at = "", start
        for edit in second:
            if start <= edit.span.start and edit.span.end <= end:
                text, at = text + first.new.text[at : edit.span.start] + edit.text, edit.span.end
        text += first.new.text[at:end]
        if text != first.old.slice(old):
            edits.append(Edit(old, text))
    return tuple(edits)


def _edits(kept: Kept, old: SourceText, new: SourceText) -> Iterator[Edit]:
    """The changes as edits of the old text; of several copies of a stretch the first is the stretch itself."""
    for (start, end), parts in kept.changes:
        at, text = start, ""
        for part in _flat(parts):
            if isinstance(part, str):
                text += old.with_line_ends(part)
            elif part.span.path == kept.span.path and at <= part.span.start and part.span.end <= end:
                if text or part.span.start > at:
                    yield Edit(Span(kept.span.path, at, part.span.start), text)
                yield from _edits(part, old, new)
                at, text = part.span.end, ""
            else:
                assert part.at is not None
                text += new.slice(part.at)
        if text or end > at:
            yield Edit(Span(kept.span.path, at, end), text)


def _flat(parts: Sequence[Part]) -> Iterator[str | Kept]:
    for part in parts:
        if isinstance(part, Printed):
            yield from _flat(part.parts)
        else:
            yield part
