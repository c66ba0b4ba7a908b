"""Random nests against iterations that are enumerated: the ideal interval of one partitioned array."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass

import pytest
from predicting import result

from hlspart.predict import doubts

#: reads, writes, both in one cycle
PORTS = {"ram_1p": (9, 9, 1), "ram_s2p": (1, 1, 9), "ram_t2p": (9, 9, 2), "ram_2p": (9, 1, 2)}
Form = tuple[tuple[dict[str, int], int], ...]  # per dimension: coefficients of i, j, k and a constant


@dataclass(frozen=True)
class Case:
    """Reads (or writes) of A in a nest over i (and j), unrolled, around an unrolled loop over k; some under an if."""

    loops: tuple[tuple[str, int, int, int], ...]  # name, start, step, trip count
    unroll: int
    inner: int
    extents: tuple[int, ...]
    cyclic: tuple[int, ...]
    storage: str
    writes: bool
    always: tuple[Form, ...]
    then: tuple[Form, ...]
    other: tuple[Form, ...]

    def statement(self, form: Form, number: int) -> str:
        """An access of A."""
        index = "".join(
            "[" + " + ".join([*(f"{k} * {v}" for v, k in terms.items() if k), str(const)]) + "]"
            for terms, const in form
        )
        return f"A{index} = x[i] + {number};" if self.writes else f"acc += A{index};"

    @property
    def text(self) -> str:
        lines = [f"int f(int A{''.join(f'[{e}]' for e in self.extents)}, int x[64]) {{", "int acc = 0;"]
        lines.append(f"#pragma HLS INTERFACE ap_memory port=A storage_type={self.storage}")
        lines.append("#pragma HLS INTERFACE ap_memory port=x storage_type=ram_1wnr")
        for dim, factor in enumerate(self.cyclic, 1):
            if factor > 1:
                lines.append(f"#pragma HLS ARRAY_PARTITION variable=A cyclic factor={factor} dim={dim}")
        for v, start, step, trips in self.loops:
            lines.append(f"L{v}: for (int {v} = {start}; {v} {'<' if step > 0 else '>'} {start + step * trips};")
            lines.append(f"{v} += {step})")
        lines += ["{", "#pragma HLS PIPELINE"]
        lines += [f"#pragma HLS UNROLL factor={self.unroll}"] if self.unroll > 1 else []
        lines += [f"for (int k = 0; k < {self.inner}; k++) {{"]
        lines += [self.statement(f, n) for n, f in enumerate(self.always)]
        if self.then:
            lines += ["if (x[i] > 3) {", *(self.statement(f, 10 + n) for n, f in enumerate(self.then)), "} else {"]
            lines += [*(self.statement(f, 20 + n) for n, f in enumerate(self.other)), "}"]
        return "\n".join([*lines, "}", "}", "return acc;", "}", ""])

    def bank(self, element: tuple[int, ...]) -> int:
        """Number of the bank of an element."""
        flat = 0
        for x, factor in zip(element, self.cyclic, strict=True):
            flat = flat * factor + x % factor
        return flat

    def interval(self) -> int:
        """Most cycles that a bank needs for one iteration, whatever the conditions are."""
        *outer, (last, start, step, trips) = self.loops
        values = range(start, start + step * trips, step)
        groups = [values[k : k + self.unroll] for k in range(0, trips, self.unroll)]
        alike = bool(outer)  # the condition does not change with the inner loop
        taken = itertools.product((0, 1), repeat=1 if alike else self.unroll)
        decisions = [t * self.unroll if alike else t for t in taken] if self.then else [(0,) * self.unroll]
        reads, writes, both = PORTS[self.storage]
        worst = 1
        for before in itertools.product(*(range(s, s + d * n, d) for _, s, d, n in outer)):
            for group, decided in itertools.product(groups, decisions):
                fixed = dict(zip((v for v, *_ in outer), before, strict=True))
                busy: dict[int, set[object]] = {}
                for copy, value in enumerate(group):
                    forms = (*self.always, *((self.then, self.other)[decided[copy]]))
                    for k, form in itertools.product(range(self.inner), forms):
                        at = {**fixed, last: value, "k": k}
                        element = tuple(sum(c * at[v] for v, c in terms.items()) + const for terms, const in form)
                        busy.setdefault(self.bank(element), set()).add(element)
                for found in busy.values():
                    limit = min(writes if self.writes else reads, both)
                    worst = max(worst, -(-len(found) // limit))
        return worst


def make(seed: int) -> Case:
    """A case by its number."""
    pick = random.Random(seed)
    loops = []
    for name in "ij"[: pick.choice((1, 1, 2))]:
        step, trips = pick.choice((1, 1, 2, 3, -1, -2)), pick.randint(3, 9)
        loops.append((name, pick.randint(0, 3) + (0 if step > 0 else -(trips - 1) * step), step, trips))
    rank, inner = pick.choice((1, 2)), pick.choice((1, 1, 2, 3))
    writes = pick.random() < 0.3

    def form() -> Form:
        while True:
            made = []
            for _ in range(rank):
                terms = {v: pick.choice((0, 1, 1, 2)) for v, *_ in loops}
                terms["k"] = pick.choice((0, 1, 2)) if inner > 1 else 0
                made.append((terms, pick.randint(0, 12)))
            if any(terms[loops[-1][0]] for terms, _ in made):
                return tuple(made)

    branch = not writes and pick.random() < 0.4  # conditional stores are merged by rules of their own
    return Case(
        tuple(loops),
        pick.choice((1, 1, 2, 3)),
        inner,
        tuple(pick.choice((64, 96, 100)) for _ in range(rank)),
        tuple(pick.choice((1, 2, 3, 4, 5)) for _ in range(rank)),
        pick.choice(tuple(PORTS)),
        writes,
        tuple(form() for _ in range(pick.randint(0 if branch else 1, 1 if writes else 3))),
        tuple(form() for _ in range(pick.randint(1, 3))) if branch else (),
        tuple(form() for _ in range(pick.randint(0, 2))) if branch else (),
    )


@pytest.mark.parametrize("seed", [*range(0, 45, 3), 397])
def test_the_ideal_interval_is_that_of_enumerated_iterations(seed, monkeypatch):
    """In 397 cliques over all iterations cost more than what may be spent: they are looked at one by one.

    The interval of all loads as they are written, which the tool may make fewer.
    """
    monkeypatch.setattr(doubts, "of_conditions", lambda prediction: iter(()))
    for number in range(seed, seed + 3):
        case = make(number)
        if case.unroll >= case.loops[-1][3]:  # nothing is left to pipeline
            continue
        off = (("syn.array_partition.throughput_driven", "off"),)  # else the tool may partition arrays by itself
        found = next(x for x in result(case.text, settings=off).loops if x.pipelined)
        if "only the bounds of flattened loops" in (found.cause or ""):  # a doubt about dependences, not about banks
            continue
        assert found.ideal_ii is not None and found.recurrence_ii is not None, (number, found.cause)
        assert found.ideal_ii == max(case.interval(), found.recurrence_ii), number
        if found.ii is None:  # remainders may hide which banks an access reaches
            assert found.bounds is not None and found.ideal_ii <= found.bounds[0]
            continue
        assert found.ii >= found.ideal_ii
        assert found.ii == 1 or found.limits[0].ii == found.ii
