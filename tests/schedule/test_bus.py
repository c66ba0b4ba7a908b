"""m_axi ports: what reports show of requests, data and responses; unknown where they do not tell."""

import pytest
from predicting import loop, result

import hlspart
from hlspart.model.options import TargetOptions
from hlspart.targets import load


@pytest.mark.parametrize(
    ("tool", "flow", "latency", "states"),
    [
        ("vitis-2020.2", "vivado", None, (7, 5)),  # nguyencanhtrung/vivado-hls-practice
        ("vitis-2020.2", "vitis", None, (70, 68)),  # bol-edu/2021-fall-ntu
        ("vitis-2021.1", "vivado", None, (7, 5)),  # ChenZehao1018/Sparse-Matrix-Acceleartor-for-HLS
        ("vitis-2022.2", "vivado", None, (7, 5)),  # zanehpn/HLStrans
        ("vitis-2022.2", "vitis", None, (70, 68)),  # InputBlackBoxOutput/Systolic-Matrix-Multiplier
        ("vitis-2023.1", "vivado", None, (8, 5)),  # HeRCLab/LSTM_accelerator
        ("vitis-2023.2", "vitis", None, (71, 68)),  # Gpayton787/CS133_Lab4
        ("vitis-2025.1", "vitis", None, (71, 68)),  # hdeben01/Min-Sum-Vitis-QEC
        ("vivado-hls-2019.2", "vivado", None, (7, 5)),  # HJL2020-s/FPGAZYNQ_TESTCONV
        ("vitis-2023.2", "vivado", 64, (71, 68)),
        ("vitis-2023.2", "vitis", 0, (8, 5)),
    ],
)
def test_states_of_requests_and_responses(tool, flow, latency, states):
    assert load(TargetOptions(tool=tool, flow=flow)).bus_states(latency) == states


PORTS = """
#pragma HLS INTERFACE m_axi port=a bundle=p
#pragma HLS INTERFACE m_axi port=b bundle=q
"""


def kernel(body: str, parameters: str = "int *a, int *b", ports: str = PORTS, local: str = "") -> str:
    """A function that does something beside its loop: the requests of a burst then stand outside of it."""
    return f"void f({parameters}, int *done) {{\n{ports}\n{local}\n{body} *done = 1;\n}}\n"


@pytest.mark.parametrize(
    ("tool", "text", "depth", "cycles"),
    [
        (  # HanderRi/AMD-Pervasive-AI: nests of 129 x 24 read element by element
            "vitis-2022.2",
            kernel("M: for (int i = 0; i < 129; i++) L: for (int j = 0; j < 24; j++) {\n#pragma HLS PIPELINE\n"
                   " m[i][j] = a[i][j]; }", "int a[129][24], int *b", local="int m[129][24];"),
            3,
            3097,
        ),
        (  # the same: a row stored
            "vitis-2022.2",
            kernel("L: for (int i = 0; i < 129; i++) {\n#pragma HLS PIPELINE\n b[i] = m[i]; }", local="int m[129];"),
            3,
            130,
        ),
        (  # the same: from port to port
            "vitis-2022.2",
            kernel("L: for (int i = 0; i < 24; i++) {\n#pragma HLS PIPELINE\n b[i] = a[i]; }"),
            3,
            25,
        ),
        (  # terenceza/AccelAutoencoderOnFPGA: into registers
            "vitis-2022.1",
            kernel("L: for (int i = 0; i < 600; i++) {\n#pragma HLS PIPELINE\n m[i] = a[i]; }",
                   local="int m[600];\n#pragma HLS ARRAY_PARTITION variable=m complete"),
            2,
            600,
        ),
    ],
)  # fmt: skip
def test_bursts_leave_the_data_in_the_iteration(tool, text, depth, cycles):
    found = next(x for x in result(text, tool=tool).loops if x.name in ("L", "M_L"))
    assert (found.ii, found.depth, found.latency.exact, found.depth_cause) == (1, depth, cycles, None)


@pytest.mark.parametrize(
    ("body", "ii", "why"),
    [
        ("b[i] = a[2 * i];", 1, "element by element"),
        ("b[i] = a[99 - i];", 1, "element by element"),
        ("b[a[i]] = i;", 1, "element by element"),
        ("b[i] = a[i] + a[i + 1];", 2, "element by element"),
        ("if (i % 3) b[i] = a[i];", 1, "under a condition"),
    ],
)
@pytest.mark.parametrize("tool", ["vitis-2022.1", "vitis-2024.1"])
def test_requests_that_may_stay_leave_the_depth_between_bounds_and_the_ii_known(body, ii, why, tool):
    """Between a load beside a store and the whole of a request, the data, a response and the states between them."""
    found = loop(kernel(f"L: for (int i = 0; i < 99; i++) {{\n#pragma HLS PIPELINE\n {body} }}"), tool=tool)
    assert (found.ii, found.cause, found.depth) == (ii, None, None)
    assert found.latency.min == 99 * ii and found.latency.max is not None
    assert found.latency.max - found.latency.min == sum(load(TargetOptions(tool=tool)).bus_states(None)) + 2
    assert why in (found.depth_cause or "")


@pytest.mark.parametrize(
    "target",
    [
        {"tool": "vitis-2020.2"},  # AndYmeisterrrrr/ESE532_hw7: a plain loop keeps the requests of its stores
        {"tool": "generic"},
        {"tool": "vitis-2022.1", "flow": "vitis"},
    ],
)
def test_tools_and_flows_whose_bursts_are_not_known(target):
    text = kernel("L: for (int i = 0; i < 98; i++) {\n#pragma HLS PIPELINE\n b[i] = a[i]; }")
    found = loop(text, **target)
    assert found.ii == 1 and found.depth is None and found.depth_cause


@pytest.mark.parametrize(
    ("tool", "body", "ii", "depth"),
    [
        # hungalab/ResNet-50_INT8: rows of 16, of words of 128 bits
        ("vivado-hls-2019.1", "for (int k = 0; k < 16; k++) m[k][i] = a[16 * i + k];", 16, 25),
        # Deadpoolmine/HITSZ-DLA, Sanjay4226/cnn_accelerator_fpga: nests, also where an iteration stores one element
        ("vivado-hls-2018.3", "b[8 * i + j] = a[8 * i + j];", 1, 15),
    ],
)
def test_vivado_hls_makes_no_burst_of_rows_and_nests(tool, body, ii, depth):
    nest = "" if "j" not in body else "for (int j = 0; j < 8; j++)"
    text = kernel(
        f"for (int i = 0; i < 99; i++) {nest} {{\n#pragma HLS PIPELINE\n {body} }}\n b[0] = m[3][5];",
        "ap_uint<128> *a, ap_uint<128> *b",
        local="ap_uint<128> m[16][99];\n#pragma HLS ARRAY_PARTITION variable=m dim=1 complete",
    )
    found = next(x for x in result('#include "ap_int.h"\n' + text, path="k.cpp", tool=tool).loops if x.pipelined)
    assert (found.ii, found.depth, found.depth_cause) == (ii, depth, None)


@pytest.mark.parametrize("bound", ["n", "n * m", "(n + 7) >> 3", "b[0]", "n && b[i]"])
def test_bounds_that_stay_leave_one_burst(bound):
    """whywhytellmewhy/SOC-design, Team-Diseno-de-Alto-Nivel/mp6160-riscv-dfs-accelerator, zhren711/fastvit_hls."""
    text = kernel(f"L: for (int i = 0; i < {bound}; i++) {{\n#pragma HLS PIPELINE\n c[i] = a[i]; }}\nb[1] = c[n];",
                  "int *a, int *b, int n, int m", local="int c[64];")  # fmt: skip
    found = loop(text, tool="vitis-2022.1")
    assert (found.depth is not None) == ("[" not in bound)


def test_other_widths_of_the_port_are_not_known():
    ports = PORTS.replace("bundle=p", "bundle=p max_widen_bitwidth=256")
    text = kernel("L: for (int i = 0; i < 98; i++) {\n#pragma HLS PIPELINE\n b[i] = a[i]; }", ports=ports)
    assert "width" in (loop(text).depth_cause or "")


@pytest.mark.parametrize(
    ("bound", "element", "known"),
    [
        ("n", "float", True),  # yfchinn/swan-kernel-cpp, fongtran17082003/FFT_HLS_SSR: lengths of run time
        ("97", "float", True),  # no whole words of two elements
        ("96", "float", False),
        ("96", "ap_uint<512>", True),  # UCLA-VAST/Prometheus: as wide as a port gets
        ("96", "ap_uint<256>", False),
    ],
)
def test_ports_that_nothing_widens_have_the_width_of_their_elements(bound, element, known):
    """UG1448, messages 214-234 and 214-353."""
    head = '#include "ap_int.h"\n' if "ap" in element else ""
    body = f"L: for (int i = 0; i < {bound}; i++) {{\n#pragma HLS PIPELINE\n b[i] = a[i]; }}"
    text = head + kernel(body, f"{element} *a, {element} *b, int n")
    (found,) = result(text, path="k.cpp", tool="vitis-2022.2", flow="vitis").loops
    assert (found.ii, found.depth is not None) == (1, known)


@pytest.mark.parametrize(
    ("tool", "flow", "body", "depth"),
    [
        ("vitis-2023.2", "vitis", "s.write(a[i]);", 74),  # UCLA-VAST/Prometheus, load_vA_for_task1
        ("vitis-2024.1", "vitis", "s.write(a[i]);", 74),  # tiagolascasas/heterogeneous-vitis-apps, read_input_1
        ("vitis-2023.2", "vitis", "b[i] = s.read();", 72),  # UCLA-VAST/Prometheus, store_vC_for_task0
        ("vitis-2024.2", "vivado", "s.write(a[i]);", 11),
        ("vitis-2022.2", "vivado", "s.write(a[i]);", None),
    ],
)
def test_a_loop_that_is_all_of_its_function_makes_its_requests_itself(tool, flow, body, depth):
    body = f"L: for (int i = 0; i < 97; i++) {{\n#pragma HLS PIPELINE\n {body} }}"
    text = kernel(body, "hls::stream<int> &s, int *a, int *b").replace("*done = 1;", "")
    (found,) = result('#include "hls_stream.h"\n' + text, path="k.cpp", tool=tool, flow=flow).loops
    assert found.ii == 1 and found.depth in (depth, depth and depth - 1)  # 17 stores: 72 of 15, 71 of two


@pytest.mark.parametrize(
    ("tool", "read", "depth"),
    [
        ("vivado-hls-2016.4", "volatile", 3),  # ikwzm/vivado-hls-axi-dma-read-failure: data of a port copied
        ("vivado-hls-2018.3", "", 3),  # zhaohaixu/SHA256-FPGA-HLS: the same, not volatile
        ("vitis-2022.1", "volatile", 3),  # Jui-Yu-Hsieh-053/AAHLS-113-2: 4, with a stream; a request would add 7
    ],
)
def test_plain_loops_and_volatile_arrays_make_bursts(tool, read, depth):
    body = "L: for (int i = 0; i < 99; i++) {\n#pragma HLS PIPELINE\n b[i] = a[i]; }"
    found = loop(kernel(body, f"{read} int *a, {read} int *b"), tool=tool)
    assert (found.ii, found.depth, found.depth_cause) == (1, depth, None)


def test_a_round_through_a_port_leaves_the_ii_unknown():
    text = kernel("L: for (int i = 1; i < 99; i++) {\n#pragma HLS PIPELINE\n a[i] = a[i - 1] + 1; }")
    found = loop(text)
    assert found.ii is None and found.bounds is not None and found.depth is None
    slower = loop(text, flow="vitis")
    assert slower.bounds is not None
    assert slower.bounds[0] == found.bounds[0] and slower.bounds[1] == found.bounds[1] + 2 * 63  # a latency of 64 for 0


def test_loops_and_functions_around_wait_for_requests():
    body = "O: for (int k = 0; k < 9; k++) { m[k] = a[k] * 3;\nL: for (int i = 0; i < 9; i++) {\n#pragma HLS PIPELINE\n"
    text = kernel(body + " b[i] = m[i] + k; } }", local="int m[9];")
    found = result(text + "void g(int x[9]) { for (int i = 0; i < 9; i++) x[i] = i; }\n")
    outer = next(x for x in found.loops if x.name == "O")
    inner = next(x for x in found.loops if x.name == "L")
    assert outer.depth is None and "no pipelined loop" in (outer.depth_cause or "") and inner.latency.max is not None
    request, response = load(TargetOptions()).bus_states(None)
    assert outer.latency.max >= 9 * (inner.latency.max + request + response) > 9 * inner.latency.max
    assert outer.latency.min >= 9 * inner.latency.min
    latencies = {x.name: x.latency for x in found.functions}
    assert latencies["f"].min < latencies["f"].max and latencies["g"].exact is not None
    assert any(f"latency of f {latencies['f'].min} to {latencies['f'].max}" in x for x in found.assumptions)


def test_a_copy_out_of_a_port_waits_for_its_requests_once():
    """Of published functions that copy N words (2023.2, Vitis flow) the latency is N + 74, and N + 72 of stores."""
    ports = "#pragma HLS INTERFACE m_axi port=a bundle=p\n"
    for words, body, more in ((125, "m[i] = a[i];", 74), (250, "a[i] = m[i];", 72)):
        text = f"void g(float *a, float m[{words}]) {{\n#pragma HLS INLINE off\n for (int i = 0; i < {words}; i++) {{\n"
        text += f"#pragma HLS PIPELINE\n {body} }} }}\nvoid f(float *a, float *y) {{\n{ports} float m[{words}];\n"
        text += f" g(a, m); for (int i = 0; i < {words}; i++) y[i] = m[i]; }}\n"
        found = result(text, top="f", tool="vitis-2023.2", flow="vitis")
        copy = next(x.latency for x in found.functions if x.name == "g")
        assert copy.min <= words + more <= copy.max <= words + more + 8


def test_ports_of_the_vitis_flow_are_one_bundle():
    text = "void f(int a[99], int b[99], int c[99]) {\nL: for (int i = 0; i < 99; i++) {\n#pragma HLS PIPELINE\n"
    found = loop(text + " c[i] = a[i] + b[i]; } }\n", flow="vitis")
    assert found.ii == 2 and found.limits[0].array == "m_axi gmem"


BANKS = """void f(int a[24][24], int b[24], int o[24]) {
#pragma HLS INTERFACE m_axi port=a bundle=g
#pragma HLS INTERFACE m_axi port=b bundle=g
#pragma HLS INTERFACE m_axi port=o bundle=h
%s
L: for (int i = 0; i < 24; i++) {
#pragma HLS PIPELINE
  int s = b[i];
  for (int j = 0; j < 24; j++) s += a[i][j];
  o[i] = s; } }
"""


def partitions(*asked: str) -> str:
    return "\n".join(f"#pragma HLS ARRAY_PARTITION variable={x}" for x in asked)


@pytest.mark.parametrize(
    ("asked", "ii", "bus"),
    [
        ((), 25, "m_axi g"),
        (("a cyclic factor=4 dim=2",), 6, "a"),  # b keeps the port of the bundle itself
        (("a cyclic factor=4 dim=2", "b cyclic factor=4"), 7, "m_axi g_0"),  # ports of equal numbers are one
        (("a cyclic factor=4 dim=2", "b cyclic factor=2"), 7, "m_axi g_0"),
        (("a cyclic factor=4 dim=1", "b cyclic factor=4"), 25, "m_axi g_0"),  # the bank changes with i
        (("a cyclic factor=3 dim=1", "a cyclic factor=4 dim=2", "b cyclic factor=4"), 6, "a"),  # g_0_0, beside g_0
        (("a complete dim=2", "b cyclic factor=2"), 2, "m_axi g_0"),
        (("a cyclic factor=4 dim=2", "a block factor=2 dim=2"), None, ""),  # they contradict each other
    ],
)
def test_banks_of_a_partitioned_array_have_ports_that_arrays_of_the_bundle_share(asked, ii, bus):
    """Tables of ports in reports of 2022.2; documents refuse such partitions, and so does validation."""
    found = loop(BANKS % partitions(*asked), tool="vitis-2022.2")
    assert found.ii == ii and (ii is None or found.limits[0].array == bus)


@pytest.mark.parametrize("tool", ["vitis-2022.1", "vitis-2023.2", "vitis-2024.2"])
def test_ports_of_banks_are_not_known_of_other_tools(tool):
    found = loop(BANKS % partitions("a cyclic factor=4 dim=2"), tool=tool)
    assert found.ii is None and found.bounds == (1, 25) and "port" in (found.cause or "")


@pytest.mark.parametrize("ports", [True, False])
def test_elements_that_unrolling_fixes_leave_ports_and_stay_in_memories(ports):
    """Reports of 2022.2: four loops that add to all of an m_axi array, unrolled; memories keep the accesses."""
    text = BANKS % "" if ports else BANKS.replace("#pragma HLS INTERFACE", "//") % ""
    found = loop(text.replace("o[i] = s;", "for (int j = 0; j < 24; j++) o[j] += s;"), tool="vitis-2022.2")
    assert found.limits[0].array == ("m_axi g" if ports else "o")
    assert not ports or found.ii == 25


TWO = PORTS.replace("bundle=q", "bundle=p")


@pytest.mark.parametrize(
    ("body", "ports", "ii", "depth"),
    [
        # UG1448, messages 214-224, 214-229 to 214-232; requests of 7 states, responses of 5 (`[axi]`), and these loops:
        ("m[i] = a[2 * i];", PORTS, 1, 10),  # column by column, tile by tile: state, request, data, store
        ("m[i] = a[m[i]];", PORTS, 1, 11),
        ("a[2 * i] = 0;", PORTS, 1, 8),  # state, request, data, response
        ("if (m[i]) b[i] = 0;", PORTS, 1, 8),
        ("a[i] = m[i]; b[i] = m[i];", TWO, 2, 9),  # two arrays of a bundle
        ("a[2 * i] = m[i]; a[2 * i + 1] = m[i];", PORTS, 2, 4),  # one burst all the same
        ("m[i] = a[2 * i] + a[2 * i + 1];", PORTS, 2, 4),
        ("m[i] = a[2 * i + 1] + a[2 * i];", PORTS, 2, 11),  # not in order
        ("a[i] = b[2 * i];", TWO, 1, 10),  # what is stored makes a burst, what is loaded does not
    ],
)
def test_requests_of_accesses_without_a_burst_are_part_of_the_iteration(body, ports, ii, depth):
    """csynth.rpt of 2022.2: 44 of 48 such loops of a public project have these states."""
    local = "int m[99];\n#pragma HLS BIND_STORAGE variable=m type=ram_2p"
    text = kernel(f"L: for (int i = 0; i < 99; i++) {{\n#pragma HLS PIPELINE\n {body} }}", ports=ports, local=local)
    found = loop(text, tool="vitis-2022.2", clock_ns=5.0)
    assert (found.ii, found.depth, found.depth_cause) == (ii, depth, None)


@pytest.mark.parametrize("tool", ["vitis-2022.1", "vitis-2022.2", "vitis-2024.2"])
def test_an_array_that_is_updated_in_place_may_wait_for_responses(tool):
    """UG1448 214-231: no burst. In reports the next request waits for the response, whatever the addresses."""
    text = kernel("L: for (int i = 0; i < 99; i++) {\n#pragma HLS PIPELINE\n a[i] = a[i] + 1; }")
    found = loop(text, tool=tool)
    assert found.ii is None and "loaded and stored" in (found.cause or "")
    assert found.bounds is not None and found.bounds[0] == 1 and 14 <= found.bounds[1] <= 20
    told = text.replace("#pragma HLS PIPELINE", "#pragma HLS PIPELINE\n#pragma HLS DEPENDENCE variable=a inter false")
    assert loop(told, tool=tool).ii == 1


@pytest.mark.parametrize(("n", "kind"), [(8, "int"), (20, "int"), (16, "float")])
def test_rows_that_are_updated_in_place(n, kind):
    """Reports of 2022.2 (three loops): a row of requests, loads, stores and the response, then the next iteration."""
    text = f"""void f({kind} a[99][{n}]) {{
#pragma HLS INTERFACE m_axi port=a bundle=g
PARTITION
L: for (int i = 0; i < 99; i++) {{
#pragma HLS PIPELINE
  for (int j = 0; j < {n}; j++) a[i][j] = a[i][j] + 1; }} }}
"""
    found = loop(text.replace("PARTITION", ""), tool="vitis-2022.2", clock_ns=5.0)
    assert found.ii == 7 + n + 1 + n + 5 and found.depth == found.ii + 1
    assert any(x.kind == "recurrence" and x.distance == 1 and x.ii == found.ii for x in found.limits)
    split = text.replace("PARTITION", "#pragma HLS ARRAY_PARTITION variable=a cyclic factor=4 dim=2")
    assert loop(split, tool="vitis-2022.2", clock_ns=5.0).ii == n // 4  # banks: addresses are seen apart


def test_elements_on_ports_of_banks_that_come_round():
    """One report: II 15 where the element of four iterations before is loaded again; bounds hold it."""
    text = """void f(int a[64], int b[64][64]) {
#pragma HLS INTERFACE m_axi port=a bundle=g
#pragma HLS INTERFACE m_axi port=b bundle=h
#pragma HLS ARRAY_PARTITION variable=a cyclic factor=4
L: for (int i = 0; i < 64; i++)
  for (int j = 0; j < 4; j++) {
#pragma HLS PIPELINE
    a[j] = a[j] + b[i][j]; } }
"""
    found = loop(text, "L_VITIS_LOOP_6_1", tool="vitis-2022.2")
    assert found.ii is None and found.bounds is not None
    assert found.bounds[0] <= 4 and found.bounds[1] >= 15


def test_rows_of_an_array_whose_rows_are_on_several_ports():
    text = """void row(int r[32], int o[32]) {
#pragma HLS INLINE off
  L: for (int j = 0; j < 32; j++) {
#pragma HLS PIPELINE
    o[j] = r[j] * 2 + r[j ^ 1]; } }
void g(int a[16][32], int o[16][32]) {
#pragma HLS INTERFACE m_axi port=a bundle=g
#pragma HLS INTERFACE m_axi port=o bundle=g
#pragma HLS ARRAY_PARTITION variable=a cyclic factor=2 dim=DIM
  for (int i = 0; i < 16; i++) row(a[i], o[i]); }
"""
    whole = loop(text.replace("#pragma HLS ARRAY", "//"), tool="vitis-2022.2")
    assert (whole.ii, whole.bounds) == (2, None)
    rows = loop(text.replace("DIM", "1"), tool="vitis-2022.2")  # which port a row has changes from call to call
    assert rows.ii is None and rows.bounds == (1, 2) and "port" in (rows.cause or "")
    columns = loop(text.replace("DIM", "2"), tool="vitis-2022.2")
    assert (columns.ii, columns.bounds) == (2, None)  # the bank of r[j ^ 1] is not fixed


def test_rows_of_a_run_time_stride_may_be_one_burst():
    """Reports of 2024.2: the request of `a[c * n + i]` stands ahead of the loop; a condition keeps it inside."""
    loops = (
        "C: for (int c = 0; c < 4; c++) L: for (int i = 0; i < 64; i++) {\n#pragma HLS PIPELINE II=1\n m[i] = GET; }"
    )
    text = kernel(loops, "int *a, int *b, int n", local="int m[64];")
    target = {"tool": "vitis-2024.2", "part": "xc7z020-clg400-1", "clock_ns": 7.0}
    (row,) = (x for x in result(text.replace("GET", "a[c * n + i]"), **target).loops if x.pipelined)
    assert row.depth is None and "run time" in (row.depth_cause or "")
    (kept,) = (x for x in result(text.replace("GET", "c < b[0] ? a[i] : 0"), **target).loops if x.pipelined)
    (product,) = (x for x in result(text.replace("GET", "c < b[0] ? a[c * n + i] : 0"), **target).loops if x.pipelined)
    assert kept.latency.max is not None and product.latency.max > kept.latency.max > 256 + 8


@pytest.mark.parametrize(
    ("body", "ii"),
    [
        ("if (b[i]) a[i] = 1; else a[i] = 0;", 1),
        ("if (b[i]) a[i] = 1; else if (i > 3) a[2 * i] = 0; else a[i + 1] = 2;", 1),
        ("if (b[i]) a[i] = 1; if (i > 3) a[2 * i] = 0;", 2),
        ("if (b[i]) { a[i] = 1; if (i > 3) a[2 * i] = 0; else a[i + 1] = 2; } else a[i] = 3;", 2),
    ],
)
def test_opposite_arms_share_a_bus(body, ii):
    """As they share the ports of a memory: the II is the most stores of a way through the iteration."""
    assert loop(kernel(f"L: for (int i = 0; i < 64; i++) {{\n#pragma HLS PIPELINE II=1\n {body} }}"), "L").ii == ii


@pytest.mark.parametrize("mode", ["m_axi port=a depth=64", "ap_memory port=a storage_type=ram_1p", "s_axilite port=a"])
def test_only_the_top_function_has_ports(mode: str) -> None:
    """INTERFACE of a called function is ignored (UG1399), so the local array that it is handed keeps its two ports."""
    text = (
        f"static void g(int a[64], int b[16]) {{\n#pragma HLS INTERFACE {mode}\n"
        "L: for (int i = 0; i < 16; i++) {\n#pragma HLS PIPELINE II=1\n"
        "b[i] = a[4 * i] + a[4 * i + 1] * a[4 * i + 2];\n}\n}\n"
        "void f(int x, int b[16]) {\nint t[64];\nfor (int i = 0; i < 64; i++) t[i] = x * i;\ng(t, b);\n}\n"
    )
    below, plain = (
        next(x for x in hlspart.parse(t).pipeline.figures.loops if x.name == "L")
        for t in (text, text.replace(f"#pragma HLS INTERFACE {mode}", ""))
    )
    assert (below.figure, below.cause, below.depth) == (plain.figure, plain.cause, plain.depth)
    assert below.figure == "1..2"  # whether the tool splits the local array is open


WIDE = """void f(float *m, float y[16][64]) {
#pragma HLS INTERFACE m_axi port=m offset=slave bundle=gmem
    L: for (int i = 0; i < 1024; i += 16) {
#pragma HLS PIPELINE
        for (int j = 0; j < 16; j++) y[j][i / 16] = m[i + j];
    }
}"""


@pytest.mark.parametrize(
    ("change", "flow", "bounds"),
    [
        (("", ""), "vitis", (1, 16)),  # a report of 2023.2 has II 1 for such rows
        (("", ""), "vivado", None),
        (("i += 16", "i += 8"), "vitis", None),  # rows that overlap
        (("m[i + j]", "m[i + 2 * j]"), "vitis", None),
        (("float *m", "volatile float *m"), "vitis", None),
    ],
)
def test_ports_that_may_be_as_wide_as_a_row(change, flow, bounds):
    text = WIDE.replace(*change).replace(
        "y[16][64]) {", "y[16][64]) {\n#pragma HLS ARRAY_PARTITION variable=y complete dim=1"
    )
    found = loop(text, tool="vitis-2023.2", flow=flow)
    assert found.bounds == bounds
    assert (found.ii is None) == (bounds is not None)
