"""All rules: those of this package and those that installed packages add (entry points ``hlspart.rules``)."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib.metadata import entry_points

from msgspec import Struct

from hlspart import rules
from hlspart.model.diagnostics import Diagnostic, Place
from hlspart.model.linting import RuleInfo
from hlspart.rules._base import Facts, Rule
from hlspart.settings import SettingsError

HEADINGS = ("What it does", "Why is this bad", "Example", "Use instead", "Vitis message it predicts")


class Entry(Struct, frozen=True):
    """A rule with its check and its page. ``source``: the module, for a rule that another package brings."""

    rule: Rule
    check: Callable[[Facts], Iterator[Diagnostic]]
    page: str
    source: str | None = None

    def findings(self, facts: Facts) -> Iterator[Diagnostic]:
        """What the check finds; a rule of another package that fails says so and hides no other finding."""
        try:
            yield from self.check(facts)
        except Exception as error:
            if self.source is None:
                raise
            text = f"rule {self.rule.code} failed: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
            place = Place(facts.program.units[0].path, 1, 1, 1, 1)
            hint = f"tell those who wrote {self.source}"
            yield Diagnostic("HLP000", "internal-error", "error", place, text, hint)

    @property
    def summary(self) -> str:
        """First line of the page."""
        return self.page.split("\n", 1)[0].rstrip(".")

    def section(self, heading: str) -> str:
        """Text below a heading, "" where there is none."""
        match = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", self.page, re.M | re.S)
        return match.group(1).strip("\n") if match else ""

    def info(self) -> RuleInfo:
        """What reports say about it."""
        return RuleInfo(self.rule.code, self.rule.name, self.rule.severity, self.summary, self.page)


@cache
def entries() -> tuple[Entry, ...]:
    """Every rule, by code. A second rule with a code that is taken is dropped: codes are never reused.

    Raises SettingsError for an entry point that cannot be loaded.
    """
    by_code: dict[str, Entry] = {}
    for module, source in _modules():
        rule, check = getattr(module, "RULE", None), getattr(module, "check", None)
        if isinstance(rule, Rule) and callable(check):
            by_code.setdefault(rule.code, Entry(rule, check, inspect.getdoc(module) or "", source))
    return tuple(by_code[code] for code in sorted(by_code))


def _modules() -> Iterator[tuple[object, str | None]]:
    for info in pkgutil.iter_modules(rules.__path__):
        if not info.name.startswith("_"):
            yield importlib.import_module(f"{rules.__name__}.{info.name}"), None
    for point in sorted(entry_points(group="hlspart.rules"), key=lambda p: p.name):
        try:
            module = point.load()
        except Exception as error:
            text = f"rules of the entry point {point.name} cannot be loaded: {type(error).__name__}: {error}"
            raise SettingsError(" ".join(text.split())) from None
        yield module, getattr(module, "__name__", point.name)


@cache
def catalogue() -> tuple[RuleInfo, ...]:
    """What reports and ``hlspart rules`` say about each rule."""
    return tuple(entry.info() for entry in entries())


def find(name: str) -> Entry | None:
    """The rule with this code or name."""
    for entry in entries():
        if name.upper() == entry.rule.code or name.lower() == entry.rule.name:
            return entry
    return None
