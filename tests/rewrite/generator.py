"""Random kernels in C whose accesses are in range by construction, and affine but for ``not affine``.

``generate(seed)`` gives one translation unit; its top is ``k<seed>(int in[32], int out[32])`` and
every file-scope name carries the seed, so that many programs compile together. Array extents are
chosen last, from the hull of all indices, so nothing leaves an array. ``features(seed)`` names what
the program has.
"""

from __future__ import annotations

import itertools
import math

from dressing import dressed
from statements import Array, Iterator, Statements

IO = 32


class Generator(Statements):
    """A program of functions, declarations, nests and calls."""

    def jump(self, arrays: list[Array], its: list[Iterator], indent: str) -> str:
        """A statement that may leave the iteration early."""
        array = self.r.choice(arrays)
        test = self.r.choice((f"acc % 5 == {self.r.randint(0, 4)}", f"{self.access(array, its)} > 50"))
        word = self.r.choice(("continue", "break", "goto"))
        if its[-1].tail and word == "continue":
            word = "break"
        self.features.add(f"jump: {word}")
        if word == "goto":
            label = self.fresh("N")
            return f"{indent}if ({test}) goto {label};\n{self.statement(arrays, its, indent)}{indent}{label}: ;\n"
        return f"{indent}if ({test}) {word};\n{self.statement(arrays, its, indent)}"

    def scoped(self, arrays: list[Array]) -> tuple[Array, list[Array]]:
        """An array of a loop's body, and the arrays that can be used in that body."""
        hidden = self.r.choice([a.name for a in arrays if a.storage == "local" and a.rank < 3] or ["T"])
        name = self.r.choice(("T", "T", hidden))
        made = self.array(name, "local")
        made.element, made.typedef = self.r.choice(("int", "short", "unsigned")), ""
        if name != "T":
            self.features.add("shadowed array")
        return made, [*(a for a in arrays if a.name != name), made]

    def nest(self, arrays: list[Array], indent: str) -> str:
        r = self.r
        depth = r.choice((1, 2, 2, 3, 4) if all(a.rank < 3 for a in arrays) else (1, 2, 3))
        its: list[Iterator] = []
        text = ""
        mine: Array | None = None
        for level in range(depth):
            it = self.loop(its)
            pad = indent + "    " * level
            label = f"L{level}_{r.randint(0, 10**9)}: " if r.random() < 0.2 else ""
            last = level == depth - 1
            bare = last and not (it.first or it.tail or it.after) and r.random() < 0.2
            if bare:
                self.features.add("body without braces")
            text += f"{pad}{it.before}{label}{it.loop}{'' if bare else ' {'}\n"
            if not bare and self.chance(0.15, "loop pragma"):
                text += r.choice(
                    ("#pragma HLS PIPELINE II=1\n", "#pragma HLS unroll\n", "#pragma HLS unroll factor=2\n")
                )
            if it.first:
                text += f"{pad}    {it.first}\n"
            its.append(it)
            if last and not bare and self.chance(0.05, "array in a loop's body"):
                mine, arrays = self.scoped(arrays)
                text += "@" + mine.name + "@"
            if r.random() < 0.3 and not bare:
                text += self.statement(arrays, its, pad + "    ")
        for _ in range(1 if bare else r.randint(1, 3)):
            text += self.statement(arrays, its, indent + "    " * depth)
        if not bare and self.chance(0.08, "jump"):
            text += self.jump(arrays, its, indent + "    " * depth)
        if mine is not None:
            self.limit(mine)
            pad = f"{indent}{'    ' * depth}"
            declared = f"{pad}{mine.declaration} = {'{' * mine.rank}7{'}' * mine.rank};\n"
            use = f"{pad}acc ^= {mine.read.format(x=mine.name + '[0]' * mine.rank)} & 1;\n"
            text = text.replace("@" + mine.name + "@", declared + self.pragmas(mine, mine.name)) + use
            self.inner.append(mine)
        for level in reversed(range(depth - bare)):
            tail = f"{indent}{'    ' * (level + 1)}{its[level].tail}\n" if its[level].tail else ""
            text += f"{tail}{indent}{'    ' * level}}}{its[level].after}\n"
        return text

    # ----------------------------------------------------------------- program
    def program(self) -> str:
        r, s = self.r, self.seed
        arrays = []
        for k in range(r.randint(1, 3)):
            storage = r.choice(("local", "local", "static", "global", "const", "parameter"))
            if k and self.chance(0.08, "member of a struct"):
                storage = "member"
            arrays.append(self.array(f"{'ABC'[k]}", storage))
        for a in arrays:
            if a.storage in ("global", "const"):
                a.name = f"{a.name}{s}"
            if a.storage == "member":
                a.name = f"{a.name.lower()}.m"
        if not any(a.writable and a.storage != "member" for a in arrays):
            arrays[0].storage, arrays[0].writable, arrays[0].name = "local", True, "A"
        mine = [a for a in arrays if a.storage != "parameter"]
        handed = [a for a in arrays if a.storage == "parameter"]
        for a in handed:
            a.storage = r.choice(("local", "static"))
        functions: list[tuple[str, list[Array], str]] = []
        calls = ""
        body = self.nest(arrays, "    ") if mine or r.random() < 0.5 else ""
        while body and self.chance(0.2, "several nests"):
            body += self.nest(arrays, "    ")
        if handed or self.chance(0.4, "calls"):
            self.features.add("calls")
            given = [a for a in arrays if a.writable and a.storage != "member"]
            formals = [self.array(f"{a.name.rstrip('0123456789')}p", "parameter", a) for a in given]
            outside = [a for a in arrays if a.storage == "const"]
            inner = ""
            if self.chance(0.4, "calls of two levels"):
                deeper = [self.array(f"{f.name}q", "parameter", f) for f in formals]
                functions.append((f"deep{s}", deeper, self.nest(deeper, "    ")))
                inner = f"    deep{s}({', '.join(f.name for f in formals)});\n"
                for f, d in zip(formals, deeper, strict=True):
                    f.feeds.append(d)
            functions.append((f"sub{s}", formals, self.nest([*formals, *outside], "    ") + inner))
            for a, f in zip(given, formals, strict=True):
                a.feeds.append(f)
            calls = self.call(f"sub{s}", given)
        if self.chance(0.15, "one callee, two arrays"):
            arrays, more, called = self.twins(arrays)
            functions += more
            calls += called
        groups: dict[int, list[Array]] = {}
        for a in arrays:  # common extents down the calls
            chain = [a, *a.feeds, *(d for f in a.feeds for d in f.feeds)]
            known = next((groups[id(c)] for c in chain if id(c) in groups), [])
            known += chain
            groups.update((id(c), known) for c in chain)
        for chain in {id(g): g for g in groups.values()}.values():
            a = chain[0]
            extra = (0, 0, 1, 2) if a.rank < 3 else (0,)
            need = [max(c.need[k] for c in chain) + r.choice(extra) for k in range(a.rank)]
            for c in chain:
                c.need = need
        for a in arrays:
            self.limit(a)
        return dressed(self.emit(arrays, functions, body, calls), r, self.chance)

    def call(self, name: str, given: list[Array]) -> str:
        """A call as a statement, in one of C's places for it."""
        text = f"{name}({', '.join(a.name for a in given)})"
        pick = self.r.random()
        if pick < 0.7:
            return f"    {text};\n"
        self.features.add("call in an expression or loop")
        if pick < 0.8:
            return f"    for (int again = 0; again < 2; again++) acc += {text} & 7;\n"
        return f"    if ({text} > 9) acc += 5;\n" if pick < 0.9 else f"    acc = acc ^ ({text} & 15);\n"

    def twins(self, arrays: list[Array]) -> tuple[list[Array], list[tuple[str, list[Array], str]], str]:
        """A further array like one of ``arrays``, and a function that is called with each of the two."""
        first = next(a for a in arrays if a.writable and a.storage != "member")
        second = Array(f"{first.name.rstrip('0123456789')}w", first.rank, first.element, "local", list(first.need), [])
        second.factors = list(first.factors) if self.r.random() < 0.7 else [None] * first.rank
        if second.factors != first.factors:
            self.features.add("partition of one of two arrays")
        formal = self.array("X", "parameter", first)
        function = (f"both{self.seed}", [formal], self.nest([formal], "    "))
        first.feeds.append(formal)
        second.feeds.append(formal)
        return [*arrays, second], [function], f"    {function[0]}({first.name});\n    {function[0]}({second.name});\n"

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
            if a.struct:
                return f"{{{r.randint(0, 60)}, 5, {{1, {r.randint(0, 9)}}}}}"
            n = r.randint(1, 60)
            return r.choice((str(n), str(n), f"{n} + 1", f"(3 * {n})", f"'{chr(64 + n % 26)}'"))

        if a.storage == "member":
            return " = {{" + "{" * (a.rank - 1) + value() + "}" * (a.rank - 1) + "}, 3}"
        if a.element in ("char", "unsigned char") and a.rank == 1 and a.need[0] > 4 and self.chance(0.5, "string"):
            return ' = "ab\\tc"'
        self.features.add("initialiser")
        if r.random() < 0.25 and a.rank == 1:
            picks = sorted(r.sample(range(a.need[0]), min(3, a.need[0])))
            self.features.add("designators")
            return " = {" + ", ".join(f"[{k}] = {value()}" for k in picks) + "}"

        def nested(dims: list[int]) -> str:
            count = r.randint(1, dims[0])
            inner = [value() if len(dims) == 1 else nested(dims[1:]) for _ in range(count)]
            return "{" + ", ".join(inner) + "}"

        return " = " + nested(a.need)

    def emit(self, arrays: list[Array], functions: list[tuple[str, list[Array], str]], body: str, calls: str) -> str:
        r, s = self.r, self.seed
        text = f"/* program {s} */\n#include <stdint.h>\n"
        if f"FOR{s}(" in body + "".join(inner for _, _, inner in functions):
            text += f"#define FOR{s}(v, lo, hi) for (int v = (lo); v <= (hi); v++)\n"
        text += "".join(f"enum {{ Q{s}_{v} = {v} }};\n" for v in sorted(self.enums))
        text += f"#define AT{s}(x, c, o) ((c) * (x) + (o))\n"
        everything = [*arrays, *(f for _, formals, _ in functions for f in formals)]
        if any(a.struct for a in everything):
            text += f"struct P{s} {{ int x; short y; int v[2]; }};\n"
        if any(a.element == f"E{s}" for a in everything):
            text += f"typedef {r.choice(('int', 'unsigned short', 'double'))} E{s};\n"
        text += "".join(f"typedef {a.element} {a.typedef}{a.dims};\n" for a in arrays if a.typedef)
        text += "".join(f"{macro}\n" for macro in self.macros)
        for a in arrays:
            if a.storage == "member":
                text += f"struct S{s}{a.name[0]} {{ {a.element} m{a.dims}; int more; }};\n"
        for a in arrays:
            if a.storage in ("global", "const"):
                head = "static const " if a.storage == "const" else r.choice(("static ", "static ", ""))
                if not head and self.chance(0.4, "declared twice"):
                    text += f"extern {a.declaration};\n"
                text += f"{head}{a.declaration}{self.initialiser(a)};\n"
        if functions and r.random() < 0.5:
            for name, formals, _ in functions:
                text += f"int {name}({', '.join(f.declaration for f in formals)});\n"
        else:
            text = text.replace("\n", "\n\n", 1)
        for name, formals, inner in functions:
            static = "" if f"int {name}(" in text else "static "
            listed = ", ".join(f.declaration for f in formals)
            firsts = [f.read.format(x=f"{f.name}{'[0]' * f.rank}{'.x' * f.struct}") for f in formals]
            touched = "".join(f"    acc += {first};\n" for first in firsts)
            text += f"{static}int {name}({listed})\n{{\n    int acc = 0;\n{touched}{inner}    return acc & 31;\n}}\n"
        text += f"void k{s}(int in[{IO}], int out[{IO}]);\nvoid k{s}(int in[{IO}], int out[{IO}])\n{{\n"
        uninitialised = []
        for a in arrays:
            if a.storage == "member":
                text += f"    struct S{s}{a.name[0]} {a.name[0]}{self.initialiser(a)};\n"
            if a.storage in ("local", "static"):
                init = self.initialiser(a)
                if not init and a.storage == "local":
                    uninitialised.append(a)
                static = "static " if a.storage == "static" else ""
                if not a.typedef and self.chance(0.25, "several declarators"):
                    more = [
                        f"*no_{a.name} = 0",
                        f"{a.declaration.removeprefix(a.element)}{init}",
                        f"other_{a.name} = 0",
                    ]
                    if a.struct:
                        del more[2:]
                    r.shuffle(more)
                    text += f"    {static}{a.element} {', '.join(m.strip() for m in more)};\n    (void)no_{a.name};\n"
                    text += "" if a.struct else f"    (void)other_{a.name};\n"
                else:
                    text += f"    {static}{a.declaration}{init};\n"
        for a in arrays:
            text += self.pragmas(a, a.name)
        text += "    int acc = in[0] & 1;\n"
        for a in [*uninitialised, *[x for x in arrays if x.writable and x not in uninitialised and r.random() < 0.5]]:
            text += self.transfer(a, f"{{x}} = in[({{sum}}) % {IO}] & 63;")
        text += body + calls
        text += f"    for (int z = 0; z < {IO}; z++) out[z] = z + (acc & 255);\n"
        for a in arrays:
            text += self.transfer(a, f"out[({{sum}}) % {IO}] = (out[({{sum}}) % {IO}] * 3 + {a.read}) & 0xffff;")
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


def features(seed: int) -> set[str]:
    """What the program of a seed has, and how deep and large it is."""
    made = Generator(seed)
    made.program()
    return made.features


def driver(seeds: list[int]) -> str:
    """A main that runs every program three times on data of its seed and prints all outputs."""
    text = "#include <stdio.h>\n#include <stdlib.h>\n"
    text += '#ifdef __cplusplus\nextern "C" {\n#endif\n'
    text += "".join(f"void k{s}(int in[{IO}], int out[{IO}]);\n" for s in seeds)
    text += "#ifdef __cplusplus\n}\n#endif\n"
    text += f"static void run(int seed, void (*k)(int *, int *))\n{{\n    int in[{IO}], out[{IO}];\n    srand(seed);\n"
    text += (
        f"    for (int call = 0; call < 3; call++) {{\n        for (int i = 0; i < {IO}; i++) in[i] = rand() & 1023;\n"
    )
    text += '        k(in, out);\n        printf("%d/%d:", seed, call);\n'
    text += f'        for (int i = 0; i < {IO}; i++) printf(" %d", out[i]);\n'
    text += '        printf("\\n");\n    }\n}\nint main(void)\n{\n'
    text += "".join(f"    run({s}, k{s});\n" for s in seeds)
    return text + "    return 0;\n}\n"
