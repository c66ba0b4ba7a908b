"""Functions that are written stand in front of the old one: what only that knows does not leave it."""

import re
import subprocess
from pathlib import Path

import pytest

from hlspart.expand.region import Refusal
from hlspart.explore.emit import write
from hlspart.explore.records import ReadNest
from hlspart.explore.space import Space
from hlspart.model.exploring import ExternalMemory, Vector
from hlspart.model.options import Options
from hlspart.pipeline import Pipeline
from hlspart.verification import VerifyOptions, verify
from tests.explore.test_explore_c import found

SCOPES = {
    "enum { U = 7 };": "U + a[i]",
    "typedef short T;": "(T)a[i]",
    "struct P { int x, y; } p = {3, 4};": "p.x + a[i]",
    "union { int i; float f; } u; u.i = 9;": "u.i + a[i]",
    "\n#define LM 9\n": "a[i] + LM",
    "auto f = [](int x) { return x * 3; };": "f(a[i])",
    "using NS::twice;": "twice(a[i])",
    "namespace M = NS;": "M::twice(a[i])",
    "using namespace NS;": "twice(a[i])",
    "enum class E { P, Q };": "a[i] + (int)E::Q",
    "int q[3]; (void)q;": "(int)sizeof(q[0]) + a[i]",
    "(void)b;": "(int)sizeof(a[0]) + a[i]",
    "int r[3]; (void)r;": "(int)sizeof(1 + (r[0])) + a[i]",
    "int s[3]; (void)s;": "(int)sizeof *s + a[i]",
}
OF_CXX = """namespace NS { struct V { int x, y; }; static inline int twice(int x) { return 2 * x; } }
"""


def _scoped(tmp_path: Path, declared: str, value: str) -> tuple[Pipeline, list[tuple[ReadNest, Vector]]]:
    cxx = re.search(r"auto|namespace|using|class|NS", declared)
    path = tmp_path / ("scoped.cpp" if cxx else "scoped.c")
    path.write_text(f"""{OF_CXX if cxx else ""}void k(int a[24], int b[24])
{{
    {declared}
    for (int i = 0; i < 24; i++) b[i] = {value};
}}
""")
    pipeline = Pipeline([str(path)], Options())
    (of,) = found(pipeline, "k")
    space = Space(of.nest, 2, reassociate=False)
    split = next(iter(space.slices((2,))))
    return pipeline, [(of, space.vector((2,), split, next(iter(space.orders(split)))))]


@pytest.mark.parametrize("declared", SCOPES)
def test_names_of_the_function_do_not_leave_it(tmp_path: Path, declared: str) -> None:
    """The functions that are written stand in front of it, where its types, constants and macros are not known."""
    pipeline, chosen = _scoped(tmp_path, declared, SCOPES[declared])
    with pytest.raises(Refusal, match=r"is known in k only|has no name"):
        write(pipeline.program, chosen, ExternalMemory(64, 0))


@pytest.mark.parametrize(
    ("declared", "value"), [("static int s = 4;", "s + a[i]"), ("NS::V v{1, 2};", "v.x + (decltype(i))a[i]")]
)
def test_values_are_handed_on(tmp_path: Path, declared: str, value: str) -> None:
    pipeline, chosen = _scoped(tmp_path, declared, value)
    texts, _ = write(pipeline.program, chosen, ExternalMemory(64, 0))
    (old,) = pipeline.program.given
    new = tmp_path / f"new{Path(old).suffix}"
    new.write_text(texts[old])
    assert verify(old, str(new), VerifyOptions(top="k", vectors=2)).status == "equal"


LEFT = """void f(int A[8][6], int B[8], int C[6]) {
    int (*p)[6] = A;
    const int *q = &A[1][0];
    int i, j, s, *r = B;
    for (i = 0; i < 8; i++) {
        s = 0;
        for (j = 0; j < 6; j++) {
            decltype(j) t = A[i][j];
            t++;
            s += t + p[i][j];
        }
        r[i] = 2 * s + i;
    }
    for (i = 0; i < 6; i++) C[i] += q[i];
}
"""


def test_compilers_warn_of_nothing_in_what_is_written(tmp_path: Path) -> None:
    """Of variables that only the nests used, and of those that count in what is written."""
    old, new = tmp_path / "f.cpp", tmp_path / "new.cpp"
    old.write_text(LEFT)
    pipeline = Pipeline([str(old)], Options())
    chosen = [(n, Vector((2, 1)[: len(n.loops)], (1, 3)[: len(n.loops)], (1, 0)[-len(n.loops) :]))
              for n in found(pipeline, "f") if isinstance(n, ReadNest)]  # fmt: skip
    assert len(chosen) == 2
    new.write_text(write(pipeline.program, chosen, ExternalMemory(64, 0))[0][str(old)])
    flags = ["-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-fsyntax-only"]
    done = subprocess.run(["g++", *flags, str(new)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert verify(str(old), str(new), VerifyOptions(top="f", vectors=2)).status == "equal"
