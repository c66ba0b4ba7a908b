"""ALIAS of ports that it cannot be about.

## What it does
Reports ALIAS of a port that is no `m_axi` port, of one port alone, of ports in one bundle, with different depths or
`offset=off`, with another number of offsets than ports, and with a distance as well.

## Why is this bad
The directive says how buffers behind several AXI masters lie to each other. Else it is ignored, and loads and stores
that meet are taken for independent.

## Example
```c
void f(int *a, int *b) {
#pragma HLS interface mode=m_axi port=a bundle=hbm depth=64
#pragma HLS interface mode=m_axi port=b bundle=hbm depth=64
#pragma HLS alias ports=a,b distance=64
  for (int i = 0; i < 64; i++) b[i] = a[i];
}
```

## Use instead
```c
void f(int *a, int *b) {
#pragma HLS interface mode=m_axi port=a bundle=hbm0 depth=64
#pragma HLS interface mode=m_axi port=b bundle=hbm1 depth=64
#pragma HLS alias ports=a,b distance=64
  for (int i = 0; i < 64; i++) b[i] = a[i];
}
```

## Vitis message it predicts
One that the alias pragma is not valid for these ports.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Directive
from hlspart.model.source import Origin
from hlspart.rules._base import Facts, Rule
from hlspart.rules._interfaces import interfaces
from hlspart.rules._nests import active

RULE = Rule("HLP429", "alias-ports", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """ALIAS against INTERFACE."""
    masters = {(d.function, v): d for d, mode in interfaces(facts) if mode == "m_axi" for v in d.variables}
    for d in active(facts.program, "alias"):
        said = [p for v in d.variables if (p := masters.get((d.function, v))) is not None]
        fault = _fault(facts, d, masters, said)
        if fault is not None:
            message, hint, related = fault
            yield facts.report(RULE, d.at, f"ALIAS: {message}", hint, related)


def _fault(
    facts: Facts, d: Directive, masters: Mapping[tuple[str | None, int], Directive], said: list[Directive]
) -> tuple[str, str, list[tuple[Origin, str]]] | None:
    for v in d.variables:
        if (d.function, v) not in masters:
            variable = facts.program.variable(v)
            return f"'{variable.name}' is no m_axi port", "remove it", [(variable.at, "the port")]
    if len(d.variables) < 2 or len(set(d.variables)) < len(d.variables):
        return (
            "it relates two ports or more to each other",
            "name each of them once",
            [(p.at, "the port") for p in said],
        )
    ports = [(p.at, "a port") for p in said]
    if (d.option("distance") or "").startswith("-"):
        return (
            f"distance={d.option('distance')} is negative",
            "say how many elements one lies behind the other",
            ports,
        )
    bundles = [p.option("bundle") for p in said]
    if len(set(bundles)) < len(bundles):
        return "the ports share a bundle", "give each port a bundle of its own", ports
    if len({p.values.get("depth") for p in said}) > 1:
        return "the ports have different depths", "give them one depth", ports
    if any((p.option("offset") or "").lower() == "off" for p in said):
        return "a port has offset=off", "say offset=slave or offset=direct", ports
    offsets = d.option("offset")
    if offsets is not None and d.option("distance") is not None:
        return "distance and offset exclude each other", "keep one of them", ports
    if offsets is not None and len(offsets.split(",")) != len(d.variables):
        count = len(offsets.split(","))
        return f"{count} offsets for {len(d.variables)} ports", "give each port an offset", ports
    return None
