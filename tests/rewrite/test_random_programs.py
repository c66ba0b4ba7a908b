"""Random programs whose accesses are affine and in range: every style equals the original, few refusals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import bodies
import edges
import memories
import pytest
from generator import driver, features, generate
from rewrite_help import SANITIZED, laid_out_at_random, outputs, rewritten

from hlspart.model.options import TargetOptions
from hlspart.model.rewriting import RewriteResult
from hlspart.targets import load
from hlspart.verification import VerifyOptions, verify
from tests.amounts import amount

SEEDS = amount([1001, 1004, 1006, 1007, 1008, 1011], list(range(1000, 1018)))
STYLES = ("split", "bankdim", "split, dynamic bankdim", "crossbar")


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    texts = [generate(seed) for seed in SEEDS]
    return outputs(tmp_path_factory.mktemp("original"), "original", texts, driver(SEEDS))


def tally(results: list[RewriteResult]) -> Counter[tuple[str, str | None]]:
    return Counter((o.status, o.code) for r in results for o in r.outcomes)


@pytest.mark.parametrize("name", STYLES)
def test_every_style_equals_the_original(name: str, expected: list[str], tmp_path: Path) -> None:
    results = [rewritten(generate(seed), name) for seed in SEEDS]
    assert outputs(tmp_path, "new", [r.files["p.c"] for r in results], driver(SEEDS)) == expected
    counts = tally(results)
    least = amount({"split": 3}, {"split": 14, "crossbar": 27}).get(name, amount(7, 25))
    assert counts["rewritten", None] >= least, counts
    refused = {code: n for (status, code), n in counts.items() if status == "refused"}
    if name == "split":
        assert set(refused) <= {"dynamic-bank", "non-affine"}
    elif name == "crossbar":
        assert set(refused) <= {"struct", "non-affine"}, refused
    gotos = {seed for seed in SEEDS if "jump: goto" in features(seed)}  # their iterators may take any value
    others = [r for seed, r in zip(SEEDS, results, strict=True) if seed not in gotos]
    if name in ("bankdim", "split, dynamic bankdim"):
        assert not any(o.status in ("refused", "conflict") for r in others for o in r.outcomes)
    assert sum(refused.values()) <= sum(counts.values()) // amount(4, 8) or name == "split", counts


def test_layouts_that_no_pragma_says(expected: list[str], tmp_path: Path) -> None:
    results = [laid_out_at_random(generate(seed), seed) for seed in SEEDS]
    assert outputs(tmp_path, "new", [r.files["p.c"] for r in results], driver(SEEDS)) == expected
    counts = tally(results)
    assert counts["rewritten", None] >= amount(5, 16), counts
    refused = {code for status, code in counts if status == "refused"}  # strict: nothing may stay in place
    assert refused <= {"loop-header", "jump", "index-form", "iterator", "inner-loop", "shadowed-iterator", "non-affine"}


@pytest.mark.parametrize("name", STYLES)
def test_again_changes_nothing(name: str) -> None:
    for seed in SEEDS[: amount(4, 8)]:
        once = rewritten(generate(seed), name).files["p.c"]
        assert rewritten(once, name).files["p.c"] == once


def test_dead_code_that_only_the_new_text_shows() -> None:
    """``known[0]`` is a memory first and a scalar of a known value then."""
    text = """int f(int n)
{
    int known[2];
#pragma HLS ARRAY_PARTITION variable=known complete
    int table[4];
#pragma HLS ARRAY_PARTITION variable=table complete
    known[0] = 0;
    known[1] = n;
    if (known[0]) {
        for (int i = 0; i < 4; i++)
            table[i] = i + n;
        return table[n & 3];
    }
    return known[1];
}
"""
    for style in ("split, dynamic bankdim", "bankdim", "crossbar"):
        once = rewritten(text, style).files["p.c"]
        assert ("known_0 = 0;" in once) == (style != "bankdim")
        assert rewritten(once, style).files["p.c"] == once


@pytest.mark.parametrize("cxx", [False, True], ids=["c", "c++"])
def test_edges_of_the_language(cxx: bool, tmp_path: Path) -> None:
    """Each style's output compiles and equals the original, a second run changes nothing, and not all is refused."""
    name, compiler = ("p.cpp", ("g++", "-std=c++14")) if cxx else ("p.c", ("gcc", "-std=gnu11"))
    seeds = list(range(9000, 9000 + amount(4, 16)))
    texts = [edges.generate(seed, cxx) for seed in seeds]
    expected = outputs(tmp_path, "old", texts, driver(seeds), SANITIZED, compiler)
    for style in ("crossbar", "bankdim", "split, unrolled"):
        results = [rewritten(text, style, name) for text in texts]
        new = [result.files[name] for result in results]
        assert outputs(tmp_path, "new", new, driver(seeds), SANITIZED, compiler) == expected
        assert [rewritten(text, style, name).files[name] for text in new] == new
        least = {"split, unrolled": amount(1, 2)}.get(style, amount(3, 10))
        assert tally(results)["rewritten", None] >= least, (style, tally(results))


@pytest.mark.parametrize(("style", "seeds"), [("reuse", [1021, 1255, 1593]), ("scalars", [1111, 1122, 1161])])
def test_memories_with_several_names(style: str, seeds: list[int], tmp_path: Path) -> None:
    """Each once changed when it was rewritten again: a window left reads by a pointer, a store hid a load."""
    seeds = [*seeds, *range(5000, 5000 + amount(2, 40))]
    texts = [memories.generate(seed) for seed in seeds]
    expected = outputs(tmp_path, "old", texts, driver(seeds), SANITIZED)
    new = [rewritten(text, style).files["p.c"] for text in texts]
    assert all(a != b for a, b in zip(texts[:3], new, strict=False))
    assert outputs(tmp_path, "new", new, driver(seeds), SANITIZED) == expected
    assert [rewritten(text, style).files["p.c"] for text in new] == new


@pytest.mark.parametrize(("make", "seed"), [(generate, 8), (bodies.generate, 1), (bodies.generate, 5)][: amount(1, 3)])
def test_banks_are_asked_for_what_the_model_predicts(make: Callable[[int], str], seed: int, tmp_path: Path) -> None:
    text = make(seed)
    result = rewritten(text, "crossbar")
    (tmp_path / "old.c").write_text(text)
    (tmp_path / "new.c").write_text(result.files["p.c"])
    options = VerifyOptions(top=f"k{seed}", map=result.map_json(), vectors=1, ports=load(TargetOptions()))
    found = verify(str(tmp_path / "old.c"), str(tmp_path / "new.c"), options)
    assert found.status == "equal", found.message
    known = [u for u in found.ports if u.predicted is not None]
    assert known and all(u.interval == u.predicted for u in known), known


@pytest.mark.parametrize("seed", [6058])
def test_a_loop_whose_label_stays_is_not_unrolled(seed: int) -> None:
    """Once an error: the label's loop cannot be written out."""
    result = rewritten(generate(seed), "split, unrolled")
    assert sorted(o.status for o in result.outcomes) == ["refused", "refused", "rewritten"]
