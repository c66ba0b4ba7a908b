"""Names that loops are rewritten with: two of one memory, words that mean something else elsewhere, types."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import hlspart
from hlspart.cli.app import run
from hlspart.semantics.overlap import overlaps

N = 24
BODIES = {  # style of rewrite, a function whose arguments may be one array
    "window": ("reuse", "d[i] = (s[i - 2] + s[i - 1] + s[i]) % 999;", 2),
    "file scope": ("reuse", "d[i] = (g[i - 2] - g[i - 1] * 3 - g[i]) % 999;", 2),
    "handed on": ("scalars", "d[i] = d[i - 1] % 333 * 3 + 1; s[i] = 7;", 1),
}
CALLS = {  # what makes them one array, or does not
    "one array": ("one(a, a); one(g, b);", True),
    "a part of it": ("one(a + 1, a); one(b, b); one(&g[1], b);", True),
    "a pointer": ("int *p = a, *q = p; one(p + 1, q); q = g; one(q, b);", True),
    "through another function": ("two(a, a); two(b, b); two(g, b);", True),
    "apart": ("one(a, b); one(b, a); two(b, a); int *p = a + 1; one(p, b);", False),
}


def program(body: str, first: int, calls: str) -> str:
    return f"""#include <stdio.h>
static int g[{N + 1}];
static void one(int *d, int *s) {{
    for (int i = {first}; i < {N}; i++) {{
#pragma HLS PIPELINE II=1
        {body}
    }}
}}
static void two(int u[{N}], int v[{N}]) {{ one(u, v); one(v, u); }}
int main(void) {{
    int a[{N + 1}], b[{N + 1}];
    for (int i = 0; i <= {N}; i++) {{ a[i] = i * 37 % 101; b[i] = i * 53 % 97; g[i] = i * 29 % 89; }}
    {calls} one(b, a);
    for (int i = 0; i <= {N}; i++) printf("%d %d %d\\n", a[i], b[i], g[i]);
}}
"""


def printed(folder: Path, text: str) -> str:
    (folder / "p.c").write_text(text)
    built = ["gcc", "-w", "-fsanitize=undefined", "-fno-sanitize-recover=undefined", "p.c", "-o", "p"]
    subprocess.run(built, cwd=folder, check=True)
    return subprocess.run(["./p"], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("body", BODIES)
def test_stores_are_seen_under_every_name(body: str, tmp_path: Path) -> None:
    style, statement, first = BODIES[body]
    for why, (calls, tied) in CALLS.items():
        text = program(statement, first, calls)
        (new,) = hlspart.parse(text).rewrite(style=style).texts.values()
        assert (new == text) == tied, why
        assert printed(tmp_path, new) == printed(tmp_path, text) if new != text else tied, why


def test_elements_and_orders_of_loops_see_them(tmp_path: Path) -> None:
    head = "static void f(float y[8], const float x[8]) {\n"
    nest = "I: for (int i = 0; i < 8; i++)\nJ: for (int j = 0; j < 8; j++) {\n"
    nest += "#pragma HLS PIPELINE\ny[i] += x[j] * 0.5f;\n}\n}\n"
    for handed, tied in (("a, a", True), ("a, b", False)):
        text = f"{head}{nest}void top(float a[8], float b[8]) {{ f({handed}); }}\n"
        kernel = hlspart.parse(text)
        assert (kernel.rewrite(style="interchange").texts["kernel.c"] == text) == tied
        (tmp_path / "k.c").write_text(text)
        assert run(["expand", f"{tmp_path / 'k.c'}", "--loop", "I", "--pe", "2", "--plan"]) == (1 if tied else 0)


def test_members_parts_and_fresh_memory() -> None:
    text = """#include <stdlib.h>
struct pair { int a[8], b[8]; }; union both { int a[8]; int b[8]; };
static int g[8], h[8], *to = g;
static void f(int *x, int *y) {} static void k(int *x, int *y) {} static void m(int *x, int *y) {}
static void u(int *x, int *y) {} static void c(int *x, int *y) {} static void w(int x[8], int y[8]) {}
static void z(int *x, int *y) {} static void taken(int *x, int *y) {}
void top(struct pair *s, union both *t, int n, int out[8]) {
    int *fresh = malloc(8), *same = fresh, row[4][8], *either = n ? g : row[1], v;
    f(s->a, s->b); u(t->a, t->b); k(&s->a[0], s->a + n); m(fresh, same); c(fresh, malloc(8));
    w(row[0], row[n]); z(either, h); void (*call)(int *, int *) = taken; call(&v, out);
}
"""
    program = hlspart.parse(text).program
    names = overlaps(program)
    ids = {(v.function, v.name): v.id for v in program.variables}
    met = {f: names.may_be(ids[f, "x"], ids[f, "y"]) for f in ("f", "u", "k", "m", "c", "w", "z", "taken")}
    assert met == {"f": False, "u": True, "k": True, "m": True, "c": False, "w": True, "z": False, "taken": True}
    shared = {n: names.may_be(ids["z", "x"], ids[None, n]) for n in ("g", "h")}
    assert shared == {"g": True, "h": False} and not names.may_be(ids["top", "v"], ids["top", "out"])
    assert names.may_be(ids[None, "to"], ids[None, "g"]) and not names.may_be(ids[None, "to"], ids[None, "h"])


BEHIND = {  # between a fill and its window: what gives its words another meaning, or does not
    "\n#undef G\n#define G(x) ((x) * 3)\n": False,
    "int s = 11;": False,
    "typedef signed char T;": False,
    "again: ;": False,
    "int t = 11; (void)t;": True,
}


def test_a_fill_keeps_the_meaning_of_its_words(tmp_path: Path) -> None:
    for between, taken in BEHIND.items():
        text = f"""#include <stdio.h>
#define G(x) ((x) * 2)
typedef int T;
typedef T vec[{N}];
static const int s = 3;
void top(const vec in, vec out) {{
    vec w;
    for (int i = 0; i < {N}; i++) {{
#pragma HLS PIPELINE II=1
        w[i] = (T)(G(in[i]) * s);
    }}
{between}
    for (int i = 1; i < {N} - 1; i++) {{
#pragma HLS PIPELINE II=1
        out[i] = w[i - 1] + w[i] * 3 - w[i + 1];
    }}
}}
int main(void) {{
    vec in, out = {{ 0 }};
    for (int i = 0; i < {N}; i++) in[i] = i * 370 % 1010;
    top(in, out);
    for (int i = 0; i < {N}; i++) printf("%d\\n", out[i]);
}}
"""
        (new,) = hlspart.parse(text).rewrite(style="reuse").texts.values()
        assert new != text and ("w: its elements go" in new) == taken, between
        assert printed(tmp_path, new) == printed(tmp_path, text), between


def test_element_types_of_typedefs(tmp_path: Path) -> None:
    text = f"""#include <stdio.h>
typedef unsigned char bytes[{N}];
void f(bytes y) {{
    for (int i = 1; i < {N}; i++) {{
#pragma HLS PIPELINE II=1
        y[i] = y[i - 1] * 7 + 1;
    }}
}}
int main(void) {{
    bytes y = {{ 9 }};
    f(y);
    for (int i = 0; i < {N}; i++) printf("%d\\n", y[i]);
}}
"""
    (new,) = hlspart.parse(text).rewrite(style="scalars").texts.values()
    assert "unsigned char y_before" in new and printed(tmp_path, new) == printed(tmp_path, text)


def test_calls_of_the_top_are_a_test_benchs(tmp_path: Path) -> None:
    """As PolyBench has it: memories that a library gives, which nobody knows, and a function that is to be built."""
    text = """void *library_memory(unsigned long n);
void top(double y[8], double x[8]) { I: for (int i = 0; i < 8; i++) y[i] = y[i] * 2 + x[i]; }
int main(void) { double (*a)[8] = (double (*)[8])library_memory(8), (*b)[8] = (double (*)[8])library_memory(8);
  top(*a, *b); return 0; }
"""
    (tmp_path / "k.c").write_text(text)
    for named, code in ((["--top", "top"], 0), ([], 1)):
        assert run(["expand", f"{tmp_path / 'k.c'}", "--loop", "I", "--pe", "2", "--plan", *named]) == code
    argv = ["mars", f"{tmp_path / 'k.c'}", "--top", "top", "--tile", "i:4", "-o", f"{tmp_path / 'o.c'}"]
    assert run(argv) == 0
    for one_memory in ("top(*b, *b)", "double z[8] = {0}; top(z, z)"):
        (tmp_path / "k.c").write_text(text.replace("top(*a, *b)", one_memory))
        assert run(["expand", f"{tmp_path / 'k.c'}", "--loop", "I", "--pe", "2", "--plan", "--top", "top"]) == 1
