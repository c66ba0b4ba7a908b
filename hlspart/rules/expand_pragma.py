"""A pragma that asks for an expansion says nothing, or asks for what is not legal.

## What it does
Reports `#pragma hlspart expand` and `#pragma hlspart grid` that are malformed or not at the start of a loop's
body, and those at loops that cannot run on several elements.

## Why is this bad
`hlspart expand` leaves such a loop as it is.

## Example
```c
void f(int A[16]) {
  L: for (int i = 1; i < 16; i++) {
#pragma hlspart expand pe=4
    A[i] = A[i - 1];
  }
}
```

## Use instead
```c
void f(int A[16]) {
  L: for (int i = 4; i < 16; i++) {
#pragma hlspart expand pe=4
    A[i] = A[i - 4];
  }
}
```

## Vitis message it predicts
None: the pragma is not the tool's.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP501", "expand-pragma", "error", hint="`hlspart expand --plan` judges every loop; see docs/expand.md")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule."""
    for fault in facts.expansions() if facts.expansions is not None else ():
        yield replace(fault, rule=RULE.code, name=RULE.name, severity=RULE.severity, hint=fault.hint or RULE.hint)
