"""Settings files: which one counts for a file, and what it says about the target and the headers.

``--config FILE``, else ``.hlspart.toml``, ``[tool.hlspart]`` of pyproject.toml or ``[hlspart]`` of setup.cfg
in the folder of the first file or the nearest folder above it; in one folder the first of these wins.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from hlspart.reading import read_file

_FILES = (".hlspart.toml", "pyproject.toml", "setup.cfg")
LINT_KEYS = ("select", "ignore", "severity", "per-file-ignores", "fail-on", "large-complete")


class SettingsError(Exception):
    """A settings file that cannot be used; one line with the file, the line and the key."""


class Settings(Struct, frozen=True):
    """``values``: setting -> value, of those about the target and the headers (:data:`TARGET_KEYS`) as they
    are used, of those about lint (:data:`LINT_KEYS`) as they stand. ``path`` None: there is no file."""

    values: Mapping[str, Any] = field(default_factory=dict)
    path: str | None = None
    text: str = ""

    def fault(self, key: str, message: str) -> SettingsError:
        """An error about a setting, with its line."""
        return SettingsError(f"{self.path}:{_line(self.text, key)}: {message}")


def find(start: str, explicit: str | None = None) -> Settings:
    """The settings for a file or folder ``start``. Raises SettingsError."""
    if explicit is not None:
        settings = _read(Path(explicit), explicit)
        if settings is None:
            raise SettingsError(f"{explicit}: holds no settings of hlspart")
        return settings
    folder = Path(os.path.abspath(start))
    for place in (folder, *folder.parents) if folder.is_dir() else folder.parents:
        for name in _FILES:
            path = place / name
            settings = _read(path, os.path.relpath(path)) if path.is_file() else None
            if settings is not None:
                return settings
    return Settings()


def _read(path: Path, shown: str) -> Settings | None:
    import tomllib
    from configparser import ConfigParser, Error

    try:
        text = read_file(path).decode().replace("\r\n", "\n")
        if "hlspart" not in text and path.name != ".hlspart.toml" and path.name in _FILES:
            return None
        if path.name == "setup.cfg" or path.suffix in (".cfg", ".ini"):
            parser = ConfigParser(interpolation=None)
            parser.read_string(text)
            table: Any = dict(parser["hlspart"]) if parser.has_section("hlspart") else None
        else:
            data = tomllib.loads(text)
            tools = data.get("tool")  # a table in pyproject.toml, a setting in a file of our own
            table = None if path.name == "pyproject.toml" else data
            table = tools.get("hlspart", table) if isinstance(tools, dict) else table
    except OSError as error:
        raise SettingsError(f"{shown}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, Error, UnicodeDecodeError, RecursionError) as error:
        raise SettingsError(f"{shown}: {' '.join(str(error).split())}") from None
    return _checked(table, path.parent, shown, text) if isinstance(table, dict) else None


def _checked(table: Mapping[str, Any], folder: Path, shown: str, text: str) -> Settings:
    raw = Settings({}, shown, text)
    values: dict[str, Any] = {}
    for key, value in table.items():
        name = key.replace("_", "-")
        if name not in (*LINT_KEYS, *TARGET_KEYS):
            known = ", ".join((*LINT_KEYS, *TARGET_KEYS))
            raise raw.fault(key, f"no setting {key!r}; settings are {known}")
        try:
            values[name] = TARGET_KEYS[name](value, folder) if name in TARGET_KEYS else value
        except (TypeError, ValueError) as error:
            raise raw.fault(key, f"{key}: {error}") from None
    return Settings(values, shown, text)


def _line(text: str, key: str) -> int:
    """Where a key stands, as its own line or as a table; 1 where that is not found."""
    word = re.escape(key)
    match = re.search(rf"^\s*(?:\[[\w.\"]*?)?\"?{word}\"?\s*[]=:]", text, re.M | re.I)
    return text.count("\n", 0, match.end()) + 1 if match else 1


# ------------------------------------------------------------------------------------- values


def words(value: object) -> tuple[str, ...]:
    """A list of words, or words with blanks or commas between them."""
    if isinstance(value, str):
        return tuple(value.replace(",", " ").split())
    if isinstance(value, list) and all(isinstance(v, str) for v in value):
        return tuple(value)
    raise ValueError("a list of words is needed")


def _word(value: object, _folder: Path) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError("a word is needed")
    return value


def _clock(value: object, _folder: Path) -> float:
    number = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else 0
    if not 0 < number < float("inf"):
        raise ValueError("a period in nanoseconds is needed")
    return number


def _flow(value: object, _folder: Path) -> str:
    if value not in ("vivado", "vitis"):
        raise ValueError("vivado or vitis is needed")
    return str(value)


def _beside(path: str, folder: Path) -> str:
    """A path of the settings file, as seen from the current folder."""
    return os.path.relpath(folder / path)


TARGET_KEYS: Mapping[str, Callable[[Any, Path], Any]] = {
    "part": _word,
    "tool": _word,
    "clock": _clock,
    "clock-uncertainty": lambda v, f: _word(str(v) if isinstance(v, int | float) else v, f),
    "flow": _flow,
    "target": lambda v, f: _beside(_word(v, f), f),
    "define": lambda v, _: words(v),
    "include": lambda v, f: tuple(_beside(p, f) for p in words(v)),
}
