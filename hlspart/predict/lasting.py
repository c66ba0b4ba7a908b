"""Operations of a loop whose values something may need: what nothing reads, the tool does not build."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from hlspart.lowering.graph import Edge, Graph
from hlspart.model.program import (
    Assign,
    Block,
    Call,
    Declare,
    Expr,
    ExprStmt,
    If,
    IncDec,
    Loop,
    Name,
    Program,
    ScalarType,
    Stmt,
    Switch,
    Variable,
    walk,
    walk_statements,
)
from hlspart.predict.behind import is_named, statements_behind
from hlspart.predict.loops import Prediction
from hlspart.semantics.effects import statement_expressions, statement_values
from hlspart.semantics.unread import unread


def lasting(p: Prediction) -> frozenset[int]:
    """Operations that a store, channel, call, or test of the end takes in, or what is read behind the loop."""
    graph = p.problem.graph
    idle = unread(p.elaborated.storage.program)
    waiting = [op.id for op in graph.ops.values() if op.kind == "call" or _is_of_stream(graph, op.id)]
    waiting += [op.id for op in graph.memory if op.kind == "store" and (op.ref is None or op.ref.variable not in idle)]
    waiting += [e.source for e in graph.edges if e.kind == "control"]
    waiting += [e.source for e in graph.edges if e.distance and e.kind == "data" and _may_be_read(p, e)]
    sources: dict[int, list[int]] = {}
    for edge in graph.edges:
        sources.setdefault(edge.sink, []).append(edge.source)
    seen = set[int]()
    while waiting:
        ident = waiting.pop()
        if ident in graph.ops and ident not in seen:
            seen.add(ident)
            waiting += [*graph.ops[ident].args, *sources.get(ident, ())]
    return frozenset(seen)


def _is_of_stream(graph: Graph, ident: int) -> bool:
    ref = graph.ops[ident].ref
    return ref is not None and ref.key[0] == "stream"


def _may_be_read(p: Prediction, edge: Edge) -> bool:
    """Whether the variable of a value that iterations hand on may be read behind the loop."""
    nest, program = p.elaborated.nest, p.elaborated.storage.program
    loop, function = (nest.chain[0] if nest.chain else None), program.functions.get(nest.function)
    if loop is None or function is None:
        return True
    named = {
        e.variable
        for root in statement_expressions(program, loop)
        for e in walk(root)
        if isinstance(e, Name) and program.variable(e.variable).name == edge.name
    }
    if named and named <= unread(program):
        return False
    if not edge.scalar or len(named) != 1 or not all(_dies(program.variable(v)) for v in named):
        return True
    behind = statements_behind(function.body, loop)
    return behind is None or _lasts(program, tuple(behind), *named)


def _lasts(program: Program, behind: Sequence[Stmt], variable: int) -> bool:
    """Whether a value is read for more than for scalars that nothing reads in turn."""
    for number, stmt in enumerate(behind):
        copy = _only_set(program, stmt)
        if copy is not None and is_named(copy[1], variable):
            if _lasts(program, behind[number + 1 :], copy[0]):
                return True
            if copy[0] == variable:
                return False
        elif (answer := _is_read(program, (stmt,), variable)) is not None:
            return answer
    return False


def _only_set(program: Program, stmt: Stmt) -> tuple[int, Expr] | None:
    """The scalar of its function that a statement gives a value, and that value, if it does no more."""
    roots = list(statement_values(program, stmt))
    if len(roots) != 1:
        return None
    (root,) = roots
    if isinstance(stmt, Declare) and len(stmt.variables) == 1:
        made, value = stmt.variables[0], root
    elif isinstance(stmt, ExprStmt) and isinstance(root, Assign) and isinstance(root.target, Name):
        made, value = root.target.variable, root.value if root.op == "=" else root
    else:
        return None
    inside = [e for e in walk(value) if isinstance(e, Assign | IncDec | Call) and e is not root]
    return (made, value) if not inside and _dies(program.variable(made)) else None


def _dies(variable: Variable) -> bool:
    """Whether nothing has a scalar when its function has ended."""
    own = variable.storage == "local" or (variable.storage == "parameter" and not variable.reference)
    return own and not variable.volatile and isinstance(variable.type, ScalarType)


def _is_read(program: Program, stmts: Collection[Stmt], variable: int) -> bool | None:
    """Whether a variable may be read before it surely gets another value; None where it is not named.

    A statement that may end before its last part is taken to run whole: a read anywhere in it counts.
    """
    for stmt in stmts:
        if isinstance(stmt, Block):
            answer = _is_read(program, stmt.body, variable)
        elif isinstance(stmt, If | Loop):
            answer = _is_read_below(program, stmt, variable)
        elif isinstance(stmt, Switch):
            roots = statement_expressions(program, stmt)
            answer = True if any(is_named(root, variable) for root in roots) else None
        elif isinstance(stmt, Declare) and variable in stmt.variables:
            answer = False
        else:
            answer = _read_in(program, stmt, variable)
        if answer is not None:
            return answer
    return None


def _is_read_below(program: Program, stmt: If | Loop, variable: int) -> bool | None:
    """The same of a statement that runs one of two parts, or a body that may run no time."""
    if isinstance(stmt, Loop) and stmt.init is not None:
        first = _is_read(program, (stmt.init,), variable)
        if first is not None:
            return first
    head = (stmt.test,) if isinstance(stmt, If) else (stmt.test, stmt.step)
    if any(e is not None and is_named(e, variable) for e in head):
        return True
    arms = (stmt.then, stmt.other) if isinstance(stmt, If) else (stmt.body, None)
    answers = [None if arm is None else _is_read(program, arm.body, variable) for arm in arms]
    return True if True in answers else False if answers == [False, False] else None


def _read_in(program: Program, stmt: Stmt, variable: int) -> bool | None:
    roots = [root for s in walk_statements(stmt) for root in statement_values(program, s)]
    if not any(is_named(root, variable) for root in roots):
        return None
    root = roots[0]
    sets = isinstance(root, Assign) and root.op == "=" and isinstance(root.target, Name)
    return not (len(roots) == 1 and sets and isinstance(root, Assign) and not is_named(root.value, variable))
