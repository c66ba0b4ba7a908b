"""DEPENDENCE claims another distance than the true one.

## What it does
Reports `dependence ... distance=N` where two iterations fewer than N apart are proved to touch one element, the
later one reading what the earlier one wrote. And a dependence between iterations that is claimed (`dependent=true`)
where it is proved that no two iterations touch one element, or that none nearer than a larger distance do, in a loop
that misses its II.

## Why is this bad
The tool overlaps iterations as far as the distance allows. The later one then reads the value before it is written.
It believes in a dependence that does not exist, too: the loop waits for nothing.

## Example
```c
void f(int A[64]) {
  for (int i = 2; i < 64; i++) {
#pragma HLS pipeline II=1
#pragma HLS dependence variable=A inter distance=4 true
    A[i] = A[i - 2] + 1;
  }
}
```

## Use instead
```c
void f(int A[64]) {
  for (int i = 2; i < 64; i++) {
#pragma HLS pipeline II=1
#pragma HLS dependence variable=A inter distance=2 true
    A[i] = A[i - 2] + 1;
  }
}
```

## Vitis message it predicts
None: the tool believes the pragma.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic, Fix
from hlspart.model.directives import Directive
from hlspart.model.source import Edit
from hlspart.rules._base import Facts, Rule
from hlspart.rules._nests import loops_of

RULE = Rule("HLP212", "dependence-distance", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Distances that are larger than the true one."""
    for directive in facts.program.directives if facts.carried is not None else ():
        if directive.kind != "dependence" or not directive.usable or "distance" not in directive.values:
            continue
        yield from (x for there in loops_of(facts.program, directive) for x in _of_loop(facts, there))


def _of_loop(facts: Facts, directive: Directive) -> Iterator[Diagnostic]:
    """The directive of one loop."""
    witness = facts.carried(directive) if facts.carried is not None else None
    if witness is None:
        yield from _invented(facts, directive)
    if witness is None or witness.distance == 0 or directive.loop is None:
        return
    name, loop = facts.program.variable(directive.variables[0]).name, facts.program.loops[directive.loop].name
    claimed, true = directive.values["distance"], witness.distance
    message = f"the distance of '{name}' in loop {loop} is {true}, not {claimed}"
    related = [(witness.source, "written here"), (witness.sink, f"read {true} iterations later")]
    span = facts.option_span(directive, "distance")
    fix = Fix(f"say distance={true}", (Edit(span, f"distance={true}"),), False) if span is not None else None
    yield facts.report(RULE, directive.at, message, f"say distance={true}", related, fix)


def _invented(facts: Facts, directive: Directive) -> Iterator[Diagnostic]:
    """A dependence that is claimed nearer than any is, where it costs the loop its II."""
    said = directive.choice("dependent", ("true", "false")) == "true" or directive.has("true")
    inside = directive.choice("type", ("inter", "intra")) == "intra" or directive.has("intra")
    misses = any(loop.loop == directive.loop for loop, _, _ in facts.missed())
    if not said or inside or not misses or directive.loop is None or len(directive.variables) != 1:
        return
    variable = directive.variables[0]
    name, loop = facts.program.variable(variable).name, facts.program.loops[directive.loop]
    if facts.never_meet is not None and facts.never_meet(directive.loop, variable):
        message = f"no two iterations of loop {loop.name} touch one element of '{name}': the dependence is invented"
        yield facts.report(RULE, directive.at, message, "remove it", [(loop.header, "the loop")])
