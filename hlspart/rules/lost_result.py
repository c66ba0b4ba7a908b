"""A result that is written into an argument given by value.

## What it does
Reports a parameter that is a value, no reference, which the function gives values and never reads; of a pointer the
value is where it points to.

## Why is this bad
The caller gets nothing of it. Of a top function the port is an input: the tool removes all that works out the result.

## Example
```c
void f(int a, int b, int sum) {
  sum = a + b;
}
```

## Use instead
```c
void f(int a, int b, int *sum) {
  *sum = a + b;
}
```

## Vitis message it predicts
One that the port is not used, or that the RTL is empty.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import of_benches
from hlspart.rules._mentions import mentioned_in
from hlspart.rules._uses import nodes, root_of

RULE = Rule("HLP446", "lost-result", "warning", hint="hand over a pointer or a reference, or return the value")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Parameters of all functions; of a template once."""
    program, seen = facts.program, set[object]()
    benches = of_benches(facts)
    hidden = frozenset(name for hole in program.holes for name in hole.names)
    for name, own in nodes(program).items():
        function = program.functions[name]
        values = [program.variable(v) for v in function.params]
        values = [
            v for v in values if isinstance(v.type, (c.ScalarType, c.PointerType)) and not v.reference and not v.const
        ]
        if name in benches or not values:
            continue
        written: dict[int, c.Expr] = {}
        only: set[c.Expr] = set()
        for node in own:
            target = node.target if isinstance(node, c.Assign) else node.operand if isinstance(node, c.IncDec) else None
            if isinstance(target, c.Name):
                written.setdefault(target.variable, node)
                only.add(target)
        read = {e.variable for e in own if isinstance(e, (c.Name, c.ArrayRef)) and e not in only}
        used = {x for e in own if not isinstance(e, c.Comma) for x in c.children(e)}
        used |= {v.init for v in program.variables if v.function == name and v.init is not None}
        used |= set(_asked(function))
        for v, node in _last_writes(program, function, values):
            if node.at.kind == "plain" and node.at.span not in seen and v.name not in hidden and v.id in read:
                seen.add(node.at.span)
                message = f"'{v.name}' is a value: what {_said(function.name)}() writes into it is lost"
                yield facts.report(RULE, node.at, message, None, [(v.at, "the parameter")])
        for v in values:
            write = written.get(v.id)
            if write is None or v.id in read or v.name in hidden or write in used or write.at.span in seen:
                continue
            seen.add(write.at.span)
            what = "is a pointer that points elsewhere then" if isinstance(v.type, c.PointerType) else "is a value"
            message = f"'{v.name}' {what}: what {_said(function.name)}() writes into it is lost"
            yield facts.report(RULE, write.at, message, None, [(v.at, "the parameter")])


def _asked(function: c.Function) -> Iterator[c.Expr]:
    """Steps of which conditions ask the value, and functions return it: ``while (n--)`` counts by its own copy."""
    for stmt in c.walk_statements(function.body):
        match stmt:
            case c.If(test=test) | c.Loop(test=test) | c.Switch(test=test) | c.Return(value=test) if isinstance(
                test, c.IncDec
            ):
                yield test


def _last_writes(
    program: c.Program, function: c.Function, values: list[c.Variable]
) -> Iterator[tuple[c.Variable, c.Assign]]:
    """Values that parameters get outside of loops, behind which nothing of the function mentions them."""
    statements = list(c.walk_statements(function.body))
    if function.open or any(isinstance(s, (c.Label, c.Switch)) for s in statements):
        return
    own = nodes(program)[function.name]
    pointed = {root[0] for e in own if isinstance(e, c.Unary) and e.op == "&" and (root := root_of(e.operand))}
    values = [v for v in values if v.id not in pointed]
    inside = {id(s) for loop in statements if isinstance(loop, c.Loop) for s in c.walk_statements(loop.body)}
    for v in values:
        where = [s for s in statements if any(v.id in mentioned_in(e) for e in _tops(program, s))]
        last = where[-1] if where else None
        node = last.expr if isinstance(last, c.ExprStmt) and id(last) not in inside else None
        if not isinstance(node, c.Assign) or node.op != "=" or not isinstance(v.type, c.ScalarType):
            continue
        whole = isinstance(node.target, c.Name) and node.target.variable == v.id
        if whole and v.id not in mentioned_in(node.value) and not isinstance(node.value, c.Const):
            yield v, node


def _tops(program: c.Program, stmt: c.Stmt) -> Iterator[c.Expr]:
    """The expressions of a statement, initial values included."""
    yield from c.expressions(stmt)
    if isinstance(stmt, c.Declare):
        yield from (i for v in stmt.variables if (i := program.variable(v).init) is not None)


def _said(name: str) -> str:
    """A function without what tells it from overloads and other instances."""
    return name.partition("(")[0].partition("<")[0]
