"""Subscripts with rows of run-time lengths: random nests against all their iterations, and what that gains."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

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


def with_elements(
    rng: random.Random, made: tuple[list[tuple[str, str]], str, str]
) -> tuple[list[tuple[str, str]], str, str]:
    """The same, with elements of an array in the place of some lengths."""
    loops, value, index = made
    for k, name in enumerate(LENGTHS):
        if rng.random() < 0.4:
            loops = [(low, high.replace(name, f"s[{k}]")) for low, high in loops]
            value, index = value.replace(name, f"s[{k}]"), index.replace(name, f"s[{k}]")
    return loops, value, index


def text_of(loops: list[tuple[str, str]], made: str, index: str, kind: str = "int", more: str = "") -> str:
    heads = "".join(
        f"for ({kind} {x} = {low}; {x} < {high}; {x}++) {{\n" for x, (low, high) in zip("ijk", loops, strict=False)
    )
    body = f"{kind} p = {made};\na[{index}] = a[{index}] * 3 + 1;\n{more}"
    arguments = ", ".join(f"{kind} {x}" for x in (*LENGTHS, "o"))
    return f"void f(int *a, {kind} s[3], {arguments}) {{\n{heads}{body}{'}' * len(loops)}\n}}\n"


def touched(
    loops: list[tuple[str, str]], made: str, index: str, values: dict[str, int], modulus: int = 2**40
) -> Iterator[int]:
    """The subscripts of the iterations of a run."""

    def level(k: int, at: dict[str, object]) -> Iterator[int]:
        if k == len(loops):
            yield eval(index, {"p": eval(made, dict(at)), **at}) % modulus
            return
        low, high = loops[k]
        for v in range(int(low), eval(high, dict(at)) % modulus if modulus < 2**40 else eval(high, dict(at))):
            yield from level(k + 1, {**at, "ijk"[k]: v})

    return level(0, {**values, "s": [values[x] for x in LENGTHS]})


def is_said(text: str) -> bool:
    """Whether the iterations of a text's nest are said to touch elements of their own."""
    program = hlspart.parse(text).pipeline.program
    chain = list(program.loops.values())
    nodes = [e for root in statement_expressions(program, chain[0]) for e in walk(root) if isinstance(e, ArrayRef)]
    return is_numbered(program, chain, [e for e in nodes if program.variable(e.variable).name == "a"])


@pytest.mark.parametrize("seed", range(amount(12, 400)))
def test_no_two_iterations_touch_what_is_said_to_be_apart(seed: int) -> None:
    rng, said = random.Random(2_300_000 + seed), 0
    for _ in range(20):
        loops, made, index = with_elements(rng, nest(rng))
        if not is_said(text_of(loops, made, index)):
            continue
        said += 1
        for sizes in itertools.product(VALUES, repeat=3):
            elements = list(touched(loops, made, index, {**dict(zip(LENGTHS, sizes, strict=True)), "o": 2}))
            assert len(set(elements)) == len(elements), (loops, made, index, sizes)
    assert said, "nothing was looked at"


@pytest.mark.parametrize("seed", range(amount(6, 200)))
def test_no_two_iterations_one_soon_after_the_other_touch_one_element_where_numbers_wrap(seed: int) -> None:
    rng, said = random.Random(2_400_000 + seed), 0
    sizes = (1, 2, 3, 2**31, 2**31 + 1, 2**32 - 1)
    for _ in range(40):
        loops, made, index = with_elements(rng, nest(rng))
        if not is_said(text_of(loops, made, index, "unsigned")):
            continue
        said += 1
        for some in itertools.product(sizes, repeat=3):
            values = {**dict(zip(LENGTHS, some, strict=True)), "o": 2}
            if any(eval(high, {**values, "s": some}) % 2**32 <= int(low) for low, high in loops):
                continue  # an empty row
            elements = list(itertools.islice(touched(loops, made, index, values, 2**32), 60))
            assert len(set(elements)) == len(elements), (loops, made, index, some)
    assert said, "nothing was looked at"


@pytest.mark.parametrize(
    ("kind", "bound", "more", "said"),
    [
        ("int", "s[1]", "", True),
        ("unsigned", "s[1]", "", True),
        ("unsigned long", "s[1]", "", True),
        ("unsigned", "m", "", False),  # rows are longer than what is in them, so they may meet modulo 2**32
        ("unsigned", "s[1]", "if (p > 3) break;", False),
        ("unsigned short", "s[1]", "", True),  # sums of them are of type int
        ("unsigned", "s[1]", "s[1] = 2;", False),
        ("int", "s[1]", "s[o]++;", False),
        ("int", "s[1]", "*(&s[0] + o) = 3;", False),
        ("int", "s[1]", "g(s);", False),
        ("int", "s[1]", "struct { int *to; } held = {s}; held.to[1] = 3;", False),
        ("int", "s[1]", "struct { int *to; } held = {s}; *held.to = 3;", False),
        ("int", "s[1]", "struct { int to[2]; } held; held.to[1] = 3;", True),
        ("int", "s[1]", "int *held[1] = {s}; held[0][1] = 3;", False),
    ],
)
def test_elements_that_stay_are_lengths_of_rows(kind: str, bound: str, more: str, said: bool) -> None:
    text = text_of([("0", "n"), ("0", bound)], "0", "i * s[1] + j", kind, more)
    assert is_said(f"void g({kind} s[3]) {{ s[1] = 2; }}\n{text}") == said


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


TENSOR = """#include <stddef.h>
void scale(float out[4096], const size_t shape[3], const float by[64]) {
    for (size_t a = 0; a < shape[0]; ++a)
        for (size_t b = 0; b < shape[1]; ++b)
            for (size_t k = 0; k < shape[2]; ++k) {
#pragma HLS PIPELINE II=1
                out[a * (shape[2] * shape[1]) + b * shape[2] + k] += by[k];
            }
}
"""


def test_a_tensor_whose_shape_is_an_argument_is_updated_every_cycle() -> None:
    old = hlspart.parse(TENSOR)
    new = old.rewrite(infer=True)
    assert "#pragma HLS DEPENDENCE variable=out type=inter dependent=false" in new.texts["kernel.c"]
    (before,), (after,) = ([x.ii for x in k.ii().loops if x.pipelined] for k in (old, new.kernel()))
    assert before is not None and before > 1 and after == 1


@pytest.mark.parametrize(("kind", "made", "said"), [
    ("int", "int", True), ("unsigned", "unsigned", True), ("unsigned long", "unsigned long", True),
    ("unsigned", "unsigned char", False), ("unsigned long", "unsigned", False),
])  # fmt: skip
def test_a_subscript_may_be_worked_out_ahead_in_a_type_that_keeps_it(kind: str, made: str, said: bool) -> None:
    text = text_of([("0", "n"), ("0", "m")], "i * m + j", "p", kind)
    assert is_said(text.replace(f"{kind} p", f"{made} p")) == said
