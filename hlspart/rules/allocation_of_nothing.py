"""ALLOCATION limits what does not occur.

## What it does
Reports ALLOCATION of an operation that its function (with the functions that it calls) does not have, or that does
not exist, and of a function that is not called there, or inlined.

## Why is this bad
The limit has no effect: it stands in the wrong function, or names the wrong operation.

## Example
```c
void f(const int A[64], int B[64]) {
#pragma HLS allocation operation instances=mul limit=1
  for (int i = 0; i < 64; i++) B[i] = A[i] + 1;
}
```

## Use instead
```c
void f(const int A[64], int B[64]) {
#pragma HLS allocation operation instances=mul limit=1
  for (int i = 0; i < 64; i++) B[i] = A[i] * A[i];
}
```

## Vitis message it predicts
None.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import (
    ArrayRef,
    Assign,
    Binary,
    Call,
    Expr,
    IncDec,
    Name,
    OpaqueExpr,
    ScalarType,
    Unary,
    expressions,
    walk,
    walk_statements,
)
from hlspart.rules._base import Facts, Rule
from hlspart.rules._nests import active
from hlspart.rules._uses import own_expressions
from hlspart.rules.storage_type import OPERATIONS

RULE = Rule("HLP426", "allocation-of-nothing", "warning", hint="name what the function has, or remove it")
_TEMPLATE = re.compile(r"\btemplate\s*<[^;{}]*>\s*\Z")
_SIGNS = {"mul": "*", "add": "+", "sub": "-", "div": "/", "rem": "%"}


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Limits and bindings of nothing."""
    yield from _bindings(facts)
    inlined = {i.function for i in active(facts.program, "inline") if i.loop is None and not i.has("region")}
    for d in active(facts.program, "allocation"):
        name, kind = d.option("instances"), d.choice("type", ("function", "operation", "core"))
        if name is None or d.function not in facts.program.functions or d.function in inlined:
            continue  # of an inlined function: it is about what that is inlined into
        expressions = list(_expressions(facts, d.function or "", set()))
        at = facts.program.functions[d.function or ""].name_at
        if kind == "function":
            short = name.split("<")[0].split("::")[-1]
            called = {c.function or "" for c in expressions if isinstance(c, Call)}
            named = {x for x in called if x.split("(")[0].split("<")[0].split("::")[-1] == short}
            calls = [c for c in expressions if isinstance(c, Call) and c.function in named]
            most = d.values.get("limit")
            gone = next((i for i in active(facts.program, "inline") if i.function in named and i.loop is None), None)
            if not named:
                message = f"ALLOCATION: {d.function}() does not call {name}()"
                yield facts.report(RULE, d.at, message, None, [(at, "the function")])
            elif gone is not None and not gone.has("region"):
                message = f"ALLOCATION: {name}() is inlined, which leaves no instances to limit"
                yield facts.report(RULE, d.at, message, "write INLINE off there", [(gone.at, "inlined here")])
            elif (
                most is not None and most > 1 and len(calls) < most and not _has_copies(facts, d.function or "", calls)
            ):
                message = f"ALLOCATION: limit={most}, but {d.function}() calls {name}() {len(calls)} times"
                yield facts.report(
                    RULE, d.at, message, "remove it, or lower the limit", [(c.at, "called") for c in calls]
                )
            elif "<" not in name and calls and all("<" in x or _is_instance(facts, x) for x in named):
                message = f"ALLOCATION: {name}() is a template, of which only an instance is a function"
                hint = f"say which one, as instances={name}<..>"
                yield facts.report(RULE, d.at, message, hint, [(calls[0].at, "called here")])
        elif kind == "operation":
            low = name.lower()
            real, plain = low[0] in "fdh" and low[1:] in _SIGNS, low.lstrip("su")
            key = low[1:] if real else low if low in _SIGNS else plain
            sign = _SIGNS.get(key)
            if low not in OPERATIONS and sign is None and plain not in OPERATIONS:
                close = difflib.get_close_matches(low, OPERATIONS, 1, 0.5)
                hint = f"did you mean {close[0]}?" if close else "one of " + ", ".join(sorted(OPERATIONS))
                yield facts.report(RULE, d.at, f"ALLOCATION: no operation is called '{name}'", hint)
            counts = not real and any(isinstance(e, IncDec) and e.op == 2 * (sign or "") for e in expressions)
            if sign is not None and not counts and not any(_is(e, sign, real) for e in expressions):
                message = f"ALLOCATION: {d.function}() has no operation {name}"
                yield facts.report(RULE, d.at, message, None, [(at, "the function")])


def _is_instance(facts: Facts, name: str) -> bool:
    """Whether a function is written as a template, of which there is one instance."""
    span = facts.program.functions[name].at.span
    source = facts.program.sources.get(span.path)
    return source is not None and _TEMPLATE.search(source.text[: span.start]) is not None


def _has_copies(facts: Facts, name: str, calls: Sequence[Call]) -> bool:
    """Whether calls may be made several times: in a loop, which may be written out, or in what is called."""
    own = {id(e) for top in own_expressions(facts.program, facts.program.functions[name].body) for e in walk(top)}
    below = {name} | {c.function for c in _expressions(facts, name, set()) if isinstance(c, Call) and c.function}
    loops = any(loop.function in below for loop in facts.analysis.loops.values())
    return loops or any(id(call) not in own for call in calls)


def _bindings(facts: Facts) -> Iterator[Diagnostic]:
    """BIND_OP on a variable whose values are computed without the operation."""
    for d in active(facts.program, "bind_op"):
        sign = _SIGNS.get((d.option("op") or "").lower().lstrip("fdh"))
        if sign is None or d.function not in facts.program.functions:
            continue
        for ident in d.variables:
            variable, values = facts.program.variable(ident), []
            for stmt in walk_statements(facts.program.functions[d.function or ""].body):
                for top in expressions(stmt):
                    values += [e for e in walk(top) if _changes(e, ident)]
            parts = [x for e in (*values, *([variable.init] if variable.init is not None else [])) for x in walk(e)]
            hidden = any(isinstance(x, (Call, OpaqueExpr)) for x in parts)
            has = any(isinstance(x, Binary | Assign | Unary) and x.op in (sign, f"{sign}=") for x in parts)
            has = has or any(isinstance(x, IncDec) and x.op == 2 * sign for x in parts)
            if parts and not hidden and not has:
                message = f"BIND_OP: '{variable.name}' is computed without the operation {d.option('op')}"
                hint = "name the variable that holds its result"
                yield facts.report(RULE, d.at, message, hint, [(parts[0].at, "computed here")])


def _changes(expr: Expr, ident: int) -> bool:
    target = expr.target if isinstance(expr, Assign) else expr.operand if isinstance(expr, IncDec) else None
    return isinstance(target, Name | ArrayRef) and target.variable == ident


def _is(expr: Expr, sign: str, real: bool) -> bool:
    operands: tuple[Expr, ...]
    match expr:
        case Unary(op="-", operand=operand) if sign == "-":
            operands = (operand,)  # 0 - x
        case Binary(op=op, left=left, right=right) if op == sign:
            operands = (left, right)
        case Assign(op=op, target=target, value=value) if op == f"{sign}=":
            operands = (target, value)
        case _:
            return False
    kinds = {x.type.kind for x in operands if isinstance(x.type, ScalarType)}
    return ("float" in kinds) == real or not kinds or "fixed" in kinds


def _expressions(facts: Facts, name: str, seen: set[str]) -> Iterator[Expr]:
    if name in seen or name not in facts.program.functions:
        return
    seen.add(name)
    for top in own_expressions(facts.program, facts.program.functions[name].body):
        for expr in walk(top):
            yield expr
            if isinstance(expr, Call) and expr.function:
                yield from _expressions(facts, expr.function, seen)
