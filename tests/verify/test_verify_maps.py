"""Arrays in banks are compared by the map that a rewrite writes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from verifying import BASE, compare


def entry(**fields: Any) -> dict[str, Any]:
    base = {"path": "old.c", "line": 1, "mapping": None, "position": None, "parameter": None, "function": None}
    return {**base, **fields}


def cyclic(extent: int, banks: int) -> dict[str, Any]:
    return {"kind": "cyclic", "extent": extent, "banks": banks, "block": 1}


def whole(extent: int) -> dict[str, Any]:
    return {"kind": "whole", "extent": extent, "banks": 1, "block": extent}


def mapped(*entries: Mapping[str, Any]) -> dict[str, Any]:
    return {"schema": "hlspart.map/1", "files": [], "arrays": list(entries)}


SPLIT_OLD = """int g[5];
void k(int n, const int a[5][3], int b[4])
{
    for (int i = 0; i < 5; i++) { g[i] += a[i][1] + n; }
    for (int i = 0; i < 4; i++) { b[i] = 10 * g[i + 1] + i; }
}
"""
SPLIT_NEW = """int g_0[3], g_1[2];
void k(int n, const int a_0[3][3], const int a_1[2][3], int b_0, int b_1);
void k(int n, const int a_0[3][3], const int a_1[2][3], int b[2][2])
{
    for (int i = 0; i < 3; i++) { g_0[i] += a_0[i][1] + n; }
    for (int i = 0; i < 2; i++) { g_1[i] += a_1[i][1] + n; }
    b[0][0] = 10 * g_1[0]; b[1][0] = 10 * g_0[1] + 1; b[0][1] = 10 * g_1[1] + 2; b[1][1] = 10 * g_0[2] + 3;
}
""".replace("void k(int n, const int a_0[3][3], const int a_1[2][3], int b_0, int b_1);\n", "")
SPLIT_MAP = mapped(
    entry(
        array="g", extents=[5], style="split", dims=[cyclic(5, 2)],
        arrays=[{"name": "g_0", "shape": [3]}, {"name": "g_1", "shape": [2]}],
    ),
    entry(
        array="a", function="k", parameter=1, position=1, extents=[5, 3], style="split", dims=[cyclic(5, 2), whole(3)],
        arrays=[{"name": "a_0", "shape": [3, 3]}, {"name": "a_1", "shape": [2, 3]}],
    ),
    entry(
        array="b", function="k", parameter=2, position=3, extents=[4], style="bankdim", dims=[cyclic(4, 2)],
        arrays=[{"name": "b", "shape": [2, 2]}],
    ),
)  # fmt: skip


def test_split_parameters_and_globals(tmp_path: Path) -> None:
    result = compare(tmp_path, SPLIT_OLD, SPLIT_NEW, map=SPLIT_MAP)
    assert (result.status, set(result.compared)) == ("equal", {"g", "b"}), result.message
    wrong = SPLIT_NEW.replace("10 * g_1[1] + 2", "10 * g_1[1] + 3")
    result = compare(tmp_path, SPLIT_OLD, wrong, map=SPLIT_MAP)
    assert result.difference is not None and result.difference.place == "b[2]"
    wrong = SPLIT_NEW.replace("g_1[i] += a_1[i][1]", "g_1[i] += a_1[i][1] + (i == 1)")
    result = compare(tmp_path, SPLIT_OLD, wrong, map=SPLIT_MAP)
    assert result.difference is not None and result.difference.place in ("g[3]", "b[2]")


def test_without_the_map_nothing_is_claimed(tmp_path: Path) -> None:
    result = compare(tmp_path, SPLIT_OLD, SPLIT_NEW)
    assert result.exit_code == 2 and "give --map" in result.message


def test_a_map_of_another_file_is_refused(tmp_path: Path) -> None:
    broken = json.loads(json.dumps(SPLIT_MAP))
    broken["arrays"][1]["arrays"][0]["name"] = "a_9"
    assert "the map does not fit" in compare(tmp_path, SPLIT_OLD, SPLIT_NEW, map=broken).message
    assert compare(tmp_path, SPLIT_OLD, SPLIT_NEW, map={"schema": "other"}).exit_code == 2


@pytest.mark.parametrize("change", [{"arrays": 5}, {"extents": None}, {"dims": [3]}, {"parameter": 0, "function": "k"}])
def test_maps_that_do_not_fit_their_schema(tmp_path: Path, change: Mapping[str, object]) -> None:
    entry = {
        "array": "total", "function": None, "extents": [4], "style": "split", "mapping": None, "parameter": None,
        "arrays": [{"name": "total", "shape": [4]}], "dims": [{"kind": "whole", "extent": 4, "banks": 1, "block": 4}],
    }  # fmt: skip
    result = compare(tmp_path, BASE, BASE, map={"schema": "hlspart.map/1", "arrays": [{**entry, **change}]})
    assert result.status == "incomparable" and "map" in result.message
