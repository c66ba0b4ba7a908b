"""Generated C against the original: compiled with sanitizers, bit for bit, bursts counted by the memory."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from hlspart.accesses import analyse as accesses
from hlspart.cli.app import run as run_command
from hlspart.frontend import load
from hlspart.mars import analyse, code
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.mars import MarsOptions, MarsResult
from hlspart.model.options import FrontendOptions
from tests.amounts import amount

KERNELS = Path(__file__).parent / "kernels"
FLAGS = [
    "-std=c99",
    "-O1",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-unknown-pragmas",
    "-Wno-unused-label",
    "-Wno-unused-variable",
    "-Wno-unused-parameter",
]
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-ffp-contract=off"]

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")


def generated(path: Path, tiles: str | None, defines: Sequence[str] = ()) -> tuple[MarsResult, str | Diagnostic]:
    program = load([str(path)], FrontendOptions(defines=tuple(defines)))
    (top,) = program.functions
    analysis = accesses(program, top)
    result = analyse(program, analysis, top, tiles)
    return result, code(program, analysis, result)


def run(text: str, path: Path, defines: Sequence[str], folder: Path) -> tuple[int, int, int]:
    """Compile and run the test bench; (tiles, read bursts, write bursts) that the memory counted."""
    out = folder / "generated.c"
    out.write_text(text)
    program = folder / "bench"
    macros = [f"-D{d}" for d in defines]
    subprocess.run(
        ["gcc", *FLAGS, *SANITIZE, *macros, "-DMARS_TESTBENCH", str(out), str(path), "-lm", "-o", str(program)],
        check=True,
    )
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    numbers = re.fullmatch(r"PASS: (\d+) tiles, (\d+) read bursts, (\d+) write bursts, \d+ words\n", done.stdout)
    assert numbers is not None, done.stdout
    tiles, reads, writes = map(int, numbers.groups())
    return tiles, reads, writes


CASES = [
    ("jacobi1d", "t+i:8,t-i:8", []),
    ("jacobi1d", "t+i:6,t-i:6", ["T=23", "N=41"]),
    ("jacobi1d", "t:8,t+i:8", ["T=32", "N=66"]),
    ("jacobi1d", "t:5,t+i:7", ["T=33", "N=50"]),
    ("jacobi1d_inplace", "t:8,2t+i:8", []),
    ("jacobi1d_inplace", "t:4,2t+i:7", ["T=13", "N=31"]),
    ("jacobi2d", "t:3,t+i:4,t+j:4", ["T=7", "N=19"]),
    ("seidel2d", "t:4,t+i:10,4t+2i+j:10", ["T=8", "N=22"]),
    ("seidel2d", "t:3,t+i:5,2t+i+j:6", ["T=7", "N=17"]),
    ("gemm", "i:10,j:20,k:20", []),
    ("gemm", "i:7,j:9,k:8", ["NI=23", "NJ=31", "NK=29"]),
    ("smith_waterman", "i+j:10,j:10", []),
    ("smith_waterman", "i:8,j:9", ["M=37", "N=41"]),
    ("conv2d", "o:2,r:5,c:13", []),
    ("conv2d", "o:3,r:6,c:7", ["H=13", "W=15"]),
]


@needs_gcc
@pytest.mark.parametrize(("kernel", "tiles", "defines"), CASES[:: amount(3, 1)])
def test_same_bits_and_planned_bursts(kernel: str, tiles: str, defines: list[str], tmp_path: Path) -> None:
    path = KERNELS / f"{kernel}.c"
    result, text = generated(path, tiles, defines)
    assert isinstance(text, str), text
    count, reads, writes = run(text, path, defines, tmp_path)
    inner = [a for a in result.arrays if a.boundary is None]
    assert count > 1 and reads > 0
    assert reads == count * sum(a.bursts.read for a in inner if a.bursts)
    assert writes == count * sum(a.bursts.write for a in inner if a.bursts)


WRITTEN = {
    # below 3 an unsigned i - 3 is large, and an int has no room for the product
    "types of iterators": (
        "void f(int A[64], int B[64])\n{\n    for (int t = 0; t < 16; t++)\n"
        "        for (unsigned i = 1; i < 63; i++)\n"
        "            A[i] = (A[i - 1] + 2 * A[i] + A[i + 1]) / 4 + (i - 3 < 5) + (int)(i * 100000000u >> 28);\n"
        "    for (long i = 0; i < 64; i++) B[i] = (int)(i << 40 >> 38);\n}\n",
        "t:4,t+i:8",
    ),
    # the callee's parameter has the name of the caller's loop counter
    "capture": (
        "static int tap(const int x[64], int i) { int u = i; return x[u] * 3; }\n"
        "void f(const int x[64], int y[64])\n{\n"
        "    for (int i = 1; i < 63; i++) { int s = tap(x, i - 1); s += tap(x, i + 1); y[i] = s; }\n}\n",
        "i:8",
    ),
    "triangle": (
        "void f(const double A[33][33], double B[33][33])\n{\n    for (int i = 1; i < 33; i++)\n"
        "        for (int j = 0; j < i; j++) B[i][j] = A[i][j] + A[i - 1][j] + B[i][j];\n}\n",
        "i:4,j:4",
    ),
    # tiles (T0, T1) and (T0 + 1, T1 - 1) share all they read
    "shared": (
        "void f(const int x[200], int y[60])\n{\n    for (int i = 0; i < 60; i++)\n"
        "        for (int k = 0; k < 40; k++) y[i] += x[i + 2 * k] * k;\n}\n",
        "i:4,k:2",
    ),
    "two statements": (
        "void f(unsigned A[30][30], unsigned B[30][30])\n{\n    for (int i = 1; i < 29; i++)\n"
        "        for (int j = 1; j < 29; j++) {\n            A[i][j] = B[i - 1][j] + B[i][j - 1];\n"
        "            B[i][j] = A[i - 1][j] - A[i][j] + (i == 5 ? B[i][j] : 0);\n        }\n}\n",
        "i:4,j:6",
    ),
    "downwards, by two": (
        "void f(const int x[100], unsigned y[100])\n{\n    for (int i = 97; i >= 1; i -= 2)\n"
        "        y[i] = y[i + 2] * 3u + x[i - 1] + x[i + 1];\n}\n",
        "-i:8",
    ),
    "by two, odd tiles": (
        "void f(const int x[64], int y[64])\n{\n    for (int i = 1; i < 63; i += 2)\n"
        "        y[i] = x[i - 1] + x[i + 1];\n}\n",
        "i:5",
    ),
    "two rows in turn": (
        "void f(float u[2][50])\n{\n    for (int t = 0; t < 12; t++)\n        for (int i = 1; i < 49; i++)\n"
        "            u[(t + 1) % 2][i] = 0.3f * (u[t % 2][i - 1] + u[t % 2][i] + u[t % 2][i + 1]);\n}\n",
        "t:4,t+i:6",
    ),
    # in the first step of t, u is still what it was before the nest
    "values from two places": (
        "void f(float u[20][20], float v[20][20])\n{\n    for (int t = 0; t < 4; t++)\n"
        "        for (int i = 1; i < 19; i++)\n            for (int j = 1; j < 19; j++) {\n"
        "                v[i][j] = 0.5f * v[i][j - 1] + u[i][j];\n"
        "                u[i][j] = 0.25f * u[i - 1][j] + v[i][j];\n            }\n}\n",
        "i:4,j:4",
    ),
    "first row and column in the nest": (
        "void f(const char a[30], const char b[33], int D[31][34])\n{\n    for (int i = 0; i <= 30; i++)\n"
        "        for (int j = 0; j <= 33; j++) {\n            if (i == 0) D[i][j] = j;\n"
        "            else if (j == 0) D[i][j] = i;\n            else {\n"
        "                int c = D[i - 1][j - 1] + (a[i - 1] != b[j - 1]);\n"
        "                int d = D[i - 1][j] + 1, e = D[i][j - 1] + 1;\n"
        "                D[i][j] = c < d ? (c < e ? c : e) : (d < e ? d : e);\n            }\n        }\n}\n",
        "i:7,j:8",
    ),
    # longest common subsequence: each arm of a condition on data writes the element
    "arms on data": (
        "void f(const char a[37], const char b[41], int L[38][42], char D[38][42])\n{\n"
        "    for (int i = 1; i <= 37; i++)\n        for (int j = 1; j <= 41; j++) {\n"
        "            if (a[i - 1] == b[j - 1]) { L[i][j] = L[i - 1][j - 1] + 1; D[i][j] = 0; }\n"
        "            else if (L[i - 1][j] >= L[i][j - 1]) { L[i][j] = L[i - 1][j]; D[i][j] = 1; }\n"
        "            else { L[i][j] = L[i][j - 1]; D[i][j] = 2; }\n        }\n}\n",
        "i:8,j:9",
    ),
    "old value where data say so": (
        "void f(int A[40])\n{\n    for (int t = 0; t < 9; t++)\n        for (int i = 1; i < 39; i++)\n"
        "            if (A[i - 1] > A[i + 1]) A[i] = (A[i - 1] + A[i + 1]) / 2;\n}\n",
        "t:3,2t+i:7",
    ),
    "a condition that splits the nest": (
        "void f(unsigned A[24][24], const unsigned B[24][24])\n{\n    for (int i = 1; i < 24; i++)\n"
        "        for (int j = 1; j < 24; j++) {\n            if (i + j < 30) A[i][j] = A[i - 1][j] + B[i][j];\n"
        "            else A[i][j] = A[i][j - 1] - B[i][j];\n        }\n}\n",
        "i:5,j:6",
    ),
    # two statements with two buffers share the blocks of A
    "two writers": (
        "void f(unsigned A[30][40])\n{\n    for (int i = 1; i < 12; i++) {\n"
        "        for (int j = 2; j < 20; j++) A[i + 6][j + 6] = A[i + 6][j + 4] + A[i + 7][j + 4];\n"
        "        for (int j = 3; j < 22; j++) A[i + 7][j + 6] += A[i + 8][j + 5] * 5u;\n    }\n}\n",
        "i:5,i+j:5",
    ),
    "scalar outside, loop inside": (
        "void f(const int x[64], int y[64])\n{\n    int acc;\n    for (int i = 0; i < 56; i++) {\n        acc = 0;\n"
        "        for (int k = 0; k < 8; k++) acc += x[i + k] * (k - 3);\n"
        "        y[i] = acc > 0 ? acc : -acc;\n    }\n}\n",
        "i:8",
    ),
}


@needs_gcc
@pytest.mark.parametrize("name", [*WRITTEN][:: amount(3, 1)])
def test_awkward_nests(name: str, tmp_path: Path) -> None:
    source, tiles = WRITTEN[name]
    path = tmp_path / "f.c"
    path.write_text(source)
    program = load([str(path)], FrontendOptions())
    analysis = accesses(program, "f")
    result = analyse(program, analysis, "f", tiles)
    text = code(program, analysis, result)
    assert isinstance(text, str), text
    count, reads, _ = run(text, path, [], tmp_path)
    assert count > 1 and reads > 0


PLACED = {
    "scaled product": (
        "void f(float a, float b, float C[20][25], const float A[20][30], const float B[30][25])\n{\n"
        "    for (int i = 0; i < 20; i++) {\n        for (int j = 0; j < 25; j++) C[i][j] *= b;\n"
        "        for (int k = 0; k < 30; k++)\n"
        "            for (int j = 0; j < 25; j++) C[i][j] += a * A[i][k] * B[k][j];\n    }\n}\n",
        "i:7,j:6,k:8",
        ["placed at k = 0"],
    ),
    "set before, scaled after": (
        "void f(const int A[20][20], const int B[20][20], int C[20][20])\n{\n    for (int i = 0; i < 20; i++)\n"
        "        for (int j = 0; j < 20; j++) {\n            C[i][j] = 0;\n"
        "            for (int k = 0; k < 20; k++) C[i][j] += A[i][k] * B[k][j];\n"
        "            C[i][j] /= 3;\n        }\n}\n",
        "i:5,j:6,k:7",
        ["placed at k = 0", "placed at k = 19"],
    ),
    "jacobi with two arrays": (
        "void f(float A[17][17], float B[17][17])\n{\n    for (int t = 0; t < 5; t++) {\n"
        "        for (int i = 1; i < 16; i++)\n            for (int j = 1; j < 16; j++)\n"
        "                B[i][j] = 0.2f * (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i + 1][j] + A[i - 1][j]);\n"
        "        for (int i = 1; i < 16; i++)\n            for (int j = 1; j < 16; j++)\n"
        "                A[i][j] = 0.2f * (B[i][j] + B[i][j - 1] + B[i][j + 1] + B[i + 1][j] + B[i - 1][j]);\n"
        "    }\n}\n",
        "t:2,2t+i:5,2t+j:4",
        ["tiled by 2t+i + 1", "tiled by 2t+j + 1"],
    ),
    "fields in turn": (
        "void f(float ex[17][19], float ey[17][19], float hz[17][19], const float s[6])\n{\n"
        "    for (int t = 0; t < 6; t++) {\n        for (int j = 0; j < 19; j++) ey[0][j] = s[t];\n"
        "        for (int i = 1; i < 17; i++)\n            for (int j = 0; j < 19; j++)"
        " ey[i][j] -= 0.5f * (hz[i][j] - hz[i - 1][j]);\n"
        "        for (int i = 0; i < 17; i++)\n            for (int j = 1; j < 19; j++)"
        " ex[i][j] -= 0.5f * (hz[i][j] - hz[i][j - 1]);\n"
        "        for (int i = 0; i < 16; i++) for (int j = 0; j < 18; j++)\n"
        "            hz[i][j] -= 0.7f * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);\n    }\n}\n",
        "t:2,t-i:4,t-j:5",
        ["placed at i = 0"],
    ),
}


@needs_gcc
@pytest.mark.parametrize("name", [*PLACED][:: amount(3, 1)])
def test_statements_placed_in_the_tile_space(name: str, tmp_path: Path) -> None:
    source, tiles, said = PLACED[name]
    path = tmp_path / "f.c"
    path.write_text(source)
    program = load([str(path)], FrontendOptions())
    analysis = accesses(program, "f")
    plain = analyse(program, analysis, "f", tiles)
    assert plain.unusable or not plain.legal
    result = analyse(program, analysis, "f", tiles, MarsOptions(place=True))
    assert all(any(s in note for note in result.notes) for s in said), result.notes
    text = code(program, analysis, result)
    assert isinstance(text, str), text
    count, reads, _ = run(text, path, [], tmp_path)
    assert count > 1 and reads > 0


@needs_gcc
def test_dataflow_has_one_writer_and_one_reader_per_line(tmp_path: Path) -> None:
    """In the function of one tile each array on chip goes from one call to one later call."""
    for kernel, tiles in (
        ("jacobi2d", "t:3,t+i:4,t+j:4"),
        ("conv2d", "o:2,r:5,c:13"),
        ("smith_waterman", "i+j:10,j:10"),
    ):
        _, text = generated(KERNELS / f"{kernel}.c", tiles)
        assert isinstance(text, str)
        body = text[text.index(f"void {kernel}_tile(") : text.index("/* ---- host")]
        assert "#pragma HLS DATAFLOW" in body
        lines = re.findall(r"^    \w+ (\w+)\[\d+\];$", body, re.MULTILINE)
        calls = re.findall(r"^    (\w+)\((.*)\);$", body, re.MULTILINE)
        assert lines
        for line in lines:
            users = [name for name, arguments in calls if line in re.findall(r"\w+", arguments)]
            assert len(users) == 2 and "execute" in users
        assert [name for name, _ in calls].count("execute") == 1


@needs_gcc
@pytest.mark.parametrize(("a", "b"), [(5, 5), (5, 3), (7, 4)])
def test_tiles_of_several_classes(a: int, b: int, tmp_path: Path) -> None:
    """Diamonds that are no translates of each other: each class of tiles has its own bursts."""
    path, defines = KERNELS / "jacobi1d.c", ["T=19", "N=37"]
    result, text = generated(path, f"t+i:{a},t-i:{b}", defines)
    assert isinstance(text, str), text
    tiles = {((t + i) // a, (t - i) // b) for t in range(1, 20) for i in range(1, 36)}
    records = [r for r in result.arrays if r.boundary is None]
    assert len(records) == 2
    planned = [0, 0]
    for tile in tiles:
        # a translate of the other when t = (a T0 + b T1) / 2 is whole
        same = [r for r in records if (a * (tile[0] - r.residue[0]) + b * (tile[1] - r.residue[1])) % 2 == 0]
        assert len(same) == 1 and same[0].bursts is not None
        planned[0] += same[0].bursts.read
        planned[1] += same[0].bursts.write
    count, reads, writes = run(text, path, defines, tmp_path)
    assert (count, reads, writes) == (len(tiles), *planned)


BESIDE = {  # the function does more than its nest: the host runs the rest as it stands
    "before and after": (
        "    int i, j, s = 3;\n    for (i = 0; i < 40; i++) y[i] = x[i] + s;\n    s *= 2;\n"
        "    for (i = 1; i < 39; i++) z[i] = y[i - 1] + y[i + 1] * s;\n"
        "    for (j = 0; j < 40; j++) { int t = z[j]; y[j] -= t; }\n    for (i = 3; i < 9; i += 2) x[i]++;\n"
        "    y[0] = i + s;\n",
        ["--nest", "7", "--tile", "i:7"],
    ),
    "an array of its own": (
        "    int u[40], A_first = 2;\n    for (int i = 0; i < 40; i++) u[i] = x[i] * A_first;\n"
        "    {\n    LATER: for (int i = 0; i < 37; i++) z[i] = u[i] + u[i + 3];\n    }\n",
        ["--nest", "LATER", "--tile", "i:5"],
    ),
    "in place": (
        "    int k = x[0];\n    y[2] = k;\n    for (int t = 0; t < 6; t++)\n        for (int i = 1; i < 39; i++)\n"
        "            y[i] = y[i - 1] ^ (y[i + 1] + k);\n    for (int i = 0; i < 40; i++) z[39 - i] = y[i];\n",
        ["--nest", "6", "--tile", "t:2,t+i:5"],
    ),
    "two classes of accesses": (
        "    for (int i = 0; i < 12; i++)\n        for (int j = 0; j <= i; j++)\n"
        "            for (int k = 0; k < 4; k++)\n"
        "                z[i * 3 + j % 3] ^= 0;\n"
        "    for (int i = 0; i < 6; i++)\n        for (int j = 0; j < 6; j++) w[i][j] = m[i][j] * m[j][i];\n",
        ["--nest", "8", "--tile", "i:2,j:3", "--copies"],
    ),
}


@needs_gcc
@pytest.mark.parametrize("case", BESIDE)
def test_the_rest_of_the_function_is_kept(case: str, tmp_path: Path) -> None:
    body, arguments = BESIDE[case]
    path, out = tmp_path / "f.c", tmp_path / "f_mars.c"
    path.write_text(f"\nvoid f(int x[40], int y[40], int z[40], int m[6][6], int w[6][6])\n{{\n{body}}}\n")
    assert run_command(["mars", str(path), *arguments, "-o", str(out)]) == 0
    tiles, reads, _ = run(out.read_text(), path, [], tmp_path)
    assert tiles > 1 and reads > 0


@pytest.mark.parametrize(
    ("source", "tiles", "reason"),
    [
        ("int a = 0; for (int i = 0; i < 9; i++) { a += x[i]; y[i] = a; }", "i:3", "scalar a"),
        ("for (int c1 = 0; c1 < 9; c1++) y[c1] = x[c1];", "c1:3", "needs the name c1"),
        ("if (n) for (int i = 0; i < 9; i++) y[i] = x[i];", "i:3", "not run exactly once"),
        ("int i; for (i = 0; i < 9; i++) y[i] = x[i]; y[9] = i;", "i:3", "i has its value from the nest"),
        ("for (int i = 0; i < 9; i++) y[i] = x[i]; y[9] = outside(3);", "i:3", "beside the nest, a construct"),
        ("for (int i = 0; i < 9; i++) y[i] = x[i]; y[9] = given;", "i:3", "given is neither a parameter nor"),
        ("for (int i = 0; i < 9; i++) y[i] = x[i] + given;", "i:3", "given is neither a parameter nor"),
        ("static int s; s++; for (int i = 0; i < 9; i++) y[i] = x[i]; y[9] = s;", "i:3", "static variable s"),
        ("for (int i = 0; i < 9; i++) y[i] = outside(x[i]);", "i:3", "construct that generated code does not carry"),
        # accesses of several depths, none of which moves like another
        (
            "for (int i = 0; i < 9; i++) { y[0] += x[i];"
            " for (int j = 0; j < 5; j++) for (int k = 0; k < 5; k++) y[j] += x[5 * j + k]; }",
            "i:3",
            "no code",
        ),
        ("for (int i = 0; i < n; i++) y[i] = x[i];", "i:3", "no compile-time constant"),
    ],
)
def test_refusals_are_located(source: str, tiles: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "f.c"
    path.write_text(f"int outside(int);\nint given;\nvoid f(int x[64], int y[64], int n)\n{{\n{source}\n}}\n")
    program = load([str(path)], FrontendOptions())
    analysis = accesses(program, "f")
    result = analyse(program, analysis, "f", tiles)
    text = code(program, analysis, result)
    assert isinstance(text, Diagnostic)
    assert reason in text.message and text.place.line >= 2
