"""Laid out functions as C: chains, constants, tiles, elements, directives and their faults."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from layout_texts import FIRST, GCC, LAST, MIDDLE, laid_out, nest, same, tensor

from hlspart.blocked import propagate
from hlspart.cli.app import run
from hlspart.model.options import Options
from hlspart.pipeline import Pipeline
from hlspart.verification import VerifyOptions, verify
from tests.amounts import amount


def test_a_chain_is_converted_where_it_begins_and_ends(tmp_path: Path) -> None:
    text = tensor(nest("blocked", FIRST), nest(None, MIDDLE), nest("blocked", LAST))
    found, new = laid_out(text)
    assert [(c.name, c.target, c.line) for c in found.conversions] == [("in", "blocked", 5), ("out", "compact", 12)]
    assert {a.name: a.layout for a in found.arrays} == {"in": "both", "out": "both", "a": "blocked", "b": "blocked"}
    same(tmp_path, text, new)
    compact = tensor(nest("blocked", FIRST), nest("compact", MIDDLE), nest("blocked", LAST))
    found, new = laid_out(compact)
    assert [c.name for c in found.conversions] == ["in", "a", "b", "out"]
    same(tmp_path, compact, new)


def test_users_of_one_value_share_its_conversion_until_it_is_written_again(tmp_path: Path) -> None:
    two = "d[0][y][x][c] = a[0][y][x][c] + b[0][y][x][c];"
    again = "a[0][y][x][c] = in[0][y][x][c];"
    end = "out[0][y][x][c] = d[0][y][x][c];"
    shared = tensor(nest("compact", FIRST), nest("blocked", MIDDLE), nest("blocked", two), nest("blocked", end))
    found, _ = laid_out(shared)
    assert [(c.name, len(c.merged)) for c in found.conversions] == [("a", 1), ("out", 0)]
    twice = tensor(
        nest("compact", FIRST),
        nest("blocked", MIDDLE),
        nest("compact", again),
        nest("blocked", two),
        nest("blocked", end),
    )
    found, new = laid_out(twice)
    assert [(c.name, c.merged) for c in found.conversions] == [("a", ()), ("a", ()), ("out", ())]
    same(tmp_path, twice, new)


def test_constants_are_laid_out_before_the_program_runs(tmp_path: Path) -> None:
    constants = "    static const int w[70] = {5, 6, [69] = 7};\n"
    first = "b[0][y][x][c] = in[0][y][x][c] % 9 * w[c];"
    text = tensor(nest("blocked", first), nest("blocked", LAST), constants=constants)
    found, new = laid_out(text)
    assert [c.name for c in found.conversions] == ["in", "out"] and "w_blocked[72] = {5, 6, 0" in new
    assert next(a for a in found.arrays if a.name == "w").layout == "blocked" and " w[70]" not in new
    same(tmp_path, text, new)
    both = tensor(nest("blocked", first), nest("compact", LAST.replace("= b", "= w[c] % 3 + b")), constants=constants)
    found, new = laid_out(both)
    w = next(a for a in found.arrays if a.name == "w")
    assert w.layout == "both" and "two copies" in w.reason and " w[70]" in new and "w_blocked[72]" in new
    assert [c.name for c in found.conversions] == ["in", "b"]
    same(tmp_path, both, new)


TILED = """float top(float a[37][10], float o[37][10], int n)
{
#pragma hlspart layout variable=b tile=8,4
#pragma hlspart layout variable=a tile=16,3
    float b[37][10], s = 0;
    for (int i = 0; i < 37; i++)
        for (int j = 0; j < 10; j++) b[i][j] = a[i][j] + j;
    for (int i = 0; i < 37; i++)
        for (int j = 0; j < 10; j++)
            if (n > i) a[i][j] = b[36 - i][(j * 3) % 10];
    for (int i = 0; i < 37; i++) { o[i][0] = b[i][a[i][0] > 3 ? 1 : 2]; s = o[i][0]; }
    return s;
}
"""


def test_tiles_of_any_array(tmp_path: Path) -> None:
    found, new = laid_out(TILED)
    assert [(c.name, c.target) for c in found.conversions] == [("a", "tile=16,3"), ("a", "compact")]
    assert "b_blocked[480]" in new and "#pragma hlspart" not in new and " b[37][10]" not in new
    same(tmp_path, TILED, new)


PACKED = """static const signed char w[8][5] = {{1, 2, 3, 4, 5}, {6}, [3] = {9, 8, 7}, [7] = {[4] = -3}};
void top(const int in[8], int out[5])
{
#pragma hlspart layout variable=w pack=4
    for (int j = 0; j < 5; j++) {
        out[j] = 0;
        for (int i = 0; i < 8; i++) out[j] += w[i][j] * (in[i] % 1000);
    }
}
"""


@pytest.mark.parametrize("kind", amount(["ap_ufixed<8, 3>"], ["ap_fixed<16, 8>", "ap_ufixed<8, 3>", "ap_int<32>"]))
def test_elements_of_fixed_point(tmp_path: Path, kind: str) -> None:
    text = tensor(nest("blocked", "a[0][y][x][c] = in[0][y][x][c];"), nest(None, LAST.replace("b[", "a[")))
    text = "#include <ap_fixed.h>\n#include <ap_int.h>\n" + re.sub(r"\bint (?=(in|out|a)\[)", f"{kind} ", text)
    (tmp_path / "old.cpp").write_text(text)
    code = run(["layout", str(tmp_path / "old.cpp"), "--top", "top", "-o", str(tmp_path / "new.cpp")])
    new = (tmp_path / "new.cpp").read_text()
    assert code == 0 and f"{kind} a_blocked[" in new and "a_blocked[layout_at_a(0, y, x, c)] =" in new
    result = verify(str(tmp_path / "old.cpp"), str(tmp_path / "new.cpp"), VerifyOptions(top="top", vectors=2))
    assert result.status == "equal", result.message


def test_constants_are_packed_into_words(tmp_path: Path) -> None:
    found, new = laid_out(PACKED)
    assert not found.conversions and " w[8]" not in new
    same(tmp_path, PACKED, new)
    rows = [[1, 2, 3, 4, 5], [6], [], [9, 8, 7], [], [], [], [0, 0, 0, 0, -3]]
    words = [[0] * 20 for _ in range(2)]  # row i / 4, place 4 * j + i % 4
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            words[i // 4][4 * j + i % 4] = value
    main = 'int main(void) { for (int k = 0; k < 40; k++) printf("%d ", w_blocked[k]); return 0; }'
    (tmp_path / "w.c").write_text("#include <stdio.h>\n" + new + main)
    subprocess.run([*GCC, "w.c", "-o", "w"], cwd=tmp_path, check=True)
    printed = subprocess.run(["./w"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert [int(n) for n in printed.split()] == words[0] + words[1]


@pytest.mark.parametrize(
    ("old", "wrong", "word"),
    [
        ("tile=8,4", "tile=8", "each of the 2 dimensions"),
        ("tile=8,4", "tile=8,0", "each of the 2 dimensions"),
        ("tile=8,4", "layout=NCx", "channel layouts are for four"),
        ("tile=8,4", "layout=xyz", "not known"),
        ("tile=8,4", "pack=4", "b has 37 rows, no multiple of 4"),
        ("tile=8,4", "pack=0", "a number of rows"),
        ("variable=b", "variable=q", "no array 'q'"),
        ("variable=b tile=8,4", "variable=a tile=2,2", "two layouts for a"),
        ("variable=b tile=8,4", "nest=odd", "not known"),
        ("variable=b tile=8,4", "nest=8,0", "not known"),
        ("variable=b tile=8,4", "speed=3", "say nest="),
    ],
)
def test_faults_of_directives_have_a_place(old: str, wrong: str, word: str) -> None:
    found, _ = laid_out(TILED.replace(old, wrong, 1))
    assert found.unusable and len(found.diagnostics) == 1 and word in found.diagnostics[0].message
    assert found.diagnostics[0].place.line in (3, 4)


def test_a_directive_in_a_function_that_is_called_is_a_fault() -> None:
    source = """void scale(int a[8]) {
#pragma hlspart layout variable=a tile=4
    for (int i = 0; i < 8; i++) a[i] *= 2;
}
void other(int a[8]) {
#pragma hlspart layout variable=a tile=4
    for (int i = 0; i < 8; i++) a[i] *= 2;
}
void top(int a[8]) { scale(a); }
"""
    found, _ = laid_out(source)
    (fault,) = found.diagnostics
    assert found.unusable and fault.place.line == 2 and "belongs in top" in fault.message


def test_a_nest_that_cannot_be_blocked_is_told() -> None:
    parts = nest("blocked", FIRST.replace("* 3", "* 3 + z[c]")), nest(None, MIDDLE), nest("blocked", LAST)
    found, new = laid_out(tensor(*parts, constants="    double z[70] = {1};\n"))
    assert [d.severity for d in found.diagnostics] == ["error"]
    assert "uses 'z', which cannot be blocked" in found.diagnostics[0].message and new
    assert [n.layout for n in found.nests] == ["compact", "compact", "blocked"]


def test_nests_of_three_layouts(tmp_path: Path) -> None:
    """Channels, tiles and rows: values go from one to the other without a stop between."""
    two = "d[0][y][x][c] = a[0][y][x][c] + b[0][y][x][c];"
    end = "out[0][y][x][c] = d[0][y][x][c] + a[0][y][x][(c + 1) % 70];"
    text = tensor(nest("blocked", FIRST), nest("2,8", MIDDLE), nest(None, two), nest("2,8", end))
    found, new = laid_out(text)
    assert [n.layout for n in found.nests] == ["blocked", "tile=2,8", "tile=2,8", "tile=2,8"]
    moves = [(c.name, c.source, c.target, len(c.merged)) for c in found.conversions]
    assert moves == [
        ("in", "compact", "blocked", 0), ("a", "blocked", "tile=2,8", 2), ("out", "tile=2,8", "compact", 0)
    ]  # fmt: skip
    assert (found.size, found.bound) == (3 * 1680, 3 * 1680) and "layout_repack_a(a_blocked, a_2x8_blocked);" in new
    same(tmp_path, text, new)


EARLY = """void top(int in[12], int out[12], int n)
{
#pragma hlspart layout variable=out tile=5
#pragma hlspart layout variable=t tile=7
    int t[12];
    for (int i = 0; i < 12; i++) out[i] = t[i] = in[i];
    if (n > 5) return;
    for (int i = 0; i < 12; i++) out[i] = t[11 - i] + 1;
}
"""


def test_what_comes_from_outside_stays_where_a_function_ends_early(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    found, new = laid_out(EARLY)
    assert [d.message.partition(": ")[2] for d in found.diagnostics] == [
        "out cannot be in tiles: it has values where top begins, which may be left or entered by a jump"
    ]
    assert "#pragma hlspart layout variable=out tile=5" in new and "t_blocked[layout_at_t(11 - i)]" in new
    same(tmp_path, EARLY, new)
    path = tmp_path / "p.c"
    path.write_text(EARLY)
    assert run(["layout", str(path), "--top", "top", "--interface-layout", "out=4"]) == 2
    assert "out cannot come in tiles of 4: it has values" in capfd.readouterr().err


def test_tiles_of_an_array_that_a_call_gets_are_refused(tmp_path: Path) -> None:
    text = "static void f(int x[12]) { x[3] = 1; }\n" + EARLY.replace("if (n > 5) return;", "f(t);")
    found, new = laid_out(text)
    assert [d.place.line for d in found.diagnostics if d.place] == [6] and "handed to a call" in found.diagnostics[
        0
    ].message
    assert "#pragma hlspart layout variable=t tile=7" in new and "out_blocked[layout_at_out(i)] = t[i]" in new
    same(tmp_path, text, new)


@pytest.mark.parametrize("said", ["variable=t tile=2,8", "variable=t layout=compact"])
@pytest.mark.parametrize("storage", ["", "static "])
def test_initial_values_are_converted(tmp_path: Path, said: str, storage: str) -> None:
    text = f"""void top(const int in[4][40], int out[4][40])
{{
#pragma hlspart layout {said}
    {storage}int t[4][40] = {{{{1, 2, 3}}, {{[7] = 5}}}};
#pragma hlspart layout nest=2,4
    for (int x = 0; x < 4; x++)
        for (int c = 0; c < 20; c++) t[x][c] += in[x][c] % 100;
    for (int x = 0; x < 4; x++)
        for (int c = 0; c < 40; c++) out[x][c] = t[x][c];
}}
"""
    found, new = laid_out(text)
    assert next(c for c in found.conversions if c.name == "t").source == "compact"
    same(tmp_path, text, new)


def test_a_file_without_demands_stays_as_it_is() -> None:
    text = tensor(nest(None, FIRST), nest(None, MIDDLE), nest(None, LAST))
    found, new = laid_out(text)
    assert (found.size, found.conversions, new) == (0, (), text)


@pytest.mark.parametrize("sum_", ["s += {}", "s = s + {}", "s = {} + s"])
def test_convolutions_are_anchors(tmp_path: Path, sum_: str) -> None:
    text = """void top(const int in[1][4][4][8], const int k[3][3][8][6], int out[1][4][4][6])
{
    int t[1][4][4][8];
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++)
            for (int c = 0; c < 8; c++) t[0][y][x][c] = in[0][y][x][c] % 100;
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++)
            for (int o = 0; o < 6; o++) {
                int s = 0;
                for (int i = 0; i < 3; i++)
                    for (int j = 0; j < 3; j++)
                        for (int c = 0; c < 8; c++)
                            if (y + i < 4 && x + j < 4) SUM;
                out[0][y][x][o] = s;
            }
}
""".replace("SUM", sum_.format("t[0][y + i][x + j][c] * (k[i][j][c][o] % 100)"))
    found, new = laid_out(text)
    assert [n.demand for n in found.nests] == ["any", "blocked"] and "product" in found.nests[1].reason
    assert found.nests[1].layout == "blocked" and found.size == 4 * 4 * 4 * (8 + 6) + 4 * 3 * 3 * 8 * 6
    same(tmp_path, text, new)


@pytest.mark.parametrize(
    "head",
    ['extern "C" ', "template <int N> ", "// of top\ntemplate <typename T,\n  int N = (1 << 2)> /* here */\nstatic "],
)
def test_functions_are_written_before_the_head_of_a_definition(tmp_path: Path, head: str) -> None:
    body = tensor(nest("blocked", FIRST), nest(None, MIDDLE), nest("blocked", LAST))
    use = ""
    if "template" in head:
        use = "void all(int a[1][3][2][70], int b[1][3][2][70]) { top<T>(a, b); }\n"
        use = use.replace("T", "int, 4" if "typename" in head else "4")
    text = f"{head}{body}{use}"
    p = Pipeline(["p.cpp"], Options(), lambda _: text.encode())
    (top,) = (f for f in p.program.functions if f.startswith("top"))
    found, texts = propagate(p.program, p.analysis, top, {})
    assert found.size == 3360 and isinstance(texts, dict)
    (tmp_path / "new.cpp").write_text(texts["p.cpp"])
    subprocess.run(["g++", "-c", "-Wall", "-Wno-unknown-pragmas", "new.cpp"], cwd=tmp_path, check=True)
    assert texts["p.cpp"].startswith("// of top" if head.startswith("//") else "static inline")
