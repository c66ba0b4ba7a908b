"""Statements and expressions of the nest as C, with the array references replaced.

Everything is printed from the records with full parentheses, so that macros and precedence of the
source do not matter; types are spelled by width.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from hlspart.model.program import (
    ArrayRef,
    ArrayType,
    Assign,
    Binary,
    Block,
    Call,
    Cast,
    Comma,
    Conditional,
    Const,
    CType,
    Declare,
    Expr,
    ExprStmt,
    If,
    IncDec,
    InitList,
    Loop,
    Name,
    PragmaMark,
    Program,
    ScalarType,
    SizeOf,
    Stmt,
    Unary,
    VoidType,
    expressions,
    walk,
    walk_statements,
)
from hlspart.model.source import Origin

_FUNCTIONS = (
    "abs labs fabs sqrt cbrt exp exp2 log log2 log10 pow sin cos tan asin acos atan atan2 sinh cosh tanh "
    "floor ceil round trunc fmod fmin fmax fma hypot"
)
LIBRARY = frozenset(f"{name}{suffix}" for name in re.findall(r"\w+", _FUNCTIONS) for suffix in ("", "f"))


RESERVED = re.compile(r"n?c\d+|[TUCV]\d+|full|min|max|floord|mars_.*")


@dataclass(frozen=True)
class Unprintable(Exception):
    """The nest uses something that generated code cannot hold (caught inside this package)."""

    reason: str
    at: Origin | None = None


def c_type(kind: CType, at: Origin | None = None) -> str:
    """A scalar type by kind and width."""
    if isinstance(kind, VoidType):
        return "void"
    if isinstance(kind, ScalarType):
        if kind.kind == "float" and kind.bits in (32, 64):
            return "float" if kind.bits == 32 else "double"
        if kind.kind == "bool":
            return "_Bool"
        if kind.kind == "int" and kind.bits in (8, 16, 32, 64) and not kind.name.startswith("ap_"):
            return f"{'' if kind.signed else 'u'}int{kind.bits}_t"
        raise Unprintable(f"type {kind.name} has no plain C form", at)
    raise Unprintable("a type that is neither integer nor floating", at)


RefText = Callable[[ArrayRef, bool], str]
"""Text of a reference to a cell; the flag is True where it is written."""


class Printer:
    """C text of nodes; ``reference`` gives the text of array references, ``names`` the variables' new names."""

    def __init__(self, program: Program, reference: RefText, names: Mapping[int, str]) -> None:
        self._program = program
        self._reference = reference
        self._names = names

    def name(self, variable: int) -> str:
        """What a variable is called in the generated code."""
        return self._names.get(variable, self._program.variable(variable).name)

    def expr(self, e: Expr) -> str:
        """An expression, parenthesised where it is not primary."""
        match e:
            case Const():
                return e.text if (isinstance(e.value, int) and e.value >= 0) or "." in e.text else f"({e.text})"
            case Name():
                return self.name(e.variable)
            case ArrayRef():
                return self._reference(e, False)
            case Unary() if e.op not in ("&", "*"):
                return f"({e.op} {self.expr(e.operand)})"
            case Binary():
                return f"({self.expr(e.left)} {e.op} {self.expr(e.right)})"
            case Conditional():
                return f"({self.expr(e.test)} ? {self.expr(e.then)} : {self.expr(e.other)})"
            case Cast():
                return f"(({c_type(e.type, e.at)}){self.expr(e.operand)})"
            case Comma():
                return f"({', '.join(self.expr(i) for i in e.items)})"
            case Assign():
                return f"({self.assignment(e)})"
            case IncDec():
                target = self._target(e.operand)
                if isinstance(e.operand, ArrayRef) and target != self._reference(e.operand, False):
                    raise Unprintable(f"{e.op} on an array element whose old and new value live apart", e.at)
                return f"({e.op}{target})" if e.prefix else f"({target}{e.op})"
            case Call() if e.function in LIBRARY:
                return f"{e.function}({', '.join(self.expr(a) for a in e.args)})"
            case SizeOf() if e.value is not None:
                return str(e.value)
            case _:
                raise Unprintable("the nest uses a construct that generated code does not carry", e.at)

    def assignment(self, e: Assign) -> str:
        """``target op value``; a compound one is taken apart where reading and writing use different cells."""
        target = self._target(e.target)
        value = self.expr(e.value)
        if e.op != "=" and isinstance(e.target, ArrayRef):
            old = self._reference(e.target, False)
            if old != target:
                kind = c_type(e.target.type, e.at)
                return f"{target} = ({kind})({old} {e.op[:-1]} {value})"
        return f"{target} {e.op} {value}"

    def _target(self, e: Expr) -> str:
        return self._reference(e, True) if isinstance(e, ArrayRef) else self.expr(e)

    # ------------------------------------------------------------------------------- statements

    def statements(self, body: tuple[Stmt, ...], indent: str, innermost: str = "") -> Iterator[str]:
        """Lines of ``body``; ``innermost`` is put first into each innermost loop."""
        for s in body:
            yield from self._statement(s, indent, innermost)

    def _statement(self, s: Stmt, indent: str, innermost: str) -> Iterator[str]:
        match s:
            case ExprStmt():
                e = s.expr
                yield f"{indent}{self.assignment(e) if isinstance(e, Assign) else self.expr(e)};"
            case Declare():
                for v in s.variables:
                    yield f"{indent}{self.declaration(v)};"
            case Block():
                yield f"{indent}{{"
                yield from self.statements(s.body, indent + "    ", innermost)
                yield f"{indent}}}"
            case If():
                yield f"{indent}if ({self.expr(s.test)}) {{"
                yield from self.statements(s.then.body, indent + "    ", innermost)
                if s.other is not None:
                    yield f"{indent}}} else {{"
                    yield from self.statements(s.other.body, indent + "    ", innermost)
                yield f"{indent}}}"
            case Loop() if s.kind == "for" and s.test is not None:
                yield f"{indent}for ({self._first(s)}; {self.expr(s.test)}; {self._step(s)}) {{"
                if innermost and not holds_loop(s.body.body):
                    yield f"{innermost}"
                yield from self.statements(s.body.body, indent + "    ", innermost)
                yield f"{indent}}}"
            case PragmaMark():
                return
            case _:
                raise Unprintable("the nest uses a statement that generated code does not carry", s.at)

    def _first(self, s: Loop) -> str:
        if isinstance(s.init, Declare) and len(s.init.variables) == 1:
            return self.declaration(s.init.variables[0])
        if isinstance(s.init, ExprStmt) and isinstance(s.init.expr, Assign):
            target = s.init.expr.target
            if isinstance(target, Name):
                # the counter is the loop's own here: nothing after the nest reads it
                kind = c_type(target.type, s.at)
                return f"{kind} {self.name(target.variable)} = {self.expr(s.init.expr.value)}"
        raise Unprintable("a loop head that generated code does not carry", s.at)

    def _step(self, s: Loop) -> str:
        if s.step is None:
            raise Unprintable("a loop without a step", s.at)
        return self.assignment(s.step) if isinstance(s.step, Assign) else self.expr(s.step)

    def declaration(self, variable: int) -> str:
        """A local variable with its initial value."""
        v = self._program.variable(variable)
        kind, dims = v.type, ""
        if isinstance(kind, ArrayType):
            if any(d is None for d in kind.dims):
                raise Unprintable(f"the extent of {v.name} is not known", v.at)
            dims = "".join(f"[{d}]" for d in kind.dims)
            kind = kind.element
        if v.storage == "static":
            raise Unprintable(f"static variable {v.name}", v.at)
        value = ""
        if v.init is not None:
            value = f" = {self._initial(v.init)}"
        return f"{c_type(kind, v.at)} {self.name(variable)}{dims}{value}"

    def _initial(self, e: Expr) -> str:
        if isinstance(e, InitList):
            if any(designators for designators, _ in e.items):
                raise Unprintable("a designated initialiser", e.at)
            return "{" + ", ".join(self._initial(x) for _, x in e.items) + "}"
        return self.expr(e)


def holds_loop(body: tuple[Stmt, ...]) -> bool:
    """Whether a loop stands anywhere in ``body``."""
    return any(isinstance(x, Loop) for s in body for x in walk_statements(s))


def new_names(program: Program, body: Stmt, counters: Mapping[int, str], taken: Iterable[str]) -> dict[int, str]:
    """Names for the variables declared in ``body`` so that none hides another; ``counters`` keep theirs.

    Raises :class:`Unprintable` for a loop counter whose name the generated code needs itself.
    """
    used = set(taken)
    for variable, name in counters.items():
        if name in used or RESERVED.fullmatch(name):
            raise Unprintable(
                f"the generated code needs the name {name} itself: rename it", program.variable(variable).at
            )
    names = dict(counters)
    used |= set(counters.values())
    declared = {v for s in walk_statements(body) if isinstance(s, Declare) for v in s.variables}
    seen = {x.variable for s in walk_statements(body) for e in expressions(s) for x in walk(e) if isinstance(x, Name)}
    for v in sorted((declared | seen) - set(counters)):
        name = program.variable(v).name
        if v in declared and (name in used or RESERVED.fullmatch(name)):
            name = next(f"{name}_{n}" for n in range(2, 9999) if f"{name}_{n}" not in used)
        names[v] = name
        used.add(name)
    return names
