"""What lowering shares: scopes, numbering and everything collected over all units."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from hlspart.frontend.holes import Cut
from hlspart.frontend.origins import TokenText
from hlspart.frontend.tokens import SourceError, Token
from hlspart.frontend.undeclared import Undeclared
from hlspart.model import program as ir
from hlspart.model.diagnostics import Diagnostic, Place
from hlspart.model.directives import RawPragma
from hlspart.model.source import Origin, SourceText, Span


class TypeName(Struct, frozen=True):
    """A typedef name in scope."""

    type: ir.CType
    const: bool = False
    volatile: bool = False


class EnumConstant(Struct, frozen=True):
    """An enumerator in scope."""

    value: int


class FunctionDeclaration(Struct, frozen=True):
    """A function name in scope; ``overloads``: all functions that it may mean, told apart by ``signature``.

    ``reference``: it returns one. ``defaults``: what parameters are that a call leaves out, by their places.
    """

    name: str
    returns: ir.CType
    signature: tuple[str, ...] = ()
    overloads: tuple[FunctionDeclaration, ...] = ()
    reference: bool = False
    defaults: Mapping[int, Sequence[Token]] = {}

    def takes(self, count: int) -> bool:
        """Whether a call may give ``count`` arguments."""
        return count <= len(self.signature) and all(k in self.defaults for k in range(count, len(self.signature)))

    @property
    def types(self) -> tuple[str, ...]:
        """The signature without what a call may or may not change."""
        return tuple(x.removeprefix("const ").removeprefix("volatile ") for x in self.signature)


class VariableId(Struct, frozen=True):
    """A variable in scope."""

    id: int


class NotRead(Struct, frozen=True):
    """A name that may be declared in text that is not read."""

    cause: str


Entry = TypeName | EnumConstant | FunctionDeclaration | VariableId | NotRead


@dataclass
class Collected:
    """Everything found so far, over all units; a failed unit is rolled back with ``mark``/``reset``."""

    variables: list[ir.Variable] = field(default_factory=list)
    functions: dict[str, ir.Function] = field(default_factory=dict)
    prototypes: dict[str, list[ir.Prototype]] = field(default_factory=dict)
    loops: dict[int, ir.Loop] = field(default_factory=dict)
    pragmas: list[RawPragma] = field(default_factory=list)
    constants: dict[str, int] = field(default_factory=dict)
    called: dict[str, Origin] = field(default_factory=dict)
    overloads: dict[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)  # signatures by name, in order
    external: dict[str, int] = field(default_factory=dict)  # file-scope names with external linkage
    # what a header defines for each unit alike is one thing: by name and place
    internal: dict[tuple[str, Span], int] = field(default_factory=dict)
    defined: dict[tuple[str, Span, tuple[str, ...]], str] = field(default_factory=dict)
    outer_pragmas: dict[tuple[str, Span], bool] = field(default_factory=dict)
    # further declarations of objects, and whether each is the one that defines
    redeclared: dict[tuple[int, Span], tuple[bool, ir.Declarator]] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    sources: dict[str, SourceText] = field(default_factory=dict)
    inactive: list[Span] = field(default_factory=list)
    sizes: list[ir.SizeOf] = field(default_factory=list)
    mentions: dict[tuple[str, Span], None] = field(default_factory=dict)
    made: frozenset[str] = frozenset()
    counted: list[tuple[Span, str]] = field(default_factory=list)
    holes: dict[Span, ir.Hole] = field(default_factory=dict)
    halted: dict[str, Diagnostic] = field(default_factory=dict)  # ``#error``, by file
    next_id: int = 0

    def new_id(self) -> int:
        """A number no other node has."""
        self.next_id += 1
        return self.next_id

    def finish(self) -> None:
        """Complete the variables that are declared more than once."""
        declarators: dict[int, list[ir.Declarator]] = {}
        for (ident, _), (defines, piece) in self.redeclared.items():
            pieces = declarators.setdefault(ident, list(self.variables[ident].declarations))
            pieces.insert(0 if defines else len(pieces), piece)
        for ident, pieces in declarators.items():
            self.variables[ident] = replace(self.variables[ident], declarations=tuple(pieces))

    def mark(self) -> dict[str, Any]:
        """State to come back to."""
        return {
            name: value.copy() if hasattr(value, "copy") else value
            for name, value in vars(self).items()
            if name not in ("sources", "next_id")
        }

    def reset(self, mark: dict[str, Any]) -> None:
        """Forget everything since ``mark`` (numbers are not used again)."""
        vars(self).update(mark)


class Context:
    """Scopes of one unit and the function that is being lowered."""

    def __init__(self, path: str, text: TokenText, collected: Collected, language: str) -> None:
        self.path, self.text, self.collected, self.language = path, text, collected, language
        self.names: list[dict[str, Entry]] = [{}]
        self.tags: list[dict[str, ir.CType]] = [{}]
        self.internal_functions: dict[str, str] = {}
        self.assumed: dict[str, int] = {}  # values of parameters, from -D
        self.defaults: Mapping[Token, Mapping[int, Sequence[Token]]] = {}  # by the name in a declaration, and parameter
        self.holes: tuple[Cut, ...] = ()
        self.mathematics_of_c: tuple[str, ...] = ()  # see hlspart.frontend.mathematics
        self.function: str | None = None
        self.scope: int | None = None
        self.lacking = False  # whether the function uses what nothing declares
        self._undeclared: Undeclared | None = None
        self._said: set[str] = set()

    def why_unknown(self, name: str) -> str | None:
        """Why a name has no declaration here: the first file-scope text that is not read and says it."""
        base = name.partition("<")[0]
        hole = next((h for h in self.holes if not h.in_function and base in h.names), None)
        return None if hole is None else f"not read: {hole.cause.message}"

    def undeclared_constant(self, name: str, at: Origin) -> ir.CType | None:
        """The type of an undeclared name that is only ever read as a constant (said once); None for any other."""
        if self._undeclared is None:
            self._undeclared = Undeclared(self.text.tokens, self.text.match, [h.tokens for h in self.holes])
        constant = self._undeclared.constant(name)
        if constant is None:
            return None
        self.lacking = True
        if name not in self._said:
            self._said.add(name)
            message = f"'{name}' is declared nowhere: taken for a constant that nobody knows; -D {name}=.. gives it"
            self.report("HLP003", "unsupported-construct", "note", at, message)
        return constant

    def push(self) -> None:
        """Enter a scope."""
        self.names.append({})
        self.tags.append({})

    def pop(self) -> None:
        """Leave a scope."""
        self.names.pop()
        self.tags.pop()

    def lookup(self, name: str) -> Entry | None:
        """What a name means here."""
        for scope in reversed(self.names):
            if name in scope:
                return scope[name]
        return None

    def tag(self, name: str) -> ir.CType | None:
        """The struct, union or enum with this tag."""
        for scope in reversed(self.tags):
            if name in scope:
                return scope[name]
        return None

    def function_name(self, name: str, internal: bool) -> str:
        """The program-wide name of a function: another unit may have a ``static`` one of the same name."""
        if internal and name not in self.internal_functions:
            taken = name in self.collected.functions
            self.internal_functions[name] = f"{name}@{posixpath.basename(self.path)}" if taken else name
        return self.internal_functions.get(name, name)

    def overload_name(self, name: str, internal: bool, signature: tuple[str, ...]) -> str:
        """The program-wide name of a function with this signature, which tells C++ overloads apart."""
        unique = self.function_name(name, internal)
        if self.language != "c++":
            return unique
        known = self.collected.overloads.get(unique, ())
        if signature not in known:
            known = self.collected.overloads[unique] = (*known, signature)
        return unique if signature == known[0] else f"{unique}({','.join(signature)})"

    def declare_function(self, name_at: int, own: str, returns: ir.CType, signature: tuple[str, ...]) -> None:
        """Bring the function named at a token, ``own`` program-wide, into scope, beside its overloads."""
        token = self.text.tokens[name_at]
        name = token.text
        if self.language != "c++":
            self.names[-1][name] = FunctionDeclaration(own, returns)
            return
        before = self.names[-1].get(name)
        others = before.overloads if isinstance(before, FunctionDeclaration) else ()
        defaults = {k: v for x in others if x.name == own for k, v in x.defaults.items()}
        defaults.update(self.defaults.get(token, {}))
        declared = FunctionDeclaration(own, returns, signature, reference=token.reference, defaults=defaults)
        every = (*(x for x in others if x.name != own), declared)
        self.names[-1][name] = replace(declared, overloads=every)

    def variable(self, ident: int) -> ir.Variable:
        """A variable as known so far."""
        return self.collected.variables[ident]

    def update(self, ident: int, **changes: Any) -> None:
        """Complete a variable (initial value, extents, further declarations)."""
        self.collected.variables[ident] = replace(self.collected.variables[ident], **changes)

    def report(self, rule: str, name: str, severity: Any, at: Origin, message: str, hint: str | None = None) -> None:
        """Add a diagnostic."""
        self.collected.diagnostics.append(
            Diagnostic(rule, name, severity, place_of(self.collected.sources, at.span), message, hint)
        )

    def fail(self, index: int, message: str, rule: str = "HLP003") -> SourceError:
        """A fault at a token."""
        from hlspart.frontend.parse import error

        return error(self.text.tokens[max(0, min(index, len(self.text.tokens) - 1))], message, rule)


def place_of(sources: dict[str, SourceText], span: Span) -> Place:
    """Line and column of a span."""
    source = sources.get(span.path)
    if source is None:
        return Place(span.path, 1, 1, 1, 1)
    line, column = source.line_column(span.start)
    end_line, end_column = source.line_column(max(span.start, span.end))
    return Place(span.path, line, column, end_line, end_column)
