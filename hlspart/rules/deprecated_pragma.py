"""A deprecated directive.

## What it does
Reports RESOURCE, DATA_PACK and SHARED for Vitis HLS, and `enable_flush` of PIPELINE.

## Why is this bad
Newer versions map them only in part or drop them.

## Example
```c
void f(int A[16]) {
#pragma HLS resource variable=A core=RAM_2P_BRAM
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Use instead
```c
void f(int A[16]) {
#pragma HLS bind_storage variable=A type=ram_2p impl=bram
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Vitis message it predicts
`The resource pragma is deprecated` and similar.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP111", "deprecated-pragma", "info")


NEWER = {"resource": "bind_storage or bind_op", "data_pack": "aggregate", "shared": "stream type=shared"}


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Old directives for a new tool."""
    for directive in facts.program.directives:
        if directive.dialect != "vitis":
            continue
        if directive.kind in NEWER and directive.kind in facts.deprecated:
            message = f"{facts.pragma_text(directive)} is deprecated in Vitis HLS"
            yield facts.report(RULE, directive.at, message, f"use {NEWER[directive.kind]}")
        elif directive.kind == "pipeline" and directive.has("enable_flush") and "enable_flush" in facts.deprecated:
            yield facts.report(RULE, directive.at, "PIPELINE enable_flush is deprecated in Vitis HLS", "use style=flp")
