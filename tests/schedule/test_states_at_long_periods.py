"""Operators of xcu280 at -2L and 10 ns, as latencies of functions show them (zedong-peng/ForgeHLS-benchmark)."""

import pytest
from predicting import result

from hlspart.targets.operators import likely_states

PARAMETERS = "float x[512], float y[512], float z[512], double d[512], double e[512], float s"


def depth(statement, before="", after=""):
    text = f"void f({PARAMETERS}) {{ {before} L: for (int i = 0; i < 512; i++) {{ {statement} }} {after} }}"
    (made,) = result(text, tool="vitis-2023.2", part="xcu280-fsvh2892-2L-e", clock_ns=10).loops
    return made.ii, made.depth


@pytest.mark.parametrize(
    ("statement", "figures"),
    [
        ("y[i] = x[i] > z[i] ? x[i] : z[i];", (1, 4)),  # a comparison starts behind the state of its loads
        ("float t = x[i] * z[i]; y[i] = t > s ? t : s;", (1, 5)),  # and ends ahead of a selection and a store
        ("y[i] = (x[i] - z[i]) / s;", (1, 13)),  # a divider of seven states
        ("e[i] = d[i] * d[i];", (1, 3)),
        ("y[i] = x[i] / 0.3;", (1, 16)),  # a double, since 0.3 is no float
    ],
)
def test_figures_of_loops(statement, figures):
    assert depth(statement) == figures


def test_a_divisor_that_iterations_change_takes_a_state_less():
    """Reports: seven states where all iterations divide by the same (four functions), else six (four others)."""
    _, same = depth("y[i] = (x[i] - z[i]) / s;")
    _, other = depth("y[i] = (x[i] - z[i]) / z[i];")
    assert (same, other) == (13, 12)


TWO = "if (k[i] > 0) q[i] = 1; else q[i] = q[i - 1];"


@pytest.mark.parametrize(
    ("arms", "ii"), [("q[i] = q[i - 1] + k[i];", 1), (TWO, 1), ("if (k[i] < 0) q[i] = 2; else " + TWO, 2)]
)
def test_what_several_arms_store_is_no_register(arms, ii):
    """A latch and a flip-flop: of several stores to one memory none is handed on; those of two arms are one."""
    text = f"void f(int q[512], int k[512]) {{ for (int i = 1; i < 512; i++) {{ {arms} }} }}"
    (made,) = result(text, tool="vitis-2023.2", part="xcu280-fsvh2892-2L-e", clock_ns=10).loops
    assert made.ii == ii


@pytest.mark.parametrize(("period", "bounds"), [(9.0, (3, 10)), (7.3, (6, 10)), (5.0, (6, 16)), (3.65, (16, 16))])
def test_of_several_figures_at_one_period_others_are_bound_by_the_loosest(period, bounds):
    """All numbers of states that fall with the period and are, at 7.3 ns, one of the two that reports have."""
    entry = {"points": [[13.5, 3], [7.3, 6], [7.3, 10], [3.65, 16]]}
    least, _, most = likely_states(entry, period, {"foreign": 1.0, "faster": 1.0})
    falling = [(a, b) for a in range(3, 17) for b in (6, 10) if (a <= b if period > 7.3 else b <= a)]
    assert (least, most) == bounds
    if period in (9.0, 5.0):
        assert bounds == (min(a for a, _ in falling), max(a for a, _ in falling))
