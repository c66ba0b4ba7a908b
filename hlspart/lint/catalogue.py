"""All rules: those of this package and those that installed packages add (entry points ``hlspart.rules``)."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points

from hlspart import rules
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.linting import RuleInfo
from hlspart.rules._base import Facts, Rule

HEADINGS = ("What it does", "Why is this bad", "Example", "Use instead", "Vitis message it predicts")


@dataclass(frozen=True)
class Entry:
    """A rule with its check and its page."""

    rule: Rule
    check: Callable[[Facts], Iterator[Diagnostic]]
    page: str

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
    """Every rule, by code. A second rule with a code that is taken is dropped: codes are never reused."""
    found: dict[str, Entry] = {}
    for module in _modules():
        rule, check = getattr(module, "RULE", None), getattr(module, "check", None)
        if isinstance(rule, Rule) and callable(check):
            found.setdefault(rule.code, Entry(rule, check, inspect.getdoc(module) or ""))
    return tuple(found[code] for code in sorted(found))


def _modules() -> Iterator[object]:
    for info in pkgutil.iter_modules(rules.__path__):
        if not info.name.startswith("_"):
            yield importlib.import_module(f"{rules.__name__}.{info.name}")
    for point in sorted(entry_points(group="hlspart.rules"), key=lambda p: p.name):
        yield point.load()


def catalogue() -> tuple[RuleInfo, ...]:
    """What reports and ``hlspart rules`` say about each rule."""
    return tuple(entry.info() for entry in entries())


def find(name: str) -> Entry | None:
    """The rule with this code or name."""
    for entry in entries():
        if name.upper() == entry.rule.code or name.lower() == entry.rule.name:
            return entry
    return None
