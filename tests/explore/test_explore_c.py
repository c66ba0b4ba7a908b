"""The C of candidates computes what the source does: prime extents, partial tiles, sums in space, any order."""

import math
import random
from pathlib import Path

import pytest
from msgspec.structs import replace

from hlspart.explore import measured
from hlspart.explore.bound import Bound
from hlspart.explore.emit import write
from hlspart.explore.engine import Explorer
from hlspart.explore.errors import FixError
from hlspart.explore.nests import nests
from hlspart.explore.records import KeptNest, ReadNest
from hlspart.explore.space import Space
from hlspart.explore.steps import cost
from hlspart.model.explored import ExploreResult
from hlspart.model.exploring import Assumed, ExploreOptions, ExternalMemory, Vector
from hlspart.model.options import Options
from hlspart.model.results import IIResult
from hlspart.pipeline import Pipeline
from hlspart.verification import VerifyOptions, verify
from tests.amounts import LONG, amount

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


@pytest.mark.parametrize("seed", range(amount(1, 2)))
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


def test_random_dataflow_regions_compute_the_same(pipeline: Pipeline, tmp_path: Path) -> None:
    rng = random.Random(20)
    chosen: list[tuple[ReadNest, Vector]] = []
    for name in ("strided", "reversed", "floats"):
        (of,) = found(pipeline, name)
        of = replace(of, nest=replace(of.nest, streams=True))
        space = Space(of.nest, rng.choice((1, 2)), reassociate=False)
        chosen.append((of, rng.choice(list(space.vectors()))))
    texts, _ = write(pipeline.program, chosen, ExternalMemory(64, 0))
    text = texts[str(HERE / "shapes.c")]
    assert text.count("#pragma HLS DATAFLOW\n") == 3
    new = tmp_path / "shapes.c"
    new.write_text(text)
    result = verify(str(HERE / "shapes.c"), str(new), VerifyOptions(top="all", vectors=4, value_range=(-9, 9)))
    assert result.status == "equal", (chosen, result.message)
    # between its processes an array has one writer, one reader, and is two memories
    figures = Pipeline([str(new)], Options(top="all")).figures
    inside = [a for a in figures.arrays if a.function in ("strided", "reversed", "floats") and a.storage == "auto"]
    copies = {a.copies for a in inside if a.name.startswith(("y_a", "c_a", "C_a"))}
    assert copies == {2}


SHARED = """
void product(int A[6][64], int B[64][10], int C[6][10]) {
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 10; j++) {
            C[i][j] = 0;
            for (int k = 0; k < 64; k++)
                C[i][j] += A[i][k] * B[k][j];
        }
}
"""


def test_a_word_that_elements_share_is_loaded_once_at_the_edge_too(tmp_path: Path) -> None:
    """3 x 4 elements, of which the last step leaves two columns without work: 4 loads of a word behind 4 tests."""
    path, new = tmp_path / "product.c", tmp_path / "new.c"
    path.write_text(SHARED)
    pipeline = Pipeline([str(path)], Options())
    (of,) = found(pipeline, "product")
    (order,) = list(Space(of.nest, 12, reassociate=False).orders((1, 3, 1)))[:1]
    vector = Space(of.nest, 12, reassociate=False).vector((3, 4, 1), (1, 3, 1), order)
    (text,) = write(pipeline.program, [(of, vector)], ExternalMemory(64, 0))[0].values()
    new.write_text(text)
    compute = [x for x in Pipeline([str(new)], Options()).ii.loops if x.function.endswith("_compute") and x.pipelined]
    assert [x.ii for x in compute] == [1]
    assert "A_v[i_pe] * B_t[j_pe]" in text and "j_pe < 10" in text
    assert verify(str(path), str(new), VerifyOptions(top="product", vectors=3)).status == "equal"


TWINS = """int gain;
void top(int A[7][11], int B[7][11], int C[7][11], int D[7][11], int u, int v) {
    int i, j, k;
    for (i = 0; i < 7; i++)
        for (j = 0; j < 11; j++)
            B[i][j] = A[i][j] * u + gain;
    for (i = 0; i < 7; i++)
        for (k = 0; k < 11; k++)
            D[i][k] = C[i][k] * v + gain;
    A[0][0] = i + j + k;
}
"""


def shared_functions(path: Path, text: str, plan: bool) -> ExploreResult:
    path.write_text(text)
    options = ExploreOptions(elements=2, share_functions=True, write=not plan, plan_only=plan)
    return Pipeline([str(path)], Options(top="top")).explore("top", options)


def test_nests_that_are_alike_call_the_same_functions(tmp_path: Path) -> None:
    path, new = tmp_path / "f.c", tmp_path / "new.c"
    result = shared_functions(path, TWINS, False)
    (text,) = result.texts.values()
    assert text.count("_compute(") == 3  # one definition, two calls
    first, second = result.shape["regions"]
    assert (first["functions_of"], second["functions_of"]) == (None, "r0")
    best = result.shape["best"]
    assert best["dsp"] == best["regions"][0]["dsp"] == best["regions"][1]["dsp"] > 0
    assert best["cycles"] == 2 * best["regions"][0]["cycles"]
    new.write_text(text)
    assert verify(str(path), str(new), VerifyOptions(top="top", vectors=3, value_range=(-99, 99))).status == "equal"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("C[i][k] * v + gain", "C[i][k] * gain + v"),  # a variable of the file is no argument
        ("C[7][11], ", "C[7][12], "),  # the parameter has other rows
        ("int C[7][11]", "const int C[7][11]"),
    ],
)
def test_nests_that_are_alike_but_for_what_their_functions_say(old: str, new: str, tmp_path: Path) -> None:
    regions = shared_functions(tmp_path / "f.c", TWINS.replace(old, new), True).shape["regions"]
    assert [r["reused_from"] for r in regions] == [None, "r0"]
    assert [r["functions_of"] for r in regions] == [None, None]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("for (int j = 0; j < 8; j++) B[i] += A[i + j];", "B is loaded and stored"),
        ("B[i] = A[i] + A[2 * i];", "A is used through several windows"),
        ("B[0] += A[i];", "B is loaded and stored"),
    ],
)
def test_nests_that_are_no_dataflow_region(body: str, why: str) -> None:
    text = f"void top(int A[16], int B[8]) {{\n    for (int i = 0; i < 8; i++) {{ {body} }}\n}}\n"
    with pytest.raises(FixError, match=f"f.c:2:5: .*{why}"):
        Pipeline(["f.c"], Options(), lambda _: text.encode()).explore("top", ExploreOptions(pipeline="dataflow"))


def test_blocks_of_bram_are_those_of_the_c() -> None:
    text = "void f(int A[64][96], int B[64][96]) {\n    for (int i = 0; i < 64; i++)\n"
    text += "        for (int j = 0; j < 96; j++) B[i][j] = A[i][j] + 1;\n}\n"
    pipeline, seen = Pipeline(["f.c"], Options(), lambda _: text.encode()), set()
    (of,) = found(pipeline, "f")
    for shard, split, lanes in (((1, 1), (3, 1), 16), ((2, 2), (2, 3), 1), ((1, 3), (2, 1), 8)):
        wide = tuple(replace(o, lanes=lanes) for o in of.nest.operands)
        one = replace(of, nest=replace(of.nest, operands=wide, memories=pipeline.target.memories))
        vector, off_chip = Vector(shard, split, (0, 1)), ExternalMemory(64, 9)
        figures = pipeline.with_texts(write(pipeline.program, [(one, vector)], off_chip)[0]).figures
        blocks = cost(one.nest, vector, off_chip).bram18k
        assert blocks == sum(a.bram18k for a in figures.arrays)
        seen.add(blocks)
    assert len(seen) == 3


SMOOTHED = """void f(float A[10][34], float B[10][34]) {
    for (int i = 1; i < 9; i++)
        for (int j = 1; j < 33; j++) B[i][j] = A[i][j] + A[i][j + 1] + A[i - 1][j];
}
"""


def test_words_that_a_store_moves_at_once_are_told_apart(tmp_path: Path) -> None:
    """Blocks of 8 words, 4 at once: that the next element's words are others only the bounds of the loops say."""
    path, new = tmp_path / "f.c", tmp_path / "new.c"
    path.write_text(SMOOTHED)
    pipeline = Pipeline([str(path)], Options())
    (of,) = found(pipeline, "f")
    of = replace(of, nest=replace(of.nest, operands=tuple(replace(o, lanes=4) for o in of.nest.operands)))
    vector, off_chip = Vector((1, 4), (2, 1), (0, 1)), ExternalMemory(16, 0)
    texts, (written,) = write(pipeline.program, [(of, vector)], off_chip)
    figures = pipeline.with_texts(texts).figures
    assert [x.ii for x in figures.loops if x.function == written.stores["B"] and x.pipelined] == [1]
    stores = next(m.cycles for m in cost(of.nest, vector, off_chip).moves if m.stored)
    took = next(f.latency.exact for f in figures.functions if f.name == written.stores["B"])
    assert took is not None and stores <= took <= stores + 10
    new.write_text(texts[str(path)])
    assert verify(str(path), str(new), VerifyOptions(top="f", vectors=2, value_range=(-9, 9))).status == "equal"


SCALED = """void f(float A[6][8], float B[8][6], float C[6][6], float u, float v) {
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            C[i][j] *= v;
            for (int k = 0; k < 8; k++) C[i][j] += u * A[i][k] * B[k][j];
        }
}
"""


@pytest.mark.parametrize(("scale", "shared"), [("C[i][j] *= v", {(0, 1), (0, 2)}), ("C[i][j] = 0", {(0, 2)})])
def test_dsp_blocks_are_those_of_the_c(scale: str, shared: set[tuple[int, ...]]) -> None:
    """Elements along j share the product of u, those along k but the first have no product of v."""
    pipeline = Pipeline(["f.c"], Options(), lambda _: SCALED.replace("C[i][j] *= v", scale).encode())
    options = ExploreOptions(elements=6, reassociate=True)
    (region,) = Explorer(
        pipeline.program, pipeline.analysis, "f", options, pipeline.target, pipeline.predict, lambda _: {}
    ).plan.searched()
    of = region.written.nest
    assert of.shared_dsp == tuple((frozenset(loops), 3) for loops in sorted(shared))
    for split in ((1, 1, 1), (2, 1, 2)):
        vector = Vector((1, 3, 2), split, (0, 2, 1))
        texts, (written,) = write(pipeline.program, [(region.written, vector)], options.off_chip)
        figures = pipeline.with_texts(texts).figures
        (dsp,) = (f.resources.dsp for f in figures.functions if f.name == written.compute)
        assert cost(of, vector, options.off_chip).dsp == dsp < of.dsp * 6
        assert all(a.mux_luts >= 0 for a in figures.arrays)


def test_elements_at_the_edge_share_operations_too() -> None:
    """The last rows and columns are missing in some tile: u * A is one product for all columns all the same."""
    text = SCALED.replace("< 6; i++", "< 13; i++").replace("< 6; j++", "< 11; j++")
    text = text.replace("A[6][8]", "A[13][8]").replace("B[8][6]", "B[8][11]").replace("C[6][6]", "C[13][11]")
    pipeline = Pipeline(["f.c"], Options(), lambda _: text.encode())
    options = ExploreOptions(elements=6, reassociate=True)
    (region,) = Explorer(
        pipeline.program, pipeline.analysis, "f", options, pipeline.target, pipeline.predict, lambda _: {}
    ).plan.searched()
    for shard, split in (((1, 5, 2), (4, 1, 1)), ((4, 5, 1), (2, 1, 1))):
        vector = Vector(shard, split, (0, 1, 2))
        texts, (written,) = write(pipeline.program, [(region.written, vector)], options.off_chip)
        blocks = {f.name: f.resources.dsp for f in pipeline.with_texts(texts).figures.functions}
        assert blocks[written.compute] == cost(region.written.nest, vector, options.off_chip).dsp


TILES = """void f(int A[26][39], int x[39], int y[26]) {
    for (int i = 0; i < 26; i++)
        for (int j = 0; j < 39; j++) y[i] += A[i][j] * x[j];
}
"""


def test_copies_keep_up_with_tiles_of_any_size(tmp_path: Path) -> None:
    """Tiles of 13 words have no neighbours that fit a power of two; words of all elements move at once."""
    new = tmp_path / "f.c"
    new.write_text(TILES)
    pipeline = Pipeline([str(new)], Options())
    options = ExploreOptions(elements=6, reassociate=True, write=True, off_chip=ExternalMemory(64, 8))
    for split in ("", "#pragma hlspart fix loop=j split=2\n"):
        pipeline = pipeline.with_texts({str(new): TILES.replace("    for", f"    {split}    for", 1)})
        found = pipeline.explore("f", options)
        (region,) = found.shape["best"]["regions"]
        moves = {f"_{kind}_{m['array']}": m["cycles"] for kind in ("load", "store") for m in region[kind]}
        functions = {f.name: f.latency.max for f in pipeline.with_texts(found.texts).figures.functions}
        assert len(moves) == 4
        assert all(functions[f"f_i{name}"] <= cycles for name, cycles in moves.items())
    out = tmp_path / "out.c"
    out.write_text(pipeline.explore("f", options).texts[str(new)])
    assert verify(str(new), str(out), VerifyOptions(top="f", vectors=4, value_range=(-9, 9))).status == "equal"


HANDED = """void f(int A[24][36], int E[24][36], int x[36], int y[24]) {
    for (int i = 0; i < 24; i++)
#pragma hlspart fix loop=j shard=3
        for (int j = 0; j < 36; j++) E[i][j] = A[i][j] * 2;
#pragma hlspart fix loop=i shard=3 split=2
    for (int i = 0; i < 24; i++)
        for (int k = 0; k < 36; k++) y[i] += E[i][k] * x[k];
}
"""


@pytest.mark.skipif(not LONG, reason="takes long: make test-long")
def test_nests_that_deal_out_an_array_in_different_ways(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Words that one nest moves side by side lie in banks that a store of the other would have to choose among."""
    new, out = tmp_path / "f.c", tmp_path / "out.c"
    new.write_text(HANDED)
    options = ExploreOptions(elements=3, write=True)
    found = Pipeline([str(new)], Options()).explore("f", options)
    out.write_text(found.texts[str(new)])
    assert verify(str(new), str(out), VerifyOptions(top="f", vectors=2, value_range=(-9, 9))).status == "equal"
    monkeypatch.setattr("hlspart.explore.readback.write", lambda *given: write(*given[:5]))
    side_by_side = Pipeline([str(new)], Options()).explore("f", options)
    assert found.shape["best"]["schedule_cycles"] < side_by_side.shape["best"]["schedule_cycles"]


MEANS = """void f(int A[8][6], int s[8], int n) {
    for (int i = 0; i < 8; i++) {
        s[i] = 0;
        for (int j = 0; j < 6; j++) s[i] += A[i][j];
        s[i] /= n;
    }
}
"""


def test_no_banks_are_sought_where_a_sum_is_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """On eight elements each iteration waits for the quotient before: the model's, and that of the C."""
    pipeline = Pipeline(["f.c"], Options(), lambda _: MEANS.encode())
    monkeypatch.setattr(Pipeline, "_inferred_for", lambda *_: pytest.fail("banks were sought"))
    found = pipeline.explore("f", ExploreOptions(elements=8, write=True)).shape["best"]
    (of,) = found["regions"]
    assert of["shard"] == [8, 1]
    assert of["ii"] > 10
    assert of["compute"] == (of["slice"][1] - 1) * of["ii"] + of["depth"]  # a term each
    assert found["model_cycles"] <= found["schedule_cycles"] <= found["model_cycles"] + 8  # states around the loops


SUMS_ALONG_BOTH = """void f(int A[14][10], int s[10], int q[14], int p[10], int r[14]) {
    for (int i = 0; i < 14; i++)
        for (int j = 0; j < 10; j++) { s[j] += r[i] * A[i][j]; q[i] += A[i][j] * p[j]; }
}
"""


def test_an_iteration_that_goes_on_with_no_sum_waits_for_none() -> None:
    """In the whole nest one sum waits for its last term; the choice is a tile in which none goes on."""
    pipeline = Pipeline(["f.c"], Options(), lambda _: SUMS_ALONG_BOTH.encode())
    found = pipeline.explore("f", ExploreOptions(off_chip=ExternalMemory(64, 1), orders=False, write=True))
    best = found.shape["best"]
    assert found.shape["regions"][0]["assumed"]["ii"] == 1
    assert found.shape["bound"] <= best["model_cycles"] <= best["schedule_cycles"]


UNKNOWN = """static int halvings(int x) { int n = 0; while (x > 1) { x /= 2; n++; } return n; }
void f(int A[16], int B[16]) { for (int i = 0; i < 16; i++) B[i] = halvings(A[i]); }
"""


def test_figures_that_are_not_known_are_least_ones() -> None:
    pipeline = Pipeline(["f.c"], Options(), lambda _: UNKNOWN.encode())
    found = pipeline.explore("f", ExploreOptions(elements=4))
    (region,) = found.shape["regions"]
    named = {"ii": 1, "depth": 1, "dsp": 0, "at_least": ["ii", "depth", "dsp"]}
    assert region["assumed"] == {**named, "chains": [], "joins": []}
    assert found.shape["best"]["at_least"] and not found.shape["proved"]
    assert [d.rule for d in found.diagnostics] == ["explore-unknown"]
    given = ExploreOptions(elements=4, assumed={"*": Assumed(9, 40, 0)})
    known = pipeline.explore("f", given)
    assert known.shape["proved"] and not known.shape["best"]["at_least"] and not known.diagnostics


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
        "for (int i = 0; i < 8; i++) B[i + 1] = B[i] + A[i];": None,
        "for (int i = 0; i < 8; i++) B[A[i] & 7] = i;": None,
        "for (int i = 0; i < 8; i++) B[0] = A[i];": None,
        "for (int i = 0; i < 8; i++) B[i / 2] = A[i];": None,
        "for (int i = 0; i < 8; i++) for (int j = 0; j < (A[i] & 7); j++) B[i] += A[j];": "`j < (A[i] & 7)` is no comp",
        "for (int i = 0; i < 8; i++) for (int j = 0; j != i; j++) B[i] += A[j];": "no comparison",
        "for (int i = 0; i < 8; i++) for (unsigned j = 0; j < i; j++) B[i] += A[j];": "another sign",
        "int s = 0; for (int i = 0; i < 8; i++) s += A[i]; B[0] = s;": None,
        "static int s = 0; for (int i = 0; i < 8; i++) s += A[i]; B[0] = s;": "carried",
        "while (A[0]++ < 8) { for (int j = 0; j < 4; j++) B[j] += A[j]; for (int j = 0; j < 4; j++) B[j]++; }": "count",
        "for (int i = 0; i < 8; i++) for (int j = i; j >= 0; j--) B[i] += A[j];": "counts down",
        "for (int i = 0; i < 8; i++) if (A[i]) break; else B[i] = 1;": "early|break",
        "for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) B[i + j] += A[j];": None,  # inside of i
        # odd words and even ones: copies of their own would store the words between as they were
        "for (int i = 1; i < 5; i++) for (int j = 1; j < 6; j += 2) { B[j] |= 1; B[2 * i + 2] += A[j]; }": None,
        "for (int i = 1; i < 5; i++) for (int j = 1; j < 6; j += 2) { B[j] |= A[i]; B[i + 6] += A[j]; }": None,
    }  # fmt: skip
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


SUMS = """void f(int A[6][10], int B[10], int C[6], int D[6], int E[6], int F[6], int G[6]) {
    for (int i = 0; i < 6; i++) for (int j = 0; j < 10; j++) C[i] = C[i] + A[i][j] * B[j];
    for (int i = 0; i < 6; i++) for (int j = 0; j < 10; j++) D[i] -= A[i][j];
    for (int i = 0; i < 6; i++) for (int j = 0; j < 10; j++) E[i] = B[j] + E[i] - A[i][j];
    for (int i = 0; i < 6; i++) for (int j = 0; j < 10; j++) F[i] = A[i][j] - F[i];
    for (int i = 0; i < 6; i++) for (int j = 0; j < 10; j++) G[i] += 0.5f * A[i][j];
    for (int i = 0; i < 6; i++) {
        int s = 1;
        for (int j = 0; j < 10; j++) s += A[i][j];
        B[i] = s > 0 ? 2 * s + C[i] : -s;
    }
}
"""


def test_sums_in_every_spelling(tmp_path: Path) -> None:
    path, new = tmp_path / "f.c", tmp_path / "new.c"
    path.write_text(SUMS)
    pipeline = Pipeline([str(path)], Options())
    spaces = [(of, Space(of.nest, 5)) for of in found(pipeline, "f")]
    # an int that takes half of something rounds each time; one that is taken off does not add up
    assert [space.strict for _, space in spaces] == [False, False, False, True, True, True]
    chosen = []
    for of, space in spaces:
        shard = (1, 1) if space.strict else (1, 5)
        chosen.append((of, space.vector(shard, (3, 2 if shard[1] == 5 else 1), (0, 1))))
    new.write_text(write(pipeline.program, chosen, ExternalMemory(8, 2))[0][str(path)])
    result = verify(str(path), str(new), VerifyOptions(top="f", vectors=4, value_range=(-99, 99)))
    assert result.status == "equal", result.message


@pytest.mark.parametrize("value", ["0", "A[i] / d", "A[i] * A[i] + d"])
def test_a_tile_of_one_iteration_takes_no_less_than_its_model(value: str) -> None:
    """It has no loop to enter and to leave: the model's cycles are those of ``ii`` of the C."""
    text = f"""void f(int A[5], int r[5], int d) {{
#pragma hlspart fix loop=i split=5
    for (int i = 0; i < 5; i++) r[i] = {value};
}}
"""
    pipeline = Pipeline(["f.c"], Options(), lambda _: text.encode())
    shape = pipeline.explore("f", ExploreOptions(elements=1, off_chip=ExternalMemory(64, 1), write=True)).shape
    best = shape["best"]
    assert best["regions"][0]["slice"] == [1]
    assert shape["bound"] <= best["model_cycles"] == best["schedule_cycles"]
    assert shape["proved"]


SMALL = {
    "registers": ("""void f(unsigned char x[27], unsigned char B[20]) {
    for (int m = 1; m < 6; m++)
        for (int i = 1; i <= 5; i++) {
            int t = m + B[m + 1] + i;
            if (i != 3) x[i + 1] ^= t * t + B[2 * i];
        }
}
""", Vector((1, 1), (5, 3), (0, 1)), False),
    "sums in registers": ("""void f(short x[10][6], float B[8][19]) {
    for (int k = 1; k <= 9; k += 2)
        for (int l = 0; l < 6; l++) {
            for (int a = 0; a < 7; a++)
                if (k > 2) x[k][l] += B[a + 1][2 * k];
            x[k][l] = x[k][l] + 1;
        }
}
""", Vector((1, 2, 1), (3, 3, 3), (0, 1, 2)), True),
    "parts of memories": ("""void f(long long x[10], int B[18], int p) {
    for (int t = 0; t < 2; t++)
        for (int j = 0; j < 9; j++) {
            for (int m = 0; m < 9; m += 2) {
                int u = 5 - m;
                x[j + 1] += u * u + B[2 * j + 1];
            }
            x[j + 1] = x[j + 1] + p;
        }
}
""", Vector((1, 6, 1), (1, 1, 1), (0, 1, 2)), False),
}  # fmt: skip


@pytest.mark.parametrize("case", SMALL)
def test_no_c_takes_less_than_its_model(case: str) -> None:
    """Tiles of a few words lie in registers or in memory of LUTs, and take less than those in BRAM."""
    text, vector, schedule = SMALL[case]
    pipeline = Pipeline(["f.c"], Options(), lambda _: text.encode())
    elements = math.prod(vector.shard)
    options = ExploreOptions(elements, off_chip=ExternalMemory(64, 1), reassociate=True, schedule=schedule)
    explorer = Explorer(
        pipeline.program, pipeline.analysis, "f", options, pipeline.target, pipeline.predict, lambda _: {}
    )
    (region,) = explorer.plan.searched()
    of = region.written.nest
    texts, (written,) = write(pipeline.program, [(region.written, vector)], options.off_chip)
    (latency,) = (f.latency for f in pipeline.predict(texts).functions if f.name == written.compute)
    model = cost(of, vector, options.off_chip)
    assert Bound(of, options.off_chip).under(vector.shard).cycles(vector.split) <= model.cycles
    assert latency.max is not None
    assert model.compute <= latency.max <= model.compute + 9


def test_figures_of_an_iteration_are_read_without_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts are a third as long, and say the same: also of a tile of one iteration, whose steps are no pipeline."""
    figures, predict = {}, Pipeline.predict
    text = "void f(int A[8], int B[8]) { for (int i = 0; i < 8; i++) B[i] = A[i] / 3; }"
    for moves in (False, True):
        read: list[str] = []

        def noted(self: Pipeline, texts: dict[str, str], read: list[str] = read) -> IIResult:
            read += texts.values()
            return predict(self, texts)

        def whole(*given: object, moves: bool = False, always: bool = moves) -> object:
            return write(*given, moves=moves or always)  # type: ignore[arg-type]

        with monkeypatch.context() as patch:
            patch.setattr(Pipeline, "predict", noted)
            patch.setattr(measured, "write", whole)
            p = Pipeline(["f.c"], Options(), lambda _, text=text: text.encode())
            explorer = Explorer(p.program, p.proved, "f", ExploreOptions(), p.target, p.predict, lambda _: {})
            figures[moves] = [r.written.nest for r in explorer.plan.searched()]
        assert any("_load_" in text for text in read) == moves
    assert figures[False] == figures[True]
