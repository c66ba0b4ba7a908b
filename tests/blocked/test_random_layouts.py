"""Random functions with demands on nests and arrays of every storage: what is laid out computes the same."""

from __future__ import annotations

import random
from pathlib import Path

from hlspart.blocked import propagate
from hlspart.model.blocked import Propagation
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.options import Options
from hlspart.pipeline import Pipeline
from hlspart.verification import VerifyOptions, verify_many
from tests.amounts import amount

KINDS = ("blocked", "blocked", "compact", "any", "3,8", "2,4")
TILES = ("2,8", "5,3", "1,16", "7,40")


class _Function:
    """Nests over arrays of ``rows`` x ``columns``; every local array is filled before it is read."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.rows, self.columns = rng.randint(2, 5), rng.choice((4, 12, 33, 40))
        self.filled = ["in", "out"]

    def read(self) -> str:
        row = self.rng.choice(("i", "i", f"{self.rows - 1} - i", "0"))
        column = self.rng.choice(("c", "c", f"{self.columns - 1} - c", f"(c + 3) % {self.columns}", "c / 2"))
        return f"{self.rng.choice(self.filled)}[{row}][{column}] % 1000"

    def nest(self, target: str, op: str) -> str:
        rng = self.rng
        kind = f"#pragma hlspart layout nest={rng.choice(KINDS)}\n" if rng.random() < 0.6 else ""
        value = " + ".join(self.read() for _ in range(rng.randint(1, 2)))
        store = f"{target}[i][c] {op} {value};"
        if target in self.filled and rng.random() < 0.3:
            store = f"if ({self.read()} > 20) {store}"
        return (
            f"{kind}    for (int i = 0; i < {self.rows}; i++)\n"
            f"        for (int c = 0; c < {self.columns}; c++) {{ {store} }}\n"
        )

    def callees(self, shape: str, calls: str) -> str:
        """The functions that are called; one of them turns an array by another."""
        loops = f"for (int i = 0; i < {self.rows}; i++) for (int c = 0; c < {self.columns}; c++)"
        turn = f"static void turn(int x{shape}) {{ x[1][0] += x[0][1]; }}\n"
        add = f"static void add(const int x{shape}, int y{shape})\n{{\n    {loops} y[i][c] += x[i][c] % 9;\n"
        copy = f"static void copy(const int x{shape}, int y{shape})\n{{\n    {loops} y[i][c] = x[i][c] - c;\n}}\n"
        inner = self.rng.random() < 0.3
        found = {
            turn: "turn(" in calls or (inner and "add(" in calls),
            f"{add}{'    turn(y);' if inner else ''}\n}}\n": "add(" in calls,
            copy: "copy(" in calls,
        }
        return "".join(text for text, used in found.items() if used)

    def text(self) -> str:
        rng, shape = self.rng, f"[{self.rows}][{self.columns}]"
        names = [f"a{k}" for k in range(rng.randint(2, 4))]
        declared, lines = "", ""
        for name in names:
            storage = rng.choice(("", "", "", "static ", "static const "))
            values = " = {{1, 2, 3}, {[3] = 7}}" if rng.random() < 0.4 or "const" in storage else ""
            declared += f"    {storage}int {name}{shape}{values};\n"
            if rng.random() < 0.3:
                declared += f"#pragma hlspart layout variable={name} tile={rng.choice(TILES)}\n"
            if "const" in storage or values:
                self.filled.append(name)
            if "const" in storage:
                continue
            lines += self.nest(name, "+=" if name in self.filled else "=")
            self.filled.append(name)
            if rng.random() < 0.3:
                lines += f"    turn({name});\n"
            if rng.random() < 0.3:
                ask = f"#pragma hlspart layout nest={rng.choice(KINDS)}\n" if rng.random() < 0.5 else ""
                source = rng.choice(self.filled)
                lines += f"{ask}    {rng.choice(('add', 'copy', 'add'))}({source}, {name});\n"
            if rng.random() < 0.15:
                lines += "    if (in[0][0] > 50) return;\n"
        if rng.random() < 0.3:
            declared += f"#pragma hlspart layout variable=out tile={rng.choice(TILES)}\n"
        lines += self.nest("out", rng.choice(("=", "+="))) + self.nest("out", "^=")
        return f"{self.callees(shape, lines)}void top(const int in{shape}, int out{shape})\n{{\n{declared}{lines}}}\n"


def _laid_out(text: str) -> tuple[Propagation, dict[str, str] | Diagnostic]:
    p = Pipeline(["p.c"], Options(top="top"), lambda _: text.encode())
    return propagate(p.program, p.analysis, "top", {})


def test_random_functions_compute_the_same(tmp_path: Path, first: int = 0, count: int = amount(5, 12)) -> None:
    pairs, converted = [], 0
    for seed in range(first, first + count):
        text = _Function(random.Random(seed)).text()
        found, texts = _laid_out(text)
        assert isinstance(texts, dict) and not found.unusable
        converted += len(found.conversions)
        if texts["p.c"] != text:
            old, new = tmp_path / f"{seed}.c", tmp_path / f"{seed}_new.c"
            old.write_text(text)
            new.write_text(texts["p.c"])
            pairs.append((str(old), str(new), VerifyOptions(top="top", vectors=2)))
    results = verify_many(pairs)
    assert [(pair[0], r.message) for pair, r in zip(pairs, results, strict=True) if r.status != "equal"] == []
    assert len(pairs) >= count // 2 and converted >= count
