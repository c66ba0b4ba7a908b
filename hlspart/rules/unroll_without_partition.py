"""A loop is unrolled, but its array has too few ports for the copies.

## What it does
Reports UNROLL where the copies of one iteration access more elements of an array than its memories have ports for.
In a pipelined loop: where the II is reached only if the tool splits the array unasked, and where copies of a loop that
nobody asked to pipeline share a local array, and make it late. A complete unrolling of a loop over an argument is left
alone.

## Why is this bad
The copies wait for each other: the area grows with the factor, the time hardly falls.

## Example
```c
void f(const int x[64], int y[64]) {
  int A[64];
  for (int i = 0; i < 64; i++) A[i] = x[i];
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline off
#pragma HLS unroll factor=8
    y[i] = A[i] * 3;
  }
}
```

## Use instead
```c
void f(const int x[64], int y[64]) {
  int A[64];
#pragma HLS array_partition variable=A cyclic factor=8
#pragma HLS array_partition variable=y cyclic factor=8
  for (int i = 0; i < 64; i++) A[i] = x[i];
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline off
#pragma HLS unroll factor=8
    y[i] = A[i] * 3;
  }
}
```

## Vitis message it predicts
`[HLS 200-885] ... due to limited memory ports` where the loop is pipelined, else none.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.access import Affine
from hlspart.model.causes import PORTS_DIVIDED
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Directive
from hlspart.model.program import (
    Call,
    CType,
    OtherType,
    StreamType,
    StructType,
    expressions,
    walk,
    walk_statements,
)
from hlspart.model.results import LoopResult
from hlspart.rules._base import WAYS, Facts, Rule
from hlspart.rules._interfaces import interfaces
from hlspart.rules._nests import active, parents, pipelined_around
from hlspart.rules._queries import is_split_elsewhere

HINT = "partition the array as the loop is unrolled, or unroll less"
RULE = Rule("HLP217", "unroll-without-partition", "warning", hint=HINT)


_OF_MASTERS = "copy into a partitioned local array what the copies share, or unroll less"
_WIDER = ("array_partition", "array_reshape")  # where elements share words nothing is said of their number


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Unrolled copies that wait for ports."""
    masters = {v for d, mode in interfaces(facts) if mode == "m_axi" for v in d.variables}
    arrays = {a.variable: a for a in facts.ii.arrays} if facts.ii is not None else {}
    asked = {v for d in facts.program.directives if d.kind in _WIDER for v in d.variables}
    unsure = asked - {v.id for _, _, v in facts.partitions()}  # what keeps it from taking effect is told by itself
    unsure |= {v.id for v in facts.program.variables if v.storage != "parameter" and None in v.dims}
    for d in active(facts.program, "unroll"):
        loop = facts.program.loops.get(d.loop) if d.loop is not None else None
        info = facts.analysis.loops.get(loop.id) if loop is not None else None
        if loop is None or info is None or info.iterator is None or d.function is None:
            continue
        nest = (loop.id, *parents(facts.program)[loop.id])
        around = [r for r in facts.pipelined() if r.loop in nest]
        if around or pipelined_around(facts.program, d.function, loop.id) is not None:
            yield from _in_pipeline(facts, d, around, masters)
            continue
        if any(isinstance(e, Call) and (e.function or "").startswith("stream.") for s in walk_statements(loop.body)
               for top in expressions(s) for e in walk(top)):  # fmt: skip
            continue  # they wait for the words of the stream anyway
        trips = info.trip_count.exact
        copies = d.values.get("factor", trips or 0)
        copies = min(copies, trips) if trips is not None else copies
        for ident, array in arrays.items():
            inside = [a for a in facts.analysis.of_array(ident) if a.loops and a.loops[-1] == loop.id]
            moving = {(a.kind, a.map) for a in inside if _moves(a.index, info.iterator)}
            most = max((sum(1 for k, _ in moving if k == kind) for kind in ("read", "write")), default=0)
            if d.values.get("factor") is None and facts.program.variable(ident).storage == "parameter":
                continue
            if array.ports is None or array.banks is None or ident in unsure or _are_channels(facts, ident):
                continue
            ports = array.ports * array.banks
            if not moving or copies < 2 or most * copies <= ports:
                continue
            if is_split_elsewhere(facts, facts.program.variable(ident)):
                continue
            memory = f"whose {array.banks} {'memories have' if array.banks > 1 else 'memory has'} {ports} ports"
            wait = "an AXI master, whose words come one after the other" if ident in masters else memory
            message = (
                f"{copies} copies of loop {loop.name} access {most * copies} elements of '{array.name}' at once, {wait}"
            )
            related = [(inside[0].at, "the access"), (facts.program.variable(ident).at, "the array")]
            yield facts.report(RULE, d.at, message, _OF_MASTERS if ident in masters else None, related)
            break  # one array is enough to see


def _are_channels(facts: Facts, ident: int) -> bool:
    """Whether the elements of an array are streams, or objects of a class that may hold one: no memory."""
    array = facts.program.variable(ident).as_array
    pending: list[CType] = [array.element] if array is not None else []
    while pending:
        of = pending.pop()
        if isinstance(of, (OtherType, StreamType)):
            return True
        pending += [kind for _, kind in of.members] if isinstance(of, StructType) else []
    return False


def _in_pipeline(
    facts: Facts, directive: Directive, around: list[LoopResult], masters: set[int]
) -> Iterator[Diagnostic]:
    """UNROLL in a pipelined loop whose II is known only if the tool splits the array by itself."""
    asked = {v.id for _, _, v in facts.partitions()}
    for result in around:
        limit = result.limits[0] if result.limits else None
        arrays = facts.short_of_ports(result)
        if limit is None or limit.kind != "memory-port" or not arrays or arrays[0].id in asked:
            continue
        if result.ii is None and any(x.text == PORTS_DIVIDED for x in result.causes):
            continue
        if any(is_split_elsewhere(facts, v) for v in arrays):
            continue
        copied = result.origin == "auto" and result.loop == directive.loop and directive.values.get("factor", 0) > 1
        if result.ii is not None:  # else what was asked for, or is no matter of the copies, another rule tells
            arrays = tuple(v for v in arrays if v.storage != "parameter" and v.id not in asked)
            if not arrays or not copied or result.binding[0].kind != "memory-port":
                continue
        message = f"the copies share the ports of '{arrays[0].name}': loop {result.name} has II {limit.ii}"
        if result.ii is None:
            by_itself = "widens the port" if arrays[0].id in masters else "partitions the array"
            message += f" unless the tool {by_itself} by itself"
        related = [(facts.loop_at(result), "the pipelined loop"), (arrays[0].at, "the array")]
        yield facts.report(RULE, directive.at, message, WAYS, related)


def _moves(index: tuple[Affine | None, ...] | None, iterator: str) -> bool:
    return index is not None and any(form is not None and form.coefficient(iterator) for form in index)
