"""FUNCTION_INSTANTIATE that makes no instances.

## What it does
Reports FUNCTION_INSTANTIATE of an argument that no call gives a constant, or each call the same one, of what is no
argument, and in a function that is inlined.

## Why is this bad
The tool makes an instance for each constant that calls hand over. Without constants, or without a function, there is
nothing to make.

## Example
```c
int scale(int x, int gain) {
#pragma HLS inline off
#pragma HLS function_instantiate variable=gain
  return x * gain;
}
void f(const int a[16], int b[16], int g) {
  for (int i = 0; i < 16; i++) b[i] = scale(a[i], g);
}
```

## Use instead
```c
int scale(int x, int gain) {
#pragma HLS inline off
#pragma HLS function_instantiate variable=gain
  return x * gain;
}
void f(const int a[16], int b[16]) {
  for (int i = 0; i < 16; i++) b[i] = scale(a[i], 3) + scale(a[i], 5);
}
```

## Vitis message it predicts
None: the directive has no effect.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import entries
from hlspart.rules._mentions import mentioned_in
from hlspart.rules._nests import active
from hlspart.rules._traces import constant
from hlspart.rules._uses import calls

RULE = Rule("HLP441", "function-instantiate", "warning", hint="remove it, or call the function with constants")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """The directive against the calls of its function."""
    program = facts.program
    inlined = {d.function: d for d in active(program, "inline") if not d.has("off") and d.loop is None}
    for d in active(program, "function_instantiate"):
        function = program.functions.get(d.function or "")
        if function is None or function.open:
            continue
        other = inlined.get(function.name)
        if other is not None:
            message = f"FUNCTION_INSTANTIATE: {function.name}() is inlined, there is no function to make instances of"
            yield facts.report(RULE, d.at, message, "keep one of them", [(other.at, "inlined here")])
            continue
        for ident in d.variables:
            if ident not in function.params:
                variable = facts.program.variable(ident)
                message = f"FUNCTION_INSTANTIATE: '{variable.name}' is no argument of {function.name}()"
                yield facts.report(RULE, d.at, message, "name an argument", [(variable.at, "declared here")])
                continue
            place = function.params.index(ident)
            given = [call.args[place] for call in _calls(program, function.name) if place < len(call.args)]
            values = {constant(program, x) for x in given}
            name = program.variable(ident).name
            value = next(iter(values), None)
            if len(d.variables) == 1 and len(given) > 1 and len(values) == 1 and value is not None:
                message = f"FUNCTION_INSTANTIATE: each call of {function.name}() gives '{name}' the value {value}"
                hint = "remove it: there is one instance"
                yield facts.report(RULE, d.at, message, hint, [(x.at, "handed over here") for x in given[:3]])
            elif given and all(_is_open(facts, x) for x in given):
                message = f"FUNCTION_INSTANTIATE: no call of {function.name}() gives '{name}' a constant"
                yield facts.report(RULE, d.at, message, None, [(x.at, "handed over here") for x in given[:3]])


def _calls(program: c.Program, name: str) -> Iterator[c.Call]:
    for own in calls(program).values():
        yield from (e for e in own if e.function == name)


def _is_open(facts: Facts, value: c.Expr) -> bool:
    """Whether no instance knows a value: it comes from an argument of the top, or from an array that is written."""
    program = facts.program
    elements = (e for e in c.walk(value) if isinstance(e, c.ArrayRef))
    variables = (program.variable(e.variable) for e in elements)
    tops = entries(facts)
    filled = any(v.function in tops if v.storage == "parameter" else not v.const and v.init is None for v in variables)
    return filled or any(_varies(program, v) for v in mentioned_in(value))


def _varies(program: c.Program, ident: int, seen: frozenset[int] = frozenset()) -> bool:
    """Whether a variable comes from outside: an argument of the top, or one that a caller hands on from there."""
    variable = program.variable(ident)
    if variable.storage != "parameter" or not isinstance(variable.type, c.ScalarType) or variable.const:
        return False
    function = program.functions.get(variable.function or "")
    if function is None or ident not in function.params or ident in seen:
        return ident not in seen
    place = function.params.index(ident)
    given = [call.args[place] for call in _calls(program, function.name) if place < len(call.args)]
    return not given or any(_varies(program, v, seen | {ident}) for x in given for v in mentioned_in(x))
