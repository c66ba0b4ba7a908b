"""The program as hlspart sees it: immutable records with exact places in the user's text.

Built only by ``hlspart.frontend`` (and copied by ``hlspart.poly.inline``). Every later stage reads
these records; nobody sees the parser's tree. Nodes compare and hash by identity, so they can key a
dictionary; ``id`` numbers are unique in a :class:`Program`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Directive, RawPragma
from hlspart.model.source import Origin, SourceText, Span

# --------------------------------------------------------------------------------------- types


@dataclass(frozen=True, slots=True)
class ScalarType:
    """An arithmetic type. ``bits`` is its storage width; ``name`` is spelled as in the source."""

    name: str
    kind: Literal["int", "float", "fixed", "bool"]
    bits: int
    signed: bool = True
    fraction_bits: int = 0


@dataclass(frozen=True, slots=True)
class ArrayType:
    """``dims`` outermost first; an extent is None when it is not known (``A[]``, run-time)."""

    element: CType
    dims: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class PointerType:
    """``T *``; parameters declared ``T A[8]`` are an :class:`ArrayType`, not a pointer."""

    target: CType


@dataclass(frozen=True, slots=True)
class StructType:
    """A struct or union with a ``tag`` or a typedef name."""

    name: str
    members: tuple[tuple[str, CType], ...]
    union: bool = False
    tag: bool = False


@dataclass(frozen=True, slots=True)
class StreamType:
    """``hls::stream<T>``: a channel, never an array."""

    element: CType


@dataclass(frozen=True, slots=True)
class VoidType:
    """``void``."""


@dataclass(frozen=True, slots=True)
class OtherType:
    """A type hlspart carries but does not look into (function pointers, unknown names)."""

    name: str


CType = ScalarType | ArrayType | PointerType | StructType | StreamType | VoidType | OtherType


def storage_bits(kind: CType) -> int | None:
    """Bits one object of this type takes, without padding; None where hlspart does not know."""
    match kind:
        case ScalarType():
            return kind.bits
        case ArrayType():
            size = storage_bits(kind.element)
            for extent in kind.dims:
                size = None if size is None or extent is None else size * extent
            return size
        case StreamType():
            return storage_bits(kind.element)
        case StructType():
            sizes = [storage_bits(t) for _, t in kind.members]
            known = [s for s in sizes if s is not None]
            if len(known) < len(sizes) or not known:
                return None
            return max(known) if kind.union else sum(known)
        case _:
            return None


# --------------------------------------------------------------------------------- declarations


@dataclass(frozen=True, slots=True)
class Declarator:
    """Where one declaration of a variable stands, in the pieces that a rewrite may own.

    ``statement``: from the first specifier to the ``;`` (for a parameter: the parameter's text).
    ``declarator``: this declarator alone, with its stars and brackets, without its initialiser.
    ``name``: the identifier. ``brackets``: each ``[...]`` with its brackets, outermost first.
    ``initialiser``: the text after ``=``, else None. ``index``/``count``: which of how many
    declarators of its statement this is. ``specifiers``: text before the first declarator.
    """

    statement: Origin
    specifiers: Origin
    declarator: Origin
    name: Origin
    brackets: tuple[Origin, ...]
    initialiser: Origin | None
    index: int
    count: int


@dataclass(frozen=True, eq=False, slots=True)
class Variable:
    """One object: a scalar, array, pointer, struct or stream.

    ``scope`` is the id of the :class:`Block` that declares it, or of the :class:`Loop` whose header
    does (None: file scope; parameters: the function's body block). ``declarations`` holds every
    declaration, the defining one first; ``extern`` is True when no given file defines it.
    ``function`` is None at file scope.
    """

    id: int
    name: str
    type: CType
    storage: Literal["local", "static", "global", "parameter"]
    function: str | None
    scope: int | None
    declarations: tuple[Declarator, ...]
    const: bool = False
    volatile: bool = False
    extern: bool = False
    internal: bool = False  # file scope with ``static``
    reference: bool = False  # C++ ``T &x``
    init: Expr | None = None

    @property
    def at(self) -> Origin:
        """Place of the name in the defining declaration."""
        return self.declarations[0].name

    @property
    def dims(self) -> tuple[int | None, ...]:
        """Extents of an array, () for anything else."""
        return self.type.dims if isinstance(self.type, ArrayType) else ()

    @property
    def is_array(self) -> bool:
        """Whether the variable is an array (parameters declared with brackets included) of anything but channels."""
        return isinstance(self.type, ArrayType) and not isinstance(self.type.element, StreamType)

    @property
    def as_array(self) -> ArrayType | None:
        """The array that the variable is, or that it points to the first element of (``T *p``, ``T (*p)[8]``)."""
        match self.type:
            case ArrayType(element=StreamType()):
                return None
            case ArrayType():
                return self.type
            case PointerType(target=ArrayType() as row):
                return ArrayType(row.element, (None, *row.dims))
            case PointerType(target=ScalarType() | StructType() as element):
                return ArrayType(element, (None,))
        return None


# ---------------------------------------------------------------------------------- expressions


@dataclass(frozen=True, eq=False, slots=True)
class Const:
    """Integer, character, boolean, enum or floating literal; ``value`` is exact for integers."""

    at: Origin
    type: CType
    value: int | float
    text: str


@dataclass(frozen=True, eq=False, slots=True)
class StringLit:
    """A string literal; ``value`` without the terminating NUL."""

    at: Origin
    type: CType
    value: str


@dataclass(frozen=True, eq=False, slots=True)
class Name:
    """Use of a variable as a whole: a scalar's value, or an array handed on or decayed."""

    at: Origin
    type: CType
    variable: int


@dataclass(frozen=True, eq=False, slots=True)
class FunctionName:
    """A function's name used other than as the callee of a direct call."""

    at: Origin
    type: CType
    name: str


@dataclass(frozen=True, eq=False, slots=True)
class ArrayRef:
    """``A[i][j]`` where ``A`` is a variable of array type, or a pointer indexed as an array.

    ``indices`` may be fewer than the rank (a row handed on). ``name`` is the span of ``A``,
    ``brackets`` those of each ``[...]`` with brackets. ``*(A + i)`` and ``*A`` are lowered to this
    too; then ``brackets`` is () and ``at`` covers the whole expression. Indices are evaluated before
    the pointer: ``*p++`` is ``p[(p++, -1)]``.
    """

    id: int
    at: Origin
    type: CType
    variable: int
    indices: tuple[Expr, ...]
    name: Origin
    brackets: tuple[Origin, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Subscript:
    """``base[index]`` where the base is no plain variable: struct members, call results."""

    at: Origin
    type: CType
    base: Expr
    index: Expr


@dataclass(frozen=True, eq=False, slots=True)
class Member:
    """``base.field`` or ``base->field``."""

    at: Origin
    type: CType
    base: Expr
    field: str
    arrow: bool


@dataclass(frozen=True, eq=False, slots=True)
class Unary:
    """``op`` one of ``+ - ~ ! & *``."""

    at: Origin
    type: CType
    op: str
    operand: Expr


@dataclass(frozen=True, eq=False, slots=True)
class Binary:
    """Arithmetic, bitwise, shift, comparison, ``&&`` and ``||``."""

    at: Origin
    type: CType
    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, eq=False, slots=True)
class Assign:
    """``target op value`` with ``op`` ``=`` or compound (``+=`` ...)."""

    at: Origin
    type: CType
    op: str
    target: Expr
    value: Expr


@dataclass(frozen=True, eq=False, slots=True)
class IncDec:
    """``++``/``--``, prefix or postfix."""

    at: Origin
    type: CType
    op: Literal["++", "--"]
    prefix: bool
    operand: Expr


@dataclass(frozen=True, eq=False, slots=True)
class Call:
    """A call. ``function`` is the name of a direct callee, None for a call through a pointer.

    Stream operations (``s.read()``, ``s << x``) are calls named ``stream.read``/``stream.write``
    with the stream as first argument; ``s >> x`` assigns the value of such a call. ``s.read_nb(x)``
    is ``stream.read_nb`` of both and changes ``x``; ``stream.write_nb``, ``stream.empty``, .. likewise.
    """

    id: int
    at: Origin
    type: CType
    function: str | None
    args: tuple[Expr, ...]
    callee: Origin


@dataclass(frozen=True, eq=False, slots=True)
class Cast:
    """``(type)operand`` or a C++ functional cast."""

    at: Origin
    type: CType
    operand: Expr


@dataclass(frozen=True, eq=False, slots=True)
class Conditional:
    """``test ? then : other``."""

    at: Origin
    type: CType
    test: Expr
    then: Expr
    other: Expr


@dataclass(frozen=True, eq=False, slots=True)
class Comma:
    """``a, b, c``."""

    at: Origin
    type: CType
    items: tuple[Expr, ...]


@dataclass(frozen=True, eq=False, slots=True)
class SizeOf:
    """``sizeof``/``alignof``; the operand is not evaluated. ``value`` in bytes where known."""

    at: Origin
    type: CType
    operand: Expr | None
    value: int | None


@dataclass(frozen=True, eq=False, slots=True)
class InitList:
    """``{...}``; each item is (designators, value), a designator an index or a member name."""

    at: Origin
    type: CType
    items: tuple[tuple[tuple[int | str, ...], Expr], ...]


@dataclass(frozen=True, eq=False, slots=True)
class OpaqueExpr:
    """Something hlspart carries but does not understand; ``what`` names the construct.

    ``children`` are the sub-expressions that it did understand, so that no access is lost.
    """

    at: Origin
    type: CType
    what: str
    children: tuple[Expr, ...] = ()


Expr = (
    Const | StringLit | Name | FunctionName | ArrayRef | Subscript | Member | Unary | Binary | Assign
    | IncDec | Call | Cast | Conditional | Comma | SizeOf | InitList | OpaqueExpr
)  # fmt: skip

# ----------------------------------------------------------------------------------- statements


@dataclass(frozen=True, eq=False, slots=True)
class Block:
    """``{ ... }``. A loop or branch body without braces is a Block with ``braces`` False."""

    id: int
    at: Origin
    body: tuple[Stmt, ...]
    braces: bool = True


@dataclass(frozen=True, eq=False, slots=True)
class Declare:
    """Declaration of variables (ids) at this point, in order; initial values are in the variables."""

    at: Origin
    variables: tuple[int, ...]


@dataclass(frozen=True, eq=False, slots=True)
class ExprStmt:
    """An expression statement."""

    at: Origin
    expr: Expr


@dataclass(frozen=True, eq=False, slots=True)
class If:
    """``other`` is None without an else."""

    at: Origin
    test: Expr
    then: Block
    other: Block | None


@dataclass(frozen=True, eq=False, slots=True)
class Loop:
    """``for``, ``while`` or ``do``. ``name`` follows the contract (label, else VITIS_LOOP_line_n).

    ``init`` is a statement (Declare or ExprStmt) or None; ``test`` None means always true.
    ``header`` spans ``for (...)``/``while (...)``.
    """

    id: int
    at: Origin
    kind: Literal["for", "while", "do"]
    name: str
    label: str | None
    function: str
    header: Origin
    init: Stmt | None
    test: Expr | None
    step: Expr | None
    body: Block


@dataclass(frozen=True, eq=False, slots=True)
class Switch:
    """``body`` holds Case labels among its statements."""

    at: Origin
    test: Expr
    body: Block


@dataclass(frozen=True, eq=False, slots=True)
class Case:
    """``case low:``, ``case low ... high:`` or (both None) ``default:``, before what follows it."""

    at: Origin
    low: Expr | None
    high: Expr | None


@dataclass(frozen=True, eq=False, slots=True)
class Return:
    """``return value;``."""

    at: Origin
    value: Expr | None


@dataclass(frozen=True, eq=False, slots=True)
class Jump:
    """``break``, ``continue`` or ``goto label``."""

    at: Origin
    kind: Literal["break", "continue", "goto"]
    label: str | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Label:
    """``name:`` before the statement that follows it (labels of loops are in the Loop)."""

    at: Origin
    name: str


@dataclass(frozen=True, eq=False, slots=True)
class PragmaMark:
    """A pragma between statements; ``pragma`` indexes Program.pragmas."""

    at: Origin
    pragma: int


Stmt = Block | Declare | ExprStmt | If | Loop | Switch | Case | Return | Jump | Label | PragmaMark

# ------------------------------------------------------------------------------------ functions


@dataclass(frozen=True, eq=False, slots=True)
class Prototype:
    """A declaration of a function without its body."""

    at: Origin
    name: Origin
    params: tuple[Declarator, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Function:
    """A function definition. ``params`` are variable ids; ``signature`` spans up to before ``{``."""

    name: str
    unit: str
    at: Origin
    signature: Origin
    name_at: Origin
    return_type: CType
    params: tuple[int, ...]
    body: Block
    prototypes: tuple[Prototype, ...] = ()
    internal: bool = False
    inline: bool = False
    variadic: bool = False


@dataclass(frozen=True, slots=True)
class Unit:
    """One given input file. ``error`` says why it could not be read or parsed."""

    path: str
    language: Literal["c", "c++"]
    source: SourceText | None
    error: Diagnostic | None = None
    headers: tuple[str, ...] = ()  # files it included, as resolved, in order


@dataclass(frozen=True, eq=False)
class Program:
    """All given files together.

    ``sources`` has every file with spans in it (headers included). ``constants`` maps the macro
    and enum names with an integer value at the end of the unit. ``undefined`` maps functions that
    are called but have no body here to their first call. ``inactive`` are the regions of text that
    ``#if`` and its kin left out: names in them were not seen. ``sizes`` are all ``sizeof`` and ``alignof``
    of an expression, those in extents and other constants of declarations included.
    """

    units: tuple[Unit, ...]
    sources: Mapping[str, SourceText]
    functions: Mapping[str, Function]
    variables: tuple[Variable, ...]
    loops: Mapping[int, Loop]
    pragmas: tuple[RawPragma, ...]
    directives: tuple[Directive, ...]
    constants: Mapping[str, int]
    undefined: Mapping[str, Origin]
    diagnostics: tuple[Diagnostic, ...] = field(default=())
    inactive: tuple[Span, ...] = field(default=())
    sizes: tuple[SizeOf, ...] = field(default=())

    def variable(self, ident: int) -> Variable:
        """The variable with this id."""
        return self.variables[ident]

    def line(self, origin: Origin) -> int:
        """1-based line at which ``origin`` begins."""
        return self.sources[origin.span.path].line_column(origin.span.start)[0]

    def text(self, origin: Origin | Span) -> str:
        """The source text of an origin or span."""
        span = origin.span if isinstance(origin, Origin) else origin
        return self.sources[span.path].slice(span)

    def arrays(self) -> tuple[Variable, ...]:
        """All arrays, in order of declaration."""
        return tuple(v for v in self.variables if v.is_array)


# ------------------------------------------------------------------------------------ traversal


def children(expr: Expr) -> tuple[Expr, ...]:
    """Direct sub-expressions in evaluation-text order."""
    match expr:
        case ArrayRef():
            return expr.indices
        case Subscript():
            return (expr.base, expr.index)
        case Member():
            return (expr.base,)
        case Unary() | Cast() | IncDec():
            return (expr.operand,)
        case Binary():
            return (expr.left, expr.right)
        case Assign():
            return (expr.target, expr.value)
        case Call():
            return expr.args
        case Conditional():
            return (expr.test, expr.then, expr.other)
        case Comma():
            return expr.items
        case SizeOf():
            return () if expr.operand is None else (expr.operand,)
        case InitList():
            return tuple(value for _, value in expr.items)
        case OpaqueExpr():
            return expr.children
        case _:
            return ()


def walk(expr: Expr) -> Iterator[Expr]:
    """``expr`` and all below it, preorder."""
    stack = [expr]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(children(node)))


def substatements(stmt: Stmt) -> tuple[Stmt, ...]:
    """Direct sub-statements."""
    match stmt:
        case Block():
            return stmt.body
        case If():
            return (stmt.then,) if stmt.other is None else (stmt.then, stmt.other)
        case Loop():
            return ((stmt.init,) if stmt.init is not None else ()) + (stmt.body,)
        case Switch():
            return (stmt.body,)
        case _:
            return ()


def walk_statements(stmt: Stmt) -> Iterator[Stmt]:
    """``stmt`` and all below it, preorder, in text order."""
    stack = [stmt]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(substatements(node)))


def expressions(stmt: Stmt) -> tuple[Expr, ...]:
    """Expressions that stand directly in ``stmt`` (not in sub-statements; Declare has none here)."""
    match stmt:
        case ExprStmt():
            return (stmt.expr,)
        case If() | Switch():
            return (stmt.test,)
        case Loop():
            return tuple(e for e in (stmt.test, stmt.step) if e is not None)
        case Case():
            return tuple(e for e in (stmt.low, stmt.high) if e is not None)
        case Return():
            return () if stmt.value is None else (stmt.value,)
        case _:
            return ()
