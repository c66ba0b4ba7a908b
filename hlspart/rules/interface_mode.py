"""An INTERFACE mode that the type of the port does not allow.

## What it does
Reports `m_axi`, `ap_memory`, `bram` and `ap_fifo` on a scalar that is passed by value; `m_axi`, `ap_memory`, `bram`
and `s_axilite` on a stream; `ap_none`, `ap_vld` and alike on an array that is not partitioned completely; an output
mode on an input, and `ap_stable` on what is written; a port without a mode; a mode of a port on `return`; `ap_bus`;
options that the mode does not have; a stream by value; a mode without a port, and a bundle that is no name; and a
struct with a stream or a pointer as an argument of the top.

## Why is this bad
The tool stops, or gives the port another mode than the one that the system is built for.

## Example
```c
void f(int n, int a[16]) {
#pragma HLS interface mode=m_axi port=n
  for (int i = 0; i < 16; i++) a[i] = n;
}
```

## Use instead
```c
void f(int n, int a[16]) {
#pragma HLS interface mode=s_axilite port=n
  for (int i = 0; i < 16; i++) a[i] = n;
}
```

## Vitis message it predicts
One that the interface mode is not supported for an argument of this type.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Directive
from hlspart.model.program import ArrayType, PointerType, ScalarType, StreamType, StructType, Variable
from hlspart.model.source import Origin
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import entries
from hlspart.rules._interfaces import BLOCK_MODES, PORT_MODES, interfaces
from hlspart.rules._shared import registers
from hlspart.rules._uses import sets

RULE = Rule("HLP418", "interface-mode", "warning")
_ADDRESSED, _MASTER = ("m_axi", "ap_bus", "s_axilite"), ("m_axi", "ap_bus")
#: Option -> the modes that have it (UG1399, pragma HLS interface).
_OF = {
    "offset": _ADDRESSED, "num_read_outstanding": _MASTER, "num_write_outstanding": _MASTER,
    "max_read_burst_length": _MASTER, "max_write_burst_length": _MASTER, "max_widen_bitwidth": _MASTER,
    "channel": _MASTER, "storage_type": ("ap_memory", "bram"), "register_mode": ("axis",), "clock": ("s_axilite",),
    "storage_impl": ("s_axilite",), "interrupt": ("s_axilite", "ap_vld", "ap_hs"),
    "latency": ("m_axi", "ap_bus", "ap_memory", "bram"),
    "register": ("ap_none", "ap_ack", "ap_vld", "ap_ovld", "ap_hs", "ap_stable", "ap_fifo", "axis", "s_axilite"),
}  # fmt: skip
_RAMS = "ram_1p ram_1wnr ram_2p ram_s2p ram_t2p rom_1p rom_2p rom_np default"
#: (mode, option) -> the words that it may be, beside a number for the offset of a register.
_WORDS = {
    ("m_axi", "offset"): ("off", "direct", "slave"), ("bram", "storage_type"): tuple(_RAMS.split()),
    ("ap_memory", "storage_type"): tuple(_RAMS.split()), ("s_axilite", "storage_impl"): ("auto", "bram", "uram"),
}  # fmt: skip
_SCALAR = ("m_axi", "ap_memory", "bram", "ap_fifo")
_STREAM = ("m_axi", "ap_memory", "bram", "s_axilite", "ap_none", "ap_vld", "ap_ack", "ap_stable", "ap_ovld")
_ARRAY = ("ap_none", "ap_vld", "ap_ack", "ap_stable", "ap_ovld")


_STATIC = re.compile(r"^\s*(?:inline\s+)?static\b")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Modes against types."""
    for name in facts.program.functions:
        for ident in facts.program.functions[name].params:
            variable = facts.program.variable(ident)
            if isinstance(variable.type, StreamType) and not variable.reference and not variable.type.burst:
                message = f"the stream '{variable.name}' is handed on by value"
                yield facts.report(RULE, variable.at, message, f"write &{variable.name}")
    reshaped = {v for d in facts.program.directives if d.kind == "array_reshape" for v in d.variables}
    complete = registers(facts.program) | reshaped
    for d, mode in interfaces(facts):
        port = (d.option("port") or "").lower()
        forms = (("bundle", r"\w+"), ("name", r"(?!\d)\w+"))
        wrong = next((o for o, form in forms if (v := d.option(o)) and not re.fullmatch(form, v)), None)
        if wrong is not None:
            message = f"INTERFACE: '{d.option(wrong)}' is no name: it has letters, digits and _ alone, no digit first"
            yield facts.report(RULE, d.at, message, "take another name")
        if port and port != "return" and not mode and [o.name for o in d.options] == ["port"]:
            yield facts.report(RULE, d.at, "INTERFACE: it says no mode of its port", "add mode=")
        if not port and mode in PORT_MODES and d.option("ports") is None and not d.variables:
            message = f"INTERFACE: no port= says what is {mode}"
            yield facts.report(RULE, d.at, message, "add port= with the name of an argument")
        if port == "return":
            if mode in PORT_MODES and mode != "s_axilite":
                message = f"INTERFACE: '{mode}' is no mode of the control of a function"
                yield facts.report(RULE, d.at, message, "use s_axilite, ap_ctrl_hs, ap_ctrl_chain or ap_ctrl_none")
            continue
        for ident in d.variables:
            variable = facts.program.variable(ident)
            odd = next((o.name for o in d.options if mode and mode not in _OF.get(o.name, (mode,))), None)
            if mode == "ap_bus":
                words, hint = "INTERFACE: Vitis HLS has no mode ap_bus", "write mode=m_axi"
            elif odd is not None:
                words = f"INTERFACE: {odd} is an option of {_OF[odd][0]}, not of {mode}"
                hint = f"remove {odd}"
            elif (unknown := _unknown_word(d, mode)) is not None:
                option, value = unknown
                words = f"INTERFACE: '{value}' is no {option} of {mode}"
                hint = f"one of {', '.join(_WORDS[mode or '', option])}"
            elif mode in BLOCK_MODES:
                words, hint = f"INTERFACE: '{mode}' is a mode of return, not of a port", "write port=return"
            elif mode == "ap_stable" and (given := _written(facts, d, ident)) is not None:
                message = f"INTERFACE: '{variable.name}' is ap_stable, which is for inputs, and written"
                yield facts.report(RULE, d.at, message, "use ap_vld or ap_none", [(given, "written here")])
                continue
            else:
                fault = _fault(variable, mode, ident in complete)
                if fault is None or variable.storage != "parameter":
                    continue
                words, hint = f"INTERFACE: {fault[0]} '{variable.name}' cannot be {mode}", fault[1]
            yield facts.report(RULE, d.at, words, hint, [(variable.at, "the port")])
        if mode == "s_axilite":
            yield from _one_register(facts, d)
    yield from _of_tops(facts)


def _of_tops(facts: Facts) -> Iterator[Diagnostic]:
    """Structures with streams or pointers as arguments of functions that may be the top."""
    about = {d.function for d in facts.program.directives if d.dialect == "vitis" and d.usable}
    for name in (x for x in sorted(entries(facts)) if x in about and "::" not in x):  # no methods
        if _STATIC.search(facts.program.text(facts.program.functions[name].signature)) is not None:
            continue  # of one file, or of a header: no top
        for ident in facts.program.functions[name].params:
            variable = facts.program.variable(ident)
            element = variable.type.target if isinstance(variable.type, PointerType) else variable.type
            members = element.members if isinstance(element, StructType) and not element.union else ()
            if isinstance(element, StructType) and element.name == "async_mmap":
                continue  # of TAPA, whose compiler makes the ports
            if streams := [m for m, t in members if isinstance(t, StreamType)]:
                message = (
                    f"the stream '{streams[0]}' is a member of '{variable.name}': its ports are not those of the text"
                )
                yield facts.report(RULE, variable.at, message, "make the stream an argument of its own")
            elif pointers := [m for m, t in members if isinstance(t, PointerType)]:
                message = f"the pointer '{pointers[0]}' is a member of '{variable.name}', which no port can carry"
                yield facts.report(RULE, variable.at, message, "make what it points to an argument of its own")


def _written(facts: Facts, d: Directive, ident: int) -> Origin | None:
    """Where a function writes an argument; what is handed over as a value stays an input."""
    variable = facts.program.variable(ident)
    if isinstance(variable.type, ScalarType) and not variable.dims and not variable.reference:
        return None
    function = facts.program.functions[d.function or ""]
    uses = sets(facts.program).below(function.body)
    return next((u.at for u in uses if u.variable == ident and u.kind == "write" and u.exact), None)


def _unknown_word(d: Directive, mode: str | None) -> tuple[str, str] | None:
    """An option, and the word that it cannot be."""
    for option in ("offset", "storage_type", "storage_impl"):
        value, known = d.option(option), _WORDS.get((mode or "", option))
        if value is not None and known is not None and value.isidentifier() and value.lower() not in known:
            return option, value
    return None


def _one_register(facts: Facts, d: Directive) -> Iterator[Diagnostic]:
    """A pointer at s_axilite has a register for one value."""
    for ident in d.variables:
        variable = facts.program.variable(ident)
        masters = [o for o, m in interfaces(facts) if m != "s_axilite" and ident in o.variables]
        if not isinstance(variable.type, PointerType) or variable.storage != "parameter" or masters:
            continue
        for a in facts.analysis.of_array(ident):
            if a.index is None or any(f is None or f.terms or f.const for f in a.index):
                message = f"INTERFACE: s_axilite gives the pointer '{variable.name}' a register for one value"
                hint = "declare it as an array of its size, or use m_axi"
                yield facts.report(RULE, d.at, message, hint, [(a.at, "another one is accessed here")])
                break


def _fault(variable: Variable, mode: str, partitioned: bool) -> tuple[str, str] | None:
    match variable.type:
        case ScalarType() if mode in _SCALAR and not variable.reference:
            return "the scalar", "use s_axilite or ap_none"
        case ScalarType() if mode == "ap_ovld" and not variable.reference:
            return "the input", "use ap_vld or ap_none"
        case PointerType(target=ScalarType()) if mode == "ap_ovld" and variable.const:
            return "the input", "use ap_vld or ap_none"
        case ScalarType() if mode in ("ap_memory", "bram"):
            return "the scalar", "use s_axilite, ap_vld or ap_none"
        case StructType(union=False) if mode in _MASTER and not variable.reference and variable.storage == "parameter":
            return "the structure by value", "use s_axilite, or hand over its address"
        case StreamType(burst=True):
            return ("the bursts of", "use m_axi") if mode in _STREAM[1:3] + _STREAM[4:] else None
        case StreamType() if mode in _STREAM:
            return "the stream", "use axis or ap_fifo"
        case ArrayType(element=StreamType()) if mode in _STREAM:
            return "the streams", "use axis or ap_fifo"
        case ArrayType(dims=dims) if mode in _ARRAY and not partitioned and dims != (1,):
            return "the array", "use ap_memory, ap_fifo, axis, m_axi, or partition it completely"
        case PointerType(target=ScalarType()) if mode == "ap_stable":
            return None
    return None
