"""A statement that looks as if it belonged to an if or a loop, and does not.

## What it does
Reports an `if` whose body is a semicolon, a `for` or `while` of a semicolon before a block, a `for`
of one before a statement further right, and the second of two
statements in a row below an `if` or loop without braces that are indented alike; and an `else` in the column
of another `if` than its own.

## Why is this bad
`if (v < 0); v = 0;` always sets `v`. Of two statements below a `for` without braces the second runs once.

## Example
```c
void f(const int a[64], int b[64]) {
  for (int i = 0; i < 64; i++) {
    int v = a[i];
    if (v < 0);
      v = 0;
    b[i] = v;
  }
}
```

## Use instead
```c
void f(const int a[64], int b[64]) {
  for (int i = 0; i < 64; i++) {
    int v = a[i];
    if (v < 0)
      v = 0;
    b[i] = v;
  }
}
```

## Vitis message it predicts
clang's `if statement has empty body`, `misleading indentation`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.source import Origin, Span
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import of_benches

RULE = Rule("HLP453", "body-elsewhere", "warning")
_SEMICOLON = re.compile(r"\s*\)\s*;\s*")


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Statements of all functions; of a template once."""
    program, seen = facts.program, set[object]()
    benches = of_benches(facts)
    for name, function in program.functions.items():
        for stmt in c.walk_statements(function.body) if name not in benches else ():
            for at, message, hint in _of_if(program, stmt) if isinstance(stmt, c.If) else _of_block(program, stmt):
                if at.kind == "plain" and at.span not in seen:
                    seen.add(at.span)
                    yield facts.report(RULE, at, message, hint)


def _of_if(program: c.Program, stmt: c.If) -> Iterator[tuple[Origin, str, str]]:
    """An `if` without else that is a test and a semicolon; an `else` in the column of another `if` than its own."""
    inner = stmt.then.body[0] if len(stmt.then.body) == 1 and not stmt.then.braces and stmt.other is None else None
    if isinstance(inner, c.If) and inner.other is not None and inner.at.kind == stmt.at.kind == "plain":
        between = program.sources[stmt.at.span.path].text[inner.then.at.span.end : inner.other.at.span.start]
        word = re.search(r"\belse\b", between)
        start = inner.then.at.span.end + (word.start() if word is not None else 0)
        at = Origin(Span(stmt.at.span.path, start, start + len("else")))
        columns = [_place(program, x)[1] for x in (stmt.at, inner.at, at)]
        if word is not None and None not in columns[::2] and columns[0] == columns[2] != columns[1]:
            yield (
                at,
                "this else belongs to the second if, and stands below the first",
                "put braces around the second if",
            )
    if not stmt.then.body and not stmt.then.braces and stmt.other is None and stmt.test.at.kind == "plain":
        source, span = program.sources[stmt.at.span.path].text, stmt.at.span
        if _SEMICOLON.fullmatch(source, stmt.test.at.span.end, span.end):
            yield stmt.test.at, "this if has no body: a semicolon stands behind its test", "remove the semicolon"


def _of_block(program: c.Program, stmt: c.Stmt) -> Iterator[tuple[Origin, str, str]]:
    if not isinstance(stmt, c.Block):
        return
    for one, other in pairwise(x for x in stmt.body if not isinstance(x, (c.PragmaMark, c.Label))):
        if isinstance(one, c.Loop) and one.kind != "do" and not one.body.body and not one.body.braces:
            acts = (
                one.kind == "while"
                and one.test is not None
                and any(isinstance(e, (c.Call, c.Assign, c.IncDec)) for e in c.walk(one.test))
            )  # it waits for something
            braces = isinstance(other, c.Block) and program.text(other.at).startswith("{")
            if (braces or _is_below(program, one, other)) and not acts:
                yield one.header, "this loop has no body: a semicolon stands behind its head", "remove the semicolon"
            continue
        body = _unbraced(one)
        if body is None or isinstance(other, (c.Declare, c.Case)) or body.at.kind != "plain":
            continue
        if other.at.kind == "plain" and other.at.span.path == one.at.span.path == body.at.span.path:
            places = [_place(program, x.at) for x in (one, body, other)]
            (head, far), (line, near), (after, same) = places
            if None in (far, near, same) or not head < line < after:
                continue
            assert far is not None
            if near == same != far and near is not None and near.startswith(far) and _follows(program, body, other):
                message = "this statement stands below an if or a loop without braces, and does not belong to it"
                yield other.at, message, "put braces around the two statements, or move the second to the left"


def _is_below(program: c.Program, loop: c.Loop, stmt: c.Stmt) -> bool:
    """Whether a statement stands further right than the `for` before it, as if it were its body."""
    if loop.kind != "for" or isinstance(stmt, (c.Declare, c.Case)) or "plain" not in (loop.at.kind, stmt.at.kind):
        return False
    (head, far), (line, near) = _place(program, loop.at), _place(program, stmt.at)
    return line > head and far is not None and near is not None and near != far and near.startswith(far)


def _unbraced(stmt: c.Stmt) -> c.Stmt | None:
    """The one statement that a loop or an if without else has, where no braces stand around it."""
    body = stmt.body if isinstance(stmt, c.Loop) else stmt.then if isinstance(stmt, c.If) else None
    if body is None or body.braces or (isinstance(stmt, c.If) and stmt.other is not None):
        return None
    plain = [x for x in body.body if not isinstance(x, c.PragmaMark)]
    return plain[0] if len(plain) == 1 and isinstance(plain[0], (c.ExprStmt, c.Return)) else None


def _place(program: c.Program, at: Origin) -> tuple[int, str | None]:
    """The line on which something begins, and what stands before it, where that is blank."""
    source = program.sources[at.span.path]
    start = source.text.rfind("\n", 0, at.span.start) + 1
    before = source.text[start : at.span.start]
    return source.line_column(at.span.start)[0], before if not before.strip() else None


def _follows(program: c.Program, one: c.Stmt, other: c.Stmt) -> bool:
    """Whether nothing but the end of a line stands between two statements."""
    between = program.sources[one.at.span.path].text[one.at.span.end : other.at.span.start]
    return not between.strip("; \t\r\n") and between.count("\n") == 1
