"""Variables that return at a bound, `if (++c == W) c = 0`: what is accessed against runs of gcc."""

from __future__ import annotations

from pathlib import Path

from class_runs import claims, visits

HEAD = "void top(int a[512], int b[4][16], int c[64], int m) {\n    int col = 0, row = 0, k = 3, z = m;\n"
EACH = "    for (int n = 0; n < 100; n++) {\n"
KNOWN = {
    "steps": "a[col] = n; if (++col == 16) col = 0;",
    "else": "a[col] = n; if (col == 15) col = 0; else col = col + 1;",
    "not_below": "a[col] = b[1][col]; col++; if (col >= 16) { col = 0; }",
    "choice": "c[row] = n; row = row == 40 ? 0 : row + 2;",
    "down": "a[k] = n; if (k == 0) k = 7; else k--;",
    "from_inside": "a[k] = c[k]; k += 3; if (k > 20) k = 0;",
    "rows": "b[row][col] = n; if (++col == 16) { col = 0; if (++row == 4) row = 0; }",
    "rows_only": "a[row] = n; if (++col == 9) { col = 0; row += 2; }",
    "behind": "if (++col == 7) { col = 0; row++; } b[0][col] = row; a[row] = col;",
    "both_ways": "a[k + col] = n; if (++col == 5) col = 0; if (--k < 0) k = 3;",
}
UNKNOWN = {
    "by_data": "a[col] = n; if (++col == c[n & 7]) col = 0;",
    "from_outside": "a[z & 15] = n; z++; if (z == 16) z = 0;",
    "sometimes": "a[col] = n; if (c[n & 7]) if (++col == 16) col = 0;",
    "outgrown": "a[row] = n; k++; if (k == 2) k = 0; row = row + k;",
}


def test_accesses_are_those_of_runs(tmp_path: Path) -> None:
    texts = {
        name: f"{HEAD}{EACH}        {body}\n    }}\n    a[col + 300] = row + k;\n}}\n" for name, body in KNOWN.items()
    }
    runs = visits({f"k_{n}": t for n, t in texts.items()}, tmp_path)
    compared = 0
    for name, text in texts.items():
        (tmp_path / f"{name}.cpp").write_text(text)
        said, unknown = claims(tmp_path / f"{name}.cpp")
        assert not unknown, name
        assert dict(said) == dict(runs[f"k_{name}"]), name
        compared += sum(said.values())
    assert compared == 1310


def test_what_does_not_return_at_a_bound_is_not_known(tmp_path: Path) -> None:
    for name, body in UNKNOWN.items():
        (tmp_path / f"{name}.cpp").write_text(f"{HEAD}{EACH}        {body}\n    }}\n}}\n")
        assert "a" in claims(tmp_path / f"{name}.cpp")[1], name
