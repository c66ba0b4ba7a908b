"""Two tasks of a DATAFLOW region write one variable.

## What it does
Reports an array, stream or struct, or a number by its address, that two tasks of one DATAFLOW region write, by the
write sets of the tasks, functions that they call included. A local struct that only loops write, and variables under
STABLE, SHARED or STREAM type=shared are left alone.

## Why is this bad
A channel has one producer. The tool refuses the region, or runs its tasks one after the other.

## Example
```c
void first(int a[64], int t[64]) {
  for (int i = 0; i < 64; i++) t[i] = a[i];
}
void second(int t[64]) {
  for (int i = 0; i < 64; i++) t[i] = 0;
}
void last(int t[64], int b[64]) {
  for (int i = 0; i < 64; i++) b[i] = t[i];
}
void top(int a[64], int b[64]) {
#pragma HLS dataflow
  int t[64];
  first(a, t);
  second(t);
  last(t, b);
}
```

## Use instead
```c
void first(int a[64], int t[64]) {
  for (int i = 0; i < 64; i++) t[i] = a[i];
}
void second(int t[64], int u[64]) {
  for (int i = 0; i < 64; i++) u[i] = t[i] + 1;
}
void last(int u[64], int b[64]) {
  for (int i = 0; i < 64; i++) b[i] = u[i];
}
void top(int a[64], int b[64]) {
#pragma HLS dataflow
  int t[64], u[64];
  first(a, t);
  second(t, u);
  last(u, b);
}
```

## Vitis message it predicts
`ERROR: [HLS 200-779] Non-shared array 't' failed dataflow checking: it can only have a single reader and a single
writer.`, for an argument `Argument 't' failed dataflow checking: it can only be used in one process.`
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import Program, ScalarType, StructType
from hlspart.rules._base import Facts, Rule
from hlspart.rules._processes import Process, carries, regions
from hlspart.rules._shared import apart, is_state, memories, registers

HINT = "let one task write it, or give each task a variable of its own and merge them in a last task"
RULE = Rule("HLP601", "dataflow-two-producers", "warning", hint=HINT)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Channels with two writers."""
    free = apart(facts.program) | memories(facts.program) | registers(facts.program)
    for region in regions(facts.program):
        for use, writers, _ in region.channels():
            channel = carries(facts.program, use.variable) or _is_written_by_calls(facts.program, use.variable, writers)
            if len(writers) < 2 or use.variable in free or not channel:
                continue
            if _is_word_of_loops(facts.program, use.variable, writers):
                continue
            if use.variable not in region.local and is_state(facts.program, use.variable):
                continue  # another rule's
            variable = facts.program.variable(use.variable)
            first, second = writers[0], writers[1]
            at = second.of(use, "write")
            assert at is not None
            message = (
                f"'{variable.name}' is written by {first.name} and by {second.name}, two tasks of one DATAFLOW region"
            )
            other = first.of(use, "write")
            related = [(other.at if other is not None else first.at, "the first producer")]
            related += [(variable.at, "the variable"), (region.directive.at, "the region")]
            yield facts.report(RULE, at.at, message, None, related)


def _is_word_of_loops(program: Program, variable: int, writers: Sequence[Process]) -> bool:
    """Whether only loops write a local structure: its numbers are variables, of which each loop has its own."""
    known = program.variable(variable)
    word = isinstance(known.type, StructType) and known.storage == "local" and not known.reference
    return word and all(p.kind == "loop" for p in writers)


def _is_written_by_calls(program: Program, variable: int, writers: Sequence[Process]) -> bool:
    """Whether calls write a number by its address: what loops write, the tool keeps apart."""
    return isinstance(program.variable(variable).type, ScalarType) and all(p.kind == "call" for p in writers)
