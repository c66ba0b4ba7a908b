"""What a tool accepts is no error, whatever hlspart can make of it: exit 0, and what it costs as information."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from hlspart.cli.app import cli

KERNELS = {
    "an index from data": (
        "void f(const int at[64], int out[64]) {\n  int a[64];\n"
        "#pragma HLS ARRAY_PARTITION variable=a cyclic factor=4\n"
        "  for (int i = 0; i < 64; i++) a[at[i] & 63] = i;\n  for (int i = 0; i < 64; i++) out[i] = a[i];\n}\n",
        "[non-affine]",
        "counts that access on every bank",
    ),
    "counters that a branch changes": (
        "void f(const int in[64], int out[64], int n) {\n  int a[8][8];\n"
        "#pragma HLS ARRAY_PARTITION variable=a complete dim=2\n  for (int k = 0, i = 0, j = 0; k < 64; k++, j++) {\n"
        "    if (j == n) { j = 0; i++; }\n    a[i][j] = in[k];\n  }\n"
        "  for (int k = 0; k < 64; k++) out[k] = a[k / 8][k % 8];\n}\n",
        "[non-affine]",
        "does not rewrite the array",
    ),
    "a function that is not given": (
        "void g(int *p);\nvoid f(int out[8]) {\n  int a[8];\n#pragma HLS ARRAY_PARTITION variable=a complete\n"
        "  g(a);\n  for (int i = 0; i < 8; i++) out[i] = a[i];\n}\n",
        "[extern-callee]",
        "has no known II",
    ),
    "a pointer that moves": (
        "int f(const int in[8]) {\n  int a[8], s = 0;\n#pragma HLS ARRAY_PARTITION variable=a cyclic factor=2\n"
        "  for (int i = 0; i < 8; i++) a[i] = in[i];\n  int *p = s ? a : a + 4;\n"
        "  for (int i = 0; i < 4; i++) s += p[i];\n  return s;\n}\n",
        "[address-taken]",
        "has no known II",
    ),
    "a factor from a header that is not there": (
        '#include "sizes.h"\nvoid f(int a[64]) {\n#pragma HLS ARRAY_PARTITION variable=a cyclic factor=LANES\n'
        "  for (int i = 0; i < 64; i++) a[i] = i;\n}\n",
        "[value-unknown]",
        "is not known here, as a header was not found",
    ),
    "more banks than are counted": (
        "void f(int a[300000]) {\n#pragma HLS ARRAY_PARTITION variable=a complete\n"
        "  for (int i = 0; i < 300000; i++) a[i] = i;\n}\n",
        "[too-many-banks]",
        "that hlspart counts",
    ),
}


@pytest.mark.parametrize("command", ["ii", "infer"])
@pytest.mark.parametrize("name", KERNELS)
def test_what_is_not_followed_is_information(name: str, command: str, tmp_path: Path) -> None:
    text, code, cost = KERNELS[name]
    path = tmp_path / "k.c"
    path.write_text(text)
    done = CliRunner().invoke(cli, [command, str(path)])
    said = [line for line in done.stderr.splitlines() if line.endswith(code)]
    assert done.exit_code == 0, done.stderr
    assert "rejected" not in done.output
    assert len(said) == 1 and ": info: " in said[0] and cost in said[0]


def test_an_unroll_factor_that_nobody_knows_leaves_the_interval_unknown(tmp_path: Path) -> None:
    path = tmp_path / "k.c"
    pragmas = "#pragma HLS PIPELINE\n#pragma HLS UNROLL factor=LANES\n"
    loop = "  for (int i = 0; i < 64; i++) {\n" + pragmas + "    a[i] = i;\n  }\n"
    path.write_text('#include "sizes.h"\nvoid f(int a[64]) {\n' + loop + "}\n")
    done = CliRunner().invoke(cli, ["ii", str(path), "--format", "json"])
    assert done.exit_code == 0
    assert '"ii": null' in done.stdout and "UNROLL (line 5) is not modelled" in done.stdout


@pytest.mark.parametrize("mode", ["both", "forward", "reverse", "off"])
def test_the_register_mode_of_a_stream_may_be_a_bare_word(mode: str, tmp_path: Path) -> None:
    path = tmp_path / "k.cpp"
    path.write_text(
        '#include "hls_stream.h"\nvoid f(hls::stream<int> &s, int o[4]) {\n'
        f"#pragma HLS INTERFACE axis register {mode} port=s\n  for (int i = 0; i < 4; i++) o[i] = s.read();\n}}\n"
    )
    done = CliRunner().invoke(cli, ["lint", str(path)])
    assert (done.exit_code, "HLP102" in done.output) == (0, False), done.output
