"""An HLS pragma that does not exist.

## What it does
Reports `#pragma HLS word` and `syn.directive.word` where no such directive exists.

## Why is this bad
The tool ignores the line or stops; what it was meant to do does not happen.

## Example
```c
void f(int A[16]) {
#pragma HLS array_partion variable=A complete
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Use instead
```c
void f(int A[16]) {
#pragma HLS array_partition variable=A complete
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Vitis message it predicts
`unknown HLS pragma ignored`, or an error of the pragma parser.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP101", "unknown-pragma", "error")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule."""
    return facts.plain(RULE, "unknown-pragma")
