"""A STREAM directive where no tasks run at once.

## What it does
Reports STREAM of an array in a function without DATAFLOW.

## Why is this bad
Only a channel between two tasks becomes a FIFO. Elsewhere the array stays a memory, and the directive does nothing.

## Example
```c
void top(int a[64], int b[64]) {
  int t[64];
#pragma HLS stream variable=t depth=4
  for (int i = 0; i < 64; i++) t[i] = a[i];
  for (int i = 0; i < 64; i++) b[i] = t[i];
}
```

## Use instead
```c
void top(int a[64], int b[64]) {
#pragma HLS dataflow
  int t[64];
#pragma HLS stream variable=t depth=4
  for (int i = 0; i < 64; i++) t[i] = a[i];
  for (int i = 0; i < 64; i++) b[i] = t[i];
}
```

## Vitis message it predicts
One that the variable is no channel and the directive is ignored.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import OtherType, ScalarType
from hlspart.rules._base import Facts, Rule
from hlspart.rules._processes import BLOCKS, regions

RULE = Rule(
    "HLP613", "stream-outside-dataflow", "warning", hint="add DATAFLOW to the function, or remove the directive"
)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """STREAM of local arrays that no two tasks share."""
    channels = {u.variable for r in regions(facts.program) for u, writers, readers in r.channels()}
    regional = {r.function for r in regions(facts.program)}
    for variable in facts.program.variables:
        blocks = isinstance(variable.type, OtherType) and variable.type.name.startswith(BLOCKS)
        if blocks and variable.storage in ("local", "static") and variable.function not in regional:
            message = f"'{variable.name}' hands on blocks between tasks, but {variable.function}() has no DATAFLOW"
            yield facts.report(RULE, variable.at, message, "add DATAFLOW to the function")
    for directive in facts.program.directives:
        if directive.kind != "stream" or not directive.usable or directive.has("off"):
            continue
        for ident in directive.variables:
            variable = facts.program.variable(ident)
            kinds = variable.is_array or isinstance(variable.type, ScalarType)
            local = kinds and variable.storage in ("local", "static")
            if local and ident not in channels and variable.function not in regional:
                stays = "the array stays a memory" if variable.is_array else "the number stays a register"
                message = f"STREAM of '{variable.name}': {variable.function}() has no DATAFLOW, {stays}"
                yield facts.report(RULE, directive.at, message, None, [(variable.at, "declared here")])
