"""``hlspart layout`` as a command."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Cli

FILE = """void top(const int in[1][2][2][40], int out[1][2][2][40])
{
#pragma hlspart layout nest=blocked
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 2; x++)
            for (int c = 0; c < 40; c++) out[0][y][x][c] = in[0][y][x][39 - c];
}
"""


def test_a_tensor(cli: Cli, tmp_path: Path) -> None:
    done = cli("layout", "--shape", "2,1,2,131", "--dtype", "fp16", "--address", "1,0,1,121", "--format", "json")
    assert done.code == 0 and done.json["schema"] == "hlspart.layout/1" and done.json["files"] == []
    layout = done.json["layout"]
    assert (layout["cx"], layout["c0"], layout["batch_bytes"], layout["batch_stride"]) == (2, 4, 528, 768)
    assert done.json["addresses"] == [{"at": [1, 0, 1, 121], "byte": 1266}]
    assert cli("layout", "--shape", "1,1,1,4", "--dtype", "int8", "-o", "lay.h").code == 0
    assert "#define LAYOUT_BYTES 4 " in (tmp_path / "lay.h").read_text()


def test_bursts_and_constants(cli: Cli) -> None:
    done = cli(
        "layout",
        "--burst",
        "0:6000",
        "--burst",
        "4000:6000",
        "--const",
        "a:1932",
        "--const",
        "b:242",
        "--format",
        "json",
    )
    assert [b["pieces"] for b in done.json["bursts"]] == [[4096, 1904], [96, 4096, 1808]]
    assert done.json["offchip"] == {"base": {"a": 0, "b": 1984}, "end": 2226}
    assert "3 bursts (96 + 4096 + 1808)" in cli("layout", "--burst", "4000:6000").out
    assert "5 bytes from 4099: 1 bursts" in cli("layout", "--burst", "0x1003:5").out


def test_a_file(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text(FILE)
    done = cli("layout", "k.c", "-o", "new.c", "--format", "json")
    file = done.json["files"][0]
    assert done.code == 0 and (file["path"], file["conversion_bytes"], len(file["conversions"])) == ("k.c", 1280, 2)
    assert cli("verify", "k.c", "new.c", "--top", "top", "--vectors", "9").code == 0
    assert cli("layout", "new.c", "-o", "twice.c").code == 0
    assert (tmp_path / "twice.c").read_text() == (tmp_path / "new.c").read_text()
    (tmp_path / "k.c").write_text(FILE.replace("nest=blocked", "nest=wrong"))
    done = cli("layout", "k.c", "-o", "bad.c")
    assert done.code == 2 and "k.c:3:1: error" in done.err and not (tmp_path / "bad.c").exists()
    assert cli("layout", "k.c", "--shape", "1,1,1,1").code == 2
    (tmp_path / "k.c").write_text(FILE)
    done = cli(
        "layout",
        "k.c",
        "--interface-layout",
        "in=NCx",
        "--interface-layout",
        "out=NCx",
        "--format",
        "json",
        "-o",
        "n.c",
    )
    assert done.code == 0 and done.json["files"][0]["conversions"] == []


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ("--shape 1,2,3", "4 integers"),
        ("--shape 1,1,1,0", "C is 0"),
        ("--shape 1,1,1,-3", "C is -3"),
        ("--shape 1,1,1,4 --dtype fp12", "element types are"),
        ("--shape 1,1,1,4 --address 0,0,0,4", "outside of 0..3"),
        ("--const a:5 --align 48", "power of two"),
        ("--const a:5 --const a:6", "one name"),
        ("--burst 5", "two numbers"),
        ("--const five", "name and size"),
        ("--burst 0:5 -o x.h", "header of --shape"),
        ("", "give a FILE"),
    ],
)
def test_usage(cli: Cli, arguments: str, word: str) -> None:
    done = cli("layout", *arguments.split())
    assert done.code == 2 and word in done.err
