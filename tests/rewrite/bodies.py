"""Random loop bodies for bank-centric code: guards, jumps, stores read again, headers, members of structs.

``generate(seed)`` gives one translation unit with the top ``k<seed>(int in[32], int out[32])``; all
indices are inside their arrays by construction. Drivers come from ``generator.driver``.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from generator import IO


@dataclass
class Array:
    name: str
    dims: list[int]
    element: str
    parts: list[tuple[str, int] | None]
    storage: str

    @property
    def struct(self) -> bool:
        return self.element.startswith("struct")


@dataclass
class Range:
    name: str
    low: int
    high: int  # inclusive


class Bodies:
    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.seed = seed
        self.arrays = [self.array(name) for name in "AB"[: self.r.choice((1, 1, 2))]]

    def array(self, name: str) -> Array:
        r = self.r
        rank = r.choice((1, 1, 2, 2, 3))
        low, high = {1: (12, 40), 2: (5, 12), 3: (3, 6)}[rank]
        elements = ("int", "int", "short", "unsigned", "float", "unsigned char", f"struct p{self.seed}")
        parts: list[tuple[str, int] | None] = [None] * rank
        for k in r.sample(range(rank), r.randint(1, rank)):
            parts[k] = (r.choice(("cyclic", "cyclic", "block")), r.choice((2, 3, 4, 5)))
        storage = r.choice(("local", "static", "global"))
        name = f"{name}{self.seed}" if storage == "global" else name
        return Array(name, [r.randint(low, high) for _ in range(rank)], r.choice(elements), parts, storage)

    # ------------------------------------------------------------------------------- indices

    def index(self, extent: int, its: list[Range]) -> str:
        """An index in [0, extent)."""
        r = self.r
        for _ in range(20):
            picked = r.sample(its, min(len(its), r.choice((0, 1, 1, 1, 1, 2))))
            terms = [(r.choice((1, 1, 1, 2, -1)), it) for it in picked]
            low = sum(min(c * it.low, c * it.high) for c, it in terms)
            high = sum(max(c * it.low, c * it.high) for c, it in terms)
            if high - low >= extent:
                continue
            const = r.randint(-low, extent - 1 - high)
            text = "".join(
                (" - " if c < 0 else " + ") + (it.name if abs(c) == 1 else f"{abs(c)}*{it.name}") for c, it in terms
            )
            if not text or text.startswith(" -"):
                return f"{const}{text}"
            return text[3:] + (f" {'+' if const > 0 else '-'} {abs(const)}" if const else "")
        return str(r.randrange(extent))

    def access(self, its: list[Range]) -> tuple[str, Array]:
        array = self.r.choice(self.arrays)
        text = array.name + "".join(f"[{self.index(n, its)}]" for n in array.dims)
        return text + (self.r.choice((".x", ".y")) if array.struct else ""), array

    def value(self, its: list[Range], depth: int = 0) -> str:
        r, pick = self.r, self.r.random()
        if depth > 2 or pick < 0.2:
            return r.choice((str(r.randint(0, 9)), its[-1].name))
        if pick < 0.7:
            return f"(int){self.access(its)[0]}"
        one, two = self.value(its, depth + 1), self.value(its, depth + 1)
        return (
            f"({self.access(its)[0]} > 5 ? {one} : {two} ^ 64)" if pick < 0.78 else f"({one} {r.choice('+-+^')} {two})"
        )

    # ---------------------------------------------------------------------------- statements

    def statement(self, its: list[Range], indent: str, depth: int = 0) -> str:
        r, pick = self.r, self.r.random()
        target, array = self.access(its)
        value = self.value(its)
        whole = array.element in ("int", "unsigned")
        if pick < 0.14 and depth < 2:
            tests = (f"{its[-1].name} > {r.randint(0, 5)}", f"{self.access(its)[0]} > {r.randint(0, 30)}", "acc & 1")
            test, inner = r.choice(tests), indent + "    "
            text = "".join(self.statement(its, inner, depth + 1) for _ in range(r.randint(1, 3)))
            other = "" if r.random() < 0.5 else f" else {{\n{self.statement(its, inner, depth + 1)}{indent}}}"
            return f"{indent}if ({test}) {{\n{text}{indent}}}{other}\n"
        forms = [
            (0.18, True, f"if ({its[-1].name} >= {r.randint(0, 4)}) {target} = ({value}) & 63;"),
            (0.24, array.element != "float", f"{target} += ({value}) & 7;"),
            (0.28, whole, f"{r.choice((target + '++', '++' + target, target + '--'))};"),
            (0.31, True, f"acc += (int)({target} = ({value}) & 31) & 15;"),
            (0.34, whole, f"acc += (int){target}++ & 15;"),
            (0.40, True, f"{target} = ({value}) & 63; acc += (int){target} & 7;"),
            (0.44, whole, f"while ({target} > 40 && {target} < 99) {target} = {target} - 9;"),
            (0.48, True, f"for (int w = 0; w < ((int){target} & 3); w++) acc += w + (int){self.access(its)[0]};"),
            (0.54, True, f"switch (acc & 3) {{ case 0: {target} = ({value}) & 63; break; default: acc += 2; }}"),
            (0.66, True, f"acc += ({value}) & 31;"),
            (1.00, True, f"{target} = ({value}) & 63;"),
        ]
        return indent + next(text for most, fits, text in forms if pick < most and fits) + "\n"

    def nest(self) -> str:
        r = self.r
        depth = r.choice((1, 1, 2, 2, 3))
        its: list[Range] = []
        text, indent = "", "    "
        for level in range(depth):
            name, low, step = "ijk"[level], r.randint(0, 2), r.choice((1, 1, 1, 2, 3))
            high = low + (r.randint(1, 9 if depth == 1 else 5) - 1) * step
            form = r.randrange(4)
            head = f"for (int {name} = {low}; {name} <= {high}; {name} += {step})"
            if its and r.random() < 0.2:
                head, low, high = f"for (int {name} = 0; {name} <= {its[-1].name}; {name}++)", 0, its[-1].high
            elif form == 0:
                head = f"for (int {name} = {high}; {name} >= {low}; {name} -= {step})"
            elif form == 1:
                head = f"for (int {name} = {low}; {name} < {high + 1}; {name} = {name} + {step})"
            text += f"{indent}{head} {{\n"
            its.append(Range(name, low, high))
            indent += "    "
            if level == depth - 1 and r.random() < 0.6:
                text += "#pragma HLS PIPELINE II=1\n"
            if level < depth - 1 and r.random() < 0.25:
                text += self.statement(its, indent)
        if r.random() < 0.25:
            last, factor, const = its[-1], r.choice((1, 2)), r.randint(0, 2)
            text += f"{indent}int q = {factor} * {last.name} + {const};\n{indent}acc ^= q & 1;\n"
            its = [*its, Range("q", factor * last.low + const, factor * last.high + const)]
        text += "".join(self.statement(its, indent) for _ in range(r.randint(1, 4)))
        if r.random() < 0.12:
            text += f"{indent}if (acc % 5 == {r.randint(0, 4)}) {r.choice(('continue', 'break'))};\n"
            text += self.statement(its, indent)
        return text + "".join("    " * level + "}\n" for level in range(depth, 0, -1))

    # ------------------------------------------------------------------------------- program

    def transfer(self, array: Array, fill: bool) -> str:
        names = "xyz"[: len(array.dims)]
        loops = "".join(f"for (int {v} = 0; {v} < {n}; {v}++) " for v, n in zip(names, array.dims, strict=True))
        at = array.name + "".join(f"[{v}]" for v in names)
        place = " + ".join(f"{v} * {2 * k + 1}" for k, v in enumerate(names))
        if fill and array.struct:
            body = f"{{ {at}.x = in[({place}) % {IO}] & 63; {at}.y = ({place}) & 7; }}"
        elif fill:
            body = f"{at} = in[({place}) % {IO}] & 63;"
        else:
            value = f"({at}.x + {at}.y)" if array.struct else at
            body = f"out[({place}) % {IO}] = (out[({place}) % {IO}] * 3 + (int){value}) & 0xffff;"
        return f"    {loops}{body}\n"

    def program(self) -> str:
        r, seed = self.r, self.seed
        text = f"struct p{seed} {{ int x; short y; }};\n"
        local = ""
        for a in self.arrays:
            declared = f"{a.element} {a.name}{''.join(f'[{n}]' for n in a.dims)};\n"
            text += declared if a.storage == "global" else ""
            local += {"global": "", "local": f"    {declared}", "static": f"    static {declared}"}[a.storage]
        for a in self.arrays:
            for k, part in enumerate(a.parts):
                if part is not None:
                    line = f"variable={a.name} type={part[0]} factor={part[1]} dim={k + 1}"
                    local += f"#pragma HLS array_partition {line}\n"
        text += f"void k{seed}(int in[{IO}], int out[{IO}]);\nvoid k{seed}(int in[{IO}], int out[{IO}])\n{{\n{local}"
        text += "    int acc = in[0] & 7;\n" + "".join(self.transfer(a, True) for a in self.arrays)
        text += "".join(self.nest() for _ in range(r.randint(1, 3)))
        text += f"    for (int z = 0; z < {IO}; z++) out[z] = z + (acc & 1023);\n"
        return text + "".join(self.transfer(a, False) for a in self.arrays) + "}\n"


def generate(seed: int) -> str:
    """One program."""
    return Bodies(seed).program()
