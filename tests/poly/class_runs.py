"""Runs of C++ kernels whose arrays note every access, and what the analysis claims of the same kernels.

Arrays are declared one to a declaration, of numbers, with constant extents: each becomes an object whose elements note
reads and writes. Elements are compared by the name of their array; objects of one class have one name in common.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path

from poly_oracle import claimed

import hlspart.verification
from hlspart.accesses import analyse
from hlspart.frontend import load
from hlspart.model import program as ir
from hlspart.model.options import FrontendOptions
from hlspart.transform.inline import inline
from hlspart.transform.members import separate

Visits = Counter[tuple[str, tuple[int, ...], str]]

NOTES = r"""
#include <cstdio>
#include <utility>
static bool noting = false;
template <class T> struct Cell {
  T v; const char *name; int at[3]; int n;
  Cell() : v(), name(""), n(0) {}
  void note(char kind) const {
    if (!noting) return;
    std::printf("%s %c", name, kind);
    for (int i = 0; i < n; i++) std::printf(" %d", at[i]);
    std::printf("\n");
  }
  operator T() const { note('r'); return v; }
  Cell &operator=(const Cell &o) { T x = o; note('w'); v = x; return *this; }
  template <class U> Cell &operator=(const U &o) { T x = o; note('w'); v = x; return *this; }
  template <class U> Cell &operator+=(const U &o) { T y = o; note('r'); note('w'); v += y; return *this; }
};
template <class T, int N, int... M> struct Noted {
  typedef Noted<T, M...> Row;
  Row rows[N];
  Noted(const char *name = "") { int at[3]; set(name, at, 0); }
  void set(const char *name, int *at, int k) {
    for (int i = 0; i < N; i++) { at[k] = i; rows[i].set(name, at, k + 1); }
  }
  Row &operator[](int i) { return rows[i]; }
  const Row &operator[](int i) const { return rows[i]; }
};
template <class T, int N> struct Noted<T, N> {
  Cell<T> cells[N];
  Noted(const char *name = "") { int at[3]; set(name, at, 0); }
  void set(const char *name, int *at, int k) {
    for (int i = 0; i < N; i++) {
      cells[i].name = name; cells[i].n = k + 1; at[k] = i;
      for (int j = 0; j <= k; j++) cells[i].at[j] = at[j];
    }
  }
  Cell<T> &operator[](int i) { return cells[i]; }
  const Cell<T> &operator[](int i) const { return cells[i]; }
  Cell<T> *begin() { return cells; }
  Cell<T> *end() { return cells + N; }
};
"""
_ARRAY = re.compile(r"(const )?\b(int|float|T|ap_u?int<\d+>) (\w+)((?:\[[\w: +]+\])+)(;|,|\))")


def noted(text: str) -> str:
    """A kernel whose arrays note accesses."""

    def one(found: re.Match[str]) -> str:
        const, of, name, extents, end = found.groups()
        sizes = ", ".join(re.findall(r"\[([^\]]+)\]", extents))
        if end == ";":
            return f'Noted<{of}, {sizes}> {name}{{"{name}"}};'
        return f"{const or ''}Noted<{of}, {sizes}> &{name}{end}"

    return _ARRAY.sub(one, text)


def visits(kernels: dict[str, str], folder: Path) -> dict[str, Visits]:
    """What the top function of each kernel reads and writes, by name of the kernel."""
    pieces, calls, includes = [], [], set()
    for name, text in kernels.items():
        body = noted(text)
        includes |= set(re.findall(r"#include .*", body))
        body = re.sub(r"#include .*", "", body)
        pieces.append(f"namespace {name} {{\n{body}\n}}")
        head = re.search(r"\bvoid top\(([^{]*)\) \{", body)
        assert head is not None
        params = [p.strip() for p in re.split(r",(?![^<]*>)", head.group(1))]
        declared, given = [], []
        for k, param in enumerate(params):
            what = param.removeprefix("const ")
            if what.startswith("Noted"):
                kind, _, own = what.rpartition(" &")
                declared.append(f'static {kind} p{k}("{own}");')
            elif "[" in what:
                of, own, size = re.fullmatch(r"(\w+) (\w+)(\[.*\])", what).groups()  # type: ignore[union-attr]
                declared.append(f"static {name}::{of} p{k}{size};")
            elif "*" in what:
                declared.append(f"static {what.split()[0]} p{k}[4];")
            else:
                of = what.split()[0]
                declared.append(f"static {of if of == 'int' else f'{name}::{of}'} p{k};")
            given.append(f"p{k}")
        call = " ".join(declared) + f' std::printf("@{name}\\n"); noting = true; {name}::top({", ".join(given)});'
        calls.append("{ " + call + " noting = false; }")
    source = NOTES + "\n".join([*sorted(includes), *pieces, "int main() {", *calls, "}"])
    source = "\n".join(line for line in source.split("\n") if not line.startswith("#pragma"))
    (folder / "run.cpp").write_text(source)
    headers = Path(hlspart.verification.__file__).parent / "headers"
    subprocess.run(
        ["g++", "-std=gnu++17", "-w", "-O0", f"-I{headers}", "run.cpp", "-o", "run"],
        cwd=folder,
        check=True,
        timeout=300,
    )
    out = subprocess.run(["./run"], cwd=folder, check=True, capture_output=True, text=True, timeout=60).stdout
    found: dict[str, Visits] = {}
    for line in out.splitlines():
        if line.startswith("@"):
            current = found[line[1:]] = Counter()
        else:
            array, kind, *at = line.split()
            current[array, tuple(map(int, at)), kind] += 1
    return found


def claims(path: Path) -> tuple[Visits, set[str]]:
    """What the analysis says the top function of a file reads and writes with scalar arguments that are zero.

    With it the arrays of which it does not know all.
    """
    program = load([str(path)], FrontendOptions())
    assert program.units[0].error is None and not [h for h in program.holes if h.at.path == str(path)], program.holes
    copy, _ = separate(program, ("top",), "apart")
    expanded, _ = inline(copy, "top")
    analysis = analyse(expanded, "top")
    found: Visits = Counter()
    unknown: set[str] = set()
    for access in analysis.accesses:
        if access.function != "top":
            continue
        variable = expanded.variable(access.array)
        name = variable.name.rpartition(".")[2]
        if not access.affine or not access.exact or not isinstance(variable.type, (ir.ArrayType, ir.PointerType)):
            unknown.add(name)
            continue
        for element, count in claimed(access, {"m": 0, "k": 0}).items():
            found[name, element, access.kind[0]] += count
    return found, unknown
