"""Functions of the C and C++ libraries that operators, or nothing, stand for in hardware."""

from __future__ import annotations

from hlspart.model.pure_functions import CHOSEN, COMPUTED, base_of, is_pure

_OPERATORS = {"sqrt": "sqrt", "exp": "exp"}  # the others have none of their own: one kind, `math`
IGNORED = {"printf", "fprintf", "puts", "putchar", "assert", "__assert_fail", "fflush", "__builtin_expect"}


def moves(name: str) -> bool:
    """Whether a library function is logic on the bits of its arguments."""
    return base_of(name) in CHOSEN


def operator_of(name: str) -> str | None:
    """The operator that a function of mathematics is in hardware, without the letter of its type."""
    base = base_of(name)
    return _OPERATORS.get(base, "math") if base in COMPUTED else None


def has_model(name: str) -> bool:
    """Whether a function is known without its body."""
    return name.startswith("stream.") or name in IGNORED or is_pure(name)
