"""Orders between accesses of one memory in one iteration, and ports without addresses."""

from predicting import loop

STEPS = """void f(int n, int d[100], const int w[100]) {
    L: for (int i = 1; i < 99; i += 2) {
#pragma HLS PIPELINE
        if (w[i] > 0) d[i] = d[i - 1] + 1;
        if (w[i + 1] > 0) d[i + 1] = d[i] + 2;
    }
}
"""


def test_a_load_starts_a_state_after_a_conditional_store_of_its_element():
    """Public report (2019.1): two conditional updates in a row take three states each, II 6."""
    assert loop(STEPS, tool="vivado-hls-2019.1", part="xc7z020clg484-1").ii == 6


COLUMN = """int f(int a, int b) {
    int d[100][100];
#pragma HLS ARRAY_PARTITION variable=d complete dim=1
    L: for (int i = 0; i < 100; i++) {
#pragma HLS UNROLL factor=2
#pragma HLS PIPELINE
        d[INDEX] = i;
    }
    return d[a][b];
}
"""


def test_stores_at_one_place_of_memories_chosen_at_run_time():
    """Public report (2019.1): II 2 for the column, where elements are in memories of their own, II 1 for the row."""
    for index, expected in (("i][0", (1, 2)), ("0][i", 1)):
        found = loop(COLUMN.replace("INDEX", index), tool="vivado-hls-2019.1", part="xc7z020clg484-1")
        assert (found.ii or found.bounds) == expected


SUMS = """void f(short out[32], short in[32]) {
    static int acc[8];
PRAGMAS
#pragma HLS ARRAY_PARTITION variable=in cyclic factor=8
#pragma HLS ARRAY_PARTITION variable=out cyclic factor=8
    L: for (int i = 0; i < 32; i++) {
#pragma HLS UNROLL factor=8
#pragma HLS PIPELINE
        acc[i % 8] = acc[i % 8] + in[i];
        out[i] = acc[i % 8];
    }
}
"""


def test_stream_ports_have_no_addresses():
    """Public reports (2015.3, 2016.1, 4 ns): one state from axis to axis; a memory takes two for a load."""
    axis = "#pragma HLS INTERFACE axis port=in\n#pragma HLS INTERFACE axis port=out"
    where = {"tool": "vivado-hls-2016.4", "part": "xc7k160tfbg484-1", "clock_ns": 4.0}
    assert (loop(SUMS.replace("PRAGMAS", axis), **where).ii, loop(SUMS.replace("PRAGMAS", axis), **where).depth) == (
        1,
        1,
    )
    assert (loop(SUMS.replace("PRAGMAS", ""), **where).depth or 0) > 1


COPY = """void f(int x, hls::stream<int> &in, hls::stream<int> &out) {
#pragma HLS INTERFACE axis port=in
#pragma HLS INTERFACE axis port=out
    BEFORE
    L: for (int i = 0; i < 40; i++) {
#pragma HLS PIPELINE
        out.write(in.read() + x);
    }
}
"""


def test_writes_at_axis_ports_fill_their_registers():
    """Public reports: depth 3 in the function of the port (2018.3 on), 1 up to 2016.1; less in a module."""
    depths = {
        (tool, before): loop(COPY.replace("BEFORE", before), tool=tool, path="k.cpp", part="xc7z020clg400-1").depth
        for tool in ("vivado-hls-2016.4", "vivado-hls-2018.3", "vivado-hls-2020.1", "vitis-2022.2", "vitis-2023.2")
        for before in ("", "x = x / 7;")
    }
    assert [d for (_, before), d in depths.items() if not before] == [1, 3, 3, 3, 3]
    assert [d for (_, before), d in depths.items() if before] == [1, 3, 3, 1, 1]


PRODUCTS = """void f(const TYPE a[64], const TYPE b[64], const unsigned char k[64], int h[256]) {
    int s = 0;
    L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
        SUM += a[i] * b[i];
    }
    h[0] = s;
}
"""


def test_a_sum_in_the_block_of_its_product_takes_a_state():
    """Public log (2022.2, 5 ns): 16-bit products added up in a memory have II 2; scalars and wide products do not."""

    def ii(kind: str, total: str):
        text = PRODUCTS.replace("TYPE", kind).replace("SUM", total)
        found = loop(text, tool="vitis-2022.2", part="xcu55c-fsvh2892-2L-e", clock_ns=5.0)
        return found.ii if found.ii is not None else found.bounds

    assert ii("short", "s") == ii("int", "s") == 1
    assert ii("short", "h[k[i]]") == 2
    assert ii("int", "h[k[i]]") == 1
