"""Random kernels whose difficulty is in their number: of nests, arrays, copies, calls, cases, ways through them."""

from __future__ import annotations

import random
from collections.abc import Callable

_PRAGMAS = (
    "PIPELINE II=1", "PIPELINE", "PIPELINE II=2", "UNROLL", "UNROLL factor=2", "UNROLL factor=4", "UNROLL factor=8",
    "PIPELINE II=1\n#pragma HLS UNROLL factor=4", "DEPENDENCE variable=a0 inter false", "LOOP_FLATTEN",
)  # fmt: skip


class _Kernel:
    def __init__(self, rnd: random.Random) -> None:
        self.rnd = rnd
        self.arrays: list[tuple[str, int, int]] = []  # name, dimensions, elements per dimension
        self.before: list[str] = []  # text in front of the function
        self.labels = 0

    # ------------------------------------------------------------------------------- pieces

    def index(self, names: list[str], size: int) -> str:
        """A place in a dimension: often affine, else what makes banks hard to tell."""
        rnd = self.rnd
        i, j = rnd.choice(names), rnd.choice(names)
        return rnd.choice((
            f"{i}", f"{i} + {rnd.randrange(5)}", f"{i} + {j}", f"2*{i} + {rnd.randrange(4)}", f"{size - 1} - {i}",
            f"({i} * {rnd.choice((3, 5, 7))} + {j}) % {size}", f"{i} / {rnd.choice((2, 3, 4))}",
            f"({i} ^ {j}) & {size - 1}", f"({i} >> 1) + ({j} << 1)", f"(unsigned char)({i} * 17)",
            f"{i} < {size // 2} ? {i} : {size} - {i}", f"({i} + x) & {size - 1}", f"a0[{i}] & {size - 1}",
            f"{i} > 0 ? {i} - 1 : 0",
        ))  # fmt: skip

    def place(self, names: list[str]) -> str:
        """An element of one of the arrays."""
        name, dims, size = self.rnd.choice(self.arrays)
        return name + "".join(f"[{self.index(names, size)}]" for _ in range(dims))

    def sum(self, names: list[str], count: int) -> str:
        """Several elements, taken together."""
        rnd = self.rnd
        found = [self.place(names) for _ in range(count)]
        text = found[0]
        for item in found[1:]:
            larger = f"({text} > {item} ? {text} : {item})" if len(text) < 200 else f"{text} - {item}"
            text = rnd.choice((f"{text} + {item}", f"{text} * {item}", larger, f"((int)({text}) ^ (int){item})"))
        return text

    def window(self, names: list[str]) -> list[str]:
        """A window of one array, each element said."""
        name, dims, _ = self.rnd.choice(self.arrays)
        side = self.rnd.choice((2, 3, 4, 5)) if dims == 2 else self.rnd.choice((3, 8, 16))
        i, j = names[0], names[-1]
        if dims == 2:
            terms = [f"{name}[{i} + {r}][{j} + {c}]" for r in range(side) for c in range(side)]
        else:
            terms = [f"{name}[{self.rnd.choice((1, 2))}*{i} + {r}]" for r in range(side)]
        return [f"s += {' + '.join(terms)};"]

    def switch(self, names: list[str]) -> list[str]:
        """A switch, each case with an access of its own."""
        cases = self.rnd.choice((4, 12, 40))
        lines = [f"switch ((int){self.place(names)} & {self.rnd.choice((7, 63))}) {{"]
        for k in range(cases):
            lines.append(f"case {k}: {self.place(names)} = {self.place(names)}; {'break;' * (k % 3 > 0)}")
        return [*lines, "default: s++;", "}"]

    def shifts(self, names: list[str]) -> list[str]:
        """A shift register, and a read of it at a place that is only known at run time."""
        name, dims, size = self.rnd.choice(self.arrays)
        rest = "[0]" * (dims - 1)
        i = f"q{self.labels}"
        self.labels += 1
        return [
            f"for (int {i} = {size - 1}; {i} > 0; {i}--) {name}[{i}]{rest} = {name}[{i} - 1]{rest};",
            f"{name}[0]{rest} = s;", f"s += {name}[s & {size - 1}]{rest};",
        ]  # fmt: skip

    def guards(self, names: list[str]) -> list[str]:
        """Stores below one another's conditions."""
        depth = self.rnd.choice((3, 8, 16))
        lines = [
            f"if ({self.place(names)} {self.rnd.choice(('>', '==', '<'))} {self.rnd.choice(names)}) {{ "
            f"{self.place(names)} = s;"
            for _ in range(depth)
        ]
        return [*lines, "s++; " + "}" * depth]

    def calls(self, names: list[str]) -> list[str]:
        """Functions each of which calls the next one more than once."""
        depth, times, k = self.rnd.choice((3, 8, 14)), self.rnd.choice((1, 2, 3)), self.labels
        self.labels += 1
        self.before.append(f"static int f{k}_0(int v) {{ return v * 3 + 1; }}")
        for level in range(1, depth):
            inner = " + ".join(f"f{k}_{level - 1}(v + {n})" for n in range(times))
            self.before.append(f"static int f{k}_{level}(int v) {{ return {inner}; }}")
        return [f"s += f{k}_{depth - 1}({self.place(names)});"]

    def body(self, names: list[str]) -> list[str]:
        """Statements of an innermost loop."""
        rnd, lines = self.rnd, list[str]()
        kinds: tuple[Callable[[list[str]], list[str]], ...]
        kinds = self.window, self.switch, self.shifts, self.guards, self.calls
        for _ in range(rnd.choice((1, 1, 2, 3))):
            if rnd.random() < 0.5:
                lines.append(f"{self.place(names)} {rnd.choice(('=', '+='))} {self.sum(names, rnd.choice((1, 3, 9)))};")
            else:
                lines += rnd.choice(kinds)(names)
        return lines

    def nest(self) -> list[str]:
        """A loop nest with pragmas at some of its levels."""
        rnd = self.rnd
        depth, number = rnd.choice((1, 1, 2, 2, 3, 5)), self.labels
        self.labels += 1
        names, lines = list[str](), list[str]()
        for level in range(depth):
            name = f"i{number}_{level}"
            bound = rnd.choice(("8", "16", "30", "x", f"{names[-1]} + 1" if names else "12"))
            header = f"for (int {name} = {rnd.choice('001')}; {name} < {bound}; {name} += {rnd.choice('1112')}) {{"
            lines.append(f"L{number}_{level}: {header}")
            names.append(name)
            if rnd.random() < (0.8 if level == depth - 1 else 0.25):
                lines.append(f"#pragma HLS {rnd.choice(_PRAGMAS)}")
        return [*lines, *self.body(names), "}" * depth]

    def text(self) -> str:
        """The whole program, of at most some 200 lines."""
        rnd = self.rnd
        count, nests = rnd.choice((2, 4, 4, 12, 30)), rnd.choice((1, 2, 4, 10))
        params, local, pragmas = ["int x", "int a0[64]"], list[str](), list[str]()
        self.arrays.append(("a0", 1, 64))
        for k in range(1, count):
            dims = rnd.choice((1, 1, 2))
            size = rnd.choice((16, 64, 37, 256)) if dims == 1 else rnd.choice((8, 32, 33))
            self.arrays.append((f"a{k}", dims, size))
            shape = f"[{size}]" * dims
            kind = rnd.choice(("int", "short", "float", "unsigned char"))
            if rnd.random() < 0.4:
                params.append(f"{kind} a{k}{shape}")
            else:
                local.append(f"    {kind} a{k}{shape}{' = {0}' * (rnd.random() < 0.3)};")
            if rnd.random() < 0.3:
                how = rnd.choice(("cyclic factor=2", "cyclic factor=3", "block factor=4", "complete"))
                pragmas.append(f"#pragma HLS ARRAY_PARTITION variable=a{k} {how} dim={rnd.randrange(1, dims + 1)}")
        lines = [x for _ in range(nests) for x in self.nest()][:180]
        lines += ["}" * (sum(x.count("{") for x in lines) - sum(x.count("}") for x in lines))]
        head = [*self.before, f"int top({', '.join(params)})", "{", *local, *pragmas, "    int s = 0;"]
        return "\n".join([*head, *lines, "return s;", "}", ""])


def generate(seed: int) -> str:
    """The program of a seed: C that compilers accept; nothing here is run."""
    return _Kernel(random.Random(seed)).text()
