"""A value that is worked out, and that nothing takes.

## What it does
Reports a call of a function that does nothing but give a value, as a statement; a copy of a structure that is changed
and never read; members of a local structure that are set after its last use; two values in a row for one element
of an array; and a value of a case that falls into the next, which gives another.

## Why is this bad
The saturated sum is dropped and the plain one written. A record is sent before its last member is set.

## Example
```c
int saturate(int v) { return v > 255 ? 255 : v; }
void f(const int a[64], int b[64]) {
  for (int i = 0; i < 64; i++) {
    int v = a[i] * 3;
    saturate(v);
    b[i] = v;
  }
}
```

## Use instead
```c
int saturate(int v) { return v > 255 ? 255 : v; }
void f(const int a[64], int b[64]) {
  for (int i = 0; i < 64; i++) {
    int v = a[i] * 3;
    b[i] = saturate(v);
  }
}
```

## Vitis message it predicts
None; clang's `ignoring return value`, `value stored is never read`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hlspart.model import program as c
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.source import Origin
from hlspart.rules._base import Facts, Rule
from hlspart.rules._benches import functions_but_benches
from hlspart.rules._interfaces import interfaces
from hlspart.rules._mentions import mentioned, mentioned_in
from hlspart.rules._nests import active
from hlspart.rules._uses import nodes, root_of, sets

RULE = Rule("HLP457", "unused-result", "warning", names=True)
_ACTS = (c.Call, c.IncDec, c.OpaqueExpr)


def check(facts: Facts) -> Iterator[Diagnostic]:
    """Statements of all functions; of a template once."""
    program, seen = facts.program, set[object]()
    words = frozenset(v for d, mode in interfaces(facts) if mode in ("axis", "ap_fifo") for v in d.variables)
    words |= frozenset(v for d in active(program, "stream") for v in d.variables)
    for name, function in functions_but_benches(facts):
        for block in (s for s in c.walk_statements(function.body) if isinstance(s, c.Block)):
            for at, message, hint in (
                *_dropped(program, block),
                *_copies(program, name, block),
                *_members(program, block),
                *_again(program, block, words),
                *_replaced(program, block, words),
            ):
                if at.kind == "plain" and at.span not in seen:
                    seen.add(at.span)
                    yield facts.report(RULE, at, message, hint)


def _dropped(program: c.Program, block: c.Block) -> Iterator[tuple[Origin, str, str]]:
    for stmt in block.body:
        call = stmt.expr if isinstance(stmt, c.ExprStmt) else None
        called = program.functions.get(call.function or "") if isinstance(call, c.Call) else None
        if not isinstance(call, c.Call) or called is None or isinstance(called.return_type, c.VoidType):
            continue
        summary, own = sets(program).summaries[called.name], nodes(program)[called.name]
        writes = any(kind == "write" for uses in summary.parameters.values() for _, kind, _ in uses)
        acts = any(isinstance(e, c.Call) and e.function not in program.functions for e in own)
        acts = acts or any(isinstance(e, c.OpaqueExpr) for e in own)
        named = (program.variable(e.variable) for e in own if isinstance(e, (c.Name, c.ArrayRef)))
        acts = acts or any(v.volatile for v in named)
        if called.body.body and not writes and not summary.shared and not acts:
            message = f"{called.name.partition('<')[0]}() does nothing but give a value, which is dropped here"
            yield call.at, message, "assign the result"


def _copies(program: c.Program, name: str, block: c.Block) -> Iterator[tuple[Origin, str, str]]:
    """Structures that are made as copies of others, changed and never read."""
    for stmt in block.body:
        for v in (program.variable(i) for i in stmt.variables) if isinstance(stmt, c.Declare) else ():
            copied = isinstance(v.type, c.StructType) and isinstance(v.init, (c.Name, c.ArrayRef)) and not v.reference
            if not copied or v.storage != "local":
                continue
            changed, reads = list[c.Expr](), 0
            targets = set[int]()
            for node in nodes(program)[name]:
                target = (
                    node.target if isinstance(node, c.Assign) else node.operand if isinstance(node, c.IncDec) else None
                )
                root = root_of(target) if target is not None else None
                if target is not None and root is not None and root[0] == v.id and root[1]:
                    changed.append(node)
                    targets |= {id(e) for e in c.walk(target) if isinstance(e, c.Name) and e.variable == v.id}
            for node in nodes(program)[name]:
                reads += isinstance(node, (c.Name, c.ArrayRef)) and node.variable == v.id and id(node) not in targets
            if changed and not reads:
                message = f"'{v.name}' is a copy, which is changed here and never read"
                yield changed[0].at, message, f"write {v.name} as a reference, or copy it back"


def _members(program: c.Program, block: c.Block) -> Iterator[tuple[Origin, str, str]]:
    """Members that are set behind the last use of a structure of this block."""
    own = {i for s in block.body if isinstance(s, c.Declare) for i in s.variables}
    own = {i for i in own if _is_record(program.variable(i))} - _addressed(program, block)
    if not own or any(isinstance(s, c.Label) for s in block.body):
        return
    for k in range(len(block.body) - 1, 0, -1):
        stmt = block.body[k]
        node = stmt.expr if isinstance(stmt, c.ExprStmt) else None
        target = node.target if isinstance(node, c.Assign) and node.op == "=" else None
        if isinstance(node, c.Assign) and isinstance(target, c.Member) and isinstance(target.base, c.Name):
            earlier = any(target.base.variable in mentioned(program, s) for s in block.body[:k])
            acts = any(isinstance(e, _ACTS) for e in c.walk(node))
            if target.base.variable in own and earlier and not acts:
                name = program.variable(target.base.variable).name
                yield node.at, f"'{name}' is not used any more behind this", "set it before it is used"
        own -= mentioned(program, stmt)


def _addressed(program: c.Program, block: c.Block) -> set[int]:
    """Variables that a block uses by their addresses, or by other names."""
    addressed = set[int]()
    for stmt in c.walk_statements(block):
        inits = [program.variable(v) for v in stmt.variables] if isinstance(stmt, c.Declare) else []
        tops = [v.init for v in inits if v.init is not None]
        addressed |= {r[0] for v in inits if v.reference and v.init is not None and (r := root_of(v.init)) is not None}
        for node in (e for top in (*c.expressions(stmt), *tops) for e in c.walk(top)):
            root = root_of(node.operand) if isinstance(node, c.Unary) and node.op == "&" else None
            addressed |= {root[0]} if root is not None else set()
    return addressed


def _is_record(variable: c.Variable) -> bool:
    return isinstance(variable.type, c.StructType) and variable.storage == "local" and not variable.reference


def _again(program: c.Program, block: c.Block, words: frozenset[int]) -> Iterator[tuple[Origin, str, str]]:
    """Two statements in a row that give one element a value; of a FIFO, ``words``, each value is a word."""
    falls = False  # into the next case
    statements = list[c.Stmt]()
    for stmt in block.body:
        if isinstance(stmt, c.Case):
            falls = True
            continue
        statements, falls_here, falls = [*statements[-1:], stmt], falls, False
        pair = [s.expr for s in statements if isinstance(s, c.ExprStmt)]
        one, other = pair if len(pair) == 2 else (None, None)
        if not isinstance(one, c.Assign) or not isinstance(other, c.Assign) or one.op != "=" or other.op != "=":
            continue
        kinds = (c.ArrayRef, c.Name) if falls_here else c.ArrayRef
        if not isinstance(one.target, kinds) or not c.is_same(one.target, other.target):
            continue
        assert isinstance(one.target, (c.ArrayRef, c.Name))
        variable = program.variable(one.target.variable)
        acts = any(isinstance(e, _ACTS) for x in (one, other) for e in c.walk(x))
        taken = (*c.walk(other.value), *(e for x in c.children(other.target) for e in c.walk(x)))
        named = [program.variable(e.variable) for e in taken if isinstance(e, (c.ArrayRef, c.Name))]
        read = any(v.id == variable.id or isinstance(v.type, c.PointerType) or v.reference for v in named)
        plain = isinstance(one.target.type, c.ScalarType) and not variable.volatile and one.at.span != other.at.span
        plain = plain and variable.id not in words
        if plain and not acts and not read and not isinstance(variable.type, c.PointerType):
            text = " ".join(program.text(one.target.at).split())
            message = f"'{text}' gets another value before anything reads this one"
            hint = "end the case by a break" if falls_here else "correct one of the two"
            yield one.at, message, hint


def _replaced(program: c.Program, block: c.Block, words: frozenset[int]) -> Iterator[tuple[Origin, str, str]]:
    """Values of a case that goes on into the next, of which each gets another one there before it is read."""
    for k, stmt in enumerate(block.body):
        before = _run(block.body[k - 1 :: -1] if k else ())
        after = _run(block.body[k + 1 :]) if isinstance(stmt, c.Case) else []
        if not before or not after or len(before) < 2:
            continue  # one alone: the pair of _again
        for one in before[::-1]:
            name = one.target.variable if isinstance(one.target, c.Name) else None
            other = next((e for e in after if isinstance(e.target, c.Name) and e.target.variable == name), None)
            if name is None or other is None or name in words or program.variable(name).volatile:
                break
            between = [*before[: before.index(one)], *after[: after.index(other) + 1]]
            if any(name in mentioned_in(e.value) for e in between):
                break
        else:
            text = " ".join(program.text(before[-1].target.at).split())
            message = f"'{text}' gets another value before anything reads this one"
            yield before[-1].at, message, "end the case by a break"


def _run(statements: Sequence[c.Stmt]) -> list[c.Assign]:
    """The assignments that stand first in a row."""
    run = list[c.Assign]()
    for stmt in statements:
        expr = stmt.expr if isinstance(stmt, c.ExprStmt) else None
        if not isinstance(expr, c.Assign) or expr.op != "=" or any(isinstance(e, _ACTS) for e in c.walk(expr)):
            break
        run.append(expr)
    return run
