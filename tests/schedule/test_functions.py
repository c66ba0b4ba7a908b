"""Latency of functions: what a controller starts, waits for and runs at once (Vitis HLS 2023.2).

Expected cycles follow from public reports: a pipelined loop of n iterations of two states takes n cycles, as a module
n + 2 and two more states around it; an independent count of starts and ends is the oracle of random sequences.
"""

import random

import pytest
from predicting import result

N = 1024
ROWS = "for (int r = 0; r < 70; r++) {{ {} {} }}"


def latency(text, function="f"):
    found = result(text, tool="vitis-2023.2", part="xcu280-fsvh2892-2L-e", clock_ns=10)
    return next(f.latency for f in found.functions if f.name == function)


def copy(to, source):
    return f"for (int i = 0; i < {N}; i++) {to}[i] = {source}[i];"


def kernel(body, parameters="int a[1024], int b[1024], int c[1024], int d[1024]"):
    return f"void f({parameters}) {{ {body} }}"


@pytest.mark.parametrize(
    ("body", "cycles"),
    [
        (copy("b", "a"), N + 2),  # is all of the function: no module of its own
        (copy("b", "a") + copy("c", "b"), 2 * (N + 4) - 1),  # read behind the write
        (copy("b", "a") + copy("a", "c"), 2 * (N + 4) - 1),  # write behind the read
        (copy("b", "a") + copy("b", "c"), 2 * (N + 4) - 1),  # write behind the write
        (copy("b", "a") + copy("d", "c"), N + 3),  # at once
        (copy("b", "a") + "c[0] = 1;" + copy("d", "b"), 2 * (N + 4) - 1),
        (copy("b", "a") + ROWS.format(copy("c", "b"), copy("d", "c")), N + 3 + 1 + 70 * 2 * (N + 4)),
        (f"int t[{N}] = {{0}}; " + copy("t", "a") + copy("b", "t"), 3 * (N + 4) - 2),  # zeros by a loop of its own
        (ROWS.format(f"for (int i = 0; i < {N}; i++) b[i] = a[i] * c[r];", copy("d", "b")), 1 + 70 * (2 * (N + 4) + 1)),
    ],
)  # fmt: skip
def test_cycles_of_a_function(body, cycles):
    assert latency(kernel(body)).exact == cycles


@pytest.mark.parametrize("around", ["int s = 0; {} *r = s;", "*r = 0; {}"])
def test_scalars_around_a_loop_take_no_state(around):
    body = around.format(f"for (int i = 0; i < {N}; i++) *r += a[i];".replace("*r", "s" if "s = 0" in around else "*r"))
    assert latency(kernel(body, "int a[1024], int *r")).exact == N + 2


def test_a_called_function_takes_its_latency_and_a_state():
    inner = f"void g(int x[{N}], int y[{N}]) {{\n#pragma HLS INLINE off\n{copy('y', 'x')} }}\n"
    assert latency(inner + kernel("g(a, b);")).exact == N + 3
    assert latency(inner + kernel("g(a, b); g(b, c);")).exact == 2 * (N + 3) + 1
    assert latency(inner + kernel("g(a, b); g(c, d);")).exact == N + 3


def test_what_a_loop_makes_is_read_a_state_later():
    """Schedules of six repositories: `s_loc` is loaded in the state behind the one that ends the module."""
    total = f"int s = 0; for (int i = 0; i < {N}; i++) s += a[i]; "
    assert latency(kernel(total + "c[0] = s;" + copy("d", "c"))).exact == N + 3 + 1 + 1 + N + 3
    assert latency(kernel(total + copy("b", "a") + "c[0] = s;")).exact == N + 3 + 1
    other = total.replace("s += a[i]", "b[i] = a[i]")
    assert latency(kernel(other + "c[0] = s;")).exact == N + 3


def test_tables_take_no_state_even_without_const():
    """A local array that keeps its initial values is a table: ahead of a loop, and in its iterations."""
    text = """int f(int a[64], int b[64]) {
    AHEAD
    L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
        INSIDE
        b[i] = a[i] * t[i & 3];
    }
    return 0;
}
"""
    cycles = latency(text.replace("AHEAD", "").replace("INSIDE", "const int t[4] = {3, 1, 4, 1};")).exact
    assert cycles is not None and cycles > 64
    for place in ("AHEAD", "INSIDE"):
        other = {"AHEAD": "INSIDE", "INSIDE": "AHEAD"}[place]
        assert latency(text.replace(place, "int t[4] = {3, 1, 4, 1};").replace(other, "")).exact == cycles


def test_straight_line_code_has_a_schedule():
    assert latency("int f(int a[8], int n) { return a[n & 7]; }").exact == 1
    assert latency("float f(float a[8], int n) { return a[n & 7] * a[3] + 1.0f; }").min >= 4


def test_no_states_are_said_of_volatile_objects_and_streams():
    assert latency("void f(volatile int *in, volatile int *out) { *out = *in + 1; }").max is None
    assert latency("void f(int *in, int *out) { *out = *in + 1; }").exact == 0


@pytest.mark.parametrize("seed", range(6))
def test_random_sequences_of_copies(seed):
    """Each loop starts behind the last of those before it with which it shares a written array."""
    draw = random.Random(seed)
    steps = [tuple(draw.sample("abcd", 2)) for _ in range(draw.randrange(2, 6))]
    ends: list[int] = []
    for k, (to, source) in enumerate(steps):
        before = [ends[j] + 1 for j, (x, y) in enumerate(steps[:k]) if x in (to, source) or y == to]
        ends.append(max(before, default=0) + N + 3)
    assert latency(kernel("".join(copy(*s) for s in steps))).exact == max(ends)


@pytest.mark.parametrize(("value", "states"), [("x * y", (2, 6)), ("x / y", (2, 40)), ("x + y", (2, 12))])
def test_values_that_are_declared_ahead_of_a_loop_take_their_states(value, states):
    """A declaration and an assignment of the same value take the same time; a value that nothing uses takes none."""
    loop = f"for (int i = 0; i < {N}; i++) p[i] = q[i] * v;"
    parameters = "float p[1024], float q[1024], float x, float y"
    declared = latency(kernel(f"float v = {value}; {loop}", parameters))
    assigned = latency(kernel(f"float v; v = {value}; {loop}", parameters))
    plain = latency(kernel(loop.replace("v", "x"), parameters))
    unused = latency(kernel(f"float v = {value}; {loop.replace('v', 'x')}", parameters))
    assert (declared.min, declared.max, unused) == (assigned.min, assigned.max, plain)
    assert None not in (declared.min, declared.max)
    assert states[0] <= declared.min - plain.max and declared.max - plain.max <= states[1]


def test_a_last_value_that_the_tool_may_know_leaves_bounds():
    """Reports: a sum divided by a counter of 1,024 is no division."""
    sums = f"int s = 0, n = 0; for (int i = 0; i < {N}; i++) {{ s += a[i]; n++; }}"
    body = f"{sums} int m = s / n; {copy('b', 'c')[:-1]} + m;"
    told = latency(kernel(body))
    known = latency(kernel(body.replace("s / n", "s / 1024")))
    assert told.min <= known.exact < told.max


def test_values_that_are_loaded_ahead_of_a_loop_leave_bounds():
    """Reports: a sparse product reads the bounds of its rows in no state of their own, others take one."""
    told = latency(kernel(ROWS.format("int x = c[r];", copy("b", "a")[:-1] + " + x;" + copy("d", "b"))))
    assert told.max - told.min == 70


IN_PART = "for (int r = 0; r < 64; r++) {{ \n#pragma HLS UNROLL factor={}\n {} }}"


@pytest.mark.parametrize(("body", "once"), [(copy("b", "a"), N + 4), ("b[r] = g(a, c[r]);", 20)])
def test_copies_of_loops_and_calls_run_at_once_or_in_turn(body: str, once: int) -> None:
    """A loop unrolled by four has sixteen iterations, in each of which four modules run: longer than one of them."""
    called = "int g(int x[16], int k) { int s = 0; for (int i = 0; i < 16; i++) s += x[i] * k; return s; }\n"
    whole, parted = (latency(called + kernel(IN_PART.format(factor, body))) for factor in (1, 4))
    assert whole.exact is not None and abs(whole.max - 64 * once) <= 64 * 2
    whole = whole.max
    assert whole // 4 <= parted.min <= whole // 4 + 64 and whole - 64 <= parted.max <= whole


def test_a_pipelined_function_without_operations_takes_no_time() -> None:
    text = "int f(int a) {\n#pragma HLS PIPELINE II=1\n    return 0;\n}"
    (function,) = result(text).functions
    assert (function.latency.min, function.latency.max) == (0, 0)


@pytest.mark.parametrize(("between", "more"), [("b[5] = 3; ", 1), ("c[5] = 3; ", 0)])
def test_a_loop_starts_behind_the_state_that_stores_to_its_memory(between, more):
    """A memory that a loop reads is stored to first; the loop's last store, too, is followed a state later."""
    plain = latency(kernel("c[0] = 1; " + copy("d", "b"))).exact
    assert latency(kernel(between + copy("d", "b"))).exact == plain + more
    assert latency(kernel(copy("b", "a") + between)).exact == N + 3 + more


def test_values_that_no_iteration_changes_are_worked_out_ahead_of_the_loop():
    """A quotient of two arguments takes its states before the loop, in a basic block of its own."""
    parameters = "float p[1024], float q[1024], float x, float y"
    inside = kernel(f"for (int i = 0; i < {N}; i++) p[i] = q[i] * (x / y);", parameters)
    ahead = kernel(f"float v = x / y; for (int i = 0; i < {N}; i++) p[i] = q[i] * v;", parameters)
    assert latency(inside).exact == latency(ahead).exact + 1
    sums = f"float s = 0; for (int i = 0; i < {N}; i++) s += q[i]; "
    behind = latency(kernel(sums + f"for (int i = 0; i < {N}; i++) p[i] = q[i] * (s + x);", parameters)).exact
    alone = latency(kernel(sums + f"for (int i = 0; i < {N}; i++) p[i] = q[i] * s;", parameters)).exact
    assert behind == alone + 3  # the states of an adder
    early = kernel(sums + f"for (int i = 0; i < {N}; i++) p[i] = q[i] * (x + y) + s;", parameters)
    late = kernel(sums + f"for (int i = 0; i < {N}; i++) p[i] = q[i] * x + s;", parameters)
    assert latency(early).exact == latency(late).exact  # what waits for no loop is worked out beside it


@pytest.mark.parametrize("made", ["TASK t(g, in, out)", "TASK t(in)", "library::task t(in)", "library::task t(g, in)"])
def test_an_object_of_a_class_that_is_not_read_takes_cycles_nobody_knows(made):
    text = (
        "#include <hls_stream.h>\n"
        "void g(hls::stream<int> &in, hls::stream<int> &out) { out.write(in.read() + 2); }\n"
        f"void f(hls::stream<int> &in, hls::stream<int> &out) {{ {made}; }}\n"
    )
    found = result(text, path="k.cpp", top="f", tool="vitis-2023.2", part="xcu280-fsvh2892-2L-e", clock_ns=10)
    only = next(f for f in found.functions if f.name == "f")
    assert only.latency.max is None
    assert only.causes
