"""Settings of lint and where they come from.

``--config FILE``, else ``.hlspart.toml``, ``[tool.hlspart]`` of pyproject.toml or ``[hlspart]`` of setup.cfg
in the folder of the first file or the nearest folder above it; in one folder the first of these wins.
"""

from __future__ import annotations

import configparser
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, get_args

from hlspart.lint.catalogue import find
from hlspart.model.diagnostics import Severity

_SEVERITIES = tuple(get_args(Severity))
_FILES = (".hlspart.toml", "pyproject.toml", "setup.cfg")


class ConfigError(Exception):
    """A configuration that cannot be used; one line with the file and the key."""


@dataclass(frozen=True)
class LintConfig:
    """``select`` (codes, prefixes or names; empty: all) less ``ignore``; ``severity`` by code.

    ``per_file_ignores``: glob -> codes. ``fail_on``: least severity that makes the exit code 1 (what is
    for information only does not by default).
    ``large_complete``: banks above which a complete partition is large. ``origin`` says where each
    setting came from.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity] = field(default_factory=dict)
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    fail_on: Severity = "warning"
    large_complete: int = 1024
    origin: Mapping[str, str] = field(default_factory=dict)

    def enabled(self, code: str, name: str) -> bool:
        """Whether a rule is to run."""
        chosen = not self.select or any(_names(s, code, name) for s in self.select)
        return chosen and not any(_names(s, code, name) for s in self.ignore)

    def show(self) -> str:
        """Every setting with its origin, for ``--show-config``."""
        lines = []
        for item in fields(self):
            if item.name != "origin":
                key = item.name.replace("_", "-")
                value = getattr(self, item.name)
                shown = (
                    list(value) if isinstance(value, tuple) else dict(value) if isinstance(value, Mapping) else value
                )
                lines.append(f"{key} = {shown!r}  # {self.origin.get(item.name, 'default')}")
        return "\n".join(lines) + "\n"


def _names(selector: str, code: str, name: str) -> bool:
    return code.startswith(selector.upper()) if selector.upper().startswith("HLP") else selector == name


def load(start: str, explicit: str | None = None) -> LintConfig:
    """The configuration for a file or folder ``start``. Raises ConfigError."""
    if explicit is not None:
        table = _table(Path(explicit))
        if table is None:
            raise ConfigError(f"{explicit}: holds no settings of hlspart")
        return _config(table, explicit)
    folder = Path(os.path.abspath(start))
    for place in (folder, *folder.parents) if folder.is_dir() else folder.parents:
        for name in _FILES:
            path = place / name
            table = _table(path) if path.is_file() else None
            if table is not None:
                return _config(table, os.path.relpath(path))
    return LintConfig()


def with_options(config: LintConfig, **given: Any) -> LintConfig:
    """``config`` with options of the command line over it; None leaves a setting as it is."""
    changes = {k: v for k, v in given.items() if v is not None and v != ()}
    origin = {**config.origin, **dict.fromkeys(changes, "command line")}
    _check_rules((*changes.get("select", ()), *changes.get("ignore", ())), "command line")
    return replace(config, **changes, origin=origin)


def _table(path: Path) -> dict[str, Any] | None:
    try:
        if path.name == "setup.cfg" or path.suffix in (".cfg", ".ini"):
            parser = configparser.ConfigParser(interpolation=None)
            parser.read_string(path.read_text(encoding="utf-8"))
            return dict(parser["hlspart"]) if parser.has_section("hlspart") else None
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, configparser.Error, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {' '.join(str(error).split())}") from None
    found = data.get("tool", {}).get("hlspart", None if path.name == "pyproject.toml" else data)
    return found if isinstance(found, dict) else None


def _config(table: dict[str, Any], origin: str) -> LintConfig:
    values: dict[str, Any] = {}
    for key, value in table.items():
        name = key.replace("-", "_")
        reader = _READERS.get(name)
        if reader is None:
            known = ", ".join(k.replace("_", "-") for k in _READERS)
            raise ConfigError(f"{origin}: no setting {key!r}; settings are {known}")
        try:
            values[name] = reader(value)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"{origin}: {key}: {error}") from None
    _check_rules((*values.get("select", ()), *values.get("ignore", ()), *values.get("severity", ())), origin)
    return LintConfig(**values, origin=dict.fromkeys(values, origin))


def _check_rules(names: tuple[str, ...], origin: str) -> None:
    for name in names:
        prefix = name.upper().startswith("HLP") and len(name) < 6
        if not prefix and find(name) is None:
            raise ConfigError(f"{origin}: no rule {name!r}")


def _words(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(value.replace(",", " ").split())
    if isinstance(value, list) and all(isinstance(v, str) for v in value):
        return tuple(value)
    raise ValueError("a list of words is needed")


def _severity(value: object) -> Severity:
    if value not in _SEVERITIES:
        raise ValueError(f"{value!r} is no severity; they are {', '.join(_SEVERITIES)}")
    return value  # type: ignore[return-value]


def _pairs(value: object, read: Callable[[object], Any]) -> dict[str, Any]:
    if isinstance(value, str):  # setup.cfg: one "key: value" per line
        lines = [line.partition(":") for line in value.splitlines() if line.strip()]
        return {k.strip(): read(v.strip()) for k, _, v in lines}
    if isinstance(value, dict):
        return {k: read(v) for k, v in value.items()}
    raise ValueError("a table is needed")


def _by_code(value: object) -> dict[str, Severity]:
    found = {}
    for name, severity in _pairs(value, _severity).items():
        entry = find(name)
        if entry is None:
            raise ValueError(f"no rule {name!r}")
        found[entry.rule.code] = severity
    return found


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "select": _words,
    "ignore": _words,
    "severity": _by_code,
    "per_file_ignores": lambda v: _pairs(v, _words),
    "fail_on": _severity,
    "large_complete": int,
}
