"""Random programs from the edges of C and C++: what a rewrite may easily get wrong.

``generate(seed)`` (C) and ``generate(seed, cxx=True)`` give one translation unit with the interface of ``generator``:
its top is ``k<seed>(int in[32], int out[32])``, every file-scope name carries the seed, nothing leaves an array and
nothing is undefined. Much of it has to be refused; ``features(seed)`` names what a program has.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

IO = 32
ITERATORS = (
    "int",
    "int",
    "unsigned",
    "short",
    "unsigned char",
    "signed char",
    "long",
    "unsigned long",
    "long long",
    "size_t",
)


@dataclass(frozen=True)
class Array:
    """``read`` and ``write`` are patterns of an int expression and of a statement; ``{x}`` is an element."""

    name: str
    size: int
    declaration: str
    read: str
    write: str
    kind: str
    scope: str  # "file" or "function"
    plain: bool = False  # its elements are int


class Edges:
    """One program."""

    def __init__(self, seed: int, cxx: bool) -> None:
        self.r, self.seed, self.cxx = random.Random(seed * 2 + cxx), seed, cxx
        self.features: set[str] = set()
        self.head: list[str] = []
        self.count = 0

    def fresh(self, stem: str) -> str:
        """A name that nothing else has."""
        self.count += 1
        return f"{stem}{self.seed}_{self.count}"

    def note(self, feature: str) -> None:
        """Remember what the program has."""
        self.features.add(feature)

    # ------------------------------------------------------------------ arrays

    def array(self, number: int) -> Array:
        """An array of any kind of element."""
        kinds = [
            "int",
            "int",
            "short",
            "unsigned char",
            "bool",
            "enum",
            "pointer",
            "constant pointer",
            "union",
            "bits",
            "const",
        ]
        kind = self.r.choice([*kinds, "scoped enum", "namespace"] if self.cxx else kinds)
        size = self.r.randint(12, 24)
        scope = "file" if kind in ("const", "namespace") else self.r.choice(("file", "function"))
        name = f"{'ABCD'[number]}{self.seed if scope == 'file' else ''}"
        self.note(f"elements: {kind}")
        some = ", ".join(str(self.r.randint(1, 60)) for _ in range(self.r.randint(1, size)))
        s = self.seed
        static = "static " if scope == "file" or self.r.random() < 0.4 else ""
        form: dict[str, tuple[str, str, str, str]] = {
            "int": ("int", some, "{x}", "{x} = (int)({v}) & 63;"),
            "short": ("short", some, "{x}", "{x} = (short)(({v}) & 63);"),
            "unsigned char": ("unsigned char", some, "(int){x}", "{x} = (unsigned char)({v});"),
            "const": ("const int", some, "{x}", ""),
            "namespace": ("int", some, "{x}", "{x} = ({v}) & 63;"),
            "bool": ("bool" if self.cxx else "_Bool", "1, 0, 1", "(int){x}", "{x} = (({v}) & 1) != 0;"),
            "enum": (f"enum E{s}", f"X{s}, Y{s}", "(int){x}", f"{{x}} = (({{v}}) & 1) ? X{s} : Y{s};"),
            "scoped enum": (
                f"F{s}", f"F{s}::P, F{s}::Q", "static_cast<int>({x})", f"{{x}} = (({{v}}) & 1) ? F{s}::P : F{s}::Q;",
            ),
            "pointer": ("int *", f"t{s}, t{s} + 3, &t{s}[2]", "({x} ? *{x} : 0)", f"{{x}} = t{s} + (({{v}}) & 7);"),
            "constant pointer": (
                "const int *", f"t{s} + 1, t{s}", "({x} ? *{x} : 0)", f"{{x}} = t{s} + (({{v}}) & 7);",
            ),
            "union": (f"union U{s}", "{7}, {9}", "{x}.c[0]", "{x}.x = ({v}) & 0xffff;"),
            "bits": (f"struct B{s}", "{1, 2, 3}, {2}", "(int)({x}.a + {x}.b)", "{x}.b = ({v}) & 3;"),
        }  # fmt: skip
        type_, values, read, write = form[kind]
        stars = "*" * type_.count("*")
        text = f"{static}{type_.replace('*', '').strip()} {stars}{name}[{size}] = {{{values}}};"
        if kind == "namespace":
            text = f"namespace n{s} {{ {text} }}\nstatic int {name}[{size}] = {{3, 4}};"
        return Array(name, size, text, read, write, kind, scope, kind in ("int", "namespace"))

    # ------------------------------------------------------------------ accesses

    def index(self, size: int, iterators: list[tuple[str, int]]) -> str:
        """A subscript below ``size`` from iterators, each with its greatest value."""
        terms, room = [], size - 1
        for name, most in self.r.sample(iterators, self.r.randint(0, len(iterators))):
            c = self.r.choice((1, 1, 2, 3))
            if c * most <= room:
                room -= c * most
                terms.append(name if c == 1 else f"{c} * {name}")
        constant = self.r.randint(0, room)
        return " + ".join([*terms, str(constant)] if constant or not terms else terms)

    def element(self, a: Array, iterators: list[tuple[str, int]]) -> str:
        """An element, said in one of several ways."""
        index = self.index(a.size, iterators)
        if a.kind == "namespace" and self.r.random() < 0.5:
            return f"n{self.seed}::{a.name}[{index}]"
        pick = self.r.random()
        if pick < 0.08:
            self.note("brackets of macros")
            return f"{a.name} L{self.seed} {index} R{self.seed}"
        if pick < 0.16 and a.plain and not self.cxx:
            return f"*({a.name} + {index})".join("()")
        if pick < 0.24:
            self.note("access in a macro")
            name = self.fresh("M")
            self.head.append(f"#define {name}(e) {a.name}[e]")
            return f"{name}({index})"
        return f"{a.name}[{index}]"

    def value(self, arrays: list[Array], iterators: list[tuple[str, int]]) -> str:
        """An int from elements and iterators."""
        a = self.r.choice(arrays)
        read = a.read.format(x=self.element(a, iterators)).join("()")
        names = [name for name, _ in iterators]
        pick = self.r.random()
        if pick < 0.4 or not names:
            return f"{read} + {self.r.randint(0, 9)}"
        return self.with_iterator(read, self.r.choice(names))

    def with_iterator(self, read: str, name: str) -> str:
        """An int from another one and from what the type of an iterator decides."""
        self.note("value of an iterator")
        return self.r.choice((
            f"{read} * 2 + (int){name}",
            f"{read} + ({name} - 1 < 2)",
            f"{read} + (int)sizeof {name}",
            f"{read} + (int)(({name} - 3) >> 3 & 15)",
            f"{read} + ONCE{self.seed}({name})",
            f"{read} + NAME{self.seed}({name})[0]",
            f"{read} + (~{name} > 5)",
            f"{read} + (int)(sizeof({name} + 1) + -{name} / 2)",
        ))  # fmt: skip

    # ------------------------------------------------------------------ statements

    def statement(self, arrays: list[Array], iterators: list[tuple[str, int]]) -> str:
        """A statement from the edges, or a store."""
        writable = [a for a in arrays if a.write]
        pick = self.r.random()
        if writable and pick < 0.45:
            a = self.r.choice(writable)
            store = a.write.format(x=self.element(a, iterators), v=self.value(arrays, iterators))
            guard = f"if ((acc ^ {self.r.randint(0, 3)}) & 1) " if self.r.random() < 0.3 else ""
            return guard + store
        if pick < 0.65:
            return f"acc = (acc * 3 + ({self.value(arrays, iterators)})) & 1023;"
        forms = [*self.common(arrays, iterators), *(self.only_cxx if self.cxx else self.only_c)(arrays, iterators)]
        feature, made = self.r.choice(forms)
        self.note(feature)
        return made()

    def common(self, arrays: list[Array], iterators: list[tuple[str, int]]) -> list[tuple[str, Callable[[], str]]]:
        """Statements of both languages."""

        def value() -> str:
            return self.value(arrays, iterators)

        def some() -> str:
            a = self.r.choice(arrays)
            return self.element(a, iterators)

        k = self.fresh("v")
        forms: list[tuple[str, Callable[[], str]]] = [
            ("static", lambda: f"{{ static int {k}; acc = (acc + ++{k} * (({value()}) & 7)) & 1023; }}"),
            ("static table", lambda: f"{{ static const int {k}[3] = {{4, 2, 9}}; acc += {k}[({value()}) & 1]; }}"),
            ("local type", lambda: f"{{ struct t {{ int q; }} {k} = {{({value()}) & 7}}; acc += {k}.q; }}"),
            (
                "switch",
                lambda: (
                    f"switch (({value()}) & 3) {{ case 0: acc++; break; case 1: acc ^= ({value()}) & 63; default: ; }}"
                ),
            ),
            ("continue", lambda: f"if (acc % 7 == 3) continue; acc += ({value()}) & 3;"),
            ("break", lambda: f"if (acc % 11 == 5) break; acc += ({value()}) & 3;"),
            ("asm", lambda: f'__asm__ ("" : "+r"(acc)); acc += ({value()}) & 3;'),
            ("size of an element", lambda: f"acc += (int)sizeof {some()} & 3;"),
            ("comma", lambda: f"acc += (acc ^= 1, ({value()}) & 7);"),
            ("name of the function", lambda: "acc += __func__[0] & 3;"),
            ("line", lambda: "acc += __LINE__ & 1;"),
            (
                "pasted",
                lambda: f"{{ int PASTE{self.seed}(acc, {self.seed}) = ({value()}) & 3; acc += acc{self.seed}; }}",
            ),
        ]  # fmt: skip
        return forms

    def only_c(self, arrays: list[Array], iterators: list[tuple[str, int]]) -> list[tuple[str, Callable[[], str]]]:
        """Statements of C."""

        def value() -> str:
            return self.value(arrays, iterators)

        plain = [a for a in arrays if a.plain]
        forms: list[tuple[str, Callable[[], str]]] = [
            ("compound literal", lambda: f"acc += ((int[]){{({value()}) & 7, 2}})[acc & 1];"),
            ("statement expression", lambda: f"acc += ({{ int w = ({value()}) & 7; w; }});"),
            ("run-time extent", lambda: f"acc += (int)sizeof(char[(({value()}) & 3) + 1]);"),
        ]
        if plain:
            a = self.r.choice(plain)
            forms += [
                ("memory operand", lambda: f'__asm__ ("" : "+m"({self.element(a, iterators)}));'),
                ("address", lambda: f"{{ int *p = &{self.element(a, iterators)}; acc += *p & 7; }}"),
            ]
        return forms

    def only_cxx(self, arrays: list[Array], iterators: list[tuple[str, int]]) -> list[tuple[str, Callable[[], str]]]:
        """Statements of C++."""
        name = self.r.choice([n for n, _ in iterators] or ["1"])
        forms: list[tuple[str, Callable[[], str]]] = [("overload", lambda: f"acc += over{self.seed}({name});")]
        plain = [a for a in arrays if a.plain]
        if plain:
            a = self.r.choice(plain)

            def x() -> str:
                return self.element(a, iterators)

            forms += [
                ("reference", lambda: f"{{ int &q = {x()}; q = (q + acc) & 63; acc += {x()}; }}"),
                ("constant reference", lambda: f"{{ const int &q = {x()}; {x()} = acc & 31; acc += q; }}"),
                ("element by reference", lambda: f"bump{self.seed}({x()}, acc & 3);"),
                ("conditional lvalue", lambda: f"(acc & 1 ? {x()} : {x()}) = acc & 63;"),
                ("assignment as lvalue", lambda: f"({x()} = acc & 15) += 2;"),
                ("swap", lambda: f"std::swap({x()}, {x()});"),
            ]
        return forms

    # ------------------------------------------------------------------ program

    def nest(self, arrays: list[Array], depth: int) -> str:
        """Loops around statements."""
        text, iterators, close = "", [], ""
        for level in range(depth):
            name, kind, trips = "ijk"[level], self.r.choice(ITERATORS), self.r.randint(2, 4)
            self.note(f"iterator: {kind}")
            step = self.r.choice((1, 1, 2))
            last = (trips - 1) * step
            header = f"for ({kind} {name} = 0; {name} < {last + 1}; {name} += {step})"
            if step == 1 and kind not in ("unsigned", "unsigned long", "size_t") and self.r.random() < 0.2:
                header = f"for ({kind} {name} = {last}; {name} >= 0; {name}--)" if "unsigned" not in kind else header
            text += f"    {header} {{\n"
            if level == 0 and self.r.random() < 0.7:
                text += "#pragma HLS PIPELINE II=1\n"
                if self.r.random() < 0.3:
                    text += f"#pragma HLS UNROLL factor={self.r.choice((2, 3))}\n"
            elif self.r.random() < 0.3:
                text += f"#pragma HLS UNROLL{self.r.choice(('', ' factor=2'))}\n"
            iterators.append((name, last))
            close += "    }\n"
            if self.r.random() < 0.3:
                text += f"        {self.statement(arrays, iterators)}\n"
        for _ in range(self.r.randint(1, 3)):
            text += f"        {self.statement(arrays, iterators)}\n"
        return text + close

    def window(self) -> str:
        """An array that one loop fills and another one slides over, each with an iterator of a type of its own."""
        self.note("window")
        r, name = self.r, self.fresh("W")
        fill, slide = r.choice(ITERATORS), r.choice(ITERATORS)
        first, size = r.randint(1, 3), r.randint(12, 24)
        reads = " + ".join(f"{name}[i - {k}]" if k else f"{name}[i]" for k in range(first + 1))
        more = f" + {name}[i + 1]" if r.random() < 0.6 else ""
        stored = self.with_iterator(f"in[{'j' if r.random() < 0.7 else '(j + 1) % ' + str(size)}]", "j")
        return (
            f"    int {name}[{size}];\n    for ({fill} j = 0; j < {size}; j++) {{\n#pragma HLS PIPELINE II=1\n"
            f"        {name}[j] = (0u + {stored}) & 63;\n    }}\n"
            f"    for ({slide} i = {first + r.randint(0, 2)}; i < {size - 1}; i++) {{\n#pragma HLS PIPELINE II=1\n"
            f"        acc = (acc * 3u + {self.with_iterator(reads + more, 'i')}) & 1023;\n    }}\n"
        )

    def program(self) -> str:
        """The whole text."""
        s, r = self.seed, self.r
        arrays = [self.array(k) for k in range(r.randint(1, 3))]
        body = "".join(self.nest(arrays, r.choice((1, 2, 2, 3))) for _ in range(r.randint(1, 2)))
        jumps = ""
        if r.random() < 0.1 and not self.cxx:
            self.note("goto")
            body += f"    if (acc == 5) goto end{s};\n{self.nest(arrays, 1)}"
            jumps = f"end{s}:\n"
        body += self.window() if r.random() < 0.3 else ""
        includes = ["#include <stddef.h>", *(["#include <utility>"] if self.cxx else [])]
        head = [
            f"#define ONCE{s}(x) ((int)((x) + 1))", f"#define NAME{s}(x) #x", f"#define PASTE{s}(a, b) a##b",
            f"#define L{s} [", f"#define R{s} ]",
            f"enum E{s} {{ X{s}, Y{s} = 3 }};", f"union U{s} {{ int x; unsigned char c[4]; }};",
            f"struct B{s} {{ unsigned a : 3, b : 2; int c : 5; }};",
            f"static int t{s}[8] = {{3, 1, 4, 1, 5, 9, 2, 6}};",
        ]  # fmt: skip
        if self.cxx:
            head += [
                f"enum class F{s} : unsigned char {{ P, Q = 5 }};",
                f"static inline void bump{s}(int &x, int by) {{ x = (x + by) & 63; }}",
                *(f"static inline int over{s}({t} x) {{ return (int)x + {k}; }}" for k, t in enumerate(
                    ("int", "unsigned", "long", "unsigned long", "long long", "short", "unsigned char", "signed char")
                )),
            ]  # fmt: skip
        declared = [a.declaration for a in arrays if a.scope == "file"]
        pragmas = [self.pragma(a) for a in arrays]
        local = [f"    {a.declaration}" for a in arrays if a.scope == "function"]
        out = "".join(
            f"    for (int z = 0; z < {a.size}; z++) "
            f"out[z] = (out[z] * 3 + {a.read.format(x=f'{a.name}[z]')}) & 0xffff;\n"
            for a in arrays
        )
        linkage = 'extern "C" ' if self.cxx else ""
        top = [
            f"{linkage}void k{s}(int in[{IO}], int out[{IO}]);",
            f"{linkage}void k{s}(int in[{IO}], int out[{IO}])", "{", f"    int acc = (in[0] & 63) + t{s}[1];",
            *local, *pragmas,
        ]  # fmt: skip
        return "\n".join([*includes, *head, *self.head, *declared, *top]) + (
            f"\n{body}{jumps}    for (int z = 0; z < {IO}; z++) out[z] = z + (acc & 255);\n{out}}}\n"
        )

    def pragma(self, a: Array) -> str:
        """A partition of ``a``."""
        kind = self.r.choice(("cyclic", "cyclic", "block"))
        return f"#pragma HLS array_partition variable={a.name} type={kind} factor={self.r.choice((2, 3, 4))}"


def generate(seed: int, cxx: bool = False) -> str:
    """One program."""
    return Edges(seed, cxx).program()


def features(seed: int, cxx: bool = False) -> set[str]:
    """What the program of a seed has."""
    made = Edges(seed, cxx)
    made.program()
    return made.features
