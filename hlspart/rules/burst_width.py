"""Widths and lengths of bursts that an AXI master cannot have.

## What it does
Reports `max_widen_bitwidth` that is no power of two from 8 to 1024, or asks to widen elements whose width is none;
burst lengths above 256 beats or 4 KiB.

## Why is this bad
The tool ignores the option or shortens the burst: the bandwidth that was asked for is not there.

## Example
```c
void f(int a[64]) {
#pragma HLS interface mode=m_axi port=a max_read_burst_length=512
  for (int i = 0; i < 64; i++) a[i] = i;
}
```

## Use instead
```c
void f(int a[64]) {
#pragma HLS interface mode=m_axi port=a max_read_burst_length=256
  for (int i = 0; i < 64; i++) a[i] = i;
}
```

## Vitis message it predicts
One that the value is out of range.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import storage_bits
from hlspart.rules._base import Facts, Rule
from hlspart.rules._interfaces import interfaces

RULE = Rule("HLP422", "burst-width", "warning")
_BEATS, _PAGE = 256, 4096 * 8  # AXI4: beats of a burst, and the border that none crosses, in bits


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Options that AXI does not allow."""
    for d, mode in interfaces(facts):
        if mode != "m_axi":
            continue
        variables = [facts.program.variable(v) for v in d.variables]
        arrays = [(v, array) for v in variables if (array := v.as_array) is not None]
        bits = storage_bits(arrays[0][1].element) if arrays else None
        related = [(v.at, "the port") for v in variables]
        wide = d.values.get("max_widen_bitwidth")
        if wide is not None and wide != 0:
            if wide & (wide - 1) or not 8 <= wide <= 1024:
                message = f"max_widen_bitwidth={wide} is no power of two from 8 to 1024"
                yield facts.report(RULE, d.at, message, "use 512", related)
            elif bits is not None and bits & (bits - 1) and wide > bits:
                message = f"elements of {bits} bits cannot be widened to {wide}"
                yield facts.report(RULE, d.at, message, "pad the element to a power of two of bits", related)
        for name in ("max_read_burst_length", "max_write_burst_length"):
            beats = d.values.get(name, 1)
            width = max(bits or 8, 8)
            if beats > _BEATS or (beats > 1 and beats * width > _PAGE):
                most = min(_BEATS, _PAGE // width)
                message = f"{name}={beats}: a burst has at most {most} beats of {width} bits"
                yield facts.report(RULE, d.at, message, f"use {name}={most}", related)
