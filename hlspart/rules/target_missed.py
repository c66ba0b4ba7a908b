"""Operators or interfaces keep a loop from its target II.

## What it does
Reports a pipelined loop above its target II for another reason than memory ports or a recurrence:
an operator that is limited or not pipelined, an interface, several reasons together.

## Why is this bad
The loop runs slower than asked for, by the factor shown.

## Example
```c
int f(int A[64], int B[64]) {
#pragma HLS interface m_axi port=A depth=64 bundle=gmem
#pragma HLS interface m_axi port=B depth=64 bundle=gmem
  int t = 0;
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline II=1
    t += A[i] + B[i];
  }
  return t;
}
```

## Use instead
```c
int f(int A[64], int B[64]) {
#pragma HLS interface m_axi port=A depth=64 bundle=gmem0
#pragma HLS interface m_axi port=B depth=64 bundle=gmem1
  int t = 0;
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline II=1
    t += A[i] + B[i];
  }
  return t;
}
```

## Vitis message it predicts
`Final II` above `Target II` in the pipelining result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.source import Origin
from hlspart.rules._base import Facts, Rule, ways
from hlspart.rules._interfaces import interfaces
from hlspart.rules._nests import active
from hlspart.rules._queries import binding, places_of

RULE = Rule("HLP211", "target-missed", "warning", hint="ask for the II that is reached, or remove the limit")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Loops above their target that no other rule explains."""
    for loop, missed, severity in facts.missed():
        elsewhere = binding(loop) in ("memory-port", "recurrence")
        if not elsewhere and severity != "info":
            if loop.binding and loop.binding[0].kind == "schedule":
                severity = "info"  # that no schedule was found is no proof that there is none
            why = loop.binding[0].text if loop.binding else "several limits together"
            hint = f"set II={loop.least}, or see hlspart ii --explain {loop.name}" if not loop.binding else ways(loop)
            related = [*_ports(facts, why), *places_of(facts, loop)]
            yield facts.report(RULE, facts.loop_at(loop), f"{missed}: {why}", hint, related, severity=severity)


def _ports(facts: Facts, why: str) -> Iterator[tuple[Origin, str]]:
    """The directives that set a limit: ports of a bundle, an ALLOCATION."""
    for d, mode in interfaces(facts):
        if mode == "m_axi" and why.startswith(f"m_axi {d.option('bundle')}:"):
            yield d.at, "a port of the bundle"
    for d in active(facts.program, "allocation"):
        if (named := d.option("instances")) and re.search(rf"\b{re.escape(named)} on \d+ unit", why):
            yield d.at, "the limit"
