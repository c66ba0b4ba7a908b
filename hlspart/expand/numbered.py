"""Subscripts that number the iterations of a nest by rows of run-time lengths: ``x[i * n + j]`` with 0 <= j < n.

Such products are no affine forms, so integer sets do not tell that no two iterations touch one element. Polynomials do:
an iterator moves the element further than all those inside it together. Numbers without a sign wrap around; where they
number the elements one by one, an element comes again after 2**32 iterations at the least, when none of them is under
way any more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property

from msgspec import Struct, field

from hlspart.expand.region import Refusal, first_value, target_of
from hlspart.model.program import (
    ArrayRef,
    Assign,
    Binary,
    Call,
    Cast,
    Const,
    CType,
    Declare,
    Expr,
    ExprStmt,
    IncDec,
    Label,
    Loop,
    Member,
    Name,
    PointerType,
    Program,
    ScalarType,
    Subscript,
    Unary,
    walk,
    walk_statements,
)
from hlspart.model.pure_functions import is_pure
from hlspart.model.source import Span
from hlspart.semantics.effects import effects, leaves_early, statement_expressions
from hlspart.semantics.overlap import overlaps

Polynomial = Mapping[tuple[int, ...], int]
"""Coefficients by the factors of each product: ids of variables, below zero numbers of elements of arrays; sorted."""

_WIDE = 32  # bits of numbers without a sign that do not wrap around within a few iterations
_ONE: Polynomial = {(): 1}


def is_numbered(program: Program, loops: Sequence[Loop], refs: Sequence[ArrayRef]) -> bool:
    """Whether no two iterations of nested loops, outermost first, touch one element through any of ``refs``.

    They have the same subscripts, one of which is another number in each iteration.
    """
    if len({(ref.variable, len(ref.indices)) for ref in refs}) != 1:
        return False
    for dimension in range(len(refs[0].indices)):
        nest = _Nest(program, tuple(loops), _wrapping(refs[0].indices[dimension].type))
        if not nest.is_plain:
            continue
        forms = [nest.polynomial(ref.indices[dimension], ref.at.span.start) for ref in refs]
        form = forms[0]
        if form is not None and all(f == form for f in forms) and nest.differs(form):
            return True
    return False


class _Nest(Struct, frozen=True, dict=True):
    """Loops, outermost first, whose iterators count upwards from no less than zero below a bound that stays.

    ``wrapping``: the type of a subscript without a sign, for which all is modulo a power of two.
    """

    program: Program
    loops: tuple[Loop, ...]
    wrapping: ScalarType | None = None
    elements: dict[tuple[int, tuple[int, ...]], int] = field(default_factory=dict)

    @cached_property
    def is_plain(self) -> bool:
        """Whether the loops are such, and their bodies run from the top on."""
        inside = list(walk_statements(self.loops[0]))
        if any(isinstance(s, Label) for s in inside) or len({s.at.span.path for s in inside}) > 1:
            return False
        if self.wrapping is not None and any(map(leaves_early, self.loops)):
            return False
        return None not in self._ranges

    @cached_property
    def _stored(self) -> tuple[int | None, ...] | None:
        """The variables that the loops store to, None for what is not known; None where calls may store anywhere."""
        nodes = [e for root in statement_expressions(self.program, self.loops[0]) for e in walk(root)]
        names = [e.function for e in nodes if isinstance(e, Call)]
        if any(name is None or name in self.program.functions or not is_pure(name) for name in names):
            return None
        targets = (target_of(e) for e in nodes)
        return tuple(_base(target) for target in targets if target is not None)

    def _stays(self, array: int) -> bool:
        """Whether nothing in the loops may store an element of an array."""
        if self._stored is None or None in self._stored or self.program.variable(array).volatile:
            return False
        known = overlaps(self.program)
        return not any(known.may_be(v, array) for v in self._stored if v is not None)

    @cached_property
    def _moving(self) -> frozenset[int]:
        return effects(self.program).modified(self.loops[0]) | effects(self.program).addressed

    @cached_property
    def _iterators(self) -> tuple[int | None, ...]:
        """The variables that only the headers of the loops move."""
        counted = list[int | None]()
        for loop in self.loops:
            match loop.step:
                case IncDec(op="++", operand=Name(variable=ident)):
                    counted.append(ident)
                case Assign(op="+=", target=Name(variable=ident), value=Const(value=int(by))) if (
                    by > 0 and self.wrapping is None
                ):
                    counted.append(ident)
                case _:
                    counted.append(None)
        headers = zip(counted, self.loops, strict=True)
        return tuple(x if x is not None and self._is_moved_by(x, loop) else None for x, loop in headers)

    def _is_moved_by(self, iterator: int, loop: Loop) -> bool:
        """Whether nothing but the header of a loop gives a variable a value."""
        header = loop.header.span
        places = [at for ident, at in self._assigned if ident == iterator]
        inside = all(header.start <= at.start and at.end <= header.end for at in places)
        return inside and iterator not in effects(self.program).addressed

    @cached_property
    def _assigned(self) -> list[tuple[int, Span]]:
        """The variables that expressions give a value, and where."""
        roots = statement_expressions(self.program, self.loops[0])
        nodes = [(target_of(e), e.at.span) for root in roots for e in walk(root)]
        return [(target.variable, at) for target, at in nodes if isinstance(target, Name)]

    @cached_property
    def _ranges(self) -> tuple[tuple[int, Polynomial] | None, ...]:
        """Of each loop the first value of its iterator, and what that stays below."""
        return tuple(self._range(loop, ident) for loop, ident in zip(self.loops, self._iterators, strict=True))

    def _range(self, loop: Loop, iterator: int | None) -> tuple[int, Polynomial] | None:
        test = loop.test
        if iterator is None or loop.kind != "for" or loop.init is None or not isinstance(test, Binary):
            return None
        try:
            low = first_value(self.program, loop)
        except Refusal:
            return None
        sides = {"<": (test.left, test.right), "<=": (test.left, test.right), ">": (test.right, test.left)}
        left, right = sides.get(test.op, (None, test.right))
        bound = self.polynomial(right, loop.at.span.start)
        if not (isinstance(left, Name) and left.variable == iterator and isinstance(low, Const)) or bound is None:
            return None
        if not isinstance(low.value, int) or low.value < 0 or self._moves(bound):
            return None
        kind = left.type
        if self.wrapping is not None and not (_wrapping(kind) == self.wrapping or _keeps(kind, kind)):
            return None
        return low.value, _sum(bound, _ONE) if test.op == "<=" else bound

    def _moves(self, form: Polynomial) -> bool:
        return any(v in self._iterators for product in form for v in product)

    @cached_property
    def _values(self) -> dict[int, tuple[int, Expr]]:
        """Variables that the bodies give one value each, at their top: where, and the value."""
        given = dict[int, tuple[int, Expr]]()
        for stmt in (s for loop in self.loops for s in loop.body.body):
            match stmt:
                case ExprStmt(expr=Assign(op="=", target=Name(variable=ident), value=value)):
                    given[ident] = stmt.at.span.end, value
                case Declare(variables=(ident,)) if (first := self.program.variable(ident).init) is not None:
                    given[ident] = stmt.at.span.end, first
        times = Counter(ident for ident, _ in self._assigned)
        times.update(v for s in walk_statements(self.loops[0]) if isinstance(s, Declare) for v in s.variables)
        once = (ident for ident in given if times[ident] == 1 and ident not in effects(self.program).addressed)
        return {ident: given[ident] for ident in once}

    def polynomial(self, expr: Expr, at: int) -> Polynomial | None:
        """An integer at an offset of the text as one of iterators and of values that stay; None where it is none.

        Only sums and products of numbers with a sign, of which none wraps, as C has it, or of :attr:`wrapping` ones.
        """
        match expr:
            case Const(value=int(number)):
                return {(): number} if number else {}
            case Name(variable=ident):
                known = self._values.get(ident)
                record = self.program.variable(ident)
                if ident in self._iterators or (ident not in self._moving and not record.volatile):
                    return {(ident,): 1} if self._is_number(record.type) else None
                if known is None or known[0] > at:
                    return None
                kept = _keeps(record.type, known[1].type) or self._wraps(record.type)
                return self.polynomial(known[1], known[0] - 1) if kept else None
            case ArrayRef(variable=ident, indices=indices, type=kind) if self._is_number(kind) and self._stays(ident):
                at_ = tuple(e.value for e in indices if isinstance(e, Const) and isinstance(e.value, int))
                fixed = len(at_) == len(indices)
                return {(self.elements.setdefault((ident, at_), -1 - len(self.elements)),): 1} if fixed else None
            case Cast(operand=operand, type=kind) if _keeps(kind, operand.type) or self._wraps(kind):
                return self.polynomial(operand, at)
            case Binary(op="+" | "-" | "*" as op, left=left, right=right, type=kind) if _keeps(
                kind, kind
            ) or self._wraps(kind):
                a, b = self.polynomial(left, at), self.polynomial(right, at)
                if a is None or b is None:
                    return None
                return _product(a, b) if op == "*" else _sum(a, b, -1 if op == "-" else 1)
        return None

    def _is_number(self, kind: CType) -> bool:
        """Whether a value of a type takes part as it is, or modulo what :attr:`wrapping` numbers are."""
        if not isinstance(kind, ScalarType) or kind.kind != "int":
            return False
        return self.wrapping is None or (kind.library is None and kind.bits <= self.wrapping.bits)

    def _wraps(self, kind: CType) -> bool:
        return self.wrapping is not None and _wrapping(kind) == self.wrapping

    def differs(self, form: Polynomial) -> bool:
        """Whether a form is another number in each iteration: a stride is no less than what is inside it."""
        inside: tuple[Polynomial, int, Polynomial] | None = None  # a stride, the first value and the bound of its loop
        for iterator, counted in reversed(list(zip(self._iterators, self._ranges, strict=True))):
            if iterator is None or counted is None:
                return False
            stride = _stride(form, iterator)
            if stride is None or self._moves(stride):
                return False
            if inside is None:
                if set(stride) != {()} or stride[()] < 1 or (self.wrapping is not None and stride[()] != 1):
                    return False
            else:
                step, low, bound = inside
                left = _sum(_sum(stride, _product(step, bound), -1), _product(step, {(): low} if low else {}))
                if not (_is_multiple(left, _ONE) or _is_multiple(left, step)):
                    return False
                if self.wrapping is not None and (left or low):
                    return False  # elements are left out
            inside = stride, *counted
        return True


def _wrapping(kind: CType) -> ScalarType | None:
    """A type of whole numbers without a sign that has enough bits."""
    wide = isinstance(kind, ScalarType) and kind.kind == "int" and not kind.signed and kind.library is None
    return kind if wide and isinstance(kind, ScalarType) and kind.bits >= _WIDE else None


def _base(place: Expr) -> int | None:
    """The variable that a place is in, or that points to it; None where what it holds does."""
    while isinstance(place, Cast | Member | Subscript | Unary):
        inner = place.base if isinstance(place, Member | Subscript) else place.operand
        if isinstance(inner.type, PointerType) and not isinstance(inner, Name):
            return None
        place = inner
    return place.variable if isinstance(place, Name | ArrayRef) else None


def _keeps(kind: CType, value: CType) -> bool:
    """Whether a type, in whose arithmetic nothing wraps, has all values of another one."""
    if not (isinstance(kind, ScalarType) and isinstance(value, ScalarType)):
        return False
    plain = all(t.kind == "int" and t.signed and t.library is None for t in (kind, value))
    return plain and kind.bits >= value.bits


def _sum(a: Polynomial, b: Polynomial, factor: int = 1) -> Polynomial:
    total = Counter(dict(a))
    for product, coefficient in b.items():
        total[product] += factor * coefficient
    return {product: n for product, n in total.items() if n}


def _product(a: Polynomial, b: Polynomial) -> Polynomial:
    total = Counter[tuple[int, ...]]()
    for one, n in a.items():
        for other, m in b.items():
            total[tuple(sorted((*one, *other)))] += n * m
    return {product: n for product, n in total.items() if n}


def _stride(form: Polynomial, iterator: int) -> Polynomial | None:
    """By what a form grows with an iterator; None where that is not the same everywhere."""
    parts = {product: n for product, n in form.items() if iterator in product}
    if any(product.count(iterator) > 1 for product in parts):
        return None
    return {tuple(v for v in product if v != iterator): n for product, n in parts.items()}


def _is_multiple(form: Polynomial, of: Polynomial) -> bool:
    """Whether a form is none, one or some times another one that has no constant but itself."""
    if not form:
        return True
    factors = {n / of[product] if product in of else -1.0 for product, n in form.items()}
    return set(form) == set(of) and len(factors) == 1 and min(factors) > 0
