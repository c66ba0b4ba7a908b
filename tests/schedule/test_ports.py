"""Memory ports: the II of accesses against storage, partition, unrolling, and what leaves the loop."""

import pytest
from predicting import loop, pipelined, result

THREE = "acc += A[i] + A[i - 1] + A[i - 2];"


def storage(kind: str, name: str = "A") -> str:
    return f"#pragma HLS INTERFACE ap_memory port={name} storage_type={kind}"


def partition(kind: str, name: str = "A") -> str:
    return f"#pragma HLS ARRAY_PARTITION variable={name} {kind}"


def test_three_loads_on_two_ports():
    """UG1399's own example: Target II 1, Final II 2, Depth 3, third load without a port."""
    text = """int f(int in[64]) {
    int mem[64]; int sum = 0;
    FILL: for (int i = 0; i < 64; i++) mem[i] = in[i];
    SUM_LOOP: for (int i = 2; i < 64; i++) {
#pragma HLS PIPELINE
        sum += mem[i] + mem[i - 1] + mem[i - 2];
    }
    return sum;
}
"""
    found = loop(text, "SUM_LOOP")
    assert (found.target_ii, found.ii, found.depth) == (1, 2, 3)
    limit = found.limits[0]
    assert (limit.kind, limit.array, limit.bank, limit.accesses, limit.ports, limit.lines) == (
        "memory-port", "mem", 0, 3, 2, (6,),
    )  # fmt: skip
    assert limit.witness is not None and 2 <= limit.witness["i"] < 64
    assert (
        "load 3 of 3, mem[i - 2] (line 6), finds no port: p0 by mem[i] (line 6), p1 by mem[i - 1] (line 6)"
        in limit.text
    )
    starts = sorted(s.start for s in found.schedule if s.operation == "mem load")
    assert starts == [0, 0, 1]


@pytest.mark.parametrize(
    ("pragmas", "static", "ideal"),
    [
        ("", 2, 2),
        (storage("ram_1p"), 3, 3),
        (storage("ram_s2p"), 3, 3),
        (storage("ram_t2p"), 2, 2),
        (storage("ram_1wnr"), 1, 1),
        (partition("complete"), 1, 1),
        (partition("cyclic factor=2"), 2, 1),
        (partition("cyclic factor=4"), 2, 1),
        (partition("block factor=4"), 2, 2),
        ("#pragma HLS INTERFACE s_axilite port=A", 3, 3),
        ("#pragma HLS INTERFACE m_axi port=A bundle=g", 3, 3),
    ],
)
def test_three_loads_under_storage_and_partition(pragmas, static, ideal):
    found = loop(pipelined(THREE, pragmas))
    assert (found.ii, found.resource_ii, found.ideal_ii) == (static, static, ideal)
    assert loop(pipelined(THREE, pragmas), bank_model="ideal").ii == ideal


def test_every_bank_of_every_memory_is_counted():
    pragmas = partition("cyclic factor=4") + "\n" + partition("cyclic factor=2", "B")
    body = "B[i] = A[4*i] + A[4*i+1] + A[4*i+4] + A[4*i+5] + A[4*i+8];"
    found = loop(pipelined(body, pragmas, "int A[1024], int B[128]"))
    # elements 4i, 4i+4 and 4i+8 are in bank 0, 4i+1 and 4i+5 in bank 1; B[i] alternates and holds a port of both
    assert [(x.array, x.bank, x.reads, x.writes, x.ports, x.ii) for x in found.banks] == [
        ("A", 0, 3, 0, 2, 2),
        ("A", 1, 2, 0, 2, 1),
        ("B", 0, 0, 1, 2, 1),
        ("B", 1, 0, 1, 2, 1),
    ]
    assert max(x.ii for x in found.banks) == found.resource_ii == 2


def test_a_limit_of_the_static_model_has_no_witness():
    assert loop(pipelined(THREE, partition("cyclic factor=2"))).limits[0].witness is None


@pytest.mark.parametrize(
    ("body", "pragmas", "ii"),
    [
        ("A[i] = A[i] + 1;", "", 1),
        ("A[i] = A[i] + 1;", storage("ram_1p"), 2),
        ("A[i] = A[i] + 1;", storage("ram_s2p"), 1),
        ("acc += A[i] + A[i - 1];", storage("ram_s2p"), 2),
        ("A[i] = x[i]; A[i - 1] = x[i - 1];", storage("ram_2p"), 2),
        ("acc += A[i] * A[i];", storage("ram_1p"), 1),
        ("A[i] = x[i]; A[i] = x[i] + 1;", storage("ram_1p"), 1),
        ("A[i] = x[i]; acc += A[i];", storage("ram_1p"), 1),
        ("acc += A[3] + A[5] + A[7];", storage("ram_1p"), 1),
        ("acc += x[i] > 0 ? A[i] : A[i - 1];", storage("ram_1p"), 1),
        ("if (x[i] > 0) acc += A[i]; if (x[i] > 3) acc += A[i - 1];", storage("ram_1p"), 2),
    ],
)
def test_ports_of_one_iteration(body, pragmas, ii):
    found = loop(pipelined(body, pragmas))
    assert (found.ii, found.cause) == (ii, None)


@pytest.mark.parametrize(
    ("unroll", "factor", "static"),
    [(2, 2, 1), (4, 4, 1), (4, 2, 2), (2, 1, 2), (4, 1, 4), (3, 2, 3), (3, 3, 1)],
)
def test_unrolled_reads_under_cyclic(unroll, factor, static):
    """Residues that can be told apart are those modulo gcd(unroll, factor)."""
    pragmas = storage("ram_s2p") + "\n" + (partition(f"cyclic factor={factor}") if factor > 1 else "")
    text = pipelined(
        f"\n#pragma HLS UNROLL factor={unroll}\n acc += A[i];", pragmas, header="for (int i = 0; i < 48; i++)"
    )
    found = loop(text)
    assert found.ii == static
    assert found.trip_count.exact == 48 // unroll


def test_unrolling_leaves_guarded_copies():
    text = pipelined("\n#pragma HLS UNROLL factor=4\n acc += A[i];", header="for (int i = 0; i < 10; i++)")
    assert loop(text).trip_count.exact == 3


def test_inner_loops_are_unrolled():
    text = """void f(int A[64], int y[8]) {
    L: for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE
        int s = 0;
        for (int j = 0; j < 8; j++) s += A[8 * i + j];
        y[i] = s;
    }
}
"""
    found = result(text).loops
    assert [(x.name, x.ii) for x in found] == [("L", 4)]
    cyclic = text.replace("{\n    L", "{\n#pragma HLS ARRAY_PARTITION variable=A cyclic factor=4\n    L")
    assert loop(cyclic).ii == 1


def test_run_time_bank_with_constant_offset_leaves_the_loop():
    """Block 4 of 16 reads x[4i+j]: the bank runs, the offset does not, so all reads are done before."""
    text = """void f(int x[16], int y[4]) {
#pragma HLS INTERFACE ap_memory port=x storage_type=ram_1p
#pragma HLS ARRAY_PARTITION variable=x block factor=4
    L: for (int i = 0; i < 4; i++) {
#pragma HLS PIPELINE
        y[i] = x[4 * i] + x[4 * i + 1] + x[4 * i + 2] + x[4 * i + 3];
    }
}
"""
    assert loop(text).ii == 1
    assert loop(text.replace("block", "cyclic")).ii == 1
    assert loop(text.replace("block factor=4", "cyclic factor=2")).ii == 2


def test_an_element_both_loaded_and_stored_becomes_a_register():
    text = pipelined("A[0] = A[0] + x[i];", storage("ram_1p"))
    assert (loop(text).ii, loop(text).resource_ii) == (1, 1)
    aliased = pipelined("A[0] = A[0] + A[i];", storage("ram_1p"))
    assert loop(aliased).ii == 3


def test_constant_tables_have_all_the_ports_they_need():
    text = "static const int T[64] = {1, 2, 3};\n" + pipelined("acc += T[i] + T[i - 1] + T[i - 2];")
    found = result(text)
    assert found.loops[0].ii == 1
    assert next(a for a in found.arrays if a.name == "T").storage == "rom_np"


@pytest.mark.parametrize(
    ("rest", "ii"),
    [
        ("return 0;", 1),  # nothing loads v: its store goes, and the three loads for it
        ("return v[x[0] & 7];", 2),
        ("int *p = v; return p[x[0] & 7];", 2),  # a pointer may load it
        ("return g(v);", 2),
    ],
)
def test_stores_that_nothing_loads_vanish_beside_others(rest, ii):
    """Reports of 2022.2 (three loops): a buffer that is filled and never used takes no port."""
    text = "int g(int w[64]) { return w[5]; }\nint f(int A[64], int x[64], int y[64]) {\n    int v[64];\n"
    text += "    L: for (int i = 2; i < 64; i++) {\n#pragma HLS PIPELINE\n"
    found = loop(text + f"        v[i] = A[i] + A[i - 1] + A[i - 2];\n        y[i] = x[i];\n    }}\n    {rest}\n}}\n")
    assert found.ii == ii
    alone = loop(text + "        v[i] = A[i] + A[i - 1] + A[i - 2];\n    }\n    return 0;\n}\n")
    assert alone.ii == 2  # what is all that a loop does is predicted as it stands


def test_jumps_end_with_their_own_loop():
    """A report of 2022.2: rows up to a break, an inner loop in each; loads under a part of the conditions serve all."""
    text = """void f(int h[60][8], int y[60][8], int c) {
L: for (int t = 1; t < 60; t += 4) {
#pragma HLS PIPELINE
    for (int i = 0; i < 4; i++) {
        if (t + i >= 60) break;
        for (int j = 0; j < 2; j++) if (c > j) y[t + i][j] = h[t + i][j] - h[t + i - 1][j]; } } }
"""
    found = loop(text)
    assert [(x.array, x.reads, x.writes) for x in found.banks] == [("h", 10, 0), ("y", 0, 8)]
    late = text.replace("t + i >= 60", "t + i >= 30")  # any of them may be the first that is skipped
    skipped = loop(late.replace("break", "continue"))  # nothing says that one is skipped where the last one was
    assert next((x.array, x.reads) for x in skipped.banks) == ("h", 16)


def test_m_axi_arrays_share_their_bundle():
    axi = "#pragma HLS INTERFACE m_axi port=A bundle=g\n#pragma HLS INTERFACE m_axi port=x bundle="
    assert loop(pipelined("acc += A[i] + x[i];", axi + "g")).ii == 2
    assert loop(pipelined("acc += A[i] + x[i];", axi + "h")).ii == 1


def test_calls_are_seen_through():
    text = """static int pick(int B[64], int k) { return B[k] + B[k - 1]; }
int f(int A[64]) {
    int acc = 0;
    L: for (int i = 4; i < 64; i++) {
#pragma HLS PIPELINE
        acc += pick(A, i) + pick(A, i - 2);
    }
    return acc;
}
"""
    found = loop(text)
    assert (found.ii, found.cause) == (2, None)
    assert found.limits[0].array == "A"


def test_pipelined_function():
    text = """void f(int A[8], int y[1]) {
#pragma HLS PIPELINE II=2
    int s = 0;
    for (int i = 0; i < 8; i++) s += A[i];
    y[0] = s;
}
"""
    found = result(text).loops
    assert [(x.name, x.target_ii, x.ii) for x in found] == [("f", 2, 4)]


def test_array_results():
    text = """void f(int in[64], int out[64]) {
    short big[3000]; int cut[64]; int few[3];
#pragma HLS ARRAY_PARTITION variable=cut cyclic factor=4
#pragma HLS BIND_STORAGE variable=big type=ram_1p
    L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
        big[i] = in[i]; cut[i] = in[i]; few[i % 3] = in[i]; out[i] = big[i] + cut[i] + few[i % 3];
    }
}
"""
    arrays = {a.name: a for a in result(text).arrays}
    assert (arrays["big"].storage, arrays["big"].ports, arrays["big"].bram18k) == ("ram_1p", 1, 3)
    assert (arrays["cut"].banks, arrays["cut"].bank_depths, arrays["cut"].bram18k) == (4, (16,) * 4, 0)
    assert (arrays["few"].storage, arrays["few"].auto, arrays["few"].registers) == ("registers", True, 96)
    assert arrays["in"].storage == "ap_memory"


IN_PLACE = "A[x[i]] = A[x[i]] + 1;"


@pytest.mark.parametrize(
    ("body", "pragmas", "hint", "written"),
    [
        (
            IN_PLACE, "", "#pragma HLS dependence variable=A type=inter dependent=false: recurrences then allow II 1",
            "#pragma HLS dependence variable=A type=inter dependent=false",
        ),
        (
            "acc += A[i] * x[i] + x[i] * 11;", "#pragma HLS ALLOCATION operation instances=mul limit=1",
            "an ALLOCATION limit of 2 on mul: II 1", "#pragma HLS ALLOCATION operation instances=mul limit=2",
        ),
    ],
)  # fmt: skip
def test_hints_of_all_kinds_hold_as_written(body, pragmas, hint, written):
    text = pipelined(body, pragmas)
    found = loop(text)
    assert (found.limits[0].hint or "").endswith(hint)
    kept = pragmas.replace("limit=1", "limit=2")
    again = loop(pipelined(f"\n{written}\n{body}" if "dependence" in written else body, kept))
    assert again.ii == 1


def test_a_loop_that_takes_long_to_predict_is_not_predicted_again_for_hints(monkeypatch):
    hinted = loop(pipelined(IN_PLACE))
    monkeypatch.setattr("hlspart.predict.function.HINTED", -1)
    plain = loop(pipelined(IN_PLACE))
    assert hinted.limits[0].hint is not None and plain.limits[0].hint is None
    assert (plain.ii, plain.limits[0].ii) == (hinted.ii, hinted.limits[0].ii)


def test_hints_beyond_ports():
    """A limit on units may be raised; what a rewrite would have to write is no hint."""
    chain = loop(pipelined("acc = acc / (x[i] + x[i - 1] + x[i - 2]);"))
    assert [(x.kind, x.ii > 2) for x in chain.limits] == [("recurrence", True), ("memory-port", False)]
    assert chain.limits[1].hint is None
    shared = loop(
        pipelined("acc += A[i] * x[i] + A[i] * 11;", "#pragma HLS ALLOCATION operation instances=mul limit=1")
    )
    assert (shared.ii, shared.limits[0].hint) == (2, "an ALLOCATION limit of 2 on mul: II 1")


def test_no_hint_without_a_miss():
    assert loop(pipelined("acc += A[i];")).limits == ()


def test_a_pointer_to_an_array_has_the_ports_of_its_memory():
    """Three words of one memory through pointers without extents: two ports, so two cycles."""
    text = """static int three(const int *v, int n) {
    int s = 0;
    L: for (int i = 0; i < n; i++) {
#pragma HLS PIPELINE II=1
        s += v[i] + v[i + 1] + v[i + 2];
    }
    return s;
}
int f(const int in[64]) {
    int m[64];
    for (int i = 0; i < 64; i++) m[i] = in[i];
    return three(m, 60) + three(&m[2], 60);
}
"""
    found = loop(text)
    assert found.ii == found.resource_ii == 2
    assert [(x.array, x.accesses, x.ports) for x in found.limits] == [("v", 3, 2)]


FOUR = """void f(const int in[64], int out[16]) {
    int m[64];
    for (int i = 0; i < 64; i++) m[i] = in[i];
    SUM: for (int i = 0; i < 16; i++) {
PRAGMA
        out[i] = m[4 * i] + m[4 * i + 1] + m[4 * i + 2] + m[4 * i + 3];
    }
}
"""


TWICE = "{ m[i] = in[i]; m[63 - i] = in[i]; }"


def test_local_arrays_may_be_partitioned_by_the_tool():
    """Messages 214-270: for loops with a PIPELINE pragma (2022.2), for all (2022.1, 2024.1), in 2020 for none."""

    def four(tool: str, pragma: str = "#pragma HLS PIPELINE", text: str = FOUR):
        found = loop(text.replace("PRAGMA", pragma), "SUM", tool=tool)
        return found.ii if found.ii is not None else found.bounds

    assert four("vitis-2022.1") == (1, 2)
    assert four("vitis-2022.1", "#pragma HLS PIPELINE II=2") == 2
    twice = FOUR.replace("m[i] = in[i]", TWICE)  # else copies serve the reads
    assert four("vitis-2024.2", "", twice) == (1, 2)
    assert four("vitis-2022.1", "", twice) == (1, 2)  # a report of 2022.1.2: a pool of four at II 1
    assert four("vitis-2022.2", "", twice) == four("vitis-2020.2", text=twice) == four("vivado-hls-2016.4") == 2
    assert four("vitis-2020.2") == 1  # copies
    # no cyclic factor keeps elements apart whose places differ by what is not constant
    assert four("vitis-2022.1", text=twice.replace("4 * i", "i")) == 2
    assert four("vitis-2022.1", "#pragma HLS PIPELINE\n#pragma HLS BIND_STORAGE variable=m type=ram_2p") == 2


def test_automatic_partitions_can_be_switched_off():
    text = FOUR.replace("PRAGMA", "#pragma HLS PIPELINE").replace("m[i] = in[i]", TWICE)
    off = (("syn.array_partition.throughput_driven", "off"),)
    assert loop(text, "SUM", tool="vitis-2022.1", settings=off).ii == 2


REGION = """void copy(float a[64], float out[64]) {
    COPY: for (int i = 0; i < 64; i++) {
#pragma HLS UNROLL factor=4
        out[i] = a[i];
    }
}
void fold(float a[64], float out[64]) {
    FOLD: for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE
        out[i] = a[i] - a[63 - i];
    }
}
void top(float a[64], float b[64], float one[64], float two[64]) {
    REGION
    copy(a, one);
    fold(OTHER, two);
}
"""


@pytest.mark.parametrize(
    ("region", "other", "copy", "fold"),
    [
        ("#pragma HLS DATAFLOW", "a", 4, 2),  # a port each
        ("#pragma HLS DATAFLOW", "b", 2, 1),
        ("", "a", 2, 1),  # one after the other
    ],
)
def test_processes_that_run_at_once_divide_the_ports_of_an_argument(region, other, copy, fold):
    text = REGION.replace("REGION", region).replace("OTHER", other)
    assert loop(text, "COPY", tool="vitis-2022.2").ii == copy
    assert loop(text, "FOLD", tool="vitis-2022.2").ii == fold


@pytest.mark.parametrize(
    ("calls", "bounds"),
    [
        ("copy(a, one); copy(a, two); fold(a, three);", (1, 2)),  # three on two ports
        ("copy(one, a); fold(a, two);", (1, 2)),  # one of them stores
    ],
)
def test_how_ports_are_divided_otherwise_is_not_known(calls, bounds):
    text = REGION[: REGION.index("void top")] + (
        f"void top(float a[64], float one[64], float two[64], float three[64]) {{\n#pragma HLS DATAFLOW\n{calls}\n}}\n"
    )
    found = loop(text, "FOLD", tool="vitis-2022.2")
    assert (found.ii, found.bounds) == (None, bounds)
    assert "processes that run at once" in found.cause


def test_arrays_inside_a_region_keep_their_ports():
    text = REGION[: REGION.index("void top")] + (
        "void top(float a[64], float two[64]) {\n#pragma HLS DATAFLOW\nfloat t[64];\ncopy(a, t); fold(t, two);\n}\n"
    )
    assert loop(text, "FOLD", tool="vitis-2022.2").ii == 1


def test_what_a_process_declares_is_its_own_in_each_call():
    """Two calls are two instances with a memory each (reports of a video pipeline and of integrators)."""
    text = """void twice(float a[64], float out[64]) {
    float t[64];
    FILL: for (int i = 0; i < 64; i++) t[i] = a[i];
    FOLD: for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE
        out[i] = t[i] - t[63 - i];
    }
}
void top(float a[64], float b[64], float one[64], float two[64]) {
#pragma HLS DATAFLOW
    twice(a, one);
    twice(b, two);
}
"""
    assert loop(text, "FOLD", tool="vitis-2022.2").ii == 1


def test_a_scalar_at_an_axi_lite_port_is_a_register():
    """UG1399: arrays are memories of the adapter, scalars registers. A report (2019.1): II 5, as its adder."""
    text = """void f(float x, float *s) {
#pragma HLS INTERFACE s_axilite port=s
    *s = 0;
    L: for (int i = 0; i < 21; i++) {
#pragma HLS PIPELINE II=4
        SUM
    }
}
"""
    where = {"tool": "vivado-hls-2019.1", "part": "xc7a100t-csg324-1"}
    assert loop(text.replace("SUM", "*s += x;"), **where).ii == 5
    assert (loop(text.replace("SUM", "s[i] += x;"), **where).ii or 0) > 1  # a memory of one port


@pytest.mark.parametrize(
    ("step", "width", "banks", "test", "tool", "said"),
    [
        (13, 13, 15, "", "2023.2", 1),
        (13, 13, 15, "", "2024.1", (1, 7)),
        (13, 13, 15, "if (i * 13 + k < 380) ", "2023.2", (1, 7)),
        (16, 16, 80, "", "2023.2", 1),
        (4, 4, 20, "", "2021.1", 1),
        (16, 16, 10, "", "2023.2", (4, 8)),
        (16, 16, 10, "if (i * 16 + k < 470) ", "2023.2", (4, 8)),
    ],
)
def test_stores_that_never_meet_at_banks_by_a_remainder(step, width, banks, test, tool, said):
    """Reports of two repositories (2023.2): II 1 where each store has a bank of its own, else that of all banks.

    The step divides the number of banks in 40 loops (2021.1, too): the remainder is a multiple of the step and a
    constant. Constant distances alone tell the banks in 16 loops of 2023.2; 53 with conditions have II 8.
    """
    text = f"""void f(float in[16], float out[1024]) {{
    float x[1024];
#pragma HLS ARRAY_PARTITION variable=x cyclic factor={banks}
    L: for (int i = 0; i < 30; i++) {{
#pragma HLS PIPELINE II=1
        for (int k = 0; k < {width}; k++) {test}x[i * {step} + k] = 0;
    }}
    READ: for (int i = 0; i < 1024; i++) out[i] = x[i];
}}
"""
    found = loop(text, tool=f"vitis-{tool}")
    assert (found.ii or found.bounds) == said


@pytest.mark.parametrize(
    ("tool", "loads", "stores", "ii", "bounds"),
    [
        ("vivado-hls-2017.1", 6, 6, None, (6, 9)),  # chl218/DCNN-on-FPGA: 54 for 36 and 36
        ("vivado-hls-2017.1", 0, 6, None, (3, 6)),  # the same: 12 for 12
        ("vivado-hls-2017.1", 6, 1, 4, None),
        ("vivado-hls-2018.3", 6, 6, 6, None),
    ],
)
def test_stores_may_have_a_memory_of_two_ports_alone(tool, loads, stores, ii, bounds):
    taken = " + ".join(f"m[16 * i + {k}]" for k in range(loads)) or "1"
    given = "".join(f" m[16 * i + {k + 8}] = x + {k};" for k in range(stores))
    text = f"void f(int m[1024]) {{\n L: for (int i = 0; i < 64; i++) {{\n#pragma HLS PIPELINE\n int x = {taken};"
    found = loop(f"{text}{given} }}\n}}\n", tool=tool)
    assert (found.ii, found.bounds) == (ii, bounds)
