"""Words that are wider than ports and integers can be.

## What it does
Reports elements of more than 1024 bits at an m_axi port, arrays that ARRAY_RESHAPE makes to words of more than 4096
bits at a port, and `ap_int` of more than 1024 bits where `AP_INT_MAX_W` does not allow it.

## Why is this bad
An AXI master has at most 1024 data lines and a port at most 4096: the tool refuses it, or the word takes several beats.

## Example
```c
void f(const int A[256], int out[64]) {
#pragma HLS interface ap_none port=A
#pragma HLS array_reshape variable=A type=complete dim=1
  for (int i = 0; i < 64; i++) out[i] = A[i] + A[i + 192];
}
```

## Use instead
```c
void f(const int A[256], int out[64]) {
#pragma HLS interface ap_memory port=A
#pragma HLS array_reshape variable=A type=cyclic factor=64 dim=1
  for (int i = 0; i < 64; i++) out[i] = A[i] + A[i + 192];
}
```

## Vitis message it predicts
One that the width of the port, or of the integer, is not supported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import ScalarType, storage_bits
from hlspart.rules._base import Facts, Rule
from hlspart.rules._interfaces import holds_arrays, interfaces

RULE = Rule("HLP435", "port-too-wide", "warning")
_MASTER, _PORT, _INTEGER = 1024, 4096, 1024  # bits (UG1399)
_ALLOWED = re.compile(r"#[ \t]*define[ \t]+AP_INT_MAX_W[ \t]+(\d+)")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Ports, reshaped arguments of top functions, integers."""
    for d, mode in interfaces(facts):
        for ident in d.variables if mode == "m_axi" else ():
            variable = facts.program.variable(ident)
            element = variable.as_array.element if variable.as_array is not None else None
            bits = storage_bits(element) if element is not None and not holds_arrays(element) else None
            if bits is not None and bits > _MASTER:
                message = f"'{variable.name}' has elements of {bits} bits, an AXI master has at most {_MASTER}"
                hint = "take a type of 512 bits or less"
                yield facts.report(RULE, d.at, message, hint, [(variable.at, "the port")])
    for status in facts.validation.statuses:
        d = facts.program.directives[status.directive]
        for ident in d.variables if d.kind == "array_reshape" and status.status == "applied" else ():
            variable = facts.program.variable(ident)
            array, factor = variable.as_array, d.values.get("factor")
            if array is None or variable.storage != "parameter" or variable.function not in facts.analysis.tops:
                continue
            bits, dim = storage_bits(array.element), d.values.get("dim", 1)
            together = array.dims if dim == 0 else array.dims[dim - 1 : dim]
            if bits is None or None in together:
                continue
            wide = bits * (factor or prod(n or 0 for n in together))
            if wide > _PORT:
                message = f"words of '{variable.name}' would have {wide} bits, a port has at most {_PORT}"
                yield facts.report(RULE, d.at, message, "give a factor", [(variable.at, "the port")])
    yield from _integers(facts)


def _integers(facts: Facts) -> Iterator[Diagnostic]:
    texts = [source.text for source in facts.program.sources.values()]
    most = max((int(m[1]) for text in texts for m in _ALLOWED.finditer(text)), default=_INTEGER)
    if "AP_INT_MAX_W" in facts.defined or facts.program.without_header():
        return
    reported: set[str] = set()
    for variable in facts.program.variables:
        kind = variable.as_array.element if variable.as_array is not None else variable.type
        if not isinstance(kind, ScalarType) or (kind.library, kind.kind) != ("ap", "int") or kind.name in reported:
            continue
        if kind.bits > most:
            reported.add(kind.name)
            message = f"'{variable.name}' has {kind.bits} bits, ap_int.h allows {most}"
            yield facts.report(RULE, variable.at, message, f"#define AP_INT_MAX_W {kind.bits} before it is included")
