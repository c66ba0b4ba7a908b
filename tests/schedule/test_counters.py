"""Counters that run through nests which are no box: iterations meet where the addresses of an enumeration do."""

from __future__ import annotations

import pytest
from predicting import least_distance, result

NESTS = {  # head of the nest -> the iterations of one run
    "for (int m = 1; m < 8; m++) for (int n = 0; n < m; n++)": lambda: [m for m in range(1, 8) for _ in range(m)],
    "for (int m = 0; m < k; m++) for (int n = 0; n < l; n++)": lambda: [m for m in range(9) for _ in range(5)],
    "for (int m = 0; m < k; m++) for (int n = 2 * m; n < l; n++)": lambda: [
        m for m in range(9) for _ in range(2 * m, 9)
    ],
    "for (int m = 0; m < k; m++) for (int n = m; n >= 0; n--)": lambda: [m for m in range(9) for _ in range(m + 1)],
}
LATENCY = 7  # of a load, a sum of doubles and a store


@pytest.mark.parametrize("head", NESTS)
@pytest.mark.parametrize(
    ("store", "load", "by"), [(0, 0, 1), (1, 0, 1), (3, 0, 1), (8, 0, 1), (0, 2, 1), (1, 0, 2), (4, 0, 2), (0, 0, 4)]
)
def test_ii_follows_from_the_distances_of_an_enumeration(head: str, store: int, load: int, by: int) -> None:
    text = f"""void f(double r[999], double x, int k, int l) {{
  int c = 0;
  {head} {{
#pragma HLS PIPELINE
    r[c + {store}] = r[c + {load}] + x;
    c += {by};
  }}
}}"""
    loop = next(x for x in result(text).loops if x.pipelined)
    counted = (by * t for t in range(len(NESTS[head]())))
    far = least_distance([((c + store,), (c + load,)) for c in counted])
    assert loop.ii == (1 if far is None else -(-LATENCY // far))


@pytest.mark.parametrize(
    "body",
    [
        "r[c] = r[c] + x; if (x > 1) c++;",
        "r[c] = r[c] + x; c++; if (c == 5) c = 0;",
        "if (x < 0) continue; r[c] = r[c] + x; c++;",
        "r[c] = r[c] + x; c += n;",
        "r[c] = r[c] + x; c++; g(c);",
    ],
)
def test_what_no_constant_moves_may_meet_in_the_next_iteration(body: str) -> None:
    text = f"""void g(int &c) {{ c--; }}
void f(double r[999], double x, int n) {{
  int c = 0;
  for (int m = 1; m < 8; m++) for (int k = 0; k < m; k++) {{
#pragma HLS PIPELINE
    {body}
  }}
}}"""
    loop = next(x for x in result(text, path="k.cpp").loops if x.pipelined)
    assert loop.ii is None or loop.ii > 1
