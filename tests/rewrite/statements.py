"""The words of the random kernels: arrays, loops, indices, values and statements, see ``generator``."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

INTEGERS = ("int", "unsigned", "short", "unsigned short", "unsigned char", "signed char", "char", "long", "long long")
INTEGERS += ("unsigned long long", "uint8_t", "int16_t")
WIDE = ("unsigned", "long", "long long", "unsigned long long")
WRAPPING = ("unsigned", "unsigned long long", "unsigned char", "short", "uint8_t", "int16_t", "unsigned short")


@dataclass
class Array:
    name: str
    rank: int
    element: str
    storage: str  # local | static | global | const | parameter | member
    need: list[int]
    factors: list[tuple[str, int] | None]
    feeds: list[Array] = field(default_factory=list)  # formals it is handed to
    writable: bool = True
    typedef: str = ""  # name of its own array type, if it has one
    form: str = ""  # how a parameter is declared: "" as an array, "open" A[][N], "static", "pointer"

    @property
    def integer(self) -> bool:
        return self.element in INTEGERS or self.struct

    @property
    def wraps(self) -> bool:
        """Whether it may be multiplied and shifted without a signed overflow."""
        return self.element in WRAPPING

    @property
    def read(self) -> str:
        """A pattern that makes an int of an element without an overflow later."""
        return "(int)({x} & 1023)" if self.element in WIDE else "(int){x}"

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
    before: str = ""  # what stands before the header
    first: str = ""  # first statement of the body
    tail: str = ""  # last statement of the body
    after: str = ""  # what stands behind the body


class Statements:
    """Arrays, loops, indices, values and statements of one program; what it has is noted on the way."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.seed = seed
        self.depth_of_names = 0
        self.aligned = self.r.random() < 0.5
        self.macros: list[str] = []
        self.enums: set[int] = set()
        self.features: set[str] = set()
        self.count = 0  # of names made so far
        self.inner: list[Array] = []  # declared in loop bodies

    def chance(self, share: float, feature: str) -> bool:
        """Whether the program gets a feature here; it is noted."""
        if self.r.random() >= share:
            return False
        self.features.add(feature)
        return True

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.seed}_{self.count}"

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
        element = r.choice(("int", "int", "int", "float", "double", *INTEGERS))
        if self.chance(0.08, "array of structs"):
            element = f"struct P{self.seed}"
        elif self.chance(0.08, "typedef of an element"):
            element = f"E{self.seed}"
        made = Array(name, rank, element, storage, [1] * rank, factors, writable=storage != "const")
        if storage != "member" and self.chance(0.12, "typedef of an array"):
            made.typedef = f"{name}{self.seed}_t"
        return made

    # ------------------------------------------------------------------- loops
    def loop(self, outer: list[Iterator]) -> Iterator:
        r = self.r
        name = f"{'ijklmn'[len(outer)]}"
        low, trip, step = r.randint(0, 3), r.randint(1, 4), r.choice((1, 1, 2, 3))
        high = low + (trip - 1) * step
        kinds = ("int", "int", "int", "unsigned", "long", "short", "unsigned char", "signed char", "unsigned long")
        kind = r.choice(kinds)
        if outer and outer[-1].low >= 0 and self.chance(0.2, "triangular"):
            last = outer[-1]
            return Iterator(
                name, low, low + last.high, f"for (int {name} = {low}; {name} <= {low} + (int){last.name}; {name}++)"
            )
        made = Iterator(name, low, high, "", kind in ("unsigned", "unsigned long"))
        if kind not in ("int", "long"):
            self.features.add("unsigned or narrow iterator")
        if self.chance(0.16, "unusual loop"):
            return self.unusual(made, kind, step)
        form = r.randrange(4)
        if form == 0 and "unsigned" not in kind:
            self.features.add("negative step")
            made.loop = f"for ({kind} {name} = {high}; {name} >= {low}; {name} -= {step})"
        elif form == 1:
            made.loop = f"for ({kind} {name} = {low}; {name} <= {high}; {name} += {step})"
        elif form == 2 and step == 1:
            made.loop = f"for ({kind} {name} = {low}; {name} != {high + 1}; ++{name})"
        else:
            made.loop = f"for ({kind} {name} = {low}; {name} < {high + 1}; {name} = {name} + {step})"
        return made

    def unusual(self, made: Iterator, kind: str, step: int) -> Iterator:
        """Loops that are no plain ``for``."""
        name, low, high = made.name, made.low, made.high
        form = self.r.choice(("while", "do", "no test", "declared before", "i-- > 0", "two iterators", "macro"))
        self.features.add(f"loop: {form}")
        match form:
            case "while":
                made.before, made.loop = f"{{ {kind} {name} = {low}; ", f"while ({name} <= {high})"
                made.tail, made.after = f"{name} += {step};", " }"
            case "do":
                made.before, made.loop = f"{{ {kind} {name} = {low}; ", "do"
                made.tail, made.after = f"{name} += {step};", f" while ({name} <= {high}); }}"
            case "no test":
                made.loop, made.first = (
                    f"for ({kind} {name} = {low}; ; {name} += {step})",
                    f"if ({name} > {high}) break;",
                )
            case "declared before":
                made.before, made.after = f"{{ {kind} {name}; ", " }"
                made.loop = f"for ({name} = {low}; {name} <= {high}; {name} += {step})"
            case "i-- > 0":
                made.high = high = low + 2
                made.loop = f"for ({kind} {name} = {high + 1}; {name}-- > {low};)"
            case "two iterators":
                made.loop = f"for ({kind} {name} = {low}, {name}c = 0; {name} <= {high}; {name} += {step}, {name}c++)"
                made.first = f"acc ^= (int){name}c & 1;"
            case _:
                made.loop, made.unsigned = f"FOR{self.seed}({name}, {low}, {high})", False
        return made

    # ----------------------------------------------------------------- indices
    def access(self, array: Array, its: list[Iterator]) -> str:
        r = self.r
        indices: list[str] = []
        for k in range(array.rank):
            part = array.factors[k]
            terms: list[tuple[int, Iterator]] = []
            for it in r.sample(its, min(len(its), r.choice((0, 1, 1, 1, 2)))):
                if (part is None or not self.aligned) and self.chance(0.04, "quasi-affine index"):
                    it = self.quasi(it)
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

    def quasi(self, it: Iterator) -> Iterator:
        """A division, remainder or case distinction of an iterator."""
        n, k = it.name, self.r.choice((2, 3, 4))
        cut = self.r.randint(it.low, it.high)
        return self.r.choice(
            (
                replace(it, name=f"({n} / {k})", low=it.low // k, high=it.high // k),
                replace(it, name=f"({n} >> 1)", low=it.low // 2, high=it.high // 2),
                replace(it, name=f"((int){n} % {k})", low=0, high=k - 1, unsigned=False),
                replace(it, name=f"({n} & 3)", low=0, high=3),
                replace(it, name=f"((int){n} < {cut} ? (int){n} : {cut})", high=cut, unsigned=False),
            )
        )

    def form(self, array: Array, indices: list[str], its: list[Iterator]) -> str:
        """An element in one of C's ways to say it."""
        r = self.r
        text = array.name + "".join(f"[{index}]" for index in indices)
        pick = r.random()
        if pick < 0.01 and array.rank == 2:
            text = f"*(*({array.name} + {indices[0]}) + {indices[1]})"
            text = f"({text})"
        elif pick < 0.04:
            text = f"(*({array.name}{''.join(f'[{index}]' for index in indices[:-1])} + {indices[-1]}))"
        elif pick < 0.06 and array.rank == 1:
            text = f"({indices[0]})[{array.name}]"
        elif pick < 0.08:
            text = f"({text})"
        if array.struct:
            text += r.choice((".x", ".y", ".v[1]"))
        if 0.1 < pick < 0.16 and its:
            self.features.add("macro with an access")
            name = f"M{self.seed}_{len(self.macros)}"
            names = ", ".join(it.name for it in its)
            self.macros.append(f"#define {name}({names}) {text}")
            return f"{name}({names})"
        return text

    def number(self, value: int) -> str:
        """A constant, in one of C's ways to say it."""
        pick = self.r.random()
        if value < 0 or pick > 0.12:
            return str(value)
        if pick < 0.04:
            self.enums.add(value)
            self.features.add("constant with a name")
            return f"Q{self.seed}_{value}"
        return f"0x{value:x}" if pick < 0.08 else f"{value}L" if pick < 0.1 else f"({value})"

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
                f"{self.number(const)}{''.join(parts)}"
                if r.random() < 0.4 or not parts or parts[0].startswith(" -")
                else ("".join(parts)[3:] + (f" + {self.number(const)}" if const else ""))
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
            self.features.add("sizeof")
            if array.storage != "parameter" and not array.name.endswith(("p", "q")):
                return f"(int)(sizeof({array.name}) / sizeof {array.name}{'[0]' * array.rank})"
        if depth > 2 or pick < 0.2:
            return r.choice((str(r.randint(0, 9)), f"(int){its[-1].name}" if its else "3"))
        if pick < 0.65:
            array = r.choice(arrays)
            return array.read.format(x=self.access(array, its))
        if pick < 0.75:
            self.features.add("ternary")
            test = self.access(r.choice(arrays), its)
            return f"({test} > 5 ? {self.value(arrays, its, depth + 1)} : {self.value(arrays, its, depth + 1)})"
        return f"({self.value(arrays, its, depth + 1)} {r.choice('+-+^')} {self.value(arrays, its, depth + 1)})"

    def statement(self, arrays: list[Array], its: list[Iterator], indent: str) -> str:
        r = self.r
        target = r.choice([a for a in arrays if a.writable] or arrays)
        if not target.writable:
            return f"{indent}acc += ({self.value(arrays, its)}) & 15;\n"
        if self.chance(0.3, "rare statement"):
            return indent + self.rare(target, arrays, its) + "\n"
        pick = r.random()
        if pick < 0.1 and its:
            it = its[-1]
            plain = Iterator("t", 2 * it.low + 1, 2 * it.high + 1, "")
            inner = self.access(target, [*its[:-1], plain] if r.random() < 0.3 else [plain])
            value = self.value(arrays, its)
            return f"{indent}{{ int t = 2 * (int){it.name} + 1; acc ^= t & 1; {inner} = ({value}) & 63; }}\n"
        if pick < 0.2 and its:
            it = r.choice(its)
            cut = r.randint(it.low, it.high)
            shifted = Iterator(it.name, cut, it.high, "", it.unsigned)
            others = [x for x in its if x is not it]
            body = self.access(target, [*others, shifted])
            self.features.add("affine guard")
            return f"{indent}if ({it.name} >= {cut}) {body} = ({self.value(arrays, its)}) & 63;\n"
        if pick < 0.4 and target.integer:
            return f"{indent}{self.compound(target, arrays, its)} /* mixed in */\n"
        if pick < 0.42:
            self.features.add("comma")
            return f"{indent}acc ^= 3, acc += ({self.value(arrays, its)}) & 7;\n"
        if pick < 0.5:
            return f"{indent}acc += ({self.value(arrays, its)}) & 31;\n"
        return f"{indent}{self.access(target, its)} = ({self.value(arrays, its)}) & 63;\n"

    def compound(self, target: Array, arrays: list[Array], its: list[Iterator]) -> str:
        """A compound assignment or increment as a statement."""
        r = self.r
        x = self.access(target, its)
        if r.random() < 0.3:
            self.features.add("++ and --")
            return r.choice((f"{x}++;", f"++{x};", f"{x}--;", f"--{x};"))
        self.features.add("compound assignment")
        if target.wraps and r.random() < 0.4:
            return r.choice((f"{x} *= 3;", f"{x} >>= 1;", f"{x} |= 5;", f"{x} &= 0x3f;"))
        op = r.choice(("+=", "-=", "^=", "|=", "/=", "%="))
        value = f"({self.value(arrays, its)}) & 63"
        return f"{x} {op} ({value}) + 1;" if op in ("/=", "%=") else f"{x} {op} {value};"

    def rare(self, target: Array, arrays: list[Array], its: list[Iterator]) -> str:
        """Statements in which an access stands at an unusual place."""
        r = self.r
        other = r.choice(arrays)
        x, y = self.access(target, its), self.access(other, its)
        value = f"({self.value(arrays, its)}) & 63"
        kind = r.choice(
            ("else", "chain", "used", "post", "logic", "switch", "ternary", "while", "inner for", "block", "scaled")
        )
        self.features.add(f"statement: {kind}")
        read = other.read.format(x=y)
        match kind:
            case "else":
                return f"if ({y} > 7) acc += 3; else if ({read} & 1) {x} = {value}; else acc ^= 1;"
            case "chain" if other is not target and other.writable:
                return f"{x} = {y} = {value};"
            case "used":
                return f"acc += (int)({x} = {value}) & 15;"
            case "post" if target.integer and target.element not in WIDE:
                return f"acc += (int){x}{r.choice(('++', '--'))} & 15;"
            case "logic":
                return f"if ({read} > 3 {r.choice(('&&', '||'))} !({x} > 9)) {x} = {value};"
            case "switch":
                cases = f"case 0: acc++; break; case 1: {x} = 7; break; default: acc ^= 5;"
                return f"switch ({read} & 3) {{ {cases} }}"
            case "ternary":
                return f"(acc & 1) ? (void)({x} = 3) : (void)({x} = {value});"
            case "while" if target.element in ("short", "unsigned char", "uint8_t", "int16_t"):
                return f"while ({x} > 40) {x} = {x} - 9;".replace("\n", " ")
            case "inner for":
                return f"for (int w = 0; w < ({read} & 3); w++) acc += w + ({value});"
            case "block":
                return f"{{ const int t = {value}; if (t & 1) {{ {x} = t; }} else {{ acc += t; }} }}"
            case "scaled" if target.element in ("float", "double"):
                self.features.add("compound assignment")
                return f"{x} {r.choice(('+=', '-=', '*='))} 0.5f;" if r.random() < 0.7 else f"{x} /= 2;"
        return f"acc ^= {read} & 7;"
