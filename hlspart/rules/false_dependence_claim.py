"""DEPENDENCE denies a dependence that exists.

## What it does
Reports `dependence ... inter false` where two iterations are proved to touch one element and the later one reads what
the earlier one wrote, and `intra false` where one iteration reads what it has written before, under a condition or
not. With `direction` given, accesses of those kinds are looked at.

## Why is this bad
The tool may then start the later iteration before the value is written: the hardware computes
something else than the C code. It is an error when the distance is too short for the loop's II.

## Example
```c
void f(int A[64]) {
  for (int i = 1; i < 64; i++) {
#pragma HLS pipeline II=1
#pragma HLS dependence variable=A inter false
    A[i] = A[i - 1] + 1;
  }
}
```

## Use instead
```c
void f(int A[64]) {
  for (int i = 1; i < 64; i++) {
#pragma HLS pipeline II=1
    A[i] = A[i - 1] + 1;
  }
}
```

## Vitis message it predicts
None: the tool believes the pragma.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from hlspart.model.diagnostics import Diagnostic, Severity
from hlspart.model.directives import Directive
from hlspart.model.source import Span
from hlspart.rules._base import Facts, Rule, Witness
from hlspart.rules._elements import meeting
from hlspart.rules._nests import loops_of

RULE = Rule("HLP209", "false-dependence-claim", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Claims that an exact dependence test refutes; of the instances of a template that with the nearest iterations."""
    nearest: dict[Span, tuple[Directive, str, Witness]] = {}
    for directive in facts.program.directives if facts.carried is not None else ():
        if directive.kind != "dependence" or not directive.usable or "distance" in directive.values:
            continue  # a distance is another rule's
        for said in (one for there in loops_of(facts.program, directive) for one in _each(facts, there)):
            witness = facts.carried(said) if facts.carried is not None else None
            witness = witness if witness is not None and witness.sure else _walked(facts, said)
            known = nearest.get(directive.at.span)
            if witness is not None and (known is None or witness.distance < known[2].distance):
                nearest[directive.at.span] = said, facts.program.variable(said.variables[0]).name, witness
    for directive, name, witness in nearest.values():
        yield _report(facts, directive, name, witness)


def _report(facts: Facts, directive: Directive, name: str, witness: Witness) -> Diagnostic:
    loop = facts.program.loops[directive.loop if directive.loop is not None else -1].name
    if witness.distance == 0:
        message = f"'{name}' does depend on an access of the same iteration of loop {loop}"
        related = [(witness.source, "accessed here"), (witness.sink, "and again in the same iteration")]
        return facts.report(RULE, directive.at, message, "remove it", related)
    loops = [x for x in facts.pipelined() if x.loop == directive.loop]
    short = bool(loops) and loops[0].depth is not None and witness.distance * (loops[0].ii or 1) < loops[0].depth
    message = f"'{name}' does depend on iterations {witness.distance} before in loop {loop}"
    backwards = directive.choice("direction", ("raw", "war", "waw")) in ("war", "waw")
    first, then = ("accessed here", "written") if backwards else ("written here", "read")
    related = [(witness.source, first), (witness.sink, f"{then} {witness.distance} iterations later")]
    hint = f"remove it, or say distance={witness.distance} dependent=true"
    severity: Severity = "error" if short and not backwards else "warning"
    return facts.report(RULE, directive.at, message, hint, related, severity=severity)


def _each(facts: Facts, directive: Directive) -> list[Directive]:
    """The directive of one variable: what names none, or a class, is about every array of the loop."""
    if directive.variables or directive.choice("class", ("array", "pointer")) == "pointer":
        return [directive]
    inside = {a.array: None for a in facts.analysis.accesses if directive.loop in a.loops}
    return [replace(directive, variables=(array,)) for array in inside if facts.program.variable(array).is_array]


def _walked(facts: Facts, directive: Directive) -> Witness | None:
    """Of accesses whose indices are not affine, or stand in a function that is called: iteration by iteration."""
    denied = directive.choice("dependent", ("true", "false")) != "true" and "distance" not in directive.values
    forward = (directive.choice("direction", ("raw", "war", "waw")) or "raw") == "raw"
    if not (denied and forward) or len(directive.variables) != 1 or directive.function is None:
        return None
    array, loop, function = directive.variables[0], directive.loop, directive.function
    own = [a for a in facts.analysis.of_array(array) if a.function == function]
    handed = any(e.actual == array for g in facts.analysis.groups for e in g.edges)
    if loop is None or not facts.program.variable(array).is_array or (all(a.affine for a in own) and not handed):
        return None
    inside = directive.choice("type", ("inter", "intra")) == "intra"
    pair = meeting(facts.program, function, array, loop, inside)
    return None if pair is None else Witness(pair.store, pair.load, pair.distance)
