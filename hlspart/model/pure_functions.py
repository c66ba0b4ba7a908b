"""Functions of the C, C++ and HLS libraries that do nothing but work out a value of their arguments."""

from __future__ import annotations

_COMPUTED = """
    acos acosh acospi asin asinh asinpi atan atan2 atan2pi atanh atanpi cbrt cos cosh cospi erf erfc exp exp10 exp2
    expm1 fdim fma fmod hypot lgamma log log10 log1p log2 mad pow powr recip remainder rootn rsqrt sin sinh sinpi sqrt
    tan tanh tanpi tgamma
"""
_CHOSEN = """
    abs fabs fmax fmin fract max min maxmag minmag copysign ceil floor round roundeven rint nearbyint trunc lround
    llround lrint llrint ilogb logb ldexp scalbn scalbln nextafter isfinite isinf isnan isnormal signbit fpclassify
    isgreater isgreaterequal isless islessequal islessgreater isunordered labs llabs
"""
#: Of mathematics, those for which hardware has an operator or a core (UG1399, *HLS math library*).
COMPUTED = frozenset(_COMPUTED.split())
#: Those that choose, round or look at bits.
CHOSEN = frozenset(_CHOSEN.split())
_SPACES = ("hls::", "std::")
_KINDS = ("f", "l")  # sinf of floats, sinl of long doubles
_MINE = ("half_",)


def base_of(name: str) -> str:
    """The function of mathematics that a name means: without namespace, template arguments and letter of a type."""
    plain = name.partition("<")[0]
    for space in _SPACES:
        plain = plain.removeprefix(space)
    for mark in _MINE:
        plain = plain.removeprefix(mark)
    if plain not in COMPUTED | CHOSEN and plain.endswith(_KINDS) and plain[:-1] in COMPUTED | CHOSEN:
        return plain[:-1]
    return plain


def is_pure(name: str) -> bool:
    """Whether a library function gives a value of its arguments and does nothing else."""
    return base_of(name) in COMPUTED | CHOSEN or name == "__builtin_expect"
