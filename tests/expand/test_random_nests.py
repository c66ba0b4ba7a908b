"""Verdicts on random nests equal those of an enumeration; what is written computes the same in any order."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from tests.amounts import amount
from tests.expand.nests import random_nest, verdict
from tests.expand.running import differing, open_text, plan_of

SEEDS = range(5000, 5000 + amount(24, 60))


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_verdicts_are_those_of_the_enumeration_and_texts_compute_the_same(tmp_path: Path) -> None:
    pairs, counts = [], {True: 0, False: 0}
    for seed in SEEDS:
        rng = random.Random(seed)
        nest = random_nest(rng)
        text = nest.c("f")
        pipeline = open_text(text)
        for pes, kind in ((rng.randint(2, 9), "cyclic"), (rng.randint(2, 4), "block")):
            remainder = rng.choice(["guard", "peel"])
            plan, new = plan_of(pipeline, "L", (pes,), maps=(kind,), remainder=remainder)
            wanted = verdict(nest, pes, kind == "block")
            counts[wanted] += 1
            j = plan.expansion.judgement
            assert j.verdict != "refused", (seed, j.reason)
            assert j.legal == wanted, (seed, pes, kind, j.verdict, j.reason)
            if not wanted:
                assert j.code == "dependence" and j.witness is not None
                assert j.witness[0].iteration != j.witness[1].iteration
            if new is not None:
                pairs.append((f"{seed} {pes} {kind} {remainder}", text, new))
    assert counts[True] > amount(18, 50) and counts[False] > amount(6, 20) and len(pairs) > amount(18, 50)
    assert differing(pairs, tmp_path) == []


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_every_remainder_of_small_loops(tmp_path: Path) -> None:
    pairs = []
    for trips in amount((1, 13), (1, 2, 3, 5, 8, 13, 24)):
        text = f"""void f(int a[64], int b[64], int c[24][24], int o[2]) {{
    int s = o[0];
    L: for (int i = 0; i < {trips}; i++) {{
        int t = a[i];
        for (int j = 0; j < 3; j++) t += b[j] * c[i][j];
        a[i] = t;
        s += t;
    }}
    o[0] = s;
}}
"""
        pipeline = open_text(text)
        for pes in (2, 3, 4, 7, 9):
            for kind, remainder in (("cyclic", "guard"), ("cyclic", "peel"), ("block", "guard")):
                plan, new = plan_of(pipeline, "L", (pes,), maps=(kind,), remainder=remainder)
                assert new is not None, plan.expansion.judgement
                pairs.append((f"{trips} {pes} {kind} {remainder}", text, new))
    assert len(pairs) == amount(30, 105)
    assert differing(pairs, tmp_path) == []
