"""Signs that sums take: ``x - y * s * k``, where ``s`` is 1 or -1, is ``x + y * k`` or ``x - y * k``.

A rotation of CORDIC chooses its direction by a sign, so that each iteration waits for a test, a conversion and one more
product. Products of floats round alike on both sides of zero, and a difference is the sum of what has the other sign:
both sums have the bits of the one in the text, and the test only chooses between them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property

from msgspec import Struct, field

from hlspart.expand.accumulators import innermost
from hlspart.expand.region import Refusal
from hlspart.expand.texts import as_many, indent_of
from hlspart.expand.unit_signs import StatementPlace, chosen_signs, given, is_own, is_pure, one_of, places
from hlspart.model.program import (
    ArrayRef,
    Assign,
    Binary,
    Expr,
    ExprStmt,
    Label,
    Loop,
    Name,
    Program,
    ScalarType,
    Stmt,
    Unary,
    walk,
    walk_statements,
)
from hlspart.model.results import IIResult
from hlspart.model.source import Edit, Origin
from hlspart.rewrite.buffer import EditBuffer
from hlspart.rewrite.names import Names
from hlspart.semantics.effects import statement_expressions

_Test = tuple["StatementPlace", Expr, bool]
_TESTS = frozenset({"<", ">", "<=", ">=", "==", "!=", "&&", "||"})
_PRIMARY = re.compile(r"[\w.]+(\[[^\[\]]*\])*")


class Factor(Struct, frozen=True):
    """A product without its sign: ``text`` None where nothing but a sign is left.

    ``minus``: whether it is subtracted; ``chosen``: names of tests each of which turns the sign once more.
    """

    text: str | None
    minus: bool = False
    chosen: frozenset[str] = frozenset()

    @property
    def is_signed(self) -> bool:
        """Whether a sum may take its sign."""
        return self.text is not None and (self.minus or bool(self.chosen)) and len(self.chosen) < 2

    def times(self, other: Factor, op: str) -> Factor:
        """The product or the quotient of both."""
        texts = [x.text for x in (self, other) if x.text is not None]
        text = f" {op} ".join(map(_operand, texts)) if len(texts) > 1 else "".join(texts) or None
        return Factor(text, self.minus ^ other.minus, self.chosen ^ other.chosen)


def _operand(text: str) -> str:
    return text if _PRIMARY.fullmatch(text) else f"({text})"


class SignedSums(Struct, frozen=True):
    """A loop in which sums take signs: texts in the place of expressions, and lines ahead of statements."""

    loop: Loop
    texts: tuple[tuple[Origin, str], ...]
    lines: tuple[tuple[Stmt, tuple[str, ...]], ...]


def signed_sums(program: Program, figures: IIResult) -> tuple[SignedSums, ...]:
    """Those of loops that a recurrence keeps from their II."""
    names, sums_known = Names.of(program), list[SignedSums]()
    for result in figures.loops:
        recurring = any(x.kind == "recurrence" and x.ii > (result.aim or 1) for x in result.limits)
        for loop in innermost(program, result) if result.pipelined and result.loop >= 0 and recurring else ():
            sums = _Signs(program, loop, names).sums
            sums_known += [sums] if sums is not None else []
    return tuple(sums_known)


def with_signs_in_sums(program: Program, chosen: Sequence[SignedSums]) -> dict[str, tuple[Edit, ...]]:
    """Edits for them; loops whose text does not allow it stay."""

    def write(some: Sequence[SignedSums], buffer: EditBuffer) -> None:
        for sums in some:
            for at, text in sums.texts:
                buffer.replace(at, text)
            for stmt, lines in sums.lines:
                pad = indent_of(program, stmt.at)
                buffer.insert(stmt.at.span.path, stmt.at.span.start, "".join(f"{line}\n{pad}" for line in lines))

    return as_many(program, chosen, write)


class _Signs(Struct, frozen=True, dict=True):
    """The signs of one loop's body."""

    program: Program
    loop: Loop
    names: Names
    kept: set[int] = field(default_factory=set)  # products that somebody needs with their signs

    @cached_property
    def sums(self) -> SignedSums | None:
        """The text in which as many products as possible leave their signs to sums."""
        if any(isinstance(s, Label) for s in walk_statements(self.loop)):
            return None
        while True:
            body = _Body(self.program, self._places, self._tests, self.names, frozenset(self.kept))
            body.write()
            needed = {v for v in body.products if self._uses[v] != body.taken[v]}
            if not needed:
                return SignedSums(self.loop, tuple(body.texts), tuple(body.lines.items())) if body.taking else None
            self.kept.update(needed)

    @cached_property
    def _places(self) -> tuple[StatementPlace, ...]:
        return tuple(places(self.loop.body))

    @cached_property
    def _uses(self) -> Counter[int]:
        """How often the function names each variable, but for what gives it a value."""
        root = self.program.functions[self.loop.function].body
        nodes = [e for top in statement_expressions(self.program, root) for e in walk(top)]
        given = {id(e.target) for e in nodes if isinstance(e, Assign) and e.op == "="}
        return Counter(e.variable for e in nodes if isinstance(e, Name) and id(e) not in given)

    @cached_property
    def _tests(self) -> dict[int, _Test]:
        """Variables that are 1 or -1: where they get the value, the test, and whether it holds for -1."""
        tests = dict[int, _Test]()
        for place in self._places:
            for ident, test, ones in chosen_signs(self.program, place.stmt):
                record = self.program.variable(ident)
                is_test = (
                    isinstance(test, Binary) and test.op in _TESTS and is_pure(self.program, test) and test.at.editable
                )
                if is_test and is_own(self.program, record, place, ones):
                    tests[ident] = place, test, ones[0] < 0
        return tests


def _is_float(expr: Expr) -> bool:
    """Whether an expression is a float that rounds to the nearest number."""
    kind = expr.type
    return isinstance(kind, ScalarType) and kind.kind == "float" and kind.bits in (32, 64) and kind.library is None


class _Body:
    """One text of a loop's body; ``products``: variables that hold no sign there."""

    def __init__(
        self,
        program: Program,
        places: Sequence[StatementPlace],
        tests: Mapping[int, _Test],
        names: Names,
        kept: frozenset[int],
    ) -> None:
        self.program, self.places, self.tests, self.names, self.kept = program, places, tests, names, kept
        self.products = dict[int, Factor]()
        self.taken = Counter[int]()
        self.taking = False
        self.texts = list[tuple[Origin, str]]()
        self.lines = dict[Stmt, tuple[str, ...]]()
        self.of_test = dict[int, str]()

    def write(self) -> None:
        """Each statement in turn; those stay in which text of a macro would have to change."""
        for place in self.places:
            before = self.taken.copy(), list(self.texts), dict(self.lines), dict(self.of_test), dict(self.products)
            try:
                is_written = self._is_rewritten(place)
            except Refusal:
                is_written = False
            if not is_written:
                self.taken, self.texts, self.lines, self.of_test, self.products = before

    def _is_rewritten(self, place: StatementPlace) -> bool:
        """Whether a statement has another text."""
        match place.stmt:
            case ExprStmt(expr=Assign(op="=", target=ArrayRef(), value=value)):
                return self._sum_of(place, value)
            case ExprStmt(expr=Assign(op="+=" | "-=", target=Name()) as update):
                return self._added(place, update)
        return any(self._value(place, ident, value) for ident, value in given(self.program, place.stmt))

    def _value(self, place: StatementPlace, ident: int, value: Expr) -> bool:
        """A product without its sign where all its uses may take that, or a sum."""
        if isinstance(value, Binary) and value.op in ("+", "-"):
            return self._sum_of(place, value)
        record = self.program.variable(ident)
        is_product = isinstance(value, Binary | Unary) and _is_float(value) and is_pure(self.program, value)
        is_float = isinstance(record.type, ScalarType) and record.type.kind == "float"
        if not is_product or not is_float or ident in self.kept or not is_own(self.program, record, place, (1,)):
            return False
        factor = self._factor(value)
        if not factor.is_signed:
            return False
        self._replace(value, factor.text or "")
        self.products[ident] = Factor(record.name, factor.minus, factor.chosen)
        return True

    def _sum_of(self, place: StatementPlace, value: Expr) -> bool:
        """A sum that takes the sign of one of its operands."""
        if not (
            isinstance(value, Binary) and value.op in ("+", "-") and _is_float(value) and is_pure(self.program, value)
        ):
            return False
        sides = value.left, value.right
        one, other = (self._whole(x) for x in sides)
        if not all(map(_is_float, sides)) or one.is_signed == other.is_signed or one.chosen & other.chosen:
            return False
        if (one.chosen and not one.is_signed) or (other.chosen and not other.is_signed):
            return False
        if one.is_signed and value.op == "-":
            return False
        first, second = (other, one) if one.is_signed else (one, other)
        kind = (value.left if one.is_signed else value.right).type
        self._replace(value, self._taking(place, first.text or "", second, value.op == "-", kind))
        return True

    def _whole(self, value: Expr) -> Factor:
        """An operand of a sum, which is a number where nothing is left of it but a sign."""
        factor = self._factor(value)
        return factor if factor.text is not None else Factor(self._text(value))

    def _taking(self, place: StatementPlace, first: str, second: Factor, minus: bool, kind: object) -> str:
        """``first`` and ``second``, which is added or taken away as its sign says."""
        self.taking = True
        text, one = _operand(second.text or ""), _operand(first)
        signs = ("-", "+") if minus ^ second.minus else ("+", "-")
        if not second.chosen:
            return f"{one} {signs[0]} {text}"
        if _PRIMARY.fullmatch(text) is None or "[" in text:
            assert isinstance(kind, ScalarType)
            name = self.names.free("product")
            self._ahead(place.stmt, f"const {'double' if kind.bits > 32 else 'float'} {name} = {second.text};")
            text = name
        (test,) = second.chosen
        return f"{test} ? {one} {signs[1]} {text} : {one} {signs[0]} {text}"

    def _added(self, place: StatementPlace, update: Assign) -> bool:
        """``x += v`` where ``v`` has a sign."""
        value, target = update.value, update.target
        if not (_is_float(value) and _is_float(target) and is_pure(self.program, value)):
            return False
        factor = self._factor(value)
        if not factor.is_signed:
            return False
        name = self._text(target)
        self._replace(update, f"{name} = {self._taking(place, name, factor, update.op == '-=', value.type)}")
        return True

    # -------------------------------------------------------------------------------------- products

    def _factor(self, value: Expr) -> Factor:
        """An operand without its sign. Signs that make their product another type stay."""
        before, factor = self.taken.copy(), None
        match value:
            case Name(variable=ident) if ident in self.tests:
                return Factor(None, False, frozenset({self._test(ident)}))
            case Name(variable=ident) if ident in self.products:
                self.taken[ident] += 1
                return self.products[ident]
            case Unary(op="-", operand=operand) if value.type == operand.type:
                inner = self._factor(operand)
                if inner.text is None or _is_float(value):
                    return Factor(inner.text, not inner.minus, inner.chosen)
            case Binary(op="*" | "/" as op, left=left, right=right):
                factor = self._product(value, (left, self._factor(left)), (right, self._factor(right)), op)
            case _ if (one := one_of(value)) is not None:
                return Factor(None, one < 0)
            case _:
                pass
        if factor is None:
            self.taken = before  # what is in it stands there with its signs
        return factor or Factor(self._text(value))

    def _product(self, value: Expr, one: tuple[Expr, Factor], other: tuple[Expr, Factor], op: str) -> Factor | None:
        """A product or quotient without its sign; None where its type were another one then."""
        rest = [x.type for x, f in (one, other) if f.text is not None]
        if not rest:
            return one[1].times(other[1], op) if op == "*" else None
        if not _is_float(value) or (one[1].text is None and op == "/"):
            return None
        return one[1].times(other[1], op) if len(rest) == 2 or rest[0] == value.type else None

    def _test(self, ident: int) -> str:
        """The name of what says that a variable is -1."""
        if ident not in self.of_test:
            place, test, holds = self.tests[ident]
            name = self.names.free(f"{self.program.variable(ident).name}_is_minus")
            text = self._text(test)
            self._ahead(place.stmt, f"const int {name} = {'' if holds else '!'}({text});")
            self.of_test[ident] = name
        return self.of_test[ident]

    def _text(self, value: Expr) -> str:
        if not value.at.editable:
            raise Refusal("macro", "a macro makes a part of the sum", value.at)
        return self.program.text(value.at)

    def _replace(self, value: Expr, text: str) -> None:
        self._text(value)
        self.texts.append((value.at, text))

    def _ahead(self, stmt: Stmt, line: str) -> None:
        if not stmt.at.editable:
            raise Refusal("macro", "a macro makes the statement", stmt.at)
        self.lines[stmt] = (*self.lines.get(stmt, ()), line)
