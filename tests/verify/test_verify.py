"""`hlspart.verification` against versions whose difference is known by construction."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hlspart.model.options import FrontendOptions, TargetOptions
from hlspart.model.verifying import VerifyResult
from hlspart.targets import load
from hlspart.verification import VerifyOptions, verify, verify_and_save, verify_many

BASE = """#include <stdint.h>
#define N 8
typedef struct { int16_t re; float im[2]; } sample;
int total[4];
static int state;
const int table[3] = {1, 2, 3};
int setup = 5;
long k(const int in[N], int out[N][2], float f[3], sample s[2], sample one, unsigned char *flag, _Bool yes)
{
    static int calls;
    for (int i = 0; i < N; i++) {
        out[i][0] = in[i] + table[i % 3];
        out[i][1] = in[N - 1 - i] + (yes ? 1 : 0);
    }
    state += in[3];
    calls++;
    total[1] += calls + state / 16;
    f[1] = f[0] * 0.1f;
    s[1].im[1] = s[0].im[0] + one.re;
    *flag = (unsigned char)(*flag + setup);
    return in[0] * 2L;
}
int main(void) { return 0; }
"""


def compare(tmp_path: Path, old: str, new: str, **options: Any) -> VerifyResult:
    (tmp_path / "old.c").write_text(old)
    (tmp_path / "new.c").write_text(new)
    return verify(
        str(tmp_path / "old.c"), str(tmp_path / "new.c"), VerifyOptions(**{"top": "k", "vectors": 6, **options})
    )


def mutated(*changes: tuple[str, str]) -> str:
    text = BASE
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


def test_equal_names_what_was_compared(tmp_path: Path) -> None:
    result = compare(tmp_path, BASE, BASE.replace("in[0] * 2L", "in[0] + in[0]"))
    assert (result.status, result.exit_code) == ("equal", 0)
    assert set(result.compared) == {"return value", "out", "f", "s", "flag", "total", "state", "setup"}
    assert (result.vectors, result.runs) == (6, 2) and result.tried is not None
    assert result.tried.integers is not None and result.tried.integers[1] > 100


@pytest.mark.parametrize(
    ("change", "place", "run"),
    [
        (("out[i][0] = in[i]", "out[i][0] = in[i] + (i == 5)"), "out[5][0]", 1),
        (("in[N - 1 - i]", "in[N - 1 - i] + (i == 7 && calls == 1)"), "out[7][1]", 2),
        (("in[0] * 2L", "in[0] * 2L + (1L << 40)"), "return value", 1),
        (("f[0] * 0.1f", "f[0] / 9.999999f"), "f[1]", 1),
        (("s[1].im[1] =", "s[1].im[0] ="), "s[1].im[0]", 1),
        (("*flag + setup", "*flag + setup + 255"), "flag[0]", 1),
        (("calls++;", "calls += 2;"), "total[1]", 1),
        (("state += in[3];", "state += in[3] + 100000;"), "state", 1),
        (("setup = 5", "setup = 6"), "flag[0]", 1),
        (("table[3] = {1, 2, 3}", "table[3] = {1, 2, 4}"), "out[2][0]", 1),
    ],
)
def test_first_difference(tmp_path: Path, change: tuple[str, str], place: str, run: int) -> None:
    result = compare(tmp_path, BASE, mutated(change))
    assert (result.status, result.exit_code) == ("different", 1)
    assert result.difference is not None
    found = result.difference.place
    allowed = {place, "total[1]"} if place == "state" else {place}
    assert found in allowed, found
    assert result.difference.run == run
    assert result.difference.original != result.difference.new
    assert "seed 1" in result.message


BOUNDS = "void k(int x[8]) {{ int a[8]; for (int i = 0; i < 8; i++) a[i] = x[i]; x[0] = a[{index}]; }}"


def test_a_fault_only_in_new_is_a_difference(tmp_path: Path) -> None:
    result = compare(tmp_path, BOUNDS.format(index="7"), BOUNDS.format(index="x[1] * 0 + 8"))
    assert result.exit_code == 1
    assert "faults where the original does not" in result.message and "new.c:1:" in result.message


def test_a_fault_in_original_cannot_be_compared(tmp_path: Path) -> None:
    for new in (BOUNDS.format(index="7"), BOUNDS.format(index="x[1] * 0 + 8")):
        result = compare(tmp_path, BOUNDS.format(index="x[1] * 0 + 8"), new)
        assert result.exit_code == 2
        assert "the original version faults: old.c:1:" in result.message and "out of bounds" in result.message


def test_undefined_arithmetic_is_a_fault(tmp_path: Path) -> None:
    good = "int k(int x) { return x; }"
    bad = "int k(int x) { int y = x * 100000000; return y / 100000000; }"
    result = compare(tmp_path, good, bad, vectors=9)
    assert result.exit_code == 1 and "overflow" in result.message


def test_time_out(tmp_path: Path) -> None:
    endless = "int k(int x) { volatile int on = 1; while (on) {} return x; }"
    result = compare(tmp_path, endless, endless, timeout=0.5)
    assert result.exit_code == 2 and result.message == "the original version is still running after 0.5 s"
    result = compare(tmp_path, "int k(int x) { return x; }", endless, timeout=0.5)
    assert result.exit_code == 2 and result.message.startswith("the new version is still running")


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


def test_both_signs_by_default(tmp_path: Path) -> None:
    absolute = "int k(int x) { return x < 0 ? -x : x; }"
    assert compare(tmp_path, absolute, "int k(int x) { return x; }", vectors=12).exit_code == 1
    assert compare(tmp_path, absolute, "int k(int x) { return x; }", vectors=12, value_range=(0, 100)).exit_code == 0


@pytest.mark.parametrize(
    ("new", "words"),
    [
        ("int k(int x[8], int y) { return x[y & 7]; }", "1 more parameter"),
        ("int k(int x[9]) { return x[0]; }", "parameter 1: int x[8] in the original, int x[9]"),
        ("int k(short x[8]) { return x[0]; }", "parameter 1"),
        ("void k(int x[8]) { x[0] = 1; }", "only one version returns a value"),
        ("long k(int x[8]) { return x[0]; }", "types of the return values"),
        ("int other(int x[8]) { return x[0]; }", "does not define k"),
        ("int k(int x[8]) { return x[0]", "new.c:1:"),
        ("int k(int x[8]) { return undefined_helper(x[0]); }", "the new version does not compile: "),
    ],
)
def test_what_cannot_be_compared(tmp_path: Path, new: str, words: str) -> None:
    result = compare(tmp_path, "int k(int x[8]) { return x[0]; }", new)
    assert (result.status, result.exit_code) == ("incomparable", 2)
    assert words in result.message and "\n" not in result.message


def test_several_tops_are_listed(tmp_path: Path) -> None:
    text = "int f(int x) { return x; }\nint g(int x) { return x; }\n"
    result = compare(tmp_path, text, text, top=None)
    assert result.exit_code == 2 and "candidates are f, g" in result.message
    assert compare(tmp_path, "int f(int x) { return x; }", "int f(int x) { return x; }", top=None).exit_code == 0


def test_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    result = compare(tmp_path, BASE, BASE)
    assert result.exit_code == 2 and result.message.startswith("no C compiler found")


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


# ------------------------------------------------------------------------------------------ maps


def entry(**fields: Any) -> dict[str, Any]:
    base = {"path": "old.c", "line": 1, "mapping": None, "position": None, "parameter": None, "function": None}
    return {**base, **fields}


def cyclic(extent: int, banks: int) -> dict[str, Any]:
    return {"kind": "cyclic", "extent": extent, "banks": banks, "block": 1}


def whole(extent: int) -> dict[str, Any]:
    return {"kind": "whole", "extent": extent, "banks": 1, "block": extent}


def mapped(*entries: Mapping[str, Any]) -> dict[str, Any]:
    return {"schema": "hlspart.map/1", "files": [], "arrays": list(entries)}


SPLIT_OLD = """int g[5];
void k(int n, const int a[5][3], int b[4])
{
    for (int i = 0; i < 5; i++) { g[i] += a[i][1] + n; }
    for (int i = 0; i < 4; i++) { b[i] = 10 * g[i + 1] + i; }
}
"""
SPLIT_NEW = """int g_0[3], g_1[2];
void k(int n, const int a_0[3][3], const int a_1[2][3], int b_0, int b_1);
void k(int n, const int a_0[3][3], const int a_1[2][3], int b[2][2])
{
    for (int i = 0; i < 3; i++) { g_0[i] += a_0[i][1] + n; }
    for (int i = 0; i < 2; i++) { g_1[i] += a_1[i][1] + n; }
    b[0][0] = 10 * g_1[0]; b[1][0] = 10 * g_0[1] + 1; b[0][1] = 10 * g_1[1] + 2; b[1][1] = 10 * g_0[2] + 3;
}
""".replace("void k(int n, const int a_0[3][3], const int a_1[2][3], int b_0, int b_1);\n", "")
SPLIT_MAP = mapped(
    entry(
        array="g", extents=[5], style="split", dims=[cyclic(5, 2)],
        arrays=[{"name": "g_0", "shape": [3]}, {"name": "g_1", "shape": [2]}],
    ),
    entry(
        array="a", function="k", parameter=1, position=1, extents=[5, 3], style="split", dims=[cyclic(5, 2), whole(3)],
        arrays=[{"name": "a_0", "shape": [3, 3]}, {"name": "a_1", "shape": [2, 3]}],
    ),
    entry(
        array="b", function="k", parameter=2, position=3, extents=[4], style="bankdim", dims=[cyclic(4, 2)],
        arrays=[{"name": "b", "shape": [2, 2]}],
    ),
)  # fmt: skip


def test_split_parameters_and_globals(tmp_path: Path) -> None:
    result = compare(tmp_path, SPLIT_OLD, SPLIT_NEW, map=SPLIT_MAP)
    assert (result.status, set(result.compared)) == ("equal", {"g", "b"}), result.message
    wrong = SPLIT_NEW.replace("10 * g_1[1] + 2", "10 * g_1[1] + 3")
    result = compare(tmp_path, SPLIT_OLD, wrong, map=SPLIT_MAP)
    assert result.difference is not None and result.difference.place == "b[2]"
    wrong = SPLIT_NEW.replace("g_1[i] += a_1[i][1]", "g_1[i] += a_1[i][1] + (i == 1)")
    result = compare(tmp_path, SPLIT_OLD, wrong, map=SPLIT_MAP)
    assert result.difference is not None and result.difference.place in ("g[3]", "b[2]")


def test_without_the_map_nothing_is_claimed(tmp_path: Path) -> None:
    result = compare(tmp_path, SPLIT_OLD, SPLIT_NEW)
    assert result.exit_code == 2 and "give --map" in result.message


def test_a_map_of_another_file_is_refused(tmp_path: Path) -> None:
    broken = json.loads(json.dumps(SPLIT_MAP))
    broken["arrays"][1]["arrays"][0]["name"] = "a_9"
    assert "the map does not fit" in compare(tmp_path, SPLIT_OLD, SPLIT_NEW, map=broken).message
    assert compare(tmp_path, SPLIT_OLD, SPLIT_NEW, map={"schema": "other"}).exit_code == 2


CXX = """#include <cstdint>
template <int N> static int total(const int (&x)[N]) { int s = 0; for (int i = 0; i < N; i++) s += x[i]; return s; }
void k(const int in[16], const int64_t wide[4], int64_t (&pair)[2], int &out)
{
    int a[16];
    for (int i = 0; i < 16; i++) a[i] = in[i];
    pair[1] = wide[2];
    out = total<16>(a);
}
"""


def test_cplusplus(tmp_path: Path) -> None:
    for name, text in (("old.cpp", CXX), ("new.cpp", CXX.replace("wide[2]", "wide[3]"))):
        (tmp_path / name).write_text(text)
    old, new = str(tmp_path / "old.cpp"), str(tmp_path / "new.cpp")
    assert verify(old, old, VerifyOptions(top="k")).compared == ("pair", "out")
    found = verify(old, new, VerifyOptions(top="k")).difference
    assert found is not None and found.place == "pair[1]"


def test_what_only_main_needs_may_be_missing(tmp_path: Path) -> None:
    text = "int k(int x) { return x; }\nvoid elsewhere(int);\nint main(void) { elsewhere(k(1)); return 0; }\n"
    assert compare(tmp_path, text, text).exit_code == 0
    needed = text.replace("return x;", "elsewhere(x); return x;")
    result = compare(tmp_path, needed, needed)
    assert result.exit_code == 2 and "elsewhere" in result.message


def test_many_at_once(tmp_path: Path) -> None:
    pairs = []
    for n in range(4):
        (tmp_path / f"{n}.c").write_text(f"int k(int x) {{ return x + {n % 2}; }}")
        pairs.append((str(tmp_path / "0.c"), str(tmp_path / f"{n}.c"), VerifyOptions(top="k", vectors=1)))
    assert [r.exit_code for r in verify_many(pairs)] == [0, 1, 0, 1]


def test_a_copy_elsewhere_finds_the_headers_of_the_original(tmp_path: Path) -> None:
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "k.c").write_text('#include "size.h"\nvoid k(int a[N]) { a[N - 1] = a[0]; }\n')
    (tmp_path / "old" / "size.h").write_text("#define N 5\n")
    result = verify(str(tmp_path / "old" / "k.c"), str(tmp_path / "new" / "k.c"), VerifyOptions(top="k"))
    assert (result.status, result.compared) == ("equal", ("a",))


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


def test_ports_of_a_body_that_begins_with_an_access(tmp_path: Path) -> None:
    text = """void k(int a[8], int s[8])
{
    for (int i = 0; i < 8; i++)
#pragma HLS PIPELINE
        a[i] = a[i] + s[i];
}
"""
    result = compare(tmp_path, text, text, ports=load(TargetOptions()))
    assert (result.status, {(u.array, u.reads, u.writes) for u in result.ports}) == (
        "equal",
        {("a", 1, 1), ("s", 1, 0)},
    )


def ports_of(folder: Path, text: str) -> dict[tuple[str, str], tuple[int, int, int | None]]:
    """By loop and array: reads, writes and the interval that the model predicts."""
    result = compare(folder, text, text, ports=load(TargetOptions()))
    assert result.status == "equal", result.message
    return {(u.loop, u.array): (u.reads, u.writes, u.predicted) for u in result.ports}


def test_ports_of_names_outside_of_ascii(tmp_path: Path) -> None:
    text = """/* größer */ static inline const char *what(void) { return "é \\u00e9 \\\\"; }
void k(int größe[8], int 数[8])
{
    for (int i = 0; i < 7; i++) {
#pragma HLS PIPELINE
        数[i] = größe[i] + größe[i + 1] + '"';
    }
}
"""
    found = ports_of(tmp_path, text)
    assert {array: n for (_, array), n in found.items()} == {"größe": (2, 0, 1), "数": (0, 1, 1)}


def test_ports_count_words_of_reshaped_arrays(tmp_path: Path) -> None:
    text = """static int four(const unsigned char a[64], int i) { return a[i] + a[i + 16] + a[i + 32] + a[i + 48]; }
void k(const unsigned char in[64], int out[16])
{
#pragma HLS ARRAY_RESHAPE variable=in type=cyclic factor=4
    unsigned char b[64], c[8][4];
#pragma HLS ARRAY_RESHAPE variable=b type=block factor=4
#pragma HLS ARRAY_RESHAPE variable=c type=complete dim=2
    fill: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
        b[i] = in[i] + 1;
        c[i / 8][i % 4] = in[i];
    }
    sum: for (int i = 0; i < 7; i++) {
#pragma HLS PIPELINE
        int s = in[4 * i] + in[4 * i + 1] + in[4 * i + 2] + in[4 * i + 3] + in[4 * i + 4];
        for (int j = 0; j < 4; j++) s += c[i][j] * c[i + 1][3 - j];
        out[i] = s + four(b, i);
    }
}
"""
    found = ports_of(tmp_path, text)
    assert {a: n for (loop, a), n in found.items() if loop == "sum"} == {
        "in": (2, 0, 1), "a": (1, 0, None), "c": (2, 0, 1), "out": (0, 1, 1),
    }  # fmt: skip


def test_ports_leave_out_what_nobody_uses(tmp_path: Path) -> None:
    text = """void k(const int a[16], int out[16])
{
    int last;
    for (int i = 0; i < 14; i++) {
#pragma HLS PIPELINE
        int x = a[i * 7 % 16] + a[(i * 3 + 5) % 16], y, kept = a[i];
        y = x * a[i * 5 % 16];
        y += x;
        (void)y;
        a[i + 1];
        last = kept;
        if (a[i + 2] > 3) out[i] = last;
    }
}
"""
    found = ports_of(tmp_path, text)
    assert {a: n for (_, a), n in found.items()} == {"a": (2, 0, 1), "out": (0, 1, 1)}


def test_ports_name_loops_by_the_lines_of_the_text(tmp_path: Path) -> None:
    text = """#include <stdint.h>
/* two
   lines */
void k(int a[8][4], int s[8])
{
    for (int j = 0; j < 8; j++) {

        for (int i = 0; i < 4; i++) {
#pragma HLS PIPELINE
            a[j][i] += s[j];
        }
    }
    for (int i = 0; i < 8; i++)
#pragma HLS PIPELINE
        s[i] = 0;
}
"""
    result = compare(tmp_path, text, text, ports=load(TargetOptions()))
    assert {u.loop for u in result.ports} == {"VITIS_LOOP_6_1_VITIS_LOOP_8_2", "VITIS_LOOP_13_3"}


@pytest.mark.parametrize("vectors", [5, None, [], [3]])
def test_vectors_that_are_none(tmp_path: Path, vectors: object) -> None:
    replay = {"schema": "hlspart.vectors/1", "vectors": vectors}
    result = compare(tmp_path, BASE, BASE, replay=replay)
    assert result.status == "incomparable" and "vector" in result.message


@pytest.mark.parametrize("change", [{"arrays": 5}, {"extents": None}, {"dims": [3]}, {"parameter": 0, "function": "k"}])
def test_maps_that_do_not_fit_their_schema(tmp_path: Path, change: Mapping[str, object]) -> None:
    entry = {
        "array": "total", "function": None, "extents": [4], "style": "split", "mapping": None, "parameter": None,
        "arrays": [{"name": "total", "shape": [4]}], "dims": [{"kind": "whole", "extent": 4, "banks": 1, "block": 4}],
    }  # fmt: skip
    result = compare(tmp_path, BASE, BASE, map={"schema": "hlspart.map/1", "arrays": [{**entry, **change}]})
    assert result.status == "incomparable" and "map" in result.message


def test_ports_of_what_stays_in_the_loop_because_of_a_store(tmp_path: Path) -> None:
    """An element leaves the loop where all stores are known to be to others, in every row alike."""
    row = "for (int i = 1; i < 8; i++) for (int j = 0; j < i; j++) {\n#pragma HLS PIPELINE\n"
    text = f"""void k(int x[16], int y[16], int z[4][16])
{{
    {row} x[i] -= x[j]; }}
    {row} y[3] = y[15 - i] + y[j + 4]; }}
    {row} z[0][j] = z[1][i] + z[0][j + 1]; }}
}}
"""
    # x[i] is not x[j] and 15 - i is not 3, but that takes a proof; z[1][i] is loaded before the inner loop.
    found = {a: n for (_, a), n in ports_of(tmp_path, text).items()}
    assert found == {"x": (2, 1, 2), "y": (2, 1, 2), "z": (1, 1, 1)}


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
    ],
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
    result = compare(tmp_path, text, text, vectors=100, timeout=5.0)
    assert (result.status, result.vectors) == ("equal", 100) and result.tried is not None and result.tried.faults
    assert compare(tmp_path, text, text.replace("x[at", "x[39 - at"), vectors=100, timeout=5.0).status == "different"


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
