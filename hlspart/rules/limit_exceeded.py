"""A file exceeds a limit of the reader.

## What it does
Reports input that is too large after preprocessing, nested too deeply, or an include cycle.

## Why is this bad
Nothing in the file was checked.

## Example
A macro that doubles itself thirty times.

## Use instead
The text it stands for, or a loop.

## Vitis message it predicts
None.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP004", "limit-exceeded", "error", hint="split the file")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """What the frontend found."""
    return facts.by_frontend(RULE)
