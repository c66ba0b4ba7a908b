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
