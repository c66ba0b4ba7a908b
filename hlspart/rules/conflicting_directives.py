"""Two directives contradict each other.

## What it does
Reports different partitions of one dimension, also of arrays that calls make the same, and repeated directives with
other values; two modes, or two `m_axi` bundles, of one port, a register of a FIFO, or of the control of a function;
two registers of one address or one in the registers of the control, and two ports of one name.

## Why is this bad
The tool takes one of them, often silently.

## Example
```c
void g(int x[16]) {
#pragma HLS array_partition variable=x cyclic factor=2
  x[0] = 1;
}
void f(int A[16]) {
#pragma HLS array_partition variable=A cyclic factor=4
  g(A);
}
```

## Use instead
```c
void g(int x[16]) {
  x[0] = 1;
}
void f(int A[16]) {
#pragma HLS array_partition variable=A cyclic factor=4
  g(A);
}
```

## Vitis message it predicts
None that is known; the tool takes one of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic, Place
from hlspart.model.directives import Directive
from hlspart.model.program import StreamType
from hlspart.rules._base import Facts, Rule
from hlspart.rules._interfaces import BLOCK_MODES, PORT_MODES, interfaces
from hlspart.rules._left_out import may_be_left_out, never_called

#: Modes that exclude each other; s_axilite may stand beside one, for the address or the registers of a port.
_PROTOCOLS = frozenset(PORT_MODES) - {"s_axilite", "ap_bus"}
_CHANNELS = ("axis", "ap_fifo")  # beside which no register has a meaning
RULE = Rule("HLP407", "conflicting-directives", "error")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Findings of this rule."""
    dead, alone = never_called(facts.program), set[Place]()
    for remark in facts.remarks("conflict"):
        beside = remark.status.other
        both = {remark.directive.function, facts.program.directives[beside].function if beside is not None else None}
        one = [remark.directive] + ([facts.program.directives[beside]] if beside is not None else [])
        if both & dead or any(may_be_left_out(facts.program, d) for d in one):
            alone.add(facts.place(remark.problem.at))
    yield from (item for item in facts.plain(RULE, "conflict") if item.place not in alone)
    first: dict[int, tuple[str, Directive]] = {}
    control: dict[str | None, tuple[str, Directive]] = {}
    names: dict[tuple[str | None, str], Directive] = {}
    registers: dict[tuple[str | None, str, str], Directive] = {}
    yield from _registers_of_channels(facts)
    for d, mode in interfaces(facts):
        if mode in BLOCK_MODES:
            known, other = control.setdefault(d.function, (mode, d))
            if known != mode:
                message = f"INTERFACE: the control of {d.function}() is {known} and {mode}"
                yield facts.report(RULE, d.at, message, "keep one of them", [(other.at, "the other directive")])
        if (name := d.option("name")) and (port := (d.option("port") or "").lower()) != "return":
            other = names.setdefault((d.function, name), d)
            if (other.option("port") or "").lower() != port:
                message = f"INTERFACE: two ports have the name '{name}'"
                yield facts.report(RULE, d.at, message, "give each its own", [(other.at, "the other directive")])
        if mode == "s_axilite" and (address := d.option("offset")):
            other = registers.setdefault((d.function, d.option("bundle") or "", address.lower()), d)
            if other is not d and other.option("port") != d.option("port"):
                message = f"INTERFACE: two registers have the address {address}"
                yield facts.report(RULE, d.at, message, "give each its own", [(other.at, "the other directive")])
            elif (control_of := _control(facts, d)) is not None and _number(address) < 16:
                message = f"INTERFACE: the address {address} is one of the control, which has 0x00 to 0x0f"
                hint = "take 0x10 or above"
                yield facts.report(RULE, d.at, message, hint, [(control_of.at, "the control")])
        for ident in d.variables if mode in _PROTOCOLS else ():
            known, other = first.setdefault(ident, (mode, d))
            if known != mode:
                message = f"INTERFACE: '{facts.program.variable(ident).name}' is {known} and {mode}"
                yield facts.report(RULE, d.at, message, "keep one of them", [(other.at, "the other directive")])
            elif mode == "m_axi" and (a := other.option("bundle")) and (b := d.option("bundle")) and a != b:
                message = f"INTERFACE: '{facts.program.variable(ident).name}' is in the bundles {a} and {b}"
                yield facts.report(RULE, d.at, message, "keep one of them", [(other.at, "the other directive")])


def _registers_of_channels(facts: Facts) -> Iterator[Diagnostic]:
    """Ports that are a channel and a register: one of the two directives is lost."""
    by = {v: (d, mode) for d, mode in interfaces(facts) if mode in _CHANNELS for v in d.variables}
    for d, mode in interfaces(facts):
        for ident in d.variables if mode == "s_axilite" else ():
            if ident in by and not isinstance(facts.program.variable(ident).type, StreamType):  # another rule's
                later = max((d, by[ident][0]), key=lambda x: (x.at.span.path, x.at.span.start))
                other = d if later is not d else by[ident][0]
                message = f"INTERFACE: '{facts.program.variable(ident).name}' is s_axilite and {by[ident][1]}"
                yield facts.report(RULE, later.at, message, "keep one of them", [(other.at, "the other directive")])


def _control(facts: Facts, d: Directive) -> Directive | None:
    """The directive that puts the control of a function into the registers of a bundle."""
    for other, mode in interfaces(facts):
        own = other.function == d.function and (other.option("bundle") or "") == (d.option("bundle") or "")
        if own and mode == "s_axilite" and (other.option("port") or "").lower() == "return" and other is not d:
            return other
    return None


def _number(address: str) -> int:
    """An address as it is written; what is no number is none of the control."""
    try:
        return int(address, 0)
    except ValueError:
        return 16
