"""Words that are put together of parts: shifts and ors of bits that do not overlap are wires, however many they are."""

import random

import pytest
from predicting import loop

from hlspart.lowering.graph import Op
from hlspart.lowering.ranges import Ranges
from hlspart.model.program import ScalarType

TARGET = {"tool": "vivado-hls-2019.1", "part": "xc7a35tcpg236-1", "clock_ns": 10.0}


def figures(value, before=""):
    text = f"""#include <stdint.h>
void f(uint32_t x[64], uint32_t y[64]) {{
    uint32_t r = 1;
    L: for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE
        {before} y[i] = {value};
    }}
}}
"""
    made = loop(text, **TARGET)
    return made.ii, made.depth


PERMUTED = "uint64_t s = 0; for (int j = 0; j < 32; j++) {{ s <<= 1; s {} (uint64_t)((x[i] >> (j * 7 & 31)) & 1); }}"


@pytest.mark.parametrize(
    "value", ["x[i] << 5 | x[i] >> 27", "(x[i] & 255) << 8 | (x[i] >> 8 & 255)", "x[i] << 16 ^ x[i] >> 16"]
)
def test_rotations_and_exchanges_take_no_time(value):
    assert figures(value) == figures("x[i]")


def test_a_permutation_of_all_bits():
    """A cipher's report (2019.1) has II 1 for rounds of 80 such steps."""
    assert figures("(uint32_t)s", PERMUTED.format("|=")) == figures("x[i]")
    assert figures("(uint32_t)s", PERMUTED.format("^=")) == figures("x[i]")


def test_parts_that_overlap_are_logic():
    overlapping = "uint32_t s = 0; for (int j = 0; j < 32; j++) { s <<= 1; s ^= x[i] >> j; }"
    assert figures("s", overlapping)[1] > figures("x[i]")[1]


def test_copies_of_a_sign_overlap_what_stands_above_them():
    """A byte that becomes a signed one has its sign in all bits above, as numbers show: such an or is no wires."""
    draw = random.Random(5)
    word, byte = ScalarType("uint32_t", "int", 32, False), ScalarType("int8_t", "int", 8, True)
    for most, made_of in ((255, "logic"), (127, "wire")):  # of 0 to 127 no bit is copied
        ranges, spans, ops = Ranges(), {0: (0, most), 1: (0, 255)}, {}
        for made, sign, args in ((2, "<<", (1, 8)), (3, "|", (0, 2))):
            ops[made] = Op(made, "wire" if sign == "<<" else "logic", 32, args, 0, sign)
            ranges.convert(0, byte)
            ranges.note(made, sign, args, 8 if sign == "<<" else None, (word, word))
            ranges.join(made, ops, spans)
        kept = [(x if x < 128 else x - 256) & 0xFFFFFFFF for x in range(most + 1)]
        upper = [draw.randrange(256) << 8 for _ in kept]
        overlap = any(a & b for a, b in zip(kept, upper, strict=True))
        assert (ops[3].kind, overlap) == (made_of, made_of == "logic")
        assert all((a | b) & ~ranges.masks.get(3, -1) == 0 for a, b in zip(kept, upper, strict=True))


def test_a_row_of_signed_bytes_takes_its_operators():
    mixed = "uint32_t s = x[i]; for (int j = 0; j < 24; j++) s = (uint32_t)({})(s & 255) ^ (s >> 24 << 8);"
    assert figures("s", mixed.format("int8_t"))[1] > figures("s", mixed.format("uint8_t"))[1]


def test_bits_that_may_be_set_hold_for_all_values():
    """Random trees of shifts, masks, ors: each value has no bit beyond its mask (an enumeration of values)."""
    draw = random.Random(3)
    word = ScalarType("uint32_t", "int", 32, False)
    for _ in range(60):
        ranges, ops, spans = Ranges(), {}, {0: (0, 255), 1: (0, 15)}
        values = {0: [draw.randrange(256) for _ in range(8)], 1: [draw.randrange(16) for _ in range(8)]}
        for made in range(2, 12):
            sign = draw.choice(["<<", "|", "^", ">>", "&"])
            left = draw.randrange(made)
            right = draw.randrange(made) if sign in "|^" else None
            constant = draw.randrange(1, 9) if right is None else None
            ops[made] = Op(made, "logic" if sign in "|^&" else "wire", 32, (left, right or 0), 0, sign)
            ranges.note(made, sign, (left, left if right is None else right), constant, (word, word))
            ranges.join(made, ops, spans)
            work = {"<<": lambda a, b: a << b & 0xFFFFFFFF, "|": lambda a, b: a | b, "^": lambda a, b: a ^ b,
                    ">>": lambda a, b: a >> b, "&": lambda a, b: a & b}[sign]  # fmt: skip
            others = values[right] if right is not None else [constant] * 8
            values[made] = [work(a, b) for a, b in zip(values[left], others, strict=True)]
            assert all(v & ~ranges.masks.get(made, -1) == 0 for v in values[made])
            if sign in "|^" and ops[made].kind == "wire":
                assert all(not a & b for a, b in zip(values[left], others, strict=True))
