"""Operations on doubles whose result is kept as a float: LLVM makes them operations on floats, bit by bit the same."""

import math
import random
import struct
from fractions import Fraction

import pytest
from predicting import result

TARGET = {"tool": "vitis-2023.2", "part": "xcu280-fsvh2892-2L-e", "clock_ns": 10}


def depth(statement, parameters="float x[256], float y[256], float z[256]"):
    text = f"void f({parameters}) {{ L: for (int i = 0; i < 256; i++) {{ {statement} }} }}"
    (made,) = result(text, **TARGET).loops
    return made.depth


@pytest.mark.parametrize(
    ("double", "single"),
    [
        ("y[i] = 1.0 - x[i];", "y[i] = 1.0f - x[i];"),
        ("y[i] = x[i] / 10.0;", "y[i] = x[i] / 10.0f;"),
        ("y[i] = (double)x[i] * z[i];", "y[i] = x[i] * z[i];"),
        ("y[i] = (double)x[i];", "y[i] = x[i];"),
        ("y[i] = x[i] > 1.5 ? x[i] : z[i];", "y[i] = x[i] > 1.5f ? x[i] : z[i];"),
        ("double t = x[i]; if (t < z[i]) y[i] = t;", "float t = x[i]; if (t < z[i]) y[i] = t;"),
    ],
)
def test_no_bit_is_lost(double, single):
    assert depth(double) == depth(single)


@pytest.mark.parametrize("statement", ["y[i] = 0.1 * x[i];", "y[i] = 2.0 * x[i] + z[i];", "y[i] = 1e60 * x[i];"])
def test_what_needs_a_double(statement):
    """0.1 is no float, the second operation of two takes all bits of the first."""
    floats = statement.replace("0.1", "0.1f").replace("2.0", "2.0f").replace("1e60", "1e6f")
    assert depth(statement) > depth(floats)


def rounded(exact):
    """The float nearest to a rational number, ties to even, without a double between."""
    near = struct.unpack("f", struct.pack("f", float(exact)))[0]
    bits = struct.unpack("I", struct.pack("f", near))[0]
    beside = [struct.unpack("f", struct.pack("I", b))[0] for b in (bits - 1, bits, bits + 1)]
    return min(beside, key=lambda x: (abs(Fraction(x) - exact), struct.unpack("I", struct.pack("f", x))[0] & 1))


def test_a_double_between_changes_no_float():
    """The oracle of the rule: exact sums, products and quotients of random floats, rounded once and twice."""
    draw = random.Random(5)
    for _ in range(400):
        a, b = (rounded(Fraction(math.ldexp(draw.uniform(1, 2), draw.randrange(-20, 20)))) for _ in range(2))
        for exact, double in ((Fraction(a) - Fraction(b), a - b), (Fraction(a) * Fraction(b), a * b),
                              (Fraction(a) / Fraction(b), a / b)):  # fmt: skip
            if exact:
                assert struct.unpack("f", struct.pack("f", double))[0] == rounded(exact)
