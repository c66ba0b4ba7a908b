"""Windows where an old value, a place in the text or a value before the first would be seen."""

from __future__ import annotations

import itertools
import subprocess
from pathlib import Path

import pytest

from hlspart.model.options import Options, RewriteOptions
from hlspart.pipeline import Pipeline

SANITIZED = ["gcc", "-w", "-std=gnu11", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]

STORED_IN_THE_ITERATION = """
void k(int in[32], int out[32])
{
    int B[34];
    for (int z = 0; z < 34; z++) B[z] = in[z % 32];
    for (int i = 0; i < 30; i++) {
#pragma HLS PIPELINE II=1
        int sum = 0;
        for (int j = 0; j < 2; j++) {
            sum += B[i] + B[i + 1] + B[i + 2] + B[i + 3] + B[i + 4];
            B[i] = j;
        }
        out[i] = sum;
    }
    out[30] = B[3];
    out[31] = B[33];
}
"""
TRUTHS = """
void k(int in[32], int out[32])
{
    _Bool B[32];
    for (int z = 0; z < 32; z++) B[z] = in[z] & 1;
    for (int i = 3; i < 32; i++) {
#pragma HLS PIPELINE II=1
        out[i] = B[i] + 2 * B[i - 1] + 4 * B[i - 2] + 8 * B[i - 3];
    }
}
"""
PLACE = """
void k(int in[32], int out[32])
{
    int A[32];
    for (int z = 0; z < 32; z++) A[z] = in[z];
    for (int i = 3; i < 32; i++) {
#pragma HLS PIPELINE II=1
        out[i] = A[i] + A[i - 1] + A[i - 2] + A[i - 3] + __LINE__;
    }
}
"""
ITERATORS = ("int", "short", "unsigned", "size_t")
TYPES_OF_ITERATORS = """
#include <stddef.h>
void k(int in[32], int out[32])
{
    int B[32];
    for (FILLED z = 0; z < 32; z++) {
#pragma HLS PIPELINE II=1
        B[z] = (0u + in[z] + (int)sizeof z * 16 + (int)(sizeof(z - 1) + -z / 2)) & 1023;
    }
    for (SCANNED i = 3; i < 32; i++) {
#pragma HLS PIPELINE II=1
        out[i] = B[i] + 3 * B[i - 1] + 5 * B[i - 2] + 7 * B[i - 3] + (int)sizeof i;
    }
}
"""
ENUMERATION = """
enum Sort { NONE, SOME = 3 };
typedef Sort Kind;
extern "C" void k(int in[32], int out[32])
{
    Kind B[32] = {SOME};
    for (int z = 0; z < 32; z++) B[z] = in[z] & 1 ? SOME : NONE;
    for (int i = 3; i < 32; i++) {
#pragma HLS PIPELINE II=1
        out[i] = B[i] + 2 * B[i - 1] + 4 * B[i - 2] + 8 * B[i - 3];
    }
}
"""
DRIVER = """
#include <stdio.h>
#include <string.h>
int main(void) {
    int in[32], out[32], waste[64];
    memset(waste, 77, sizeof waste);
    for (int z = 0; z < 32; z++) { in[z] = z * 7 % 11; out[z] = 0; }
    k(in, out);
    for (int z = 0; z < 32; z++) printf("%d ", out[z]);
    return 0;
}
"""


def printed(folder: Path, text: str, name: str = "p.c") -> str:
    (folder / name).write_text(text + DRIVER)
    build = SANITIZED if name == "p.c" else ["g++", *(flag for flag in SANITIZED[1:] if not flag.startswith("-std"))]
    subprocess.run([*build, name, "-o", "p"], cwd=folder, check=True)
    return subprocess.run(["./p"], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("options", [RewriteOptions(style="reuse"), RewriteOptions(infer=True)], ids=["reuse", "infer"])
@pytest.mark.parametrize("text", [STORED_IN_THE_ITERATION, TRUTHS, PLACE], ids=["stored", "truths", "place"])
def test_equal(text: str, options: RewriteOptions, tmp_path: Path) -> None:
    result = Pipeline(["p.c"], Options(), lambda _: text.encode()).rewrite(options)
    new = result.files["p.c"]
    if text is TRUTHS and options.style == "reuse":
        assert "_Bool B_window[4] = {0};" in new
    if text is PLACE:
        assert new.splitlines().index(next(line for line in new.splitlines() if "__LINE__" in line)) == 7
    if text is STORED_IN_THE_ITERATION:
        assert "B_window" not in new
    assert printed(tmp_path, new) == printed(tmp_path, text)


def test_what_keeps_a_place_is_said() -> None:
    result = Pipeline(["p.c"], Options(), lambda _: PLACE.encode()).rewrite(RewriteOptions(style="reuse"))
    assert result.files["p.c"] == PLACE
    assert [(o.status, o.code) for o in result.outcomes] == [("refused", "place")]
    assert any("__LINE__" in d.message and d.place.line == 8 for d in result.diagnostics)


def test_iterators_of_a_fill_keep_their_types(tmp_path: Path) -> None:
    """Where a loop of another type takes the fill in: `sizeof`, signs and promotions of the old iterator."""
    old, new = [], []
    for filled, scanned in itertools.product(ITERATORS, ITERATORS):
        text = TYPES_OF_ITERATORS.replace("FILLED", filled).replace("SCANNED", scanned)
        result = Pipeline(["p.c"], Options(), lambda _, t=text: t.encode()).rewrite(RewriteOptions(style="reuse"))
        assert "B_window" in result.files["p.c"]
        for texts, one in ((old, text), (new, result.files["p.c"])):
            texts.append(one.replace("void k(", f"void k{len(texts)}("))
    calls = "".join(f" k{n}(in, out + 32 * {n});" for n in range(len(old)))
    driver = f"""
#include <stdio.h>
int main(void) {{
    int in[32];
    static int out[32 * {len(old)}];
    for (int z = 0; z < 32; z++) in[z] = z * 7 % 11;
   {calls}
    for (int z = 0; z < 32 * {len(old)}; z++) printf("%d ", out[z]);
    return 0;
}}
"""
    lines = []
    for texts in (old, new):
        (tmp_path / "p.c").write_text("".join(texts) + driver)
        subprocess.run([*SANITIZED, "p.c", "-o", "p"], cwd=tmp_path, check=True)
        lines.append(subprocess.run(["./p"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout.split())
    assert lines[0] == lines[1]


def test_windows_of_enumerations_hold_values_of_theirs(tmp_path: Path) -> None:
    result = Pipeline(["p.cpp"], Options(), lambda _: ENUMERATION.encode()).rewrite(RewriteOptions(style="reuse"))
    new = result.files["p.cpp"]
    assert "Kind B_window[4] = {};" in new
    assert printed(tmp_path, new, "p.cpp") == printed(tmp_path, ENUMERATION, "p.cpp")


REFERENCES = """
template <int N> static void blur(const int (&p)[N], int (&q)[N])
{
    for (int i = 2; i < N - 2; i++) {
#pragma HLS PIPELINE II=1
        q[i] = p[i - 2] + 2 * p[i - 1] + 3 * p[i] + 2 * p[i + 1] + p[i + 2];
    }
}
extern "C" void k(int in[32], int out[32])
{
    int A[32], B[32] = {0};
    for (int z = 0; z < 32; z++) A[z] = in[z];
    blur(A, B);
    for (int z = 0; z < 32; z++) out[z] = B[z];
}
"""


def test_arguments_by_reference_have_windows(tmp_path: Path) -> None:
    result = Pipeline(["p.cpp"], Options(), lambda _: REFERENCES.encode()).rewrite(RewriteOptions(style="reuse"))
    new = result.files["p.cpp"]
    assert "int p_window[5];" in new
    assert printed(tmp_path, new, "p.cpp") == printed(tmp_path, REFERENCES, "p.cpp")


def test_references_to_elements_are_refused() -> None:
    """Another name of an element may be written between two loads of it."""
    aliased = REFERENCES.replace("int (&q)[N])\n{", "int (&q)[N])\n{\n    const int &c = p[9];").replace(
        "p[i - 2] +", "c +"
    )
    result = Pipeline(["p.cpp"], Options(), lambda _: aliased.encode()).rewrite(RewriteOptions(style="reuse"))
    assert result.files["p.cpp"] == aliased
