"""Which data to try next: seeded, spread over sizes and shapes, away from what the original does not survive.

Each object has *modes* (how large its values are) and *patterns* (how the elements of an array relate). A vector
draws both for each object on its own; what made the original fault is drawn less often from then on.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct, field

from hlspart.verification.constants import Hints
from hlspart.verification.data import FLOATS, LIMITS, Number, Values, key, limits
from hlspart.verification.interface import Object, ScalarField

CALM = (-100, 100)
_PATTERNS = (
    "random", "random", "random", "magnitudes", "magnitudes", "constants", "constants", "sparse", "boundary",
    "ascending", "descending", "constant", "alternating",
)  # fmt: skip
_SCALAR_PATTERNS = ("random", "random", "magnitudes", "constants", "constants", "boundary")
_KEPT = "kept"  # a global that the source leaves as it is
_STEERED = 1 << 12  # a loop bound beyond is no better than one below
_RETRIES = 3
_FIRST_ROUNDS = 0.3  # of the vectors are for constants, until each was tried once in each place
_STRIDE = 5  # constants from one element to the next


class Mode(Struct, frozen=True):
    """Range of integers, and how floating-point numbers are drawn: ``form`` up to ``scale``."""

    low: int
    high: int
    form: str = "uniform"
    scale: float = 100.0


class ObjectSample(Struct, frozen=True):
    """What one object got in one vector: numbers of its mode and of its round through the constants (or -1)."""

    mode: int
    pattern: str
    round: int = -1


class Trial(Struct, frozen=True):
    """One input vector and how it came about; ``choices`` is empty for one of the calm vectors."""

    values: Values
    choices: Mapping[str, ObjectSample]


class _Tally(Struct):
    good: int = 0
    bad: int = 0

    @property
    def weight(self) -> float:
        return ((self.good + 1) / (self.good + self.bad + 1)) ** 2


class _State(Struct):
    """What is known of one object."""

    item: Object
    modes: list[Mode]
    patterns: tuple[str, ...]
    constants: list[int | float]
    mode_tally: list[_Tally]
    pattern_tally: dict[str, _Tally]
    rounds: int = 0
    again: list[int] = field(default_factory=list)  # rounds through the constants that came to nothing
    retried: dict[int, int] = field(default_factory=dict)


class Sampler:
    """Draws the vectors for ``items``. ``fixed`` parameters have one value; ``value_range`` bounds all others."""

    def __init__(
        self,
        items: Sequence[Object],
        fixed: Mapping[str, int],
        seed: int,
        hints: Hints,
        value_range: tuple[float, float] | None,
    ) -> None:
        self._seed = seed
        self._items = items
        self._fixed = {key(o): fixed[o.name] for o in items if o.name in fixed and o.passing == "value"}
        self._range = value_range
        self._number = 0
        small = min([*hints.extents[:1], 100]) - 1
        self._calms = [(CALM, True), ((0, small), True), ((0, small), False), ((0, 1), False)]
        if value_range is not None:
            self._calms = [((int(value_range[0]), int(value_range[1])), True)]
        self.level = 0  # of the calm vectors
        self._states = {key(o): self._state(o, hints) for o in items if not _is_left(o) and key(o) not in self._fixed}

    def _state(self, item: Object, hints: Hints) -> _State:
        steering = item.name in hints.steering
        modes = _modes(item, hints.extents, steering, self._range)
        known = hints.constants
        if steering:
            known = tuple(c for c in known if abs(c) <= _STEERED)
        if self._range is not None:
            known = tuple(c for c in known if self._range[0] <= c <= self._range[1])
        patterns: tuple[str, ...] = _PATTERNS if item.count > 1 else _SCALAR_PATTERNS
        if not known:
            patterns = tuple(p for p in patterns if p != "constants")
        return _State(
            item, modes, patterns, list(known), [_Tally() for _ in modes], {p: _Tally() for p in (*patterns, _KEPT)}
        )

    # ------------------------------------------------------------------------------------ vectors

    def calm(self, level: int, vector: int) -> Trial | None:
        """Small numbers alone, the lesser the higher the ``level``; None beyond the last level."""
        if level >= len(self._calms):
            return None
        self.level = level
        (low, high), driven = self._calms[level]
        mode = Mode(low, high)
        if self._range is not None:
            mode = Mode(low, high, "between", self._range[1])
        values = {}
        for item in self._items:
            if _is_left(item) or (item.role == "global" and not driven):
                continue
            rng = random.Random(f"{self._seed}/{vector}/{key(item)}")
            values[key(item)] = _drawn(item, mode, "random", rng, [], 0, self._range)
        values.update({name: [value] for name, value in self._fixed.items()})
        return Trial(values, {})

    def next(self) -> Trial:
        """The next vector."""
        self._number += 1
        rng = random.Random(f"{self._seed}/{self._number}")
        values: dict[str, Sequence[Number]] = {name: [value] for name, value in self._fixed.items()}
        choices: dict[str, ObjectSample] = {}
        names = list(self._states)
        alone = rng.choice(names) if names and rng.random() < 0.3 else None  # the others calm
        (low, high), driven = self._calms[self.level]
        for name, state in self._states.items():
            source = random.Random(f"{self._seed}/{self._number}/{name}")
            if state.item.role == "global" and (not driven or source.random() < 0.25):
                continue
            if alone is not None and name != alone:
                mode = Mode(low, high, "uniform" if self._range is None else "between")
                values[name] = _drawn(state.item, mode, "random", source, [], 0, self._range)
                continue
            choice = self._choose(state, source)
            choices[name] = choice
            values[name] = _drawn(
                state.item, state.modes[choice.mode], choice.pattern, source, state.constants, choice.round, self._range
            )
        return Trial(values, choices)

    def _choose(self, state: _State, rng: random.Random) -> ObjectSample:
        mode = rng.choices(range(len(state.modes)), [t.weight for t in state.mode_tally])[0]
        pattern = rng.choices(state.patterns, [state.pattern_tally[p].weight for p in state.patterns])[0]
        if state.rounds < len(state.constants) and rng.random() < _FIRST_ROUNDS:
            pattern = "constants"
        if pattern != "constants":
            return ObjectSample(mode, pattern)
        if state.again:
            return ObjectSample(mode, pattern, state.again.pop(0))
        state.rounds += 1
        return ObjectSample(mode, pattern, state.rounds - 1)

    def learn(self, trial: Trial, good: bool) -> None:
        """What became of a vector on the original."""
        for name, choice in trial.choices.items():
            state = self._states[name]
            for tally in (state.mode_tally[choice.mode], state.pattern_tally[choice.pattern]):
                tally.good += good
                tally.bad += not good
            if not good and choice.round >= 0 and state.retried.get(choice.round, 0) < _RETRIES:
                state.retried[choice.round] = state.retried.get(choice.round, 0) + 1
                state.again.append(choice.round)


def _is_left(item: Object) -> bool:
    """Whether the source alone gives an object its value."""
    return item.role == "global" and item.initialised and item.defined


# -------------------------------------------------------------------------------------- modes


def _modes(item: Object, extents: Sequence[int], steering: bool, value_range: tuple[float, float] | None) -> list[Mode]:
    if value_range is not None:
        return [Mode(int(value_range[0]), int(value_range[1]), "between", value_range[1])]
    codes = {leaf.code for leaf in item.leaves}
    floats = [
        ("uniform", 100.0), ("uniform", 1.0), ("whole", 1000.0), ("exponent", 30.0), ("exponent", 120.0),
        ("uniform", 1e6), ("exponent", 1000.0),
    ]  # fmt: skip
    known = [limits(leaf) for leaf in item.leaves if leaf.code in LIMITS]
    if not known:
        return [
            Mode(*CALM, form, scale) for form, scale in floats if scale < 1000 or form != "exponent" or "d" in codes
        ]
    least, most = min(low for low, _ in known), max(high for _, high in known)
    spans = [(least, most), CALM, (0, 100), (1, 100), (0, 1)]
    spans += [(-(1 << k), (1 << k) - 1) for k in (48, 40, 31, 27, 23, 19, 15, 11, 8)]
    chosen = {*extents[:2], *extents[-2:], *(extents[len(extents) // 2 :][:1])}
    spans += [span for e in sorted(chosen) for span in ((0, e - 1), (0, e), (e, e), (e - 1, e - 1))]
    spans = [(max(low, least), min(high, most)) for low, high in spans if max(low, least) <= min(high, most)]
    if steering:
        spans = [(0, 1), (1, 1), *(s for s in spans[3:] if max(map(abs, s)) <= _STEERED)]
    return [Mode(*span, *floats[k % len(floats)]) for k, span in enumerate(dict.fromkeys(spans))]


# ------------------------------------------------------------------------------------- values


def _drawn(
    item: Object,
    mode: Mode,
    pattern: str,
    rng: random.Random,
    constants: Sequence[int | float],
    turn: int,
    bounds: tuple[float, float] | None,
) -> list[Number]:
    """Scalars of one object in memory order."""
    columns = [
        _column(leaf, item.count, mode, pattern, rng, constants, turn + k, bounds) for k, leaf in enumerate(item.leaves)
    ]
    return columns[0] if len(columns) == 1 else [value for row in zip(*columns, strict=True) for value in row]


def _column(
    leaf: ScalarField,
    count: int,
    mode: Mode,
    pattern: str,
    rng: random.Random,
    constants: Sequence[int | float],
    turn: int,
    bounds: tuple[float, float] | None,
) -> list[Number]:
    if leaf.code in FLOATS:
        fit, one, special = _floats(leaf.code, mode, rng, bounds)
    else:
        fit, one, special = _integers(leaf, mode, rng)
    match pattern:
        case "constants":
            known = [v for v in (fit(c) for c in constants) if v is not None]
            if known:
                return [known[(turn + k * _STRIDE) % len(known)] for k in range(count)]
        case "boundary":
            return rng.choices(special, k=count)
        case "constant":
            return [rng.choice((one(), rng.choice(special)))] * count
        case "alternating":
            pair = (rng.choice((one(), rng.choice(special))), rng.choice((one(), rng.choice(special))))
            return [pair[k % 2] for k in range(count)]
        case "sparse":
            values: list[Number] = [min(special, key=abs)] * count
            for _ in range(max(1, count // 16)):
                values[rng.randrange(count)] = one()
            return values
        case "ascending" | "descending":
            values = sorted(one() for _ in range(count))
            return values if pattern == "ascending" else values[::-1]
        case "magnitudes" if leaf.code not in FLOATS:
            zero = int(min(special, key=abs))  # of this member: the mode may lie beyond its type
            return [zero + _shifted(int(one()) - zero, rng.randrange(64)) for _ in range(count)]
    return [one() for _ in range(count)]


def _shifted(value: int, bits: int) -> int:
    return value >> bits if value >= 0 else -(-value >> bits)


_Kit = tuple[Callable[[int | float], Number | None], Callable[[], Number], list[Number]]


def _integers(leaf: ScalarField, mode: Mode, rng: random.Random) -> _Kit:
    """A constant that fits (or None), a random value, and the values at the bounds."""
    least, most = limits(leaf)
    low = min(max(least, mode.low), most)
    high = max(min(most, mode.high), low)
    span = high - low + 1
    special: list[Number] = [v for v in dict.fromkeys((low, high, 0, 1, -1, low + 1, high - 1)) if low <= v <= high]

    def fit(value: int | float) -> int | None:
        return int(value) if least <= value <= most else None

    if span < 1 << 50:
        return fit, lambda: low + int(rng.random() * span), special
    return fit, lambda: rng.randint(low, high), special


_ENDS = {  # of each type the least number above zero, the least with all its digits, the greatest
    "e": (6e-8, 6.1035156e-05, 65504.0), "f": (1.4e-45, 1.1754944e-38, 3.4028234663852886e38),
    "d": (5e-324, 2.3e-308, 1.7e308),
}  # fmt: skip


def _floats(code: str, mode: Mode, rng: random.Random, bounds: tuple[float, float] | None) -> _Kit:
    if bounds is not None:
        low, high = bounds
        special = [_rounded(v, code) for v in (low, high, 0.0) if low <= v <= high]
        return lambda v: _rounded(float(v), code), lambda: _rounded(rng.uniform(low, high), code), special

    def one() -> float:
        match mode.form:
            case "whole":
                return float(rng.randint(-int(mode.scale), int(mode.scale)))
            case "exponent":
                return _rounded(rng.uniform(-2, 2) * 2.0 ** rng.uniform(-mode.scale, mode.scale), code)
        return _rounded(rng.uniform(-mode.scale, mode.scale), code)

    tiny, least, most = _ENDS[code]
    special = [0.0, -0.0, 1.0, -1.0, 0.5, 0.1, 1 / 3, 16777217.0, 1 + 2.0**-23, 2.0**31, tiny, least / 128, least]
    if mode.form == "exponent":
        special += [-tiny, most, -most]
    return lambda v: _rounded(float(v), code), one, [_rounded(v, code) for v in special]


def _rounded(value: float, code: str) -> float:
    """The nearest number of the type; beyond its range, the last one."""
    if code == "d":
        return value
    value = min(max(value, -_ENDS[code][2]), _ENDS[code][2])
    rounded: float = struct.unpack("<" + code, struct.pack("<" + code, value))[0]
    return rounded
