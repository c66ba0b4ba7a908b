"""The rules of expansion one by one, and the command."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from hlspart.cli.app import run as command
from hlspart.expand.grid import place
from hlspart.expand.legality import Spread, judge
from hlspart.expand.region import build
from hlspart.model.expanding import Judgement
from tests.amounts import amount
from tests.expand.running import backwards, differing, open_text, plan_of, rotated

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


@pytest.mark.parametrize("row", json.loads((HERE / "grid.json").read_text())["rows"], ids=lambda r: str(r["extents"]))
def test_placement(row: dict) -> None:  # type: ignore[type-arg]
    found = place(row["extents"], row["grid"], [row["map"]] * len(row["extents"]), row["objective"])
    assert found is not None
    assert (list(found.space), list(found.time), found.active, found.steps) == (
        row["space"], row["time"], row["active"], row["steps"],
    )  # fmt: skip


def test_placements_that_must_be_even_or_of_one_step() -> None:
    found = place([5], [4, 4], ["cyclic"], even=True)
    assert found is not None and found.space == (1,)
    assert place([8, 8], [2, 2], ["cyclic", "cyclic"], time=False) is None


def judged(
    body: str, pes: int = 4, kind: str = "cyclic", order: str = "time-space", reassoc: bool = False
) -> Judgement:
    pipeline = open_text(
        f"int g; int other(int); int twice(int v) {{ return 2 * v; }}\n"
        f"void f(int a[64], int b[64], int c[16][16], float x[64], float *r) {{\n{body}\n}}\n"
    )
    loop = next(x for x in pipeline.program.loops.values() if x.name == "L")
    try:
        region = build(pipeline.program, pipeline.analysis, "f", (loop.id,))
    except Exception as refusal:
        return Judgement("refused", refusal.code, str(refusal))  # type: ignore[attr-defined]
    return judge(region, Spread((pes,), (kind,), order, reassoc))  # type: ignore[arg-type]


@pytest.mark.parametrize("pes", [2, 3, 4, 5, 6, 7, 8])
def test_a_distance_of_eight_is_legal_up_to_eight_elements(pes: int) -> None:
    body = "L: for (int i = 8; i < 64; i++) a[i] = a[i - 8];"
    assert judged(body, pes).verdict == "parallel"
    assert judged(body, 9).code == "dependence"
    assert judged(body, pes, "block").code == "dependence"


def test_a_systolic_nest_runs_in_lock_step_only() -> None:
    body = "L: for (int i = 1; i < 16; i++) for (int j = 1; j < 16; j++) c[i][j] = c[i - 1][j - 1] + 1;"
    assert judged(body).verdict == "parallel"
    assert judged(body).across == 1
    assert judged(body, order="space-time").code == "dependence"


def test_the_order_of_writes_counts() -> None:
    found = judged("L: for (int i = 0; i < 32; i++) for (int k = 0; k < 8; k++) b[i + k] = a[i] * k;")
    assert found.verdict == "illegal" and found.witness is not None
    source, sink = found.witness
    assert (source.kind, sink.kind) == ("write", "write")
    first, second = source.iteration, sink.iteration
    assert first["i"] + first["k"] == second["i"] + second["k"] and first["i"] % 4 != second["i"] % 4


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("int m = a[0], at = 0; L: for (int i = 0; i < 64; i++) if (a[i] > m) { m = a[i]; at = i; } b[0] = m + at;",
         "dependence"),
        ("int s = 0; L: for (int i = 0; i < 64; i++) { s = s + a[i]; if (s > 100) s = 100; } b[0] = s;", "dependence"),
        ("int d = 0; L: for (int i = 0; i < 64; i++) d = a[i] - d; b[0] = d;", "dependence"),
        ("int s = 0; L: for (int i = 0; i < 64; i++) { s += a[i]; b[i] = s; }", "dependence"),
        ("L: for (int i = 0; i < 64; i++) { if (a[i] < 0) break; b[i] = 1; }", "exit"),
        ("L: for (int i = 0; i < 64; i++) { if (a[i] < 0) return; b[i] = 1; }", "exit"),
        ("L: for (int i = 0; i < 64; i++) { if (a[i] < 0) continue; b[i] = 1; }", "exit"),
        ("L: for (int i = 0; i < 64; i++) b[i] = other(a[i]);", "call"),
        ("L: for (int i = 0; i < 64; i++) b[a[i] & 63] = i;", "non-affine"),
        ("L: for (int i = 0; i < 64; i++) { int n = a[i]; while (n > 1) n /= 2; b[i] = n; }", "trip-count"),
        ("volatile int v; L: for (int i = 0; i < 64; i++) { v = a[i]; b[i] = 1; }", "volatile"),
        ("L: for (int i = 0; i < 64; i++) { int *p = &a[i]; *p = 1; }", "pointer"),
        ("L: for (int i = 0; i < 64; i++) { static int n; b[i] = n++; }", "dependence"),
        ("float s = 0; L: for (int i = 0; i < 64; i++) s += x[i]; *r = s;", "reassociation"),
        ("float m = x[0]; L: for (int i = 0; i < 64; i++) if (x[i] > m) m = x[i]; *r = m;", "reassociation"),
        ("int s = 0; L: for (int i = 0; i < 64; i++) s += x[i]; b[0] = s;", "dependence"),
    ],
)  # fmt: skip
def test_what_is_not_expanded(body: str, code: str) -> None:
    found = judged(body)
    assert not found.legal and found.code == code, found


@pytest.mark.parametrize(
    ("body", "op"),
    [
        ("int s = 0; L: for (int i = 0; i < 64; i++) s += a[i]; b[0] = s;", "+"),
        ("int s = 0; L: for (int i = 0; i < 64; i++) s = s - a[i]; b[0] = s;", "+"),
        ("int s = 0; L: for (int i = 0; i < 64; i++) s = a[i] + s + 1; b[0] = s;", "+"),
        ("int s = 1; L: for (int i = 0; i < 64; i++) s *= a[i]; b[0] = s;", "*"),
        ("int s = 0; L: for (int i = 0; i < 64; i++) if (a[i] & 1) s++; b[0] = s;", "+"),
        ("int s = a[0]; L: for (int i = 0; i < 64; i++) if (a[i] > s) s = a[i]; b[0] = s;", "max"),
        ("int s = a[0]; L: for (int i = 0; i < 64; i++) s = s < a[i] ? s : a[i]; b[0] = s;", "min"),
        ("L: for (int i = 0; i < 64; i++) b[a[i] & 7]++;", "+"),
        ("L: for (int i = 0; i < 16; i++) for (int j = 0; j < 16; j++) b[j] += c[i][j];", "+"),
    ],
)
def test_reductions(body: str, op: str) -> None:
    found = judged(body)
    assert found.verdict == "reduction" and found.reductions[0].op == op


def test_own_copies_are_proved_by_coverage() -> None:
    whole = "int e[8]; L: for (int i = 0; i < 8; i++) { for (int j = 0; j < 8; j++) e[j] = a[8 * i + j];"
    assert judged(whole + " for (int j = 0; j < 8; j++) b[8 * i + j] = e[7 - j]; }").private[0].kind == "privatised"
    assert judged(whole + " for (int j = 0; j < 9; j++) b[8 * i] += e[j % 9 % 8]; }").legal
    partly = "int e[8]; L: for (int i = 0; i < 8; i++) { for (int j = 0; j < 7; j++) e[j] = a[8 * i + j];"
    found = judged(partly + " for (int j = 0; j < 8; j++) b[8 * i + j] = e[j]; }")
    assert found.code == "dependence"  # e[7] comes from outside
    wrong = "int e[8]; L: for (int i = 0; i < 8; i++) { if (a[i]) e[0] = a[i]; b[i] = e[0]; }"
    assert judged(wrong).code == "dependence"
    last = "int t; L: for (int i = 0; i < 64; i++) { t = a[i]; b[i] = t * t; } b[0] = t;"
    assert judged(last).private[0].kind == "last-value"


def test_functions_of_values_may_be_called() -> None:
    assert judged("L: for (int i = 0; i < 64; i++) b[i] = twice(a[i]);").legal


# ------------------------------------------------------------------------------------ the text


GEMM = """#define N 30
void f(int a[N][N], int b[N][N], int c[N][N]) {
rows:
    for (int i = 0; i < N; i++) {
        // one row
        for (int j = 0; j < N; j++) {
            int s = 0; /* sum */
            for (int k = 0; k < N; k++) {
#pragma HLS PIPELINE
                s += a[i][k] * b[k][j]; // MAC
            }
            c[i][j] = s;
        }
    }
}
"""


def test_statements_and_comments_stay() -> None:
    _, new = plan_of(open_text(GEMM), "rows", (5,))
    assert new is not None
    for piece in ("// one row", "/* sum */", "// MAC", "s_pe[i_p] += a[i][k] * b[k][j];", "#pragma HLS PIPELINE"):
        assert piece in new
    assert new.count("{") == new.count("}")


def test_a_guarded_load_that_all_elements_share_is_one_load() -> None:
    _, new = plan_of(open_text(GEMM), "rows", (4,))
    assert new is not None and "const int b_all = b[k][j];" in new and "if (i < N) {" in new


def test_no_loop_that_stays_one_is_inside_a_loop_over_elements() -> None:
    _, new = plan_of(open_text(GEMM), "rows", (4,))
    assert new is not None
    assert open_text(new).program.units[0].error is None
    depth: list[str] = []
    for line in new.splitlines():
        if line.strip().startswith(("for", "rows:")) and "{" in line:
            if "_p < " not in line and "_q" not in line:
                assert not any("_p < " in outer for outer in depth), line
            depth.append(line)
        elif line.strip().endswith("{"):
            depth.append(line)
        elif line.strip().startswith("}"):
            depth.pop()


def run(*args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The command in this process, in the folder ``cwd``."""
    out, err = io.BytesIO(), io.StringIO()
    with contextlib.chdir(cwd), contextlib.redirect_stderr(err):
        with contextlib.redirect_stdout(io.TextIOWrapper(out, write_through=True)) as text:
            code = command(args)
        text.detach()
    return subprocess.CompletedProcess(args, code, out.getvalue().decode(), err.getvalue())


@pytest.fixture
def gemm(tmp_path: Path) -> Path:
    (tmp_path / "gemm.c").write_text(GEMM)
    return tmp_path


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_the_command_writes_what_verify_finds_equal(gemm: Path) -> None:
    done = run("expand", "gemm.c", "--loop", "rows", "--pe", "5", "-o", "new.c", "--format", "json=r.json", cwd=gemm)
    assert done.returncode == 0, done.stderr
    region = json.loads((gemm / "r.json").read_text())["files"][0]["regions"][0]
    assert region["verdict"] == "parallel" and region["space"] == [5] and region["proof"]["across_pes"] == 0
    cycles = region["cycles"]
    assert cycles["after"] < cycles["before"] / 4.5
    banks = [(p["array"], p["dim"], p["type"], p["factor"]) for p in region["partition"]]
    assert banks == [("a", 1, "cyclic", 5), ("c", 1, "cyclic", 5)]
    assert region["proof"] == {"dependences": region["proof"]["dependences"], "across_pes": 0, "method": "integer sets"}
    again = run("ii", "new.c", "--format", "json", cwd=gemm)
    loops = json.loads(again.stdout)["files"][0]["loops"]
    assert max(x["ii"] for x in loops if x["pipelined"]) == 1
    assert run("verify", "gemm.c", "new.c", "--top", "f", "--vectors", "5", cwd=gemm).returncode == 0
    second = run("expand", "new.c", "--loop", "rows", "--pe", "5", "-o", "third.c", cwd=gemm)
    assert second.returncode == 0 and (gemm / "third.c").read_text() == (gemm / "new.c").read_text()


def test_pragma_and_option_write_the_same(gemm: Path) -> None:
    text = GEMM.replace("        // one row\n", "#pragma hlspart expand pe=5\n        // one row\n")
    (gemm / "pragma.c").write_text(text)
    assert run("expand", "pragma.c", "-o", "one.c", cwd=gemm).returncode == 0
    assert run("expand", "gemm.c", "--loop", "rows", "--pe", "5", "-o", "two.c", cwd=gemm).returncode == 0
    assert (gemm / "one.c").read_text() == (gemm / "two.c").read_text()
    assert run("expand", "one.c", "--loop", "rows", "--pe", "5", "-o", "three.c", cwd=gemm).returncode == 0
    assert (gemm / "three.c").read_text() == (gemm / "one.c").read_text()


@pytest.mark.parametrize(
    ("pragma", "said"),
    [
        ("expand pes=4", "did you mean pe?"),
        ("expand pe=4 map=cylic", "did you mean cyclic?"),
        ("expand pe=0", "no number of elements"),
        ("expand map=block", "it needs pe= or grid="),
        ("expand pe=4 pe=8", "given twice"),
        ("expand pe=4 reassoc=1", "takes no value"),
    ],
)
def test_pragmas_that_say_nothing(gemm: Path, pragma: str, said: str) -> None:
    (gemm / "bad.c").write_text(GEMM.replace("        // one row\n", f"#pragma hlspart {pragma}\n"))
    done = run("expand", "bad.c", "-o", "new.c", cwd=gemm)
    assert done.returncode == 1 and said in done.stderr and "bad.c:5:1: error" in done.stderr
    assert (gemm / "new.c").read_text() == (gemm / "bad.c").read_text()


def test_an_illegal_region_keeps_its_text(tmp_path: Path) -> None:
    text = "void f(int a[64]) {\n    L: for (int i = 1; i < 64; i++) a[i] = a[i - 1];\n}\n"
    (tmp_path / "bad.c").write_text(text)
    done = run("expand", "bad.c", "--loop", "L", "--pe", "4", "-o", "new.c", cwd=tmp_path)
    assert done.returncode == 1 and (tmp_path / "new.c").read_text() == text
    assert "2:37" in done.stderr and "2:44" in done.stderr and "i = 1" in done.stderr


@pytest.mark.parametrize(
    "args",
    [
        ("--loop", "nowhere", "--pe", "4"), ("--loop", "rows", "--pe", "0"), ("--loop", "rows", "--pe", "x"),
        ("--loop", "rows", "--grid", "4x"), ("--loop", "rows", "--pe", "4", "--grid", "4x4"), (),
        ("--loop", "rows", "--pe", "4", "--mem", "L1"), ("--loop", "rows", "--pe", "4", "--sweep", "1,,2"),
    ],
)  # fmt: skip
def test_usage_errors(gemm: Path, args: tuple[str, ...]) -> None:
    done = run("expand", "gemm.c", *args, "-o", "new.c", cwd=gemm)
    assert done.returncode == 2 and "error:" in done.stderr and not (gemm / "new.c").exists()


def test_plan_writes_nothing_and_judges_every_loop(gemm: Path) -> None:
    done = run("expand", "gemm.c", "--plan", "--format", "json", cwd=gemm)
    regions = json.loads(done.stdout)["files"][0]["regions"]
    assert [r["verdict"] for r in regions] == ["parallel", "parallel", "reduction"]
    assert done.returncode == 0 and sorted(p.name for p in gemm.iterdir()) == ["gemm.c"]


def test_invalid_placements(gemm: Path) -> None:
    done = run("expand", "gemm.c", "--loop", "rows", "--grid", "2x2", "--no-time-tile", "-o", "new.c", cwd=gemm)
    assert done.returncode == 1 and "needs 30, grid 2x2" in done.stderr


def test_partials_in_turn_reach_ii_one(tmp_path: Path) -> None:
    (tmp_path / "dot.c").write_text(
        "float dot(const float a[256], const float b[256]) {\n    float s = 0;\n"
        "L: for (int i = 0; i < 256; i++) {\n#pragma HLS PIPELINE\n        s += a[i] * b[i];\n    }\n    return s;\n}\n"
    )
    done = run("expand", "dot.c", "--loop", "L", "--pe", "4", "--allow-reassoc", "-o", "new.c", "--format",
               "json=r.json", cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    region = json.loads((tmp_path / "r.json").read_text())["files"][0]["regions"][0]
    assert region["ii"]["before"] == 3 and region["ii"]["after"] == 1
    assert region["reductions"][0]["interleave"] == 3 and region["cycles"]["after"] <= 115


def test_staged_arrays_are_copied_in_and_out(gemm: Path) -> None:
    done = run("expand", "gemm.c", "--loop", "rows", "--pe", "5", "--stage", "a,c", "--mem", "L1=4KiB", "-o", "new.c",
               "--format", "json=r.json", cwd=gemm)  # fmt: skip
    assert done.returncode == 0, done.stderr
    staged = json.loads((gemm / "r.json").read_text())["files"][0]["regions"][0]["staged"]
    assert [(s["buffer"], s["words_per_pe"]) for s in staged] == [("a_l1", 180), ("c_l1", 180)]
    new = (gemm / "new.c").read_text()
    assert "a_l1[i][k] * b[k][j]" in new and "c[c_i0" in new
    args = ("--loop", "rows", "--pe", "5", "--stage", "a", "--mem", "L1=64B", "-o", "x.c")
    small = run("expand", "gemm.c", *args, cwd=gemm)
    assert small.returncode == 1 and "L1 has 64" in small.stderr


def test_lint_knows_the_pragma(gemm: Path) -> None:
    bad = """void f(int a[64]) {
    L: for (int i = 1; i < 64; i++) {
#pragma hlspart expand pe=4
        a[i] = a[i - 1];
    }
}
"""
    (gemm / "bad.c").write_text(bad)
    done = run("lint", "bad.c", "--format", "concise", "--no-cache", cwd=gemm)
    assert done.returncode == 1 and "HLP501" in done.stdout and "i = 1" in done.stdout
    (gemm / "good.c").write_text(bad.replace("i = 1;", "i = 4;").replace("a[i - 1]", "a[i - 4]"))
    assert "HLP501" not in run("lint", "good.c", "--format", "concise", "--no-cache", cwd=gemm).stdout


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_two_loops_at_once(tmp_path: Path) -> None:
    text = """void f(int a[64], int b[64], int c[24][24], int o[2]) {
    int last = 0;
    L: for (int i = 0; i < 7; i++) {
        M: for (int j = 0; j < 5; j++) {
            int s = 0;
            for (int k = 0; k < 4; k++) s += a[i + k] * b[j + k];
            c[i][j] = s;
            last = s;
        }
    }
    o[0] = last;
}
"""
    pairs = []
    for pes in ((2, 3), (7, 1), (1, 5), (4, 4)):
        for maps in (("cyclic", "cyclic"), ("block", "cyclic"), ("cyclic", "block")):
            plan, new = plan_of(open_text(text), "L,M", pes, maps=maps)
            assert new is not None, plan.expansion.judgement
            pairs.append((f"{pes} {maps}", text, new))
    assert differing(pairs, tmp_path) == []


def test_lint_gives_no_advice_against_the_banks_of_expanded_loops(gemm: Path) -> None:
    """One bank for each element: fewer may reach the II, and none may change it, but the elements would share."""
    source = gemm / "sums.c"
    source.write_text(
        "void mm(int A[16][16], int B[16][16], int C[16][16]) {\n"
        "  ROW: for (int i = 0; i < 16; i++) {\n    for (int j = 0; j < 16; j++) {\n      int s = 0;\n"
        "      for (int k = 0; k < 16; k++) {\n#pragma HLS PIPELINE\n        s += A[i][k] * B[k][j];\n      }\n"
        "      C[i][j] = s;\n    }\n  }\n}\n"
    )
    assert run("expand", "sums.c", "--loop", "ROW", "--pe", "4", "-o", "out.c", cwd=gemm).returncode == 0
    found = run("lint", "out.c", "--format", "concise", "--no-cache", cwd=gemm).stdout
    assert "HLP301" not in found and "HLP302" not in found
    plain = (gemm / "out.c").read_text().replace("/* hlspart expand pe=4 */", "")
    (gemm / "plain.c").write_text(plain)
    assert "HLP302" in run("lint", "plain.c", "--format", "concise", "--no-cache", cwd=gemm).stdout


@pytest.mark.parametrize(("pes", "after"), [(2, 3457), (4, 1729), (24, 290)][: amount(1, 3)])
def test_a_loop_that_the_tool_pipelined_by_itself_stays_pipelined(gemm: Path, pes: int, after: int) -> None:
    """24 products a cycle before, as many for each element after; the pragma names the II, so that none is missed."""
    (gemm / "auto.c").write_text(
        "void mm(int A[24][24], int B[24][24], int C[24][24]) {\n"
        "  ROW: for (int i = 0; i < 24; i++) {\n    for (int j = 0; j < 24; j++) {\n      int s = 0;\n"
        "      for (int k = 0; k < 24; k++) s += A[i][k] * B[k][j];\n      C[i][j] = s;\n    }\n  }\n}\n"
    )
    done = run("expand", "auto.c", "--loop", "ROW", "--pe", str(pes), "-o", "out.c", cwd=gemm)
    assert f"cycles 6913 -> {after} " in done.stdout and "II 12 -> 12" in done.stdout
    assert (gemm / "out.c").read_text().count("#pragma HLS PIPELINE II=12\n") == 1
    assert run("lint", "out.c", "--format", "concise", "--no-cache", cwd=gemm).stdout == ""
    assert run("verify", "auto.c", "out.c", "--top", "mm", "--vectors", "5", cwd=gemm).returncode == 0


def test_banks_by_inference_where_the_rule_has_none(gemm: Path) -> None:
    """Rows of a 3 x 3 window: the row r + y is no c * r + k. A partition of s_pe stands in all four texts."""
    (gemm / "w.c").write_text(
        "void w(int in[34][34], int k[3][3], int out[32][32]) {\n"
        "  R: for (int r = 0; r < 32; r++)\n    for (int c = 0; c < 32; c++) {\n      int s = 0;\n"
        "      for (int y = 0; y < 3; y++) for (int x = 0; x < 3; x++) s += in[r + y][c + x] * k[y][x];\n"
        "      out[r][c] = s;\n    }\n}\n"
    )
    cycles, lines = {}, {}
    for source in amount(("rule", "auto"), ("none", "rule", "infer", "auto")):
        done = run("expand", "w.c", "--loop", "R", "--pe", "4", "--partition", source, "-o", "o.c", "--format", "json",
                   cwd=gemm)  # fmt: skip
        region = json.loads(done.stdout)["files"][0]["regions"][0]
        text = (gemm / "o.c").read_text()
        cycles[source], lines[source] = region["cycles"]["after"], text.lower().count("array_partition") - 1
        assert len(region["partition"]) == lines[source]
        again = json.loads(run("ii", "o.c", "--format", "json", cwd=gemm).stdout)["files"][0]["loops"]
        assert [x["latency"]["max"] for x in again] == [region["cycles"]["after"]]
    assert cycles["auto"] == cycles.get("infer", cycles["auto"]) < cycles["rule"]
    assert lines["auto"] == lines.get("infer", lines["auto"]) > 0
    assert run("verify", "w.c", "o.c", "--top", "w", "--vectors", "5", cwd=gemm).returncode == 0


def test_a_loop_in_a_pipelined_function(gemm: Path) -> None:
    text = (
        "void f(int a[24], int b[24]) {\n#pragma HLS PIPELINE\n  L: for (int i = 0; i < 24; i++) b[i] = a[i] + 1;\n}\n"
    )
    (gemm / "p.c").write_text(text)
    done = run("expand", "p.c", "--loop", "L", "--pe", "3", "-o", "out.c", cwd=gemm)
    assert done.returncode == 0, done.stderr
    assert run("verify", "p.c", "out.c", "--top", "f", "--vectors", "5", cwd=gemm).returncode == 0


def test_a_sweep_has_intervals_where_the_prediction_has(gemm: Path) -> None:
    """A row of softmax takes 354 or 355 cycles, as the tool may know its maximum; a plan writes nothing."""
    sample = str(ROOT / "samples/softmax.c")
    done = run("expand", sample, "--loop", "EACH_ROW", "--plan", "--sweep", "1,4", "--format", "json", cwd=gemm)
    assert done.returncode == 0, done.stderr
    region = json.loads(done.stdout)["files"][0]["regions"][0]
    one, four = region["sweep"]
    assert one["cycles"] is None and one["bounds"]["cycles"] == {"min": 40 * 354, "max": 40 * 355}
    assert (one["ii"], one["dsp"]) == (3, 11)
    assert one["cause"] == "whether the tool knows the last value of r behind its loop is not known"
    assert four["cause"] is not None
    low, high = (four["bounds"]["cycles"][k] for k in ("min", "max"))
    assert low == high == 40 * 356 / 4
    assert four["bounds"]["efficiency"] == {"min": round(354 / 356, 3), "max": round(355 / 356, 3)}
    assert four["efficiency"] is None and [p.name for p in gemm.iterdir()] == ["gemm.c"]


def test_sums_into_an_element_while_others_of_its_array_are_read(gemm: Path) -> None:
    """Forward substitution: x[j] is another element than x[i], which has partials."""
    text = (
        "void solve(int l[40][40], int x[40], int b[40]) {\n  for (int i = 0; i < 40; i++) {\n    x[i] = b[i];\n"
        "    SUM: for (int j = 0; j < i; j++) x[i] -= l[i][j] * x[j];\n  }\n}\n"
    )
    (gemm / "solve.c").write_text(text)
    assert run("expand", "solve.c", "--loop", "SUM", "--pe", "3", "-o", "out.c", cwd=gemm).returncode == 0
    out = (gemm / "out.c").read_text()
    assert "x_part[j_p] -= l[i][j] * x[j];" in out
    for name, version in (("back.c", backwards(out)), ("turn.c", rotated(out)), ("out.c", out)):
        (gemm / name).write_text(version)
        done = run("verify", "solve.c", name, "--top", "solve", "--vectors", "5", cwd=gemm)
        assert done.returncode == 0, done.stdout
    (gemm / "meets.c").write_text(text.replace("j < i", "j <= i"))
    done = run("expand", "meets.c", "--loop", "SUM", "--pe", "3", cwd=gemm)
    assert done.returncode == 1 and "illegal" in done.stderr and "x: iteration i = 1, j = 1" in done.stderr


@pytest.mark.parametrize(("body", "loop"), [
    # in a loop around it: an iteration's cycles and the function's are different things
    ("OUT: for (int t = 0; t < 10; t++) {\n IN: for (int i = 0; i < 24; i++) {\n#pragma HLS PIPELINE II=1\n"
     " b[i] = a[i] + t; }\n b[0] = t; }", "IN"),
    # the loop beside it runs at the same time, and banks help it too
    ("FIRST: for (int i = 0; i < 21; i++) {\n#pragma HLS PIPELINE II=1\n"
     " b[i] = a[i] + a[i + 1] + a[i + 2] + a[i + 3]; }\n"
     "L: for (int i = 0; i < 24; i++) {\n#pragma HLS PIPELINE II=1\n c[i] = a[i] * 3; }", "L"),
])  # fmt: skip
def test_cycles_before_and_after_are_those_of_one_thing(gemm: Path, body: str, loop: str) -> None:
    """Each element takes every fourth iteration, so nothing gets more than four times as fast."""
    (gemm / "n.c").write_text(f"void f(int a[24], int b[24], int c[24]) {{\n {body}\n}}\n")
    done = run("expand", "n.c", "--loop", loop, "--pe", "4", "-o", "no.c", "--format", "json", cwd=gemm)
    cycles = json.loads(done.stdout)["files"][0]["regions"][0]["cycles"]
    assert cycles["before"] > cycles["after"] >= cycles["before"] / 4
