"""Two tasks of a DATAFLOW region share a static or global variable.

## What it does
Reports a function with a static variable that it changes where a DATAFLOW region calls it as two tasks, and a variable
of file scope that one task writes and another one reads or writes.

## Why is this bad
The tasks run at once: which of them sees which value depends on their timing and not on the order of the text. The tool
refuses the region or makes the variable a channel that the text does not show.

## Example
```c
void count(int a[64], int b[64]) {
  static int sum;
  for (int i = 0; i < 64; i++) {
    sum += a[i];
    b[i] = sum;
  }
}
void top(int a[64], int b[64], int c[64], int d[64]) {
#pragma HLS dataflow
  count(a, b);
  count(c, d);
}
```

## Use instead
```c
void count(int a[64], int b[64]) {
  int sum = 0;
  for (int i = 0; i < 64; i++) {
    sum += a[i];
    b[i] = sum;
  }
}
void top(int a[64], int b[64], int c[64], int d[64]) {
#pragma HLS dataflow
  count(a, b);
  count(c, d);
}
```

## Vitis message it predicts
`failed dataflow checking: it can only have a single reader and a single writer` for the variable.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._processes import regions
from hlspart.rules._shared import apart

HINT = "make it a parameter, or let one task own it"
RULE = Rule("HLP609", "dataflow-static-state", "warning", hint=HINT)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """State of two tasks."""
    free = apart(facts.program)
    for region in regions(facts.program):
        for use, writers, readers in region.channels():
            variable = facts.program.variable(use.variable)
            shared = variable.function is None or (
                variable.storage == "static" and variable.function != region.function
            )
            if not shared or not writers or use.variable in free or variable.const:
                continue
            others = [p for p in (*writers[1:], *readers) if p is not writers[0]]
            if not others:
                continue
            first, second = sorted((writers[0], others[0]), key=lambda p: p.index)
            what = "static variable" if variable.storage == "static" else "variable of file scope"
            message = f"the {what} '{variable.name}' is state of two tasks, {first.name} and {second.name}"
            related = [(first.at, "the first task"), (variable.at, "the variable"), (region.directive.at, "the region")]
            yield facts.report(RULE, second.at, message, None, related)
