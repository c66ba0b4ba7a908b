"""Recurrences through registers and memory, their distances, DEPENDENCE, and what stays unknown."""

import re

import pytest
from predicting import loop, pipelined, result


@pytest.mark.parametrize(
    ("body", "ii", "distance"),
    [
        ("A[i] = A[i - 1] + x[i];", 2, 1),
        ("A[i] = A[i - 2] + x[i];", 1, None),
        ("A[i] = A[i - 4] + x[i];", 1, None),
        ("A[i] = x[i] / A[i - 1];", 37, 1),
        ("A[i] = x[i] / A[i - 4];", 10, 4),
        ("A[2 * i - 8] = A[2 * i - 9] + x[i];", 1, None),
    ],
)
def test_through_memory(body, ii, distance):
    found = loop(pipelined(body, parameters="int A[128], int x[64]"))
    assert (found.ii, found.recurrence_ii, found.cause) == (ii, ii, None)
    if distance is not None:
        limit = found.limits[0]
        assert (limit.kind, limit.variable, limit.distance) == ("recurrence", "A", distance)


FLOAT = "float A[64], float x[64], float s"


@pytest.mark.parametrize(
    ("target", "ii"),
    [
        ({}, 3),
        ({"part": "xc7z020clg484-1", "tool": "vivado-hls-2016.4"}, 5),
        ({"part": "xcvu9p-flga2104-2-i", "clock_ns": 4.0}, 6),
    ],
)
def test_float_accumulation_takes_the_latency_of_its_adder(target, ii):
    text = f"""float f({FLOAT}) {{
    L: for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE
        s += x[i];
    }}
    return s;
}}
"""
    found = loop(text, **target)
    assert found.ii == ii
    assert (found.limits[0].kind, found.limits[0].variable, found.limits[0].lines) == ("recurrence", "s", (4,))


def test_chains_of_carried_additions():
    text = pipelined("s += x[i]; s += A[i];", parameters=FLOAT).replace("return acc", "return s")
    assert loop(text).ii == 8  # two additions of four states each


def test_over_a_flattened_loop():
    """y[j] returns after 16 iterations: load, addition and store have time."""
    text = """void f(float y[16], float A[16][16]) {
    O: for (int i = 0; i < 16; i++) {
        L: for (int j = 0; j < 16; j++) {
#pragma HLS PIPELINE
            y[j] += A[i][j];
        }
    }
}
"""
    found = loop(text, "O_L")
    assert (found.ii, found.flattened, found.trip_count.exact) == (1, ("O", "L"), 256)
    narrow = text.replace("j < 16", "j < 4")
    assert loop(narrow, "O_L").ii == 2  # six states over a distance of four
    off = text.replace("PIPELINE", "PIPELINE\n#pragma HLS LOOP_FLATTEN off")
    assert loop(off, "L").ii == 1
    assert loop(off, "L").flattened == ()


@pytest.mark.parametrize(
    ("pragma", "ii"),
    [
        ("#pragma HLS DEPENDENCE variable=A inter false", 1),
        ("#pragma HLS DEPENDENCE variable=A type=inter dependent=false", 1),
        ("#pragma HLS DEPENDENCE variable=A type=inter direction=RAW dependent=false", 1),
        ("#pragma HLS DEPENDENCE variable=A inter RAW distance=2 true", 1),
        ("#pragma HLS DEPENDENCE variable=x inter false", 2),
        ("#pragma HLS DEPENDENCE variable=A intra false", 2),
        ("#pragma HLS DEPENDENCE variable=A type=inter direction=WAR dependent=false", 2),
    ],
)
def test_dependence_pragmas(pragma, ii):
    assert loop(pipelined(f"\n{pragma}\nA[i] = A[i - 1] + x[i];")).ii == ii


def test_an_update_at_a_place_that_data_choose_may_be_of_the_last_one():
    """UG1399, histograms: II 2; a report of 2023.2 has II 8 for four updates in an iteration."""
    assert loop(pipelined("A[x[i]] += 1;")).ii == 2
    promised = pipelined("\n#pragma HLS DEPENDENCE variable=A inter false\nA[x[i]] += 1;")
    assert loop(promised).ii == 1


def test_stores_at_places_that_data_choose_leave_bounds():
    """Of two stores in an iteration no report says whether the tool keeps them in order over iterations."""
    result = loop(pipelined("A[x[i]] = i; A[x[i + 1]] = 1;"))
    assert (result.ii, result.depth, result.confidence, result.bounds) == (None, None, "unknown", (1, 2))
    assert "depends on data" in (result.cause or "")


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ("for (int j = 0; j < i; j++) acc += A[j];", "must be unrolled"),
        ("acc += unknown(A[i]);", "not given"),
    ],
)
def test_what_cannot_be_analysed_is_unknown_with_its_cause(body, word):
    text = "int unknown(int);\n" + pipelined(body)
    found = loop(text)
    assert found.ii is None
    assert word in (found.cause or "")


def test_a_plain_loop_has_latency_only():
    text = pipelined("acc += A[i];").replace("PIPELINE II=1", "PIPELINE off")
    found = loop(text)
    assert (found.pipelined, found.target_ii, found.ii, found.limits) == (False, None, None, ())
    assert (found.depth, found.latency.exact) == (2, 120)


@pytest.mark.parametrize(("trip", "auto"), [(100, True), (64, True)])
def test_innermost_loops_are_pipelined_by_the_tool_and_marked(trip, auto):
    text = f"void f(int A[128]) {{ L: for (int i = 0; i < {trip}; i++) A[i] = i; }}"
    found = loop(text)
    assert (found.pipelined, found.origin, found.target_ii, found.ii) == (auto, "auto", None, 1)
    old = loop(text, tool="vivado-hls-2016.4", part="xc7z020")
    assert (old.pipelined, old.ii) == (False, None)


def test_cost_and_figures_do_not_depend_on_trip_counts():
    small = pipelined("A[i] = A[i - 1] + A[i - 2];", parameters="int A[64]")
    large = small.replace("64", str(1 << 20))
    a, b = loop(small), loop(large)
    assert (a.ii, a.depth, a.recurrence_ii) == (b.ii, b.depth, b.recurrence_ii)
    assert b.trip_count.exact == (1 << 20) - 4


def test_latency_adds_up():
    text = """void f(int A[64], int B[64]) {
    I: for (int t = 0; t < 10; t++) {
#pragma HLS PIPELINE off
        L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
            B[i] = A[i] + t;
        }
    }
}
"""
    inner, outer = loop(text, "L"), loop(text, "I")
    assert inner.latency.exact == 63 + (inner.depth or 0) - 1
    assert outer.latency.exact is not None and inner.latency.exact is not None
    assert outer.latency.exact == 10 * (outer.depth or 0)
    assert (outer.depth or 0) > inner.latency.exact


@pytest.mark.parametrize(
    ("body", "ii"),
    [
        ("if (x[i] > 0) s += x[i];", 3),
        ("if (x[i] > 0) s += x[i]; else s += A[i];", 3),
        ("float t; if (x[i] > 0) t = x[i]; else t = A[i]; s += t;", 3),
        ("float t = 0; if (x[i] > 0) t = x[i]; s += t;", 3),
        ("s = x[i] > 0 ? s + x[i] : s;", 3),
        ("s = x[i];", 1),
        ("if (x[i] > 0) continue; s += x[i];", 3),
    ],
)
def test_conditional_accumulation(body, ii):
    """A variable is read in the state that writes it, also when it is selected on its way around (public reports)."""
    found = loop(pipelined(body, parameters=FLOAT).replace("return acc", "return s").replace("int f(", "float f("))
    assert (found.ii, found.cause) == (ii, None)


MATMUL = """void f(float A[100][100], float B[100][100], float C[100][100]) {
    I: for (int i = 0; i < 100; i++)
        J: for (int j = 0; j < 100; j++) {
            BEFORE
            K: for (int k = 0; k < 100; k++) {
#pragma HLS PIPELINE
                BODY
            }
            AFTER
        }
}
"""


@pytest.mark.parametrize(
    ("before", "body", "after"),
    [
        ("float s = 0;", "s += A[i][k] * B[k][j];", "C[i][j] = s;"),
        ("C[i][j] = 0;", "C[i][j] += A[i][k] * B[k][j];", ""),
        ("C[i][j] = 0;", "C[i][j] += A[i][k] * B[k][j];", "C[i][j] *= 0.5f;"),
    ],
)
def test_flattening_over_statements_by_tool_version(before, body, after):
    """2022.1 keeps such nests apart; later versions flatten them, and resetting the sum costs a selection."""
    text = MATMUL.replace("BEFORE", before).replace("BODY", body).replace("AFTER", after)
    early, late = loop(text, "K"), loop(text, "I_J_K", tool="vitis-2022.2")
    assert (early.ii, early.recurrence_ii) == (3, 3)
    assert (late.ii, late.trip_count.exact) == (4, 100**3)
    assert late.limits[0].kind == "recurrence"


def test_flattening_over_a_load():
    text = """void f(float A[100][100], float x[100], float y[100]) {
    I: for (int i = 0; i < 100; i++) {
        float t = x[i];
        J: for (int j = 0; j < 100; j++) {
#pragma HLS PIPELINE
            y[j] = y[j] + A[i][j] * t;
        }
    }
}
"""
    assert loop(text, "I_J").ii == 1
    assert loop(text, "J", tool="vivado-hls-2016.4", part="xc7z020").ii == 1


@pytest.mark.parametrize(
    ("header", "body", "ii", "bounds"),
    [
        ("while (acc < 1000)", "acc = acc * 3 + 1;", 1, None),  # decided in the first state
        ("do", "acc = acc * 8 + 1;", 1, None),  # decided in the state that makes the next value
        ("while (A[acc] > 0)", "acc++;", None, (1, 2)),  # loaded in two states, then tested
        ("for (int i = 0; i < 64; i++)", "if (A[i] == 0) break; acc += i;", None, (1, 2)),
        ("for (int i = 0; i < 64; i++)", "if (A[i] == 0) return i; x[i] = A[i] + 1;", None, (1, 2)),
        ("for (int i = 0; i < 64; i++)", "x[i] = i; if (acc == 9) break; acc += 2;", 1, None),
        ("for (int i = 0; i < 64 && acc < 9; i++)", "acc += 2;", 1, None),
        ("for (int i = 0; i < 64; i++)", "if (x == 0) break; acc += 2;", 1, None),  # decided before the loop
    ],
)
def test_the_next_iteration_waits_for_the_exit_test(header, body, ii, bounds):
    text = pipelined(body, header=header)
    if header == "do":
        text = text.replace("acc * 8 + 1;\n    }", "acc * 8 + 1;\n    } while (acc != 5);")
    found = loop(text)
    assert (found.ii, found.bounds) == (ii, bounds)
    assert (found.cause is None) == (ii is not None)
    assert bounds is None or (found.limits[0].kind, found.limits[0].variable) == ("recurrence", "exit of L")


def test_a_cycle_takes_more_states_than_the_ii_below_has() -> None:
    """Two comparisons and their choices do not fit a state, and go on into a second one."""
    found = loop("""void f(int A[16], int B[8]) {
#pragma HLS ARRAY_PARTITION variable=B complete
    L: for (int i = 0; i < 16; i++) {
#pragma HLS PIPELINE
        int item = A[i];
        for (int j = 7; j > 0; j--) {
            int t = item;
            if (B[j - 1] > item) t = B[j - 1];
            else item = B[j - 1];
            B[j] = t;
        }
    }
}
""")
    (limit,) = [x for x in found.limits if x.kind == "recurrence"]
    assert found.ii == 2
    assert (limit.latency, limit.distance) == (2, 1) and "takes 2 states, 1 iteration apart" in limit.text


def test_a_long_recurrence_is_not_spelt_out():
    """Each of 16 elements is made of the one before, in one memory; `--explain` has all of it."""
    text = pipelined("for (int t = 15; t > 0; t--) A[t] = A[t - 1] + A[(i + t) & 15];")
    (limit,) = (x for x in loop(text).limits if x.kind == "recurrence")
    assert limit.text.count("->") == 10 and re.search(r"-> \d\d more ->", limit.text)


SORTED = """void sort(unsigned short w[48], unsigned short e[48]) {
#pragma HLS INLINE off
    bool done = false;
    L: while (!done) {
#pragma HLS PIPELINE
        done = true;
        for (int i = 0; i < 24; i++) {
            if (w[2 * i] > w[2 * i + 1]) { done = false; e[2 * i] = w[2 * i + 1]; e[2 * i + 1] = w[2 * i]; }
            else { e[2 * i] = w[2 * i]; e[2 * i + 1] = w[2 * i + 1]; }
        }
        for (int j = 0; j < 23; j++) {
            if (e[2 * j + 1] > e[2 * j + 2]) { done = false; w[2 * j + 1] = e[2 * j + 2]; w[2 * j + 2] = e[2 * j + 1]; }
            else { w[2 * j + 1] = e[2 * j + 1]; w[2 * j + 2] = e[2 * j + 2]; }
        }
        w[0] = e[0];
        w[47] = e[47];
    }
}
void f(unsigned short in[48], unsigned short out[48]) {
    unsigned short w[48], e[48];
#pragma HLS ARRAY_PARTITION variable=w complete
#pragma HLS ARRAY_PARTITION variable=e complete
    for (int i = 0; i < 48; i++) w[i] = in[i];
    sort(w, e);
    for (int i = 0; i < 48; i++) out[i] = w[i];
}
"""


def test_arms_that_set_a_flag_and_elements() -> None:
    """One state for a whole round of exchanges, as a report of 2019.2 has it (teozax/fishery, 200 elements)."""
    target = {"tool": "vivado-hls-2019.2", "part": "xczu9eg-ffvb1156-2-e", "clock_ns": 10.0}
    (found,) = (x for x in result(SORTED, top="f", path="k.cpp", **target).loops if x.name == "L")
    assert (found.ii, found.depth) == (1, 1)


@pytest.mark.parametrize(
    ("arm", "said"),
    [
        ("if (A[i] != x[k]) ok = false;", "ok = ok && !(A[i] != x[k]);"),
        ("if (A[i] == x[k]) ok = ok; else ok = false;", "ok = ok && A[i] == x[k];"),
        ("if (A[i] == x[k]) ok = true;", "ok = ok || A[i] == x[k];"),
        ("if (A[i] == x[k]) ok = ok; else ok = true;", "ok = ok || !(A[i] == x[k]);"),
        ("ok = A[i] == x[k] ? ok : false;", "ok = ok && A[i] == x[k];"),
    ],
)
def test_an_arm_that_sets_a_flag_is_logic(arm: str, said: str) -> None:
    """Forty tests take as long as flag as they do in one expression: a tree."""
    text = """void f(int A[64], int x[40], bool out[64]) {
#pragma HLS ARRAY_PARTITION variable=x complete
    L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
        bool ok = A[i] > 3;
        for (int k = 0; k < 40; k++) { %s }
        out[i] = ok;
    }
}
"""
    one, other = (
        next(x for x in result(text % body, path="k.cpp", clock_ns=5.0).loops if x.name == "L") for body in (arm, said)
    )
    assert one.ii == other.ii == 1 and one.depth is not None and other.depth is not None
    assert abs(one.depth - other.depth) <= 1 and one.depth <= 4


def test_units_outside_of_modules():
    """2025.2: loops of a function may share an adder outside of their modules, a state further (a report: II 6)."""
    sums = "".join(
        f"    float s{k} = 0;\n    L{k}: for (int i = 0; i < 64; i++) s{k} += a[i];\n    o[{k}] = s{k};\n"
        for k in (0, 1)
    )
    one = sums[: sums.index("    float s1")]
    target = {"part": "xc7z020clg484-1", "clock_ns": 10.0}
    for tool, text, expected in (
        ("vitis-2025.2", sums, [(None, (4, 6), None)] * 2),
        ("vitis-2025.2", one, [(4, None)]),
        ("vitis-2024.2", sums, [(4, None)] * 2),
    ):
        found = result(f"void f(float a[64], float o[2]) {{\n{text}}}\n", tool=tool, **target).loops
        assert [(x.ii, x.bounds, x.depth)[: 3 if x.ii is None else 2] for x in found] == expected


@pytest.mark.parametrize(("said", "ii"), [("", 2), ("#pragma HLS DEPENDENCE variable=a inter false", 1)])
def test_what_a_body_says_of_dependences_holds_in_the_loop_that_it_becomes_a_part_of(said, ii):
    """A random number generator of xf_fintech says so of its tables in the function that a loop calls: II 1."""
    text = f"""int next(int a[64], int at) {{
#pragma HLS INLINE
{said}
    int x = a[at];
    a[at ^ 5] = x + 1;
    return x;
}}
void f(int at[64], int out[64]) {{
    int a[64];
    for (int i = 0; i < 64; i++) a[i] = i;
    L: for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE
        out[i] = next(a, at[i]);
    }}
}}
"""
    assert loop(text, "L", tool="vitis-2021.2").ii == ii


def test_what_a_method_says_of_a_member_is_said_of_the_member():
    """With spaces around ``=``, as the same generator writes it; the object is handed to a function by reference."""
    text = """struct G {
    int head, a[512];
    int next() {
#pragma HLS INLINE
#pragma HLS DEPENDENCE variable = a inter false
        int x = a[head];
        head = head + 7;
        a[head & 511] = x + 1;
        return x;
    }
};
void run(G &g, int out[64]) {
    L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
        out[i] = g.next();
    }
}
void f(int n, int out[64]) {
    G g;
    g.head = n;
    for (int i = 0; i < 512; i++) g.a[i] = n + i;
    run(g, out);
}
"""
    assert loop(text, "L", path="k.cpp", tool="vitis-2021.2").ii == 1
