"""`hlspart.verification` against versions whose difference is known by construction."""

from __future__ import annotations

from pathlib import Path

import pytest
from verifying import BASE, compare, mutated

from hlspart.verification import VerifyOptions, verify, verify_many


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
    assert verify(old, old, VerifyOptions(top="k", vectors=9)).compared == ("pair", "out")
    found = verify(old, new, VerifyOptions(top="k", vectors=9)).difference
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
    result = verify(str(tmp_path / "old" / "k.c"), str(tmp_path / "new" / "k.c"), VerifyOptions(top="k", vectors=9))
    assert (result.status, result.compared) == ("equal", ("a",))
