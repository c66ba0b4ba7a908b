"""Calls and members whose values are constants: ``constexpr`` functions and, as compilers fold them, those of the
library, as ``int(ceil(log2(N)))`` and ``std::max(A, B)``; members of constant structures.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

from hlspart.frontend.compile_time import called
from hlspart.frontend.constants import value_of
from hlspart.frontend.context import Context, FunctionDeclaration
from hlspart.model import program as ir
from hlspart.model.pure_functions import base_of
from hlspart.model.reals import real_value

_EXACT = 1 << 53
_SPECIFIERS = 400  # characters ahead of the name of a function, at most


def _rounded(value: float) -> float:
    return math.copysign(math.floor(abs(value) + 0.5), value)  # halves away from zero


_OF_REALS: dict[str, Callable[..., float]] = {
    "ceil": math.ceil, "floor": math.floor, "trunc": math.trunc, "round": _rounded, "fabs": math.fabs,
    "sqrt": math.sqrt, "log2": math.log2, "exp2": lambda x: math.pow(2.0, x), "pow": math.pow,
    "ilogb": lambda x: math.frexp(x)[1] - 1 if x else math.nan, "fmax": max, "fmin": min,
}  # fmt: skip
_OF_NUMBERS: dict[str, Callable[[Sequence[int]], int]] = {"max": max, "min": min}


def constant_call(
    context: Context, function: str, type_: ir.CType, args: Sequence[ir.Expr], entry: object
) -> int | float | None:
    """The value of a call of what ``entry`` declares; None where it is no constant."""
    known = context.collected
    own = known.functions.get(function)
    if own is None:
        declared = entry.types if isinstance(entry, FunctionDeclaration) else None
        return _of_library(base_of(function), declared, type_, args, known.variables, context.language)
    if context.language == "c":
        return None
    values = [value_of(a, known.variables) for a in args]
    numbers = [v for v in values if v is not None]
    if len(numbers) < len(values):
        return None
    start, text = own.name_at.span.start, known.sources[own.name_at.span.path].text
    words = re.split(r"[;{}]", text[max(0, start - _SPECIFIERS) : start])[-1].split()
    return called(own, numbers, known.variables, known.functions, loops="constexpr" in words)


def constant_member(context: Context, part: ir.Member, text: str) -> ir.Expr:
    """The value of a member of a constant structure where it is a whole number, else the member itself."""
    if part.arrow or not isinstance(part.base, ir.Name) or not isinstance(part.type, ir.ScalarType):
        return part
    value = value_of(part, context.collected.variables)
    return part if value is None else ir.Const(part.at, part.type, value, text.strip())


def _of_library(
    name: str, declared: Sequence[str] | None, type_: ir.CType, args: Sequence[ir.Expr],
    variables: Sequence[ir.Variable], language: str,
) -> int | float | None:  # fmt: skip
    """``declared``: the types of the parameters, None without a declaration."""
    if not isinstance(type_, ir.ScalarType) or not args:
        return None
    choose = _OF_NUMBERS.get(name)
    if choose is not None and declared is None and language != "c":
        numbers = [value_of(a, variables) for a in args if a.type == type_]
        known = [n for n in numbers if n is not None]
        return choose(known) if len(known) == len(args) == 2 and type_.kind == "int" else None
    compute = _OF_REALS.get(name)
    if compute is None or not declared or any(t not in ("double", "float") for t in declared):
        return None
    reals = [real_value(a, variables, lambda e: value_of(e, variables)) for a in args]
    given = [r for r in reals if r is not None]
    if len(given) < len(args):
        return None
    try:
        value = float(compute(*given))
    except (ValueError, OverflowError, TypeError):  # no number, infinite, too many arguments
        return None
    if not math.isfinite(value) or abs(value) >= _EXACT:
        return None
    return value if type_.kind == "float" else int(value) if type_.kind == "int" else None
