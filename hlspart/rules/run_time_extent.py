"""An array has an extent that is no constant.

## What it does
Reports `int A[n]` where `n` is not known when the hardware is built.

## Why is this bad
A memory needs a size. Synthesis refuses it, and no partition of it can be checked.

## Example
```c
int f(int n) {
  int A[n];
  A[0] = n;
  return A[0];
}
```

## Use instead
```c
#define N 16
int f(int n) {
  int A[N];
  A[0] = n;
  return A[0];
}
```

## Vitis message it predicts
`variable-sized array is not supported` or an unsynthesizable-type error.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import of_benches

RULE = Rule(
    "HLP005", "run-time-extent", "error", names=True, hint="make the extent a literal, a macro or an enumerator"
)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """What the frontend found; for information where only a processor runs it."""
    benches = [f.at.span for n, f in facts.program.functions.items() if n in of_benches(facts)]
    for item in facts.by_frontend(RULE):
        yield replace(item, severity="info") if facts.is_within(item.place, benches) else item
