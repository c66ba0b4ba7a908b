"""PIPELINE needs to unroll a loop of unknown length.

## What it does
Reports a loop inside a pipelined loop whose number of iterations depends on data, on an argument, or on the
iteration of the pipelined loop.
For information where hlspart cannot count the loop, or a header was not found.

## Why is this bad
Pipelining unrolls all loops inside; one that cannot be unrolled makes the tool drop the pipelining.

## Example
```c
int f(int A[64], int n) {
  int t = 0;
  for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
    for (int j = 0; j < n; j++) t += A[j];
  }
  return t;
}
```

## Use instead
```c
int f(int A[64], int n) {
  int t = 0;
  for (int i = 0; i < 8; i++) {
    for (int j = 0; j < n; j++) {
#pragma HLS pipeline II=1
      t += A[j];
    }
  }
  return t;
}
```

## Vitis message it predicts
The log says that the loop cannot be unrolled because its bound is variable, and that the pipeline
pragma is ignored.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.causes import NOT_CONSTANT
from hlspart.model.diagnostics import Diagnostic, Severity
from hlspart.model.directives import Directive
from hlspart.model.program import (
    ArrayRef,
    Assign,
    Binary,
    Call,
    Cast,
    Expr,
    ExprStmt,
    If,
    Loop,
    Name,
    OpaqueExpr,
    Stmt,
    walk,
    walk_statements,
)
from hlspart.rules._base import Facts, Rule
from hlspart.rules._mentions import changed, mentioned_in, read_values, reads
from hlspart.rules._nests import start_of
from hlspart.rules._traces import constant
from hlspart.rules._uses import own_expressions

RULE = Rule("HLP208", "unknown-bounds-unrolled", "warning", names=True)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Loops without a known length inside of pipelined ones."""
    open_ = {x.directive for x in facts.validation.statuses if x.code == "perhaps-flattened"}
    for k, directive in enumerate(facts.program.directives):
        function = facts.program.functions.get(directive.function or "")
        if (
            directive.kind != "pipeline"
            or not directive.usable
            or directive.has("off")
            or function is None
            or k in open_
        ):
            continue
        body = function.body if directive.loop is None else facts.program.loops[directive.loop].body
        for inner in _loops_below(facts, body):
            info = facts.analysis.loops.get(inner.id)
            if info is None or info.trip_count.exact is not None or _has_constant_limits(facts, inner):
                continue
            if info.trip_count.max is None or (info.cause is None and _varies(facts, directive, inner)):
                loop = facts.program.loops[directive.loop] if directive.loop is not None else None
                around = f"the pipelined loop {loop.name}" if loop is not None else f"{function.name}(), a pipeline"
                length = "unknown" if info.trip_count.max is None else "varying"
                message = f"loop {inner.name} of {length} length stands inside {around}"
                hint = "pipeline the inner loop, or give it a constant bound with an exit condition inside"
                severity: Severity | None = None
                why = info.cause or ("a header is missing" if facts.lacks_header(inner.header.span.path) else None)
                if why is None or (not facts.lacks_header(inner.header.span.path) and _is_by_data(facts, inner)):
                    message += ": it cannot be unrolled"
                else:  # hlspart cannot count it; the tool may
                    message, severity = f"{message}: nothing is known of the pipeline ({why})", "info"
                yield facts.report(RULE, inner.header, message, hint, [(directive.at, "the PIPELINE")], None, severity)


def _has_constant_limits(facts: Facts, inner: Loop) -> bool:
    """Whether the tool knows what hlspart does not: limits that are constants, or not read, as a template's are."""
    start, test = start_of(facts.program, inner), inner.test
    fixed = start is not None and constant(facts.program, start) is not None
    if fixed and isinstance(test, Binary) and constant(facts.program, test.right) is not None:
        return True
    return _is_unread(facts, test)


def _is_unread(facts: Facts, expr: Expr | None) -> bool:
    for node in walk(expr) if expr is not None else ():
        of = facts.program.variable(node.variable) if isinstance(node, Name) else None
        if isinstance(node, OpaqueExpr) or (of is not None and of.const and _is_unread(facts, of.init)):
            return True
    return False


def _varies(facts: Facts, directive: Directive, inner: Loop) -> bool:
    """Whether the prediction stops at a loop in a pipeline, as its length differs from iteration to iteration."""
    causes = [
        cause
        for x in (facts.ii.loops if facts.ii is not None else ())
        if x.function == directive.function and (x.loop == directive.loop or directive.loop is None)
        for cause in x.causes
    ]
    if not isinstance(inner.test, Binary) or inner.test.op not in ("<", "<=", ">", ">=", "!="):
        return False  # a limit beside the one that varies may be enough
    line = facts.place(inner.header).line
    return any(c.text.startswith(f"{inner.name} ") and NOT_CONSTANT in c.text and line in c.lines for c in causes)


def _is_by_data(facts: Facts, inner: Loop) -> bool:
    """Whether values that are read decide how often a loop runs: no number of iterations is known."""
    return _asks_data(facts, inner) or _is_set_by_data(facts, inner)


def _is_set_by_data(facts: Facts, inner: Loop) -> bool:
    """Whether what an iteration reads decides what becomes of a variable that the loop's test asks for."""
    asked = mentioned_in(inner.test) if inner.test is not None else frozenset()
    fresh = read_values(facts.program, inner)
    for stmt in walk_statements(inner.body):
        if isinstance(stmt, If) and (reads(stmt.test) or mentioned_in(stmt.test) & fresh):
            arms = (stmt.then, stmt.other) if stmt.other is not None else (stmt.then,)
            if any(asked & changed(facts.program, arm) for arm in arms):
                return True
        set_ = stmt.expr if isinstance(stmt, ExprStmt) else None
        sets = isinstance(set_, Assign) and isinstance(set_.target, Name) and set_.target.variable in asked
        if isinstance(set_, Assign) and sets and (reads(set_.value) or mentioned_in(set_.value) & fresh):
            return True
    return False


def _asks_data(facts: Facts, inner: Loop) -> bool:
    """Whether a loop goes on as long as elements that an argument brings compare."""
    test = inner.test
    if not isinstance(test, Binary) or test.op not in ("<", "<=", ">", ">=", "!=", "=="):
        return False
    sides = [side.operand if isinstance(side, Cast) else side for side in (test.left, test.right)]
    arrays = [facts.program.variable(side.variable) for side in sides if isinstance(side, ArrayRef)]
    return bool(arrays) and all(v.storage == "parameter" for v in arrays)


def _loops_below(facts: Facts, body: Stmt) -> Iterator[Loop]:
    """Loops in a pipeline's body, and in the functions of the program that it calls."""
    seen, waiting = set[str](), [body]
    while waiting:
        below = waiting.pop()
        yield from (s for s in walk_statements(below) if isinstance(s, Loop))
        for expr in own_expressions(facts.program, below):
            for node in walk(expr):
                name = node.function if isinstance(node, Call) else None
                if name is not None and name in facts.program.functions and name not in seen:
                    seen.add(name)
                    waiting.append(facts.program.functions[name].body)
