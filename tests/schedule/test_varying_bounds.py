"""A loop that no tool can unroll keeps the loop around it from being pipelined (UG1399, Function Pipelining)."""

from __future__ import annotations

import pytest
from predicting import result

from hlspart.model.options import Options, TargetOptions
from hlspart.pipeline import Pipeline

NEST = """
typedef struct { int count, other; } settings;
SIGNATURE {
  int t = 0;
  SETUP
  OUTER: for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE II=1
    INNER: for (int j = 0; j < BOUND; j++) t += A[i + j];
    B[i] = t;
  }
}
"""


Found = dict[str, tuple[bool, int | None]]


def _loops(text: str, path: str = "t.c") -> Found:
    figures = Pipeline([path], Options(), lambda _: text.encode()).figures
    return {x.name: (x.pipelined, x.ii) for x in figures.loops}


def _nest(bound: str, setup: str = "", head: str = "void f(int A[64], int B[8], int n)") -> Found:
    return _loops(NEST.replace("SIGNATURE", head).replace("SETUP", setup).replace("BOUND", bound))


@pytest.mark.parametrize(
    ("bound", "setup", "head"),
    [
        ("n", "", "void f(int A[64], int B[8], int n)"),
        ("n + 1", "", "void f(int A[64], int B[8], int n)"),
        ("A[i]", "", "void f(int A[64], int B[8])"),
        ("m", "int m = A[3] * 2;", "void f(int A[64], int B[8])"),
        ("m", "int m; if (n) m = n; else m = B[0];", "void f(int A[64], int B[8], int n)"),
        ("s.count", "", "void f(int A[64], int B[8], settings s)"),
        ("*p", "", "void f(int A[64], int B[8], int *p)"),
    ],
)
def test_a_bound_that_is_read_leaves_the_outer_loop_as_it_is(bound: str, setup: str, head: str) -> None:
    found = _nest(bound, setup, head)
    assert found["OUTER"] == (False, None)
    assert found["INNER"] == (True, 1)  # innermost loops are pipelined automatically


@pytest.mark.parametrize(
    ("bound", "setup"),
    [
        ("i", ""),  # at most seven: may be unrolled
        ("OPEN", ""),  # a constant that a build gives
        ("m", "static int m;"),
        ("m", "int m = 4; m++;"),
    ],
)
def test_a_bound_that_a_tool_may_know_is_not_judged(bound: str, setup: str) -> None:
    head = "void f(int A[64], int B[8], int n)"
    text = NEST.replace("SIGNATURE", head).replace("SETUP", setup).replace("BOUND", bound)
    found = _loops(text, "t.cpp")
    assert found["OUTER"][0] and "INNER" not in found


def test_a_function_with_such_a_loop_is_not_pipelined() -> None:
    text = "void f(int A[64], int n) {\n#pragma HLS PIPELINE\n  L: for (int i = 0; i < n; i++) A[i]++;\n}"
    assert _loops(text) == {"L": (True, 1)}


def test_an_argument_that_every_call_gives_one_value_is_a_constant() -> None:
    inner = NEST.replace("SIGNATURE", "static void f(int A[64], int B[8], int n)").replace("SETUP", "")
    inner = inner.replace("BOUND", "n")
    calls = "void top(int A[64], int B[8]) { f(A, B, 16); }"
    given = _loops(inner + calls)["OUTER"]
    assert given == _loops(inner.replace("j < n", "j < 16") + calls)["OUTER"] == (True, 8)
    read = "void top(int A[64], int B[8], int n) { f(A, B, n); }"
    assert _loops(inner + read)["OUTER"] == (False, None)
    mixed = "void top(int A[64], int B[8], int n) { f(A, B, n); f(A, B, 16); }"
    assert _loops(inner + mixed)["OUTER"] == (True, None)


@pytest.mark.parametrize(("bound", "state"), [("n", "ignored"), ("8", "applied"), ("i", "applied")])
@pytest.mark.parametrize("whole", [False, True])
def test_a_pipeline_that_does_not_hold_is_not_said_to_be_applied(bound: str, state: str, whole: bool) -> None:
    text = f"""void top(int a[64], int n) {{
{"#pragma HLS PIPELINE" if whole else ""}
    for (int i = 0; i < 8; i++) {{
{"" if whole else "#pragma HLS PIPELINE"}
        for (int j = 0; j < {bound}; j++) a[i * 8 + j] += 1;
    }}
}}
"""
    pipeline = Pipeline(["t.c"], Options(), read=lambda path: text.encode())
    assert [s.status for s in pipeline.figures.pragmas] == [state]
    names = {x.name for x in pipeline.figures.loops if x.pipelined and x.origin != "auto"}
    assert bool(names) == (state == "applied")


@pytest.mark.parametrize(
    ("tool", "first", "fate"),
    [
        ("vivado-hls-2018.3", "", "unmodelled"),
        ("vivado-hls-2019.1", "int t;", "unmodelled"),
        ("vivado-hls-2018.3", "s[i] = 0;", "ignored"),
        ("vitis-2022.1", "", "ignored"),
    ],
)
def test_vivado_may_flatten_a_loop_with_all_of_its_body(tool: str, first: str, fate: str) -> None:
    text = f"""void rows(const int n[64], const int a[64][64], int s[64]) {{
  OUTER: for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE II=1
    {first}
    INNER: for (int j = 0; j < n[i]; j++) s[i] += a[i][j];
  }}
}}
"""
    run = Pipeline(["k.c"], Options(target=TargetOptions(tool=tool)), lambda _: text.encode())
    assert [x.status for x in run.validation.statuses] == [fate]
    outer = next(x for x in run.figures.loops if x.name == "OUTER")
    assert (outer.ii, outer.latency.max) == (None, None)
    assert outer.pipelined is (fate == "unmodelled")
    assert any(x.rule == "HLP208" for x in run.lint(None).diagnostics) is (fate == "ignored")


@pytest.mark.parametrize("tool", ["vitis-2022.2", "vitis-2024.2"])
def test_a_loop_that_unroll_leaves_is_pipelined_like_others(tool):
    """HLS 214-187, "as it has a variable trip count": Zichu26/fgpa_convolution_acceleration has such loops at II 1."""
    text = """void f(int n, int a[8][64], int out[64]) {
    for (int i = 0; i < n; i++) {
        int s = a[0][i];
        L: for (int k = 1; k < %s; k++) {
#pragma HLS UNROLL
            s ^= a[k][i];
        }
        out[i] = s;
    }
}
"""
    found = {x.name: x for x in result(text % "n", tool=tool).loops}
    assert found["L"].pipelined and (found["L"].ii, found["L"].cause) == (1, None)
    assert "L" not in {x.name for x in result(text % "8", tool=tool).loops}
    nest = """void f(int n, int a[8][64], int out[8][64]) {
    for (int i = 0; i < 8; i++)
        L: for (int k = 0; k < n; k++) {
#pragma HLS UNROLL
            out[i][k] = a[i][k];
        }
}
"""
    (row,) = result(nest, tool=tool).loops
    assert row.ii is None and "cannot unroll" in (row.cause or "")


@pytest.mark.parametrize(
    ("tool", "bound", "first", "found"),
    [
        ("vivado-hls-2018.3", "n", "", {"OUTER_INNER": (True, 1)}),
        ("vivado-hls-2018.3", "n", "B[i] = t;", {"OUTER": (False, None), "INNER": (False, None)}),
        ("vivado-hls-2018.3", "A[i]", "", {"OUTER": (True, None)}),  # another one for each row
        ("vivado-hls-2018.3", "n", "\n#pragma HLS LOOP_FLATTEN off\n", {"OUTER": (True, None)}),  # of no report
        ("vivado-hls-2018.3", "n", "\n#pragma HLS UNROLL factor=2\n", {"OUTER": (True, None)}),
        ("vitis-2022.1", "n", "", {"OUTER": (False, None), "INNER": (True, 1)}),
    ],
)
def test_a_loop_that_cannot_be_unrolled_is_flattened_with_the_pipelined_one(
    tool: str, bound: str, first: str, found: Found
) -> None:
    """Reports of Vivado HLS 2018.2 and 2019.2 list one loop, pipelined at II 1, for such nests."""
    text = NEST.replace("SIGNATURE", "void f(int A[64], int B[8], int m, int n)").replace("SETUP", "")
    text = text.replace("BOUND", bound).replace("i < 8", "i < m").replace("    B[i] = t;\n", "")
    text = text.replace("    INNER", f"    {first}\n    INNER")
    run = Pipeline(["t.c"], Options(target=TargetOptions(tool=tool)), lambda _: text.encode())
    assert {x.name: (x.pipelined, x.ii) for x in run.figures.loops} == found
    applied = any(name == "OUTER_INNER" for name in found)
    assert (run.validation.statuses[0].status == "applied") is applied
