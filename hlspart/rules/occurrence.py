"""OCCURRENCE that does not fit the pipeline around it.

## What it does
Reports OCCURRENCE in no pipelined loop or function, and a `cycle=` that is no multiple of the II of the pipeline.

## Why is this bad
The region is said to run in every n-th cycle of the pipeline. A cycle in which no iteration starts does not exist.

## Example
```c
void f(const int a[60], int b[60]) {
  for (int i = 0; i < 60; i++) {
#pragma HLS pipeline II=2
    b[i] = a[i];
    if (i % 3 == 0) {
#pragma HLS occurrence cycle=3
      b[i] += 7;
    }
  }
}
```

## Use instead
```c
void f(const int a[60], int b[60]) {
  for (int i = 0; i < 60; i++) {
#pragma HLS pipeline II=2
    b[i] = a[i];
    if (i % 2 == 0) {
#pragma HLS occurrence cycle=4
      b[i] += 7;
    }
  }
}
```

## Vitis message it predicts
One that the directive is ignored.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._nests import active, pipelined_around

RULE = Rule("HLP225", "occurrence", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """OCCURRENCE against PIPELINE."""
    for d in active(facts.program, "occurrence"):
        pipeline = pipelined_around(facts.program, d.function or "", d.loop)
        cycle = d.values.get("cycle")
        if pipeline is None:
            yield facts.report(RULE, d.at, "OCCURRENCE: nothing around it is pipelined", "pipeline the loop")
        elif cycle is not None and cycle % pipeline.values.get("ii", 1):
            ii = pipeline.values["ii"]
            message = f"OCCURRENCE: cycle={cycle} is no multiple of the II {ii} of the pipeline"
            yield facts.report(RULE, d.at, message, f"say cycle={ii * cycle}", [(pipeline.at, "the pipeline")])
