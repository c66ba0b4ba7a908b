"""A memory that is bound as a ROM is written.

## What it does
Reports BIND_STORAGE with a `rom_` type, or RESOURCE with a ROM core, on an array that the code writes, a member that
a method writes included. A function
that does nothing but fill the array is left alone.

## Why is this bad
A ROM has no write port: synthesis stops or takes another memory.

## Example
```c
int f(int i, int x) {
  static int T[4] = {1, 2, 3, 4};
#pragma HLS bind_storage variable=T type=rom_1p
  T[i & 3] = x;
  return T[(i + 1) & 3];
}
```

## Use instead
```c
int f(int i, int x) {
  static int T[4] = {1, 2, 3, 4};
#pragma HLS bind_storage variable=T type=ram_1p
  T[i & 3] = x;
  return T[(i + 1) & 3];
}
```

## Vitis message it predicts
`[HLS 200-915]` or `[HLS 200-927]`, a conflict with the storage binding.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Directive
from hlspart.model.program import Expr, Variable
from hlspart.model.source import Origin
from hlspart.rules._base import Facts, Rule
from hlspart.rules._nests import active
from hlspart.rules._uses import sets

RULE = Rule("HLP423", "rom-written", "error", hint="bind it as a RAM, or do not write it")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """ROMs with stores."""
    ports = [d for d in active(facts.program, "interface") if d.option("storage_type")]
    for d in [*active(facts.program, "bind_storage"), *active(facts.program, "resource"), *ports]:
        kind = (d.option("storage_type") or d.option("type") or d.option("core") or "").lower()
        if not kind.startswith("rom"):
            continue
        for ident in d.variables:
            variable = facts.program.variable(ident)
            for name, function in facts.program.functions.items():
                if variable.function not in (None, name):
                    continue
                writes = [
                    u for u in sets(facts.program).below(function.body) if u.variable == ident and u.kind == "write"
                ]
                stores = [u for u in writes if u.exact and u.at is not None and not _initial(variable.init, u.at)]
                if stores and not _fills(facts, ident, name):
                    message = f"'{variable.name}' is bound as {kind} and written"
                    related = [(stores[0].at, "written here"), (variable.at, "the array")]
                    yield facts.report(RULE, d.at, message, None, related)
                    break
            else:
                yield from _elsewhere(facts, d, variable, kind)


def _elsewhere(facts: Facts, d: Directive, variable: Variable, kind: str) -> Iterator[Diagnostic]:
    """A store in a method, or another function that gets the array and more: no function that gives it its contents."""
    group = facts.analysis.group_of.get(variable.id)
    for a in facts.analysis.accesses if group is not None else ():
        function = facts.program.functions[a.function]
        named = {variable.name} == {facts.program.variable(a.array).name}
        if a.kind != "write" or not named or facts.analysis.group_of.get(a.array) != group:
            continue
        owner, _, name = a.function.rpartition("::")
        if a.function != d.function and len(function.params) > 1 and name != owner.rpartition("::")[2]:
            message = f"'{variable.name}' is bound as {kind} and written by {a.function}()"
            yield facts.report(RULE, d.at, message, None, [(a.at, "written here"), (variable.at, "the array")])
            return


def _initial(init: Expr | None, at: Origin) -> bool:
    return init is not None and init.at == at


def _fills(facts: Facts, ident: int, name: str) -> bool:
    """Whether the array is only handed to functions of this one argument, which give it its contents."""
    direct = [a for a in facts.analysis.of_array(ident) if a.function == name and a.kind == "write"]
    edges = [e for g in facts.analysis.groups for e in g.edges if e.actual == ident]
    return not direct and bool(edges) and any(len(facts.program.functions[e.callee].params) == 1 for e in edges)
