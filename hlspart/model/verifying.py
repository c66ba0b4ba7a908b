"""What a comparison of two C versions found."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class Difference(Struct, frozen=True):
    """First difference of the outputs: ``place`` is ``out[3][1]``, ``return value`` or a global's element.

    ``vector`` and ``run`` count from 1; values are as C would print them exactly.
    """

    place: str
    original: str
    new: str
    vector: int
    run: int


class CountedPorts(Struct, frozen=True):
    """Accesses of one array in one pipelined loop, counted while the program ran.

    ``bank``, ``reads`` and ``writes`` are those of the busiest bank in its worst iteration after merging equal
    addresses and hoisting; ``interval`` the cycles its ports need for them, ``predicted`` what the
    ideal port count says (None: the model does not know). ``iterations`` were observed.
    """

    function: str
    loop: str
    array: str
    banks: int
    bank: int
    reads: int
    writes: int
    interval: int
    predicted: int | None
    iterations: int

    @property
    def exceeds(self) -> bool:
        """More than predicted: the model or the rewrite is wrong."""
        return self.predicted is not None and self.interval > self.predicted


class Tried(Struct, frozen=True):
    """What the data were: ``integers`` and ``floats`` are the least and the greatest number given, None without any.

    ``constants`` of ``known`` numbers at and around those of the sources were given. ``faults`` and ``timeouts``
    count further vectors that the original does not survive (``first`` says why); nothing is known of those.
    """

    integers: tuple[float, float] | None = None
    floats: tuple[float, float] | None = None
    constants: int = 0
    known: int = 0
    faults: int = 0
    timeouts: int = 0
    first: str = ""


class Uninitialised(Struct, frozen=True):
    """A local of the original whose value before its first assignment reaches an output, or None: some memory."""

    path: str
    line: int
    column: int
    variable: str | None


class VerifyResult(Struct, frozen=True):
    """Outcome of ``hlspart.verification.verify`` (schema ``hlspart.verify/1``).

    ``equal``: all compared outputs of all runs agree. ``different``: they do not, or NEW alone
    faults. ``incomparable``: why is in ``message``. ``compared`` names what was compared,
    ``skipped`` what was not and why, ``vectors`` how many were compared and ``tried`` what they held.
    ``uninitialised``: memory without a value that outputs of the original depend on; it was the same in both versions.
    ``rounded``: on so many vectors outputs differ by no more than the rounding of both versions, as was allowed.
    ``own_headers``: headers of hlspart that stood for those of the synthesis tool, which the compiler did not find.
    """

    status: Literal["equal", "different", "incomparable"]
    message: str
    top: str
    seed: int
    vectors: int
    runs: int
    tried: Tried | None = None
    uninitialised: tuple[Uninitialised, ...] = ()
    own_headers: tuple[str, ...] = ()
    difference: Difference | None = None
    compared: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    ports: tuple[CountedPorts, ...] = ()
    rounded: int = 0

    @property
    def exit_code(self) -> int:
        """0 equal, 1 different or more port accesses than predicted, 2 cannot compare."""
        if self.status == "equal" and any(p.exceeds for p in self.ports):
            return 1
        return {"equal": 0, "different": 1, "incomparable": 2}[self.status]
