"""BIND_STORAGE or BIND_OP with an implementation that the type lacks.

## What it does
Reports `type=` that is no memory, `impl=` that this memory cannot have, and `op=`
or `impl=` of BIND_OP that do not go together.

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
from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
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
    for d in active(facts.program, "bind_op"):
        op, impl = (d.option("op") or "").lower(), (d.option("impl") or "auto").lower()
        known = OPERATORS.get(op, ("auto", "all", "fabric") if op in _FREE else ())
        if known and impl not in known:
            message = f"BIND_OP: {op} has no implementation '{impl}'"
            yield facts.report(RULE, d.at, message, "one of " + ", ".join(known))
        elif d.values.get("latency", 0) > MOST_LATENCY.get(op, d.values.get("latency", 0)):
            message = f"BIND_OP: {op} has a latency of at most {MOST_LATENCY[op]}"
            yield facts.report(RULE, d.at, message, f"say latency={MOST_LATENCY[op]} or less")
        elif op not in OPERATORS and op not in _FREE:
            close = difflib.get_close_matches(op, OPERATORS, 1, 0.6)
            hint = f"did you mean {close[0]}?" if close else "one of " + ", ".join(OPERATORS)
            yield facts.report(RULE, d.at, f"BIND_OP: '{op}' is no operation", hint)
