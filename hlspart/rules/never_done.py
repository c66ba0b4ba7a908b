"""A function that waits for ever, or never ends.

## What it does
Reports a loop whose test is true for every value that the type of its counter has, whose counter goes away from its
bound or steps over the one value that ends it, or whose test asks for what nothing in it changes, unless something
else leaves it; and in a top function: a loop that has nothing in it and waits for an argument to change that is not
`volatile`; and, where the function has a handshake that says that it is done, a loop without an end.

## Why is this bad
An argument that is not volatile is read once. A host that waits for a kernel to be done waits for ever. A counter of
four bits never reaches 16, and one without a sign never falls below 0.

## Example
```c
void f(int *ready, int A[16]) {
#pragma HLS interface ap_none port=ready
  while (*ready == 0)
    ;
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Use instead
```c
void f(volatile int *ready, int A[16]) {
#pragma HLS interface ap_none port=ready
  while (*ready == 0)
    ;
  for (int i = 0; i < 16; i++) A[i] = i;
}
```

## Vitis message it predicts
None.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.source import Origin
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import of_benches
from hlspart.rules._interfaces import interfaces
from hlspart.rules._mentions import changed, is_addressed
from hlspart.rules._nests import exit_of, start_of
from hlspart.rules._traces import constant
from hlspart.rules._uses import root_of

_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_TESTS = frozenset((*_TURNED, "!="))
RULE = Rule("HLP436", "never-done", "warning")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Counters of all functions, then loops of top functions."""
    benches = of_benches(facts)
    for loop in facts.program.loops.values():
        reason = _wrong_way(facts, loop) or _unchanged(facts.program, loop)
        if reason is not None and loop.function not in benches:
            message, counter_at = reason
            hint = "change in the loop what its test asks for"
            yield facts.report(RULE, loop.header, f"loop {loop.name} {message}", hint, [(counter_at, "the counter")])
            continue
        counter = _too_narrow(facts.program, loop)
        if counter is not None:
            test = " ".join(facts.program.text(loop.test.at).split()) if loop.test is not None else ""
            message = f"loop {loop.name} never ends: '{test}' holds for every value of {_type_name(counter)}"
            hint = "give the counter a wider type, or one with a sign"
            yield facts.report(RULE, loop.header, message, hint, [(counter.at, "the counter")])
    ports = [(d, mode) for d, mode in interfaces(facts) if d.function in facts.analysis.tops]
    for name in dict.fromkeys(d.function or "" for d, _ in ports):
        function = facts.program.functions[name]
        control = [d for d, mode in ports if d.function == name and (d.option("port") or "").lower() == "return"]
        runs = any(d.has("ap_ctrl_none") or d.option("mode") == "ap_ctrl_none" for d in control)
        asked = next((d for d in control if d.has("s_axilite") or d.option("mode") == "s_axilite"), None)
        for loop in (s for s in c.walk_statements(function.body) if isinstance(s, c.Loop)):
            if (polled := _polled(facts.program, loop)) is not None:
                message = f"the loop waits for '{polled.name}', which is read once"
                yield facts.report(RULE, loop.header, message, "make it volatile", [(polled.at, "the port")])
            elif asked is not None and not runs and _is_endless(loop):
                message = f"loop {loop.name} has no end, but the host waits until {name}() is done"
                hint = "end it by a count or a last word, or say ap_ctrl_none"
                yield facts.report(RULE, loop.header, message, hint, [(asked.at, "its control")])


def _wrong_way(facts: Facts, loop: c.Loop) -> tuple[str, Origin] | None:
    """A counter that begins where the test holds, and goes away from its bound."""
    test = loop.test
    name = test.left if isinstance(test, c.Binary) and test.op in _TESTS else None
    name = name.operand if isinstance(name, c.Cast) else name
    if not isinstance(test, c.Binary) or not isinstance(name, c.Name) or exit_of(loop) is not None:
        return None
    kind, bound = facts.program.variable(name.variable).type, constant(facts.program, test.right)
    match loop.step:
        case c.IncDec(op=op, operand=c.Name(variable=stepped)):
            by = 1 if op == "++" else -1
        case c.Assign(op="+=" | "-=" as op, target=c.Name(variable=stepped), value=c.Const(value=int(size))):
            by = size if op == "+=" else -size
        case _:
            return None
    if by == 0 and stepped == name.variable and name.variable not in changed(facts.program, loop.body):
        return f"never ends: its step adds 0 to '{facts.program.variable(stepped).name}'", loop.header
    first = start_of(facts.program, loop)
    begin = constant(facts.program, first) if first is not None else None
    number = isinstance(kind, c.ScalarType) and kind.kind == "int" and kind.signed
    if stepped != name.variable or not number or bound is None or begin is None or by == 0:
        return None
    if any(name.variable in changed(facts.program, s) for s in loop.body.body):
        return None
    counter = facts.program.variable(name.variable)
    assert isinstance(kind, c.ScalarType)
    wraps = kind.bits < 32 or kind.library is not None  # from its greatest value to its least
    if test.op == "!=":
        missed = (bound - begin) % (gcd(by, 2**kind.bits) if wraps else by) != 0
        missed = missed or (not wraps and (bound - begin) * by < 0)
        return (f"never ends: '{counter.name}' is never {bound}", counter.at) if missed else None
    away = by < 0 if test.op[0] == "<" else by > 0
    held = {"<": begin < bound, "<=": begin <= bound, ">": begin > bound, ">=": begin >= bound}[test.op]
    if wraps or not (away and held):
        return None
    return f"never ends: '{counter.name}' goes from {begin} away from {bound}", counter.at


def _unchanged(program: c.Program, loop: c.Loop) -> tuple[str, Origin] | None:
    """Variables of a test, all of this function alone, that nothing in the loop changes."""
    if loop.test is None or isinstance(loop.test, c.Const) or exit_of(loop) is not None or not loop.body.body:
        return None
    if not all(isinstance(e, (c.Name, c.Const, c.Binary, c.Unary, c.Cast)) for e in c.walk(loop.test)):
        return None
    names = [program.variable(e.variable) for e in c.walk(loop.test) if isinstance(e, c.Name)]
    own = [v for v in names if not v.const and not v.volatile and v.storage in ("local", "parameter")]
    local = [v for v in own if isinstance(v.type, c.ScalarType) and not v.reference]
    if not local or len(local) < len([v for v in names if not v.const]) or all(v.storage == "parameter" for v in local):
        return None
    step = changed(program, c.ExprStmt(loop.step.at, loop.step)) if loop.step is not None else frozenset[int]()
    here = changed(program, loop.body) | step
    if here & {v.id for v in local} or any(is_addressed(program, loop.function, v.id) for v in local):
        return None
    if any(isinstance(e, c.Unary) and e.op == "*" for e in c.walk(loop.test)):
        return None
    text = " ".join(program.text(loop.test.at).split())
    return f"never ends once it runs: nothing in it changes '{text}'", local[0].at


def _polled(program: c.Program, loop: c.Loop) -> c.Variable | None:
    """The argument that an empty loop tests."""
    if loop.step is not None or loop.test is None or any(_acts(s) for s in c.walk_statements(loop.body)):
        return None
    roots = [root_of(e) for e in c.walk(loop.test) if isinstance(e, (c.Name, c.ArrayRef))]
    names = [program.variable(x[0]) for x in roots if x is not None]
    if any(isinstance(e, (c.Call, c.Assign, c.IncDec)) for e in c.walk(loop.test)) or not names:
        return None
    if any(v.volatile or v.storage != "parameter" for v in names):
        return None
    return names[0] if isinstance(names[0].type, c.PointerType) or names[0].reference else None


def _acts(stmt: c.Stmt) -> bool:
    return not isinstance(stmt, (c.Block, c.PragmaMark)) and not (isinstance(stmt, c.ExprStmt) and _empty(stmt.expr))


def _empty(expr: c.Expr) -> bool:
    return isinstance(expr, (c.Const, c.Name))


def _is_endless(loop: c.Loop) -> bool:
    """Whether the test is always true and nothing leaves the loop."""
    always = loop.test is None or (isinstance(loop.test, c.Const) and bool(loop.test.value))
    return always and exit_of(loop) is None


def _too_narrow(program: c.Program, loop: c.Loop) -> c.Variable | None:
    """The counter of a loop whose test is true for every value that it can have; None where something leaves it."""
    test = loop.test
    if not isinstance(test, c.Binary) or test.op not in _TURNED or exit_of(loop) is not None:
        return None
    for op, side, bound in ((test.op, test.left, test.right), (_TURNED[test.op], test.right, test.left)):
        name = side.operand if isinstance(side, c.Cast) else side
        limit = constant(program, bound)
        if not isinstance(name, c.Name) or limit is None:
            continue
        variable = program.variable(name.variable)
        kind = variable.type
        if not isinstance(kind, c.ScalarType) or kind.kind != "int" or variable.const or variable.storage != "local":
            continue
        low = -(1 << (kind.bits - 1)) if kind.signed else 0
        high = (1 << (kind.bits - (1 if kind.signed else 0))) - 1
        if limit < 0 and not kind.signed:
            continue  # converted to a large one
        if {"<": high < limit, "<=": high <= limit, ">": low > limit, ">=": low >= limit}[op]:
            return variable
    return None


def _type_name(variable: c.Variable) -> str:
    kind = variable.type
    return f"'{kind.name} {variable.name}'" if isinstance(kind, c.ScalarType) else f"'{variable.name}'"
