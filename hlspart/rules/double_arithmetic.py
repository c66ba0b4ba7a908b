"""Operators of double precision between values of single precision.

## What it does
Reports the first value of type `float` in a function of the hardware that is worked out by operators of type `double`
from floats alone, because of a literal without `f`, or of a function such as `sqrt` of C.

## Why is this bad
Each number is converted, and the operators are two to four times as large and slow: a multiplier takes 11 DSP blocks
instead of 3.

## Example
```c
void f(const float a[64], float b[64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline
    b[i] = a[i] * 0.1;
  }
}
```

## Use instead
```c
void f(const float a[64], float b[64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline
    b[i] = a[i] * 0.1f;
  }
}
```

## Vitis message it predicts
None; UG1399, Floats and Doubles.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.pure_functions import COMPUTED
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import hardware, of_benches
from hlspart.rules._uses import nodes

RULE = Rule("HLP448", "double-arithmetic", "warning", names=True, hint="write literals with f, and sqrtf for sqrt")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """One finding for each function; of a template once."""
    program, seen = facts.program, set[object]()
    benches = of_benches(facts)
    for name in hardware(program):
        function = program.functions[name]
        if name in benches or function.open or function.at.span in seen:
            continue
        values = [v.init for v in program.variables if v.function == name and v.init is not None and _float(v.type, 32)]
        for node in nodes(program)[name]:
            if isinstance(node, c.Assign) and _float(node.target.type, 32):
                values.append(node.value)
            elif isinstance(node, c.Call) and node.function == "stream.write" and len(node.args) == 2:
                of = node.args[0].type
                values += [node.args[1]] if isinstance(of, c.StreamType) and _float(of.element, 32) else []
        double = sorted((v for v in values if _is_doubled(program, function, v)), key=lambda v: v.at.span.start)
        if double:
            seen.add(function.at.span)
            text = " ".join(program.text(double[0].at).split())
            more = f" (and {len(double) - 1} more in {function.name.partition('<')[0]}())" if len(double) > 1 else ""
            message = f"'{text}' is worked out in double precision for a float{more}"
            yield facts.report(RULE, double[0].at, message, None, [(v.at, "another one") for v in double[1:5]])


def _float(kind: c.CType, bits: int) -> bool:
    return isinstance(kind, c.ScalarType) and kind.kind == "float" and kind.bits == bits


def _is_doubled(program: c.Program, function: c.Function, value: c.Expr) -> bool:
    """Whether an expression is of type double though all its data are floats, or integers beside a float."""
    inner = value.operand if isinstance(value, c.Cast) else value
    if not isinstance(inner, (c.Binary, c.Call)):
        return False
    parts = list(c.walk(inner))
    data = [
        e for e in parts if isinstance(e, (c.Name, c.ArrayRef, c.Member)) or (isinstance(e, c.Call) and e is not inner)
    ]
    if any(_float(e.type, 64) for e in data if not isinstance(e, c.Call)) or any(isinstance(e, c.Cast) for e in parts):
        return False
    if not any(_float(e.type, 32) for e in data):
        return False
    binary = [e for e in parts if isinstance(e, c.Binary) and e.op in "+-*/" and _float(e.type, 64)]
    if any(not _constants(e) and not _is_by_one(e) for e in binary):
        return not any(isinstance(e, c.Call) and _float(e.type, 64) and e.function not in COMPUTED for e in parts)
    unit = next((u for u in program.units if u.path == function.unit), None)
    return (unit is not None and unit.language == "c" and isinstance(inner, c.Call) and inner.function in COMPUTED
            and all(_float(e.type, 32) for e in inner.args))  # fmt: skip


def _is_by_one(node: c.Binary) -> bool:
    """Whether an operator leaves its operand as it is: no tool builds it."""
    return node.op in "*/" and isinstance(node.right, c.Const) and node.right.value == 1


def _constants(expr: c.Expr) -> bool:
    return not any(isinstance(e, (c.Name, c.ArrayRef, c.Member, c.Call)) for e in c.walk(expr))
