"""Random nests in bound memories of all kinds: the II against slots that are searched for all iterations.

Arrays of one or two dimensions with cyclic, block and complete partitions, nests with unrolled copies, guards,
conditions on data, several stores in place, limited multipliers. What the tool merges is merged here by its own rules.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pytest
from predicting import least_distance, result

#: reads, writes, both in one cycle
PORTS = {"ram_1p": (9, 9, 1), "ram_s2p": (1, 1, 9), "ram_t2p": (9, 9, 2), "ram_2p": (9, 1, 2), "ram_1wnr": (99, 1, 99)}
NODES = 400  # partial schedules that one search looks at
Form = tuple[tuple[tuple[tuple[str, int], ...], int], ...]  # per dimension: terms by iterator, and a constant
Branch = tuple[tuple[object, int], ...]  # condition, arm
Slots = dict[int, int]


@dataclass(frozen=True)
class Array:
    name: str
    extents: tuple[int, ...]
    parts: tuple[tuple[str, int], ...]  # per dimension: kind, number of banks
    storage: str

    @property
    def registers(self) -> bool:
        split = any(n > 1 for _, n in self.parts)
        return split and all(-(-e // n) == 1 for e, (_, n) in zip(self.extents, self.parts, strict=True))

    def bank(self, element: Sequence[int]) -> tuple[int, ...]:
        return tuple(
            x // -(-e // n) if kind == "block" else x % n
            for x, e, (kind, n) in zip(element, self.extents, self.parts, strict=True)
        )


@dataclass(frozen=True)
class Statement:
    """``array[target] = (sum of loads + number)``, times a value from outside where ``product``."""

    array: str
    target: Form
    loads: tuple[tuple[str, Form], ...]
    product: bool
    number: int

    @property
    def text(self) -> str:
        total = " + ".join([*(a + _index(f) for a, f in self.loads), str(self.number + 3)])
        if not (self.product and self.loads):
            return f"{self.array}{_index(self.target)} = {total};"
        name = f"t{self.number}"
        pragma = f"#pragma HLS BIND_OP variable={name} op=mul latency=2"
        return f"int {name} = ({total}) * w;\n{pragma}\n{self.array}{_index(self.target)} = {name};"


@dataclass(frozen=True)
class Block:
    """Statements, under a condition on an iterator (name, relation, bound) or on data (array, form, bound)."""

    condition: tuple[str, str, int] | tuple[str, Form, int] | None
    then: tuple[Statement, ...]
    other: tuple[Statement, ...]


@dataclass
class Op:
    """A load, store or product; ``values`` it waits for. It runs in ``copy`` if its ``guards`` hold."""

    kind: str
    array: str
    form: Form
    branch: Branch
    copy: int
    values: frozenset[int]


class Left(Exception):
    """A case that the rules here do not cover."""


@dataclass(frozen=True)
class Case:
    """Loops are (iterator, start, step, trip count)."""

    loops: tuple[tuple[str, int, int, int], ...]
    unroll: int
    arrays: Mapping[str, Array]
    blocks: tuple[Block, ...]
    limit: int

    @property
    def text(self) -> str:
        arrays = self.arrays.values()
        lines = [
            f"void f({', '.join('int ' + a.name + ''.join(f'[{e}]' for e in a.extents) for a in arrays)}, int w) {{"
        ]
        for a in arrays:
            lines.append(f"#pragma HLS INTERFACE ap_memory port={a.name} storage_type={a.storage}")
            for dim, (kind, n) in enumerate(a.parts, 1):
                if n > 1:
                    factor = "" if kind == "complete" else f"factor={n}"
                    lines.append(f"#pragma HLS ARRAY_PARTITION variable={a.name} {kind} {factor} dim={dim}")
        lines += [f"#pragma HLS ALLOCATION operation instances=mul limit={self.limit}"] if self.limit else []
        for v, start, step, trips in self.loops:
            end = start + step * trips
            lines.append(f"L{v}: for (int {v} = {start}; {v} {'<' if step > 0 else '>'} {end}; {v} += {step})")
        lines += ["{", "#pragma HLS PIPELINE"]
        lines += [f"#pragma HLS UNROLL factor={self.unroll}"] if self.unroll > 1 else []
        for block in self.blocks:
            then, other = "\n".join(s.text for s in block.then), "\n".join(s.text for s in block.other)
            match block.condition:
                case None:
                    lines.append(then)
                case (name, str(relation), bound):
                    lines.append(f"if ({name} {relation} {bound}) {{\n{then}\n}} else {{\n{other}\n}}")
                case (array, form, bound):
                    lines.append(f"if ({array}{_index(form)} > {bound}) {{\n{then}\n}} else {{\n{other}\n}}")
        return "\n".join([*lines, "}", "}", ""])

    def moved(self, form: Form, copy: int) -> Form:
        inner, _, step, _ = self.loops[-1]
        return tuple((t, c + dict(t).get(inner, 0) * step * copy) for t, c in form)

    def operations(self) -> dict[int, Op]:
        """What one iteration does: equal loads once, stored values forwarded, overwritten stores left out."""
        ops: dict[int, Op] = {}
        gone: set[int] = set()
        products: dict[object, int] = {}

        def earlier(array: str) -> Iterator[tuple[int, Op]]:
            yield from ((n, ops[n]) for n in reversed(ops) if ops[n].array == array and n not in gone)

        def put(op: Op) -> frozenset[int]:
            ops[len(ops)] = op
            return frozenset({len(ops) - 1})

        def load(array: str, form: Form, branch: Branch, copy: int, tests: frozenset[int]) -> frozenset[int]:
            for n, op in earlier(array):
                if op.form == form:
                    if branch[: len(op.branch)] == op.branch:
                        return frozenset({n}) if op.kind == "load" else op.values
                    if op.kind == "store":
                        break
                elif op.kind == "store" and not _apart(op.form, form):
                    break
            return put(Op("load", array, form, branch, copy, tests))

        def store(array: str, form: Form, branch: Branch, copy: int, values: frozenset[int]) -> None:
            for n, op in earlier(array):
                if op.kind == "store" and op.form == form:
                    if op.branch[: len(branch)] == branch:
                        gone.add(n)
                    elif branch[: len(op.branch)] == op.branch:
                        gone.add(n)
                        values, branch, copy = values | op.values, op.branch, op.copy  # it runs where the copy does not
                    break
                if op.kind == "load" and not _apart(op.form, form):
                    break
            put(Op("store", array, form, branch, copy, values))

        for copy, block in itertools.product(range(self.unroll), self.blocks):
            key: object = None
            tests: frozenset[int] = frozenset()
            match block.condition:
                case (name, str(relation), bound):
                    key = (name, relation, bound, copy if name == self.loops[-1][0] else 0)
                case (array, form, bound):
                    tests = load(array, self.moved(form, copy), (), copy, frozenset())
                    key = (tests, bound)
                    if not tests:
                        raise Left("a constant condition")
            for arm, statements in enumerate((block.then, block.other)):
                branch: Branch = () if key is None else ((key, arm),)
                for s in statements:
                    found = (load(a, self.moved(f, copy), branch, copy, tests) for a, f in s.loads)
                    values = frozenset[int]().union(*found)
                    if s.product and s.loads:
                        if not values:
                            raise Left("a constant product")
                        made = (values, s.number)
                        if made not in products:
                            (products[made],) = put(Op("mul", "", (), (), copy, values))
                        values = frozenset({products[made]})
                    store(s.array, self.moved(s.target, copy), branch, copy, values | tests)
        needed, waiting = set[int](), [n for n, op in ops.items() if op.kind == "store" and n not in gone]
        while waiting:
            n = waiting.pop()
            if n not in needed:
                needed.add(n)
                waiting += ops[n].values
        return {n: ops[n] for n in sorted(needed)}

    def iterations(self, ops: Mapping[int, Op]) -> list[dict[int, tuple[int, ...] | None]]:
        """The element that each access touches, per pipelined iteration; None where it does not run."""
        *outer, (inner, start, step, trips) = self.loops
        rows = []
        for before in itertools.product(*(range(s, s + d * n, d) for _, s, d, n in outer)):
            for first in range(0, trips, self.unroll):
                at = {**dict(zip((v for v, *_ in outer), before, strict=True)), inner: start + step * first}
                row = {}
                for n, op in ops.items():
                    real = {**at, inner: start + step * (first + op.copy)}
                    runs = first + op.copy < trips and all(_runs(k, arm, real) for k, arm in op.branch)
                    element = tuple(sum(k * at[v] for v, k in t) + c for t, c in op.form)
                    row[n] = element if runs and op.kind != "mul" else None
                rows.append(row)
        return rows

    def expected(self, claimed: int | None) -> tuple[int, int, int | None]:
        """(recurrence II, resource II, least II or None where the search for it ends early)."""
        ops = self.operations()
        rows = self.iterations(ops)
        memory = [n for n, op in ops.items() if op.kind != "mul"]
        used = {n: {row[n] for row in rows} - {None} for n in memory}
        reads = {a for a in self.arrays if not any(op.kind == "store" and op.array == a for op in ops.values())}
        if any(not found for found in used.values()) or any(self.arrays[a].registers for a in self.arrays):
            raise Left("an access that never runs, or registers")
        for n in memory:
            array = self.arrays[ops[n].array]
            if any(not 0 <= x < e for el in used[n] for x, e in zip(el or (), array.extents, strict=True)):
                raise Left("outside of the array")
            if array.name in reads and any(k != "cyclic" and banks > 1 for k, banks in array.parts):
                raise Left("loads that may leave the loop")
        reach = {n: {self.arrays[ops[n].array].bank(el) for el in used[n] if el is not None} for n in memory}
        orders = list(self._orders(ops, rows, reach))
        groups: dict[tuple[int, ...], tuple[int, int, int]] = {}
        for array, bank in {(ops[n].array, b) for n in memory for b in reach[n]}:
            members = tuple(n for n in memory if ops[n].array == array and bank in reach[n])
            groups[members] = PORTS[self.arrays[array].storage]
        products = tuple(n for n in ops if ops[n].kind == "mul")
        if self.limit and len(products) > self.limit:
            groups[products] = (99, 99, self.limit)
        resource = max((_cycles(ops, m, p) for m, p in groups.items()), default=1)
        recurrence = next(n for n in itertools.count(1) if _closed(list(ops), orders, n) is not None)
        low = max(resource, recurrence)
        for ii in itertools.count(low):
            if ii != claimed or ii > low:
                found = _search(ops, orders, groups, ii)
                if found is not False:
                    return recurrence, resource, ii if found else None
            else:
                return recurrence, resource, ii
        raise AssertionError

    def _orders(
        self, ops: Mapping[int, Op], rows: list[dict[int, tuple[int, ...] | None]], reach: Mapping[int, set[object]]
    ) -> Iterator[tuple[int, int, int, int]]:
        """(first, second, distance, states) of values, and of accesses that meet or may be taken to meet."""
        for n, op in ops.items():
            yield from ((v, n, 0, 2 if ops[v].kind == "mul" else 1) for v in op.values if v in ops)
        for x, y in itertools.product(reach, repeat=2):
            a, b = ops[x], ops[y]
            if a.array != b.array or a.kind == b.kind == "load":
                continue
            exclusive = any(i == j and p != q for (i, p), (j, q) in itertools.product(a.branch, b.branch))
            if x < y and not _apart(a.form, b.form) and not exclusive and reach[x] & reach[y]:
                yield x, y, 0, 2 if (a.kind, b.kind) == ("store", "load") and a.form != b.form else 1
            if (distance := least_distance([(row[x], row[y]) for row in rows])) is not None:
                yield x, y, distance, 1


def _index(form: Form) -> str:
    return "".join("[" + " + ".join([*(f"{k} * {v}" for v, k in t), str(c)]) + "]" for t, c in form)


def _apart(one: Form, other: Form) -> bool:
    return any(s == t and c != d for (s, c), (t, d) in zip(one, other, strict=True))


def _runs(condition: object, arm: int, at: Mapping[str, int]) -> bool:
    match condition:
        case (str(name), str(relation), int(bound), int()):
            return (at[name] > bound if relation == ">" else at[name] < bound) == (arm == 0)
    return True


def _cycles(ops: Mapping[int, Op], members: Sequence[int], ports: tuple[int, int, int]) -> int:
    """Cycles that accesses of one bank need, whatever their conditions are."""
    conditions = list(dict.fromkeys(key for n in members for key, _ in ops[n].branch))
    worst = 1
    for arms in itertools.product((0, 1), repeat=len(conditions)):
        taken = dict(zip(conditions, arms, strict=True))
        on = [n for n in members if all(taken[key] == arm for key, arm in ops[n].branch)]
        reads = sum(ops[n].kind == "load" for n in on)
        for count, limit in zip((reads, len(on) - reads, len(on)), ports, strict=True):
            worst = max(worst, -(-count // limit))
    return worst


def _closed(
    names: Sequence[int], orders: Sequence[tuple[int, int, int, int]], ii: int, slots: Slots | None = None
) -> dict[tuple[int, int], int] | None:
    """Least states between starts, those with ``slots`` at their slots; None: the orders contradict each other."""
    least: dict[tuple[int, int], int] = {}
    for x, y, distance, states in orders:
        least[x, y] = max(least.get((x, y), states - ii * distance), states - ii * distance)
    while True:
        for k, i in itertools.product(names, repeat=2):
            if (i, k) in least:
                for j in names:
                    if (k, j) in least and least[i, k] + least[k, j] > least.get((i, j), -(1 << 30)):
                        least[i, j] = least[i, k] + least[k, j]
        if any(least.get((n, n), 0) > 0 for n in names):
            return None
        tight = {
            (x, y): w + (slots[y] - slots[x] - w) % ii
            for (x, y), w in least.items()
            if slots and x in slots and y in slots
        }
        if all(least[pair] == w for pair, w in tight.items()):
            return least
        least |= tight


def _search(
    ops: Mapping[int, Op],
    orders: Sequence[tuple[int, int, int, int]],
    groups: Mapping[tuple[int, ...], tuple[int, int, int]],
    ii: int,
) -> bool | None:
    """Whether all that needs a port or unit has a slot at which all orders hold; None: not decided."""
    closed = _closed(list(ops), orders, ii)
    held = sorted({n for members in groups for n in members})
    if closed is None:
        return False
    among = [(x, y, 0, w) for (x, y), w in closed.items() if x in held and y in held and x != y]
    left = NODES

    def grows(slots: Slots) -> bool | None:
        nonlocal left
        left -= 1
        if left < 0:
            return None
        if len(slots) == len(held):
            return True
        n = held[len(slots)]
        for slot in range(ii if slots else 1):
            more = {**slots, n: slot}
            beside = ([m for m in members if more.get(m) == slot] for members in groups if n in members)
            limits = (ports for members, ports in groups.items() if n in members)
            if any(_cycles(ops, b, p) > 1 for b, p in zip(beside, limits, strict=True)):
                continue
            if _closed(held, among, ii, more) is not None and (found := grows(more)) is not False:
                return found
        return False

    return grows({})


def make(seed: int) -> Case:
    """A case by its number."""
    pick = random.Random(seed)
    loops = []
    depth = pick.choice((1, 1, 2, 2, 3))
    for name in "ijm"[:depth]:
        step, trips = pick.choice((1, 1, 2, 3, -1, -2)), pick.randint(3, 5 if depth > 1 else 10)
        loops.append((name, pick.randint(0, 3) + (0 if step > 0 else -(trips - 1) * step), step, trips))
    names = [x[0] for x in loops]
    arrays = {}
    for name in "ABC"[: pick.choice((1, 2, 2, 3))]:
        extents = tuple(pick.choice((64, 96)) for _ in range(pick.choice((1, 1, 2))))
        kinds = [pick.choice(("whole", "whole", "cyclic", "cyclic", "block")) for _ in extents]
        parts = tuple((k, pick.choice((2, 3, 4, 8)) if k != "whole" else 1) for k in kinds)
        arrays[name] = Array(name, extents, parts, pick.choice(tuple(PORTS)))

    def form(array: str, like: Form | None = None) -> Form:
        while True:
            dims = []
            for d in range(len(arrays[array].extents)):
                terms = {v: pick.choice((0, 1, 1, 2, -1) if pick.random() < 0.3 else (0, 1)) for v in names}
                if like is not None and pick.random() < 0.75:
                    terms = dict(like[d][0])
                low = sum(min(terms.get(v, 0) * x for x in (s, s + t * (n - 1))) for v, s, t, n in loops)
                dims.append((tuple((v, k) for v, k in terms.items() if k), pick.randint(0, 6) - min(0, low)))
            if any(names[-1] in dict(terms) for terms, _ in dims):
                return tuple(dims)

    base = {a: form(a) for a in arrays}
    numbers = itertools.count()

    def statement() -> Statement:
        array = pick.choice(list(arrays))
        sources = [*pick.choices(list(arrays), k=pick.choice((0, 1, 1, 2))), *([array] if pick.random() < 0.5 else [])]
        loads = tuple((b, form(b, base[b])) for b in sources)
        return Statement(array, form(array, base[array]), loads, pick.random() < 0.3, next(numbers))

    blocks = []
    for _ in range(pick.choice((1, 1, 2, 2))):
        condition: tuple[str, str, int] | tuple[str, Form, int] | None = None
        chance = pick.random()
        if chance > 0.8:
            condition = (pick.choice(names), pick.choice("<>"), pick.randint(0, 6))
        elif chance > 0.65:
            array = pick.choice(list(arrays))
            condition = (array, form(array, base[array]), pick.randint(0, 5))
        then, other = (statement(),), (statement(),) if condition and pick.random() < 0.5 else ()
        blocks.append(Block(condition, then, other))
    unroll = min(pick.choice((1, 1, 2, 3)), loops[-1][3] - 1)
    return Case(tuple(loops), unroll, arrays, tuple(blocks), pick.choice((0, 0, 1, 2)))


@pytest.mark.parametrize("seed", range(0, 100, 10))
def test_the_ii_is_that_of_searched_slots(seed):
    for number in range(seed, seed + 10):
        case = make(number)
        try:
            if len(case.operations()) > 10:
                continue
            found = next(x for x in result(case.text, clock_ns=60).loops if x.pipelined)
            if len(found.flattened) not in (0, len(case.loops)) or (len(case.loops) > 1 and not found.flattened):
                continue
            recurrence, resource, least = case.expected(found.ii)
        except Left:
            continue
        assert (found.recurrence_ii, found.resource_ii) == (recurrence, resource), number
        if found.ii is None:
            assert found.cause is not None and found.bounds is not None, number
            assert least is None or found.bounds[0] <= least <= found.bounds[1], number
        else:
            assert least is None or found.ii == least, number


@pytest.mark.parametrize("seed", range(12))
def test_no_port_raises_the_ii(seed):
    case = make(seed)
    if len(case.operations()) > 10:
        return
    found = {}
    for storage in ("ram_1p", "ram_s2p", "ram_2p", "ram_t2p"):
        arrays = {n: replace(a, storage=storage) for n, a in case.arrays.items()}
        found[storage] = next(x.ii for x in result(replace(case, arrays=arrays).text).loops if x.pipelined)
    for few, more in (("ram_1p", "ram_s2p"), ("ram_1p", "ram_2p"), ("ram_2p", "ram_t2p")):
        assert None in (found[few], found[more]) or found[more] <= found[few], (few, more)
