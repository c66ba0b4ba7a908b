"""A header was not found.

## What it does
Reports an `#include` that was skipped because its file was not found.

## Why is this bad
Macros and types of the header are unknown; what depends on them is not checked.

## Example
```c
#include "sizes.h"
int f(int A[8]) { return A[0]; }
```

## Use instead
```c
int f(int A[8]) { return A[0]; }
```

## Vitis message it predicts
None: the tool finds the header by its own flags.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP006", "missing-header", "info", each=True)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """What the frontend found; a header that several files include is told of once."""
    shown = set[str]()
    for item in facts.by_frontend(RULE):
        if item.message not in shown:
            shown.add(item.message)
            yield item
