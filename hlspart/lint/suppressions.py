"""Comments that hide findings: ``// hlspart: ignore[HLP201] -- why``, also ``ignore-file``.

A comment covers its own line; alone on its line, also the next one. ``hlspart-ignore: name`` means
the same. In directive files the comment begins with ``#``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from hlspart.lint.catalogue import find
from hlspart.model.diagnostics import Diagnostic, Place
from hlspart.model.source import SourceText

_COMMENT = re.compile(r"//(?:[^\n\\]|\\.|\\\n)*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
_HASH = re.compile(r"[#;][^\n]*")
_MARK = re.compile(
    r"hlspart(?::\s*ignore(?P<file>-file)?(?:\[(?P<codes>[^\]\n]*)\])?|-ignore(?P<file2>-file)?:\s*(?P<words>[\w-]+(?:\s*,\s*[\w-]+)*))"
)


class Suppression(Struct, frozen=True):
    """``codes`` are rule codes; empty: every rule. ``lines`` None covers the whole file."""

    place: Place
    codes: tuple[str, ...]
    unknown: tuple[str, ...]
    lines: tuple[int, int] | None

    def covers(self, item: Diagnostic) -> bool:
        """Whether it hides ``item``."""
        if item.place.path != self.place.path or (self.codes and item.rule not in self.codes):
            return False
        if not self.codes and self.unknown:
            return False
        if self.lines is None:
            return True
        return self.lines[0] <= item.place.end_line and item.place.line <= self.lines[1]


def suppressions(sources: Mapping[str, SourceText]) -> tuple[Suppression, ...]:
    """All suppressions in the comments of some files."""
    return tuple(s for path in sources for s in _of_file(sources[path]))


def _of_file(source: SourceText) -> Iterator[Suppression]:
    if "hlspart" not in source.text:
        return
    directives = source.path.endswith((".cfg", ".tcl", ".ini"))
    for comment in (_HASH if directives else _COMMENT).finditer(source.text):
        if comment.group()[0] in "\"'":
            continue
        for mark in _MARK.finditer(comment.group()):
            at = comment.start() + mark.start()
            line, column = source.line_column(at)
            end_line, end_column = source.line_column(comment.start() + mark.end())
            place = Place(source.path, line, column, end_line, end_column)
            words = [w.strip() for w in (mark.group("codes") or mark.group("words") or "").split(",") if w.strip()]
            entries = {w: find(w) for w in words}
            codes = tuple(e.rule.code for e in entries.values() if e is not None)
            unknown = tuple(w for w, e in entries.items() if e is None)
            whole = mark.group("file") or mark.group("file2")
            yield Suppression(place, codes, unknown, None if whole else _lines(source, comment))


def _lines(source: SourceText, comment: re.Match[str]) -> tuple[int, int]:
    """Lines a comment covers: its own, and the next where it stands alone."""
    first = source.line_column(comment.start())[0]
    last = source.line_column(max(comment.start(), comment.end() - 1))[0]
    before = source.text[source.line_span(first).start : comment.start()]
    after = source.text[comment.end() : source.line_span(last).end]
    alone = not before.strip() and not after.strip()
    return first, last + 1 if alone else last


def apply(
    findings: Iterable[Diagnostic], marks: tuple[Suppression, ...], enabled: frozenset[str]
) -> tuple[list[Diagnostic], int]:
    """(findings that stay and those about the comments themselves, number of hidden ones).

    A suppression of a rule that is not enabled is not called unused.
    """
    kept: list[Diagnostic] = []
    used: set[int] = set()
    hidden = 0
    for item in findings:
        hits = [k for k, mark in enumerate(marks) if mark.covers(item)]
        used.update(hits)
        hidden += bool(hits)
        if not hits:
            kept.append(item)
    for k, mark in enumerate(marks):
        for word in mark.unknown if "HLP902" in enabled else ():
            kept.append(_about(mark, "HLP902", f"there is no rule '{word}'", "see hlspart rules"))
        idle = not mark.unknown and (not mark.codes or set(mark.codes) <= enabled)
        if k not in used and idle and "HLP901" in enabled:
            what = ", ".join(mark.codes) or "any rule"
            kept.append(_about(mark, "HLP901", f"nothing to suppress here for {what}", "remove the comment"))
    return kept, hidden


def _about(mark: Suppression, code: str, text: str, hint: str) -> Diagnostic:
    entry = find(code)
    assert entry is not None
    return Diagnostic(code, entry.rule.name, entry.rule.severity, mark.place, text, hint)
