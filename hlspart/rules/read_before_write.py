"""A variable is read where nothing may have written it.

## What it does
Reports the read of a local scalar that has no value: no statement before it writes it, or only some branches of an
`if` do that stands on the way to it. A write in a loop counts, even where the loop may not run, and where a condition
chooses, the iteration before counts; so does a `switch`.

## Why is this bad
In software the old content of a register or of the stack is read, often that of the iteration before. In hardware
there is no such thing: the tool takes any value, and C simulation and the circuit differ.

## Example
```c
void f(const int a[16], int b[16], int low) {
  for (int i = 0; i < 16; i++) {
    int kind;
    if (a[i] > low)
      kind = 2;
    else if (a[i] == 0)
      kind = 1;
    b[i] = kind;
  }
}
```

## Use instead
```c
void f(const int a[16], int b[16], int low) {
  for (int i = 0; i < 16; i++) {
    int kind = 0;
    if (a[i] > low)
      kind = 2;
    else if (a[i] == 0)
      kind = 1;
    b[i] = kind;
  }
}
```

## Vitis message it predicts
None in the log of the tool; clang's `variable is used uninitialized`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._assigned import unwritten
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP437", "read-before-write", "warning", names=True, hint="give it a value where it is declared")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """The first such read of each variable."""
    hidden = frozenset(name for hole in facts.program.holes for name in hole.names)
    for name, function in facts.program.functions.items():
        labels = any(isinstance(s, c.Label) or (isinstance(s, c.Jump) and s.kind == "goto")
                     for s in c.walk_statements(function.body))  # fmt: skip
        if name == "main" or labels:
            continue
        for variable, read, never in unwritten(facts.program, function):
            if variable.name in hidden:
                continue
            how = "before anything is written to it" if never else "although not every branch before writes it"
            message = f"'{variable.name}' is read {how}"
            yield facts.report(RULE, read, message, None, [(variable.at, "declared without a value")])
