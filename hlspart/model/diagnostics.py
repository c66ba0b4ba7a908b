"""Diagnostics: what hlspart tells its user, with a place, a hint and perhaps a fix."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from hlspart.model.printable import one_line
from hlspart.model.source import Edit

Severity = Literal["error", "warning", "info", "note"]


class Place(Struct, frozen=True):
    """1-based position in a file; ``end_column`` is exclusive."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int


class Related(Struct, frozen=True):
    """A second place that explains a diagnostic."""

    place: Place
    message: str


class Fix(Struct, frozen=True):
    """Edits that remove the cause; ``safe`` when behaviour and meaning are proved to stay."""

    message: str
    edits: tuple[Edit, ...]
    safe: bool


class Diagnostic(Struct, frozen=True):
    """One message. ``rule`` is a code such as ``HLP101``; ``name`` its kebab-case name."""

    rule: str
    name: str
    severity: Severity
    place: Place
    message: str
    hint: str | None = None
    related: tuple[Related, ...] = field(default=())
    fix: Fix | None = None

    def __str__(self) -> str:
        p = self.place
        return one_line(f"{p.path}:{p.line}:{p.column}: {self.severity}: {self.message} [{self.rule}]")
