"""Windows whose reads are clamped at the border, and frames that come through a channel."""

from __future__ import annotations

import pytest
from stencils import equal

import hlspart
from tests.amounts import amount

SELECTED = """{head}
#define N 20
{before}void blur(const int in[N][N], int out[N][N]) {{
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {{
#pragma HLS PIPELINE II=1
            int s = 0;
            for (int m = -1; m <= 1; m++)
                for (int n = -1; n <= 1; n++) {{
                    {within}
                    s += (m + 2 * n + 4) * in[{at}][{along}];
                }}
            out[y][x] = s;
        }}
}}
"""
BORDERS = {
    "macro": ("c", "#define AT(v) ((v) < 0 ? 0 : (v) > N - 1 ? N - 1 : (v))", "", "", "AT(y + m)", "AT(x + n)"),
    "function": (
        "c", "", "static int at(int v, int n) { if (v < 0) return 0; return v >= n ? n - 1 : v; }\n", "",
        "at(y + m, N)", "at(x + n, N)",
    ),
    "variables": (
        "c", "", "", "int a = y + m, b = x + n; if (a < 0) a = 0; if (a > N - 1) a = N - 1;"
        " b = b < 0 ? -b : b; if (b >= N) b = 2 * N - 2 - b;", "a", "b",
    ),
    "library": (
        "cpp", "#include <algorithm>", "", "", "std::min(std::max(y + m, 0), N - 1)",
        "std::max(0, std::min(x + n, N - 1))",
    ),
    "one of two": (
        "c", "", "", "if (x + n < 0 || x + n >= N) {} else", "y + m < 0 ? 0 : y + m > 19 ? 19 : y + m", "x + n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("border", [*BORDERS][:: amount(3, 1)])
def test_places_that_are_clamped_are_selected_in_the_window(border: str) -> None:
    language, head, before, within, at, along = BORDERS[border]
    text = SELECTED.format(head=head, before=before, within=within, at=at, along=along)
    old = hlspart.parse(text, f"blur.{language}", top="blur")
    assert [x.ii for x in old.ii().loops if x.pipelined] == [5]
    new = old.rewrite(infer=True)
    assert [x.ii for x in new.kernel().ii().loops if x.pipelined] == [1]
    assert new.kernel().rewrite(infer=True).texts == new.texts
    assert "in_window[3][3]" in new.texts[f"blur.{language}"] and equal(old, new)


def test_a_window_is_no_wider_than_its_registers_allow() -> None:
    text = SELECTED.format(
        head="", before="", within="", at="(y + 7 * m + 20) % 20", along="x + n < 0 ? 19 : (x + n) % 20"
    )
    old = hlspart.parse(text, "blur.c", top="blur")
    assert equal(old, old.rewrite(infer=True))


CHANNEL = """#include <ap_int.h>
#include <hls_stream.h>
typedef ap_uint<8> px;
void edges(hls::stream<px> &from, hls::stream<px> &to) {
    static px img[24][32];
fill:
    for (int y = 0; y < 24; y++)
        for (int x = 0; x < 32; x++) {
#pragma HLS PIPELINE II=1
            px p = 0; // the pixel
            FILL
        }
    BETWEEN
    for (int y = 1; y < 23; y++)
        for (int x = 1; x < 31; x++) {
#pragma HLS PIPELINE II=1
            int gx = img[y][x + 1] - img[y][x - 1], gy = img[y + 1][x] - img[y - 1][x];
            to.write((px)((gx < 0 ? -gx : gx) + (gy < 0 ? -gy : gy)));
        }
}
"""


def through(fill: str, between: str = "") -> str:
    """The kernel with that way to fill its frame."""
    return CHANNEL.replace("FILL", fill).replace("BETWEEN", between)


FUSED = {
    "value": "img[y][x] = from.read();",
    "variable": "p = from.read();\n            img[y][x] = p;",
    "operator": "from >> p;\n            if (p > 200) p = 200 - p / 2;\n            img[y][x] = p;",
    "border": "from >> p;\n            img[y][x] = y == 0 || x == 31 ? px(0) : p;",
}


@pytest.mark.parametrize("fill", amount(["operator"], [*FUSED]))
def test_a_frame_that_a_channel_fills_is_gone(fill: str) -> None:
    old = hlspart.parse(through(FUSED[fill]), "edges.cpp", top="edges")
    for new in (old.rewrite(style="reuse"), old.rewrite(infer=True)):
        after = new.kernel().ii()
        assert [x.ii for x in after.loops if x.pipelined] == [1]
        assert "img[" not in new.texts["edges.cpp"] and "the pixel" in new.texts["edges.cpp"]
        assert (after.loops[0].trip_count.exact or 0) <= 24 * 33
        assert equal(old, new)


KEPT = {
    "another order": through("img[23 - y][x] = from.read();"),
    "more than is used": through("img[y][x] = from.read();").replace("y < 23", "y < 22"),
    "read once more": through("p = from.read();\n            img[y][x] = p;", "px q = from.read(); to.write(q);"),
    "one channel": through("img[y][x] = from.read();").replace("to.write(", "from.write("),
    "read behind it": through("img[y][x] = from.read();", "to.write(from.read());"),
    "handed on": through("img[y][x] = from.read();", "pass(from, to);").replace(
        "void edges", "static void pass(hls::stream<px> &a, hls::stream<px> &b) { b.write(a.read()); }\nvoid edges"
    ),
    "written too": through("img[y][x] = from.read(); to.write(p);"),
    "a sum": through("img[y][x] = from.read(); sum += x;", "to.write(sum);").replace(
        "static px img", "int sum = 0; static px img"
    ),
    "a static": through("static px old = 0; img[y][x] = old; old = from.read();"),
    "left early": through("img[y][x] = from.read();", "if (img[0][0] == 255) return;"),
}  # fmt: skip


@pytest.mark.parametrize("why", [*KEPT][:: amount(6, 1)])
def test_a_frame_stays_where_the_channel_would_be_read_otherwise(why: str) -> None:
    old = hlspart.parse(KEPT[why], "edges.cpp", top="edges")
    new = old.rewrite(style="reuse")
    assert "img[24][32]" in new.texts["edges.cpp"]
    assert equal(old, new)


def test_a_name_of_the_fill_is_not_caught_by_a_loop() -> None:
    text = """void f(const int in[64], int out[64], int i) {
    int a[64];
    for (int k = 0; k < 64; k++) a[k] = in[k] + i;
    for (int i = 1; i < 63; i++) {
#pragma HLS PIPELINE II=1
        out[i] = a[i - 1] + a[i] + a[i + 1];
    }
}
"""
    old = hlspart.parse(text, "f.c")
    assert equal(old, old.rewrite(style="reuse"))


CALLED = """typedef struct { unsigned char r, g; } px;
static px frame[16][20];
static px mean(px w[3][3]) {
    px sum = {0, 0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) { sum.r += w[i][j].r / 9; sum.g += w[i][j].g / 9; }
    INSIDE
    return sum;
}
void smooth(px in[16][20], px out[16][20]) {
    px w[3][3];
    for (int y = 1; y < 15; y++)
        for (int x = 1; x < 19; x++) {
#pragma HLS PIPELINE
            for (int m = 0; m < 3; m++)
                for (int n = 0; n < 3; n++) w[m][n] = in[y + m - 1][x + n - 1];
            out[y][x] = mean(w);
            AFTER
        }
}
"""


def test_a_body_may_call_what_leaves_the_array_alone() -> None:
    text = CALLED.replace("INSIDE", "sum.r -= 3;").replace("AFTER", 'if (x == y) printf("%d", out[y][x].r);')
    text = "#include <stdio.h>\n" + text
    old = hlspart.parse(text, "smooth.c", top="smooth")
    new = old.rewrite(infer=True)
    assert [x.ii for x in new.kernel().ii().loops if x.pipelined and x.function == "smooth"] == [1]
    assert "in_window[3][3]" in new.texts["smooth.c"] and equal(old, new)


@pytest.mark.parametrize(
    ("here", "there", "array"),
    [
        ("frame[2][3].r++;", "", "frame"),
        ("", "touch(in);", "in"),
        ("", "mean(&in[y]);", "in"),
        ("log_it(3);", "", "in"),
    ],
)
def test_a_call_that_may_change_the_array_keeps_it(here: str, there: str, array: str) -> None:
    text = CALLED.replace("INSIDE", here).replace("AFTER", there).replace("in[y + m", f"{array}[y + m")
    head = "typedef struct { unsigned char r, g; } px;\n"
    extra = "void log_it(int);\nstatic void touch(px a[16][20]) { a[3][4].r = 7; a[14][18].g++; }\n"
    old = hlspart.parse(text.replace(head, head + extra), "smooth.c", top="smooth")
    new = old.rewrite(style="reuse")
    assert f"{array}_window" not in new.texts["smooth.c"]
    assert [o.code for o in new.outcomes if o.arrays == (array,)] in (["call"], ["pointer"])


LEFT_OUT = {
    "row": "for (int m = -1; m < 2; m++) { if (y + m < 0 || y + m > 19) continue; s += in[(y + m) * 20 + x]; }",
    "pixel": "if (x < 1 || x > 18) continue; for (int k = -1; k < 2; k++) s += in[y * 20 + x + k];",
    "star": "if (y && y < 19 && x && x < 19) s = in[y * 20 - 20 + x] + in[y * 20 + 20 + x] + in[y * 20 + x + 1];",
}


@pytest.mark.parametrize("style", LEFT_OUT)
def test_pointers_are_read_where_the_loop_read_them(style: str) -> None:
    text = f"""void f(const int *in, int *out) {{
    for (int y = 0; y < 20; y++)
        for (int x = 0; x < 20; x++) {{
#pragma HLS PIPELINE II=1
            int s = 0;
            {LEFT_OUT[style]}
            out[y * 20 + x] = s;
        }}
}}
"""
    old = hlspart.parse(text, "f.c", top="f")
    new = old.rewrite(style="reuse")
    assert [x.ii for x in old.ii().loops if x.pipelined] != [1]
    assert [x.ii for x in new.kernel().ii().loops if x.pipelined] == [1] and equal(old, new)


def test_elements_that_are_not_there_are_not_loaded() -> None:
    text = """void f(const int a[64], const unsigned char flag[64], int o[64]) {
    for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
        o[i] = a[i];
        if (flag[i]) o[i] += a[i + 1] + a[i + 2];
    }
}
"""
    new, pointed = (
        hlspart.parse(text.replace("a[64]", a), "f.c", top="f").rewrite(style="reuse").texts["f.c"]
        for a in ("a[64]", "*a")
    )
    assert "if (i + 2 <= 63) a_window[2] = a[i + 2];" in new and "a_window" not in pointed
