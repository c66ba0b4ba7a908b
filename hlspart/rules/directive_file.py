"""A line of a directive file was not followed.

## What it does
Reports lines of `hls_config.cfg` that are no `key=value`, and Tcl that hlspart does not execute.

## Why is this bad
Directives in such places are unknown to every check.

## Example
```c
void f(int A[8]) { A[0] = 1; }
```
```tcl
foreach v {A} {
  set_directive_array_partition f $v
}
```

## Use instead
```c
void f(int A[8]) { A[0] = 1; }
```
```tcl
set_directive_array_partition f A
```

## Vitis message it predicts
None.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP007", "directive-file", "warning", hint="write the directives one by one")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """What the frontend found."""
    return facts.by_frontend(RULE)
