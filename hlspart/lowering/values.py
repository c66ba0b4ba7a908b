"""Values: expressions of one iteration become operations, scalars become values.

Conditional expressions become selections. Memory accesses and equal computations are the business of
:mod:`hlspart.lowering.operations`, statements that of :mod:`hlspart.lowering.statements`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hlspart.hardware.unmodelled import Unmodelled
from hlspart.lowering.channels import Channels
from hlspart.lowering.functions import IGNORED, moves, operator_of
from hlspart.lowering.narrowing import singles
from hlspart.lowering.offsets import note_kept
from hlspart.lowering.operations import Frame
from hlspart.lowering.parts import Key, why
from hlspart.lowering.widths import measured
from hlspart.model import program as c
from hlspart.model.arithmetic import fold, fold_unary
from hlspart.semantics import conversions, folding, spans
from hlspart.semantics.addresses import is_apart
from hlspart.semantics.effects import effects


class Values(Channels):
    """Evaluates expressions symbolically.

    ``declared``, ``modified``: variables that the elaborated statements declare, and assign.
    """

    def __init__(self, frame: Frame, declared: frozenset[int], modified: frozenset[int]) -> None:
        super().__init__(frame)
        self.declared, self.modified = declared, modified
        self.starting: set[int] = set()  # variables whose initial value is looked at
        self.phis: dict[Key, int] = {}

    def _operate(
        self, op: str, type_: c.CType, operands: tuple[int, int], types: tuple[c.CType, c.CType], line: int,
        operand_type: c.CType,
    ) -> int:  # fmt: skip
        """A binary operation on values; ``types`` of the operands before they meet in ``operand_type``."""
        left, right = operands
        a, b = self.constants.get(left), self.constants.get(right)
        if a is not None and b is not None and (folded := fold(op, a, b)) is not None:
            return self.constant(folding.wrapped(folded, type_))
        same = folding.identity(op, a, b)
        if same is not None:
            return left if same == "left" else right
        if not folding.is_float(operand_type):
            decided = spans.decided(op, self._span(left, types[0]), self._span(right, types[1]))
            if decided is not None:
                return self.constant(int(decided))
        ops = self.body.ops
        kind, bits = folding.operator(op, operand_type, a, b)
        if kind == "dcmp" and (floats := singles(operands, ops, self.constants)) is not None:
            kind, (left, right) = "fcmp", floats
        kinds = {ops[left].kind, ops[right].kind}
        known = kind in folding.ADDRESS and {"mul": "const" in kinds, "div": b is not None}.get(kind, True)
        if known and "index" in kinds <= {"const", "index", "input"}:  # reports: else it takes a multiplier, a divider
            kind = "index"
        if kind == "div" and b is not None and self.frame.reciprocals:
            return self.quotient(op, type_, (left, right), types, line)
        made = self.make(kind, bits, (left, right), line, (op,), op)
        self.ranges.note(made, op, operands, b, (operand_type, types[0]))
        form = folding.affine(op, self.forms.get(left), self.forms.get(right))
        if form is not None:
            self.forms[made] = form
        if not folding.is_float(operand_type):
            self._measure(op, made, type_, self._span(left, types[0]), self._span(right, types[1]))
            self.ranges.join(made, ops, self.spans)
        return made

    def _span(self, value: int, type_: c.CType) -> spans.Span | None:
        """What an integer value holds where it is used as a value of ``type_``."""
        return spans.within(self.spans.get(value), type_)

    def _measure(self, op: str, made: int, type_: c.CType, left: spans.Span | None, right: spans.Span | None) -> None:
        """Note what an operation makes, the widths of a product's operands, and that of a sum or comparison."""
        span = spans.within(spans.combine(op, left, right), type_)
        if span is not None:
            self.spans[made] = spans.both(self.spans.get(made, span), span) or span
        self.body.ops[made] = measured(self.body.ops[made], span, left, right)

    # -------------------------------------------------------------------------- expressions

    def value(self, expr: c.Expr) -> int:
        """The value of an expression, its side effects performed."""
        line = self.program.line(expr.at)
        match expr:
            case c.Const():
                return self.constant(expr.value)
            case c.SizeOf():
                if expr.value is None:
                    raise Unmodelled("sizeof of an unknown type", line)
                return self.constant(expr.value)
            case c.Name() if isinstance(expr.type, c.StructType):
                return self._with_members(expr.variable, line)
            case c.Name():
                return self._read(expr.variable)
            case c.ArrayRef():
                return self._load(expr, line)
            case c.Member() | c.Subscript():
                return self._member(expr, line)
            case c.Unary():
                return self._unary(expr, line)
            case c.Binary() if expr.op in ("&&", "||"):
                left, right = self.value(expr.left), self.value(expr.right)
                return self._operate(
                    expr.op, expr.type, (left, right), (expr.left.type, expr.right.type), line, expr.type
                )
            case c.Binary(op=op) if is_apart(self.program, expr):
                return self.constant(int(op == "!="))
            case c.Binary(op="<<") if self._prints(expr):
                return self.constant(0)
            case c.Binary() if not conversions.have_operators(expr.left.type, expr.right.type):
                left, right = self.value(expr.left), self.value(expr.right)
                return self._each(expr.op, expr.type, (left, right), (expr.left.type, expr.right.type), line)
            case c.Binary():
                left, right = self.value(expr.left), self.value(expr.right)
                wide = folding.common(expr.left.type, expr.right.type)
                left = self._convert(left, expr.left.type, wide, line)
                right = self._convert(right, expr.right.type, wide, line)
                return self._operate(expr.op, expr.type, (left, right), (expr.left.type, expr.right.type), line, wide)
            case c.Assign():
                return self._assign(expr, line)
            case c.IncDec():
                old = self.value(expr.operand)
                kind = expr.operand.type
                new = self._operate(expr.op[0], expr.type, (old, self.constant(1)), (kind, kind), line, kind)
                note_kept(self.body.kept, new, kind)
                self._store(expr.operand, new, line)
                return new if expr.prefix else old
            case c.Cast():
                return self._convert(self.value(expr.operand), expr.operand.type, expr.type, line)
            case c.Conditional():
                return self._conditional(expr, line)
            case c.Comma():
                return [self.value(item) for item in expr.items][-1]
            case c.Call():
                return self._call(expr, line)
            case c.OpaqueExpr() if expr.what == c.CONCATENATION or (
                expr.what in (c.CONSTRUCTOR, c.LITERAL, c.MEMBERS) and isinstance(expr.type, c.StructType | c.ArrayType)
            ):
                return self._built(expr.children, line)
            case c.InitList():  # of a member
                return self._built((expr,), line)
            case c.OpaqueExpr(what=c.OPEN_PARAMETER):
                return self.make("input", 32, (), 0, (c.OPEN_PARAMETER, expr.name), "a parameter")
            case c.OpaqueExpr(what=c.SAME_BITS):
                return self._bits(self.value(expr.children[0]), expr.type, line)
            case _:
                raise Unmodelled(f"`{self.program.text(expr.at)}` is not modelled{why(expr)}", line)

    def _built(self, items: Sequence[c.Expr], line: int) -> int:
        """A structure out of values."""
        flat = [x for item in items for x in ([v for _, v in item.items] if isinstance(item, c.InitList) else [item])]
        return self.make("wire", 32, tuple(self.value(x) for x in flat), line, ("members",), "{..}")

    def _each(
        self, op: str, type_: c.CType, operands: tuple[int, int], types: tuple[c.CType, c.CType], line: int
    ) -> int:  # fmt: skip
        """An operator on values that are arrays: one operation for each element."""
        array = c.vector(type_)
        if any(map(c.is_open, types)):
            return self.make("open", 32, operands, line, (op,), op)
        if array is None or array.dims[0] is None:
            what = next(t.name for t in types if isinstance(t, c.StructType | c.OtherType))
            raise Unmodelled(f"the operator {op} of {what} is not modelled", line)
        made: list[int] = []
        for number in range(array.dims[0]):
            sides: list[tuple[int, c.CType]] = []
            for value, whole in zip(operands, types, strict=True):
                inner = c.vector(whole)
                part = value if inner is None else self._part(value, (number,), line)
                sides.append((part, whole if inner is None else inner.element))
            (left, one), (right, two) = sides
            wide = folding.common(one, two)
            pair = (self._convert(left, one, wide, line), self._convert(right, two, wide, line))
            made.append(self._operate(op, array.element, pair, (one, two), line, wide))
        return self.make("wire", 32, tuple(made), line, ("members",), "{..}")

    def _read(self, variable: int) -> int:
        if variable in self.env:
            return self.env[variable]
        known = self.program.variable(variable)
        if variable in self.modified and variable not in self.declared and not self.frame.is_given(known):
            return self._phi(variable)
        starts = known.init is not None and variable not in self.starting  # not const int n = n + 1;
        if starts and known.init is not None and isinstance(known.type, c.ScalarType) and self._stays(known):
            self.starting.add(variable)
            value = self._convert(self.value(known.init), known.init.type, known.type, 0)
            self.starting.discard(variable)
            if value in self.constants:
                return value
        return self._starts(self.make("input", folding.bits(known.type), (), 0, (variable,), known.name), variable)

    def _stays(self, known: c.Variable) -> bool:
        """Whether a scalar has its initial value in all of its life: a constant of no channel, or one of literals."""
        literal = (c.Const, c.Unary, c.Binary, c.Cast)
        inside = list(c.walk(known.init)) if known.init is not None else []
        plain = bool(inside) and all(isinstance(e, literal) for e in inside)
        taken = any(isinstance(e, c.Call) and any(isinstance(a.type, c.StreamType) for a in e.args) for e in inside)
        return (known.const and not taken) or (plain and effects(self.program).keeps_first(known))

    def _phi(self, key: Key) -> int:
        """The value that a scalar has at the start of the iteration."""
        if key not in self.phis:
            self.phis[key] = self.make("phi", 32, (), 0, (), self._key_name(key))
            if isinstance(key, int):
                self._starts(self.phis[key], key)
        self.env[key] = self.phis[key]
        return self.phis[key]

    def _unary(self, expr: c.Unary, line: int) -> int:
        inner = self.value(expr.operand)
        if expr.op == "+":
            return inner
        known = self.constants.get(inner)
        if known is not None and (folded := fold_unary(expr.op, known)) is not None:
            return self.constant(folding.wrapped(folded, expr.type))
        if expr.op in ("&", "*"):
            raise Unmodelled("access through a pointer is not modelled", line)
        if c.is_open(expr.operand.type):
            return self.make("open", 32, (inner,), line, (expr.op,), expr.op)
        if expr.op == "-" and not folding.is_float(expr.type):
            operands, types = (self.constant(0), inner), (expr.type, expr.operand.type)
            return self._operate("-", expr.type, operands, types, line, expr.type)
        if expr.op == "!" and self.body.ops[inner].bits == 1 and self.body.ops[inner].text == "!":
            return self.body.ops[inner].args[0]
        return self.make("logic", folding.bits(expr.type), (inner,), line, (expr.op,), expr.op)

    def _convert(self, value: int, source: c.CType, target: c.CType, line: int) -> int:
        if value in self.constants:
            return self.constant(folding.wrapped(self.constants[value], target))
        if source != target and (c.is_open(source) or c.is_open(target)):
            return self.make("open", folding.bits(target), (value,), line, ("conversion",), "conversion")
        kind = folding.conversion(source, target)
        self.becomes(value, target)
        if kind == "fext" and folding.bits(target) == 32 and (single := self.narrowed(value, line)) is not None:
            return single
        return value if kind is None else self.make(kind, folding.bits(target), (value,), line, (), kind)

    def _conditional(self, expr: c.Conditional, line: int) -> int:
        test = self.value(expr.test)
        if test in self.constants:
            return self.value(expr.then if self.constants[test] else expr.other)
        instance = self._branch(test)
        before = dict(self.env)
        with self._arm(instance, 0, test):
            then = self._convert(self.value(expr.then), expr.then.type, expr.type, line)
        after_then, self.env = self.env, dict(before)
        with self._arm(instance, 1, test):
            other = self._convert(self.value(expr.other), expr.other.type, expr.type, line)
        self._merge(test, before, after_then, self.env, line)
        if then == other:
            return then
        truth = folding.is_truth(expr.then.type) or folding.is_truth(expr.other.type)
        return self._chosen(test, (then, other), folding.bits(expr.type), truth, line, "?:")

    def _assign(self, expr: c.Assign, line: int) -> int:
        value = self.value(expr.value)
        if expr.op != "=" and not conversions.have_operators(expr.target.type, expr.value.type):
            types = (expr.target.type, expr.value.type)
            value = self._each(expr.op[:-1], expr.target.type, (self.value(expr.target), value), types, line)
        elif expr.op != "=":
            op = expr.op[:-1]
            wide = folding.common(expr.target.type, expr.value.type) if op not in ("<<", ">>") else expr.target.type
            old = self._convert(self.value(expr.target), expr.target.type, wide, line)
            value = self._convert(value, expr.value.type, wide, line)
            value = self._operate(op, wide, (old, value), (expr.target.type, expr.value.type), line, wide)
            value = self._convert(value, wide, expr.target.type, line)
        else:
            value = self._convert(value, expr.value.type, expr.target.type, line)
        self._store(expr.target, value, line)
        return value

    def _call(self, expr: c.Call, line: int) -> int:
        name = expr.function
        if name is None:
            raise Unmodelled("call through a pointer", line)
        if name in IGNORED:
            return self.constant(0)
        if name in ("stream.read", "stream.write"):
            return self._stream(expr, name, line)
        if name in ("stream.read_nb", "stream.write_nb", "stream.read_if"):
            return self._attempt(expr, name, line)
        if name in ("stream.empty", "stream.full"):
            return self._status(expr, name, line)
        if name.startswith("stream."):
            raise Unmodelled(f"the stream operation `{name.removeprefix('stream.')}` is not modelled", line)
        if name in self.program.functions and self.frame.modules:
            whole = (c.ArrayType, c.PointerType, c.StructType)
            arguments = tuple(self.value(a) for a in expr.args if not isinstance(a.type, whole))
            made = self.make("call", folding.bits(expr.type), arguments, line, (expr.at.span,), name)
            self.body.live.add(made)
            return made
        if name in self.program.functions:
            raise Unmodelled(f"the call of {name} could not be expanded", line)
        operator = operator_of(name)
        if not (moves(name) or operator) or any(isinstance(a.type, c.StructType) for a in expr.args):
            raise Unmodelled(f"the body of {name} is not {self.program.unread(name) or 'given'}", line)
        wide = expr.type if operator and folding.is_float(expr.type) else None  # what of C it is works on doubles
        arguments = tuple(self._convert(self.value(a), a.type, wide or a.type, line) for a in expr.args)
        bits = folding.bits(expr.type)
        if any(c.is_open(a.type) for a in expr.args):
            return self.make("open", bits, arguments, line, (name,), name)
        if operator is None:
            args = tuple(a for a in arguments if a not in self.constants) or arguments
            return self.make("logic", bits, args, line, (name,), name)
        prefix = "f" if bits <= 32 else "d"
        return self.make(prefix + operator, bits, arguments, line, (name,), name)

    def _load(self, expr: c.ArrayRef, line: int) -> int:
        indices = tuple(self.value(i) for i in expr.indices)
        known = self._table_item(expr, indices) if expr.variable in self.frame.tables else None
        if known is not None:
            return known
        made = self.load(self.place(expr, "read", indices, line), folding.bits(expr.type), line)
        if made not in self.spans:
            self.holds(made, expr.type)
        return made

    def _starts(self, value: int, variable: int) -> int:
        """``value`` is what ``variable`` holds at the start of an iteration."""
        self.holds(value, self.program.variable(variable).type)
        if (form := self.frame.forms.get(variable)) is not None:
            self.forms[value] = form
        return value

    def _table_item(self, expr: c.ArrayRef, indices: tuple[int, ...]) -> int | None:
        """The element of a table of constants at a constant index."""
        table, numbers = self.program.variable(expr.variable), [self.constants.get(i) for i in indices]
        index = [n for n in numbers if isinstance(n, int)]
        if table.init is None or len(index) < len(table.dims) or len(index) < len(numbers):
            return None
        item = spans.item(table.init, table.dims, index)
        if item is None:
            return None
        value = self.constant(item) if isinstance(item, int) else self.value(item)
        if value not in self.constants or not isinstance(expr.type, c.ScalarType):
            return None
        return self.constant(folding.wrapped(self.constants[value], expr.type))

    def _store(self, target: c.Expr, value: int, line: int) -> None:
        match target:
            case c.Name():
                self.bind(target.variable, value)
                self.env[target.variable] = value
                for key in [k for k in self.env if isinstance(k, tuple) and k[0] == target.variable]:
                    self.env[key] = self._part(value, key[1], line)
            case c.Member() | c.Subscript():
                place = self._place_in(target)
                if place is None:
                    self._set_in_open(target, value, line)
                    return
                base, path = place
                if isinstance(base, c.ArrayRef):
                    self._store_element(base, value, line, part=True)
                else:
                    self._store_part(base.variable, path, self._set_union(target, value, line), line)
            case c.ArrayRef():
                self._store_element(target, value, line)
            case c.Cast():
                self._store(target.operand, value, line)
            case _:
                raise Unmodelled(self._not_stored(target), line)

    def _store_element(self, expr: c.ArrayRef, value: int, line: int, part: bool = False) -> None:
        place = self.place(expr, "write", tuple(self.value(i) for i in expr.indices), line)
        self.store(place, value, line, part)

    def _merge(
        self, test: int, before: Mapping[Key, int], then: Mapping[Key, int], other: Mapping[Key, int], line: int
    ) -> None:
        """Values after two arms: equal ones stay, different ones are selected."""
        if then == other:
            self.env = dict(then)
            return
        merged = dict(before)
        self.env = dict(before)
        for key in {**then, **other}:
            ident = key if isinstance(key, int) else key[0]
            if key in then and key in other:
                a, b = then[key], other[key]
            elif isinstance(key, tuple) and key not in before and ident in before:  # a member of what is set as a whole
                unset = self._part(before[ident], key[1], line)
                a, b = then.get(key, unset), other.get(key, unset)
            elif key not in before and ident in self.declared:
                a = b = then[key] if key in then else other[key]  # without a value in the other arm: any will do
            else:
                unset = before[key] if key in before else self._read(key) if isinstance(key, int) else self._phi(key)
                a, b = then.get(key, unset), other.get(key, unset)
            merged[key] = a
            if a != b:
                truth = isinstance(key, int) and folding.is_truth(self.program.variable(key).type)
                merged[key] = self._chosen(test, (a, b), self.body.ops[a].bits, truth, line)
        self.env = merged
