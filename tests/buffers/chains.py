"""Random chains of loop nests over local arrays: what `buffers` is for, with its difficulties mixed in."""

from __future__ import annotations

import random

TYPES = ("short", "unsigned char")


class _Chain:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.rows = rng.choice((64, 512, 600))
        self.arrays: dict[str, tuple[str, tuple[int, ...]]] = {}
        self.declared: list[str] = []
        self.filled: list[str] = []  # every element has a value
        self.lines: list[str] = []
        self.called: list[str] = []

    def declare(self) -> None:
        for k in range(self.rng.randint(4, 7)):
            rows = self.rows if self.rng.random() < 0.8 else self.rng.choice((40, 300))
            dims = (rows,) if self.rng.random() < 0.9 else (rows, 4)
            kind = "int" if self.rng.random() < 0.9 else self.rng.choice(TYPES)
            self.arrays[f"t{k}"] = kind, dims
            extents = "".join(f"[{d}]" for d in dims)
            self.declared.append(f"    {kind} t{k}{extents};\n")
            if self.rng.random() < 0.1:
                self.declared.append(f"#pragma HLS ARRAY_PARTITION variable=t{k} cyclic factor=2 dim=1\n")

    def read(self, name: str, i: str, width: int) -> str:
        if name == "in":
            return f"in[({i}) % 128]"
        rows = self.arrays[name][1][0]
        index = f"({i}) % {rows}" if width > rows else i
        return f"{name}[{index}]" + ("[i % 4]" if len(self.arrays[name][1]) > 1 else "")

    def nest(self, indent: str) -> None:
        rng = self.rng
        target = rng.choice([*self.arrays, "out"])
        width = 128 if target == "out" else self.arrays[target][1][0]
        sources = rng.sample(["in", *self.filled], min(1 + len(self.filled), rng.randint(1, 2)))
        if self.filled and rng.random() < 0.7:  # mostly one behind the other: what runs at once cannot share
            sources = [self.filled[-1], *(s for s in sources if s != self.filled[-1])]
        whole = rng.random() < 0.85 or target not in self.filled  # or only every other element
        step, down = ("i++" if whole else "i += 2"), rng.random() < 0.2
        index = rng.choice(("i", "i", f"{width - 1} - i", f"(i + {rng.randint(1, 5)}) % {width}"))
        values = [self.read(s, rng.choice(("i", index)), width) for s in sources]
        value = " + ".join([*values, str(rng.randint(0, 9))])
        head = f"for (int i = {width - 1}; i >= 0; i--)" if down and whole else f"for (int i = 0; i < {width}; {step})"
        store = f"{target}[i]"
        if target != "out" and len(self.arrays[target][1]) > 1:
            value = value.replace("[i % 4]", "[j]")
            self.lines.append(f"{indent}{head}\n{indent}    for (int j = 0; j < 4; j++)\n")
            self.lines.append(f"{indent}        {store}[j] = {value} + j;\n")
        elif rng.random() < 0.15 and target in self.filled:
            self.lines.append(f"{indent}{head}\n{indent}    {store} += {value};\n")
        elif rng.random() < 0.15:
            self.lines.append(
                f"{indent}{head}\n{indent}    if (in[i % 128] > 3) {store} = {value}; else {store} = 1;\n"
            )
        else:
            self.lines.append(f"{indent}{head}\n{indent}    {store} = {value};\n")
        if target != "out" and whole and target not in self.filled:
            self.filled.append(target)
        if len(self.filled) > 2 and rng.random() < 0.5:  # the oldest is not read any more
            self.filled.pop(0)

    def call(self, indent: str = "    ") -> None:
        flat = [n for n, (kind, dims) in self.arrays.items() if kind == "int" and len(dims) == 1]
        known = [n for n in flat if n in self.filled]
        if not known:
            return
        source = self.rng.choice(known)
        size = self.arrays[source][1]
        targets = [n for n in flat if n != source and self.arrays[n][1] == size]
        if targets:
            target = self.rng.choice(targets)
            self.called.append(
                f"static void f{len(self.called)}(int x[{size[0]}], int y[{size[0]}])\n{{\n"
                f"    for (int i = 0; i < {size[0]}; i++) y[i] = x[{size[0] - 1} - i] * 3;\n}}\n"
            )
            self.lines.append(f"{indent}f{len(self.called) - 1}({source}, {target});\n")
            if target not in self.filled:
                self.filled.append(target)

    def text(self) -> str:
        self.declare()
        for _ in range(self.rng.randint(4, 9)):
            kind = self.rng.random()
            if kind < 0.2:
                before = list(self.filled)
                last = self.rng.randint(1, 3)
                head = self.rng.choice((f"0; t < {last}; t++", f"{last}; t > 0; t--", f"1; t <= {2 * last}; t += 2"))
                self.lines.append(f"    for (int t = {head}) {{\n")
                for _ in range(self.rng.randint(2, 4)):
                    (self.call if self.rng.random() < 0.3 else self.nest)("        ")
                self.lines.append("    }\n")
                self.filled = [n for n in self.filled if n in before or self.rng.random() < 0.9]
            elif kind < 0.3:
                self.call()
            else:
                self.nest("    ")
        for name in self.filled[-2:]:
            read = self.read(name, "i", 128).replace("[i % 4]", "[i % 4]")
            self.lines.append(f"    for (int i = 0; i < 128; i++)\n        out[i] += {read};\n")
        head = "void top(const int in[128], int out[128])\n{\n"
        return "".join([*self.called, head, *self.declared, *self.lines, "}\n"])


def chain(seed: int) -> str:
    """One program; the same for the same seed."""
    return _Chain(random.Random(seed)).text()
