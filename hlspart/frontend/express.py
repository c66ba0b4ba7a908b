"""Expressions of the pycparser tree as records with exact token ranges.

pycparser gives the first token of a leaf only. Ranges are built from the leaves upwards; the
parentheses it dropped are found again from the bracket partners: whatever closes between an operand
and its operator belongs to the operand.
"""

from __future__ import annotations

from typing import Any, Protocol

from pycparser import c_ast

from hlspart.frontend import types as ct
from hlspart.frontend.constants import value_of
from hlspart.frontend.context import Context, EnumConstant, FunctionDeclaration, NotRead, VariableId
from hlspart.frontend.defaults import left_out
from hlspart.frontend.elements import Elements, stored_bits
from hlspart.frontend.folded import constant_call, constant_member
from hlspart.frontend.holes import hole_number
from hlspart.frontend.initial import InitialValues
from hlspart.frontend.literals import spelled_number, string_length
from hlspart.frontend.mathematics import type_of_call
from hlspart.frontend.methods import Methods, has_bits
from hlspart.frontend.objects import ObjectCalls
from hlspart.frontend.overloads import chosen
from hlspart.frontend.parse import ASM, RANGE
from hlspart.frontend.pointed import first as first_channel
from hlspart.frontend.tokens import NTH, OPEN_VALUE, spell
from hlspart.frontend.unread import changes_assumed, use_of
from hlspart.model import program as ir
from hlspart.model.source import Origin
from hlspart.semantics.conversions import negated, promoted

MAX_DEPTH = 1500

Ranged = tuple[ir.Expr, int, int]


class TypeReader(Protocol):
    """Reads the types that occur in expressions."""

    def type_of(self, node: Any) -> ir.CType:
        """The model type of a type name."""


"""An expression with its first and last token, without parentheses around it."""

_COMPARISONS = {"<", ">", "<=", ">=", "==", "!=", "&&", "||"}


class Expressions:
    """Lowers expressions of one unit."""

    declarations: TypeReader  # set by the unit; types occur in casts and sizeof

    def __init__(self, context: Context) -> None:
        self.context = context
        self.text = context.text
        self.methods = Methods(context)
        self.objects = ObjectCalls(context, self.methods)
        self.elements = Elements(context)
        self.initial = InitialValues(context, self)
        self.depth = 0

    def at(self, first: int, last: int) -> Origin:
        """Origin of a token range."""
        return self.text.origin(first, last)

    def value(self, node: Any) -> int | None:
        """Value of a constant expression, None when it is not one."""
        return value_of(self.lower(node)[0], self.context.collected.variables)

    def lower(self, node: Any) -> Ranged:
        """Any expression."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.context.fail(self._leaf(node), f"expression nested deeper than {MAX_DEPTH}", "HLP004")
        method = getattr(self, "_" + type(node).__name__.lower(), None)
        result: Ranged = method(node) if method is not None else self._opaque(node, type(node).__name__)
        self.depth -= 1
        return result

    # ------------------------------------------------------------------------- parentheses

    def _close_after(self, last: int) -> int:
        """Last token of an operand that is followed by an operator."""
        texts = self.text.texts
        while last + 1 < len(texts) and texts[last + 1] == ")":
            last += 1
        return last

    def _open_before(self, first: int, least: int = 0) -> int:
        """First token of an operand that follows an operator at an index below ``least``."""
        texts = self.text.texts
        while first - 1 >= least and texts[first - 1] == "(":
            first -= 1
        return first

    def _left(self, first: int, last: int) -> tuple[int, int]:
        """Range of an operand before its operator, with its own parentheses."""
        end = self._close_after(last)
        return (self.text.match[end] if end > last else first), end

    def _right(self, first: int, last: int, least: int = 0) -> tuple[int, int]:
        """Range of an operand after its operator, with its own parentheses."""
        start = self._open_before(first, least)
        return start, (self.text.match[start] if start < first else last)

    def _leaf(self, node: Any) -> int:
        coord = getattr(node, "coord", None)
        return coord.line if coord is not None else 0

    # ------------------------------------------------------------------------------- leaves

    def _constant(self, node: Any) -> Ranged:
        at = node.coord.line
        text = node.value
        if node.type == "string" or text.endswith('"'):
            last = at
            tokens = self.text.tokens
            while last + 1 < len(tokens) and tokens[last + 1].kind == "str":
                last += 1
            value = "".join(t.text[t.text.index('"') + 1 : -1] for t in tokens[at : last + 1])
            return ir.StringLit(self.at(at, last), ct.array_of(ct.CHAR, string_length(value) + 1), value), at, last
        return self.initial.literal(at), at, at

    def _id(self, node: Any) -> Ranged:
        at = node.coord.line
        origin = self.at(at, at)
        entry = self.context.lookup(node.name)
        match entry:
            case VariableId():
                variable = self.context.variable(entry.id)
                if variable.storage == "parameter" and node.name in self.context.assumed:
                    return ir.Const(origin, variable.type, self.context.assumed[node.name], node.name), at, at
                return ir.Name(origin, variable.type, entry.id), at, at
            case EnumConstant():
                return ir.Const(origin, ir.INT, entry.value, node.name), at, at
            case FunctionDeclaration() if len(entry.overloads) > 1:
                return ir.OpaqueExpr(origin, ct.UNKNOWN, f"one of several functions '{node.name}'"), at, at
            case FunctionDeclaration():
                return ir.FunctionName(origin, ir.OtherType("function"), entry.name), at, at
            case NotRead():
                return ir.OpaqueExpr(origin, ct.UNKNOWN, f"'{node.name}' is declared in what is {entry.cause}"), at, at
            case _:
                number = hole_number(node.name)
                if number is not None:
                    return use_of(self.context, self.context.holes[number], at), at, at
                if node.name in ("true", "false") and self.context.language == "c++":
                    return ir.Const(origin, ct.BOOL, int(node.name == "true"), node.name), at, at
                if node.name.endswith(OPEN_VALUE):
                    name = node.name.removesuffix(OPEN_VALUE)
                    return ir.OpaqueExpr(origin, ir.INT, ir.OPEN_PARAMETER, name=name), at, at
                why = self.context.why_unknown(node.name)
                constant = self.context.undeclared_constant(node.name, origin)
                if constant is not None:
                    return ir.OpaqueExpr(origin, constant, ir.OPEN_PARAMETER, name=node.name), at, at
                what = (
                    f"undeclared name '{node.name}'" if why is None else f"'{node.name}' is declared in what is {why}"
                )
                return ir.OpaqueExpr(origin, ct.UNKNOWN, what), at, at

    # ------------------------------------------------------------------------- arrays, members

    def _arrayref(self, node: Any) -> Ranged:
        base, first, last = self.lower(node.name)
        first, last = self._left(first, last)
        opening = last + 1
        closing = self.text.match[opening]
        index, _, _ = self.lower(node.subscript)
        bracket = self.at(opening, closing)
        called = self.objects.operator("[]", (base, index), self.at(first, closing), bracket)
        if called is not None:
            return called, first, closing
        if isinstance(base.type, ir.StreamType):  # the only one
            return base, first, closing
        inner = ir.vector(base.type)
        if inner is not None:  # std::array, hls::vector
            base = ir.Member(base.at, inner, base, ir.ELEMENTS, False)
        if isinstance(index.type, (ir.ArrayType, ir.PointerType)) and not isinstance(
            base.type, (ir.ArrayType, ir.PointerType)
        ):
            element = self.elements.element(index, base, first, closing)  # i[A]
            return element, first, closing
        direct = (isinstance(base, ir.Name) and self.elements.indexable(base.type)) or isinstance(base, ir.ArrayRef)
        if direct:
            extended = self.elements.extend(base, index, first, closing, bracket)
            if extended is not None:
                return extended, first, closing
        if isinstance(base, (ir.Binary, ir.IncDec, ir.Assign)) and self.elements.indexable(base.type):
            return self.elements.element(base, index, first, closing), first, closing
        at = self.at(first, closing)
        if has_bits(base.type):
            return self.methods.bits(base, index, index, at), first, closing
        return ir.Subscript(at, ct.indexed(base.type), base, index), first, closing

    def _structref(self, node: Any) -> Ranged:
        base, first, last = self.lower(node.name)
        first, last = self._left(first, last)
        member = last + 2
        of = base.type
        if node.type == "->":
            of = ct.indexed(of) if self.elements.indexable(of) else of
        type_: ir.CType = ct.UNKNOWN
        field: str = node.field.name
        if field == "width" and isinstance(of, ir.ScalarType) and of.library is not None:
            return ir.Const(self.at(first, member), ir.INT, of.bits, field), first, member
        if isinstance(of, ir.StructType):
            structure = self.context.tag(of.name) if not of.members else of
            of = structure if isinstance(structure, ir.StructType) else of
            if field.startswith(NTH) and int(field[len(NTH) :]) < len(of.members):
                field = of.members[int(field[len(NTH) :])][0]
            type_ = next((t for n, t in of.members if n == field), ct.UNKNOWN)
            static = self.context.lookup(f"{of.name}::{field}") if type_ == ct.UNKNOWN else None
            if isinstance(static, EnumConstant):
                return ir.Const(self.at(first, member), ir.INT, static.value, field), first, member
            if isinstance(static, VariableId):
                return ir.Name(self.at(first, member), self.context.variable(static.id).type, static.id), first, member
        part = ir.Member(self.at(first, member), type_, base, field, node.type == "->")
        return constant_member(self.context, part, spell(self.text.tokens[first : member + 1])), first, member

    def _method(self, node: Any) -> Ranged:
        """``object.name(args)``: a channel operation, or something of an arbitrary-precision value."""
        base, first, last = self.lower(node.name.name)
        first, last = self._left(first, last)
        member = last + 2
        opening = self._close_after(member) + 1
        closing = self.text.match[opening]
        args = tuple(self._argument(a) for a in node.args.exprs) if node.args is not None else ()
        at = self.at(first, closing)
        field = dict(base.type.members).get(node.name.field.name) if isinstance(base.type, ir.StructType) else None
        arrow, callee = node.name.type == "->", self.at(member, member)
        of_bits = field is not None and (isinstance(field, ir.ScalarType) or has_bits(field))
        if field is not None and (of_bits or isinstance(field, ir.StructType)):  # s.data(7, 0); s.sum(a, b)
            part = ir.Member(self.at(first, member), field, base, node.name.field.name, arrow)
            called = self.methods.call(part, "range", args, at, callee) if of_bits else None
            called = called or self.objects.operator("()", (part, *args), at, callee)
            if called is not None:
                return called, first, closing
        base = first_channel(base) if arrow else base
        called = self.objects.member(base, arrow, node.name.field.name, args, at, callee)
        if called is not None:
            return called, first, closing
        if isinstance(base.type, ir.StreamType) and node.name.field.name.startswith("write"):
            args = tuple(self.objects.converted(a, base.type.element) for a in args)
        return self.methods.call(base, node.name.field.name, args, at, callee), first, closing

    def _funccall(self, node: Any) -> Ranged:
        if self.context.language == "c++" and isinstance(node.name, c_ast.StructRef):
            return self._method(node)
        function: str | None = None
        callee: ir.Expr | None = None
        type_: ir.CType = ct.UNKNOWN
        if isinstance(node.name, c_ast.ID) and not isinstance(self.context.lookup(node.name.name), VariableId):
            first = last = node.name.coord.line
            function = node.name.name
            entry = self.context.lookup(function)
            type_ = ir.INT
        else:
            callee, first, last = self.lower(node.name)
            if isinstance(callee, ir.FunctionName):
                function, callee = callee.name, None
                entry = self.context.lookup(function.partition("@")[0].partition("(")[0])
                type_ = entry.returns if isinstance(entry, FunctionDeclaration) else ir.INT
        first, last = self._left(first, last)
        name = self.at(first, last)
        opening = last + 1
        closing = self.text.match[opening]
        args = [] if node.args is None else [self._argument(a) for a in node.args.exprs]
        at = self.at(first, closing)
        if function in ASM:
            return ir.OpaqueExpr(at, ct.UNKNOWN, "an asm statement", tuple(args)), first, closing
        called = self.objects.operator("()", (callee, *args), at, name) if callee is not None else None
        if called is not None:
            return called, first, closing
        if callee is not None and (isinstance(callee.type, ir.ScalarType) or has_bits(callee.type)):  # x(7, 0)
            return self.methods.call(callee, "range", tuple(args), at, name), first, closing
        if function is not None:
            if isinstance(entry, FunctionDeclaration):
                copied = self.objects.copied(function, args, at, name)
                if copied is not None:
                    return copied, first, closing
                collected = self.context.collected
                entry = chosen(entry, args, collected.functions, collected.variables)
                function, type_ = entry.name, entry.returns
                args += left_out(self.context, entry, len(args), self.at(closing, closing))
                args = list(self.objects.handed(function, args))
                if (place := self.objects.place(entry, args, at)) is not None:
                    return place, first, closing
            type_ = self._overloaded(function, name, type_, args)
            known = constant_call(self.context, function, type_, args, entry)
            if known is not None:
                return ir.Const(at, type_, known, spell(self.text.tokens[first : closing + 1]).strip()), first, closing
            self.context.collected.called.setdefault(function, name)
        elif callee is not None and not isinstance(callee, (ir.Name, ir.OpaqueExpr)):
            args.insert(0, ir.OpaqueExpr(name, ct.UNKNOWN, "called expression", (callee,)))
        return ir.Call(self.context.collected.new_id(), at, type_, function, tuple(args), name), first, closing

    def _overloaded(self, name: str, at: Origin, returns: ir.CType, args: list[ir.Expr]) -> ir.CType:
        if self.context.language == "c" or not args or name in self.context.collected.functions:
            return returns
        written = self.context.collected.sources[at.span.path].text[at.span.start : at.span.end]
        return type_of_call(name, written, returns, args, self.context.mathematics_of_c)

    def _argument(self, node: Any) -> ir.Expr:
        if isinstance(node, c_ast.Typename):  # va_arg, offsetof
            at = self._leaf(node)
            return ir.OpaqueExpr(self.at(at, at), ct.UNKNOWN, "type name")
        return self.lower(node)[0]

    # ---------------------------------------------------------------------------- operators

    def _unaryop(self, node: Any) -> Ranged:
        op = node.op
        if op in ("sizeof", "_Alignof"):
            return self._sizeof(node)
        operand, first, last = self.lower(node.expr)
        if op in ("p++", "p--", "++", "--", "&"):
            operand = self.elements.place(operand)
            self._not_assumed(operand, first)
        if op in ("p++", "p--"):
            first, last = self._left(first, last)
            end = last + 1
            return ir.IncDec(self.at(first, end), operand.type, op[1:], False, operand), first, end
        start, end = self._right(first, last)
        start -= 1
        called = self.objects.operator(op, (operand,), self.at(start, end), operand.at) if op != "&" else None
        if called is not None:
            return called, start, end
        if op in ("++", "--"):
            return ir.IncDec(self.at(start, end), operand.type, op, True, operand), start, end
        channel = first_channel(operand) if op == "*" else operand
        if op in ("*", "&") and isinstance(channel.type, ir.StreamType):
            return channel, start, end
        if op == "*":
            return self.elements.element(operand, None, start, end), start, end
        if op == "&":
            return ir.Unary(self.at(start, end), ir.PointerType(operand.type), op, operand), start, end
        operand = self.objects.number(operand)
        type_ = ir.INT if op == "!" else negated(operand.type) if op == "-" else promoted(operand.type)
        return ir.Unary(self.at(start, end), type_, op, operand), start, end

    def _sizeof(self, node: Any) -> Ranged:
        at = node.coord.line
        if isinstance(node.expr, c_ast.Typename):
            type_ = self.declarations.type_of(node.expr)
            end = self.text.match[at + 1]
            value = ct.size_of(type_) if node.op == "sizeof" else ct.align_of(type_)
            return ir.SizeOf(self.at(at, end), ct.SIZE, None, value), at, end
        operand, first, last = self.lower(node.expr)
        _, end = self._right(first, last, at + 1)
        size = ct.size_of(operand.type)
        if isinstance(operand, ir.Name) and isinstance(operand.type, ir.ArrayType):
            variable = self.context.variable(operand.variable)
            if variable.storage == "parameter" and not variable.reference:
                size = 8  # a pointer, whatever its declaration looks like
        made = ir.SizeOf(self.at(at, end), ct.SIZE, operand, size)
        self.context.collected.sizes.append(made)
        return made, at, end

    def _binaryop(self, node: Any) -> Ranged:
        left, first, last = self.lower(node.left)
        first, _ = self._left(first, last)
        right, begin, end = self.lower(node.right)
        _, end = self._right(begin, end)
        if node.op in ("<<", ">>") and isinstance(left.type, ir.StreamType):
            operation = "write" if node.op == "<<" else "read"
            at = self.at(first, end)
            return self.methods.channel(left, operation, (right,), at, left.at), first, end
        called = self.objects.operator(node.op, (left, right), self.at(first, end), left.at)
        if called is not None:
            return called, first, end
        left, right = self.objects.number(left), self.objects.number(right)
        if node.op in _COMPARISONS:
            type_: ir.CType = ir.INT
        elif node.op in ("<<", ">>"):
            type_ = promoted(left.type)
        elif node.op == "-" and self.elements.indexable(left.type) and self.elements.indexable(right.type):
            type_ = ct.LONG
        else:
            vector = next((t for t in (left.type, right.type) if ir.vector(t) is not None), None)
            type_ = vector or ct.decayed(ct.arithmetic(left.type, right.type))
        return ir.Binary(self.at(first, end), type_, node.op, left, right), first, end

    def _not_assumed(self, target: ir.Expr, at: int) -> None:
        if isinstance(target, ir.Const) and target.text in self.context.assumed:
            raise changes_assumed(self.context, target.text, at)

    def _assignment(self, node: Any) -> Ranged:
        target, first, last = self.lower(node.lvalue)
        target = self.elements.place(target)
        first, _ = self._left(first, last)
        braces = isinstance(node.rvalue, c_ast.CompoundLiteral)
        value, begin, end = self._compoundliteral(node.rvalue, target.type) if braces else self.lower(node.rvalue)
        _, end = self._right(begin, end)
        self._not_assumed(target, first)
        at = self.at(first, end)
        called = self.objects.operator(node.op, (target, value), at, target.at)
        if called is not None:
            return called, first, end
        if node.op == "=":
            built = self.objects.built(target, value, at)
            if built is not None:
                return built, first, end
            value = self.objects.converted(value, target.type)
        bits = stored_bits(target, value) if node.op == "=" else None
        if bits is not None:
            return ir.Assign(at, bits[0].type, "=", *bits), first, end
        stored = self.methods.store(target, node.op, value, at)
        return stored or ir.Assign(at, target.type, node.op, target, value), first, end

    def condition(self, node: Any) -> ir.Expr:
        """What a statement tests: an object as the number that it converts to."""
        return self.objects.number(self.lower(node)[0])

    def _ternaryop(self, node: Any) -> Ranged:
        if isinstance(node.iftrue, c_ast.Constant) and node.iftrue.value == RANGE:
            return self._opaque(node, "range")
        test, first, last = self.lower(node.cond)
        test = self.objects.number(test)
        first, _ = self._left(first, last)
        then, _, _ = self.lower(node.iftrue)
        other, begin, end = self.lower(node.iffalse)
        _, end = self._right(begin, end)
        same = isinstance(then.type, ir.StructType) and then.type == other.type
        type_ = then.type if same else ct.arithmetic(then.type, other.type)
        return ir.Conditional(self.at(first, end), type_, test, then, other), first, end

    def _cast(self, node: Any) -> Ranged:
        opening = node.coord.line
        type_ = self.declarations.type_of(node.to_type)
        operand, first, last = self.lower(node.expr)
        _, end = self._right(first, last, self.text.match[opening] + 1)
        items, at = _listed(operand), self.at(opening, end)
        if isinstance(type_, ir.StructType) and (len(items) > 1 or not isinstance(operand.type, ir.StructType)):
            texts, behind = self.text.texts, self.text.match[opening] + 1
            given = () if texts[behind] != "(" and texts[behind] == "0" else items  # T()
            called = self.objects.made(type_, given, at, self.at(opening, opening))
            return called or ir.OpaqueExpr(at, type_, ir.CONSTRUCTOR, items), opening, end
        return spelled_number(items, type_, at) or ir.Cast(at, type_, operand), opening, end

    def _exprlist(self, node: Any) -> Ranged:
        items = [self.lower(e) for e in node.exprs]
        first, _ = self._left(items[0][1], items[0][2])
        _, last = self._right(items[-1][1], items[-1][2])
        exprs = tuple(e for e, _, _ in items)
        if self.context.language == "c++" and all(_wide(e) for e in exprs):
            at = self.at(first, last)
            bits = sum(e.type.bits for e in exprs if isinstance(e.type, ir.ScalarType))
            type_ = ir.ScalarType(f"ap_uint<{bits}>", "int", bits, False)
            return ir.OpaqueExpr(at, type_, ir.CONCATENATION, exprs), first, last
        return ir.Comma(self.at(first, last), exprs[-1].type, exprs), first, last

    # ---------------------------------------------------------------------------- values in braces

    def _compoundliteral(self, node: Any, wanted: ir.CType | None = None) -> Ranged:
        """``(T){..}``; what ``{..}`` alone makes is what is ``wanted``."""
        opening = node.coord.line
        type_ = self.declarations.type_of(node.type)
        if isinstance(type_, ir.OtherType) and isinstance(wanted, ir.StructType):
            type_ = wanted
        brace = self.text.match[opening] + 1
        value, _, last = self.initial.value(node.init, brace, type_)
        made = ir.OpaqueExpr(self.at(opening, last), type_, ir.LITERAL, (value,))
        return self.objects.braced(made, type_), opening, last

    def _initlist(self, node: Any) -> Ranged:
        return self._opaque(node, "initialiser list")

    # ------------------------------------------------------------------------------- others

    def _opaque(self, node: Any, what: str) -> Ranged:
        """Something carried along: its sub-expressions are kept."""
        names = {
            "GenericSelection": "_Generic selection", "Compound": "statement expression", "range": "case range",
        }  # fmt: skip
        children: list[ir.Expr] = []
        first = last = self._leaf(node)
        for child in _subexpressions(node):
            expr, begin, end = self.lower(child)
            children.append(expr)
            first, last = min(first, begin), max(last, end)
        if what == "Compound":
            last = max(last, self.text.match[first])
        return ir.OpaqueExpr(self.at(first, last), ct.UNKNOWN, names.get(what, what), tuple(children)), first, last


def _subexpressions(node: Any) -> list[Any]:
    """The expressions nearest below a node that is none itself."""
    children: list[Any] = []
    for _, child in node.children():
        if isinstance(child, _EXPRESSIONS):
            children.append(child)
        elif not isinstance(child, (c_ast.Typename, c_ast.TypeDecl)):
            children.extend(_subexpressions(child))
    return children


_EXPRESSIONS = (
    c_ast.ArrayRef, c_ast.Assignment, c_ast.BinaryOp, c_ast.Cast, c_ast.CompoundLiteral, c_ast.Constant,
    c_ast.ExprList, c_ast.FuncCall, c_ast.ID, c_ast.StructRef, c_ast.TernaryOp, c_ast.UnaryOp,
)  # fmt: skip


def _listed(operand: ir.Expr) -> tuple[ir.Expr, ...]:
    """What stands between the brackets of ``T(a, b)``, also where it would be one number without the type."""
    if isinstance(operand, ir.OpaqueExpr) and operand.what == ir.CONCATENATION:
        return operand.children
    return operand.items if isinstance(operand, ir.Comma) else (operand,)


def _wide(expr: ir.Expr) -> bool:
    """A value of an arbitrary-precision type that is no assignment: ``(a, b)`` of such concatenates."""
    effect = isinstance(expr, (ir.Assign, ir.IncDec))
    return isinstance(expr.type, ir.ScalarType) and expr.type.library is not None and not effect
