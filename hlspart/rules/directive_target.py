"""A directive file names a function or label that does not exist.

## What it does
Reports lines of a directive file whose function or loop label is not in the sources.

## Why is this bad
The tool reports it late or not at all; the directive does nothing. Unlabelled loops are named by
their line, so that an inserted line breaks every such directive.

## Example
```c
void f(int A[16]) {
  L: for (int i = 0; i < 16; i++) A[i] = i;
}
```
```cfg
[hls]
syn.directive.pipeline=f/M II=1
```

## Use instead
```c
void f(int A[16]) {
  L: for (int i = 0; i < 16; i++) A[i] = i;
}
```
```cfg
[hls]
syn.directive.pipeline=f/L II=1
```

## Vitis message it predicts
`[HLS 200-916] Cannot locate the object`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP411", "directive-target", "error", names=True)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule."""
    return facts.plain(RULE, "unknown-function", "unknown-label", "missing-location")
