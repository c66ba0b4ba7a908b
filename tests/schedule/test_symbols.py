"""Which scalars become names of the iteration space: those that can reach an index."""

import pytest
from predicting import pipelined, result

from hlspart.frontend import load
from hlspart.model.options import FrontendOptions
from hlspart.semantics.folding import indexing


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("A[i] = x * n;", {"i"}),
        ("A[i + x] = n;", {"i", "x"}),
        ("int t = x + 1; int u; u = t; A[u] = n;", {"t", "u", "x"}),
        ("int t = x; t += n; A[t] = 0;", {"t", "x", "n"}),
        ("if (x > n) A[i] = A[x];", {"i", "x"}),
        ("A[n ? i : x] = 0;", {"n", "i", "x"}),
        ("int t; for (t = x; t < n; t++) A[t] = i;", {"t", "x"}),
    ],
)
def test_scalars_that_reach_an_index(body, names):
    text = f"void f(int A[64], int i, int n, int x) {{ {body} }}"
    program = load(["k.c"], FrontendOptions(), read=lambda _: text.encode())
    found = indexing(program.functions["f"].body.body, program)
    assert {program.variable(v).name for v in found} == names


def test_scalars_beside_the_indices_change_no_count():
    """Three reads of one row, a partition of the other dimension: the factor x is no dimension of the space."""
    pragmas = "#pragma HLS ARRAY_PARTITION variable=B dim=2 cyclic factor=4"
    parameters = "int B[64][64], int n"
    for factor in ("1", "n"):
        text = pipelined(f"acc += {factor} * (B[i][0] + B[i][1] + B[i][2] + B[i][3]);", pragmas, parameters)
        found = next(x for x in result(text).loops if x.name == "L")
        assert not [x for x in found.limits if x.kind == "memory-port"]


def test_an_outer_iterator_beside_a_scalar_keeps_its_element():
    """All iterations of K touch one element, whatever n is: the recurrence is that of a constant row."""
    text = """void f(float C[64][64], float A[64], int n) {
  for (int j = 0; j < 64; j++)
    K: for (int k = 0; k < 64; k++) {
#pragma HLS PIPELINE
#pragma HLS LOOP_FLATTEN off
      C[n][j] += A[k];
    }
}"""
    found, constant = (next(x for x in result(t).loops if x.name == "K") for t in (text, text.replace("[n]", "[7]")))
    assert found.ii == constant.ii > 1
