"""Arrays that are filled with constants before they are read have the hardware of constants, and only those."""

from __future__ import annotations

import pytest

from hlspart.frontend import load
from hlspart.model.options import FrontendOptions, Options, TargetOptions
from hlspart.pipeline import Pipeline
from hlspart.transform.tables import with_tables

FILL = """#include <math.h>
void fill(short t[256], int of) {
    for (int i = 0; i < 256; i++) {
        double x = round(1024 * cos(i / 256.0));
        t[i] = x >= 1024 ? 1023 : (short)x + of;
    }
}
"""
ONCE = """int top(unsigned char a, int n) {
#pragma HLS PIPELINE
    STORAGE int done = 0;
    STORAGE short table[256];
    BEFORE
    if (!done) {
        fill(table, OF);
        done = 1;
    }
    AFTER
    return table[a] + table[a ^ 1] + table[a ^ 2];
}
"""
CALL = """int top(unsigned char a, int n) {
#pragma HLS PIPELINE
    short table[256];
    BEFORE
    fill(table, OF);
    AFTER
    return table[a] + table[a ^ 1];
}
"""


def text(body: str, storage: str = "", before: str = "", of: str = "3", after: str = "") -> str:
    for word, by in (("STORAGE", storage), ("BEFORE", before), ("OF", of), ("AFTER", after)):
        body = body.replace(word, by)
    return FILL + body


def constant(source: str) -> bool:
    program = load(["k.c"], FrontendOptions(), read=lambda _: source.encode())
    made = with_tables(program)
    table = next(v for v in made.variables if v.name == "table")
    gone = made is not program
    assert table.const == gone
    return gone


@pytest.mark.parametrize("source", [text(ONCE), text(ONCE, "static"), text(CALL)])
def test_what_no_input_changes_is_a_table(source: str) -> None:
    assert constant(source)
    options = Options(target=TargetOptions(tool="vivado-hls-2019.2"), top="top")
    found = next(x for x in Pipeline(["k.c"], options, lambda _: source.encode()).figures.loops if x.name == "top")
    assert found.ii in (1, 2)  # its reads alone; 128 and more with the stores of the table


@pytest.mark.parametrize("body", [ONCE, CALL])
@pytest.mark.parametrize(
    "change",
    [
        {"of": "n"},
        {"before": "if (n) { fill(table, 3); return 0; }"},
        {"before": "n += table[2];"},
        {"after": "table[n & 255] = 1;"},
        {"after": "fill(table, n);"},
    ],
)
def test_what_an_input_changes_or_another_statement_stores_is_none(body: str, change: dict[str, str]) -> None:
    assert not constant(text(body, **change))


def test_a_return_beside_it_is_no_filling() -> None:
    assert not constant(text(ONCE.replace("done = 1;", "done = 1; return 0;")))
    assert not constant(text(CALL.replace("fill(table", "if (n) return 1; else fill(table")))


def test_a_flag_that_something_else_sets_is_no_first_time() -> None:
    assert not constant(text(ONCE, before="done = n;"))
    assert not constant(text(ONCE, "static", after="done = 0;"))


def test_a_loop_that_fills_beside_the_reads_stays_a_loop() -> None:
    """Reports have such loops (a counting sort's zeros, arrays preset in a double loop)."""
    assert not constant(text(CALL.replace("fill(table, OF);", "for (int k = 0; k < 256; k++) table[k] = k & OF;")))
