"""Correct kernels that look like mistakes: lint says nothing about them."""

from __future__ import annotations

import pytest
from lint_helpers import lint_of

from hlspart.lint.config import LintConfig

STREAMS = "#include <hls_stream.h>\n"
LOOP = "for (int i = 0; i < 64; i++)"
NEAR = {
    "axis_port_of_packed_bits": (
        "k.cpp",
        "HLP427",
        STREAMS + "struct m { bool a; short b; };\nvoid f(hls::stream<m> &in, hls::stream<m> &out) {\n"
        "#pragma HLS INTERFACE axis port=in\n#pragma HLS INTERFACE axis port=out\n"
        "#pragma HLS AGGREGATE variable=in compact=bit\n#pragma HLS AGGREGATE variable=out compact=bit\n"
        "  out.write(in.read());\n}\n",
    ),
    "interrupt_of_a_valid_signal": (
        "k.cpp",
        "HLP418",
        "void f(int a, int *c) {\n#pragma HLS INTERFACE s_axilite port=c\n"
        "#pragma HLS INTERFACE ap_vld port=c interrupt=16\n  *c = a;\n}\n",
    ),
    "ports_of_one_buffer": (
        "k.cpp",
        "HLP429",
        "void f(int *a, int *b) {\n#pragma HLS INTERFACE m_axi port=a bundle=x depth=64 offset=direct\n"
        "#pragma HLS INTERFACE m_axi port=b bundle=y depth=64 offset=direct\n#pragma HLS ALIAS ports=a,b distance=0\n"
        f"  {LOOP} b[i] = a[i] + 1;\n}}\n",
    ),
    "stable_registers_and_inputs_of_tasks": (
        "k.cpp",
        "HLP430",
        "#include <hls_task.h>\n"
        + STREAMS
        + "void f(int a, int &c) {\n#pragma HLS INTERFACE s_axilite port=a\n#pragma HLS STABLE variable=a\n"
        "#pragma HLS INTERFACE s_axilite port=c\n#pragma HLS INTERFACE s_axilite port=return\n  c = a;\n}\n"
        "void inc(hls::stream<int> &i, hls::stream<int> &o, int *m) {\n  int v = i.read();\n  o.write(v + m[v]);\n}\n"
        "void g(hls::stream<int> &in, hls::stream<int> &out, int *m) {\n"
        "#pragma HLS INTERFACE m_axi port=m depth=16 offset=direct\n#pragma HLS STABLE variable=m\n"
        "  hls_thread_local hls::task t(inc, in, out, m);\n}\n",
    ),
    "streams_of_a_test": (
        "k.cpp",
        "HLP613",
        STREAMS + "void f(hls::stream<int> &in, hls::stream<int> &out, int n);\nbool test(int n) {\n"
        "  hls::stream<int> a, b;\n  for (int i = 0; i < n; i++) a.write(i);\n  f(a, b, n);\n"
        "  for (int i = 0; i < n; i++)\n    if (b.read() != i) return false;\n  return true;\n}\n"
        "int main(int n, char **v) {\n  hls::stream<int> s;\n  for (int i = 0; i < n; i++) s.write(i);\n"
        "  int sum = 0;\n  while (!s.empty()) sum += s.read();\n  return sum + test(n);\n}\n",
    ),
    "range_of_bits_that_is_shifted": (
        "k.cpp",
        "HLP450",
        "#include <ap_int.h>\nvoid f(ap_uint<32> x, ap_uint<64> &y) {\n  ap_uint<64> r = 0;\n"
        "  for (int i = 0; i < 4; i++) r |= x.range(7, 0) << (8 * i);\n"
        "  for (int i = 0; i < 4; i++) r |= x(7, 0) << (8 * i);\n  y = r;\n}\n",
    ),
    "occurrence_of_a_called_function": (
        "k.cpp",
        "HLP225",
        "static void sub(const int a[64], int c[16], int i) {\n#pragma HLS INLINE\n#pragma HLS OCCURRENCE cycle=4\n"
        "  c[i / 4] = a[i] / 3;\n}\nvoid f(const int a[64], int b[64], int c[16]) {\n"
        f"  {LOOP} {{\n#pragma HLS PIPELINE II=1\n    b[i] = a[i];\n    if (i % 4 == 3) sub(a, c, i);\n  }}\n}}\n",
    ),
    "latency_of_a_region_of_an_inlined_function": (
        "k.cpp",
        "HLP459",
        "static int g(int x) {\n#pragma HLS INLINE\n  int y;\n  {\n#pragma HLS LATENCY min=1 max=1\n    y = x * 3;\n"
        f"  }}\n  return y;\n}}\nvoid f(const int a[64], int b[64]) {{\n  {LOOP} b[i] = g(a[i]);\n}}\n",
    ),
    "loops_to_merge_under_a_condition": (
        "k.cpp",
        "HLP223",
        "void f(const int a[64], int b[64], int c[64], int k) {\n#pragma HLS LOOP_MERGE\n  if (k) {\n"
        f"    {LOOP} b[i] = a[i] + 1;\n    {LOOP} c[i] = a[i] * 2;\n  }}\n}}\n",
    ),
    "limit_of_calls_in_an_inlined_function": (
        "k.cpp",
        "HLP426",
        "static int g(int x) {\n#pragma HLS INLINE off\n  return x / 3;\n}\nstatic int h(int x) {\n#pragma HLS INLINE\n"
        "  return g(x) + g(x + 1);\n}\nvoid f(int a, int b, int *c) {\n"
        "#pragma HLS ALLOCATION function instances=g limit=3\n  *c = h(a) + h(b);\n}\n",
    ),
    "latency_of_two_regions": (
        "k.cpp",
        "HLP407",
        "void f(int a, int b, int *c) {\n  int t;\n  {\n#pragma HLS LATENCY min=0 max=0\n    t = a + b;\n  }\n"
        "  {\n#pragma HLS LATENCY min=4\n    *c = t * 3;\n  }\n}\n",
    ),
    "bounds_that_pointers_references_and_calls_move": (
        "k.cpp",
        "HLP454",
        "int count;\nvoid more() { count++; }\nvoid f(int *o, int n, volatile int &m) {\n  int *p = &n;\n"
        "  for (int i = 0; i < n; i++) {\n    *p = o[i];\n    if (i == n) o[0] = 1;\n  }\n"
        "  for (int i = 0; i < count; i++) {\n    o[i] = 0;\n    more();\n    count -= 2;\n  }\n"
        "  for (int i = 0; i < m; i++)\n    if (i == m) o[1] = 1;\n}\n"
        "int last;\nvoid less() { last--; }\n"
        "void g(int *o) {\n  for (int i = 0; i < last; i++) {\n    less();\n    if (i >= last) o[0] = 1;\n  }\n}\n",
    ),
    "shift_registers_filled_by_hand_or_by_a_task": (
        "k.cpp",
        "HLP458",
        "#include <ap_shift_reg.h>\nint f(int a, int b) {\n  ap_shift_reg<int, 4> line;\n  line.shift(a);\n"
        "  line.shift(b);\n  return line.read(0) + line.read(1);\n}\n"
        "void feed(ap_shift_reg<int, 4> &l, int x) { l.shift(x); }\n"
        "int g(int a[16]) {\n  ap_shift_reg<int, 4> line;\n  int s = 0;\n  line.shift(0);\n"
        "  for (int i = 0; i < 16; i++) {\n    feed(line, a[i]);\n    s += line.read(3);\n  }\n  return s;\n}\n"
        "template <int A> int at(ap_shift_reg<int, 4> &l) {\n  if (A < 4) return l.read(A);\n  return 0;\n}\n"
        "int h(int x) {\n  static ap_shift_reg<int, 4> line;\n  line.shift(x);\n"
        "  return at<2>(line) + at<7>(line);\n}\n",
    ),
    "input_that_is_limited_inside": (
        "k.cpp",
        "HLP418",
        "void f(int cfg, int out[8]) {\n#pragma HLS INTERFACE ap_stable port=cfg\n  if (cfg < 0) cfg = 0;\n"
        "  for (int i = 0; i < 8; i++) out[i] = cfg;\n}\n",
    ),
    "endless_loop_in_a_called_function": (
        "k.cpp",
        "HLP420",
        "void run(int a[8], int b[8]) {\n  for (;;)\n    for (int i = 0; i < 8; i++) b[i] = a[i];\n}\n"
        "void f(int a[8], int b[8]) {\n#pragma HLS INTERFACE ap_memory port=a\n#pragma HLS INTERFACE ap_memory port=b\n"
        "#pragma HLS INTERFACE ap_ctrl_none port=return\n  run(a, b);\n}\n",
    ),
    "extent_of_what_a_task_writes": (
        "k.cpp",
        "HLP606",
        "void make(int a[8], int b[8]) {\n  for (int i = 0; i < 8; i++) b[i] = a[i];\n}\n"
        "void take(int b[8], int n, int o[8]) {\n  for (int i = 0; i < 8; i++) o[i] = b[i] + n;\n}\n"
        "void f(int a[8], int o[8]) {\n#pragma HLS DATAFLOW\n  int b[8];\n  make(a, b);\n"
        "  const int n = sizeof(b) / sizeof(b[0]);\n  take(b, n, o);\n}\n",
    ),
    "few_bits_of_a_wide_type": (
        "k.cpp",
        "HLP452",
        "#include <ap_int.h>\nvoid f(ap_int<48> a, long o[2]) {\n  o[0] = (a >> 20).to_int();\n"
        "  o[1] = (a & 255).to_int();\n}\n",
    ),
    "arguments_of_what_only_simulation_prints": (
        "k.cpp",
        "HLP616",
        "void say(const char *f, ...) {\n#ifndef __SYNTHESIS__\n  (void)f;\n#endif\n}\n"
        'void f(int o[8]) {\n#pragma HLS PIPELINE\n  say("%d", o[0]);\n  for (int i = 0; i < 8; i++) o[i] = i;\n}\n',
    ),
    "records_with_room_at_their_end": (
        "k.c",
        "HLP442",
        "#include <string.h>\ntypedef struct {\n  unsigned char c[4];\n  unsigned long n;\n  unsigned m;\n} S;\n"
        "int f(const S *p) {\n  S t[1];\n  memcpy(t, p, sizeof(S));\n  return t[0].m;\n}\n",
    ),
    "macro_of_statements_behind_a_directive": (
        "k.c",
        "HLP117",
        "#define STEP s += 1; t += 2\nvoid f(int o[2]) {\n  int s = 0, t = 0;\n#if (MODE)\n  STEP;\n#else\n  STEP;\n"
        "#endif\n  o[0] = s;\n  o[1] = t;\n}\n",
    ),
    "macro_that_is_one_statement_when_it_is_used": (
        "k.c",
        "HLP117",
        "#define CLEAR s = 0; t = 0\n#undef CLEAR\n#define CLEAR s = 0\nvoid f(int n, int o[2]) {\n"
        "  int s = 1, t = 2;\n  if (n) CLEAR;\n  o[0] = s;\n  o[1] = t;\n}\n",
    ),
    "narrow_counter_that_wraps_to_its_end": (
        "k.c",
        "HLP436",
        "void f(int o[256]) {\n  for (signed char i = 1; i != 0; i++) o[i & 255] = i;\n"
        "  for (short i = 1; i > 0; i++) o[i & 255] = i;\n"
        "  for (signed char i = 0; i != 10; i += 3) o[i & 255] = i;\n}\n",
    ),
    "words_of_a_stream_in_two_cases": (
        "k.cpp",
        "HLP457",
        "void f(int &o, int &p, int n) {\n#pragma HLS INTERFACE axis port=o\n#pragma HLS INTERFACE axis port=p\n"
        "  switch (n) {\n  case 1:\n    o = 1;\n    p = 2;\n  case 2:\n    o = 3;\n    p = 4;\n    break;\n  }\n}\n",
    ),
    "last_value_of_a_parameter_through_a_pointer": (
        "k.c",
        "HLP446",
        "void f(int a[4], int n) {\n  int *p = &n;\n  a[0] = n;\n  n = a[1];\n  a[2] = *p;\n}\n",
    ),
    "index_of_which_the_size_is_asked": (
        "k.c",
        "HLP210",
        "int f(const int a[16]) {\n  int s = 0;\n  for (unsigned i = 0; i < 16; i++) s += sizeof(a[i - 1]);\n"
        "  return s;\n}\n",
    ),
    "constant_whose_address_is_taken": (
        "k.cpp",
        "HLP218",
        "struct config {\n  static const unsigned height = 3;\n};\n"
        "static int least(const unsigned &a, int b) { return (int)a < b ? (int)a : b; }\n"
        "template <typename C> void g(const int a[8], int o[8], int n) {\n  int k = least(C::height, n);\n"
        "  for (int i = 0; i < C::height; i++) {\n#pragma HLS UNROLL\n    o[i] = a[i] + k;\n  }\n}\n"
        "void f(const int a[8], int o[8], int n) { g<config>(a, o, n); }\n",
    ),
    "element_that_another_file_fills": (
        "k.cpp",
        "HLP437",
        "void fill(int x, int &y);\nvoid f(const int a[64], int o[64]) {\n  int t[64];\n"
        f"  {LOOP} fill(a[i], t[i]);\n}}\n",
    ),
    "argument_that_gives_a_first_value": (
        "k.cpp",
        "HLP446",
        "static unsigned mix(unsigned x) {\n  unsigned z = (x += 0x9e3779b9u);\n  return z ^ (z >> 15);\n}\n"
        f"void f(const unsigned a[64], unsigned o[64]) {{\n  {LOOP} o[i] = mix(a[i]);\n}}\n",
    ),
    "truth_values_by_one_sign": (
        "k.cpp",
        "HLP444",
        "void f(const int a[64], const bool b[64], bool o[64]) {\n"
        f"  {LOOP} o[i] = (a[i] == 1 & !b[i]) | (a[i] == 3 & b[i]);\n}}\n",
    ),
    "interval_by_the_command_line": (
        "k.c",
        "HLP104",
        f"void f(const int a[64], int o[64]) {{\n  {LOOP} {{\n#pragma HLS PIPELINE II=Interval_of_F\n"
        "    o[i] = a[i];\n  }\n}\n",
    ),
    "parameter_that_says_less_than_its_array": (
        "k.c",
        "HLP210",
        "static void g(int t[4], const int a[8]) {\n  for (int i = 0; i < 8; i++) t[i] = a[i];\n}\n"
        "void f(const int a[8], int o[8]) {\n  int t[8];\n  g(t, a);\n  for (int i = 0; i < 8; i++) o[i] = t[i];\n}\n",
    ),
    "halves_by_an_offset": (
        "k.c",
        "HLP210",
        "static int g(int n, const int c[], const int a[128], int at) {\n  int s = 0;\n"
        "  for (int i = 0; i < n; i++) s += a[i + at] * c[i];\n  return s;\n}\n"
        "void f(const int a[64], const int b[128], const int c[64], int o[2]) {\n"
        "  o[0] = g(64, c, a, 0);\n  o[1] = g(64, c, b, 64);\n}\n",
    ),
    "limit_of_adders_that_count": (
        "k.c",
        "HLP426",
        "int f(const int a[64], int n) {\n#pragma HLS ALLOCATION operation instances=add limit=1\n  int k = 0;\n"
        "  for (int i = 0; i < 64; i++)\n    if (a[i] == n) k = i;\n  return k;\n}\n",
    ),
    "two_numbers_of_a_template": (
        "k.cpp",
        "HLP451",
        "template <int BINS, int RANGE> void g(const int a[64], int o[64]) {\n  for (int i = 0; i < 64; i++)\n"
        "    o[i] = (BINS <= a[i]) && (RANGE <= a[i]);\n}\n"
        "void f(const int a[64], int o[64]) { g<8, 8>(a, o); }\n",
    ),
    "else_that_cannot_be": (
        "k.c",
        "HLP437",
        f"void f(const int a[64], const int b[64], int o[64]) {{\n  {LOOP} {{\n"
        "    int d;\n    int m = a[i] > b[i] ? a[i] : b[i];\n"
        "    if (m == a[i]) d = 1;\n    else if (m == b[i]) d = 2;\n    else {\n    }\n    o[i] = d;\n  }\n}\n",
    ),
    "element_that_a_call_fills": (
        "k.cpp",
        "HLP437",
        f"void g(int x, int &y) {{ y = x; }}\nvoid f(const int a[64], int o[64]) {{\n  int t[64];\n"
        f"  {LOOP} g(a[i], t[i]);\n  {LOOP} o[i] = t[i];\n}}\n",
    ),
    "loop_of_no_iterations": (
        "k.cpp",
        "HLP437",
        "template <int N> void g(const int a[8], int o[8]) {\n  int t[N];\n"
        "  for (int i = 0; i < N - 2; i++) t[i] = a[i];\n"
        "  t[N - 2] = a[0];\n  for (int i = 0; i < N - 2; i++) o[i] = t[i + 1];\n}\n"
        "void f(const int a[8], int o[8]) { g<2>(a, o); }\n",
    ),
    "two_words_of_a_fifo": (
        "k.c",
        "HLP457",
        f"void f(const int a[64], int o[128]) {{\n#pragma HLS INTERFACE ap_fifo port=o\n  {LOOP} {{\n"
        "    o[i] = a[i];\n    o[i] = a[i] * 2;\n  }\n}\n",
    ),
    "default_of_a_port_read_twice": (
        "k.c",
        "HLP434",
        "void f(int *x, int *o) {\n#pragma HLS INTERFACE ap_hs port=x\n  int s = 0;\n  s += *x;\n  s += *x * 2;\n"
        "  *o = s;\n}\n",
    ),
    "window_that_is_shifted_before_it_is_full": (
        "k.c",
        "HLP437",
        f"void f(const int a[64], int o[64]) {{\n  int w[3];\n  {LOOP} {{\n    w[0] = w[1];\n    w[1] = w[2];\n"
        "    w[2] = a[i];\n"
        "    if (i >= 2) o[i] = w[0] + w[1] + w[2];\n  }\n}\n",
    ),
    "else_of_the_inner_if": (
        "k.c",
        "HLP453",
        f"void f(const int a[64], int o[64], int n) {{\n  {LOOP}\n    if (a[i] > 0)\n      if (a[i] > n) o[i] = n;\n"
        "      else o[i] = a[i];\n}\n",
    ),
    "half_of_an_array_by_bytes": (
        "k.c",
        "HLP442",
        "#include <string.h>\nvoid f(const int a[64], int o[64]) {\n  memcpy(o, a, 32 * sizeof(long long));\n}\n",
    ),
    "last_value_of_a_parameter_is_read_in_the_next_round": (
        "k.c",
        "HLP446",
        "void f(int n, int d, int *o) {\n  int s = 0;\n  while (n > 0) {\n    s += n;\n    n = n - d;\n  }\n"
        "  *o = s;\n}\n",
    ),
    "product_of_differences_of_bytes": (
        "k.c",
        "HLP452",
        f"void f(const unsigned char a[64], const unsigned char b[64], long long *o) {{\n  long long s = 0;\n"
        f"  {LOOP} s += (a[i] - b[i]) * (a[i] - b[i]);\n  *o = s;\n}}\n",
    ),
    "product_by_a_sign": (
        "k.c",
        "HLP452",
        f"void f(const unsigned char w[64], const short x[64], long long *o) {{\n  long long s = 0;\n"
        f"  {LOOP} s += (w[i] ? 1 : -1) * x[i];\n  *o = s;\n}}\n",
    ),
    "product_by_a_test": (
        "k.c",
        "HLP452",
        f"void f(const int w[64], const int x[64], long long *o) {{\n  long long s = 0;\n"
        f"  {LOOP} s += (w[i] > 0) * x[i];\n  *o = s;\n}}\n",
    ),
    "signed_number_shifted_to_the_sign": (
        "k.c",
        "HLP452",
        f"void f(const short x[64], long long o[64]) {{\n  {LOOP} o[i] = x[i] << 16;\n}}\n",
    ),
    "abs_of_c_takes_a_signed_number": (
        "k.c",
        "HLP452",
        "#include <stdlib.h>\nvoid f(const unsigned a[64], const unsigned b[64], unsigned *o) {\n  unsigned s = 0;\n"
        f"  {LOOP} s += abs(a[i] - b[i]);\n  *o = s;\n}}\n",
    ),
    "fixed_point_number_of_a_float": (
        "k.c",
        "HLP452",
        f"void f(const float a[64], int b[64]) {{\n  {LOOP} {{\n    int q = (int)(a[i] * 8388608.0f);\n"
        "    b[i] = q >> 23;\n  }\n}\n",
    ),
    "bits_taken_later": (
        "k.c",
        "HLP452",
        f"void f(const float a[64], int b[64]) {{\n  {LOOP} {{\n    float x = a[i];\n    int u = (int)x;\n"
        "    b[i] = u;\n    u = *(int *)&x;\n    b[i] += (u >> 23) & 255;\n  }\n}\n",
    ),
    "inner_variable_before_the_outer_one": (
        "k.c",
        "HLP455",
        "void f(const int a[64], int o[2]) {\n  {\n    int s = 0;\n"
        f"    {LOOP} s += a[i];\n    o[0] = s;\n  }}\n  int s = 5;\n  o[1] = s;\n}}\n",
    ),
    "outer_variable_changed_by_a_reference": (
        "k.cpp",
        "HLP455",
        f"void f(const int a[64], int o[65]) {{\n  int s = 0;\n  int &r = s;\n  {LOOP} {{\n    r += a[i];\n"
        "    int s = a[i];\n    s += 1;\n    o[i] = s;\n  }\n  o[64] = s;\n}\n",
    ),
    "unsigned_number_and_minus_one": (
        "k.c",
        "HLP451",
        f"void f(const unsigned a[64], int b[64]) {{\n  {LOOP} b[i] = a[i] >= 5 && a[i] <= -1;\n}}\n",
    ),
    "volatile_word_dropped": (
        "k.c",
        "HLP457",
        "int next(volatile int *p) { return *p; }\nvoid f(volatile int *p, int *o) {\n  next(p);\n  *o = next(p);\n}\n",
    ),
    "member_set_through_which_a_pointer_looks": (
        "k.cpp",
        "HLP457",
        STREAMS + "struct P { int x; int y; };\nvoid f(hls::stream<P> &o) {\n  P p;\n  P *q = &p;\n  p.x = 1;\n"
        "  p.y = 2;\n  o.write(*q);\n}\n",
    ),
    "element_that_says_which_one": (
        "k.c",
        "HLP457",
        "void f(int b[8]) {\n  for (int i = 0; i < 4; i++) {\n    b[b[0]] = 1;\n    b[b[0]] = 2;\n  }\n}\n",
    ),
    "loop_that_waits": (
        "k.cpp",
        "HLP453",
        STREAMS + "void f(hls::stream<int> &s, hls::stream<int> &o) {\n  int v = 0;\n  while (!s.read_nb(v));\n"
        "  {\n    o.write(v);\n  }\n}\n",
    ),
    "macro_of_another_branch": (
        "k.c",
        "HLP117",
        "#ifdef WIDE\n#define W 8 + 1\n#else\n#define W 9\n#endif\nvoid f(int o[1]) { o[0] = W * 2; }\n",
    ),
    "static_function_of_a_header": (
        "k.h",
        "HLP456",
        f"static void f(const int a[64], int b[64]) {{\n#pragma HLS interface mode=ap_memory port=a\n"
        f"  {LOOP} b[i] = a[i];\n}}\n",
    ),
    "infinity": (
        "k.c",
        "HLP",
        f"void f(const int a[64], int b[64]) {{\n  {LOOP} b[i] = a[i] == 1e999;\n}}\n",
    ),
    "shift_behind_a_continue": (
        "k.c",
        "HLP450",
        f"void f(const unsigned a[64], unsigned b[64]) {{\n  {LOOP} {{\n    if (i >= 32) continue;\n"
        "    b[i] = a[0] >> i;\n  }\n}\n",
    ),
    "shift_under_a_test_of_a_copy": (
        "k.c",
        "HLP450",
        f"void f(const unsigned a[64], unsigned b[64]) {{\n  {LOOP} {{\n    int k = i;\n"
        "    if (k < 32) b[i] = a[0] >> i;\n  }\n}\n",
    ),
    "bytes_counted_in_words": (
        "k.c",
        "HLP442",
        "#include <string.h>\nvoid f(const char a[64], int b[16]) {\n  char t[64];\n  memcpy(t, a, 64);\n"
        "  for (int i = 0; i < sizeof(t) / sizeof(int); i++) b[i] = t[4 * i];\n}\n",
    ),
    "word_that_says_there_was_none": (
        "k.cpp",
        "HLP431",
        STREAMS + "void f(hls::stream<int> &s, hls::stream<int> &o) {\n  for (int i = 0; i < 9; i++) {\n"
        "    int v = -1;\n    if (!s.empty()) v = s.read();\n    o.write(v);\n  }\n}\n",
    ),
    "room_asked_for_by_a_return": (
        "k.cpp",
        "HLP431",
        STREAMS + "void f(hls::stream<int> &s, hls::stream<int> &o) {\n  if (o.full() || s.empty()) return;\n"
        "  o.write_nb(3);\n}\n",
    ),
    "room_asked_for_in_several_streams": (
        "k.cpp",
        "HLP431",
        STREAMS + "void f(hls::stream<int> &s, hls::stream<int> &o, hls::stream<int> &q) {\n"
        "  bool none = o.full() || q.full();\n  if (none) return;\n  int v = s.read();\n  o.write_nb(v);\n"
        "  q.write_nb(v);\n}\n",
    ),
    "room_asked_for_by_the_other_arm": (
        "k.cpp",
        "HLP431",
        STREAMS + "void f(hls::stream<int> &s, hls::stream<int> &o, hls::stream<int> &q) {\n  int lost = 0;\n"
        "  if (o.full() | q.full()) {\n    lost++;\n  } else {\n    o.write_nb(3);\n    q.write_nb(4);\n  }\n}\n",
    ),
    "bytes_of_a_word_of_vectors": (
        "k.cpp",
        "HLP443",
        "#include <ap_axi_sdata.h>\n#include <hls_vector.h>\n"
        + STREAMS
        + "typedef hls::axis<hls::vector<int, 4>, 0, 0, 0> word;\nvoid f(hls::stream<word> &o) {\n  word w;\n"
        "  w.keep = 0xffff;\n  w.last = 1;\n  o.write(w);\n}\n",
    ),
    "row_of_banks_behind_a_pointer": (
        "k.c",
        "HLP201",
        "void f(const int x[64], int o[64], int k) {\n  int a[4][64];\n"
        "#pragma HLS ARRAY_PARTITION variable=a cyclic factor=8 dim=2\n"
        "  for (int i = 0; i < 4; i++) for (int j = 0; j < 64; j++) a[i][j] = x[j] + i;\n  int *r = &a[k][0];\n"
        "  for (int j = 0; j < 48; j += 8) {\n#pragma HLS PIPELINE II=1\n"
        "    o[j] = r[j] + r[j + 1] + r[j + 2] + r[j + 3];\n  }\n}\n",
    ),
    "loop_to_a_word": (
        "k.cpp",
        "HLP431",
        STREAMS + "void f(hls::stream<int> &s, hls::stream<int> &o) {\n"
        "  for (int i = 0; s.read() != 3; i++) o.write(i);\n}\n",
    ),
    "registers_that_hand_on_before_they_are_full": (
        "k.cpp",
        "HLP437",
        "void f(const int a[64], int o[64]) {\n  int s0, s1, s2;\n  " + LOOP + " {\n    s0 = s1;\n    s1 = s2;\n"
        "    s2 = a[i];\n    if (i > 1) o[i] = s0 + s1 + s2;\n  }\n}\n",
    ),
    "names_of_the_file_that_includes_this_one": (
        "k.cpp",
        "HLP104",
        "static void f(hls::stream<word_t> &s, grid_t g) {\n  for (int i = 0; i < g.n; i++) {\n"
        "#pragma HLS LOOP_TRIPCOUNT min=min_grid max=max_grid\n    word_t w = s.read();\n  }\n}\n",
    ),
    "partition_of_the_block_behind_a_lock": (
        "k.cpp",
        "HLP404",
        "#include <hls_streamofblocks.h>\ntypedef int block[16];\n"
        "void f(hls::stream_of_blocks<block> &s, int o[16]) {\n  hls::read_lock<block> b(s);\n"
        "#pragma HLS ARRAY_PARTITION variable=b complete\n  for (int i = 0; i < 16; i++) o[i] = b[i];\n}\n",
    ),
    "signed_product_of_all_bits_but_one": (
        "k.cpp",
        "HLP452",
        "#include <ap_int.h>\nvoid f(const ap_int<5> a[64], const ap_int<4> b[64], ap_int<24> o[64]) {\n  "
        + LOOP
        + " {\n    ap_int<8> p = a[i] * b[i];\n    o[i] = p;\n  }\n}\n",
    ),
    "equal_branches_for_one_value_of_an_index": (
        "k.cpp",
        "HLP451",
        "int f(const int a[2][64], int k, int j) {\n  int r;\n  if (k == 0) {\n    r = a[k][j];\n  } else {\n"
        "    r = a[k][j];\n  }\n  return r;\n}\n",
    ),
    "header_and_its_payload": (
        "k.cpp",
        "HLP431",
        STREAMS + "void f(hls::stream<int> &s, hls::stream<int> &o) {\n  if (s.read() == 7) o.write(s.read());\n}\n",
    ),
    "latency_that_an_adder_of_integers_keeps": (
        "k.cpp",
        "HLP226",
        "int f(int a, int b) {\n#pragma HLS LATENCY max=2\n  return a + b;\n}\n",
    ),
    "cache_of_what_is_read_again": (
        "k.cpp",
        "HLP421",
        "void f(const int *a, int o[64]) {\n#pragma HLS INTERFACE m_axi port=a depth=66\n"
        "#pragma HLS CACHE port=a lines=1 depth=16\n  " + LOOP + " o[i] = a[i] + a[i + 1] + a[i + 2];\n}\n",
    ),
    "offset_that_a_loop_leaves_alone": (
        "k.cpp",
        "HLP421",
        "void f(int *g, const int at[8], const int x[64], int o) {\n#pragma HLS INTERFACE m_axi port=g depth=4096\n  "
        + LOOP
        + " {\n#pragma HLS PIPELINE II=1\n    g[o + i + at[o]] = x[i];\n  }\n}\n",
    ),
    "interface_of_a_function_that_is_not_read": (
        "k.cpp",
        "HLP107",
        "void f(ap_uint<32> a[N], AXIS &in) {\n#pragma HLS TOP name = f\n"
        "#pragma HLS INTERFACE mode = ap_vld port = a\n  for (u32 i = 0; i < N; i++) {\n"
        "    ap_axiu<32, 1, 1, 1> t;\n    in >> t;\n    a[i] = t.data;\n  }\n}\n",
    ),
    "copies_that_wait_for_a_stream": (
        "k.cpp",
        "HLP217",
        "#include <ap_int.h>\n" + STREAMS + "void f(hls::stream<ap_uint<64>> &s, hls::stream<ap_uint<64>> &o) {\n"
        "  ap_uint<64> a[64];\n  for (int i = 0; i < 64; i++) {\n#pragma HLS UNROLL\n    a[i] = s.read();\n  }\n"
        "  ap_int<8> m[64][8];\n  for (int i = 0; i < 64; i++)\n    for (int j = 0; j < 8; j++) {\n"
        "      m[i][j] = a[i]((j + 1) * 8 - 1, j * 8);\n    }\n"
        "  for (int i = 0; i < 64; i++)\n    for (int j = 0; j < 8; j++) o.write(m[i][j]);\n}\n",
    ),
    "core_of_the_products_of_two_loops": (
        "k.cpp",
        "HLP305",
        "void f(const float a[64], float b[64], float c[64]) {\n  float p[64];\n  " + LOOP + " {\n"
        "#pragma HLS RESOURCE variable=p core=FMul_fulldsp\n    p[i] = a[i] * 3.0f;\n    b[i] = p[i];\n  }\n  "
        + LOOP
        + " {\n#pragma HLS RESOURCE variable=p core=FMul_fulldsp\n    p[i] = a[i] * 5.0f;\n    c[i] = p[i];\n  }\n}\n",
    ),
    "partition_of_an_extent_that_nobody_knows": (
        "k.c",
        "HLP201",
        "void f(int a[SIZE]) {\n#pragma HLS ARRAY_PARTITION variable=a type=cyclic factor=6 dim=1\n"
        "  for (int i = 0; i < SIZE; i++) {\n#pragma HLS UNROLL factor=2\n#pragma HLS PIPELINE II=1\n"
        "    a[i] = (a[i] << 2) + a[i];\n  }\n}\n",
    ),
    "state_of_an_output_below_the_top": (
        "k.cpp",
        "HLP417",
        "static void part(const int a[64], int &last) {\n#pragma HLS INLINE off\n"
        "#pragma HLS INTERFACE register port=last\n"
        f"  {LOOP} last = a[i];\n}}\nvoid f(const int a[64], int &last) {{\n#pragma HLS INTERFACE ap_none port=last\n"
        "  part(a, last);\n}\n",
    ),
    "bits_of_a_word_one_by_one": (
        "k.cpp",
        "HLP202",
        "#include <ap_int.h>\nvoid f(ap_uint<512> d[2], const int q[512], const int r[512]) {\n"
        "  for (int n = 0; n < 512; n++) {\n#pragma HLS PIPELINE\n    for (int i = 0; i < 64; i++) {\n"
        "      if (q[n] > r[n] + i)\n        d[0].range(2 * i + 1, 2 * i) = 1;\n      else\n"
        "        d[0].range(2 * i + 1, 2 * i) = 2;\n    }\n  }\n}\n",
    ),
    "elements_that_a_test_tells_apart": (
        "k.cpp",
        "HLP202",
        "void f(const unsigned char a[64], short h[256]) {\n  short n = 0;\n  unsigned char old = 0;\n"
        f"  {LOOP} {{\n#pragma HLS PIPELINE II=1\n    unsigned char now = a[i];\n    if (old == now) {{\n      n++;\n"
        "    } else {\n      h[old] = n;\n      n = h[now] + 1;\n    }\n    old = now;\n  }\n  h[old] = n;\n}\n",
    ),
    "word_that_a_constant_was_given_before": (
        "k.cpp",
        "HLP201",
        STREAMS + "void f(hls::stream<int> &n, hls::stream<int> &r) {\n  const int len = n.read();\n"
        "  const int all = (len + 7) / 8;\n  for (int i = 0; i < all; i += 8) {\n#pragma HLS PIPELINE II=8\n"
        "    for (int j = 0; j < 8; j++)\n      if (i + j < all) r.write(i + j);\n  }\n}\n",
    ),
    "partition_in_each_method": (
        "k.cpp",
        "HLP305",
        "#include <ap_int.h>\ntemplate <int N> class Mem {\n  ap_uint<8> n_[1 << N];\n public:\n  Mem() {\n"
        "#pragma HLS ARRAY_PARTITION variable=n_ complete dim=0\n    clear();\n  }\n  void clear() {\n"
        "#pragma HLS ARRAY_PARTITION variable=n_ complete dim=0\n#pragma HLS inline\n"
        "    for (int i = 0; i < (1 << N); i++) {\n#pragma HLS UNROLL\n      n_[i] = 0;\n    }\n  }\n"
        "  ap_uint<8> get(int i) const {\n#pragma HLS ARRAY_PARTITION variable=n_ complete dim=0\n    return n_[i];\n"
        "  }\n};\nvoid f(const int a[8], int b[8]) {\n  Mem<3> m;\n"
        "  for (int i = 0; i < 8; i++) b[i] = a[i] + m.get(i);\n}\n",
    ),
    "core_of_the_sums_of_a_branch": (
        "k.cpp",
        "HLP305",
        "void f(const double a[64], double b[64], bool more) {\n  " + LOOP + " {\n    double t;\n"
        "#pragma HLS RESOURCE variable=t core=DAddSub_nodsp\n    t = a[i] + 3.0;\n    if (more) {\n"
        "      double u = t * a[i];\n#pragma HLS RESOURCE variable=t core=DAddSub_nodsp\n      t = u + 2.0;\n    }\n"
        "    b[i] = t;\n  }\n}\n",
    ),
    "word_that_each_loop_makes": (
        "k.cpp",
        "HLP601",
        STREAMS + "struct word { int v[3]; };\n"
        "void f(const int a[64], hls::stream<word> &s, hls::stream<word> &t, int b[64]) {\n"
        f"#pragma HLS DATAFLOW\n  word w;\n  {LOOP} {{\n    w.v[0] = a[i];\n    w.v[1] = a[i] + 1;\n    w.v[2] = 0;\n"
        f"    s.write(w);\n  }}\n  {LOOP} {{\n    w = t.read();\n    b[i] = w.v[0] + w.v[1];\n  }}\n}}\n",
    ),
    "functions_of_two_enumerations": (
        "k.cpp",
        "HLP002",
        "enum class A { a0 = 0, a1 = 1 };\nenum class B { b0 = 0, b1 = 1 };\nstruct word {\n  int bits;\n"
        "  word(A a, int n = 0) { bits = int(a) + n; }\n  word(B b, int n = 0) { bits = int(b) - n; }\n"
        "  void set(A a) { bits = int(a); }\n  void set(B b) { bits = -int(b); }\n};\n"
        "void f(int a[64]) {\n  " + LOOP + " {\n    word w(A::a1, i);\n    a[i] = w.bits;\n  }\n}\n",
    ),
    "method_of_a_class_that_is_made_elsewhere": (
        "k.cpp",
        "HLP428",
        STREAMS + "template <typename T, int N> class Gemm;\n"
        "template <typename T, int N> void gemm(int n, hls::stream<T> &a, hls::stream<T> &b) {\n#pragma HLS DATAFLOW\n"
        "  Gemm<T, N>::gemm(a, b, n);\n}\n"
        "void f(hls::stream<float> &a, hls::stream<float> &b) {\n#pragma HLS DATAFLOW\n"
        "  gemm<float, 4>(4, a, b);\n}\n",
    ),
    "pointer_of_a_function_below_the_kernel": (
        "k.cpp",
        "HLP602",
        STREAMS + "static void get(const int *in, int *d, hls::stream<int> &o) { o.write(in[0] + d[0]); }\n"
        "static void put(hls::stream<int> &o, int *d) { d[0] = o.read(); }\n"
        "static void sum(const int *in, int *d) {\n#pragma HLS DATAFLOW\n  hls::stream<int> s;\n  get(in, d, s);\n"
        "  put(s, d);\n}\nvoid f(const int *in, int *data) {\n#pragma HLS INTERFACE m_axi port=in bundle=g\n"
        "#pragma HLS INTERFACE m_axi port=dat bundle=h\n  sum(in, data);\n}\n",
    ),
    "copy_that_a_host_may_ask_for": (
        "k.cpp",
        "HLP616",
        "#include <stdlib.h>\ninline unsigned char *copy(const int *d, int n) {\n#pragma HLS INLINE\n"
        "  unsigned char *p = (unsigned char *)malloc(n);\n  for (int i = 0; i < n; i++) p[i] = d[i];\n  return p;\n}\n"
        "void f(int a[64]) {\n#pragma HLS INTERFACE ap_memory port=a\n  " + LOOP + " a[i] = i;\n}\n",
    ),
    "constant_of_a_class_that_is_not_read": (
        "k.cpp",
        "HLP005",
        "namespace sizes {\nstruct need;\n}\nvoid f(int a[64]) {\n  int t[sizes::need::value];\n"
        "  t[0] = 0;\n  " + LOOP + " a[i] = i + t[0];\n}\n",
    ),
    "constant_that_a_template_is_given_outside": (
        "k.cpp",
        "HLP003",
        "template <int W> struct need { static const int value = 72 / W; };\ntemplate <int W> class ram {\n"
        "  static const int more;\n public:\n  int t[need<W>::value][64];\n  int set(const int &d);\n};\n"
        "template <int W> const int ram<W>::more = need<W>::value * 2;\n"
        "template <int W> int ram<W>::set(const int &d) {\n  return d + more;\n}\n"
        "void f(int a[64]) {\n  ram<8> r;\n  a[0] = r.set(3);\n}\n",
    ),
    "rows_that_data_choose": (
        "k.cpp",
        "HLP201",
        STREAMS + "static void window(int w[3], int line[4][640], const unsigned char row[4], int x) {\n"
        "  for (int k = 0; k < 3; k++) {\n#pragma HLS UNROLL\n    w[k] = line[row[k]][x];\n  }\n}\n"
        "void boost(hls::stream<int> &in, hls::stream<int> &out, int width, int height) {\n"
        "  int line[4][640];\n#pragma HLS ARRAY_PARTITION variable=line complete dim=1\n"
        "  unsigned char row[4];\n#pragma HLS ARRAY_PARTITION variable=row complete dim=1\n"
        "  for (int i = 0; i < 4; i++) {\n#pragma HLS UNROLL\n    row[i] = i;\n  }\n"
        "  for (int i = 0; i < 4; i++)\n    for (int j = 0; j < 640; j++) line[i][j] = in.read();\n"
        "  for (int y = 0; y < height; y++) {\n    for (int x = 0; x < width; x++) {\n"
        "#pragma HLS PIPELINE II=1\n      int w[3];\n      window(w, line, row, x);\n"
        "      out << w[0] + w[1] + w[2];\n    }\n"
        "    for (int r = 0; r < 4; r++) row[r] = (row[r] + 1) % 4;\n  }\n}\n",
    ),
    "schedule_that_was_not_found": (
        "k.cpp",
        "HLP211",
        STREAMS + "static void window(int w[9], int line[4][640], unsigned char row[4], int x) {\n"
        "  for (int k = 0; k < 3; k++) {\n#pragma HLS UNROLL\n    w[k] = line[row[0]][x + k];\n"
        "    w[3 + k] = line[row[1]][x + k];\n    w[6 + k] = line[row[2]][x + k];\n  }\n}\n"
        "void boost(hls::stream<int> &in, hls::stream<int> &out, int width, int height) {\n"
        "  int line[4][640];\n#pragma HLS ARRAY_PARTITION variable=line complete dim=1\n  int w[9];\n"
        "#pragma HLS ARRAY_PARTITION variable=w complete dim=1\n  unsigned char row[4];\n"
        "#pragma HLS ARRAY_PARTITION variable=row complete dim=1\n  for (int i = 0; i < 4; i++) {\n"
        "#pragma HLS UNROLL\n    row[i] = i;\n  }\n  for (int i = 0; i < 4; i++)\n"
        "    for (int j = 0; j < 640; j++) line[i][j] = in.read();\n  for (int y = 0; y < height; y++) {\n"
        "    for (int x = 0; x < width; x++) {\n#pragma HLS PIPELINE II=1\n      window(w, line, row, x);\n"
        "      int s = 0;\n      for (int k = 0; k < 9; k++) s += w[k];\n      out << s;\n"
        "      if (y < height - 2) {\n        in >> line[row[3]][x];\n        if (x == width - 1)\n"
        "          for (int r = 0; r < 4; r++) row[r] = (row[r] + 1) % 4;\n      }\n    }\n  }\n}\n",
    ),
    "words_of_vectors": (
        "k.cpp",
        "HLP201",
        "#include <hls_vector.h>\n" + STREAMS + "typedef hls::vector<float, 16> word;\n"
        "void f(hls::stream<word> &in, hls::stream<word> &out, unsigned n, unsigned m) {\n  word t[64];\n"
        "  unsigned k = 0;\n  for (unsigned i = 0; i < n; i++) {\n#pragma HLS pipeline II=1\n    unsigned at = k;\n"
        "    k = at == m ? 0 : at + 1;\n    if (i < 64) in >> t[at];\n    word w = t[at];\n    out << w;\n  }\n}\n",
    ),
    "last_task_gives_the_result": (
        "k.cpp",
        "HLP605",
        "static void make(const int a[64], int t[64]) {\n  " + LOOP + " t[i] = a[i] + 1;\n}\n"
        "static int most(const int t[64]) {\n  int m = 0;\n  " + LOOP + " m = t[i] > m ? t[i] : m;\n  return m;\n}\n"
        "int f(const int a[64]) {\n#pragma HLS DATAFLOW\n  int t[64];\n  make(a, t);\n  return most(t);\n}\n",
    ),
    "copies_of_ports_by_one_function": (
        "k.cpp",
        "HLP409",
        "static void copy(const float *a, float *b) {\n  " + LOOP + " b[i] = a[i];\n}\n"
        "static void scale(float in[64], float out[64]) {\n#pragma HLS INLINE off\n"
        "#pragma HLS ARRAY_PARTITION variable=in cyclic factor=4\n"
        "#pragma HLS ARRAY_PARTITION variable=out cyclic factor=4\n"
        "  " + LOOP + " out[i] = in[i] * 3;\n}\nvoid f(float x[64], float y[64]) {\n"
        "#pragma HLS INTERFACE m_axi port=x bundle=b0\n#pragma HLS INTERFACE m_axi port=y bundle=b1\n"
        "  float s[64], t[64];\n  copy(x, s);\n  scale(s, t);\n  copy(t, y);\n}\n",
    ),
    "heap_of_a_simulation": (
        "k.cpp",
        "HLP003",
        "struct part { int n; };\nstruct unit {\n  part *p;\n  unit(int n);\n};\n#ifndef RUNS_SYNTHESIS\n"
        "unit::unit(int n) {\n  p = new part[n];\n}\n#endif\n"
        "void f(int a[64]) {\n#pragma HLS INTERFACE ap_memory port=a\n"
        "  " + LOOP + " a[i] = i;\n}\n",
    ),
    "list_of_a_program": (
        "k.cpp",
        "HLP003",
        "struct list {\n  int *all;\n  list() { all = new int[64]; }\n  ~list() { delete[] all; }\n};\n"
        "extern int eof(int *) throw ();\n",
    ),
}


@pytest.mark.parametrize("name", NEAR)
def test_near(name: str) -> None:
    path, rule, text = NEAR[name]
    report = lint_of({path: text}, config=LintConfig(select=(rule,)))
    assert [str(d) for d in report.diagnostics if d.rule == "HLP000" or d.severity in ("error", "warning")] == []


def test_a_late_loop_names_its_directive_and_its_statement() -> None:
    text = (
        "void f(const float a[64], float *r) {\n  float s = 0;\n  for (int i = 0; i < 64; i++) {\n"
        "#pragma HLS PIPELINE II=1\n    int k = i;\n    s += a[k];\n  }\n  *r = s;\n}\n"
    )
    (finding,) = [d for d in lint_of({"k.cpp": text}).diagnostics if d.rule == "HLP202"]
    assert finding.place.line == 3
    assert [(r.place.line, r.message) for r in finding.related] == [
        (4, "the II is asked for here"),
        (6, "it limits the II"),
    ]


FOUND: dict[str, tuple[str, str, int]] = {
    "room_asked_for_in_another_stream": (
        "HLP431",
        STREAMS + "void f(hls::stream<int> &s, hls::stream<int> &o, hls::stream<int> &q) {\n"
        "  bool none = o.full() || s.empty();\n  if (none) return;\n  q.write_nb(4);\n}\n",
        1,
    ),
    "row_of_one_memory_behind_a_pointer": (
        "HLP201",
        "void f(const int x[64], int o[64], int k) {\n  int a[4][64];\n"
        "  for (int i = 0; i < 4; i++) for (int j = 0; j < 64; j++) a[i][j] = x[j] + i;\n  int *r = &a[k][0];\n"
        "  for (int j = 0; j < 48; j += 8) {\n#pragma HLS PIPELINE II=1\n"
        "    o[j] = r[j] + r[j + 1] + r[j + 2] + r[j + 3];\n  }\n}\n",
        1,
    ),
    "bytes_that_keep_leaves_out": (
        "HLP443",
        "#include <ap_axi_sdata.h>\n#include <hls_vector.h>\ntypedef hls::axis<hls::vector<int, 2>, 0, 0, 0> word;\n"
        + STREAMS + "void f(hls::stream<word> &o) {\n  word w;\n  w.keep = 0x1ff;\n  w.strb = 0xff;\n"
        "  w.last = 1;\n  o.write(w);\n}\n",
        1,
    ),
    "sum_that_waits_for_itself_beside_another_iterator": (
        "HLP202",
        "void f(float s[64], const float b[64]) {\n  for (int i = 0; i < 64; i++) {\n"
        "    for (int j = 0; j < 64; j++) {\n"
        "#pragma HLS PIPELINE II=1\n      if (i != j) s[i] += s[j] * b[j];\n    }\n  }\n}\n",
        1,
    ),
    "histogram_of_floats_in_registers": (
        "HLP202",
        "void f(const int x[64], const float v[64], float o[8]) {\n  float h[8];\n"
        "#pragma HLS ARRAY_PARTITION variable=h complete\n  for (int i = 0; i < 8; i++) {\n#pragma HLS UNROLL\n"
        "    h[i] = 0;\n  }\n  " + LOOP + " {\n#pragma HLS PIPELINE II=1\n    h[x[i] & 7] += v[i];\n  }\n"
        "  for (int i = 0; i < 8; i++) o[i] = h[i];\n}\n",
        1,
    ),
    "places_of_rows_that_data_choose": (
        "HLP201",
        "void f(const int x[4][64], const unsigned char s[64], int o[64]) {\n  int t[4][64];\n"
        "#pragma HLS ARRAY_PARTITION variable=t complete dim=1\n  for (int i = 0; i < 4; i++)\n"
        "    for (int j = 0; j < 64; j++) t[i][j] = x[i][j];\n  for (int j = 0; j < 60; j++) {\n"
        "#pragma HLS PIPELINE II=1\n    o[j] = t[s[j] & 3][j] + t[s[j] & 3][j + 1] + t[s[j] & 3][j + 2];\n  }\n}\n",
        1,
    ),
    "extent_with_the_name_of_a_number_of_another_template": (
        "HLP005",
        "template <int n> int sum(const int (&a)[n]) {\n  int s = 0;\n  for (int i = 0; i < n; i++) s += a[i];\n"
        "  return s;\n}\nint f(int n, const int b[64]) {\n  int a[n];\n"
        "  for (int i = 0; i < n; i++) a[i] = b[i];\n  return a[n - 1];\n}\n",
        1,
    ),
    "heap_beside_a_pipelined_loop": (
        "HLP003",
        "void f(const int b[64], int o[64], int n) {\n  int *a = new int[n];\n  " + LOOP + " {\n"
        "#pragma HLS PIPELINE II=1\n    a[i] = b[i];\n  }\n  " + LOOP + " o[i] = a[i];\n  delete[] a;\n}\n",
        2,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_twins_are_found(name: str) -> None:
    rule, text, count = FOUND[name]
    report = lint_of({"k.cpp": text}, config=LintConfig(select=(rule,)))
    assert [d.rule for d in report.diagnostics if d.severity in ("error", "warning")] == [rule] * count
