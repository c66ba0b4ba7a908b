"""A program whose arrays are constants where it fills them with constants before it reads them.

``fill(table)`` and ``if (!done) { fill(table); done = true; }`` ahead of all reads make a ROM: tools run the function
when they compile (UG902 and UG1399, initialising a ROM by a function). A loop beside the reads stays one, as reports
show. For analysis alone, without a text: the statement that fills an array is left out, its values are not known.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from hlspart.model.code import of_code
from hlspart.model.program import (
    ArrayRef,
    ArrayType,
    Assign,
    Binary,
    Call,
    Cast,
    Const,
    Declare,
    Expr,
    ExprStmt,
    Function,
    If,
    IncDec,
    Loop,
    Name,
    PointerType,
    Program,
    Stmt,
    Unary,
    Variable,
    walk,
    walk_statements,
)
from hlspart.semantics.effects import Effects, effects, is_quiet, leaves_early, statement_expressions


@of_code
def with_tables(program: Program) -> Program:
    """``program`` itself where it fills no array with constants. Nodes that stay keep their ids."""
    filled = {name: _filled(program, f) for name, f in program.functions.items() if any(_local_arrays(program, name))}
    gone = {id(stmt) for pairs in filled.values() for stmt, _ in pairs}
    if not gone:
        return program
    tables = frozenset(t for pairs in filled.values() for _, arrays in pairs for t in arrays)
    functions = dict(program.functions)
    for name in (name for name, pairs in filled.items() if pairs):
        body = functions[name].body
        functions[name] = replace(
            functions[name], body=replace(body, body=tuple(s for s in body.body if id(s) not in gone))
        )
    called = {c.function for calls in effects(program).calls.values() for c in calls}
    left = replace(program, functions=functions)
    still = {c.function for calls in effects(left).calls.values() for c in calls}
    functions = {name: f for name, f in functions.items() if name in still or name not in called}
    return replace(
        program,
        functions=functions,
        loops={k: x for k, x in program.loops.items() if x.function in functions},
        variables=tuple(replace(v, const=True) if v.id in tables else v for v in program.variables),
    )


def _local_arrays(program: Program, function: str) -> Iterator[Variable]:
    return (
        v for v in program.variables
        if v.function == function and v.is_array and v.storage != "parameter" and not v.const and v.init is None
    )  # fmt: skip


def _filled(program: Program, function: Function) -> list[tuple[Stmt, frozenset[int]]]:
    """Statements of a body that fill arrays with constants, and the arrays, which nothing else writes."""
    known, own = effects(program), {v.id for v in _local_arrays(program, function.name)}
    out: list[tuple[Stmt, frozenset[int]]] = []
    body = function.body.body
    for at, stmt in enumerate(body):
        if not isinstance(stmt, ExprStmt | If):
            continue
        arrays = _fills(program, known, stmt)
        if not arrays or not arrays <= own:
            continue
        elsewhere = [e for s in (*body[:at], *body[at + 1 :]) for e in statement_expressions(program, s)]
        before = {x for s in body[:at] for e in statement_expressions(program, s) for x in _names(e)}
        if not arrays & before and not any(_may_write(e, arrays) for e in elsewhere):
            out.append((stmt, arrays))
    return out


def _fills(program: Program, known: Effects, stmt: Stmt) -> frozenset[int] | None:
    """The arrays that calls give the same values whatever the inputs are; None where a statement does anything else."""
    flag: int | None = None
    inner: tuple[Stmt, ...] = (stmt,)
    if isinstance(stmt, If):
        flag = _first_time(program, known, stmt)
        if flag is None:
            return None
        inner = tuple(s for s in stmt.then.body if not (isinstance(s, ExprStmt) and _sets(s.expr, flag)))
    calls = [s.expr for s in inner if isinstance(s, ExprStmt) and isinstance(s.expr, Call)]
    if len(calls) < len(inner) or any(c.function not in program.functions for c in calls):
        return None
    roots = [program.functions[f].body for f in known.reachable(tuple(str(c.function) for c in calls))]
    if not all(_is_by_constants(program, root) for root in roots):
        return None
    given = [a for call in calls for a in call.args]
    named = {v for a in given for v in _names(a) if not _constant(program.variable(v))}
    whole = {a.variable for a in given if isinstance(a, Name) and program.variable(a.variable).is_array}
    return frozenset(whole) if whole and named == whole else None


def _is_by_constants(program: Program, body: Stmt) -> bool:
    """Whether a function computes from its parameters and constants alone, and changes nothing else."""
    names = {v for e in statement_expressions(program, body) for v in _names(e)}
    own = {v for s in walk_statements(body) if isinstance(s, Declare) for v in s.variables}
    outside = {v for v in names - own if program.variable(v).storage != "parameter"}
    kept = {v for v in own if program.variable(v).storage == "static"}
    calls = [c for e in statement_expressions(program, body) for c in walk(e) if isinstance(c, Call)]
    quiet = all(c.function in program.functions or _computes(c.function) for c in calls)
    ends = not any(isinstance(s, Loop) and leaves_early(s) for s in walk_statements(body))
    return quiet and ends and all(_constant(program.variable(v)) for v in outside | kept)


def _computes(function: str | None) -> bool:
    name = function or ""
    return is_quiet(name) and not name.startswith("stream.") and name not in ("rand", "clock", "time")


def _constant(variable: Variable) -> bool:
    return variable.const and not variable.volatile and variable.storage != "parameter"


def _first_time(program: Program, known: Effects, stmt: If) -> int | None:
    """The flag of ``if (!flag) { ..; flag = true; }`` that is false before and nothing else changes."""
    match stmt.test:
        case Unary(op="!", operand=test):
            pass
        case Binary(op="==", left=test, right=Const(value=0)):
            pass
        case _:
            return None
    while isinstance(test, Cast):
        test = test.operand
    if not isinstance(test, Name) or stmt.other is not None:
        return None
    flag, init = program.variable(test.variable), program.variable(test.variable).init
    while isinstance(init, Cast):
        init = init.operand
    sets = [s for s in stmt.then.body if isinstance(s, ExprStmt) and _sets(s.expr, flag.id)]
    false = isinstance(init, Const) and not init.value
    alone = len(sets) == known.assignments.get(flag.id, 0) and flag.id not in known.addressed
    plain = flag.storage in ("local", "static") and not flag.volatile
    return flag.id if false and alone and plain else None


def _sets(expr: Expr, flag: int) -> bool:
    return (
        isinstance(expr, Assign) and expr.op == "=" and isinstance(expr.target, Name) and expr.target.variable == flag
    )


def _names(expr: Expr) -> Iterator[int]:
    return (e.variable for e in walk(expr) if isinstance(e, Name | ArrayRef))


def _may_write(expr: Expr, arrays: frozenset[int]) -> bool:
    """Whether an expression stores to one of the arrays, or hands it on."""
    for sub in walk(expr):
        match sub:
            case Assign(target=ArrayRef(variable=ident)) | IncDec(operand=ArrayRef(variable=ident)) if ident in arrays:
                return True
            case Name(variable=ident) | Unary(op="&", operand=ArrayRef(variable=ident)) if ident in arrays:
                return True
            case Call() if any(isinstance(a, ArrayRef) and _part(a) and a.variable in arrays for a in sub.args):
                return True
    return False


def _part(ref: ArrayRef) -> bool:
    return isinstance(ref.type, ArrayType | PointerType)
