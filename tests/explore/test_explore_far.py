"""C that ``ii`` says takes much more than its model: the model knows why, or others are read back beside it."""

from pathlib import Path

import pytest

from hlspart.explore.emit import write
from hlspart.explore.engine import Explorer
from hlspart.explore.steps import cost
from hlspart.model.exploring import ExploreOptions, ExternalMemory, ResourceBudget, Vector
from hlspart.model.options import Options
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
