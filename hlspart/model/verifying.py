"""What a comparison of two C versions found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Difference:
    """First difference of the outputs: ``place`` is ``out[3][1]``, ``return value`` or a global's element.

    ``vector`` and ``run`` count from 1; values are as C would print them exactly.
    """

    place: str
    original: str
    new: str
    vector: int
    run: int


@dataclass(frozen=True, slots=True)
class VerifyResult:
    """Outcome of ``hlspart.verify.verify`` (schema ``hlspart.verify/1``).

    ``equal``: all compared outputs of all runs agree. ``different``: they do not, or NEW alone
    faults. ``incomparable``: why is in ``message``. ``compared`` names what was compared,
    ``skipped`` what was not and why, ``seed`` and ``value_range`` the integers' range that was used.
    """

    status: Literal["equal", "different", "incomparable"]
    message: str
    top: str
    seed: int
    vectors: int
    runs: int
    value_range: tuple[float, float] | None = None
    difference: Difference | None = None
    compared: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 equal, 1 different, 2 cannot compare."""
        return {"equal": 0, "different": 1, "incomparable": 2}[self.status]
