"""What the tool may make of a memory (banks, registers, a wide port) gives bounds that hold all of it."""

import pytest
from predicting import loop, pipelined_loop, result

AXI = """void f(int A[32][32], int o[32]) {
#pragma HLS INTERFACE m_axi port=A bundle=gmem
#pragma HLS INTERFACE m_axi port=o bundle=out
PARTITION
  L: for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE II=1
    int s = 0;
    for (int j = 0; j < 32; j++) s += A[i][j];
    o[i] = s;
  }
}
"""


def test_a_partitioned_bus_gives_bounds():
    """UG1399 refuses the partition; reports of Vitis HLS 2022.2 have a port per bank (32 reads, four banks: II 8)."""
    plain = loop(AXI.replace("PARTITION\n", ""), tool="vitis-2022.2")
    assert (plain.ii, plain.bounds) == (32, None)
    asked = loop(AXI.replace("PARTITION", "#pragma HLS ARRAY_PARTITION variable=A cyclic factor=4 dim=2"))
    assert asked.ii is None
    assert asked.bounds == (1, 32)
    assert "port" in asked.cause
    on_out = loop(AXI.replace("PARTITION", "#pragma HLS ARRAY_PARTITION variable=o cyclic factor=4"))
    assert on_out.ii == 32


REGISTERS = """void f(float A[32][8], float q[32]) {
#pragma HLS ARRAY_PARTITION variable=q complete
#pragma HLS ARRAY_PARTITION variable=A complete dim=2
    L: for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE
        for (int j = 0; j < 8; j++) q[i] += A[i][j];
    }
}
"""


def test_registers_chosen_at_run_time_may_recur():
    """Each iteration sums up another register, and a report has the sums in a row all the same: 32 of them at II 97."""
    found = pipelined_loop(REGISTERS, tool="vitis-2022.2", part="xcu55c-fsvh2892-2L-e", clock_ns=5.0)
    assert (found.ii, found.bounds) == (None, (1, 41)) and "registers" in found.cause
    told = REGISTERS.replace("PIPELINE\n", "PIPELINE\n#pragma HLS DEPENDENCE variable=q inter false\n")
    assert pipelined_loop(told, tool="vitis-2022.2").ii == 1
    memory = "\n".join(x for x in REGISTERS.splitlines() if "variable=q" not in x)
    assert pipelined_loop(memory, tool="vitis-2022.2").ii == 1


def test_a_recurrence_through_a_memory_that_may_become_registers_is_in_doubt():
    """32 sums in each iteration: a report has II 3, which only registers allow, and no directive asks for them."""
    text = """void f(float A[32][32], float o[32]) {
    float s[32];
    for (int j = 0; j < 32; j++) s[j] = 0;
    L: for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE II=1
#pragma HLS ARRAY_PARTITION variable=A complete dim=2
        for (int j = 0; j < 32; j++) s[j] += A[i][j];
    }
    for (int j = 0; j < 32; j++) o[j] = s[j];
}
"""
    (found,) = (x for x in result(text, tool="vitis-2022.2", clock_ns=5.0).loops if x.name == "L")
    assert found.ii is None and found.bounds[0] <= 3 < found.bounds[1]


SOME_BANKS = """void f(float a[240], float b[240]) {{
#pragma HLS ARRAY_PARTITION variable=a cyclic factor={factor}
#pragma HLS ARRAY_PARTITION variable=b complete
    L: for (int i = 0; i < 15; i++) {{
#pragma HLS PIPELINE II=1
        for (int k = 0; k < 16; k++) b[16 * i + k] = a[16 * i + k];
    }}
}}"""


@pytest.mark.parametrize("factor", [2, 4, 5, 6, 8, 10, 12, 16, 24, 48])
def test_remainders_of_no_power_of_two_may_hide_which_banks_an_access_reaches(factor):
    """Sixteen loads on two ports: of the banks by enumeration, or of all where a remainder does not say which.

    It does of powers of two and of multiples of the step.
    """
    reached = [{(16 * i + k) % factor for i in range(15)} for k in range(16)]
    seen = max(sum(bank in banks for banks in reached) for bank in range(factor))
    fixed = all(len(banks) == 1 for banks in reached)
    hidden = seen if fixed or factor & (factor - 1) == 0 or factor % 16 == 0 else 16
    low, high = -(-seen // 2), -(-hidden // 2)
    found = loop(SOME_BANKS.format(factor=factor), "L")
    assert (found.ii, found.bounds) == ((low, None) if low == high else (None, (low, high)))


@pytest.mark.parametrize(("members", "bounds"), [("a, b, c, d, e, f", (1, 6)), ("a, b, c, d", 1), ("a, b, c", (1, 3))])
def test_structures_that_fill_no_port(members, bounds):
    """AMD's example of structures (2023.2): II 2 for elements of 24 bytes at m_axi ports, 1 for 32."""
    text = f"""struct Many {{ int {members}; }};
void f(Many *in, Many out[50]) {{
#pragma HLS INTERFACE m_axi port=in bundle=g
    L: for (int i = 0; i < 50; i++)
        out[i] = in[i];
}}
"""
    found = loop(text, tool="vitis-2023.2", path="k.cpp")
    assert (found.ii or found.bounds) == bounds


@pytest.mark.parametrize(("tool", "said"), [("vitis-2025.1", (1, 8)), ("vitis-2022.2", 8)])
def test_a_bound_memory_may_be_partitioned_all_the_same(tool, said):
    """A public report (2025.1): II 1 for 16 stores an iteration into one bank that BIND_STORAGE gives one port."""
    text = """void f(int in[32], int out[256]) {
    int held[4][256];
#pragma HLS BIND_STORAGE variable=held type=ram_1p
    for (int n = 0; n < 4; n++) L: for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE II=1
        for (int j = 0; j < 8; j++) held[n][i * 8 + j] = in[i] >> j;
    }
    OUT: for (int i = 0; i < 256; i++) out[i] = held[i & 3][i];
}
"""
    found = next(x for x in result(text, tool=tool).loops if x.flattened[-1:] == ("L",) or x.name == "L")
    assert (found.ii or found.bounds) == said


@pytest.mark.parametrize(
    ("rows", "columns", "ii", "bounds"),
    [
        (("(r + i) & 3", "(r + i + 1) & 3", "(r + i + 2) & 3"), ("i", "i", "i"), None, (1, 2)),
        (("(r + i) & 3", "(r + i + 1) & 3", "(r + i + 2) & 3"), ("i", "i + 1", "i + 2"), 2, None),
        (("0", "1", "2"), ("i", "i", "i"), 1, None),
    ],
)
def test_loads_at_one_place_of_rows_that_are_chosen_at_run_time(
    rows: tuple[str, ...], columns: tuple[str, ...], ii: int | None, bounds: tuple[int, int] | None
) -> None:
    """Each loads its column of every row: equal columns may be loaded once, as one report has it."""
    loads = " + ".join(f"b[{row}][{column}]" for row, column in zip(rows, columns, strict=True))
    found = loop(f"""void f(int in[64], int out[64], int r) {{
    int b[4][72];
#pragma HLS ARRAY_PARTITION variable=b complete dim=1
    for (int k = 0; k < 4; k++) for (int i = 0; i < 72; i++) b[k][i] = in[i & 63] + k;
    L: for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE
        out[i] = {loads};
    }}
}}
""")
    assert (found.ii, found.bounds) == (ii, bounds)
    assert bounds is None or "loads at one place of all rows of b" in (found.cause or "")


WEIGHTS = """void f(int w[64][15], int src[64], int dst[15]) {
%s    int sum[15];
#pragma HLS ARRAY_PARTITION variable=sum complete
    L: for (int j = 0; j < 64; j++) {
#pragma HLS PIPELINE
        for (int i = 0; i < 15; i++) sum[i] += src[j] * w[j][i];
    }
    for (int i = 0; i < 15; i++) dst[i] = sum[i];
}"""
BRAM, AP_MEMORY = (f"#pragma HLS INTERFACE {mode} port=w\n" for mode in ("bram", "ap_memory"))
RESOURCE = "#pragma HLS RESOURCE variable=w core=RAM_1P_BRAM\n"


@pytest.mark.parametrize(
    ("pragmas", "ii"),
    [(BRAM + RESOURCE, 15), (RESOURCE + BRAM, 15), (AP_MEMORY + RESOURCE, 15), (RESOURCE + AP_MEMORY, 15)],
)
def test_resource_decides_the_ports_of_an_interface(pragmas, ii):
    """A report of Vivado HLS 2017.4 has 15 reads at II 15 in the first order, three at II 3 in the second."""
    assert loop(WEIGHTS % pragmas, "L", tool="vivado-hls-2017.4", part="xc7z020clg484-1", clock_ns=10).ii == ii


def ending_in_l(text, tool):
    (found,) = (x for x in result(text, tool=tool).loops if x.name.endswith("L"))
    return found


def test_a_window_may_lie_in_banks_of_both_dimensions():
    """A report of Vitis HLS 2023.2: 90 banks of a 30 x 30 window of 3 x 3 that no directive partitions, II 1."""
    text = """void f(short in[30][30], short out[28][28]) {
    short w[30][30];
    for (int i = 0; i < 30; i++) {
#pragma HLS UNROLL
        for (int j = 0; j < 30; j++) w[i][j] = in[i][j];
    }
    for (int i = 0; i < 28; i++)
        L: for (int j = 0; j < 28; j++) {
            short sum = 0;
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++) sum += w[i + a][j + b];
            out[i][j] = sum;
        }
}"""
    found = ending_in_l(text, "vitis-2023.2")
    assert (found.ii, found.bounds) == (None, (1, 5))
    assert "partitions a local array" in found.cause


def test_a_burst_may_read_what_a_zero_leaves_out():
    """Reports of Vitis HLS 2024.1: nine words of a filter with three zeros, II 9."""
    text = """void f(unsigned char in[16384], short out[126][126]) {
#pragma HLS INTERFACE m_axi port=in offset=slave bundle=gmem
    const short w[3][3] = {{1, 0, -1}, {2, 0, -2}, {1, 0, -1}};
    for (int r = 0; r < 126; ++r)
        L: for (int c = 0; c < 126; ++c) {
            short sum = 0;
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j) sum += w[i][j] * in[(r + i) * 128 + c + j];
            out[r][c] = sum;
        }
}"""
    found = ending_in_l(text, "vitis-2024.1")
    assert (found.ii, found.bounds) == (None, (6, 9))
    assert "of no use" in found.cause
    all_ = ending_in_l(text.replace(" 0, ", " 3, "), "vitis-2024.1")
    assert "of no use" not in (all_.cause or "")


POOL = """void f(int in[64], int out[16]) {
    int t[8][8];
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) t[i][j] = in[8 * i + j];
    for (int i = 0; i < 8; i += 2)
        L: for (int j = 0; j < 8; j += 2) {
            int s = t[i][j];
            s += t[i][j + 1] ^ t[i + 1][j] ^ t[i + 1][j + 1];
            out[2 * i + j / 2] = s;
        }
}"""


@pytest.mark.parametrize(
    ("tool", "ii", "bounds"),
    [("vitis-2020.2", 1, None), ("vitis-2021.1", 1, None), ("vitis-2021.2", 2, None), ("vitis-2022.2", 1, None)],
)
def test_copies_for_reads_between_the_versions_that_have_them(tool, ii, bounds):
    """A report of Vitis HLS 2021.1 has a pool of 2 x 2 at II 1, its memory in six times the room."""
    found = ending_in_l(POOL, tool)
    assert (found.ii, found.bounds) == (ii, bounds)


HANDED = """#include <hls_stream.h>
double twice(double x) {
#pragma HLS INLINE
    return 2 * x;
}
void load(double *p, int n, hls::stream<double> &o) {
#pragma HLS INLINE off
    L: for (int i = 0; i < n; i++) {
#pragma HLS PIPELINE II=1
        double s = 0;
        for (int j = 0; j < 8; j++) s += twice(p[8 * i + j]);
        o.write(s);
    }
}
void top(double x[1024], int n, hls::stream<double> &o) {
#pragma HLS ARRAY_PARTITION variable=x cyclic factor=FACTOR
    load(x, n, o);
}
"""


@pytest.mark.parametrize(("factor", "ii"), [(1, 4), (2, 2), (4, 1)])
def test_a_memory_that_a_caller_passes_is_known_where_calls_are_expanded_too(factor, ii):
    """Eight words in each iteration, of a memory of two ports in each bank."""
    found = loop(HANDED.replace("FACTOR", str(factor)), "L", path="k.cpp")
    assert (found.ii, found.cause) == (ii, None)


def test_a_stream_that_nobody_is_seen_to_pass_takes_a_word_at_a_time():
    text = """#include <hls_stream.h>
void put(int n, hls::stream<int> &o) {
#pragma HLS INLINE off
    L: for (int i = 0; i < n; i++) {
#pragma HLS PIPELINE II=1
        for (int j = 0; j < 8; j++) o.write(i + j);
    }
}
void top(int n, hls::stream<int> &o) {
#pragma HLS DATAFLOW
    hls::stream<int> s;
    put(n, s);
    for (int i = 0; i < 8 * n; i++) o.write(s.read());
}
"""
    found = loop(text, "L", path="k.cpp")
    assert (found.ii, found.cause) == (8, None)
