"""Random loop nests as Python values: their C text, and an oracle that enumerates all iterations.

The oracle shares no code with the integer sets: it runs the nest, notes which instance touches which element, and
compares the time stamps of every two dependent instances.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

Form = tuple[Mapping[str, int], int]  # coefficients by iterator, constant


@dataclass(frozen=True)
class Ref:
    """An element, or a scalar (no subscripts)."""

    name: str
    subscripts: tuple[Form, ...] = ()

    def at(self, values: Mapping[str, int]) -> tuple[object, ...]:
        return (self.name, *(sum(c * values[i] for i, c in f[0].items()) + f[1] for f in self.subscripts))

    def text(self) -> str:
        return self.name + "".join(f"[{form_text(f)}]" for f in self.subscripts)


@dataclass(frozen=True)
class Store:
    """``target = reads..`` or ``target += reads..`` (``op``), under an affine condition or none."""

    target: Ref
    reads: tuple[Ref, ...]
    op: str = "="
    when: tuple[Form, str] | None = None  # form compared with 0

    def holds(self, values: Mapping[str, int]) -> bool:
        if self.when is None:
            return True
        value = sum(c * values[i] for i, c in self.when[0][0].items()) + self.when[0][1]
        return {">=": value >= 0, "<": value < 0, "==": value == 0}[self.when[1]]

    def text(self) -> str:
        value = (
            " + ".join([*(r.text() for r in self.reads), "1"])
            if self.op == "="
            else " + ".join([*(r.text() for r in self.reads), "2"])
        )
        body = f"{self.target.text()} {self.op} {value};"
        return body if self.when is None else f"if ({form_text(self.when[0])} {self.when[1]} 0) {body}"


@dataclass(frozen=True)
class For:
    """``for (int name = lower; name < upper; name += step)``, or downwards."""

    name: str
    lower: Form
    upper: Form
    step: int
    body: tuple[For | Store, ...]

    def values(self, outer: Mapping[str, int]) -> Iterator[int]:
        low, high = (sum(c * outer[i] for i, c in f[0].items()) + f[1] for f in (self.lower, self.upper))
        return iter(range(low, high, self.step))

    def text(self, pad: str, label: str = "") -> str:
        sign, op = ("<", "+=") if self.step > 0 else (">", "-=")
        head = (
            f"for (int {self.name} = {form_text(self.lower)}; {self.name} {sign} {form_text(self.upper)};"
            f" {self.name} {op} {abs(self.step)})"
        )
        inside = "\n".join(s.text(pad + "    ") if isinstance(s, For) else f"{pad}    {s.text()}" for s in self.body)
        return f"{pad}{label}{head} {{\n{inside}\n{pad}}}"


def form_text(form: Form) -> str:
    parts = [f"{c} * {i}" if c not in (1, -1) else i if c == 1 else f"-{i}" for i, c in form[0].items() if c]
    if form[1] or not parts:
        parts.append(str(form[1]))
    return " + ".join(parts)


SIZE = {"a": (64,), "b": (64,), "c": (24, 24), "s": (), "t": ()}


@dataclass(frozen=True)
class Nest:
    """One outermost loop, labelled L; arrays a, b, c are parameters, scalars s and t locals that are read behind."""

    loop: For
    text: str = field(default="")

    def c(self, name: str) -> str:
        return (
            f"void {name}(int a[64], int b[64], int c[24][24], int o[2]) {{\n"
            f"    int s = o[0], t = o[1];\n{self.loop.text('    ', 'L: ')}\n    o[0] = s;\n    o[1] = t;\n}}\n"
        )


def random_nest(rng: random.Random) -> Nest:
    """A nest whose subscripts stay inside the arrays."""
    while True:
        nest = Nest(_loop(rng, 0, {}))
        if _inside(nest.loop):
            return nest


def _loop(rng: random.Random, depth: int, outer: Mapping[str, None]) -> For:
    name = "ijk"[depth]
    step = rng.choice([1, 1, 1, 1, 2, -1]) if depth else rng.choice([1, 1, 1, 1, 2, 3, -1, -2])
    trips = rng.randint(1, 9) if depth == 0 else rng.randint(1, 5)
    low = rng.randint(0, 4)
    lower: Form = ({}, low)
    upper: Form = ({}, low + trips * step)
    if outer and rng.random() < 0.25:
        other = rng.choice(list(outer))
        if step == 1:
            if rng.random() < 0.5:
                upper = ({other: 1}, rng.randint(0, 3))
            else:
                lower, upper = ({other: 1}, rng.randint(0, 2)), ({}, rng.randint(4, 12))
    if step < 0:
        lower, upper = ({}, low + trips * -step), ({}, low)
    inner = {**outer, name: None}
    body: list[For | Store] = []
    for _ in range(rng.choice([1, 1, 2, 3])):
        if depth < 2 and rng.random() < (0.45 if depth == 0 else 0.25):
            body.append(_loop(rng, depth + 1, inner))
        else:
            body.append(_store(rng, inner))
    return For(name, lower, upper, step, tuple(body))


def _form(rng: random.Random, iterators: Sequence[str]) -> Form:
    used = {i: rng.choice([1, 1, 1, 2, -1]) for i in iterators if rng.random() < 0.55}
    return used, rng.choice([0, 0, 0, 1, 2, 3, 4, 8, 15])


def _ref(rng: random.Random, iterators: Mapping[str, None], name: str | None = None) -> Ref:
    name = name or rng.choices(list(SIZE), [5, 4, 4, 2, 2])[0]
    return Ref(name, tuple(_form(rng, list(iterators)) for _ in SIZE[name]))


def _store(rng: random.Random, iterators: Mapping[str, None]) -> Store:
    target = _ref(rng, iterators)
    op = "+=" if rng.random() < 0.3 else "="
    reads = tuple(_ref(rng, iterators) for _ in range(rng.choice([0, 1, 1, 2])))
    when = (_form(rng, list(iterators)), rng.choice([">=", "<", "=="])) if rng.random() < 0.2 else None
    if when is not None:
        when = ((when[0][0], when[0][1] - 5), when[1])
    return Store(target, reads, op, when)


def instances(loop: For) -> Iterator[tuple[Store, dict[str, int], tuple[tuple[str, int], ...], tuple[int, ...]]]:
    """All executed stores in order: the store, iterators, the loops with iteration numbers, and the static path."""

    def run(node: For | Store, values: dict[str, int], counts: tuple[tuple[str, int], ...], path: tuple[int, ...]):  # type: ignore[no-untyped-def]
        if isinstance(node, Store):
            yield node, dict(values), counts, path
            return
        for number, value in enumerate(node.values(values)):
            for position, sub in enumerate(node.body):
                inner = {**values, node.name: value}
                yield from run(sub, inner, (*counts, (node.name, number)), (*path, position))

    yield from run(loop, {}, (), ())


def _inside(loop: For) -> bool:
    for count, (store, values, _, _) in enumerate(instances(loop)):
        if count > 400:
            return False
        for ref in (store.target, *store.reads):
            _, *at = ref.at(values)
            if any(not 0 <= k < d for k, d in zip(at, SIZE[ref.name], strict=True)):
                return False
    return True


@dataclass(frozen=True)
class Touch:
    number: int  # of the iteration of the outermost loop
    stamp: tuple[object, ...]
    pe: int
    write: bool
    order: int
    ref: Ref


def verdict(nest: Nest, pes: int, block: bool, lockstep: bool = True) -> bool:
    """Whether the outermost loop may run on ``pes`` elements, by enumeration."""
    loop = nest.loop
    trips = len(list(loop.values({})))
    chunk = max(1, -(-trips // pes))
    by_name: dict[str, dict[tuple[object, ...], list[Touch]]] = {}
    order = 0
    for store, values, counts, path in instances(loop):
        n = counts[0][1]
        pe, time = (n // chunk, n % chunk) if block else (n % pes, n // pes)
        stamp: list[object] = [time]
        for k, position in enumerate(path):
            stamp.append(position)
            if k + 1 < len(counts):
                name = counts[k + 1][0]
                stamp.append(values[name] if _step(loop, path, k + 1) > 0 else -values[name])
        touches = [] if store.holds(values) is False else [(r, False) for r in store.reads]
        if store.holds(values):
            if store.op != "=":
                touches.append((store.target, False))
            touches.append((store.target, True))
        for ref, write in touches:
            where = by_name.setdefault(ref.name, {}).setdefault(ref.at(values), [])
            where.append(Touch(n, tuple(stamp), pe, write, order, ref))
            order += 1
    return all(
        not _violated(elements, lockstep) or _private(elements, trips) or _reduction(nest.loop, name, elements)
        for name, elements in by_name.items()
    )


def _step(loop: For, path: tuple[int, ...], depth: int) -> int:
    node: For | Store = loop
    for position in path[:depth]:
        assert isinstance(node, For)
        node = node.body[position]
    assert isinstance(node, For)
    return node.step


def _violated(elements: Mapping[tuple[object, ...], list[Touch]], lockstep: bool) -> bool:
    for touches in elements.values():
        for k, late in enumerate(touches):
            for early in touches[:k]:
                met = early.pe != late.pe and (early.write or late.write)
                if met and (not lockstep or not early.stamp < late.stamp):
                    return True
    return False


def _private(elements: Mapping[tuple[object, ...], list[Touch]], trips: int) -> bool:
    """Every read finds a value of its own iteration; the last one writes all that is written, as all live on."""
    for touches in elements.values():
        written: set[int] = set()
        for t in touches:
            if t.write:
                written.add(t.number)
            elif t.number not in written:
                return False
        if any(t.write for t in touches) and trips - 1 not in written:
            return False
    return True


def _reduction(loop: For, name: str, elements: Mapping[tuple[object, ...], list[Touch]]) -> bool:
    """All stores of the nest that name the variable are ``+=`` to it, and read it nowhere else; or all add to one
    element, and read others only."""

    def stores(node: For | Store) -> Iterator[Store]:
        if isinstance(node, Store):
            yield node
        else:
            for sub in node.body:
                yield from stores(sub)

    mine = [s for s in stores(loop) if s.target.name == name or any(r.name == name for r in s.reads)]
    if not all(s.target.name == name and _adds(s) for s in mine):
        return False
    target = mine[0].target
    others = [r for s in mine for r in s.reads if r.name == name and r != s.target]
    if not others:
        return True
    if any(s.target != target for s in mine) or any(c for form in target.subscripts for c in form[0].values()):
        return False
    place = target.at(dict.fromkeys((i for form in target.subscripts for i in form[0]), 0))
    return not any(t.ref in others for t in elements[place])


def _adds(store: Store) -> bool:
    """``x += ..`` or ``x = .. + x + ..``."""
    return sum(r == store.target for r in store.reads) == (0 if store.op == "+=" else 1)
