"""A variable that hides another of its name, which then keeps its first value.

## What it does
Reports a local variable that is changed and has the name of one of a block around it, where that one has a first value,
is read and is never changed.

## Why is this bad
The sum goes into the inner variable, and what is written out is the outer one: 0.

## Example
```c
void f(const int a[64], int *total) {
  int sum = 0;
  for (int i = 0; i < 64; i++) {
    int sum = 0;
    sum += a[i];
  }
  *total = sum;
}
```

## Use instead
```c
void f(const int a[64], int *total) {
  int sum = 0;
  for (int i = 0; i < 64; i++) sum += a[i];
  *total = sum;
}
```

## Vitis message it predicts
clang's `declaration shadows a local variable`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import of_benches
from hlspart.rules._uses import nodes, root_of

RULE = Rule("HLP455", "hidden-variable", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Scalars of all functions; of a template once."""
    program, seen = facts.program, set[object]()
    benches, named = of_benches(facts), dict[tuple[str, str], list[c.Variable]]()
    for v in program.variables:
        if v.function is not None and v.storage in ("local", "static") and isinstance(v.type, c.ScalarType):
            named.setdefault((v.function, v.name), []).append(v)
    for (name, _), several in named.items():
        if len(several) < 2 or name in benches or name not in program.functions:
            continue
        blocks = {s.id: s.at.span for s in c.walk_statements(program.functions[name].body) if isinstance(s, c.Block)}
        written = {
            root[0]
            for node in nodes(program)[name]
            for target in _targets(node)
            if (root := root_of(target)) is not None
        }
        written |= {
            root[0]
            for v in program.variables
            if v.function == name and v.reference and v.init is not None and (root := root_of(v.init)) is not None
        }
        read = {node.variable for node in nodes(program)[name] if isinstance(node, c.Name)}
        for outer in several:
            around = blocks.get(-1 if outer.scope is None else outer.scope)
            still = outer.init is not None and outer.id in read - written and not outer.const
            for inner in several if around is not None and still else ():
                own = blocks.get(-1 if inner.scope is None else inner.scope)
                below = own is not None and own != around and around is not None and around.holds(own)
                below = below and own is not None and outer.at.span.end <= own.start  # declared before it
                if below and inner.id in written and inner.at.span not in seen and inner.at.kind == "plain":
                    seen.add(inner.at.span)
                    message = f"'{inner.name}' hides the one around it, which is never changed"
                    hint = "remove the declaration, or give the inner variable a name of its own"
                    yield facts.report(RULE, inner.at, message, hint, [(outer.at, "the hidden one")])


def _targets(node: c.Expr) -> tuple[c.Expr, ...]:
    match node:
        case c.Assign(target=target):
            return (target,)
        case c.IncDec(operand=target) | c.Unary(op="&", operand=target):
            return (target,)
        case c.Call(args=args):
            return args
    return ()
