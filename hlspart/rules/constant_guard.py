"""A flag for the first call that every call sets anew.

## What it does
Reports an `if` on a local variable that has just got a constant, where the branch gives it another value: a guard
against doing something twice whose flag is not `static`.

## Why is this bad
The test has the same result in every call. What should be done once, such as filling a table, is done each time: in
hardware a loop of its own before the work begins.

## Example
```c
void f(const int a[16], int b[16]) {
  static int table[16];
  int ready = 0;
  if (!ready) {
    for (int i = 0; i < 16; i++) table[i] = i * i;
    ready = 1;
  }
  for (int i = 0; i < 16; i++) b[i] = table[a[i] & 15];
}
```

## Use instead
```c
void f(const int a[16], int b[16]) {
  static int table[16];
  static int ready = 0;
  if (!ready) {
    for (int i = 0; i < 16; i++) table[i] = i * i;
    ready = 1;
  }
  for (int i = 0; i < 16; i++) b[i] = table[a[i] & 15];
}
```

## Vitis message it predicts
None.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import of_benches
from hlspart.rules._mentions import mentioned, mentioned_in

RULE = Rule("HLP438", "constant-guard", "warning", hint="declare the flag static")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Flags of function bodies that only their own guard uses."""
    benches = of_benches(facts)
    for name, function in facts.program.functions.items():
        flags: set[int] = set()
        for k, stmt in enumerate(function.body.body if name not in benches else ()):
            if isinstance(stmt, c.Declare):
                flags |= {v for v in stmt.variables if _flag(facts.program.variable(v))}
                continue
            used = flags & mentioned(facts.program, stmt)
            asked = used & mentioned_in(stmt.test) if isinstance(stmt, c.If) else set()
            later = function.body.body[k + 1 :]
            for ident in sorted(asked):
                variable = facts.program.variable(ident)
                again = any(ident in mentioned(facts.program, s) for s in later)
                if isinstance(stmt, c.If) and _is_set_in(stmt, ident) and not (again or _is_left_out(facts, variable)):
                    message = f"'{variable.name}' is no static variable: every call gives it its value anew"
                    yield facts.report(RULE, stmt.test.at, message, None, [(variable.at, "the flag")])
            flags -= used


def _is_left_out(facts: Facts, variable: c.Variable) -> bool:
    """Whether another branch of `#if` declares the flag static: here it is meant not to be."""
    static = re.compile(rf"\bstatic\b[^;]*\b{re.escape(variable.name)}\b")
    return any(static.search(facts.program.text(part)) for part in facts.program.inactive)


def _flag(variable: c.Variable) -> bool:
    scalar = isinstance(variable.type, c.ScalarType) and not variable.const and not variable.volatile
    return scalar and variable.storage == "local" and isinstance(variable.init, (c.Const, c.Cast))


def _is_set_in(stmt: c.If, ident: int) -> bool:
    """Whether the branch ends with the flag set to a constant, and does not read it."""
    last = next((s for s in reversed(stmt.then.body) if not isinstance(s, c.PragmaMark)), None)
    match last:
        case c.ExprStmt(expr=c.Assign(op="=", target=c.Name(variable=target), value=c.Const() | c.Cast())):
            return target == ident and len(stmt.then.body) > 1
    return False
