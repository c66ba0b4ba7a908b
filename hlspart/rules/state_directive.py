"""RESET or STABLE of a variable that it does not apply to.

## What it does
Reports RESET of a variable that keeps no value from call to call, STABLE of a variable that a task writes, and STABLE
in a function without a DATAFLOW region.

## Why is this bad
Only static and global variables have a reset. What is called stable is not synchronised: a variable that changes is
read too early or too late.

## Example
```c
void f(const int a[64], int b[64]) {
  int s = 0;
#pragma HLS reset variable=s
  for (int i = 0; i < 64; i++) {
    s += a[i];
    b[i] = s;
  }
}
```

## Use instead
```c
void f(const int a[64], int b[64]) {
  static int s = 0;
#pragma HLS reset variable=s
  for (int i = 0; i < 64; i++) {
    s += a[i];
    b[i] = s;
  }
}
```

## Vitis message it predicts
One that the directive is ignored, for the variable is not static or global.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import ScalarType
from hlspart.rules._base import Facts, Rule
from hlspart.rules._interfaces import interfaces
from hlspart.rules._nests import active
from hlspart.rules._processes import DataflowRegion, regions
from hlspart.rules._shared import is_state
from hlspart.rules._uses import task_call

RULE = Rule("HLP430", "state-directive", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Variables against RESET and STABLE."""
    for d in active(facts.program, "reset"):
        for ident in d.variables:
            variable = facts.program.variable(ident)
            copied = (
                variable.storage == "parameter" and isinstance(variable.type, ScalarType) and not variable.reference
            )
            if not is_state(facts.program, ident) and (variable.storage == "local" or copied):
                message = f"RESET: '{variable.name}' keeps no value from call to call"
                hint = "make it static, or remove the directive"
                yield facts.report(RULE, d.at, message, hint, [(variable.at, "declared here")])
            elif variable.const and not variable.extern:
                message = f"RESET: '{variable.name}' is constant, and never has another value"
                hint = "remove the directive"
                yield facts.report(RULE, d.at, message, hint, [(variable.at, "declared here")])
    flows = {d.function for d in active(facts.program, "dataflow")} | _with_tasks(facts)
    # UG1399, config_interface -s_axilite_mailbox: registers that are stable get no mailbox
    registers = {v for d, mode in interfaces(facts) if mode == "s_axilite" for v in d.variables}
    for d in active(facts.program, "stable"):
        function = facts.program.functions.get(d.function or "")
        if d.function in flows or registers & set(d.variables):
            function = None
        if function is not None and not function.open:
            message = f"STABLE: {d.function}() has no DATAFLOW region"
            yield facts.report(RULE, d.at, message, "remove it, or write it where the region is", [])
            continue
        for ident in d.variables:
            for region in regions(facts.program):
                uses = (u for p in region.processes for u in p.uses)
                writer = next((u for u in uses if u.variable == ident and u.kind == "write" and u.exact), None)
                if writer is not None and (ident in region.local or _is_read_too(region, ident)):
                    name = facts.program.variable(ident).name
                    message = f"STABLE: '{name}' is written by a task of the region"
                    yield facts.report(RULE, d.at, message, "remove it", [(writer.at, "written here")])
                    break


def _with_tasks(facts: Facts) -> set[str | None]:
    """Functions with task objects, which run at once, too."""
    return {v.function for v in facts.program.variables if task_call(facts.program, v.id) is not None}


def _is_read_too(region: DataflowRegion, ident: int) -> bool:
    """Whether a task reads a variable, too."""
    return any(u.variable == ident and u.kind == "read" for p in region.processes for u in p.uses)
