"""C text of banks and places: what writes it, what it is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct


class TextWriter(Protocol):
    """Integer arithmetic as text for operands from 0 to ``greatest``; see :class:`Formula`."""

    def div(self, text: str, divisor: int, greatest: int) -> str:
        """text / divisor."""

    def mod(self, text: str, divisor: int, greatest: int) -> str:
        """text mod divisor."""

    def look_up(self, values: Sequence[int], index: str, kind: str) -> str:
        """values[index]; ``kind`` begins the name of a helper."""

    def named(self, kind: str, parameters: Sequence[str], text: str) -> str:
        """A helper of this name for ``text``: its call."""


class Formula(Struct, frozen=True):
    """Bank and place of an element as C text: ``words`` has one index per dimension of a bank's array."""

    bank: str
    words: tuple[str, ...]
    bank_note: str
    word_note: str
    source: str


def combination_text(alpha: Sequence[int], terms: Sequence[str]) -> str:
    """alpha . terms in C."""
    return " + ".join(t if a == 1 else f"{a}u * {t}" for a, t in zip(alpha, terms, strict=True) if a) or "0u"


def combination_note(alpha: Sequence[int]) -> str:
    """alpha . x for readers."""
    return " + ".join(f"x{k}" if a == 1 else f"{a}*x{k}" for k, a in enumerate(alpha) if a) or "0"


def reach(alpha: Sequence[int], shape: Sequence[int]) -> int:
    """Greatest value of alpha . x."""
    return sum(a * (n - 1) for a, n in zip(alpha, shape, strict=True))
