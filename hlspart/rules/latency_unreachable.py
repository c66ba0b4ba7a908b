"""LATENCY asks for less than the loops or an operator below it take.

## What it does
Reports LATENCY with a `max` below the number of iterations of the loops in its function, region or loop body, as far
as these have constant bounds and are not unrolled: a loop takes at least one cycle for each of its iterations. So it
is with a floating-point operator that takes more cycles alone.

## Why is this bad
The tool cannot keep the limit, relaxes it and says so in its log. Mostly another thing was meant: the latency of one
iteration is said inside of the loop.

## Example
```c
void f(const int a[256], int b[256]) {
#pragma HLS latency max=10
  for (int i = 0; i < 256; i++) {
#pragma HLS pipeline II=1
    b[i] = a[i] * 3;
  }
}
```

## Use instead
```c
void f(const int a[256], int b[256]) {
  for (int i = 0; i < 256; i++) {
#pragma HLS pipeline II=1
#pragma HLS latency max=10
    b[i] = a[i] * 3;
  }
}
```

## Vitis message it predicts
`WARNING: [HLS 200-885]` and its kin: that the maximum latency cannot be met.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import (
    Binary,
    Block,
    Const,
    ExprStmt,
    If,
    Loop,
    Return,
    ScalarType,
    Stmt,
    block_around,
    expressions,
    substatements,
    walk,
    walk_statements,
)
from hlspart.rules._base import Facts, Rule
from hlspart.rules._nests import active, pipelined_around

_OPERATORS = {"+": "add", "-": "add", "*": "mul", "/": "div"}
RULE = Rule("HLP226", "latency-unreachable", "warning", hint="say the latency of one iteration inside of the loop")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """LATENCY against trip counts."""
    for d in active(facts.program, "latency"):
        most = d.values.get("max")
        function = facts.program.functions.get(d.function or "")
        if most is None or function is None:
            continue
        if pipelined_around(facts.program, function.name, d.loop) is not None:
            continue  # what is below is unrolled
        body = facts.program.loops[d.loop].body if d.loop is not None else function.body
        inside = list(_loops(block_around(body, d.at.span) or body))
        counted = [(x, facts.trips[x.id]) for x in inside if x.id in facts.trips and x.id not in facts.unrolled]
        if d.loop is None or block_around(body, d.at.span) is not None:
            counted = [(x, n) for x, n in counted if n > facts.small]
        least = sum(n for _, n in counted)
        if least > most and any(n > most for _, n in counted):
            block = block_around(body, d.at.span) is not None
            whole = f"{function.name}()" if d.loop is None else f"loop {facts.program.loops[d.loop].name}"
            where = "this block" if block else whole
            message = f"LATENCY max={most} of {where} cannot be kept: the loops in it take {least} cycles and more"
            yield facts.report(RULE, d.at, message, None, [(x.header, f"{n} iterations") for x, n in counted[:3]])
        elif (slow := _slowest(facts, block_around(body, d.at.span) or body)) is not None and slow[1] > most:
            message = f"LATENCY max={most} cannot be kept: '{slow[0].op}' alone takes {slow[1]} cycles"
            yield facts.report(RULE, d.at, message, f"allow {slow[1]} cycles and more", [(slow[0].at, "the operator")])


def _slowest(facts: Facts, body: Block) -> tuple[Binary, int] | None:
    """The operator of floats below a block that takes the most cycles; of those that a directive binds, none."""
    if any(d.kind in ("bind_op", "resource") for d in facts.program.directives):
        return None
    slow: list[tuple[Binary, int]] = []
    for stmt in body.body:
        plain = isinstance(stmt, (ExprStmt, Return, Loop))
        inner = (s for s in walk_statements(stmt) if not isinstance(s, If)) if plain else ()
        for node in (e for s in inner for top in expressions(s) for e in walk(top)):
            kind = node.type if isinstance(node, Binary) else None
            if isinstance(node, Binary) and isinstance(kind, ScalarType) and kind.kind == "float" and _is_of_data(node):
                name = f"{'f' if kind.bits == 32 else 'd'}{_OPERATORS.get(node.op, '')}"
                slow += [(node, facts.cycles[name])] if name in facts.cycles else []
    return max(slow, key=lambda x: x[1], default=None)


def _is_of_data(node: Binary) -> bool:
    """Whether neither operand is a constant: the tool may do such a product or quotient otherwise."""
    return not isinstance(node.left, Const) and not isinstance(node.right, Const)


def _loops(body: Block) -> Iterator[Loop]:
    """Outermost loops below a block, under no condition."""
    stack: list[Stmt] = [body]
    while stack:
        for stmt in substatements(stack.pop()):
            if isinstance(stmt, Loop):
                yield stmt
            elif isinstance(stmt, Block):
                stack.append(stmt)
