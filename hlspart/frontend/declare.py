"""Declarations: types, declarators in their exact pieces, variables and their merging across units."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace
from pycparser import c_ast

from hlspart.frontend import types as ct
from hlspart.frontend.constants import value_of
from hlspart.frontend.context import Context, EnumConstant, NotRead, TypeName, VariableId
from hlspart.frontend.declarators import Declarators
from hlspart.frontend.express import Expressions
from hlspart.frontend.holes import hole_number
from hlspart.frontend.overloads import signature
from hlspart.frontend.tokens import OPEN_VALUE
from hlspart.model import program as ir
from hlspart.model.source import Origin

AUTO_TYPE = ir.OtherType("auto")
RUN_TIME_EXTENT = "constant extent needed; use -D {name}=.."


class Parameter(Struct, frozen=True):
    """One parameter of a function declarator: its tree and the pieces of its text."""

    node: Any
    name: str | None
    declarator: ir.Declarator
    reference: bool = False


class Declarations(Declarators):
    """Lowers declarations of one unit."""

    def __init__(self, context: Context, expressions: Expressions) -> None:
        super().__init__(context)
        self.expressions = expressions
        self.anonymous = 0
        self.typedef_name: str | None = None  # of the declaration in hand, to name a struct without a tag
        expressions.declarations = self

    # -------------------------------------------------------------------------------- types

    def type_of(self, node: Any, parameter: bool = False) -> ir.CType:
        """The model type of a declarator or type name."""
        match node:
            case c_ast.TypeDecl() | c_ast.Typename() | c_ast.AttributedType():
                return self.type_of(node.type)
            case c_ast.IdentifierType():
                if len(node.names) == 1:
                    entry = self.context.lookup(node.names[0])
                    if isinstance(entry, TypeName):
                        known = entry.type
                        self.context.lacking = self.context.lacking or ir.is_open(known)
                        if isinstance(known, ir.StructType) and not known.members:
                            return self.context.tag(known.name) or known
                        if isinstance(known, ir.StreamType):  # the shim sees no typedefs
                            return replace(known, element=self._completed(known.element))
                        return known
                return ct.basic(node.names)
            case c_ast.PtrDecl():
                if isinstance(node.type, c_ast.FuncDecl):
                    return ir.OtherType("function pointer")
                return ir.PointerType(self.type_of(node.type))
            case c_ast.ArrayDecl():
                extent = None if node.dim is None else self._extent(node, parameter)
                return ct.array_of(self.type_of(node.type), extent)
            case c_ast.FuncDecl():
                return ir.OtherType("function")
            case c_ast.Struct() | c_ast.Union():
                return self._struct(node)
            case c_ast.Enum():
                self._enum(node)
                return ir.INT
            case c_ast.TypeOf():
                if isinstance(node.expr, c_ast.Typename):
                    return self.type_of(node.expr)
                return self.expressions.lower(node.expr)[0].type
            case _:
                return ct.UNKNOWN

    def _completed(self, of: ir.CType) -> ir.CType:
        """A type that is named, with what its declaration here says."""
        name = of.name.removeprefix("struct ") if isinstance(of, ir.OtherType) else ""
        entry = self.context.lookup(name)
        of = entry.type if isinstance(entry, TypeName) else (self.context.tag(name) or of)
        if isinstance(of, ir.StructType) and not of.members:
            return self.context.tag(of.name) or of
        return of

    def _extent(self, node: Any, parameter: bool) -> int | None:
        expr, first, last = self.expressions.lower(node.dim)
        value = value_of(expr, self.context.collected.variables)
        if value is not None and value >= 0:
            return value
        at = self.text.origin(first, last)
        if value is not None:
            self.context.report("HLP002", "syntax-error", "error", at, f"array extent {value} is negative")
        elif any(
            isinstance(e, ir.Call) or (isinstance(e, ir.OpaqueExpr) and e.what == ir.OPEN_PARAMETER)
            for e in ir.walk_value(expr, self.context.collected.variables)
        ):
            return None  # the function may be a constexpr, the constant one of a template: a compiler has the number
        elif any(name.endswith(OPEN_VALUE) for name in self._names(node.dim)):
            return None  # nobody says
        elif not isinstance(expr, ir.OpaqueExpr) or expr.what != "UnaryOp":
            variables = self.context.collected.variables
            said = [e for e in ir.walk(expr) if isinstance(e, ir.Name) and value_of(e, variables) is not None]
            known = {variables[e.variable].name for e in said}
            names = [name for name in self._names(node.dim) if name not in known]
            message = RUN_TIME_EXTENT.format(name=names[0] if names else "N")
            self.context.report("HLP005", "run-time-extent", "error", at, message)
        return None

    def _names(self, node: Any) -> list[str]:
        if isinstance(node, c_ast.ID):
            return [node.name]
        return [n for _, child in node.children() for n in self._names(child)]

    def _struct(self, node: Any) -> ir.CType:
        name = node.name
        if name is None:
            self.anonymous += 1
            name = self.typedef_name or f"<anonymous {self.anonymous}>"
            self.typedef_name = None
        if node.decls is None:
            known = self.context.tag(name)
            return known if known is not None else ir.StructType(name, (), isinstance(node, c_ast.Union), True)
        union = isinstance(node, c_ast.Union)
        if node.name is not None:
            self.context.tags[-1][name] = ir.StructType(name, (), union, True)
        members, assignable = list[tuple[str, ir.CType]](), True
        for decl in node.decls:
            if not isinstance(decl, c_ast.Decl):
                continue
            type_ = self.type_of(decl.type)
            assignable &= not self._is_constant_member(decl.type, type_)
            if decl.name is not None:
                members.append((decl.name, type_))
            elif isinstance(type_, ir.StructType):  # without a name
                inside = ir.OtherType("member of a union without a name")  # which others share their bits with
                shared = type_.union or union
                members.extend((n, inside if shared else of) for n, of in type_.members)
        made = ir.StructType(name, tuple(members), union, node.name is not None, assignable)
        if node.name is not None:
            self.context.tags[-1][name] = made
        return made

    def _is_constant_member(self, node: Any, kind: ir.CType) -> bool:
        while isinstance(kind, ir.ArrayType):
            kind = kind.element
        named = _base_typedef(node, self.context)
        inside = isinstance(kind, ir.StructType) and not kind.assignable
        return inside or _qualifiers(node)[0] or bool(named is not None and named.const)

    def _enum(self, node: Any) -> None:
        if node.values is None:
            return
        following: int | None = 0
        for item in node.values.enumerators:
            if not isinstance(item, c_ast.Enumerator):
                continue
            if item.value is not None:
                following = self.expressions.value(item.value)
            if following is None:
                self.context.names[-1][item.name] = NotRead("an enumerator without a known value")
                continue
            self.context.names[-1][item.name] = EnumConstant(following)
            self.context.collected.constants.setdefault(item.name, following)
            following += 1

    # --------------------------------------------------------------------------- statements

    def statement(self, nodes: list[Any], start: int, end: int) -> tuple[int, ...]:
        """A whole declaration statement, tokens ``start..end`` (the last is ``;``): ids of its variables."""
        declared: list[int] = []
        named = [n for n in nodes if isinstance(n, (c_ast.Decl, c_ast.Typedef)) and n.name is not None]
        if not named:
            for node in nodes:
                if isinstance(node, c_ast.Decl):
                    self.type_of(node.type)
                elif isinstance(node, c_ast.StaticAssert):
                    self.expressions.value(node.cond)
            return ()
        first_name = self.name_index(named[0].type, named[0].name, start, end)
        begin = self.start_of(first_name, start)
        ranges = self.split(begin, end - 1)
        for index, node in enumerate(named):
            low, high = ranges[min(index, len(ranges) - 1)]
            name_at = first_name if index == 0 else self.name_index(node.type, node.name, low, high)
            if isinstance(node, c_ast.Typedef):
                const, volatile = _qualifiers(node.type)
                self.typedef_name = node.name
                self.context.names[-1][node.name] = TypeName(self.type_of(node.type), const, volatile)
                self.typedef_name = None
                continue
            self.first_name = first_name
            if isinstance(node.type, c_ast.FuncDecl):
                if self.context.language == "c++" and _lists_names(node.type):
                    raise self.context.fail(name_at, f"what makes {node.name} of these arguments is declared nowhere")
                self.prototype(node, name_at, start, end)
                continue
            piece = self.pieces(name_at, start, None if index == 0 else low, high, index, len(named), end)
            declared.append(self.variable(node, name_at, high, piece))
        return tuple(declared)

    def variable(self, node: Any, name_at: int, end: int, piece: ir.Declarator) -> int:
        """Declare one object; its initial value ends at token ``end``."""
        context = self.context
        if hole_number(node.name) is not None:
            raise context.fail(name_at, "what is not read begins inside a declaration")
        type_ = self.type_of(node.type)
        storage_words = node.storage or []
        const, volatile = _qualifiers(node.type)
        base = _base_typedef(node.type, context)
        if base is not None:
            pointer = isinstance(type_, ir.PointerType)
            const, volatile = const or (base.const and not pointer), volatile or base.volatile
        file_scope = context.function is None
        if self.text.tokens[name_at].reference and _refers_to_arrays(type_, node.init):
            type_ = ir.OtherType("reference")  # to a memory of another name
        extern = "extern" in storage_words and node.init is None
        static = "static" in storage_words
        linked = (file_scope or extern) and not static
        ident: int | None = None
        if linked:
            ident = context.collected.external.get(node.name)
        shared = (node.name, piece.name.span)
        if static and shared in context.collected.internal:
            context.names[-1][node.name] = VariableId(context.collected.internal[shared])
            return context.collected.internal[shared]
        entry = context.names[0].get(node.name) if file_scope else None
        if ident is None and isinstance(entry, VariableId):
            ident = entry.id  # a further declaration of a static object
        if ident is not None:
            self._merge(ident, type_, piece, extern, const, volatile)
        else:
            ident = len(context.collected.variables)
            storage: Literal["local", "static", "global", "parameter"] = "local"
            if file_scope or extern:
                storage = "global"
            elif static:
                storage = "static"
            context.collected.variables.append(
                ir.Variable(
                    ident, node.name, type_, storage, None if file_scope or extern else context.function,
                    None if file_scope or extern else context.scope, (piece,), const, volatile, extern,
                    internal=static and file_scope, reference=self.text.tokens[name_at].reference,
                )
            )  # fmt: skip
            if linked:
                context.collected.external[node.name] = ident
            elif static and file_scope:
                context.collected.internal[shared] = ident
        context.names[-1][node.name] = VariableId(ident)
        if node.init is not None:
            self._initial(ident, node.init, name_at, end)
        return ident

    def _merge(
        self, ident: int, type_: ir.CType, piece: ir.Declarator, extern: bool, const: bool, volatile: bool
    ) -> None:
        """A further declaration of a known file-scope object."""
        known = self.context.variable(ident)
        if piece.name.span != known.at.span:  # else a header's, read with another unit
            defines = known.extern and not extern
            self.context.collected.redeclared.setdefault((ident, piece.name.span), (defines, piece))
        merged = known.type
        if isinstance(type_, ir.ArrayType) and isinstance(known.type, ir.ArrayType) and None in known.type.dims:
            merged = type_
        if not isinstance(type_, ir.OtherType) and isinstance(known.type, ir.OtherType):
            merged = type_
        self.context.update(
            ident, type=merged, extern=known.extern and extern,
            const=known.const or const, volatile=known.volatile or volatile,
        )  # fmt: skip

    def _initial(self, ident: int, node: Any, name_at: int, end: int) -> None:
        variable = self.context.variable(ident)
        first = self.expressions.initial.find("=", name_at, end + 1) + 1
        value, _, _ = self.expressions.initial.value(node, first, variable.type)
        value = self.expressions.objects.initial(value, variable.type)
        type_ = variable.type
        if isinstance(type_, ir.ArrayType) and type_.dims[0] is None and type_.dims[1:].count(None) == 0:
            type_ = ir.ArrayType(type_.element, (_implicit(value, type_), *type_.dims[1:]))
        if type_ == AUTO_TYPE:
            type_ = ir.PointerType(ct.indexed(value.type)) if isinstance(value.type, ir.ArrayType) else value.type
        self.context.update(ident, init=value, type=type_)

    # ---------------------------------------------------------------------------- functions

    def parameters(self, node: Any, opening: int) -> list[Parameter]:
        """Parameters of a function declarator whose ``(`` is token ``opening``."""
        if node.args is None:
            return []
        result: list[Parameter] = []
        ranges = self.split(opening + 1, self.text.match[opening] - 1)
        count = len(ranges)
        for index, (param, (low, high)) in enumerate(zip(node.args.params, ranges, strict=False)):
            if isinstance(param, c_ast.EllipsisParam):
                continue
            if isinstance(param, c_ast.Decl) and param.name is not None:
                name_at = self.name_index(param.type, param.name, low, high)
                self.first_name = name_at
                piece = self.pieces(name_at, low, None, high, 0, 1, high)
                piece = _numbered(piece, index, count)
                result.append(Parameter(param, param.name, piece, self.text.tokens[name_at].reference))
            elif not (isinstance(param, c_ast.Typename) and self.text.texts[low : high + 1] == ["void"]):
                at = self.text.origin(low, high)
                piece = ir.Declarator(at, at, at, at, self._abstract_brackets(low, high), None, index, count)
                result.append(Parameter(param, param.name if isinstance(param, c_ast.ID) else None, piece))
        return result

    def _abstract_brackets(self, low: int, high: int) -> tuple[Origin, ...]:
        """Brackets of a parameter without a name: those that end it."""
        places: list[Origin] = []
        at = high
        while at > low and self.text.texts[at] == "]":
            places.append(self.text.origin(self.text.match[at], at))
            at = self.text.match[at] - 1
        return tuple(reversed(places))

    def prototype(self, node: Any, name_at: int, start: int, end: int) -> None:
        """A function declaration without body."""
        opening = self.parameter_list(name_at)
        params = tuple(p.declarator for p in self.parameters(node.type, opening))
        proto = ir.Prototype(self.text.origin(start, end), self.text.origin(name_at, name_at), params)
        returns, signature = self.type_of(node.type.type), self.signature(node.type, name_at)
        name = self.context.overload_name(node.name, "static" in (node.storage or []), signature)
        self.context.declare_function(name_at, name, returns, signature)
        known = self.context.collected.prototypes.setdefault(name, [])
        if all(p.name.span != proto.name.span for p in known):  # a header's, seen by several units
            known.append(proto)

    def signature(self, node: Any, name_at: int) -> tuple[str, ...]:
        """Types of the parameters of the function named at a token, as far as their text says."""
        if self.context.language != "c++" or not isinstance(node, c_ast.FuncDecl) or node.args is None:
            return ()
        opening, texts = self.parameter_list(name_at), self.text.texts
        ranges = self.split(opening + 1, self.text.match[opening] - 1)
        pieces = [tuple(texts[low : high + 1]) for low, high in ranges]
        if pieces == [("void",)]:
            return ()
        named = [getattr(p, "name", None) for p in node.args.params]
        if len(named) != len(pieces):
            return ()
        inner = [self._inner_extents(getattr(p, "type", None)) for p in node.args.params]
        meant = [[w for t in p for w in self._meant(t, n)] for p, n in zip(pieces, named, strict=True)]
        references = [any(t.reference for t in self.text.tokens[low : high + 1]) for low, high in ranges]
        return signature(meant, named, inner, references)

    def _meant(self, text: str, name: str | None) -> list[str]:
        """A word of a parameter, of a name of a type the words of that: a prototype may spell it otherwise."""
        entry = self.context.lookup(text) if text != name else None
        return ct.words(entry.type) or [text] if isinstance(entry, TypeName) else [text]

    def _inner_extents(self, node: Any) -> tuple[int | None, ...]:
        """Extents of a parameter's array behind the first, as far as they are constants."""
        extents: list[int | None] = []
        node = node.type if isinstance(node, c_ast.ArrayDecl | c_ast.PtrDecl) else None
        while isinstance(node, c_ast.ArrayDecl):
            expr = self.expressions.lower(node.dim)[0] if node.dim is not None else None
            extents.append(None if expr is None else value_of(expr, self.context.collected.variables))
            node = node.type
        return tuple(extents)

    def parameter_list(self, name_at: int) -> int:
        """The ``(`` of the parameter list of the function named at a token."""
        at = name_at + 1
        while self.text.texts[at] == ")":
            at += 1
        return at

    def parameter_variable(self, param: Parameter, type_: ir.CType, scope: int) -> int:
        """A parameter's variable."""
        const, volatile = _qualifiers(param.node.type) if param.node is not None else (False, False)
        ident = len(self.context.collected.variables)
        assert param.name is not None
        self.context.collected.variables.append(
            ir.Variable(
                ident,
                param.name,
                type_,
                "parameter",
                self.context.function,
                scope,
                (param.declarator,),
                const,
                volatile,
                reference=param.reference,
            )
        )
        self.context.names[-1][param.name] = VariableId(ident)
        return ident


def _refers_to_arrays(kind: ir.CType, init: Any) -> bool:
    """Whether a variable with an initial value that is a reference has no memory of its own."""
    if isinstance(kind, ir.StructType) and not isinstance(init, (c_ast.FuncCall, c_ast.Cast)):
        return init is not None and any(_refers_to_arrays(of, init) for _, of in kind.members)
    return isinstance(kind, ir.ArrayType) and init is not None


def _numbered(piece: ir.Declarator, index: int, count: int) -> ir.Declarator:
    return ir.Declarator(
        piece.statement, piece.specifiers, piece.declarator, piece.name, piece.brackets, piece.initialiser, index, count
    )


def _qualifiers(node: Any) -> tuple[bool, bool]:
    """(const, volatile): const of the object itself or of an array's elements; volatile at any level."""
    const: bool | None = None
    volatile = False
    while node is not None:
        quals = getattr(node, "quals", None) or []
        volatile = volatile or "volatile" in quals
        if const is None and isinstance(node, (c_ast.PtrDecl, c_ast.TypeDecl)):
            const = "const" in quals
        node = getattr(node, "type", None) if not isinstance(node, c_ast.TypeDecl) else None
    return bool(const), volatile


def _lists_names(node: Any) -> bool:
    """Whether what looks like a function has names for parameters, which no prototype of C++ may have."""
    return node.args is not None and any(isinstance(p, c_ast.ID) for p in node.args.params)


def _base_typedef(node: Any, context: Context) -> TypeName | None:
    while node is not None and not isinstance(node, c_ast.TypeDecl):
        node = getattr(node, "type", None)
    base = getattr(node, "type", None)
    if isinstance(base, c_ast.IdentifierType) and len(base.names) == 1:
        entry = context.lookup(base.names[0])
        return entry if isinstance(entry, TypeName) else None
    return None


def _implicit(value: ir.Expr, type_: ir.ArrayType) -> int | None:
    """Extent of ``A[]`` from its initial value."""
    if isinstance(value, ir.StringLit) and isinstance(value.type, ir.ArrayType):
        return value.type.dims[0]
    if not isinstance(value, ir.InitList) or any(ir.is_unbraced(type_.element, item) for _, item in value.items):
        return None
    per_row = 1
    for extent in type_.dims[1:]:
        per_row *= extent or 1
    row = longest = 0
    loose = 0  # scalars of a row given without its own braces
    for designators, item in value.items:
        if designators and isinstance(designators[0], int):
            row, loose = designators[0], 0
        braced = isinstance(item, (ir.InitList, ir.StringLit)) or len(type_.dims) == 1
        if braced:
            row += 1 if loose == 0 else 2
            loose = 0
        else:
            loose += 1
            if loose == per_row:
                row, loose = row + 1, 0
        longest = max(longest, row + (1 if loose else 0))
    if len(type_.dims) == 1 and len(value.items) == 1 and isinstance(value.items[0][1], ir.StringLit):
        string = value.items[0][1].type  # char s[] = {"text"}
        if isinstance(string, ir.ArrayType) and isinstance(type_.element, ir.ScalarType) and type_.element.bits == 8:
            return string.dims[0]
    return longest
