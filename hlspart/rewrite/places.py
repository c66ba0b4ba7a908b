"""Text whose meaning depends on where and how often it stands: ``__LINE__``, ``__COUNTER__``, asm."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, Self

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.program import Program
from hlspart.model.rewriting import RewriteResult
from hlspart.model.source import Origin
from hlspart.rewrite.engine import place, withheld
from hlspart.rewrite.plan import GroupRefusal


class Readable(Protocol):
    """A program, and the same with other texts."""

    @property
    def program(self) -> Program: ...
    def with_texts(self, texts: Mapping[str, str]) -> Self: ...


def placed_alike(old: Readable, result: RewriteResult) -> RewriteResult:
    """``result``, or nothing of it where a place would mean something else in it."""
    refusal = moved_place(old, result.files)
    return result if refusal is None else withheld(old.program, result, refusal)


def kept_places(old: Readable, texts: Mapping[str, str]) -> tuple[dict[str, str], tuple[Diagnostic, ...]]:
    """``texts``; what they replace, and why, where a place would mean something else in them."""
    refusal = moved_place(old, texts)
    if refusal is None:
        return dict(texts), ()
    sources, at = old.program.sources, place(old.program, refusal.at)
    said = Diagnostic("place", "place", "error", at, f"the text is left as it is: {refusal.reason}")
    return {path: sources[path].text for path in texts if path in sources}, (said,)


def moved_place(old: Readable, texts: Mapping[str, str]) -> GroupRefusal | None:
    """The first text that would mean something else in new ``texts``."""
    program, before = old.program, old.program.counted
    if not before or not any(path in program.sources for path in texts):
        return None
    after = [text for _, text in old.with_texts(texts).program.counted]
    places = (at for k, (at, text) in enumerate(before) if after[k : k + 1] != [text])
    span = next(places, before[0][0] if len(before) < len(after) else None)
    if span is None:
        return None
    word = program.text(Origin(span)).partition("(")[0]
    return GroupRefusal("place", f"the new text would change what '{word}' is here", Origin(span))
