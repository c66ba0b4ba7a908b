"""The C of candidates computes what the source does: prime extents, partial tiles, sums in space, any order."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from hlspart.explore.emit import write
from hlspart.explore.nests import KeptNest, ReadNest, nests
from hlspart.explore.space import Space
from hlspart.model.exploring import ExternalMemory, Vector
from hlspart.model.options import Options
from hlspart.pipeline import Pipeline
from hlspart.verification import VerifyOptions, verify

HERE = Path(__file__).parent / "kernels"
NESTS = {"scaled": 1, "strided": 1, "reversed": 1, "both": 2, "guarded": 1, "rows": 1, "floats": 1, "square": 1}


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return Pipeline([str(HERE / "shapes.c")], Options())


def found(pipeline: Pipeline, name: str) -> list[ReadNest]:
    read = nests(pipeline.program, pipeline.analysis, pipeline.program.functions[name], 2)
    assert not any(isinstance(n, KeptNest) for n in read)
    return [n for n in read if isinstance(n, ReadNest)]


def test_every_nest_is_read(pipeline: Pipeline) -> None:
    assert {name: len(found(pipeline, name)) for name in NESTS} == NESTS


@pytest.mark.parametrize("seed", range(2))
def test_random_candidates_compute_the_same(pipeline: Pipeline, tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    chosen: list[tuple[ReadNest, Vector]] = []
    for name in NESTS:
        for of in found(pipeline, name):
            lanes = tuple(replace(o, lanes=rng.choice((1, 2, 8))) for o in of.nest.operands)
            of = replace(of, nest=replace(of.nest, operands=lanes))
            space = Space(of.nest, rng.choice((1, 2, 4, 6)), reassociate=False)
            shard = rng.choice(space.shards())
            split = rng.choice(list(space.slices(shard)))
            chosen.append((of, space.vector(shard, split, rng.choice(list(space.orders(split))))))
    assert any(max(v.shard) > 1 for _, v in chosen)
    assert any(max(v.split) > 1 for _, v in chosen)
    texts, written = write(pipeline.program, chosen, ExternalMemory(64, 0))
    assert len(written) == len(chosen)
    assert "lane" in texts[str(HERE / "shapes.c")]
    new = tmp_path / "shapes.c"
    new.write_text(texts[str(HERE / "shapes.c")])
    result = verify(str(HERE / "shapes.c"), str(new), VerifyOptions(top="all", vectors=4, value_range=(-9, 9)))
    assert result.status == "equal", (seed, chosen, result.message)


def test_comments_outside_of_nests_and_other_functions_stay(pipeline: Pipeline) -> None:
    of = found(pipeline, "rows")[0]
    text = (HERE / "shapes.c").read_text()
    new = write(pipeline.program, [(of, Vector((1, 1), (7, 1), (0, 1)))], ExternalMemory())[0][str(HERE / "shapes.c")]
    start, end = of.loops[0].at.span.start, of.loops[0].at.span.end
    head = text.index("void rows")
    assert new.startswith(text[:head])
    assert new.endswith(text[end:])
    assert text[head:start] in new


def test_dropped_and_refused(tmp_path: Path) -> None:
    cases = {
        "for (int i = 0; i < 8; i++) B[i + 1] = B[i] + A[i];": "several windows|meet in one element",
        "for (int i = 0; i < 8; i++) B[A[i] & 7] = i;": "not affine",
        "for (int i = 0; i < 8; i++) B[0] = A[i];": None,
        "for (int i = 0; i < 8; i++) B[i / 2] = A[i];": "sum of iterators|not affine",
        "for (int i = 0; i < 8; i++) for (int j = 0; j < i; j++) B[i] += A[j];": "not constant",
        "int s = 0; for (int i = 0; i < 8; i++) s += A[i]; B[0] = s;": "carried",
        "for (int i = 0; i < 8; i++) { for (int j = 0; j < 4; j++) B[i] += A[j]; for (int j = 0; j < 4; j++) B[i]++; }":
            "not alone",
        "for (int i = 7; i >= 0; i--) B[i] = A[i];": "counts down",
        "for (int i = 0; i < 8; i++) if (A[i]) break; else B[i] = 1;": "early|break",
        "for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) B[i + j] += A[j];": "meet in one element",
    }  # fmt: skip
    refused = 0
    for number, (body, reason) in enumerate(cases.items()):
        path = tmp_path / f"c{number}.c"
        path.write_text(f"void f(int A[16], int B[16]) {{ {body} }}\n")
        pipeline = Pipeline([str(path)], Options())
        read = nests(pipeline.program, pipeline.analysis, pipeline.program.functions["f"], 2)
        assert len(read) == 1
        if reason is None:
            assert isinstance(read[0], ReadNest)
            continue
        assert isinstance(read[0], KeptNest), body
        assert any(part in read[0].reason for part in reason.split("|")), (body, read[0].reason)
        refused += 1
    assert refused == len(cases) - 1


def test_a_function_on_one_line_and_behind_another(tmp_path: Path) -> None:
    text = "int one(void) { return 1; } void f(int A[32][32], int B[32][32]) { for (int i = 0; i < 32; i++) "
    text += "for (int j = 0; j < 32; j++) B[i][j] = A[i][j] + 1; }\n"
    path, new = tmp_path / "f.c", tmp_path / "new.c"
    path.write_text(text)
    read = Pipeline([str(path)], Options())
    of = nests(read.program, read.analysis, read.program.functions["f"], 2)[0]
    assert isinstance(of, ReadNest)
    of = replace(of, nest=replace(of.nest, operands=tuple(replace(o, lanes=8) for o in of.nest.operands)))
    written = write(read.program, [(of, Vector((1, 1), (4, 1), (0, 1)))], ExternalMemory(64, 0))[0][str(path)]
    assert "factor=8 dim=2\n {" in written  # a pragma has its line to itself
    new.write_text(written)
    assert verify(str(path), str(new), VerifyOptions(top="f", vectors=2)).status == "equal"
