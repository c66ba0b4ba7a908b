"""The most iterations of loops that a break, continue or return leaves, against running them."""

import pytest

from hlspart.accesses import analyse
from hlspart.frontend import load
from hlspart.model.access import Bounds
from hlspart.model.options import FrontendOptions


def trips(text: str) -> Bounds:
    program = load(["k.c"], FrontendOptions(), read=lambda _: text.encode())
    assert program.units[0].error is None, program.units[0].error
    (info,) = analyse(program).loops.values()
    return info.trip_count


@pytest.mark.parametrize("start", [0, 3])
@pytest.mark.parametrize("step", [1, 3, -2])
@pytest.mark.parametrize("test", ["i >= 20", "i == 9", "i <= -7", "i < -30", "i % 4 == 3", "2 * i + 1 > 15"])
def test_a_break_that_is_affine_bounds_an_endless_loop(start, step, test):
    """Both where the loop begins with the test and where it ends with it."""
    for ahead in (True, False):
        i, entered = start, 0
        while entered < 500:
            entered += 1
            i += 0 if ahead else step
            if eval(test.replace("i % 4 == 3", "abs(i) % 4 == 3 and i > 0")):
                break
            i += step if ahead else 0
        leave = f"if ({test}) break;"
        body = f"{leave} A[i & 63] = 0; i += {step};" if ahead else f"A[i & 63] = 0; i += {step}; {leave}"
        found = trips(f"void f(int A[64]) {{ int i = {start}; while (1) {{ {body} }} }}")
        assert (found.min, found.max) == (0, entered if entered < 500 else None)


@pytest.mark.parametrize(
    ("loop", "most"),
    [
        ("for (int i = 0; i < 64; i++) { if (i == 20) break; if (A[i]) return; }", 21),
        ("for (int i = 0; i < 64; i++) { if (A[i]) break; }", 64),
        ("for (int i = 0;; i++) { if (A[i] == 3 || i >= 40) break; }", 41),
        ("for (int i = 0;; i++) { if (A[i] == 3 && i >= 40) break; }", None),
        ("for (int i = 0;; i++) { if (i < 7) continue; if (A[i]) break; if (i > 9) return; }", 11),
        ("for (int i = 0;; i++) { A[i] = 0; break; }", 1),
        ("for (int i = 0;; i++) { if (i == n) break; }", None),
        ("for (int i = 63; i >= 0; i--) { if (i < n && i < 60) break; }", 64),
    ],
)
def test_exits_of_several_kinds(loop, most):
    assert trips(f"void f(int A[64], int n) {{ {loop} }}").max == most


def test_a_case_whose_label_nobody_knows() -> None:
    text = """
void f(int A[8]) {
  for (int i = 0; i < 8; i++)
    switch (i) { case LIMIT: A[i] = 1; break; case 3: A[i] = 2; break; default: A[i] = 3; }
}
"""
    stores = analyse(load(["t.cpp"], FrontendOptions(), read=lambda _: text.encode())).accesses
    assert [(a.exact, a.count if a.exact else None) for a in stores] == [(False, None), (True, 1), (False, None)]
