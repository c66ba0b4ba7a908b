"""Proofs by ports where elements go through arrays of the kernel, and where narrow types lose what goes into them."""

from __future__ import annotations

import pytest

import hlspart

THROUGH = {  # the loops behind the one that fills z, whether the elements of a have to come in
    "copied": ("for (int q = 0; q < 64; q++) o[q] = z[q];", True),
    "in another order": ("for (int q = 0; q < 64; q++) o[q] = z[63 - q] + 1;", True),
    "half of it": ("for (int q = 0; q < 32; q++) o[q] = z[2 * q];", False),
    "times what may be zero": ("for (int q = 0; q < 64; q++) o[q] = z[q] * (q & 1);", False),
    "times what is given": ("for (int q = 0; q < 64; q++) o[q] = z[q] * b[q];", True),
    "taken away": ("for (int q = 0; q < 64; q++) o[q] = b[q] - z[q];", False),
    "overwritten": ("for (int q = 0; q < 64; q++) o[q] = z[q]; for (int q = 0; q < 64; q++) o[q] = 0;", False),
    "into one element": ("for (int q = 0; q < 64; q++) o[0] = z[q];", False),
    "added to one element": ("for (int q = 0; q < 64; q++) o[0] += z[q];", True),
    "added, and taken away": (
        "for (int q = 0; q < 64; q++) o[q] -= z[q]; for (int q = 0; q < 64; q++) o[q] += z[q];",
        False,
    ),
    "products": (
        "for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) { int s = 0; "
        "for (int k = 0; k < 8; k++) s += z[8 * i + k] * b[8 * k + j]; w[8 * i + j] = s; } "
        "for (int q = 0; q < 64; q++) o[q] = w[q];",
        True,
    ),
    "products of which too few bits are kept": (
        "for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) { unsigned char s = 0; "
        "for (int k = 0; k < 8; k++) s += z[8 * i + k] * 64; w[8 * i + j] = s; } "
        "for (int q = 0; q < 64; q++) o[q] = w[q];",
        False,
    ),
    "products that are lost": (
        "for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) { int s = 0; "
        "for (int k = 0; k < 8; k++) s += z[8 * i + k] * b[8 * k + j]; w[8 * i + j] = s; } ",
        False,
    ),
    "the last sum only": ("int s = 0; for (int q = 0; q < 64; q++) { s = 0; s += z[q]; } o[0] = s;", False),
    "all sums": ("int s = 0; for (int q = 0; q < 64; q++) { s += z[q]; } o[0] = s;", True),
    "the program may end": ("if (n > 3) return; for (int q = 0; q < 64; q++) o[q] = z[q];", False),
    "under a condition": ("for (int q = 0; q < 64; q++) if (n > q) o[q] = z[q];", False),
    "stored again before": (
        "for (int q = 0; q < 64; q++) z[q] = b[q]; for (int q = 0; q < 64; q++) o[q] = z[q];",
        False,
    ),
    "to its left half": ("for (int q = 0; q < 64; q++) o[q / 2] = z[q];", False),
    "a float that has no more numbers": (
        "float s = 0; for (int q = 0; q < 64; q++) s += z[q]; o[0] = s * 127 * 127 * 127 * 127;",
        False,
    ),
}


@pytest.mark.parametrize("case", THROUGH)
def test_elements_that_go_through_own_arrays_have_to_come_in(case: str) -> None:
    behind, proved = THROUGH[case]
    text = f"""void f(const int a[64], const int b[64], int o[64], int n) {{
#pragma HLS INTERFACE m_axi port=a
    int z[64], w[64];
    L: for (int i = 0; i < 16; i++) {{
#pragma HLS PIPELINE II=1
        for (int j = 0; j < 4; j++) z[4 * i + j] = a[4 * i + j];
    }}
    {behind}
}}
"""
    (loop,) = [x for x in hlspart.parse(text, top="f").pipeline.figures.loops if x.name == "L"]
    assert (loop.proof is not None and "the 64 elements of 'a'" in loop.proof.text) is proved


NARROW = {  # declarations, what is stored of four elements each, whether they matter
    "bool": ("bool x = 1;", "x += a[4*i] + a[4*i+1] + a[4*i+2] + a[4*i+3];", False),
    "char": ("unsigned char x = 1;", "x += a[4*i] + a[4*i+1] + a[4*i+2] + a[4*i+3];", True),
    "a factor that four bits do not hold": (
        "ap_int<4> x = 64;",
        "o[i] = a[4*i]*x + a[4*i+1]*x + a[4*i+2]*x + a[4*i+3]*x;",
        False,
    ),
    "a factor that they hold": (
        "ap_int<4> x = 7;",
        "o[i] = a[4*i]*x + a[4*i+1]*x + a[4*i+2]*x + a[4*i+3]*x;",
        True,
    ),
    "multiples of 48 in four bits": (
        "ap_int<4> x = 1;",
        "x += a[4*i]*48 + a[4*i+1]*48 + a[4*i+2]*48 + a[4*i+3]*48;",
        False,
    ),
    "multiples of 3 in four bits": (
        "ap_int<4> x = 1;",
        "x += a[4*i]*3 + a[4*i+1]*3 + a[4*i+2]*3 + a[4*i+3]*3;",
        True,
    ),
    "even factors": ("int x = 6;", "o[i] = a[4*i]*x*x + a[4*i+1]*x*x + a[4*i+2]*x*x + a[4*i+3]*x*x;", True),
    "so many even factors that nothing is left": (
        "int x = 64;",
        "o[i] = " + " + ".join(f"a[4*i+{e}]*x*x*x*x*x*x" for e in range(4)) + ";",
        False,
    ),
    "floats that double in place": (
        "int x = 0; for (int r = 0; r < 300; r++) for (int q = 0; q < 64; q++) b[q] += b[q];",
        "p[i] = c[4*i]*b[3] + c[4*i+1]*b[3] + c[4*i+2]*b[3] + c[4*i+3]*b[3];",
        False,
    ),
    "floats that are given": (
        "int x = 0;",
        "p[i] = c[4*i]*b[3] + c[4*i+1]*b[3] + c[4*i+2]*b[3] + c[4*i+3]*b[3];",
        True,
    ),
}


@pytest.mark.parametrize("case", NARROW)
def test_what_too_few_bits_hold_may_not_matter(case: str) -> None:
    first, body, proved = NARROW[case]
    text = f"""#include <ap_int.h>
void f(const int a[64], float b[64], const float c[64], int o[16], float p[16], int *left) {{
#pragma HLS INTERFACE m_axi port=a
    {first}
    L: for (int i = 0; i < 16; i++) {{
#pragma HLS PIPELINE II=1
        {body}
    }}
    *left = x;
}}
"""
    (loop,) = [x for x in hlspart.parse(text, "k.cpp").pipeline.figures.loops if x.name == "L"]
    assert (loop.proof is not None and "of 'a'" in loop.proof.text + loop.proof.text.replace("'c'", "'a'")) is proved


DOUBLED = {  # of four elements, whether they all have to come in
    "a sum that doubles": ("int s = 0;", "s = s + s + x;", "o[0] = s;", False),
    "the same in two steps": ("int s = 0;", "int t = s; s = t + s; s += x;", "o[0] = s;", False),
    "a sum": ("int s = 0;", "s += x + x;", "o[0] = s;", True),
    "eight doublings of eight bits": (
        "",
        "unsigned char t = x; t = t + t; t = t + t; t = t + t; t = t + t; t = t + t; t = t + t; t = t + t; t = t + t; "
        "o[i] = t;",
        "",
        False,
    ),
    "thirty-two doublings": ("", "int t = x; for (int n = 0; n < 32; n++) t = t + t; o[i] = t;", "", False),
}


@pytest.mark.parametrize("case", DOUBLED)
def test_what_doubles_runs_out_of_bits(case: str) -> None:
    before, body, behind, needed = DOUBLED[case]
    x = "(" + " + ".join(f"a[4 * i + {k}]" for k in range(4)) + ")"
    text = (
        f"void f(int a[4096], int o[1024]) {{ {before} L: for (int i = 0; i < 1024; i++) {{\n"
        f"#pragma HLS PIPELINE II=1\n{body.replace('x', x)} }} {behind} }}\n"
    )
    (loop,) = [x for x in hlspart.parse(text).pipeline.figures.loops if x.name == "L"]
    assert (loop.proof is not None) == needed
