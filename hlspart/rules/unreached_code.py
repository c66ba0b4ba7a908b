"""Code that never runs, or a loop that runs no more than once.

## What it does
Reports a statement behind a `return`, `break` or `continue`, a `for` whose body always leaves it at its end, a `for`
whose test does not hold at its start although its counter goes on from there, and a test in a `for` up to `n` that
its counter is `n`, as for a mark in the last word.

## Why is this bad
Nothing of it becomes hardware, without a word of it: an output keeps its old value, a stream stays empty.

## Example
```c
void f(const int a[64], int b[64]) {
  for (int i = 0; i > 64; i++) b[i] = a[i];
}
```

## Use instead
```c
void f(const int a[64], int b[64]) {
  for (int i = 0; i < 64; i++) b[i] = a[i];
}
```

## Vitis message it predicts
clang's `code will never be executed`, `loop will run at most once`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.source import Origin
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import of_benches
from hlspart.rules._mentions import changed, is_addressed, mentioned_in, reads
from hlspart.rules._nests import start_of
from hlspart.rules._traces import constant

RULE = Rule("HLP454", "unreached-code", "warning", names=True)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Statements of all functions; of a template once."""
    program, seen = facts.program, set[object]()
    benches = of_benches(facts)
    for name, function in program.functions.items():
        for stmt in c.walk_statements(function.body) if name not in benches and not function.open else ():
            own = (*_of_loop(program, stmt), *_never_there(program, stmt)) if isinstance(stmt, c.Loop) else ()
            for at, message, hint, *related in (*_behind(stmt), *own):
                if at.kind == "plain" and at.span not in seen:
                    seen.add(at.span)
                    yield facts.report(RULE, at, message, hint, related)


#: Where, what, what to do, and what it follows from.
_Unreached = tuple[Origin, str, str, tuple[Origin, str]]


def _behind(stmt: c.Stmt) -> Iterator[_Unreached]:
    for one, other in pairwise(stmt.body) if isinstance(stmt, c.Block) else ():
        if not isinstance(one, (c.Return, c.Jump)) or one.at.kind != "plain":
            continue
        # a break behind a return ends its case
        acts = isinstance(other, (c.ExprStmt, c.If, c.Loop, c.Switch)) or (isinstance(other, c.Block) and other.body)
        if acts and not any(isinstance(s, (c.Label, c.Case)) for s in c.walk_statements(other)):
            word = one.kind if isinstance(one, c.Jump) else "return"
            hint = "remove it, or correct what is before it"
            yield other.at, f"this never runs: it stands behind a {word}", hint, (one.at, f"the {word}")


def _of_loop(program: c.Program, loop: c.Loop) -> Iterator[_Unreached]:
    last = loop.body.body[-1] if loop.body.body else None
    below = [s for s in c.walk_statements(loop.body) if isinstance(s, (c.Jump, c.Label))]
    leaves = isinstance(last, c.Return) or (isinstance(last, c.Jump) and last.kind == "break")
    again = any(
        isinstance(s, c.Label) or s.kind in ("continue", "goto") for s in below if isinstance(s, (c.Jump, c.Label))
    )
    if loop.kind == "for" and loop.step is not None and loop.test is not None and leaves and not again and last:
        message, hint = "this loop runs once at most: its body ends by leaving it", "leave it under a condition"
        yield loop.header, message, hint, (last.at, "left here")
    elif loop.test is not None and (of := _never_begun(program, loop)) is not None:
        message = f"this loop never runs: '{of}' does not hold at its start"
        yield loop.header, message, "turn the comparison", (loop.test.at, "its test")


_ENDS = {"<": "is", "!=": "is", "<=": "is beyond"}
_NOT_WHILE = {"<": ("==", ">=", ">"), "!=": ("==",), "<=": (">",)}  # what never holds while a test of a loop holds


def _never_there(program: c.Program, loop: c.Loop) -> Iterator[_Unreached]:
    """Tests in a loop for what ends it: its counter is not there before the loop is over."""
    test, step = loop.test, loop.step
    if loop.kind != "for" or not isinstance(test, c.Binary) or not isinstance(test.left, c.Name) or step is None:
        return
    counter, bound = test.left.variable, test.right
    moved = step.operand if isinstance(step, c.IncDec) else step.target if isinstance(step, c.Assign) else None
    own = isinstance(moved, c.Name) and moved.variable == counter
    stays = not reads(bound) and not (mentioned_in(bound) | {counter}) & changed(program, loop.body)
    if not own or not stays or isinstance(bound, c.Const) or any(isinstance(e, c.Member) for e in c.walk(bound)):
        return
    if not all(_is_of_its_own(program, loop, v) for v in mentioned_in(bound) | {counter}):
        return
    for stmt in c.walk_statements(loop.body):
        for node in (e for top in c.expressions(stmt) for e in c.walk(top) if isinstance(e, c.Binary)):
            asks = isinstance(node.left, c.Name) and node.left.variable == counter and c.is_same(node.right, bound)
            if asks and node.op in _NOT_WHILE.get(test.op, ()):
                name, limit = program.variable(counter).name, " ".join(program.text(bound.at).split())
                message = f"this never holds: loop {loop.name} ends where {name} {_ENDS[test.op]} {limit}"
                hint = "ask for the last round, or ask behind the loop"
                yield node.at, message, hint, (loop.header, "the loop")


def _is_of_its_own(program: c.Program, loop: c.Loop, ident: int) -> bool:
    """Whether nothing but the statements that name a variable changes it."""
    variable = program.variable(ident)
    alone = variable.storage in ("local", "parameter") and not (variable.volatile or variable.reference)
    return variable.const or (alone and not is_addressed(program, loop.function, ident))


def _never_begun(program: c.Program, loop: c.Loop) -> str | None:
    """The test of a loop that is false at its start although the counter goes the way on which it stays so."""
    test, step = loop.test, loop.step
    if not isinstance(test, c.Binary) or not isinstance(test.left, c.Name) or test.at.kind != "plain":
        return None
    up: bool | None = None
    if isinstance(step, c.IncDec) and isinstance(step.operand, c.Name) and step.operand.variable == test.left.variable:
        up = step.op == "++"
    start = start_of(program, loop)
    begin = constant(program, start) if start is not None else None
    bound = constant(program, test.right)
    if up is None or begin is None or bound is None or test.right.at.kind != "plain":
        return None
    never = {">": up and begin <= bound, ">=": up and begin < bound, "<": not up and begin >= bound}
    never["<="] = not up and begin > bound
    return " ".join(program.text(test.at).split()) if never.get(test.op) else None
