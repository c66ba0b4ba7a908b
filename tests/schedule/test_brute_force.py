"""II against an oracle that enumerates iterations, on random small kernels; and laws that must hold."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st
from predicting import loop

EXTENT = 96
TRIP = 12


@dataclass(frozen=True)
class Case:
    """Reads A[c*i + d] in a loop over i = 0..11, unrolled, under one partition and storage."""

    reads: tuple[tuple[int, int], ...]
    unroll: int
    kind: str
    factor: int
    storage: str

    @property
    def text(self) -> str:
        pragma = f"#pragma HLS ARRAY_PARTITION variable=A {self.kind} factor={self.factor}" if self.factor > 1 else ""
        unroll = f"#pragma HLS UNROLL factor={self.unroll}" if self.unroll > 1 else ""
        sum_ = " + ".join(f"A[{c} * i + {d}]" for c, d in self.reads)
        return f"""int f(int A[{EXTENT}]) {{
#pragma HLS INTERFACE ap_memory port=A storage_type={self.storage}
{pragma}
    int s = 0;
    L: for (int i = 0; i < {TRIP}; i++) {{
#pragma HLS PIPELINE
{unroll}
        s += {sum_};
    }}
    return s;
}}
"""

    @property
    def ports(self) -> int:
        return {"ram_1p": 1, "ram_s2p": 1, "ram_t2p": 2}[self.storage]

    def bank(self, x: int) -> int:
        block = -(-EXTENT // self.factor)
        return x % self.factor if self.kind == "cyclic" else x // block


@st.composite
def cases(draw):
    reads = draw(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 40)), min_size=1, max_size=5, unique=True))
    return Case(
        tuple(reads),
        draw(st.sampled_from([1, 2, 3, 4])),
        draw(st.sampled_from(["cyclic", "block"])),
        draw(st.sampled_from([1, 2, 3, 4, 6])),
        draw(st.sampled_from(["ram_1p", "ram_s2p", "ram_t2p"])),
    )


def oracle(case: Case) -> tuple[int, int]:
    """(static, ideal) intervals by enumerating every iteration."""
    copies = {(c, c * k + d) for k in range(case.unroll) for c, d in case.reads}  # element c*i + d' of iteration i
    moving = list(copies)
    iterations = range(0, TRIP, case.unroll)
    per_bank: dict[int, int] = {}
    for c, d in moving:
        for bank in {case.bank(c * i + d) for i in iterations}:
            per_bank[bank] = per_bank.get(bank, 0) + 1
    static = max(-(-n // case.ports) for n in per_bank.values())
    ideal = 1
    for i in iterations:
        counts: dict[int, int] = {}
        for x in {c * i + d for c, d in moving}:
            counts[case.bank(x)] = counts.get(case.bank(x), 0) + 1
        ideal = max(ideal, *(-(-n // case.ports) for n in counts.values()))
    return static, ideal


def hoisted(case: Case) -> bool:
    """A block partition whose bank runs while the offset stays: the reads leave the loop."""
    block = -(-EXTENT // case.factor)
    return case.kind == "block" and case.factor > 1 and any(c * case.unroll % block == 0 for c, _ in case.reads)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(cases())
def test_resource_ii_is_that_of_enumerated_iterations(case):
    if hoisted(case):
        return
    found = loop(case.text)
    static, ideal = oracle(case)
    assert found.resource_ii == static and found.ideal_ii == ideal, case
    if found.ii is None:  # a tool may not see which banks a remainder of no power of two reaches
        assert case.kind == "cyclic" and case.factor & (case.factor - 1), case
        assert found.bounds is not None and found.bounds[0] == static < found.bounds[1], case
    else:
        assert found.ii == static, case


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    st.tuples(st.integers(1, 3), st.integers(0, 6)),
    st.lists(st.tuples(st.integers(1, 3), st.integers(0, 6)), min_size=1, max_size=3, unique=True),
    st.integers(1, 3),
)
def test_recurrence_ii_is_that_of_enumerated_iterations(write, reads, step):
    """Store to A[c*i+d] of a sum of loads: load 1 + add 0 + store 1 states over the least distance."""
    trip = 12
    sum_ = " + ".join(f"A[{c} * i + {d}]" for c, d in reads)
    text = f"""void f(int A[128], int x[64]) {{
#pragma HLS INTERFACE ap_memory port=A storage_type=ram_1wnr
    L: for (int i = 0; i < {trip * step}; i += {step}) {{
#pragma HLS PIPELINE
        A[{write[0]} * i + {write[1]}] = {sum_} + x[i];
    }}
}}
"""
    values = range(0, trip * step, step)
    distances = [
        n - m
        for (m, i), (n, k) in itertools.product(enumerate(values), repeat=2)
        for c, d in reads
        if n > m and write[0] * i + write[1] == c * k + d
    ]
    expected = max((-(-2 // d) for d in distances), default=1)
    assert loop(text).recurrence_ii == expected


@settings(max_examples=25, deadline=None, derandomize=True)
@given(cases(), st.integers(2, 3))
def test_more_ports_and_multiples_of_a_cyclic_factor_never_raise_the_ideal_ii(case, times):
    one = loop(case.text)
    more = loop(case.text.replace(case.storage, "ram_t2p"))
    most = [x.ii if x.bounds is None else x.bounds[1] for x in (one, more)]
    assert more.ideal_ii <= one.ideal_ii and most[1] <= most[0]
    if case.kind == "cyclic" and case.factor > 1:
        finer = loop(case.text.replace(f"factor={case.factor}", f"factor={case.factor * times}", 1))
        assert finer.ideal_ii <= one.ideal_ii
