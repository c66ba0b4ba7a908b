"""PIPELINE rewind of a loop that is not alone in its function.

## What it does
Reports `rewind` where the function has other loops beside the loop or the loops around it, where the loop runs under a
condition or may end before its count, where the function returns a value, and where the directive is the function's.

## Why is this bad
With `rewind` the next call begins while the last iterations run. The tool ignores it where anything stands between.

## Example
```c
void f(int a[64], int b[64], int c[64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline II=1 rewind
    b[i] = a[i];
  }
  for (int i = 0; i < 64; i++) c[i] = a[i];
}
```

## Use instead
```c
void f(int a[64], int b[64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline II=1 rewind
    b[i] = a[i];
  }
}
```

## Vitis message it predicts
One that `rewind` is ignored, for the loop is not the only one of its function.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import If, Loop, Stmt, Switch, VoidType, walk_statements
from hlspart.model.source import Origin
from hlspart.rules._base import Facts, Rule
from hlspart.rules._nests import active, exit_of, parents

RULE = Rule("HLP224", "pipeline-rewind", "warning", hint="remove rewind, or give the loop a function of its own")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Loops with company, under a condition, or that end before their count."""
    flows = {d.function for d in active(facts.program, "dataflow")}
    inlined = {d.function for d in active(facts.program, "inline")}
    for d in active(facts.program, "pipeline"):
        if d.has("rewind") and d.loop is None:
            message = f"rewind is ignored: it is for loops, and {d.function}() is pipelined as a whole"
            yield facts.report(RULE, d.at, message, "remove rewind, or write the directive into the loop")
        if not d.has("rewind") or d.loop is None or d.function in (flows | inlined):
            continue  # in a region each loop is a task of its own
        around = {d.loop, *parents(facts.program).get(d.loop, ())}
        inside = {x.id for x in facts.loops_inside(d.loop)}
        function = facts.program.functions[d.function or ""]
        body = function.body
        others = (s for s in walk_statements(body) if isinstance(s, Loop) and s.id not in around | inside)
        other = next(others, None)
        if other is not None:
            message = f"rewind is ignored: {d.function}() has loop {other.name} as well"
            yield facts.report(RULE, d.at, message, None, [(other.header, "the other loop")])
            continue
        kept = _against(facts, d.loop, body)
        if kept is None and not isinstance(function.return_type, VoidType):
            kept = "it returns a value after it", function.name_at
        if kept is not None:
            message = f"rewind is ignored: {d.function}() does not go from the end of the loop to its start, {kept[0]}"
            yield facts.report(RULE, d.at, message, "remove rewind", [(kept[1], "here")])


def _against(facts: Facts, loop: int, body: Stmt) -> tuple[str, Origin] | None:
    """What else than its end and its start there is before and behind a loop."""
    left = exit_of(facts.program.loops[loop])
    if left is not None:
        return "which may end early", left.at
    for stmt in walk_statements(body):
        if isinstance(stmt, If | Switch) and any(isinstance(s, Loop) and s.id == loop for s in walk_statements(stmt)):
            return "which runs under a condition", stmt.test.at
    return None
