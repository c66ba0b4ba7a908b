"""Runs of own and of random kernels visit exactly what the analysis claims."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from poly_oracle import analysed, claimed, disagreements, parse, references, run

from hlspart.accesses import analyse
from hlspart.transform.inline import inline
from tests.amounts import amount

HAND = """
int A[64], B[64], C[16][16], D[4][5][6];
void steps(int n, int m) {
  int i, j, t;
  for (i = 0; i < 8; i++) { A[2 * i + 1] = B[i]; }
  for (i = 7; i >= 0; i -= 2) { A[i] += 1; }
  for (i = 15; i != -1; i--) { A[i] ^= B[15 - i]; }
  for (i = 0; i != 12; i += 3) { A[i / 2] = B[i % 4] + B[(i << 1) & 7]; }
  for (i = -5; i < 6; i++) { A[i / 2 + 8] = B[i % 3 + 4] + B[(i >> 1) + 3]; }
  for (i = 0; i < 10; i++) { for (j = i; j <= 10; j++) { if (i > 2 && j < 8) { C[i][j] = C[j][i]; } } }
  for (i = 0; i < n; i++) { for (j = 0; j < m && j < i; j++) { A[i + j] = B[i - j]; } }
  for (i = 0; i < 8; i++) { for (j = i > 3 ? i : 3; j < (i < 5 ? 9 : 7); j++) { C[i][j]++; } }
  for (i = 0; i < 4; i++) { for (j = 0; j < 5; j++) { for (t = 0; t < 6; t++) { D[i][j][t] = i; } } }
}
void values(int n, int m) {
  int i, j, k, t = 0, u;
  const int off = 4 * 2;
  for (i = 0; i < 4; i++) { for (j = 0; j < 3; j++) { B[t] = A[t + 1]; t++; } t += 2; }
  i = 0;
  while (i < 16) { A[i + off] = i; i += 3; }
  B[i - 3] = 1;
  i = 9;
  do { A[i] = B[i]; i--; } while (i > n);
  for (i = 0, j = 15; i < j; i++, j--) { A[i] = A[j]; }
  for (i = 0; i < 8; i++) { k = i > 4 ? 4 : i; u = k * 2; A[u] = B[i > 0 ? i - 1 : 0]; }
  for (i = 0; i < 6; i++) { if (i & 1) { t = i; } else { t = 2 * i; } A[t] = 0; }
  for (k = 0; k < 16; k += 4) { for (i = k; i < k + 4; i++) { int row = i * 2; B[row] = A[row + 1]; } }
  switch (n) { case 0: A[0] = 1; break; case 1: A[1] = 1; case 2 ... 3: A[2] = 1; break; default: A[3] = 1; }
}
void counters(int n, int m) {
  int i = 0, j = 12, k = 3;
  do { A[i] = j; } while (++i < 20);
  do { A[j] = i; } while (j--);
  do { B[k] = 1; } while (k++ < n);
  i = 2;
  do { C[1][i] = n; } while ((i += 3) < 14 && n > 2);
  i = -1;
  while (++i < 9) { B[i + 1] = A[i]; }
  i = 9;
  while (i-- > 2) { B[i] += A[i + 1]; }
  A[i + 1] = 5;
}
void widths(int n, int m) {
  unsigned u;
  unsigned char c;
  short s;
  for (u = 15; u > 0; u--) { A[u] = A[u - 1]; }
  for (u = 0; u < 8u; u++) { A[u + 3] = B[(u + 5) % 8]; }
  for (c = 0; c < 200; c += 7) { A[c / 4] = 1; }
  for (s = 20; s >= -20; s -= 8) { A[s + 20] = B[-s + 20]; }
  for (c = 0; c < 40; c++) { A[(unsigned char)(c * 8) / 4] = 1; }
}
void leaves(int n, int m) {
  int i, j;
  for (i = 0; i < 16; i++) { if (A[i] > 3) { continue; } B[i] = 1; if (i > 10) { break; } A[i + 1] = 4; }
  for (i = 0; i < 16; i++) { if (i == 5) { continue; } B[i] = 2; if (i < n) { continue; } B[i + 1] = 3; }
  do { if (n > 2) { break; } B[12] = 1; if (A[3]) { continue; } B[13] = 1; } while (0);
  for (i = 0; i < 5; i++) { do { int k = i + 1; A[k] = B[k]; } while (0); }
  if (m > 5) { return; }
  B[m + 9 > 0 ? 9 : 1] = 1;
  for (i = 0; i < 4; i++) { for (j = 0; j < 4; j++) { if (j > i) { break; } C[i][j] = 1; } }
  A[20] = 1;
}
void pointers(int n, int m) {
  int i;
  int *p = A, *q = &B[4], *r = C[3], (*w)[16] = C + 2;
  for (i = 0; i < 8; i++) { p[i] = q[i - 1] + r[i] + w[1][i]; }
  p = A + 4;
  for (i = 0; i < 8; i++) { p[0] = i; p++; }
  p[1] = 0;
  *p++ = 1; *++p = 2; *--q += 3; *(p += 4) = *q++; p++[2] = 6; B[9] = *(q + 1); (*p)++;
  for (i = 0; i < 5; i++) { *q++ = *p--; }
}
void spellings(int n, int m) {
  int i, t;
  for (i = -6; i < 6; i++) { if (i >= 0) { A[i % 4 + 4] = 1; } B[i % 4 + 4] = 2; if (i < 0) { A[i % 4 + 8] = 3; } }
  for (i = 0; i < 8; i++) { t = i + 1; A[t % 3] = B[t / 2]; t = i - 4; A[t % 3 + 3] = B[t / 2 + 5]; }
  for (i = 5; i < 9; i++) { B[i % 4 + 9] = i % 4 == 1 ? 1 : A[i % 4 == 3 ? 5 : i % 4]; }
  for (i = -3; i < 3; i++) { B[i % 4 + 9] = i % 4 == 1 ? 1 : A[i % 4 == -1 ? 5 : i % 4 + 6]; }
}
void stages(int n, int m) {
  int s, k;
  for (s = 0; s < 4; s++) {
    int half = 1 << s, stride = 16 >> (s + 1);
    for (k = 0; k < 8; k++) {
      int at = ((k >> s) << (s + 1)) + (k & (half - 1));
      A[at] = A[at + half] + B[(k & (half - 1)) * stride];
      B[k / (s + 1) + k % half] = 1;
    }
  }
}
"""


def test_hand_written_kernels(tmp_path: Path) -> None:
    program, analysis = analysed(HAND)
    calls, params = [], []
    for name in ("steps", "values", "counters", "widths", "leaves", "pointers", "spellings", "stages"):
        for n, m in ((0, 0), (1, 3), (3, 9), (7, 5), (-2, 6)):
            calls.append((name, f"{n}, {m}"))
            params.append({"n": n, "m": m})
    # References through pointers are noted with the pointer's own subscripts, so they are compared by hand.
    plain = [(c, p) for c, p in zip(calls, params, strict=True) if c[0] != "pointers"]
    runs = run(program, [c for c, _ in plain], tmp_path)
    assert all(r.finished for r in runs)
    for result, ((name, _), values) in zip(runs, plain, strict=True):
        assert disagreements(program, analysis, result, name, values) == []
    affine = [a for a in analysis.accesses if a.affine]
    refused = {program.text(a.at) for a in analysis.accesses if not a.affine}
    assert refused == {"A[(unsigned char)(c * 8) / 4]"}
    assert len(affine) == len(analysis.accesses) - 1
    assert sum(a.exact for a in affine) == 96


CALLED = """
int A[64], B[64], C[16][16], last;
static const int size = 16;
static int clamp(int v, int n) { return v < 0 ? 0 : v > n - 1 ? n - 1 : v; }
static int mirrored(int v) {
  if (v < 0) return -v;
  if (v >= size) { int over = v - size; return size - 2 - over; }
  return v;
}
static int away(int v, unsigned char from) { int d = v; if (d < from) d = from - d; else d -= from; return d; }
static int both(int v) { return clamp(mirrored(v - 1) + 1, 9); }
static int noted(int v) { last = v; return v; }
static int taken(int v) { return A[v]; }
static int open(int v) { while (v > 3) v -= 3; return v; }
static int data(int v) { if (last > 4) return 3; return v; }
static int narrow(int v) { unsigned char c = v; return c; }
static short shortened(int v) { return v; }
static int endless(int v) { return v > 3 ? endless(v - 1) : v; }
void calls(int n, int m) {
  int i, j;
  for (i = 0; i < 16; i++) { for (j = -2; j < 3; j++) { B[i] += A[clamp(i + j, 16)]; } }
  for (i = -5; i < 20; i++) { A[mirrored(i)] += B[away(i, 7)]; }
  for (i = -5; i < 16; i++) { C[both(i)][clamp(i, size)] = 1; if (clamp(i, 4) == 3) { B[i] = 2; } }
  for (i = 0; i < 300; i++) { B[shortened(i) / 8] = A[narrow(i) / 4]; }
  for (i = 0; i < 12; i++) { A[noted(i)] = B[taken(i) & 7] + B[open(i)] + B[data(i)] + B[endless(i)]; }
  for (i = clamp(n, 4); i < clamp(m, 9); i++) { A[i] = 1; }
}
"""


def test_calls_that_work_out_a_number_are_followed(tmp_path: Path) -> None:
    program, analysis = analysed(CALLED)
    inputs = [{"n": n, "m": m} for n, m in ((0, 0), (1, 3), (3, 9), (-7, 5), (2, 40))]
    runs = run(program, [("calls", f"{x['n']}, {x['m']}") for x in inputs], tmp_path)
    for result, values in zip(runs, inputs, strict=True):
        assert result.finished and disagreements(program, analysis, result, "calls", values) == []
    refused = {program.text(a.at) for a in analysis.accesses if a.function == "calls" and not a.affine}
    assert refused == {
        "A[narrow(i) / 4]", "A[noted(i)]", "B[taken(i) & 7]", "B[open(i)]", "B[data(i)]", "B[endless(i)]"
    }  # fmt: skip


def test_pointers_resolve_to_the_array() -> None:
    program, analysis = analysed(HAND)
    found = {
        (program.text(a.at), program.variable(a.array).name): a.range
        for a in analysis.accesses
        if a.function == "pointers"
    }
    assert found == {
        ("p[i]", "A"): ((0, 7),),
        ("q[i - 1]", "B"): ((3, 10),),
        ("r[i]", "C"): ((3, 3), (0, 7)),
        ("w[1][i]", "C"): ((3, 3), (0, 7)),
        ("p[0]", "A"): ((4, 11),),
        ("p[1]", "A"): ((13, 13),),
        ("*p++", "A"): ((12, 12),),
        ("*++p", "A"): ((14, 14),),
        ("*--q", "B"): ((3, 3),),
        ("*(p += 4)", "A"): ((18, 18),),
        ("*q++", "B"): ((4, 8),),
        ("p++[2]", "A"): ((20, 20),),
        ("*(q + 1)", "B"): ((5, 5),),
        ("B[9]", "B"): ((9, 9),),
        ("*p", "A"): ((19, 19),),
        ("*p--", "A"): ((15, 19),),
    }


class Writer:
    """Random kernels: small loops of all forms, guards, scalar assignments, jumps, odd subscripts."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.depth = 0
        self.free: list[str] = []
        self.names: list[str] = []

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def term(self) -> str:
        return self.random.choice([*self.names, "t", "s", "n", "m", str(self.random.randint(-3, 9))])

    def number(self, depth: int = 2) -> str:
        if depth == 0 or self.random.random() < 0.3:
            return self.term()
        a, b, c = self.number(depth - 1), self.number(depth - 1), self.random.randint(1, 5)
        return self.pick(
            f"({a} + {b})", f"({a} - {b})", f"{c} * {a}", f"({a} / {c})", f"({a} % {c})", f"({a} << 1)",
            f"({a} >> 1)", f"({a} & 3)", f"(({a}) > ({b}) ? ({a}) : ({b}))", f"-({a})", f"({a} * 4 | ({b} & 3))",
            f"(int)({a})", f"({a} == {b})", f"(short)({a} + {c})", f"(u + {c})",
        )  # fmt: skip

    def test(self) -> str:
        a, b = self.number(1), self.number(1)
        op = self.pick("<", "<=", ">", ">=", "==", "!=")
        plain = f"{a} {op} {b}"
        other = f"{self.term()} < {self.term()}"
        return self.pick(
            plain, plain, plain, f"{plain} && {other}", f"{plain} || {other}", f"!({plain})", f"A[{a}] > 2"
        )

    def access(self) -> str:
        e = self.number()
        return self.pick(f"A[{e}]", f"A[{e}]", f"B[{e}]", f"C[{self.number(1)}][{self.number(1)}]")

    def block(self) -> str:
        self.depth += 1
        text = "{ " + " ".join(self.statement() for _ in range(self.random.randint(1, 3))) + " }"
        self.depth -= 1
        return text

    def loop(self) -> str:
        if not self.free or self.depth > 3:
            return f"{self.access()} = 1;"
        v = self.free.pop()
        low, high, step = self.term(), self.number(1), self.random.randint(1, 3)
        kind = self.random.randint(0, 10)
        self.names.append(v)
        body = self.block()
        self.names.pop()
        self.free.append(v)
        inner = body[1:-1]
        if kind <= 2:
            return f"for ({v} = {low}; {v} {self.pick('<', '<=')} {high}; {v} += {step}) {body}"
        if kind == 3:
            return f"for ({v} = {high}; {v} {self.pick('>', '>=')} {low}; {v} -= {step}) {body}"
        if kind == 4:
            return f"for ({v} = 0; {v} != {self.random.randint(0, 6)}; {v}++) {body}"
        if kind == 5:
            return f"{v} = {low}; while ({v} < {high}) {{ {inner} {v} += {step}; }}"
        if kind == 6:
            return f"{v} = {low}; do {{ {inner} {v}++; }} while ({v} < {high} && {v} < 9);"
        if kind == 7:
            return f"for ({v} = 0; {v} < 5 && {self.test()}; {v}++) {body}"
        if kind == 8:
            test = self.pick(f"{v}--", f"--{v} > 1", f"{v}-- > {low}")
            return f"{v} = {self.random.randint(0, 7)}; while ({test}) {body}"
        if kind == 9:
            return f"u = {low}; while (u{self.pick('--', '-- > 2', '-- != 0')}) {body}"
        return f"for (u = {self.random.randint(0, 9)}; u > {self.random.randint(0, 3)}; u--) {body}"

    def statement(self) -> str:
        kind = self.random.random()
        if kind < 0.3:
            return self.loop()
        if kind < 0.45:
            other = f" else {self.block()}" if self.random.random() < 0.5 else ""
            return f"if ({self.test()}) {self.block()}{other}"
        if kind < 0.6:
            target = self.pick("t", "s", "u")
            return self.pick(
                f"{target} = {self.number()};", f"{target} += {self.random.randint(1, 3)};", f"{target}++;",
                f"{target} = {target} + {self.random.randint(-2, 2)};", f"c += {self.random.randint(1, 90)};",
                f"{target} = c;",
            )  # fmt: skip
        if kind < 0.64 and self.names:
            return f"if ({self.test()}) {{ {self.pick('continue', 'break', 'return')}; }}"
        if kind < 0.68:
            return (
                f"switch ({self.number(1)}) {{ case 0: {self.statement_flat()} break; case 1: {self.statement_flat()} "
                f"case 2 ... 4: {self.statement_flat()} break; default: {self.statement_flat()} }}"
            )
        return f"{self.access()} {self.pick('=', '+=')} {self.pick(self.access(), self.term())};"

    def statement_flat(self) -> str:
        return self.pick(f"{self.access()} = 1;", f"t = {self.number(1)};", "t++;")

    def kernel(self, name: str) -> str:
        self.free = ["i", "j", "k", "l"]
        body = " ".join(self.statement() for _ in range(self.random.randint(2, 5)))
        head = "int i = 0, j = 0, k = 0, l = 0, t = 0, s = 1; unsigned u = 2; unsigned char c = 0;"
        return f"void {name}(int n, int m) {{ {head} {body} }}\n"


@pytest.mark.parametrize("seed", range(amount(1, 6)))
def test_random_kernels(seed: int, tmp_path: Path) -> None:
    writer = Writer(seed)
    names = [f"k{number}" for number in range(amount(30, 60))]
    text = "int A[64], B[64], C[16][16];\n" + "".join(writer.kernel(n) for n in names)
    program, analysis = analysed(text)
    calls = [(n, v) for n in names for v in ((0, 0), (3, 5), (6, 2), (-2, 1))]
    runs = run(program, [(name, f"{n}, {m}") for name, (n, m) in calls], tmp_path, budget=3000)
    wrong = []
    for result, (name, (n, m)) in zip(runs, calls, strict=True):
        for message in disagreements(program, analysis, result, name, {"n": n, "m": m}):
            wrong.append(f"{name}({n}, {m}): {message}")
    assert wrong == []
    assert sum(r.finished for r in runs) > len(runs) // 2
    exact = [a for a in analysis.accesses if a.affine and a.exact and a.iterators]
    assert len(exact) > amount(25, 50)


CALLS = """
int A[8][8], B[64], K;
int get(const int *r, int k) { return r[k]; }
int clamp(int v, int lo, int hi) { if (v < lo) { return lo; } if (v > hi) { return hi; } return v; }
void row(int r[8], int s, int *acc) { int j; for (j = 0; j < 8; j++) { r[j] += s; *acc += r[j]; } }
void both(int x[8], int y[8]) {
  int k;
  for (k = 0; k < 8; k++) { if (k == 5) { x[k] = y[7 - k]; } else { y[k] = x[k]; } }
}
void twice(int r[8], int v) {
  int sum = 0;
  row(r, v, &sum); B[clamp(sum, 0, 63)] = sum; v = v + 1; row(&r[0], v, &sum);
}
void bump(int by) { K = K + by; }
void walk(int *p, int n) { int i; for (i = 0; i < n; i++) { p[i] = i; p[i + n] = 0; } }
void nest(int n, int m) {
  int i, j, acc = 0;
  K = 2;
  for (i = 0; i < 4; i++) { row(A[i], i, &acc); row(&A[i + 1][0], 1, &acc); B[i] = get(B + 2, i) + acc; }
  for (i = 0; i < 3; i++) { both(A[i], A[2 * i + 1]); B[clamp(3 * i - 1, 1, 5)] = 0; }
  i = 1;
  twice(A[i], i);
  i = 5;
  A[i][0] = 2;
  bump(3);
  B[K] = 1;
  for (j = 0; j < 3; j++) { bump(j); B[K] = 1; walk(B + 4 * j, 4); walk(&A[j][2], 2); }
}
"""


def test_expanded_calls_visit_the_callers_arrays(tmp_path: Path) -> None:
    program = parse(CALLS)
    copy = inline(program, "nest")[0]
    analysis = analyse(copy, "nest")
    names = list(program.functions)
    (result,) = run(program, [("nest", "0, 0")], tmp_path, notes=names)
    assert result.finished
    start = {ref.id: ref.at.span.start for name in names for ref in references(program, name)}
    ran: dict[int, Counter[tuple[str, int]]] = {}
    for (ref, array, element), times in result.places.items():
        ran.setdefault(start[ref], Counter())[array, element] += times
    compared = 0
    for place in {a.at.span.start for a in analysis.accesses}:
        here = [a for a in analysis.accesses if a.at.span.start == place]
        here = [a for a in here if a.kind == here[0].kind and copy.variable(a.array).function is None]
        if not here or not all(a.affine and a.exact for a in here):
            continue
        said: Counter[tuple[str, int]] = Counter()
        for access in here:
            variable = copy.variable(access.array)
            for element, times in claimed(access, {}).items():
                flat = element[0] if len(element) == 1 else element[0] * 8 + element[1]
                said[variable.name, flat] += times
        assert ran.get(place, Counter()) == said, copy.text(here[0].at)
        compared += 1
    assert compared == 13
    unknown = {copy.text(a.at) for a in analysis.accesses if not a.affine}
    assert unknown == {"B[clamp(sum, 0, 63)]", "B[K]"}
