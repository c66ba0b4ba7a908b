"""A partitioned array with an index that depends on data.

## What it does
Reports an access of a partitioned array whose index is no affine form of the loop iterators.

## Why is this bad
Which bank it hits is known only when it runs: the access needs a multiplexer over all banks and a
port of each.

## Example
```c
void f(int H[64], int D[256]) {
#pragma HLS array_partition variable=H cyclic factor=4
  for (int i = 0; i < 256; i++) H[D[i] & 63] = i;
}
```

## Use instead
```c
void f(int H[64], int D[256]) {
  for (int i = 0; i < 256; i++) H[D[i] & 63] = i;
}
```

## Vitis message it predicts
`[HLS 200-914]` or `203-104` for complete partitions.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP204", "non-affine-partition", "info")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule."""
    return facts.plain(RULE, "non-affine")
