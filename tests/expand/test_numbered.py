"""Subscripts with rows of run-time lengths: random nests against all their iterations, and what that gains."""

from __future__ import annotations

import itertools
import random

import pytest

import hlspart
from hlspart.expand.numbered import is_numbered
from hlspart.model.program import ArrayRef, walk
from hlspart.semantics.effects import statement_expressions
from tests.amounts import amount

LENGTHS, VALUES = ("n", "m", "w"), range(1, 5)
MOST = 4  # of a bound that is a number


def nest(rng: random.Random) -> tuple[list[tuple[str, str]], str, str]:
    """First values and bounds of loops over ``i``, ``j``, ``k``, a value made on the way, and a subscript."""
    depth = rng.choice((1, 2, 2, 3))
    bounds = [rng.choice((*LENGTHS, *LENGTHS, str(rng.randint(1, MOST)))) for _ in range(depth)]
    loops = [
        (str(rng.choice((0, 0, 0, 1, 2))), bound + rng.choice(("", "", "", " - 1", " - 2", " + 1")))
        for bound in bounds
    ]  # fmt: skip
    terms = []
    for k, iterator in enumerate("ijk"[:depth]):
        factors = list(bounds[k + 1 :]) if rng.random() < 0.8 else rng.choices(LENGTHS, k=rng.randrange(3))
        if rng.random() < 0.15:
            factors.append(str(rng.randint(0, 3)))
        rng.shuffle(factors)
        terms.append(" * ".join([f"({iterator} + 1)" if rng.random() < 0.1 else iterator, *factors]))
    if rng.random() < 0.3:
        terms.append(rng.choice(("o", "3", "n * m", "o * w")))
    made = rng.choice(("0", "1", "i * n", " + ".join(terms)))
    rng.shuffle(terms)
    index = "p" if made == " + ".join(terms) else " + ".join(terms) + rng.choice(("", "", " - 1", " + p"))
    return loops, made, index


def text_of(loops: list[tuple[str, str]], made: str, index: str) -> str:
    heads = "".join(
        f"for (int {x} = {low}; {x} < {high}; {x}++) {{\n" for x, (low, high) in zip("ijk", loops, strict=False)
    )
    body = f"int p = {made};\na[{index}] = a[{index}] * 3 + 1;\n"
    return f"void f(int *a, int n, int m, int w, int o) {{\n{heads}{body}{'}' * len(loops)}\n}}\n"


def touched(loops: list[tuple[str, str]], made: str, index: str, values: dict[str, int]) -> list[int]:
    """The subscripts of all iterations of a run."""

    def level(k: int, at: dict[str, int]) -> list[int]:
        if k == len(loops):
            return [eval(index, {"p": eval(made, dict(at)), **at})]
        low, high = loops[k]
        rounds = range(int(low), eval(high, dict(at)))
        return [x for v in rounds for x in level(k + 1, {**at, "ijk"[k]: v})]

    return level(0, values)


@pytest.mark.parametrize("seed", range(amount(12, 400)))
def test_no_two_iterations_touch_what_is_said_to_be_apart(seed: int) -> None:
    rng, said = random.Random(2_300_000 + seed), 0
    for _ in range(20):
        loops, made, index = nest(rng)
        program = hlspart.parse(text_of(loops, made, index)).pipeline.program
        chain = list(program.loops.values())
        refs = [e for root in statement_expressions(program, chain[0]) for e in walk(root) if isinstance(e, ArrayRef)]
        if not is_numbered(program, chain, refs):
            continue
        said += 1
        for sizes in itertools.product(VALUES, repeat=3):
            elements = touched(loops, made, index, {**dict(zip(LENGTHS, sizes, strict=True)), "o": 2})
            assert len(set(elements)) == len(elements), (loops, made, index, sizes)
    assert said, "nothing was looked at"


SCALE = """
void f(float *x, const float *s, int n, int c, int h, int w) {
    for (int b = 0; b < n; b++)
        for (int k = 0; k < c; k++) {
            float scale = s[b * c + k];
            for (int i = 0; i < h; i++)
                for (int j = 0; j < w; j++) {
#pragma HLS PIPELINE II=1
                    int at = b * c * h * w + k * h * w + @;
                    x[at] = x[at] * scale;
                }
        }
}
"""
APART = "#pragma HLS DEPENDENCE variable=x type=inter dependent=false"
ROWS = {  # what is written, and the II behind it
    "rows of j": ("i * w + j", [APART], 1),
    "rows of i": ("i + h * j", [], 5),
    "longer rows": ("i * c + j", [APART, "#pragma HLS LOOP_FLATTEN off"], 1),  # c < w: rows meet, not in one row
}


@pytest.mark.parametrize("case", ROWS)
def test_updates_in_rows_of_run_time_lengths_reach_their_target(case: str) -> None:
    row, expected, ii = ROWS[case]
    text = SCALE.replace("@", row)
    (before,) = [x for x in hlspart.parse(text).pipeline.figures.loops if x.pipelined]
    found = hlspart.parse(text).rewrite(infer=True)
    assert [line for line in found.texts["kernel.c"].splitlines() if line not in text.splitlines()] == expected
    (after,) = [x for x in found.kernel().pipeline.figures.loops if x.pipelined]
    assert (before.ii, after.ii) == (5, ii)


def test_an_array_that_a_call_hands_on_is_one_array_in_the_function() -> None:
    text = (
        "void g(int a[64], const int b[8][8]) {\n    for (int i = 0; i < 8; i++)\n    for (int j = 0; j < 8; j++) {\n"
        "#pragma HLS PIPELINE II=1\n            a[j % 5] = a[j % 5] * 3 + b[i][j];\n        }\n}\n"
        "void f(int a[64], const int b[8][8]) { g(a, b); }\n"
    )
    places = [j % 5 for _ in range(8) for j in range(8)]
    least = min(k - n for n, k in itertools.combinations(range(64), 2) if places[n] == places[k])
    added = f"#pragma HLS DEPENDENCE variable=a type=inter distance={least} dependent=true"
    assert added in hlspart.parse(text, top="f").rewrite(infer=True).texts["kernel.c"]
