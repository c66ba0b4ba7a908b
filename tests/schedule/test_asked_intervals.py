"""Loops whose iterations need not overlap at the II asked for, and memories that are seen in larger pieces.

Reports: 3 of 5 asked for (2017.2), 9 of 16 (2020.1), 43 of 64 (2020.2) where an iteration has so many states; II 8 of
vectors of 8 numbers out of a port of single ones (2022.2), II 1 of 16 places behind a multiple of 16 (2024.2).
"""

import pytest
from predicting import loop


def asked(interval, body="b[i] = a[i] + 1;", parameters="int a[64], int b[64]"):
    return f"""void f({parameters}) {{
    L: for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE II={interval}
        {body}
    }}
}}
"""


@pytest.mark.parametrize("interval", [2, 8, 64])
def test_states_below_the_interval_asked_for_keep_it_lower(interval):
    one = loop(asked(1), tool="vitis-2020.2")
    found = loop(asked(interval), tool="vitis-2020.2")
    if one.depth >= interval:  # iterations overlap
        assert found.ii == interval
    else:
        assert found.bounds == (1, interval)
        assert found.bounds[0] <= one.depth <= found.bounds[1]


def test_ports_and_recurrences_hold_the_interval_all_the_same():
    sums = "b[0] = b[0] + " + " + ".join(f"a[(i + {k}) % 64]" for k in range(6)) + ";"
    found = loop(asked(64, sums), tool="vitis-2020.2")
    assert found.bounds == (3, 64)
    assert loop(asked(3, sums), tool="vitis-2020.2").ii == 3


VECTORS = """#include <hls_vector.h>
void f(short in[512], short out[64], short x[64]) {
#pragma HLS INTERFACE m_axi port=in
#pragma HLS ARRAY_PARTITION variable=out cyclic factor=8
    hls::vector<short, 8> *rows = reinterpret_cast<hls::vector<short, 8> *>(in);
    L: for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE
        hls::vector<short, 8> row = rows[i];
        for (int j = 0; j < 8; j++) out[8 * i + j] = row[j];
    }
}
"""


def test_elements_of_another_type_may_take_as_many_accesses_as_they_are_larger():
    found = loop(VECTORS, tool="vitis-2022.2", path="k.cpp", flow="vivado")
    assert found.bounds == (1, 8)
    same = VECTORS.replace("hls::vector<short, 8>", "short").replace("row[j]", "row")
    assert loop(same, tool="vitis-2022.2", path="k.cpp", flow="vivado").ii == 1


CHOSEN = """void f(short a[1024], int x[64], short v) {
#pragma HLS ARRAY_PARTITION variable=a cyclic factor=16
    L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
        int at = x[i];
        for (int k = 0; k < 16; k++) a[at * 16 + k] = v;
    }
}
"""


def test_places_that_are_constants_apart_may_be_in_banks_of_their_own():
    found = loop(CHOSEN, tool="vitis-2024.2")
    assert found.bounds == (1, 8)  # 16 stores on 2 ports, if each may be in any bank
    far = CHOSEN.replace("a[at * 16 + k]", "a[x[(i + k) % 64]]")  # of values that have nothing to do with each other
    assert loop(far, tool="vitis-2024.2").bounds[0] == 8


def test_loads_of_one_element_under_several_conditions_may_be_one():
    sums = "int t = 0; for (int k = 0; k < 4; k++) if (b[i] >> k & 1) t += a[i] << k; c[i] = t;"
    parameters = "int a[64], int b[64], int c[64]"
    assert loop(asked(1, sums, parameters), tool="vitis-2023.2").bounds == (1, 2)
    others = sums.replace("a[i]", "a[(i + k) % 64]")
    assert loop(asked(1, others, parameters), tool="vitis-2023.2").ii == 2


def test_one_place_twice_is_not_two_places_that_are_constants_apart():
    body = "int at = x[i]; if (i % 2) a[at] = v; if (i % 3) a[at] = v + 1;"
    text = asked(1, body, "int a[1024], int x[64], int v")
    text = text.replace("{\n", "{\n#pragma HLS ARRAY_PARTITION variable=a cyclic factor=4\n", 1)
    found = loop(text, tool="vitis-2024.2")
    assert "constants apart" not in (found.cause or "")
