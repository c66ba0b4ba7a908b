"""Scalars that iterations give a first value are theirs, others are carried through the nest; loops may count down."""

import random
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from hlspart.explore.emit import write
from hlspart.explore.nests import nests
from hlspart.explore.records import KeptNest, ReadNest
from hlspart.explore.space import Space
from hlspart.model.exploring import Assumed, ExploreOptions, ExternalMemory, Vector
from hlspart.model.options import Options
from hlspart.pipeline import Pipeline
from hlspart.verification import VerifyOptions, verify
from tests.amounts import amount

TEXT = """
void scaled(int A[7][11], int B[11][5], int C[7][5], int beta) {
    for (int i = 0; i < 7; i++)
        for (int j = 4; j >= 0; j--) {
            int sum = 0;
            for (int k = 0; k < 11; k++) sum += A[i][k] * B[k][j];
            C[i][j] = beta * C[i][j] + 3 * sum;
        }
}
void symmetric(int A[7][7], int B[7][11], int C[7][11]) {
    int i, j, k, t;
    for (i = 0; i < 7; i++)
        for (j = 0; j < 11; j++) {
            t = 0;
            for (k = 0; k < i; k++) {
                C[k][j] += B[i][j] * A[i][k];
                t += B[k][j] * A[i][k];
            }
            C[i][j] = 2 * C[i][j] + B[i][j] * A[i][i] + t;
        }
}
void pairs(int A[13], int B[11], int D[13][11]) {
    int w, v;
    for (int i = 12; i >= 0; i -= 2)
        for (int j = 0; j < 11; j++) {
            w = A[i] * 2;
            v = w + B[10 - j];
            D[i][j] = D[i][j] + v * w;
        }
    w = A[1];
    A[2] = w;
}
void rows(int D[13][11], short y[13]) {
    for (int i = 12; i > 0; i--) {
        short w = y[i], v = w + 1;
        for (int j = 0; j < 11; j++) w = (w * 3 + D[i][j]) & 255, v ^= w;
        y[i] = y[i - 1] + w + v;
    }
}
void turned(int A[13], int E[19]) {
    for (int i = 0; i < 9; i++)
        E[18 - 2 * i] = A[i] + i;
}
void best(int P[7][7]) {
    for (int i = 6; i >= 0; i--)
        for (int j = i + 1; j < 7; j++) {
            P[i][j] += i;
            for (int k = i + 1; k < j; k++)
                P[i][j] = P[i][j] >= P[i][k] + P[k + 1][j] ? P[i][j] : P[i][k] + P[k + 1][j];
        }
}
void dot(int A[13], int E[19], int B[11]) {
    int s = B[1];
    for (int i = 12; i >= 0; i--) s += A[i] * E[i + 3];
    B[0] = s;
}
void peak(int D[13][11], int A[13]) {
    int m, at = 2;
    for (int i = 0; i < 13; i++)
        for (int j = 0; j < 11; j++) {
            m = D[i][j] - A[i];
            if (m > A[at]) at = i;
        }
    A[0] = m + at;
}
void places(int D[13][11], int A[13]) {
    for (int i = 0; i < 13; i++) {
        int best = -1000, at = -1;
        for (int j = 10; j >= 0; j--)
            if (D[i][j] > best) {
                best = D[i][j];
                at = j;
            }
        A[i] = best * 16 + at;
    }
}
void all(int A[7][11], int B[11][5], int C[7][5], int S[7][7], int R[7][11], int T[7][11], int a[13], int b[11],
         int D[13][11], short y[13], int E[19], int P[7][7]) {
    scaled(A, B, C, 3);
    symmetric(S, R, T);
    pairs(a, b, D);
    rows(D, y);
    turned(a, E);
    best(P);
    dot(a, E, b);
    peak(D, a);
    places(D, a);
}
"""
#: Function -> operands of scalars, with their dimensions.
PRIVATE = {"scaled": {"sum": 2}, "symmetric": {"t": 2}, "pairs": {}, "rows": {"w": 1, "v": 1}, "turned": {}, "best": {},
           "dot": {"s": 0}, "peak": {"m": 0, "at": 0},
           "places": {"at": 1}}  # fmt: skip


def test_candidates_compute_the_same(tmp_path: Path) -> None:
    old = tmp_path / "scalars.c"
    old.write_text(TEXT)
    pipeline = Pipeline([str(old)], Options())
    for seed in range(amount(2, 30)):
        rng, chosen = random.Random(seed), []
        for name, private in PRIVATE.items():
            (of,) = nests(pipeline.program, pipeline.proved, pipeline.program.functions[name], 2)
            assert isinstance(of, ReadNest), (name, of)
            assert {o.name: len(o.loops) for o in of.nest.operands if o.private} == private
            assert name != "dot" or (of.nest.sums and not of.nest.ordered)  # parts of it may lie in space
            space = Space(of.nest, rng.choice((2, 3, 5)), reassociate=True)
            shard = rng.choice(space.shards()[:-1] or space.shards())
            splits = [s for s in space.slices(shard) if next(space.orders(s), None) is not None]
            split = rng.choice(splits)
            chosen.append((of, Vector(shard, split, rng.choice(list(space.orders(split))))))
        texts, _ = write(pipeline.program, chosen, ExternalMemory(64, 0))
        new = tmp_path / f"new{seed}.c"
        new.write_text(texts[str(old)])
        result = verify(str(old), str(new), VerifyOptions(top="all", vectors=4, value_range=(0, 9)))
        assert result.status == "equal", (seed, chosen, result.message)


def test_steps_of_an_iteration_come_together() -> None:
    """No tile of a scalar leaves unfinished: loops inside of its own are the inner ones in time."""
    pipeline = Pipeline(["f.c"], Options(), lambda _: TEXT.encode())
    (of,) = nests(pipeline.program, pipeline.proved, pipeline.program.functions["scaled"], 2)
    assert isinstance(of, ReadNest)
    orders = {v.order[: sum(t > 1 for t in v.split)] for v in Space(of.nest, 1).vectors()}
    assert {(0, 1, 2), (1, 0, 2), (0, 2), (2,), ()} <= orders
    assert not any(2 in order[:-1] for order in orders)


def _functions(folder: Path, bodies: Sequence[str]) -> Path:
    """A file with a function for each body, and one that calls them all."""
    heads = [f"void f{k}(int A[8], int B[8][8], int C[8]) {{ {body} }}" for k, body in enumerate(bodies)]
    calls = " ".join(f"f{k}(A, B, C);" for k in range(len(bodies)))
    (path := folder / "f.c").write_text(
        "\n".join([*heads, f"void all(int A[8], int B[8][8], int C[8]) {{ {calls} }}\n"])
    )
    return path


def test_scalars_that_live_on_are_carried(tmp_path: Path) -> None:
    """Into the next iteration, behind the nest, or into the bounds of a loop: no iteration has one of its own."""
    row = "for (int j = 0; j < 8; j++) w += B[i][j];"
    bodies = (
        f"for (int i = 0; i < 8; i++) {{ A[i] = w; w = 0; {row} C[i] = 2 * w; }}",
        f"for (int i = 0; i < 8; i++) {{ w = 0; {row} C[i] = 2 * w; }} A[0] = w;",
        f"for (int t = 0; t < 3; t++) {{ A[t] += w; for (int i = 0; i < 8; i++) {{ w = 0; {row} C[i] = 2 * w; }} }}",
        f"for (int i = 0; i < 8; i++) {{ if (A[i]) w = 0; {row} C[i] = 2 * w; }}",
        "for (int i = 0; i < 8; i++) { w = i + 1; for (int j = 0; j < w; j++) A[j] += B[i][j]; C[i] = w; }",
        "for (int i = 0; i < 8; i++) { for (int j = 0; j < 8; j++) { w = B[i][j]; A[j] += w; } C[i] = w; }",
        "for (int i = 0; i < 8; i++) for (int j = 0; j <= i; j++) { A[j] += w; if (B[i][j] > 3) w = i; } C[0] = w;",
    )
    old, new = _functions(tmp_path, [f"int w = 1; {body}" for body in bodies]), tmp_path / "new.c"
    pipeline = Pipeline([str(old)], Options())
    chosen = []
    for k, body in enumerate(bodies):
        (of,) = nests(pipeline.program, pipeline.proved, pipeline.program.functions[f"f{k}"], 2)
        if isinstance(of, ReadNest):
            assert not any(o.private and o.loops for o in of.nest.operands), body
            space = Space(of.nest, 2)
            chosen.append((of, list(space.vectors())[k % space.size]))
    assert len(chosen) > 4
    new.write_text(write(pipeline.program, chosen, ExternalMemory(64, 0))[0][str(old)])
    assert verify(str(old), str(new), VerifyOptions(top="all", vectors=4, value_range=(-9, 9))).status == "equal"


def test_scalars_take_memory_and_move_nothing() -> None:
    pipeline = Pipeline(["f.c"], Options(), lambda _: TEXT.encode())
    options = ExploreOptions(elements=5, assumed={"*": Assumed(1, 9, 2)})
    best = pipeline.explore("scaled", options).shape["best"]
    (region,) = best["regions"]
    (mine,) = [b for b in region["buffers"] if b["array"] == "sum"]
    slices = dict(zip("ijk", region["slice"], strict=True))
    shards = dict(zip("ijk", region["shard"], strict=True))
    assert mine["bytes"] == 4 * slices["i"] * slices["j"] * shards["i"] * shards["j"] and mine["copies"] == 1
    assert "sum" not in {m["array"] for m in (*region["load"], *region["store"])}
    assert best["bytes"] == sum(b["bytes"] * b["copies"] for b in region["buffers"])


def test_scalars_without_a_value_are_not_read(tmp_path: Path) -> None:
    """A scalar that is carried has a value when the nest begins, or is not read there; what names none is left out."""
    loops = "for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++)"
    row = "for (int j = 0; j < 8; j++)"
    bodies = (
        f"int t; {loops} {{ if (j == 0) t = B[i][j]; A[j] += t * t; }}",
        f"int t; {loops} {{ t = B[i][j]; A[j] += t * t; }} C[0] = t;",
        f"int t; if (C[1] > 0) t = 3; else {{ t = C[2]; }} {loops} {{ t += B[i][j]; A[j] = t & 63; }} C[0] = t;",
        f"int s, r; for (int i = 0; i < 8; i++) {{ s = i, r = s + 2; {row} A[j] += s += r; }}",
        f"int s, r; for (int i = 0; i < 8; i++) {{ s = r = C[i]; {row} A[j] += s += r; }}",
        f"for (int i = 0; i < 8; i++) {{ int t; {row} B[i][j] = A[j] + (int)sizeof(t); }} C[0] = 0;",
        f"for (int i = 0; i < 8; i++) {{ int t = C[i]; {row} B[i][j] = A[j] + t; }}",
    )
    old, new = _functions(tmp_path, bodies), tmp_path / "new.c"
    pipeline = Pipeline([str(old)], Options())
    chosen = []
    for k, body in enumerate(bodies):
        (of,) = nests(pipeline.program, pipeline.proved, pipeline.program.functions[f"f{k}"], 2)
        assert isinstance(of, ReadNest), body
        space = Space(of.nest, 2)
        chosen.append((of, list(space.vectors())[k % space.size]))
    new.write_text(write(pipeline.program, chosen, ExternalMemory(64, 0))[0][str(old)])
    flags = ["-Wall", "-Wextra", "-O1", "-S", "-o", "/dev/null"]
    done = subprocess.run(["gcc", *flags, str(new)], capture_output=True, text=True)
    assert done.returncode == 0 and not re.search("uninitialized|set but not|parameter .i\\b", done.stderr), done.stderr
    assert verify(str(old), str(new), VerifyOptions(top="all", vectors=4, value_range=(-9, 9))).status == "equal"


def test_ways_that_give_no_value() -> None:
    """Whether a carried scalar may be read is not known where only some of the ways to the nest give it a value."""
    text = (
        "void f(int A[8], int B[8][8]) { int t; if (A[0]) t = 3; for (int i = 0; i < 8; i++)"
        " for (int j = 0; j < 8; j++) { if (j == A[1]) t = B[i][j]; A[j] += t * t; } }"
    )
    pipeline = Pipeline(["f.c"], Options(), lambda _: text.encode())
    (of,) = nests(pipeline.program, pipeline.proved, pipeline.program.functions["f"], 2)
    assert isinstance(of, KeptNest)
