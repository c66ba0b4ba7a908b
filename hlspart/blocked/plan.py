"""``--plan FILE.toml``: what ``#pragma hlspart layout`` says, beside the source.

[layout.nests]
CONV = "blocked"        # by label, or by line: 12 = "compact"

[layout.arrays]
x = "NCx"
w = [8, 4]              # tile sizes
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from hlspart.reading import read_file


class PlanError(Exception):
    """A plan that cannot be used; the text begins with ``path:line``."""


@dataclass(frozen=True, slots=True)
class LayoutPlan:
    """``nests``: kinds by label or line; ``arrays``: options of the pragma (``layout`` or ``tile``) by name."""

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
        if not isinstance(value, str):
            raise fault(key, f"{key}: a nest is blocked, compact or any")
        nests[key] = value
    for key, value in _table(table, "arrays", path).items():
        if isinstance(value, str):
            arrays[key] = "layout", value
        elif isinstance(value, list) and all(isinstance(v, int) and not isinstance(v, bool) for v in value):
            arrays[key] = "tile", ",".join(map(str, value))
        else:
            raise fault(key, f"{key}: an array has a layout, such as NCx, or a list of tile sizes")
    return LayoutPlan(path, nests, arrays)


def _table(table: Mapping[str, object], name: str, path: str) -> Mapping[str, object]:
    found = table.get(name, {})
    if not isinstance(found, dict):
        raise PlanError(f"{path}: [layout.{name}] is no table")
    return found
