"""A large array is partitioned completely.

## What it does
Reports complete partitions that make more than 1024 banks.

## Why is this bad
Every element becomes a register or a memory of its own. The tool's run time and memory explode
(tens of gigabytes were seen), and so do the multiplexers.

## Example
```c
void f(int A[4096]) {
#pragma HLS array_partition variable=A complete
  for (int i = 0; i < 4096; i++) A[i] = i;
}
```

## Use instead
```c
void f(int A[4096]) {
#pragma HLS array_partition variable=A cyclic factor=8
  for (int i = 0; i < 4096; i++) A[i] = i;
}
```

## Vitis message it predicts
`203-103` (Vivado HLS): more than 1024 elements.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP303", "large-complete-partition", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Complete partitions with many banks."""
    for _status, directive, variable in facts.partitions():
        if directive.choice("type", ("cyclic", "block", "complete")) not in (None, "complete"):
            continue
        dim = directive.values.get("dim", 1)
        banks = 1
        for k, extent in enumerate(variable.dims, 1):
            banks *= extent if extent is not None and dim in (0, k) else 1
        if banks > facts.large:
            message = f"'{variable.name}': a complete partition makes {banks} banks (more than {facts.large})"
            yield facts.report(RULE, directive.at, message, "partition cyclic by what the loop needs")
