"""No edit is lost: what is inserted beside a replaced text stays, and what a replacement would drop is a conflict."""

from __future__ import annotations

import pytest

from hlspart.model.source import Origin, SourceText, Span, apply_edits
from hlspart.rewrite.buffer import Conflict, EditBuffer

SOURCE = SourceText("f.c", "a[i] = b;")
SPAN = Span("f.c", 0, 9)


def at(start: int, end: int) -> Origin:
    return Origin(Span("f.c", start, end))


def begun() -> EditBuffer:
    return EditBuffer({"f.c": SOURCE}, frozenset({"f.c"}))


def written(buffer: EditBuffer) -> str:
    return apply_edits(SOURCE, buffer.edits("f.c"))


@pytest.mark.parametrize("first", [True, False])
def test_insertions_at_the_ends_of_a_replacement_stay(first: bool) -> None:
    buffer = begun()
    if first:
        buffer.replace(at(0, 9), "c = 1;")
    buffer.insert("f.c", 0, "int c; ")
    buffer.insert("f.c", 9, " done();")
    if not first:
        buffer.replace(at(0, 9), "c = 1;")
    assert written(buffer) == "int c; c = 1; done();"


def test_what_a_replacement_holds_already_is_there_once() -> None:
    buffer = begun()
    buffer.insert("f.c", 0, "int c; ")
    buffer.replace(at(2, 3), "k")
    buffer.replace(at(0, 9), buffer.text(SPAN).replace("= b", "= d"))
    assert written(buffer) == "int c; a[k] = d;"


def test_an_edit_inside_that_the_new_text_does_not_hold_is_a_conflict() -> None:
    buffer = begun()
    buffer.replace(at(2, 3), "k")
    with pytest.raises(Conflict):
        buffer.replace(at(0, 4), "c")
    assert written(buffer) == "a[k] = b;"


def test_an_insertion_after_the_text_was_read_is_not_lost() -> None:
    buffer = begun()
    text = buffer.text(SPAN)
    buffer.insert("f.c", 2, "0 + ")
    with pytest.raises(Conflict):
        buffer.replace(Origin(SPAN), text.replace("b", "d"))


def test_an_insertion_into_a_replaced_text_is_a_conflict() -> None:
    buffer = begun()
    buffer.replace(at(0, 4), "c")
    with pytest.raises(Conflict):
        buffer.insert("f.c", 2, "0 + ")
