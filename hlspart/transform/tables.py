"""A program whose arrays are constants where it fills them with constants before it reads them.

``if (!done) { fill(table); done = true; }`` and a loop of constants ahead of all reads make a ROM: tools run them when
they compile (UG902 and UG1399, initialising a ROM by a function). For analysis alone, without a text: the statement
that fills an array is left out, and its values are not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from hlspart.model.program import (
    ArrayRef,
    ArrayType,
    Assign,
    Binary,
    Block,
    Call,
    Cast,
    Const,
    Declare,
    Expr,
    ExprStmt,
    Function,
    If,
    IncDec,
    Jump,
    Label,
    Loop,
    Name,
    PointerType,
    Program,
    Return,
    Stmt,
    Unary,
    Variable,
    walk,
    walk_statements,
)
from hlspart.semantics.effects import QUIET, Effects, effects, leaves_early, statement_expressions


def with_tables(program: Program) -> Program:
    """``program`` itself where it fills no array with constants. Nodes that stay keep their ids."""
    found = {name: _filled(program, f) for name, f in program.functions.items() if any(_local_arrays(program, name))}
    gone = {id(stmt) for pairs in found.values() for stmt, _ in pairs}
    if not gone:
        return program
    tables = frozenset(t for pairs in found.values() for _, arrays in pairs for t in arrays)
    functions = {
        name: replace(f, body=replace(f.body, body=tuple(s for s in f.body.body if id(s) not in gone)))
        if found.get(name)
        else f
        for name, f in program.functions.items()
    }
    called = {c.function for calls in effects(program).calls.values() for c in calls}
    left = replace(program, functions=functions)
    still = {c.function for calls in effects(left).calls.values() for c in calls}
    functions = {name: f for name, f in functions.items() if name in still or name not in called}
    dropped = {
        s.id for pairs in found.values() for stmt, _ in pairs for s in walk_statements(stmt) if isinstance(s, Loop)
    }
    return replace(
        program,
        functions=functions,
        loops={k: x for k, x in program.loops.items() if k not in dropped},
        variables=tuple(replace(v, const=True) if v.id in tables else v for v in program.variables),
        directives=tuple(d for d in program.directives if d.loop not in dropped),
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
        if not isinstance(stmt, ExprStmt | Loop | If | Block):
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
    """The arrays that a statement gives constant values, whatever the inputs are; None where it does anything else."""
    flag = None
    inner: Sequence[Stmt] = (stmt,)
    if isinstance(stmt, If):
        flag = _first_time(program, known, stmt)
        if flag is None:
            return None
        inner = stmt.then.body
    if any(isinstance(s, Return | Jump | Label) for top in inner for s in walk_statements(top)):
        return None
    reach = known.reachable(tuple(c.function for s in inner for c in known.calls_in(s) if c.function is not None))
    roots: tuple[Stmt, ...] = (*inner, *(program.functions[f].body for f in reach))
    passed = {p for f in reach for p in program.functions[f].params}
    declared = {v for root in roots for s in walk_statements(root) if isinstance(s, Declare) for v in s.variables}
    stored: set[int] = set()
    for root in roots:
        if any(isinstance(s, Loop) and leaves_early(s) for s in walk_statements(root)):
            return None
        for top in statement_expressions(program, root):
            for expr in walk(top):
                match expr:
                    case Call(function=name) if name is None or (name not in program.functions and name not in QUIET):
                        return None
                    case Call(function=name) if str(name).startswith("stream.") or name in ("rand", "clock", "time"):
                        return None
                    case Assign(target=ArrayRef(variable=ident)):
                        stored.add(ident)
                    case Assign(target=Name(variable=ident)) | IncDec(operand=Name(variable=ident)):
                        if ident not in declared and ident not in passed and ident != flag:
                            return None
                    case Assign() | IncDec():
                        return None
    given = {v for s in inner for c in known.calls_in(s) for a in c.args for v in _names(a)}
    outside = {
        v for root in roots for e in statement_expressions(program, root) for v in _names(e)
        if v not in declared and v not in passed and v != flag and not _known(program.variable(v))
    }  # fmt: skip
    arrays = {v for v in outside if program.variable(v).is_array and v in stored | given}
    inside_only = stored <= arrays | passed | declared
    return frozenset(arrays) if arrays and arrays == outside and inside_only else None


def _known(variable: Variable) -> bool:
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
