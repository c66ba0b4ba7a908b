"""Nests in the bodies of loops, and bounds that other iterators say: what is read, its cost, what its C computes."""

import random
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from hlspart.explore.emit import write
from hlspart.explore.nests import nests
from hlspart.explore.records import KeptNest, ReadNest
from hlspart.explore.space import Space
from hlspart.model.exploring import Assumed, ExploreOptions, ExternalMemory, Vector
from hlspart.model.options import Options
from hlspart.pipeline import Pipeline
from hlspart.verification import VerifyOptions, verify
from tests.amounts import amount

KERNELS = Path(__file__).parent / "kernels" / "loops.c"
#: Function -> how often each of its nests runs.
RUNS = {"below": (1,), "above": (1,), "in_place": (1,), "eliminate": (11, 11), "banded": (1, 1), "moving": (1,),
        "skewed": (3, 3), "rows": (15, 15), "steps": (3, 3)}  # fmt: skip


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return Pipeline([str(KERNELS)], Options())


def found(pipeline: Pipeline, name: str) -> list[ReadNest | KeptNest]:
    return nests(pipeline.program, pipeline.analysis, pipeline.program.functions[name], 2)


def test_what_stands_in_a_loop_is_a_nest(pipeline: Pipeline) -> None:
    read = {name: [n for n in found(pipeline, name) if isinstance(n, ReadNest)] for name in RUNS}
    assert {name: tuple(n.nest.repeats for n in of) for name, of in read.items()} == RUNS
    # boxes: all values that an iterator has in any iteration
    assert [n.nest.extents for name in RUNS for n in read[name]] == [
        (11, 11, 7), (11, 7, 10), (11, 7, 10), (10,), (10, 10), (11, 25), (11, 11), (11, 5), (1, 6, 5), (9,), (7, 7),
        (7,), (9, 11), (9, 11)
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(amount(1, 12)))
def test_random_candidates_compute_the_same(pipeline: Pipeline, tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    chosen: list[tuple[ReadNest, Vector]] = []
    for of in (n for name in RUNS for n in found(pipeline, name) if isinstance(n, ReadNest)):
        lanes = tuple(replace(o, lanes=rng.choice((1, 2, 8))) for o in of.nest.operands)
        of = replace(of, nest=replace(of.nest, operands=lanes))
        space = Space(of.nest, rng.choice((2, 4, 6)), reassociate=False)
        shard = rng.choice(space.shards()[:-1] or space.shards())
        split = rng.choice(list(space.slices(shard)))
        chosen.append((of, space.vector(shard, split, rng.choice(list(space.orders(split))))))
    assert len(chosen) == sum(map(len, RUNS.values()))
    texts, _ = write(pipeline.program, chosen, ExternalMemory(64, 0))
    new = tmp_path / "loops.c"
    new.write_text(texts[str(KERNELS)])
    result = verify(str(KERNELS), str(new), VerifyOptions(top="all", vectors=4, value_range=(-9, 9)))
    assert result.status == "equal", (seed, chosen, result.message)


def test_a_nest_costs_as_often_as_it_runs(tmp_path: Path) -> None:
    """Beside the same nests without the loop around them; the C, by ``ii``, within its few states a step."""
    text = KERNELS.read_text()
    whole = "#define N 11\n" + text[text.index("void steps") : text.index("void all")]
    once = whole.replace("for (int t = 0; t < 3; t++) {", "{ const int t = 0;")
    assert once != whole
    best = []
    for name, source in (("once", once), ("whole", whole)):
        path = tmp_path / f"{name}.c"
        path.write_text(source)
        options = ExploreOptions(elements=3, assumed={"*": Assumed(1, 9, 0)}, write=True)
        best.append(Pipeline([str(path)], Options(top="steps")).explore("steps", options).shape["best"])
    assert best[1]["model_cycles"] == 3 * best[0]["model_cycles"] > 0
    assert best[1]["schedule_cycles"] == 3 * best[0]["schedule_cycles"] >= best[1]["model_cycles"]
    assert [r["steps"] for r in best[1]["regions"]] == [r["steps"] for r in best[0]["regions"]]


SIGNS = """void f(float A[9], float s[9]) {
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < i; j++) s[i] += A[j];
}
"""
MAIN = """int main(void) {
    float A[9], s[9];
    for (int i = 0; i < 9; i++) A[i] = s[i] = -0.0f;
    f(A, s);
    for (int i = 0; i < 9; i++) if (1 / s[i] > 0) return 1;
    return 0;
}
"""


def test_sums_in_space_keep_the_sign_of_a_zero(tmp_path: Path) -> None:
    """Parts without terms add nothing: not +0, which makes +0 of -0."""
    pipeline = Pipeline(["f.c"], Options(), lambda _: SIGNS.encode())
    (of,) = found(pipeline, "f")
    assert isinstance(of, ReadNest)
    (text,) = write(pipeline.program, [(of, Vector((1, 4), (2, 1), (0, 1)))], ExternalMemory(64, 0))[0].values()
    assert "s_t_part" in text
    path = tmp_path / "f.c"
    path.write_text(text + MAIN)
    subprocess.run(["gcc", "-w", str(path), "-o", str(tmp_path / "f")], check=True)
    assert subprocess.run([str(tmp_path / "f")], check=False).returncode == 0


def test_a_sum_that_begins_anew_keeps_its_order() -> None:
    """What a loop of the sum sets again is no sum over that loop, whether the loop inside is whole or not."""
    for inner, known in (("k < 9", [(True, False), (False, True)]), ("k < 2", [(True, False)])):
        add = f"for (int k = 0; {inner}; k++) s[i] += A[j] * A[k];"
        rows = f"for (int i = 0; i < 8; i++) for (int j = 0; j < 7; j++) {{ s[i] = j; {add} }}"
        text = f"void f(int A[9], int s[8], int D[8][7]) {{ {rows} {rows.replace('s[i]', 'D[i][j]')} }}\n"
        pipeline = Pipeline(["f.c"], Options(), lambda _, text=text: text.encode())
        read = [n.nest for n in found(pipeline, "f") if isinstance(n, ReadNest)]
        assert [(n.ordered, n.sums) for n in read][: len(known)] == known, inner
