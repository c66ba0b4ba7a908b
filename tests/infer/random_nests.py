"""Random labelled nests under random directives: what tools flatten, pipeline, unroll, split or copy by themselves.

One or two functions over one to three arrays. Nests are perfect or not, of constant, triangular or variable bounds;
PIPELINE stands at any level or nowhere, UNROLL with and without a factor, arrays have partitions of all kinds and
storage of all kinds. Every index is in range.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

EXTENT = 24  # of the first dimension; an index is at most 2 * 7 + 2 + 7
SECOND = 12
TRIPS = (2, 4, 8)
STORAGE = ("ram_1p", "ram_2p", "ram_t2p", "ram_s2p impl=lutram", "ram_1wnr")


@dataclass(frozen=True)
class _Array:
    name: str
    rank: int
    local: bool

    @property
    def declared(self) -> str:
        return f"int {self.name}[{EXTENT}]" + f"[{SECOND}]" * (self.rank - 1)


def program(seed: int) -> str:
    """The text of one program, whose top function is ``f``."""
    return _Writer(random.Random(seed)).program()


class _Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.labels = 0
        names = "ABC"[: rng.choice((1, 2, 2, 3))]
        self.arrays = [_Array(name, rng.choice((1, 1, 2)), rng.random() < 0.7) for name in names]

    def program(self) -> str:
        called = self.rng.random() < 0.35
        lines = []
        if called:
            array = self.rng.choice(self.arrays)
            self.arrays, kept = [_Array("P", array.rank, False)], self.arrays
            lines += [f"static int g({self.arrays[0].declared}, int n)", "{", "    int s = n;", *self.inlining()]
            lines += [*self.nest("s"), "    return s;", "}"]
            self.arrays = kept
        formals = [a.declared for a in self.arrays if not a.local]
        lines += [f"void f({', '.join([*formals, 'int x[64]', 'int y[64]', 'int n'])})", "{"]
        for a in self.arrays:
            if a.local:
                lines.append(f"    {a.declared};")
            lines += self.partitions(a)
        if self.rng.random() < 0.15:
            lines.append("#pragma HLS PIPELINE" + self.rng.choice(("", " off")))
        lines.append("    int t = 0;")
        for a in self.arrays:
            if a.local:
                lines += self.filled(a)
        for _ in range(self.rng.choice((1, 2, 2))):
            lines += self.nest("t")
        if called:
            lines.append(f"    t += g({array.name}, n);")
        return "\n".join([*lines, "    y[0] = t;", "}", ""])

    def inlining(self) -> list[str]:
        return ["#pragma HLS INLINE" + self.rng.choice(("", " off"))] if self.rng.random() < 0.4 else []

    def partitions(self, a: _Array) -> list[str]:
        """Directives about an array."""
        found = []
        if self.rng.random() < 0.5:
            dim = self.rng.randint(0, a.rank) if self.rng.random() < 0.3 else self.rng.randint(1, a.rank)
            kind = self.rng.choice(("cyclic", "cyclic", "block", "complete"))
            if kind == "complete" and dim != a.rank and a.rank > 1:
                dim = a.rank
            factor = "" if kind == "complete" else f" factor={self.rng.choice((2, 3, 4, 6, 8))}"
            found.append(f"#pragma HLS ARRAY_PARTITION variable={a.name} type={kind}{factor} dim={max(dim, 1)}")
        if self.rng.random() < 0.25 and a.local:
            found.append(f"#pragma HLS BIND_STORAGE variable={a.name} type={self.rng.choice(STORAGE)}")
        return found

    def label(self) -> str:
        self.labels += 1
        return f"L{self.labels}"

    def filled(self, a: _Array) -> list[str]:
        element = f"{a.name}[i]" + "[j]" * (a.rank - 1)
        lines = [f"    {self.label()}: for (int i = 0; i < {EXTENT}; i++) {{"]
        if a.rank > 1:
            lines[0] = lines[0][:-2] + f" {self.label()}: for (int j = 0; j < {SECOND}; j++) {{"
        if self.rng.random() < 0.4:
            lines.append("#pragma HLS PIPELINE II=" + self.rng.choice("112"))
        return [*lines, f"        {element} = x[i] + {self.rng.choice(('i', '3'))};", "    }"]

    def nest(self, scalar: str) -> list[str]:
        """A nest of one to three loops."""
        depth = self.rng.choice((1, 2, 2, 3))
        pipelined = self.rng.choice((None, *range(depth), depth - 1))
        return self.loop(0, depth, pipelined, {}, scalar)

    def loop(self, level: int, depth: int, pipelined: int | None, most: dict[str, int], scalar: str) -> list[str]:
        rng, name, indent = self.rng, "ijk"[level], "    " * (level + 1)
        trips = rng.choice(TRIPS)
        bound, first = str(trips), "0"
        if level and rng.random() < 0.1:
            first = "ijk"[level - 1] + " & 1"
        elif rng.random() < 0.1:
            bound = f"(n & {trips - 1})"
        lines = [f"{indent}{self.label()}: for (int {name} = {first}; {name} < {bound}; {name}++) {{"]
        if level == pipelined:
            lines.append("#pragma HLS PIPELINE" + rng.choice(("", " II=1", " II=1", " II=2", " off")))
        elif level and rng.random() < 0.3:
            lines.append("#pragma HLS UNROLL" + rng.choice(("", " factor=2", " factor=4")))
        if level == 0 and bound != str(trips):
            lines.append(f"#pragma HLS LOOP_TRIPCOUNT min=1 max={trips}")
        most = {**most, name: trips - 1}
        if level + 1 < depth:
            if rng.random() < 0.3:
                lines.append(f"{indent}    {self.statement(most, scalar)}")
            lines += self.loop(level + 1, depth, pipelined, most, scalar)
            if rng.random() < 0.25:
                lines.append(f"{indent}    {self.statement(most, scalar)}")
        else:
            lines += [f"{indent}    {self.statement(most, scalar)}" for _ in range(rng.choice((1, 1, 2)))]
        return [*lines, f"{indent}}}"]

    def statement(self, most: dict[str, int], scalar: str) -> str:
        reads = " + ".join(self.element(most) for _ in range(self.rng.choice((1, 2, 3, 4))))
        kind = self.rng.random()
        if kind < 0.4:
            return f"{scalar} += {reads};"
        guard = f"if ({'ijk'[len(most) - 1]} > 1) " if self.rng.random() < 0.15 else ""
        return f"{guard}{self.element(most)} = {reads};"

    def element(self, most: dict[str, int]) -> str:
        a = self.rng.choice(self.arrays)
        return a.name + "".join(f"[{self.index(n, most)}]" for n in (EXTENT, SECOND)[: a.rank])

    def index(self, extent: int, most: dict[str, int]) -> str:
        """An index below ``extent``."""
        if self.rng.random() < 0.04:
            return f"x[{'ijk'[len(most) - 1]}] & 7"
        parts, top = [], 0
        for name in self.rng.sample(sorted(most), len(most)):
            times = self.rng.choice((0, 1, 1, 2, 4))
            if times and top + times * most[name] < extent:
                parts.append(name if times == 1 else f"{times} * {name}")
                top += times * most[name]
        const = self.rng.randint(0, min(3, extent - 1 - top))
        return " + ".join([*parts, str(const)] if const or not parts else parts)
