"""The library and the command line: one document, one text; answers, errors, and nothing imported too early."""

from __future__ import annotations

import doctest
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import hlspart
from hlspart.cli.app import run
from tests.amounts import amount

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = sorted(p.name for p in (ROOT / "samples").glob("*.c"))

ANSWERS: dict[str, tuple[list[str], Callable[[hlspart.Kernel], object]]] = {
    "accesses": ([], lambda k: k.accesses),
    "ii": ([], lambda k: k.ii()),
    "infer": (["--target-ii", "1"], lambda k: k.infer(target_ii=1)),
    "rewrite": (["--infer"], lambda k: k.rewrite(infer=True)),
    "lint": (["--no-cache"], lambda k: k.lint()),
}


QUADS = """
void quads(int A[256], int y[64]) {
SUM:
  for (int i = 0; i < 64; i++) {
    #pragma HLS pipeline II=1
    y[i] = A[4 * i] + A[4 * i + 1] + A[4 * i + 2] + A[4 * i + 3];
  }
}
"""


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("command", ANSWERS)
@pytest.mark.parametrize("sample", ["bottleneck.c", "matmul.c", "uneven.c"])
def test_an_answer_is_what_the_command_prints(
    command: str, sample: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    options, ask = ANSWERS[command]
    path = f"samples/{sample}"
    answer = ask(hlspart.open(path))
    assert isinstance(answer, hlspart.api.Answer)
    for kind in ("json", "text"):
        assert run([command, path, *options, "--format", f"{kind}={tmp_path / kind}"]) in (0, 1)
    assert json.loads((tmp_path / "json").read_text()) == json.loads(json.dumps(answer.to_json()))
    assert (tmp_path / "text").read_text() == str(answer)
    html = answer._repr_html_()
    assert html.startswith("<table>") and html.count("<tr>") == html.count("</tr>") >= 1
    capfd.readouterr()


def test_files_that_do_not_use_each_other_are_programs(tmp_path: Path) -> None:
    paths = ["samples/reduction.c", "samples/bottleneck.c"]
    kernel = hlspart.open(paths)
    assert [k.paths for k in kernel.programs] == [("samples/reduction.c",), ("samples/bottleneck.c",)]
    assert len(kernel.accesses) == sum(len(k.accesses) for k in kernel.programs) > 0
    for command in ("accesses", "ii", "infer", "lint"):
        options, ask = ANSWERS[command]
        out = tmp_path / command
        assert run([command, *paths, *options, "--format", f"json={out}"]) in (0, 1)
        answer = ask(kernel)
        assert isinstance(answer, hlspart.api.Answer)
        assert json.loads(out.read_text()) == json.loads(json.dumps(answer.to_json()))
        assert answer._repr_html_().startswith("<table>")


def test_verify_is_what_the_command_prints(tmp_path: Path) -> None:
    kernel = hlspart.open("samples/bottleneck.c")
    other = tmp_path / "other.c"
    other.write_text(next(iter(kernel.texts.values())).replace("mem[i - 2]", "mem[i]"))
    answer = hlspart.verify(kernel, hlspart.open(str(other)), vectors=2)
    assert not answer
    out = tmp_path / "json"
    assert run(["verify", "samples/bottleneck.c", str(other), "--vectors", "2", "--format", f"json={out}"]) == 1
    assert json.loads(out.read_text()) == json.loads(json.dumps(answer.to_json()))
    assert "different" in answer._repr_html_()


def test_every_sample_survives_its_rewrite() -> None:
    equal = 0
    for name in SAMPLES[:: amount(3, 1)]:
        kernel = hlspart.open(f"samples/{name}")
        written = kernel.rewrite(infer=True)
        if {**kernel.texts, **written.texts} != kernel.texts:
            assert hlspart.verify(kernel, written, vectors=1), name
            assert written.kernel().texts != kernel.texts
            equal += 1
    assert equal >= amount(1, 4)


def test_pragmas_are_written_into_the_text_of_a_new_kernel() -> None:
    kernel = hlspart.parse(QUADS, "quads.c")
    found = kernel.infer(target_ii=1)
    after = found.kernel()
    assert kernel.texts == {"quads.c": QUADS}
    assert kernel.ii().loop("SUM").ii == 2
    assert after.ii().loop("SUM").ii == after.ii().loop("quads/SUM").ii == 1
    assert found.pragmas == ("#pragma HLS array_partition variable=A type=cyclic factor=2 dim=1",)
    lines = [line.strip() for line in after.texts["quads.c"].splitlines()]
    assert [line for line in lines if line not in QUADS] == list(found.pragmas)
    layout = found.layout("A")
    assert layout is not None and [layout.bank((x,)) for x in range(4)] == [0, 1, 0, 1]
    assert found.layout("y") is None


def test_bank_maps() -> None:
    text = """
    void f(int A[4][6], int b[100]) {
    #pragma HLS array_partition variable=A type=block factor=2 dim=1
    #pragma HLS array_partition variable=A type=cyclic factor=3 dim=2
        for (int i = 0; i < 4; i++) A[i][i] = b[i];
    }"""
    found = hlspart.parse(text).bank_map("A")
    assert found.banks == 6 and not found.wrapped
    assert found.rows == tuple(tuple(3 * (y // 2) + x % 3 for x in range(6)) for y in range(4))
    assert found.to_json()["rows"][3] == [3, 4, 5, 3, 4, 5]
    assert found._repr_html_().startswith("<svg")
    line = hlspart.parse(text).bank_map("b", "f")
    assert line.wrapped and sum(map(len, line.rows)) == 100
    with pytest.raises(KeyError, match="arrays are A, b"):
        hlspart.parse(text).bank_map("c")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: hlspart.open("none.c"), "none.c:1:1: error"),
        (lambda: hlspart.parse("void f( {"), "kernel.c:1"),
        (lambda: hlspart.open("samples/fir.c", top="g"), "no function 'g' in the given files; they define fir"),
        (lambda: hlspart.open("samples/fir.c", target="vivado-1999"), "unknown tool 'vivado-1999'"),
        (lambda: hlspart.open("samples/fir.c", target="none.toml"), "cannot read none.toml"),
        (lambda: hlspart.open("samples/fir.c", part="abc"), "unknown part 'abc'"),
        (lambda: hlspart.open("samples/fir.c", clock_ns=-1), "clock period -1 ns"),
        (lambda: hlspart.open("samples/fir.c", config="none.toml"), "none.toml"),
        (lambda: hlspart.open(["samples/fir.c", "samples/fir.c"]), "a file is given twice"),
        (lambda: hlspart.open("samples/fir.c").infer(arrays=["x"]), "no array 'x'; arrays are coefficient, delay"),
        (
            lambda: hlspart.verify(
                hlspart.open(["samples/fir.c", "samples/matmul.c"]), hlspart.open("samples/fir.c")
            ),
            "verify compares kernels of one file",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_said_in_one_line(call: Callable[[], object], said: str) -> None:
    with pytest.raises(hlspart.InputError) as caught:
        call()
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_a_broken_file_has_a_place() -> None:
    with pytest.raises(hlspart.InputError) as caught:
        hlspart.parse("void f(void) {\n  int x = ;\n}", name="broken.c")
    (finding,) = caught.value.diagnostics
    assert (finding.place.path, finding.place.line, finding.severity) == ("broken.c", 2, "error")


def test_nothing_is_imported_before_it_is_used() -> None:
    text = (
        "import sys, hlspart; print(sorted(m for m in sys.modules if m.split('.')[0] in ('hlspart', 'islpy', 'click')))"
    )
    out = subprocess.run([sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "['hlspart', 'hlspart.version']"
    assert set(dir(hlspart)) == {*hlspart.__all__} and len(hlspart.__all__) >= 12
    text = "import sys, hlspart; hlspart.open; print('islpy' in sys.modules, 'click' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True, check=True)
    assert out.stdout.split() == ["False", "False"]


def test_the_package_is_typed() -> None:
    assert (ROOT / "hlspart/py.typed").exists()
    assert "    py.typed\n" in (ROOT / "setup.cfg").read_text()


def test_the_examples_of_the_page() -> None:
    text = (ROOT / "docs/api.md").read_text()
    test = doctest.DocTestParser().get_doctest(text, {}, "api.md", "docs/api.md", 0)
    assert len(test.examples) >= 20
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    results = doctest.DocTestRunner(optionflags=flags).run(test)
    assert results.failed == 0
    assert results.attempted == len(test.examples)
