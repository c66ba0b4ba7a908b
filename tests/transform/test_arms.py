"""Arms that a constant test never takes: gcc says which one runs, a text without the others has the same figures."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hlspart.frontend import load
from hlspart.model import program as ir
from hlspart.model.options import FrontendOptions, Options
from hlspart.pipeline import Pipeline
from hlspart.transform.arms import without_dead_arms

TESTS = (
    "8 > 4", "N == 4", "N != 4 || M", "-1 > 0u", "(unsigned char)300 > 50", "N - 5 < 0", "M - 5u < 3",
    "N / 3 * 3 == N",
    "(1 << N) > 15 && !M", "~N == -5", "~M > 5", "-M > 2",
    "K % 3", "sizeof(int) == 4", "2.5 * N > 9.9", "(signed char)200 < 0", "0", "M",
)  # fmt: skip


def text(test: str, arms: str) -> str:
    head = "static const int N = 4; static const unsigned M = 3; enum { K = 7 };\n"
    return head + f"int decided(int x) {{ if ({test}) {arms} return x; }}\n"


def loaded(source: str) -> ir.Program:
    return load(["t.c"], FrontendOptions(), lambda _: source.encode())


def test_the_arm_that_stays_is_the_one_that_runs(tmp_path: Path) -> None:
    decided = 0
    for number, test in enumerate(TESTS):
        source = text(test, "{ x = 1; } else { x = 2; }")
        path = tmp_path / f"t{number}"
        path.with_suffix(".c").write_text(
            "#include <stdio.h>\n" + source + 'int main() { printf("%d", decided(0)); }\n'
        )
        subprocess.run(["gcc", "-w", "-o", path, path.with_suffix(".c")], check=True, capture_output=True)
        runs = subprocess.run([path], check=True, capture_output=True, text=True).stdout
        made = without_dead_arms(loaded(source)).functions["decided"]
        if any(isinstance(s, ir.If) for s in ir.walk_statements(made.body)):
            continue
        decided += 1
        stored = (s.expr for s in ir.walk_statements(made.body) if isinstance(s, ir.ExprStmt))
        assigned = [e.value for e in stored if isinstance(e, ir.Assign)]
        assert [v.text for v in assigned if isinstance(v, ir.Const)] == [runs], test
    assert decided >= len(TESTS) - 3


@pytest.mark.parametrize(
    ("test", "arms"),
    [
        ("x > 3", "{ x = 1; } else { x = 2; }"),
        ("0", "{ in: x = 1; } else { if (x) goto in; }"),
        ("x && 0", "{ x = 1; }"),
    ],
)
def test_what_may_run_stays(test: str, arms: str) -> None:
    program = loaded(text(test, arms))
    assert without_dead_arms(program) is program


SWITCHES = (
    ("switch (N) { case 3: x = 1; break; case 4: x = 2; break; default: x = 3; }", "x = 2;"),
    ("switch (N) { case 4: x += 5; case 5: x *= 2; break; case 6: x = 9; }", "x += 5; x *= 2;"),
    ("switch (M * 9) { case 3: x = 1; break; case 4: x = 2; }", ";"),
    ("switch (M) { default: x = 8; case 1: x += 2; break; case 4: x = 2; }", "x = 8; x += 2;"),
    ("switch (K) { case 0 ... 6: { x = 1; break; } case 7 ... 9: { x = 4; break; } }", "{ x = 4; }"),
    ("switch (N - 5) { case -1: x = 6; break; default: x = 7; }", "x = 6;"),
    ("switch (N) { case 1: case 4: case 9: if (x) { x = 3; } else { x = 5; } }", "if (x) { x = 3; } else { x = 5; }"),
    (
        "switch (N) { case 4: for (int i = 0; i < 9; i++) { if (i == 5) break; x++; } break; case 2: x = 0; }",
        "for (int i = 0; i < 9; i++) { if (i == 5) break; x++; }",
    ),
)


@pytest.mark.parametrize(("form", "same"), SWITCHES)
def test_of_a_decided_switch_the_case_stays(form: str, same: str, tmp_path: Path) -> None:
    forms = {"a": text("x < 9", f"{{ {form} }}"), "b": text("x < 9", f"{{ {same} }}")}
    runs = set()
    for name, source in forms.items():
        path = tmp_path / name
        driver = '#include <stdio.h>\nint main() { printf("%d %d", decided(0), decided(3)); }\n'
        path.with_suffix(".c").write_text(source + driver)
        subprocess.run(["gcc", "-w", "-o", path, path.with_suffix(".c")], check=True, capture_output=True)
        runs.add(subprocess.run([path], check=True, capture_output=True, text=True).stdout)
    assert len(runs) == 1
    said = []
    for source in forms.values():
        program = without_dead_arms(loaded(source))
        statements = list(ir.walk_statements(program.functions["decided"].body))
        said.append([program.text(s.at) for s in statements if isinstance(s, ir.ExprStmt | ir.Loop | ir.Jump)])
    assert said[0] == said[1]


@pytest.mark.parametrize(
    "form",
    [
        "switch (x) { case 1: x = 2; }",
        "switch (N) { case 4: if (x) break; x = 3; }",
        "switch (N) { case 3: x = 1; int y; case 4: y = 2; x = y; }",
        "switch (N) { if (x) { case 4: x = 3; } }",
    ],
)
def test_a_switch_that_is_not_decided_stays(form: str) -> None:
    program = loaded(text("x", f"{{ {form} }}"))
    assert without_dead_arms(program) is program


LOOPS = """template <int IN, int OUT> void conv(int a[64], int b[64], unsigned n) {
  if (IN > OUT) {
    for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
      b[i] = a[i] * 3;
    }
  } else {
    for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE
      b[i] = a[i] / n;
    }
  }
}
void top(int a[64], int b[64], unsigned n) { conv<IN, OUT>(a, b, n); }
"""
APART = """void conv(int a[64], int b[64], unsigned n) {
  for (int i = 0; i < TRIP; i++) {
#pragma HLS PIPELINE
    b[i] = a[i] OPERATION;
  }
}
void top(int a[64], int b[64], unsigned n) { conv(a, b, n); }
"""


@pytest.mark.parametrize(("arguments", "trip", "operation"), [((8, 4), 64, "* 3"), ((4, 8), 32, "/ n")])
def test_an_instance_has_the_hardware_of_its_own_arms(arguments: tuple[int, int], trip: int, operation: str) -> None:
    def figures(source: str) -> tuple[object, ...]:
        found = Pipeline(["t.cpp"], Options(), read=lambda path: source.encode()).figures
        return [(x.ii, x.depth, x.trip_count) for x in found.loops], [f.latency for f in found.functions]

    instance = LOOPS.replace("<IN, OUT>", f"<{arguments[0]}, {arguments[1]}>")
    assert figures(instance) == figures(APART.replace("TRIP", str(trip)).replace("OPERATION", operation))


@pytest.mark.parametrize(
    ("test", "decided"),
    [("&a[1] == &b", True), ("&b != &a[0]", True), ("&a[i++] == &b", False), ("&a[1] == &a[i]", False)],
)
def test_two_variables_share_no_address(test: str, decided: bool) -> None:
    program = loaded(f"int f(int x) {{ int a[4], b = 0, i = 0; if ({test}) {{ x = 1; }} return x + i + b + a[0]; }}")
    assert (without_dead_arms(program) is not program) == decided


def test_arguments_may_be_one_variable() -> None:
    program = loaded("int f(int a[4], int b[4]) { if (&a[0] == &b[0]) { return 1; } return 0; }")
    assert without_dead_arms(program) is program
