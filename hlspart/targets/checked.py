"""A profile of the user's own against what the built-in ones hold: no key without an effect, no figure missing."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from typing import Any


class TargetError(Exception):
    """A tool, part, clock or profile that cannot be used; the message is one line for the user."""


Refuse = Callable[[str], TargetError]

_OPTIONAL = {"pipeline": ("unsafe_math",)}  # keys that no built-in profile says
_PORTS = ("reads", "writes", "total")
MOST_OF_A_NUMBER = 1_000_000_000
_RESOURCES = ("bram18k", "uram", "dsp", "lut", "ff")
_LIBRARY = ("kind", "grade", "same", "kinds")
# of an operator: figures of reports, of an estimate, of a data sheet; what each has beside
_WAYS = {"points": ("in_ns", "out_ns", "dsp"), "delay_ns": (), "width_states": ("stage_ns",), "latency": ()}
_OPERATOR = (
    *_WAYS, "in_ns", "out_ns", "stage_ns", "dsp", "source", "fits", "steps", "per_bit_ns", "narrow_bits", "narrow_ns",
    "wide_bits", "wide", "wide_from", "wide_to", "wide_states", "wide_most", "tile", "lut_bits", "by_invariant",
)  # fmt: skip


def check_profile(base: Mapping[str, Any], devices: Mapping[str, Any], own: Mapping[str, Any], where: str) -> None:
    """Refuse what a user's profile says in vain. ``base``: what it inherits; ``devices``: the listed ones."""

    def refuse(text: str) -> TargetError:
        return TargetError(f"{where}: {text}")

    for table, value in own.items():
        if table in ("inherits", "tool", "devices"):
            continue
        _known(table, base, "", refuse)
        _kind(table, base[table], value, refuse)
        if table == "operators":
            _families(base[table], value, refuse)
        elif table in ("memory_delay", "block_delay"):
            kinds = {kind: ns for family in base[table].values() for kind, ns in family.items()}
            for family, delays in _tables(table, value, refuse):
                _figures(f"{table}.{family}", delays, kinds, refuse)
        elif isinstance(value, dict):
            _table(table, value, {**base[table], **dict.fromkeys(_OPTIONAL.get(table, ()), False)}, refuse)
    _own_devices(devices, own.get("devices", {}), refuse)


def check_figures(profile: Mapping[str, Any], family: str, devices: Mapping[str, Any], where: str) -> None:
    """Refuse a profile that lacks figures of the chosen device's family. Raises :class:`TargetError`."""
    delays = profile["memory_delay"]
    missing = {k for f in delays.values() for k in f} - delays.get(family, delays[profile["default_family"]]).keys()
    if missing:
        raise TargetError(f"{where}: memory_delay.{family} lacks {', '.join(sorted(missing))}")
    if family not in devices["memories"]:
        raise TargetError(f"{where}: devices.memories lacks {family}: [width, depth] of the shapes of one memory block")


def check_operators(operators: Mapping[str, Mapping[str, Any]], where: str) -> None:
    """Refuse operators of a device that lack figures, once what they are laid over is there."""
    for op, entry in operators.items():
        way = next((w for w in _WAYS if w in entry), None)
        if way is None:
            raise TargetError(f"{where}: operator {op} has none of {', '.join(_WAYS)}")
        needed = ("dsp",) if way == "points" and "delay_ns" in entry else _WAYS[way]
        for key in (*needed, "source"):
            if key not in entry:
                raise TargetError(f"{where}: operator {op} lacks {key}")


def _known(key: str, known: Iterable[str], prefix: str, refuse: Refuse) -> None:
    names = list(known)
    if key not in names:
        near = difflib.get_close_matches(key, names, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise refuse(f"unknown key {prefix}{key}{hint}")


def _kind(name: str, known: object, value: object, refuse: Refuse) -> None:
    """Refuse a value that is no table, number, text or list as the built-in one is."""
    for kind, word in ((dict, "a table"), (str, "text"), (list, "a list"), (int | float, "a number")):
        if isinstance(known, kind) and not isinstance(value, kind):
            raise refuse(f"{name} must be {word}")
    if isinstance(known, int | float) and not _is_number(value):
        raise refuse(f"{name} must be a number up to {MOST_OF_A_NUMBER}")


def _tables(name: str, value: Mapping[str, Any], refuse: Refuse) -> list[tuple[str, dict[str, Any]]]:
    for key, below in value.items():
        _kind(f"{name}.{key}", {}, below, refuse)
    return list(value.items())


def _figures(name: str, value: Mapping[str, Any], known: Mapping[str, object], refuse: Refuse) -> None:
    for key, below in value.items():
        _known(key, known, f"{name}.", refuse)
        _kind(f"{name}.{key}", known[key], below, refuse)


def _table(table: str, value: Mapping[str, Any], known: Mapping[str, Any], refuse: Refuse) -> None:
    """A table with the keys of the built-in one; of the tables in it those of ports have optional keys."""
    _figures(table, value, known, refuse)
    for key, below in value.items():
        if isinstance(below, dict):
            _figures(f"{table}.{key}", below, dict.fromkeys(_PORTS, 0) if table == "ports" else known[key], refuse)


def _families(base: Mapping[str, Any], own: Mapping[str, Any], refuse: Refuse) -> None:
    """Operators by family: known ones, with known keys."""
    operators = {op: entry for family in base.values() for op, entry in family.items()}
    examples = {key: v for entry in operators.values() if isinstance(entry, dict) for key, v in entry.items()}
    examples |= {"latency": 1}
    for family, table in _tables("operators", own, refuse):
        for op, entry in table.items():
            _known(op, (*operators, "inherits"), f"operators.{family}.", refuse)
            if op == "inherits":
                _known(entry, {**base, **own}, f"operators.{family}.inherits = ", refuse)
                continue
            name = f"operators.{family}.{op}"
            _kind(name, {}, entry, refuse)
            _figures(name, entry, {key: examples[key] for key in _OPERATOR}, refuse)
            for key, length in (("points", 2), ("steps", 2), ("fits", 2), ("wide", 2), ("by_invariant", 2)):
                _rows(f"{name}.{key}", entry.get(key, []), length, refuse)
                if key in ("points", "steps", "wide") and not entry.get(key, True):
                    raise refuse(f"{name}.{key} must hold at least one list")
            for key in ("tile", "lut_bits"):
                _numbers(f"{name}.{key}", entry.get(key, [0, 0]), refuse)


def _rows(name: str, rows: object, length: int, refuse: Refuse) -> None:
    """Lists of at least ``length`` numbers."""
    wrong = not isinstance(rows, list) or any(
        not isinstance(row, list) or len(row) < length or any(not _is_number(x) for x in row) for row in rows
    )
    if wrong:
        raise refuse(f"{name} must hold lists of {length} numbers")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and abs(value) <= MOST_OF_A_NUMBER


def _numbers(name: str, value: object, refuse: Refuse) -> None:
    if not isinstance(value, list) or len(value) != 2 or not all(map(_is_number, value)):
        raise refuse(f"{name} must hold 2 numbers")


def _texts(name: str, value: object, refuse: Refuse) -> None:
    if not isinstance(value, list) or not all(isinstance(x, str) for x in value):
        raise refuse(f"{name} must hold texts")


def _own_devices(listed: Mapping[str, Any], own: object, refuse: Refuse) -> None:
    _kind("devices", {}, own, refuse)
    assert isinstance(own, dict)
    for key, value in own.items():
        _known(key, listed, "devices.", refuse)
        _kind(f"devices.{key}", listed[key], value, refuse)
        if not isinstance(value, dict):
            continue
        for name, below in value.items():
            place = f"devices.{key}.{name}"
            _kind(place, [] if key in ("families", "memories") else {}, below, refuse)
            if key == "families":
                _texts(place, below, refuse)
            elif key == "memories":
                _rows(place, below, 2, refuse)
            elif key in ("parts", "libraries"):
                for word in below:
                    _known(word, _RESOURCES if key == "parts" else _LIBRARY, f"{place}.", refuse)
                    kind: object = 0 if key == "parts" else {} if word in ("same", "kinds") else ""
                    _kind(f"{place}.{word}", kind, below[word], refuse)
                for word, names in below.get("kinds", {}).items() if key == "libraries" else ():
                    _texts(f"{place}.kinds.{word}", names, refuse)
