"""Directives that a schedule keeps by itself, or that only give it more time, do not hide its II."""

import pytest
from predicting import loop, pipelined

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
