"""Nests of called functions: searched with those of the top function, as often as their calls run."""

from pathlib import Path

import pytest

from hlspart.model.exploring import Assumed, ExploreOptions, ExternalMemory, ResourceBudget
from hlspart.model.options import Options
from hlspart.pipeline import Pipeline
from hlspart.verification import VerifyOptions, verify

HEAD = """int seen;
static int one(int v) { return v + 1; }
static void scale(int P[7][5], int Q[7][5]) {
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 5; j++) Q[i][j] = P[i][j] * 3 + one(i);
}
static void product(int P[7][5], int v[5], int w[7]) {
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 5; j++) w[i] += P[i][j] * v[j];
}
static void both(int R[7][5], int a[5], int b[7]) {
    product(R, a, b);
    for (int i = 0; i < 7; i++) b[i] = b[i] - i;
}
static void move(int v[5], int w[5]) {
    for (int i = 0; i < 5; i++) w[i] = v[i] + 1;
}
void top(int A[7][5], int x[5], int y[7], int z[7]) {
    int T[7][5];
%s
}
"""


def explored(tmp_path: Path, body: str, size: int = 2048) -> tuple[dict[str, list[tuple[str, int]]], str, int]:
    """Function -> loops and how often they run, of the searched and the rest; what ``verify`` says; resident bytes."""
    path, new = tmp_path / "a.c", tmp_path / "b.c"
    path.write_text(HEAD % body)
    options = ExploreOptions(2, (), ResourceBudget(size=size), ExternalMemory(16, 20), assumed={"*": Assumed(1, 9, 2)},
                             write=True)  # fmt: skip
    result = Pipeline([str(path)], Options()).explore("top", options)
    regions = [(r["function"], r["repeats"]) for r in result.shape["regions"] if r["explored"]]
    left = [(d.message.split()[3], d.place.line) for d in result.diagnostics if "not searched" in d.message]
    new.write_text(result.texts[str(path)])
    status = verify(str(path), str(new), VerifyOptions(top="top", vectors=2, value_range=(-9, 9))).status
    return {"searched": regions, "left": left}, status, result.shape["resident_bytes"]


def test_nests_of_called_functions_are_searched(tmp_path: Path) -> None:
    body = """    scale(A, T);
    for (int i = 0; i < 7; i++) z[i] = i + y[i];
    both(T, x, y);
    for (int t = 0; t < 3; t++) product(A, x, z);"""
    found, status, resident = explored(tmp_path, body)
    # in the order in which they run; `product` once by `both` and three times here
    assert found == {"searched": [("scale", 1), ("top", 1), ("product", 4), ("both", 1)], "left": []}
    assert status == "equal"
    assert resident == 7 * 5 * 4  # T lies on the chip


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("if (y[0] > 2) scale(A, T);", "scale"),  # not always
        ("while (y[0]-- > 2) move(x, T[0]);", "move"),  # how often?
        ("move(T[0], T[1]);", "move"),  # parts of one array
        ("product(A, x, y); if (z[0]) product(A, x, z);", "product"),
        ("if (y[0] > 2) return; scale(A, T);", "scale"),  # not always
        ("for (int t = 0; t < 3; t++) { if (y[t]) continue; move(x, z); }", "move"),
        ("around(A, T);", "around"),  # has no nests of its own
        ("\n#pragma HLS DATAFLOW\n    move(x, z);", "move"),  # they run at once
        ("int *p = x; move(p + 1, T[1]);", "move"),
    ],
)
def test_calls_that_may_not_run_or_share_arrays_are_named(tmp_path: Path, call: str, name: str) -> None:
    copy = "for (int i = 0; i < 7; i++) for (int j = 0; j < 5; j++) T[i][j] = A[i][j];"
    body = f"    {copy}\n    {call}\n    z[1] += T[1][1];"
    path = tmp_path / "a.c"
    around = (
        "static void around(int P[7][5], int Q[7][5]) { scale(P, Q); }\nvoid top" if name == "around" else "void top"
    )
    path.write_text((HEAD % body).replace("void top", around))
    result = Pipeline([str(path)], Options()).explore("top", ExploreOptions(assumed={"*": Assumed(1, 9, 2)}))
    assert [r["function"] for r in result.shape["regions"] if r["explored"]] == ["top"]
    assert any(f"of {name} are not searched" in d.message for d in result.diagnostics)
