"""A counter that is no whole number, or that a loop inside takes as its own.

## What it does
Reports loops of the hardware whose counter is of a floating-point type, and loops whose counter a loop inside of them,
or in a function that gets it by reference, begins anew.

## Why is this bad
An addition of floats takes several cycles, and the next iteration waits for it; rounding decides how often the loop
runs. A counter that two loops share ends the outer loop early, or never.

## Example
```c
void f(const float a[64], float b[64]) {
  int k = 0;
  for (float t = 0; t < 64; t += 1) {
#pragma HLS pipeline
    b[k] = a[k] * t;
    k++;
  }
}
```

## Use instead
```c
void f(const float a[64], float b[64]) {
  for (int t = 0; t < 64; t++) {
#pragma HLS pipeline
    b[t] = a[t] * t;
  }
}
```

## Vitis message it predicts
One that the II is violated by the addition.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.source import Origin
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import of_benches
from hlspart.rules._uses import own_expressions

RULE = Rule("HLP227", "loop-counter", "warning", hint="count with an integer of the loop's own")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Loops with a step; of a template once."""
    program, seen = facts.program, set[object]()
    benches = of_benches(facts)
    for loop in program.loops.values():
        counter = _stepped(loop)
        if counter is None or loop.function in benches or loop.header.span in seen:
            continue
        variable = program.variable(counter)
        tested = loop.test is not None and any(
            isinstance(e, c.Name) and e.variable == counter for e in c.walk(loop.test)
        )
        if tested and isinstance(variable.type, c.ScalarType) and variable.type.kind == "float":
            seen.add(loop.header.span)
            message = f"the counter '{variable.name}' of loop {loop.name} is a {variable.type.name}"
            yield facts.report(RULE, loop.header, message, None, [(variable.at, "the counter")])
        elif tested and (taken := _taken(program, loop, counter)) is not None:
            seen.add(loop.header.span)
            message = f"the counter '{variable.name}' of loop {loop.name} begins anew in a loop inside"
            yield facts.report(RULE, loop.header, message, None, [(taken, "the loop inside")])


def _stepped(loop: c.Loop) -> int | None:
    match loop.step:
        case c.IncDec(operand=c.Name(variable=ident)) | c.Assign(target=c.Name(variable=ident)):
            return ident
    return None


def _taken(program: c.Program, loop: c.Loop, counter: int) -> Origin | None:
    """A loop that begins by setting the counter, directly inside of a loop or of a function that it calls."""
    inside = [(s, counter) for s in c.walk_statements(loop.body) if isinstance(s, c.Loop)]
    for top in own_expressions(program, loop.body):
        for call in (e for e in c.walk(top) if isinstance(e, c.Call)):
            function = program.functions.get(call.function or "")
            for arg, ident in zip(call.args, function.params, strict=False) if function is not None else ():
                given = isinstance(arg, c.Name) and arg.variable == counter and program.variable(ident).reference
                if given and function is not None:
                    inside += [(s, ident) for s in c.walk_statements(function.body) if isinstance(s, c.Loop)]
    for inner, ident in inside:
        first = inner.init.expr if isinstance(inner.init, c.ExprStmt) else None
        if isinstance(first, c.Assign) and first.op == "=" and isinstance(first.target, c.Name):
            constant = isinstance(first.value, c.Const)
            if first.target.variable == ident and constant and _stepped(inner) == ident:
                return inner.header
    return None
