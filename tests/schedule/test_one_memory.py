"""Names of one memory: parameters that a call gives one array, pointers into it."""

from predicting import loop


def test_parameters_that_one_call_gives_one_array_are_no_memories_of_their_own():
    """Their ports and dependences are those of ``t``, which ``add`` alone cannot show."""
    text = """static void add(int *d, const int *s) {
    L: for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE II=1
        d[i] += s[i] + s[i + 1];
    }
}
void top(int a[65], int b[65]) {
    int t[65], u[65];
    for (int i = 0; i < 65; i++) t[i] = u[i] = a[i];
    add(t, %s);
    for (int i = 0; i < 65; i++) b[i] = t[i] + u[i];
}
"""
    assert loop(text % "u").ii == 1
    for shared in ("t", "&t[32]"):
        found = loop(text % shared)
        assert (found.ii, found.confidence) == (None, "unknown")
        assert found.cause == "d and s are one memory in the call in line 10"
        low, high = found.bounds
        for element in ("t[i]", "t[i + 32]"):  # as if both were called t
            one = text % "u"
            one = one.replace("int *d, const int *s", "int *t").replace("add(t, u)", "add(t)")
            one = one.replace("d[i] += s[i] + s[i + 1]", f"{element} += t[i] + t[i + 1]")
            assert low <= loop(one).ii <= high


def test_halves_of_one_array_have_the_least_ii_of_arrays_apart():
    text = """static void step(const int in[64][8], int out[64][8]) {
    L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
        int sum = 0;
        for (int j = 0; j < 8; j++) sum += in[i][j];
        out[i][0] = sum;
    }
}
int h[2][64][8];
void top(int n) { for (int l = 0; l < n; l++) step(h[l % 2], h[(l + 1) % 2]); }
"""
    found = loop(text)
    assert found.ii is None and found.bounds[0] == 4 and found.misses


def test_local_pointers_name_the_array_that_they_are_set_to():
    text = """static void add(int *d, const int *s) {
    L: for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE II=1
        d[i] += s[i];
    }
}
static void inner(int *d, const int *s) { add(d, s); }
void top(int a[65], int b[65], int c) {
    int t[65], u[65];
    for (int i = 0; i < 65; i++) t[i] = u[i] = a[i];
    int *p = %s;
    inner(p, t);
    for (int i = 0; i < 65; i++) b[i] = t[i] + u[i];
}
"""
    assert loop(text % "u").ii == 1
    for shared in ("t", "t + 1", "c ? u : t"):
        found = loop(text % shared)
        assert found.ii is None and found.cause.startswith("d and s are one memory in the call")


def test_a_loop_that_uses_an_array_and_a_pointer_into_it():
    """``p`` reads what the iteration before has stored into ``t``: as if both were called ``t``."""
    text = """void top(const int a[64], int b[64], int c) {
    int t[64], u[64];
    for (int i = 0; i < 64; i++) t[i] = u[i] = a[i];
    int *p = %s;
    L: for (int i = 0; i < 63; i++) {
#pragma HLS PIPELINE II=1
        p[i + 1] = t[i] + 1;
    }
    for (int i = 0; i < 64; i++) b[i] = t[i] + u[i];
}
"""
    assert loop(text % "u").ii == 1
    assert loop(text % "t").ii == loop((text % "t").replace("p[i + 1]", "t[i + 1]")).ii == 2
    assert "one memory" in loop(text % "c ? u : t").cause


def test_an_array_of_file_scope_that_is_handed_to_a_function_which_knows_it():
    """The next iteration reads what this one stores: II 2, which ``d`` and ``g`` as two memories do not show."""
    text = """static int g[64], h[64];
static void add(int *d) {
    L: for (int i = 1; i < 64; i++) {
#pragma HLS PIPELINE II=1
        d[i] = g[i - 1] * 3;
    }
}
static void inner(int d[64]) { add(d); }
void top(int a[64], int b[64]) {
    for (int i = 0; i < 64; i++) g[i] = h[i] = a[i];
    inner(%s);
    for (int i = 0; i < 64; i++) b[i] = g[i] + h[i];
}
"""
    assert loop(text % "h").ii == 1
    found = loop(text % "g")
    assert found.ii is None and found.cause.startswith("g and d are one memory in the call")


def test_registers_that_are_only_read_by_two_names_pass_nothing_on():
    """As by one name, of which a product of an array with itself is the sum; where one is stored to it is not known."""
    text = """static void dot(int a[16], int b[16], int *r) {
    int s = 0;
    L: for (int i = 1; i < 16; i++) {
#pragma HLS PIPELINE II=1
        BODY
    }
    *r = s;
}
void top(int in[16], int *r) {
    int x[16];
#pragma HLS ARRAY_PARTITION variable=x complete
    for (int i = 0; i < 16; i++) x[i] = in[i];
    dot(x, x, r);
}
"""
    both, one = (loop(text.replace("BODY", f"s += a[i] * {name}[i - 1];")) for name in "ba")
    assert (both.ii, both.depth) == (one.ii, one.depth) == (1, one.depth)
    assert loop(text.replace("BODY", "a[i] = b[i - 1] * 3; s += a[i];")).ii is None
