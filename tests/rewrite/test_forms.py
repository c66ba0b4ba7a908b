"""Every form of declaration and use is rewritten and means the same; what opens the way is taken back when in vain."""

from __future__ import annotations

from pathlib import Path

import pytest
from rewrite_help import analysed, dangling, laid_out, outputs, piped

from hlspart.frontend import load
from hlspart.layouts.lattice import linear
from hlspart.model.options import FrontendOptions, Options, RewriteOptions
from hlspart.pipeline import Pipeline
from tests.amounts import amount

FORMS = (Path(__file__).parent / "forms.c").read_text()
PRINT = '#include <stdio.h>\nint f(int); int main(void) { printf("%d %d\\n", f(3), f(4)); return 0; }\n'


def test_forms_are_rewritten_and_mean_the_same(tmp_path: Path) -> None:
    expected = outputs(tmp_path, "old", [FORMS], "")
    for style in amount(("split", "crossbar"), ("bankdim", "split", "crossbar")):
        result = piped(FORMS, style=style)
        left = [(o.arrays, o.code, o.reason) for o in result.outcomes if o.status != "rewritten"]
        if style == "split":
            left = [x for x in left if x[1] not in ("dynamic-bank", "macro")]
        assert not left, left
        new = result.files["p.c"]
        assert outputs(tmp_path, f"new_{style}", [new], "") == expected and not dangling(new)
        assert piped(new, style=style).files["p.c"] == new


def test_a_macro_is_written_out_for_what_is_rewritten_only() -> None:
    text = """#define SWAP(a, b) do { int t = a; a = b; b = t; } while (0)
#define SET(i) B[i] = 2
int f(int x) { int A[8], B[8], C[8];
#pragma HLS array_partition variable=A cyclic factor=2
#pragma HLS array_partition variable=B cyclic factor=2
 for (int i = 0; i < 8; i++) { A[i] = x; SET(i); C[i] = 2; }
 for (int i = 0; i < 8; i++) { SWAP(A[i], C[i]); SET(C[i] & 7); }
 return A[1] + B[2] + C[3]; }
"""
    result = piped(text, style="bankdim")
    assert {o.arrays[0]: (o.status, o.code) for o in result.outcomes} == {
        "A": ("rewritten", None),
        "B": ("refused", "non-affine"),
    }
    new = result.files["p.c"]
    assert new.count("SET(i)") == 2 and "SET(C[i] & 7)" in new and "B[8]" in new and "A[2][4]" in new


CLONES = """static int leaf(const int w[8], int k);
static int sum(const int v[8]) { int s = 0; for (int j = 0; j < 8; j++) s = s * 3 % 97 + v[j] + leaf(v, j); return s; }
static int leaf(const int w[8], int k) { return w[3] + k; }
int f(int n) { int A[8], B[8], C[8];
#pragma HLS array_partition variable=A cyclic factor=2
#pragma HLS array_partition variable=B block factor=4
#pragma HLS array_partition variable=C block factor=4
 for (int i = 0; i < 8; i++) { A[i] = n; B[i] = i; C[i] = 2 * n; }
 return sum(A) + sum(B) + leaf(B, 2) + sum(C); }
"""


def test_clone(tmp_path: Path) -> None:
    plain = piped(CLONES, style="bankdim")
    assert [(o.status, o.code) for o in plain.outcomes] == [("conflict", "conflict")]
    assert plain.files["p.c"] == CLONES and plain.outcomes[0].at is not None
    expected = outputs(tmp_path, "old", [CLONES], PRINT)
    for style in ("bankdim", "crossbar"):
        result = piped(CLONES, style=style, clone=True)
        assert {o.status for o in result.outcomes} == {"rewritten"}
        new = result.files["p.c"]
        assert outputs(tmp_path, style, [new], PRINT) == expected
        assert not dangling(new) and "sum_2(" in new and "leaf_2(" in new and "sum_3" not in new
        assert piped(new, style=style, clone=True).files["p.c"] == new


@pytest.mark.parametrize(
    "change",
    [("{ int s = 0;", "{ static int s = 0;"), ("return sum(A)", "int (*q)(const int *) = sum; return q(A) + sum(A)")],
)
def test_what_is_not_cloned(change: tuple[str, str]) -> None:
    text = CLONES.replace(*change)
    result = piped(text, style="bankdim", clone=True)
    assert result.files["p.c"] == text
    assert {o.status for o in result.outcomes} <= {"conflict", "refused"}


STRUCTS = """struct T { short w[4][3], v[6]; int n; };
static struct T g = { {{1, 2}, {3}}, {[2] = 5}, 4 };
static int sum(short x[6]) { int s = 0; for (int i = 0; i < 6; i++) s = s * 3 + x[i]; return s; }
int f(int n) { static struct T l; struct T k, whole = {.n = 2}, *p = &whole; int t = p->n;
#pragma HLS array_partition variable=g.w cyclic factor=2 dim=2
#pragma HLS array_partition variable=g.v block factor=2
#pragma HLS array_partition variable=l.v cyclic factor=2
#pragma HLS array_partition variable=k.w cyclic factor=2
#pragma HLS array_partition variable=whole.v cyclic factor=2
 for (int i = 0; i < 6; i++) { l.v[i] += i + n; g.v[i] ^= l.v[i]; }
 for (int i = 0; i < 4; i++) for (int j = 0; j < 3; j++) { k.w[i][j] = g.w[i][j]; g.w[i][j] += n; }
 for (int i = 0; i < 4; i++) for (int j = 0; j < 3; j++) t = (t * 3 + k.w[i][j]) % 1000;
 return t + sum(l.v) + (int)sizeof(struct T) + g.n + whole.v[1]; }
"""


def test_members_of_structs(tmp_path: Path) -> None:
    alone = piped(STRUCTS, style="bankdim")
    assert alone.files["p.c"] == STRUCTS and not alone.findings
    assert [(o.status, o.code) for o in alone.outcomes] == [("ignored", "struct-member")] * 5
    assert "'g.w' left as it is" in alone.diagnostics[0].message
    expected = outputs(tmp_path, "old", [STRUCTS], PRINT)
    for style in ("bankdim", "crossbar"):
        result = piped(STRUCTS, style=style, split_struct=True)
        assert {o.arrays[-1]: o.status for o in result.outcomes} == {
            "g_w": "rewritten", "g_v": "rewritten", "l_v": "rewritten", "k_w": "rewritten", "whole.v": "refused",
        } | ({"x": "rewritten"} if ("l_v", "x") in [o.arrays for o in result.outcomes] else {})  # fmt: skip
        new = result.files["p.c"]
        assert outputs(tmp_path, style, [new], PRINT) == expected and not dangling(new)
        assert piped(new, style=style, split_struct=True).files["p.c"] == new


def test_a_fragment_is_given_with_the_file_that_includes_it() -> None:
    files = {
        "p.c": 'typedef int word;\nstatic word T[8] = {1, 2, 3};\n#include "part.c"\n'
        "int f(int x) {\n#pragma HLS array_partition variable=T cyclic factor=2\n return T[x & 7] + g(); }\n",
        "part.c": "static word g(void) { return T[3]; }\n",
    }
    program = load(list(files), FrontendOptions(), lambda path: files[path].encode())
    assert [unit.error for unit in program.units] == [None, None]
    result = piped(files, style="bankdim")
    assert result.files["part.c"] == "static word g(void) { return T[1][1]; }\n"


PRAGMAS = """static int G[8];
static int sum(const int v[8]) {
#pragma HLS array_partition variable=v cyclic factor=2
 int s = 0; for (int j = 0; j < 8; j++) s += v[j]; return s; }
int f(int top[8], int n) { static int A[8], B[8];
#pragma HLS interface mode=ap_memory port=top
#pragma HLS array_partition variable=A,B,G cyclic factor=2
#pragma HLS array_partition variable=top block factor=2
#pragma HLS bind_storage variable=A type=ram_2p
#pragma HLS resource variable=B core=RAM_2P
#pragma HLS stable variable=top
#pragma HLS reset variable=B
 for (int i = 0; i < 4; i++) {
#pragma HLS dependence variable=A inter false
#pragma HLS dependence variable = B intra false
#pragma HLS dependence array inter false
  A[2 * i] += n; A[2 * i + 1] = B[2 * i] + top[i]; B[2 * i + 1] = G[2 * i]++; G[2 * i + 1] = i; }
 return sum(A) + B[3] + top[7]; }
"""


@pytest.mark.parametrize("style", ["split", "bankdim", "crossbar"])
def test_no_pragma_names_what_is_gone(style: str) -> None:
    assert not dangling(PRAGMAS) and dangling(PRAGMAS.replace("int A[8]", "int C[8]"))
    result = piped(PRAGMAS, style=style, split_top=True)
    assert not dangling(result.files["p.c"]) and any(o.status == "rewritten" for o in result.outcomes)


MACRO_VALUES = """#define NEG (-3)
#define FILL [0 ... 5] = -1
#define ROW(a, b) {a, -(b), NEG}
#define LAST , 5, +6
static const short A[8] = {FILL}, B[8] = {1, NEG, -2 LAST};
static const int C[4][3] = {ROW(1, 2), ROW(3, NEG), {-1, 8}};
int f(int n) { int s = 0, D[8] = {NEG, n ? NEG : n};
#pragma HLS array_partition variable=A cyclic factor=2
#pragma HLS array_partition variable=B cyclic factor=2
#pragma HLS array_partition variable=C cyclic factor=2
#pragma HLS array_partition variable=D cyclic factor=2
 for (int i = 0; i < 8; i++) s = s * 5 % 1009 + A[i] + B[i] + C[i / 2][i % 2] + C[i / 2][2] + D[i];
 return s; }
"""


def test_initial_values_of_macros(tmp_path: Path) -> None:
    result = piped(MACRO_VALUES, style="bankdim")
    assert {o.status for o in result.outcomes} == {"rewritten"}, result.outcomes
    new = result.files["p.c"]
    assert outputs(tmp_path, "new", [new], PRINT) == outputs(tmp_path, "old", [MACRO_VALUES], PRINT)
    assert piped(new, style="bankdim").files["p.c"] == new


def test_comments_and_spliced_lines_inside_what_is_edited(tmp_path: Path) -> None:
    text = """int f(int n)
{
    static /* kind */ int A /* name */ [8] = {1 // one
        , 2, 3 + \\
        4, /* "five */ 5};
    char C[6] = "a/*//";
#pragma HLS array_partition variable=A type=cyclic factor=2
#pragma HLS array_partition variable=C type=cyclic factor=2
    for (int i = 0; i < 4; i++)
        n += A[2 * i // even
            ] + A[ /* odd */ 2 * i + \\
            1] + C[i // "
            ];
    return n + A[n & 0 /* last */];
}
"""
    for style in ("split", "bankdim", "crossbar"):
        for what in (text, text.replace("n & 0", "0")):
            result = piped(what, style=style, dynamic="crossbar")
            assert {o.status for o in result.outcomes} <= {"rewritten", "refused"}
            assert any(o.status == "rewritten" for o in result.outcomes), style
            new = result.files["p.c"]
            assert outputs(tmp_path, "new", [new], PRINT) == outputs(tmp_path, "old", [text], PRINT)
            if style != "crossbar" and "A[n" not in new:
                assert all(comment in new for comment in ("even", "odd", "five", "last"))


@pytest.mark.parametrize("style", ["bankdim", "split", "crossbar"])
def test_a_pragma_over_several_lines_leaves_the_line_ends_of_the_file(style: str) -> None:
    text = """int f(int x) {
    int A[8];
#pragma HLS array_partition variable=A \\
    cyclic factor=2
    for (int i = 0; i < 8; i += 2) {
#pragma HLS PIPELINE
        A[i] = x; A[i + 1] = x + i;
    }
    return A[2] + A[5];
}
""".replace("\n", "\r\n")
    new = piped(text, style=style).files["p.c"]
    assert new != text and "\n" not in new.replace("\r\n", "")


def test_a_qualified_name_begins_its_statement() -> None:
    text = """#include <iostream>
int f(int A[4])
{
#pragma HLS array_partition variable=A type=cyclic factor=2
    for (int i = 0; i < 4; i++) {
        std::cout << A[i];
    }
    return 0;
}
"""
    made = Pipeline(["p.cpp"], Options(), lambda _: text.encode())
    result = made.rewrite(RewriteOptions(style="crossbar", split_top=True))
    assert "\n        std::cout << A_v0;\n" in result.files["p.cpp"]


def test_inferred_partitions_of_an_included_source_are_not_written() -> None:
    texts = {
        "p.c": '#include "k.c"\nint f(int n) { return k(n); }\n',
        "k.c": """int k(int n)
{
    int A[64];
    for (int i = 0; i < 64; i++) A[i] = n ^ i;
    for (int i = 0; i < 64; i += 4) {
#pragma HLS pipeline II=1
        n += A[i] + A[i + 1] + A[i + 2] + A[i + 3];
    }
    return n;
}
""",
    }
    result = Pipeline(["p.c"], Options(), lambda path: texts[path].encode()).rewrite(RewriteOptions(infer=True))
    assert result.files == {"p.c": texts["p.c"]} and result.findings
    (told,) = result.diagnostics
    assert (told.rule, told.place.path, told.place.line) == ("rewrite-header", "k.c", 3)


def test_layouts_of_arrays_with_one_name(tmp_path: Path) -> None:
    text = """#define X(i) A[i]
int f(int n)
{
    int A[12] = {1, n};
    {
        int A[2][6] = {{2}, {n}};
        for (int j = 0; j < 6; j++) n += A[1][j];
    }
    for (int i = 0; i < 12; i++) n += X(i);
    return n;
}
"""
    program, _, _ = analysed(text)
    result = laid_out(text, {v.id: linear(v.dims, (1,) * len(v.dims), 3) for v in program.arrays()})
    assert [o.status for o in result.outcomes] == ["rewritten", "rewritten"]
    assert outputs(tmp_path, "new", [result.files["p.c"]], PRINT) == outputs(tmp_path, "old", [text], PRINT)


def test_a_store_that_later_ones_hide_in_every_bank_leaves_no_unused_name(tmp_path: Path) -> None:
    text = """int f(int n) {
    int A[13] = {3}, sum = 0;
#pragma HLS ARRAY_PARTITION variable=A cyclic factor=3
    for (long i = 2; i < 3; i += 2) {
        A[i] = n;
        A[3 * i - 4] = n + 1;
        A[3 * i - 5] = n * 2;
        A[3 * i - 6] = n - 7;
    }
    for (int i = 0; i < 13; i++) sum = 3 * sum + A[i];
    return sum;
}
"""
    new = piped(text, style="crossbar").files["p.c"]
    assert "(void)A_d0;" in new
    assert "A_b0" not in new.split("sum = 3")[0].split("for (int i")[0]
    assert outputs(tmp_path, "new", [new], PRINT) == outputs(tmp_path, "old", [text], PRINT)
