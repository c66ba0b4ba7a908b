"""An output that is written twice in a row.

## What it does
Reports a scalar output of the top function that gets a second value before anything reads the first, in one
sequence of statements, where it is not `volatile`.

## Why is this bad
A compiler keeps the last of several values: the port never shows the first.

## Example
```c
void f(const int A[2], int *out) {
#pragma HLS interface ap_vld port=out
  *out = A[0];
  *out = A[0] + A[1];
}
```

## Use instead
```c
void f(const int A[2], volatile int *out) {
#pragma HLS interface ap_vld port=out
  *out = A[0];
  *out = A[0] + A[1];
}
```

## Vitis message it predicts
None: UG1399, Multi-Access Pointers on the Interface.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import entries
from hlspart.rules._uses import root_of, sets

RULE = Rule("HLP434", "overwritten-output", "warning", hint="make it volatile or a stream, or write it once")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Blocks of top functions."""
    program = facts.program
    about = {d.function for d in program.directives if d.dialect == "vitis" and d.usable}
    for name in sorted(entries(facts) & (about | set(facts.analysis.tops))):
        function = program.functions[name]
        outputs = {v for v in function.params if not program.variable(v).volatile and _scalar(program.variable(v))}
        for block in (s for s in c.walk_statements(function.body) if isinstance(s, c.Block) and outputs):
            written: dict[int, c.Stmt] = {}
            for stmt in block.body:
                target = _written(stmt)
                if any(isinstance(s, (c.Return, c.Jump, c.Label)) for s in c.walk_statements(stmt)):
                    written.clear()
                uses = [u for u in sets(program).below(stmt) if u.variable in written]
                for use in uses:
                    if use.kind == "read" or target != use.variable:
                        written.pop(use.variable, None)
                if target in written:
                    message = f"'{program.variable(target).name}' gets another value before anything reads this one"
                    yield facts.report(RULE, written[target].at, message, None, [(stmt.at, "the other value")])
                if target in outputs and not _constant(stmt):
                    written[target] = stmt


def _constant(stmt: c.Stmt) -> bool:
    """Whether a statement writes a value for all that follows to replace: a default, no first word of several."""
    expr = stmt.expr if isinstance(stmt, c.ExprStmt) else None
    return isinstance(expr, c.Assign) and isinstance(expr.value, c.Const)


def _scalar(variable: c.Variable) -> bool:
    """Whether a parameter is a pointer or reference to one number."""
    kind = variable.type.target if isinstance(variable.type, c.PointerType) else variable.type
    return isinstance(kind, c.ScalarType) and (variable.reference or isinstance(variable.type, c.PointerType))


def _written(stmt: c.Stmt) -> int:
    """The variable that ``*p = ..`` or ``r = ..`` sets, -1 for other statements."""
    expr = stmt.expr if isinstance(stmt, c.ExprStmt) else None
    root = root_of(expr.target) if isinstance(expr, c.Assign) and expr.op == "=" else None
    return root[0] if root is not None and root[1] in ((), (0,)) and root[2] else -1
