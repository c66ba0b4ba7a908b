"""Functions of the C and C++ libraries that operators, or nothing, stand for in hardware."""

from __future__ import annotations

_MATHEMATICS = (  # no operators of their own: one kind, `math`
    "log", "sin", "cos", "pow", "tanh", "atan", "atan2", "tan", "sinh", "cosh", "asin", "acos", "asinh", "acosh",
    "atanh", "cbrt", "erf", "erfc", "exp2", "expm1", "fmod", "hypot", "log10", "log1p", "log2", "remainder",
    "lgamma", "tgamma",
)  # fmt: skip
MATH = {"sqrt": "sqrt", "exp": "exp", **dict.fromkeys(_MATHEMATICS, "math")}
MOVES = {"fabs", "fabsf", "abs", "labs", "fmin", "fmax", "fminf", "fmaxf", "floor", "ceil", "floorf", "ceilf", "round"}
MOVES |= {"min", "max", "signbit", "isnan", "isinf"}  # of C++
IGNORED = {"printf", "fprintf", "puts", "putchar", "assert", "__assert_fail", "fflush", "__builtin_expect"}


def plain_name(name: str) -> str:
    """The name of a library function without its namespace and arguments of a template."""
    return name.partition("<")[0].removeprefix("hls::").removeprefix("std::")


def operator_of(plain: str) -> str | None:
    """The key in ``MATH`` of a function of mathematics, which may end in ``f``."""
    base = plain[:-1] if plain.endswith("f") and plain[:-1] in MATH else plain
    return base if base in MATH else None


def has_model(name: str) -> bool:
    """Whether a function is known without its body."""
    plain = plain_name(name)
    return name.startswith("stream.") or name in IGNORED or plain in MOVES or operator_of(plain) is not None
