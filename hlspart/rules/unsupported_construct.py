"""A construct that hlspart does not read.

## What it does
Reports each construct that lies outside of the C and C-like C++ that hlspart reads.

## Why is this bad
The statement or declaration around it was not checked, but for the spelling of its pragmas.

## Example
A kernel that is a class template with virtual functions.

## Use instead
A plain function that calls the template with constant arguments.

## Vitis message it predicts
None: the construct may be fine for the tool.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import of_benches

RULE = Rule(
    "HLP003",
    "unsupported-construct",
    "error",
    hint="keep the construct in a file of its own and leave that out",
    limit=True,
)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """What the frontend found; a base class that is not known may be one of a header that was not found.

    What a test bench has beside the hardware is no fault of it.
    """
    benches = [facts.program.functions[name] for name in of_benches(facts)]
    lines = [(at.path, at.line, at.end_line) for at in (facts.place(f.at) for f in benches)]
    for item in facts.by_frontend(RULE):
        at = item.place
        open_base = "inheritance from" in item.message and facts.lacks_header(at.path)
        beside = any(path == at.path and first <= at.line <= last for path, first, last in lines)
        yield replace(item, severity="info") if open_base or beside else item
