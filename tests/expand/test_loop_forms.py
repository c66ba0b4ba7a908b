"""Forms of loops and bodies: each is expanded and computes the same in three orders, or is refused for its reason."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from hlspart.cli.app import run as command
from tests.amounts import amount
from tests.expand.running import differing, open_text, plan_of

BODIES = {
    "outer_iter": "int i; L: for (i = 0; i < 13; i++) a[i] = i; o[0] = i;",
    "outer_iter_down": "int i; L: for (i = 12; i >= 0; i--) a[i] = i; o[0] = i;",
    "outer_iter_unused": "int i; L: for (i = 0; i < 13; i++) a[i] += 2;",
    "inner_outer_iter": (
        "int i, j; L: for (i = 0; i < 9; i++) for (j = 0; j < i; j++) c[i][j] = c[i][j] + i; o[0] = i;"
    ),
    "inner_outer_iter_live": "int i, j; L: for (i = 0; i < 9; i++) for (j = 0; j < 5; j++) c[i][j] = i; o[0] = j;",
    "tri_live": "int i, j; L: for (i = 0; i < 9; i++) for (j = 0; j < i; j++) c[i][j] = i; o[0] = j;",
    "uchar": "L: for (unsigned char i = 0; i < 250; i++) a[i & 63] = 3;",
    "uchar2": "L: for (unsigned char i = 0; i < 60; i++) a[i] = 3 * (i - 70);",
    "unsigned_down": "L: for (unsigned i = 13; i > 0; i--) a[i] = i;",
    "unsigned_down1": "L: for (unsigned i = 13; i >= 1; i--) a[i] = i - 20 < 5;",
    "step3": "L: for (int i = 2; i < 60; i += 3) a[i] = b[i] + i;",
    "ne": "L: for (int i = 0; i != 13; i++) a[i] = b[i] * 2;",
    "const_bound_side": ("int s = 5; L: for (int i = 0; i < 13; i++) { const int k = s + i; a[i] = k; b[i] = k * 2; }"),
    "if_loop": (
        "L: for (int i = 0; i < 13; i++) { if (b[i] > 0) { for (int j = 0; j < 4; j++) a[i] += "
        "j; } else { a[i] = 1; for (int j = 0; j < 3; j++) a[i] += 2 * j; } }"
    ),
    "cond_changes": ("L: for (int i = 0; i < 13; i++) { if (a[i] > 0) { for (int j = 0; j < 4; j++) a[i] -= 100; } }"),
    "nested_blocks": "L: for (int i = 0; i < 13; i++) { { int t = a[i]; b[i] = t; } }",
    "block_loop": (
        "L: for (int i = 0; i < 13; i++) { { int t = a[i]; for (int j = 0; j < 3; j++) t += j; b[i] = t; } }"
    ),
    "switch": (
        "L: for (int i = 0; i < 13; i++) { switch (a[i] & 3) { case 0: b[i] = 1; break; case 1: "
        "b[i] = 2; break; default: b[i] = 3; } }"
    ),
    "short_sum": "short s = 0; L: for (int i = 0; i < 60; i++) s += a[i]; o[0] = s;",
    "uint_prod": "unsigned s = 1; L: for (int i = 0; i < 20; i++) s *= a[i] | 1; o[0] = s;",
    "llsum": "int s = 0; L: for (int i = 0; i < 60; i++) s += (long long)a[i] * b[i]; o[0] = s;",
    "min": "int s = a[0]; L: for (int i = 0; i < 60; i++) s = a[i] < s ? a[i] : s; o[0] = s;",
    "or": "int s = 0; L: for (int i = 0; i < 60; i++) s |= a[i]; o[0] = s;",
    "xor_el": "L: for (int i = 0; i < 60; i++) o[1] ^= a[i];",
    "hist": "L: for (int i = 0; i < 60; i++) b[a[i] & 7] += 2;",
    "hist_guard": "L: for (int i = 0; i < 60; i++) if (a[i] > 3) b[a[i] & 7]++;",
    "two_red": (
        "int s = 0, m = a[0]; L: for (int i = 0; i < 60; i++) { s += a[i]; if (a[i] > m) m = "
        "a[i]; } o[0] = s; o[1] = m;"
    ),
    "colsum": "L: for (int i = 0; i < 24; i++) for (int j = 0; j < 20; j++) a[j] += c[i][j];",
    "linebuf": (
        "int e[8]; L: for (int i = 0; i < 8; i++) { for (int j = 0; j < 8; j++) e[j] = c[i][j]; "
        "for (int j = 0; j < 8; j++) c[i][j] = e[7-j]; }"
    ),
    "linebuf_param": (
        "L: for (int i = 0; i < 8; i++) { for (int j = 0; j < 8; j++) b[j] = c[i][j]; for (int j "
        "= 0; j < 8; j++) c[i][j] = b[7-j]; }"
    ),
    "shift": "L: for (int i = 0; i < 20; i++) { a[i] = b[i] + 1; c[0][i] = a[i] * 2; }",
    "dep_fwd": "L: for (int i = 1; i < 20; i++) { a[i] = b[i] + 1; c[0][i] = a[i-1] * 2; }",
    "dep_bwd": "L: for (int i = 1; i < 20; i++) { c[0][i] = a[i-1] * 2; a[i] = b[i] + 1; }",
    "fwd_local": "L: for (int i = 1; i < 20; i++) { int t = b[i] * 3; a[i] = t + 1; c[0][i] = a[i-1] * t; }",
    "macro_body": "\n#define GO(x) x = x + 1\nL: for (int i = 0; i < 20; i++) { GO(a[i]); }",
    "macro_local": (
        "\n#define GO(x) x = x + 1\nL: for (int i = 0; i < 20; i++) { int t = a[i]; GO(t); for "
        "(int j = 0; j < 2; j++) t += j; b[i] = t; }"
    ),
    "comma": "int t; L: for (int i = 0; i < 20; i++) { t = a[i], b[i] = t; }",
    "nobrace_inner": (
        "L: for (int i = 0; i < 20; i++) for (int j = 0; j < 3; j++) if (j > 0) c[i][j] = a[i] + j; else c[i][j] = 0;"
    ),
    "label_inner": "L: for (int i = 0; i < 20; i++) { IN: for (int j = 0; j < 3; j++) c[i][j] = a[i] + j; }",
    "trip1": "L: for (int i = 0; i < 1; i++) { a[i] = 3; }",
    "trip0": "L: for (int i = 0; i < 0; i++) { a[i] = 3; }",
    "outerloop": "for (int q = 0; q < 3; q++) { L: for (int i = 0; i < 10; i++) { a[i] += b[i + q]; } }",
    "outerloop_last": (
        "int t = 0; for (int q = 0; q < 3; q++) { L: for (int i = 0; i < 10; i++) { t = b[i + "
        "q]; a[i] += t; } c[q][0] = t; }"
    ),
    "tri_outer": "for (int q = 0; q < 8; q++) { L: for (int i = 0; i < q; i++) { a[i] += b[i + q]; } }",
    "struct": "struct P { int x, y; } p; L: for (int i = 0; i < 10; i++) { p.x = a[i]; b[i] = p.x; }",
    "struct_in": (
        "L: for (int i = 0; i < 10; i++) { struct P { int x, y; } p; p.x = a[i]; p.y = 2; b[i] = p.x + p.y; }"
    ),
    "sizeof": "L: for (int i = 0; i < 10; i++) { int t[3] = {1, 2, 3}; b[i] = t[i % 3] + sizeof(t) + sizeof i; }",
    "arr_local_shared": (
        "L: for (int i = 0; i < 10; i++) { int t[3]; for (int j = 0; j < 3; j++) t[j] = a[i + "
        "j]; for (int j = 0; j < 3; j++) c[i][j] = t[2 - j]; }"
    ),
    "arr_init_shared": (
        "L: for (int i = 0; i < 10; i++) { int t[3] = {0}; for (int j = 0; j < 3; j++) t[j] += "
        "a[i + j]; for (int j = 0; j < 3; j++) c[i][j] = t[2 - j]; }"
    ),
    "typedef": (
        "typedef unsigned short T; L: for (T i = 0; i < 10; i++) { T t = a[i]; for (int j = 0; j "
        "< 3; j++) t += j; b[i] = t; }"
    ),
    "ternary": "L: for (int i = 0; i < 13; i++) b[i] = i > 0 ? a[i - 1] : 0;",
    "guard_bcast": "L: for (int i = 0; i < 13; i++) for (int j = 0; j < 5; j++) c[i][j] = a[j] * b[i];",
    "guard_cond_bcast": ("L: for (int i = 0; i < 13; i++) for (int j = 0; j < 5; j++) c[i][j] = b[i] > 0 ? a[j] : 1;"),
    "inner_step": "L: for (int i = 0; i < 13; i++) for (int j = i; j < 20; j += 2) c[i][j] = 1;",
    "inner_down_tri": "L: for (int i = 0; i < 13; i++) for (int j = i; j >= 0; j--) c[i][j] = i - j;",
    "inner_tri2": ("L: for (int i = 0; i < 13; i++) for (int j = 12 - i; j < 13 + i && j < 20; j++) c[i][j] = i - j;"),
    "inner_minmax": "L: for (int i = 0; i < 13; i++) for (int j = (i > 3 ? i : 3); j < 20; j++) c[i][j] = i - j;",
    "arr_designated": (
        "L: for (int i = 0; i < 13; i++) { int t[2][3] = {[1] = {a[i], 2}, [0][2] = i}; "
        "for (int j = 0; j < 6; j++) b[i] += t[j / 3][j % 3] * j; }"
    ),
    "arr_partitioned": (
        "L: for (int i = 0; i < 13; i++) { int t[4][6];\n#pragma HLS ARRAY_PARTITION variable=t cyclic factor=2 dim=2\n"
        "for (int j = 0; j < 24; j++) t[j / 6][j % 6] = a[j] + i; for (int j = 0; j < 6; j++) b[i] += t[j % 4][j]; }"
    ),
    "arr_many_values": (
        "L: for (int i = 0; i < 13; i++) { int t[64] = {1}; for (int j = 0; j < 64; j++) t[j] += a[j];"
        " for (int j = 0; j < 64; j++) b[i] += t[j]; }"
    ),
    "arr_dependence": (
        "L: for (int i = 0; i < 13; i++) { int t[6];\n#pragma HLS DEPENDENCE variable=t inter false\n"
        "for (int j = 0; j < 6; j++) t[j] = a[j] + i; for (int j = 0; j < 6; j++) b[i] += t[j]; }"
    ),
    "crlf": "L: for (int i = 0; i < 13; i++) {\r\n  a[i] = 1;\r\n  for (int j = 0; j < 2; j++) a[i] += j; }",
    "cont": (
        "L: for (int i = 0; i < 13; i++) {\n  // line comment\n  a[i] = 1; // trailing\n  /* multi\n "
        "    line */\n  b[i] = 2;\n}"
    ),
}

#: What 4 elements under a guard cannot do, and why.
REFUSED = {
    "tri_live": "trip-count",
    "cond_changes": "condition",
    "dep_bwd": "dependence",
    "struct": "non-affine",
    "sizeof": "pointer",
    "arr_many_values": "condition",
    "arr_dependence": "condition",
    "inner_step": "trip-count",
    "inner_minmax": "trip-count",
    "unsigned_down": "uneven",
    "unsigned_down1": "uneven",
}


WAYS = amount((("cyclic", "guard"), ("block", "guard")), (("cyclic", "guard"), ("cyclic", "peel"), ("block", "guard")))


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_every_form_computes_the_same_or_is_refused_for_its_reason(tmp_path: Path) -> None:
    pairs, refused = [], {}
    for name, body in BODIES.items():
        text = f"void f(int a[64], int b[64], int c[24][24], int o[2]) {{\n    {body}\n}}\n"
        pipeline = open_text(text)
        for pes in amount((4,), (4, 5)):
            for kind, remainder in WAYS:
                plan, new = plan_of(pipeline, "L", (pes,), maps=(kind,), remainder=remainder)
                if new is not None:
                    pairs.append((f"{name} {pes} {kind} {remainder}", text, new))
                elif (pes, kind, remainder) == (4, "cyclic", "guard"):
                    refused[name] = plan.expansion.judgement.code
    assert refused == REFUSED
    assert len(pairs) > amount(80, 240)
    assert differing(pairs, tmp_path) == []


PRIVATE = """void f(int a[64], int b[64], int c[24][24], int o[2]) {
    int u[8];
#pragma HLS BIND_STORAGE variable=u type=ram_2p impl=lutram
    L: for (int i = 0; i < 8; i++) {
        int t[4][6];
#pragma HLS ARRAY_PARTITION variable=t type=complete dim=0
        int s[3] = {i, 7};
        for (int j = 0; j < 8; j++) u[j] = a[j] * i;
        for (int j = 0; j < 24; j++) t[j / 6][j % 6] = u[j % 8] + s[j % 3];
        for (int j = 0; j < 6; j++) b[i] += t[j % 4][j];
    }
}
"""


def test_arrays_that_every_element_has_its_own_of_keep_their_pragmas_and_first_values(tmp_path: Path) -> None:
    _, new = plan_of(open_text(PRIVATE), "L", (4,))
    assert new is not None
    for line in (
        "#pragma HLS BIND_STORAGE variable=u_pe type=ram_2p impl=lutram",
        "#pragma HLS ARRAY_PARTITION variable=t_pe type=complete dim=2",
        "#pragma HLS ARRAY_PARTITION variable=t_pe type=complete dim=3",
        "s_pe[i_p][0] = i;", "s_pe[i_p][1] = 7;", "s_pe[i_p][2] = 0;",
    ):  # fmt: skip
        assert new.count(line) == 1, line
    assert "variable=t type" not in new
    if shutil.which("gcc") is not None:
        assert differing([("private", PRIVATE, new)], tmp_path) == []


def test_a_value_that_is_read_in_the_next_round_is_kept(tmp_path: Path) -> None:
    """Reads and writes of a scalar at random around a loop that gives it, inside of up to two others."""
    known = "int w = 1; for (int t = 0; t < 3; t++) { o[0] += w; %s }"
    loop = "L: for (int i = 0; i < 8; i++) { w = a[i]; b[i] = w * 2; }"
    bodies = [known % loop]
    for seed in range(amount(12, 400)):
        rng = random.Random(seed)

        def some(rng: random.Random = rng) -> str:
            return rng.choice(("", "", "o[0] += w;", f"w = {rng.randint(2, 9)};", "o[1] ^= w; w = 7;", "w++;"))

        inner = f"for (int u = 0; u < 2; u++) {{ {some()} {loop} {some()} }}" if rng.random() < 0.5 else loop
        bodies.append(f"int w = 1; {some()} for (int t = 0; t < 3; t++) {{ {some()} {inner} {some()} }} {some()}")
    pairs = []
    for number, body in enumerate(bodies):
        text = f"void f(int a[64], int b[64], int c[24][24], int o[2]) {{ {body} }}\n"
        _, new = plan_of(open_text(text), "L", (2,))
        pairs += [(str(number), text, new)] if new is not None else []
    assert len(pairs) > len(bodies) // 2 and not differing(pairs, tmp_path)


def test_an_iterator_whose_type_is_asked_for_is_no_constant(tmp_path: Path) -> None:
    text = "void f(int a[8]) { L: for (int i = 0; i < 8; i++) { decltype(i) t = 2; t++; a[i] += t; } }\n"
    path, new = tmp_path / "f.cpp", tmp_path / "new.cpp"
    path.write_text(text)
    for more in ([], ["--order", "space-time"]):
        assert command(["expand", str(path), "--loop", "L", "--pe", "2", *more, "-o", str(new)]) == 0
        assert "decltype(i)" in new.read_text()
        subprocess.run(["g++", "-w", "-fsyntax-only", str(new)], check=True)
