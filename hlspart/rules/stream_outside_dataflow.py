"""A STREAM directive where no tasks run at once.

## What it does
Reports STREAM of an array in a function without DATAFLOW, and a stream there without a depth that a loop of unknown
length fills before anything reads from it.

## Why is this bad
Only a channel between two tasks becomes a FIFO. Elsewhere the array stays a memory, and the directive does nothing. A
stream has two places unless its depth is said, and the loop waits for ever with its third word.

## Example
```c
void top(int a[64], int b[64]) {
  int t[64];
#pragma HLS stream variable=t depth=4
  for (int i = 0; i < 64; i++) t[i] = a[i];
  for (int i = 0; i < 64; i++) b[i] = t[i];
}
```

## Use instead
```c
void top(int a[64], int b[64]) {
#pragma HLS dataflow
  int t[64];
#pragma HLS stream variable=t depth=4
  for (int i = 0; i < 64; i++) t[i] = a[i];
  for (int i = 0; i < 64; i++) b[i] = t[i];
}
```

## Vitis message it predicts
One that the variable is no channel and the directive is ignored; `WARNING: [HLS 200-805] An internal stream .. with
default size can result in deadlock`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import (
    Call,
    Expr,
    ExprStmt,
    Function,
    Loop,
    OpaqueExpr,
    OtherType,
    ScalarType,
    StreamType,
    expressions,
    walk,
    walk_statements,
)
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import of_benches
from hlspart.rules._processes import BLOCKS, regions
from hlspart.rules._uses import root_of

RULE = Rule(
    "HLP613", "stream-outside-dataflow", "warning", hint="add DATAFLOW to the function, or remove the directive"
)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """STREAM of local arrays that no two tasks share."""
    channels = {u.variable for r in regions(facts.program) for u, writers, readers in r.channels()}
    regional = {r.function for r in regions(facts.program)}
    for variable in facts.program.variables:
        blocks = isinstance(variable.type, OtherType) and variable.type.name.startswith(BLOCKS)
        if blocks and variable.storage in ("local", "static") and variable.function not in regional:
            message = f"'{variable.name}' hands on blocks between tasks, but {variable.function}() has no DATAFLOW"
            yield facts.report(RULE, variable.at, message, "add DATAFLOW to the function")
    yield from _filled_first(facts, regional)
    for directive in facts.program.directives:
        if directive.kind != "stream" or not directive.usable or directive.has("off"):
            continue
        for ident in directive.variables:
            variable = facts.program.variable(ident)
            kinds = variable.is_array or isinstance(variable.type, ScalarType)
            local = kinds and variable.storage in ("local", "static")
            if local and ident not in channels and variable.function not in regional:
                stays = "the array stays a memory" if variable.is_array else "the number stays a register"
                message = f"STREAM of '{variable.name}': {variable.function}() has no DATAFLOW, {stays}"
                yield facts.report(RULE, directive.at, message, None, [(variable.at, "declared here")])


def _filled_first(facts: Facts, regional: Collection[str | None]) -> Iterator[Diagnostic]:
    """Local streams of the default depth that a loop of unknown length fills before anything reads from them."""
    benches = of_benches(facts)
    sized = {v for d in facts.program.directives if d.kind == "stream" for v in d.variables}
    for variable in facts.program.variables:
        kind, function = variable.type, facts.program.functions.get(variable.function or "")
        local = isinstance(kind, StreamType) and not kind.burst and variable.storage == "local"
        if not local or function is None or function.open or function.name in regional or variable.id in sized:
            continue
        if not isinstance(kind, StreamType) or kind.depth is not None:
            continue
        if function.name in benches or _is_of_others(facts, function, variable.id):
            continue
        for loop in function.body.body:
            info = facts.analysis.loops.get(loop.id) if isinstance(loop, Loop) else None
            if not isinstance(loop, Loop) or info is None or info.exits or info.trip_count.max is not None:
                continue
            calls = [e for s in walk_statements(loop.body) for top in expressions(s) for e in walk(top)]
            own = [e for e in calls if isinstance(e, Call) and any(_is(a, variable.id) for a in e.args)]
            direct = {id(s.expr) for s in loop.body.body if isinstance(s, ExprStmt)}
            if own and all(e.function == "stream.write" for e in own) and any(id(e) in direct for e in own):
                message = f"'{variable.name}' has 2 places, and loop {loop.name} fills it before anything is read"
                hint = "say its depth, or add DATAFLOW and read in a task of its own"
                yield facts.report(RULE, variable.at, message, hint, [(own[0].at, "the third word waits here")])


def _is_of_others(facts: Facts, function: Function, variable: int) -> bool:
    """Whether a function that is not in the files gets a stream: it may be the hardware, and this its test."""
    for stmt in walk_statements(function.body):
        for node in (e for top in expressions(stmt) for e in walk(top)):
            if isinstance(node, OpaqueExpr):
                return True
            if not isinstance(node, Call) or node.function in facts.program.functions:
                continue
            if not (node.function or "").startswith("stream.") and any(_is(a, variable) for a in node.args):
                return True
    return False


def _is(expr: Expr, variable: int) -> bool:
    root = root_of(expr)
    return root is not None and root[0] == variable
