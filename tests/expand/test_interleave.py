"""Accumulators in turns: II 1 with consent, exact where the order cannot be seen, and the text as it is without."""

from __future__ import annotations

import ctypes
import random
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import hlspart
from tests.amounts import amount

DOT = """float k(const float a[96], const float b[96]) {
    float s = a[0];
sum:
    for (int i = 0; i < 96; i++) {
#pragma HLS PIPELINE II=1
        @
    }
    return s;
}
"""
UPDATES = {
    "compound": "s += a[i] * b[i];",
    "plain": "s = a[i] + s;",
    "minus": "s = s - a[i];",
    "guarded": "if (b[i] > 2) s += a[i]; // some",
    "braced": "if (b[i] > 2) { s += a[i] * b[i]; } else { ; }",
    "either": "if (b[i] > 2) s += a[i];\n        else s = s - b[i];",
    "inside": "for (int j = 0; j < 5; j++)\n            s -= a[i] * (j + 1);\n        if (b[i] > 2) s += b[i];",
    "deep": "for (int j = 0; j < 3; j++)\n            for (int k = 0; k < 2; k++) { s += a[i] * (k + j); }",
    "twice": "s += a[i];\n        if (b[i] > 2) { s -= b[i] * 3; }",
}
ROWS = """float k(const float a[96], const float b[96]) {
    float c[4];
    for (int r = 0; r < 4; r++) {
        c[r] = b[r];
        for (int i = 0; i < 24; i++)
#pragma HLS PIPELINE II=1
            c[r] += a[24 * r + i] * b[i];
    }
    return c[0] + 2 * c[1] + 3 * c[2] + 4 * c[3];
}
"""
SEVERAL = """float k(const float a[96], const float b[96]) {
    float c[2][600];
    for (int r = 0; r < 2; r++) {
        c[0][r] = b[r];
        c[1][r] = b[r + 2];
        for (int i = 0; i < 48; i++) {
#pragma HLS PIPELINE II=1
            c[0][r] += a[i] * b[i + r];
            if (b[i] > 2) { c[1][r] = c[1][r] - a[48 + i]; }
        }
    }
    return c[0][0] + 2 * c[0][1] + 3 * c[1][0] + 4 * c[1][1];
}
"""
ANY = """float k(const float a[96], const float b[96]) {
    float c[4] = {1, 2, 3, 4};
    int n = (int)b[0] & 3, m = n + 1, w = 5 * m;
    for (int r = 0; r < 8; r++) {
        for (int i = 0; i < @; i++)
#pragma HLS PIPELINE II=1
            $
    }
    return c[0] + 2 * c[1] + 3 * c[2] + 4 * c[3];
}
"""
NO_RUN_NEED_TOUCH = {  # iterations of a row, the update
    "as many as an input says": ("w * (r < n)", "c[r % m] += a[r * w % 48 + i] * b[i];"),
    "only within the array": ("24", "if (r < (n ? 4 : 8)) c[n ? r : r / 2] -= a[i] * b[i + r];"),
    "product of run-time values": ("w", "c[n * (r & 1)] += a[i * n + r];"),
}
CALLED = "static float mac(float s, float x, float y) {\n    float p = x * y;\n    return s + p;\n}\n"
MORE = "static float mac(float s, float x, float y) {\n    if (x < y) return s;\n    return s + x * y;\n}\n"


NEST = """float k(const float a[96], const float b[96]) {
    float c[4];
    for (int r = 0; r < 4; r++)
        c[r] = b[r];
    for (int r = 0; r < 4; r++)
        for (int i = 0; i < 24; i++)
#pragma HLS PIPELINE II=1
            c[r] += a[24 * r + i] * b[i];
    return c[0] + 2 * c[1] + 3 * c[2] + 4 * c[3];
}
"""


def ran(text: str, folder: Path, name: str, suffix: str = "c") -> list[float]:
    (folder / f"{name}.{suffix}").write_text(text)
    library = folder / f"{name}.so"
    checked = ["-fsanitize=bounds", "-fsanitize-undefined-trap-on-error"]
    command = ["gcc", "-shared", "-fPIC", "-O1", "-Wno-unknown-pragmas", *checked, "-o", str(library)]
    subprocess.run([*command, str(folder / f"{name}.{suffix}")], check=True)
    call = ctypes.CDLL(str(library)).k
    call.restype = ctypes.c_float
    rng = random.Random(7)
    vectors = [[(ctypes.c_float * 96)(*(rng.randint(-9, 9) for _ in range(96))) for _ in "ab"] for _ in range(4)]
    return [call(*v) for v in vectors]  # sums of small whole numbers are exact in any order


FOR = DOT[DOT.index("sum:") : DOT.index("    return")]
OTHER_LOOPS = {
    "while": "int i = 0;\nsum: while (i < 96) {\n#pragma HLS PIPELINE II=1\n if (b[i] > 2) s += a[i];\n i++; }\n",
    "left": "int i = 0;\nwhile (1) {\n#pragma HLS PIPELINE II=1\n s += a[i]; if (++i > 95) break; }\n",
    "do": "int i = 0; sum: do {\n#pragma HLS PIPELINE II=1\n if (b[i] > 8) continue; s += a[i]; } while (++i < 96);\n",
    "bare while": "int i = 0;\nwhile (i < 96)\n s += a[i++];\n",
    "bare do": "int i = 0;\ndo s += a[i++]; while (i < 96);\n",
}
EARLY = {  # an iteration may end in front of the sum, or the loop behind it
    "left": "c[r] += a[24 * r + i] * b[i]; if (i == n) break;",
    "passed over": "if (b[i] > 5) continue; c[r] -= a[24 * r + i];",
    "both": "if (i > n + 3) break; c[r] += b[i]; if (i == 2 * n) { m++; break; }",
    "counted in the body": "c[r] += a[24 * r + m]; m += m < 9; if (m == n) break;",
}
SHORT = """float k(const float a[96], const float b[96]) {
    float c[4];
    for (int r = 0; r < 4; r++) {
        c[r] = b[r];
        for (int i = 0; i < 8; i++)
#pragma HLS PIPELINE II=1
            c[r] += a[24 * r + i];
    }
    return c[0] + 2 * c[1] + 3 * c[2] + 4 * c[3];
}
"""
MISSED = ("rewrite-target-missed", "rewrite-not-helped")  # by a pragma, automatically
SUM_BY_CALL = "s = mac(s, a[i], b[i]);"


@pytest.mark.parametrize(
    "text",
    [DOT.replace("@", u) for u in UPDATES.values()]
    + [ROWS, CALLED + DOT.replace("@", SUM_BY_CALL), SEVERAL]
    + [DOT.replace(FOR, text) for text in OTHER_LOOPS.values()],
    ids=[*UPDATES, "element", "called", "elements", *OTHER_LOOPS],
)
def test_partials_in_turns_reach_ii_1(text: str, tmp_path: Path) -> None:
    old = hlspart.parse(text)
    assert max(x.ii or 0 for x in old.ii().loops) > 1
    without_consent = old.rewrite(infer=True)
    assert without_consent.texts["kernel.c"] == text
    said = [d.message for r in without_consent.results for d in r.diagnostics if d.rule in MISSED]
    assert [("rewrite that keeps the order of sums helps" in m, "--allow-reassoc" in m) for m in said] == [(True, True)]
    found = old.rewrite(infer=True, allow_reassoc=True)
    assert [x.ii for x in found.kernel().ii().loops if x.pipelined] == [1]
    new = found.texts["kernel.c"]
    assert ran(text, tmp_path, "old") == ran(new, tmp_path, "new")
    assert found.kernel().rewrite(infer=True, allow_reassoc=True).texts["kernel.c"] == new


@pytest.mark.parametrize("case", EARLY)
def test_a_loop_that_ends_early_has_its_sums_in_partials(case: str, tmp_path: Path) -> None:
    body = ROWS[ROWS.index("            c[r] +=") : ROWS.index("    }\n    return")]
    text = ROWS.replace("i++)\n#", "i++) {\n#").replace(body, f"            {EARLY[case]}\n        }}\n")
    text = text.replace("float c[4];", "float c[4]; int m = 0, n = (int)b[0] & 15;").replace(
        "return c[0]", "return m + c[0]"
    )
    new = hlspart.parse(text).rewrite(infer=True, allow_reassoc=True)
    assert [x.ii for x in new.kernel().ii().loops if x.pipelined] == [1]
    assert ran(text, tmp_path, "old") == ran(new.texts["kernel.c"], tmp_path, "new")


def test_a_short_sum_is_taken_in_partials_where_it_gains_and_beside_one_that_does_not(tmp_path: Path) -> None:
    """By hand: eight terms at II 3 take 21 states more than one, a tree of three partials and a sum 8 to 12."""
    new = hlspart.parse(SHORT).rewrite(infer=True, allow_reassoc=True)
    assert [x.ii for x in new.kernel().ii().loops if x.pipelined] == [1]
    assert ran(SHORT, tmp_path, "old") == ran(new.texts["kernel.c"], tmp_path, "new")
    few = "for (int i = 0; i < 2; i++) {\n#pragma HLS PIPELINE II=1\n        s += b[2 * i]; s -= b[2 * i + 1];\n    }\n"
    other = f"float m(const float b[96]) {{\n    float s = b[9];\n    {few}    return s;\n}}\n"
    text = other + DOT.replace("@", "s += a[i];")
    new = hlspart.parse(text).rewrite(infer=True, allow_reassoc=True)
    assert [x.ii for x in hlspart.parse(text).ii().loops if x.pipelined] == [8, 3]
    assert [x.ii for x in new.kernel().ii().loops if x.pipelined] == [8, 1]
    assert ran(text, tmp_path, "old") == ran(new.texts["kernel.c"], tmp_path, "new")


@pytest.mark.parametrize("case", NO_RUN_NEED_TOUCH)
def test_an_element_that_no_run_need_touch_is_touched_where_the_loop_does(case: str, tmp_path: Path) -> None:
    trips, update = NO_RUN_NEED_TOUCH[case]
    text = ANY.replace("@", trips).replace("$", update)
    old = hlspart.parse(text)
    found = old.rewrite(infer=True, allow_reassoc=True)
    new = found.texts["kernel.c"]
    assert [x.ii for x in found.kernel().ii().loops if x.pipelined] == [1]
    assert new.count("if (c_any)") == 1
    assert ran(text, tmp_path, "old") == ran(new, tmp_path, "new")


CONVOLUTION = """float k(const float a[96], const float b[96]) {
    float c[2][3] = {{1, 2, 3}, {4, 5, 6}};
    for (int o = 0; o < 2; o++)
        for (int x = 0; x < 3; x++)
            for (int d = 0; d < 16; d++)
                for (int u = 0; u < 3; u++)
                    for (int v = 0; v < 2; v++) {
#pragma HLS PIPELINE II=1
                        c[o][x] += a[d + x + u] * b[o + 3 * d + 2 * u + v];
                    }
    return c[0][0] + 2 * c[0][1] + 3 * c[0][2] + 4 * c[1][0] + 5 * c[1][1] + 6 * c[1][2];
}
"""
ROWS_AT_ONCE = """float k(const float a[96], const float b[96]) {
    float c[12] = {0};
#pragma HLS ARRAY_PARTITION variable=a type=complete
#pragma HLS ARRAY_PARTITION variable=b type=complete
#pragma HLS ARRAY_PARTITION variable=c type=cyclic factor=4
    int j;
    for (int r = 0; r < 12; r++) {
        for (int g = 0; g < 3; g++) {
#pragma HLS PIPELINE II=1
            for (int u = 0; u < 4; u++)
                for (int t = 0; t < 2; t++) {
                    j = 4 * g + u;
                    c[j] = c[j] + a[8 * r + 4 * t + u] * b[2 * r + t];
                }
        }
    }
    return c[0] + 2 * c[3] + 3 * c[4] + 4 * c[7] + 5 * c[11];
}
"""


def test_the_loops_that_sum_up_one_element_stay_one(tmp_path: Path) -> None:
    """By hand: 6 elements of 96 terms each, a sum every cycle, and less than 40 cycles between two of them."""
    found = hlspart.parse(CONVOLUTION).rewrite(infer=True, allow_reassoc=True)
    figures = found.kernel().pipeline.figures
    (loop,) = [x for x in figures.loops if x.pipelined]
    assert loop.ii == 1 and len(loop.flattened) == 3
    assert (figures.functions[0].latency.max or 0) < 6 * (96 + 40)
    assert ran(CONVOLUTION, tmp_path, "old") == ran(found.texts["kernel.c"], tmp_path, "new")


def test_what_an_iteration_adds_to_several_elements_is_summed_up_first(tmp_path: Path) -> None:
    before = [x for x in hlspart.parse(ROWS_AT_ONCE).ii().loops if x.pipelined]
    found = hlspart.parse(ROWS_AT_ONCE).rewrite(infer=True, allow_reassoc=True)
    new = found.texts["kernel.c"]
    (after,) = [x for x in found.kernel().ii().loops if x.pipelined]
    assert before[0].least > 3 and after.least <= 2 and new.count("c_part = 0;") == 1
    assert ran(ROWS_AT_ONCE, tmp_path, "old") == ran(new, tmp_path, "new")


def in_partials(program: Callable[[random.Random], str], rng: random.Random) -> tuple[str, str]:
    """The first random program of which sums are taken in partials, and what is written."""
    while True:
        text = program(rng)
        new = hlspart.parse(text).rewrite(infer=True, allow_reassoc=True).texts["kernel.c"]
        if re.search(r"_part\b", new) is not None:
            return text, new


def random_sums(rng: random.Random) -> str:
    """Sums in a nest of loops, of which some are pipelined together and the others stand in an iteration."""
    names = "pqrv"[: rng.randint(2, 4)]
    trips = [rng.choice(("2", "3", "4", "n")) for _ in names]
    early = rng.random() < 0.3  # iterators that the function declares
    pipelined, made = rng.randrange(len(names)), rng.random() < 0.3
    places = [" + ".join(rng.sample(names, rng.randint(0, 2)) or ["1"]) for _ in range(2)]
    target = rng.choice(("s", "c[#][#]", "c[#][#]", "c[t][#]" if made else "c[n & 3][#]"))
    for place in places:
        target = target.replace("#", f"({place}) & 3", 1)
    lines = [f"int t, n = ((int)a[0] & 3) + {rng.choice((0, 1))};", *([f"int {', '.join(names)};"] if early else [])]
    for k, (name, trip) in enumerate(zip(names, trips, strict=True)):
        lines.append(f"for ({'' if early else 'int '}{name} = 0; {name} < {trip}; {name}++) {{")
        lines += ["#pragma HLS PIPELINE II=1"] * (k == pipelined)
    at = " + ".join(f"{rng.choice((1, 2, 3))} * {x}" for x in names)
    lines += [f"t = ({rng.choice(places)}) & 3;"] * (made or "[t]" in target)
    update = rng.choice((f"{target} += a[{at}] * b[{at}];", f"{target} = {target} - a[{at}];"))
    summed = rng.choice((update, update, f"if (b[{at}] > 2) {update}", f"if (b[n] > 2) {{ {update} }}"))
    passed, last = f"if (b[{at}] < -5) continue;", f"if ({names[-1]} == n - 1) break;"
    lines += rng.choice(([summed], [summed], [summed], [passed, summed], [last, summed], [passed, summed, last]))
    total = " + ".join(f"{k + 1} * c[{k // 4}][{k % 4}]" for k in range(16))
    head = "float k(const float a[96], const float b[96]) {\nfloat s = 1, c[4][4] = {{1, 2}, {3}};\n"
    return head + "\n".join((*lines, "}" * len(names), f"return s + {total};\n}}\n"))


@pytest.mark.parametrize("seed", range(amount(3, 300)))
def test_random_sums_are_the_same_numbers(seed: int, tmp_path: Path) -> None:
    text, new = in_partials(random_sums, random.Random(2_310_000 + seed))
    assert ran(text, tmp_path, "old") == ran(new, tmp_path, "new"), text


RUNNING = {  # how the sum begins, the body of the innermost of loops over j and k
    "set first": ("float s = 3;", "if (k == 0) s = b[j]; s += a[16 * j + k]; if (k == 15) y[j] = s;"),
    "never before": ("float s;", "if (k == 0) { s = 0; } if (b[k] > 2) s += a[16 * j + k]; y[j] = s * 2;"),
    "selected": ("float s = 3;", "s = k == 0 ? 0 : s; s += a[16 * j + k]; y[j] = s;"),
    "selected in the sum": ("float s = 3;", "s = a[16 * j + k] + (k > 0 ? s : b[j]) - 1; if (k > 13) y[j] = -s;"),
    "read only": ("float s = 3;", "s += a[16 * j + k]; y[(j + k) & 7] = s;"),
    "set by data": ("float s = 3;", "if (a[16 * j + k] < -4) s = j; else s += b[k]; y[j] = s;"),
}


SEVERAL_PLACES = [  # of an update whose subscript the loop makes
    "j = k < 5 ? 2 : 7; if (k < 5) y[j] += a[k];",
    "j = 2; y[j] += a[k]; j = 3;",
    "j = k / 16; y[j] += a[k]; if (b[k] > 3) j = 4;",
    "if (b[k] > 3) j = 4; y[j] += a[k];",
]


@pytest.mark.parametrize("body", SEVERAL_PLACES)
def test_a_subscript_names_the_element_behind_the_loop_or_the_text_stays(body: str, tmp_path: Path) -> None:
    text = running("read only").replace(RUNNING["read only"][1], body).replace("float y", "int j = 1; float y")
    text = text.replace("int j = 0; j < 6; j++", "int r = 0; r < 6; r++")
    new = hlspart.parse(text).rewrite(infer=True, allow_reassoc=True).texts["kernel.c"]
    assert ran(text, tmp_path, "old") == ran(new, tmp_path, "new")


def running(case: str) -> str:
    first, body = RUNNING[case]
    return (
        f"float k(const float a[96], const float b[96]) {{\n    float y[8] = {{0}};\n    {first}\n"
        "    for (int j = 0; j < 6; j++)\n        for (int k = 0; k < 16; k++) {\n#pragma HLS PIPELINE II=1\n"
        f"            {body}\n        }}\n"
        f"    return y[0] + 2 * y[1] + 3 * y[3] + 5 * y[5] + 7 * y[7]{' + 9 * s' * ('= 3' in first)};\n}}\n"
    )


@pytest.mark.parametrize("case", RUNNING)
def test_a_sum_that_is_set_or_read_on_the_way_reaches_ii_1(case: str, tmp_path: Path) -> None:
    text = running(case)
    (before,) = [x for x in hlspart.parse(text).ii().loops if x.pipelined]
    found = hlspart.parse(text).rewrite(infer=True, allow_reassoc=True)
    (after,) = [x for x in found.kernel().ii().loops if x.pipelined]
    assert (before.ii or 0) > 2 and after.ii == 1 and len(after.flattened) == 2
    assert ran(text, tmp_path, "old") == ran(found.texts["kernel.c"], tmp_path, "new")


@pytest.mark.parametrize(
    "body",
    [
        "s += a[k]; if (s > 9) s = 0;",
        "s += a[k]; y[(int)s & 7] = 1;",
        "s += a[k]; int t = s; y[t & 7] = 1;",
        "s += a[k]; int t; t = s; y[t & 7] = 1;",
        "s = s * a[k]; if (k == 0) s = 1; s += b[k]; y[j] = s;",
        "s = (k == 0 ? s : s) + a[k]; y[j] = s;",
        "s = s + a[k] + (k == 0 ? 0 : s); y[j] = s;",
    ],
)
def test_a_sum_that_more_depends_on_keeps_its_text(body: str, tmp_path: Path) -> None:
    first = running("read only")
    text = first.replace(RUNNING["read only"][1], body)
    assert hlspart.parse(text).rewrite(infer=True, allow_reassoc=True).texts["kernel.c"] == text


def random_running(rng: random.Random) -> str:
    """A sum that a nest sets, adds to and reads, each under tests or not, in some order."""
    names = "pqr"[: rng.randint(1, 3)]
    at = " + ".join(f"{rng.choice((1, 2, 3))} * {x}" for x in names)
    tests = [f"{names[-1]} == 0", f"b[{at}] > {rng.randint(-5, 5)}", f"{names[0]} < 2 && b[1] > {names[-1]}"]

    def under(stmt: str) -> str:
        return rng.choice((stmt, f"if ({rng.choice(tests)}) {stmt}", f"if ({rng.choice(tests)}) {{ {stmt} }}"))

    values = [f"a[{at}]", "b[3]", "0", f"a[{at}] * b[{names[-1]}]"]
    kept = f"({rng.choice(tests)} ? {rng.choice(values)} : s)"
    kinds = [
        f"s += {rng.choice(values)};",
        f"s = s - {rng.choice(values)};",
        f"s = {rng.choice(values)};",
        f"c[({at}) & 15] = s;",
        f"c[{names[-1]}] = s * 2 + c[3];",
        f"s = {kept};",
        f"s = {kept} + {rng.choice(values)};",
    ]
    body = " ".join(under(s) for s in rng.sample(kinds, rng.randint(2, 4)))
    loops = "".join(f"for (int {x} = 0; {x} < {rng.choice(('3', '5', 'n'))}; {x}++) {{\n" for x in names)
    total = " + ".join(f"{k + 1} * c[{k}]" for k in range(16))
    late = rng.choice((" + 3 * s", ""))
    return (
        f"float k(const float a[96], const float b[96]) {{\nfloat s = {rng.choice(('0', '2'))}, c[16] = {{1, 2}};\n"
        f"int n = (int)a[0] & 7;\n{loops}#pragma HLS PIPELINE II=1\n{body}\n{'}' * len(names)}\n"
        f"return {total}{late};\n}}\n"
    )


@pytest.mark.parametrize("seed", range(amount(3, 300)))
def test_random_sums_that_are_set_and_read_are_the_same_numbers(seed: int, tmp_path: Path) -> None:
    text, new = in_partials(random_running, random.Random(2_320_000 + seed))
    assert ran(text, tmp_path, "old") == ran(new, tmp_path, "new"), text


def test_a_sum_of_twelve_at_once_takes_as_many_partials_as_their_chain_has_states(tmp_path: Path) -> None:
    unrolled = DOT.replace("@", "s += a[i] * b[i];").replace("II=1\n", "II=1\n#pragma HLS UNROLL factor=12\n")
    split = "".join(f"#pragma HLS ARRAY_PARTITION variable={x} type=complete\n" for x in "ab")
    text = unrolled.replace(") {\n    float s", f") {{\n{split}    float s")
    (before,) = [x for x in hlspart.parse(text).ii().loops if x.pipelined]
    assert before.ii is not None and before.ii > 32
    found = hlspart.parse(text).rewrite(infer=True, allow_reassoc=True)
    assert [x.ii for x in found.kernel().ii().loops if x.pipelined] == [1]
    new = found.texts["kernel.c"]
    assert f"s_part[{before.ii}]" in new and ran(text, tmp_path, "old") == ran(new, tmp_path, "new")


@pytest.mark.parametrize(
    "update",
    [
        "s = s * 0.5f + a[i];",
        "s += a[i]; if (s > 9) s += 1;",
        "s += a[(int)s & 7];",
        "s += b[i] * s;",
        "s += a[i]; s *= b[i];",
        "for (int j = 0; j < 3; j++) s = s * 0.5f + a[i];",
        "for (int j = 0; j < 3; j++) { s += a[i]; if (j > b[i]) break; }",
        "for (int j = 0; j < s; j++) s += a[i];",
    ],
)
def test_what_is_more_than_a_sum_keeps_its_text(update: str) -> None:
    text = DOT.replace("@", update)
    assert hlspart.parse(text).rewrite(infer=True, allow_reassoc=True).texts["kernel.c"] == text


@pytest.mark.parametrize("body", [MORE, CALLED.replace("s + p", "s * 2 + p"), CALLED.replace("x * y", "x * s")])
def test_a_call_that_does_more_than_add_keeps_its_text(body: str) -> None:
    text = body + DOT.replace("@", SUM_BY_CALL)
    assert hlspart.parse(text).rewrite(infer=True, allow_reassoc=True).texts["kernel.c"] == text


@pytest.mark.parametrize(("trips", "opened"), [("24 - r", True), ("4 - r", False)])
def test_a_flattened_nest_is_opened_where_its_rows_then_take_fewer_cycles(
    trips: str, opened: bool, tmp_path: Path
) -> None:
    """Rows of 21 to 24 sums are worth a loop of their own, those of 1 to 4 are not."""
    text = NEST.replace("i < 24", f"i < {trips}")
    old = hlspart.parse(text)
    new = old.rewrite(infer=True, allow_reassoc=True)
    (before,), (after,) = old.pipeline.figures.functions, new.kernel().pipeline.figures.functions
    assert before.latency.max is not None and after.latency.max is not None
    assert (after.latency.max < before.latency.max, "c_part" in new.texts["kernel.c"]) == (opened, opened)
    assert ran(text, tmp_path, "old") == ran(new.texts["kernel.c"], tmp_path, "new")


def test_sums_of_one_if_keep_all_their_partials() -> None:
    """The places where the partials of one sum move on are those where the text of the next one ends."""
    arms = " else ".join(f"if (x[i] == {k}) prior[{k}] += 1;" for k in range(3))
    body = f"    for (int i = 0; i < 90; i++) {{\n#pragma HLS PIPELINE II=1\n        {arms}\n    }}\n"
    kernel = hlspart.parse(f"void f(const int x[90], float prior[3]) {{\n{body}}}\n")
    written = kernel.rewrite(infer=True, allow_reassoc=True)
    (new,) = written.texts.values()
    assert new.count("_part") > 3 and all(f"= prior_turn{k};" in new for k in ("", "_2", "_3"))
    found = hlspart.verify(kernel, written, seconds=1, value_range=(0, 3), allow_reassoc=True).result
    assert found.status == "equal", found.message
