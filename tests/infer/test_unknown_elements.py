"""Arrays whose element type stands in a header that is not there: directives on them hold and are inferred."""

from __future__ import annotations

import pytest

import hlspart

KERNEL = """{header}void f({kind} a[32][8], {kind} y[32]) {{
{pragma}L:  for (int i = 0; i < 32; i++) {{
#pragma HLS PIPELINE II=1
        {kind} s = 0;
        for (int j = 0; j < 8; j++) s += a[i][j];
        y[i] = s;
    }}
}}
"""
COMPLETE = "#pragma HLS ARRAY_PARTITION variable=a complete dim=2\n"


def text(kind: str, pragma: str = "") -> str:
    header = '#include "not_there.h"\n' if kind == "word" else ""
    return KERNEL.format(header=header, kind=kind, pragma=pragma)


@pytest.mark.parametrize("pragma", ("", COMPLETE))
def test_banks_of_unknown_words_serve_as_many_as_those_of_known_ones(pragma: str) -> None:
    ports = {}
    for kind in ("short", "word"):
        (loop,) = hlspart.parse(text(kind, pragma)).pipeline.figures.loops
        ports[kind] = loop.resource_ii
    assert ports["word"] == ports["short"] == (1 if pragma else 4)


def test_the_same_directive_is_inferred_and_written() -> None:
    chosen = {
        kind: [p for a in hlspart.parse(text(kind)).pipeline.inferred.arrays for p in a.pragmas]
        for kind in ("short", "word")
    }
    assert chosen["word"] == chosen["short"] != []
    written = hlspart.parse(text("word")).rewrite(infer=True, split_top=True)
    (new,) = written.texts.values()
    assert [line for line in new.splitlines() if line not in text("word").splitlines()] == [
        line for line in new.splitlines() if "array_partition" in line
    ]  # no text takes a word of unknown type apart


@pytest.mark.parametrize("store", ["", "t[i] = n;"])
def test_an_array_of_unknown_extents_has_neither_banks_nor_copies(store: str) -> None:
    text = (
        '#include "missing.hpp"\nvoid f(int *o, int n) {\nstatic int t[SIZE];\nfor (int i = 0; i < 64; i++) {\n'
        f"#pragma HLS PIPELINE II=1\no[i] = t[i] + t[i + 1] * t[i + 2];\n{store}\n}}\n}}\n"
    )
    (array,) = [a for a in hlspart.parse(text, name="k.cpp").pipeline.inferred.arrays if a.name == "t"]
    assert (array.banks, array.copies) == (1, 1) and "an extent of `t` is not a constant" in (array.reason or "")
