"""A function with ports that cannot be the top, or a port of it that nothing uses.

## What it does
Reports INTERFACE in a `static` function that nothing calls, a top function whose result is a pointer, and an array,
pointer or stream with an INTERFACE that its function never mentions; and two functions with one TOP name.

## Why is this bad
The tool looks for the top among the functions that other files can see. A pointer has no port. An argument that
nothing uses has no signals, or ones without meaning, which the host still drives.

## Example
```c
static void f(const int a[64], int b[64]) {
#pragma HLS interface mode=ap_memory port=a
  for (int i = 0; i < 64; i++) b[i] = a[i];
}
```

## Use instead
```c
void f(const int a[64], int b[64]) {
#pragma HLS interface mode=ap_memory port=a
  for (int i = 0; i < 64; i++) b[i] = a[i];
}
```

## Vitis message it predicts
`ERROR: [HLS 214-157] Top function not found`; for an unused argument a warning.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Directive
from hlspart.model.program import ArrayRef, Name, PointerType, PragmaMark, ScalarType
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import entries
from hlspart.rules._interfaces import interfaces
from hlspart.rules._nests import active
from hlspart.rules._uses import nodes

_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".inc")  # of which each file that includes it has its own function
RULE = Rule("HLP456", "top-function", "warning", names=True)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Functions with ports."""
    yield from _names(facts)
    tops, first = entries(facts), dict[str, Directive]()
    unused: dict[str, dict[int, Directive]] = {}
    for d, _ in interfaces(facts):
        name = d.function or ""
        function = facts.program.functions.get(name)
        if function is None or name not in tops or function.open or "<" in name:
            continue
        first.setdefault(name, d)
        for ident in d.variables:
            variable = facts.program.variable(ident)
            if variable.storage == "parameter" and not isinstance(variable.type, ScalarType):  # a register more
                unused.setdefault(name, {}).setdefault(ident, d)
    for name, d in first.items():
        function = facts.program.functions[name]
        related = [(d.at, "its ports")]
        if function.internal and not function.name_at.span.path.endswith(_HEADERS):
            message = f"{name}() has ports, but is static: no other file can see it"
            yield facts.report(RULE, function.name_at, message, "drop static", related)
        if isinstance(function.return_type, PointerType):
            message = f"{name}() gives a pointer back, which no port can carry"
            yield facts.report(RULE, function.name_at, message, "write the result to an argument", related)
        empty = all(isinstance(s, PragmaMark) for s in function.body.body)
        if empty or any(function.at.span.holds(h.at) for h in facts.program.holes):
            continue
        used = {e.variable for e in nodes(facts.program)[name] if isinstance(e, (Name, ArrayRef))}
        idle = {v: at for v, at in unused.get(name, {}).items() if v not in used}
        for ident, directive in list(idle.items())[:1]:
            variable = facts.program.variable(ident)
            more = f" and {len(idle) - 1} more of its arguments" if len(idle) > 1 else ""
            message = f"{name}() never uses '{variable.name}'{more}"
            yield facts.report(RULE, directive.at, message, "remove the argument", [(variable.at, "the argument")])


def _names(facts: Facts) -> Iterator[Diagnostic]:
    """TOP of two functions by one name: it says which one is meant."""
    named: dict[str, Directive] = {}
    for d in active(facts.program, "top"):
        name = d.option("name") or ""
        other = named.setdefault(name, d)
        function = facts.program.functions.get(d.function or "")
        if function is not None and function.internal and not function.name_at.span.path.endswith(_HEADERS):
            message = f"{d.function}() has TOP, but is static: no other file can see it"
            yield facts.report(RULE, d.at, message, "drop static", [(function.name_at, "the function")])
        if name and other.function != d.function and other.at.span.path == d.at.span.path:
            message = f"TOP: {other.function}() and {d.function}() are both called {name}"
            yield facts.report(RULE, d.at, message, "give each its own", [(other.at, "the other directive")])
