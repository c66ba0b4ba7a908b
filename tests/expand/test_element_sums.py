"""Sums into elements of an array by tables of partials: II 1 with consent, the same numbers, refusals."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import hlspart
from tests.amounts import amount
from tests.expand.test_interleave import ran

HEAD = """float k(const float a[96], const float b[96]) {
    float y[3][4];
#pragma HLS BIND_STORAGE variable=y type=ram_2p
    for (int r = 0; r < 3; r++)
        for (int j = 0; j < 4; j++)
            y[r][j] = b[r + j];
    for (int i = 0; i < 96; i++) {
#pragma HLS PIPELINE II=1
        """
TAIL = """
    }
    return y[0][0] + 2 * y[0][3] + 3 * y[1][1] + 5 * y[2][0] + 7 * y[2][2] + 11 * y[1][3];
}
"""
SUMS = {
    "arms that add to rows": """for (int j = 0; j < 4; j++) {
            if (b[i] < -2)
                y[0][j] += a[i];
            else if (b[i] < 3)
                y[1][j] -= a[i];
            else
                y[2][j] = y[2][j] + a[i] * b[i];
        }""",
    "all elements": "for (int r = 0; r < 3; r++)\n for (int j = 0; j < 4; j++)\n y[r][j] += a[i];",
    "some iterations pass it over": """if (b[i] > 7) continue;
        for (int j = 0; j < 4; j++) y[1][j] += a[i];
        for (int j = 1; j < 4; j++) y[2][j] -= b[i];""",
}
BY_DATA = "int at = (int)b[i] & 3; y[at > 2 ? 1 : at][at] += a[i];"
KEPT = {
    "a place by data": BY_DATA,
    "read in the loop": BY_DATA.replace("+= a[i]", "+= a[i] * y[0][0]"),
    "read beside": BY_DATA.replace("+= a[i];", "+= a[i]; y[0][0] = y[1][at];"),
    "another name": "float (*z)[4] = y; z[0][1] += 1; y[1][2] += a[i];",
    "two operations": BY_DATA.replace("+= a[i];", "+= a[i]; y[1][at] *= 2;"),
}


@pytest.mark.parametrize("case", SUMS)
def test_elements_take_their_sums_from_tables(case: str, tmp_path: Path) -> None:
    text = f"{HEAD}{SUMS[case]}{TAIL}"
    old = hlspart.parse(text)
    assert max(x.ii or 0 for x in old.ii().loops if x.pipelined) > 1
    assert "y_table" not in old.rewrite(infer=True).texts["kernel.c"]
    found = old.rewrite(infer=True, allow_reassoc=True)
    new = found.texts["kernel.c"]
    assert "y_table0" in new and [x.name for x in found.kernel().ii().loops if x.pipelined and x.misses] == []
    assert ran(text, tmp_path, "old") == ran(new, tmp_path, "new")


@pytest.mark.parametrize("case", KEPT)
def test_an_array_that_the_loop_reads_or_that_has_two_names_keeps_its_sums(case: str, tmp_path: Path) -> None:
    text = f"{HEAD}{KEPT[case]}{TAIL}"
    new = hlspart.parse(text).rewrite(infer=True, allow_reassoc=True).texts["kernel.c"]
    assert "y_table" not in new
    assert ran(text, tmp_path, "old") == ran(new, tmp_path, "new")


def test_a_large_array_gets_no_tables() -> None:
    text = "void k(const float a[96], const int b[96], float y[200]) {\n    for (int i = 0; i < 96; i++)\n"
    text += "#pragma HLS PIPELINE II=1\n        y[b[i]] += a[i];\n}\n"
    assert "y_table" not in hlspart.parse(text).rewrite(infer=True, allow_reassoc=True).texts["kernel.c"]


@pytest.mark.parametrize("seed", range(amount(3, 300)))
def test_random_sums_in_tables_are_the_same_numbers(seed: int, tmp_path: Path) -> None:
    rng, new = random.Random(4_310_000 + seed), ""
    while "y_table0" not in new:
        low, step = rng.choice((0, 1)), rng.choice((1, 2))
        row = rng.choice(("0", "1", "r", "2 - r", "r % 2"))
        place = f"y[{row}][{rng.choice(('j', '3 - j'))}]"
        value = rng.choice(("a[i]", "a[i] * b[i]", "b[i] * j", "a[i] - b[i]"))
        update = rng.choice((f"{place} += {value};", f"{place} -= {value};", f"{place} = {value} + {place};"))
        guard = rng.choice(("", "if (b[i] > j) ", "if (a[i] < b[i]) ; else ", "if (a[i] == 3) continue; "))
        inner = f"for (int j = {low}; j < 4; j += {step}) {{ {guard}{update} }}"
        body = f"for (int r = 0; r < 3; r++) {inner}" if "r" in row else inner
        text = f"{HEAD}{body}{rng.choice(('', ' y[2][1] += 2;'))}{TAIL}"
        new = hlspart.parse(text).rewrite(infer=True, allow_reassoc=True).texts["kernel.c"]
    assert ran(text, tmp_path, "old") == ran(new, tmp_path, "new"), text


SUM = """for (int i = 0; i < 96; i++) {
#pragma HLS PIPELINE II=1
        for (int j = 0; j < 4; j++) y[j] += a[i];
    }"""
ARRAY = "float y[4];\n    for (int j = 0; j < 4; j++) y[j] = b[j];\n    "
K = "float k(const float a[96], const float b[96]) {\n    "
RESULT = "\n    return y[0] + 2 * y[1] + 3 * y[2] + 5 * y[3];\n}\n"
C_KERNEL = f'extern "C" {K}'
PLACES = {  # text, language, and whether there are tables
    "a label to which a goto goes": (
        f"{K}int n = 0;\n{ARRAY}again: {SUM}\n if (n++ < 2) goto again;{RESULT}",
        "c",
        False,
    ),
    "a label on a line of its own": (
        f"{K}int n = 0;\n{ARRAY}again:\n{SUM}\n if (n++ < 2) goto again;{RESULT}",
        "c",
        False,
    ),
    "a label of the loop": (f"{K}{ARRAY}sum: {SUM}{RESULT}", "c", True),
    "a goto past it": (f"{C_KERNEL}{ARRAY}if (b[0] > 5) goto end;\n {SUM}\nend:;{RESULT}", "cpp", False),
    "a case past it": (
        f"{C_KERNEL}{ARRAY}switch ((int)b[0] & 1) {{\ncase 0:;\n{SUM}\nbreak;\ncase 1: y[1] += 3; }}{RESULT}",
        "cpp",
        False,
    ),
    "a block of a case": (
        f"{C_KERNEL}{ARRAY}switch ((int)b[0] & 1) {{\ncase 0: {{\n{SUM}\nbreak; }}\ncase 1: y[1] += 3; }}{RESULT}",
        "cpp",
        True,
    ),
    "a name of a namespace": (
        f"namespace n {{ float y[4]; }}\n{C_KERNEL}{SUM}{RESULT}".replace(" y[j]", " n::y[j]")
        .replace("* y", "* n::y")
        .replace("n y", "n n::y"),
        "cpp",
        True,
    ),
    "a name that another one hides": (
        f"float y[4];\n{C_KERNEL}float y[2] = {{1, 2}};\n{SUM}".replace(" y[j]", " ::y[j]")
        + "\n return y[0] + ::y[0] + 2 * ::y[1] + 3 * ::y[3];\n}\n",
        "cpp",
        False,
    ),
    "a directive of a compiler in front": (f"{K}{ARRAY}\n#pragma GCC unroll 4\n{SUM}{RESULT}", "c", True),
    "and a label": (f"{K}{ARRAY}\nsum:\n  #pragma GCC ivdep\n#pragma GCC unroll 4\n{SUM}{RESULT}", "c", True),
    "of a thread": (f"static _Thread_local float y[4];\n{K}{SUM}{RESULT}", "c", True),
}


@pytest.mark.parametrize("case", PLACES)
def test_sums_keep_their_meaning_wherever_the_loop_and_the_array_stand(case: str, tmp_path: Path) -> None:
    text, suffix, found = PLACES[case]
    new = hlspart.parse(text, f"kernel.{suffix}").rewrite(infer=True, allow_reassoc=True).texts[f"kernel.{suffix}"]
    assert ("y_table0" in new) == found
    assert ran(text, tmp_path, "old", suffix) == ran(new, tmp_path, "new", suffix)
