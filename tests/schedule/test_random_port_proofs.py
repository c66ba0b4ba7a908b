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
            name = rng.choice(("n", "i", *self.scalars))
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

    def statements(self, depth: int = 1) -> Iterator[tuple[str, list[str]]]:
        rng = self.rng
        for _ in range(rng.randint(1, 4)):
            kind = rng.randrange(11)
            value = self.value()
            if kind < 4:
                at = rng.choice(("o", "o", "a")) + f"[{self.subscript()}]"
                op = rng.choice(("=", "=", "+="))
                yield f"{at} {op} {value[0]};", [f"{at} {op} {value[1]}"]
            elif kind == 4:
                at = f"a[{self.subscript()}]"
                yield f"{at} = {at};", [f"{at} = {at}"]
            elif kind < 7:
                name, op = rng.choice((*self.scalars, "s")), rng.choice(("=", "+=", "^="))
                yield f"{name} {op} {value[0]};", [f"{name} {op} {value[1]}"]
            elif kind == 7:
                name = rng.choice(self.scalars)
                yield f"{name} = (unsigned char) {value[0]};", [f"{name} = {value[1]} & 255"]
            elif kind == 8 and depth:
                step = rng.choice((1, 3))
                at = f"a[{step} * i + j]"
                own = rng.choice(("s", "s", "o[2 * i + 1]", "o[i + j]", "o[3 * i]", "o[4]"))
                first = [f"{own} = 0"] if "o" in own and "j" not in own and rng.random() < 0.8 else []
                start = "".join(f"{x}; " for x in first)
                yield f"{start}for (int j = 0; j < 3; j++) {own} += {at};", [
                    *first, "for j in range(3):", f"    {own} += {at}"
                ]  # fmt: skip
            elif depth and (inner := list(self.statements(depth - 1))):
                test = self.test(1)
                c = " ".join(x for x, _ in inner)
                yield f"if {test[0]} {{ {c} }}", [f"if {test[1]}:", *(f"    {y}" for _, x in inner for y in x)]


class Kernel(Struct):
    """One kernel in C, and as a function of the memories ``a``, ``b``, ``k``, ``o`` and ``n`` that changes them."""

    text: str
    run: Callable[..., None]


def kernel(rng: random.Random) -> Kernel:
    maker = Maker(rng, ["x", "y"], rng.random() < 0.3)
    inside = list(maker.statements()) or [("o[i] = a[i];", ["o[i] = a[i]"])]
    early = [f"a[{rng.randrange(9)}] = n;"] * (rng.random() < 0.2)
    late = ["o[0] = s;", "a[0] += s;", "s = 0;", "o[1] = x;"][rng.randrange(4)]
    known = rng.random() < 0.8
    head = f"for (int i = 0; i < {TRIPS if known else 'm'}; i++) {{\n#pragma HLS PIPELINE II=1"
    a = rng.choice(("int a[SIZE]", "int *a"))
    head_of = f"void f({a}, int b[SIZE], int g[SIZE], const int k[SIZE], int o[SIZE], int n, int m) {{"
    c = [head_of, "int s = 0, x = 1, y = 2;"]
    fill = rng.choice(FILLS) if maker.own else ("", "")
    c += ["int z[SIZE];"] * maker.own + [f"for (int q = 0; q < SIZE; q++) {{ {x}; }}" for x in fill if x]
    c += [*early, head, *(f"    {x}" for x, _ in inside), "}", late, "}"]
    p = [
        "def f(a, b, g, k, o, n):",
        "    s, x, y = 0, 1, 2",
        "    z = [0] * 40",
        *(f"    for q in range(40): {x}" for x in fill if x),
        *(f"    {x}" for x in early),
        f"    for i in range({TRIPS}):",
    ]
    p += [f"        {y}" for _, x in inside for y in x] + [f"    {late}"]
    space: dict[str, Callable[..., None]] = {}
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
    for loop in hlspart.parse(made.text).pipeline.figures.loops:
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
