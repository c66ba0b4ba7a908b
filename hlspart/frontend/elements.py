"""Elements of arrays: subscripts, ``*(A + i)``, ``*p++`` as one kind of record."""

from __future__ import annotations

from hlspart.frontend import types as ct
from hlspart.frontend.context import Context
from hlspart.model import program as ir
from hlspart.model.source import Origin


class Elements:
    """Builds array references of one unit."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._places: dict[ir.Expr, ir.Expr] = {}

    def indexable(self, type_: ir.CType) -> bool:
        """Subscripts reach memory (an array of channels holds none)."""
        memory = not isinstance(type_, ir.ArrayType) or not isinstance(type_.element, ir.StreamType)
        return memory and isinstance(type_, (ir.ArrayType, ir.PointerType))

    def extend(self, base: ir.Expr, index: ir.Expr, first: int, last: int, bracket: Origin | None) -> ir.Expr | None:
        """``base[index]`` as an ArrayRef when the base is a variable or an ArrayRef with subscripts left."""
        indices: tuple[ir.Expr, ...]
        brackets: tuple[Origin, ...]
        match base:
            case ir.Name():
                variable, indices, name = base.variable, (index,), base.at
                brackets = (bracket,) if bracket else ()
            case ir.ArrayRef():
                if len(base.indices) >= ct.rank(self.context.variable(base.variable).type):
                    return None
                variable, indices, name = base.variable, (*base.indices, index), base.name
                complete = bracket is not None and len(base.brackets) == len(base.indices)
                brackets = (*base.brackets, bracket) if complete and bracket else ()
            case _:
                return None
        type_ = ct.indexed(self.context.variable(variable).type, len(indices))
        ident = self.context.collected.new_id()
        return ir.ArrayRef(ident, self.context.text.origin(first, last), type_, variable, indices, name, brackets)

    def element(self, pointer: ir.Expr, index: ir.Expr | None, first: int, last: int) -> ir.Expr:
        """``*(pointer + index)`` as an ArrayRef where the pointer is ``A``, ``A + i`` or ``A[i] + j``."""
        base, offset = self._pointer(pointer)
        if base is not None:
            total = offset if index is None else index if offset is None else self._sum(offset, index)
            if total is None:
                total = ir.Const(_unwritten(pointer), ir.INT, 0, "0")
            extended = self.extend(base, total, first, last, None)
            if extended is not None:
                return extended
        at = self.context.text.origin(first, last)
        if index is not None:
            return ir.Subscript(at, ct.indexed(pointer.type), pointer, index)
        made = ir.Unary(at, ct.indexed(pointer.type), "*", pointer)
        same = _same_bits(pointer, at)
        if same is None:
            return made
        self._places[same] = made
        return same

    def place(self, target: ir.Expr) -> ir.Expr:
        """What is written or pointed to: the object itself where ``element`` gave its value."""
        return self._places.get(target, target)

    def _sum(self, left: ir.Expr, right: ir.Expr) -> ir.Expr:
        return ir.Binary(_unwritten(left), ct.arithmetic(left.type, right.type), "+", left, right)

    def _pointer(self, expr: ir.Expr) -> tuple[ir.Expr | None, ir.Expr | None]:
        """(array name or row, offset) of a pointer expression; (None, None) when it has no such form."""
        match expr:
            case ir.Name() if self.indexable(expr.type):
                return expr, None
            case ir.ArrayRef() if isinstance(expr.type, ir.ArrayType):
                return expr, None
            case ir.Binary(op="+") | ir.Binary(op="-"):
                pointer, offset = expr.left, expr.right
                if expr.op == "+" and self.indexable(offset.type) and not self.indexable(pointer.type):
                    pointer, offset = offset, pointer
                if not self.indexable(pointer.type) or not isinstance(offset.type, ir.ScalarType):
                    return None, None
                if expr.op == "-":
                    offset = ir.Unary(_unwritten(offset), offset.type, "-", offset)
                base, inner = self._pointer(pointer)
                if base is None:
                    return None, None
                return base, offset if inner is None else self._sum(inner, offset)
            case ir.IncDec(operand=ir.Name()) | ir.Assign(target=ir.Name()) if isinstance(expr.type, ir.PointerType):
                # indices are evaluated before the pointer: *p++ is p[(p++, -1)]
                moved = 0
                if isinstance(expr, ir.IncDec) and not expr.prefix:
                    moved = -1 if expr.op == "++" else 1
                back = ir.Const(_unwritten(expr), ir.INT, moved, str(moved))
                name = expr.operand if isinstance(expr, ir.IncDec) else expr.target
                return name, ir.Comma(_unwritten(expr), ir.INT, (expr, back))
            case _:
                return None, None


def _same_bits(pointer: ir.Expr, at: Origin) -> ir.Expr | None:
    """The value of ``*(T *)&x`` where x is no element of an array and has as many bits as T; None where it is not."""
    match pointer:
        case ir.Cast(type=ir.PointerType(target=ir.ScalarType() as to), operand=ir.Unary(op="&", operand=whole)):
            of = whole.type
            element = isinstance(whole, ir.ArrayRef | ir.Subscript) or (isinstance(whole, ir.Unary) and whole.op == "*")
            if element or not isinstance(of, ir.ScalarType) or of.bits != to.bits:
                return None
            if to.kind == of.kind == "int":
                return ir.Cast(at, to, whole)
            return ir.OpaqueExpr(at, to, ir.SAME_BITS, (whole,))
    return None


def stored_bits(place: ir.Expr, value: ir.Expr) -> tuple[ir.Expr, ir.Expr] | None:
    """``*(T *)&x = v`` as the variable and its new value; None where it is not that."""
    same = _same_bits(place.operand, place.at) if isinstance(place, ir.Unary) and place.op == "*" else None
    if same is None:
        return None
    whole = ir.children(same)[0]
    return whole, ir.OpaqueExpr(value.at, whole.type, ir.SAME_BITS, (ir.Cast(value.at, same.type, value),))


def _unwritten(near: ir.Expr) -> Origin:
    """Origin of an expression that stands nowhere in the text as such, only pieces of it near ``near``."""
    return Origin(near.at.span, "mixed")
