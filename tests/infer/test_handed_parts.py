"""Arrays of which calls get parts: what `infer` writes for them is what `ii` then finds."""

from __future__ import annotations

from pathlib import Path

import pytest

import hlspart
from hlspart.infer import emission
from hlspart.model.inferred import InferResult

DOT = """static int dot(const int *p, int w) {
#pragma HLS INLINE
  int s = 0;
  for (int j = 0; j < 8; j++)
    s += p[j] * w;
  return s;
}
"""
TOP = """void top(int in[128], int w[16], int out[16]) {
  int DECLARED;
  for (int i = 0; i < 128; i++)
    FILLED = in[i];
  for (int i = 0; i < 16; i++) {
#pragma HLS PIPELINE
    out[i] = dot(PART, w[i]);
  }
}
"""


def program(declared: str, filled: str, part: str, before: str = DOT) -> str:
    return before + TOP.replace("DECLARED", declared).replace("FILLED", filled).replace("PART", part)


def inferred(text: str, folder: Path) -> tuple[InferResult, list[int | None]]:
    """The proposal, and the II that loops have in the text with its directives."""
    path = folder / "p.c"
    path.write_text(text)
    pipeline = hlspart.open(str(path), top="top").pipelines[0]
    result = pipeline.inferred
    texts = emission.pragma_texts(pipeline.program, result)
    return result, [x.ii for x in pipeline.predict(texts or {str(path): text}).loops]


@pytest.mark.parametrize(
    ("declared", "filled", "part", "dim"),
    [
        ("a[128]", "a[i]", "a + 8 * i", 1), ("a[128]", "a[i]", "&a[8 * i]", 1),
        ("a[16][8]", "a[i / 8][i % 8]", "&a[i][0]", 2), ("a[16][8]", "a[i / 8][i % 8]", "a[i]", 2),
    ],
)  # fmt: skip
def test_parts_that_are_followed_take_directives(
    declared: str, filled: str, part: str, dim: int, tmp_path: Path
) -> None:
    """Eight neighbours in each iteration, two ports: four banks, in any of these spellings."""
    result, after = inferred(program(declared, filled, part), tmp_path)
    array = next(a for a in result.arrays if a.name == "a")
    assert [(d.type, d.factor, d.dim) for d in array.dims] == [("cyclic", 4, dim)]
    assert not array.needs_rewrite
    assert [x.ii_after for x in result.loops] == after == [1, 1]


@pytest.mark.parametrize(
    ("before", "part", "why"),
    [
        ("static const int *kept;\n" + DOT.replace("int s = 0;", "int s = 0; kept = p;"), "a + 8 * i", "pointer"),
        (DOT.replace("s += p[j] * w;", "s += *p++ * w;"), "a + 8 * i", "pointer"),
        (DOT.replace("int j = 0", "j = 0").replace("int s = 0;", "int s = 0, j;")
         .replace("return s;", "return j < 8 ? dot(p, w) : s;"), "a + 8 * i", "pointer"),
    ],
)  # fmt: skip
def test_parts_that_are_not_followed_take_none(before: str, part: str, why: str, tmp_path: Path) -> None:
    """A callee that keeps its pointer, moves it, or calls itself."""
    result, _ = inferred(program("a[128]", "a[i]", part, before), tmp_path)
    array = next(a for a in result.arrays if a.name == "a")
    assert not array.dims and why in array.reason


def test_parts_may_be_handed_on_below_the_function_that_has_the_array(tmp_path: Path) -> None:
    """A module that gets it whole, and hands parts to a function that is inlined."""
    stage = """static void fill(int a[256][8], int v) {
#pragma HLS INLINE off
  for (int i = 0; i < 16; i++) {
#pragma HLS PIPELINE
    row(&a[i][0], v + i);
  }
}
"""
    row = "static void row(int *q, int v) {\n#pragma HLS INLINE\n  for (int j = 0; j < 8; j++) q[j] = v + j;\n}\n"
    read = "  for (int i = 0; i < 256; i++) out[i] = a[i][i % 8];\n"
    text = row + stage + "void top(int v, int out[256]) {\n  int a[256][8];\n  fill(a, v);\n" + read + "}\n"
    result, after = inferred(text, tmp_path)
    assert [(d.type, d.factor, d.dim) for x in result.arrays if x.name == "a" for d in x.dims] == [("cyclic", 4, 2)]
    assert after == [1, 1]


def test_a_part_of_a_module_takes_none_but_a_row_does(tmp_path: Path) -> None:
    """A module gets the offset at run time, and may reach any bank; behind an index of its own a row has all banks."""
    module = DOT.replace("INLINE", "INLINE off")
    parts = [("a[128]", "a[i]", "a + 8 * i"), ("a[16][8]", "a[i / 8][i % 8]", "a[i]")]
    arrays = [inferred(program(*part, module), tmp_path)[0].arrays for part in parts]
    dims = [[(d.type, d.factor, d.dim) for a in some for d in a.dims if a.fresh] for some in arrays]
    assert dims == [[], [("cyclic", 4, 2)]]


def test_a_parameter_that_gets_a_part_takes_no_directive_of_its_own(tmp_path: Path) -> None:
    """It has the banks of the whole array."""
    result, _ = inferred(program("a[128]", "a[i]", "a + 8 * i"), tmp_path)
    assert not any(a.dims for a in result.arrays if a.name == "p")
