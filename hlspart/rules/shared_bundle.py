"""Two tasks of a DATAFLOW region that share the channel of a bundle.

## What it does
Reports m_axi ports of one bundle from which two tasks of a region read, or to which two tasks write.

## Why is this bad
A bundle is one adapter with one channel for reads and one for writes: the tasks take turns, a burst of one waits for
that of the other, and the region is as slow as one after the other.

## Example
```c
void left(const int *a, int t[64]) {
  for (int i = 0; i < 64; i++) t[i] = a[i];
}
void right(const int *b, int u[64]) {
  for (int i = 0; i < 64; i++) u[i] = b[i];
}
void both(const int t[64], const int u[64], int c[64]) {
  for (int i = 0; i < 64; i++) c[i] = t[i] + u[i];
}
void f(const int *a, const int *b, int c[64]) {
#pragma HLS interface mode=m_axi port=a bundle=g0 depth=64
#pragma HLS interface mode=m_axi port=b bundle=g0 depth=64
#pragma HLS dataflow
  int t[64], u[64];
  left(a, t);
  right(b, u);
  both(t, u, c);
}
```

## Use instead
```c
void left(const int *a, int t[64]) {
  for (int i = 0; i < 64; i++) t[i] = a[i];
}
void right(const int *b, int u[64]) {
  for (int i = 0; i < 64; i++) u[i] = b[i];
}
void both(const int t[64], const int u[64], int c[64]) {
  for (int i = 0; i < 64; i++) c[i] = t[i] + u[i];
}
void f(const int *a, const int *b, int c[64]) {
#pragma HLS interface mode=m_axi port=a bundle=g0 depth=64
#pragma HLS interface mode=m_axi port=b bundle=g1 depth=64
#pragma HLS dataflow
  int t[64], u[64];
  left(a, t);
  right(b, u);
  both(t, u, c);
}
```

## Vitis message it predicts
`[HLS 214-224]` Inferred burst reverted due to conflict with another one.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Directive
from hlspart.rules._base import Facts, Rule
from hlspart.rules._interfaces import interfaces
from hlspart.rules._processes import Process, regions

RULE = Rule("HLP623", "shared-bundle", "warning", hint="give each task a bundle of its own")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Ports of functions that are a region, in order."""
    ports: dict[str, list[tuple[Directive, int, str]]] = {}
    for d, mode in interfaces(facts):
        if mode == "m_axi" and d.option("bundle"):
            ports.setdefault(d.function or "", []).extend((d, v, d.option("bundle") or "") for v in d.variables)
    for region in regions(facts.program):
        if region.function not in facts.analysis.tops or region.loop is not None:
            continue
        first: dict[tuple[str, str], tuple[Directive, Process, int]] = {}
        reported: set[int] = set()
        for d, variable, bundle in ports.get(region.function, ()):
            for process in region.processes:
                for kind in sorted({u.kind for u in process.uses if u.variable == variable and u.exact}):
                    before = first.setdefault((bundle, kind), (d, process, variable))
                    if before[1] is process or before[2] == variable or variable in reported:
                        continue
                    reported.add(variable)
                    verb = "read from" if kind == "read" else "write to"
                    message = f"two tasks {verb} bundle {bundle}: {before[1].name} and {process.name} take turns"
                    related = [(before[0].at, "the other port"), (before[1].at, "a task"), (process.at, "a task")]
                    yield facts.report(RULE, d.at, message, None, related)
