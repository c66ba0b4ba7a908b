"""BIND_STORAGE or BIND_OP with an implementation that the type lacks.

## What it does
Reports `type=` that is no memory, `impl=` that this memory cannot have, and `op=`
or `impl=` of BIND_OP that do not go together or not with the type or width of the variable; UltraRAM for an array with
initial values; and a type but `fifo` for a stream.

## Why is this bad
The directive is refused or ignored, and the array gets the memory that the tool chooses.

## Example
```c
void f(const int x[64], int y[64]) {
  int A[64];
#pragma HLS bind_storage variable=A type=ram_t2p impl=lutram
  for (int i = 0; i < 64; i++) A[i] = x[i];
  for (int i = 0; i < 64; i++) y[i] = A[63 - i];
}
```

## Use instead
```c
void f(const int x[64], int y[64]) {
  int A[64];
#pragma HLS bind_storage variable=A type=ram_t2p impl=bram
  for (int i = 0; i < 64; i++) A[i] = x[i];
  for (int i = 0; i < 64; i++) y[i] = A[63 - i];
}
```

## Vitis message it predicts
One that the combination of type and implementation is not supported.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Directive
from hlspart.model.program import ArrayType, Const, CType, InitList, ScalarType, StreamType, Variable
from hlspart.rules._base import Facts, Rule
from hlspart.rules._nests import active

RULE = Rule("HLP424", "storage-type", "error")

# UG1399, pragma HLS bind_storage and pragma HLS bind_op: the tables of implementations
_RAM = ("auto", "bram", "lutram", "uram")
STORAGE = {
    "fifo": ("auto", "bram", "lutram", "srl", "uram", "memory"),
    "ram_1p": _RAM,
    "ram_1wnr": _RAM,
    "ram_2p": _RAM,
    "ram_s2p": (*_RAM, "bram_ecc", "uram_ecc"),
    "ram_t2p": ("auto", "bram", "uram"),
    "rom_1p": ("auto", "bram", "lutram"),
    "rom_2p": ("auto", "bram", "lutram"),
    "rom_np": ("auto", "bram", "lutram"),
}
_VERSAL = re.compile(r"x[acq]v[cehmp]\d")  # names of its devices
_INTEGER, _FLOAT = ("auto", "all", "dsp", "fabric"), ("auto", "all", "fabric", "fulldsp", "primitivedsp")
OPERATORS = {
    **dict.fromkeys(("mul", "add", "sub"), _INTEGER),
    **dict.fromkeys(("fadd", "fsub", "dadd", "dsub", "hadd", "hsub"), (*_FLOAT, "meddsp")),
    **dict.fromkeys(("fmul", "dmul", "hmul"), (*_FLOAT, "meddsp", "maxdsp")),
    **dict.fromkeys(("fdiv", "ddiv", "hdiv", "fsqrt", "dsqrt", "hsqrt"), ("auto", "all", "fabric")),
    **dict.fromkeys(("frecip", "frsqrt", "drecip", "drsqrt"), ("auto", "all", "fabric", "fulldsp")),
    **dict.fromkeys(("fexp", "flog", "dexp", "dlog"), ("auto", "all", "fabric", "fulldsp", "meddsp")),
    **dict.fromkeys(("facc", "fmacc", "fmadd"), ("auto", "all", "fabric", "primitivedsp", "fulldsp")),
}
MOST_LATENCY = {"mul": 4, "add": 4, "sub": 4}  # of the same tables
#: Not in the table: the tool takes them, and chooses no implementation but that of LUTs.
_FREE = frozenset(("sdiv", "udiv", "srem", "urem", "shl", "lshr", "ashr", "icmp", "fcmp", "dcmp", "add_chain"))
OPERATIONS = frozenset(OPERATORS) | _FREE | {"div", "rem", "and", "or", "xor", "select", "mux"}


def _other_numbers(facts: Facts, d: Directive, op: str) -> Variable | None:
    """A variable that the operation cannot give a value: a float by `add`, an integer by `fadd`."""
    kinds = ("float", "fixed") if op not in MOST_LATENCY else ("int", "bool", "fixed")
    for variable in (facts.program.variable(v) for v in d.variables if op in OPERATORS):
        of = variable.type.element if isinstance(variable.type, ArrayType) else variable.type
        if isinstance(of, ScalarType) and of.kind not in kinds:
            return variable
        width = {"f": 32, "d": 64, "h": 16}.get(op[:1]) if op not in MOST_LATENCY else None
        if isinstance(of, ScalarType) and of.kind == "float" and width is not None and width != of.bits:
            return variable
    return None


def _named(of: CType) -> str:
    """The type of a number, for people."""
    of = of.element if isinstance(of, ArrayType) else of
    return of.name if isinstance(of, ScalarType) else "none"


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Types and implementations against the tables."""
    for d in active(facts.program, "bind_storage"):
        kind, impl = (d.option("type") or "").lower(), (d.option("impl") or "auto").lower()
        variables = [facts.program.variable(v) for v in d.variables]
        related = [(v.at, "the array") for v in variables[:1]]
        if kind not in STORAGE:
            close = difflib.get_close_matches(kind, STORAGE, 1, 0.5)
            hint = f"did you mean {close[0]}?" if close else "one of " + ", ".join(STORAGE)
            yield facts.report(RULE, d.at, f"BIND_STORAGE: '{kind}' is no type of memory", hint, related)
        elif impl not in STORAGE[kind]:
            message = f"BIND_STORAGE: {kind} has no implementation '{impl}'"
            yield facts.report(RULE, d.at, message, "one of " + ", ".join(STORAGE[kind]), related)
        elif kind != "fifo" and (channel := next((v for v in variables if isinstance(v.type, StreamType)), None)):
            message = f"BIND_STORAGE: the stream '{channel.name}' is a FIFO, and no {kind}"
            yield facts.report(RULE, d.at, message, "write type=fifo", related)
        versal = facts.fills_uram is None and facts.around is not None and any(map(_VERSAL.match, facts.around.parts))
        for v in variables if impl.startswith("uram") and not facts.fills_uram and not versal else ():
            if isinstance(v.init, InitList) and any(not isinstance(x, Const) or x.value for _, x in v.init.items):
                which = "no UltraRAM but Versal's holds"
                if facts.fills_uram is not None:
                    which = "an UltraRAM of this device cannot hold"
                message = f"BIND_STORAGE: '{v.name}' has initial values, which {which}"
                hint = "bind it as bram, or write the values when the kernel starts; for Versal name the part"
                yield facts.report(RULE, d.at, message, hint, related, severity="warning")
    for d in active(facts.program, "bind_op"):
        op, impl = (d.option("op") or "").lower(), (d.option("impl") or "auto").lower()
        known = OPERATORS.get(op, ("auto", "all", "fabric") if op in _FREE else ())
        if known and impl not in known:
            message = f"BIND_OP: {op} has no implementation '{impl}'"
            yield facts.report(RULE, d.at, message, "one of " + ", ".join(known))
        elif (wrong := _other_numbers(facts, d, op)) is not None:
            what = "floating point" if op not in MOST_LATENCY else "integers"
            message = f"BIND_OP: {op} is an operation of {what}, '{wrong.name}' is {_named(wrong.type)}"
            yield facts.report(RULE, d.at, message, None, [(wrong.at, "the variable")])
        elif d.values.get("latency", 0) > MOST_LATENCY.get(op, d.values.get("latency", 0)):
            message = f"BIND_OP: {op} has a latency of at most {MOST_LATENCY[op]}"
            yield facts.report(RULE, d.at, message, f"say latency={MOST_LATENCY[op]} or less")
        elif op not in OPERATORS and op not in _FREE:
            close = difflib.get_close_matches(op, OPERATORS, 1, 0.6)
            hint = f"did you mean {close[0]}?" if close else "one of " + ", ".join(OPERATORS)
            yield facts.report(RULE, d.at, f"BIND_OP: '{op}' is no operation", hint)
