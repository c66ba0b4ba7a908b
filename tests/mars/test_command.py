"""The command: contract keys, located refusals, exit codes, tilings of the source, drawings."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from hlspart.cli.app import run
from hlspart.mars.tiling import BadTiling, parse

KERNELS = Path(__file__).parent / "kernels"


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


Mars = Callable[..., Done]


@pytest.fixture
def mars(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Mars:
    """Run the command in a folder, in this process."""

    def call(*args: str, folder: Path = KERNELS) -> Done:
        monkeypatch.chdir(folder)
        code = run(["mars", *args])
        out, err = capfd.readouterr()
        return Done(code, out, err)

    return call


def test_contract_keys(mars: Mars) -> None:
    done = mars("jacobi1d.c", "--tile", "t+i:8,t-i:8", "--format", "json", "--check")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["schema"] == "hlspart.mars/1"
    (entry,) = report["files"]
    assert entry["path"] == "jacobi1d.c"
    assert entry["tile"] == [{"hyperplane": "t+i", "size": 8}, {"hyperplane": "t-i", "size": 8}]
    flow = next(a for a in entry["arrays"] if a["kind"] == "flow")
    keys = "name accepted reason kind class consumers mars footprint flow_out flow_in bursts optimal residue_classes"
    assert set(keys.split()) <= set(flow)
    assert (flow["name"], flow["accepted"], flow["class"], flow["footprint"]) == ("A", True, "uniform", 48)
    assert flow["flow_out"] == {"mars": 4, "words": 14} and flow["flow_in"] == {"mars": 7, "words": 17}
    assert {k: flow["bursts"][k] for k in ("read", "write", "row_major_read", "row_major_write")} == {
        "read": 3, "write": 1, "row_major_read": 9, "row_major_write": 8,
    }  # fmt: skip
    assert sum(m["size"] for m in flow["mars"]) == 14
    offsets = sorted((m["offset"], m["size"]) for m in flow["mars"])
    assert all(a + n == b for (a, n), (b, _) in pairwise(offsets))
    assert flow["checks"] == {"irredundant": True, "complete": True, "atomic": True, "maximal": True}


@pytest.mark.parametrize(
    ("tile", "message"),
    [
        ("t:4,t:5", "jacobi1d.c:11:5: error: --tile, column 5: t depends linearly"),
        ("t:4,2t+0*i:5", "depends linearly"),
        ("i:0", "--tile, column 1: the size of i is 0: it must be positive"),
        ("i:-3", "the size of i is -3"),
        ("t+z:4", "z is no iterator of the nest; iterators are t, i"),
        ("t*i:4", "no affine form"),
        ("t", "t has no size"),
        ("t:x", "not an integer"),
        ("t:4,", "column 5"),
        ("", "hyperplane and its size are missing"),
        ("7:4", "no iterator is left"),
    ],
)
def test_unusable_tilings(mars: Mars, tile: str, message: str, tmp_path: Path) -> None:
    out = tmp_path / "out.c"
    done = mars("jacobi1d.c", "--tile", tile, "-o", str(out))
    assert done.returncode == 2
    assert message in done.stderr and "jacobi1d.c:" in done.stderr and "Traceback" not in done.stderr
    assert not out.exists()


def test_no_tile_anywhere(mars: Mars) -> None:
    done = mars("jacobi1d.c")
    assert done.returncode == 2 and "no --tile is given and no loop of the source is tiled" in done.stderr


def test_non_affine_access_refuses_its_array_only(mars: Mars, tmp_path: Path) -> None:
    source = tmp_path / "gather.c"
    source.write_text(
        "void f(const int p[64], const int x[64], int y[64])\n{\n"
        "    for (int i = 0; i < 64; i++)\n        y[i] = x[p[i]] + p[i];\n}\n"
    )
    done = mars("gather.c", "--tile", "i:8", "--format", "json", folder=tmp_path)
    assert done.returncode == 1
    assert "gather.c:1:" in done.stderr and "x[p[i]] (line 4) is not affine" in done.stderr
    arrays = {a["name"]: a["accepted"] for a in json.loads(done.stdout)["files"][0]["arrays"]}
    assert arrays == {"x": False, "p": True}


def test_illegal_tiling_is_a_finding(mars: Mars, tmp_path: Path) -> None:
    done = mars("jacobi1d.c", "--tile", "t:8,i:8", "-o", str(tmp_path / "o.c"))
    assert done.returncode == 1
    assert "jacobi1d.c:13:56" in done.stderr and "hyperplane i decreases by 1" in done.stderr
    assert not (tmp_path / "o.c").exists()
    assert done.stdout == "" and re.findall(r"\[(.+)\]$", done.stderr, re.M) == ["mars-illegal-tiling"]


def test_tiling_taken_from_the_source(mars: Mars) -> None:
    done = mars("tiled.c", "--top", "tiled", "--format", "json")
    assert done.returncode == 0, done.stderr
    (entry,) = json.loads(done.stdout)["files"]
    assert entry["tile"] == [{"hyperplane": "i", "size": 8}]
    (record,) = [a for a in entry["arrays"] if a["name"] == "x"]
    assert [m["size"] for m in record["mars"]] == [2, 6, 2]


def test_transposed_access_is_refused_with_both_accesses(mars: Mars) -> None:
    done = mars("tiled.c", "--top", "scale")
    assert done.returncode == 1
    assert "x[i][j] (line" in done.stderr
    assert "x[j][i] (line" in done.stderr and "null space" in done.stderr


def test_two_candidates_for_top(mars: Mars) -> None:
    done = mars("tiled.c", "--tile", "i:8")
    assert done.returncode == 2 and "scale" in done.stderr and "tiled" in done.stderr


def test_drawing(mars: Mars, tmp_path: Path) -> None:
    out = tmp_path / "a.svg"
    assert mars("jacobi1d.c", "--tile", "t+i:8,t-i:8", "--svg", str(out)).returncode == 0
    root = ElementTree.parse(out).getroot()
    titles = [t.text or "" for t in root.iter("{http://www.w3.org/2000/svg}title")]
    assert sum("MARS" in t for t in titles) == 14 + 7 + 5


def test_text_names_the_bursts(mars: Mars) -> None:
    done = mars("gemm.c", "--tile", "i:10,j:20,k:20")
    assert done.returncode == 0
    assert "read 1 (minimal; row-major 20, bounding box 20 of 400 words)" in done.stdout
    assert "C (input, uniformly-intersecting) read by tiles at k = 0" in done.stdout


def test_forms() -> None:
    forms = parse(" 4t + 2*i-j : 10 , i-1:3", ("t", "i", "j"))
    assert not isinstance(forms, BadTiling)
    assert [dict(f.form.terms) for f in forms] == [{"t": 4, "i": 2, "j": -1}, {"i": 1}]
    assert [f.form.const for f in forms] == [0, -1] and [f.size for f in forms] == [10, 3]
    bad = parse("t:4,t+q:4", ("t", "i"))
    assert isinstance(bad, BadTiling) and bad.column == 7


def test_buffers_of_generated_code_are_partitioned(mars: Mars, tmp_path: Path) -> None:
    out = tmp_path / "out.c"
    done = mars("smith_waterman.c", "--tile", "i:4,j:4", "-o", str(out))
    assert done.returncode == 0
    text = out.read_text()
    assert re.search(r"array_partition variable=H_buf", text)
    assert text.index("array_partition") < text.index("void smith_waterman_mars(")
    assert "bank" not in done.stderr  # what limits a loop now is no memory port
    assert mars("smith_waterman.c", "--tile", "i:4,j:4", "-o", str(out)).returncode == 0
    assert out.read_text() == text
