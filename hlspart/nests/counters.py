"""Scalars that each iteration of a loop moves by as much, whatever they start from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from hlspart.model import program as c
from hlspart.nests.loopfacts import flat
from hlspart.semantics.effects import effects

LEAST_BITS = 32  # narrower ones come round


def steady(program: c.Program, chain: Sequence[c.Loop]) -> Mapping[int, int]:
    """Integers that the innermost of some loops adds a constant to, once in each iteration, by that constant."""
    loop = chain[-1]
    if any(isinstance(s, c.Jump) and s.kind != "break" for s in c.walk_statements(loop.body)):
        return {}
    known, moves, changes = effects(program), dict[int, int](), Counter[int]()
    for stmt in flat(loop.body.body):
        changes.update(known.modified(stmt))
        if isinstance(stmt, c.ExprStmt):
            always, times = list(c.walk(stmt.expr)), Counter[int]()
            if any(isinstance(e, c.Conditional) or (isinstance(e, c.Binary) and e.op in ("&&", "||")) for e in always):
                continue
            for part in always:
                times.update(known.assigned_in(part) if isinstance(part, c.Assign | c.IncDec) else ())
                if (move := _move(part)) is not None:
                    moves[move[0]] = move[1]
            changes.update({v: n for v, n in times.items() if n > 1})
    for around in chain:
        heads = [around.step, around.test, around.init.expr if isinstance(around.init, c.ExprStmt) else None]
        for head in heads:
            changes.update(known.assigned_in(head) if head is not None else ())
    integers = (v for v in moves if changes[v] == 1 and known.is_tracked(program.variable(v)))
    return {v: moves[v] for v in integers if _wide(program.variable(v).type)}


def _wide(of: c.CType) -> bool:
    return isinstance(of, c.ScalarType) and of.kind == "int" and of.bits >= LEAST_BITS


def _move(expr: c.Expr) -> tuple[int, int] | None:
    """The variable that an expression adds a constant to, and the constant."""
    match expr:
        case c.IncDec(op=op, operand=c.Name(variable=v)):
            return v, 1 if op == "++" else -1
        case c.Assign(op="+=" | "-=" as op, target=c.Name(variable=v), value=c.Const(value=int(by))):
            return v, by if op == "+=" else -by
        case c.Assign(op="=", target=c.Name(variable=v), value=c.Binary(op="+" | "-" as op, left=left, right=right)):
            match left, right:
                case c.Name(variable=w), c.Const(value=int(by)) if w == v:
                    return v, by if op == "+" else -by
                case c.Const(value=int(by)), c.Name(variable=w) if w == v and op == "+":
                    return v, by
    return None
