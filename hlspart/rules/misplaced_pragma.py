"""A pragma stands outside of what it is about.

## What it does
Reports pragmas outside of any function, and UNROLL, LOOP_TRIPCOUNT or LOOP_FLATTEN outside of a
loop.

## Why is this bad
The tool ignores them, or applies them to the whole function.

## Example
```c
void f(int A[16]) {
#pragma HLS unroll factor=4
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Use instead
```c
void f(int A[16]) {
  for (int i = 0; i < 16; i++) {
#pragma HLS unroll factor=4
    A[i] = i;
  }
}
```

## Vitis message it predicts
`pragma is ignored: not in a loop`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP403", "misplaced-pragma", "error")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule."""
    return facts.plain(RULE, "outside-function", "outside-loop")
