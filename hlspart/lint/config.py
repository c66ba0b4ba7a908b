"""Settings of lint: which rules run, how severe they are, what fails."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Callable, Mapping
from typing import Any, get_args

from msgspec import Struct, field
from msgspec.structs import replace

from hlspart.lint.catalogue import entries, find
from hlspart.model.diagnostics import Severity
from hlspart.settings import LINT_KEYS, Settings, SettingsError, words

_SEVERITIES = tuple(get_args(Severity))


class LintConfig(Struct, frozen=True):
    """``select`` (codes, prefixes or names; empty: all) less ``ignore``; ``severity`` by code.

    ``per_file_ignores``: glob -> codes, prefixes or names; a path is tried as it is and as seen from
    ``root``, the folder of the settings file. ``fail_on``: least severity that makes the exit code 1
    (what is for information only does not by default).
    ``large_complete``: banks above which a complete partition is large. ``ways``: findings about late loops name the
    first way of `advise` (no setting of a file, for it takes long). ``origin`` says where each
    setting came from.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity] = field(default_factory=dict)
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    fail_on: Severity = "warning"
    large_complete: int = 1024
    ways: bool = False
    root: str = ""
    origin: Mapping[str, str] = field(default_factory=dict)

    def is_enabled(self, code: str, name: str) -> bool:
        """Whether a rule is to run."""
        chosen = not self.select or any(_names(s, code, name) for s in self.select)
        return chosen and not any(_names(s, code, name) for s in self.ignore)

    def excuses(self, code: str, name: str, path: str) -> bool:
        """Whether ``per_file_ignores`` has the rule for the file."""
        seen = {path, os.path.relpath(path, self.root or ".")}
        patterns = (p for p in self.per_file_ignores if any(fnmatch.fnmatch(s, p) for s in seen))
        return any(_names(s, code, name) for p in patterns for s in self.per_file_ignores[p])

    def show(self) -> str:
        """Every setting with its origin, for ``--show-config``."""
        lines = []
        for name in self.__struct_fields__:
            if name not in ("origin", "root"):
                key = name.replace("_", "-")
                value = getattr(self, name)
                shown = (
                    list(value) if isinstance(value, tuple) else dict(value) if isinstance(value, Mapping) else value
                )
                lines.append(f"{key} = {shown!r}  # {self.origin.get(name, 'default')}")
        return "\n".join(lines) + "\n"


def _names(selector: str, code: str, name: str) -> bool:
    return code.startswith(selector.upper()) if selector.upper().startswith("HLP") else selector == name


def with_options(config: LintConfig, **given: Any) -> LintConfig:
    """``config`` with options of the command line over it; None leaves a setting as it is."""
    changes = {k: v for k, v in given.items() if v is not None and v != ()}
    origin = {**config.origin, **dict.fromkeys(changes, "command line")}
    for name in (*changes.get("select", ()), *changes.get("ignore", ())):
        if not is_known_rule(name):
            raise SettingsError(f"command line: no rule {name!r}")
    return replace(config, **changes, origin=origin)


def load(settings: Settings) -> LintConfig:
    """What a settings file says about lint. Raises SettingsError."""
    values: dict[str, Any] = {}
    for key in LINT_KEYS:
        if key in settings.values:
            name = key.replace("-", "_")
            try:
                values[name] = _READERS[name](settings.values[key])
            except (TypeError, ValueError) as error:
                raise settings.fault(key, f"{key}: {error}") from None
    named = {key: values.get(key, ()) for key in ("select", "ignore")}
    named["per-file-ignores"] = tuple(x for codes in values.get("per_file_ignores", {}).values() for x in codes)
    for key, names in named.items():
        for name in names:
            if not is_known_rule(name):
                raise settings.fault(key, f"no rule {name!r}")
    root = os.path.dirname(settings.path or "")
    return LintConfig(**values, root=root, origin=dict.fromkeys(values, settings.path or ""))


def is_known_rule(name: str) -> bool:
    """Whether a code, a prefix of codes or a name means some rule."""
    if name.upper().startswith("HLP") and len(name) < 6:
        return any(e.rule.code.startswith(name.upper()) for e in entries())
    return find(name) is not None


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
    severities = {}
    for name, severity in _pairs(value, _severity).items():
        entry = find(name)
        if entry is None:
            raise ValueError(f"no rule {name!r}")
        severities[entry.rule.code] = severity
    return severities


def _count(value: object) -> int:
    number = int(value) if isinstance(value, int | str) and not isinstance(value, bool) else 0
    if number < 1:
        raise ValueError("a positive number is needed")
    return number


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "select": words,
    "ignore": words,
    "severity": _by_code,
    "per_file_ignores": lambda v: _pairs(v, words),
    "fail_on": _severity,
    "large_complete": _count,
}
