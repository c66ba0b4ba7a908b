"""C that ``ii`` says takes much more than its model: the model knows why, or others are read back beside it."""

from pathlib import Path

import pytest

from hlspart.explore.bound import Bound
from hlspart.explore.emit import write
from hlspart.explore.engine import Explorer
from hlspart.explore.records import ReadNest
from hlspart.explore.steps import cost
from hlspart.model.exploring import ExploreOptions, ExternalMemory, ResourceBudget, Vector
from hlspart.model.options import Options, TargetOptions
from hlspart.pipeline import Pipeline

KERNELS = Path(__file__).parent / "kernels" / "crossed.c"


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return Pipeline([str(KERNELS)], Options())


def test_sums_along_different_loops_wait_for_themselves(pipeline: Pipeline) -> None:
    options = ExploreOptions(off_chip=ExternalMemory(16, 20))
    explorer = Explorer(
        pipeline.program, pipeline.analysis, "crossed", options, pipeline.target, pipeline.predict, lambda _: {}
    )
    (region,) = explorer.plan.searched()
    nest = region.written.nest
    assert [sorted(c.loops) for c in nest.chains if not c.lie] == [[0], [1]]
    # q in registers, then in memory; s in registers; no sum
    for split, near in (((24, 2), True), ((2, 4), True), ((3, 20), True), ((24, 20), False)):
        vector = Vector((1, 1), split, (0, 1))
        texts, (written,) = write(pipeline.program, [(region.written, vector)], options.off_chip)
        taken = next(f.latency.max for f in pipeline.predict(texts).functions if f.name == written.compute)
        model = cost(nest, vector, options.off_chip).compute
        assert taken is not None and model <= taken
        assert not near or taken <= model * 1.5, split


def test_far_from_its_model_others_are_read_back(pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hlspart.explore.readback.READ_BACK", 3)
    options = ExploreOptions(
        elements=2, budget=ResourceBudget(size=2048), off_chip=ExternalMemory(16, 20), orders=False, write=True
    )
    result = pipeline.explore("symmetric", options)
    best, read = result.shape["best"], result.shape["evaluations"]
    taken = [e["cycles"] for e in read]
    assert taken[0] * 4 > read[0]["bound"] * 5 and len(read) > 1
    assert [e["bound"] for e in read] == sorted(e["bound"] for e in read)
    assert best["schedule_cycles"] == min(taken)
    assert result.shape["proved"] == (taken[0] == min(taken))
    assert ("explore-far" in [d.rule for d in result.diagnostics]) == (min(taken) * 4 > best["model_cycles"] * 5)


#: Bodies under loops i from 1 to 10 and j from 0 to 4: stores that loads of the next iteration wait for, of words that
#: lie in registers once banks are inferred; sums whose iterations are guarded in partial tiles alone, as of primes.
WAITING = {
    "stores": "B[i][j] = B[i][18 - i] & 63; E[j] = B[i][i + j] + (D[j] & B[i + 1][i + j]);",
    "sums": "E[2] += D[14 - j] % 9; E[18] += D[j] % 9; C[j] += E[i / 4 + 6];",
}


@pytest.mark.parametrize("name", WAITING)
def test_no_c_that_is_read_back_takes_less_than_its_model(name: str) -> None:
    """Nor much more: what ``ii`` says of it is within 5/4 of the model, which nothing beats."""
    head = "void f(short B[17][19], int C[19], int D[19], int E[19])"
    text = f"{head} {{ for (int i = 1; i < 11; i++) for (int j = 0; j < 5; j++) {{ {WAITING[name]} }} }}"
    if name == "sums":
        text = text.replace("i = 1; i < 11", "i = 0; i < 19").replace("j < 5", "j < 6")
    options = ExploreOptions(
        4, off_chip=ExternalMemory(64, 3, per_array=True), reassociate=True, orders=False, write=True
    )
    found = Pipeline(["f.c"], Options(), lambda _: text.encode()).explore("f", options).shape
    best = found["best"]
    assert found["proved"]
    assert found["bound"] <= best["model_cycles"] <= best["schedule_cycles"] <= best["model_cycles"] * 5 / 4


TARGET = TargetOptions(part="xcu55c-fsvh2892-2L-e", clock_ns=4.5)
TWO = ExploreOptions(2, reassociate=True, orders=False)


def explored(text: str) -> Pipeline:
    return Pipeline(["f.c"], Options(target=TARGET), lambda _: text.encode())


def read_of(pipeline: Pipeline, top: str) -> ReadNest:
    """The only nest of a function, measured for two elements."""
    known = pipeline.program, pipeline.analysis, top, TWO, pipeline.target, pipeline.predict
    (region,) = Explorer(*known, lambda _: {}).plan.searched()
    return region.written


CONV = """void conv(float in[8][10][10], float f[8][8][3][3], float out[8][8][8]) {
    for (int o = 0; o < 8; o++)
        for (int h = 0; h < 8; h++)
            for (int w = 0; w < 8; w++) {
                out[o][h][w] = 0;
                for (int c = 0; c < 8; c++)
                    for (int a = 0; a < 3; a++)
                        for (int b = 0; b < 3; b++)
                            out[o][h][w] += in[c][h + a][w + b] * f[o][c][a][b];
            }
}
"""


def test_small_tiles_have_the_least_depth_where_it_is_not_known() -> None:
    """Nine products and sums of floats take many states, whether the tool splits a small array or not."""
    nest = read_of(explored(CONV), "conv").nest
    assert min(depth for _, depth in nest.faster) > 9 * 2


PRODUCT = """void product(float A[18][40], float B[40][19], float C[18][19]) {
    for (int i = 0; i < 18; i++)
        for (int j = 0; j < 19; j++) {
            C[i][j] = 0;
            for (int k = 0; k < 40; k++)
                C[i][j] += A[i][k] * B[k][j];
        }
}
"""


def test_sums_wait_in_tiles_of_any_number_of_iterations() -> None:
    """No number of iterations divides a prime, and iterations of partial tiles, which are guarded, wait longer."""
    pipeline = explored(PRODUCT)
    written_nest = read_of(pipeline, "product")
    nest = written_nest.nest
    intervals = []
    for split in ((6, 5, 1), (9, 4, 1), (3, 3, 1)):  # 3 x 2, 2 x 3, 6 x 4 iterations between two terms
        vector = Vector((1, 2, 1), split, (0, 1, 2))
        texts, (written,) = write(pipeline.program, [(written_nest, vector)], TWO.off_chip)
        taken = next(f.latency.max for f in pipeline.predict(texts).functions if f.name == written.compute)
        model = cost(nest, vector, TWO.off_chip)
        assert taken is not None and model.compute <= taken <= model.compute * 1.25, split
        intervals.append(model.ii)
    assert intervals[0] == intervals[1] > intervals[2] == 1


def test_partial_tiles_take_no_less_than_their_model() -> None:
    """Iterations that ask along several loops whether they exist may have fewer states than those that do not ask."""
    suite = (Path(__file__).parent / "kernels" / "suite.c").read_text()
    text = suite[suite.index("void gemm(") : suite.index("void two_mm(")]
    pipeline = Pipeline(["f.c"], Options(), lambda _: text.encode())
    options = ExploreOptions(2, reassociate=True, schedule=True)
    explorer = Explorer(
        pipeline.program, pipeline.analysis, "gemm", options, pipeline.target, pipeline.predict, lambda _: {}
    )
    (region,) = explorer.plan.searched()
    nest, bound = region.written.nest, Bound(region.written.nest, options.off_chip)
    for shard, split in (((1, 1, 1), (12, 10, 11)), ((1, 2, 1), (29, 14, 15)), ((1, 1, 1), (10, 10, 10))):
        vector = Vector(shard, split, (0, 1, 2))
        texts, (written,) = write(pipeline.program, [(region.written, vector)], options.off_chip)
        taken = next(f.latency.max for f in pipeline.predict(texts).functions if f.name == written.compute)
        model = cost(nest, vector, options.off_chip)
        assert bound.under(shard).cycles(split) <= model.cycles
        assert model.compute == taken, split
