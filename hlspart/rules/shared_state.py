"""A function with a memory of its own that two channels share.

## What it does
Reports a function with a static variable that it reads and writes, when one function calls it for values of different
arrays or streams: a filter of the left channel and of the right.

## Why is this bad
There is one static variable, however many calls there are: each channel sees the values of the other.

## Example
```c
int smooth(int x) {
  static int last = 0;
  int y = (x + last) / 2;
  last = x;
  return y;
}
void f(const int l[64], const int r[64], int lo[64], int ro[64]) {
  for (int i = 0; i < 64; i++) {
    lo[i] = smooth(l[i]);
    ro[i] = smooth(r[i]);
  }
}
```

## Use instead
```c
int smooth(int x, int *last) {
  int y = (x + *last) / 2;
  *last = x;
  return y;
}
void f(const int l[64], const int r[64], int lo[64], int ro[64]) {
  static int of_l = 0, of_r = 0;
  for (int i = 0; i < 64; i++) {
    lo[i] = smooth(l[i], &of_l);
    ro[i] = smooth(r[i], &of_r);
  }
}
```

## Vitis message it predicts
None: the C text says so as well.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import of_benches
from hlspart.rules._uses import nodes, sets

HINT = "hand the state over as an argument, or make the function a template with a number for each channel"
RULE = Rule("HLP449", "shared-state", "warning", hint=HINT)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Functions with static variables, by their callers."""
    program, benches = facts.program, of_benches(facts)
    static = {v.function: v for v in program.variables if v.storage == "static" and not v.const and v.function}
    for v in static.values():
        given = [e for e in c.walk(v.init) if isinstance(e, c.Name)] if v.init is not None else []
        argument = next((x for e in given if (x := program.variable(e.variable)).storage == "parameter"), None)
        if argument is not None and v.function not in benches and not argument.reference:
            message = f"'{v.name}' is static: it gets the '{argument.name}' of the first call, and keeps it"
            hint = "drop static, or assign it in a statement"
            yield facts.report(RULE, v.at, message, hint, [(argument.at, "the argument")])
    kept = {}
    for name, variable in static.items():
        function = program.functions.get(name or "")
        plain = isinstance(variable.as_array.element if variable.as_array else variable.type, c.ScalarType)
        if function is None or not plain or isinstance(function.return_type, c.VoidType) or not function.params:
            continue
        kinds = {u.kind for u in sets(program).below(function.body) if u.variable == variable.id}
        if kinds == {"read", "write"}:
            kept[function.name] = variable
    for name, own in nodes(program).items() if kept else ():
        calls = [e for e in own if isinstance(e, c.Call) and e.function in kept] if name not in benches else []
        for called in dict.fromkeys(x.function or "" for x in calls):
            first: dict[int, c.Call] = {}
            for call in (x for x in calls if x.function == called and x.args):
                source = _source(call.args[0])
                if source is not None:
                    first.setdefault(source, call)
            if len(first) > 1:
                one, other = list(first.values())[:2]
                variable, words = kept[called], [program.variable(v).name for v in list(first)[:2]]
                message = f"{called.partition('<')[0]}() has one '{variable.name}' for '{words[0]}' and '{words[1]}'"
                yield facts.report(RULE, other.at, message, None, [(variable.at, "the state"), (one.at, "the other")])


def _source(arg: c.Expr) -> int | None:
    """The array or stream that an argument is an element or word of."""
    arg = arg.operand if isinstance(arg, c.Cast) else arg
    if isinstance(arg, c.ArrayRef):
        return arg.variable
    if isinstance(arg, c.Call) and arg.function == "stream.read" and isinstance(arg.args[0], c.Name):
        return arg.args[0].variable
    return None
