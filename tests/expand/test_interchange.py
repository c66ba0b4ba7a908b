"""Loops change places where a recurrence is the limit and no element sees another order, and nowhere else."""

from __future__ import annotations

import itertools
import random

import pytest

import hlspart
from hlspart.expand.interchange import pairs

Index = tuple[int, int, int]  # coefficients of i and j, and a constant


def element(index: Index, i: int, j: int) -> int:
    return index[0] * i + index[1] * j + index[2]


ROWS_OF = {1: "int i = 0; i < 6; i++", -1: "int i = 5; i >= 0; i--"}
COLUMNS_OF = {1: "int j = 0; j < 5; j++", -1: "int j = 4; j >= 0; j--"}


def kernel(write: Index, read: Index, moves: tuple[int, int] = (1, 1)) -> str:
    """A nest whose inner loop waits for the multiplication before; ``moves``: whether the loops rise or fall."""
    texts = [f"{a} * i + {b} * j + {c}" for a, b, c in (write, read)]
    return (
        f"void f(float a[256], const float x[16]) {{\n    for ({ROWS_OF[moves[0]]})\n"
        f"        for ({COLUMNS_OF[moves[1]]}) {{\n#pragma HLS PIPELINE II=1\n"
        f"            a[{texts[0]}] = a[{texts[1]}] * x[j] + a[{texts[0]}];\n        }}\n}}\n"
    )


def order_matters(write: Index, read: Index, moves: tuple[int, int] = (1, 1)) -> bool:
    """Whether two iterations that touch one element, one of them writing it, change their order."""
    places = list(itertools.product(range(6), range(5)))
    for one, other in itertools.product(places, places):
        if (other[0] - one[0]) * moves[0] > 0 > (other[1] - one[1]) * moves[1]:
            mine, theirs = ({element(x, *at) for x in (write, read)} for at in (one, other))
            if element(write, *one) in theirs or element(write, *other) in mine:
                return True
    return False


def random_indices(rng: random.Random) -> tuple[Index, Index]:
    write = (rng.choice((0, 1, 1, 5, 8)), rng.choice((0, 0, 1, 1)), rng.randint(40, 60))
    shift = rng.choice((0, 0, 0, 1, -1, 5, 7, -7, 8))
    return write, (write[0], write[1], write[2] + shift)


@pytest.mark.parametrize("first", (0, 20))
def test_the_verdict_is_that_of_all_iterations(first: int) -> None:
    taken = refused = 0
    for seed in range(first, first + 20):
        rng = random.Random(seed)
        (write, read), moves = random_indices(rng), (rng.choice((1, -1)), rng.choice((1, -1)))
        pipeline = hlspart.parse(kernel(write, read, moves)).pipeline
        late = any(x.misses and any(y.kind == "recurrence" for y in x.limits) for x in pipeline.figures.loops)
        found = bool(pairs(pipeline.program, pipeline.analysis, pipeline.figures))
        assert found == (late and not order_matters(write, read, moves)), (seed, write, read, moves)
        taken, refused = taken + found, refused + (late and not found)
    assert taken >= 3 and refused >= 3


PRODUCT = """void f(const float a[12][10], const float b[10], float y[12]) {
ROW:
    for (int i = 0; i < 12; i++) /* rows */
    COL: for (int j = 0; j < 10; j++) {
#pragma HLS PIPELINE II=1
            y[i] += a[i][j] * b[j];
        }
}
"""


def test_a_product_reaches_its_target_with_the_same_bits() -> None:
    old = hlspart.parse(PRODUCT)
    new = old.rewrite(infer=True)
    text = new.texts["kernel.c"]
    assert text.index("for (int j") < text.index("/* rows */") < text.index("for (int i")
    assert [x.ii for x in new.kernel().ii().loops] == [1]
    assert [(w.kind, w.ii) for w in hlspart.advise(old).loops[0].ways] == [
        ("interchange", 1), ("scalars", 3), ("as-written", 6),
    ]  # fmt: skip
    assert old.rewrite(style="interchange").texts == new.texts
    assert new.kernel().rewrite(infer=True).texts == new.texts
    assert hlspart.verify(old, new, vectors=5)


ROWS = """void f(const float a[8][8], const float b[8][8], float c[8][8]) {
#pragma HLS ARRAY_PARTITION variable=b type=complete dim=2
#pragma HLS ARRAY_PARTITION variable=c type=complete dim=2
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 8; k++) {
#pragma HLS PIPELINE II=1
            for (int j = 0; j < 8; j++)
                c[i][j] += a[i][k] * b[k][j];
        }
}
"""


def test_loops_around_one_that_the_tool_unrolls_change_places() -> None:
    old = hlspart.parse(ROWS)
    new = old.rewrite(style="interchange")
    assert new.texts["kernel.c"].index("for (int k") < new.texts["kernel.c"].index("for (int i")
    assert [x.ii for x in old.ii().loops if x.pipelined] > [x.ii for x in new.kernel().ii().loops if x.pipelined] == [1]
    assert hlspart.verify(old, new, vectors=5)
    crossed = ROWS.replace("c[i][j] += a", "c[i][j] += c[k][7 - j] * a")
    assert hlspart.parse(crossed).rewrite(style="interchange").texts == {"kernel.c": crossed}


OLD_STYLE = """void f(const float a[64], const float in[64], float out[64]) {
    int i, j, k, row;
    float x, b[64], c[64];
    for (j = 0; j < 64; j++) c[j] = 0, b[j] = in[j];
    for (i = 0; i < 8; i++)
        for (k = 0; k < 8; k++) {
#pragma HLS PIPELINE II=1
            row = k * 8;
            x = a[i * 8 + k];
            for (j = 0; j < 8; j++)
                c[i * 8 + j] += x * b[row + j];
        }
    for (j = 0; j < 64; j++) out[j] = c[j];
}
"""


@pytest.mark.parametrize(
    ("old", "new", "moves"),
    [
        ("row = k * 8;", "row = k * 8;", True),
        ("row = k * 8;", "row += 8;", False),
        ("row = k * 8;", "if (k < 7) row = k * 8;", False),
        ("out[j] = c[j];\n", "out[j] = c[j];\n    out[0] = x;\n", False),
        ("float x, b", "static float x; float b", False),
    ],
)
def test_variables_that_each_iteration_makes_anew_hand_on_nothing(old: str, new: str, moves: bool) -> None:
    text = OLD_STYLE.replace(old, new)
    made = hlspart.parse(text)
    assert bool(pairs(made.program, made.pipeline.analysis, made.pipeline.figures)) == moves
    if moves:  # ports hide what the order gains, so that banks have to come with it
        assert made.rewrite(style="interchange").texts == {"kernel.c": text}
        written = made.rewrite(infer=True)
        late = [x.ii for x in written.kernel().pipeline.figures.loops if x.flattened]
        assert written.texts["kernel.c"].index("for (k =") < written.texts["kernel.c"].index("for (i =") and late == [1]
        assert hlspart.verify(made, written, vectors=5)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("int j = 0; j < 10", "int j = 0; j <= i && j < 10"),
        ("int j = 0; j < 10", "int j = i; j < 10"),
        ("y[i] += a[i][j] * b[j];", "if (b[j] < 0) break; y[i] += a[i][j];"),
        ("y[i] += a[i][j] * b[j];", "y[i] = y[i] * 2 + y[11 - i] * a[i][j];"),
        ("float y[12]", "volatile float y[12]"),
        ("    for (int i = 0; i < 12; i++) /* rows */", "    for (int i = 0; i < 12; i++) { y[i] = 1;"),
    ],
)
def test_other_nests_keep_their_order(old: str, new: str) -> None:
    text = PRODUCT.replace(old, new)
    if new.endswith("= 1;"):
        text = text.replace("        }\n}", "        } }\n}")
    made = hlspart.parse(text)
    assert made.rewrite(style="interchange").texts == {"kernel.c": text}


DEEP = {1: "{0} = 0; {0} < {1}; {0}++", -1: "{0} = {1} - 1; {0} >= 0; {0}--"}
TRIPS = (4, 3, 5)


def deep_kernel(write: Index, read: Index, shift: int, moves: tuple[int, ...]) -> str:
    """Three loops, of which the innermost waits for its multiplication."""
    texts = [" + ".join(f"{c} * {i}" for c, i in zip(x, "ijk", strict=True)) for x in (write, read)]
    headers = [DEEP[m].format(i, n) for m, i, n in zip(moves, "ijk", TRIPS, strict=True)]
    return (
        "void f(float a[256], const float x[16]) {\n"
        + "".join(f"    for (int {h})\n" for h in headers[:-1])
        + f"    for (int {headers[-1]}) {{\n#pragma HLS PIPELINE II=1\n"
        f"        a[{texts[0]} + 60] = a[{texts[1]} + {60 + shift}] * x[k] + a[{texts[0]} + 60];\n    }}\n}}\n"
    )


def deep_order_matters(write: Index, read: Index, shift: int, moves: tuple[int, ...]) -> bool:
    """Whether two iterations that touch one element, one of them writing it, change their order: i goes inside."""
    places = list(itertools.product(*(range(n)[::m] for n, m in zip(TRIPS, moves, strict=True))))
    inside = sorted(places, key=lambda at: (moves[1] * at[1], moves[2] * at[2], moves[0] * at[0]))
    stored = {at: sum(c * x for c, x in zip(write, at, strict=True)) for at in places}
    loaded = {at: sum(c * x for c, x in zip(read, at, strict=True)) + shift for at in places}
    return any(
        inside.index(one) > inside.index(other)
        and (stored[one] in (stored[other], loaded[other]) or stored[other] == loaded[one])
        for one, other in itertools.combinations(places, 2)
    )


@pytest.mark.parametrize("first", (0, 15))
def test_the_verdict_on_a_loop_that_passes_two_others_is_that_of_all_iterations(first: int) -> None:
    taken = refused = 0
    for seed in range(first, first + 15):
        rng = random.Random(seed)
        write = (rng.choice((1, 1, 5, 15)), rng.choice((0, 0, 5, 1)), rng.choice((0, 0, 1)))
        shift, moves = rng.choice((0, 0, 0, 1, -1, 5, -15)), tuple(rng.choice((1, -1)) for _ in range(3))
        pipeline = hlspart.parse(deep_kernel(write, write, shift, moves)).pipeline
        late = any(x.misses and any(y.kind == "recurrence" for y in x.limits) for x in pipeline.figures.loops)
        nests = pairs(pipeline.program, pipeline.analysis, pipeline.figures)
        found = any(len(n.loops) == 3 for n in nests)
        assert found == (late and not deep_order_matters(write, write, shift, moves)), (seed, write, shift, moves)
        taken, refused = taken + found, refused + (late and not found)
    assert taken >= 2 and refused >= 2


CONVOLUTION = """void f(TYPE x[2][7][8], TYPE w[2][3][3], TYPE b[2], TYPE y[2][5][6]) {
    for (int o = 0; o < 2; o++)
    for (int r = 0; r < 5; r++)
    for (int c = 0; c < 6; c++)
    for (int i = 0; i < 2; i++)
    for (int p = 0; p < 3; p++)
    for (int q = 0; q < 3; q++) {
#pragma HLS PIPELINE II=1
        if (i == 0 && p == 0 && q == 0) y[o][r][c] = b[o];
        y[o][r][c] += x[i][r + p][c + q] * w[i][p][q];
    }
}
"""


@pytest.mark.parametrize("kind", ("int", "float"))
def test_a_loop_that_the_sum_does_not_run_over_passes_all_that_it_does(kind: str) -> None:
    old = hlspart.parse(CONVOLUTION.replace("TYPE", kind))
    assert [x.ii for x in old.pipeline.figures.loops if x.pipelined] > [1]
    new = old.rewrite(infer=True)
    (text,) = new.texts.values()
    assert [x.ii for x in new.kernel().pipeline.figures.loops if x.pipelined] == [1]
    assert text.index("int q =") < text.index("int c =")
    assert hlspart.verify(old, new, vectors=5)  # the same bits, floats too


RUN_TIME = """void f(const TYPE a[8][8], const TYPE b[8][8], TYPE c[8][8], int n, int m, int p) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < p; k++) {
#pragma HLS PIPELINE II=1
                c[i][j] += a[i][k] * b[k][j];
            }
}
"""


@pytest.mark.parametrize("kind", ("int", "float"))
def test_loops_of_bounds_given_at_run_time_change_places(kind: str) -> None:
    old = hlspart.parse(RUN_TIME.replace("TYPE", kind))
    new = old.rewrite(infer=True)
    (text,) = new.texts.values()
    assert text.index("int k =") < text.index("int j =")
    assert [x.ii for x in new.kernel().pipeline.figures.loops if x.pipelined] == [1]
    assert hlspart.verify(old, new, vectors=40, value_range=(0, 8))  # no iteration at all, too


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    for (int i", "    int j = 9;\n    for (int i"),
        ("c[i][j] += a", "n = n - (k == 7); c[i][j] += a"),
        ("k < p", "k < (int)b[0][0]"),
        ("k = 0; k < p", "k = p; k < 8"),
    ],
)
def test_loops_that_may_run_no_iteration_need_bounds_and_counters_that_nothing_else_sees(old: str, new: str) -> None:
    text = RUN_TIME.replace("TYPE", "int").replace(old, new)
    if "int j = 9" in new:
        text = text.replace("for (int j = 0", "for (j = 0").replace(
            "            }\n}", "            }\n    c[0][0] = j;\n}"
        )
    made = hlspart.parse(text)
    moved = made.rewrite(style="interchange").texts["kernel.c"] != text
    assert moved == ("k = p" in new)
    if moved:
        assert hlspart.verify(made, made.rewrite(style="interchange"), vectors=40, value_range=(0, 8))


TWO_WAYS = """
void f(int x1[24], int x2[24], const int y1[24], const int y2[24], const int a[24][24]) {
    L1: for (int i = 0; i < 24; i++) {
#pragma HLS PIPELINE II=1
        for (int j = 0; j < 24; j++) x1[i] += a[i][j] * y1[j];
    }
    L2: for (int i = 0; i < 24; i++) {
#pragma HLS PIPELINE II=1
        for (int j = 0; j < 24; j++) x2[i] += a[j][i] * y2[j];
    }
}
"""


def test_a_nest_that_goes_through_an_array_the_other_way_is_turned_where_ports_may_become_more() -> None:
    kernel = hlspart.parse(TWO_WAYS)
    written = kernel.rewrite(infer=True, split_top=True)
    (new,) = written.texts.values()
    loops = {x.name: x for x in hlspart.parse(new).pipeline.figures.loops}
    heads = [new[new.index(f"{name}: for") :].split(")")[0].endswith("j++") for name in loops]
    assert heads.count(True) == 1  # and not back again
    assert sum(x.least for x in loops.values()) <= 3
    assert hlspart.verify(kernel, written, seconds=1).result.status == "equal"
    (kept,) = kernel.rewrite(infer=True).texts.values()
    assert "i < 24; i++" in kept and kept.count("L1: for (int i") == kept.count("L2: for (int i") == 1
