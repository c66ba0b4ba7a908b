"""A file cannot be read.

## What it does
Reports a source or directive file that does not exist, is a folder, is empty, is too large or holds
no C.

## Why is this bad
Nothing in it was checked; a run that skips it must not look clean.

## Example
A path that does not exist.

## Use instead
The path of a C file.

## Vitis message it predicts
None: the tool reports the missing file itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP001", "unreadable-file", "error", hint="check the path and its permissions")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """What the frontend found."""
    return facts.by_frontend(RULE)
