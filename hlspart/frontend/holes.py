"""What cannot be read is cut out of a unit, with place and cause; the rest is read as if it stood elsewhere.

A hole is the smallest statement or declaration around a fault; where that does not help, the next larger one. A
statement leaves one name behind, which lowering turns into a use of everything that the hole mentions.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property

from msgspec import Struct, field

from hlspart.frontend.outline import Outline, OutlineItem
from hlspart.frontend.parse import brackets
from hlspart.frontend.tokens import PragmaToken, SourceError, Token
from hlspart.model.directives import Unread

MOST = 200  # attempts to read a unit
_MOST_IN_ONE = 4  # statements of a function, before it is given up
_MOST_METHODS = 8  # member functions of a class, likewise
_MARK = "__hole_"
_JUMPS = frozenset(("return", "goto", "break", "continue", "co_return", "co_yield"))
_NO_DECLARATION = frozenset(("return", "if", "else", "switch", "case", "delete", "throw", "goto"))
_COMPOUND = frozenset(("if", "for", "while", "do", "switch", "else", "case", "default"))
_TAGS = frozenset(("struct", "class", "union", "enum"))


class Cut(Struct, frozen=True, dict=True):
    """Tokens that are not read. ``types``: names that they may declare as types, each whether as a template."""

    cause: SourceError
    item: OutlineItem
    tokens: tuple[Token, ...]
    types: dict[str, bool] = field(default_factory=dict)

    @property
    def first(self) -> int:
        """Index of the first token."""
        return self.item.first

    @property
    def last(self) -> int:
        """Index of the last token."""
        return self.item.last

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name that the hole says."""
        return frozenset(t.text for t in self.tokens if t.kind == "id")

    @property
    def declared(self) -> tuple[str, ...]:
        """Names that a statement may declare: the first declarator's, those of a structured binding."""
        words = [t.text for t in self.tokens]
        if self.item.kind != "statement" or words[0] in _NO_DECLARATION:
            return ()
        at = level = 0
        while at < len(words) and (level or self.tokens[at].kind == "id" or words[at] in ("::", "<", "*", "&", "&&")):
            level += (words[at] == "<") - words[at].count(">")
            at += 1
        if at < len(words) and words[at] == "[" and words[at - 1] in ("auto", "&", "&&"):
            end = words.index("]", at) if "]" in words[at:] else at
            return tuple(w for w in words[at:end] if w.isidentifier())
        return (words[at - 1],) if at >= 2 and self.tokens[at - 1].kind == "id" and words[at - 2] != "::" else ()

    @property
    def in_function(self) -> bool:
        """Whether statements around it are read."""
        return self.item.kind in ("body", "statement", "loop")


def in_braces_of_loops(tokens: Sequence[Token]) -> list[bool]:
    """Of each token whether braces around it follow the head of a loop: what an outline of odd text may not tell."""
    inside, around, open_, head = list[bool](), [False], list[int](), 0
    for at, token in enumerate(tokens):
        inside.append(around[-1])
        if token.text == "(":
            open_.append(at)
        elif token.text == ")":
            head = open_.pop() if open_ else 0
        elif token.text == "{":
            before = tokens[at - 1].text if at else ""
            of_head = before == ")" and head > 0 and tokens[head - 1].text in ("for", "while")
            around.append(around[-1] or before == "do" or of_head)
        elif token.text == "}" and len(around) > 1:
            around.pop()
    return inside


class Holes:
    """The holes of a unit; ``tokens()`` is the text around them. Raises SourceError on brackets without partner."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._outline = Outline(tokens, brackets(tokens))
        self._cuts: list[Cut] = []  # apart from each other, in the order of the text
        self._attempts = 0

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """In the order of the text."""
        return tuple(self._cuts)

    def _between(self, first: int, last: int) -> slice:
        """Where in the list the holes are that begin at tokens ``first`` to ``last``."""
        low = bisect_left(self._cuts, first, key=_first)
        return slice(low, bisect_right(self._cuts, last, lo=low, key=_first))

    def _at_token(self, at: int) -> Cut | None:
        number = bisect_right(self._cuts, at, key=_first) - 1
        return self._cuts[number] if number >= 0 and at <= self._cuts[number].last else None

    def cut(self, fault: SourceError) -> bool:
        """Cut out what the fault, and those found with it, are in; False when nothing is left to cut."""
        self._attempts += 1
        before = set(map(id, self._cuts))
        if self._attempts > MOST or not self._cut(fault):
            return False
        for other in fault.others:
            at = next(iter(self._places(other)), None)
            hole = None if at is None else self._at_token(at)
            if at is not None and (hole is None or id(hole) in before):
                self._cut(other)
        return True

    def _cut(self, fault: SourceError) -> bool:
        behind = 0
        for at in self._places(fault):
            item = self._piece(at) if at >= behind else None
            if item is None:
                hole = self._at_token(at)
                behind = max(behind, at + 1 if hole is None else hole.last + 1)
                continue
            inside = self._cuts[self._between(item.first, item.last)]
            cause = min((h.cause for h in inside), key=lambda c: c.start, default=fault)
            words = tuple(t for t in self._tokens[item.first : item.last + 1] if not isinstance(t, PragmaToken))
            types = {} if item.kind in ("body", "statement", "loop") else dict(_declared_types(words))
            self._cuts[self._between(item.first, item.last)] = [Cut(cause, item, words, types)]
            return True
        return False

    def tokens(self) -> list[Token]:
        """The unit's tokens with each hole in a function as ``__hole_N;``, and without the others and their pragmas.

        A member function whose body is a hole is declared.
        """
        result: list[Token] = []
        at = 0
        for number, hole in enumerate(self.cuts):
            result += self._tokens[at : hole.first]
            if hole.in_function:
                first, last = hole.tokens[0], hole.tokens[-1]
                if hole.item.kind != "body" and first.text == "return":
                    result.append(first)
                result += [_like(first, f"{_MARK}{number}", "id"), _like(last, ";", "op")]
            elif hole.item.kind == "method":
                result.append(_like(hole.tokens[0], ";", "op"))
            at = hole.last + 1
        return result + self._tokens[at:]

    def pragmas(self) -> Iterator[tuple[PragmaToken, Unread]]:
        """The pragmas in holes, each with what is known of where it stands."""
        for hole in self.cuts:
            tokens = self._tokens[hole.first : hole.last + 1]
            for at, (token, in_loop) in enumerate(zip(tokens, in_braces_of_loops(tokens), strict=True), hole.first):
                if isinstance(token, PragmaToken):
                    kinds = {r.kind for r in self._outline.around(at)}
                    in_loop = in_loop or "loop" in kinds
                    yield token, Unread(hole.cause.message, "function" in kinds, in_loop, hole.names)

    # ---------------------------------------------------------------------------- where to cut

    def _places(self, fault: SourceError) -> Sequence[int]:
        """Tokens at the place of a fault: their spelling, their macro's use or the argument they are from."""
        return self._at.get((fault.path, fault.start), ())

    @cached_property
    def _at(self) -> dict[tuple[str, int], list[int]]:
        holes: dict[tuple[str, int], list[int]] = {}
        for at, token in enumerate(self._tokens):
            holes.setdefault((token.path, token.start), []).append(at)
            if token.use is not None:
                for start in {token.use.start, token.lo} - {-1}:
                    holes.setdefault((token.use.path, start), []).append(at)
        return holes

    def _piece(self, at: int) -> OutlineItem | None:
        """What to cut around a token: the smallest item that is not cut yet and may be left out."""
        around = list(self._outline.around(at))
        kinds = [r.kind for r in around]
        if "class" in kinds:  # of what members share, only their bodies are told apart
            first = kinds.index("class")
            around = [*around[: first + 1], *self._method(around[first:])]
        hole = self._at_token(at)
        cut = None if hole is None else hole.item
        near = self._cuts[self._between(around[0].first, around[0].last)] if around else []
        inside = sum(h.in_function for h in near)
        methods = sum(h.item.kind == "method" for h in near)
        for item in reversed(around):
            if cut is not None and item.last - item.first <= cut.last - cut.first:
                continue
            if item.first > item.last:
                continue
            if methods >= _MOST_METHODS and item.kind == "method":
                continue
            if inside >= _MOST_IN_ONE and item.kind in ("statement", "loop"):
                continue
            if item.kind in ("statement", "loop") and self._jumps(item):
                continue
            return item
        return None

    def _method(self, around: Sequence[OutlineItem]) -> Iterator[OutlineItem]:
        """The body of the member function among what holds a token, from a class inwards; not of a constructor."""
        at = next((i for i, r in enumerate(around) if r.kind == "body"), None)
        if at is None or around[at - 2].kind != "class":
            return
        class_, function, body = around[at - 2 : at + 1]
        head = [t.text for t in self._tokens[function.first : body.first - 1]]
        name = head[head.index("(") - 1] if "(" in head else ""
        named = self._tokens[class_.first : function.first]
        tags = (i for i, t in enumerate(named) if t.text in _TAGS and named[i - 1].text not in ("<", ","))
        own = next((named[i + 1].text for i in tags if i + 1 < len(named)), "")
        if name not in ("", own) and "~" not in head:
            yield OutlineItem("method", body.first - 1, body.last + 1)

    def _jumps(self, item: OutlineItem) -> bool:
        """Whether control may leave a statement other than at its end."""
        words = [t.text for t in self._tokens[item.first : item.last + 1] if t.kind == "id"]
        if words[:1] and words[0] not in _COMPOUND:  # a jump further inside is one of a lambda
            return words[0] in _JUMPS - {"return"}
        return bool(_JUMPS & set(words))


def _first(hole: Cut) -> int:
    return hole.first


def _like(token: Token, text: str, kind: str) -> Token:
    made = token.copy()
    made.text, made.kind = text, kind  # type: ignore[assignment]
    return made


def _declared_types(words: Sequence[Token]) -> Iterator[tuple[str, bool]]:
    """Types that a declaration may give a name to, and whether they take arguments."""
    template = words[0].text == "template"
    level = depth = 0
    for at, token in enumerate(words):
        level += (token.text in ("{", "(")) - (token.text in ("}", ")"))
        depth += (token.text == "<") - token.text.count(">") * (token.text in (">", ">>"))
        following = words[at + 1] if at + 1 < len(words) else token
        if level == 0 and depth <= 0 and token.text in (*_TAGS, "using") and following.kind == "id":
            if following.text in _TAGS and at + 2 < len(words):
                following = words[at + 2]
            yield following.text, template
    if words[0].text == "typedef":
        named = [t for t in words if t.kind == "id"]
        if named:
            yield named[-1].text, False


def hole_number(name: str) -> int | None:
    """The number of the hole that a name in the text around it stands for."""
    return int(name[len(_MARK) :]) if name.startswith(_MARK) and name[len(_MARK) :].isdigit() else None
