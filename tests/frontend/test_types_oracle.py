"""Sizes, extents and constants against gcc: what hlspart computes must satisfy ``_Static_assert``."""

from __future__ import annotations

import random
import shutil
import subprocess

import pytest
from frontend_help import good, intervals, named

from hlspart.frontend.compile_time import evaluate
from hlspart.frontend.types import size_of
from hlspart.model import program as ir

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is the oracle")

DECLARATIONS = """
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdlib.h>
#define N 12
#define SQ(x) ((x) * (x))
enum { E0, E1 = 5, E2, E3 = E1 * 2 - 1, E4 = -3 };
enum tagged { T0 = 1 << 4 };
typedef struct { char c; double d; short s; } padded;
struct inner { int8_t a; uint16_t b[3]; };
struct outer { struct inner in[2]; union { int i; double d; } u; padded p; int8_t last; };
typedef int row[7];
typedef row grid[3];
static const int K = 4;
char v0; signed char v1; unsigned char v2; short v3; unsigned short v4; int v5; unsigned v6; long v7;
unsigned long v8; long long v9; float v10; double v11; long double v12; _Bool v13; bool v14;
int8_t v15; uint16_t v16; int32_t v17; uint64_t v18; size_t v19; ptrdiff_t v20; intptr_t v21;
padded v22; struct inner v23; struct outer v24; enum tagged v25; row v26; grid v27;
int v28[N], v29[SQ(3) + 1][E3], *v30, v31[sizeof(double) * 2], (*v32)[5], *v33[6];
int v34[] = {1, 2, 3, 4,}; char v35[] = "hello\\n\\x41\\101"; int v36[][3] = {{1}, {2, 3}, {4, 5, 6}};
int v37[][2] = {1, 2, 3, 4, 5}; int v38[] = {[9] = 1, 2}; char v39[] = {"abc"}; int v40[N > 10 ? 3 : 4];
unsigned v41[(E2 | 8) & ~1]; int v42[-7 / 2 + 10]; int v43[-7 % 3 + 10]; int v44[(1u << 3) ^ 2]; int v45['a' - 90];
int v46[(unsigned char)300]; int v47[sizeof v29 / sizeof v29[0]]; grid v48[2]; char v49[sizeof(struct outer)];
int v50[!0 + !5 + (3 == 3) + (2 != 2) + (1 && 0) + (1 || 0)]; int v51[0x1F & 037]; int v52[sizeof(int *)];
int (*v53)(int); long unsigned int v54; int short signed v55; unsigned char v56[] = {1}, v57[2][2] = {{1}};
float v58[][2][2] = {{{1}}, {{2}}}; double v59[E4 + 5]; int v60[] = {[2] = {7}, [0] = 1};
uint v61; ushort v62; ulong v63;
"""


@needs_gcc
def test_sizes_and_extents_hold_for_gcc() -> None:
    loaded = good(DECLARATIONS)
    checks: list[str] = []
    for variable in loaded.variables:
        if not variable.name.startswith("v"):
            continue
        size = size_of(variable.type)
        if isinstance(variable.type, (ir.PointerType, ir.OtherType)):
            size = 8
        assert size is not None, variable
        checks.append(f'_Static_assert(sizeof({variable.name}) == {size}, "{variable.name}");')
        element = variable.name
        for extent in variable.dims:
            checks.append(f'_Static_assert(sizeof({element}) / sizeof({element}[0]) == {extent}, "{element}");')
            element += "[0]"
    for name, value in loaded.constants.items():
        checks.append(f'_Static_assert({name} == {value}, "{name}");')
    assert len(checks) > 100 and {"E4", "T0", "N"} <= set(loaded.constants)
    command = ["gcc", "-std=gnu11", "-w", "-fsyntax-only", "-x", "c", "-"]
    done = subprocess.run(command, input=DECLARATIONS + "\n".join(checks), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def random_expression(rnd: random.Random, depth: int) -> str:
    if depth == 0 or rnd.random() < 0.2:
        return rnd.choice(["N", "E1", "E4", "K", "3", "7", "0x1f", "010", "1", "0", "'c'", "2"])
    kind = rnd.randrange(8)
    left, right = (random_expression(rnd, depth - 1) for _ in range(2))
    if kind < 4:
        return f"({left} {rnd.choice(['+', '-', '*', '&', '|', '^', '<', '>=', '==', '!='])} {right})"
    if kind == 4:
        return f"{rnd.choice(['-', '~', '!'])}({left})"
    if kind == 5:
        return f"{left} {rnd.choice(['/', '%'])} {rnd.choice(['3', '-2', '5', 'N'])}"
    if kind == 6:
        return f"(({left}) & 15) << {rnd.randrange(4)}"
    return f"({left} ? {right} : {random_expression(rnd, depth - 1)})"


@needs_gcc
def test_expressions_of_pragmas_have_gccs_values() -> None:
    declared = "#define N 12\nenum { E1 = 5, E4 = -3 };\nvoid f(void) { const int K = 4; (void)K; %s }\n"
    rnd = random.Random(7)
    expressions = [random_expression(rnd, 4) for _ in range(150)]
    loaded = good(declared % "")
    prints = "\n".join(f'printf("%ld\\n", (long)({e}));' for e in expressions)
    text = "#include <stdio.h>\n" + declared % prints + "int main(void) { f(); return 0; }\n"
    done = subprocess.run(
        ["sh", "-c", "d=$(mktemp -d) && gcc -w -x c - -o $d/a && $d/a; s=$?; rm -rf $d; exit $s"],
        input=text, capture_output=True, text=True, check=True,
    )  # fmt: skip
    expected = [int(line) for line in done.stdout.split()]
    assert [evaluate(e, loaded, "f") for e in expressions] == expected


def test_what_is_no_constant_has_no_value() -> None:
    loaded = good(
        "#define N 3\nint g; void f(int n) { const int k = n; static const int c = N + 1; (void)k; (void)c; }"
    )
    values = {
        e: evaluate(e, loaded, "f") for e in ("n", "k", "g", "c * 2", "c / 0", "1 +", "x", "1 << 400", "0 && 1/0", "")
    }
    assert values == {
        "n": None, "k": None, "g": None, "c * 2": 8, "c / 0": None, "1 +": None, "x": None, "1 << 400": None,
        "0 && 1/0": 0, "": None,
    }  # fmt: skip
    assert evaluate("c", loaded, None) is None


def test_names_are_looked_up_from_the_inside_out() -> None:
    loaded = good(
        "enum { U = 2 }; void f(void) { const int U = 3; { const int U = 4; (void)U; } for (;;) { const int W = 5; } }"
    )
    inner, outer = sorted((v for v in loaded.variables if v.name == "U"), key=lambda v: -(v.scope or 0))
    assert evaluate("U", loaded, None) == 2
    assert evaluate("U", loaded, "f", outer.scope) == 3 == evaluate("U", loaded, "f")
    assert evaluate("U", loaded, "f", inner.scope) == 4
    assert evaluate("W", loaded, "f") is None
    assert evaluate("W+U", loaded, "f", named(loaded, "W").scope) == 8


FOLDED = [
    "log2(64)", "ceil(log2(20.0))", "int(std::log2(N)) + 1", "sqrt(50.0f)", "pow(2, 5)", "std::floor(-2.5) * 2",
    "std::max(N, 3)", "std::min(N, 3)", "ilogb(N / 2)", "round(-2.5)", "trunc(2.9)", "fabs(-3.0)", "log2f(1000.0f)",
    "fmax(2.5, N)", "exp2(N - 8)",
]  # fmt: skip


@needs_gcc
def test_calls_of_the_library_with_constants_are_constants() -> None:
    """The values are those that a C++ compiler folds them to; what the program defines itself is not the library's."""
    text = "#include <cmath>\n#include <algorithm>\nconst int N = 12;\n"
    text += "".join(f"const int v{i} = {e};\n" for i, e in enumerate(FOLDED))
    loaded = good(text, "t.cpp")
    values = [evaluate(f"v{i}", loaded, None) for i in range(len(FOLDED))]
    checks = "".join(f'static_assert(int({e}) == {v}, "");\n' for e, v in zip(FOLDED, values, strict=True))
    arguments = ["g++", "-std=c++17", "-fsyntax-only", "-xc++", "-"]
    run = subprocess.run(arguments, input=text + checks, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    own = good("int log2(int n) { int k = 0; while (n >>= 1) k++; return k + 1; }\nconst int v = log2(8);\n", "t.cpp")
    assert evaluate("v", own, None) is None
    assert evaluate("v", good("#include <math.h>\ndouble x;\nstatic const int v = log2(x);\n"), None) is None


def test_a_loop_to_the_logarithm_of_a_constant_is_unrolled() -> None:
    text = "#include <cmath>\ntemplate <int M> int f(int x[M]) {\n  const int p = int(std::ceil(std::log2(M)));\n"
    text += "  int s = 0;\n"
    text += "  for (int j = 0; j < M; j++) {\n#pragma HLS PIPELINE\n"
    text += "    for (int i = 0, d = 1; i < p; i++, d *= 2) s += x[j] >> d;\n  }\n  return s;\n}\n"
    text += "int top(int x[16]) { return f<16>(x); }\n"
    assert [ii for ii, _ in intervals(text)] == [1]
