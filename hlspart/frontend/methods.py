"""Methods of C++ objects that mean something in C: channel operations and bits of wide integers.

``x.range(hi, lo)``, ``x(hi, lo)``, ``x[b]`` and their kin become shifts and masks, so that every
analysis understands them; a store into bits becomes a read-modify-write of the whole value.
"""

from __future__ import annotations

import re

from msgspec.structs import replace

from hlspart.frontend import types as ct
from hlspart.frontend.constants import value_of
from hlspart.frontend.context import Context
from hlspart.model import program as ir
from hlspart.model.source import Origin

_CONVERSIONS: dict[str, ir.ScalarType] = {
    "to_int": ir.INT, "to_uint": ct.UNSIGNED, "to_long": ct.LONG, "to_ulong": ct.SIZE, "to_int64": ct.LONG,
    "to_uint64": ct.SIZE, "to_bool": ct.BOOL, "to_float": ct.FLOAT, "to_double": ct.DOUBLE,
}  # fmt: skip
_COMPARED = {
    "or_reduce": ("!=", False),
    "nor_reduce": ("==", False),
    "and_reduce": ("==", True),
    "nand_reduce": ("!=", True),
    "iszero": ("==", False),
    "is_zero": ("==", False),
}
_BIT = {"get_bit", "bit", "test"}
_PARTS = {("range", 2), *((name, 1) for name in _BIT)}
_CLASS = re.compile("[<:]")
_WIDE = ("ap_int<", "ap_uint<", "ap_fixed<", "ap_ufixed<")
WORDS = frozenset(("ap_axiu", "ap_axis", "axis", "qdma_axis"))  # words of a stream with side channels


def _is_place(expr: ir.Expr) -> bool:
    """Whether an expression is a variable, an element or a member, found without a side effect."""
    base = expr
    while isinstance(base, ir.Member | ir.Subscript):
        base = base.base
    acts = (ir.Assign, ir.IncDec, ir.Call, ir.OpaqueExpr)
    return isinstance(base, ir.Name | ir.ArrayRef) and not any(isinstance(e, acts) for e in ir.walk(expr))


def has_bits(kind: ir.CType) -> bool:
    """Whether a type is a wide number, of known width or of one that a parameter without a value decides."""
    if isinstance(kind, ir.ScalarType):
        return kind.library is not None
    return ir.is_open(kind) and isinstance(kind, ir.OtherType) and kind.name.startswith(_WIDE)


def is_parameter(kind: ir.CType) -> bool:
    """Whether a type is a parameter without a value itself: what has bits by these names is a wide number."""
    return ir.is_open(kind) and isinstance(kind, ir.OtherType) and not _CLASS.search(kind.name)


def _of_all_bits(kind: ir.CType) -> ir.CType:
    """The unsigned number with as many bits as a wide one; an open type itself."""
    if not isinstance(kind, ir.ScalarType):
        return kind
    return ir.ScalarType(f"ap_uint<{kind.bits}>", "int", kind.bits, False)


class Methods:
    """Builds the expressions; remembers which of them stand for bits, for stores into them."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.fields: dict[ir.Expr, tuple[ir.Expr, ir.Expr, ir.Expr]] = {}  # bits -> (whole, high, low)

    def call(self, base: ir.Expr, name: str, args: tuple[ir.Expr, ...], at: Origin, callee: Origin) -> ir.Expr:
        """``base.name(args)``."""
        if isinstance(base.type, ir.StreamType):
            return self.channel(base, name, args, at, callee)
        scalar = base.type if isinstance(base.type, ir.ScalarType) else None
        if (scalar is not None or has_bits(base.type)) and name in _CONVERSIONS and not args:
            return ir.Cast(at, _CONVERSIONS[name], base)
        if scalar is None and (has_bits(base.type) or is_parameter(base.type)) and (name, len(args)) in _PARTS:
            return self.bits(base, args[0], args[-1], at)
        if scalar is not None and scalar.kind in ("int", "fixed"):
            if name == "range" and len(args) == 2:
                return self.bits(base, args[0], args[1], at)
            if name in _BIT and len(args) == 1:
                return self.bits(base, args[0], args[0], at)
            if name == "range" and not args:
                return ir.Cast(at, ir.ScalarType(f"ap_uint<{scalar.bits}>", "int", scalar.bits, False), base)
            if name in _COMPARED and not args:
                op, ones = _COMPARED[name]
                return self._compared(base, op, ones, at)
            if name in ("to_ap_int", "to_ap_int_base") and len(args) <= 1 and scalar.kind == "fixed":
                width, signed = scalar.bits - (scalar.fraction_bits or 0), scalar.signed
                if width > 0:
                    of = ir.ScalarType(f"ap_{'' if signed else 'u'}int<{width}>", "int", width, signed)
                    return ir.Cast(at, of, base)
            if name == "sign" and not args:
                return ir.Binary(at, ct.BOOL, "<", base, ir.integer(0, at))
            if name == "concat" and len(args) == 1 and isinstance(args[0].type, ir.ScalarType):
                total = scalar.bits + args[0].type.bits
                kind = ir.ScalarType(f"ap_uint<{total}>", "int", total, False)
                return ir.OpaqueExpr(at, kind, ir.CONCATENATION, (base, args[0]))
            if name == "length" and not args:
                return ir.integer(scalar.bits, at)
            changed = self._changed(base, scalar, name, args, at) if _is_place(base) else None
            if changed is not None:
                return changed
        access = self._field(base, name, args, at) or self._element(base, name, args, at)
        if access is not None:
            return access
        what = f"method {name}"
        if isinstance(base.type, ir.OtherType):
            why = self.context.why_unknown(base.type.name)
            what += f" of {base.type.name}, {why}" if why is not None else ""
        return ir.OpaqueExpr(at, base.type, what, (base, *args))

    def _changed(
        self, base: ir.Expr, of: ir.ScalarType, name: str, args: tuple[ir.Expr, ...], at: Origin
    ) -> ir.Expr | None:
        """What changes bits of a number in place: ``x.set_bit(3, b)``, ``x.lrotate(1)``."""
        whole = ir.ScalarType(f"ap_uint<{of.bits}>", "int", of.bits, False)
        if (name, len(args)) in (("set_bit", 2), ("set", 1), ("clear", 1)):
            value = args[1] if len(args) == 2 else ir.integer(int(name == "set"), at)
            return self.store(self.bits(base, args[0], args[0], at), "=", value, at)
        if name in ("lrotate", "rrotate") and len(args) == 1:
            value = ir.Cast(at, whole, base)
            rest = ir.Binary(at, ir.INT, "-", ir.integer(of.bits, at), args[0])
            left, right = (args[0], rest) if name == "lrotate" else (rest, args[0])
            parts = (ir.Binary(at, whole, "<<", value, left), ir.Binary(at, whole, ">>", value, right))
            return ir.Assign(at, of, "=", base, ir.Binary(at, whole, "|", *parts))
        if name == "invert" and len(args) == 1:
            one = ir.Binary(at, whole, "<<", ir.Cast(at, whole, ir.integer(1, at)), args[0])
            return ir.Assign(at, of, "^=", base, one)
        if name == "b_not" and not args:
            return ir.Assign(at, of, "=", base, ir.Unary(at, of, "~", base))
        return None

    @staticmethod
    def _field(base: ir.Expr, name: str, args: tuple[ir.Expr, ...], at: Origin) -> ir.Expr | None:
        """``get_data()`` and ``set_data(x)`` of a word with side channels."""
        of = base.type
        if not isinstance(of, ir.StructType) or of.name.partition("<")[0] not in WORDS:
            return None
        kind = dict(of.members).get(name[4:])
        if kind is None or name[:4] not in ("get_", "set_") or len(args) != (name[:4] == "set_"):
            return None
        field = ir.Member(at, kind, base, name[4:], False)
        return ir.Assign(at, kind, "=", field, args[0]) if args else field

    @staticmethod
    def _element(base: ir.Expr, name: str, args: tuple[ir.Expr, ...], at: Origin) -> ir.Expr | None:
        """``size()``, ``at(i)``, ``front()`` and ``back()`` of ``std::array``."""
        inner = ir.vector(base.type)
        count = inner.dims[0] if inner is not None else None
        if inner is None or count is None:
            return None
        if name == "size" and not args:
            return ir.integer(count, at)
        ends = {"front": 0, "back": count - 1}
        index = args[0] if name == "at" and len(args) == 1 else None
        if name in ends and not args:
            index = ir.integer(ends[name], at)
        if index is None:
            return None
        return ir.Subscript(at, inner.element, ir.Member(base.at, inner, base, ir.ELEMENTS, False), index)

    def channel(self, stream: ir.Expr, name: str, args: tuple[ir.Expr, ...], at: Origin, callee: Origin) -> ir.Expr:
        """An operation of ``hls::stream``."""
        assert isinstance(stream.type, ir.StreamType)
        element = stream.type.element
        name = {"try_read": "read_nb", "try_write": "write_nb"}.get(name, name)  # TAPA
        into = len(args) == 1 and _is_place(args[0])
        if name == "read" and len(args) == 1 and isinstance(args[0], ir.Const):  # in.read(nullptr)
            return ir.Call(self.context.collected.new_id(), at, element, "stream.read_if", (stream,), callee)
        if not into and (name == "read_nb" or (name == "read" and args)):
            return ir.OpaqueExpr(at, ct.BOOL, f"non-blocking stream operation {name}", (stream, *args))
        returns: ir.CType = {"read": element, "write": ct.VOID, "size": ct.UNSIGNED}.get(name, ct.BOOL)
        asks_success = name == "read" and into and args[0].type == ct.BOOL and element != ct.BOOL
        if asks_success:  # TAPA's in.read(ok)
            return ir.Call(self.context.collected.new_id(), at, element, "stream.read_if", (stream, *args), callee)
        if name == "read" and len(args) == 1:  # in.read(x), in >> x
            value = ir.Call(self.context.collected.new_id(), at, element, "stream.read", (stream,), callee)
            return ir.Assign(at, element, "=", args[0], value)
        return ir.Call(self.context.collected.new_id(), at, returns, f"stream.{name}", (stream, *args), callee)

    def bits(self, whole: ir.Expr, high: ir.Expr, low: ir.Expr, at: Origin) -> ir.Expr:
        """Bits ``high`` down to ``low`` of a value."""
        variables = self.context.collected.variables
        top, bottom = value_of(high, variables), value_of(low, variables)
        of_all = _of_all_bits(whole.type)
        width = 1 if high is low else abs(top - bottom) + 1 if top is not None and bottom is not None else None
        type_ = ir.ScalarType(f"ap_uint<{width}>", "int", width, False) if width is not None else of_all
        if top is not None and bottom is not None and 0 <= top < bottom:
            return ir.OpaqueExpr(at, type_, ir.REVERSED, (whole, high, low))
        shifted: ir.Expr = whole
        if bottom != 0:
            shifted = ir.Binary(at, of_all, ">>", ir.Cast(at, of_all, whole), low)
        if width is not None:
            result: ir.Expr = ir.Cast(at, type_, shifted)
        else:
            result = ir.Binary(at, of_all, "&", shifted, self._mask(high, low, of_all, at))
        self.fields[result] = (whole, high, low)
        return result

    @staticmethod
    def _compared(value: ir.Expr, op: str, ones: bool, at: Origin) -> ir.Expr:
        """Whether the bits of a value are all zeros (or ones)."""
        assert isinstance(value.type, ir.ScalarType)
        bits = value.type.bits
        unsigned = ir.ScalarType(f"ap_uint<{bits}>", "int", bits, False)
        number = (1 << bits) - 1 if ones else 0
        return ir.Binary(at, ct.BOOL, op, ir.Cast(at, unsigned, value), ir.Const(at, unsigned, number, str(number)))

    def _mask(self, high: ir.Expr, low: ir.Expr, type_: ir.CType, at: Origin) -> ir.Expr:
        """``(1 << (high - low + 1)) - 1``."""
        variables = self.context.collected.variables
        top, bottom = value_of(high, variables), value_of(low, variables)
        of = type_ if isinstance(type_, ir.ScalarType) else ir.INT
        if top is not None and bottom is not None and 0 <= top - bottom < 4096:
            value = (1 << (top - bottom + 1)) - 1
            return ir.Const(at, of, value, hex(value))
        one = ir.Const(at, of, 1, "1")
        count = ir.Binary(at, ir.INT, "+", ir.Binary(at, ir.INT, "-", high, low), ir.integer(1, at))
        return ir.Binary(at, type_, "-", ir.Binary(at, type_, "<<", one, count), one)

    def store(self, target: ir.Expr, op: str, value: ir.Expr, at: Origin) -> ir.Expr | None:
        """``bits = value`` as a read-modify-write of the whole; None when ``target`` is no bits."""
        field = self.fields.get(target)
        if field is None:
            return None
        whole, high, low = field
        if not _is_place(whole):
            return ir.OpaqueExpr(at, target.type, "assignment to bits", (whole, high, low, value))
        if any(isinstance(e, ir.ArrayRef) for e in ir.walk(whole)):
            if op != "=":
                return ir.OpaqueExpr(at, target.type, "assignment to bits", (whole, high, low, value))
            # one textual element stays one element: what is combined into it is not said
            return ir.Assign(at, whole.type, "|=", whole, ir.Binary(at, whole.type, "<<", value, low))
        if op != "=":
            value = ir.Binary(at, target.type, op.removesuffix("="), target, value)
        type_ = _of_all_bits(whole.type)
        mask = self._mask(high, low, type_, at)
        placed = ir.Binary(at, type_, "<<", ir.Binary(at, type_, "&", value, mask), low)
        hole = ir.Unary(at, type_, "~", ir.Binary(at, type_, "<<", mask, low))
        kept = ir.Binary(at, type_, "&", replace(whole), hole)
        return ir.Assign(at, whole.type, "=", whole, ir.Binary(at, type_, "|", kept, placed))
