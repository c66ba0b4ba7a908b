"""No writer makes a text in which ``__LINE__`` or ``__COUNTER__`` is another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import hlspart
from hlspart.cli.app import run
from hlspart.model.blocked import BLOCKED
from hlspart.model.options import Options
from hlspart.pipeline import Pipeline

TEXT = """void k(int in[64], int out[64])
{
    int A[64];
    for (int z = 0; z < 64; z++) A[z] = in[z];
    ROW: for (int i = 0; i < 60; i += 4) {
#pragma HLS PIPELINE II=1
        out[i] = A[i] + A[i + 1] + A[i + 2] + A[i + 3] + WORD;
    }
}
"""
BUFFERS = """void k(int in[2048], int out[2048])
{
    int A[2048],
        B[2048];
    for (int i = 0; i < 2048; i++) A[i] = in[i];
    for (int i = 0; i < 2048; i++) out[i] = A[2047 - i];
    for (int i = 0; i < 2048; i++) B[i] = out[i] + WORD;
    for (int i = 0; i < 2048; i++) out[i] += B[2047 - i];
}
"""
LAYOUT = """void k(float A[4][8][8][24], float B[4][8][8][24])
{
#pragma hlspart layout nest=blocked
    for (int n = 0; n < 4; n++)
        for (int y = 0; y < 8; y++)
            for (int x = 0; x < 8; x++)
                for (int c = 0; c < 24; c++) B[n][y][x][c] = A[n][y][x][c] + WORD;
}
"""
STENCIL = """void k(int A[8][16])
{
    for (int t = 1; t < 8; t++)
        for (int i = 1; i < 16; i++)
            A[t][i] = A[t - 1][i - 1] + WORD;
}
"""
WRITERS = {
    "expand": ["expand", "k.c", "--loop", "ROW", "--grid", "3", "-o", "new.c"],
    "explore": ["explore", "k.c", "-o", "new.c"],
    "infer": ["infer", "k.c", "--in-place", "--scheme", "pragma", "--tool", "vitis-2022.1"],
    "rewrite": ["rewrite", "k.c", "--infer", "--tool", "vitis-2022.1", "-o", "new.c"],
    "reuse": ["rewrite", "k.c", "--style", "reuse", "-o", "new.c"],
}


@pytest.mark.parametrize("command", WRITERS)
def test_the_place_of_a_word_stays(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    new = Path("k.c" if command == "infer" else "new.c")

    def written(word: str) -> tuple[int, str, str]:
        Path("k.c").write_text(TEXT.replace("WORD", word))
        code = run(WRITERS[command])
        return code, capsys.readouterr().err, new.read_text()

    code, output, after = written("__LINE__")
    assert after == TEXT.replace("WORD", "__LINE__")
    assert code == 1
    assert "k.c:7:" in output and "'__LINE__'" in output
    _, _, after = written("7")
    assert after != TEXT.replace("WORD", "7")  # the same command changes the text, if only the word is a number


def _laid_out(pipeline: Pipeline) -> Mapping[str, str]:
    return hlspart.Kernel(pipeline, (pipeline,)).layout("k", {"A": BLOCKED}).texts or {}


def _pragmas(pipeline: Pipeline) -> Mapping[str, str]:
    kernel = hlspart.Kernel(pipeline, (pipeline,))
    try:
        return kernel.infer(scheme="pragma").kernel().texts
    except hlspart.InputError:
        return {}


def _turned(pipeline: Pipeline) -> Mapping[str, str]:
    try:
        return hlspart.Kernel(pipeline, (pipeline,)).transform(hlspart.unroll("ROW", 3)).texts
    except hlspart.InputError:
        return {}


@pytest.mark.parametrize(
    ("text", "write"),
    [(TEXT, _pragmas), (TEXT, _turned), (LAYOUT, _laid_out)],
    ids=["infer", "unroll", "layout"],
)
def test_the_library_keeps_places(text: str, write: Callable[[Pipeline], Mapping[str, str]]) -> None:
    for word, changes in (("__LINE__", False), ("7", True)):
        own = text.replace("WORD", word)
        texts = write(Pipeline(["k.c"], Options(), lambda _, own=own: own.encode()))  # type: ignore[misc]
        assert any(new != own for new in texts.values()) == changes


def test_shared_buffers_keep_the_lines() -> None:
    own = BUFFERS.replace("WORD", "__LINE__")
    pipeline = Pipeline(["k.c"], Options(), lambda _: own.encode())
    (result,) = hlspart.Kernel(pipeline, (pipeline,)).buffers().results
    assert result.pools
    lines = [text.splitlines().index(next(x for x in text.splitlines() if "__LINE__" in x))
             for text in (own, result.files["k.c"])]  # fmt: skip
    assert lines[0] == lines[1]


def test_mars_writes_what_a_place_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its C is a text of its own: the number of the line in the source stands in it."""
    monkeypatch.chdir(tmp_path)
    new = []
    for word in ("__LINE__", "5"):
        Path("k.c").write_text(STENCIL.replace("WORD", word))
        assert run(["mars", "k.c", "--top", "k", "--tile", "t:4,i:4", "-o", "new.c"]) == 0
        new.append(Path("new.c").read_text())
    assert "__LINE__" not in new[0]
    assert new[0] == new[1]
