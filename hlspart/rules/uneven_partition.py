"""The factor does not divide the extent.

## What it does
Reports block partitions whose blocks have unequal sizes (a warning), and cyclic ones (for
information).

## Why is this bad
Tools disagree on uneven blocks: thirteen elements in four blocks are 4, 4, 4, 1 by one page of the
manual and 3, 3, 3, 4 by another. Which element lies in which bank, and with it every port conflict,
depends on it. Cyclic banks differ by one element at most and everywhere alike.

## Example
```c
void f(int A[13]) {
#pragma HLS array_partition variable=A block factor=4
  for (int i = 0; i < 13; i++) A[i] = i;
}
```

## Use instead
```c
void f(int A[16]) {
#pragma HLS array_partition variable=A block factor=4
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Vitis message it predicts
None, but see `[HLS 214-253]` on sizes.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP110", "uneven-partition", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Partitions with banks of unequal size."""
    for _status, directive, variable in facts.partitions():
        factor, dim = directive.values.get("factor"), directive.values.get("dim", 1)
        kind = directive.choice("type", ("cyclic", "block", "complete"))
        if factor is None or kind not in ("cyclic", "block"):
            continue
        for k, extent in enumerate(variable.dims, 1):
            if extent is None or dim not in (0, k) or factor >= extent or extent % factor == 0:
                continue
            at = next((o.at for o in directive.options if o.name == "factor"), directive.at)
            where = f" of dim {k}" if len(variable.dims) > 1 else ""
            if kind == "block":
                size = -(-extent // factor)
                message = f"'{variable.name}': {factor} blocks of {extent} elements{where} are uneven; tools disagree"
                hint = f"use a divisor of {extent}, or pad the array to {factor * size} elements"
                yield facts.report(RULE, at, message, hint)
            else:
                message = f"'{variable.name}': {extent} elements{where} in {factor} cyclic banks of unequal size"
                yield facts.report(RULE, at, message, severity="info")
