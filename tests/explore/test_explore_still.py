"""Windows that lie still: iterations that meet in an element keep their order, the other loops are free."""

import random
from pathlib import Path

import pytest

from hlspart.explore.emit import write
from hlspart.explore.nests import nests
from hlspart.explore.records import ReadNest
from hlspart.explore.space import Space
from hlspart.model.exploring import ExploreOptions, ExternalMemory, ResourceBudget, Vector
from hlspart.model.options import Options
from hlspart.pipeline import Pipeline
from hlspart.verification import VerifyOptions, verify
from tests.amounts import LONG, amount

TEXT = """
void scan(int A[13][11], int B[13][11]) {
    for (int i = 1; i < 13; i++)
        for (int j = 0; j < 11; j++)
            A[i][j] = A[i - 1][j] * 3 + B[i][j];
}
void gather(int x[19], int idx[23], int y[23]) {
    for (int i = 0; i < 23; i++)
        y[i] = x[(idx[i] & 7) + idx[i / 2] % 3 + 2] + x[i % 17];
}
void count(int p[53], int h[9]) {
    for (int i = 0; i < 53; i++)
        h[(p[i] & 7) + 1] += i;
}
void scatter(int p[29], int q[29], int h[8]) {
    for (int i = 0; i < 29; i++)
        h[p[i] & 7] = q[i] - h[q[i] & 3];
}
void seidel(int A[7][9]) {
    for (int t = 0; t < 3; t++)
        for (int i = 1; i < 6; i++)
            for (int j = 1; j < 8; j++)
                A[i][j] = (A[i - 1][j] + A[i][j - 1] + A[i][j] + A[i][j + 1] + A[i + 1][j]) / 3;
}
void paths(int P[7][7]) {
    for (int k = 0; k < 7; k++)
        for (int i = 0; i < 7; i++)
            for (int j = 0; j < 7; j++)
                P[i][j] = P[i][j] < P[i][k] + P[k][j] ? P[i][j] : P[i][k] + P[k][j];
}
void lower(int A[11][11], int D[5][11], int x[11]) {
    for (int d = 0; d < 5; d++)
        for (int i = 1; i < 11; i++)
            for (int j = 0; j < i; j++)
                D[d][i] -= A[i][j] * D[d][j] + x[(i * j) & 7];
}
void guarded(int G[17], int c[53]) {
    for (int i = 1; i < 17; i++)
        if (i < 16 - (c[i] & 3))
            G[i] += G[i + 1] * G[i - 1];
}
void inside(int G[17], int p[53], int q[53]) {
    for (int i = 0; i < 17; i++)
        if (i < 16 - (p[i] & 1))
            q[i] = G[i + 1] - p[i];
}
void all(int A[13][11], int x[19], int y[23], int p[53], int q[53], int h[9], int S[7][9], int P[7][7], int D[5][11],
         int G[17]) {
    int B[13][11], L[11][11];
    for (int i = 0; i < 13; i++)
        for (int j = 0; j < 11; j++)
            B[i][j] = A[i][j] ^ i;
    for (int i = 0; i < 11; i++)
        for (int j = 0; j < 11; j++)
            L[i][j] = A[j][i] % 3;
    scan(A, B);
    gather(x, p, y);
    count(p, h);
    scatter(p, q, h);
    seidel(S);
    paths(P);
    lower(L, D, x);
    guarded(G, p);
    inside(G, p, q);
}
"""
#: Function -> loops that keep their order: those that other dimensions do not have; None: sums, in any order.
ORDERED = {"scan": {0}, "gather": set(), "count": None, "scatter": {0}, "seidel": {0, 1, 2}, "paths": {0, 1, 2},
           "lower": {1, 2}, "guarded": {0}, "inside": set()}  # fmt: skip


def test_candidates_with_still_windows_compute_the_same(tmp_path: Path) -> None:
    old = tmp_path / "still.c"
    old.write_text(TEXT)
    pipeline = Pipeline([str(old)], Options())
    for seed in range(amount(2, 30)):
        rng, chosen = random.Random(seed), []
        for name, ordered in ORDERED.items():
            (of,) = nests(pipeline.program, pipeline.proved, pipeline.program.functions[name], 2)
            assert isinstance(of, ReadNest), (name, of)
            assert any(any(w.still) for w in of.windows) == (name != "inside")
            assert of.nest.ordered == (ordered is not None)
            space = Space(of.nest, rng.choice((2, 3, 5)), reassociate=True)
            assert ordered is None or of.nest.reductions == ordered
            assert all(s[k] == 1 for s in space.shards() for k in ordered or ())
            shard = rng.choice(space.shards()[:-1] or space.shards())
            split = rng.choice(list(space.slices(shard)))
            chosen.append((of, Vector(shard, split, rng.choice(list(space.orders(split))))))
        texts, _ = write(pipeline.program, chosen, ExternalMemory(64, 0))
        new = tmp_path / f"new{seed}.c"
        new.write_text(texts[str(old)])
        result = verify(str(old), str(new), VerifyOptions(top="all", vectors=4, value_range=(0, 9)))
        assert result.status == "equal", (seed, chosen, result.message)


def test_what_cannot_lie_still_is_refused() -> None:
    """Nothing is known of the extents of a pointer; an index that counts cannot be written elsewhere."""
    for text in ("void f(int *x, int y[8]) { for (int i = 0; i < 8; i++) y[i] = x[y[i]]; }",
                 "void f(int x[8], int y[8]) { int n = 0; for (int i = 0; i < 8; i++) x[n++] = y[i]; }",
                 "void f(int x[9], int y[8]) { for (int i = 0; i < 8; i++) { int t = i; x[t++] = y[i]; y[i] = t; } }",
                 "void f(int *x, int y[8]) { for (int i = 0; i < 8; i++) if (y[i]) y[i] = x[i + 1]; }"):  # fmt: skip
        pipeline = Pipeline(["f.c"], Options(), lambda _, text=text: text.encode())
        assert not any(
            isinstance(n, ReadNest)
            for n in nests(pipeline.program, pipeline.proved, pipeline.program.functions["f"], 2)
        )


def test_whole_arrays_take_no_memory_of_nests_that_gain() -> None:
    text = "void f(int A[64], int B[64], int C[64]) {{ {} for (int i = 1; i < 64; i++) A[i] += A[i - 1] * 3; }}"
    for before, read in (("", [True]), ("for (int i = 0; i < 64; i++) B[i] = C[i];", [True, False])):
        p = Pipeline(["f.c"], Options(), lambda _, before=before: text.format(before).encode())
        done = nests(p.program, p.proved, p.program.functions["f"], 2)
        assert [isinstance(n, ReadNest) for n in done] == read


@pytest.mark.skipif(not LONG, reason="takes long: make test-long")
def test_small_tiles_beside_a_still_window_take_no_less_than_the_model() -> None:
    """Some lie in registers although the window never does; what a step alone takes is no bound for them."""
    body = "if (j < 12 - (p[j] & 1)) A[i][j] = (B[i][j - 1] * B[(i * 3) % 11][j / 2]) % 97;"
    loops = "for (int i = 1; i < 11; i++) for (int j = 1; j < 13; j++)"
    text = f"void f(int A[11][13], int B[11][13], int p[13]) {{ {loops} {body} }}"
    off_chip, budget = ExternalMemory(64, 0, per_array=True), ResourceBudget(size=700)
    options = ExploreOptions(elements=3, budget=budget, off_chip=off_chip, whole=0, write=True)
    shape = Pipeline(["f.c"], Options(), lambda _: text.encode()).explore("f", options).shape
    assert shape["bound"] <= shape["best"]["model_cycles"] <= shape["best"]["schedule_cycles"]
