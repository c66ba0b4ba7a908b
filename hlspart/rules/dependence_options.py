"""DEPENDENCE with options that exclude each other.

## What it does
Reports DEPENDENCE with both `variable=` and `class=`; with a `distance=` of a dependence that is said not to exist; and
on a port that shares its `m_axi` bundle with another one; a distance within one iteration, `dependent=true` without a
distance, and two that contradict each other.

## Why is this bad
The tool takes one of the two options, ignores the directive, or stops. What was meant is not what is built.

## Example
```c
void f(int a[64]) {
  for (int i = 8; i < 64; i++) {
#pragma HLS pipeline
#pragma HLS dependence variable=a class=array type=intra dependent=false
    a[i] = i;
  }
}
```

## Use instead
```c
void f(int a[64]) {
  for (int i = 8; i < 64; i++) {
#pragma HLS pipeline
    a[i] = i;
  }
}
```

## Vitis message it predicts
One of the pragma checker about conflicting options.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Directive
from hlspart.rules._base import Facts, Rule
from hlspart.rules._interfaces import interfaces
from hlspart.rules._nests import active

RULE = Rule("HLP222", "dependence-options", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Options of DEPENDENCE against each other, and against the bundle of the port."""
    bundles: dict[tuple[str | None, str | None], list[tuple[int, Directive]]] = {}
    for d, mode in interfaces(facts):
        if mode == "m_axi":
            bundles.setdefault((d.function, d.option("bundle")), []).extend((v, d) for v in d.variables)
    first: dict[tuple[object, ...], tuple[Directive, bool]] = {}
    for d in active(facts.program, "dependence"):
        said = {o.name for o in d.options}
        denied = d.choice("dependent", ("true", "false")) == "false" or "false" in said
        if {"variable", "class"} <= said:
            yield facts.report(RULE, d.at, "DEPENDENCE: variable= and class= exclude each other", "remove class=")
        if denied and "distance" in said:
            message = "DEPENDENCE: a distance of a dependence that is said not to exist"
            yield facts.report(RULE, d.at, message, "say dependent=true, or remove distance=")
        kind = d.choice("type", ("intra", "inter"))
        if kind == "intra" and "distance" in said and not denied:
            message = "DEPENDENCE: type=intra is about one iteration, a distance about several"
            yield facts.report(RULE, d.at, message, "say type=inter, or remove distance=")
        elif kind == "inter" and d.choice("dependent", ("true", "false")) == "true" and "distance" not in said:
            message = "DEPENDENCE: dependent=true says nothing without a distance"
            yield facts.report(RULE, d.at, message, "add distance=")
        key = d.function, d.loop, d.variables, kind, d.choice("direction", ("raw", "war", "waw"))
        other_one = first.setdefault(key, (d, denied))
        if other_one[1] != denied and d.variables:
            message = "DEPENDENCE contradicts another one of the same variable"
            yield facts.report(RULE, d.at, message, "keep one of them", [(other_one[0].at, "the other directive")])
        for ports in bundles.values():
            names = {v for v, _ in ports}
            if len(names) > 1 and names & set(d.variables):
                other = next(i for v, i in ports if v not in d.variables or len(d.variables) > 1)
                name = facts.program.variable(next(iter(names & set(d.variables)))).name
                message = f"DEPENDENCE: '{name}' shares its m_axi bundle with another port"
                hint = "give the port a bundle of its own"
                yield facts.report(RULE, d.at, message, hint, [(other.at, "the other port")])
