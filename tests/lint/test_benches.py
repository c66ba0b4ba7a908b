"""What runs on a processor beside the hardware is none: a test bench that `main` calls, with and without ports."""

from __future__ import annotations

import pytest
from lint_helpers import lint_of

KERNEL = """#include <hls_stream.h>
#include <ap_axi_sdata.h>
typedef ap_axiu<32, 1, 1, 1> word;
void dut(hls::stream<word> &in, hls::stream<int> &tokens, int *out) {
#pragma HLS INTERFACE axis port=in
#pragma HLS INTERFACE s_axilite port=out
  for (int i = 0; i < 9; i++) out[0] += in.read().data + tokens.read();
}
"""
BENCH = """int NAME() {
  hls::stream<word> in;
  hls::stream<int> tokens;
  int out = 0;
  int *golden = new int[9];
  word w;
  for (int i = 0; i < 9; i++) {
    w.data = i;
    in.write(w);
    tokens.write(i);
  }
  dut(in, tokens, &out);
  return out;
}
"""


def codes(text: str) -> set[str]:
    return {d.rule for d in lint_of({"k.cpp": text}).diagnostics if d.severity in ("error", "warning")}


@pytest.mark.parametrize(
    "rest",
    [
        BENCH.replace("NAME", "main"),
        BENCH.replace("NAME", "test") + "int main() { return test(); }\n",
        BENCH.replace("NAME", "test") + "int all() { return test(); }\nint main() { return all(); }\n",
    ],
)
def test_a_bench_has_no_hardware(rest: str) -> None:
    assert codes(KERNEL + rest) == set()


def test_without_main_what_calls_a_kernel_may_be_the_top_unless_it_does_what_no_hardware_can() -> None:
    # the port below the top
    bench = BENCH.replace("NAME", "top")
    assert codes(KERNEL + bench.replace("  int *golden = new int[9];\n", "")) >= {"HLP417"}
    assert codes(KERNEL + bench) == set()


HELPER = """static int scaled(int v) {
#pragma HLS INLINE
  return 3 * v;
}
int test(int n) {
  printf("%d", n);
  return CALL;
}
int main() { return test(4); }
"""


def test_a_helper_of_a_bench_is_no_top() -> None:
    assert codes("#include <stdio.h>\n" + HELPER.replace("CALL", "scaled(n)")) == set()
    assert codes("#include <stdio.h>\n" + HELPER.replace("CALL", "n")) == {"HLP432"}
