"""``--plan FILE.toml``: what ``#pragma hlspart layout`` says, beside the source.

[layout.nests]
CONV = "blocked"        # by label, or by line: 12 = "compact"; tiles: 20 = [8, 4]

[layout.arrays]
x = "NCx"
w = [8, 4]              # tile sizes
v = { pack = 4 }        # rows side by side
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct, field

from hlspart.model.blocked import TILE, Kind
from hlspart.reading import read_file

_SIZE = re.compile("[1-9][0-9]{0,8}")


class PlanError(Exception):
    """A plan that cannot be used; the text begins with ``path:line``."""


class LayoutPlan(Struct, frozen=True):
    """``nests``: kinds by label or line; ``arrays``: an option of the pragma and its value, by name."""

    path: str = ""
    nests: Mapping[str, str] = field(default_factory=dict)
    arrays: Mapping[str, tuple[str, str]] = field(default_factory=dict)


def read(path: str) -> LayoutPlan:
    """The ``[layout]`` table of a file; other tables are other commands'. Raises :class:`PlanError`."""
    import tomllib

    try:
        text = read_file(path).decode()
        data = tomllib.loads(text.replace("\r\n", "\n"))
    except OSError as error:
        raise PlanError(f"{path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise PlanError(f"{path}: {' '.join(str(error).split())}") from None

    def fault(key: str, problem: str) -> PlanError:
        line = next((k for k, row in enumerate(text.split("\n"), 1) if re.match(rf'\s*"?{re.escape(key)}\b', row)), 1)
        return PlanError(f"{path}:{line}: {problem}")

    table = data.get("layout", {})
    if not isinstance(table, dict) or not set(table) <= {"nests", "arrays"}:
        raise PlanError(f"{path}: [layout] holds the tables nests and arrays")
    nests: dict[str, str] = {}
    arrays: dict[str, tuple[str, str]] = {}
    for key, value in _table(table, "nests", path).items():
        if isinstance(value, str):
            nests[key] = value
        elif _sizes(value) is not None:
            nests[key] = _sizes(value) or ""
        else:
            raise fault(key, f"{key}: a nest is blocked, compact, any or a list of tile sizes")
    for key, value in _table(table, "arrays", path).items():
        if isinstance(value, str):
            arrays[key] = "layout", value
        elif (sizes := _sizes(value)) is not None:
            arrays[key] = "tile", sizes
        elif isinstance(value, dict) and set(value) == {"pack"}:
            arrays[key] = "pack", str(value["pack"])
        else:
            raise fault(key, f"{key}: an array has a layout, such as NCx, a list of tile sizes or {{ pack = 4 }}")
    return LayoutPlan(path, nests, arrays)


def tiles(sizes: str) -> Kind | None:
    """The layout in tiles of ``sizes``, such as ``8,4``; None where they are none."""
    parts = sizes.split(",")
    return f"{TILE}{','.join(str(int(p)) for p in parts)}" if all(_SIZE.fullmatch(p) for p in parts) else None


def _sizes(value: object) -> str | None:
    """``8,4`` of ``[8, 4]``, None of anything but a list of integers."""
    if not isinstance(value, list) or not all(isinstance(v, int) and not isinstance(v, bool) for v in value):
        return None
    return ",".join(map(str, value))


def _table(table: Mapping[str, object], name: str, path: str) -> Mapping[str, object]:
    section = table.get(name, {})
    if not isinstance(section, dict):
        raise PlanError(f"{path}: [layout.{name}] is no table")
    return section
