"""Arguments that several nests of a region use come in once, and leave once."""

import random
import re
from pathlib import Path

import pytest

from hlspart.model.explored import ExploreResult
from hlspart.model.exploring import Assumed, ExploreOptions, ExternalMemory, ResourceBudget
from hlspart.model.options import Options
from hlspart.pipeline import Pipeline
from hlspart.verification import VerifyOptions, verify
from tests.amounts import amount

ASSUMED = {"*": Assumed(1, 9, 2)}
TEXT = """void twice(int A[13][11], int x[11], int y[13], int z[11]) {
    int t[13], n = 0;
#pragma hlspart region
    {
        for (int i = 0; i < 13; i++)
            for (int j = 0; j < 11; j++) {
                if (j == 0) t[i] = 0;
                t[i] += A[i][j] * x[j];
            }
%s
%s
first:
        for (int j = 0; j < 11; j++) {
            z[j] = 0;
            for (int i = 0; i < 13; i++)
                z[j] += A[i][j] * t[i];
        }
        for (int i = 0; i < 13; i++) y[i] = t[i] - z[i / 2];
    }
}
"""


def explored(path: Path, budget: int = 4096, elements: int = 1, write: bool = True) -> ExploreResult:
    options = ExploreOptions(
        elements, (), ResourceBudget(size=budget), ExternalMemory(16, 20), assumed=ASSUMED, write=write,
        plan_only=not write,
    )  # fmt: skip
    return Pipeline([str(path)], Options()).explore("twice", options)


def shared(result: ExploreResult) -> list[str]:
    return [a["array"] for r in result.shape["regions"] for a in r.get("shared", ())]


def same(path: Path, result: ExploreResult) -> str:
    new = path.with_suffix(".new.c")
    new.write_text(result.texts[str(path)])
    return verify(str(path), str(new), VerifyOptions(top="twice", vectors=2, value_range=(-9, 9))).status


def test_what_nests_of_a_region_share_comes_in_once(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(TEXT % ("", "n = 3;"))
    result = explored(path)
    (region,) = result.shape["regions"]
    assert region["shared"] == [
        {"array": "A", "bytes": 572, "load": True, "store": False},
        {"array": "z", "bytes": 44, "load": False, "store": True},
    ]
    text = result.texts[str(path)]
    assert len(re.findall(r"static void \w*_load_A\w*\(", text)) == len(re.findall(r"_load_A\w*\(A, \w+\);", text)) == 1
    assert same(path, result) == "equal"
    # their copies are part of what the nests at the borders take: latency, and the bytes over the width
    borders = [r["borders"] for r in result.shape["best"]["regions"]]
    assert borders == [20 + -(-572 // 16), 0, 20 + -(-44 // 16)]
    assert result.shape["resident_bytes"] == 572 + 44 + 13 * 4
    assert result.shape["bound"] <= result.shape["best"]["model_cycles"] <= result.shape["best"]["schedule_cycles"]


def test_what_does_not_fit_or_may_be_used_between_comes_in_for_each_nest(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(TEXT % ("", ""))
    result = explored(path, 512)
    assert shared(result) == [] and "explore-apart" in {d.rule for d in result.diagnostics}
    assert same(path, result) == "equal"
    for between in ("A[3][1] = 4;", "if (n) return;", "n = x[1];"):
        path.write_text(TEXT % (between, ""))
        assert shared(explored(path, write=False)) == [], between
    path.write_text(TEXT % ("", "#pragma hlspart fix array=A stream"))
    assert shared(explored(path, write=False)) == ["z"]


@pytest.mark.parametrize("seed", range(amount(1, 40)))
def test_regions_of_random_nests_compute_the_same(tmp_path: Path, seed: int) -> None:
    rng, extents = random.Random(seed), (5, 7, 11, 13)
    n, m = rng.sample(extents, 2)
    bodies = [
        f"for (int i = 0; i < {n}; i++) for (int j = 0; j < {m}; j++) y[i] += A[i][j] * x[j];",
        f"for (int j = {m - 1}; j >= 0; j--) for (int i = 0; i < {n}; i++) z[j] -= A[i][j] * y[i];",
        f"for (int i = 1; i < {n}; i++) for (int j = 0; j < {m}; j += 2) A[i][j] = A[i][j] + y[i - 1];",
        f"for (int i = 0; i < {n}; i++) y[i] = {rng.choice(('i', 'A[i][2]', 'y[i] * 3 + A[i][0]'))};",
        f"for (int i = 0; i < {n}; i++) if (x[i % {m}] > 2) y[i] = A[i][1];",
        f"for (int j = 0; j < {m}; j++) x[j] = z[j] + x[j];",
    ]
    nests = "\n".join(f"        {b}" for b in rng.sample(bodies, rng.choice((2, 3, 4))))
    path = tmp_path / "a.c"
    path.write_text(f"void twice(int A[{n}][{m}], int x[{m}], int y[{n}], int z[{m}]) {{\n"
                    f"#pragma hlspart region\n    {{\n{nests}\n    }}\n}}\n")  # fmt: skip
    result = explored(path, rng.choice((400, 1000, 4000)), rng.choice((1, 2, 3)))
    if result.texts:
        assert same(path, result) == "equal"


def test_a_nest_that_moves_nothing_has_one_step_and_no_tiles_to_search(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(
        "void twice(int x[12], int y[12]) {\n    int s[12], t[12];\n#pragma hlspart region\n    {\n"
        "        for (int i = 0; i < 12; i++) s[i] = x[i] * 3;\n        for (int i = 0; i < 12; i++) t[i] = s[i] + i;\n"
        "        for (int i = 0; i < 12; i++) y[i] = t[11 - i] + s[i];\n    }\n}\n"
    )
    result = explored(path, elements=4)
    (region,) = result.shape["regions"]
    # 4 elements in 1, 2, 3 steps, or 1 in 1, 2, 3, 4, 6, 12
    assert [p["candidates"] for p in region["parts"]] == [9, 2, 9]
    assert result.shape["best"]["regions"][1]["steps"] == 1
    assert same(path, result) == "equal"
