"""What functions of whole numbers return for constants: the values that g++ computes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hlspart.frontend import load
from hlspart.frontend.compile_time import evaluate
from hlspart.model.options import FrontendOptions
from hlspart.model.program import Call, Program, walk
from hlspart.semantics.effects import statement_expressions

FUNCTIONS = """#include <stdint.h>
constexpr int log2c(unsigned v) { int r = 0; for (; v > 1; v >>= 1) r++; return r; }
constexpr unsigned long ceil_log2(unsigned long v) { if (v <= 1) return 0; return 1 + ceil_log2((v + 1) / 2); }
constexpr int gcd(int a, int b) { while (b != 0) { const int t = a % b; a = b; b = t; } return a; }
constexpr int clamp(int v, int low, int high) { if (v < low) { return low; } else if (v > high) return high; return v; }
constexpr unsigned char narrow(int v) { unsigned char c = v; c += 200; --c; return c; }
constexpr int odd(int n) { int s = 0;
    for (int i = 0; i < n; i++) { if (i % 2 == 0) continue; if (i > 9) break; s += i; } return s; }
constexpr int doubled(int n) { int k = 1, steps = 0; do { k *= 2; ++steps; } while (k < n); return k * 100 + steps; }
constexpr uint32_t hash(uint32_t v) { v ^= v << 13; v ^= v >> 17; v ^= v << 5; return v; }
constexpr int bits(int64_t v) { int n = 0; while (v) { n += v & 1; v = (v >> 1) & 0x7fffffffffffffff; } return n; }
"""
CALLS = [
    "log2c(1)", "log2c(1000)", "log2c(1u << 31)", "ceil_log2(1)", "ceil_log2(1000)", "ceil_log2(1025)", "gcd(84, 36)",
    "gcd(-12, 18)", "clamp(5, 0, 3)", "clamp(-5, 0, 3)", "clamp(2, 0, 3)", "narrow(100)", "narrow(-1)", "odd(6)",
    "odd(40)", "doubled(1)", "doubled(100)", "hash(1)", "hash(0xdeadbeef)", "bits(-1)", "bits(255)",
    "clamp(gcd(9, 6), log2c(32), 7)",
]  # fmt: skip
OPEN = """int seen;
int counts(int v) { seen = v; return v; }
int many(int v) { while (true) v++; return v; }
int reads(int v) { return v + seen; }
int table(int v) { int t[3] = {1, 2, 3}; t[0] = v; return t[0]; }
int kept(int v) { static int n = 0; n += v; return n; }
int unset(int v) { int n; if (v > 100) n = 1; return n; }
"""


def _program(text: str) -> Program:
    return load(["k.cpp"], FrontendOptions(), read=lambda _: text.encode())


def test_values_are_those_of_a_compiler(tmp_path: Path) -> None:
    source = tmp_path / "k.cpp"
    prints = "\n".join(f'printf("%lld ", (long long)({c}));' for c in CALLS)
    source.write_text(f"#include <stdio.h>\n{FUNCTIONS}int main() {{\n{prints}\n}}\n")
    subprocess.run(["g++", "-std=c++17", "-w", "-o", str(tmp_path / "k"), str(source)], check=True)
    out = subprocess.run([str(tmp_path / "k")], check=True, capture_output=True, text=True).stdout
    program = _program(FUNCTIONS)
    assert [evaluate(c, program, None) for c in CALLS] == [int(x) for x in out.split()]


@pytest.mark.parametrize("call", ["counts(1)", "many(1)", "reads(1)", "table(1)", "kept(1)", "unset(1)"])
def test_what_is_more_than_its_own_whole_numbers_has_no_value(call: str) -> None:
    assert evaluate(call, _program(OPEN), None) is None


def test_loops_of_functions_stay_hardware_unless_the_language_wants_the_value() -> None:
    loops = "int r = 0; for (; v > 1; v >>= 1) r++; return r;"
    text = f"constexpr int asked(unsigned v) {{ {loops} }}\nint plain(unsigned v) {{ {loops} }}\n"
    text += "void f(int a[8]) { int x[asked(32)]; a[0] = asked(8); a[1] = plain(8); x[a[2]] = 1; a[3] = x[a[1]]; }\n"
    program = _program(text)
    assert next(v.dims for v in program.variables if v.name == "x") == (5,)
    called = {
        e.function
        for top in statement_expressions(program, program.functions["f"].body)
        for e in walk(top)
        if isinstance(e, Call)
    }
    assert called == {"plain"}
