"""The program as hlspart sees it: immutable records with exact places in the user's text.

Built only by ``hlspart.frontend`` (and copied by ``hlspart.transform.inline``). Every later stage reads
these records; nobody sees the parser's tree. Nodes compare and hash by identity, so they can key a
dictionary; ``id`` numbers are unique in a :class:`Program`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal

from msgspec import Struct, field

from hlspart.model.causes import UNDECLARED_TYPE
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Directive, RawPragma
from hlspart.model.expressions import (
    CONCATENATION,
    CONSTRUCTOR,
    LITERAL,
    MEMBERS,
    OPEN_PARAMETER,
    REVERSED,
    SAME_BITS,
    ArrayRef,
    Assign,
    Binary,
    Call,
    Cast,
    Comma,
    Conditional,
    Const,
    Expr,
    FunctionName,
    IncDec,
    InitList,
    Member,
    Name,
    OpaqueExpr,
    SizeOf,
    StringLit,
    Subscript,
    Unary,
    always,
    children,
    integer,
    is_same,
    is_unbraced,
    places,
    walk,
)
from hlspart.model.source import Origin, SourceText, Span
from hlspart.model.statements import (
    Block,
    Case,
    Declare,
    ExprStmt,
    If,
    Jump,
    Label,
    Loop,
    PragmaMark,
    Return,
    Stmt,
    Switch,
    block_around,
    expressions,
    substatements,
    walk_statements,
)
from hlspart.model.types import (
    ELEMENTS,
    INT,
    OPEN,
    ArrayType,
    CType,
    OtherType,
    PointerType,
    ScalarType,
    StreamType,
    StructType,
    VoidType,
    held,
    is_open,
    storage_bits,
    storage_bytes,
    vector,
)

__all__ = [
    "CONCATENATION",
    "CONSTRUCTOR",
    "ELEMENTS",
    "INT",
    "LITERAL",
    "MEMBERS",
    "OPEN",
    "OPEN_PARAMETER",
    "REVERSED",
    "SAME_BITS",
    "ArrayRef",
    "ArrayType",
    "Assign",
    "Binary",
    "Block",
    "CType",
    "Call",
    "Case",
    "Cast",
    "Comma",
    "Conditional",
    "Const",
    "Declarator",
    "Declare",
    "Expr",
    "ExprStmt",
    "Function",
    "FunctionName",
    "Hole",
    "If",
    "IncDec",
    "InitList",
    "Jump",
    "Label",
    "Loop",
    "Member",
    "Name",
    "OpaqueExpr",
    "OtherType",
    "PointerType",
    "PragmaMark",
    "Program",
    "Prototype",
    "Return",
    "ScalarType",
    "SizeOf",
    "Stmt",
    "StreamType",
    "StringLit",
    "StructType",
    "Subscript",
    "Switch",
    "Unary",
    "Unit",
    "Variable",
    "VoidType",
    "always",
    "block_around",
    "children",
    "expressions",
    "held",
    "integer",
    "is_open",
    "is_same",
    "is_unbraced",
    "places",
    "storage_bits",
    "storage_bytes",
    "substatements",
    "vector",
    "walk",
    "walk_statements",
    "walk_value",
]  # fmt: skip


class Declarator(Struct, frozen=True):
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


class Variable(Struct, frozen=True, eq=False):
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


def walk_value(expr: Expr, variables: Sequence[Variable]) -> Iterator[Expr]:
    """``walk``, and through the initial values of the constants that it meets."""
    for node in walk(expr):
        yield node
        known = variables[node.variable] if isinstance(node, Name) else None
        if known is not None and known.const and known.init is not None:
            yield from walk_value(known.init, variables)


class Prototype(Struct, frozen=True, eq=False):
    """A declaration of a function without its body."""

    at: Origin
    name: Origin
    params: tuple[Declarator, ...]


class Function(Struct, frozen=True, eq=False):
    """A function definition. ``params`` are variable ids; ``signature`` spans up to before ``{``.

    ``open``: it is a template to whose parameters nothing gives a value. ``lacking``: it uses constants or types that
    nothing declares.
    """

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
    open: bool = False
    lacking: bool = False


class Unit(Struct, frozen=True):
    """One given input file. ``error`` says why it could not be read or parsed.

    ``halted``: the ``#error`` that it ends with for a compiler; it is read, but no C is written for it.
    """

    path: str
    language: Literal["c", "c++"]
    source: SourceText | None
    error: Diagnostic | None = None
    headers: tuple[str, ...] = ()  # files it included, as resolved, in order; ``beside`` and what these include
    halted: Diagnostic | None = None
    beside: tuple[str, ...] = ()  # sources that are read with it, for they define what it calls


class Hole(Struct, frozen=True):
    """Text that is read as tokens only: where it stands, why, and every name that it says."""

    at: Span
    cause: str
    names: frozenset[str]


class Program(Struct, frozen=True, eq=False, dict=True):
    """All given files together.

    ``sources`` has every file with spans in it (headers included). ``constants`` maps the macro
    and enum names with an integer value at the end of the unit. ``undefined`` maps functions that
    are called but have no body here to their first call. ``inactive`` are the regions of text that
    ``#if`` and its kin left out: names in them were not seen.
    ``holes`` are what the frontend cannot read. ``sizes`` are all ``sizeof`` and ``alignof``
    of an expression, those in extents and other constants of declarations included. ``mentions`` has every place
    where preprocessed text says the name of an array or an iterator, ``made`` the names that macros make.
    ``counted`` is text whose meaning depends on where and how often it stands, with what it stood for: ``__LINE__``,
    ``__COUNTER__``, asm.
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
    mentions: Mapping[str, tuple[Span, ...]] = field(default_factory=dict)
    made: frozenset[str] = frozenset()
    counted: tuple[tuple[Span, str], ...] = ()
    holes: tuple[Hole, ...] = ()

    @cached_property
    def usable(self) -> Mapping[str | None, tuple[Directive, ...]]:
        """Directives that are usable, by the function in which they stand, each in order."""
        directives: dict[str | None, list[Directive]] = {}
        for d in self.directives:
            if d.usable:
                directives.setdefault(d.function, []).append(d)
        return {name: tuple(own) for name, own in directives.items()}

    def named(self, function: str) -> str | None:
        """The function with a body that a name means: its own, else the one overload of it, whose name has types."""
        overloads = [name for name in self.functions if name.partition("(")[0] == function]
        return function if function in self.functions else overloads[0] if len(overloads) == 1 else None

    @cached_property
    def given(self) -> frozenset[str]:
        """The paths of the given files: what they include is not edited."""
        return frozenset(unit.path for unit in self.units)

    def variable(self, ident: int) -> Variable:
        """The variable with this id."""
        return self.variables[ident]

    def unread(self, name: str) -> str | None:
        """Why a function has no record although its text is there: "read: ..", as a hole says its name."""
        base = name.partition("<")[0]
        return next((f"read: {hole.cause}" for hole in self.holes if base in hole.names), None)

    def is_cxx(self, path: str) -> bool:
        """Whether a file, or what includes it, is C++."""
        return any(u.language == "c++" for u in self.units if u.path == path or path in u.headers)

    def line(self, origin: Origin) -> int:
        """1-based line at which ``origin`` begins."""
        return self.sources[origin.span.path].line_column(origin.span.start)[0]

    def text(self, origin: Origin | Span) -> str:
        """The source text of an origin or span."""
        span = origin.span if isinstance(origin, Origin) else origin
        return self.sources[span.path].slice(span)

    def without_header(self) -> frozenset[str]:
        """Files of the units in which a header was not found, that is where names may be defined that nobody knows.

        Those of the standard library define none that stands for itself. So it is with a file that uses types which
        nothing declares: another file includes it.
        """
        unsure = (d for d in self.diagnostics if d.name == "missing-header" or UNDECLARED_TYPE in d.message)
        places = {d.place.path for d in unsure}
        units = [(u.path, *u.headers) for u in self.units]
        return frozenset(path for unit in units if places & set(unit) for path in unit)

    def arrays(self) -> tuple[Variable, ...]:
        """All arrays, in order of declaration."""
        return tuple(v for v in self.variables if v.is_array)
