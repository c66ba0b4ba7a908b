# ruff: noqa: E501 (C text stays on its line)
"""How objects begin: constructors, copies, conversions; what templates of classes have and nothing uses.

The records are printed back as C++ and run beside the source, as ``test_lowering_runs`` does for C; costs are those of
the same loop written without classes.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from test_lowering_runs import Printer

from hlspart.frontend import load
from hlspart.model import program as ir
from hlspart.model.options import FrontendOptions, Options
from hlspart.pipeline import Pipeline


class CxxPrinter(Printer):
    """As C++: references, and functions whose names have the types of their parameters."""

    def expr(self, e: ir.Expr) -> str:
        if isinstance(e, ir.Call):
            assert e.function is not None
            return f"{_plain(e.function)}({', '.join(map(self.expr, e.args))})"
        return super().expr(e)

    def variable(self, ident: int) -> str:
        v = self.program.variables[ident]
        return (
            ("auto &&" + f"{self.names[ident]} = {self.expr(v.init)};")
            if v.reference and v.init
            else super().variable(ident)
        )

    def text(self) -> str:
        functions = []
        for f in self.program.functions.values():
            params = []
            for v in map(self.program.variable, f.params):
                constant = "const " if v.reference and v.const else ""
                params.append(constant + self.declare(v.type, f"{'&' * v.reference}{self.names[v.id]}"))
            functions.append((self.declare(f.return_type, f"{_plain(f.name)}({', '.join(params)})"), self.stmt(f.body)))
        heads = [head for head, _ in functions]
        bodies = [f"{head} {body}" for head, body in functions]
        structs: dict[str, str] = {}
        while more := [x for x in self.structs if x not in structs]:  # members may be of others
            made = {n: " ".join(self.declare(t, m) + ";" for m, t in self.structs[n].members) for n in more}
            structs = {n: f"struct {n} {{ {text} }};" for n, text in made.items()} | structs
        constants = [self.variable(v.id) for v in self.program.variables if v.function is None]
        bodies = [*constants, *(f"{h};" for h in heads), *bodies]
        return "\n".join(["#include <cstdio>", "using _Bool = bool;", *structs.values(), *bodies]) + "\n"


def _plain(name: str) -> str:
    return name if name.isidentifier() else "f_" + "".join(c if c.isalnum() else f"_{ord(c)}_" for c in name)


INNER = """
struct Inner {
    short v; int w[2];
    Inner(int a, int b) : v(a) { w[0] = b; w[1] = a + 3; }
    Inner() : v(7) { w[0] = w[1] = 1; }
    int sum() const { return v + w[0] * w[1]; }
};
"""
RUNS = {
    "a specialisation fits however types and numbers are spelled": """
enum Colour { RED, GREEN = 5 };
template <int A, int B> struct Pair { int z; };
typedef int I; typedef unsigned int U32; typedef I I2; using F = float; typedef const int CI; typedef float *FP;
typedef Pair<3, 4> P34;
template <typename T, typename U> struct Same { static const int v = 0; };
template <typename T> struct Same<T, T> { static const int v = 1; };
template <typename T> struct Of { static const int v = 0; };
template <> struct Of<unsigned> { static const int v = 1; };
template <> struct Of<long int> { static const int v = 2; };
template <typename T> struct Of<T *> { static const int v = 3; };
template <typename T> struct Of<const T> { static const int v = 4; };
template <typename T> struct Of<const T *> { static const int v = 5; };
template <typename T, int N> struct Of<T[N]> { static const int v = 10 * N + Of<T>::v; };
template <int A, int B> struct Of<Pair<A, B>> { static const int v = A * 10 + B; };
template <int A> struct Of<Pair<A, 7>> { static const int v = A; };
template <int N> struct Number { static const int v = 0; };
template <> struct Number<5> { static const int v = 1; };
template <> struct Number<'A'> { static const int v = 2; };
template <bool B, typename T, typename E> struct If { typedef T type; };
template <typename T, typename E> struct If<false, T, E> { typedef E type; };
template <typename T> int of() { return Of<T>::v; }
int main() {
  If<(3 > 4), char, short>::type a = 300; If<true, char, short>::type b = 300;
  printf("%d%d%d%d%d ", Same<I2, int>::v, Same<U32, unsigned>::v, Same<F, float>::v, Same<long, long int>::v, Same<I, F>::v);
  printf("%d%d%d%d ", Of<U32>::v, Of<long>::v, Of<float *>::v, Of<FP>::v);
  printf("%d%d%d%d%d ", Of<CI>::v, Of<int const>::v, Of<const int *>::v, Of<const FP>::v, of<FP>());
  printf("%d %d %d %d ", Of<FP[2]>::v, Of<Pair<1, 2>>::v, Of<Pair<5, 7>>::v, Of<P34>::v);
  printf("%d%d%d%d %d %d\\n", Number<GREEN>::v, Number<65>::v, Number<0x5>::v, Number<RED>::v, a, b);
  return 0;
}
""",
    "constructors that hand their work to one with arguments": """
struct A { int a[2]; A() : A(1) {} A(int x) : A(x, 9) {} A(int x, int y) : a{x, y} {} };
struct D { short a[3]; D(int x, int y = 4) : a{(short)x, (short)y} {} D() : D(2) {} };
struct B : D { B() : D(5, 6) {} };
int main() {
  A one, some[2][2], x(3), y(4, 5); D d, ds[2]; B bs[3];
  printf("%d %d %d %d ", one.a[1], some[1][0].a[0] * 10 + some[1][1].a[1], x.a[0] + x.a[1], y.a[1]);
  printf("%d %d %d %d\\n", d.a[1], ds[1].a[0], bs[2].a[0], bs[0].a[1]);
  return 0;
}
""",
    "of specialisations that fit the one without a pack is taken, and less than nothing is a number": """
template <int... r> struct Nest;
template <int dim, int b, int e, int s> struct Nest<dim, b, e, s> {
  static constexpr int kSize = (e - b + s - 1) / s;
  int get() const { return i_; }
  bool step() { if (i_ >= e - s) { i_ = b; return true; } i_ += s; return false; }
  int i_{b};
};
template <int dim, int b, int e, int s, int... r> struct Nest<dim, b, e, s, r...> {
  static constexpr int kSize = Nest<dim, r...>::kSize * Nest<dim + 1, b, e, s>::kSize;
  int get() const { return i_ * 100 + next_.get(); }
  bool step() { if (next_.step()) { if (i_ >= e - s) { i_ = b; return true; } i_ += s; } return false; }
  Nest<dim + 1, r...> next_{};
  int i_{b};
};
template <int... r> class All {
public:
  static constexpr int kSize = Nest<0, r...>::kSize;
  int get() const { return impl_.get(); }
  void operator++() { impl_.step(); }
  constexpr int size() const { return kSize; }
private:
  Nest<0, r...> impl_{};
};
void top(int o[64]) {
  auto l = All<0, 3, 1, -4, 10, 7>();
  for (int i = 0; i < l.size(); ++i, ++l) {
    o[i] = l.get();
  }
}
int main() { int o[64] = {0}; top(o); for (int i = 0; i < 8; ++i) printf("%d\\n", o[i]); return 0; }
""",
    "lists that set arrays": """
template <class... R> struct Flat {
  static constexpr int kDims = sizeof...(R) / 3;
  Flat(R... r) : r_{r...} { for (int i = 0; i < kDims; ++i) i_[i] = r_[3 * i]; }
  int operator[](int i) { return i_[i]; }
  void operator++() { step(kDims - 1); }
  void step(int k) { i_[k] += r_[3 * k + 2]; if (i_[k] >= r_[3 * k + 1]) i_[k] = r_[3 * k]; }
  int size() const { return (r_[1] - r_[0]) / r_[2]; }
private:
  int i_[kDims];
  const int r_[3 * kDims];
};
template <class... R> Flat<R...> flat(R... r) { return Flat<R...>(r...); }
struct Two {
  int a[2][3];
  int b[4];
  Two(int x) : a{{x, 2, 3}, {4, x + 1}}, b{1, x} {}
};
void top(int n, int o[64]) {
  auto l = flat(0, 12, 3, 1, 9, 2);
  for (int i = 0; i < l.size(); ++i, ++l) o[i] = l[0] * 10 + l[1];
  Two t(n);
  for (int i = 0; i < 6; i++) o[10 + i] = t.a[i / 3][i % 3];
  for (int i = 0; i < 4; i++) o[20 + i] = t.b[i];
}
int main() { int o[64] = {0}; top(5, o); for (int i = 0; i < 24; ++i) printf("%d\\n", o[i]); return 0; }
""",
    "members of structures with names of their own start from what they say": """
typedef struct Cell { int d[4] = {0}; int m[2][3] = {}; int n = 3; } cell_t;
typedef struct Pair { cell_t a; int k = 2; } Pair;
static int taken(cell_t c) { return c.d[1] * 100 + c.m[1][2] * 10 + c.n; }
int main() {
  cell_t x; x.d[1] += 5; x.m[1][2]++;
  for (int i = 0; i < 2; i++) { Cell y; y.d[i]++; y.n += x.n; x.d[1] += y.d[0] + y.d[3] + y.m[0][i]; x.n += y.n; }
  Pair p; p.a.d[1] += p.k;
  printf("%d %d %d\\n", taken(x), taken(p.a), x.m[1][2] + p.a.m[0][0]);
  return 0;
}
""",
    "arguments that calls of methods leave out": """
#define MOST 64
const int LEAST = 3;
struct Row { int n[4]; void add(int k, int by = MOST / 2 - LEAST, int twice = 0) { n[k] += by << twice; } };
struct Rows { Row r[2]; void set(int x = -1) { for (int i = 0; i < 2; i++) for (int j = 0; j < 4; j++) r[i].n[j] = x; }
  void add(int i) { r[i].add(i + 1); r[i].add(i, 5); r[i].add(i, 6, 1); } };
int main() {
  Rows a; a.set(); a.add(1); a.add(0); a.r[1].add(3);
  printf("%d %d %d %d %d\\n", a.r[0].n[0], a.r[0].n[1], a.r[1].n[1], a.r[1].n[2], a.r[1].n[3]);
  return 0;
}
""",
    "bindings that hide others": """
struct P { int a, b; };
static P get(int i) { P p; p.a = i; p.b = i + 1; return p; }
int main() {
  int y = 0; P x; x.a = 5; x.b = 7;
  auto [v, w] = get(3);
  { auto [v, z] = x; w += v * z; }
  for (int v = 0; v < 3; v++) { y += v * w; }
  if (y > 2) { int w = 4; y += w; int *p = &w; y += *p * v; }
  v += y; y += v * w;
  printf("%d %d %d\\n", v, w, y);
  return 0;
}
""",
    "classes in classes": """
struct Outer {
  typedef short num;
  static const int K = 3;
  struct Inner {
    num v; int w[2];
    Inner(int a, int b) : v(a) { w[0] = b; w[1] = a + K; }
    Inner() : v(7) { w[0] = w[1] = 1; }
    int sum() const { return v + w[0] * w[1]; }
    Inner operator+(const Inner &o) const { Inner t; t.v = v + o.v; t.w[0] = w[0]+o.w[0]; t.w[1] = t.v; return t; }
  };
  Inner a, b[2];
  struct Walk { Inner *none; int at; Walk() : none(0), at(0) {} void step(Inner &x) { at += x.sum(); } };
  Walk walk;
  Outer() : a(1, 2) { Inner t(5, 6); b[0] = t; }
  Inner both() { walk.step(a); return a + b[0] + b[1]; }
  int count();
};
int Outer::count() { Inner t(9, 2); return t.sum() + both().sum() + walk.at; }
struct Derived : Outer {
  Inner more() { Inner x(2, 2); return x + a; }
};
struct Other {
  struct Inner { int q; Inner(int x) : q(x) {} int twice() const { return 2 * q; } };
  int f(int x) { Inner i(x); return i.twice(); }
};
template <typename T> struct Box {
  struct Cell { T v; Cell() : v(3) {} void set(T x) { v = x * 2; } T get() const { return v; } };
  Cell cells[3];
  T all() { T s = 0; for (int i = 0; i < 3; i++) { cells[i].set(i + 1); s += cells[i].get(); } return s; }
};
int main() {
  Outer o; Derived d; Other other;
  Outer::Inner x(4, 5), y = o.both();
  Box<int> bi; Box<short> bs;
  Box<int>::Cell c;
  c.set(8);
  printf("%d %d %d %d\\n", x.sum(), y.sum(), o.count(), d.more().sum());
  printf("%d %d %d %d\\n", other.f(6), bi.all(), bs.all(), c.get());
  return 0;
}
""",
    "arrays of objects in objects": INNER
    + """struct Outer {
  Inner a, b[2], c;
  Outer() : a(1, 2) { Inner t(5, 6); b[0] = t; }
  int both() { return 1000 * a.sum() + 100 * b[0].sum() + 10 * b[1].sum() + c.sum(); }
};
struct Plain { Inner a, b[2]; };
int main() {
  Outer o; Plain p;
  printf("%d %d\\n", o.both(), p.a.sum() + 100 * p.b[1].sum());
  return 0;
}
""",
    "objects that methods build of members": INNER
    + """struct Outer {
  Inner a; int k;
  Outer() : a(1, 2), k(3) { }
  int both() { Inner t(5, 6); return a.sum() + t.sum(); }
  int more() { Inner t(k, k + 1); return a.sum() + t.sum(); }
};
int main() {
  Outer o;
  printf("both %d more %d\\n", o.both(), o.more());
  return 0;
}
""",
    "templates of one name in two instances": """
template <typename T> struct A {
  template <typename V> struct C { V v; T t; };
  C<char> c;
  int f() { return sizeof(c) * 10 + sizeof(C<char>); }
};
int main() {
  A<char> x; A<int> y;
  printf("of one: %d %d\\n", x.f(), y.f());

}
""",
    "variables that hide members": """
struct J {
  int a, n, b;
  J() { a = 1; n = 2; b = 3; }
  int f(int x) { int a = x; { int n = a + 1; a += n; } n += a; return a + n; }
  int g() { int b = 7; n = b; if (n > 3) { int a = 5; n += a; } a = n; return this->b + a; }
};
int main() { J j; J k[2]; k[0] = j; printf("%d %d %d %d\\n", k[0].f(5), k[0].g(), k[0].a, k[0].n); return 0; }
""",
    "a copy by a constructor of its own": """
struct C { int a, b; C() { a = 1; b = 2; } C(const C &o) { a = o.a * 3; b = o.b + 7; } };
static int taken(C c) { return c.a * 100 + c.b; }
static int seen(const C &c) { return c.a * 100 + c.b; }
static C made(int x) { C c; c.a += x; return c; }
static C back(C &c) { return c; }
int main() {
  C x; x.a = 5;
  C y = x; C z(y); const C k(z); C w = made(4);
  printf("%d %d %d %d %d ", seen(x), seen(y), seen(z), seen(k), seen(w));
  printf("%d %d %d ", taken(x), taken(made(2)), seen(x));
  C v = back(x); C u; u = x;
  printf("%d %d\\n", seen(v), seen(u));
  return 0;
}
""",
    "several objects in one declaration": """
struct P { int v; P(int q, int r = 2) { v = q * 10 + r; } P() { v = -1; } };
struct Q { int v, w; };
int main() {
  P one(1), two(2, 5), three = 3, four, five = P(6, 7), six{8}, seven = {9, 1};
  Q a = {1, 2}, b = a, c; c = b; c.w = 9;
  static P kept; kept.v = 4;
  const P last(7), late = 8;
  printf("%d %d %d %d %d %d %d %d\\n", one.v, two.v, three.v, four.v, five.v, six.v, seven.v, kept.v);
  printf("%d %d %d %d %d %d\\n", a.v, a.w, b.w, c.w, last.v, late.v);
  return 0;
}
""",
    "a number becomes an object with an array": """
struct B {
  int d[4];
  B() { for (int i = 0; i < 4; i++) d[i] = i; }
  B(int x) { fill(x); }
  B(const B &o) { for (int i = 0; i < 4; i++) d[i] = o.d[3 - i]; }
  void fill(int x) { for (int i = 0; i < 4; i++) d[i] = x * i; }
  int at(int i) const { return d[i]; }
};
int main() {
  B a = 5, b, c = a; b = 7;
  for (int i = 0; i < 4; i++) printf("%d %d %d ", a.at(i), b.at(i), c.at(i));
  printf("\\n");
  return 0;
}
""",
    "arrays of objects": """
struct A { int v, n; A() : v(3), n(1) {} A(int x) : v(x), n(9) {} void add(int x) { v += x; n++; } };
struct H { A a; int k; H() { k = a.v + 2; } };
struct P { int v; P(int x) { v = x; } P() {} };
int main() {
  A c[4], d[2][3], one; H h[2]; P p[3]; A e[2] = {A(5), A(6)};
  for (int i = 0; i < 3; i++) { c[i + 1].add(i); d[i & 1][i].add(7); p[i].v = i; }
  for (int i = 0; i < 4; i++) printf("%d %d ", c[i].v, c[i].n);
  for (int i = 0; i < 6; i++) printf("%d ", d[i / 3][i % 3].v);
  printf("%d %d %d %d %d\\n", one.v, h[1].k, h[0].a.n, p[2].v, e[1].v + e[0].n);
  return 0;
}
""",
    "bases that are constructed": """
struct B { int t, id, n; B() {} B(int t, int id) : t(t), id(id), n(0) {}
  B(int t, int id, int n) : t(t), id(id), n(n) {} };
struct D : public B {
  int x; D() {} D(const B &b) : B(b.t, b.id, b.n) {} D(const B &b, int x) : B(b.t, b.id), x(x) {}
  int sum() { return t + id * 10 + n * 100 + x * 1000; }
};
struct E : D { int y; E(int k) : D(B(k, 2), 3), y(k * 2) {} int all() { return sum() + y; } };
struct F : B { int q; F(const B &b) : B(b), q(7) { id += 1; } };
struct I { int a, b; I() : a(4) { b = a + 1; } };
struct J : I { int c; J() { c = a + b; } };
struct K : I { int c; };
int main() {
  B b(1, 2); D d(b), d2(b, 5); d.x = 9; D d3 = B(3, 4); d3.x = 1; E e(6); F f(b); J j; K k; k.c = 3;
  printf("%d %d %d %d %d %d %d %d\\n", d.sum(), d2.sum(), d3.sum(), e.all(), f.id, f.q, j.c, k.a + k.b + k.c);
  return 0;
}
""",
    "objects that hold objects": """
struct T { int a, b; T() { a = 3; b = 1; } T(int x, int y) : a(y), b(x) { a += 1; } };
struct H { T t; int k; };
struct C { T t; int k; C() {} C(int k, T t) : t(t), k(k) {} int sum() const { return t.a * 10 + t.b + k * 100; } };
static int total(const C &c) { return c.sum(); }
static int held(H h) { return h.t.a + h.t.b * 10 + h.k * 100; }
int main() {
  H h; h.k = 2; H two[2]; two[1].k = 1; H copy = h; copy.t.a = 9;
  printf("%d %d %d %d %d\\n", total(C(1, T(4, 5))), total(C(0, T(h.k, 7))), held(h), held(two[1]), held(copy));
  return 0;
}
""",
    "defaults that what is deduced decides": """
template <typename T, typename S = T, int N = sizeof(T) * 3> static S total(T x, T y) {
  S s = x; for (int i = 0; i < N; i++) s += y;
  return s;
}
int main() {
  unsigned char a = 200, b = 100; int c = 200, d = 100;
  printf("%d %d ", (int)total(a, b), total(c, d)); printf("%d\\n", total<unsigned char, int>(a, b));
  return 0;
}
""",
    "references to values": """
static int read(int &&t) { return t + 1; }
static int both(int &&t) { t += 3; return t * 2; }
int main() {
  int k = 5; int &&r = k * 2; int &&q = std::move(k);
  q += 1; r += 1;
  printf("%d %d %d %d\\n", read(std::move(r)), k, r, q);
  printf("%d ", both(std::move(k))); printf("%d %d\\n", k, q);
  return 0;
}
""",
    "initial values of members of objects in lists": """
enum { FOUR = 4 };
struct In { int u = 9; int v[3] = {1, 2}; };
struct Cfg { int n = FOUR; int m{8}; short d[2] = {3, 5}; int e[2][2] = {{6}, {7, 2}}; int rest; In in; In own = {4}; In last{3, {5}}; };
struct Flat { int a, b[2]; };
struct Deep { int a = 1; Cfg c[2]; };
static const Cfg whole{};
static Cfg zeroth;
const Cfg some = {1, 2, {30}};
static const In table[3] = {{1}, {}};
static int sum_in(const In &x) { return x.u + 10 * x.v[0] + 100 * x.v[1] + 1000 * x.v[2]; }
static int sum(const Cfg &x) {
  return x.n + 3 * x.m + 5 * x.d[0] + 7 * x.d[1] + 11 * x.e[0][0] + 13 * x.e[0][1] + 17 * x.e[1][0] + 19 * x.e[1][1]
    + 23 * x.rest + 29 * sum_in(x.in) + 31 * sum_in(x.own) + 37 * sum_in(x.last);
}
int main() {
  int k = 3; Cfg local = {k}; Cfg empty{}; In both[2] = {{k, {k + 1, 2, 3}}, In()}; In rest[2]{}; Cfg inner{1, 2, {}, {}, 5, {k}, {}}; Cfg made; Deep deep;
  Cfg designated = {.m = k, .in = {.u = 2}}; static Cfg kept = {}; static In again; Flat f{k}, g[2] = {{1, {2}}};
  kept.n += k; made.rest = deep.c[1].rest = 0; const In fixed[1] = {};
  printf("%d %d %d %d ", sum(whole), sum(zeroth), sum(some), sum_in(table[0]) + 2 * sum_in(table[1]) + 3 * sum_in(table[2]));
  printf("%d %d %d %d ", sum(local), sum(empty), sum_in(both[0]) + 2 * sum_in(both[1]), sum_in(rest[1]));
  printf("%d %d %d %d ", sum(inner), sum(designated), sum(kept), sum_in(again));
  printf("%d %d %d %d %d\\n", sum(made), sum(deep.c[1]), f.a + f.b[1], g[0].b[0] + g[1].a, sum_in(fixed[0]));
  return 0;
}
""",
    "lists where no object is declared": """
struct W { int a = 5; int b = 6; };
struct C { int a = 5; int b = 6; C() {} C(int x) : a(x) {} };
static int take(W w) { return w.a * 10 + w.b; }
static int take_c(C c) { return c.a * 10 + c.b; }
static W none() { return {}; }
static C none_c() { return {}; }
static W whole() { return {1, 2}; }
static W named() { return W{3}; }
int main() {
  W w = W{4}; auto v = W{1}; constexpr W u{3}; const W &r = W{8};
  printf("%d %d %d %d ", take(none()), take_c(none_c()), take(whole()), take(named()));
  printf("%d %d %d %d %d %d\\n", take({}), take(W{7}), w.b, v.b, u.b, r.b);
  w = {}; printf("%d ", take(w)); w = W{2}; printf("%d\\n", take(w));
  return 0;
}
""",
    "the same bits as another type": """
int main() {
  unsigned u = 4000000000u; int s = *reinterpret_cast<int *>(&u); *(unsigned *)&s += 1;
  printf("%d %u %d\\n", s, u, *(int *)&u / 2);
  return 0;
}
""",
}


@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is the oracle")
@pytest.mark.parametrize("text", RUNS.values(), ids=RUNS)
def test_objects_begin_as_the_compiler_makes_them(text: str, tmp_path: Path) -> None:
    text = "#include <stdio.h>\n#include <utility>\n" + text
    program = load(["t.cpp"], FrontendOptions(), lambda _: text.encode())
    assert program.units[0].error is None and not program.holes, program.diagnostics
    expected = _run(text, tmp_path, "source")
    assert len(expected) > 8
    assert _run(CxxPrinter(program).text(), tmp_path, "printed") == expected


def _run(text: str, folder: Path, name: str) -> str:
    path = folder / f"{name}.cpp"
    path.write_text(text)
    command = ["g++", "-std=c++17", "-w", "-fno-strict-aliasing", "-o", folder / name, path]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return subprocess.run([folder / name], check=True, capture_output=True, text=True, timeout=10).stdout


NOT_TOLD = {
    "a variable hides the name of a value": "int g = 4; struct A { int y = g; };\nint f() { int g = 1; A a{}; return a.y + g; }",
    "a list that may be a copy": "struct I { int p = 2; int q = 3; };\nint f(I i) { I j{i}; return j.q; }",
    "a list of what is inherited": "struct B { int p; int q; }; struct D : B { int r; };\n"
    "int f() { D d = {{4}, 5}; return d.q; }",
    "a base made of a list": "struct B { int p; int q; }; struct D : B { int r; D(int w) : B{w}, r(w) {} };\n"
    "int f() { D d(3); return d.p; }",
    "a member that hides an inherited one": "struct B { int p = 1; }; struct D : B { int p = 5; };\n"
    "int f() { D d; return d.p; }",
    "a member made of a list": "struct P { int a; int b; }; struct H { P p; H(int v) : p{v} {} };\n"
    "int f() { H h(3); return h.p.b; }",
    "a list that leaves values to the class": "struct W { int a = 5; int b = 6; };\nW f() { return {1}; }",
}


@pytest.mark.parametrize("text", NOT_TOLD.values(), ids=NOT_TOLD)
def test_what_begins_otherwise_is_not_told(text: str) -> None:
    program = load(["t.cpp"], FrontendOptions(), lambda _: text.encode())
    functions = program.functions.values()
    every = [e for f in functions for s in ir.walk_statements(f.body) for x in ir.expressions(s) for e in ir.walk(x)]
    every += [e for v in program.variables if v.init is not None for e in ir.walk(v.init)]
    assert program.holes or any(isinstance(e, ir.OpaqueExpr) for e in every)


WIDE = """#include <ap_int.h>
#include <hls_stream.h>
template <typename T, unsigned N> class Wide {
  T v[N];
 public:
  typedef ap_uint<N * sizeof(T) * 8> Bits;
  T &operator[](unsigned i) { return v[i]; }
  const T &operator[](unsigned i) const { return v[i]; }
  Wide() {
#pragma HLS ARRAY_PARTITION variable = v complete dim = 1
  }
  Wide(const Wide &o) {
#pragma HLS ARRAY_PARTITION variable = v complete dim = 1
    set(o);
  }
  Wide(const Bits &b) {
#pragma HLS ARRAY_PARTITION variable = v complete dim = 1
    set(b);
  }
  void set(const Wide &o) { for (int i = 0; i < N; i++)
#pragma HLS UNROLL
    v[i] = o[i]; }
  void set(const Bits &b) { for (int i = 0; i < N; i++) {
#pragma HLS UNROLL
    ap_uint<32> part = b.range(32 * i + 31, 32 * i);
    v[i] = *reinterpret_cast<T *>(&part); } }
  operator const Bits() { Bits b; for (int i = 0; i < N; i++)
#pragma HLS UNROLL
    b.range(32 * i + 31, 32 * i) = v[i];
    return b; }
  T *address() { for (int i = 0; i < N; i++) {
#pragma HLS PIPLINE
    v[i] = 1; } return &v[0]; }
};
"""
LOOP = """void top(hls::stream<Wide<int, 4>::Bits> &in, hls::stream<Wide<int, 4>::Bits> &out) {
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    BODY
  }
}
"""


def figures(body: str) -> tuple[int | None, str | None]:
    text = WIDE + LOOP.replace("BODY", body)
    pipeline = Pipeline(["t.cpp"], Options(), read=lambda path: text.encode())
    (loop,) = (x for x in pipeline.figures.loops if x.function == "top")
    return loop.ii, loop.cause


@pytest.mark.parametrize(
    ("body", "ii"),
    [
        ("Wide<int, 4> x = in.read(); out.write(x);", 1),
        ("Wide<int, 4> x; x = in.read(); Wide<int, 4> y = x; y[1] = x[2]; out.write(y);", 1),
        (
            "Wide<int, 4> x = in.read(), y(in.read()); for (int j = 0; j < 4; j++) x[j] += y[j]; out.write(x);",
            2,
        ),
    ],
)
def test_objects_with_arrays_are_made_from_words(body: str, ii: int) -> None:
    assert figures(body) == (ii, None)


ROWS = """
void rows(int a[64], int b[64]) {
  Wide<int, 8> w[16], v[2][(8)];
  for (int i = 0; i < 16; i++) {
#pragma HLS PIPELINE
    for (int j = 0; j < 8; j++) { w[i][j] = a[i] + j; v[i / 8][i % 8][j] = j; }
  }
  for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE
    b[i] = w[i][0] + w[i][1] + w[i][5] + w[i][6] + v[1][i][0] + v[1][i][1] + v[1][i][4] + v[1][i][7];
  }
}
"""


def test_directives_of_a_constructor_are_behind_the_dimensions_of_an_array() -> None:
    text = WIDE + ROWS
    found = Pipeline(["t.cpp"], Options(), read=lambda path: text.encode()).figures.loops
    assert [(x.ii, x.cause) for x in found if x.function == "rows"] == [(1, None)] * 2
    program = Pipeline(["t.cpp"], Options(), read=lambda path: text.encode()).program
    dims = {program.variable(d.variables[0]).name: d.values.get("dim") for d in program.directives if d.variables}
    assert (dims["w"], dims["v"]) == (2, 3)


BRACES = """#include <hls_stream.h>
struct W { int d, k; W() {} W(int d, int k) : d(d), k(k) {} };
void f(hls::stream<W> &in, hls::stream<W> &out) {
#pragma HLS PIPELINE II=1
  W w = {0, 0}, v;
  v = {1, 2};
  if (!in.empty()) { in.read(w); w.d += v.k; }
  out.write(w);
}
"""


WORDS = """#include <ap_int.h>
#include <hls_stream.h>
struct T { ap_uint<32> a, b; T() {} T(ap_uint<32> x, ap_uint<32> y) : a(y), b(x) { a += 1; } };
struct C { T t; bool k; C() {} C(bool k, T t) : t(t), k(k) {} };
void f(ap_uint<32> x, ap_uint<32> n, hls::stream<C> &out, hls::stream<T> &other) {
  for (int i = 0; i < n; i++) {
#pragma HLS PIPELINE
    out.write(C(false, T(n, x)));
    other.write(T((x, n), n));
  }
}
"""


def test_arguments_of_a_constructor_are_no_concatenation() -> None:
    (found,) = Pipeline(["t.cpp"], Options(), read=lambda path: WORDS.encode()).figures.loops
    assert (found.ii, found.cause) == (1, None)


def test_words_joined_by_a_method_and_by_a_comma() -> None:
    """``x.concat(n)`` is ``(x, n)``: as wide, of the same figures."""
    text = """#include <ap_int.h>
void f(ap_uint<20> x[64], ap_uint<12> n, ap_uint<32> out[64]) {
  for (int i = 0; i < 64; i++) out[i] = WORD + ap_uint<32>(7);
}
"""
    found = []
    for word in ("x[i].concat(n)", "(x[i], n)"):
        pipeline = Pipeline(["t.cpp"], Options(), read=lambda path, word=word: text.replace("WORD", word).encode())
        (loop,) = pipeline.figures.loops
        found.append((loop.ii, loop.depth, loop.cause))
    assert found[0] == found[1] and found[0][::2] == (1, None)


def test_values_in_braces_are_of_the_type_that_takes_them() -> None:
    (found,) = Pipeline(["t.cpp"], Options(), read=lambda path: BRACES.encode()).figures.loops
    assert (found.ii, found.cause) == (1, None)


def test_what_nobody_names_of_a_template_is_not_instantiated() -> None:
    body = "Wide<int, 4> x = in.read(); out.write(x);"
    assert figures(body + " x.address();")[0] is None
    text = WIDE + LOOP.replace("BODY", body)
    pipeline = Pipeline(["t.cpp"], Options(), read=lambda path: text.encode())
    assert not any("address" in name for name in pipeline.program.functions)
    unread = [p for p in pipeline.program.pragmas if p.unread is not None]
    copies = 2 * [("HLS ARRAY_PARTITION variable = v complete dim = 1", False)]  # of constructors that are not called
    assert [(p.text, p.unread.in_loop) for p in unread if p.unread] == [("HLS PIPLINE", True), *copies]
    whole = text + "template class Wide<short, 2>;\n"
    program = Pipeline(["t.cpp"], Options(), read=lambda path: whole.encode()).program
    assert any("address" in name for name in program.functions)


HELD = """struct Hit { int x VALUE; short y VALUE; static const int count = 2; };
struct Track { Hit hits[4]; int s; };
struct Event { Track tracks[2]; };
int same(const Track &a, const Track &b) {
  int n = 0;
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++)
      n += a.hits[i].x == b.hits[k].x;
  return n;
}
void top(Track in[64], int out[64], Event &e) {
  Track buf[64];
#pragma HLS ARRAY_PARTITION variable=buf complete
COPY:
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    buf[i] = in[i];
  }
PAIRS:
  for (int i = 0; i < 63; i++) {
#pragma HLS PIPELINE
    out[i] = same(buf[i], buf[i + 1]) + e.tracks[1].hits[3].y;
  }
}
"""


@pytest.mark.parametrize("value", ["= 0", "{}", "= Hit::count"])
def test_what_holds_objects_with_initial_values_is_made_of_them(value: str) -> None:
    def loops(text: str) -> dict[str, tuple[object, ...]]:
        found = Pipeline(["t.cpp"], Options(), read=lambda path: text.encode()).figures.loops
        return {x.name: (x.ii, x.depth, x.latency) for x in found if x.pipelined}

    plain, made = (loops(HELD.replace("VALUE", v)) for v in ("", value))
    assert {name: made[name] for name in plain} == plain and [x[0] for x in plain.values()] == [1, 1]


JOINED = """#include <hls_stream.h>
#include <ap_int.h>
void top(hls::stream<ap_uint<64>> &in, ap_uint<32> a[64], ap_uint<24> b[64], ap_uint<8> c[64]) {
  ap_uint<16> lo, hi;
SPLIT:
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    FIRST
  }
HALVES:
  for (int i = 1; i < 64; i++) {
#pragma HLS PIPELINE
    SECOND
    b[i] = hi + lo;
  }
}
"""


def test_an_assignment_to_numbers_in_brackets_is_one_to_the_bits_of_each() -> None:
    def found(first: str, second: str) -> tuple[list[tuple[object, ...]], list[tuple[str, str]]]:
        text = JOINED.replace("FIRST", first).replace("SECOND", second)
        pipeline = Pipeline(["t.cpp"], Options(), read=lambda path: text.encode())
        loops = [(x.name, x.ii, x.depth, x.dsp) for x in pipeline.figures.loops]
        return loops, sorted((a.kind, str(a.map)) for a in pipeline.analysis.accesses)

    said = found("(a[i], b[i], c[i]) = in.read();", "(hi, lo) = a[i] + b[i - 1];")
    bits = "ap_uint<64> w = in.read(); c[i] = w.range(7, 0); b[i] = w.range(31, 8); a[i] = w.range(63, 32);"
    assert said == found(bits, "ap_uint<32> w = a[i] + b[i - 1]; lo = w.range(15, 0); hi = w.range(31, 16);")
    assert [x[1] for x in said[0]] == [1, 2]
