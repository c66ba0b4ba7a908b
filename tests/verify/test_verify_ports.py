"""Accesses of an iteration in the port simulator."""

from __future__ import annotations

from pathlib import Path

import pytest
from verifying import compare

from hlspart.model.options import TargetOptions
from hlspart.targets import load
from hlspart.verification import VerifyOptions, comparison, verify


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


def test_ports_of_cxx_are_refused_before_anything_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("old.cpp", "new.cpp"):
        (tmp_path / name).write_text("void k(int a[8]) { for (int i = 0; i < 8; i++) a[i] = i; }\n")
    started: list[object] = []
    monkeypatch.setattr(comparison, "Executable", lambda *given: started.append(given))
    old, new = str(tmp_path / "old.cpp"), str(tmp_path / "new.cpp")
    result = verify(old, new, VerifyOptions(top="k", ports=load(TargetOptions())))
    assert (result.status, result.message, started) == ("incomparable", "--ports needs C", [])


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
