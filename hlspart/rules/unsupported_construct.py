"""A construct that hlspart does not read.

## What it does
Reports each construct that lies outside of the C and C-like C++ that hlspart reads.

## Why is this bad
The statement or declaration around it was not checked, but for the spelling of its pragmas. A virtual function, an
exception, and `new` in a file of ports or beside a loop with pragmas are errors: no hardware chooses what to call, or
takes memory, while it runs.

## Example
A kernel that is a class template with virtual functions.

## Use instead
A plain function that calls the template with constant arguments.

## Vitis message it predicts
None: the construct may be fine for the tool.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.source import Span
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import of_benches

HINT = "keep the construct in a file of its own and leave that out"
_NEVER = re.compile(r"\b(?:virtual|exception handling|(?<=: )new|(?<=: )delete|std::function)\b")
_PORTS = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+HLS[ \t]+INTERFACE\b", re.M | re.I)
_SIMULATED = re.compile(r"^[ \t]*#[ \t]*if\w*\b[^\n]*SYNTHESIS", re.M)
_MAIN = re.compile(r"^[ \t]*(?:int|auto|void)\s+main\s*\(", re.M)
_SPECIFIED = re.compile(r"\)\s*throw\s*\(\s*\)")
RULE = Rule("HLP003", "unsupported-construct", "info", hint=HINT, limit=True)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """What the frontend found: it says what is not read, not what is wrong, but for what no hardware does."""
    for item in facts.by_frontend(RULE):
        never = _NEVER.search(item.message) or _NEVER.search(_line(facts, item))
        yield item if never and not _is_of_host(facts, item, never[0]) else replace(item, severity=RULE.severity)


def _line(facts: Facts, item: Diagnostic) -> str:
    """The line of the text that a finding is about."""
    source = facts.program.sources.get(item.place.path)
    return source.text.split("\n")[item.place.line - 1] if source is not None else ""


def _is_of_host(facts: Facts, item: Diagnostic, what: str) -> bool:
    """Whether a place is in a file with a ``main`` or in a test bench, or says what a library's function throws.

    Memory from the heap is a program's, too, but in a file of ports, or a loop of hardware, where no part is for
    simulation.
    """
    source = facts.program.sources.get(item.place.path)
    if source is None:
        return True
    built = _PORTS.search(source.text) is not None or facts.is_within(item.place, _with_loops_in_hardware(facts))
    if what in ("new", "delete") and (not built or _SIMULATED.search(source.text)):
        return True
    benches = [facts.program.functions[name].at.span for name in of_benches(facts)]
    if facts.is_within(item.place, benches):
        return True
    return _MAIN.search(source.text) is not None or _SPECIFIED.search(_line(facts, item)) is not None


def _with_loops_in_hardware(facts: Facts) -> list[Span]:
    """Functions with a loop that a directive is about."""
    named = {d.function for d in facts.program.directives if d.loop is not None and d.usable and d.source == "pragma"}
    return [f.at.span for name, f in facts.program.functions.items() if name in named]
