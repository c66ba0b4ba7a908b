"""Random nests that read and write one or two arrays: the II against dependences of enumerated iterations.

Two arrays, one or two dimensions, nests of up to three loops with strides of both signs, guards, copies with a
remainder. A load takes a state before its value is there, sums are done in the state of the store.
"""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass

import pytest
from predicting import least_distance, result

from tests.amounts import amount

EXTENT = 128
Form = tuple[tuple[tuple[tuple[str, int], ...], int], ...]  # per dimension: terms by iterator, and a constant
Guard = tuple[str, str, int] | None


@dataclass(frozen=True)
class Statement:
    """``array[target] = sum of loads``, where ``guard`` holds."""

    array: str
    target: Form
    loads: tuple[tuple[str, Form], ...]
    guard: Guard


@dataclass(frozen=True)
class Operation:
    """An access of the iteration; ``copy`` of the unrolled body, number of its ``statement``."""

    kind: str
    array: str
    form: Form
    guard: Guard
    copy: int
    statement: int


@dataclass(frozen=True)
class Case:
    """A nest; loops are (iterator, start, step, trip count)."""

    loops: tuple[tuple[str, int, int, int], ...]
    arrays: str
    statements: tuple[Statement, ...]
    unroll: int

    @property
    def text(self) -> str:
        rank = len(self.statements[0].target)
        lines = [f"void f({', '.join(f'int {a}' + f'[{EXTENT}]' * rank for a in self.arrays)}) {{"]
        lines += [f"#pragma HLS INTERFACE ap_memory port={a} storage_type=ram_1wnr" for a in self.arrays]
        for v, start, step, trips in self.loops:
            end = start + step * trips
            lines.append(f"L{v}: for (int {v} = {start}; {v} {'<' if step > 0 else '>'} {end}; {v} += {step})")
        lines += ["{", "#pragma HLS PIPELINE"]
        lines += [f"#pragma HLS UNROLL factor={self.unroll}"] if self.unroll > 1 else []
        for number, s in enumerate(self.statements):
            sum_ = " + ".join([*(a + _index(f) for a, f in s.loads), str(number + 3)])
            when = f"if ({' '.join(map(str, s.guard))}) " if s.guard is not None else ""
            lines.append(f"{when}{s.array}{_index(s.target)} = {sum_};")
        return "\n".join([*lines, "}", "}", ""])

    def operations(self) -> list[Operation] | None:
        """Accesses of one iteration, equal loads once; None where loads or stores would be merged or forwarded."""
        inner, _, step, _ = self.loops[-1]
        out: list[Operation] = []
        for copy, (number, s) in itertools.product(range(self.unroll), enumerate(self.statements)):
            for kind, array, form in (*(("load", a, f) for a, f in s.loads), ("store", s.array, s.target)):
                moved = tuple((t, c + dict(t).get(inner, 0) * step * copy) for t, c in form)
                made = Operation(kind, array, moved, s.guard, copy, number)
                same = [x for x in out if x.array == array and x.form == moved]
                here = [x for x in same if (x.copy, x.statement) == (copy, number)]
                if any(x.kind == kind for x in here):
                    continue
                if len(same) > len(here):
                    return None
                out.append(made)
        return out

    def iterations(self, operations: list[Operation]) -> list[list[tuple[int, ...] | None]]:
        """The element that each operation touches, per pipelined iteration."""
        *outer, (inner, start, step, trips) = self.loops
        rows = []
        for before in itertools.product(*(range(s, s + d * n, d) for _, s, d, n in outer)):
            for first in range(0, trips, self.unroll):
                at = {**dict(zip((v for v, *_ in outer), before, strict=True)), inner: start + step * first}
                row = []
                for op in operations:
                    real = {**at, inner: start + step * (first + op.copy)}
                    runs = first + op.copy < trips and _holds(op.guard, real)
                    row.append(tuple(sum(k * at[v] for v, k in t) + c for t, c in op.form) if runs else None)
                rows.append(row)
        return rows

    def expected(self) -> tuple[int, int, int | None] | None:
        """(recurrence II, resource II, least II or None where that is too much to try); None: a case left out."""
        operations = self.operations()
        if operations is None:
            return None
        rows = self.iterations(operations)
        touched = [x for row in rows for x in row if x is not None]
        never = any(all(row[k] is None for row in rows) for k in range(len(operations)))
        if never or any(not 0 <= i < EXTENT for x in touched for i in x):
            return None
        orders = list(_orders(operations, rows))
        ii = next(n for n in itertools.count(1) if _possible(len(operations), orders, n))
        writes = max(sum(o.kind == "store" and o.array == a for o in operations) for a in self.arrays)
        low, stores = max(ii, writes), [o.array if o.kind == "store" else None for o in operations]
        if (low + 1) ** (len(stores) - stores.count(None)) > 3000:
            return ii, writes, None
        return ii, writes, next(n for n in itertools.count(low) if _scheduled(stores, orders, n))


def _index(form: Form) -> str:
    return "".join("[" + " + ".join([*(f"{k} * {v}" for v, k in t), str(c)]) + "]" for t, c in form)


def _holds(guard: Guard, at: dict[str, int]) -> bool:
    return guard is None or (at[guard[0]] > guard[2] if guard[1] == ">" else at[guard[0]] < guard[2])


def _orders(operations: list[Operation], rows: list[list[tuple[int, ...] | None]]):
    """(first, second, distance, states) of values, and of accesses that meet or may be taken to meet."""
    for (x, a), (y, b) in itertools.product(enumerate(operations), repeat=2):
        if (a.copy, a.statement, a.kind, b.kind) == (b.copy, b.statement, "load", "store"):
            yield x, y, 0, 1
        if a.array != b.array or a.kind == b.kind == "load":
            continue
        apart = any(s == t and c != d for (s, c), (t, d) in zip(a.form, b.form, strict=True))
        if x < y and not apart:
            yield x, y, 0, 2 if a.kind == "store" and b.kind == "load" else 1
        if (distance := least_distance([(row[x], row[y]) for row in rows])) is not None:
            yield x, y, distance, 1


def _possible(count: int, orders: list[tuple[int, int, int, int]], ii: int) -> bool:
    start = [0] * count
    for _ in range(count + 1):
        before = list(start)
        for x, y, distance, states in orders:
            start[y] = max(start[y], start[x] + states - ii * distance)
        if start == before:
            return True
    return False


def _scheduled(stores: list[str | None], orders: list[tuple[int, int, int, int]], ii: int) -> bool:
    """Whether stores, one of an array per slot, have slots at which all orders hold; all slots are tried."""
    bound = [k for k, array in enumerate(stores) if array is not None]
    for slots in itertools.product(range(ii), repeat=len(bound)):
        if len({(stores[k], s) for k, s in zip(bound, slots, strict=True)}) < len(bound):
            continue
        slot = dict(zip(bound, slots, strict=True))
        start = [slot.get(k, 0) for k in range(len(stores))]
        for _ in range(len(stores) * ii + len(stores) + 1):
            before = list(start)
            for x, y, distance, states in orders:
                need = max(start[y], start[x] + states - ii * distance)
                start[y] = need + ((slot[y] - need) % ii if y in slot else 0)
            if start == before:
                return True
    return False


def make(seed: int) -> Case:
    """A case by its number."""
    pick = random.Random(seed)
    loops = []
    depth = pick.choice((1, 1, 2, 2, 3))
    for name in "ijk"[:depth]:
        step, trips = pick.choice((1, 1, 1, 2, 3, -1, -2)), pick.randint(3, 7 if depth > 1 else 12)
        loops.append((name, pick.randint(0, 3) + (0 if step > 0 else -(trips - 1) * step), step, trips))
    rank, arrays, names = pick.choice((1, 1, 2)), pick.choice(("A", "AB", "AB")), [x[0] for x in loops]

    def form(like: Form | None = None) -> Form:
        while True:
            dims = []
            for d in range(rank):
                terms = {v: pick.choice((0, 1, 1, 2, -1) if pick.random() < 0.3 else (0, 1)) for v in names}
                if like is not None and pick.random() < 0.7:
                    terms = dict(like[d][0])
                low = sum(min(terms.get(v, 0) * x for x in (s, s + t * (n - 1))) for v, s, t, n in loops)
                dims.append((tuple((v, k) for v, k in terms.items() if k), pick.randint(0, 6) - min(0, low)))
            if any(terms for terms, _ in dims):
                return tuple(dims)

    targets = {a: form() for a in arrays}
    statements = []
    for array, target in targets.items():
        loads = [(b, form(targets[b])) for b in pick.choices(arrays, k=pick.randint(1, 3))]
        guard = (pick.choice(names), pick.choice("<>"), pick.randint(0, 6)) if pick.random() < 0.25 else None
        statements.append(Statement(array, target, tuple(loads), guard))
    return Case(tuple(loops), arrays, tuple(statements), min(pick.choice((1, 1, 2, 3, 4, 8)), loops[-1][3] - 1))


@pytest.mark.parametrize("seed", range(0, 120, 15))
def test_the_ii_is_that_of_enumerated_dependences(seed):
    for number in range(seed, seed + 15):
        case = make(number)
        expected = case.expected()
        if expected is None:
            continue
        found = next(x for x in result(case.text).loops if x.pipelined)
        assert len(case.loops) in (1, len(found.flattened)), number
        recurrence, resource, least = expected
        assert (found.recurrence_ii, found.resource_ii) == (recurrence, resource), number
        if found.ii is None:
            assert found.cause is not None and found.bounds is not None, number
        else:
            assert found.ii == least or (least is None and found.ii >= max(recurrence, resource)), number


def partitioned(case: Case, factor: int, storage: str) -> str:
    """The text with all dimensions of all arrays cyclic."""
    head, body = case.text.replace("ram_1wnr", storage).split("{\n", 1)
    dims = range(1, len(case.statements[0].target) + 1) if factor > 1 else ()
    lines = [
        f"#pragma HLS ARRAY_PARTITION variable={a} cyclic factor={factor} dim={d}" for a in case.arrays for d in dims
    ]
    return "\n".join([head + "{", *lines, body])


HIDDEN = """void f(int A[128], int B[128]) {
#pragma HLS ARRAY_PARTITION variable=A cyclic factor=%d
#pragma HLS ARRAY_PARTITION variable=B cyclic factor=%d
    L: for (int i = 2; i < 24; i += 2) {
#pragma HLS PIPELINE
        A[i + 1] = B[i + 3] + 3;
        B[i + 4] = A[i + 3] + 4;
    }
}
"""


def test_what_partitioned_dimensions_hide_from_the_tool_costs_states_and_no_ii():
    whole, split = (next(iter(result(HIDDEN % (n, n)).loops)) for n in (1, 2))
    assert (whole.ii, split.ii, split.recurrence_ii) == (1, 1, 1)


@pytest.mark.parametrize("seed", range(amount(1, 4)))
def test_no_port_and_no_multiple_of_a_factor_raises_the_ii(seed):
    case = make(seed)
    for chain in ((1, 2, 4), (1, 3, 6)):
        before: dict[str, int] = {}
        for factor in chain:
            found = {}
            for storage in ("ram_1p", "ram_2p"):
                loop = next(x for x in result(partitioned(case, factor, storage)).loops if x.pipelined)
                if loop.ii is not None:
                    assert loop.ii <= min(before.get(storage, loop.ii), found.get("ram_1p", loop.ii)), (factor, storage)
                    found[storage] = loop.ii
            before |= found
