"""The C of a nest: the printer of :mod:`hlspart.transform.printer` with the array references replaced.

Everything is printed from the records with full parentheses, so that macros and precedence of the
source do not matter; types are spelled by width.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from hlspart.model.program import (
    ArrayRef,
    Assign,
    Call,
    Const,
    CType,
    Declare,
    Expr,
    ExprStmt,
    IncDec,
    InitList,
    Jump,
    Loop,
    Member,
    Name,
    PragmaMark,
    Program,
    Return,
    ScalarType,
    SizeOf,
    Stmt,
    Unary,
    Variable,
    VoidType,
    expressions,
    walk,
    walk_statements,
)
from hlspart.model.source import Origin
from hlspart.transform.printer import Printer, Unprintable
from hlspart.transform.text import Part, Printed, plain

_FUNCTIONS = (
    "abs labs fabs sqrt cbrt exp exp2 log log2 log10 pow sin cos tan asin acos atan atan2 sinh cosh tanh "
    "floor ceil round trunc fmod fmin fmax fma hypot"
)
LIBRARY = frozenset(f"{name}{suffix}" for name in re.findall(r"\w+", _FUNCTIONS) for suffix in ("", "f"))


RESERVED = re.compile(r"n?c\d+|[TUCV]\d+|full|min|max|floord|mars_.*")


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


def _is_int(kind: CType) -> bool:
    return isinstance(kind, ScalarType) and (kind.kind, kind.bits, kind.signed) == ("int", 32, True)


RefText = Callable[[ArrayRef, bool], str]
"""Text of a reference to a cell; the flag is True where it is written."""


class NestPrinter(Printer):
    """C text of nodes; ``cell`` gives the text of array references, ``names`` the variables' new names.

    ``points``: iterators that are ``int`` where the text stands, and keep their own types in expressions.
    """

    subject = "the nest uses"

    def __init__(
        self, program: Program, cell: RefText, names: Mapping[int, str], points: frozenset[int] = frozenset()
    ) -> None:
        super().__init__(program)
        self._points = frozenset(v for v in points if not _is_int(program.variable(v).type))
        self._cell = cell
        self._names = names
        self._innermost = ""

    def lines(self, body: tuple[Stmt, ...], indent: str, innermost: str = "") -> Iterator[str]:
        """Lines of ``body``; ``innermost`` is put first into each innermost loop."""
        self._innermost = innermost
        text = plain(self.statements(body, f"\n{indent}")) or ""
        yield from text.split("\n")[1:]

    def text(self, e: Expr) -> str:
        """The text of an expression."""
        return plain([self.expr(e)]) or ""

    def name(self, variable: int) -> str:
        return self._names.get(variable, self.program.variable(variable).name)

    def type(self, kind: CType, at: Origin | None) -> str:
        return c_type(kind, at)

    def reference(self, ref: ArrayRef, write: bool) -> Part:
        return self._cell(ref, write)

    def callee(self, call: Call) -> str:
        if call.function not in LIBRARY:
            raise Unprintable(f"{self.subject} a construct that generated code does not carry", call.at)
        return call.function or ""

    def value(self, e: Expr) -> Part:
        inner = Printed(*self._value(e))
        return inner if self._primary(e) else Printed("(", inner, ")")

    def expr(self, e: Expr) -> Part:
        return self.value(e)

    def alone(self, e: Expr) -> Part:
        return Printed(*self._value(e)) if isinstance(e, Assign) else self.value(e)

    def _primary(self, e: Expr) -> bool:
        if isinstance(e, Const):
            return (isinstance(e.value, int) and e.value >= 0) or "." in e.text
        return isinstance(e, Name | ArrayRef | Call | SizeOf | InitList)

    def _value(self, e: Expr) -> Iterable[Part]:
        match e:
            case Const(value=int() as value) if e.text.isidentifier():  # an enumerator, which the new file lacks
                return (str(value) if value >= 0 else f"({value})",)
            case Name() if e.variable in self._points:
                return (f"(({c_type(e.type, e.at)}){self.name(e.variable)})",)
            case Unary(op="&" | "*") | Member():
                raise Unprintable(f"{self.subject} a construct that generated code does not carry", e.at)
            case Unary():
                return (f"{e.op} ", self.expr(e.operand))
            case IncDec(operand=ArrayRef() as ref) if self._cell(ref, True) != self._cell(ref, False):
                raise Unprintable(f"{e.op} on an array element whose old and new value live apart", e.at)
        return super()._value(e)

    def _target(self, e: Expr) -> Part:
        return self.name(e.variable) if isinstance(e, Name) else super()._target(e)

    def _assignment(self, e: Assign) -> Iterable[Part]:
        """``target op value``; a compound one is taken apart where reading and writing use different cells."""
        if e.op != "=" and isinstance(e.target, ArrayRef):
            old, new = self._cell(e.target, False), self._cell(e.target, True)
            if old != new:
                kind = c_type(e.target.type, e.at)
                return (f"{new} = ({kind})({old} {e.op[:-1]} ", self.expr(e.value), ")")
        return super()._assignment(e)

    # ------------------------------------------------------------------------------- statements

    def statements(self, body: Iterable[Stmt], newline: str) -> list[Part]:
        return super().statements((s for s in body if not isinstance(s, PragmaMark)), newline)

    def _statement(self, s: Stmt, newline: str) -> Iterable[Part]:
        match s:
            case Declare():
                parts: list[Part] = []
                for v in s.variables:
                    parts += [newline] * bool(parts) + [Printed(self.declaration(v), ";")]
                return parts
            case Loop(test=None) | Jump() | Return():
                raise Unprintable(f"{self.subject} a statement that generated code does not carry", s.at)
            case Loop(step=None):
                raise Unprintable("a loop without a step", s.at)
        return super()._statement(s, newline)

    def first(self, loop: Loop) -> Part:
        init = loop.init
        if isinstance(init, Declare) and len(init.variables) == 1:
            return Printed(self.declaration(init.variables[0]), ";")
        if isinstance(init, ExprStmt) and isinstance(init.expr, Assign) and isinstance(init.expr.target, Name):
            # the counter is the loop's own here: nothing after the nest reads it
            target = init.expr.target
            kind = c_type(target.type, loop.at)
            return Printed(f"{kind} {self.name(target.variable)} = ", self.expr(init.expr.value), ";")
        raise Unprintable("a loop head that generated code does not carry", loop.at)

    def loop_body(self, loop: Loop, newline: str) -> Part:
        if not self._innermost or holds_loop(loop.body.body):
            return super().loop_body(loop, newline)
        rows = self.statements(loop.body.body, newline + "    ")
        return Printed("{", f"\n{self._innermost}", *rows, newline, "}")

    def specifiers(self, variable: Variable, kind: CType) -> str:
        if variable.storage == "static":
            raise Unprintable(f"static variable {variable.name}", variable.at)
        return c_type(kind, variable.at)


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
