"""Where each rule points on its own example, and what it says where names are missing."""

from __future__ import annotations

import pytest
from lint_helpers import blocks, lint_of

from hlspart.lint.catalogue import find
from hlspart.lint.config import LintConfig

# place of every finding on the rule's bad example, and the text that is underlined
PLACES = """\
HLP002 k.c:2:11 [
HLP005 k.c:2:9 n
HLP006 k.c:1:1 #include "sizes.h"
HLP007 d.tcl:1:1 foreach
HLP010 k.c:3:3 for (int i = 0; i < 16; i++)
HLP011 k.c:4:12 A
HLP012 k.c:3:1 #pragma HLS performance target_ti=100
HLP101 k.c:2:1 #pragma HLS array_partion variable=A complete
HLP102 k.c:2:47 banks
HLP103 k.c:2:29 variable
HLP104 k.c:2:47 factor
HLP105 k.c:2:1 #pragma HLS array_partition variable=A cyclic
HLP106 k.c:2:1 #pragma array_partition variable=A complete
HLP107 k.c:2:1 #pragma HLS memory partition variable(A) type(cyclic) dim(1) factor(4)
HLP108 k.c:3:1 #pragma HLS array_partition variable=A cyclic factor=BANKS
HLP109 k.c:2:40 type
HLP110 k.c:2:46 factor
HLP111 k.c:2:1 #pragma HLS resource variable=A core=RAM_2P_BRAM
HLP112 k.c:2:49 factor
HLP113 k.c:2:47 factor
HLP114 k.c:2:46 factor
HLP201 k.c:3:3 for (int i = 0; i < 64; i += 4)
HLP202 k.c:3:3 for (int i = 0; i < 64; i++)
HLP203 k.c:6:12 A[i]
HLP204 k.c:3:35 D[i]
HLP205 k.c:6:10 A[i]
HLP206 k.c:5:5 A[i]
HLP207 k.c:2:1 #pragma HLS array_partition variable=A cyclic factor=4 dim=1
HLP208 k.c:5:5 for (int j = 0; j < n; j++)
HLP209 k.c:4:1 #pragma HLS dependence variable=A inter false
HLP210 k.c:2:32 A[i + 1]
HLP211 k.c:5:3 for (int i = 0; i < 64; i++)
HLP301 k.c:2:1 #pragma HLS array_partition variable=A cyclic factor=4
HLP302 k.c:2:1 #pragma HLS array_partition variable=A cyclic factor=16
HLP302 k.c:3:1 #pragma HLS array_partition variable=B cyclic factor=16
HLP303 k.c:2:1 #pragma HLS array_partition variable=A complete
HLP304 k.c:3:1 #pragma HLS array_partition variable=A complete
HLP305 k.c:3:1 #pragma HLS array_partition variable=A cyclic factor=4
HLP306 k.c:3:1 #pragma HLS array_partition variable=T cyclic factor=4
HLP307 k.c:2:1 #pragma HLS array_partition variable=A cyclic factor=1
HLP308 k.c:2:1 #pragma HLS array_partition variable=B complete
HLP401 k.c:2:29 variable
HLP402 k.c:2:29 variable
HLP403 k.c:2:1 #pragma HLS unroll factor=4
HLP404 k.c:3:29 variable
HLP405 k.c:2:49 dim
HLP406 k.c:2:1 #pragma HLS array_partition variable=A complete
HLP407 k.c:2:1 #pragma HLS array_partition variable=x cyclic factor=2
HLP407 k.c:6:1 #pragma HLS array_partition variable=A cyclic factor=4
HLP408 k.c:2:1 #pragma HLS array_partition variable=A cyclic factor=2
HLP409 k.c:3:1 #pragma HLS array_partition variable=A cyclic factor=2
HLP410 k.c:3:29 variable
HLP411 d.cfg:2:24 f/M
HLP412 k.c:2:29 variable
HLP413 k.c:4:1 #pragma HLS array_partition variable=t cyclic factor=2
HLP414 k.c:2:1 #pragma HLS pipeline II=1
HLP415 k.c:4:1 #pragma HLS performance target_ti=100
HLP416 k.c:2:1 #pragma HLS bind_storage variable=A type=ram_1p
HLP901 k.c:2:6 hlspart: ignore[HLP101]
HLP902 k.c:2:6 hlspart: ignore[HLP999]
"""


def _of(code: str) -> list[tuple[str, str]]:
    rows = (line.split(" ", 2) for line in PLACES.splitlines())
    return [(place, text) for name, place, text in rows if name == code]


@pytest.mark.parametrize("code", sorted({line[:6] for line in PLACES.splitlines()}))
def test_place(code: str) -> None:
    entry = find(code)
    assert entry is not None
    files, options = blocks(entry.section("Example"))
    found = []
    config = LintConfig(select=(code,)) if code != "HLP901" else None  # each place by itself; what nothing needs
    for d in lint_of(files, tool=options.get("tool"), config=config).diagnostics:
        if d.rule == code:
            p = d.place
            assert p.line == p.end_line
            text = files[p.path].split("\n")[p.line - 1][p.column - 1 : p.end_column - 1]
            found.append((f"{p.path}:{p.line}:{p.column}", text))
    assert found == _of(code)


HEADER = '#include "sizes.h"\n'
PARTS = """void f(int A[16], int n) {
#pragma HLS array_partition variable=table cyclic factor=2
#pragma HLS array_partition variable=A cyclic factor=n_banks
  L: for (int i = 0; i < 4; i++) {
#pragma HLS pipeline II=1
    for (int j = 0; j < COUNT; j++) A[j] += i;
  }
}
"""


def test_a_name_may_come_from_a_header_that_was_not_found() -> None:
    wanted = ("HLP401", "HLP104", "HLP208")
    plain = {d.rule: d.severity for d in lint_of(PARTS.replace("COUNT", "n")).diagnostics if d.rule in wanted}
    assert plain == {"HLP401": "error", "HLP104": "error", "HLP208": "warning"}
    assert [(d.rule, d.severity, d.place.line) for d in lint_of(HEADER + PARTS).diagnostics] == [("HLP006", "info", 1)]
    there = {"k.c": HEADER + PARTS, "sizes.h": "#define n_banks 2\n#define COUNT 4\nextern int table[4];\n"}
    assert not {d.rule for d in lint_of(there).diagnostics} & set(wanted)


def test_a_faulty_value_is_an_error_with_and_without_headers() -> None:
    text = PARTS.replace("n_banks", "0").replace("COUNT", "4")
    for lines in (text, HEADER + text):
        assert [d.severity for d in lint_of(lines).diagnostics if d.rule == "HLP104"] == ["error"]


def test_a_loop_that_cannot_be_counted_is_not_called_variable() -> None:
    text = """void f(int A[64]) {
  for (int r = 0; r < 8; r++) {
#pragma HLS pipeline II=1
    int k = 0;
    while (k < 60) { A[k] = r; k = k * 2 + 1; }
  }
}
"""
    (found,) = (d for d in lint_of(text).diagnostics if d.rule == "HLP208")
    assert found.severity == "info" and "(" in found.message


def test_a_template_parameter_is_no_macro() -> None:
    text = """template <int F> void add(int a[16], int b[16]) {
  for (int i = 0; i < 16; i++) {
#pragma HLS unroll factor=F
    b[i] = a[i];
  }
}
void top(int a[16], int b[16]) { add<4>(a, b); }
"""
    assert [d.rule for d in lint_of({"k.cpp": text}).diagnostics if d.rule == "HLP108"] == []
    macro = "#define F 4\n" + text.replace("template <int F> ", "").replace("<4>", "")
    assert [d.rule for d in lint_of({"k.cpp": macro}).diagnostics if d.rule == "HLP108"] == ["HLP108"]


def test_a_partition_is_named_as_the_pragma_names_it() -> None:
    text = """static void sums(int A[8][8], int s[8]) {
  for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
    int t = 0;
    for (int k = 0; k < 8; k++) t += A[i][k];
    s[i] = t;
  }
}
void top(int s[8], int x) {
  int table[8][8];
#pragma HLS array_partition variable=table cyclic factor=4 dim=1
#pragma HLS bind_storage variable=table type=ram_2p
  for (int i = 0; i < 8; i++) for (int k = 0; k < 8; k++) table[i][k] = x * i + k;
  sums(table, s);
}
"""
    (found,) = (d for d in lint_of(text).diagnostics if d.rule == "HLP207")
    assert found.message.startswith("'table' is partitioned in dim 1; in dim 2 loop ")


def test_loops_that_are_all_unrolled_decide_a_bank() -> None:
    text = """void f(int in[4][5], int *o) {
  int A[20];
#pragma HLS array_partition variable=A complete
  for (int i = 0; i < 4; i++) {
#pragma HLS unroll
    for (int j = 0; j < 5; j++) {
#pragma HLS unroll
      A[i * 5 + j] = in[i][j];
    }
  }
  *o = A[3];
}
"""
    assert [d.rule for d in lint_of(text).diagnostics if d.rule == "HLP205"] == []
    once = text.replace("#pragma HLS unroll\n", "", 1)
    assert [d.rule for d in lint_of(once).diagnostics if d.rule == "HLP205"] == ["HLP205"]


def test_hints_of_a_port_that_limits_a_loop() -> None:
    body = """  for (int i = 0; i < 16; i++) {
#pragma HLS pipeline II=2
    B[i] = A[i] + A[i + 16] + A[i + 32] + A[i + 48] + A[i + 64];
  }
}
"""
    memory = lint_of("void f(int A[96], int B[16]) {\n" + body).diagnostics
    assert [(d.rule, d.hint) for d in memory] == [
        ("HLP201", "#pragma HLS array_partition variable=A type=block factor=2 dim=1 gives II 2")
    ]
    wild = body.replace("A[i + 16]", "A[B[i]]")
    longer = wild.replace("i < 16", "i < 64").replace("32", "128").replace("48", "192").replace("i + 64", "i + 256")
    few, many = (f"void f(int A[{6 * n}], int B[{n}]) {{\n" + text for n, text in ((16, wild), (64, longer)))
    assert [d.hint for d in lint_of(many).diagnostics if d.rule == "HLP201"] == [
        "#pragma HLS array_partition variable=A type=block factor=2 dim=1 gives II 2"
    ]
    hints = [d.hint for d in lint_of(few).diagnostics if d.rule == "HLP201"]  # a division may take longer
    assert hints == ["at least 2 banks are needed; hlspart advise ranks the ways"]
    bus = lint_of(
        "void f(int A[96], int B[16]) {\n#pragma HLS interface m_axi port=A depth=96 bundle=g0\n" + body
    ).diagnostics
    assert [(d.rule, d.hint) for d in bus] == [
        ("HLP201", "copy what an iteration needs of 'A' into a local array first, or read wider words")
    ]
    assert "5 reads in one iteration (line 5) on 1 port;" in bus[0].message


def test_banks_that_the_tool_decides_by_itself_are_no_finding() -> None:
    text = """void f(int A[16], int s[16], int n) {
  int t[16];
#pragma HLS array_partition variable=t complete
  for (int i = 0; i < n; i++) {
    int r = A[i % 16];
    for (int j = 0; j < 16; j++) t[j] = r + (i ? t[j] : 0);
    A[i % 16] = r + 1;
  }
  for (int j = 0; j < 16; j++) {
#pragma HLS unroll
    s[j] = t[j];
  }
}
"""
    assert {d.rule for d in lint_of(text).diagnostics} <= {"HLP217"}
    off = text.replace("i < n; i++) {\n", "i < n; i++) {\n#pragma HLS pipeline off\n")
    assert "HLP205" in [d.rule for d in lint_of(off).diagnostics]


def test_a_better_dimension_slows_no_other_loop() -> None:
    row, column = "t += A[i][j];\n    p[i] = t;", "t += A[j][i];\n    q[i] = t;"
    loop = (
        "  for (int i = 0; i < 16; i++) {{\n#pragma HLS pipeline II=1\n    int t = 0;\n"
        "    for (int j = 0; j < 16; j++) {}\n  }}\n"
    )
    head = "void f(int A[16][16], int p[16], int q[16]) {\n"
    head += "#pragma HLS array_partition variable=A cyclic factor=8 dim=2\n"
    alone = lint_of(head + loop.format(column) + "}\n").diagnostics
    assert "HLP207" in [d.rule for d in alone]
    both = lint_of(head + loop.format(row) + loop.format(column) + "}\n").diagnostics
    assert [d.rule for d in both if d.severity == "warning"] == ["HLP201"]


def test_nothing_is_said_of_banks_where_no_loop_is_pipelined() -> None:
    text = """void f(int A[64], int B[64]) {
#pragma HLS array_partition variable=A cyclic factor=16
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline off
#pragma HLS unroll factor=4
    B[i] = A[i];
  }
}
"""
    assert "HLP302" not in [d.rule for d in lint_of(text).diagnostics]


def test_what_a_missing_header_decides_is_not_told_beside_it() -> None:
    text = """#include "missing.h"
void f(int in[64], int out[64]) {
  hls::Window<5, 1, int> w;
  for (int c = 0; c < 64; c++) {
#pragma HLS pipeline II=1
    for (int i = 0; i < 5; i++) w.insert(in[c], i, 0);
    out[c] = w.getval(0, 0);
  }
}
"""
    for lines in (text, text.replace("w.insert(in[c], i, 0)", "out[i] = in[c]").replace("i < 5", "i < TAPS")):
        for name in ("k.cpp", "k.h", "k.hpp"):
            assert [(d.rule, d.place.line) for d in lint_of({name: lines}).diagnostics] == [("HLP006", 1)]


def test_a_factor_above_the_iterations_unrolls_all_of_them() -> None:
    text = """void f(int A[64], int s[64]) {
#pragma HLS array_partition variable=A cyclic factor=8
  for (int i = 0; i < 61; i++) {
#pragma HLS pipeline off
    int t = 0;
    for (int j = 0; j < 3; j++) {
#pragma HLS unroll factor=16
      t += A[i + j];
    }
    s[i] = t;
  }
}
"""
    assert "HLP206" not in [d.rule for d in lint_of(text).diagnostics]
    assert "HLP206" in [d.rule for d in lint_of(text.replace("factor=16", "factor=2")).diagnostics]


def test_a_struct_template_that_nothing_names_has_no_extent_to_ask_for() -> None:
    text = "template <int N> struct S {\n  int A[N];\n};\nint f(int i) {\n  return i;\n}\n"
    assert [d.rule for d in lint_of({"k.cpp": text}).diagnostics] == []
    used = text.replace("return i;", "S<8> s = {{1}};\n  return s.A[i & 7];")
    assert [d.rule for d in lint_of({"k.cpp": used}).diagnostics] == []


FILLED = """void f(const int in[64], int out[64]) {
  int t[16][4];
#pragma HLS array_partition variable=t TYPE dim=2
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline II=1
    t[i / 4][i % 4] = in[i];
  }
  for (int i = 0; i < 13; i++) {
#pragma HLS pipeline II=1
    out[i] = t[i][0] + t[i + 1][0] + t[i + 2][1];
  }
}
"""


@pytest.mark.parametrize(("kind", "rule"), [("complete", "HLP205"), ("cyclic factor=2", "HLP203")])
def test_an_open_bank_that_costs_no_cycle_is_for_information(kind: str, rule: str) -> None:
    found = [d for d in lint_of(FILLED.replace("TYPE", kind)).diagnostics if d.rule == rule]
    assert [(d.severity, d.place.line) for d in found] == [("info", 6)]
    assert found[0].hint is not None
    assert found[0].hint.startswith("no pipelined loop is slower by it; ")


def test_the_warning_stands_at_the_loop_that_loses_cycles() -> None:
    text = """void f(const int in[64], int out[64]) {
  int a[64];
#pragma HLS array_partition variable=a cyclic factor=3
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline II=1
    a[i] = in[i];
  }
  for (int i = 0; i < 62; i++) {
#pragma HLS pipeline II=1
    out[i] = a[i] + a[i + 1] + a[i + 2];
  }
}
"""
    found = [d for d in lint_of(text).diagnostics if d.rule == "HLP203"]
    assert [(d.severity, d.place.line, d.place.column) for d in found] == [("warning", 10, 14)]
    assert found[0].message.endswith("loop VITIS_LOOP_8_2 has II 2, 1 if it were")
    assert [(r.place.line, r.message) for r in found[0].related] == [(3, "the partition"), (8, "the loop")]


def test_the_hint_about_an_array_that_is_not_analysed_fits_the_cause() -> None:
    text = """int f(int n) {
  int A[8];
#pragma HLS array_partition variable=A cyclic factor=2
  BODY
  return A[0];
}
"""
    hints = {
        "for (int i = 0; i < 9; i++) A[i] = n;": "correct the bound or the index",
        "int *p = A; p++; *p = n;": "index the array itself, not a pointer into it",
    }
    for body, hint in hints.items():
        found = [d for d in lint_of(text.replace("BODY", body)).diagnostics if d.rule == "HLP011"]
        assert [d.hint for d in found] == [hint]


def test_types_built_into_the_compiler_need_no_header() -> None:
    text = """typedef __builtin_va_list va_list;
typedef _Float32 single;
extern int vprintf(const char *, va_list);
int f(int A[8], __int128_t x) {
  single y = 1;
  return A[0] + (int)x + (int)y;
}
"""
    assert lint_of(text).broken == ()
    assert lint_of(text.replace("__builtin_va_list", "__builtin_va_lisp")).broken == ("k.c",)


def rows(side: int, loads: int) -> str:
    """Whether the ``side`` loads of ``a`` leave the loop is not known; ``loads`` of ``b`` stay in it on two ports."""
    return f"""void k(int in[{side}][{side}], int b[256], int out[{side}])
{{
    int a[{side}][{side}];
#pragma HLS ARRAY_PARTITION variable=a complete dim=1
    for (int i = 0; i < {side}; i++) for (int j = 0; j < {side}; j++) a[i][j] = in[i][j];
    L: for (int i = 0; i < {side}; i++) {{
#pragma HLS PIPELINE II=1
        int s = 0;
        for (int j = 0; j < {side}; j++) s += a[i][j];
        for (int j = 0; j < {loads}; j++) s += b[i + j];
        out[i] = s;
    }}
}}
"""


@pytest.mark.parametrize(("side", "loads", "known"), [(20, 10, "5..10"), (68, 64, "32..34"), (20, 2, None)])
def test_an_unknown_ii_above_its_target_is_told_by_what_is_certain(side: int, loads: int, known: str | None) -> None:
    told = [d.message for d in lint_of(rows(side, loads)).diagnostics if d.rule == "HLP201"]
    expected = [f"loop L: II {known} instead of 1: b bank 0: {loads} reads in one iteration (line 10) on 2 ports"]
    assert [m.partition(";")[0] for m in told] == (expected if known else [])


def test_a_port_for_bursts_is_no_stream() -> None:
    """hls::burst_maxi is handed on by value, is m_axi, and is read and written (UG1399, Using Manual Burst)."""
    text = """#include <hls_burst_maxi.h>
void top(hls::burst_maxi<int> a, int n) {
#pragma HLS INTERFACE m_axi port=a depth=64
  int t[64];
  a.read_request(0, 64);
  for (int i = 0; i < 64; i++) t[i] = a.read();
  a.write_request(0, 64);
  for (int i = 0; i < 64; i++) a.write(t[i] + n);
  a.write_response();
}
"""
    report = lint_of({"k.cpp": text})
    assert not report.broken
    assert [str(d) for d in report.diagnostics if d.severity != "info"] == []
    assert [
        d.rule for d in lint_of({"k.cpp": text.replace("burst_maxi<", "stream<")}).diagnostics if d.rule == "HLP418"
    ]


def test_an_extent_that_is_not_computed_is_not_said_to_make_one_bank() -> None:
    text = """template <int N> int f(int x) {
  int t[Power<2, N>::Value] = {};
#pragma HLS ARRAY_PARTITION variable=t complete
  return t[x];
}
int top(int x) { return f<4>(x); }
"""
    rules = {d.rule for d in lint_of({"k.cpp": text}).diagnostics}
    assert "HLP307" not in rules
    assert "HLP307" in {d.rule for d in lint_of({"k.cpp": text.replace("Power<2, N>::Value", "1")}).diagnostics}


def test_macros_of_the_command_line_and_of_headers_are_defined() -> None:
    text, fine = "#ifdef __SYNTHESIS\n#endif\nvoid f(int a[2]) { a[0] = 1; }\n", "#define __SYNTHESIS 1\n"
    assert [d.rule for d in lint_of(text).diagnostics] == ["HLP116"]
    assert [d.rule for d in lint_of({"k.c": '#include "k.h"\n' + text, "k.h": fine}).diagnostics] == []
    assert [d.rule for d in lint_of(text, defines=("__SYNTHESIS=1",)).diagnostics] == []


def test_information_of_a_kind_is_told_once_a_file() -> None:
    entry = find("HLP302")
    assert entry is not None
    files, options = blocks(entry.section("Example"))
    (found,) = (d for d in lint_of(files, tool=options.get("tool")).diagnostics if d.rule == "HLP302")
    assert found.place.line == 2 and found.message.endswith("(and 1 more place: --select HLP302 tells each)")
    assert 3 in [r.place.line for r in found.related]


def test_the_depth_of_a_test_bench_is_not_about_arguments_that_it_gives() -> None:
    text = """void f(int *m, int at, int b[4]) {
#pragma HLS interface m_axi port=m depth=16
  for (int i = 0; i < 4; i++) b[i] = m[INDEX];
}
"""
    found = {
        index: [d.place.line for d in lint_of(text.replace("INDEX", index)).diagnostics if d.rule == "HLP419"]
        for index in ("at + i", "14 + i")
    }
    assert found == {"at + i": [], "14 + i": [2]}


def test_a_pipeline_that_gives_way_to_tasks_has_no_ii() -> None:
    text = """static void one(const int a[32], int t[32]) { for (int i = 0; i < 32; i++) t[i] = a[i]; }
static void two(const int t[32], int b[32]) { for (int i = 0; i < 32; i++) b[i] = t[i]; }
static void stage(const int a[32], int b[32]) {
#pragma HLS DATAFLOW
  int t[32];
  one(a, t);
  two(t, b);
}
void f(const int a[8][32], int b[8][32]) {
  for (int k = 0; k < 8; k++) {
#pragma HLS PIPELINE II=1
    stage(a[k], b[k]);
  }
}
"""
    found = {d.rule: d for d in lint_of(text).diagnostics}
    assert found["HLP608"].place.line == 11 and [r.place.line for r in found["HLP608"].related] == [12, 4]
    assert "gives way to DATAFLOW" in found["HLP010"].message and "HLP201" not in found


def test_latency_is_no_open_question_where_every_ii_is_given() -> None:
    text = """void f(const int a[64], int b[64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
#pragma HLS LATENCY max=MOST
    b[i] = a[i] * 3;
  }
}
"""
    found = {most: [d.rule for d in lint_of(text.replace("MOST", most)).diagnostics] for most in ("40", "1")}
    assert "HLP012" not in found["40"] and "HLP012" in found["1"]


def test_findings_that_differ_in_the_arguments_of_a_template_are_one() -> None:
    text = """#include <hls_task.h>
template <int N> void one(hls::stream<int> &s, hls::stream<int> &t) { t.write(s.read() + N); }
template <int N> void both(hls::stream<int> &in, hls::stream<int> &out) {
  hls_thread_local hls::stream<int> mid;
  hls_thread_local hls::task first(one<N>, in, mid);
}
void f(hls::stream<int> &a, hls::stream<int> &b) { both<1>(a, b); }
void g(hls::stream<int> &a, hls::stream<int> &b) { both<2>(a, b); }
"""
    found = [d for d in lint_of({"k.cpp": text}).diagnostics if d.rule == "HLP617"]
    assert [d.place.line for d in found] == [5]


def test_what_a_compiler_computes_is_no_recursion() -> None:
    text = "int fac(int n) { return n < 2 ? 1 : n * fac(n - 1); }\n"
    text += "constexpr int log2of(int x) { return x < 2 ? 0 : 1 + log2of(x / 2); }\n"
    text += "void top(int a[8], int n) {\n#pragma HLS PIPELINE\n  a[log2of(8)] = fac(n);\n}\n"
    assert [d.message.split(" ")[0] for d in lint_of({"t.cpp": text}).diagnostics if d.rule == "HLP428"] == ["fac()"]


def test_a_bare_name_means_what_is_declared_above() -> None:
    text = """#include <math.h>
namespace nn {
template <typename C, int N> void init(float t[N]) { for (int i = 0; i < N; i++) t[i] = tanh(i * 0.1f); }
template <typename T, typename C> void tanh(T d[8], T r[8]) {
#pragma HLS INLINE
  float t[16];
  init<C, 16>(t);
  for (int i = 0; i < 8; i++) r[i] = t[i];
#pragma HLS INLINE recursive
}
}
"""
    assert [d for d in lint_of({"t.cpp": text}).diagnostics if d.severity == "error"] == []


def test_a_variable_in_what_is_not_read_is_not_unknown() -> None:
    text = """template <typename T> void top(T const &f, int o[8]) {
  decltype(f.init(0, 0)) accu[8];
#pragma HLS ARRAY_PARTITION variable=accu complete
#pragma HLS ARRAY_PARTITION variable=acku complete
  for (int i = 0; i < 8; i++) o[i] = accu[i];
}
"""
    messages = [d.message for d in lint_of({"t.cpp": text}).diagnostics if d.rule == "HLP401"]
    assert messages == ["ARRAY_PARTITION: no variable 'acku'"]
