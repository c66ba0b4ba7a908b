"""The end of a function that has a value is reached without one.

## What it does
Reports a function that gives a value back on some ways and comes to its end on another. A `switch`, a loop without a
test and a jump count as ways that do not.

## Why is this bad
The result is anything: the circuit and the simulation differ.

## Example
```c
int sign(int x) {
  if (x > 0) return 1;
  if (x < 0) return -1;
}
void f(const int a[64], int b[64]) {
  for (int i = 0; i < 64; i++) b[i] = sign(a[i]);
}
```

## Use instead
```c
int sign(int x) {
  if (x > 0) return 1;
  if (x < 0) return -1;
  return 0;
}
void f(const int a[64], int b[64]) {
  for (int i = 0; i < 64; i++) b[i] = sign(a[i]);
}
```

## Vitis message it predicts
clang's `control may reach end of non-void function`.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import of_benches
from hlspart.rules._nests import exit_of

RULE = Rule("HLP445", "missing-return", "warning", names=True, hint="return a value at the end as well")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Functions with a value; of a template once."""
    seen = set[object]()
    benches = of_benches(facts)
    holes = [hole.at for hole in facts.program.holes]
    for name, function in facts.program.functions.items():
        span = function.at.span
        torn = any(h.path == span.path and h.start < span.end and span.start < h.end for h in holes)
        if isinstance(function.return_type, c.VoidType) or name in benches or name == "main" or torn or span in seen:
            continue
        statements = list(c.walk_statements(function.body))
        given = [s for s in statements if isinstance(s, c.Return) and s.value is not None]
        if not given or any(isinstance(s, c.Label) for s in statements) or _is_left(function.body):
            continue
        seen.add(span)
        end = replace(function.at, span=replace(span, start=max(span.start, span.end - 1)))
        message = f"{function.name.partition('<')[0]}() comes to its end without a value"
        yield facts.report(RULE, end, message, None, [(given[-1].at, "here it has one")])


def _is_left(stmt: c.Stmt) -> bool:
    """Whether what follows a statement is never reached, or not known to be."""
    match stmt:
        case c.Return() | c.Jump() | c.Switch():
            return True
        case c.Block(body=body):
            return any(_is_left(s) for s in body)
        case c.If(then=then, other=other):
            return _always(stmt.test) or (other is not None and _is_left(then) and _is_left(other))
        case c.Loop(kind=kind, test=test, body=body):
            forever = (test is None or _always(test)) and exit_of(stmt) is None
            return forever or test is None or _always(test) or (kind == "do" and _is_left(body))
        case c.ExprStmt(expr=c.Call(function=name)):
            return (name or "").rpartition("::")[2] in ("exit", "abort", "__builtin_unreachable", "assert")
        case c.ExprStmt(expr=expr):
            return isinstance(expr, c.OpaqueExpr)
    return False


def _always(test: c.Expr) -> bool:
    return isinstance(test, c.Const)
