"""Findings with the source line, a caret, related places and hints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from hlspart.model.diagnostics import Diagnostic, Place
from hlspart.model.linting import LintReport, line_text
from hlspart.model.printable import one_line, printable

MISSING_HEADER = "HLP006"
_COLOURS = {"error": "31", "warning": "33", "info": "36", "note": "36"}


def render(report: LintReport, colour: bool = False) -> str:
    """Nothing at all when there is nothing to say."""
    out = "".join(_finding(report, d, colour) for d in _once(report.diagnostics))
    return out + (summary(report) if report.diagnostics else "")


def _once(items: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
    """A missing header is one thing to mend, wherever it is included: the first place, and how many more there are."""
    places = Counter(d.message for d in items if d.rule == MISSING_HEADER)
    for item in items:
        count = places.pop(item.message, 0) if item.rule == MISSING_HEADER else 1
        if count > 1:
            yield replace(item, message=f"{item.message} (and in {count - 1} more place{'s' * (count > 2)})")
        elif count:
            yield item


def summary(report: LintReport) -> str:
    """``2 errors, 1 warning in 3 files``."""
    names = (("error", "error"), ("warning", "warning"), ("info", "info"))
    counts = [(report.count(s), n) for s, n in names if report.count(s)]  # type: ignore[arg-type]
    text = ", ".join(f"{n} {word}{'s' if n > 1 and word != 'info' else ''}" for n, word in counts) or "no findings"
    files = len(report.files)
    hidden = f", {report.suppressed} suppressed" if report.suppressed else ""
    return f"{text}{hidden} in {files} file{'s' if files != 1 else ''}\n"


def _finding(report: LintReport, item: Diagnostic, colour: bool) -> str:
    p = item.place
    head = f"{_at(p)}: {_paint(item.severity, _COLOURS[item.severity], colour)}: "
    out = head + _paint(one_line(item.message), "1", colour) + f" [{item.rule} {item.name}]\n"
    out += _excerpt(report, p, colour)
    if item.hint:
        out += f"     = help: {one_line(item.hint)}\n"
    if item.fix:
        out += f"     = fix: {one_line(item.fix.message)} ({'--fix' if item.fix.safe else '--unsafe-fixes'})\n"
    for related in item.related:
        out += f"  {_at(related.place)}: note: {one_line(related.message)}\n"
        out += _excerpt(report, related.place, colour)
    return out


def _at(place: Place) -> str:
    return f"{one_line(place.path)}:{place.line}:{place.column}"


def _excerpt(report: LintReport, place: Place, colour: bool) -> str:
    line = line_text(report, place.path, place.line)
    if not line.strip():
        return ""
    start = min(place.column, len(line) + 1)
    end = place.end_column if place.end_line == place.line else len(line.rstrip()) + 1
    before = "".join("\t" if c == "\t" else " " for c in printable(line[: start - 1]))
    mark = "^" + "~" * max(0, len(printable(line[start - 1 : end - 1])) - 1)
    return f"{place.line:>4} | {printable(line)}\n     | {before}{_paint(mark, '32', colour)}\n"


def _paint(text: str, code: str, colour: bool) -> str:
    return f"\033[{code}m{text}\033[0m" if colour else text
