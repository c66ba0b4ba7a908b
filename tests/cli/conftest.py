"""Running the command line inside the test process, in an empty folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hlspart.cli.app import run as run_cli


@dataclass(frozen=True)
class Done:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.out)


Cli = Callable[..., Done]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Cli:
    """``cli("ii", "k.c")`` in a fresh current folder."""
    monkeypatch.chdir(tmp_path)

    def call(*args: str) -> Done:
        capfd.readouterr()
        code = run_cli(args)
        out, err = capfd.readouterr()
        assert "Traceback" not in err and "internal error" not in err, err
        return Done(code, out, err)

    return call


KERNEL = """#define N 32
static const short gain[4] = {1, 2, 3, 4};
void k(const int in[N], int out[N])
{
    int a[N]; // local
#pragma HLS ARRAY_PARTITION variable=a type=cyclic factor=2 dim=1
copy: for (int i = 0; i < N; i++) {
#pragma HLS PIPELINE II=1
        a[i] = in[i] * gain[i & 3];
    }
sum: for (int i = 0; i < N - 2; i++) {
#pragma HLS PIPELINE II=1
        out[i] = a[i] + a[i + 1] + a[i + 2];
    }
}
"""
FAULTY = """void f(int o[8]) {
int a[8];
#pragma HLS ARRAY_PARTITION variable=nope type=cyclic factor=2
for (int i = 0; i < 8; i++) a[i] = i;
for (int i = 0; i < 8; i++) o[i] = a[i];
}
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """k.c is fine, f.c has a faulty pragma, broken.c does not parse, plain.c has nothing to do."""
    (tmp_path / "k.c").write_text(KERNEL)
    (tmp_path / "f.c").write_text(FAULTY)
    (tmp_path / "broken.c").write_text("void f( {\n")
    (tmp_path / "plain.c").write_text("int f(int x) { return x; } /* nothing */\n")
    return tmp_path
