"""A shift register of the library that keeps nothing, or that is asked for a word behind its end.

## What it does
Reports an `ap_shift_reg` that is a local variable and not static in a function that fills it once, outside of any
loop, and an address of its `read` or `shift` that is not below its depth.

## Why is this bad
A local object is made anew by each call, so the words of earlier calls are lost. There is no word at such an address.

## Example
```cpp
#include <ap_shift_reg.h>
int f(int x) {
#pragma HLS pipeline II=1
  ap_shift_reg<int, 8> line;
  return line.shift(x, 7);
}
```

## Use instead
```cpp
#include <ap_shift_reg.h>
int f(int x) {
#pragma HLS pipeline II=1
  static ap_shift_reg<int, 8> line;
  return line.shift(x, 7);
}
```

## Vitis message it predicts
None in synthesis; UG1399 asks for a static object.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import of_benches
from hlspart.rules._mentions import handed
from hlspart.rules._traces import constant
from hlspart.rules._uses import calls, nodes, own_expressions

RULE = Rule("HLP458", "shift-register", "warning")
_KIND = re.compile(r"ap_shift_reg<.*, *(\d+)>")
_ADDRESS = {"method shift": 2, "method read": 1}  # the place of the address among the object and the arguments


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Objects of all functions but those of test benches."""
    depths = {
        v.id: int(match[1])
        for v in facts.program.variables
        if isinstance(v.type, c.OtherType) and (match := _KIND.fullmatch(v.type.name)) is not None
    }
    benches = of_benches(facts) if depths else frozenset()
    for name, function in facts.program.functions.items() if depths else ():
        if name in benches:
            continue
        looped = [s for s in c.walk_statements(function.body) if isinstance(s, c.Loop)]
        inside = {id(e) for s in looped for e in _below(facts, s)}
        given = frozenset(v for call in calls(facts.program)[name] for v in handed(facts.program, call))
        guarded = {id(e) for s in c.walk_statements(function.body) if isinstance(s, c.If) for e in _below(facts, s)}
        filled = dict[int, bool]()  # object -> whether more than one word comes to it in a call
        for node in nodes(facts.program)[name]:
            first = node.children[0] if isinstance(node, c.OpaqueExpr) and node.children else None
            if not isinstance(node, c.OpaqueExpr) or not isinstance(first, c.Name) or first.variable not in depths:
                continue
            ident, place = first.variable, _ADDRESS.get(node.what)
            if node.what == "method shift":
                filled[ident] = ident in filled or id(node) in inside or ident in given
            asked = constant(facts.program, node.children[place]) if place and len(node.children) > place else None
            if asked is not None and not 0 <= asked < depths[ident] and id(node) not in guarded:
                variable = facts.program.variable(ident)
                message = f"'{variable.name}' has the words 0 to {depths[ident] - 1}, and none at {asked}"
                hint = "take an address below the depth"
                yield facts.report(RULE, node.at, message, hint, [(variable.at, "the shift register")])
        for ident in (v for v, looped_over in filled.items() if not looped_over):
            variable = facts.program.variable(ident)
            if variable.storage == "local" and variable.function == name:
                message = f"'{variable.name}' is made anew by each call of {name}(), and loses its words"
                yield facts.report(RULE, variable.at, message, "make it static")


def _below(facts: Facts, stmt: c.Stmt) -> Iterator[c.Expr]:
    """Expressions of a statement and of those inside."""
    return (e for top in own_expressions(facts.program, stmt) for e in c.walk(top))
