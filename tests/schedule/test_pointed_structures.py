"""``p->x`` of an argument is ``(*p).x``: the same access, the same figures."""

from __future__ import annotations

import pytest

from hlspart.model.options import Options
from hlspart.model.results import LoopResult
from hlspart.pipeline import Pipeline

HEAD = """#include <ap_int.h>
struct video { ap_uint<24> data; ap_uint<1> user; short parts[2]; };
void f(video *in, video *out, int *k) {
MODE
"""
ONCE = (
    HEAD
    + """
#pragma HLS PIPELINE II=1
  out->user = in->user;
  out->data = in->data + 1;
}
"""
)
STEPPED = (
    HEAD
    + """
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
    out->user = in->user;
    out->data = in->data + 1;
    ++in;
    ++out;
  }
}
"""
)
CHASED = (
    HEAD
    + """
  int at = 0;
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
    at = (in + at)->parts[1];
    k[i] = at;
  }
}
"""
)
HANDED = """struct rng { unsigned a, b; };
unsigned next(rng *in) { in->a = (in->a << 3) ^ in->b; in->b += in->a * 3; return in->a; }
void top(rng *state, unsigned k[64]) {
MODE
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
    k[i] = next(state);
  }
}
"""
AXIS = "#pragma HLS INTERFACE axis port=in\n#pragma HLS INTERFACE axis port=out"


def _figures(text: str) -> list[LoopResult]:
    figures = Pipeline(["t.cpp"], Options(), lambda _: text.encode()).figures
    return [x for x in figures.loops if x.pipelined]


@pytest.mark.parametrize(
    ("text", "mode"),
    [(HANDED, ""), *((text, mode) for text in (ONCE, STEPPED, CHASED) for mode in ("", AXIS))],
)
def test_an_arrow_is_a_star_and_a_dot(text: str, mode: str) -> None:
    arrows = text.replace("MODE", mode)
    stars = arrows.replace("(in + at)->", "(*(in + at)).").replace("in->", "(*in).").replace("out->", "(*out).")
    assert "->" in arrows and "->" not in stars
    (one,), (two,) = _figures(arrows), _figures(stars)
    assert one.ii is not None and (one.ii, one.depth, one.cause) == (two.ii, two.depth, two.cause)
    assert (one.ii > 1) == (text is CHASED and not mode)  # the next address waits for the word
