"""Texts with changes and copies: the text and its maps equal those of a table of single characters."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from hlspart.model.source import Edit, SourceText, Span
from hlspart.transform.text import Clash, Kept, Part, Printed, edited, joined, render

PATH = "t.c"


def changed(rng: random.Random, start: int, end: int, depth: int) -> Kept:
    """A stretch with random changes; some hold new text, some copies of stretches of what they replace."""
    kept = Kept(Span(PATH, start, end))
    at = start
    while at < end:
        low = rng.randint(at, end)
        high = rng.randint(low, min(end, low + 8))
        parts: list[Part] = [rng.choice(["", "N", "new\n", "\n\nx"])]
        for _ in range(rng.randint(0, 2) if depth and high > low else 0):
            a = rng.randint(low, high)
            parts += [changed(rng, a, rng.randint(a, high), depth - 1), rng.choice(["", "<\n>"])]
        if rng.random() < 0.3:
            parts = [Printed("(", *parts, ")")]
        if low == high:
            kept.insert(low, *parts)
        else:
            kept.replace(Span(PATH, low, high), *parts)
        at = high + rng.randint(1, 6)
    return kept


Cell = tuple[str, int | None]


def expected(kept: Kept, text: str) -> list[Cell]:
    """Each character of the result, with its old offset where it is the user's."""
    out: list[Cell] = []
    at = kept.span.start

    def put(part: Part) -> None:
        if isinstance(part, str):
            out.extend((c, None) for c in part)
        elif isinstance(part, Kept):
            out.extend(expected(part, text))
        else:
            for inner in part.parts:
                put(inner)

    for (start, end), parts in kept.changes:
        out.extend((text[k], k) for k in range(at, start))
        for part in parts:
            put(part)
        at = end
    out.extend((text[k], k) for k in range(at, kept.span.end))
    return out


@pytest.mark.parametrize("seed", range(60))
def test_every_character_is_where_it_came_from(seed: int) -> None:
    rng = random.Random(seed)
    text = "".join(rng.choice("abcdef   \n") for _ in range(60))
    whole = changed(rng, 0, len(text), 3)
    cells = expected(whole, text)
    result = render(SourceText(PATH, text), whole)
    assert result.new.text == "".join(c for c, _ in cells)
    for k, (_, old) in enumerate(cells):
        if old is not None:
            assert result.back(k) == old
    firsts: dict[int, int] = {}
    for k, (_, old) in enumerate(cells):
        if old is not None and any(r.kept and r.old <= old < r.old + r.upto - r.new for r in whole._runs):
            firsts.setdefault(old, k)
    for old, new in firsts.items():  # what stands in no change
        assert whole.moved(Span(PATH, old, old + 1)) == Span(PATH, new, new + 1)
    flat = edited(SourceText(PATH, text), result.edits)  # the same text as single edits
    assert flat.new.text == result.new.text
    lines = {run.old + k: run.new + k for run in result.lines for k in range(run.count)}
    assert sorted(lines) == list(range(1, text.count("\n") + 2))
    assert all(1 <= new <= result.new.text.count("\n") + 1 for new in lines.values())


def test_a_line_maps_to_its_first_copy() -> None:
    text = "a\nfor\n  b\n  c\nend\n"
    whole, body = Kept(Span(PATH, 0, len(text))), Span(PATH, 6, 13)
    whole.replace(Span(PATH, 2, 13), "{\n", Kept(body), "\n", Kept(body), "\n}")
    result = render(SourceText(PATH, text), whole)
    assert result.new.text == "a\n{\n  b\n  c\n  b\n  c\n}\nend\n"
    lines = {run.old + k: run.new + k for run in result.lines for k in range(run.count)}
    assert [lines[k] for k in range(1, 6)] == [1, 2, 3, 4, 8]
    assert [result.back_line(k) for k in range(1, 9)] == [1, 2, 3, 4, 3, 4, 2, 5]


def test_two_changes_of_one_text_clash() -> None:
    whole = Kept(Span(PATH, 0, 9))
    whole.replace(Span(PATH, 2, 4), "x")
    whole.replace(Span(PATH, 2, 4), "x")  # the same change
    for span in (Span(PATH, 2, 4), Span(PATH, 3, 5), Span(PATH, 8, 10)):
        with pytest.raises(Clash):
            whole.replace(span, "y")


def few(rng: random.Random, length: int) -> list[Edit]:
    """Edits of a text of ``length`` that do not overlap, in order; some insert, some touch the one before."""
    out, at = [], rng.randint(0, 3)
    while at <= length:
        end = min(length, at + rng.choice([0, 0, 1, 2, 5]))
        out.append(Edit(Span(PATH, at, end), rng.choice(["", "n", "new", "\n"])))
        at = end + rng.choice([0, 1, 2, 9]) + (end == at)
    return out


@pytest.mark.parametrize("seed", range(300))
def test_edits_after_edits_are_edits_of_the_first_text(seed: int) -> None:
    rng = random.Random(seed)
    source = SourceText(PATH, "".join(rng.choice("abc\n") for _ in range(rng.randint(0, 40))))
    first = edited(source, few(rng, len(source.text)))
    second = few(rng, len(first.new.text))
    both = joined(first, second)
    assert edited(source, both).new.text == edited(first.new, second).new.text
    assert all(one.span.end < other.span.start for one, other in pairwise(both))
    assert all(source.slice(edit.span) != edit.text for edit in both)


def test_what_no_edit_touches_is_in_none() -> None:
    source = SourceText(PATH, "one two three four")
    first = edited(source, [Edit(Span(PATH, 0, 3), "1"), Edit(Span(PATH, 8, 13), "3")])
    assert first.new.text == "1 two 3 four"
    assert joined(first, [Edit(Span(PATH, 8, 12), "4")]) == (*first.edits, Edit(Span(PATH, 14, 18), "4"))
    back = [Edit(Span(PATH, 6, 7), "three")]
    assert joined(first, back) == (Edit(Span(PATH, 0, 3), "1"),)
