"""Elements that iterations hand on: registers where the first one is stored ahead of the loop."""

import pytest
from predicting import loop

WHERE = {"part": "xc7z020-clg400-1", "clock_ns": 10.0}


def sums(ahead: str, start: int, body: str) -> str:
    return f"""void f(const int c[64], int o[64], int n) {{
    int a[65];
    {ahead}
    L: for (int i = {start}; i < 64; i++) {{
#pragma HLS PIPELINE II=1
        {body}
    }}
    for (int i = 0; i < 64; i++) o[i] = a[i];
}}
"""


@pytest.mark.parametrize(
    ("ahead", "start", "body", "tool", "ii"),
    [
        # XiangzhongDeng/Xilinx_Summer_School_Dsp_Huffman_Pro (2021.2), first_codewords: II 1, 2 states
        ("a[0] = 0;", 1, "a[i] = (a[i - 1] + c[i - 1]) << 1;", "vitis-2021.2", 1),
        ("a[0] = 0;", 1, "a[i] = (a[i - 1] + c[i - 1]) << 1;", "vitis-2022.2", 1),
        # rubennc91/TFG_JorgeNieto_2026 (2020.2), QDLDL_factor: II 1 of Lp[i+1] = Lp[i] + Lnz[i]
        ("a[0] = 0;", 0, "a[i + 1] = a[i] + c[i];", "vitis-2020.2", 1),
        ("a[1] = 0;", 0, "a[i + 1] = a[i] + c[i];", "vitis-2020.2", 2),  # another element
        ("a[n] = 0;", 0, "a[i + 1] = a[i] + c[i];", "vitis-2020.2", 2),  # perhaps another one
        ("a[0] = 0;", 0, "a[i + 1] = a[i] + c[i];", "vivado-hls-2019.1", 2),
        ("", 0, "a[i + 1] = a[i] + c[i];", "vitis-2020.2", 2),
        ("", 0, "a[i + 1] = a[i] + c[i];", "vitis-2022.2", 1),
    ],
)
def test_a_chain_of_elements_is_a_register_where_its_first_one_is_stored_ahead(ahead, start, body, tool, ii):
    assert loop(sums(ahead, start, body), tool=tool, **WHERE).ii == ii
