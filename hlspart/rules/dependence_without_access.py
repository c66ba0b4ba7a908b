"""DEPENDENCE is about a variable that has no dependence there.

## What it does
Reports DEPENDENCE on an array that its loop (or function) does not access, never writes, or, a local one,
only writes in one place, on a local number, and on a stream.

## Why is this bad
The directive does nothing: it names the wrong variable, or stands in the wrong loop. The dependence that was meant
is still assumed.

## Example
```c
void f(const int A[64], int B[128]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline II=1
#pragma HLS dependence variable=A inter false
    B[i + 64] = A[i] + B[i];
  }
}
```

## Use instead
```c
void f(const int A[64], int B[128]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline II=1
#pragma HLS dependence variable=B inter false
    B[i + 64] = A[i] + B[i];
  }
}
```

## Vitis message it predicts
None.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Directive
from hlspart.model.program import Call, Name, ScalarType, StreamType, Variable, walk
from hlspart.rules._base import Facts, Rule
from hlspart.rules._nests import is_of_member
from hlspart.rules._uses import VariableUse, own_expressions, sets

RULE = Rule("HLP214", "dependence-without-access", "warning", hint="name the array that is written, or remove it")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """DEPENDENCE of arrays that are only read, or not accessed."""
    for d in facts.program.directives:
        if d.kind != "dependence" or not d.usable or len(d.variables) != 1 or d.function not in facts.program.functions:
            continue
        variable = facts.program.variable(d.variables[0])
        register = isinstance(variable.type, ScalarType) and variable.storage == "local" and not variable.reference
        if register and not is_of_member(d):
            message = f"'{variable.name}' is no array: what iterations hand on in it, DEPENDENCE does not change"
            hint = "remove it; a shorter recurrence needs another computation"
            yield facts.report(RULE, d.at, message, hint, [(variable.at, "declared here")])
            continue
        if isinstance(variable.type, StreamType) and not variable.type.burst:
            message = f"'{variable.name}' is a stream: its words stay in order, whatever DEPENDENCE says"
            yield facts.report(RULE, d.at, message, "remove it", [(variable.at, "declared here")])
            continue
        if not variable.is_array or d.option("cross_variables") is not None:
            continue
        loop = facts.program.loops[d.loop] if d.loop is not None else None
        body = loop.body if loop is not None else facts.program.functions[d.function or ""].body
        uses = [u for u in sets(facts.program).below(body) if u.variable == variable.id]
        if any(not u.exact for u in uses) or _is_pointed_to(facts, variable):
            continue
        if loop is not None and _is_one_store(facts, d, uses):
            message = f"loop {loop.name} only writes '{variable.name}', in one place: its stores stay in order"
            related = [(uses[0].at, "written here"), (loop.header, "the loop")]
            yield facts.report(RULE, d.at, message, None, related)
        if any(u.kind == "write" for u in uses):
            continue
        stores = (a for a in facts.analysis.of_array(variable.id) if a.kind == "write")  # by other names, too
        if any(loop is None or loop.id in a.loops for a in stores):
            continue
        where = f"loop {loop.name}" if loop is not None else f"{d.function}()"
        what = "only reads" if uses else "does not access"
        related = [(loop.header, "the loop")] if loop is not None else [(variable.at, "the array")]
        related += [(u.at, "read here") for u in uses[:1]]
        yield facts.report(RULE, d.at, f"{where} {what} '{variable.name}': there is no dependence", None, related)


def _is_one_store(facts: Facts, d: Directive, uses: Sequence[VariableUse]) -> bool:
    """Whether all that a loop does with a memory of its own is one store, of which nothing makes copies."""
    variable, loop = facts.program.variable(d.variables[0]), d.loop or -1
    if len(uses) != 1 or uses[0].kind != "write" or variable.storage == "parameter":
        return False
    stores = [a for a in facts.analysis.of_array(variable.id) if loop in a.loops]
    copied = loop in facts.unrolled or facts.loops_inside(loop) or d.choice("type", ("inter", "intra")) == "intra"
    return not copied and len(stores) == 1 and stores[0].kind == "write" and not is_of_member(d)


def _is_pointed_to(facts: Facts, variable: Variable) -> bool:
    """Whether a pointer gets the address of the array: accesses through it are not followed."""
    function = facts.program.functions.get(variable.function or "")
    for expr in own_expressions(facts.program, function.body) if function is not None else ():
        handed = {id(a) for node in walk(expr) if isinstance(node, Call) for a in node.args}
        if any(isinstance(n, Name) and n.variable == variable.id and id(n) not in handed for n in walk(expr)):
            return True
    return False
