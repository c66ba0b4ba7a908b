"""Calls: arguments that come in a layout, and functions that follow what they are handed."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from layout_texts import FIRST, GCC, LAST, MIDDLE, laid_out, nest, same, tensor

from hlspart.blocked import propagate
from hlspart.cli.app import run
from hlspart.model.options import Options
from hlspart.pipeline import Pipeline

COMES = """static int total(const int v[1][3][2][70])
{
    int s = 0;
    for (int c = 0; c < 70; c++) s += v[0][1][1][c] %% 50;
    return s;
}
void top(const int in[1][3][2][70], int out[1][3][2][70], int sum[1])
{
    int a[1][3][2][70];
%s%s%s}
"""

CALLER = """#include <stdio.h>
#include <string.h>
#define top plain
#define total plain_total
#include "old.c"
#undef top
#undef total
#include "new.c"
static int in[1][3][2][70], out[1][3][2][70], sum[1], packed[%d], result[%d], back[1][3][2][70], other[1];
int main(void)
{
    for (int k = 0; k < 420; k++) (&in[0][0][0][0])[k] = k * 37 %% 101, (&out[0][0][0][0])[k] = k;
    memcpy(back, out, sizeof back);
    for (int y = 0; y < 3; y++) for (int x = 0; x < 2; x++) for (int c = 0; c < 70; c++) {
        packed[layout_at_in(0, y, x, c)] = in[0][y][x][c];
        result[layout_at_out(0, y, x, c)] = out[0][y][x][c];
    }
    plain(in, out, sum);
    top(packed, result, other);
    for (int y = 0; y < 3; y++) for (int x = 0; x < 2; x++) for (int c = 0; c < 70; c++)
        if (result[layout_at_out(0, y, x, c)] != out[0][y][x][c]) return 1;
    return sum[0] != other[0] || sum[0] == 0;
}
"""


@pytest.mark.parametrize(
    ("layout", "first", "asked", "conversions"),
    [
        ("NCx", "blocked", "compact", [("in", "compact")]),
        ("4,8", "4,8", "compact", [("in", "compact")]),
        ("NCx", "compact", "any", [("in", "compact")]),
        ("NCx", "blocked", "any", []),
        ("4,8", "4,8", "any", []),
    ],
)
def test_arguments_that_come_in_another_layout(
    layout: str, first: str, asked: str, conversions: list[tuple[str, str]], tmp_path: Path
) -> None:
    call = f"#pragma hlspart layout nest={asked}\n    sum[0] = total(in);\n"
    declared = "void top(const int first[1][3][2][70], int out[1][3][2][70], int sum[1]);\n"
    declared += "void top(const int [1][3][2][70], int [1][3][2][70], int [1]);\n"
    text = declared + COMES % (nest(first, FIRST), call, nest(None, "out[0][y][x][c] += a[0][2 - y][x][c];"))
    (tmp_path / "old.c").write_text(text)
    said = [x for name in ("in", "out") for x in ("--interface-layout", f"{name}={layout}")]
    new = str(tmp_path / "new.c")
    report = tmp_path / "r.json"
    assert run(["layout", str(tmp_path / "old.c"), "--top", "top", *said, "-o", new, "--format", f"json={report}"]) == 0
    (entry,) = json.loads(report.read_text())["files"]
    assert [(c["array"], c["to"]) for c in entry["conversions"] if c["array"] == "in"] == conversions
    sizes = tuple(next(a for a in entry["arrays"] if a["name"] == n)["form"] for n in ("in", "out"))
    counts = tuple(f["elements"] if "elements" in f else f["total_bytes"] // 4 for f in sizes)
    (tmp_path / "t.c").write_text(CALLER % counts)
    subprocess.run([*GCC, "t.c", "-o", "t"], cwd=tmp_path, check=True)
    subprocess.run(["./t"], cwd=tmp_path, check=True)


@pytest.mark.parametrize(
    ("said", "text", "word"),
    [
        ("a=NCx", "", "no array among the arguments"),
        ("in=NCx", '#include "top.h"\n', "would have to change"),
        ("in=NCx", "#define int double\n", "cannot come blocked"),
    ],
)
def test_arguments_that_cannot_come_so(
    said: str, text: str, word: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "p.c"
    path.write_text(text + tensor(nest("blocked", FIRST), nest(None, MIDDLE), nest(None, LAST)))
    (tmp_path / "top.h").write_text("void top(const int in[1][3][2][70], int out[1][3][2][70]);\n")
    out = tmp_path / "o.c"
    code = run(["layout", str(path), "--top", "top", "--interface-layout", said, "-o", str(out)])
    assert code == (1 if "change" in word else 2) and word in capfd.readouterr().err
    assert (not out.exists()) if code == 2 else out.read_text() == path.read_text()


CHAIN = """static void relu(int x[1][4][4][40]);
static int least(const int v[1][4][4][40], int y, int c) { return v[0][y][0][c] > 9 ? 9 : v[0][y][0][c]; }
static void conv(const int x[1][4][4][40], const int w[2][2][40][40], int y[1][4][4][40])
{
    for (int h = 0; h < 4; h++) for (int v = 0; v < 4; v++) for (int o = 0; o < 40; o++) {
        int s = 0;
        for (int a = 0; a < 2; a++) for (int b = 0; b < 2; b++) for (int c = 0; c < 40; c++)
            if (h + a < 4 && v + b < 4) s += x[0][h + a][v + b][c] % 100 * (w[a][b][c][o] % 100);
        y[0][h][v][o] = s % 1000;
    }
}
/* in place */
static void relu(int x[1][4][4][40])
{
    for (int h = 0; h < 4; h++) for (int v = 0; v < 4; v++) for (int o = 0; o < 40; o++)
        if (x[0][h][v][o] < 0) x[0][h][v][o] = least(x, h, o) & 7;
}
void top(const int in[1][4][4][40], const int w[2][2][40][40], int out[1][4][4][40])
{
    int t[1][4][4][40], u[1][4][4][40];
    conv(in, w, t);
    relu(t);
    conv(t, w, u);
    relu(u);
    for (int h = 0; h < 4; h++) for (int v = 0; v < 4; v++) for (int o = 0; o < 40; o++)
        out[0][h][v][o] = u[0][3 - h][v][o];
}
"""


def test_functions_follow_the_layout_of_what_they_are_handed(tmp_path: Path) -> None:
    """Two convolutions with maps between and behind them: only what comes and goes is converted, the weights once."""
    found, new = laid_out(CHAIN)
    assert {n.layout for n in found.nests[:-1]} == {"blocked"} and found.size == found.bound
    assert [(c.name, c.target) for c in found.conversions] == [("in", "blocked"), ("w", "blocked"), ("u", "compact")]
    assert new.count("static void relu(int x[1024])") == 2 and "/* in place */\nstatic void relu" in new
    same(tmp_path, CHAIN, new)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("static void relu(int x[1][4][4][40]);", '#include "relu.h"', "relu, which a header declares"),
        ("void top(", "int other(int x[1][4][4][40]) { relu(x); return 1; }\nvoid top(", "which other calls, too"),
        ("least(x, h, o)", "*x[0][0][0]", "'x' of relu, which is used in a macro or through a pointer"),
        ("    relu(t);", "    relu(t); void (*f)(int[1][4][4][40]) = relu; f(t);", "relu"),
        ("    relu(u);", "    int s[1][4][4][39]; relu((int (*)[4][4][40])s);", "relu"),
        (
            "{\n    for (int h",
            "{\n#pragma HLS array_partition variable=x\n    for (int h",
            "is named by ARRAY_PARTITION",
        ),
        ("    conv(t,", "#pragma hlspart layout nest=compact\n    conv(t,", "wants another layout"),
    ],
)
def test_functions_that_cannot_follow(old: str, new: str, why: str) -> None:
    """All that reach the function stay compact, and the nest that a directive asks of says why, with its place."""
    asked = "#pragma hlspart layout nest=blocked\n    relu(t);"
    if old == "    conv(t,":
        old, new = "    conv(in,", "#pragma hlspart layout nest=blocked\n    conv(in,"
        asked = "    relu(t);\n#pragma hlspart layout nest=compact"
    text = CHAIN.replace("    relu(t);", asked).replace(old, new)
    header = "static void relu(int x[1][4][4][40]);\n"
    p = Pipeline(["p.c"], Options(top="top"), lambda path: (header if path.endswith("h") else text).encode())
    found, _ = propagate(p.program, p.analysis, "top", {})
    assert [d.severity for d in found.diagnostics] == ["error"] and why in found.diagnostics[0].message
    line = text[: text.index("nest=blocked")].count("\n") + 2
    assert found.diagnostics[0].place is not None and found.diagnostics[0].place.line == line


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("relu(int x[1][4][4][40])\n", "relu(tensor x)\n"),
        ("relu(int x[1][4][4][40])\n", "relu(int x SHAPE)\n"),
        ("relu(int x[1][4][4][40])\n", "relu(x) int x[1][4][4][40];\n"),
        ("relu(int x[1][4][4][40]);", "relu(tensor);"),
        ("    int t[1][4][4][40], u", "    tensor t; int u"),
    ],
)
def test_extents_of_a_named_type_or_macro(old: str, new: str, tmp_path: Path) -> None:
    text = "typedef int tensor[1][4][4][40];\n#define SHAPE [1][4][4][40]\n" + CHAIN.replace(old, new)
    found, laid = laid_out(text)
    assert found.conversions and "_blocked" in laid
    same(tmp_path, text, laid)


def test_a_function_of_another_namespace_stays(tmp_path: Path) -> None:
    text = CHAIN.replace("/* in place */\nstatic", "/* in place { */\nstatic").replace("relu(t)", "nn::relu(t)")
    text = text.replace("relu(u)", "nn::relu(u)").replace("static void relu(int x[1][4][4][40]);\n", "namespace nn {\n")
    text = text.replace("void top(", "} // nn\nvoid top(").replace("    conv(", "    nn::conv(")
    p = Pipeline(["p.cpp"], Options(top="top"), lambda _: text.encode())
    found, _ = propagate(p.program, p.analysis, "top", {})
    assert all(n.reason.endswith("which is in another namespace") for n in found.nests[:4]) and found.size == 0


def test_a_constant_that_a_function_reads_by_its_name_stays(tmp_path: Path) -> None:
    text = CHAIN.replace("static void relu", "static const int bias[1][4][4][40] = {{{{1, 2}}}};\nstatic void relu", 1)
    text = text.replace("? 9", "? bias[0][y][0][c]").replace(
        "out[0][h][v][o] =", "out[0][h][v][o] = bias[0][h][v][o] +"
    )
    found, new = laid_out(text)
    assert next(a for a in found.arrays if a.name == "bias").layout == "compact"
    same(tmp_path, text, new)


def test_a_pointer_that_a_call_hands_on_keeps_its_nest_compact(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once an internal error: such a pointer has no extents."""
    text = "struct s { struct s *next; };\nstatic void clear(p) struct s *p; { if (p) p->next = 0; }\n"
    (tmp_path / "f.c").write_text(text + "int main(void) { struct s *p = 0; clear(p); return 0; }\n")
    assert run(["layout", str(tmp_path / "f.c")]) == 0
    assert "'p' of clear, which cannot be blocked: it is a pointer" in capsys.readouterr().out
