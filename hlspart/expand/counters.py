"""Iterators declared anew in what is written: constants, unless their type is asked for."""

from __future__ import annotations

import re

from hlspart.expand.texts import Texts

_ASKS = r"\b(?:(?:__)?typeof(?:__)?|decltype)\b[^;]*\b%s\b"


def constant(texts: Texts, name: str) -> str:
    """What stands before the type of an iterator; a ``decltype`` of it would be one of a constant, too."""
    at = texts.root.at.span
    return "" if re.search(_ASKS % name, texts.program.sources[at.path].slice(at)) else "const "
