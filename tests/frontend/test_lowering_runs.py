# ruff: noqa: E501 (C text stays on its line)
"""Lowered programs compute what their source computes: printed back from the records as C, compiled, run, compared.

Nothing of the source text is used but the records, so a lost operand, a wrong type, a misplaced
``else`` or a wrong extent changes a result.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import hlspart.verification
from hlspart.frontend import load
from hlspart.model import program as ir
from hlspart.model.options import FrontendOptions

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is the oracle")
INTEGERS = {8: "char", 16: "short", 32: "int", 64: "long", 128: "__int128"}


def plain(name: str | None) -> str:
    """The name of an instance or an overload as one of C."""
    return re.sub(r"\W", "_", str(name))


class Printer:
    """C text of a program; every sub-expression in parentheses."""

    def __init__(self, program: ir.Program) -> None:
        self.program = program
        self.structs: dict[str, ir.StructType] = {}
        said = {v.id: "".join(c if c.isalnum() else "_" for c in v.name) for v in program.variables}  # auto [a, b]
        self.names = {ident: f"{name}_{ident}" for ident, name in said.items()}

    def declare(self, type_: ir.CType, name: str) -> str:
        match type_:
            case ir.ScalarType():
                if type_.kind == "float":
                    return {32: "float", 64: "double", 128: "long double"}[type_.bits] + " " + name
                if type_.kind == "bool":
                    return f"_Bool {name}"
                return f"{'signed' if type_.signed else 'unsigned'} {INTEGERS[type_.bits]} {name}"
            case ir.ArrayType():
                return self.declare(type_.element, name + "".join(f"[{'' if d is None else d}]" for d in type_.dims))
            case ir.PointerType():
                return self.declare(type_.target, f"(*{name})")
            case ir.StructType():
                tag = "".join(c if c.isalnum() else "_" for c in type_.name)
                self.structs[tag] = type_
                return f"{'union' if type_.union else 'struct'} {tag} {name}"
            case ir.VoidType():
                return f"void {name}"
        raise AssertionError(type_)

    def expr(self, e: ir.Expr) -> str:
        x = self.expr
        match e:
            case ir.Const():
                return (
                    f"({e.value!r}{'f' if e.type == ir.ScalarType('float', 'float', 32) else ''})"
                    if not isinstance(e.value, int)
                    else self.integer(e)
                )
            case ir.StringLit():
                return f'"{e.value}"'
            case ir.Name():
                return self.names[e.variable]
            case ir.ArrayRef():
                return self.names[e.variable] + "".join(f"[{x(i)}]" for i in e.indices)
            case ir.Subscript():
                return f"({x(e.base)})[{x(e.index)}]"
            case ir.Member():
                return f"({x(e.base)}){'->' if e.arrow else '.'}{e.field}"
            case ir.Unary():
                return f"({e.op}({x(e.operand)}))"
            case ir.Binary():
                return f"(({x(e.left)}) {e.op} ({x(e.right)}))"
            case ir.Assign():
                return f"({x(e.target)} {e.op} ({x(e.value)}))"
            case ir.IncDec():
                return f"({e.op}{x(e.operand)})" if e.prefix else f"({x(e.operand)}{e.op})"
            case ir.Call():
                return f"{plain(e.function)}({', '.join(map(x, e.args))})"
            case ir.Cast(type=ir.ScalarType(kind="int", bits=1)):
                return f"(({x(e.operand)}) & 1)"
            case ir.Cast():
                return f"(({self.declare(e.type, '')})({x(e.operand)}))"
            case ir.Conditional():
                return f"(({x(e.test)}) ? ({x(e.then)}) : ({x(e.other)}))"
            case ir.Comma():
                return "(" + ", ".join(map(x, e.items)) + ")"
            case ir.SizeOf():
                assert e.value is not None
                return f"{e.value}ul"
            case ir.InitList():
                return (
                    "{"
                    + ", ".join(
                        "".join(f"[{d}]" if isinstance(d, int) else f".{d}" for d in ds) + (" = " if ds else "") + x(v)
                        for ds, v in e.items
                    )
                    + "}"
                )
            case ir.OpaqueExpr(what=ir.LITERAL, children=(items,)):
                return f"({self.declare(e.type, '')}){x(items)}"
        raise AssertionError(e)

    def integer(self, e: ir.Const) -> str:
        assert isinstance(e.type, ir.ScalarType)
        suffix = ("" if e.type.signed else "u") + ("l" if e.type.bits == 64 else "")
        return f"({e.value}{suffix})"

    def variable(self, ident: int) -> str:
        v = self.program.variables[ident]
        static = "static " if v.storage == "static" or v.internal else ""
        init = "" if v.init is None else f" = {self.expr(v.init)}"
        return f"{static}{'const ' if v.const and not isinstance(v.type, ir.PointerType) else ''}{self.declare(v.type, self.names[ident])}{init};"

    def stmt(self, s: ir.Stmt) -> str:
        x, line = self.expr, self.stmt
        match s:
            case ir.Block():
                return "{" + "\n".join(map(line, s.body)) + "}"
            case ir.Declare():
                return " ".join(map(self.variable, s.variables))
            case ir.ExprStmt():
                return x(s.expr) + ";"
            case ir.If():
                return f"if ({x(s.test)}) {line(s.then)}" + ("" if s.other is None else f" else {line(s.other)}")
            case ir.Loop():
                label = f"{s.label}: ;" if s.label else ""
                test = "1" if s.test is None else x(s.test)
                if s.kind == "do":
                    return f"{label} do {line(s.body)} while ({test});"
                init = "" if s.init is None else line(s.init)
                return f"{label} {{ {init} for (; {test}; {'' if s.step is None else x(s.step)}) {line(s.body)} }}"
            case ir.Switch():
                return f"switch ({x(s.test)}) {line(s.body)}"
            case ir.Case():
                if s.low is None:
                    return "default: ;"
                return f"case {x(s.low)}" + ("" if s.high is None else f" ... {x(s.high)}") + ": ;"
            case ir.Return():
                return "return;" if s.value is None else f"return {x(s.value)};"
            case ir.Jump():
                return f"goto {s.label};" if s.kind == "goto" else f"{s.kind};"
            case ir.Label():
                return f"{s.name}: ;"
            case ir.PragmaMark():
                return ""

    def text(self) -> str:
        functions = []
        for f in self.program.functions.values():
            params = ", ".join(self.declare(self.program.variables[p].type, self.names[p]) for p in f.params) or "void"
            functions.append((self.declare(f.return_type, f"{plain(f.name)}({params})"), self.stmt(f.body)))
        file_scope = [self.variable(v.id) for v in self.program.variables if v.function is None]
        structs: list[str] = []
        shown: set[str] = set()
        while len(shown) < len(self.structs):
            for name, struct in list(self.structs.items()):
                if name not in shown:
                    shown.add(name)
                    members = " ".join(self.declare(t, n) + ";" for n, t in struct.members)
                    structs.insert(0, f"{'union' if struct.union else 'struct'} {name} {{ {members} }};")
        prototypes = [f"{head};" for head, _ in functions]
        return (
            "\n".join(["#include <stdio.h>", *structs, *prototypes, *file_scope, *(f"{h} {b}" for h, b in functions)])
            + "\n"
        )


PROGRAMS = {
    "arithmetic": """
#include <stdint.h>
#include <stdio.h>
#define SQ(x) ((x) * (x))
#define SWAP(a, b) do { int t = a; a = b; b = t; } while (0)
enum { RED, GREEN = 7, BLUE };
static const int8_t table[] = {1, -2, 3, 4, [7] = -5, 9};
static unsigned state = 12345u;
static int next(void) { state = state * 1103515245u + 12345u; return (int)(state >> 16) & 0x7fff; }
static long mix(int a, unsigned char b, short c, float d, double e) {
  long r = a - b - c, s = a << 2 >> 1;
  r += a / 3 % 5 * (b & 0x0f | 1) ^ c;
  r -= a < b == c > a != !b; r = r > 5 && a || b ? r : -r;
  s += (int)(d * 3.0f + e / 2) + (uint8_t)(a * 7) + ~c + -b + +a;
  return a > b ? c > b ? r : s : r - s - 1;
}
int main(void) {
  int a = 5, b = 9, i, n = sizeof(table) / sizeof table[0];
  for (i = 0; i < 40; i++) {
    a = next(); b = next();
    SWAP(a, b);
    printf("%ld %d\\n", mix(a - 9000, b, a * 3, a / 7.0f, b * 1.5), SQ(i - 3) + table[i % n] + BLUE + (i, 'x'));
    a += b -= i; a <<= i & 3; a ^= b | i; a %= 1000; printf("%d %d\\n", a++ + ++b, --a - b--);
  }
  return 0;
}
""",
    "control": """
#include <stdio.h>
int classify(int n) {
  int r = 0;
  switch (n % 12) {
    case 0: r = 100;
    case 1: case 2: r += 5; break;
    case 3 ... 5: { int q = r + n; r = q; } break;
    default: if (n > 30) if (n > 40) r = 1; else r = 2;
      else r = 3;
      break;
    case 7: return -n;
  }
  return r;
}
int main(void) {
  int i = 0, j, total = 0;
  do { if (i == 3) continue; if (i > 50) break; total += classify(i); } while (i++ < 60);
  outer: for (i = 0; ; i += 2) { int i2 = i; for (j = i, i2 = 3; j < 20; j += 3) { if (j == 11) goto next; total ^= j * i2; } next: if (i > 9) break; }
  while (total > 3 && total % 7) total--;
  { int total = 4; for (int total = 0; total < 3; total++) i += total; i += total; }
  printf("%d %d %d\\n", total, i, j);
  for (i = 0; i < 60; i++) printf("%d ", classify(i));
  return 0;
}
""",
    "memory": """
#include <stdio.h>
#define AT(m, r, c) m[(r) * 4 + (c)]
typedef struct { short re, im; } cplx;
struct grid { int cell[3][4]; cplx z[2]; struct grid *self; union { unsigned u; signed char b[4]; } raw; };
int g[2][3] = {{1, 2}, {4, 5, 6}}, flat[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
typedef unsigned long u64;
static const u64 casts[9] = {(u64)0x8000000080008081UL, (u64)0x8082, ~(u64)2, (u64)1 << 40, (u64)-5, (u64)(3 + 4), (u64)'a', (u64)300 % 7, 9};
static struct grid shared = {.z = {{1, 2}, {3, 4}}, .cell = {[1] = {5, 6, 7, 8}}};
static int sum(int A[2][3], int *p, int n, int (*q)[3]) {
  int s = 0;
  for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) s += A[i][j] * (*(p + i) + *(*(q + i) + j)) + (*q)[j] + 1[p] + *(A[i] + j);
  while (n--) { s = s * 3 + *p++; p[-1] += s & 3; }
  return s + (&A[1][0])[1] + sizeof(A[0]);
}
int main(void) {
  struct grid *p = &shared, copy;
  p->self = p; p->raw.u = 0x01fe7f80u;
  copy = *p->self; copy.cell[0][1] = AT(flat, 1, 2) + p->raw.b[2];
  AT(flat, 2, 3) = copy.self->z[1].im - p->cell[1][3];
  printf("%d ", sum(g, flat, 7, g)); printf("%d ", sum(g, &g[0][1], 2, g));
  int *r = flat + 2, *const e = &flat[11]; r[1] = *r + r[-1]; *(r += 2) = (int)(e - r);
  for (int i = 0; i < 12; i++) printf("%d ", flat[i]);
  for (int i = 0; i < 6; i++) printf("%d ", g[i / 3][i % 3]);
  for (int i = 0; i < 9; i++) printf("%lx ", casts[i]);
  printf("%d %d %d %u %s\\n", copy.cell[0][1], p->z[0].re, (int)sizeof copy.cell, p->raw.b[1] & 255u, r == flat + 4 ? "same" : "other");
  return 0;
}
""",
    "arguments left out": """
#include <stdio.h>
enum mode { SLOW = 4, FAST = 9 };
static const int WIDTH = 6;
int scaled(int x, int by = -3, bool up = true, unsigned char c = 'a', mode m = FAST);
int scaled(int x, int by, bool up, unsigned char c, mode m) { return x * by + (up ? 100 : 0) + c * 2 + m * 1000; }
template <class T, int N> T widened(T x, int of = WIDTH, double d = 2.5) { return x * of + (T)(d * N); }
int picked(int x) { return x + 7; }
int picked(double x, int y = 5) { return (int)x * y; }
int main(void) {
  printf("%d %d %d ", scaled(1), scaled(2, 5), scaled(3, 5, false));
  printf("%d %d ", scaled(4, 6, true, 'z'), scaled(5, 7, false, 'y', SLOW));
  printf("%d %d %d ", widened<int, 3>(11), (int)widened<long, 4>(12, 2), widened<int, 3>(13, 3, 0.5));
  printf("%d %d\\n", picked(1), picked(2.0, 3));
  return 0;
}
""",
    "lambdas that are handed on": """
#include <stdio.h>
struct pair { int low, high; };
template <class F> int folded(const int *v, int n, F f) { int s = v[0]; for (int i = 1; i < n; i++) s = f(s, v[i]); return s; }
template <int N, class F> void filled(int (&out)[N], F &&f) { for (int i = 0; i < N; i++) out[i] = f(i); }
template <class F> int limited(int x, const F &f, int most) { int y = f(x); return y > most ? most : y; }
int main(void) {
  int v[6] = {3, 1, 4, 1, 5, 9}, w[5];
  int base = 7; long wide = 1000; pair p = {2, 5};
  printf("%d ", folded(v, 6, [](int a, int b) { return a > b ? a : b; }));
  printf("%d ", folded(v, 6, [base](int a, int b) { return a * 2 + b - base; }));
  filled(w, [&](int i) { return i * base + p.high; });
  for (int i = 0; i < 5; i++) printf("%d ", w[i]);
  auto halve = [=](int x) -> int { if (x & 1) return (int)(wide - x); return x / p.low; };
  wide = 5; p.low = 100;
  printf("%d %d %d ", limited(8, halve, 3), limited(9, halve, 2000), limited(6, halve, 90));
  for (int k = 0; k < 3; k++) { base += k; filled(w, [&base, k](int i) { return base * i - k; }); printf("%d ", w[k + 2]); }
  printf("%d\\n", limited(4, [](int x) { int t = x; for (int i = 0; i < 3; i++) t += i * x; return t; }, 50));
  return 0;
}
""",
    "lambdas of parameters of any type": """
#include <stdio.h>
int main(void) {
  int k = 3, a[4] = {5, 6, 7, 8}, u = 4, v = 9;
  double d = 0.75;
  unsigned char c = 250;
  auto add = [&](auto x, const auto y) { return x + y + k; };
  auto half = [](auto x, int by) -> int { return (int)(x / 2) + by; };
  printf("%d %d %d %d ", add(u, v), add(c, u), (int)(8 * add(d, u)), add(a[1], 7));
  printf("%d %d %d ", half(u, 1), half(c, 2), half(6.5, 3));
  for (int i = 0; i < 3; i++) printf("%d ", add(a[i], c) * half(a[i + 1], i));
  printf("%d\\n", add(half(u, 1), d) > 6);
  return 0;
}
""",
}


PROGRAMS["templates of calls"] = """
#include <stdio.h>
struct Max { template <typename T> T operator()(T a, T b) const { return a > b ? a : b; } };
struct Scaled { int by; template <typename T> T operator()(const T &x) const { return x * by + 1; } };
template <int N> struct Power { template <class T> T operator()(T x) const { T y = 1; for (int i = 0; i < N; i++) y *= x; return y; } template <class T> T operator()() const { return T(N); } };
struct Pick {
  struct Times { int k; int operator()(int i) const { return k * i; } };
  template <typename T> Times operator()(T x) const { Times t; t.k = (int)(2 * x); return t; }
};
template <class F> int folded(const int *v, int n, F f) { int s = v[0]; for (int i = 1; i < n; i++) s = f(s, v[i]); return s; }
template <class F, typename T> T twice(const F &f, T x) { T y = f(x); return f(y); }
int main(void) {
  int v[5] = {3, 9, -4, 7, 2};
  double d = 2.5, e = 1.25;
  Max m;
  Scaled s = {3};
  Power<3> cube;
  printf("%d %d %d ", m(v[0], v[3]), (int)(4 * m(d, e)), m(v[4], 12));
  printf("%d %d %d ", s(v[1]), (int)(8 * s(d)), s.template operator()<int>(v[2]));
  printf("%d %d %d ", cube(v[0]), (int)(64 * cube(e)), cube.template operator()<int>());
  Pick pick;
  Pick::Times six = pick(v[0]), three = pick(1.5);
  printf("%d %d ", six(v[1]), three(v[3]));
  printf("%d %d %d\\n", folded(v, 5, m), twice(s, v[0]), (int)(twice(cube, e) * 100));
  return 0;
}
"""
PROGRAMS["bits in place"] = """
#include <stdio.h>
#include <ap_int.h>
int main(void) {
  ap_uint<8> a = 0x96;
  ap_int<16> b = -1234;
  ap_uint<32> c("cafe1234", 16), d = ap_uint<32>("0x1f"), e = "305419896";
  ap_int<8> f("-12", 10);
  for (int i = 1; i < 7; i++) {
    a.lrotate(i); b.rrotate(i); c.lrotate(3);
    a.set_bit(i, b[i]); b.set(i + 2); c.clear(2 * i); d.invert(i); f.b_not();
    printf("%d %d %u %u %u %d ", (int)a, (int)b, (unsigned)c, (unsigned)d, (unsigned)e, (int)f);
  }
  return 0;
}
"""
CXX = (
    "templates of calls", "arguments left out", "lambdas that are handed on", "lambdas of parameters of any type",
    "bits in place",
)  # fmt: skip
HEADERS = Path(hlspart.verification.__file__).parent / "headers"


def run(text: str, folder: Path, name: str, suffix: str = ".c") -> str:
    path = folder / name
    file = path.with_suffix(suffix)
    file.write_text(text)
    compiler = ["gcc", "-std=gnu11"] if suffix == ".c" else ["g++", "-std=c++17", f"-I{HEADERS}"]
    subprocess.run([*compiler, "-w", "-o", path, file], check=True, capture_output=True, text=True)
    return subprocess.run([path], check=True, capture_output=True, text=True, timeout=10).stdout


@pytest.mark.parametrize("name", PROGRAMS)
def test_printed_records_compute_the_same(name: str, tmp_path: Path) -> None:
    text, suffix = PROGRAMS[name], ".cpp" if name in CXX else ".c"
    program = load([f"t{suffix}"], FrontendOptions(), lambda _: text.encode())
    assert program.units[0].error is None, program.units[0].error
    expected = run(text, tmp_path, "source", suffix)
    assert len(expected) > 20
    assert run(Printer(program).text(), tmp_path, "printed") == expected
