"""Random kernels in C whose accesses are affine and in range by construction.

``generate(seed)`` gives one translation unit; its top is ``k<seed>(int in[32], int out[32])`` and
every file-scope name carries the seed, so that many programs compile together. Array extents are
chosen last, from the hull of all indices, so nothing leaves an array.
"""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import dataclass, field, replace

IO = 32


@dataclass
class Array:
    name: str
    rank: int
    element: str
    storage: str  # local | static | global | const | parameter
    need: list[int]
    factors: list[tuple[str, int] | None]
    feeds: list[Array] = field(default_factory=list)  # formals it is handed to
    writable: bool = True
    typedef: str = ""  # name of its own array type, if it has one
    form: str = ""  # how a parameter is declared: "" as an array, "open" A[][N], "static", "pointer"

    @property
    def dims(self) -> str:
        return "".join(f"[{n}]" for n in self.need)

    @property
    def struct(self) -> bool:
        return self.element.startswith("struct")

    @property
    def declaration(self) -> str:
        """Type, name and extents."""
        if self.typedef:
            return f"{self.typedef} {self.name}"
        inner = "".join(f"[{n}]" for n in self.need[1:])
        match self.form:
            case "open":
                return f"{self.element} {self.name}[]{inner}"
            case "static":
                return f"{self.element} {self.name}[static {self.need[0]}]{inner}"
            case "pointer":
                return f"{self.element} (*{self.name}){inner}" if inner else f"{self.element} *{self.name}"
        return f"{self.element} {self.name}{self.dims}"


@dataclass
class Iterator:
    name: str
    low: int
    high: int  # inclusive hull
    loop: str  # header text
    unsigned: bool = False


class Generator:
    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.seed = seed
        self.depth_of_names = 0
        self.aligned = self.r.random() < 0.5
        self.macros: list[str] = []

    # ------------------------------------------------------------------ arrays
    def array(self, name: str, storage: str, like: Array | None = None) -> Array:
        r = self.r
        if like is not None:
            made = Array(name, like.rank, like.element, storage, list(like.need), list(like.factors))
            made.form = r.choice(("", "", "open", "static", "pointer"))
            return made
        rank = r.choice((1, 1, 1, 2, 2, 3))
        factors: list[tuple[str, int] | None] = [None] * rank
        for k in r.sample(range(rank), r.randint(1, rank)):
            kind = r.choice(("cyclic", "cyclic", "block", "complete" if rank > 1 else "cyclic"))
            factors[k] = (kind, r.choice((2, 3, 4, 5)) if kind != "complete" else 0)
        element = r.choice(("int", "int", "unsigned", "short", "float", "unsigned char", "long long"))
        if r.random() < 0.08:
            element = f"struct P{self.seed}"
        if r.random() < 0.08:
            element = f"E{self.seed}"
        made = Array(name, rank, element, storage, [1] * rank, factors, writable=storage != "const")
        if r.random() < 0.12:
            made.typedef = f"{name}{self.seed}_t"
        return made

    # ------------------------------------------------------------------- loops
    def loop(self, outer: list[Iterator]) -> Iterator:
        r = self.r
        name = f"{'ijklmn'[len(outer)]}"
        low, trip, step = r.randint(0, 3), r.randint(1, 4), r.choice((1, 1, 2, 3))
        high = low + (trip - 1) * step
        kind = r.choice(("int", "int", "int", "unsigned", "long", "short"))
        if outer and r.random() < 0.2 and outer[-1].low >= 0:  # triangular
            last = outer[-1]
            return Iterator(
                name, low, low + last.high, f"for (int {name} = {low}; {name} <= {low} + (int){last.name}; {name}++)"
            )
        form = r.randrange(4)
        if form == 0 and kind in ("int", "long", "short"):
            head = f"for ({kind} {name} = {high}; {name} >= {low}; {name} -= {step})"
        elif form == 1:
            head = f"for ({kind} {name} = {low}; {name} <= {high}; {name} += {step})"
        elif form == 2 and step == 1:
            head = f"for ({kind} {name} = {low}; {name} != {high + 1}; ++{name})"
        else:
            head = f"for ({kind} {name} = {low}; {name} < {high + 1}; {name} = {name} + {step})"
        return Iterator(name, low, high, head, kind == "unsigned")

    # ----------------------------------------------------------------- indices
    def access(self, array: Array, its: list[Iterator]) -> str:
        r = self.r
        indices: list[str] = []
        for k in range(array.rank):
            part = array.factors[k]
            terms: list[tuple[int, Iterator]] = []
            for it in r.sample(its, min(len(its), r.choice((0, 1, 1, 1, 2)))):
                c = r.choice((1, 1, 1, 2, 3, -1))
                if self.aligned and part is not None:
                    if part[0] != "cyclic":
                        continue
                    c = part[1] * r.choice((1, 1, 2, -1))
                if array.rank == 3:
                    c = max(-1, min(c, 1)) if not self.aligned or part is None else c
                terms.append((c, it))
            low = sum(min(c * it.low, c * it.high) for c, it in terms)
            const = -low + r.choice((0, 0, 1, 2, 3))
            high = sum(max(c * it.low, c * it.high) for c, it in terms) + const
            array.need[k] = max(array.need[k], high + 1)
            indices.append(self.index(terms, const))
        return self.form(array, indices, its)

    def form(self, array: Array, indices: list[str], its: list[Iterator]) -> str:
        """An element in one of C's ways to say it."""
        r = self.r
        text = array.name + "".join(f"[{index}]" for index in indices)
        pick = r.random()
        if pick < 0.04:
            text = f"(*({array.name}{''.join(f'[{index}]' for index in indices[:-1])} + {indices[-1]}))"
        elif pick < 0.06 and array.rank == 1:
            text = f"({indices[0]})[{array.name}]"
        elif pick < 0.08:
            text = f"({text})"
        if array.struct:
            text += r.choice((".x", ".y"))
        if 0.1 < pick < 0.16 and its:
            name = f"M{self.seed}_{len(self.macros)}"
            names = ", ".join(it.name for it in its)
            self.macros.append(f"#define {name}({names}) {text}")
            return f"{name}({names})"
        return text

    def index(self, terms: list[tuple[int, Iterator]], const: int) -> str:
        r = self.r
        if const < 0 or any(c < 0 for c, _ in terms):  # unsigned arithmetic would wrap
            terms = [(c, replace(it, name=f"(int){it.name}") if it.unsigned else it) for c, it in terms]
        if any(c < 0 for c, _ in terms) or r.random() < 0.6:
            parts = []
            for c, it in sorted(terms, key=lambda t: -t[0]):
                size = abs(c)
                body = it.name if size == 1 else r.choice((f"{size}*{it.name}", f"{it.name} * {size}"))
                parts.append((" - " if c < 0 else " + ") + body)
            return (
                f"{const}{''.join(parts)}"
                if r.random() < 0.4 or not parts or parts[0].startswith(" -")
                else ("".join(parts)[3:] + (f" + {const}" if const else ""))
            )
        if len(terms) == 1 and r.random() < 0.5:
            c, it = terms[0]
            return f"AT{self.seed}({it.name}, {c}, {const})"
        parts = [f"({it.name} << 1)" if c == 2 else f"{c} * ({it.name})" for c, it in terms] + [str(const)]
        return "(" + " + ".join(parts) + ")" if r.random() < 0.2 else " + ".join(parts)

    # -------------------------------------------------------------- statements
    def value(self, arrays: list[Array], its: list[Iterator], depth: int = 0) -> str:
        r = self.r
        pick = r.random()
        if pick < 0.03:
            array = r.choice(arrays)
            if array.storage != "parameter" and not array.name.endswith(("p", "q")):
                return f"(int)(sizeof({array.name}) / sizeof {array.name}{'[0]' * array.rank})"
        if depth > 2 or pick < 0.2:
            return r.choice((str(r.randint(0, 9)), f"(int){its[-1].name}" if its else "3"))
        if pick < 0.65:
            return f"(int){self.access(r.choice(arrays), its)}"
        if pick < 0.75:
            test = self.access(r.choice(arrays), its)
            return f"({test} > 5 ? {self.value(arrays, its, depth + 1)} : {self.value(arrays, its, depth + 1)})"
        return f"({self.value(arrays, its, depth + 1)} {r.choice('+-+^')} {self.value(arrays, its, depth + 1)})"

    def statement(self, arrays: list[Array], its: list[Iterator], indent: str) -> str:
        r = self.r
        target = r.choice([a for a in arrays if a.writable] or arrays)
        if not target.writable:
            return f"{indent}acc += ({self.value(arrays, its)}) & 15;\n"
        pick = r.random()
        if pick < 0.1 and its:
            it = its[-1]
            plain = Iterator("t", 2 * it.low + 1, 2 * it.high + 1, "")
            inner = self.access(target, [plain])
            value = self.value(arrays, its)
            return f"{indent}{{ int t = 2 * (int){it.name} + 1; acc ^= t & 1; {inner} = ({value}) & 63; }}\n"
        if pick < 0.2 and its:
            it = r.choice(its)
            cut = r.randint(it.low, it.high)
            shifted = Iterator(it.name, cut, it.high, "", it.unsigned)
            others = [x for x in its if x is not it]
            body = self.access(target, [*others, shifted])
            return f"{indent}if ({it.name} >= {cut}) {body} = ({self.value(arrays, its)}) & 63;\n"
        if pick < 0.3 and target.element not in ("float", f"E{self.seed}"):
            return f"{indent}{self.access(target, its)} ^= ({self.value(arrays, its)}) & 63; /* mixed in */\n"
        if pick < 0.32:
            return f"{indent}acc ^= 3, acc += ({self.value(arrays, its)}) & 7;\n"
        if pick < 0.34:
            tested = f"(int){self.access(r.choice(arrays), its)} & 3"
            cases = f"case 0: acc++; break; case 1: {self.access(target, its)} = 7; break; default: acc ^= 5;"
            return f"{indent}switch ({tested}) {{ {cases} }}\n"
        if pick < 0.37 and target.element == "unsigned":
            return f"{indent}{self.access(target, its)}++;\n"
        if pick < 0.42:
            return f"{indent}if ({self.access(r.choice(arrays), its)} > 7) acc += 3; else acc ^= 1;\n"
        if pick < 0.5:
            return f"{indent}acc += ({self.value(arrays, its)}) & 31;\n"
        return f"{indent}{self.access(target, its)} = ({self.value(arrays, its)}) & 63;\n"

    def nest(self, arrays: list[Array], indent: str) -> str:
        r = self.r
        depth = r.choice((1, 2, 2, 3, 4) if all(a.rank < 3 for a in arrays) else (1, 2, 3))
        its: list[Iterator] = []
        text = ""
        for level in range(depth):
            it = self.loop(its)
            label = f"L{level}_{r.randint(0, 10**9)}: " if r.random() < 0.2 else ""
            bare = level == depth - 1 and r.random() < 0.2
            text += f"{indent}{'    ' * level}{label}{it.loop}{'' if bare else ' {'}\n"
            if r.random() < 0.15 and not bare:
                text += r.choice(
                    ("#pragma HLS PIPELINE II=1\n", "#pragma HLS unroll\n", "#pragma HLS unroll factor=2\n")
                )
            its.append(it)
            if r.random() < 0.3 and not bare:
                text += self.statement(arrays, its, indent + "    " * (level + 1))
        for _ in range(1 if bare else r.randint(1, 3)):
            text += self.statement(arrays, its, indent + "    " * depth)
        for level in reversed(range(depth - bare)):
            text += f"{indent}{'    ' * level}}}\n"
        return text

    # ----------------------------------------------------------------- program
    def program(self) -> str:
        r, s = self.r, self.seed
        arrays = []
        for k in range(r.randint(1, 3)):
            storage = r.choice(("local", "local", "static", "global", "const", "parameter"))
            arrays.append(self.array(f"{'ABC'[k]}", storage))
        for a in arrays:
            if a.storage in ("global", "const"):
                a.name = f"{a.name}{s}"
        if not any(a.writable for a in arrays):
            arrays[0].storage, arrays[0].writable, arrays[0].name = "local", True, "A"
        mine = [a for a in arrays if a.storage != "parameter"]
        handed = [a for a in arrays if a.storage == "parameter"]
        for a in handed:
            a.storage = r.choice(("local", "static"))
        functions: list[tuple[str, list[Array], str]] = []
        calls = ""
        body = self.nest(arrays, "    ") if mine or r.random() < 0.5 else ""
        if handed or r.random() < 0.4:
            given = [a for a in arrays if a.writable and a.storage != "const"]
            formals = [self.array(f"{a.name.rstrip('0123456789')}p", "parameter", a) for a in given]
            inner = ""
            if r.random() < 0.4:
                deeper = [self.array(f"{f.name}q", "parameter", f) for f in formals]
                functions.append((f"deep{s}", deeper, self.nest(deeper, "    ")))
                inner = f"    deep{s}({', '.join(f.name for f in formals)});\n"
                for f, d in zip(formals, deeper, strict=True):
                    f.feeds.append(d)
            functions.append((f"sub{s}", formals, self.nest(formals, "    ") + inner))
            for a, f in zip(given, formals, strict=True):
                a.feeds.append(f)
            calls = f"    sub{s}({', '.join(a.name for a in given)});\n"
        for a in arrays:  # common extents down the calls
            chain = [a, *a.feeds, *(d for f in a.feeds for d in f.feeds)]
            need = [
                max(c.need[k] for c in chain) + (r.choice((0, 0, 1, 2)) if a.rank < 3 else 0) for k in range(a.rank)
            ]
            for c in chain:
                c.need = need
        for a in arrays:
            self.limit(a)
        return self.emit(arrays, functions, body, calls)

    def limit(self, a: Array) -> None:
        """Drop partitions that would make too many banks."""
        while True:
            banks = math.prod(
                1 if f is None else (a.need[k] if f[0] == "complete" else min(f[1], a.need[k]))
                for k, f in enumerate(a.factors)
            )
            if banks <= 32:
                return
            a.factors[max(range(a.rank), key=lambda k: 0 if a.factors[k] is None else a.need[k])] = None

    def pragmas(self, a: Array, name: str) -> str:
        text = ""
        for k, f in enumerate(a.factors):
            if f is not None:
                factor = "" if f[0] == "complete" else f" factor={f[1]}"
                text += f"#pragma HLS array_partition variable={name} type={f[0]}{factor} dim={k + 1}\n"
        return text

    def initialiser(self, a: Array) -> str:
        r = self.r
        if a.storage == "local" and not a.struct and r.random() < 0.3:
            return ""

        def value() -> str:
            return f"{{{r.randint(0, 60)}, 5}}" if a.struct else str(r.randint(0, 60))

        if r.random() < 0.25 and a.rank == 1:
            picks = sorted(r.sample(range(a.need[0]), min(3, a.need[0])))
            return " = {" + ", ".join(f"[{k}] = {value()}" for k in picks) + "}"

        def nested(dims: list[int]) -> str:
            count = r.randint(1, dims[0])
            inner = [value() if len(dims) == 1 else nested(dims[1:]) for _ in range(count)]
            return "{" + ", ".join(inner) + "}"

        return " = " + nested(a.need)

    def emit(self, arrays: list[Array], functions: list[tuple[str, list[Array], str]], body: str, calls: str) -> str:
        r, s = self.r, self.seed
        text = f"/* program {s} */\n#define AT{s}(x, c, o) ((c) * (x) + (o))\n"
        everything = [*arrays, *(f for _, formals, _ in functions for f in formals)]
        if any(a.struct for a in everything):
            text += f"struct P{s} {{ int x; short y; }};\n"
        if any(a.element == f"E{s}" for a in everything):
            text += f"typedef {r.choice(('int', 'unsigned short', 'double'))} E{s};\n"
        text += "".join(f"typedef {a.element} {a.typedef}{a.dims};\n" for a in arrays if a.typedef)
        text += "".join(f"{macro}\n" for macro in self.macros)
        for a in arrays:
            if a.storage in ("global", "const"):
                head = "static const " if a.storage == "const" else r.choice(("static ", "static ", ""))
                text += f"{head}{a.declaration}{self.initialiser(a)};\n"
        if functions and r.random() < 0.5:
            for name, formals, _ in functions:
                text += f"void {name}({', '.join(f.declaration for f in formals)});\n"
        else:
            text = text.replace("\n", "\n\n", 1)
        for name, formals, inner in functions:
            static = "" if f"void {name}(" in text else "static "
            listed = ", ".join(f.declaration for f in formals)
            touched = "".join(f"    acc += (int){f.name}{'[0]' * f.rank}{'.x' * f.struct};\n" for f in formals)
            text += f"{static}void {name}({listed})\n{{\n    int acc = 0;\n{touched}{inner}    (void)acc;\n}}\n"
        text += f"void k{s}(int in[{IO}], int out[{IO}]);\nvoid k{s}(int in[{IO}], int out[{IO}])\n{{\n"
        uninitialised = []
        for a in arrays:
            if a.storage in ("local", "static"):
                init = self.initialiser(a)
                if not init and a.storage == "local":
                    uninitialised.append(a)
                static = "static " if a.storage == "static" else ""
                more = f", other_{a.name} = 0" if not a.typedef and a.element == "int" and r.random() < 0.2 else ""
                text += f"    {static}{a.declaration}{init}{more};\n"
                text += f"    (void)other_{a.name};\n" if more else ""
        for a in arrays:
            text += self.pragmas(a, a.name)
        text += "    int acc = in[0] & 1;\n"
        for a in [*uninitialised, *[x for x in arrays if x.writable and x not in uninitialised and r.random() < 0.5]]:
            text += self.transfer(a, f"{{x}} = in[({{sum}}) % {IO}] & 63;")
        text += body + calls
        text += f"    for (int z = 0; z < {IO}; z++) out[z] = z + (acc & 255);\n"
        for a in arrays:
            text += self.transfer(a, f"out[({{sum}}) % {IO}] = (out[({{sum}}) % {IO}] * 3 + (int){{x}}) & 0xffff;")
        return text + "}\n"

    def transfer(self, a: Array, statement: str) -> str:
        """Loops over all elements; in an aligned program one per bank, so that each stays in its bank."""
        choices = []
        for k, name in enumerate("xyz"[: a.rank]):
            n, part = a.need[k], a.factors[k]
            heads = [(name, f"for (int {name} = 0; {name} < {n}; {name}++) ")]
            if self.aligned and part is not None:
                kind, factor = part
                if kind == "cyclic":
                    factor = min(factor, n)
                    heads = [
                        (name, f"for (int {name} = {b}; {name} < {n}; {name} += {factor}) ") for b in range(factor)
                    ]
                elif kind == "block":
                    size = math.ceil(n / min(factor, n))
                    heads = [
                        (name, f"for (int {name} = {b}; {name} < {min(n, b + size)}; {name}++) ")
                        for b in range(0, n, size)
                    ]
                else:
                    heads = [(str(b), "") for b in range(n)]
            choices.append(heads)
        text = ""
        for combination in itertools.product(*choices):
            loops = "".join(head for _, head in combination)
            indices = "".join(f"[{name}]" for name, _ in combination)
            total = " + ".join(f"{name} * {2 * k + 1}" for k, (name, _) in enumerate(combination))
            text += "    " + loops + statement.format(x=a.name + indices + ".y" * a.struct, sum=total) + "\n"
        return text


def generate(seed: int) -> str:
    """One program."""
    return Generator(seed).program()


def driver(seeds: list[int]) -> str:
    """A main that runs every program three times on data of its seed and prints all outputs."""
    text = "#include <stdio.h>\n#include <stdlib.h>\n"
    text += "".join(f"void k{s}(int in[{IO}], int out[{IO}]);\n" for s in seeds)
    text += f"static void run(int seed, void (*k)(int *, int *))\n{{\n    int in[{IO}], out[{IO}];\n    srand(seed);\n"
    text += (
        f"    for (int call = 0; call < 3; call++) {{\n        for (int i = 0; i < {IO}; i++) in[i] = rand() & 1023;\n"
    )
    text += '        k(in, out);\n        printf("%d/%d:", seed, call);\n'
    text += f'        for (int i = 0; i < {IO}; i++) printf(" %d", out[i]);\n'
    text += '        printf("\\n");\n    }\n}\nint main(void)\n{\n'
    text += "".join(f"    run({s}, k{s});\n" for s in seeds)
    return text + "    return 0;\n}\n"
