"""A port to external memory, or a stream of structures, is partitioned.

## What it does
Reports ARRAY_PARTITION and ARRAY_RESHAPE of an array that is an m_axi port, and of an array of structures that is an
`axis` port. Where a function takes a local array and such a port, its banks are not followed: that is information.

## Why is this bad
Memory outside of the device has no banks to split. Through 2024.1 the manual says that it is not
supported; a page of 2023.2 describes it for HBM, so it is a warning for later versions. A structure is one word of an
AXI4-Stream.

## Example
```c
void f(int A[16]) {
#pragma HLS interface m_axi port=A depth=16
#pragma HLS array_partition variable=A cyclic factor=2
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Use instead
```c
void f(int A[16]) {
#pragma HLS interface m_axi port=A depth=16
  int t[16];
#pragma HLS array_partition variable=t cyclic factor=2
  for (int i = 0; i < 16; i++) t[i] = A[i];
}
```

## Vitis message it predicts
`array_partition is not supported on m_axi`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import StructType
from hlspart.rules._base import Facts, Rule
from hlspart.rules._interfaces import interfaces
from hlspart.rules._nests import active

RULE = Rule("HLP409", "axi-partition", "error")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule."""
    later = facts.version is not None and facts.version > (2024, 1)
    yield from facts.plain(RULE, "m-axi", severity="warning" if later else "error")
    yield from facts.plain(RULE, "tied-to-port", severity="info")
    masters = {v: d for d, mode in interfaces(facts) if mode == "m_axi" for v in d.variables}
    for d in active(facts.program, "array_reshape"):
        for ident in d.variables:
            if ident in masters:
                message = f"ARRAY_RESHAPE: '{facts.program.variable(ident).name}' is an m_axi port: its words stay"
                hint = "take a wider element, such as hls::vector"
                yield facts.report(RULE, d.at, message, hint, [(masters[ident].at, "the port")])
    streams = {v: d for d, mode in interfaces(facts) if mode == "axis" for v in d.variables}
    for d in (*active(facts.program, "array_partition"), *active(facts.program, "array_reshape")):
        for ident in d.variables:
            variable = facts.program.variable(ident)
            element = variable.as_array.element if variable.as_array is not None else None
            if ident in streams and isinstance(element, StructType):
                message = (
                    f"{facts.pragma_text(d)}: '{variable.name}' is an AXI4-Stream of structures, which is one port"
                )
                hint = "remove it, or make the structures wider"
                yield facts.report(RULE, d.at, message, hint, [(streams[ident].at, "the port")])
