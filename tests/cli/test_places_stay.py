"""No command writes a text in which ``__LINE__`` or ``__COUNTER__`` is another."""

from __future__ import annotations

from pathlib import Path

import pytest

from hlspart.cli.app import run

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
        return code, capsys.readouterr().err, new.read_text() if new.exists() else ""

    code, output, text = written("__LINE__")
    assert not text or text.splitlines()[6].endswith("+ __LINE__;")  # the old text, if any
    assert code == {"rewrite": 0, "reuse": 1}.get(command, 2)
    assert "k.c:7:" in output and "'__LINE__'" in output
    _, _, text = written("7")
    assert text and text != TEXT.replace("WORD", "7")  # the same command changes the text, if only the word is a number
