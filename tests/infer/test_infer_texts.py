"""What inference writes: pragmas at their place, diffs, directive files, each read back."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from inferring import FAR, MATMUL, OVER, UNROLLED, WINDOW, array, iis, pasted, pipeline, run

from hlspart.cli.app import run as run_cli
from hlspart.infer.emission import emit
from hlspart.model.options import InferOptions
from hlspart.render import shapes
from hlspart.render import text as render


@pytest.mark.parametrize("text", [UNROLLED, FAR, MATMUL])
def test_pasted_pragmas_give_the_promise_and_nothing_more_is_inferred(text: str) -> None:
    new = pasted(text)
    assert new != text
    assert set(iis(new).values()) == {1}
    assert pasted(new) == new


def test_in_place_text_is_exact() -> None:
    assert pasted(FAR) == FAR.replace(
        "    int A[32];\n", "    int A[32];\n    #pragma HLS array_partition variable=A type=block factor=2 dim=1\n"
    )
    assert pasted(UNROLLED).startswith(
        "void k(int A[64], int out[16])\n{\n#pragma HLS array_partition".replace("\n#", "\n    #")
    )


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("cfg", "[hls]\nsyn.directive.array_partition=k A type=cyclic factor=2 dim=1\n"),
        ("tcl", 'set_directive_array_partition -type cyclic -factor 2 -dim 1 "k" A\n'),
        (
            "smarthls",
            "// k.c:1: A: at the start of k\n#pragma HLS memory partition argument(A) type(cyclic) dim(1) factor(2)\n",
        ),
        (
            "pragma",
            "// k.c:1: A: at the start of k\n#pragma HLS array_partition variable=A type=cyclic factor=2 dim=1\n",
        ),
    ],
)
def test_emitted_forms(form: str, expected: str) -> None:
    p = pipeline(UNROLLED)
    assert emit(p.program, p.infer(InferOptions()), form) == expected


@pytest.mark.parametrize(("text", "subject"), [(FAR, "variable"), (MATMUL, "argument"), (OVER, "argument")])
def test_smarthls_says_the_same_in_its_own_words(text: str, subject: str) -> None:
    """Its pragmas, turned back word by word, give the promise."""
    p = pipeline(text)
    lines = emit(p.program, p.infer(InferOptions()), "smarthls").splitlines()
    said = re.findall(r"memory partition (\w+)\((\w+)\) type\((\w+)\) dim\((\d)\) factor\((\d+)\)", "\n".join(lines))
    assert said and {word for word, *_ in said} == {subject}
    places = {"argument": "at the start of k", "variable": "before this declaration"}
    assert all(line.endswith(places[subject]) or "remove #pragma" in line for line in lines if line.startswith("//"))
    cfg = "[hls]\n" + "".join(
        f"syn.directive.array_partition=k {name} type={kind} dim={dim} factor={factor}\n"
        for _, name, kind, dim, factor in said
    )
    bare = "".join(x for x in text.splitlines(True) if "ARRAY_PARTITION" not in x)
    assert set(iis(bare, cfg).values()) == {1}


def test_cfg_read_back_gives_the_promise() -> None:
    p = pipeline(MATMUL)
    cfg = emit(p.program, p.infer(InferOptions()), "cfg")
    assert iis(MATMUL, cfg) == {"L": 1} or set(iis(MATMUL, cfg).values()) == {1}
    again = run(MATMUL, cfg=cfg)
    assert all(not a.fresh and not a.removed for a in again.arrays)


def test_diff_applies() -> None:
    p = pipeline(FAR)
    diff = emit(p.program, p.infer(InferOptions()), "diff")
    assert diff.splitlines()[:2] == ["--- k.c", "+++ k.c"]
    added = [line[1:] for line in diff.splitlines()[2:] if line.startswith("+")]
    assert added == ["    #pragma HLS array_partition variable=A type=block factor=2 dim=1"]


def test_declaration_that_shares_its_line() -> None:
    text = FAR.replace("    int A[32];\nF:", "    int A[32]; /* buffer */ F:")
    new = pasted(text)
    assert "int A[32];\n    #pragma HLS array_partition variable=A type=block factor=2 dim=1\n" in new
    assert set(iis(new).values()) == {1}


def test_call_group_is_annotated_at_its_root() -> None:
    text = """\
static void four(int v[64], int sums[16])
{
L:  for (int t = 0; t < 16; t++) {
#pragma HLS PIPELINE II=1
        sums[t] = v[4*t] + v[4*t+1] + v[4*t+2] + v[4*t+3];
    }
}
void k(int x[64], int out[16])
{
    int A[64];
F:  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
        A[i] = x[i];
    }
    four(A, out);
}
"""
    result = run(text)
    found = array(result, "A")
    assert (found.function, found.banks) == ("k", 2)
    new = pasted(text)
    assert new.count("array_partition") == 1 and "int A[64];\n    #pragma HLS array_partition variable=A" in new
    assert set(iis(new).values()) == {1}


def test_global_array_is_annotated_in_the_function_that_uses_it() -> None:
    text = "static int A[64];\n" + UNROLLED.replace("int A[64], ", "").replace("s += A", "s += A")
    text = text.replace("out[t] = s;", "out[t] = s; A[4*t] = s;")
    new = pasted(text)
    assert "{\n    #pragma HLS array_partition variable=A type=cyclic" in new
    assert pasted(new) == new


def test_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    source = tmp_path / "k.c"
    source.write_text(FAR)
    assert run_cli(["infer", "k.c", "--format", "json"]) == 0
    data = json.loads(capfd.readouterr().out)
    assert data["schema"] == "hlspart.infer/1"
    assert [a["banks"] for a in data["files"][0]["arrays"] if a["name"] == "A"] == [2]
    assert run_cli(["infer", "k.c", "--max-banks", "1"]) == 1
    assert run_cli(["infer", "k.c", "--in-place"]) == 0
    assert "factor=2" in source.read_text()


@pytest.mark.parametrize("form", ["cfg", "tcl"])
def test_directives_beside_the_source_leave_its_pragmas_that_serve(form: str) -> None:
    p = pipeline(OVER)
    result = p.infer(InferOptions(beside=True))
    assert emit(p.program, result, form) == "" and array(result, "A").banks == 16
    short = pipeline(
        OVER.replace("factor=16", "factor=2 dim=1")
        .replace("k < 4", "k < 8")
        .replace("4*t", "8*t")
        .replace("A[64]", "A[128]")
    )
    result = short.infer(InferOptions(beside=True))
    first, *rest = [x for x in emit(short.program, result, form).splitlines() if x != "[hls]"]
    assert first.startswith("# first remove k.c:3: #pragma HLS ARRAY_PARTITION") and len(rest) == 1


def test_only_an_array_that_one_bank_serves_needs_no_partition() -> None:
    text = """void g(int *p);
int k(int in[64])
{
    int A[64], s = 0;
    for (int i = 0; i < 64; i++) A[i] = in[i];
    for (int i = 0; i < 62; i += 2) {
#pragma HLS PIPELINE II=1
        s += A[i] + A[i + 1] + A[i + 2] + in[i];
        A[i] = A[i + 1] = s;
    }
    g(A);
    return s;
}
"""
    p = pipeline(text)
    shown = render.infer(shapes.infer(p.program, p.analysis, run(text), ["k.c"]))
    lines = {line.split()[0]: line for line in shown.splitlines() if line.startswith("  k/")}
    assert "k/in (line 2): needs no partition: " in lines["k/in"]
    assert "k/A (line 4): not partitioned: " in lines["k/A"]


def test_many_bits_of_registers_are_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.c").write_text(WINDOW)
    assert run_cli(["infer", "k.c", "--scheme", "pragma"]) == 0
    said = "k.c:3:9: warning: the partition of mem makes 4096 bits of registers [many-registers]\n"
    assert said in capfd.readouterr().err
    assert run_cli(["infer", "k.c"]) == 0  # two banks in a rewritten text
    assert "many-registers" not in capfd.readouterr().err


def test_helpers_of_headers_that_nobody_calls_are_not_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    helper = "static int {}(int v[8]) {{ int s = 0; for (int i = 0; i < 8; i++) s += v[i]; return s; }}\n".format
    (tmp_path / "h.h").write_text(helper("unused") + helper("used"))
    body = "int t[8]; for (int i = 0; i < 8; i++) t[i] = a[i]; out[0] = used(t);"
    (tmp_path / "k.c").write_text(f'#include "h.h"\nvoid k(int a[8], int out[1]) {{ {body} }}\n')
    assert run_cli(["infer", "k.c", "--format", "json"]) == 0
    assert {x["function"] for x in json.loads(capfd.readouterr().out)["files"][0]["loops"]} == {"k", "used"}
    (tmp_path / "only.c").write_text('#include "h.h"\n')
    assert run_cli(["infer", "only.c", "--format", "json"]) == 0
    assert {x["function"] for x in json.loads(capfd.readouterr().out)["files"][0]["loops"]} == {"used", "unused"}
