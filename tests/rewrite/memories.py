"""Random programs in C whose memories have several names: what a line buffer or a variable may easily read too late.

``generate(seed)`` has the interface of ``generator``: its top is ``k<seed>(int in[32], int out[32])``, every
file-scope name carries the seed, nothing leaves an array and nothing is undefined. Arrays, some with extents of
typedefs, members of structures and unions, are filled, read in windows and updated in place (``A[i] op= ..``) under
their own names and through pointers; between a fill and its window stand statements that change, shadow or define anew
what the fill says. ``features(seed)`` names what a program has.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

IO = 32
ITERATORS = ("int", "int", "int", "unsigned", "short", "unsigned char", "long", "size_t")
MOST = 1023  # of what an element holds


@dataclass(frozen=True)
class Named:
    """A way to say the elements of a memory: ``{}`` is the subscript. ``base``: a pointer to the first one."""

    pattern: str
    size: int
    base: str
    element: str = "int"

    def at(self, index: str) -> str:
        """An element."""
        return self.pattern.replace("{}", index)


@dataclass(frozen=True)
class Memory:
    """All names of a memory; those behind the first are only used where aliases are wanted."""

    names: tuple[Named, ...]
    kept: bool  # its elements are part of the output


class Memories:
    """One program."""

    def __init__(self, seed: int) -> None:
        self.r, self.seed = random.Random(seed * 7 + 3), seed
        self.features: set[str] = set()
        self.head: list[str] = []
        self.declared: list[str] = []
        self.pragmas: list[str] = []
        self.count = 0

    def fresh(self, stem: str) -> str:
        """A name that nothing else has."""
        self.count += 1
        return f"{stem}{self.seed}_{self.count}"

    def note(self, feature: str) -> None:
        """Remember what the program has."""
        self.features.add(feature)

    # ------------------------------------------------------------------ memories

    def memory(self) -> Memory:
        """An array of some kind with its names."""
        r = self.r
        kind = r.choice(("local", "local", "local", "static", "file", "typedef", "rows", "member", "union"))
        self.note(f"memory: {kind}")
        element = r.choice(("int", "int", "int", "short", "unsigned char", "unsigned")) if kind != "union" else "int"
        size, name = r.randint(12, 24), self.fresh("A")
        if kind in ("local", "static", "file"):
            start = "static " if kind != "local" else ""
            (self.head if kind == "file" else self.declared).append(f"{start}{element} {name}[{size}];")
            first = Named(f"{name}[{{}}]", size, name, element)
        elif kind == "typedef":
            self.head.append(f"typedef {element} {name}_t[{size}];")
            self.declared.append(f"{name}_t {name};")
            first = Named(f"{name}[{{}}]", size, name, element)
        elif kind == "rows":
            self.head.append(f"typedef {element} {name}_t[4];")
            size = 4 * r.randint(3, 6)
            self.declared.append(f"{name}_t {name}[{size // 4}];")
            first = Named(f"{name}[({{}}) / 4][({{}}) % 4]", size, f"{name}[0]", element)
        elif kind == "member":
            self.declared.append(f"struct {{ {element} a[{size}], b[4]; }} {name};")
            first = Named(f"{name}.a[{{}}]", size, f"{name}.a", element)
        else:
            self.declared.append(f"union {{ int a[{size}]; unsigned w[{size}]; }} {name};")
            first = Named(f"{name}.a[{{}}]", size, f"{name}.a")
        clear = r.random() < 0.3 or kind == "union"
        if clear:
            where = name if kind not in ("member", "union") else f"&{name}"
            self.declared.append(f"memset({where}, 0, sizeof {name});")
        if kind in ("local", "static", "file", "typedef") and r.random() < 0.3:
            how = r.choice(("cyclic factor=2", "cyclic factor=4", "block factor=2"))
            self.pragmas.append(f"#pragma HLS array_partition variable={name} {how}")
        names = [first]
        if kind == "union":
            names.append(Named(f"(int){name}.w[{{}}]", size, f"(int *){name}.w"))
        return Memory((*names, *self.aliases(first, name, kind)), clear and r.random() < 0.5)

    def aliases(self, first: Named, name: str, kind: str) -> list[Named]:
        """Pointers into a memory."""
        r, made = self.r, list[Named]()
        for _ in range(r.choice((0, 0, 0, 1, 2))):
            p = self.fresh("p")
            form = r.choice(("start", "middle", "array"))
            self.note(f"alias: {form}")
            if form == "array" and kind in ("local", "static", "file"):
                self.declared.append(f"{first.element} (*{p})[{first.size}] = &{name};")
                made.append(Named(f"(*{p})[{{}}]", first.size, f"*{p}", first.element))
            else:
                skip = r.randint(1, 3) if form == "middle" else 0
                if kind == "rows":
                    skip = 0
                    self.declared.append(f"{first.element} (*{p})[4] = {name};")
                    made.append(Named(f"{p}[({{}}) / 4][({{}}) % 4]", first.size, f"*{p}", first.element))
                    continue
                shift = f" + {skip}" if skip else ""
                self.declared.append(f"{first.element} *{p} = {first.base}{shift};")
                made.append(Named(f"{p}[{{}}]", first.size - skip, p, first.element))
        return made

    # ------------------------------------------------------------------ stages

    def named(self, memory: Memory, alias: float = 0.25) -> Named:
        """A name of a memory."""
        return self.r.choice(memory.names) if self.r.random() < alias else memory.names[0]

    def loop(self, name: str, low: int, high: int) -> str:
        """A loop header from ``low`` below ``high``, rarely the other way round."""
        kind = self.r.choice(ITERATORS)
        self.note(f"iterator: {kind}")
        if self.r.random() < 0.15 and kind in ("int", "short", "long"):
            return f"for ({kind} {name} = {high - 1}; {name} >= {low}; {name}--)"
        step = "++" if self.r.random() < 0.9 else " += 2"
        return f"for ({kind} {name} = {low}; {name} < {high}; {name}{step})"

    def fill(self, memory: Memory, others: list[Memory]) -> str:
        """A loop that stores every element of a memory."""
        r, target = self.r, self.named(memory, 0.1)
        source, size = "in", min(target.size, IO)
        if others and r.random() < 0.3:
            other = self.named(r.choice(others))
            source, size = "", min(size, other.size)
            taken = other.at("j")
        else:
            taken = r.choice(("in[j]", "in[j]", f"in[(j + 1) % {IO}]", "*(in + j)"))
        self.note("fill" + (" from a memory" if not source else ""))
        value = r.choice((
            taken, f"{taken} + K{self.seed}", f"{taken} * 3 + k", f"({taken} ^ (int)j)", f"(j - 1 < 2) + {taken}",
            f"{taken} + (int)sizeof(j)", f"{taken} + acc", f"M{self.seed}({taken})", f"(k > 3 ? {taken} : k)",
        ))  # fmt: skip
        value = f"(int)((unsigned)({value}) & {MOST})"
        element = target.at("j")
        body = r.choice((
            f"{element} = {value};", f"{element} = {value};", f"{{ int t = {value}; {element} = t; }}",
            f"{{ int t; t = {value}; if (t & 1) t += k; {element} = t; }}",
            f"if (k & 1) {element} = {value}; else {element} = (int)j;",
            f"{element} = {value}; {element} {r.choice('+^|')}= 5;",
        )) if not element.startswith("(int)") else ";"  # fmt: skip
        pipelined = "#pragma HLS PIPELINE II=1\n" if r.random() < 0.5 else ""
        return f"{self.loop('j', 0, size)} {{\n{pipelined}        {body}\n    }}\n"

    def between(self, memories: list[Memory]) -> str:
        """Something that may change what a fill says."""
        r = self.r
        feature, text = r.choice((
            ("scalar changed", "k = (k * 3 + 1) & 7;"),
            ("source changed", f"in[{r.randrange(IO)}] ^= 9;"),
            ("source changed", f"for (int z = 0; z < {IO}; z++) in[z] = (in[z] + z) & {MOST};"),
            ("macro defined anew", f"\n#undef K{self.seed}\n#define K{self.seed} {r.randint(5, 9)}\n"),
            ("acc changed", "acc = (acc * 5 + k) & 255;"),
            ("label", f"{self.fresh('here')}: ;"),
            ("nothing", ";"),
            ("element changed", f"{r.choice(memories).names[0].at(str(r.randrange(8)))} = 77;"),
        ))  # fmt: skip
        self.note(f"between: {feature}")
        return text + "\n"

    def slide(self, memory: Memory, memories: list[Memory]) -> str:
        """A loop that reads windows of a memory."""
        r, read = self.r, self.named(memory, 0.15)
        back, ahead = r.randint(0, 2), r.randint(1, 3)
        size = min(read.size, IO)
        offsets = sorted({-back, ahead, *r.sample(range(-back, ahead + 1), r.randint(1, back + ahead))})
        terms = [self.named(memory, 0.08) for _ in offsets]
        size = min(size, *(t.size for t in terms))
        total = " + ".join(
            f"{r.choice(('', '2 * ', '3 * '))}{t.at(f'i + {g}' if g > 0 else f'i - {-g}' if g else 'i')}"
            for t, g in zip(terms, offsets, strict=True)
        )
        total = r.choice((total, total, f"{total} + (i - 1 < 3)", f"{total} + k", f"{total} + in[i]"))
        where = r.random()
        if where < 0.3:
            store = f"acc = (int)((acc * 3u + {total}) & 1023);"
        elif where < 0.6:
            store = f"out[i] = (int)((unsigned)({total}) & {MOST});"
        else:
            target = self.named(r.choice([memory, *memories]))
            self.note("window that stores a memory")
            size = min(size, target.size)
            store = self.update(target, "i", total)
        if r.random() < 0.2:
            self.note("window that changes the source")
            store += f" in[i] = (in[i] + 1) & {MOST};"
        shadow = r.choice(("", "", "", "        int k = 2;\n", "        int t = k + acc; acc ^= t & 3;\n"))
        if r.random() < 0.15:
            shadow += f"        if (in[i] == {r.randint(0, 9)}) continue;\n"
        self.note("window")
        pad = r.choice(("", "", "int k = 5; "))
        header = self.loop("i", back, size - ahead)
        text = f"{header} {{\n#pragma HLS PIPELINE II=1\n{shadow}        {store}\n    }}\n"
        return f"{{ {pad}{text}    (void)k; }}\n" if pad else text

    def update(self, target: Named, index: str, value: str) -> str:
        """A store that may be an operation on what was there."""
        element = target.at(index)
        if element.startswith("(int)"):
            element = element[5:]
        value = f"(int)((unsigned)({value}) & 63)"
        op = self.r.choice(("=", "=", "+=", "-=", "^=", "|=", "&=", "*=", ">>=", "++"))
        self.note(f"store: {op}")
        if op == "*=":
            return f"{element} *= 3; {element} &= {MOST};"
        if op == "++":
            return f"{element}++; {element} += {value} & 1;"
        if op == ">>=":
            return f"{element} >>= {value} & 3;"
        return f"{element} {op} {value};"

    def scan(self, memory: Memory, memories: list[Memory]) -> str:
        """A loop that hands elements on to later iterations."""
        r, target, read = self.r, self.named(memory, 0.1), self.named(memory, 0.15)
        size, far = min(target.size, read.size), r.randint(1, 3)
        other = self.named(r.choice(memories))
        size = min(size, other.size)
        self.note("scan")
        pad = "        acc = (acc + " + other.at("i") + ") & 255;\n" if r.random() < 0.4 else ""
        store = self.update(target, "i", read.at(f"i - {far}") + " + " + other.at("i"))
        return f"{self.loop('i', far, size)} {{\n#pragma HLS PIPELINE II=1\n{pad}        {store}\n    }}\n"

    def call(self, memories: list[Memory]) -> str:
        """A function that is handed one memory twice, or two."""
        r, name = self.r, self.fresh("f")
        a, b = self.named(r.choice(memories), 0.5), self.named(r.choice(memories), 0.5)
        far = r.randint(1, 2)
        count = min(a.size, b.size) - far - 1
        self.note("call")
        index, value = f"i + {r.randint(0, far)}", f"b[i - 1] + b[i] + b[i + {far}] + k"
        self.head.append(
            f"static void {name}({a.element} *a, const {b.element} *b, int k) {{\n"
            f"    for (int i = 1; i < {count}; i++) {{\n#pragma HLS PIPELINE II=1\n"
            f"        {self.update(Named('a[{}]', count, 'a'), index, value)}\n    }}\n}}"
        )
        return f"{name}({a.base}, {b.base}, k);\n"

    def copy(self, memories: list[Memory]) -> str:
        """A copy between parts of memories of one kind of element."""
        r = self.r
        a, b = self.named(r.choice(memories), 0.4), self.named(r.choice(memories), 0.4)
        count = min(a.size, b.size) - 3
        if a.element != b.element:
            return f"memset({a.base}, 1, {r.randint(1, 3)} * sizeof *({a.base}));\n"
        self.note("copy of a part")
        return f"memmove({a.base} + {r.randint(0, 3)}, {b.base} + {r.randint(0, 3)}, {count} * sizeof *({a.base}));\n"

    # ------------------------------------------------------------------ program

    def program(self) -> str:
        """The whole text."""
        r, s = self.r, self.seed
        memories = [self.memory() for _ in range(r.randint(1, 3))]
        stages = []
        for k, memory in enumerate(memories):
            if not memory.kept or r.random() < 0.8:
                stages.append(self.fill(memory, memories[:k]))
        for _ in range(r.randint(1, 3)):
            pick = r.random()
            if pick < 0.4:
                stages.append(self.between(memories))
            memory = r.choice(memories)
            stages.append(
                self.slide(memory, memories) if pick < 0.65 else self.scan(memory, memories) if pick < 0.8
                else self.call(memories) if pick < 0.92 else self.copy(memories)
            )  # fmt: skip
            stages += [self.fill(memory, memories)] if r.random() < 0.1 else []
        body = "".join(f"    {stage}" for stage in stages)
        # what is not cleared has to be filled ahead of everything, whatever stands between
        cleared = "".join(
            f"    for (int z = 0; z < {m.names[0].size}; z++) {m.names[0].at('z')} = z;\n"
            for m in memories
            if not m.kept and not self.filled_whole(m, stages)
        )
        shown = [m.names[0] for m in memories if m.kept]
        ends = "".join(
            f"    for (int z = 0; z < {n.size}; z++) out[z] = (out[z] * 3 + (int){n.at('z')}) & 0xffff;\n"
            for n in shown
        )
        head = [
            "#include <stddef.h>", "#include <string.h>", f"#define K{s} 3", f"#define M{s}(x) ((x) + K{s})",
            *self.head,
            f"void k{s}(int in[{IO}], int out[{IO}]);", f"void k{s}(int in[{IO}], int out[{IO}])", "{",
            "    int acc = in[0] & 63, k = in[1] & 7;",
        ]  # fmt: skip
        lines = [*head, *(f"    {d}" for d in self.declared), *self.pragmas]
        first = f"    for (int z = 0; z < {IO}; z++) out[z] = z;\n"
        return "\n".join(lines) + f"\n{first}{cleared}{body}{ends}    out[{IO - 1}] += acc + k;\n}}\n"

    @staticmethod
    def filled_whole(memory: Memory, stages: list[str]) -> bool:
        """Whether the first loop that names a memory gives every element a value."""
        first = memory.names[0]
        own = f"{first.at('j')} = "
        loop = next((s for s in stages if first.base.split("[")[0].split(".")[0] in s), "")
        return loop.startswith("for (") and own in loop and f"j < {first.size}; j++" in loop and "if (k" not in loop


def generate(seed: int) -> str:
    """One program."""
    return Memories(seed).program()


def features(seed: int) -> set[str]:
    """What the program of a seed has."""
    made = Memories(seed)
    made.program()
    return made.features
