"""Where text of file scope can stand beside a function."""

from __future__ import annotations

import re

_FAR = 4000  # characters: heads and comments above a function are shorter
_GAP = re.compile(r"(?:\s|//[^\n]*\n|/\*(?:(?!\*/).)*\*/)*\Z", re.S)
_ATTRIBUTE = r"\[\[[^\[\]]*\]\]|__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)"
_HEAD = re.compile(rf'(?:\bextern\s*"[^"\n]*"|{_ATTRIBUTE})\Z')
_TEMPLATE = re.compile(r"\btemplate\s*\Z")
_COMMENTS = re.compile(r"(?:^[ \t]*(?://[^\n]*|/\*(?:(?!\*/).)*\*/)[ \t]*\r?\n)+\Z", re.M | re.S)


def before(text: str, start: int) -> int:
    """Offset in front of a definition that begins at ``start`` where text of file scope can stand.

    Its template head, linkage and attributes stay with it, and so do comments in the lines above, but for those that
    begin the file.
    """
    at, first = start, max(0, start - _FAR)
    while (head := _head(text, first, at)) is not None:
        at = head
    comment = _COMMENTS.search(text, first, at)
    return comment.start() if comment is not None and comment.start() > 0 else at


def _head(text: str, first: int, at: int) -> int | None:
    """Where a template head, linkage or attribute begins that ends before ``at``."""
    gap = _GAP.search(text, first, at)
    end = at if gap is None else gap.start()
    match = _HEAD.search(text, first, end)
    if match is not None:
        return match.start()
    angles = round_ = 0
    for k in range(end - 1, first - 1, -1):
        round_ += {")": 1, "(": -1}.get(text[k], 0)
        if not round_:  # what stands in parentheses may compare and shift
            angles += {">": 1, "<": -1}.get(text[k], 0)
        if not angles:
            template = _TEMPLATE.search(text, first, k)
            return None if template is None else template.start()
    return None
