"""Ranges of bits with constant bounds: what looks at other bits than were set does not wait for them."""

from __future__ import annotations

import random

import pytest
from amounts import amount
from predicting import result

from hlspart.lowering.graph import Op
from hlspart.lowering.ranges import Ranges
from hlspart.model.program import ScalarType

WORD = "ap_uint<64> w = 0; L: for (int i = 0; i < 64; i++) {\n#pragma HLS PIPELINE II=1\n"


@pytest.mark.parametrize(
    "body, ii, bounds",
    [
        ("w.range(31, 0) = w.range(63, 32) / 3; w.range(63, 32) = a[i];", None, (1, 36)),
        ("w.range(31, 0) = a[i] / 3; w.range(63, 32) = w.range(63, 32) + 1;", 1, None),
        ("w.range(31, 0) = w.range(31, 0) / 3;", 36, None),
        ("w.range(39, 0) = w.range(63, 32) / 3; w.range(63, 40) = a[i];", 36, None),
    ],
    ids=["moved", "beside", "in place", "one bit of both"],
)
def test_a_recurrence_goes_round_with_bits(body: str, ii: int | None, bounds: tuple[int, int] | None) -> None:
    text = f'#include "ap_int.h"\nvoid f(const ap_uint<32> a[64], ap_uint<64> b[64]) {{ {WORD}{body} b[i] = w; }} }}\n'
    (loop,) = result(text, path="k.cpp").loops
    assert loop.ii == ii and (loop.ii is not None or loop.bounds == bounds)


def test_what_is_left_out_does_not_matter() -> None:
    """Random words with masks, shifts and signed types, against their values."""
    rng = random.Random(5)
    cut = 0
    for _ in range(amount(400, 20000)):
        ranges, ops, kinds, signs = Ranges(), {}, {}, {}
        for k in range(3):
            ops[k], kinds[k] = Op(k, "load", 16, (), 0), ScalarType("t", "int", rng.choice((8, 16)), rng.random() < 0.5)
        for k in range(3, 9):
            sign, right = rng.choice(("&", "&", "|", "|", "^", "<<", ">>")), None
            args = (rng.randrange(k), rng.randrange(k))
            if sign in ("<<", ">>") or (sign == "&" and rng.random() < 0.8):
                right = rng.randrange(1, 8) if sign != "&" else (1 << rng.randrange(1, 9)) - 1 << rng.randrange(9)
            wide = ScalarType("t", "int", max(16, kinds[args[0]].bits), rng.random() < 0.4)
            ops[k], signs[k] = Op(k, "logic", wide.bits, args, 0), (sign, right)
            ranges.note(k, sign, args, right, (wide, kinds[args[0]]))
            kinds[k] = wide
            if rng.random() < 0.3:  # and it becomes a value of another type, which nothing of the graph shows
                kinds[k] = ScalarType("t", "int", rng.choice((8, 12, 16)), rng.random() < 0.5)
                ranges.convert(k, kinds[k])
        results = {k: ranges.words[k].type for k in ranges.words}
        before = dict(ops)
        ranges.split(ops, {})
        for k in (k for k in ops if ops[k] != before[k]):
            cut += 1
            kept = _below(before, ops[k].args[0]) | ({before[k].args[1]} if signs[k][1] is None else set())
            given = {x: rng.getrandbits(16) for x in range(3)}
            other = {x: v if x in kept else rng.getrandbits(16) for x, v in given.items()}
            assert _run(before, signs, kinds, results, given, k) == _run(before, signs, kinds, results, other, k)
    assert cut > 30


def _below(ops: dict[int, Op], value: int) -> set[int]:
    return {value}.union(*(_below(ops, a) for a in ops[value].args))


def _run(ops, signs, kinds, results, given: dict[int, int], wanted: int) -> int:  # type: ignore[no-untyped-def]
    values: dict[int, int] = {}
    for k, op in ops.items():
        if k in given:
            values[k] = _as(given[k], kinds[k])
        elif k <= wanted:
            (sign, right), left = signs[k], values[op.args[0]]
            b = values[op.args[1]] if right is None else right
            made = (
                {"&": left & b, "|": left | b, "^": left ^ b}[sign]
                if sign in "&|^"
                else (left << b if sign == "<<" else left >> b)
            )
            values[k] = _as(_as(made, results[k]), kinds[k])
    return values[wanted]


def _as(value: int, kind: ScalarType) -> int:
    value &= (1 << kind.bits) - 1
    return value - (1 << kind.bits) if kind.signed and value >> (kind.bits - 1) else value


@pytest.mark.parametrize(
    "value", ["(x[i] & 7) << -1", "(x[i] & 7) << 18446744073709551615ull", "(x[i] & 7) << 40", "x[i] >> 4000000000u"]
)
def test_shifts_that_leave_nothing_defined_are_still_read(value: str) -> None:
    text = f"void f(const int x[64], int o[64]) {{ for (int i = 0; i < 64; i++) o[i] = ({value}) | 3; }}"
    (found,) = result(text, tool="vitis-2022.2").loops
    assert found.ii == 1
