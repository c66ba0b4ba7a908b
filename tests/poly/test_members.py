"""Structures are taken apart together with all that they are handed to: every pair of parameter and argument."""

from __future__ import annotations

import shutil
import subprocess
from itertools import product
from pathlib import Path

import pytest

from hlspart.frontend import load
from hlspart.model.options import FrontendOptions, Options
from hlspart.model.program import ArrayRef, Call, Const, Expr, Name, Program, expressions, walk, walk_statements
from hlspart.pipeline import Pipeline
from hlspart.transform.members import separate

PARAMETERS = ("struct pt p", "struct pt *p", "struct pt p[2]", "int *p", "int p")
ARGUMENTS = ("g", "&g", "g.v", "g.n", "&g.n", "&g.v[2]", "h", "&h[1]", "h[0]", "h[i].v", "&h[i].n")
TAILS = (("", ""), (", int k", ", 7"), (", ...", ", 7"), (", ...", ""))


def calls(program: Program) -> list[Call]:
    tops: list[Expr] = [e for f in program.functions.values() for s in walk_statements(f.body) for e in expressions(s)]
    return [e for top in tops for e in walk(top) if isinstance(e, Call)]


def read(parameter: str, argument: str, tail: tuple[str, str]) -> Program:
    text = (
        "struct pt { int v[8]; int n; };\nstruct pt g, h[4];\nint used(struct pt *q) { return q->v[1] + q->n; }\n"
        f"int f({parameter}{tail[0]}) {{ return 1; }}\n"
        f"int top(int i) {{ return f({argument}{tail[1]}) + used(&g) + h[i].v[i]; }}\n"
    )
    program = load(["k.c"], FrontendOptions(), lambda _: text.encode())
    assert program.units[0].error is None
    return program


@pytest.mark.parametrize("tail", TAILS)
def test_what_is_handed_on_is_apart_with_what_takes_it(tail: tuple[str, str]) -> None:
    separated = 0
    for parameter, argument in product(PARAMETERS, ARGUMENTS):
        program = read(parameter, argument, tail)
        copy, forward = separate(program, ("top",), "apart")
        if copy is program:
            continue
        separated += 1
        for call in calls(copy):
            function = copy.functions[call.function or ""]
            extra = 1 if function.variadic and tail[1] else 0
            assert len(call.args) == len(function.params) + extra
            used = {v.variable for arg in call.args for v in walk(arg) if isinstance(v, Name | ArrayRef)}
            assert not used & set(forward.variables.values()), (parameter, argument)
    assert separated > len(PARAMETERS) * len(ARGUMENTS) // 2


def test_a_structure_behind_dots_stays_whole_and_so_does_what_it_is_given() -> None:
    program = read("struct pt p", "g", (", ...", ", 7"))
    _, forward = separate(program, ("top",), "apart")
    assert {program.variable(v).name for v in forward.variables.values()} == {"h"}


WHOLE = """#include <hls_stream.h>
struct E { int t; short id; };
struct Q { E heap[64]; int size; };
static Q q;
E at(Q &x, int i) { return x.heap[i]; }
void fill(hls::stream<E> &in) {
FILL:
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    q.heap[i] = in.read();
  }
}
void drain(hls::stream<E> &out, int b[64]) {
DRAIN:
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    E e = at(q, i);
    out.write(q.heap[63 - i]);
    b[i] = e.t;
  }
}
void pack(int a[64], int &n) {
  E kept[64];
  int k = 0;
PACK:
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    E e;
    e.t = a[i];
    e.id = i;
    if (a[i] > 0)
      kept[k++] = e;
  }
CHAIN:
  for (int i = 3; i < 64; i++) {
#pragma HLS PIPELINE
    E e = i % 2 ? kept[i - 3] : kept[i - 2];
    e.t += a[i];
    kept[i] = e;
  }
  n = kept[3].t + kept[n].id;
}
"""
APART = {
    "struct Q { E heap[64]; int size; };\nstatic Q q;": "static int q_t[64]; static short q_id[64];",
    "E at(Q &x, int i) { return x.heap[i]; }": "",
    "q.heap[i] = in.read();": "E v = in.read(); q_t[i] = v.t; q_id[i] = v.id;",
    "E e = at(q, i);": "E e; e.t = q_t[i]; e.id = q_id[i];",
    "out.write(q.heap[63 - i]);": "E v; v.t = q_t[63 - i]; v.id = q_id[63 - i]; out.write(v);",
    "E kept[64];": "int k_t[64]; short k_id[64];",
    "kept[k++] = e;": "{ int p = k++; k_t[p] = e.t; k_id[p] = e.id; }",
    "E e = i % 2 ? kept[i - 3] : kept[i - 2];":
        "E e; e.t = i % 2 ? k_t[i - 3] : k_t[i - 2]; e.id = i % 2 ? k_id[i - 3] : k_id[i - 2];",
    "kept[i] = e;": "k_t[i] = e.t; k_id[i] = e.id;",
    "kept[3].t + kept[n].id": "k_t[3] + k_id[n]",
}  # fmt: skip


def test_elements_that_are_used_as_a_whole_are_their_members() -> None:
    def figures(text: str) -> dict[str, tuple[object, ...]]:
        found = Pipeline(["t.cpp"], Options(), lambda _: text.encode()).figures.loops
        return {x.name: (x.ii, x.depth, x.trip_count, x.latency) for x in found}

    apart = WHOLE
    for old, new in APART.items():
        assert apart.count(old) == 1, old
        apart = apart.replace(old, new)
    whole = figures(WHOLE)
    assert whole == figures(apart)
    assert all(ii is not None for ii, *_ in whole.values()) and len(whole) == 4


def test_a_copy_of_a_structure_that_stays_whole_is_handed_on_member_by_member() -> None:
    text = """struct E { int t; short id; };
E make(int x);
void put(E e, E *all, int i) { all[i] = e; }
void top(int b[64]) {
  E all[64], e, made = make(3);
LOOP:
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    e.t = i;
    put(i % 2 ? e : made, all, i);
    b[i] = e.t;
  }
  put(make(4), all, 3);
  put(made, all, 4);
  e = make(5);
}
"""
    program = load(["k.cpp"], FrontendOptions(), lambda _: text.encode())
    copy, forward = separate(program, ("top",), "apart")
    apart = {program.variable(v).name for v in forward.variables.values()}
    assert "all" in apart and "made" not in apart
    for call in calls(copy):
        function = copy.functions.get(call.function or "")
        assert function is None or len(call.args) == len(function.params)
    found = Pipeline(["t.cpp"], Options(), lambda _: text.encode()).figures.loops
    assert [(x.name, x.ii) for x in found] == [("LOOP", 1)]


@pytest.mark.parametrize(
    "use", ["touch(q.heap[i]);", "E *p = &q.heap[i]; p->t = 3;", "other(&q.heap[i]);", "(q.heap[i] = e).t++;"]
)
def test_an_element_that_is_more_than_a_value_stays(use: str) -> None:
    text = "struct E { int t; short id; };\nstruct Q { E heap[64]; };\nstatic Q q;\nvoid touch(const E &x);\n"
    text += f"void other(void *x);\nvoid top(E e, int i) {{ {use} }}\n"
    program = load(["k.cpp"], FrontendOptions(), lambda _: text.encode())
    _, forward = separate(program, ("top",), "apart")
    assert "q" not in {program.variable(v).name for v in forward.variables.values()}


NAMED = (
    "{.a = {1, 2, 3}}", "{4, .a = {1, 2}, 5}", "{.n = 9, .k = 8}", "{.a = {3}, .k = 1, {7, 8}}", "{6, {5, 4, 3}, 2}",
    "{.in = {.y = {1, 2}}, .a = {7}}", "{.in = {{5, 6}, 4}}", "{.k = 1, .k = 2}",
)  # fmt: skip


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is the oracle")
def test_members_begin_with_the_values_that_their_names_are_given(tmp_path: Path) -> None:
    head = "struct part { int y[2], z; };\nstruct pt { int k, a[4], n; struct part in; };\n"
    body = "".join(f"struct pt s{i} = {text};\n" for i, text in enumerate(NAMED))
    read = "+".join(f"s{i}.a[j] + s{i}.k + s{i}.n + s{i}.in.y[j] + s{i}.in.z" for i in range(len(NAMED)))
    text = f"{head}int top(int j) {{ {body} return {read}; }}\n"
    program, forward = separate(load(["k.c"], FrontendOptions(), lambda _: text.encode()), ("top",), "apart")
    assert len(set(forward.variables.values())) == len(NAMED)
    leaves = {"k": 1, "a": 4, "n": 1, "in.y": 2, "in.z": 1}
    asked, own = "", []
    for i, (leaf, count) in product(range(len(NAMED)), leaves.items()):
        (variable,) = (v for v in program.variables if v.name.replace("_", ".") == f"s{i}.{leaf}")
        given = [e.value for e in walk(variable.init) if isinstance(e, Const)] if variable.init else []
        own += [*given, *[0] * (count - len(given))]
        asked += "".join(f'printf("%d\\n", s{i}.{leaf}{f"[{k}]" if count > 1 else ""});' for k in range(count))
    (tmp_path / "t.c").write_text(f"#include <stdio.h>\n{head}int main(void) {{ {body} {asked} return 0; }}\n")
    subprocess.run(["gcc", "-w", "-o", str(tmp_path / "t"), str(tmp_path / "t.c")], check=True)
    done = subprocess.run([str(tmp_path / "t")], capture_output=True, text=True, check=True)
    assert own == list(map(int, done.stdout.split()))
