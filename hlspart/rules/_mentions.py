"""Variables that stand in expressions and statements, and those that statements may change."""

from __future__ import annotations

from functools import lru_cache

from hlspart.model import program as c
from hlspart.model.directives import Directive
from hlspart.rules._uses import nodes, root_of


def declared(program: c.Program, directive: Directive) -> list[c.Variable]:
    """The variables of its function, or of its file, that a directive names without reaching them."""
    names = {x.strip() for x in (directive.option("variable") or "").split(",")}
    own = [v for v in program.variables if v.name in names and v.function in (directive.function, None)]
    return sorted(own, key=lambda v: (v.function is None, v.id))


@lru_cache(maxsize=16384)
def mentioned_in(expr: c.Expr) -> frozenset[int]:
    """Variables that stand in an expression."""
    return frozenset(e.variable for e in c.walk(expr) if isinstance(e, (c.Name, c.ArrayRef)))


@lru_cache(maxsize=4096)
def mentioned(program: c.Program, stmt: c.Stmt) -> frozenset[int]:
    """Variables that stand below a statement."""
    variables: set[int] = set()
    for inner in c.walk_statements(stmt):
        tops = list(c.expressions(inner))
        if isinstance(inner, c.Declare):
            tops += [i for v in inner.variables if (i := program.variable(v).init) is not None]
        for top in tops:
            variables |= mentioned_in(top)
    return frozenset(variables)


@lru_cache(maxsize=4096)
def changed(program: c.Program, stmt: c.Stmt) -> frozenset[int]:
    """Variables that a statement may change, those it hands to calls among them."""
    variables: set[int] = set()
    for inner in c.walk_statements(stmt):
        if isinstance(inner, c.Declare):
            variables.update(inner.variables)
        for top in c.expressions(inner):
            for node in c.walk(top):
                match node:
                    case c.Assign(target=target) | c.IncDec(operand=target):
                        root = root_of(target)
                        variables |= {root[0]} if root is not None else set()
                    case c.Call():
                        variables |= handed(program, node)
                    case c.OpaqueExpr():  # a method of a class that is not read may take them as references
                        variables |= {e.variable for e in node.children if isinstance(e, (c.Name, c.ArrayRef))}
    return frozenset(variables)


def handed(program: c.Program, call: c.Call) -> frozenset[int]:
    """Variables that a call may change: not those of which it gets the value."""
    args: tuple[c.Expr, ...] = call.args
    function = program.functions.get(call.function or "")
    if call.function in ("stream.write", "stream.write_nb"):
        args = args[:1]
    elif function is not None and len(function.params) == len(args):
        formals = [program.variable(v) for v in function.params]
        args = tuple(
            a for a, v in zip(args, formals, strict=True) if v.reference or not isinstance(v.type, c.ScalarType)
        )
    return frozenset(r[0] for a in args if (r := root_of(a)) is not None)


def is_addressed(program: c.Program, name: str, ident: int) -> bool:
    """Whether a function takes the address of a variable, or binds a reference to it."""
    own = nodes(program)[name]
    taken = any(isinstance(e, c.Unary) and e.op == "&" and root_of(e.operand) == (ident, (), True) for e in own)
    inits = (v.init for v in program.variables if v.reference and v.function == name)
    return taken or any(init is not None and (root_of(init) or (-1,))[0] == ident for init in inits)


def reads(expr: c.Expr) -> bool:
    """Whether an expression takes what it gives from an array, or from a call."""
    return any(isinstance(e, (c.ArrayRef, c.Call)) for e in c.walk(expr))


def read_values(program: c.Program, loop: c.Loop) -> frozenset[int]:
    """Variables that get in the body of a loop what is read there."""
    fresh: set[int] = set()
    for stmt in c.walk_statements(loop.body):
        for ident in stmt.variables if isinstance(stmt, c.Declare) else ():
            init = program.variable(ident).init
            fresh |= {ident} if init is not None and reads(init) else set()
        for top in c.expressions(stmt):
            for node in c.walk(top):
                if isinstance(node, c.Assign) and isinstance(node.target, c.Name) and reads(node.value):
                    fresh.add(node.target.variable)
    return frozenset(fresh)
