"""A directive of a function that is inlined.

## What it does
Reports PIPELINE, LATENCY and PERFORMANCE of a whole function that has INLINE, too.

## Why is this bad
INLINE leaves no function: the statements become part of each caller, and are scheduled with it. What the directive asks
of the function is lost, or becomes one of the loop around the call: that depends on the release.

## Example
```c
int square(int x) {
#pragma HLS inline
#pragma HLS pipeline II=1
  return x * x;
}
void f(const int a[64], int b[64]) {
  for (int i = 0; i < 64; i++) b[i] = square(a[i]);
}
```

## Use instead
```c
int square(int x) {
#pragma HLS inline
  return x * x;
}
void f(const int a[64], int b[64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline II=1
    b[i] = square(a[i]);
  }
}
```

## Vitis message it predicts
None.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import block_around
from hlspart.rules._base import Facts, Rule
from hlspart.rules._nests import inlined

RULE = Rule("HLP459", "inlined-directive", "warning", hint="keep one of them")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Directives of functions against INLINE."""
    for d in facts.program.directives:
        other = inlined(facts.program).get(d.function) if d.kind in ("pipeline", "latency", "performance") else None
        if other is None or d.loop is not None or not d.usable or d.dialect != "vitis" or d.has("off"):
            continue
        body = facts.program.functions[d.function or ""].body if d.function in facts.program.functions else None
        if body is not None and block_around(body, d.at.span) is not None:
            continue  # of a region, which becomes one of each caller
        message = f"{facts.pragma_text(d)} of {d.function}(): the function is inlined, so none is left for it"
        yield facts.report(RULE, d.at, message, None, [(other.at, "inlined here")])
