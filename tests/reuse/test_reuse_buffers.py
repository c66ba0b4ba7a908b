"""Reuse buffers: equal to the original, II 1, as small as those written by hand; refused where a value would be old."""

from __future__ import annotations

import re

import pytest
from stencils import HEAT, POOL, SIX, STYLES, equal, random_stencil, stencil

import hlspart
from tests.amounts import amount


@pytest.mark.parametrize("style", amount(["frame"], [*STYLES]))
@pytest.mark.parametrize("name", [*SIX][:: amount(2, 1)])
def test_six_stencils_reach_their_ii_with_the_memory_of_a_line_buffer(name: str, style: str) -> None:
    old = hlspart.parse(stencil(name, style))
    asked, chosen = old.rewrite(style="reuse"), old.rewrite(infer=True)
    for found in (asked, chosen):
        new = found.kernel().ii()
        assert [(x.ii, x.trip_count.exact) for x in new.loops if x.pipelined] == [(1, new.loops[0].trip_count.exact)]
        assert 65_000 < (new.loops[0].trip_count.exact or 0) < 66_700
        assert sum(a.bram18k for a in new.arrays) <= SIX[name][1]
        again = found.kernel().rewrite(infer=True) if found is chosen else found.kernel().rewrite(style="reuse")
        assert again.texts == found.texts  # nothing left to do
    assert asked.texts == chosen.texts
    assert style != "frame" or equal(old, asked, 2)
    text = asked.texts["kernel.c"]
    assert "ARRAY_PARTITION" in text and "_lines[" in text
    assert ("static int img" in text, "img[r][c]" in text) == (False, False)
    loads = re.findall(r"\b(?:in|img)\[[^;{]*\]\[[^;{]*\];", text)
    assert len(loads) == 1  # each element comes once


IN_PLACE = """void seidel(int a[64][64]) {
    for (int i = 1; i < 63; i++)
        for (int j = 1; j < 63; j++) {
#pragma HLS PIPELINE II=1
            a[i][j] = (a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]) / 5;
        }
}
"""


def test_values_of_the_nest_itself_are_refused_with_two_iterations() -> None:
    old = hlspart.parse(IN_PLACE)
    found = old.rewrite(style="reuse")
    assert found.texts["kernel.c"] == IN_PLACE
    ((outcome,), findings) = found.outcomes, found.findings
    assert (outcome.status, outcome.code, findings) == ("refused", "dependence", True)
    later, earlier = re.findall(r"i = (\d+), j = (\d+)", outcome.reason or "")
    (i2, j2), (i1, j1) = map(int, later), map(int, earlier)
    assert (i1, j1) < (i2, j2) and abs(i1 - i2) + abs(j1 - j2) == 1  # one reads what its neighbour wrote
    assert old.rewrite(infer=True).texts["kernel.c"].count("_window") == 0


def test_a_store_behind_the_window_is_no_obstacle() -> None:
    text = IN_PLACE.replace("a[i][j] = (", "a[i - 1][j - 1] = (").replace(
        "a[i - 1][j] + a[i + 1][j] + ", "a[i + 1][j] + "
    )
    text = text.replace("a[i][j - 1] + ", "a[i + 1][j + 1] + ")
    old = hlspart.parse(text)
    found = old.rewrite(style="reuse")
    assert [o.status for o in found.outcomes] == ["rewritten"]
    assert equal(old, found)


def test_three_dimensions_take_planes_and_lines_that_are_needed() -> None:
    old = hlspart.parse(HEAT)
    found = old.rewrite(infer=True)
    new = found.kernel().ii()
    assert [(x.ii, x.trip_count.exact) for x in new.loops] == [(1, 8000)]
    dims = {a.name: a.dims for a in new.arrays if "_" in a.name}
    assert dims == {"A_planes": (2, 20, 20), "A_lines": (4, 20), "A_window": (3, 3, 3)}
    assert equal(old, found)


def test_two_windows_of_two_arrays_and_a_border() -> None:
    text = """void two(int a[30][40], int b[30][40], int out[30][40]) {
    for (int y = 0; y < 30; ++y)
        for (int x = 0; x < 40; ++x) { int t = 0;
#pragma HLS PIPELINE II=1
            if (y > 0 && y < 29 && x > 0 && x < 39) t = (a[y - 1][x] ^ a[y + 1][x]) + a[y][x + 1];
            if (x >= 3) t ^= b[y][x - 3] ^ b[y][x] ^ b[y][x - 1];
            out[y][x] = t; } // done
}
"""
    old = hlspart.parse(text)
    found = old.rewrite(infer=True)
    assert sorted(o.arrays[0] for o in found.outcomes if o.status == "rewritten") == ["a", "b"]
    assert [x.ii for x in found.kernel().ii().loops] == [1]
    assert "// done" in found.texts["kernel.c"]
    assert equal(old, found)


PIXELS = """typedef struct { unsigned char r, g, b; } px;
void blur(px in[20][24], px out[20][24]) {
    for (int i = 1; i < 19; i++)
        for (int j = 1; j < 23; j++) {
#pragma HLS PIPELINE II=1
            int r = 0, g = 0, b = 0;
            for (int u = -1; u <= 1; u++)
                for (int v = -1; v <= 1; v++) {
                    px q = in[i + u][j + v];
                    r += q.r; g += q.g; b += in[i + u][j + v].b;
                }
            out[i][j].r = r / 9; out[i][j].g = g / 9; out[i][j].b = b / 9;
        }
}
"""


def test_structures_move_through_buffers_as_a_whole() -> None:
    old = hlspart.parse(PIXELS)
    new = old.rewrite(infer=True)
    assert [x.ii for x in old.ii().loops if x.pipelined] == [5]
    assert [x.ii for x in new.kernel().ii().loops if x.pipelined] == [1]
    assert "px in_window[3][3];" in new.texts["kernel.c"] and equal(old, new, 3)
    bare = "struct { unsigned char r, g, b; }"
    nameless = PIXELS.replace("typedef " + bare + " px;\n", "").replace(
        "px in[20][24], px out[20][24]", "int x[20][24]"
    )
    nameless = nameless.replace("{\n    for (int i", "{\n    " + bare + " in[20][24], out[20][24];\n    for (int i", 1)
    kept = hlspart.parse(nameless.replace("px q = in[i + u][j + v];", "").replace("q.r", "in[i + u][j + v].r")
                         .replace("q.g", "in[i + u][j + v].g")).rewrite(style="reuse")  # fmt: skip
    assert [o.code for o in kept.outcomes if o.status == "refused"] == ["condition"]


def test_a_frame_buffer_that_something_else_reads_stays() -> None:
    text = stencil("jacobi", "frame").replace(
        "/ 5;", "/ 5;\n            if (i == j) out[0][0] = img[i * i % 200][j];", 1
    )
    old = hlspart.parse(text)
    found = old.rewrite(style="reuse")
    new = found.texts["kernel.c"]
    assert "static int img[256][256]" in new and "img_window" in new
    assert equal(old, found, 2)


def test_a_fill_of_what_the_nest_writes_stays() -> None:
    text = stencil("jacobi", "frame").replace("out[i][j] =", "in[i][j] =")
    old = hlspart.parse(text)
    found = old.rewrite(style="reuse")
    assert "img[r][c] = in[r][c]" in found.texts["kernel.c"] and "img_window" in found.texts["kernel.c"]
    assert equal(old, found, 2)


@pytest.mark.parametrize(("filled", "slid"), [
    ("unsigned", "int"), ("int", "unsigned"), ("auto", "auto"), ("long", "int"), ("short", "unsigned long"),
][: amount(3, 5)])  # fmt: skip
def test_a_fill_computes_with_the_type_of_its_own_iterator(filled: str, slid: str) -> None:
    """What decides: below 1 an unsigned ``j - 1`` is large, and an ``int`` has no room for the product."""
    first = ("0u", "5u") if filled == "auto" else ("0", "1")
    text = f"""int size(int) {{ return 1; }} int size(unsigned) {{ return 2; }} int size(long) {{ return 3; }}
int size(short) {{ return 4; }}
void k(const int in[64], int out[64]) {{
    int F[64];
    for ({filled} j = {first[0]}; j < 64; j++) {{
#pragma HLS PIPELINE II=1
        F[j] = in[j] + (j - 1 < 2) * 9 + (int)(j * 100000000L >> 8) + size(j);
    }}
    for ({slid} i = {first[1]}; i < 63; i++) {{
#pragma HLS PIPELINE II=1
        out[i] = F[i - 1] + F[i] + F[i + 1] + (i - 6 < 2);
    }}
}}
"""
    old = hlspart.parse(text, "k.cpp", top="k")
    new = old.rewrite(infer=True)
    assert "F_window[2] = in[" in new.texts["k.cpp"] and " F[64]" not in new.texts["k.cpp"]
    assert equal(old, new, 3)


def test_an_element_that_is_stored_where_it_is_read_stays_in_the_array() -> None:
    """Once lost: the store went into the window."""
    text = """void k(int A[64]) {
    for (int i = 0; i < 60; i++) {
#pragma HLS PIPELINE II=1
        A[i] += A[i + 1] + A[i + 2] * 2 + A[i + 3];
    }
}
"""
    old = hlspart.parse(text)
    new = old.rewrite(style="reuse")
    assert "A[i] += A_window[0] + A_window[1] * 2 + A_window[2];" in new.texts["kernel.c"]
    assert equal(old, new, 3)


def test_an_iterator_beyond_int_has_no_window() -> None:
    text = """void k(const int in[128], int out[64]) {
    int A[128];
    for (int j = 0; j < 128; j++) A[j] = in[j];
    for (long i = 1L << 40; i < (1L << 40) + 64; i += 2) {
#pragma HLS PIPELINE II=1
        out[i - (1L << 40)] = A[i - (1L << 40)] + A[i - (1L << 40) + 2] + A[i - (1L << 40) + 4];
    }
}
"""
    old = hlspart.parse(text)
    (refused,) = [o for o in old.rewrite(style="reuse").outcomes if o.status == "refused"]
    assert (refused.code, refused.reason) == ("trip-count", "i counts beyond the range of int")
    near = hlspart.parse(text.replace("1L << 40", "1L << 20"))
    new = near.rewrite(style="reuse")
    assert "A_window" in new.texts["kernel.c"] and equal(near, new, 2)


def test_a_copy_by_address_is_fused_with_a_window_by_row_and_column() -> None:
    text = """void copy(const int *in, int *out) {
#pragma HLS INTERFACE m_axi port=in depth=4096
#pragma HLS INTERFACE m_axi port=out depth=4096 bundle=o
    int frame[64 * 64], other[2];
    other[0] = 1;
fill:
    for (int p = 0; p < 64 * 64; p++) {
#pragma HLS PIPELINE II=1
        frame[p] = in[p] + 1; // copy
    }
    for (int y = 1; y < 63; y++)
        for (int x = 1; x < 63; x++) {
#pragma HLS PIPELINE II=1
            out[y * 64 + x] = frame[(y - 1) * 64 + x] + frame[(y + 1) * 64 + x] + frame[y * 64 + x - 1] + other[0];
        }
}
"""
    old = hlspart.parse(text)
    found = old.rewrite(infer=True)
    new = found.texts["kernel.c"]
    assert "frame[" not in new and "int other[2];" in new and "// copy" not in new and "copy" in new
    assert [a.name for a in found.kernel().ii().arrays if a.bram18k] == ["frame_lines"]
    assert equal(old, found)


def test_random_stencils_are_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hlspart.reuse.engine.regressions", lambda *_: ())  # however long they take
    written = 0
    for seed in range(seeds := amount(4, 16)):
        old = hlspart.parse(random_stencil(seed), "f.c")
        found = old.rewrite(style="reuse")
        written += any(o.status == "rewritten" for o in found.outcomes)
        assert equal(old, found, 2), seed
    assert written == seeds


FLAT = """void gemm(int a[4096], int b[4096], int c[4096]) {
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++) {
#pragma HLS PIPELINE II=1
            int sum = 0;
            for (int k = 0; k < 64; k++) sum += a[64 * i + k] * b[64 * k + j];
            c[64 * i + j] = sum;
        }
}
"""


def test_a_window_of_thousands_of_registers_is_not_made() -> None:
    """Elements 64 apart that move by one: the window between the first and the last has 4,033."""
    found = hlspart.parse(FLAT).rewrite(style="reuse")
    refused = {o.arrays: o.reason or "" for o in found.outcomes if o.status == "refused"}
    assert "its window would be 4033 registers, more than 256" in refused["b",]
    assert found.findings and found.texts["kernel.c"].count("b[64 * k + j]") == 1


def test_a_window_has_no_more_registers_than_the_array_has_elements() -> None:
    text = """void top(const int in[64], int out[64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
    out[i] = in[i] + in[63 - i] * in[(i * 7) & 63];
  }
}
"""
    (refused,) = hlspart.parse(text).rewrite(style="reuse").outcomes
    assert (refused.status, refused.code) == ("refused", "size")
    assert "its window would be 109 registers, more than its 64 elements" in (refused.reason or "")


def test_infer_says_what_the_rewrite_writes() -> None:
    old = hlspart.parse(stencil("jacobi", "frame"))
    found = old.infer(scheme="reuse")
    (array,) = found.arrays
    assert (array.name, array.kind, array.needs_rewrite, array.bram18k) == ("img", "reuse", True, 2)
    (loop,) = found.loops  # that which fills the frame is gone
    assert (loop.target_ii, loop.ii_before, loop.ii_after) == (1, 3, 1)
    assert "hlspart rewrite --style reuse writes it" in str(found)
    assert hlspart.parse(IN_PLACE).infer(scheme="reuse").arrays == ()


ROWS = """void rows(float w[832], float x[13], float a[64], int size) {
  for (int j = 0; j < 64; j++) {
    a[j] = 0;
    for (int i = 0; i < 13; i++) a[j] += w[j * 13 + i] * x[i];
  }
  for (int j = 0; j < size; j++) a[j] += 1;
}
"""


def test_a_lower_ii_of_more_iterations_is_no_gain_where_the_latency_is_unknown() -> None:
    found = hlspart.parse(ROWS).rewrite(style="reuse")
    refused = {o.arrays: o.reason or "" for o in found.outcomes if o.status == "refused"}
    assert re.search(r"rows: its loops take \d+ cycles instead of \d+", refused["w",])
    assert found.texts["kernel.c"] == ROWS


SHOWN = """static int A[19];
void k(int in[32], int out[32]) {
  int acc = in[0] & 63;
#pragma HLS array_partition variable=A type=cyclic factor=2
  for (int i = 0; i < 2; i++) {
#pragma HLS PIPELINE II=1
    for (int j = 0; j < 2; j++)
      for (int k = 1; k >= 0; k--) {
        A[j + 3 * i + 11] = A[8] + 4;
        acc += A[2 * j + 6] & 3;
        if (acc & 1) A[2 * k + 5] = A[i + k + 8] + 2;
      }
  }
  for (int z = 0; z < 19; z++) out[z] = acc + A[z];
}
"""


def test_a_window_that_the_first_text_shows_is_taken_at_once() -> None:
    first = hlspart.parse(SHOWN).rewrite(infer=True)
    text = first.texts["kernel.c"]
    assert "A_window[1] = A[i + 9];" in text and "variable=A type=complete" in text
    assert [(o.status, o.style) for o in first.outcomes if o.arrays == ("A",)] == [
        ("rewritten", "reuse"),
        ("kept", None),
    ]
    assert hlspart.parse(text).rewrite(infer=True).texts["kernel.c"] == text
    assert equal(hlspart.parse(SHOWN), first, 2)


def test_windows_are_tried_where_it_is_not_known_whether_ports_are_enough() -> None:
    """Four reads of a local array, which the tool may partition by itself: II 1 or 2."""
    old = hlspart.parse(POOL)
    assert [x.figure for x in old.ii().loops if x.pipelined][-1] == "1..2"
    new = old.rewrite(infer=True)
    assert [x.ii for x in new.kernel().ii().loops if x.pipelined] == [1]
    assert "a[64][64]" not in new.texts["kernel.c"] and equal(old, new)  # what filled it feeds the window
