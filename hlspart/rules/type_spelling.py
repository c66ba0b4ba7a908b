"""type= is not known to the target version.

## What it does
Reports `type=` in ARRAY_PARTITION and ARRAY_RESHAPE when the target is Vivado HLS.

## Why is this bad
Vivado HLS knows the type as a bare word only and rejects `type=`.

## Example
```c tool=vivado-hls-2019.2
void f(int A[16]) {
#pragma HLS array_partition variable=A type=cyclic factor=4
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Use instead
```c tool=vivado-hls-2019.2
void f(int A[16]) {
#pragma HLS array_partition variable=A cyclic factor=4
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Vitis message it predicts
`unexpected pragma argument 'type'`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic, Fix
from hlspart.model.source import Edit
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP109", "type-spelling", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """``type=`` for a tool before Vitis HLS."""
    if not facts.bare_types:
        return
    for directive in facts.program.directives:
        value = directive.option("type")
        if directive.kind not in ("array_partition", "array_reshape") or directive.source != "pragma" or not value:
            continue
        span = facts.option_span(directive, "type")
        fix = Fix(f"write {value} alone", (Edit(span, value),), safe=True) if span else None
        message = f"{facts.pragma_text(directive)}: {facts.tool} does not know type=, only the bare word"
        at = next(o.at for o in directive.options if o.name == "type")
        yield facts.report(RULE, at, message, f"write {value} without type=", fix=fix)
