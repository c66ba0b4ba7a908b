"""Sums that take the signs of their operands: the same bits as gcc gives for the text, in fewer states."""

from __future__ import annotations

import ctypes
import math
import random
import subprocess
from pathlib import Path

import pytest

import hlspart
from hlspart.expand.signs import signed_sums, with_signs_in_sums
from hlspart.reuse import edited
from tests.amounts import amount

HEAD = """void k(const float a[32], const float b[32], float out[8], int n) {
    float x = a[0], y = a[1], t = a[2], f = 1;
"""
TAIL = """    out[0] = x;
    out[1] = y;
    out[2] = t;
    out[3] = f;
}
"""
LOOP = "    for (int j = 0; j < n; j++) {\n#pragma HLS PIPELINE II=1\n"
BOOK = """        int sigma = (t < 0) ? -1 : 1;
        float u = x * sigma * f;
        float v = y * sigma * f;
        x = x - v;
        y = y + u;
        t = t - sigma * b[j];
        f = f / 2;
    }
"""
KERNELS = {
    "of the book": HEAD + LOOP + BOOK + TAIL,
    "of arms": HEAD + LOOP + BOOK.replace("int sigma = (t < 0) ? -1 : 1;", "int sigma; if (t < 0) sigma = -1;\n"
    "        else { sigma = 1; }") + TAIL,
    "a float ahead": HEAD + "    float s, u, v;\n" + LOOP + BOOK.replace("int sigma", "s").replace("float ", "")
    .replace("sigma", "s") + TAIL,
    "kept": HEAD + LOOP + BOOK.replace("f = f / 2", "out[j & 3] = v; f = f / 2") + TAIL,
    "under zero": HEAD + LOOP + "if (y > 0) { x = x + y * f; y = -1 * x * f + y; t += -f; } else {\n"
    "float v = -x * f; x -= -y * f; y = y - v; t -= -f; }\nf = f * 0.5f; }\n" + TAIL,
}  # fmt: skip
REFUSED = {  # what stands in the way, and why the text stays
    "a sign that the loop ahead set": ("sigma = (t < 0) ? -1 : 1;", "sigma = f; f = (t < 0) ? -1 : 1;"),
    "neither": ("? -1 : 1", "? -1 : 2"),
    "a sign used in front": ("int sigma = (t < 0)", "static int sigma; x += sigma; sigma = (t < 0)"),
    "a wider product": ("int sigma", "double sigma"),
    "a test that counts": ("(t < 0)", "(f++ < 0)"),
    "a macro": ("x = x - v;", "LESS(x, v)"),
    "a label": ("x = x - v;", "if (t > 9) goto more; x = x - v; more:"),
}


def written(text: str) -> str:
    pipeline = hlspart.parse(text).pipeline
    edits = with_signs_in_sums(pipeline.program, signed_sums(pipeline.program, pipeline.figures))
    return edited(pipeline.program, edits).files["kernel.c"] if edits else text


def bits(text: str, folder: Path, name: str) -> list[list[str]]:
    """What gcc's code leaves, for several numbers of iterations."""
    (folder / f"{name}.c").write_text(text)
    library = folder / f"{name}.so"
    subprocess.run(
        ["gcc", "-shared", "-fPIC", "-O1", "-Wno-unknown-pragmas", "-o", library, folder / f"{name}.c"], check=True
    )
    call, rng, left = ctypes.CDLL(str(library)).k, random.Random(5), []
    for n in (0, 1, 7, 16, 16, 16):
        odd = (0.0, -0.0, 1e-42, -3e38, math.inf)
        values = [[rng.choice(odd) if rng.random() < 0.1 else rng.uniform(-2, 2) for _ in range(32)] for _ in "ab"]
        out = (ctypes.c_float * 8)()
        call(*((ctypes.c_float * 32)(*v) for v in values), out, n)
        left.append(["nan" if math.isnan(x) else x.hex() for x in out])
    return left


@pytest.mark.parametrize("case", KERNELS)
def test_sums_take_the_signs(case: str, tmp_path: Path) -> None:
    text = KERNELS[case]
    new = hlspart.parse(text).rewrite(infer=True)
    (loop,), (before,) = ([x for x in k.ii().loops if x.pipelined] for k in (new.kernel(), hlspart.parse(text)))
    assert loop.least < before.least, new.texts["kernel.c"]
    assert bits(text, tmp_path, "old") == bits(new.texts["kernel.c"], tmp_path, "new")


def test_the_rotation_of_the_book_waits_for_one_product_and_one_sum() -> None:
    new = hlspart.parse(KERNELS["of the book"]).rewrite(infer=True)
    (loop,) = (x for x in new.kernel().ii().loops if x.pipelined)
    assert loop.proof is not None and loop.least == loop.proof.ii  # no order of these operations is faster
    assert "sigma_is_minus ? x + v : x - v" in new.texts["kernel.c"]


@pytest.mark.parametrize("case", REFUSED)
def test_signs_stay_where_the_text_could_mean_something_else(case: str, tmp_path: Path) -> None:
    text = "#define LESS(p, q) p = p - q;\n" + KERNELS["of the book"].replace(*REFUSED[case])
    new = written(text)
    assert "_is_minus ? x + v" not in new
    assert bits(text, tmp_path, "old") == bits(new, tmp_path, "new")


@pytest.mark.parametrize("read", ("r->q", "r[1].q", "*(volatile float *)g", "(*r).q"))
def test_what_may_be_volatile_is_read_as_often_as_before(read: str) -> None:
    head = HEAD.replace("int n)", "int n, struct R *r, float *g)")
    book = BOOK.replace("(t < 0)", f"({read} < 0)")
    assert written("struct R { volatile float q; };\n" + head + LOOP + book + TAIL).count(read) == 1


def random_signs(rng: random.Random) -> str:
    """Signs, products and sums in some order, under tests or not."""
    lines, names, signs = [], ["x", "y", "t", "f", "b[j]", "1.5f", "a[j & 7]"], list[str]()
    for k in range(rng.randint(1, 2)):
        one = rng.choice(("-1 : 1", "1 : -1", "1.0f : -1.0f", "1 : -(1)"))
        test = f"{rng.choice('xyt')} {rng.choice(('<', '>=', '!='))} {rng.choice(('0', 'b[j]'))}"
        signs.append(f"s{k}")
        lines.append(f"{rng.choice(('int', 'float', 'double', 'signed char'))} s{k} = ({test}) ? {one};")

    def factor() -> str:
        what = rng.choice(names)
        return rng.choice((what, f"-{what}", f"({what} * {rng.choice(signs)})", f"-1 * {what}"))

    def product() -> str:
        parts = [factor(), *rng.choices((*signs, *signs, factor()), k=rng.randint(0, 2))]
        rng.shuffle(parts)
        return " * ".join(parts) + rng.choice(("", "", " / 3", f" / {rng.choice(signs)}"))

    for k in range(rng.randint(1, 3)):
        lines.append(f"{rng.choice(('float', 'float', 'double'))} v{k} = {product()};")
        names.append(f"v{k}")
    for _ in range(rng.randint(2, 5)):
        target = rng.choice("xyt")
        line = rng.choice((f"{target} = {factor()} {{}} {product()};", f"{target} {{}}= {product()};"))
        line = line.format(rng.choice("+-"))
        lines.append(rng.choice((line, line, f"if (b[j] > 0) {line}", f"if (t < 1) {{ {line} }} else {{ f += x; }}")))
    if rng.random() < 0.2:
        lines.append(f"f = {names[-1]};")
    return HEAD + LOOP + "\n".join(lines) + "\n}\n" + TAIL


@pytest.mark.parametrize("seed", range(amount(8, 400)))
def test_random_sums_have_the_same_bits(seed: int, tmp_path: Path) -> None:
    text = random_signs(random.Random(32_220_000 + seed))
    assert bits(text, tmp_path, "old") == bits(written(text), tmp_path, "new"), text
