"""An option has a value it cannot have.

## What it does
Reports values that are no integer constant, not positive, no known word, or an empty range.

## Why is this bad
The pragma is rejected: its effect is missing from the design.

## Example
```c
void f(int A[16]) {
#pragma HLS array_partition variable=A cyclic factor=2.5
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Use instead
```c
void f(int A[16]) {
#pragma HLS array_partition variable=A cyclic factor=2
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Vitis message it predicts
`expression is not an integer constant expression`, `invalid factor`, or a pragma parser error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP104", "bad-value", "error", hint="give a whole number, or a name with a constant value")

#: A floating constant that is cast to an integer is a constant in C++, which hlspart does not evaluate.
_CAST = re.compile(
    r"\(\s*(?:unsigned |signed )?(?:int|long|short|char|size_t|unsigned)\s*\).*(?:\d\.|\.\d|\de[-+\d])", re.I
)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule."""
    codes = ("bad-choice", "bad-factor", "bad-ii", "bad-distance", "bad-tripcount", "bad-latency", "bad-depth")
    yield from facts.plain(RULE, *codes)
    for item in facts.plain(RULE, "bad-value"):
        if not _CAST.search(item.message):
            yield item
