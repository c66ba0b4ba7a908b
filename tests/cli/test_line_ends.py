"""What is written in a file with CRLF is what is written in the same file with LF, in the file's own line ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from hlspart.cli.app import run

KERNEL = """#define N 32
int mix(int a[N], int i) {
    return a[i] * 5;
}
void k(int in[N], int out[N])
{
    int a[N], b[N];
#pragma HLS ARRAY_PARTITION \\
    variable=a cyclic factor=4
F:  for (int i = 0; i < N; i++) a[i] = in[i];
L:  for (int i = 0; i < N - 4; i++) {
#pragma HLS PIPELINE II=1
        b[i] = a[i] + a[i + 1] * 3
             - a[i + 2] + a[i + 3]; // of four
    }
M:  for (int i = 0; i < N - 4; i++) out[i] = b[i] + mix(b, i);
}
"""
BLOCKED = """void c(float in[16][8], float out[16][8])
{
    float mid[16][8];
#pragma hlspart layout variable=mid tile=8,4
P:  for (int i = 0; i < 16; i++) for (int j = 0; j < 8; j++) mid[i][j] = in[i][j] * 2;
Q:  for (int i = 0; i < 16; i++) for (int j = 0; j < 8; j++) out[i][j] = mid[i][j] + 1;
}
"""
COMMANDS = [
    (KERNEL, ["rewrite"]),
    (KERNEL, ["rewrite", "--style", "crossbar"]),
    (KERNEL, ["rewrite", "--style", "bankdim"]),
    (KERNEL, ["rewrite", "--style", "reuse"]),
    (KERNEL, ["rewrite", "--style", "scalars"]),
    (KERNEL, ["rewrite", "--infer"]),
    (KERNEL, ["expand", "--loop", "L", "--pe", "2"]),
    (KERNEL, ["expand", "--loop", "L", "--pe", "2", "--order", "space-time"]),
    (KERNEL, ["explore", "--pe", "2"]),
    (KERNEL, ["explore", "--pe", "2", "--pipeline", "dataflow"]),
    (BLOCKED, ["layout"]),
]


@pytest.mark.parametrize(("text", "command"), COMMANDS, ids=[" ".join(c) for _, c in COMMANDS])
def test_line_ends_are_those_of_the_file(
    text: str, command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = []
    for ends in ("\n", "\r\n"):
        (folder := tmp_path / str(len(ends))).mkdir()
        monkeypatch.chdir(folder)
        Path("k.c").write_bytes(text.replace("\n", ends).encode())
        assert run([command[0], "k.c", *command[1:], "-o", "o.c"]) in (0, 1)
        written.append(Path("o.c").read_bytes().decode())
    with_lf, with_crlf = written
    assert "\r" not in with_lf
    assert with_lf != text
    assert with_crlf == with_lf.replace("\n", "\r\n")
