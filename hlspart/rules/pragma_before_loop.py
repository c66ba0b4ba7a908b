"""A PIPELINE or UNROLL stands before a loop and not in it.

## What it does
Reports PIPELINE directly before a loop: a warning when other statements stand before the pragma, of UNROLL too; for
information at the head of a function, declarations apart, whose loops have at most 16 iterations, for a PIPELINE of the
whole function belongs there too. The first line of a loop's body is its right place and not reported.

## Why is this bad
Loop pragmas belong into the body of their loop. Before it they are about what encloses it: the
whole function is pipelined and every loop in it unrolled.

## Example
```c
void f(int A[16]) {
#pragma HLS pipeline II=1
  for (int i = 0; i < 16; i++) {
    A[i] = i;
  }
}
```

## Use instead
```c
void f(int A[16]) {
  for (int i = 0; i < 16; i++) {
#pragma HLS pipeline II=1
    A[i] = i;
  }
}
```

## Vitis message it predicts
None: the function is pipelined as written.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic, Severity
from hlspart.model.program import Declare, Loop, PragmaMark, Program, substatements, walk_statements
from hlspart.rules._base import Facts, Rule

_MOST = 17  # iterations of a loop that one may want to see unrolled by a pipelined function
RULE = Rule("HLP414", "pragma-before-loop", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """PIPELINE whose next statement is a loop."""
    following = _following(facts.program)
    for directive in facts.program.directives:
        if directive.kind not in ("pipeline", "unroll") or not directive.usable or directive.pragma is None:
            continue
        if directive.has("off"):
            continue
        loop, first = following.get(directive.pragma, (None, False))
        if loop is None or (first and directive.loop is not None):
            continue  # first in the body of a loop it pipelines that loop and unrolls the next one: a common form
        what = "the whole function" if directive.loop is None else facts.program.loops[directive.loop].name
        if directive.kind == "unroll" and directive.loop is None:
            continue  # HLP403
        does = "pipelines" if directive.kind == "pipeline" else "unrolls"
        message = f"{directive.kind.upper()} before loop {loop.name} {does} {what}, not the loop"
        hint = f"move it into the body of {loop.name}"
        few = all((facts.trips.get(x.id) or _MOST) < _MOST for x in (loop, *facts.loops_inside(loop.id)))
        source, end = facts.program.sources.get(loop.at.span.path), directive.at.span.end
        # with others about the function it is meant so
        among = source is not None and "#pragma" in source.text[end : loop.header.span.start]
        severity: Severity = "info" if first and (few or among) else "warning"  # it pipelines all of a function
        yield facts.report(RULE, directive.at, message, hint, [(loop.header, "the loop")], severity=severity)


def _following(program: Program) -> dict[int, tuple[Loop, bool]]:
    """By pragma the loop that follows it directly, other pragmas apart; whether only pragmas stand before it.

    In the body of a function, declarations may stand before it, too.
    """
    out: dict[int, tuple[Loop, bool]] = {}
    for body in (function.body for function in program.functions.values()):
        for stmt in walk_statements(body):
            waiting, first = list[int](), True
            for item in substatements(stmt):
                if isinstance(item, PragmaMark):
                    waiting.append(item.pragma)
                    continue
                if isinstance(item, Loop):
                    out |= {pragma: (item, first) for pragma in waiting if pragma not in out}
                waiting, first = [], first and isinstance(item, Declare) and stmt is body
    return out
