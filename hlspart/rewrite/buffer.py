"""Edits under construction: nested ones are rendered into the edit that encloses them."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping

from hlspart.model.source import Edit, Origin, SourceText, Span, apply_edits


class Conflict(Exception):
    """Two edits want the same text differently; internal to this package, becomes a refusal."""

    def __init__(self, origin: Origin) -> None:
        super().__init__("conflicting edits")
        self.origin = origin


class EditBuffer:
    """Collects edits of several files. Equal edits of one span (a macro argument used twice) are one.

    No edit is lost: ``replace`` takes away those that its text holds, because ``text`` gave them, and keeps what was
    inserted at its ends.
    """

    def __init__(self, sources: Mapping[str, SourceText], given: frozenset[str]) -> None:
        self._sources = sources
        self._given = given  # files that may be edited
        self._edits: dict[str, dict[tuple[int, int], str]] = {}
        self._places: dict[str, list[tuple[int, int]]] = {}  # of the edits, sorted; they do not overlap
        self._given_out: dict[tuple[str, int, int], list[Span]] = {}  # by edit, whose texts hold it as it is

    def _near(self, span: Span) -> Iterator[tuple[int, int]]:
        """Places of the edits that touch ``span``."""
        places = self._places.get(span.path, [])
        first = bisect_left(places, (span.start, -1))
        for k in range(max(0, first - 1), len(places)):
            if places[k][0] > span.end:
                return
            yield places[k]

    def text(self, span: Span) -> str:
        """The text of ``span`` with the edits inside it applied."""
        edits = self._edits.get(span.path, {})
        places = [(start, end) for start, end in self._near(span) if span.start <= start and end <= span.end]
        for start, end in places:
            self._given_out.setdefault((span.path, start, end), []).append(span)
        inner = [Edit(Span(span.path, a - span.start, b - span.start), edits[a, b]) for a, b in places]
        return apply_edits(SourceText(span.path, self._sources[span.path].slice(span)), inner)

    def replace(self, origin: Origin, text: str) -> None:
        """Replace the text of ``origin``; edits inside it must be part of ``text`` already, or this is a conflict."""
        span = origin.span
        edits = self._edits.setdefault(span.path, {})
        key = (span.start, span.end)
        if span.path not in self._given or edits.get(key, text) != text:
            raise Conflict(origin)
        if key in edits:
            return
        taken: list[tuple[int, int]] = []
        for start, end in self._near(span):
            given_out = self._given_out.get((span.path, start, end), ())
            if any(span.start <= x.start and x.end <= span.end for x in given_out):
                taken.append((start, end))
            elif start < span.end and span.start < end:
                raise Conflict(origin)
        for start, end in taken:
            del edits[start, end]
            del self._given_out[span.path, start, end]
            self._places[span.path].remove((start, end))
        if text != self._sources[span.path].slice(span):
            edits[key] = text
            insort(self._places.setdefault(span.path, []), key)

    def insert(self, path: str, offset: int, text: str, closing: bool = False) -> None:
        """Insert at ``offset``, behind what was inserted there; ``closing`` text goes before it, as brackets nest."""
        edits = self._edits.setdefault(path, {})
        if any(start < offset < end for start, end in self._near(Span(path, offset, offset))):
            raise Conflict(Origin(Span(path, offset, offset)))
        self._given_out.pop((path, offset, offset), None)
        if (offset, offset) not in edits:
            insort(self._places.setdefault(path, []), (offset, offset))
        there = edits.get((offset, offset), "")
        edits[offset, offset] = text + there if closing else there + text

    def edits(self, path: str) -> tuple[Edit, ...]:
        """All edits of one file, in text order."""
        edits = self._edits.get(path, {})
        return tuple(Edit(Span(path, start, end), edits[start, end]) for start, end in sorted(edits))
