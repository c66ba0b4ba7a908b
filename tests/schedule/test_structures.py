"""Members of structures: the II equals that of the same kernel with an array for every member."""

from __future__ import annotations

import random

import pytest
from predicting import loop, result

from hlspart.model.options import Options
from hlspart.model.results import LoopResult
from hlspart.pipeline import Pipeline

TYPES = "typedef struct { int n; int a[64]; int b[8][8]; } box;\ntypedef struct { int x, y; } point;\n"


def _kernel(seed: int, whole: bool) -> str:
    """A random kernel; ``whole``: with structures, else with an array for every member."""
    rng = random.Random(seed)

    def a(index: str) -> str:
        return f"s.a[{index}]" if whole else f"s_a[{index}]"

    def b(row: str, column: str) -> str:
        return f"s.b[{row}][{column}]" if whole else f"s_b[{row}][{column}]"

    def q(index: str, member: str) -> str:
        return f"q[{index}].{member}" if whole else f"q_{member}[{index}]"

    def term() -> str:
        shift = rng.choice(["", " + 1", " + 2", " - 1"])
        return rng.choice(
            [a(f"i{shift}"), b("i & 7", str(rng.randrange(8))), q(f"i{shift}", rng.choice("xy")), "in[i]"]
        )

    lines = [f"out[i] = {' + '.join(term() for _ in range(rng.randint(1, 4)))};"]
    if rng.random() < 0.6:
        lines.append(f"{q('i', 'x')} = {term()};")
    if rng.random() < 0.4:
        lines.append(f"{a('i')} = {a('i - 1')} + {term()};")
    if rng.random() < 0.4:
        kept = "s.n" if whole else "s_n"
        lines.append(f"{kept} += {q('i', 'y')};")
    rng.shuffle(lines)
    name = "s.a" if whole else "s_a"
    pragma = rng.choice(["", f"#pragma HLS ARRAY_PARTITION variable={name} cyclic factor=2\n"])
    declared = "box s; point q[64];" if whole else "int s_n, s_a[64], s_b[8][8], q_x[64], q_y[64];"
    first = "fill(&s, in);" if whole else "fill(&s_n, s_a, s_b, in);"
    formals, n, own = (
        ("box *p", "p->n", "p->a[k]") if whole else ("int *p_n, int p_a[64], int p_b[8][8]", "*p_n", "p_a[k]")
    )
    cell = "p->b[k >> 3][k & 7]" if whole else "p_b[k >> 3][k & 7]"
    return f"""{TYPES}
void fill({formals}, int in[64]) {{
#pragma HLS INLINE
    F: for (int k = 0; k < 64; k++) {{
#pragma HLS PIPELINE
        {own} = in[k]; {cell} = k;
    }}
    {n} = 0;
}}
int f(int in[64], int out[64]) {{
    {declared}
{pragma}
    {first}
    G: for (int k = 0; k < 64; k++) {{ {q("k", "x")} = in[k]; {q("k", "y")} = k; }}
    L: for (int i = 2; i < 60; i++) {{
#pragma HLS PIPELINE
        {" ".join(lines)}
    }}
    return {"s.n" if whole else "s_n"};
}}
"""


@pytest.mark.parametrize("seed", range(12))
def test_as_with_an_array_for_every_member(seed: int) -> None:
    told = []
    for whole in (True, False):
        found = result(_kernel(seed, whole), tool="vitis-2022.2")
        told.append([(x.name, x.ii, x.bounds, x.depth, x.latency) for x in found.loops])
    assert told[0] == told[1]
    assert any(ii is not None for name, ii, *_ in told[0] if name == "L")


def test_members_have_ports_of_their_own() -> None:
    text = (
        TYPES
        + """int f(int in[64]) {
    box s;
    for (int k = 0; k < 64; k++) { s.a[k] = in[k]; s.b[k / 8][k % 8] = k; }
    int sum = 0;
    L: for (int i = 0; i < 60; i++) {
#pragma HLS PIPELINE
        sum += s.a[i] + s.a[i + 1] + s.b[i / 8][0] + s.b[i / 8][1];
    }
    return sum;
}
"""
    )
    assert loop(text).ii == 1
    assert loop(text.replace("[1];", "[1] + s.a[i + 2];")).ii == 2
    arrays = {a.name: a.dims for a in result(text).arrays if a.function == "f"}
    assert arrays == {"in": (64,), "s.a": (64,), "s.b": (8, 8)}


ARGUMENT = (
    TYPES
    + """void f(box *s, int out[64]) {
    L: for (int i = 0; i < 60; i++) {
#pragma HLS PIPELINE
        out[i] = s->a[i] + s->a[i + 1] + s->a[i + 2];
    }
}
"""
)


def test_arguments_are_ports_for_every_member_in_vivado_hls() -> None:
    assert loop(ARGUMENT, tool="vivado-hls-2018.2").ii == 2
    packed = ARGUMENT.replace("    L:", "#pragma HLS DATA_PACK variable=s\n    L:")
    assert loop(packed, tool="vivado-hls-2018.2").ii is None


def test_arguments_are_one_word_in_vitis_hls() -> None:
    assert loop(ARGUMENT, tool="vitis-2022.2").ii == 1
    asked = ARGUMENT.replace("    L:", "#pragma HLS DISAGGREGATE variable=s\n    L:")
    assert loop(asked, tool="vitis-2022.2").ii == 2
    for held in (
        loop(ARGUMENT, tool="vitis-2022.2", flow="vitis"),
        loop(ARGUMENT.replace("box *s", "box s[4]"), tool="vitis-2022.2"),
        loop(ARGUMENT.replace("    L:", "#pragma HLS INTERFACE m_axi port=s\n    L:"), tool="vitis-2022.2"),
    ):
        assert held.ii is None and held.cause is not None and "an array inside a structure" in held.cause


def test_pointers_that_stay() -> None:
    """A local pointer that always points to one structure is that structure."""
    text = (
        TYPES
        + """void g(box *p) { p->a[0] = p->n; }
void f(int out[64]) {
    box s, *p = &s;
    g(p);
    L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
        out[i] = p->a[i] + s.b[0][1];
    }
}
"""
    )
    assert loop(text).ii == 1
    assert loop(text.replace("g(p);", "g(p); box t; if (out[0]) p = &t;")).ii is None


@pytest.mark.parametrize(
    "line",
    [
        "memcpy(&s, in, 64);",  # as bytes
        "outside(&s);",  # no body
        "int *p = s.a; p[0] = 1;",  # an address
        "int (*q)(box) = by_value; q(s);",  # any function
    ],
)
def test_structures_used_as_a_whole_stay(line: str) -> None:
    text = (
        TYPES
        + f"""void outside(box *p);
int by_value(box p) {{ p.a[0] = 1; return p.a[1]; }}
int f(int in[64], int out[64]) {{
    box s, other;
    {line}
    L: for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE
        out[i] = s.a[i];
    }}
    return other.n;
}}
"""
    )
    found = loop(text)
    assert found.ii is None and found.cause is not None and "an array inside a structure" in found.cause
    assert "s.a" not in {a.name for a in result(text).arrays}


def test_what_hardware_does_not_reach_keeps_no_structure_whole() -> None:
    """A function of the host beside the top; without a top it is one itself."""
    text = (
        TYPES
        + """void outside(box *p);
int first(box *p) { return p->a[0]; }
void host(box p) { outside(&p); int known = first(p.n ? &p : 0); }
void fill(box *p, int in[64]) { for (int i = 0; i < 64; i++) p->a[i] = in[i]; }
int f(int in[64], int out[64]) {
    box s;
    fill(&s, in);
    L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
        out[i] = s.a[i] + s.a[63 - i];
    }
    return 0;
}
"""
    )
    assert [x.ii for x in result(text, top="f").loops if x.name == "L"] == [1]
    called = text.replace("fill(&s, in);", "fill(&s, in); outside(&s);")
    assert [x.ii for x in result(called, top="f").loops if x.name == "L"] == [None]


def test_a_copy_that_is_handed_on_is_a_value() -> None:
    """Whatever becomes of the copy: the structure itself is apart. The copying takes states that nobody knows."""
    text = (
        TYPES
        + """int host(box p) { p.a[0] = 1; return p.a[1]; }
void fill(box *p, int in[64]) { for (int i = 0; i < 64; i++) p->a[i] = in[i]; }
int f(int in[64], int out[64]) {
    box s;
    fill(&s, in);
    int known = host(s);
    L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
        out[i] = s.a[i] + s.a[63 - i];
    }
    return known;
}
"""
    )
    answered = result(text, top="f")
    assert [x.ii for x in answered.loops if x.name == "L"] == [1]
    assert [x.latency.min for x in answered.functions if x.name == "f"] == [None]


@pytest.mark.parametrize("form", ["point c = s.p[--s.n];", "point c; c = s.p[--s.n];", "point c = pop(&s);"])
def test_an_element_in_a_place_that_moves_is_taken_once(form: str) -> None:
    """As with arrays of numbers, whose place is computed ahead of both loads."""
    text = """typedef struct { int x, y; } point;
typedef struct { point p[64]; int n; } stack;
static point pop(stack *s) { return s->p[--s->n]; }
void f(int in[64], int out[64]) {
    stack s;
    s.n = 0;
    F: for (int i = 0; i < 64; i++) { s.p[s.n].x = in[i]; s.p[s.n].y = i; s.n++; }
    L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
        FORM
        out[i] = c.x * c.y;
    }
}
"""
    plain = """void f(int in[64], int out[64]) {
    int x[64], y[64], n;
    n = 0;
    F: for (int i = 0; i < 64; i++) { x[n] = in[i]; y[n] = i; n++; }
    L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
        int at = --n;
        out[i] = x[at] * y[at];
    }
}
"""
    told = [
        [(x.name, x.ii, x.depth, x.latency) for x in result(t, tool="vitis-2022.2", top="f").loops if x.function == "f"]
        for t in (text.replace("FORM", form), plain)
    ]
    assert told[0] == told[1] and told[0][-1][1] == 1


def test_aggregated_variables_stay() -> None:
    text = (
        TYPES
        + """void f(int out[64]) {
    box s;
#pragma HLS AGGREGATE variable=s
    L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
        out[i] = s.a[i];
    }
}
"""
    )
    assert loop(text).ii is None


LINE = """class Line {
  int d[8];
 public:
  Line() {
#pragma HLS ARRAY_PARTITION variable=d complete
  }
  int push(int x) {
    for (int i = 7; i > 0; i--) d[i] = d[i - 1];
    d[0] = x;
    return d[7];
  }
};
void f(int in[64], int out[64]) {
  static Line line;
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    out[i] = line.push(in[i]);
  }
}
"""
BOX = """typedef struct {{ int v[8]; }} T;
int f(int in[8]{formal}) {{
  {local}
#pragma HLS ARRAY_PARTITION variable={name} {how}
  int a = 0;
  for (int i = 0; i < 8; i++) {{
#pragma HLS PIPELINE
    a += {name}[7 - i] + in[i];
  }}
  return a;
}}
"""
STANDARD = """#include <array>
int f(int in[8]) {
  std::array<int, 8> s{};
#pragma HLS ARRAY_PARTITION variable=s cyclic factor=4
  int a = 0;
  for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE
    a += s[7 - i] + in[i];
  }
  return a;
}
"""


def _member(of: str) -> str:
    """The directive on ``s.v`` of a local structure."""
    return BOX.format(formal="", local="T s;", name="s.v", how=of)


@pytest.mark.parametrize(
    ("path", "text", "fate", "partition"),
    [
        ("k.cpp", LINE, "applied", ["complete"]),
        ("k.c", _member("complete"), "applied", ["complete"]),
        ("k.c", _member("cyclic factor=2"), "applied", ["cyclic"]),
        ("k.c", _member("complete dim=3"), "rejected", []),
        (
            "k.c",
            BOX.format(formal="", local="T s;", name="s", how="cyclic factor=2").replace("s[", "s.v["),
            "applied",
            ["cyclic"],
        ),
        ("k.cpp", STANDARD, "applied", ["cyclic"]),
        ("k.c", BOX.format(formal=", T *t", local="", name="t->v", how="cyclic factor=2"), "unmodelled", ["complete"]),
    ],
)  # the last: an argument is one word
def test_a_directive_on_a_member_is_told_as_the_prediction_takes_it(
    path: str, text: str, fate: str, partition: list[str]
) -> None:
    pipeline = Pipeline([path], Options(), lambda _: text.encode())
    statuses = [s for s in pipeline.validation.statuses if "PARTITION" in s.text]
    assert [s.status for s in statuses] == [fate]
    assert [s.status for s in pipeline.ii.pragmas if "PARTITION" in s.text] == [fate]
    assert {d.type for a in pipeline.ii.arrays for d in a.partition} == set(partition)
    assert ("HLP410" in {d.rule for d in pipeline.lint(None).diagnostics}) == (fate == "unmodelled")


def test_a_method_of_what_a_pointer_points_to() -> None:
    """``w->get(r, c)`` of ``total(&w)`` is what ``w.get(r, c)`` in the loop itself is."""
    head = """template<int R, int C, class T> struct Win {
    T val[R][C];
    T get(int r, int c) { return val[r][c]; }
    void put(T v, int r, int c) { val[r][c] = v; }
};
short total(Win<3, 3, short> *w) {
#pragma HLS INLINE
    short acc = 0;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) acc += w->get(r, c);
    return acc;
}
void f(short a[64], short b[64]) {
    Win<3, 3, short> w;
#pragma HLS ARRAY_PARTITION variable=w.val complete dim=0
    L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
        for (int k = 0; k < 9; k++) w.put(a[i] * k, k / 3, k % 3);
        SUM
    }
}
"""
    direct = "short acc = 0; for (int r = 0; r < 3; r++) for (int c = 0; c < 3; c++) acc += w.get(r, c); b[i] = acc;"
    ways = [head.replace("SUM", x) for x in ("b[i] = total(&w);", direct)]
    found = [next(x for x in result(w, top="f", path="k.cpp").loops if x.name == "L") for w in ways]
    assert found[0].ii == 1
    assert [(x.ii, x.depth, x.dsp) for x in found[:1]] == [(x.ii, x.depth, x.dsp) for x in found[1:]]


PRODUCT = """typedef struct {{ short re, im; }} cpx;
void product(const cpx a[64], const cpx b[64], int out[64]) {{
#pragma HLS AGGREGATE variable=a
#pragma HLS AGGREGATE variable=b
    L: for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE II=1
        {0}
    }}
}}
"""


def test_members_of_an_element_are_values_of_their_own() -> None:
    """Four products of two numbers each, whether the elements are named first or not."""
    sums = "out[i] = {x}.re * {y}.re - {x}.im * {y}.im + {x}.re * {y}.im + {x}.im * {y}.re;"
    named = loop(PRODUCT.format("cpx x = a[i], y = b[i]; " + sums.format(x="x", y="y")))
    read = loop(PRODUCT.format(sums.format(x="a[i]", y="b[i]")))
    assert (read.ii, read.depth, read.dsp) == (named.ii, named.depth, named.dsp) and (read.dsp or 0) >= 4


LANES = """template <typename T, unsigned N> struct lanes {{
    T data[N];
    T &operator[](unsigned k) {{ return data[k]; }}
    const T &operator[](unsigned k) const {{ return data[k]; }}
    lanes &operator=(const lanes &other) {{
        {0}
        for (unsigned k = 0; k < N; k++) {{
#pragma HLS UNROLL
            data[k] = other[k];
        }}
        return *this;
    }}
}};
typedef lanes<short, 4> word;
void pass(const word in[64], word out[64]) {{
    L: for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE II=1
        word w, v;
        w = in[i];
        for (int k = 0; k < 4; k++) v[k] = w[3 - k] * 3;
        out[i] = v;
    }}
}}
"""


@pytest.mark.parametrize("test", ["if (&other == this) return *this;", "if (this == &other) return *this;"])
def test_an_assignment_that_asks_whether_it_is_to_itself(test: str) -> None:
    """Two objects share no address: the test costs nothing, and neither arm is in doubt."""

    def loops(text: str) -> tuple[LoopResult, ...]:
        return Pipeline(["k.cpp"], Options(), lambda _: text.encode()).ii.loops

    guarded, plain = loops(LANES.format(test)), loops(LANES.format(""))
    assert [(x.name, x.ii, x.depth, x.dsp) for x in guarded] == [(x.name, x.ii, x.depth, x.dsp) for x in plain]
    assert [x.ii for x in guarded if x.name == "L"] == [1]


COMPLEX = """typedef struct { short re, im; } pair;
void f(const pair x[64], pair y[64], int n) {
#pragma HLS INTERFACE ap_memory port=x storage_type=ram_1p
#pragma HLS INTERFACE ap_memory port=y storage_type=ram_1p
    pair held[64];
#pragma HLS DISAGGREGATE variable=held
    LOAD: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
        held[i] = x[i];
    }
    pair *p = WHERE;
    STORE: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
        y[i] = held[63 - i];
    }
}
"""


@pytest.mark.parametrize(
    ("address", "fate", "memories"), [("0", "applied", ["re", "im"]), ("held + n", "unmodelled", [])]
)
def test_words_that_are_copied_leave_the_other_side_apart(address: str, fate: str, memories: list[str]) -> None:
    """Each word of an argument is one access, though its members go to memories of their own."""
    pipeline = Pipeline(["k.c"], Options(), lambda _: COMPLEX.replace("WHERE", address).encode())
    assert [s.status for s in pipeline.ii.pragmas if "AGGREGATE" in s.text] == [fate]
    assert [a.name.rpartition(".")[2] for a in pipeline.ii.arrays if "held." in a.name] == memories
    if memories:
        assert [(x.name, x.ii) for x in pipeline.ii.loops] == [("LOAD", 1), ("STORE", 1)]


@pytest.mark.parametrize("list_", ["{{in[i], 1}, {i, in[i + 1]}}", "{.lo = {in[i]}, .hi = {in[i + 1]}}"])
def test_lists_in_lists_are_values_of_members(list_: str) -> None:
    text = TYPES + "typedef struct { point lo, hi; } area;\nvoid f(int in[65], int out[64]) {\n"
    text += "  L: for (int i = 0; i < 64; i++) {\n#pragma HLS pipeline II=1\n"
    text += f"    area a = {list_};\n    out[i] = a.lo.x * a.hi.y;\n  }}\n}}\n"
    assert [x.ii for x in Pipeline(["t.c"], Options(), read=lambda path: text.encode()).figures.loops] == [1]


LINES = """struct lines {
  int val[5][640];
  void shift(int col) {
    #pragma HLS inline
    for (int i = 0; i < 4; i++) val[i][col] = val[i + 1][col];
  }
};
void f(int in[640], int out[640], int w) {
  lines b;
  #pragma HLS array_partition variable=b.val dim=1 complete
  #pragma HLS dependence variable=b.val inter false
  L: for (int x = 0; x < w; x++) {
    #pragma HLS pipeline II=1
    b.shift(x);
    b.val[4][x] = in[x];
    int s = 0;
    for (int i = 0; i < 5; i++) s += ELEMENT;
    out[x] = s;
  }
}
"""


@pytest.mark.parametrize(("element", "rows_alone"), [("b.val[i][x]", True), ("*(&b.val[0][0] + 640 * i + x)", False)])
def test_subscripts_of_members_stay_in_their_row(element: str, rows_alone: bool) -> None:
    """As those of arrays do: a column without a known bound is no place in the row behind it. An address may run on."""
    ii = Pipeline(["k.cpp"], Options(top="f"), lambda _: LINES.replace("ELEMENT", element).encode()).ii
    assert (next(x for x in ii.loops if x.name == "L").ii == 1) is rows_alone


def test_what_a_list_of_expressions_copies_may_be_a_union_with_an_array() -> None:
    text = """union word { int x; unsigned char c[4]; };
int f(int in[8], int out[8]) {
    union word a[8], t;
    L: for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE off
        (t.x = in[i], t.c[0] = 1, out[i] = t.x, a[i] = t);
    }
    return a[3].x;
}
"""
    whole = result(text, top="f").functions[0]
    assert whole.latency.max is None
    assert [cause.text for cause in whole.causes] == [
        "whether the copy of a structure with arrays is a loop is not known"
    ]


ENTRIES = """struct entry { int key, next; };
class table {
  entry of[640];
  int heads[640];
public:
  table() { for (int i = 0; i < 640; i++) heads[i] = -1; }
  void put(const entry &e, int at) {
#pragma HLS INLINE
    of[at] = e; of[at].next = heads[at]; heads[at] = at;
  }
  entry get(int at) {
#pragma HLS INLINE
    return of[at];
  }
};
void f(const int in[640], int *out) {
  static table t;
  L: for (int i = 0; i < 640; i++) {
#pragma HLS PIPELINE
    entry one = t.get(i);
    one.key += in[i];
    t.put(one, i);
  }
  *out = t.get(3).key;
}
"""
MEMBERS = """void f(const int in[640], int *out) {
  static int key[640], next[640], heads[640];
  L: for (int i = 0; i < 640; i++) {
#pragma HLS PIPELINE
    int k = key[i], n = next[i];
    k += in[i];
    key[i] = k; next[i] = n; next[i] = heads[i]; heads[i] = i;
  }
  *out = key[3];
}
"""


def test_objects_that_a_constructor_fills_are_memories_of_any_size() -> None:
    """As with an array for every member. What makes objects as values is in no program that does not call it."""
    objects, arrays = result(ENTRIES, path="k.cpp"), result(MEMBERS, path="k.cpp")
    (loop_,) = (x for x in objects.loops if x.name == "L")
    (plain,) = (x for x in arrays.loops if x.name == "L")
    assert (loop_.ii, loop_.depth) == (plain.ii, plain.depth)
    assert plain.ii is not None
    assert [f.name for f in objects.functions if f.name.endswith("new")] == []


def test_interfaces_of_functions_that_are_called_are_ignored() -> None:
    text = """struct pair { int a[2]; };
int part(pair p, int k) {
#pragma HLS INLINE
#pragma HLS INTERFACE ap_none port=p.a[0]
  return p.a[0] + p.a[1] * k;
}
void f(int A[64], int x[64]) {
  L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    pair p;
    p.a[0] = A[i];
    p.a[1] = 3;
    x[i] = part(p, i);
  }
}
"""
    found = next(x for x in result(text, path="k.cpp").loops if x.name == "L")
    assert (found.ii, found.cause) == (1, None)


def test_the_reset_of_an_object_says_nothing_of_its_memories() -> None:
    """An array in it has ports of its own: a load and a store fit two."""
    text = """class M {
  int held[256]; int last;
 public:
  void step(int v, int &o) { o = held[last]; held[v] = last; last = v; }
};
void f(int v, int &o) {
#pragma HLS PIPELINE
  static M m;
#pragma HLS RESET variable=m
  m.step(v, o);
}
"""
    (found,) = result(text, path="k.cpp").loops
    assert (found.ii, found.cause) == (1, None)


UNION = """#include <stdint.h>
void f(double a[64], uint64_t o[64]) {
    union { double d; uint64_t u; };
    L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
        d = a[i] + CARRIED;
        o[i] = u;
    }
}
"""


@pytest.mark.parametrize(("carried", "recurs"), [("1", False), ("(double)u", True)])
def test_members_of_a_union_without_a_name_share_their_bits(carried: str, recurs: bool) -> None:
    """What one of its names is given the other one reads."""
    text = UNION.replace("CARRIED", carried)
    named = text.replace("u; };", "u; } w;").replace("= u;", "= w.u;").replace(")u", ")w.u").replace(" d =", " w.d =")
    found, other = (loop(x, path="k.cpp") for x in (text, named))
    assert (found.ii, found.bounds) == (other.ii, other.bounds)
    assert found.ii is not None
    assert (found.ii > 1) == recurs


def test_a_union_without_a_name_inside_a_structure_is_not_taken_for_separate_members() -> None:
    text = """struct S { int q; union { int i; float f; }; };
void f(float a[64], float o[64]) {
    struct S s;
    s.f = 0;
    L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
        o[i] = s.f * 1.5f;
        s.i = (int)a[i] + 3;
    }
}
"""
    found = loop(text)
    assert (found.ii, found.bounds) == (None, None)
    assert "union" in (found.cause or "")


def test_a_structure_that_holds_more_than_numbers_may_begin_as_what_a_call_gives() -> None:
    """One load a state of a memory with two ports: II 1 by hand."""
    text = """\
struct Numbers { int a[4]; int b; };
struct Other { int a[4]; int *q; };
Other make(int x);
void top(int out[4]) {
  Numbers n = {{1, 2, 3, 4}, 5};
  Other p = make(3);
  for (int i = 0; i < 4; i++) {
#pragma HLS PIPELINE II=1
    out[i] = n.a[i];
  }
}
"""
    pipeline = Pipeline(["k.cpp"], Options(), lambda _: text.encode())
    assert [x.ii for x in pipeline.figures.loops] == [1]
