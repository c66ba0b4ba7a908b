"""Plans and the JSON of a propagation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from layout_texts import FIRST, LAST, MIDDLE, laid_out, nest, tensor

from hlspart.cli.app import run
from hlspart.verification import VerifyOptions, verify


def test_json_of_a_propagation() -> None:
    found, _ = laid_out(tensor(nest("blocked", FIRST), nest(None, MIDDLE), nest("blocked", LAST)))
    shape = json.loads(json.dumps(found.to_json()))
    assert (shape["conversion_bytes"], shape["conversions_bfs"], shape["proved_minimal"]) == (3360, 3360, True)
    assert shape["conversions"][0] == {
        "array": "in", "from": "compact", "to": "blocked", "at_line": 5, "bytes": 1680, "merged_with": []
    }  # fmt: skip


PLANNED = """void top(const int a[2][3][4][40], int out[2][3][4][40], int m[12][10])
{
    int t[2][3][4][40];
%sFILL:
    for (int k = 0; k < 960; k++)
        t[k / 480][k / 160 %% 3][k / 40 %% 4][k %% 40] = a[k / 480][k / 160 %% 3][k / 40 %% 4][k %% 40] + 1;
    for (int k = 0; k < 960; k++)
        out[k / 480][k / 160 %% 3][k / 40 %% 4][k %% 40] = t[k / 480][k / 160 %% 3][k / 40 %% 4][k %% 40] * 2;
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 10; j++) m[i][j] += i ^ j;
%s}
"""


def test_a_plan_says_what_pragmas_say(tmp_path: Path) -> None:
    pragmas, plain, plan = tmp_path / "p.c", tmp_path / "f.c", tmp_path / "plan.toml"
    pragmas.write_text(
        PLANNED % ("#pragma hlspart layout nest=blocked\n", "#pragma hlspart layout variable=m tile=4,5\n")
    )
    plain.write_text(PLANNED % ("", ""))
    plan.write_text('[layout.nests]\nFILL = "blocked"\n[layout.arrays]\nm = [4, 5]\n')
    said = {}
    for name, path, more in (("pragma", pragmas, []), ("plan", plain, ["--plan", str(plan)])):
        out = tmp_path / f"{name}.json"
        written = str(tmp_path / f"{name}.c")
        assert run(["layout", str(path), *more, "--format", f"json={out}", "-o", written]) == 0
        (entry,) = json.loads(out.read_text())["files"]
        said[name] = ([(n["demand"], n["layout"]) for n in entry["nests"]], entry["conversion_bytes"])
        assert verify(str(path), written, VerifyOptions(top="top", vectors=9)).status == "equal"
    assert said["plan"] == said["pragma"]
    assert said["plan"][0][0] == ("blocked", "blocked") and said["plan"][1] > 0
    assert (tmp_path / "plan.c").read_text() != plain.read_text()
    plan.write_text("[layout.arrays]\nm = { pack = 3 }\n")
    report = tmp_path / "packed.json"
    assert run(["layout", str(plain), "--plan", str(plan), "--format", f"json={report}"]) == 0
    conversions = json.loads(report.read_text())["files"][0]["conversions"]
    assert [(c["array"], c["to"]) for c in conversions] == [("m", "tile=3,1"), ("m", "compact")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[layout.nests]\nNONE = "blocked"\n', "no nest 'NONE' in top"),
        ('[layout.nests]\nFILL = "sideways"\n', "nest=sideways is not known"),
        ("[layout.arrays]\nm = [4]\n", "one positive size for each of the 2 dimensions of m"),
        ("[layout.arrays]\n\nm = 4\n", "plan.toml:3: m: an array has a layout"),
        ("[layout]\nx = 1\n", "holds the tables nests and arrays"),
        ("[layout.arrays\n", "plan.toml: "),
    ],
)
def test_a_plan_that_cannot_be_used(text: str, message: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "f.c").write_text(PLANNED % ("", ""))
    (tmp_path / "plan.toml").write_text(text)
    out = tmp_path / "o.c"
    assert run(["layout", str(tmp_path / "f.c"), "--plan", str(tmp_path / "plan.toml"), "-o", str(out)]) == 2
    assert message in capfd.readouterr().err and not out.exists()
