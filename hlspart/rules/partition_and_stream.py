"""Partition and stream of one array.

## What it does
Reports ARRAY_PARTITION and STREAM on one variable; a warning for cyclic parts between the tasks of a region.

## Why is this bad
A stream is read in order from one channel; an array in banks is not.

## Example
```c
void f(int x) {
  int t[16];
#pragma HLS stream variable=t depth=2
#pragma HLS array_partition variable=t cyclic factor=2
  for (int i = 0; i < 16; i++) t[i] = x;
}
```

## Use instead
```c
void f(int x) {
  int t[16];
#pragma HLS array_partition variable=t cyclic factor=2
  for (int i = 0; i < 16; i++) t[i] = x;
}
```

## Vitis message it predicts
A conflict between stream and array partition.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic, Severity
from hlspart.rules._base import Facts, Rule

RULE = Rule("HLP413", "partition-and-stream", "error")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Arrays with both, unless every element is a stream of its own or the stream is switched off."""
    streams = {
        v: d
        for d in facts.program.directives
        if d.kind == "stream" and d.usable and not d.has("off") and d.choice("type", ()) in (None, "fifo")
        for v in d.variables
    }
    regions = {d.function for d in facts.program.directives if d.kind == "dataflow" and d.usable}
    for _status, directive, variable in facts.partitions():
        complete = directive.choice("type", ("cyclic", "block", "complete")) in (None, "complete")
        other = streams.get(variable.id)
        # between tasks Vivado HLS makes FIFOs of the parts, in turn (UG871, real FFT)
        cyclic = directive.choice("type", ("cyclic", "block", "complete")) == "cyclic" and variable.storage == "local"
        if other is not None and not complete:
            severity: Severity | None = None
            if cyclic and variable.function in regions:  # the parts are needed where copies of a loop take a word each
                copied = any(x in facts.unrolled for a in facts.analysis.of_array(variable.id) for x in a.loops)
                severity = "info" if copied else "warning"
            message = f"'{variable.name}' is a stream and partitioned"
            related = [(other.at, "the STREAM")]
            yield facts.report(RULE, directive.at, message, "keep one of the two", related, severity=severity)
