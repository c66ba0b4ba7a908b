"""Unrolling in the text: for banks that are decided only then, and in front of bank-centric code."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hlspart.model.options import Options, RewriteOptions
from hlspart.model.rewriting import RewriteResult
from hlspart.pipeline import Pipeline
from hlspart.verification import VerifyOptions, verify
from tests.amounts import amount

REMAINDER = """int f(int in[22], int x)
{
    int A[22], i;
#pragma HLS array_partition variable=A type=cyclic factor=4
    LOAD: for (int k = 0; k < 22; k++) {
#pragma HLS unroll factor=4
        A[k] = in[k]; /* one */
    }
    for (i = 20; i >= 1; i -= 2)
        x += A[i + 1] * i;
    for (int k = 0; k < 4; k++)
        A[4 * k + 1]++;
    return x + A[5] + i;
}
"""

WINDOW = """void conv(int in[9][9], int out[9][9])
{
    int A[9][9], K[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
#pragma HLS array_partition variable=A cyclic factor=3 dim=0
#pragma HLS array_partition variable=K complete dim=0
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++)
            A[i][j] = in[i][j];
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++) {
#pragma HLS pipeline II=1
            int acc = 0;
            for (int u = 0; u < 3; u++)
                for (int v = 0; v < 3; v++)
                    acc += A[i + u][j + v] * K[u][v];
            out[i][j] = acc;
        }
}
"""


def rewritten(text: str, folder: Path, **options: object) -> tuple[RewriteResult, Pipeline]:
    """The result, and the pipeline over its output, which equals the original."""
    old, new = folder / "old.c", folder / "new.c"
    old.write_text(text)
    result = Pipeline([str(old)], Options()).rewrite(RewriteOptions(**options))  # type: ignore[arg-type]
    new.write_text(result.files[str(old)])
    answer = verify(str(old), str(new), VerifyOptions(vectors=8, map=result.map_json()))
    assert answer.status == "equal", answer.message
    return result, Pipeline([str(new)], Options())


def test_split_unrolls_where_banks_need_it(tmp_path: Path) -> None:
    plain, _ = rewritten(REMAINDER, tmp_path, style="split")
    assert [(o.status, o.code) for o in plain.outcomes] == [("refused", "dynamic-bank")]
    assert plain.files[str(tmp_path / "old.c")] == REMAINDER
    result, _ = rewritten(REMAINDER, tmp_path, style="split", unroll=True)
    assert [o.status for o in result.outcomes] == ["rewritten"]
    new = result.files[str(tmp_path / "old.c")]
    assert "LOAD: for (int k = 0; k < 20; k += 4)" in new and "i -= 4" in new
    assert new.count("A_0[k / 4] = in[k]") == 1 and "A_1[5] = in[21]" in new  # 22 = 5 * 4 + 2
    assert "A_3[k / 4] = in[(k + 3)]" in new and "hls unroll" not in new.lower()
    assert "for (int k = 0; k < 4; k++)" in new  # no need here


def test_window_reaches_the_interval_of_its_banks(tmp_path: Path) -> None:
    (tmp_path / "old.c").write_text(WINDOW)
    (before,) = (loop for loop in Pipeline([str(tmp_path / "old.c")], Options()).ii.loops if loop.target_ii == 1)
    assert before.ii is not None and before.ii > 1 and before.ideal_ii == 1
    result, output = rewritten(WINDOW, tmp_path)
    assert {o.arrays: o.status for o in result.outcomes} == {("A",): "rewritten", ("K",): "kept"}
    pipelined = [loop for loop in output.ii.loops if loop.target_ii == 1]
    assert [loop.ii for loop in pipelined] == [1]


REVERSED = """int f(int in[64], int out[33], int n)
{
    int A[64], i, k;
    if (n < 0 || n > 27) n = 27;
    for (i = 0; i < 64; i++) A[i] = in[i];
    for (k = 2; k < 30; k++) {
        int s = 0;
        L: for (HEADER) {
#pragma HLS PIPELINE II=1
#pragma HLS UNROLL factor=4
            s += A[i] * A[k + 30 - i];
        }
        out[k] = s;
    }
    return out[n];
}
"""


@pytest.mark.parametrize(
    "header",
    ["i = 0; i < k; i++", "i = k; i >= 0; i--", "i = 1; i <= k; i += 2", "i = 0; k > i; ++i", "i = 0; i < 30; i++"][
        :: amount(2, 1)
    ],
)
def test_unrolled_pipelines_are_written_out_under_their_test(header: str, tmp_path: Path) -> None:
    """Copies that lie behind the last iteration do nothing, as those of the tool."""
    text = REVERSED.replace("HEADER", header)
    result, output = rewritten(text, tmp_path, infer=True)
    assert "rewritten" in [o.status for o in result.outcomes]
    new = result.files[str(tmp_path / "old.c")]
    assert "HLS UNROLL" not in new and new.count("s += A_v") == 4
    (loop,) = (x for x in output.ii.loops if x.label == "L")
    (before,) = (x for x in Pipeline([str(tmp_path / "old.c")], Options()).ii.loops if x.label == "L")
    assert loop.ii is not None and loop.ii < max(bank.ii for bank in before.banks)
    assert loop.trip_count == before.trip_count


def test_iterators_that_are_read_behind_the_loop_are_not_moved_beyond_it(tmp_path: Path) -> None:
    text = REVERSED.replace("HEADER", "i = 0; i < k; i++").replace("out[k] = s", "out[k] = s + i")
    result, _ = rewritten(text, tmp_path, infer=True)
    assert "i += 4" not in result.files[str(tmp_path / "old.c")]


STENCILS = {  # pattern -> (rank, offsets, banks at one access per bank, alpha)
    "five-point": (((0, 0), (0, 1), (0, -1), (1, 0), (-1, 0)), 5, (1, 2)),
    "nine-point box": (tuple((i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)), 9, (3, 1)),
    "LoG": (
        (
            (0, 0), (0, 1), (0, -1), (1, 0), (-1, 0), (0, 2), (0, -2), (2, 0), (-2, 0),
            (1, 1), (1, -1), (-1, 1), (-1, -1),
        ),
        13,
        (1, 8),
    ),
    "star 3-D": (((0, 0, 0), (0, 0, 1), (0, 0, -1), (0, 1, 0), (0, -1, 0), (1, 0, 0), (-1, 0, 0)), 7, (1, 2, 3)),
}  # fmt: skip


def stencil(offsets: tuple[tuple[int, ...], ...]) -> str:
    rank, n = len(offsets[0]), 12 if len(offsets[0]) == 2 else 7
    dims = f"[{n}]" * rank
    names = "ijk"[:rank]
    here = "".join(f"[{x}]" for x in names)
    terms = ["A" + "".join(f"[{x} + {d}]" if d else f"[{x}]" for x, d in zip(names, o, strict=True)) for o in offsets]
    reads = " + ".join(terms)
    reads = reads.replace("+ -", "- ")
    loops = "".join(f"for (int {x} = 0; {x} < {n}; {x}++) " for x in names)
    inner = "".join(f"for (int {x} = 2; {x} < {n - 2}; {x}++) " for x in names)
    return (
        f"void s(int in{dims}, int out{dims})\n{{\n    int A{dims};\n    {loops}A{here} = in{here};\n"
        f"    {inner}{{\n#pragma HLS pipeline II=1\n        out{here} = {reads};\n    }}\n}}\n"
    )


@pytest.mark.parametrize("name", STENCILS)
def test_stencils_at_their_least_banks(name: str, tmp_path: Path) -> None:
    """One load per bank in the text, interval 1 on the output as a tool sees it, equal results."""
    from rewrite_help import analysed

    from hlspart.layouts.lattice import linear
    from hlspart.rewrite import rewrite

    offsets, banks, alpha = STENCILS[name]
    text = stencil(offsets)
    program, analysis, validation = analysed(text)
    array = next(v for v in program.arrays() if v.name == "A")
    shape = tuple(d for d in array.dims if d is not None)
    layouts = {analysis.group_of[array.id]: linear(shape, alpha, banks)}
    result = rewrite(program, analysis, validation, RewriteOptions(), layouts=layouts)
    old, new = tmp_path / "old.c", tmp_path / "new.c"
    old.write_text(text)
    new.write_text(result.files["p.c"])
    body = result.files["p.c"].split("#pragma HLS pipeline")[1]
    assert all(body.count(f"= A_{b}[") == 1 for b in range(banks)) and "%" not in body
    assert verify(str(old), str(new), VerifyOptions(vectors=8)).status == "equal"
    loops = [loop for loop in Pipeline([str(new)], Options()).ii.loops if loop.target_ii == 1]
    assert [loop.ii for loop in loops] == [1]


IN_PLACE = {  # statement -> interval of the output
    "A[i][j] = in[i][j]; A[i - 1][j] = 2; A[i][j - 1] = 3;": 1,
    "A[i][j] += A[i][j + 6];": 1,
    "A[i][j] = A[i][j] + A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1];": None,  # a true recurrence
}


@pytest.mark.parametrize("statement", IN_PLACE)
def test_stores_and_read_modify_write(statement: str, tmp_path: Path) -> None:
    """DEPENDENCE false stands only where no element is written in one iteration and touched in another."""
    from rewrite_help import banked_as

    from hlspart.layouts.lattice import linear

    text = (
        "void s(int in[12][12], int out[12][12])\n{\n    int A[12][12] = {{7}};\n"
        "    for (int i = 0; i < 12; i++) for (int j = 0; j < 12; j++) A[i][j] = in[i][j];\n"
        "    for (int i = 1; i < 11; i++) for (int j = 1; j < 6; j++) {\n#pragma HLS pipeline II=1\n"
        f"        {statement}\n    }}\n"
        "    for (int i = 0; i < 12; i++) for (int j = 0; j < 12; j++) out[i][j] = A[i][j];\n}\n"
    )
    result = banked_as(text, "A", linear((12, 12), (1, 2), 5))
    assert [o.status for o in result.outcomes] == ["rewritten"]
    old, new = tmp_path / "old.c", tmp_path / "new.c"
    old.write_text(text)
    new.write_text(result.files["p.c"])
    assert verify(str(old), str(new), VerifyOptions(vectors=8)).status == "equal"
    (loop,) = (loop for loop in Pipeline([str(new)], Options()).ii.loops if loop.target_ii == 1)
    wanted = IN_PLACE[statement]
    claims = result.files["p.c"].count("dependent=false")
    if wanted is None:
        assert claims == 0 and loop.ii is not None and loop.ii > 1
    else:
        assert loop.ii == wanted and claims == (5 if "+=" in statement else 0)


@pytest.mark.parametrize(("header", "claims"), [("i = 8; i < 40; i++", 5), ("i = 39; i >= 8; i--", 0)])
def test_loads_that_come_before_all_stores_of_their_elements(header: str, claims: int, tmp_path: Path) -> None:
    """Iteration i stores element i - 8, which iterations of lower i have loaded: going down, the loads come later."""
    from rewrite_help import banked_as

    from hlspart.layouts.lattice import linear

    text = (
        "void s(int in[64], int out[64])\n{\n    int A[64];\n    for (int i = 0; i < 64; i++) A[i] = in[i];\n"
        f"    for (int {header}) {{\n#pragma HLS pipeline II=1\n"
        "        int v = A[i] + A[i + 1] + A[i + 2];\n        A[i - 8] = v;\n    }\n"
        "    for (int i = 0; i < 64; i++) out[i] = A[i];\n}\n"
    )
    result = banked_as(text, "A", linear((64,), (1,), 5))
    assert [o.status for o in result.outcomes] == ["rewritten"]
    assert result.files["p.c"].count("type=inter direction=RAW dependent=false") == claims
    old, new = tmp_path / "old.c", tmp_path / "new.c"
    old.write_text(text)
    new.write_text(result.files["p.c"])
    assert verify(str(old), str(new), VerifyOptions(vectors=8)).status == "equal"
    (loop,) = (loop for loop in Pipeline([str(new)], Options()).ii.loops if loop.target_ii == 1)
    assert loop.ii == 1 or not claims


def test_a_loop_whose_pragma_stands_before_a_statement_without_braces() -> None:
    text = """int k(int r)
{
    int A[8];
#pragma HLS array_partition variable=A type=cyclic factor=2
    for (int i = 0; i < 8; i++)
#pragma HLS unroll factor=2
        A[i] = i;
    return r + A[5];
}
"""
    new = Pipeline(["p.c"], Options(), lambda _: text.encode()).rewrite(RewriteOptions(style="split", unroll=True))
    assert (
        "for (int i = 0; i < 8; i += 2) {\n    { A_0[i / 2] = i; }\n    { A_1[i / 2] = (i + 1); } }" in new.files["p.c"]
    )


def test_only_the_loops_that_decide_a_bank_are_written_out(tmp_path: Path) -> None:
    text = """int k(const int in[6][3])
{
    int M[6][3], A[9], F[6], s = 0;
#pragma HLS array_partition variable=M type=cyclic factor=2 dim=1
#pragma HLS array_partition variable=A type=cyclic factor=4
#pragma HLS array_partition variable=F type=block factor=2
    for (int i = 0; i < 6; i++) for (int j = 0; j < 3; j++) M[i][j] = in[i][j];
    for (int i = 0; i < 9; i++) A[i] = 3 * i;
    for (int i = 0; i < 6; i++) for (int j = 0; j < 2; j++) s += M[i][j] ^ A[i + 2 * j];
    for (int i = 0; i < 6; i++) F[i] = s;
    while (s > 50) s -= F[5];
    return s;
}
"""
    result = Pipeline(["p.c"], Options(), lambda _: text.encode()).rewrite(RewriteOptions(style="split", unroll=True))
    assert {o.arrays: o.code for o in result.outcomes} == {("M",): None, ("A",): None, ("F",): "dynamic-bank"}
    new = result.files["p.c"]
    assert "for (int i = 0; i < 6; i += 2) {" in new and "{ for (int j = 0; j < 3; j++) M_1[i / 2][j] = " in new
    assert "for (int i = 0; i < 6; i++) F[i] = s;" in new and "#pragma HLS array_partition variable=F" in new
    (tmp_path / "old.c").write_text(text)
    (tmp_path / "new.c").write_text(new)
    compared = verify(str(tmp_path / "old.c"), str(tmp_path / "new.c"), VerifyOptions(top="k", vectors=8))
    assert compared.status == "equal", compared.message


def test_arrays_of_a_loop_that_is_written_out_keep_their_partitions(tmp_path: Path) -> None:
    """Each copy of the body has an array of its own, banked like the others; nothing is left for a second run."""
    text = """\
int k(int in[32])
{
  int s = 0;
  for (int a = 0; a < 4; a++) {
#pragma HLS PIPELINE
    for (int b = 0; b < 3; b++) {
      int l[4];
#pragma HLS ARRAY_PARTITION variable=l cyclic factor=2
      for (int i = 0; i < 4; i++) l[i] = in[i] + b;
      s += l[b] + l[3];
    }
  }
  return s;
}
"""

    def written(given: str) -> RewriteResult:
        return Pipeline(["p.c"], Options(), lambda _: given.encode()).rewrite(RewriteOptions(style="crossbar"))

    result = written(text)
    new = result.files["p.c"]
    assert [o.status for o in result.outcomes if "l" in o.arrays] == ["rewritten"] * 3
    assert "ARRAY_PARTITION" not in new and new.count("int l_0[2], l_1[2];") == 3 and "_BANK" not in new
    assert written(new).files["p.c"] == new


def test_the_size_of_an_element_in_a_loop_that_is_written_out(tmp_path: Path) -> None:
    """The operand stands in the copies alone: both arrays are split, and nothing is left for a second run."""
    text = """int f(int in[19], int x) {
    short A[16] = {5}, C[19];
#pragma HLS array_partition variable=A type=cyclic factor=2
#pragma HLS array_partition variable=C type=cyclic factor=3
    for (int z = 0; z < 19; z++) C[z] = in[z];
    for (unsigned i = 0; i < 2; i++) {
        x += (int)sizeof C[i + 17] & 3;
        A[i + 6] = x;
    }
    return x + A[6] + C[4];
}
"""
    result, pipeline = rewritten(text, tmp_path, style="split", unroll=True)
    assert [o.status for o in result.outcomes] == ["rewritten", "rewritten"]
    assert pipeline.rewrite(RewriteOptions(style="split", unroll=True)).outcomes == ()


def test_an_iterator_that_nothing_reads_any_more_is_no_warning(tmp_path: Path) -> None:
    """The first of two loops is written out beside one that reads the iterator, the second beside none."""
    text = """int fir(const int x[40], int y[40])
{
    int d[44] = {0}, top = 0, i;
#pragma HLS array_partition variable=d cyclic factor=4
    for (i = 0; i < 40; i++) d[i + 4] = x[i];
    for (i = 0; i < 36; i += 4) {
        unsigned char k, n;
        for (k = 0; k < 4; k++) y[i + k] = d[i + k];
        for (k = 0; k < 4; k++) y[i + k] += 3 * d[i + k + 4];
        for (n = 0; n < 2; n++) top += d[i + n];
        top += n;
    }
    return top;
}
"""
    result, _ = rewritten(text, tmp_path, style="split", unroll=True)
    (new,) = result.files.values()
    assert [o.status for o in result.outcomes] == ["rewritten"] and "k < 4" not in new
    assert new.count("k = 4;") == 2 and new.count("(void)k;") == 1 and "(void)n" not in new
    path = str(tmp_path / "new.c")
    for flags in (["-Wall", "-Wextra"], ["-Wall", "-O2"]):
        built = ["gcc", *flags, "-Werror", "-Wno-unknown-pragmas", "-c", path, "-o", "/dev/null"]
        assert subprocess.run(built, capture_output=True, text=True, check=False).stderr == ""


def test_the_type_of_an_iterator_that_is_declared_by_its_value(tmp_path: Path) -> None:
    """No cast can say ``auto``: below 1 an unsigned ``i - 1`` is large in each copy."""
    text = """int size(int) { return 1; } int size(unsigned) { return 2; } int size(long) { return 3; }
void k(const int in[16], int out[16])
{
    int A[16];
#pragma HLS array_partition variable=A cyclic factor=4
    for (auto i = 0u; i < 16; ++i) A[i] = in[i] + (i - 1 < 2) * 8 + size(i);
    for (const auto *p = in; p != in; ++p) A[0]++;
    for (auto i = 15l; i >= 0; --i) out[i] = A[i] + size(i);
}
"""
    (tmp_path / "old.cpp").write_text(text)
    pipeline = Pipeline([str(tmp_path / "old.cpp")], Options())
    result = pipeline.rewrite(RewriteOptions(style="split", unroll=True))
    (new,) = result.files.values()
    assert "A_3[" in new and [o.status for o in result.outcomes] == ["rewritten"]
    (tmp_path / "new.cpp").write_text(new)
    answer = verify(str(tmp_path / "old.cpp"), str(tmp_path / "new.cpp"), VerifyOptions(top="k", vectors=2))
    assert answer.status == "equal", answer.message
