"""Images of the HLS video library: classes of channels, and functions that go over them one pixel a cycle."""

from __future__ import annotations

import pytest

from hlspart.model.options import Options, TargetOptions
from hlspart.model.results import IIResult
from hlspart.pipeline import Pipeline

# the library's loops as Vivado HLS 2016 to 2018 reports them: all that are pipelined have an II of 1
FRAMES = """#include "hls_video.h"
typedef hls::Mat<64, 48, HLS_8UC3> RGB;
typedef hls::Mat<64, 48, HLS_8UC1> GRAY;
typedef hls::stream<ap_axiu<24, 1, 1, 1> > AXI;
void strel(hls::Window<3, 3, uint16_t> *disk);
void top(AXI &in, AXI &out) {
#pragma HLS DATAFLOW
  RGB a(64, 48), b(64, 48);
  GRAY r(64, 48), g(64, 48), c(64, 48), d(64, 48), e(64, 48), f(64, 48);
  hls::Window<3, 3, uint16_t> disk;
  hls::AXIvideo2Mat(in, a);
  hls::Split(a, r, g, c);
  strel(&disk);
  hls::Erode<0, 1>(r, d, disk);
  hls::AddWeighted(g, 1, d, -1, 0, e);
  hls::Merge(e, c, f, b);
  hls::Mat2AXIvideo(b, out);
}
"""
OWN = """#include "hls_video.h"
void top(hls::Mat<64, 48, HLS_16UC3> &a, hls::Mat<64, 48, HLS_16UC3> &b) {
  for (int i = 0; i < 64 * 48; i++) {
#pragma HLS PIPELINE
    hls::Scalar<3, uint16_t> s;
    STATEMENTS
    s.val[1] = s.val[1] > 10 ? 255 : 0;
    b << s;
  }
}
"""


def _figures(name: str, text: str) -> IIResult:
    options = Options(target=TargetOptions(tool="vivado-hls-2019.1"), top="top")

    def read(path: str) -> bytes:
        if path != name:
            raise FileNotFoundError(path)
        return text.encode()

    return Pipeline([name], options, read).figures


def test_loops_of_the_library() -> None:
    figures = _figures("frames.cpp", FRAMES)
    found = {(x.function, x.name): x.ii for x in figures.loops if x.pipelined}
    names = ("Split", "Erode", "AddWeighted", "Merge", "Mat2AXIvideo", "AXIvideo2Mat")
    waits = [("AXIvideo2Mat", "loop_wait_for_start"), ("AXIvideo2Mat", "loop_wait_for_eol")]
    assert found == dict.fromkeys([*((n, "loop_width") for n in names), *waits], 1)
    depths = {x.function: x.depth for x in figures.loops if x.name == "loop_width"}
    assert depths["Erode"] is None and depths["AddWeighted"] is None  # what they compute is not said
    assert depths["Mat2AXIvideo"] is None  # reports: three states in four repositories, two in one
    assert all(not s.path.startswith("<") for s in figures.pragmas)


@pytest.mark.parametrize(("statements", "ii"), [("a >> s;", 1), ("a >> s; a >> s;", 2)])
def test_a_pixel_is_a_word_of_each_channel(statements: str, ii: int) -> None:
    (loop,) = (x for x in _figures("own.cpp", OWN.replace("STATEMENTS", statements)).loops if x.pipelined)
    assert loop.ii == ii


def test_rows_of_a_line_buffer_do_not_meet() -> None:
    """Vivado HLS 2019.2: a loop that shifts a column of the library's line buffer and fills it has II 1."""
    text = """#include "hls_video.h"
void top(unsigned char in[4][16], unsigned char out[4][16]) {
  hls::LineBuffer<4, 16, unsigned char> rows;
  FILL: for (int x = 0; x < 16; x++) {
    for (int y = 0; y < 4; y++) {
#pragma HLS PIPELINE
      rows.shift_pixels_up(x);
      rows.insert_bottom_row(in[y][x], x);
    }
  }
  for (int x = 0; x < 16; x++) for (int y = 0; y < 4; y++) out[y][x] = rows.getval(y, x);
}
"""
    (loop,) = (x for x in _figures("rows.cpp", text).loops if x.pipelined)
    assert loop.ii == 1


def test_a_depth_alone_is_the_type_of_one_component() -> None:
    """UG902, Table "Image types"; scale and shift have defaults (UG902, hls::ConvertScaleAbs)."""
    text = """#include "hls/hls_video.h"
typedef hls::Mat<64, 48, HLS_8U> GRAY;
typedef hls::Mat<64, 48, HLS_16S> SIGNED;
void top(GRAY &in, GRAY &out) {
#pragma HLS DATAFLOW
  SIGNED x(64, 48);
  hls::Sobel<1, 0, 3>(in, x);
  hls::ConvertScaleAbs(x, out);
}
"""
    figures = _figures("sobel.cpp", text)
    assert [x.ii for x in figures.loops if x.pipelined] == [1, 1]


def test_a_mask_has_one_component() -> None:
    """UG902, hls::CmpS and hls::PaintMask; a report of 2019.2 has both at II 1."""
    text = """#include "hls_video.h"
typedef hls::Mat<64, 48, HLS_8UC3> RGB;
void top(RGB &in, RGB &out) {
#pragma HLS DATAFLOW
  hls::Mat<64, 48, HLS_8UC1> mask(64, 48);
  RGB one(64, 48), two(64, 48);
  hls::Scalar<3, unsigned char> color(255, 0, 9);
  hls::Duplicate(in, one, two);
  hls::CmpS(one, 7, mask, HLS_CMP_LT);
  hls::PaintMask(two, mask, out, color);
}
"""
    assert [x.ii for x in _figures("mask.cpp", text).loops if x.pipelined] == [1, 1, 1]
