"""An output that is written twice in a row.

## What it does
Reports a scalar output of the top function that gets a second value before anything reads the first, in one
sequence of statements, where it is not `volatile`.

## Why is this bad
A compiler keeps the last of several values: the port never shows the first.

## Example
```c
void f(const int A[2], int *out) {
#pragma HLS interface ap_vld port=out
  *out = A[0];
  *out = A[0] + A[1];
}
```

## Use instead
```c
void f(const int A[2], volatile int *out) {
#pragma HLS interface ap_vld port=out
  *out = A[0];
  *out = A[0] + A[1];
}
```

## Vitis message it predicts
None: UG1399, Multi-Access Pointers on the Interface.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import entries
from hlspart.rules._interfaces import interfaces
from hlspart.rules._mentions import mentioned_in
from hlspart.rules._uses import nodes, root_of, sets
from hlspart.sets.moved import is_same_each_time

RULE = Rule("HLP434", "overwritten-output", "warning", hint="make it volatile or a stream, or write it once")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Blocks of top functions."""
    yield from _rounds(facts)
    yield from _words(facts)
    program = facts.program
    about = {d.function for d in program.directives if d.dialect == "vitis" and d.usable}
    for name in sorted(entries(facts) & (about | set(facts.analysis.tops))):
        function = program.functions[name]
        outputs = {v for v in function.params if not program.variable(v).volatile and _is_scalar(program.variable(v))}
        for block in (s for s in c.walk_statements(function.body) if isinstance(s, c.Block) and outputs):
            written: dict[int, c.Stmt] = {}
            for stmt in block.body:
                target = _written(stmt)
                if any(isinstance(s, (c.Return, c.Jump, c.Label)) for s in c.walk_statements(stmt)):
                    written.clear()
                uses = [u for u in sets(program).below(stmt) if u.variable in written]
                for use in uses:
                    if use.kind == "read" or target != use.variable:
                        written.pop(use.variable, None)
                if target in written:
                    message = f"'{program.variable(target).name}' gets another value before anything reads this one"
                    yield facts.report(RULE, written[target].at, message, None, [(stmt.at, "the other value")])
                if target in outputs and not _is_constant(stmt):
                    written[target] = stmt


def _words(facts: Facts) -> Iterator[Diagnostic]:
    """A scalar port with a handshake that a sum takes again and again: it is not volatile, so one word is taken."""
    program = facts.program
    for d, mode in interfaces(facts):
        scalars = [v for v in d.variables if _is_scalar(program.variable(v)) and not program.variable(v).volatile]
        top = d.function in facts.analysis.tops and mode in ("ap_hs", "ap_vld", "ap_ack", "ap_fifo")
        for ident in scalars if top else ():
            body = program.functions[d.function or ""].body
            uses = [u for u in sets(program).below(body) if u.variable == ident]
            if any(u.kind != "read" or not u.exact for u in uses) or len({u.at.span for u in uses}) < 2:
                continue
            sums = [
                s for s in body.body if isinstance(s, c.ExprStmt) and isinstance(s.expr, c.Assign) and s.expr.op == "+="
            ]
            reads = [s for s in sums if any(u.variable == ident for u in sets(program).below(s))]
            texts = {" ".join(program.text(s.at).split()) for s in reads}
            if len(reads) < 2 or len(texts) > 1:
                continue  # the value may be meant to be one
            again = next(u.at for u in sets(program).below(reads[1]) if u.variable == ident)
            message = f"'{program.variable(ident).name}' is read again, but one word is taken: it is not volatile"
            hint = "make it volatile or a stream, or read it once into a variable"
            yield facts.report(RULE, again, message, hint, [(d.at, "its handshake")])


def _rounds(facts: Facts) -> Iterator[Diagnostic]:
    """Arrays that each iteration of an outer loop writes anew, with values that depend on it, unread."""
    program, analysis = facts.program, facts.analysis
    for name in sorted(entries(facts)):
        for ident in program.functions[name].params:
            variable = program.variable(ident)
            own = analysis.of_array(ident)
            plain = variable.as_array is not None and isinstance(variable.as_array.element, c.ScalarType)
            if not plain or variable.volatile or len(own) != 1 or own[0].kind != "write":
                continue
            write = own[0]
            several = write.function == name and len(write.loops) > 1 and write.exact and not write.branch
            used = sets(program).below(program.functions[name].body) if several else ()
            if not several or write.index is None or any(u.variable == ident and u.kind == "read" for u in used):
                continue
            inner = {analysis.loops[x].iterator for x in write.loops[1:]}
            outer = analysis.loops[write.loops[0]].iterator
            if None in write.index:
                continue  # rows in turn
            names = {n for form in write.index if form is not None for n, _ in form.terms}
            if outer is None or not names <= inner or (facts.trips.get(write.loops[0]) or 0) < 2:
                continue
            if not is_same_each_time(write):
                continue
            value = _value_of(program, name, write.ref)
            loop = program.loops[write.loops[0]]
            steps = [e.operand for e in (loop.step,) if isinstance(e, c.IncDec)]
            counters = {e.variable for e in steps if isinstance(e, c.Name)}
            if value is not None and counters & mentioned_in(value):
                message = f"each iteration of loop {loop.name} writes the same elements of '{variable.name}' again"
                hint = "let the index depend on both loops"
                yield facts.report(RULE, write.at, message, hint, [(loop.header, "the loop")])


def _value_of(program: c.Program, name: str, ref: int) -> c.Expr | None:
    assigned = (e for e in nodes(program)[name] if isinstance(e, c.Assign) and e.op == "=")
    return next((e.value for e in assigned if isinstance(e.target, c.ArrayRef) and e.target.id == ref), None)


def _is_constant(stmt: c.Stmt) -> bool:
    """Whether a statement writes a value for all that follows to replace: a default, no first word of several."""
    expr = stmt.expr if isinstance(stmt, c.ExprStmt) else None
    return isinstance(expr, c.Assign) and isinstance(expr.value, c.Const)


def _is_scalar(variable: c.Variable) -> bool:
    """Whether a parameter is a pointer or reference to one number."""
    kind = variable.type.target if isinstance(variable.type, c.PointerType) else variable.type
    return isinstance(kind, c.ScalarType) and (variable.reference or isinstance(variable.type, c.PointerType))


def _written(stmt: c.Stmt) -> int:
    """The variable that ``*p = ..`` or ``r = ..`` sets, -1 for other statements."""
    expr = stmt.expr if isinstance(stmt, c.ExprStmt) else None
    root = root_of(expr.target) if isinstance(expr, c.Assign) and expr.op == "=" else None
    return root[0] if root is not None and root[1] in ((), (0,)) and root[2] else -1
