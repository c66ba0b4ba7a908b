"""A FIFO is both read and written by one side.

## What it does
Reports an array behind `ap_fifo` or `axis` that the function reads and writes, and a channel with STREAM that one task
reads and writes.

## Why is this bad
A FIFO goes in one direction. Synthesis stops, or reads other values than the C code.

## Example
```c
void top(int a[64]) {
#pragma HLS interface mode=ap_fifo port=a
  for (int i = 0; i < 64; i++) a[i] = a[i] + 1;
}
```

## Use instead
```c
void top(int a[64], int b[64]) {
#pragma HLS interface mode=ap_fifo port=a
#pragma HLS interface mode=ap_fifo port=b
  for (int i = 0; i < 64; i++) b[i] = a[i] + 1;
}
```

## Vitis message it predicts
One that the port has both read and write operations, which the interface mode does not support.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import Call, Name, OpaqueExpr, StreamType, Variable
from hlspart.rules._base import Facts, Rule
from hlspart.rules._fifos import accesses, fifos
from hlspart.rules._processes import regions
from hlspart.rules._uses import nodes, sets

RULE = Rule("HLP614", "fifo-read-and-written", "error", hint="use one FIFO to read and another one to write")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """FIFOs of two directions."""
    for directive, variable in fifos(facts):
        related = [(directive.at, "the directive that makes it a FIFO"), (variable.at, "the array")]
        if directive.kind == "interface":
            uses = [a for group in accesses(facts, variable) for a in group]
            read = next((a for a in uses if a.kind == "read"), None)
            written = next((a for a in uses if a.kind == "write"), None)
            if read is not None and written is not None and _reads(facts, variable):
                message = f"the FIFO port '{variable.name}' is read and written"
                yield facts.report(RULE, written.at, message, None, [(read.at, "read here"), *related])
            continue
        for region in regions(facts.program):
            for use, writers, readers in region.channels():
                both = [p for p in writers if p in readers]
                if use.variable == variable.id and both and len(writers) == 1:
                    read_at, made = both[0].of(use, "read"), both[0].of(use, "write")
                    assert read_at is not None
                    assert made is not None
                    message = f"the FIFO '{variable.name}' is read and written by {both[0].name}"
                    yield facts.report(RULE, read_at.at, message, None, [(made.at, "written here"), *related])
    yield from _streams(facts)


def _reads(facts: Facts, variable: Variable) -> bool:
    """Whether its function reads a port: an operator that assigns an element has it by reference and does not."""
    function = facts.program.functions[variable.function or ""]
    uses = sets(facts.program).below(function.body)
    return any(u.variable == variable.id and u.kind == "read" for u in uses)


def _streams(facts: Facts) -> Iterator[Diagnostic]:
    """Streams that are arguments of a top function."""
    for name in facts.analysis.tops:
        function = facts.program.functions[name]
        uses = list(sets(facts.program).below(function.body))
        for ident in function.params:
            variable = facts.program.variable(ident)
            if not isinstance(variable.type, StreamType) or variable.type.burst:
                continue
            read = next((u for u in uses if u.variable == ident and u.kind == "read"), None)
            written = next((u for u in uses if u.variable == ident and u.kind == "write"), None)
            if _goes_to_unknown(facts, name, ident):
                continue  # such as a macro of a missing header, which makes a port of it
            if read is not None and written is not None and read.exact and written.exact:
                message = f"the stream port '{variable.name}' is read and written"
                related = [(read.at, "read here"), (variable.at, "the port")]
                yield facts.report(RULE, written.at, message, None, related)


def _goes_to_unknown(facts: Facts, name: str, ident: int) -> bool:
    """Whether a function hands a stream to what is defined nowhere, or names it where it is not read."""
    for e in nodes(facts.program)[name]:
        function = e.function or "" if isinstance(e, Call) else ""
        known = function in facts.program.functions or function.startswith("stream.")
        parts = e.children if isinstance(e, OpaqueExpr) else e.args if isinstance(e, Call) and not known else ()
        if any(isinstance(a, Name) and a.variable == ident for a in parts):
            return True
    return False
