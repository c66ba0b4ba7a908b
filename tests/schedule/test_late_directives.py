"""Directives that a schedule keeps by itself, or that only give it more time, do not hide its II."""

import pytest
from predicting import loop, pipelined, pipelined_loop

from hlspart.model.options import Options
from hlspart.pipeline import Pipeline

OCCURRENCE = "if (i %% 2 == 0) {\n#pragma HLS OCCURRENCE cycle=2\n%s\n}"


@pytest.mark.parametrize(
    ("body", "ii", "depth"),
    [
        ("\n#pragma HLS LATENCY min=1 max=10\n x[i] = A[i];", 1, True),
        ("\n#pragma HLS LATENCY max=1\n x[i] = A[i] * A[i] / 3;", None, False),
        ("\n#pragma HLS LATENCY min=30\n x[i] = A[i];", 1, False),  # how the tool fills them is not said
        ("{\n#pragma HLS LATENCY min=1 max=1\n x[i] = A[i]; }", None, False),  # of a region
        (OCCURRENCE % "x[i] = A[i];", 1, False),
        (OCCURRENCE % "x[i] = A[i] + A[i - 1] + A[i - 2] + A[i - 3];", None, False),  # four loads in two iterations
    ],
)
def test_what_a_schedule_keeps_costs_it_nothing(body: str, ii: int | None, depth: bool) -> None:
    found = loop(pipelined(body))
    assert (found.ii, found.depth is not None) == (ii, depth)
    if not depth:
        causes = " ".join(c.text for c in (*found.causes, *found.depth_causes))
        assert "LATENCY" in causes or "OCCURRENCE" in causes


CALLED = """
static int part(int v) {
#pragma HLS INLINE
#pragma HLS LATENCY min=5
  return v * 3;
}
int f(int A[64]) {
  int s = 0;
  L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
    %s
  }
  return s;
}
"""


@pytest.mark.parametrize(("body", "ii"), [("s += part(A[i]);", 1), ("s = part(s) + A[i];", None)])
def test_least_latency_of_a_call_matters_where_it_recurs(body: str, ii: int | None) -> None:
    result = loop(CALLED % body)
    assert result.ii == ii and result.depth is None
    assert any("LATENCY" in c.text for c in (*result.causes, *result.depth_causes))


def test_least_latency_of_a_function_is_not_about_its_loops() -> None:
    text = "int f(int A[64]) {\n#pragma HLS LATENCY min=99\n int s = 0;\n%s return s;\n}"
    body = "L: for (int i = 0; i < 64; i++) {\n#pragma HLS PIPELINE II=1\n s += A[i];\n}\n"
    assert loop(text % body).ii == 1


@pytest.mark.parametrize(("sum_", "ii"), [("s += o[0].x;", 1), ("s *= o[0].x;", None)])
def test_an_operator_bound_by_a_member_matters_where_its_kind_recurs(sum_: str, ii: int | None) -> None:
    text = """
struct P { int x; };
int f(int A[64]) {
  int s = 1;
  L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
    struct P o[2];
    o[0].x = A[i] * A[i];
#pragma HLS BIND_OP variable=o[0].x op=mul impl=dsp latency=4
    %s
  }
  return s;
}
"""
    result = loop(text % sum_)
    assert result.ii == ii
    assert any("BIND_OP" in c.text for c in (*result.causes, *result.depth_causes))


def test_taking_a_local_structure_apart_changes_nothing() -> None:
    text = """
struct P { int x; int y; };
int f(int A[64]) {
  int s = 1;
  L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
    struct P o;
#pragma HLS DISAGGREGATE variable=o
    o.x = A[i];
    o.y = o.x + 1;
    s += o.y;
  }
  return s;
}
"""
    assert loop(text).ii == 1


MERGED = """
int f(int A[64], int B[8]) {
  int s = 0;
  K: for (int k = 0; k < 8; k++) {
#pragma HLS LOOP_MERGE
    %s
    L: for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE II=1
      s += A[8 * k + i];
    }
    B[k] = s;
  }
  return s;
}
"""


@pytest.mark.parametrize(
    ("beside", "ii"), [("", 1), ("\n#pragma HLS UNROLL", None), ("for (int j = 0; j < 8; j++) B[j] = k;", None)]
)
def test_one_loop_is_merged_with_nothing(beside: str, ii: int | None) -> None:
    assert loop(MERGED % beside).ii == ii


LIMITED = """
static int part(int v, int n) {
#pragma HLS INLINE
#pragma HLS ALLOCATION operation instances=mul limit=%s
  return v * v;
}
void f(int A[64], int B[64], int n) {
#pragma HLS INLINE off
  L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
    B[i] = part(A[i], n)%s;
  }
}
"""


@pytest.mark.parametrize(
    ("limit", "more", "ii"), [("4", "", 1), ("1", "", 1), ("1", " * A[i]", None), ("2", " * A[i]", 1)]
)
def test_limits_of_a_call_matter_where_there_are_more_operations(limit: str, more: str, ii: int | None) -> None:
    assert loop(LIMITED % (limit, more)).ii == ii


@pytest.mark.parametrize(("call", "ii"), [("A[i]", 1), ("part(A[i])", None)])
def test_a_limit_that_a_missing_header_says_matters_where_it_is_called(call: str, ii: int | None) -> None:
    text = f"""#include "sizes.h"
static int part(int v) {{
#pragma HLS ALLOCATION operation instances=mul limit=MOST
  return v * v;
}}
int g(int v) {{ return part(v); }}
void f(int A[64], int B[64]) {{
  L: for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE II=1
    B[i] = {call} * A[i] * A[i];
  }}
}}
"""

    def read(path: str) -> bytes:
        if path != "t.c":
            raise FileNotFoundError(path)
        return text.encode()

    (found,) = (x for x in Pipeline(["t.c"], Options(), read).figures.loops if x.name == "L")
    assert found.ii == ii


@pytest.mark.parametrize(
    ("target", "statement", "ii"),
    [
        (64, "o[i] = a[i];", 1),  # 64 cycles for 64 iterations
        (100, "o[i] = a[i];", 1),
        (128, "o[i] = a[i];", None),  # an II of two would do
        (63, "o[i] = a[i];", None),  # more than an iteration a cycle
        (64, "o[i] = a[i] + a[(i + 7) % 64] + a[(i + 9) % 64];", None),  # the tool partitions
    ],
)
def test_performance_asks_for_an_ii(target, statement, ii):
    """UG1399: the target of PERFORMANCE is the II times the trip count."""
    text = "void f(int a[64], int o[64], int n) { for (int i = 0; i < n; i++) {\n"
    text += f"#pragma HLS performance target_ti={target}\n#pragma HLS LOOP_TRIPCOUNT max=64\n{statement}\n}} }}\n"
    assert pipelined_loop(text).ii == ii
