"""An option that the directive does not have.

## What it does
Reports options and bare words that the directive does not know.

## Why is this bad
The tool rejects the pragma or drops the option, and falls back to a default that was not meant.

## Example
```c
void f(int A[16]) {
#pragma HLS array_partition variable=A cyclic banks=4
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Use instead
```c
void f(int A[16]) {
#pragma HLS array_partition variable=A cyclic factor=4
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Vitis message it predicts
`unexpected pragma argument`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP102", "unknown-option", "error", hint="remove it, or correct its spelling")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule."""
    return facts.plain(RULE, "unknown-option")
