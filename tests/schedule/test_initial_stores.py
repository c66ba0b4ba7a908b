"""Lists with values of the run are the stores that they stand for, in front of loops and in their bodies."""

import pytest
from predicting import result

CASES = [
    ("int a[16] = {x[15], x[14], x[13], x[12], x[11], x[10]};",
     "int a[16]; a[0] = x[15]; a[1] = x[14]; a[2] = x[13]; a[3] = x[12]; a[4] = x[11]; a[5] = x[10];"
     "a[6] = 0; a[7] = 0; a[8] = 0; a[9] = 0; a[10] = 0; a[11] = 0; a[12] = 0; a[13] = 0; a[14] = 0; a[15] = 0;"),
    ("const int a[4] = {x[n], n, 7, x[n + 1]}, b = a[0];",
     "int a[4]; a[0] = x[n]; a[1] = n; a[2] = 7; a[3] = x[n + 1];"),
    ("int a[2][2] = {{x[n], x[n + 1]}, {n}};",
     "int a[2][2]; a[0][0] = x[n]; a[0][1] = x[n + 1]; a[1][0] = n; a[1][1] = 0;"),
]  # fmt: skip


def _figures(listed: str, at: int) -> list[tuple[object, ...]]:
    """With the list in front of the loop, or in its body."""
    use = "a[1][0] + a[0][1]" if "a[2][2]" in listed else "a[0] - a[3]"
    places = [listed if at == k else "" for k in range(2)]
    found = result(f"""void f(const int x[64], int y[32]) {{
  int n = x[40];
  {places[0]}
  L: for (int i = 0; i < 30; i++) {{
#pragma HLS PIPELINE
    {"int n = i;" if at else ""}
    {places[1]}
    y[i] = {use};
  }}
}}
""")
    (function,) = found.functions
    return [(x.ii, x.depth, x.trip_count.exact) for x in found.loops] + [(function.latency.max,)]


@pytest.mark.parametrize(("listed", "stored"), CASES)
@pytest.mark.parametrize("at", [0, 1])
def test_a_list_is_a_store_per_element(listed: str, stored: str, at: int) -> None:
    figures = _figures(listed, at)
    assert figures == _figures(stored, at)
    assert all(x is not None for row in figures for x in row)


@pytest.mark.parametrize("kind", ["int", "float"])
@pytest.mark.parametrize("test", ["x[i] > 3", "i > 7", "s > 5"])
@pytest.mark.parametrize("change", ["c[1] += s; c[0] = c[2];", "if (x[i] > 1) c[0] = c[1] * 3;"])
def test_zeros_under_a_condition_are_stores_as_well(kind: str, test: str, change: str) -> None:
    def figures(start: str) -> list[tuple[object, ...]]:
        found = result(f"""void f({kind} x[64], {kind} o[64]) {{
  {kind} s = 0;
  L: for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE II=1
    if ({test}) {{
      {start}
      {change}
      s += c[0] + c[1] + c[2];
      o[i] = s;
    }}
  }}
}}
""")
        return [(x.ii, x.bounds, x.depth) for x in found.loops]

    assert figures(f"{kind} c[3] = {{0}};") == figures(f"{kind} c[3]; c[0] = 0; c[1] = 0; c[2] = 0;")
    assert all(ii or bounds for ii, bounds, _ in figures(f"{kind} c[3] = {{0}};"))
