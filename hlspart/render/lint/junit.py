"""JUnit XML: a suite per file; errors and warnings are failures, infos are output of a passed case."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.linting import LintReport
from hlspart.model.printable import one_line


def render(report: LintReport) -> str:
    """A file without findings is one passed case."""
    suites, total, failed = [], 0, 0
    for path in dict.fromkeys([*report.files, *(d.place.path for d in report.diagnostics)]):
        cases = [_case(d) for d in report.diagnostics if d.place.path == path]
        failures = sum(1 for d in report.diagnostics if d.place.path == path and _fails(d))
        cases = cases or [f"  <testcase classname={_attribute(path)} name={_attribute('clean')}/>\n"]
        total, failed = total + len(cases), failed + failures
        head = f' <testsuite name={_attribute(path)} tests="{len(cases)}" failures="{failures}" errors="0">\n'
        suites.append(head + "".join(cases) + " </testsuite>\n")
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<testsuites name="hlspart lint" tests="{total}" failures="{failed}" errors="0">\n'
        f"{''.join(suites)}</testsuites>\n"
    )


def _fails(item: Diagnostic) -> bool:
    return item.severity in ("error", "warning")


def _case(item: Diagnostic) -> str:
    p = item.place
    name = f"{item.rule} {item.name} at {p.line}:{p.column}"
    text = escape(f"{item}" + (f"\n{one_line(item.hint)}" if item.hint else ""))
    body = f"   <system-out>{text}</system-out>\n"
    if _fails(item):
        kind = _attribute(item.severity)
        body = f"   <failure type={kind} message={_attribute(item.message)}>{text}</failure>\n"
    return f"  <testcase classname={_attribute(p.path)} name={_attribute(name)}>\n{body}  </testcase>\n"


def _attribute(text: str) -> str:
    return quoteattr(one_line(text))
