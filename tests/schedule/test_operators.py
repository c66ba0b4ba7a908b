"""Directives about operations and words: BIND_OP, ALLOCATION, EXPRESSION_BALANCE, ARRAY_RESHAPE."""

import pytest
from predicting import loop, pipelined, result


def kernel(body: str, pragmas: str = "", element: str = "int") -> str:
    return f"""{element} f({element} A[64], {element} x[64], {element} y[64]) {{
{pragmas}
    {element} acc = 0;
    L: for (int i = 0; i < 64; i += 4) {{
#pragma HLS PIPELINE
        {body}
    }}
    return acc;
}}
"""


@pytest.mark.parametrize(
    ("body", "pragma", "ii"),
    [
        ("acc += A[i] * x[i] + x[i] * 11;", "operation instances=mul limit=1", 2),
        ("acc += A[i] * x[i] + x[i] * 11;", "instances=mul limit=2 type=operation", 1),
        ("acc += A[i] * x[i] + x[i] * 8;", "operation instances=mul limit=1", 1),  # a shift by 3
        ("acc += A[i] + x[i] - y[i];", "operation instances=add limit=1", 2),  # the subtraction is another unit
        ("acc += A[i] * x[i] + x[i] * 11;", "function instances=other limit=1", 1),
        ("acc += A[i] * x[i] + x[i] * 11;", "core instances=DSP48 limit=1", None),
    ],
)
def test_allocation_limits(body, pragma, ii):
    found = loop(kernel(body, f"#pragma HLS ALLOCATION {pragma}") + "void other(void) {}\n")
    assert found.ii == ii
    assert ii != 2 or found.limits[0].kind == "operator"


def test_allocation_of_a_called_function_is_unknown():
    text = kernel("acc += g(A[i]) + g(x[i]);", "#pragma HLS ALLOCATION function instances=g limit=1")
    found = loop("int g(int a) { return a * a; }\n" + text)
    assert found.ii is None and "ALLOCATION of function g" in (found.cause or "")


@pytest.mark.parametrize(
    ("bind", "depth", "ii"),
    [
        ("", 2, 1),
        ("#pragma HLS BIND_OP variable=t op=mul impl=dsp latency=3", 5, 1),
        ("#pragma HLS RESOURCE variable=t core=Mul4S latency=3", 5, 1),
        ("#pragma HLS BIND_OP variable=t op=mul latency=3", 5, 1),
    ],
)
def test_latency_of_one_multiplication(bind, depth, ii):
    """Load in states 0 and 1, the multiplication begins in 1 and takes its latency, the store is in its last state."""
    found = loop(kernel(f"int t;\n{bind}\n t = A[i] * x[i]; y[i] = t;"))
    assert (found.ii, found.depth) == (ii, depth)


def test_an_adder_of_fabric_in_a_recurrence():
    plain = kernel("acc += A[i];", element="float")
    fabric = plain.replace("float acc = 0;", "float acc = 0;\n#pragma HLS BIND_OP variable=acc op=fadd impl=fabric")
    target = {"part": "xcu55c-fsvh2892-2-e", "clock_ns": 4.0}
    assert loop(plain, **target).ii == 6
    assert loop(fabric, **target).ii == 3
    # UCLA-VAST/Prometheus (2023.2, 4 ns): II 6 where the pragma names no II, 3 where it asks for 1
    asked = loop(plain.replace("PIPELINE", "PIPELINE II=1"), **target)
    assert (asked.ii, asked.bounds) == (None, (3, 6)) and "without DSP blocks" in (asked.cause or "")
    assert loop(plain.replace("PIPELINE", "PIPELINE II=6"), **target).ii == 6


def test_an_operation_inside_an_expression_is_unknown():
    found = loop(kernel("int t;\n#pragma HLS BIND_OP variable=t op=mul latency=3\n t = A[i] * x[i] + 1; y[i] = t;"))
    assert found.ii is None and "BIND_OP" in (found.cause or "")


@pytest.mark.parametrize("factor", [3, 5, 7])
def test_a_bound_product_with_a_constant_has_an_ii_where_its_states_do_not_matter(factor):
    """It may be sums of shifts, or the unit that is asked for: only a recurrence through it depends on that."""
    bound = "int t;\n#pragma HLS BIND_OP variable=t op=mul impl=fabric\n"
    forward = loop(kernel(f"{bound} t = A[i] * {factor}; y[i] = t;"))
    assert (forward.ii, forward.depth) == (1, None)
    carried = loop(kernel(f"{bound} t = acc * {factor}; acc = t + A[i];"))
    assert carried.ii is None and "BIND_OP" in (carried.cause or "")
    limited = "#pragma HLS ALLOCATION operation instances=mul limit=1"
    several = f"{bound} t = A[i] * {factor}; y[i] = t * x[i] * x[i];"
    assert loop(kernel(several, limited)).ii in (None, 3)


SUM8 = "for (int k = 0; k < 8; k++) acc += A[i % 8 + k];"


def test_a_limit_of_a_function_that_may_be_in_the_same_module() -> None:
    """Where the tool expands `other`, its limit may count the five products of L too (seen in a report: II 3)."""
    text = """void other(int a[64], int b[64]) {
    #pragma HLS INLINE %s
    #pragma HLS ALLOCATION operation instances=mul limit=%d
        M: for (int i = 0; i < 64; i++) b[i] = a[i] * a[i];
    }
    void f(int a[64], int b[64], int w[5]) {
    #pragma HLS ARRAY_PARTITION variable=w complete
        L: for (int i = 0; i < 64; i++) {
    #pragma HLS PIPELINE
            int s = 0;
            for (int k = 0; k < 5; k++) s += w[k] * a[i];
            b[i] = s;
        }
        other(a, b);
    }
    """
    found = loop(text % ("", 2))
    assert found.ii is None and "ALLOCATION (line 3)" in (found.cause or "")
    assert [loop(text % x).ii for x in (("", 5), ("off", 2))] == [1, 1]


def test_integer_sums_are_balanced():
    """A long chain of additions does not fit a period; as a tree the carried sum takes part in one."""
    parts, body = "#pragma HLS ARRAY_PARTITION variable=A complete", SUM8.replace("k < 8", "k < 32")
    assert loop(kernel(body, parts)).ii == 1
    off = loop(kernel(body, parts + "\n#pragma HLS EXPRESSION_BALANCE off"))
    assert off.ii is not None and off.ii > 1
    assert (off.limits[0].kind, off.limits[0].latency, len(off.cycle)) == ("recurrence", off.ii, 32)


def test_products_are_balanced_as_far_as_is_known():
    """The carried product may be the last factor, or among the first: then a tree of 64 factors follows it."""
    text = kernel(
        SUM8.replace("+=", "*=").replace("k < 8", "k < 60"), "#pragma HLS ARRAY_PARTITION variable=A complete"
    )
    found = loop(text)
    assert found.ii is None and found.bounds is not None and "balanced" in (found.cause or "")
    assert found.bounds[0] == 1 < found.bounds[1] <= 6


def test_floats_are_not_regrouped():
    found = loop(kernel(SUM8, "#pragma HLS ARRAY_PARTITION variable=A complete", "float"))
    assert found.ii == 8 * 4


def test_floats_are_regrouped_where_the_project_says_so():
    """The eight values are added first; the carried sum joins last or first."""
    text = kernel(SUM8, "#pragma HLS ARRAY_PARTITION variable=A complete", "float")
    found = loop(text, settings=(("syn.compile.unsafe_math_optimizations", "1"),))
    alone = loop(kernel("acc += A[i];", element="float")).ii
    assert found.bounds is not None and found.bounds[0] == alone and found.bounds[1] < 8 * 4


@pytest.mark.parametrize(
    ("pragma", "body", "ii", "ideal"),
    [
        ("cyclic factor=4", "acc += A[i] + A[i + 1] + A[i + 2] + A[i + 3];", 1, 1),  # one word
        ("cyclic factor=4", "acc += A[i + 2] + A[i + 3] + A[i + 4] + A[i + 5];", 1, 1),  # two words, two ports
        ("cyclic factor=2", "acc += A[i] + A[i + 1] + A[i + 2] + A[i + 3] + A[i + 4];", 2, 2),
        ("block factor=16", "acc += A[i] + A[i + 4] + A[i + 8];", 1, 1),  # words of every fourth element
        ("block factor=4", "acc += A[i] + A[i + 1] + A[i + 2];", 2, 2),
        ("complete", "acc += A[i] + A[i + 1] + A[i + 2] + A[x[i]];", 1, 1),
        ("cyclic factor=4 off", "acc += A[i] + A[i + 1] + A[i + 2];", 2, 2),
        ("cyclic factor=4", "A[i] = x[i];", None, None),
    ],
)
def test_words_of_a_reshaped_array(pragma, body, ii, ideal):
    found = loop(kernel(body, f"#pragma HLS ARRAY_RESHAPE variable=A {pragma}"))
    assert (found.ii, found.ideal_ii) == (ii, ideal)


def test_a_hint_never_partitions_a_reshaped_array():
    text = pipelined("acc += A[i] + A[i - 1] + A[i - 2];", "#pragma HLS ARRAY_RESHAPE variable=A cyclic factor=2")
    assert loop(text).limits[0].hint is None


def test_words_of_a_reshaped_memory():
    text = """void f(int in[256], int out[64]) {
    int buffer[256];
#pragma HLS ARRAY_RESHAPE variable=buffer cyclic factor=4
    for (int i = 0; i < 256; i++) buffer[i] = in[i];
    for (int i = 0; i < 64; i++) out[i] = buffer[4 * i] + buffer[4 * i + 3];
}
"""
    found = {a.name: a for a in result(text).arrays}["buffer"]
    assert (found.bank_depths, found.element_bits, found.bram18k) == ((64,), 32, 4)


def test_units_are_shared_however_long_iterations_get_without_a_recurrence():
    """One adder and one divider for 27 steps of 27 states at II 27: each step needs a slot of its own, 26 states more.

    Updates of one row in memory recur: a second unit keeps iterations as short as the II (reports: 64 states at II 64).
    """
    fraction = """void fraction(double c[27], double x[64], double y[64]) {
#pragma HLS ARRAY_PARTITION variable=c complete
    L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=27
        double s = 1.0;
        for (int k = 0; k < 27; k++) s = c[k] / (s + x[i]);
        y[i] = s;
    }
}
"""
    where = {"tool": "vitis-2022.2", "part": "xcu55c-fsvh2892-2L-e", "clock_ns": 5.0}
    shared, apart = loop(fraction, **where), loop(fraction.replace("II=27", "II=1"), **where)
    assert (shared.ii, shared.depth, shared.dsp) == (27, apart.depth + 26, 3)
    assert (apart.ii, apart.dsp) == (1, 27 * 3)
    update = """void update(float a[32][32], float x[32], float y[32]) {
    L: for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE
        for (int j = 0; j < 32; j++) y[j] += a[i][j] * x[i];
    }
}
"""
    found = loop(update, **where)
    assert (found.ii, found.depth, found.dsp) == (32, 32, 10)


@pytest.mark.parametrize("value", ["i / q", "p / (q + i)", "i % (q + 1)", "77 / (i + q)"])
def test_a_counter_takes_the_divider_that_an_element_takes(value):
    """No address has its divisor at run time for nothing: the hardware is that of ``x[i] / q``."""
    text = """void f(int x[64], int y[64], int p, int q) {{
    L: for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE
        y[i] = {};
    }}
}}
"""
    made, plain = loop(text.format(value)), loop(text.format("x[i] / q"))
    assert made.depth is not None and plain.depth is not None and plain.depth > 30
    assert (made.ii, plain.ii) == (1, 1) and plain.depth - made.depth in (0, 1)  # the load


def test_a_product_that_is_stored_is_not_regrouped_with_one_that_nobody_needs():
    """Of two stores to `b[i]` the first one is not needed, nor is its product of what is stored to `A`."""
    text = """void f(long A[320], float B[64], float b[64]) {{
    L: for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE II=1
        for (int k = 0; k < 3; k++) for (int l = 0; l < 2; l++) {{
            A[k] = A[5 * l + 2] * A[2 * i];
            A[l + l] += k;
            {} b[i] = B[k] > A[k] * A[(k * i) % 320] ? B[3 * l + 2] : A[i + l];
        }}
    }}
}}"""
    every, needed = (loop(text.format(condition)) for condition in ("", "if (l == 1)"))
    assert every.recurrence_ii == needed.recurrence_ii is not None
    assert (every.ii, every.bounds) == (needed.ii, needed.bounds)
