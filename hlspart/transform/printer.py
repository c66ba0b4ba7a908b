"""Records as C: the one printer of statements and expressions.

Operands are parenthesised unless they are primary, so that neither macros nor precedence of the text around
them matter. A printer for a purpose says how types, variables and references are spelled, and which nodes are
not printed but stand in the user's text.
"""

from __future__ import annotations

from collections.abc import Iterable
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
    Jump,
    Loop,
    Member,
    Name,
    PointerType,
    Program,
    Return,
    ScalarType,
    SizeOf,
    Stmt,
    StructType,
    Unary,
    Variable,
    VoidType,
)
from hlspart.model.source import Origin
from hlspart.transform.text import Part, Printed


@dataclass(eq=False)  # not frozen: whoever passes an exception on writes its traceback
class Unprintable(Exception):
    """Something that generated code cannot hold; becomes a refusal or a diagnostic."""

    reason: str
    at: Origin | None = None


def type_text(kind: CType) -> str | None:
    """C spelling of a type as its declaration has it, None when the records do not hold it."""
    match kind:
        case ScalarType():
            return kind.name
        case StructType(tag=True):
            return f"{'union' if kind.union else 'struct'} {kind.name}"
        case StructType():
            return None if kind.name.startswith("<") else kind.name
        case ArrayType() if None not in kind.dims:
            element = type_text(kind.element)
            return element and element + "".join(f"[{n}]" for n in kind.dims)
        case PointerType(target=ArrayType() as row) if None not in row.dims:
            element = type_text(row.element)
            return element and f"{element} (*)" + "".join(f"[{n}]" for n in row.dims)
        case PointerType():
            target = type_text(kind.target)
            return target and f"{target} *"
        case VoidType():
            return "void"
    return None


class Printer:
    """Prints nodes of one program; what the methods return are pieces of a text."""

    def __init__(self, program: Program) -> None:
        self.program = program

    #: Begins the reason of a refusal.
    subject = "the text has"

    # ------------------------------------------------------------- what a purpose may say otherwise

    def name(self, variable: int) -> str:
        """What a variable is called."""
        return self.program.variable(variable).name

    def type(self, kind: CType, at: Origin | None) -> str:
        """The spelling of a type."""
        text = type_text(kind)
        if text is None:
            raise Unprintable("a type without a name", at)
        return text

    def reference(self, ref: ArrayRef, write: bool) -> Part:
        """An element; ``write``: where it is stored to."""
        return Printed(self.name(ref.variable), *(Printed("[", self.value(i), "]") for i in ref.indices))

    def callee(self, call: Call) -> str:
        """The name of a called function."""
        if call.function is None or "." in call.function:
            raise Unprintable("a call that cannot be printed", call.at)
        return call.function

    def standing(self, node: Expr | Stmt) -> Part | None:
        """The user's text of a node that is not to be printed."""
        return None

    def printed(self, node: Expr | Stmt, *parts: Part) -> Part:
        """The pieces of a node that is printed."""
        return Printed(*parts)

    def header(self, loop: Loop, *parts: Part) -> Part:
        """The pieces of a loop's header."""
        return Printed(*parts)

    # ---------------------------------------------------------------------------------- expressions

    def expr(self, e: Expr) -> Part:
        """An expression as an operand: in parentheses where it is not primary."""
        return self.value(e) if self._primary(e) else Printed("(", self.value(e), ")")

    def _primary(self, e: Expr) -> bool:
        if isinstance(e, Const):
            return not e.text.startswith("-")
        return isinstance(e, Name | ArrayRef | Call | SizeOf | Member)

    def value(self, e: Expr) -> Part:
        """An expression by itself."""
        return self.standing(e) or self.printed(e, *self._value(e))

    def _value(self, e: Expr) -> Iterable[Part]:
        match e:
            case Const():
                return (e.text,)
            case Name():
                return (self.name(e.variable),)
            case ArrayRef():
                return (self.reference(e, False),)
            case Member():
                return (self.expr(e.base), "->" if e.arrow else ".", e.field)
            case Unary():
                apart = e.op in ("+", "-") and not isinstance(e.operand, Const)
                return (e.op, " " if apart else "", self.expr(e.operand))
            case Binary():
                return (self.expr(e.left), f" {e.op} ", self.expr(e.right))
            case Conditional():
                return (self.expr(e.test), " ? ", self.expr(e.then), " : ", self.expr(e.other))
            case Cast():
                return (f"({self.type(e.type, e.at)})", self.expr(e.operand))
            case Comma():
                return self._listed(e.items)
            case Assign():
                return self._assignment(e)
            case IncDec():
                target = self._target(e.operand)
                return (e.op, target) if e.prefix else (target, e.op)
            case Call():
                return (self.callee(e), "(", *self._listed(e.args), ")")
            case SizeOf() if e.value is not None:
                return (str(e.value),)
            case InitList():
                if any(designators for designators, _ in e.items):
                    raise Unprintable("a designated initialiser", e.at)
                return ("{", *self._listed(tuple(x for _, x in e.items)), "}")
            case _:
                raise Unprintable(f"{self.subject} a construct that generated code does not carry", e.at)

    def _listed(self, items: tuple[Expr, ...]) -> list[Part]:
        parts: list[Part] = []
        for k, item in enumerate(items):
            parts += [", "] * (k > 0) + [self.expr(item) if isinstance(item, Comma) else self.value(item)]
        return parts

    def _assignment(self, e: Assign) -> Iterable[Part]:
        return (self._target(e.target), f" {e.op} ", self._right(e.value))

    def _right(self, e: Expr) -> Part:
        """What is assigned: in parentheses only where it must be."""
        return self.expr(e) if isinstance(e, Comma) else self.value(e)

    def _target(self, e: Expr) -> Part:
        return self.standing(e) or self.reference(e, True) if isinstance(e, ArrayRef) else self.expr(e)

    # ----------------------------------------------------------------------------------- statements

    def statement(self, s: Stmt, newline: str) -> Part:
        """A statement; ``newline`` is the line end with the indentation of where it stands."""
        return self.standing(s) or self.printed(s, *self._statement(s, newline))

    def alone(self, e: Expr) -> Part:
        """An expression that is a statement, or a loop's step."""
        return self.value(e)

    def first(self, loop: Loop) -> Part:
        """What a loop begins with, and the ``;`` behind it."""
        return ";" if loop.init is None else self.statement(loop.init, "")

    def loop_body(self, loop: Loop, newline: str) -> Part:
        """The body of a loop."""
        return self.body(loop.body, newline)

    def statements(self, body: Iterable[Stmt], newline: str) -> list[Part]:
        """Statements on lines of their own."""
        return [part for s in body for part in (newline, self.statement(s, newline))]

    def block(self, body: tuple[Stmt, ...], newline: str) -> list[Part]:
        """``{ ... }``."""
        return ["{", *self.statements(body, newline + "    "), newline, "}"]

    def _statement(self, s: Stmt, newline: str) -> Iterable[Part]:
        match s:
            case ExprStmt():
                return (self.alone(s.expr), ";")
            case Declare():
                parts: list[Part] = []
                for v in s.variables:
                    parts += [" "] * bool(parts) + [self.declaration(v), ";"]
                return parts
            case Block():
                return self.block(s.body, newline)
            case If():
                then = self.body(s.then, newline)
                other = () if s.other is None else (" else ", self.body(s.other, newline))
                return ("if (", self.value(s.test), ") ", then, *other)
            case Loop(kind="for"):
                test = () if s.test is None else (" ", self.value(s.test))
                step = () if s.step is None else (" ", self.alone(s.step))
                header = self.header(s, "for (", self.first(s), *test, ";", *step, ")")
                return (header, " ", self.loop_body(s, newline))
            case Return():
                return ("return;",) if s.value is None else ("return ", self.value(s.value), ";")
            case Jump():
                return (f"{s.kind} {s.label};" if s.label else f"{s.kind};",)
            case _:
                raise Unprintable(f"{self.subject} a statement that generated code does not carry", s.at)

    def body(self, block: Block, newline: str) -> Part:
        """The body of a loop or a branch, in braces."""
        return self.standing(block) or self.printed(block, *self.block(block.body, newline))

    def declaration(self, variable: int) -> Part:
        """A variable with its initial value, without the ``;``."""
        v = self.program.variable(variable)
        kind, dims = (v.type.element, v.type.dims) if isinstance(v.type, ArrayType) else (v.type, ())
        if None in dims:
            raise Unprintable(f"the extent of {v.name} is not known", v.at)
        specifiers = Printed(self.specifiers(v, kind))
        brackets = tuple(Printed(f"[{d}]") for d in dims)
        value = None if v.init is None else self._right(v.init)
        return self.declarator(variable, specifiers, Printed(self.name(variable)), brackets, value)

    def specifiers(self, variable: Variable, kind: CType) -> str:
        """What a declaration begins with; ``kind``: the type, or that of the elements."""
        given = (("static", variable.storage == "static" or variable.internal), ("const", variable.const))
        return " ".join([*(word for word, said in given if said), self.type(kind, variable.at)])

    def declarator(
        self, variable: int, specifiers: Printed, name: Printed, brackets: tuple[Printed, ...], value: Part | None
    ) -> Part:
        """The pieces of a declaration put together."""
        return Printed(specifiers, " ", Printed(name, *brackets), *(() if value is None else (" = ", value)))
