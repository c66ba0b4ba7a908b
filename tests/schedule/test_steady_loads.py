"""Loads that may stay in a loop, and banks of elements that data choose: each as a published report has it."""

from predicting import result

from hlspart.model.results import LoopResult


def _loop(text: str, tool: str, path: str = "k.c") -> LoopResult:
    loops = result(text, path=path, tool=tool, part="xc7z020-clg400-1", clock_ns=10).loops
    return next(x for x in loops if x.name.split("_")[-1] == "L")


def _filter(port: str, memory: str = "") -> str:
    own = "int own[11]; for (int k = 0; k < 11; k++) own[k] = coef[k];" if memory == "own" else ""
    return f"""#include <hls_stream.h>
void f(hls::stream<int>& in, hls::stream<int>& out, int coef[12], int n) {{
#pragma HLS INTERFACE {port} port=coef
  static int reg[11];
  {own}
  L: for (int i = 0; i < n; i++) {{
#pragma HLS PIPELINE II=1
    int sum = 0, x = in.read();
    for (int k = 10; k >= 0; k--) {{
      int d = k == 0 ? x : reg[k - 1];
      reg[k] = d;
      sum += d * {memory or "coef"}[k];
    }}
    out.write(sum);
  }}
}}"""


def test_loads_of_an_argument_may_stay_beside_streams() -> None:
    # Jui-Yu-Hsieh-053/AAHLS-113-2, fir_n11_strm (2022.1): II 11, as many loads of one port of the adapter
    found = _loop(_filter("s_axilite"), "vitis-2022.1", "k.cpp")
    assert found.ii is None and found.bounds == (1, 11)
    assert "a loop that accesses streams" in (found.cause or "")


def test_loads_of_an_array_of_its_own_leave_beside_streams() -> None:
    found = _loop(_filter("ap_memory", "own"), "vitis-2022.2", "k.cpp")
    assert found.ii == 1


def _sums(ahead: str) -> str:
    sums = "".join(f"out[o + {k}] += w[o + {k}][i] * in[i];\n" for k in range(8))
    first = "".join(f"out[o + {k}] = bias[o + {k}];\n" for k in range(8)) if ahead else ""
    return f"""void f(float in[400], const float w[120][400], const float bias[120], float out[120]) {{
  for (int o = 0; o < 120; o += 8) {{
    {first}
    L: for (int i = 0; i < 400; i++) {{
#pragma HLS PIPELINE
      {sums}
    }}
  }}
}}"""


def test_sums_that_are_set_just_ahead_may_be_registers() -> None:
    # karthisugumar/CSE237C_FinalProject_ksugumar_iameerud, fc (2019.1): II 5, that of the adder, not 8 of the ports
    found = _loop(_sums("set"), "vivado-hls-2019.1")
    assert found.ii is None and found.bounds == (4, 8)


def test_sums_that_go_on_are_no_registers() -> None:
    assert _loop(_sums(""), "vivado-hls-2019.1").ii == 8


def _rows(body: str) -> str:
    return f"""void f(int m[4][64][64], const int addr[64], int out[64], int sel, int j, int k) {{
  int data[64]; int ad[64]; int ram[4][64][64];
#pragma HLS ARRAY_PARTITION variable=ram block factor=8 dim=3
#pragma HLS BIND_STORAGE variable=ram type=ram_t2p
#pragma HLS ARRAY_PARTITION variable=data complete
#pragma HLS ARRAY_PARTITION variable=ad complete
  for (int a = 0; a < 4; a++) for (int b = 0; b < 64; b++) for (int c = 0; c < 64; c++) ram[a][b][c] = m[a][b][c];
  for (int b = 0; b < 64; b++) ad[b] = addr[b];
  L: for (int l = 0; l < 64; l++) {{
#pragma HLS PIPELINE
#pragma HLS UNROLL factor=32
    {body}
  }}
  for (int b = 0; b < 64; b++) out[b] = data[b];
}}"""


def test_the_index_of_a_split_dimension_says_the_bank() -> None:
    # Muxucao0812/Crypto, NTT_COL_LOOP: 32 copies, 8 of them in one of 8 block banks, the row chosen by data: II 4
    assert _loop(_rows("data[l] = ram[sel][ad[l]][l];"), "vitis-2023.2").ii == 4
    assert _loop(_rows("data[l] = ram[sel][k][l];"), "vitis-2023.2").ii == 4


def test_a_split_dimension_that_data_choose_says_no_bank() -> None:
    assert _loop(_rows("data[l] = ram[sel][l][ad[l]];"), "vitis-2023.2").ii == 16
