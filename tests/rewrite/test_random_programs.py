"""Random programs whose accesses are affine and in range: every style equals the original, few refusals."""

from __future__ import annotations

import math
import random
from collections import Counter
from pathlib import Path

import pytest
from generator import driver, generate
from rewrite_help import analysed, laid_out, outputs, rewritten

from hlspart.layouts.blockcyclic import BlockCyclicLayout
from hlspart.layouts.lattice import LatticeLayout, linear
from hlspart.model.rewriting import RewriteResult

SEEDS = list(range(1000, 1030))
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
    assert counts["rewritten", None] >= {"split": 20, "crossbar": 40}.get(name, 45), counts
    refused = {code: n for (status, code), n in counts.items() if status == "refused"}
    if name == "split":
        assert set(refused) <= {"dynamic-bank", "macro"}
    elif name == "crossbar":
        assert set(refused) <= {"read-after-write", "write-order", "struct"} and sum(refused.values()) <= 8, refused
    else:
        assert not refused


def random_layout(r: random.Random, shape: tuple[int, ...]) -> LatticeLayout | BlockCyclicLayout:
    while True:
        banks, block = r.choice((2, 3, 4, 5, 6, 7, 9)), r.choice((1, 1, 2, 3))
        alpha = tuple(r.randrange(banks) for _ in shape)
        if math.gcd(*alpha, banks * block) == 1:
            return linear(shape, alpha, banks) if block == 1 else BlockCyclicLayout(shape, alpha, banks, block)


def test_layouts_that_no_pragma_says(expected: list[str], tmp_path: Path) -> None:
    results = []
    for seed in SEEDS:
        program, analysis, _ = analysed(generate(seed))
        r = random.Random(seed)
        firsts = [program.variable(g.members[0]) for g in analysis.groups if not g.top]
        layouts = {v.id: random_layout(r, v.dims) for v in firsts if v.dims and all(v.dims)}
        results.append(laid_out(generate(seed), layouts))
    assert outputs(tmp_path, "new", [r.files["p.c"] for r in results], driver(SEEDS)) == expected
    counts = tally(results)
    assert counts["rewritten", None] >= 30, counts
    # without the pipeline nobody writes macro uses out
    assert sum(n for (status, code), n in counts.items() if status == "refused" and code != "macro") <= 5, counts


@pytest.mark.parametrize("name", STYLES)
def test_again_changes_nothing(name: str) -> None:
    for seed in SEEDS[:8]:
        once = rewritten(generate(seed), name).files["p.c"]
        assert rewritten(once, name).files["p.c"] == once
