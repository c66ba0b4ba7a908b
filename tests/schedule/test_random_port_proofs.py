"""Proofs by ports of random kernels, against runs of the same kernels in Python.

An element has to be loaded in a run if another value of it changes what the run leaves, and stored if the run changes
it: any text that computes the same does so. What a proof counts must be found together in some run.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator

import pytest
from msgspec import Struct

import hlspart
from tests.amounts import amount

SIZE, TRIPS = 40, 6
Text = tuple[str, str]  # in C, in Python
FILLS = [  # of an array of the kernel's own, one after the other
    ("z[q] = k[q]", ""), ("z[q] = 0", "z[q] += k[q] * n"), ("z[q] = k[q]", "z[q] = 0"), ("z[q] = k[q]", "z[q] -= k[q]"),
    ("z[q] = n * (n + 1) % 2", ""), ("z[q] = b[q] + 3", ""), ("z[q] = k[q]", "z[q] += z[q]"), ("z[q] = q & 1", ""),
]  # fmt: skip


NARROW = {"unsigned char": (8, 0), "short": (16, 1), "ap_int<4>": (4, 1), "ap_uint<1>": (1, 0), "bool": (1, 2)}
LATE = [  # behind the loop, in C and in Python
    ("o[0] = s;", "o[0] = s"), ("a[0] += s;", "a[0] += s"), ("s = 0;", "s = 0"), ("o[1] = x;", "o[1] = x"),
    ("o[0] = s * c;", "o[0] = s * c"), ("o[0] = s * n * 0;", "o[0] = 0"), ("o[0] = s & 1;", "o[0] = s & 1"),
    ("if (n > 2) return; o[0] = s;", "if n > 2: return\n    o[0] = s"), ("x = s; o[1] = x;", "x = X(s)\n    o[1] = x"),
    ("o[0] = s - x;", "o[0] = s - x"), ("o[0] = (unsigned char) s;", "o[0] = s & 255"),
    ("o[0] = c ? s : n;", "o[0] = s if c else n"),
    ("if (k[0] > 1) { return; } a[1] += s;", "if k[0] > 1: return\n    a[1] += s"),
]  # fmt: skip
LATER = [  # the same with what the array z holds, for each q
    ("o[q] = z[q]", "o[q] = z[q]"), ("o[q] += z[q]", "o[q] += z[q]"), ("z[q] = 0", "z[q] = 0"),
    ("o[q] = z[q] * c", "o[q] = z[q] * c"), ("o[q] += z[q] * n * 0", "pass"), ("o[q] = z[q] & 1", "o[q] = z[q] & 1"),
    ("o[q] += z[q] - z[q]", "pass"), ("s += z[q]", "s += z[q]"), ("o[0] += z[q]", "o[0] += z[q]"),
    ("o[q] = z[q] * k[q]", "o[q] = z[q] * k[q]"), ("o[q] = z[3]", "o[q] = z[3]"),
    ("o[q] -= z[q] * 3", "o[q] -= z[q] * 3"), ("o[q] += z[q] * 2", "o[q] += z[q] * 2"),
    ("s = z[q]; o[q] = s", "s = z[q]; o[q] = s"), ("x = z[q]; o[q] = x + 1", "x = X(z[q]); o[q] = x + 1"),
    ("s = 0; for (int r = 0; r < 3; r++) s += z[q] * k[r]; o[q] = s",
     "s = 0\n        for r in range(3): s += z[q] * k[r]\n        o[q] = s"),
    ("o[q] = o[q] + z[SIZE - 1 - q] * b[q]", "o[q] = o[q] + z[39 - q] * b[q]"),
    ("o[q / 2] = z[q]", "o[q // 2] = z[q]"), ("z[q] += k[q]; o[q] = z[q]", "z[q] = Z(z[q] + k[q]); o[q] = z[q]"),
    ("if (q > n) break; o[q] = z[q]", "if q > n: break\n        o[q] = z[q]"),
]  # fmt: skip
STARTS = ["0", "1", "64", "n", "n & 1", "n * (n + 1) % 2", "k[0]", "n - n"]  # of a scalar c that nothing else sets


def kept(value: int, kind: str) -> int:
    """A number as an integer type has it."""
    if kind not in NARROW:
        return value
    bits, sign = NARROW[kind]
    if sign == 2:
        return int(value != 0)
    value &= 2**bits - 1
    return value - 2**bits if sign and value >> bits - 1 else value


class Maker(Struct):
    """Statements of one kernel, in both languages."""

    rng: random.Random
    scalars: list[str]
    own: bool = False  # whether there is an array z of the kernel's own

    def subscript(self) -> str:
        rng = self.rng
        if rng.random() < 0.1:
            return f"k[i] & {rng.choice((7, 15))}"
        step = rng.choice((0, 1, 1, 2, 3, 4, 5))
        return f"{step} * i + {rng.randrange(step + 3)}" if rng.random() < 0.85 else f"{SIZE - 1} - {max(step, 1)} * i"

    def load(self) -> Text:
        at = self.rng.choice(("a", "a", "a", "a", "b"))
        text = f"{at}[{self.subscript()}]"
        if self.own and self.rng.random() < 0.4:
            text = f"z[{self.subscript()}]"
        elif self.rng.random() < 0.15:
            text = f"b[g[{self.subscript()}]]"
        return text, text

    def value(self, depth: int = 2) -> Text:
        rng = self.rng
        kind = rng.randrange(14) if depth else rng.randrange(4)
        if kind < 2:
            return self.load()
        if kind == 2:
            name = rng.choice(("n", "i", "c", *self.scalars))
            return name, name
        if kind == 3:
            number = str(rng.choice((0, 1, 2, 3, 8)))
            return number, number
        one, two = self.value(depth - 1), self.value(depth - 1)
        if kind < 8:
            op = rng.choice(("+", "+", "-", "^"))
        elif kind == 8:
            op = "*"
        elif kind == 9:
            op, two = rng.choice(("&", ">>")), 2 * (str(rng.choice((0, 1, 3, 8))),)
        elif kind < 12:
            test, other = self.test(depth - 1), self.value(depth - 1)
            return f"({test[0]} ? {one[0]} : {other[0]})", f"({one[1]} if {test[1]} else {other[1]})"
        else:
            test = self.test(depth)
            return f"({test[0]})", f"int({test[1]})"
        return f"({one[0]} {op} {two[0]})", f"({one[1]} {op} {two[1]})"

    def test(self, depth: int) -> Text:
        rng = self.rng
        if depth and rng.random() < 0.4:
            (c, p), (d, q) = self.test(depth - 1), self.test(depth - 1)
            return rng.choice(((f"({c} && {d})", f"({p} and {q})"), (f"({c} || {d})", f"({p} or {q})")))
        (c, p), (d, q), op = self.value(0), self.value(0), rng.choice(("<", ">", "==", "!=", ">="))
        return f"({c} {op} {d})", f"({p} {op} {q})"

    def wide(self) -> Iterator[tuple[str, list[str]]]:
        """A statement that takes more elements than ports allow, each by itself or with a factor."""
        rng, step = self.rng, self.rng.choice((3, 4))
        if self.own and rng.random() < 0.6:
            of = rng.choice(("a", "a", "b")) + f"[{step} * i + "
            end, op = rng.choice(("]", "]", "]", "] * 3", "] + 1", "] * k[i]", "] * c")), rng.choice(("=", "=", "+="))
            for e in range(step):
                at, value = f"z[{step} * i + {e}]", f"{of}{e}{end}"
                yield f"{at} {op} {value};", [f"{at} = Z({f'{at} + ' if op == '+=' else ''}{value})"]
            return
        factors = ["", "", "", "* c", "* n", "* k[i]", "* x", "* 3", "* 0", "* b[i]", *["* z[i]"] * (4 * self.own)]
        same = rng.choice(factors)
        ops = rng.choice(("+++", "++-", "+-^"))
        terms = [f"a[{step} * i + {e}] {rng.choice((same, same, same, *factors))}" for e in range(step)]
        made = terms[0] + "".join(f" {rng.choice(ops)} {t}" for t in terms[1:])
        if "^" in made:
            made = f"({made})"
        at = rng.choice(("o[i]", "o[i]", "o[i]", "o[2 * i + 1]", "s", "s", "x", *["z[i]"] * (3 * self.own)))
        op = "+=" if rng.random() < 0.4 or at in ("s", "x") else "="
        what = f"{at} + ({made})" if op == "+=" else made
        kept_in = {"x": "X", "z[i]": "Z"}.get(at, "")
        yield f"{at} {op} {made};", [f"{at} = {kept_in}({what})"]

    def statements(self, depth: int = 1) -> Iterator[tuple[str, list[str]]]:
        rng = self.rng
        for _ in range(rng.randint(1, 4)):
            kind = rng.randrange(11)
            value = self.value()
            if kind < 4:
                array = rng.choice(("o", "o", "a", "z") if self.own else ("o", "o", "a"))
                at, op = f"{array}[{self.subscript()}]", rng.choice(("=", "=", "+="))
                made = f"{at} + {value[1]}" if op == "+=" else value[1]
                yield f"{at} {op} {value[0]};", [f"{at} = Z({made})" if array == "z" else f"{at} = {made}"]
            elif kind == 4:
                at = f"a[{self.subscript()}]"
                yield f"{at} = {at};", [f"{at} = {at}"]
            elif kind < 7:
                name, op = rng.choice((*self.scalars, "s")), rng.choice(("=", "+=", "^="))
                made = value[1] if op == "=" else f"{name} {op[0]} {value[1]}"
                yield f"{name} {op} {value[0]};", [f"{name} = {made if name == 's' else f'X({made})'}"]
            elif kind == 7:
                name = rng.choice(self.scalars)
                yield f"{name} = (unsigned char) {value[0]};", [f"{name} = X({value[1]} & 255)"]
            elif kind == 8 and depth:
                step = rng.choice((1, 3))
                at = f"a[{step} * i + j]"
                own = rng.choice(("s", "s", "o[2 * i + 1]", "o[i + j]", "o[3 * i]", "o[4]"))
                first = [f"{own} = 0"] if "o" in own and "j" not in own and rng.random() < 0.8 else []
                start = "".join(f"{x}; " for x in first)
                yield f"{start}for (int j = 0; j < 3; j++) {own} += {at};", [
                    *first, "for j in range(3):", f"    {own} += {at}"
                ]  # fmt: skip
            elif kind == 9 and depth and rng.random() < 0.2:
                test = self.test(0)
                yield f"if {test[0]} break;", [f"if {test[1]}: break"]
            elif depth and (inner := list(self.statements(depth - 1))):
                test = self.test(1)
                c = " ".join(x for x, _ in inner)
                yield f"if {test[0]} {{ {c} }}", [f"if {test[1]}:", *(f"    {y}" for _, x in inner for y in x)]


class Kernel(Struct):
    """One kernel in C, and as a function of the memories ``a``, ``b``, ``k``, ``o`` and ``n`` that changes them."""

    text: str
    run: Callable[..., None]


def kernel(rng: random.Random) -> Kernel:
    maker = Maker(rng, ["x", "y"], rng.random() < 0.4)
    inside = list(maker.wide()) if rng.random() < 0.7 else list(maker.statements())
    if len(inside) == 1 and rng.random() < 0.3:
        inside.insert(rng.randrange(2), rng.choice(list(maker.statements()) or inside))
    inside = inside or [("o[i] = a[i];", ["o[i] = a[i]"])]
    early = [(f"a[{at}] = n;", f"a[{at}] = n") for at in [rng.randrange(9)] if rng.random() < 0.2]
    early += [("if (n > 2) return;", "if n > 2: return")] * (rng.random() < 0.1)
    late = [rng.choice(LATE)]
    if maker.own and rng.random() < 0.8:
        more = rng.choice(LATER)
        late.insert(
            rng.randrange(2),
            (f"for (int q = 0; q < SIZE; q++) {{ {more[0]}; }}", f"for q in range(40):\n        {more[1]}"),
        )
    known = rng.random() < 0.8
    head = f"for (int i = 0; i < {TRIPS if known else 'm'}; i++) {{\n#pragma HLS PIPELINE II=1"
    a = rng.choice(("int a[SIZE]", "int *a"))
    x, z, w = (rng.choice(list(NARROW)) if rng.random() < 0.3 else "int" for _ in range(3))
    start = rng.choice(STARTS)
    head_of = f"void f({a}, int b[SIZE], int g[SIZE], const int k[SIZE], int o[SIZE], int n, int m) {{"
    c = ["#include <ap_int.h>", head_of, f"int s = 0;\n{x} x = 1, y = 2;\n{w} c = {start};"]
    fill = rng.choice(FILLS) if maker.own else ("", "")
    c += [f"{z} z[SIZE];"] * maker.own + [f"for (int q = 0; q < SIZE; q++) {{ {t}; }}" for t in fill if t]
    c += [*(t for t, _ in early), head, *(f"    {t}" for t, _ in inside), "}", *(t for t, _ in late), "}"]
    p = [
        "def f(a, b, g, k, o, n):",
        f"    s, x, y, c = 0, X(1), X(2), W({start})",
        "    z = [0] * 40",
        *(f"    for q in range(40): {t}; z[q] = Z(z[q])" for t in fill if t),
        *(f"    {t}" for _, t in early),
        f"    for i in range({TRIPS}):",
    ]
    p += [f"        {y}" for _, t in inside for y in t] + [f"    {t}" for _, t in late]
    space: dict[str, Callable[..., None]] = {
        "X": lambda v: kept(v, x), "Z": lambda v: kept(v, z), "W": lambda v: kept(v, w)
    }  # fmt: skip
    exec("\n".join(p), space)
    return Kernel("\n".join(c).replace("SIZE", str(SIZE)) + "\n", space["f"])


def inputs(rng: random.Random) -> dict[str, list[int]]:
    """Memories with values that are alike, or not."""
    made = {}
    for name in "abgko":
        base, most = rng.choice((-2, 0, 1, 3, 5, 20)), rng.choice((0, 1, 1, 7, 1000))
        made[name] = [base + rng.randint(0, most) for _ in range(SIZE)]
    made["g"] = [x % SIZE for x in made["g"]]  # which are subscripts
    return made


def moved(
    run: Callable[..., None], of: str, given: dict[str, list[int]], n: int, rng: random.Random
) -> tuple[int, int]:
    """How many elements of a memory a run has to load, and to store."""

    def left(data: dict[str, list[int]]) -> dict[str, list[int]]:
        data = {name: list(values) for name, values in data.items()}
        run(**data, n=n)
        return data

    before = left(given)
    loads = 0
    for e in range(SIZE):
        values = (given[of][e] + 1, given[of][e] - 1, 0, 9, rng.randint(-99, 99))
        for value in (x % SIZE if of == "g" else x for x in values):
            after = left(given | {of: [*given[of][:e], value, *given[of][e + 1 :]]})
            other = after[of][e] != before[of][e] and not (after[of][e] == value and before[of][e] == given[of][e])
            if value != given[of][e] and (other or any(_apart(after, before, of, e))):
                loads += 1
                break
    return loads, sum(x != y for x, y in zip(before[of], given[of], strict=True))


def _apart(after: dict[str, list[int]], before: dict[str, list[int]], of: str, e: int) -> Iterator[bool]:
    for name, values in before.items():
        yield any(x != y for k, (x, y) in enumerate(zip(values, after[name], strict=True)) if (name, k) != (of, e))


def witness(kernel: Kernel, of: str, loads: int, stores: int, rng: random.Random) -> bool:
    """Whether some run that is tried has to load and store so many elements."""
    for _ in range(60):
        got = moved(kernel.run, of, inputs(rng), rng.choice((-3, 0, 1, 2, 3, 50)), rng)
        if got[0] >= loads and got[1] >= stores:
            return True
    return False


@pytest.mark.parametrize("seed", range(amount(60, 4_000)))
def test_what_a_proof_counts_has_to_move(seed: int) -> None:
    rng = random.Random(2_200_000 + seed)
    made = kernel(rng)
    for loop in hlspart.parse(made.text, "k.cpp").pipeline.figures.loops:
        proof = loop.proof
        if proof is None or "at the ports of the top" not in proof.text:
            continue
        counted = {
            verb: int(n) for n, _, verb in re.findall(r"(\d+) elements of '(\w)' that the loop (\w+)", proof.text)
        }
        each = re.search(r"each iteration (\w+) (\d+) elements of '(\w)'", proof.text)
        if each is not None:
            counted = {each[1]: int(each[2]) * TRIPS}
        (of,) = set(re.findall(r"elements of '(\w)'", proof.text))
        assert witness(made, of, counted.get("loads", 0), counted.get("stores", 0), rng), f"{made.text}{proof.text}"
