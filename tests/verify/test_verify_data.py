"""What is fed in: vectors, types, pointers, values that nobody set."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from verifying import BASE, compare, mutated

from hlspart.model.options import FrontendOptions
from hlspart.verification import VerifyOptions, data, sampling, verify, verify_and_save
from hlspart.verification.interface import ScalarField
from tests.amounts import amount

INDEXED = """int k(const int at[4], const int value[16])
{ int s = 0; for (int i = 0; i < 4; i++) s += value[at[i]]; return s; }"""


def test_vectors_on_which_the_original_faults_are_left_out_and_counted(tmp_path: Path) -> None:
    result = compare(tmp_path, INDEXED, INDEXED, vectors=40)
    assert (result.status, result.vectors) == ("equal", 40)
    assert result.tried is not None and result.tried.faults > 0
    assert "signed integer overflow" in result.tried.first and result.tried.first.startswith("old.c:2:")
    last = INDEXED.replace("value[at[i]]", "value[at[i] - (at[i] == 15)]")  # found among indices that are in range
    assert compare(tmp_path, INDEXED, last, vectors=40).difference is not None
    explicit = compare(tmp_path, INDEXED, INDEXED, value_range=(0, 15))
    assert explicit.tried is not None and (explicit.status, explicit.tried.faults) == ("equal", 0)
    assert explicit.tried.integers == (0, 15)
    assert compare(tmp_path, INDEXED, INDEXED, value_range=(16, 30)).exit_code == 2


@pytest.mark.parametrize("distance", (-(1 << 20) - 4096, (1 << 20) + 4096))
def test_no_argument_is_reached_from_another(tmp_path: Path, distance: int) -> None:
    """What lies in memory by chance decides no comparison: the arguments are further apart than an int reaches."""
    reached = "int k(const int x[4], const int y[4], int n) { return x[n]; }"
    given = (distance // 4, distance // 4)
    assert compare(tmp_path, reached, reached, value_range=given).exit_code == 2


def test_both_signs_by_default(tmp_path: Path) -> None:
    absolute = "int k(int x) { return x < 0 ? -x : x; }"
    assert compare(tmp_path, absolute, "int k(int x) { return x; }", vectors=12).exit_code == 1
    assert compare(tmp_path, absolute, "int k(int x) { return x; }", vectors=12, value_range=(0, 100)).exit_code == 0


def test_pointers(tmp_path: Path) -> None:
    fixed = "void k(const int *x, int *y) { for (int i = 0; i < 6; i++) y[i] = x[2 * i + 1]; }"
    assert compare(tmp_path, fixed, fixed).compared == ("y",)
    assert compare(tmp_path, fixed, fixed.replace("2 * i + 1", "2 * i + (i < 5)")).difference is not None
    open_ended = "void k(int n, const int *x, int *y) { for (int i = 0; i < n; i++) y[i] = x[i]; }"
    result = compare(tmp_path, open_ended, open_ended)
    assert result.exit_code == 2 and "give --extent x=N" in result.message
    told = compare(tmp_path, open_ended, open_ended, extents={"x": 16, "y": 16}, value_range=(0, 16))
    assert told.exit_code == 0


def test_floating_point(tmp_path: Path) -> None:
    one = "void k(double x[4]) { x[0] = x[1] * x[2] * x[3]; }"
    other = "void k(double x[4]) { x[0] = x[1] * (x[2] * x[3]); }"
    assert compare(tmp_path, one, other, vectors=20).exit_code == 1
    assert compare(tmp_path, one, other, vectors=20, ulp=2).exit_code == 0
    nan = "void k(float x[2]) { x[0] = 0.0f * x[1] / 0.0f; }".replace("/ 0.0f", "* (1e38f * 1e38f)")
    minus = nan.replace("0.0f * x[1]", "-(0.0f * x[1])")
    assert compare(tmp_path, nan, minus).exit_code == 0  # any NaN is as good as another
    zero, minus_zero = "float k(void) { return 0.0f; }", "float k(void) { return -0.0f; }"
    assert compare(tmp_path, zero, minus_zero).exit_code == 1


def test_vectors_are_saved_and_replayed(tmp_path: Path) -> None:
    for name, text in (("old.c", BASE), ("new.c", mutated(("in[0] * 2L", "in[0] * 2L + (in[0] == 77)")))):
        (tmp_path / name).write_text(text)
    old, new = str(tmp_path / "old.c"), str(tmp_path / "new.c")
    result, saved = verify_and_save(old, old, VerifyOptions(top="k", vectors=3))
    assert result.exit_code == 0 and saved is not None
    shape = json.loads(saved)
    assert shape["schema"] == "hlspart.vectors/1" and len(shape["vectors"]) == 3
    assert verify(old, new, VerifyOptions(top="k", replay=shape)).exit_code == 0
    shape["vectors"][2]["in"][0] = 77
    replayed = verify(old, new, VerifyOptions(top="k", replay=shape))
    assert replayed.difference is not None and replayed.difference.vector == 3
    assert (replayed.difference.original, replayed.difference.new) == ("154", "155")
    del shape["vectors"][1]["f"]
    short = verify(old, new, VerifyOptions(top="k", replay=shape))
    assert short.exit_code == 2 and short.message == "vector 2 has no 3 values for f"


def test_same_seed_same_result(tmp_path: Path) -> None:
    changed = mutated(("out[i][0] = in[i]", "out[i][0] = in[i] + (in[i] > 90)"))
    first = compare(tmp_path, BASE, changed, vectors=9)
    assert first == compare(tmp_path, BASE, changed, vectors=9)
    assert first.exit_code == 1


def test_unions_are_compared_by_their_widest_member(tmp_path: Path) -> None:
    old = "union u { short s; int i; float f; };\nvoid k(union u a[3]) { a[1].i = a[0].i ^ 5; a[2].s = 7; }\n"
    assert compare(tmp_path, old, old).status == "equal"
    different = compare(tmp_path, old, old.replace("a[2].s", "a[0].s"))
    assert different.difference is not None and different.difference.place == "a[0].i"


def test_a_definition_gives_the_value_of_a_parameter(tmp_path: Path) -> None:
    old = "void k(int n, int a[n]) { for (int i = 0; i < n; i++) a[i] = n * i; }\n"
    result = compare(tmp_path, old, old, frontend=FrontendOptions(("n=6",)))
    assert (result.status, result.compared) == ("equal", ("a",))
    different = compare(tmp_path, old, old.replace("n * i", "6 * i + (i > 4)"), frontend=FrontendOptions(("n=6",)))
    assert different.difference is not None and different.difference.place == "a[5]"


@pytest.mark.parametrize("vectors", [5, None, [], [3]])
def test_vectors_that_are_none(tmp_path: Path, vectors: object) -> None:
    replay = {"schema": "hlspart.vectors/1", "vectors": vectors}
    result = compare(tmp_path, BASE, BASE, replay=replay)
    assert result.status == "incomparable" and "vector" in result.message


WIDE = """#define LIMIT 4321
void k(const int x[24], int y[24], int shift, unsigned char mode)
{
    int held[24];
    for (int i = 0; i < 24; i++) held[i] = x[i];
    for (int i = 0; i < 24; i++) {
        y[i] = held[23 - i] + (x[i] == LIMIT) - (mode == 213);
        if (shift > 777) y[i] ^= 1;
    }
}
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("int held[24]", "short held[24]"),
        ("y[i] = held", "y[i] = (int)(float)held"),
        ("mode == 213", "mode == 214"),
        ("mode == 213", "mode >= 213"),
        ("LIMIT 4321", "LIMIT 4322"),
        ("shift > 777", "shift > 778"),
        ("y[i] ^= 1;", "y[i] ^= 1 + (shift == 31415 - 777);"),
        ("held[i] = x[i]", "if (x[i] != 1000000007) held[i] = x[i]"),
        ("held[23 - i] +", "held[23 - i] + (i == 7 && x[3] == 99 * 17) +"),
    ][:: amount(2, 1)],
)
def test_rare_differences_are_met_by_default(tmp_path: Path, old: str, new: str) -> None:
    assert WIDE.count(old) == 1
    result = compare(tmp_path, WIDE, WIDE.replace(old, new), vectors=None, seconds=60.0)
    assert result.status == "different", result.message


def test_the_result_says_what_was_tried(tmp_path: Path) -> None:
    result = compare(tmp_path, WIDE, WIDE, vectors=None, seconds=60.0)
    assert (result.status, result.vectors) == ("equal", 500) and result.tried is not None
    assert result.tried.integers == (-(2**31), 2**31 - 1) and result.tried.floats is None
    assert (result.tried.constants, result.tried.faults, result.tried.timeouts) == (result.tried.known, 0, 0)
    assert compare(tmp_path, WIDE, WIDE, vectors=9).vectors == 9
    assert compare(tmp_path, WIDE, WIDE, vectors=None, seconds=0.0).vectors == 3


def test_scalars_that_bound_loops_and_indices_find_their_range(tmp_path: Path) -> None:
    text = """int k(int n, int from, const int at[16], const int x[40], int step)
{
    int s = 0;
    for (int i = from; i < n; i += step) s += x[at[i]] / 2;
    return s;
}
"""
    result = compare(tmp_path, text, text, vectors=100, timeout=60.0)
    assert (result.status, result.vectors) == ("equal", 100) and result.tried is not None and result.tried.faults
    assert compare(tmp_path, text, text.replace("x[at", "x[39 - at"), vectors=100, timeout=60.0).status == "different"


def test_floating_point_of_all_sizes(tmp_path: Path) -> None:
    text = "void k(const float x[8], float y[8]) { for (int i = 0; i < 8; i++) y[i] = i < 4 ? x[i] * 0.5f : x[7 - i]; }"
    for old, new in (
        ("x[i] * 0.5f", "(float)(x[i] * 0.5)"),  # the same
        ("x[i] * 0.5f", "(x[i] < 1e-38f && x[i] > -1e-38f ? 0 : x[i] * 0.5f)"),
        ("x[7 - i]", "(x[7 - i] == 0 ? 0.0f : x[7 - i])"),
        ("x[7 - i]", "(float)(x[7 - i] > 1e30f ? 1e30 : x[7 - i])"),
    ):
        result = compare(tmp_path, text, text.replace(old, new), vectors=None, seconds=60.0)
        assert result.status == ("equal" if "x[i] * 0.5)" in new else "different"), new


UNSET = """void k(const int in[16], int out[16], int n)
{
    int a[16], spare[4];
    int last;
    if (n > 3) last = n & 7;
    for (int i = 0; i < 12; i++) a[i] = in[i] / 4;
    for (int i = 0; i < 4; i++) spare[i] = i;
    for (int i = 0; i < 16; i++) out[i] = a[i] / 2 + last + spare[i & 3];
}
"""


def test_what_is_read_before_it_is_written_is_the_same_in_both_and_named(tmp_path: Path) -> None:
    pragma = UNSET.replace("int last;", "int last;\n#pragma HLS ARRAY_PARTITION variable=a cyclic factor=2")
    split = "int a_0[8], a_1[8];\n#define A(i) (*((i) % 2 ? &a_1[(i) / 2] : &a_0[(i) / 2]))\nint spare[4];"
    banked = UNSET.replace("int a[16], spare[4];", split).replace("a[i]", "A(i)")
    for new in (pragma, banked):
        result = compare(tmp_path, UNSET, new, vectors=30)
        assert result.status == "equal", result.message
        assert [(u.variable, u.line, u.column) for u in result.uninitialised] == [("a", 3, 9), ("last", 4, 9)]
    set_ = UNSET.replace("a[16], ", "a[16] = {0}, ").replace("last;", "last = 0;", 1)
    assert compare(tmp_path, set_, set_, vectors=30).uninitialised == ()
    lost = compare(
        tmp_path, set_, set_.replace("a[16] = {0}", "a[16]"), vectors=30
    )  # zeros that memory may hold anyway
    assert lost.status == "different"


def test_an_index_without_a_value(tmp_path: Path) -> None:
    text = "int k(const int x[8]) { int i; int s = x[0] / 2; if (s > 200) i = 3; return x[i] + s; }\n"
    result = compare(tmp_path, text, text, vectors=10)
    assert result.status == "equal" and [u.variable for u in result.uninitialised] == ["i"], result


def test_pointers_with_a_depth(tmp_path: Path) -> None:
    text = """void k(const int *x, int *y, int n)
{
#pragma HLS INTERFACE m_axi port=x depth=64
#pragma HLS INTERFACE m_axi port=y depth=64
    for (int i = 0; i < n; i++) y[i] = x[n - 1 - i];
}
"""
    result = compare(tmp_path, text, text, vectors=60)
    assert (result.status, result.vectors, result.compared) == ("equal", 60, ("y",)), result.message
    assert compare(tmp_path, text, text.replace("[n - 1 - i]", "[(n - 1 - i) & 31]"), vectors=60).status == "different"


AP_INT = """template <int W> struct ap_uint {
    unsigned long long v;
    ap_uint() {}
    ap_uint(unsigned long long x) : v(x & ((1ull << W) - 1)) {}
    operator unsigned long long() const { return v; }
};
"""
ARBITRARY = """#include "ap_int.h"
typedef ap_uint<12> word;
word k(const word in[8], word out[8], ap_uint<5> n)
{
    for (int i = 0; i < 8; i++) out[i] = in[i] + n;
    return in[7];
}
"""


def test_integers_of_any_width(tmp_path: Path) -> None:
    (tmp_path / "ap_int.h").write_text(AP_INT)
    for name, change in (("a", "n"), ("b", "n * (in[i] != 4095)"), ("c", "n * !(n == 31 && i == 5)")):
        (tmp_path / f"{name}.cpp").write_text(ARBITRARY.replace("in[i] + n", f"in[i] + {change}"))
        options = VerifyOptions(top="k", vectors=300)
        result = verify(str(tmp_path / "a.cpp"), str(tmp_path / f"{name}.cpp"), options)
        assert result.status == ("equal" if name == "a" else "different"), result.message
        if name == "a":
            assert result.tried is not None and result.tried.integers == (0, 4095) and result.vectors == 300
            assert result.compared == ("return value", "out")


@pytest.mark.parametrize(
    ("parameter", "why"),
    [
        ("ap_uint<128> a[8]", "has type ap_uint<128>, which cannot be driven"),
        ("ap_int<65> a[8]", "has type ap_int<65>, which cannot be driven"),
        ("ap_fixed<80, 8> a[8]", "has type ap_fixed<80, 8>, which cannot be driven"),
        ("hls::stream<int> a[4]", "is a stream, which cannot be driven"),
    ],
)
def test_what_cannot_be_driven_is_refused_at_its_place(tmp_path: Path, parameter: str, why: str) -> None:
    (tmp_path / "k.cpp").write_text(f"int k(int n,\n      {parameter})\n{{\n    return n;\n}}\n")
    result = verify(str(tmp_path / "k.cpp"), str(tmp_path / "k.cpp"), VerifyOptions(top="k"))
    assert result.status not in ("equal", "different")
    said = (result.message or "").replace(" ", "")
    assert f"line2:a{why}".replace(" ", "") in said, result.message


@pytest.mark.parametrize("pattern", sorted(set(sampling._PATTERNS)))
def test_members_get_values_of_their_own_type(pattern: str) -> None:
    """A structure is drawn with one mode for all its members, which may lie beyond some of them."""
    rng = random.Random(5)
    for code, (low, high) in data.LIMITS.items():
        for least, most in ((575, 576), (-3000, -2900), (0, 2**40), (-(2**63), 2**63 - 1), (1, 100)):
            mode = sampling.Mode(least, most, "uniform", 1.0)
            column = sampling._column(ScalarField(".x", code), 40, mode, pattern, rng, [7, 900, -4], 0, None)
            assert all(low <= value <= high for value in column), (code, mode)
