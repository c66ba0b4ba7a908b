"""Widths and lengths of bursts that an AXI master cannot have.

## What it does
Reports `max_widen_bitwidth` that is no power of two from 8 to 1024, or asks to widen elements whose width is none;
burst lengths above 256 beats or 4 KiB; elements that are no whole bytes, structs whose size is no power of two, and
ports of different widths in one bundle.

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

import re
from collections.abc import Iterator
from math import prod

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Directive
from hlspart.model.program import ArrayType, ScalarType, StructType, Variable, storage_bits
from hlspart.model.source import Origin
from hlspart.rules._base import Facts, Rule
from hlspart.rules._fifos import accesses
from hlspart.rules._interfaces import holds_arrays, interfaces

RULE = Rule("HLP422", "burst-width", "warning")
_ALIGNED = re.compile(r"\balignas\b|\baligned\b|\bpacked\b")
_BEATS, _PAGE = 256, 4096 * 8  # AXI4: beats of a burst, and the border that none crosses, in bits


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Options and elements that AXI does not allow."""
    yield from _bundles(facts)
    for d, mode in interfaces(facts):
        if mode != "m_axi":
            continue
        variables = [facts.program.variable(v) for v in d.variables]
        arrays = [(v, array) for v in variables if (array := v.as_array) is not None]
        bits = storage_bits(arrays[0][1].element) if arrays else None
        related = [(v.at, "the port") for v in variables]
        yield from _elements(facts, d, arrays, related)
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


def _elements(
    facts: Facts, d: Directive, arrays: list[tuple[Variable, ArrayType]], related: list[tuple[Origin, str]]
) -> Iterator[Diagnostic]:
    packed = {v for x in facts.program.directives if x.kind in ("aggregate", "data_pack") for v in x.variables}
    for variable, array in arrays:
        match array.element:
            case ScalarType(bits=bits, kind="int") if bits % 8:
                message = f"an AXI master has words of whole bytes, '{variable.name}' has elements of {bits} bits"
                yield facts.report(RULE, d.at, message, "take a type of 8, 16, 32, .. bits", related)
            case StructType() as struct if (size := _padded(struct)) is not None and size & (size - 1):
                if holds_arrays(struct) or not _is_repeated(facts, variable):
                    continue
                if variable.id in packed or any(
                    _ALIGNED.search(source.text) for source in facts.program.sources.values()
                ):
                    continue
                message = f"a struct of {size} bits makes no bursts: its size is no power of two"
                yield facts.report(RULE, d.at, message, "pad it, or align it with alignas", related)


def _is_repeated(facts: Facts, variable: Variable) -> bool:
    """Whether a port is accessed in a loop, as far as accesses are known: one element makes no burst."""
    known = [a for group in accesses(facts, variable) for a in group]
    return not known or any(a.loops for a in known)


def _padded(struct: StructType) -> int | None:
    """Bits of a struct of numbers with the padding of its members."""
    end, widest = 0, 8
    for _, kind in struct.members:
        element, count = (kind.element, kind.dims) if isinstance(kind, ArrayType) else (kind, ())
        bits = storage_bits(element) if isinstance(element, ScalarType) else None
        if bits is None or None in count or struct.union:
            return None
        unit = max(8, 1 << (bits - 1).bit_length())
        end = -(-end // unit) * unit + unit * prod(n or 0 for n in count)
        widest = max(widest, unit)
    return -(-end // widest) * widest or None


def _bundles(facts: Facts) -> Iterator[Diagnostic]:
    """Ports of one bundle with words of different widths."""
    first: dict[tuple[str | None, str], tuple[int, Directive]] = {}
    for d, mode in interfaces(facts):
        bundle = d.option("bundle")
        for ident in d.variables if mode == "m_axi" and bundle else ():
            array = facts.program.variable(ident).as_array
            bits = storage_bits(array.element) if array is not None and not holds_arrays(array.element) else None
            if bits is None:
                continue
            width, other = first.setdefault((d.function, bundle or ""), (bits, d))
            if width != bits:
                message = f"bundle {bundle} has ports of {width} and of {bits} bits: it makes no bursts by itself"
                hint = "give each width a bundle of its own"
                yield facts.report(RULE, d.at, message, hint, [(other.at, "the other port")])
