"""Whether the statements of a loop give values to what has fewer bits, so that not every other value is another one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from hlspart.model.program import (
    Assign,
    Binary,
    Call,
    Cast,
    CType,
    Declare,
    Expr,
    Program,
    Return,
    ScalarType,
    Stmt,
    Unary,
    walk,
    walk_statements,
)
from hlspart.semantics.effects import effects, statement_values

Loss = Literal["none", "multiples", "most"]
_FEW = 16  # bits above the point, in which products of a few small numbers stay what they are
_TESTS = frozenset({"<", ">", "<=", ">=", "==", "!=", "&&", "||"})


def loss(program: Program, root: Stmt) -> Loss:
    """What is lost: nothing; even multiples, such as 64 times a value in four bits; all but zero or not."""
    known = effects(program)
    called = known.reachable(tuple(c.function for c in known.calls_in(root) if c.function is not None))
    roots = [root, *(program.functions[name].body for name in called)]
    losses = {_lost(kind, value) for part in roots for kind, value in _given(program, part)}
    for f in map(program.functions.__getitem__, called):
        values = (s.value for s in walk_statements(f.body) if isinstance(s, Return) and s.value is not None)
        losses |= {_lost(f.return_type, value) for value in values}
    return "most" if "most" in losses else "multiples" if "multiples" in losses else "none"


def _given(program: Program, root: Stmt) -> Iterator[tuple[CType, Expr]]:
    """Types, and what is converted to them."""
    for stmt in walk_statements(root):
        if isinstance(stmt, Declare):
            for variable in map(program.variable, stmt.variables):
                if variable.init is not None:
                    yield variable.type, variable.init
        for e in (x for value in statement_values(program, stmt) for x in walk(value)):
            match e:
                case Assign(op="=" | "+=" | "-=" | "^=" | "|=" | "&=", target=target, value=value):
                    yield target.type, value
                case Assign(target=target):
                    yield target.type, e  # what is multiplied has its own bits
                case Cast(operand=operand):
                    yield e.type, operand
                case Call(function=str(name), args=args) if name in program.functions:
                    params = program.functions[name].params
                    yield from zip((program.variable(v).type for v in params), args, strict=False)


def _lost(kind: CType, value: Expr) -> Loss:
    if not isinstance(kind, ScalarType) or not isinstance(value.type, ScalarType):
        return "none"
    if kind.kind == "bool":
        test = value.op in (*_TESTS, "!") if isinstance(value, Binary | Unary) else False
        return "none" if test or value.type.kind == "bool" else "most"
    if isinstance(value, Assign):
        return "multiples" if kind.kind == "int" and kind.bits < 32 else "none"
    if kind.kind == "float" or (kind.kind == "fixed" and kind.bits - kind.fraction_bits >= _FEW):
        return "none"
    return "multiples" if kind.bits < value.type.bits or kind.kind != value.type.kind else "none"
