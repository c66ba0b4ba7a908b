"""A file is not C.

## What it does
Reports the first place at which a file cannot be parsed.

## Why is this bad
Nothing in the file was checked, so nothing about it is known to be right.

## Example
```c
int f(int A[8]) {
  return A[0
}
```

## Use instead
```c
int f(int A[8]) {
  return A[0];
}
```

## Vitis message it predicts
The compiler's own error, such as `expected ']'`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule(
    "HLP002",
    "syntax-error",
    "error",
    hint="correct the text; give missing headers and macros with -I and -D, C++ with --lang c++",
)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """What the frontend found."""
    return facts.by_frontend(RULE)
