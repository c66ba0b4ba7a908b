"""AGGREGATE or DISAGGREGATE of what is no struct, or both of one.

## What it does
Reports AGGREGATE, DISAGGREGATE and DATA_PACK on variables that are no structs, AGGREGATE together with
DISAGGREGATE, AGGREGATE of a struct that has a stream, and `compact=bit` of a port in memory or registers.

## Why is this bad
There are no members to join or to take apart: the directive is ignored. Both at once contradict each other.

## Example
```c
void f(int a[16]) {
#pragma HLS aggregate variable=a
  for (int i = 0; i < 16; i++) a[i] = i;
}
```

## Use instead
```c
struct pair { int x, y; };
void f(struct pair a[16]) {
#pragma HLS aggregate variable=a
  for (int i = 0; i < 16; i++) a[i].x = i;
}
```

## Vitis message it predicts
One that the variable is no struct and the directive is ignored.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Directive
from hlspart.model.program import ArrayType, CType, PointerType, ScalarType, StreamType, StructType
from hlspart.rules._base import Facts, Rule
from hlspart.rules._interfaces import interfaces
from hlspart.rules._nests import is_of_member

RULE = Rule("HLP427", "aggregate-of-no-struct", "warning", hint="remove it")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Directives on structs."""
    first: dict[tuple[int, str], Directive] = {}
    kinds = ("aggregate", "disaggregate", "data_pack")
    modes = [(d, m) for d, m in interfaces(facts) if m in ("m_axi", "s_axilite")]
    directives = [d for d in facts.program.directives if d.kind in kinds and d.usable and d.dialect == "vitis"]
    for d in directives:
        member = is_of_member(d)
        packed = d.option("compact") == "bit" or d.has("bit")
        axi = next(
            ((i, m) for i, m in modes if packed and d.kind == "aggregate" and set(i.variables) & set(d.variables)), None
        )
        if axi is not None:
            message = f"AGGREGATE: a port that is {axi[1]} cannot have compact=bit"
            yield facts.report(RULE, d.at, message, "say compact=auto", [(axi[0].at, "the port")])
        for ident in d.variables:
            variable = facts.program.variable(ident)
            name = facts.pragma_text(d)
            if not member and isinstance(_base(variable.type), ScalarType):
                message = f"{name}: '{variable.name}' is no struct"
                yield facts.report(RULE, d.at, message, None, [(variable.at, "declared here")])
            base = _base(variable.type)
            streams = [m for m, t in base.members if isinstance(t, StreamType)] if isinstance(base, StructType) else []
            if d.kind == "aggregate" and not member and streams:
                message = f"AGGREGATE: the member '{streams[0]}' of '{variable.name}' is a stream, which no word holds"
                yield facts.report(RULE, d.at, message, None, [(variable.at, "declared here")])
            key = (ident, (d.option("variable") or "").replace(" ", ""))
            other = first.setdefault(key, d)
            if other is not d and (other.kind == "disaggregate") != (d.kind == "disaggregate"):
                message = f"{name} contradicts {facts.pragma_text(other)} of '{variable.name}'"
                yield facts.report(RULE, d.at, message, "keep one of them", [(other.at, "the other directive")])


def _base(kind: CType) -> CType:
    while isinstance(kind, (ArrayType, PointerType, StreamType)):
        kind = kind.target if isinstance(kind, PointerType) else kind.element
    return kind
