"""A pragma stands outside of what it is about.

## What it does
Reports pragmas outside of any function, and UNROLL, LOOP_TRIPCOUNT or LOOP_FLATTEN outside of a
loop; and, as warnings, PIPELINE directly under a condition or in a block, and INTERFACE, INLINE or FUNCTION_INSTANTIATE
in a loop.

## Why is this bad
The tool ignores them, or applies them to the whole function.

## Example
```c
void f(int A[16]) {
#pragma HLS unroll factor=4
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Use instead
```c
void f(int A[16]) {
  for (int i = 0; i < 16; i++) {
#pragma HLS unroll factor=4
    A[i] = i;
  }
}
```

## Vitis message it predicts
`pragma is ignored: not in a loop`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Directive
from hlspart.model.program import Block, If, PragmaMark, Stmt, Switch, substatements, walk_statements
from hlspart.rules._base import Facts, Rule
from hlspart.rules._nests import active

RULE = Rule("HLP403", "misplaced-pragma", "error")
_OF_FUNCTIONS = ("interface", "inline", "function_instantiate", "top")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule."""
    yield from facts.plain(RULE, "outside-function", "outside-loop")
    for about in facts.program.directives:
        of_function = about.kind in _OF_FUNCTIONS and about.dialect == "vitis" and about.usable
        of_region = about.kind == "inline" and (about.has("recursive") or about.has("region"))  # what a loop calls
        if of_function and about.loop is not None and not of_region:
            message = f"{facts.pragma_text(about)} is about a function, but stands in a loop"
            hint = "write it at the start of the function"
            related = [(facts.program.loops[about.loop].header, "the loop")]
            yield facts.report(RULE, about.at, message, hint, related, None, "warning")
    pipelines = {d.pragma: d for d in active(facts.program, "pipeline") if d.pragma is not None}
    for pipeline in pipelines.values():
        block = _in_block(facts, pipeline)
        if block is not None:
            message = "PIPELINE stands in a block, which is no loop or function to pipeline"
            hint = "write it at the start of the loop or function"
            yield facts.report(RULE, pipeline.at, message, hint, [(block.at, "the block")], None, "warning")
    for function in facts.program.functions.values() if pipelines else ():
        for arm in walk_statements(function.body):
            if not isinstance(arm, If | Switch):
                continue
            for mark in _directly_in(arm):
                d = pipelines.get(mark.pragma)
                if d is not None:
                    message = "PIPELINE stands under a condition, which is no loop or function to pipeline"
                    hint = "write it at the start of the loop or function"
                    yield facts.report(RULE, d.at, message, hint, [(arm.at, "the condition")], None, "warning")


def _in_block(facts: Facts, d: Directive) -> Block | None:
    """A block without a header, of a function or loop, that a directive stands in."""
    loop = facts.program.loops.get(d.loop) if d.loop is not None else None
    function = facts.program.functions.get(d.function or "")
    body = loop.body if loop is not None else function.body if function is not None else None
    parts = body.body if isinstance(body, Block) else ()
    for stmt in parts if len(parts) > 1 else ():  # one that is all of a body is the body
        if isinstance(stmt, Block) and stmt.at.span.holds(d.at.span):
            return stmt
    return None


def _directly_in(arm: Stmt) -> Iterator[PragmaMark]:
    """Pragmas in the arms, not those of loops and conditions inside."""
    for stmt in substatements(arm):
        if isinstance(stmt, PragmaMark):
            yield stmt
        elif isinstance(stmt, Block):
            yield from _directly_in(stmt)
