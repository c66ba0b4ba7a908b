"""From ranges of tokens to :class:`~hlspart.model.source.Origin` values.

``TokenText.origin(first, last)`` decides plain, argument, macro or mixed by the uses in which the
two end tokens stand; a use that lies wholly inside the range counts as text.
"""

from __future__ import annotations

from hlspart.frontend.tokens import Token
from hlspart.model.source import Origin, Span


class TokenText:
    """The normalised tokens of a unit, with bracket partners and the origins of ranges."""

    def __init__(self, tokens: list[Token], match: list[int]) -> None:
        self.tokens, self.match = tokens, match
        self.texts = [t.text for t in tokens]
        # number of changes of file among tokens [0, i], to see whether an #include lies inside a range
        self.changes = [0] * len(tokens)
        changes, path = 0, None
        for at, token in enumerate(tokens):
            here = token.use.path if token.use is not None else token.path
            changes += here != path
            path = here
            self.changes[at] = changes

    def origin(self, first: int, last: int, whole: bool = False) -> Origin:
        """Origin of tokens ``first..last``. ``whole``: a bracketed region, which may contain includes."""
        a, b = self.tokens[first], self.tokens[last]
        if a.use is None and b.use is None:
            if a.path == b.path and (whole or self.changes[first] == self.changes[last]):
                return Origin(Span(a.path, a.start, b.end))
            return self._mixed(a, b)
        if a.use is b.use:
            use = a.use
            assert use is not None
            if a.lo >= 0 and b.lo >= 0 and not a.deep and not b.deep and self._one_argument(first, last):
                return Origin(Span(use.path, a.lo, b.hi), "argument", use.name)
            if use.first < first or use.last > last or first == last or use.first == first:
                if use.macro is None and 0 <= a.lo <= b.lo:  # text of a class or template, with words put in
                    return Origin(Span(use.path, a.lo, b.hi), "macro", use.name)
                return Origin(Span(use.path, use.start, use.end), "macro", use.name)
        left_whole = a.use is None or a.use.first >= first
        right_whole = b.use is None or b.use.last <= last
        if left_whole and right_whole and self.changes[first] == self.changes[last]:
            start, _ = self._outer(a)
            _, end = self._outer(b)
            return Origin(Span(a.use.path if a.use else a.path, start, end))
        return self._mixed(a, b)

    def _outer(self, token: Token) -> tuple[int, int]:
        return (token.use.start, token.use.end) if token.use is not None else (token.start, token.end)

    def _one_argument(self, first: int, last: int) -> bool:
        """The range is the expansion of one piece of one argument, once, in order (macros used in it included)."""
        start, end = self.tokens[first], self.tokens[last]
        if start.arg != end.arg:
            return False
        previous = start.lo
        for token in self.tokens[first + 1 : last + 1]:
            if token.use is not start.use or token.lo < previous or token.lo > end.lo:
                return False
            if token.lo == previous and not token.deep:
                return False
            previous = token.lo
        return True

    def _mixed(self, a: Token, b: Token) -> Origin:
        path = a.use.path if a.use else a.path
        other = b.use.path if b.use else b.path
        start, end = self._outer(a)
        if other == path:
            low, high = self._outer(b)
            start, end = min(start, low), max(end, high)
        macro = a.use.name if a.use else (b.use.name if b.use else None)
        return Origin(Span(path, start, end), "mixed", macro)
