"""What `verify` drives of a program of several files, of types by other names, and of sums in another order."""

from __future__ import annotations

from pathlib import Path

import pytest

from hlspart.model.verifying import VerifyResult
from hlspart.verification import VerifyOptions, verify

UNROUNDED = "float p[4] = {0, 0, 0, 0};\nfor (int i = 0; i < 64; i++) p[i % 4] += a[i] * b[i];\n"
SUMS = {  # the new version of a dot product, what is said with consent
    "another order": (f"{UNROUNDED}return p[0] + p[1] + (p[2] + p[3]);", "equal"),
    "a term is missing": (f"{UNROUNDED.replace('< 64', '< 63')}return p[0] + p[1] + (p[2] + p[3]);", "different"),
    "less digits": ("float s = 0; for (int i = 0; i < 64; i++) s += a[i] * b[i]; return s * 1.0001f;", "different"),
}


def compared(folder: Path, old: str, new: str, name: str = "k.c", **options: object) -> VerifyResult:
    for side, text in (("old", old), ("new", new)):
        (folder / side).mkdir()
        (folder / side / name).write_text(text)
    return verify(str(folder / "old" / name), str(folder / "new" / name), VerifyOptions(vectors=12, **options))  # type: ignore[arg-type]


@pytest.mark.parametrize("case", SUMS)
def test_sums_in_another_order_differ_by_what_both_round(tmp_path: Path, case: str) -> None:
    head = "float k(const float a[64], const float b[64]) {\n"
    old = f"{head}float s = 0; for (int i = 0; i < 64; i++) s += a[i] * b[i]; return s;\n}}\n"
    result = compared(tmp_path, old, f"{head}{SUMS[case][0]}\n}}\n", reassoc=True)
    assert result.status == SUMS[case][1], result.message
    assert (result.rounded > 0) == (result.status == "equal")
    for side in ("old", "new"):
        (tmp_path / side / "k.c").unlink()
        (tmp_path / side).rmdir()
    assert compared(tmp_path, old, f"{head}{SUMS[case][0]}\n}}\n").status == "different"


def test_sums_of_rounded_sums_differ_by_what_the_others_may(tmp_path: Path) -> None:
    """Terms of both signs: rounded down and up a number may come out as near as the same by chance."""
    old = """void k(double A[9][17], double B[17][9], double C[9][9], double D[9][9]) {
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++) {
            double t[9] = {0};
            for (int n = 0; n < 9; n++)
                for (int m = 0; m < 17; m++) t[n] += 1.1 * A[i][m] * B[m][n];
            double s = 0;
            for (int n = 0; n < 9; n++) s += t[n] * C[n][j];
            D[i][j] = s;
        }
}
"""
    new = old.replace("double s = 0;", "double s = 0, odd = 0;").replace("s += t[n]", "*(n % 2 ? &odd : &s) += t[n]")
    result = compared(tmp_path, old, new.replace("= s;", "= s + odd;"), reassoc=True, value_range=(-9, 9))
    assert result.status == "equal" and result.rounded, result.message


def test_integers_are_equal_whatever_is_allowed(tmp_path: Path) -> None:
    text = "int k(const float a[64]) { float s = 0; for (int i = 0; i < 64; i++) s += a[i]; return s > 0; }"
    assert compared(tmp_path, text, text.replace("s > 0", "s <= 0"), reassoc=True).status == "different"


def test_a_function_of_a_header_is_no_second_top(tmp_path: Path) -> None:
    (tmp_path / "seed.h").write_text("static inline int seeded(int x) { return x + 1; }\n")
    text = '#include "../seed.h"\nvoid k(int a[4]) { a[1] = a[0] * 2; }\n'
    result = compared(tmp_path, text, text.replace("a[0] * 2", "a[0] + a[0]"))
    assert (result.status, result.top) == ("equal", "k"), result.message


CALLER = """#include "../include/work.h"
void k(const Image &in, Image &out) { for (int i = 0; i < 4; i++) out[i][2] = worked(in[i][0]); }
"""


def test_sources_beside_are_linked_and_typedefs_may_be_arrays(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "work.h").write_text("#pragma once\nusing Image = int[4][3];\nint worked(int x);\n")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "work.cpp").write_text(
        '#include "work.h"\nstatic int calls;\nint worked(int x) { return x / 3 + ++calls; }\n'
    )
    (tmp_path / "old" / "k.cpp").write_text(CALLER)
    for name, text, said in (
        ("same.cpp", CALLER, "equal"),
        ("other.cpp", CALLER.replace("worked(in[i][0])", "worked(in[i][0] + (i == 3))"), "different"),
    ):
        (tmp_path / "new").mkdir(exist_ok=True)
        (tmp_path / "new" / name).write_text(text)
        options = VerifyOptions(vectors=12, top="k")
        result = verify(str(tmp_path / "old" / "k.cpp"), str(tmp_path / "new" / name), options)
        assert result.status == said, result.message
        assert said == "different" or result.compared == ("out",)


def test_halves_are_driven(tmp_path: Path) -> None:
    text = "#include <hls_half.h>\nvoid k(half a[8], half *s) { for (int i = 0; i < 8; i++) a[i] = a[i] * *s; }\n"
    names = {"name": "k.cpp", "extents": {"s": 1}}
    result = compared(tmp_path, text, text.replace("a[i] * *s", "a[i] * *s * half(1)"), **names)  # type: ignore[arg-type]
    assert result.status == "equal" and result.tried is not None and result.tried.floats is not None, result.message
    (tmp_path / "new" / "k.cpp").write_text(text.replace("i < 8", "i < 7"))
    other = verify(
        str(tmp_path / "old/k.cpp"), str(tmp_path / "new/k.cpp"), VerifyOptions(vectors=12, extents={"s": 1})
    )
    assert other.difference is not None and other.difference.place == "a[7]"


def test_a_kernel_in_a_namespace_means_the_types_and_names_of_its_namespace(tmp_path: Path) -> None:
    text = """#define OPEN {
struct P { char other[3]; }; // not the one { of the kernel
int total;
namespace first { namespace second {
const char *const NOTE = "{";
struct P { int a, b; };
enum Mode { one, two };
typedef short number;
int calls;
void k(P p[8], number x, Mode m) {
    for (int i = 0; i < 8; i++) p[i].a = p[i].b + x + (m == two);
    calls++;
}
} /* } */ }
"""
    changed = text.replace("p[i].b + x", "x + p[i].b"), text.replace("i < 8; i++) p", "i < 7; i++) p")
    assert compared(tmp_path, text, changed[0], name="k.cpp").status == "equal"
    (tmp_path / "new" / "k.cpp").write_text(changed[1])
    other = verify(str(tmp_path / "old" / "k.cpp"), str(tmp_path / "new" / "k.cpp"), VerifyOptions(vectors=12, top="k"))
    assert other.difference is not None and other.difference.place == "p[7].a", other.message
