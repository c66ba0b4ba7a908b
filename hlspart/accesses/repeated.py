"""Values of expressions that a function spells several times, as macros that choose a bank do."""

from __future__ import annotations

from collections.abc import Hashable

import islpy as isl
from msgspec import Struct

from hlspart.accesses.algebra import Known, Value
from hlspart.model.access import Affine
from hlspart.model.program import Binary, Cast, Conditional, Const, Expr, Name, Unary, children


class CodeForm(Struct, frozen=True):
    """What an expression has in common with all that are spelt alike: a number, and the variables in it in order."""

    number: int
    variables: tuple[int, ...]


class LastValue(Struct, frozen=True):
    """A value, and what it was found under: the values of variables, and the sets that it was proved in."""

    values: tuple[object, ...]
    proofs: tuple[object, ...]  # compared by identity
    dom: isl.Set
    value: Known


class Repeated:
    """The last value of each spelling, for expressions that note and change nothing."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._forms: dict[Expr, CodeForm] = {}
        self._last: dict[int, LastValue] = {}

    def form(self, expr: Expr) -> CodeForm:
        """The form of an expression without effects; equal numbers mean equal code and types."""
        known = self._forms.get(expr)
        if known is None:
            below = [self.form(child) for child in children(expr)]
            own: Hashable
            match expr:
                case Const(value=value):
                    own = (type(value), value)
                case Name(variable=variable):
                    own = variable
                case Binary(op=op) | Unary(op=op):
                    own = op
                case Cast() | Conditional():
                    own = None
                case _:  # like itself alone
                    own = expr
            key = type(expr), own, expr.type, tuple(form.number for form in below)
            number = self._numbers.setdefault(key, len(self._numbers))
            variables = (expr.variable,) if isinstance(expr, Name) else _merged([form.variables for form in below])
            known = self._forms[expr] = CodeForm(number, variables)
        return known

    def value(
        self, form: CodeForm, values: tuple[object, ...], dom: isl.Set, proofs: tuple[object, ...]
    ) -> Known | None:
        """The value of a form under these values of its variables, if what was found last holds in ``dom`` too."""
        last = self._last.get(form.number)
        if last is None or not all(a is b for a, b in zip(last.proofs, proofs, strict=True)):
            return None
        if not all(map(_same, last.values, values)):
            return None
        return last.value if dom is last.dom or dom.is_subset(last.dom) else None

    def note(
        self, form: CodeForm, values: tuple[object, ...], dom: isl.Set, proofs: tuple[object, ...], value: Value
    ) -> None:
        """Keep a value that is known; a reason names its own place."""
        if isinstance(value, Affine | isl.PwAff):
            self._last[form.number] = LastValue(values, proofs, dom, value)


def _merged(parts: list[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(ident for part in parts for ident in part))


def _same(one: object, other: object) -> bool:
    return one is other or (isinstance(one, Affine) and isinstance(other, Affine) and one == other)
