"""The vectors of a comparison: those on which the original runs, as many as were asked for or as there is time for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from hlspart.model.verifying import Tried
from hlspart.verification.constants import Hints
from hlspart.verification.data import FLOATS, Values, key
from hlspart.verification.execute import Outcome
from hlspart.verification.interface import Incomparable, Object
from hlspart.verification.sampling import Sampler, Trial

MOST = 500  # vectors, however quick they are
_CALM = 3  # vectors of small numbers to begin with
_BATCH = 1 << 25  # bytes of inputs and outputs at a time
_QUICK = 2.0  # seconds for a first run on small numbers while smaller ones are left to try

Run = tuple[Values, bytes]  # a vector and the original's outputs


class OriginalFails(Incomparable):
    """The original survives no vector."""


class Limits(Struct, frozen=True):
    """``vectors`` None: what ``seconds`` allow. ``timeout``: seconds of one run; ``size``: bytes of one vector."""

    vectors: int | None
    seconds: float
    timeout: float
    size: int


class Trials:
    """Runs the original on ``given`` vectors, or on those that ``sampler`` draws and the original survives."""

    def __init__(
        self,
        run: Callable[[Sequence[Values], float], list[Outcome]],
        sampler: Sampler,
        given: Sequence[Values] | None,
        items: Sequence[Object],
        hints: Hints,
        limits: Limits,
    ) -> None:
        self._run = run
        self._sampler = sampler
        self._given = given
        self._items = items
        self._hints = hints
        self._limits = limits
        self._faults = self._timeouts = 0
        self._first = ""
        self.failed: Values | None = None  # the first vector on which the original faults

    def batches(self) -> Iterator[list[Run]]:
        """Vectors with the original's outputs, at least one; raises Incomparable where it survives none."""
        start = time.monotonic()
        if self._given is not None:
            outcomes = [self._run([values], self._limits.timeout)[0] for values in self._given]
            for outcome in outcomes:
                _must_work(outcome)
            yield [(values, outcome.data) for values, outcome in zip(self._given, outcomes, strict=True)]
            return
        asked = self._limits.vectors
        wanted = MOST if asked is None else asked
        calm = min(_CALM, -(-wanted // 4))
        first, failed, took = self._calm()
        done = len(first)
        if first:
            yield first
        limit = min(self._limits.timeout, max(0.5, 20 * took))
        trials = [t for k in range(2, calm + 1) if first and (t := self._sampler.calm(self._sampler.level, k))]
        tries, size = 0, 16
        while done < wanted and tries < 10 * wanted + 100:
            if asked is None and time.monotonic() - start > self._limits.seconds and (done >= _CALM or not first):
                break
            room = max(1, min(size, wanted - done, _BATCH // max(1, self._limits.size)))
            trials = trials or [self._sampler.next() for _ in range(room)]
            before = time.monotonic()
            outcomes = self._run([t.values for t in trials], limit)
            good = [(t.values, o.data) for t, o in zip(trials, outcomes, strict=False) if o.status == "ok"]
            self._note(trials, outcomes)
            tries += len(outcomes)
            done += len(good)
            if good:
                yield good
            each = (time.monotonic() - before) / len(outcomes)  # both versions
            size = int(max(1, min(128, 2 * size, self._limits.seconds / 8 / each)))
            trials = []
        if done == 0:
            _must_work(failed)

    def _calm(self) -> tuple[list[Run], Outcome, float]:
        """The first vector, of the largest small numbers that the original survives; else its fault; seconds taken."""
        failed: list[tuple[Trial, Outcome]] = []
        quick = min(_QUICK, self._limits.timeout)
        level = 0
        while (trial := self._sampler.calm(level, 1)) is not None:
            before = time.monotonic()
            outcome = self._run([trial.values], quick)[0]
            if outcome.status == "ok":
                return [(trial.values, outcome.data)], outcome, time.monotonic() - before
            failed.append((trial, outcome))
            self._fails(trial.values, outcome)
            level += 1
        for level, (trial, outcome) in enumerate(failed):
            if outcome.status == "timeout" and quick < self._limits.timeout:  # slow, perhaps not endless
                before = time.monotonic()
                self._sampler.calm(level, 1)
                outcome = self._run([trial.values], self._limits.timeout)[0]
                if outcome.status == "ok":
                    return [(trial.values, outcome.data)], outcome, time.monotonic() - before
                _must_work(outcome)
        slow = next((o for _, o in failed if o.status == "timeout"), None)
        if slow is not None:
            _must_work(slow)
        return [], failed[0][1], quick

    def _note(self, trials: Sequence[Trial], outcomes: Sequence[Outcome]) -> None:
        for trial, outcome in zip(trials, outcomes, strict=False):
            self._sampler.learn(trial, outcome.status == "ok")
            self._faults += outcome.status == "fault"
            self._timeouts += outcome.status == "timeout"
            self._fails(trial.values, outcome)
            if outcome.status == "fault" and not self._first:
                self._first = outcome.message or self._run([trial.values], self._limits.timeout)[0].message

    def _fails(self, values: Values, outcome: Outcome) -> None:
        if outcome.status == "fault" and self.failed is None:
            self.failed = values

    def tried(self, seen: Sequence[Values]) -> Tried:
        """What the compared vectors held."""
        integers: list[float] = []
        floats: list[float] = []
        given: set[float] = set()
        known = set(self._hints.constants)
        for values in seen:
            for item in self._items:
                for k, leaf in enumerate(item.leaves):
                    column = values.get(key(item), ())[k :: len(item.leaves)]
                    if column:
                        (floats if leaf.code in FLOATS else integers).extend((min(column), max(column)))
                        given |= known.intersection(column)
        return Tried(
            (min(integers), max(integers)) if integers else None,
            (min(floats), max(floats)) if floats else None,
            len(given), len(known), self._faults, self._timeouts, self._first,
        )  # fmt: skip


def _must_work(outcome: Outcome) -> None:
    if outcome.status == "timeout":
        raise OriginalFails(f"the original version is {outcome.message}")
    if outcome.status == "fault":
        raise OriginalFails(f"the original version faults: {outcome.message}")
