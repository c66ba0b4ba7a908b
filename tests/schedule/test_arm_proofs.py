"""Proofs through selections: what recurs whichever arms iterations take."""

from __future__ import annotations

import itertools
import random

import pytest

import hlspart
from hlspart.lowering.graph import Edge
from hlspart.predict.arm_proofs import least_ii
from tests.amounts import amount

FADD, FMUL = 4, 3  # states at 10 ns less 2.7 ns on ultrascale+ (reports)

TURNS = """
const float k[16] = {1, .5f, .25f, .125f, .0625f, .03125f};
void f(float x, float y, float *r) {
    float p = x, q = y, a, b;
    L: for (int i = 0; i < 16; i++) {
#pragma HLS PIPELINE II=1
        if (q > 0) { a = p + k[i] * q; b = q - k[i] * p; } else { a = p - k[i] * q; b = q + k[i] * p; }
        p = a;
        q = b;
    }
    *r = p;
}
"""


def test_values_of_both_arms_go_round_although_their_test_is_one_of_them() -> None:
    (loop,) = hlspart.parse(TURNS).pipeline.figures.loops
    assert loop.proof is not None and loop.proof.ii == FMUL + FADD - 1
    assert loop.ii is not None and loop.ii > loop.proof.ii  # the tables wait for the test


def test_a_load_that_waits_for_a_test_alone_proves_nothing() -> None:
    text = TURNS.replace("a = p - k[i] * q; b = q + k[i] * p;", "a = k[i]; b = k[i] * 2;")
    (loop,) = hlspart.parse(text).pipeline.figures.loops
    assert loop.proof is None


def _random(rng: random.Random) -> tuple[list[Edge], dict[int, list[list[Edge]]]]:
    """Operations that wait for up to two others, some of them for one of two."""
    n = rng.randint(3, 7)

    def edge(sink: int) -> Edge:
        source = rng.randrange(n)
        return Edge(source, sink, int(source >= sink) * rng.randint(1, 2), rng.randint(0, 6), "data", "")

    chosen = {ident: [[edge(ident)], [edge(ident)]] for ident in range(n) if rng.random() < 0.4}
    return [edge(i) for i in range(n) if i not in chosen for _ in range(rng.randint(1, 2))], chosen


def _longest(edges: list[Edge]) -> int:
    """The II below which a cycle lengthens itself, by all simple cycles."""
    worst, nodes = 0, {e.sink for e in edges}

    def walk(first: int, at: int, gap: int, distance: int, seen: set[int]) -> None:
        nonlocal worst
        for e in edges:
            if e.source == at and e.sink == first:
                worst = max(worst, -(-(gap + (e.gap or 0)) // (distance + e.distance)))
            elif e.source == at and e.sink > first and e.sink not in seen:
                walk(first, e.sink, gap + (e.gap or 0), distance + e.distance, {*seen, e.sink})

    for node in nodes:
        walk(node, node, 0, 0, {node})
    return worst


@pytest.mark.parametrize("seed", range(amount(4, 40)))
def test_the_quickest_of_all_choices_of_arms_is_what_is_proved(seed: int) -> None:
    rng, proved = random.Random(seed), 0
    for _ in range(60):
        edges, chosen = _random(rng)
        choices = itertools.product(*chosen.values())
        quickest = min(_longest(edges + [e for arm in choice for e in arm]) for choice in choices)
        found = least_ii(edges, chosen, 0, 40)
        assert (found[0] if found else 0) == quickest
        if found is not None:
            cycle, proved = found[1], proved + 1
            assert all(a.sink == b.source for a, b in zip(cycle, cycle[1:] + cycle[:1], strict=True))
            assert sum(e.gap or 0 for e in cycle) > (found[0] - 1) * sum(e.distance for e in cycle)
    assert proved


GIVEN = """
void f(float t, const float a[8], float *s) {
#pragma HLS PIPELINE II=1
#pragma HLS ARRAY_PARTITION variable=a type=complete
    for (int j = 0; j < 8; j++) {
        if (t >= 0) t = t - a[j]; else t = t + a[j];
    }
    *s = t;
}
"""


def test_what_each_call_of_a_pipelined_function_is_given_does_not_recur() -> None:
    (loop,) = hlspart.parse(GIVEN).pipeline.figures.loops
    copied = (
        GIVEN.replace("for (int", "float u = t;\n    for (int", 1)
        .replace("(t >= 0) t = t - a[j]; else t = t", "(u >= 0) u = u - a[j]; else u = u")
        .replace("*s = t", "*s = u")
    )
    (same,) = hlspart.parse(copied).pipeline.figures.loops
    assert loop.ii == same.ii == 1
    kept = copied.replace("float u = t", "static float u = 0")
    (recurs,) = hlspart.parse(kept).pipeline.figures.loops
    assert recurs.least > 8 * (FADD - 1)
